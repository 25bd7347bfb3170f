"""Which columns are to be predicted: by the tables, the sample submission and the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.analysis.prediction.reading.asking import (
    BY_VERB,
    CLEAR,
    LISTED,
    NOUN,
    STOP,
    TARGET_NAMES,
    VERB,
    named_target,
    text_scores,
    without_brackets,
)
from flows.analysis.prediction.reading.columns import (
    ColumnMention,
    column_of,
    find_columns,
    names_of,
    words_of,
)
from flows.analysis.prediction.reading.passages import TaskSentence
from flows.data.tables import Column, Table
from flows.errors import UsageError


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
    if not train.rows or (test is not None and not test.rows):
        raise UsageError(f"{'test' if train.rows else 'train'} has no rows")
    asked = asked_columns(train, test, sample)
    scores = text_scores(texts, fields, train)
    lacking = lacking_columns(train, test)
    if asked:
        return _by_sample(asked, scores)
    if test is not None and not lacking:
        return _filled_in_test(texts, scores, train)
    candidates = lacking if lacking else _unnamed(train)
    clear = _in_text(texts, {each: scores.get(each, 0.0) for each in candidates}, train)
    if clear:
        return Targets(tuple(clear), "the text names it as what is to be predicted")
    if len(lacking) == 1:
        said = named_target(texts, train)
        doubts = [f"the text calls the target {said!r}, which train has not"] if said else []
        return Targets((lacking[0],), "train has it and test has not", tuple(doubts))
    return _by_name(candidates, _by_words(texts, candidates, scores), has_test=test is not None)


def asked_columns(train: Table, test: Table | None, sample: Table | None) -> tuple[str, ...]:
    """The columns of train that the sample submission has, and that identify no rows."""
    if sample is None:
        return ()
    found = [column_of(train, each.name) for each in sample.columns]
    lacking = set(lacking_columns(train, test)) if test is not None else None
    kept = [
        each.name
        for place, each in enumerate(found)
        if each is not None
        and (each.name in lacking if lacking is not None else place > 0)
        and not (place == 0 and counts_rows(sample))
    ]
    return tuple(kept)


def counts_rows(sample: Table) -> bool:
    """Whether the first column of a sample submission tells its rows apart, and others follow."""
    first = sample.columns[0]
    whole = first.type in ("integer", "text", "date", "timestamp")
    return whole and len(sample.columns) > 1 and first.distinct == first.rows > 1


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


def _by_sample(asked: tuple[str, ...], scores: Mapping[str, float]) -> Targets:
    doubts = []
    best = max(scores, key=lambda each: scores[each], default="")
    if scores.get(best, 0.0) >= BY_VERB and best not in asked:
        doubts.append(f"the text seems to ask for {best!r}, the sample submission for {asked[0]!r}")
    return Targets(asked, "the sample submission has it", tuple(doubts))


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


def _by_words(
    texts: Sequence[TaskSentence], candidates: Sequence[str], scores: Mapping[str, float]
) -> str:
    """The column of whose name most words follow one that asks to predict, if one has the most:
    `the ride's duration` may be `trip_duration`; else ""."""
    found = {each: max(scores.get(each, 0.0), 0.0) for each in candidates}
    for passage in texts:
        verb = VERB.search(passage.text)
        asked = passage.text[verb.end() :] if verb else ""
        asked = re.split(STOP, asked, maxsplit=1)[0].casefold()
        for each in candidates:
            words = [word for word in words_of(each) if len(word) > 2]
            hits = sum(bool(re.search(rf"(?<!\w){re.escape(word)}", asked)) for word in words)
            found[each] = max(found[each], hits / max(len(words), 1))
    ordered = sorted(found, key=lambda each: -found[each])
    if len(ordered) > 1 and found[ordered[0]] - found[ordered[1]] < 0.2:
        return ""
    return ordered[0] if ordered and found[ordered[0]] >= 0.4 else ""


def _by_name(candidates: Sequence[str], worded: str, *, has_test: bool) -> Targets:
    if worded:
        others = ", ".join(repr(each) for each in candidates[:6] if each != worded)
        doubt = f"the text does not name the target; it seems to be {worded!r} and not {others}"
        return Targets(
            (worded,), "the text speaks of it in other words", (doubt,) if others else ()
        )
    named = [each for each in candidates if set(words_of(each)) & TARGET_NAMES]
    among = ", ".join(map(repr, candidates[:6]))
    if len(named) == 1:
        doubts = () if len(candidates) == 1 else (f"the text does not say which of {among}",)
        return Targets((named[0],), "its name says so", doubts if has_test else ())
    chosen = (named or list(candidates))[-1]
    why = "of those that test lacks it is the last" if has_test else "it is the last column"
    return Targets(
        (chosen,),
        why,
        (f"the text does not say which column is to be predicted: taken is {chosen!r} of {among}",),
    )


def _in_text(texts: Sequence[TaskSentence], scores: Mapping[str, float], train: Table) -> list[str]:
    """The target that the text names clearly, and those that it names with it."""
    best = max(scores, key=lambda each: scores[each], default="")
    if scores.get(best, 0.0) < CLEAR:
        return []
    found = {best}
    for each in texts:
        mentions = find_columns(each.text, names_of(train))
        if VERB.search(each.text) or NOUN.search(each.text):
            found |= _listed_with(best, each.text, mentions) & set(scores)
    return [each for each in names_of(train) if each in found]


def _listed_with(name: str, text: str, mentions: Sequence[ColumnMention]) -> set[str]:
    """The columns between which and this one stand only `and` and commas, behind a word that asks
    for it."""
    groups: list[list[ColumnMention]] = []
    for each in mentions:
        if groups and LISTED.fullmatch(without_brackets(text[groups[-1][-1].end : each.start])):
            groups[-1].append(each)
        else:
            groups.append([each])
    chosen = next((group for group in groups if any(each.column == name for each in group)), [])
    if len(chosen) < 2 or _is_feature(text, chosen[0]):
        return set()
    return {each.column for each in chosen if each.weight >= 0.6}


def _is_feature(text: str, mention: ColumnMention) -> bool:
    """Whether between the word that asks and the name stands one that tells of what."""
    before = [each.end() for each in VERB.finditer(text, 0, mention.start)]
    return bool(before) and bool(STOP.search(text[before[-1] : mention.start]))


def target_column(train: Table, name: str) -> Column:
    """The profile of a target. Errors: `UsageError` for a name that train has not."""
    found = column_of(train, name)
    if found is None:
        raise UsageError(f"train has no column {name!r} (columns: {', '.join(names_of(train))})")
    if found.missing == found.rows:
        raise UsageError(f"the target {name!r} has no value in train: nothing can be learned")
    return found
