"""What `flows doctor` looks at: each look gives findings and never fails."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flows.cli.check_result import CheckResult, State
from flows.cli.connectivity import reached

if TYPE_CHECKING:
    from flows.core.sandbox import ProbeFinding as Walls

PACKAGE = "analyst-flows"
INSTALLED_BY: Final = {"bubblewrap": "apt-get install bubblewrap"}
OLDEST_PYTHON = (3, 11)
# Chroma refuses to start with an older one.
OLDEST_SQLITE = (3, 35, 0)
LITTLE_DISK = 200 * 1024**2
TOO_LITTLE_DISK = 20 * 1024**2

# Distribution, module, what it is for, and whether the embedded default needs it.
DEPENDENCIES: tuple[tuple[str, str, str, bool], ...] = (
    ("hydra-core", "hydra", "composing configs", True),
    ("omegaconf", "omegaconf", "composing configs", True),
    ("pyyaml", "yaml", "reading configs", True),
    ("python-dotenv", "dotenv", "keys in the file .env", True),
    ("pydantic", "pydantic", "typed configs and ports", True),
    ("pydantic-core", "pydantic_core", "typed configs and ports", True),
    ("jinja2", "jinja2", "prompts", True),
    ("markupsafe", "markupsafe", "reports", True),
    ("duckdb", "duckdb", "queries over files", True),
    ("sqlglot", "sqlglot", "the SQL firewall", True),
    ("chromadb", "chromadb", "vector memory", True),
    ("anyio", "anyio", "model endpoints", False),
    ("httpx", "httpx", "the tool wiki_search, model endpoints", True),
    ("jsonschema", "jsonschema", "answers that fit their question", True),
    ("referencing", "referencing", "answers that fit their question", True),
    ("tenacity", "tenacity", "trying again", True),
    ("typer", "typer", "the command line", True),
    ("rich", "rich", "the terminal", True),
    ("prompt-toolkit", "prompt_toolkit", "questions at a terminal", True),
    ("langchain", "langchain", "model=langchain", False),
    ("langchain-core", "langchain_core", "LangChain tools", True),
    ("langchain-openai", "langchain_openai", "model=langchain with OpenAI", False),
    ("langsmith", "langsmith", "model=langchain", False),
    ("langchain-community", "langchain_community", "the tool ddg_search", True),
    ("ddgs", "ddgs", "the tool ddg_search", True),
    ("wikipedia", "wikipedia", "the LangChain tool wikipedia_query_run", False),
    ("openai", "openai", "model=openai, embedder.endpoint", False),
    ("numpy", "numpy", "vectors of the memory, the sandbox", True),
    ("pandas", "pandas", "the sandbox", True),
    ("pyarrow", "pyarrow", "tables in and out of the sandbox", True),
    ("matplotlib", "matplotlib", "charts as PNG", True),
    ("seaborn", "seaborn", "charts as PNG", False),
    ("plotly", "plotly", "charts, and the data of the demo", False),
    ("scikit-learn", "sklearn", "models in the sandbox", False),
    ("scipy", "scipy", "statistics", False),
    ("skops", "skops", "models that are saved", False),
    ("python-calamine", "python_calamine", "Excel files", False),
    ("pypdf", "pypdf", "PDF documents", False),
    ("python-docx", "docx", "Word documents", False),
    ("beautifulsoup4", "bs4", "HTML documents", False),
    ("lxml", "lxml", "HTML and Word documents", False),
    ("charset-normalizer", "charset_normalizer", "files of an unknown encoding", False),
    ("griffelib", "griffe", "functions that are read from Python", False),
)
# The extra of this package that brings a driver, beside what DEPENDENCIES says of it.
DRIVERS: Final = (
    ("psycopg", "PostgreSQL by URL", "postgres"),
    ("pymysql", "MySQL and MariaDB by URL", "mysql"),
    ("autogen-agentchat", "the agent analyst.autogen", "autogen"),
    ("optuna", "searching settings of models", "pipeline"),
    ("hypothesis", "tests of tools by property", "pipeline"),
    ("ray", "runner=ray", "ray"),
)


def diagnose() -> list[CheckResult]:
    """Everything, in the order in which it is shown."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as beside:  # starting the sandbox takes seconds, and so do networks
        stand = beside.submit(lambda: list(walls()))
        before = [*python(), *dependencies(), *drivers()]
        after = [*places(), *terminal(), *reached()]
        return [*before, *stand.result(), *after]


def python() -> Iterator[CheckResult]:
    """The interpreter, this package, and SQLite, which comes with Python."""
    import sqlite3
    from importlib.metadata import PackageNotFoundError, version

    group = "Python"
    found = ".".join(str(part) for part in sys.version_info[:3])
    state: State = "ok" if sys.version_info[:2] >= OLDEST_PYTHON else "failed"
    oldest = ".".join(str(part) for part in OLDEST_PYTHON)
    yield CheckResult(group, "python", state, f"{found} (at least {oldest})", is_needed=True)
    try:
        yield CheckResult(group, PACKAGE, "ok", version(PACKAGE))
    except PackageNotFoundError:
        detail = "runs from a folder; installed packages with flows of their own work all the same"
        yield CheckResult(group, PACKAGE, "note", detail, install="pip install -e .")
    state = "ok" if sqlite3.sqlite_version_info >= OLDEST_SQLITE else "failed"
    detail = f"{sqlite3.sqlite_version} (at least 3.35, for vector memory)"
    yield CheckResult(group, "sqlite", state, detail, is_needed=True)


