"""Questions that want two calls: the result of one gives the argument of the other."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest

from tests.analysis.functions.loop import answer_by_rules

LOANS = {
    "LN-301": {"loan": "LN-301", "reader": 4402, "book": "B-77", "handled_by": "RT", "fee": 2.5},
    "LN-302": {"loan": "LN-302", "reader": 4408, "book": "B-12", "handled_by": "OK", "fee": 0.5},
}
READERS = {
    4402: {"member": 4402, "name": "Ilse Brandt", "town": "Torvik"},
    4408: {"member": 4408, "name": "Per Dahl", "town": "Sundby"},
}
BOOKS = {
    "B-77": {"book": "B-77", "title": "Tides", "publisher": "Halden", "price": 31.0, "pages": 420},
    "B-12": {"book": "B-12", "title": "Kilns", "publisher": "Osmund", "price": 18.0, "pages": 98},
}
STAFF = {"RT": {"initials": "RT", "desk": 4}, "OK": {"initials": "OK", "desk": 9}}
HOUSES = {
    "Halden": {"publisher": "Halden", "country": "Norway"},
    "Osmund": {"publisher": "Osmund", "country": "Chile"},
}


def get_loan(loan: str) -> dict[str, Any]:
    """One loan: the reader, the book, who handled it, the fee.

    Args:
        loan: the number of the loan, such as LN-310
    """
    return LOANS[loan]


def member_by_number(member: int) -> dict[str, Any]:
    """An account: full name and town.

    Args:
        member: the four-digit number (4401 and up)
    """
    return READERS[member]


def get_book(book: str) -> dict[str, Any]:
    """One book of the library: title, publisher, price in euros, pages.

    Args:
        book: the number of the book, such as B-10
    """
    return BOOKS[book]


def who_is(initials: str) -> dict[str, Any]:
    """A librarian by the initials: the desk.

    Args:
        initials: two capital letters, e.g. KB
    """
    return STAFF[initials]


def get_publisher(name: str) -> dict[str, Any]:
    """The country of a publisher.

    Args:
        name: the name of a publisher
    """
    return HOUSES[name]


def list_books_of_publisher(publisher: str) -> list[dict[str, Any]]:
    """All books of a publisher.

    Args:
        publisher: the publisher's name
    """
    return [each for each in BOOKS.values() if each["publisher"] == publisher]


ALL = (get_loan, member_by_number, get_book, who_is, get_publisher, list_books_of_publisher)


@pytest.mark.parametrize(
    ("question", "calls", "value"),
    [
        ("What is the price of the book in loan LN-301?", ["get_loan", "get_book"], "31"),
        # Under another name: a number of four figures is what the other function takes.
        ("In which town does the reader of LN-302 live?", ["get_loan", "member_by_number"],
         "Sundby"),
        ("Where does the reader of LN-301 live?", ["get_loan", "member_by_number"], "Torvik"),
        # By its form alone: two capital letters.
        ("At which desk does whoever handled LN-302 sit?", ["get_loan", "who_is"], "9"),
        # The argument says only `name`: the function's name says of what.
        ("Which country does the publisher of book B-12 come from?", ["get_book", "get_publisher"],
         "Chile"),
        ("From which country is the publisher of the book in LN-301?",
         ["get_loan", "get_book", "get_publisher"], "Norway"),
    ],
)  # fmt: skip
def test_the_result_of_one_call_gives_the_argument_of_the_next(
    question: str, calls: list[str], value: str
) -> None:
    found = answer_by_rules(question, ALL)
    assert value in found.answer.answer
    assert [each.name for each in found.calls] == calls
    assert found.answer.citations


def test_one_call_is_enough_where_its_result_says_it() -> None:
    found = answer_by_rules("What is the fee of loan LN-301?", ALL)
    assert "2.5" in found.answer.answer
    assert [each.name for each in found.calls] == ["get_loan"]


def test_a_function_that_takes_what_was_found_is_searched_for() -> None:
    found = answer_by_rules(
        "How many pages has what was lent with LN-301?", (get_loan, list_books_of_publisher),
        hidden=(get_book,),
    )  # fmt: skip
    assert any("book" in each.lower() for each in found.searches)
    assert "420" in found.answer.answer


def test_whose_key_it_is_does_not_answer_for_what_was_asked() -> None:
    found = answer_by_rules("In which town does the reader of LN-302 live?", (get_loan,))
    assert "4408" not in found.answer.answer
    assert found.answer.lacks


def test_who_it_is_is_no_number() -> None:
    found = answer_by_rules("Who is the reader of LN-302?", ALL)
    assert "Per Dahl" in found.answer.answer


class Visit(TypedDict):
    visit: str
    patient: str
    doctor_id: str


def get_visit(visit: str) -> Visit:
    """One visit, by its number.

    Args:
        visit: the number of a visit, such as V-100
    """
    return {"visit": visit, "patient": "P-7", "doctor_id": "D-3"}


def get_doctor(doctor_id: str) -> dict[str, str]:
    """A doctor of the clinic: name and phone.

    Args:
        doctor_id: the id of a doctor, such as D-1
    """
    return {"D-3": {"doctor_id": "D-3", "phone": "555-0103"}}[doctor_id]


def get_patient(patient: str) -> dict[str, str]:
    """A patient: name and phone.

    Args:
        patient: the id of a patient, such as P-1
    """
    return {"P-7": {"patient": "P-7", "phone": "555-9999"}}[patient]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the doctor's phone for visit V-100?", "555-0103"),
        ("V-100: what is the doctor's phone?", "555-0103"),
        ("What is the phone of V-100's doctor?", "555-0103"),  # V-100 is no D-1
        ("Tell me the patient's phone for V-100.", "555-9999"),
    ],
)
def test_a_record_is_named_by_what_it_is_to_another(question: str, said: str) -> None:
    found = answer_by_rules(question, [get_visit, get_doctor, get_patient])
    assert said in found.answer.answer
    assert found.calls[0].name == "get_visit"
