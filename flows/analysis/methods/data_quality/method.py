"""What is wrong with a table: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.data_quality.arguments import DataQuality
from flows.analysis.methods.data_quality.cue import CUE
from flows.analysis.methods.data_quality.findings import DataFault, read_quality, statements_of
from flows.analysis.methods.findings import sentences
from flows.analysis.methods.method import Call, Method
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing

_TOLD = 8


def _calls(study: Specification[DataQuality], _title: str) -> list[Call]:
    given = study.arguments
    told = (list(given.fields), list(given.keys), study.table.name)
    return [Call("result", "quality", told)]


def _say(_study: Specification[DataQuality], faults: Sequence[DataFault], _total: int) -> str:
    return sentences(statements_of(faults), _TOLD)


METHOD = Method(
    arguments=DataQuality,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(DataFault, _say),),
    steps=computing(
        "Look for rows and keys that stand there twice, values that are missing and what goes with "
        "that, numbers that stand for no value, spellings, values far away from all others, and "
        "values that cannot be."
    ),
    reader=read_quality,
    answers=frozenset({"anomalies"}),
)
