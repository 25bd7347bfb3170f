"""Reads a person's words with the turns before them: a remark, a reference, or a new question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.conversation.choice import choose
from flows.analysis.conversation.context import Context
from flows.analysis.conversation.courtesy import courtesy
from flows.analysis.conversation.explanation import explain
from flows.analysis.conversation.figures import change_figure
from flows.analysis.conversation.recall import recall
from flows.analysis.conversation.reference import refer
from flows.analysis.conversation.remark import change
from flows.analysis.conversation.superlative import ranked_of
from flows.analysis.conversation.turn import ConversationTurn, TurnOption, TurnReading
from flows.analysis.conversation.vague import break_down, clarify
from flows.analysis.parser.exact import words
from flows.semantics.query import Query
from flows.semantics.request import REQUEST, Request

# A remark that is no question by itself; a question that stands alone is not read as one.
_SURE: Final = 0.7
_REMARK: Final = re.compile(
    r"^\W*(?:and|but|only|just|what about|how about|without|excluding|except|exclude|drop|remove|"
    r"by|per|for|in|top|bottom|as|sort(?:ed)?|order(?:ed)?|round(?:ed)?|no\b|not|rather|instead|"
    r"include|also|with|split|break|drill|make|show only|limit|restrict|(?:plot|draw) (?:it|that|"
    r"this|them)|the (?:first|last|same|other|top|three|two|five)|now by|then|i (?:mean|meant)|"
    r"how (?:does|do) (?:that|this|it|those|they) compare|compared?|what share|what percentage|"
    r"what(?:'s| is) the difference)\b"
    r"|\b(?:is|are) (?:that|those)\b|\bfor (?:each|those)\b\W*$|\bin each\b\W*$",
    re.IGNORECASE,
)
# A whole question that is only put behind the one before it.
_WHOLE: Final = re.compile(
    r"^\W*(?:and|but|so)\s+(?:how (?:many|much)|which|who|what (?:is|was|are|were))\b"
    r"(?!.*\b(?:that|those|these|them|they|their|it|its|each|this|highest|lowest)\b)",
    re.IGNORECASE,
)
_TOPIC: Final = re.compile(
    r"^\W*(?:(?:ok|okay|now|and now|let's)\W+)*(?:(?:for )?something (?:else|different|new)|"
    r"(?:a )?(?:new|different|another) (?:question|topic|subject)|on another (?:note|topic)|"
    r"changing (?:the )?(?:topic|subject)|forget (?:that|it|all that))\W+",
    re.IGNORECASE,
)
_ANALYSE: Final = re.compile(r"\s*\banaly(?:[sz]e|sis)\b(?: of)?(?: the| my| our)?\s*", re.I)
_ONE: Final = re.compile(r"(?<=\w )one\b(?! of\b)", re.IGNORECASE)
_OPENING: Final = re.compile(
    r"^\W*(?:and|but|now|ok|okay|then|next|so|great|thanks|i mean(?:t)?|no)\b[\s,:]*", re.I
)


@dataclass(frozen=True)
class ConversationReader:
    """Reads the turns of one conversation over the data of an analyst."""

    analyst: Analyst

    def read(self, text: str, turns: Sequence[ConversationTurn]) -> TurnReading:
        """What the words mean after the turns before them."""
        if not text.strip():
            return TurnReading(kind="text", text="Ask me a question about your data.")
        if reply := courtesy(text):
            return TurnReading(kind="text", text=reply)
        last = turns[-1] if turns else None
        if last is not None and last.options:
            chosen = choose(text, last.options)
            if chosen is not None:
                return self._chosen(chosen)
            if (other := self._like(text, last.options)) is not None:
                return other
        before = [each for each in turns if each.status == "answered" and each.request]
        topic = _TOPIC.match(text)
        if topic or not before:
            return self._ask(text[topic.end() :] if topic else text)
        return self._follow(text, before)

    def _chosen(self, option: TurnOption) -> TurnReading:
        if option.request is None:
            return self._ask(option.question or option.label)
        return self.reading(option.request, follows=True)

    def _like(self, text: str, options: Sequence[TurnOption]) -> TurnReading | None:
        """A figure that no option has, for a question back about the figure."""
        requests = [each.request for each in options if each.request is not None]
        ranked = [each for each in requests if isinstance(each, Query) and each.rank is not None]
        if len(ranked) != len(options):
            return None
        before = (ConversationTurn(text="", status="answered", request=ranked[0]),)
        changed = change_figure(text, Context(self.analyst, before))
        return None if changed is None else self.reading(changed, follows=True)

    def _follow(self, text: str, before: Sequence[ConversationTurn]) -> TurnReading:
        """A remark or a question after turns that were answered."""
        return next(each for each in self._ways(text, before) if each is not None)

    def _ways(self, text: str, before: Sequence[ConversationTurn]) -> Iterator[TurnReading | None]:
        """The ways in which words can be read after others, the likeliest first."""
        context = Context(self.analyst, before)
        yield break_down(text, context)
        if (again := recall(text, before)) is not None:
            yield self.reading(again, follows=True)
        if (reason := explain(text, context)) is not None:
            yield self.reading(reason, follows=True)
        if (ranked := ranked_of(text, context)) is not None and context.fits(ranked):
            yield self.reading(ranked, follows=True)
        changed = change(text, context)
        if changed is not None and _REMARK.search(text) and not _WHOLE.match(text):
            yield self.reading(changed, follows=True)
        if (referred := refer(text, context)) is not None:
            yield self.reading(referred, follows=True)
        own = self._ask(_named(text, context))
        if own.kind == "answer" and own.confidence >= _SURE:
            yield own
        if changed is not None:
            yield self.reading(changed, follows=True)
        yield own

    def reading(self, request: Request, *, follows: bool = False) -> TurnReading:
        said = words(request, self.analyst.model)
        return TurnReading(kind="answer", question=said, request=request, confidence=0.9,
                           follows=follows)  # fmt: skip

    def _ask(self, text: str) -> TurnReading:
        """A question by itself."""
        text = _OPENING.sub("", text)
        if (options := clarify(text, self.analyst)) is not None:
            return options
        read = reading_of(text, self.analyst.propose(text), self.analyst)
        plain = _ANALYSE.sub(" ", text).strip()
        if read.kind == "decline" and plain != text:  # `analyse the salary by department`
            again = reading_of(plain, self.analyst.propose(plain), self.analyst)
            return again if again.kind == "answer" else read
        return read


def _named(text: str, context: Context) -> str:
    """The text with what the rows are called in the place of `one`."""
    dataset = context.model.dataset(context.query.dataset) if context.query else None
    noun = dataset.noun if dataset is not None and dataset.noun != "row" else ""
    return _ONE.sub(noun, text) if noun else text


def reading_of(text: str, made: Mapping[str, Any], analyst: Analyst) -> TurnReading:
    """What a proposal says of a question."""
    if made["clarify"] is not None:
        asked = made["clarify"]
        options = tuple(TurnOption.model_validate(each) for each in asked["options"])
        return TurnReading(kind="clarify", text=asked["question"], options=options)
    if made["cannot"] is not None:
        return TurnReading(kind="decline", text=made["cannot"], question=text)
    request = None if made["request"] is None else REQUEST.validate_python(made["request"])
    said = text if request is None else words(request, analyst.model)
    return TurnReading(kind="answer", question=said, request=request,
                       confidence=made["confidence"])  # fmt: skip
