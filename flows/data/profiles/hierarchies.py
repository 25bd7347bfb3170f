"""Columns that refer to rows of their own table, such as an employee's manager."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from flows.data.tables import Column, Table, plain_name

# What a row of a table can be to another row of it. Words that could as well name a thing of
# another table (owner, partner, origin) are not among them.
_ROLES_TEXT = """
    parent manager supervisor superior boss chief lead leader mentor mother father predecessor
    successor previous prev next prior prerequisite prereq replyto inreplyto reply reportsto
    reportto referrer referredby referred duplicateof replaces replacedby supersedes supersededby
    spouse foreman vorgesetzter vorgesetzte chef eltern vorgänger nachfolger ancestor basedon copyof
"""
_ROLES = frozenset(_ROLES_TEXT.split())
_KEY_ENDINGS = ("id", "key", "code", "no", "nr", "num", "number", "ref")


def self_references(table: Table, taken: Collection[str]) -> Iterator[tuple[Column, Column]]:
    """Columns whose names say that they refer to the table's own key, each with that key.

    A name says so when it is that of a role in which rows of one table stand to each other
    (`manager_id`, `parent`), or ends in the key's own name (`head_employee_id`). Some row has to
    have no value, as the first of a hierarchy: the manager of a shop is in a table that is not
    there, and every shop has one. `taken` are the plain names of other tables, singular too: such
    a role is a row of theirs.
    """
    for key in table.columns:
        if not _identifies(table, key):
            continue
        for column in table.columns:
            fits = column.name != key.name and column.type == key.type
            known = column.distinct > 0 and 0 < column.missing < column.rows
            if fits and known and _refers(column, key, taken):
                yield column, key


def _identifies(table: Table, key: Column) -> bool:
    """Whether a column is the table's key: declared, or one that is called so and never repeats."""
    if table.primary_key:
        return table.primary_key == (key.name,)
    unique = key.missing == 0 and key.distinct == key.rows > 1
    return unique and key.type in ("integer", "text") and _role(plain_name(key.name)) is not None


def _refers(column: Column, key: Column, taken: Collection[str]) -> bool:
    name, own = plain_name(column.name), plain_name(key.name)
    role = _role(name) or name
    if role in taken:
        return False
    if role in _ROLES:
        return True
    return own not in _KEY_ENDINGS and len(own) > 4 and name != own and name.endswith(own)


def _role(name: str) -> str | None:
    """The name without the ending that says that it is a key; None where it has none."""
    ending = next((each for each in _KEY_ENDINGS if name.endswith(each)), None)
    return None if ending is None else name.removesuffix(ending)
