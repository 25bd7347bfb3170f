"""The agent that says what a result means, each number with its cell."""

from __future__ import annotations

import re
from typing import ClassVar, Final

from pydantic import Field

from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.observation import Caution, Preview
from flows.core.run import Run
from flows.library.analyst.agent import AgentConfig, AgentInputs, AgentOutputs, found
from flows.library.analyst.cited_texts import CitedReply, Teller, unsupported
from flows.library.analyst.result import ResultConfig, ResultFlow
from flows.library.blocks.query import PREVIEW_ROWS
from flows.library.blocks.reading import JsonObject, ReplyProblem, short
from flows.semantics.findings import Finding, OutputType, Told

ACTION: Final = "insights_generation"
MOST: Final = 12
# Of an insight this many characters are read; a reference counts as the number that it becomes.
_LONGEST, _REFERENCE_READ = 1_200, 8
_REFERENCE: Final = re.compile(r"(\{\{.*?\}\})")
_BULLET: Final = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")


class InsightsConfig(AgentConfig):
    """The keys of the agent of insights."""

    description: str = Field(
        default="Says in sentences what a result means: what is highest, what changed, what goes "
        "with what. It works on the result of another task.",
        description="what the flow is for, in a sentence",
    )


class InsightsGeneratorAgentFlow(CompositeFlow):
    """Reads a kept result and has its insights told. A number that no cell holds is sent back once;
    if it stays, it is flagged."""

    required: ClassVar[tuple[str, ...]] = (ACTION,)
    gives: ClassVar[OutputType] = "insights"
    Config: ClassVar[type[FlowConfig]] = InsightsConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = AgentOutputs

    def __init__(self, config: InsightsConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.action = self.subflows[ACTION]
        self.look = ResultFlow(ResultConfig(), Parts("look", services=parts.services))
        self.teller = Teller(parts)
        self.subflows |= {"look": self.look, **self.teller.subflows}

    async def run(self, inputs: AgentInputs, run: Run) -> AgentOutputs:
        looked = await run.call(self.look, {"name": inputs.data})
        table: Preview = looked["table"]
        cautions = _cautions((*looked["cautions"], *inputs.cautions), table)
        asked = {
            "task": inputs.task, "request": inputs.request, "question": inputs.question,
            "context": inputs.context, "table": table.artifact, "columns": table.columns,
            "types": table.types, "rows": table.rows, "total_rows": table.total_rows,
            "truncated": table.truncated, "dictionary": looked["dictionary"],
            "beside": looked["beside"],
            "warnings": tuple(each.text for each in cautions),
        }  # fmt: skip
        given = "\n".join(filter(None, [inputs.question, inputs.task, inputs.context]))
        names = [each.artifact or "" for each in (table, *looked["beside"])]
        _, told = await self.teller.ask(
            run, self.action, asked, _read, given=given, corrections=self.config.corrections,
            among=names,
        )  # fmt: skip
        told = tuple(each for each in told if each.text)
        return found(_finding(table, told, (*cautions, *unsupported(told))))


def _finding(table: Preview, told: tuple[Told, ...], cautions: tuple[Caution, ...]) -> Finding:
    shown = table.model_copy(update={"rows": table.rows[:PREVIEW_ROWS]})
    many = f"{len(told)} insights" if len(told) != 1 else "1 insight"
    return Finding(
        output_type="insights",
        response=f"{many} from {table.artifact}.",
        table=shown,
        insights=told,
        cautions=cautions,
        data_used=(table.artifact or "",),
    )


def _cautions(known: tuple[Caution, ...], table: Preview) -> tuple[Caution, ...]:
    """What came with the data, and what is seen of it; each once."""
    if table.truncated:
        text = f"Only the first {table.total_rows:,} rows of the result were kept."
        known = (*known, Caution(code="truncated", text=text))
    return tuple({each.text: each for each in known}.values())


def _read(reply: JsonObject) -> CitedReply[None]:
    """The insights of a reply. Errors: `ReplyProblem`."""
    given = reply.get("insights")
    if not isinstance(given, list) or not given:
        raise ReplyProblem('"insights" must be a list of sentences, at least one')
    texts = []
    for each in given:
        if not isinstance(each, str) or not each.strip():
            raise ReplyProblem(f'"insights" holds {short(each)}, which is no sentence')
        text = _BULLET.sub("", " ".join(each.split()))
        texts.append(_cut(text))
    return CitedReply(None, tuple(dict.fromkeys(texts))[:MOST])


def _cut(text: str) -> str:
    """A text that is too long to be read, without the last names of its list. How a number is
    referred to is not read, and so does not count."""
    parts = _REFERENCE.split(text)
    shown = 0
    for at, part in enumerate(parts):
        shown += _REFERENCE_READ if at % 2 else len(part)
        if shown > _LONGEST:
            kept = "".join(parts[:at])
            kept += "" if at % 2 else part[: len(part) - (shown - _LONGEST)]
            return f"{_whole(kept)} and others."
    return text


def _whole(text: str) -> str:
    """A text that was cut, up to its last comma; one without commas up to its last word."""
    comma, blank = text.rfind(", "), text.rfind(" ")
    end = comma if comma > len(text) // 2 else blank if blank > len(text) // 2 else len(text)
    return text[:end].rstrip(" ,;")
