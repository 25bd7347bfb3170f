"""Which tables a task is over, in words: said by the manager, and read again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.team.queries.wide import Product, Wide, multiplied, wide_of, wides_of
from flows.analysis.team.queries.wording import listed, named, quoted
from flows.data.tables import Table


def from_words(wide: Wide) -> str:
    """Which tables a task is over, ` from the "orders" table joined with ...`."""
    others = [quoted(each.name) for each in wide.tables[1:]]
    tables = "tables" if len(others) > 1 else "table"
    joined = f" joined with the related {listed(others)} {tables}" if others else ""
    also = ""
    if made := wide.product:
        also = f" with {quoted(made.name)} as {quoted(made.one)} times {quoted(made.other)}"
    return f" from the {quoted(wide.base.name)} table{joined}{also}"


def extraction(wide: Wide, where: str = "", names: Sequence[str] = ()) -> str:
    """The task that makes the table: all of it, or only the columns of these names."""
    origin = from_words(wide)
    if len(wide.tables) == 1 and not names and wide.product is None:
        return f"Extract all the data{origin}{where}."
    if len(wide.tables) == 1 and wide.product is None:
        word = "column" if len(names) == 1 else "columns"
        return f"Extract the {named(names)} {word}{origin}{where}."
    said = [_told(wide, each) for each in names or wide.home]
    return f"Extract the columns {listed(said)}{origin}{where}."


def _told(wide: Wide, name: str) -> str:
    table, column = wide.home[name]
    told = quoted(f"{table}.{column}")
    return told if name == column else f"{told} as {quoted(name)}"


_FROM = (
    r' from the "(?P<base>[^"]+)" table(?: joined with the related (?P<others>"[^"]+"'
    r'(?:(?:,| and|, and) "[^"]+")*) tables?)?'
    r'(?: with "(?P<made>[^"]+)" as "(?P<one>[^"]+)" times "(?P<other>[^"]+)")?'
)
# Where a description says which tables it is over.
JOINED = re.compile(_FROM, re.IGNORECASE)
_EXTRACTS = re.compile(
    r"^\s*extract (?:the columns? (?P<columns>.+?)|all (?:the |of the )?data|"
    rf"the (?P<own>.+?) columns?){_FROM}(?: in the (?:\w+ )?database)?"
    r"(?P<where>\s+where\s.+?)?\s*\.?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_COLUMN = re.compile(r'"(?P<name>[^"]+)"(?: as "(?P<as>[^"]+)")?')


@dataclass(frozen=True)
class Extraction:
    """A task that extracts, read again: its table, columns (none: all), conditions in words."""

    wide: Wide
    names: tuple[str, ...]
    where: str

    @property
    def table(self) -> Table:
        """The profile of its result."""
        if not self.names:
            return self.wide.table
        kept = tuple(self.wide.of(each) for each in self.names)
        return self.wide.table.model_copy(update={"columns": kept, "keys": (), "sample": ()})


def read_extraction(text: str, tables: Sequence[Table]) -> Extraction | None:
    """What a description extracts, in the words of `extraction`; None for any other."""
    found = _EXTRACTS.match(text)
    if found is None:
        return None
    wide = wide_in(found, tables)
    if wide is None:
        return None
    where = (found["where"] or "").strip()
    given = found["columns"] or found["own"] or ""
    names = [_called(wide, each) for each in _COLUMN.finditer(given)]
    if None in names:
        return None
    return Extraction(wide, tuple(each for each in names if each), where)


def wide_in(found: re.Match[str], tables: Sequence[Table]) -> Wide | None:
    """The wide table that a match of `JOINED` names."""
    wide = widened(found["base"], re.findall(r'"([^"]+)"', found["others"] or ""), tables)
    if wide is None or not found["made"]:
        return wide
    made = multiplied(wide, Product(found["made"], found["one"], found["other"]))
    return made if made.product else None


def widened(base: str, others: Sequence[str], tables: Sequence[Table]) -> Wide | None:
    """The wide table of a table and these others; None where they do not hang together."""
    whole = next((each for each in wides_of(tables) if each.base.name == base), None)
    if whole is None or not set(others) <= {each.name for each in whole.tables}:
        return None
    return _only(whole, others)


def _only(whole: Wide, others: Sequence[str]) -> Wide:
    kept = tuple(t for t in whole.tables if t is whole.base or t.name in others)
    names = {each.name for each in kept}
    edges = tuple(each for each in whole.edges if {each.joined.table, each.joined.to} <= names)
    reached = {whole.base.name} | {each.joined.to for each in edges}
    return wide_of(tuple(each for each in kept if each.name in reached), edges, whole.names)


def _called(wide: Wide, given: re.Match[str]) -> str | None:
    """The name in the wide table of a column that a description names."""
    name, alias = given["name"], given["as"]
    if alias in wide.home:
        return alias
    table, _, column = name.rpartition(".")
    for mine, home in wide.home.items():
        if home == (table, column) or (not table and mine == name) or mine == name:
            return mine
    return None
