"""Time and memory of looking at files that are made to take both: bombs, far cells, endless lines.

    python benchmarks/hostile_files.py [--large] [NAME ...]

The files are made in a temporary folder and go with it. Each is profiled by a process of its own,
as `flows data` would; its time is from the first look to the answer, its memory the most that
one of its processes had. `--large` makes the long ones of 1 GB.
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

_MB = 1 << 20
_ROOT = Path(__file__).parent.parent
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_PROGRAM = """
import sys
from pathlib import Path
from flows.data.catalog import Catalog
from flows.errors import SourceError
path = Path(sys.argv[1])
try:
    with Catalog({"s": path.name}, path.parent) as catalog:
        print(f"read: {sum(table.rows for table in catalog.tables()):,} rows")
except SourceError as error:
    print(f"refused: {str(error).replace(str(path.parent) + '/', '')[:160]}")
"""


def workbook(path: Path, sheet: Callable[[zipfile.ZipFile], None]) -> None:
    """A workbook of one sheet, which `sheet` writes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as book:
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r" '
            f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" '
            f'Type="{_RELATIONS}/worksheet" Target="worksheets/s1.xml"/></Relationships>',
        )
        sheet(book)


def sheet_of(start: str, rows: Callable[[int], str], count: int) -> Callable[..., None]:
    def write(book: zipfile.ZipFile) -> None:
        with book.open("xl/worksheets/s1.xml", "w", force_zip64=True) as part:
            part.write(f'<worksheet xmlns="{_MAIN}"><sheetData>{start}'.encode())
            for first in range(1, count + 1, 1000):
                block = "".join(map(rows, range(first, min(first + 1000, count + 1))))
                part.write(block.encode())
            part.write(b"</sheetData></worksheet>")

    return write


def row(number: int) -> str:
    cells = "".join(f'<c r="{letter}{number}"><v>{number}</v></c>' for letter in "ABCDEFGHIJ")
    return f'<row r="{number}">{cells}</row>'


def repeated(path: Path, start: bytes, part: bytes, times: int, end: bytes) -> None:
    with gzip.open(path, "wb") if path.suffix == ".gz" else path.open("wb") as file:
        file.write(start)
        for _ in range(times):
            file.write(part)
        file.write(end)


def makers(size: int) -> dict[str, Callable[[Path], None]]:
    """What writes each file, by its name; the long ones have `size` MB."""
    letters = b"a" * _MB
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    same = '<row><c><v>1</v></c><c><v>1</v></c><c t="b"><v>1</v></c></row>' * 10
    return {
        "usual.xlsx": lambda path: workbook(path, sheet_of("", row, 100_000)),
        "far.xlsx": lambda path: workbook(path, sheet_of(row(1) + far, row, 0)),
        "bomb.xlsx": lambda path: workbook(path, sheet_of("", lambda _: same, 2_500_000)),
        "line.csv": lambda path: repeated(path, b"a,b\n1,", letters, size, b"\n"),
        "fields.csv": lambda path: repeated(path, b"", b"1," * (_MB // 2), size, b"1\n"),
        "quoted.csv": lambda path: repeated(
            path, b'a,b\n1,"', (b"a" * 99 + b"\n") * 10_486, size, b'"\n'
        ),
        "bomb.csv.gz": lambda path: repeated(path, b"a,b\n", b"1,2\n" * (_MB // 4), 1024, b""),
        "value.json": lambda path: repeated(path, b'[{"a": "', letters, size, b'"}]'),
        "value.ndjson": lambda path: repeated(path, b'{"a": "', letters, size, b'"}\n'),
    }


def measure(path: Path) -> tuple[float, float, int, str]:
    """Seconds, those of processors, the most MB of one of its processes, and what was said."""
    watched = f"""
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-c", {_PROGRAM!r}, sys.argv[1]], capture_output=True,
                      text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss, used.ru_utime + used.ru_stime)
print(done.stdout.strip() or done.stderr.strip()[-300:])
"""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", watched, str(path)], capture_output=True, text=True, cwd=_ROOT
    )
    seconds = time.perf_counter() - began
    used, _, said = done.stdout.partition("\n")
    most, processor = used.split()
    return seconds, float(processor), int(most) >> 10, said.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="long files of 1 GB, not 64 MB")
    parser.add_argument("name", nargs="*", help="only these files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flows-hostile-") as folder:
        for name, make in makers(1024 if options.large else 64).items():
            if options.name and name not in options.name:
                continue
            path = Path(folder) / name
            make(path)
            size = path.stat().st_size
            seconds, processor, most, said = measure(path)
            times = f"{seconds:7.1f} s {processor:7.1f} s of processors"
            print(f"{name:14} {size / _MB:10,.3f} MB {times} {most:7,} MB  {said}", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
