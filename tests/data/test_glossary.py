"""Questions in the words of the data, and words that are learned."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from flows.data.meaning.glossary import Glossary
from flows.data.meaning.meanings import Meaning, read_teaching
from flows.errors import SourceError

HEAD = "keyword,keyword_in_the_data,entity\n"
TERMS = HEAD + (
    "Omega,OMEGA,brand\n"
    "the big O,OMEGA,brand\n"
    "omega watches,Omega Watches Ltd,\n"
    "US,United States,country\n"
    'Café,"CAFE, ""X""",outlet\n'
)
TEACH = """\
import sys
from pathlib import Path
from flows.data.meaning.glossary import Glossary
path, first = Path(sys.argv[1]), sys.argv[2]
for number in range(40):
    Glossary(path).learn(f"{first} {number}", f"V{number}", "kind")
    Glossary(path).learn("both", "SAME", "kind")
"""


def glossary(folder: Path, text: str | bytes = TERMS) -> Glossary:
    path = folder / "glossary_terms.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Glossary(path)


@pytest.mark.parametrize(
    ("asked", "read_as"),
    [
        (
            "What are the sales of Omega?",
            "What are the sales of OMEGA where 'OMEGA' is a brand?",
        ),
        ("sales of omega", "sales of OMEGA where 'OMEGA' is a brand"),
        ("The Big  O per year!", "OMEGA per year where 'OMEGA' is a brand!"),
        ("Omega's sales (all)?", "OMEGA's sales (all) where 'OMEGA' is a brand?"),
        ("omega watches per year", "Omega Watches Ltd per year"),
        (
            "Sales of Omega in the US.",
            "Sales of OMEGA in the United States where 'OMEGA' is a brand and "
            "'United States' is a country.",
        ),
        (
            "Omega vs. omega in Jan. 2024? And the US!",
            "OMEGA vs. OMEGA in Jan. 2024 where 'OMEGA' is a brand? And the United States where "
            "'United States' is a country!",
        ),
        ("sales of Café", 'sales of CAFE, "X" where \'CAFE, "X"\' is an outlet'),
    ],
)
def test_a_question_is_read_with_the_words_of_the_data(
    tmp_path: Path, asked: str, read_as: str
) -> None:
    known = glossary(tmp_path)
    found = known.rewrite(asked)
    assert found.question == read_as
    assert found.terms
    assert known.rewrite(read_as).question == read_as  # and not a second time


@pytest.mark.parametrize(
    "asked",
    [
        "tell us the total",
        "sales of omegas",
        "sales of omega-3 and of omega.com",
        "write to me@omega",
        "Omega Watches Ltd per year",
        "",
    ],
)
def test_what_is_not_the_word_stays_as_it_is(tmp_path: Path, asked: str) -> None:
    found = glossary(tmp_path).rewrite(asked)
    assert (found.question, found.terms) == (asked, ())


def test_a_keyword_is_found_however_its_letters_are_composed(tmp_path: Path) -> None:
    asked = unicodedata.normalize("NFD", "Sales of Café?")
    assert "CAFE" in glossary(tmp_path).rewrite(asked).question


def test_a_script_without_blanks_has_no_word_ends(tmp_path: Path) -> None:
    known = glossary(tmp_path, HEAD + "\u6b27\u7c73,OMEGA,brand\n")
    asked = "\u6b27\u7c73\u7684\u9500\u552e\uff1f"
    assert known.rewrite(asked).question == "OMEGA\u7684\u9500\u552e where 'OMEGA' is a brand\uff1f"


def test_variants_of_a_keyword_have_rows_of_their_own(tmp_path: Path) -> None:
    known = glossary(tmp_path, HEAD + "Max,Max Mara,brand\nmax,MAX(price),measure\n")
    assert "'Max Mara' is a brand" in known.rewrite("sales of Max").question
    assert "'MAX(price)' is a measure" in known.rewrite("the max of it").question


def test_of_two_meanings_the_named_kind_counts_and_else_the_newest(tmp_path: Path) -> None:
    known = glossary(tmp_path, HEAD + "Omega,Omega Ltd,supplier\nOmega,OMEGA,brand\n")
    newest = known.rewrite("sales of Omega")
    assert newest.question == "sales of OMEGA where 'OMEGA' is a brand"
    assert [each.value for each in newest.others] == ["Omega Ltd"]
    named = known.rewrite("sales of the supplier Omega")
    assert named.question == "sales of the supplier Omega Ltd where 'Omega Ltd' is a supplier"


