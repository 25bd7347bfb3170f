"""`flows config`: what a run file comes to, and where every value comes from."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.arguments import AsJson, Overrides, RunFile, Trust, split_arguments

if TYPE_CHECKING:
    from flows.config.composition import Composed
    from flows.config.tree import Path, Section

WIDEST_PATH = 60
WIDEST_VALUE = 44


def config(
    file: RunFile = None,
    overrides: Overrides = None,
    origins: Annotated[
        bool, typer.Option("--origins", help="Every value with the place that set it.")
    ] = False,
    as_json: AsJson = False,
    trust: Trust = None,
) -> int:
    """Print the config that a run file and overrides come to.

    It is YAML: the file, the config groups, the overrides, and the defaults of every flow. Secrets
    are hidden. With --origins, each value comes with the file, line and column that set it, or the
    override, or the flow whose default it is.

    Examples:

      flows config
      flows config my.yaml human=never --origins

    Exit codes: 0 it is printed; 2 the file or an override is wrong.
    """
    from flows.build.default_files import default_files
    from flows.build.input_names import inputs_of
    from flows.build.names import builtin_registry
    from flows.build.run_config import FLOW_KEYS, RunConfig
    from flows.cli.defaults import Defaults, shown
    from flows.cli.faults import failing_as_json
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.config.compose import compose
    from flows.human.prompt import is_terminal
    from flows.ui.terminal_text import clean

    path, changes = split_arguments(file, overrides)
    with failing_as_json(as_json), reserved_stdout():
        known = (*RunConfig.model_fields, *FLOW_KEYS)
        defaults = Defaults(builtin_registry(trust or (), path.absolute().parent))
        effective = defaults.under(
            compose(
                path,
                changes,
                known=known,
                default_files=default_files(path.parent),
                inputs_of=inputs_of(path.parent),
            )
        )
    for note in defaults.notes:
        print(f"note: {note}; its defaults are not shown", file=sys.stderr)
    if as_json:
        whole: dict[str, Any] = {"file": str(path), "config": shown(effective.tree)}
        if origins:
            whole["origins"] = [
                {"path": path, "value": value, "origin": str(place)}
                for path, value, place in effective.origins()
            ]
        print(json.dumps(whole, ensure_ascii=False))
    elif origins:
        print_origins(effective)
    else:
        text = as_yaml(shown(effective.tree))
        print(clean(text) if is_terminal(sys.stdout) else text, end="")
    return 0


def as_yaml(values: dict[str, Any]) -> str:
    """The values in their order; texts of several lines as blocks."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Its own, so that the representer is not everyone's."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        style = "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return yaml.dump(values, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)


def print_origins(effective: Composed) -> None:
    """A line for each value: path, value, origin. Values from no file are dim on a terminal."""
    from rich.text import Text

    from flows.config.tree import leaves
    from flows.ui.console import make_console
    from flows.ui.terminal_text import one_line

    console = make_console()
    found = zip(leaves(effective.tree), effective.origins(), strict=True)
    rows = [
        (one_line(short(effective.tree, path), 200), one_line(_written(value), WIDEST_VALUE), place)
        for (path, _), (_, value, place) in found
    ]
    paths = min(max(len(path) for path, _, _ in rows), WIDEST_PATH)
    values = max(len(value) for _, value, _ in rows)
    for path, value, place in rows:
        is_default = place.line is None and str(place).startswith(("default", "preset"))
        origin = (one_line(place, 200), "dim" if is_default else "cyan")
        line = Text.assemble((path.ljust(paths), "bold"), f"  {value.ljust(values)}  ", origin)
        console.print(line, soft_wrap=True)


def short(root: Section, path: Path) -> str:
    """The path as an override may write it: without `subflows_config` where that is clear."""
    from flows.config.tree import SUBFLOWS, Section, dotted, find

    kept: list[str | int] = []
    for index, segment in enumerate(path):
        holder = find(root, path[:index])
        following = path[index + 1 : index + 2]
        in_the_way = isinstance(holder, Section) and following and following[0] in holder.entries
        if segment != SUBFLOWS or not following or in_the_way:
            kept.append(segment)
    return dotted(tuple(kept))


def _written(value: Any) -> str:
    """A value as YAML has it, on one line."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
