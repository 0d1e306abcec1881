"""A check of a folder finds what drifted and nothing else; no store, no index, only the files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import ANYWHERE, CorpusRules
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.memory.answer_files import Saved
from lens_lsp.memory.check import Cited, Report, check
from lens_lsp.memory.sources import Sources
from lens_lsp.model.answer import Answer
from lens_lsp.model.cluster import Citation, CitationState
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import PathNotFound
from lens_lsp.model.text import SourceText, Span
from tests.hand_made import answer, evidence
from tests.memory.old_blocks import old_answer, old_block

ASKED = datetime(2026, 3, 1, tzinfo=UTC)
VERIFIED, MOVED, WITHDRAWN, UNVERIFIABLE = CitationState


def found_in(root: Path, path: str, quote: str, n: int = 1, nth: int = 0) -> Evidence:
    """A quote of a file as evidence."""
    with Root(str(root)) as opened:
        document = Snapshot([opened], {}, CorpusRules()).document(0, path)
    at = document.text.index(quote)
    for _ in range(nth):
        at = document.text.index(quote, at + 1)
    source = SourceText(document.text)
    return replace(
        evidence(n),
        path=path,
        quote=quote,
        span=Span(at, at + len(quote)),
        start=source.position(at),
        end=source.position(at + len(quote)),
        origin=document.origin,
        reader=document.reader,
    )


def answered(root: Path, *items: Evidence) -> Answer:
    words = " ".join(f"It is told. [{item.n}]" for item in items)
    return replace(answer(str(root)), text=words + "\n", evidence=items)


def recorded(given: Answer) -> dict[int, Citation]:
    with Sources(ANYWHERE) as sources:
        return {item.n: sources.record(item, given.roots[item.root]) for item in given.evidence}


def save(root: Path, name: str, *items: Evidence) -> Path:
    """An answer file below a root."""
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    given = answered(root, *items)
    file.write_text(old_answer(Saved(given, recorded(given), ASKED, str(file.parent), private=True)))
    return file


def checked(*paths: Path, **options: object) -> Report:
    report = Report()
    check(paths, report, **options)  # type: ignore[arg-type]
    return report


def states(report: Report) -> list[CitationState]:
    return [finding.checked.state for finding in report.findings]


PAGES: Mapping[str, str] = {
    "stays.md": "# Stays\n\nThe lighthouse at Skerry was lit for the first time in 1871.\n",
    "behind.md": "# Behind\n\nThe ferry to the island leaves twice a day in winter.\n",
    "edited.md": "# Edited\n\nThe toll for a cart and two horses is four shillings.\n",
    "quote-gone.md": "# Gone\n\nThe mill burned down in the autumn of the great storm.\n\nMore.\n",
    "file-gone.md": "# File\n\nThe old chart shows a sandbank north of the harbour mouth.\n",
    "moved.md": "# Moved\n\nEvery keeper signs the book at the change of the watch.\n\nFirst.\n\nSecond.\n",
    "renamed.md": "# Renamed\n\nThe bell buoy was replaced after the wreck of the Halcyon.\n",
    "renamed-edited.md": "# Renamed\n\nThe pilot boat is painted black with a white band.\n",
    "copied.md": "# Copied\n\nThe harbour master may close the channel in thick fog.\n",
    "twins.md": "# Twins\n\nThe rope walk is a quarter of a mile in length.\n",
    "line-ends.md": "# Line ends\n\nThe tide table is printed by the town every spring.\n",
}


def quote_of(page: str) -> str:
    return PAGES[page].split("\n")[2]


def drift(root: Path) -> dict[str, tuple[CitationState, str]]:
    """Change the pages, and what a check must say of each."""
    page = root.joinpath

    def rewrite(name: str, change: Callable[[str], str]) -> None:
        page(name).write_text(change(PAGES[name]), newline="")

    rewrite("behind.md", lambda text: text + "\nA new paragraph.\n")
    rewrite("edited.md", lambda text: text.replace("four", "five"))
    rewrite("quote-gone.md", lambda text: text.replace(quote_of("quote-gone.md"), ""))
    page("file-gone.md").unlink()
    rewrite("moved.md", lambda text: text.replace(quote_of("moved.md"), "") + "\n" + quote_of("moved.md") + "\n")
    page("below").mkdir()
    page("renamed.md").rename(page("below", "new name.md"))
    rewrite("renamed-edited.md", lambda text: text.replace("black", "white"))
    page("renamed-edited.md").rename(page("renamed-edited-2.md"))
    rewrite("copied.md", lambda text: quote_of("copied.md") + "\n\n" + text)
    shutil.copy(page("twins.md"), page("twins-2.md"))
    page("twins.md").rename(page("twins-3.md"))
    rewrite("line-ends.md", lambda text: text.replace("\n", "\r\n"))
    return {
        "stays.md": (VERIFIED, ""),
        "behind.md": (VERIFIED, ""),
        "edited.md": (WITHDRAWN, "the quote is no longer in the file"),
        "quote-gone.md": (WITHDRAWN, "the quote is no longer in the file"),
        "file-gone.md": (WITHDRAWN, "the file is gone"),
        "moved.md": (MOVED, "the quote stands elsewhere in the file now"),
        "renamed.md": (MOVED, "the file has another name now"),
        "renamed-edited.md": (WITHDRAWN, "the file is gone"),
        "copied.md": (WITHDRAWN, "the quote stands in the file more than once now"),
        "twins.md": (WITHDRAWN, "the file is gone, and 2 other files hold the same"),
        "line-ends.md": (MOVED, "the quote stands elsewhere in the file now"),
    }


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    for name, text in PAGES.items():
        (root / name).write_text(text)
    return root


def test_seeded_drift_is_found_and_nothing_else(pages: Path) -> None:
    items = [found_in(pages, name, quote_of(name), n) for n, name in enumerate(PAGES, 1)]
    file = save(pages, "answers/all.md", *items)
    note = pages / "note.md"
    given = answered(pages, *items)
    block = old_block(Saved(given, recorded(given), ASKED, str(pages), private=True), "q1")
    note.write_text(f"# Note\n\nMine.\n\n{block}\nMine.\n")
    before = checked(pages)
    assert (set(states(before)), before.unreadable, before.answers) == ({VERIFIED}, [], 2)
    expected = drift(pages)
    report = checked(pages)
    assert report.unreadable == []
    for where in (file, note):
        told = {
            each.cited.citation.path: (each.checked.state, each.checked.why)
            for each in report.findings
            if each.cited.where == str(where)
        }
        assert told == expected
    lines = file.read_text().splitlines()
    assert all(f"[^{each.cited.label}]: " in lines[each.cited.line - 1] for each in report.findings[: len(PAGES)])


def test_a_moved_quote_is_told_with_its_place_and_its_file(pages: Path) -> None:
    save(pages, "a.md", found_in(pages, "renamed.md", quote_of("renamed.md")))
    (pages / "renamed.md").rename(pages / "x.md")
    (finding,) = checked(pages).findings
    assert (finding.checked.path, finding.at) == ("x.md", SourceText(PAGES["renamed.md"]).position(11))
    assert finding.checked.gone


def test_a_folder_that_was_moved_with_its_answers_stays_verified(pages: Path, tmp_path: Path) -> None:
    save(pages, "answers/a.md", found_in(pages, "stays.md", quote_of("stays.md")))
    pages.rename(tmp_path / "elsewhere")
    assert states(checked(tmp_path / "elsewhere")) == [VERIFIED]


def test_a_root_that_is_gone_withdraws(pages: Path, tmp_path: Path) -> None:
    given = answered(pages, found_in(pages, "stays.md", quote_of("stays.md")))
    file = tmp_path / "a.md"
    file.write_text(old_answer(Saved(given, recorded(given), ASKED, str(tmp_path), private=True)))
    assert states(checked(file)) == [VERIFIED]
    shutil.rmtree(pages)
    (finding,) = checked(file).findings
    assert (finding.checked.state, finding.checked.gone) == (WITHDRAWN, True)
    assert finding.checked.why == "the folder that it lies in is gone"


def test_an_answer_inserted_into_its_own_source_leaves_it_standing(pages: Path) -> None:
    note = pages / "stays.md"
    given = answered(pages, found_in(pages, "stays.md", quote_of("stays.md")))
    block = old_block(Saved(given, recorded(given), ASKED, str(pages), private=True), "q1")
    note.write_text(block + "\n" + note.read_text())
    assert states(checked(pages)) == [MOVED]
    note.write_text(note.read_text().replace(f"\n{quote_of('stays.md')}\n", "\nNothing.\n"))
    assert states(checked(pages)) == [WITHDRAWN]


def test_a_buffer_is_checked_before_the_disk(pages: Path) -> None:
    file = save(pages, "a.md", found_in(pages, "stays.md", quote_of("stays.md")))
    path = str(pages / "stays.md")
    edited = {path: Buffer(path, PAGES["stays.md"].replace("1871", "1872"))}
    assert states(checked(pages)) == [VERIFIED]
    assert states(checked(pages, buffers=edited)) == [WITHDRAWN]
    emptied = {str(file): Buffer(str(file), "# Nothing\n")}
    assert states(checked(pages, buffers=emptied)) == []


def test_citations_kept_elsewhere_are_checked_along(pages: Path) -> None:
    citation = recorded(answered(pages, found_in(pages, "stays.md", quote_of("stays.md"))))[1]
    kept = [Cited("store c1", 0, "1", str(pages.parent), replace(citation, root="docs"))]
    assert states(checked(kept=kept)) == [VERIFIED]
    (pages / "stays.md").unlink()
    assert states(checked(kept=kept)) == [WITHDRAWN]


def test_secrets_and_paths_that_lead_out_are_never_read(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text(PAGES["stays.md"])
    (pages / ".env").write_text(PAGES["stays.md"])
    (pages / "link.md").symlink_to(tmp_path / "outside.md")
    citation = recorded(answered(pages, found_in(pages, "stays.md", quote_of("stays.md"))))[1]
    for path in ("../outside.md", ".env", "link.md", "/etc/passwd", "", "a//b"):
        kept = [Cited("store", 0, "1", str(pages), replace(citation, path=path, root="."))]
        assert states(checked(kept=kept)) == [WITHDRAWN], path


def test_what_cannot_be_read_is_named_and_hides_nothing_else(pages: Path) -> None:
    save(pages, "good.md", found_in(pages, "stays.md", quote_of("stays.md")))
    broken = save(pages, "broken.md", found_in(pages, "stays.md", quote_of("stays.md")))
    broken.write_text(broken.read_text().replace('"span": [', '"span": ['[:-1]))
    (pages / "toml.md").write_text('+++\nlens = "answer/1"\n+++\nText.\n')
    (pages / "half.md").write_text("---\nlens: answer/1\nsources:\n")
    (pages / "bytes.md").write_bytes(b"\x00\x01lens: answer/1\x00")
    report = checked(pages)
    assert states(report) == [VERIFIED]
    assert [Path(item.where).name for item in report.unreadable] == ["broken.md", "half.md", "toml.md"]
    assert report.drifted(strict=False)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs permissions that hold")
def test_a_file_without_permission_is_named(pages: Path) -> None:
    file = save(pages, "a.md", found_in(pages, "stays.md", quote_of("stays.md")))
    file.chmod(0)
    report = checked(pages)
    file.chmod(0o600)
    assert [item.why for item in report.unreadable] == ["it cannot be read (permission)"]


def test_a_file_too_large_to_look_into_is_named(pages: Path) -> None:
    with (pages / "large.md").open("wb") as file:
        file.truncate((64 << 20) + 1)
    assert [item.why for item in checked(pages).unreadable] == ["it cannot be read (too-large)"]


def test_a_file_is_checked_once_though_two_paths_lead_to_it(pages: Path) -> None:
    file = save(pages, "a.md", found_in(pages, "stays.md", quote_of("stays.md")))
    assert len(checked(pages, file, pages).findings) == 1


def test_what_an_ignore_file_names_is_not_checked_unless_asked_for(pages: Path) -> None:
    file = save(pages, "drafts/a.md", found_in(pages, "stays.md", quote_of("stays.md")))
    (pages / ".ignore").write_text("drafts/\n")
    assert checked(pages).findings == []
    assert len(checked(file).findings) == 1
    assert len(checked(pages, rules=CorpusRules(respect_ignore_files=False)).findings) == 1


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PathNotFound):
        checked(tmp_path / "nowhere")


def test_strict_counts_what_moved(pages: Path) -> None:
    save(pages, "a.md", found_in(pages, "moved.md", quote_of("moved.md")))
    drift(pages)
    report = checked(pages / "a.md")
    assert states(report) == [MOVED]
    assert (report.drifted(strict=False), report.drifted(strict=True)) == (False, True)


def test_evidence_of_a_file_that_changed_since_is_recorded_blind(pages: Path) -> None:
    item = found_in(pages, "stays.md", quote_of("stays.md"))
    (pages / "stays.md").write_text("Something else.\n")
    for root in (pages, pages / "nowhere"):
        with Sources(ANYWHERE) as sources:
            citation = sources.record(item, str(root))
        assert (citation.left, citation.right, citation.count) == (None, None, None)
        assert citation.sha256 == item.origin.sha256


def test_a_notebook_is_quoted_from_what_its_reader_extracts(pages: Path) -> None:
    book = pages / "book.ipynb"
    cell = '{"cell_type": "markdown", "source": ["The keel was laid in the spring of 1902.\\n"]}'
    book.write_text(f'{{"cells": [{cell}], "nbformat": 4}}')
    item = found_in(pages, "book.ipynb", "The keel was laid in the spring of 1902.")
    citation = replace(recorded(answered(pages, item))[1], root=".")
    assert states(checked(kept=[Cited("store", 0, "1", str(pages), citation)])) == [VERIFIED]
    older = replace(citation, reader="notebook/0")
    assert states(checked(kept=[Cited("store", 0, "1", str(pages), older)])) == [UNVERIFIABLE]
    book.write_text(f'{{"cells": [{cell}, {cell.replace("1902", "1903")}], "nbformat": 4}}')
    assert states(checked(kept=[Cited("store", 0, "1", str(pages), citation)])) == [VERIFIED]
