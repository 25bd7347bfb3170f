"""The plan of a study in words: what its code really does, step by step."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import BY_NAME
from flows.analysis.methods.specification import Specification


def steps_of(study: Specification[Arguments]) -> list[str]:
    """What the code of the study does."""
    return BY_NAME[study.kind].steps(study)


def steps_of_query(what: str) -> list[str]:
    """What code does that runs one query over data frames."""
    return [
        f"Read the task as a question: {what}.",
        "Run it as one query over the data frames.",
        "Put all rows that it gives into the data frame `result`.",
    ]
