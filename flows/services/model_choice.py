"""The model that answers, as a person names it: `offline`, `openai:gpt-5-mini`, `llama:FILE`,
`tiered:openai:gpt-5-mini` for rules first and that model for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flows.config.settings import Choice, Setting
from flows.errors import UsageError, nearest

OFFLINE: Final = "offline"
TIERED: Final = "tiered"
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
        if self.kind == TIERED:
            yield Setting("model.then", _section(self.detail), origin)
        elif self.detail:
            yield Setting(_DETAIL[self.kind], self.detail, origin)


def read_model(given: str | None) -> ModelChoice | None:
    """The choice that `KIND` or `KIND:DETAIL` stands for. Errors: `UsageError` for another kind."""
    if given is None:
        return None
    kind, _, detail = given.partition(":")
    known = (OFFLINE, *_DETAIL, TIERED)
    if kind not in known:
        meant = nearest(kind, known)
        hint = f"\ndid you mean: {meant}" if meant else ""
        raise UsageError(f"there is no model {kind!r}{hint}\nallowed: {', '.join(known)}")
    if kind == TIERED:
        _check_then(detail)
    elif detail and kind not in _DETAIL:
        raise UsageError(f"the model {kind} takes nothing after a colon")
    return ModelChoice(kind, detail)


def _check_then(detail: str) -> None:
    """Errors: `UsageError` for what is no model for the rest, with its own name."""
    then = read_model(detail) if detail else None
    if then is None or then.kind in (OFFLINE, TIERED) or not then.detail:
        raise UsageError(
            "the model tiered wants one for the rest, with its name: tiered:openai:NAME, "
            "tiered:langchain:PROVIDER:NAME or tiered:llama:FILE"
        )


def _section(detail: str) -> dict[str, str]:
    """The config of the model that `KIND:DETAIL` names."""
    kind, _, given = detail.partition(":")
    return {"_target_": f"model.{kind}", _DETAIL[kind].removeprefix("model."): given}
