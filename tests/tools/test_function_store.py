"""The functions of a run: where they come from, how they are found, and how they are called."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal

import pytest

import flows
from flows.core.flow import AtomicFlow, Parts, Ports
from flows.core.function_description import Function, FunctionDescription
from flows.core.function_store import CallLimits, FunctionStore, FunctionStoreConfig
from flows.core.observation import Observation
from flows.errors import ConfigError, RecallError, SourceError, ToolError
from flows.tools.function_store import SourceFunctions
from flows.tools.restricted_functions import RestrictedFunctions
from flows.tools.sources.flow import FlowFunction
from flows.tools.sources.invoke import Invocation, invoke, invoke_all
from flows.tools.sources.python import PythonFunction, PythonSource
from flows.tools.sources.results import data_of

STEPS = '''\
from datetime import date


def price_of(article: str, currency: str = "EUR") -> dict[str, object]:
    """The price of an article of the shop.

    Args:
        article: the number of the article
        currency: the code of a currency
    """
    return {"article": article, "price": 12.5, "currency": currency}


def days_between(first: date, last: date) -> int:
    """How many days lie between two dates.

    Args:
        first: the earlier date
        last: the later date
    """
    return (last - first).days


def all_articles() -> list[dict[str, object]]:
    """Every article of the shop."""
    return [{"article": f"A-{number}", "price": number} for number in range(2000)]


def _hidden(text: str) -> str:
    return text
'''
RUN = """\
_target_: tests.tools.call_flow.CallFunctions
functions:
  sources:
    shop: {_target_: functions.python, modules: [shop_steps]}
