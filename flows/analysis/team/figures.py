"""A drawing as plotly code: plain statements that a person can read and change."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler.frames import filter_lines
from flows.analysis.methods.compile import DATA, chart_lines
from flows.analysis.methods.picture import axes_of
from flows.analysis.team.captions import label_of, measures_of, title_of, words_of
from flows.analysis.team.drawing import MOST_COLOURS, Drawing
from flows.core.sandbox import WARNINGS
from flows.data.frames import frame_name
from flows.data.tables import Column, Table
from flows.semantics.calendar import today_of
from flows.semantics.inference.model import infer_model
from flows.semantics.tables import model_of_result

POINTS = 5_000
_BARS = 60
_HEAD = """\
import numpy as np
import pandas as pd
import plotly.graph_objects as go
"""


def figure_code(drawing: Drawing, tables: Sequence[Table]) -> str:
    """Code that makes `figure` of the data frame of the drawing's table."""
    frame = frame_name(drawing.table, tables)
    start = [] if frame == DATA else [f"data = {frame}"]
    body = (_bars if drawing.figures is not None else _KINDS[drawing.kind])(drawing)
    model = model_of_result(drawing.table)
    today = today_of(model.calendar, (drawing.table,))
    lines = [
        *start,
        *filter_lines(drawing.where, drawing.table.name, model, today),
        "if data.empty:",
        f"    raise ValueError({f'no row is left{drawing.rows}'!r})",
        f"title = {title_of(drawing)!r}",
        *body,
        "figure.update_layout(title=title, template='plotly_white')",
    ]
    if drawing.note:
        said = {"code": "fitting_chart", "says": drawing.note}
        lines.append(f"{WARNINGS} = pd.DataFrame([{said!r}])")
    extra = "from plotly.subplots import make_subplots\n" if "make_subplots" in str(body) else ""
    return f"{_HEAD}{extra}\n" + "\n".join(lines) + "\n"


def _correlations(drawing: Drawing) -> list[str]:
    names, target = list(drawing.columns), drawing.target
    numbers = [
        f"columns = {[*([target] if target else []), *names]!r}",
        "matrix = data[columns].apply(pd.to_numeric, errors='coerce').astype('float64').corr()",
    ]
    if target:
        numbers += [
            f"order = matrix[{target!r}].drop({target!r}).dropna().sort_values().index",
            f"matrix = matrix.loc[order, [{target!r}]]",
        ]
    else:
        numbers.append("matrix = matrix.dropna(how='all').dropna(how='all', axis=1)")
    return [
        *numbers,
        "figure = go.Figure(go.Heatmap(z=matrix.to_numpy().tolist(), x=matrix.columns.to_list(),"
        " y=matrix.index.to_list(),",
        "    zmin=-1, zmax=1, colorscale='RdBu_r', texttemplate='%{z:.2f}',"
        " colorbar={'title': 'correlation'},",
        "    hovertemplate='%{y} and %{x}<br>correlation: %{z:.3f}<extra></extra>'))",
        "figure.update_xaxes(title='column')",
        "figure.update_yaxes(title='column', autorange='reversed')"
        if not target else "figure.update_yaxes(title='column')",
    ]  # fmt: skip


