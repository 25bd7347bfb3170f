"""Each case in aiflows 0.1.7 itself and here: outputs, calls with what they were given, prompts."""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
import yaml

from tests.cli.command import PROJECT
from tests.library.aiflows.oracle.bench import Answer, Bench, open_bench
from tests.library.aiflows.oracle.case import REFUSED, Case
from tests.library.aiflows.oracle.table import NAMED_CASES, RANDOM_CASES

AT_ONCE: Final = 20

pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("oracle")
    with pytest.MonkeyPatch.context() as patch, open_bench(folder) as opened:
        patch.chdir(folder)
        yield opened


def test_the_page_of_cases_is_made_from_them() -> None:
    made = runpy.run_path(str(PROJECT / "docs" / "generate.py"))["cases_page"]()
    written = (PROJECT / "docs" / "aiflows-cases.md").read_text(encoding="utf-8")
    assert made == written, "run: python docs/generate.py"


@pytest.mark.long("starts aiflows itself, and runs some hundred files in it and here")
@pytest.mark.parametrize("case", NAMED_CASES, ids=str)
def test_the_case_is_the_same_in_aiflows_itself(bench: Bench, case: Case) -> None:
    assert_as_told(bench, case)


@pytest.mark.long("runs twenty files that are made from a seed, in aiflows itself and here")
@pytest.mark.parametrize("first", range(0, len(RANDOM_CASES), AT_ONCE))
def test_what_is_made_from_a_seed_is_the_same_in_aiflows_itself(bench: Bench, first: int) -> None:
    differing = []
    for case in RANDOM_CASES[first : first + AT_ONCE]:
        try:
            assert_as_told(bench, case)
        except AssertionError as error:
            differing.append(f"{case}: {error}\n{yaml.safe_dump(case.file)}")
    assert not differing, "\n\n".join(differing)


def assert_as_told(bench: Bench, case: Case) -> None:
    """That ours does the same, or differs just as the case says."""
    there = bench.there(case)
    here = bench.here(case)
    if not case.differs:
        assert_same(here, there)
        return
    assert (here.outputs, here.calls, here.requests) != (
        there.outputs,
        there.calls,
        there.requests,
    ), "there is no difference any more: take it out of the case"
    wanted = case.here if case.here == REFUSED else {**case.here, **ids(here)}
    assert here.outputs == wanted, here.reason
    if not case.always:
        assert_same(bench.here(case, compat="aiflows-0.1"), there)


def ids(answer: Answer) -> Mapping[str, Any]:
    """The id of the sample, which is a key of the state."""
    outputs = answer.outputs
    return {"id": outputs["id"]} if isinstance(outputs, dict) and "id" in outputs else {}


def assert_same(here: Answer, there: Answer) -> None:
    told = f"here: {here.reason or 'done'}\nthere: {there.reason or 'done'}"
    assert here.outputs == there.outputs, told
    if here.outputs != REFUSED:  # what is refused here is refused before a call
        assert here.calls == [tuple(each) for each in there.calls], told
        assert here.requests == there.requests, told
