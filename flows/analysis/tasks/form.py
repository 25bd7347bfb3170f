"""The form of an answer, as a task text gives it: fields with names, `@mean_fare[value]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from flows.analysis.tasks.rounding import decimals_in

_FIELD = re.compile(r"@(\w+)\s*\[([^\]\n]*)\]")
_CLAUSES = re.compile(r"(?<=[.;!?])\s+|\n+|,\s+(?=(?:and )?where\b)|\band (?=where\b)")
_QUOTED = re.compile(r"[\"'\u201c\u2018]([\w][\w /-]*)[\"'\u201d\u2019]")
_LISTED = re.compile(
    r"\b(?:either|one of|can be|must be|should be|is|choices?|options?)\b.*\bor\b.*|"
    r"\b(?:either|one of|choices?|options?)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE = re.compile(r"\bintegers?\b|\bwhole numbers?\b", re.IGNORECASE)
_PERCENT = re.compile(r"\bpercent(?:ages?)?\b|%", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerField:
    """A field of the form. `holder` is the text in its brackets, `choices` are the words of which
    one fills it (none: a number or any text), `decimals` rounds it (None: as it is)."""

    name: str
    holder: str = ""
    choices: tuple[str, ...] = ()
    decimals: int | None = None
    percent: bool = False


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The fields of an answer in their order."""

    fields: tuple[AnswerField, ...]


def has_form(text: str) -> bool:
    """Whether a text has a field to fill."""
    return _FIELD.search(text) is not None


def form_start(text: str) -> int:
    """Where the sentence begins in which the first field stands."""
    found = _FIELD.search(text)
    assert found is not None
    before = text[: found.start()]
    ends = [m.end() for m in re.finditer(r"[.!?|]\s+|\n", before)]
    start = ends[-1] if ends else 0
    lead = before[start:]
    # `Give the mean fare as @mean_fare[x]`: the words before the field are the question.
    label = re.fullmatch(
        r"\W*(?:(?:and |then )?(?:please )?(?:answer|reply|respond|report|return|give|write|print|"
        r"output|the|final|results?|your|in|this|following|format|form|as|with|using|is|be|should|"
        r"must|it|them)\W*)*",
        lead,
        re.IGNORECASE,
    )
    return start if label else found.start()


def read_form(text: str) -> AnswerForm:
    """The form that a text describes: its fields, and what is said of each behind them."""
    found = {m.group(1): m.group(2).strip() for m in _FIELD.finditer(text)}
    clauses = [each for each in _CLAUSES.split(_FIELD.sub(" . ", text)) if each]
    names = {name: _named(name, holder) for name, holder in found.items()}
    return AnswerForm(tuple(
        _field(name, holder, [each for each in clauses if _is_about(each, name, names)])
        for name, holder in found.items()
    ))  # fmt: skip


def _named(name: str, holder: str) -> re.Pattern[str]:
    """What names a field in the text: its name or the text in its brackets."""
    texts = [name, name.replace("_", " "), *([holder] if len(holder) > 2 else [])]
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, texts))})(?!\w)", re.IGNORECASE)


def _is_about(clause: str, name: str, names: Mapping[str, re.Pattern[str]]) -> bool:
    """Whether a clause names a field, or names none, which is about each of them."""
    first = [other for other, pattern in names.items() if pattern.search(clause)]
    return name in first or not first


def _field(name: str, holder: str, about: list[str]) -> AnswerField:
    """The field with all that the clauses about it say."""
    said = " ".join((holder, *about))
    decimals = decimals_in(said)
    if decimals is None and _WHOLE.search(said):
        decimals = 0
    return AnswerField(
        name=name,
        holder=holder,
        choices=_choices(holder, about),
        decimals=decimals,
        percent=bool(_PERCENT.search(said)),
    )


def _choices(holder: str, about: list[str]) -> tuple[str, ...]:
    """The words of which one fills a field: `yes/no` in its brackets, or `either "a" or "b"`."""
    plain = re.sub(r"[\"'\u201c\u201d\u2018\u2019]", "", holder)
    if re.search(r"[|/]|\bor\b", plain):
        split = re.split(r"\s*[|/]\s*|\s*,?\s+or\s+|\s*,\s*", plain)
        return tuple(each.strip() for each in split if each.strip())
    for clause in about:
        if listed := _LISTED.search(clause):
            quoted = tuple(dict.fromkeys(each.strip() for each in _QUOTED.findall(listed.group())))
            if len(quoted) > 1:
                return quoted
    return ()
