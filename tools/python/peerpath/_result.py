"""What a run has found."""

from __future__ import annotations

import difflib
import fnmatch
import html
import json
import os
import pathlib
from typing import Any, Dict, List, NamedTuple, Optional, Union

import numpy as np

from peerpath import _core
from peerpath._histogram import Histogram


class Expectation(NamedTuple):
    """An entry of the scenario's `expect`, judged."""

    metric: str
    wanted: str
    found: Optional[float]
    unit: str
    ok: bool


class Series(NamedTuple):
    """A curve over time: one value for each part of the run."""

    time_ns: np.ndarray  #: where each part begins
    values: np.ndarray
    unit: str
    group: str  #: "goodput", "queues", "tags", "credits" or "drops"


class Result:
    """One run of a scenario.

    `metrics`: every metric by its name, nan where nothing was measured; `result["rx.goodput_gbps"]` is short for it.
    `units`, `docs`: unit and meaning by the same names. `half_widths`: of the 95 % confidence interval, where there is one.
    `passed`: the run came to its end and all that the scenario expects holds.
    """

    def __init__(self, results: str, series: str, passed: bool, seconds: float) -> None:
        self._text, self._series_text = results, series
        self._document: Dict[str, Any] = json.loads(results)
        self.passed = passed
        self.seconds = seconds  #: of wall time that the model took
        rows = self._document["metrics"]
        self.metrics: Dict[str, float] = {row["name"]: _number(row["value"]) for row in rows}
        self.units: Dict[str, str] = {row["name"]: row["unit"] for row in rows}
        self.docs: Dict[str, str] = {row["name"]: row["doc"] for row in rows}
        self.half_widths: Dict[str, float] = {row["name"]: row["half_width"] for row in rows if "half_width" in row}

    @property
    def name(self) -> str:
        """Of the scenario."""
        return self._document["name"]

    @property
    def bottleneck(self) -> str:
        """One sentence that names what limits the run."""
        return self._document["bottleneck"]

    @property
    def warnings(self) -> List[str]:
        """What had not settled in the measured window, a sentence each."""
        return self._document.get("steady", {}).get("warnings", [])

    @property
    def scenario(self) -> Dict[str, Any]:
        """The resolved scenario: every value, also those that were not given."""
        return self._document["scenario"]

    @property
    def expectations(self) -> List[Expectation]:
        return [Expectation(e["metric"], e["wanted"], e["found"], e["unit"], e["ok"]) for e in self._document["expectations"]]

    @property
    def latency(self) -> Dict[str, Histogram]:
        """By traffic entry: how long its packets or transfers took. A network keeps quantiles alone, among the metrics."""
        return {entry["name"]: Histogram(entry["latency_fs"]) for entry in self._document.get("traffic", [])}

    @property
    def series(self) -> Dict[str, Series]:
        """Curves over time by name, warm-up included; of a run with `series=True`."""
        if not self._series_text:
            raise LookupError("this run kept no curves; run(..., series=True) does")
        document = json.loads(self._series_text)
        curves = {}
        for curve in document["curves"]:
            values = np.array(curve["values"], dtype=float)
            time = document["from_ns"] + document["step_ns"] * np.arange(len(values))
            curves[curve["name"]] = Series(time, values, curve["unit"], curve["group"])
        return curves

    def matching(self, pattern: str) -> Dict[str, float]:
        """The metrics whose names match a pattern such as "rx*.goodput_gbps"."""
        return {name: value for name, value in self.metrics.items() if fnmatch.fnmatchcase(name, pattern)}

    def to_dict(self) -> Dict[str, Any]:
        """All of results.json."""
        return json.loads(self._text)

    def report_html(self) -> str:
        """The report as one HTML page that needs no network."""
        return _core.report_page(self._text, json.dumps(self._run()), self._series_text)

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> pathlib.Path:
        """Writes results.json, report.html and, if there are curves, series.json; `peerpath report` and `compare` read them."""
        path = pathlib.Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        (path / "results.json").write_text(self._text)
        (path / "report.html").write_text(self.report_html())
        if self._series_text:
            (path / "series.json").write_text(self._series_text)
        return path

    def __getitem__(self, metric: str) -> float:
        try:
            return self.metrics[metric]
        except KeyError:
            near = difflib.get_close_matches(metric, self.metrics, 1)
            hint = f'; did you mean "{near[0]}"?' if near else "; `metrics` has them all"
            raise KeyError(f'there is no metric "{metric}"{hint}') from None

    def __repr__(self) -> str:
        goodput = ", ".join(f"{name} {value:g}" for name, value in self.matching("*.goodput_gbps").items())
        return f"<peerpath.Result {self.name}: {'passed' if self.passed else 'FAILED'}; {goodput}>"

    def _repr_html_(self) -> str:
        """A notebook shows the report. It stands in a frame, so that its style stays its own."""
        return (
            f'<iframe srcdoc="{html.escape(self.report_html())}" sandbox="allow-scripts" title="{html.escape(self.name)}" '
            'style="width:100%;height:720px;border:0"></iframe>'
        )

    def _run(self) -> Dict[str, Any]:
        return {"backend": "model", "fabric": "train", "loop": "plain", "wall_seconds": self.seconds, "peerpath": _core.version}


def _number(value: Optional[float]) -> float:
    return float("nan") if value is None else value
