"""The clarifier: what a person's words mean after the turns before them, or what to ask back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from flows.analysis.conversation.turn import ConversationTurn, TurnOption
from flows.core.chat import Finish
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.reply import Reply
from flows.core.run import Run
from flows.library.blocks.agent_chat import AgentChatConfig, agent_chat
from flows.library.blocks.correction import propose
from flows.library.blocks.reading import ReplyProblem, fit, read_object
from flows.library.csv_chat.agent import OVER_DATA, PROMPTS
from flows.semantics.request import Request

_MOST_OPTIONS: Final = 4


class ClarifierConfig(AgentChatConfig):
    """The keys of a clarifier."""

    description: str = Field(
        default="Reads what a person said after what was said before.",
        description="what the flow is for, in a sentence",
    )
    system_prompt: str = "clarification.system.j2"
    human_prompt: str = "clarification.human.j2"
    answer_above: float = Field(
        default=0.4, ge=0, le=1, description="with less confidence it asks back"
    )
    ask_above: float = Field(
        default=0.2, ge=0, le=1, description="with less confidence nothing is answered or asked"
    )
    turns_seen: int = Field(default=20, ge=1, description="earlier turns that it looks at")


class ClarifierInputs(Ports):
    """What was said, and the turns before it. `previous_question` and `previous_summary` are those
    of the last turn that was answered."""

    session_id: str = ""
    original_question: str
    previous_question: str = ""
    previous_summary: str = ""
    turns: tuple[ConversationTurn, ...] = ()


class _ClarificationInputs(ClarifierInputs):
    answer_above: float = 0.0
    ask_above: float = 0.0
    correction: str = ""


def _options(value: object) -> object:
    """Options of a language model are questions in words."""
    if isinstance(value, list | tuple):
        return [{"label": e, "question": e} if isinstance(e, str) else e for e in value]
    return value


class ClarificationReply(Reply):
    """What a clarifier replies. `reply` is said where nothing is asked of the data, or, `declined`,
    where the data cannot answer it. `assumed` says what was taken for granted, `left_out` which
    words nothing stands for."""

    need_clarification: Literal["yes", "no"]
    clarification_question: str = ""
    options: Annotated[tuple[TurnOption, ...], BeforeValidator(_options)] = ()
    modified_question: str = ""
    reply: str = ""
    declined: bool = False
    request: SkipJsonSchema[Request | None] = None
    confidence: float = Field(default=1.0, ge=0, le=1)
    assumed: str = ""
    left_out: SkipJsonSchema[str] = ""


class ClarifierOutputs(Ports):
    """As the reply of the model, checked."""

    need_clarification: Literal["yes", "no"] = "no"
    clarification_question: str = ""
    options: tuple[TurnOption, ...] = ()
    modified_question: str = ""
    reply: str = ""
    declined: bool = False
    request: Request | None = None
    confidence: float = 1.0
    assumed: str = ""
    left_out: str = ""


class ClarifierFlow(CompositeFlow):
    """Asks a model in the role `clarification` what is meant. A reply that says neither a question,
    nor what to ask back, nor something to say goes back to it."""

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "semantics": "semantics",
    }  # fmt: skip
    bounded_by: ClassVar[tuple[str, ...]] = ("turns",)
    Config: ClassVar[type[FlowConfig]] = ClarifierConfig
    Inputs: ClassVar[type[Ports]] = ClarifierInputs
    Outputs: ClassVar[type[Ports]] = ClarifierOutputs

    def __init__(self, config: ClarifierConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = agent_chat(
            config,
            parts,
            "clarification",
            _ClarificationInputs,
            ClarificationReply,
            prompts=PROMPTS,
            context=OVER_DATA,
        )
        self.subflows = {self.chat.name: self.chat}

    def most_of(self, below: Mapping[str, float]) -> float:
        turns: int = self.config.turns
        return turns * below[self.chat.name]

    async def run(self, inputs: ClarifierInputs, run: Run) -> ClarifierOutputs:
        config: ClarifierConfig = self.config
        asked = {
            **inputs.__dict__,
            "turns": inputs.turns[-config.turns_seen :],
            "answer_above": config.answer_above,
            "ask_above": config.ask_above,
        }
        reply = await propose(
            run, self.chat, asked, _read, _checked, corrections=config.turns - 1,
            speaker="The clarifier's reply",
        )  # fmt: skip
        return ClarifierOutputs.model_validate(reply.__dict__)


def _read(text: str, finish: Finish) -> ClarificationReply:
    return fit(ClarificationReply, read_object(text, finish))


async def _checked(reply: ClarificationReply) -> ClarificationReply:
    """The reply, with no more options than people choose from. Errors: `ReplyProblem`."""
    if reply.need_clarification == "yes":
        if not reply.clarification_question.strip():
            raise ReplyProblem('"clarification_question" must say what is asked back')
        return reply.model_copy(update={"options": reply.options[:_MOST_OPTIONS]})
    given: dict[str, Any] = {
        "modified_question": reply.modified_question.strip(), "reply": reply.reply.strip()
    }  # fmt: skip
    if not any(given.values()):
        raise ReplyProblem('one of "modified_question" and "reply" must say something')
    return reply
