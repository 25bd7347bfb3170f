"""What a method of analysis is: the words that ask for it, how it is read, run and told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from flows.analysis.language.phrases import Phrase
from flows.analysis.methods.specification import Study
from flows.analysis.reading.draft import Draft, is_numeric, is_time
from flows.analysis.reading.read import Unread
from flows.analysis.telling.told import Told
from flows.data.tables import Column

# Stands in the text where the words of the study were. No name of data is like it.
MARK = "zqstudyqz"
CHART = r"(?:plots?|charts?|graphs?|diagrams?|figures?)"
# A column with more values than this makes no groups that a person can compare.
MOST_GROUPS = 60
MOST_COLUMNS = 30

Row = Mapping[str, Told]


@dataclass(frozen=True, slots=True)
class Setting:
    """A phrase that says how: it leaves the text, and `name` is then `value`, or what the pattern
    has as `value`. `only` keeps it to texts in which that pattern is found too."""

    name: str
    phrase: Phrase
    value: str = ""
    leave: str = " "
    only: Phrase | None = None


def setting(name: str, pattern: str, value: str = "", leave: str = " ", only: str = "") -> Setting:
    """A setting from the text of its pattern; case does not matter."""
    flags = re.IGNORECASE
    return Setting(
        name, Phrase(pattern, flags), value, leave, Phrase(only, flags) if only else None
    )


@dataclass(slots=True)
class Request:
    """What was read of a text over one table, before its operation makes a study of it.

    `columns` are those that no rule took, in the order of the text; `rest` is the line as it was
    when they were still in it.
    """

    draft: Draft
    columns: list[Column]
    group: str
    target: str
    settings: dict[str, str]
    text: str
    rest: str
    swapped: bool = False

    def study(self, kind: str, columns: Sequence[str], **more: object) -> Study:
        """A study of the table, with the filters, the settings and the notes."""
        return Study(
            kind, self.draft.schema.table, tuple(columns), filters=tuple(self.draft.filters),
            settings=tuple(sorted(self.settings.items())),
            notes=tuple(filter(None, self.draft.notes)),
            **more,  # type: ignore[arg-type]
        )  # fmt: skip

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns of the table that hold measured numbers."""
        table = self.draft.schema.table
        return tuple(c.name for c in table.columns if c.role == "measure" and is_numeric(c))

    def says(self, pattern: str) -> bool:
        """Whether the text has it anywhere."""
        return bool(re.search(pattern, self.text, re.IGNORECASE))

    def of(self, name: str) -> Column:
        return self.draft.schema.by_name[name]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a recipe: the variable that it makes (none for what only warns) and arguments."""

    at: str
    recipe: str
    arguments: tuple[object, ...]
    frame: str = "data"


@dataclass(frozen=True, slots=True)
class Cue:
    """What in a text calls for a method, and how the text is then read.

    `words` ask for it and are taken out of the text; `hint` asks for it and stays. `read` makes a
    study of what was found. `around` are words that say nothing more beside it. `noun` is said by
    nobody who means another method; a text that holds two nouns asks for two things, unless one
    `includes` the other. Where it cannot be read and its noun was not said, it may be the method
    `otherwise`: numbers are related by a correlation, categories by a test. `explains` says that it
    has a target, `timed` that its group may be asked for (`which country grew the most`).
    """

    read: Callable[[Request], Study | Unread]
    words: str = ""
    hint: str = ""
    noun: str = ""
    includes: frozenset[str] = frozenset()
    settings: tuple[Setting, ...] = ()
    around: frozenset[str] = frozenset()
    explains: bool = False
    timed: bool = False
    otherwise: str = ""
    most_groups: int = MOST_GROUPS
    phrases: dict[str, Phrase | None] = field(default_factory=dict, compare=False)

    def phrase(self, which: Literal["words", "hint", "noun"]) -> Phrase | None:
        """The `words`, the `hint` or the `noun`, to be searched for."""
        if which not in self.phrases:
            text = {"words": self.words, "hint": self.hint, "noun": self.noun}[which]
            made = Phrase(rf"(?<![\w`\"])(?:{text})(?![\w`\"])", re.IGNORECASE)
            self.phrases[which] = made if text else None
        return self.phrases[which]


@dataclass(frozen=True, slots=True)
class Method:
    """One kind of analysis.

    `calls` are the recipes that it runs; `say` tells the rows of the result, which must have the
    columns `needs`.
    """

    kind: str
    cue: Cue
    calls: Callable[[Study, str], list[Call]]
    say: Callable[[Study, Sequence[Row], int], str]
    needs: tuple[str, ...]


def repeats(study: Study) -> list[Call]:
    """The warning that is due where each thing has a row for each time, and no time is chosen."""
    table = study.table
    times = {c.name for c in table.columns if is_time(c)}
    chosen = {c.field.column for each in study.filters for c in each.conditions}
    for key in table.keys:
        name, time = next(((n, t) for t in key for n in key if t in times and n not in times),
                          ("", ""))  # fmt: skip
        if len(key) == 2 and name and not {name, time} & {*chosen, *study.columns, study.group}:
            return [Call("", "say_repeated", (name, time))]
    return []


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def plots(column: Column) -> bool:
    """Whether a column's values are numbers that can be placed on an axis."""
    return is_numeric(column) or column.type in ("integer", "real")


def groups(column: Column, most: int = 20) -> bool:
    """Whether a column's values can stand for groups of rows."""
    if column.type in ("text", "boolean", "other"):
        return True
    return column.type == "integer" and column.distinct <= most


def no_numbers(columns: Sequence[Column], what: str) -> Unread | None:
    """Why columns cannot be used where numbers are needed; None if they can."""
    wrong = [column.name for column in columns if not plots(column)]
    if not wrong:
        return None
    return Unread(f"{' and '.join(wrong)} holds no numbers but text, and {what} needs numbers")


def numbers_in(text: str) -> list[float]:
    """The numbers of a text."""
    return [float(each) for each in re.findall(r"\d+(?:\.\d+)?", text)]
