"""What running code came to: what is kept of it, and the observation of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.core.artifacts import Artifact, Origin
from flows.core.observation import Observation, Preview
from flows.core.run import Run
from flows.core.sandbox import WARNINGS, CodeFault, Execution, MadeFile, MadeTable
from flows.data.meaning.code_lineage import of_made
from flows.data.tables import Table
from flows.errors import CodeFailed
from flows.library.blocks.keep import (
    keep_code,
    keep_figure,
    keep_file,
    keep_made_table,
    keep_model,
)
from flows.library.blocks.query import PREVIEW_ROWS

SHOWN = 6_000
MAIN = "result"


@dataclass(frozen=True, slots=True)
class KeptArtifacts:
    """The artifacts of an execution, and what could not be kept."""

    tables: tuple[tuple[MadeTable, Artifact], ...]
    figures: tuple[Artifact, ...]
    others: tuple[Artifact, ...]
    notes: tuple[str, ...]
    models: tuple[tuple[MadeFile, Artifact], ...] = ()

    def names(self) -> dict[str, str]:
        """The artifacts of tables and models by the variables that they were."""
        tables = {made.name: each.name for made, each in self.tables}
        return tables | {made.name: each.name for made, each in self.models}


async def keep_all(
    run: Run, execution: Execution, code: str, origin: Origin, read: Sequence[Table] = ()
) -> KeptArtifacts:
    """Keep the code and all that it made, each with its origin; `read` are the tables it had."""
    await keep_code(run, code, "code", "py", origin)
    notes: list[str] = []
    tables, figures, others, models = [], [], [], []
    # The last table that is kept is the run's last result, and not what the code warns of.
    for table in sorted(execution.tables, key=lambda each: each.name != WARNINGS):
        try:
            told = of_made(table.columns, table.types, code, read)
            tables.append((table, await keep_made_table(run, table, origin, told)))
        except CodeFailed as error:
            notes.append(str(error))
    for figure in execution.figures:
        try:
            figures.append(await keep_figure(run, figure, origin))
        except CodeFailed as error:
            notes.append(str(error))
    for model in execution.models:
        try:
            models.append((model, await keep_model(run, model, origin)))
        except CodeFailed as error:
            notes.append(str(error))
    others = [each for _, each in models]
    others += [await keep_file(run, each, origin) for each in execution.files]
    return KeptArtifacts(tuple(tables), tuple(figures), tuple(others), tuple(notes), tuple(models))


def observe_execution(
    execution: Execution, kept: KeptArtifacts, gives: Sequence[str] = ()
) -> Observation:
    """What the code printed, made and left, in words, with one of its tables. `gives` are the
    outputs of the step that it is."""
    said = []
    if execution.fault is not None:
        said.append(f"The code failed: {fault_text(execution.fault)}")
    if text := execution.stdout.strip():
        said.append(_cut(text))
    if execution.result:
        said.append(f"The last value: {_cut(execution.result)}")
    said += _made(kept)
    said += [f"Warning: {each.text}" for each in execution.cautions]
    said += [f"Note: {each}" for each in (*execution.notes, *kept.notes)]
    shown = _main(kept.tables)
    if gives and execution.fault is None:
        said.append(f"The code gave {', '.join(gives)}.")
    if not said:
        said.append("The code ran. It printed nothing and made no table and no figure.")
    return Observation(
        kind="ok" if execution.fault is None else "error",
        text="\n".join(said),
        table=_preview(*shown) if shown else None,
        figures=tuple(each.name for each in kept.figures),
        cautions=execution.cautions,
        kept=kept.names(),
    )


def fault_text(fault: CodeFault) -> str:
    """A fault in one sentence, with its place."""
    column = f", column {fault.column}" if fault.column is not None else ""
    where = f" (line {fault.line}{column})" if fault.line is not None else ""
    return f"{fault.type}: {fault.message}{where}"


def fault_of(execution: Execution) -> CodeFault | None:
    """What ended the code: its own error, or the limit that it reached."""
    if execution.fault is not None or execution.status == "ok":
        return execution.fault
    kinds = {"timeout": "TimeoutError", "memory": "MemoryError"}
    message = "; ".join(execution.notes) or f"it ended with {execution.status!r}"
    return CodeFault(type=kinds.get(execution.status, "SystemExit"), message=message)


def _made(kept: KeptArtifacts) -> list[str]:
    said = [f"Table {made.name} ({_size(made)}): {artifact.name}" for made, artifact in kept.tables]
    said += [f"Figure {each.description!r}: {each.name}" for each in kept.figures]
    return [*said, *(f"{each.what.capitalize()} kept: {each.name}" for each in kept.others)]


def _size(made: MadeTable) -> str:
    rows, columns = made.total_rows, len(made.columns)
    return f"{rows:,} row{'s' * (rows != 1)}, {columns} column{'s' * (columns != 1)}"


def _main(tables: Sequence[tuple[MadeTable, Artifact]]) -> tuple[MadeTable, Artifact] | None:
    """The table called `result`, else the last one that holds no warnings."""
    others = [each for each in tables if each[0].name != WARNINGS]
    named = [each for each in others if each[0].name == MAIN]
    return next(iter([*named, *reversed(others)]), None)


def _preview(made: MadeTable, artifact: Artifact) -> Preview:
    return Preview(
        columns=made.columns,
        types=made.types,
        rows=made.rows[:PREVIEW_ROWS],
        total_rows=made.total_rows,
        truncated=False,
        artifact=artifact.name,
    )


def _cut(text: str) -> str:
    if len(text) <= SHOWN:
        return text
    return (
        f"{text[: SHOWN - 200]}\n[... {len(text) - SHOWN:,} characters left out ...]{text[-200:]}"
    )
