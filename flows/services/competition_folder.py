"""A folder with a task of prediction: which of its files are train, test, sample and texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis.prediction.reading.fields import read_fields
from flows.analysis.prediction.task import SAMPLE, TEST, TRAIN
from flows.data.documents.blocks import UnreadableDocument
from flows.data.documents.text import decoded
from flows.data.files.source_options import SourceOptions
from flows.data.files.sources import table_name
from flows.data.meaning.dictionary_file import read_dictionary
from flows.data.tables import plain_name
from flows.errors import ConfigError, SourceError, UsageError
from flows.services.competition_files import (
    CandidateTable,
    CompetitionText,
    allowed_tables,
    opened_folder,
    read_content,
)
from flows.services.competition_parts import joined_labels, stacked_parts
from flows.services.competition_roles import FolderRoles, assign_roles, named_role

_DESCRIBED = 0.5
_DICTIONARY_WORDS = ("dictionary", "codebook", "datenbeschreibung", "description", "variables")


class CompetitionFolder(BaseModel):
    """What a folder holds, for a catalog and for the reader of the task.

    `sources` are the tables by the names that code knows them under: `train`, `test`, `sample`, and
    further ones by the names of their files; each is one table, which a catalog tells by its
    source's name. `files` say which files each was read of. `texts` are the task and what describes
    its data; `fields` what a table of descriptions says of columns. `notes` say what was chosen and
    left out, `doubts` what may be wrong.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    folder: Path
    sources: dict[str, str | SourceOptions]
    files: dict[str, tuple[str, ...]]
    texts: dict[str, str] = Field(default={})
    fields: dict[str, str] = Field(default={})
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All texts, one after the other."""
        return "\n\n".join(self.texts.values())

    @property
    def further(self) -> tuple[str, ...]:
        """The names of the tables beside train, test and sample."""
        return tuple(each for each in self.sources if each not in (TRAIN, TEST, SAMPLE))


def read_competition(
    where: Path, scratch: Path, *, without: Path | None = None
) -> CompetitionFolder:
    """Find out what a folder, or a zip of one, holds. What is unpacked or put together of several
    files is written into the folder `scratch`, which must not lie in it and must be kept as long as
    the tables are read. What is in the folder `without` is passed over, and so are runs.

    Errors: `UsageError` when there is no table to learn of, or one that is named as train, test or
    sample submission cannot be read.
    """
    folder = opened_folder(where, scratch)
    content = read_content(folder, scratch, without=without)
    for name, reason in content.broken.items():
        _check_broken(name, reason)
    fields, tables = _dictionaries(content.tables)
    roles = assign_roles(tables)
    if not roles.train:
        raise UsageError(_no_train(where, tables, content.broken))
    doubts = [f"{name} was left out: {reason}" for name, reason in content.broken.items()]
    if not content.texts:
        doubts.append(
            "there is no task text (allowed: .md, .txt, .html, .pdf, .docx); the task is read of "
            "the tables alone"
        )
    doubts += [
        f"{each.name} is longer than is read: {len(each.text)} of its {each.characters} characters"
        for each in content.texts
        if each.characters is not None
    ]
    sources, files, found = _sources(roles, scratch)
    return CompetitionFolder(
        folder=where,
        sources=sources,
        files=files,
        texts={each.name: each.text for each in _task_first(content.texts) if each.text},
        fields=fields,
        notes=(*roles.notes, *_further_notes(roles)),
        doubts=(*doubts, *found),
    )


def _check_broken(name: str, reason: str) -> None:
    """Errors: `UsageError` for a broken file that is no mere addition, going by its name."""
    role = named_role(name)
    if role in ("train", "train labels", "test"):
        raise UsageError(f"{name}, which is named as {role}, cannot be read: {reason}")


def _no_train(where: Path, tables: Sequence[CandidateTable], broken: dict[str, str]) -> str:
    found = ", ".join(each.name for each in tables) or "no table"
    faults = "".join(f"; {name}: {reason}" for name, reason in list(broken.items())[:3])
    return (
        f"{where} has no table to learn of: found {found}{faults}. Needed is a table with the "
        f"target, best named train (allowed: {allowed_tables()}, text tables also packed)"
    )


def _sources(
    roles: FolderRoles, scratch: Path
) -> tuple[dict[str, str | SourceOptions], dict[str, tuple[str, ...]], list[str]]:
    """The sources of a catalog, the files that they stand for, and what may be wrong of them."""
    sources: dict[str, str | SourceOptions] = {TRAIN: _one(roles.train, TRAIN, scratch)}
    files = {TRAIN: tuple(each.name for each in roles.train)}
    doubts: list[str] = []
    if roles.labels is not None:
        train = sources[TRAIN]
        path, doubts = joined_labels(train, roles.labels, scratch)
        sources[TRAIN] = str(path)
        files[TRAIN] = (*files[TRAIN], roles.labels.name)
    if roles.test:
        sources[TEST] = _one(roles.test, TEST, scratch)
        files[TEST] = tuple(each.name for each in roles.test)
    if roles.sample is not None:
        sources[SAMPLE] = roles.sample.source
        files[SAMPLE] = (roles.sample.name,)
    for each in roles.further:
        name = _free_name(each, sources)
        sources[name] = each.source
        files[name] = (each.name,)
    return sources, files, doubts


def _one(parts: Sequence[CandidateTable], name: str, scratch: Path) -> str | SourceOptions:
    return parts[0].source if len(parts) == 1 else str(stacked_parts(parts, name, scratch))


def _free_name(candidate: CandidateTable, taken: dict[str, str | SourceOptions]) -> str:
    stem = candidate.sheet or candidate.name.rpartition("/")[2].partition(".")[0]
    try:
        plain = table_name(stem[:40])
    except SourceError:
        plain = "table"
    lowered = {each.casefold() for each in taken}
    name, number = plain, 2
    while name.casefold() in lowered:
        name, number = f"{plain}_{number}", number + 1
    return name


def _further_notes(roles: FolderRoles) -> list[str]:
    return [f"{each.name} is a further table" for each in roles.further]


def _task_first(texts: Sequence[CompetitionText]) -> list[CompetitionText]:
    """What describes the data stands after the task."""
    return sorted(texts, key=lambda each: any(w in each.name.casefold() for w in _DICTIONARY_WORDS))


def _dictionaries(
    tables: Sequence[CandidateTable],
) -> tuple[dict[str, str], list[CandidateTable]]:
    """What tables of descriptions say of the columns of the others, and these others."""
    fields: dict[str, str] = {}
    others: list[CandidateTable] = []
    for each in tables:
        rest = [other for other in tables if other is not each]
        found = _described(each, rest) if len(tables) > 1 else {}
        if found:
            fields.update(found)
        else:
            others.append(each)
    return fields, others


def _described(candidate: CandidateTable, others: Sequence[CandidateTable]) -> dict[str, str]:
    """The descriptions by column, if most of the rows of the table describe columns of others."""
    names = {plain_name(name): name for each in others for name in each.columns}
    if not _may_describe(candidate, set(names)):
        return {}
    try:
        entries = read_dictionary(candidate.path).entries
    except ConfigError:
        return _lines_of_descriptions(candidate, tuple(names.values()))
    found = {
        names[
            plain_name(each.column)
        ]: f"{each.description}{f' ({each.unit})' if each.unit else ''}"
        for each in entries
        if plain_name(each.column) in names and each.description
    }
    return found if len(found) >= _DESCRIBED * len(entries) else {}


def _may_describe(candidate: CandidateTable, known: set[str]) -> bool:
    """Whether cells of the table are names of columns; of JSON with one entry, its keys."""
    if candidate.path.suffix.lower() == ".json" and candidate.table.rows == 1:
        texts = sum(each.type == "text" for each in candidate.table.columns)
        return texts == len(candidate.columns) and _names_most(candidate.columns, known)
    if not 2 <= len(candidate.columns) <= 12 or candidate.table.rows > 20_000:
        return False
    # The first description may have been taken for the head of the table.
    return any(_names_most((each.name, *each.values), known, 2) for each in candidate.table.columns)


def _names_most(texts: Sequence[str], known: set[str], least: int = 1) -> bool:
    named = sum(plain_name(each) in known for each in texts)
    return named >= max(least, _DESCRIBED * (len(texts) - 1))


def _lines_of_descriptions(candidate: CandidateTable, names: Sequence[str]) -> dict[str, str]:
    """What a table without a head says of columns, a line for each."""
    try:
        text = decoded(candidate.path.read_bytes())
    except (OSError, UnreadableDocument):
        return {}
    lines = [each.replace(",", "\t", 1).replace(";", "\t", 1) for each in text.split("\n")]
    found = read_fields("\n".join(lines), names)
    return found if len(found) >= _DESCRIBED * candidate.table.rows else {}
