"""Citations written anew inside the texts that hold them: read back they are the new ones, and nothing else changed."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.memory.answer_files import Saved, anchored, write_answer, write_block
from lens_lsp.memory.answer_parser import read_citing
from lens_lsp.model.cluster import Citation
from lens_lsp.model.text import Span
from tests.hand_made import answer, evidence

ROOT = os.path.abspath(os.sep + "notes")
ASKED = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
ONE, TWO = evidence(1), replace(evidence(2), path="house/annex.md", quote="It may be renewed.", span=Span(3, 21))
SAVED = Saved(replace(answer(ROOT), evidence=(ONE, TWO), text="It ends. [1] Or not. [2]"), {}, ASKED, ROOT, True)
FILE = write_answer(SAVED)
NOTE = f"# Mine\n\n?? When?\n\n{write_block(SAVED, 'q1')}\nBetween.\n\n{write_block(SAVED, 'q2')}\nMine again.\n"


def cited(text: str) -> dict[str, Citation]:
    read = read_citing(text)
    assert read.faults == ()
    assert [each.altered for each in read.written] == [""] * len(read.written)
    return {each.label: each.citation for each in read.written}


def changed(text: str, changes: list[tuple[Span, str]]) -> str:
    for span, new in reversed(changes):
        text = text[: span.start] + new + text[span.end :]
    return text


def moved(citation: Citation, by: int = 40) -> Citation:
    """The same quote further down in another file."""
    span = Span(citation.span.start + by, citation.span.end + by)
    return replace(citation, path="house/lease-2.md", span=span, sha256="a" * 64, left="x" * 16, right="")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "label"), [(FILE, "1"), (FILE, "2"), (NOTE, "q1-1"), (NOTE, "q1-2"), (NOTE, "q2-2")])
def test_a_citation_that_is_written_anew_is_the_only_thing_that_changed(text: str, label: str, line_end: str) -> None:
    text = text.replace("\n", line_end)
    before = cited(text)
    new = moved(before[label])
    changes = anchored(text, label, new, 77, "house/lease-2.md")
    after = changed(text, changes)
    assert cited(after) == before | {label: new}
    lines, others = text.split(line_end), after.split(line_end)
    assert sum(old != line for old, line in zip(lines, others, strict=True)) == 2
    assert f"[^{label}]: [house/lease-2.md:77](house/lease-2.md#L77) " in after


def test_the_changes_come_in_the_order_of_the_text() -> None:
    first, second = anchored(FILE, "1", cited(FILE)["1"], 5, "x.md")
    assert first[0].end < second[0].start
    assert json.loads(first[1])["n"] == 1
    assert second[1].startswith("[^1]: ")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (FILE, "3"),
        (FILE, "x"),
        (FILE, ""),
        (FILE, "q1-1"),
        (NOTE, "1"),
        (NOTE, "q3-1"),
        (NOTE, "q1-3"),
        (FILE.replace("[^1]: ", " [^1]: "), "1"),
        (FILE.replace('  - {"n": 1, ', '  - {"n": 1,\n     '), "1"),
        (FILE.replace('"n": 1, "root": 0', '"n": 1, "root": "0"'), "1"),
        (FILE.replace('"n": 1, ', '"n": 1 '), "1"),
        (NOTE.replace('{"lens"', '{"lens', 1), "q1-1"),
        (NOTE.replace('"sources": [{', '"sources": [{}, {', 1).replace('"n": 1, ', '"m": 1, ', 1), "q1-1"),
        ("", "1"),
        ("[^1]: x\n  - " + "[" * 100_000 + "\n", "1"),
        ("[^1]: x\n  - {" + '"n": 1, "root": 0, "x": ' + "[" * 100_000 + "}\n", "1"),
    ],
)
def test_what_is_not_as_we_wrote_it_is_left_alone(text: str, label: str) -> None:
    assert anchored(text, label, cited(FILE)["1"], 5, "x.md") == []


def test_what_is_no_record_of_ours_does_not_hide_the_one_that_is() -> None:
    text = FILE.replace("sources:\n", 'sources:\n  - {no json}\n  - {"n": 1, "root": true}\n  - {"n": 1}\n')
    after = changed(text, anchored(text, "1", moved(cited(FILE)["1"]), 7, "x.md"))
    assert '"path": "house/lease-2.md"' in after


@given(st.text(max_size=30), st.text(min_size=1, max_size=30))
def test_any_path_and_quote_is_one_line_and_comes_back(path: str, quote: str) -> None:
    new = replace(moved(cited(FILE)["1"]), path=path or "x", quote=quote)
    changes = anchored(FILE, "1", new, 5, "x.md")
    assert len(changes) == 2
    written = {each.label: each.citation for each in read_citing(changed(FILE, changes)).written}
    assert written["1"] == new
