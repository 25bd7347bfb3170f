"""A kept result as agents are given it: its columns and first rows, and what is to be minded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field, ValidationError

from flows.core.artifacts import Artifact, Artifacts, open_file
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.observation import Caution, Preview
from flows.core.run import Run
from flows.core.sandbox import WARNINGS
from flows.data.meaning.dictionary import DataDictionary
from flows.data.tables import ResultTable
from flows.errors import CommandError, JournalError, nearest

_SMALL, _FEW = 20_000, 30


class ResultConfig(AtomicConfig):
    """The keys of a step that reads a kept result."""

    description: str = "Reads a result."
    most_rows: int = Field(default=5_000, ge=1, le=100_000, description="rows read at most")
    most_cells: int = Field(default=60_000, ge=1, description="cells read at most")


class ResultInputs(Ports):
    name: str = Field(default="", description="the name of the result; the latest without it")


class ResultOutputs(Ports):
    """The first rows of a result, what its columns are; the small tables that its step has made
    beside it, and the warnings."""

    table: Preview
    beside: tuple[Preview, ...] = ()
    dictionary: DataDictionary | None = None
    cautions: tuple[Caution, ...] = ()


class ResultFlow(AtomicFlow):
    """Reads a table that the run has kept. Errors: `CommandError` when there is none."""

    Config: ClassVar[type[FlowConfig]] = ResultConfig
    Inputs: ClassVar[type[Ports]] = ResultInputs
    Outputs: ClassVar[type[Ports]] = ResultOutputs

    async def run(self, inputs: ResultInputs, run: Run) -> ResultOutputs:
        artifacts = run.session.artifacts
        found = _find(artifacts, inputs.name)
        result = await asyncio.to_thread(_read, artifacts, found)
        config: ResultConfig = self.config
        most = max(1, min(config.most_rows, config.most_cells // max(1, len(result.columns))))
        beside = await asyncio.to_thread(lambda: tuple(_beside(artifacts, found)))
        told = await asyncio.to_thread(_dictionary, artifacts, found)
        cautions = await asyncio.to_thread(lambda: tuple(_cautions(artifacts, found)))
        return ResultOutputs(
            table=_preview(result, found.name, most), beside=beside, dictionary=told,
            cautions=cautions,
        )  # fmt: skip


def _preview(result: ResultTable, name: str, most: int) -> Preview:
    return Preview(
        columns=result.columns, types=tuple(result.types), rows=result.rows[:most],
        total_rows=len(result.rows), truncated=result.truncated, sql=result.sql or None,
        artifact=name,
    )  # fmt: skip


def _beside(artifacts: Artifacts, of: Artifact) -> Iterator[Preview]:
    """The small tables that the step which made the result has made too."""
    for each in artifacts.all():
        other = each.step == of.step and each.what == "table" and each.name != of.name
        if other and not _is_warnings(each) and each.bytes <= _SMALL:
            result = _read(artifacts, each)
            if len(result.rows) <= _FEW:
                yield _preview(result, each.name, _FEW)


def _find(artifacts: Artifacts, name: str) -> Artifact:
    tables = {e.name: e for e in artifacts.all() if e.what == "table" and not _is_warnings(e)}
    if name in tables:
        return tables[name]
    if not tables:
        raise CommandError("there is no result yet: a query or code has to make a table first")
    if not name:
        return list(tables.values())[-1]
    meant = nearest(name, tables)
    hint = f"; did you mean {meant!r}?" if meant else ""
    raise CommandError(f"there is no result {name!r}{hint} (results: {', '.join(tables)})")


def _is_warnings(artifact: Artifact) -> bool:
    return artifact.name.rpartition("-")[0] == WARNINGS


def _read(artifacts: Artifacts, artifact: Artifact) -> ResultTable:
    try:
        return ResultTable.model_validate_json(artifacts.read(artifact.name))
    except JournalError as error:
        raise CommandError(f"the result {artifact.name!r} cannot be read: {error}") from error


def _dictionary(artifacts: Artifacts, artifact: Artifact) -> DataDictionary | None:
    """What the columns are, where it is kept beside the table."""
    import yaml

    form = next((each for each in artifact.forms if each.kind == "yaml"), None)
    if form is None:
        return None
    try:
        with open_file(artifacts.folder, form.path) as opened:
            entries = yaml.safe_load(opened.read())
        return DataDictionary.model_validate({"entries": entries or ()})
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise CommandError(f"what {artifact.name!r} means cannot be read: {error}") from error


def _cautions(artifacts: Artifacts, of: Artifact) -> Iterator[Caution]:
    """The warnings that the step which made the result kept in a table beside it."""
    for each in artifacts.all():
        if each.step != of.step or each.what != "table" or not _is_warnings(each):
            continue
        told = _read(artifacts, each)
        if {"code", "says"} <= set(told.columns):
            code, says = told.columns.index("code"), told.columns.index("says")
            yield from (Caution(code=str(row[code]), text=str(row[says])) for row in told.rows)
