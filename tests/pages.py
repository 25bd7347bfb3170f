"""The examples of a page of the docs: its blocks of code, and running them in an empty folder.

A block whose first line names a file, as in "```csv sales.csv", is that file. In a block of
`console` each line after `$ ` is a command; `# exit code 75` behind it says how it ends.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.cli.command import PROJECT, Ended, environment
from tests.cli.inside import inside

ENTER = "\n" * 50
README = PROJECT / "README.md"
_BLOCK = re.compile(r"^```(\w+)(?: +(\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"#.*exit code (\d+)")
_WRITES = ("--out", "--chart", "--html", "--golden")


@dataclass(frozen=True)
class Block:
    """A block of code; `file` is the name of the file that it is, if it is one."""

    language: str
    file: str
    text: str


@dataclass(frozen=True)
class Page:
    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def blocks(self) -> list[Block]:
        return [Block(kind, file, text) for kind, file, text in _BLOCK.findall(self.text)]

    def commands(self) -> Iterator[str]:
        """The lines of its consoles, as they are typed."""
        for block in self.blocks:
            if block.language == "console":
                yield from (each[2:] for each in block.text.splitlines() if each[:2] == "$ ")

    def write_files(self, folder: Path) -> None:
        """The files that the page shows, and those of the README if it says that it uses them."""
        if "README.md#" in self.text and self.path != README:
            Page(README).write_files(folder)
        for block in self.blocks:
            if block.file:
                assert f"`{block.file}`" in self.text, f"the page does not say {block.file}"
                (folder / block.file).write_text(block.text, encoding="utf-8")


class Shell:
    """Types the commands of a page in a folder, and Enter at each question.

    `flows` runs in this process, all else in a shell in which `flows` and `python` are those of the
    tests; what is exported holds from then on.
    """

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        programs = Path(sys.executable).parent
        self.env = environment(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}", **env)

    def type(self, line: str) -> Ended:
        """Run a line, and look at how it ended and at what it wrote."""
        words = shlex.split(line.split("  #")[0])
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self.env.setdefault(name, value)
            return Ended(0, "", "")
        flows = words[0] == "flows"
        nobody = words[-2:] == ["<", "/dev/null"]
        words = words[:-2] if nobody else words
        ended = self._flows(words[1:], "" if nobody else ENTER) if flows else self._other(line)
        expected = _CODE.search(line)
        assert ended.code == int(expected[1] if expected else 0), (line, ended)
        assert "Traceback" not in ended.err, (line, ended.err)
        if flows:
            self._check(line, words, ended)
        return ended

    def _check(self, line: str, words: list[str], ended: Ended) -> None:
        """It said something, answered what was asked, and wrote the files that it names."""
        assert ended.out or ended.err, line
        may_lack = ended.code != 0 or words[1] == "resume"
        assert may_lack or "Not answered" not in ended.out, (line, ended.out)
        if "--json" in words:
            found = [json.loads(each) for each in ended.out.splitlines()]
            bad = ("failed", "abstained") if ended.code == 0 else ()
            assert all(each.get("status") not in bad for each in found), found
        for option, name in pairwise(words):
            if option in _WRITES:
                assert (self.folder / name).stat().st_size, line

    def _flows(self, words: list[str], stdin: str) -> Ended:
        return inside(*words, cwd=self.folder, stdin=stdin, env=self.env)

    def _other(self, line: str) -> Ended:
        done = subprocess.run(
            ["bash", "-c", line], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        return Ended(done.returncode, done.stdout, done.stderr)
