"""A notebook of the page docs/notebook.md, run in a kernel; code that awaits; Ctrl-C in a cell."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import flows

PAGE = Path(__file__).parents[1] / "docs" / "notebook.md"
SALES = """region,product,revenue,order_date
North,Tea,10,2024-01-02
North,Coffee,12,2024-02-11
South,Tea,25,2024-03-04
South,Coffee,18,2024-05-20
West,Tea,7,2024-06-30
West,Coffee,30,2025-01-15
"""
SLOW = """import asyncio
from pathlib import Path


async def wait(word: str) -> str:
    while not Path("go").exists():
        await asyncio.sleep(0.05)
    return word
"""
LOOP = ["human=never", "goal=What is the total revenue?", "data.sales=sales.csv"]
TOTAL = ["question=What is the total revenue?", "data.sales=sales.csv"]


@pytest.fixture(autouse=True)
def sales(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sales.csv").write_text(SALES)


@pytest.mark.long("a kernel of Jupyter is started")
def test_the_page_is_a_notebook_whose_results_show_themselves() -> None:
    nbclient = pytest.importorskip("nbclient", reason="make .venv/notebook.stamp installs it")
    v4 = pytest.importorskip("nbformat.v4")
    cells = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    notebook = v4.new_notebook(cells=[v4.new_code_cell(each) for each in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = ["".join(_htmls(cell)) for cell in notebook.cells]
    chart, only, waits, goes_on, awaited = shown
    assert "South: 43" in chart
    assert "<td>South</td><td>43</td>" in chart
    assert "image/png" in chart
    assert "South: 43; West: 7" in only
    assert "Your feedback" in waits
    assert "South has the highest total revenue: 43." in goes_on
    assert "there were 5" in awaited


def _htmls(cell: object) -> list[str]:
    outputs = cell["outputs"]  # type: ignore[index]
    return [each["data"]["text/html"] for each in outputs if "data" in each]


@pytest.mark.long("each door runs a flow")
def test_each_door_works_under_a_running_loop() -> None:
    async def talk() -> None:
        run = flows.run("ask", TOTAL)  # the plain form, as in a cell
        assert "102" in run.outputs["answer"]
        assert flows.replay(run.run_id).outputs["answer"] == run.outputs["answer"]
        assert (await flows.areplay(run.run_id)).outputs["answer"] == run.outputs["answer"]
        loop = await flows.arun("autogpt", LOOP)
        assert (await flows.afork(loop.run_id, "Controller#1")).outputs["answer"]
        chat = flows.chat(data="sales.csv")
        assert "West: 37" in chat.send("total revenue by region").answer
        assert "West: 7" in (await chat.asend("only 2024")).answer

    asyncio.run(talk())


def test_the_loop_goes_on_while_a_run_is_built_and_awaited() -> None:
    async def count() -> tuple[int, str]:
        run = asyncio.create_task(flows.arun("ask", TOTAL))
        ticks = 0
        while not run.done():
            ticks += 1
            await asyncio.sleep(0.005)
        return ticks, run.result().outputs["answer"]

    ticks, answer = asyncio.run(count())
    assert ticks > 5
    assert "102" in answer


@pytest.mark.long("a conversation and a run")
def test_a_result_escapes_what_it_shows() -> None:
    Path("sales.csv").write_text(SALES.replace("North", "<script>alert(1)</script>"))
    turn = flows.chat(data="sales.csv").send("total revenue by region")
    assert "<script>" not in turn._repr_html_()
    assert "&lt;script&gt;" in turn._repr_html_()
    run = flows.run("ask", ["question=total revenue by region", "data.sales=sales.csv"])
    assert "<script>" not in run._repr_html_()


@pytest.mark.long("a process is started and interrupted")
def test_ctrl_c_under_a_running_loop_pauses_the_run() -> None:
    Path("slow.py").write_text(SLOW)
    Path("slow.yaml").write_text("name: Slow\n_target_: ./slow.py:wait\ninputs: {word: tea}\n")
    Path("cell.py").write_text(
        textwrap.dedent("""
        import asyncio
        import signal
        import threading

        import flows


        async def cell():
            # As a kernel does, which has no handler of asyncio's.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            told = lambda event: print(type(event).__name__, flush=True)
            try:
                flows.run("slow.yaml", trust=["./slow.py"], listeners=[told])
            except KeyboardInterrupt:
                print("interrupted", flush=True)


        asyncio.run(cell())
    """)
    )
    process = subprocess.Popen([sys.executable, "cell.py"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if "StepStarted" in line:
            break
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=30)
    assert "interrupted" in rest
    Path("go").touch()
    run_id = next(Path("runs").iterdir()).name
    assert flows.resume(run_id, trust=["./slow.py"]).status == "finished"


def test_the_version_is_that_of_the_package() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", flows.__version__)
