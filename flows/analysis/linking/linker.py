"""Links the words of a question to one table's name, columns and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache

from flows.analysis.language.lexicon import (
    OPERATION_WORDS,
    ROW_WORDS,
)
from flows.analysis.language.match import match_name
from flows.analysis.language.phrasebook import ARTICLES
from flows.analysis.language.vocabulary import (
    LONG_ADJECTIVES,
)
from flows.analysis.language.words import Token, singular, split_identifier
from flows.analysis.linking.columns import column_link, coordinated
from flows.analysis.linking.data_values import misspelled, value_link
from flows.analysis.linking.links import EDGE, TIME, Link, cover
from flows.analysis.linking.nearness import Nearness
from flows.analysis.linking.schema import BORDER, Schema
from flows.analysis.parser.cursor import Words
from flows.analysis.parser.periods import find_periods
from flows.analysis.parser.tokens import Token as Written
from flows.semantics.query import During, Predicate

LONGEST = 6


def link(tokens: Sequence[Token], schema: Schema, *, prefer_table: bool) -> tuple[Link, ...]:
    """The best cover of the tokens by links that do not overlap, in the order of the question.

    A span that names both the table and a column is read as the one that is preferred.
    """
    return cover(tuple(candidates(tokens, schema)), len(tokens), prefer_table)


def candidates(tokens: Sequence[Token], schema: Schema) -> Iterator[Link]:
    """All that the words could mean in a schema; the links overlap."""
    yield from _periods(tokens, schema)
    near = Nearness.of(tokens, schema)
    for start, token in enumerate(tokens):
        if token.kind == "slot":
            continue
        if token.kind == "name":
            yield from _put_in(start, token, schema)
            continue
        if token.kind in ("number", "quoted"):
            yield from _exact_name(start, token, schema)
        if token.kind in ("number", "date", "quoted"):
            yield _literal(start, token, schema)
        for end in range(start + 1, min(start + LONGEST, len(tokens)) + 1):
            span = tokens[start:end]
            if span[-1].kind in ("name", "slot") or any(
                t.kind == "mark" and t.text not in ".-/&" for t in span
            ):
                break
            found = value_link(start, end, span, schema)
            if found:
                yield found
            if span[-1].kind != "word" or token.kind != "word":
                continue
            if any(each.lower in _CALLED for each in span):
                break
            if token.lower in LONG_ADJECTIVES and end - start > 1:
                break
            if token.lower in EDGE or span[-1].lower in EDGE:
                continue
            yield from _names(start, end, span, schema, near, _before_place(tokens, end))
        if token.kind == "word":
            spelled = misspelled(start, token, schema)
            if spelled:
                yield spelled


def _periods(tokens: Sequence[Token], schema: Schema) -> Iterator[Link]:
    """The periods that are said where some column says when."""
    last = schema.last_day
    if last is None:
        return
    places = [at for at, each in enumerate(tokens) if each.lower not in ARTICLES]
    for start, end, period in _found(tuple(_as_read(tokens[at]) for at in places), last):
        first, behind = places[start], places[end - 1] + 1
        if _is_end_of_order(tokens, first, behind, period):
            continue
        text = " ".join(each.text for each in tokens[first:behind])
        score = _WEEKDAY if behind - first == 1 else _PERIOD
        yield Link("period", first, behind, text, score, "a period of time", period=period)


# What is a value of the data, or all of the name of a column, is rather that.
_PERIOD, _WEEKDAY = 0.9, 0.8
_WITHIN = frozenset(["in", "during", "over", "of", "for", "within", "from", "since", "on"])


def _is_end_of_order(tokens: Sequence[Token], first: int, behind: int, period: Predicate) -> bool:
    """Whether words name one end of an order and no period: `what is the last day of ...`."""
    if not isinstance(period, During) or behind - first != 2 or period.length > 1:
        return False
    before = [each.lower for each in tokens[max(0, first - 2) : first]]
    alone = before[-1:] == ["the"] and not _WITHIN & set(before)
    return alone or [each.lower for each in tokens[behind : behind + 1]] == ["of"]


@lru_cache(maxsize=64)
def _found(tokens: tuple[Written, ...], last: date) -> tuple[tuple[int, int, Predicate], ...]:
    """The same for every table whose times end on one day."""
    return tuple(find_periods(Words(list(tokens), last), TIME))


def _as_read(token: Token) -> Written:
    """A token as the reader of periods wants it."""
    if token.kind == "word":
        return Written("word", token.lower, token.start, token.end)
    if token.kind == "number":
        return Written("number", str(token.value), token.start, token.end)
    return Written("sign", token.text, token.start, token.end)


# What stands between a thing and its name.
_CALLED = frozenset(["named", "called", "titled", "entitled"])


def _literal(start: int, token: Token, schema: Schema) -> Link:
    values = schema.values.get(token.lower, ()) if token.kind != "date" else ()
    meaning = token.text if token.kind == "quoted" else token.value
    return Link(
        "literal", start, start + 1, token.text, 1.0, token.kind, literal=meaning,
        quoted=token.kind == "quoted", values=values,
    )  # fmt: skip


def _exact_name(start: int, token: Token, schema: Schema) -> Iterator[Link]:
    """A name in quotes, or a column that is called by a number, as the data spells it."""
    text = token.text
    if text in schema.by_name and not schema.values.get(token.lower):
        yield Link("column", start, start + 1, text, 1.0, "its exact name", columns=(text,))
    elif token.kind == "quoted" and any(text == each.table.name for each in schema.members):
        yield Link("table", start, start + 1, text, 1.0, f"names the table {text}", table=text)


def _put_in(start: int, token: Token, schema: Schema) -> Iterator[Link]:
    """The table or the column that a token was made for."""
    table, _, column = str(token.value).partition(BORDER)
    if not any(table == each.table.name for each in schema.members):
        return
    if not column:
        yield Link("table", start, start + 1, token.text, 1.0, f"is the table {table}", table=table)
    elif (name := schema.called(table, column)) in schema.by_name:
        yield Link("column", start, start + 1, token.text, 1.0, "is the column", columns=(name,))


def _before_place(tokens: Sequence[Token], end: int) -> bool:
    """Whether a verb is followed by where or when: `opened in 2011`, `born on`."""
    after = [token.lower for token in tokens[end : end + 2]]
    return bool(after) and (after[0] in _PLACES or after == ["most", "recently"])


_PLACES = frozenset(
    ["in", "on", "at", "before", "after", "since", "between", "by", "from", "until", "during"]
)


def _names(
    start: int,
    end: int,
    span: Sequence[Token],
    schema: Schema,
    near: Nearness,
    before_place: bool,
) -> Iterator[Link]:
    lowers = [token.lower for token in span]
    words = tuple(word for token in span for word in _parts(token))
    text = " ".join(lowers)
    exact = set()
    for member in schema.members:
        # `orders` may be a table; `order` is rather what to do with rows.
        many = words == member.words and lowers[-1] != words[-1]
        called = many or words in member.synonyms
        score, name = 1.0 if called else _table_score(words, member.words), member.table.name
        if score >= 0.95:
            exact.add(name)
        if score > 0:
            yield Link("table", start, end, text, score, f"names the table {name}", table=name)
    if near.ends_with_table(start, end):
        return  # `names of the cities`: of joined tables, the one that is spoken of matters
    column = column_link(start, end, lowers, words, schema, near, before_place) or coordinated(
        start, end, span, schema, near
    )
    if (
        column
        and not _refers(column, exact, schema)
        and not _only_alike(column, words, exact, schema)
    ):
        yield column


def _only_alike(link: Link, words: tuple[str, ...], exact: set[str], schema: Schema) -> bool:
    """Whether a column is only like the words that are a table's name: `orders` are not what
    `ordered` holds."""
    return bool(exact) and all(
        not set(words) & set(schema.words_by_name[name]) for name in link.columns
    )


def _refers(link: Link, exact: set[str], schema: Schema) -> bool:
    """Whether a column only numbers the rows of a joined table that the same words name."""
    return any(
        edge.to in exact
        and link.columns == tuple(schema.called(edge.dataset, c) for c in edge.fields)
        and schema.by_name[link.columns[0]].type == "integer"
        for edge in schema.edges
    )


def _parts(token: Token) -> tuple[str, ...]:
    """The words of a token: several where a person writes a name as the data does."""
    return split_identifier(token.text) if "_" in token.text else (singular(token.lower),)


def _table_score(words: tuple[str, ...], name: tuple[str, ...]) -> float:
    if len(words) == 1 and words[0] in ROW_WORDS:
        return 0.5
    if any(word in OPERATION_WORDS for word in words):
        return 0.0
    if len(words) > 1 and words[-1] in _NAMING and words[-1] not in name:
        return 0.0  # `student ids` are a column of students
    score, _ = match_name(words, name, ())
    return score if score >= 0.55 else 0.0


# `the company names` are in a column, and not the companies.
_NAMING = frozenset(
    (
        *("name", "id", "code", "number", "title", "date", "type", "identifier"),
        *("amount", "price", "value", "status", "level", "rate", "score", "total"),
    )
)
