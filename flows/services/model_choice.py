"""The model that answers, as a person names it: `offline`, `openai:gpt-5-mini`, `replay:FILE`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flows.config.settings import Choice, Setting
from flows.errors import UsageError, nearest

OFFLINE: Final = "offline"
# The key of the config that stands after the colon, by the kind of model.
_DETAIL: Final = {
    "openai": "model.model",
    "langchain": "model.model",
    "llama": "model.path",
    "replay": "model.path",
}


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """An option of the config group `model`, with its model's name or its file (`detail`)."""

    kind: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.detail}" if self.detail else self.kind

    def settings(self) -> Iterator[Setting | Choice]:
        """What is set in a run file for it."""
        origin = f"--model {self}"
        yield Choice("model", self.kind, origin)
        if self.detail:
            yield Setting(_DETAIL[self.kind], self.detail, origin)


def read_model(given: str | None) -> ModelChoice | None:
    """The choice that `KIND` or `KIND:DETAIL` stands for. Errors: `UsageError` for another kind."""
    if given is None:
        return None
    kind, _, detail = given.partition(":")
    known = (OFFLINE, *_DETAIL)
    if kind not in known:
        meant = nearest(kind, known)
        hint = f"\ndid you mean: {meant}" if meant else ""
        raise UsageError(f"there is no model {kind!r}{hint}\nallowed: {', '.join(known)}")
    if detail and kind not in _DETAIL:
        raise UsageError(f"the model {kind} takes nothing after a colon")
    return ModelChoice(kind, detail)
