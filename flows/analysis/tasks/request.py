"""What a task settles, made part of its request; what no request can hold is left over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from flows.analysis.tasks.form import AnswerForm
from flows.analysis.tasks.settings import TaskSettings
from flows.analysis.tasks.statistics import statistic_in
from flows.semantics.query import Aggregate, Constant, FieldRef, Query
from flows.semantics.request import Analysis, Argument
from flows.semantics.tree import parts

_VARIANTS: Final = {
    "correlation": ("pearson", "spearman", "kendall"),
    "normality": ("shapiro", "dagostino"),
    "outliers": ("iqr", "zscore"),
    "hypothesis_test": ("welch", "student", "mannwhitney"),
}
_TESTS: Final = ("correlation", "normality", "hypothesis_test", "regression", "trend")
# What the functions of the libraries compute, by their names.
_CALLED: Final = {
    "mean": "average", "average": "average", "nanmean": "average", "median": "median",
    "std": "deviation", "var": "variance", "skew": "skewness", "kurt": "kurtosis",
    "kurtosis": "kurtosis", "min": "minimum", "max": "maximum", "sum": "sum", "count": "count",
    "isnull": "missing_values", "isna": "missing_values", "corr": "correlation",
    "pearsonr": "correlation", "spearmanr": "correlation", "shapiro": "normality",
    "normaltest": "normality", "ttest_ind": "hypothesis_test", "mannwhitneyu": "hypothesis_test",
    "zscore": "outliers", "groupby": "", "len": "count", "nunique": "count distinct",
}  # fmt: skip
_VARIANT_OF: Final = {
    "pearsonr": "pearson", "spearmanr": "spearman", "shapiro": "shapiro",
    "normaltest": "dagostino", "ttest_ind": "student", "mannwhitneyu": "mannwhitney",
}  # fmt: skip
# Statistics of summaries, by the functions of a query.
_SUMMARY: Final = {
    "average": "mean", "median": "median", "deviation": "std", "minimum": "minimum",
    "maximum": "maximum", "variance": "variance", "skewness": "skewness", "kurtosis": "kurtosis",
    "q1": "q1", "q3": "q3", "iqr": "iqr", "range": "range", "mode": "mode",
    "standard_error": "standard_error",
}  # fmt: skip
_POPULATION: Final = {"std": "population_std", "variance": "population_variance"}
SUMMARY: Final = "summary_statistics"


@dataclass(slots=True)
class Applied:
    """A request with what a task settles in it. `left` are in words the constraints that it does
    not honour."""

    request: Query | Analysis
    left: list[str] = field(default_factory=list)


def apply(request: Query | Analysis, settings: TaskSettings, form: AnswerForm) -> Applied:
    """The request as a task settles it: the figures that its form wants, the ways of its method."""
    wanted = [statistic_in(each.name)[0] for each in form.fields]
    made = Applied(_widened(request, wanted, population=settings.deviation == "population"))
    _apply_deviation(made, settings)
    _apply_method(made, settings)
    _apply_missing(made, settings)
    _check_functions(made, settings)
    return made


def _widened(
    request: Query | Analysis, wanted: Iterable[str], *, population: bool
) -> Query | Analysis:
    """Summary statistics in place of a query that lacks a figure which the form wants."""
    if not isinstance(request, Query):
        return request
    functions = [each.function for each in request.metrics if isinstance(each, Aggregate)]
    lacks = [each for each in wanted if each in _SUMMARY and each not in functions]
    if not lacks and not (population and "deviation" in functions):
        return request
    fields = [each.of for each in request.metrics if isinstance(each, Aggregate)]
    plain = Query(dataset=request.dataset, metrics=request.metrics, by=request.by,
                  show=request.show, where=request.where, decimals=request.decimals)  # fmt: skip
    own = [e for e in (*fields, *request.by)
           if isinstance(e, FieldRef) and e.dataset == request.dataset and not e.via]  # fmt: skip
    known = all(each in _SUMMARY for each in functions) and all(
        isinstance(each, Aggregate) and each.where is None for each in request.metrics
    )
    if (
        plain != request or not known or not fields or len(request.by) > 1
        or len(own) != len(fields) + len(request.by)
    ):  # fmt: skip
        return request
    statistics = dict.fromkeys(_SUMMARY[each] for each in (*functions, *lacks))
    arguments = [
        Argument(name="fields", values=tuple(dict.fromkeys(e for e in fields if e is not None))),
        Argument(name="statistics", values=tuple(Constant(value=each) for each in statistics)),
        *(Argument(name="group", values=(each,)) for each in request.by),
    ]
    over = Query(dataset=request.dataset, where=request.where)
    return Analysis(method=SUMMARY, over=over, arguments=tuple(arguments))


def _apply_deviation(made: Applied, settings: TaskSettings) -> None:
    request = made.request
    if not settings.deviation:
        return
    if isinstance(request, Analysis) and request.method == SUMMARY:
        told = request.values("statistics")
        if settings.deviation == "population":
            values = [Constant(value=_POPULATION.get(str(each.value), each.value))
                      for each in told if isinstance(each, Constant)]  # fmt: skip
            if values:
                made.request = _with(request, "statistics", *values)
        return
    functions = {each.function for each in parts(request) if isinstance(each, Aggregate)}
    if settings.deviation == "population" or "deviation" not in functions:
        made.left.append(f"the {settings.deviation} standard deviation")


def _apply_method(made: Applied, settings: TaskSettings) -> None:
    """The way of the method, its threshold, its level and its tails."""
    request = made.request
    method = request.method if isinstance(request, Analysis) else ""
    named = [_VARIANT_OF[each] for each in settings.functions if each in _VARIANT_OF]
    variant = settings.variant or next(iter(named), "")
    if variant and variant not in _VARIANTS.get(method, ()):
        made.left.append(f"{variant!r} as the method")
    elif variant and isinstance(request, Analysis):
        made.request = _with(request, "variant", Constant(value=variant))
    limit = settings.threshold if settings.threshold is not None else settings.fences
    if limit is not None:
        if method == "outliers" and isinstance(made.request, Analysis):
            made.request = _with(made.request, "limit", Constant(value=limit))
        else:
            made.left.append(f"the threshold {limit:g}")
    if settings.alpha is not None and method not in _TESTS:
        made.left.append(f"the level {settings.alpha:g}")
    if settings.tails == 1:
        made.left.append("a test with one tail")


def _apply_missing(made: Applied, settings: TaskSettings) -> None:
    """Missing values are left out by all figures but those that count rows or gaps."""
    request = made.request
    counts_rows = any(
        isinstance(each, Aggregate) and each.function in ("count", "share") and each.of is None
        for each in parts(request)
    )
    gaps = isinstance(request, Analysis) and request.method == "missing_values"
    if settings.drops_missing and (counts_rows or gaps):
        made.left.append("leaving out rows with missing values")


def _check_functions(made: Applied, settings: TaskSettings) -> None:
    """That the request computes what the functions do which the task calls by name."""
    request = made.request
    if isinstance(request, Analysis):
        computed = {request.method, *(str(each.value) for each in request.values("statistics")
                                      if isinstance(each, Constant))}  # fmt: skip
    else:
        computed = {each.function for each in parts(request) if isinstance(each, Aggregate)}
    for each in settings.functions:
        what = _CALLED.get(each)
        if what == "" or (what is not None and {what, _SUMMARY.get(what, what)} & computed):
            continue
        if what is not None and _POPULATION.get(_SUMMARY.get(what, "")) in computed:
            continue
        made.left.append(f"the function {each}()")


def _with(request: Analysis, name: str, *values: Constant) -> Analysis:
    """The analysis with another value of an argument."""
    others = tuple(each for each in request.arguments if each.name != name)
    return request.model_copy(update={"arguments": (*others, Argument(name=name, values=values))})
