"""Documents about the data sets, one kind of file each: written here, read back by nobody of us."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

GLOSSARY: Final = """# Glossary of logistics terms

**On-time shipment** is the share of orders, in percent, that left the warehouse by the promised
day.

**On-time in full (OTIF)** is the share of orders that left on time and with every piece that was
ordered.

**Turn-around** is the time in hours from the arrival of a truck at the gate until it leaves the
yard again. Shorter is better.

**Fill rate** is the share of ordered pieces that could be taken from stock at once.

**Volume index** compares the pieces handled in a month with the average month of 2019,
which is 100.

**Efficiency** of a warehouse is a score that the finance department works out every month from
handled pieces and paid hours. It is not a percentage of anything.

Columns whose names end in `_norm` are copies of other columns, scaled to lie between 0 and 1
for the dashboards. They hold no information of their own.
"""
TARGETS: Final = """Targets for the year 2024, decided by the board on 12 December 2023

Every warehouse shall reach an efficiency of at least 82 in the yearly average.
Turn-around shall not be longer than 28 hours in any month.
On-time shipment: 92 percent. Fill rate: 95 percent.
Carriers: no more than 2.5 damaged pieces per thousand.

A warehouse that misses its efficiency target for three months in a row gets a visit by the
continuous improvement team.
"""
POLICIES: Final = """<!doctype html>
<html><head><title>Policies for warehouse managers</title>
<style>body { font-family: serif; }</style></head><body>
<h1>Policies for warehouse managers</h1>
<h2>Overtime</h2>
<p>Overtime of more than 60 hours a month has to be approved by the regional director before it is
worked. Overtime is paid with a surcharge of 35 percent.</p>
<h2>Yard</h2>
<p>When more than 20 trucks wait at the gate, the shift leader opens the second lane.</p>
<h2>Audits</h2>
<p>Each location is audited twice a year by an external firm. Audit scores are not used to judge the
efficiency of a location.</p>
</body></html>
"""
HANDBOOK: Final = (
    "Carrier handbook, edition 7",
    "A tour may be planned with an on-road time of at most 13 hours, breaks included.",
    "Tours of more than 11 hours tire drivers and cost efficiency; dispatchers shall split them",
    "into two tours wherever a depot is near.",
    "New carriers are on probation for 90 days.",
    "Claims for damaged goods have to be filed within 14 days of the delivery.",
)
REVIEW: Final = (
    "Review of the year 2023",
    "The continuous improvement team visited Location 22 in May 2023. It found that only two of "
    "the nine dock doors can be used since the flood of 2020, so that trucks queue in the yard.",
    "The repair of the dock doors of Location 22 is estimated at 410,000 euros.",
    "At Location 5 the sorting system has been failing more and more often since 2021.",
)
GAPMINDER: Final = """# About the Gapminder excerpt

The excerpt covers 142 countries, every five years from 1952 to 2007.

`gdpPercap` is the gross domestic product per person in international dollars, adjusted for
inflation and for what things cost in each country (purchasing power parity, prices of 2005).

`lifeExp` is the life expectancy at birth in years: how long a newborn child would live if the death
rates of that year stayed as they are.

`iso_num` is the number of a country in the standard ISO 3166. It is a label and measures nothing.
"""
GAPMINDER_NOTES: Final = """Notes on reading the Gapminder data

Figures before 1970 are estimates for many African countries, because few births and deaths were
registered there.
The genocide of 1994 explains the low life expectancy of Rwanda in 1992 and 1997.
From the 1990s on HIV lowered life expectancy in southern Africa, above all in Botswana, Zimbabwe
and Swaziland.
"""
RETURNS: Final = """<!doctype html>
<html><head><title>Returns</title></head><body>
<h1>How returns work</h1>
<p>Customers may return an item within 30 days of its delivery.
Shoes may be returned within 60 days.</p>
<p>The postage of a return is paid by the shop for orders above 40 euros.</p>
<h2>Regions</h2>
<p>The region West has been served by a store of its own in Cologne since 2021.</p>
</body></html>
"""

_TYPES: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/'
    'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)
_WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def write_documents(folder: Path) -> None:
    """Write a folder of documents for each data set: logistics, gapminder, shop."""
    texts = {
        "logistics/glossary.md": GLOSSARY,
        "logistics/targets.txt": TARGETS,
        "logistics/policies.html": POLICIES,
        "gapminder/about.md": GAPMINDER,
        "gapminder/notes.txt": GAPMINDER_NOTES,
        "shop/returns.html": RETURNS,
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "logistics" / "carrier_handbook.pdf").write_bytes(pdf(HANDBOOK))
    write_docx(folder / "logistics" / "review_2023.docx", REVIEW)


def pdf(lines: Sequence[str]) -> bytes:
    """One page with these lines, as the smallest PDF that is one."""
    shown = [line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in lines]
    moved = "\n".join(f"({line}) Tj T*" for line in shown)
    stream = f"BT /F1 11 Tf 14 TL 60 780 Td\n{moved}\nET".encode("latin-1")
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(parts) + 1
    return (
        body + b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table)
        + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(body))
    )  # fmt: skip


def write_docx(path: Path, paragraphs: Sequence[str]) -> None:
    """A document with these paragraphs, as word processors write it; the same bytes each time."""
    body = "".join(f"<w:p><w:r><w:t>{escape(each)}</w:t></w:r></w:p>" for each in paragraphs)
    document = (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
        f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    )
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELATIONS,
        "word/document.xml": document,
    }
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in parts.items():
            packed.writestr(zipfile.ZipInfo(name), text)
