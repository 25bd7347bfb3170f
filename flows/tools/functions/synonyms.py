"""Words of the field that mean the same, by which a search finds a tool that uses another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

_GROUPS: Final = (
    "missing null nan na gap empty absent blank unknown",
    "fill impute imputation replace",
    "plot draw chart graph visualize visualise figure",
    "histogram distribution spread",
    "correlation association relationship",
    "summarize overview describe summary profile",
    "category categorical label level class",
    "text string word",
    "typo spelling misspelled variant",
    "date time datetime timestamp calendar",
    "number numeric numerical",
    "parse read convert cast",
    "remove drop delete",
    "duplicate repeated dedupe twice",
    "outlier extreme anomaly",
    "rare infrequent uncommon",
    "frequency frequent often count occur",
    "shift drift differ difference compare",
    "tune tuning optimize optimise hyperparameter parameter search",
    "fold split validation cross",
    "blend ensemble stack combine average",
    "baseline yardstick dummy",
    "threshold cutoff decision",
    "rank importance relevance",
    "metric score measure evaluate",
    "scale standardize normalise normalize",
    "skew logarithm log",
    "interaction product ratio",
    "cardinality unique distinct",
    "group aggregate aggregation",
    "submission submit handed",
    "target outcome response",
)


def concepts(stem: Callable[[str], str]) -> Mapping[str, tuple[str, ...]]:
    """By the stem of a word, the names of its groups. A name is no word."""
    found: dict[str, list[str]] = {}
    for group in _GROUPS:
        for each in sorted({stem(word) for word in group.split()}):
            found.setdefault(each, []).append(f"={group.split()[0]}")
    return {each: tuple(names) for each, names in found.items()}
