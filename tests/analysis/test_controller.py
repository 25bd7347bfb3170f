"""The controller in whole dialogues, with its SQL run for real."""

from __future__ import annotations

from statistics import mean, median

import pytest

from flows.analysis.reading.reader import read
from flows.data.answers.cell_formats import number
from tests.analysis.calls import counted
from tests.analysis.dialogue import ALL, DESCRIBE, FINISH, SQL, WIKI, Dialogue, command
from tests.analysis.worlds import World

BEST = "Which habitat had the highest average quill mass in 2004?"


def by_habitat(world: World, year: int) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = {}
    for zorb in world.zorbs:
        if zorb.year == year:
            groups.setdefault(zorb.habitat, []).append(zorb.mass)
    return groups


def best(world: World, year: int) -> str:
    groups = by_habitat(world, year)
    return max(groups, key=lambda habitat: mean(groups[habitat]))


def test_two_parts_the_second_refers_to_the_first(zorbs: World) -> None:
    talk = Dialogue(zorbs, f"{BEST[:-1]}, and how did its quill mass change since 2001?")
    answer = talk.run()
    winner = best(zorbs, 2004)
    assert [name for name, _ in talk.calls()] == ["sql", "sql", "finish"]
    assert winner in talk.calls()[1][1]
    series = {y: mean(z.mass for z in zorbs.zorbs if z.habitat == winner and z.year == y)
              for y in (2001, 2006)}  # fmt: skip
    assert winner in answer
    assert number(series[2001]) in answer
    assert number(series[2006]) in answer


def test_every_reply_has_all_keys_and_a_plan_of_bullets(zorbs: World) -> None:
    talk = Dialogue(zorbs, BEST)
    talk.run()
    keys = {"thought", "reasoning", "plan", "criticism", "speak", "command", "command_args"}
    for decision in talk.decisions:
        assert set(decision) == keys | {"agenda", "request"}
        assert all(line.startswith("- ") for line in decision["plan"].splitlines())
        assert decision["thought"]
        assert decision["reasoning"]
    assert "habitat" in talk.decisions[0]["reasoning"]


EIGHT = (
    "How many rows are there?", "What is the average quillMass?",
    "Which habitat has the highest average quillMass?", "What is the total hatchCount?",
    "What is the average hatchCount per habitat?", "How many zorbs are in each habitat?",
    "What is the highest quillMass?", "What is the lowest hatchCount?",
)  # fmt: skip


@pytest.mark.long("whole analyses over their data")
def test_each_question_of_a_goal_is_read_once(zorbs: World) -> None:
    talk = Dialogue(zorbs, " ".join(EIGHT))
    with counted(read, "question") as readings:
        answer = talk.run()
    assert dict(readings) == dict.fromkeys(EIGHT, 1)
    assert len(answer.splitlines()) == len(EIGHT)
    assert "Not answered" not in answer


def test_tables_and_turns_as_plain_data_decide_the_same(zorbs: World) -> None:
    goal = f"{BEST} How many rows are there in that habitat? Describe the data."
    plain, typed = Dialogue(zorbs, goal, as_plain_data=True), Dialogue(zorbs, goal)
    assert plain.run() == typed.run()
    assert plain.decisions == typed.decisions


def test_overview_search_and_tables_each_get_their_command(zorbs: World) -> None:
    goal = "What does the data contain? How many rows are there? Who was Maria Sibylla Merian?"
    talk = Dialogue(zorbs, goal, found={"wiki_search:Maria Sibylla Merian": "A naturalist."})
    answer = talk.run()
    assert [name for name, _ in talk.calls()] == ["describe", "sql", "wiki_search", "finish"]
    assert "glims has 48 rows" in answer
    assert "There are 48 rows of glims" in answer
    assert "A naturalist." in answer


def test_the_web_is_searched_when_it_is_named(zorbs: World) -> None:
    talk = Dialogue(
        zorbs, "Search the web for quill prices", found={"ddg_search:quill prices": "12"}
    )
    assert "12" in talk.run()
    assert talk.calls()[0] == ("ddg_search", "quill prices")


