"""The application: its commands, and how errors end the process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from flows.cli.analyse import analyse
from flows.cli.ask import ask
from flows.cli.case import test
from flows.cli.chat import chat
from flows.cli.check import check
from flows.cli.choices import choices
from flows.cli.compete import compete
from flows.cli.config import config
from flows.cli.convert import convert
from flows.cli.data import data
from flows.cli.diff import diff
from flows.cli.doctor import doctor
from flows.cli.entities import entities
from flows.cli.evaluate import evaluate
from flows.cli.explain import explain
from flows.cli.export import export
from flows.cli.fake_model import fake_model
from flows.cli.faults import show_fault, usage_fault
from flows.cli.fork import fork
from flows.cli.functions import functions
from flows.cli.graph import graph
from flows.cli.init import init
from flows.cli.interpret import interpret
from flows.cli.map_rows import map_rows
from flows.cli.mcp import mcp
from flows.cli.model import model
from flows.cli.new import new
from flows.cli.replay import replay
from flows.cli.resume import resume
from flows.cli.run import run
from flows.cli.runs import runs
from flows.cli.schema import schema
from flows.cli.serve import serve
from flows.cli.show_flow import show_flow
from flows.cli.show_run import show
from flows.cli.signals import CTRL_C, Stopping, end_stopped
from flows.cli.slack import slack
from flows.cli.tools import tools
from flows.cli.web import web
from flows.errors import FlowsError

COMMANDS = (
    init,
    run,
    ask,
    chat,
    choices,
    analyse,
    interpret,
    compete,
    evaluate,
    map_rows,
    resume,
    runs,
    show,
    data,
    model,
    tools,
    web,
    serve,
    slack,
    mcp,
    functions,
    entities,
    replay,
    fork,
    test,
    new,
    check,
    config,
    convert,
    graph,
    show_flow,
    schema,
    diff,
    explain,
    export,
    doctor,
    fake_model,
)
HELP = """Agents for data, declared in YAML.

Examples:

  flows run
  flows run my.yaml goal="Which region has the highest revenue?" data.sales=sales.csv
  flows run --data sales.csv goal="Which region has the highest revenue?"
  flows ask "Which region has the highest revenue?" --data sales.csv
  flows chat --data sales.csv
  flows analyse "What drives the sales?" --data sales.csv --out report.html
  flows interpret "What is the total of order KT-2011?" shop.yaml
  flows compete titanic --out result
  flows data sales.csv
  flows model sales.csv
  flows check my.yaml

Exit codes:

    0  the run came to its end (finished, unfinished or degraded, as its status says), or was
       ended by the person with q; a check found nothing wrong
    1  flows ask, analyse, interpret: it cannot be answered; flows compete: there is no submission;
       flows eval --golden: a case is not right any more
    2  wrong usage or config
    3  the model provider
    4  a flow failed
   75  waiting for a person's answer, or nobody is there
   78  sandbox.mode=strict, and a wall of the sandbox is missing
  130  Ctrl-C
  143  it was told to terminate
"""
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def make_app(commands: Sequence[Callable[..., object]], *, rich: bool) -> typer.Typer:
    """An application of these commands. `rich` puts their help into panels."""
    app = typer.Typer(
        name="flows",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if rich else None,
        context_settings=SETTINGS,
    )
    app.callback(help=page(HELP, rich=rich))(options)
    for command in commands:
        text = page(command.__doc__ or "", rich=rich)
        app.command(help=text, context_settings=SETTINGS)(command)
    return app


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        from importlib.metadata import version

        print(f"flows {version('analyst-flows')}")
        raise typer.Exit


def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", is_eager=True, callback=show_version
        ),
    ] = False,
) -> None:
    """The options before a command."""


def page(text: str, *, rich: bool) -> str:
    """A docstring as a help page: paragraphs flow, lines that are indented stay as they are."""
    import inspect

    paragraphs = inspect.cleandoc(text).split("\n\n")
    if not rich:
        return "\n\n".join(f"\b\n{each}" if each[:1] == " " else each for each in paragraphs)
    lines = [each if each[:1] == " " else each.replace("\n", " ") for each in paragraphs]
    return "\n\n".join(lines)


def name_variables(command: Any, prefix: str) -> None:
    """Let each option be given by a variable too: --max-concurrency of flows map by
    FLOWS_MAP_MAX_CONCURRENCY, one that may be given more than once with spaces between."""
    for name, each in getattr(command, "commands", {}).items():
        name_variables(each, f"{prefix}_{name}")
    for option in command.params:
        long = next((each for each in option.opts if each.startswith("--")), None)
        if long not in (None, "--help", "--version"):
            option.envvar = f"{prefix}{long[1:]}".replace("-", "_").upper()
            option.show_envvar = False


def named(arguments: Sequence[str]) -> Sequence[Callable[..., object]]:
    """The command that the arguments begin with; all where they begin with none."""
    first = arguments[0] if arguments else ""
    return [each for each in COMMANDS if name_of(each) == first] or COMMANDS


def name_of(command: Callable[..., object]) -> str:
    """What a command is called on the command line."""
    return command.__name__.replace("_", "-")


def run_app(arguments: Sequence[str]) -> int:
    """Run a command and return the exit code. Errors that are ours become one clear message."""
    stopping = Stopping()
    rich = sys.stdout is not None and sys.stdout.isatty()
    command = typer.main.get_command(make_app(named(arguments), rich=rich))
    name_variables(command, "FLOWS")
    try:
        code = command.main(list(arguments), "flows", standalone_mode=False)
    except typer.TyperException as error:
        return usage_fault(error, arguments)
    except FlowsError as error:
        show_fault(error)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = CTRL_C
    if code == CTRL_C:  # typer's word for a KeyboardInterrupt too
        print("stopped", file=sys.stderr)
        end_stopped(stopping.code)
        return stopping.code
    return code if isinstance(code, int) else 0
