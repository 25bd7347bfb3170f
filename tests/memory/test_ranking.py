from __future__ import annotations

from flows.memory.ranking import KeywordIndex, fuse

DOCUMENTS = [
    ("short", "rye yield"),
    ("long", "rye yield " + "and much else about the farm " * 20),
    ("common", "yield of wheat"),
    ("none", "the weather was fine"),
]


def test_rare_words_and_short_texts_weigh_more() -> None:
    index = KeywordIndex(DOCUMENTS)
    assert list(index.search("the rye yield", 10)) == ["short", "common", "long"]
    assert list(index.search("rye", 10)) == ["short", "long"]
    assert list(index.search("wheat yield", 1)) == ["common"]
    assert list(index.search("yield", 1)) == ["short"]


def test_stop_words_alone_find_nothing() -> None:
    assert KeywordIndex(DOCUMENTS).search("the of and was", 10) == {}
    assert KeywordIndex().search("rye", 10) == {}


def test_a_replaced_document_loses_its_words() -> None:
    index = KeywordIndex(DOCUMENTS)
    index.add("short", "nothing grew")
    assert "short" not in index.search("rye yield", 10)
    assert list(index.search("grew", 10)) == ["short"]
    assert len(index) == 4


def test_the_keyword_share_decides_between_vector_and_keyword() -> None:
    similarities = {"near": 0.9, "mid": 0.6, "far": 0.2}
    keywords = {"far": 5.0}
    assert fuse(similarities, keywords, 0.0) == ["near", "mid", "far"]
    assert fuse(similarities, keywords, 0.4)[0] == "near"
    assert fuse(similarities, keywords, 1.0)[0] == "far"


def test_equal_documents_are_ordered_by_id() -> None:
    assert fuse({"b": 0.5, "a": 0.5}, {}, 0.4) == ["a", "b"]
