"""What the name of a field or of a column of figures stands for: a statistic, and other words."""

from __future__ import annotations

import re

# The words for each figure that the methods and queries give; the first that fits is taken.
_COUNT = r"(?:(?:number|count|num) (?:of )?)?"
_SHARE = r"(?:percent(?:age)?|pct|share|ratio|proportion)"
_STATISTICS: tuple[tuple[str, str], ...] = (
    ("r2", r"r2|r squared?|r2 score|coefficient of determination"),
    ("rmse", r"root mean squared error|rmse"),
    ("mse", r"mean squared error|mse"),
    ("mae", r"mean absolute error|mae"),
    ("p_value", r"p ?val(?:ue)?s?|\bp\b"),
    ("standard_error", r"standard error|\bsem\b"),
    ("lower_bound", r"lower (?:bound|limit|fence|threshold)"),
    ("upper_bound", r"upper (?:bound|limit|fence|threshold)"),
    ("deviation", r"population std|standard deviations?|std(?: ?dev(?:iation)?)?|stdev|stddev|"
                  r"\bsd\b|deviations?"),
    ("variance", r"population variance|variances?|\bvar\b"),
    ("average", r"means?|averages?|avg"),
    ("median", r"medians?"),
    ("skewness", r"skew(?:ness)?(?: coefficient)?"),
    ("kurtosis", r"kurt(?:osis)?(?: coefficient)?"),
    ("iqr", r"iqr|inter ?quartile(?: range)?"),
    ("count distinct", _COUNT + r"(?:unique|distinct)(?: values?)?(?: counts?)?"),
    ("q1", r"q1|(?:first|lower) quartile|p25|25th percentile"),
    ("q3", r"q3|(?:third|upper) quartile|p75|75th percentile"),
    ("range", r"range"),
    ("mode", r"modes?"),
    ("outliers", _COUNT + r"outliers?(?: (?:count|number))?"),
    ("percent", rf"{_SHARE}(?: of)?(?: (?:missing|null)(?: values?)?)?|missing {_SHARE}"),
    ("missing", _COUNT + r"(?:missing|nulls?|nans?)(?: values?)?(?: counts?)?"),
    ("correlation", r"(?:pearson |spearman |kendall )?(?:correlations?|corr)"
                    r"(?: coef(?:ficient)?s?)?(?: value)?|pearson r|r|tau|rho|coefficients?"),
    ("degrees", r"dof|df|degrees of freedom"),
    ("statistic", r"(?:test |shapiro |chi ?2 |chi ?squared? |[wtfhu] )?(?:statistics?|stat)|"
                  r"[tf] ?val(?:ue)?|chi ?2(?: value)?|chi ?squared?(?: value)?"),
    ("minimum", r"min(?:imum)?|lowest|smallest"),
    ("maximum", r"max(?:imum)?|highest|largest"),
    ("sum", r"sum|totals?"),
    ("count", r"counts?|numbers?|num|rows"),
)  # fmt: skip
_PATTERNS = [(name, re.compile(rf"(?<!\w)(?:{p})(?!\w)")) for name, p in _STATISTICS]
# Words of names that say nothing of a value.
_IDLE = frozenset(
    re.findall(
        r"\w+",
        "value values result answer column columns of the in for by and a coefficient score test "
        "final is per shapiro wilk pearson over under above below older younger than more less "
        "after",
    )
)


def spoken(name: str) -> str:
    """A name as words: `meanFare_class1` is `mean fare class 1`."""
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z]{3})(?=\d)", " ", name)
    return " ".join(re.sub(r"[\W_]+", " ", parts).lower().split())


def statistic_in(name: str) -> tuple[str, tuple[str, ...]]:
    """The statistic that a name says ("" for none), and its words that say something else."""
    text = spoken(name)
    for statistic, pattern in _PATTERNS:
        if found := pattern.search(text):
            text = text[: found.start()] + " " + text[found.end() :]
            if statistic in ("outliers", "missing", "percent"):
                text = re.sub(r"\b(?:counts?|numbers?|num|total)\b", " ", text)
            return statistic, words_of(text)
    return "", words_of(text)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a name that say something."""
    return tuple(each for each in spoken(text).split() if each not in _IDLE)
