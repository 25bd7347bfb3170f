"""The keys that every flow of aiflows has."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, Field

from flows.config.no_effect import NoEffect
from flows.core.interface import InterfaceConfig

Compat = Literal["", "aiflows-0.1"]
NOT_CACHED: Final = NoEffect("nothing of this flow is kept for later calls")
_HASHED: Final = ("name", "description", "api_keys", "api_information", "private_keys")


class AiflowsKeys(BaseModel):
    """The keys of every flow of aiflows 0.1.7, with the defaults that they have there.

    In 0.1.7 the end of a call forgets nothing, and nothing reads `keep_raw_response`. `kept_as` is
    the class of a user's own composite that says `SUPPORTS_CACHING = True`, by its dotted name.
    """

    kept_as: ClassVar[str] = ""

    private_keys: tuple[str, ...] = Field(
        default=(), description="keys of its inputs and outputs that are shown nowhere"
    )
    clear_flow_namespace_on_run_end: Annotated[
        bool, NoEffect("the end of a call forgets nothing, as in aiflows 0.1.7, which only logs it")
    ] = True
    enable_cache: bool = Field(default=False, description="do not make the same call again")
    keep_raw_response: Annotated[
        bool, NoEffect("nothing reads it, in aiflows 0.1.7 neither; the journal has the replies")
    ] = False
    keys_to_ignore_for_hash_flow_config: tuple[str, ...] = _HASHED
    keys_to_ignore_for_hash_flow_state: tuple[str, ...] = _HASHED
    keys_to_ignore_for_hash_input_data: tuple[str, ...] = ()
    compat: Compat = Field(
        default="", description="aiflows-0.1: as aiflows does it, also where it is wrong"
    )


class UncachedKeys(AiflowsKeys):
    """The same of a flow none of whose calls is kept."""

    enable_cache: Annotated[bool, NOT_CACHED] = False
    keys_to_ignore_for_hash_flow_config: Annotated[tuple[str, ...], NOT_CACHED] = _HASHED
    keys_to_ignore_for_hash_flow_state: Annotated[tuple[str, ...], NOT_CACHED] = _HASHED
    keys_to_ignore_for_hash_input_data: Annotated[tuple[str, ...], NOT_CACHED] = ()


Interface = InterfaceConfig | tuple[str, ...] | None
