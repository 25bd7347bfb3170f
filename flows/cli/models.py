"""The model that `--model` names, as overrides of a run file."""

from __future__ import annotations

from flows.services.sources import quoted

# What stands after the colon, by the kind of model.
_DETAIL = {"openai": "model.model", "langchain": "model.model", "replay": "model.path"}
HELP = (
    "Who answers: offline, openai, openai:NAME, langchain:PROVIDER:NAME or replay:FILE. Its other "
    "settings are overrides, as model.base_url=..."
)


def model_overrides(given: str | None) -> list[str]:
    """The overrides for `NAME` or `NAME:DETAIL`. Errors: `UsageError` for another name."""
    if given is None:
        return []
    from flows.errors import UsageError, nearest

    name, _, detail = given.partition(":")
    known = ("offline", *_DETAIL)
    if name not in known:
        meant = nearest(name, known)
        hint = f"\ndid you mean: {meant}" if meant else ""
        raise UsageError(f"there is no model {name!r}{hint}\nallowed: {', '.join(known)}")
    if detail and name not in _DETAIL:
        raise UsageError(f"the model {name} takes nothing after a colon")
    return [f"model={name}", *([f"{_DETAIL[name]}={quoted(detail)}"] if detail else [])]
