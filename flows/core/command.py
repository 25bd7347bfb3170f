"""Commands: what a controller may ask for, and with which arguments."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from flows.core.flow import Effect


class CommandArgument(BaseModel):
    """One argument of a command, as a controller is told of it. `type` is a JSON type's name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: str = "string"
    description: str = ""
    required: bool = True


class Command(BaseModel):
    """A command that a controller may give: its name, what it does, what it takes, and what it does
    to the world."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    input_args: tuple[CommandArgument, ...] = ()
    effect: Effect = "once"
