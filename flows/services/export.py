"""A folder to hand on: what a run was asked, what it answered, and all that it made."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.config.redaction import redact_pieces
from flows.core.artifacts import SavedFile, State, open_file, write_whole
from flows.errors import JournalError, UsageError
from flows.records.record import RunRecord
from flows.services.conversation_report import conversation_page, is_answered
from flows.services.export_content import ExportedArtifact, ExportedFile
from flows.services.export_page import page_of

PAGE: Final = "index.html"
ORIGIN: Final = "origin.json"
REPORT: Final = "report.html"
FOLDERS: Final = {
    "table": "tables",
    "figure": "figures",
    "code": "code",
    "model": "models",
    "report": "reports",
    "file": "files",
}
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Export:
    """What was written: the folder, its artifacts, and what stood there before, if it was moved."""

    folder: Path
    artifacts: tuple[ExportedArtifact, ...]
    moved: Path | None = None

    @property
    def left_out(self) -> tuple[ExportedFile, ...]:
        return tuple(
            file for each in self.artifacts for file in each.files if file.state != "whole"
        )


def export(record: RunRecord, folder: Path, *, force: bool = False) -> Export:
    """Write the folder, whole or not at all: beside it first, then under its name.

    With `force` an earlier export there is replaced, and anything else is moved aside. Errors:
    `UsageError` for a folder that must not be written to.
    """
    target = folder.absolute()
    _check_target(record, target, force=force)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        part.mkdir(parents=True)
        artifacts = tuple(_copied(record, part))
        write_whole(part / ORIGIN, _origin_text(record, artifacts).encode())
        page = redact_pieces(page_of(record, artifacts, *_report(record, part)))
        write_whole(part / PAGE, page.encode("utf-8", "replace"))
        moved = _put(part, target)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Export(folder, artifacts, moved)


def _report(record: RunRecord, part: Path) -> tuple[str, str]:
    """Write the report of a conversation; its name, or why there is none. Both are "" for a run of
    another kind."""
    if not is_answered(record):
        return "", ""
    try:
        write_whole(part / REPORT, conversation_page(record))
    except JournalError as error:
        return "", str(error)
    return REPORT, ""


def _check_target(record: RunRecord, target: Path, *, force: bool) -> None:
    """Errors: `UsageError` for what is no folder, is not empty, or holds the run itself."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target} is no folder; allowed: a new folder or an empty one")
    if not target.is_dir() or not any(target.iterdir()):
        return
    if not force:
        raise UsageError(
            f"{target} is not empty; allowed: a new folder or an empty one, or with --force any: "
            "an earlier export is replaced, anything else is moved aside"
        )
    inside = (Path.cwd(), record.place.folder.absolute(), record.place.journal.absolute())
    if any(each.resolve().is_relative_to(target.resolve()) for each in inside):
        raise UsageError(f"{target} holds the run or the working directory; choose another folder")


def _put(part: Path, target: Path) -> Path | None:
    """Give the finished folder its name; what is moved aside for it, and kept, is returned."""
    if not target.is_dir() or not any(target.iterdir()):
        part.rename(target)
        return None
    ours = _is_export(target)
    aside = target.with_name(f"{target.name}.before-{secrets.token_hex(4)}")
    target.rename(aside)
    try:
        part.rename(target)
    except OSError:
        aside.rename(target)
        raise
    if not ours:
        return aside
    shutil.rmtree(aside)
    return None


def _is_export(folder: Path) -> bool:
    """Whether all that stands in a folder is what an export writes."""
    known = {PAGE, ORIGIN, REPORT, *FOLDERS.values()}
    return (folder / ORIGIN).is_file() and {each.name for each in folder.iterdir()} <= known


def _copied(record: RunRecord, part: Path) -> Iterator[ExportedArtifact]:
    """Copy the files of the artifacts, each under the number in which it was made and its stem."""
    ended = {step.address: step.ended for step in record.steps}
    width = max(2, len(str(len(record.artifacts))))
    for number, artifact in enumerate(record.artifacts, 1):
        name = f"{number:0{width}d}-{_stem(artifact.name)}"
        files = tuple(
            _copy(record.place.folder, file, part, f"{FOLDERS[artifact.what]}/{name}.{file.kind}")
            for file in artifact.files
            # The JSON of a table is for citations; its other forms hold the same.
            if artifact.what != "table" or file.kind != "json" or not artifact.forms
        )
        yield ExportedArtifact(name, artifact, ended.get(artifact.step), files)


def _stem(name: str) -> str:
    """The name of an artifact without the hash that made it unlike others."""
    return name.rpartition("-")[0] or name


def _copy(folder: Path, file: SavedFile, part: Path, path: str) -> ExportedFile:
    state: State = "whole"
    try:
        with open_file(folder, file.path) as opened:
            content = opened.read(file.bytes + 1)
    except FileNotFoundError:
        return ExportedFile(path, file, "missing")
    except OSError:
        return ExportedFile(path, file, "changed")
    if len(content) != file.bytes or hashlib.sha256(content).hexdigest() != file.sha256:
        state = "changed"
    else:
        (part / path).parent.mkdir(exist_ok=True)
        (part / path).write_bytes(content)
    return ExportedFile(path, file, state)


def _origin_text(record: RunRecord, artifacts: tuple[ExportedArtifact, ...]) -> str:
    """The same as the page says, for programs."""
    whole = record.as_json(steps=False)
    outputs = whole["outputs"]
    told = {
        "version": _VERSION,
        **{key: whole[key] for key in ("run_id", "title", "status", "reason", "started", "ended")},
        "inputs": whole["inputs"],
        "answer": outputs.get("answer"),
        "citations": outputs.get("citations") or [],
        "traced": outputs.get("traced"),
        "questions": whole["questions"],
        "artifacts": [each.as_json() for each in artifacts],
    }
    return redact_pieces(json.dumps(told, ensure_ascii=False, indent=2)) + os.linesep
