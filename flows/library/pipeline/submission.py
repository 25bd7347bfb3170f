"""The submission as a file of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.library.pipeline.execution import table_paths
from flows.library.pipeline.state import TableRef


class SubmissionInputs(Ports):
    table: TableRef


class SubmissionOutputs(Ports):
    """The path of the file in the run's folder, and its number of rows."""

    submission: str
    rows: int


class SubmissionFlow(AtomicFlow):
    """Writes the table `submission` as CSV: all its rows, its values as they are."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = SubmissionInputs
    Outputs: ClassVar[type[Ports]] = SubmissionOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Writes the submission."), parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: SubmissionInputs, run: Run) -> SubmissionOutputs:
        paths = await table_paths({"submission": inputs.table}, self.catalog, run)
        content, rows = await asyncio.to_thread(_csv_of, paths["submission"])
        saved = run.save("submission", "csv", content, f"submission: {rows:,} rows")
        return SubmissionOutputs(submission=saved.path, rows=rows)


def _csv_of(path: Path) -> tuple[bytes, int]:
    import pandas as pd

    frame = pd.read_parquet(path)
    return frame.to_csv(index=False).encode(), len(frame)
