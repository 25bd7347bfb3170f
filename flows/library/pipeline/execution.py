"""Running the code of a step in the sandbox: tables in by their variables, tables out."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

from pydantic import Field

from flows.core.artifacts import Artifact, Origin
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.function_tool import FunctionTool
from flows.core.observation import Caution, Preview
from flows.core.run import Run
from flows.core.sandbox import WARNINGS, CodeFault, MadeTable, Sandbox
from flows.data.catalog import Catalog
from flows.data.results.parquet import read_parquet
from flows.errors import CodeFailed, JournalError
from flows.library.blocks.frames import Frames
from flows.library.blocks.keep import keep_code, keep_figure
from flows.library.blocks.outcome import fault_of
from flows.library.pipeline.program import of_code, program_of
from flows.library.pipeline.state import TableRef
from flows.sandbox.syntax import UnreadableCode, compiled
from flows.sandbox.validate import validate
from flows.tools.functions.shipped import SHIPPED, shipped_checks, shipped_tools

# Of a table that a step makes, what is kept as JSON, for citations; its Parquet holds all.
_ROWS_KEPT: Final = 1_000
_CELLS_KEPT: Final = 200_000
_ROWS_SHOWN: Final = 40
_PRINTED: Final = 4_000


class StepCodeInputs(Ports):
    """The code, the tools that it may call, and the tables that it may name."""

    code: str
    tools: tuple[FunctionTool, ...] = ()
    tables: dict[str, TableRef] = Field(default={})
    seconds: float | None = None
    purpose: str = ""


class StepCodeOutputs(Ports):
    """What the code made: `tables` and their first rows, by their variables; the titles of its
    figures by their artifacts. `fault` is what ended it early; `program` is what ran, for `seconds`
    of wall time."""

    fault: CodeFault | None = None
    program: str = ""
    printed: str = ""
    tables: dict[str, TableRef] = Field(default={})
    shown: dict[str, Preview] = Field(default={})
    figures: dict[str, str] = Field(default={})
    cautions: tuple[Caution, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


class StepCodeFlow(AtomicFlow):
    """Runs the code of one step, by itself: what it needs comes in as tables, and each data frame
    that it makes or changes at its top level goes out as one."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data", "sandbox": "sandbox"}
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = StepCodeInputs
    Outputs: ClassVar[type[Ports]] = StepCodeOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Runs the code of a step."), parts)
        self.catalog = parts.service("data", Catalog)
        self.sandbox: Sandbox = parts.service("sandbox", Sandbox)  # type: ignore[type-abstract]

    async def run(self, inputs: StepCodeInputs, run: Run) -> StepCodeOutputs:
        used = named_tables(inputs.code, inputs.tables)
        code = with_copies(inputs.code, used)
        program = program_of(code, with_sources(inputs.tools))
        fault = validate(inputs.code) or validate(program)
        if fault is not None:
            return StepCodeOutputs(fault=fault, program=program)
        paths = await table_paths(used, self.catalog, run)
        execution = await run.execute(self.sandbox, program, tables=paths, seconds=inputs.seconds)
        fault = fault_of(execution)
        fault = fault and of_code(fault, inputs.code, program)
        origin = Origin(code=inputs.code, artifacts=_digests(used, run))
        tables, shown, notes = {}, {}, list(execution.notes)
        named = compiled(inputs.code, "<step>").names
        for made in execution.tables if fault is None else ():
            if made.name == WARNINGS or made.name.startswith("_"):
                continue
            artifact = await _keep_table(run, made, origin)
            if made.name in named:  # the last expression of the code is a table without a name
                tables[made.name] = TableRef(artifact=artifact.name)
            shown[made.name] = _preview(made, artifact)
        figures = {}
        for figure in execution.figures if fault is None else ():
            try:
                kept = await keep_figure(run, figure, origin)
            except CodeFailed as error:
                notes.append(str(error))
            else:
                figures[kept.name] = figure.title or figure.name
        await keep_code(run, program, "step", "py", origin)
        return StepCodeOutputs(
            fault=fault,
            program=program,
            printed=execution.stdout.strip()[:_PRINTED],
            tables=tables,
            shown=shown,
            figures=figures,
            cautions=execution.cautions,
            notes=tuple(notes),
            seconds=round(execution.seconds, 3),
        )


def with_sources(tools: Sequence[FunctionTool]) -> tuple[FunctionTool, ...]:
    """The tools with their sources; those that ship travel without."""
    shipped = {each.name: each for each in (*shipped_tools(), *shipped_checks())}
    return tuple(each if each.source else shipped[each.name] for each in tools)


def without_sources(tools: Sequence[FunctionTool]) -> tuple[FunctionTool, ...]:
    """The tools as they travel: what ships can be found again by its name."""
    return tuple(
        each.model_copy(update={"source": ""}) if each.origin == SHIPPED else each for each in tools
    )


def with_copies(code: str, tables: Collection[str]) -> str:
    """The code after copies of the tables that it looks into: what it changes in them in place
    is seen then, as a table that is only handed to tools needs not be."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return code
    looked_into = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.value, ast.Name)
    }
    copies = [f"{name} = {name}.copy()\n" for name in tables if name in looked_into]
    return "".join(copies) + code


def named_tables(code: str, tables: Mapping[str, TableRef]) -> dict[str, TableRef]:
    """The tables that the code names."""
    try:
        names = compiled(code, "<step>").names
    except UnreadableCode:
        return {}
    return {name: ref for name, ref in tables.items() if name in names}


async def table_paths(
    tables: Mapping[str, TableRef], catalog: Catalog, run: Run
) -> dict[str, Path]:
    """The Parquet files of these tables. Errors: `SourceError`; `JournalError` for one that is gone
    or was changed."""
    frames = Frames.of(catalog, run)
    found = {}
    for name, ref in tables.items():
        if ref.artifact:
            found[name] = artifact_path(ref.artifact, run)
        else:
            known = await frames.tables()
            frame = next(each for each, table in known.items() if table.name == ref.table)
            found[name] = (await frames.files([frame]))[frame]
    return found


def artifact_path(name: str, run: Run) -> Path:
    """The Parquet file of a table that the run has kept. Errors: `JournalError`."""
    artifact = run.session.artifacts.find(name)
    form = next((each for each in artifact.files if each.kind == "parquet"), None)
    if form is None or form.state(run.session.folder) != "whole":
        raise JournalError(f"the table {name!r} is gone or was changed after it was written")
    return run.session.folder / form.path


async def _keep_table(run: Run, made: MadeTable, origin: Origin) -> Artifact:
    """Keep a table: all of it as Parquet, its first rows as JSON, which citations read."""
    limits = {"most_rows": _ROWS_KEPT, "most_cells": _CELLS_KEPT}
    result, total = await asyncio.to_thread(read_parquet, made.parquet, **limits)
    body = result.model_dump_json().encode()
    described = f"{made.name}: {total:,} rows, {len(result.columns)} columns"
    return run.save(made.name, "json", body, described, origin, what="table",
                    forms={"parquet": made.parquet})  # fmt: skip


def _preview(made: MadeTable, artifact: Artifact) -> Preview:
    rows = made.rows[:_ROWS_SHOWN]
    return Preview(
        columns=made.columns,
        types=made.types,
        rows=rows,
        total_rows=made.total_rows,
        truncated=len(rows) < made.total_rows,
        artifact=artifact.name,
    )


def _digests(tables: Mapping[str, TableRef], run: Run) -> dict[str, str]:
    artifacts = run.session.artifacts
    names = [ref.artifact for ref in tables.values() if ref.artifact]
    return {name: artifacts.find(name).sha256 for name in names}
