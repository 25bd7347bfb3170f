"""Starting programs, touching other processes, and staying when the time is over."""

from __future__ import annotations

from tests.sandbox.attack import Attack, broke, claimed, either, killed, late, leaked, stayed

PROGRAMS = "programs and processes"
OTHERS = "other processes"
STAY = "staying behind"

# The name that the host looks for; nothing that has it may be there afterwards.
HAUNT = """
def haunt():
    _c.prctl(15, W["ghost"].encode(), 0, 0, 0)
"""


def _starts(name: str, code: str) -> Attack:
    return Attack(name, PROGRAMS, claimed, code)


def _hurts(name: str, code: str) -> Attack:
    return Attack(name, OTHERS, killed, code)


def _spies(name: str, code: str) -> Attack:
    return Attack(name, OTHERS, claimed, code)


def _stays(name: str, code: str, seconds: float = 0.5) -> Attack:
    return Attack(name, STAY, either(stayed, late), HAUNT + code, seconds=seconds)


ECHO = "\"/bin/echo\", W['mark']"
ATTACKS = (
    _starts(
        "subprocess",
        f"import subprocess as s; print(s.run([{ECHO}], capture_output=True, text=True).stdout)",
    ),
    _starts(
        "a shell",
        "import subprocess; print(subprocess.getoutput('echo ' + W['mark']))",
    ),
    _starts("os.popen", "print(os.popen('echo ' + W['mark']).read())"),
    _starts(
        "posix_spawn",
        f"""
r, w = os.pipe()
os.set_inheritable(w, True)
actions = [(os.POSIX_SPAWN_DUP2, w, 1)]
os.waitpid(os.posix_spawn("/bin/echo", [{ECHO}], dict(os.environ), file_actions=actions), 0)
print(os.read(r, 1000).decode())
""",
    ),
    _starts(
        "a program that lives in memory only",
        f"""
r, w = os.pipe()
os.set_inheritable(w, True)
image = call("memfd_create", b"x", 0)
os.write(image, open("/bin/echo", "rb").read())
child = os.fork()
if child == 0:
    os.dup2(w, 1)
    try:
        os.execve(image, [{ECHO}], {{}})
    finally:
        os._exit(1)
os.waitpid(child, 0)
os.close(w)
print(os.read(r, 1000).decode())
""",
    ),
    _starts(
        "another Python in its place",
        """
sys.stdout.flush()
r, w = os.pipe()
os.set_inheritable(w, True)
child = os.fork()
if child == 0:
    os.dup2(w, 1)
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", f"print({W['mark']!r})"])
os.waitpid(child, 0)
os.close(w)
print(os.read(r, 1000).decode())
""",
    ),
    _starts(
        "fork",
        """
child = os.fork()
if child == 0:
    os._exit(7)
claim(os.waitpid(child, 0)[1] == 7 << 8)
""",
    ),
    _starts(
        "clone by its number",
        """
child = call("clone", 17, 0, 0, 0, 0)
if child == 0:
    os._exit(7)
claim(os.waitpid(child, 0)[1] == 7 << 8)
""",
    ),
    _starts(
        "clone3 by its number",
        """
import struct
given = ctypes.create_string_buffer(struct.pack("8Q", 0, 0, 0, 0, 17, 0, 0, 0), 64)
child = call("clone3", given, 64)
if child == 0:
    os._exit(7)
claim(os.waitpid(child, 0)[1] == 7 << 8)
""",
    ),
    _starts(
        "a process of multiprocessing",
        """
import multiprocessing
context = multiprocessing.get_context("fork")
one, other = context.Pipe()
process = context.Process(target=other.send, args=(W["mark"],))
process.start()
print(one.recv() if one.poll(2) else "")
""",
    ),
    _starts(
        "a bomb of processes",
        """
import signal, time
children = []
try:
    for _ in range(200):
        child = os.fork()
        if child == 0:
            time.sleep(3)
            os._exit(0)
        children.append(child)
finally:
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
claim(len(children) >= 100)
""",
    ),
    _starts(
        "a bomb of threads",
        """
import threading
done = threading.Event()
threads = []
try:
    for _ in range(1500):
        thread = threading.Thread(target=done.wait, daemon=True)
        thread.start()
        threads.append(thread)
except (RuntimeError, MemoryError):
    pass
count = len(threads)
done.set()
claim(count >= 1000)
""",
    ),
    _starts(
        "a program that gives privileges",
        """
import subprocess
names = ("passwd", "su", "mount", "sudo")
found = [f"/usr/bin/{name}" for name in names if os.path.exists(f"/usr/bin/{name}")]
claim(subprocess.run([found[0], "--help"], capture_output=True, timeout=3).returncode < 7)
""",
    ),
    _hurts("ending a process", "os.kill(W['victim'], 15)"),
    _hurts("killing a process", "os.kill(W['victim'], 9)"),
    _hurts("stopping a process", "os.kill(W['victim'], 19); import time; time.sleep(0.05)"),
    _hurts(
        "a signal through a file descriptor of the process",
        "call('pidfd_send_signal', call('pidfd_open', W['victim'], 0), 9, 0, 0)",
    ),
    _hurts("a signal to a thread", "call('tgkill', W['victim'], W['victim'], 9)"),
    _hurts(
        "a queued signal",
        """
import struct
info = ctypes.create_string_buffer(struct.pack("iiii", 9, 0, -1, 0) + b"\\0" * 112, 128)
call("rt_sigqueueinfo", W["victim"], 9, info)
""",
    ),
    _hurts(
        "a signal as the owner of a pipe",
        """
import fcntl, time
r, w = os.pipe()
fcntl.fcntl(r, fcntl.F_SETOWN, W["victim"])
fcntl.fcntl(r, 10, 9)  # F_SETSIG
fcntl.fcntl(r, fcntl.F_SETFL, fcntl.fcntl(r, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
os.write(w, b"x")
time.sleep(0.05)
""",
    ),
    _hurts(
        "the limits of a process",
        "import resource; resource.prlimit(W['victim'], resource.RLIMIT_NOFILE, (8, 8))",
    ),
    _hurts(
        "the place of a process in the queue", "os.setpriority(os.PRIO_PROCESS, W['victim'], 19)"
    ),
    _hurts(
        "the processors of a process",
        "os.sched_setaffinity(W['victim'], {min(os.sched_getaffinity(0))})",
    ),
    _hurts(
        "the first to go when memory is short",
        "open(f\"/proc/{W['victim']}/oom_score_adj\", 'w').write('999')",
    ),
    Attack(
        "killing the process that forks",
        OTHERS,
        broke,
        "import signal; os.kill(os.getppid(), signal.SIGKILL)",
        then="print(1)",
    ),
    Attack(
        "stopping the process that forks",
        OTHERS,
        either(broke, late),
        "import signal; os.kill(os.getppid(), signal.SIGSTOP)",
        then="print(1)",
    ),
    Attack(
        "killing all that can be killed",
        OTHERS,
        either(killed, broke),
        "os.kill(-1, 9) if not W['off'] else os.kill(W['victim'], 9)",
        then="print(1)",
    ),
    _spies(
        "attaching to a process",
        "call('ptrace', 16, W['victim'], 0, 0); call('ptrace', 17, W['victim'], 0, 0); claim()",
    ),
    _spies(
        "attaching to the process that forks",
        """
parent = os.getppid()
call("ptrace", 0x4206, parent, 0, 0)
claim()
call("ptrace", 17, parent, 0, 0)
""",
    ),
    Attack(
        "the memory of a process",
        OTHERS,
        leaked,
        """
import struct
for line in open(f"/proc/{W['victim']}/maps"):
    if "[heap]" in line or " 00:00 0 " in line and "rw-p" in line:
        low, high = (int(x, 16) for x in line.split()[0].split("-"))
        size = min(high - low, 4 << 20)
        into = ctypes.create_string_buffer(size)
        here = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(into), size), 16)
        there = ctypes.create_string_buffer(struct.pack("QQ", low, size), 16)
        try:
            call("process_vm_readv", W["victim"], here, 1, there, 1, 0)
        except OSError as error:
            if error.errno == 1:
                raise
            continue
        at = into.raw.find(b"secret-")
        if at >= 0:
            print(into.raw[at:at + 40])
""",
    ),
    Attack(
        "the memory of a process as a file",
        OTHERS,
        leaked,
        """
memory = open(f"/proc/{W['victim']}/mem", "rb", 0)
for line in open(f"/proc/{W['victim']}/maps"):
    if "rw-p" in line:
        low, high = (int(x, 16) for x in line.split()[0].split("-"))
        memory.seek(low)
        try:
            found = memory.read(min(high - low, 4 << 20))
        except OSError:
            continue
        at = found.find(b"secret-")
        if at >= 0:
            print(found[at:at + 40])
""",
    ),
    _spies(
        "writing into the memory of the process that forks",
        """
parent = os.getppid()
low = next(int(line.split("-")[0], 16) for line in open(f"/proc/{parent}/maps") if "rw-p" in line)
memory = open(f"/proc/{parent}/mem", "r+b", 0)
memory.seek(low)
kept = memory.read(1)
memory.seek(low)
memory.write(kept)
claim()
""",
    ),
    _spies(
        "a file descriptor of the process that forks",
        "call('pidfd_getfd', call('pidfd_open', os.getppid(), 0), 1, 0); claim()",
    ),
    _spies("what two processes share", "call('kcmp', os.getppid(), os.getpid(), 0, 0, 0); claim()"),
    _spies("which processes there are", "claim(os.path.exists(f\"/proc/{W['victim']}/status\"))"),
    _stays("a loop", "haunt()\nwhile True:\n    pass\n"),
    _stays(
        "a loop that ignores signals",
        """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
haunt()
while True:
    pass
""",
    ),
    _stays(
        "a loop that catches what it can",
        """
haunt()
def go_on():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
go_on()
""",
    ),
    _stays("sleep", "import time; haunt(); time.sleep(30)"),
    _stays(
        "an expression without end",
        "import re; haunt(); re.match(r'(a+)+$', 'a' * 60 + 'b')",
    ),
    _stays(
        "arithmetic without end in C",
        "sys.set_int_max_str_digits(0); haunt(); x = str(3 ** (10 ** 8))",
    ),
    _stays(
        "a daemon",
        """
import time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        haunt()
        os.closerange(0, 256)
        time.sleep(30)
    os._exit(0)
time.sleep(0.1)
""",
    ),
    _stays(
        "a daemon that is nobody's child",
        """
import time
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        for _ in range(3):
            if os.fork():
                os._exit(0)
            os.setpgid(0, 0)
        haunt()
        time.sleep(30)
        os._exit(0)
time.sleep(0.2)
""",
    ),
    _stays(
        "a process that forks itself away",
        """
import time
if os.fork() == 0:
    haunt()
    end = time.time() + 8
    while time.time() < end:
        if os.fork():
            os._exit(0)
        time.sleep(0.01)
    os._exit(0)
time.sleep(0.1)
""",
    ),
    _stays(
        "a thread",
        """
import threading, time
def go_on():
    haunt()
    time.sleep(30)
threading.Thread(target=go_on, daemon=True).start()
time.sleep(0.1)
""",
    ),
    _stays(
        "a thread that does not end",
        """
import threading, time
def go_on():
    haunt()
    while True:
        time.sleep(0.1)
threading.Thread(target=go_on).start()
time.sleep(0.1)
""",
    ),
    _stays(
        "an end that does not end",
        """
import atexit, time
def go_on():
    haunt()
    while True:
        time.sleep(0.1)
atexit.register(go_on)
""",
    ),
)
