"""What is easily typed in the wrong place, and what to type instead."""

from __future__ import annotations

import errno
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from flows.cli.arguments import DEFAULT_FILE, is_override, own_file
from flows.errors import UsageError

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_WORD = re.compile(r"[^\W\d_][\w'-]*[?.!,]*")


def check_question(command: str, question: str | None, overrides: Sequence[str]) -> None:
    """Errors: `UsageError` that says what to type where a path or words of the question are."""
    stray = [each for each in overrides if not is_override(each)]
    if question is not None and " " not in question and is_data(question):
        asked = next((each for each in stray if " " in each), "...")
        raise UsageError(
            f"{question} stands where the question does\n"
            f"write: flows {command} {_quoted(asked)} --data {shlex.quote(question)}"
        )
    if question is None or not stray:
        return
    paths = [each for each in stray if is_data(each)]
    words = [each for each in stray if each not in paths]
    if words and all(_WORD.fullmatch(each) for each in words):
        whole = " ".join([question, *words])
        more = "".join(f" --data {shlex.quote(each)}" for each in paths)
        raise UsageError(
            f"a question has to stand in quotes\nwrite: flows {command} {_quoted(whole)}{more} ..."
        )
    for each in paths:
        raise UsageError(
            f"{each} stands where an override does; data is named with --data\n"
            f"write: flows {command} {_quoted(question)} --data {shlex.quote(each)}"
        )


def check_run(file: str | None, overrides: Sequence[str]) -> None:
    """Errors: `UsageError` that says what to type where data or a goal stands in place of a run
    file or an override."""
    if file is not None and is_override(file):
        overrides, file = [file, *overrides], None
    stray = [each for each in overrides if not is_override(each)]
    goal = next((each for each in overrides if each.startswith("goal=")), None)
    if file is not None and is_data(file) and not file.endswith(".json"):  # JSON is YAML too
        raise UsageError(
            f"{file} is no run file; data is named with --data\n"
            f"write: flows run --data {shlex.quote(file)} {_goal(goal)}"
        )
    has_file = own_file() is not None or Path(DEFAULT_FILE).exists()
    if file is not None and " " in file.strip() and not _is(Path(file).exists) and not has_file:
        told = f"write: flows run {_goal(f'goal={file}')}"
        raise UsageError(f"there is no run file {file!r}\nif it is the goal, {told}")
    words = [each for each in stray if _WORD.fullmatch(each) and not _is(Path(each).exists)]
    if words and goal is not None and len(words) == len(stray):
        raise UsageError(
            f"a goal has to stand in quotes\nwrite: flows run {_goal(' '.join([goal, *words]))}"
        )
    for each in stray:
        if is_data(each):
            raise UsageError(
                f"{each} stands where an override does; data is named with --data\n"
                f"write: --data {shlex.quote(each)}"
            )


def is_data(text: str) -> bool:
    """Whether it names data: an address, a path with an ending that data has, or a folder."""
    from flows.data.files.file_kinds import KINDS

    if _ADDRESS.match(text):
        return True
    if not text:
        return False
    path = Path(text)
    return bool({each.lower() for each in path.suffixes[-2:]} & set(KINDS)) or _is(path.is_dir)


def _is(test: Callable[[], bool]) -> bool:
    """What a test of a path says; not so for a text that is too long to be one."""
    try:
        return test()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False


def _goal(goal: str | None) -> str:
    return f"goal={_quoted(goal.partition('=')[2])}" if goal else 'goal="..."'


def _quoted(text: str) -> str:
    """In double quotes, which people type, unless a shell would read what is in them."""
    return shlex.quote(text) if set(text) & set('"$`\\!') else f'"{text}"'
