"""A semantic model in few words, for the prompt of a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from flows.data.description import LANGUAGES, several_databases
from flows.data.tables import Column, Table
from flows.semantics.formats.sql_text import Unsayable, as_sql
from flows.semantics.model import (
    Conversion,
    Cumulative,
    Dataset,
    Metric,
    Relationship,
    SemanticField,
    SemanticModel,
)
from flows.semantics.query import Expression

LIMIT: Final = 12_000
_LONGEST: Final = 30
_SYNONYMS: Final = 4


class _Depth(NamedTuple):
    """How much is said: so many values of a field, its range, its words, its role and type."""

    values: int
    ranges: bool
    words: bool
    roles: bool


_DEPTHS: Final = (
    _Depth(6, ranges=True, words=True, roles=True),
    _Depth(2, ranges=True, words=True, roles=True),
    _Depth(0, ranges=True, words=False, roles=True),
    _Depth(0, ranges=False, words=False, roles=True),
    _Depth(0, ranges=False, words=False, roles=False),
)


def summarize(model: SemanticModel, tables: Sequence[Table] = (), limit: int = LIMIT) -> str:
    """Datasets with their fields, relationships and metrics, in about `limit` characters at most.

    Of much, values are left out first, then ranges and other words for things, then roles; of what
    does not fit even then, it says how much more there is. `tables` say how many rows there are,
    which SQL they are read with and what ranges numbers and times have.
    """
    physical = {(each.source, each.name): each for each in tables}
    parts: list[str] = []
    for depth in _DEPTHS:
        parts = list(_parts(model, physical, depth))
        if sum(len(part) + 2 for part in parts) <= limit:
            return "\n\n".join(parts)
    return _cut(parts, limit)


def _cut(parts: Sequence[str], limit: int) -> str:
    """As much of each part as fits, the first ones at least in a line."""
    share = max(2 * _LONGEST, limit // len(parts))
    shown = parts[: max(1, limit // (share + 2))]
    lines = [each if len(each) <= share else f"{each[: share - 4]} ..." for each in shown]
    left = len(parts) - len(shown)
    return "\n\n".join([*lines, *([f"and {left} more that are not shown"] if left else [])])


def _parts(
    model: SemanticModel, tables: dict[tuple[str, str], Table], depth: _Depth
) -> Iterator[str]:
    for dataset in model.datasets:
        yield _dataset(dataset, tables.get((dataset.source, dataset.table)), depth)
    if model.relationships:
        yield "\n".join(["relationships:", *map(_relationship, model.relationships)])
    if model.metrics:
        yield "\n".join(["metrics:", *(_metric(each, depth) for each in model.metrics)])
    yield from several_databases(tuple(tables.values()))


def _dataset(dataset: Dataset, table: Table | None, depth: _Depth) -> str:
    about = [] if _plain(dataset.noun) == _plain(dataset.name) else [f"a row is: {dataset.noun}"]
    if table is not None:
        about += [f"{table.rows} rows", LANGUAGES[table.dialect]]
    if dataset.table != dataset.name:
        about.append(f'table "{dataset.table}"')
    if dataset.key:
        about.append(f"key {', '.join(dataset.key)}")
    if dataset.time:
        about.append(f"time {dataset.time}")
    head = f"dataset {dataset.name} ({'; '.join(about)}){_also(dataset.name, dataset.words, depth)}"
    columns = {} if table is None else {each.name: each for each in table.columns}
    lines = [head, *([f"  {dataset.description}"] if dataset.description else [])]
    if not depth.roles:
        return f"{head}: {', '.join(each.name for each in dataset.fields)}"
    return "\n".join([*lines, *(_field(each, columns, depth) for each in dataset.fields)])


def _field(field: SemanticField, columns: dict[str, Column], depth: _Depth) -> str:
    about = [field.role if field.role == field.type else f"{field.role} {field.type}"]
    column = columns.get(field.column or field.name)
    if field.unit:
        about.append(f"in {field.unit}")
    if field.expression is None and field.column not in ("", field.name):
        about.append(f'column "{field.column}"')
    if field.expression is not None:
        about.append(f"is {_expression(field.expression)}, and no column")
    if field.cleaning:
        kind = "" if column is None or column.type == field.type else f"{column.type} "
        about.append(f"{kind}cleaned")
    ranged = field.role in ("measure", "time") and column is not None and not field.cleaning
    if depth.ranges and ranged and column is not None and column.minimum is not None:
        about.append(f"{column.minimum} to {column.maximum}")
    if depth.values and field.type in ("text", "boolean"):
        about += _values(field, column, depth.values)
    said = f": {field.description}" if field.description and depth.words else ""
    return f"  {field.name}: {', '.join(about)}{_also(field.name, field.words, depth)}{said}"


def _values(field: SemanticField, column: Column | None, most: int) -> list[str]:
    known = field.values or (() if column is None else column.values)
    if not known:
        return []
    few = bool(field.values) and len(known) <= 2 * most
    most = most if field.role != "text" else most // 2
    shown = ", ".join(repr(each[:_LONGEST]) for each in (known if few else known[:most]))
    return [f"values {shown}" if few else f"values such as {shown}"]


def _relationship(each: Relationship) -> str:
    fields, others = ", ".join(each.fields), ", ".join(each.to_fields)
    many = "one" if each.single else "many"
    role = f", its {each.role}" if each.role else ""
    return f"  {each.name}: {many} {each.dataset}({fields}) -> one {each.to}({others}){role}"


def _metric(metric: Metric, depth: _Depth) -> str:
    made = metric.definition
    if isinstance(made, Cumulative):
        text = f"{made.metric} summed up over time"
    elif isinstance(made, Conversion):
        text = f"percentage of {made.base} with {made.converted}"
    else:
        text = _expression(made, metric.dataset)
    unit = f", in {metric.unit}" if metric.unit else ""
    said = f": {metric.description}" if metric.description and depth.words else ""
    also = _also(metric.name, metric.words, depth)
    return f"  {metric.name} of {metric.dataset} = {text}{unit}{also}{said}"


def _expression(expression: Expression, own: str = "") -> str:
    """It as SQL; that it is computed where SQL has no short words for it."""
    try:
        return as_sql(expression, own)
    except Unsayable:
        return "computed"


def _also(name: str, words: Sequence[str], depth: _Depth) -> str:
    """What else it is called, but for its name in other letters."""
    others = [each for each in words if _plain(each) != _plain(name)] if depth.words else []
    return f"; also called {', '.join(others[:_SYNONYMS])}" if others else ""


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
