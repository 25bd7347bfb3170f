"""The agent that answers the question from the results of all tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, get_args

from pydantic import Field
from pydantic_core import to_jsonable_python

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports, Problem, missing_subflows
from flows.core.run import Run
from flows.library.analyst.action_calls import ActionFailed
from flows.library.analyst.actions import TaskOutcome
from flows.library.analyst.cited_texts import CitedReply, Teller, named_in, unsupported
from flows.library.analyst.collate import collate
from flows.library.analyst.result import ResultConfig, ResultFlow
from flows.library.blocks.reading import JsonObject, ReplyProblem, short
from flows.report.report import Answered
from flows.semantics.findings import TaskResult, Told

ACTION: Final = "summary_generation"
_LONGEST: Final = 12_000
_LIMITS: Final = 12


class SummarizerConfig(FlowConfig):
    """The keys of a summarizer."""

    description: str = Field(
        default="Answers the question from all that was found.",
        description="what the flow is for, in a sentence",
    )
    subflows_config: dict[str, Any] = Field(default={}, description="its action, by name")
    corrections: int = Field(default=2, ge=0, le=10, description="further tries after a fault")
    most_rows: int = Field(
        default=200, ge=1, le=5_000, description="rows of a result that it looks at"
    )


class SummarizerInputs(Ports):
    """A question, what came of its tasks, and what is known beside the data."""

    question: str = Field(min_length=1)
    results: tuple[TaskResult, ...] = ()
    context: str = ""


class SummarizerOutputs(Ports):
    """The summary with the origin of its numbers; whether it answers the question; what a reader
    must not conclude."""

    summary: Told
    answered: Answered
    limits: tuple[str, ...] = ()


class SummarizerAgentFlow(CompositeFlow):
    """Collates the results and has them summed up. A number that nothing holds is sent back once;
    if it stays, a limit says so."""

    Config: ClassVar[type[FlowConfig]] = SummarizerConfig
    Inputs: ClassVar[type[Ports]] = SummarizerInputs
    Outputs: ClassVar[type[Ports]] = SummarizerOutputs

    def __init__(self, config: SummarizerConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.action = self.subflows[ACTION]
        looking = ResultConfig(most_rows=config.most_rows)
        self.look = ResultFlow(looking, Parts("look", services=parts.services))
        self.teller = Teller(parts)
        self.subflows |= {"look": self.look, **self.teller.subflows}

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        return missing_subflows("a summarizer", subflows, (ACTION,))

    async def run(self, inputs: SummarizerInputs, run: Run) -> SummarizerOutputs:
        outcomes = await self._with_rows(collate(inputs.results), run)
        asked = {"question": inputs.question, "context": inputs.context, "results": outcomes}
        try:
            answered, told = await self.teller.ask(
                run, self.action, asked, _read, given=_given(inputs),
                corrections=self.config.corrections,
                among=_spoken_of(outcomes),
            )  # fmt: skip
            if not told[0].text:
                raise ActionFailed("the summary refers to what is not there")
        except ActionFailed as error:
            answered, told = await self._by_rules(asked, inputs, str(error), run)
        summary, *limits = told
        kept = [each.text for each in limits if each.text]
        kept += [each.text for each in unsupported((summary,))]
        if not any(each.status == "done" for each in inputs.results) and not inputs.context:
            answered = "unanswered"
        return SummarizerOutputs(
            summary=summary, answered=answered, limits=tuple(dict.fromkeys(kept))
        )

    async def _by_rules(
        self, asked: Mapping[str, Any], inputs: SummarizerInputs, why: str, run: Run
    ) -> tuple[Answered, tuple[Told, ...]]:
        """The summary that the embedded model gives, where the model gave none: what the team has
        found is not lost. Errors: `ActionFailed`."""
        from flows.analysis.team.summary import summarize  # the rules of the embedded model

        draft = _read(summarize(to_jsonable_python(asked), ()))
        told = await self.teller.tell(run, draft.texts, _given(inputs))
        if isinstance(told, str):
            raise ActionFailed(f"{why}; the one by rules does not hold either: {told}")
        note = (
            "The model gave no summary that could be used, so this one was put together by rules."
        )
        return draft.reply, (*told, Told(text=note))

    async def _with_rows(
        self, outcomes: Sequence[TaskOutcome], run: Run
    ) -> tuple[TaskOutcome, ...]:
        """The outcomes with more rows of their tables than a preview has; each is read once."""
        known: dict[str, tuple[Any, ...]] = {}
        found = []
        for each in outcomes:
            more = len(each.rows) < each.total_rows <= self.config.most_rows
            if more and each.table and each.table not in known:
                looked = await run.call(self.look, {"name": each.table})
                known[each.table] = looked["table"].rows
            rows = known.get(each.table, each.rows)
            found.append(each.model_copy(update={"rows": rows}))
        return tuple(found)


def _spoken_of(outcomes: Sequence[TaskOutcome]) -> list[str]:
    """The results that the outcomes have and those that their insights refer to."""
    names = [each.table for each in outcomes if each.table]
    names += [name for each in outcomes for text in each.insights for name in named_in(text)]
    return list(dict.fromkeys(names))


def _given(inputs: SummarizerInputs) -> str:
    """Where a number may have been given: the question, documents, tasks, why a task failed."""
    said = [inputs.question, inputs.context]
    for each in inputs.results:
        said += [each.task.description, *(caution.text for caution in each.finding.cautions)]
        if each.status != "done":
            said.append(each.finding.response)
    return "\n".join(filter(None, said))


def _read(reply: JsonObject) -> CitedReply[Answered]:
    """The summary and the limits of a reply. Errors: `ReplyProblem`."""
    summary, answered, limits = (reply.get(each) for each in ("summary", "answered", "limits"))
    if not isinstance(summary, str) or not summary.strip():
        raise ReplyProblem('"summary" must be a text')
    if len(summary) > _LONGEST:
        raise ReplyProblem(f"the summary has {len(summary):,} characters, of at most {_LONGEST:,}")
    chosen = next((each for each in get_args(Answered) if each == answered), None)
    if chosen is None:
        names = ", ".join(get_args(Answered))
        raise ReplyProblem(f'"answered" must be one of {names}, not {short(answered)}')
    if limits is None:
        limits = []
    if not isinstance(limits, list) or not all(isinstance(each, str) for each in limits):
        raise ReplyProblem('"limits" must be a list of sentences')
    kept = [" ".join(each.split()) for each in limits if each.strip()][:_LIMITS]
    return CitedReply(chosen, (summary.strip(), *kept))
