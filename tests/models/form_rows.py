"""How an endpoint is asked for a reply of a schema: rows that docs and tests share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from flows.models.fake.endpoints import EndpointName

STRICT, LOOSE = "its schema, strict", "its schema"
IN_MODE, JSON, PROMPT = "JSON mode with its schema", "JSON mode", "the prompt alone"


@dataclass(frozen=True)
class FormRow:
    """A kind of endpoint, as the fake model plays it, and the forms that it is asked in at first:
    all but the last are refused. From then on it is asked in the last."""

    endpoint: EndpointName
    like: str
    first: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"`{self.endpoint}`"

    @property
    def then(self) -> str:
        return self.first[-1]


ROWS: Final = (
    FormRow("openai", "OpenAI's", (STRICT,)),
    FormRow("lm_studio", "LM Studio's, which has no JSON mode", (STRICT,)),
    FormRow("older_openai", "older models of OpenAI", (STRICT, IN_MODE, JSON)),
    FormRow("deepseek", "DeepSeek's", (STRICT, IN_MODE, JSON)),
    FormRow("llama_cpp", "an older llama.cpp, which answers with status 500", (STRICT, IN_MODE)),
    FormRow(
        "llama_cpp_python", "llama-cpp-python's, which answers with status 422", (STRICT, IN_MODE)
    ),
    FormRow("first_openai", "OpenAI's first models", (STRICT, IN_MODE, JSON, PROMPT)),
)


def form_of(body: dict[str, Any]) -> str:
    """The form of reply that a request asks for."""
    form = body.get("response_format")
    if form is None:
        return PROMPT
    if form["type"] == "json_object":
        return IN_MODE if "schema" in form else JSON
    return STRICT if form["json_schema"]["strict"] else LOOSE


def table() -> str:
    """The table in Markdown."""
    lines = ["| endpoint | like | asked first by | and from then on by |", "|---|---|---|---|"]
    for row in ROWS:
        first = ", then by ".join(row.first)
        lines.append(f"| {row.name} | {row.like} | {first} | {row.then} |")
    return "\n".join(lines)
