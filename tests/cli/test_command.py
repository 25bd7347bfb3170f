"""The commands that the tests fork are processes as a shell starts them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import environment, fork_server, python

TELL = """\
import json, os, sys
print(json.dumps([os.getcwd(), os.environ["WORD"], sys.argv[1:], sys.stdin.read(), os.getppid()]))
print("a word aside", file=sys.stderr)
sys.exit(int(sys.argv[1]))
"""


def test_a_forked_command_has_its_own_folder_environment_streams_and_code(tmp_path: Path) -> None:
    (tmp_path / "tell.py").write_text(TELL)
    env = environment(WORD="wörd")
    ended = python(str(tmp_path / "tell.py"), "7", cwd=tmp_path, stdin="a\nb", env=env)
    told = json.loads(ended.out)
    assert told == [str(tmp_path), "wörd", ["7"], "a\nb", fork_server().pid]
    assert (ended.err, ended.code) == ("a word aside\n", 7)


@pytest.mark.parametrize(
    ("code", "end"), [("raise ValueError('no')", 1), ("import os; os.abort()", -6)]
)
def test_how_a_forked_command_fails_is_seen(tmp_path: Path, code: str, end: int) -> None:
    (tmp_path / "fail.py").write_text(code)
    ended = python(str(tmp_path / "fail.py"), cwd=tmp_path)
    assert ended.code == end
    assert ("ValueError: no" in ended.err) == (end == 1)
