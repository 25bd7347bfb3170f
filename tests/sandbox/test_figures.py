"""Figures that code draws come back as PNG and as plotly's JSON, and nothing opens a window."""

from __future__ import annotations

import json
import struct

import pytest

from tests.sandbox.conftest import Bench


@pytest.mark.long("code in a sandbox of its own")
def test_a_figure_that_is_open_at_the_end_comes_back(bench: Bench) -> None:
    done = bench.run("plt.plot([1, 2, 3])\nplt.title('Rising')")
    (figure,) = done.figures
    assert figure.title == "Rising"
    assert figure.png is not None
    width, height = struct.unpack(">II", figure.png[16:24])
    assert min(width, height) > 200


@pytest.mark.long("code in a sandbox of its own")
def test_show_does_not_wait_and_each_figure_comes_back_once(bench: Bench) -> None:
    done = bench.run("plt.plot([1])\nplt.show()\nplt.plot([2])\nplt.show()\nplt.show()")
    assert len(done.figures) == 2


def test_a_figure_of_plotly_comes_back_once(bench: Bench) -> None:
    done = bench.run("fig = px.bar(x=['a'], y=[1], title='Bars')\nfig.show()\nfig")
    (figure,) = done.figures
    assert (figure.name, figure.title, figure.png) == ("fig", "Bars", None)
    assert figure.plotly is not None
    assert json.loads(figure.plotly)["data"][0]["type"] == "bar"


@pytest.mark.long("code in a sandbox of its own")
def test_seaborn_draws_too(bench: Bench) -> None:
    done = bench.run("ax = sns.heatmap(np.eye(2))\nax.set_title('Heat')\nNone")
    assert [each.title for each in done.figures] == ["Heat"]


def test_a_figure_that_the_code_saves_comes_back_as_its_file(bench: Bench) -> None:
    done = bench.run("plt.plot([1, 2])\nplt.savefig('line.png')")
    assert [each.name for each in done.files] == ["line.png"]
    assert done.files[0].content.startswith(b"\x89PNG")
    assert done.figures == ()


def test_figures_of_one_piece_do_not_come_back_with_the_next(bench: Bench) -> None:
    bench.run("plt.plot([1])", session="figures")
    done = bench.run("1", session="figures")
    assert done.figures == ()
