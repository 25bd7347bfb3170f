"""How a value of a run came to be: which steps it went through, and which request made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.build.restoration import recorded_plan
from flows.core.loop import run_coroutine
from flows.errors import JournalError, NotFound, UsageError, nearest
from flows.explain.containment import Path
from flows.explain.model_requests import Requests, Sent
from flows.explain.origins import OriginLink, Origins, ValueSource, held_by
from flows.explain.retrace import Retold, RetracedStep, retrace
from flows.records.lookup import RunPlace

_MOST_NAMES: Final = 12


@dataclass(frozen=True, slots=True)
class Explanation:
    """The value at a path of a run, the links back to where it entered the run, and the requests
    to models that are among them, in that order."""

    told: Retold
    path: str
    value: Any
    links: tuple[OriginLink, ...]
    requests: tuple[Sent, ...]


def explain(place: RunPlace, path: str, trust: Sequence[str] = ()) -> Explanation:
    """Explain an output of the run, `KEY`, or a value of a step, `STEP.KEY`; keys go on with dots.

    Errors: `UsageError` for a path that there is not, with those there are; `JournalError` when
    the flows as they are now would not have been given the recorded inputs.
    """
    told = _retold(place, trust)
    step, keys = _named_step(told, path)
    source, value = _source(told, step, keys, path)
    links = Origins(told).chain(source)
    requests = Requests(told, trust)
    asked = [link.step for link in links if link.kind == "model"]
    return Explanation(told, path, value, links, tuple(requests.of(each) for each in asked))


@dataclass(frozen=True, slots=True)
class StepDetail:
    """A step with its whole inputs and outputs: `below` are the addresses of the steps that it
    called, `request` is what it asked a model, if it did."""

    step: RetracedStep
    below: tuple[str, ...]
    request: Sent | None


def explain_step(place: RunPlace, address: str, trust: Sequence[str] = ()) -> StepDetail:
    """All of one step of the run, "" for the run itself.

    Errors: `NotFound` for a step that there is not, with those there are; `JournalError` as of
    `explain`.
    """
    told = _retold(place, trust)
    if address not in told.steps:
        known = tuple(each for each in told.steps if each)
        raise NotFound(f"the run {place.run_id} has no step {address!r}", allowed=known)
    step = told.steps[address]
    asked = bool(told.rows_at(address, "call"))
    request = Requests(told, trust).of(step) if asked else None
    return StepDetail(step, tuple(each.address for each in told.below(address)), request)


def explainable(place: RunPlace, trust: Sequence[str] = ()) -> list[tuple[str, Any]]:
    """The paths that can be explained, each with its value: the run's outputs, then those of its
    steps. Errors: `JournalError`, as of `explain`."""
    told = _retold(place, trust)
    steps = sorted(told.steps.values(), key=lambda step: bool(step.address))
    found = [
        (f"{step.address}.{key}" if step.address else key, value)
        for step in steps
        for key, value in _outputs(told, step).items()
    ]
    return [(path, value) for path, value in found if value not in (None, "", [], {})]


def _retold(place: RunPlace, trust: Sequence[str]) -> Retold:
    rows = place.rows()
    if not rows or rows[0].kind != "start":
        raise JournalError(f"the journal of {place.run_id} has no beginning")
    shared = place.run_id if place.shared else None
    plan = recorded_plan(place.journal, shared, trust=trust, live=False)
    return run_coroutine(retrace(place, plan, rows))


def _named_step(told: Retold, path: str) -> tuple[RetracedStep, str]:
    """The step that the path begins with, else the run's top flow; and the rest of the path."""
    for address in sorted(told.steps, key=len, reverse=True):
        if address and (path == address or path.startswith(f"{address}.")):
            return told.steps[address], path[len(address) + 1 :]
    if "#" in path:
        known = [address for address in told.steps if address]
        meant = nearest(path.partition(".")[0], known)
        raise UsageError(f"there is no step {path!r}{_hint(meant)} ({_listed('steps', known)})")
    return told.steps[""], path


def _source(told: Retold, step: RetracedStep, keys: str, path: str) -> tuple[ValueSource, Any]:
    """What holds the value at the keys: of the step's outputs, or of its inputs."""
    outputs = _outputs(told, step)
    origins = Origins(told)
    if (found := _reach(outputs, keys)) is not None:
        return origins.of_output(step, *found), found[1]
    if (found := _reach(step.inputs, keys)) is not None:
        return origins.of_input(step, *found), found[1]
    known = [".".join(each) for each in _paths(outputs)] or list(step.inputs)
    meant = nearest(keys, known)
    where = f"of {step.address}" if step.address else f"of the run {told.place.run_id}"
    if not keys:
        raise UsageError(f"say which value {where}: {_listed('keys', known)}")
    steps = "" if step.address else "; values of steps are STEP.KEY, as in " + _example(told)
    listed = _listed("keys", known)
    raise UsageError(f"there is no value {path!r} {where}{_hint(meant)} ({listed}{steps})")


def _outputs(told: Retold, step: RetracedStep) -> Mapping[str, Any]:
    """What the step came to; of a run that ended at a limit what its end says."""
    if step.outputs is None and not step.address and told.rows[-1].kind == "end":
        outputs: Mapping[str, Any] = told.rows[-1].data()["outputs"]
        return outputs
    held = held_by(step)
    return held if any(held.values()) or step.outputs is not None else {}


def _reach(holder: Any, keys: str) -> tuple[Path, Any] | None:
    """The value at dotted keys, of which one may have dots itself; the path to it and the value."""
    items: dict[str, object] = {}
    if isinstance(holder, Mapping):
        items = dict(holder)
    elif isinstance(holder, list):
        items = {str(number): each for number, each in enumerate(holder)}
    if keys in items:
        return (keys,), items[keys]
    for key in sorted(items, key=len, reverse=True):
        if keys.startswith(f"{key}."):
            found = _reach(items[key], keys[len(key) + 1 :])
            if found is not None:
                return (key, *found[0]), found[1]
    return None


def _paths(holder: Any, depth: int = 2) -> Iterable[Path]:
    """The paths of a mapping's keys, and of those below them."""
    for key, value in holder.items():
        yield (key,)
        if isinstance(value, Mapping) and depth > 1:
            yield from ((key, *below) for below in _paths(value, depth - 1))


def _hint(meant: str | None) -> str:
    return f", did you mean {meant!r}?" if meant else ""


def _listed(what: str, names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{what}: {', '.join(names[:_MOST_NAMES]) or 'none'}{more}"


def _example(told: Retold) -> str:
    steps = [step for step in told.steps.values() if step.address and step.outputs]
    if not steps:
        return "Controller#1.command"
    return f"{steps[-1].address}.{next(iter(steps[-1].outputs or {}))}"


def body_of(found: Explanation) -> bytes:
    """The bytes of the first request. Errors: `UsageError` when there is none, or not as sent."""
    if not found.requests:
        raise UsageError(f"no model was asked for {found.path}")
    sent = found.requests[0]
    if sent.body is None or not sent.matches:
        raise UsageError(f"the bytes that {sent.step} sent are not known: {sent.why}")
    return sent.body
