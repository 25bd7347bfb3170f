"""The values that a question mentions: quoted text, identifiers, numbers, dates, names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from flows.analysis.functions.hints import measure_at
from flows.analysis.functions.terms import is_content, term, word_set
from flows.analysis.language.words import MONTHS, NUMBER_WORDS, SCALES, tokenize
from flows.analysis.language.words import number as number_of

MentionKind = Literal[
    "quoted",
    "list",
    "url",
    "email",
    "date",
    "month",
    "time",
    "code",
    "number",
    "name",
    "phrase",
]

_QUOTED = (
    r"\"(?P<q1>[^\"]+)\"|\u201c(?P<q2>[^\u201d]+)\u201d|(?<![\w'])'(?P<q3>(?:[^']|'(?=\w))+)'(?!\w)"
    r"|`(?P<q4>[^`]+)`|\u2018(?P<q5>[^\u2019]+)\u2019"
)
_URL = r"https?://[^\s,;'\"]+[\w/]|www\.[^\s,;'\"]+[\w/]"
_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_CODE = (
    r"(?=[\w.:/#-]*\d)(?=[\w.:/#-]*[^\W\d])[^\W_][\w]*(?:[-_./:#][\w]+)*"  # letters and figures
    r"|\d+(?:[-:]\d+)+"  # 098-293
    r"|[^\W\d_][^\W_]*(?:_[^\W_]+)+|[A-Z]{2,}(?:-[A-Z]{2,})+|(?<![\w.,])(?:0\d{3,}|\d{7,})(?![\w.,]\d|\w)"
)
# Small letters in parts, as in the names of pages and users: `gull-loft`, `m.keane`.
_SLUG = r"(?<![\w.@/-])[a-z]+(?:-[a-z]+)+(?![\w@-])|(?<![\w.@/-])[a-z]+(?:\.[a-z]{2,})+(?![\w@-])"
# Parts of words that are written so and name nothing.
_COMPOUNDS: Final = word_set("""
    in out up off on to of by down over term time free based well self non re pre co ex part full
    long short high low mid first second third one two three four five six ten old new half wide
    class end day week month year hour minute way like per so ever round side line date
    made friendly only proof sized known paid post anti semi multi inter top ever single double left
    right cross over under open ready round like built hand site call size scale level quality rate
    sold related specific average running standing going
