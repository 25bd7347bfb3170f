"""`flows run FILE.py`: a program that launches flows of aiflows."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path

from flows.errors import FlowsError, UsageError


def run_program(file: str, arguments: Sequence[str], trust: Sequence[str]) -> int:
    """Run the program; the exit code. Errors: `FlowsError` of a flow that it calls."""
    from flows.config.packages import missing_package
    from flows.runners.script import run_script

    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no program {file}")
    try:
        run_script(path, arguments, trust)
    except FlowsError:
        raise
    except ModuleNotFoundError as error:
        raise UsageError(missing_package(file, error)) from error
    except Exception:  # noqa: BLE001 - it is the program's own, told as Python does
        traceback.print_exc()
        return 1
    return 0
