"""What asks for summary statistics, and how the text is read."""

from __future__ import annotations

import re

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.measures import of_numbers
from flows.analysis.methods.method import Cue, MethodRequest, numbers_in, setting, words
from flows.analysis.methods.summary_statistics.arguments import USUAL, SummaryStatistics
from flows.analysis.reading.reader import Unread

_FIVE = ("minimum", "q1", "median", "q3", "maximum")
_QUARTILES = ("q1", "median", "q3")
# What is asked for by name is said, and nothing else.
_ASKED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"five[- ]number", _FIVE),
    (r"standard error", ("standard_error",)),
    (r"confidence", ("mean", "ci_low", "ci_high")),
    (r"\bmean\b|\baverage\b", ("mean",)),
    (r"\bmedian (?:absolute )?deviation|\bmad\b", ("mad",)),
    (r"\bmedians?\b(?! abs)", ("median",)),
    (r"standard deviation|\bstd|\bstdev|\bstddev|\bsd\b|how (?:spread|dispersed|"
     r"variable)", ("std",)),
    (r"coefficients? of variation|relative standard deviation", ("cv",)),
    (r"\bvariances?\b", ("variance",)),
    (r"\bskew", ("skewness",)),
    (r"\bkurtosis|\btailed", ("kurtosis",)),
    (r"inter-?quartile|\biqr\b", ("iqr", "q1", "q3")),
    (r"(?<!inter)(?<!inter-)\b(?:quartiles?|quantiles)\b", _QUARTILES),
    (r"(?<!quartile )\brange\b", ("range", "minimum", "maximum")),
    (r"\bmodes?\b", ("mode",)),
    (r"\bmin(?:imum)?\b", ("minimum",)),
    (r"\bmax(?:imum)?\b", ("maximum",)),
)  # fmt: skip


def _read(request: MethodRequest) -> Arguments | Unread:
    percentiles = tuple(numbers_in(request.settings.get("percentiles", "")))
    if any(not 0 < each < 100 for each in percentiles):
        return Unread("a percentile lies between 0 and 100")
    given = {"percentiles": percentiles, "statistics": _asked(request.text.casefold())}
    return of_numbers(request, SummaryStatistics, given)


def _asked(plain: str) -> tuple[str, ...]:
    """The statistics that a text asks for by name."""
    keys = [key for pattern, made in _ASKED if re.search(pattern, plain) for key in made]
    if "mad" in keys and "median" in keys:
        keys.remove("median")
    if "mean" in keys and re.search(r"error of the mean|for the mean", plain):
        keys = [key for key in keys if key != "mean" or "ci_low" in keys]
    if re.search(r"\b(?:summar|descriptive|stats\b)", plain):
        keys = [*USUAL, *keys]
    return tuple(dict.fromkeys(keys))


CUE = Cue(
    read=_read,
    words=r"(?:summary|descriptive|basic|key) (?:statistics?|stats)|five[- ]number summary|"
        r"standard deviations?|std\.?(?: ?dev)?|stdev|stddev|variances?|skewness|skewed|skew|"
        r"kurtosis|quartiles?|quantiles?|percentiles?|inter[- ]?quartile range|iqr|"
        r"statistical(?:ly)? (?:summar(?:y|i[sz]e)|describe)|(?:summari[sz]e|describe) "
        r"statistically|"
        r"coefficients? of variation|standard errors?(?: of the mean)?|"
        r"(?:\d+ ?(?:%|percent) )?confidence intervals?(?: (?:for|of) the (?:mean|average))?|"
        r"median absolute deviation|mode(?= of)|(?:what(?:['\u2019]s| is)|give me) the range(?= "
        r"of)",
    noun=r"standard deviations?|percentiles?|kurtosis|skewness|confidence intervals?",
    includes=words("distribution growth"),
    settings=(
        setting("percentiles", r"\b(?P<value>\d{1,2}(?:\.\d+)?(?:st|nd|rd|th)?(?:(?:,| and|, and) "
                               r"(?:"
                r"the )?\d{1,2}(?:\.\d+)?(?:st|nd|rd|th)?)*)[- "
                r"]percentiles?\b", leave="percentile"),
        setting("percentiles", r"\b(?P<value>\d{1,2}(?:\.\d+)?) ?% (?:quantile|percentile)\b",
                leave="percentile"),
        setting("level", r"\b95 ?(?:%|percent) (?=confidence)"),
    ),
    around=words(
        """mean median average minimum maximum min max count range mode center spread out statistics
        stats statistic summary most common frequent i.e e.g dispersed standard deviation for which
        has value"""
    ),
)  # fmt: skip
