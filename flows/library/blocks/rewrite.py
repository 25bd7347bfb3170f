"""Reading a question with the glossary: with the words that the data has."""

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

NAME = "glossary"
# How a question that was chosen from several names its tables and columns.
_QUOTED: Final = re.compile(r"`([^`]+)`")


class RewriteConfig(AtomicConfig):
    """The keys of a glossary flow."""

    description: str = "Reads the question with the words of the data."


class RewriteInputs(Ports):
    question: str = Field(description="a question, in the words of whoever asks")


class RewriteOutputs(Ports):
    """The question in the words of the data; `read_as` maps each keyword in it to its value."""

    question: str
    read_as: dict[str, str] = Field(default={})


class RewriteFlow(AtomicFlow):
    """Puts the data's own values in the place of the glossary's keywords, and says so.

    What was learned of other data is left alone: a value that names a table or column in backticks
    is not put where the data has no such name.
    """

    needs: ClassVar[Mapping[str, str]] = {"glossary": "glossary"}
    Config: ClassVar[type[FlowConfig]] = RewriteConfig
    Inputs: ClassVar[type[Ports]] = RewriteInputs
    Outputs: ClassVar[type[Ports]] = RewriteOutputs

    def __init__(self, config: RewriteConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.glossary = parts.service("glossary", Glossary)
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
