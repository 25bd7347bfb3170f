"""Code that does not come to its end by itself."""

from __future__ import annotations

RUNAWAYS = {
    "a loop": "while True: pass",
    "sleep": "import time; time.sleep(60)",
    "a loop that ignores signals": """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
""",
    "a loop that catches everything": """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
""",
    "an expression in C": "import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
    "arithmetic in C": "import sys; sys.set_int_max_str_digits(0); str(3 ** (10 ** 8))",
    "threads": """
import threading
def spin():
    while True:
        pass
for _ in range(8):
    threading.Thread(target=spin, daemon=True).start()
spin()
""",
    "printing": "while True: print('x' * 1000)",
    "an end that does not end": """
class Odd:
    def __repr__(self):
        while True:
            pass
odd = Odd()
odd
""",
}
