"""Reading what is not given, and writing where nothing may be written."""

from __future__ import annotations

from tests.sandbox.attack import Attack, changed, claimed, either, leaked

READ = "reading files"
KNOW = "the environment"
WRITE = "writing files"


def _reads(name: str, code: str) -> Attack:
    return Attack(name, READ, leaked, code)


def _knows(name: str, code: str) -> Attack:
    return Attack(name, KNOW, leaked, code)


def _writes(name: str, code: str) -> Attack:
    return Attack(name, WRITE, changed, code)


ATTACKS = (
    _reads("a file of the user's", "print(open(W['file']).read())"),
    _reads("ssh keys", "print(open(W['home'] + '/.ssh/id_ed25519').read())"),
    _reads("the names in the home folder", "print(os.listdir(W['home']))"),
    _reads("os.walk over the home folder", "print([n for n in os.walk(W['home'])])"),
    _reads("through a symbolic link", "os.symlink(W['file'], 'link'); print(open('link').read())"),
    _reads("through a hard link", "os.link(W['file'], 'hard'); print(open('hard').read())"),
    _reads(
        "upwards from the own folder",
        """
fd = os.open(".", os.O_RDONLY)
for _ in range(40):
    fd = os.open("..", os.O_RDONLY, dir_fd=fd)
fd = os.open(W["file"].lstrip("/"), os.O_RDONLY, dir_fd=fd)
print(os.read(fd, 1000))
""",
    ),
    _reads(
        "with pandas", "import pandas; print(pandas.read_csv(W['file'], header=None).iloc[0, 0])"
    ),
    _reads("with numpy", "import numpy; print(bytes(numpy.fromfile(W['file'], dtype='u1')))"),
    _reads(
        "with arrow",
        """
from pyarrow import fs
with fs.LocalFileSystem().open_input_stream(W["file"]) as file:
    print(file.read())
""",
    ),
    _reads(
        "with duckdb",
        """
import duckdb
print(duckdb.sql(f"select content from read_text('{W['file']}')").fetchall())
""",
    ),
    _reads(
        "with C",
        """
buffer = ctypes.create_string_buffer(1000)
fd = _c.open(W["file"].encode(), 0)
assert _c.read(fd, buffer, 999) > 0
print(buffer.value)
""",
    ),
    _reads(
        "mapped into memory",
        """
import mmap
with open(W["file"], "rb") as file:
    print(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:])
""",
    ),
    _reads(
        "a source that was not given",
        "import pandas; print(pandas.read_parquet(W['home'] + '/other.parquet').iloc[0, 0])",
    ),
    _reads("as a module", "sys.path.insert(0, W['home']); import stolen; print(stolen.value)"),
    _reads(
        "through the root of other processes",
        """
for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
    try:
        print(open(f"/proc/{pid}/root{W['file']}").read())
    except OSError:
        pass
""",
    ),
    _reads(
        "open files of other processes",
        """
for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
    for fd in range(64):
        try:
            if W["home"] in os.readlink(f"/proc/{pid}/fd/{fd}"):
                print(open(f"/proc/{pid}/fd/{fd}").read())
        except OSError:
            pass
""",
    ),
    Attack(
        "open files that were inherited",
        READ,
        leaked,
        """
for fd in range(3, 1024):
    try:
        print(os.pread(fd, 1000, 0))
    except OSError:
        pass
""",
    ),
    _reads(
        "the folder of another execution",
        """
for place in (W["neighbour"], os.path.dirname(W["neighbour"]), os.path.dirname(os.getcwd())):
    for at, _, names in os.walk(place):
        for name in names:
            try:
                print(open(os.path.join(at, name)).read())
            except (OSError, ValueError):
                pass
print(open(W["neighbour"] + "/note.txt").read())
""",
    ),
    _reads(
        "by the handle of a file, past all folders",
        """
handle = ctypes.create_string_buffer(b"\\x80\\0\\0\\0" + b"\\0" * 140)
mount = ctypes.c_int()
call("name_to_handle_at", -100, ctypes.c_char_p(W["file"].encode()), handle, ctypes.byref(mount), 0)
root = os.open("/", os.O_RDONLY)
print(os.read(call("open_by_handle_at", root, handle, 0), 1000))
""".replace("ctypes.byref(mount)", "ctypes.c_void_p(ctypes.addressof(mount))"),
    ),
    _knows("the own environment", "print(dict(os.environ))"),
    _knows(
        "the environment as C has it",
        """
_c.getenv.restype = ctypes.c_char_p
print(_c.getenv(b"FLOWS_ATTACKED"))
""",
    ),
    _knows(
        "the environment of all processes",
        """
for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
    try:
        text = open(f"/proc/{pid}/environ", "rb").read()
        print(text if b"secret-" in text else "")
    except OSError:
        pass
""",
    ),
    _knows(
        "the environment of a process",
        "print(open(f\"/proc/{W['victim']}/environ\", 'rb').read())",
    ),
    _knows(
        "the command lines of all processes",
        """
for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
    try:
        text = open(f"/proc/{pid}/cmdline", "rb").read()
        print(text if b"secret-" in text else "")
    except OSError:
        pass
""",
    ),
    Attack(
        "objects and frames of the process",
        KNOW,
        leaked,
        """
import gc
def texts(seen=set()):
    for each in gc.get_objects():
        if id(each) not in seen and isinstance(each, (dict, list, tuple)):
            yield from (v for v in (each.values() if isinstance(each, dict) else each)
                        if isinstance(v, (str, bytes)))
print([t for t in texts() if ("secret-" if isinstance(t, str) else b"secret-") in t])
""",
        seconds=1.5,
    ),
    _writes("a new file", "open(W['outside'] + '/new.txt', 'w').write('x')"),
    _writes("into a file", "open(W['outside'] + '/kept.txt', 'w').write('not as it was')"),
    _writes("deleting a file", "os.unlink(W['outside'] + '/to_delete.txt')"),
    _writes("moving a file away", "os.rename(W['outside'] + '/kept.txt', 'mine.txt')"),
    _writes(
        "moving a file out",
        "open('mine.txt', 'w').write('x'); os.rename('mine.txt', W['outside'] + '/moved.txt')",
    ),
    _writes(
        "through a symbolic link to a folder",
        "os.symlink(W['outside'], 'out'); open('out/linked.txt', 'w').write('x')",
    ),
    _writes(
        "a hard link to a file, and into it",
        "os.link(W['outside'] + '/kept.txt', 'k'); open('k', 'w').write('not as it was')",
    ),
    _writes("a folder", "os.mkdir(W['outside'] + '/folder')"),
    _writes("a pipe", "os.mkfifo(W['outside'] + '/pipe')"),
    _writes("the mode of a file", "os.chmod(W['outside'] + '/kept.txt', 0o777)"),
    _writes("the times of a file", "os.utime(W['outside'] + '/kept.txt', (0, 0))"),
    _writes("attributes of a file", "os.setxattr(W['outside'] + '/kept.txt', 'user.mark', b'x')"),
    _writes("the length of a file", "os.truncate(W['outside'] + '/kept.txt', 3)"),
    _writes("an authorised ssh key", "open(W['home'] + '/.ssh/authorized_keys', 'w').write('x')"),
    _writes("into /tmp", "open('/tmp/' + W['mark'], 'w').write('x')"),
    _writes("into /var/tmp", "open('/var/tmp/' + W['mark'], 'w').write('x')"),
    _writes("into shared memory", "open('/dev/shm/' + W['mark'], 'w').write('x')"),
    _writes(
        "beside installed packages",
        """
import numpy
open(os.path.join(os.path.dirname(numpy.__file__), W["mark"] + ".py"), "w").write("x")
""",
    ),
    _writes(
        "with arrow",
        """
import pandas
pandas.DataFrame({"x": [1]}).to_parquet(W["outside"] + "/table.parquet")
""",
    ),
    _writes(
        "with duckdb",
        "import duckdb; duckdb.sql(f\"copy (select 1) to '{W['outside']}/copied.csv'\")",
    ),
    Attack(
        "a program that is kept for later",
        WRITE,
        either(changed, claimed),
        """
open("tool", "w").write("#!/bin/sh\\necho " + W["mark"])
os.chmod("tool", 0o755)
import subprocess
print(subprocess.run(["./tool"], capture_output=True, text=True).stdout)
""",
    ),
)
