"""What a service does before it takes its first run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import python

CODE = """
import asyncio, sys
from pathlib import Path
from flows.services.hosting.open_service import open_service
from flows.services.hosting.run_host import HostedFile

async def look():
    async with open_service([HostedFile(Path("flow.yaml"))]):
        print("openai" in sys.modules)

asyncio.run(look())
"""
CHAT = """\
_target_: chat
input_interface: {text: str}
human_prompt: say
model: MODEL
"""


@pytest.mark.long("processes of their own, to see what they import")
def test_the_client_of_a_model_is_there_before_its_first_call(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "say.j2").write_text("{#- variables: text -#}\n{{ text }}", "utf-8")
    for model, is_needed in (("model.openai, model: m", True), ("model.offline", False)):
        (tmp_path / "flow.yaml").write_text(CHAT.replace("MODEL", f"{{_target_: {model}}}"))
        ended = python("-c", CODE, cwd=tmp_path)
        assert ended.out == f"{is_needed}\n", ended.err
