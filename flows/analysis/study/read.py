"""Reads a request for a study over tables: a typed study, or why it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from flows.analysis.language.words import tokenize
from flows.analysis.linking.link import Link, link
from flows.analysis.linking.meant import without_meanings
from flows.analysis.linking.schema import schema_of
from flows.analysis.plan import AnyOf, Condition, Field, Measure, Plan
from flows.analysis.reading import conditions, values
from flows.analysis.reading.draft import Draft, is_numeric, make_draft
from flows.analysis.reading.grammar import apply
from flows.analysis.reading.read import MOST_DOUBT, Reading, Unread, read
from flows.analysis.study.ask import MARK, Ask, ask_study
from flows.analysis.study.plan import Study
from flows.core.observation import Cell
from flows.data.tables import Column, Table


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_MOST_GROUPS = 60
_MOST_COLUMNS = 30
# Words around a study that say nothing more than its name does.
_AROUND = frozenset(
    _words("""analyse analysis analyze analyzing best build calculated check chart closely
    coefficient coefficients computed connection correlation create degree detect detection
    determine draw effect evaluate examine explore feature features figure fit fitting generate
    good graph heatmap histogram image investigate look looks make matrix method measures model
    most multiple numeric numerical one ones other others pair pairs pairwise perform picture plot
    png predictor predictors quantify relate rule run show simple statistic statistics strength
    strong strongest strongly study table test train use used value variable variables visual
    visualise visualize vs well whether column columns split shape shaped spread attributes
    attribute fields field numbers factors factor follow follows come comes separately separate
    positively negatively highly high low far away lie lies whole between""")
)
_EXPLAINING = frozenset(
    _words("predict predicts predicted predicting prediction explain explains explained explaining "
           "determine determines determining influence effect affect")
)  # fmt: skip
_STATISTICS = frozenset(
    _words("mean median average minimum maximum min max count range mode center spread")
)
_MORE_AROUND = {
    "summary": _STATISTICS, "importance": _EXPLAINING, "regression": _EXPLAINING,
}  # fmt: skip
_GROUP = (
    r"(?:by|per|for (?:each|every)|of (?:each|every)|in (?:each|every)|within (?:each|every|a)|"
    r"across|among|between (?:the )?(?:different|various)|grouped by|split by|broken down by|"
    r"colou?red by|separately (?:for|by)(?: each)?|depending on|for (?:the )?(?:different|various)|"
    r"with colou?rs? by|hue)(?: the| different| all| each| every| their)* "
)


def read_study(text: str, tables: Sequence[Table]) -> Study | Unread | None:
    """The study that a text asks for, why it cannot be read, or None if it asks for none."""
    ask = ask_study(without_meanings(text, tables))
    if ask is None:
        return None
    if not tables:
        return Unread("there is no table to study")
    if ask.kind == "chart":
        return _read_chart(ask, tables)
    found = [each for table in tables for each in _readings(ask, table)]
    good = [(doubt, study) for doubt, study in found if isinstance(study, Study)]
    if good:
        doubt, best = min(good, key=lambda each: each[0])
        rival = next((s for d, s in good if s.table != best.table and d < doubt + 0.05), None)
        if rival is None or doubt < 0.05:
            return best
        return Unread(f"it may be about {best.table.name} or about {rival.table.name}")
    failed = min(found, key=lambda each: each[0])[1]
    assert isinstance(failed, Unread)
    return failed


def _readings(ask: Ask, table: Table) -> list[tuple[float, Study | Unread]]:
    tokens, schema = tokenize(ask.rest), schema_of(table)
    found = []
    for prefer_table in (False, True):
        links = link(tokens, schema, prefer_table=prefer_table)
        draft = make_draft(tokens, [each for each in links if not _is_around(each)], schema)
        draft.doubt += 0.05 * prefer_table
        found.append(_reading(ask, draft))
    return found


def _is_around(one: Link) -> bool:
    """Whether words were linked that only belong to the study: `numbers` to `num`."""
    return one.score < 0.97 and all(word in _AROUND for word in one.text.split())


def _reading(ask: Ask, draft: Draft) -> tuple[float, Study | Unread]:
    named = bool(re.search(r"(?<!\S)T\d+", draft.line))
    group = _take_group(draft)
    if isinstance(group, Unread):
        return 5.0, group
    _take_flags(draft)
    target = _take_target(ask, draft)
    for rules in (values.TEXTS, conditions.NUMBERS, conditions.TIMES, values.VALUES, values.EITHER):
        apply(rules, draft)
    draft.filters = [each for each in draft.filters if each.conditions]
    columns = _take_columns(draft)
    around = {MARK, *_AROUND, *_MORE_AROUND.get(ask.kind, ())}
    draft.line = " ".join(word for word in draft.line.split() if word not in around) or "_"
    left = draft.left_over()
    doubt = draft.doubt + sum(weight for _, weight in left) + (0.0 if named else 0.02)
    doubt += sum(0.2 * (1 - each.score) for each in draft.slots.values())
    doubt += sum(0.35 for each in draft.slots.values() if each.kind == "column" and each.rivals)
    study = _study(ask, draft, columns, group, target)
    if doubt > MOST_DOUBT:
        words = tuple(word for word, _ in left)
        why = "too much of it was left unexplained" if words else "it can be read in several ways"
        return doubt, Unread(why, tuple(draft.notes), words)
    if isinstance(study, Unread):
        return doubt + 1.0, study
    return doubt + (0.0 if columns or target else 0.3), study


def _take_group(draft: Draft) -> str | Unread:
    """The column that `by C` or `for each C` names, which leaves the line."""
    for match in re.finditer(rf"(?<!\S){_GROUP}(?P<c>C\d+)(?!\S)", draft.line):
        column = draft.column(match["c"])
        if not _groups(column):
            continue
        draft.line = f"{draft.line[: match.start()]}_{draft.line[match.end() :]}"
        draft.note(f"for each {column.name}")
        if column.distinct > _MOST_GROUPS:
            return Unread(f"{column.name} has {column.distinct} values, too many to compare")
        return column.name
    return ""


def _groups(column: Column) -> bool:
    if column.type in ("text", "boolean", "other"):
        return True
    return column.type == "integer" and column.distinct <= 20


def _take_flags(draft: Draft) -> None:
    """`for members`: a column of yes and no chooses the rows where it is yes."""
    for match in re.finditer(
        r"(?<!\S)(?:for|of|among|only)(?: the| all)* (C\d+)(?!\S)", draft.line
    ):
        column = draft.column(match.group(1))
        yes = _yes(column)
        if yes is not None:
            draft.line = f"{draft.line[: match.start()]}_{draft.line[match.end() :]}"
            draft.filters.append(AnyOf((Condition(Field(column.name), "=", (yes,)),)))
            draft.note(f"only where {column.name} is {yes}")


def _yes(column: Column) -> Cell:
    """What says yes in a column of yes and no; None for any other column."""
    if column.type == "boolean":
        return True
    values = {value.strip().casefold(): value for value in column.values}
    pairs = (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"))
    found = next((one for one, other in pairs if set(values) == {one, other}), None)
    return values[found] if found and column.values_complete else None


def _take_target(ask: Ask, draft: Draft) -> str:
    """The column that others are to explain; empty where the study has none."""
    if ask.kind not in ("regression", "importance"):
        return ""
    before, _, after = draft.line.partition(MARK)
    one, two = re.findall(r"(?<!\S)C\d+", before), re.findall(r"(?<!\S)C\d+", after)
    if between := re.search(r"(?<!\S)between (?:the )?(C\d+) and (?:the )?(C\d+)", after):
        slot = between.group(2)
    else:
        slot = next(iter([*two, *one]), "")
    if not slot:
        return ""
    draft.line = re.sub(rf"(?<!\S){slot}(?!\S)", "_", draft.line)
    name = draft.column(slot).name
    draft.note(f"{name} is to be explained")
    return name


def _take_columns(draft: Draft) -> list[Column]:
    """The columns that no rule took, in the order of the text."""
    found: dict[str, Column] = {}
    for slot in re.findall(r"(?<!\S)C\d+(?!\S)", draft.line):
        for column in draft.columns(slot):
            found.setdefault(column.name, column)
    draft.line = re.sub(r"(?<!\S)C\d+(?!\S)", "_", draft.line)
    return list(found.values())


# --- what each kind needs -------------------------------------------------------------------------


def _study(
    ask: Ask, draft: Draft, columns: list[Column], group: str, target: str
) -> Study | Unread:
    table = draft.schema.table
    if not group and ask.kind in ("box", "scatter", "histogram", "summary", "outliers"):
        columns, group = _group_left(columns, ask)
    made = Study(
        ask.kind, table, tuple(c.name for c in columns if c.name != group), target, group,
        tuple(draft.filters), ask.method, ask.number, notes=tuple(draft.notes),
    )  # fmt: skip
    columns = [c for c in columns if c.name != group]
    if ask.kind in ("regression", "importance"):
        return _explained(made, columns, draft)
    if ask.kind == "histogram" and len(columns) == 1 and not _plots(columns[0]):
        return replace(made, method="frequencies")
    return _of_numbers(made, columns, ask)


def _group_left(columns: list[Column], ask: Ask) -> tuple[list[Column], str]:
    """The one category among numbers is what they are compared by."""
    texts = [c for c in columns if _groups(c) and not _plots(c)]
    needed = 2 if ask.kind == "scatter" else 1
    if len(texts) == 1 and len(columns) > needed and texts[0].distinct <= _MOST_GROUPS:
        return columns, texts[0].name
    return columns, ""


def _plots(column: Column) -> bool:
    """Whether a column's values are numbers that can be placed on an axis."""
    return is_numeric(column) or column.type in ("integer", "real")


