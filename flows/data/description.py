"""Tables in words, for the prompt of a language model."""

from __future__ import annotations

from collections.abc import Sequence

from flows.data.tables import Column, Dialect, Table

_SHORTEST = 80
LANGUAGES: dict[Dialect, str] = {
    "duckdb": "DuckDB SQL",
    "sqlite": "SQLite SQL",
    "postgres": "PostgreSQL SQL",
    "mysql": "MySQL SQL",
}
_SEVERAL = (
    "A query over tables of one source is written in the SQL of its tables. A query over tables of "
    "several sources is written in DuckDB SQL, whatever stands beside the tables."
)


def describe_text(tables: Sequence[Table], limit: int = 8000) -> str:
    """The tables in words for a language model: columns, types, roles, ranges, a few values.

    The text has at most about `limit` characters: with many tables, values are left out first,
    then ranges, then types; of what does not fit even then, it says that there is more.
    """
    for examples, ranges in ((6, True), (2, True), (0, True), (0, False)):
        parts = [_describe_table(table, examples, ranges) for table in tables]
        if sum(len(part) + 2 for part in parts) <= limit:
            return "\n\n".join([*parts, *several_databases(tables)])
    share = max(_SHORTEST, limit // len(tables))
    shown = min(len(tables), limit // share)
    lines = [_cut(_name_columns(table), share) for table in tables[:shown]]
    if shown < len(tables):
        lines.append(f"and {len(tables) - shown} more tables that are not shown")
    return "\n".join(lines)


def several_databases(tables: Sequence[Table]) -> list[str]:
    """Which SQL a query is written in, where that is a question."""
    databases = {"" if each.dialect == "duckdb" else each.source for each in tables}
    return [_SEVERAL] if len(databases) > 1 else []


def _name_columns(table: Table) -> str:
    return f"table {table.name}: {', '.join(column.name for column in table.columns)}"


def _cut(text: str, length: int) -> str:
    return text if len(text) < length else text[: length - 4] + "..."


def _describe_table(table: Table, examples: int, ranges: bool) -> str:
    lines = [f"table {table.name} ({table.rows} rows, {LANGUAGES[table.dialect]})"]
    if table.description:
        lines.append(f"  {table.description}")
    lines += [_describe_column(column, table, examples, ranges) for column in table.columns]
    lines += [
        f"  {', '.join(key.columns)} -> {key.table}({', '.join(key.to_columns)})"
        for key in table.foreign_keys
    ]
    lines += [
        f"  {', '.join(join.columns)} -> {join.table}({', '.join(join.to_columns)})"
        for join in table.joins
        if not join.declared
    ]
    return "\n".join(lines)


def _describe_column(column: Column, table: Table, examples: int, ranges: bool) -> str:
    text = f"  {column.name}: {column.type}, {column.role}"
    if column.name in table.primary_key:
        text += ", primary key"
    if column.description:
        text += f", {column.description}"
    if column.unit:
        text += f", in {column.unit}"
    if ranges:
        if column.role in ("measure", "time") and column.minimum is not None:
            text += f", {column.minimum} to {column.maximum}"
        if column.missing:
            text += f", {column.missing} missing"
    if examples and column.type in ("text", "boolean") and column.values:
        few = column.values_complete and column.distinct <= 2 * examples
        shown = column.values if few else column.values[:examples]
        values = ", ".join(repr(value[:40]) for value in shown)
        text += f", values {values}" if few else f", {column.distinct} values such as {values}"
    return text
