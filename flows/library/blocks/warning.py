"""A warning beside a result, as programs and people get it."""

from __future__ import annotations

from flows.core.reply import Reply


class Warned(Reply):
    """Something to know beside a result; `code` is one word for programs."""

    code: str
    text: str
