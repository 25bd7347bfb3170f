"""What a person has allowed before: a file for each yes, in the folder of the user's state."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from flows.config.own_files import read_own, write_own
from flows.config.places import state_folder

_MOST_BYTES: Final = 65_536
_KEY: Final = "signing-key"


def consent_folder() -> Path | None:
    """Where yeses are kept; None without a home folder."""
    folder = state_folder()
    return None if folder is None else folder / "trust"


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
            write_own(self.folder / consent.digest, json.dumps(told, indent=1))
        except OSError:
            return  # a home that cannot be written: the person is asked again next time

    def sign(self, text: str) -> str:
        """A signature of the text by a key that only this user has; "" if none can be kept."""
        if self.folder is None:
            return ""
        file = self.folder.with_name(_KEY)
        if self._key() is None:
            try:
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_own(file, secrets.token_hex(32))
            except OSError:
                return ""  # a home that cannot be written: the person is asked again next time
        return self._signature(text)

    def is_signed(self, text: str, signature: str) -> bool:
        """Whether this user has signed the text."""
        made = self._signature(text)
        return made != "" and hmac.compare_digest(made, str(signature))

    def _signature(self, text: str) -> str:
        key = self._key()
        return hmac.new(key.encode(), text.encode(), "sha256").hexdigest() if key else ""

    def _key(self) -> str | None:
        return None if self.folder is None else read_own(self.folder.with_name(_KEY), _MOST_BYTES)

    def _kept(self, digest: str) -> str | None:
        """What the file of that name really stands for; None if it is damaged or not our own."""
        if self.folder is None or (text := read_own(self.folder / digest, _MOST_BYTES)) is None:
            return None
        try:
            return Consent(**json.loads(text)).digest
        except (ValueError, TypeError):
            return None
