"""Citations in notes: written in seven syntaxes, read back after whatever formatters do, found by record or words."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

import pytest

from lens_lsp.corpus.text_marks import find_generated
from lens_lsp.memory.answer_files import MOST_BESIDE, NotePlace, Saved, write_short
from lens_lsp.memory.citation_records import PATH, add_records, read_records, short_id
from lens_lsp.memory.notes import ASCIIDOC, LATEX, MARKDOWN, ORG, PLAIN, RST, TYPST, Syntax, note, read_note, references
from lens_lsp.model.text import SourceText
from tests.memory.test_checking import (
    ASKED,
    MOVED,
    UNVERIFIABLE,
    VERIFIED,
    WITHDRAWN,
    answered,
    checked,
    found_in,
    recorded,
)

SYNTAXES = (MARKDOWN, ORG, RST, ASCIIDOC, LATEX, TYPST, PLAIN)
LEASE = "The lease of the workshop ends on 30 June 2031."
RENT = "The rent of the workshop is 900 euros a month."
PLACE = "[house/contract.md:3](../house/contract.md#L3)"
HARD = 'He said "no" to *it* [1], 5_000 $x$, 100 % & #3 {a} <!-- lens:end q1 --> image:x[] \\o/.'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "w"
    (root / "house").mkdir(parents=True)
    (root / ".lens.toml").touch()
    (root / "house" / "contract.md").write_text(f"# Contract\n\n{LEASE}\n\n{RENT}\n")
    return root


def put(root: Path, name: str, syntax: Syntax = MARKDOWN, *, records: bool = True, words: str = "") -> Path:
    """A note below the root that cites both sentences, as it is inserted."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    contract = "house/contract.md"
    given = answered(root, found_in(root, contract, LEASE), found_in(root, contract, RENT, 2))
    place = NotePlace(syntax, "q1", str(path.parent), str(root))
    block = write_short(Saved(given, recorded(given), ASKED, str(path.parent), private=True), place)
    path.write_text(f"{words}Mine.\n\n{block.text}\nMine again.\n")
    if records:
        add_records(str(root), block.records)
    return path


def states(*paths: Path) -> list[object]:
    report = checked(*paths)
    assert report.unreadable == []
    return [each.checked.state for each in report.findings]


@pytest.mark.parametrize("syntax", SYNTAXES, ids=lambda each: each.name)
def test_what_stands_in_a_note_is_read_back_in_its_syntax(folder: Path, syntax: Syntax) -> None:
    written = note(syntax, "q7f3k2", "a (1)/b [c].md", 3, "../a%20%281%29/b%20%5Bc%5D.md#L3", HARD)
    (found,) = references(
        f"Mine {written}\nMine.\n" if syntax.inline else f"Mine.\n\n{written}\n", syntax, SourceText("")
    )
    assert (found.label, found.name, found.named) == ("q7f3k2", "a (1)/b [c].md", 3)
    assert re.sub(r"[\s`\\\u200b]", "", found.quote) == re.sub(r"[\s`\\]", "", HARD)
    assert written.count("<!-- lens:end") == 0
    path = put(folder, f"notes/n.{syntax.suffixes.split()[0]}", syntax)
    assert states(folder) == [VERIFIED, VERIFIED]
    assert find_generated(path.read_text()).spans
    path.write_text(path.read_text().replace("900", "901"))
    assert sorted(map(str, states(folder))) == ["verified", "withdrawn"]


def test_beside_words_and_paths_an_answer_takes_at_most_400_bytes(folder: Path) -> None:
    for count in (1, 2, 4):
        long = [f"Sentence number {n} of {count} says {'a great deal of ' * 20}nothing." for n in range(count)]
        (folder / "long.md").write_text("\n\n".join(long))
        given = answered(folder, *(found_in(folder, "long.md", each, n) for n, each in enumerate(long, 1)))
        place = NotePlace(MARKDOWN, "q41f0c", str(folder / "notes"), str(folder))
        block = write_short(Saved(given, recorded(given), ASKED, None, private=True), place)
        own = len(re.sub(r" \[\d\]", "", given.text.strip()).encode()) + count * (len("long.md") + len("../long.md"))
        assert len(block.text.encode()) - own <= MOST_BESIDE
        assert [each.quote for each in block.records.values()] == long


