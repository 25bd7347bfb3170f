"""Runs of a service whose store cannot be written when they end."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from flows.services.hosting.hosted_flow import HostedFile
from flows.services.hosting.open_service import open_service
from flows.services.hosting.store import FILE

REFUSES = """
CREATE TRIGGER refuses BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
"""


def test_an_end_that_cannot_be_kept_is_found_by_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("echo.yaml").write_text("_target_: tests.flows_for_tests.Echo\n")
    files, state = [HostedFile(Path("echo.yaml"))], tmp_path / "state"

    def change_store(statement: str) -> None:
        with closing(sqlite3.connect(state / FILE)) as store:
            store.execute(statement)

    async def use() -> None:
        async with open_service(files, trust=("tests",), state=state) as service:
            change_store(REFUSES)
            run_id = (await service.start("echo", {"value": "x"})).run_id
            await service.wait(run_id, 60)
            assert service.runs.state(run_id).status == "finished"
            assert service.counts == {"started": 1, "finished": 1}
            stored = service.store.find(run_id)
            assert stored is not None
            assert stored.state == "queued"
        change_store("DROP TRIGGER refuses")
        async with open_service(files, trust=("tests",), state=state) as service:
            assert await service.recover() == 1
            await service.wait(run_id, 60)
            found = service.runs.state(run_id)
            assert found.record is not None
            assert found.stored is not None
            assert (found.status, found.stored.state) == ("finished", "finished")
            assert found.record.outputs == {"value": "x"}

    with caplog.at_level(logging.ERROR):
        asyncio.run(use())
    [told] = caplog.records
    assert told.getMessage().endswith(
        "is finished, and the service cannot keep its runs: the disk is full"
    )
