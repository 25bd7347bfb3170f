"""A report in which everything that comes from data, documents or models is hostile."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from flows.core.artifacts import Artifacts, Origin
from flows.core.documents import Passage
from flows.core.observation import Caution, Cell
from flows.data.answers.citations import Citation
from flows.data.meaning.dictionary import DataDictionary, DictionaryEntry
from flows.data.tables import ColumnType, ResultTable
from flows.report.report import Cost, Report, SourceTable, SourceUsed
from flows.semantics.findings import Finding, ModelCard, ModelMetric, Told, Weight
from tests.report.sample import Desk, result_of

SCRIPT = "<script>window.pwned=1</script>"
EVIL = (
    f"</script>{SCRIPT}",
    "<img src=x onerror='window.pwned=2'>",
    "<svg/onload=window.pwned=3>",
    "\"><iframe src='http://127.0.0.1:9/evil'></iframe>",
    '<a href="javascript:window.pwned=4">click</a>',
    "[click](javascript:window.pwned=5) ![x](http://127.0.0.1:9/seen.png)",
    "{{7*7}}{% for x in y %}${7*7}#{7*7}",
    "</style></title></textarea><!--",
    "' autofocus onfocus=window.pwned=6 x='",
    "pay\u202egpj.exe\u2066 \u200bzero\x1b[31m\x07\ud800",
    "W" * 4_000,
)
ALL = " ".join(EVIL)
COLUMNS = 300


def hostile(folder: Path) -> tuple[Report, Artifacts]:
    """The report, and the artifacts of its run."""
    desk = Desk(Artifacts(folder / "run"))
    table = _table()
    origin = Origin(query=f"SELECT 1 -- {ALL}".encode("utf-8", "replace").decode(),
                    code=f"print({SCRIPT!r})", inputs={EVIL[0]: "ab" * 32})  # fmt: skip
    kept = desk.keep("table", "json", table.model_dump_json().encode(), "table", origin)
    figures = tuple(
        desk.figure(f"figure{number}", each, _clean(EVIL[number % len(EVIL)]))
        for number, each in enumerate(_figures())
    )
    finding = Finding(
        output_type="insights",
        response=_clean(ALL),
        plan=tuple(map(_clean, EVIL)),
        sql=_clean(ALL),
        code=_clean(ALL),
        dictionary=DataDictionary(
            entries=tuple(
                DictionaryEntry(column=name, description=_clean(ALL)) for name in table.columns[:3]
            )
        ),
        figures=figures,
        insights=(_told(kept.name, table, 7, COLUMNS - 1), Told(text=_clean(ALL))),
        model=_model(),
        cautions=tuple(Caution(code=f"c{n}", text=_clean(each)) for n, each in enumerate(EVIL)),
        data_used=(EVIL[0],),
    )
    inner = result_of(0, EVIL[0], _clean(ALL), Finding(output_type="text", response=EVIL[1]))
    finding = finding.model_copy(update={"parts": (inner,)})
    report = Report(
        run_id=EVIL[0],
        question=_clean(ALL),
        understood=tuple(map(_clean, EVIL)),
        answered="partly",
        summary=_told(kept.name, table, 2, 1),
        results=(result_of(0, EVIL[1], _clean(ALL), finding),),
        changes=tuple(map(_clean, EVIL)),
        passages=tuple(
            Passage(id=str(n), document=_clean(each), where=_clean(each), text=_clean(ALL), score=0)
            for n, each in enumerate(EVIL)
        ),
        limits=tuple(map(_clean, EVIL)),
        sources=(
            SourceUsed(name=EVIL[0], sha256="ab" * 32, kind="csv", where=_clean(ALL), plain=True,
                       tables=(SourceTable(name=EVIL[1], frame="t", physical=EVIL[1], rows=3),)),
        ),
        cost=Cost(model=EVIL[0]),
        made_with=EVIL[2],
        made_at=EVIL[3],
    )  # fmt: skip
    return report, desk.artifacts


def _clean(text: str) -> str:
    """Text as it comes out of JSON: halves of characters cannot."""
    return text.encode("utf-8", "replace").decode()


def _table() -> ResultTable:
    """Wide, with hostile names and cells; the numbers of a row are unlike those of others."""
    names = tuple(f"{n} {_clean(EVIL[n % len(EVIL)])}"[:500] for n in range(COLUMNS))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        tuple(
            row * 1000.25 + place if place % 2 else _clean(EVIL[(row + place) % len(EVIL)])
            for place in range(COLUMNS)
        )
        for row in range(60)
    )
    types: tuple[ColumnType, ...] = tuple("real" if n % 2 else "text" for n in range(COLUMNS))
    return ResultTable(columns=names, types=types, rows=rows, truncated=True, sql="", sources={},
                       elapsed_ms=0.0)  # fmt: skip


def _told(artifact: str, table: ResultTable, row: int, place: int) -> Told:
    """A hostile text with a number that is a cell, one that nothing holds, and a false citation."""
    value = table.rows[row][place]
    number = f"{value:.2f}"
    text = f"{_clean(ALL)} **{number}** and 666 and 777 {_clean(ALL)}"

    def cite(shown: str, **more: Any) -> Citation:
        start = text.index(f" {shown} ") + 1 if f" {shown} " in text else text.index(shown)
        return Citation(text=shown, start=start, end=start + len(shown), **more)

    cell = {"origin": "cell", "result": artifact, "column": table.columns[place]}
    return Told(
        text=text,
        citations=(
            cite(number, row=row, value=value, **cell),
            cite("666", origin="none"),
            cite("777", row=row + 1, value=777, **cell),
        ),
    )


def _model() -> ModelCard:
    return ModelCard(
        kind=EVIL[0], target=EVIL[1], features=(EVIL[2],), rows=3,
        metrics=(ModelMetric(name=EVIL[0], held_out=float("nan"), baseline=float("inf")),),
        importances=(Weight(feature=EVIL[1], importance=1.0, effect=-1.0),
                     Weight(feature=EVIL[5], importance=0.2)),
    )  # fmt: skip


def _figures() -> list[dict[str, Any]]:
    """Figures with links, pictures of elsewhere, buttons, polluting keys, and those of maps."""
    link = "<a href='javascript:window.pwned=7' target='_top'>link</a> "
    text = link + "<a href='http://127.0.0.1:9/a'>out</a><span style='fill:red'>s</span>" + EVIL[1]
    picture = {"source": "http://127.0.0.1:9/picture.png", "xref": "paper", "yref": "paper",
               "x": 0, "y": 1, "sizex": 1, "sizey": 1}  # fmt: skip
    data = base64.b64encode(b"<svg onload='window.pwned=8'/>").decode()
    layout = {
        "title": {"text": text},
        "images": [picture, {**picture, "source": f"data:image/svg+xml;base64,{data}"}],
        "annotations": [{"text": text, "x": 1, "y": 1, "hovertext": text, "href": "javascript:1"}],
        "xaxis": {"title": {"text": text}, "ticktext": [text], "tickvals": [1]},
        "updatemenus": [{"buttons": [{"label": text, "method": "relayout",
                                      "args": [{"images[0]": picture}]}]}],
        "template": {"layout": {"images": [picture]}},
        "meta": {"x": text},
        "__proto__": {"pwned": 9},
        "constructor": {"prototype": {"pwned": 10}},
        "legend": {"title": {"text": text}},
    }  # fmt: skip
    return [
        {
            "data": [
                {"type": "bar", "x": [text, EVIL[0]], "y": [1, 2], "name": text, "text": [text],
                 "textposition": "outside", "hovertemplate": f"{text}%{{x}}<br>%{{y}}",
                 "customdata": [[text]], "showlegend": True, "meta": text},
                {"type": "scattergl", "x": [1, 2], "y": [1, 3], "name": text},
            ],
            "layout": layout,
            "frames": [{"name": "f", "layout": {"images": [picture]}}],
        },
        {"data": [{"type": "image", "source": "http://127.0.0.1:9/i.png"}], "layout": {}},
        {"data": [{"type": "scattergeo", "lat": [1], "lon": [2]},
                  {"type": "choropleth", "geojson": "http://127.0.0.1:9/g.json"}], "layout": {}},
        {"data": [{"type": "scattermap", "lat": [1], "lon": [2]}],
         "layout": {"map": {"style": "http://127.0.0.1:9/style.json"}}},
        {"data": [{"type": "table", "header": {"values": [text]}, "cells": {"values": [[text]]}}],
         "layout": {}},
        {"data": [{"type": "treemap", "labels": [text, "b"], "parents": ["", text],
                   "values": [2, 1]}], "layout": {}},
        {"data": [{"type": "sankey", "node": {"label": [text, "b"]},
                   "link": {"source": [0], "target": [1], "value": [2], "label": [text]}}],
         "layout": {}},
    ]  # fmt: skip
