"""What a study that is a chart draws."""

from __future__ import annotations

from typing import Any

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.picture import axes_of
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.methods.subject import title_of


def chart_of(study: Study[Arguments]) -> dict[str, Any] | None:
    """What a study that is a chart draws, by the names of its columns."""
    query = study.chart
    if query is None:
        return None
    groups, figures = axes_of(query, study.model)
    if not groups or not figures:
        return None
    return {
        "type": study.style if study.style in ("bar", "line") else "bar",
        "x": groups[0],
        "y": figures[0],
        "color": groups[1] if len(groups) > 1 else None,
        "title": title_of(study),
    }
