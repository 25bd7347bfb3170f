"""What `flows check --compat` tells of files of aiflows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flows.cli.faults import failing_as_json, show_fault
from flows.errors import FlowsError, UsageError

if TYPE_CHECKING:
    from flows.build.compat_report import Remark


def check_compat(path: Path, changes: Sequence[str], trust: Sequence[str], as_json: bool) -> int:
    """Tell of a file, or of each one of a folder that is of aiflows, what differs; the exit code.

    Errors: `UsageError` for a file that is none of aiflows, and for a folder without one.
    """
    if not path.is_dir():
        with failing_as_json(as_json):
            refuse_ours(path)
            _print(path, _remarks(path, changes, trust), as_json)
        return 0
    files = [each for each in _files_in(path) if _is_found_aiflows(each)]
    if not files:
        raise UsageError(f"no file of aiflows is in {path}")
    wrong = 0
    for each in files:
        try:
            _print(each, _remarks(each, changes, trust), as_json)
        except FlowsError as error:
            wrong += 1
            show_fault(error)
    if not as_json:
        print(f"{len(files)} files of aiflows, {wrong} of them with faults")
    return 2 if wrong else 0


def refuse_ours(path: Path) -> None:
    """Errors: `UsageError` for a file that is none of aiflows."""
    if not _is_aiflows(path):
        raise UsageError(
            f"{path} is no file of aiflows: none of its targets is, and it does not say compat"
        )


def _files_in(folder: Path) -> list[Path]:
    from flows.config.read import ENDINGS

    return sorted(each for each in folder.rglob("*") if each.suffix in ENDINGS and each.is_file())


def _is_found_aiflows(path: Path) -> bool:
    """The same for a file that was found in a folder, which may be of any kind."""
    try:
        return _is_aiflows(path)
    except FlowsError:
        return False


def _is_aiflows(path: Path) -> bool:
    """Whether it is a file of aiflows. Errors: `ConfigError` for one that cannot be read."""
    from flows.config.aiflows import is_aiflows
    from flows.config.places import project_configs
    from flows.config.read import read_run_file

    return is_aiflows(read_run_file(path, project_configs()).tree)


def _remarks(path: Path, changes: Sequence[str], trust: Sequence[str]) -> list[Remark]:
    from flows.build.builder import build
    from flows.build.compat_report import compat_report
    from flows.build.trust import Trust
    from flows.cli.reserved_stdout import reserved_stdout

    with reserved_stdout():
        return compat_report(*build(path, changes, trust=Trust(trust, refuse=False)))


def _print(path: Path, remarks: Sequence[Remark], as_json: bool) -> None:
    if as_json:
        told = [each.as_json() for each in remarks]
        print(json.dumps({"status": "ok", "file": str(path), "compat": told}, ensure_ascii=False))
        return
    from flows.ui.terminal_text import clean

    differing = sum(each.kind == "differs" for each in remarks)
    print(f"{path}: {differing or 'no'} difference{'s' * (differing != 1)} from aiflows 0.1.7")
    for name, text in _rows(remarks):
        print(f"  {name:<10} {clean(text, keep_newlines=False)}")


def _rows(remarks: Sequence[Remark]) -> Iterator[tuple[str, str]]:
    from flows.build.compat_report import ITEMS

    for each in remarks:
        item = f" [{each.item}]" if each.item else ""
        path = f"{each.path}: " if each.path else ""
        yield each.kind, f"{each.place}{item} {path}{each.text}"
    touched = sorted({each.item for each in remarks if each.item})
    if touched:
        names = "; ".join(f"[{each}] {ITEMS[each - 1]}" for each in touched)
        yield "decisions", names
    if any(each.compat for each in remarks):
        back = sorted({each.item for each in remarks if each.compat and each.item})
        told = f" {', '.join(f'[{each}]' for each in back)}" if back else ""
        yield "theirs", f"compat: aiflows-0.1 at the top of the file brings it back{told}"
