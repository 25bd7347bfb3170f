"""A folder to work in, and a language model on a loopback port."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.library.desk import Desk
from tests.library.world import World


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    with FakeModel() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "unused")
        yield running


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    return World(tmp_path)


@pytest.fixture(scope="module")
def open_desk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    """One folder and one model server for the tests of a module: runs of one run file share a plan,
    and with it its workers and its sandbox. The module's `furnish(folder)` writes the files."""
    folder = tmp_path_factory.mktemp("desk")
    with pytest.MonkeyPatch.context() as patch, FakeModel() as running:
        patch.chdir(folder)
        patch.setenv("OPENAI_BASE_URL", running.base_url)
        patch.setenv("OPENAI_API_KEY", "unused")
        request.module.furnish(folder)
        opened = Desk(folder, server=running)
        yield opened
        opened.close()


@pytest.fixture
def desk(open_desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The desk of the module, whose server is as it was at first."""
    monkeypatch.chdir(open_desk.folder)
    monkeypatch.setenv("OPENAI_BASE_URL", open_desk.server.base_url)
    open_desk.server.clear()
    open_desk.server.otherwise = lambda _: FakeAnswer("nothing is scripted")
    return open_desk