def test_a_search_that_fails_is_tried_elsewhere_once_and_then_told(zorbs: World) -> None:
    talk = Dialogue(zorbs, "Who was Maria Sibylla Merian?")
    answer = talk.run()
    assert [name for name, _ in talk.calls()] == ["wiki_search", "ddg_search", "finish"]
    assert "Not answered" in answer
    assert "no network" in answer


def test_without_a_search_command_it_says_so(zorbs: World) -> None:
    talk = Dialogue(zorbs, "Who was Maria Sibylla Merian?", commands=(SQL, FINISH))
    answer = talk.run()
    assert [name for name, _ in talk.calls()] == ["finish"]
    assert "Not answered" in answer
    assert "no command" in answer


def test_what_is_about_the_tables_but_unreadable_is_not_searched_for(zorbs: World) -> None:
    talk = Dialogue(zorbs, "What is the correlation between quill mass and hatch count?")
    answer = talk.run()
    assert [name for name, _ in talk.calls()] == ["finish"]
    assert "correlation" in answer


def test_other_names_of_commands_are_told_by_their_arguments(zorbs: World) -> None:
    commands = (command("ask_tables", "question"), command("lookup", "query"), FINISH)
    talk = Dialogue(zorbs, BEST, commands=commands)
    assert talk.round()["command"] == "ask_tables"
    other = Dialogue(zorbs, "Who was Maria Sibylla Merian?", commands=commands)
    assert other.round()["command"] == "lookup"


def test_an_error_of_the_database_is_asked_in_other_words_and_never_twice(zorbs: World) -> None:
    talk = Dialogue(zorbs, BEST, failing_sql=frozenset({BEST}))
    answer = talk.run()
    asked = [call for call in talk.calls() if call[0] == "sql"]
    assert len(asked) == len(set(asked)) == 2
    assert best(zorbs, 2004) in answer
    assert "error" in talk.decisions[1]["thought"]


@pytest.mark.parametrize(
    "goal", [f"{BEST} {BEST}", f"{BEST} {BEST[:-1]}", "Describe the data. Describe the table."]
)
def test_the_same_call_is_never_made_twice(zorbs: World, goal: str) -> None:
    talk = Dialogue(zorbs, goal)
    talk.run()
    made = [call for call in talk.calls() if call[0] != "finish"]
    assert len(made) == len(set(made)) == 1


def test_their_means_the_rows_that_were_counted(zorbs: World) -> None:
    talk = Dialogue(zorbs, "How many rows are in the Dune and what is their average quill mass?")
    answer = talk.run()
    wanted = mean(z.mass for z in zorbs.zorbs if z.habitat == "Dune")
    assert number(wanted) in answer


def test_which_of_them_means_the_rows_of_the_list(zorbs: World) -> None:
    goal = (
        "List the names of all zorbs in the Marsh. "
        "Which of them has the largest quill mass in 2003?"
    )
    answer = Dialogue(zorbs, goal).run()
    marsh = [z for z in zorbs.zorbs if z.habitat == "Marsh" and z.year == 2003]
    assert number(max(z.mass for z in marsh)) in answer


def test_rows_that_were_not_all_seen_are_not_taken_for_all(zorbs: World) -> None:
    goal = "List the quill mass of all zorbs in the Marsh and what is their average hatch count?"
    answer = Dialogue(zorbs, goal).run()
    wanted = mean(z.hatched for z in zorbs.zorbs if z.habitat == "Marsh")
    assert number(wanted) in answer


def test_a_pronoun_without_a_result_is_admitted(zorbs: World) -> None:
    answer = Dialogue(zorbs, "How did its quill mass frobnicate?").run()
    assert "Not answered" in answer


def test_that_year_is_the_year_that_was_found(zorbs: World) -> None:
    goal = (
        "Which season year had the highest average quill mass? "
        "How many rows have a quill mass over 50 that year?"
    )
    talk = Dialogue(zorbs, goal)
    talk.run()
    years = {y: mean(z.mass for z in zorbs.zorbs if z.year == y) for y in range(2001, 2007)}
    assert str(max(years, key=lambda y: years[y])) in talk.calls()[1][1]


# --- feedback ---------------------------------------------------------------------------------


