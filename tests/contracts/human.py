"""What every way of asking a person does. A test of one inherits `HumanContract`.

class TestMine(HumanContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Human]:
        yield MyHuman(MyHuman.Config(...))

`opened` gives one that answers some questions and then is at its end, whatever that means for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from flows.core.human import Answer, Human, Question

MANY = 20


def question(number: int, text: str = "Is this right?") -> Question:
    return Question(id=f"HumanFeedback#{number}", text=text)


async def ask_many(human: Human, texts: list[str]) -> list[Answer]:
    answers = [await human.ask(question(i, text)) for i, text in enumerate(texts, 1)]
    await human.aclose()
    return answers


class HumanContract:
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Human]:
        raise NotImplementedError("say how the one under test is opened")

    def test_it_speaks_the_protocol(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as human:
            assert isinstance(human, Human)

    def test_each_question_has_an_answer_that_fits_its_kind(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as human:
            answers = asyncio.run(ask_many(human, ["Is this right?"] * MANY))
        assert len(answers) == MANY
        for answer in answers:
            assert answer.text == answer.text.strip()
            assert answer.kind == "text" or answer.text == ""
            assert answer.kind == "nobody" or not answer.go_on
            assert "\x1b" not in answer.text

    def test_nobody_stays_nobody(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as human:
            answers = asyncio.run(ask_many(human, ["Is this right?"] * MANY))
        kinds = [answer.kind for answer in answers]
        if "nobody" in kinds:
            assert set(kinds[kinds.index("nobody") :]) == {"nobody"}

    def test_any_text_may_be_asked(self, tmp_path: Path) -> None:
        texts = ["", " ", "a\nb", "\x1b[2J\x1b]0;title\x07", "[bold]<b>{}", "\ud800", "x" * 5000]
        with self.opened(tmp_path) as human:
            answers = asyncio.run(ask_many(human, texts))
        assert len(answers) == len(texts)

    def test_questions_at_once_are_all_answered(self, tmp_path: Path) -> None:
        async def ask(human: Human) -> list[Answer]:
            asked = (human.ask(question(i)) for i in range(MANY))
            return list(await asyncio.wait_for(asyncio.gather(*asked), 20))

        with self.opened(tmp_path) as human:
            assert len(asyncio.run(ask(human))) == MANY

    def test_it_serves_one_event_loop_after_another(self, tmp_path: Path) -> None:
        async def ask(human: Human) -> list[Answer]:
            return list(await asyncio.gather(human.ask(question(1)), human.ask(question(2))))

        with self.opened(tmp_path) as human:
            assert len(asyncio.run(ask(human)) + asyncio.run(ask(human))) == 4

    def test_closing_twice_is_fine(self, tmp_path: Path) -> None:
        async def close(human: Human) -> None:
            await human.aclose()
            await human.aclose()

        with self.opened(tmp_path) as human:
            asyncio.run(close(human))

    def test_its_config_is_frozen_and_knows_its_keys(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as human:
            config: type[BaseModel] = type(human).Config  # type: ignore[attr-defined]  # by convention
            assert config.model_config["frozen"] is True
            with pytest.raises(ValidationError):
                config.model_validate({"no_such_key": 1})
