"""What was found in documents as tables: all values, one record a document, and their tables."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

from pydantic import Field

from flows.analysis.extraction.fields import FoundField, NamedField
from flows.analysis.extraction.values import typed_value
from flows.core.artifacts import Artifact, Origin
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Ports
from flows.core.observation import Cell, Observation
from flows.core.run import Run
from flows.data.documents.passages import DocumentTable, tables_of
from flows.data.tables import ColumnType, ResultTable
from flows.library.blocks.keep import keep_table
from flows.library.blocks.query import observe
from flows.library.documents.config import DOCUMENT, ReadText, in_document
from flows.library.documents.read import read_document_text

MOST_TABLES: Final = 1_000
_BETWEEN: Final = "; "
_SHOWN: Final = 10
_COLUMNS: Final = (DOCUMENT, "field", "value", "unit", "quote", "place", "section", "passage")
_TYPES: Final[tuple[ColumnType, ...]] = (
    "text", "text", "text", "text", "text", "text", "text", "integer",
)  # fmt: skip
_OF_FIELDS: Final[Mapping[str, ColumnType]] = {
    "number": "real", "integer": "integer", "date": "date", "boolean": "boolean",
}  # fmt: skip


class GatherConfig(AtomicConfig):
    """The keys of gathering."""

    description: str = "Makes tables of what was found."
    fields: tuple[NamedField, ...] = ()


class GatherInputs(Ports):
    documents: tuple[ReadText, ...]
    found: tuple[FoundField, ...]


class DocumentRecord(Ports):
    """What is known of one document. Of a field with several values it has the first, and for a
    list all of them."""

    document: str
    sha256: str
    values: dict[str, Cell]


class GatherOutputs(Ports):
    observation: Observation
    fields: str
    records: str
    tables: tuple[str, ...] = ()
    rows: tuple[DocumentRecord, ...] = ()
    missing: tuple[str, ...] = ()
    conflicting: tuple[str, ...] = ()
    kinds: dict[str, ColumnType] = Field(default={})


class GatherFlow(AtomicFlow):
    """Keeps the values, the records and the tables of the documents as artifacts."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = GatherConfig
    Inputs: ClassVar[type[Ports]] = GatherInputs
    Outputs: ClassVar[type[Ports]] = GatherOutputs

    async def run(self, inputs: GatherInputs, run: Run) -> GatherOutputs:
        inputs = _in_order(inputs)
        fields = self._fields(inputs.found)
        kinds = {each.name: _OF_FIELDS.get(each.type, "text") for each in fields}
        records = [self._record(each, fields, inputs.found) for each in inputs.documents]
        hashes = {each.name: each.sha256 for each in inputs.documents}
        origin = Origin(inputs=hashes)
        all_values = _table(_COLUMNS, _TYPES, [_row(each) for each in inputs.found], hashes)
        columns = (DOCUMENT, *kinds)
        rows = [(r.document, *(r.values.get(name) for name in kinds)) for r in records]
        of_records = _table(columns, ("text", *kinds.values()), rows, hashes)
        kept = await keep_table(run, all_values, "fields", "all values, with passages", origin)
        recorded = await keep_table(run, of_records, "records", "one row a document", origin)
        tables = await self._tables(inputs.documents, run)
        shown = observe(all_values, kept.name).table
        missing = tuple(_missing(records, fields))
        conflicting = tuple(_conflicting(inputs.documents, fields, inputs.found))
        told = _told(inputs, records, tables, missing, conflicting)
        preview = shown.model_copy(update={"sql": None, "elapsed_ms": None}) if shown else None
        return GatherOutputs(
            observation=Observation(
                kind="ok" if inputs.found else "empty", text=told, table=preview
            ),
            fields=kept.name,
            records=recorded.name,
            tables=tuple(each.name for each in tables),
            rows=tuple(records),
            missing=missing,
            conflicting=conflicting,
            kinds=kinds,
        )

    def _fields(self, found: Sequence[FoundField]) -> tuple[NamedField, ...]:
        """The fields that are wanted; without any, those that were found, with the type that all
        of their values have."""
        config: GatherConfig = self.config
        if config.fields:
            return config.fields
        texts: dict[str, list[str]] = {}
        for each in found:
            texts.setdefault(each.name, []).append(each.text)
        return tuple(_guessed(name, said) for name, said in texts.items())

    def _record(
        self, document: ReadText, fields: Sequence[NamedField], found: Sequence[FoundField]
    ) -> DocumentRecord:
        own = in_document(found, document.name)
        values: dict[str, Cell] = {}
        for field in fields:
            texts = [each for each in own if each.name == field.name]
            if not texts:
                continue
            if field.type == "list":
                values[field.name] = _BETWEEN.join(dict.fromkeys(str(each.value) for each in texts))
            else:
                values[field.name] = _value(texts[0], field)
        return DocumentRecord(document=document.name, sha256=document.sha256, values=values)

    async def _tables(self, documents: Sequence[ReadText], run: Run) -> list[Artifact]:
        kept: list[Artifact] = []
        for document in documents:
            text = await asyncio.to_thread(read_document_text, run.read_artifact, document.passages)
            for table in tables_of(text.passages):
                if len(kept) == MOST_TABLES:
                    run.notice(f"Of the tables of documents the first {MOST_TABLES} are kept.")
                    return kept
                stem = f"{Path(document.name).stem}-table-{table.number}"
                title = f"{table.title}, " if table.title else ""
                described = f"table {table.number} of {document.name} ({title}{table.place})"
                origin = Origin(inputs={document.name: document.sha256})
                result = _of_document(table, {document.name: document.sha256})
                kept.append(await keep_table(run, result, stem, described, origin))
        return kept


