"""The benchmarks' own machinery, on tiny sizes: no network, no peers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.memory.semantic import needs_model

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
SKEWED = """
import workload
honest = workload.advance
workload.advance = lambda counter, items: (counter + 1, honest(counter, items)[1][1:])
"""


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)


@pytest.fixture
def peers(tmp_path: Path) -> Path:
    """A folder with the real workload and the plain driver, and no contestants yet."""
    folder = tmp_path / "peers"
    folder.mkdir()
    for name in ("workload.py", "driver.py", "plain_steps.py", "bare_rows.py"):
        shutil.copy(BENCHMARKS / "peers" / name, folder)
    return folder


def compare(peers: Path, contestants: str, *arguments: str) -> tuple[Any, dict[str, Any]]:
    (peers / "step_cost.toml").write_text(contestants)
    target = peers.parent / "results" / "out.json"
    sizes = ("--rounds", "3", "--repeats", "2")
    done = run("step_cost.py", *sizes, "--peers", str(peers), "--json", str(target), *arguments)
    written: dict[str, Any] = json.loads(target.read_text()) if target.exists() else {}
    return done, written


@pytest.mark.long("takes a process, a file or a run of its own")
def test_the_plain_floor_is_measured_and_written(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    sizes = ("--only", "plain", "--rounds", "4", "--repeats", "3")
    done = run("step_cost.py", *sizes, "--json", str(target))
    assert done.returncode == 0, done.stderr
    assert "plain await" in done.stdout
    written = json.loads(target.read_text())
    assert written["workload"]["steps"] == 20
    assert len(written["workload"]["state_keys"]) == 8
    (row,) = written["contestants"]
    assert len(row["samples"]) == 3
    figures = row["cpu_us_per_step"]
    assert 0 < figures["min"] <= figures["median"] <= figures["max"]
    assert {sample["check"] for sample in row["samples"]} == {written["workload"]["final_state"]}


@pytest.mark.long("takes a process, a file or a run of its own")
def test_contestants_take_turns(peers: Path) -> None:
    both = '[a]\ndriver = "plain_steps.py"\n[b]\ndriver = "plain_steps.py"\nrole = "ours"\n'
    done, written = compare(peers, both)
    assert done.returncode == 0, done.stderr
    turns = [line.split(": ")[1] for line in done.stderr.splitlines() if "repeat" in line]
    assert turns == ["a", "b", "a", "b"]
    assert [row["name"] for row in written["contestants"]] == ["a", "b"]
    assert "a, the fastest peer: " in done.stdout


@pytest.mark.long("takes a process, a file or a run of its own")
def test_a_missing_driver_is_skipped_with_its_reason(peers: Path) -> None:
    done, written = compare(
        peers, '[a]\ndriver = "plain_steps.py"\n[later]\ndriver = "later_steps.py"\n'
    )
    assert done.returncode == 0, done.stderr
    assert written["skipped"] == {"later": "there is no driver later_steps.py"}
    assert "skipped later: there is no driver later_steps.py" in done.stdout


@pytest.mark.long("takes a process, a file or a run of its own")
def test_a_wrong_final_state_is_refused(peers: Path) -> None:
    plain = (peers / "plain_steps.py").read_text()
    skewed = plain.replace("from workload import", SKEWED + "from workload import")
    assert skewed != plain
    (peers / "skewed_steps.py").write_text(skewed)
    done, written = compare(
        peers, '[right]\ndriver = "plain_steps.py"\n[wrong]\ndriver = "skewed_steps.py"\n'
    )
    assert done.returncode == 1
    assert "final state" in written["failed"]["wrong"]
    assert [row["name"] for row in written["contestants"]] == ["right"]


def test_a_crash_and_a_chatty_driver_are_told_apart(peers: Path) -> None:
    (peers / "crash.py").write_text("raise SystemExit('no luck today')")
    (peers / "chat.py").write_text("print('all went well')")
    done, written = compare(peers, '[crash]\ndriver = "crash.py"\n[chat]\ndriver = "chat.py"\n')
    assert done.returncode == 1
    assert "no luck today" in written["failed"]["crash"]
    assert "got all went well" in written["failed"]["chat"]


def test_an_unknown_name_lists_the_known_ones() -> None:
    done = run("step_cost.py", "--only", "plain,bur")
    assert done.returncode == 2
    assert (
        "no contestant 'bur'; there are plain, ours, ours-elements, ours-own, ours-journal, burr"
        in done.stderr
    )


@pytest.mark.long("makes a virtual environment twice")
def test_an_environment_is_made_once_and_anew_when_its_file_changes(peers: Path) -> None:
    (peers / "where.py").write_text(
        "import sys\nassert sys.prefix.endswith('tiny'), sys.prefix\n"
        "from driver import driver_arguments, measure_async\nfrom plain_steps import build\n"
        "measure_async(build, driver_arguments().rounds)\n"
    )
    (peers / "tiny.txt").write_text("# nothing is needed\n")
    tiny = '[tiny]\ndriver = "where.py"\nrequirements = "tiny.txt"\npackage = "pip"\n'
    first, written = compare(peers, tiny)
    assert first.returncode == 0, first.stderr
    assert "making the environment of tiny.txt" in first.stderr
    assert written["contestants"][0]["version"]
    second, _ = compare(peers, tiny)
    assert second.returncode == 0
    assert "making" not in second.stderr
    (peers / "tiny.txt").write_text("./no-such-folder\n")
    third, written = compare(peers, tiny)
    assert third.returncode == 1
    assert "no-such-folder" in written["failed"]["tiny"]
    fourth, _ = compare(peers, tiny)
    assert fourth.returncode == 1, "half an environment must not be taken for a whole one"


def test_every_listed_peer_is_complete_and_pinned() -> None:
    folder = BENCHMARKS / "peers"
    lists = {path.stem: tomllib.loads(path.read_text()) for path in folder.glob("*.toml")}
    assert {"plain", "ours", "burr", "langgraph", "aiflows"} <= set(lists["step_cost"])
    assert {"bare", "ours", "burr", "langgraph", "dbos"} <= set(lists["durable_step"])
    assert {"ours", "burr", "langgraph"} <= set(lists["journal_growth"])
    assert {"plain", "ours", "langgraph"} <= set(lists["many_sessions"])
    for file in folder.glob("*.txt"):
        lines = [line for line in file.read_text().splitlines() if line[:1] != "#"]
        assert lines
        for line in lines:
            name, _, version = line.partition("==")
            assert name, line
            assert version, line
            assert not {"/", " ", "@"} & set(line), line
    for entry in (each for listed in lists.values() for each in listed.values()):
        assert (folder / entry["driver"]).is_file()
        assert (folder / entry.get("requirements", "workload.py")).is_file()


@pytest.mark.long("the benchmark itself")
def test_the_durable_step_is_measured_in_both_modes(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    sizes = ("--only", "bare,ours,ours-pure", "--rounds", "2", "--repeats", "1")
    done = run("durable_step.py", *sizes, "--json", str(target))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "synchronous FULL" in done.stdout
    assert "synchronous NORMAL" in done.stdout
    written = json.loads(target.read_text())
    for durability, synchronous in (("full", 2), ("normal", 1)):
        rows = written["contestants"][durability]
        assert [row["name"] for row in rows] == ["bare", "ours", "ours-pure"]
        facts = [sample["facts"] for row in rows for sample in row["samples"]]
        assert {each["synchronous"] for each in facts} == {synchronous}
        assert all(each["rows"] >= written["workload"]["steps"] for each in facts)


@pytest.mark.long("takes a process, a file or a run of its own")
@pytest.mark.parametrize(
    ("honest", "other", "complaint"),
    [
        ("synchronous={durability}", "synchronous=OFF", "its synchronous was 0"),
        ("journal_mode=WAL", "journal_mode=DELETE", "its journal_mode was delete"),
        ("SELECT count(*) FROM {table}", "SELECT 9 FROM {table}", "9 rows were written of 15"),
    ],
)
def test_a_step_that_is_not_durable_is_refused(
    peers: Path, honest: str, other: str, complaint: str
) -> None:
    driver = (peers / "driver.py").read_text()
    assert honest in driver
    (peers / "driver.py").write_text(driver.replace(honest, other))
    (peers / "durable_step.toml").write_text('[bare]\ndriver = "bare_rows.py"\n')
    target = peers.parent / "out.json"
    sizes = ("--rounds", "3", "--repeats", "1")
    done = run("durable_step.py", *sizes, "--peers", str(peers), "--json", str(target))
    assert done.returncode == 1
    assert complaint in json.loads(target.read_text())["failed"]["bare"]


@pytest.mark.long("the benchmark itself")
def test_the_growth_of_our_file_is_measured(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    sizes = ("--only", "ours", "--steps", "100,25,50")
    done = run("journal_growth.py", *sizes, "--json", str(target))
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = json.loads(target.read_text())["contestants"]
    assert list(row["bytes"]) == ["25", "50", "100"]
    assert row["bytes"]["100"] > 100 * 500
    assert 0 < row["exponent"] <= 1.05


@pytest.mark.parametrize(("steps", "complaint"), [("7,7", "two different"), ("0,7", "less than 1")])
def test_a_growth_needs_sizes(steps: str, complaint: str) -> None:
    done = run("journal_growth.py", "--steps", steps)
    assert done.returncode == 2
    assert complaint in done.stderr


@pytest.mark.long("the benchmark itself")
def test_many_sessions_share_a_journal(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    sizes = ("--sessions", "20", "--rounds", "3", "--repeats", "1")
    only = ("--only", "plain,ours,ours-memory")
    done = run("many_sessions.py", *only, *sizes, "--json", str(target))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(target.read_text())["contestants"]
    assert [row["name"] for row in rows] == ["plain", "ours", "ours-memory"]
    assert {sample["steps"] for row in rows for sample in row["samples"]} == {60}
    assert all(row["wall_of_ideal"]["min"] >= 1 for row in rows)
    assert rows[1]["samples"][0]["facts"]["rows"] >= 60


@pytest.mark.long("the benchmark itself")
def test_people_in_slack_are_answered_at_once(tmp_path: Path) -> None:
    pytest.importorskip("slack_bolt")
    file = tmp_path / "slack.json"
    done = run("slack.py", "--people", "3", "--rows", "500", "--json", str(file))
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text())
    assert (found["questions"], found["right"], found["exit_code"]) == (9, 9, 0)


@pytest.mark.long("a browser and a service")
@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not on this machine")
def test_each_event_reaches_each_client_once(tmp_path: Path) -> None:
    file = tmp_path / "watchers.json"
    sizes = ("--clients", "7", "--runs", "3", "--pace", "0.3", "--seconds", "3")
    done = run("service_watchers.py", *sizes, "--json", str(file))
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text())
    assert found["clients_without_events"] == 0
    # Six clients that each see about ten steps, and the browser.
    assert 36 <= found["events"] <= 66
    assert 6 <= found["chromium_events"] <= 11


@pytest.mark.long("whole processes are killed and go on")
def test_a_killed_run_is_resumed_with_the_clock_on(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    done = run("resume_time.py", "--steps", "5", "--repeats", "1", "--json", str(target))
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(target.read_text())["milliseconds"]
    assert list(figures) == ["run_plan, resume=True", "flows resume"]
    assert all(each["min"] > 0 for each in figures.values())


@pytest.mark.long("a benchmark as it is run")
def test_import_cost_counts_and_notices_what_is_heavy(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    rest = ("--repeats", "2", "--no-help-page", "--json", str(target))
    done = run("import_cost.py", "--module", "flows", *rest)
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads(target.read_text())
    assert "flows" in written["modules"]
    assert written["heavy"] == []
    done = run("import_cost.py", "--module", "pydantic", *rest)
    assert done.returncode == 1
    assert json.loads(target.read_text())["heavy"] == ["pydantic"]
    assert "pydantic" in done.stdout


def test_first_step_is_seen_before_the_end(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    code = (
        "import sys, time\nprint('hello', file=sys.stderr)\ntime.sleep(0.2)\n"
        "print('Round 1', file=sys.stderr)\ntime.sleep(0.2)\n"
    )
    command = ("--", "python", "-c", code)
    done = run("first_step.py", "--repeats", "1", "--json", str(target), *command)
    assert done.returncode == 0, done.stderr
    ((sample,),) = json.loads(target.read_text())["samples"].values()
    assert sample["first_step_s"] >= 0.2
    assert 0 < sample["processor_s"] < sample["total_s"] + 5
    assert sample["total_s"] >= sample["first_step_s"] + 0.2


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("import sys; print('hello', file=sys.stderr)", "no line with"),
        ("raise SystemExit('out of coffee')", "out of coffee"),
        ("import time; time.sleep(60)", "no end after 0.5 s"),
    ],
)
def test_first_step_says_why_there_is_none(tmp_path: Path, code: str, complaint: str) -> None:
    limits = ("--repeats", "1", "--seconds", "0.5", "--json", str(tmp_path / "out.json"))
    done = run("first_step.py", *limits, "--", "python", "-c", code)
    assert done.returncode == 1
    assert complaint in done.stderr


@pytest.mark.long("the benchmark itself")
@needs_model
def test_linking_by_meaning_finds_what_spelling_does_not(tmp_path: Path) -> None:
    columns = ["revenue", "city", "customer_name", "order_date", "quantity"]
    meant = {"turnover": "revenue", "town": "city", "when it was bought": "order_date"}
    pairs = [
        {"phrase": phrase, "table": "orders", "columns": columns, "column": column}
        for phrase, column in meant.items()
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in pairs))
    done = run("linking.py", str(tmp_path / "pairs.jsonl"))
    assert done.returncode == 0, done.stderr
    shares = {line[:11].strip(): line[14:].split() for line in done.stdout.splitlines()[3:]}
    assert set(shares) == {"by spelling", "by meaning", "by both"}
    assert shares["by meaning"][0] == "1.000" > shares["by spelling"][0]


@pytest.mark.long("a benchmark as it is run")
def test_conversations_are_judged(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("region,price\nnorth,4\nsouth,5\nnorth,7\n")
    turns = [
        {"user": "total price by region", "kind": "open",
         "gold": {"type": "rows", "rows": [["north", 11], ["south", 5]]}},
        {"user": "only the north", "kind": "narrow", "gold": {"type": "scalar", "value": 11}},
        {"user": "and the average?", "kind": "measure", "gold": {"type": "scalar", "value": 1}},
    ]  # fmt: skip
    dialogue = {"id": "a", "data": ["shop.csv"], "turns": turns}
    (tmp_path / "set.jsonl").write_text(json.dumps(dialogue) + "\n")
    script = [sys.executable, str(BENCHMARKS / "conversations.py"), str(tmp_path / "set.jsonl")]
    out = tmp_path / "out.json"
    done = subprocess.run([*script, "--json", str(out)], capture_output=True, text=True, check=True)
    assert "dialogues right in all turns: 0 of 1" in done.stdout
    assert json.loads(out.read_text())["turns"] == {"right": 2, "wrong": 1}
    subprocess.run([*script, "--control"], capture_output=True, text=True, check=True)


@pytest.mark.long("the benchmark itself")
def test_entity_stores_are_measured(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    words = ("--entities", "3000", "--only", "sqlite", "--json", str(found))
    done = run("entities.py", *words)
    assert done.returncode == 0, done.stderr
    measured = json.loads(found.read_text())["sqlite"]
    assert measured["reads_while_reloading"] > 0
    assert 0 < measured["hundred_ms"] < 1000
