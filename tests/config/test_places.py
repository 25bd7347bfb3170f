"""The config groups of the project compose, each alone."""

from pathlib import Path

import pytest

from flows.config.compose import compose
from flows.config.places import project_configs
from flows.errors import ConfigError

OWN = project_configs() or Path("configs")
GROUPS = ("model", "memory", "human")
OPTIONS = sorted(file.relative_to(OWN) for group in GROUPS for file in (OWN / group).glob("*.yaml"))
NEEDS = {
    "model/langchain": "model",
    "model/llama": "path",
    "model/tiered": "then",
    "model/replay": "path",
    "model/record": "path",
    "human/scripted": "path",
}
TARGETS = {"human/terminal_continue": "human.terminal"}


def test_there_are_options_to_choose_from() -> None:
    assert {"model/offline.yaml", "memory/chroma.yaml", "human/never.yaml"} <= {
        file.as_posix() for file in OPTIONS
    }


@pytest.mark.parametrize("file", OPTIONS, ids=str)
def test_an_option_composes_and_asks_for_what_it_needs(file: Path, tmp_path: Path) -> None:
    group, option = file.parent.name, file.stem
    run = tmp_path / "run.yaml"
    run.write_text("name: x\n")
    needed = NEEDS.get(f"{group}/{option}")
    overrides = [f"{group}={option}"]
    if needed:
        with pytest.raises(ConfigError, match="a value must be given") as caught:
            compose(run, overrides)
        assert caught.value.path == f"{group}.{needed}"
        overrides.append(f"{group}.{needed}=given")
    values = compose(run, overrides).values[group]
    target = TARGETS.get(f"{group}/{option}", f"{group}.{option}")
    assert values["_target_"] == target
