"""Latencies as the model counts them."""

from __future__ import annotations

from typing import Mapping, Union

import numpy as np


class Histogram:
    """Samples in bins whose width grows with their value, at most 3.2 % of it.

    `lower_ns`: where each bin that holds samples begins, ascending. `counts`: how many samples it holds.
    """

    def __init__(self, bins_fs: Mapping[str, int]) -> None:
        items = sorted((int(lower), count) for lower, count in bins_fs.items())
        self.lower_ns: np.ndarray = np.array([lower * 1e-6 for lower, _ in items])
        self.counts: np.ndarray = np.array([count for _, count in items], dtype=np.int64)

    def __len__(self) -> int:
        return int(self.counts.sum())

    def cdf(self) -> np.ndarray:
        """The share of samples up to and with each bin."""
        return np.cumsum(self.counts) / max(1, len(self))

    def quantile(self, share: Union[float, np.ndarray]) -> Union[float, np.ndarray]:
        """Where the bin begins in which this share (0 to 1) of the samples is reached; nan without samples."""
        if len(self) == 0:
            return np.full(np.shape(share), np.nan)[()]
        at = np.searchsorted(self.cdf(), share, side="left")
        return self.lower_ns[np.minimum(at, len(self.lower_ns) - 1)]

    def __repr__(self) -> str:
        if len(self) == 0:
            return "Histogram(empty)"
        return f"Histogram({len(self)} samples, p50 {self.quantile(0.5):.0f} ns, p99 {self.quantile(0.99):.0f} ns)"
