"""An interpreter answers questions about a made company with functions that it has to find.

    python benchmarks/interpreter.py [tuning | held] [--company NAME | all] [--random] [--show 10]
    python benchmarks/interpreter.py tuning --plan

Thirty functions of a company stand among two thousand of other trades. 120 questions have an
answer that is computed from the company's data; a third needs two calls. 20 more ask what no
function knows. The companies are of different trades, seeds and wordings. Rules are made by looking
at those of `tuning`; of `held` nobody looks at the failures one by one. `--random` gives random
functions in the place of those that the index finds, `--plan` asks `configs/planner.yaml`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

from company.case import Case, Kind, make_cases
from company.distractors import distractors
from company.garments import Garments
from company.grid import Grid
from company.harbour import Harbour
from company.scoring import Score
from company.stays import Stays
from company.vet import Vet

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
CONFIGS: Final = Path(__file__).parent.parent / "configs"
TEXTS: Final = Path(__file__).parent / "company"


class Company(Protocol):
    name: str

    def functions(self) -> dict[str, Sequence[Any]]: ...

    def kinds(self) -> list[Kind]: ...

    def missing(self) -> list[Kind]: ...


@dataclass(frozen=True, slots=True)
class World:
    """How a company is made, from which seed, and the trades that do much the same."""

    make: Callable[[int], Company]
    seed: int
    near: tuple[str, ...] = ()


# The companies that rules are made by, and the one that they are not.
HALVES: Final[Mapping[str, Mapping[str, World]]] = {
    "tuning": {
        "garments": World(Garments, 11),
        "vet": World(Vet, 23, ("clinic", "zoo", "pharmacy")),
        "grid": World(Grid, 31, ("energy", "mining")),
        "stays": World(Stays, 59, ("hotel", "estate")),
    },
    "held": {"harbour": World(Harbour, 47)},
}


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


def cases_of(company: Company, seed: int) -> list[Case]:
    texts = TEXTS / f"{company.name}.json"
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
    """The questions about a company, put to an interpreter one after another."""

    def __init__(
        self, world: World, folder: Path, *, random: bool, model: str | None, plan: bool = False
    ) -> None:
        self.company = world.make(world.seed)
        own = functions_of(self.company)
        self.witness = Witness()
        self.functions: list[Function] = [
            WatchedFunction(each, self.witness)
            for each in (*own, *distractors(world.seed, world.near))
        ]
        self.cases = cases_of(self.company, world.seed)
        self._folder = folder
        self._random = Random(world.seed) if random else None
        self._model = model
        self._file = CONFIGS / ("planner.yaml" if plan else "interpreter.yaml")
        self._interpreter = self._make(())

    def _make(self, more: Sequence[str]) -> Interpreter:
        overrides = [
            "human=never", f"runs={self._folder / 'runs'}", f"log={self._folder / 'log.sqlite3'}",
            *more,
        ]  # fmt: skip
        return Interpreter(
            self.functions,
            file=self._file,
            overrides=overrides,
            model=self._model,
            listeners=(self.witness,),
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
    parser.add_argument("half", nargs="?", default="tuning", choices=tuple(HALVES))
    parser.add_argument("--company", default="all", help="one of the half; all of them without it")
    parser.add_argument("--random", action="store_true", help="random functions on the stack")
    parser.add_argument("--plan", action="store_true", help="the planner instead of the loop")
    parser.add_argument("--model", help="as of flows ask; offline without it")
    parser.add_argument("--show", type=int, default=0, help="how many failures are printed")
    parser.add_argument("--stated", type=Path, help="a JSON file of each answer's confidence")
    parser.add_argument("--only", default="", help="questions of kinds that begin so")
    asked = parser.parse_args()
    worlds = HALVES[asked.half]
    if asked.company not in ("all", *worlds):
        parser.error(f"--company {asked.company}: the half has {', '.join(worlds)}, or all")
    total = Score()
    for name in worlds if asked.company == "all" else (asked.company,):
        print(name)
        score = score_of(worlds[name], asked)
        print("\n".join(score.lines()))
        for each in score.wrong[: asked.show]:
            print(each)
        total += score
    if asked.stated is not None:
        asked.stated.write_text(json.dumps([asdict(each) for each in total.stated], indent=1))
    if asked.company == "all" and len(worlds) > 1:
        print("all\n" + "\n".join(total.lines()))


def score_of(world: World, asked: argparse.Namespace) -> Score:
    """The questions of a company, asked; how long they took is printed."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(world, Path(folder), random=asked.random, model=asked.model, plan=asked.plan)
        bench.cases = [each for each in bench.cases if each.id.startswith(asked.only)]
        start = time.monotonic()
        score = bench.run()
        seconds = time.monotonic() - start
    print(f"{seconds:.1f} s, {seconds / max(1, len(bench.cases)):.2f} s a question")
    return score


if __name__ == "__main__":
    main()
