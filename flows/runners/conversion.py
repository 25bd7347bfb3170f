"""A file of aiflows, written as a run file of ours: whole, checked, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from flows.build.builder import build
from flows.build.conversion import Converted, convert
from flows.build.trust import Trust
from flows.config.secret import check_secrets_kept, without_secrets
from flows.core.values import Values
from flows.errors import ConfigError, FlowsError, UsageError
from flows.runners.checked_file import write_checked
from flows.runners.document import as_yaml

_NEW: Final = "the new file"


def convert_file(
    file: Path, changes: Sequence[str], out: Path | None, trust: Trust
) -> tuple[str, Converted]:
    """The text of the new file and what stays in it as it is in aiflows; it is written to `out`,
    which must not be there. The text is built before that. Errors: `ConfigError` for what has no
    form of ours, `UsageError` for a file that cannot be written."""
    plan, composed = build(file, changes, trust=trust)
    converted = convert(plan, composed)
    _refuse_secrets(converted.values)
    text = f"# From {file.name}, which was written for aiflows 0.1.7.\n{as_yaml(converted.values)}"
    folder = (out or file).absolute().parent
    try:
        write_checked(text, folder, out, lambda made: _check(made, trust))
    except FileExistsError as error:
        raise UsageError(f"{out} is there already") from error
    return text, converted


def _check(file: Path, trust: Trust) -> None:
    try:
        build(file, trust=trust)
    except FlowsError as error:
        text = str(error).replace(str(file), _NEW).replace(file.name, _NEW)
        raise UsageError(f"not written, as it would be no run file: {text}") from error


def _refuse_secrets(values: Values) -> None:
    """Errors: `ConfigError` for a secret that the new file would hold in clear."""
    try:
        check_secrets_kept(without_secrets(values))
    except ConfigError as error:
        raise ConfigError(
            "a secret is written out there, and is not written again: name an environment "
            "variable, ${env:NAME}",
            path=error.path,
        ) from error