def test_moving_copying_formatting_and_cloning_keep_citations(folder: Path, tmp_path: Path) -> None:
    path = put(folder, "notes/n.md")
    assert states(folder) == [VERIFIED, VERIFIED]
    (folder / "deep" / "er").mkdir(parents=True)
    path = path.rename(folder / "deep" / "er" / "m.md")
    assert states(folder) == [MOVED, MOVED]  # its links lead elsewhere now
    shutil.copy(path, folder / "notes" / "copy.md")
    assert states(folder) == [MOVED, MOVED, VERIFIED, VERIFIED]
    path.unlink()
    contract = folder / "house" / "contract.md"
    contract.write_bytes(
        f"# Contract\r\n\r\nNew.\r\n\r\n> {LEASE.replace(' of ', chr(13) + chr(10) + '> of ')}\r\n".encode()
    )
    assert states(folder) == [MOVED, WITHDRAWN]
    contract.rename(folder / "renamed.md")
    assert states(folder) == [MOVED, WITHDRAWN]
    shutil.copytree(folder, tmp_path / "clone")
    assert states(tmp_path / "clone") == [MOVED, WITHDRAWN]
    (folder / "another.md").write_text(LEASE)
    assert states(folder) == [WITHDRAWN, WITHDRAWN]  # two places could be meant


@pytest.mark.parametrize(
    "formatted",
    [
        f'[^ID]:\n    {PLACE} "The lease of the\n    workshop ends on 30 June 2031."\n',
        f'[^ID]: {PLACE} "The\nlease of the workshop ends on 30 June 2031." More.\n',
        f'Words joined [^ID]: {PLACE} "{LEASE}"\n',
        f'[^1]: {PLACE} "The lease of the workshop\n    ends on 30 June 2031."\n',
        f'[^ID]: {PLACE.replace("[", "%5B").replace("]", "%5D")} "{LEASE}"\n',
        f"\\[^ID\\]: {PLACE} “{LEASE}”\n",
        "[^ID]: [the contract, Term](../house/contract.md#contract)\n",
    ],
    ids=["prettier", "gqq", "joined", "pandoc", "mdformat", "escaped", "a person"],
)
def test_what_formatters_and_people_make_of_a_footnote_is_the_same_citation(folder: Path, formatted: str) -> None:
    path = put(folder, "notes/n.md")
    first = re.findall(r"\[\^(q\w+)\]:", path.read_text())[0]
    path.write_text(
        "Text. [^ID]\n\n".replace("ID", "1" if "[^1]" in formatted else first) + formatted.replace("ID", first)
    )
    assert states(folder) == [VERIFIED]
    (folder / "house" / "contract.md").write_text(f"{LEASE.replace('2031', '2032')}\n")
    assert states(folder) == [WITHDRAWN]


def test_without_a_record_the_words_decide(folder: Path) -> None:
    path = put(folder, "notes/n.md", records=False)
    assert states(folder) == [VERIFIED, VERIFIED]
    contract = folder / "house" / "contract.md"
    contract.write_text(f"Above.\n{contract.read_text()}")
    assert states(folder) == [MOVED, MOVED]
    contract.rename(folder / "other.md")
    assert states(folder) == [MOVED, MOVED]
    (folder / "other.md").write_text(f"{LEASE}\n\n{LEASE}\n")
    assert states(folder) == [UNVERIFIABLE, UNVERIFIABLE]
    path.write_text('[^q1abcd]: [c](../other.md#L1)\n\n[^mine]: [a](../other.md#L1) "some text of mine"\n')
    assert states(folder) == [UNVERIFIABLE]  # it quotes nothing; the other one is none of ours


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("limits.md", "At most 5 ms, it says.", "At most 15 ms, it says."),
        ("limits.md", "At most 5 ms, it says.", "At most 1.5 ms, it says."),
        ("limits.md", "It is 5 ms, it says.", "It is 5 msec, it says."),
        ("limits.md", "It is 5 ms, it says.", "It is 5ms, it says."),
        ("run.py", "5 ms", "5\n    ms"),
    ],
)
def test_words_within_other_words_or_laid_out_otherwise_prove_nothing(
    folder: Path, name: str, old: str, new: str
) -> None:
    note = folder / "n.md"
    note.write_text(f'It is. [^q1abcd]\n\n[^q1abcd]: [{name}:1]({name}#L1) "5 ms"\n')
    (folder / name).write_text(f"{old}\n")
    assert states(folder) == [VERIFIED]
    (folder / name).write_text(f"{new}\n")
    assert states(folder) == [UNVERIFIABLE]


