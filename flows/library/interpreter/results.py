"""What came of the calls that a model asked for, as the next request tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from flows.analysis.functions.decision import CallResult, ObservationKind
from flows.core.artifacts import Artifacts
from flows.core.observation import Observation
from flows.data.tables import ResultTable
from flows.errors import JournalError

# A kept result that is larger is not read back whole for a decision.
MOST_BYTES: Final = 8_000_000
_UNTRUSTED: Final = "untrusted"


class ToolResult(BaseModel):
    """The result of one tool call, whose id is `call_id`.

    `number` counts the calls of the run from 1, for citations; 0 is a search for functions, a
    question to the person, or a call that was refused. `artifact` holds the whole of a result of
    which `text` is the beginning, `note` says whose words it holds. `records` is whether `artifact`
    is a table.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    call_id: str
    name: str
    arguments: Mapping[str, Any] = {}
    number: int = 0
    kind: ObservationKind = "ok"
    text: str = ""
    note: str = ""
    artifact: str = ""
    records: bool = False

    @classmethod
    def of(
        cls,
        call_id: str,
        name: str,
        arguments: Mapping[str, Any],
        found: Observation,
        *,
        number: int = 0,
        artifact: str = "",
    ) -> ToolResult:
        table = found.table
        kept = artifact or (table.artifact if table is not None else None) or ""
        return cls(
            call_id=call_id,
            name=name,
            arguments=arguments,
            number=number,
            kind=found.kind,
            text=found.text,
            note=" ".join(each.text for each in found.cautions if each.code == _UNTRUSTED),
            artifact=kept,
            records=table is not None and not artifact,
        )

    @property
    def told(self) -> str:
        """The result for a model: the number that citations name, and the text."""
        head = f"Call {self.number} ({self.kind})" if self.number else self.kind
        note = f"\n[{self.note}]" if self.note else ""
        return f"{head}:{note}\n{self.text}"

    @property
    def reference(self) -> str:
        """One line in the place of the result, where the context has no room for it."""
        given = json.dumps(dict(self.arguments), ensure_ascii=False)
        return (
            f"Call {self.number} ({self.kind}): {self.name}({given}) gave {len(self.text):,} "
            f"characters, which are left out here; read_result gives them again."
        )

    def summarized(self, summary: str) -> str:
        """The result by a summary of it, where the context has little room."""
        given = json.dumps(dict(self.arguments), ensure_ascii=False)
        note = f"\n[{self.note}]" if self.note else ""
        return (
            f"Call {self.number} ({self.kind}): {self.name}({given}) gave {len(self.text):,} "
            f"characters, of which this is a summary; cite the call, and read_result gives the "
            f"whole again.{note}\n{summary}"
        )

    def as_call(self, artifacts: Artifacts) -> CallResult:
        """The result as values, read whole from its artifact where it has one."""
        given = {"number": self.number, "name": self.name, "arguments": self.arguments,
                 "kind": self.kind}  # fmt: skip
        if not self.artifact:
            return CallResult(**given, text=self.text)
        data = whole_data(self.artifact, artifacts, records=self.records)
        return CallResult(**given, text=self.text, data=data, whole=data is not None)


class ResultSummary(BaseModel):
    """What the result of a call comes to, in statements, a line each. Their numbers and dates stand
    in the result."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    call: int
    text: str


def whole_data(name: str, artifacts: Artifacts, *, records: bool = False) -> Any:
    """The JSON value that an artifact holds, a table as its `records`; None where it is no JSON,
    too large, or not there any more."""
    try:
        if artifacts.find(name).bytes > MOST_BYTES:
            return None
        content = artifacts.read(name)
        if records:
            table = ResultTable.model_validate_json(content)
            return [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        return json.loads(content)
    except (JournalError, ValueError, RecursionError):
        return None


def data_of(result: CallResult) -> Any:
    """The values of a result: its data, else what its text says as JSON, else its text."""
    if result.data is not None:
        return result.data
    try:
        return json.loads(result.text)
    except (ValueError, RecursionError):
        return result.text
