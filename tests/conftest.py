"""Settings of all tests."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys

import pytest
from hypothesis import settings

# As in the sandbox: threads of several processes that wait for each other take many times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Where a failure stops a change from landing, the same examples are tried each time; elsewhere new
# ones are looked for.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("here", deadline=None)
# A test that runs in several processes is given the width of their terminal, which none reads.
os.environ.pop("COLUMNS", None)
# Figures are drawn by matplotlib: a browser takes seconds for each. Its own tests name one.
os.environ["BROWSER_PATH"] = "none"
settings.load_profile("ci" if os.environ.get("CI") else "here")

# A shell lets what it starts in the background ignore Ctrl-C, and so would all that the tests start
# and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Until all are collected: see pytest_collection_finish.
gc.disable()

LONG = pytest.StashKey[float]()
LONG_SECONDS = 400  # that a long test may take: several are at work, on a busy machine


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Notes the share of long tests, and begins with those that may take longest.

    So none of them is left for the end, with one process idle; not where any order is asked for.
    """
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        config.stash[LONG] = sum(bool(each.get_closest_marker("long")) for each in items) / len(
            items
        )
    if not config.pluginmanager.has_plugin("randomly"):
        items.sort(key=lambda item: -_seconds(item))
    for each in items:
        if each.get_closest_marker("long") and not _seconds(each):
            each.add_marker(pytest.mark.timeout(LONG_SECONDS))


def _seconds(item: pytest.Item) -> float:
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark else 0.0


@pytest.fixture(autouse=True)
def _nothing_is_known_of_endpoints() -> None:
    """A server of this test may have the port that one of another test had."""
    if refusals := sys.modules.get("flows.models.refusals"):
        refusals.forget_refusals()


def pytest_collection_finish() -> None:
    """Nothing of what was imported and collected is garbage while the tests run, nor where pytest
    looks for garbage after the last. Let go of by the end of the process, or libraries report what
    is still there."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)