def _of_numbers(study: Study, columns: list[Column], ask: Ask) -> Study | Unread:
    """Studies of numbers: those that were named, else all measures of the table."""
    wrong = [c.name for c in columns if not _plots(c)]
    what = {"box": "box plot", "scatter": "scatter plot"}.get(study.kind, study.kind)
    if wrong:
        kind = "text" if columns else ""
        return Unread(
            f"{' and '.join(wrong)} holds no numbers but {kind}, and {what} needs numbers"
        )
    measures = tuple(c.name for c in study.table.columns if c.role == "measure" and is_numeric(c))
    if study.kind == "scatter":
        if len(columns) != 2:
            return Unread(
                f"a scatter plot needs two columns of numbers, and {len(columns)} are named"
            )
        return replace(study, columns=study.columns[::-1]) if ask.swapped else study
    if study.kind == "correlation":
        return _pairs(study, columns, measures)
    if columns:
        return study
    if not measures:
        return Unread(f"{study.table.name} has no column of measured numbers")
    if study.group:
        return replace(study, columns=measures[:6])
    return replace(study, columns=measures[:_MOST_COLUMNS])


def _pairs(study: Study, columns: list[Column], measures: tuple[str, ...]) -> Study | Unread:
    """One column is set beside all measures, several beside each other."""
    if len(columns) == 1:
        others = tuple(name for name in measures if name != columns[0].name)
        study = replace(study, target=columns[0].name, columns=(columns[0].name, *others))
    elif not columns:
        study = replace(study, columns=measures)
    if len(study.columns) < 2:
        return Unread(f"{study.table.name} has no two columns of numbers to set beside each other")
    return replace(study, columns=study.columns[:_MOST_COLUMNS])


