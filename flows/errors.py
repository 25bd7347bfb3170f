"""Every error that this package raises on purpose.

FlowsError
├── ConfigError            a file or an override is wrong; knows its place        (exit 2)
│   ├── UntrustedError     a file sends a secret where nobody has allowed it to be sent
│   ├── UnknownValue       a value that another fault keeps from being known; no fault itself
│   └── CheckError         several of them, found together
├── UsageError             the command line is wrong                              (exit 2)
│   ├── NotFound           no flow, run, step or artifact has that name
│   ├── StateConflict      what a run is now does not allow it
│   ├── QueueFull          so many runs wait that no other is taken on
│   └── ServiceEnds        a service takes nothing on any more
├── ModelError             the model provider                                     (exit 3)
│   ├── ModelUnreachable   no connection, a reset, a time limit of ours; transient
│   ├── ModelOverloaded    429 or 5xx; transient, may name a time to wait
│   ├── ModelRefused       key, quota, unknown model, bad request; trying again is useless
│   └── ModelReplyInvalid  cut, empty, filtered or oversized reply
├── StepError              a flow failed                                          (exit 4)
│   ├── StepFailed         a step, with its path and its cause
│   ├── PortError          inputs or outputs do not fit the declared ports
│   └── InterfaceError     a key interface could not be applied
├── CommandError           a command that can be answered with an observation
│   ├── ToolError          a tool or its network
│   ├── SourceError        a data source that cannot be read
│   ├── StoreError         a store of entities, texts or columns that cannot be used
│   ├── StepTimeout        a step took longer than its `timeout`
│   ├── QueryRefused       the SQL firewall said no
│   ├── QueryFailed        the database said no, or a limit was reached
│   ├── CitationError      a reference of an answer names no cell
│   ├── CodeFailed         untrusted code ended with an error, or at a limit
│   └── SandboxError       the sandbox itself could not run the code
├── SandboxUnsafe          a wall is missing, and the run wants all of them      (exit 78)
├── RecallError            the vector memory
├── JournalError           the record of a run: unknown, busy, damaged, or of another flow
│   ├── JournalTaken       another process has taken the run over
│   └── ReplayDiffers      a replay came to something else than was recorded
├── LimitReached           a budget of the run is used up; ends it `unfinished`
│   └── StopAsked          a person ends the run with what there is
└── Waiting                a person's answer is needed and nobody is there        (exit 75)
    └── SessionChanged     the person changed the session, which goes on as it is now
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def nearest(word: str, allowed: Iterable[str]) -> str | None:
    """The allowed word that `word` was probably meant to be, or None."""
    by_folded = {each.casefold(): each for each in allowed}
    found = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


class FlowsError(Exception):
    """The root of the tree. `exit_code` is what the command line ends with."""

    exit_code: ClassVar[int] = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value was written: a file with line and column (from 1), or another origin.

    `is_argument` says that the origin names the value by itself, as `--data sales.csv` does: a key
    of the config that the value was put under would be news to whoever gave it.
    """

    origin: str
    line: int | None = None
    column: int | None = None
    is_argument: bool = False

    def __str__(self) -> str:
        if self.line is None:
            return self.origin
        return f"{self.origin}:{self.line}:{self.column or 1}"


class ConfigError(FlowsError):
    """A config is wrong. Says what, where, what is allowed and what was probably meant.

    A `warning` is of something that a person may have meant otherwise, and keeps nothing from
    running; it is raised with faults alone. `missing` says that a value has to be given there.
    """

    exit_code = 2
    warning = False
    missing = False

    def __init__(
        self,
        problem: str,
        *,
        place: Place | None = None,
        path: str = "",
        allowed: Sequence[str] = (),
        meant: str | None = None,
    ) -> None:
        self.problem = problem
        self.place = place
        self.path = "" if place is not None and place.is_argument else path
        self.allowed = tuple(allowed)
        self.meant = meant
        super().__init__(problem)

    def __str__(self) -> str:
        head = f"{self.place}: " if self.place else ""
        head += "warning: " if self.warning else ""
        lines = [head + (f"{self.path}: " if self.path else "") + self.problem]
        if self.meant is not None:
            lines.append(f"  did you mean: {self.meant}")
        if self.allowed:
            lines.append(f"  allowed: {', '.join(self.allowed)}")
        return "\n".join(lines)


class UntrustedError(ConfigError):
    """A file would send a secret to an address of its own choice, and nobody has allowed that.

    `sending` is the `flows.build.trust.Sending`; `asks` says that a person may be asked about it.
    """

    def __init__(
        self, problem: str, *, sending: Any, asks: bool, place: Place | None = None, path: str = ""
    ) -> None:
        super().__init__(problem, place=place, path=path)
        self.sending = sending
        self.asks = asks


