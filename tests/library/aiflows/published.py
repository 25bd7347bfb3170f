"""Eight files in the shapes that aiflows 0.1.7 publishes, and a run of each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.core.result import RunResult
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.door import run
from tests.library.test_describe_image import PNG
from tests.library.world import World, decision

FOLDER = Path(__file__).parent / "examples"
MODULE = "reverse_digits"
_CODE = """
from aiflows.base_flows import AtomicFlow


class ReverseDigitsFlow(AtomicFlow):
    def run(self, input_data):
        return {"output_number": int(str(input_data["number"])[::-1])}
"""
_ANSWERS = (decision("wiki_search", search_term="tower"), decision("finish", answer="1892"))
_PICTURE = {"images": [{"type": "local_path", "image": "cat.png"}]}
# Nobody listens there, so that a search fails at once and outside of any network.
_NO_WIKI = "Executor.wiki_search.api_url=http://127.0.0.1:9/api.php"
_CLOSED = f"flow.{_NO_WIKI}"


@dataclass(frozen=True, slots=True)
class Example:
    """A file, what it is given, what the model answers, and what comes out."""

    name: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    answers: tuple[FakeAnswer, ...] = ()
    overrides: tuple[str, ...] = ()


_GOAL = {"id": 0, "goal": "When was the tower built?"}
EXAMPLES = (
    Example("simple_qa", {"id": 0, "question": "Where is the inn?"}, {"answer": "Here."},
            (FakeAnswer("Here."),)),
    Example("demonstrations", {"id": 0, "question": "Where is the inn?"},
            {"answer": "Here, with pleasure."}, (FakeAnswer("Here, with pleasure."),)),
    Example("vision_qa", {"id": 0, "question": "What is it?", "data": _PICTURE},
            {"answer": "A cat."}, (FakeAnswer("A cat."),)),
    Example("react", _GOAL, {"answer": "1892", "status": "finished"}, _ANSWERS, (_CLOSED,)),
    Example("autogpt", _GOAL, {"answer": "1892", "status": "finished"}, _ANSWERS,
            (_CLOSED, "human=never")),
    Example("react_with_feedback", _GOAL, {"answer": "1892", "status": "finished"}, _ANSWERS,
            (_NO_WIKI, "human=never")),
    Example("reverse_atomic", {"id": 0, "number": 120}, {"reversed_number": 21}),
    Example("reverse_sequential", {"id": 0, "number": 120}, {"output_number": 12}),
)  # fmt: skip


def put(world: World) -> None:
    """Lay the files, the class and the picture into the user's folder."""
    shutil.copytree(FOLDER, world.folder, dirs_exist_ok=True)
    world.write(f"{MODULE}.py", _CODE)
    (world.folder / "cat.png").write_bytes(PNG)


def start(world: World, example: Example, server: FakeModel, file: Path | None = None) -> RunResult:
    """A run of the example, or of the file that it was made into."""
    server.requests.clear()
    server.script(*example.answers)
    path = file or world.folder / f"{example.name}.yaml"
    with path.open("a", encoding="utf-8") as text:
        text.write(f"\ninputs: {json.dumps(example.inputs)}\n")
    return run(path, example.overrides, trust=(f"./{MODULE}.py",))
