"""Links the words of a question to one table's name, columns and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from flows.analysis.language.lexicon import (
    AGGREGATIONS,
    FUNCTION_WORDS,
    OPERATION_WORDS,
    ROW_WORDS,
    WEAK_VERBS,
)
from flows.analysis.language.match import match_name
from flows.analysis.language.vocabulary import (
    LONG_ADJECTIVES,
    OTHER_NAMES,
    PEOPLE,
    SUPERLATIVES,
)
from flows.analysis.language.words import Token, near, singular, split_identifier
from flows.analysis.linking.nearness import Nearness
from flows.analysis.linking.schema import BORDER, Schema, first_run

LinkKind = Literal["table", "column", "value", "literal"]
LONGEST = 6
_NEVER_VALUES = frozenset(
    [
        "a",
        "i",
        "an",
        "the",
        "in",
        "on",
        "at",
        "to",
        "or",
        "and",
        "no",
        "yes",
        "all",
        "of",
        "by",
        "is",
        "are",
        "be",
        "do",
    ]
)


@dataclass(frozen=True, slots=True)
class Link:
    """A span of tokens, `start` to `end`, and what it was read as, with score and reason.

    `columns` are the names meant (several when they share the span: first and last name).
    `values` are pairs of column and the value as the data spells it. `literal` is a number, a date
    or quoted text. `rivals` are columns that explain the span equally well. `table` is the table
    that a span names.
    """

    kind: LinkKind
    start: int
    end: int
    text: str
    score: float
    reason: str
    columns: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    literal: int | float | str | None = None
    quoted: bool = False
    rivals: tuple[str, ...] = ()
    table: str = ""


def link(tokens: Sequence[Token], schema: Schema, *, prefer_table: bool) -> tuple[Link, ...]:
    """The best cover of the tokens by links that do not overlap, in the order of the question.

    A span that names both the table and a column is read as the one that is preferred.
    """
    return cover(tuple(candidates(tokens, schema)), len(tokens), prefer_table)


def cover(found: Sequence[Link], size: int, prefer_table: bool) -> tuple[Link, ...]:
    """Of links over `size` tokens, those that explain most together without overlapping."""
    best: list[tuple[float, tuple[Link, ...]]] = [(0.0, ())]
    by_end: dict[int, list[Link]] = {}
    for candidate in found:
        by_end.setdefault(candidate.end, []).append(candidate)
    for end in range(1, size + 1):
        top = best[end - 1]
        for candidate in by_end.get(end, ()):
            before = best[candidate.start]
            total = before[0] + _weight(candidate, prefer_table)
            if total > top[0] + 1e-9:
                top = (total, (*before[1], candidate))
        best.append(top)
    return best[-1][1]


def content_size(one: Link) -> int:
    """How many words of a link say something."""
    size = one.end - one.start
    if size > 2 and one.kind in ("column", "table"):
        size -= sum(word in _INSIDE for word in one.text.split())
    if one.kind == "value" and one.text.startswith(("the ", "a ", "an ")):
        size -= 1
    return size


def _weight(one: Link, prefer_table: bool) -> float:
    """Longer spans win over the sum of their parts; ties go to the preferred kind."""
    size = content_size(one)
    lean = 0.03 if (one.kind == "table") == prefer_table else 0.0
    return (one.score + lean) * (size + 0.1 * (size - 1))


# Words between those that name something: they make no span better.
_INSIDE = frozenset(["of", "for", "the", "a", "an", "and", "in", "by", "to"])


def candidates(tokens: Sequence[Token], schema: Schema) -> Iterator[Link]:
    """All that the words could mean in a schema; the links overlap."""
    near = Nearness.of(tokens, schema)
    for start, token in enumerate(tokens):
        if token.kind == "name":
            yield from _put_in(start, token, schema)
            continue
        if token.kind in ("number", "quoted"):
            yield from _exact_name(start, token, schema)
        if token.kind in ("number", "date", "quoted"):
            yield _literal(start, token, schema)
        for end in range(start + 1, min(start + LONGEST, len(tokens)) + 1):
            span = tokens[start:end]
            if span[-1].kind == "name" or any(
                t.kind == "mark" and t.text not in ".-/&" for t in span
            ):
                break
            found = _value(start, end, span, schema)
            if found:
                yield found
            if span[-1].kind != "word" or token.kind != "word":
                continue
            if any(each.lower in _CALLED for each in span):
                break
            if token.lower in LONG_ADJECTIVES and end - start > 1:
                break
            if token.lower in _EDGE or span[-1].lower in _EDGE:
                continue
            yield from _names(start, end, span, schema, near, _before_place(tokens, end))
        if token.kind == "word":
            spelled = _misspelled(start, token, schema)
            if spelled:
                yield spelled


_EDGE = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "and",
        "or",
        "is",
        "are",
        "was",
        "were",
        "be",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "what",
        "which",
        "who",
        "whose",
        "how",
        "that",
        "this",
        "these",
        "those",
        "there",
        "it",
        "its",
        "their",
        "them",
        "show",
        "list",
        "give",
        "find",
        "me",
        "all",
        "each",
        "every",
        "as",
        "than",
        "not",
        "no",
        "many",
        "much",
        "per",
        "i",
        "we",
        "you",
        "us",
        "our",
        "whom",
    ]
)


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
        score, name = _table_score(words, member.words), member.table.name
        if score >= 0.95:
            exact.add(name)
        if score > 0:
            yield Link("table", start, end, text, score, f"names the table {name}", table=name)
    if near.ends_with_table(start, end):
        return  # `names of the cities`: of joined tables, the one that is spoken of matters
    column = _column(start, end, lowers, words, schema, near, before_place) or _coordinated(
        start, end, span, schema, near
    )
    if column and not _refers(column, exact, schema):
        yield column


def _refers(link: Link, exact: set[str], schema: Schema) -> bool:
    """Whether a column only numbers the rows of a joined table that the same words name."""
    return any(
        edge.joined.to in exact
        and link.columns == tuple(schema.called(edge.joined.table, c) for c in edge.joined.columns)
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


def _column(
    start: int,
    end: int,
    lowers: list[str],
    words: tuple[str, ...],
    schema: Schema,
    near: Nearness,
    before_place: bool,
) -> Link | None:
    scored = [
        (score + near.bonus(schema.home(name), start, end), score, name, reason)
        for score, name, reason in _scores(tuple(lowers), words, before_place, schema)
    ]
    if not scored:
        return _by_custom(start, end, words, schema, near)
    scored.sort(key=lambda each: -each[0])
    top = scored[0][0]
    equal = [name for total, _, name, _ in scored if total > top - 0.03]
    if words == ("id",) and (own := own_key(schema, near.nearest(start, end))) and own[0] in equal:
        equal = list(own)
    together = _first_and_last(equal, schema, words)
    columns = together or (equal[0],)
    return Link(
        "column", start, end, " ".join(lowers), scored[0][1], scored[0][3], columns=columns,
        rivals=() if together else tuple(n for n in equal[1:] if n not in schema.same(equal[0])),
    )  # fmt: skip


def _scores(
    lowers: tuple[str, ...], words: tuple[str, ...], before_place: bool, schema: Schema
) -> Sequence[tuple[float, str, str]]:
    """How well words name each column that they may name: score, name and reason.

    Kept for each table: the same words are looked up in every view of it.
    """
    if schema.parts:
        return [
            (score, schema.called(part.table.name, name), reason)
            for part in schema.parts
            for score, name, reason in _scores(lowers, words, before_place, part)
        ]
    key = (lowers, words, before_place)
    if key not in schema.memory:
        if len(schema.memory) > _REMEMBERED:
            schema.memory.clear()
        schema.memory[key] = tuple(_scored(lowers, words, before_place, schema))
    return schema.memory[key]


_REMEMBERED = 4000


def _scored(
    lowers: tuple[str, ...], words: tuple[str, ...], before_place: bool, schema: Schema
) -> Iterator[tuple[float, str, str]]:
    operations = all(w in OPERATION_WORDS or w in FUNCTION_WORDS for w in lowers)
    if any(word in WEAK_VERBS for word in lowers) and not before_place:
        operations = operations or len(lowers) == 1 or lowers[-1] in WEAK_VERBS
    # `the number of cards` counts them; `the card number` is a column.
    counts = len(lowers) > 2 and lowers[0] in ("number", "numbers") and lowers[1] == "of"
    for column, parts, owner in zip(
        schema.table.columns, schema.column_words, schema.owners, strict=True
    ):
        if counts and parts[-1] in _NUMBERS:
            continue
        if len(words) > 1 and parts == words[:1] and words[0] in AGGREGATIONS:
            continue  # `the total revenue` adds up what a column called total holds
        if words[-1] in ("name", "title") and parts[-1] in _KEYS and len(words) > 1:
            continue  # `the editor names` are not their ids
        score, reason = match_name(words, parts, owner)
        if score < 0.5 or (operations and score < (0.8 if words[0] in _TELLING else 0.97)):
            continue
        if score < 0.9 and lowers[0] in SUPERLATIVES:
            continue
        if operations and lowers[0] in ("number", "count", "total", "many", "much", "time"):
            score -= 0.3
        yield score, column.name, reason


# Words of every question that are also what a column is called by.
_TELLING = frozenset(["detail", "information"])
_KEYS = frozenset(["id", "code", "key"])
_NUMBERS = frozenset(["number", "no", "num", "nbr", "nr"])


def own_key(schema: Schema, owner: str | None) -> tuple[str, ...]:
    """The one column that tells the rows of a table apart, as declared or as its values show."""
    key = schema.key(owner) if owner else schema.table.primary_key
    if key or schema.joined:
        return key if len(key) == 1 else ()
    told = [
        column.name
        for column in schema.table.columns
        if column.role == "id" and column.distinct == column.rows > 0 and not column.missing
    ]
    return tuple(told[:1])


def _by_custom(
    start: int, end: int, words: tuple[str, ...], schema: Schema, near: Nearness
) -> Link | None:
    """What everybody calls a thing when no column is called so: an id for its key."""
    names: tuple[str, ...] = ()
    if words in (("id",), ("identifier",)):
        names = own_key(schema, near.nearest(start, end))
    elif words == ("name",):
        titles = (n for n, parts in schema.words_by_name.items() if parts[-1] == "title")
        names = tuple(titles) or _called_as_table(schema)
    if words[-1] == "name" and not names:
        homes = dict.fromkeys([near.nearest(start, end), *(m.table.name for m in schema.members)])
        for home in homes:
            own = [column.name for column in schema.columns_of(home)] if home else []
            names = names or _first_and_last(own, schema, words)
        if names:
            return Link("column", start, end, " ".join(words), 0.9, "first and last", columns=names)
    if len(names) != 1:
        return None
    return Link("column", start, end, words[0], 0.75, "by custom", columns=names)


def _called_as_table(schema: Schema) -> tuple[str, ...]:
    """The column that is called as its table: `company` of companies is their name."""
    pairs = zip(schema.table.columns, schema.column_words, schema.owners, strict=True)
    return tuple(c.name for c, parts, owner in pairs if parts == owner and c.type == "text")


def _coordinated(
    start: int, end: int, span: Sequence[Token], schema: Schema, near: Nearness
) -> Link | None:
    """`first and last names`: one noun for two columns."""
    lowers = [token.lower for token in span]
    if len(lowers) != 4 or lowers[1] not in ("and", "or") or lowers[0] in _EDGE:
        return None
    noun = singular(lowers[3])
    one = _column(start, end, [lowers[0], noun], (singular(lowers[0]), noun), schema, near, False)
    two = _column(start, end, lowers[2:], (singular(lowers[2]), noun), schema, near, False)
    if not one or not two or min(one.score, two.score) < 0.8 or one.columns == two.columns:
        return None
    home = schema.home(one.columns[0])
    alone = max(
        match_name((noun,), schema.words_by_name[column.name], schema.member(home).words)[0]
        for column in schema.columns_of(home)
    )
    if alone >= min(one.score, two.score):
        return None
    return Link(
        "column", start, end, " ".join(lowers), min(one.score, two.score),
        "one noun for two columns", columns=(*one.columns, *two.columns),
    )  # fmt: skip


def _first_and_last(names: list[str], schema: Schema, words: tuple[str, ...]) -> tuple[str, ...]:
    """The parts of a person's name, when a question says only `name` or `full name`."""
    if words[-1] != "name":
        return ()
    homes = {schema.home(name) for name in names}
    parts = {n: set(p) for n, p in schema.words_by_name.items() if schema.home(n) in homes}
    first = [n for n, p in parts.items() if p & {"first", "fname", "forename", "given"}]
    last = [n for n, p in parts.items() if p & {"last", "lname", "surname", "family"}]
    if len(first) != 1 or len(last) != 1 or not set(names) & {*first, *last}:
        return ()
    if words not in (("name",), ("full", "name")):
        return ()
    return first[0], last[0]


