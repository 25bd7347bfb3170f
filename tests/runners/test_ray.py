"""The same run on a Ray cluster: two nodes on this machine, whose parts are killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.runners.door import resume
from flows.runners.workers.ray_nodes import NodeRelay, RayNodes
from tests.flows_for_tests import EXECUTED
from tests.processes import children_of, is_gone
from tests.runners.worked import (
    Owner,
    check_all_done,
    check_same,
    executed,
    of,
    workers_below,
)
from tests.shapes import TRUST

os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # as read when Ray is imported
ray = pytest.importorskip("ray", reason="Ray is not installed: make .venv/ray.stamp")
from ray.cluster_utils import Cluster  # noqa: E402 - after it is known to be there

PROJECT = str(Path(__file__).resolve().parents[2])
pytestmark = pytest.mark.long("starts a Ray cluster")
HEAD = {
    "num_cpus": 1,
    "include_dashboard": False,
    "node_ip_address": "127.0.0.1",
    "_system_config": {"worker_niceness": 0, "health_check_failure_threshold": 3},
}


@pytest.fixture(autouse=True)
def _log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOWS_TEST_LOG", str(tmp_path / "executed.log"))
    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0.3")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    EXECUTED.clear()


@pytest.fixture
def cluster(_log: None) -> Iterator[Any]:
    """A cluster with a head and another node."""
    made = Cluster(initialize_head=True, head_node_args=HEAD)
    made.add_node(num_cpus=1, node_ip_address="127.0.0.1")
    try:
        yield made
    finally:
        made.shutdown()


def raylet(node: Any) -> int:
    """The process of a node."""
    found: int = node.all_processes["raylet"][0].process.pid
    return found


def on(cluster: Any, folder: Path, elements: int) -> Owner:
    """A run over so many elements on the cluster."""
    return Owner(
        folder, of("T.Sleep", list(range(elements))), f", kind: ray, address: '{cluster.address}'"
    )


def listening() -> list[str]:
    """The addresses at which this process and those below it listen, in hexadecimal digits."""
    found = {}
    for file in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{file}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                found[f"socket:[{fields[9]}]"] = fields[1]
    sockets = (each for pid in (os.getpid(), *below(os.getpid())) for each in opened(pid))
    return [found[each] for each in sockets if each in found]


def below(pid: int) -> list[int]:
    """All processes that one has started, and they."""
    return [each for child in children_of(pid) for each in (child, *below(child))]


def opened(pid: int) -> list[str]:
    """What a process has open; nothing of one that has ended."""
    try:
        return [str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []


def test_a_cluster_that_is_begun_here_does_the_same_run(tmp_path: Path) -> None:
    done = check_same(
        of("T.Send", [3, 1, 2]), tmp_path, runner=("runner=ray", "runner.processes=2")
    )
    assert done.outputs["results"] == (5, 3, 4)
    assert EXECUTED == []
    assert not ray.is_initialized()


def test_nothing_listens_off_loopback_and_there_is_no_dashboard() -> None:
    async def look() -> list[str]:
        nodes = RayNodes(1, None)
        assert await nodes.count() == 1
        try:
            return listening()
        finally:
            await nodes.aclose()

    found = asyncio.run(look())
    assert len(found) > 3
    loopback = (
        "0100007F:",
        "00000000000000000000000001000000:",
        "0000000000000000FFFF00000100007F:",
    )
    assert [each for each in found if not each.startswith(loopback)] == []
    assert not any(each.endswith(":2049") for each in found)  # 8265, the dashboard's


def test_killed_workers_and_a_killed_node_lose_and_double_nothing(
    cluster: Any, tmp_path: Path
) -> None:
    second = cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1")
    owner = on(cluster, tmp_path, 40)
    nodes = [raylet(each) for each in cluster.list_all_nodes()]
    owner.wait_until(lambda: executed(tmp_path).total() > 12)
    workers = [each for node in nodes for each in workers_below(node)]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    begun = executed(tmp_path).total()
    owner.wait_until(lambda: executed(tmp_path).total() > begun + 12)
    (victim, *_) = [
        each
        for each in cluster.list_all_nodes()
        if each is not cluster.head_node and workers_below(raylet(each))
    ] or [second]
    os.kill(raylet(victim), signal.SIGKILL)
    result = owner.end()
    assert result["outputs"]["results"] == [n + 2 for n in range(40)]
    check_all_done(owner.rows(), 40)


def test_a_killed_driver_goes_on_on_the_cluster(cluster: Any, tmp_path: Path) -> None:
    owner = on(cluster, tmp_path, 16)
    nodes = [raylet(each) for each in cluster.list_all_nodes()]
    owner.wait_until(lambda: executed(tmp_path).total() > 16)
    workers = [each for node in nodes for each in workers_below(node)]
    owner.process.kill()
    owner.process.communicate()
    recorded = {row.address for row in owner.rows() if row.kind == "outcome"}
    before = executed(tmp_path)
    (run,) = (tmp_path / "runs").iterdir()
    done = resume(run.name, runs=tmp_path / "runs", trust=TRUST)
    assert done.outputs["results"] == tuple(n + 2 for n in range(16))
    check_all_done(owner.rows(), 16)
    assert all(map(is_gone, workers))
    assert not recorded & set(executed(tmp_path) - before)


def test_a_batch_of_questions_is_answered_on_the_nodes(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,revenue\nNorth,100\nSouth,200\nNorth,50\n")
    lines = [{"id": n, "question": "What is the total revenue?"} for n in range(60)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    words = ["ask", "--batch", "questions.jsonl", "--data", "sales.csv", "--json", "runner=ray"]
    asking = subprocess.Popen(
        [sys.executable, "-m", "flows", *words, f"runner.address={cluster.address}"],
        cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": PROJECT},
    )  # fmt: skip
    assert asking.stdout is not None
    told = [json.loads(asking.stdout.readline())]
    nodes = [raylet(each) for each in cluster.list_all_nodes()]
    answering = [each for node in nodes for each in workers_below(node, "services.batch_worker")]
    os.kill(answering[0], signal.SIGKILL)
    told += [json.loads(each) for each in asking.stdout]
    asking.stdout.close()
    assert asking.wait(timeout=60) == 0
    assert [each["id"] for each in told] == list(range(60))
    assert {each["status"] for each in told} == {"answered"}
    assert not any(workers_below(node, "services.batch_worker") for node in nodes)


def test_lines_that_ray_brings_in_another_order_come_in_theirs(tmp_path: Path) -> None:
    (tmp_path / "echoing.py").write_text(
        "import sys\nfor line in sys.stdin:\n    print(line, end='')\n"
    )

    async def relay() -> list[bytes]:
        node = NodeRelay("echoing", str(tmp_path))
        await asyncio.gather(node.send(3, [b"d\n"]), node.send(1, [b"a\n", b"b\n"]))
        await node.send(2, [b"c\n"])
        lines: list[bytes] = []
        ending = asyncio.create_task(node.end())
        while b"" not in lines:
            lines += await node.read()
        await ending
        return lines

    assert asyncio.run(relay()) == [b"a\n", b"b\n", b"c\n", b"d\n", b""]
