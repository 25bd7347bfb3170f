"""What the constraints of a task settle, typed: decimals, a test and its level, a rule."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from flows.analysis.tasks.rounding import ROUNDING, decimals_of

Quantity = Literal["coefficient", "p_value", "statistic", "skewness"]
Operator = Literal["<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Limit:
    """A quantity of a result, or its size, compared with a number."""

    quantity: Quantity
    operator: Operator
    number: float
    size: bool = False


@dataclass(frozen=True, slots=True)
class VerdictRule:
    """What is said of a result for which all limits hold; without limits, of any other."""

    label: str
    limits: tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """What holds for all of a task. `variant` is the way of a method by its name, `functions` are
    those of a library that the task calls by name."""

    decimals: int | None = None
    deviation: Literal["", "sample", "population"] = ""
    variant: str = ""
    alpha: float | None = None
    threshold: float | None = None
    fences: float | None = None
    tails: int = 0
    percent: bool | None = None
    drops_missing: bool = False
    functions: tuple[str, ...] = ()
    rules: tuple[VerdictRule, ...] = field(default=())


_NUMBER = r"(?P<number>\d*\.?\d+)"
_IS = r"\s*(?:level\s*)?(?:\(?(?:of|is|at|=|:|to|be|value)\)?\s*)*"
_VARIANTS = {
    "pearson": r"pearson(?:'s)?(?: (?:product[- ]moment|r))?(?: correlation)?(?: coefficients?)?"
    r"(?: \(r\))?",
    "spearman": r"spearman(?:'s)?(?: rank)?(?: correlation)?(?: coefficients?)?",
    "kendall": r"kendall(?:'s)?(?: (?:rank|tau))?(?: correlation)?(?: coefficients?)?",
    "shapiro": r"shapiro(?:[- ]?wilks?)?",
    "dagostino": r"d['\u2019]?agostino(?:(?:[- ]| and )pearson)?(?:'s)?(?: k-squared)?",
    "zscore": r"z[- ]?scores?",
    "iqr": r"iqr|inter-?quartile range",
    "welch": r"welch(?:'s)?",
    "student": r"student(?:'s)?(?= t\b)",
    "mannwhitney": r"mann[- ]whitney(?: u)?",
}
# What stands before the rule by which a value is an outlier.
_OUTLYING = (
    r"(?:\b(?:a|an|any|the|all|values?|(?:data )?points?|observations?|rows?|"
    r"entr(?:y|ies)|outliers?|"
    r"it|its|they|their|that|which|are|is|as|be|to|should|considered?|defined?|"
    r"treat(?:ed)?|if|when|"
    r"lies?|lying|falls?|falling|those|with|whose|absolute|value)\b[\s,:]*)*"
)
# A pattern, and what it settles. What it finds leaves the text, with what it found in it.
_PLAIN: tuple[tuple[str, dict[str, Any]], ...] = (
    (r"\bpopulation (?=standard deviation|std|variance|deviation)|"
     r"(?:\b(?:with|using) )?\bddof ?= ?0\b",
     {"deviation": "population"}),
    (r"\bsample (?=standard deviation|std|variance|deviation)|"
     r"(?:\b(?:with|using) )?\bddof ?= ?1\b",
     {"deviation": "sample"}),
    (r"\b(?:do not|don't|without|no need to|there is no need to)(?: (?:perform|performing|do|apply|"
     r"any|further|additional|other|more|data)){0,5} (?:cleaning|pre-?processing|processing|"
     r"transformations?)(?:(?: or | and |, )(?:pre-?processing|transformations?|cleaning))*"
     r"(?: steps?)?(?: (?:before|on|to|of|for)\b.*)?", {}),
    (r"\b(?:that )?of a population\b(?: \(?ddof ?= ?0\)?)?", {"deviation": "population"}),
    (r"\b(?:that )?of a sample\b(?: \(?ddof ?= ?1\)?)?", {"deviation": "sample"}),
    (r"\b(?:label |ordinal )?(?:codes?|labels?)(?: are| is)? "
     r"(?:follow|given|assigned|sorted|ordered)"
     r"s?(?: in| by)?(?: the)? alphabetical(?:ly)?(?: order)?(?: of the \w+)?", {}),
    (r",?\s*\b(?:assum(?:e|ing)|with) (?:that )?(?:the )?(?:(?:groups|samples) have )?equal "
     r"variances?|\bequal_var ?= ?true\b", {"variant": "student"}),
    (r",?\s*\b(?:assum(?:e|ing)|with) (?:that )?(?:the )?(?:(?:groups|samples) have )?unequal "
     r"variances?|\bequal_var ?= ?false\b|\b(?:do not|don't|without) assum(?:e|ing) equal "
     r"variances?", {"variant": "welch"}),
    (r",?\s*\b(?:after|by) (?:removing|dropping|excluding|ignoring) (?:all |any )?(?:the )?(?:rows|"
     r"entries|observations|records|cases) (?:with|that have|having) (?:any )?(?:missing|null|nan)"
     r"(?: values?)?", {"drops_missing": True}),
    (r"\b(?:ignor(?:e|ing)|exclud(?:e|ing)|drop(?:ping)?|remov(?:e|ing)) (?:all |any )?(?:the )?"
     r"(?:rows|entries|observations|records|cases) (?:with|that have|having) (?:any )?(?:missing|"
     r"null|nan)(?: values?)?(?=\W*$)", {"drops_missing": True}),
    (r"\btwo[- ](?:tailed|sided)\b", {"tails": 2}),
    (r"\bone[- ](?:tailed|sided)\b", {"tails": 1}),
    (r"\b(?:as|in) (?:a )?percent(?:ages?)?\b", {"percent": True}),
    (r"\b(?:as|in) (?:a |an )?(?:decimals?|proportions?|fractions?)\b(?: between (?:0|zero) and "
     r"(?:1|one))?", {"percent": False}),
    (r"\b(?:ignor(?:e|ing)|exclud(?:e|ing)|skip(?:ping)?|omit(?:ting)?|leav(?:e|ing) out)"
     r"(?: (?:all|any|the)){0,2} (?:missing|null|nan|empty|na)(?:[ /](?:or )?(?:missing|null|nan|"
     r"na))?(?: (?:values?|entries|data))?"
     r"(?: (?:before|when|from|for|in)(?: the)? (?:calculat\w+|comput\w+|analysis))?",
     {"drops_missing": True}),
)  # fmt: skip
_NUMBERED = (
    ("fences", rf"{_OUTLYING}(?:below|under|<|(?:less|lower|smaller) than) ?q1 ?[-\u2013\u2212] ?"
               rf"{_NUMBER} ?[*x\u00d7]? ?(?:the )?iqr,? (?:or|and) {_OUTLYING}(?:above|over|>|"
               rf"(?:greater|more|higher|larger) than) ?q3 ?\+ ?(?P=number) ?[*x\u00d7]? ?"
               r"(?:the )?iqr"),
    ("fences", rf"\b(?:with |using )?(?:a |the )?(?:multiplier|factor){_IS}{_NUMBER}"),
    ("alpha", rf"(?:\b(?:(?:at|with|using|for) )?(?:an? |the )?(?:significance|confidence)? ?"
              rf"(?:level )?\(?alpha\)?|\u03b1|"
              rf"\bsignificance level|\blevel of significance){_IS}{_NUMBER}(?P<part> ?%)?"),
    ("alpha", rf"{_NUMBER}(?P<part> ?%)? (?:significance level|level of significance)"),
    ("threshold", rf"{_OUTLYING}\bz[- ]?scores?\b"
                  rf"(?: (?:method|rule))?\W*(?:with |using |and )?(?:a |the )?"
                  rf"(?:threshold|cut-?off|(?:absolute )?(?:value )?(?:is |are )?(?:greater|more|"
                  rf"larger|higher) than|above|>){_IS}(?:\+/?- ?|\u00b1 ?)?{_NUMBER}"
                  rf"(?: or (?:less|smaller|lower|below|<)(?: than)? ?-(?P=number))?"),
    ("threshold", rf"\b(?:a |the )?(?:threshold|cut-?off)(?: value)?(?: for (?:the )?"
                  rf"z[- ]?scores?)?{_IS}(?:\+/?- ?|\u00b1 ?)?{_NUMBER}(?: for (?:the )?"
                  r"z[- ]?scores?)?"),
    ("fences", rf"{_NUMBER} ?(?:\*|x|\u00d7|times)? ?(?:the )?(?:iqr|inter-?quartile range)\b"),
)  # fmt: skip
_LIBRARY = r"(?:scipy|numpy|pandas|np|pd|stats|python)"
_CALL = re.compile(
    rf"(?:\b(?:using|with|via|by|use)\s+(?:the\s+)?)?"
    rf"(?:\b(?:the\s+)?{_LIBRARY}(?:['\u2019]s?)?\s+)*"
    rf"(?:\b(?:[A-Za-z_]\w*\.)*(?P<name>[A-Za-z_]\w*)\(\)|"
    rf"\b{_LIBRARY}\.(?:\w+\.)*(?P<dotted>\w+))"
    r"(?:\s+(?:function|method)s?)?",
    re.IGNORECASE,
)


def settle(text: str, settings: TaskSettings) -> tuple[str, TaskSettings]:
    """The text without what it settles, and the settings with that."""
    for found in ROUNDING.finditer(text):
        settings = replace(settings, decimals=decimals_of(found))
    text = ROUNDING.sub(" ", text)
    for found in _CALL.finditer(text):
        name = (found.group("name") or found.group("dotted")).lower()
        if name in ("std", "var") and re.search(r"\b(?:numpy|np)\b", found.group(), re.I):
            settings = replace(settings, deviation="population")
        if name in ("skew", "kurtosis") and re.search(r"\b(?:scipy|stats)\b", found.group(), re.I):
            name = f"biased {name}"
        settings = replace(settings, functions=(*settings.functions, name))
    text = _CALL.sub(" ", text)
    for name, pattern in _NUMBERED:
        found_number = re.search(pattern, text, re.IGNORECASE)
        if found_number is None:
            continue
        number = float(found_number.group("number"))
        if "part" in found_number.groupdict() and found_number.group("part"):
            number /= 100
        settings = replace(settings, **{name: number})  # type: ignore[arg-type]
        if name == "threshold":
            settings = replace(settings, variant="zscore")
        if name == "fences":
            settings = replace(settings, variant="iqr")
        text = text[: found_number.start()] + " " + text[found_number.end() :]
    for pattern, given in _PLAIN:
        text, times = re.subn(pattern, " ", text, flags=re.IGNORECASE)
        settings = replace(settings, **given) if times else settings
    return text, settings


def variant_in(text: str) -> str:
    """The way of a method that a text names; empty where it names none or several."""
    found = [
        name
        for name, pattern in _VARIANTS.items()
        if re.search(rf"(?<![\w]){pattern}(?![\w])", text, re.IGNORECASE)
    ]
    return found[0] if len(found) == 1 else ""


def without_variant(text: str) -> str:
    """The text without the names of ways."""
    for pattern in _VARIANTS.values():
        text = re.sub(rf"(?<![\w]){pattern}(?![\w])", " ", text, flags=re.IGNORECASE)
    return text
