"""Scenarios as callers name them, for the compiled part."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, List, Mapping, NamedTuple, Optional, Union

ScenarioLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]


class Source(NamedTuple):
    name: str
    text: Optional[str]
    overrides: List[str]
    folders: List[str]


def scenario_folders() -> List[pathlib.Path]:
    """Folders in which names such as "netgpu/zero_copy" are looked up: ./scenarios, and the one that came with the package."""
    folders = [pathlib.Path("scenarios")] if pathlib.Path("scenarios").is_dir() else []
    for parent in list(pathlib.Path(__file__).resolve().parents)[1:7]:
        for candidate in (parent / "share" / "peerpath" / "scenarios", parent / "scenarios"):
            if (candidate / "hardware").is_dir():
                if not any(candidate.samefile(folder) for folder in folders):
                    folders.append(candidate)
                return folders
    return folders


def value_text(value: Any) -> str:
    """As `--set` and `--vary` read it: JSON, or a text such as 4KiB."""
    return value if isinstance(value, str) else json.dumps(plain(value))


def plain(value: Any) -> Any:
    """Numbers of NumPy as Python's."""
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.item() if hasattr(value, "item") else value


def source_of(scenario: ScenarioLike, overrides: Optional[Mapping[str, Any]]) -> Source:
    texts = [f"{key}={value_text(value)}" for key, value in (overrides or {}).items()]
    known = scenario_folders()
    folders = [str(folder) for folder in [*known, *(folder / "hardware" for folder in known)]]  # presets by name
    if isinstance(scenario, Mapping):
        return Source("<dict>", json.dumps(plain(scenario), indent=2), texts, folders)
    return Source(os.fspath(scenario), None, texts, folders)
