"""The index of functions, as the command line uses it: filled from files, searched, listed."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TextIO

from pydantic import BaseModel, ConfigDict

from flows.core.function_description import FunctionDescription
from flows.core.function_store import FunctionClass, FunctionMatch
from flows.core.memory import Embedder
from flows.errors import ConfigError, Place, UsageError, nearest
from flows.library.interpreter.response_table import FILE, FunctionStats, ResponseTable
from flows.memory.minilm.embedder import MiniLMEmbedder
from flows.tools.catalog.index import FunctionIndex
from flows.tools.catalog.table import Change
from flows.tools.description.dictionary import describe_dictionary, read_dictionaries
from flows.tools.description.module import read_functions
from flows.tools.sources.openapi.document import OpenAPIDocument, read_document
from flows.tools.sources.openapi.operations import OperationReader

EmbedderName = Literal["auto", "none", "minilm"]
INDEX: Final = Path(".flows/functions")
_ENDINGS: Final = (".jsonl", ".ndjson", ".json", ".yaml", ".yml", ".py")
_LARGEST: Final = 64_000_000  # bytes of a file that is read whole
MOST_OPERATIONS: Final = 100_000  # of a document; a quarter of a minute
_HEAD: Final = 4_000  # characters in which a document says what it is
_OPENAPI: Final = re.compile(r"\"(?:openapi|swagger)\"\s*:")


@dataclass(slots=True)
class IndexOutcome:
    """What came of indexing files: the change, how many vectors were made, what is wrong with
    functions that were left out, each with its place, and notes on others. `stale` are the ids of
    functions that came from one of the files before, and now do not: they stay as they were."""

    change: Change = field(default_factory=Change)
    embedded: int = 0
    faults: list[ConfigError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _FileIds:
    """The ids and the sources of the functions of one file, noted while they pass."""

    ids: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)

    def noted(self, functions: Iterator[FunctionDescription]) -> Iterator[FunctionDescription]:
        for each in functions:
            self.ids.add(each.id)
            self.sources.add(each.source)
            yield each


@dataclass(frozen=True, slots=True)
class IndexQuestion:
    """A line of a file of questions."""

    id: str
    text: str


class FoundFunction(BaseModel):
    """A function that a search found, as it is printed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    namespace: str
    function_class: str
    score: float
    description: str


def found_function(match: FunctionMatch) -> FoundFunction:
    described = match.description
    return FoundFunction(
        id=described.id,
        name=described.name,
        namespace=described.namespace,
        function_class=described.function_class,
        score=round(match.score, 6),
        description=described.description,
    )


class FunctionService:
    """The index in a folder. With the embedder `auto` it uses MiniLM where the index has vectors
    of it. Errors: `ToolError`; `ConfigError` where MiniLM is not installed."""

    def __init__(self, index: FunctionIndex) -> None:
        self.index = index

    async def add(self, files: Sequence[Path], namespace: str) -> IndexOutcome:
        """Index the functions of files; one that is unclear is left out and told.

        Of a file that cannot be read, what was indexed before stays. Errors: `UsageError` for a
        file that is not there, or of another kind.
        """
        result = IndexOutcome()
        for path in files:
            found = _FileIds()
            try:
                result.change += await self.index.add(found.noted(_clear(path, namespace, result)))
            except ConfigError as error:
                result.faults.append(error)
            result.stale += await self._stale(path, namespace, found)
        result.embedded = await self.index.embed()
        return result

    async def _stale(self, path: Path, namespace: str, found: _FileIds) -> list[str]:
        """The ids that came from the file before, and that it does not give now. Those of another
        namespace are of another indexing."""
        namespaces = {namespace, *(each.partition("/")[0] for each in found.ids)}
        known = {f"openapi:{path.name}", f"file:{path}", f"python:{path}", *found.sources} - {""}
        return [
            each
            for source in sorted(known)
            for each in await self.index.ids_of(source)
            if each not in found.ids and each.partition("/")[0] in namespaces
        ]

    async def search(
        self, question: str, limit: int, function_class: FunctionClass, namespace: str
    ) -> list[FunctionMatch]:
        return await self.index.search(question, limit, function_class, namespace)

    async def find(self, name: str) -> FunctionDescription:
        """The function with that id, or that name where one has it. Errors: `UsageError`."""
        found = await self.index.get(name)
        if found is not None:
            return found
        ids = await self.index.ids()
        named = [each for each in ids if each.partition("/")[2] == name]
        if len(named) > 1:
            raise UsageError(f"several functions are named {name!r}: {', '.join(named[:9])}")
        if named and (found := await self.index.get(named[0])) is not None:
            return found
        meant = nearest(name, ids) or nearest(f"default/{name}", ids)
        hint = f"\ndid you mean: {meant}" if meant else "\nall of them: flows functions list"
        raise UsageError(f"there is no function {name!r}{hint}")


