"""Questions put to the whole way: read, compiled, run in the real sandbox, answered."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import plotly.data
from sklearn import datasets

from flows.analysis.methods.answer import study_answer
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.analysis.reading.reader import Unread
from flows.core.sandbox import SandboxConfig
from flows.data.catalog import Catalog
from flows.data.frames import frame_names
from flows.data.results.parquet import read_parquet
from flows.data.tables import Table
from flows.sandbox.python import PythonSandbox
from tests.analysis.patients import leukemia
from tests.analysis.statistics.facts import Found, Question

Tables = Mapping[str, tuple[Table, ...]]
Answer = tuple[Found, Specification[Arguments] | None]


def frames() -> dict[str, pd.DataFrame]:
    """The tables of the questions; `checks` is tips with holes."""
    tips = plotly.data.tips()
    checks = tips.copy()
    checks.loc[checks.index % 7 == 3, "total_bill"] = None
    checks.loc[checks.index % 11 == 5, "tip"] = None
    cancer = datasets.load_breast_cancer(as_frame=True).frame
    named = cancer["target"].map({0: "malignant", 1: "benign"})
    return {
        "tips": tips,
        "checks": checks,
        "gapminder": plotly.data.gapminder(),
        "iris": plotly.data.iris().drop(columns="species_id"),
        "stocks": plotly.data.stocks(),
        "wind": plotly.data.wind(),
        "medals": plotly.data.medals_long(),
        "election": plotly.data.election(),
        "carshare": plotly.data.carshare(),
        "experiment": plotly.data.experiment(),
        "wine": datasets.load_wine(as_frame=True).frame,
        "diabetes": datasets.load_diabetes(as_frame=True, scaled=False).frame,
        "cancer": cancer.drop(columns="target").assign(diagnosis=named),
        "linnerud": pd.concat(
            list(datasets.load_linnerud(return_X_y=True, as_frame=True)),
            axis=1,
        ),
    }  # fmt: skip


def frames_of_methods() -> dict[str, pd.DataFrame]:
    """A table for each method, also for one that no question is about."""
    return {**frames(), "patients": leukemia()}


@dataclass(frozen=True)
class Asked:
    """A question, what came of it, what is wrong with that (nothing: it is right), and the study
    that was run."""

    question: Question
    found: Found
    wrong: tuple[str, ...]
    study: Specification[Arguments] | None = None

    @property
    def verdict(self) -> str:
        """`right`, `wrong`, or `not answered` where an answer was wanted."""
        if not self.wrong:
            return "right"
        return "wrong" if self.found.unread is None else "not answered"


def ask_all(questions: Sequence[Question], folder: Path) -> list[Asked]:
    """All questions put, one after the other, in one sandbox."""
    (folder / "exports").mkdir(parents=True)
    data = frames()
    catalogs = {}
    for name in {each.table for each in questions}:
        data[name].to_csv(folder / f"{name}.csv", index=False)
        catalogs[name] = Catalog({name: str(folder / f"{name}.csv")}, folder)
    try:
        found = asyncio.run(_answers(questions, catalogs, folder))
    finally:
        for catalog in catalogs.values():
            catalog.close()
    return [
        Asked(each, one, _wrong(each, one, data[each.table]), study)
        for each, (one, study) in zip(questions, found, strict=True)
    ]


def _wrong(question: Question, found: Found, frame: pd.DataFrame) -> tuple[str, ...]:
    facts = question.facts(frame)
    assert facts, question.text
    missing = tuple(filter(None, (fact(found) for fact in facts)))
    return (f"not answered: {found.unread}",) if missing and found.unread else missing


async def _answers(
    questions: Sequence[Question], catalogs: dict[str, Catalog], folder: Path
) -> list[Answer]:
    sandbox = PythonSandbox(SandboxConfig(seconds=60))
    gate = asyncio.Semaphore(os.cpu_count() or 1)

    async def one(question: Question) -> Answer:
        async with gate:
            return await _answer(question.text, catalogs[question.table], sandbox, folder)

    try:
        return list(await asyncio.gather(*map(one, questions)))
    finally:
        await sandbox.aclose()


async def answer_of(text: str, source: Path, sandbox: PythonSandbox) -> Found:
    """What comes of one question over one file."""
    folder = source.parent
    (folder / "exports").mkdir(exist_ok=True)
    with Catalog({source.stem: str(source)}, folder) as catalog:
        return (await _answer(text, catalog, sandbox, folder))[0]


async def _answer(text: str, catalog: Catalog, sandbox: PythonSandbox, folder: Path) -> Answer:
    tables: Sequence[Table] = catalog.tables()
    study = read_study(text, tables)
    if study is None:
        return Found(unread="no study is asked for"), None
    if isinstance(study, Unread):
        return Found(unread=str(study)), None
    assert isinstance(study, Specification)
    files = {
        frame: catalog.export(table.name, folder / "exports")
        for frame, table in frame_names(tables).items()
    }
    done = await sandbox.execute(compile_study(study, tables), tables=files)
    if done.fault is not None:
        if done.fault.type == "ValueError":
            return Found(unread=done.fault.message), study
        raise AssertionError(f"{text}: {done.fault.traceback}\n{done.stderr}")
    assert done.status == "ok", (text, done)
    made = next(each for each in done.tables if each.name == "result")
    cautions = done.cautions
    rows = made.rows[:20]  # as many as a controller is shown
    said = study_answer(study, made.columns, rows, made.total_rows, cautions=cautions)
    codes = tuple(dict.fromkeys(each.code for each in cautions))
    whole, total = read_parquet(made.parquet, most_rows=5000, most_cells=100_000)
    return Found(whole.columns, whole.rows, total, said, codes, len(done.figures)), study
