"""How the flows of a plan differ from those that a run was recorded with: config, prompt, code."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from flows.build.plan import RunPlan
from flows.build.restoration import with_marks
from flows.build.run_config import RUN_KINDS, SUBFLOWS, RunConfig
from flows.build.services import TARGET
from flows.core.flow import Flow, walk
from flows.core.rows import Row
from flows.errors import JournalError
from flows.records.compare import line_that_differs
from flows.records.differences import ABSENT, Difference, differences

MOST_TOLD: Final = 4
LONGEST: Final = 80
SHARED: Final = (*RUN_KINDS, "data", "semantics", "glossary", "sandbox", "documents")
# The keys of a run that make a service, where they are others than its kind.
MADE_OF: Final = {
    "memory": ("memory", "embedder"),
    "documents": ("documents", "embedder"),
    "data": ("data", "dictionary"),
    "semantics": ("data", "dictionary", "semantic_model"),
}


class FlowChange(NamedTuple):
    """What differs in a flow, in words."""

    why: Literal["config", "prompt", "code"]
    problem: str


class Changes:
    """What differs between a recorded run and a plan, flow by flow.

    A run that was gone on with has several starts. A step was done by the flow as it was then; the
    composites above it came, at the last start, to the same steps as before.
    """

    def __init__(self, rows: Sequence[Row], plan: RunPlan) -> None:
        starts = [row for row in rows if row.kind in ("start", "change")]
        if not starts:
            raise JournalError("the journal has no beginning")
        self._seqs = [row.seq for row in starts]
        self._starts = [_marked(row.data()) for row in starts]
        self._plan = plan
        self._now = [*((each.flows, each.record) for each in plan.past), _graph(plan)]
        changed = [row.seq for row in rows if row.kind == "change"]
        # For each start the number of its graph, of those that changes of the session left.
        last = len(self._now) - 1
        self._graphs = [min(bisect_right(changed, row.seq), last) for row in starts]
        self._known: dict[tuple[str, int], FlowChange | None] = {}

    @property
    def known(self) -> bool:
        """Whether it was recorded what the flows were made of."""
        return all("flows" in start for start in self._starts)

    def of_step(self, path: str, row: Row | None) -> FlowChange | None:
        """What differs for a step: in a composite above it, from the top, or in its own flow."""
        number = len(self._starts) - 1 if row is None else self._last_like(row.seq)
        for above in _above(path):
            if (change := self._of(above, number)) is not None:
                return change
        return self.of_flow(path, row)

    def of_flow(self, path: str, row: Row | None) -> FlowChange | None:
        """What differs in the flow at the path, since the row was written."""
        return self._of(path, self._number(self._seqs[-1] if row is None else row.seq))

    def _number(self, seq: int) -> int:
        """The number of the last start before a row."""
        return bisect_right(self._seqs, seq) - 1

    def _last_like(self, seq: int) -> int:
        """The number of the last start with the graph that a row was written by."""
        return bisect_right(self._graphs, self._graphs[self._number(seq)]) - 1

    def of_limits(self) -> tuple[Difference, ...]:
        """The limits of the run that differ."""
        before = self._starts[-1].get("limits")
        now = self._plan.limits.model_dump(mode="json")
        return differences({"limits": before}, {"limits": now}) if before is not None else ()

    def of_inputs(self) -> tuple[Difference, ...]:
        """The inputs of the run that differ."""
        return differences(self._starts[-1]["inputs"], self._plan.inputs)

    def _of(self, path: str, number: int) -> FlowChange | None:
        key = path, number
        if key not in self._known:
            self._known[key] = self._compared(
                self._starts[number], path, *self._now[self._graphs[number]]
            )
        return self._known[key]

    def _compared(
        self,
        start: Mapping[str, Any],
        path: str,
        flows: Mapping[str, Flow],
        record: Mapping[str, Any],
    ) -> FlowChange | None:
        if "flows" not in start:  # recorded before fingerprints were
            return None
        if path not in flows:  # a step that another step makes for itself: told of that one
            return None
        flow, spec = flows[path], record["spec"]
        before, now = start["flows"].get(path), record["flows"][path]
        if before is None:
            return FlowChange("config", f"the recorded run had no flow {path or flow.name!r}")
        if before["config"] != now["config"] or _target(start["spec"], path) != _target(spec, path):
            return FlowChange("config", _config_change(start["spec"], spec, flow))
        if problem := _service_change(start["spec"], spec, flow):
            return FlowChange("config", problem)
        if before.get("prompts") != now.get("prompts"):
            return FlowChange("prompt", _prompt_change(start, record, before, now))
        if before["code"] != now["code"]:
            return FlowChange("code", f"the code of {_named(flow.code_class)} was changed")
        return None


def _graph(plan: RunPlan) -> tuple[Mapping[str, Flow], Mapping[str, Any]]:
    return {flow.path: flow for _, flow in walk(plan.flow)}, plan.record


def _config_change(then: Mapping[str, Any], spec: Mapping[str, Any], flow: Flow) -> str:
    own, now = (_own(_section(each, flow.path), flow.path) for each in (then, spec))
    found = differences(own, now)
    return change_text(found, flow.path) or f"the defaults of {_named(type(flow))} were changed"


def _service_change(before: Mapping[str, Any], spec: Mapping[str, Any], flow: Flow) -> str:
    """What differs in the run's services that the flow uses; its own are in its config."""
    for key, kind in type(flow).needs.items():
        own = (_section(before, flow.path) or _section(before, _parent(flow.path)) or {}).get(key)
        if kind in SHARED and not isinstance(own, Mapping):
            keys = MADE_OF.get(kind, (kind,))
            then, now = ({each: s.get(each) for each in keys} for s in (before, spec))
            found = differences(then, now)
            if found:
                return change_text(found)
    return ""


