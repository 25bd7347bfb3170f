"""What differs between two runs, from their journals alone.

Steps are compared by their addresses, so that parallel steps that ended in another order are no
difference. Which one is first goes by the order of the first run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_jsonable_python

from flows.build.restoration import with_marks
from flows.core.history import is_open
from flows.core.rows import Row
from flows.errors import JournalError
from flows.records.differences import ABSENT, Difference, differences
from flows.records.lookup import RunPlace
from flows.records.record import RunRecord, read_record


@dataclass(frozen=True, slots=True)
class PromptDifference:
    """A prompt that differs: its first line that does, from 1, in both texts, and whose it is."""

    prompt: str
    flows: tuple[str, ...]
    line: int
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first step that differs, and how; `differences` are those of its outputs."""

    step: str
    what: str
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class RunComparison:
    """What differs between two runs. `code` holds paths of flows; `prompts` and `code` are None
    when a run is too old to have recorded them."""

    runs: tuple[RunRecord, RunRecord]
    config: tuple[Difference, ...]
    prompts: tuple[PromptDifference, ...] | None
    code: tuple[str, ...] | None
    first: Divergence | None

    def as_json(self) -> dict[str, object]:
        """Plain data for `--json`. Cost is null where it is not known."""
        plain: dict[str, object] = to_jsonable_python(
            {
                "config": self.config,
                "prompts": self.prompts,
                "code": self.code,
                "first_divergence": self.first,
                "runs": [run.as_json(steps=False) for run in self.runs],
            },
            fallback=str,
        )
        return plain


def compare_runs(one: RunPlace, other: RunPlace) -> RunComparison:
    """Compare two runs. Errors: `JournalError`."""
    rows = _rows_of(one), _rows_of(other)
    starts = rows[0][0].data(), rows[1][0].data()
    known = all("flows" in start for start in starts)
    return RunComparison(
        runs=(read_record(one, rows[0]), read_record(other, rows[1])),
        config=differences(_config(starts[0]), _config(starts[1])),
        prompts=_prompts(*starts) if known else None,
        code=_code(starts[0]["flows"], starts[1]["flows"]) if known else None,
        first=_first_divergence(rows[0], rows[1]),
    )


def _rows_of(place: RunPlace) -> list[Row]:
    rows = place.rows()
    if not rows or rows[0].kind != "start":
        raise JournalError(f"the journal of {place.run_id} has no beginning")
    return rows


def _config(start: Mapping[str, Any]) -> dict[str, Any]:
    """All that the run was made from; the variables of secrets, and never what they held."""
    return {**with_marks(start["spec"], start["secrets"]), "inputs": start["inputs"]}


def _prompts(one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[PromptDifference, ...]:
    """The prompts that flows of both runs have, and that differ; each pair of texts once."""
    pairs: dict[tuple[str, str, str], list[str]] = {}
    for path in (each for each in one["flows"] if each in other["flows"]):
        left, right = (side["flows"][path].get("prompts", {}) for side in (one, other))
        for name in dict.fromkeys((*left, *right)):
            pair = name, left.get(name, ""), right.get(name, "")
            if pair[1] != pair[2]:
                pairs.setdefault(pair, []).append(path)
    return tuple(
        PromptDifference(
            name, tuple(paths), *line_that_differs(one["prompts"].get(a), other["prompts"].get(b))
        )
        for (name, a, b), paths in pairs.items()
    )


def line_that_differs(one: str | None, other: str | None) -> tuple[int, str, str]:
    """The first line that differs, from 1, as it is in each of two texts; None is no text."""
    left, right = (ABSENT if text is None else text for text in (one, other))
    lines, others = left.split("\n"), right.split("\n")
    alike = next(
        (at for at, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]),
        min(len(lines), len(others)),
    )
    both = (each[alike] if alike < len(each) else ABSENT for each in (lines, others))
    return alike + 1, next(both), next(both)


def _code(one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[str, ...]:
    """The flows whose code differs, and those that only one of the runs has."""
    return tuple(
        path
        for path in dict.fromkeys((*one, *other))
        if one.get(path, {}).get("code") != other.get(path, {}).get("code")
    )


def _first_divergence(one: Sequence[Row], other: Sequence[Row]) -> Divergence | None:
    """The first step that differs, by the order of the first run."""
    left, right = _steps(one), _steps(other)
    asked = _requests(one), _requests(other)
    for address, row in left.items():
        twin = right.get(address)
        if twin is None:
            return Divergence(address, "only the first run has it")
        if row.digest != twin.digest:
            return Divergence(address, "it was given other inputs", _outcomes(row, twin))
        if _other_request(address, *asked):
            what = "the same inputs, but another request to the model"
            return Divergence(address, what, _outcomes(row, twin))
        if row.kind != twin.kind:
            return Divergence(address, _one_failed(row, twin))
        found = _outcomes(row, twin)
        if found:
            ended = "another outcome" if row.kind == "outcome" else "another failure"
            return Divergence(address, f"the same inputs, but {ended}", found)
    more = next((address for address in right if address not in left), None)
    return None if more is None else Divergence(more, "only the second run has it")


def _steps(rows: Sequence[Row]) -> dict[str, Row]:
    """The last word of each step, in the order in which they were done."""
    steps: dict[str, Row] = {}
    for row in rows:
        if row.kind in ("outcome", "failure") and not is_open(row):
            steps.pop(row.address, None)
            steps[row.address] = row
    return steps


def _requests(rows: Sequence[Row]) -> dict[str, str]:
    """The digest of the last request of each step that asked a model."""
    return {row.address: row.digest for row in rows if row.kind == "call"}


def _other_request(address: str, one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return address in one and address in other and one[address] != other[address]


def _outcomes(one: Row, other: Row) -> tuple[Difference, ...]:
    if one.kind != other.kind:
        return ()
    if one.kind == "outcome":
        return differences(one.data()["outputs"], other.data()["outputs"])
    keep = ("type", "message")
    return differences(*({key: row.data()[key] for key in keep} for row in (one, other)))


def _one_failed(one: Row, other: Row) -> str:
    which, row = ("first", one) if one.kind == "failure" else ("second", other)
    return f"it failed only in the {which} run: {row.data()['message']}"
