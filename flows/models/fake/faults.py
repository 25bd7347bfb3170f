"""The faults that a script can name, and what the server does for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from flows.models.fake.answer import FakeAnswer, error_body

FaultName = Literal[
    "rate_limited",
    "quota_exhausted",
    "unauthorized",
    "unknown_model",
    "context_length",
    "server_error",
    "bad_gateway",
    "overloaded",
    "reset_before",
    "reset_in_reply",
    "closed_in_reply",
    "cut_clean",
    "cut_json",
    "no_finish",
    "silent",
    "slow_drip",
    "endless",
    "error_in_stream",
    "empty_choices",
    "empty_reply",
    "content_filter",
    "refusal",
    "length",
    "html_page",
]


@dataclass(frozen=True, slots=True)
class FakeFault:
    """A fault in words, and the answer that has it. What a turn says besides replaces parts."""

    what: str
    answer: FakeAnswer


_HALF = "The answer to that is"
_PAGE = "<!doctype html>\n<html><body><h1>502 Bad Gateway</h1></body></html>\n"
_TOO_LONG = "This model's maximum context length is 8192 tokens. Your messages have 9001."
_QUOTA = "You exceeded your current quota, please check your plan and billing details."
_SERVER = "The server had an error while processing your request."

FAULTS: Mapping[FaultName, FakeFault] = MappingProxyType({
    "rate_limited": FakeFault(
        "status 429, with `Retry-After` where `retry_after` is given",
        FakeAnswer(
            status=429,
            body=error_body("Rate limit reached for requests.", "rate_limit_exceeded", "requests"),
        ),
    ),
    "quota_exhausted": FakeFault(
        "status 429 with the code `insufficient_quota`",
        FakeAnswer(status=429, body=error_body(_QUOTA, "insufficient_quota", "insufficient_quota")),
    ),
    "unauthorized": FakeFault(
        "status 401",
        FakeAnswer(
            status=401,
            body=error_body("Incorrect API key.", "invalid_api_key"),
        ),
    ),
    "unknown_model": FakeFault(
        "status 404",
        FakeAnswer(
            status=404,
            body=error_body("No such model.", "model_not_found"),
        ),
    ),
    "context_length": FakeFault(
        "status 400 with the code `context_length_exceeded`",
        FakeAnswer(
            status=400,
            body=error_body(_TOO_LONG, "context_length_exceeded"),
        ),
    ),
    "server_error": FakeFault(
        "status 500", FakeAnswer(status=500, body=error_body(_SERVER, None, "server_error"))
    ),
    "bad_gateway": FakeFault("status 502 with an HTML page", FakeAnswer(status=502, body=_PAGE)),
    "overloaded": FakeFault(
        "status 503", FakeAnswer(status=503, body=error_body("Overloaded.", None, "server_error"))
    ),
    "reset_before": FakeFault(
        "the connection is reset before the first byte", FakeAnswer(cut="before")
    ),
    "reset_in_reply": FakeFault(
        "the connection is reset inside of the reply", FakeAnswer(_HALF, cut="reset")
    ),
    "closed_in_reply": FakeFault(
        "the connection is closed inside of the reply", FakeAnswer(_HALF, cut="close")
    ),
    "cut_clean": FakeFault(
        "the reply ends cleanly in its middle, without a finish reason",
        FakeAnswer(_HALF, cut="clean"),
    ),
    "cut_json": FakeFault(
        "the JSON of the answer ends in its middle",
        FakeAnswer(_HALF, cut="json"),
    ),
    "no_finish": FakeFault(
        "the end is announced, but without a finish reason", FakeAnswer(_HALF, finish=None)
    ),
    "silent": FakeFault("nothing is sent, for an hour", FakeAnswer(delay=3600.0)),
    "slow_drip": FakeFault(
        "the reply never ends; a piece comes each second (`pause`)",
        FakeAnswer("and so on ", endless=True, pause=1.0),
    ),
    "endless": FakeFault(
        "the reply never ends, and comes as fast as it can",
        FakeAnswer("and so on and so on ", endless=True, piece=1000),
    ),
    "error_in_stream": FakeFault(
        "after some text an error object (`error`), with status 200",
        FakeAnswer(_HALF, stream_error=error_body(_SERVER, None, "server_error")["error"]),
    ),
    "empty_choices": FakeFault(
        "a completion whose list of choices is empty",
        FakeAnswer(choices=False),
    ),
    "empty_reply": FakeFault("a reply without any text", FakeAnswer("")),
    "content_filter": FakeFault(
        "some text, and the finish reason `content_filter`",
        FakeAnswer(_HALF, finish="content_filter"),
    ),
    "refusal": FakeFault(
        "a refusal instead of text",
        FakeAnswer(message={"role": "assistant", "content": None, "refusal": "I cannot help."}),
    ),
    "length": FakeFault(
        "some text, and the finish reason `length`",
        FakeAnswer(_HALF, finish="length"),
    ),
    "html_page": FakeFault(
        "status 200 with an HTML page",
        FakeAnswer(body="<!doctype html>\n<html><body>Welcome</body></html>\n"),
    ),
})  # fmt: skip
