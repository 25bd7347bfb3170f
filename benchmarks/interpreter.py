"""An interpreter answers questions about a made company with functions that it has to find.

    python benchmarks/interpreter.py [tuning | held] [--random] [--show 10]

Thirty functions of the company stand among two thousand of other trades. 120 questions have an
answer that is computed from the company's data; a third needs two calls. 20 more ask what no
function knows. The two halves are companies of different trades, seeds and wordings. Rules are made
by looking at `tuning`; of `held` nobody looks at the failures one by one. `--random` gives random
functions in the place of those that the index finds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

from company.case import Case, Kind, make_cases
from company.distractors import distractors
from company.garments import Garments
from company.harbour import Harbour
from company.scoring import Score

from flows import Interpreter
from flows.core.events import Event, StepFinished
from flows.core.function_description import Function, FunctionDescription
from flows.core.observation import Observation
from flows.services.interpreter import InterpreterResponse
from flows.tools.description.function import describe_function
from flows.tools.sources.python import PythonFunction

QUESTIONS: Final = 120
MISSING: Final = 20
RANDOM_FUNCTIONS: Final = 5
SEEDS: Final = {"tuning": 11, "held": 47}
TEXTS: Final = Path(__file__).parent / "company"


class Company(Protocol):
    name: str

    def functions(self) -> dict[str, Sequence[Any]]: ...

    def kinds(self) -> list[Kind]: ...

    def missing(self) -> list[Kind]: ...


def company_of(half: str) -> Company:
    return Garments(SEEDS[half]) if half == "tuning" else Harbour(SEEDS[half])


def functions_of(company: Company) -> list[Function]:
    """The company's functions, described by their signatures and docstrings."""
    return [
        PythonFunction(
            each,
            describe_function(
                each, namespace=company.name, function_class=kind, effect="pure", source="made"
            ),
        )
        for kind, group in company.functions().items()
        for each in group
    ]


def cases_of(company: Company, half: str) -> list[Case]:
    texts = TEXTS / f"{company.name}.json"
    seed = SEEDS[half]
    answered = make_cases(company.kinds(), texts, seed, QUESTIONS)
    return [*answered, *make_cases(company.missing(), texts, seed, MISSING)]


class Witness:
    """Sees which functions are loaded in a run and which are carried out: the calls of functions
    that were not loaded are counted."""

    def __init__(self) -> None:
        self.loaded: set[str] = set()
        self.outside = 0

    def begin(self) -> None:
        self.loaded, self.outside = set(), 0

    def __call__(self, event: Event) -> None:
        if isinstance(event, StepFinished):
            loaded = event.outputs.get("loaded", ())
            self.loaded |= {each.id for each in loaded if isinstance(each, FunctionDescription)}

    def called(self, id_: str) -> None:
        self.outside += id_ not in self.loaded


class WatchedFunction:
    """A function whose calls a witness sees."""

    def __init__(self, function: Function, witness: Witness) -> None:
        self._function = function
        self._witness = witness

    @property
    def description(self) -> FunctionDescription:
        return self._function.description

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        self._witness.called(self.description.id)
        return await self._function.call(arguments)


class Bench:
    """The questions of a half, put to an interpreter one after another."""

    def __init__(self, half: str, folder: Path, *, random: bool, model: str | None) -> None:
        self.company = company_of(half)
        own = functions_of(self.company)
        self.witness = Witness()
        self.functions: list[Function] = [
            WatchedFunction(each, self.witness) for each in (*own, *distractors(SEEDS[half]))
        ]
        self.cases = cases_of(self.company, half)
        self._folder = folder
        self._random = Random(SEEDS[half]) if random else None
        self._model = model
        self._interpreter = self._make(())

    def _make(self, more: Sequence[str]) -> Interpreter:
        overrides = [
            "human=never", f"runs={self._folder / 'runs'}", f"log={self._folder / 'log.sqlite3'}",
            *more,
        ]  # fmt: skip
        return Interpreter(
            self.functions, overrides=overrides, model=self._model, listeners=(self.witness,)
        )

    def ask(self, case: Case) -> InterpreterResponse:
        if self._random is None:
            return self._interpreter(case.question)
        drawn = self._random.sample(self.functions, RANDOM_FUNCTIONS)
        loaded = ",".join(each.description.id for each in drawn)
        more = (f"load=[{loaded}]", "search_first=0", "max_searches=0", "revise=false")
        return self._make(more)(case.question)

    def run(self) -> Score:
        score = Score()
        for case in self.cases:
            self.witness.begin()
            score.add(case, self.ask(case), self.witness.outside)
        return score


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("half", nargs="?", default="tuning", choices=tuple(SEEDS))
    parser.add_argument("--random", action="store_true", help="random functions on the stack")
    parser.add_argument("--model", help="as of flows ask; offline without it")
    parser.add_argument("--show", type=int, default=0, help="how many failures are printed")
    parser.add_argument("--only", default="", help="questions of kinds that begin so")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(asked.half, Path(folder), random=asked.random, model=asked.model)
        bench.cases = [each for each in bench.cases if each.id.startswith(asked.only)]
        start = time.monotonic()
        score = bench.run()
        seconds = time.monotonic() - start
    print("\n".join(score.lines()))
    print(f"{seconds:.1f} s, {seconds / len(bench.cases):.2f} s a question")
    for each in score.wrong[: asked.show]:
        print(each)


if __name__ == "__main__":
    main()
