"""Which of the commands that exist does what: told by their names and declared arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.analysis.loop.agents import Agent
from flows.core.flow import Effect

_TERMS = ("search_term", "query", "tool_input", "term", "topic")
# How the agents of the team are told from other commands that take a task, by their names.
_AGENTS: dict[Agent, str] = {
    "chart": "chart|plot|visual", "model": "model", "insights": "insight", "analyse": "analy",
}  # fmt: skip
_PERSON = re.compile(r"(?:^|_)(?:person|human|user|me)(?:_|$)", re.IGNORECASE)
_WEB = re.compile(r"\b(?:web|internet|online|duckduckgo|ddg|google|news)\b", re.IGNORECASE)
_WIKI = re.compile(r"\bwiki(?:pedia)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CommandOption:
    """A command of the executor: its name, what it is for, the names of its arguments; `declared`
    are the arguments as the executor declares them, `effect` is what it does to the world."""

    name: str
    description: str
    arguments: tuple[str, ...]
    declared: tuple[Mapping[str, Any], ...] = field(default=(), compare=False, repr=False)
    effect: Effect = "once"

    @property
    def term(self) -> str | None:
        """The argument that takes what is searched for, if this command searches."""
        return next((name for name in _TERMS if name in self.arguments), None)


@dataclass(frozen=True, slots=True)
class Commands:
    """All commands, and the questions that the controller has about them."""

    all: tuple[CommandOption, ...]

    @classmethod
    def of(cls, declared: Sequence[Mapping[str, Any]]) -> Commands:
        """From declarations with `name`, `description` and `input_args` (names, or with `name`)."""
        return cls(tuple(_command(each) for each in declared))

    def named(self, name: str) -> CommandOption | None:
        return next((each for each in self.all if each.name == name), None)

    @property
    def question(self) -> CommandOption | None:
        """The command that answers questions about tables."""
        fitting = [
            c for c in self.all
            if "question" in c.arguments and "task" not in c.arguments and c != self.person
        ]  # fmt: skip
        return next((each for each in fitting if each.name == "sql"), next(iter(fitting), None))

    @property
    def describe(self) -> CommandOption | None:
        """The command that gives the overview of the data."""
        return self.named("describe") or next(
            (
                each
                for each in self.all
                if "describ" in each.name and "question" not in each.arguments
            ),
            None,
        )

    @property
    def study(self) -> CommandOption | None:
        """The command that does a task over tables with Python."""
        fitting = [c for c in self.all if "task" in c.arguments and not self.is_agent(c)]
        return next((each for each in fitting if each.name == "python"), next(iter(fitting), None))

    def agent(self, kind: Agent) -> CommandOption | None:
        """The agent of the team for that kind of work."""
        fitting = [
            each for each in self.all
            if {"task", "data"} <= set(each.arguments) and re.search(_AGENTS[kind], each.name, re.I)
        ]  # fmt: skip
        return next((each for each in fitting if each.name == kind), next(iter(fitting), None))

    def is_agent(self, command: CommandOption) -> bool:
        """Whether a command is an agent of the team: it takes a task, and data to work on."""
        return {"task", "data"} <= set(command.arguments)

    @property
    def documents(self) -> CommandOption | None:
        """The agent that looks something up in the run's documents."""
        fitting = [each for each in self.all if self.is_agent(each) and "document" in each.name]
        return next(iter(fitting), None)

    @property
    def profile(self) -> CommandOption | None:
        """The command that profiles tables in full."""
        return self.named("profile")

    @property
    def person(self) -> CommandOption | None:
        """The command that asks the person."""
        return next(
            (
                each
                for each in self.all
                if "question" in each.arguments and _PERSON.search(each.name)
            ),
            None,
        )

    @property
    def own(self) -> tuple[CommandOption, ...]:
        """The commands that are none of those that the controller knows: a run file's own."""
        known = (self.question, self.describe, self.study, self.profile, self.finish, self.person)
        return tuple(
            each for each in self.all
            if each not in known and not each.term and not self.is_agent(each)
            and not {"task", "code"} & set(each.arguments)
        )  # fmt: skip

    @property
    def finish(self) -> CommandOption | None:
        fitting = [each for each in self.all if "answer" in each.arguments]
        return self.named("finish") or next(iter(fitting), None)

    def searches(self, text: str) -> list[CommandOption]:
        """The commands that search outside, the one that the text speaks of first."""
        found = [
            c for c in self.all if c.term and c not in (self.question, self.describe, self.finish)
        ]
        if _WEB.search(text) and not _WIKI.search(text):
            return sorted(found, key=lambda each: bool(_WIKI.search(_spaced(each))))
        return sorted(found, key=lambda each: not _WIKI.search(_spaced(each)))

    def mentioned(self, text: str) -> CommandOption | None:
        """The command that a person's text calls by its name."""
        said = text.casefold()
        words = re.findall(r"\w+", said)
        for each in self.all:
            name = each.name.casefold()
            first = words[:1] == [name] or words[:2] == ["use", name]
            if self.is_agent(each):  # a name such as `model` or `chart` is a word of many texts
                if re.search(rf"\b(?:use|run|call|try) (?:the )?{re.escape(name)}\b", said):
                    return each
            elif name in words and (len(name) > 3 or first or "command" in words):
                return each
        return None


