"""Runs random networks and holds the results to what must be true of every run, and of runs that belong together.

usage: random_networks PEERPATH [--cases N] [--seed FIRST] [--relations N] [--only NAME] [--tries N]

A failure prints the seed, what is broken, the scenario with all left out that is not needed for it, and the command
that repeats it. Exit status 1 if anything is broken, or if hardly a scenario was valid.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "random_scenarios"))
import generate  # noqa: E402
import invariants  # noqa: E402
import relations  # noqa: E402
import smaller  # noqa: E402
from judge import Judge  # noqa: E402

if __name__ == "__main__":
    sys.exit(Judge("random_networks", generate, invariants, relations, smaller.parts, smaller.without, ()).main(__doc__))
