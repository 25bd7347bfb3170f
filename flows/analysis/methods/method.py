"""What a method of analysis is: the words that ask for it, how it is read, run and told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal

from pydantic import ValidationError

from flows.analysis.language.phrases import PhrasePattern
from flows.analysis.methods.arguments import MOST_GROUPS, A, Arguments, reasons
from flows.analysis.methods.findings import Purpose, Reader
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.reading.draft import Draft, is_numeric, is_time
from flows.analysis.reading.reader import Unread
from flows.data.tables import Column, Table
from flows.semantics.query import FieldRef, Predicate
from flows.semantics.tree import parts

# The frame with the rows of the other table, in the code of an analysis of two.
OTHER = "other"
CHART = r"(?:plots?|charts?|graphs?|diagrams?|figures?)"


class MethodError(ValueError):
    """A method cannot be applied as a request wants it; the message says why."""


@dataclass(frozen=True, slots=True)
class MethodSetting:
    """A phrase that says how: it leaves the text, and `name` is then `value`, or what the pattern
    has as `value`. `only` keeps it to texts in which that pattern is found too."""

    name: str
    phrase: PhrasePattern
    value: str = ""
    leave: str = " "
    only: PhrasePattern | None = None


def setting(
    name: str, pattern: str, value: str = "", leave: str = " ", only: str = ""
) -> MethodSetting:
    """A setting from the text of its pattern; case does not matter."""
    flags = re.IGNORECASE
    return MethodSetting(
        name,
        PhrasePattern(pattern, flags),
        value,
        leave,
        PhrasePattern(only, flags) if only else None,
    )


@dataclass(slots=True)
class MethodRequest:
    """What was read of a text over one table, before its method makes arguments of it.

    `columns` are those that no rule took, in the order of the text; `tests` must hold of the rows;
    `rest` is the line as it was when the columns were still in it. `tables` are all of the run.
    """

    draft: Draft
    columns: list[Column]
    group: str
    target: str
    tests: list[Predicate]
    settings: dict[str, str]
    text: str
    rest: str
    swapped: bool = False
    tables: tuple[Table, ...] = ()

    @property
    def table(self) -> Table:
        return self.draft.schema.table

    def make(self, model: type[A], given: Mapping[str, object]) -> A | Unread:
        """The arguments of a method, or why they cannot be or do not fit the table."""
        try:
            made = model.model_validate(dict(given))
        except ValidationError as error:
            return Unread("; ".join(reasons(error, model)))
        wrong = made.faults(self.table)
        return Unread("; ".join(wrong)) if wrong else made

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns of the table that hold measured numbers."""
        columns = self.table.columns
        return tuple(c.name for c in columns if c.role == "measure" and is_numeric(c))

    @property
    def filtered(self) -> tuple[str, ...]:
        """The columns by which rows are chosen."""
        tests = tuple(self.tests)
        return tuple(each.field for each in parts(tests) if isinstance(each, FieldRef))

    def says(self, pattern: str) -> bool:
        """Whether the text has it anywhere."""
        return bool(re.search(pattern, self.text, re.IGNORECASE))

    def of(self, name: str) -> Column:
        return self.draft.schema.by_name[name]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a recipe: the variable that it makes (none for what only warns) and arguments.
    `frame` are the rows of the analysis, and the frame `OTHER` after a comma where it is of two
    tables."""

    at: str
    recipe: str
    arguments: tuple[object, ...]
    frame: str = "data"


@dataclass(frozen=True, slots=True)
class Cue:
    """What in a text calls for a method, and how the text is then read.

    `words` ask for it and are taken out of the text; `hint` asks for it and stays. `read` makes
    the arguments of what was found. `around` are words that say nothing more beside it. `noun` is
    said by nobody who means another method; a text that holds two nouns asks for two things, unless
    one `includes` the other. `accepts` says whether the text asks so over these tables; without it
    its words do. Where it cannot be read and its noun was not said, it may be the
    method `otherwise`: numbers are related by a correlation, categories by a test. `explains` says
    that it has a target, `timed` that its group may be asked for (`which country grew the most`).
    """

    read: Callable[[MethodRequest], Arguments | Unread]
    words: str = ""
    hint: str = ""
    noun: str = ""
    includes: frozenset[str] = frozenset()
    settings: tuple[MethodSetting, ...] = ()
    around: frozenset[str] = frozenset()
    explains: bool = False
    timed: bool = False
    otherwise: str = ""
    most_groups: int = MOST_GROUPS
    accepts: Callable[[str, Sequence[Table]], bool] | None = None
    phrases: dict[str, PhrasePattern | None] = field(default_factory=dict, compare=False)

    def phrase(self, which: Literal["words", "hint", "noun"]) -> PhrasePattern | None:
        """The `words`, the `hint` or the `noun`, to be searched for."""
        if which not in self.phrases:
            text = {"words": self.words, "hint": self.hint, "noun": self.noun}[which]
            made = PhrasePattern(rf"(?<![\w`\"])(?:{text})(?![\w`\"])", re.IGNORECASE)
            self.phrases[which] = made if text else None
        return self.phrases[which]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A method that is worth applying next to the same rows, and its arguments by their names."""

    method: str
    given: Mapping[str, object]


def then(method: str, *names: str) -> Callable[[Specification[Arguments]], list[FollowUp]]:
    """A follow-up that is given the same as the analysis under these names."""
    return lambda study: [FollowUp(method, {n: getattr(study.arguments, n) for n in names})]


@dataclass(frozen=True, slots=True)
class Method(Generic[A]):
    """One kind of analysis.

    `arguments` is the model of what it is given. `calls` are the recipes that its code runs,
    `steps` say in words what they do; `picture` is what they draw (empty: nothing). `narrations`
    are the kinds of finding that a result may have, and what is said of them; `reader` says what
    any table like it shows, also one that other code has made. `answers` are the kinds of question
    that it speaks to, `follow_ups` what to ask next.
    """

    arguments: type[A]
    cue: Cue
    calls: Callable[[Specification[A], str], list[Call]]
    narrations: tuple[Narration[A, Any], ...]
    steps: Callable[[Specification[A]], list[str]]
    picture: str = ""
    reader: Reader = lambda _: None
    answers: frozenset[Purpose] = frozenset()
    follow_ups: Callable[[Specification[A]], list[FollowUp]] = lambda _: []

    @property
    def name(self) -> str:
        return self.arguments.method

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that all its results have."""
        first, *others = (each.needs for each in self.narrations)
        return tuple(name for name in first if all(name in each for each in others))


def repeats(study: Specification[Arguments]) -> list[Call]:
    """The warning that is due where each thing has a row for each time, and no time is chosen."""
    table = study.table
    times = {c.name for c in table.columns if is_time(c)}
    for key in table.keys:
        name, time = next(((n, t) for t in key for n in key if t in times and n not in times),
                          ("", ""))  # fmt: skip
        if (
            len(key) == 2
            and name
            and not {name, time} & {*study.filtered, *study.columns, study.group}
        ):
            return [Call("", "say_repeated", (name, time))]
    return []


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def numbers_in(text: str) -> list[float]:
    """The numbers of a text."""
    return [float(each) for each in re.findall(r"\d+(?:\.\d+)?", text)]