"""


def price(article: str, kind: Literal["net", "gross"] = "net") -> dict[str, str]:
    """The price of an article.

    Args:
        article: the number of the article
        kind: with or without tax
    """
    return {"article": article, "kind": kind}


def calls(function: Function, arguments: Mapping[str, Any], **limits: float) -> Observation:
    return asyncio.run(invoke(function, arguments, limits=CallLimits.model_validate(limits)))


@pytest.fixture
def run_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop_steps.py").write_text(STEPS)
    (tmp_path / "run.yaml").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "run.yaml"


def test_a_file_in_the_place_of_a_module_is_that_file(run_file: Path) -> None:
    """Allowed by its own name, not by that of the module."""
    run_file.write_text(RUN.replace("[shop_steps]", "[./shop_steps.py]"))
    with pytest.raises(ConfigError, match=r"shop_steps\.py is Python code beside the run file"):
        flows.run(run_file, trust=["tests", "shop_steps"])
    assert flows.run(run_file, trust=["tests", "./shop_steps.py"]).status == "finished"


def test_functions_of_a_trusted_module_are_found_and_called(run_file: Path) -> None:
    asked = [
        ("shop/price_of", {"article": "A-7"}),
        ("shop/days_between", {"first": "2026-01-30", "last": "2026-02-02"}),
        ("shop/all_articles", {}),
        ("shop/price_of", {"artikel": "A-7"}),
    ]
    result = flows.run(
        run_file,
        inputs={"question": "what does an article cost, its price", "calls": asked},
        trust=("shop_steps", "tests"),
    )
    assert result.outputs["found"][0] == "shop/price_of"
    told, days, many, wrong = result.outputs["observations"]
    assert json.loads(told.text) == {"article": "A-7", "price": 12.5, "currency": "EUR"}
    assert days.text == "3"
    first, is_whole = data_of(many)
    assert 0 < len(first) < 2000
    assert not is_whole
    assert "of 2,000 elements" in many.text
    [kept] = result.artifacts
    assert kept.name in many.text
    assert len(json.loads((result.folder / kept.path).read_text())) == 2000
    assert wrong.kind == "error"
    assert "no argument 'artikel' (did you mean 'article'?)" in wrong.text


def test_a_module_that_nobody_trusts_is_not_imported(run_file: Path) -> None:
    with pytest.raises(ConfigError, match="--trust shop_steps") as caught:
        flows.run(run_file, trust=("tests",))
    assert "run.yaml:4:" in str(caught.value)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f(a): 'Does.'", "shop_steps.py:1:1: the argument a has no type"),
        ("def f(a: int) -> int: return a", "shop_steps.py:1:1: f has no docstring"),
    ],
)
def test_a_function_that_says_too_little_is_named_with_its_line(
    run_file: Path, code: str, said: str
) -> None:
    (run_file.parent / "shop_steps.py").write_text(code + "\n")
    with pytest.raises(ConfigError, match=said):
        flows.run(run_file, trust=("shop_steps", "tests"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "needs article (text: the number of the article)"),
        ({"article": 7}, "argument 'article': 7 is not of type 'string'"),
        ({"article": "A", "kind": "gros"}, "did you mean 'gross'?"),
        ({"article": "A", "colour": "red"}, "no argument 'colour'; it takes article, kind"),
    ],
)
def test_arguments_that_do_not_fit_are_said_with_what_is_allowed(
    arguments: dict[str, Any], said: str
) -> None:
    found = calls(PythonFunction(price), arguments)
    assert found.kind == "error"
    assert said in found.text


def fails(number: int) -> int:
    """Divides by it.

    Args:
        number: the divisor
    """
    return 1 // number


def sleeps(seconds: float) -> str:
    """Waits, then answers.

    Args:
        seconds: how long it waits
    """
    time.sleep(seconds)
    return f"waited {seconds:g}"


def test_what_a_function_raises_and_a_call_without_end_are_observations() -> None:
    failed = calls(PythonFunction(fails), {"number": 0})
    assert failed.kind == "error"
    assert "fails failed: ZeroDivisionError" in failed.text
    late = calls(PythonFunction(sleeps), {"seconds": 30.0}, timeout_s=0.1)
    assert late.text == "sleeps did not answer in time (the limit is 0.1 s)"


def test_calls_are_made_at_once_and_their_results_are_in_order() -> None:
    meeting = threading.Barrier(3)

    def meets(number: int) -> int:
        """Returns when three of it have begun.

        Args:
            number: what it gives back
        """
        meeting.wait(20)
        return number

    function = PythonFunction(meets)
    found = asyncio.run(invoke_all([Invocation(function, {"number": n}) for n in (3, 1, 2)]))
    assert [each.text for each in found] == ["3", "1", "2"]


class Broken:
    """A source that cannot be reached."""

    async def functions(self) -> tuple[Function, ...]:
        raise SourceError("its server is not there")

    async def aclose(self) -> None:
        """It holds nothing."""


def store(folder: Path, **more: Broken) -> SourceFunctions:
    config = FunctionStoreConfig(index=folder)
    source = PythonSource(PythonSource.Config(namespace="shop"), (price, fails))
    return SourceFunctions(config, {"shop": source, **more})


def test_a_source_that_is_not_there_takes_no_other_with_it(tmp_path: Path) -> None:
    async def told() -> None:
        functions = store(tmp_path, mail=Broken())
        assert [each.id for each in await functions.descriptions()] == ["shop/fails", "shop/price"]
        assert await functions.unavailable() == {"mail": "its server is not there"}
        with pytest.raises(ToolError, match=r"did you mean 'shop/price'\?.*mail: its server"):
            await functions.load("shop/prize")

    asyncio.run(told())


class TotalInputs(Ports):
    """The numbers to add."""

    numbers: list[int]


class TotalOutputs(Ports):
    total: int


class Total(AtomicFlow):
    """Adds numbers up."""

    Inputs = TotalInputs
    Outputs = TotalOutputs

    async def run(self, inputs: TotalInputs, run: Any) -> TotalOutputs:
        return TotalOutputs(total=sum(inputs.numbers))


def test_a_store_can_be_joined_with_flows(tmp_path: Path) -> None:
    flow = FlowFunction(Total(Total.Config(description="Adds numbers up"), Parts("total")))

    async def told() -> None:
        joined = store(tmp_path).with_functions([flow])
        assert isinstance(joined, FunctionStore)
        [first, *_] = await joined.search("add the numbers up")
        assert first.description.id == "flows/total"
        assert first.description.effect == "pure"
        assert first.description.parameters["required"] == ["numbers"]
        assert await joined.search("adds up", function_class="python") == []
        assert (await joined.load("shop/price")).description.name == "price"
        found = await invoke(await joined.load("flows/total"), {"numbers": [1, 2]})
        assert "is called in a run only" in found.text
        [only] = await RestrictedFunctions(joined, ["shop/price"]).descriptions()
        assert only.id == "shop/price"
        part = RestrictedFunctions(store(tmp_path), ["shop/price"]).with_functions([flow])
        assert [each.id for each in await part.descriptions()] == ["shop/price"]
        with pytest.raises(ToolError, match="'flows/total' is not allowed here"):
            await part.load("flows/total")

    asyncio.run(told())


class Slow:
    """A function with a schema of a server that nobody trusts."""

    description = FunctionDescription(
        name="slow",
        description="x",
        parameters={
            "type": "object",
            "properties": {
                "text": {"type": "string", "pattern": "^(a+)+$"},
                "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
                "other": {"$ref": "http://127.0.0.1:9/schema.json"},
            },
        },
    )

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        return Observation(kind="ok", text="called")


def test_a_hostile_schema_neither_hangs_nor_reaches_out() -> None:
    assert calls(Slow(), {"text": "a" * 60 + "!"}).text == "called"
    assert "does not match" in calls(Slow(), {"code": "ab"}).text
    assert "refers to nothing" in calls(Slow(), {"other": 1}).text


def test_dates_and_models_arrive_as_their_types() -> None:
    def week(day: date) -> int:
        """The week of a day.

        Args:
            day: the day
        """
        return day.isocalendar().week

    assert calls(PythonFunction(week), {"day": "2026-11-24"}).text == "48"
    assert calls(PythonFunction(week), {"day": "yesterday"}).kind == "error"


class Lost(Slow):
    """A store whose memory cannot be read."""

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        raise RecallError("the memory is damaged")


def test_a_memory_that_cannot_be_read_is_an_observation() -> None:
    found = calls(Lost(), {})
    assert (found.kind, found.text) == ("error", "the memory is damaged")
