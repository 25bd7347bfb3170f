"""The index over a folder of documents: what it finds, and what it notices in the files."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from flows.core.documents import Chunking, Documents, Indexed, Passage
from flows.errors import RecallError
from flows.memory.document_index import DocumentFolder
from flows.memory.document_ledger import LEDGER_NAME
from flows.memory.endpoint import EndpointEmbedder
from flows.memory.relevance import stands_out
from flows.models.fake.server import FakeModel
from tests.data.written_documents import docx, pdf

T = TypeVar("T")

RETURNS = (
    "# Return policy\n\nGoods can be sent back within 30 days of delivery.\n\n"
    "## Refunds\n\nMoney is paid back within five working days.\n"
)
OPERATIONS = (
    "A delivery counts as on-time if it arrives within 15 minutes of its slot.\n\n"
    "Orders above 10,000 dollars are approved by the regional manager.\n"
)
USUAL = Chunking()


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "returns.md").write_text(RETURNS)
    (folder / "operations.txt").write_text(OPERATIONS)
    return folder


def opened(papers: Path, **more: object) -> DocumentFolder:
    given = {"folder": papers, "index": papers.parent / "index", **more}
    return DocumentFolder(DocumentFolder.Config.model_validate(given))


def use(folder: DocumentFolder, work: Callable[[Documents], Awaitable[T]]) -> T:
    async def worked() -> T:
        try:
            return await work(folder)
        finally:
            await folder.aclose()

    return asyncio.run(worked())


def refresh(folder: DocumentFolder, chunking: Chunking = USUAL) -> Indexed:
    return use(folder, lambda documents: documents.refresh(chunking))


def find(
    folder: DocumentFolder, query: str, n_results: int = 3, chunking: Chunking = USUAL
) -> list[Passage]:
    return use(folder, lambda documents: documents.find(query, n_results, chunking))


@pytest.mark.long("documents are embedded and searched")
def test_every_kind_is_found_with_its_place(papers: Path) -> None:
    (papers / "costs.pdf").write_bytes(
        pdf(("Nothing here.",), ("A lost parcel costs 12 dollars.",))
    )
    (papers / "handbook.docx").write_bytes(docx())
    (papers / "page.html").write_text("<h1>Carriers</h1><p>Trucks are checked on Fridays.")
    indexed = refresh(opened(papers))
    assert indexed.documents == 5
    assert set(indexed.new) == {
        "costs.pdf", "handbook.docx", "operations.txt", "page.html", "returns.md",
    }  # fmt: skip
    for query, document, where, said in (
        ("lost parcel", "costs.pdf", "pages 1-2", "12 dollars"),
        ("written off", "handbook.docx", "Damage", "shift lead"),
        ("When are trucks checked?", "page.html", "Carriers", "Fridays"),
        ("return policy", "returns.md", "Return policy", "30 days"),
        ("What counts as on-time?", "operations.txt", "lines 1-3", "15 minutes"),
    ):
        found = [each for each in find(opened(papers), query) if each.score == 1]
        assert (document, where) in [(each.document, each.where) for each in found], query
        assert said in " ".join(each.text for each in found)


@pytest.mark.long("texts are embedded, stored and searched")
def test_scores_tell_what_is_relevant(papers: Path) -> None:
    refresh(opened(papers))
    [whole, *_] = find(opened(papers), "Who approves orders?")
    assert (whole.document, whole.score) == ("operations.txt", 1.0)
    [part, *_] = find(opened(papers), "Who approves holidays of drivers?")
    assert 0 < part.score < 0.5
    assert find(opened(papers), "How is the weather?") == []
    assert find(opened(papers), "What is it?") == []
    [misspelt, *_] = find(opened(papers), "delivary slot")
    assert (misspelt.document, misspelt.score) == ("operations.txt", 1.0)


@pytest.mark.long("documents are embedded and searched")
def test_new_changed_and_deleted_files_are_noticed(papers: Path) -> None:
    assert refresh(opened(papers)).new == ("operations.txt", "returns.md")
    again = refresh(opened(papers))
    assert (again.new, again.changed, again.deleted) == ((), (), ())
    assert (again.documents, again.passages) == (2, 3)
    (papers / "operations.txt").write_text("Orders are approved by the king.\n")
    (papers / "returns.md").unlink()
    (papers / "sub").mkdir()
    (papers / "sub" / "new.txt").write_text("Pallets are blue.")
    third = refresh(opened(papers))
    assert third.new == ("sub/new.txt",)
    assert third.changed == ("operations.txt",)
    assert third.deleted == ("returns.md",)
    assert (third.documents, third.passages) == (2, 2)
    [found] = find(opened(papers), "Who approves orders?")
    assert found.text == "Orders are approved by the king."
    assert find(opened(papers), "refunds") == []
    assert find(opened(papers), "blue pallets")[0].document == "sub/new.txt"


@pytest.mark.long("documents are embedded and searched")
def test_a_change_that_keeps_size_and_time_is_noticed(papers: Path) -> None:
    file = papers / "operations.txt"
    refresh(opened(papers))
    before = file.stat()
    file.write_text(OPERATIONS.replace("manager", "foreman"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    assert refresh(opened(papers)).changed == ("operations.txt",)


@pytest.mark.long("texts are embedded, stored and searched")
def test_a_touched_file_is_not_a_changed_one(papers: Path) -> None:
    refresh(opened(papers))
    os.utime(papers / "returns.md", (1, 1))
    (papers / "operations.txt").rename(papers / "renamed.txt")
    again = refresh(opened(papers))
    assert (again.new, again.changed, again.deleted) == (("renamed.txt",), (), ("operations.txt",))


@pytest.mark.long("several processes write into one memory")
def test_what_another_process_indexed_is_seen(papers: Path) -> None:
    script = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from flows.core.documents import Chunking\n"
        "from flows.memory.document_index import DocumentFolder\n"
        "folder, index = map(Path, sys.argv[1:])\n"
        "config = DocumentFolder.Config(folder=folder, index=index)\n"
        "async def work():\n"
        "    documents = DocumentFolder(config)\n"
        "    print(*(await documents.refresh(Chunking())).changed)\n"
        "    await documents.aclose()\n"
        "asyncio.run(work())\n"
    )
    folder = opened(papers)

    async def work(documents: Documents) -> list[Passage]:
        await documents.refresh(USUAL)
        assert (await documents.find("Who approves orders?", 1, USUAL))[0].score == 1
        (papers / "operations.txt").write_text("Orders are approved by the king.\n")
        command = [sys.executable, "-c", script, str(papers), str(papers.parent / "index")]
        ran = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, check=True
        )
        assert ran.stdout.split() == ["operations.txt"]
        found = await documents.find("Who approves orders?", 1, USUAL)
        assert (await documents.refresh(USUAL)).changed == ()
        return found

    assert [each.text for each in use(folder, work)] == ["Orders are approved by the king."]


@pytest.mark.long("texts are embedded, stored and searched")
def test_ways_of_cutting_are_kept_apart(papers: Path) -> None:
    small = Chunking(size=100, overlap=0)
    refresh(opened(papers))
    assert find(opened(papers), "orders", chunking=small) == []
    assert refresh(opened(papers), small).passages == 4
    assert [each.where for each in find(opened(papers), "approved", chunking=small)] == ["line 3"]
    assert [each.where for each in find(opened(papers), "approved")] == ["lines 1-3"]


@pytest.mark.long("documents are embedded and searched")
def test_folders_in_one_index_are_kept_apart(papers: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "returns.md").write_text("Nothing is taken back.")
    refresh(opened(papers))
    assert refresh(opened(other)).passages == 1
    assert refresh(opened(papers)).deleted == ()
    assert find(opened(other), "taken back")[0].text == "Nothing is taken back."
    assert find(opened(other), "policy") == []


@pytest.mark.long("texts are embedded, stored and searched")
def test_one_file_is_enough(papers: Path) -> None:
    indexed = refresh(opened(papers / "returns.md"))
    assert (indexed.documents, indexed.new) == (1, ("returns.md",))


@pytest.mark.long("documents are embedded and searched")
def test_what_cannot_be_read_is_told_and_the_others_are_read(papers: Path) -> None:
    (papers / "broken.pdf").write_bytes(b"%PDF-1.4")
    (papers / "empty.txt").touch()
    (papers / "large.txt").write_bytes(b"a" * 2_000_000)
    indexed = refresh(opened(papers, max_file_mb=1))
    assert indexed.documents == 2
    assert set(indexed.unread) == {"broken.pdf", "empty.txt", "large.txt"}
    assert indexed.unread["empty.txt"] == "is empty"
    assert refresh(opened(papers, max_file_mb=1)).unread == indexed.unread
    (papers / "empty.txt").write_text("Full now.")
    assert refresh(opened(papers, max_file_mb=1)).new == ("empty.txt",)
    (papers / "empty.txt").write_bytes(bytes(99))
    gone = refresh(opened(papers, max_file_mb=1))
    assert "is no text" in gone.unread["empty.txt"]
    assert find(opened(papers), "full") == []


def test_an_empty_folder_and_one_that_is_gone(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refresh(opened(empty)) == Indexed(documents=0, passages=0)
    assert find(opened(empty), "anything") == []
    empty.rmdir()
    with pytest.raises(RecallError, match="there is no folder or file"):
        refresh(opened(empty))


@pytest.mark.long("texts are embedded, stored and searched")
def test_a_lost_index_is_made_again(papers: Path) -> None:
    refresh(opened(papers))
    for each in (papers.parent / "index").iterdir():
        if each.name != LEDGER_NAME:
            subprocess.run(["rm", "-r", str(each)], check=True)
    again = refresh(opened(papers))
    assert (again.new, again.passages) == (("operations.txt", "returns.md"), 3)


@pytest.mark.long("texts are embedded, stored and searched")
def test_a_search_makes_an_index_that_is_not_there(papers: Path) -> None:
    assert find(opened(papers), "Who approves orders?")[0].score == 1


@pytest.mark.long("texts are embedded, stored and searched")
def test_a_damaged_index_says_what_to_do(papers: Path) -> None:
    refresh(opened(papers))
    (papers.parent / "index" / LEDGER_NAME).write_bytes(b"no database at all" * 99)
    with pytest.raises(RecallError, match="delete the folder"):
        refresh(opened(papers))


@pytest.mark.long("texts are embedded, stored and searched")
def test_an_interrupted_refresh_is_finished_by_the_next(papers: Path) -> None:
    (papers / "slow.html").write_text("<div>" * 1_500_000)

    async def work(documents: Documents) -> None:
        task = asyncio.create_task(documents.refresh(USUAL))
        await asyncio.sleep(0.7)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    use(opened(papers), work)
    (papers / "slow.html").unlink()
    refresh(opened(papers))
    assert find(opened(papers), "return policy")[0].score == 1


@pytest.mark.long("a thousand files are indexed")
def test_a_thousand_files_of_which_one_changes(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    for number in range(1000):
        folder = papers / str(number % 10)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_text(f"The depot number{number} is led by boss{number}.")
    first = refresh(opened(papers))
    assert (first.documents, first.passages, len(first.new)) == (1000, 1000, 1000)
    (papers / "7" / "577.txt").write_text("The depot number577 is led by nobody.")
    (papers / "3" / "3.txt").unlink()
    again = refresh(opened(papers))
    assert (again.new, again.changed, again.deleted) == ((), ("7/577.txt",), ("3/3.txt",))
    [found] = find(opened(papers), "Who leads depot number577?", 1)
    assert found.text == "The depot number577 is led by nobody."


@pytest.mark.long("texts are embedded, stored and searched")
def test_another_embedder_has_vectors_of_its_own(
    papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        (papers / f"{number}.txt").write_text(f"Filler text number {number}.")
    config = DocumentFolder.Config(folder=papers, index=papers.parent / "index")
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    with FakeModel() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        embedder = EndpointEmbedder(EndpointEmbedder.Config(model="m"))

        async def work(documents: Documents) -> list[Passage]:
            assert (await documents.refresh(USUAL)).documents == 14
            found = await documents.find("Who approves orders?", 2, USUAL)
            await embedder.aclose()
            return found

        refresh(opened(papers))
        found = use(DocumentFolder(config, embedder), work)
    assert (found[0].document, found[0].score) == ("operations.txt", 1.0)
    assert all(0 < each.score <= 1 for each in found)
    assert find(opened(papers), "Who approves orders?")[0].score == 1


def test_vectors_find_what_stands_out_from_strangers() -> None:
    strangers = [0.5, 0.52, 0.55, 0.6, 0.6, 0.61, 0.62, 0.7]
    found = stands_out({"near": 0.1, "usual": 0.6}, strangers)
    assert found["near"] > 0.8
    assert found["usual"] == 0
    assert stands_out({"near": 0.1}, strangers[:3]) == {"near": 0.0}
