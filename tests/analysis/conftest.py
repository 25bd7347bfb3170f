from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from tests.analysis.statistics.asked import Tables, frames_of_methods
from tests.analysis.studies import Studies, open_studies
from tests.analysis.worlds import World, csv_world, sqlite_world


@pytest.fixture(scope="session")
def zorbs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("zorbs")
    with csv_world(folder) as world:
        yield world


@pytest.fixture(scope="session")
def works(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("works")
    with sqlite_world(folder) as world:
        yield world


@pytest.fixture(scope="session")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studies]:
    with open_studies(tmp_path_factory.mktemp("studies")) as opened:
        yield opened


@pytest.fixture(scope="session")
def tables_by_name(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The tables that questions about statistics are asked of, each alone in a catalog."""
    folder = tmp_path_factory.mktemp("methods")
    found = {}
    for name, frame in frames_of_methods().items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        with Catalog({name: str(folder / f"{name}.csv")}, folder) as catalog:
            found[name] = catalog.tables()
    return found
