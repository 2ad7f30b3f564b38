"""Runs random scenarios and holds the results to what must be true of every run, and of runs that belong together.

usage: random_scenarios PEERPATH [--cases N] [--seed FIRST] [--relations N] [--only NAME] [--tries N]

A failure prints the seed, what is broken, the scenario with all left out that is not needed for it, and the command
that repeats it. Exit status 1 if anything is broken, or if hardly a scenario was valid.
"""

import sys

import generate
import invariants
import relations
import shrink
from judge import Judge

if __name__ == "__main__":
    sys.exit(Judge("random_scenarios", generate, invariants, relations, shrink.parts, shrink.without).main(__doc__))
