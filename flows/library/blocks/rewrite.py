"""Reading a question with the glossary: as it was read before, or with the words of the data."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import ClassVar, Final

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.meaning.glossary import Glossary, Rewriting
from flows.errors import FlowsError
from flows.semantics.models import SemanticModels
from flows.semantics.readings import Readings
from flows.semantics.request import Request

NAME = "glossary"
# How a question that was chosen from several names its tables and columns.
_QUOTED: Final = re.compile(r"`([^`]+)`")


class RewriteConfig(AtomicConfig):
    """The keys of a glossary flow."""

    description: str = "Reads the question with the words of the data."


class RewriteInputs(Ports):
    question: str = Field(description="a question, in the words of whoever asks")


class RewriteOutputs(Ports):
    """The question in the words of the data; `read_as` maps each keyword in it to its value.

    `request` is what somebody chose for the same question before, in words under the question.
    """

    question: str
    read_as: dict[str, str] = Field(default={})
    request: Request | None = None


class RewriteFlow(AtomicFlow):
    """Finds what a person chose when the same was asked before; else puts the data's own values in
    the place of the glossary's keywords. Says so.

    What was learned of other data is left alone: a request that does not fit the data, and a value
    that names a table or column in backticks where the data has no such name.
    """

    needs: ClassVar[Mapping[str, str]] = {"glossary": "glossary", "semantics": "semantics"}
    Config: ClassVar[type[FlowConfig]] = RewriteConfig
    Inputs: ClassVar[type[Ports]] = RewriteInputs
    Outputs: ClassVar[type[Ports]] = RewriteOutputs

    def __init__(self, config: RewriteConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.glossary = parts.service("glossary", Glossary)
        self.readings = Readings.beside(self.glossary.path)
        semantics = parts.services.get("semantics")
        self.semantics = semantics if isinstance(semantics, SemanticModels) else None
        data = parts.services.get("data")
        self.catalog = data if isinstance(data, Catalog) else None

    def initial_state(self) -> frozenset[str]:
        return frozenset()

    def apply(
        self, state: frozenset[str], inputs: RewriteInputs, outputs: RewriteOutputs
    ) -> frozenset[str]:
        """What was told: the same question, asked in each round, is not told again."""
        del inputs
        return state | {outputs.question} if outputs.read_as else state

    async def run(self, inputs: RewriteInputs, run: Run) -> RewriteOutputs:
        chosen = await asyncio.to_thread(self._chosen, inputs.question)
        if chosen is not None:
            request, said = chosen
            if inputs.question not in run.state:
                run.notice(f"read as: {said}")
            read_as = {inputs.question: said}
            return RewriteOutputs(question=inputs.question, read_as=read_as, request=request)
        rewriting = await asyncio.to_thread(self.glossary.rewrite, inputs.question)
        unknown = await asyncio.to_thread(self._unknown, rewriting)
        if unknown:
            run.notice(f"the glossary's reading is not for this data, which has no {unknown[0]!r}")
            rewriting = Rewriting(inputs.question)
        if rewriting.terms and rewriting.question not in run.state:
            run.notice(told(rewriting))
        return RewriteOutputs(
            question=rewriting.question,
            read_as={each.keyword: each.value for each in rewriting.terms},
        )

    def _chosen(self, question: str) -> tuple[Request, str] | None:
        """The request that was chosen for the question before, and its words; None where there is
        none that fits the data."""
        request = None if self.semantics is None else self.readings.find(question)
        if request is None or self.semantics is None:
            return None
        from flows.analysis.parser.exact import words
        from flows.semantics.check import check

        model = self.semantics.model()
        return None if check(request, model) else (request, words(request, model))

    def _unknown(self, rewriting: Rewriting) -> list[str]:
        """The tables and columns that the glossary's values name, and the data has not."""
        named = [name for term in rewriting.terms for name in _QUOTED.findall(term.value)]
        if not named or self.catalog is None:
            return []
        try:
            tables = self.catalog.tables()
        except FlowsError:  # whoever reads the data says what is wrong with it
            return []
        known = {table.name for table in tables}
        known |= {column.name for table in tables for column in table.columns}
        return [each for each in named if each not in known]


def rewriting_flow(parts: Parts) -> RewriteFlow | None:
    """The flow that reads the questions of the flow with these parts; None without a glossary."""
    if parts.services.get("glossary") is None:
        return None
    return RewriteFlow(RewriteConfig(), Parts(name=NAME, services=parts.services))


def told(rewriting: Rewriting) -> str:
    """The notice of a rewriting, with what else its keywords could mean."""
    others = [
        f"{each.keyword!r} could also be {each.value!r}"
        + (f" ({each.entity})" if each.entity else "")
        for each in rewriting.others
    ]
    more = f" [{'; '.join(others)}]" if others else ""
    return f"read as: {rewriting.question}{more}"
