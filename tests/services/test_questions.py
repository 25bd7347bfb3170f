"""Asking from Python: one question, and many with the same options, by the same way in."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.core.result import RunResult
from flows.errors import ConfigError
from flows.records.lookup import find_run
from flows.records.record import records_of
from flows.services.answer import answer_of
from flows.services.questions import QuestionService, ask
from flows.services.request import DataQuestion, Options
from flows.services.sources import read_sources
from tests.cli.farm import farm

TEXTS = ("How many 'cows' are there?", "${env:HOME}", "???", "[cows, ", "cow " * 2000, "a=b\n\\")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    farm(tmp_path)
    return tmp_path


def asked(*requests: DataQuestion, options: Options) -> list[RunResult]:
    async def all_of_them() -> list[RunResult]:
        service = QuestionService(options)
        try:
            return [await service.ask(each) for each in requests]
        finally:
            await service.aclose()

    return asyncio.run(all_of_them())


@pytest.mark.long("whole services are built")
@pytest.mark.parametrize("text", TEXTS)
def test_a_question_is_asked_letter_by_letter(folder: Path, text: str) -> None:
    result = ask(DataQuestion(text, read_sources(["farm.db"])), Options(person="never"))
    [record] = records_of([find_run(folder / "runs", result.run_id)])
    assert record.inputs == {"question": text}


@pytest.mark.long("whole services are built")
def test_one_of_many_comes_to_the_same_as_one_alone(folder: Path) -> None:
    request = DataQuestion("How many cows are there?", read_sources(["farm.db"]))
    options = Options(("answer_above=0.3",), person="never")
    alone = answer_of(ask(request, options))
    for result in asked(request, request, options=options):
        assert answer_of(result).model_copy(update={"run_id": alone.run_id}) == alone


@pytest.mark.long("whole services are built")
def test_data_of_an_override_are_there_for_each_of_many(folder: Path) -> None:
    (folder / "more.csv").write_text("zebra\n3\n")
    options = Options(("data.more=more.csv",), person="never")
    request = DataQuestion("What is the total zebra?", read_sources(["farm.db"]))
    for result in (ask(request, options), *asked(request, options=options)):
        assert "3" in result.outputs["answer"]


def test_data_that_cannot_be_read_are_named_by_whoever_named_them(folder: Path) -> None:
    sources = read_sources(["gone.db"], origin="line 6")
    with pytest.raises(ConfigError, match=r"^line 6: source 'gone': there is no file"):
        asked(DataQuestion("How many?", sources), options=Options())
