"""What is said of a run that a service has, by where that is reached."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from flows.core.file_lock import hold
from flows.errors import StateConflict
from flows.records.lookup import find_run
from flows.services.hosting.serving_process import ServiceDoor, refuse_served, write_address
from flows.services.hosting.store import HostingStore, StoredRun
from tests.runners.journals import start, write_run

URL = "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("door", "answer", "said"),
    [
        ("page", None, f"in its page: {URL}/#/runs/run"),
        ("mcp", "yes", 'by the tool answer: {"run": "run", "answer": "yes", "step": "Ask#1"}'),
        ("api", None, f'curl -X POST {URL}/api/runs/run/resume -H "Authorization: Bearer'),
        ("api", "it's", """-d '{"text": "it'"'"'s", "step": "Ask#1"}'"""),
    ],
)
def test_a_run_of_a_service_is_gone_on_with_there(
    tmp_path: Path, door: ServiceDoor, answer: str | None, said: str
) -> None:
    write_run(tmp_path / "run", [start()])

    async def refused() -> str:
        store = HostingStore(tmp_path / "state")
        lock = hold(tmp_path / "run")
        try:
            await store.add(StoredRun("run", "flow", "file", "{}"))
            place = find_run(tmp_path, "run")
            refuse_served(tmp_path / "state", place)  # it does not listen yet
            write_address(tmp_path / "state", store.owner, URL, door)
            with pytest.raises(StateConflict) as refusal:
                refuse_served(tmp_path / "state", place, answer, "Ask#1" if answer else None)
        finally:
            os.close(lock)
            store.close()
        return str(refusal.value)

    assert said in asyncio.run(refused())
