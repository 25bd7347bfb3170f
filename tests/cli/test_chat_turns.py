"""What a turn of `flows chat` gives beside its answer: tasks, summary, figures, code."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

import pytest

import flows
from flows.analysis.conversation.summary import HEADINGS
from flows.core.journal import load
from flows.errors import FlowsError, UsageError
from tests.cli.command import environment
from tests.cli.command import flows as command
from tests.cli.inside import inside

# What a step of the second turn is recorded as.
PHASES = ("hear#2", *(f"turn#2/{each}" for each in ("Clarifier", "Planner", "Analyst#1",
          "Analyst#2", "files", "Summary")), "say#2")  # fmt: skip


def staff(folder: Path) -> None:
    """Three files that have nothing to do with each other."""
    chance = random.Random(3)
    with (folder / "employees.csv").open("w") as file:
        write = csv.writer(file)
        write.writerow(["employee_id", "department", "job_level", "rating", "salary"])
        for each in range(90):
            department, pay = (("IT", 85000), ("Sales", 65000), ("HR", 55000))[each % 3]
            level = ("Junior", "Senior")[each % 2]
            salary = 200000 if each == 4 else pay + chance.randint(-3000, 3000)
            write.writerow([each, department, level, chance.randint(1, 5), salary])
    with (folder / "orders.csv").open("w") as file:
        write = csv.writer(file)
        write.writerow(["order_id", "region", "category", "day", "revenue"])
        for each in range(240):
            region, kind = ("West", "East", "South")[each % 3], ("Books", "Toys")[each % 2]
            day = f"2023-{chance.randint(1, 12):02d}-{each % 28 + 1:02d}"
            write.writerow([each, region, kind, day, chance.randint(10, 90)])
    (folder / "inventory.csv").write_text(
        "product,warehouse,stock\n" + "".join(f"P{n},{'NS'[n % 2]},{n}\n" for n in range(20))
    )


def talk(folder: Path, *said: str, data: tuple[str, ...] = ("employees.csv",)) -> list[Any]:
    if not (folder / "employees.csv").exists():
        staff(folder)
    ended = inside("chat", *data, "--json", cwd=folder, stdin="".join(f"{e}\n" for e in said))
    assert ended.code == 0, ended.err
    return [json.loads(line) for line in ended.out.splitlines()]


ALL = ("employees.csv", "orders.csv", "inventory.csv")


@pytest.mark.long("a conversation of several turns")
def test_different_domains_are_tasks_of_their_own(tmp_path: Path) -> None:
    several, separate, one = talk(
        tmp_path,
        "Analyze orders AND employee rating AND inventory",
        "Create separate reports: hiring, salary, rating",
        "Analyze salary and rating by department",
        data=ALL,
    )
    assert several["status"] == "answered"
    assert len(several["tasks"]) == 3
    for table in ("orders", "employees", "inventory"):
        assert f'FROM "{table}"' in several["sql"]
    assert separate["tasks"][0] == "hiring"
    assert any("hiring" in each["text"] for each in separate["warnings"])
    assert "salary" in separate["answer"]
    assert one["tasks"] == []
    assert len(one["columns"]) == 3


def test_a_turn_is_summarized_under_six_headings(tmp_path: Path) -> None:
    answered, again = talk(tmp_path, "average salary by department", "summarize that")
    told = answered["summary"]
    assert [told.index(each) for each in HEADINGS] == sorted(told.index(e) for e in HEADINGS)
    top = max(answered["rows"], key=lambda row: row[1])
    assert f"{top[1]:,.2f}" in told
    assert "{{" not in told
    assert answered["sql"] in told
    assert again["answer"] == told


@pytest.mark.long("a conversation of several turns")
def test_figures_are_called_by_what_they_show_and_code_runs_by_itself(tmp_path: Path) -> None:
    turns = talk(tmp_path, "distribution of salary", "average salary by department", "thanks")
    [image] = turns[0]["images"]
    run = tmp_path / "runs" / turns[0]["session"]
    assert (run / image).read_bytes().startswith(b"\x89PNG")
    assert "distribution_of_salary" in image
    assert image.startswith(f"images/{turns[0]['session']}/")
    assert image in turns[0]["summary"]
    assert (run / "code.txt").exists()
    done = subprocess.run(
        [sys.executable, str(run / "code.txt")], cwd=tmp_path, capture_output=True, text=True,
        check=False, timeout=120, env={**os.environ, "MPLBACKEND": "agg"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "average_salary" in done.stdout


@pytest.mark.long("whole runs of the command")
def test_the_likeliest_is_taken_where_the_person_leaves_it_open(tmp_path: Path) -> None:
    asked, answered = talk(tmp_path, "some analysis", "you choose")
    assert asked["status"] == "clarify"
    assert answered["status"] == "answered"
    first = asked["clarification"]["options"][0]
    assert answered["question_read"].replace("`", "") == first
    assert [each["code"] for each in answered["warnings"]] == ["assumed"]


@pytest.mark.long("whole runs of the command")
def test_a_choice_is_remembered_by_the_glossary_alone(tmp_path: Path) -> None:
    staff(tmp_path)
    (tmp_path / "words.csv").write_text("keyword,value,entity\n")
    data = ("orders.csv", "glossary=words.csv")
    asked, chosen, best = talk(tmp_path, "show me the orders", "2", "top 1", data=data)
    assert asked["status"] == "clarify"
    highest = max(chosen["rows"], key=lambda row: row[1])
    assert best["rows"] == [highest]
    [again] = talk(tmp_path, "show me the orders", data=data)
    assert again["rows"] == chosen["rows"]
    assert "As you chose before" in again["warnings"][0]["text"]
    [other] = talk(tmp_path, "show me the orders", data=("orders.csv",))
    assert other["status"] == "clarify"


@pytest.mark.long("a conversation of several turns")
def test_data_that_changed_cannot_be_gone_on_with(tmp_path: Path) -> None:
    """A turn before that can no longer be asked is left alone, and that is said."""
    staff(tmp_path)
    process = opened(tmp_path, "employees.csv")
    say(process, "average salary by department")
    assert heard(process.stdout)["status"] == "answered"
    process.kill()
    process.communicate()
    (tmp_path / "employees.csv").write_text("person,team,pay\nAda,Red,10\nBo,Blue,20\n")
    ended = command("resume", "last", "--json", cwd=tmp_path, stdin="average pay by team\n")
    assert ended.code == 0, ended.err
    reply = ended.json()["outputs"]["reply"]
    assert reply["status"] == "answered"
    assert reply["warnings"][0]["code"] == "assumed"
    assert "can no longer be asked" in reply["warnings"][0]["text"]


def test_a_remark_without_anything_before_it_says_so(tmp_path: Path) -> None:
    [alone] = talk(tmp_path, "only the top 3 of those")
    assert alone["status"] == "abstained"
    assert "Nothing was answered before" in alone["answer"]


@pytest.mark.long("whole runs of the command")
def test_those_of_a_long_list_are_all_of_them(tmp_path: Path) -> None:
    """What later turns see of a result are its first rows; what is asked of all is of all."""
    rows = "".join(f"Firm {n},{'north' if n < 20 else 'south'},{n}\n" for n in range(60))
    (tmp_path / "firms.csv").write_text(f"firm,region,staff\n{rows}")
    listed, most = talk(
        tmp_path, "show me all firms", "which region has the most of them?", data=("firms.csv",)
    )
    assert len(listed["rows"]) == 60
    assert most["rows"][0][0] == "south"


@pytest.mark.long("whole runs of the command")
def test_what_can_be_asked_is_told(tmp_path: Path) -> None:
    [told] = talk(tmp_path, "what can you do?", data=ALL)
    assert all(name in told["answer"] for name in ("employees", "orders", "inventory"))
    assert told["answer"].count("\n- ") >= 2


# The scenarios of the product's first description.
@pytest.mark.long("whole runs of the command")
def test_only_the_top_three_of_an_analysis(tmp_path: Path) -> None:
    first, top = talk(
        tmp_path, "Analyze revenue by region", "Show me the top 2 only", data=("orders.csv",)
    )
    highest = sorted(first["rows"], key=lambda row: -row[1])[:2]
    assert top["rows"] == highest


@pytest.mark.long("whole runs of the command")
def test_breaking_down_further_offers_what_there_is(tmp_path: Path) -> None:
    turns = talk(
        tmp_path, "Employee salary analysis by department", "Can you break it down further?", "2"
    )
    options = turns[1]["clarification"]["options"]
    assert any("job level" in each for each in options)
    assert any("rating" in each for each in options)
    assert turns[2]["status"] == "answered"
    assert len(turns[2]["columns"]) == 3


@pytest.mark.long("a conversation of several turns")
def test_the_outliers_of_what_was_looked_at(tmp_path: Path) -> None:
    turns = talk(
        tmp_path,
        "Analyze employee salaries by department",
        "Show me the distribution for the highest paying department",
        "What about the outliers we found?",
        data=ALL,
    )
    best = max(turns[0]["rows"], key=lambda row: row[1])[0]
    assert best in turns[1]["question_read"]
    assert "outliers of salary" in turns[2]["question_read"]
    assert best in turns[2]["question_read"]


@pytest.mark.long("whole runs of the command")
def test_by_quarter(tmp_path: Path) -> None:
    first, quarters = talk(
        tmp_path, "total revenue by region and category", "Can you break this down by quarter?",
        data=("orders.csv",),
    )  # fmt: skip
    assert len(quarters["rows"]) == 4 * len(first["rows"])


@pytest.mark.long("whole runs of the command")
def test_what_names_only_a_table_is_its_main_figure(tmp_path: Path) -> None:
    [trend] = talk(tmp_path, "Show me orders by month", data=ALL)
    assert trend["status"] == "answered"
    assert len(trend["rows"]) == 12


def opened(folder: Path, *data: str) -> subprocess.Popen[str]:
    staff(folder)
    return subprocess.Popen(
        [sys.executable, "-m", "flows", "chat", *data, "--json"], cwd=folder,
        env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, bufsize=1,
    )  # fmt: skip


def say(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


def heard(stream: IO[str] | None) -> dict[str, Any]:
    assert stream is not None
    found: dict[str, Any] = json.loads(stream.readline())
    return found


@pytest.mark.long("a conversation of several turns")
def test_ctrl_c_stops_the_turn_and_not_the_conversation(tmp_path: Path) -> None:
    process = opened(tmp_path, "employees.csv")
    say(process, "average salary by department")
    heard(process.stdout)
    for _ in range(5):  # a turn may be over before the signal comes
        say(process, "distribution of salary by department")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        stopped = heard(process.stdout)
        if stopped["status"] == "failed":
            break
    assert (stopped["status"], stopped["answer"]) == ("failed", "Stopped.")
    say(process, "top 2")
    assert len(heard(process.stdout)["rows"]) == 2
    process.communicate()
    assert process.returncode == 0
    replayed = command("replay", "last", cwd=tmp_path)
    assert replayed.code == 0, replayed.err


def recorded(folder: Path) -> set[str]:
    """The addresses of all steps that the only run has recorded so far."""
    [journal] = folder.glob("runs/*/journal.sqlite")
    return {row.address for row in load(journal.parent)}


@pytest.mark.long("whole processes are killed and go on")
@pytest.mark.parametrize("phase", PHASES)
def test_a_kill_in_each_phase_of_a_turn_loses_nothing(tmp_path: Path, phase: str) -> None:
    process = opened(tmp_path, *ALL)
    say(process, "average salary by department")
    heard(process.stdout)
    said = "Create separate reports: salary, stock"
    say(process, said)
    deadline = time.monotonic() + 60
    while not any(each.startswith(phase) for each in recorded(tmp_path)):
        assert time.monotonic() < deadline
    process.kill()
    process.communicate()
    ended = command("resume", "last", "--json", cwd=tmp_path, stdin="thanks\n")
    assert ended.code == 0, ended.err
    found = ended.json()["outputs"]
    assert (found["turns"], found["status"]) == (3, "completed")
    [run] = (tmp_path / "runs").iterdir()
    code = (run / "code.txt").read_text()
    assert [code.count(f"# Turn {each}\n") for each in (1, 2, 3)] == [1, 1, 0]
    assert code.count(".to_arrow_table().to_pandas()\nprint(answer_") == 3


@pytest.mark.long("whole runs of the command")
def test_a_conversation_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    staff(tmp_path)
    monkeypatch.chdir(tmp_path)
    talked = flows.chat(data="employees.csv")
    assert len(talked.send("average salary by department").answer) > 20
    assert talked.send("top 1").status == "answered"
    assert len(talked.rows) == 1
    other = flows.chat(session=talked.session)
    assert other.send("and the lowest?").turn == 3
    with pytest.raises(UsageError, match="nothing is said"):
        other.send("  ")
    with pytest.raises(FlowsError, match="is over"):
        other.send("q")
    with pytest.raises(UsageError, match="no data"):
        flows.chat()
