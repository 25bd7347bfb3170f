"""What was lost on a row: `lost money`, `sold at a loss`, `unprofitable`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.parts import AgainstPart, BoundPart, FormPart, PlacedPart
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef

_LOST: Phrases[bool] = Phrases({
    True: "lost money|lose money|loses money|losing money|made loss|make loss|makes loss|at loss"
    "|loss making|loss - making|unprofitable|made a loss|below cost|under cost|in red",
    False: "made money|makes money|profitable|made profit|make profit|at profit|in black",
})  # fmt: skip
_THAT_IS: Phrases[str] = Phrases({"": "i.e|i.e .|that is|ie|meaning|in other words|where|, i.e ."})


def read_loss(text: Text, at: int) -> Iterator[PlacedPart]:
    """`lost money`: the profit of a row is below nought, or its cost above its revenue."""
    found = text.phrase(_LOST, at)
    if found is None:
        return
    end = found[1]
    if (said := text.phrase(_THAT_IS, end + (text.word(end) == ","))) is not None:
        # What it is follows: `i.e. cost above revenue`.
        last = said[1] + (text.word(said[1]) == ".")
        yield PlacedPart(FormPart(), at, last, 0.05)
    for each in text.vocabulary.fields(["profit"]):
        if each.role == "measure" and each.cost < 0.2 and isinstance(each.operand, FieldRef):
            bound = BoundPart("<" if found[0] else ">", 0.0, each.operand)
            yield PlacedPart(bound, at, end, each.cost + 0.03)
            return
    for cost in text.vocabulary.fields(["cost"])[:2]:
        for revenue in text.vocabulary.fields(["revenue"])[:2]:
            one, other = cost.operand, revenue.operand
            if not isinstance(one, FieldRef) or not isinstance(other, FieldRef):
                continue
            if one != other and one.dataset == other.dataset and cost.role == revenue.role:
                made = AgainstPart(">" if found[0] else "<", other, one)
                yield PlacedPart(made, at, end, cost.cost + revenue.cost + 0.03)
