"""Variables of the environment, and of a file `.env` beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.config.environment import read_variable
from flows.config.redaction import redact_pieces
from flows.config.secret import resolve_secret
from flows.errors import ConfigError

KEY = "FLOWS_TEST_API_KEY"
VALUE = "sk-Zq93hQx7Lm20"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(KEY, raising=False)
    return tmp_path


def test_the_file_is_asked_for_what_is_not_set(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_variable(KEY) is None
    (here / ".env").write_text(f"# keys\nexport {KEY}='{VALUE}'\nEMPTY=\nALONE\n")
    assert read_variable(KEY) == VALUE
    assert read_variable("EMPTY") == ""
    assert read_variable("ALONE") is None
    monkeypatch.setenv(KEY, "of the environment")
    assert read_variable(KEY) == "of the environment"


def test_a_secret_of_the_file_is_hidden_and_is_in_no_environment(here: Path) -> None:
    (here / ".env").write_text(f"{KEY}={VALUE}\n")
    assert resolve_secret(f"${{env:{KEY}}}") == VALUE
    assert VALUE not in redact_pieces(f"refused: {VALUE}")
    assert KEY not in os.environ
    shown = subprocess.run(
        [sys.executable, "-c", "import os; print(dict(os.environ))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert VALUE not in shown.stdout


def test_what_others_would_read_changes_nothing(here: Path) -> None:
    """A folder of a stranger must not say where keys are sent."""
    (here / ".env").write_text(
        "OPENAI_BASE_URL=http://127.0.0.1:1\nHTTPS_PROXY=http://127.0.0.1:1\n"
    )
    read_variable(KEY)
    assert not {"OPENAI_BASE_URL", "HTTPS_PROXY"} & os.environ.keys()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"A=1\nthis is no line\n", r"\.env:2.*NAME=VALUE"),
        (b"A='open\n", r"\.env:1.*NAME=VALUE"),
        (b"A=\xff\n", "UTF-8"),
    ],
)
def test_a_file_that_is_wrong_is_said(here: Path, content: bytes, said: str) -> None:
    (here / ".env").write_bytes(content)
    with pytest.raises(ConfigError, match=said) as raised:
        read_variable(KEY)
    assert "open" not in str(raised.value)


def test_a_folder_of_that_name_is_an_environment_of_python(here: Path) -> None:
    (here / ".env").mkdir()
    assert read_variable(KEY) is None
