from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Annotated, Any, ClassVar

import pytest
from langchain_core.tools import (
    BaseTool,
    InjectedToolArg,
    StructuredTool,
    ToolException,
    tool,
)
from langchain_core.tools import (
    Tool as SingleInputTool,
)
from pydantic import BaseModel, Field

from flows.core.command import CommandArgument
from flows.core.observation import Observation
from flows.errors import ConfigError, ToolError
from flows.tools.langchain import Backend, LangChainTool, as_tool
from flows.tools.langchain_tools import (
    DuckDuckGoSearchResults,
    DuckDuckGoSearchRun,
    WikipediaQueryRun,
)
from flows.tools.tool import Tool
from tests.contracts.tool import ToolContract
from tests.servers.local_http import LocalHttp, Reply, Request

NAMED: dict[str, Any] = {
    "ddg_search_run": DuckDuckGoSearchRun,
    "ddg_search_results": DuckDuckGoSearchResults,
    "wikipedia_query_run": WikipediaQueryRun,
}


def named_backend(name: str, settings: Mapping[str, Any] | None = None) -> Backend:
    backend: Backend = NAMED[name].model_validate(dict(settings or {})).make()
    return backend


def run(backend: Backend | BaseTool, args: dict[str, Any], **config: Any) -> Observation:
    return asyncio.run(LangChainTool(LangChainTool.Config(**config), backend).run(args))


class Unit(Enum):
    KILO = "kilo"
    TONNE = "tonne"


class Crop(BaseModel):
    name: str
    kinds: list[str] = []


class HarvestInput(BaseModel):
    crop: Crop = Field(description="what grew")
    year: int = Field(description="four digits")
    unit: Unit = Unit.TONNE
    shares: list[float] | None = None
    estimated: bool = False


def weigh(crop: Crop, year: int, unit: Unit, shares: list[float] | None, estimated: bool) -> Any:
    return {"crop": crop.name, "year": year, "unit": unit.value, "tonnes": 412.5, "ok": estimated}


HARVEST = StructuredTool.from_function(
    func=weigh, name="harvest", description="The harvest of a year.", args_schema=HarvestInput
)


@tool
def echo(text: str, times: int = 1) -> str:
    """Says the text again."""
    if text == "nothing":
        return ""
    return f"\x1b[31m{text * times}\x1b[0m\x00"


class TestLangChainTool(ToolContract):
    good: ClassVar = {"text": "hello"}
    fruitless: ClassVar = {"text": "nothing"}

    @contextmanager
    def open(self) -> Iterator[Tool]:
        yield LangChainTool(LangChainTool.Config(), echo)


def test_arguments_are_described_in_words() -> None:
    adapter = LangChainTool(LangChainTool.Config(), HARVEST)
    assert adapter.arguments == (
        CommandArgument(
            name="crop", type="object with name, kinds", required=True, description="what grew"
        ),
        CommandArgument(name="year", type="integer", required=True, description="four digits"),
        CommandArgument(name="unit", type="one of kilo, tonne", required=False),
        CommandArgument(name="shares", type="list of number or null", required=False),
        CommandArgument(name="estimated", type="true or false", required=False),
    )
    assert (adapter.name, adapter.description) == ("harvest", "The harvest of a year.")
    config = LangChainTool.Config(name="weigh", description="Weighs.")
    renamed = LangChainTool(config, HARVEST)
    assert (renamed.name, renamed.description) == ("weigh", "Weighs.")


def test_arguments_that_langchain_injects_are_nobody_elses() -> None:
    @tool
    def secret(text: str, token: Annotated[str, InjectedToolArg]) -> str:
        """Needs a token."""
        return text

    adapter = LangChainTool(LangChainTool.Config(), secret)
    assert [each.name for each in adapter.arguments] == ["text"]


def test_a_tool_of_one_input() -> None:
    shout = SingleInputTool(name="shout", description="Shouts.", func=lambda text: text.upper())
    assert run(shout, {"tool_input": "hey"}).text == "HEY"


