"""A hosted run file as its callers see it: a name, what it takes and gives, and its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from flows.build.mcp_config import McpConfig
from flows.build.plan import RunPlan
from flows.config.settings import Choice, Setting
from flows.core.circular import InRounds
from flows.core.flow import CompositeFlow, Flow
from flows.core.map import MapFlow
from flows.core.parallel import ParallelFlow
from flows.core.sequential import SequentialFlow
from flows.core.topology import Step
from flows.core.values import Values
from flows.errors import ConfigError, PortError, UsageError


@dataclass(frozen=True, slots=True)
class HostedFile:
    """A run file with what is set in it: `overrides` as a person writes them, over `settings`.

    Its data are closed when no run used them for `idle_seconds`, and opened again for the next
    run; without a number they stay open.
    """

    path: Path
    overrides: tuple[str, ...] = ()
    settings: tuple[Setting | Choice, ...] = ()
    idle_seconds: float | None = None

    @property
    def key(self) -> str:
        """What tells it from other hosted files."""
        return repr((self.path, self.overrides, self.settings))


@dataclass(frozen=True)
class HostedFlow:
    """A run file under the name that its callers know it by, with what it was built to. One that
    is not `listed` is found by its name alone."""

    name: str
    file: HostedFile
    plan: RunPlan
    listed: bool = True

    @property
    def mcp(self) -> McpConfig:
        """How it is offered to clients of the Model Context Protocol."""
        return McpConfig.model_validate(self.plan.spec.get("mcp") or {})

    def check_inputs(self, inputs: Mapping[str, Any]) -> None:
        """Errors: `ConfigError` of the first input that is missing, unknown or wrong; its path is
        that of the input."""
        flow = self.plan.flow
        try:
            flow.read_inputs({**self.plan.inputs, **inputs})
        except PortError as error:
            raise ConfigError(str(error), path=_place_of(error), allowed=flow.port_names) from error

    def as_json(self) -> Values:
        """What a caller has to know: name, title, description, and the schemas of its ports."""
        flow = self.plan.flow
        return {
            "name": self.name,
            "title": flow.name,
            "description": flow.config.description or "",
            "inputs": self.inputs_schema(),
            "outputs": self.outputs_schema(),
        }

    def inputs_schema(self) -> Values:
        """The JSON schema of the inputs. What the config gives need not be given again: that is
        the default."""
        schema = self.plan.flow.inputs_type.model_json_schema(by_alias=True)
        preset = to_jsonable_python(dict(self.plan.inputs), fallback=str)
        needed = [each for each in schema.get("required", ()) if each not in preset]
        properties = {
            key: {**each, **({"default": preset[key]} if key in preset else {})}
            for key, each in schema.get("properties", {}).items()
        }
        rest = {key: each for key, each in schema.items() if key not in ("required", "properties")}
        return {**rest, "properties": properties, **({"required": needed} if needed else {})}

    def outputs_schema(self) -> Values:
        """The JSON schema of the outputs: of a composite only their names are known."""
        flow = self.plan.flow
        if flow.atomic:
            return dict(type(flow).Outputs.model_json_schema(by_alias=True, mode="serialization"))
        names = sorted(each for each in flow.output_names() if each != "*")
        return {"type": "object", "properties": {name: {} for name in names}}

    def graph(self) -> Values:
        """The flows and the ways between them, for whoever draws them: `nodes` have the address of
        a flow in the graph, that of the flow around it and its kind; `edges` go from one to the
        next, and those with `back` begin the next round."""
        nodes: list[Values] = []
        edges: list[Values] = []
        _draw(self.plan.flow, None, nodes, edges)
        return {"nodes": nodes, "edges": edges}


def name_flows(files: Sequence[HostedFile]) -> dict[str, HostedFile]:
    """The files by the names that callers know them by: those of the files without their endings.

    Errors: `UsageError` for two of one name.
    """
    named: dict[str, HostedFile] = {}
    for file in files:
        name = Path(file.path).stem
        if name in named:
            raise UsageError(
                f"{named[name].path} and {file.path} are both served as {name!r}; rename one"
            )
        named[name] = file
    return named


def _place_of(error: PortError) -> str:
    cause = error.__cause__
    where = cause.errors()[0]["loc"] if isinstance(cause, ValidationError) else ()
    return ".".join(("inputs", *(str(part) for part in where)))


def _draw(flow: Flow, parent: str | None, nodes: list[Values], edges: list[Values]) -> None:
    kind = type(flow.config).__name__.removesuffix("Config") or type(flow).__name__
    if kind in ("", "Flow"):
        kind = type(flow).__name__
    nodes.append(
        {
            "address": flow.path,
            "name": flow.name,
            "flow": type(flow).__name__,
            "parent": parent,
            "kind": kind,
        }
    )
    edges += _edges(flow)
    for child in flow.children().values():
        _draw(child, flow.path, nodes, edges)


def _edges(flow: Flow) -> Iterable[Values]:
    """The ways inside a flow. One without a `from` is where it begins."""
    if isinstance(flow, ParallelFlow):
        paths = {name: child.path for name, child in flow.children().items()}
        after = {item.flow: item.after for item in flow.config.topology}
        for step in flow.steps:
            for before in after[step.flow.name] or (None,):
                yield _edge(paths.get(before) if before else None, step.flow, step.goal)
    elif isinstance(flow, SequentialFlow):
        yield from _in_order(flow.steps)
    elif isinstance(flow, InRounds):
        steps = flow.rounds.steps
        yield from _in_order(steps)
        if steps and flow.rounds.most != 1:
            label = f"until {flow.rounds.exit_key}" if flow.rounds.exit_key else ""
            yield _edge(steps[-1].flow.path, steps[0].flow, label, back=True)
    elif isinstance(flow, MapFlow):
        yield _edge(None, flow.subflow, f"each of {flow.config.over}")
    elif isinstance(flow, CompositeFlow) and flow.branches:
        for name, child in flow.children().items():
            yield _edge(None, child, name)


def _in_order(steps: Sequence[Step]) -> Iterable[Values]:
    before: str | None = None
    for step in steps:
        yield _edge(before, step.flow, step.goal)
        before = step.flow.path


def _edge(origin: str | None, flow: Flow, label: str, *, back: bool = False) -> Values:
    return {"from": origin, "to": flow.path, "label": label, "back": back}
