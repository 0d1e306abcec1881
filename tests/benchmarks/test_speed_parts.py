"""The parts of the speed benchmark over a small folder: the same matches as a reference, never a time."""

from __future__ import annotations

import re
import shutil
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.measuring import Series, Timing, interleaved
from benchmarks.speed import generated
from benchmarks.speed.answering import WINDOW, answer, lowered
from benchmarks.speed.bench import Bench, Sizes, prove_equal
from benchmarks.speed.changes import changed
from benchmarks.speed.corpora import Corpora, Folder, paragraphs, texts_of_notes
from benchmarks.speed.queries import TERMS, overlapping, spellings
from benchmarks.speed.ripgrep import (
    INVOCATIONS,
    Reference,
    Ripgrep,
    UnequalError,
    agreeing,
    find_ripgrep,
    write_patterns,
)
from benchmarks.speed.scanning import read_through, uncached, warm
from tests.availability import unavailable


@pytest.fixture
def ripgrep() -> Ripgrep:
    if shutil.which("rg") is None:
        unavailable("ripgrep", "ripgrep is not installed")
    return find_ripgrep(None)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Every term of A in several cases, alone, repeated, at the ends of files, beside its neighbours."""
    root = tmp_path / "corpus"
    root.mkdir()
    terms = TERMS["A"]["T40"]
    total = 0
    for number in range(25):
        chosen = terms[number:] + terms[:number]
        words = [(term.upper(), term.lower(), term)[place % 3] for place, term in enumerate(chosen)]
        text = (" ".join(words[: 10 + number]) + "\nNothing to see.\n") * (number % 4 + 1) + words[0]
        path = root / f"{'deep/' * (number % 3)}note {number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        total += path.stat().st_size
    return Folder("A", root, 25, total)


class OneFolder(Corpora):
    """A folder of the test's in place of A."""

    def __init__(self, folder: Folder, work: Path) -> None:
        super().__init__(None, work)
        self._known["A"] = folder


def bench(folder: Folder, work: Path) -> Bench:
    work.mkdir()
    return Bench(OneFolder(folder, work), ("A",), Sizes(runs=1), None, lambda text: None)


@pytest.mark.parametrize("name", ["T12", "T40"])
def test_matches_are_those_of_a_regular_expression(folder: Folder, name: str) -> None:
    terms = TERMS["A"][name]
    arena, files = lowered(str(folder.path))
    found = answer(arena, terms)
    pattern = re.compile("|".join(map(re.escape, terms)), re.IGNORECASE)
    texts = [(folder.path / path).read_text("utf-8") for path in files]
    expected = dict.fromkeys((term.lower() for term in terms), 0)
    for text in texts:
        for match in pattern.findall(text):
            expected[match.lower()] += 1
    assert found.by_term([term.lower() for term in terms]) == expected
    assert all(expected.values())
    counts = [len(pattern.findall(text)) for text in texts]
    assert found.by_slot() == {slot: count for slot, count in enumerate(counts) if count}


def test_ripgrep_and_we_find_the_same_in_every_file(folder: Folder, ripgrep: Ripgrep, tmp_path: Path) -> None:
    terms = TERMS["A"]["T40"]
    patterns = write_patterns(terms, tmp_path / "patterns.txt")
    arena, files = lowered(str(folder.path))
    matches = prove_equal(ripgrep, folder, terms, patterns, arena, files)
    assert matches == len(answer(arena, terms).hits)
    assert agreeing(ripgrep, patterns, folder.path, matches) == list(INVOCATIONS)
    with pytest.raises(UnequalError, match="no invocation"):
        agreeing(ripgrep, patterns, folder.path, matches + 1)


def test_a_single_match_more_stops_the_run(folder: Folder, ripgrep: Ripgrep, tmp_path: Path) -> None:
    terms = TERMS["A"]["T40"]
    patterns = write_patterns(terms, tmp_path / "patterns.txt")
    arena, files = lowered(str(folder.path))
    with open(folder.path / files[3], "a", encoding="utf-8") as file:
        file.write(" a composer")
    with pytest.raises(UnequalError, match="composer"):
        prove_equal(ripgrep, folder, terms, patterns, arena, files)


@pytest.mark.usefixtures("ripgrep")
def test_rows_against_ripgrep_are_measured(folder: Folder, tmp_path: Path) -> None:
    once = bench(folder, tmp_path / "work")
    rows = [*warm(once), *uncached(once)]
    assert len({row.key for row in rows}) == len(rows) == 5 + 3
    assert all(row.median > 0 for row in rows)
    assert len(once.commands) == 2 * len(INVOCATIONS)
    assert all("CORPORA" in command and "-i -F" in command for command in once.commands)


def test_every_byte_of_the_texts_is_looked_at(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number:02d}.md").write_text("a" * (1000 + number), "utf-8")
    arena, _ = lowered(str(tmp_path))
    before = read_through(arena)
    (tmp_path / "20.md").write_bytes(b"a" * 500 + b"\xff" * 16 + b"a" * 500)
    assert 0 < before < read_through(lowered(str(tmp_path))[0]) == 2**64 - 1


