"""`docs/commands.md` is what the commands say of themselves."""

from __future__ import annotations

import importlib.util

import pytest

from tests.cli.command import PROJECT


@pytest.mark.long("whole runs of the command")
def test_the_page_of_the_commands_is_up_to_date() -> None:
    script = PROJECT / "docs" / "generate.py"
    spec = importlib.util.spec_from_file_location("docs_generate", script)
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    written = (PROJECT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert generate.commands_page() == written, "run: python docs/generate.py"
    for command in generate.COMMANDS:
        assert f"## flows {command.__name__.replace('_', '-')}\n" in written
