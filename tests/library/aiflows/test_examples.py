"""The eight files that aiflows publishes, each run against a model that stands in for OpenAI's."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from flows.models.fake.server import FakeModel
from tests.cli.inside import inside
from tests.library.aiflows.published import EXAMPLES, FOLDER, Example, put, start
from tests.library.world import World, asked
from tests.pages import README, Page

pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.name)
def test_the_example_runs_as_it_is_written(
    world: World, server: FakeModel, example: Example
) -> None:
    put(world)
    result = start(world, example, server)
    assert result.outputs.items() >= example.outputs.items(), result.reason
    assert result.status == "finished"
    assert len(server.requests) == len(example.answers)
    if example.name == "demonstrations":
        assert [role for role, _ in asked(server)] == ["system", *["user", "assistant"] * 2, "user"]
    if example.name == "vision_qa":
        sent = server.requests[-1].body["messages"][-1]["content"]
        assert [part["type"] for part in sent] == ["text", "image_url"]
    if len(example.answers) == 2:  # the loops: the second request holds what the search said
        assert "did not answer" in asked(server)[-1][1]


@pytest.mark.long("three rounds of an agent, whose searches do not get through")
def test_the_commands_of_the_readme_run_without_a_key(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "autogpt.yaml", tmp_path / "AutoGPT.yaml")
    lines = [
        line.removeprefix("$ flows ")
        for block in Page(README).blocks
        for line in block.text.splitlines()
        if "AutoGPT.yaml" in line and line.startswith("$ flows ")
    ]
    assert [line.split()[0] for line in lines] == ["check", "run", "convert"]
    # nobody listens there, so that each search fails at once
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    env = {"PATH": "/usr/bin", "HOME": str(tmp_path), **nowhere}
    for line in lines:
        ended = inside(*shlex.split(line), cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
        if line.startswith("run"):
            assert "Finished" in ended.out + ended.err
            assert "Not answered" in ended.out
    assert (tmp_path / "mine.yaml").is_file()
