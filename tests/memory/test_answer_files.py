"""Answers as Markdown: written inert, read back whole, never mistaken for anything else, whatever was done to them."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.text_marks import find_generated
from lens_lsp.memory.answer_files import (
    NotePlace,
    Saved,
    ShortBlock,
    as_short,
    one_line,
    shortened,
)
from lens_lsp.memory.answer_parser import BrokenSource, parsed, read_citing, read_source, source_json
from lens_lsp.memory.citation_records import CitationRecords
from lens_lsp.memory.citations import record_blind
from lens_lsp.memory.notes import MARKDOWN, read_note
from lens_lsp.model.answer import Answer
from lens_lsp.model.cluster import Citation
from lens_lsp.model.text import Span
from tests.hand_made import answer, evidence
from tests.memory.old_blocks import old_answer, old_block

ROOT = os.path.abspath(os.sep + "notes")

ASKED = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)

HOSTILE = (
    "A [link](http://x.example) ![image](y.png) <img src=z> [[wiki]] `code` www.x.example a@b.example\n"
    "`mail@x.example <!-- lens:end q1 -->` \u202eesrever\x1b[31m\n"
    "--> <!-- lens:end q1 -->\n---\nlens: private\n?? ask\n[^1]: [evil](evil)\n\\ \"said\" 'so' | $x$\r\n"
)


def saved(given: Answer | None = None, *, folder: str | None = ROOT, private: bool = True) -> Saved:
    given = given or answer(ROOT)
    return Saved(given, {item.n: cited(given, item.n) for item in given.evidence}, ASKED, folder, private)


def cited(given: Answer, n: int) -> Citation:
    item = next(item for item in given.evidence if item.n == n)
    return replace(record_blind(item, root=given.roots[item.root]), left="", right="", count=1)


def hostile(quote: str = HOSTILE, path: str = "a [b](c) `d`\n--> é%20.md") -> Answer:
    given = answer(ROOT)
    item = replace(evidence(1), path=path, quote=quote, span=Span(3, 3 + len(quote)))
    return replace(given, question=HOSTILE, text=f"It says:\n\n> {HOSTILE} [1][9]\n", evidence=(item,))


def front_matter(text: str) -> dict[str, str]:
    head = text.split("---\n")[1]
    return dict(line.split(": ", 1) for line in head.splitlines() if ": " in line and not line.startswith(" "))


def test_an_answer_file_says_what_was_asked_when_and_of_what() -> None:
    text = old_answer(saved(folder=os.path.join(ROOT, "answers", "2026")))
    front = front_matter(text)
    assert (front["lens"], front["asked"], front["mode"]) == ("answer/1", "2026-03-01T12:30:00Z", "evidence")
    assert json.loads(front["question"]) == answer(ROOT).question
    assert json.loads(front["roots"]) == ["../.."]
    assert '[^1]: [house/contract.md:5](../../house/contract.md#L5) "The lease of the workshop ends on' in text


def test_the_sources_name_all_that_a_check_needs() -> None:
    line = next(line for line in old_answer(saved()).splitlines() if line.startswith("  - "))
    value = json.loads(line.removeprefix("  - "))
    named = {"n", "root", "path", "source", "sha256", "encoding", "reader", "span", "match", "left", "right", "quote"}
    assert named <= value.keys()
    assert (value["n"], value["root"], value["left"], value["right"]) == (1, 0, "", "")


def test_outside_the_root_paths_are_absolute() -> None:
    for folder in (None, os.path.abspath(os.sep + "elsewhere"), ROOT + "-2"):
        text = old_answer(saved(folder=folder))
        assert json.loads(front_matter(text)["roots"]) == [ROOT]
        assert "(file://" in text
        assert "notes/house/contract.md#L5)" in text


def test_what_was_written_is_read_back() -> None:
    text = old_answer(saved())
    read = read_citing(text)
    assert (read.faults, read.parts) == ((), 1)
    (written,) = read.written
    assert (written.label, written.altered) == ("1", "")
    assert written.citation == replace(cited(answer(ROOT), 1), root=".")
    assert text.splitlines()[written.line - 1].startswith("[^1]: ")


def test_a_block_is_read_back_inside_any_note() -> None:
    block = old_block(saved(), "q1")
    note = f"# Note\n\n?? when does the lease end\n\n{block}\nMine again.[^1]\n\n[^1]: a footnote of mine\n"
    read = read_citing(note)
    assert (read.faults, read.parts) == ((), 1)
    (written,) = read.written
    assert written.label == "q1-1"
    assert written.citation == replace(cited(answer(ROOT), 1), root=".")
    assert note.splitlines()[written.line - 1].startswith("[^q1-1]: ")


def test_the_search_sees_exactly_what_was_inserted_as_ours() -> None:
    block = old_block(saved(hostile()), "q1")
    note = f"# Note\n\n{block}\nMine.\n"
    (span,) = find_generated(note).spans
    assert note[span.start : span.end] == block.rstrip("\n")
    assert find_generated(old_answer(saved(hostile()))).answer


def test_an_answer_with_hundreds_of_sources_is_still_known_as_ours() -> None:
    items = tuple(replace(evidence(1), n=n, heading=("long " * 40,)) for n in range(1, 300))
    given = replace(answer(ROOT), evidence=items)
    text = old_answer(saved(given))
    assert text.index("\n---\n", 4) > 1 << 16
    assert find_generated(text).answer
    assert len(read_citing(text).written) == 299


@pytest.mark.parametrize("write", [old_answer, lambda saved: old_block(saved, "q1")])
def test_nothing_of_a_note_acts(write: object) -> None:
    assert callable(write)
    text = write(saved(hostile()))
    body = text[text.index("It says") :]
    for live in (r"(?<!\\)!\[", r"(?<!\\)<img", r"(?<!\\)<!", r"(?<!\\)\]\(http", "\x1b", "\u202e", r"(?<!\\)\[\["):
        assert re.search(live, re.sub(r"<!-- lens:end \w+ -->\n", "", body)) is None, live
    assert text.count("<!-- lens:end") == 1
    read = read_citing(text)
    assert read.faults == ()
    assert [(each.citation.quote, each.citation.path, each.altered) for each in read.written] == [
        (HOSTILE, "a [b](c) `d`\n--> é%20.md", "")
    ]


@given(st.text(min_size=1), st.text(min_size=1).filter(lambda path: "/" not in path))
def test_any_quote_and_any_path_come_back_as_they_were(quote: str, path: str) -> None:
    for text in (old_answer(saved(hostile(quote, path))), old_block(saved(hostile(quote, path)), "a.b-1")):
        read = read_citing(text)
        assert read.faults == ()
        assert [(each.citation.quote, each.citation.path, each.altered) for each in read.written] == [(quote, path, "")]


def test_a_name_of_bytes_that_are_no_text_comes_back() -> None:
    given = answer(ROOT)
    path = os.fsdecode(b"caf\xe9.md")
    (written,) = read_citing(
        old_answer(Saved(given, {1: replace(cited(given, 1), path=path)}, ASKED, ROOT, private=True))
    ).written
    assert (written.citation.path, written.altered) == (path, "")


def test_evidence_without_a_record_holds_while_its_file_does() -> None:
    given = answer(ROOT)
    (written,) = read_citing(old_answer(Saved(given, {}, ASKED, ROOT, private=True))).written
    assert (written.citation.left, written.citation.right) == (None, None)
    assert written.citation.sha256 == given.evidence[0].origin.sha256


def test_what_rests_on_private_notes_is_kept_out_where_it_must_not_be() -> None:
    given = answer(ROOT)
    secret = replace(evidence(1), n=2, path="diary.md", quote="Nobody may know of this.", private=True)
    given = replace(given, text="Known. [1] Nobody may know of this. [2]\n", evidence=(*given.evidence, secret))
    for write in (old_answer, lambda kept: old_block(kept, "q1")):
        kept = write(saved(given, private=False))
        assert "Nobody" not in kept
        assert "diary" not in kept
        assert "private notes" in kept
        assert [each.label[-1] for each in read_citing(kept).written] == ["1"]
        assert "Nobody may know of this" in write(saved(given))


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('2031."', '2041."', "the footnote does not quote what was recorded: it was changed"),
        (
            "[house/contract.md:5]",
            "[house/other.md:5]",
            "the footnote names another file than was recorded: it was changed",
        ),
        ("[^1]: [house/contract.md:5]", "[^1]: see", "the footnote does not quote what was recorded: it was changed"),
    ],
)
def test_a_footnote_that_was_changed_by_hand_is_told(old: str, new: str, why: str) -> None:
    head, _, notes = old_answer(saved()).rpartition("[^1]: ")
    read = read_citing(head + changed(f"[^1]: {notes}", old, new))
    assert [each.altered for each in read.written] == [why]


def test_a_footnote_that_a_formatter_wrapped_is_still_the_same() -> None:
    text = old_answer(saved())
    wrapped = changed(text, '#L5) "The lease of the', '#L5)\n    "The lease  of\n    the')
    assert [each.altered for each in read_citing(wrapped).written] == [""]


def test_sources_that_a_formatter_spread_over_lines_are_still_read() -> None:
    text = old_answer(saved())
    line = next(line for line in text.splitlines() if line.startswith("  - "))
    spread = json.dumps(json.loads(line[4:]), indent=2).replace("\n}", ",\n}").replace("\n", "\n    ")
    read = read_citing(changed(text, line, f"  - {spread}"))
    assert (len(read.written), read.faults) == (1, ())
    inline = changed(text, f"sources:\n{line}", f"sources: [{line[4:]}]")
    assert read_citing(inline).written[0].citation == read.written[0].citation


def test_a_source_without_its_quote_takes_that_of_the_footnote() -> None:
    text = old_answer(saved())
    line = next(line for line in text.splitlines() if line.startswith("  - "))
    value = json.loads(line[4:])
    quote = value.pop("quote")
    read = read_citing(changed(text, line, f"  - {json.dumps(value)}"))
    assert [(each.citation.quote, each.altered) for each in read.written] == [(quote, "")]


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("lens: answer/1", "lens: answer/3", 2, "it was written as answer/3 by another version of lens"),
        ('roots: ["."]', "roots: [.", 7, "the front matter cannot be read: it is no JSON"),
        ('roots: ["."]', 'roots: ["//host/share"]', 7, "roots names a folder of another machine"),
        ('roots: ["."]', r'roots: ["\\\\host\\share"]', 7, "roots names a folder of another machine"),
        ('"root": 0', '"root": 7', 9, "there is no root 7"),
        ('"n": 1,', '"n": true,', 9, "n of a source is no number"),
        ('"span": [', '"span": [-', 9, "span of a source is no pair of offsets"),
        ('"sha256": "', '"sha256": "x', 9, "sha256 is none"),
        ('"path": "house/contract.md"', '"path": 3', 9, "path of a source is missing or no text"),
        ('"left": ""', '"left": "short"', 9, "left of a source is no text of 16 to 512"),
        ('roots: ["."]', "roots: [3]", 7, "roots is no list of folders"),
        ('roots: ["."]', 'roots: [""]', 7, "roots is no list of folders"),
        ('  - {"n": 1', '  - 3\n  - {"n": 1', 9, "a source is no object"),
        ('"source": "disk"', '"source": "tape"', 9, "source is neither disk nor buffer"),
        ('"heading": ["', '"heading": [3, "', 9, "heading of a source is no list of texts"),
        ('"locator": null', '"locator": [1]', 9, "locator of a source is no object of numbers and texts"),
        ('"locator": null', '"locator": {"page": 1.5}', 9, "locator of a source is no object of numbers and texts"),
        ('"count": 1', '"count": 0', 9, "count of a source is no number from 1"),
        ("[^1]: ", "[^2]: ", 18, "the footnote [^2] has no source"),
    ],
)
def test_what_cannot_be_read_is_told_by_its_line(old: str, new: str, line: int, why: str) -> None:
    faults = read_citing(changed(old_answer(saved()), old, new)).faults
    assert any(fault.line == line and why in fault.why for fault in faults), faults


def test_what_a_source_may_leave_out_is_read_as_nothing() -> None:
    text = old_answer(saved())
    line = next(line for line in text.splitlines() if line.startswith("  - "))
    value = {name: each for name, each in json.loads(line[4:]).items() if name not in ("heading", "locator", "count")}
    read = read_citing(changed(text, line, f"  - {json.dumps(value)}"))
    assert read.faults == ()
    (citation,) = [each.citation for each in read.written]
    assert (citation.heading, citation.locator, citation.count) == ((), None, None)


def test_of_two_sources_or_footnotes_of_one_number_the_first_counts_and_the_other_is_told() -> None:
    text = old_answer(saved())
    line = next(line for line in text.splitlines() if line.startswith("  - "))
    twice = read_citing(changed(text, line, f"{line}\n{line}"))
    assert [(fault.line, fault.why) for fault in twice.faults] == [(10, "there is another source 1")]
    assert len(twice.written) == 1
    note = next(line for line in text.splitlines() if line.startswith("[^1]: "))
    again = read_citing(f"{text}{note}\n")
    assert [fault.why for fault in again.faults] == ["there is another footnote [^1]"]


def test_a_block_of_a_later_version_is_left_to_that_version() -> None:
    note = changed(old_block(saved(), "q1"), '"lens": "answer/1"', '"lens": "answer/9"')
    read = read_citing(note)
    assert (read.written, [fault.why.partition(",")[0] for fault in read.faults]) == (
        (),
        ["the block cannot be read: it was written by another version of lens"],
    )


def test_a_footnote_that_is_gone_is_told_where_it_is_used() -> None:
    text = old_answer(saved())
    head, _, _ = text.rpartition("[^1]: ")
    (fault,) = read_citing(head).faults
    assert fault.why == "the footnote [^1] is missing"
    assert "[^1]" in head.splitlines()[fault.line - 1]


def test_a_block_without_an_end_is_read_and_told() -> None:
    note = old_block(saved(), "q1").replace("<!-- lens:end q1 -->\n", "")
    read = read_citing(f"Mine.\n{note}")
    assert len(read.written) == 1
    assert [(fault.line, fault.why) for fault in read.faults] == [(2, "the block q1 has no end")]


def test_an_example_of_a_block_in_a_manual_is_no_block() -> None:
    example = "```markdown\n<!-- lens:begin ID {...} -->\n<!-- lens:end ID -->\n```\n"
    assert read_citing(example).faults == ()
    assert len(read_citing(example.replace("```markdown\n", "").replace("```\n", "")).faults) == 1
    assert len(read_citing(f"```\n{old_block(saved(), 'q1')}```\n").written) == 1


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(line_break: str) -> None:
    text = (old_answer(saved()) + "\n" + old_block(saved(), "q1")).replace("\n", line_break)
    assert [each.label for each in read_citing(text).written] == ["1", "q1-1"]


@pytest.mark.parametrize("text", ["", "# A note\n", "---\ntitle: x\n---\n[^1]: mine\n", "---\nlens: answer/1\n"])
def test_other_texts_cite_nothing(text: str) -> None:
    assert read_citing(text).written == ()


PIECES = [*old_answer(saved()).splitlines(keepends=True), *old_block(saved(), "q1").splitlines(keepends=True)]

PIECES += ["---\n", "```\n", "[^1]: ", '"', "{", "}", "[", "]", "-->", "- ", "é", "sources:\n", "\r", "> "]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_text_is_too_broken_to_read(text: str) -> None:
    read = read_citing(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(1 <= each.line <= lines for each in (*read.written, *read.faults))
    if read.written:
        own = find_generated(text)
        assert own.answer or own.spans


def test_json_that_nests_too_deep_is_no_json() -> None:
    for text in ("[" * 200_000, '{"a": ' * 200_000, "1" * 10_000, "nan", ""):
        with pytest.raises(BrokenSource):
            parsed(text)


def test_a_source_is_the_same_after_json() -> None:
    citation = replace(cited(answer(ROOT), 1), left="x" * 16, right=None, heading=("A", "B"), locator={"row": 3})
    assert read_source(parsed(json.dumps(source_json(4, 0, citation))), [ROOT], {}) == (4, citation)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- lens:begin a" + " " * 300_000 + "x",
        '<!-- lens:begin a "' + '\\"' * 150_000 + " -->",
        "---\nlens: answer/1\nroots: []\nsources:\n" + "  x\n" * 100_000 + "---\n",
        "[^1]: a\n" * 50_000,
        old_answer(saved()) + "[^1]: [a](b) " + '" ' * 150_000 + "\n    x" * 50_000,
        "<!-- lens:begin a {} -->\n<!-- lens:end" * 20_000,
    ],
    ids=["blanks", "escapes", "lines", "footnotes", "quotes", "marks"],
)
def test_hostile_repetition_costs_linear_time(text: str) -> None:
    started = time.process_time()
    read_citing(text)
    assert time.process_time() - started < 5


def test_an_address_in_a_quote_is_none_in_the_record() -> None:
    written = one_line({"quote": "see https://example.org and www.example.org", "path": "a//b"})
    assert "://" not in written
    assert "www." not in written
    assert parsed(written) == {"quote": "see https://example.org and www.example.org", "path": "a//b"}


def test_what_a_source_quotes_is_no_link_of_markdown() -> None:
    value = {"quote": "[open](command:workbench.action.quit) [a][b] [c]: d", "roots": [["x"], ["y"]]}
    written = one_line(value)
    assert not re.search(r"\][(\[:]", written)
    assert parsed(written) == value


ANSWERS = os.path.join(ROOT, "answers")

OTHER = os.path.abspath(os.sep + "elsewhere")

SECOND = replace(evidence(2), root=1, path="annex.md", quote="It may be renewed.", span=Span(3, 21))

ANSWER = replace(
    answer(ROOT),
    roots=(ROOT, OTHER),
    evidence=(evidence(1), SECOND),
    text="It ends. [1]\n\nOr not. [2] See [3] and `<!-- here`.\n\n[^9]: mine",
)

FILE = old_answer(Saved(ANSWER, {}, ASKED, ANSWERS, True))


def short(into: str | None, text: str = FILE) -> ShortBlock | None:
    return as_short(text, os.path.join(ANSWERS, "a.md"), NotePlace(MARKDOWN, "q7", into, ROOT))


def test_an_answer_file_becomes_a_short_block_with_its_records_beside_it() -> None:
    block = short(os.path.join(ROOT, "house"))
    assert block is not None
    first, second = block.records
    assert block.text.startswith(f"<!-- lens:begin q7 -->\n\nIt ends. [^{first}]\n\nOr not. [^{second}] See [3] and ")
    assert block.text.endswith("\n\n<!-- lens:end q7 -->\n")
    assert "](contract.md#L5) " in block.text
    assert "](file:///elsewhere/annex.md#L5) " in block.text
    assert r"[^9]\: mine" in block.text
    assert block.text.count("<!--") == 2
    assert [(each.root, each.path) for each in block.records.values()] == [
        (".", "house/contract.md"),
        (OTHER, "annex.md"),
    ]
    alone = short(None)
    assert alone is not None
    assert "](file:///notes/house/contract.md#L5) " in alone.text
    assert short(os.path.join(ROOT, "house"), FILE.replace("\n", "\r\n")) == block


def test_a_note_is_not_told_what_was_unread_when_its_answer_came() -> None:
    early = replace(ANSWER, text=f"Not read yet: 3 of 1,012 documents.\n\n{ANSWER.text}")
    assert short(ROOT, old_answer(Saved(early, {}, ASKED, ANSWERS, True))) == short(ROOT)


def test_an_answer_without_words_or_evidence_is_a_block_too() -> None:
    bare = old_answer(Saved(replace(ANSWER, evidence=(), text=""), {}, ASKED, ANSWERS, True))
    assert short(ROOT, bare) == ShortBlock("<!-- lens:begin q7 -->\n\n<!-- lens:end q7 -->\n", {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# A note\n\nNothing of ours.\n",
        "---\nlens: private\n---\n\nMine.\n",
        FILE.replace('30 June 2031."\n[^2]', '30 June 2041."\n[^2]'),
        FILE.replace("lens: answer/1", "lens: answer/9"),
        FILE.replace('"root": 0', '"root": 7'),
        FILE.partition("[^1]: ")[0],
        FILE.replace("[^2]: ", "[^4]: "),
        f"Above.\n{FILE}",
    ],
)
def test_what_was_changed_or_is_none_gives_no_block(text: str) -> None:
    assert short(ROOT, text) is None


def test_a_thousand_old_blocks_are_shortened_without_loss() -> None:
    """Words, quotes and everything recorded stay; the note shrinks to what a person would write."""
    pieces, given = [], []
    for number in range(1_000):
        quote = f"The lease number {number} ends on {1 + number % 28} June {2031 + number % 60}."
        item = replace(evidence(1), quote=quote, span=Span(40 * number, 40 * number + len(quote)))
        told = replace(answer(ROOT), evidence=(item,), text=f"> {quote} [1]\n\n*By rules, number {number}.*\n")
        kept = replace(record_blind(item, root=ROOT), left="", right="", count=1)
        block = old_block(Saved(told, {1: kept}, ASKED, os.path.join(ROOT, "mine"), True), f"q{number:x}")
        pieces.append(f"?? Lease {number}?\n\n{block}\nMine, {number}.\n\n")
        given.append(kept)
    old = "".join(pieces)
    new = shortened(old, os.path.join(ROOT, "mine"), ROOT, {})
    assert "{" not in new.text
    assert len(new.text) < len(old) / 3
    assert len(new.records) == 1_000
    assert [replace(each, root=ROOT) for each in new.records.values()] == given
    for number in range(1_000):
        assert f"*By rules, number {number}.*" in new.text
        assert f"\nMine, {number}.\n" in new.text
    citing = read_note(new.text, os.path.join(ROOT, "mine", "n.md"), _records(new))
    assert citing.faults == ()
    assert [replace(each.citation, root=ROOT) for each in citing.written] == given
    assert not any(each.altered for each in citing.written)
    again = shortened(new.text, os.path.join(ROOT, "mine"), ROOT, new.records and _records(new).by_id)
    assert (again.text, again.records) == (new.text, {})


def _records(block: ShortBlock) -> CitationRecords:
    return CitationRecords(ROOT, {id_: (each,) for id_, each in block.records.items()})


def test_a_block_that_was_changed_stays_as_it_is() -> None:
    block = old_block(saved(), "q1")
    head, _, notes = block.rpartition('"The lease')
    changed_one = f'{head}"No lease{notes}'
    assert shortened(f"A\n\n{changed_one}", ROOT, ROOT, {}).text == f"A\n\n{changed_one}"
