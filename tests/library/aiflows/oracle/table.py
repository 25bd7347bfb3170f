"""All cases, and the table of them for the docs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.library.aiflows.oracle.cache_cases import CACHE_CASES
from tests.library.aiflows.oracle.case import REFUSED, Case
from tests.library.aiflows.oracle.chat_cases import CHAT_CASES
from tests.library.aiflows.oracle.flow_cases import FLOW_CASES
from tests.library.aiflows.oracle.key_cases import KEY_CASES
from tests.library.aiflows.oracle.random_cases import SEED, random_cases

RANDOM_CASES: Final = random_cases()
NAMED_CASES: Final = (*KEY_CASES, *FLOW_CASES, *CHAT_CASES, *CACHE_CASES)
_GROUPS: Final = (
    ("Interfaces and transformations", KEY_CASES),
    ("Composites, default configs, payloads", FLOW_CASES),
    ("Prompts and chats", CHAT_CASES),
    ("Calls that are not made again, keys that do nothing", CACHE_CASES),
)


def page() -> str:
    """The cases by group, each with what differs, in Markdown."""
    made = (
        f"{len(RANDOM_CASES)} more are made by a generator from the seed {SEED}: interfaces of up "
        "to seven\ntransformations, and composites in each other. All are the same.\n"
    )
    parts = (part for title, cases in _GROUPS for part in _group(title, cases))
    return "\n".join([*_counts(), *parts, made])


def _counts() -> Iterator[str]:
    """How many cases there are of each kind, and in how many ours differs."""
    yield "| kind | cases | the same | decided otherwise |\n|---|---|---|---|"
    groups = (*_GROUPS, ("Made by a generator", RANDOM_CASES))
    for title, cases in groups:
        differing = sum(bool(each.differs) for each in cases)
        yield f"| {title} | {len(cases)} | {len(cases) - differing} | {differing} |"
    every = [each for _, cases in groups for each in cases]
    differing = sum(bool(each.differs) for each in every)
    yield f"| all | {len(every)} | {len(every) - differing} | {differing} |\n"


def _group(title: str, cases: tuple[Case, ...]) -> Iterator[str]:
    yield f"## {title}\n"
    yield "| case | here | with `compat: aiflows-0.1` |\n|---|---|---|"
    yield from (f"| {each.about} | {_here(each)} | {_compat(each)} |" for each in cases)
    yield ""


def _here(case: Case) -> str:
    if not case.differs:
        return "the same"
    return f"{case.differs} (refused)" if case.here == REFUSED else case.differs


def _compat(case: Case) -> str:
    return "as here" if case.differs and case.always else "the same"
