"""Which table of a competition's folder is what: by the names of the files and by their columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final, Literal

from flows.data.tables import plain_name
from flows.services.competition_files import CandidateTable

RoleName = Literal["train", "train labels", "test", "test labels", "validation", "sample"]

_NAMES: Final[dict[RoleName, re.Pattern[str]]] = {
    "train": re.compile(r"(?:x|y)?(?:train|training|trainings|learn|learning|lern)\w*|\w+train"),
    "test": re.compile(
        r"[xy]?(?:test|tests|testing|holdout|unlabell?ed|scoring)(?:s?et|data|daten|x|satz)?"
        r"|predict|evaluation|eval"
    ),
    "validation": re.compile(r"valid|validation|val|dev"),
}  # fmt: skip
_SUBMISSION: Final = re.compile(r"submi(?:ssion|t)|abgabe|einreichung|sample_?sub(?![a-z])")
_EXAMPLE: Final = re.compile(r"sample|example|beispiel|format|template|muster|vorlage|dummy|random")
_ANSWERS: Final = re.compile(r"solution|answer|prediction|loesung|lösung|vorhersage")
_LABELS: Final = re.compile(r"labels?|targets?|y|ytrain|ytest|outcomes?|responses?|zielwerte?")
# A table of a sample has few columns besides those of a test table; a test has most of a train's.
_MOST_OF_TRAIN: Final = 0.5


@dataclass(frozen=True, slots=True)
class FolderRoles:
    """The tables by what they are for. Several of `train` or `test` are parts of one table;
    `labels` holds the targets of train where they stand in a table of their own."""

    train: tuple[CandidateTable, ...] = ()
    labels: CandidateTable | None = None
    test: tuple[CandidateTable, ...] = ()
    sample: CandidateTable | None = None
    further: tuple[CandidateTable, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Draft:
    """What is settled so far, and the tables that are left."""

    left: list[CandidateTable]
    notes: list[str] = field(default_factory=list)

    def take(self, chosen: Iterable[CandidateTable]) -> tuple[CandidateTable, ...]:
        taken = tuple(chosen)
        self.left = [each for each in self.left if each not in taken]
        return taken


def assign_roles(tables: Sequence[CandidateTable]) -> FolderRoles:
    """What each table is for. Without a table of which to learn, `train` is empty."""
    draft = _Draft(list(tables))
    named = {each.name: named_role(each.name) for each in tables}

    def called(role: RoleName) -> list[CandidateTable]:
        return [each for each in draft.left if named[each.name] == role]

    hidden = draft.take(called("test labels"))
    draft.notes += [f"{each.name} was left out: it holds the targets of test" for each in hidden]
    samples = called("sample")
    sample = _chosen_sample(samples, draft)
    draft.take(samples)
    labels = _first(draft.take(called("train labels")))
    test = draft.take(_parts(called("test"), draft, "test"))
    train = draft.take(_parts(called("train"), draft, "train"))
    if not train:
        train = draft.take(_train_by_content(draft.left, test, sample))
    if train and not test:
        test = draft.take(_test_by_content(train, draft.left))
    if train and sample is None:
        sample = _first(draft.take(_sample_by_content(train, test, draft.left)))
    if labels is not None and not train:
        train, labels = (labels,), None
    return FolderRoles(train, labels, test, sample, tuple(draft.left), tuple(draft.notes))


def _first(found: Sequence[CandidateTable]) -> CandidateTable | None:
    return found[0] if found else None


def named_role(name: str) -> RoleName | None:
    """What the name of a file or sheet says, or else that of the folder that it is in."""
    path = PurePosixPath(name.partition("[")[0])
    stem = path.name.partition(".")[0]
    sheet = name.partition("[")[2].rstrip("]")
    for text in (sheet, stem, path.parent.name):
        if text and (found := _role_of_text(text)):
            return found
    return None


def _role_of_text(text: str) -> RoleName | None:
    words = _words(text)
    joined = "_".join(words)
    labels = any(_LABELS.fullmatch(each) for each in words)
    if _SUBMISSION.search(joined) or (_EXAMPLE.search(joined) and _ANSWERS.search(joined)):
        return "sample"
    is_train = any(_NAMES["train"].fullmatch(each) for each in words)
    is_test = any(_NAMES["test"].fullmatch(each) for each in words)
    if is_train and is_test:
        return None
    if is_test:
        return "test labels" if labels or "ytest" in words else "test"
    if is_train:
        return "train labels" if labels or "ytrain" in words else "train"
    if labels and len(words) == 1 and len(words[0]) > 1:
        return "train labels"
    if _ANSWERS.search(joined) and len(words) == 1:
        return "test labels"
    return "validation" if any(_NAMES["validation"].fullmatch(each) for each in words) else None


def _words(text: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-zäöü])(?=[A-Z])", "_", text)
    return [each for each in re.split(r"[\W_\d]+", spaced.casefold()) if each]


def _chosen_sample(samples: Sequence[CandidateTable], draft: _Draft) -> CandidateTable | None:
    """Of several files for submissions the one that is called an example of them."""
    if not samples:
        return None
    examples = [each for each in samples if _EXAMPLE.search(each.name.casefold())]
    chosen = (examples or samples)[0]
    others = [each.name for each in samples if each is not chosen]
    if others:
        draft.notes.append(f"{chosen.name} is taken as the sample submission, not {_list(others)}")
    return chosen


def _parts(named: Sequence[CandidateTable], draft: _Draft, what: str) -> Sequence[CandidateTable]:
    """Tables of the same columns whose names differ in numbers alone are parts of one; of other
    tables of the same role the one nearest to the top counts, and of these the one with most
    columns."""
    if len(named) < 2:
        return named
    groups: dict[tuple[str, frozenset[str]], list[CandidateTable]] = {}
    for each in named:
        stem = re.sub(r"\d+", "#", each.name)
        groups.setdefault((_unpacked(stem), frozenset(each.columns)), []).append(each)
    numbered = [group for group in groups.values() if len(group) > 1 and _differ(group)]
    if numbered:
        chosen = max(numbered, key=len)
        names = _list([each.name for each in chosen])
        draft.notes.append(f"{what} is made of {len(chosen)} files: {names}")
        return chosen
    best = min(named, key=lambda each: (each.name.count("/"), -_size(each), -len(each.columns)))
    others = _list([each.name for each in named if each is not best])
    draft.notes.append(f"{best.name} is taken as {what}, not {others}")
    return [best]


def _differ(group: Sequence[CandidateTable]) -> bool:
    """Whether they hold other rows: the same table may be there in two formats."""
    return len({_unpacked(each.name) for each in group}) == len(group)


def _unpacked(name: str) -> str:
    path = PurePosixPath(name)
    return str(path.parent / path.name.partition(".")[0]) + name.partition("[")[2]


def _size(candidate: CandidateTable) -> int:
    return candidate.path.stat().st_size


def _train_by_content(
    left: Sequence[CandidateTable],
    test: Sequence[CandidateTable],
    sample: CandidateTable | None,
) -> list[CandidateTable]:
    """The table that has the columns of test and more; without a test the one that has those of
    the sample; the one of a pair that has more; the only one."""
    if test:
        found = [each for each in left if _lacking(each, test[0]) and _shared(each, test[0]) > 0.5]
        return sorted(found, key=lambda each: -_shared(each, test[0]))[:1]
    pairs = [
        (_shared(one, other), one)
        for one in left
        for other in left
        if one is not other and _fits_test(one, other)
    ]
    if pairs:
        return [max(pairs, key=lambda each: each[0])[1]]
    if len(left) > 1 and sample is not None:
        wanted = {plain_name(each) for each in sample.columns}
        left = [each for each in left if wanted & _plain(each)]
    return list(left) if len(left) == 1 else []


def _test_by_content(
    train: Sequence[CandidateTable], left: Sequence[CandidateTable]
) -> list[CandidateTable]:
    fitting = [each for each in left if _fits_test(train[0], each)]
    return sorted(fitting, key=lambda each: -_shared(train[0], each))[:1]


def _fits_test(train: CandidateTable, test: CandidateTable) -> bool:
    """Whether one table lacks a few columns of another and has no other ones."""
    own, other = _plain(train), _plain(test)
    return bool(own - other) and not other - own and _shared(train, test) >= _MOST_OF_TRAIN


def _sample_by_content(
    train: Sequence[CandidateTable],
    test: Sequence[CandidateTable],
    left: Sequence[CandidateTable],
) -> list[CandidateTable]:
    """The table whose first column test has, and whose others are columns of train that test
    lacks."""
    if not test:
        return []
    targets, known = _plain(train[0]) - _plain(test[0]), _plain(test[0])
    return [
        each
        for each in left
        if len(each.columns) > 1
        and plain_name(each.columns[0]) in known
        and {plain_name(name) for name in each.columns[1:]} <= targets
    ][:1]


def _plain(candidate: CandidateTable) -> set[str]:
    return {plain_name(each) or each for each in candidate.columns}


def _lacking(train: CandidateTable, test: CandidateTable) -> set[str]:
    return _plain(train) - _plain(test)


def _shared(train: CandidateTable, test: CandidateTable) -> float:
    """The part of one table's columns that the other has."""
    own = _plain(train)
    return len(own & _plain(test)) / max(len(own), 1)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
