"""Turn a column of texts into numbers: words by their weight, or what they tell of the target.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

_ENCODE_TEXTS_WORDS = 20_000
_ENCODE_TEXTS_PARTS = 4


def encode_texts(
    learned: Any,
    others: Sequence[Any],
    goals: Any,
    *,
    style: str,
    labels: bool = False,
    seed: int = 0,
) -> list[Any]:
    """The texts as matrices. All that is learned is learned from the first of them.

    "sparse" gives the TF-IDF weights of words and pairs of words. "dense" gives the principal
    directions of these, the lengths, and what a linear model of the words says of the target: for
    the rows that it is learned from, of models that have not seen them.

    Args:
        learned: the texts that are learned from.
        others: texts that the same is applied to.
        goals: columns that the texts may tell of, with a row for each text that is learned from.
        style: "sparse" or "dense".
        labels: whether the goals are 1 for rows of a class and 0 for others.
        seed: of all that is drawn.
    Returns:
        a matrix for `learned` and for each of `others`.
    Raises:
        ValueError: for an unknown style.
    Example:
        own, made = encode_texts(train["said"], [test["said"]], y[:, None], style="dense")
    """
    if style not in ("sparse", "dense"):
        raise ValueError(f"there is no style {style!r}")
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [each.fillna("").astype(str).tolist() for each in (learned, *others)]
    least = 2 if len(texts[0]) < 5000 else 5
    words = TfidfVectorizer(
        ngram_range=(1, 2),
        min_df=least,
        max_df=0.9,
        sublinear_tf=True,
        max_features=_ENCODE_TEXTS_WORDS,
        strip_accents="unicode",
        dtype=np.float32,
    )
    try:
        weights = [words.fit_transform(texts[0])]
    except ValueError:  # no word is in two texts
        return [_encode_texts_lengths(each) for each in texts]
    weights += [words.transform(each) for each in texts[1:]]
    if style == "sparse":
        return weights
    told = _encode_texts_told(weights, np.asarray(goals, dtype=float), labels, seed)
    directions = _encode_texts_directions(weights, seed)
    lengths = [_encode_texts_lengths(each) for each in texts]
    return [np.hstack(each) for each in zip(told, directions, lengths, strict=True)]


def _encode_texts_lengths(texts: list[str]) -> Any:
    return np.array([[np.log1p(len(each)), np.log1p(len(each.split()))] for each in texts])


def _encode_texts_directions(weights: list[Any], seed: int) -> list[Any]:
    from sklearn.decomposition import TruncatedSVD

    count = min(16, min(weights[0].shape) - 1)
    if count < 1:
        return [np.zeros((each.shape[0], 0)) for each in weights]
    found = TruncatedSVD(count, random_state=seed).fit(weights[0])
    return [found.transform(each) for each in weights]


def _encode_texts_told(weights: list[Any], goals: Any, labels: bool, seed: int) -> list[Any]:
    """What linear models of the words say, for the rows they learn from out of fold."""
    own = np.zeros(goals.shape)
    parts = np.random.default_rng(seed).permutation(len(goals)) % _ENCODE_TEXTS_PARTS
    for part in range(_ENCODE_TEXTS_PARTS):
        inside = parts == part
        if inside.any() and not inside.all():
            own[inside] = _encode_texts_model(weights[0][~inside], goals[~inside], labels)(
                weights[0][inside]
            )
    said = _encode_texts_model(weights[0], goals, labels)
    return [own, *(said(each) for each in weights[1:])]


def _encode_texts_model(weights: Any, goals: Any, labels: bool) -> Any:
    from sklearn.linear_model import LogisticRegression, Ridge

    if not labels:
        ridge = Ridge(1.0).fit(weights, goals)
        return lambda given: ridge.predict(given).reshape(given.shape[0], -1)
    models = [
        LogisticRegression(C=3.0, max_iter=200).fit(weights, goal) if 0 < goal.mean() < 1 else None
        for goal in goals.T
    ]
    shares = goals.mean(axis=0)

    def said(given: Any) -> Any:
        columns = [
            np.full(given.shape[0], share) if model is None else model.predict_proba(given)[:, 1]
            for model, share in zip(models, shares, strict=True)
        ]
        return np.column_stack(columns)

    return said


def _encode_texts_sample(random: Any, rows: int) -> tuple[Any, Any]:
    goals = random.integers(0, 2, rows).astype(float)
    words = np.array(["late", "fine", "box", "new", "old", "blue"])
    texts = [" ".join([*random.choice(words[2:], 4), "late" if goal else "fine"]) for goal in goals]
    return pd.Series(texts), goals[:, None]


def test_words_tell_of_the_target() -> None:
    texts, goals = _encode_texts_sample(np.random.default_rng(1), 200)
    own, other = encode_texts(texts, [texts[:5]], goals, style="dense", labels=True)
    assert np.corrcoef(own[:, 0], goals[:, 0])[0, 1] > 0.9
    assert other.shape == (5, own.shape[1])


def test_texts_without_a_common_word_leave_their_lengths() -> None:
    texts = pd.Series(["one", "two", None])
    (found,) = encode_texts(texts, [], np.zeros((3, 1)), style="sparse")
    assert found.shape == (3, 2)


def test_property_random_words_tell_nothing_out_of_fold() -> None:
    random = np.random.default_rng(7)
    found = []
    for _ in range(5):
        texts, _ = _encode_texts_sample(random, 300)
        goals = random.normal(size=(300, 1))
        (own,) = encode_texts(texts, [], goals, style="dense")
        found.append(np.corrcoef(own[:, 0], goals[:, 0])[0, 1])
    assert abs(float(np.mean(found))) < 0.15
