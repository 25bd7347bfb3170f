"""The JSON API, by the real command over the loopback."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.web.serving import Serving, serving


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("served")) as found:
        yield found


@pytest.mark.long("the real command")
def test_a_flow_says_what_it_takes_and_how_it_is_made(service: Serving) -> None:
    flows = {each["name"]: each for each in service.get("/api/flows")}
    assert set(flows) == {"adder", "sleeper", "asker", "saver", "echo"}
    adder = flows["adder"]
    assert adder["title"] == "Adder"
    assert adder["description"] == "Adds three to a number."
    assert adder["inputs"]["properties"]["n"]["type"] == "integer"
    assert adder["inputs"]["required"] == ["n"]
    graph = service.get("/api/flows/adder")["graph"]
    assert [each["address"] for each in graph["nodes"]] == ["", "one", "two"]
    assert [(each["from"], each["to"]) for each in graph["edges"]] == [
        (None, "one"),
        ("one", "two"),
    ]
    missing = service.client.get("/api/flows/none")
    assert missing.status_code == 404
    assert missing.json()["error"]["allowed"] == ["adder", "sleeper", "asker", "saver", "echo"]


@pytest.mark.long("the real command")
def test_a_run_is_started_watched_and_read(service: Serving) -> None:
    reply = service.post("/api/flows/adder/runs", {"inputs": {"n": 1}, "session": "mine"})
    assert reply.status_code == 202
    run_id = reply.json()["id"]
    assert reply.headers["location"] == f"/api/runs/{run_id}"
    told = service.events(run_id)
    kinds = [each["kind"] for each in told if "id" in each]
    assert kinds == ["started", "step_finished", "step_started", "step_finished", "ended"]
    assert [each["id"] for each in told if "id" in each] == [1, 2, 3, 4, 5]
    run = service.run(run_id)
    assert (run["status"], run["flow"], run["session"]) == ("finished", "adder", "mine")
    assert (run["inputs"], run["outputs"]) == ({"n": 1}, {"n": 4})
    assert [each["id"] for each in service.events(run_id, after=3)] == [4, 5]
    assert [each["id"] for each in service.events(run_id, after=5)] == [5]
    listed = service.get("/api/runs?limit=1")["runs"]
    assert [each["id"] for each in listed] == [run_id]
    waited = service.post("/api/flows/adder/runs?wait=20", {"inputs": {"n": 2}}).json()
    assert (waited["status"], waited["outputs"]) == ("finished", {"n": 5})
    older = service.get(f"/api/runs?before={waited['id']}")["runs"]
    assert run_id in [each["id"] for each in older]
    assert waited["id"] not in [each["id"] for each in older]


@pytest.mark.long("the real command")
def test_a_question_is_asked_and_answered_in_one_stream(service: Serving) -> None:
    run_id = service.start("asker", name="Ann")
    asked = service.events(run_id, until=("waiting",))
    question = next(each for each in asked if each["kind"] == "question")["question"]
    assert question["text"] == "What do you say, Ann?"
    assert question["takes_text"]
    assert service.run(run_id)["question"]["id"] == question["id"]
    last = asked[-1]["id"]
    reply = service.post(f"/api/runs/{run_id}/answer", {"text": "hello", "step": question["step"]})
    assert reply.status_code == 202
    assert service.events(run_id, after=last)[-1]["status"] == "finished"
    assert service.run(run_id)["outputs"] == {"said": "hello"}
    again = service.post(f"/api/runs/{run_id}/answer", {"text": "hello"})
    assert again.status_code == 409


@pytest.mark.long("the real command")
def test_a_key_starts_one_run(service: Serving) -> None:
    first = service.post(
        "/api/flows/adder/runs", {"inputs": {"n": 7}}, headers={"Idempotency-Key": "seven"}
    )
    again = service.post(
        "/api/flows/adder/runs", {"inputs": {"n": 7}}, headers={"Idempotency-Key": "seven"}
    )
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["id"] == again.json()["id"]
    other = service.post(
        "/api/flows/adder/runs", {"inputs": {"n": 8}}, headers={"Idempotency-Key": "seven"}
    )
    assert other.status_code == 409


@pytest.mark.long("the real command")
def test_a_run_is_cancelled_and_resumed(service: Serving) -> None:
    run_id = service.start("sleeper", n=1)
    service.until(run_id, "running")
    assert service.post(f"/api/runs/{run_id}/cancel").json()["status"] == "cancelled"
    assert service.run(run_id)["status"] == "cancelled"
    assert service.events(run_id)[-1]["status"] == "cancelled"
    assert service.post(f"/api/runs/{run_id}/answer", {"text": ""}).status_code == 409
    resumed = service.post(f"/api/runs/{run_id}/resume")
    assert resumed.json()["status"] in ("queued", "running")
    time.sleep(0.2)
    assert service.post(f"/api/runs/{run_id}/resume").status_code == 409
    assert service.post(f"/api/runs/{run_id}/cancel").status_code == 202


@pytest.mark.long("the real command")
def test_of_many_who_change_a_run_at_once_one_does_and_the_others_are_told(
    service: Serving,
) -> None:
    run_id = service.start("sleeper", n=1)
    service.until(run_id, "running")

    def at_once(action: str) -> list[str]:
        with ThreadPoolExecutor(8) as threads:
            path = f"/api/runs/{run_id}/{action}"
            replies = list(threads.map(lambda _: service.post(path), range(8)))
        assert sorted(each.status_code for each in replies) == [202, *[409] * 7]
        return [each.json()["error"]["what"] for each in replies if each.status_code == 409]

    assert set(at_once("cancel")) == {f"the run {run_id} is cancelled"}
    told = at_once("resume")
    assert all(f"the run {run_id} is " in each for each in told)
    assert not [each for each in told if "process" in each or "cancelled" in each]
    assert service.post(f"/api/runs/{run_id}/cancel").status_code == 202


@pytest.mark.long("the real command")
def test_an_artifact_is_fetched_by_its_name(service: Serving) -> None:
    run_id = service.start("saver", n=3)
    run = service.until(run_id, "finished")
    name = run["outputs"]["name"]
    reply = service.client.get(f"/api/runs/{run_id}/artifacts/{name}")
    assert reply.text == "n\n3\n"
    assert reply.headers["content-disposition"].startswith("attachment")
    listed = service.get(f"/api/runs/{run_id}/artifacts")["artifacts"]
    assert name in [each["name"] for each in listed]
    for hostile in (
        "..%2f..%2fjournal.sqlite",
        "journal.sqlite",
        "../journal.sqlite",
        "%00",
        name + "x",
    ):
        assert service.client.get(f"/api/runs/{run_id}/artifacts/{hostile}").status_code == 404
    for hostile in ("..", "%2e%2e%2fruns", "a" * 500, "last", run_id[:8]):
        assert service.client.get(f"/api/runs/{hostile}").status_code in (404, 401)


@pytest.mark.long("the real command")
def test_what_is_wrong_is_said_with_its_place(service: Serving) -> None:
    start = "/api/flows/adder/runs"
    missing = service.post(start, {"inputs": {}})
    assert missing.status_code == 422
    assert missing.json()["error"]["where"] == "inputs.n"
    assert missing.json()["error"]["allowed"] == ["n"]
    wrong = service.post(start, {"inputs": {"n": "many"}})
    assert (wrong.status_code, wrong.json()["error"]["where"]) == (422, "inputs.n")
    unknown = service.post(start, {"input": {"n": 1}})
    assert (unknown.status_code, unknown.json()["error"]["where"]) == (422, "input")
    for body in (
        b"{", b'{"inputs": {"n": NaN}}', b'{"inputs": {"n": 1e999}}', b"\xff", b"[1]",
        b'{"inputs": {"n": 1, "n": 2}}', b"[" * 100_000, b'{"session": "\\ud800"}',
    ):  # fmt: skip
        reply = service.client.post(
            start, content=body, headers={"Content-Type": "application/json"}
        )
        assert reply.status_code == 422, body[:50]
        assert reply.json()["error"]["what"]
    form = service.client.post(start, data={"n": "1"})
    assert form.status_code == 422
    assert service.client.get("/api/runs?limit=many").status_code == 422


@pytest.mark.long("the real command")
def test_a_run_is_looked_back_at_forked_and_replayed(service: Serving) -> None:
    run_id = service.start("adder", n=1)
    service.until(run_id, "finished")
    steps = service.get(f"/api/runs/{run_id}/steps")["steps"]
    assert [each["address"] for each in steps] == ["one#1", "two#1"]
    step = service.get(f"/api/runs/{run_id}/steps/two%231")
    assert (step["inputs"], step["outputs"]) == ({"n": 2}, {"n": 4})
    unknown = service.client.get(f"/api/runs/{run_id}/steps/three%231")
    assert (unknown.status_code, unknown.json()["error"]["allowed"]) == (404, ["one#1", "two#1"])
    told = service.get(f"/api/runs/{run_id}/explain", params={"value": "n"})
    assert next(each["step"] for each in told["links"]) == "two#1"
    assert service.get(f"/api/runs/{run_id}/explain")["values"]
    assert service.client.get(f"/api/runs/{run_id}/explain?value=m").status_code == 422
    assert service.post(f"/api/runs/{run_id}/replay").json()["same"] is True
    fork = {"at": "two#1", "settings": ["two.amount=10"]}
    forked = service.post(f"/api/runs/{run_id}/fork", fork)
    assert forked.status_code == 202, forked.text
    other = forked.json()["id"]
    assert service.until(other, "finished")["outputs"] == {"n": 12}
    found = service.get(f"/api/compare?a={run_id}&b={other}")
    assert found["first_divergence"]["step"] == "two#1"
    assert service.client.get(f"/api/compare?a={run_id}").status_code == 422
    for wrong in ({"at": "four#1"}, {"at": "two#1", "settings": ["two.amoun=1"]}, {"at": 1}):
        assert service.post(f"/api/runs/{run_id}/fork", wrong).status_code == 422
