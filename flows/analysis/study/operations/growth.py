"""Growth, changes from step to step, the straight line over time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.reading.read import Unread
from flows.analysis.study.about import GROUPS, about, group_of, more, names, number, over, text
from flows.analysis.study.operation import (
    Call,
    Operation,
    Request,
    Row,
    setting,
    words,
)
from flows.analysis.study.operations.over_time import AROUND, over_time, told
from flows.analysis.study.plan import Study


def _read_growth(request: Request) -> Study | Unread:
    each = request.settings.get("each") or request.settings.get("every")
    if each:
        return over_time(request, "changes")
    request.settings["order"] = (
        "least" if re.search(r"least|slowest|shrank|fell|drop", request.text) else "most"
    )
    return over_time(request, "growth", request.settings.get("method", ""))


def _growth_calls(study: Study, _title: str) -> list[Call]:
    if study.kind == "changes":
        return [Call("result", "changes", (*told(study), study.setting("every")))]
    return [Call("result", "growth", (*told(study), study.setting("order")))]


def _say_growth(study: Study, rows: Sequence[Row], total: int) -> str:
    if study.kind == "changes":
        return _say_changes(study, rows, total)
    said = []
    for row in rows[:GROUPS]:
        head = f"{group_of(study, row)}: " if study.group else ""
        yearly = f", {text(row, 'cagr')} % a year" if row["cagr"].value is not None else ""
        said.append(
            f"{head}from {text(row, 'first_value')} ({text(row, 'from')}) to "
            f"{text(row, 'last_value')} ({text(row, 'to')}), by {text(row, 'percent')} %{yearly}"
        )
    rest = more(rows, total, GROUPS, "groups")
    where = about(study)
    return f"The growth of {names(study.columns)}{where}{rest}: {'; '.join(said)}."


def _say_changes(study: Study, rows: Sequence[Row], total: int) -> str:
    shown = [row for row in rows if row["percent"].value is not None][:GROUPS]
    said = [
        f"{group_of(study, row) + ', ' if study.group else ''}{text(row, study.time)}: "
        f"{text(row, 'percent')} %"
        for row in shown
    ]
    first = rows[0]
    rest = more(shown, total, GROUPS, "steps")
    return (
        f"The change of {names(study.columns)}{about(study)} from step to step is "
        f"{text(first, 'mean_percent')} % on average, with a standard deviation of "
        f"{text(first, 'std_percent')} %{rest}: {'; '.join(said)}."
    )


_EACH = r"(?:year|month|week|day|quarter|period)"
GROWTH = Operation(
    kind="growth",
    read=_read_growth,
    calls=_growth_calls,
    say=_say_growth,
    needs=("percent",),
    words=(
        r"(?:overall |average |annual |yearly |total |compound )*growth(?: rates?)?|cagr|"
        r"(?:percent(?:age)?|relative|%) (?:changes?|growth|increases?|decreases?)|returns?(?= of)|"
        r"volatil\w+|(?:grow|grew|grown|increased?|rose|risen|gained|lost|dropped|fell|fallen|"
        r"shrank|declined?|changed?)(?= .*\b"
        r"(?:percent|%|fast|overall))|by (?:what|how many) (?:percent(?:age)?|%)(?: points)?"
    ),
    cue=(
        rf"(?:{_EACH}[- ](?:over|on|to|by)[- ]{_EACH}).*\b(?:changes?|growth)|how (?:fast|much|"
        rf"quickly) "
        r"(?:did|has|have|does) .*(?:grow|grew|grown|increase|rise|risen|gain|gained|lost|dropped|"
        r"fall|fallen|change)|"
        r"\b(?:grew|grown|grow|increased|rose) (?:the )?(?:most|least|fastest|slowest)"
    ),
    noun=r"growth rates?|cagr",
    includes=words("summary chart trend"),
    settings=(
        setting("start", r"\bsince the (?:start|beginning) of\b", leave="since"),
        setting("every", r"\b(?P<value>daily|weekly|monthly|quarterly|yearly|annual) "
                r"(?:percent(?:age)? )?(?:returns?|changes?)\b", leave="growth rate"),
        setting("each", rf"(?:\bfrom )?\b{_EACH}[- ](?:over|on|to|by)[- ]{_EACH}\b(?: "
                        rf"percent(?:age)?)?",
                leave="growth rate"),
        setting("each", r"\b(?:standard deviations? )?(?:of )?(?:its |the )?(?:percent(?:age)? "
                        r"changes"
                r"|returns)\b", leave="growth rate", only=r"volatil|deviation"),
    ),
    around=AROUND | words("""risen gained lost dropped grow increase
                           increased rose rise volatile volatility standard
                           deviation returns please fell change compound in terms"""),
    timed=True,
    most_groups=300,
)  # fmt: skip


def _read_trend(request: Request) -> Study | Unread:
    return over_time(request, "trend")


def _trend_calls(study: Study, _title: str) -> list[Call]:
    return [Call("result", "slope", told(study))]


def _say_trend(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        head = f"{group_of(study, row)}: " if study.group else ""
        way = "rises" if number(row["per_step"].value) > 0 else "falls"
        clear = "significant" if row["significant"].value else "not significant"
        said.append(
            f"{head}it {way} by {text(row, 'per_step')} for each {text(row, 'step')} ({clear} at "
            f"the "
            f"five percent level, p = {text(row, 'p_value')}, R² {text(row, 'r2')}, {over(row)})"
        )
    rest = more(rows, total, GROUPS, "groups")
    return f"The linear trend of {names(study.columns)}{about(study)}{rest}: {'; '.join(said)}."


TREND = Operation(
    kind="trend",
    read=_read_trend,
    calls=_trend_calls,
    say=_say_trend,
    needs=("per_step", "p_value", "r2", "significant", "rows"),
    words=(
        r"(?:(?:is|was) there )(?:an? |any )?(?:(?:significant|upward|downward|clear|linear|rising|"
        r"falling) )*trends?|(?:linear|significant|upward|downward) trends?|slope(?= of| over)|"
        r"trending(?: (?:up|down)(?:wards?)?)?"
    ),
    noun=r"slope",
    includes=words("chart growth scatter"),
    settings=(
        setting(
            "per",
            r"[-\u2013\u2014,:;]*\s*\bhow (?:much|fast) (?:does|did|do|has) (?:it|they) (?:rise|"
            r"fall|grow|"
            r"change|increase|decrease)\w*(?: (?:per|each|every|a) \w+)?",
        ),
    ),
    around=AROUND,
    timed=True,
)
