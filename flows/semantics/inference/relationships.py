"""Relationships between datasets, and what the referred row is to the one that refers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flows.data.tables import Join, Table
from flows.semantics.inference.nouns import singular
from flows.semantics.inference.words import words_of
from flows.semantics.model import Relationship

_KEY_WORDS = frozenset(
    ("id", "ids", "key", "code", "no", "nr", "num", "number", "ref", "fk", "uuid", "guid", "sk")
)  # fmt: skip
# What rows of a hierarchy are to each other: the one referred to, and those that refer to it.
_HIERARCHIES = {
    "manager": ("manager", "reports"), "reports to": ("manager", "reports"),
    "report to": ("manager", "reports"), "supervisor": ("supervisor", "reports"),
    "boss": ("boss", "reports"), "superior": ("superior", "reports"),
    "chief": ("chief", "reports"), "mentor": ("mentor", "mentees"),
    "parent": ("parent", "children"), "mother": ("mother", "children"),
    "father": ("father", "children"), "predecessor": ("predecessor", "successors"),
    "successor": ("successor", "predecessors"), "prerequisite": ("prerequisite", "dependents"),
    "reply to": ("original", "replies"), "in reply to": ("original", "replies"),
    "referrer": ("referrer", "referrals"), "referred by": ("referrer", "referrals"),
    "duplicate of": ("original", "duplicates"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Reference:
    """A join from the many to the one, whichever way round it was found."""

    table: Table
    columns: tuple[str, ...]
    to: Table
    to_columns: tuple[str, ...]
    declared: bool


def relationships_of(tables: Sequence[Table], nouns: Mapping[str, str]) -> tuple[Relationship, ...]:
    """Every join of the tables, each once. `nouns` are what a row of each table is called."""
    references = list(_references(tables))
    pairs = Counter((each.table.name, each.to.name) for each in references)
    used: Counter[str] = Counter()
    found = []
    for each in references:
        role, back = _roles(each, nouns)
        own = each.table.name == each.to.name
        several = pairs[each.table.name, each.to.name] > 1
        end = role.replace(" ", "_") if role and (own or several) else each.to.name
        name = f"{each.table.name}_{end}"
        used[name] += 1
        found.append(
            Relationship(
                name=name if used[name] == 1 else f"{name}_{used[name]}",
                dataset=each.table.name,
                fields=each.columns,
                to=each.to.name,
                to_fields=each.to_columns,
                single=is_key(each.table, each.columns) and not own,
                role=role,
                back=back,
                inferred=not each.declared,
            )
        )
    return tuple(found)


def _references(tables: Sequence[Table]) -> Iterator[_Reference]:
    known = {each.name: each for each in tables}
    seen: set[frozenset[tuple[str, tuple[str, ...]]]] = set()
    joins = [(table, join) for table in tables for join in table.joins if join.table in known]
    for table, join in sorted(joins, key=lambda pair: not pair[1].declared):
        sides = frozenset([(table.name, join.columns), (join.table, join.to_columns)])
        if sides not in seen:
            seen.add(sides)
            yield _turned(table, known[join.table], join)


def _turned(table: Table, to: Table, join: Join) -> _Reference:
    here, there = is_key(table, join.columns), is_key(to, join.to_columns)
    if not join.declared and here and (not there or _is_fewer(table, join.columns, to)):
        return _Reference(to, join.to_columns, table, join.columns, declared=False)
    return _Reference(table, join.columns, to, join.to_columns, declared=join.declared)


def _is_fewer(table: Table, columns: tuple[str, ...], to: Table) -> bool:
    """Whether both sides are keys and the other table has fewer rows: it is the one that adds to
    this one, and refers to it."""
    return to.name != table.name and len(columns) == 1 and to.rows < table.rows


def is_key(table: Table, columns: tuple[str, ...]) -> bool:
    """Whether no two rows of a table have the same values in these columns."""
    wanted = set(columns)
    if any(set(key) <= wanted for key in (table.primary_key, *table.keys) if key):
        return True
    found = [each for each in table.columns if each.name in wanted]
    return any(each.missing == 0 and each.distinct == each.rows > 0 for each in found)


def _roles(reference: _Reference, nouns: Mapping[str, str]) -> tuple[str, str]:
    """What the columns say of the row that they refer to besides what it is, and the way back."""
    thing = nouns[reference.to.name].split()
    named = {singular(each) for each in (*thing, *words_of(reference.to.name))}
    named |= {word for name in reference.to_columns for word in words_of(name)}
    words = [word for name in reference.columns for word in words_of(name)]
    while len(words) > 1 and words[-1] in _KEY_WORDS:
        words = words[:-1]
    said = " ".join(words)
    if reference.table.name == reference.to.name:
        return _HIERARCHIES.get(said, (_stripped(words, named) or said, ""))
    rest = _stripped([each for each in words if each not in ("is", "has")], named)
    return ("", "") if not rest or set(words) <= named else (_spoken(words, rest, thing), "")


def _stripped(words: Sequence[str], named: set[str]) -> str:
    return " ".join(each for each in words if singular(each) not in named | _KEY_WORDS)


def _spoken(words: Sequence[str], rest: str, thing: Sequence[str]) -> str:
    """The role with what it is a role of, where the columns name that too: `start station`."""
    return f"{rest} {thing[-1]}" if thing[-1] in map(singular, words) else rest
