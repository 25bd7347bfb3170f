"""Answers that were written down before."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from flows.config.limits import DEFAULT_LIMITS
from flows.config.parse import parse
from flows.config.read import read_text, shown
from flows.config.tree import ListNode, ValueNode
from flows.core.human import Answer, Question
from flows.errors import ConfigError
from flows.human.answers import answer_to
from flows.human.prompt import show
from flows.human.terminal_text import plain

_AFTER_END = {
    "wait": Answer(kind="nobody"),
    "continue": Answer(kind="nobody", go_on=True),
    "quit": Answer(kind="quit"),
}


class ScriptedHuman:
    """Gives the answers of a file in their order, one to each question that is asked.

    A run that goes on asks only what its journal does not answer yet, so its script begins with the
    answer to that. Errors: ConfigError when the file cannot be read as answers.
    """

    class Config(BaseModel):
        """`path` is a text file with one answer a line, or a `.yaml` file with a list of texts."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        path: Path = Field(description="the file of answers, from the working directory")
        after_end: Literal["wait", "continue", "quit"] = Field(
            default="wait", description="what a question after the last answer means"
        )

    def __init__(self, config: ScriptedHuman.Config) -> None:
        self.config = config
        self._answers = iter(read_script(config.path))

    async def ask(self, question: Question) -> Answer:
        if question.reply:
            show(f"{plain(question.reply)}\n")
        text = next(self._answers, None)
        return _AFTER_END[self.config.after_end] if text is None else answer_to(question, text)

    async def aclose(self) -> None:
        """There is nothing to close: the file was read whole."""


def read_script(path: Path) -> tuple[str, ...]:
    """The answers of a file, as they are written. Errors: ConfigError with the place."""
    text = read_text(path)
    if path.suffix.casefold() in (".yaml", ".yml"):
        return _listed(text, shown(path))
    lines = text.replace("\r\n", "\n").split("\n")
    return tuple(lines[:-1] if not lines[-1] else lines)


def _listed(text: str, origin: str) -> tuple[str, ...]:
    tree = parse(text, origin, DEFAULT_LIMITS)
    if tree is None:
        return ()
    if not isinstance(tree, ListNode):
        raise ConfigError("the file of answers must be a list of texts", place=tree.place)
    for item in tree.items:
        if not isinstance(item, ValueNode):
            raise ConfigError("an answer must be a text", place=item.place)
    # `parse` has checked size and form; as answers, `yes`, `5` and `null` are what was typed.
    typed = yaml.load(text, Loader=yaml.BaseLoader)
    return tuple(str(each) for each in typed)
