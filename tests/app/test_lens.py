"""A workspace from the outside: folders in, findings out, whatever happens to the files meanwhile."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.corpus.intake import Buffer
from lens_lsp.model.documents import Evidence, Findings, SkipReason, TextSource
from lens_lsp.model.errors import PathNotFound, UsageError
from lens_lsp.model.plan import SIGNALS
from lens_lsp.model.text import SourceText

REPOSITORY = Path(__file__).resolve().parents[2]
NOTES = {
    "house/contract.md": "# Contract\n\n## Term\n\nThe lease of the workshop ends on 30 June 2031.\n\n## Keys\n\nX\n",
    "garden.md": "# Garden\n\nTomatoes need sun, water and patience.\n",
    "people/Mira Tolvanen.md": "She came into the world in 1911, near a lake.\n",
    "mills.md": "# Mills\n\nThe Quellwerk mill was founded by Mira Tolvanen beside the weir.\n",
    "größe.txt": "Die Straße ist lang — sehr lang, größer als gedacht.\r\nUnd die zweite Zeile ist kürzer.\r\n",
    "table.csv": "tool,price\nhammer,12\nworkbench,340\n",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    return folder


def paths(findings: Findings) -> list[str]:
    return [item.path for item in findings.evidence]


class Watcher:
    """Remembers what it was told, and acts once at a stage."""

    def __init__(self, stage: str = "", act: Callable[[], object] = lambda: None) -> None:
        self.stages: list[str] = []
        self.items: list[Evidence] = []
        self._stage, self._act = stage, act

    def progress(self, stage: str, done: int, total: int | None) -> None:
        if stage == self._stage and stage not in self.stages:
            self._act()
        self.stages.append(stage)

    def evidence(self, item: Evidence) -> None:
        self.items.append(item)


@pytest.mark.parametrize(
    ("query", "path", "quote"),
    [
        ("When does the lease of the workshop end?", "house/contract.md", "ends on 30 June 2031"),
        ("what do tomatoes need", "garden.md", "sun, water and patience"),
        ("grösser als gedacht strasse", "größe.txt", "größer als gedacht"),
        ("price of the workbench", "table.csv", "workbench,340"),
    ],
)
def test_a_question_is_answered_by_the_passage_that_proves_it(notes: Path, query: str, path: str, quote: str) -> None:
    first = Lens([notes]).find(query).evidence[0]
    assert first.path == path
    assert quote in first.quote


def test_every_passage_is_what_stands_in_its_file(notes: Path) -> None:
    lens = Lens([notes])
    shown = [
        item
        for query in ("lease workshop mill tomatoes", "größe zeile", "hammer")
        for item in lens.find(query).evidence
    ]
    assert {item.path for item in shown} >= {"house/contract.md", "mills.md", "garden.md", "größe.txt", "table.csv"}
    for item in shown:
        data = (notes / item.path).read_bytes()
        source = SourceText(data.decode())
        assert item.quote == source.text[item.span.start : item.span.end] != ""
        assert (item.start, item.end) == (source.position(item.span.start), source.position(item.span.end))
        assert item.origin.sha256 == hashlib.sha256(data).hexdigest()
        assert item.origin.source is TextSource.DISK


def test_a_passage_tells_its_headings_and_its_row(notes: Path) -> None:
    filling = "Nothing of note. " * 60
    text = f"# Manual\n\n{filling}\n\n## Storage\n\n{filling}\nA zebra is kept dry.\n\n{filling}\n\n## Other\n"
    (notes / "manual.md").write_text(text)
    (notes / "zoo.csv").write_text("animal,price\n" + "goat,7\n" * 200 + "lion,900\n" + "goat,7\n" * 200)
    lens = Lens([notes])
    assert lens.find("How is a zebra kept?").evidence[0].heading == ("Manual", "Storage")
    rows = lens.find("lion").evidence
    assert all("\nlion,900" in row.quote and row.locator is not None for row in rows)
    assert all(line in ("goat,7", "lion,900") for row in rows for line in row.quote.split("\n"))  # whole rows


def test_a_passage_never_reaches_over_a_heading(notes: Path) -> None:
    (notes / "zoo.md").write_text(
        "# Lions\n\nA zebra is near.\n\n## Storage\n\nA zebra is kept dry.\n\n## Zebras\n\nX\n"
    )
    found = Lens([notes]).find("zebra").evidence
    assert sorted(item.quote for item in found) == [
        "# Lions\n\nA zebra is near.",
        "## Storage\n\nA zebra is kept dry.",
        "## Zebras\n\nX",
    ]


def test_a_related_word_is_found_too_behind_the_word_itself(notes: Path) -> None:
    (notes / "lions.md").write_text("The automobile stands in the yard.")
    (notes / "yard.md").write_text("The car stands in the yard.")
    (notes / "house.md").write_text("The shed stands in the yard.")
    assert paths(Lens([notes]).find("car")) == ["yard.md", "lions.md"]


def test_the_second_hop_is_among_the_documents_and_quoted_only_where_it_holds_a_word_of_the_question(
    notes: Path,
) -> None:
    question = "When was the founder of the Quellwerk mill born?"
    findings = Lens([notes]).find(question)
    assert [item.path for item in findings.documents][:2] == ["mills.md", "people/Mira Tolvanen.md"]
    assert paths(findings) == ["mills.md"]
    (notes / "people" / "Mira Tolvanen.md").write_text("She was born in 1911, near a lake.\n")
    assert paths(Lens([notes]).find(question)) == ["mills.md", "people/Mira Tolvanen.md"]


def test_passages_are_numbered_in_order_and_told_as_they_are_found(notes: Path) -> None:
    watcher = Watcher()
    findings = Lens([notes]).find("lease mill tomatoes", observer=watcher)
    assert [item.n for item in findings.evidence] == list(range(1, len(findings.evidence) + 1))
    assert tuple(watcher.items) == findings.evidence
    order = [stage for index, stage in enumerate(watcher.stages) if stage not in watcher.stages[:index]]
    assert order == [stage for stage in ("walk", "read", "scan", "rank", "verify") if stage in order]
    assert {"read", "scan", "verify"} <= set(order)


def test_coverage_counts_what_was_looked_at(notes: Path) -> None:
    (notes / "picture.md").write_bytes(b"\x00\x01\x02\x03" * 64)
    (notes / "thesis.pdf").write_bytes(b"%PDF-1.7")
    findings = Lens([notes], first=60.0).find("lease")
    coverage = findings.coverage
    assert (coverage.found, coverage.scanned) == (8, 6)
    assert [(skip.path, skip.reason) for skip in coverage.skipped] == [
        ("picture.md", SkipReason.BINARY),
        ("thesis.pdf", SkipReason.BROKEN),
    ]
    assert coverage.read == len({item.path for item in findings.evidence})
    assert findings.roots == (str(notes),)


def test_documents_are_ranked_with_what_each_signal_gave(notes: Path) -> None:
    documents = Lens([notes]).find("When was the founder of the Quellwerk mill born?").documents
    assert [item.prior for item in documents] == sorted((item.prior for item in documents), reverse=True)
    assert all(sum(item.signals.values()) == pytest.approx(1.0, abs=1e-4) for item in documents)
    assert all(0 <= share <= 1 for item in documents for share in item.signals.values())


def test_an_edit_between_two_questions_is_seen(notes: Path) -> None:
    lens = Lens([notes])
    assert "2031" in lens.find("When does the lease end?").evidence[0].quote
    for year in ("2032", "2033"):  # same length, within one tick of a coarse clock
        text = NOTES["house/contract.md"].replace("2031", year)
        (notes / "house/contract.md").write_text(text)
        assert year in lens.find("When does the lease end?").evidence[0].quote


def test_new_and_removed_files_are_seen(notes: Path) -> None:
    lens = Lens([notes])
    lens.find("lease")
    (notes / "zebra.md").write_text("A zebra crossed the yard.")
    assert paths(lens.find("zebra")) == ["zebra.md"]
    (notes / "zebra.md").rename(notes / "renamed.md")
    assert paths(lens.find("zebra yard")) == ["renamed.md"]
    (notes / "renamed.md").unlink()
    assert paths(lens.find("zebra")) == []


def test_a_lens_answers_as_a_new_one_would_after_many_changes(notes: Path) -> None:
    lens, generator = Lens([notes]), random.Random(3)
    for turn in range(12):
        victim = notes / f"note {generator.randrange(4)}.md"
        if victim.exists() and generator.random() < 0.4:
            victim.unlink()
        else:
            victim.write_text(" ".join(generator.choices(["zebra", "yard", "größe", "lorem"], k=40)))
        kept, fresh = lens.find(Request("zebra yard", limit=20)), Lens([notes]).find(Request("zebra yard", limit=20))
        assert (kept.evidence, kept.documents, kept.coverage) == (fresh.evidence, fresh.documents, fresh.coverage), turn


def buffers(*items: Buffer) -> Mapping[str, Buffer]:
    return {item.path: item for item in items}


def test_what_is_open_in_an_editor_wins_over_the_disk(notes: Path) -> None:
    lens = Lens([notes])
    path = str(notes / "garden.md")
    first = lens.find(Request("zebra", buffers=buffers(Buffer(path, "A zebra eats tomatoes.", 7)))).evidence[0]
    assert (first.path, first.quote) == ("garden.md", "A zebra eats tomatoes.")
    assert (first.origin.source, first.origin.version) == (TextSource.BUFFER, 7)
    assert first.origin.sha256 == hashlib.sha256(b"A zebra eats tomatoes.").hexdigest()
    assert paths(lens.find(Request("patience", buffers=buffers(Buffer(path, "A zebra eats tomatoes.", 7))))) == []
    again = lens.find(Request("lion", buffers=buffers(Buffer(path, "A lion eats tomatoes.", 8)))).evidence[0]
    assert (again.quote, again.origin.version) == ("A lion eats tomatoes.", 8)
    assert paths(lens.find("zebra lion")) == []
    assert paths(lens.find("patience")) == ["garden.md"]


def test_a_buffer_of_a_file_elsewhere_has_no_part_in_the_question(notes: Path, tmp_path: Path) -> None:
    outside = [str(tmp_path / "zebra.md"), str(tmp_path / "notes-old" / "garden.md")]
    assert (
        paths(Lens([notes]).find(Request("zebra", buffers=buffers(*(Buffer(path, "zebra") for path in outside))))) == []
    )


@pytest.mark.parametrize("order", [["garden.md", "."], [".", "garden.md"], ["house", "."], [".", "house"]])
def test_a_buffer_is_seen_whichever_of_overlapping_paths_its_file_is_found_under(notes: Path, order: list[str]) -> None:
    lens = Lens([notes / path for path in order])
    for path in ("mills.md", "garden.md", "house/contract.md"):
        found = lens.find(Request("zebra", buffers=buffers(Buffer(str(notes / path), "A zebra.", 1)))).evidence
        assert [item.quote for item in found] == ["A zebra."]


def test_a_file_can_be_asked_alone(notes: Path) -> None:
    findings = Lens([notes / "garden.md"]).find("lease tomatoes mill")
    assert paths(findings) == ["garden.md"]
    assert findings.roots == (str(notes),)
    assert findings.coverage.found == 1


@pytest.mark.parametrize("order", [["house", "."], [".", "house"], [".", "."], ["house/contract.md", "house", "."]])
def test_overlapping_paths_give_each_file_once(notes: Path, order: list[str]) -> None:
    findings = Lens([notes / path for path in order]).find(Request("lease workshop", limit=50))
    where = [(Path(findings.roots[item.root]) / item.path).resolve() for item in findings.evidence]
    assert where == [(notes / "house/contract.md").resolve()]
    assert findings.coverage.found == len(NOTES)


def test_paths_apart_are_asked_together(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "garden.md").write_text("Tomatoes want shelter from rain.")
    findings = Lens([notes, tmp_path / "other"]).find("tomatoes")
    assert {(item.root, item.path) for item in findings.evidence} == {(0, "garden.md"), (1, "garden.md")}


def test_a_file_that_changes_before_it_is_shown_is_withdrawn(notes: Path) -> None:
    lens, path = Lens([notes]), notes / "garden.md"
    (notes / "sun.md").write_text("The sun is out, and so is the water of the tomatoes.")
    watcher = Watcher("verify", lambda: path.write_text("Everything else now: tomatoes, sun, water."))
    findings = lens.find("tomatoes need sun, water and patience", observer=watcher)
    assert paths(findings) == ["sun.md"]
    assert len(findings.warnings) == 1
    assert findings.warnings[0].startswith("garden.md changed while it was being searched")
    assert [item.read for item in findings.documents if item.path == "garden.md"] == [False]
    assert "garden.md" in paths(lens.find("tomatoes need sun, water and patience"))


def test_a_file_that_vanishes_before_it_is_shown_is_withdrawn(notes: Path) -> None:
    watcher = Watcher("verify", (notes / "garden.md").unlink)
    findings = Lens([notes]).find("tomatoes patience", observer=watcher)
    assert findings.evidence == ()
    assert findings.warnings[0].startswith("garden.md cannot be read any more")


def test_a_file_that_becomes_a_link_before_it_is_shown_is_not_followed(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(NOTES["garden.md"])

    def swap() -> None:
        (notes / "garden.md").unlink()
        os.symlink(tmp_path / "secret.md", notes / "garden.md")

    findings = Lens([notes]).find("tomatoes patience", observer=Watcher("verify", swap))
    assert findings.evidence == ()
    assert len(findings.warnings) == 1


def test_a_change_that_leaves_the_text_alone_withdraws_nothing(notes: Path) -> None:
    watcher = Watcher("verify", lambda: (notes / "garden.md").write_text(NOTES["garden.md"]))
    findings = Lens([notes]).find("tomatoes patience", observer=watcher)
    assert paths(findings) == ["garden.md"]
    assert findings.warnings == ()


def test_equal_documents_are_ranked_by_path_however_many_and_whatever_happened_before(tmp_path: Path) -> None:
    for number in range(1500):
        (tmp_path / f"{number:04}.md").write_text("the same copper kettle")
    lens = Lens([tmp_path])
    first = [f"{number:04}.md" for number in range(10)]
    assert [item.path for item in lens.find("copper kettle").documents] == first
    for number in range(0, 1500, 3):
        (tmp_path / f"{number:04}.md").write_text("the same copper kettle")  # read again, into another place
    findings = lens.find("copper kettle")
    assert [item.path for item in findings.documents] == first
    assert paths(findings) == first


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_no_more_passages_are_given_than_asked_for(tmp_path: Path, limit: int) -> None:
    for number in range(12):
        (tmp_path / f"{number}.md").write_text(f"zebra {number}")
    findings = Lens([tmp_path]).find(Request("zebra", limit=limit))
    assert len(findings.evidence) == limit
    assert len(findings.documents) == 10


@pytest.mark.parametrize(
    ("query", "limit", "ablate"), [("", 1, ()), (" \n\t", 1, ()), ("\u200b", 1, ()), ("a", 0, ()), ("a", 1, ("nose",))]
)
def test_a_request_that_makes_no_sense_is_refused(notes: Path, query: str, limit: int, ablate: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        Lens([notes]).find(Request(query, limit=limit, ablate=frozenset(ablate)))


@pytest.mark.parametrize(
    "query", ["?", "...", "—", "\x00", "😀", "a" * 5000, "zebra " * 500, "\ud800", "(", "(zebra+", "\\"]
)
def test_a_strange_question_finds_nothing_rather_than_failing(notes: Path, query: str) -> None:
    assert Lens([notes]).find(query).evidence == ()


def test_words_that_occur_nowhere_are_told_in_the_order_of_the_question(notes: Path) -> None:
    lens = Lens([notes])
    assert lens.find("Has the Zeppelin a lease, or Ångströms?").missing == ("zeppelin", "angstroms")
    assert lens.find("When does the lease end?").missing == ()
    assert lens.find("zeppelin", cancelled=lambda: True).missing == ()  # nobody looked for it


@pytest.mark.parametrize("family", sorted(SIGNALS))
def test_every_family_can_be_switched_off(notes: Path, family: str) -> None:
    findings = Lens([notes]).find(
        Request("When was the founder of the Quellwerk mill, of Mills, born?", ablate={family})
    )
    assert findings.documents
    assert all(item.signals.get(family, 0.0) == 0.0 for item in findings.documents)


def test_a_question_that_is_cancelled_ends_early_and_the_next_one_is_whole(notes: Path) -> None:
    lens = Lens([notes])
    assert lens.find("lease", cancelled=lambda: True).evidence == ()
    assert paths(lens.find("lease")) == ["house/contract.md"]


def test_cancelled_while_scanning_it_keeps_what_was_read(notes: Path) -> None:
    lens = Lens([notes])
    watcher = Watcher()
    assert lens.find("lease", observer=watcher, cancelled=lambda: "scan" in watcher.stages).evidence == ()
    assert paths(lens.find("lease")) == ["house/contract.md"]


def test_cancelled_while_the_disk_is_looked_at_again_it_keeps_what_was_known(notes: Path) -> None:
    for note in filter(Path.is_file, notes.rglob("*")):
        os.utime(note, (1_600_000_000, 1_600_000_000))  # younger ones are read again each time
    lens, again = Lens([notes]), Watcher()
    lens.find("lease")
    stopped = lens.find("lease", cancelled=lambda: True)
    assert stopped.evidence == ()
    assert stopped.coverage.scanned == stopped.coverage.found
    assert paths(lens.find("lease", observer=again)) == ["house/contract.md"]
    assert "read" not in again.stages
    (notes / "house" / "contract.md").write_text("The lease of the second house ends in May.\n")
    lens.find("lease", cancelled=lambda: True)
    assert lens.find("lease second house").evidence[0].quote.startswith("The lease of the second")


def test_a_path_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(PathNotFound):
        Lens([tmp_path / "nowhere"])


def test_a_folder_that_went_away_is_an_error_of_the_next_question(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    lens = Lens([folder])
    folder.rmdir()
    with pytest.raises(PathNotFound):
        lens.find("anything")


def test_an_empty_folder_has_no_answers(tmp_path: Path) -> None:
    findings = Lens([tmp_path]).find("anything")
    assert (findings.evidence, findings.documents, findings.compression) == ((), (), None)


def test_a_question_opens_nothing_that_stays_open(notes: Path) -> None:
    lens = Lens([notes])
    lens.find("lease")
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(3):
        lens.find("lease tomatoes")
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal that says one word 2,000 times, a log of 5 MB, and notes that use the same words."""
    folder = tmp_path_factory.mktemp("large")
    generator = random.Random(11)
    lorem = ["lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit", "sed", "eiusmod"]
    days = [f"## Day {day}\n\nIn the garden: {' '.join(generator.choices(lorem, k=14))}.\n" for day in range(2000)]
    days[1873] = "## Day 1873\n\nThe gate of the garden has a new lock; its code is 4711.\n"
    journal = "\n".join(days)
    assert 225_000 < len(journal) < 290_000
    (folder / "journal.md").write_text(journal)
    lines = [
        f"2026-01-01T00:00:{number % 60:02} INFO volume helix: disk check {number} of {generator.choice(lorem)} passed"
        for number in range(72_000)
    ]
    log = "\n".join([*lines, "2026-01-02T03:04:05 ERROR quota exceeded on volume helix, writes refused\n"])
    assert 4_500_000 < len(log) < 5_700_000
    (folder / "server.log").write_text(log)
    for number in range(60):
        words = generator.choices([*lorem, "garden", "lock", "volume", "disk", "code"], k=120)
        (folder / f"note {number:02}.md").write_text(f"# Note {number}\n\n{' '.join(words)}.\n")
    return folder


