"""Clauses that deny: what is asked for, without what the same clause would give if it affirmed.

`shops that have no stock`: `shops` is read by itself, and `shops that have stock`; of the rows of
the first those of the second are left out, by the key of what is listed. Of a column that many rows
share (`studios that made no film of X`), its values are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from flows.analysis.language.match import match_name
from flows.analysis.language.words import Token, singular, split_identifier
from flows.analysis.linking.joins import key_of
from flows.analysis.linking.schema import schema_of
from flows.analysis.reading.candidate import Candidate
from flows.analysis.reading.clauses import Line, Negation, Tokens, denials
from flows.analysis.reading.layout import tables_in
from flows.analysis.reading.nesting import Reader
from flows.analysis.reading.placeholder import column_token, table_token, words
from flows.analysis.reading.plan import AnyOf, Combined, Condition, Field, Plan
from flows.analysis.reading.sets import exclude
from flows.data.tables import Table

_DOUBT = 0.1
_TRIED = 2
_SAME = 0.8


def absences(line: Line, tables: Sequence[Table], reader: Reader) -> Iterator[Candidate]:
    """The readings in which a clause is denied of whole things, and not of one column."""
    for negation in denials(line):
        for main in reader(negation.rest)[:_TRIED]:
            found = list(_by_value(main, negation, tables, reader))
            yield from found or _by_key(main, negation, tables, reader)


def _by_key(
    main: Candidate, negation: Negation, tables: Sequence[Table], reader: Reader
) -> Iterator[Candidate]:
    """The reading without the rows whose key the affirmed clause gives."""
    owner = _owner(main.plan, negation, tables)
    key = key_of(owner) if owner else ()
    if owner is None or len(key) != 1:
        return
    head = (*words("show the"), column_token(owner.name, key[0]), *words("of"),
            table_token(owner.name))  # fmt: skip
    for denied, doubt in _wordings(negation.denied, owner, tables):
        for inner in reader((*head, *denied))[:_TRIED]:
            wanted = {(owner.name, key[0])}
            if not wanted <= _cells(inner.plan) or not _narrows(inner.plan):
                continue
            if _is_idle(main.plan, inner.plan):
                continue
            # A verb may name a column too (`registered`): it is only about the key.
            only = (_field(inner.plan, owner.name, key[0]),)
            rows = replace(inner.plan, select=only, order=(), distinct=False)
            lacks = Condition(_field(main.plan, owner.name, key[0]), "not in", (rows,))
            plan = replace(main.plan, filters=(*main.plan.filters, AnyOf((lacks,))))
            yield _joined(main, inner, plan, doubt)


def _by_value(
    main: Candidate, negation: Negation, tables: Sequence[Table], reader: Reader
) -> Iterator[Candidate]:
    """The reading without the values that the affirmed clause gives."""
    plan = main.plan
    fields = [term for term in plan.select if isinstance(term, Field)]
    if len(fields) != len(plan.select) or not fields or plan.limit or plan.groups or plan.combined:
        return
    if not {order.by for order in plan.order} <= set(fields):
        return
    if not all(_repeats(plan, field, tables) for field in fields):
        return
    if not any(_is_spoken_of(plan, field, negation, tables) for field in fields):
        return
    head = [*words("show the")]
    for place, field in enumerate(fields):
        head += words("and") if place else ()
        head.append(column_token(field.table or plan.table, field.column))
    for inner in reader((*head, *words("of"), *negation.denied))[:_TRIED]:
        if _cells(plan) <= _cells(inner.plan) and _narrows(inner.plan):
            only = tuple(
                _field(inner.plan, each.table or plan.table, each.column) for each in fields
            )
            other = replace(inner.plan, select=only, order=(), distinct=False)
            found = replace(plan, combined=(Combined("except", other),))
            yield _joined(main, inner, found, 0.0)


def _joined(main: Candidate, inner: Candidate, plan: Plan, doubt: float) -> Candidate:
    return replace(
        main,
        plan=plan,
        doubt=main.doubt + inner.doubt * 0.6 + doubt + _DOUBT,
        notes=(*main.notes, f"but not those of: {'; '.join(inner.notes) or inner.table.name}"),
        unexplained=(*main.unexplained, *inner.unexplained),
    )


def _owner(plan: Plan, negation: Negation, tables: Sequence[Table]) -> Table | None:
    """The table whose rows a clause speaks of: that of the noun before it, else of the plan."""
    known = {table.name: table for table in tables}
    present = tables_in(plan)
    if not negation.joined:
        for name in sorted(present):
            if name in known and _names(negation.before, schema_of(known[name]).table_words):
                return known[name]
    return known.get(plan.table)


def _names(before: Sequence[Token], name: tuple[str, ...]) -> bool:
    """Whether the words right before a clause are a name."""
    nouns = [singular(token.lower) for token in before if token.kind == "word"][-3:]
    return any(
        match_name(tuple(nouns[-size:]), name, ())[0] >= _SAME for size in range(1, len(nouns) + 1)
    )


def _repeats(plan: Plan, field: Field, tables: Sequence[Table]) -> bool:
    """Whether rows share the values of a column."""
    table = next((t for t in tables if t.name == (field.table or plan.table)), None)
    columns = table.columns if table else ()
    return any(c.name == field.column and c.distinct < c.rows for c in columns)


def _is_spoken_of(plan: Plan, field: Field, negation: Negation, tables: Sequence[Table]) -> bool:
    """Whether a clause speaks of a column that is listed and not of the table's rows."""
    table = next(t for t in tables if t.name == (field.table or plan.table))
    if _names(negation.before, schema_of(table).table_words):
        return False
    return negation.joined or _names(negation.before, split_identifier(field.column))


