"""Pictures that are shown to a model: which may be, what is sent, and what is told of it."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from pathlib import Path

import pytest

from flows.core.chat import ChatRequest, ImagePart, Message
from flows.core.flow import AtomicFlow, Ports
from flows.core.limits import TOKENS_OF_PICTURE
from flows.core.pictures import MAX_BYTES, MAX_PICTURES, media_type_of, with_pictures
from flows.core.run import Run
from flows.errors import JournalError, ModelRefused
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.models.openai import OpenAIModel
from tests.library.world import World

RUN = "name: Look\n_target_: describe_image\nmodel: {_target_: MODEL}\nfolder: shoes\n"
OPENAI = "model.openai, model: small"
LANGCHAIN = "model.langchain, model: 'openai:small', api_key: unused"


def png(width: int = 2, height: int = 2) -> bytes:
    """A picture of one color."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\x80\x20\x20" * width) * height
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


PNG = png()


class DrawnFigure(Ports):
    image: str


class DrawFigure(AtomicFlow):
    """Keeps a figure as a page, with a PNG beside it."""

    Outputs = DrawnFigure

    async def run(self, inputs: Ports, run: Run) -> DrawnFigure:
        del inputs
        forms = {"png": PNG}
        saved = run.save("chart", "html", b"<html>", "a chart", what="figure", forms=forms)
        return DrawnFigure(image=saved.name)


@pytest.fixture(name="shoes")
def _shoes(world: World) -> Path:
    folder = world.folder / "shoes"
    folder.mkdir()
    (folder / "boot.png").write_bytes(PNG)
    return folder


def look(world: World, image: str, kind: str = OPENAI, *overrides: str, question: str = "") -> str:
    result = world.run(
        RUN.replace("MODEL", kind), *overrides, inputs={"image": image, "question": question}
    )
    assert result.status == "finished", result.reason
    return str(result.outputs["observation"].text)


def refusal(world: World, image: str, kind: str = OPENAI, *overrides: str) -> str:
    result = world.run(RUN.replace("MODEL", kind), *overrides, inputs={"image": image})
    assert result.status == "failed"
    return result.reason


@pytest.mark.parametrize("kind", [OPENAI, LANGCHAIN])
@pytest.mark.usefixtures("shoes")
def test_a_file_of_the_folder_is_kept_and_shown(world: World, server: FakeModel, kind: str) -> None:
    server.script(FakeAnswer("A red boot."))
    overrides = (f"model.base_url={server.base_url}",) if kind is LANGCHAIN else ()
    told = look(world, "boot.png", kind, *overrides, question="Which color?")
    assert told.startswith("A red boot.\n(picture: boot-")
    text, picture = server.requests[0].body["messages"][0]["content"]
    assert text["text"].startswith("Which color?")
    url = picture["image_url"]["url"]
    assert url == f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    [kept] = (world.folder / "runs").glob("*/artifacts/boot-*.png")
    assert kept.read_bytes() == PNG
    journal = b"".join(each.read_bytes() for each in (world.folder / "runs").glob("*/journal*"))
    assert base64.b64encode(PNG) not in journal


def test_a_figure_of_the_run_is_shown_in_its_form_as_a_picture(
    world: World, server: FakeModel
) -> None:
    """A page of plotly has a PNG beside it."""
    server.script(FakeAnswer("A chart."))
    result = world.run(
        "name: Both\n_target_: sequential\noutput_interface: [observation]\n"
        f"model: {{_target_: {OPENAI}}}\n"
        "subflows_config:\n  draw: {_target_: tests.library.test_describe_image.DrawFigure}\n"
        "  look: {_target_: describe_image}\n"
        "topology: [{goal: Draw, flow: draw}, {goal: Look, flow: look}]\n",
        inputs={},
    )
    assert result.status == "finished", result.reason
    url = server.requests[0].body["messages"][0]["content"][1]["image_url"]["url"]
    assert url == f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


