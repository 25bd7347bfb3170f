"""Two thousand functions of other trades: what a large index holds beside a company's own."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

from flows.core.function_description import FunctionDescription
from flows.core.observation import Observation

# Trades, and five things that each deals with.
_TRADES: Final[dict[str, str]] = json.loads(Path(__file__).with_name("trades.json").read_text())
_ACTIONS = (
    ("get", "The details of one {thing} of the {trade}.", "{thing}: its number"),
    ("list", "All {thing}s of the {trade} that fit a condition.", "condition: what has to fit"),
    ("count", "How many {thing}s the {trade} has.", "kind: of which kind"),
    ("book", "Book a {thing} at the {trade} for a day.", "day: the day as YYYY-MM-DD"),
    ("cancel", "Cancel a {thing} of the {trade}.", "{thing}: its number"),
    ("rate", "Give a {thing} of the {trade} a rating.", "stars: from 1 to 5"),
    ("price", "The fee for a {thing} at the {trade}.", "{thing}: its number"),
    ("find", "Search the {trade} for a {thing} by a text.", "text: what to look for"),
    ("compare", "Compare two {thing}s of the {trade}.", "first: the one; second: the other"),
    ("schedule", "When a {thing} of the {trade} is due.", "{thing}: its number"),
)  # fmt: skip


class Distractor:
    """A function of another trade. It answers with a made record of that trade."""

    def __init__(self, description: FunctionDescription, trade: str, thing: str) -> None:
        self._description = description
        self._text = f'{{"trade": "{trade}", "thing": "{thing}", "result": "done"}}'

    @property
    def description(self) -> FunctionDescription:
        return self._description

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        del arguments
        return Observation(kind="ok", text=self._text)


def distractors(seed: int, without: Collection[str] = ()) -> list[Distractor]:
    """Fifty functions of each trade but some, in an order that the seed gives. Left out are trades
    that keep what a company keeps: whose patient a question means could not be told."""
    made = [each for each in _all() if each.description.namespace not in without]
    Random(seed).shuffle(made)
    return made


def _all() -> Iterator[Distractor]:
    for trade, things in _TRADES.items():
        for thing in things.split():
            for action, text, arguments in _ACTIONS:
                said = [each.split(": ") for each in arguments.format(thing=thing).split("; ")]
                description = FunctionDescription(
                    name=f"{action}_{thing}",
                    description=text.format(thing=thing, trade=trade),
                    parameters={
                        "type": "object",
                        "properties": {
                            name: {"type": "string", "description": each} for name, each in said
                        },
                        "required": [name for name, _ in said],
                        "additionalProperties": False,
                    },
                    namespace=trade,
                    function_class="api",
                    source="made",
                    effect="pure",
                )
                yield Distractor(description, trade, thing)
