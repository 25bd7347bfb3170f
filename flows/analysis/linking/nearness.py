"""Which of several joined tables the words around a column speak of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flows.analysis.language.match import match_name
from flows.analysis.language.words import Token, singular
from flows.analysis.linking.schema import Schema

_OF = frozenset(["of", "for", "from", "in", "by", "on", "about", "to"])
# Words after which a new thought begins: what comes behind is about something else.
_BORDERS = frozenset(
    (
        *("with", "that", "who", "whose", "which", "where", "when", "has", "have", "had"),
        *("having", "is", "are", "was", "were", "do", "does", "did", "than", "but", "not"),
        *("number", "count", "many"),
    )
)
# `which city does the employee live in`
_DOES = frozenset(["do", "does", "did", "the", "a", "an"])
_SURE, _REFERS = 0.6, 0.7
_CLOSE, _BEHIND, _STEP = 0.16, 0.12, 0.008
_LONGEST = 3
# What names a table well, and how much one counts that stands behind it.
_NAMED, _PASSED = 0.95, 0.5


def _references(schema: Schema) -> Iterator[tuple[tuple[str, ...], str]]:
    """The words by which columns refer to other tables: `county` for county_id."""
    for edge in schema.edges:
        if len(edge.fields) == 1:
            words = schema.words_by_name[schema.called(edge.dataset, edge.fields[0])]
            if len(words) > 1 and words[-1] in ("id", "code", "key"):
                yield words[:-1], edge.to


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of tokens that names a table."""

    start: int
    end: int
    table: str
    score: float


@dataclass(frozen=True, slots=True)
class Nearness:
    """The tables that a question names, and where."""

    lowers: tuple[str, ...]
    mentions: tuple[Mention, ...]

    @classmethod
    def of(cls, tokens: Sequence[Token], schema: Schema) -> Nearness:
        """The mentions of the tables of a schema; none where there is only one table."""
        lowers = tuple(token.lower for token in tokens)
        if not schema.joined:
            return cls(lowers, ())
        singles = tuple(singular(each) for each in lowers)
        ways = list(_references(schema))
        found = []
        for start in range(len(tokens)):
            for end in range(start + 1, min(start + _LONGEST, len(tokens)) + 1):
                span = singles[start:end]
                scored = [
                    (
                        1.0 if span in each.synonyms else match_name(span, each.words, ())[0],
                        each.table.name,
                    )
                    for each in schema.members
                ]
                scored += [(_REFERS, to) for words, to in ways if words == span]
                top = max(scored)[0]
                found += [
                    Mention(start, end, name, score)
                    for score, name in scored
                    if score >= _SURE and score > top - 0.1
                ]
        return cls(lowers, tuple(found))

    def bonus(self, table: str, start: int, end: int) -> float:
        """How much the words around a span speak for a column of the table: 0 to 0.16."""
        return max(
            (
                self._near(each, start, end) * (_PASSED if self._is_passed(each, end) else 1.0)
                for each in self.mentions
                if each.table == table
            ),
            default=0.0,
        )

    def _is_passed(self, mention: Mention, end: int) -> bool:
        """Whether another table is named between a span and a mention behind it: `the names of the
        mountains climbed by climbers` are those of mountains."""
        return any(
            end <= each.start < mention.start and each.end <= mention.start
            and each.table != mention.table and each.score >= _NAMED
            for each in self.mentions
        )  # fmt: skip

    def ends_with_table(self, start: int, end: int) -> bool:
        """Whether a span ends with `of` or `for` and the name of a table."""
        return any(
            start < each.start and each.end == end
            and not {"of", "for", "in"}.isdisjoint(self.lowers[start + 1 : each.start])
            for each in self.mentions
        )  # fmt: skip

    def nearest(self, start: int, end: int) -> str | None:
        """The table that the words around a span speak for most; None when they name none."""
        best = max(self.mentions, key=lambda each: self._near(each, start, end), default=None)
        return best.table if best and self._near(best, start, end) > 0 else None

    def _near(self, mention: Mention, start: int, end: int) -> float:
        if mention.start < end and start < mention.end:
            return 0.0
        if mention.end <= start:
            gap = start - mention.end
            return _CLOSE if gap == 0 else max(0.02, _BEHIND - _STEP * gap)
        between = self.lowers[end : mention.start]
        if 0 < len(between) <= _LONGEST and set(between) <= _DOES:
            return _BEHIND
        if not set(between) & _OF or set(between) & _BORDERS:
            return 0.0
        return max(0.02, _CLOSE - _STEP * (len(between) - 1))