@asynccontextmanager
async def open_functions(folder: Path, embedder: EmbedderName) -> AsyncIterator[FunctionService]:
    """The index of the folder, open."""
    index = FunctionIndex(folder)
    if embedder == "minilm" or (embedder == "auto" and await index.embedders()):
        chosen: Embedder = MiniLMEmbedder()
        if embedder == "minilm" or chosen.name in await index.embedders():
            await index.aclose()
            index = FunctionIndex(folder, chosen)
    try:
        yield FunctionService(index)
    finally:
        await index.aclose()


def function_stats(log: Path = FILE, user: str = "", channel: str = "") -> list[FunctionStats]:
    """What each function did to the confidence of answers, those that lower it most first."""
    return ResponseTable(log).stats(user, channel)


def read_questions(lines: TextIO, origin: str) -> Iterator[IndexQuestion]:
    """The questions of a file, one a line: text, or a JSON object with `question` and `id`.

    Without an id a question has the number of its line. Errors: `UsageError` for another line.
    """
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        if not text.startswith("{"):
            yield IndexQuestion(str(number), text)
            continue
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{origin}:{number}: this is no JSON: {error}") from error
        asked = given.get("question", given.get("query"))
        if not isinstance(asked, str):
            raise UsageError(f'{origin}:{number}: the object has no text under "question"')
        yield IndexQuestion(str(given.get("id", number)), asked)


def _clear(path: Path, namespace: str, result: IndexOutcome) -> Iterator[FunctionDescription]:
    """The functions of a file but those that are unclear. That there are none is a fault, too."""
    found = False
    for each in _functions(path, namespace, result.notes):
        found = True
        if isinstance(each, ConfigError):
            result.faults.append(each)
        else:
            yield each
    if not found:
        result.faults.append(ConfigError("there is no function in it", place=Place(str(path))))


def _functions(
    path: Path, namespace: str, notes: list[str]
) -> Iterator[FunctionDescription | ConfigError]:
    if path.suffix not in _ENDINGS:
        allowed = ", ".join(_ENDINGS)
        raise UsageError(f"{path}: functions are read of files that end in {allowed}")
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    if path.suffix == ".py":
        return read_functions(path, namespace)
    if path.suffix in (".jsonl", ".ndjson"):
        return read_dictionaries(path, namespace)
    return _of_whole(path, namespace, notes)


def _of_whole(
    path: Path, namespace: str, notes: list[str]
) -> Iterator[FunctionDescription | ConfigError]:
    """The functions of a file of one JSON or YAML value: an OpenAPI document, or dictionaries.
    A file with the ending `.json` may be of JSON lines, too."""
    if path.stat().st_size > _LARGEST:
        raise UsageError(f"{path} is larger than {_LARGEST:,} bytes; write it as lines (.jsonl)")
    if path.suffix == ".json":
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            if _OPENAPI.search(text[:_HEAD]) is None:
                return read_dictionaries(path, namespace)
            value = {"openapi": ""}  # a broken document, which its reader says
        if not isinstance(value, Mapping) or not ("openapi" in value or "swagger" in value):
            return _of_values(value, path, namespace)
    return _of_document(read_document(path), namespace, notes)


def _of_document(
    document: OpenAPIDocument, namespace: str, notes: list[str]
) -> Iterator[FunctionDescription | ConfigError]:
    for number, each in enumerate(OperationReader(document, namespace).read()):
        if number == MOST_OPERATIONS:
            left = max(1, document.count() - number)
            notes.append(
                f"{document.file.name}: {left:,} operations after the first {number:,} are left "
                "out; write those that are needed as a document of their own"
            )
            return
        if isinstance(each, ConfigError):
            yield each
        else:
            notes += [f"{each.description.name}: {note}" for note in each.notes]
            yield each.description


def _of_values(
    value: Any, path: Path, namespace: str
) -> Iterator[FunctionDescription | ConfigError]:
    given = value if isinstance(value, list) else [value]
    for number, each in enumerate(given, 1):
        try:
            yield describe_dictionary(each, namespace=namespace, source=f"file:{path}")
        except ConfigError as error:
            where = f"[{number}]" if isinstance(value, list) else ""
            yield ConfigError(error.problem, place=Place(f"{path}{where}"))
