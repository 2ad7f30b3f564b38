"""Running peerpath on a scenario."""

import json
import pathlib
import shutil
import subprocess
import tempfile

MOST_SECONDS = 60  # of one run, which takes some milliseconds: more is a hang


class Run:
    """What came of one call: exit status, the document on standard output, standard error."""

    def __init__(self, status, document, said, text):
        self.status, self.said, self.text = status, said, text
        self.document = document
        self.metrics = {m["name"]: m["value"] for m in document["metrics"]} if document else {}


class Peerpath:
    """The program, with a folder of its own for what it reads and writes. Equal calls are made once."""

    def __init__(self, path, *always):
        self.path = pathlib.Path(path).resolve()
        memory = pathlib.Path("/dev/shm")
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        self.always = always  # options of every run
        self.done = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def forget(self):
        self.done.clear()

    def call(self, scenario, *options, words=("run",)):
        """Status, standard output and error; the status is None for what does not end."""
        file = self.folder / "scenario.json"
        file.write_text(json.dumps({key: part for key, part in scenario.items() if key != "files"}, indent=1))
        for name, content in scenario.get("files", {}).items():  # that the scenario names
            (self.folder / name).write_text(json.dumps(content))
        command = [self.path, *words, file.name, *options]
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return None, "", f"did not end within {MOST_SECONDS} s"
        return done.returncode, done.stdout, done.stderr

    def run(self, scenario, *options):
        key = json.dumps(scenario) + repr(options)
        if key not in self.done:
            folder = self.folder / "out"
            status, text, said = self.call(scenario, "--json", "--quiet", "--out", folder, *self.always, *options)
            document = json.loads(text, parse_constant=no_number) if status in (0, 1) else None
            self.done[key] = Run(status, document, said, text)
        return self.done[key]

    def check(self, scenario):
        return self.call(scenario, words=("check",))

    def written(self, name):
        """A file that the latest run has left."""
        return (self.folder / "out" / name).read_text()


def no_number(word):
    raise ValueError(f"{word} is no number")
