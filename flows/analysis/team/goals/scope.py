"""What a business question is about: its table, the columns and values that it names, its time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from flows.analysis.compiler.frames import FrameLimit, filter_lines
from flows.analysis.language.spelling import corrected
from flows.analysis.language.words import LONGEST, Token, singular, tokenize
from flows.analysis.linking.glossary_clauses import without_meanings
from flows.analysis.linking.links import Link, content_size
from flows.analysis.linking.schema import schema_of
from flows.analysis.linking.views import database_of
from flows.analysis.methods.columns import merged, take_columns
from flows.analysis.reading import conditions, times, values
from flows.analysis.reading.draft import Draft, is_numeric, is_time, make_draft
from flows.analysis.reading.grammar import apply
from flows.analysis.reading.queries import row_tests
from flows.analysis.team.goals.builder import Restriction, restriction
from flows.analysis.team.goals.kinds import AHEAD
from flows.analysis.team.goals.mentions import SURE, compared_by, grouped_by, named_links
from flows.analysis.team.goals.products import with_worth
from flows.analysis.team.goals.wide_table import Wide, names_things, wides_of
from flows.core.observation import Cell
from flows.data.tables import Column, Table
from flows.semantics.calendar import today_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import Comparison, Constant, FieldRef, OneOf, Predicate, conjunction
from flows.semantics.tables import model_of_result
from flows.semantics.tree import changed, parts

_RULES = (values.TEXTS, conditions.NUMBERS, times.TIMES, values.VALUES, values.EITHER)
# What a column or a value of a related table is worth less than one of the table itself.
_AWAY = 0.06
# What weighs so much says something.
_HEAVY = 0.9
# A thing of a related table is worth a little less than one of the table itself.
_RELATED = 0.9
_AFTER_VERB = frozenset(["the", "our", "my", "all", "these", "this"])


@dataclass(frozen=True)
class TableScope:
    """A table, and what a question names of it.

    `columns` are in the order of the question, without those of conditions. `entities` are the
    conditions on values that things are called by, `period` those on times and amounts. `unread`
    are words that nothing explains, `names` those of them that look like a name. `worth` is how
    much of the question is explained. `asked` are the columns that the question wants to be more or
    less.
    """

    wide: Wide
    columns: tuple[Column, ...] = ()
    entities: tuple[Restriction, ...] = ()
    period: tuple[Restriction, ...] = ()
    time: Column | None = None
    unread: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    worth: float = 0.0
    # Related tables whose things the question names.
    related: tuple[str, ...] = ()
    # The question without the words that name something of the data.
    plain: str = ""
    asked: tuple[Column, ...] = ()
    # What groups are wanted of: `for each discount`.
    by: tuple[Column, ...] = ()

    @property
    def table(self) -> Table:
        return self.wide.table

    @property
    def numbers(self) -> tuple[Column, ...]:
        """The named columns that can be averaged."""
        return tuple(each for each in self.columns if is_numeric(each) and not is_time(each))

    @property
    def groups(self) -> tuple[Column, ...]:
        """The named columns whose values make groups."""
        return tuple(
            each for each in self.columns
            if makes_groups(each) or (names_things(each) and 2 * each.distinct <= self.table.rows)
        )  # fmt: skip

    @property
    def measures(self) -> tuple[Column, ...]:
        """All columns of the table that hold measured numbers."""
        return tuple(
            each for each in self.table.columns
            if each.role == "measure" and is_numeric(each) and not is_time(each)
        )  # fmt: skip

    @property
    def filters(self) -> tuple[Restriction, ...]:
        return (*self.entities, *self.period)


def makes_groups(column: Column) -> bool:
    """Whether a column's values are things that can be compared."""
    return column.role in ("category", "boolean") and not is_time(column)


_PERIOD = re.compile(r"(?:19|20)\d\d[-/. ]?(?:0?[1-9]|1[0-2]|Q[1-4]|W\d\d?)", re.IGNORECASE)


def is_period(column: Column) -> bool:
    """Whether a column of text holds months, quarters or weeks: `2021-01`."""
    values = column.values[:50]
    return column.type == "text" and bool(values) and all(map(_PERIOD.fullmatch, values))


def scopes_of(text: str, tables: Sequence[Table], model: SemanticModel) -> list[TableScope]:
    """What the text may be about, by what each table explains of it, the most first."""
    asked = AHEAD.sub(" ", without_meanings(text, tables))
    tokens = corrected(tokenize(asked), database_of(tables, model).knows)[:LONGEST]
    things = frozenset(word for each in tables for word in schema_of(each).table_words)
    wides = [with_worth(tokens, each, tables) for each in wides_of(tables, model)]
    found = [_scope(asked, tokens, each, things) for each in wides]
    return sorted(found, key=lambda each: -each.worth)


