"""Lying to the host in what comes back, and lying in wait for those who come after."""

from __future__ import annotations

from tests.sandbox.attack import Attack, Outcome, broke, changed, claimed, either, late, leaked

RESULTS = "results"
NEXT = "the next execution"


def dishonest(outcome: Outcome) -> bool:
    """An execution that printed `honest` and 2 says something else."""
    last = outcome.last
    return broke(outcome) or (last.stdout.strip(), last.status) != ("honest 2", "ok")


def bad_names(outcome: Outcome) -> bool:
    """A file came back under a name that is no plain file name."""
    names = [each.name for each in (*outcome.last.files, *outcome.last.models)]
    return any(
        not each.isprintable() or each[:1] in ("", ".", "/") or ".." in each.split("/")
        for each in names
    )


HONEST = "import pandas\nprint('honest', pandas.DataFrame({'x': [1, 2]}).shape[0])"


def _steals(name: str, code: str) -> Attack:
    return Attack(name, RESULTS, either(leaked, broke, late), code, seconds=1.5)


def _lies(name: str, code: str) -> Attack:
    return Attack(name, RESULTS, either(broke, late, changed), code, seconds=1.5)


def _poisons(name: str, code: str) -> Attack:
    return Attack(name, NEXT, dishonest, code, then=HONEST)


EVIL = """
class Evil:
    def __reduce__(self):
        return (os.system, (f"touch {W['outside']}/unpickled",))
"""

