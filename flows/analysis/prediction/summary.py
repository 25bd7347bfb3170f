"""The report of a phase by rules: its questions answered, each number a reference to a cell.

Other numbers stand in what was done, as the summarizer knows it: rows and columns of tables, the
purposes of steps, what unit tests say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from flows.analysis.prediction.metrics import METRICS
from flows.analysis.prediction.phases import QUESTIONS
from flows.analysis.prediction.summary_text import (
    CitedTable,
    capital,
    code,
    counted,
    last_made,
    listed,
    made_by,
    names,
    plain,
)
from flows.analysis.prediction.work import Summarizing
from flows.core.observation import Cell
from flows.data.tables import Column, Table

Answer = Callable[[Summarizing], str]

_SHOWN: Final = 5
_STRONG: Final = 0.3  # of a correlation
_YARDSTICKS: Final = {
    "baseline": "the same answer for all rows",
    "hist_gradient_boosting": "untuned, on the columns as they were read",
}
_KINDS: Final[dict[str, str]] = {
    "integer": "whole numbers", "real": "numbers", "text": "texts", "boolean": "truths",
    "date": "dates", "timestamp": "moments", "time": "times of day", "other": "other values",
}  # fmt: skip
_NOTHING: Final = "Nothing was found out about this."


def summarize_phase(given: Summarizing) -> str:
    """The report in Markdown: a heading for each question, then what failed, and the figures."""
    parts = [f"# {given.title}"]
    for question in given.questions:
        answer = _ANSWERS.get(question, _steps)
        parts += [f"## {question}", answer(given) or _NOTHING]
    if not given.questions:
        parts.append(_steps(given) or _NOTHING)
    if failed := _failed(given):
        parts += ["## What went wrong?", failed]
    if figures := _figures(given):
        parts.append(figures)
    return "\n\n".join(parts) + "\n"


def _steps(given: Summarizing) -> str:
    """What was done, step by step."""
    lines = []
    for each in given.work.outcomes:
        by = f" ({code(each.step.tool)})" if each.step.tool else ""
        said = plain(each.step.purpose).rstrip(".")
        lines.append(f"{said}{by}." if each.status == "done" else f"Left out: {said}{by}.")
    return listed(lines)


def _failed(given: Summarizing) -> str:
    lines = [
        f"The unit test {code(each.name)} {'warns' if each.level == 'warning' else 'failed'}: "
        f"{plain(each.message).rstrip('.')}."
        for each in given.work.checks
        if not each.passed
    ]
    lines += [
        f"{plain(each.step.purpose).rstrip('.')} was left out: {code(each.error)}"
        for each in given.work.outcomes
        if each.status == "left_out"
    ]
    if not given.work.ran and given.steps:
        lines.append("The code did not run to its end.")
    return listed(lines)


def _figures(given: Summarizing) -> str:
    titles = [plain(title) for each in given.work.outcomes for title in each.figures.values()]
    return f"Figures: {'; '.join(titles)}." if titles else ""


def _asked(given: Summarizing) -> str:
    task = given.task
    if task is None:
        return "What is to be predicted could not be found out."
    metric = METRICS.get(task.metric)
    better = "more" if task.greater_is_better else "less"
    title = f"{code(task.metric)}" if metric is None else f"{metric.title} ({code(task.metric)})"
    kind = {"regression": "a number", "binary": "one of two classes"}.get(
        task.kind, "one of several classes"
    )
    lines = [
        f"To predict: {names(task.targets)}, {kind} for each row. It is judged by {title}, of "
        f"which {better} is better."
    ]
    if task.identifier:
        lines.append(f"A row is told by {code(task.identifier)}.")
    if task.group:
        lines.append(f"Rows with the same {code(task.group)} belong together.")
    if task.time:
        lines.append(f"Test rows are later by {code(task.time)}.")
    reasons = [f"{capital(name)}: {plain(why)}." for name, why in task.reasons.items()]
    doubts = [f"In doubt: {plain(each).rstrip('.')}." for each in task.doubts]
    return "\n\n".join(filter(None, [" ".join(lines), listed([*reasons, *doubts])]))


def _handed_in(given: Summarizing) -> str:
    task = given.task
    if task is None or (task.submission is None and not task.has_test):
        return "Nothing: there are no rows without the target."
    shown = task.submission
    if shown is None:
        return f"A file with a prediction of {names(task.targets)} for each row of `test`."
    values = {"label": "the class", "probability": "a probability", "number": "a number"}
    lines = [f"A file with the columns {names(shown.columns)}, in this order, and one row for "
             "each row of `test`."]  # fmt: skip
    for column, said in list(shown.predictions.items())[:_SHOWN]:
        lines.append(f"{code(column)} holds {values[shown.values]} of {code(said)}.")
    return " ".join(lines)


def _size(given: Summarizing) -> str:
    told = []
    for table in filter(None, (given.train, given.test)):
        told.append(f"{code(table.name)} has {table.rows} rows and {len(table.columns)} columns.")
    if given.train is not None:
        kinds: dict[str, list[str]] = {}
        for column in given.train.columns:
            kinds.setdefault(_KINDS[column.type], []).append(column.name)
        told.append("The columns of `train`:\n")
        lines = [f"{kind}: {names(found)}" for kind, found in kinds.items()]
        return " ".join(told) + "\n" + listed(lines)
    return " ".join(told)


def _wrong(given: Summarizing) -> str:
    lines = []
    for made in made_by(given, "plot_missing_values", "column", "train")[:1]:
        for place, row in made.rows(_SHOWN):
            parts = [f"{made.cell(place, 'train', '.1%')} of `train`"]
            if "test" in made.table.columns and row["test"] is not None:
                parts.append(f"{made.cell(place, 'test', '.1%')} of `test`")
            lines.append(f"{code(row['column'])} is missing in {' and '.join(parts)}.")
        if len(made.table.rows) > _SHOWN:
            rest = [str(row["column"]) for _, row in made.rows()][_SHOWN:]
            lines.append(f"Values are missing in {names(rest)}, too.")
    if not lines and given.train is not None:
        gaps = _with_gaps(given.train)
        lines.append(f"Values are missing in {names(gaps)}." if gaps else "No value is missing.")
    for table in filter(None, (given.train,)):
        same = [each.name for each in table.columns if each.distinct <= 1 and table.rows > 1]
        if same:
            lines.append(f"{capital(names(same))} {_hold(same)} one value in all rows.")
    doubts = given.task.doubts if given.task is not None else ()
    lines += [f"{capital(plain(each).rstrip('.'))}." for each in doubts]
    return listed(lines)


def _hold(columns: Sequence[str]) -> str:
    return "holds" if len(columns) == 1 else "hold"


def _with_gaps(table: Table) -> list[str]:
    return [each.name for each in table.columns if each.missing]


def _target(given: Summarizing) -> str:
    lines = []
    for made in made_by(given, "plot_target", "target", "value")[:1]:
        by_target: dict[str, list[tuple[int, str]]] = {}
        for place, row in made.rows():
            by_target.setdefault(str(row["target"]), []).append((place, str(row["value"])))
        for target, rows in list(by_target.items())[:_SHOWN]:
            if made.has("amount"):
                where = {"p5": "a twentieth lies below", "p50": "half below", "p95": "all but a "
                         "twentieth below"}  # fmt: skip
                parts = [
                    f"{where[value]} {made.cell(place, 'amount')}"
                    for place, value in rows
                    if value in where
                ]
                lines.append(f"{code(target)}: {', '.join(parts)}.")
            elif made.has("share"):
                parts = [f"{code(value)} is {made.cell(place, 'share', '.1%')}"
                         for place, value in rows[:_SHOWN]]  # fmt: skip
                more = f", and there are {counted(len(rows) - _SHOWN, 'class', 'classes')} more" \
                    if len(rows) > _SHOWN else ""  # fmt: skip
                lines.append(f"{code(target)}: {', '.join(parts)} of the rows{more}.")
    if lines or given.train is None or given.task is None:
        return listed(lines)
    columns = [each for each in given.train.columns if each.name in given.task.targets]
    return listed([_spread(each) for each in columns])


def _spread(column: Column) -> str:
    values = [each.value for each in column.top[:_SHOWN]]
    return f"The most frequent values of {code(column.name)} are {names(values)}."


def _drift(given: Summarizing) -> str:
    if given.test is None:
        return "There is no test table to compare with."
    lines = []
    for made in made_by(given, "compare_train_and_test", "column", "drift")[:1]:
        rows = list(made.rows())
        if rows and rows[0][1]["column"] == "(all)":
            lines.append(
                "A model tells the rows of both tables apart by "
                f"{made.cell(0, 'drift', '.2f')}, where nothing would be by chance and a whole "
                "would be without fault."
            )
            rows = rows[1:]
        for place, row in rows[:_SHOWN]:
            lines.append(f"{code(row['column'])} drifts by {made.cell(place, 'drift', '.2f')}.")
    return listed(lines)


def _changed(given: Summarizing) -> str:
    lines = [_steps(given)]
    if given.changes.added:
        lines.append(f"New columns: {names(given.changes.added)}.")
    return "\n\n".join(filter(None, lines))


def _lost(given: Summarizing) -> str:
    changes = given.changes
    lines = [f"`train` had {changes.rows_before} rows, and it has {changes.rows_after}."]
    lines.append(
        f"Left out: {counted(len(changes.removed), 'column', 'columns')}, {names(changes.removed)}."
        if changes.removed
        else "No column was left out."
    )
    return " ".join(lines)


def _still_missing(given: Summarizing) -> str:
    lines = []
    for table in filter(None, (given.train, given.test)):
        gaps = _with_gaps(table)
        told = f"values are missing in {names(gaps)}" if gaps else "no value is missing"
        lines.append(f"In {code(table.name)} {told}.")
    return " ".join(lines)


def _telling(given: Summarizing) -> str:
    lines = []
    for made in made_by(given, "rank_columns_by_target", "column", "power")[:_SHOWN]:
        target = made.outcome.step.arguments.get("target", "the target")
        parts = [f"{code(row['column'])} with {made.cell(place, 'power', '.2f')}"
                 for place, row in made.rows(_SHOWN)]  # fmt: skip
        lines.append(f"Of {code(target)} these tell most, each by itself: {', '.join(parts)}.")
    if lines:
        lines.append("The figure of a column is nothing if it tells nothing of rows that were not "
                     "learned from, and a whole if it tells all.")  # fmt: skip
    return listed(lines)


def _alike(given: Summarizing) -> str:
    lines: list[str] = []
    targets = given.task.targets if given.task is not None else ()
    for made in made_by(given, "plot_correlations", "left", "right", "correlation")[:1]:
        for place, row in made.rows():
            pair = (str(row["left"]), str(row["right"]))
            if len(lines) < _SHOWN and not set(pair) & set(targets) and _is_strong(row):
                told = made.cell(place, "correlation", ".2f")
                lines.append(f"{names(pair)}: correlation {told}.")
    return listed(lines) or "No two columns of numbers go closely together."


def _is_strong(row: Mapping[str, Cell]) -> bool:
    told = row["correlation"]
    return isinstance(told, int | float) and abs(told) >= _STRONG


def _made(given: Summarizing) -> str:
    added = given.changes.added
    lines = [f"New columns: {names(added, 20)}." if added else "No column was made."]
    if given.made_tools:
        lines.append(f"Tools were made for this data: {names(given.made_tools)}.")
    return "\n\n".join(filter(None, [" ".join(lines), _steps(given)]))


def _dropped(given: Summarizing) -> str:
    removed = given.changes.removed
    gone = [plain(each.step.purpose).rstrip(".") for each in given.work.outcomes
            if each.status == "left_out"]  # fmt: skip
    lines = [f"Left out: {names(removed)}." if removed else "No column was left out."]
    lines += [f"Not done, since it failed: {each}." for each in gone]
    return " ".join(lines)


def _validated(given: Summarizing) -> str:
    made = last_made(given, "validation", "kind", "folds", "rows", "reason")
    if made is None:
        return "It was not validated."
    return (
        f"By {made.cell(0, 'kind')} validation in {made.cell(0, 'folds')} folds of "
        f"{made.cell(0, 'rows')} rows: {made.cell(0, 'reason')}."
    )


def _compared(given: Summarizing) -> str:
    made = last_made(given, "scores", "target", "model", "metric", "score", "chosen")
    if made is None:
        return "No model was scored."
    several = len({row["target"] for _, row in made.rows()}) > 1
    heads = [*(["target"] if several else []), "model", "score", "spread", "seconds", "remark"]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for place, row in made.rows():
        cells = [code(row["target"])] if several else []
        cells += [code(row["model"]), made.cell(place, "score", ".4f")]
        cells.append(made.cell(place, "std", ".4f") if "std" in row else "")
        cells.append(made.cell(place, "seconds", ".1f") if "seconds" in row else "")
        remark = _YARDSTICKS.get(str(row["model"]), "")
        cells.append(f"**chosen** {remark}".strip() if row["chosen"] else remark)
        lines.append(f"| {' | '.join(cells)} |")
    return f"Scores by {code(made.table.rows[0][made.table.columns.index('metric')])}:\n\n" + (
        "\n".join(lines)
    )


def _chosen(given: Summarizing) -> str:
    made = last_made(given, "scores", "target", "model", "metric", "score", "chosen")
    rows = [] if made is None else [(at, row) for at, row in made.rows() if row["chosen"]]
    if made is None or not rows:
        return "No model was chosen."
    return " ".join(_chosen_text(made, place, rows) for place, _ in rows)


def _chosen_text(made: CitedTable, place: int, rows: Sequence[tuple[int, object]]) -> str:
    row = dict(made.rows())[place]
    of = f"{code(row['target'])} is predicted" if len(rows) > 1 else "The predictions are made"
    note = row.get("note")
    how = f" It is made of: {made.cell(place, 'note')}." if note else ""
    return (
        f"{of} by {code(row['model'])}, which scores {made.cell(place, 'score', '.4f')} "
        f"({code(row['metric'])}) on rows that it was not learned from.{how}"
    )


def _submitted(given: Summarizing) -> str:
    made = last_made(given, "submission")
    if made is None:
        return "Nothing was handed in."
    wrong = [each for each in given.work.failed if each.name.startswith("submission")]
    told = (
        f"A file of {made.table.total_rows} rows with the columns {names(made.table.columns)}."
        if not wrong
        else "Nothing: the file that was made is not what is asked for."
    )
    return " ".join([told, *(f"{capital(plain(each.message).rstrip('.'))}." for each in wrong)])


def _answers() -> Iterator[tuple[str, Answer]]:
    """The answers of the phases' own questions, in their order."""
    given: dict[str, tuple[Answer, ...]] = {
        "understand_background": (_asked, _handed_in),
        "preliminary_eda": (_size, _wrong, _target, _drift),
        "data_cleaning": (_changed, _lost, _still_missing),
        "in_depth_eda": (_telling, _alike),
        "feature_engineering": (_made, _dropped),
        "model_building": (_validated, _compared, _chosen, _submitted),
    }
    for phase, questions in QUESTIONS.items():
        yield from zip(questions, given[phase], strict=True)


_ANSWERS: Final[dict[str, Answer]] = dict(_answers())
