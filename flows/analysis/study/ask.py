"""Which study a text asks for, by the words that say so, and the text without them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flows.analysis.study.plan import Kind

# Stands in the text where the words of the study were. No name of data is like it.
MARK = "zqstudyqz"
_CHART = r"(?:plots?|charts?|graphs?|diagrams?|figures?)"
_MAKE = r"(?:plot|draw|chart|graph|visuali[sz]e|illustrate)"

# The first that is found is meant; what is more special stands before what is more general.
_WORDS: tuple[tuple[Kind, str], ...] = (
    (
        "normality",
        r"(?:tests? (?:of |for )?|check (?:of |for )?|whether )?(?:normality(?: tests?)?|"
        r"normally[- ]distributed|gaussian(?: distribut(?:ion|ed))?|bell[- ]shaped|"
        r"normal distribution)",
    ),
    ("scatter", rf"scatter[- ]?{_CHART}?|scatter(?:ed)? (?:of|between)"),
    ("box", rf"box[- ]?(?:and[- ]?whiskers?[- ]?)?{_CHART}|whisker {_CHART}"),
    (
        "importance",
        r"(?:(?:feature|variable|column) )?importances?|(?:most )?important "
        r"(?:features?|variables?|columns?|factors?|predictors?)|(?:most )?important(?= (?:for|to|"
        r"in)\b)|"
        r"(?:key |main )?drivers?(?= of)|(?:best |most )?(?:influences?|drives?|affects?|"
        r"determines?|predictive(?: of)?)|best predictors?|best predicts?|predicts? best",
    ),
    (
        "regression",
        r"(?:(?:multiple|simple|multivariate|ordinary|a|the) )*(?:linear |least[- ]squares )?"
        r"regress(?:ions?|ed|ing)?(?: (?:model|line|analysis|coefficients?))?|"
        r"linear (?:model|relationship|fit)|least squares(?: fit)?|"
        r"(?:fit|draw) a (?:straight )?line|predict(?:s|ed|ing)?",
    ),
    (
        "outliers",
        r"outliers?|outlying|anomal(?:y|ies|ous)|unusual(?:ly (?:high|low|large|small))?"
        r"(?= \w+)|extreme values?",
    ),
    (
        "correlation",
        r"(?:(?:spearman|pearson)(?:'s)? (?:rank )?)?(?:cross[- ]?)?correlat(?:ions?|ed?|es|ing)"
        r"(?: (?:matrix|table|coefficients?|heat[- ]?map|analysis))?|heat[- ]?map|"
        r"(?:linear )?(?:relationship|association)s?(?= (?:between|of|with))|"
        r"(?:strongly |closely |tightly |well )(?:related|associated|linked|connected)|"
        r"(?:related|associated|linked)(?= (?:to|with)\b)|relates? to",
    ),
    (
        "summary",
        r"(?:summary|descriptive|basic|key) statistics?|five[- ]number summary|"
        r"standard deviations?|std\.?(?: ?dev)?|stdev|stddev|variances?|skewness|skewed|kurtosis|"
        r"quartiles?|quantiles?|percentiles?|inter[- ]?quartile range|iqr|"
        r"statistical(?:ly)? (?:summar(?:y|i[sz]e)|describe)|"
        r"(?:summari[sz]e|describe) statistically",
    ),
    (
        "histogram",
        rf"histograms?|(?:frequency |value )?distributions?(?: {_CHART})?|distributed|"
        rf"density {_CHART}|frequency {_CHART}",
    ),
    (
        "chart",
        rf"(?:{_MAKE} )?(?:(?:grouped|simple|horizontal|vertical) )?(?:bar|column|line)[- ]?"
        rf"{_CHART}|bars(?= (?:of|for|showing))|{_MAKE}(?=[a-z]* )",
    ),
)
_PATTERNS = tuple(
    (k, re.compile(rf"(?<![\w`\"])(?:{w})(?![\w`\"])", re.IGNORECASE)) for k, w in _WORDS
)
_ALL = re.compile(
    r"\b(?:(?:of|for|between|among|across|all|the|every|each|any|two|2) )*(?:the )?(?:(?:numeric|"
    r"numerical|number|quantitative|continuous) (?:columns|variables|features|fields|attributes|"
    r"measures|data|values)|(?:all|two|2) (?:the )?(?:columns|variables|features|fields|attributes|"
    r"measures)|pairs? of (?:columns|variables|features|fields|attributes|measures))\b",
    re.IGNORECASE,
)
_AS_CHART = re.compile(
    rf",? *\b(?:as|in|with|using|on) (?:a |an |the )?(?:simple )?(?:bar|line|column)[- ]?{_CHART}|"
    rf"\b(?:bar|line|column)[- ]?{_CHART}",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:against|versus|vs\.?)(?=\s)", re.IGNORECASE)
_LINE = re.compile(r"\bline|over (?:the )?(?:time|years|months|days)|trend|develop", re.IGNORECASE)
_BINS = re.compile(
    r"(?:,? *(?:with|in|into|using|of|and) )?(\d{1,3}) (?:bins?|bars|buckets|classes)\b",
    re.IGNORECASE,
)
_PERCENTILE = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?[- ]percentile\b", re.IGNORECASE)
_ZSCORE = re.compile(
    r"(?:,? *(?:by|using|with|via|based on) )?(?:the |a )?(?:\bz[- ]?scores?\b(?: method| rule)?|"
    r"(?:more than )?(?:3|three) (?:sigmas?|standard deviations?)(?: (?:from|off) the (?:mean|"
    r"average))?|3[- ]sigma(?: rule)?)",
    re.IGNORECASE,
)
_IQR = re.compile(
    r"(?:,? *(?:by|using|with|via|based on) )?(?:the )?(?:\biqr\b|\binter-?quartile range\b|"
    r"\btukey(?:'s)?\b)(?: (?:method|rule|fences?))?",
    re.IGNORECASE,
)
_RANKED = re.compile(r"(?:\(|,? *(?:by|using|with) )?\bspearman(?:'s)?(?: rank| method|\))*",
                     re.IGNORECASE)  # fmt: skip
_PLAIN = re.compile(r"(?:\(|,? *(?:by|using|with) )?\bpearson(?:'s)?(?: method|\))*", re.IGNORECASE)
# A person who wants a drawing beside may say so; the drawing comes in any case.
_BESIDE = re.compile(
    r",? *\b(?:as|with|in|and)(?: (?:show|draw|give))?(?: (?:me|it|them))?(?: as)?(?: a| an| the)? "
    r"(?:heat[- ]?map|png|picture|image|figure|graphic)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ask:
    """A text that asks for a study. `rest` has `MARK` for the words that said so."""

    kind: Kind
    rest: str
    method: str = ""
    number: int = 0
    swapped: bool = False


def ask_study(text: str) -> Ask | None:
    """The study that a text asks for; None when no word of it does."""
    plain, method, number = _settings(_ALL.sub(" ", text))
    matches = ((kind, pattern, pattern.search(plain)) for kind, pattern in _PATTERNS)
    kind, pattern, found = next((each for each in matches if each[2]), (None, None, None))
    if kind is None or pattern is None or found is None:
        return None
    rest = pattern.sub(f" {MARK} ", plain) if kind != "chart" else _cut(plain, found)
    against = bool(_AGAINST.search(plain))
    if kind == "chart" and against and not re.search(r"bar|line", found.group(), re.IGNORECASE):
        kind, rest = "scatter", f"{MARK} {rest}"
    if kind == "chart":
        rest = _AS_CHART.sub(" ", rest)
    if kind in ("scatter", "correlation", "chart"):
        rest = _AGAINST.sub("and", rest)
    return Ask(kind, rest, method or _method(kind, plain), number, swapped=against)


def _cut(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _settings(text: str) -> tuple[str, str, int]:
    """The text without a named method, a number of bins or a percentile, and these."""
    method, number = "", 0
    if _ZSCORE.search(text) and re.search(r"outl|anomal|unusual|extreme", text, re.IGNORECASE):
        text, method = _ZSCORE.sub(" ", text), "zscore"
    elif _IQR.search(text) and re.search(r"outl|anomal|unusual|extreme", text, re.IGNORECASE):
        text, method = _IQR.sub(" ", text), "iqr"
    elif re.search(r"correl|relat", text, re.IGNORECASE) and _RANKED.search(text):
        text, method = _RANKED.sub(" ", text), "spearman"
    elif re.search(r"correl|relat", text, re.IGNORECASE):
        text = _PLAIN.sub(" ", text)
    if found := _BINS.search(text):
        text, number = _cut(text, found), int(found.group(1))
    elif found := _PERCENTILE.search(text):
        text, number = f"{text[: found.start()]}percentile{text[found.end() :]}", int(found[1])
    if re.search(r"correlat", text, re.IGNORECASE):
        text = _BESIDE.sub(" ", text)
    return text, method, number


def _method(kind: Kind, text: str) -> str:
    if kind == "chart":
        bars = re.search(r"\bbars?\b|column[- ]chart", text, re.IGNORECASE)
        return "bar" if bars else "line" if _LINE.search(text) else ""
    return {"outliers": "iqr", "correlation": "pearson"}.get(kind, "")
