"""Where recorded quotes stand now: in changed files, in open texts, and nowhere where it could be another place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lsprotocol import types

from lens_lsp.app.request import Request
from lens_lsp.corpus.opening import Root
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer, Snapshot
from lens_lsp.lsp.lens_ask import FrozenQuestion, Placement, places_of, with_places
from lens_lsp.lsp.locations import Encoding
from lens_lsp.memory.citations import record
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import Context, ContextRole
from lens_lsp.model.text import Span
from lens_lsp.schema.protocol_results import PlacedEvidence
from tests.hand_made import evidence

SAID = "The lantern of Tirubel was lit in 1500."
TEXT = f"# Alpha\n\n{SAID}\n\n# Beta\n\nOther words.\n"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text(TEXT)
    return path


def cited(note: Path) -> Citation:
    with Root(str(note.parent)) as root:
        document = Snapshot([root], {}, CorpusRules()).document(0, note.name)
        start = document.text.index(SAID)
        return record(document, Span(start, start + len(SAID)), root=root.path)


def place(citation: Citation, *buffers: Buffer) -> Placement | None:
    by_path = {buffer.path: buffer for buffer in buffers}
    return places_of({1: citation}, CorpusRules(), by_path, types.PositionEncodingKind.Utf16).get(1)


def test_a_quote_is_found_where_it_stands_now(note: Path) -> None:
    citation = cited(note)
    found = place(citation)
    assert found is not None
    assert (found.uri, found.range.start.line) == (note.as_uri(), 2)
    note.write_text(f"Above.\n\n{TEXT}")
    found = place(citation)
    assert found is not None
    assert found.range.start.line == 4


def test_an_open_text_counts_as_it_is(note: Path) -> None:
    citation = cited(note)
    found = place(citation, Buffer(str(note), f"Above.\n{TEXT}"))
    assert found is not None
    assert found.range.start.line == 3
    assert place(citation, Buffer(str(note), "Nothing.\n")) is None


def test_a_file_under_another_name_is_followed(note: Path) -> None:
    citation = cited(note)
    moved = note.rename(note.with_name("other.md"))
    found = place(citation)
    assert found is not None
    assert found.uri == moved.as_uri()
    moved.unlink()
    assert place(citation) is None


def test_the_same_words_elsewhere_are_another_place(note: Path) -> None:
    twice = f"{TEXT}\n# Gamma\n\n{SAID}\n"
    note.write_text(twice)
    citation = cited(note)
    found = place(citation)
    assert found is not None
    assert found.range.start.line == 2
    note.write_text(twice.replace(f"{SAID}\n", "", 1))
    assert place(citation) is None


def test_context_stands_where_its_quote_does_now_and_nowhere_if_it_changed(note: Path) -> None:
    citation = cited(note)
    parts = [
        Context(ContextRole.BEFORE, Span(TEXT.index("Alpha"), TEXT.index("Alpha") + 5), "Alpha"),
        Context(ContextRole.AFTER, Span(TEXT.index("Beta"), TEXT.index("Beta") + 4), "Beta"),
    ]

    def lines() -> list[int | None]:
        placed = places_of({1: citation}, CorpusRules(), {}, types.PositionEncodingKind.Utf16, contexts={1: parts})[1]
        return [None if each is None else each.start.line for each in placed.context]

    assert lines() == [0, 4]
    note.write_text(f"Above.\n\n{TEXT}")
    assert lines() == [2, 6]
    note.write_text(f"{TEXT.replace('Alpha', 'Omega')}")
    assert lines() == [None, 4]


def test_each_part_of_the_context_of_a_result_has_its_range() -> None:
    parts = (
        Context(ContextRole.HEADER, Span(0, 10), "# Contract"),
        Context(ContextRole.AFTER, Span(90, 93), "Two", cut=("end",)),
    )
    item = replace(evidence(), context=parts)
    first = types.Range(types.Position(0, 0), types.Position(0, 10))
    place = Placement(
        "file:///notes/house/contract.md", types.Range(types.Position(4, 0), types.Position(4, 47)), (first, None)
    )
    question = FrozenQuestion(Request("?"), ("/notes",), 0, Encoding.Utf16, False, "/notes")
    ([shown], warnings) = with_places([item], {item.n: place}, question)
    assert warnings == []
    assert [part["range"] for part in shown["context"]] == [first, None]
    assert [(part["role"], part["cut"]) for part in shown["context"]] == [("header", []), ("after", ["end"])]
    assert "start" not in shown
    ([gone], warnings) = with_places([item], {}, question)
    assert [part["range"] for part in gone["context"]] == [None, None]
    assert len(warnings) == 1
    assert [each.text for each in PlacedEvidence.model_validate(gone).context] == ["# Contract", "Two"]
