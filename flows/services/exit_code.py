"""The exit code of a question for a shell."""

from __future__ import annotations

from flows.core.result import RunResult
from flows.errors import SourceError, StepFailed, UsageError


def request_exit_code(result: RunResult) -> int:
    """The code of a run that a question was asked in: data that cannot be read were named by
    whoever asked, so that they are wrong usage."""
    root = result.error.root if isinstance(result.error, StepFailed) else result.error
    return UsageError.exit_code if isinstance(root, SourceError) else result.exit_code
