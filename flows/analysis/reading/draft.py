"""A plan in the making: the question as a line of words and slots, and what rules took from it.

In the line a link is a slot: C0 a column, V0 a value of the data, N0 a number or date, P0 a period,
Q0 quoted text, U0 a name that is not in the data, T0 the table. All other words are lower case, so
that a rule is a regular expression over words and slots. What a rule understood is taken out of the
line and replaced by `_`; what is left at the end was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from flows.analysis.language.lexicon import FUNCTION_WORDS, OPERATION_WORDS, WEAK_NOUNS, WEAK_VERBS
from flows.analysis.language.match import match_name
from flows.analysis.language.vocabulary import SCALES, SHORT_FORMS, UNITS
from flows.analysis.language.words import Token, singular, split_identifier
from flows.analysis.linking.joins import is_said, roles
from flows.analysis.linking.links import Link
from flows.analysis.linking.schema import Schema
from flows.analysis.reading.plan import COUNT, AnyOf, Field, Having, Measure, Order, Term
from flows.analysis.reading.rows import DOUBT, called_rows
from flows.analysis.reading.unparsed_words import TAKEN as TAKEN
from flows.analysis.reading.unparsed_words import weight_of
from flows.core.observation import Cell
from flows.data.tables import Column

_SLOTS = {"column": "C", "value": "V", "table": "T", "period": "P"}
_CONTRACTED = {"isn": "is not", "don": "do not", "doesn": "does not", "aren": "are not",
               "didn": "did not", "wasn": "was not", "weren": "were not"}  # fmt: skip


@dataclass
class Draft:
    """What has been read of one question over one table."""

    schema: Schema
    line: str
    slots: dict[str, Link]
    select: list[Term] = field(default_factory=list)
    groups: list[Field] = field(default_factory=list)
    filters: list[AnyOf] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    order: list[Order] = field(default_factory=list)
    order_by_first: bool | None = None
    order_by_name: bool = False
    limit: int | None = None
    offset: int = 0
    distinct: bool = False
    star: bool = False
    trend: bool = False
    share: bool = False
    shared: Column | None = None
    compare: bool = False
    chose_time: bool = False
    # The table whose rows are counted, those whose rows are groups, and pairs of which one lacks
    # the other.
    counted: str = ""
    grouped: list[str] = field(default_factory=list)
    apart: list[Field] = field(default_factory=list)
    absent: list[tuple[str, str]] = field(default_factory=list)
    # Tables that a reading is about though nothing of theirs is shown or tested.
    needed: set[str] = field(default_factory=set)
    # The table of the things that a question asks about: one row for each.
    head: str = ""
    first: str = ""
    opens: bool = False
    notes: list[str] = field(default_factory=list)
    doubt: float = 0.0

    def column(self, slot: str) -> Column:
        """The column of a slot; of several, the first."""
        return self.schema.by_name[self.slots[slot].columns[0]]

    def columns(self, slot: str) -> list[Column]:
        return [self.schema.by_name[name] for name in self.slots[slot].columns]

    def home(self, column: Column) -> str:
        """The table of a column."""
        return self.schema.home(column.name)

    def literal(self, slot: str) -> Cell:
        return self.slots[slot].literal

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def scaled(self, adjective: str) -> tuple[Column, bool] | None:
        """The column that an adjective speaks of, and whether more of it is more of the column."""
        for word, upward in SCALES.get(adjective, ()):
            for column, parts in zip(
                self.schema.table.columns, self.schema.column_words, strict=True
            ):
                if column.role in ("id", "text", "boolean"):
                    continue
                if word in parts or word == "".join(parts) or _ends(parts[-1], word):
                    return column, upward
        return None

    def time_column(self) -> Column | None:
        """The column that years and dates in a question are about, if the table has one."""
        timed = [column for column in self.schema.table.columns if is_time(column)]
        if len(timed) < 2:
            return timed[0] if timed else None
        years = [column for column in timed if column.type == "integer"]
        called = [c for c in years if self.schema.words_by_name[c.name] == ("year",)]
        chosen = called if len(called) == 1 else years
        if not self.chose_time:
            self.chose_time = True
            self.doubt += 0.1 if len(chosen) == 1 else 0.35
            self.note(f"{(chosen or timed)[0].name} is taken for the time")
        return (chosen or timed)[0]

    def date_column(self) -> Column | None:
        """The column of dates that a period is about: the only one, or that by which the rows of
        a table are dated."""
        dated = [c for c in self.schema.table.columns if c.type in ("date", "timestamp")]
        mains = [self.schema.called(each.table.name, each.table.time)
                 for each in self.schema.members if each.table.time]  # fmt: skip
        chosen = [each for each in dated if each.name in mains] or dated
        if len(chosen) > 1 and not self.chose_time:
            self.chose_time = True
            self.doubt += 0.35
        if len(dated) > 1:
            self.note(f"{chosen[0].name} is taken for the time")
        return chosen[0] if chosen else None

    def label(self, name: str | None = None) -> list[Column]:
        """The columns that name a row to a person: of a table, without one of the first."""
        member = self.schema.member(name) if name else self.schema.members[0]
        columns, owner = self.schema.columns_of(member.table.name), member.words
        named = [c for c in columns if _is_person_name(self.schema.words_by_name[c.name])]
        best: list[tuple[float, Column]] = []
        for column in columns:
            parts = self.schema.words_by_name[column.name]
            # The title of a person is a position.
            title = match_name(("title",), parts, owner)[0] if len(named) != 2 else 0.0
            called = match_name(("name",), parts, owner)[0]
            score = max(called, title - 0.01, 0.9 if parts == owner else 0.0)
            if score >= 0.7 and column.type in ("text", "other") and column not in named:
                best.append((score, column))
        if best:
            return [max(best, key=lambda each: each[0])[1]]
        if len(named) == 2:
            return named
        unique = [c for c in columns if c.type == "text" and c.distinct == member.table.rows > 0]
        if unique:
            return unique[:1]
        return [c for c in columns if c.name in self.schema.key(member.table.name)][:1]

    def table_of(self, slot: str) -> str:
        """The table that a slot of a table names."""
        link = self.slots[slot]
        if link.table:
            return link.table
        if slot[0] == "T":
            for edge in self.schema.edges:
                if link.columns == tuple(self.schema.called(edge.dataset, c) for c in edge.fields):
                    return edge.to
        return self.schema.home(link.columns[0])

    def named_tables(self) -> list[str]:
        """The tables that the question names, in its order."""
        found = [self.table_of(slot) for slot in self.slots if slot[0] == "T"]
        return [name for name in dict.fromkeys(found) if name in self._members]

    @property
    def _members(self) -> set[str]:
        return {each.table.name for each in self.schema.members}

    def rows_of(self, name: str) -> Measure:
        """The number of rows of a table: all rows where joins repeat none, else different keys."""
        self.counted = name
        key = self.schema.key(name)
        if name == self.schema.grain or not self.schema.joined:
            return COUNT
        if len(key) != 1:
            self.doubt += 0.5
            return COUNT
        return Measure("count distinct", Field(key[0]))

    def group_by_rows_of(self, name: str) -> None:
        """Group by the rows of a table; finish says by which of their columns they are shown."""
        if name not in self.grouped:
            self.grouped.append(name)

    @property
    def _roles(self) -> frozenset[str]:
        """The roots of words that say in which role the joined rows refer to others."""
        return frozenset(each for edge in self.schema.edges for each in roles(edge))

    def left_over(self) -> list[tuple[str, float]]:
        """The words that no rule took, each with the weight of having ignored it."""
        found: list[tuple[str, float]] = []
        words = self.line.split()
        named = any(word[0] == "T" for word in words)
        for place, word in enumerate(words):
            if word in self.slots:
                if word[0] != "T":
                    found.append((self.slots[word].text, 1.5))
                continue
            if self.schema.joined and any(is_said(each, [word]) for each in self._roles):
                continue
            weight = weight_of(words, place, named)
            named = named or 0.4 <= weight < 1.0
            if weight:
                found.append((word, weight))
        return found


def _ends(part: str, word: str) -> bool:
    return len(word) >= 4 and part.endswith(word)


def is_numeric(column: Column) -> bool:
    """Whether a column can be averaged: numbers, also where they are kept as text."""
    if column.type in ("integer", "real"):
        return column.role != "id"
    return column.type == "text" and column.role == "measure"


_LEAST_YEAR = 200


def is_time(column: Column) -> bool:
    """Whether a column says when: a date, or whole numbers called year."""
    if column.type in ("date", "timestamp"):
        return True
    if column.role == "time":
        return True
    named = column.type == "integer" and "year" in split_identifier(column.name)
    most = column.maximum
    # So many years have passed: `experience_years`.
    lasts = isinstance(most, int | float) and most < _LEAST_YEAR
    return named and not lasts


def _is_person_name(words: tuple[str, ...]) -> bool:
    parts = set(words)
    joined = "".join(words)
    return bool(
        joined in ("fname", "lname")
        or ("name" in parts and parts & {"first", "last", "given", "family"})
        or parts & {"forename", "surname", "firstname", "lastname"}
    )


def make_draft(
    tokens: Sequence[Token],
    links: Sequence[Link],
    schema: Schema,
    elsewhere: frozenset[str] = frozenset(),
) -> Draft:
    """The line of a question, with the links as slots. Words of `elsewhere` name other tables."""
    by_start = {link.start: link for link in links}
    slots: dict[str, Link] = {}
    line: list[str] = []
    place = 0
    while place < len(tokens):
        link = by_start.get(place)
        if link is None:
            size, unknown = _unknown_name(tokens, place, by_start)
            if unknown:
                slots[f"U{len(slots)}"] = unknown
                line.append(f"U{len(slots) - 1}")
                place += size
                continue
            line.append(_word(tokens[place]))
            place += 1
            continue
        letter = _SLOTS.get(link.kind) or ("Q" if link.quoted else "N")
        if letter == "C" and _is_entity(link, schema):
            letter = "T"
        slots[f"{letter}{len(slots)}"] = link
        line.append(f"{letter}{len(slots) - 1}")
        place = link.end
    text = re.sub(r" +", " ", " ".join(word for word in line if word))
    draft = Draft(schema=schema, line=text, slots=slots)
    if not schema.joined:
        _name_rows(draft, elsewhere)
    return draft


def _name_rows(draft: Draft, elsewhere: frozenset[str]) -> None:
    """Take a noun that nothing explains for the rows, where no other word names them."""
    noun = called_rows(draft.line, draft.slots)
    if noun is None or singular(noun) in elsewhere:
        return
    name = draft.schema.table.name
    slot = f"T{len(draft.slots)}"
    draft.slots[slot] = Link("table", 0, 0, noun, 1.0, f"the rows of {name}", table=name)
    draft.line = re.sub(rf"(?<!\S){noun}(?!\S)", slot, draft.line)
    draft.note(f"{noun} are taken for the rows of {name}")
    draft.doubt += DOUBT


def _is_entity(link: Link, schema: Schema) -> bool:
    """Whether words name the things that an id column counts, and not the column: `customers`."""
    column = schema.by_name[link.columns[0]]
    words = set(link.text.split())
    own = schema.words_by_name[column.name][-1] in ("id", "key") or column.name in schema.key(
        schema.home(column.name)
    )
    if link.score >= 0.95 or words & _ID_WORDS:
        return False
    return (column.role == "id" and own) or _is_numbered(column, words, schema)


def _is_numbered(column: Column, words: set[str], schema: Schema) -> bool:
    """Whether a column only numbers the things that the words name: room_number for rooms."""
    last = schema.words_by_name[column.name][-1]
    if SHORT_FORMS.get(last, last) not in ("number", "id", "identifier") or column.type == "real":
        return False
    if column.role == "measure" and column.type != "text":
        return False
    things = {singular(word) for word in words}
    owner = schema.member(schema.home(column.name)).words
    return things <= {*owner, "the", "of"} or column.distinct * 2 > column.rows


_ID_WORDS = frozenset(
    ["id", "ids", "identifier", "code", "codes", "number", "numbers", "key", "keys", "no"]
)


def _word(token: Token) -> str:
    if token.kind == "mark":
        return "" if token.text in "$€£%" else token.text
    if token.lower.endswith(("n't", "n\u2019t")):
        stem = token.lower[:-3]
        return _CONTRACTED.get(stem, f"{stem} not")
    return token.lower


def _unknown_name(
    tokens: Sequence[Token], place: int, taken: dict[int, Link]
) -> tuple[int, Link | None]:
    """Capitalised words inside a sentence that nothing explains: a name, or a value unseen."""
    end = place
    while end < len(tokens) and end not in taken and tokens[end].kind == "word":
        token = tokens[end]
        after_stop = end == 0 or tokens[end - 1].text in ".?!"
        if not token.capitalised or token.lower in FUNCTION_WORDS | UNITS or after_stop:
            break
        if token.lower in OPERATION_WORDS or token.lower in WEAK_VERBS or token.lower in WEAK_NOUNS:
            break
        end += 1
    if end == place:
        return 0, None
    text = " ".join(token.text for token in tokens[place:end])
    return end - place, Link(
        "literal", place, end, text, 0.5, "a name that the data's known values do not hold",
        literal=text,
    )  # fmt: skip
