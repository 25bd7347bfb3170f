"""What a command does not import, so that it starts quickly; the times are in benchmarks/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import python

LISTED = """
import atexit, gc, json, sys
def tell():
    print(json.dumps({"loaded": sorted(sys.modules), "frozen": gc.get_freeze_count()}))
atexit.register(tell)
from flows.cli import main
main(%r)
"""
# Vendors that no command needs that only asks or looks; each takes 30 ms to a second.
VENDORS = frozenset({
    "chromadb", "duckdb", "grpc", "httpx", "jsonschema", "langchain", "langchain_core",
    "matplotlib", "numpy", "onnxruntime", "openai", "opentelemetry", "pandas", "plotly",
    "prompt_toolkit", "pyarrow", "pygments", "scipy", "seaborn", "sklearn", "tenacity",
})  # fmt: skip
# Of our own, and of vendors that are needed in part.
UNUSED_BY_ASK = frozenset({
    "flows.analysis.loop.controller", "flows.analysis.team", "flows.data.engines.engine",
    "flows.data.profiles.profile", "flows.memory.chroma", "flows.runners.fork", "flows.tools",
    "flows.ui.screen", "sqlglot.dialects.mysql", "sqlglot.dialects.postgres",
})  # fmt: skip
UNUSED_BY_CHECK = frozenset(
    {"flows.analysis.reading", "flows.cli.show", "flows.ui.console", "rich"}
)
UNUSED_BY_RUNS = frozenset({"flows.build.builder", "flows.library", "hydra", "jinja2", "sqlglot"})


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize(
    ("arguments", "unused"),
    [
        (["ask", "Total revenue for each region?", "--data", "sales.csv"], UNUSED_BY_ASK),
        (["check", "my.yaml"], UNUSED_BY_CHECK),
        (["check", "my.yaml", "model=openai", "model.model=any"], UNUSED_BY_CHECK),
        (["runs", "--json"], UNUSED_BY_RUNS),
    ],
)
def test_a_command_imports_nothing_that_it_does_not_use(
    arguments: list[str], unused: frozenset[str], tmp_path: Path
) -> None:
    (tmp_path / "sales.csv").write_text("region,revenue\nNorth,100\nSouth,200\nNorth,50\n")
    (tmp_path / "my.yaml").write_text("defaults: [autogpt, _self_]\ndata: {sales: sales.csv}\n")
    ended = python("-c", LISTED % arguments, cwd=tmp_path)
    assert ended.code == 0, ended.err
    told = json.loads(ended.out.splitlines()[-1])
    assert not VENDORS & {name.partition(".")[0] for name in told["loaded"]}
    assert not unused & set(told["loaded"])
    # What is left is not looked through for garbage, which would take a third of a second.
    assert told["frozen"] > 0


@pytest.mark.long("whole runs of the command")
def test_what_a_worker_imports_is_what_reads_files(tmp_path: Path) -> None:
    listing = (
        "import sys\nimport flows.data.workers.worker, flows.data.engines.duckdb_files\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    loaded = set(python("-c", listing, cwd=tmp_path).out.split())
    assert {"duckdb", "pydantic"} <= loaded
    assert not loaded & (VENDORS | {"asyncio", "hydra", "jinja2", "rich", "sqlglot"}) - {"duckdb"}


INTERRUPTED = """
import os, runpy, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[-1]:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
sys.argv[0] = "flows"
runpy.run_module("flows", run_name="__main__")
"""


@pytest.mark.parametrize("at", ["flows.cli.doctor", "flows.build.builder"])
def test_ctrl_c_before_anything_runs_is_one_word(at: str, tmp_path: Path) -> None:
    """While the commands are imported, and in the middle of one."""
    ended = python("-c", INTERRUPTED, "check", "autogpt", at, cwd=tmp_path)
    assert (ended.code, ended.err) == (130, "stopped\n")
