"""The lines of a batch file: questions over data, or what is wrong with a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from flows.config.json_faults import json_fault

if TYPE_CHECKING:
    from flows.services.batch import Job

STDIN = "-"
_FORM = 'a line is an object, such as {"question": "How many rows are there?"}'


class JobLine(NamedTuple):
    """A line of a file of JSON objects: its number from 1, what it holds, or its `fault`."""

    number: int
    values: Mapping[str, Any]
    fault: str = ""

    @property
    def id(self) -> Any:
        """What the line is called: its own `id`, else its number."""
        return self.values.get("id", self.number)


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The file, or standard input for `-`. Errors: `UsageError` when it cannot be read."""
    from flows.errors import UsageError

    if path == STDIN:
        yield sys.stdin.buffer
        return
    try:
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def lines_of(file: BinaryIO) -> Iterator[JobLine]:
    """The lines, one after the other; empty ones are left out."""
    for number, raw in enumerate(file, 1):
        if not raw.strip():
            continue
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            values = json.loads(text, parse_constant=_no_number, parse_float=_number)
        except (ValueError, RecursionError) as error:
            fault = json_fault(error).removeprefix("line 1, ")
            form = "" if raw.lstrip().startswith(b"{") else f"; {_FORM}"
            yield JobLine(number, {}, f"line {number} is no JSON: {fault}{form}")
            continue
        if isinstance(values, dict):
            yield JobLine(number, values)
        else:
            yield JobLine(number, {}, f"line {number} is no JSON object; {_FORM}")


def cases_of(file: BinaryIO) -> Iterator[JobLine]:
    """The cases of a YAML file, a list of objects. Errors: `UsageError` for a file that is none."""
    import yaml

    from flows.errors import UsageError

    try:
        # Dates become text, as they are in lines of JSON.
        values = json.loads(json.dumps(yaml.safe_load(file), default=str, allow_nan=False))
    except (yaml.YAMLError, UnicodeError, ValueError, TypeError, RecursionError) as error:
        raise UsageError(f"the cases are no YAML: {error}") from error
    if not isinstance(values, list) or not all(isinstance(each, dict) for each in values):
        raise UsageError("the cases of a YAML file are a list of objects, each with a question")
    for number, each in enumerate(values, 1):
        yield JobLine(number, each)


def is_text(text: str) -> bool:
    """Whether it can be written as UTF-8: JSON can say half of a character alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(text: str) -> float:
    """A number that JSON can hold again."""
    number = float(text)
    return number if isfinite(number) else _no_number(text)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def job_of(line: JobLine, base: Path, data: Sequence[str]) -> Job:
    """The job of a line; `data` is what is asked where the line names nothing.

    Relative paths start from `base`, the file's folder; one that is not there, from the working
    folder.
    """
    from flows.errors import FlowsError
    from flows.services.batch import Job
    from flows.services.request import DataQuestion
    from flows.services.sources import read_sources

    if line.fault:
        return Job(fault=line.fault)
    where = f"line {line.number}"
    question = line.values.get("question")
    if not isinstance(question, str) or not question.strip():
        return Job(fault=f"{where}: `question` must be a text that is not empty")
    if not is_text(question):
        return Job(fault=f"{where}: `question` has half a character in it")
    given = line.values.get("data", list(data))
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not given or not all(isinstance(d, str) and d for d in given):
        return Job(fault=f"{where}: `data` must be a list of paths")
    try:
        own = "data" in line.values
        paths = [located(each, base) if own else each for each in given]
        sources = read_sources(paths, origin=where)
    except (FlowsError, OSError, ValueError) as error:
        return Job(fault=f"{where}: {error}")
    return Job(DataQuestion(question, sources, origin=where))


def located(given: str, base: Path) -> str:
    """A path, with its name if it has one, from the folder that holds it."""
    from flows.services.sources import split_name

    name, where = split_name(given)
    if "://" in where or where.startswith("${") or Path(where).is_absolute():
        return given
    if name is None and (base / given).exists():
        return str((base / given).absolute())
    start = base if (base / where).exists() or not Path(where).exists() else Path.cwd()
    whole = str((start / where).absolute())
    return whole if name is None else f"{name}={whole}"
