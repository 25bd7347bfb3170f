"""What the words of a business question name: columns, values, things called by a number."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.language.words import Token, singular
from flows.analysis.linking.linker import candidates
from flows.analysis.linking.links import Link, cover
from flows.analysis.linking.schema import Schema
from flows.analysis.methods.method import words
from flows.analysis.reading.draft import is_time
from flows.analysis.team.goals.kinds import kinds_of

# A link that explains less than this says nothing about what a question means.
_LEAST = 0.6
# A link with this score surely names what it is taken for.
SURE = 0.9
# What an adjective and its noun may end with: profitable and profit, patient and patience.
_ENDINGS = frozenset(
    ["", "t", "cy", "ce", "e", "y", "s", "al", "able", "ably", "ive", "ve", "on", "vity", "ity",
     "ness", "ly", "tly", "ful", "ous", "ed", "ing"]
)  # fmt: skip
_SHARED = 5
# Words and the nouns of what they measure, where their letters do not show it.
_NOUNS = {
    form: noun
    for noun, forms in {
        "life": "live lives lived alive", "death": "die dies died", "sale": "sell sells sold",
        "weight": "weigh weighs heavy heavier", "height": "tall taller high", "length": "long",
        "age": "old older young younger", "price": "expensive cheap cheaper pricey",
        "speed": "fast faster slow slower", "temperature": "hot hotter warm warmer cold colder",
        "width": "wide wider", "depth": "deep deeper", "income": "earn earns earned rich richer",
    }.items()
    for form in forms.split()
}  # fmt: skip
_MORE = words(
    """more less fewer higher lower better worse larger smaller greater bigger longer shorter faster
    slower"""
)
# What stands before a comparative that belongs to what is said of things, and not to what is asked.
_OF_THINGS = words("a an the with of at in for from by under and or than")


def named_links(
    tokens: Sequence[Token], schema: Schema, things: frozenset[str]
) -> tuple[Link, ...]:
    """The best cover; a column with a number right behind it that is one of its values (`store 12`)
    is that value. The name of a table (of `things`) is no column that only begins with it, and a
    word that says what is asked (`does the delay depend on ...`) no abbreviation of one."""
    found = [
        each for each in candidates(tokens, schema)
        if each.kind != "column" or each.score >= SURE
        or not (_are(each, things) or any(map(_asks, each.text.split())))
    ]  # fmt: skip
    found += _derived(tokens, schema, found)
    for one in [each for each in found if each.kind == "column"]:
        after = tokens[one.end] if one.end < len(tokens) else None
        if after is None or after.kind != "number":
            continue
        if pairs := _numbered(schema, one, after):
            text = " ".join(t.lower for t in tokens[one.start : one.end + 1])
            found.append(Link("value", one.start, one.end + 1, text, 1.1, "a value of the data",
                              values=pairs))  # fmt: skip
    best = cover(tuple(found), len(tokens), prefer_table=False)
    return tuple(each for each in best if _says(each))


def _derived(tokens: Sequence[Token], schema: Schema, found: Sequence[Link]) -> list[Link]:
    """Links of words that nothing else explains to measures whose name is formed of the same
    word: `the most profitable` has the most profit."""
    taken = {at for each in found for at in range(each.start, each.end)}
    made = []
    for at, token in enumerate(tokens):
        if at in taken or token.kind != "word":
            continue
        for column, said in zip(schema.table.columns, schema.column_words, strict=True):
            if column.role == "measure" and _measures(token.lower, said):
                made.append(
                    Link("column", at, at + 1, token.text, 0.75, "of the same word",
                         columns=(column.name,))
                )  # fmt: skip
                break
    return made


def _measures(word: str, column: Sequence[str]) -> bool:
    """Whether a column of these words measures what a word says."""
    return (len(column) == 1 and _kindred(word, column[0])) or _NOUNS.get(word) in column


def compared_by(tokens: Sequence[Token], links: Sequence[Link]) -> tuple[str, ...]:
    """The columns of which a question asks whether they are more or less: `less efficient`,
    `returned more often`."""
    found: list[str] = []
    for one in links:
        if one.kind != "column":
            continue
        said = [each.lower for each in tokens]
        before = said[max(0, one.start - 2) : one.start]
        ahead = before[-1:] and before[-1] in _MORE and not set(before[:-1]) & _OF_THINGS
        behind = bool(set(said[one.end : one.end + 1]) & _MORE)
        if ahead or behind:
            found += one.columns[:1]
    return tuple(found)


_EACH = frozenset(["each", "every", "per", "by"])


def grouped_by(tokens: Sequence[Token], links: Sequence[Link]) -> tuple[str, ...]:
    """The columns right behind `for each`, `per`, `by`: what a question wants groups of."""
    return tuple(
        one.columns[0] for one in links
        if one.kind == "column" and one.start and tokens[one.start - 1].lower in _EACH
    )  # fmt: skip


def _kindred(one: str, other: str) -> bool:
    pairs = enumerate(zip(one, other, strict=False))
    shared = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    return shared >= _SHARED and {one[shared:], other[shared:]} <= _ENDINGS


def _are(one: Link, things: frozenset[str]) -> bool:
    return all(singular(word) in things for word in one.text.split())


def _asks(word: str) -> bool:
    """Whether a word alone says what kind of answer is wanted."""
    return len(kinds_of(word)) > 1


def _numbered(schema: Schema, one: Link, number: Token) -> tuple[tuple[str, str], ...]:
    """The value of a column that is only a number: `store 12`."""
    column = schema.by_name[one.columns[0]]
    known = number.text in column.values
    if column.role == "measure" or is_time(column) or not known:
        return ()
    return ((column.name, number.text),)


def _says(one: Link) -> bool:
    return one.kind in ("literal", "value") or one.score >= _LEAST