@pytest.mark.parametrize(
    ("query", "path", "needle"),
    [
        ("What is the code of the lock at the garden gate?", "journal.md", "its code is 4711"),
        ("garden gate code", "journal.md", "its code is 4711"),
        ("quota exceeded on volume helix", "server.log", "ERROR quota exceeded"),
        ("Which volume refused writes?", "server.log", "ERROR quota exceeded"),
    ],
)
def test_the_needle_in_a_large_text_comes_first(large: Path, query: str, path: str, needle: str) -> None:
    first = Lens([large]).find(query).evidence[0]
    assert first.path == path
    assert needle in first.quote


def test_passages_of_large_texts_are_short_and_apart(large: Path) -> None:
    lens = Lens([large])
    for query in ("garden", "disk check volume helix", "lorem ipsum garden lock", "exceeded"):
        evidence = lens.find(Request(query, limit=25)).evidence
        assert evidence
        for item in evidence:
            assert 0 < len(item.span) <= 600
        for one, other in combinations(evidence, 2):
            if one.path == other.path:
                shared = min(one.span.end, other.span.end) - max(one.span.start, other.span.start)
                assert shared <= min(len(one.span), len(other.span), 300)


def test_two_processes_give_the_same_bytes_but_for_the_time_they_took(large: Path, notes: Path) -> None:
    def ask(seed: str) -> bytes:
        command = [
            sys.executable,
            "-m",
            "lens_lsp",
            "find",
            "Which garden lock did Mira Tolvanen found?",
            str(notes),
            str(large),
            "--json",
            "-n",
            "25",
        ]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(REPOSITORY)}
        done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
        seconds = json.loads(done.stdout)["ledger"]["seconds"]
        written = f'"seconds": {json.dumps(seconds)}'.encode()
        assert done.stdout.count(written) == 1
        return done.stdout.replace(written, b'"seconds": 0')

    one, two = ask("1"), ask("2")
    assert json.loads(one)["evidence"]
    assert one == two