def test_feedback_with_another_year_asks_again_and_keeps_both(zorbs: World) -> None:
    talk = Dialogue(zorbs, BEST)
    answer = talk.run("and in 2002?")
    assert best(zorbs, 2002) in answer
    assert "2004" in answer
    assert "2002" in talk.decisions[1]["thought"]


def test_feedback_with_another_aggregate_replaces_the_answer(zorbs: World) -> None:
    answer = Dialogue(zorbs, "average quill mass of the Dune").run("use the median")
    masses = [z.mass for z in zorbs.zorbs if z.habitat == "Dune"]
    assert number(median(masses)) in answer
    assert number(mean(masses)) not in answer


def test_feedback_narrows_to_a_value(zorbs: World) -> None:
    answer = Dialogue(zorbs, "How many rows have a quill mass over 50?").run("only Marsh")
    wanted = sum(z.mass > 50 and z.habitat == "Marsh" for z in zorbs.zorbs)
    assert f"There are {wanted} rows of glims" in answer


def test_feedback_with_another_limit(zorbs: World) -> None:
    answer = Dialogue(zorbs, BEST).run("top 3 instead")
    assert all(habitat in answer for habitat in ("Marsh", "Dune", "Upper Fen"))


def test_feedback_that_is_a_question_is_asked_next(zorbs: World) -> None:
    talk = Dialogue(zorbs, f"{BEST} How many different habitats are there?")
    talk.run("also show the number of rows")
    assert "number of rows" in talk.calls()[1][1]
    assert [name for name, _ in talk.calls()] == ["sql", "sql", "sql", "finish"]


def test_feedback_that_names_a_command_uses_it(zorbs: World) -> None:
    talk = Dialogue(
        zorbs, f"{BEST} How many rows are there?", found={"wiki_search:quills": "Feathers."}
    )
    answer = talk.run("use wiki_search for quills")
    assert talk.calls()[1] == ("wiki_search", "quills")
    assert "Feathers." in answer
    assert "There are 48 rows of glims" in answer


@pytest.mark.parametrize(
    "text", ["finish", "stop here, that is enough", "Enough!", "That's it, thanks", "I'm done"]
)
def test_feedback_that_ends_ends_now(zorbs: World, text: str) -> None:
    talk = Dialogue(zorbs, f"{BEST} How many rows are there?")
    answer = talk.run(text)
    assert [name for name, _ in talk.calls()] == ["sql", "finish"]
    assert best(zorbs, 2004) in answer
    assert "you stopped" in answer


def test_a_command_named_with_its_argument_gets_just_that(zorbs: World) -> None:
    talk = Dialogue(zorbs, BEST, found={"wiki_search:Marsh": "Wet land."})
    answer = talk.run("wiki_search Marsh")
    assert talk.calls()[1] == ("wiki_search", "Marsh")
    assert "Wet land." in answer


def test_why_is_answered_with_how_the_question_was_read(zorbs: World) -> None:
    talk = Dialogue(zorbs, BEST)
    talk.run("why?")
    assert "over glims" in talk.decisions[1]["thought"]
    assert talk.decisions[1]["command"] == "finish"


def test_more_rows_of_a_whole_result_is_understood(zorbs: World) -> None:
    talk = Dialogue(zorbs, "average quill mass per habitat")
    talk.run("show more")
    assert "all the rows" in talk.decisions[1]["thought"]


def test_a_median_that_the_database_lacks_is_computed(works: World) -> None:
    talk = Dialogue(works, "What is the average pay of brewers?")
    answer = talk.run("use the median")
    assert "median" in talk.decisions[1]["thought"]
    assert number(median([410.5, 388.0, 520.25, 300.0])) in answer


@pytest.mark.parametrize("text", ["ok", "yes, go on", "Thanks!", "  "])
def test_assent_changes_nothing(zorbs: World, text: str) -> None:
    with_assent, without = Dialogue(zorbs, BEST), Dialogue(zorbs, BEST)
    assert with_assent.run(text) == without.run()


def test_feedback_that_cannot_be_read_is_admitted(zorbs: World) -> None:
    talk = Dialogue(zorbs, BEST)
    talk.run("bananas are mostly yellow")
    assert "could not read your feedback" in talk.decisions[1]["thought"]


