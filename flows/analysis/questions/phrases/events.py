"""What happened to rows, and so which of their times is meant: `cancelled`, `signups`, `hired`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.words import singular
from flows.analysis.questions.parts import EventPart, NounPart, PlacedPart
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef

_END = "end ended cancelled canceled cancel cancellation churned churn left leaving exit expiry"
_RESOLVED = "resolved closed completed finished resolution solved completion closing"
_START = "signed signup sign registered registration joined subscribed start started onboarded"
_VERBS: Phrases[str] = Phrases({
    f"{_END} terminated termination quit resigned departure expired closed":
        "cancel|cancels|cancelled|canceled|churn|churned|quit|left|leave|resign|resigned"
        "|terminate|terminated|expire|expired|ended|get cancelled|was cancelled|were cancelled",
    f"{_START} created": "sign up|signed up|signing up|register|registered|join|joined|subscribe"
        "|subscribed|onboarded",
    "hire hired joined start started joining hiring": "hire|hired|recruit|recruited|were hired",
    f"{_RESOLVED} end ended": "resolve|resolved|solved|close|closed|complete|completed|finished",
    "created opened received arrived arrival reported raised open submitted":
        "arrive|arrived|arriving|come in|came in|opened|created|received|raised|reported|submitted"
        "|are opened|get opened|are created|do we receive",
    "shipped ship shipping shipment dispatched": "ship|shipped|dispatched",
    "delivered delivery": "deliver|delivered",
    "paid payment": "were paid|was paid|got paid",
})  # fmt: skip
_NOUNS: Phrases[str] = Phrases({
    f"{_END} terminated termination quit departure": "cancellation|cancellations|churns|leavers"
        "|departures|terminations|new cancellations",
    f"{_START} created": "signup|signups|sign ups|sign up|registration|registrations|new signups"
        "|new sign ups|new registrations",
    "hire hired joined start": "hire|hires|new hires|new hire|joiners",
    "shipped ship shipping": "shipments", "delivered delivery": "deliveries",
})  # fmt: skip
# Rows to which it has not happened yet.
_STATES: Phrases[str] = Phrases({
    f"{_END} terminated termination departure": "current|currently|active|ongoing|still active"
        "|currently active|not cancelled",
    _RESOLVED: "open|unresolved|still open|currently open|not resolved|not yet resolved",
})  # fmt: skip


def read_event(text: Text, at: int) -> Iterator[PlacedPart]:
    """`cancelled`, `signups`, `current`: the time of which it is asked, or that has not come."""
    if (noun := text.phrase(_NOUNS, at)) is not None:
        for field, cost in _times(text, noun[0]):
            yield PlacedPart(EventPart(field, True), at, noun[1], cost)
    word = text.word(at)
    if word.endswith("s") and (one := singular(word)) != word:
        for name in text.vocabulary.names:  # `arrivals`
            if name.role == "time" and name.words == (one,) and isinstance(name.operand, FieldRef):
                yield PlacedPart(EventPart(name.operand, True), at, at + 1, 0.03)
    if (verb := text.phrase(_VERBS, at)) is not None:
        for field, cost in _times(text, verb[0]):
            yield PlacedPart(EventPart(field), at, verb[1], cost + 0.03)
    if (state := text.phrase(_STATES, at)) is not None:
        plain = text.word(at) in ("current", "currently")
        for field, cost in _times(text, state[0]):
            said = 0.0 if plain else cost + 0.05
            yield PlacedPart(EventPart(field, happened=False), at, state[1], said)


def _times(text: Text, words: str) -> Iterator[tuple[FieldRef, float]]:
    """The times whose names say that it happened then."""
    wanted = words.split()
    for name in text.vocabulary.names:
        if name.role == "time" and isinstance(name.operand, FieldRef):
            places = [wanted.index(each) for each in name.words if each in wanted]
            if places:
                yield name.operand, 0.05 + 0.005 * min(places)


def read_new(text: Text, at: int) -> Iterator[PlacedPart]:
    """`new tickets`: the rows, by the time at which they came."""
    if text.word(at) == "new":
        for end, dataset, cost in text.nouns(at + 1):
            made = text.vocabulary.model.dataset(dataset)
            if made is not None and made.time:
                yield PlacedPart(NounPart(dataset), at, end, cost + 0.05)
