"""The composites of aiflows, with the keys that they have there."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from flows.core.branching import BranchingConfig, BranchingFlow
from flows.core.circular import CircularConfig, CircularFlow
from flows.core.flow import FlowConfig
from flows.core.sequential import SequentialConfig, SequentialFlow
from flows.library.aiflows.keys import AiflowsKeys


class AiflowsSequentialConfig(AiflowsKeys, SequentialConfig):
    """The keys of a sequential flow of aiflows, which is a circular one of one round."""

    max_rounds: int = Field(default=1, ge=1, le=1, description="always 1")
    early_exit_key: str | None = Field(default="EARLY_EXIT", description="a key that ends it early")


class AiflowsSequentialFlow(SequentialFlow):
    """Takes its steps once, in order; a true value under the early exit key ends it."""

    Config: ClassVar[type[FlowConfig]] = AiflowsSequentialConfig


class AiflowsCircularConfig(AiflowsKeys, CircularConfig):
    """The keys of a circular flow of aiflows."""


class AiflowsCircularFlow(CircularFlow):
    """Takes its steps round after round, until the early exit key is true or none is left."""

    Config: ClassVar[type[FlowConfig]] = AiflowsCircularConfig


class AiflowsBranchingConfig(AiflowsKeys, BranchingConfig):
    """The keys of a branching flow of aiflows."""


class AiflowsBranchingFlow(BranchingFlow):
    """Calls the subflow that `branch` names with `branch_input_data`."""

    Config: ClassVar[type[FlowConfig]] = AiflowsBranchingConfig
