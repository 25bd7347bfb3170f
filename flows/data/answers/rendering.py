"""Text rendered from references: each value comes from its cells, and is cited with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flows.data.answers.cell_formats import write
from flows.data.answers.citations import Citation, NamedResult
from flows.data.answers.references import Placed, find_references
from flows.data.answers.resolution import Cells
from flows.errors import CitationError

_MOST_REFERENCES: Final = 20_000
_PROBLEMS_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text without references, and a citation for each value with a digit that stands in it."""

    text: str
    citations: tuple[Citation, ...]


def render(text: str, results: Mapping[str, NamedResult], *, strict: bool = True) -> Rendered:
    """Put the values of cells where a text refers to them; cells are not read for references.

    `results` are in the order in which they were made. In code what is no reference stays as it is,
    and so does all that cannot be resolved without `strict`. Errors: `CitationError` that says of
    the first references that name no cell what there is.
    """
    cells = Cells(results)
    parts: list[str] = []
    citations: list[Citation] = []
    problems: list[str] = []
    position = length = 0
    for number_of, placed in enumerate(find_references(text)):
        if number_of >= _MOST_REFERENCES:
            problems.append(f"an answer has at most {_MOST_REFERENCES:,} references")
            break
        try:
            shown, citation = _rendered(placed, cells)
        except CitationError as error:
            if not placed.in_code:
                problems.append(f"{text[placed.start : placed.end][:120]}: {error}")
            continue
        before = text[position : placed.start]
        start = length + len(before)
        parts += [before, shown]
        position, length = placed.end, start + len(shown)
        if any(each.isdigit() for each in shown):
            citations.append(citation.model_copy(update={"start": start, "end": length}))
    if problems and strict:
        raise CitationError(_told(problems))
    return Rendered("".join(parts) + text[position:], tuple(citations))


def _told(problems: Sequence[str]) -> str:
    shown = list(dict.fromkeys(problems))
    more = len(shown) - _PROBLEMS_SHOWN
    lines = [*shown[:_PROBLEMS_SHOWN], *([f"and {more} more"] if more > 0 else [])]
    return "the answer refers to what is not there:\n" + "\n".join(lines)


def _rendered(placed: Placed, cells: Cells) -> tuple[str, Citation]:
    if placed.value is None:
        raise CitationError(placed.problem)
    found = cells.found(placed.value)
    shown = write(found.value, placed.form or found.form)
    return shown, found.citation.model_copy(update={"text": shown})
