"""The protocol of running untrusted Python, and what comes back from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from flows.core.observation import Caution, Cell
from flows.errors import SandboxUnsafe

# The table in which code leaves what to beware of beside its result: a `code` and what it `says`.
WARNINGS: Final = "warnings"
Mode = Literal["standard", "strict", "off"]
ExecutionStatus = Literal["ok", "error", "timeout", "memory", "died"]


class SandboxConfig(BaseModel):
    """The keys of the sandbox in a run file. `off` has to be typed on the command line.

    `standard` goes on with the walls that this machine has, and says which are missing; `strict`
    refuses to run without all of them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Mode = Field(default="standard", description="standard, or strict: refuse without walls")
    seconds: float = Field(default=60.0, gt=0, le=86_400, description="wall time of one execution")
    memory_mb: int = Field(default=2048, ge=64, description="memory that code may add, in MB")
    output_chars: int = Field(default=100_000, ge=1000, description="kept of stdout, and of stderr")
    file_mb: int = Field(default=64, ge=1, description="the largest file that comes back, in MB")
    files: int = Field(default=40, ge=1, description="the most files that come back")
    table_rows: int = Field(default=1_000_000, ge=1, description="the longest table, in rows")
    sessions: int = Field(default=8, ge=1, description="sessions kept alive; others are replayed")


class CodeFault(BaseModel):
    """What is wrong with code: `line` and `column` are the user's, from 1; no frame is ours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str
    message: str
    line: int | None = None
    column: int | None = None
    traceback: str = ""


class Variable(BaseModel):
    """A variable that an execution made or changed; `shape` of arrays and frames."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: str
    repr: str
    shape: tuple[int, ...] = ()


class MadeTable(BaseModel):
    """A data frame or series that came back: its first rows as cells, all of it as Parquet."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total_rows: int
    parquet: bytes = Field(repr=False)


class MadeFigure(BaseModel):
    """A figure that came back: a PNG of matplotlib, or the JSON of plotly."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str = ""
    png: bytes | None = Field(default=None, repr=False)
    plotly: str | None = Field(default=None, repr=False)


class MadeFile(BaseModel):
    """Another file that came back: a model as skops, or what the code wrote into its folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: str
    content: bytes = Field(repr=False)


class Execution(BaseModel):
    """What running a piece of code came to. `notes` say what was cut, left out or replayed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: ExecutionStatus
    stdout: str = ""
    stderr: str = ""
    fault: CodeFault | None = None
    result: str = ""
    variables: tuple[Variable, ...] = ()
    tables: tuple[MadeTable, ...] = ()
    figures: tuple[MadeFigure, ...] = ()
    models: tuple[MadeFile, ...] = ()
    files: tuple[MadeFile, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What the code warns of, in its table of warnings; rows of another form are no caution."""
        made = (each for each in self.tables if each.name == WARNINGS)
        return tuple(dict.fromkeys(each for table in made for each in _cautions(table)))


def _cautions(table: MadeTable) -> Iterator[Caution]:
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        match cells.get("code"), cells.get("says"):
            case str(code), str(text) if code.isidentifier() and text.strip():
                yield Caution(code=code, text=" ".join(text.split()))


class ProbeFinding(BaseModel):
    """What the probe found: which walls stand, and which canary attacks got through them.

    `walls` maps a layer to what it is here ("Landlock ABI 7"), or to why it is missing when it is
    in `missing`. `blind` are attacks that fail without any wall too, so that they prove nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Mode
    walls: Mapping[str, str]
    missing: tuple[str, ...] = ()
    attacks: int = 0
    through: tuple[str, ...] = ()
    blind: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return self.mode != "off" and not self.missing and not self.through

    @property
    def sentence(self) -> str:
        """What is shown of it on every run."""
        if self.mode == "off":
            return "sandbox: off, as it was typed; code runs with all rights of this process"
        walls = {key: what for key, what in self.walls.items() if key not in self.missing}
        # A layer that its description does not name is named by its key.
        named = [what if key in what.lower() else key for key, what in walls.items()]
        parts = [f"sandbox: {', '.join(named).replace('_', ' ') or 'no wall'}"]
        parts += [f"without {key} ({self.walls.get(key, 'missing')})" for key in self.missing]
        held = self.attacks - len(self.through)
        parts.append(f"{held} of {self.attacks} attacks held off")
        if self.through:
            parts.append(f"got through: {', '.join(self.through)}")
        if self.blind:
            parts.append(f"proves nothing here: {', '.join(self.blind)}")
        return "; ".join(parts)

    def require(self) -> None:
        """Errors: `SandboxUnsafe` when `strict` wants more than there is."""
        if self.mode == "strict" and not self.is_whole:
            raise SandboxUnsafe(
                f"sandbox.mode is strict, and it is not whole here: {self.sentence}"
            )


@runtime_checkable
class Sandbox(Protocol):
    """Runs Python code that nobody trusts.

    Errors of `execute`: `SandboxUnsafe` when `strict` finds a wall missing, `SandboxError` when the
    sandbox itself fails; what the code does wrong is in the Execution.
    """

    async def finding(self) -> ProbeFinding:
        """What the probe found; it runs once, when it is first asked for."""
        ...

    async def execute(
        self,
        code: str,
        *,
        tables: Mapping[str, Path] = {},
        session: str | None = None,
        past: Sequence[str] = (),
        seconds: float | None = None,
    ) -> Execution:
        """Run code with the Parquet files `tables` as data frames under their names.

        With a `session` its variables live on to the next execution of the same name. When that
        session is not alive, the pieces `past` are run before, to bring its variables back.
        """
        ...

    async def forget(self, session: str) -> None:
        """Throw a session away, with its process."""
        ...

    async def aclose(self) -> None: ...
