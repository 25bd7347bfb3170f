"""`flows schema`: the JSON Schema that editors complete and check run files with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.arguments import Trust

if TYPE_CHECKING:
    from pydantic import BaseModel

    from flows.config.flow_names import FlowNames
    from flows.config.registry import Registry

# The keys that hold a service, and of which kind.
SLOTS = {
    "model": "model",
    "memory": "memory",
    "store": "memory",
    "entities": "entities",
    "vectors": "vectors",
    "human": "human",
    "embedder": "embedder",
    "backend": "tool",
    "sources": "function_source",
}


def schema(
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write it to a file instead of stdout."),
    ] = None,
    trust: Trust = None,
) -> int:
    """Write the JSON Schema that editors complete run files with.

    It holds all installed flows and services with their keys. An editor that knows it completes
    keys and marks what is unknown. The first line of a run file tells it where the schema is:

      # yaml-language-server: $schema=configs/schema/run.schema.json

    Examples:

      flows schema --out configs/schema/run.schema.json

    Exit codes: 0 it is written; 2 the file cannot be written.
    """
    from flows.build.names import builtin_registry
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.errors import UsageError

    with reserved_stdout():
        found = run_schema(builtin_registry(trust or ()))
    text = json.dumps(found, indent=1, ensure_ascii=False)
    if out is None:
        print(text)
        return 0
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from error
    print(f"{out}: written")
    return 0


def run_schema(registry: Registry) -> dict[str, Any]:
    """The schema of all names in a registry, and of the configs that come with the package."""
    from flows.build.run_config import RunConfig
    from flows.config.schema import json_schema_for

    flows = configs_of(registry, "flow")
    services = {kind: configs_of(registry, kind) for kind in SLOTS.values()}
    return json_schema_for(flows, RunConfig, services, SLOTS, built_in_flows())


def built_in_flows() -> dict[str, FlowNames]:
    """The configs that a defaults list can take over by their names, with their flows."""
    from flows.build.run_config import KNOWN
    from flows.config.compose import compose
    from flows.config.faults import Faults
    from flows.config.flow_names import FlowNames
    from flows.config.places import project_configs

    folder = project_configs()
    files = sorted(folder.glob("*.yaml")) if folder is not None else []
    # What a file wants to be given, such as a path, is a fault of it here, and nothing to say.
    made = {file.stem: compose(file, known=KNOWN, faults=Faults()) for file in files}
    return {name: FlowNames.of(each.tree) for name, each in made.items()}


def configs_of(registry: Registry, kind: str) -> dict[str, type[BaseModel]]:
    """Every name of a kind with the model of its keys; of one without settings an empty one."""
    from pydantic import BaseModel

    class NoSettings(BaseModel):
        """It takes no keys but its `_target_`."""

    return {
        name: getattr(registry.resolve(kind, name), "Config", NoSettings)
        for name in registry.names(kind)
    }
