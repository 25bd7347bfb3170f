"""What happens for each fault of a provider: rows of a table that docs and tests share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.core.chat import Finish
from flows.errors import (
    ModelError,
    ModelOverloaded,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnreachable,
)
from flows.models.fake.faults import FAULTS, FaultName

ATTEMPTS = 3
# Limits of the model under test, so wide that a busy machine does not reach them by itself.
SETTINGS: Mapping[str, Any] = {
    "timeout_idle": 30.0,
    "timeout_total": 60.0,
    "max_reply_bytes": 20_000,
    "retry": {"attempts": ATTEMPTS, "wait_max": 0.02},
}


# Of a fault that never ends by itself a limit is the end, which has to come soon. The others stay
# far away, so that none but this one can be reached.
IDLE_SOON: Mapping[str, Any] = {"timeout_idle": 0.5}
TOTAL_SOON: Mapping[str, Any] = {"timeout_total": 2.5}


@dataclass(frozen=True)
class Fails:
    """The model raises `error`, whose message holds `said`, after so many requests.

    `shown`: text had arrived and was given to whoever listens. `limits` are set besides those that
    all have.
    """

    error: type[ModelError]
    said: str
    requests: int = 1
    shown: bool = False
    limits: Mapping[str, Any] = field(default_factory=dict)

    def in_words(self) -> str:
        """The cell of the table."""
        how = f"asked {self.requests} times, then" if self.requests > 1 else "not asked again:"
        if self.shown and self.error.transient:
            how = "not asked again, as some text was shown:"
        return f"{how} `{self.error.__name__}`, exit {self.error.exit_code}: “{self.said}”"


@dataclass(frozen=True)
class Ends:
    """The model replies; `finish` says that the reply is not whole.

    A controller never reads it as a command. Its model is told `said` and asked again.
    """

    finish: Finish
    said: str
    limits: Mapping[str, Any] = field(default_factory=dict)

    def in_words(self) -> str:
        """The cell of the table."""
        return f"a reply that ended with `{self.finish}`; the model is told: “{self.said}”"


Outcome = Fails | Ends


@dataclass(frozen=True)
class Row:
    """A fault, how it ends streamed and not, and what the script's turn says besides."""

    fault: FaultName
    streamed: Outcome
    unlike_streamed: Outcome | None = None
    turn: Mapping[str, Any] = field(default_factory=dict)
    besides: str = ""

    @property
    def whole(self) -> Outcome:
        return self.unlike_streamed or self.streamed

    @property
    def name(self) -> str:
        return f"`{self.fault}`{self.besides}"

    @property
    def what(self) -> str:
        return FAULTS[self.fault].what

    def script(self, **more: Any) -> dict[str, Any]:
        """The turn of a script that has the fault."""
        return {"fault": self.fault, **self.turn, **more}


def cut(said: str, whole: str = "") -> tuple[Outcome, Outcome]:
    """A fault inside of the reply: in a stream some of it was shown by then."""
    shown = Fails(ModelUnreachable, said, shown=True)
    return shown, Fails(ModelUnreachable, whole or said, ATTEMPTS)


CUT = "the reply was cut at its length limit; answer more shortly"
FILTERED = "the reply was stopped by the provider's content filter"
TOTAL = "gave no whole reply within timeout_total"
OVERLOADED = "ended the reply with an error: The server had an error"
NOT_A_REPLY = "did not answer with a chat completion but with an HTML page"

ROWS: tuple[Row, ...] = (
    Row("rate_limited", Fails(ModelOverloaded, "429 Too Many Requests", ATTEMPTS)),
    Row(
        "rate_limited",
        Fails(ModelOverloaded, "429 Too Many Requests", ATTEMPTS),
        turn={"retry_after": 0.01},
        besides=" with a short `Retry-After`",
    ),
    Row(
        "rate_limited",
        Fails(ModelOverloaded, "it asks to wait 60 s"),
        turn={"retry_after": 60},
        besides=" with a `Retry-After` longer than `retry.wait_max`",
    ),
    Row("quota_exhausted", Fails(ModelRefused, "the account has no quota left")),
    Row("unauthorized", Fails(ModelRefused, "the key is missing or not allowed")),
    Row("unknown_model", Fails(ModelRefused, "no such model or address")),
    Row(
        "context_length",
        Fails(ModelRefused, "the prompt is longer than the model's context"),
    ),
    Row("server_error", Fails(ModelOverloaded, "500 Internal Server Error", ATTEMPTS)),
    Row("bad_gateway", Fails(ModelOverloaded, "502 Bad Gateway: an HTML page", ATTEMPTS)),
    Row("overloaded", Fails(ModelOverloaded, "503 Service Unavailable", ATTEMPTS)),
    Row("reset_before", Fails(ModelUnreachable, "Connection reset by peer", ATTEMPTS)),
    Row("reset_in_reply", *cut("Connection reset by peer")),
    Row("closed_in_reply", *cut("peer closed connection")),
    Row("cut_clean", *cut("cut the reply off before its end", "JSON that is cut or damaged")),
    Row("cut_json", *cut("JSON that is cut or damaged")),
    Row(
        "no_finish",
        Fails(ModelReplyInvalid, "ended the reply without a finish reason", shown=True),
    ),
    Row(
        "silent",
        Fails(
            ModelUnreachable, "was silent for longer than timeout_idle", ATTEMPTS, limits=IDLE_SOON
        ),
        Fails(ModelUnreachable, TOTAL, limits=TOTAL_SOON),
    ),
    Row(
        "slow_drip",
        Fails(ModelUnreachable, TOTAL, shown=True, limits=TOTAL_SOON),
        Fails(ModelUnreachable, TOTAL, limits=TOTAL_SOON),
        turn={"pause": 0.05},
    ),
    Row(
        "endless",
        Fails(ModelReplyInvalid, "larger than max_reply_bytes allows", shown=True),
        Fails(ModelReplyInvalid, "larger than max_reply_bytes allows"),
    ),
    Row(
        "error_in_stream",
        Fails(ModelOverloaded, OVERLOADED, shown=True),
        Fails(ModelOverloaded, OVERLOADED, ATTEMPTS),
    ),
    Row("empty_choices", Fails(ModelReplyInvalid, "answered with no choice")),
    Row("empty_reply", Fails(ModelReplyInvalid, "ended the reply without any text")),
    Row("html_page", Fails(ModelReplyInvalid, NOT_A_REPLY)),
    Row("content_filter", Ends("content_filter", FILTERED)),
    Row("refusal", Ends("content_filter", FILTERED)),
    Row("length", Ends("length", CUT)),
)


def table() -> str:
    """The table in Markdown."""
    lines = ["| fault | what the provider does | streamed | not streamed |", "|---|---|---|---|"]
    for row in ROWS:
        cells = (row.name, row.what, row.streamed.in_words(), row.whole.in_words())
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
