"""Reads a person's words with the turns before them: a remark, a reference, or a new question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.analysis.analyst.left_out import left_out_of
from flows.analysis.analyst.proposal import Analyst
from flows.analysis.conversation.choice import choose
from flows.analysis.conversation.context import Context
from flows.analysis.conversation.courtesy import asks_help, courtesy
from flows.analysis.conversation.explanation import explain
from flows.analysis.conversation.figures import change_figure
from flows.analysis.conversation.merge import subject, without_empty
from flows.analysis.conversation.method import apply_method
from flows.analysis.conversation.plan import is_separate, plan
from flows.analysis.conversation.recall import recall
from flows.analysis.conversation.reference import refer
from flows.analysis.conversation.remark import change
from flows.analysis.conversation.superlative import ranked_of
from flows.analysis.conversation.topic import named_datasets, narrowed, restate
from flows.analysis.conversation.turn import ConversationTurn, TurnOption, TurnReading
from flows.analysis.conversation.vague import break_down, clarify, introduce
from flows.analysis.parser.exact import words
from flows.semantics.check import check
from flows.semantics.query import Comparison, Query, conjuncts
from flows.semantics.request import REQUEST, Request

# A remark that is no question by itself; a question that stands alone is not read as one.
_SURE: Final = 0.7
_MOST_OPTIONS: Final = 4
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
# No preference among the options of a question back.
_ANY: Final = re.compile(
    r"^\W*(?:(?:any|either|whatever|whichever)(?: (?:of (?:them|these|those)|one|you (?:like|want)|"
    r"is fine))?|you (?:choose|pick|decide)|(?:i )?(?:don'?t|do not) (?:know|care|mind)|no idea|"
    r"(?:it )?(?:does not|doesn'?t) matter|not sure|surprise me|all the same)\W*$",
    re.IGNORECASE,
)
_SUMMARY: Final = re.compile(
    r"^\W*(?:please |can you |could you |now |give me |show me |write |make )*(?:an? |the )?(?:"
    r"(?:executive )?summary|summari[sz]e|sum up|write (?:it|that|this) up)(?: (?:it|that|this|of "
    r"(?:it|that|this)|everything|please))*\W*$",
    re.IGNORECASE,
)
# What is counted is what was said last.
_COUNTED: Final = re.compile(
    r"^\W*(?:and |so |but )?how (?:many|much) (?:is|are|was|were) "
    r"(?:that|it|those|these|they|there)\W*$",
    re.IGNORECASE,
)
_UNANSWERED: Final = "What was asked last has no answer that this could be about."
_LOST: Final = (
    "What was asked before can no longer be asked of this data, so this is read by itself."
)
_NOTHING_BEFORE: Final = (
    "Nothing was answered before that this could go on with: ask for it in a whole question."
)
_WHO: Final = re.compile(r"^\W*(?:and |but |so )?who(?:m|se)?\b", re.IGNORECASE)
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
        if asks_help(text):
            return TurnReading(kind="text", text=introduce(self.analyst))
        if reply := courtesy(text):
            return TurnReading(kind="text", text=reply)
        last = turns[-1] if turns else None
        if last is not None and last.options:
            chosen = choose(text, last.options)
            if chosen is not None:
                return self._chosen(chosen)
            if (other := self._like(text, last.options)) is not None:
                return other
            if _ANY.match(text):
                first = last.options[0]
                said = f"You left it open, so this is what was likeliest: {first.label}."
                return self._chosen(first).model_copy(update={"assumed": said})
        answered = [each for each in turns if each.has_answer]
        if _SUMMARY.match(text) and (told := [e.summary for e in answered if e.summary]):
            return TurnReading(kind="text", text=told[-1])
        model = self.analyst.model
        asked = [each for each in answered if each.request]
        before = [each for each in asked if each.request and not check(each.request, model)]
        topic = _TOPIC.match(text)
        if topic:
            return self._ask(text[topic.end() :])
        if before and turns[-1].status in ("abstained", "failed") and _COUNTED.match(text):
            return TurnReading(kind="decline", text=_UNANSWERED, question=text)
        if before:
            return self._follow(text, before)
        alone = self._ask(text)
        if asked:
            return alone.model_copy(update={"assumed": _LOST})
        if alone.kind == "decline" and _REMARK.match(text):
            return alone.model_copy(update={"text": _NOTHING_BEFORE})
        return alone

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
        if (method := apply_method(text, context)) is not None:
            yield self.reading(method, follows=True)
        if (reason := explain(text, context)) is not None:
            yield self.reading(reason, follows=True)
        if (ranked := ranked_of(text, context)) is not None and context.fits(ranked):
            yield self.reading(ranked, follows=True)
        changed = change(text, context)
        if changed is not None and _REMARK.search(text) and not _WHOLE.match(text):
            yield self.reading(changed, follows=True)
        referred = refer(text, context)
        if referred is not None and not _says_nothing(text, referred):
            yield self.reading(referred, follows=True)
        own = self._ask(_named(text, context))
        if own.kind != "answer":
            yield self._of_last(text, context)
        if own.kind == "answer" and own.confidence >= _SURE:
            yield own
        if changed is not None:
            yield self.reading(changed, follows=True)
        yield own

    def _of_last(self, text: str, context: Context) -> TurnReading | None:
        """A question that says of no table which it is about, read as about that of the last turn
        and its rows; None where it cannot be."""
        query = context.query
        if query is None or len(self.analyst.model.datasets) == 1:
            return None
        over = narrowed(self.analyst, query.dataset)
        read = reading_of(text, over.propose(text), over)
        return read if read.kind == "answer" and read.confidence >= _SURE else None

    def reading(self, request: Request, *, follows: bool = False) -> TurnReading:
        if isinstance(request, Query):
            request = without_empty(request)
        said = words(request, self.analyst.model)
        return TurnReading(kind="answer", question=said, request=request, confidence=0.9,
                           follows=follows)  # fmt: skip

    def _ask(self, text: str) -> TurnReading:
        """A question by itself."""
        text = _OPENING.sub("", text)
        if (options := clarify(text, self.analyst)) is not None:
            return options
        if is_separate(text, self.analyst) and self.plan(text):
            return TurnReading(kind="answer", question=text, confidence=_SURE)
        read = self._alone(text)
        plain = _ANALYSE.sub(" ", text).strip()
        if read.kind == "decline" and plain != text:  # `analyse the salary by department`
            again = self._alone(plain)
            read = again if again.kind == "answer" else read
        if read.kind == "decline" and self.plan(text):
            return TurnReading(kind="answer", question=text, confidence=_SURE)
        return self._about_one(text, read) if read.kind == "decline" else read

    def _about_one(self, text: str, declined: TurnReading) -> TurnReading:
        """The text read as about one table: the one that it names, by its main figure where that is
        all it says; else of all tables those in which it can be answered."""
        model = self.analyst.model
        if (restated := restate(text, self.analyst)) is not None:
            read = self._alone(restated[0])
            if read.kind == "answer":
                return read.model_copy(update={"assumed": restated[1]})
        if len(model.datasets) == 1:
            return declined
        named = named_datasets(text, self.analyst)
        found = {
            each: reading_of(text, over.propose(text), over)
            for each in named or [each.name for each in model.datasets]
            for over in (narrowed(self.analyst, each),)
        }
        fitting = {
            name: each
            for name, each in found.items()
            if each.kind == "answer" and each.request and each.confidence >= _SURE
        }
        if len(fitting) == 1:
            [(name, read)] = fitting.items()
            return read.model_copy(update={"assumed": f"Only {name} has what this asks for."})
        if len(fitting) < 2:
            return declined
        options = tuple(
            TurnOption(label=f"in {name}: {each.question}", question=each.question,
                       request=each.request)
            for name, each in fitting.items()
        )  # fmt: skip
        return TurnReading(kind="clarify", text="In which table?", question=text,
                           options=options[:_MOST_OPTIONS])  # fmt: skip

    def plan(self, text: str) -> tuple[TurnReading, ...]:
        """The tasks of a text that asks for several things; empty for one that asks for one."""
        return plan(text, self.analyst, self._alone)

    def _alone(self, text: str) -> TurnReading:
        read = reading_of(text, self.analyst.propose(text), self.analyst)
        if read.kind == "answer" and read.request and _says_nothing(text, read.request):
            why = f"The data do not say what is asked: they would only give {read.question}."
            return TurnReading(kind="decline", text=why, question=text)
        return read


def _says_nothing(text: str, request: Request) -> bool:
    """Whether what was read is no answer to the question: a figure where it asks for somebody, or
    what it names itself."""
    if not isinstance(request, Query):
        return False
    if request.metrics and not request.by and not request.rank:
        return _WHO.match(text) is not None
    fixed = {subject(each) for each in conjuncts(request.where) if isinstance(each, Comparison)}
    return bool(request.show) and not request.metrics and set(request.show) <= fixed


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
                       confidence=made["confidence"], left_out=left_out_of(made))  # fmt: skip
