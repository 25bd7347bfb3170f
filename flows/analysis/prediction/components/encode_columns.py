"""Turn columns into the numbers that an estimator takes, learned from some rows alone.

Phases: model_building
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.prediction.components.encode_texts import encode_texts

_EncodeColumnsMade = tuple[Any, Callable[[Any], Any]]
_ENCODE_COLUMNS_SMOOTHING = 10.0  # rows that the mean of all counts for
_ENCODE_COLUMNS_MOST_CLASSES = 10  # of which a category's shares are columns
_ENCODE_COLUMNS_ONE_HOT = 60  # categories of a column with a column each


def encode_columns(
    learned: pd.DataFrame,
    others: Sequence[pd.DataFrame],
    truth: Any,
    *,
    kinds: Mapping[str, str],
    style: str,
    form: str,
    classes: int = 0,
    seed: int = 0,
) -> list[Any]:
    """The tables as matrices. All that is learned is learned from the first of them.

    Styles: "tree" keeps missing values, and gives a category its place, its count and the target's
    mean over its other rows; "linear" fills, scales and one-hot encodes; "spline" adds hinges at
    quantiles of numbers to that; "dense" is "linear" with few columns for texts.

    Args:
        learned: the rows that are learned from.
        others: tables that the same is applied to.
        truth: the target of the rows that are learned from, as `encode_target` gives it.
        kinds: what each column is, as `describe_columns` says it.
        style: "tree", "linear", "spline" or "dense".
        form: "number", "classes" or "ordinal".
        classes: how many classes there are.
        seed: of all that is drawn.
    Returns:
        a matrix for `learned` and for each of `others`; sparse if texts have many words.
    Raises:
        ValueError: for an unknown style or kind of column.
    Example:
        matrices = encode_columns(train, [test], y, kinds=kinds, style="tree", form="number")
    """
    if style not in ("tree", "linear", "spline", "dense"):
        raise ValueError(f"there is no style {style!r}")
    goals = _encode_columns_goals(truth, form, classes)
    blocks: list[list[Any]] = [[] for _ in range(1 + len(others))]
    for name, kind in kinds.items():
        if kind == "text":
            made = encode_texts(
                learned[name],
                [each[name] for each in others],
                goals,
                style="sparse" if style in ("linear", "spline") else "dense",
                labels=form == "classes",
                seed=seed,
            )
        else:
            own, apply = _encode_columns_block(learned[name], kind, style, goals, seed)
            made = [own, *(apply(each[name]) for each in others)]
        for block, matrix in zip(blocks, made, strict=True):
            block.append(matrix)
    return [_encode_columns_joined(each) for each in blocks]


def _encode_columns_goals(truth: Any, form: str, classes: int) -> Any:
    """Columns whose means are worth knowing: the target, or a column for each class."""
    values = np.asarray(truth, dtype=float)
    if form != "classes":
        return values[:, None]
    if classes == 2:
        return (values == 1).astype(float)[:, None]
    if classes > _ENCODE_COLUMNS_MOST_CLASSES:
        common = np.argsort(-np.bincount(values.astype(int), minlength=classes), kind="stable")
        chosen = common[:_ENCODE_COLUMNS_MOST_CLASSES]
    else:
        chosen = np.arange(classes)
    return (values[:, None] == chosen[None, :]).astype(float)


def _encode_columns_block(
    column: Any, kind: str, style: str, goals: Any, seed: int
) -> _EncodeColumnsMade:
    if kind in ("number", "flag"):
        read: Callable[[Any], Any] = _encode_columns_numbers
    elif kind == "date":
        read = _encode_columns_dates
    elif kind == "category":
        return _encode_columns_category(column, style, goals, seed)
    else:
        raise ValueError(f"column {column.name!r}: there is no kind {kind!r}")
    if style == "tree":
        return read(column).astype(np.float32), lambda other: read(other).astype(np.float32)
    scale = _encode_columns_scale(read(column), hinges=style == "spline")
    return scale(read(column)), lambda other: scale(read(other))


def _encode_columns_numbers(column: Any) -> Any:
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        column = column.dt.total_seconds()
    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    return np.where(np.isfinite(values), values, np.nan)[:, None]


def _encode_columns_dates(column: Any) -> Any:
    """Days since 1970, and the place in the year, the month, the week and the day."""
    when = column
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            when = pd.to_datetime(column.astype("object"), errors="coerce", format="mixed")
    if not pd.api.types.is_datetime64_any_dtype(when.dtype):
        when = pd.to_datetime(when, errors="coerce", utc=True)
    if when.dt.tz is not None:
        when = when.dt.tz_convert("UTC").dt.tz_localize(None)
    days = (when - pd.Timestamp("1970-01-01")).dt.total_seconds() / 86_400
    year = 2 * np.pi * when.dt.day_of_year / 365.25
    hour = 2 * np.pi * (when.dt.hour + when.dt.minute / 60) / 24
    parts = [days, when.dt.year, when.dt.month, when.dt.day, when.dt.day_of_week, when.dt.hour]
    parts += [np.sin(year), np.cos(year), np.sin(hour), np.cos(hour)]
    return np.column_stack([np.asarray(each, dtype=float) for each in parts])


def _encode_columns_scale(values: Any, *, hinges: bool) -> Callable[[Any], Any]:
    """Fill by the median, shorten long tails, scale, and tell of missing values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        middle = np.nan_to_num(np.nanmedian(values, axis=0))
    missing = np.isnan(values).any(axis=0)
    filled = np.where(np.isnan(values), middle, values)
    unit = np.maximum(np.subtract(*np.quantile(filled, [0.75, 0.25], axis=0)), 1e-9)
    unit = np.where(unit > 1e-8, unit, np.maximum(filled.std(axis=0), 1e-9))
    tailed = np.abs(filled - middle).max(axis=0) / unit > 20

    def shortened(given: Any) -> Any:
        moved = (np.where(np.isnan(given), middle, given) - middle) / unit
        return np.where(tailed, np.arcsinh(moved), moved)

    base = shortened(values)
    mean, spread = base.mean(axis=0), np.where(base.std(axis=0) > 1e-9, base.std(axis=0), 1.0)
    scaled = np.clip((base - mean) / spread, -5, 5)
    knots = [np.unique(np.quantile(each, [0.1, 0.3, 0.5, 0.7, 0.9])) for each in scaled.T]
    knots = [each[(each > low) & (each < high)] for each, low, high in
             zip(knots, scaled.min(axis=0), scaled.max(axis=0), strict=True)]  # fmt: skip

    def apply(given: Any) -> Any:
        values = np.clip((shortened(given) - mean) / spread, -5, 5)
        columns = [values, np.isnan(given)[:, missing].astype(float)]
        if hinges:
            columns += [
                np.maximum(values[:, [place]] - points[None, :], 0)
                for place, points in enumerate(knots)
            ]
        return np.hstack(columns)

    return apply


