"""Where one call of a flow stands in a run, and what it has left there so far."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

from flows.core.artifacts import Artifact
from flows.core.chat import Usage
from flows.core.events import TextArrived
from flows.core.flow import AtomicFlow, Flow
from flows.core.session import Session

PICTURE_KINDS: Final = ("png", "jpg", "jpeg", "gif", "webp")


class CallScope:
    """One call of a flow in a run: its address, its state, its usage and the files that it saved.

    `address` is the path of names and call counters, as in `Executor#2/sql#1`; "" for the top flow.
    """

    # Defaults on the class: few calls set these.
    saved: tuple[Artifact, ...] = ()
    usage: Usage | None = None
    reused = False
    asks_person = False  # and waits for the answer now
    # The states that the flows of this scope fold, where they are not those of the whole run.
    own_states: dict[str, Any] | None = None

    def __init__(
        self, session: Session, flow: Flow | None, address: str, round_number: int
    ) -> None:
        self.session = session
        self.address = address
        self.round = round_number
        self.flow = flow

    @property
    def states(self) -> dict[str, Any]:
        """The folded states that are seen here, by the paths of their flows."""
        return self.session.states if self.own_states is None else self.own_states

    @property
    def state(self) -> Any:
        """The folded state of this flow: what `apply` made of all calls so far."""
        flow = self.flow
        assert flow is not None  # only the scope above the top flow has none, and no flow sees it
        if flow.path in self.states:
            return self.states[flow.path]
        return flow.initial_state() if isinstance(flow, AtomicFlow) else None

    def state_of(self, flow: AtomicFlow) -> Any:
        """The folded state of another flow, to be read only."""
        states = self.states
        return states[flow.path] if flow.path in states else flow.initial_state()

    def transcript(self) -> tuple[str, ...]:
        """What was said in the chats that are seen here, as the flows that keep a chat fold it."""
        return tuple(
            text for state in self.states.values() for text in getattr(state, "transcript", tuple)()
        )

    @property
    def effect_key(self) -> str:
        """The same for this step each time it is tried, and for no other: 32 hex digits."""
        text = f"{self.session.run_id}\x1f{self.address}"
        return blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def stopped(self) -> bool:
        """Whether a person has ended this run early, at a step of it."""
        return self.session.stopped

    def used_seconds(self) -> float:
        """Wall time that the run has used so far, those before a resume included."""
        return round(self.session.meter.elapsed(), 3)

    def read_artifact(self, name: str) -> bytes:
        """The content of an artifact of the run, or of this call. Errors: `JournalError`."""
        return self.session.artifacts.content(self._artifact(name))

    def read_picture(self, name: str) -> bytes:
        """The same of a picture: where it has several forms, the first that is one."""
        artifact = self._artifact(name)
        pictures = (each for each in artifact.files if each.kind in PICTURE_KINDS)
        return self.session.artifacts.content(next(pictures, artifact))

    def _artifact(self, name: str) -> Artifact:
        own = next((each for each in self.saved if each.name == name), None)
        return own or self.session.artifacts.find(name)

    def spend(self, usage: Usage) -> None:
        """Count what a model call cost, at once: it is spent even if the step fails later."""
        self.usage = usage if self.usage is None else self.usage + usage
        self.session.meter.spend(usage)

    def stream(self, text: str) -> None:
        """Show a piece of text that is still being made."""
        if self.session.listeners:
            session = self.session
            session.emit(
                TextArrived(session.run_id, session.next_seq(), self.address, self.round, text)
            )

    def notice(self, text: str) -> None:
        """Tell the person something, in a sentence."""
        self.session.notice(self.address, self.round, text)
