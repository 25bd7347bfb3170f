"""A columnar store as a function that an agent finds by its description and calls."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any, Final, Protocol

from flows.core.function_description import FunctionDescription
from flows.core.observation import Observation
from flows.data.tables import Column, Table
from flows.errors import StoreError
from flows.memory.columns.answer import StoreAnswer
from flows.memory.columns.schema import StoreColumn, StoreSchema
from flows.memory.columns.search import StoreReader

FUNCTION_CLASS: Final = "ColumnarQuantitativeSearch"
_VALUES_TOLD: Final = 30
_LONGEST_VALUE: Final = 60
_COLUMNS_TOLD: Final = 60
_ROWS: Final = 200


class AnsweringStore(Protocol):
    """What the function needs of a store: `flows.memory.columns.store.ColumnarStore` has it."""

    @property
    def schema(self) -> StoreSchema: ...

    def __len__(self) -> int: ...

    def reader(self) -> StoreReader | None: ...

    def run_search(self, question: str = "", *, sql: str = "", limit: int = ...) -> StoreAnswer: ...

    def close(self) -> None: ...


class ColumnarFunction:
    """Answers a question about the records of a store. It is a `Function`; its description says
    which columns there are, what they mean, and which values categories have."""

    def __init__(self, store: AnsweringStore, description: FunctionDescription) -> None:
        self._store = store
        self.description = description

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        """The answer: `error` where the question is not understood. Errors: as of the store."""
        question, sql = str(arguments.get("question") or ""), str(arguments.get("sql") or "")
        if not question.strip() and not sql.strip():
            raise StoreError(f"{self._store.schema.id} needs a question")
        limit = int(arguments.get("limit") or _ROWS)
        answer = await asyncio.to_thread(self._store.run_search, question, sql=sql, limit=limit)
        return answer.observation()

    async def aclose(self) -> None:
        await asyncio.to_thread(self._store.close)


def describe_store(
    store: AnsweringStore, name: str = "", namespace: str = ""
) -> FunctionDescription:
    """What the function of a store says of itself. Errors: `StoreError`, `SourceError`."""
    schema = store.schema
    reader = store.reader()
    tables = () if reader is None else reader.meaning()[0]
    return FunctionDescription(
        name=name or f"search_{schema.name}",
        namespace=namespace or schema.namespace,
        description=_text(schema, tables[0] if tables else None),
        parameters=_parameters(schema),
        returns="JSON: `answer` in a sentence, `rows` that it rests on, `confidence` from 0 to 1",
        function_class=FUNCTION_CLASS,
        source=f"columns:{schema.id}",
        effect="pure",
    )


def _parameters(schema: StoreSchema) -> dict[str, Any]:
    question = (
        "one whole question in words, with the names of columns and values where they are known"
    )
    sql = (
        f"instead of a question that is not understood: one SELECT of DuckDB over the table "
        f"{schema.name}"
    )
    return {
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": question},
            "sql": {"type": "string", "description": sql},
            "limit": {
                "type": "integer", "minimum": 1, "maximum": 10_000, "default": _ROWS,
                "description": "rows of the result at most",
            },
        },
        "required": ["question"],
        "additionalProperties": False,
    }  # fmt: skip


def _text(schema: StoreSchema, table: Table | None) -> str:
    """What is stored, what can be asked, and the columns with their values."""
    name = re.sub(r"_+", " ", schema.name)
    what = schema.description or f"Records of {name}."
    if not what.endswith((".", "!", "?")):
        what += "."
    known = {} if table is None else {each.name: each for each in table.columns}
    held = f"{table.rows:,} records" if table is not None else "no records yet"
    lines = [
        f"{what} Answers questions about {name} with statistics and facts: how many (counts), "
        f"totals and sums, averages, the highest and lowest, most and least, shares, rankings, "
        f"lists, changes over time by day, month and year ({held}). Columns:"
    ]
    told = schema.columns[:_COLUMNS_TOLD]
    lines += [f"- {_column_text(each, known.get(each.name))}" for each in told]
    if len(schema.columns) > len(told):
        lines.append("- and " + ", ".join(each.name for each in schema.columns[len(told) :]))
    return "\n".join(lines)


def _column_text(column: StoreColumn, found: Column | None) -> str:
    unit = column.unit or (found.unit if found is not None else "")
    text = f"{column.name} ({column.kind}{f', {unit}' if unit else ''})"
    if column.description:
        text += f": {column.description}"
    if column.words:
        text += f"; also called {', '.join(column.words)}"
    return text + _values_text(column, found)


def _values_text(column: StoreColumn, found: Column | None) -> str:
    """The values of a category, or the ends of numbers and times."""
    values = list(column.values)
    if found is not None and found.role in ("category", "boolean") and found.type == "text":
        values = list(dict.fromkeys((*values, *found.values)))
    if values:
        more = len(values) > _VALUES_TOLD or (found is not None and not found.values_complete)
        shown = [each[:_LONGEST_VALUE] for each in values[:_VALUES_TOLD]]
        return f"; values: {', '.join(shown)}{', …' if more and found is not None else ''}"
    if found is None or found.minimum is None or found.type in ("text", "boolean"):
        return ""
    return f"; from {found.minimum} to {found.maximum}"
