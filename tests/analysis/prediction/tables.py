"""Generated tables with random names, their profiles, and plans that are really run."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd

from flows.analysis.prediction.phases import TITLES
from flows.analysis.prediction.plan import Experience, Planning, PlanStep
from flows.analysis.prediction.task import PredictionTask
from flows.core.function_tool import FunctionTool, call_of
from flows.data.profiles.large import arrays_of
from flows.data.profiles.profile import Declared, TableLayout, profile_table
from flows.data.tables import ColumnType, Table
from flows.tools.functions.shipped import shipped_tools


def profile(frame: pd.DataFrame, name: str) -> Table:
    """The profile of a data frame, as one of a file of it would be."""
    database = duckdb.connect()
    try:
        database.register("frame", frame)
        database.execute("CREATE TABLE t AS SELECT * FROM frame")
        declared = tuple(Declared(str(each), _type(frame[each])) for each in frame.columns)
        layout = TableLayout(name, name, "t", "duckdb", declared)
        return profile_table(
            layout, lambda sql: database.execute(sql).fetchall(), arrays_of(database, "t")
        )
    finally:
        database.close()


def _type(column: pd.Series) -> ColumnType:
    if pd.api.types.is_bool_dtype(column):
        return "boolean"
    if pd.api.types.is_integer_dtype(column):
        return "integer"
    if pd.api.types.is_numeric_dtype(column):
        return "real"
    return "timestamp" if pd.api.types.is_datetime64_any_dtype(column) else "text"


def planning(
    task: PredictionTask, phase: str, frames: dict[str, pd.DataFrame], **more: Any
) -> Planning:
    """What the steps of the phase are planned from; `made` are tools besides the shipped ones."""
    made: tuple[FunctionTool, ...] = more.pop("made", ())
    assert phase in TITLES
    return Planning(
        task=task,
        phase=phase,
        train=profile(frames["train"], "train"),
        test=profile(frames["test"], "test") if "test" in frames else None,
        tools=(*(tool for tool in shipped_tools() if phase in tool.phases), *made),
        experience=more.pop("experience", Experience()),
        rules=more.pop("rules", {}),
    )


def run(given: Planning, steps: tuple[PlanStep, ...], frames: dict[str, pd.DataFrame]) -> list[str]:
    """Run the steps one by one as the sandbox does; the frames are changed. Errors of steps that
    may fail."""
    errors = []
    tools = {tool.name: tool for tool in given.tools}
    for step in steps:
        tool = tools[step.tool]
        line = call_of(tool, step.arguments, frozenset(frames), step.into)
        scope: dict[str, Any] = {name: frame.copy() for name, frame in frames.items()}
        scope["__name__"] = "tool"
        try:
            exec(compile(f"{tool.source}\n{line}\n", tool.name, "exec"), scope)
        except Exception as error:
            if not step.optional:
                raise
            errors.append(f"{tool.name}: {error}")
            continue
        for name in step.into or tool.gives:
            if isinstance(scope[name], pd.DataFrame):
                frame = scope[name]
                assert all(isinstance(each, str) for each in frame.columns)
                assert frame.index.equals(pd.RangeIndex(len(frame))), step.tool
                assert frame.columns.is_unique, step.tool
                frames[name] = frame
    return errors


def random_names(seed: int, count: int) -> list[str]:
    """Names that mean nothing."""
    generator = np.random.default_rng(seed)
    letters = list("bdfgklmnprstvz"), list("aeou")
    found: dict[str, None] = {}
    while len(found) < count:
        syllables = [generator.choice(letters[0]) + generator.choice(letters[1]) for _ in range(3)]
        found["".join(syllables)] = None
    return list(found)


def messy(
    seed: int, rows: int = 300, *, kind: str = "binary"
) -> tuple[PredictionTask, dict[str, pd.DataFrame], list[str]]:
    """A table with everything that is to be cleaned, and the names of its columns by their order:
    row, target, number, gaps, marker, amount, day, category, code, text, constant, twin, rare."""
    generator = np.random.default_rng(seed)
    names = random_names(seed, 13)
    (row, target, number, gaps, marker, amount, day, category, code, text, same, twin, rare) = names
    size = generator.normal(10, 3, rows)
    deck = generator.choice(list("ABCD"), rows)
    days = pd.Timestamp("2022-01-01") + pd.to_timedelta(generator.integers(0, 700, rows), "D")
    words = generator.choice(["quick", "late", "cold", "broken", "fine", "soft", "grey"], (rows, 9))
    score = size + (deck == "B") * 4 + generator.normal(0, 1, rows)
    frame = pd.DataFrame(
        {
            row: np.arange(1, rows + 1),
            target: score if kind == "regression" else (score > np.median(score)).astype(int),
            number: size,
            gaps: pd.Series(generator.normal(size=rows)).mask(generator.random(rows) < 0.2),
            marker: np.where(generator.random(rows) < 0.1, -999, generator.integers(1, 60, rows)),
            amount: [f"{each:,.0f} kg" for each in generator.uniform(500, 90000, rows)],
            day: days.strftime("%d/%m/%Y"),
            category: pd.Series(generator.choice(["red", "Red", "blue ", "blue", "?"], rows)),
            code: [
                f"{d}/{n}/{s}"
                for d, n, s in zip(
                    deck,
                    generator.integers(1, 90, rows),
                    generator.choice(list("PS"), rows),
                    strict=True,
                )
            ],
            text: [" ".join(each) for each in words],
            same: 5,
            twin: size,
            rare: generator.choice([f"town {each}" for each in range(12)], rows),
        }
    )
    cut = rows * 3 // 4
    frames = {
        "train": frame.iloc[:cut].reset_index(drop=True),
        "test": frame.iloc[cut:].drop(columns=[target]).reset_index(drop=True),
    }
    task = PredictionTask(
        targets=(target,),
        identifier=row,
        kind="regression" if kind == "regression" else "binary",
        metric="rmse" if kind == "regression" else "accuracy",
        greater_is_better=kind != "regression",
    )
    return task, frames, names


def rich(seed: int, rows: int = 400) -> tuple[PredictionTask, dict[str, pd.DataFrame], list[str]]:
    """A table with something for every tool that can be made, and the names of its columns: row
    (three share a start), target, person, berth, from, to, town, two words, two lengths, a series
    of three, key, text. The target is decided by the letter of the berth and by the lengths."""
    draw = np.random.default_rng(seed)
    names = random_names(seed, 14)
    names[9:11] = [f"{each}_cm" for each in names[9:11]]
    names[11:12] = [f"{names[11]}_{each}" for each in (1, 2, 3)]
    names[14] += "_id"
    days = pd.Timestamp("2022-01-01") + pd.to_timedelta(draw.integers(0, 700, rows), "D")
    later = days + pd.to_timedelta(draw.integers(1, 90, rows), "D")
    families = draw.choice(["Odd", "Even", "Prime", "Root", "Sum"], rows)
    titles = draw.choice(["Mr", "Mrs", "Miss", "Dr"], rows, p=[0.5, 0.25, 0.23, 0.02])
    letters, numbers = draw.choice(list("ABC"), rows), draw.integers(1, 200, rows)
    shares = np.r_[np.full(10, 0.08), np.full(50, 0.004)]
    words = ["quick", "late?", "COLD", "broken!", "fine,", "soft", "12"]
    berths = pd.Series([f"{each}{at}" for each, at in zip(letters, numbers, strict=True)])
    lengths = draw.uniform(1, 9, (rows, 2))
    noise = draw.normal(0, 0.3, rows)
    values = [
        [f"{at // 3:04d}_{at % 3 + 1:02d}" for at in range(rows)],
        2.0 * (letters == "B") + lengths[:, 0] / lengths[:, 1] + noise,
        [f"{f}, {t}. Given{at}" for at, (f, t) in enumerate(zip(families, titles, strict=True))],
        berths.mask(draw.random(rows) < 0.2),
        days.strftime("%Y-%m-%d"),
        later.strftime("%Y-%m-%d"),
        draw.choice([f"Town {each}" for each in range(60)], rows, p=shares),
        draw.choice(["x", "y", "z"], rows),
        draw.choice(["k", "l", "m", "o"], rows),
        lengths[:, 0],
        lengths[:, 1],
        *draw.integers(0, 99, (3, rows)),
        draw.integers(100, 140, rows),
        [" ".join(draw.choice(words, 12)) for _ in range(rows)],
    ]
    frame = pd.DataFrame(dict(zip(names, values, strict=True)))
    cut = rows * 3 // 4
    task = PredictionTask(
        targets=(names[1],),
        identifier=names[0],
        kind="regression",
        metric="rmse",
        greater_is_better=False,
    )
    test = frame.iloc[cut:].drop(columns=[names[1]]).reset_index(drop=True)
    return task, {"train": frame.iloc[:cut].reset_index(drop=True), "test": test}, names
