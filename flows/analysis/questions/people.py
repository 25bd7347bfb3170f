"""Persons: which rows and fields are people, and what people do."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.words import singular, split_identifier
from flows.analysis.questions.concepts import word_table
from flows.semantics.model import Dataset, SemanticField

_PERSONS_TEXT = """
    accountant actor advisor adviser agent analyst applicant artist assignee attendee author
    boss borrower buyer candidate captain cashier caller chief child client clerk coach
    colleague composer consultant contact contractor coordinator customer developer director
    doctor donor driver editor employee engineer expert founder guest handler head holder
    instructor interviewer judge landlord lawyer lead leader lecturer librarian lodger manager
    mechanic member mentor nurse officer operator organizer owner parent participant partner
    passenger patient people performer person photographer physician pilot player principal
    producer professor programmer publisher recipient reader recruiter referee rep reporter
    representative requester respondent responsible resident reviewer rider runner salesman
    salesperson scientist secretary seller sender singer speaker sponsor staff student
    subscriber superior supervisor supporter surgeon teacher technician tenant trainer
    translator user vet visitor volunteer voter waiter winner worker writer
"""
_PERSONS = frozenset(_PERSONS_TEXT.split())
# What people do, then the words for those who do it.
_DOERS_TEXT = """
    run runs ran lead leads led head heads headed charge responsible: manager head lead leader boss
        chief director owner responsible supervisor operator
    operate operates operated: operator
    manage manages managed supervise supervises supervised: manager supervisor boss lead head
    handle handles handled solve solved solves resolve resolved fix fixed answer answered assigned:
        agent assignee rep handler employee technician staff owner worker engineer operator
    buy buys bought order orders ordered purchase purchased: customer client buyer user
    sell sells sold: seller salesperson rep salesman agent employee
    write writes wrote written: author writer composer
    compose composes composed: composer artist
    sing sings sang sung perform performs performed play plays played:
        artist singer performer player
    teach teaches taught: teacher instructor professor lecturer trainer
    own owns owned: owner holder
    drive drives drove driven: driver
    treat treats treated examine examined: doctor physician nurse vet surgeon
    borrow borrows borrowed: borrower member reader
    rent rents rented: tenant renter customer
    send sends sent: sender
    receive receives received: receiver recipient
    win wins won: winner
    mentor mentors mentored: mentor
    build builds built make makes made produce produces produced manufacture manufactured:
        manufacturer maker builder producer vendor brand
    supply supplies supplied deliver delivers delivered: supplier vendor courier driver
    publish publishes published: publisher
    host hosts hosted: host
    approve approves approved: approver
    request requests requested: requester requestor
    review reviews reviewed: reviewer
    report reports reported: reporter
    create creates created: creator author
    organize organizes organized organise organises organised: organizer organiser
"""
_CALLED = frozenset(["name", "id", "code", "no", "number", "full"])
_FIRST = frozenset(["first", "given", "forename", "firstname", "vorname", "fname"])
_LAST = frozenset(["last", "family", "surname", "lastname", "nachname", "lname"])


_DOERS = word_table(_DOERS_TEXT)


def is_person(word: str) -> bool:
    """Whether a noun calls a person."""
    return singular(word) in _PERSONS


def doers_of(verb: str) -> tuple[str, ...]:
    """The words for persons who do what a verb says; none for a verb that is not known."""
    if verb in _DOERS or not verb.endswith("ed") or len(verb) < 6:
        return _DOERS.get(verb, ())
    stem = verb[:-2]  # `directed`: the director
    return (stem + "or", stem + "er", stem + "r")


def is_of_people(dataset: Dataset) -> bool:
    """Whether the rows of a dataset are persons."""
    called = (dataset.noun, dataset.plural, *dataset.words)
    return any(is_person(split_identifier(each)[-1]) for each in called if each) or bool(
        _full_name(dataset)
    )


def persons_in(dataset: Dataset, wanted: tuple[str, ...] = ()) -> Iterator[SemanticField]:
    """The fields of a row that name persons, or one of those `wanted`: `manager`, `sold_by`."""
    for each in dataset.fields:
        if each.type == "text" and each.role in ("category", "text"):
            words = [word for word in split_identifier(each.name) if word not in _CALLED]
            if words and (is_person(words[-1]) or words[-1] == "by" or does((words[-1],), wanted)):
                yield each


def does(field_words: tuple[str, ...], persons: tuple[str, ...]) -> bool:
    """Whether a name calls one of these persons."""
    return any(singular(word) in persons for word in field_words)


def names_of(dataset: Dataset) -> tuple[str, ...]:
    """The fields by which people call a row: the first and the last name, or its label."""
    if full := _full_name(dataset):
        return full
    name = dataset.label or (dataset.key[0] if len(dataset.key) == 1 else "")
    return (name,) if name else ()


def _full_name(dataset: Dataset) -> tuple[str, ...]:
    first = [each.name for each in dataset.fields if _is_name(each, _FIRST)]
    last = [each.name for each in dataset.fields if _is_name(each, _LAST)]
    return (first[0], last[0]) if len(first) == len(last) == 1 else ()


def _is_name(field: SemanticField, kinds: frozenset[str]) -> bool:
    words = split_identifier(field.name)
    return words[0] in kinds and (len(words) == 1 or words[1] == "name") and len(words) < 3
