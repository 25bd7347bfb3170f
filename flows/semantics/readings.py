"""What questions were read as when somebody chose: questions with their requests, in a file.

--- {question: What is the average price?, request: {kind: query, dataset: meals, ...}, means: ...}
--- {question: ..., request: ...}

Each is one YAML document, which a person may write in any other form. A last one whose brackets are
not closed was being written when something ended the program: it counts as not there.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from flows.errors import SourceError
from flows.semantics.request import REQUEST, Request

ENDING: Final = ".readings.yaml"
_MOST_BYTES: Final = 4_000_000
_BEGINNING: Final = b"--- {"


class RememberedChoice(BaseModel):
    """What somebody chose that a question is read as; `means` says it in words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    request: Request
    means: str = ""


class Readings:
    """The readings of one file, read again when it has changed. Any thread may use it.

    A question is the same in any case, with any blanks and with any mark at its end; of several
    readings of one question the last one counts. Errors: `SourceError`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._known: tuple[object, dict[str, Request]] = (None, {})

    @classmethod
    def beside(cls, glossary: Path) -> Readings:
        """Those that belong to the glossary in a file."""
        return cls(glossary.with_suffix(ENDING))

    def find(self, question: str) -> Request | None:
        """What the question was read as; None where nobody chose."""
        with self._lock:
            mark = self._mark()
            if self._known[0] != mark:
                self._known = (mark, {folded(e.question): e.request for e in self._read()})
            return self._known[1].get(folded(question))

    def choices(self) -> list[RememberedChoice]:
        """All readings that count, in the order in which they were chosen."""
        return list({folded(each.question): each for each in self._read()}.values())

    def forget(self, question: str) -> bool:
        """Take back what was chosen for a question; whether there was anything.

        Safe with several processes; the other readings stay as they are written.
        """
        wanted = folded(question)
        if not any(folded(each.question) == wanted for each in self._read()):
            return False
        try:
            with self.path.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                kept = _without(_whole(file.read()).decode(), wanted)
                file.seek(0)
                file.write(kept.encode())
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise SourceError(f"{self.path} cannot be written: {error.strerror}") from error
        return True

    def learn(self, question: str, request: Request, means: str = "") -> bool:
        """Add a reading, unless it is what already counts; whether it was added.

        Safe with several processes; it is on the disk then.
        """
        if self.find(question) == request:
            return False
        plain = {"question": " ".join(question.split()),
                 "request": REQUEST.dump_python(request, mode="json"),
                 **({"means": means} if means else {})}  # fmt: skip
        text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, explicit_start=True,
                              default_flow_style=True, width=_MOST_BYTES)  # fmt: skip
        try:
            with self.path.open("a+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.seek(0)
                before = file.read()
                whole = _whole(before)
                if len(whole) < len(before):
                    file.truncate(len(whole))
                line = b"" if not whole or whole.endswith(b"\n") else b"\n"
                file.write(line + text.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise SourceError(f"{self.path} cannot be written: {error.strerror}") from error
        return True

    def _mark(self) -> object:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SourceError(f"{self.path} cannot be read: {error.strerror}") from error
        return (found.st_ino, found.st_size, found.st_mtime_ns)

    def _read(self) -> Iterator[RememberedChoice]:
        try:
            with self.path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                content = file.read(_MOST_BYTES + 1)
        except FileNotFoundError:
            return
        except OSError as error:
            raise SourceError(f"{self.path} cannot be read: {error.strerror}") from error
        if len(content) > _MOST_BYTES:
            raise SourceError(f"{self.path} is larger than {_MOST_BYTES:,} bytes")
        try:
            documents: list[Any] = list(yaml.safe_load_all(_whole(content).decode()))
        except (yaml.YAMLError, UnicodeError, RecursionError) as error:
            raise SourceError(f"{self.path} is no YAML: {error}") from error
        for number, each in enumerate(documents, 1):
            try:
                reading = RememberedChoice.model_validate(each)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(map(str, first["loc"]))
                problem = f"{self.path}, reading {number}: {where}: {first['msg']}"
                raise SourceError(problem) from error
            yield reading


def _without(text: str, wanted: str) -> str:
    """The documents of a text but those of a question."""
    starts = [e.start_mark for e in yaml.parse(text) if isinstance(e, yaml.DocumentStartEvent)]
    marks = [each.index for each in starts if each is not None]
    parts = [text[at:end] for at, end in zip(marks, [*marks[1:], len(text)], strict=True)]
    first = text[: marks[0]] if marks else text
    return first + "".join(
        each for each in parts if folded(str(yaml.safe_load(each)["question"])) != wanted
    )


def _whole(content: bytes) -> bytes:
    """The content without a last reading that was written in part."""
    line = content.rfind(b"\n") + 1
    if line < len(content) and _BEGINNING.startswith(content[line:]):
        return content[:line]
    start = content.rfind(b"\n---") + 1
    last = content[start:]
    if last.startswith(_BEGINNING):
        try:
            yaml.safe_load(last.decode())
        except (yaml.YAMLError, UnicodeError):
            return content[:start]
    return content


def folded(question: str) -> str:
    """A question in the form in which two that are the same are equal."""
    return " ".join(question.casefold().split()).rstrip("?!. ")
