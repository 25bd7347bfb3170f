"""Moving averages and running totals."""

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
from flows.analysis.telling.wording import in_words


def _read_smoothed(request: Request) -> Study | Unread:
    said = request.settings.get("window", "")
    window, _ = steps_of(said) if said else (3, "")
    if window < 2:
        return Unread("a moving average needs a window of two steps or more")
    request.settings["size"] = str(window)
    return over_time(request, "smoothed")


def _smoothed_calls(study: Study, _title: str) -> list[Call]:
    window = int(study.setting("size") or 0)
    return [Call("result", "smoothed", (*told(study), window))]


def _say_smoothed(study: Study, rows: Sequence[Row], total: int) -> str:
    window = study.setting("size")
    key = f"moving_average_{window}" if window else "cumulative"
    shown = [row for row in rows if row[key].value is not None]
    said = [
        f"{group_of(study, row) + ', ' if study.group else ''}{text(row, study.time)}: "
        f"{text(row, key)}"
        for row in shown[:GROUPS]
    ]
    what = f"moving average over {in_words(int(window))} steps" if window else "running total"
    rest = more(shown, total, GROUPS, "steps")
    return f"The {what} of {names(study.columns)}{about(study)}{rest}: {'; '.join(said)}."


MOVING = Operation(
    kind="smoothed",
    read=_read_smoothed,
    calls=_smoothed_calls,
    say=_say_smoothed,
    needs=(),
    words=r"(?:moving|rolling|sliding) (?:averages?|means?)|smooth(?:ed|ing)?",
    noun=r"(?:moving|rolling) (?:averages?|means?)",
    includes=words("chart"),
    settings=(
        setting("window", rf"\b(?P<value>{MANY})[- ](?:{UNIT.replace('?P<unit>', '?:')}|{STEPS})"
                r"(?= (?:moving|rolling|sliding|smooth))"),
        setting("window", rf"(?:,? *\b(?:over|with|of|using) )?(?:the last |a )?(?:window (?:of|"
                          rf"size) )?"
                rf"\b(?P<value>{MANY})(?:[- ](?:{UNIT.replace('?P<unit>', '?:')}|{STEPS}))"
                r"(?: window)?\b"),
        setting("window", r"(?:,? *\b(?:over|with|of|using) )?(?:a )?window (?:of|size) "
                          r"(?P<value>\d+)"),
    ),
    around=AROUND,
    timed=True,
)  # fmt: skip


def _read_cumulative(request: Request) -> Study | Unread:
    return over_time(request, "cumulative")


CUMULATIVE = Operation(
    kind="cumulative",
    read=_read_cumulative,
    calls=_smoothed_calls,
    say=_say_smoothed,
    needs=("cumulative",),
    words=r"cumulative(?: (?:sums?|totals?))?|running (?:totals?|sums?)|cumsum|cumulated|"
    r"accumulated",
    noun=r"cumulative sums?|running totals?",
    includes=words("chart"),
    around=AROUND,
    timed=True,
)
