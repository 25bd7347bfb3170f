"""All readings of a question in which a part of it is a question of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flows.analysis.language.words import Token
from flows.analysis.reading.candidate import Candidate
from flows.analysis.reading.clauses import Line, plain
from flows.analysis.reading.negation import absences
from flows.analysis.reading.nesting import comparisons
from flows.analysis.reading.placeholder import texts
from flows.analysis.reading.windows import derived_readings, differences
from flows.data.tables import Table

# Parts of one question that are read, so that a text full of comparisons comes to an end.
MOST_PARTS = 40


def nested_readings(
    tokens: Sequence[Token],
    tables: Sequence[Table],
    readings: Callable[[Sequence[Token]], list[Candidate]],
) -> list[Candidate]:
    """The readings with plans inside of plans; `readings` are those of tokens without such parts.

    Most questions hold no such part: then nothing is read at all.
    """
    kept: dict[tuple[tuple[str, object], ...], list[Candidate]] = {}

    def reader(part: Sequence[Token]) -> list[Candidate]:
        key = texts(part)
        if key not in kept and len(kept) >= MOST_PARTS:
            return []
        if key not in kept:
            kept[key] = sorted(readings(part), key=lambda each: each.doubt)
        return kept[key]

    line = Line.of(plain(tokens))
    return [
        *comparisons(line, reader), *absences(line, tables, reader),
        *derived_readings(line, reader), *differences(line, reader),
    ]  # fmt: skip
