"""Calls that are not made again: `enable_cache` of aiflows.

As there, a call is the same where the config, the state and the inputs of the flow are, but for the
keys that are to be ignored, and it is found again by later runs in the same working folder. What is
kept is JSON, a file for each call, and holds no key of a provider. A run that is taken up or
replayed goes by its own record alone.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json, to_jsonable_python

from flows.config.secret import without_secrets
from flows.core.artifacts import write_whole
from flows.core.flow import Ports, Problem
from flows.core.run import Run
from flows.core.values import Values
from flows.errors import StepError
from flows.library.aiflows.keys import AiflowsKeys

FOLDER: Final = Path(".flows/cache")
SWITCH: Final = "FLOW_DISABLE_CACHE"
_OURS: Final = frozenset({"compat", "retry", "timeout", "effect", "enable_cache"})
P = TypeVar("P", bound=Ports)


def is_cache_on() -> bool:
    """Whether calls are cached at all, which the environment can say, as in aiflows."""
    return os.environ.get(SWITCH, "false").lower() == "false"


def cache_problems(config: Any) -> list[Problem]:
    """The problem of a composite whose class has no calls to keep, where its file wants them
    kept."""
    wanted = isinstance(config, AiflowsKeys) and config.enable_cache and is_cache_on()
    if not wanted or config.kept_as:
        return []
    text = (
        "a composite is not cached but by a class of its own with SUPPORTS_CACHING = True: turn it "
        "on for the flows below it; aiflows refuses it at the first call"
    )
    return [Problem(text, _WHERE)]


_WHERE: Final = ("enable_cache",)


@dataclass(frozen=True)
class CallCache:
    """The kept calls of one flow. `who` is its class, with the name of the model that it asks, and
    `config` its keys. The other three are keys at the top that make no difference."""

    who: str
    config: Mapping[str, Any]
    ignored_config: Collection[str]
    ignored_state: Collection[str]
    ignored_inputs: Collection[str]

    @classmethod
    def of(cls, who: str, config: Mapping[str, Any]) -> CallCache | None:
        """That of a flow with these keys; None where nothing is to be kept."""
        if not config.get("enable_cache") or not is_cache_on():
            return None
        ignored = (
            tuple(config.get(f"keys_to_ignore_for_hash_{each}") or ())
            for each in ("flow_config", "flow_state", "input_data")
        )
        return cls(who, config, *ignored)

    def file(self, state: Mapping[str, Any], inputs: Mapping[str, Any]) -> Path:
        """Where the outputs of such a call are, if it was made."""
        parts = (
            self.who,
            without_secrets(_plain(self.config, {*self.ignored_config, *_OURS})),
            _plain(state, self.ignored_state),
            _plain(inputs, self.ignored_inputs),
            sorted(self.ignored_inputs),
        )
        return FOLDER / f"{blake2b(to_json(parts), digest_size=20).hexdigest()}.json"


async def cached(
    cache: CallCache | None,
    kind: type[P],
    state: Mapping[str, Any],
    inputs: Mapping[str, Any],
    run: Run,
    make: Callable[[], Awaitable[P]],
    *,
    keeps: Callable[[P], bool] = lambda _: True,
) -> P:
    """The outputs of an earlier call like this, or those that are made now, and kept if they are
    what is wanted.

    Errors: `StepError` for a kept call that cannot be read; as of `make`.
    """
    if cache is None:
        return await make()
    file = cache.file(state, inputs)
    if (found := read_kept(file, TypeAdapter(kind), run)) is not None:
        return found
    made = await make()
    if keeps(made):
        write_kept(file, made)
    return made


def read_kept(file: Path, kind: TypeAdapter[P], run: Run) -> P | None:
    """The call that is kept in a file, which the run is told of; None if there is none.

    Errors: `StepError` for one that cannot be read.
    """
    if not file.is_file():
        return None
    try:
        outputs = kind.validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise StepError(
            f"the call that is kept in {file} cannot be read; delete the file to have it made "
            f"again ({type(error).__name__})"
        ) from error
    run.notice(f"Not done again: enable_cache, and {file} holds what came of the same call.")
    return outputs


def write_kept(file: Path, made: Ports) -> None:
    """Keep what came of a call, for its owner alone."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(file, made.model_dump_json().encode(), durable=False)


def _plain(values: Mapping[str, Any], ignored: Collection[str]) -> Values:
    kept = {key: each for key, each in values.items() if key not in ignored}
    plain: Values = to_jsonable_python(kept, fallback=repr)
    return plain
