"""Words that name columns: by their names, by custom, one noun for two columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.analysis.language.lexicon import (
    AGGREGATIONS,
    FUNCTION_WORDS,
    OPERATION_WORDS,
    WEAK_VERBS,
)
from flows.analysis.language.match import match_name
from flows.analysis.language.vocabulary import (
    SUPERLATIVES,
)
from flows.analysis.language.words import Token, singular
from flows.analysis.linking.links import EDGE, Link
from flows.analysis.linking.nearness import Nearness
from flows.analysis.linking.schema import Schema


def column_link(
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
    for column, parts, owner, synonyms in zip(
        schema.table.columns, schema.column_words, schema.owners, schema.synonyms, strict=True
    ):
        if words in synonyms and words != parts:
            yield 1.0, column.name, "another name of it"
            continue
        if counts and parts[-1] in _NUMBERS:
            continue
        if len(words) > 1 and parts == words[:1] and words[0] in AGGREGATIONS:
            continue  # `the total revenue` adds up what a column called total holds
        if words[-1] in ("name", "title") and parts[-1] in _KEYS and len(words) > 1:
            continue  # `the editor names` are not their ids
        score, reason = match_name(words, parts, owner)
        if words == ("name",) and parts in (("title",), (*owner, "title")):
            score, reason = max(score, _TITLE), "by custom"
        if score < 0.5 or (operations and score < (0.8 if words[0] in _TELLING else 0.97)):
            continue
        if score < 0.9 and lowers[0] in SUPERLATIVES:
            continue
        if operations and lowers[0] in ("number", "count", "total", "many", "much", "time"):
            score -= 0.3
        yield score, column.name, reason


# A title is rather the name of its rows than the name of what they belong to.
_TITLE = 0.78

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


def coordinated(
    start: int, end: int, span: Sequence[Token], schema: Schema, near: Nearness
) -> Link | None:
    """`first and last names`: one noun for two columns."""
    lowers = [token.lower for token in span]
    if len(lowers) != 4 or lowers[1] not in ("and", "or") or lowers[0] in EDGE:
        return None
    noun = singular(lowers[3])
    one = column_link(
        start, end, [lowers[0], noun], (singular(lowers[0]), noun), schema, near, False
    )
    two = column_link(start, end, lowers[2:], (singular(lowers[2]), noun), schema, near, False)
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
