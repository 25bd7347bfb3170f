"""The facts of one part of a document: asked of the model, and checked against the passages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from flows.analysis.extraction.amounts import amount_at
from flows.analysis.extraction.fields import (
    ROLE,
    FieldMention,
    FieldsReply,
    FoundField,
    NamedField,
)
from flows.analysis.extraction.labels import is_label
from flows.analysis.extraction.rules import open_name
from flows.analysis.extraction.unit_places import written_unit
from flows.analysis.extraction.units import is_unit
from flows.analysis.extraction.values import typed_value
from flows.config.prompts import load_prompts
from flows.core.chat import ChatModel, ChatRequest, Finish, Message
from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    CompositeFlow,
    Effect,
    FlowConfig,
    Parts,
    Ports,
)
from flows.core.reply import ReplySchema
from flows.core.run import Run
from flows.data.documents.passages import DocumentPassage
from flows.library.blocks.reading import ReplyProblem, fit, read_object
from flows.library.documents.config import PROMPTS, DocumentsConfig
from flows.library.documents.read import read_document_text

_SHOWN: Final = 60
# A letter or a digit that is no raised one, which leads to a footnote.
_LETTER: Final = r"[^\W\u00b9\u00b2\u00b3\u2070-\u2079]"
_MARKS: Final = str.maketrans("\u2018\u2019\u201c\u201d\u00a0", "''\"\" ")


class AskPartConfig(AtomicConfig):
    """The keys of asking about a part."""

    description: str = "Asks for the facts of a part."
    fields: tuple[NamedField, ...] = ()
    system_prompt: str
    human_prompt: str
    max_tokens: int | None = None


class PartInputs(Ports):
    """A part of a document, whose passages are in an artifact, and what was wrong with the last
    reply."""

    document: str
    passages: str
    part: int
    last_reply: str = ""
    correction: str = ""


class AskPartOutputs(Ports):
    text: str
    finish: Finish = "stop"


class AskPartFlow(AtomicFlow):
    """Asks the model in the role `document_fields` for what the passages of a part say."""

    needs: ClassVar[Mapping[str, str]] = {"model": "model"}
    # A reply has been paid for: it is on the disk before the run goes on.
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = AskPartConfig
    Inputs: ClassVar[type[Ports]] = PartInputs
    Outputs: ClassVar[type[Ports]] = AskPartOutputs

    def __init__(self, config: AskPartConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.model: ChatModel = parts.service("model", ChatModel)  # type: ignore[type-abstract]
        folders = (*parts.prompt_folders, PROMPTS)
        names = {"system_prompt": config.system_prompt, "human_prompt": config.human_prompt}
        loaded = load_prompts(names, folders)
        self.system, self.human = loaded["system_prompt"], loaded["human_prompt"]
        self.schema = ReplySchema.of(FieldsReply)

    def prompts(self) -> Mapping[str, str]:
        return {each.source.name: each.text for each in (self.system, self.human)}

    async def run(self, inputs: PartInputs, run: Run) -> AskPartOutputs:
        config: AskPartConfig = self.config
        passages = await asyncio.to_thread(_passages, inputs, run)
        said = {
            "document": inputs.document,
            "passages": passages,
            "correction": inputs.correction,
            "last_reply": inputs.last_reply,
        }
        request = ChatRequest(
            messages=(
                Message(role="system", content=self.system.render({"fields": config.fields})),
                Message(role="user", content=self.human.render(said)),
            ),
            role=ROLE,
            inputs={
                "passages": [each.model_dump(exclude_defaults=True) for each in passages],
                "fields": [each.model_dump(exclude_defaults=True) for each in config.fields],
            },
            json_reply=True,
            schema=self.schema,
            max_tokens=config.max_tokens,
        )
        reply = await run.ask_model(self.model, request)
        return AskPartOutputs(text=reply.text, finish=reply.finish)


class CheckPartConfig(AtomicConfig):
    """The keys of checking a reply."""

    description: str = "Checks the facts against the passages."
    fields: tuple[NamedField, ...] = ()


class CheckPartInputs(Ports):
    document: str
    passages: str
    part: int
    text: str
    finish: Finish


class CheckPartOutputs(Ports):
    """The facts that hold, and what is wrong with the others, for the model; "" for nothing."""

    found: tuple[FoundField, ...] = ()
    problem: str = ""


class CheckPartFlow(AtomicFlow):
    """Takes from a reply what the passages say word for word and what fits the field's type."""

    Config: ClassVar[type[FlowConfig]] = CheckPartConfig
    Inputs: ClassVar[type[Ports]] = CheckPartInputs
    Outputs: ClassVar[type[Ports]] = CheckPartOutputs

    async def run(self, inputs: CheckPartInputs, run: Run) -> CheckPartOutputs:
        config: CheckPartConfig = self.config
        try:
            reply = fit(FieldsReply, read_object(inputs.text, inputs.finish))
        except ReplyProblem as problem:
            return CheckPartOutputs(problem=str(problem))
        part = PartInputs(document=inputs.document, passages=inputs.passages, part=inputs.part)
        passages = await asyncio.to_thread(_passages, part, run)
        found, problems = checked(reply, passages, config.fields, inputs.document)
        return CheckPartOutputs(found=found, problem="; ".join(problems))


class ReadPartConfig(FlowConfig):
    """The keys of a reader of parts."""

    description: str = "Reads a part."
    corrections: int = 0


class ReadPartInputs(Ports):
    document: str
    passages: str
    part: int


