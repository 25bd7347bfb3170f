"""The agent that has a team of AutoGen learn a model: a modeller, an executor, a reviewer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pydantic import Field

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports, Service
from flows.core.run import Run
from flows.core.values import Values
from flows.data.tables import Table
from flows.errors import CodeFailed, ConfigError
from flows.library.analyst.agent import AgentConfig, AgentInputs, AgentOutputs
from flows.library.analyst.autogen_chat import WRITE, message_of, modeller_flow
from flows.library.analyst.cited_texts import Teller
from flows.library.analyst.human_speaker import HumanSpeakerConfig, HumanSpeakerFlow
from flows.library.analyst.interpreter import NEEDS, CodeInterpreter, Seconds
from flows.library.analyst.measures import with_measures
from flows.library.analyst.modelling import IMPORTANCES, METRICS, PREDICTIONS, CardFlow, said
from flows.library.analyst.writing import (
    made_by_code,
    rows_words,
    told_fault,
    with_new_columns,
)
from flows.library.blocks.chat import ChatConfig
from flows.library.blocks.outcome import fault_text
from flows.semantics.findings import Finding, ModelCard, OutputType

if TYPE_CHECKING:
    from flows.models.autogen_team import TeamReply, TeamTurn

DESCRIBE: Final = "data_dictionary_generator"
_PACKAGE: Final = "autogen_agentchat"


class AutogenConfig(AgentConfig):
    """The keys of an AutoGen modeller. Prompts are names of files."""

    description: str = (
        "Learns a model with a team of AutoGen: one writes the code, one runs it in the sandbox, "
        "one says what is missing, until it is whole. Gives a model with metrics, importances and "
        "predictions."
    )
    seconds: Seconds = None
    model: Service | None = Field(default=None, description="its own model; the run's without it")
    system_prompt: str = "autogen.system.j2"
    first_human_prompt: str = "autogen.first.j2"
    human_prompt: str = "autogen.human.j2"
    human_speaker: bool = Field(
        default=False, description="the person speaks in the team, once a model is whole"
    )
    remarks: int = Field(
        default=3, ge=1, le=20, description="how often a person may have a model learned anew"
    )


@dataclass
class _Chat:
    """Where a chat stands: the code that ran last, what it gave or what is wrong with it. `tries`
    are those since a person spoke last, `whole` is the model that was whole before that."""

    inputs: AgentInputs
    table: Table | None
    task: str = ""
    tries: int = 0
    remarks: int = 0
    whole: tuple[str, Values, ModelCard] | None = None
    code: str = ""
    gave: Values | None = None
    problem: str = ""
    shown: str = ""
    card: ModelCard | None = None


class AutogenModellingAgentFlow(CompositeFlow):
    """Has a team of AutoGen write, run and review the code, three turns for each try.

    AutoGen decides only who speaks and what each is told. Each call of the model and each run of
    code is a step of its own here, so that limits hold and a resumed run repeats none of them.
    """

    required: ClassVar[tuple[str, ...]] = (DESCRIBE,)
    gives: ClassVar[OutputType] = "model"
    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "semantics": "semantics", "human": "human", **NEEDS,
    }  # fmt: skip
    bounded_by: ClassVar[tuple[str, ...]] = ("corrections", "remarks")
    Config: ClassVar[type[FlowConfig]] = AutogenConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = AgentOutputs

    def __init__(self, config: AutogenConfig, parts: Parts) -> None:
        if find_spec(_PACKAGE) is None:
            raise ConfigError(
                f"{parts.name} needs AutoGen, which is not installed: "
                "pip install 'analyst-flows[autogen]'"
            )
        super().__init__(config, parts)
        self.interpreter = CodeInterpreter(parts, config.seconds)
        self.subflows |= self.interpreter.subflows
        modeller = ChatConfig(
            context=("tables",),
            role=WRITE,
            description="Asks the model.",
            system_prompt=config.system_prompt,
            first_human_prompt=config.first_human_prompt,
            human_prompt=config.human_prompt,
        )
        below = {"services": parts.services, "prompt_folders": parts.prompt_folders}
        self.modeller = modeller_flow(modeller, Parts("modeller", **below))  # type: ignore[arg-type]
        self.card = CardFlow(Parts("card", services=parts.services))
        self.describe = self.subflows[DESCRIBE]
        self.teller = Teller(parts)
        mine: dict[str, Flow] = {"modeller": self.modeller, "card": self.card}
        self.person: HumanSpeakerFlow | None = None
        if config.human_speaker:
            self.person = HumanSpeakerFlow(HumanSpeakerConfig(), parts.below("person"))
            mine["person"] = self.person
        self.subflows |= {**mine, **self.teller.subflows}

    def most_of(self, below: Mapping[str, float]) -> float:
        """The modeller in each try, anew after each remark of a person, and the others in each
        correction of what they say."""
        config: AutogenConfig = self.config
        tries = config.corrections + 1
        modelled = tries * (config.remarks + 1 if self.person is not None else 1)
        modeller = below[self.modeller.name]
        return modelled * modeller + tries * (sum(below.values()) - modeller)

    async def run(self, inputs: AgentInputs, run: Run) -> AgentOutputs:
        # AutoGen takes half a second to import, and only this agent needs it.
        from flows.models.autogen_team import SPEAKERS, AutogenTeam

        config: AutogenConfig = self.config
        turns = SPEAKERS * (config.corrections + 1)
        if self.person is not None:
            turns = (SPEAKERS + 1) * (config.corrections + 1) * (config.remarks + 1)
        table = (await run.call(self.interpreter.look, {"data": inputs.data}))["table"]
        chat = _Chat(inputs, table, inputs.task)
        run.reset(self.modeller)  # what was said of another task would mislead it
        async with AutogenTeam(inputs.task, turns, person=self.person is not None) as team:
            while (turn := await team.next()) is not None:
                turn.answer.set_result(await self._take(turn, chat, run))
        if chat.card is None and chat.whole is not None:
            run.notice("What was asked for could not be learned: the model before it is kept.")
            chat.code, chat.gave, chat.card = chat.whole
        if chat.card is None or chat.gave is None:
            raise CodeFailed(f"the AutoGen team learned no model: {chat.problem or 'no code ran'}")
        learned = await self._finding(chat, chat.gave, chat.card, run)
        return await with_measures(learned, chat.gave["kept"], self.teller, run)

    async def _take(self, turn: TeamTurn, chat: _Chat, run: Run) -> TeamReply:
        """Do what a member of the team wants done."""
        from flows.models.autogen_team import EXECUTOR, MODELLER, PERSON, TeamReply

        if turn.speaker == MODELLER:
            return TeamReply(await self._ask(turn.text, chat, run))
        if turn.speaker == EXECUTOR:
            await self._execute(turn.text, chat, run)
            return TeamReply(chat.shown, done=chat.gave is not None)
        if turn.speaker == PERSON:
            return await self._hear(chat, run)
        chat.tries += 1
        remark = await self._review(chat, run)
        return TeamReply(remark or "The model is whole.", done=not remark)

    async def _hear(self, chat: _Chat, run: Run) -> TeamReply:
        """What the person says of a model that is whole; of any other nothing is to be said."""
        from flows.models.autogen_team import TeamReply

        assert self.person is not None
        config: AutogenConfig = self.config
        if chat.card is None or chat.gave is None:
            over = chat.whole is not None and chat.tries > config.corrections
            return TeamReply("It is taken as it was." if over else "Go on.", done=over)
        said = ""
        if chat.remarks < config.remarks:
            heard = await run.call(self.person, {"task": chat.task, "card": chat.card})
            said = heard["said"]
        if not said:
            return TeamReply("It is taken as it is.", done=True)
        chat.whole = (chat.code, chat.gave, chat.card)
        chat.task = f"{chat.task.rstrip('. ')}. {said}"
        chat.remarks, chat.tries = chat.remarks + 1, 0
        chat.code, chat.problem, chat.gave, chat.card = "", "", None, None
        return TeamReply(said)

    async def _ask(self, others: str, chat: _Chat, run: Run) -> str:
        asked = {
            "task": chat.task, "question": chat.inputs.question,
            "context": chat.inputs.context, "data": chat.table, "said": others,
            "code": chat.code, "error": chat.problem,
        }  # fmt: skip
        reply = await run.call(self.modeller, asked)
        chat.gave, chat.problem, chat.shown = None, "", ""
        return message_of(reply["api_output"], reply["finish"])

    async def _execute(self, code: str, chat: _Chat, run: Run) -> None:
        gave, fault = await self.interpreter.execute(code, chat.inputs.data, run)
        chat.code, chat.gave = code, gave
        if fault is None:
            assert gave is not None
            chat.shown = gave["observation"].text
        else:
            chat.problem, chat.shown = fault_text(fault), told_fault(fault)
            run.notice(f"The code failed: {chat.problem}")

    async def _review(self, chat: _Chat, run: Run) -> str:
        """What the team still has to do; "" for nothing."""
        if chat.gave is None:
            chat.problem = chat.problem or "the reply held no code to run"
            return "Nothing has run to its end yet."
        kept: dict[str, str] = chat.gave["kept"]
        card: ModelCard | None = (await run.call(self.card, {"kept": kept}))["card"]
        made = {
            f"{METRICS} with the columns metric, held_out and baseline": card and card.metrics,
            f"{IMPORTANCES} with the columns feature and importance": card and card.importances,
            PREDICTIONS: PREDICTIONS in kept,
        }
        missing = [name for name, there in made.items() if not there]
        if missing:
            chat.problem = f"the code ran but did not make {', '.join(missing)}"
            run.notice(f"The model is not whole: {chat.problem}")
            return f"It is not whole: {chat.problem}."
        chat.card = card
        return ""

    async def _finding(
        self, chat: _Chat, gave: Mapping[str, Any], card: ModelCard, run: Run
    ) -> Finding:
        observation = gave["observation"]
        dictionary = await with_new_columns(
            run, self.describe, {"task": chat.inputs.task, "code": chat.code}, gave["dictionary"],
            made_by_code(gave["dictionary"]), observation.table, self.config.corrections,
        )  # fmt: skip
        finding = Finding(
            output_type="model",
            response=rows_words(observation.table),
            code=chat.code,
            table=observation.table,
            dictionary=dictionary,
            figures=observation.figures,
            model=card,
            cautions=observation.cautions,
            data_used=((chat.inputs.data,) if chat.inputs.data else ()) + tuple(gave["sources"]),
        )
        return finding.model_copy(update={"response": said(card, finding)})