@pytest.mark.parametrize(
    "text",
    [
        TERMS.encode("utf-8-sig"),
        TERMS.encode("utf-16"),
        TERMS.replace("\n", "\r\n").encode(),
        b"Entity;Keyword;Keyword in the data\nbrand;Omega;OMEGA\n\n",
        b"keyword\tnote\tvalue\tentity\nOmega\tmine\tOMEGA\tbrand",
    ],
    ids=["mark", "utf-16", "crlf", "semicolons", "tabs"],
)
def test_files_as_programs_write_them_are_read(tmp_path: Path, text: bytes) -> None:
    known = glossary(tmp_path, text)
    assert known.rewrite("of Omega").question == "of OMEGA where 'OMEGA' is a brand"
    known.learn("new", "NEW", "brand")
    assert "'NEW' is a brand" in Glossary(known.path).rewrite("of new").question
    assert "'OMEGA' is a brand" in Glossary(known.path).rewrite("of Omega").question


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("keyword,value\nOmega,OMEGA\n", 1, "lacks entity"),
        ("Omega,OMEGA,brand\n", 1, "lacks keyword"),
        (HEAD + "Omega,OMEGA\n", 2, "2 values for 3 columns"),
        (HEAD + "Omega,OMEGA, Ltd,brand\n", 2, "quotes"),
        (HEAD + '\nOmega,"OMEGA,brand\n', 3, "cannot be read"),
        (HEAD + "a,b,c\n,OMEGA,brand\n", 3, "the keyword is empty"),
        (HEAD + "Omega,,brand\n", 2, "the keyword_in_the_data is empty"),
        (HEAD + 'Omega,"a\nb",brand\n', 2, "line breaks"),
        (b"keyword,keyword_in_the_data,entity\nCaf\xe9,X,y\n", 2, "not UTF-8"),
    ],
)
def test_a_wrong_file_is_an_error_with_its_line(
    tmp_path: Path, text: str | bytes, line: int, said: str
) -> None:
    known = glossary(tmp_path, text)
    with pytest.raises(SourceError, match=said) as error:
        known.rewrite("anything")
    assert f"glossary_terms.csv:{line}: " in str(error.value)


def test_it_learns_into_a_file_that_it_makes(tmp_path: Path) -> None:
    known = Glossary(tmp_path / "words.csv")
    assert known.rewrite("sales of Omega").question == "sales of Omega"
    assert not known.path.exists()
    assert str(known.learn("Omega", "OMEGA, the brand", "brand")).startswith("learned: ")
    assert known.path.read_text() == HEAD + 'Omega,"OMEGA, the brand",brand\n'
    assert "OMEGA, the brand" in known.rewrite("sales of Omega").question


def test_what_it_knows_is_not_added_again_and_another_meaning_is_kept(tmp_path: Path) -> None:
    known = glossary(tmp_path, HEAD + "Omega,OMEGA,brand")
    assert not known.learn("Omega", "OMEGA", "Brand").added
    other = known.learn("Omega", "Omega Ltd", "supplier")
    assert other.added
    assert "before, it meant 'OMEGA' (brand)" in str(other)
    text = HEAD + "Omega,OMEGA,brand\nOmega,Omega Ltd,supplier\n"
    assert known.path.read_text() == text
    assert known.rewrite("of Omega").question == "of Omega Ltd where 'Omega Ltd' is a supplier"
    assert known.learn("Omega", "OMEGA", "brand").added  # what was said last counts
    assert known.rewrite("of Omega").question == "of OMEGA where 'OMEGA' is a brand"


@pytest.mark.parametrize(
    "meaning", [("", "X", "y"), ("a", " ", "y"), ("a\x1b[31m", "X", "y"), ("?!", "X", "y")]
)
def test_what_cannot_be_a_row_is_refused(tmp_path: Path, meaning: tuple[str, str, str]) -> None:
    known = glossary(tmp_path)
    with pytest.raises(SourceError, match="cannot learn"):
        known.learn(*meaning)
    assert known.path.read_text() == TERMS


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no folder"):
        Glossary(tmp_path / "none" / "words.csv").learn("a", "b")


def test_a_link_and_the_file_behind_it_stay_what_they_are(tmp_path: Path) -> None:
    real = glossary(tmp_path).path
    real.chmod(0o660)
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    Glossary(link).learn("new", "NEW")
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o660
    assert real.read_text() == TERMS + "new,NEW,\n"


@pytest.mark.long("data of some size, read and asked in workers")
def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    started = [
        subprocess.Popen([sys.executable, "-c", TEACH, str(path), name]) for name in ("a", "b")
    ]
    assert [each.wait(timeout=100) for each in started] == [0, 0]
    lines = path.read_text().splitlines()
    rows = [f"{name} {number},V{number},kind" for name in "ab" for number in range(40)]
    assert lines[0] == HEAD.strip()
    assert sorted(lines[1:]) == sorted([*rows, "both,SAME,kind"])


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("by Omega I mean OMEGA (brand)", Meaning("Omega", "OMEGA", "brand")),
        ("By the big O, I meant OMEGA, a brand.", Meaning("the big O", "OMEGA", "brand")),
        ("by 'Omega' I mean \"OMEGA Ltd\"", Meaning("Omega", "OMEGA Ltd", "")),
        ("by Omega I mean OMEGA", None),
        ("by it I mean OMEGA (brand)", None),
        ("by big I mean more than 1000", None),
        ("by region please", None),
        ("only the year 2007", None),
        ("", None),
    ],
)
def test_a_sentence_that_teaches(said: str, meaning: Meaning | None) -> None:
    assert read_teaching(said) == meaning
