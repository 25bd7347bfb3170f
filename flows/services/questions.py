"""Asking one question over data, or many in one process."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.config.composition import Composed
from flows.config.settings import Choice, Setting
from flows.config.tree import TARGET
from flows.core.result import RunResult
from flows.core.store import JournalFile
from flows.core.workers import RunnerConfig
from flows.data.catalog import Catalog
from flows.data.query import run_query, run_unchecked
from flows.data.tables import ResultTable
from flows.data.workers.messages import RowsMessage
from flows.errors import FlowsError
from flows.evaluation.cases import ExpectedResult
from flows.library.ask.ask import AskFlow
from flows.library.blocks.compile import CompileInputs
from flows.runners import door
from flows.runners.local import run_plan
from flows.semantics.request import Request as Wanted
from flows.services.request import DataQuestion, Options, run_file
from flows.services.sources import NamedSource

OPEN: Final = 8
AT_ONCE: Final = 8
EXPECTED_ROWS: Final = 100_000
EXPECTED_SECONDS: Final = 60.0
_OFFLINE: Final = "model.offline"
_ORIGIN: Final = "flows ask"

Settings = tuple[Setting | Choice, ...]


def ask_file() -> Path:
    """The run file of `flows ask`. Errors: `ConfigError` when the package came without it."""
    return run_file("ask", "flows ask")


def ask_settings(options: Options, *, draw: bool = False) -> Settings:
    """What is set in the run file for every question: results are kept in one form, and drawn if
    they are to be."""
    own = (Setting("keep", False, _ORIGIN), Setting("draw", draw, _ORIGIN))
    by = () if options.by is None else (Setting("by", options.by, "--by"),)
    return (*options.settings(), *own, *by)


def ask(request: DataQuestion, options: Options, *, draw: bool = False) -> RunResult:
    """Ask one question; with `draw` its result is drawn too, if a chart fits.

    Errors: `ConfigError` for options and data that nothing can be asked with; what goes wrong in
    the run is in the result.
    """
    return door.run(
        ask_file(),
        options.overrides,
        settings=(*ask_settings(options, draw=draw), *request.settings()),
        inputs=request.inputs,
        trust=options.trust,
    )


def runner_of(options: Options) -> RunnerConfig:
    """Where the processes of a batch are. Errors: `ConfigError` for a wrong runner."""
    plan, _ = build(
        ask_file(), options.overrides, settings=ask_settings(options), trust=options.trust
    )
    return plan.runner


@dataclass
class _OpenPlan:
    plan: RunPlan
    users: int = 0


class QuestionService:
    """Asks many questions with the same options; data sources stay open for the next question.

    At most `most` lists of sources are open when nobody uses them. With `file` the journals of all
    runs are kept in it, beside each other.
    """

    def __init__(
        self, options: Options, *, file: JournalFile | None = None, most: int = OPEN
    ) -> None:
        # The journal reaches the disk when the system writes it: a question can be asked again.
        settings = (*ask_settings(options), Setting("durability", "normal", _ORIGIN))
        self._options = options
        self._settings: Settings = settings
        self._file = file
        self._most = most
        self._open: OrderedDict[tuple[NamedSource, ...], _OpenPlan] = OrderedDict()
        self._opening = asyncio.Lock()

    def most_at_once(self) -> int:
        """How many questions are worth asking at once: of a model over a network several.

        Errors: `ConfigError` for options that no question can be asked with.
        """
        model = self._build(DataQuestion(""))[1].values.get("model")
        return 1 if isinstance(model, dict) and model.get(TARGET) == _OFFLINE else AT_ONCE

    async def ask(self, request: DataQuestion) -> RunResult:
        """Ask a question. Errors: as for `ask`."""
        async with self._plan(request) as plan:
            asked = plan.with_inputs(request.inputs)
            await asked.check_ready()
            return await run_plan(asked, file=self._file)

    async def expected(self, sql: str, request: DataQuestion) -> ExpectedResult:
        """What SQL that somebody trusts gives, as the data's own database reads it. It runs behind
        the same walls, and can read only."""
        try:
            async with self._plan(request) as plan:
                catalog = next(each for each in plan.services if isinstance(each, Catalog))
                rows = await asyncio.to_thread(_run_expected, catalog, sql)
        except FlowsError as error:
            return ExpectedResult(fault=str(error))
        return ExpectedResult(tuple(rows.columns), tuple(tuple(row) for row in rows.rows))

    async def expected_of(self, wanted: Wanted, request: DataQuestion) -> ExpectedResult | None:
        """What a request that somebody trusts gives; None for an analysis, whose result is no table
        that another one could be held beside."""
        try:
            async with self._plan(request) as plan:
                flow = plan.flow
                assert isinstance(flow, AskFlow)
                made = await asyncio.to_thread(flow.compile.compiled, CompileInputs(request=wanted))
                if made.problem:
                    return ExpectedResult(fault=made.problem)
                if made.sql is None:
                    return None
                rows = await asyncio.to_thread(_run_expected, flow.compile.catalog, made.sql)
        except FlowsError as error:
            return ExpectedResult(fault=str(error))
        return ExpectedResult(tuple(rows.columns), tuple(tuple(row) for row in rows.rows))

    async def aclose(self) -> None:
        """Close all data sources."""
        for opened in self._open.values():
            await opened.plan.aclose()
        self._open.clear()

    @asynccontextmanager
    async def _plan(self, request: DataQuestion) -> AsyncIterator[RunPlan]:
        async with self._opening:
            opened = self._open.get(request.sources)
            if opened is None:
                opened = self._open[request.sources] = _OpenPlan(self._build(request)[0])
            self._open.move_to_end(request.sources)
            opened.users += 1
        try:
            yield opened.plan
        finally:
            opened.users -= 1
            await self._close_idle()

    async def _close_idle(self) -> None:
        """Close what was not used for longest, until few enough are open."""
        idle = [sources for sources, each in self._open.items() if not each.users]
        for sources in idle[: max(0, len(self._open) - self._most)]:
            await self._open.pop(sources).plan.aclose()

    def _build(self, request: DataQuestion) -> tuple[RunPlan, Composed]:
        settings = (*self._settings, *request.settings())
        options = self._options
        return build(ask_file(), options.overrides, settings=settings, trust=options.trust)


def _run_expected(catalog: Catalog, sql: str) -> RowsMessage | ResultTable:
    """Over several databases it takes the way of every query, which knows where each table is."""
    limits: Any = {"max_rows": EXPECTED_ROWS, "timeout": EXPECTED_SECONDS}
    tables = catalog.tables()
    places = {"files" if each.dialect == "duckdb" else each.source for each in tables}
    if len(places) > 1:
        return run_query(catalog, sql, **limits)
    dialect = tables[0].dialect if tables else "duckdb"
    return run_unchecked(catalog, sql, dialect, **limits)
