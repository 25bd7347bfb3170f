"""What a graph was made of, so that a later one can be told from it: code, config, prompts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from pydantic_core import from_json, to_json

from flows.config.own_modules import own_module_of
from flows.config.secret import without_secrets
from flows.core.flow import Flow, walk

ENGINE = "flows.core"


def fingerprints(flow: Flow) -> dict[str, object]:
    """`flows`: for each path the digests of its code, its own config and its prompts by name;
    `prompts`: the prompts' texts by their digests, each once."""
    flows: dict[str, object] = {}
    texts: dict[str, str] = {}
    for _, each in walk(flow):
        prompts = {name: digest_of(text.encode()) for name, text in each.prompts().items()}
        texts |= {digest_of(text.encode()): text for text in each.prompts().values()}
        flows[each.path] = {
            "code": code_of(each),
            "config": digest_of(_config_text(each)),
            **({"prompts": prompts} if prompts else {}),
        }
    return {"flows": flows, "prompts": texts}


def _config_text(flow: Flow) -> bytes:
    """The flow's own keys as they are kept: without those of its subflows, and no secret."""
    text = to_json(flow.config, exclude={"subflows_config"}, fallback=str)
    return to_json(without_secrets(from_json(text)))


def digest_of(content: bytes) -> str:
    """A digest that is long enough to tell versions apart."""
    return blake2b(content, digest_size=8).hexdigest()


def code_of(flow: Flow) -> str:
    """A digest of which class a flow is, or runs, and of the files that define it, its bases and
    its inputs, but for the engine's. Of a file beside the run file all counts that it imports from
    there."""
    kind = flow.code_class
    own = own_module_of(kind.__module__)
    module = own.name if own is not None else kind.__module__
    files = tuple(_files_of(*kind.__mro__, *type(flow).__mro__, flow.inputs_type))
    return _code_digest(f"{module}.{kind.__qualname__}", files, own and own.digest)


@lru_cache(maxsize=1024)
def _code_digest(name: str, files: tuple[_File, ...], own: str | None) -> str:
    """The digest of a class; a graph has many flows of one class, and a process many graphs."""
    parts = [name.encode(), *(each.path.read_bytes() for each in files)]
    return digest_of(b"\0".join(parts if own is None else (*parts, own.encode())))


class _File(NamedTuple):
    """A file as it is now: one that has been written since is another."""

    path: Path
    written: int
    size: int
    node: int


def _files_of(*kinds: type) -> Iterator[_File]:
    seen: set[str] = set()
    for each in kinds:
        name = each.__module__
        known = name in seen or name == ENGINE or name.startswith(f"{ENGINE}.")
        seen.add(name)
        if known or own_module_of(name) is not None:  # its digest stands for all of it
            continue
        file = getattr(sys.modules.get(name), "__file__", None)
        if name == "builtins" or file is None:
            continue
        path = Path(file)
        with suppress(OSError):
            found = path.stat()
            if S_ISREG(found.st_mode):
                yield _File(path, found.st_mtime_ns, found.st_size, found.st_ino)