class UnknownValue(ConfigError):
    """A value is not known, because of another fault, which is said: this is none of its own."""


class CheckError(ConfigError):
    """Several config errors found in one check, in the order of their places."""

    def __init__(self, errors: Sequence[ConfigError]) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        super().__init__(
            first.problem,
            place=first.place,
            path=first.path,
            allowed=first.allowed,
            meant=first.meant,
        )

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


class UsageError(FlowsError):
    exit_code = 2


class NotFound(UsageError):
    """No flow, run, step or artifact has that name; `allowed` are those that there are."""

    def __init__(self, problem: str, *, allowed: Sequence[str] = ()) -> None:
        self.allowed = tuple(allowed)
        super().__init__(problem)


class StateConflict(UsageError):
    """What a run is now does not allow what is asked for."""


class QueueFull(UsageError):
    """So many runs wait that no other is taken on; one may be in `retry_after` seconds."""

    def __init__(self, problem: str, *, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(problem)


class ServiceEnds(UsageError):
    """A service was told to end, and takes nothing on any more; the next one may."""


class ModelError(FlowsError):
    """The model provider. `transient` says whether the same request may work later."""

    exit_code = 3
    transient: ClassVar[bool] = False

    def __init__(self, problem: str, *, retry_after: float | None = None) -> None:
        self.problem = problem
        self.retry_after = retry_after
        super().__init__(problem)


class ModelUnreachable(ModelError):
    transient = True


class ModelOverloaded(ModelError):
    transient = True


class ModelRefused(ModelError):
    """The provider will not take the request. `said` is all that it said where a parameter may be
    meant, None where it is the account, the key or the address."""

    def __init__(self, problem: str, *, said: str | None = None) -> None:
        self.said = said
        super().__init__(problem)


class ModelReplyInvalid(ModelError):
    pass


class StepError(FlowsError):
    pass


class StepFailed(StepError):
    """A step failed. `path` is its address in the run, `cause` the error it raised."""

    def __init__(self, path: str, cause: BaseException) -> None:
        self.path = path
        self.cause = cause
        super().__init__(f"{path}: {type(cause).__name__}: {cause}")

    @property
    def root(self) -> BaseException:
        """The innermost cause that is not itself a StepFailed."""
        cause = self.cause
        while isinstance(cause, StepFailed):
            cause = cause.cause
        return cause


class PortError(StepError):
    pass


class InterfaceError(StepError):
    pass


class CommandError(FlowsError):
    pass


class ToolError(CommandError):
    pass


class SourceError(CommandError):
    pass


class StoreError(CommandError):
    pass


class StepTimeout(CommandError):
    pass


class StepStopped(CommandError):
    """A person stopped a step that is not worth waiting for any longer."""


class QueryRefused(CommandError):
    pass


class QueryFailed(CommandError):
    pass


class CitationError(CommandError):
    pass


class CodeFailed(CommandError):
    pass


class SandboxError(CommandError):
    pass


class SandboxUnsafe(FlowsError):
    exit_code = 78


class RecallError(FlowsError):
    pass


class JournalError(FlowsError):
    pass


class JournalTaken(JournalError):
    pass


class ReplayDiffers(JournalError):
    """The first step that differs from the record. `step` is its address, "" for the run's end;
    `why` is code, config, prompt, inputs, outputs or steps."""

    def __init__(self, step: str, why: str, problem: str) -> None:
        self.step = step
        self.why = why
        self.problem = problem
        super().__init__(f"{step or 'the end of the run'} differs ({why}): {problem}")


class LimitReached(FlowsError):
    """A limit of the run. `limit` is its name in the config, `allowed` its value.

    On its way up each composite leaves in `outputs` what it would have returned so far.
    """

    def __init__(self, limit: str, allowed: float, why: str = "") -> None:
        self.limit = limit
        self.allowed = allowed
        self.why = why
        self.outputs: dict[str, object] = {}
        more = f": {why}" if why else ""
        super().__init__(f"the run's limit on {limit} ({allowed:g}) is reached{more}")


class StopAsked(LimitReached):
    """A person wants the run to end with what there is. A flow that catches it to make something of
    that calls `Run.take_stop` first."""

    def __init__(self) -> None:
        super().__init__("steps", 0)
        self.args = ("the person ended it early",)


class Waiting(FlowsError):
    """A person has to answer before the run can go on. `question` is what was asked."""

    exit_code = 75

    def __init__(self, question: str) -> None:
        self.question = question
        super().__init__(f"waiting for an answer to: {question}")


class SessionChanged(Waiting):
    """The person, asked `question`, changed the session instead of answering: the run is taken up
    again where it stands, by its flows as they are now."""
