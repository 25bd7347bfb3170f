"""How people use the page: files dropped on it, many tabs, a slow network, impatience."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Error as PlaywrightError

from tests.web.page.browsing import Tab, free_port, tab_of, web_page
from tests.web.page.test_chat import orders
from tests.web.page.test_runs import SLOW_FRAMES

DROP = """
(files) => {
  const moved = new DataTransfer();
  for (const [name, text, size] of files) {
    moved.items.add(new File([size ? new Uint8Array(size) : text], name));
  }
  for (const kind of ["dragover", "drop"]) {
    const event = new DragEvent(kind, { dataTransfer: moved, bubbles: true, cancelable: true });
    document.querySelector(".drop").dispatchEvent(event);
  }
}
"""
# What a browser says of a tab that is behind another; one without a screen never does.
LOOK = """
(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}
"""
TABS = 9  # a browser has six connections to one address
WINDOWS = 8
TICKS = """\
_target_: circular
name: Ticks
early_exit_key: null
max_rounds: 900
input_interface: {n: int}
output_interface: [n]
subflows_config: {tick: {_target_: tests.flows_for_tests.Sleep, seconds: 0.3}}
topology: [{goal: Tick, flow: tick}]
"""
START = """
async () => {
  const request = {
    method: "POST", headers: { "Content-Type": "application/json" }, body: '{"inputs": {"n": 1}}',
  };
  return (await (await fetch("/api/flows/ticks/runs", request)).json()).id;
}
"""
# Until a step is shown that was not there.
MORE = """
(many) => new Promise((done) => {
  const steps = document.querySelector(".steps");
  const seen = steps.children.length + many;
  const look = () => steps.children.length >= seen && done();
  new MutationObserver(look).observe(steps, { childList: true });
})
"""


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(300)
def test_files_are_dropped_and_a_question_is_sent_once(tmp_path: Path, browser: Browser) -> None:
    sales = "region,revenue\nNorth,1\nSouth,2\n"
    dropped = [
        ["sales.csv", sales, 0], ["empty.csv", "", 0], ["torn.json", '{"a": [1,', 0],
        ["letter.pdf", "%PDF", 0], ["huge.csv", "", 300_000_000],
    ]  # fmt: skip
    with web_page(tmp_path) as page, tab_of(browser, page) as tab:
        tab.page.evaluate(DROP, dropped)
        tab.wait(".uploads .good", "sales: 2 rows, 2 columns")
        for name, said in {
            "empty.csv": "empty.csv is empty", "torn.json": "Malformed JSON",
            "letter.pdf": "no data file", "huge.csv": "It has 300 MB; allowed are 200 MB.",
        }.items():  # fmt: skip
            tab.wait(".uploads .bad", name)
            tab.wait(".uploads .bad", said)
        assert str(tmp_path) not in tab.text("main")
        assert "uploads/" not in tab.text("main")
        network = tab.context.new_cdp_session(tab.page)
        tab.page.route("**/turns/1", lambda route: route.abort(), times=1)
        slow = {"offline": False, "latency": 700, "downloadThroughput": 60_000}
        network.send("Network.emulateNetworkConditions", {**slow, "uploadThroughput": 60_000})
        tab.page.fill("#say", "total revenue")
        for _ in range(4):
            tab.page.press("#say", "Enter")
        tab.wait(".turn .cite", "3")
        tab.page.go_back()
        tab.wait(".hello")
        tab.wait("#sessions a", "total revenue")
        tab.page.go_forward()
        tab.wait(".turn .cite", "3")
        assert tab.page.locator(".turn").count() == 1
        assert tab.page.locator("#sessions li a").count() == 1
        assert not tab.problems


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(180)
def test_a_stranger_tries_the_sample_with_a_question_that_is_suggested(
    tmp_path: Path, browser: Browser
) -> None:
    with web_page(tmp_path) as page, tab_of(browser, page) as tab:
        tab.page.click("text=Try it with sample sales")
        tab.wait(".uploads .good", "sample_sales: 432 rows, 5 columns")
        tab.page.click(".uploads li button")
        tab.wait(".drop button")
        assert tab.page.locator(".suggestions button").count() == 0
        tab.page.click(".drop button")
        tab.page.click(".suggestions >> text=as a bar chart")
        tab.wait(".turn .plot .main-svg")
        # The answer is read from its beginning.
        box = tab.page.locator(".turn .said").bounding_box()
        assert box is not None
        assert box["y"] >= 0
        # A file that is dropped on a conversation does not take its place.
        dropped = tab.page.evaluate_handle(
            "() => { const moved = new DataTransfer();"
            "moved.items.add(new File(['a'], 'a.csv')); return moved; }"
        )
        tab.page.dispatch_event(".turn", "drop", {"dataTransfer": dropped})
        tab.wait(".toast", "at the beginning of a chat")
        tab.page.click("#sessions >> text=New")
        tab.wait("h1", "Ask your data")
        assert not tab.problems


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(180)
def test_a_page_that_is_seldom_drawn_takes_a_question_as_soon_as_it_shows_an_answer(
    tmp_path: Path, browser: Browser
) -> None:
    orders(tmp_path / "orders.csv")
    with web_page(tmp_path, "--data", "orders.csv") as page, tab_of(browser, page) as tab:
        tab.page.add_init_script(SLOW_FRAMES)
        tab.page.reload()
        tab.wait(".suggestions button")
        for number, kind in enumerate(("revenue", "revenue by region", "revenue by category"), 1):
            tab.say(f"total {kind}")
            tab.wait(f".turn:nth-child({number}) .cite")
        assert not tab.problems


@pytest.mark.long("a browser with many tabs, and the real command")
@pytest.mark.timeout(400)
def test_tabs_behind_others_take_no_connection_and_catch_up(
    tmp_path: Path, browser: Browser
) -> None:
    orders(tmp_path / "orders.csv")
    with web_page(tmp_path, "--data", "orders.csv") as page, tab_of(browser, page) as tab:
        tab.wait(".suggestions button", "Which region has the highest total revenue?")
        tab.say("total revenue")
        tab.wait(".turn .cite")
        place = tab.page.evaluate("location.hash")
        behind = []
        for _ in range(TABS):
            other = Tab(tab.context, page.base)
            other.show(place)
            other.wait(".turn .cite")
            other.page.evaluate(LOOK, True)
            behind.append(other)
        tab.say("total revenue by category")
        tab.wait(".turn:nth-child(2) .cite")
        behind[0].page.evaluate(LOOK, False)
        behind[0].wait(".turn:nth-child(2) .cite")
        # Two tabs that answer at once: one is heard, the other is told.
        for each in (tab, behind[0]):
            each.page.fill("#say", "how many orders are there?")
        for each in (tab, behind[0]):
            each.page.press("#say", "Enter")
        for each in (tab, behind[0]):
            each.wait(".turn:nth-child(3) .cite", "240")
        assert behind[0].page.locator(".turn").count() <= 4
        assert not tab.problems + [one for each in behind for one in each.problems]


@pytest.mark.long("a browser with many windows, and the real command")
@pytest.mark.timeout(300)
def test_eight_windows_that_are_looked_at_are_all_live_and_all_can_send(
    tmp_path: Path, browser: Browser
) -> None:
    (tmp_path / "ticks.yaml").write_text(TICKS)
    arguments, env = ("ticks.yaml", "--trust", "tests"), {"PYTHONPATH": str(Path.cwd())}
    with web_page(tmp_path, *arguments, env=env) as page, tab_of(browser, page) as tab:
        windows = [tab, *(Tab(tab.context, page.base) for _ in range(WINDOWS - 1))]
        for each in windows:
            each.show(f"#/runs/{tab.page.evaluate(START)}")
            each.wait(".steps li")
        for each in windows:
            each.page.evaluate(MORE, 3)
        # A window that crashes, and ones that are closed, leave their connections to the others.
        with pytest.raises(PlaywrightError):
            windows[0].page.goto("chrome://crash")
        for each in windows[1:4]:
            each.page.close()
        for each in windows[4:]:
            each.page.evaluate(MORE, 3)
            each.page.click("text=Stop")
            each.wait(".status .chip", "Stopped")
            assert not each.problems


@pytest.mark.long("a browser and the real command, twice")
@pytest.mark.timeout(180)
def test_an_open_page_says_that_another_server_does_not_know_it(
    tmp_path: Path, browser: Browser
) -> None:
    folders, port = (tmp_path / "one", tmp_path / "two"), free_port()
    for folder in folders:
        folder.mkdir()
        (folder / "ticks.yaml").write_text(TICKS)
    arguments, env = ("ticks.yaml", "--trust", "tests"), {"PYTHONPATH": str(Path.cwd())}
    with web_page(folders[0], *arguments, port=port, env=env) as page, tab_of(browser, page) as tab:
        tab.show(f"#/runs/{tab.page.evaluate(START)}")
        tab.wait(".steps li")
        page.process.kill()
        page.process.wait()
        tab.wait("#connection", "Connection lost")
        with web_page(folders[1], *arguments, port=port, env=env) as other:
            tab.wait("#connection", "The server does not know this browser.")
            tab.page.reload()
            tab.wait("h1", "This browser is not known here")
            tab.page.goto(other.url)
            tab.wait("h1", "Ask your data")
            assert not tab.problems
