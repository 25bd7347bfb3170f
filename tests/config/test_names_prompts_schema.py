"""Registry, prompts and the JSON Schema where they succeed."""

import sys
from pathlib import Path

import jsonschema
import pytest
from pydantic import BaseModel, ConfigDict

from flows.config.prompts import load_prompt
from flows.config.registry import Preset, Registry
from flows.config.schema import json_schema_for
from flows.errors import ConfigError

TABLE = {("flow", "controller"): "json:JSONDecoder", ("tool", "ddg_search_run"): "json:loads"}


def test_registry_aliases_presets_and_trust() -> None:
    registry = Registry(
        TABLE,
        aliases={
            "aiflows.x.Controller": "controller",
            "flow_modules.aiflows.ControllerModule.": "controller",
            "langchain.tools.DuckDuckGoSearchRun": "ddg_search_run",
        },
        presets={("flow", "quick"): Preset("controller", {"n": 1})},
        trust=["json"],
    )
    decoder = registry.resolve("flow", "controller")
    for name in (
        "aiflows.x.Controller.instantiate_from_default_config",
        "flow_modules.aiflows.ControllerModule.Controller.instantiate_from_default_config",
        "json.decoder.JSONDecoder",
        "quick",
    ):
        assert registry.resolve("flow", name) is decoder
    assert registry.find("flow", "quick").values == {"n": 1}
    assert registry.names("flow") == ["controller", "quick"]


def test_registry_asks_installed_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop_flows.py").write_text("class Shop:\n    kind = 'tool'\nclass Clash: pass\n")
    info = tmp_path / "shop-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[flows.components]\nshop = shop_flows:Shop\ncontroller = shop_flows:Clash\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = Registry(TABLE)
    assert getattr(registry.resolve("tool", "shop"), "__name__", "") == "Shop"
    assert "shop" in registry.names("tool")
    with pytest.raises(ConfigError, match="analyst-flows and shop"):
        registry.resolve("flow", "controller")
    sys.modules.pop("shop_flows")


def test_prompts_render_values_as_text_and_the_users_file_wins(tmp_path: Path) -> None:
    text = (
        "{#- variables: goal, rows -#}\nReach {{ goal }}:{% for r in rows %} {{ r }}{% endfor %}\n"
    )
    for name, extra in {"mine": "", "own": "never"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "ask.system.j2").write_text(text + extra)
    prompt = load_prompt("ask.system", [tmp_path / "none", tmp_path / "mine", tmp_path / "own"])
    assert prompt.variables == {"goal", "rows"}
    assert prompt.source == tmp_path / "mine" / "ask.system.j2"
    assert len(prompt.digest) == 64
    assert prompt.render({"goal": "{{ rows }} <b>", "rows": [1, 2], "more": 3}) == (
        "Reach {{ rows }} <b>: 1 2"
    )


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    width: int


class Sql(BaseModel):
    model_config = ConfigDict(extra="forbid")
    max_rows: int
    inner: Inner | None = None


class Auto(BaseModel):
    model_config = ConfigDict(extra="forbid")
    max_rounds: int = 3
    subflows_config: dict[str, object] = {}


class Run(BaseModel):
    data: dict[str, str] = {}


SUBFLOWS = [
    ({"_target_": "sql"}, True),
    ({"max_rows": 3}, True),
    ("${other}", True),
    ({"_target_": "sql", "max_row": 3}, False),
    ({"_target_": "sql", "inner": {"width": "${a}"}}, True),
    ({"_target_": "sql", "inner": {"w": 1}}, False),
]


@pytest.mark.parametrize(
    ("file", "is_valid"),
    [
        ({"_target_": "auto", "max_rounds": 3, "data": {"a": "b.csv"}}, True),
        ({"_target_": "auto", "max_rounds": "${data.a}", "defaults": [{"model": "x"}]}, True),
        ({"_target_": "auto", "max_round": 3}, False),
        ({"_target_": "auto", "max_rounds": "many"}, False),
        ({"_target_": "nothing"}, False),
        *(({"_target_": "auto", "subflows_config": {"s": each}}, ok) for each, ok in SUBFLOWS),
    ],
)
def test_schema(file: dict[str, object], is_valid: bool) -> None:
    schema = json_schema_for({"auto": Auto, "sql": Sql}, Run)
    validator = jsonschema.Draft7Validator(schema)
    validator.check_schema(schema)
    assert validator.is_valid(file) is is_valid
