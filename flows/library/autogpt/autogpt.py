"""The circular flow that works toward a goal, one command a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pydantic import Field

from flows.core.circular import Rounds
from flows.core.dataflow.facts import KnownKeys
from flows.core.flow import AtomicConfig, CompositeFlow, Flow, FlowConfig, Parts, Problem
from flows.core.observation import Observation
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.core.topology import CompositeConfig, TopologyItem, names_of, unknown_flows
from flows.core.trace import Trace, first_state
from flows.core.values import Values
from flows.errors import LimitReached, PortError, nearest
from flows.library.autogpt.executor import ExecutorFlow
from flows.library.blocks.cite import CiteFlow

CITE: Final = "cite"
CITED: Final = "cited"
OWN_KEYS: Final = ("commands", "citations", "traced")  # of the state, beside the inputs


class AutoGPTConfig(CompositeConfig):
    """The keys of an AutoGPT flow: a circular flow's, and which subflow carries commands out."""

    max_rounds: int | None = Field(default=3, ge=1, strict=True, description="null is no limit")
    early_exit_key: str | None = Field(default="EARLY_EXIT", description="null: take all rounds")
    topology: tuple[TopologyItem, ...] = Field(default=(), description="the steps of a round")
    executor: str = Field(default="Executor", description="the subflow whose branches are commands")
    controller: str = Field(
        default="Controller", description="the subflow that gives a last answer at a limit"
    )


class AutoGPTFlow(CompositeFlow):
    """Takes its steps in rounds, as a circular flow, with a state that also holds `commands`: what
    its executor can do.

    When it ends with an `answer`, each number in it is pointed to its origin, as `citations`, and
    `traced` says of how many one was found. At a limit of the run, with `on_limit: finalize`, the
    controller is asked once more, to end.
    """

    Config: ClassVar[type[FlowConfig]] = AutoGPTConfig

    def __init__(self, config: AutoGPTConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, config.input_interface))
        self.rounds = Rounds(config, self.subflows, parts)
        executor = self.subflows[config.executor]
        assert isinstance(executor, ExecutorFlow)  # wiring has checked it
        self.commands = executor.commands()
        self.executor = executor
        self.cite = CiteFlow(
            AtomicConfig(description="Finds the origin of each number."), Parts(CITE)
        )

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        problems = unknown_flows(config.topology, subflows)
        if CITE in subflows:
            taken = f"the name {CITE!r} is taken by the step that cites the answer"
            problems.append(Problem(taken, ("subflows_config", CITE)))
        if not isinstance(subflows.get(config.executor), ExecutorFlow):
            able = tuple(n for n, flow in subflows.items() if isinstance(flow, ExecutorFlow))
            problems.append(
                Problem(
                    f"the subflow {config.executor!r} is no executor",
                    ("executor",),
                    able,
                    nearest(config.executor, able),
                )
            )
        return problems

    def read_inputs(self, payload: Mapping[str, Any]) -> Any:
        self._check_goal(payload)
        return super().read_inputs(payload)

    def _check_goal(self, values: Mapping[str, Any]) -> None:
        goal = values.get("goal")
        if isinstance(goal, str) and not goal.strip():
            raise PortError(f"{self.name}: the goal is empty")

    def children(self) -> Mapping[str, Flow]:
        return {**self.subflows, CITE: self.cite}

    def graph_values(self) -> Values:
        return {"commands": self.commands}

    def output_names(self) -> frozenset[str]:
        return names_of(self.follow(self.known_inputs(), Trace()))

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        known = first_state(self, given)
        trace.use_all(known)
        return self.rounds.follow(self, known.updated(KnownKeys.named(OWN_KEYS)), trace)

    def _outputs(self, state: Values) -> Values:
        """What is returned, and what was rendered into the answer, for the step that cites it."""
        cited = {CITED: state[CITED]} if state.get(CITED) else {}
        return {**self.rounds.collect(state), **cited}

    def can_finalize(self) -> bool:
        last = self.executor.commands_that_set(self.config.early_exit_key)
        return self.config.controller in self.subflows and bool(last)

    async def _end_at_limit(self, limit: LimitReached, state: Values, run: Run) -> bool:
        """Ask for an answer from what there is, if that was kept back, and end with it. Whether
        the flow came to its end so."""
        if not self.can_finalize() or not run.begin_final():
            return False
        controller = self.subflows[self.config.controller]
        last = self.executor.commands_that_set(self.config.early_exit_key)
        run.notice(f"{str(limit).capitalize()}; a last answer is asked for.")
        asked = {**state, "commands": last, "observation": told(limit, state.get("observation"))}
        decision = await run.call(controller, asked, "Give a last answer", pick=True)
        payload = {
            "branch": decision.get("command", ""),
            "branch_input_data": decision.get("command_args", {}),
            "problem": decision.get("problem", ""),
        }
        state.update(await run.call(self.executor, payload, "End with it"))
        run.stop_unfinished(str(limit))
        return True

    async def run(self, inputs: Any, run: Run) -> Values:
        self._check_goal(inputs.__dict__)
        state: Values = {**inputs.__dict__, **self.graph_values()}
        try:
            await self.rounds.take(state, run)
        except LimitReached as limit:
            if not await self._end_at_limit(limit, state, run):
                limit.outputs = self._outputs(state)
                raise
        outputs = self._outputs(state)
        cited = outputs.pop(CITED, ())
        answer = outputs.get("answer")
        if isinstance(answer, str):
            question = str(getattr(inputs, "goal", ""))
            asked = {"answer": answer, "question": question, CITED: cited}
            outputs |= await run.call(self.cite, asked)
        return outputs


def told(limit: LimitReached, before: Observation | None) -> Observation:
    """What the last command gave, and that no other will be carried out."""
    text = (
        f"{str(limit).capitalize()}. No other command is carried out: end now, with the best "
        "answer that what you know allows, and say in it what is missing."
    )
    if before is None:
        return Observation(kind="error", text=text)
    return before.model_copy(update={"text": f"{before.text}\n\n{text}"})
