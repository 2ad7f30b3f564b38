"""What is wrong with a scenario, as an exception."""

from __future__ import annotations

from typing import NamedTuple, Sequence, Tuple


class Problem(NamedTuple):
    """One mistake and its place."""

    file: str  #: as it was given; "<dict>" for a scenario that was a dict; "" for what no file says
    line: int  #: from 1; 0: the whole file
    column: int  #: from 1
    key: str  #: JSON pointer such as /devices/nic0/wire_rate
    message: str  #: what is wrong, what is allowed, "did you mean"
    text: str  #: all of it, as file:line:column: key: message

    def __str__(self) -> str:
        return self.text


class ScenarioError(ValueError):
    """The scenario cannot be read or run. Its text has a line for each mistake; `problems` has them one by one."""

    def __init__(self, problems: Sequence[Tuple[str, int, int, str, str, str]]) -> None:
        self.problems = [Problem(*problem) for problem in problems]
        super().__init__("\n".join(problem.text for problem in self.problems))
