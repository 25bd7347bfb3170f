"""Whether an answer to a question is right, when people may word and lay it out in many ways.

A gold is one of

    {"type": "scalar", "value": 4}
    {"type": "set", "values": [...]}                    one column, in any order
    {"type": "rows", "columns": [...], "rows": [...]}
    {"type": "parts", "parts": [gold, ...]}             several things asked at once
    {"type": "ask", "readings": [{"regex", "gold"}]}    it must ask back, with these to choose from
    {"type": "decline"}                                 the data do not say

An answer has what `flows ask --json` prints: `status`, `answer`, `rows`, `confidence` and
`clarification`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import islice, permutations
from typing import Any, Final, Literal, NamedTuple

Outcome = Literal["right", "partly", "wrong, sure", "wrong, unsure", "asked", "declined"]
Grade = Literal["right", "partly", "wrong"]
OUTCOMES: Final = ("right", "partly", "wrong, sure", "wrong, unsure", "asked", "declined")
# From this confidence on a wrong answer misleads.
SURE: Final = 0.7
_NUMBER: Final = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")
_UNITS: Final = re.compile(r"[\s$€£%,]|(?:minutes?|hours?|days?|km|kg|usd|eur)$", re.IGNORECASE)
_DAYS: Final = (
    "%Y-%m-%d", "%d.%m.%Y", "%b %d, %Y", "%B %d, %Y", "%d %B %Y", "%m/%d/%Y", "%d/%m/%Y",
)  # fmt: skip
_MONTHS: Final = ("%Y-%m", "%b-%y", "%b %Y", "%B %Y", "%m/%Y", "%Y/%m")
# A table of so many rows and fewer is laid out in one column for each group at most.
_WIDE: Final = 12
_MOST_COLUMNS: Final = 10
# A table of more rows than so many times what was asked for is no answer.
_MOST_TIMES: Final = 3
_TRIES: Final = 2_000
_GRADES: Final[Sequence[Grade]] = ("wrong", "partly", "right")

Row = Sequence[Any]


class Scored(NamedTuple):
    """What became of a case. `answered` says whether something was told; a right question back and
    a right refusal are right too, and tell nothing."""

    outcome: Outcome
    confidence: float
    answered: bool


def score(case: Mapping[str, Any], answer: Mapping[str, Any]) -> Scored:
    """The outcome of a case; an answer that is not there is a refusal."""
    gold, sure = case["gold"], float(answer.get("confidence") or 0.0)
    status = answer.get("status")
    if status == "clarify":
        return Scored("right" if _asks_rightly(gold, answer) else "asked", sure, False)
    if status not in ("answered", "partly"):
        # That it broke is no refusal.
        refused = gold["type"] == "decline" and status == "abstained"
        return Scored("right" if refused else "declined", sure, False)
    grade = grade_of(case, _rows(answer), str(answer.get("answer") or ""))
    if grade != "wrong":
        return Scored(grade, sure, True)
    return Scored("wrong, sure" if sure >= SURE else "wrong, unsure", sure, True)


def grade_of(case: Mapping[str, Any], rows: Sequence[Row], text: str) -> Grade:
    """How good an answer is: the best over all golds of the case."""
    gold = case["gold"]
    if gold["type"] == "decline":
        return "wrong"
    judge = Judge(str(case.get("unit") or ""), float(case.get("tolerance", 0.001)),
                  ordered=bool(case.get("ordered")))  # fmt: skip
    if gold["type"] == "ask":  # a reading was taken where it had to be asked for
        readings = [judge.grade(each["gold"], rows, text) for each in gold["readings"]]
        return "partly" if "right" in readings else "wrong"
    golds = [gold, *(case.get("golds_alt") or ())]
    return max((judge.grade(each, rows, text) for each in golds), key=_GRADES.index)


class Judge:
    """Compares with golds by the rules of one case. `unit` holds words: share (0.17 is 17 %), abs
    (the sign is free), share100 (the column is in percent), labels_free (names of groups are
    free)."""

    def __init__(self, unit: str, tolerance: float, *, ordered: bool = False) -> None:
        self.units = frozenset(unit.split(","))
        self.tolerance = tolerance
        self.ordered = ordered

    def grade(self, gold: Mapping[str, Any], rows: Sequence[Row], text: str) -> Grade:
        if gold["type"] == "parts":
            return self._parts(gold["parts"], rows, text)
        if gold["type"] == "scalar":
            return self._scalar(gold["value"], rows, text)
        if gold["type"] == "set":
            wanted: list[Row] = [[each] for each in gold["values"]]
        else:
            wanted = gold["rows"]
        if len(wanted) == 1:
            found = [self._scalar(value, rows, text) for value in wanted[0]]
            return found[0] if len(set(found)) == 1 else "partly"
        if not rows:
            told = all(self._in_text(row[-1], text) for row in wanted)
            return "right" if wanted and told and len(wanted) <= _WIDE else "wrong"
        return self._table(wanted, rows)

    def same(self, gold: Any, got: Any) -> bool:
        """Whether two cells say the same."""
        if gold is None or got is None:
            return gold is got
        one, other = number_of(gold), number_of(got)
        if one is not None and other is not None:
            factors = (
                [1.0] + [100.0] * ("share" in self.units) + [0.01] * ("share100" in self.units)
            )
            return any(self._close(one * each, other) for each in factors)
        return bool(readings_of(gold) & readings_of(got))

    def _close(self, gold: float, got: float) -> bool:
        if "abs" in self.units:
            gold, got = abs(gold), abs(got)
        if gold == int(gold) and (abs(gold) < 10_000 or not self.tolerance):
            return math.isclose(gold, got, abs_tol=1e-6)
        if abs(gold - got) <= self.tolerance * abs(gold) + 1e-9:
            return True
        places = len(f"{got!r}".partition(".")[2])  # the gold, as it is rounded there
        return 0 < places <= 6 and abs(got) >= 1 and math.isclose(round(gold, places), got)

    def _scalar(self, gold: Any, rows: Sequence[Row], text: str) -> Grade:
        if not rows:
            return "right" if self._in_text(gold, text) else "wrong"
        cells = [cell for column in _columns(rows[:1]) for cell in column]
        if any(self.same(gold, cell) for cell in cells):
            return "right" if all(row == rows[0] for row in rows) else "partly"
        return "wrong"

    def _parts(self, parts: Sequence[Mapping[str, Any]], rows: Sequence[Row], text: str) -> Grade:
        found: list[Grade] = []
        for each in parts:
            told = each["type"] == "scalar" and self._in_text(each["value"], text)
            found.append("right" if told else self.grade(each, rows, text))
        if all(each == "right" for each in found):
            return "right"
        return "wrong" if all(each == "wrong" for each in found) else "partly"

    def _in_text(self, gold: Any, text: str) -> bool:
        if number_of(gold) is not None:
            return any(self.same(gold, each) for each in _NUMBER.findall(text))
        return re.search(rf"(?<!\w){re.escape(folded(gold))}(?!\w)", folded(text)) is not None

    def _table(self, gold: Sequence[Row], rows: Sequence[Row]) -> Grade:
        """Of the ways to take columns of the answer for those of the gold, the best one."""
        if "labels_free" in self.units and len(gold[0]) == 2:
            gold = [row[1:] for row in gold]
        if len(rows) == 1 and len(gold) <= _WIDE:  # a column for each group
            left = list(rows[0])
            return "right" if all(self._take(row[-1], left) for row in gold) else "wrong"
        if len(rows) > _MOST_TIMES * len(gold):
            return "wrong"
        columns = _columns(rows)
        fitting = [
            [at for at, column in enumerate(columns)
             if any(self.same(row[place], cell) for row in gold for cell in column)]
            for place in range(len(gold[0]))
        ]  # fmt: skip
        best: Grade = "wrong"
        for places in islice(_choices(fitting, ()), _TRIES):
            found = self._matched(
                gold, [[columns[at][n] for at in places] for n in range(len(rows))]
            )
            best = max(best, found, key=_GRADES.index)
        return best

    def _take(self, gold: Any, left: list[Any]) -> bool:
        at = next((n for n, cell in enumerate(left) if self.same(gold, cell)), None)
        if at is not None:
            del left[at]
        return at is not None

    def _matched(self, gold: Sequence[Row], rows: Sequence[Row]) -> Grade:
        left = list(range(len(rows)))
        order = []
        for wanted in gold:
            same = (at for at in left if all(map(self.same, wanted, rows[at])))
            if (at := next(same, None)) is not None:
                left.remove(at)
                order.append(at)
        if len(order) == len(gold) and not left:
            return "right" if not self.ordered or order == sorted(order) else "partly"
        # More than was asked for, or most of it.
        return "partly" if order and 2 * len(order) >= len(gold) else "wrong"


def number_of(value: Any) -> float | None:
    """A number, or a text that is nothing but one with its unit."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    return _number_in(str(value))


