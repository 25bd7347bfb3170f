"""Learning what a word means in the data, from an answer or from a sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.observation import Observation
from flows.core.run import Run
from flows.data.meaning.glossary import Glossary, Learned
from flows.data.meaning.meanings import Meaning, read_teaching
from flows.semantics.readings import Readings
from flows.semantics.request import Request


class LearnConfig(AtomicConfig):
    """The keys of a learning flow."""

    description: str = "Remembers what a word means in the data."


class LearnInputs(Ports):
    """A keyword with its meaning; an answer that says both, such as `by Omega I mean OMEGA
    (brand)`; or what a question is read as, whose `value` says it in words. The question that was
    asked, and its answer, are in the journal."""

    keyword: str = ""
    value: str = ""
    entity: str = ""
    question: str = ""
    answer: str = ""
    request: Request | None = None


class LearnOutputs(Ports):
    """`learned` says whether the glossary has a new row."""

    observation: Observation
    learned: bool = False


class LearnFlow(AtomicFlow):
    """Adds a row to the glossary, or a reading to its readings; what it knows already is not added
    again."""

    needs: ClassVar[Mapping[str, str]] = {"glossary": "glossary"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = LearnConfig
    Inputs: ClassVar[type[Ports]] = LearnInputs
    Outputs: ClassVar[type[Ports]] = LearnOutputs

    def __init__(self, config: LearnConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.glossary = parts.service("glossary", Glossary)

    async def run(self, inputs: LearnInputs, run: Run) -> LearnOutputs:
        if inputs.request is not None and inputs.question.strip():
            readings = Readings.beside(self.glossary.path)
            given = (inputs.question, inputs.request, inputs.value)
            new = await asyncio.to_thread(readings.learn, *given)
            text = f"{'learned' if new else 'known already'}: how {inputs.question!r} is meant"
            run.notice(text)
            return LearnOutputs(observation=Observation(kind="ok", text=text), learned=new)
        meaning = meant(inputs)
        if meaning is None:
            text = "Nothing was learned: it takes a keyword and the value that the data has for it."
            return LearnOutputs(observation=Observation(kind="empty", text=text))
        learned = await learn(self.glossary, meaning)
        run.notice(str(learned))
        text = str(learned)
        return LearnOutputs(observation=Observation(kind="ok", text=text), learned=learned.added)


def meant(inputs: LearnInputs) -> Meaning | None:
    """The meaning that was given; of a value without one, the answer is the value."""
    value = inputs.value or (inputs.answer if inputs.keyword else "")
    if inputs.keyword.strip() and value.strip():
        return Meaning(inputs.keyword, value, inputs.entity)
    return read_teaching(inputs.answer)


async def learn(glossary: Glossary, meaning: Meaning) -> Learned:
    """Add it to the glossary, without keeping other steps waiting."""
    return await asyncio.to_thread(glossary.learn, meaning.keyword, meaning.value, meaning.entity)
