"""Answer files of the second version: short, checked by records beside them, put into notes, and forgotten whole."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.corpus.text_marks import find_generated
from lens_lsp.disk import ORDINARY
from lens_lsp.memory.answer_files import NotePlace, Saved, as_short, put_answer, write_answer
from lens_lsp.memory.citation_records import PATH, read_records, records_above
from lens_lsp.memory.notes import MARKDOWN, read_note
from lens_lsp.memory.store import Store, delete_answers
from lens_lsp.memory.store_file import NotSaved
from lens_lsp.model.answer import RequirementResult, RequirementStatus
from tests.memory.test_answer_files import ROOT, changed, hostile, saved
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

LEASE = "The lease of the workshop ends on 30 June 2031."
RENT = "The rent of the workshop is 900 euros a month."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    (folder / "house").mkdir(parents=True)
    (folder / ".lens.toml").touch()
    (folder / "house" / "contract.md").write_text(f"# Contract\n\n{LEASE}\n\n{RENT}\n")
    return folder


def kept(root: Path, *quotes: str) -> Saved:
    items = [found_in(root, "house/contract.md", quote, n) for n, quote in enumerate(quotes, 1)]
    facts = tuple(
        RequirementResult(
            f"f{item.n}", f"What of {item.n}?", RequirementStatus.COVERED, None, False, 1, 1, None, (item.n,)
        )
        for item in items
    )
    missing = RequirementResult("f9", "Who pays?", RequirementStatus.MISSING, None, False, 0, 0, None, ())
    given = replace(answered(root, *items), requirements=(*facts, missing))
    return Saved(given, recorded(given), ASKED, None, private=False)


def put(root: Path, *quotes: str) -> Path:
    path = root / "answers" / "lease.md"
    put_answer(path, kept(root, *quotes), str(root), ORDINARY, root)
    return path


def states(*paths: Path) -> list[object]:
    report = checked(*paths)
    assert report.unreadable == []
    return [each.checked.state for each in report.findings]


def test_a_file_has_the_answer_its_facts_and_nothing_that_only_a_check_needs(root: Path) -> None:
    text = put(root, LEASE, RENT).read_text()
    one, two = sorted(read_records(str(root)).by_id, key=text.index)  # type: ignore[union-attr]
    front, _, body = text.removeprefix("---\n").partition("---\n")
    assert front.splitlines()[0] == "lens: answer/2"
    assert [json.loads(line[4:]) for line in front.splitlines() if line.startswith("  - ")] == [
        {"fact": "What of 1?", "state": "covered", "cites": [one]},
        {"fact": "What of 2?", "state": "covered", "cites": [two]},
        {"fact": "Who pays?", "state": "missing", "cites": []},
    ]
    assert f"It is told. [^{one}] It is told. [^{two}]" in body
    assert f'[^{one}]: [house/contract.md:3](../house/contract.md#L3) "{LEASE}"' in body
    assert "sha256" not in text
    assert (root / PATH).read_text().count('"sha256"') == 2
    assert find_generated(text).answer


def test_it_is_checked_by_its_records_and_without_them_by_its_words(root: Path, tmp_path: Path) -> None:
    path = put(root, LEASE, RENT)
    assert (states(root), checked(root).answers) == ([VERIFIED, VERIFIED], 1)
    source = root / "house" / "contract.md"
    source.write_text(source.read_text().replace("900", "901"))
    assert sorted(map(str, states(root))) == ["verified", "withdrawn"]
    source.write_text(f"# Contract\n\nNew.\n\n{LEASE}\n\nRent.\n")
    assert states(root) == [MOVED, WITHDRAWN]
    (root / PATH).unlink()
    assert states(root) == [MOVED, UNVERIFIABLE]
    assert states(path, root) == [MOVED, UNVERIFIABLE]


def test_a_footnote_that_was_changed_or_is_gone_is_told(root: Path) -> None:
    path = put(root, LEASE)
    text = path.read_text()
    path.write_text(changed(text, "2031.", "2041."))
    assert states(root) == [WITHDRAWN]
    path.write_text(text[: text.rindex("[^")])
    assert [each.why.partition(":")[0] for each in checked(root).unreadable] == [
        f"the footnote of [{next(iter(read_records(str(root)).by_id))}] is missing"  # type: ignore[union-attr]
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [('  - {"fact"', '  - {"fact'), ('"state": "covered", ', ""), ('"cites": ["', '"cites": "')],
)
def test_facts_that_cannot_be_read_are_told(root: Path, old: str, new: str) -> None:
    path = put(root, LEASE)
    path.write_text(changed(path.read_text(), old, new))
    assert ["the front matter cannot be read" in each.why for each in checked(root).unreadable] == [True]


def test_nothing_of_a_source_acts_in_it() -> None:
    block = write_answer(saved(hostile()))
    assert block.text.count("<!-- lens:end") == 1
    read = read_note(block.text, os.path.join(ROOT, "a.md"), None)
    assert (read.faults, read.parts) == ((), 1)
    (citation,) = block.records.values()
    assert citation.quote == hostile().evidence[0].quote


def test_it_goes_into_a_note_with_the_same_records(root: Path) -> None:
    path = put(root, LEASE)
    place = NotePlace(MARKDOWN, "q1", str(root / "notes"), str(root), read_records(str(root)).by_id)  # type: ignore[union-attr]
    block = as_short(path.read_text(), str(path), place)
    assert block is not None
    assert block.records == {id_: some[0] for id_, some in place.taken.items()}
    assert block.text.startswith(f"<!-- lens:begin q1 -->\n\nIt is told. [^{next(iter(block.records))}]\n\n[^")
    (root / PATH).unlink()
    assert as_short(path.read_text(), str(path), place) is None


def test_what_rests_on_private_notes_is_in_neither_file_nor_records(root: Path) -> None:
    given = kept(root, LEASE, RENT)
    secret = replace(given.answer.evidence[1], private=True)
    block = write_answer(replace(given, answer=replace(given.answer, evidence=(given.answer.evidence[0], secret))))
    assert "900" not in block.text
    assert [each.quote for each in block.records.values()] == [LEASE]
    assert "facts: []" in block.text


def test_forgetting_an_answer_forgets_its_records_and_those_of_no_other(root: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "store") as store:
        first, second = kept(root, LEASE), kept(root, RENT)
        second = replace(second, answer=replace(second.answer, question="What is the rent?"))
        path = store.keep_answer("lease.md", first)
        store.keep_answer("rent.md", second)
        known = records_above(str(path.parent))
        assert known is not None
        assert sorted(each.quote for some in known.by_id.values() for each in some) == [LEASE, RENT]
        assert (path.parent / PATH).stat().st_mode & 0o077 == 0

        folder = path.parent.parent
        assert delete_answers(folder, frozenset({first.answer.question.casefold()})) == ("answers/lease.md",)
        assert LEASE not in (path.parent / PATH).read_text()
        assert RENT in (path.parent / PATH).read_text()
        delete_answers(folder, None)
        assert (path.parent / PATH).read_text() == ""


def test_where_a_link_leads_elsewhere_neither_file_nor_records_are_written(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with Store.open(tmp_path / "store") as store:
        (tmp_path / "store" / "answers").symlink_to(elsewhere)
        with pytest.raises(NotSaved):
            store.keep_answer("lease.md", kept(root, LEASE))
    assert list(elsewhere.iterdir()) == []
