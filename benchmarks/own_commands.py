"""Functions of a run file's own are found by loose words, and their numbers are cited.

    python benchmarks/own_commands.py [tuning | held] [--show 20]

Each half has two dozen small pure functions of as many trades as commands of one agent, with three
questions for each that do not use its name, and a dozen questions that none of them answers. A
question is answered where the right function was called with the right arguments and what it gave
stands in the answer; it is cited where each number of that is pointed to its cell. Rules are made
by looking at `tuning`; of `held` nobody looks at the failures one by one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from own_functions.questions import HALVES, Half, Wording

import flows
from flows.core.events import Event, StepFinished

TOOLS: Final = Path(__file__).parent / "own_functions"


@dataclass
class CallWatch:
    """The commands that the controller of a run chose, with their arguments."""

    commands: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        if isinstance(event, StepFinished) and "command" in event.outputs:
            arguments = event.outputs.get("command_args") or {}
            self.commands.append((str(event.outputs["command"]), arguments))


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """What became of one question: the functions that were called, and the outputs of the run."""

    called: tuple[tuple[str, Mapping[str, Any]], ...]
    text: str
    citations: tuple[Mapping[str, Any], ...]


@dataclass
class OwnScore:
    """Counts over the questions of a half."""

    asked: int = 0
    chosen: int = 0
    answered: int = 0
    cited: int = 0
    wrong: int = 0
    unanswered: int = 0
    silent: int = 0
    shown: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        return [
            f"right function called      {self.chosen} of {self.asked}",
            f"right answer               {self.answered} of {self.asked}",
            f"each number of it cited    {self.cited} of {self.asked}",
            f"another function called    {self.wrong} of {self.asked}",
            f"no function: none called   {self.silent} of {self.unanswered}",
        ]


class OwnFunctions:
    """An agent with the functions of a half as its commands."""

    def __init__(self, half: Half, folder: Path) -> None:
        self.half, self._folder = half, folder
        self._names = tuple(half.asked)
        shutil.copy(TOOLS / f"{half.module}.py", folder / "tools.py")
        commands = {name: {"_target_": f"./tools.py:{name}"} for name in self._names}
        parts = {"Executor": {"subflows_config": commands}}
        agent = {"defaults": ["autogpt", "_self_"], "subflows_config": parts}
        (folder / "agent.yaml").write_text(json.dumps(agent))

    def ask(self, question: str) -> OwnAnswer:
        watch = CallWatch()
        result = flows.run(
            self._folder / "agent.yaml", ["human=never", f"runs={self._folder / 'runs'}"],
            inputs={"goal": question}, trust=["./tools.py"], listeners=[watch],
        )  # fmt: skip
        outputs = dict(result.outputs)
        called = tuple(each for each in watch.commands if each[0] in self._names)
        cited = tuple(dict(each) for each in outputs.get("citations") or ())
        return OwnAnswer(called, str(outputs.get("answer", "")), cited)


def score_of(agent: OwnFunctions) -> OwnScore:
    score = OwnScore()
    for wording in agent.half.wordings():
        judge(agent, wording, score)
    for question in agent.half.unanswered:
        answer = agent.ask(question)
        score.unanswered += 1
        score.silent += not answer.called
        if answer.called:
            score.shown.append(f"NONE   {question} | {answer.called}")
    return score


def judge(agent: OwnFunctions, wording: Wording, score: OwnScore) -> None:
    """Ask a question and count what became of it."""
    answer = agent.ask(wording.question)
    score.asked += 1
    names = [name for name, _ in answer.called]
    score.chosen += wording.function in names
    score.wrong += any(name != wording.function for name in names)
    right = any(
        name == wording.function and _plain(given) == _plain(wording.arguments)
        for name, given in answer.called
    )
    value = _plain(agent.half.value_of(wording))
    numbers = [
        each
        for each in (value.values() if isinstance(value, dict) else (value,))
        if isinstance(each, int | float)
    ]
    said = [each.get("value") for each in answer.citations]
    stands = str(value) in answer.text or any(each in said for each in numbers)
    score.answered += right and stands
    score.cited += right and stands and (not numbers or any(each in said for each in numbers))
    if not (right and stands):
        score.shown.append(
            f"{wording.function}: {wording.question} | {answer.called} | {answer.text[:160]!r}"
        )


def _plain(value: Any) -> Any:
    """A value as the journal keeps it: days as text, whole numbers alike."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return value.isoformat() if isinstance(value, date) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("half", nargs="?", default="tuning", choices=tuple(HALVES))
    parser.add_argument("--show", type=int, default=0, help="how many failures are printed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        agent = OwnFunctions(HALVES[given.half], Path(folder))
        start = time.monotonic()
        score = score_of(agent)
        seconds = time.monotonic() - start
    print("\n".join(score.shown[: given.show]))
    print("\n".join(score.lines()))
    print(f"{seconds / max(1, score.asked + score.unanswered):.2f} s a question")


if __name__ == "__main__":
    main()
