"""Asking many questions in one process: one built graph for each list of data sources."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from flows.build.builder import KNOWN, build_composed
from flows.build.plan import Plan
from flows.config.compose import compose
from flows.config.composed import Composed
from flows.config.places import project_configs
from flows.config.tree import Entry, planted
from flows.core.store import JournalFile
from flows.data.catalog import Catalog
from flows.data.query import run_query, run_unchecked
from flows.data.tables import ResultTable
from flows.data.workers.messages import Rows
from flows.errors import CheckError, ConfigError, FlowsError, Place
from flows.runners.local import run_plan
from flows.services.answer import failed, report

GLOSSARY: Final = Path(".flows") / "glossary.csv"
OPEN: Final = 8
EXPECTED_ROWS: Final = 100_000
EXPECTED_SECONDS: Final = 60.0
_COMMAND: Final = Place("command line")
_NUMBERED: Final = re.compile(r"^(command line), override \d+")

Data = tuple[tuple[str, str], ...]


def ask_file() -> Path:
    """The run file of `flows ask`. Errors: `ConfigError` when the package came without it."""
    folder = project_configs()
    if folder is None:
        raise ConfigError("the folder of configs, which `flows ask` runs from, is missing")
    return folder / "ask.yaml"


@dataclass
class _Opened:
    plan: Plan
    users: int = 0


class Asker:
    """Asks questions with one config over any data; the data sources stay open for the next one.

    At most `most` lists of sources are open when nobody uses them. With `file` the journals of all
    runs are kept in it, beside each other.
    """

    def __init__(
        self, overrides: Sequence[str], *, file: JournalFile | None = None, most: int = OPEN
    ) -> None:
        self._composed = compose(ask_file(), overrides, known=KNOWN)
        self._file = file
        self._most = most
        self._open: OrderedDict[Data, _Opened] = OrderedDict()
        self._opening = asyncio.Lock()

    def check(self) -> None:
        """Errors: `ConfigError` for a config that no question can be asked with."""
        self._built({})

    async def ask(self, question: str, data: Data, *, explain: bool = False) -> dict[str, Any]:
        """What the question came to, as `report` says it; no error of it is raised."""
        try:
            async with self._plan(data) as plan:
                asked = replace(plan, inputs={"question": question})
                asked.check_inputs()
                result = await run_plan(asked, file=self._file)
        except FlowsError as error:
            return failed(said_of(error), explain=explain)
        return report(result, explain=explain)

    async def expected(self, sql: str, data: Data) -> dict[str, Any]:
        """What SQL that somebody trusts gives, as the data's own database reads it: `columns` and
        `rows`, or the `fault`. It runs behind the same walls, and can read only."""
        try:
            async with self._plan(data) as plan:
                catalog = next(each for each in plan.services if isinstance(each, Catalog))
                rows = await asyncio.to_thread(_run_expected, catalog, sql)
        except FlowsError as error:
            return {"fault": said_of(error)}
        return {"columns": list(rows.columns), "rows": [list(row) for row in rows.rows]}

    async def aclose(self) -> None:
        """Close all data sources."""
        for opened in self._open.values():
            await opened.plan.aclose()
        self._open.clear()

    @asynccontextmanager
    async def _plan(self, data: Data) -> AsyncIterator[Plan]:
        async with self._opening:
            opened = self._open.get(data)
            if opened is None:
                opened = self._open[data] = _Opened(self._built(dict(data)))
            self._open.move_to_end(data)
            opened.users += 1
        try:
            yield opened.plan
        finally:
            opened.users -= 1
            await self._close_idle()

    async def _close_idle(self) -> None:
        """Close what was not used for longest, until few enough are open."""
        idle = [data for data, each in self._open.items() if not each.users]
        for data in idle[: max(0, len(self._open) - self._most)]:
            await self._open.pop(data).plan.aclose()

    def _built(self, data: Mapping[str, str]) -> Plan:
        tree = self._composed.tree
        place = Entry(_COMMAND, planted(dict(data), _COMMAND))
        composed = Composed(
            tree.with_entry("data", place), self._composed.file, self._composed.sources
        )
        return build_composed(composed, ask_file().parent)


def _run_expected(catalog: Catalog, sql: str) -> Rows | ResultTable:
    """Over several databases it takes the way of every query, which knows where each table is."""
    limits: Any = {"max_rows": EXPECTED_ROWS, "timeout": EXPECTED_SECONDS}
    tables = catalog.tables()
    places = {"files" if each.dialect == "duckdb" else each.source for each in tables}
    if len(places) > 1:
        return run_query(catalog, sql, **limits)
    dialect = tables[0].dialect if tables else "duckdb"
    return run_unchecked(catalog, sql, dialect, **limits)


def said_of(error: FlowsError) -> str:
    """What is wrong, as whoever named the data by its path reads it."""
    as_given(error)
    return str(error)


def as_given(error: FlowsError) -> None:
    """Take out of an error the overrides that `--data` and a batch were made into: nobody wrote
    them, and those that somebody wrote have other numbers."""
    for each in error.errors if isinstance(error, CheckError) else (error,):
        if not isinstance(each, ConfigError) or each.place is None:
            continue
        if each.path.startswith("data."):
            each.place, each.path = None, ""
        elif _NUMBERED.match(each.place.origin):
            each.place = Place(_NUMBERED.sub(r"\1", each.place.origin))