def _field(plan: Plan, table: str, column: str) -> Field:
    return Field(column, table=table if plan.joins else "")


def _cells(plan: Plan) -> set[tuple[str, str]]:
    """The tables and columns that a plan selects."""
    return {(t.table or plan.table, t.column) for t in plan.select if isinstance(t, Field)}


def _narrows(plan: Plan) -> bool:
    told = plan.filters or plan.joins or plan.having
    return plan.kind == "rows" and bool(told) and plan.limit is None


def _is_idle(plan: Plan, inner: Plan) -> bool:
    """Whether no row of the plan could be one of the other, so that nothing would be left out."""
    return (
        plan.table == inner.table
        and not inner.joins
        and any(exclude(one, other) for one in plan.filters for other in inner.filters)
    )


def _wordings(
    denied: Tokens, owner: Table, tables: Sequence[Table]
) -> Iterator[tuple[Tokens, float]]:
    """What is denied as it is said, and with the table that a verb speaks of: `been eliminated`."""
    yield denied, 0.0
    for place, token in enumerate(denied):
        for table in tables:
            names = schema_of(table).table_words
            if token.kind != "word" or table.name == owner.name:
                continue
            if any(_are_kin(token.lower, name) for name in names):
                yield (*denied[:place], table_token(table.name), *denied[place + 1 :]), 0.05


_ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "ments", "ment", "ers", "er", "or",
            "ed", "es", "e", "s")  # fmt: skip


def _are_kin(verb: str, noun: str) -> bool:
    """Whether a noun is made of a verb: published, publication."""
    if len(verb) < 5 or not verb.endswith(("ed", "ing", "en", "t")):
        return _stem(verb) == _stem(noun) and len(verb) > 3
    one, other = _stem(verb), _stem(noun)
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
                min(len(one), len(other)))  # fmt: skip
    return one == other or (same >= 5 and same * 10 >= 7 * max(len(one), len(other)))


def _stem(word: str) -> str:
    """What a verb and the noun made of it have in common: eliminated, elimination."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-2] if word.endswith("at") and len(word) >= 6 else word
