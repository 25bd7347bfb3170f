"""The glossary: reads a question with the words of the data, and learns new ones."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.data.meaning.meanings import Clause, Meaning, clause_of, find_clauses
from flows.data.meaning.terms import (
    GlossarySheet,
    Term,
    append_row,
    check_meaning,
    held,
    parse_sheet,
    read_all,
    read_sheet,
    row_text,
)
from flows.errors import SourceError

# Scripts that are written without blanks between words.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SENTENCE_END = re.compile(
    r"[?!…]+(?=\s|$)|[\uff1f\uff01\u3002]+|(?<=[\w)\"'%]{2})\.+(?=\s+[^\s\da-z]|\s*$)|\n+",
    re.MULTILINE,
)
_TAIL = re.compile(r"[\s.?!…\uff1f\uff01\u3002]*$")


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A question in the words of the data. `terms` were used, in the order of the question;
    `others` are rows that give one of these keywords another meaning."""

    question: str
    terms: tuple[Term, ...] = ()
    others: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Learned:
    """What became of a lesson. `conflicts` are rows that say another thing of the keyword."""

    meaning: Meaning
    added: bool
    conflicts: tuple[Term, ...] = ()

    def __str__(self) -> str:
        kind = f" ({self.meaning.entity})" if self.meaning.entity else ""
        text = f"'{self.meaning.keyword}' means '{self.meaning.value}'{kind}"
        said = f"learned: {text}" if self.added else f"known already: {text}"
        if not self.conflicts:
            return said
        others = ", ".join(dict.fromkeys(_shown(each) for each in self.conflicts))
        return f"{said}; before, it meant {others}, which stays in the glossary"


class Glossary:
    """The terms of one file, read again when it has changed. Any thread may use it.

    A keyword that is written in capitals is met in capitals only, any other one in any case; a row
    whose keyword is spelled exactly so comes first. Of several rows for one keyword that counts
    whose entity the question names, else the last one: the newest. Errors: `SourceError`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._known: tuple[object, KeywordFinder] | None = None

    def rewrite(self, question: str) -> Rewriting:
        """The question as the data would say it; the same one when no keyword is in it."""
        return self._words().rewrite(question)

    def terms(self) -> tuple[Term, ...]:
        """All rows, in the order of the file."""
        return self._words().terms

    def learn(self, keyword: str, value: str, entity: str = "") -> Learned:
        """Add a row at the end, unless it is what already counts for that keyword.

        Other rows of the keyword stay. Safe with several processes; the row is on the disk then.
        """
        meaning = Meaning(*(" ".join(each.split()) for each in (keyword, value, entity)))
        check_meaning(meaning)
        if not self.path.parent.is_dir():
            raise SourceError(f"the glossary {self.path}: there is no folder {self.path.parent}")
        with held(self.path) as handle:
            sheet = parse_sheet(self.path, read_all(handle))
            same = [each for each in sheet.terms if each.keyword == meaning.keyword]
            conflicts = tuple(each for each in same if not _equal(each, meaning))
            if same and _equal(same[-1], meaning):
                return Learned(meaning, added=False, conflicts=conflicts)
            append_row(handle, _encoded(self.path, sheet, row_text(sheet, meaning)))
        return Learned(meaning, added=True, conflicts=conflicts)

    def _words(self) -> KeywordFinder:
        with self._lock:
            mark = self._mark()
            if self._known is None or self._known[0] != mark:
                self._known = (mark, KeywordFinder(read_sheet(self.path).terms))
            return self._known[1]

    def _mark(self) -> object:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            problem = f"the glossary {self.path} cannot be read: {error.strerror}"
            raise SourceError(problem) from error
        return (found.st_ino, found.st_size, found.st_mtime_ns)


class KeywordFinder:
    """Finds the keywords of some terms in a question."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = tuple(terms)
        self._by_keyword: dict[str, list[Term]] = {}
        for each in terms:
            self._by_keyword.setdefault(_folded(each.keyword), []).append(each)
        # A value stands for itself: what it has in common with a keyword is not replaced in it.
        phrases = {*self._by_keyword, *(_folded(each.value) for each in terms)}
        longest_first = sorted(phrases, key=lambda each: (-len(each), each))
        found = "|".join(_pattern(each) for each in longest_first)
        self._pattern = re.compile(found, re.IGNORECASE) if found else None

    def rewrite(self, question: str) -> Rewriting:
        text = unicodedata.normalize("NFC", question)
        said = self._said(text)
        used = [each for each in self._found(text, said) if each[1] is not None]
        if not used:
            return Rewriting(question)
        known = {(each.value, each.entity) for each in said}
        parts: list[str] = []
        at = 0
        for start, end in _sentences(text, [match.span() for match, _ in used]):
            inside = [each for each in used if start <= each[0].start() < end]
            parts += [text[at:start], _with_terms(text[start:end], start, inside, known)]
            at = end
        rewritten = "".join((*parts, text[at:]))
        if rewritten == text:
            return Rewriting(question)
        terms = tuple(dict.fromkeys(term for _, term in used if term is not None))
        return Rewriting(rewritten, terms, tuple(self._others(terms)))

    def _found(
        self, text: str, said: Sequence[Clause]
    ) -> Iterable[tuple[re.Match[str], Term | None]]:
        """The phrases in a text with the term that each stands for, None for a plain value."""
        if self._pattern is None:
            return
        kept = {each.value for each in said}
        for match in self._pattern.finditer(text):
            in_clause = any(each.start < match.end() and match.start() < each.end for each in said)
            if not in_clause and match.group() not in kept:
                yield match, self._meant(match.group(), text)

    def _said(self, text: str) -> list[Clause]:
        """The meanings that a text says already: in its words, or exactly as they are said here."""
        found = find_clauses(text)
        for each in self.terms:
            clause = clause_of(each.value, each.entity)
            start = text.find(clause) if each.entity else -1
            if start >= 0:
                found.append(Clause(start, start + len(clause), each.value, each.entity))
        return found

    def _meant(self, spelled: str, text: str) -> Term | None:
        rows = self._by_keyword.get(_folded(spelled), [])
        exact = [each for each in rows if _spelling(each.keyword) == _spelling(spelled)]
        fitting = exact or [each for each in rows if not each.keyword.isupper()]
        named = [
            each for each in fitting
            if each.entity and re.search(rf"\b{re.escape(each.entity)}s?\b", text, re.IGNORECASE)
        ]  # fmt: skip
        chosen = named or fitting
        return chosen[-1] if chosen else None

    def _others(self, terms: Sequence[Term]) -> Iterable[Term]:
        """Rows of the same keywords that mean something else than what was chosen."""
        seen = {(term.value, term.entity) for term in terms}
        for term in terms:
            for each in self._by_keyword[_folded(term.keyword)]:
                alike = each.keyword == term.keyword
                if alike and (each.value, each.entity) not in seen:
                    seen.add((each.value, each.entity))
                    yield each


