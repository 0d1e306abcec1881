"""Sources are read below the folders that were given, and nowhere else."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.corpus.corpus_rules import ANYWHERE, NOWHERE, TOO_WIDE, UNTRUSTED, AllowedFolders
from lens_lsp.corpus.intake import Buffer
from lens_lsp.memory.answer_parser import Reference
from lens_lsp.memory.check import Report, check
from lens_lsp.memory.sources import Sources
from lens_lsp.model.cluster import Citation, CitationState
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.text import Span
from lens_lsp.schema.memory_shapes import check_json
from tests.memory.test_checking import found_in
from tests.soak.made_tables import workbook_of
from tests.soak.outside_reads import (
    GUESS,
    SECRET,
    TEXT,
    WORLDS,
    Place,
    answer_of,
    by_anybody,
    differing,
    forged,
    grouped,
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A home with a workspace, and what lies around it."""
    made = Place(tmp_path)
    made.become("guessed")
    monkeypatch.setenv("HOME", str(made.home))
    return made


def cited(root: Path, path: str = SECRET) -> Citation:
    """A true citation of what the forger guesses."""
    item = found_in(root, path, GUESS)
    with Sources(ANYWHERE) as sources:
        return sources.record(item, str(root))


_WATCHED = """
import sys
from lens_lsp.memory.check import Report, check
from lens_lsp.corpus.corpus_rules import ANYWHERE
ws, allowed = sys.argv[1:]
opened = []
sys.addaudithook(lambda event, args: opened.append(args[0]) if event in ("open", "os.listdir", "os.scandir") else None)
report = Report()
check((ws,), report, allowed=ANYWHERE if allowed else None)
print(report.findings[0].checked.state.value, *(name for name in opened if isinstance(name, str)), sep="\\n")
"""


@pytest.mark.parametrize(("anywhere", "state"), [("", CitationState.UNVERIFIABLE), ("yes", CitationState.VERIFIED)])
def test_what_lies_elsewhere_is_not_looked_at(place: Place, anywhere: str, state: CitationState) -> None:
    """A process opens neither the folder nor the file; one that may read anywhere does."""
    (place.ws / "a.md").write_text(answer_of(cited(place.outside)))
    command = [sys.executable, "-c", _WATCHED, str(place.ws), anywhere]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said, *opened = done.stdout.splitlines()
    assert said == state.value
    assert (SECRET in opened, str(place.outside) in opened) == (bool(anywhere), bool(anywhere))


def test_a_folder_of_the_users_own_is_looked_into(place: Place) -> None:
    citation = cited(place.outside)
    with Sources(AllowedFolders.below([str(place.ws), str(place.outside)])) as sources:
        assert sources.check(citation, "")[0].state is CitationState.VERIFIED


@pytest.mark.parametrize(("allowed", "why"), [(AllowedFolders.below(["/"]), TOO_WIDE), (NOWHERE, UNTRUSTED)])
def test_no_disk_and_no_untrusted_folder_is(place: Place, allowed: AllowedFolders, why: str) -> None:
    with Sources(allowed) as sources:
        checked, _ = sources.check(cited(place.outside), "")
    assert (checked.state, checked.why) == (CitationState.UNVERIFIABLE, why)


def test_nothing_is_said_of_words_that_were_not_looked_for(place: Place) -> None:
    """A footnote of which nothing is recorded, in a window that is not trusted."""
    note = Reference("1", 1, Span(0, 1), "", SECRET, TEXT.strip(), 0, True)
    with Sources(NOWHERE) as sources:
        checked, _ = sources.by_words(note, str(place.ws))
    assert (checked.state, checked.why) == (CitationState.UNVERIFIABLE, UNTRUSTED)


