"""The compiled part of the package."""

from typing import Any, Callable, Optional, Sequence

version: str

def run(name: str, text: Optional[str], overrides: Sequence[str], folders: Sequence[str], series_folder: str) -> dict[str, Any]: ...
def sweep(
    name: str,
    text: Optional[str],
    overrides: Sequence[str],
    folders: Sequence[str],
    vary: Sequence[str],
    variants: Sequence[str],
    jobs: int,
    progress: Optional[Callable[[int, int], None]],
) -> dict[str, Any]: ...
def report_page(results: str, run: str, series: str) -> str: ...
