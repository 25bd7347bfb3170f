"""What may be wrong with the tables of a task, as far as their profiles tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.prediction.reading.columns import column_of, names_of
from flows.analysis.prediction.reading.kinds import are_number_texts
from flows.analysis.prediction.reading.rows import is_date_text
from flows.analysis.prediction.task import Kind
from flows.data.tables import Column, Table

_HUGE_CELL: Final = 10_000
_SHOWN: Final = 5
_UNNAMED: Final = re.compile(r"(?:column|col|field|f|v|unnamed:?\s*|_?c)?[\s_]*\d+", re.IGNORECASE)
_VALUE_NAME: Final = re.compile(r"-?\d+(?:[.,]\d+)?|\d{4}-\d{2}-\d{2}.*")
_BROKEN_TEXT: Final = ("\ufffd", "Ã¤", "Ã¶", "Ã¼", "ÃŸ", "Ã©", "â€")
# Notes of how a file was read that leave no doubt.
_SETTLED: Final = re.compile(r"was read as [\w-]+$|a comma stands before the decimals$")
_NUMBERS: Final = ("integer", "real")
_FEW_ROWS: Final = 20
_RARE: Final = 2


def table_doubts(
    train: Table,
    test: Table | None,
    targets: Sequence[str],
    identifier: str | None,
    kind: Kind,
) -> tuple[str, ...]:
    """What to be careful with, a sentence each, with the table and column that it is about."""
    found = [
        *_target_doubts(train, targets, kind),
        *_identifier_doubts(train, test, identifier),
        *_column_doubts("train", train, targets),
    ]
    if test is not None:
        found += _column_doubts("test", test, targets)
        found += _differences(train, test, targets, identifier)
        found += _copied(train, test, targets)
    return tuple(dict.fromkeys(found))


def _target_doubts(train: Table, targets: Sequence[str], kind: Kind) -> Iterator[str]:
    for name in targets:
        target = column_of(train, name)
        if target is None:
            continue
        filled = target.rows - target.missing
        if target.distinct == 1:
            value = target.values[0] if target.values else target.minimum
            yield f"the target {name!r} has only one value ({value!r}): nothing can be learned"
        if target.missing:
            yield (
                f"the target {name!r} is missing in {target.missing:,} rows of train, which "
                "cannot be learned from"
            )
        if target.type == "text" and are_number_texts(target):
            first = next((each for each in target.values if each.strip()), "")
            yield f"the target {name!r} holds numbers written as text, such as {first!r}"
        elif target.type == "text" and filled > _FEW_ROWS and target.distinct > 0.9 * filled:
            yield f"the target {name!r} has another text in nearly each row"
        if kind != "regression" and target.values_complete:
            rare = [each.value for each in target.top if each.count < _RARE]
            if rare and target.distinct <= len(target.top):
                yield f"the target {name!r} has classes of a single row: {_list(rare)}"
            yield from _spelt_alike(target)
        if kind == "regression" and target.type == "text" and not are_number_texts(target):
            yield f"the target {name!r} is text, and the task asks for numbers"
    if train.rows < _FEW_ROWS:
        yield f"train has only {train.rows} rows"


def _spelt_alike(target: Column) -> Iterator[str]:
    """Classes that differ in case and blanks alone."""
    seen: dict[str, str] = {}
    for each in target.values[:200]:
        plain = " ".join(each.casefold().split())
        if plain in seen:
            yield f"the target {target.name!r} has the classes {seen[plain]!r} and {each!r}"
        seen.setdefault(plain, each)


def _identifier_doubts(train: Table, test: Table | None, identifier: str | None) -> Iterator[str]:
    if identifier is None:
        return
    for label, table in (("train", train), ("test", test)):
        found = column_of(table, identifier)
        if found is None:
            if table is not None:
                yield f"{label} has no column {identifier!r}, which identifies the other's rows"
            continue
        repeated = found.rows - found.missing - found.distinct
        if repeated > 0:
            yield f"{label} has {repeated:,} rows whose {identifier!r} another row has, too"
        if found.missing:
            yield f"{label} has {found.missing:,} rows without {identifier!r}"


def _column_doubts(label: str, table: Table, targets: Sequence[str]) -> Iterator[str]:
    empty = [
        each.name for each in table.columns
        if each.missing == each.rows and each.name not in targets
    ]  # fmt: skip
    if empty:
        yield f"{label} has columns without any value: {_list(empty)}"
    names = names_of(table)
    unnamed = len(names) > 1 and all(_UNNAMED.fullmatch(each) for each in names)
    if unnamed or sum(bool(_VALUE_NAME.fullmatch(each)) for each in names) > len(names) / 2:
        yield f"{label} seems to have no line of names: its columns are called {_list(names)}"
    for each in table.columns:
        if each.lengths is not None and each.lengths.longest > _HUGE_CELL:
            yield f"{label}: {each.name!r} has cells of up to {each.lengths.longest:,} characters"
        if is_date_text(each):
            yield f"{label}: {each.name!r} holds dates written as text, such as {each.values[0]!r}"
        elif each.name not in targets and each.role != "id" and are_number_texts(each):
            yield f"{label}: {each.name!r} holds numbers written as text, as {each.values[0]!r}"
        shown = (each.name, *each.values[:50])
        if any(mark in text for text in shown for mark in _BROKEN_TEXT):
            yield f"{label}: {each.name!r} holds signs of a wrong encoding"
    yield from (f"{label}: {note}" for note in table.notes if not _SETTLED.search(note))


def _differences(
    train: Table, test: Table, targets: Sequence[str], identifier: str | None
) -> Iterator[str]:
    """What train and test do not have alike."""
    own = [each for each in train.columns if each.name not in targets]
    lost = [each.name for each in own if column_of(test, each.name) is None]
    added = [name for name in names_of(test) if column_of(train, name) is None]
    if lost:
        yield f"test lacks the columns {_list(lost)} of train: they cannot be learned of"
    if added:
        yield f"test has columns beside those of train: {_list(added)}"
    for each in own:
        other = column_of(test, each.name)
        if other is None:
            continue
        if other.name != each.name:
            yield f"train calls a column {each.name!r} and test {other.name!r}"
        if _other_type(each, other):
            yield f"{each.name!r} is {each.type} in train and {other.type} in test"
        elif each.name != identifier and (new := _new_values(each, other)):
            yield f"test has {len(new):,} values of {each.name!r} that train has not: {_list(new)}"
        elif other.missing == other.rows > 0 and each.missing < each.rows:
            yield f"{each.name!r} is filled in train and empty in test"
    if not set(names_of(train)) & set(names_of(test)):
        yield "train and test have no column in common"


def _other_type(one: Column, other: Column) -> bool:
    if one.missing == one.rows or other.missing == other.rows:
        return False
    return one.type != other.type and not {one.type, other.type} <= set(_NUMBERS)


def _new_values(one: Column, other: Column) -> list[str]:
    """The categories of test that train does not have."""
    if one.type != "text" or one.role not in ("category", "boolean"):
        return []
    if not (one.values_complete and other.values_complete):
        return []
    return sorted(set(other.values) - set(one.values))


def _copied(train: Table, test: Table, targets: Sequence[str]) -> Iterator[str]:
    """Whether test seems to be the rows of train again."""
    shared = [each for each in names_of(train) if each not in targets and each in names_of(test)]
    if len(shared) < 2 or not train.sample or train.rows != test.rows:
        return
    pairs = [(column_of(train, each), column_of(test, each)) for each in shared]
    alike = all(
        one is not None and other is not None and _facts(one) == _facts(other)
        for one, other in pairs
    )
    if alike and _cells(train, shared) == _cells(test, shared):
        yield "test seems to hold the same rows as train"


def _facts(column: Column) -> tuple[object, ...]:
    return (column.distinct, column.missing, column.minimum, column.maximum, column.mean)


def _cells(table: Table, names: Sequence[str]) -> list[tuple[object, ...]]:
    places = [names_of(table).index(each) for each in names]
    return [tuple(row[at] for at in places) for row in table.sample]


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(
        repr(each if len(each) <= 40 else f"{each[:37]}...") for each in names[:_SHOWN]
    )
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
