"""Verbs and the rows that record what they say: `bought` and orders, `flew` and flights."""

from __future__ import annotations

from flows.analysis.language.verbs import is_verb
from flows.analysis.language.words import root, singular
from flows.analysis.questions.concepts import word_table
from flows.analysis.questions.names import are_kin
from flows.analysis.questions.people import is_person
from flows.analysis.questions.text import Text

# Verbs, then the nouns of the rows that record them.
_RECORDS_TEXT = """
    buy buys bought purchase purchased purchases order ordered orders sell sells sold: order sale
        purchase invoice line transaction item receipt deal
    pay paid pays: payment invoice transaction
    book booked reserve reserved: booking reservation order
    borrow borrowed lend lent loaned: loan lending rental checkout borrowing
    rent rented hire hired: rental hire loan
    visit visited attend attended came come: visit attendance appointment admission
    use used log logged: usage session login event activity log
    play plays played listened streamed watched: play stream listen view match game fixture
    score scores scored: goal point score
    rate rated review reviewed: rating review
    called complained contacted handle handled: call ticket complaint case task
    work works worked working: assignment shift timesheet task ticket case call
    subscribe subscribed: subscription
    fly flies flew flown flying operate operated operates: flight
    see sees saw seen treat treated treats examine examined: visit appointment consultation
        encounter treatment
    carry carried carries transport transported transports drive drives drove driven: delivery
        shipment trip ride tour
    admit admits: admission
    enrolled enroll attended: enrolment enrollment course registration
    took taken take: enrolment enrollment course registration loan lending checkout
    stood stand stands stopped stops failed fails broke: stoppage downtime breakdown standstill
        interruption outage failure
    ship shipped deliver delivered: shipment delivery
"""
_RECORDS = word_table(_RECORDS_TEXT)
_MADE = frozenset(["ment", "ion", "ation", "al", "ance", "ence", "ure", "y", "ing"])


def recorded(verb: str, text: Text) -> tuple[str, ...]:
    """The datasets whose rows record what a verb says."""
    nouns = _RECORDS.get(verb, ())
    if not nouns and not _may_be_deed(verb):
        return ()
    found = {}
    for words, dataset, _ in text.vocabulary.nouns:
        noun = singular(words[-1])
        if is_person(noun):
            continue  # who borrows is no loan
        if noun in nouns:
            found[dataset] = nouns.index(noun)
        elif len(verb) > 4 and not verb.endswith("s") and _is_made_of(noun, verb):
            found[dataset] = -1
    return tuple(sorted(found, key=lambda each: found[each]))


def _may_be_deed(word: str) -> bool:
    return is_verb(word) or (word.endswith("ed") and len(word) > 6)


def _is_made_of(noun: str, verb: str) -> bool:
    """Whether a noun is of the family of a verb: `movement` of `moved`."""
    stem = verb.removesuffix("ed")
    made = len(stem) > 2 and stem != verb and noun.removeprefix(stem).lstrip("e") in _MADE
    kin = noun.endswith(("ion", "ment")) and are_kin(noun, verb)
    return made or kin or root(noun) == root(verb)


def records(verb: str, text: Text) -> bool:
    """Whether a verb says no more than that there is a row that the question speaks of: `flights
    that were flown`."""
    nouns = _RECORDS.get(verb, ())
    made = _may_be_deed(verb) and len(verb) > 4 and not verb.endswith("s")
    called = {
        name
        for words, name, _ in text.vocabulary.nouns
        if singular(words[-1]) in nouns or (made and _is_made_of(singular(words[-1]), verb))
    }
    if any(singular(word) in nouns for word in text.lowers if word != verb):
        return True  # `goals that they scored`
    return any(dataset in called for at in range(len(text)) for _, dataset, _ in text.nouns(at))
