"""What becomes of runs when the process that serves them ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from socket import socket

import pytest

from tests.cli.command import flows
from tests.web.own_flows import write_flows
from tests.web.serving import TOKEN, serving


def executed(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


@pytest.mark.long("the real command, killed and started again")
def test_a_killed_service_goes_on_with_its_runs(tmp_path: Path) -> None:
    log = tmp_path / "executed"
    env = {"FLOWS_TEST_LOG": str(log), "FLOWS_TEST_SECONDS": "30"}
    with serving(tmp_path, "--at-once", "3", env=env) as service:
        ids = [service.start("sleeper", key=str(n), n=n) for n in range(5)]
        asker = service.start("asker", name="Ann")
        for each in ids[:3]:
            service.until(each, "running")
        assert service.run(ids[4])["status"] == "queued"
        service.process.kill()
        service.process.wait()
    env["FLOWS_TEST_SECONDS"] = "0.05"
    with serving(tmp_path, env=env) as service:
        for n, each in enumerate(ids):
            assert service.until(each, "finished")["outputs"] == {"n": n + 2}
        service.until(asker, "waiting")
        assert service.start("sleeper", key="4", n=4) == ids[4]
        # What was done before the kill was not done again.
        assert executed(log).count("first#1") == 5
        service.post(f"/api/runs/{asker}/answer", {"text": "yes"})
        assert service.until(asker, "finished")["outputs"] == {"said": "yes"}
        assert service.stop() == 0


@pytest.mark.long("the real command, stopped and started again")
def test_a_service_that_is_told_to_end_leaves_its_runs_for_the_next(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        run_id = service.start("sleeper", n=1)
        service.until(run_id, "running")
        told = service.events(run_id, until=("step_finished",))
        assert told[-1]["address"] == "first#1"
        assert service.stop(signal.SIGINT) == 130
    with serving(tmp_path, env={"FLOWS_TEST_SECONDS": "0.01"}) as service:
        events = service.events(run_id, after=told[-1]["id"])
        kinds = [each["kind"] for each in events if "id" in each]
        assert kinds == ["interrupted", "started", "step_finished", "ended"]
        assert events[-1]["status"] == "finished"


@pytest.mark.long("the real command, which waits for requests under way")
def test_a_request_that_the_end_cuts_off_is_told_so(tmp_path: Path) -> None:
    with serving(tmp_path) as service, socket() as upload:
        host, port = service.url.removeprefix("http://").split(":")
        upload.connect((host, int(port)))
        head = (
            f"POST /api/flows/echo/runs HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 9999\r\n"
            f"Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\r\n{{"
        )
        upload.sendall(head.encode())
        assert service.get("/api/runs") == {"runs": [], "more": False}
        assert service.stop() == 0
        told = b""
        while piece := upload.recv(10_000):
            told += piece
    first, _, body = told.decode().partition("\r\n\r\n")
    assert first.startswith("HTTP/1.1 503 ")
    assert json.loads(body)["error"]["what"] == "the service ended before the request was done"
    assert "Traceback" not in service.log


@pytest.mark.long("the real command, and what is done with its runs when it has ended")
def test_standard_output_is_the_address_whatever_a_flow_prints(tmp_path: Path) -> None:
    files = (*write_flows(tmp_path), "adder.yaml", "asker.yaml", "sleeper.yaml")
    with serving(tmp_path, *files, env={"FLOWS_TEST_SECONDS": "600"}) as service:
        service.until(service.start("louder", text="hello"), "finished")
        run_id = service.start("adder", n=1)
        service.until(run_id, "finished")
        asker, sleeper = service.start("asker", name="Ann"), service.start("sleeper", n=1)
        service.until(asker, "waiting")
        service.until(sleeper, "running")
        # Commands see the runs, and say who has them, and how to go on with them there.
        answered = flows("resume", asker, "--answer", "Ann's yes", cwd=tmp_path)
        assert answered.code == 2
        assert f"process {service.process.pid}" in answered.err
        command = answered.err[answered.err.index("curl ") :]
        subprocess.run(command, shell=True, check=True, env={**os.environ, "FLOWS_TOKEN": TOKEN})
        assert service.until(asker, "finished")["outputs"] == {"said": "Ann's yes"}
        assert service.post(f"/api/runs/{sleeper}/cancel").status_code == 202
        listed = flows("runs", "--json", cwd=tmp_path).json()["runs"]
        assert {each["run_id"]: each["status"] for each in listed} == {
            service.get("/api/runs")["runs"][-1]["id"]: "finished",
            run_id: "finished", asker: "finished", sleeper: "interrupted",
        }  # fmt: skip
        assert service.stop() == 0
        assert service.process.stdout is not None
        assert service.process.stdout.read() == ""
    assert "this is printed by a flow" in service.log
    # A fork of a run that shares its journal is a run of its own in the same folder.
    forked = flows("fork", run_id, "--at", "two#1", "--trust", "tests", "--json", cwd=tmp_path)
    assert forked.code == 0, forked.err
    assert (tmp_path / "runs" / forked.json()["run_id"] / "journal.sqlite").is_file()
    assert flows("show", forked.json()["run_id"], cwd=tmp_path).code == 0


@pytest.mark.long("the real command")
def test_a_full_queue_refuses_and_says_when_to_come_back(tmp_path: Path) -> None:
    with serving(tmp_path, "--at-once", "1", "--queue", "2") as service:
        first = service.start("sleeper", n=1)
        service.until(first, "running")
        waiting = [service.start("sleeper", n=n) for n in range(2)]
        refused = service.post("/api/flows/sleeper/runs", {"inputs": {"n": 9}})
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert service.post(f"/api/runs/{waiting[0]}/cancel").status_code == 202
        service.start("sleeper", n=9)


@pytest.mark.long("two real commands in one folder")
def test_two_services_in_a_folder_leave_each_other_their_runs(tmp_path: Path) -> None:
    with serving(tmp_path) as one, serving(tmp_path) as other:
        run_id, asker = one.start("sleeper", n=1), one.start("asker", name="Ann")
        one.until(run_id, "running")
        one.until(asker, "waiting")
        assert other.run(run_id)["status"] == "running"
        assert other.events(run_id, until=("step_finished",))[-1]["address"] == "first#1"
        for action in ("cancel", "resume"):
            assert other.post(f"/api/runs/{run_id}/{action}").status_code == 409
        refused = other.post(f"/api/runs/{asker}/answer", {"text": "hi"})
        assert (refused.status_code, one.run(asker)["status"]) == (409, "waiting")
        assert other.until(other.start("adder", n=1), "finished")["outputs"] == {"n": 4}
        one.process.kill()
        one.process.wait()
        assert other.run(run_id)["status"] == "interrupted"
        assert other.post(f"/api/runs/{asker}/answer", {"text": "hi"}).status_code == 202
        assert other.until(asker, "finished")["outputs"] == {"said": "hi"}
        assert other.run(run_id)["status"] == "interrupted"
        assert other.post(f"/api/runs/{run_id}/resume").status_code == 202
        other.until(run_id, "running")
        assert other.post(f"/api/runs/{run_id}/cancel").status_code == 202


@pytest.mark.long("the real command, stopped and started again")
def test_an_answer_that_a_changed_flow_cannot_take_is_said_and_kept(tmp_path: Path) -> None:
    files = write_flows(tmp_path)
    tools, was = tmp_path / "tools.py", (tmp_path / "tools.py").read_text()
    with serving(tmp_path, *files) as service:
        run_id = service.start("asks", what="What?")
        service.until(run_id, "waiting")
        assert service.stop(signal.SIGINT) == 130
    tools.write_text(was.replace("    what: str\n", "    what: str\n    extra: int\n"))
    with serving(tmp_path, *files) as service:
        assert service.post(f"/api/runs/{run_id}/answer", {"text": "this"}).status_code == 202
        assert "extra" in service.until(run_id, "failed")["reason"]
        assert service.stop(signal.SIGINT) == 130
    tools.write_text(was)
    with serving(tmp_path, *files) as service:
        assert service.post(f"/api/runs/{run_id}/resume").status_code == 202
        assert service.until(run_id, "finished")["outputs"] == {"said": "this"}
