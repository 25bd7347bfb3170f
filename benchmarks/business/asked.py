"""Questions with what a right answer has to find: the lines that `flows eval` reads."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Finding = dict[str, Any]
Half = Literal["", "tuning", "held"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question over data, with or without documents. `half` is set where it is not by lot."""

    id: str
    question: str
    data: tuple[str, ...]
    findings: tuple[Finding, ...]
    docs: str = ""
    difficulty: str = ""
    half: Half = ""

    def line(self) -> dict[str, Any]:
        """The question as a line of a file of cases."""
        values = asdict(self)
        del values["half"]
        return {name: value for name, value in values.items() if value != ""}


def driver(name: str, among: int, target: str = "") -> Finding:
    """It counts among the first ones, and the reader is told of it."""
    return {"driver": name, "among": among, **({"target": target} if target else {})}


def no_driver(name: str, among: int) -> Finding:
    """It is nowhere among the first ones."""
    return {"no_driver": name, "among": among}


def direction(name: str, sign: Literal["+", "-"], of: str) -> Finding:
    """With more of it there is more (+) or less (-) of the other."""
    return {"direction": name, "sign": sign, "of": of}


def number(*values: float, within: float = 0.01) -> Finding:
    """A number with an origin is one of these, within a share of it."""
    return {"number": [round(float(value), 6) for value in values], "within": within}


def says(pattern: str, *where: str) -> Finding:
    """The reader is told something that fits the pattern."""
    return {"says": pattern, **({"where": list(where)} if where else {})}


def never_says(pattern: str, *where: str) -> Finding:
    """The reader is told nothing that fits the pattern."""
    return {"never_says": pattern, **({"where": list(where)} if where else {})}


def highest(name: str, among: tuple[str, ...] | list[str]) -> Finding:
    """Of these groups this is said to have the most."""
    return {"highest": name, "among": list(among)}


def lowest(name: str, among: tuple[str, ...] | list[str]) -> Finding:
    """Of these groups this is said to have the least."""
    return {"lowest": name, "among": list(among)}


def model(target: str, metric: str, at_least: float, at_most: float) -> Finding:
    """A model of the target is that good on rows that it has not seen, and not better."""
    bounds = {"at_least": round(at_least, 4), "at_most": round(at_most, 4)}
    return {"model": target, "metric": metric, **bounds}


def document(name: str, among: int = 3) -> Finding:
    """A passage of that document is among the first that the answer rests on."""
    return {"document": name, "among": among}


def spoken(column: str) -> str:
    """The pattern of a column's name, as it is or with spaces."""
    return column.replace("_", "[_ ]")


def twin_warning(twin: str) -> Finding:
    """A caution names the copy and says what it is."""
    twin = spoken(twin)
    said = r"(twin|cop(y|ies)|duplicat|same|redundan|collinear|scaled|rescal|identical|derived)"
    return says(
        rf"(?s)({twin}.*{said}|{said}.*{twin})", "cautions", "insights", "summary", "limits"
    )


UNANSWERED: Finding = {"answered": ["unanswered"]}
ANSWERED: Finding = {"answered": ["answered", "partly"]}
