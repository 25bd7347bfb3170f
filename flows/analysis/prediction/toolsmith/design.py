"""Which tools the data call for, by the profiles of the tables and the values that they keep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, islice

from flows.analysis.prediction.plan import Planning
from flows.analysis.prediction.planning.columns import ColumnKinds, column_kinds
from flows.analysis.prediction.planning.values import day_first, known_values
from flows.analysis.prediction.toolsmith.amounts import amount_groups
from flows.analysis.prediction.toolsmith.codes import code_form
from flows.analysis.prediction.toolsmith.draft import ToolDraft
from flows.analysis.prediction.toolsmith.writing import write_tool
from flows.data.tables import Column

_TITLE = re.compile(r"^\s*([^,]+),\s*([^.,]{1,25})\.")
_MARKS = {
    "exclamations": r"!",
    "questions": r"\?",
    "numbers": r"\d+",
    "capitals": r"\b[A-Z]{2,}\b",
    "links": r"https?://|www\.",
    "brackets": r"[(\[]",
    "commas": r",",
    "sentences": r"[.!?](?:\s|$)",
    "quotes": '["“”]',
}
_MOST_OF_A_KIND = 4


def design_tools(given: Planning) -> tuple[ToolDraft, ...]:
    """Drafts of tools that are made of the columns at hand, the most promising first; none where
    the columns are plain numbers and categories. Two of one name are not made."""
    kinds = column_kinds(given)
    makers = (
        _codes(kinds),
        _titles(kinds),
        _keys(given, kinds),
        _dates(given, kinds),
        _amounts(kinds),
        _texts(kinds),
        _pairs(given, kinds),
        _rare(kinds),
    )
    found: dict[str, ToolDraft] = {}
    for drafts in makers:
        for draft in islice(drafts, _MOST_OF_A_KIND):
            found.setdefault(draft.name, draft)
    return tuple(found.values())


def _codes(kinds: ColumnKinds) -> Iterator[ToolDraft]:
    for column in kinds.codes:
        form = code_form(column)
        if form is not None and not _titles_of(column):
            why = f"the values of {column.name} are made of parts, such as {form.examples[0][0]!r}"
            yield write_tool(
                "split_code",
                "split",
                (column.name,),
                why,
                {
                    "pattern": form.pattern,
                    "labels": form.labels,
                    "numbers": form.numbers,
                    "examples": form.examples,
                },
            )


def _titles(kinds: ColumnKinds) -> Iterator[ToolDraft]:
    for column in (*kinds.codes, *kinds.texts):
        titles = _titles_of(column)
        if not titles:
            continue
        shown = [each for each in known_values(column) if _TITLE.match(each)][:5]
        examples = [(each, _title(each) if _title(each) in titles else "other") for each in shown]
        yield write_tool(
            "read_title",
            "title_in",
            (column.name,),
            f"{column.name} holds names with titles, such as {titles[0]!r}",
            {
                "titles": titles,
                "examples": examples,
                "added": [f"{column.name}_{each}" for each in ("title", "family_size", "words")],
            },
        )


def _title(name: str) -> str:
    found = _TITLE.match(name)
    return found[2].strip() if found else ""


def _titles_of(column: Column) -> list[str]:
    """The titles that repeat, where nearly all values are names with one."""
    values = known_values(column)
    titles = [title for title in map(_title, values) if title]
    if len(values) < 5 or len(titles) < 0.8 * len(values) or len(set(titles)) > 0.3 * len(titles):
        return []
    least = max(2, 0.01 * len(titles))
    return sorted(each for each in set(titles) if titles.count(each) >= least)


def _keys(given: Planning, kinds: ColumnKinds) -> Iterator[ToolDraft]:
    """Keys that rows share: a column, or what stands before a mark in the identifier."""
    numbers = [c.name for c in sorted(kinds.numbers, key=lambda c: -c.distinct) if c.distinct > 10]
    columns = {column.name: column for column in given.train.columns}
    identifier = columns.get(given.task.identifier or "")
    if identifier is not None and (mark := _shared_mark(identifier)):
        yield _key_tool(identifier, mark, [])
    keys = [*kinds.keys, *(c for c in kinds.codes if _partly_repeats(c))]
    keys += [c for c in kinds.categories if c.distinct > 50 and _partly_repeats(c)]
    if given.task.group in columns:
        keys.insert(0, columns[given.task.group])
    for column in keys:
        yield _key_tool(column, "", numbers[:2])


def _key_tool(column: Column, mark: str, numbers: list[str]) -> ToolDraft:
    shown = known_values(column)[:2]
    first = shown[0].split(mark)[0] if mark else shown[0]
    examples = [shown[0], shown[0], *shown[1:]]
    shared = [each.split(mark)[0] if mark else each for each in examples]
    part = f"what stands before {mark!r} in {column.name}" if mark else column.name
    return write_tool(
        "count_by_key",
        "rows_by",
        (column.name,),
        f"several rows share {part}, such as {first!r}",
        {
            "said": f"the start of {column.name}" if mark else column.name,
            "before": mark,
            "numbers": numbers,
            "label": f"{column.name}_start" if mark else column.name,
            "examples": examples,
            "counts": [float(shared.count(each)) for each in shared],
        },
    )


def _shared_mark(column: Column) -> str:
    """The mark before which values are the same in several rows; none where they never are."""
    values = known_values(column)
    for mark in ("_", "-", "/", ":", "|", "."):
        starts = [each.split(mark)[0] for each in values if mark in each]
        if len(starts) >= 0.95 * len(values) > 0 and 1 < len(set(starts)) < 0.95 * len(starts):
            return mark
    return ""


def _partly_repeats(column: Column) -> bool:
    known = column.rows - column.missing
    return 0.02 * known < column.distinct < 0.95 * known and column.distinct > 10


def _dates(given: Planning, kinds: ColumnKinds) -> Iterator[ToolDraft]:
    time = [column for column in given.train.columns if column.name == given.task.time]
    dates = [*(c for c in time if c.type in ("date", "timestamp", "text")), *kinds.dates]
    dates += [column for column in kinds.date_texts if column.type == "text"]
    if len(dates) >= 2:
        names = tuple(column.name for column in dates[:3])
        yield write_tool(
            "measure_gaps",
            "days_between",
            names,
            f"rows hold several dates: {', '.join(names)}",
            {"said": " and ".join(names), "day_first": any(map(day_first, dates))},
        )
    groups = [c for c in given.train.columns if c.name == given.task.group]
    for key in (*groups, *kinds.keys)[:1]:
        for column in dates[:1]:
            yield write_tool(
                "gap_since_last",
                "days_since_last",
                (key.name, column.name),
                f"rows of the same {key.name} follow each other in {column.name}",
                {
                    "day_first": day_first(column),
                    "added": [f"days_since_last_{key.name}", f"number_in_{key.name}"],
                },
            )


def _amounts(kinds: ColumnKinds) -> Iterator[ToolDraft]:
    for why, names in amount_groups(kinds.numbers):
        ratios = list(combinations(names, 2)) if len(names) <= 3 else [(names[0], names[-1])]
        yield write_tool(
            "relate_amounts",
            "relate",
            names,
            f"{', '.join(names[:4])} have in common: {why}",
            {
                "said": ", ".join(names[:4]),
                "label": re.sub(r"\W+", "_", f"{names[0]}_and_{len(names) - 1}_more"),
                "ratios": ratios,
            },
        )


def _texts(kinds: ColumnKinds) -> Iterator[ToolDraft]:
    for column in kinds.texts:
        values = known_values(column)
        shares = {
            end: sum(bool(re.search(pattern, each)) for each in values) / max(1, len(values))
            for end, pattern in _MARKS.items()
        }
        flags = [(end, _MARKS[end]) for end, share in shares.items() if 0.02 <= share <= 0.98]
        told = ", ".join(end for end, _ in flags) or "words"
        yield write_tool(
            "describe_text",
            "describe",
            (column.name,),
            f"{column.name} holds sentences that differ in {told}",
            {
                "flags": flags,
                "start": column.name,
                "examples": [(each, float(len(each.split()))) for each in values[:3]],
            },
        )


def _pairs(given: Planning, kinds: ColumnKinds) -> Iterator[ToolDraft]:
    """Pairs of categories whose values together are in enough rows to learn a mean of each."""
    target = next(c for c in given.train.columns if c.name == given.task.targets[0])
    few = [c for c in (*kinds.categories, *kinds.keys) if 2 < c.distinct <= 100]
    few += [c for c in kinds.numbers if 2 < c.distinct <= 12 and c.type == "integer"]
    pairs = [
        (left, right)
        for left, right in combinations(few, 2)
        if left.distinct * right.distinct <= given.train.rows / 15
    ]
    pairs.sort(key=lambda pair: -pair[0].distinct * pair[1].distinct)
    for left, right in pairs[:2]:
        yield write_tool(
            "encode_pair",
            "target_by",
            (left.name, right.name),
            f"{left.name} and {right.name} have {left.distinct * right.distinct} pairs of values",
            {
                "target": target.name,
                "classes": [] if given.task.kind == "regression" else _classes(target),
                "added": f"target_by_{left.name}_and_{right.name}",
            },
        )


def _classes(target: Column) -> list[str]:
    """The eight commonest classes as Python writes them, in their order."""
    values = list(target.values[:8])
    if target.type == "boolean":
        return ["False", "True"]
    if target.type == "real":
        values = [str(float(each)) for each in values]
    return sorted(values)


def _rare(kinds: ColumnKinds) -> Iterator[ToolDraft]:
    for column in kinds.categories:
        covered = sum(each.count for each in column.top)
        known = column.rows - column.missing
        if column.type == "text" and column.distinct > 30 and covered >= 0.2 * known:
            yield write_tool(
                "fold_rare",
                "frequent",
                (column.name,),
                f"most of the {column.distinct} values of {column.name} are rare",
                {"frequent": known_values(column)[:20], "added": f"{column.name}_frequent"},
            )