def test_a_footnote_whose_words_are_joined_is_withdrawn(folder: Path) -> None:
    path = put(folder, "notes/n.md")
    path.write_text(path.read_text().replace("900 euros", "900euros"))
    assert sorted(map(str, states(folder))) == ["verified", "withdrawn"]


def test_a_footnote_that_was_changed_is_withdrawn(folder: Path) -> None:
    path = put(folder, "notes/n.md")
    text = path.read_text()
    path.write_text(text.replace('"The lease', '"No lease'))
    assert states(folder) == [WITHDRAWN, VERIFIED]
    path.write_text(text.replace("house/contract", "house/other", 2))
    assert states(folder) == [WITHDRAWN, VERIFIED]


def test_records_merge_and_a_bad_line_spoils_nothing(folder: Path) -> None:
    put(folder, "notes/n.md")
    file = folder / PATH
    lines = file.read_text().splitlines()
    assert lines == sorted(lines)
    theirs = lines[0].replace("30 June", "31 July")
    file.write_text("\n".join(["<<<<<<< a", lines[0], "=======", theirs, ">>>>>>> b", lines[1], "{broken", ""]))
    report = checked(folder)
    assert [each.checked.state for each in report.findings] == [VERIFIED, VERIFIED]
    assert [each.why for each in report.unreadable] == [
        f"{PATH}: this line is no record of a citation: it is no JSON (JSONDecodeError) (line 7)"
    ]
    known = read_records(str(folder))
    assert known is not None
    add_records(str(folder), {"q9zzzz": next(iter(known.by_id.values()))[0]})
    written = file.read_text().splitlines()
    assert written[-1] == "{broken"
    assert {*lines, theirs} < {*written}
    assert not any(line.startswith(("<<<", "===", ">>>")) for line in written)


def test_an_id_of_two_citations_is_resolved_by_what_the_footnote_says(folder: Path) -> None:
    put(folder, "notes/n.md")
    known = read_records(str(folder))
    assert known is not None
    (one, [lease]), (_, [rent]) = sorted(known.by_id.items(), key=lambda each: each[1][0].quote)
    add_records(str(folder), {one: rent})
    assert states(folder) == [VERIFIED, VERIFIED]
    (folder / "notes" / "n.md").write_text(f"[^{one}]: [house/contract.md](../house/contract.md)\n")
    assert states(folder) == [WITHDRAWN]
    assert short_id("x.md", "another", 0, {short_id("x.md", "another", 0, {}): (lease,)}) != short_id(
        "x.md", "another", 0, {}
    )


def test_bad_input_is_bounded_and_named(folder: Path, tmp_path: Path) -> None:
    began = time.process_time()
    for forged in (
        '[^q1abcd]: [a](b) "',
        "[^q1abcd]:",
        "<!-- lens:begin q1 -->\n",
        "[" * 9 + "](" * 9,
        "[^q1abcd]: \\[",
    ):
        read_note(forged * (200_000 // len(forged)), str(folder / "n.md"), None)
    assert time.process_time() - began < 60
    many = "".join(f'[^q1a{n:04}]: [c](house/contract.md#L3) "{LEASE}"\n\n' for n in range(5_010))
    citing = read_note(many, str(folder / "n.md"), None)
    assert len(citing.written) == 5_000
    assert "more than 5,000" in citing.faults[0].why
    (tmp_path / "outside.md").write_text(LEASE)
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "notes.md").write_text(
        '[^q1aaaa]: [x](../outside.md#L1) "The secret of the workshop is out."\n\n'
        '[^q1aaab]: [x](link.md#L1) "It is told to nobody at all."\n'
    )
    assert states(folder) == [UNVERIFIABLE, UNVERIFIABLE]
    shutil.rmtree(folder / ".lens", ignore_errors=True)
    (folder / ".lens").symlink_to(tmp_path)
    (tmp_path / "citations.jsonl").write_text("{}\n")
    known = read_records(str(folder))
    assert known is not None
    assert (known.by_id, len(known.faults)) == ({}, 1)
    with pytest.raises(OSError, match="cannot be read"):
        add_records(
            str(folder), {"q1aaaa": recorded(answered(folder, found_in(folder, "house/contract.md", LEASE)))[1]}
        )
