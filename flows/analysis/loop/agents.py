"""Which agent of the team a part of a goal is for: a chart, a model, insights, a whole analysis."""

from __future__ import annotations

import re
from typing import Final, Literal

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.specification import Specification as Study
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart

Agent = Literal["chart", "model", "insights", "analyse"]

_FIGURES: Final = frozenset({"chart", "distribution", "scatter_plot", "box_plot"})
_PLEASE = r"^\W*(?:please\s+|(?:can|could|would) you\s+|now\s+|then\s+|also\s+)*"
# What only a whole analysis answers: what could be done, what drives something, and why.
_ANALYSE: Final = re.compile(
    rf"{_PLEASE}(?:"
    r"how (?:do|can|could|should|might|would) (?:i|we|one|you|they) (?:best )?(?:improve|increase|"
    r"reduce|raise|lower|optimi[sz]e|grow|cut|boost|decrease|minimi[sz]e|maximi[sz]e)\b"
    r"|how (?:does|do|did|is|are) [^?]+ (?:affect|influence|impact|drive|affected|influenced|"
    r"driven)\b"
    r"|what (?:mainly |really |most )?(?:drives?|affects?|influences?|determines?|causes?)\b"
    r"|what (?:are|is) the (?:key |main |most important )?(?:drivers?|reasons?|causes?)\b"
    r"|which (?:factors|things) (?:drive|affect|influence|determine|cause)\b"
    r"|why (?:is|are|was|were|do|does|did|has|have)\b"
    r"|analy[sz]e\b|investigate\b)",
    re.IGNORECASE,
)
_INSIGHTS: Final = re.compile(
    rf"{_PLEASE}(?:(?:give|show|tell|write|generate|find|get|list)\s+)?(?:(?:me|us)\s+)?(?:the\s+|"
    r"some\s+|your\s+|any\s+|(?:\w+\s+)?(?:key|main|most important)\s+)*(?:insights?|findings|"
    r"takeaways)\b\s*(?:(?:on|about|into|from|of|for|in|out of)\s+)?(?P<topic>[^?!]*)",
    re.IGNORECASE,
)
_STANDS_OUT: Final = re.compile(
    rf"{_PLEASE}what (?:stands out|is (?:striking|notable|remarkable|interesting))\b"
    r"(?:\s+(?:in|about|from)\b)?(?P<topic>[^?!]*)",
    re.IGNORECASE,
)
_DRAW_IT: Final = re.compile(
    rf"{_PLEASE}(?:(?:make|draw|create|show|give me) (?:an? )?(?P<kind>(?:bar|line|pie|area) )?"
    r"(?:chart|plot|graph|figure)s? (?:of|for|from)|plot|draw|chart|graph|visuali[sz]e)\s+"
    r"(?P<topic>[^?!.]*?)(?:\s+(?:as|in|with) an? (?P<style>[\w -]+?))?(?:,? please)?\W*$",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(r"(?:,?\s+(?:please|too|as well|instead))+\W*$", re.IGNORECASE)
_RESULT: Final = re.compile(
    r"^\W*(?:all (?:of )?)?(?:it|them|this|that|these|those|(?:the|this|that|these|those|my|your) "
    r"(?:last |latest |previous |whole )?(?:results?|table|numbers?|answer|output|rows))\W*$",
    re.IGNORECASE,
)


def is_figure(request: Query | Analysis | Chart | None) -> bool:
    """Whether a request asks for a picture."""
    return isinstance(request, Chart) or (
        isinstance(request, Analysis) and request.method in _FIGURES
    )


def agent_of(study: Study[Arguments], text: str) -> Agent | None:
    """The agent that a study is for; None for one that is a single computation."""
    if study.kind in _FIGURES:
        return "chart"
    if study.kind == "predictive_model":
        return "model"
    return "analyse" if asks_analysis(text) else None


def asks_analysis(text: str) -> bool:
    """Whether a text asks for what takes several steps, worked out from the data."""
    return bool(_ANALYSE.match(text))


def asks_insights(text: str) -> str | None:
    """What a text wants insights about, "" for nothing in particular; None if it asks for none."""
    found = _INSIGHTS.match(text) or _STANDS_OUT.match(text)
    return None if found is None else _POLITE.sub("", found["topic"]).strip(" .,;:")


def draws_result(text: str) -> str | None:
    """The style in which a text wants the result before drawn, "" for any; None if it does not."""
    found = _DRAW_IT.match(text)
    if found is None or not _RESULT.match(found["topic"]):
        return None
    return found["style"] or found["kind"] or ""


def is_result(topic: str) -> bool:
    """Whether words mean the result before."""
    return not topic or bool(_RESULT.match(topic))
