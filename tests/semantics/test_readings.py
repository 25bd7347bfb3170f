"""What questions were read as, kept in a file that a crash may have cut anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from flows.errors import SourceError
from flows.semantics.query import Aggregate, Comparison, Constant, FieldRef, Query
from flows.semantics.readings import Readings

NAME = FieldRef(dataset="meals", field="name")
READ = {
    "How many?": Query(dataset="meals", metrics=(Aggregate(function="count"),)),
    "Whose is \u201cZo\u00eb\u2019s\u201d \U0001f600?": Query(
        dataset="meals",
        where=Comparison(left=NAME, operator="=", right=Constant(value="a\n--- {b}\u2028: 'c'")),
    ),
    "Which: {all}, # or none?": Query(dataset="meals", show=(NAME,)),
}  # fmt: skip


def filled(path: Path) -> list[int]:
    """A file with all readings, and its size before each of them and at the end."""
    sizes, readings = [0], Readings(path)
    for question, request in READ.items():
        assert readings.learn(question, request)
        sizes.append(path.stat().st_size)
    return sizes


@pytest.mark.long("a file is cut at every byte")
def test_a_file_that_is_cut_anywhere_gives_what_was_whole(tmp_path: Path) -> None:
    path = tmp_path / "words.readings.yaml"
    sizes = filled(path)
    content = path.read_bytes()
    assert len(list(yaml.safe_load_all(content.decode()))) == len(READ)
    for cut in range(len(content) + 1):
        path.write_bytes(content[:cut])
        found = [Readings(path).find(question) for question in READ]
        # A document is whole without the end of its line.
        whole = [request if cut >= size - 1 else None
                 for request, size in zip(READ.values(), sizes[1:], strict=True)]  # fmt: skip
        assert found == whole, cut


@pytest.mark.long("a file is cut at every byte")
def test_what_is_learned_after_a_cut_mends_the_file(tmp_path: Path) -> None:
    path = tmp_path / "words.readings.yaml"
    sizes = filled(path)
    content = path.read_bytes()
    for cut in range(len(content) + 1):
        path.write_bytes(content[:cut])
        other = Query(dataset="meals", decimals=cut % 12)
        assert Readings(path).learn("And then?", other)
        kept = sum(cut >= size - 1 for size in sizes[1:])
        assert Readings(path).find("And then?") == other
        assert len(list(yaml.safe_load_all(path.read_text()))) == kept + 1, cut


def test_readings_in_a_persons_own_form_are_read_and_added_to(tmp_path: Path) -> None:
    path = tmp_path / "words.readings.yaml"
    path.write_text("question: How many?\nrequest:\n  kind: query\n  dataset: meals")
    readings = Readings(path)
    assert readings.find("how many") == Query(dataset="meals")
    assert readings.learn("Which?", Query(dataset="shops"))
    assert [Readings(path).find(each) for each in ("How many", "which")] == [
        Query(dataset="meals"), Query(dataset="shops"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["question: [\n", "--- {question: a}\n--- {question: b}\n"])
def test_what_is_wrong_otherwise_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "words.readings.yaml"
    path.write_text(text)
    with pytest.raises(SourceError, match=r"words\.readings\.yaml"):
        Readings(path).find("a")
