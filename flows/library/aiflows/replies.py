"""Flows of the FlowVerse that return what they are told to: a fixed reply, demonstrations."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports, Problem
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.library.aiflows.keys import UncachedKeys
from flows.library.aiflows.prompts import PromptTemplate, unfilled_variables


class FixedReplyConfig(UncachedKeys, AtomicConfig):
    """The keys of a `FixedReplyFlow`."""

    fixed_reply: str = Field(description="the text that it returns")
    input_interface: tuple[str, ...] = ()
    output_interface: tuple[str, ...] = ("fixed_reply",)


class FixedReplyOutputs(Ports):
    fixed_reply: str


class FixedReplyFlow(AtomicFlow):
    """Returns the text of its config, whatever it is given."""

    Config: ClassVar[type[FlowConfig]] = FixedReplyConfig
    Outputs: ClassVar[type[Ports]] = FixedReplyOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, dict.fromkeys(config.input_interface, "any?")))

    async def run(self, inputs: Any, run: Run) -> FixedReplyOutputs:
        del inputs, run
        return FixedReplyOutputs(fixed_reply=self.config.fixed_reply)


class DemonstrationData(BaseModel):
    """One example: the values of its query and of its response."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query_data: dict[str, Any]
    response_data: dict[str, Any]


class DemonstrationsConfig(UncachedKeys, AtomicConfig):
    """The keys of a `DemonstrationsAtomicFlow`."""

    data: tuple[DemonstrationData, ...] = ()
    query_prompt_template: PromptTemplate = PromptTemplate(
        template="{{query}}", input_variables=("query",)
    )
    response_prompt_template: PromptTemplate = PromptTemplate(
        template="{{response}}", input_variables=("response",)
    )
    ids_to_keep: str | tuple[str, ...] | None = None
    output_interface: tuple[str, ...] = ("demonstrations",)


class DemonstrationsOutputs(Ports):
    """The exchanges that a chat is given as examples."""

    demonstrations: tuple[dict[str, str], ...]


class DemonstrationsFlow(AtomicFlow):
    """Renders its examples by its two prompts, for the chat after it."""

    Config: ClassVar[type[FlowConfig]] = DemonstrationsConfig
    Outputs: ClassVar[type[Ports]] = DemonstrationsOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.query = config.query_prompt_template.compile("query_prompt_template")
        self.response = config.response_prompt_template.compile("response_prompt_template")

    def key_problems(self) -> list[Problem]:
        return unfilled_variables((self.query, self.response))

    async def run(self, inputs: Any, run: Run) -> DemonstrationsOutputs:
        del inputs, run
        return DemonstrationsOutputs(
            demonstrations=tuple(
                {
                    "query": self.query.render(each.query_data),
                    "response": self.response.render(each.response_data),
                }
                for each in self.config.data
            )
        )
