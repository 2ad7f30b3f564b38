"""One run of a scenario."""

from __future__ import annotations

import tempfile
from typing import Any, Mapping, Optional

from peerpath import _core
from peerpath._result import Result
from peerpath._source import ScenarioLike, scenario_folders, source_of

__all__ = ["run", "scenario_folders"]


def run(scenario: ScenarioLike, set: Optional[Mapping[str, Any]] = None, *, series: bool = False) -> Result:
    """Runs a scenario on the model and returns what it found.

    scenario: a path, a name such as "netgpu/zero_copy", or a dict with what a file would hold.
    set: values that replace the scenario's, by the keys of `--set`: {"devices.nic0.queues": 8, "traffic.rx.sizes": "1KiB"}.
    series: also keep curves over time (`Result.series`); the run then takes several times as long.

    Raises ScenarioError with file:line of every mistake. A failed expectation is no error: see `Result.passed`. Ctrl-C ends the run.
    """
    source = source_of(scenario, set)
    if not series:
        return Result(**_core.run(*source, ""))
    with tempfile.TemporaryDirectory(prefix="peerpath-") as folder:
        return Result(**_core.run(*source, folder))