def _prompt_change(
    start: Mapping[str, Any], record: Mapping[str, Any], before: Any, now: Any
) -> str:
    old, new = before.get("prompts", {}), now.get("prompts", {})
    name = next(each for each in (*old, *new) if old.get(each) != new.get(each))
    texts = (start["prompts"].get(old.get(name)), record["prompts"].get(new.get(name)))
    line, one, other = line_that_differs(*texts)
    return f"{name}, line {line}: {one!r} is now {other!r}"


def change_text(found: Sequence[Difference], path: str = "") -> str:
    """Differences of a config in a line; `path` is that of the flow whose keys they are."""
    head = f"{path.replace('/', '.')}." if path else ""
    shown = [
        f"{head}{each.key}: {_short(each.one)} is now {_short(each.other)}"
        for each in found[:MOST_TOLD]
    ]
    more = len(found) - MOST_TOLD
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")


def _short(value: Any) -> str:
    text = ABSENT if value == ABSENT else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _marked(start: dict[str, Any]) -> dict[str, Any]:
    return {**start, "spec": with_marks(start["spec"], start["secrets"])}


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _above(path: str) -> Iterator[str]:
    """The paths of the composites above a flow, from the top."""
    if path:
        yield ""
    for at, letter in enumerate(path):
        if letter == "/":
            yield path[:at]


def _section(spec: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    """The part of a config that describes the flow; None for a flow that another's code makes."""
    found: Any = spec
    for name in path.split("/") if path else ():
        below = found.get(SUBFLOWS) if isinstance(found, Mapping) else None
        found = below.get(name) if isinstance(below, Mapping) else None
    return found if isinstance(found, Mapping) else None


def _own(section: Mapping[str, Any] | None, path: str) -> dict[str, Any]:
    """A flow's own keys: not those of the flows below it, nor, at the top, those of the run."""
    others = {SUBFLOWS, *(RunConfig.model_fields if not path else ())}
    return {key: each for key, each in (section or {}).items() if key not in others}


def _target(spec: Mapping[str, Any], path: str) -> Any:
    return (_section(spec, path) or {}).get(TARGET)


def _named(kind: type) -> str:
    """A class and the file that it is in."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return f"{kind.__name__} ({Path(file).name})" if file else kind.__name__
