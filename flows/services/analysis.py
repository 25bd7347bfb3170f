"""What `flows analyse` runs, and what a run of it came to as one object."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_jsonable_python

from flows.config.places import project_configs
from flows.core.result import RunResult
from flows.errors import ConfigError, FlowsError
from flows.records.lookup import find_run

KEYS: Final = (
    "status", "answer", "insights", "cautions", "limits", "tasks", "changes", "passages",
    "citations", "traced", "report", "usage", "run_id", "reason",
)  # fmt: skip
ANALYST: Final = "analyst"
UNANSWERED: Final = "unanswered"


def analyst_file() -> Path:
    """The run file of `flows analyse`. Errors: `ConfigError` when the package came without it."""
    folder = project_configs()
    if folder is None:
        raise ConfigError("the folder of configs, which `flows analyse` runs from, is missing")
    return folder / "analyst.yaml"


def is_of_an_analyst(runs: Path, run_id: str) -> bool:
    """Whether the run that is meant has an analyst at its top. What cannot be read is none here:
    whoever goes on with it is told why it cannot."""
    try:
        rows = find_run(runs, run_id).rows()
    except FlowsError:
        return False
    spec = rows[0].data().get("spec") if rows else None
    return isinstance(spec, Mapping) and spec.get("_target_") == ANALYST


def analysis(result: RunResult) -> dict[str, Any]:
    """What the run came to as one object, with the same keys whatever that is. `status` is
    answered, partly, unanswered, waiting or failed."""
    outputs: Mapping[str, Any] = to_jsonable_python(dict(result.outputs), fallback=str)
    usage = {**result.usage.model_dump(), "seconds": round(result.seconds, 3)}
    found = empty() | {key: outputs[key] for key in KEYS if key in outputs}
    found |= {"run_id": result.run_id, "usage": usage, "reason": result.reason}
    found["report"] = {
        kind: str(result.folder / path) for kind, path in (outputs.get("files") or {}).items()
    }
    found["tasks"] = [_task(each) for each in outputs.get("results") or ()]
    if result.status in ("waiting", "failed"):
        found["status"] = result.status
    elif "status" not in outputs:
        found["status"] = UNANSWERED
    if result.questions:
        found["questions"] = [each.as_json() for each in result.questions]
    return found


def failed(reason: str, *, run_id: str | None = None, status: str = "failed") -> dict[str, Any]:
    """The object of a question that nothing came of, and why."""
    return empty() | {"status": status, "run_id": run_id, "reason": reason}


def empty() -> dict[str, Any]:
    """All keys, without anything in them."""
    base: dict[str, Any] = dict.fromkeys(KEYS)
    lists = ("insights", "cautions", "limits", "tasks", "changes", "passages", "citations")
    return base | {key: [] for key in lists} | {"report": {}, "usage": {}, "reason": ""}


def _task(result: Mapping[str, Any]) -> dict[str, Any]:
    finding = result["finding"]
    kept = ("response", "figures", "model", "sql", "code")
    return {
        **result["task"], "status": result["status"], "seconds": result["seconds"],
        **{key: finding[key] for key in kept},
        "insights": [each["text"] for each in finding["insights"]],
    }  # fmt: skip
