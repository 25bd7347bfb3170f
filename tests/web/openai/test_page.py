"""The Python of docs/openai.md, against the real command."""

from __future__ import annotations

import re

import pytest

from tests.cli.command import PROJECT, environment, python
from tests.web.serving import TOKEN, Serving


@pytest.mark.long("the real command, and a program that asks it")
def test_the_program_of_the_page_gets_an_answer(service: Serving) -> None:
    page = (PROJECT / "docs" / "openai.md").read_text("utf-8")
    block = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert block is not None
    program = block[1].replace("http://127.0.0.1:8000", service.url).replace("the token", TOKEN)
    ended = python("-c", program, cwd=service.folder, env=environment())
    assert "The total amount is 45." in ended.out, ended.err
