"""A machine whose clock jumps: each look at it is days before or after the last.

Python imports this at its start from a folder in PYTHONPATH. Clocks that only go forward are left
as they are, as a machine's own are when somebody sets the time.
"""

import itertools
import time

DAY = 86_400.0
_jumps = itertools.cycle((0.0, 30 * DAY, -20 * DAY, 3 * DAY, -400 * DAY))
_time, _localtime, _strftime = time.time, time.localtime, time.strftime


def jumping() -> float:
    return _time() + next(_jumps)


def jumping_text(form: str, moment: time.struct_time | None = None) -> str:
    return _strftime(form, moment or _localtime(jumping()))


time.time = jumping
time.strftime = jumping_text  # type: ignore[assignment]
