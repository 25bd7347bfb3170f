"""One report that is really made, and a browser, for all tests of the room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.core.artifacts import Artifacts
from flows.report.report import Report
from tests.report.browser import CHROMIUM, Browser
from tests.report.sample import sample

Made = tuple[Report, Artifacts]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return sample(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    with Browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
