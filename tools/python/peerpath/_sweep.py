"""Many runs of a scenario."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np

from peerpath import _core
from peerpath._source import ScenarioLike, source_of, value_text

Values = Union[str, Iterable[Any]]
Key = Union[str, Tuple[str, ...]]


class Sweep:
    """The points of a sweep as columns: what was varied, every metric, `status`, `bottleneck` and `message`.

    `sweep["nic0.queues"]` and `sweep["rx.goodput_gbps"]` are arrays of one length. Values that are numbers are in an array of
    numbers, others in one of texts. A metric is nan at a point that has none. `status`: "ok", "expectation_failed", or "wrong" with the
    reason in `message`.
    """

    def __init__(
        self, shape: List[int], keys: List[str], values: List[List[str]], metrics: Dict[str, np.ndarray], **texts: List[str]
    ) -> None:
        self.shape = tuple(shape)  #: steps of each axis
        self.keys = keys  #: what was varied, slowest first
        self.metrics: Dict[str, np.ndarray] = metrics
        self.status = np.array(texts["status"], dtype=str)
        self.bottleneck = np.array(texts["bottleneck"], dtype=str)
        self.message = np.array(texts["message"], dtype=str)
        self.columns: Dict[str, np.ndarray] = {key: _column(column) for key, column in zip(keys, values)}
        self.columns.update(metrics)
        self.columns.update(status=self.status, bottleneck=self.bottleneck, message=self.message)

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, column: str) -> np.ndarray:
        return self.columns[column]

    def grid(self, column: str) -> np.ndarray:
        """The column with an axis for each entry of `vary` (variants before them): what a heat map draws."""
        return self.columns[column].reshape(self.shape)

    def __repr__(self) -> str:
        names, counts = np.unique(self.status, return_counts=True)
        said = ", ".join(f"{count} {name}" for name, count in zip(names, counts))
        return f"<peerpath.Sweep of {len(self)} points over {', '.join(self.keys)}: {said}>"


def sweep(
    scenario: ScenarioLike,
    vary: Optional[Mapping[Key, Values]] = None,
    *,
    variants: Optional[Mapping[str, Mapping[str, Any]]] = None,
    set: Optional[Mapping[str, Any]] = None,
    jobs: Optional[int] = None,
    progress: Optional[Callable[[int, int], None]] = None,
) -> Sweep:
    """Runs a scenario at every point of a product of values.

    vary: by key, the values: a list, or a text as `--vary` takes it: {"links.*.generation": [4, 5], "nic0.mps": "128..512*2"}. A tuple of keys with
      a list of tuples goes in step: {("nic0.queues", "nic0.ring"): [(1, 512), (4, 128)]}.
    variants: named sets of values that form an axis of their own, the slowest.
    set: values for all points.
    jobs: threads; as many as there are processors unless given.
    progress: called some ten times a second with the number of points that are done, and of all.

    Raises ScenarioError if the scenario itself or what is varied is wrong. A point that cannot be run is a row of status "wrong".
    """
    texts = [_axis(key, values) for key, values in (vary or {}).items()]
    named = [f"{name}:" + ",".join(f"{key}={value_text(value)}" for key, value in each.items()) for name, each in (variants or {}).items()]
    threads = jobs if jobs is not None else len(os.sched_getaffinity(0))
    if threads < 1:
        raise ValueError(f"jobs is a number of threads, at least 1, not {threads}")
    return Sweep(**_core.sweep(*source_of(scenario, set), texts, named, threads, progress))


def _axis(key: Key, values: Values) -> str:
    if isinstance(key, str):
        return f"{key}={values if isinstance(values, str) else ','.join(map(value_text, values))}"
    rows = [tuple(row) for row in values]
    if any(len(row) != len(key) for row in rows):
        raise ValueError(f"{key} go in step: each of their values is a tuple of {len(key)}")
    return ";".join(f"{name}={','.join(value_text(row[n]) for row in rows)}" for n, name in enumerate(key))


def _column(values: List[str]) -> np.ndarray:
    try:
        return np.array([int(value) for value in values])
    except ValueError:
        pass
    try:
        return np.array([float(value) for value in values])
    except ValueError:
        return np.array(values, dtype=str)