def _with_terms(
    sentence: str,
    start: int,
    used: Sequence[tuple[re.Match[str], Term | None]],
    known: set[tuple[str, str]],
) -> str:
    """A sentence with the data's values, and what kind of thing each is before its last mark."""
    parts: list[str] = []
    clauses: list[str] = []
    at = 0
    for match, term in used:
        if term is None:
            continue
        parts += [sentence[at : match.start() - start], term.value]
        at = match.end() - start
        if term.entity and (term.value, term.entity) not in known:
            known.add((term.value, term.entity))
            clauses.append(clause_of(term.value, term.entity))
    whole = "".join((*parts, sentence[at:]))
    if not clauses:
        return whole
    tail = _TAIL.search(whole)
    end = len(whole) if tail is None else tail.start()
    joint = " and " if find_clauses(whole[:end]) else " where "
    return f"{whole[:end]}{joint}{' and '.join(clauses)}{whole[end:]}"


def _sentences(text: str, taken: Sequence[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Where each sentence begins and ends; a mark inside a keyword ends none."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if any(first <= match.start() < last for first, last in taken):
            continue
        yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _pattern(phrase: str) -> str:
    """A phrase as whole words, whatever blanks are between them."""
    inner = r"\s+".join(re.escape(word) for word in phrase.split())
    joined = re.compile(rf"[^\W{_UNSPACED}]")
    before = r"(?<![\w@#])(?<!\w[-.'\u2019@])" if joined.match(phrase[0]) else ""
    after = r"(?!\w)(?![-.@]\w)" if joined.match(phrase[-1]) else ""
    return f"{before}{inner}{after}"


def _spelling(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _folded(text: str) -> str:
    return _spelling(text).lower()


def _equal(term: Term, meaning: Meaning) -> bool:
    return (term.value, term.entity.casefold()) == (meaning.value, meaning.entity.casefold())


def _shown(term: Term) -> str:
    return f"'{term.value}'" + (f" ({term.entity})" if term.entity else "")


def _encoded(path: Path, sheet: GlossarySheet, row: str) -> bytes:
    try:
        return row.encode(sheet.encoding)
    except UnicodeEncodeError as error:
        raise SourceError(f"the glossary {path} cannot hold half a character") from error
