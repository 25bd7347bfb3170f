"""Whether Python beside a run file may be run, and the flow that stands for it while it may not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, NoReturn

from pydantic import BaseModel, ConfigDict, create_model
from pydantic_core import from_json, to_json

from flows.build.consents import Consents
from flows.build.trust import Sending, Trust, asks_person, file_at, from_file, refusal
from flows.config.composition import Composed
from flows.config.outline import Outline, OutlineField
from flows.config.own_modules import OwnModule
from flows.config.registry import NameLookup
from flows.config.tree import TARGET
from flows.core.dataflow.facts import ANY
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.function import FunctionConfig
from flows.core.ports import ports_model
from flows.core.signature import Variant
from flows.errors import Place

_TYPES: Final = {"str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict}


@dataclass
class OwnCode:
    """Permits the modules beside a run file one by one; `sendings` are all that it was asked about.

    A yes is for the run file, the other files that its config comes from, the module and all that
    it imports from its folder, as they are now.
    """

    composed: Composed
    trust: Trust
    sendings: list[Sending] = field(default_factory=list)

    def __call__(self, module: OwnModule, asked: NameLookup) -> bool:
        """Whether it may be run. Errors: `UntrustedError`, where what may not is refused."""
        place = asked.place or Place("the config")
        others = [each for each in self.composed.sources if from_file(Place(str(each), 1))]
        file = file_at(place, self.composed.sources)
        sending = Sending(
            asked.path.removesuffix(TARGET).removesuffix("."),
            asked.name,
            module.name,
            "",
            place,
            file=file,
            kind="code",
            files=(*module.files, *(each for each in others if each.is_file() and each != file)),
            digest=module.digest,
        )
        sending = replace(sending, state=self.trust.state_of(sending, usual=False))
        self.sendings.append(sending)
        if sending.is_refused and self.trust.refuse:
            raise refusal(sending, asks=asks_person(self.composed.values))
        return not sending.is_refused


def signed_code(
    sendings: Sequence[Sending], consents: Consents, record: Mapping[str, object]
) -> list[tuple[str, str, str]]:
    """For each file beside the run file that was allowed: its path, its digest, and a signature by
    which this user's later processes know that it was allowed with the config of the record."""
    found = dict.fromkeys((each.address, each.digest) for each in sendings if each.kind == "code")
    return [(*each, consents.sign(_signed_text(each, record))) for each in found]


def recorded_code(start: Mapping[str, Any], consents: Consents) -> frozenset[tuple[str, str]]:
    """The files, each with its digest, that the start of a run says were allowed, and that are
    signed by this user. A run of somebody else brings no permission along."""
    return frozenset(
        (address, digest)
        for address, digest, signature in start.get("code", ())
        if consents.is_signed(_signed_text((address, digest), start), signature)
    )


def _signed_text(code: tuple[str, str], record: Mapping[str, object]) -> str:
    said = from_json(to_json([record[key] for key in ("spec", "secrets", "inputs")]))
    return json.dumps([code, said], sort_keys=True)


class OpenPorts(Ports):
    """Inputs of which nothing is known before the code runs."""

    model_config = ConfigDict(extra="allow")


class OpenConfig(AtomicConfig):
    """Keys of which nothing is known before the code runs."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)


class OutlineFlow(AtomicFlow):
    """In the place of a class or function that may not be run: its ports, as its text says them."""

    Config: ClassVar[type[FlowConfig]] = OpenConfig

    def __init__(self, config: Any, parts: Parts, outline: Outline) -> None:
        super().__init__(config, parts)
        self.label = config.description or outline.doc or outline.name
        self.given = None if outline.outputs is None else frozenset(outline.outputs)
        if outline.outputs is not None:
            given = {name: each.kind for name, each in outline.outputs.items()}
            self.outputs_type = ports_model(outline.name, given)
        if outline.inputs is None:
            self.set_inputs(OpenPorts)
        else:
            ports = {name: _kind(each) for name, each in outline.inputs.items()}
            self.set_inputs(ports_model(outline.name, ports))

    def output_names(self) -> frozenset[str]:
        return frozenset({ANY}) if self.given is None else self.given

    async def run(self, inputs: Any, run: Any) -> NoReturn:
        raise TypeError(f"{self.name} was never allowed to run: {inputs!r} at {run.address}")


def outline_flow(outline: Outline) -> Variant:
    """The flow that stands for the class or function of an outline."""
    return Variant(
        OutlineFlow, _config(outline), lambda config, parts: OutlineFlow(config, parts, outline)
    )


def _config(outline: Outline) -> type[FlowConfig]:
    if outline.is_function:
        return FunctionConfig
    if outline.keys is None:
        return OpenConfig
    made: type[FlowConfig] = create_model(
        outline.name, __base__=AtomicConfig, **_settings(outline.keys)
    )
    return made


def _settings(keys: Mapping[str, OutlineField]) -> dict[str, Any]:
    """The fields of a model of keys that a text says."""
    return {
        name: (_TYPES.get(each.kind, Any), ... if each.needed else None)
        for name, each in keys.items()
    }


def outlined_settings(outline: Outline) -> type[BaseModel] | None:
    """The settings of a transformation as its text says them; None where it does not."""
    if outline.keys is None:
        return None
    strict = ConfigDict(extra="forbid")
    return create_model(outline.name, __config__=strict, **_settings(outline.keys))


def _kind(port: OutlineField) -> str:
    return port.kind if port.needed else f"{port.kind}?"


def outlined_inputs(outline: Outline) -> Mapping[str, str]:
    """The inputs with their types, as `flows.build.input_names` has them."""
    keys = set(outline.keys or ()) | set(FunctionConfig.model_fields)
    return {
        name: each.kind if each.kind == "str" else "value"
        for name, each in (outline.inputs or {}).items()
        if name not in keys
    }
