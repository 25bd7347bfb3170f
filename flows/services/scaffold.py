"""Small working folders to begin with: a flow, a command of an agent, a project."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Final, Literal

from flows.build.builder import build
from flows.core.flow import Flow, walk
from flows.errors import UsageError
from flows.library.autogpt.executor import ExecutorFlow
from flows.services.request import run_file

Kind = Literal["flow", "command", "project"]
TEMPLATES: Final = Path(__file__).parent / "scaffolds"
_ENDING: Final = ".template"
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A folder that was written: its files in the order to read them, and the commands to try."""

    folder: Path
    files: tuple[Path, ...]
    commands: tuple[str, ...]


def write_scaffold(kind: Kind, name: str, where: Path) -> Scaffold:
    """Write a new folder `name` in `where`, with a flow, a command or a project and its test.

    Errors: `UsageError` for a name that is none of Python's, that a module or a command of the
    agent has already, and where something has that name.
    """
    _check(name)
    if kind == "command" and name in _commands_there():
        raise UsageError(f"the agent has a command {name} of its own; take another name")
    folder = where / name
    words = {"name": name, "Name": "".join(part.capitalize() for part in name.split("_"))}
    try:
        folder.mkdir()
    except FileExistsError as error:
        raise UsageError(f"{folder} is there already; nothing was written") from error
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from error
    files = []
    for template in sorted((TEMPLATES / kind).glob(f"*{_ENDING}")):
        file = folder / template.name.removesuffix(_ENDING).replace("NAME", name)
        text = Template(template.read_text(encoding="utf-8")).substitute(words)
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
        files.append(file)
    return Scaffold(folder, tuple(files), (f"cd {name}", *_commands(kind, name)))


def _check(name: str) -> None:
    if _NAME.fullmatch(name) and not keyword.iskeyword(name):
        if name in sys.stdlib_module_names or _is_installed(name):
            raise UsageError(
                f"there is a module {name} already, which a file of that name would hide"
            )
        return
    meant = re.sub(r"\W+", "_", name.strip().lower()).strip("_")
    usable = _NAME.fullmatch(meant) and not keyword.iskeyword(meant)
    hint = f"\ndid you mean: {meant}" if usable else ""
    raise UsageError(
        f"{name!r} cannot be the name of a Python module: small letters, digits and _, a letter "
        f"first, and no word of Python's own{hint}"
    )


def _is_installed(name: str) -> bool:
    """Whether a module of that name is found elsewhere than in the working folder."""
    found = find_spec(name)
    file = found.origin if found is not None else None
    return file is not None and not Path(file).is_relative_to(Path.cwd())


def _commands_there() -> frozenset[str]:
    """The names of the commands that the agent of the package has."""
    plan, _ = build(run_file("autogpt", "flows new command"))
    return frozenset(name for _, flow in walk(plan.flow) for name in _commands_of(flow))


def _commands_of(flow: Flow) -> tuple[str, ...]:
    return tuple(flow.subflows) if isinstance(flow, ExecutorFlow) else ()


def _commands(kind: Kind, name: str) -> tuple[str, ...]:
    if kind == "flow":
        return (
            f"flows check {name}.yaml",
            f"flows run {name}.yaml text=hello --trust ./{name}.py",
            "python -m pytest",
        )
    code, goal = (name, "How many feet are 250 metres?")
    if kind == "project":
        code, goal = ("tools", "Which region has the highest revenue?")
    return (
        "flows check agent.yaml",
        f'flows run agent.yaml goal="{goal}" --trust ./{code}.py',
        "python -m pytest",
    )
