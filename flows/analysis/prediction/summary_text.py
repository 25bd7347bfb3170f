"""Words, names and references of which the report of a phase is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.prediction.work import StepOutcome, Summarizing
from flows.core.observation import Cell, Preview
from flows.data.answers.cell_formats import write
from flows.data.answers.references import Reference, in_text

_WORDS: Final = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty",
)  # fmt: skip
_NAMES_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class CitedTable:
    """A table that a step made, for a report that cites its cells."""

    outcome: StepOutcome
    table: Preview

    def rows(self, most: int | None = None) -> Iterator[tuple[int, dict[str, Cell]]]:
        """The rows that are at hand, each with its place."""
        for place, row in enumerate(self.table.rows[:most]):
            yield place, dict(zip(self.table.columns, row, strict=True))

    def cell(self, row: int, column: str, form: str = "") -> str:
        """A cell as a reference; as it is where the table was not kept, "nothing" for none."""
        value = self.table.rows[row][self.table.columns.index(column)]
        if value is None:
            return "nothing"
        if isinstance(value, str | bool):
            form = ""
        if self.table.artifact is None:
            return write(value, form)
        return in_text(Reference(result=self.table.artifact, row=row, column=column), form)

    def has(self, *columns: str) -> bool:
        return set(columns) <= set(self.table.columns) and bool(self.table.rows)


def made_by(given: Summarizing, tool: str, *columns: str) -> list[CitedTable]:
    """The tables with these columns that the steps of a tool made."""
    found = []
    for outcome in given.work.outcomes:
        if outcome.step.tool == tool and outcome.status == "done":
            made = (CitedTable(outcome, each) for each in outcome.made.values())
            found += [each for each in made if each.has(*columns)]
    return found


def last_made(given: Summarizing, variable: str, *columns: str) -> CitedTable | None:
    """The table that this variable held at the end of the phase."""
    for outcome in reversed(given.work.outcomes):
        table = outcome.made.get(variable)
        if table is not None and CitedTable(outcome, table).has(*columns):
            return CitedTable(outcome, table)
    return None


def code(text: object) -> str:
    """A name or a value of the data: it is no prose, and no mark-up."""
    plain = re.sub(r"\s+", " ", str(text)).replace("`", "'").replace("{{", "{ {").strip()
    return f"`{plain[:80]}`" if plain else "an empty text"


def names(given: Sequence[str], most: int = _NAMES_SHOWN) -> str:
    """Names in a sentence: the first ones, where there are many."""
    shown = [code(each) for each in given[:most]]
    if len(given) > most:
        return f"{', '.join(shown)} and {_others(len(given) - most)}"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def counted(number: int, one: str, many: str) -> str:
    """A small number of things in words; of many it says so."""
    word = _WORDS[number] if number < len(_WORDS) else "many"
    return f"{word} {one if number == 1 else many}"


def _others(number: int) -> str:
    return f"{counted(number, 'other', 'others')}" if number < len(_WORDS) else "others"


def plain(text: str) -> str:
    """A sentence that others wrote, on one line, without references."""
    flat = re.sub(r"\s+", " ", text).replace("{{", "{ {").strip()
    return flat if len(flat) <= 300 else f"{flat[:297]}..."


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {each}" for each in lines)
