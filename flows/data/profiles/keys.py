"""What identifies a row, and which tables belong together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations, product
from typing import Any

from flows.core.observation import Cell
from flows.data.physical import quote_name
from flows.data.profiles.hierarchies import self_references
from flows.data.profiles.references import refers_in_role
from flows.data.tables import Column, ForeignKey, Join, Table, plain_name

Fetch = Callable[[str], Sequence[tuple[Any, ...]]]
# The distinct values of a table's column, at most as many as asked for; None when not to be had.
FetchValues = Callable[[Table, str, int], "Collection[Cell] | None"]

_KEYS_KEPT = 5
_PAIRS_TRIED = 12
_PAIR_COLUMNS = 8
_PAIR_ROWS = 2_000_000
_KEY_TYPES = ("integer", "text", "date", "timestamp")
_JOIN_TYPES = ("integer", "text", "date")
# The part of a column's values that is found in another table's key: where only the name says that
# it refers to it, where it has the very name of that key, and where only codes say it.
_SHARE = 0.95
_SHARE_OF_NAMESAKES = 0.6
_SHARE_OF_CODES = 0.9
# How likely it may be that codes are found in another table by chance.
_CHANCE = 0.001
_MOST_VALUES = 100_000
_MOST_JOINS = 200
_LONGEST_CODE = 8
_FEWEST_CODES = 4
_CODES_SEEN = 50
_LETTERS, _DIGITS = 26, 10
_ROLE_ORDER = ("id", "time", "category", "text", "measure", "boolean")


def find_keys(table: Table, quoted: str, fetch: Fetch) -> tuple[tuple[str, ...], ...]:
    """The declared key, unique columns, and pairs of columns where no single one is unique."""
    keys = [table.primary_key] if table.primary_key else []
    for column in _by_role(table.columns):
        if _is_unique(column) and column.type in _KEY_TYPES and (column.name,) not in keys:
            keys.append((column.name,))
    if not keys and 1 < table.rows <= _PAIR_ROWS:
        keys = _unique_pairs(table, quoted, fetch)
    return tuple(keys[:_KEYS_KEPT])


def _is_unique(column: Column) -> bool:
    return column.rows > 1 and column.missing == 0 and column.distinct == column.rows


def _by_role(columns: Sequence[Column]) -> list[Column]:
    return sorted(columns, key=lambda each: _ROLE_ORDER.index(each.role))


def _unique_pairs(table: Table, quoted: str, fetch: Fetch) -> list[tuple[str, ...]]:
    """Pairs that no two rows share; numbers that are measured identify nothing."""
    able = [
        each
        for each in _by_role(table.columns)
        if each.missing == 0
        and each.distinct > 1
        and each.type in _KEY_TYPES
        and each.role in ("id", "time", "category")
    ]
    pairs = [
        (one, other)
        for one, other in combinations(able[:_PAIR_COLUMNS], 2)
        if one.distinct * other.distinct >= table.rows
    ]
    found: list[tuple[str, ...]] = []
    for one, other in pairs[:_PAIRS_TRIED]:
        names = [quote_name(each.name, table.dialect) for each in (one, other)]
        different = fetch(
            f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(names)} FROM {quoted}) AS pairs"
        )
        if int(different[0][0]) == table.rows:
            found.append((one.name, other.name))
    return found


def declared_joins(keys: Sequence[ForeignKey]) -> Iterator[Join]:
    for key in keys:
        yield Join(columns=key.columns, table=key.table, to_columns=key.to_columns, declared=True)


def find_joins(tables: Sequence[Table], fetch_values: FetchValues) -> tuple[Table, ...]:
    """The tables with their joins: declared ones first, then those that names and values tell.

    A column joins another table's unique column when they are called alike and at least 95 % of its
    values are found there; 60 % where a text has the very name of what identifies the rows of the
    other table or says in which role it refers to them (`home_team`), since in real data some refer
    to nothing. It joins its own table's key when its
    name says so and all are found. Values of at most so many columns are fetched as pay for the
    time.
    """
    values = _Values(fetch_values)
    joins: dict[str, list[Join]] = {
        table.name: list(declared_joins(table.foreign_keys)) for table in tables
    }
    looked = 0
    for in_role, table, other in product((False, True), tables, tables):
        if table.name == other.name:
            continue
        alike = _in_roles(table, other, tables) if in_role else _alike(table, other)
        for column, target in alike:
            known = any(each.columns == (column.name,) for each in joins[table.name])
            back = any(
                each.table == table.name and each.to_columns == (column.name,)
                for each in joins[other.name]
            )
            if known or back or looked >= _MOST_JOINS:
                continue
            looked += 1
            share = values.share(table, column, other, target)
            least = _role_share(column) if in_role else _least_share(column, other, target)
            if share is not None and share >= least:
                joins[table.name].append(
                    Join(
                        columns=(column.name,),
                        table=other.name,
                        to_columns=(target.name,),
                        share=share,
                    )
                )
    for table in tables:
        joins[table.name] += _code_joins(table, tables, joins, values)
    for table in tables:
        joins[table.name] += _own_joins(table, tables, joins[table.name], values)
    return tuple(each.model_copy(update={"joins": tuple(joins[each.name])}) for each in tables)


def _code_joins(
    table: Table, tables: Sequence[Table], known: dict[str, list[Join]], values: _Values
) -> Iterator[Join]:
    """The joins of columns that hold codes of another, shorter table, whatever they are called:
    `origin` with the letters of `stations.code`."""
    others = [each for each in tables if each.name != table.name and 1 < each.rows < table.rows]
    joined = {name for each in known[table.name] for name in each.columns}
    joined |= {name for j in known.values() for each in j if each.table == table.name
               for name in each.to_columns}  # fmt: skip
    for column in table.columns:
        if column.name in joined or column.role == "measure" or _is_unique(column):
            continue
        fits = [
            (other, target)
            for other in others
            for target in other.columns
            if column.type == target.type == "text"
            and 1 < column.distinct <= target.distinct
            and _is_unique(target)
            and (codes := _codes(target))
            and (share := values.share(table, column, other, target)) is not None
            and _is_told_by_codes(column, target, other, codes, share)
        ]
        if len(fits) == 1:
            other, target = fits[0]
            share = values.share(table, column, other, target)
            assert share is not None
            yield Join(
                columns=(column.name,), table=other.name, to_columns=(target.name,), share=share
            )


def _least_share(column: Column, other: Table, target: Column) -> float:
    """The part of a column's values that has to be found in another table's unique column."""
    same = plain_name(column.name) == plain_name(target.name) and column.type == "text"
    first = (target.name,) == next(iter(other.keys), ())
    enough = column.distinct >= _FEWEST_CODES
    return _SHARE_OF_NAMESAKES if same and first and enough else _SHARE


def _codes(target: Column) -> tuple[str, ...]:
    """Some values of a column whose values are short codes; none of another column."""
    codes = target.values if target.values_complete else target.values[:_CODES_SEEN]
    short = all(len(each) <= _LONGEST_CODE and each.isalnum() for each in codes)
    return tuple(codes) if short else ()


def _is_told_by_codes(
    column: Column, target: Column, other: Table, codes: Sequence[str], share: float
) -> bool:
    """Whether so many codes of a column would hardly be found in another table by chance, or all
    of a few are found where it is called as a row of the other table is."""
    if share < _SHARE_OF_CODES:
        return False
    thing = plain_name(other.name)
    called = plain_name(column.name) in (thing, _singular(thing))
    if share == 1.0 and (called or column.distinct >= _FEWEST_CODES):
        return True
    signs = _DIGITS if all(map(str.isdigit, codes)) else _LETTERS
    chance = min(1.0, target.distinct / signs ** min(map(len, codes)))
    return bool(chance ** (share * column.distinct) < _CHANCE)


def _own_joins(
    table: Table, tables: Sequence[Table], known: Sequence[Join], values: _Values
) -> Iterator[Join]:
    """The joins of a table with itself: their names say so, and all their values are found."""
    others = {plain_name(each.name) for each in tables if each.name != table.name}
    taken = others | {_singular(each) for each in others}
    used = {name for each in known for name in each.columns}
    for column, key in self_references(table, taken):
        if column.name not in used and values.share(table, column, table, key) == 1.0:
            used.add(column.name)
            yield Join(columns=(column.name,), table=table.name, to_columns=(key.name,), share=1.0)


def _alike(table: Table, other: Table) -> Iterator[tuple[Column, Column]]:
    """Columns that could refer to a unique column of the other table, by type and name."""
    for target in other.columns:
        if not _is_unique(target) or target.type not in _JOIN_TYPES:
            continue
        names = _names_for(other, target)
        for column in table.columns:
            if (
                column.type == target.type
                and column.distinct > 0
                and (plain_name(column.name) in names or _in_role(column, target, names))
                and column.role != "measure"
            ):
                yield column, target


def _role_share(column: Column) -> float:
    """The part of a column's values that has to be found where its name says a role: numbers are
    found in any table with as many rows."""
    is_code = column.type == "text" and column.distinct >= _FEWEST_CODES
    return _SHARE_OF_NAMESAKES if is_code else 1.0


def _in_roles(
    table: Table, other: Table, tables: Sequence[Table]
) -> Iterator[tuple[Column, Column]]:
    """Columns whose names say what a row of the other table is to theirs."""
    for target in other.columns:
        for column in table.columns if _is_unique(target) else ():
            fits = column.role != "measure" and column.distinct > 1
            if fits and refers_in_role(column, other, target, tables):
                yield column, target


def _in_role(column: Column, target: Column, names: set[str]) -> bool:
    """Whether a column refers in a role: `start_station_id`, `home_team_id`."""
    name = plain_name(column.name)
    keys = [each for each in names if len(each) > 4 and each.endswith(_KEY_ENDINGS)]
    fits = column.distinct <= target.distinct and name.endswith(tuple(keys))
    return bool(keys) and fits


_KEY_ENDINGS = ("id", "key", "code")


def _names_for(table: Table, target: Column) -> set[str]:
    """What a column that refers to this one is called: `customer_id`, `customerId`, `customer`."""
    own = plain_name(target.name)
    things = {plain_name(table.name), _singular(plain_name(table.name))}
    generic = own in ("id", "key", "code", "name", "no", "nr", "number")
    names = set() if own in ("id", "key", "no", "nr", "number") else {own}
    if generic:
        names |= {thing + own for thing in things}
    if own in ("id", "key", *(thing + "id" for thing in things)):
        names |= {thing + "id" for thing in things} | things
    return names - {"name"}


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


class _Values:
    """Distinct values of columns as text, each fetched once."""

    def __init__(self, fetch_values: FetchValues) -> None:
        self._fetch = fetch_values
        self._known: dict[tuple[str, str], frozenset[str] | None] = {}

    def share(self, table: Table, column: Column, other: Table, target: Column) -> float | None:
        """The part of the column's values that the target has, None when it is not known."""
        mine, theirs = self._of(table, column), self._of(other, target)
        if not mine or theirs is None:
            return None
        return len(mine & theirs) / len(mine)

    def _of(self, table: Table, column: Column) -> frozenset[str] | None:
        place = (table.name, column.name)
        if place not in self._known:
            self._known[place] = self._read(table, column)
        return self._known[place]

    def _read(self, table: Table, column: Column) -> frozenset[str] | None:
        if column.values_complete:
            return frozenset(column.values)
        if column.distinct > _MOST_VALUES:
            return None
        found = self._fetch(table, column.name, _MOST_VALUES)
        return None if found is None else frozenset(str(each) for each in found if each is not None)
