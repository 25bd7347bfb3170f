"""What comes of a reply that was cut, by who asked for it: rows that docs and tests share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flows.core.events import Status
from flows.models.fake.answer import FakeAnswer

LENGTH: Final = "was cut at its length limit"
FILTER: Final = "was stopped by the provider's content filter"

_CHAT = """\
defaults: [{model: openai}, _self_]
name: Talk
_target_: sequential
input_interface: [question]
output_interface: [api_output]
subflows_config: {Chat: {_target_: chat}}
topology: [{goal: Say it, flow: Chat}]
"""
_AUTO = """\
defaults: [autogpt, override human: never, override model: openai, _self_]
max_rounds: 1
data: {sales: sales.csv}
"""
_ASK = "defaults: [ask, override model: openai, override human: never, _self_]\n" + (
    "data: {sales: sales.csv}\n"
)
_AGENT = """\
defaults: [{model: openai}, _self_]
name: Agent
_target_: sequential
data: {sales: sales.csv}
input_interface: [task]
output_interface: [finding]
subflows_config:
  Agent:
    _target_: analyst.data_processor
    subflows_config:
      sql_generation: {_target_: action.sql_generation}
      data_dictionary_generator: {_target_: action.data_dictionary_generator}
topology: [{goal: Do it, flow: Agent}]
"""


def _json(**reply: Any) -> FakeAnswer:
    return FakeAnswer(json.dumps(reply))


_DONE = _json(thought="so", command="finish", command_args={"answer": "Done."})
_TOTAL = "SELECT SUM(amount) AS total FROM sales"
_PROPOSED = _json(sql=_TOTAL, confidence=0.9, explanation="as asked")
_QUERY = _json(sql=_TOTAL)
_DESCRIBED = _json(columns=[{"name": "total", "description": "The sum.", "unit": ""}])


@dataclass(frozen=True)
class CutRow:
    """Who asks, in which run, the whole replies of that run, and which of them is cut.

    `flow` is the path of the chat, as the reason names it. `once` and `always` are the run's status
    when the reply is cut the first time, and each time that it is asked for; `tries` how often that
    is. `then` says in words what the run goes on with.
    """

    name: str
    flow: str
    text: str
    inputs: Mapping[str, Any]
    replies: tuple[FakeAnswer, ...]
    cut: int
    once: Status
    always: Status
    tries: int
    then: str

    def in_words(self) -> tuple[str, str]:
        """The cells of the table."""
        again = f"asked again, then `{self.once}`"
        first = again if self.tries > 1 else f"not asked again: `{self.once}`"
        return first, f"`{self.always}`: {self.then}"


ROWS: Final = (
    CutRow(
        "a `chat`", "Chat", _CHAT, {"question": "Why?"}, (FakeAnswer("Because."),), 0,
        "degraded", "degraded", 1, "its outputs are the text as far as it came, and `finish`",
    ),
    CutRow(
        "a controller", "Controller/chat", _AUTO, {"goal": "Which region sold most?"}, (_DONE,), 0,
        "finished", "unfinished", 3, "no command runs in that round",
    ),
    CutRow(
        "`ask`, for a query", "analyst", _ASK, {"question": "What is the total?"},
        (_PROPOSED, FakeAnswer("It is {{last[0].total}}.")), 0,
        "finished", "failed", 3, "nothing is run",
    ),
    CutRow(
        "`ask`, for the words of an answer", "narrator", _ASK, {"question": "What is the total?"},
        (_PROPOSED, FakeAnswer("It is {{last[0].total}}.")), 1,
        "finished", "degraded", 3, "the last text as far as it came, with the warning `cut`",
    ),
    CutRow(
        "an agent, for what it cannot do without", "Agent/sql_generation", _AGENT,
        {"task": "Get the total."}, (_QUERY, _DESCRIBED), 0,
        "finished", "failed", 3, "its task has failed; the others of a team go on",
    ),
    CutRow(
        "an agent, for what it can do without", "Agent/data_dictionary_generator", _AGENT,
        {"task": "Get the total."}, (_QUERY, _DESCRIBED), 1,
        "finished", "degraded", 3, "what the rules make in its place",
    ),
)  # fmt: skip


def table() -> str:
    """The table in Markdown."""
    lines = ["| who asked | cut once | cut each time |", "|---|---|---|"]
    lines += [f"| {' | '.join((row.name, *row.in_words()))} |" for row in ROWS]
    return "\n".join(lines)
