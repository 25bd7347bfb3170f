"""The cost of `import flows` in a fresh interpreter, and of `flows --help`.

    python benchmarks/import_cost.py [--repeats 9] [--module flows] [--json FILE] [--no-help-page]

Exit code 0, or 1 when the import loads a heavy library or a command fails.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from report import machine, spread, table, write

# Libraries that no one pays for who only imports the package.
HEAVY = (
    "chromadb",
    "duckdb",
    "hydra",
    "langchain",
    "openai",
    "pandas",
    "plotly",
    "prompt_toolkit",
    "pydantic",
    "rich",
    "sqlglot",
)
_IN_FRESH_INTERPRETER = """
import importlib, json, sys, time
before = set(sys.modules)
wall, cpu = time.perf_counter(), time.process_time()
importlib.import_module(sys.argv[1])
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
print(json.dumps({"wall_s": wall, "cpu_s": cpu, "modules": sorted(set(sys.modules) - before)}))
"""
_SECONDS = 120


class CommandFailed(Exception):
    """A measured command did not end well; the message ends with its last words."""


def main() -> int:
    options = _options()
    before = machine()
    try:
        imports, bare, help_page = _measure(options)
    except CommandFailed as error:
        print(f"FAILED {error}", file=sys.stderr)
        return 1
    modules: list[str] = imports[-1]["modules"]
    heavy = heavy_ones(modules)
    figures = {
        f"import {options.module}, processor": spread([1e3 * one["cpu_s"] for one in imports]),
        f"import {options.module}, wall": spread([1e3 * one["wall_s"] for one in imports]),
        "bare interpreter, wall": spread(bare),
    }
    if help_page:
        figures["flows --help, wall"] = spread(help_page)
    _show(figures, options, modules, heavy)
    payload = {
        "benchmark": "import_cost",
        "machine": before,
        "module": options.module,
        "repeats": options.repeats,
        "milliseconds": figures,
        "modules_loaded": len(modules),
        "modules": modules,
        "heavy": heavy,
    }
    write(payload, "import_cost", options.json)
    return 1 if heavy else 0


def heavy_ones(modules: Sequence[str]) -> list[str]:
    """The heavy libraries among loaded modules; `langchain` stands for all its packages."""
    packages = {module.partition(".")[0] for module in modules}
    return sorted(
        package for package in packages if package in HEAVY or package.startswith("langchain_")
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The cost of importing, and of the help page.")
    parser.add_argument("--repeats", type=int, default=9, help="fresh interpreters (9)")
    parser.add_argument("--module", default="flows", help="what to import (flows)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    parser.add_argument("--no-help-page", action="store_true", help="leave out flows --help")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error("--repeats: at least 1")
    return options


def _measure(
    options: argparse.Namespace,
) -> tuple[list[dict[str, Any]], list[float], list[float]]:
    """Samples of the import (as dicts), of a bare interpreter and of the help page (milliseconds).

    The three take turns, after one unmeasured turn that writes the bytecode and warms the disk.
    """
    importing = [sys.executable, "-c", _IN_FRESH_INTERPRETER, options.module]
    helping = [] if options.no_help_page else _help_command()
    imports: list[dict[str, Any]] = []
    bare: list[float] = []
    help_page: list[float] = []
    for turn in range(options.repeats + 1):
        _, text = _timed(importing)
        bare_ms, _ = _timed([sys.executable, "-c", "pass"])
        help_ms, _ = _timed(helping) if helping else (0.0, "")
        if turn == 0:
            continue
        imports.append(json.loads(text.splitlines()[-1]))
        bare.append(bare_ms)
        if helping:
            help_page.append(help_ms)
    return imports, bare, help_page


def _help_command() -> list[str]:
    script = Path(sys.executable).with_name("flows")
    if not script.exists():
        raise CommandFailed(
            f"there is no {script.name} command beside {Path(sys.executable).name}: run this with "
            "the project's environment, or leave the help page out with --no-help-page"
        )
    return [str(script), "--help"]


def _timed(command: Sequence[str]) -> tuple[float, str]:
    """Milliseconds of wall time from start to end of a command, and its standard output."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    elapsed = 1e3 * (time.perf_counter() - start)
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-6:])
        raise CommandFailed(f"{Path(command[0]).name} ended with {done.returncode}:\n{last}")
    return elapsed, done.stdout


def _show(
    figures: dict[str, dict[str, float]],
    options: argparse.Namespace,
    modules: Sequence[str],
    heavy: Sequence[str],
) -> None:
    print(f"milliseconds, {options.repeats} fresh interpreters in turns\n")
    rows = [
        [name, *(f"{figure[key]:.2f}" for key in ("median", "min", "max"))]
        for name, figure in figures.items()
    ]
    print(table(["", "median", "min", "max"], rows))
    print(f"\nmodules loaded by the import: {len(modules)}")
    if heavy:
        print(f"FAILED heavy libraries loaded: {', '.join(heavy)}")


if __name__ == "__main__":
    sys.exit(main())
