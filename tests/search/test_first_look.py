"""The first look shows verified windows that depend on the texts alone, and leaves the search as it would be."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.request import Request
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover
from lens_lsp.corpus.workspace import EARLY_BYTES, Snapshot
from lens_lsp.judge.analysis import analyse
from lens_lsp.model.answer import Event, EvidenceFound, Planned, Scanned, answer_of
from lens_lsp.model.documents import Evidence
from lens_lsp.schema.answer import evidence_json
from lens_lsp.search.corpus_view import Reading
from lens_lsp.search.early_evidence import FirstLook
from tests.search.small_workspace import FILLER

QUAY = "# Quays\n\nThe quay of Brantholm was built by Elise Morrow in 1911.\n"
NOTES = {
    **FILLER,
    "quays.md": QUAY,
    "people.md": "Elise Morrow built many things, and nothing of note happened.\n",
    "towns.md": "Brantholm is a town.\n",
}
QUESTION = "Who built the quay of Brantholm?"


def look(folder: Path, question: str, known: TextStore | None = None) -> list[Evidence]:
    with Root(str(folder)) as root:
        cache = known or TextStore()
        cache.refresh([root], discover(root, CorpusRules()).files, {})
        reading = Reading(cache, Snapshot([root], {}, CorpusRules()))
        return FirstLook(analyse(question), reading).evidence()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, NOTES)
    return tmp_path


def write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


def test_the_rarest_words_lead_to_the_passage(folder: Path) -> None:
    found = look(folder, QUESTION)
    assert [item.n for item in found] == list(range(1, len(found) + 1))
    assert found[0].path == "quays.md"
    assert "built by Elise Morrow" in found[0].quote
    assert all(item.quote == NOTES[item.path][item.span.start : item.span.end] for item in found)
    assert all(item.requirements == () and item.verdict is None for item in found)


def test_a_name_leads_to_its_file(folder: Path) -> None:
    said = "In a harbour, nobody swims.\n"
    write(folder, {"Harbour Rules.md": said, "Boats.md": said, "empty/Harbour Rules.md": "Nothing of note happened.\n"})
    found = look(folder, "What do the Harbour Rules say?")
    assert found[0].path == "Harbour Rules.md"
    assert {item.quote for item in found} == {said.strip()}  # what holds no word of the question proves nothing


def test_in_which_order_files_came_into_memory_makes_no_difference(folder: Path) -> None:
    at_once = look(folder, QUESTION)
    cache = TextStore()
    kept = (folder / "quays.md").read_bytes()
    (folder / "quays.md").unlink()
    look(folder, QUESTION, cache)
    (folder / "quays.md").write_bytes(kept)
    (folder / "towns.md").write_bytes(b"Something else.\n")
    look(folder, QUESTION, cache)
    write(folder, NOTES)
    one_by_one = look(folder, QUESTION, cache)
    assert [evidence_json(item) for item in one_by_one] == [evidence_json(item) for item in at_once]


def test_what_is_nowhere_is_not_shown(folder: Path) -> None:
    assert look(folder, "zyzzyva qwertyish") == []


def test_a_text_that_changed_since_it_was_scanned_is_not_shown(folder: Path) -> None:
    with Root(str(folder)) as root:
        cache = TextStore()
        cache.refresh([root], discover(root, CorpusRules()).files, {})
        write(folder, {"quays.md": QUAY.replace("1911", "1912")})
        found = FirstLook(analyse(QUESTION), Reading(cache, Snapshot([root], {}, CorpusRules()))).evidence()
    assert found
    assert "quays.md" not in {item.path for item in found}


def test_a_look_that_is_cancelled_shows_nothing(folder: Path) -> None:
    with Root(str(folder)) as root:
        cache = TextStore()
        cache.refresh([root], discover(root, CorpusRules()).files, {})
        reading = Reading(cache, Snapshot([root], {}, CorpusRules()))
        assert FirstLook(analyse(QUESTION), reading, cancelled=lambda: True).evidence() == []
        assert reading.read == 0


def events_of(lens: Lens) -> list[Event]:
    async def hear() -> list[Event]:
        return [event async for event in lens.ask(QUESTION)]

    return asyncio.run(hear())


def kinds(events: list[Event], which: Callable[[EvidenceFound], bool]) -> list[Evidence]:
    return [event.evidence for event in events if isinstance(event, EvidenceFound) and which(event)]


@pytest.fixture
def large(folder: Path) -> Path:
    page = "Nothing of note happened on this page, nor on any page that was ever written about it.\n"
    size = 7 << 20
    write(
        folder, {f"large/{number:02}.md": page * (size // len(page)) for number in range(-(-EARLY_BYTES // size) + 1)}
    )
    return folder


def test_a_large_workspace_shows_something_before_it_was_scanned(large: Path) -> None:
    lens = Lens([str(large)])
    events = events_of(lens)
    early = kinds(events, lambda event: event.early)
    assert early[0].path == "quays.md"
    assert [type(event) for event in events[: len(early) + 2]] == [Planned, *[EvidenceFound] * len(early), Scanned]
    assert not any(event.final for event in events if isinstance(event, EvidenceFound) and event.early)
    (large / "quays.md").touch()
    again = kinds(events_of(lens), lambda event: event.early)
    assert [evidence_json(item) for item in again] == [evidence_json(item) for item in early]


def before(lens: Lens, buffers: Mapping[str, Buffer]) -> list[Evidence]:
    """What a question shows before its plan, which is before the disk was looked at."""

    async def hear() -> list[Evidence]:
        found = []
        async with aclosing(lens.ask(Request(QUESTION, buffers=buffers))) as events:
            async for event in events:
                if isinstance(event, Planned):
                    return found
                assert isinstance(event, EvidenceFound)
                assert event.early
                found.append(event.evidence)
        return found

    return asyncio.run(hear())


@pytest.mark.parametrize("memory", [None, 1 << 20], ids=["kept", "read again"])
def test_what_was_known_is_shown_before_the_disk_is_looked_at_unless_it_is_otherwise_now(
    large: Path, memory: int | None
) -> None:
    for note in filter(Path.is_file, large.rglob("*")):
        os.utime(note, (1_600_000_000, 1_600_000_000))  # a file that is younger could be another by now
    lens = Lens([str(large)], memory=memory)
    assert before(lens, {}) == []  # nothing is known yet
    early = kinds(events_of(lens), lambda event: event.early)
    settled = before(lens, {})
    assert [evidence_json(item) for item in settled] == [evidence_json(item) for item in early]
    assert settled[0].path == "quays.md"

    quays, text = large / "quays.md", "# Quays\n\nElise Morrow built no quay, and none is at Brantholm.\n"
    typed = {str(quays): Buffer(str(quays), text)}
    assert "quays.md" not in {item.path for item in before(lens, typed)}  # not as it was scanned
    (large / ".lensignore").write_text("quays.md\n")
    assert "quays.md" not in {item.path for item in before(lens, {})}
    (large / ".lensignore").unlink()
    events_of(lens)
    assert [item.path for item in before(lens, {})] == [item.path for item in settled]
    quays.write_text(text)
    assert "quays.md" not in {item.path for item in before(lens, {})}
    quays.unlink()
    assert "quays.md" not in {item.path for item in before(lens, {})}


def test_a_small_workspace_waits_for_the_search(folder: Path) -> None:
    lens = Lens([str(folder)])
    assert kinds(events_of(lens), lambda event: event.early) == []
    assert asyncio.run(answer_of(lens.ask(QUESTION))).evidence
