"""Plays a script: which turn answers a request, and what is left."""

from __future__ import annotations

from dataclasses import replace

from flows.models.fake.answer import ClientRequest, FakeAnswer, refusal
from flows.models.fake.script import Script, ScriptTurn


class Player:
    """Answers each request with the first turn that is left and that is for it.

    When there is none, the answer is status 410, or the script begins again, as `on_end` says.
    It is asked by one thread at a time, which `FakeModel` sees to.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._played = [0] * len(script.turns)

    def __call__(self, request: ClientRequest) -> FakeAnswer:
        at = self._turn_for(request)
        if at is None and self._script.on_end == "repeat" and not self._is_open():
            self._played = [0] * len(self._played)
            at = self._turn_for(request)
        if at is None:
            return self._none()
        self._played[at] += 1
        turn = self._script.turns[at]
        return replace(turn.answer(), note=f"turn {at + 1} of {len(self._played)}: {turn.label}")

    def left(self) -> tuple[str, ...]:
        """The turns that were not played, or not as often as they say."""
        turns = enumerate(self._script.turns)
        return tuple(self._said(at, turn) for at, turn in turns if self._lacks(at, turn))

    def _turn_for(self, request: ClientRequest) -> int | None:
        for at, turn in enumerate(self._script.turns):
            may = turn.repeat == "always" or self._played[at] < turn.repeat
            if may and turn.match.takes(request):
                return at
        return None

    def _is_open(self) -> bool:
        """Whether a turn is still waiting for its request."""
        return any(self._lacks(at, turn) for at, turn in enumerate(self._script.turns))

    def _lacks(self, at: int, turn: ScriptTurn) -> bool:
        return self._played[at] < (1 if turn.repeat == "always" else turn.repeat)

    def _said(self, at: int, turn: ScriptTurn) -> str:
        times = "" if turn.repeat in (1, "always") else f", {self._played[at]} of {turn.repeat}"
        return f"turn {at + 1} ({turn.label}{times})"

    def _none(self) -> FakeAnswer:
        left = self.left()
        if not left:
            count = len(self._played)
            problem = f"the script is at its end: all its turns ({count}) were played"
            return refusal(410, problem, "script_ended")
        problem = f"no turn of the script is for this request; left: {', '.join(left)}"
        return refusal(410, problem, "no_turn")
