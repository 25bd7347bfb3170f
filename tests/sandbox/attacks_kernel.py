"""Parts of the kernel that data code never needs, and becoming someone else."""

from __future__ import annotations

from tests.sandbox.attack import Attack, claimed, leaked

KERNEL = "the kernel"
RIGHTS = "rights"
MEMORY = "shared memory"


def _asks(name: str, code: str) -> Attack:
    return Attack(name, KERNEL, claimed, code)


def _gains(name: str, code: str) -> Attack:
    return Attack(name, RIGHTS, claimed, code)


def _shares(name: str, code: str) -> Attack:
    return Attack(name, MEMORY, claimed, code)


# In another process, where there is one, so that what is gained is gone with it.
APART = """
def apart(what):
    r, w = os.pipe()
    try:
        child = os.fork()
    except OSError:
        return what()
    if child == 0:
        try:
            os.write(w, b"y" if what() in (None, True) else b"n")
        except BaseException:
            pass
        os._exit(0)
    os.waitpid(child, 0)
    os.close(w)
    return os.read(r, 1) == b"y"
"""

ATTACKS = (
    _asks("io_uring", "claim(call('io_uring_setup', 8, ctypes.create_string_buffer(120)) >= 0)"),
    _asks("keys", "claim(call('keyctl', 0, -3, 1) != 0)"),
    _asks("a key of one's own", "claim(call('add_key', b'user', b'x', b'y', 1, -2) != 0)"),
    _asks(
        "bpf",
        """
import struct
given = ctypes.create_string_buffer(struct.pack("IIII", 1, 4, 8, 4) + b"\\0" * 112, 128)
claim(call("bpf", 0, given, 128) >= 0)
""",
    ),
    _asks(
        "performance counters",
        """
import struct
given = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 0) + b"\\0" * 24
                                    + struct.pack("Q", 0b1100001) + b"\\0" * 64, 112)
claim(call("perf_event_open", given, 0, -1, -1, 0) >= 0)
""",
    ),
    _asks("userfaultfd", "claim(call('userfaultfd', 1) >= 0)"),
    _asks("a file in memory", "claim(call('memfd_create', b'x', 0) >= 0)"),
    _asks("the layout of memory", "claim(call('personality', 0x0040000) >= 0)"),
    _asks(
        "a table of segments",
        "claim(call('modify_ldt', 0, ctypes.create_string_buffer(16), 16) >= 0)",
    ),
    _asks(
        "the handle of a file",
        """
handle = ctypes.create_string_buffer(b"\\x80\\0\\0\\0" + b"\\0" * 140)
mount = ctypes.create_string_buffer(8)
claim(call("name_to_handle_at", -100, b"/", handle, mount, 0) == 0)
""",
    ),
    _asks("advice on another's memory", "claim(call('process_madvise', -1, 0, 0, 0, 0) >= 0)"),
    _asks(
        "watching a folder",
        "claim(_c.inotify_add_watch(_c.inotify_init(), W['home'].encode(), 2) >= 0)",
    ),
    _asks("watching all files", "claim(call('fanotify_init', 0x200, 0) >= 0)"),
    _asks(
        "a queue of messages with a name",
        "claim(call('mq_open', W['mark'].encode(), os.O_CREAT | os.O_RDWR, 0o600, 0) >= 0)",
    ),
    _asks("the clock", "import time; time.clock_settime(0, time.time()); claim()"),
    _asks(
        "the name of the machine",
        "n = os.uname().nodename.encode(); call('sethostname', n, len(n)); claim()",
    ),
    _asks("ports of the machine", APART + "claim(apart(lambda: call('iopl', 3) == 0))"),
    _gains(
        "a namespace in which one is root",
        APART + "claim(apart(lambda: call('unshare', 0x10000000) == 0))",
    ),
    _gains(
        "a namespace of mounts",
        APART + "claim(apart(lambda: call('unshare', 0x10020000) == 0))",
    ),
    _gains(
        "a network of one's own",
        APART + "claim(apart(lambda: call('unshare', 0x50000000) == 0))",
    ),
    _gains(
        "mounting",
        APART
        + """
def mount():
    call("unshare", 0x10020000)
    return call("mount", b"none", b"/tmp", b"tmpfs", 0, 0) == 0
claim(apart(mount))
""",
    ),
    _gains(
        "a file system without a place",
        APART
        + "claim(apart(lambda: call('unshare', 0x10020000) + call('fsopen', b'tmpfs', 0) > 0))",
    ),
    _gains(
        "another root",
        APART + "claim(apart(lambda: (call('unshare', 0x10000000), os.chroot('.'))[1] is None))",
    ),
    _gains(
        "clone into a namespace",
        """
child = call("clone", 0x10000000 | 17, 0, 0, 0, 0)
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
claim()
""",
    ),
    _gains(
        "entering the namespaces of another",
        APART
        + """
def enter():
    fd = os.open(f"/proc/{W['victim']}/ns/user", os.O_RDONLY)
    try:
        call("setns", fd, 0)
    except OSError as error:
        return error.errno == 22  # it is one's own already, and would have been entered
claim(apart(enter))
""",
    ),
    _gains("another user", APART + "claim(apart(lambda: os.setuid(65533)))"),
    _gains("the owner of a file", "open('x', 'w').close(); os.chown('x', 65533, 65533); claim()"),
    _gains("a device", "os.mknod('null', 0o20666, os.makedev(1, 3)); claim()"),
    _gains("the memory of the machine", "claim(os.open('/dev/mem', os.O_RDONLY) >= 0)"),
    _gains(
        "the log of the kernel",
        "claim(len(os.read(os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK), 9000)) > 0)",
    ),
    _gains(
        "privileges from a program",
        "claim(_c.prctl(39, 0, 0, 0, 0) == 0)",
    ),
    _gains("being looked into by others", "claim(_c.prctl(4, 1, 0, 0, 0) == 0)"),
    _gains(
        "a file that gives its rights to who runs it",
        """
open("x", "w").write("#!/bin/sh\\n")
os.chmod("x", 0o4755)
info = os.stat("x")
claim(info.st_mode & 0o4000 and not os.statvfs(".").f_flag & os.ST_NOSUID)
""",
    ),
    _shares("a segment of memory", "claim(call('shmget', 0, 4096, 0o1600) >= 0)"),
    _shares("a queue of messages", "claim(call('msgget', 0, 0o1600) >= 0)"),
    _shares("a set of semaphores", "claim(call('semget', 0, 1, 0o1600) >= 0)"),
    Attack(
        "a segment of the user's",
        MEMORY,
        leaked,
        """
_c.shmat.restype = ctypes.c_void_p
at = _c.shmat(W["segment"], None, 0o10000)
assert at not in (None, 2 ** 64 - 1)
print(ctypes.string_at(at, 40))
""",
    ),
    _shares(
        "memory under a name",
        """
from multiprocessing import shared_memory
one = shared_memory.SharedMemory(name=W["mark"], create=True, size=1000)
claim()
one.close()
one.unlink()
""",
    ),
)