@pytest.mark.parametrize("root", ["link", "chain", "deep/out", "deep/er/up"])
def test_no_link_on_the_way_to_a_folder_is_followed(place: Place, root: str) -> None:
    citation = replace(cited(place.outside), root=root)
    with Sources(AllowedFolders.below([str(place.ws)])) as sources:
        checked, _ = sources.check(citation, str(place.ws))
    assert (checked.state, checked.unread) == (CitationState.WITHDRAWN, SkipReason.LINK)


def test_a_denied_folder_on_the_way_is_not_read(place: Place) -> None:
    citation = replace(cited(place.outside), root=".ssh")
    with Sources(AllowedFolders.below([str(place.ws)])) as sources:
        assert sources.check(citation, str(place.ws))[0].unread is SkipReason.DENIED


@pytest.mark.parametrize("path", [SECRET, f"link/{SECRET}"])
def test_what_an_editor_has_open_through_a_link_is_not_compared(place: Place, path: str) -> None:
    citation = replace(cited(place.outside), root=str(place.ws), path=path)
    name = os.path.join(place.ws, path)
    with Sources(AllowedFolders.below([str(place.ws)]), buffers={name: Buffer(name, TEXT, 1)}) as sources:
        checked, _ = sources.check(citation, "")
    assert (checked.state, checked.unread) == (CitationState.WITHDRAWN, SkipReason.LINK)


def test_no_forged_answer_file_learns_what_lies_outside(place: Place) -> None:
    for name, text, _, _ in forged(place, 120, random.Random(7)):
        (place.ws / name).write_text(text)
    seen, control = [], []
    for world in WORLDS:
        place.become(world)
        report = Report()
        check((place.ws,), report)
        found: list[dict[str, object]] = check_json(report, str)["citations"]  # type: ignore[assignment]
        seen.append(grouped("check", [(str(each["file"]), each) for each in found]))
        control.append(by_anybody(place))
    assert len(seen[0]) > 100
    assert differing(seen) == []
    assert len(differing(control)) > 20


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("prices.xlsx", {"sheet": "Prices", "cell": "C3"}, {"sheet": "Prices", "cell": "C5"}),
        ("prices.csv", {"row": 3}, {"row": 5}),
    ],
)
def test_a_citation_is_called_by_the_cell_or_row_of_its_match_also_after_rows_were_added(
    tmp_path: Path, name: str, before: dict[str, object], after: dict[str, object]
) -> None:
    rows = [["Item", "Wood", "Told"], ["Chair", "oak", "in the hall"], ["Bench", "larch", "behind the brewery"]]
    new = [["Table", "ash", "in the yard"], ["Shelf", "fir", "over the stairs"]]

    def written(rows: list[list[str]]) -> None:
        text = "".join(",".join(row) + "\n" for row in rows)
        made = workbook_of(("Prices", rows)) if name.endswith(".xlsx") else text.encode()
        (tmp_path / name).write_bytes(made)

    written(rows)
    item = Lens([tmp_path]).find(Request("behind the brewery", limit=1)).evidence[0]
    assert item.locator == before
    begin = item.quote.index("Bench")
    row = replace(item, quote=item.quote[begin:], span=Span(item.span.start + begin, item.span.end))
    with Sources(ANYWHERE) as sources:
        citation = sources.record(row, str(tmp_path))
        assert sources.check(citation, str(tmp_path))[0].locator == before
    written([rows[0], *new, *rows[1:]])
    with Sources(ANYWHERE) as sources:
        checked, _ = sources.check(citation, str(tmp_path))
    assert (checked.state, checked.locator) == (CitationState.MOVED, after)


def test_a_citation_of_another_machine_says_which(place: Place) -> None:
    there = replace(cited(place.outside), root="ssh://anna@box/srv/docs")
    (place.ws / "a.md").write_text(answer_of(there))
    report = Report()
    check((str(place.ws),), report, allowed=ANYWHERE)
    checked = report.findings[0].checked
    assert checked.state is CitationState.UNVERIFIABLE
    assert "it lies on anna@box, which is not asked" in str(checked.why)
