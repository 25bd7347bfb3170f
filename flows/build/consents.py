"""What a person has allowed before: a file for each yes, in the folder of the user's state."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_MOST_BYTES: Final = 65_536
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def consent_folder() -> Path | None:
    """Where yeses are kept; None without a home folder."""
    home = os.environ.get("XDG_STATE_HOME", "")
    try:
        base = Path(home) if Path(home).is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    return base / "analyst-flows" / "trust"


@dataclass(frozen=True, slots=True)
class Consent:
    """That a key may be sent to an address when a file with this content (SHA-256) says so."""

    file: str
    sha256: str
    address: str
    key: str

    @property
    def digest(self) -> str:
        """What the yes is known by; where the file lies is no part of it."""
        text = json.dumps([self.sha256, self.address, self.key])
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Consents:
    """The yeses of this process, and those that are kept in a folder.

    A kept one counts if this user alone can write it, and it says what its name stands for. One
    that cannot be kept holds for this process.
    """

    folder: Path | None = field(default_factory=consent_folder)
    given: set[str] = field(default_factory=set)

    def holds(self, consent: Consent) -> bool:
        """Whether there is a yes."""
        return consent.digest in self.given or self._kept(consent.digest) == consent.digest

    def give(self, consent: Consent) -> None:
        """Note a yes, and keep it where that is possible."""
        self.given.add(consent.digest)
        if self.folder is None:
            return
        told = {name: getattr(consent, name) for name in Consent.__dataclass_fields__}
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(self.folder / consent.digest, json.dumps(told, indent=1))
        except OSError:
            return  # a home that cannot be written: the person is asked again next time

    def _kept(self, digest: str) -> str | None:
        """What the file of that name really stands for; None if it is damaged or not our own."""
        if self.folder is None:
            return None
        try:
            with open(self.folder / digest, encoding="utf-8", opener=_open_own) as file:
                told = os.fstat(file.fileno())
                is_own = stat.S_ISREG(told.st_mode) and told.st_uid == os.getuid()
                if not is_own or told.st_mode & _OTHERS_WRITE:
                    return None
                return Consent(**json.loads(file.read(_MOST_BYTES))).digest
        except (OSError, ValueError, TypeError):
            return None


def _open_own(path: str, flags: int) -> int:
    """Open what is no link, and never wait for a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _write(path: Path, text: str) -> None:
    """Write a file for this user alone, whole or not at all."""
    number, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    temporary = Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
