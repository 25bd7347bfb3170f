"""What is wanted of a document, and what was found of it."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.observation import Cell
from flows.core.reply import Reply

FieldType = Literal["text", "number", "integer", "date", "boolean", "list"]
FieldName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$")]
ROLE: Final = "document_fields"


class DocumentField(BaseModel):
    """A fact that is wanted of each document. Documents call it by its name, or by its `words`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: FieldType = "text"
    description: str = ""
    words: tuple[str, ...] = Field(default=(), description="what documents call it besides")
    unit: str = Field(default="", description="of a number; others are converted if they can be")
    values: tuple[str, ...] = Field(default=(), description="the only ones that are allowed")
    required: bool = False


class NamedField(DocumentField):
    """A field with its name."""

    name: FieldName


class FieldMention(Reply):
    """A place where a document gives a field's value: the value and the sentence or row around it,
    both word for word, and the number of the passage that they stand in."""

    name: str
    value: str
    passage: int
    quote: str


class FieldsReply(Reply):
    """All places of a part of a document that give values of fields; none is an answer."""

    fields: tuple[FieldMention, ...]


class FoundField(BaseModel):
    """A value of a field with the passage behind it. `text` is the value as it is written; `value`
    has the field's type: dates are ISO text, one item of a list is a text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str
    name: str
    value: Cell
    unit: str = ""
    text: str
    quote: str
    passage: int
    place: str
    section: str = ""