@pytest.mark.usefixtures("server")
def test_which_pictures_may_be_shown(world: World, shoes: Path) -> None:
    (world.folder / "secret.png").write_bytes(PNG)
    (shoes / "link.png").symlink_to(world.folder / "secret.png")
    (shoes / "page.png").write_bytes(b"<html>")
    (shoes / "large.png").write_bytes(PNG + bytes(MAX_BYTES))
    refused = {
        "../secret.png": "is not in the folder",
        str(world.folder / "secret.png"): "is not in the folder",
        "link.png": "cannot be read",
        "page.png": "is no picture that a model takes; it takes png, jpeg, gif, webp",
        "large.png": "is larger than",
        "bot.png": "did you mean 'boot.png'?",
        "https://example.org/a.png": "is an address",
    }
    for name, said in refused.items():
        assert said in refusal(world, name), name


@pytest.mark.usefixtures("shoes")
def test_an_address_goes_to_the_provider_if_it_may(world: World, server: FakeModel) -> None:
    server.script(FakeAnswer("A boot."))
    told = look(world, "https://example.org/a.png", OPENAI, "addresses=true")
    assert told == "A boot.\n(picture: https://example.org/a.png)"
    sent = server.requests[0].body["messages"][0]["content"][1]["image_url"]
    assert sent == {"url": "https://example.org/a.png"}
    assert "http://" in refusal(world, "file:///etc/passwd", OPENAI, "addresses=true")


@pytest.mark.usefixtures("shoes")
def test_who_sees_no_pictures_says_so(world: World, server: FakeModel) -> None:
    told = refusal(world, "boot.png", "model.offline")
    assert "it needs a model that sees, as in model=openai" in told
    words = {
        "Model does not support images. Please use a model that does.": 400,
        "Invalid content type. image_url is only supported by certain models.": 400,
        "image input is not supported - hint: you may need to provide the mmproj": 500,
    }
    for said, status in words.items():
        server.script(FakeAnswer(status=status, body={"error": {"message": said}}))
        told = refusal(world, "boot.png")
        assert "small does not take the pictures" in told
        assert said in told


@pytest.mark.usefixtures("shoes")
def test_a_picture_counts_in_the_budget(world: World, server: FakeModel) -> None:
    result = world.run(
        RUN.replace("MODEL", OPENAI) + f"limits: {{tokens: {TOKENS_OF_PICTURE}}}\n",
        inputs={"image": "boot.png"},
    )
    assert result.status == "unfinished"
    assert not server.requests


def test_kinds_by_content() -> None:
    kinds = {
        PNG: "image/png",
        b"\xff\xd8\xff\xe0": "image/jpeg",
        b"GIF89a": "image/gif",
        b"RIFF\0\0\0\0WEBPVP8 ": "image/webp",
        b"<svg/>": None,
        b"": None,
    }
    assert {content: media_type_of(content) for content in kinds} == kinds


def request(*images: ImagePart) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", content="", images=images),))


def missing(name: str) -> bytes:
    raise JournalError(f"this run has no artifact {name!r}")


def test_limits_of_a_request() -> None:
    large = PNG + bytes(MAX_BYTES - len(PNG))
    cases = [
        ((ImagePart(artifact="a"),) * (MAX_PICTURES + 1), lambda _: PNG, "more than the 20"),
        ((ImagePart(artifact="a"),), lambda _: PNG + bytes(MAX_BYTES), "10,000,000 are allowed"),
        ((ImagePart(artifact="a"),) * 4, lambda _: large, "30,000,000 are allowed"),
        ((ImagePart(artifact="a"),), lambda _: b"%PDF", "is no picture"),
        ((ImagePart(artifact="a"),), missing, "no artifact 'a'"),
        ((ImagePart(),), missing, "as an artifact of the run or as an address"),
        ((ImagePart(artifact="a", url="https://b"),), missing, "as an artifact of the run or"),
        ((ImagePart(url="data:image/png;base64,AA"),), missing, "http:// or https://"),
    ]
    for images, read, said in cases:
        with pytest.raises(ModelRefused, match=said):
            with_pictures(request(*images), read)
    assert with_pictures(request(), missing) == request()
    found = with_pictures(request(ImagePart(artifact="a")), lambda _: PNG)
    model = OpenAIModel(OpenAIModel.Config(model="m"))
    assert json.loads(model.body(found))["messages"][0]["content"][0]["type"] == "image_url"
    with pytest.raises(ModelRefused, match="not at hand"):
        model.body(request(ImagePart(artifact="a")))
