"""A file that is written whole and right, or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from flows.errors import UsageError


def write_checked(
    text: str, folder: Path, file: Path | None, check: Callable[[Path], None], *, over: bool = False
) -> None:
    """Write a run file beside where it belongs, check it there, and only then give it its name.

    Without a file it is only checked. Errors: `UsageError` for a folder that cannot be written,
    `FileExistsError` for a file that is there, unless `over` it may be written, and what `check`
    raises.
    """
    try:
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".yaml")
        made = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
                opened.write(text)
            check(made)
            made.chmod(0o644)
            if file is not None and over:
                made.replace(file)
            elif file is not None:
                os.link(made, file)
        finally:
            made.unlink(missing_ok=True)
    except FileExistsError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{file or folder} cannot be written: {reason}") from error
