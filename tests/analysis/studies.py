"""Real tables, and studies that are really run over them in the sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.data
from sklearn import datasets

from flows.analysis.methods.answer import study_answer
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.core.sandbox import Execution, SandboxConfig
from flows.data.catalog import Catalog
from flows.data.frames import frame_names
from flows.data.tables import Table
from flows.sandbox.python import PythonSandbox


def frames() -> dict[str, pd.DataFrame]:
    """The tables of the tests, as pandas has them."""
    return {
        "gapminder": plotly.data.gapminder(),
        "tips": plotly.data.tips(),
        "iris": plotly.data.iris().drop(columns="species_id", errors="ignore"),
        "diabetes": datasets.load_diabetes(as_frame=True, scaled=False).frame,
        "wine": datasets.load_wine(as_frame=True).frame,
        "gaps": pd.DataFrame(
            {
                "place": ["x", "x", "y", "y", None, "y"],
                "depth": [1.0, None, 3.0, 4.0, 5.0, 60.0],
                "width": [2.0, 4.0, None, 9.0, 11.0, 110.0],
                "day seen": pd.to_datetime(["2020-01-05"] * 3 + ["2021-03-01"] * 3),
            }
        ),
    }


@dataclass
class Studies:
    """The tables by name, their data in pandas, and one sandbox for all tests."""

    folder: Path
    data: Mapping[str, pd.DataFrame]
    runner: asyncio.Runner
    sandbox: PythonSandbox
    catalogs: dict[str, Catalog] = field(default_factory=dict)

    def tables(self, name: str) -> tuple[Table, ...]:
        return self._catalog(name).tables()

    def read(self, name: str, text: str) -> Specification[Arguments]:
        study = read_study(text, self.tables(name))
        assert isinstance(study, Specification), str(study)
        return study

    def run(self, name: str, text: str) -> Execution:
        """What the study's code comes to."""
        tables = self.tables(name)
        code = compile_study(self.read(name, text), tables)
        files = {
            frame: self._catalog(name).export(table.name, self.folder / "exports")
            for frame, table in frame_names(tables).items()
        }
        done = self.runner.run(self.sandbox.execute(code, tables=files))
        assert done.fault is None, done.fault.traceback
        assert done.status == "ok", done
        return done

    def result(self, name: str, text: str) -> pd.DataFrame:
        """The table that the answer is made of."""
        [made] = [each for each in self.run(name, text).tables if each.name == "result"]
        return pd.DataFrame(list(made.rows), columns=list(made.columns))

    def answer(self, name: str, text: str) -> str:
        done = self.run(name, text)
        [made] = [each for each in done.tables if each.name == "result"]
        return study_answer(
            self.read(name, text), made.columns, made.rows[:20], made.total_rows,
            cautions=done.cautions,
        )  # fmt: skip

    def _catalog(self, name: str) -> Catalog:
        if name not in self.catalogs:
            path = self.folder / f"{name}.csv"
            self.catalogs[name] = Catalog({name: str(path)}, self.folder)
        return self.catalogs[name]


@contextmanager
def open_studies(folder: Path) -> Iterator[Studies]:
    (folder / "exports").mkdir()
    data = frames()
    for name, frame in data.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    with asyncio.Runner() as runner:
        studies = Studies(folder, data, runner, PythonSandbox(SandboxConfig(seconds=60)))
        try:
            yield studies
        finally:
            runner.run(studies.sandbox.aclose())
            for catalog in studies.catalogs.values():
                catalog.close()


def cell(table: pd.DataFrame, column: str, **where: Any) -> Any:
    """The one cell of a column in the row where the others are so."""
    chosen = table
    for name, value in where.items():
        chosen = chosen[chosen[name] == value]
    [found] = chosen[column]
    return found
