"""Words around a study that say nothing more than its name does."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.language.vocabulary import UNITS
from flows.analysis.language.words import METHOD_SLOT
from flows.analysis.methods.method import words
from flows.analysis.reading.draft import Draft

AROUND = words(
    """analyse analysis analyze analyzing build calculated check chart closely
    coefficient coefficients computed connection create degree detect detection
    draw evaluate examine explore feature features figure fit fitting generate
    good graph image investigate look looks make method measures measurements model
    most multiple numeric numerical one ones other others pair pairs pairwise perform picture plot
    png predictor predictors quantify rule run simple strength
    strong strongest strongly study test train use used value variable variables visual
    visualise visualize vs well whether column columns split shape shaped spread attributes
    attribute fields field numbers factors factor follow follows come comes separately separate
    highly high low far away lie lies whole between amount amounts please would rather really
    actually overall across each every within inside depending typically usually exactly own
    different differently various according terms respect regard regards level levels
    observations observation dataset data points point like id i'd we'd let's lets quick
    quickly nice nicely version based basis there their compute computing estimate report
    tell interested wonder wondering question help understand mean means saying say thing
    e.g i.e"""
) - words("mean means")


def drop_around(draft: Draft, more: frozenset[str]) -> None:
    """Take the words out of the line that only go with the study."""
    around = AROUND | more | {METHOD_SLOT.text}
    kept = [word for word in draft.line.split() if word not in around]
    draft.line = " ".join(kept) or "_"


_NOUN = re.compile(r"[a-z]{4,}s")
# `by shoe size` at the end, where other groups are made: each word weighs so much.
_LAST_GROUP = re.compile(r"(?<!\S)(?:by|per|across|for each) (?P<words>[a-z]+(?: [a-z]+)?)\W*$")
_OTHER_GROUP: Final = 0.35


def weigh(
    left: list[tuple[str, float]], draft: Draft, before: str, text: str, *, filtered: bool,
    grouped: bool = False,
) -> list[tuple[str, float]]:  # fmt: skip
    """Unexplained words, each with the doubt that it leaves.

    Where rows are `filtered`, a noun beside the filter only says what the rows are (`in benign
    tumours`); a unit says no more than its number. A word right before a column (`the adjusted
    price`; `before` is the line with columns) makes another thing of it; one that a column in
    brackets explains (`wealth per head (gdp)`) is explained. Where the rows are `grouped`, what
    else they are to be grouped by at the end leaves an answer in part.
    """
    line = draft.line.split()
    last = _LAST_GROUP.search(draft.line) if grouped else None
    others = last["words"].split() if last else []
    found = []
    for word, weight in left:
        places = [at for at, each in enumerate(line) if each == word]
        beside = any(at and re.fullmatch(r"F\d+|_", line[at - 1]) for at in places)
        things = bool(_NOUN.fullmatch(word)) and beside and filtered
        if re.search(rf"(?<!\S){re.escape(word)} [CT]\d", before):
            weight = 1.0
        if re.search(rf"\b{re.escape(word)}(?: \w+)? \(\w", text, re.IGNORECASE):
            weight = 0.1
        if word in others:
            weight = min(weight, _OTHER_GROUP)
        found.append((word, min(weight, 0.3) if things or word in UNITS else weight))
    return found
