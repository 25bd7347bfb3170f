"""Which metric a task is judged by, as its text says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.prediction.metrics import (
    METRICS,
    PredictionMetric,
    default_metric,
    find_mentions,
    fitting,
)
from flows.analysis.prediction.reading.passages import TaskSentence
from flows.analysis.prediction.task import Kind

_JUDGING: Final = re.compile(
    r"\b(?:evaluat\w*|metrics?|scor(?:e|es|ed|ing)|judg\w*|measur\w*|rank(?:ed|ing)?|leaderboard|"
    r"criteri\w*|performance|assess\w*|graded|grading|optimi[sz]e\w*|minimi[sz]e\w*|maximi[sz]e\w*|"
    r"objective|compar\w*|winner|"
    r"bewert\w*|metrik\w*|gemessen|messen|kriterium|güte\w*|beurteil\w*|ausgewertet|wertung|"
    r"zählt|auswertung|gewertet)\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:not|n't|instead of|rather than|unlike|ignor\w*|nor|without|no longer|previous(?:ly)?|"
    r"secondary|additionally|also report\w*|tie[- ]?break\w*|ties\b|in addition|formerly|last year|"
    r"nicht|statt|anstatt|anstelle|zusätzlich|früher|weder)\b[^.;,]{0,50}$",
    re.IGNORECASE,
)
_LOGARITHM: Final = re.compile(
    r"\blogarithms?\b|\blog\s?\(|\blog[- ](?:transformed|scale|price|values?)|\blogarithm\w*|"
    r"\bof the logs?\b|\blog1p\b",
    re.IGNORECASE,
)
_UNKNOWN: Final = re.compile(
    r"\b(?:evaluated|scored|judged|measured|ranked|assessed)\s+"
    r"(?:on|by|using|with|according to|via)\s+"
    r"(?:the\s+|a\s+|an\s+)?(.{3,80}?)(?:[.;]|\s+between\b|\s+on\b|\s+of\b|\(|$)|"
    r"\bmetric\b(?:\s+(?:is|used is|will be))?\s*[:=]?\s+(?:the\s+|a\s+)?"
    r"(.{3,60}?)(?:[.;(]|\s+between\b|$)|"
    r"^[-*\s`]*(?:score|scoring|evaluation|loss|measure|metrik|bewertung|gütemaß)\s*[:=]\s*"
    r"([^\s:].{1,40}?)(?:[.;(]|$)",
    re.IGNORECASE,
)
_LOWER: Final = re.compile(r"\b(?:lower|smaller|less) is better|\bje (?:kleiner|niedriger)", re.I)
_HIGHER: Final = re.compile(
    r"\b(?:higher|larger|greater|more) is better|\bje (?:größer|höher)", re.I
)
_NO_WORDS: Final = frozenset(("rmse", "rmsle", "auroc", "auprc", "logloss", "smape", "mlogloss"))
_SECTION, _SENTENCE, _REFUSAL = 3.0, 2.0, -6.0
_LEAST: Final = 1.0
PROBABILITY: Final = re.compile(
    r"\b(?:probabilit\w*|likelihood|wahrscheinlichkeit\w*|chance that|confidence|propensit\w*)\b",
    re.IGNORECASE,
)
LABELS: Final = re.compile(
    r"\b(?:0 or 1|0/1|1 or 0|0 oder 1|true or false|yes or no|predicted (?:class|label)|"
    r"class labels?|(?:the )?labels?|klassenlabel|vorhergesagte klasse)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Scoring:
    """A metric, why it is the one, and what is doubtful of it. `named`: the text has it."""

    metric: PredictionMetric
    reason: str
    named: bool
    doubts: tuple[str, ...] = ()


def named_metric(
    texts: Sequence[TaskSentence], columns: Sequence[str], own: Sequence[PredictionMetric] = ()
) -> tuple[PredictionMetric | None, tuple[str, ...]]:
    """The metric that a text says predictions are judged by, surest first, and others that it
    names as such. One's `own` metrics are known by their names."""
    scores: dict[str, float] = {}
    known = {**METRICS, **{each.name: each for each in own}}
    folded = {each.casefold() for each in columns}
    for passage in texts:
        for name, score in _of_passage(passage, folded, own):
            scores[name] = max(scores.get(name, 0.0), score)
    ordered = sorted((each for each in scores if scores[each] >= _LEAST), key=lambda e: -scores[e])
    if not ordered:
        return None, ()
    best = scores[ordered[0]]
    return known[ordered[0]], tuple(each for each in ordered[1:] if scores[each] > best - 0.5)


