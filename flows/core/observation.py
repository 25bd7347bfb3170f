"""What a command gave back, in the words and values that a controller and a screen read."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Cell = str | int | float | bool | None


class Caution(BaseModel):
    """Something to know beside a result; `code` is one word for programs.
    Models reply with them too: keys that are not known are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    code: str
    text: str


class Preview(BaseModel):
    """The first rows of a table that is kept whole as an artifact of the run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total_rows: int
    truncated: bool = False
    sql: str | None = None
    artifact: str | None = None
    # For whoever watches. It differs each time, so that no step may be given it, or record it.
    elapsed_ms: float | None = Field(default=None, exclude=True)


class Observation(BaseModel):
    """`ok`, `empty` (it worked and found nothing) or `error` (it did not work), and why.

    `figures` are the names of the artifacts that it drew. `told` are sentences of the text as they
    were written, with references to cells, for an answer that repeats them; `cautions` what to
    beware of, which the text says too. `kept` are the artifacts of the tables and models that code
    has made, by their variables. Of a `wordless` one the text says no more than that it drew its
    figures, and its warnings; of a `tabled` one no more than its table shows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["ok", "empty", "error"]
    text: str
    table: Preview | None = None
    figures: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    cautions: tuple[Caution, ...] = ()
    kept: dict[str, str] = Field(default={})
    wordless: bool = False
    tabled: bool = False
