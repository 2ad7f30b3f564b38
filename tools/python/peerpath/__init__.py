"""peerpath from Python: run a scenario, sweep over it, look at what came out as NumPy arrays.

>>> import peerpath
>>> result = peerpath.run("netgpu/zero_copy", set={"traffic.rx.sizes": "1KiB"})
>>> result["rx.goodput_gbps"]

The model runs in this process, without SystemC; results are those of the program `peerpath`, to the last digit. In a notebook a
`Result` shows its report.
"""

from peerpath._core import version as __version__
from peerpath._errors import Problem, ScenarioError
from peerpath._histogram import Histogram
from peerpath._result import Expectation, Result, Series
from peerpath._run import run, scenario_folders
from peerpath._sweep import Sweep, sweep

__all__ = [
    "Expectation",
    "Histogram",
    "Problem",
    "Result",
    "ScenarioError",
    "Series",
    "Sweep",
    "__version__",
    "run",
    "scenario_folders",
    "sweep",
]