def _in_order(inputs: GatherInputs) -> GatherInputs:
    """The same with what was found in the order in which the documents say it."""
    place = {each.name: number for number, each in enumerate(inputs.documents)}
    found = sorted(inputs.found, key=lambda each: (place[each.document], each.passage))
    return inputs.model_copy(update={"found": tuple(found)})


def _guessed(name: str, texts: Sequence[str]) -> NamedField:
    """A field that nobody has declared, of the narrowest type that all of its values have."""
    for kind in ("integer", "number", "date"):
        field = NamedField.model_validate({"name": name, "type": kind})
        if all(_is_typed(text, field) for text in texts):
            return field
    return NamedField(name=name)


def _is_typed(text: str, field: NamedField) -> bool:
    try:
        return not typed_value(text, field).unit
    except ValueError:
        return False


def _value(found: FoundField, field: NamedField) -> Cell:
    """The value in the field's type; that of a field that nobody has declared was a text so far."""
    return typed_value(found.text, field).value if isinstance(found.value, str) else found.value


def _row(found: FoundField) -> tuple[Cell, ...]:
    value = found.text if isinstance(found.value, str) else found.value
    shown = found.value if isinstance(found.value, str) else _plain(value)
    return (
        found.document, found.name, shown, found.unit or None, found.quote, found.place,
        found.section or None, found.passage,
    )  # fmt: skip


def _plain(value: Cell) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value)


def _of_document(table: DocumentTable, hashes: dict[str, str]) -> ResultTable:
    """A table of a document. A column of numbers alone is numbers."""
    columns = list(zip(*table.rows, strict=True)) if table.rows else []
    fields = [_guessed_column(each) for each in columns]
    types: list[ColumnType] = [_OF_FIELDS.get(each.type, "text") for each in fields]
    rows = [
        tuple(
            typed_value(cell, field).value if cell else None
            for cell, field in zip(row, fields, strict=True)
        )
        for row in table.rows
    ]
    return _table(table.head, types or ["text"] * len(table.head), rows, hashes)


def _guessed_column(cells: Sequence[str]) -> NamedField:
    return _guessed("column", [each for each in cells if each] or ["-"])


def _table(
    columns: Sequence[str],
    types: Sequence[ColumnType],
    rows: Sequence[tuple[Cell, ...]],
    hashes: dict[str, str],
) -> ResultTable:
    return ResultTable(
        columns=tuple(columns),
        types=tuple(types),
        rows=tuple(rows),
        truncated=False,
        sql="",
        sources=hashes,
        elapsed_ms=0.0,
    )


def _missing(records: Sequence[DocumentRecord], fields: Sequence[NamedField]) -> Iterator[str]:
    for record in records:
        for field in fields:
            if field.required and field.name not in record.values:
                yield f"{record.document}: {field.name}"


def _conflicting(
    documents: Sequence[ReadText], fields: Sequence[NamedField], found: Sequence[FoundField]
) -> Iterator[str]:
    """The fields of one value for which a document gives several, with their places."""
    for document in documents:
        for field in fields:
            if field.type == "list":
                continue
            own = [each for each in in_document(found, document.name) if each.name == field.name]
            different = {str(each.value).casefold(): each for each in reversed(own)}
            if len(different) > 1:
                ways = [f"{each.text} ({each.place})" for each in own
                        if different[str(each.value).casefold()] is each]  # fmt: skip
                yield f"{document.name}: {field.name} is {' or '.join(ways)}"


def _told(
    inputs: GatherInputs,
    records: Sequence[DocumentRecord],
    tables: Sequence[Artifact],
    missing: Sequence[str],
    conflicting: Sequence[str],
) -> str:
    lines = [
        f"{text.name}: {_count(text.sections, 'section')}, {_count(text.tables, 'table')}, "
        f"{_count(len(record.values), 'field')} found"
        for text, record in zip(inputs.documents, records, strict=True)
    ]
    lines += [f"Missing: {each}" for each in missing]
    lines += [f"Several values: {each}" for each in conflicting]
    if tables:
        more = f" and {len(tables) - _SHOWN:,} more" if len(tables) > _SHOWN else ""
        lines.append(f"Tables: {', '.join(each.name for each in tables[:_SHOWN])}{more}")
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
