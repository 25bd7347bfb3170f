"""Asking the person whether a file may run its code, or send a secret where it wants to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from flows.build.trust import Sending, Trust, consent_to
from flows.errors import CheckError, ConfigError, UntrustedError
from flows.human.confirm import confirm, somebody_is_there
from flows.human.prompt import show

T = TypeVar("T")


def with_consent(named: Sequence[str], make: Callable[[Trust], T]) -> T:
    """What `make` builds, after the person has said yes to what is not trusted yet.

    `named` are the packages and addresses of `--trust`. Each yes is kept for the file as it is now.
    Errors: those of `make`; the `UntrustedError` itself after a no, or where nobody can be asked.
    """
    trust = Trust(named)
    while True:
        try:
            return make(trust)
        except ConfigError as error:
            known = len(trust.consents.given)
            sendings = _asked(error)
            if not all(_is_allowed(each, trust) for each in sendings):
                raise
            if len(trust.consents.given) == known:
                raise


def _asked(error: ConfigError) -> list[Sending]:
    """The sendings to ask about; none if something else is wrong, or nobody can be asked."""
    faults = error.errors if isinstance(error, CheckError) else (error,)
    refused = [each for each in faults if isinstance(each, UntrustedError) and each.asks]
    if len(refused) < len(faults) or not somebody_is_there():
        return []
    return [each.sending for each in refused]


def _is_allowed(sending: Sending, trust: Trust) -> bool:
    consent = consent_to(sending)
    if consent is None:
        return False
    if consent.digest in trust.consents.given:  # two steps of one file
        return True
    show(_question(sending))
    if not confirm("Allow it for this file, as it is now?"):
        return False
    trust.consents.give(consent)
    return True


def _question(sending: Sending) -> str:
    """What the file wants to do, line by line."""
    if sending.kind == "code":
        head, where = "wants to run Python code beside it, with all that you may do", "code"
    elif sending.kind == "command":
        head, where = "wants to run a command of its own choice", "command"
    elif sending.key:
        head, where = "wants to send a secret to an address of its own choice", "address"
    else:
        head, where = "wants to call functions at an address of its own choice", "address"
    secret = f"  the secret   {sending.key}\n" if sending.key else ""
    files = "".join(f"  with file    {each}\n" for each in sending.files)
    return (
        f"\n{sending.place} {head}:\n{secret}  the {where:<8} {sending.address}\n{files}"
        f"  for          {sending.service or 'the flow'} ({sending.target})\n"
    )