def _scatter(drawing: Drawing) -> list[str]:
    x, y = drawing.columns
    group = drawing.group
    kept = [x, y, *([group] if group and group not in (x, y) else [])]
    lines = [
        f"shown = data[{kept!r}].copy()",
        f"shown[{x!r}] = pd.to_numeric(shown[{x!r}], errors='coerce')",
        f"shown[{y!r}] = pd.to_numeric(shown[{y!r}], errors='coerce')",
        "shown = shown.replace([np.inf, -np.inf], np.nan).dropna()",
        f"varies = len(shown) > 1 and shown[{x!r}].nunique() > 1",
        f"slope, start = np.polyfit(shown[{x!r}], shown[{y!r}], 1) if varies else (0.0, 0.0)",
        f"ends = [float(shown[{x!r}].min()), float(shown[{x!r}].max())]",
        f"if len(shown) > {POINTS}:",
        f"    title += f' ({POINTS:,} of {{len(shown):,}} rows, a random sample)'",
        f"    shown = shown.sample({POINTS}, random_state=0)",
        "figure = go.Figure()",
    ]
    hover = (
        f"{_plain(words_of(x))}: %{{x}}<br>{_plain(words_of(y))}: %{{y}}<extra>%{{fullData.name}}"
        "</extra>"
    )
    point = f"mode='markers', marker={{'size': 6, 'opacity': 0.6}}, hovertemplate={hover!r}"
    if group:
        lines += [
            f"largest = shown[{group!r}].value_counts().index[:{MOST_COLOURS}]",
            "for name in largest:",
            f"    part = shown[shown[{group!r}] == name]",
            f"    figure.add_trace(go.Scatter(x=part[{x!r}].to_list(), y=part[{y!r}].to_list(),"
            f" name=str(name), {point}))",
        ]
    else:
        lines.append(
            f"figure.add_trace(go.Scatter(x=shown[{x!r}].to_list(), y=shown[{y!r}].to_list(),"
            f" name='rows', {point}))"
        )
    return [
        *lines,
        "if varies:",
        "    figure.add_trace(go.Scatter(x=ends, y=[slope * each + start for each in ends],"
        " mode='lines', name='linear trend'))",
        f"figure.update_xaxes(title={label_of(drawing.table, x)!r})",
        f"figure.update_yaxes(title={label_of(drawing.table, y)!r})",
    ]


def _line(drawing: Drawing) -> list[str]:
    time, group, names = drawing.time, drawing.group, list(drawing.columns)
    keys = [time, *([group] if group else [])]
    when = next(each for each in drawing.table.columns if each.name == time)
    lines = [
        f"shown = data[{list(dict.fromkeys([*keys, *names]))!r}].copy()",
        f"shown[{names!r}] = shown[{names!r}].apply(pd.to_numeric, errors='coerce')",
    ]
    if when.type in ("date", "timestamp", "text"):
        lines.append(f"shown[{time!r}] = pd.to_datetime(shown[{time!r}], errors='coerce')")
    lines += [
        f"shown = shown.dropna(subset={keys!r})",
        f"if shown.duplicated({keys!r}).any():",
        f"    title += {f', the mean of each {words_of(time)}'!r}",
        f"shown = shown.groupby({keys!r}, observed=True)[{names!r}].mean()"
        f".reset_index().sort_values({keys!r})",
    ]
    if group:
        lines += [
            f"names = shown[{group!r}].value_counts().index.sort_values()",
            f"if len(names) > {MOST_COLOURS}:",
            f"    title += f' (the first {MOST_COLOURS} of {{len(names):,}} groups)'",
            f"    shown = shown[shown[{group!r}].isin(names[:{MOST_COLOURS}])]",
        ]
    lines += [
        f"step = len(shown) // {POINTS} + 1",
        "if step > 1:",
        "    title += f' (one of {step} points of {len(shown):,})'",
    ]
    return [*lines, *(_one_group(drawing) if not group else _many_groups(drawing))]


def _one_group(drawing: Drawing) -> list[str]:
    """The columns in one plane, or each in its own where their numbers are of other sizes."""
    time, names = drawing.time, list(drawing.columns)
    labels = {name: label_of(drawing.table, name) for name in names}
    hover = "%{x}: %{y}<extra>%{fullData.name}</extra>"
    trace = (
        f"go.Scatter(x=shown[{time!r}].iloc[::step].to_list(),"
        " y=shown[name].iloc[::step].to_list(), name=label, mode='lines+markers',"
        f" marker={{'size': 4}}, hovertemplate={hover!r})"
    )
    if len(names) > 1 and _unlike(drawing.table, names):
        return [
            f"labels = {labels!r}",
            "figure = make_subplots(rows=len(labels), cols=1, shared_xaxes=True)",
            "for row, (name, label) in enumerate(labels.items(), 1):",
            f"    figure.add_trace({trace}, row=row, col=1)",
            "    figure.update_yaxes(title=label, row=row, col=1)",
            f"figure.update_xaxes(title={label_of(drawing.table, time)!r}, row=len(labels), col=1)",
        ]
    value = next(iter(labels.values())) if len(labels) == 1 else "value"
    return [
        f"labels = {labels!r}",
        "figure = go.Figure()",
        "for name, label in labels.items():",
        f"    figure.add_trace({trace})",
        f"figure.update_xaxes(title={label_of(drawing.table, time)!r})",
        f"figure.update_yaxes(title={value!r})",
    ]


