"""What the world and the record hold: read from outside, by none of the run's own objects."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.core.history import read_history
from flows.core.journal import load
from flows.core.rows import Row
from flows.errors import JournalError
from flows.memory.chroma import ChromaMemory
from tests.kills.attempt import RUNS, SHARED, Said, Tell, Way
from tests.kills.process import in_a_process
from tests.kills.work import LETTERS, MENDED

SAID = "ten boxes"


@dataclass(frozen=True)
class World:
    """A case's folder, in which its runs live and write."""

    folder: Path
    way: Way

    @property
    def log(self) -> Path:
        return self.folder / "executed.log"

    def done(self) -> list[tuple[str, str, str]]:
        """What the steps noted: word, run, address."""
        if not self.log.exists():
            return []
        lines = self.log.read_text().splitlines()
        return [(word, run, at) for word, run, at in (line.split(" ") for line in lines)]

    def rows(self, run_id: str) -> list[Row]:
        """The run's record; nothing when it has no beginning. Errors: `JournalError`."""
        try:
            if self.way == "shared":
                return load(self.folder / SHARED, run_id)
            return load(self.folder / RUNS / run_id)
        except JournalError as error:
            if any(each in str(error) for each in ("no run", "schema 0")):
                return []
            raise

    def folders(self) -> list[str]:
        return sorted(each.name for each in (self.folder / RUNS).glob("*"))

    def mend(self) -> None:
        (self.folder / MENDED).touch()

    def letters(self) -> list[dict[str, Any]]:
        path = self.folder / LETTERS
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def answer(self, rows: Sequence[Row]) -> Said | None:
        """What is said to the oldest open question: of a letter, whether it was sent."""
        waiting = read_history(rows).open_questions()
        if not waiting:
            return None
        question = waiting[0]
        if not question.address.startswith("send"):
            return Said(question.address, SAID)
        run_id = rows[0].data()["run_id"]
        sent = [
            each["outputs"]
            for each in self.letters()
            if each["run"].startswith(run_id) and each["step"] == question.address
        ]
        return Said(question.address, json.dumps(sent[-1]) if sent else "again")

    def table_rows(self) -> Counter[str]:
        """How often each row is in the tables."""
        path = self.folder / "world.sqlite"
        if not path.exists():
            return Counter()
        with closing(sqlite3.connect(path)) as connection:
            names = [
                name
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                )
                if name in ("replies", "more")
            ]
            return Counter(
                f"{name}: {text}"
                for name in names
                for (text,) in connection.execute(f"SELECT text FROM {name}")
            )

    def memories(self) -> Counter[str]:
        """How often each text is in the memory; read in another process, as Chroma has threads."""
        folder = self.folder / "memory"

        def read(tell: Tell) -> None:
            memory = ChromaMemory(ChromaMemory.Config(folder=folder, collection="kills"))

            async def recall() -> list[str]:
                found = await memory.read("how many and after", 100)
                await memory.aclose()
                return [each.text for each in found]

            tell({"texts": asyncio.run(recall())})

        ended = in_a_process(read, self.folder, self.log)
        if ended.trouble:
            raise RuntimeError(ended.trouble)
        return Counter(ended.last("texts"))

    def damaged_files(self, result: dict[str, Any]) -> int:
        """Artifacts of the result whose files are not what they are said to be."""
        damaged = 0
        for each in result["artifacts"]:
            path = self.folder / result["folder"] / each["path"]
            content = path.read_bytes() if path.exists() else b""
            damaged += hashlib.sha256(content).hexdigest() != each["sha256"]
        return damaged
