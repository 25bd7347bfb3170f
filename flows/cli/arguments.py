"""The arguments and options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from flows.config.places import RUN_FILE
from flows.errors import UsageError

FILE_VARIABLE = "FLOWS_CONFIG"
DEFAULT_FILE = "demo.yaml"
BUILT_IN = "autogpt"

RunFile = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE",
        help="A run file, or the name of a built-in config. Without one it is what "
        f"{FILE_VARIABLE} names, {RUN_FILE} here or in a folder above, {DEFAULT_FILE}, or "
        f"{BUILT_IN} where there is none of these and a goal or data is given.",
        show_default=False,
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="OVERRIDE",
        help="goal='...' data.NAME=PATH human=never Executor.sql.max_rows=50 "
        "Controller.model=openai ~Executor.ddg_search",
        show_default=False,
    ),
]
RunId = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of one, or last.")
]
RecordedOverrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="OVERRIDE",
        help="A change of the recorded config: as those of flows run.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Events = Annotated[
    str | None,
    typer.Option(
        "--events",
        help="Append each event of the run to a file, as a line of JSON; - is stdout, and progress "
        "goes to stderr.",
        metavar="FILE",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        help="How a language model answers: with a request, with sql of its own, or auto.",
        metavar="WAY",
        show_default=False,
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Option(
        help="Data to ask: a file, folder or address; may be given more than once.",
        metavar="[NAME=]PATH",
    ),
]
MODELS_NAMED = (
    "offline, openai, openai:NAME, langchain:PROVIDER:NAME, llama:FILE, replay:FILE or tiered:MODEL"
)
Model = Annotated[
    str | None,
    typer.Option(
        help=f"Who answers: {MODELS_NAMED}. "
        "Its other settings are overrides, as model.base_url=...",
        metavar="MODEL",
    ),
]
# Where a service or a page listens.
Address = Annotated[
    str, typer.Option(metavar="HOST", help="Where to listen; others reach all but loopback.")
]
Port = Annotated[int, typer.Option(min=0, max=65_535, help="0 takes a free one.")]
TlsCertificate = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The certificate (PEM).", show_default=False)
]
TlsKey = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Its key (PEM).", show_default=False)
]
BehindTlsProxy = Annotated[
    bool, typer.Option("--behind-tls-proxy", help="Something before this does TLS.")
]
HostNames = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A name that callers know it by.", show_default=False),
]
Processes = Annotated[
    int,
    typer.Option(help="Processes that answer a file; at most one for each core without.", min=0),
]
Trust = Annotated[
    list[str] | None,
    typer.Option(
        help="A Python file beside the run file that may be run (./FILE.py), a package whose "
        "dotted names a _target_ may use, or an address (http://HOST:PORT) that the file may send "
        "keys to; may be given more than once.",
        metavar="FILE|PACKAGE|ADDRESS",
    ),
]


def split_arguments(
    file: str | None, overrides: Sequence[str] | None, *, has_data: bool = False
) -> tuple[Path, list[str]]:
    """The run file and the overrides; what stands where the file does may be an override too.

    Without a file it is one's own, or the demo beside; without these, a goal or data is for the
    built-in config; `has_data` says that an option names some. Errors: `UsageError` when nothing
    says what to run.
    """
    given = list(overrides or ())
    if file is not None and (is_override(file) or (is_sentence(file) and not Path(file).exists())):
        given, file = [file, *given], None
    if file is not None:
        return Path(file), given
    if (own := own_file()) is not None:
        return own, given
    if Path(DEFAULT_FILE).exists():
        return Path(DEFAULT_FILE), given
    if has_data or any(_says_what(each) for each in given):
        return Path(BUILT_IN), given
    raise UsageError(
        f"there is no goal and no data, no run file is named, and there is no {RUN_FILE} here\n"
        'say what to do: goal="Which region has the highest revenue?" data.sales=sales.csv\n'
        "or have a run file written: flows init\n"
        f"its shortest form is the line: defaults: [{BUILT_IN}, _self_]"
    )


def own_file() -> Path | None:
    """The run file that the environment names, else the nearest `flows.yaml`, here or in a folder
    above; None where there is none. One of a folder above has to be this user's own: in a folder
    that all may write to, anybody may have left it. Errors: `UsageError` for one that is named and
    is not there."""
    if named := os.environ.get(FILE_VARIABLE):
        if not Path(named).is_file():
            raise UsageError(f"{FILE_VARIABLE} names {named}, and there is no such file")
        return Path(named)
    here = Path(RUN_FILE)
    if here.is_file():
        return here
    for folder in Path.cwd().parents:
        file = folder / RUN_FILE
        if file.is_file() and (not hasattr(os, "getuid") or file.stat().st_uid == os.getuid()):
            return Path(os.path.relpath(file))
    return None


def _says_what(override: str) -> bool:
    """Whether an override gives a goal or data, with which the built-in config can run."""
    key = override.lstrip("+").partition("=")[0]
    return key in ("goal", "inputs.goal", "data") or key.startswith("data.")


def is_sentence(argument: str) -> bool:
    """Whether an argument is a text of several words, and not an override of a value."""
    head = argument.partition("=")[0]
    return len(head.split()) > 1 and not head.startswith(("~", "+"))


def is_override(argument: str) -> bool:
    """Whether an argument is an override and not the name of a file."""
    return "=" in argument or argument.startswith(("~", "+"))


def said_in_words(path: Path, changes: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The overrides, and the goal or question that stands among them, as an input of the run.

    Errors: `UsageError` for more than one, and where it is not clear which input is meant.
    """
    from flows.build.input_names import main_input

    said = [each for each in changes if is_sentence(each)]
    others = [each for each in changes if each not in said]
    if not said:
        return others, {}
    if len(said) > 1:
        raise UsageError(f"one text can be given in words: {said[0]!r}, or {said[1]!r}")
    return others, {main_input(path, others): said[0]}
