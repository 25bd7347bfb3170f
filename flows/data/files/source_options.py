"""A data source with settings of its own, for when what is detected is wrong."""

from __future__ import annotations

import codecs
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


class SourceOptions(BaseModel):
    """A file, and how it is to be read; what is not said is detected."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(description="the file, folder or pattern, as a source without settings")
    delimiter: str | None = Field(
        default=None, min_length=1, max_length=4, description="what stands between two values"
    )
    quote: str | None = Field(
        default=None, max_length=1, description='what stands around a value; "" for nothing'
    )
    encoding: str | None = Field(default=None, description="such as utf-8, cp1252, shift_jis")
    header: bool | None = Field(default=None, description="whether the first line is names")
    decimal: Literal[".", ","] | None = Field(
        default=None, description="what stands before the decimals of numbers"
    )
    sheet: str | None = Field(default=None, description="the only sheet of a workbook to read")

    @field_validator("encoding")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                codecs.lookup(value)
            except LookupError:
                raise ValueError(
                    f"there is no encoding {value!r}; well-known are utf-8, utf-16, cp1252, "
                    "latin-1, shift_jis, gb18030, koi8-r"
                ) from None
        return value

    def reading(self) -> str:
        """What is said of reading, as one text: it is part of what a profile depends on."""
        return self.model_dump_json(exclude={"path"}, exclude_none=True)
