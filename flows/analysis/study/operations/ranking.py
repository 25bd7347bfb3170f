"""Where each row or group stands within its group: its rank, its share."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.reading.read import Unread
from flows.analysis.study.about import GROUPS, about, more, names, text
from flows.analysis.study.operation import Call, Operation, Request, Row, plots, setting, words
from flows.analysis.study.plan import Study


def _read(request: Request) -> Study | Unread:
    """A column of numbers, what is ranked (a column of text), and the groups it is ranked in."""
    numbers = [c for c in request.columns if plots(c)]
    texts = [c for c in request.columns if not plots(c)]
    label = texts or [c for c in request.draft.label() if c.name != request.group]
    if len(numbers) != 1 or not request.group or len(label) != 1:
        return Unread("a rank within groups needs one column of numbers, what is ranked, and the "
                      "groups")  # fmt: skip
    return request.study(
        "ranking", [label[0].name, numbers[0].name], group=request.group,
        method=request.settings.get("method", "rank"),
    )  # fmt: skip


def _calls(study: Study, _title: str) -> list[Call]:
    return [Call("result", "standing", (*study.columns, study.group))]


def _say(study: Study, rows: Sequence[Row], total: int) -> str:
    label, value = study.columns
    said = [
        f"{text(row, study.group)}, {text(row, label)}: rank {text(row, 'rank')} with "
        f"{text(row, value)} ({text(row, 'share')} %)"
        for row in rows[:GROUPS]
    ]
    rest = more(rows, total, GROUPS, "rows")
    return (
        f"{names([label])} by {names([value])} within {names([study.group])}{about(study)}, with "
        f"its share of the group's total{rest}: {'; '.join(said)}."
    )


RANKING = Operation(
    kind="ranking",
    read=_read,
    calls=_calls,
    say=_say,
    needs=("rank", "share"),
    words=r"(?:rank|ranks|ranked|ranking|shares?|percentages?)(?= .*\bwithin (?:the|their|its|"
    r"each|every)\b)",
    settings=(setting("method", r"\bshares?\b", "share", leave="share"),),
    around=words("rank ranks ranked ranking share shares percentage total"),
)
