"""The encoding of a text file: told by its mark, its bytes, and what its letters look like."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import IO

from flows.data.files.file_kinds import wide_encoding

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BLOCK = 1 << 20
_SAMPLE = 64 * 1024
_LINE_KEPT = 2000
_SURE = 0.6
_WESTERN = frozenset("äöüßéèêëàâáãåæçíìîïñóòôõøœúùûýÿÄÖÜÉÈÊËÀÂÁÃÅÆÇÍÌÎÏÑÓÒÔÕØŒÚÙÛÝ")
_EASTERN = frozenset("ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽőűŐŰöüÖÜăâîșțşţđĐ")
_SIGNS = frozenset("\u2018\u2019\u2013\u00d7\u00a0“”„—…€•°²³½¼£§©®«»¿¡µ±ºª")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec's name; `sure` is False where another one could be as right. `nul` says that there
    are NUL characters, which belong to no text."""

    codec: str
    sure: bool = True
    nul: bool = False


def encoding_of(head: bytes, stream: Callable[[], Iterator[bytes]]) -> Encoding:
    """The encoding of a text that begins with `head`; `stream` gives all of it, in blocks."""
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return Encoding(codec)
    if wide := wide_encoding(head):
        return Encoding(wide)
    sample, nul = _lines_not_utf8(stream())
    found = _guess(sample) if sample else Encoding("utf-8")
    return replace(found, nul=nul)


def blocks(file: IO[bytes]) -> Iterator[bytes]:
    """A file's content, a block at a time."""
    while block := file.read(_BLOCK):
        yield block


def _lines_not_utf8(parts: Iterator[bytes]) -> tuple[bytes, bool]:
    """Lines with bytes beyond ASCII, if one of them is no UTF-8, else nothing; and whether there
    are NUL bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    kept = bytearray()
    broken = nul = False
    tail = b""
    for part in parts:
        nul = nul or b"\x00" in part
        try:
            if not broken and not (part.isascii() and decoder.getstate()[0] == b""):
                decoder.decode(part)
        except UnicodeDecodeError:
            broken = True
        if not part.isascii() or tail:
            *lines, tail = (tail + part).split(b"\n")
            for line in lines:
                if len(kept) < _SAMPLE and not line.isascii():
                    kept += line[:_LINE_KEPT] + b"\n"
            tail = tail[:_LINE_KEPT]
        if broken and len(kept) >= _SAMPLE:
            return bytes(kept), nul
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        broken = True
    return (bytes(kept + tail) if broken else b""), nul


def _guess(sample: bytes) -> Encoding:
    """The encoding whose text looks most like a language; charset-normalizer's if none does."""
    lines = sample.split(b"\n")
    if sum(_decodes("utf-8", line) for line in lines if line) > 0.9 * len(lines):
        return Encoding("utf-8", sure=False)
    scored = [(_score(codec, sample), codec) for codec in _JUDGES]
    best, codec = max(scored, key=lambda each: each[0])
    if best >= _SURE:
        close = [other for score, other in scored if score > best - 0.02 and other != codec]
        return Encoding(codec, sure=not close)
    from charset_normalizer import from_bytes

    found = from_bytes(sample).best()
    if found is not None and found.encoding not in ("utf_8", "ascii") and best <= 0.2:
        return Encoding(found.encoding, sure=False)
    # Every byte means something in latin-1, so that nothing is lost of a broken text.
    return Encoding("cp1252" if _decodes("cp1252", sample) else "latin-1", sure=False)


def _decodes(codec: str, sample: bytes) -> bool:
    try:
        sample.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _score(codec: str, sample: bytes) -> float:
    """From 0 to 1: how usual the characters beyond ASCII are in this encoding's languages."""
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 4:
            return 0.0
        text = sample[: error.start].decode(codec)
    judge = _JUDGES[codec]
    total, count = 0.0, 0
    for before, character, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if character > "\x7f":
            alone = not (before.isalpha() or after.isalpha())
            total += judge(character, before) * (_alone(character) if alone else 1.0)
            count += 1
    return total / count if count else 0.0


def _alone(character: str) -> float:
    """How usual a character is with no letter beside it: few words have one letter, and most that
    look so are signs of another encoding, as in `5 €`."""
    if character.isupper():
        return 0.2
    if character.islower():
        return 0.6
    return 0.8 if character.isalpha() else 1.0


def _western(character: str, before: str) -> float:
    if character in _WESTERN:
        # A large letter after a small one, or several with accents, is how others look misread.
        if before in _WESTERN:
            return 0.4
        return 0.2 if character.isupper() and before.islower() else 1.0
    return 0.9 if character in _SIGNS else 0.0


def _eastern(character: str, before: str) -> float:
    if character in _EASTERN:
        return 0.2 if character.isupper() and before.islower() else 0.99
    return 0.85 if character in _SIGNS else 0.0


def _script(name: str) -> Callable[[str, str], float]:
    """For alphabets with small and large letters: large ones begin words."""

    def judge(character: str, before: str) -> float:
        if not unicodedata.name(character, "").startswith(name):
            return 0.85 if character in _SIGNS else 0.0
        if before.isascii() and before.isalpha():
            return 0.1
        if character.islower():
            return 1.0
        return 0.2 if before.islower() else 0.6 if before.isupper() else 0.95

    return judge


def _east_asian(
    codec: str, first: int, last: int, own: tuple[str, ...]
) -> Callable[[str, str], float]:
    """For double bytes: the common characters have a first byte from `first` to `last`."""

    def judge(character: str, _: str) -> float:
        name = unicodedata.name(character, "")
        if name.startswith(("FULLWIDTH", "IDEOGRAPHIC")) or character in "「」、。・ー“”《》":
            return 0.8
        encoded = character.encode(codec)
        if name.startswith(("HIRAGANA", "KATAKANA", "HALFWIDTH", "HANGUL")):
            usual = codec != "cp949" or (first <= encoded[0] <= last and encoded[1] >= 0xA1)
            return 1.0 if usual and name.startswith(own) else 0.1
        if len(encoded) != 2 or not first <= encoded[0] <= last:
            return 0.1
        # With a second byte of ASCII it is rare in this encoding, or one sign and a letter: `°C`.
        return 0.5 if codec == "gb18030" and encoded[1] < 0xA1 else 0.93

    return judge


# From the usual to the rare: the first of equals is taken.
_JUDGES: dict[str, Callable[[str, str], float]] = {
    "cp1252": _western,
    "cp1250": _eastern,
    "iso8859_2": _eastern,
    "cp1251": _script("CYRILLIC"),
    "koi8_r": _script("CYRILLIC"),
    "cp866": _script("CYRILLIC"),
    "cp1253": _script("GREEK"),
    "cp932": _east_asian("cp932", 0x88, 0x97, ("HIRAGANA", "KATAKANA")),
    "gb18030": _east_asian("gb18030", 0xB0, 0xD7, ()),
    "big5": _east_asian("big5", 0xA4, 0xC6, ()),
    "cp949": _east_asian("cp949", 0xB0, 0xC8, ("HANGUL",)),
    "euc_jp": _east_asian("euc_jp", 0xB0, 0xCF, ("HIRAGANA", "KATAKANA")),
    "cp1255": _script("HEBREW"),
    "cp1256": _script("ARABIC"),
    "cp850": _western,
}
