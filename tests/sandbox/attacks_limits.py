"""Using more than is given. With the sandbox off they stop where it is seen that they could."""

from __future__ import annotations

from tests.sandbox.attack import Attack, Outcome, claimed, either, late, leaked, told_of

LIMITS = "limits"
FLOODS = "floods"
MB = 1 << 20


def _takes(name: str, code: str) -> Attack:
    return Attack(name, LIMITS, claimed, code, seconds=8.0)


def _floods(name: str, code: str) -> Attack:
    return Attack(name, FLOODS, either(too_much, late), code, seconds=1.0)


def too_much(outcome: Outcome) -> bool:
    """More came back than the host asked for; see `suite.CONFIG`."""
    last = outcome.last
    content = [len(each.content) for each in (*last.files, *last.models)]
    return (
        max(len(last.stdout), len(last.stderr)) > 50_000
        or len(content) > 12
        or max(content, default=0) > 10 * MB
        or len(str(told_of(last))) > 40 * MB
        or any(len(each.parquet) > 10 * MB for each in last.tables)
    )


ATTACKS = (
    _takes(
        "memory in small pieces",
        """
kept = []
for _ in range(32):
    kept.append(bytearray(os.urandom(1 << 10) * (32 << 10)))
claim()
""",
    ),
    _takes("memory in one piece", "x = bytearray(1 << 30); claim(len(x))"),
    _takes("memory for numpy", "import numpy; x = numpy.ones(1 << 27); claim(x.size)"),
    _takes(
        "memory that is shared",
        """
import mmap
x = mmap.mmap(-1, 1 << 30)
for at in range(0, len(x), 4096):
    x[at] = 1
claim()
""",
    ),
    _takes(
        "memory in pipes",
        """
import fcntl
kept, held = [], 0
while held < (900 << 20) and len(kept) < 20_000:
    r, w = os.pipe()
    kept.append((r, w))
    os.set_blocking(w, False)
    try:
        fcntl.fcntl(w, 1031, 1 << 20)
    except OSError:
        pass
    try:
        while True:
            held += os.write(w, b"x" * 65536)
    except BlockingIOError:
        pass
claim(held >= 850 << 20)
""",
    ),
    _takes(
        "memory in a file of shared memory",
        """
with open("/dev/shm/" + W["mark"], "wb") as file:
    for _ in range(80):
        file.write(b"x" * (1 << 24))
claim()
""",
    ),
    _takes(
        "memory in /tmp",
        """
if not W["off"]:
    with open("/tmp/" + W["mark"], "wb") as file:
        for _ in range(80):
            file.write(b"x" * (1 << 24))
claim()
""",
    ),
    _takes(
        "a file without end",
        """
with open("big", "wb") as file:
    for _ in range(80 if not W["off"] else 40):
        file.write(b"x" * (1 << 24))
claim()
""",
    ),
    _takes("a file of a terabyte", "open('big', 'wb').truncate(1 << 40); claim()"),
    _takes(
        "room for a file",
        "f = open('big', 'wb'); call('fallocate', f.fileno(), 0, 0, 512 << 20); claim()",
    ),
    _takes(
        "many files",
        """
import time
for number in range(220):
    with open(f"part{number}", "wb") as file:
        file.write(b"x" * (6 << 20))
time.sleep(0.5)
claim()
""",
    ),
    _takes(
        "very many empty files",
        """
import time
for number in range(60_000):
    os.close(os.open(f"part{number}", os.O_CREAT | os.O_WRONLY))
time.sleep(0.5)
claim()
""",
    ),
    _takes(
        "very many open files",
        """
import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
for _ in range(12_000):
    os.open("/dev/null", os.O_RDONLY)
claim()
""",
    ),
    _takes(
        "a higher limit of memory",
        """
import resource
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
claim()
""",
    ),
    _takes(
        "a higher limit by another call",
        """
import resource
resource.prlimit(0, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
claim()
""",
    ),
    _takes(
        "core dumps",
        "import resource; resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20)); claim()",
    ),
    _takes(
        "a place at the front of the queue",
        "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)); claim()",
    ),
    _takes("locked memory", "claim(_c.mlockall(3) == 0 and W['off'])"),
    Attack(
        "what the host is told on its standard input",
        LIMITS,
        either(leaked, late),
        "print(sys.stdin.read())",
        seconds=2.0,
    ),
    Attack(
        "the standard input by its number",
        LIMITS,
        either(leaked, late),
        "print(os.read(0, 1000))",
        seconds=2.0,
    ),
    _floods("printing", "print('x' * 50_000_000)"),
    _floods("printing without end", "while True: print('x' * 1000)"),
    _floods("errors without end", "while True: sys.stderr.write('x' * 10000)"),
    _floods(
        "writing past Python's own output",
        "import threading\nwhile True: os.write(1, b'x' * 65536)",
    ),
    _floods("a variable with a long text", "x = 'x' * 100_000_000"),
    _floods(
        "a hundred thousand variables",
        "for n in range(100_000): globals()[f'v{n}'] = 'x' * 300",
    ),
    _floods("many result files", "for n in range(500): open(f'r{n}.txt', 'w').write('x')"),
    _floods("a large result file", "open('r.bin', 'wb').write(b'x' * (20 << 20))"),
    _floods("a result file full of holes", "open('r.bin', 'wb').truncate(60 << 20)"),
    _floods(
        "a long table",
        "import pandas; table = pandas.DataFrame({'x': range(3_000_000)})",
    ),
    _floods(
        "a wide table",
        "import pandas; table = pandas.DataFrame([['x' * 50] * 20_000] * 20)",
    ),
    _floods(
        "cells of a hundred megabytes",
        "import pandas; table = pandas.DataFrame({'x': ['y' * 100_000_000]})",
    ),
    _floods(
        "many figures",
        """
import matplotlib.pyplot as plt
for n in range(60):
    plt.figure(figsize=(1, 1))
""",
    ),
    _floods(
        "an enormous figure",
        "plt.figure(figsize=(600, 600), dpi=100); plt.plot([1, 2])",
    ),
    _floods(
        "an error with a long message",
        "raise ValueError('x' * 60_000_000)",
    ),
    _floods(
        "errors within errors",
        """
def fail(n):
    try:
        if n:
            fail(n - 1)
        raise ValueError("x" * 10000)
    except ValueError as error:
        raise KeyError("y" * 10000) from error
fail(200)
""",
    ),
)
