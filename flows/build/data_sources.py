"""What a run does with a data source: it reads a file, or asks a server."""

from __future__ import annotations

from flows.build.files import FileUse
from flows.build.trust import Sending
from flows.config.secret import env_name, resolve_secret
from flows.data.files.source_options import SourceOptions
from flows.data.servers import is_server, shown_address
from flows.errors import Place


def use_of_source(
    name: str, where: str | SourceOptions, place: Place, *, live: bool
) -> FileUse | Sending:
    """The file that the source is, or the server that is asked, without its password. With `live`
    an environment variable that holds its address is read."""
    text, key = (where if isinstance(where, str) else where.path), f"data.{name}"
    variable = env_name(where)
    if not is_server(resolve_secret(text) if variable and live else text):
        return FileUse(key, text)
    address = f"the address in {variable}" if variable else shown_address(text)
    return Sending(key, "data", address, variable or "", place)
