"""The core of the sandbox in one program, for users and machines other than the tests' own.

python -m tests.sandbox.core_part LAYER ...
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from flows.core.sandbox import Execution, SandboxConfig
from flows.sandbox.python import PythonSandbox

PIECES = {
    "result": "print('hi')\n1 + 1",
    "table": "t.groupby('a').size().rename('n').reset_index()",
    "figure": "plt.plot([1, 2])",
    "file": "open('a.txt', 'w').write('a')",
    "error": "1 / 0",
    "memory": "bytearray(1 << 40)",
    "timeout": "while True: pass",
    "secret": "open(SECRET).read()",
    "fork": "import os\nos.fork()",
    "socket": "import socket\nsocket.create_connection(('127.0.0.1', 9))",
}


async def told(layers: list[str]) -> dict[str, object]:
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        table, secret = Path(folder) / "t.parquet", Path(folder) / "secret.txt"
        pd.DataFrame({"a": [1, 1, 2]}).to_parquet(table)
        secret.write_text("secret")
        sandbox = PythonSandbox(SandboxConfig(seconds=30), layers)
        outcomes: dict[str, object] = {}
        try:
            for name, code in PIECES.items():
                code = code.replace("SECRET", repr(str(secret)))
                seconds = 1.0 if name == "timeout" else None
                done = await sandbox.execute(code, tables={"t": table}, seconds=seconds)
                outcomes[name] = _short(done)
            await sandbox.execute("x = 1", session="s")
            outcomes["session"] = _short(await sandbox.execute("x", session="s"))
            outcomes["missing"] = list((await sandbox.finding()).missing)
        finally:
            await sandbox.aclose()
    return outcomes


def _short(done: Execution) -> list[object]:
    counts = (len(done.tables), len(done.figures), len(done.files))
    return [done.status, done.stdout, done.result, done.fault and done.fault.type, *counts]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(told(sys.argv[1:]))))