""")
_TIME = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::\d{2})?)?\s?(?P<half>[aApP])\.?[mM]\b\.?"
    r"|(?<![\d:])(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?::[0-5]\d)?(?![\d:])"
)
_DOTTED: Final = re.compile(
    r"(?<![\w.])(?P<y>(?:19|20)\d{2})[./](?P<m>\d{1,2})[./](?P<d>\d{1,2})(?![\w.]*\d)"
)
_MONTH_OF: Final = re.compile(
    rf"\b({'|'.join((*MONTHS, *(each[:3] for each in MONTHS)))})\.?,? (?:of )?((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_LIST: Final = re.compile(r"\[[^\[\]]{1,2000}\]")
_COMPOUND: Final = re.compile(r"(?<![\w-])(\d+)-([a-z]{3,})(?![\w])")
_NUMBER = (
    r"(?<![\w.,])(?P<currency>[$\u20ac\u00a3\u00a5])?\s?(?P<sign>[-\u2212](?=[\d.]))?"
    r"(?P<figures>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+|\d+)(?P<ending>st|nd|rd|th)?"
    r"(?:\s?(?P<percent>%|percent\b)|\s?(?P<scale>k|thousand|million|m|billion|bn)\b(?!\w))?"
)
_CAPITAL = r"[A-Z\u00c0-\u00de][\w'\u2019&.-]*[\w]|[A-Z]"
_NAME = (
    rf"(?<!\w)(?:{_CAPITAL})(?:(?:\s+(?:of|the|de|del|da|di|el|al|bin|le|la|du|van|von|&)){{0,2}}\s+(?:{_CAPITAL})"
    rf"|,\s(?:[A-Z]{{2}})\b|\s+(?=\d)\d+\b(?!\s*%))*"
)
_TOKEN: Final = re.compile(
    rf"(?P<quoted>{_QUOTED})|(?P<url>{_URL})|(?P<email>{_EMAIL})|(?P<time>{_TIME})|(?P<code>{_CODE})"
    rf"|(?P<slug>{_SLUG})|(?P<number>{_NUMBER})"
)
_DOING: Final = re.compile(r"[A-Z][a-z]+ing \d+")  # `Waiting 20 days ...` begins with no name
_WORD: Final = re.compile(r"[^\W_][\w'\u2019&-]*")
_TIGHT_UNIT: Final = re.compile(
    r"(\d+(?:\.\d+)?)(?:kg|g|mg|t|cm|mm|km|m|lbs?|oz|ml|l|hrs?|h|mins?|s|secs?|ms|mph|kmh|kwh?|w|v|hz|"
    r"ft|in|gb|mb|tb|usd|eur|gbp|days?|weeks?|months?|years?|hours?|minutes?)",
    re.IGNORECASE,
)
_UNIT_TIGHT: Final = re.compile(
    r"(\d+(?:\.\d+)?)(?:st|nd|rd|th|k|m|bn|%|[a-z\u00b0/]{1,5})$", re.IGNORECASE
)
_STARTS: Final = word_set("""
    what which who whose when where why how is are was were do does did can could would will
    should please find get show list give tell fetch calculate compute search look check i i'm
    i'd i've my we our the a an in on at for from by of and or if also then after before first
    second finally next last lastly let imagine given suppose provide retrieve create make add
    play order book compare analyze convert determine estimate generate identify need want help
    hey hi hello ok thanks it its this that these those there you your he she they his her their
    but not yes no under within between during with without mr mrs ms dr every each all any some
    train use set update delete remove send buy sell plan predict solve schedule evaluate draw
    plot perform run start stop open close turn measure track discover locate describe explain
    name write read return change translate sort filter count sum
