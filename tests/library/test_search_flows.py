"""Looking things up: Wikipedia and LangChain tools, against servers and tools of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows.build.builder import build
from flows.errors import ConfigError
from flows.library.autogpt.executor import arguments_of
from flows.models.fake.server import FakeModel
from tests.library.world import World, asked, decision
from tests.servers.wiki_server import Article, WikiServer

ARTICLES = {
    "Barley": Article("Barley is a cereal.\n\nIt is malted."),
    "Barley wine": Article("A strong ale of barley."),
    "Rye bread": Article("Made of rye."),
}
TOOL = "+Executor.own={_target_: tools.langchain, backend: {_target_: tests.library.tools.NAME}}"


@pytest.fixture(name="wiki")
def _wiki() -> Iterator[WikiServer]:
    with WikiServer(ARTICLES) as running:
        yield running


def look_up(world: World, wiki: WikiServer, term: str, *overrides: str) -> tuple[str, str]:
    text = f"name: Wiki\n_target_: tools.wikipedia\napi_url: {wiki.api_url}\n"
    result = world.run(text, *overrides, inputs={"search_term": term})
    observation = result.outputs["observation"]
    return observation.kind, observation.text


def test_a_page(world: World, wiki: WikiServer) -> None:
    kind, text = look_up(world, wiki, "Barley")
    assert kind == "ok"
    assert text.startswith("Barley\n")
    assert "It is malted." in text


def test_similar_titles_when_there_is_none(world: World, wiki: WikiServer) -> None:
    kind, text = look_up(world, wiki, "bread of rye")
    assert (kind, text) == (
        "empty",
        "No page is called 'bread of rye'. Similar titles: Rye bread; Barley wine",
    )
    assert "Barley wine" not in look_up(world, wiki, "bread of rye", "+top_k_results=1")[1]


def test_its_settings(world: World, wiki: WikiServer) -> None:
    ARTICLES["Long"] = Article("word " * 500)
    assert len(look_up(world, wiki, "Long", "+doc_content_chars_max=100")[1]) < 250


@pytest.mark.long("whole runs of a flow")
def test_in_the_loop(world: World, server: FakeModel, wiki: WikiServer) -> None:
    server.script(
        decision("wiki_search", search_term="Barley"), decision("finish", answer="A cereal.")
    )
    result = world.auto("model=openai", f"+Executor.wiki_search.api_url={wiki.api_url}")
    assert result.status == "finished"
    shown = asked(server, 1)[-1][1]
    assert "> Barley is a cereal.\n> \n> It is malted." in shown


@pytest.mark.long("whole runs of a flow")
def test_no_network_is_said_at_once(world: World, server: FakeModel) -> None:
    server.script(
        decision("wiki_search", search_term="Barley"), decision("finish", answer="I do not know.")
    )
    result = world.auto(
        "model=openai", "+Executor.wiki_search.api_url=http://127.0.0.1:9/w/api.php"
    )
    assert world.observations() == [
        ("error", "wiki_search failed: 127.0.0.1 refuses the connection")
    ]
    assert result.status == "degraded"
    assert result.seconds < 10


@pytest.mark.parametrize(
    ("setting", "path"),
    [
        ("+Executor.wiki_search.lang='../x'", "wiki_search.lang"),
        ("+Executor.wiki_search.api_url=ftp://x", "wiki_search.api_url"),
        ("+Executor.wiki_search.top_k_results=0", "wiki_search.top_k_results"),
        ("+Executor.wiki_search.langs=de", "wiki_search.langs"),
        ("+Executor.ddg_search.backend.max_results=0", "ddg_search.backend.max_results"),
        ("+Executor.ddg_search.backend.regio=x", "ddg_search.backend.regio"),
        ("Executor.ddg_search.backend={_target_: ddg_serch_run}", "ddg_search.backend._target_"),
        ("Executor.ddg_search.effect=twice", "ddg_search.effect"),
        ("~Executor.ddg_search.backend", "ddg_search"),
    ],
)
def test_wrong_settings_are_config_errors(world: World, setting: str, path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        world.auto(setting)
    assert path in str(caught.value)


def test_aiflows_name_of_duckduckgo(world: World) -> None:
    text = (
        "name: Search\n_target_: flow_modules.aiflows.LCToolFlowModule.LCToolFlow\n"
        "backend: {_target_: langchain.tools.DuckDuckGoSearchRun, max_results: 2}\n"
    )
    plan, _ = build(world.write("my.yaml", text))
    [argument] = arguments_of(plan.flow)
    assert (argument.name, argument.type, argument.required) == ("query", "string", True)
    assert plan.flow.label  # the tool's own description


@pytest.mark.long("whole runs of a flow")
def test_a_tool_of_ones_own(world: World, server: FakeModel) -> None:
    server.script(
        decision("own", crop="rye", years=[1999, 2001], unit="bushel"),
        decision("finish", answer="Done."),
    )
    result = world.auto("model=openai", TOOL.replace("NAME", "Harvest"))
    assert world.observations() == [("ok", "rye in bushel: 1999, 2001")]
    assert result.status == "finished"
    told = asked(server)[0][1]
    assert '- "own": Looks up a harvest.' in told
    assert '"crop" (string): which crop' in told
    assert '"years" (list of integer)' in told
    assert '"unit" (one of ton, bushel, optional)' in told


@pytest.mark.long("whole runs of a flow")
def test_arguments_may_be_called_as_models_methods(world: World, server: FakeModel) -> None:
    server.script(decision("own", copy=2), decision("finish", answer="Done."))
    world.auto("model=openai", TOOL.replace("NAME", "Former"))
    assert '"json" (boolean, optional)' in asked(server)[0][1]
    assert world.observations() == [("ok", "{'copy': 2}")]


@pytest.mark.long("whole runs of a flow")
def test_its_wrong_arguments_are_corrected_or_told(world: World, server: FakeModel) -> None:
    server.script(
        decision("own", crop=5, years=[1]),
        decision("own", crop="rye"),
        decision("own", crop="rye", years="all"),
        decision("finish", answer="Done."),
    )
    world.auto("model=openai", TOOL.replace("NAME", "Harvest"))
    assert "'crop' must be string, not 5" in asked(server, 1)[-1][1]
    assert "missing: years" in asked(server, 2)[-1][1]
    [(kind, text)] = world.observations()
    assert kind == "error"
    assert "own cannot take these arguments" in text or "harvest cannot take" in text
    assert "years" in text


@pytest.mark.long("whole runs of a flow")
def test_its_error_is_an_observation(world: World, server: FakeModel) -> None:
    server.script(decision("own"), decision("finish", answer="Done."))
    world.auto("model=openai", TOOL.replace("NAME", "Broken"))
    [(kind, text)] = world.observations()
    assert (kind, text) == ("error", "own failed: broken failed: ValueError: out of order")


def test_a_tool_needs_trust(world: World) -> None:
    world.write(
        "my.yaml",
        "name: T\n_target_: tools.langchain\nbackend: {_target_: tests.library.tools.Harvest}\n",
    )
    with pytest.raises(ConfigError, match="--trust tests"):
        build(world.folder / "my.yaml")


def test_what_is_no_tool_is_told(world: World) -> None:
    with pytest.raises(ConfigError) as caught:
        world.auto(TOOL.replace("NAME", "NoTool"))
    assert "not a LangChain tool" in str(caught.value)


def test_a_call_whose_outcome_is_unknown_is_not_made_again(world: World) -> None:
    """A tool is taken to have effects, unless its `effect` says otherwise."""
    text = "name: T\n_target_: tools.langchain\nbackend: {_target_: tests.library.tools.Harvest}\n"
    plan, _ = build(world.write("my.yaml", text), trust=("tests",))
    assert getattr(plan.flow, "effect", "") == "once"
    plan, _ = build(world.folder / "my.yaml", ("+effect=pure",), trust=("tests",))
    assert getattr(plan.flow, "effect", "") == "pure"