def _scope(text: str, tokens: Sequence[Token], wide: Wide, things: frozenset[str]) -> TableScope:
    schema = schema_of(wide.table)
    links = named_links(tokens, schema, things)
    draft = make_draft(tokens, links, schema)
    for rules in _RULES:
        apply(rules, draft)
    model = model_of_result(wide.table)
    tests = merged(row_tests(draft, model))
    try:
        filter_lines(
            conjunction(tests), wide.table.name, model, today_of(model.calendar, (wide.table,))
        )
    except FrameLimit:  # it needs more than values: no row is left out
        tests = []
    tests = [_typed(each, wide) for each in tests]
    columns = take_columns(draft)
    placed = [(each, restriction(each, wide)) for each in tests]
    entities = tuple(made for each, made in placed if made and _is_entity(each, wide))
    left = draft.left_over()
    related = _related([t for n, t in enumerate(tokens) if not _is_value(n, links)], wide)
    named_things = {
        word for t in wide.tables if t.name in related for word in schema_of(t).table_words
    }
    return TableScope(
        wide, tuple(columns), entities,
        tuple(made for _, made in placed if made and made not in entities),
        _time(draft, columns, wide),
        tuple(w for w, weight in left if weight >= _HEAVY and singular(w) not in named_things),
        tuple(link.text for slot, link in draft.slots.items() if slot[0] == "U"),
        _worth(links, wide, len(tables_needed(wide, [c.name for c in columns])))
        + _RELATED * len(related),
        related,
        _without(text, tokens, links),
        tuple(each for each in columns if each.name in compared_by(tokens, links)),
        tuple(each for each in columns if each.name in grouped_by(tokens, links)),
    )  # fmt: skip


def _is_value(at: int, links: Sequence[Link]) -> bool:
    return any(one.kind == "value" and one.start <= at < one.end for one in links)


def _related(tokens: Sequence[Token], wide: Wide) -> tuple[str, ...]:
    """The related tables that words name: `which products` of order items."""
    said = [singular(token.lower) for token in tokens if token.kind == "word"]
    found = []
    for table in wide.tables[1:]:
        words = [singular(word) for word in schema_of(table).table_words]
        size = len(words)
        if any(said[at : at + size] == words for at in range(len(said) - size + 1)):
            found.append(table.name)
    return tuple(found)


def _without(text: str, tokens: Sequence[Token], links: Sequence[Link]) -> str:
    """The text without the words that surely name something of the data: what is left of
    `life expectancy` expects nothing."""
    for one in reversed(links):
        told = one.start == 0 and one.end < len(tokens) and tokens[one.end].lower in _AFTER_VERB
        if told:  # `Segment our ...` tells what to do
            continue
        if one.kind in ("column", "value") and (one.score >= SURE or one.end - one.start > 1):
            text = f"{text[: tokens[one.start].start]}_{text[tokens[one.end - 1].end :]}"
    return text


def tables_needed(wide: Wide, names: Sequence[str]) -> set[str]:
    """The related tables that these columns are taken from."""
    return {wide.owner(each) for each in names} - {wide.base.name}


def _typed(test: Predicate, wide: Wide) -> Predicate:
    """The test with whole numbers, where a column of them was compared with text."""
    if any(wide.of(name).type != "integer" for name in _fields(test)):
        return test

    def typed(part: BaseModel) -> BaseModel:
        if isinstance(part, Constant):
            return Constant(value=_whole(part.value))
        return (
            part
            if not isinstance(part, OneOf)
            else part.model_copy(update={"values": tuple(map(_whole, part.values))})
        )

    return changed(test, typed)


def _whole(value: Cell) -> Cell:
    if isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    return value


def _fields(test: Predicate) -> list[str]:
    return [each.field for each in parts(test) if isinstance(each, FieldRef)]


def _is_entity(test: Predicate, wide: Wide) -> bool:
    """Whether a test names things by a value of theirs."""
    equal = isinstance(test, Comparison) and test.operator == "="
    columns = [wide.of(name) for name in _fields(test)]
    return (equal or isinstance(test, OneOf)) and all(
        each.role != "measure" and not is_time(each) for each in columns
    )


def _time(draft: Draft, columns: Sequence[Column], wide: Wide) -> Column | None:
    """The time of the rows; what a table has itself goes before what its rows belong to."""
    named = next((each for each in columns if is_time(each)), None)
    return named or next(filter(is_period, wide.base.columns), None) or draft.time_column()


def _worth(links: Sequence[Link], wide: Wide, away: int) -> float:
    """How much the links explain; less where it lies in related tables."""
    total = 0.0
    for one in links:
        if one.kind == "literal":
            continue
        names = one.columns or tuple(name for name, _ in one.values)
        far = bool(names) and all(wide.owner(name) != wide.base.name for name in names)
        total += one.score * content_size(one) - _AWAY * far
    return total - 0.01 * away
