"""What the cache of vectors keeps, forgets, and survives."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.memory.vector_cache import FILE_NAME, VectorCache

HALVES = [0.5, -0.25, 0.0]


def test_vectors_are_found_by_embedder_and_text(tmp_path: Path) -> None:
    assert VectorCache(tmp_path).keep("one", {"rye": HALVES, "oat": [1.0]})
    cache = VectorCache(tmp_path)
    assert cache.find("one", ["oat", "rye", "rye", "wheat"]) == {"oat": [1.0], "rye": HALVES}
    assert cache.find("other", ["rye"]) == {}


def test_of_too_many_those_that_were_not_used_for_longest_go(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, most=2)
    for text in ("rye", "oat"):
        cache.keep("one", {text: HALVES})
    cache.find("one", ["rye"])
    cache.keep("one", {"wheat": HALVES})
    assert set(cache.find("one", ["rye", "oat", "wheat"])) == {"rye", "wheat"}


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    (tmp_path / FILE_NAME).write_bytes(b"no database " * 1000)
    assert cache.find("one", ["rye"]) == {}
    cache.keep("one", {"rye": HALVES})
    assert cache.keep("one", {"rye": HALVES})
    assert cache.find("one", ["rye"]) == {"rye": HALVES}


def test_where_nothing_can_be_kept_nothing_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    cache = VectorCache(tmp_path / "file")
    assert not cache.keep("one", {"rye": HALVES})
    assert cache.find("one", ["rye"]) == {}


@pytest.mark.parametrize("texts", [[], ["rye"]])
def test_looking_makes_no_folder(tmp_path: Path, texts: list[str]) -> None:
    assert VectorCache(tmp_path / "cache").find("one", texts) == {}
    assert not (tmp_path / "cache").exists()
