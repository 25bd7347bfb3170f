"""Small real flows that tests compose, by YAML (`trust=("tests",)`) or by hand.

Each notes the address of every call that it really executes in `EXECUTED`, and in the file that
the environment variable FLOWS_TEST_LOG names, so that a test can count across processes.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from flows.core.chat import Usage
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Ports
from flows.core.human import Question
from flows.core.run import Run
from flows.core.sequential import SequentialConfig, SequentialFlow
from flows.errors import (
    ModelOverloaded,
    ModelUnreachable,
    QueryFailed,
    StepFailed,
    ToolError,
    Waiting,
)

EXECUTED: list[str] = []


def note(run: Run) -> None:
    EXECUTED.append(run.address)
    log = os.environ.get("FLOWS_TEST_LOG")
    if log:
        with Path(log).open("a") as file:
            file.write(f"{run.address}\n")


class Number(Ports):
    n: int


class AddConfig(AtomicConfig):
    amount: int = 1


class Add(AtomicFlow):
    """n + amount."""

    Config: ClassVar[type[FlowConfig]] = AddConfig
    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Number

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run)
        return Number(n=inputs.n + self.config.amount)


class Double(Add):
    """n * 2."""

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run)
        await asyncio.sleep(0)
        return Number(n=inputs.n * 2)


class Write(Add):
    """n + amount, and the effect key as if it was written somewhere."""

    effect: Effect = "idempotent"


class Send(Add):
    """n + amount, and must not be done twice."""

    effect: Effect = "once"


class Counted(Ports):
    total: int
    calls: tuple[int, ...]


class Accumulate(AtomicFlow):
    """Keeps state: the numbers of all calls."""

    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Counted

    def initial_state(self) -> tuple[int, ...]:
        return ()

    def apply(self, state: tuple[int, ...], inputs: Number, outputs: Counted) -> tuple[int, ...]:
        return (*state, inputs.n)

    async def run(self, inputs: Number, run: Run) -> Counted:
        note(run)
        calls = (*run.state, inputs.n)
        return Counted(total=sum(calls), calls=calls)


class Recount(Accumulate):
    """Another kind of flow with the same ports."""


class StopInputs(Ports):
    n: int


class StopConfig(AtomicConfig):
    at: int = 3
    reason: str = ""


class StopOutputs(Ports):
    EARLY_EXIT: bool | str = False


class Stop(AtomicFlow):
    """Says stop when n has come to `at`; with `reason` as the reason to end unfinished."""

    Config: ClassVar[type[FlowConfig]] = StopConfig
    Inputs: ClassVar[type[Ports]] = StopInputs
    Outputs: ClassVar[type[Ports]] = StopOutputs

    async def run(self, inputs: StopInputs, run: Run) -> StopOutputs:
        note(run)
        stop = inputs.n >= self.config.at
        return StopOutputs(EARLY_EXIT=self.config.reason or True if stop else False)


class Choice(Ports):
    branch: str
    branch_input_data: dict[str, Any]


class Choose(AtomicFlow):
    """Even numbers go to `even`, odd ones to `odd`."""

    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Choice

    async def run(self, inputs: Number, run: Run) -> Choice:
        note(run)
        name = "odd" if inputs.n % 2 else "even"
        return Choice(branch=name, branch_input_data={"n": inputs.n})


class Values(Ports):
    value: Any = None


class Echo(AtomicFlow):
    """What came in."""

    Inputs: ClassVar[type[Ports]] = Values
    Outputs: ClassVar[type[Ports]] = Values

    async def run(self, inputs: Values, run: Run) -> Values:
        note(run)
        return Values(value=inputs.value)


class Odd(Ports):
    ratio: float
    best: float
    pair: tuple[int, str]
    missing: float | None
    names: frozenset[str]


class Oddities(AtomicFlow):
    """Values that JSON has no form for, or another one."""

    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Odd

    async def run(self, inputs: Number, run: Run) -> Odd:
        note(run)
        return Odd(
            ratio=float("nan"), best=float("inf"), pair=(inputs.n, "a"), missing=None, names={"x"}
        )


class SleepConfig(AtomicConfig):
    seconds: float = 30.0


class Sleep(Add):
    """Adds one after a while; FLOWS_TEST_SECONDS says otherwise how long."""

    Config: ClassVar[type[FlowConfig]] = SleepConfig
    effect: Effect = "idempotent"

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run)
        await asyncio.sleep(float(os.environ.get("FLOWS_TEST_SECONDS", self.config.seconds)))
        return Number(n=inputs.n + 1)


class SleepOnce(Sleep):
    """As `Sleep`, and must not be done twice."""

    effect: Effect = "once"


class DeadlyConfig(AtomicConfig):
    process: int


class Deadly(Add):
    """Kills the process that it is in, unless that is the one that is named."""

    Config: ClassVar[type[FlowConfig]] = DeadlyConfig

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run)
        if os.getpid() != self.config.process:
            os.kill(os.getpid(), signal.SIGKILL)
        return Number(n=inputs.n + 1)


class Spin(AtomicFlow):
    """Returns at once, without ever waiting."""

    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Number

    async def run(self, inputs: Number, run: Run) -> Number:
        return Number(n=inputs.n + 1)


class FailConfig(AtomicConfig):
    error: str = Field(default="ValueError", description="which error")
    unless: Path | None = Field(default=None, description="works once this file is there")
    times: int | None = Field(default=None, description="fails so often, by a file of marks")


ERRORS: dict[str, Exception] = {
    "ValueError": ValueError("no good"),
    "ToolError": ToolError("the network is away"),
    "QueryFailed": QueryFailed("no such column"),
    "ModelUnreachable": ModelUnreachable("no connection"),
    "ModelOverloaded": ModelOverloaded("too many requests", retry_after=0.2),
    "Own": type("OwnToolError", (ToolError,), {})("an error of its own"),
}


class Fail(Add):
    """Raises an error, until a file is there or as often as it is told."""

    Config: ClassVar[type[FlowConfig]] = FailConfig
    effect: Effect = "idempotent"

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run)
        times = self.config.times
        if times is not None and EXECUTED.count(run.address) > times:
            return Number(n=inputs.n + 1)
        if self.config.unless is not None and self.config.unless.exists():
            return Number(n=inputs.n + 1)
        error = ERRORS[self.config.error]
        raise type(error)(*error.args, **_more(error))


def _more(error: Exception) -> Mapping[str, Any]:
    return {"retry_after": 0.2} if isinstance(error, ModelOverloaded) else {}


class FailOnce(Fail):
    """As `Fail`, and must not be done twice."""

    effect: Effect = "once"


class AskConfig(AtomicConfig):
    answer: Path


class Ask(Add):
    """Waits for a person until their answer, a number in a file, is there."""

    Config: ClassVar[type[FlowConfig]] = AskConfig
    effect: Effect = "once"

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run)
        if not self.config.answer.exists():
            raise Waiting("how many?")
        return Number(n=inputs.n + int(self.config.answer.read_text()))


class PickConfig(AtomicConfig):
    many: int = 60


class Pick(AtomicFlow):
    """Asks a person for one of many numbers, in words."""

    Config: ClassVar[type[FlowConfig]] = PickConfig
    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Number
    effect: Effect = "idempotent"

    async def run(self, inputs: Number, run: Run) -> Number:
        options = [f"the number {each}" for each in range(100, 100 + self.config.many)]
        context = {"question": "Which number?", "options": options}
        said = await run.ask_person(None, Question(id="pick", text="Which?", context=context))
        return Number(n=inputs.n + int(said.text))


class SpendConfig(AtomicConfig):
    tokens: int = 10
    calls: int = 1
    fails: bool = False


class Spend(Add):
    """Makes model calls."""

    Config: ClassVar[type[FlowConfig]] = SpendConfig

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run)
        for _ in range(self.config.calls):
            run.session.meter.claim()
            await asyncio.sleep(0)
            run.spend(Usage(model_calls=1, input_tokens=self.config.tokens, output_tokens=0))
        if self.config.fails:
            raise ToolError("the reply was no good")
        return Number(n=inputs.n + 1)


class SavedOutputs(Ports):
    name: str


class Save(AtomicFlow):
    """Writes a file to the run's folder."""

    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = SavedOutputs

    async def run(self, inputs: Number, run: Run) -> SavedOutputs:
        note(run)
        saved = run.save("table", "csv", f"n\n{inputs.n}\n".encode(), "a number")
        run.save("table", "json", b"{}", "the same stem, another kind")
        return SavedOutputs(name=saved.name)


class Caught(Ports):
    observation: str


class Catch(SequentialFlow):
    """A composite whose steps may fail: the failure is its observation."""

    Config: ClassVar[type[FlowConfig]] = SequentialConfig

    def output_names(self) -> frozenset[str]:
        return frozenset({"observation"})

    async def run(self, inputs: Any, run: Run) -> dict[str, Any]:
        try:
            outputs = await super().run(inputs, run)
        except StepFailed as failure:
            kind = type(failure.root)
            known = isinstance(failure.root, ToolError)
            return {"observation": f"{kind.__name__}: {failure.root} ({known})"}
        return {"observation": f"fine: {outputs}"}


class WrongOutputs(AtomicFlow):
    """Returns something that is not its Outputs."""

    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Number

    async def run(self, inputs: Number, run: Run) -> Any:
        return Counted(total=1, calls=())
