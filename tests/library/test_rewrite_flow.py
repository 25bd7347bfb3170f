"""Questions that are read with the glossary, and words that it learns in a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.errors import ConfigError
from flows.models.fake.server import FakeModel
from flows.runners.fork import fork
from tests.library.world import World, asked, decision, sql

WORDS = "keyword,keyword_in_the_data,entity\n"
SALES = "brand,region,sales\nOMEGA,North,10\nOMEGA,South,20\nALPHA,North,5\n"
READ_AS = "What are the total sales of OMEGA where 'OMEGA' is a brand?"
ASK = """\
defaults: [{model: offline}, _self_]
name: Ask
_target_: sql
data: {sales: sales.csv}
glossary: words.csv
inputs: {question: "What are the total sales of the big O?"}
"""
READ = """\
_target_: glossary
name: Read
glossary: words.csv
inputs: {question: "What are the total sales of the big O?"}
"""
LEARN = """\
_target_: glossary.learn
name: Learn
glossary: words.csv
"""
LOOP = """\
defaults: [autogpt, override human: scripted, _self_]
name: Loop
data: {sales: sales.csv}
glossary: words.csv
human: {path: answers.txt}
inputs: {goal: "What are the total sales of the big O?"}
"""
TWO = LOOP.replace("What are the total", "What are the total sales? What are the total")


@pytest.fixture(autouse=True)
def _data(world: World) -> None:
    world.write("sales.csv", SALES)


@pytest.fixture
def words(world: World) -> Path:
    return world.write("words.csv", f"{WORDS}the big O,OMEGA,brand\n")


def test_a_question_enters_sql_in_the_words_of_the_data(world: World, words: Path) -> None:
    result = world.run(ASK)
    [found] = [world.events[-1]]
    assert found is not None
    table = result.outputs["observation"].table
    assert table.rows[0][0] == 30
    assert "'OMEGA'" in table.sql
    assert f"read as: {READ_AS}" in world.notices()
    [said] = world.outputs("glossary")
    assert said == {"question": READ_AS, "read_as": {"the big O": "OMEGA"}, "request": None}


def test_without_the_word_the_same_question_is_not_understood(world: World) -> None:
    result = world.run(ASK)  # there is no such file yet, and so no words
    assert result.outputs["observation"].kind == "error"
    assert not [each for each in world.notices() if each.startswith("read as")]
    assert not (world.folder / "words.csv").exists()


def test_a_language_model_is_asked_the_question_as_it_was_read(
    world: World, server: FakeModel, words: Path
) -> None:
    server.script(sql("SELECT SUM(sales) AS total FROM sales WHERE brand = 'OMEGA'"))
    world.run(ASK, "model=openai")
    assert asked(server)[-1] == ("user", f"Question: {READ_AS}")


def test_a_run_without_a_glossary_has_no_step_for_it(world: World) -> None:
    world.run(ASK.replace("glossary: words.csv\n", ""))
    assert world.outputs("glossary") == []


def test_the_flow_stands_in_any_graph(world: World, words: Path) -> None:
    assert world.run(READ).outputs["question"] == READ_AS


def test_it_needs_the_run_to_have_a_glossary(world: World) -> None:
    with pytest.raises(ConfigError, match="needs a glossary, and the run has none"):
        world.check(READ.replace("glossary: words.csv\n", ""))


def test_a_wrong_glossary_is_found_before_the_run(world: World) -> None:
    world.write("words.csv", f"{WORDS}Omega,OMEGA\n")
    with pytest.raises(ConfigError, match=r"words\.csv:2: this row has 2 values") as error:
        world.check(ASK)
    assert "my.yaml:5:" in str(error.value)


@pytest.mark.long("whole runs of a flow")
def test_the_loop_reads_its_goal_and_says_so_once(world: World, words: Path) -> None:
    world.write("answers.txt", "\n\n\n\n\n")
    result = world.run(LOOP)
    assert result.status == "finished"
    assert "30" in result.outputs["answer"]
    assert world.notices().count(f"read as: {READ_AS}") == 1


@pytest.mark.long("whole runs of a flow")
def test_a_person_teaches_the_loop_a_word(world: World) -> None:
    world.write("answers.txt", "by the big O I mean OMEGA (brand)\n\n\n\n\n\n")
    result = world.run(TWO)
    assert (world.folder / "words.csv").read_text() == f"{WORDS}the big O,OMEGA,brand\n"
    assert "learned: 'the big O' means 'OMEGA' (brand)" in world.notices()
    assert any(each.startswith("read as: ") for each in world.notices())
    assert "35" in result.outputs["answer"]
    assert "30" in result.outputs["answer"]


@pytest.mark.long("whole runs of a flow")
def test_what_is_taught_is_not_kept_without_a_glossary(world: World) -> None:
    world.write("answers.txt", "by the big O I mean OMEGA (brand)\nq\n")
    world.run(TWO.replace("glossary: words.csv\n", ""))
    assert any(each.startswith("Not remembered: this run has no glossary")
               for each in world.notices())  # fmt: skip
    assert not (world.folder / "words.csv").exists()


@pytest.mark.parametrize(
    "inputs",
    [
        {"keyword": "the big O", "value": "OMEGA", "entity": "brand"},
        {"keyword": "the big O", "entity": "brand", "question": "Which?", "answer": "OMEGA"},
        {"question": "What is the big O?", "answer": "by the big O I mean OMEGA (brand)"},
    ],
    ids=["given", "answered", "said"],
)
def test_an_answered_question_teaches_a_word_once(world: World, inputs: dict[str, str]) -> None:
    first = world.run(LEARN, inputs=inputs).outputs
    again = world.run(LEARN, inputs=inputs).outputs
    assert (first["learned"], again["learned"]) == (True, False)
    assert first["observation"].text == "learned: 'the big O' means 'OMEGA' (brand)"
    assert again["observation"].text.startswith("known already")
    assert (world.folder / "words.csv").read_text() == f"{WORDS}the big O,OMEGA,brand\n"


def test_an_answer_that_says_no_meaning_teaches_nothing(world: World) -> None:
    found = world.run(LEARN, inputs={"question": "Which?", "answer": "all of them"}).outputs
    assert (found["learned"], found["observation"].kind) == (False, "empty")
    assert not (world.folder / "words.csv").exists()


@pytest.mark.long("whole runs of a flow")
def test_a_fork_reads_with_the_glossary_of_its_folder(
    world: World, server: FakeModel, words: Path
) -> None:
    server.script(decision("sql", question="total sales of the big O"), sql("SELECT 1 AS x"))
    first = world.run(ASK)
    words.write_text(f"{WORDS}the big O,ALPHA,brand\n")
    again = fork(first.run_id, "glossary#1")
    assert again.outputs["observation"].table.rows[0][0] == 5


def test_a_dictionary_is_told_to_the_model(world: World, server: FakeModel) -> None:
    world.write("told.csv", "column,description,unit\nsales,Money taken,EUR\nbrnd,x,\n")
    server.script(sql("SELECT SUM(sales) AS total FROM sales"))
    world.run(ASK, "model=openai", "dictionary=told.csv")
    assert "in EUR" in asked(server)[0][1]
    assert "Money taken" in asked(server)[0][1]


def test_a_wrong_dictionary_is_found_before_the_run(world: World) -> None:
    world.write("told.csv", "colum,meaning\nsales,x\n")
    with pytest.raises(ConfigError, match=r"told\.csv:1:"):
        world.check(ASK, "dictionary=told.csv")
