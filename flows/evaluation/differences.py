"""Where several answerers of the same cases came to different verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def differences_of(reports: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The cases whose verdicts differ, in the order of the file, each with the verdict by every
    name of a report."""
    found: dict[str, dict[str, Any]] = {}
    for name, report in reports.items():
        for each in report["cases_judged"]:
            case = found.setdefault(
                str(each["id"]), {"id": each["id"], "question": each["question"], "verdicts": {}}
            )
            case["verdicts"][name] = each["verdict"]
    return [each for each in found.values() if len(set(each["verdicts"].values())) > 1]
