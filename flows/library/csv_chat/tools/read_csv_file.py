"""The tool `read_csv_file`: what a file of the run's data holds."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.library.blocks.frames import Frames
from flows.library.csv_chat.tools.files import table_of

_SHOWN = 5


class ReadCsvFileConfig(AtomicConfig):
    """The keys of this tool."""

    description: str = "Tells what a file of the run's data holds."


class ReadCsvFileInputs(Ports):
    file_path: str = Field(description="a file of the run's data, or the name of its source")


class ReadCsvFileOutputs(Ports):
    """`shape` is the number of rows and of columns; `head` are the first rows, `describe` the
    statistics of columns of numbers, both by column; `memory_usage` is that of a data frame, in
    megabytes, such as `0.12 MB`."""

    shape: tuple[int, int]
    columns: tuple[str, ...]
    dtypes: Mapping[str, str]
    head: Mapping[str, Any]
    describe: Mapping[str, Any]
    null_counts: Mapping[str, int]
    memory_usage: str


class ReadCsvFileFlow(AtomicFlow):
    """Reads a file as the run reads it. Errors: `SourceError` for one that is not of its data."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = ReadCsvFileConfig
    Inputs: ClassVar[type[Ports]] = ReadCsvFileInputs
    Outputs: ClassVar[type[Ports]] = ReadCsvFileOutputs

    def __init__(self, config: ReadCsvFileConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: ReadCsvFileInputs, run: Run) -> ReadCsvFileOutputs:
        frames = Frames.of(self.catalog, run)
        table = table_of(inputs.file_path, self.catalog, await frames.tables())
        files = await frames.files([table])
        return await asyncio.to_thread(_described, files[table])


def _described(path: Path) -> ReadCsvFileOutputs:
    import pandas as pd

    data = pd.read_parquet(path)
    numbers = data.select_dtypes("number")
    return ReadCsvFileOutputs(
        shape=(len(data), len(data.columns)),
        columns=tuple(str(each) for each in data.columns),
        dtypes={str(name): str(each) for name, each in data.dtypes.items()},
        head=_plain(data.head(_SHOWN)),
        describe=_plain(numbers.describe()) if len(numbers.columns) else {},
        null_counts={str(name): int(each) for name, each in data.isna().sum().items()},
        memory_usage=f"{data.memory_usage(deep=True).sum() / 1e6:.2f} MB",
    )


def _plain(frame: Any) -> dict[str, Any]:
    """A data frame as plain data, by column and row; dates are text, what is missing is null."""
    import json

    found: dict[str, Any] = json.loads(frame.to_json(date_format="iso", default_handler=str))
    return found
