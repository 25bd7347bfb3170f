"""`flows tools`: the Python functions that plans call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import AsJson

if TYPE_CHECKING:
    from flows.core.function_tool import FunctionTool
    from flows.services.tools import ToolService
    from flows.tools.functions.testing import ToolTests

ACTIONS = ("list", "show", "test", "promote", "remove")
FAILED = 1


def tools(
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help="list, show, test, promote or remove.")
    ] = "list",
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TOOL",
            help="A tool's name; also a Python file or a tool of a run, RUN:NAME.",
            show_default=False,
        ),
    ] = None,
    library: Annotated[
        Path, typer.Option(help="The folder of tools that are kept.", metavar="FOLDER")
    ] = Path(".flows/tools"),
    search: Annotated[
        str, typer.Option(help="List the tools that fit these words.", metavar="WORDS")
    ] = "",
    phase: Annotated[
        str, typer.Option(help="List the tools that this phase may use.", metavar="PHASE")
    ] = "",
    checks: Annotated[
        bool, typer.Option("--checks", help="The unit tests of phases instead of tools.")
    ] = False,
    version: Annotated[
        int | None,
        typer.Option(help="Show or remove that version.", min=1, show_default=False),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(help="The time that the tests of a tool may take.", min=1.0, max=86_400.0),
    ] = 120.0,
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    as_json: AsJson = False,
) -> int:
    """List, show, test, keep and remove tools: Python functions that plans call.

    A tool is a module with one public function, its types, its docstring and its tests. Some are
    shipped; promote keeps one of yours, or one that a run made, in .flows/tools or in another
    folder, which may be in git. Later runs find it there. A tool and its tests run in the sandbox
    and nowhere else, and only one whose tests pass is kept. How to write one: docs/tools.md.

    Examples:

      flows tools list
      flows tools list --search "missing values" --phase data_cleaning
      flows tools show fill_missing_values
      flows tools test
      flows tools test my_tool.py
      flows tools promote my_tool.py --library our_tools
      flows tools promote last:cabin_parts
      flows tools remove cabin_parts --version 1

    Exit codes: 0; 1 a test of a tool does not pass; 2 wrong usage, or a file that is no tool.
    """
    from flows.services.tools import ToolService

    given = list(names or ())
    check_usage(action, given, search=search, phase=phase, checks=checks)
    service = ToolService(library, runs)
    code = 0
    match action:
        case "list":
            show_list(service, service.search(search, phase, checks=checks), as_json=as_json)
        case "show":
            show_tool(service.find(given[0], version), as_json=as_json)
        case "test":
            chosen = [service.find(each) for each in given]
            chosen = chosen if given else service.search("", phase, checks=checks)
            code = test_tools(chosen, seconds, as_json=as_json)
        case "promote":
            code = promote_tool(service, given[0], seconds, as_json=as_json)
        case _:
            remove_tool(service, given[0], version, as_json=as_json)
    return code


def check_usage(action: str, names: list[str], *, search: str, phase: str, checks: bool) -> None:
    """Errors: `UsageError` for an action or a phase that there is not, and for names that are
    missing or too many."""
    from flows.analysis.prediction.phases import TITLES
    from flows.errors import UsageError, nearest

    for what, given, allowed in (("action", action, ACTIONS), ("phase", phase, tuple(TITLES))):
        if given and given not in allowed:
            meant = nearest(given, allowed)
            hint = f"\ndid you mean: {meant}" if meant else ""
            raise UsageError(f"there is no {what} {given!r}{hint}\nallowed: {', '.join(allowed)}")
    if action in ("show", "promote", "remove") and len(names) != 1:
        raise UsageError(f"flows tools {action} takes one tool, as in: flows tools {action} NAME")
    if action == "list" and names:
        raise UsageError(f'flows tools list takes no name; as: --search "{" ".join(names)}"')
    if (search and action != "list") or ((phase or checks) and (names or action == "show")):
        raise UsageError(
            "--search, --phase and --checks choose from all tools, as in: flows tools list"
        )


def show_list(service: ToolService, found: list[FunctionTool], *, as_json: bool) -> None:
    """The tools, and the entries of the library that were left out."""
    from flows.cli.output import write_json
    from flows.ui.console import make_console
    from flows.ui.tools import show_tools

    if as_json:
        shown = [each.model_dump(mode="json", exclude={"source"}) for each in found]
        write_json({"tools": shown, "left_out": list(service.faults)})
        return
    show_tools(make_console(), found)
    for fault in service.faults:
        tell(f"note: left out: {fault}")


def tell(text: str) -> None:
    """Say something beside the result, on standard error."""
    from flows.ui.console import make_console
    from flows.ui.terminal_text import clean

    make_console(to_stderr=True).print(clean(text), markup=False, highlight=False, soft_wrap=True)


def show_tool(tool: FunctionTool, *, as_json: bool) -> None:
    """The tool's document; as JSON all of it, with the schema of its call."""
    from flows.cli.output import write_json
    from flows.tools.functions.document import describe_tool, document_of
    from flows.ui.terminal_text import clean

    if as_json:
        document = document_of(tool)
        schema = describe_tool(tool).function_dict()
        write_json({**tool.model_dump(mode="json"), "document": document, "schema": schema})
    else:
        print(clean(document_of(tool)), end="")


