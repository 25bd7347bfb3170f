"""What a text is about: one table of several, and the figure that a table's name stands for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.conversation.turn import TurnOption
from flows.analysis.conversation.vague import figure_of, names_dataset

_GROUPED: Final = re.compile(
    r"^\W*(?:(?:please|can you|could you|now|show|give|analy[sz]e|display|plot|draw|see|get|me|us|"
    r"the|our|my|how|do|does|did)\s+)*(?P<about>\w+(?:\s+\w+)?)\s+"
    r"(?:(?:trends?|figures?|numbers?|performance|results?|data|vary|varies|develops?|looks?|"
    r"changes?)\s+)?"
    r"(?P<rest>(?:by|per|over|across|for each|in each)\s+.+)$",
    re.IGNORECASE,
)


def narrowed(analyst: Analyst, dataset: str) -> Analyst:
    """The analyst over one dataset alone."""
    model = analyst.model
    kept = model.model_copy(
        update={
            "datasets": tuple(each for each in model.datasets if each.name == dataset),
            "relationships": (),
            "metrics": tuple(each for each in model.metrics if each.dataset == dataset),
        }
    )
    table = next(each.table for each in model.datasets if each.name == dataset)
    tables = tuple(each for each in analyst.tables if each.name == table)
    return replace(analyst, tables=tables, model=kept)


def named_datasets(text: str, analyst: Analyst) -> list[str]:
    """The datasets that a text names, in the model's order."""
    return [each.name for each in analyst.model.datasets if names_dataset(text, each)]


def restate(text: str, analyst: Analyst) -> tuple[str, str] | None:
    """The text with a table's main figure in the place of the table's name, and what was taken for
    what: `sales trends by month` is the total revenue by month where a row is a sale. None for any
    other text."""
    match = _GROUPED.match(text)
    found: TurnOption | None = figure_of(match["about"], analyst) if match else None
    if match is None or found is None:
        return None
    return f"{found.label} {match['rest']}", f"{match['about']!r} was taken for {found.label}."
