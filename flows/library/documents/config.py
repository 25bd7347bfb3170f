"""The keys of the flow that works documents through, and what its steps hand on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from flows.analysis.extraction.fields import DocumentField, FieldName, FoundField, NamedField
from flows.core.entity_store import EntityName
from flows.core.flow import FlowConfig, Ports, Service
from flows.core.observation import Observation

PROMPTS: Final = Path(__file__).parent / "prompts"
MOST_PARTS: Final = 400
# Columns of records beside those of the fields.
DOCUMENT: Final = "document"
SHA256: Final = "sha256"


def _field(value: object) -> object:
    """A field may be written as its type alone."""
    return {"type": value} if isinstance(value, str) else value


FieldsSpec = Mapping[FieldName, Annotated[DocumentField, BeforeValidator(_field)]]


class KeptEntities(BaseModel):
    """Each document as an entity of the run's entity store, by the value of its field `key`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: EntityName
    key: FieldName


class KeptColumns(BaseModel):
    """Each document as a record of a columnar store, with its fields as columns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str = Field(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}/[A-Za-z_][A-Za-z0-9_]{0,62}$",
        description="NAMESPACE/NAME",
    )
    folder: str = Field(default=".flows/stores", description="a folder, or s3://bucket/folder")


class DocumentsConfig(FlowConfig):
    """The keys of the flow. Without `fields` each label with its value is a fact."""

    description: str = "Works documents through: their facts, each with its passage, and tables."
    model: Service | None = Field(default=None, description="its own model; the run's without it")
    folder: Path = Field(description="where the documents are, or one document")
    fields: FieldsSpec = Field(default={}, description="the facts that are wanted, by name")
    part_characters: int = Field(
        default=6_000, ge=500, le=200_000, description="characters of a part that is read at once"
    )
    most_parts: int = Field(
        default=MOST_PARTS, ge=1, le=20_000, description="parts of all documents that are read"
    )
    parallel: int = Field(default=4, ge=1, le=32, description="parts that are read at once")
    corrections: int = Field(
        default=2, ge=0, le=10, description="how often a part is asked for again"
    )
    kept_entities: KeptEntities | None = Field(
        default=None, description="keep documents as entities of the run's entity store"
    )
    kept_columns: KeptColumns | None = Field(
        default=None, description="keep documents as records of a columnar store"
    )
    system_prompt: str = "document_fields.system.j2"
    human_prompt: str = "document_fields.human.j2"
    max_tokens: int | None = Field(default=None, ge=1, description="of a reply of the model")
    max_file_mb: float = Field(default=50.0, gt=0, le=2_000, description="of one document")
    read_seconds: float = Field(
        default=120.0, gt=0, le=3_600, description="the time that reading one document may take"
    )

    @field_validator("fields")
    @classmethod
    def _are_other_columns(cls, value: FieldsSpec) -> FieldsSpec:
        for name in value:
            if name.casefold() in (DOCUMENT, SHA256):
                raise ValueError(f"a record has a column {name!r} of its own; name the field else")
        return value

    @model_validator(mode="after")
    def _has_the_key(self) -> Self:
        kept = self.kept_entities
        if kept is not None and self.fields and kept.key not in self.fields:
            known = ", ".join(self.fields)
            raise ValueError(f"kept_entities.key is {kept.key!r}, and the fields are {known}")
        return self

    @property
    def named_fields(self) -> tuple[NamedField, ...]:
        return tuple(
            NamedField(name=name, **each.model_dump()) for name, each in self.fields.items()
        )


class ReadText(BaseModel):
    """A document that was read: its passages are in the artifact `passages`, in so many parts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    sha256: str
    passages: str
    sections: int
    tables: int
    parts: int


class DocumentsInputs(Ports):
    document: str = Field(default="", description="one document of the folder; all without it")


class DocumentsOutputs(Ports):
    """What was found. `fields` and `records` are the tables of all values and of one row for each
    document, `tables` the tables of the documents, all as names of artifacts. `missing` are the
    required fields, `conflicting` those with several values, as DOCUMENT: FIELD; `unread` says of
    documents, or of parts of them, why they were not read."""

    answer: str
    observation: Observation
    fields: str = ""
    records: str = ""
    tables: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    conflicting: tuple[str, ...] = ()
    unread: dict[str, str] = Field(default={})


def in_document(found: Sequence[FoundField], document: str) -> list[FoundField]:
    return [each for each in found if each.document == document]