def _explained(study: Study, columns: list[Column], draft: Draft) -> Study | Unread:
    """A target and what explains it: the named columns, else all that can."""
    if not study.target:
        return Unread("it does not say which column is to be explained")
    by_name = draft.schema.by_name
    target = by_name[study.target]
    classes = not _plots(target)
    if classes and study.kind == "regression":
        return Unread(f"{target.name} holds no numbers, and a linear regression needs them")
    if classes and target.distinct > _MOST_GROUPS:
        return Unread(f"{target.name} has {target.distinct} values, too many to tell apart")
    named = [c for c in columns if c.name != study.target]
    explaining = named or [
        c for c in study.table.columns if c.name != target.name and _may_explain(c)
    ]
    if study.group:
        explaining.append(by_name[study.group])
    unfit = [c.name for c in explaining if not _plots(c) and c.distinct > _MOST_GROUPS]
    if unfit:
        return Unread(f"{' and '.join(unfit)} has too many values to explain anything by")
    if not explaining:
        return Unread(f"{study.table.name} has no other column that could explain {target.name}")
    notes = (*study.notes, "" if named else "by all columns that can")
    return replace(
        study, columns=tuple(dict.fromkeys(c.name for c in explaining))[:_MOST_COLUMNS], group="",
        method="classes" if classes else "numbers", notes=tuple(filter(None, notes)),
    )  # fmt: skip


