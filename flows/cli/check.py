"""`flows check`: build a run file without running it."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import (
    AsJson,
    Overrides,
    RunFile,
    Trust,
    said_in_words,
    split_arguments,
)

if TYPE_CHECKING:
    from flows.build.files import FileUse
    from flows.build.plan import RunPlan
    from flows.build.worst_case import WorstCase
    from flows.config.composition import Composed
    from flows.core.flow import Flow
    from flows.core.topology import Step
    from flows.errors import ConfigError


def check(
    file: RunFile = None,
    overrides: Overrides = None,
    cost: Annotated[
        bool, typer.Option("--cost", help="The worst case by flow: model calls, tokens, money.")
    ] = False,
    as_json: AsJson = False,
    trust: Trust = None,
    compat: Annotated[
        bool,
        typer.Option(
            "--compat",
            help="Tell where a file of aiflows, or those of a folder, means something else than in "
            "aiflows 0.1.7, and which keys do nothing.",
        ),
    ] = False,
) -> int:
    """Build a run file without running it, and show every fault.

    Each fault is shown with its file, line and column, what is allowed, and what was meant. Of a
    folder each run file in it is checked, not those of its subfolders, where parts of files lie.

    Checked are the names, keys and types of the config, the prompts and their variables, the
    services, the files of the data, and that each step's inputs are given by something before it.
    The worst case of model calls is shown: all rounds, with all corrections and retries. So is what
    is sent where and with which key (never its value), which files and folders outside of the run
    file's folder are read or made, and what you have to allow with --trust before it runs. With
    --cost each flow that asks a model is shown: how often it may run, the tokens and the money that
    this may take, and the loops that make it.

    Examples:

      flows check my.yaml
      flows check my.yaml Executor.sql.max_rows=50 --json
      flows check my.yaml model=openai --cost
      flows check my.yaml "Which region has the highest revenue?"
      flows check agent.yaml --compat
      flows check agents --json

    Exit codes: 0 no fault, with or without warnings; 2 faults.
    """
    from flows.cli.faults import failing_as_json

    path, changes = split_arguments(file, overrides)
    if path.suffix == ".py" and path.is_file():
        from flows.errors import UsageError

        raise UsageError(
            f"{path} is a Python program, which says what it launches only when it runs, with "
            f"flows run {path}; what can be checked is a file that it reads: flows check FILE.yaml"
        )
    if compat:
        from flows.cli.compat import check_compat

        return check_compat(path, changes, trust or (), as_json)
    if path.is_dir():
        return _check_folder(path, changes, trust or (), cost=cost, as_json=as_json)
    with failing_as_json(as_json):
        _check_file(path, changes, trust or (), cost=cost, as_json=as_json)
    return 0


def _check_file(
    path: Path, changes: Sequence[str], trust: Sequence[str], *, cost: bool, as_json: bool
) -> None:
    """Tell of a file that nothing is wrong with. Errors: `ConfigError`, `CheckError` for faults."""
    from flows.build.builder import build
    from flows.build.input_faults import input_faults
    from flows.build.trust import Trust
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.config.composition import raise_all
    from flows.errors import ConfigError

    changes, said = said_in_words(path, changes)
    with reserved_stdout():
        try:
            plan, composed = build(path, changes, trust=Trust(trust, refuse=False))
        except ConfigError as error:
            name_commands(error, path, changes)
            raise
        raise_all(input_faults(plan.flow, plan.inputs, composed))
        plan = plan.with_inputs(said)
        missing = missing_inputs(plan)
        if not missing:
            plan.check_inputs()
    if as_json:
        found = _as_json(path, plan, composed, missing, cost=cost)
        print(json.dumps(found, ensure_ascii=False), flush=True)
    else:
        _show(path, plan, composed, missing, cost=cost)


def name_commands(error: ConfigError, path: Path, changes: Sequence[str]) -> None:
    """Say of each key of the run file that has to be given how it is given on a command line."""
    from flows.errors import CheckError

    typed = shlex.join(["flows", "check", str(path), *changes])
    for each in error.errors if isinstance(error, CheckError) else (error,):
        if each.missing and "." not in each.path:
            each.problem += f", in the file or here: {typed} {each.path}=..."


def _check_folder(
    folder: Path, changes: Sequence[str], trust: Sequence[str], *, cost: bool, as_json: bool
) -> int:
    """Check each run file in a folder; the exit code. Errors: `UsageError` for one without any."""
    from flows.cli.faults import fault_as_json, show_fault
    from flows.config.read import ENDINGS
    from flows.errors import FlowsError, UsageError

    there = (each for each in folder.iterdir() if each.suffix in ENDINGS)
    found = sorted(each for each in there if each.is_file() or _leads_nowhere(each))
    files = [each for each in found if _is_run_file(each)]
    if not files:
        raise UsageError(f"no run file is in {folder}")
    wrong = 0
    for each in files:
        try:
            _check_file(each, changes, trust, cost=cost, as_json=as_json)
        except FlowsError as error:
            wrong += 1
            show_fault(error)
            if as_json:
                told = {"file": str(each), **fault_as_json(error)}
                print(json.dumps(told, ensure_ascii=False), flush=True)
    if not as_json:
        others = [each.name for each in found if each not in files]
        more = f"; no run files: {', '.join(others)}" if others else ""
        print(f"{len(files)} run files, {wrong} of them with faults{more}")
    return 2 if wrong else 0


def _leads_nowhere(path: Path) -> bool:
    """Whether it is a link to no file, which is told."""
    return path.is_symlink() and not path.is_dir()


def _is_run_file(path: Path) -> bool:
    """Whether a file says what to run; so does one that cannot be read, whose fault is told."""
    from flows.config.aiflows import LAUNCHED
    from flows.config.read import read
    from flows.config.tree import DEFAULTS, SUBFLOWS, TARGET
    from flows.errors import ConfigError

    try:
        keys = read(path).tree.entries
    except ConfigError:
        return True
    return any(key in keys for key in (TARGET, DEFAULTS, SUBFLOWS, LAUNCHED))


def _show(path: Path, plan: RunPlan, composed: Composed, missing: list[str], *, cost: bool) -> None:
    from flows.ui.terminal_text import clean

    print(f"{path}: {verdict(len(plan.warnings))}")
    for name, text in [*warned(plan), *described(plan, composed, missing), *reached(plan)]:
        print(f"  {name:<12} {clean(text, keep_newlines=False)}")
    if cost:
        from flows.build.cost_table import cost_table
        from flows.ui.worst_case import cost_lines

        print("", *cost_lines(cost_table(plan, composed)), sep="\n")


def verdict(warnings: int) -> str:
    """What is said first of a file without faults."""
    if not warnings:
        return "nothing is wrong"
    return f"{warnings} warning{'s' * (warnings != 1)}, no fault"


def missing_inputs(plan: RunPlan) -> list[str]:
    """Inputs that have to be given to run it."""
    ports = plan.flow.input_ports
    return [name for name, needed in ports.items() if needed and name not in plan.inputs]


def warned(plan: RunPlan) -> list[tuple[str, str]]:
    """What may be meant otherwise, each with its place and what was meant."""
    rows = []
    for each in plan.warnings:
        meant = f"; did you mean {each.meant!r}?" if each.meant else ""
        rows.append(("warning", f"{each.place}: {each.path}: {each.problem}{meant}"))
    return rows


def described(plan: RunPlan, composed: Composed, missing: list[str]) -> list[tuple[str, str]]:
    """What was checked, and what the run can come to."""
    from flows.build.input_names import override_of
    from flows.config.tree import leaves
    from flows.core.flow import walk

    flows = list(walk(plan.flow))
    kinds = Counter(_kind(flow.atomic, bool(flow.children())) for _, flow in flows)
    steps = sum(len(_steps(flow)) for _, flow in flows)
    values = sum(1 for _ in leaves(composed.tree))
    sources = len(plan.spec["data"])
    keys = (*(each.key for each in plan.files), *(each.service for each in plan.sendings))
    used = any(key.startswith("data.") for key in keys)
    looked = "found, and of a kind that is read" if used or not sources else "no flow uses them"
    rows = [
        ("files", ", ".join(_near(each) for each in composed.sources)),
        ("config", f"{values} values: names, keys, types"),
        ("flows", f"{len(flows)}: " + ", ".join(f"{n} {kind}" for kind, n in kinds.items())),
        ("steps", f"{steps}: the keys that go in and come out"),
        ("data", f"{sources} source{'s' * (sources != 1)}: {looked}"),
        ("model calls", calls_text(plan.worst_case)),
    ]
    if missing:
        given = (override_of(name, composed, plan.base) for name in missing)
        rows.append(("to run it", "give " + " ".join(f"{each}=..." for each in given)))
    return rows


def reached(plan: RunPlan) -> list[tuple[str, str]]:
    """What is sent where, what is read or made elsewhere, and what has to be allowed first."""
    rows = [("sends", str(each)) for each in plan.sendings if each.kind != "code"]
    rows += [("elsewhere", f"{each.path} ({each.key})") for each in outside(plan)]
    rows += [("code", f"{code} ({key})") for key, code in plan.foreign.items()]
    refused = (each for each in plan.sendings if each.is_refused)
    rows += [
        ("needs trust", f"{each.place}: {each}; allow it with {each.trust_option}")
        for each in refused
    ]
    return [*dict.fromkeys(rows), *(("note", each) for each in plan.notes)]


def outside(plan: RunPlan) -> list[FileUse]:
    """The files and folders that are read or made outside of the run file's folder."""
    from flows.build.files import FileUse

    runs = FileUse("runs", str(Path.cwd() / plan.runs_folder))
    return [each for each in (*plan.files, runs) if not each.is_in(plan.base)]


