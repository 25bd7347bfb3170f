"""What a question asks of documents: its telling words, what kind of answer, whether to compute."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.phrasebook import CHANGES, EXTREMES
from flows.analysis.language.words import root

Kind = Literal["number", "time", "reason", "text"]

_WORD: Final = re.compile(r"[^\W_]+")
# Two words with a dash are one term, since one of them alone may say nothing: `on-time`.
_JOINED: Final = re.compile(r"([^\W_]+)-(?=([^\W_]+))")
# Words that say that there is something to ask, but not what.
_ASKING: Final = frozenset({
    "according", "calculated", "computed", "count", "counts", "define", "defined", "definition",
    "describe", "described", "determined", "document", "documents", "does", "explain", "explained",
    "happen", "happens", "kind", "long", "mean", "means", "meant", "measured", "must", "often",
    "ought", "say", "says", "soon", "stand", "stands", "us", "why", "work", "works",
})  # fmt: skip
# Forms of verbs that no ending tells.
_VERBS: Final = {
    form: verb
    for verb, forms in {
        "bring": "brought", "buy": "bought", "choose": "chose chosen", "find": "found",
        "get": "got gotten", "give": "gave given", "hold": "held", "keep": "kept", "know": "known",
        "leave": "left", "lose": "lost", "make": "made", "meet": "met", "pay": "paid",
        "sell": "sold", "send": "sent", "spend": "spent", "take": "took taken", "teach": "taught",
        "tell": "told", "write": "wrote written",
    }.items()
    for form in forms.split()
}  # fmt: skip
# Words of questions that data answers: figures, comparisons, causes of changes, advice from them.
_CHANGED: Final = CHANGES.pattern().replace(" ", r"\ ")
_COMPUTED: Final = re.compile(
    rf"""\b(?:
    averages? | mean\ (?!s?\b|by\b) | medians? | sums? | totals? | counts?\ of | numbers?\ of
    | percentages? | proportions? | ratios? | correlat\w+ | regress\w+ | trends? | trending
    | forecast\w* | predict\w* | project(?:ed|ion)s? | distribut\w+ | cluster\w* | segment\w*
    | outliers? | anomal\w+ | compar\w+ | versus | vs | rank\w* | {EXTREMES.pattern()}
    | cheapest | longest | shortest | improv\w+ | optimi[sz]\w+ | maximi[sz]\w+
    | minimi[sz]\w+ | boost\w* | affect\w* | impact\w* | influenc\w+ | driv(?:e|es|er|ers|ing)
    | relationships? | relat(?:es?|ed)\ to | depends?\ on | over\ time | (?:per|by|each|every)\ (?:
        day|week|month|quarter|year) | monthly | quarterly | yearly | charts? | plots? | graphs?
    | visuali[sz]\w+ | models? | {_CHANGED} | growth | reduc\w+ | perform(?:s|ed|ing|ance)?
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_MUCH: Final = re.compile(r"\bhow (?:many|much)\s+(?P<noun>[^\W\d_]+)?", re.IGNORECASE)
_RULED: Final = re.compile(
    r"\b(?:may|must|can|should|shall|allowed|permitted|entitled|required|needed|need to|have to"
    r"|has to)\b",
    re.IGNORECASE,
)
# `what is the X of Y`, Y a name or a number: a figure, unless X is something that texts lay down.
_FIGURE: Final = re.compile(
    r"^\W*(?i:what|which|show|give|list|tell)\b.*?\b(?:of|for|in|at|by|from|during|between)\s+"
    r"(?:(?i:the|our|my|each|all|a)\s+)*(?:\d|[^\W\d_a-z]|'|\")",
    re.DOTALL,
)
_LAID_DOWN: Final = frozenset(
    root(word)
    for word in (
        "policy", "rule", "procedure", "process", "guideline", "requirement", "criterion",
        "condition", "limit", "target", "threshold", "deadline", "standard", "agreement", "sla",
        "purpose", "goal", "objective", "reason", "responsibility", "responsible", "definition",
        "exception", "approval", "warranty", "guarantee", "period", "penalty", "right", "duty",
        "scope", "role", "owner", "contact", "address", "source", "method", "formula",
    )
)  # fmt: skip
_DEFINED: Final = re.compile(
    r"^\W*(?:what\s+(?:is|are|does|do|counts?\s+as|is\s+meant)\b"
    r"|how\s+(?:is|are)\b.*\b(?:defined|measured|calculated|computed|determined)\b"
    r"|(?:define|explain|describe)\b)",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    r"\b(?:when|how (?:long|soon|often|frequently)|by what (?:time|date))\b", re.I
)
_REASON: Final = re.compile(r"\b(?:why|for what reasons?|how come)\b", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"\b(?:what|who|whom|whose|when|where|why|which|how|is|are|do|does|can|may|must|should|shall"
    r"|define|describe|explain|tell)\b",
    re.IGNORECASE,
)
_LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """A question: its telling words without their endings, the `kind` of its answer, and whether it
    is one that data answers and no text. `unit` is what is counted: days of `how many days`;
    `definition` says that it asks what something is. Two words with a dash are one term."""

    terms: tuple[str, ...]
    kind: Kind
    computed: bool
    unit: str = ""
    definition: bool = False


def read_question(question: str) -> DocumentQuestion:
    """What the question asks of documents."""
    much = _MUCH.search(question)
    unit = root(much["noun"].lower()) if much and much["noun"] else ""
    joined = [(one.lower(), other.lower()) for one, other in _JOINED.findall(question)]
    parts = {part for pair in joined for part in pair}
    words = [word.lower() for word in _WORD.findall(question)]
    telling = [w for w in words if w not in FUNCTION_WORDS | _ASKING | parts]
    terms = [*(f"{_stem(one)} {_stem(other)}" for one, other in joined), *map(_stem, telling)]
    return DocumentQuestion(
        terms=tuple(dict.fromkeys(terms)),
        kind=_kind(question, unit),
        computed=_is_computed(question, terms, unit),
        unit=unit,
        definition=_DEFINED.match(question) is not None,
    )


def terms_of(text: str) -> frozenset[str]:
    """The words of a text without their endings, and each two that follow each other."""
    stems = [_stem(word.lower()) for word in _WORD.findall(text)]
    return frozenset(stems) | {f"{one} {other}" for one, other in pairwise(stems)}


def content_of(text: str) -> frozenset[str]:
    """The telling words of a text without their endings."""
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in words if word not in FUNCTION_WORDS)


def _stem(word: str) -> str:
    return root(_VERBS.get(word, word))


def _kind(question: str, unit: str) -> Kind:
    if unit:
        return "number"
    if _TIME.search(question):
        return "time"
    return "reason" if _REASON.search(question) else "text"


def _is_computed(question: str, terms: list[str], unit: str) -> bool:
    if len(question) > _LONGEST or not _ASKS.search(question):
        return True
    if _COMPUTED.search(question):
        return True
    if _MUCH.search(question):
        return not unit or not _RULED.search(question)
    return bool(_FIGURE.match(question)) and not _LAID_DOWN & set(terms)
