"""Reaching anyone at all."""

from __future__ import annotations

from tests.sandbox.attack import Attack, claimed, reached

NETWORK = "the network"


def _reaches(name: str, code: str) -> Attack:
    return Attack(name, NETWORK, reached, f"import socket\n{code}")


def _may(name: str, code: str) -> Attack:
    return Attack(name, NETWORK, claimed, f"import socket\n{code}")


ATTACKS = (
    _reaches("TCP", "socket.create_connection(('127.0.0.1', W['ports'][0]), 2).send(b'x')"),
    _reaches("TCP over IPv6", "socket.create_connection(('::1', W['ports'][1]), 2).send(b'x')"),
    _reaches(
        "UDP",
        "s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', W['ports'][2]))",
    ),
    _reaches(
        "a question to a name server",
        """
query = b"\\x12\\x34\\x01\\0\\0\\x01\\0\\0\\0\\0\\0\\0\\x06secret\\x07example\\0\\0\\x01\\0\\x01"
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("127.0.0.1", W["ports"][2]))
s.send(query)
""",
    ),
    _reaches(
        "HTTP",
        """
from urllib.request import urlopen
urlopen(f"http://127.0.0.1:{W['ports'][0]}/?secret", timeout=0.5)
""",
    ),
    _reaches(
        "a table from an address",
        """
socket.setdefaulttimeout(0.5)
import pandas
pandas.read_csv(f"http://127.0.0.1:{W['ports'][0]}/x.csv")
""",
    ),
    _reaches(
        "asyncio",
        """
import asyncio
asyncio.run(asyncio.wait_for(asyncio.open_connection("127.0.0.1", W["ports"][0]), 1))
""",
    ),
    _reaches(
        "a socket at a path",
        "socket.socket(socket.AF_UNIX).connect(W['outside'] + '/stream')",
    ),
    _reaches(
        "a message to a socket at a path",
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', W['outside'] + '/datagram')",
    ),
    _reaches(
        "a socket of an abstract name, as of a message bus",
        "socket.socket(socket.AF_UNIX).connect('\\0' + W['abstract'])",
    ),
    _reaches(
        "a message from one of a pair of sockets",
        """
for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
    for one in socket.socketpair(socket.AF_UNIX, kind):
        try:
            one.sendto(b"x", W["outside"] + "/datagram")
        except OSError:
            try:
                one.sendmsg([b"x"], [], 0, W["outside"] + "/datagram")
            except OSError:
                pass
""",
    ),
    _may(
        "waiting for callers",
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); claim()",
    ),
    _may(
        "waiting for callers at a path",
        "s = socket.socket(socket.AF_UNIX); s.bind('own'); s.listen(); claim()",
    ),
    _may(
        "the kernel's own sockets", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); claim()"
    ),
    _may(
        "a socket by the number of the call",
        "call('socket', socket.AF_INET, socket.SOCK_STREAM, 0); claim()",
    ),
    _may("sockets of the kernel's cryptography", "socket.socket(38, 5, 0); claim()"),
    _may("a socket to a machine's host", "socket.socket(40, socket.SOCK_STREAM); claim()"),
)
