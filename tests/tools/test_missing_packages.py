"""A tool whose package is not installed is a fault with its place and the line that installs it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from tests.cli.inside import inside, write

FLOW = """\
_target_: tools.langchain
name: Search
inputs: {query: x}
backend: {_target_: TOOL}
"""


class NeedsMore(BaseTool):
    """A tool as many are: it looks for its package when it is made."""

    name: str = "needs_more"
    description: str = "Needs more."

    def __init__(self, **given: Any) -> None:
        raise ImportError("Could not import it. Please install with `pip install -U some-search`.")

    def _run(self, query: str) -> str:
        return query


class NeedsModule(NeedsMore):
    def __init__(self, **given: Any) -> None:
        import no_such_module_here  # type: ignore[import-not-found]  # noqa: F401


@pytest.mark.parametrize(
    ("tool", "module", "package"),
    [
        ("wikipedia_query_run", "wikipedia", "wikipedia"),
        ("wikipedia_query_run", "bs4", "beautifulsoup4"),
        ("ddg_search_run", "ddgs", "ddgs"),
        ("ddg_search_results", "langchain_community", "langchain-community"),
        (f"{__name__}.NeedsMore", None, "some-search"),
        (f"{__name__}.NeedsModule", None, "no-such-module-here"),
        ("no_such_package.Tool", None, None),
    ],
)
def test_a_missing_package_is_a_fault_with_its_place(
    tool: str,
    module: str | None,
    package: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if module is not None:
        monkeypatch.setitem(sys.modules, module, None)
    file = write(tmp_path, FLOW.replace("TOOL", tool))
    for command in ("check", "run"):
        ended = inside(
            command, file, "--trust", "tests", "--trust", "no_such_package", cwd=tmp_path
        )
        assert ended.code == 2
        assert "my.yaml:4:" in ended.err
        if package is not None:
            assert f"run: pip install {package}\n" in ended.err
        assert "Traceback" not in ended.err
    assert not (tmp_path / "runs").exists()