def _spaced(command: CommandOption) -> str:
    return command.name.replace("_", " ")


def _command(declared: Mapping[str, Any]) -> CommandOption:
    arguments = declared.get("input_args") or ()
    details = tuple({"name": a} if isinstance(a, str) else dict(a) for a in arguments)
    names = tuple(str(each["name"]) for each in details)
    return CommandOption(
        str(declared["name"]), str(declared.get("description") or ""), names, details,
        declared.get("effect") or "once",
    )  # fmt: skip


# --- what a part of a goal needs ---------------------------------------------------------------

_OVERVIEW = re.compile(
    r"\b(?:describe|overview|summari[sz]e|schema|structure)\b.*\b(?:data|dataset|tables?|files?|"
    r"sources?|database|columns?|it)\b"
    r"|\b(?:what|which|list|show)\b[^?]*\b(?:data|tables|columns|fields|variables|sources|files|"
    r"datasets?)\b"
    r"[^?]*\b(?:are|is|does|do|have|has|there|available|contain|contains|hold|holds|in|of)\b"
    r"|\b(?:what|which)\b[^?]*\b(?:in|about|does|do|is) (?:the |this |our |my )?(?:data|dataset|"
    r"database|tables?|files?)\b(?! (?:row|of))"
    r"|^\s*describe\b",
    re.IGNORECASE,
)
_SEARCH = re.compile(
    r"\b(?:according to|on|in|from|using|via|with|by) (?:the )?(?:wikipedia|internet|web|"
    r"duckduckgo)\b"
    r"|\b(?:search|look up|google|browse)\b|\bwikipedia\b|\b(?:on the|the) (?:web|internet)\b",
    re.IGNORECASE,
)
_DOCUMENTS = re.compile(
    r"\b(?:documents?|docs|files?|reports?|manuals?|handbooks?|guides?|policy|policies|pdfs?|notes?|"
    r"memos?|contracts?)\b[^?]*\b(?:say|says|said|state|states|tell|tells|mention|mentions|write|"
    r"writes|explain|explains|describe|describes|recommend|recommends)\b"
    r"|\b(?:according to|(?:look |search |written |said |stated )?(?:up )?(?:in|from)) (?:the |"
    r"our |my |these |those )?(?:\w+ )?(?:documents?|docs|manuals?|handbooks?|guides?|"
    r"polic(?:y|ies)|pdfs?|memos?|contracts?)\b",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"^(?:who|what|where|when|why) (?:is|are|was|were|did|does|do|has|have)\b|^tell me (?:more )"
    r"?about\b"
    r"|^(?:explain|define)\b|\bmeaning of\b|^what does .* mean\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"^(?:who|where|when|why)\b", re.IGNORECASE)
_STRIP = re.compile(
    r"\b(?:according to|on|in|from|using|via) (?:the )?(?:wikipedia|internet|web|duckduckgo)\b"
    r"|^(?:please )?(?:search|look up|google|browse|find|find out)\b(?: (?:the )?(?:wikipedia|"
    r"web|internet|online))?(?: (?:for|about|on))?"
    r"|\bwikipedia\b(?: (?:for|about|says about|page of|article on|article about))?|\b(?:search|"
    r"use|ask|look in|with)\b(?= *$)"
    r"|^what (?:does|do)\b(?=.*\bsay about\b)|\bsays? about\b",
    re.IGNORECASE,
)
_QUESTION_HEAD = re.compile(
    r"^(?:who|what|where|which|when) (?:is|are|was|were)\b(?: (?:known|said|written|there to "
    r"know) about)?|^tell (?:me|us) (?:more |something )?about\b"
    r"|^(?:explain|define|describe)\b|^(?:information|facts|something) (?:about|on)\b|^(?:about|"
    r"for)\b|^(?:the|a|an)\b",
    re.IGNORECASE,
)


def asks_overview(text: str) -> bool:
    """Whether a part of a goal asks what the data holds."""
    return bool(_OVERVIEW.search(text)) and not _SEARCH.search(text)


def asks_search(text: str) -> bool:
    """Whether a part of a goal asks outright for a search."""
    return bool(_SEARCH.search(text))


def asks_documents(text: str) -> bool:
    """Whether a part of a goal asks outright what the documents say."""
    return bool(_DOCUMENTS.search(text))


def asks_outside(text: str) -> bool:
    """Whether a part of a goal that no table answers reads like a question of general knowledge."""
    return bool(_OUTSIDE.search(text))


def asks_who(text: str) -> bool:
    """Whether a part of a goal asks for a person, a place, a time or a reason."""
    return bool(_WHO.search(text))


def search_term(text: str) -> str:
    """What to search for: the part without the words that ask for the search."""
    term = text.strip(" ?.!\"'")
    for _ in range(4):
        shorter = re.sub(r"\s+", " ", _STRIP.sub(" ", term)).strip(" ?.!,:;\"'")
        shorter = _QUESTION_HEAD.sub("", shorter).strip(" ?.!,:;\"'")
        if shorter == term or not shorter:
            break
        term = shorter
    return term