def _many_groups(drawing: Drawing) -> list[str]:
    time, group, name = drawing.time, drawing.group, drawing.columns[0]
    hover = "%{x}: %{y}<extra>%{fullData.name}</extra>"
    return [
        "figure = go.Figure()",
        f"for name, part in shown.iloc[::step].groupby({group!r}, observed=True):",
        f"    figure.add_trace(go.Scatter(x=part[{time!r}].to_list(), y=part[{name!r}].to_list(),"
        f" name=str(name), mode='lines', hovertemplate={hover!r}))",
        f"figure.update_xaxes(title={label_of(drawing.table, time)!r})",
        f"figure.update_yaxes(title={label_of(drawing.table, name)!r})",
    ]


def _unlike(table: Table, names: Sequence[str]) -> bool:
    """Whether numbers of one column would be a flat line beside those of another."""
    sizes = [_size(each) for each in table.columns if each.name in names]
    known = [each for each in sizes if each > 0]
    return bool(known) and max(known) > 5 * min(known)


def _size(column: Column) -> float:
    ends = [each for each in (column.minimum, column.maximum) if isinstance(each, int | float)]
    return max((abs(float(each)) for each in ends), default=0.0)


def _histogram(drawing: Drawing) -> list[str]:
    [name] = drawing.columns[:1]
    label, group = label_of(drawing.table, name), drawing.group
    bars = (
        "figure.add_trace(go.Bar(x=((edges[1:] + edges[:-1]) / 2).tolist(), y=counts.tolist(),"
        " width=np.diff(edges).tolist(), name={name}, customdata=np.column_stack([edges[:-1],"
        " edges[1:]]).tolist(), opacity=0.75,"
        " hovertemplate='%{{customdata[0]:.4g}} to %{{customdata[1]:.4g}}: %{{y}} rows"
        "<extra></extra>'))"
    )
    lines = [
        f"values = pd.to_numeric(data[{name!r}], errors='coerce')"
        ".replace([np.inf, -np.inf], np.nan).dropna().astype('float64')",
        "bins = min(60, len(np.histogram_bin_edges(values, 'auto')) - 1) or 1",
        "edges = np.histogram_bin_edges(values, bins)",
        "figure = go.Figure()",
    ]
    if group:
        lines += [
            f"for group in data[{group!r}].value_counts().index[:{MOST_COLOURS}]:",
            f"    counts, _ = np.histogram(values[data.loc[values.index, {group!r}] == group],"
            " edges)",
            f"    {bars.format(name='str(group)')}",
        ]
    else:
        lines += ["counts, _ = np.histogram(values, edges)", bars.format(name=repr(label))]
    return [
        *lines,
        "figure.update_layout(barmode='overlay', bargap=0)",
        f"figure.update_xaxes(title={label!r})",
        "figure.update_yaxes(title='rows')",
    ]


def _box(drawing: Drawing) -> list[str]:
    names, group = list(drawing.columns), drawing.group
    if group:
        [name] = names[:1]
        parts = [
            f"groups = data[{group!r}].value_counts().index[:{_BARS}].sort_values()",
            f"if data[{group!r}].nunique() > {_BARS}:",
            f"    title += ' (the {_BARS} largest groups)'",
            f"parts = {{str(each): data.loc[data[{group!r}] == each, {name!r}]"
            " for each in groups}",
        ]
        axes = (label_of(drawing.table, group), label_of(drawing.table, name))
    else:
        parts = [f"parts = {{each: data[each] for each in {names!r}}}"]
        axes = ("column", label_of(drawing.table, names[0]) if len(names) == 1 else "value")
    return [
        *parts,
        "boxes = []",
        "for name, part in parts.items():",
        "    known = pd.to_numeric(part, errors='coerce').dropna()",
        "    if len(known):",
        "        low, middle, high = known.quantile([0.25, 0.5, 0.75])",
        "        reach = 1.5 * (high - low)",
        "        boxes.append((name, low, middle, high, known[known >= low - reach].min(),"
        " known[known <= high + reach].max(), known.mean()))",
        "names, low, middle, high, least, most, mean = map(list, zip(*boxes))",
        "figure = go.Figure(go.Box(x=names, q1=low, median=middle, q3=high, lowerfence=least,"
        " upperfence=most, mean=mean, name=''))",
        f"figure.update_xaxes(title={axes[0]!r}, type='category')",
        f"figure.update_yaxes(title={axes[1]!r})",
    ]


