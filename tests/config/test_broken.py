"""Every row of the table of broken configs: place, config path, problem, alternatives."""

from pathlib import Path

import pytest

from flows.errors import ConfigError
from tests.config.broken import CASES, Case


def write(folder: Path, case: Case) -> tuple[str, int, int] | None:
    """Write the files of a case without their marks; give file, line and column of the mark."""
    marked = None
    for name, content in case.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
            continue
        before, mark, after = content.partition("«")
        if mark:
            line = before.count("\n") + 1
            marked = (name, line, len(before) - (before.rfind("\n") + 1) + 1)
        file.write_bytes((before + after.replace("»", "", 1)).encode())
    return marked


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES])
def test_says_what_is_wrong_and_where(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    marked = write(tmp_path, case)

    with pytest.raises(ConfigError) as caught:
        case.act(Path(), case)

    error = caught.value
    assert case.problem in error.problem
    if case.place is not None:
        assert case.place in str(error.place or "")
    else:
        assert marked, "a case needs a mark or a place"
        assert error.place
        assert (error.place.origin, error.place.line, error.place.column) == marked
    if case.path is not None:
        assert error.path == case.path
    assert set(case.allowed) <= set(error.allowed)
    if case.meant is not None:
        assert error.meant == case.meant


def test_the_table_is_long_enough() -> None:
    assert len(CASES) >= 40
    assert len({name for name, _ in CASES}) == len(CASES)
