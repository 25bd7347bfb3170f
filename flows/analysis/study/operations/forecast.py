"""What may come next."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.reading.read import Unread
from flows.analysis.study.about import GROUPS, about, group_of, more, names, text
from flows.analysis.study.operation import (
    Call,
    Operation,
    Request,
    Row,
    setting,
    words,
)
from flows.analysis.study.operations.over_time import (
    AROUND,
    MANY,
    STEPS,
    UNIT,
    over_time,
    steps_of,
    told,
)
from flows.analysis.study.plan import Study

_MOST_STEPS = 500


def _read_forecast(request: Request) -> Study | Unread:
    study = over_time(request, "forecast")
    if isinstance(study, Unread):
        return study
    steps, unit = steps_of(request.settings.get("steps", ""))
    if steps > _MOST_STEPS:
        return Unread(f"{steps} steps are too many for a forecast")
    request.settings.update({"ahead": str(steps), "unit": unit})
    return request.study(
        "forecast", study.columns, group=study.group, time=study.time, number=steps
    )


def _forecast_calls(study: Study, _title: str) -> list[Call]:
    until = int(study.setting("until") or 0)
    goal = [study.number, study.setting("unit"), until]
    return [Call("result", "forecast", (*told(study), goal))]


def _say_forecast(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        name = f"{group_of(study, row)}, " if study.group else ""
        said.append(
            f"{name}{text(row, study.time)}: {text(row, 'forecast')} (interval "
            f"{text(row, 'lower')} to {text(row, 'upper')})"
        )
    first, rest = rows[0], more(rows, total, GROUPS, "steps")
    how = "total" if study.setting("how") == "sum" else "mean"
    return (
        f"The forecast of the {how} {names(study.columns)}{about(study)}, by "
        f"{text(first, 'method')} over {text(first, 'points')} points in time, with intervals "
        f"that hold "
        f"ninety-five percent{rest}: "
        f"{'; '.join(said)}."
    )


FORECAST = Operation(
    kind="forecast",
    read=_read_forecast,
    calls=_forecast_calls,
    say=_say_forecast,
    needs=("forecast", "lower", "upper", "method", "points"),
    words=r"forecast(?:s|ed|ing)?|extrapolate|project(?:ions?|ed)?(?= \w+| of)|prognos\w+",
    cue=(
        rf"predict\w*.*\b(?:next|coming|following) (?:{MANY} )?(?:{UNIT[9:-1]}|{STEPS})|"
        r"(?:what|how \w+) will .*\bbe\b|(?:next|coming) (?:year|month|week|"
        r"quarter)(?:['\u2019]s)?\b|"
        r"predict(?!.*\b(?:from|by|using|with|on)\b)\w*.*\bin 20\d\d\b(?=\W*$)"
    ).replace("(?P<unit>", "(?:"),
    noun=r"forecasts?|forecasting",
    includes=words("regression chart trend growth"),
    settings=(
        setting("steps", rf"(?:,? *\b(?:for|over|of) )?(?:the )?\b(?P<value>(?:next|coming|"
                         rf"following) "
                rf"(?:{MANY} )?(?:{UNIT.replace('?P<unit>', '?:')}|{STEPS}))\b"),
        setting("steps", rf"(?:,? *\b(?:for|over) )?\b(?P<value>{MANY} (?:more )?(?:"
                rf"{UNIT.replace('?P<unit>', '?:')}|{STEPS}))(?: (?:ahead|out|into the "
                rf"future))?\b"),
        setting("until", r"\b(?:in|for|by|until|up to|to|through) (?:the year )?(?P<value>(?:19|"
                         r"20|21)"
                r"\d\d)\b"),
    ),
    around=AROUND | words("predict predicting prediction forecast project"),
    timed=True,
)  # fmt: skip
