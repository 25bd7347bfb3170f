"""The program that reads documents: a child process behind walls, since nobody trusts a file.

    python boot.py ... flows.data.documents.worker SOCKET PARENT

`SOCKET` is the number of an open socket to the host, whose process is `PARENT`. Each request is a
head of JSON and the bytes of a file; the process itself opens none.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Sequence

from flows.data.documents.blocks import UnreadableDocument
from flows.data.documents.frames import ReadOrder, ReadReport, receive_head, receive_rest, send
from flows.data.documents.reading import read_document
from flows.sandbox import libc
from flows.sandbox.read_access import readable
from flows.sandbox.walls import Walls, raise_walls

MEMORY = 1536 << 20
# The host ends a process that takes too long; should the host be gone, it ends by itself.
_SPARE_SECONDS = 10


def main(arguments: Sequence[str]) -> int:
    """Read one document after the other until the host closes its end."""
    number, parent = (int(each) for each in arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    libc.end_with_parent(parent)
    raise_walls(Walls(read=readable(), memory=MEMORY, file_bytes=0, open_files=64))
    with socket.socket(fileno=number) as host:
        while (head := receive_head(host)) is not None:
            asked = ReadOrder.model_validate_json(head)
            content = receive_rest(host, asked.size)
            send(host, _told(asked, content).model_dump_json().encode())
    return 0


def _told(asked: ReadOrder, content: bytes) -> ReadReport:
    signal.alarm(int(asked.seconds) + _SPARE_SECONDS)
    try:
        return ReadReport(blocks=read_document(asked.kind, content, layout=asked.layout))
    except UnreadableDocument as error:
        return ReadReport(problem=str(error))
    except MemoryError:
        return ReadReport(problem="takes too much memory to be read")
    except RecursionError:
        return ReadReport(problem="is nested too deeply")
    except Exception as error:  # noqa: BLE001 - parsers of broken files raise anything
        return ReadReport(problem=f"cannot be read: {type(error).__name__}: {str(error)[:200]}")
    finally:
        signal.alarm(0)