ATTACKS = (
    _steals("a link to a file as a result", "os.symlink(W['file'], 'result.txt')"),
    _steals("a link to a link", "os.symlink(W['file'], 'a'); os.symlink('a', 'result.csv')"),
    _steals("a link to a folder", "os.symlink(W['home'], 'results')"),
    _steals("a hard link as a result", "os.link(W['file'], 'result.txt')"),
    _steals(
        "a file that becomes a link while it is read",
        """
import threading, time
def swap():
    while True:
        for one, other in (("a.txt", "b.txt"), ("b.txt", "a.txt")):
            try:
                os.unlink("result.txt")
                os.symlink(W["file"], "result.txt")
                os.unlink("result.txt")
                open("result.txt", "w").write("x")
            except OSError:
                pass
threading.Thread(target=swap, daemon=True).start()
time.sleep(0.2)
""",
    ),
    _steals("a relative link", "os.symlink('../' * 30 + W['file'].lstrip('/'), 'result.txt')"),
    _steals(
        "links under the names of what the host reads",
        """
for name in ("result.json", "stdout", "stderr", "reply.json", "variables.json", "out.json",
             "table.parquet", "figure.png", "figure-1.png", "model.skops"):
    try:
        os.symlink(W["file"], name)
    except OSError:
        pass
""",
    ),
    _lies("a pipe as a result", "os.mkfifo('result.txt')"),
    _lies(
        "a socket as a result",
        "import socket; socket.socket(socket.AF_UNIX).bind('result.txt')",
    ),
    _lies("a pickle as a result", EVIL + "import pickle\npickle.dump(Evil(), open('m.pkl', 'wb'))"),
    _lies(
        "a pickle under the name of a model",
        EVIL + "import pickle\npickle.dump(Evil(), open('model.skops', 'wb'))",
    ),
    _lies("a pickle as a variable", EVIL + "evil = Evil()\nmodel = [evil]\nevil"),
    _lies("no table under the name of one", "open('table.parquet', 'wb').write(b'PAR1' * 1000)"),
    _lies("no picture under the name of one", "open('figure.png', 'wb').write(b'\\x89PNG' * 1000)"),
    _lies(
        "JSON without end",
        "open('figure.json', 'w').write('[' * 3_000_000)",
    ),
    _lies(
        "a figure that is deep",
        """
import plotly.graph_objects as go
deep = {}
for _ in range(500):
    deep = {"x": deep}
figure = go.Figure(layout={"meta": deep})
""",
    ),
    _lies(
        "an object that does not say what it is",
        """
class Odd:
    def __repr__(self):
        while True:
            pass
odd = Odd()
odd
""",
    ),
    _lies(
        "an object that raises at everything",
        """
class Odd:
    def __getattribute__(self, name):
        raise SystemExit(3)
    def __repr__(self):
        raise KeyboardInterrupt
odd = Odd()
odd
""",
    ),
    _lies(
        "an object of two faces",
        """
import pandas
class Frame(pandas.DataFrame):
    @property
    def shape(self):
        return ("many", None)
    def __len__(self):
        return -1
frame = Frame({"x": [1]})
class Type(type):
    def __repr__(self): return 1
    @property
    def __name__(self): return 17
class Thing(metaclass=Type):
    pass
thing = Thing()
""",
    ),
    _lies("an end at once", "os._exit(0)"),
    _lies("an end by a signal", "import signal; os.kill(os.getpid(), signal.SIGKILL)"),
    _lies("a crash", "ctypes.string_at(0)"),
    _lies("an end of all threads", "import threading\nraise SystemExit(17)"),
    _lies(
        "recursion without end",
        """
sys.setrecursionlimit(10 ** 9)
def deep(n):
    return deep(n + 1)
deep(0)
""",
    ),
    _lies("text that is none", "sys.stdout.buffer.write(b'\\xff\\xfe\\0' * 1000); x = '\\ud800'"),
    _lies("no standard output", "os.close(1); os.close(2); sys.stdout = None; sys.stderr = None"),
    _lies(
        "closed descriptors",
        "os.closerange(0, 1024)",
    ),
    _lies(
        "replaced descriptors",
        """
null = os.open("/dev/null", os.O_RDWR)
for fd in range(1024):
    if fd != null:
        try:
            os.fstat(fd)
            os.dup2(null, fd)
        except OSError:
            pass
""",
    ),
    Attack(
        "names of results that lead elsewhere",
        RESULTS,
        either(bad_names, broke, changed),
        """
for name in ("..\\\\evil.txt", "a\\nb.txt", "\\x1b[31mred.txt", "-rf", ".hidden", "\\u202etxt.exe",
             "a" * 255, "\\udcff", "con", " ", "%2e%2e%2fx"):
    try:
        open(name, "w").write("x")
    except (OSError, UnicodeError):
        pass
os.makedirs("a/b/c")
open("a/b/c/deep.txt", "w").write("x")
""",
    ),
    Attack(
        "a forged reply to the host",
        NEXT,
        dishonest,
        """
import json, struct
forged = json.dumps({"status": "ok", "stdout": "forged", "result": "forged", "id": 1}).encode()
for fd in range(3, 1024):
    for text in (forged + b"\\n", struct.pack("<I", len(forged)) + forged,
                 struct.pack(">I", len(forged)) + forged, struct.pack("<Q", len(forged)) + forged):
        try:
            os.set_blocking(fd, False)
            os.write(fd, text * 3)
        except OSError:
            break
""",
        then=HONEST,
    ),
    Attack(
        "an order to the process that forks",
        NEXT,
        dishonest,
        """
import socket
for fd in range(3, 1024):
    try:
        one = socket.socket(fileno=os.dup(fd))
        one.setblocking(False)
        one.sendmsg([b"\\0" * 64 + b'{"exit": true}\\n'])
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
""",
        then=HONEST,
    ),
    Attack(
        "an order that is read away",
        NEXT,
        dishonest,
        """
for fd in range(3, 1024):
    try:
        os.set_blocking(fd, False)
        os.read(fd, 1 << 20)
    except OSError:
        pass
""",
        then=HONEST,
    ),
    _poisons(
        "a library with other functions", "import pandas; pandas.DataFrame = lambda *a, **k: 17"
    ),
    _poisons("other built-in functions", "import builtins; builtins.print = lambda *a, **k: None"),
    _poisons("no modules", "sys.modules.clear(); sys.path.clear(); sys.meta_path.clear()"),
    _poisons(
        "a module beside the code",
        "open('pandas.py', 'w').write('raise SystemExit'); open('json.py', 'w').write('1/0')",
    ),
    _poisons(
        "the numbers themselves",
        "ctypes.c_int.from_address(id(2) + 24).value = 3",
    ),
    _poisons(
        "a library in memory that is shared",
        """
for line in open("/proc/self/maps"):
    if "libpython" in line and "rw-s" in line or " rw-s " in line:
        low = int(line.split("-")[0], 16)
        ctypes.memset(low, 0xCC, 64)
""",
    ),
    _poisons("a hook at every call", "sys.addaudithook(lambda *a: os._exit(1))"),
    _poisons(
        "a text of the program in a cache",
        """
import pandas, pathlib
for path in pathlib.Path(pandas.__file__).parent.glob("__pycache__/__init__*.pyc"):
    if not W["off"]:
        path.write_bytes(b"")
""",
    ),
    Attack(
        "a variable of another session",
        NEXT,
        leaked,
        "print({k: v for k, v in globals().items() if isinstance(v, str)})",
        session="thief",
    ),
    Attack(
        "memory of another session",
        NEXT,
        leaked,
        """
for line in open("/proc/self/maps"):
    if "rw-p" in line and "[stack]" not in line:
        low, high = (int(x, 16) for x in line.split()[0].split("-"))
        text = ctypes.string_at(low, min(high - low, 64 << 20))
        at = text.find(b"secret-")
        if at >= 0:
            print(text[at:at + 40])
""",
        session="thief",
    ),
    Attack(
        "the session of another by its process",
        NEXT,
        leaked,
        """
for pid in [int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()]:
    try:
        maps = open(f"/proc/{pid}/maps").read()
        memory = open(f"/proc/{pid}/mem", "rb", 0)
    except OSError:
        continue
    if "python" not in maps:
        continue
    for line in maps.splitlines():
        if "[heap]" in line or ("rw-p" in line and " 00:00 0" in line):
            low, high = (int(x, 16) for x in line.split()[0].split("-"))
            try:
                memory.seek(low)
                text = memory.read(min(high - low, 8 << 20))
            except (OSError, ValueError, OverflowError):
                continue
            at = text.find(b"secret-")
            if at >= 0:
                print(text[at:at + 40])
                raise SystemExit
""",
        session="thief",
        seconds=6.0,
    ),
    Attack(
        "writing into the folder of another session",
        NEXT,
        claimed,
        """
try:
    open(W["neighbour"] + "/note.txt", "a").write("")
    claim()
except OSError:
    pass
""",
        session="thief",
    ),
)
