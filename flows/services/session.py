"""A conversation from Python: `flows.chat(data="sales.csv").send("total revenue by region")`."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from flows.core.loop import asynchronous, synchronous
from flows.core.result import RunResult
from flows.errors import FlowsError, UsageError
from flows.library.csv_chat.reply import TurnReply
from flows.runners import door
from flows.services.conversation import Rows, TurnListener, start_conversation
from flows.services.model_choice import read_model
from flows.services.request import DataQuestion, Options
from flows.services.sources import read_sources

Data = str | Path | Sequence[str | Path] | Mapping[str, str | Path]


class ConversationFailed(FlowsError):
    """The run of a conversation ended without telling the turn; the message says why."""


class Conversation:
    """A conversation that takes one turn with each `send`, or `await asend(...)`. Between two turns
    it is a run that waits for its person, so nothing is held open, and another process can go on
    with it."""

    def __init__(
        self,
        request: DataQuestion,
        options: Options,
        *,
        session: str = "",
        runs: str | Path = "runs",
    ) -> None:
        self._request, self._options = request, options
        self._runs = Path(runs)
        self.session = session
        self.turns: list[TurnReply] = []
        self.rows: Rows = ()

    def start_turn(self, text: str) -> Coroutine[Any, Any, TurnReply]:
        """What a person's words come to. `rows` has all rows of its result then.

        Errors: `UsageError` for a text without words, and for one that ends a conversation;
        `ConfigError` for data that nothing can be asked of; `ConversationFailed`.
        """
        if not text.strip():
            raise UsageError("nothing is said")
        told: list[TurnReply] = []

        def tell(reply: TurnReply, rows: Rows) -> None:
            told.append(reply)
            self.rows = rows

        if self.session:
            going = door.start_resume(
                self.session, runs=self._runs, answer=text, listeners=(TurnListener(tell),),
                trust=self._options.trust,
            )  # fmt: skip
        else:
            asked = DataQuestion(text, self._request.sources)
            going = start_conversation(asked, self._options, tell=tell)
        return self._turn(going, told)

    send = synchronous(start_turn, "send")
    asend = asynchronous(start_turn, "asend")

    async def _turn(
        self, going: Coroutine[Any, Any, RunResult], told: Sequence[TurnReply]
    ) -> TurnReply:
        result = await going
        self.session, self._runs = result.run_id, result.folder.parent
        if not told:
            raise ConversationFailed(result.reason or f"the run {result.run_id} is over")
        self.turns.append(told[-1])
        return told[-1]


def chat(
    data: Data = (),
    *,
    model: str | None = None,
    overrides: Sequence[str] = (),
    session: str | None = None,
    runs: str | Path = "runs",
    trust: Sequence[str] = (),
) -> Conversation:
    """A conversation about data: a path or an address, several, or several by their names.

    `model` is that of `flows chat --model`, `overrides` are keys of the run file (`runs=FOLDER`).
    With a `session`, the id of an earlier one in the folder `runs`, it goes on with that.

    Errors: `UsageError` without data and without a session, and for a model that there is not.
    """
    if not data and session is None:
        raise UsageError('there is no data to talk about; as: flows.chat(data="FILE")')
    if isinstance(data, Mapping):
        given = [f"{name}={where}" for name, where in data.items()]
    else:
        given = [str(data)] if isinstance(data, str | Path) else [str(each) for each in data]
    request = DataQuestion("", read_sources(given, origin="data"))
    options = Options(tuple(overrides), read_model(model), "detached", trust=tuple(trust))
    return Conversation(request, options, session=session or "", runs=runs)
