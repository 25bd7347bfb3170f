"""Add the main topics of texts as numbers, by TF-IDF and a truncated SVD.

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer


def text_topics(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    topics: int = 10,
    words: int = 5000,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Add NAME_topic_1, NAME_topic_2, and so on, for each column, of its words and pairs of words.

    Args:
        train: The rows to learn from; the words and topics are theirs.
        test: The rows to predict, if there are any.
        columns: Columns of text.
        topics: How many numbers are made of each column, at most.
        words: How many words are looked at, the most frequent ones.
    Returns:
        Both tables. A missing text has no topic: noughts.
    Raises:
        ValueError: A column is not there, or its texts have no words in common.
    Example:
        train, test = text_topics(train, test, columns=["review"], topics=10)
    """
    left, right = train, test
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        texts = train[name].fillna("").map(str)
        least = 2 if len(train) < 1000 else 5
        counter = TfidfVectorizer(
            min_df=least, max_features=words, ngram_range=(1, 2), sublinear_tf=True
        )
        try:
            counted = counter.fit_transform(texts)
        except ValueError as error:
            raise ValueError(f"the texts of {name!r} have no words in common") from error
        size = min(topics, counted.shape[1] - 1, counted.shape[0] - 1)
        if size < 1:
            raise ValueError(f"the texts of {name!r} have no words in common")
        model = TruncatedSVD(size, random_state=0)
        labels = [f"{name}_topic_{each + 1}" for each in range(size)]
        found = pd.DataFrame(model.fit_transform(counted), columns=labels, index=train.index)
        left = pd.concat([left, found], axis=1)
        if right is not None and test is not None:
            told = model.transform(counter.transform(test[name].fillna("").map(str)))
            right = pd.concat([right, pd.DataFrame(told, columns=labels, index=test.index)], axis=1)
    return left, right


def test_texts_of_the_same_words_are_near() -> None:
    train = pd.DataFrame({"a": ["good cheap soup", "cheap good soup", "late cold train", None] * 5})
    test = pd.DataFrame({"a": ["soup good cheap", "cold late train", "quite new"]})
    found, told = text_topics(train, test, columns=["a"], topics=2)
    topics = found[["a_topic_1", "a_topic_2"]].to_numpy()
    assert np.linalg.norm(topics[0] - topics[1]) < np.linalg.norm(topics[0] - topics[2])
    assert np.abs(topics[3]).max() < 1e-9
    assert told is not None
    assert list(told.columns) == list(found.columns)


def test_texts_without_words_are_refused() -> None:
    message = ""
    try:
        text_topics(pd.DataFrame({"a": ["!", "?"]}), columns=["a"])
    except ValueError as error:
        message = str(error)
    assert "'a'" in message


def test_property_the_same_topics_come_a_second_time() -> None:
    generator = np.random.default_rng(28)
    vocabulary = [f"word{each}" for each in range(30)]
    texts = [" ".join(generator.choice(vocabulary, 6)) for _ in range(40)]
    train = pd.DataFrame({"a": texts})
    once, _ = text_topics(train, columns=["a"], topics=4)
    twice, _ = text_topics(train, columns=["a"], topics=4)
    pd.testing.assert_frame_equal(once, twice)
    assert len(once.columns) == 5
