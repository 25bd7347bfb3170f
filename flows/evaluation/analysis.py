"""What an analysis came to, laid out for those who check it: told texts, tables, models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from flows.core.documents import Passage
from flows.core.observation import Caution, Preview
from flows.data.answers.citations import Citation
from flows.semantics.findings import Finding, ModelCard, TaskResult, Told

Part = Literal["lead", "summary", "insights", "cautions", "limits", "understood"]
TOLD: Final[tuple[Part, ...]] = ("summary", "insights")
_SENTENCE: Final = re.compile(r"[^\n]+?(?:[.!?;](?=\s|$)|(?=\n)|$)")


class Sentence(NamedTuple):
    """A sentence of a told text, with the numbers in it whose origin is known."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class AnalystOutcome:
    """The outputs of an analyst. `status` is answered, partly, unanswered, or failed."""

    status: str
    summary: Told
    results: tuple[TaskResult, ...] = ()
    passages: tuple[Passage, ...] = ()
    cautions: tuple[Caution, ...] = ()
    limits: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(init=False)

    def __post_init__(self) -> None:
        done = (each.finding for each in self.results if each.status == "done")
        object.__setattr__(self, "findings", tuple(_with_parts(done)))

    @classmethod
    def of(cls, outputs: Mapping[str, Any]) -> AnalystOutcome:
        """The analysis of a run's outputs."""
        kept = ("status", "summary", "results", "passages", "cautions", "limits", "understood")
        return cls(**{name: outputs[name] for name in kept if name in outputs})

    @property
    def told(self) -> tuple[Told, ...]:
        """The summary and each insight, once."""
        insights = (told for each in self.findings for told in each.insights)
        return tuple(dict.fromkeys((self.summary, *insights)))

    @property
    def models(self) -> tuple[ModelCard, ...]:
        return tuple(each.model for each in self.findings if each.model is not None)

    @property
    def tables(self) -> tuple[Preview, ...]:
        return tuple(each.table for each in self.findings if each.table is not None)

    def texts(self, parts: Sequence[Part]) -> Iterator[str]:
        """Every text of these parts of the report; the lead is the summary's first paragraph."""
        cautions = (*self.cautions, *(c for each in self.findings for c in each.cautions))
        every: dict[Part, tuple[str, ...]] = {
            "lead": (self.summary.text.strip().partition("\n")[0],),
            "summary": (self.summary.text,),
            "insights": tuple(each.text for each in self.told[1:]),
            "cautions": tuple(each.text for each in dict.fromkeys(cautions)),
            "limits": self.limits,
            "understood": self.understood,
        }
        for part in parts:
            yield from every[part]

    def sentences(self) -> Iterator[Sentence]:
        """What the reader is told, sentence by sentence: first the summary."""
        for told in self.told:
            for match in _SENTENCE.finditer(told.text):
                inside = (c for c in told.citations if match.start() <= c.start < match.end())
                yield Sentence(match[0].strip(), tuple(inside))

    def cells(self, citation: Citation) -> Mapping[str, Any]:
        """The row that a number comes from, by its columns; empty when it is not at hand."""
        for table in self.tables:
            if table.artifact == citation.result and citation.row is not None:
                rows = table.rows[citation.row : citation.row + 1]
                return dict(zip(table.columns, rows[0], strict=True)) if rows else {}
        return {}

    def numbers(self) -> tuple[int, int]:
        """How many numbers the reader is told, and of how many the origin is known."""
        cited = [citation for told in self.told for citation in told.citations]
        return len(cited), sum(each.traced for each in cited)


def _with_parts(findings: Iterator[Finding]) -> Iterator[Finding]:
    for each in findings:
        yield each
        yield from _with_parts(part.finding for part in each.parts if part.status == "done")
