"""Words that leave a question as it is: `for the whole company`, `worldwide`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.parts import FormPart, PlacedPart
from flows.analysis.questions.text import Text

_WHOLES = ("company", "business", "organisation", "organization", "firm", "world", "group",
           "enterprise")  # fmt: skip
_EVERYTHING: Phrases[str] = Phrases({
    "all": "in absolute terms|in absolute numbers|in absolute figures|world|worldwide|global"
    "|globally|company wide|in world|across board|of world|on earth|on planet|anywhere"
    "|side by side|next to each other|in one table|in comparison"
    "|over all years|across all years|in all years|over years|of all years|of all time"
    "|all time|over all time|in all time|all years|all years together|"
    + "|".join(
        f"{lead}{size} {whole}"
        for lead in ("", "for ", "in ", "across ", "of ")
        for size in ("whole", "entire")
        for whole in _WHOLES
    )
    + "|"
    + "|".join(
        f"{lead}{size} {period}"
        for lead in ("", "for ", "in ", "over ", "across ")
        for size in ("whole", "entire", "full")
        for period in ("year", "period", "time")
    ),
})  # fmt: skip


def read_everything(text: Text, at: int) -> Iterator[PlacedPart]:
    """`for the whole company`: no row is left out."""
    if (found := text.phrase(_EVERYTHING, at)) is not None:
        yield PlacedPart(FormPart(), at, found[1], 0.05)
