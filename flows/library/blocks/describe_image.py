"""What a picture shows, by a model that sees."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import ClassVar, Final

from pydantic import Field

from flows.config.prompts import load_prompt
from flows.core.artifacts import open_file
from flows.core.chat import CUTS, ChatModel, ChatRequest, ImagePart, Message
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Service
from flows.core.observation import Observation
from flows.core.pictures import MAX_BYTES, check_picture
from flows.core.run import Run
from flows.errors import ModelRefused, StepError, nearest
from flows.library.blocks.chat import PROMPTS
from flows.models.offline import OfflineModel

ROLE: Final = "describe_image"
_MOST_LISTED: Final = 1_000
_SHOWN: Final = 5


class DescribeImageConfig(AtomicConfig):
    """The keys of a flow that describes pictures."""

    description: str = "Says what a picture shows, or answers a question about it."
    model: Service | None = Field(default=None, description="its own model; the run's without it")
    folder: Path | None = Field(
        default=None, description="whose pictures may be described too, beside those of the run"
    )
    addresses: bool = Field(
        default=False, description="whether a picture may be an address, which the provider gets"
    )
    human_prompt: str = Field(default="describe_image.human.j2", description="its prompt")
    max_tokens: int | None = Field(default=None, ge=1)


class DescribeImageInputs(Ports):
    image: str = Field(
        min_length=1, description="a picture: an artifact of the run, or a file of the folder"
    )
    question: str = Field(default="", description="what is asked about it; all of it without one")


class DescribeImageOutputs(Ports):
    observation: Observation


class DescribeImageFlow(AtomicFlow):
    """Shows a picture to the model. What it replies is text of a model: nothing computes with it.

    A file of the folder becomes an artifact of the run, so that what the model saw can be looked at
    later. Nothing is described where the model sees no pictures: it says so.
    """

    needs: ClassVar[Mapping[str, str]] = {"model": "model"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = DescribeImageConfig
    Inputs: ClassVar[type[Ports]] = DescribeImageInputs
    Outputs: ClassVar[type[Ports]] = DescribeImageOutputs

    def __init__(self, config: DescribeImageConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.model: ChatModel = parts.service("model", ChatModel)  # type: ignore[type-abstract]
        self.prompt = load_prompt(config.human_prompt, (*parts.prompt_folders, PROMPTS))
        self.lacks = "a model that sees" if isinstance(self.model, OfflineModel) else ""

    def prompts(self) -> Mapping[str, str]:
        return {self.prompt.source.name: self.prompt.text}

    async def run(self, inputs: DescribeImageInputs, run: Run) -> DescribeImageOutputs:
        if self.lacks:
            raise ModelRefused(
                f"nobody can describe {inputs.image}: it needs {self.lacks}, as in model=openai"
            )
        image = await self._image(inputs.image.strip(), run)
        text = self.prompt.render({"question": inputs.question.strip()})
        request = ChatRequest(
            messages=(Message(role="user", content=text, images=(image,)),),
            role=ROLE,
            inputs={"image": image.artifact or image.url, "question": inputs.question},
            max_tokens=self.config.max_tokens,
        )
        reply = await run.ask_model(self.model, request)
        if reply.finish != "stop":
            run.notice(f"The model's reply {CUTS[reply.finish]}.")
        seen = image.artifact or image.url
        observation = Observation(kind="ok", text=f"{reply.text}\n(picture: {seen})")
        return DescribeImageOutputs(observation=observation)

    async def _image(self, name: str, run: Run) -> ImagePart:
        """The picture of that name. Errors: `StepError` with the names that there are."""
        config: DescribeImageConfig = self.config
        if "://" in name:
            if config.addresses:
                return ImagePart(url=name)
            raise StepError(f"{name} is an address, and only files are shown to the model")
        known = [each.name for each in run.session.artifacts.all()]
        if name in known:
            return ImagePart(artifact=name)
        if config.folder is not None:
            folder = config.folder.expanduser().absolute()
            content = await asyncio.to_thread(_file_content, folder, name)
            if content is not None:
                kind = check_picture(name, content).removeprefix("image/")
                told = f"the picture {name}"
                saved = run.save(PurePath(name).stem, kind, content, told, what="figure")
                return ImagePart(artifact=saved.name)
            known += await asyncio.to_thread(_names, folder)
        raise StepError(_unknown(name, known))


def _file_content(folder: Path, name: str) -> bytes | None:
    """The content of a file of the folder; None if there is none of that name.

    Links are not followed and pipes not waited for. Errors: `StepError` for one that is too large
    or cannot be read.
    """
    try:
        with open_file(folder, name) as opened:
            if os.fstat(opened.fileno()).st_size > MAX_BYTES:
                raise StepError(f"{name} is larger than {MAX_BYTES:,} bytes")
            return opened.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise StepError(f"{name} cannot be read: {error}") from error


def _names(folder: Path) -> list[str]:
    """The names of files directly in the folder."""
    try:
        with os.scandir(folder) as entries:
            return sorted(each.name for each, _ in zip(entries, range(_MOST_LISTED), strict=False)
                          if stat.S_ISREG(each.stat(follow_symlinks=False).st_mode))  # fmt: skip
    except OSError as error:
        raise StepError(f"the folder {folder} cannot be read: {error.strerror}") from error


def _unknown(name: str, known: list[str]) -> str:
    if not known:
        return f"there is no picture {name!r}: the run has made none, and no folder is given"
    meant = nearest(name, known)
    hint = f"; did you mean {meant!r}?" if meant else ""
    more = ", ..." if len(known) > _SHOWN else ""
    return f"there is no picture {name!r}{hint} (there are: {', '.join(known[:_SHOWN])}{more})"
