"""Composition: defaults lists, groups, short paths, swaps, inputs, origins, nothing left behind."""

import logging
import threading
import time
from pathlib import Path

import pytest
from hydra.core.global_hydra import GlobalHydra
from hydra.version import VersionBase

from flows.config.class_defaults import ClassDefaults, DefaultPart
from flows.config.compose import compose
from flows.config.composition import Composed
from flows.config.groups import hydra_rules
from flows.config.limits import ConfigLimits
from flows.config.secret import EnvSecret, resolve_secret
from flows.errors import ConfigError

DEMO = """\
# A file of the size of a real one.
defaults:
  - model: offline
  - memory: chroma
  - _self_
name: AutoGPT
_target_: autogpt
max_rounds: 30
input_interface: {goal: str, price: "float?"}
half: ${max_rounds}
data: {people: people.csv}
memory: {n_results: 5}
inputs: {goal: "How many?"}
subflows_config:
  Memory: {_target_: memory.chroma, n_results: "${memory.n_results}"}
  Controller:
    _target_: controller
    commands:
      sql: {description: "Ask the tables.", input_args: [question]}
      finish: {description: Ends., input_args: [answer]}
  Executor:
    _target_: branching
    subflows_config:
      sql: {_target_: analyst.sql, max_rows: 200}
      wiki_search: {_target_: tools.wikipedia}
      ddg_search: {_target_: tools.langchain, backend: {_target_: ddg_search_run}}
  HumanFeedback: {_target_: human.feedback}
topology:
  - {goal: Recall, flow: Memory, reset: false}
  - {goal: Decide, flow: Controller, reset: true}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "my run v1.2.yaml": DEMO,
        "groups/model/offline.yaml": "_target_: model.offline\n",
        "groups/model/openai.yaml": "_target_: model.openai\napi_key: ${env:FLOWS_TEST_KEY}\n",
        "groups/memory/chroma.yaml": "_target_: memory.chroma\nn_results: 3\nfolder: .memory\n",
        "groups/executor/small.yaml": "_target_: branching\nsubflows_config:\n"
        "  sql: {_target_: analyst.sql}\n",
        "configs/model/offline.yaml": "_target_: model.offline\nseed: 7\n",
        "data/people.csv": "name\nx\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def composed(*overrides: str, **names: tuple[str, ...]) -> Composed:
    return compose(Path("my run v1.2.yaml"), overrides, configs=Path("groups"), **names)  # type: ignore[arg-type]  # known and inputs only


def value(result: Composed, dotted: str) -> object:
    found: object = result.values
    for segment in dotted.split("."):
        found = found[int(segment)] if isinstance(found, list) else found[segment]  # type: ignore[index]  # a path that is there
    return found


QUESTION = "How many people, on average, live (in 2007)?"
EXECUTOR = "subflows_config.Executor"


@pytest.mark.usefixtures("folder")
class TestOverrides:
    @pytest.mark.parametrize(
        ("override", "path", "expected"),
        [
            ("Executor.sql.max_rows=50", f"{EXECUTOR}.subflows_config.sql.max_rows", 50),
            ("max_rounds=3", "half", 3),
            ("data.sales=sales.csv", "data.sales", "sales.csv"),
            ("topology.0.reset=true", "topology.0.reset", True),
            ("Controller.temperature=0.5", "subflows_config.Controller.temperature", 0.5),
            (
                "HumanFeedback=human.never",
                "subflows_config.HumanFeedback",
                {"_target_": "human.never"},
            ),
            (
                "HumanFeedback={_target_: human.never}",
                "subflows_config.HumanFeedback",
                {"_target_": "human.never"},
            ),
            ("memory={n_results: 9}", "memory.folder", ".memory"),
            ("Executor.sql=duckdb", f"{EXECUTOR}.subflows_config.sql", {"_target_": "duckdb"}),
            (
                "Executor=small",
                EXECUTOR,
                {"_target_": "branching", "subflows_config": {"sql": {"_target_": "analyst.sql"}}},
            ),
            (
                "Controller.model=openai",
                "subflows_config.Controller.model._target_",
                "model.openai",
            ),
            (
                "Controller.model=model.offline",
                "subflows_config.Controller.model",
                {"_target_": "model.offline"},
            ),
            ("Controller.model=gpt-x", "subflows_config.Controller.model", "gpt-x"),
            (
                "Executor.chart={_target_: chart}",
                f"{EXECUTOR}.subflows_config.chart",
                {"_target_": "chart"},
            ),
            ("executor=small", "executor._target_", "branching"),
            ("model=openai", "model._target_", "model.openai"),
            ("+model@extra=openai", "extra._target_", "model.openai"),
            ("+notes.a.b=1", "notes.a.b", 1),
            ("name=a, b", "name", "a, b"),
            ("name='a, b'", "name", "a, b"),
            ("name=http://h/?q=1&b=[2", "name", "http://h/?q=1&b=[2"),
            ("goal=" + QUESTION, "inputs.goal", QUESTION),
            ("goal=2007", "inputs.goal", "2007"),
            ("goal='2007'", "inputs.goal", "2007"),
            (
                "goal=${max_rounds} and ${oc.env:HOME}",
                "inputs.goal",
                "${max_rounds} and ${oc.env:HOME}",
            ),
            ("goal=???", "inputs.goal", "???"),
            ("inputs.goal=7", "inputs.goal", "7"),
            ("price=2.5", "inputs.price", 2.5),
        ],
    )
    def test_sets(self, override: str, path: str, expected: object) -> None:
        result = composed(override)
        assert value(result, path) == expected

    def test_deletes_through_a_short_path(self) -> None:
        assert list(value(composed("~Executor.ddg_search"), f"{EXECUTOR}.subflows_config")) == [  # type: ignore[call-overload]  # a mapping
            "sql",
            "wiki_search",
        ]
        assert "model" not in composed("~model").values

    def test_a_known_name_at_the_top_is_not_an_input(self) -> None:
        assert composed("limits.rounds=3", known=("limits",)).values["limits"] == {"rounds": 3}
        assert composed("topic=x", inputs=("topic",)).values["inputs"]["topic"] == "x"

    def test_the_last_override_wins_and_is_the_origin(self) -> None:
        result = composed("max_rounds=3", "max_rounds=4")
        assert result.values["half"] == 4
        assert str(result.place(("max_rounds",))) == "command line, override 2 (max_rounds=4)"


@pytest.mark.usefixtures("folder")
class TestComposition:
    def test_the_run_files_folder_wins_over_the_projects(self) -> None:
        assert composed().values["model"] == {"_target_": "model.offline", "seed": 7}

    def test_later_items_of_the_defaults_list_win(self) -> None:
        assert composed().values["memory"] == {
            "_target_": "memory.chroma",
            "n_results": 5,
            "folder": ".memory",
        }

    def test_places(self) -> None:
        result = composed("Controller.model=openai")
        assert str(result.place(("memory", "n_results"))) == "my run v1.2.yaml:12:21"
        assert str(result.key_place(("memory", "n_results"))) == "my run v1.2.yaml:12:10"
        assert str(result.place(("memory", "folder"))) == "groups/memory/chroma.yaml:3:9"
        path = ("subflows_config", "Controller", "model", "api_key")
        assert str(result.place(path)) == "groups/model/openai.yaml:2:10"
        assert str(result.place(("topology", 1, "flow"))) == "my run v1.2.yaml:30:26"

    def test_origins_hide_secrets(self) -> None:
        lines = composed("model=openai", "data.db=postgres://me:pw@host/x", "model.token=t0p")
        shown = {path: shown for path, shown, _ in lines.origins()}
        assert shown["model.api_key"] == "*** (${env:FLOWS_TEST_KEY})"
        assert shown["data.db"] == "postgres://me:***@host/x"
        assert shown["model.token"] == "***"
        assert "t0p" not in str(lines.origins())

    def test_a_secret_stays_a_name_until_it_is_asked_for(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FLOWS_TEST_KEY", "sk-1")
        key = composed("model=openai").values["model"]["api_key"]
        assert isinstance(key, EnvSecret)
        assert key == "${env:FLOWS_TEST_KEY}"
        assert resolve_secret(key) == "sk-1"
        assert resolve_secret("plain") == "plain"
        assert "sk-1" not in str(composed("model=openai"))

    def test_default_files_lie_under_everything(self, folder: Path) -> None:
        base = folder / "autogpt.yaml"
        base.write_text("max_rounds: 5\nextra: 1\nsubflows_config:\n  More: {_target_: more}\n")
        result = compose(
            folder / "my run v1.2.yaml",
            ["More.x=2", "~Executor"],
            configs=folder / "groups",
            default_files=lambda target: ClassDefaults(
                (DefaultPart(base),) if target == "autogpt" else ()
            ),
        )
        assert result.values["max_rounds"] == 30
        assert result.values["extra"] == 1
        assert value(result, "subflows_config.More") == {"_target_": "more", "x": 2}
        assert "Executor" not in result.values["subflows_config"]
        assert str(result.place(("extra",))) == "autogpt.yaml:2:8"

    def test_interpolations_keep_types_and_escapes(self, tmp_path: Path) -> None:
        file = tmp_path / "x.yaml"
        file.write_text(
            "a: 1\nb: ${a}\nc: x${a}\nd: \\${a}\ne: {f: ${.g}, g: [7, 8]}\nh: ${e.f[1]}\n".replace(
                "${.g}", "'${.g}'"
            )
        )
        values = compose(file).values
        assert values == {
            "a": 1,
            "b": 1,
            "c": "x1",
            "d": "${a}",
            "e": {"f": [7, 8], "g": [7, 8]},
            "h": 8,
        }


@pytest.mark.usefixtures("folder")
class TestComposedAgain:
    """A file that changes is read again, however often the others were composed."""

    def test_what_a_file_includes_may_change(self, folder: Path) -> None:
        assert value(composed(), "memory.n_results") == 5
        included = folder / "groups/memory/chroma.yaml"
        included.write_text("defaults: [extra, _self_]\n" + included.read_text())
        extra = folder / "groups/memory/extra.yaml"
        extra.write_text("distance: 1\n")
        assert value(composed(), "memory.distance") == 1
        extra.write_text("# @package notes\ndistance: 2\n")
        found = composed()
        assert value(found, "notes.distance") == 2
        assert Path("groups/memory/extra.yaml") in found.sources
        assert "distance" not in found.values["memory"]
        extra.unlink()
        with pytest.raises(ConfigError, match="no option 'extra'"):
            composed()

    def test_a_nearer_file_takes_the_place_of_another(self, folder: Path) -> None:
        assert "near" not in composed().values["memory"]
        near = folder / "configs/memory/chroma.yaml"
        near.parent.mkdir()
        near.write_text("defaults: [/model@near: offline, _self_]\n")
        assert value(composed(), "memory.near.seed") == 7

    def test_a_group_is_one_as_soon_as_it_has_a_file(self, folder: Path) -> None:
        assert value(composed("+speaker=loud"), "speaker") == "loud"
        (folder / "groups/speaker").mkdir()
        (folder / "groups/speaker/loud.yaml").write_text("volume: 11\n")
        assert value(composed("+speaker=loud"), "speaker.volume") == 11
        assert "speaker" not in composed().values

    def test_the_limit_of_files_holds_each_time(self) -> None:
        for _ in range(2):
            assert value(limited(12), "max_rounds") == 30
            with pytest.raises(ConfigError, match="more than 2 files"):
                limited(2)


def limited(files: int) -> Composed:
    limits = ConfigLimits(files=files)
    return compose(Path("my run v1.2.yaml"), (), configs=Path("groups"), limits=limits)


@pytest.mark.usefixtures("folder")
class TestNothingIsLeftBehind:
    def test_no_global_of_hydra_and_no_file(self, folder: Path) -> None:
        before = sorted(folder.rglob("*"))
        version = VersionBase.instance().getbase()
        handlers = list(logging.getLogger().handlers)
        composed("model=openai")
        with pytest.raises(ConfigError):
            composed("model=nothing")
        assert not GlobalHydra.instance().is_initialized()
        assert VersionBase.instance().getbase() is version
        assert logging.getLogger().handlers == handlers
        assert sorted(folder.rglob("*")) == before

    def test_from_several_threads(self) -> None:
        results: list[int] = []

        def work(number: int) -> None:
            results.append(composed(f"max_rounds={number}").values["half"])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == list(range(8))

    def test_is_fast(self) -> None:
        overrides = ["model=openai", "Executor.sql.max_rows=50", "goal=How many, in 2007?"]
        composed(*overrides)
        times = []
        for _ in range(5):
            start = time.process_time()
            composed(*overrides)
            times.append(time.process_time() - start)
        assert min(times) < 0.1

    def test_the_rules_are_put_back_after_an_error(self) -> None:
        before = VersionBase.instance().getbase()
        with pytest.raises(ZeroDivisionError), hydra_rules():
            raise ZeroDivisionError
        assert VersionBase.instance().getbase() is before