def _may_explain(column: Column) -> bool:
    if column.role == "id":
        return False
    return _plots(column) or (column.role in ("category", "boolean") and column.distinct <= 20)


# --- charts ---------------------------------------------------------------------------------------

_HEAD = re.compile(
    r"^\W*(?:(?:please|show|give|make|create|draw|generate|produce|build|me|us|a|an|the|i want|"
    r"i need|can you|could you)\s+)*(?:(?:of|for|showing|with|that shows|to show|which shows)\s+)?",
    re.IGNORECASE,
)


def _read_chart(ask: Ask, tables: Sequence[Table]) -> Study | Unread:
    """A chart draws what a question gives: groups with measures, or a trend."""
    rest = re.sub(r"\s+", " ", _HEAD.sub("", re.sub(r"\s+", " ", ask.rest))).strip(" ?.!:,")
    first: Unread | None = None
    for place, question in enumerate((f"the {rest}", f"the average {rest}", f"rows per {rest}")):
        reading = read(f"Show {question}" if place < 2 else f"Number of {question}", tables)
        if isinstance(reading, Unread):
            first = first or reading
            continue
        plan = _as_groups(reading.plan, reading.table)
        if place == 2 and (plan.order or plan.limit):
            break
        if (why := _not_drawn(plan)) is None:
            return _drawn(replace(reading, plan=plan), ask)
        first = first or Unread(why, reading.notes)
    assert first is not None
    return first


def _as_groups(plan: Plan, table: Table) -> Plan:
    """Rows that a name and numbers were asked of: bars of the numbers, by the name."""
    if plan.kind != "rows":
        return plan
    columns = {column.name: column for column in table.columns}
    fields = [term for term in plan.columns if isinstance(term, Field)]
    names = [field for field in fields if not _plots(columns[field.column])]
    numbers = [field for field in fields if _plots(columns[field.column])]
    if len(names) != 1 or not numbers or len(fields) != len(plan.columns):
        return plan
    order = tuple(
        replace(each, by=Measure("avg", each.by)) if each.by in numbers else each
        for each in plan.order
    )
    measures = tuple(Measure("avg", field) for field in numbers)
    return replace(
        plan, kind="aggregate", groups=tuple(names), select=(*names, *measures), evidence=(),
        order=order, distinct=False,
    )  # fmt: skip


def _split_values(plan: Plan) -> Plan:
    """What is compared by its values is drawn apart: one line or bar for each."""
    if len(plan.groups) != 1:
        return plan
    for any_of in plan.filters:
        for each in any_of.conditions:
            apart = each.comparison == "in" and each.field not in plan.groups
            if apart and len(any_of.conditions) == 1 and all(type(v) is str for v in each.values):
                groups = (*plan.groups, each.field)
                return replace(plan, groups=groups, select=(*plan.select, each.field))
    return plan


def _not_drawn(plan: Plan) -> str | None:
    measures = [term for term in plan.columns if isinstance(term, Measure)]
    if not plan.groups or not measures:
        return "a chart needs a measure and what it is grouped by"
    if len(plan.groups) > 2 or plan.having or any(m.aggregation == "share" for m in measures):
        return "this result cannot be drawn as bars or lines"
    if any(order.by not in (*plan.groups, *measures) for order in plan.order):
        return "the order of this result cannot be drawn"
    return None


def _drawn(reading: Reading, ask: Ask) -> Study:
    plan = _split_values(reading.plan)
    columns = [t.field.column for t in plan.columns if isinstance(t, Measure) and t.field]
    numbers = {c.name: c for c in reading.table.columns}
    first = numbers[plan.groups[0].column]
    over_time = plan.kind == "trend" or first.role == "time"
    method = ask.method or ("line" if over_time else "bar")
    return Study(
        "chart", reading.table, tuple(columns), group=plan.groups[0].column, method=method,
        chart=plan, notes=reading.notes,
    )  # fmt: skip
