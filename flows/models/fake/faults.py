"""The faults that a script can name, and what the server does for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from flows.models.fake.answer import Answer, error_body

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
class Fault:
    """A fault in words, and the answer that has it. What a turn says besides replaces parts."""

    what: str
    answer: Answer


_HALF = "The answer to that is"
_PAGE = "<!doctype html>\n<html><body><h1>502 Bad Gateway</h1></body></html>\n"
_TOO_LONG = "This model's maximum context length is 8192 tokens. Your messages have 9001."
_QUOTA = "You exceeded your current quota, please check your plan and billing details."
_SERVER = "The server had an error while processing your request."

FAULTS: Mapping[FaultName, Fault] = MappingProxyType({
    "rate_limited": Fault(
        "status 429, with `Retry-After` where `retry_after` is given",
        Answer(
            status=429,
            body=error_body("Rate limit reached for requests.", "rate_limit_exceeded", "requests"),
        ),
    ),
    "quota_exhausted": Fault(
        "status 429 with the code `insufficient_quota`",
        Answer(status=429, body=error_body(_QUOTA, "insufficient_quota", "insufficient_quota")),
    ),
    "unauthorized": Fault(
        "status 401",
        Answer(
            status=401,
            body=error_body("Incorrect API key.", "invalid_api_key"),
        ),
    ),
    "unknown_model": Fault(
        "status 404",
        Answer(
            status=404,
            body=error_body("No such model.", "model_not_found"),
        ),
    ),
    "context_length": Fault(
        "status 400 with the code `context_length_exceeded`",
        Answer(
            status=400,
            body=error_body(_TOO_LONG, "context_length_exceeded"),
        ),
    ),
    "server_error": Fault(
        "status 500", Answer(status=500, body=error_body(_SERVER, None, "server_error"))
    ),
    "bad_gateway": Fault("status 502 with an HTML page", Answer(status=502, body=_PAGE)),
    "overloaded": Fault(
        "status 503", Answer(status=503, body=error_body("Overloaded.", None, "server_error"))
    ),
    "reset_before": Fault(
        "the connection is reset before the first byte", Answer(cut="before")
    ),
    "reset_in_reply": Fault(
        "the connection is reset inside of the reply", Answer(_HALF, cut="reset")
    ),
    "closed_in_reply": Fault(
        "the connection is closed inside of the reply", Answer(_HALF, cut="close")
    ),
    "cut_clean": Fault(
        "the reply ends cleanly in its middle, without a finish reason", Answer(_HALF, cut="clean")
    ),
    "cut_json": Fault("the JSON of the answer ends in its middle", Answer(_HALF, cut="json")),
    "no_finish": Fault(
        "the end is announced, but without a finish reason", Answer(_HALF, finish=None)
    ),
    "silent": Fault("nothing is sent, for an hour", Answer(delay=3600.0)),
    "slow_drip": Fault(
        "the reply never ends; a piece comes each second (`pause`)",
        Answer("and so on ", endless=True, pause=1.0),
    ),
    "endless": Fault(
        "the reply never ends, and comes as fast as it can",
        Answer("and so on and so on ", endless=True, piece=1000),
    ),
    "error_in_stream": Fault(
        "after some text an error object (`error`), with status 200",
        Answer(_HALF, stream_error=error_body(_SERVER, None, "server_error")["error"]),
    ),
    "empty_choices": Fault("a completion whose list of choices is empty", Answer(choices=False)),
    "empty_reply": Fault("a reply without any text", Answer("")),
    "content_filter": Fault(
        "some text, and the finish reason `content_filter`", Answer(_HALF, finish="content_filter")
    ),
    "refusal": Fault(
        "a refusal instead of text",
        Answer(message={"role": "assistant", "content": None, "refusal": "I cannot help."}),
    ),
    "length": Fault("some text, and the finish reason `length`", Answer(_HALF, finish="length")),
    "html_page": Fault(
        "status 200 with an HTML page",
        Answer(body="<!doctype html>\n<html><body>Welcome</body></html>\n"),
    ),
})  # fmt: skip
