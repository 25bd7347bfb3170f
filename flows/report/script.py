"""The queries and the code of a session as one Python file that runs by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.report.loading import (
    SETUP,
    asking_again,
    lines_of_frames,
    lines_of_given,
    lines_of_sources,
)
from flows.report.report import SourceUsed

# May only stand at the beginning of a file, where it is once for all pieces.
_FUTURE: Final = "from __future__ import annotations\n"
_CARE: Final = """\
# This was generated. In the run it was executed in a sandbox, and its queries were read-only.
# Here it runs with your own rights: read it before you run it."""


@dataclass(frozen=True)
class ScriptPiece:
    """What answered a question: a query or code."""

    number: str
    question: str
    sql: str | None = None
    code: str | None = None


def script_head(sources: Sequence[SourceUsed]) -> str:
    """The lines that read the sources again, for all pieces."""
    parts = [_CARE, _FUTURE + "\nfrom typing import Any\n\n" + SETUP]
    parts += ["\n".join(lines_of_sources(each)) for each in sources]
    return "\n\n".join((*parts, lines_of_frames(sources)))


def script_piece(piece: ScriptPiece, sources: Sequence[SourceUsed]) -> str:
    """The lines that answer one question again and print what it came to."""
    return "\n".join(_lines(piece, sources))


def _lines(piece: ScriptPiece, sources: Sequence[SourceUsed]) -> Iterator[str]:
    for line in piece.question.splitlines():
        yield f"# {line}"
    variable = f"answer_{piece.number}"
    if piece.code:
        yield from lines_of_given(sources)
        yield piece.code.replace(_FUTURE, "").strip()
        yield f"{variable} = result if result is not None else figure"
    elif piece.sql:
        yield f"{variable} = {asking_again(piece.sql, sources)}"
    else:
        return
    yield f"print({variable})"
