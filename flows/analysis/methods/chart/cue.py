"""What asks for charts of what a question gives, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.method import CHART, Cue, MethodRequest, setting, words
from flows.analysis.reading.reader import Unread

_STYLES = (
    ("pie", r"\bpies?\b|donut|doughnut"),
    ("heatmap", r"heat[- ]?map"),
    ("stacked", r"\bstacked\b"),
    ("area", rf"\b(?:area[- ]?{CHART}|stacked area|as an area)\b"),
    ("bar", r"\bbars?\b|column[- ](?:chart|graph|plot)"),
    (
        "line",
        r"\b(?:lines?|time[- ]series)\b|over (?:the )?(?:time|years|months|days)|trend|"
        r"develop",
    ),
)


def _never(_request: MethodRequest) -> Arguments | Unread:
    return Unread("a chart is read as the question of its result")


_STYLE = r"(?:(?:grouped|simple|horizontal|vertical|stacked|clustered|side[- ]by[- ]side) )*"


# Quoted names are no words of a chart.
_UNQUOTED = r"\A(?=(?:[^\"`]|\"[^\"]*\"|`[^`]*`|\"(?![^\"]*\")|`(?![^`]*`))*?"


_MAKE = r"(?:plot|draw|chart|graph|visuali[sz]e|illustrate)"


_FORM = (
    rf"{_STYLE}(?:bar|column|line|area|pie|donut)s?[- ]?{CHART}|{_STYLE}\bbars\b|"
    rf"\btime[- ]series[- ]?{CHART}|"
    r"\bpie(?= of|\W*$)|\bheat[- ]?maps?"
)


CUE = Cue(
    read=_never,
    words=rf"(?:{_MAKE} )?(?:(?:as|in|with|using|on) )?(?:an? |the )?(?:{_FORM})|{_MAKE}(?=[a-z]* "
          rf")",
    noun=r"(?:pie|bar|area|line)[- ]charts?",
    includes=words("summary_statistics distribution correlation trend growth hypothesis_test"),
    settings=(
        setting("course", rf"(?:\btime[- ]series|\btrend)[- ]?{CHART}(?: (?:for|of|showing))?",
                leave="line chart over time of"),
        setting("things", r"(?<=[\"`]) (?:metric|value|figure|column|feature)s?\b(?= for|\W*$)"),
        setting("summed", r"\bthe (?P<value>\w+(?: \w+)?) summed(?: up)?\b", leave="total"),
        *(setting("style", rf"{_UNQUOTED}(?:{pattern}))", style) for style, pattern in _STYLES),
        setting("together", r",? *\b(?:as|in|with) (?:a )?lines?(?=\W*$)"),
    ),
)  # fmt: skip
