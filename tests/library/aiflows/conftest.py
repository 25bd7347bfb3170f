"""A model server under the name and the key that files of aiflows take from the environment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows.models.fake.server import FakeModel


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    with FakeModel() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server
