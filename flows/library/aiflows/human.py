"""Asking the person, as aiflows' `HumanStandardInputFlow`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pydantic import Field

from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    Effect,
    FlowConfig,
    Parts,
    Ports,
    Problem,
    Service,
)
from flows.core.human import Human, Question
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.library.aiflows.keys import UncachedKeys
from flows.library.aiflows.prompts import PromptTemplate, unfilled_variables

QUIT: Final = "q"
MULTI_LINE: Final = "text of several lines"


class HumanInputConfig(UncachedKeys, AtomicConfig):
    """The keys of a `HumanStandardInputFlow`."""

    human: Service | None = Field(default=None, description="its own person; the run's without it")
    request_multi_line_input_flag: bool = False
    end_of_input_string: str = "EOI"
    query_message_prompt_template: PromptTemplate | None = None
    input_interface: tuple[str, ...] | None = None
    output_interface: tuple[str, ...] = ("human_input",)


class HumanInputOutputs(Ports):
    """What the person said; `q` where they end the run, nothing where nobody is there."""

    human_input: str


class HumanInputFlow(AtomicFlow):
    """Shows the person its message and returns what they type.

    Nobody being there, the run waits or goes on with an empty answer, as the way to reach the
    person says. With `request_multi_line_input_flag` the text may have several lines; a terminal
    takes them until `end_of_input_string` or an empty line.
    """

    needs: ClassVar[Mapping[str, str]] = {"human": "human"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = HumanInputConfig
    Outputs: ClassVar[type[Ports]] = HumanInputOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.human: Human = parts.service("human", Human)  # type: ignore[type-abstract]
        source: PromptTemplate | None = config.query_message_prompt_template
        self.query = source.compile("query_message_prompt_template") if source else None
        names = (*(config.input_interface or ()), *(self.query.inputs if self.query else ()))
        self.set_inputs(ports_model(self.name, dict.fromkeys(dict.fromkeys(names), "any?")))

    def prompts(self) -> Mapping[str, str]:
        return {self.query.name: self.query.text} if self.query else {}

    def key_problems(self) -> list[Problem]:
        return unfilled_variables((self.query,))

    async def run(self, inputs: Any, run: Run) -> HumanInputOutputs:
        values = dict(inputs.__dict__)
        text = self.query.render(values) if self.query else f"{self.label}: "
        lines: list[str] = []
        while True:
            question = Question(id=f"{run.effect_key}{len(lines) or ''}", text=text)
            answer = await run.ask_person(self.human, question)
            if answer.kind == "quit":
                return HumanInputOutputs(human_input=QUIT)
            if answer.kind == "nobody":
                return HumanInputOutputs(human_input="")
            if not self.config.request_multi_line_input_flag:
                return HumanInputOutputs(human_input=answer.text)
            said, end, _ = answer.text.partition(self.config.end_of_input_string)
            lines.append(said.rstrip("\n") if end else said)
            if end or not answer.text or "\n" in answer.text:
                return HumanInputOutputs(human_input="\n".join(lines).rstrip("\n"))
            text = "... "