def _value(start: int, end: int, span: Sequence[Token], schema: Schema) -> Link | None:
    if end - start == 1:
        token = span[0]
        if token.kind != "word":
            return None
        letter = len(token.text) == 1 and token.capitalised and start > 0
        if (token.lower in _NEVER_VALUES and not letter) or (
            len(token.lower) < 2 and not token.capitalised
        ):
            return None
        capitals = token.text.isupper() and len(token.text) > 1
        known = token.lower in FUNCTION_WORDS or token.lower in OPERATION_WORDS
        if known and not letter and not capitals:
            return None
    if end - start > 1 and first_run(span[0].lower) not in schema.starts:
        return None
    text = " ".join(token.lower for token in span)
    found = schema.values.get(text) or _glued(span, schema)
    reason, score = "a value of the data", 0.95
    if not found and span[-1].kind == "word":
        one = singular(span[-1].lower)
        found = schema.values.get(" ".join([*(t.lower for t in span[:-1]), one]), ())
        found = found or schema.values.get(text + "s", ())
        reason, score = "a value of the data, but for its plural", 0.85
    if not found and end - start == 1:
        found, told = _other_name(span[0], schema)
        reason, score = (told, 0.85) if found else (reason, score)
    if not found and end - start == 1 and span[0].lower in PEOPLE:
        found = _sex(span[0].lower, schema)
        reason, score = "a noun for a value of a column about sex", 0.9
    if not found:
        return None
    if not any(token.capitalised for token in span):
        score -= 0.1
    return Link("value", start, end, text, score, reason, values=found)


