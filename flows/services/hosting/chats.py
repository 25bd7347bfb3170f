"""Conversations about data that a service hosts: each a run, with its own files."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from flows.config.secret import ENV
from flows.core.artifacts import write_whole
from flows.core.values import Values
from flows.data.catalog import Catalog
from flows.data.profiles.cache import PROFILES
from flows.errors import FlowsError, NotFound, SourceError, UsageError
from flows.library.csv_chat.conversation import SAY
from flows.library.csv_chat.reply import TurnReply
from flows.services.conversation import conversation_file
from flows.services.hosting.hosted_flow import HostedFile, HostedFlow
from flows.services.hosting.service import RunService
from flows.services.hosting.store import QUEUED
from flows.services.hosting.uploads import UploadFolder
from flows.services.request import Options
from flows.services.sources import NamedSource, read_sources
from flows.services.suggested_questions import suggest_questions

log = logging.getLogger(__name__)
FLOW: Final = "chat"
IDLE_SECONDS: Final = 900.0
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_LONGEST_TITLE: Final = 80


class ChatRecord(BaseModel):
    """A conversation as it is kept: `id` is that of its run, `files` are the paths of what was
    brought to it, `data` names all that it is about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str
    files: tuple[str, ...]
    data: tuple[str, ...]


@dataclass(frozen=True)
class ChatData:
    """What all conversations share: the `sources` that the service was started with, how questions
    are worked on, and after how many seconds without a question the data of one are closed."""

    sources: tuple[NamedSource, ...] = ()
    options: Options = field(default_factory=Options)
    idle_seconds: float = IDLE_SECONDS

    def file(self, files: Sequence[str]) -> tuple[HostedFile, tuple[str, ...]]:
        """The run file of a conversation about these and about the brought files, and the names of
        all of it. Errors: `UsageError` without any."""
        brought = read_sources(files, [each.name for each in self.sources])
        sources = (*self.sources, *brought)
        if not sources:
            raise UsageError("there is no data to talk about; bring a file")
        settings = (*self.options.settings(), *(each.setting for each in sources))
        names = tuple(each.name for each in sources)
        file = HostedFile(
            conversation_file(), self.options.overrides, settings, idle_seconds=self.idle_seconds
        )
        return file, names


class ChatSessions:
    """The conversations in a folder. Those of earlier processes are opened when they are wanted."""

    def __init__(self, service: RunService, folder: Path, data: ChatData) -> None:
        self._service, self._data = service, data
        self._folder = folder.absolute() / "chats"
        self.uploads = UploadFolder(folder / "uploads")
        self._suggested: tuple[str, ...] | None = None

    @property
    def given(self) -> list[str]:
        """The names of the data that every conversation is about."""
        return [each.name for each in self._data.sources]

    def suggest(self) -> tuple[str, ...]:
        """Questions that the data can answer which every conversation is about; the first call
        reads them. None where they cannot be read now."""
        if self._suggested is None:
            named = {
                each.name: each.where
                for each in self._data.sources
                if not ENV.fullmatch(each.where)
            }
            try:
                with Catalog(named, Path.cwd(), PROFILES) as catalog:
                    self._suggested = suggest_questions(catalog.tables())
            except SourceError as error:
                log.warning("no questions can be suggested: %s", error)
                return ()
        return self._suggested

    async def start(
        self, question: str, uploads: Sequence[str], *, caller: str = "", key: str | None = None
    ) -> ChatRecord:
        """Begin a conversation about uploaded files with a first question, which may be empty.

        Errors: `UsageError` without data, `NotFound` for a file, `ConfigError`, `QueueFull`.
        """
        files: list[str] = []
        if uploads:
            name = sha256("\n".join(sorted(uploads)).encode()).hexdigest()[:16]
            files = [
                str(each) for each in self.uploads.take(uploads, self._folder / "files" / name)
            ]
        file, names = self._data.file(files)
        flow = await self._host_flow(file)
        inputs = {"question": question} if question.strip() else {}
        started = await self._service.start(flow.name, inputs, caller=caller, key=key)
        title = " ".join(question.split())[:_LONGEST_TITLE]
        record = ChatRecord(id=started.run_id, title=title, files=tuple(files), data=names)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(self._path(record.id), record.model_dump_json().encode())
        return record

    def find(self, session: str) -> ChatRecord:
        """The conversation of that id. Errors: `NotFound`."""
        path = self._path(session) if _ID.fullmatch(session) else None
        if path is None or not path.is_file():
            raise NotFound(f"there is no session {session[:40]!r}")
        return ChatRecord.model_validate_json(path.read_bytes())

    async def open(self, session: str) -> ChatRecord:
        """A conversation with its data open, so that turns can be taken. Errors: `NotFound`;
        `ConfigError` where its files are gone."""
        record = await asyncio.to_thread(self.find, session)
        file, _ = self._data.file(record.files)
        await self._host_flow(file)
        return record

    async def say(self, session: str, text: str) -> None:
        """Take the next turn of a conversation, which goes on in the background.

        Errors: as of `open`; `StateConflict` while a turn is being answered and when it is over.
        """
        await self._service.answer((await self.open(session)).id, text)

    async def resume(self, session: str) -> None:
        """Go on with a turn that was interrupted or stopped, or failed. Errors: as of `open`;
        `StateConflict` where there is none."""
        await self._service.resume((await self.open(session)).id)

    async def stop(self, session: str) -> None:
        """Stop the turn that is being answered; the conversation goes on with the next. Errors:
        `NotFound`, `StateConflict` where nothing is being answered."""
        record = await asyncio.to_thread(self.find, session)
        if not await self._service.stop_step(record.id):
            await self._service.cancel(record.id)

    def turn(self, session: str, number: int) -> TurnReply:
        """What a turn came to, counted from 1. Errors: `NotFound` for one that is not over."""
        place = self._service.runs.place(self.find(session).id)
        address = f"{SAY}#{number}"
        for row in reversed(place.rows() if place is not None else ()):
            if row.kind == "outcome" and row.address == address:
                return TurnReply.model_validate(row.data()["outputs"]["reply"])
        raise NotFound(f"the session {session} has no turn {number} that is over")

    async def prepare(self) -> None:
        """Open the data that every conversation is about. Errors: `ConfigError`."""
        if self._data.sources:
            file, _ = self._data.file(())
            await self._host_flow(file)

    async def recover(self) -> None:
        """Open the conversations of which a turn was being answered when their process ended. One
        whose data are gone is left as it is, and the log says why."""
        await asyncio.to_thread(self.uploads.forget)
        for record in await asyncio.to_thread(self.all):
            stored = self._service.store.find(record.id)
            if stored is None or stored.state != QUEUED:
                continue
            try:
                await self.open(record.id)
            except FlowsError as error:
                log.warning("the session %s cannot go on: %s", record.id, error)

    def all(self) -> list[ChatRecord]:
        """All conversations, the newest first."""
        paths = sorted(self._folder.glob("*.json"), reverse=True)
        return [ChatRecord.model_validate_json(each.read_bytes()) for each in paths]

    def as_json(self, record: ChatRecord) -> Values:
        live = self._service.live.get(record.id)
        stored = self._service.store.find(record.id)
        state = live.status if live else stored.state if stored else "interrupted"
        return {"id": record.id, "title": record.title, "data": record.data, "status": state}

    async def _host_flow(self, file: HostedFile) -> HostedFlow:
        name = f"{FLOW}-{sha256(file.key.encode()).hexdigest()[:12]}"
        return await self._service.host_file(name, file, listed=False)

    def _path(self, session: str) -> Path:
        return self._folder / f"{session}.json"
