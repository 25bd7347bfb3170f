"""What a run file of others may do without a person's word, and what it has to be allowed.

A secret goes by itself to its provider's own address, or to the one that the environment names for
it. Where a file pairs it with another address, or names Python beside it, somebody has to say yes:
with `--trust`, or by typing it on the command line, or to a question, once for what the file says
now.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, Final, Literal

from flows.build.consents import Consent, Consents
from flows.config.composition import Composed
from flows.config.places import project_configs
from flows.config.registry import Registered
from flows.config.secret import env_name
from flows.core.destination import Destination, origin_of
from flows.errors import ConfigError, Place, UntrustedError

ConfigPath = tuple[str | int, ...]
State = Literal["usual", "typed", "trusted", "allowed", "untrusted"]
Kind = Literal["address", "package", "command", "code"]
OWN_PACKAGE: Final = "analyst-flows"
NOBODY: Final = ("human.never", "human.detached", "human.scripted")
_URL: Final = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*://\S+\s*$")
# Keys of a config that name a host, in the services of other packages.
_HOSTS: Final = frozenset({"host", "hostname", "server", "endpoint", "domain", "address"})


@dataclass(frozen=True, slots=True)
class Sending:
    """A secret that a service of the run sends to an address, or a command or code that it runs,
    and why it may.

    `service` is the service's path in the config, `key` the name of the secret, "" if none is
    sent, `place` where the pairing was written, in `file` if that is one of others. `kind` says
    what the address is: an address, the name of a package whose code knows it, a command line, or
    the path of a Python file beside the run file. `files` are those that a yes was given for as
    they were then, beside `file`; of code `digest` stands for their content.
    """

    service: str
    target: str
    address: str
    key: str
    place: Place
    file: Path | None = None
    state: State = "usual"
    kind: Kind = "address"
    files: tuple[Path, ...] = ()
    digest: str = ""

    @property
    def trust_option(self) -> str:
        """The option of the command line that allows it."""
        return f"--trust {shlex.quote(self.address)}"

    @property
    def is_refused(self) -> bool:
        return self.state == "untrusted"

    def as_json(self) -> dict[str, object]:
        names = ("service", "address", "key", "state")
        return {**{name: getattr(self, name) for name in names}, "place": str(self.place)}

    def __str__(self) -> str:
        service = self.service.replace("subflows_config.", "")
        if self.kind == "code":
            return f"runs {self.address} ({service or 'the flow'}: {self.target})"
        if self.kind == "command":
            given = f" with {self.key}" if self.key else ""
            return f"runs {self.address}{given} ({service}: {self.target})"
        return f"{self.key or 'no key'} to {self.address} ({service}: {self.target})"


@dataclass
class Trust:
    """What is allowed: `named` are the packages and addresses of `--trust`.

    Without `refuse` nothing will run, and what is not allowed is only noted. `journal` is the place
    of all that a run recorded, if one is gone on with, and `recorded` the keys with the addresses
    that they were allowed for at its start; `recorded_code` are the files beside the run file that
    were allowed then, with the digest of each. Without `typed` what stands in no file is no more
    trusted than a file: it was said in a session, and not on the command line.
    """

    named: Sequence[str] = ()
    consents: Consents = field(default_factory=Consents)
    refuse: bool = True
    journal: Place | None = None
    recorded: frozenset[tuple[str, str]] = frozenset()
    recorded_code: frozenset[tuple[str, str]] = frozenset()
    typed: bool = True

    def __post_init__(self) -> None:
        self.packages = tuple(each for each in self.named if "://" not in each)
        self.addresses = frozenset(_named_origin(each) for each in self.named if "://" in each)

    def state_of(self, sending: Sending, *, usual: bool) -> State:
        """Why the secret may be sent, or that it may not."""
        if usual:
            return "usual"
        if not self.is_of_others(sending.place):
            return "typed"
        if self._is_named(sending):
            return "trusted"
        if sending.kind == "code":
            recorded = (sending.address, sending.digest) in self.recorded_code
        else:
            recorded = (sending.key, sending.address) in self.recorded
        if sending.place == self.journal and recorded:
            return "allowed"
        consent = consent_to(sending)
        return "allowed" if consent and self.consents.holds(consent) else "untrusted"

    def is_of_others(self, place: Place) -> bool:
        """Whether the value stands in a file that did not come with this package, or did so when
        the run was recorded."""
        if not self.typed and not from_package(place):
            return True
        return place == self.journal or from_file(place)

    def _is_named(self, sending: Sending) -> bool:
        if sending.kind == "code":
            return any(_names_code(each, sending) for each in self.named)
        if sending.kind == "command":
            return sending.address in self.named
        if sending.kind == "package":
            return any(f"{sending.address}.".startswith(f"{each}.") for each in self.packages)
        return sending.address in self.addresses


def refusal(sending: Sending, *, asks: bool) -> UntrustedError:
    """The error for a sending that nobody has allowed. `asks` says that a person may be asked."""
    return UntrustedError(
        f"{_wish(sending)}, because this file says so, and nobody has allowed it"
        f"\nallow it with: {sending.trust_option}",
        sending=sending,
        asks=asks,
        place=sending.place,
        path=sending.service,
    )


def _wish(sending: Sending) -> str:
    """What a file wants, in words."""
    if sending.kind == "code":
        return f"{sending.address} is Python code beside the run file, and would be run"
    if sending.kind == "command":
        given = f" with {sending.key} in its environment" if sending.key else ""
        return f"the command {sending.address!r} would be run{given}"
    what = sending.key or "what functions are called with"
    return (
        f"{what} would be sent to {'the package ' * (sending.kind == 'package')}{sending.address}"
    )


def asks_person(values: Mapping[str, Any]) -> bool:
    """Whether a person at the terminal may be asked in a run of this config: not where it says
    that its questions are for later, for nobody, or answered by a file."""
    human = values.get("human")
    target = human.get("_target_") if isinstance(human, Mapping) else None
    return target not in NOBODY


def consent_to(sending: Sending) -> Consent | None:
    """The yes that the sending needs; None where its file cannot be read again."""
    if sending.file is None:
        return None
    try:
        digest = hashlib.sha256(sending.file.read_bytes())
        digest.update(sending.digest.encode())
        for each in sending.files:
            digest.update(hashlib.sha256(each.read_bytes()).digest())
    except OSError:
        return None
    return Consent(str(sending.file), digest.hexdigest(), sending.address, sending.key)


def from_package(place: Place) -> bool:
    """Whether the value stands in a file that came with this package."""
    own = project_configs()
    if place.line is None or own is None:
        return False
    return Path(place.origin).resolve().is_relative_to(own.resolve())


def from_file(place: Place) -> bool:
    """Whether the value stands in a file that did not come with this package."""
    return place.line is not None and not from_package(place)


def sendings_of(
    maker: Any,
    found: Registered,
    values: Mapping[str, Any],
    composed: Composed,
    path: ConfigPath,
    trust: Trust,
) -> Iterator[Sending]:
    """What the service at `path` sends where. Errors: `ConfigError` for an address that is none."""
    service = ".".join(map(str, path))
    for each in _destinations(maker, found, values, composed, path):
        place = _place_of(each, composed, path, trust)
        parted = _is_parted(each, composed, path, trust)
        usual = not parted if each.written else each.usual
        told = Sending(
            service,
            found.name,
            each.address,
            each.key,
            place,
            file=file_at(place, composed.sources),
            kind=_kind(each, found),
            files=each.files,
        )
        yield replace(told, state=trust.state_of(told, usual=usual))


def _destinations(
    maker: Any, found: Registered, values: Mapping[str, Any], composed: Composed, path: ConfigPath
) -> tuple[Destination, ...]:
    declared = getattr(maker, "destinations", None)
    try:
        if declared is not None and found.source == OWN_PACKAGE:
            return tuple(declared(values))
        return tuple(_foreign(found, values, tuple(getattr(maker, "needs", ()))))
    except ValueError as error:
        at = (*path, "base_url")
        place = composed.place(at)
        raise ConfigError(str(error), place=place, path=".".join(map(str, at))) from error


def _foreign(
    found: Registered, values: Mapping[str, Any], needs: Sequence[str]
) -> Iterator[Destination]:
    """What a service of another package may do with what its config holds: any of its secrets can
    go to any of its addresses."""
    leaves = list(_leaves({key: each for key, each in values.items() if key not in needs}, ()))
    secrets = [(name, at) for at, value in leaves if (name := env_name(value))]
    if found.source == OWN_PACKAGE and not secrets:
        return
    package = module_of(found)
    hosts = [(_origin(value), at) for at, value in leaves if _names_host(at, value)]
    for address, at in hosts or ([(package, ())] if secrets else []):
        for name, where in secrets or [(f"any key that {package} takes from the environment", ())]:
            yield Destination(address, name, False, at, where)


def _kind(destination: Destination, found: Registered) -> Kind:
    if destination.is_command:
        return "command"
    return "package" if destination.address == module_of(found) else "address"


def _names_code(named: str, sending: Sending) -> bool:
    """Whether a word of `--trust` is the path of the code, from the run file or from here."""
    if f"./{PurePath(named)}" == sending.address:
        return True
    return named.endswith(".py") and Path(named).absolute() == sending.files[0].absolute()


def module_of(found: Registered) -> str:
    """The module that the code of a name is in."""
    return found.reference.partition(":")[0]


def _leaves(values: Any, at: ConfigPath) -> Iterator[tuple[ConfigPath, Any]]:
    if isinstance(values, Mapping):
        for key, each in values.items():
            yield from _leaves(each, (*at, key))
    elif isinstance(values, list):
        for number, each in enumerate(values):
            yield from _leaves(each, (*at, number))
    else:
        yield at, values


def _names_host(at: ConfigPath, value: Any) -> bool:
    if not isinstance(value, str) or env_name(value):
        return False
    return _URL.match(value) is not None or str(at[-1]).lower() in _HOSTS


def _origin(value: str) -> str:
    value = value.strip()
    return origin_of(value) if "://" in value else origin_of(f"any://{value}").partition("://")[2]


def _named_origin(address: str) -> str:
    try:
        return origin_of(address)
    except ValueError as error:
        raise ConfigError(f"--trust {address!r}: {error}") from error


def _place_of(
    destination: Destination, composed: Composed, path: ConfigPath, trust: Trust
) -> Place:
    """Where the pairing was written: in a file, if one of its two halves was."""
    named = [each for each in (destination.address_at, destination.secret_at) if each]
    places = [composed.place((*path, *each)) for each in named] or [composed.place(path)]
    return next((each for each in places if trust.is_of_others(each)), places[0])


def _is_parted(
    destination: Destination, composed: Composed, path: ConfigPath, trust: Trust
) -> bool:
    """Whether a file names the address of a secret that is written out somewhere else."""
    address = composed.place((*path, *destination.address_at))
    secret = composed.place((*path, *destination.secret_at))
    is_named = bool(destination.address_at) and trust.is_of_others(address)
    return is_named and address.origin != secret.origin


def file_at(place: Place, files: Sequence[Path]) -> Path | None:
    found = Path(place.origin).resolve()
    return next((each for each in files if each.resolve() == found), None)