class ReadPartOutputs(Ports):
    """The facts of a part; `problem` says what the model gave and could not be used."""

    found: tuple[FoundField, ...] = ()
    problem: str = ""


class ReadPartFlow(CompositeFlow):
    """Asks about a part until all of a reply can be used, `corrections` times again; then what of
    the last one can be."""

    Config: ClassVar[type[FlowConfig]] = ReadPartConfig
    Inputs: ClassVar[type[Ports]] = ReadPartInputs
    Outputs: ClassVar[type[Ports]] = ReadPartOutputs

    def __init__(self, config: DocumentsConfig, parts: Parts) -> None:
        super().__init__(ReadPartConfig(corrections=config.corrections), parts)
        asked = AskPartConfig(
            fields=config.named_fields,
            system_prompt=config.system_prompt,
            human_prompt=config.human_prompt,
            max_tokens=config.max_tokens,
        )
        self.ask = AskPartFlow(asked, parts.below("ask"))
        check = CheckPartConfig(fields=config.named_fields)
        self.check = CheckPartFlow(check, Parts("check"))
        self.subflows = {each.name: each for each in (self.ask, self.check)}

    async def run(self, inputs: ReadPartInputs, run: Run) -> ReadPartOutputs:
        config: ReadPartConfig = self.config
        last, problem = "", ""
        found: tuple[FoundField, ...] = ()
        for _ in range(config.corrections + 1):
            part = dict(inputs)
            reply = await run.call(self.ask, {**part, "last_reply": last, "correction": problem})
            told = await run.call(
                self.check, {**part, "text": reply["text"], "finish": reply["finish"]}
            )
            found, before, problem = told["found"], last, told["problem"]
            last = reply["text"]
            if not problem or last == before:
                break
        return ReadPartOutputs(found=found, problem=problem)


def _passages(inputs: PartInputs, run: Run) -> tuple[DocumentPassage, ...]:
    return read_document_text(run.read_artifact, inputs.passages).part(inputs.part)


def checked(
    reply: FieldsReply,
    passages: Sequence[DocumentPassage],
    fields: Sequence[NamedField],
    document: str,
) -> tuple[tuple[FoundField, ...], list[str]]:
    """The facts of a reply that hold, and what is wrong with each other."""
    by_number = {each.number: each for each in passages}
    by_name = {each.name: each for each in fields}
    found: list[FoundField] = []
    problems: list[str] = []
    for each in reply.fields:
        try:
            field = _field(each, by_name)
            passage = _passage(each, by_number)
            value = typed_value(_value(each, field, passage, passages), field)
        except ValueError as error:
            problems.append(f"{each.name[:_SHOWN]!r}: {error}")
        else:
            found.append(
                FoundField(
                    document=document,
                    name=field.name,
                    value=value.value,
                    unit=value.unit,
                    text=each.value,
                    quote=each.quote,
                    passage=passage.number,
                    place=passage.place,
                    section=passage.section,
                )
            )
    return tuple(found), problems


def _field(mention: FieldMention, fields: Mapping[str, NamedField]) -> NamedField:
    """The field of a mention. Errors: `ValueError` for one that nobody wants."""
    if mention.name in fields:
        return fields[mention.name]
    if fields:
        raise ValueError(f"nobody asks for it; the fields are {', '.join(fields)}")
    if not is_label(mention.name.replace("_", " ")):
        raise ValueError("a name is a few words")
    return NamedField(name=open_name(mention.name))


def _passage(mention: FieldMention, passages: Mapping[int, DocumentPassage]) -> DocumentPassage:
    """The passage behind a mention. Errors: `ValueError` where it does not say so word for word."""
    passage = passages.get(mention.passage)
    if passage is None:
        numbers = f"{min(passages)} to {max(passages)}"
        raise ValueError(f"there is no passage {mention.passage}; they are {numbers}")
    if _plain(mention.quote) not in _plain(passage.text) or not mention.quote.strip():
        raise ValueError(f"passage {mention.passage} does not say {mention.quote[:_SHOWN]!r}")
    if not stands_in(mention.value, mention.quote):
        raise ValueError(f"{mention.value[:_SHOWN]!r} does not stand in its quote")
    return passage


def _value(
    mention: FieldMention,
    field: NamedField,
    passage: DocumentPassage,
    around: Sequence[DocumentPassage],
) -> str:
    """The value, with the unit that the passage or what stands around it gives where the mention
    leaves that out."""
    if field.type not in ("number", "integer"):
        return mention.value
    said = " ".join(mention.value.translate(_MARKS).split())
    amount = amount_at(said)
    if amount is None or is_unit(amount.unit):
        return said
    quote = " ".join(mention.quote.translate(_MARKS).split())
    unit = written_unit(said, quote, passage, around, field.unit)
    return f"{said} {unit}" if unit else said


def stands_in(value: str, quote: str) -> bool:
    """Whether a quote says a value as words of its own: 2 does not stand in 12, or in 1.2."""
    said = re.escape(_plain(value))
    edge = (
        rf"(?<!\w)(?<!\d[.,]){said}(?![.,]?{_LETTER})"
        if said[-1:].isdigit()
        else rf"(?<!\w){said}(?!{_LETTER})"
    )
    return bool(said) and re.search(edge, _plain(quote)) is not None


def _plain(text: str) -> str:
    """A text without what copying changes: blanks and kinds of quotation marks."""
    return " ".join(text.translate(_MARKS).split()).casefold()