def test_tools(tools: list[FunctionTool], seconds: float, *, as_json: bool) -> int:
    """Run the tests of the tools, each told when it has ended; 1 if one does not pass."""
    import asyncio

    from flows.cli.output import write_json
    from flows.services.tools import run_all
    from flows.ui.console import make_console
    from flows.ui.tools import show_tests, show_tools

    console = make_console()

    def ended(found: ToolTests) -> None:
        if not as_json:
            show_tests(console, found)

    if not tools and not as_json:
        show_tools(console, ())
        return 0
    finding, found = asyncio.run(run_all(tools, seconds, ended))
    passed = all(each.passed for each in found)
    if as_json:
        shown = [as_data(each) for each in found]
        write_json({"passed": passed, "tools": shown, "sandbox": finding.model_dump(mode="json")})
    tell(finding.sentence)
    return 0 if passed else FAILED


def as_data(tests: ToolTests) -> dict[str, object]:
    """The outcomes of a tool's tests as JSON has them."""
    return {**tests.model_dump(mode="json"), "passed": tests.passed}


def promote_tool(service: ToolService, what: str, seconds: float, *, as_json: bool) -> int:
    """Keep a tool whose tests pass; 1 if they do not."""
    import asyncio

    from flows.cli.output import write_json
    from flows.ui.console import make_console
    from flows.ui.tools import show_tests

    done = asyncio.run(service.promote(what, seconds))
    kept = done.folder is not None
    if as_json:
        folder = str(done.folder) if done.folder is not None else None
        about = {"kept": kept, "added": done.added, "name": done.tool.name, "folder": folder}
        version = done.tool.version if kept else None
        sandbox = done.sandbox.model_dump(mode="json")
        write_json({**about, "version": version, "tests": as_data(done.tests), "sandbox": sandbox})
    else:
        show_tests(make_console(), done.tests)
        is_kept = f"{done.folder}: {'kept' if done.added else 'it is there already'}"
        print(is_kept if kept else f"{done.tool.name} is not kept")
    tell(done.sandbox.sentence)
    return 0 if kept else FAILED


def remove_tool(service: ToolService, name: str, version: int | None, *, as_json: bool) -> None:
    """Remove a tool of the library, or one version of it."""
    from flows.cli.output import write_json

    gone = service.remove(name, version)
    if as_json:
        write_json({"name": name, "versions": list(gone)})
    else:
        kind = "version" if len(gone) == 1 else "versions"
        print(f"{name}: removed ({kind} {', '.join(map(str, gone))})")
