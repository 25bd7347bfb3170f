from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.analysis.questions.depots import Depots, open_depots


@pytest.fixture(scope="session", params=[3, 14])
def depots(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Depots]:
    folder: Path = tmp_path_factory.mktemp("depots")
    with open_depots(folder, request.param) as opened:
        yield opened