def dependencies() -> Iterator[CheckResult]:
    """Which packages are there, without importing them."""
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    required = requirements()
    for name, module, purpose, is_needed in DEPENDENCIES:
        line = f"pip install '{required.get(name, name)}'"
        try:
            found = version(name)
        except PackageNotFoundError:
            yield CheckResult("Packages", name, "missing", purpose, line, is_needed)
            continue
        if find_spec(module) is None:
            again = line.replace("pip install", "pip install --force-reinstall")
            detail = f"{found}, but its module {module} is gone ({purpose})"
            yield CheckResult("Packages", name, "failed", detail, again, is_needed)
        else:
            yield CheckResult("Packages", name, "ok", f"{found} ({purpose})", is_needed=is_needed)


def drivers() -> Iterator[CheckResult]:
    """What extras of this package bring: drivers of database servers, AutoGen; and aiflows."""
    from importlib.metadata import PackageNotFoundError, version

    from flows.config.packages import install_line

    for name, purpose, extra in DRIVERS:
        try:
            yield CheckResult("Packages", name, "ok", f"{version(name)} ({purpose})")
        except PackageNotFoundError:
            line = f"pip install '{PACKAGE}[{extra}]'"
            yield CheckResult("Packages", name, "note", f"not installed ({purpose})", line)
    name, purpose = "aiflows", "classes that were written for aiflows 0.1.7; its files need none"
    try:
        yield CheckResult("Packages", name, "ok", f"{version(name)} ({purpose})")
    except PackageNotFoundError:
        yield CheckResult(
            "Packages", name, "note", f"not installed ({purpose})", install_line(name)
        )


def walls() -> Iterator[CheckResult]:
    """What holds untrusted Python here: its walls, and what the probe came to."""
    import asyncio

    from flows.core.sandbox import SandboxConfig
    from flows.errors import FlowsError
    from flows.sandbox.python import PythonSandbox

    async def found() -> Walls:
        sandbox = PythonSandbox(SandboxConfig())
        try:
            return await sandbox.finding(anew=True)
        finally:
            await sandbox.aclose()

    group = "Sandbox"
    try:
        probed = asyncio.run(found())
    except FlowsError as error:
        yield CheckResult(group, "python", "failed", str(error))
        return
    for layer, detail in probed.walls.items():
        is_missing = layer in probed.missing
        line = INSTALLED_BY.get(layer, "") if is_missing else ""
        yield CheckResult(group, layer, "missing" if is_missing else "ok", detail, line)
    held = probed.attacks - len(probed.through)
    detail = f"{held} of {probed.attacks} attacks held off"
    if probed.through:
        detail += f"; got through: {', '.join(probed.through)}"
    yield CheckResult(group, "probe", "failed" if probed.through else "ok", detail)


def requirements() -> dict[str, str]:
    """What this package requires, by distribution: `duckdb` is `duckdb<3,>=1.4`."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires(PACKAGE) or []
    except PackageNotFoundError:
        return {}
    found = {}
    for line in lines:
        requirement, _, marker = line.partition(";")
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        if name and "extra" not in marker:
            found[name[0].lower().replace("_", "-")] = requirement.strip()
    return found


def places() -> Iterator[CheckResult]:
    """The folders that runs write to, and the room there is."""
    for name, folder in (("runs folder", Path("runs")), ("memory folder", Path(".flows/memory"))):
        where = folder.absolute()
        above = next(each for each in (where, *where.parents) if each.exists())
        reason = why_not_writable(above)
        state: State = "failed" if reason else "ok"
        yield CheckResult(
            "Folders", name, state, f"{where}{reason and f': {reason}'}", is_needed=True
        )
    free = shutil.disk_usage(Path.cwd()).free
    state = "failed" if free < TOO_LITTLE_DISK else "note" if free < LITTLE_DISK else "ok"
    yield CheckResult("Folders", "free disk", state, f"{free / 1024**3:,.1f} GB", is_needed=True)


def why_not_writable(folder: Path) -> str:
    """Why no file can be made in a folder; empty when one can be. None stays behind."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def terminal() -> Iterator[CheckResult]:
    """What a person sees and can type."""
    from flows.human.prompt import is_terminal
    from flows.ui.console import make_console

    group = "Terminal"
    for name, stream, other in (
        ("input", sys.stdin, "no terminal: a person is asked in plain lines, or not at all"),
        ("output", sys.stdout, "no terminal: plain lines"),
    ):
        there = stream is not None and is_terminal(stream)
        yield CheckResult(group, name, "ok" if there else "note", "a terminal" if there else other)
    console = make_console()
    colours = console.color_system or "none"
    why = " (NO_COLOR is set)" if "NO_COLOR" in os.environ else ""
    yield CheckResult(group, "colours", "ok", f"{colours}{why}")
    yield CheckResult(group, "width", "ok", f"{console.width} columns")
