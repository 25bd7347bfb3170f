"""A request shown as YAML, beside the words of the text that its parts stand for."""

from __future__ import annotations

from typing import Any

import yaml

from flows.analysis.parser.tokens import tokenize
from flows.semantics.node import Node, Span
from flows.semantics.request import Request
from flows.semantics.tree import parts


def explain(request: Request, text: str) -> str:
    """The request as YAML: each part with the words of the text that it stands for.

    `unread` lists the words of the text that no part stands for.
    """
    unread = {"unread": unread_words(request, text)}
    return _yaml({"text": text, "request": _shown(request, text), **unread})


def request_yaml(request: Request, text: str) -> str:
    """The request alone, each part with the words of the text that it stands for."""
    return _yaml(_shown(request, text))


def _yaml(plain: Any) -> str:
    written: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100)
    return written


def unread_words(request: Request, text: str) -> list[str]:
    """The words of a text that no part of a request stands for, in their order; articles and signs
    are left out."""
    spans = [span for part in parts(request) if isinstance(part, Node) for span in part.spans]
    return [
        text[each.start : each.end]
        for each in tokenize(text)
        if each.kind != "sign" and not any(a <= each.start and each.end <= b for a, b in spans)
    ]


def _shown(value: Any, text: str) -> Any:
    """Plain data of a part without what was not asked, with `words` behind its kind."""
    if isinstance(value, tuple):
        return [_shown(each, text) for each in value]
    if not isinstance(value, Node):
        return value
    fields = type(value).model_fields
    said = {
        name: held
        for name, held in value.__dict__.items()
        if name in fields and name not in ("kind", "spans") and held != fields[name].default
    }
    kind = {"kind": value.__dict__["kind"]} if "kind" in fields else {}
    told = {name: _shown(held, text) for name, held in said.items()}
    return kind | _words(value.spans, text) | told


def _words(spans: tuple[Span, ...], text: str) -> dict[str, str]:
    """The words at some places of a text; ` ... ` between places that are apart."""
    said = " ... ".join(text[start:end] for start, end in sorted(spans))
    return {"words": said} if said else {}
