"""The chat with pictures of the FlowVerse."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows.core.chat import ImagePart
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Problem
from flows.core.pictures import MAX_BYTES, check_picture
from flows.core.run import Run
from flows.errors import PortError, StepError
from flows.library.aiflows.chat import Chat, ChatHistory, ChatModuleKeys, ChatModuleOutputs


class VisionConfig(ChatModuleKeys, AtomicConfig):
    """The keys of a `VisionAtomicFlow`."""


class VisionPicture(BaseModel):
    """A picture: an address, or a file whose path starts from the run file's folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Literal["url", "local_path"]
    image: str = Field(min_length=1)


class VisionData(BaseModel):
    """The input `data`, as a mapping or, from a command line, as JSON. A video is not taken: its
    frames can be given as pictures."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    images: tuple[VisionPicture, ...] = Field(default=(), max_length=20)
    video: None = None


class VisionOutputs(ChatModuleOutputs):
    """The model's answer, and the pictures that it was shown, as artifacts or addresses."""

    images: tuple[ImagePart, ...] = ()


class VisionFlow(AtomicFlow):
    """As the chat, with the pictures of its input `data` beside the message. A file becomes an
    artifact of the run, so that what the model saw can be looked at later."""

    needs: ClassVar[Mapping[str, str]] = {"backend": "model", "model": "model"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = VisionConfig
    Outputs: ClassVar[type[Ports]] = VisionOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = Chat(config, parts)
        self.model = self.chat.model
        self.base = parts.base
        self.set_inputs(self.chat.ports({"data": "any?"}))

    def prompts(self) -> Mapping[str, str]:
        return self.chat.texts()

    def key_problems(self) -> list[Problem]:
        return self.chat.problems()

    def initial_state(self) -> ChatHistory:
        return ChatHistory()

    def apply(self, state: ChatHistory, inputs: Any, outputs: VisionOutputs) -> ChatHistory:
        return self.chat.after(state, inputs.__dict__, outputs.api_output, outputs.images)

    async def run(self, inputs: Any, run: Run) -> VisionOutputs:
        values = inputs.__dict__
        images = await self._images(values.get("data"), run)

        async def ask() -> ChatModuleOutputs:
            request = self.chat.request(run.state, values, images=images)
            return ChatModuleOutputs(api_output=await self.chat.ask(request, run))

        answer = await self.chat.cached(ChatModuleOutputs, values, run, ask)
        return VisionOutputs(api_output=answer.api_output, images=images)

    async def _images(self, given: Any, run: Run) -> tuple[ImagePart, ...]:
        """The pictures of the input. Errors: `PortError`, `StepError`, `ModelRefused`."""
        if given is None:
            return ()
        try:
            is_text = isinstance(given, str)
            read = VisionData.model_validate_json if is_text else VisionData.model_validate
            data = read(given)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(each) for each in ("data", *first["loc"]))
            raise PortError(f"{self.name}: {where}: {first['msg']}") from error
        found = []
        for each in data.images:
            if each.type == "url":
                found.append(ImagePart(url=each.image))
                continue
            file = self.base / each.image
            content = await asyncio.to_thread(_content, file)
            kind = check_picture(each.image, content).removeprefix("image/")
            saved = run.save(file.stem, kind, content, f"the picture {each.image}", what="figure")
            found.append(ImagePart(artifact=saved.name))
        return tuple(found)


def _content(file: Path) -> bytes:
    """The bytes of a file. Errors: `StepError` for one that is too large or cannot be read."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise StepError(f"{file} is larger than {MAX_BYTES:,} bytes")
        return file.read_bytes()
    except OSError as error:
        raise StepError(f"the picture {file} cannot be read: {error.strerror}") from error