@lru_cache(maxsize=100_000)
def _number_in(text: str) -> float | None:
    try:
        return float(_UNITS.sub("", text))
    except ValueError:
        return None


def folded(value: Any) -> str:
    return " ".join(str(value).casefold().split())


@lru_cache(maxsize=100_000)
def readings_of(value: object) -> frozenset[str]:
    """What a cell may say: its words, and as a date the day or the month."""
    text = folded(value).rstrip("%")
    found = {text}
    day = re.sub(r"[t ]00:00(:00)?(\.0+)?z?$", "", text)
    for form in _DAYS:
        if (date := _date(day, form)) is not None:
            found |= {date.strftime("%Y-%m-%d")} | (
                {date.strftime("%Y-%m")} if date.day == 1 else set()
            )
    for form in _MONTHS:
        if (date := _date(text, form)) is not None:
            found.add(date.strftime("%Y-%m"))
    if quarter := re.fullmatch(r"(\d{4})[-/ .]?q([1-4])|q([1-4])[-/ .]?(\d{4})", text):
        found.add(f"{quarter[1] or quarter[4]}-q{quarter[2] or quarter[3]}")
    return frozenset(found)


def _date(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def _columns(rows: Sequence[Row]) -> list[list[Any]]:
    """The columns of an answer, with those that two of them make together: a first and a last
    name, a year and a month."""
    columns = [list(each) for each in zip(*rows, strict=True)]
    if len(columns) > _MOST_COLUMNS:
        return columns
    joined = (
        [_joined(*pair) for pair in zip(one, other, strict=True)]
        for one, other in permutations(columns, 2)
    )
    return [*columns, *(column for column in joined if all(column))]


def _joined(one: Any, other: Any) -> str:
    """Two cells as one; empty for what makes none."""
    if isinstance(one, int) and isinstance(other, int):
        return f"{one}-{other:02d}" if 1900 <= one <= 2100 and 1 <= other <= 12 else ""
    return f"{one} {other}" if isinstance(one, str) and isinstance(other, str) else ""


def _choices(fitting: Sequence[Sequence[int]], taken: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All ways to take another column for each."""
    if len(taken) == len(fitting):
        yield taken
        return
    for at in fitting[len(taken)]:
        if at not in taken:
            yield from _choices(fitting, (*taken, at))


def _asks_rightly(gold: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Whether it had to ask back, and two of the readings are among its options."""
    if gold["type"] != "ask":
        return False
    options = [str(each) for each in (answer.get("clarification") or {}).get("options") or ()]
    met = [
        any(re.search(each["regex"], option, re.IGNORECASE) for option in options)
        for each in gold["readings"]
    ]
    return len(options) >= 2 and sum(met) >= 2


def _rows(answer: Mapping[str, Any]) -> list[Row]:
    found = answer.get("rows") or ()
    return [list(each) if isinstance(each, list) else [each] for each in found]
