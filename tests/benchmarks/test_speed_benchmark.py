"""The parts of the speed benchmark over a small folder: the same matches as a reference, never a time."""

from __future__ import annotations

import json
import re
import shutil
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.answering import WINDOW, answer, lowered
from benchmarks.corpora import Folder, paragraphs, texts_of_notes
from benchmarks.measuring import Series, Timing, interleaved
from benchmarks.queries import TERMS, overlapping, spellings
from benchmarks.ripgrep import INVOCATIONS, Reference, Ripgrep, UnequalError, agreeing, find_ripgrep, write_patterns
from benchmarks.rows import Bench, Result, changed, nothing_cached, prove_equal, warm
from benchmarks.speed import main, report
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


def bench(ripgrep: Ripgrep, work: Path) -> Bench:
    work.mkdir()
    return Bench(ripgrep, work, runs=1, say=lambda text: None)


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


def test_rows_against_ripgrep_are_measured_and_shown(folder: Folder, ripgrep: Ripgrep, tmp_path: Path) -> None:
    once = bench(ripgrep, tmp_path / "work")
    results = [*warm(once, "1", folder), *nothing_cached(once, folder, gated=True)]
    assert [result.terms for result in results] == ["T12", "T40", "T12", "T12", "T12"]
    assert all(result.ours.median() > 0 and result.theirs.median() > 0 for result in results)
    assert len(once.commands) == 2 * len(INVOCATIONS)
    assert all(str(folder.path) in command and "-i -F" in command for command in once.commands)


def test_a_changed_note_is_found_before_the_indexes_are_rebuilt(folder: Folder, tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    pytest.importorskip("tantivy")
    before = {path: path.read_bytes() for path in folder.path.rglob("*.md")}
    results = list(changed(bench(Ripgrep("rg", "not used"), tmp_path / "work"), folder))
    assert {result.yardstick.split()[0] for result in results} == {"bm25s", "tantivy"}
    assert sum(result.gate is not None for result in results) == 4
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


def test_a_gate_is_a_floor_of_speed_or_a_ceiling_of_cost() -> None:
    slow, quick = Series((Timing(3.0, 3.0),)), Series((Timing(1.0, 1.0),))
    faster = Result("1", "warm", "A", "T12", "wall", quick, slow, "rg", gate=3.0)
    assert faster.ratio == 3.0
    assert faster.passed
    assert Result("1", "warm", "A", "T12", "wall", quick, slow, "rg", gate=3.1).passed is False
    dearer = Result("4", "nothing cached", "A", "T12", "cpu", slow, quick, "rg", gate=1.0, ceiling=True)
    assert dearer.ratio == 3.0
    assert dearer.passed is False
    assert Result("4", "lean", "A", "T12", "cpu", slow, quick, "rg", gate=None).passed is None


def test_a_busy_machine_is_noticed_by_ripgreps_own_times() -> None:
    shared = Reference({"count": Series((Timing(2.0, 2.0),)), "one-thread": Series((Timing(2.1, 2.0),))})
    assert shared.most_cores() == 1.0
    alone = Reference({"count": Series((Timing(1.0, 1.9),)), "one-thread": Series((Timing(2.1, 2.0),))})
    assert alone.most_cores() == 1.9
    assert alone.fastest()[0] == "rg count"


def test_recall_of_the_gate_stands_beside_the_speed() -> None:
    about = {"ripgrep": "ripgrep 15", "python": "3", "libraries": {}, "build": "b", "processor": "p", "cores": 2}
    about |= {"memoryGiB": 1, "system": "s", "load": [0], "loadAfter": [0]}
    recall = [{"row": "hotpotqa", "figure": "documentRecall.5", "arms": {"lens": 93.2, "bm25s": None}, "passed": True}]
    shown = report(
        {"machine": about, "runs": 7, "commands": ["rg x"], "warnings": ["busy"], "recall": recall}, {}, [], []
    )
    assert "WARNING: busy" in shown
    assert re.search(r"hotpotqa +\| documentRecall.5 +\| 93.2 +\| – +\| pass", shown)


def test_what_is_missing_is_said_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--data", str(tmp_path), "--work", str(tmp_path / "work"), "--out", str(tmp_path / "out.json")]
    assert main([*arguments, "--rg", str(tmp_path / "rg")]) == 2
    assert "there is no ripgrep at" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--runs", "3"])
    assert stopped.value.code == 2
    assert "at least 7" in capsys.readouterr().err


def test_a_file_that_is_no_gate_is_refused(
    tmp_path: Path, ripgrep: Ripgrep, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "gate.json"
    wrong.write_text(json.dumps({"figures": [{"row": "hotpotqa"}]}))
    arguments = ["--data", str(tmp_path), "--work", str(tmp_path / "work"), "--out", str(tmp_path / "out.json")]
    assert main([*arguments, "--recall", str(wrong)]) == 2
    assert "lens eval gate" in capsys.readouterr().err