def _other_name(token: Token, schema: Schema) -> tuple[tuple[tuple[str, str], ...], str]:
    """A value by its usual other name, or by its initials in capitals."""
    for name in OTHER_NAMES.get(token.lower, ()) if token.capitalised else ():
        if name in schema.values:
            return schema.values[name], f"another name of {name!r}"
    if not token.text.isupper() or not 2 <= len(token.text) <= 4:
        return (), ""
    same = [
        key
        for key in schema.values
        if " " in key and "".join(word[0] for word in key.split()) == token.lower
    ]
    return (schema.values[same[0]], f"the initials of {same[0]!r}") if len(same) == 1 else ((), "")


def _glued(span: Sequence[Token], schema: Schema) -> tuple[tuple[str, str], ...]:
    """The value as it was written, with its marks close to its words (`St. Louis`, `A-1`)."""
    if len(span) == 1:
        return ()
    text = span[0].lower
    for before, token in pairwise(span):
        text += " " * (token.start - before.end) + token.lower
    return schema.values.get(text, ())


def _sex(word: str, schema: Schema) -> tuple[tuple[str, str], ...]:
    found = []
    for column, parts in zip(schema.table.columns, schema.column_words, strict=True):
        if {"sex", "gender"} & set(parts):
            found += [(column.name, v) for v in column.values if v.casefold() in PEOPLE[word]]
    return tuple(found)


def _misspelled(start: int, token: Token, schema: Schema) -> Link | None:
    """A value one letter away from a word that nothing else explains."""
    word = token.lower
    if len(word) < 6 or word in FUNCTION_WORDS or word in OPERATION_WORDS or word in schema.values:
        return None
    if not token.capitalised:
        return None
    close = [
        key
        for size in (len(word) - 1, len(word), len(word) + 1)
        for key in schema.words_of_values.get(size, ())
        if key[0] == word[0] and near(word, key)
    ]
    if len(close) != 1:
        return None
    reason = f"probably the value {schema.values[close[0]][0][1]!r}, spelled another way"
    return Link("value", start, start + 1, word, 0.6, reason, values=schema.values[close[0]])