def test_structured_results_become_json() -> None:
    found = run(HARVEST, {"crop": {"name": "rye"}, "year": 2019, "unit": "kilo"})
    assert found.kind == "ok"
    assert (
        found.text == '{"crop": "rye", "year": 2019, "unit": "kilo", "tonnes": 412.5, "ok": false}'
    )


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Crop(name="rye"), '{"name":"rye","kinds":[]}'),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo"),
        ([1, None, "ä"], '[1, null, "ä"]'),
        ({(1, 2): "x"}, "{(1, 2): 'x'}"),
        (0, "0"),
        (False, "false"),
        ("a\x1b]0;title\x07b\u202ec\r\nd", "abc\nd"),
    ],
)
def test_any_result_becomes_plain_text(result: Any, text: str) -> None:
    give = StructuredTool.from_function(func=lambda: result, name="give", description="Gives it.")
    assert run(give, {}) == Observation(kind="ok", text=text)


def test_no_result_is_empty() -> None:
    give = StructuredTool.from_function(func=lambda: None, name="give", description="Gives it.")
    assert run(give, {}) == Observation(kind="empty", text="give found nothing.")


def test_a_long_result_is_cut_and_says_so() -> None:
    found = run(echo, {"text": "x", "times": 5_000}, max_chars=100)
    assert found.text == "x" * 100 + "\n[cut: the first 100 of 5,000 characters]"


def test_an_async_only_tool() -> None:
    async def later(text: str) -> str:
        await asyncio.sleep(0.01)
        return f"later {text}"

    made = StructuredTool.from_function(coroutine=later, name="later", description="Takes time.")
    assert run(made, {"text": "on"}).text == "later on"


class Weather(BaseTool):
    name: str = "weather"
    description: str = "The weather of a place."

    def _run(self, place: str) -> str:
        if place == "nowhere":
            raise ToolException("there is no such place")
        if place == "moon":
            raise ConnectionRefusedError("no link")
        return f"fine in {place}"


def test_a_tool_of_a_class_and_its_errors() -> None:
    assert run(Weather(), {"place": "Graz"}).text == "fine in Graz"
    with pytest.raises(ToolError, match=r"^weather failed: there is no such place$"):
        run(Weather(), {"place": "nowhere"})
    with pytest.raises(ToolError, match="the host of weather refuses the connection"):
        run(Weather(), {"place": "moon"})


@pytest.mark.parametrize(
    "error", [ValueError("bad \x1b[0mvalue"), KeyError("gone"), StopIteration()]
)
def test_whatever_a_tool_raises_becomes_a_tool_error(error: Exception) -> None:
    def fail() -> str:
        raise error

    async def fail_later() -> str:
        raise error

    sync = StructuredTool.from_function(func=fail, name="fail", description="Fails.")
    later = StructuredTool.from_function(coroutine=fail_later, name="fail", description="Fails.")
    for made in (sync, later):
        with pytest.raises(ToolError, match="fail failed: ") as caught:
            run(made, {})
        assert "\x1b" not in str(caught.value)


def test_a_tool_that_exits_does_not_end_the_program() -> None:
    leave = StructuredTool.from_function(
        func=lambda: sys.exit(3), name="leave", description="Leaves."
    )
    with pytest.raises(ToolError, match=r"leave failed: RuntimeError: SystemExit\(3\)"):
        run(leave, {})


def test_arguments_of_a_wrong_type_are_named() -> None:
    with pytest.raises(ToolError, match=r"cannot take these arguments: year: .*integer"):
        run(HARVEST, {"crop": {"name": "rye"}, "year": "long ago"})
    with pytest.raises(ToolError, match=r"no argument 'yaer' \(did you mean year\?\)"):
        run(HARVEST, {"crop": {"name": "rye"}, "yaer": 2019})


@pytest.mark.long("imports LangChain in a new process")
def test_a_tool_that_hangs_is_left_behind() -> None:
    """Also when the program ends: the time of the whole process is measured."""
    code = (
        "import asyncio, time\n"
        "from langchain_core.tools import tool\n"
        "from flows.errors import ToolError\n"
        "from flows.tools.langchain import LangChainTool\n"
        "@tool\n"
        "def hang() -> str:\n"
        "    'Hangs.'\n"
        "    time.sleep(60)\n"
        "try:\n"
        "    asyncio.run(LangChainTool(LangChainTool.Config(timeout_s=0.3), hang).run({}))\n"
        "except ToolError as error:\n"
        "    print(error)\n"
    )
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=30
    )
    assert done.stdout == "hang did not answer in time (the limit is 0.3 s)\n", done.stderr
    assert time.monotonic() - began < 10


