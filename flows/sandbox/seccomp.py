"""The seccomp filter: which system calls a walled process may make. It can only be tightened."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import struct

from flows.sandbox import libc
from flows.sandbox.syscalls import LAST_KNOWN, MACHINES, Machine

_LOAD, _EQUAL, _GREATER_OR_EQUAL, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020080  # CLONE_NEW*, in clone(2)
_AF_UNIX, _SOCK_STREAM, _SOCK_TYPES = 1, 1, 0xF
_TIOCSTI, _TIOCLINUX, _TIOCSETD = 0x5412, 0x541C, 0x5423
_PERSONALITY_QUERY = 0xFFFFFFFF
# PDEATHSIG, DUMPABLE, KEEPCAPS, TIMING, SECUREBITS, MM, PTRACER, SUBREAPER: what a process could
# undo of its own walls with.
_PRCTL_DENIED = (1, 4, 8, 14, 28, 35, 36, 0x59616D61)

_INSTRUCTION = struct.Struct("=HBBI")
_OWN_PID = 0x7FFFFFFE  # above the highest pid that Linux gives
Instruction = tuple[int, int, int, int]
_DENY: Instruction = (_RETURN, 0, 0, _ERROR | errno.EPERM)
_ABSENT: Instruction = (_RETURN, 0, 0, _ERROR | errno.ENOSYS)
_PASS: Instruction = (_RETURN, 0, 0, _ALLOW)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def put_up(*, processes: bool, network: bool) -> str:
    """Install the filter for this process and what it starts. Raises OSError when it cannot."""
    machine = MACHINES.get(platform.machine())
    if machine is None or os.name != "posix" or platform.system() != "Linux":
        raise OSError(errno.ENOSYS, f"no filter for {platform.system()} {platform.machine()}")
    code = packed(machine, processes=processes, network=network, pid=os.getpid())
    buffer = ctypes.create_string_buffer(code, len(code))
    described = _Program(len(code) // _INSTRUCTION.size, ctypes.cast(buffer, ctypes.c_void_p))
    libc.prctl(libc.PR_SET_SECCOMP, 2, ctypes.addressof(described))
    return "seccomp filter"


def packed(machine: Machine, *, processes: bool, network: bool, pid: int) -> bytes:
    """The filter as the kernel takes it. All but the pid is made once, before processes fork."""
    made, places = _packed(machine, processes, network)
    code = bytearray(made)
    for place in places:
        struct.pack_into("=I", code, place, pid)
    return bytes(code)


@functools.cache
def _packed(machine: Machine, processes: bool, network: bool) -> tuple[bytes, tuple[int, ...]]:
    program = assemble(machine, processes=processes, network=network, pid=_OWN_PID)
    code = b"".join(_INSTRUCTION.pack(*each) for each in program)
    size = _INSTRUCTION.size
    places = [number * size + 4 for number, each in enumerate(program) if each[3] == _OWN_PID]
    return code, tuple(places)


def assemble(machine: Machine, *, processes: bool, network: bool, pid: int) -> list[Instruction]:
    """The filter as BPF instructions (code, jump if true, jump if false, operand)."""
    program: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine.second_abi is not None:
        program += [(_GREATER_OR_EQUAL, 0, 1, machine.second_abi), _DENY]
    program += [(_GREATER_OR_EQUAL, 0, 1, LAST_KNOWN + 1), _ABSENT]
    for number in machine.denied():
        program += [(_EQUAL, 0, 1, number), _DENY]
    program += _of_processes(machine, processes, pid) + _of_sockets(machine, network)
    program += _on(machine, "ioctl", _low(1), *_is_one_of(_TIOCSTI, _TIOCLINUX, _TIOCSETD))
    program += _on(
        machine, "personality", _low(0), (_EQUAL, 1, 0, _PERSONALITY_QUERY), _DENY, _PASS
    )
    return [*program, _PASS]


def _of_processes(machine: Machine, processes: bool, pid: int) -> list[Instruction]:
    program = _on(machine, "clone3", _ABSENT)
    program += _on(
        machine,
        "clone",
        _low(0),
        (_ANY_BIT, 0, 1, _CLONE_NAMESPACES),
        _DENY,
        *((_PASS,) if processes else ((_ANY_BIT, 1, 0, _CLONE_THREAD), _DENY, _PASS)),
    )
    if processes:
        return program
    # setsid and setpgid would leave the group that is killed together.
    for name in ("fork", "vfork", "tkill", "setsid", "setpgid"):
        program += _on(machine, name, _DENY)
    for name in ("kill", "tgkill"):
        program += _on(machine, name, _low(0), (_EQUAL, 1, 0, pid), _DENY, _PASS)
    own = ((_EQUAL, 2, 0, 0), (_EQUAL, 1, 0, pid), _DENY, _PASS)
    program += _on(machine, "prlimit64", _low(0), *own)
    return program + _on(machine, "prctl", _low(0), *_is_one_of(*_PRCTL_DENIED))


def _of_sockets(machine: Machine, network: bool) -> list[Instruction]:
    """Without network only a connected pair of one's own can be made, as asyncio's loops do.

    A stream in a pair cannot be given another peer; a datagram could, by the address in a message.
    """
    if network:
        return []
    program: list[Instruction] = []
    for number in machine.network():
        program += [(_EQUAL, 0, 1, number), _DENY]
    program += _on(machine, "socket", _DENY)
    program += _on(
        machine,
        "socketpair",
        *(_low(0), (_EQUAL, 1, 0, _AF_UNIX), _DENY),
        *(_low(1), (_AND, 0, 0, _SOCK_TYPES), (_EQUAL, 1, 0, _SOCK_STREAM), _DENY, _PASS),
    )
    address = (_low(4), (_EQUAL, 1, 0, 0), _DENY, _high(4), (_EQUAL, 1, 0, 0), _DENY, _PASS)
    return program + _on(machine, "sendto", *address)


def _on(machine: Machine, name: str, *body: Instruction) -> list[Instruction]:
    """The body for one system call; it must end in a return, since it loads other words."""
    number = machine.number(name)
    return [] if number is None else [(_EQUAL, 0, len(body), number), *body]


def _is_one_of(*operands: int) -> list[Instruction]:
    tests = [each for operand in operands for each in ((_EQUAL, 0, 1, operand), _DENY)]
    return [*tests, _PASS]


def _low(argument: int) -> Instruction:
    """Load the low half of an argument: both machines are little-endian."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)


def _high(argument: int) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument + 4)
