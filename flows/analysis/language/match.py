"""How well some words of a question name an identifier."""

from __future__ import annotations

from functools import lru_cache

from flows.analysis.language.vocabulary import SHORT_FORMS, SYNONYMS, UNITS
from flows.analysis.language.words import near, root, singular

# Nouns that a question may add to the name of a column.
_GENERIC = frozenset(
    [
        "number",
        "name",
        "code",
        "id",
        "date",
        "value",
        "amount",
        "level",
        "title",
        "status",
        "score",
        "rate",
    ]
)
_COUNTING = frozenset(["number", "count", "amount", "total"])
# Words that end others without naming their kind: password.
_CLOSING = frozenset(["word", "able", "less", "ness", "like"])
_SMALL = frozenset(["of", "the", "a", "an", "in", "for", "s", "by", "and", "to"])
# Parts that tell columns of one thing apart: leaving one out costs more than leaving out a unit.
_TELLING = frozenset(["id", "code", "number", "name", "date", "first", "last", "key"])


# The usual short forms of the parts of a person's name.
_NAMES = {
    **dict.fromkeys(("fname", "firstname", "forename"), ("first", "name")),
    **dict.fromkeys(("lname", "lastname", "surname"), ("last", "name")),
}


@lru_cache(maxsize=65536)
def match_name(
    words: tuple[str, ...], parts: tuple[str, ...], owner: tuple[str, ...]
) -> tuple[float, str]:
    """A score between 0 and 1 and the reason. All are singular; `owner` are the table's words."""
    if words == parts:
        return 1.0, "the same name"
    if parts[-1] in _NAMES and len(words) > 1:
        parts = (*parts[:-1], *_NAMES[parts[-1]])
    content = tuple(word for word in words if word not in _SMALL)
    if not content or any(word in words and word not in parts for word in ("and", "by")):
        return 0.0, ""
    if "".join(content) == "".join(parts) or singular("".join(parts)) == "".join(content):
        return 0.98, "the same letters"
    written, name = "".join(words), "".join(parts)
    cut = len(words) > 1 and len(name) >= 5 and written.startswith(name)
    inside = cut and not any("".join(words[:size]) == name for size in range(len(words)))
    if inside and len(name) * 3 >= len(written) * 2:
        return 0.93, "the beginning of the words"
    glued = _glued(words, content, parts) or _after_prefix(words, content, parts, owner)
    if glued:
        return glued
    return _by_parts(content, parts, owner, words[-2:] == content[-2:])


def _glued(
    words: tuple[str, ...], content: tuple[str, ...], parts: tuple[str, ...]
) -> tuple[float, str] | None:
    """Names without a border between their parts: fname, dob, custname."""
    name = "".join(parts)
    if len(words) > 1 and len(name) == len(words) and name == "".join(w[0] for w in words):
        return 0.9, "its initials"
    short = _short_ending(content, name) if len(parts) == 1 else None
    if short:
        return short
    last = content[-1]
    if len(parts) > 2 or not name.endswith(last) or len(last) < 3:
        return None
    before = name[: -len(last)]
    if len(parts) == 2 and len(parts[0]) > 1:
        return None
    if len(content) == 2 and before and content[0].startswith(before):
        return 0.92, "a prefix and the word"
    if len(content) == 1 and len(before) in (1, 2):
        return 0.8, "the word after a short prefix"
    return None


def _after_prefix(
    words: tuple[str, ...], content: tuple[str, ...], parts: tuple[str, ...], owner: tuple[str, ...]
) -> tuple[float, str] | None:
    """`first name` for emp_fname of employees: the owner's short form says nothing new."""
    if len(parts) < 2 or len(parts[0]) < 2 or parts[0] in words:
        return None
    if not any(word.startswith(parts[0]) for word in owner):
        return None
    glued = _glued(words, content, parts[1:])
    return (glued[0] * 0.98, glued[1]) if glued and glued[0] > 0.85 else None


def _short_ending(content: tuple[str, ...], name: str) -> tuple[float, str] | None:
    """`flight number` for flno: the beginning of one word and the short form of the other."""
    if len(content) != 2:
        return None
    for short in ("id", *(form for form, word in SHORT_FORMS.items() if word == content[1])):
        before = name[: -len(short)]
        fits = name.endswith(short) and before and content[0].startswith(before)
        if fits and (short != "id" or content[1] in ("id", "identifier")):
            return 0.9, "the beginning of a word and a short form"
    return None


def _by_parts(
    content: tuple[str, ...], parts: tuple[str, ...], owner: tuple[str, ...], close: bool
) -> tuple[float, str]:
    left = list(parts)
    quality = 1.0
    reasons: list[str] = []
    telling = False
    for word in content:
        best, which, why = 0.0, "", ""
        for part in left:
            score, reason = match_word(word, part)
            if score > best:
                best, which, why = score, part, reason
        if best == 0.0:
            if word in owner and len(content) > 1:
                quality *= 0.98
                continue
            if word in _GENERIC and word == content[-1] and reasons and close:
                quality *= 0.9
                continue
            return 0.0, ""
        left.remove(which)
        telling = telling or word not in _COUNTING
        quality *= best
        reasons.append(why)
    if not reasons or (not telling and len(content) > 1):
        return 0.0, ""
    if not left:
        in_order = [w for w in parts if w in content] == [w for w in content if w in parts]
        return quality * (0.97 if in_order else 0.9), ", ".join(dict.fromkeys(reasons))
    cost = sum(_cost(part, owner, content[-1]) for part in left)
    size = max(len(parts), 2)
    return quality * max(0.0, 0.97 - 0.75 * cost / size), "a part of the name"


def _cost(part: str, owner: tuple[str, ...], last: str) -> float:
    if part in owner:
        return 0.12
    if part in UNITS or (part == "other" and last in ("detail", "information")):
        return 0.2
    return 0.8 if part in _TELLING else 0.65


@lru_cache(maxsize=65536)
def match_word(word: str, part: str) -> tuple[float, str]:
    """How well one word names one part of an identifier."""
    if word == part:
        return 1.0, "the same word"
    short = SHORT_FORMS.get(part)
    if short == word:
        return 0.95, "its short form"
    if len(part) >= 3 and len(word) >= 4 and root(word) == root(part):
        return 0.92, "the same stem"
    if len(part) >= 3 and len(word) > len(part) and word.startswith(part):
        return 0.85, "an abbreviation"
    if len(word) >= 3 and len(part) > len(word) + 1 and part.startswith(word) and len(part) < 14:
        return 0.75, "the beginning of the word"
    if len(word) >= 6 and len(part) >= 6 and near(word, part):
        return 0.7, "nearly its spelling"
    if 3 <= len(part) < len(word) and part[0] == word[0] and _is_skeleton(part, word):
        return 0.8, "its consonants"
    if (
        len(word) >= 4
        and len(part) >= len(word) + 3
        and part.endswith(word)
        and word not in _CLOSING
    ):
        return 0.72, "the end of the word"
    if part in SYNONYMS.get(word, ()):
        return 0.8, "another word for it"
    if short and short in SYNONYMS.get(word, ()):
        return 0.75, "another word for its short form"
    return 0.0, ""


def _is_skeleton(part: str, word: str) -> bool:
    """Whether a part is a word without its vowels and some of its letters: crs for course."""
    if any(letter in "aeiou" for letter in part[1:]):
        return False
    place = 0
    for letter in word:
        if place < len(part) and letter == part[place]:
            place += 1
    return place == len(part)
