"""The page of every table without a model, over a data set that is small."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from small_datasets import write_dataset

from benchmarks.tables import AUDITS, DENSE, NAMES, RUNS, Run, Tables
from evaluation.audits.auditing import AuditPlan
from evaluation.runner import Selection

SMALL = (
    Run("hotpotqa", "2"),
    Run("hotpotqa", "3"),
    Run("hotpotqa", "3", hide_titles=True),
    Run("hotpotqa", "3", "deep", 0.0),
)


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    (tmp_path / "data").mkdir()
    write_dataset(tmp_path / "data" / "hotpotqa")
    plan = AuditPlan(snapshots=("2", "3", "3"))
    out = tmp_path / "out"
    return Tables(tmp_path / "data", tmp_path / "work", out, False, Selection(), 1, SMALL, {"hotpotqa": plan})


def test_the_page_says_how_when_and_over_what_and_holds_every_table(tables: Tables) -> None:
    page = tables.all()
    assert page == (tables.out / "results.md").read_text()
    head, _, rest = page.partition("## HotpotQA")
    assert "--out runs/tables --seed 1\n```" in head
    assert re.search(r"20\d\d-\d\d-\d\d, commit [0-9a-f]{7,40}(-dirty)?|commit unknown", head)
    assert str(tables.out.parent) not in page, "no path of this machine"
    for one in SMALL:
        bound = json.loads((tables.out / "runs" / "hotpotqa" / one.name / "run.json").read_text())["nested"][-1]
        for checksum in (bound["sample_ids"], bound["order"], bound["corpus"]):
            assert f"`{checksum[:16]}`" in head
    headings = re.findall(r"^#+ .*", rest, re.MULTILINE)
    for wanted in ("### Retrieval", "### Answers", "### Cost", "## Beside the paper"):
        assert wanted in headings, wanted
    audits = headings[headings.index("## Audits, HotpotQA") :]
    assert audits[1:] == ["### Staleness", "### Lifecycle", "### Abstention", "### Warm reuse"]
    assert [heading for heading in headings if heading.startswith("# ")] == []


def test_every_run_has_a_folder_of_its_own_and_every_data_set_a_title() -> None:
    folders = [(one.dataset, one.name) for one in RUNS]
    assert len(set(folders)) == len(folders)
    assert {one.dataset for one in RUNS} == set(NAMES) >= {*DENSE, *AUDITS}
    assert {one.corpus for one in RUNS if one.hide_titles}.isdisjoint(one.corpus for one in RUNS if not one.hide_titles)


def test_an_index_is_stale_at_every_step_that_the_corpus_grows_by() -> None:
    plan = AUDITS["hotpotqa"]
    assert (plan.snapshots, plan.audits) == (("125", "250", "500"), AuditPlan().audits)