""")


_LONGEST_UNIT: Final = 4
_CODE_LETTERS: Final = 2  # of a country, a language, a state
# Words in capitals that name what follows, or nothing.
_LABELS: Final = word_set("id uuid url uri api sku ids zip ssn am pm i ok faq asap eta email pdf")


@dataclass(frozen=True, slots=True)
class ValueMention:
    """A value in a text. `value` is a number for a number, an ISO date for a date, else the text.

    `before` and `after` are the words around it, folded, the nearest first. `unit` is what a
    number is of: `%`, a currency's sign, or ""; `measure` the unit of measure behind it, or "".
    """

    text: str
    value: str | int | float
    kind: MentionKind
    start: int
    end: int
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    unit: str = ""
    measure: str = ""

    def overlaps(self, start: int, end: int) -> bool:
        return self.start < end and start < self.end


@lru_cache(maxsize=512)
def mentions_of(text: str) -> tuple[ValueMention, ...]:
    """All mentions of a text in order; they do not overlap, but for phrases."""
    found = list(_certain(text))
    covered = text
    for each in found:
        if each.kind != "number":
            covered = covered[: each.start] + "\0" * (each.end - each.start) + covered[each.end :]
    found.extend(_names(covered))
    found.extend(_phrases(text, found))
    found.sort(key=lambda each: each.start)
    return tuple(_with_context(text, each) for each in found)


def _certain(text: str) -> Iterator[ValueMention]:
    """Mentions that their form tells: all but names and phrases."""
    taken: list[tuple[int, int]] = []
    for token in tokenize(text):
        if token.kind == "date":
            taken.append((token.start, token.end))
            yield ValueMention(token.text, str(token.value), "date", token.start, token.end)
    for match in _DOTTED.finditer(text):
        taken.append(match.span())
        iso = f"{match['y']}-{int(match['m']):02d}-{int(match['d']):02d}"
        yield ValueMention(match.group(), iso, "date", *match.span())
    for match in _MONTH_OF.finditer(text):
        if not any(a < match.end() and match.start() < b for a, b in taken):
            taken.append(match.span())
            month = next(
                n for n, each in enumerate(MONTHS, 1) if each.startswith(match[1].casefold()[:3])
            )
            yield ValueMention(match.group(), f"{match[2]}-{month:02d}", "month", *match.span())
    for match in _LIST.finditer(text):
        taken.append(match.span())
        yield ValueMention(match.group(), match.group(), "list", *match.span())
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if any(a < end and start < b for a, b in taken):
            continue
        found = _token(match)
        if found is not None:
            yield found
    for match in _WORD.finditer(text):
        low = match.group().casefold()
        if low in MONTHS and (low not in ("may", "march") or match.group()[0].isupper()):
            if any(a < match.end() and match.start() < b for a, b in taken):
                continue
            month = MONTHS.index(low) + 1
            yield ValueMention(match.group(), month, "number", *match.span(), unit="month")
        if low in NUMBER_WORDS and low not in ("once", "twice", "one"):
            yield ValueMention(match.group(), NUMBER_WORDS[low], "number", *match.span())


def _token(match: re.Match[str]) -> ValueMention | None:
    raw, start, end = match.group(), match.start(), match.end()
    if match["quoted"]:
        inner = next(each for each in (match[f"q{n}"] for n in range(1, 6)) if each)
        return ValueMention(inner.strip(), inner.strip(), "quoted", start, end)
    if match["url"]:
        return ValueMention(raw, raw, "url", start, end)
    if match["email"]:
        return ValueMention(raw, raw, "email", start, end)
    if match["time"]:
        return ValueMention(raw, _clock(match), "time", start, end)
    if match["code"]:
        if compound := _COMPOUND.fullmatch(raw):  # a 3-star hotel
            return ValueMention(
                compound[1], int(compound[1]), "number", start, start + len(compound[1])
            )
        if tight := _TIGHT_UNIT.fullmatch(raw):  # 70kg
            return ValueMention(
                tight[1], number_of(tight[1]), "number", start, start + len(tight[1])
            )
        tight = _UNIT_TIGHT.match(raw)
        if tight and re.fullmatch(r"\d+(?:\.\d+)?(?:st|nd|rd|th|k|m|bn|%)?", raw, re.IGNORECASE):
            return _number_token(raw, start)
        return ValueMention(raw, raw, "code", start, end)
    if match["slug"]:
        parts = re.split(r"[-.]", raw)
        is_word = bool({parts[0], parts[-1]} & _COMPOUNDS) or raw in ("e.g", "i.e")
        return None if is_word else ValueMention(raw, raw, "code", start, end)
    return _number(match)


def _clock(match: re.Match[str]) -> str:
    """A time of the day as HH:MM."""
    if match["h24"]:
        return f"{int(match['h24']):02d}:{match['m24']}"
    hour = int(match["hour"]) % 12 + (12 if match["half"] in "pP" else 0)
    return f"{hour:02d}:{match['minute'] or '00'}"


def _number_token(raw: str, start: int) -> ValueMention | None:
    match = re.compile(_NUMBER).match(raw)
    found = _number(match) if match else None
    return found and ValueMention(
        raw, found.value, "number", start, start + len(raw), unit=found.unit
    )


def _number(match: re.Match[str]) -> ValueMention | None:
    figures = match["figures"]
    value = number_of(figures if figures[0] != "." else f"0{figures}")
    if match["scale"] and (match["scale"].casefold() != "m" or match["currency"]):
        value = value * SCALES[match["scale"].casefold()]
        value = int(value) if value == int(value) else value
    if match["sign"]:
        value = -value
    unit = "%" if match["percent"] else match["currency"] or ""
    lead = len(match.group()) - len(match.group().lstrip())
    end = match.end()
    if match["scale"] in ("m", "M") and not match["currency"]:  # 838 m is a length
        end = match.start("scale")
    said = match.string[match.start() : end].strip()
    return ValueMention(
        said, value, "number", match.start() + lead, match.start() + lead + len(said), unit=unit
    )


def _names(text: str) -> Iterator[ValueMention]:
    """Runs of capitalised words, without the words that stand first in a sentence."""
    for match in re.finditer(_NAME, text):
        start, end = match.span()
        words = list(_WORD.finditer(match.group()))
        skip = 0
        shouted = text.isupper()
        while skip < len(words) and _is_no_name(words[skip].group(), shouted=shouted):
            skip += 1
        if skip == len(words):
            continue
        start += words[skip].start()
        raw = text[start:end].rstrip(".,'\u2019")
        raw = re.sub(r"['\u2019]s$", "", raw)
        low = raw.casefold()
        if (
            _begins_sentence(text, start)
            and " " not in raw
            and is_content(low)
            and raw[1:].islower()
        ) and not re.match(r"[\w]*['\u2019]s\b", text[start:]):
            continue
        if _begins_sentence(text, start) and _DOING.fullmatch(raw):
            continue
        if low in MONTHS or len(raw) < 2 or low in _LABELS or _is_unit(text, start, raw):
            continue
        yield ValueMention(raw, raw, "name", start, start + len(raw))


def _is_unit(text: str, start: int, raw: str) -> bool:
    """Whether capitals say what is counted or measured: `how many MVA`, `, in MVA?`."""
    if not raw.isupper() or len(raw) > _LONGEST_UNIT:
        return False
    before, after = text[:start].rstrip(), text[start + len(raw) :].strip(" ?.!")
    counted = re.search(r"\b(?:many|much)$", before, re.IGNORECASE) is not None
    return counted or (not after and re.search(r",\s*in$", before) is not None)


def _is_no_name(word: str, *, shouted: bool) -> bool:
    """Whether a word that stands first is none of a name's: a verb, an article, a number. Two
    capitals alone are a code (`to NO`, `from IT`), unless the whole text is in capitals."""
    low = word.casefold().replace("\u2019", "'")
    if len(word) == _CODE_LETTERS and word.isupper() and not shouted:
        return low in _LABELS
    return word.isdigit() or low.removesuffix("'s") in _STARTS


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return not before or before[-1] in ".?!:;\n"


def _phrases(text: str, taken: list[ValueMention]) -> Iterator[ValueMention]:
    """Runs of words that carry content and are no other mention."""
    run: list[re.Match[str]] = []
    for match in [*_WORD.finditer(text), None]:
        if match is not None:
            gap = text[run[-1].end() : match.start()] if run else " "
            low = match.group().casefold().replace("\u2019", "'")
            free = not any(each.overlaps(*match.span()) and each.kind != "name" for each in taken)
            if is_content(low) and free and not gap.strip():
                run.append(match)
                continue
        if run:
            start, end = run[0].start(), run[-1].end()
            raw = re.sub(r"['\u2019]s$", "", text[start:end])
            if not any(each.start <= start and start + len(raw) <= each.end for each in taken):
                yield ValueMention(raw, raw, "phrase", start, start + len(raw))
        run = []
        if match is not None and free and is_content(low):
            run = [match]


def _with_context(text: str, each: ValueMention) -> ValueMention:
    unit = text[each.end + (text[each.end : each.end + 1] in (" ", "-")) :]
    before = [word.casefold() for word in _WORD.findall(text[: each.start])][-5:]
    after = [word.casefold() for word in _WORD.findall(text[each.end : each.end + 60])][:4]
    return ValueMention(
        each.text, each.value, each.kind, each.start, each.end,
        tuple(reversed(before)), tuple(after), each.unit,
        measure_at(unit) if each.kind == "number" else "",
    )  # fmt: skip


def mention_at(text: str, start: int, end: int) -> ValueMention:
    """The words at a place of a text as a mention, with those around it."""
    said = text[start:end]
    return _with_context(text, ValueMention(said, said, "name", start, end))


def context_terms(words: tuple[str, ...]) -> tuple[str, ...]:
    """The terms of the words around a mention, "" for those without content."""
    return tuple(term(each) if is_content(each) else "" for each in words)
