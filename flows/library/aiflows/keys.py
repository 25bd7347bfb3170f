"""The keys that every flow of aiflows has."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from flows.core.interface import InterfaceConfig

Compat = Literal["", "aiflows-0.1"]


class AiflowsKeys(BaseModel):
    """The keys of every flow of aiflows 0.1.7, with the defaults that they have there.

    Those of the cache, of the namespace and of private keys are taken and do nothing: a run's
    journal keeps what was done, and in 0.1.7 the end of a call forgets nothing either.
    """

    private_keys: tuple[str, ...] = Field(
        default=(), description="taken as it is written; secrets are hidden by their own names"
    )
    clear_flow_namespace_on_run_end: bool = True
    enable_cache: bool = False
    keep_raw_response: bool = False
    keys_to_ignore_for_hash_flow_config: tuple[str, ...] = ()
    keys_to_ignore_for_hash_flow_state: tuple[str, ...] = ()
    keys_to_ignore_for_hash_input_data: tuple[str, ...] = ()
    compat: Compat = Field(
        default="", description="aiflows-0.1: as aiflows does it, also where it is wrong"
    )


Interface = InterfaceConfig | tuple[str, ...] | None
