"""What reading a document gives: paragraphs, each with where it stands."""

from __future__ import annotations

from operator import not_

from pydantic import BaseModel, ConfigDict, Field

from flows.errors import FlowsError


class UnreadableDocument(FlowsError):
    """A document cannot be read. The message is the end of a sentence that begins with its name.

    Where `lasting`, it says so of these bytes, and trying again would be in vain.
    """

    def __init__(self, problem: str, *, lasting: bool = True) -> None:
        self.lasting = lasting
        super().__init__(problem)


class Block(BaseModel):
    """A paragraph, list item or row of a table. `section` is the path of headings above it; a
    `page` counts from 1, and so does a `line`. A row has its `cells`, and the number of its `table`
    in the document, from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    section: str = ""
    page: int | None = None
    line: int | None = None
    table: int = Field(default=0, exclude_if=not_)
    cells: tuple[str, ...] = Field(default=(), exclude_if=not_)


class Headings:
    """The path of headings at a place of a document."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        """A heading begins here, which ends those of its level and below."""
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        if title:
            self._path.append((level, title))

    @property
    def path(self) -> str:
        return " > ".join(title for _, title in self._path)


def one_line(text: str) -> str:
    """The text with each run of white space as one blank, without control characters."""
    plain = " ".join(text.split())
    if plain.isprintable():
        return plain
    return " ".join("".join(c if c.isprintable() else " " for c in plain).split())
