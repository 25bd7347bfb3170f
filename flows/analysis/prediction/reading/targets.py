"""Which columns are to be predicted: by the tables, the sample submission and the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.prediction.reading.columns import (
    ColumnMention,
    column_of,
    find_columns,
    names_of,
    words_of,
)
from flows.analysis.prediction.reading.passages import TaskSentence
from flows.data.tables import Column, Table, plain_name
from flows.errors import UsageError, nearest

_VERB: Final = re.compile(
    r"\b(?:predict\w*|forecast\w*|estimat\w*|classify\w*|classifi\w*|infer|determin\w*|guess\w*|"
    r"anticipate|regress\w*|model|vorher\w*|prognosti\w*|prognose\w*|schätz\w*|bestimm\w*|"
    r"klassifizier\w*|ermittel\w*|vorauszusagen|detect\w*|identify|label)\b",
    re.IGNORECASE,
)
_NOUN: Final = re.compile(
    r"\b(?:target\w*|response|dependent variable|outcome(?: variable)?|label(?: column)?|"
    r"ground truth|(?:to be|being) predicted|to predict|predicted variable|y variable|"
    r"ziel(?:variable|spalte|größe|groesse|merkmal|wert|feld)?|abhängige variable|"
    r"vorherzusagen\w*|vorhergesagt\w*)\b",
    re.IGNORECASE,
)
_STOP: Final = re.compile(
    r"\b(?:using|based on|from|given|with the help of|with|by means of|by|as a function of|"
    r"anhand|aus|mithilfe|mit|auf basis|for each|for every|for all|für jede\w*|für alle|per|pro|"
    r"identified|whose|where|out of|through|via|among)\b",
    re.IGNORECASE,
)
_BACKWARD: Final = re.compile(
    r"\b(?:vorher\w*|prognosti\w*|schätz\w*|bestimm\w*|ermittel\w*|klassifizier\w*|"
    r"vorauszusagen|(?:is|are|be) (?:predicted|forecast\w*|estimated|determined))\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:do not|don't|must not|never|cannot|not|nicht|kein\w*|ignore|drop)\b", re.IGNORECASE
)
_APART: Final = (_STOP, _DENIED, re.compile(r"[.;]\s"))
_LISTED: Final = re.compile(
    r"[\s,;&/`'\"*()+]*(?:\b(?:and|und|as well as|sowie|the|both|or|den|die|das|der|column|columns|"
    r"value|values|of|also)\b[\s,;&/`'\"*()+]*)*",
    re.IGNORECASE,
)
_GOAL: Final = re.compile(
    r"goal|task|objective|target|aufgabe|ziel|problem|overview|challenge|to do|predict",
    re.IGNORECASE,
)
_NAMES_TEXT: Final = (
    "target targets label labels y outcome response class ziel zielvariable zielwert"
)
_TARGET_NAMES: Final = frozenset(_NAMES_TEXT.split())
# Where a text says what the target is in so many words; a verb before a name; a name alone.
_BY_NOUN, _BY_VERB, _BY_FIELD, _BY_NAME = 4.0, 3.0, 4.0, 1.5
_FEATURE: Final = -0.5
_CLEAR: Final = 1.2


@dataclass(frozen=True, slots=True)
class Targets:
    """The columns to predict, why these, and what is doubtful of it."""

    names: tuple[str, ...]
    reason: str
    doubts: tuple[str, ...] = ()


def read_targets(
    texts: Sequence[TaskSentence],
    fields: Mapping[str, str],
    train: Table,
    test: Table | None,
    sample: Table | None,
) -> Targets:
    """The columns of train to predict. Errors: `UsageError` when train has none that may be."""
    asked = asked_columns(train, test, sample)
    scores = text_scores(texts, fields, train)
    lacking = lacking_columns(train, test)
    if asked:
        return _by_sample(asked, lacking, scores, test)
    if test is not None and not lacking:
        return _filled_in_test(texts, scores, train)
    candidates = lacking if lacking else _unnamed(train)
    clear = _in_text(texts, {each: scores.get(each, 0.0) for each in candidates}, train)
    if clear:
        others = [each for each in lacking if each not in clear]
        return Targets(tuple(clear), "the text names it as what is to be predicted", _aside(others))
    if len(lacking) == 1:
        said = named_target(texts, train)
        doubts = [f"the text calls the target {said!r}, which train has not"] if said else []
        return Targets((lacking[0],), "train has it and test has not", tuple(doubts))
    return _by_name(candidates, has_test=test is not None)


def asked_columns(train: Table, test: Table | None, sample: Table | None) -> tuple[str, ...]:
    """The columns of train that the sample submission has, and that identify no rows."""
    if sample is None:
        return ()
    found = [column_of(train, each.name) for each in sample.columns]
    lacking = set(lacking_columns(train, test)) if test is not None else None
    kept = [
        each.name
        for place, each in enumerate(found)
        if each is not None and (each.name in lacking if lacking is not None else place > 0)
    ]
    return tuple(kept)


def lacking_columns(train: Table, test: Table | None) -> tuple[str, ...]:
    """The columns of train that test has not, or has without any value."""
    if test is None:
        return ()
    return tuple(
        each.name
        for each in train.columns
        if (other := column_of(test, each.name)) is None
        or (other.missing == other.rows > 0 and each.missing < each.rows)
    )


def _by_sample(
    asked: tuple[str, ...], lacking: Sequence[str], scores: Mapping[str, float], test: Table | None
) -> Targets:
    doubts = list(_aside([each for each in lacking if each not in asked])) if test else []
    best = max(scores, key=lambda each: scores[each], default="")
    if scores.get(best, 0.0) >= _BY_VERB and best not in asked:
        doubts.append(f"the text seems to ask for {best!r}, the sample submission for {asked[0]!r}")
    return Targets(asked, "the sample submission has it", tuple(doubts))


def _aside(others: Sequence[str]) -> tuple[str, ...]:
    if not others:
        return ()
    return (
        f"test lacks {', '.join(map(repr, others[:5]))}, which train has besides the target: not "
        "to be learned of",
    )


def _filled_in_test(
    texts: Sequence[TaskSentence], scores: Mapping[str, float], train: Table
) -> Targets:
    clear = _in_text(texts, scores, train)
    if clear:
        doubt = f"test holds the target {clear[0]!r}, too: it must not be learned of"
        return Targets(tuple(clear), "the text names it as what is to be predicted", (doubt,))
    said = named_target(texts, train)
    meant = f"; the text asks for {said!r}" if said else ""
    raise UsageError(
        f"train has no target: test has all of its columns{meant} (train: "
        f"{', '.join(names_of(train)[:30])})"
    )


def _unnamed(train: Table) -> tuple[str, ...]:
    """The columns that may be a target where no test tells: all but those that say which row."""
    kept = [each.name for each in train.columns if each.role != "id"]
    return tuple(kept) or names_of(train)


def _by_name(candidates: Sequence[str], *, has_test: bool) -> Targets:
    named = [each for each in candidates if set(words_of(each)) & _TARGET_NAMES]
    among = ", ".join(map(repr, candidates[:6]))
    if len(named) == 1:
        doubts = () if len(candidates) == 1 else (f"the text does not say which of {among}",)
        return Targets((named[0],), "its name says so", doubts if has_test else ())
    chosen = (named or list(candidates))[-1]
    why = "of those that test lacks it is the last" if has_test else "it is the last column"
    return Targets(
        (chosen,),
        why,
        (f"nothing says which column is to be predicted: taken is {chosen!r} of {among}",),
    )


def _in_text(texts: Sequence[TaskSentence], scores: Mapping[str, float], train: Table) -> list[str]:
    """The target that the text names clearly, and those that it names with it."""
    best = max(scores, key=lambda each: scores[each], default="")
    if scores.get(best, 0.0) < _CLEAR:
        return []
    found = {best}
    for each in texts:
        mentions = find_columns(each.text, names_of(train))
        if _VERB.search(each.text) or _NOUN.search(each.text):
            found |= _listed_with(best, each.text, mentions) & set(scores)
    return [each for each in names_of(train) if each in found]


def _listed_with(name: str, text: str, mentions: Sequence[ColumnMention]) -> set[str]:
    """The columns between which and this one stand only `and` and commas, behind a word that asks
    for it."""
    groups: list[list[ColumnMention]] = []
    for each in mentions:
        if groups and _LISTED.fullmatch(text[groups[-1][-1].end : each.start]):
            groups[-1].append(each)
        else:
            groups.append([each])
    chosen = next((group for group in groups if any(each.column == name for each in group)), [])
    if len(chosen) < 2 or _is_feature(text, chosen[0]):
        return set()
    return {each.column for each in chosen if each.weight >= 0.6}


def _is_feature(text: str, mention: ColumnMention) -> bool:
    """Whether between the word that asks and the name stands one that tells of what."""
    before = [each.end() for each in _VERB.finditer(text, 0, mention.start)]
    return bool(before) and bool(_STOP.search(text[before[-1] : mention.start]))


def text_scores(
    texts: Sequence[TaskSentence], fields: Mapping[str, str], train: Table
) -> dict[str, float]:
    """How much the text says that a column is to be predicted; the most that one sentence says,
    and a little for each further one."""
    found: dict[str, list[float]] = {}
    for each in texts:
        for name, score in _of_sentence(each, names_of(train)):
            found.setdefault(name, []).append(score)
    for name, meaning in fields.items():
        if _NOUN.search(meaning) and not _DENIED.search(meaning):
            found.setdefault(name, []).append(_BY_FIELD)
    for name in names_of(train):
        if name in found and set(words_of(name)) & _TARGET_NAMES:
            found[name].append(_BY_NAME)
    return {name: max(each) + 0.1 * min(len(each), 5) for name, each in found.items()}


def _of_sentence(passage: TaskSentence, names: Sequence[str]) -> list[tuple[str, float]]:
    text = passage.text
    if passage.is_code:
        return []
    goal = 0.5 if _GOAL.search(passage.section) else 0.0
    found = []
    mentions = find_columns(text, names)
    for each in mentions:
        score = max(_noun_score(text, each, mentions), _verb_score(text, each, mentions))
        if score:
            found.append((each.column, score * each.weight + (goal if score > 0 else 0.0)))
    return found


def _noun_score(text: str, mention: ColumnMention, mentions: Sequence[ColumnMention]) -> float:
    """For `the target is X`, `X (target)`, `X is the target variable`."""
    for noun in _NOUN.finditer(text):
        if noun.start() < mention.end and mention.start < noun.end():
            continue
        first, last = sorted(((noun.start(), noun.end()), (mention.start, mention.end)))
        if any(first[1] <= each.start and each.end <= last[0] for each in mentions):
            continue
        between = text[first[1] : last[0]]
        if len(between) <= 45 and not any(each.search(between) for each in _APART):
            return _BY_NOUN - 0.02 * len(between)
    return 0.0


def _verb_score(text: str, mention: ColumnMention, mentions: Sequence[ColumnMention]) -> float:
    """For `predict X`, and for words that ask behind it, as in German."""
    before = [each for each in _VERB.finditer(text) if each.end() <= mention.start]
    if before:
        between = text[before[-1].end() : mention.start]
        if _STOP.search(between):
            return _FEATURE
        if _DENIED.search(text[max(before[-1].start() - 20, 0) : before[-1].start()]):
            return 0.0
        return _BY_VERB - 0.01 * min(len(between), 200)
    after = next((each for each in _BACKWARD.finditer(text) if each.start() >= mention.end), None)
    if after is None or _is_given(text, mention, mentions):
        return 0.0
    between = text[mention.end : after.start()]
    return _BY_VERB - 0.5 - 0.01 * min(len(between), 150)


def _is_given(text: str, mention: ColumnMention, mentions: Sequence[ColumnMention]) -> bool:
    """Whether it stands in a list behind `of`, as b in `of a and b the height is predicted`."""
    stops = [each.end() for each in _STOP.finditer(text, 0, mention.start)]
    if not stops:
        return False
    rest, at = "", stops[-1]
    for each in mentions:
        if stops[-1] <= each.start < mention.start:
            rest, at = rest + text[at : each.start], each.end
    return bool(_GIVEN.fullmatch(rest + text[at : mention.start]))


_GIVEN: Final = re.compile(
    rf"(?:{_LISTED.pattern}|\b(?:von|vom|dem|des|columns?|features?|spalten?|merkmale?n?|its?)\b)*",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"(?:predict\w*|forecast\w*|estimat\w*|target(?: variable| column)?(?: is)?|"
    r"ziel(?:variable|spalte)?(?: ist)?)\s*[:=]?\s+"
    r"(?:the\s+|a\s+|die\s+|der\s+|das\s+)?(?:column\s+|value of\s+)?"
    r"[`\"*\u201c]{1,2}([\w .-]{1,40}?)[`\"*\u201d]{1,2}",
    re.IGNORECASE,
)


def named_target(texts: Sequence[TaskSentence], train: Table) -> str:
    """What the text calls the target in quotes, where train has no such column; else ""."""
    for each in texts:
        for match in _ASKED.finditer(each.text):
            if column_of(train, match[1]) is None:
                near = nearest(match[1], names_of(train))
                if near is None or plain_name(near) != plain_name(match[1]):
                    return match[1]
    return ""


def target_column(train: Table, name: str) -> Column:
    """The profile of a target. Errors: `UsageError` for a name that train has not."""
    found = column_of(train, name)
    if found is None:
        raise UsageError(f"train has no column {name!r} (columns: {', '.join(names_of(train))})")
    return found
