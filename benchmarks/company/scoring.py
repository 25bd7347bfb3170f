"""Scores responses of an interpreter: the right functions, the right values, nothing uncited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from company.case import Case, Value
from company.reliability import Stated, reliability_lines
from flows.services.interpreter import InterpreterResponse

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
SURE = 80  # of 100: a wrong answer with so much confidence is counted apart


@dataclass(slots=True)
class Score:
    """What came of a set of questions; `wrong` are those to look at."""

    questions: int = 0
    function: int = 0
    answer: int = 0
    two_calls: int = 0
    two_calls_right: int = 0
    outside: int = 0
    uncited: int = 0
    sure_and_wrong: int = 0
    missing: int = 0
    missing_told: int = 0
    wrong: list[str] = field(default_factory=list)
    stated: list[Stated] = field(default_factory=list)

    def add(self, case: Case, response: InterpreterResponse, outside: int) -> None:
        """`outside` are the calls of functions that were not on the stack."""
        self.outside += outside
        self.uncited += bool(response.uncited)
        if case.is_missing:
            self.missing += 1
            told = bool(response.lacks) and response.status == "abstained"
            self.missing_told += told
            self._note(told, case, response)
            self._state(False, case, response)
            return
        called = {each.function.partition("/")[2] for each in response.calls if each.kind == "ok"}
        function = all(called.intersection(options) for options in case.functions)
        right = response.status in ("answered", "partly") and says(response.answer, case.values)
        self.questions += 1
        self.function += function
        self.answer += right
        self.two_calls += case.hops
        self.two_calls_right += case.hops and right
        self.sure_and_wrong += (
            not right and response.status == "answered" and response.confidence >= SURE
        )
        self._note(function and right, case, response)
        self._state(right, case, response)

    def _state(self, right: bool, case: Case, response: InterpreterResponse) -> None:
        """Keep what an answer says of its confidence; one that declines claims nothing."""
        if response.status not in ("answered", "partly"):
            return
        evidence = {
            "cited": len(response.citations),
            "uncited": len(response.uncited),
            "lacks": int(bool(response.lacks)),
            "calls": len(response.calls),
            "used": len(response.functions),
            "turns": response.turns,
        }
        self.stated.append(
            Stated(
                case.id, response.confidence, response.model_confidence, right,
                response.status, evidence,
            )
        )  # fmt: skip

    def _note(self, fine: bool, case: Case, response: InterpreterResponse) -> None:
        if fine:
            return
        calls = ", ".join(f"{each.function}({dict(each.arguments)})" for each in response.calls)
        self.wrong.append(
            f"{case.id}: {case.question}\n    wants {case.functions} {case.values}\n    "
            f"{response.status} {response.confidence}: {response.answer!r} "
            f"lacks={response.lacks!r} asks={response.question!r} {response.reason}\n    [{calls}]"
        )

    def __iadd__(self, other: Score) -> Score:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self

    def lines(self) -> list[str]:
        """The figures, a line each."""
        return [
            f"right functions called   {_share(self.function, self.questions)}",
            f"right answer             {_share(self.answer, self.questions)}",
            f"  of two calls or more   {_share(self.two_calls_right, self.two_calls)}",
            f"calls outside the stack  {self.outside}",
            f"answers with uncited     {self.uncited}",
            f"wrong and sure (>= {SURE})   {self.sure_and_wrong}",
            f"no function: said so     {_share(self.missing_told, self.missing)}",
            *reliability_lines(self.stated),
        ]


def says(answer: str, values: Sequence[Value]) -> bool:
    """Whether a text gives all the values: numbers to their second decimal, words as they are."""
    numbers = [float(each.replace(",", "")) for each in _NUMBER.findall(answer)]
    folded = answer.casefold()
    return all(
        value.casefold() in folded
        if isinstance(value, str)
        else any(abs(each - value) < 0.006 for each in numbers)
        for value in values
    )


def _share(part: int, whole: int) -> str:
    return f"{part:>4} of {whole:<4} {100 * part / whole:5.1f} %" if whole else "   - "