def _encode_columns_category(column: Any, style: str, goals: Any, seed: int) -> _EncodeColumnsMade:
    texts = _encode_columns_texts(column)
    counts = texts.value_counts()
    means, own = _encode_columns_means(texts, goals, seed)
    prior = goals.mean(axis=0)

    def shares(other: Any) -> Any:
        return means.reindex(other).fillna(dict(enumerate(prior))).to_numpy(dtype=float)

    if style == "tree":
        names = sorted(counts.index, key=_encode_columns_order)
        places = {name: place for place, name in enumerate(names)}

        def plain(other: Any) -> Any:
            return np.column_stack([other.map(places), other.map(counts).fillna(0)]).astype(float)

        if len(counts) <= 2:
            return plain(texts)[:, :1], lambda other: plain(_encode_columns_texts(other))[:, :1]
        return np.hstack([plain(texts), own]).astype(np.float32), lambda other: np.hstack(
            [plain(_encode_columns_texts(other)), shares(_encode_columns_texts(other))]
        ).astype(np.float32)
    kept = counts[counts >= max(3, len(texts) // 2000)].index[:_ENCODE_COLUMNS_ONE_HOT]
    many = len(counts) > min(20, len(kept))
    spread = np.where(own.std(axis=0) > 1e-9, own.std(axis=0), 1.0)

    def spelled(other: Any, means_of: Any) -> Any:
        hot = (other.to_numpy()[:, None] == np.asarray(kept, dtype=object)[None, :]).astype(float)
        return np.hstack([hot, np.clip((means_of - prior) / spread, -5, 5)]) if many else hot

    def apply(other: Any) -> Any:
        read = _encode_columns_texts(other)
        return spelled(read, shares(read))

    return spelled(texts, own), apply


def _encode_columns_texts(column: Any) -> Any:
    present = column.notna().to_numpy()
    texts = column.astype(object).map(str).to_numpy(dtype=object)
    return pd.Series(np.where(present, texts, ""), dtype=object)


def _encode_columns_order(name: str) -> tuple[int, float, str]:
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def _encode_columns_means(texts: Any, goals: Any, seed: int) -> tuple[Any, Any]:
    """The smoothed means of each category, and for each row those over other rows of it."""

    def smoothed(rows: Any) -> Any:
        grouped = pd.DataFrame(goals[rows]).groupby(texts.to_numpy()[rows], sort=True)
        prior = goals[rows].mean(axis=0)
        weight = _ENCODE_COLUMNS_SMOOTHING
        sums, sizes = grouped.sum(), grouped.size().to_numpy()[:, None]
        return (sums + weight * prior) / (sizes + weight), prior

    parts = np.random.default_rng(seed).permutation(len(texts)) % 5
    own = np.zeros(goals.shape)
    for part in range(5):
        inside = parts == part
        if inside.any() and not inside.all():
            means, prior = smoothed(~inside)
            filled = means.reindex(texts.to_numpy()[inside]).fillna(dict(enumerate(prior)))
            own[inside] = filled.to_numpy(dtype=float)
    return smoothed(np.ones(len(texts), dtype=bool))[0], own


def _encode_columns_joined(blocks: list[Any]) -> Any:
    if not any(hasattr(each, "tocsr") for each in blocks):
        return np.hstack(blocks)
    from scipy import sparse

    return sparse.hstack([sparse.csr_matrix(each) for each in blocks]).tocsr()


def test_others_are_encoded_by_what_was_learned() -> None:
    learned = pd.DataFrame({"size": [1.0, 3.0, 5.0, None] * 5, "kind": ["a", "b", "c", "a"] * 5})
    other = pd.DataFrame({"size": [None], "kind": ["unseen"]})
    kinds = {"size": "number", "kind": "category"}
    truth = np.arange(20.0)
    for style in ("tree", "linear", "spline", "dense"):
        own, made = encode_columns(learned, [other], truth, kinds=kinds, style=style, form="number")
        assert own.shape[1] == made.shape[1]
        assert bool(np.isnan(made).any()) == (style == "tree")


def test_a_style_that_is_not_known_is_an_error() -> None:
    table = pd.DataFrame({"a": [1.0, 2.0]})
    message = ""
    try:
        encode_columns(table, [], [1, 2], kinds={"a": "number"}, style="odd", form="number")
    except ValueError as error:
        message = str(error)
    assert "'odd'" in message


def test_property_a_random_category_tells_nothing_of_the_rows_that_it_is_learned_from() -> None:
    random = np.random.default_rng(12)
    found = []
    for _ in range(10):
        truth = random.normal(size=400)
        table = pd.DataFrame({"kind": random.integers(0, 150, 400).astype(str)})
        (own,) = encode_columns(
            table, [], truth, kinds={"kind": "category"}, style="tree", form="number"
        )
        found.append(np.corrcoef(own[:, 2], truth)[0, 1])
    assert abs(float(np.mean(found))) < 0.15