def test_an_async_tool_that_hangs_is_cancelled() -> None:
    async def hang() -> str:
        await asyncio.sleep(60)
        return "never"

    made = StructuredTool.from_function(coroutine=hang, name="hang", description="Hangs.")
    with pytest.raises(ToolError, match=r"the limit is 0\.2 s"):
        run(made, {}, timeout_s=0.2)


def test_a_call_that_is_cancelled_ends_at_once() -> None:
    @tool
    def hang() -> str:
        """Hangs."""
        time.sleep(1.5)
        return "late"

    async def work() -> None:
        task = asyncio.create_task(LangChainTool(LangChainTool.Config(), hang).run({}))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    began = time.monotonic()
    asyncio.run(work())
    assert time.monotonic() - began < 1


def test_only_a_repeatable_tool_is_not_asked_again() -> None:
    calls: list[str] = []

    def count(text: str) -> str:
        calls.append(text)
        return "" if text == "nothing" else text

    made = StructuredTool.from_function(func=count, name="count", description="Counts.")

    async def twice(backend: Backend, text: str) -> None:
        adapter = LangChainTool(LangChainTool.Config(), backend)
        assert await adapter.run({"text": text}) == await adapter.run({"text": text})

    asyncio.run(twice(Backend(made), "plain"))
    asyncio.run(twice(Backend(made, repeatable=True), "kept"))
    asyncio.run(twice(Backend(made, repeatable=True), "nothing"))
    assert calls == ["plain", "plain", "kept", "nothing", "nothing"]


# --- tools by name ---------------------------------------------------------------------------

RESULTS = """
<html><body><div id="links">
<div class="result results_links"><div class="links_main result__body">
  <h2 class="result__title"><a href="https://farm.test/barley">Barley, grain by grain</a></h2>
  <a class="result__snippet" href="https://farm.test/barley">The barley harvest was large.</a>
</div></div>
<div class="result results_links"><div class="links_main result__body">
  <h2 class="result__title"><a href="https://mill.test/rye">Rye at the mill</a></h2>
  <a class="result__snippet" href="https://mill.test/rye">Rye harvest is milled next door.</a>
</div></div>
</div></body></html>
"""


def search_page(request: Request) -> Reply:
    if request.query.get("q") == "limit":
        return Reply(status=202, body=b"<html>please wait</html>")
    found = RESULTS if "harvest" in request.query.get("q", "") else "<html><body></body></html>"
    return Reply(body=found.encode())


@pytest.fixture(name="engine")
def _engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHttp]:
    """A local page of results, at the address that ddgs keeps in a public attribute."""
    from ddgs.engines.duckduckgo import Duckduckgo

    monkeypatch.delenv("DDGS_PROXY", raising=False)
    with LocalHttp(search_page) as server:
        monkeypatch.setattr(Duckduckgo, "search_url", f"{server.url}/html/")
        yield server


def test_duckduckgo_gives_the_snippets(engine: LocalHttp) -> None:
    backend = named_backend("ddg_search_run", {"max_results": 2, "region": "at-de"})
    found = run(backend, {"query": "barley harvest"})
    assert found.kind == "ok"
    assert "The barley harvest was large." in found.text
    assert "Rye harvest is milled next door." in found.text
    assert [(each.method, each.query["l"]) for each in engine.requests] == [("POST", "at-de")]
    adapter = LangChainTool(LangChainTool.Config(name="ddg_search"), backend)
    assert [each.name for each in adapter.arguments] == ["query"]


def test_duckduckgo_gives_addresses(engine: LocalHttp) -> None:
    found = run(named_backend("ddg_search_results"), {"query": "barley harvest"})
    assert '"link": "https://farm.test/barley"' in found.text


@pytest.mark.parametrize("query", ["nothing of that", "limit"])
def test_duckduckgo_without_results_is_empty_and_says_what_it_may_mean(
    engine: LocalHttp, query: str
) -> None:
    found = run(named_backend("ddg_search_run"), {"query": query})
    assert found.kind == "empty"
    assert "limits our rate" in found.text