def _of_passage(
    passage: TaskSentence, columns: set[str], own: Sequence[PredictionMetric]
) -> list[tuple[str, float]]:
    base = _SECTION if _JUDGING.search(passage.section) else 0.0
    base += _SENTENCE if _JUDGING.search(passage.text) else 0.0
    found = []
    for at, each in enumerate(find_mentions(passage.text)):
        written = passage.text[each.start : each.end]
        score = (0.5 if _plain_word(written) else 1.2) + base - 0.1 * at
        if _DENIED.search(passage.text[: each.start]):
            score += _REFUSAL
        if written.casefold() in columns and not base:
            score = 0.0
        name = each.metric.name
        if name == "rmse" and _LOGARITHM.search(passage.text):
            name = "rmsle"
        found.append((name, score + 0.01 * len(written.split())))
    found += [
        (each.name, base + 3.0)
        for each in own
        if re.search(rf"(?<!\w){re.escape(each.name)}(?!\w)", passage.text, re.IGNORECASE)
    ]
    # A heading or a line of its own may be nothing but a metric: `Metric: RMSE`, `## Log loss`.
    title = find_mentions(passage.section)
    return found + [(each.metric.name, 1.5) for each in title]


def _plain_word(written: str) -> bool:
    """Whether a name is a word that texts use for other things, too: accuracy, recall, kappa."""
    return written.isalpha() and not written.isupper() and written.casefold() not in _NO_WORDS


def scoring_of(
    named: PredictionMetric | None,
    others: Sequence[str],
    kind: Kind,
    texts: Sequence[TaskSentence],
    *,
    wants_probability: bool,
    wants_label: bool,
) -> Scoring:
    """The metric of a task of this kind: the named one if it can be, else the usual one."""
    doubts: list[str] = []
    if named is not None:
        metric = fitting(named, kind)
        if metric is not None:
            if others:
                doubts.append(f"the text names {', '.join(others)}, too, besides {metric.name}")
            doubts += _direction_doubts(metric, texts)
            reason = f"the text names {named.title}"
            if metric is not named:
                reason += f"; of {kind} classes it is {metric.title}"
            return Scoring(metric, reason, True, tuple(doubts))
        doubts.append(f"the text names {named.title}, which is not for a {kind} target")
    elif unknown := unknown_metric(texts):
        doubts.append(
            f"the metric {unknown!r} of the text is not known; one's own can be given in Python"
        )
    metric = default_metric(kind)
    if kind == "binary" and wants_label and not wants_probability:
        metric = METRICS["accuracy"]
    elif kind == "multiclass" and wants_probability:
        metric = METRICS["log_loss"]
    reason = f"by default for a {kind} target, since the text names no metric that fits"
    return Scoring(metric, reason, False, tuple(doubts))


def _direction_doubts(metric: PredictionMetric, texts: Sequence[TaskSentence]) -> list[str]:
    said_lower = any(_LOWER.search(each.text) for each in texts)
    said_higher = any(_HIGHER.search(each.text) for each in texts)
    if said_lower == said_higher or said_higher == metric.greater_is_better:
        return []
    way = "lower" if said_lower else "higher"
    return [f"the text says that {way} is better, and of {metric.title} it is not so"]


def unknown_metric(texts: Sequence[TaskSentence]) -> str:
    """What a text says predictions are judged by, where that is no known metric; else ""."""
    for passage in texts:
        found = _UNKNOWN.search(passage.text)
        if found is not None and not find_mentions(passage.text):
            said = (found[1] or found[2] or found[3] or "").strip(" `*\"'")
            if said and not re.match(
                r"(?:hidden|private|unseen|held|test|remaining|all)\b", said, re.I
            ):
                return said
    return ""
