"""How columns go together: coefficients, and points in a plane."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.reading.read import Unread
from flows.analysis.study.about import (
    GROUPS,
    LISTED,
    about,
    group_of,
    more,
    names,
    number,
    over,
    text,
)
from flows.analysis.study.operation import (
    CHART,
    MOST_COLUMNS,
    MOST_GROUPS,
    Call,
    Operation,
    Request,
    Row,
    groups,
    no_numbers,
    plots,
    repeats,
    setting,
    words,
)
from flows.analysis.study.plan import Study
from flows.core.observation import Cell
from flows.data.tables import Column, Table

_METHODS = {"spearman": "Spearman", "kendall": "Kendall", "pearson": "Pearson"}
_ORDERS = (
    (
        "lowest",
        r"(?:most|strongest|strongly|largest) (?:the )?(?:negativ\w+|inverse\w*)|negatively",
    ),
    ("highest", r"(?:most|strongest|strongly|largest) (?:the )?positiv\w+|positively"),
    ("weakest", r"weakest|weakly|weak|least|lowest|uncorrelated"),
)


def read_correlation(request: Request) -> Study | Unread:
    """A pair, one column with all others, or all pairs."""
    columns = [c for c in request.columns if c.name != request.group]
    if wrong := no_numbers(columns, "correlation"):
        return wrong
    order = next((o for o, p in _ORDERS if re.search(p, request.text, re.IGNORECASE)), "strongest")
    request.settings["order"] = order
    named, target = tuple(c.name for c in columns), ""
    if len(columns) == 1:
        target = columns[0].name
        named = (target, *(name for name in request.measures if name != target))
    elif not columns:
        named = request.measures
    if len(named) < 2:
        table = request.draft.schema.table.name
        return Unread(f"{table} has no two columns of numbers to set beside each other")
    return request.study(
        "correlation", named[:MOST_COLUMNS], target=target, group=request.group,
        method=request.settings.get("method", "pearson"),
    )  # fmt: skip


def categories(table: Table, used: Sequence[str]) -> list[str]:
    """Columns whose few values may turn an association round."""
    return [
        column.name
        for column in table.columns
        if column.name not in used
        and column.role in ("category", "boolean")
        and 2 <= column.distinct <= 12
    ]


def _used(study: Study) -> list[str]:
    filtered = [c.field.column for each in study.filters for c in each.conditions]
    return [*study.columns, study.group, study.target, *filtered]


def _calls(study: Study, title: str) -> list[Call]:
    columns, method = list(study.columns), study.method
    told = (columns, study.target, study.group, method, study.setting("order"))
    made = [Call("result", "correlate", told)]
    if len(columns) > 2:
        made.append(Call("matrix", "correlation_matrix", (columns, method)))
        return [*made, Call("", "say_twins_among", (columns, study.target))]
    made.append(Call("points", "scatter", (columns[0], columns[1], study.group, title)))
    if not study.group:
        made.append(Call("", "doubts_of_pair", (columns[0], columns[1], method)))
        turning = categories(study.table, _used(study))
        made.append(Call("", "reversals", (columns[0], columns[1], turning)))
    return [*made, *repeats(study)]


def _say(study: Study, rows: Sequence[Row], total: int) -> str:
    method, where = _METHODS[study.method], about(study)
    if len(rows) == 1 and total == 1:
        return _say_pair(rows[0], method, where)
    said = []
    for row in rows[:LISTED]:
        pair = f"{text(row, 'first')} and {text(row, 'second')}"
        name = f"{group_of(study, row)}, {pair}" if study.group and total > LISTED else pair
        if study.group and len(study.columns) == 2:
            name = group_of(study, row)
        said.append(f"{name}: {text(row, 'correlation')}")
    of = f" of {names([study.target])} with the others" if study.target else ""
    if study.group and len(study.columns) == 2:
        of = f" of {names(study.columns)} for each {names([study.group])}"
    same = len({row["rows"].value for row in rows}) == 1
    rest = f", {over(rows[0])}" if same and not study.group else ""
    order = study.setting("order") or "strongest"
    return (
        f"The {order} correlations{of}{where} ({method}{rest})"
        f"{more(rows, total, LISTED, 'pairs')}: {'; '.join(said)}."
    )


def _say_pair(row: Row, method: str, where: str) -> str:
    pair = f"{text(row, 'first')} and {text(row, 'second')}"
    if row["correlation"].value is None:
        return f"The correlation of {pair}{where} cannot be computed."
    value = f"{text(row, 'correlation')}, {_strength(row['correlation'].value)}"
    p = row["p_value"]
    chance = ""
    if p.value is not None:
        verdict = "significant" if number(p.value) < 0.05 else "not significant"
        chance = f" It is {verdict} at the five percent level (p = {p.text()})."
    return f"The correlation of {pair}{where} is {value} ({method}, {over(row)}).{chance}"


def _strength(value: Cell) -> str:
    size = abs(number(value))
    if size < 0.1:
        return "so next to none"
    way = "positive" if number(value) > 0 else "negative"
    return f"{'weak' if size < 0.3 else 'moderate' if size < 0.5 else 'strong'} and {way}"


CORRELATION = Operation(
    kind="correlation",
    read=read_correlation,
    calls=_calls,
    say=_say,
    needs=("first", "second", "correlation", "p_value", "rows"),
    words=(
        r"(?:cross[- ]?)?correlat(?:ions?|ed?|es|ing)(?: (?:matrix|table|coefficients?|heat[- "
        r"]?map|"
        r"analysis))?|heat[- ]?map(?! of (?:the )?(?:average|mean|total|sum|number|count|median|"
        r"max|min))|(?:linear )?(?:relationships?|associations?|links?|dependenc\w+)"
        r"(?= (?:between|of|with|in|among|are)|\W*$)|(?:strongly |closely |tightly |well |most |"
        r"least |any "
        r")*(?:related|"
        r"associated|linked|connected)|relates? to|(?:goes? |going )?(?:hand in hand|together)(?: "
        r"with)?|"
        r"moves? together|(?:goes?|rises?|increases?|falls?|grows?) (?:up |down )?with(?= )|"
        r"co-?var(?:y|ies|iances?)|(?:how )?(?:closely |strongly )?(?:does |do )?"
        r"(?:track|move with)(?= \w)|kendall|spearman"
    ),
    cue=r"how (?:closely|strongly) (?:does|do)\b.*\b(?:tracks?|follows?|moves?)",
    noun=r"correlations?|correlated|correlate",
    includes=words("scatter chart"),
    otherwise="compare",
    settings=(
        setting("method", r"(?:\(|,? *(?:by|using|with) )?\bspearman(?:['\u2019]s)?(?: (?:rank|"
                          r"rho))?(?: "
                r"method)?\)?", "spearman"),
        setting("method", r"(?:\(|,? *(?:by|using|with) )?\bkendall(?:['\u2019]s)?(?: (?:rank|"
                          r"tau))?(?: "
                r"method)?\)?", "kendall", leave="correlation"),
        setting("method", r"\brank(?= correl)", "spearman"),
        setting("method", r"(?:\(|,? *(?:by|using|with) )?\bpearson(?:['\u2019]s)?(?: r| "
                          r"method)?\)?",
                "pearson"),
        # A person who wants a drawing beside may say so; the drawing comes in any case.
        setting("drawn", r",? *\b(?:as|with|in|and)(?: (?:show|draw|give))?(?: (?:me|it|them))?(?: "
                r"as)?(?: a| an| the)? (?:heat[- ]?map|png|picture|image|figure|graphic|scatter "
                r"plot)\b"),
        setting("two", r"\b(?:which|what) (?:two|2|pairs?)(?: of)?(?: (?:the|these|our|my))* \w+?s?"
                r"(?= (?:are|is|move|go|correlate|show|have|has)\b)", leave="which"),
        setting("others", r"\b(?:with|and|to|against) (?:all |any |each )*(?:of )?(?:the )?"
                r"(?:others?|rest|everything else)(?: (?:columns|variables|features|ones))?\b"),
    ),
    around=words(
        """correlation correlations heatmap heat map matrix related relation relationship
        associated association significant significance statistically linear strongest weakest
        weakly weak least strong positively negatively positive negative inverse inversely rank
        ranked order sorted first sort any link hand go goes hang does do more bigger leave leaves
        run runs up also higher larger tend tends factor drawing wealth bigger smaller less
        together move moves moving stocks series track tracks statistic table"""
    ) - words("table"),
)  # fmt: skip


def read_scatter(request: Request) -> Study | Unread:
    """Two columns of numbers, the first on x unless it is drawn against the second."""
    columns, group = group_left(request, 2)
    if wrong := no_numbers(columns, "scatter plot"):
        return wrong
    if len(columns) != 2:
        return Unread(f"a scatter plot needs two columns of numbers, and {len(columns)} are named")
    named = [c.name for c in columns]
    if request.swapped:
        named = named[::-1]
    return request.study("scatter", named, group=group)


def group_left(request: Request, needed: int) -> tuple[list[Column], str]:
    """The columns without the one by which they are compared: the one category among numbers."""
    columns = [c for c in request.columns if c.name != request.group]
    if request.group:
        return columns, request.group
    texts = [c for c in columns if groups(c) and not plots(c)]
    if len(texts) == 1 and len(columns) > needed and texts[0].distinct <= MOST_GROUPS:
        return [c for c in columns if c != texts[0]], texts[0].name
    return columns, ""


def _scatter_calls(study: Study, title: str) -> list[Call]:
    x, y = study.columns
    made = [Call("result", "scatter", (x, y, study.group, title))]
    if not study.group:
        made.append(Call("", "reversals", (x, y, categories(study.table, _used(study)))))
    return made


def _say_scatter(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        head = f"{group_of(study, row)}: " if study.group else ""
        said.append(f"{head}a correlation of {text(row, 'correlation')} {over(row)}")
    x, y = (names([each]) for each in study.columns)
    rest = more(rows, total, GROUPS, "groups")
    return f"The scatter plot of {y} over {x}{about(study)} shows{rest} {'; '.join(said)}."


SCATTER = Operation(
    kind="scatter",
    read=read_scatter,
    calls=_scatter_calls,
    say=_say_scatter,
    needs=("correlation", "rows"),
    words=rf"(?:scatter|bubble)[- ]?{CHART}?|scatter(?:ed)? (?:of|between)",
    cue=r"(?:plot|draw|chart|graph|visuali[sz]e)\b(?!.*\b(?:bar|line|box)\b).*\b(?:against|versus|"
        r"vs\.?)",
    noun=r"scatter[- ]?plots?",
    includes=words("correlation regression chart trend"),
    settings=(
        setting("line", r",? *(?:with|and|including) (?:a |the )?(?:trend|regression|fitted|"
                        r"best[- ]fit)"
                r"[- ]?lines?"),
        setting("axis", r"\bon (?:the )?[xy](?:[- ]axis)?\b"),
        setting("axis", r"\bon (?:the )?[xy](?:[- ]axis)?\b"),
    ),
    around=words("scatter bubble plot line axis on"),
)  # fmt: skip
