"""Libraries are imported when code mentions them, and reached all the same when it does not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from flows.core.sandbox import Execution, SandboxConfig
from flows.sandbox.keeper import ALL_LAYERS, Keeper
from flows.sandbox.libraries import mentioned
from flows.sandbox.processes import all_seen
from flows.sandbox.python import PythonSandbox
from flows.sandbox.syntax import compiled

HEAVY = "[each for each in ('numpy', 'pandas', 'matplotlib', 'sklearn') if each in sys.modules]"


@asynccontextmanager
async def opened(config: SandboxConfig) -> AsyncIterator[PythonSandbox]:
    sandbox = PythonSandbox(config)
    try:
        yield sandbox
    finally:
        await sandbox.aclose()


def ran(*pieces: str, session: str | None = None, memory_mb: int = 2048) -> list[Execution]:
    """The pieces in a sandbox of their own, that has run nothing before."""

    async def run() -> list[Execution]:
        # The first zygote that is ever started compiles all libraries. The last one that was used
        # rests, and does not serve a sandbox of other limits.
        async with opened(SandboxConfig(memory_mb=memory_mb + 1)) as sandbox:
            await sandbox.execute("0")
        async with opened(SandboxConfig(memory_mb=memory_mb)) as sandbox:
            return [await sandbox.execute(each, session=session) for each in pieces]

    return asyncio.run(run())


def wanted(code: str, *, tables: bool = False) -> frozenset[str]:
    read = compiled(code, "<code>")
    return mentioned(read.names, read.imports, tables=tables)


@pytest.mark.parametrize(
    ("code", "library"),
    [
        ("pd.DataFrame()", "pandas"),
        ("import pandas as p", "pandas"),
        ("def f():\n    from sklearn.linear_model import Ridge", "sklearn"),
        ("plt.plot([1])", "matplotlib"),
        ("sns.heatmap([])", "seaborn"),
        ("px.bar()", "plotly"),
    ],
)
def test_code_that_names_a_library_has_it_imported(code: str, library: str) -> None:
    assert library in wanted(code)


def test_code_that_names_none_has_none_imported() -> None:
    assert wanted("x = 1\nfrom . import pandas\nprint(x.pd)") == frozenset()
    assert "pandas" in wanted("len(sales)", tables=True)
    assert "sklearn" not in wanted("pd.DataFrame()")


@pytest.mark.long("code in a sandbox of its own")
def test_code_that_names_none_runs_without_any() -> None:
    [first, frame] = ran(f"import sys\n{HEAVY}", f"import sys\npd\n{HEAVY}")
    assert first.result == "[]"
    assert frame.result == "['numpy', 'pandas']"


@pytest.mark.long("code in sandboxes with heavy libraries")
def test_what_code_does_not_name_in_plain_words_is_there_all_the_same() -> None:
    [done] = ran(
        "import importlib\n"
        "frame = eval('p' + 'd').DataFrame({'a': [1, 2]})\n"
        "pyplot = importlib.import_module('matplotlib' + '.pyplot')\n"
        "pyplot.plot([1, 2])\npyplot.title('Late')\npyplot.show()\n"
        "eval('go').Figure(layout={'title': {'text': 'Later'}}).show()\n"
    )
    assert (done.status, done.stderr) == ("ok", "")
    assert [each.title for each in done.figures] == ["Late", "Later"]
    assert [each.name for each in done.tables] == ["frame"]


def test_random_numbers_are_the_same_however_numpy_came() -> None:
    code = "float(np.random.rand())"
    [named, found] = ran(code, "float(eval('np').random.rand())", code)[:2]
    assert named.result == found.result != ""


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_a_session_that_began_without_libraries_reaches_all_with_little_memory() -> None:
    model = (
        "import pandas\nfrom sklearn.linear_model import LinearRegression\n"
        "model = LinearRegression().fit([[x], [2]], [1, 2])\nround(float(model.coef_[0]), 3)"
    )
    [first, second] = ran("x = 1", model, session="one", memory_mb=128)
    assert first.status == "ok"
    assert (second.status, second.result, second.notes) == ("ok", "1.0", ())
    assert [each.name for each in second.models] == ["model"]


@pytest.mark.long("code in a sandbox of its own")
def test_a_session_goes_on_while_others_need_more_libraries(tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with opened(SandboxConfig()) as sandbox:
            await sandbox.execute("x = 5", session="early")
            await sandbox.execute("pd.DataFrame()")
            early = await sandbox.execute("x", session="early")
            await sandbox.forget("early")
            late = await sandbox.execute("len(pd.DataFrame())")
            return [early.result, *early.notes, late.result]

    assert asyncio.run(run()) == ["5", "0"]


def test_a_zygote_without_guests_imports_what_later_code_wants() -> None:
    async def run() -> tuple[bool, bool, frozenset[str]]:
        keeper = await Keeper.start(SandboxConfig(), ALL_LAYERS)
        try:
            could = keeper.can_load
            await keeper.load(["numpy"])
            guest = keeper.guest()
            await guest.ready()
            return could, keeper.can_load, keeper.libraries
        finally:
            await keeper.aclose()

    alone, with_a_guest, libraries = asyncio.run(run())
    assert (alone, with_a_guest) == (True, False)
    assert libraries == {"numpy"}


def test_code_that_wants_more_than_code_before_it_is_forked_of_the_same_zygote() -> None:
    async def run() -> list[set[int]]:
        # Of limits that no other test has, so that no zygote of theirs is taken over.
        async with opened(SandboxConfig(memory_mb=2222)) as sandbox:
            zygotes = []
            for code in ("1", "np.pi", "len(pd.DataFrame())"):
                assert (await sandbox.execute(code)).status == "ok"
                zygotes.append(_zygotes())
            return zygotes

    first, second, third = asyncio.run(run())
    assert first == second == third


def _zygotes() -> set[int]:
    """The children of this process that are zygotes."""
    children = [each.pid for each in all_seen() if each.parent == os.getpid()]
    commands = {each: Path(f"/proc/{each}/cmdline").read_bytes() for each in children}
    return {each for each, command in commands.items() if b"flows.sandbox.zygote" in command}
