"""What the tests of the guides share: blocks of a guide, and a shell in which its commands run as a reader's would."""

import os
import pathlib
import re
import shutil
import subprocess

from cli_case import PROGRAM, SCENARIO, Case

SCENARIOS = pathlib.Path(SCENARIO).parent.parent
GUIDES = SCENARIOS.parent / "docs" / "guides"


def blocks(guide, language=""):
    """The texts between fences of this language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", (GUIDES / guide).read_text(), re.MULTILINE | re.DOTALL)
    return [text for of, text in found if of == language]


class GuideCase(Case):
    """Each test has a folder with a copy of scenarios/, and peerpath on its path."""

    def setUp(self):
        super().setUp()
        self.root = pathlib.Path(self.folder.name)
        shutil.copytree(SCENARIOS, self.root / "scenarios")

    def shell(self, script, **env):
        path = os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]
        return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.root, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PATH": path, **env})
