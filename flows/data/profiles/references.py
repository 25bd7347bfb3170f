"""Columns that refer to rows of another table by what these are to theirs: `home_team`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.data.tables import Column, Table

_BORDER = re.compile(r"(?<=[a-z\d])(?=[A-Z])|[\W_]+")
_KEY_WORDS = frozenset(("id", "key", "code", "no", "nr", "num", "number", "ref", "fk", "uuid"))
# What a person may be to a row that refers to one, and what tables of persons are called.
_ROLES_TEXT = """
    sender receiver recipient author owner creator assignee manager lead leader head seller buyer
    reviewer reporter requester requestor approver supervisor boss chief mentor host organizer
    organiser coordinator contact operator handler supplier borrower lender payer payee referrer
    salesperson rep representative winner loser captain editor translator director responsible
    inspector auditor trainer coach adviser advisor
"""
_ROLES = frozenset(_ROLES_TEXT.split())
_PERSONS = frozenset(["person", "people", "employee", "staff", "user", "member", "worker",
                      "colleague", "personnel", "participant"])  # fmt: skip
# Tables of persons outside: a seller is none of them.
_PARTIES = frozenset(["customer", "client", "contact", "account"])
_ROLES_OF_PARTIES = frozenset(["sender", "receiver", "recipient", "buyer", "payer", "payee",
                               "reviewer", "borrower", "referrer"])  # fmt: skip
_DEEDS = frozenset(["by", "to"])


def refers_in_role(column: Column, other: Table, target: Column, tables: Sequence[Table]) -> bool:
    """Whether the name of a column says that it refers to another table's key in a role: it ends in
    what a row of it is (`home_team`), or is a role of persons (`sender_id`, `approved_by`) and no
    other table has persons."""
    if (target.name,) != next(iter(other.keys), ()) or column.type != target.type:
        return False
    words = _words(column.name)
    if len(words) > 1 and words[-1] == _thing(other):
        return True
    persons = [each.name for each in tables if _thing(each) in _PERSONS | _PARTIES]
    if persons != [other.name] or _is_called(words, tables):
        return False
    if _thing(other) in _PARTIES:
        return words[-1] in _ROLES_OF_PARTIES
    return words[-1] in _ROLES or (len(words) > 1 and words[-1] in _DEEDS)


def _is_called(words: Sequence[str], tables: Sequence[Table]) -> bool:
    return any(words[-1] == _thing(each) for each in tables)


def _thing(table: Table) -> str:
    """What a row of a table is, in one word."""
    return _words(table.name)[-1]


def _words(name: str) -> list[str]:
    """The words of a name in the singular, without those at its end that say it is a key."""
    found = [_singular(each.casefold()) for each in _BORDER.split(name) if each] or [name]
    while len(found) > 1 and found[-1] in _KEY_WORDS:
        found.pop()
    return found


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
