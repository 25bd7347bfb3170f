"""Insights and summaries of data frames, rendered from their cells and cited as a run does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from flows.analysis.team.insights import insights
from flows.analysis.team.summary import summarize
from flows.core.observation import Caution, Cell
from flows.data.answers.citations import Citation, NamedResult
from flows.data.answers.rendering import render
from flows.data.answers.verifier import cite
from flows.semantics.query import (
    Aggregate,
    Compare,
    Comparison,
    Constant,
    FieldRef,
    Not,
    Operator,
    Order,
    Predicate,
    Query,
    Rank,
    Scope,
)
from flows.semantics.request import Analysis, Argument


@dataclass
class Told:
    """Texts with the origin of each number in them."""

    texts: list[str]
    citations: list[Citation] = field(default_factory=list)

    @property
    def invented(self) -> list[str]:
        return [each.text for each in self.citations if not each.traced]

    def one(self, *words: str) -> str:
        """The one text that has all these words."""
        found = [each for each in self.texts if all(word in each for word in words)]
        assert len(found) == 1, (words, self.texts)
        return found[0]


def cells(frame: pd.DataFrame) -> tuple[tuple[Cell, ...], ...]:
    """The rows as a run keeps them: dates are ISO text, what is missing is None."""
    plain = frame.copy()
    for name in plain.columns:
        if pd.api.types.is_datetime64_any_dtype(plain[name]):
            plain[name] = plain[name].dt.strftime("%Y-%m-%d")
    rows = plain.astype(object).where(plain.notna(), None).to_numpy().tolist()
    return tuple(tuple(row) for row in rows)


def outcome(frame: pd.DataFrame, name: str = "made-1", **more: Any) -> dict[str, Any]:
    rows = cells(frame)
    return {
        "table": name, "columns": [str(each) for each in frame.columns], "rows": rows,
        "total_rows": len(rows), **more,
    }  # fmt: skip


def named(given: dict[str, Any]) -> NamedResult:
    return NamedResult(
        given["table"], tuple(given["columns"]), given["rows"], "", given["total_rows"]
    )


Task = str | Analysis | Query


def asked_for(task: Task) -> dict[str, Any]:
    """What a task says: its words, and its request unless it is one that somebody wrote."""
    if isinstance(task, str):
        return {"task": task, "request": None}
    return {"task": task.model_dump_json(), "request": task}


def tell(frame: pd.DataFrame, task: Task, question: str = "", **more: Any) -> Told:
    """The insights of a frame."""
    given = outcome(frame, **more)
    result = named(given)
    told = Told([])
    types = ["" for _ in frame.columns]
    asked = {**given, "types": types, **asked_for(task), "question": question}
    for text in insights(asked, ())["insights"]:
        rendered = render(text, {result.name: result})
        told.texts.append(rendered.text)
        words = f"{question} {asked['task']}"
        told.citations += cite(rendered.text, [result], words, rendered.citations)
    return told


@dataclass
class Work:
    """What a team has done: tables with the insights of each, failures."""

    question: str
    results: list[dict[str, Any]] = field(default_factory=list)

    def table(self, frame: pd.DataFrame, task: Task, *cautions: Caution) -> Work:
        given = outcome(frame, f"made-{len(self.results)}")
        about = {"status": "done", "response": "", "cautions": cautions}
        words = asked_for(task)
        about |= {"sub_task": words["task"], "request": words["request"]}
        asked = {**given, "types": [""] * len(frame.columns), **words}
        said = insights({**asked, "question": self.question}, ())["insights"]
        self.results += [
            {**given, **about, "output_type": "table"},
            {**given, **about, "output_type": "insights", "insights": said},
        ]
        return self

    def failed(self, task: str, why: str) -> Work:
        self.results.append({"status": "failed", "sub_task": task, "response": why})
        return self

    def summed_up(self, context: str = "") -> tuple[dict[str, Any], Told]:
        """The reply of the summarizer, and its text as it is told."""
        given = {"question": self.question, "results": self.results, "context": context}
        reply = summarize(given, ())
        kept = {each["table"]: named(each) for each in self.results if "table" in each}
        rendered = render(reply["summary"], kept)
        said = (e[key] for e in self.results for key in ("sub_task", "response"))
        words = " ".join([self.question, context, *said])
        found = cite(rendered.text, list(kept.values()), words, rendered.citations)
        return reply, Told([rendered.text], list(found))


def fields(*names: str) -> tuple[FieldRef, ...]:
    return tuple(FieldRef(dataset="data", field=each) for each in names)


def condition(column: str, operator: Operator, value: Cell) -> Comparison:
    return Comparison(left=fields(column)[0], operator=operator, right=Constant(value=value))


def analysis(
    method: str, *columns: str, target: str = "", group: str = "", where: Predicate | None = None
) -> Analysis:
    """The request of a task: a method over the rows for which `where` holds."""
    given = {"fields": columns, "target": (target,), "group": (group,)}
    arguments = tuple(
        Argument(name=name, values=fields(*names)) for name, names in given.items() if any(names)
    )
    return Analysis(method=method, over=Query(dataset="data", where=where), arguments=arguments)


def ordered(measure: str, by: str, *, low: bool = False, first: int = 0) -> Query:
    """The request of a task: a measure by groups, the highest or the lowest first."""
    figure = Aggregate(function="sum", of=fields(measure)[0])
    orders = (Order(by=figure, descending=not low),)
    rank = Rank(by=orders, n=first) if first else None
    return Query(dataset="data", metrics=(figure,), by=fields(by), sort=() if first else orders,
                 rank=rank)  # fmt: skip


def beside(column: str, value: str) -> Query:
    """The request of a task: the rows with a value beside all others."""
    own = condition(column, "=", value)
    scopes = Compare(a=Scope(name="own", where=own), b=Scope(name="others", where=Not(of=own)))
    return Query(dataset="data", metrics=(Aggregate(function="count"),), compare=scopes)


def correlations(
    frame: pd.DataFrame, target: str, columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """Each column with the target, the strongest first, as the study of correlations lists them."""
    names = columns or [each for each in frame.select_dtypes("number") if each != target]
    found = pd.DataFrame(
        {"first": target, "second": each, "correlation": frame[target].corr(frame[each]),
         "p_value": 0.0, "rows": len(frame)}
        for each in names
    )  # fmt: skip
    return found.sort_values("correlation", key=abs, ascending=False, ignore_index=True)
