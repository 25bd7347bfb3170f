"""The flows that the conformance suite calls, as a user would write them."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from flows import AtomicFlow, Ports, Run
from flows.core.flow import Effect, Parts
from flows.core.human import Human, Question

# A red point, and a sixteenth of a second of silence.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
WAV = b"RIFF" + (36 + 8).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
WAV += b"\x01\x00\x01\x00" + (8000).to_bytes(4, "little") + (8000).to_bytes(4, "little")
WAV += b"\x01\x00\x08\x00data" + (8).to_bytes(4, "little") + b"\x80" * 8


def simple_text() -> str:
    """Says something."""
    return "This is a simple text response for testing."


def error_handling() -> str:
    """Fails."""
    raise ValueError("This tool intentionally returns an error for testing")


def simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


def with_arguments(arg1: Literal["testValue1", "testing"], arg2: str) -> str:
    """A prompt of two arguments.

    Args:
        arg1: One of two values.
        arg2: Any text.
    """
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def static_text() -> str:
    """A text that does not change."""
    return "This is the content of the static text resource."


def data_of(key: str) -> dict[str, Any]:
    """The data of a key."""
    return {"id": key, "templateTest": True, "data": f"Data for ID: {key}"}


def greet(name: str) -> str:
    """Greets."""
    return f"Hello, {name}!"


class Nothing(Ports):
    pass


class Said(Ports):
    text: str


class Picture(AtomicFlow):
    """Makes a picture."""

    Inputs: ClassVar[type[Ports]] = Nothing
    Outputs: ClassVar[type[Ports]] = Said

    async def run(self, inputs: Nothing, run: Run) -> Said:
        del inputs
        run.save("point", "png", PNG, "A red point", what="figure")
        return Said(text="Please analyze the image.")


class Sound(AtomicFlow):
    """Makes a sound."""

    Inputs: ClassVar[type[Ports]] = Nothing
    Outputs: ClassVar[type[Ports]] = Said

    async def run(self, inputs: Nothing, run: Run) -> Said:
        del inputs
        run.save("silence", "wav", WAV, "Silence")
        return Said(text="A sound.")


class DocumentInputs(Ports):
    resource_uri: str = Field(default="test://embedded-resource", alias="resourceUri")


class Document(AtomicFlow):
    """Makes a small document."""

    Inputs: ClassVar[type[Ports]] = DocumentInputs
    Outputs: ClassVar[type[Ports]] = Said

    async def run(self, inputs: DocumentInputs, run: Run) -> Said:
        run.save("note", "txt", f"Of {inputs.resource_uri}.".encode(), "A note")
        return Said(text="Please process the embedded resource.")


class Several(AtomicFlow):
    """Makes a picture and data."""

    Inputs: ClassVar[type[Ports]] = Nothing
    Outputs: ClassVar[type[Ports]] = Said

    async def run(self, inputs: Nothing, run: Run) -> Said:
        del inputs
        run.save("point", "png", PNG, "A red point", what="figure")
        run.save("data", "json", b'{"test": "data", "value": 123}', "Data")
        return Said(text="Multiple content types test:")


class Talks(AtomicFlow):
    """Says what it does while it works."""

    Inputs: ClassVar[type[Ports]] = Nothing
    Outputs: ClassVar[type[Ports]] = Said

    async def run(self, inputs: Nothing, run: Run) -> Said:
        del inputs
        for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await asyncio.sleep(0.05)
            run.notice(text)
        return Said(text="It has said what it did.")


class WaitInputs(Ports):
    seconds: float = 0.0
    label: str = ""


class Waits(AtomicFlow):
    """Waits."""

    Inputs: ClassVar[type[Ports]] = WaitInputs
    Outputs: ClassVar[type[Ports]] = Said

    async def run(self, inputs: WaitInputs, run: Run) -> Said:
        del run
        await asyncio.sleep(inputs.seconds)
        return Said(text=f"{inputs.label} waited {inputs.seconds} s")


class AskInputs(Ports):
    message: str = "Please tell"
    fields: dict[str, Any] = Field(default={})


class AskOutputs(Ports):
    said: str


class Asks(AtomicFlow):
    """Asks the person for the fields of a form."""

    needs: ClassVar[Mapping[str, str]] = {"human": "human"}
    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = AskInputs
    Outputs: ClassVar[type[Ports]] = AskOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.human: Human = parts.service("human", Human)  # type: ignore[type-abstract]

    async def run(self, inputs: AskInputs, run: Run) -> AskOutputs:
        schema = {"type": "object", "properties": inputs.fields, "required": list(inputs.fields)}
        question = Question(id=run.effect_key, text=inputs.message, answer_schema=schema)
        answer = await run.ask_person(self.human, question)
        return AskOutputs(said=json.dumps(json.loads(answer.text)) if answer.text else answer.kind)


class ContactInputs(Ports):
    """An address by which somebody is reached in the way that they prefer."""

    model_config = ConfigDict(
        json_schema_extra={
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                }
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {
                "properties": {"contactMethod": {"const": "phone"}},
                "required": ["contactMethod"],
            },
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
        }
    )

    name: str = ""
    contact_method: Literal["phone", "email"] = "phone"
    phone: str = ""
    email: str = ""


class Contact(AtomicFlow):
    """Tool with JSON Schema 2020-12 features."""

    Inputs: ClassVar[type[Ports]] = ContactInputs
    Outputs: ClassVar[type[Ports]] = Said

    async def run(self, inputs: ContactInputs, run: Run) -> Said:
        del run
        return Said(text=f"{inputs.name} is reached by {inputs.contact_method}.")


class RegionInputs(Ports):
    region: str = Field(default="", json_schema_extra={"x-mcp-header": "Region"})


class Region(AtomicFlow):
    """Says where it runs; a proxy may route it by the header of the region."""

    Inputs: ClassVar[type[Ports]] = RegionInputs
    Outputs: ClassVar[type[Ports]] = Said

    async def run(self, inputs: RegionInputs, run: Run) -> Said:
        del run
        return Said(text=f"It runs in {inputs.region or 'no region'}.")