@pytest.mark.parametrize("name", ["ddg_search_run", "wikipedia_query_run"])
def test_no_network_is_said_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ddgs.engines.duckduckgo import Duckduckgo

    for each in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setattr(Duckduckgo, "search_url", "https://search.invalid/html/")
    backend = named_backend(name, {"lang": "zz-invalid"} if name.startswith("wiki") else {})
    began = time.monotonic()
    with pytest.raises(ToolError, match=r"is not found: there is no network here, or no DNS"):
        run(backend, {"query": "barley harvest"})
    assert time.monotonic() - began < 3.5


def test_what_ddgs_says_without_a_network_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    from ddgs.engines.duckduckgo import Duckduckgo

    monkeypatch.setattr(Duckduckgo, "search_url", "https://search.invalid/html/")
    backend = named_backend("ddg_search_run")
    unchecked = Backend(backend.tool, says_nothing=backend.says_nothing)
    with pytest.raises(ToolError, match="there is no network here, or no DNS"):
        run(unchecked, {"query": "barley harvest"})


def old_wiki(request: Request) -> Reply:
    """The older shape of MediaWiki's answers, which the `wikipedia` package reads."""
    page: dict[str, Any] = {"pageid": 7, "title": "Barley", "fullurl": "https://wiki.test/Barley"}
    if request.query.get("list") == "search":
        found = [{"title": "Barley"}] if "barley" in request.query["srsearch"] else []
        return Reply(json={"query": {"search": found}})
    return Reply(json={"query": {"pages": {"7": {**page, "extract": "Barley is a cereal."}}}})


def test_the_wikipedia_package_as_a_langchain_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    import wikipedia.wikipedia

    named = named_backend("wikipedia_query_run", {"user_agent": "farm-notes (me@farm.test)"})
    backend = Backend(named.tool, says_nothing=named.says_nothing)
    with LocalHttp(old_wiki) as server:
        monkeypatch.setattr(wikipedia.wikipedia, "API_URL", f"{server.url}/w/api.php")
        found = run(backend, {"query": "barley and malt"})
        assert found == Observation(kind="ok", text="Page: Barley\nSummary: Barley is a cereal.")
        assert run(backend, {"query": "zyzzyva"}).kind == "empty"
        assert server.requests[0].headers["user-agent"] == "farm-notes (me@farm.test)"


@pytest.mark.parametrize("name", NAMED)
def test_what_is_told_of_a_tool_before_it_is_made_is_what_it_says_itself(name: str) -> None:
    told = as_tool(NAMED[name]())
    made = LangChainTool(LangChainTool.Config(), named_backend(name))
    assert (told.name, told.description) == (made.name, made.description)
    assert told.arguments == made.arguments


def test_a_search_engine_that_is_not_there_is_said_before_anything_is_asked() -> None:
    as_tool(DuckDuckGoSearchRun(backend="brave, mojeek"))
    with pytest.raises(ConfigError, match="'altavista' is no search engine of ddgs"):
        as_tool(DuckDuckGoSearchRun(backend="altavista"))


@pytest.mark.long("tools with their processes and servers")
def test_a_tool_that_is_not_called_is_not_waited_for() -> None:
    """LangChain and its tools take a second to import."""
    kinds = ", ".join(kind.__name__ for kind in NAMED.values())
    code = (
        "import sys\n"
        "from flows.tools.langchain import as_tool\n"
        f"from flows.tools.langchain_tools import {kinds}\n"
        f"made = [as_tool(kind()) for kind in ({kinds})]\n"
        "print([each.name for each in made if each.arguments and each.description])\n"
        "print({'langchain_core', 'langchain_community', 'ddgs', 'wikipedia'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    names = ["duckduckgo_search", "duckduckgo_results_json", "wikipedia"]
    assert done.stdout == f"{names}\nset()\n", done.stderr


@pytest.mark.long("imports LangChain in a new process")
def test_naming_tools_warns_of_nothing() -> None:
    code = (
        "from flows.tools.langchain_tools import DuckDuckGoSearchRun, WikipediaQueryRun\n"
        "print(DuckDuckGoSearchRun().make().tool.name)\n"
        "print(WikipediaQueryRun().make().tool.name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.split() == ["duckduckgo_search", "wikipedia"], done.stderr
    assert done.stderr == ""