def test_a_changed_note_is_found_before_the_indexes_are_rebuilt(folder: Folder, tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    pytest.importorskip("tantivy")
    before = {path: path.read_bytes() for path in folder.path.rglob("*.md")}
    rows = list(changed(bench(folder, tmp_path / "work"), folder))
    beside = {row.yardstick for row in rows}
    assert {"bm25s, built anew", "tantivy, brought up to date", "SQLite FTS5, steady", "nothing changed"} <= beside
    assert sum(row.goal is not None for row in rows) == 4 + 1 + 2 + 1
    assert {path: path.read_bytes() for path in folder.path.rglob("*.md")} == before


@pytest.mark.parametrize(("corpus", "name"), [(corpus, name) for corpus, sets in TERMS.items() for name in sets])
def test_terms_are_as_many_as_the_name_says_and_cannot_overlap(corpus: str, name: str) -> None:
    terms = TERMS[corpus][name]
    assert len({term.lower() for term in terms}) == int(name[1:])
    assert overlapping(terms) == []


def test_terms_that_can_overlap_are_noticed() -> None:
    assert overlapping(["keyboard", "ardent"]) == [("keyboard", "ardent")]
    assert overlapping(["virtual function", "function"]) == [("virtual function", "function")]
    assert overlapping(["ana"]) == [("ana", "ana")]


def test_letters_outside_ascii_are_looked_for_in_both_cases() -> None:
    assert spellings("José") == ["josé".encode(), "josÉ".encode()]
    assert spellings("Öl Ä") == [text.encode() for text in ("öl ä", "öl Ä", "Öl ä", "Öl Ä")]


def test_the_window_shown_is_the_densest(tmp_path: Path) -> None:
    filler = "and so on. " * 200
    (tmp_path / "note.md").write_text(f"ambassador {filler}ambassador, composer, village {filler}village", "utf-8")
    arena, _ = lowered(str(tmp_path))
    ((start, end),) = answer(arena, TERMS["A"]["T12"]).windows
    assert start == len("ambassador " + filler)
    assert end == start + WINDOW


def test_generated_notes_are_real_paragraphs_and_the_same_in_every_run(folder: Folder) -> None:
    sources = paragraphs(folder.path)
    assert sources
    first, again = (list(texts_of_notes(sources, sources[:3], 40)) for _ in range(2))
    assert first == again
    assert first == list(islice(texts_of_notes(sources, sources[:3], 50), 40))
    for text in first:
        title, *parts = text.rstrip("\n").split("\n\n")
        assert title.startswith("# Note ")
        assert {part.strip("\n") for part in parts} <= {part.strip("\n") for part in sources}


def test_alternating_runs_take_turns() -> None:
    turns: list[str] = []

    def task(name: str) -> Timing:
        turns.append(name)
        return Timing(float(len(turns)), 0.0)

    ours, theirs = interleaved(3, lambda: task("lens"), lambda: task("rg"))
    assert turns == ["lens", "rg"] * 3
    assert (ours.median(), theirs.median()) == (3.0, 4.0)


def test_a_busy_machine_is_noticed_by_ripgreps_own_times() -> None:
    shared = Reference({"count": Series((Timing(2.0, 2.0),)), "one-thread": Series((Timing(2.1, 2.0),))})
    assert shared.most_cores() == 1.0
    alone = Reference({"count": Series((Timing(1.0, 1.9),)), "one-thread": Series((Timing(2.1, 2.0),))})
    assert alone.most_cores() == 1.9
    assert alone.fastest()[0] == "count"


def test_generated_texts_are_the_same_each_time_and_hold_every_term() -> None:
    terms = TERMS["A"]["T40"]
    for make in (generated.article_texts, generated.page_texts):
        first, again = (list(make(100, terms)) for _ in range(2))
        assert first == again
        text = "\n".join(text for _, text in first)
        assert [term for term in terms if term not in text] == []
        assert len({name for name, _ in first}) == 100


def test_generated_questions_name_what_stands_in_the_texts() -> None:
    texts = list(generated.article_texts(20, ("village",)))
    asked = generated.questions(iter(texts), 5)
    assert len(asked) == len(set(asked)) == 5
    titles = [text.partition("\n")[0] for _, text in texts]
    assert f"Which place is named by both {titles[0]} and {titles[1]}?" == asked[0]


def test_a_corpus_is_made_once_and_found_again(tmp_path: Path) -> None:
    counts = {"A": 100, "docs": 80, "C": 20}
    first = Corpora(None, tmp_path, counts)
    made = {name: first.folder(name) for name in counts}
    written = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    again = Corpora(None, tmp_path, counts)
    assert {name: again.folder(name) for name in counts} == made
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == written
    assert {name: one["files"] for name, one in again.json().items()} == counts
