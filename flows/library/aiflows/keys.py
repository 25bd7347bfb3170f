"""The keys that every flow of aiflows has."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from flows.config.no_effect import NoEffect
from flows.core.interface import InterfaceConfig

Compat = Literal["", "aiflows-0.1"]
_CACHE: Final = NoEffect("there is no cache of pickles: a run's journal keeps what was done")


class AiflowsKeys(BaseModel):
    """The keys of every flow of aiflows 0.1.7, with the defaults that they have there.

    Those of the cache, of the namespace and of private keys are taken and do nothing: a run's
    journal keeps what was done, and in 0.1.7 the end of a call forgets nothing either.
    """

    private_keys: Annotated[
        tuple[str, ...], NoEffect("secrets are hidden by the names of their keys")
    ] = Field(default=(), description="taken as it is written; secrets are hidden by their names")
    clear_flow_namespace_on_run_end: Annotated[
        bool, NoEffect("the end of a call forgets nothing, as in aiflows 0.1.7, which only logs it")
    ] = True
    enable_cache: Annotated[bool, _CACHE] = False
    keep_raw_response: Annotated[bool, NoEffect("the journal holds the replies of models")] = False
    keys_to_ignore_for_hash_flow_config: Annotated[tuple[str, ...], _CACHE] = ()
    keys_to_ignore_for_hash_flow_state: Annotated[tuple[str, ...], _CACHE] = ()
    keys_to_ignore_for_hash_input_data: Annotated[tuple[str, ...], _CACHE] = ()
    compat: Compat = Field(
        default="", description="aiflows-0.1: as aiflows does it, also where it is wrong"
    )


Interface = InterfaceConfig | tuple[str, ...] | None
