"""Rules by which a result is called something: `linear if |r| >= 0.5 and p < 0.05, else none`."""

from __future__ import annotations

import re

from flows.analysis.tasks.settings import Limit, Operator, Quantity, VerdictRule

_QUANTITIES: tuple[tuple[Quantity, str], ...] = (
    ("p_value", r"p[- ]?values?|\bp\b"),
    ("coefficient", r"\|\s*r\s*\||\br\b|(?:pearson )?(?:correlation )?coefficients?(?: \(r\))?|"
                    r"(?:pearson )?correlations?"),
    ("skewness", r"skew(?:ness)?"),
    ("statistic", r"(?:test )?statistics?"),
)  # fmt: skip
_OPERATORS: tuple[tuple[Operator, str], ...] = (
    (">=", r">=|\u2265|(?:is |are )?(?:greater|more|larger|higher) than or equal(?:s)? to|"
           r"(?:is |are )?(?:at least|no less than)"),
    ("<=", r"<=|\u2264|(?:is |are )?(?:less|smaller|lower) than or equal(?:s)? to|"
           r"(?:is |are )?(?:at most|no more than)"),
    (">", r">|(?:is |are )?(?:greater|more|larger|higher) than|(?:is |are )?above|exceeds?"),
    ("<", r"<|(?:is |are )?(?:less|smaller|lower) than|(?:is |are )?(?:below|under)"),
)  # fmt: skip
_QUANTITY = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _QUANTITIES)
_OPERATOR = "|".join(f"(?P<o{at}>{pattern})" for at, (_, pattern) in enumerate(_OPERATORS))
_LIMIT = re.compile(
    rf"(?:(?P<size>absolute (?:value )?(?:of )?(?:the )?|\|\s*(?=r\s*\|))|the )?"
    rf"(?:{_QUANTITY})(?: value)?\s*\|?\s*(?:{_OPERATOR})\s*(?P<number>-?\d*\.?\d+)",
    re.IGNORECASE,
)
_AND = re.compile(r"^[\s,]*(?:and|&|with)?[\s,]*(?:if|when|that)?[\s,]*(?:the|its)?\s*$", re.I)
_LEAD = re.compile(
    r"\b(?:then|the|a|an|it|its|is|are|be|as|to|of|that|there|should|can|will|would|we|you|"
    r"consider(?:ed)?|call(?:ed)?|classif(?:y|ied)|deem(?:ed)?|conclude[d]?|said|report(?:ed)?|"
    r"assume[d]?|say|treat(?:ed)?|relationship(?: type)?|correlation(?=\W+(?:is|as|to be)\b)|"
    r"data|distribution|values?|column|otherwise|else|and|or|if)\b|[\"'\u201c\u201d,:;.]",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"(?:^|[,;.]\s*|\band\s+)(?:or )?"
    r"(?:(?:else|otherwise),?\s+(?P<label>[^,;.]+)|(?P<before>[\w-]+(?: [\w-]+){0,2}) otherwise\b)",
    re.IGNORECASE,
)


def read_rules(text: str) -> tuple[VerdictRule, ...]:
    """The rules that a text gives; none where any part of it that says `if` is no such rule."""
    found: list[VerdictRule] = []
    for sentence in re.split(
        r"(?:(?<=[.!?])\s+|;\s*|\n)(?!(?:[\w-]+ ){0,3}(?:otherwise|else)\b)", text
    ):
        if not re.search(r"\b(?:if|when)\b", sentence, re.IGNORECASE):
            continue
        other = _ELSE.search(sentence)
        plain = sentence[: other.start()] if other is not None else sentence
        made = _rules_in(plain)
        if made is None:
            return ()
        found += made
        if other is not None and (label := _label(other.group("label") or other.group("before"))):
            found.append(VerdictRule(label, ()))
    return tuple(found)


def _rules_in(sentence: str) -> list[VerdictRule] | None:
    """The rules of a sentence: the label of each stands before its `if`, or behind its limits."""
    pieces = re.split(r"\b(?:if|when)\b", sentence, flags=re.IGNORECASE)
    found, before = [], _label(pieces[0])
    for at, piece in enumerate(pieces[1:], 1):
        limits, rest = _limits(piece)
        if not limits:
            return None
        behind = _label(rest)
        if before:  # `linear if ..., nonlinear if ...`: what is behind is of the next
            found.append(VerdictRule(before, limits))
            before = behind
            if behind and at == len(pieces) - 1:
                return None
        elif behind:
            found.append(VerdictRule(behind, limits))
        else:
            return None
    return found


def _limits(piece: str) -> tuple[tuple[Limit, ...], str]:
    """The limits at the start of a text, and the text behind them."""
    limits: list[Limit] = []
    end = 0
    for match in _LIMIT.finditer(piece):
        if not _AND.match(piece[end : match.start()]):
            break
        quantity = next(name for name, _ in _QUANTITIES if match.group(name))
        operator = next(o for at, (o, _) in enumerate(_OPERATORS) if match.group(f"o{at}"))
        size = bool(match.group("size")) or "|" in match.group(quantity)
        limits.append(Limit(quantity, operator, float(match.group("number")), size))
        end = match.end()
    return tuple(limits), piece[end:]


def _label(text: str) -> str:
    return " ".join(_LEAD.sub(" ", text).split())
