"""Columns that a question over several tables mentions without asking for them.

`the names of the students who have votes`: the votes only say which rows of two tables belong
together. What stands behind the things asked about, in a clause or after a preposition, is not
asked for; a column of yes and no holds there.
"""

from __future__ import annotations

import re

from flows.analysis.reading.draft import TAKEN, Draft
from flows.analysis.reading.plan import AnyOf, Condition, Field
from flows.core.observation import Cell
from flows.data.tables import Column
from flows.semantics.model import Relationship

# Words that open a clause about what was named before them.
_CLAUSE = frozenset(
    (
        *("who", "that", "which", "whose", "where", "when", "have", "has", "had", "with"),
        *("on", "at", "to", "from", "by", "in", "of", "for", "did", "do", "does", "get", "gets"),
        *("got", "is", "are", "was", "were", "any", "some", "under", "into", "belong", "belongs"),
    )
)
# Words that go on even behind an `and`.
_STRONG = frozenset(["who", "that", "which", "whose", "have", "has", "had", "with"])
# Words after which something new is asked for.
_ASKING = frozenset(
    (
        *("and", ",", "or", "?", ".", "what", "show", "list", "give", "return", "find", "their"),
        *("its", "his", "her", "display", "report", "also", "each", "every", "per", "average"),
        *("total", "number", "maximum", "minimum", "how", "many", "select", "tell", "order"),
    )
)
_DOUBT = 0.1
_YES: tuple[frozenset[str], ...] = (
    frozenset(["y", "n"]), frozenset(["yes", "no"]), frozenset(["true", "false"]),
    frozenset(["t", "f"]), frozenset(["0", "1"]),
)  # fmt: skip


_HEAD = re.compile(
    r"C\d+(?: ,| and| C\d+| the| their)* (?:of|for) "
    r"(?:all |the |each |every |any |those )*([TC]\d+)(?!\S)"
)


def note_head(draft: Draft) -> None:
    """The things of which columns are asked for: `the dates of the tests` are one for each test."""
    found = _HEAD.search(draft.line)
    # A column that the words name only in part stands for its rows: `tests` for a test's date.
    if found and (found.group(1)[0] == "T" or draft.slots[found.group(1)].score < 0.8):
        draft.head = draft.table_of(found.group(1))


def drop_mentions(draft: Draft) -> None:
    """Take out of the line the columns that stand in clauses about the things asked for."""
    words = draft.line.split()
    asked = False
    for place, word in enumerate(words):
        if not re.fullmatch(r"[CT]\d+", word):
            asked = asked or word in ("number", "many")
            continue
        if (
            word[0] == "C"
            and asked
            and (_is_verb(draft, words, place) or _is_mentioned(words, place))
        ):
            words[place] = _mention(draft, word)
        asked = asked or word[0] == "C" or place > 0
    draft.line = " ".join(words)


def _is_verb(draft: Draft, words: list[str], place: int) -> bool:
    """Whether a column was found by a verb behind a thing: `students enrolled in`."""
    text = draft.slots[words[place]].text
    return text.endswith(("ed", "ing")) and " " not in text and words[place - 1][0] == "T"


def _is_mentioned(words: list[str], place: int) -> bool:
    """Whether a clause about a thing leads to the word, and nothing that asks for it."""
    between: list[str] = []
    for word in reversed(words[:place]):
        if re.fullmatch(r"[A-Z]\d+|_", word):
            if not between:
                return word[0] == "F"
            return word[0] in "T_F" and _leads_on(between)
        between.append(word)
    return False


def _leads_on(between: list[str]) -> bool:
    """Whether the words before a column, nearest first, go on about what was named before them."""
    for word in between:
        if word in _ASKING:
            return False
        if word in _STRONG:
            return True
    return bool(_CLAUSE & set(between))


def _mention(draft: Draft, slot: str) -> str:
    column = draft.column(slot)
    draft.needed.add(draft.schema.home(column.name))
    yes = _positive(column)
    if yes is not None:
        draft.filters.append(AnyOf((Condition(Field(column.name), "=", (yes,)),)))
        draft.note(f"only where {column.name} is {yes}")
    elif column.name not in {c for e in draft.schema.edges for c in ends(draft, e)}:
        draft.doubt += _DOUBT
        draft.note(f"{column.name} is mentioned, not asked for")
    return TAKEN


def _positive(column: Column) -> Cell:
    """The value for yes, in a column that says only yes and no."""
    if column.type == "boolean":
        return True
    found = {value.strip().casefold(): value for value in column.values}
    if not column.values_complete or column.type != "text" or set(found) not in map(set, _YES):
        return None
    return next(found[each] for each in ("y", "yes", "true", "t", "1") if each in found)


def references(draft: Draft) -> int:
    """How many things are taken for the column of a single table that refers to their own one."""
    if draft.schema.joined:
        return 0
    table = draft.schema.table
    away = {c for join in table.joins if join.table != table.name for c in join.columns}
    own = set(table.primary_key) if len(table.primary_key) == 1 else set()
    found = {
        name
        for slot, link in draft.slots.items()
        if slot[0] in "TC" and len(link.columns) == 1 and not _is_id(link.text)
        for name in link.columns
        if name in away - own and draft.schema.by_name[name].type == "integer"
    }
    return len(found)


# Words that name a column so well name it only in part.
_PARTLY = 0.8
# A thing of which a column is asked for, or that is asked for beside another one.
_ASKED = re.compile(
    r"(?<!\S)(?:C\d+ of|C\d+ (?:and|,)|T\d+ (?:and|,)) "
    r"(?:(?:the|all|each|every|those|these|their|its|his|her|respective|corresponding) )*"
    r"(T\d+)(?!\S)"
)


def unshown(draft: Draft, line: str) -> int:
    """How many things are asked for of which a single table only holds the number: `the names of
    the mountains`, read over the climbers."""
    if draft.schema.joined:
        return 0
    table = draft.schema.table
    away = {c for join in table.joins if join.table != table.name for c in join.columns}
    asked = [draft.slots[slot] for slot in _ASKED.findall(line)]
    return sum(
        bool(link.columns) and set(link.columns) <= away - set(table.primary_key)
        and not _is_id(link.text) and link.score < _PARTLY
        for link in asked
    )  # fmt: skip


def _is_id(text: str) -> bool:
    return not _ID_WORDS.isdisjoint(text.split())


_ID_WORDS = frozenset(["id", "ids", "code", "codes", "number", "numbers", "identifier", "key"])


def ends(draft: Draft, edge: Relationship) -> tuple[str, ...]:
    """The columns that a join compares, called as in the schema of a draft."""
    called = draft.schema.called
    return (
        *(called(edge.dataset, each) for each in edge.fields),
        *(called(edge.to, each) for each in edge.to_fields),
    )
