"""Generated tables with random names, their profiles, and plans that are really run."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from flows.analysis.prediction import tools as shipped
from flows.analysis.prediction.phases import TITLES
from flows.analysis.prediction.plan import Experience, Planning, Step
from flows.analysis.prediction.task import PredictionTask
from flows.core.function_tool import FunctionTool, ToolParameter, call_of
from flows.data.profiles.large import arrays_of
from flows.data.profiles.profile import Declared, TableLayout, profile_table
from flows.data.tables import ColumnType, Table

FOLDER = Path(str(shipped.__file__)).parent


def read_tool(source: str, name: str, origin: str = "shipped") -> FunctionTool:
    """The tool of a module's text, as a registry reads it."""
    tree = ast.parse(source)
    node = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    head = str(ast.get_docstring(tree))
    given = [*node.args.args, *node.args.kwonlyargs]
    without = len(node.args.args) - len(node.args.defaults)
    needed = [at < without for at in range(len(node.args.args))]
    needed += [each is None for each in node.args.kw_defaults]
    return FunctionTool(
        name=name,
        purpose=head.splitlines()[0],
        source=source,
        parameters=tuple(
            ToolParameter(
                name=each.arg,
                type=ast.unparse(each.annotation) if each.annotation else "",
                required=must,
                frame="DataFrame" in (ast.unparse(each.annotation) if each.annotation else ""),
            )
            for each, must in zip(given, needed, strict=True)
        ),
        gives=_listed(head, "Gives"),
        phases=_listed(head, "Phases"),
        origin=origin,
    )


def _listed(head: str, key: str) -> tuple[str, ...]:
    found = re.search(rf"^{key}: (.+)$", head, re.MULTILINE)
    return tuple(each.strip() for each in found[1].split(",")) if found else ()


def shipped_tools(phase: str) -> tuple[FunctionTool, ...]:
    """The tools of this folder that the phase allows."""
    found = (
        read_tool(path.read_text(encoding="utf-8"), path.stem)
        for path in sorted(FOLDER.glob("*.py"))
        if path.stem != "__init__"
    )
    return tuple(tool for tool in found if phase in tool.phases)


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
        tools=(*shipped_tools(phase), *made),
        experience=more.pop("experience", Experience()),
        rules=more.pop("rules", {}),
    )


def run(given: Planning, steps: tuple[Step, ...], frames: dict[str, pd.DataFrame]) -> list[str]:
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
            category: generator.choice(["red", "Red", "blue ", "blue", None], rows),
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
