"""What a GGUF file says of itself, and what is no whole one."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.models.llama.gguf import NotGGUF, read_model_file
from tests.models.gguf_files import write_gguf


def test_the_head_says_the_context_and_what_a_token_takes(tmp_path: Path) -> None:
    found = read_model_file(write_gguf(tmp_path / "small.gguf", context=4096, layers=3))
    assert (found.architecture, found.context) == ("llama", 4096)
    keys_and_values, half = 2 * 64, 2
    assert found.cache_per_token == 3 * keys_and_values * half


def test_a_file_that_takes_the_place_of_another_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    assert read_model_file(write_gguf(path, context=512)).context == 512
    assert read_model_file(write_gguf(path, context=1024, values=128)).context == 1024


@pytest.mark.parametrize("cut", [1, 200, 256])
def test_a_file_that_has_lost_its_end_is_told_from_a_whole_one(tmp_path: Path, cut: int) -> None:
    with pytest.raises(NotGGUF, match=r"is cut: it has [\d,]+ bytes, and its model needs [\d,]+"):
        read_model_file(write_gguf(tmp_path / "small.gguf", cut=cut))


def test_every_head_that_is_cut_or_damaged_is_none(tmp_path: Path) -> None:
    whole = write_gguf(tmp_path / "small.gguf").read_bytes()
    path = tmp_path / "damaged.gguf"
    for length in range(0, 250, 7):
        path.write_bytes(whole[:length])
        with pytest.raises(NotGGUF):
            read_model_file(path)
    told: list[str] = []
    for place in range(4, 200, 3):
        path.write_bytes(whole[:place] + b"\xff" * 9 + whole[place + 9 :])
        try:
            read_model_file(path)
        except NotGGUF as error:
            told.append(str(error))
    assert told
    assert all(each.startswith(("is ", "has ")) for each in told)
