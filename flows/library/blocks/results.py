"""The result tables that a run has kept, for answers that speak of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pydantic import ValidationError

from flows.core.artifacts import Artifact, Artifacts
from flows.data.answers.citations import NamedResult
from flows.data.tables import ResultTable

# What is read to look for numbers, the latest results first; a reference is found in any result.
BYTES_READ: Final = 128_000_000


class KeptResults(Mapping[str, NamedResult]):
    """The tables by the names of their artifacts, oldest first; each is read when it is wanted."""

    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts
        self._known: dict[str, NamedResult | None] = {}
        self._sizes = {each.name: each.bytes for each in artifacts.all() if _may_be_table(each)}

    def __getitem__(self, name: str) -> NamedResult:
        found = self._read(name) if name in self._sizes else None
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._sizes if self._is_table(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._sizes and self._is_table(str(name))

    def latest(self, among: Collection[str] = ()) -> list[NamedResult]:
        """The latest of them that are not too much to read, oldest first; `among` are the names of
        those that are wanted, all without it."""
        found: list[NamedResult] = []
        left = BYTES_READ
        for name in reversed(self._sizes):
            if among and name not in among:
                continue
            if (left := left - self._sizes[name]) < 0:
                break
            if (table := self._read(name)) is not None:
                found.append(table)
        return found[::-1]

    def _is_table(self, name: str) -> bool:
        return self._artifacts.find(name).what == "table" or self._read(name) is not None

    def _read(self, name: str) -> NamedResult | None:
        """The table; None for a JSON artifact of another shape. Errors: `JournalError`."""
        if name not in self._known:
            try:
                table = ResultTable.model_validate_json(self._artifacts.read(name))
            except ValidationError:
                self._known[name] = None
            else:
                self._known[name] = NamedResult.of_table(name, table)
        return self._known[name]


def _may_be_table(artifact: Artifact) -> bool:
    """Whether it is a table, or a file that an older run kept one in."""
    return artifact.kind == "json" and artifact.what in ("table", "file")
