"""What asks for scatter plots, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.columns import group_left
from flows.analysis.methods.method import CHART, Cue, MethodRequest, setting, words
from flows.analysis.methods.scatter_plot.arguments import ScatterPlot
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    """Two columns of numbers, the first on x unless it is drawn against the second."""
    columns, group = group_left(request, 2)
    if len(columns) != 2:
        return Unread(f"a scatter plot needs two columns of numbers, and {len(columns)} are named")
    named = tuple(c.name for c in columns)
    fields = named[::-1] if request.swapped else named
    return request.make(ScatterPlot, {"fields": fields, "group": group})


CUE = Cue(
    read=_read,
    words=rf"(?:scatter|bubble)[- ]?{CHART}?|scatter(?:ed)? (?:of|between)",
    hint=r"(?:plot|draw|chart|graph|visuali[sz]e)\b(?!.*\b(?:bar|line|box)\b).*\b(?:against|versus|"
        r"vs\.?)",
    noun=r"scatter[- ]?plots?",
    includes=words("correlation regression chart trend"),
    settings=(
        setting("line", r",? *(?:with|and|including) (?:a |the )?(?:trend|regression|fitted|"
                        r"best[- ]fit)"
                r"[- ]?lines?"),
        setting("axis", r"\bon (?:the )?[xy](?:[- ]axis)?\b"),
        setting("axis", r"\bon (?:the )?[xy](?:[- ]axis)?\b"),
    ),
    around=words("scatter bubble plot line axis on"),
)  # fmt: skip