def _bars(drawing: Drawing) -> list[str]:
    """Bars, parts of a whole or a filled line: of a grouped result, or of the rows as they are."""
    if drawing.figures is not None:
        query, model = drawing.figures, infer_model((drawing.table,))
        lines = chart_lines(query, model)
        named, _ = axes_of(query, model)
        labels = dict(measures_of(drawing, query))
        values = list(labels)
        x, series = named[0], named[1] if len(named) > 1 else ""
    else:
        x, values, series = drawing.group, list(drawing.columns[:1]), ""
        labels = {each: label_of(drawing.table, each) for each in values}
        lines = [f"grouped = data[{[x, *values]!r}].dropna().sort_values("
                 f"{values[0]!r}, ascending=False)"]  # fmt: skip
    if drawing.kind == "pie":
        return [*lines, *_pie(x, values[0])]
    over = drawing.kind in ("line", "area")
    sort = [f"grouped = grouped.sort_values({x!r})"] if over else []
    most = POINTS if over else _BARS * (MOST_COLOURS if series else 1)
    made = (
        "go.Scatter(x={x}, y={y}, name={name}, mode='lines+markers'{fill}, hovertemplate={hover!r})"
        if over
        else "go.Bar(x={x}, y={y}, name={name}, hovertemplate={hover!r})"
    )
    fill = ", fill='tozeroy'" if drawing.kind == "area" else ""
    hover = "%{x}: %{y}<extra>%{fullData.name}</extra>"
    lines += [
        *sort,
        f"if len(grouped) > {most}:",
        f"    title += f' (the first {most:,} of {{len(grouped):,}})'",
        f"    grouped = grouped.head({most})",
        "figure = go.Figure()",
    ]
    if series:
        trace = made.format(x=f"part[{x!r}].to_list()", y=f"part[{values[0]!r}].to_list()",
                            name="str(name)", fill=fill, hover=hover)  # fmt: skip
        lines += [
            f"largest = grouped[{series!r}].value_counts().index[:{MOST_COLOURS}]",
            "for name in largest:",
            f"    part = grouped[grouped[{series!r}] == name]",
            f"    figure.add_trace({trace})",
        ]
    else:
        trace = made.format(x=f"grouped[{x!r}].to_list()", y="grouped[name].to_list()",
                            name="label", fill=fill, hover=hover)  # fmt: skip
        lines += [
            f"labels = {labels!r}",
            "for name, label in labels.items():",
            f"    figure.add_trace({trace})",
        ]
    value = next(iter(labels.values())) if len(labels) == 1 else "value"
    kind = "" if over else ", type='category'"
    stacked = ["figure.update_layout(barmode='stack')"] if drawing.kind == "stacked" else []
    return [
        *lines,
        *stacked,
        f"figure.update_xaxes(title={label_of(drawing.table, x)!r}{kind})",
        f"figure.update_yaxes(title={value!r})",
    ]


def _pie(name: str, value: str) -> list[str]:
    return [
        f"shown = grouped.dropna().sort_values({value!r}, ascending=False)",
        f"if (shown[{value!r}] < 0).any():",
        f"    raise ValueError({f'{value} has negative values, which no pie can show'!r})",
        f"names, sizes = shown[{name!r}].astype('str').to_list(), shown[{value!r}].to_list()",
        "if len(names) > 11:",
        "    names, sizes = [*names[:10], 'others'], [*sizes[:10], sum(sizes[10:])]",
        "figure = go.Figure(go.Pie(labels=names, values=sizes,"
        " hovertemplate='%{label}: %{value} (%{percent})<extra></extra>'))",
    ]


def _plain(text: str) -> str:
    """A name inside a hover text, which takes no markup and no fields from it."""
    return text.replace("%", "").replace("{", "").replace("}", "").replace("<", "").replace("&", "")


_KINDS = {
    "correlations": _correlations, "scatter": _scatter, "line": _line, "histogram": _histogram,
    "box": _box, "bar": _bars, "stacked": _bars, "pie": _bars, "area": _bars, "heatmap": _bars,
}  # fmt: skip