def calls_text(worst: WorstCase) -> str:
    """The worst case in words."""
    if worst.calls == 0:
        return "none"
    text = "no limit" if worst.calls == inf else f"at most {worst.calls:g}"
    if worst.rounds not in (None, 1) and worst.per_round:
        rounds = "any number of" if worst.rounds == inf else f"{worst.rounds:g}"
        each = "any number" if worst.per_round == inf else f"{worst.per_round:g}"
        text += f" ({rounds} rounds x {each}, with all corrections)"
    if worst.limits.model_calls is not None:
        return f"{text}; limits.model_calls is {worst.limits.model_calls}"
    return text if worst.calls < inf else f"{text}; set one with limits.model_calls=N"


def _as_json(
    file: Path, plan: RunPlan, composed: Composed, missing: list[str], *, cost: bool
) -> dict[str, object]:
    from flows.build.cost_table import cost_table
    from flows.core.flow import walk

    more = {"cost": cost_table(plan, composed).as_json()} if cost else {}
    calls = plan.worst_case.calls
    return {
        "status": "ok",
        "file": str(file),
        "flows": [path for path, _ in walk(plan.flow)],
        "missing_inputs": missing,
        "model_calls": None if calls == inf else calls,
        "sends": [each.as_json() for each in plan.sendings if each.kind != "code"],
        "elsewhere": [{"key": each.key, "path": each.path} for each in outside(plan)],
        "code": dict(plan.foreign),
        "notes": list(plan.notes),
        "warnings": [warning for _, warning in warned(plan)],
        "needs_trust": [each.as_json() for each in plan.sendings if each.is_refused],
        **more,
    }


def _steps(flow: Flow) -> Sequence[Step]:
    """The steps of a flow's topology; none where it has no topology."""
    from flows.core.circular import InRounds

    if isinstance(flow, InRounds):
        return flow.rounds.steps
    steps: Sequence[Step] = getattr(flow, "steps", ())
    return steps


def _kind(is_atomic: bool, has_children: bool) -> str:
    return "atomic" if is_atomic or not has_children else "composite"


def _near(file: Path) -> str:
    from flows.config.read import shown

    return shown(file)