def test_feedback_is_remembered_in_later_rounds(zorbs: World) -> None:
    talk = Dialogue(zorbs, f"{BEST} How many rows are there?")
    answer = talk.run("and in 2002?", "ok", "")
    assert answer.count("There are 48 rows of glims") == 1
    assert best(zorbs, 2002) in answer
    assert len(talk.decisions) == 4


def test_a_correction_is_acknowledged(zorbs: World) -> None:
    talk = Dialogue(zorbs, BEST)
    decision = talk.round(correction="the reply was not one JSON object")
    assert "not accepted" in decision["criticism"]
    assert decision["command"] == "sql"


def test_a_call_that_another_model_made_counts_as_dealt_with(zorbs: World) -> None:
    talk = Dialogue(zorbs, f"{BEST} How many rows are there?")
    talk.round()
    first = talk.turns[0]
    talk.turns[0] = type(first)(
        inputs=first.inputs,
        reply='{"command": "sql", "command_args": {"question": "How many rows are there?"}}',
    )
    talk.observation = talk._sql("How many rows are there?")
    answer = talk.run()
    assert answer.count("There are 48 rows of glims") == 1
    assert best(zorbs, 2004) in answer


def test_several_tables_in_one_goal(works: World) -> None:
    goal = "How many brewers are there? Which kettle has the most litres? Describe the data."
    talk = Dialogue(works, goal, commands=(SQL, DESCRIBE, WIKI, FINISH))
    answer = talk.run()
    assert "There are 4 rows of brewers" in answer
    assert "Big Bertha" in answer
    assert "brewers has 4 rows" in answer


def test_an_empty_goal_ends_with_a_plain_word(zorbs: World) -> None:
    assert "no question" in Dialogue(zorbs, "").run()


PYTHON = command("python", "task")
PROFILE = command("profile", "table")
WITH_PYTHON = (*ALL, PYTHON, PROFILE)


@pytest.mark.parametrize(
    ("goal", "chosen"),
    [
        ("What is the correlation between quill mass and hatch count?", "python"),
        ("Draw a histogram of quill mass", "python"),
        ("Plot the average quill mass by habitat", "python"),
        ("What is the average quill mass?", "sql"),
        ("How many rows are there?", "sql"),
        ("What data is there?", "describe"),
        ("Profile the data", "profile"),
        ("How good is the data quality?", "profile"),
        ("Who is Ada Lovelace?", "wiki_search"),
        ("Search the web for the correlation of sleep and health", "ddg_search"),
    ],
)
def test_each_request_gets_its_command(zorbs: World, goal: str, chosen: str) -> None:
    dialogue = Dialogue(zorbs, goal, commands=WITH_PYTHON)
    assert dialogue.round()["command"] == chosen


def test_without_a_python_command_a_study_is_not_answered(zorbs: World) -> None:
    answer = Dialogue(zorbs, "What is the correlation between quill mass and hatch count?").run()
    assert "Not answered" in answer


def test_a_study_that_cannot_be_read_says_why(zorbs: World) -> None:
    dialogue = Dialogue(zorbs, "Draw a scatter plot of quill mass", commands=WITH_PYTHON)
    assert "needs two columns of numbers" in dialogue.run()
    assert dialogue.calls()[0][0] == "finish"


def test_a_goal_with_studies_is_taken_apart(zorbs: World) -> None:
    goal = (
        "Show the correlation matrix and draw a histogram of quill mass, and what is its average?"
    )
    dialogue = Dialogue(zorbs, goal, commands=WITH_PYTHON)
    assert dialogue.round()["command_args"] == {"task": "Show the correlation matrix"}
    assert dialogue.round()["command_args"] == {"task": "Draw a histogram of quill mass"}


def test_a_question_that_refers_has_what_was_found_as_its_condition(zorbs: World) -> None:
    goal = f"{BEST} How many rows are there in that habitat?"
    talk = Dialogue(zorbs, goal)
    with counted(read, "question") as readings:
        answer = talk.run()
    assert set(readings.values()) == {1}
    winner = best(zorbs, 2004)
    assert talk.decisions[1]["request"]["where"]["right"]["value"] == winner
    assert str(sum(z.habitat == winner for z in zorbs.zorbs)) in answer
