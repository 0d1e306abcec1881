"""The paper's tables with ours beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_withheld import write_run

from evaluation.reporting import paper
from evaluation.reporting.tables import write_report
from lens_lsp.model.errors import EvaluationError


def _section(told: str, title: str) -> list[str]:
    beside = told.partition("# Beside the paper")[2]
    return beside.partition(f"## {title}\n")[2].partition("\n## ")[0].splitlines()


def _of(lines: list[str], system: str) -> list[str]:
    return [line for line in lines if line.startswith(f"| {system} |")]


def test_our_rows_stand_under_the_papers_of_the_same_system(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "mine", ("lens", "react", "bm25s"))
    lines = _section(write_report([folder], tmp_path / "out"), "Controlled evaluation, D_500")
    printed, ours = _of(lines, "LENS")
    assert printed == "| LENS | paper |  | 62.4 | 76.9 | 84.8 | 96.8 | – | – | – | 4.04 |"
    assert ours.startswith("| LENS | mine (fast, chat) | 2 | 87.7 [86.5–88.8] |")
    assert [line.split(" | ")[1] for line in _of(lines, "ReAct Search")] == ["paper", "mine (fast)"]
    assert len(_of(lines, "bm25s")) == 1


def test_runs_stand_in_the_table_they_belong_to_and_in_no_other(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "shards", shards=True)
    write_run(tmp_path / "runs" / "small", snapshot="D_125")
    write_run(tmp_path / "runs" / "context", ("lens", "lens-in-context"), control="in-context")
    write_run(tmp_path / "runs" / "hidden", hiddenTitles=True)
    write_run(tmp_path / "runs" / "parts", ("lens", "lens-without-prior"), snapshot="D_250")
    write_run(tmp_path / "runs" / "other", dataset="squad")
    told = write_report([tmp_path / "runs"], tmp_path / "out")
    beside = told.partition("# Beside the paper")[2]
    assert "## Controlled evaluation" not in beside
    assert "shards (fast, chat)" in "".join(_section(told, "Raw Wikipedia dump"))
    assert "context (fast, chat)" in "".join(_section(told, "Sample-context control"))
    assert "w/o Multi-signal Prior | parts (fast, chat)" in "".join(_section(told, "Ablations"))
    assert "hidden" not in beside
    assert "other" not in beside.replace("other background", "").replace("another", "")
    scales = _of(_section(told, "Evidence recall across scales"), "LENS")
    assert scales[0] == "| LENS | paper | 89.1 | 85.9 | 84.8 |"
    assert scales[1].endswith("| 87.7 [86.5–88.8] | 87.7 [86.5–88.8] | – |")


def test_fresh_and_stale_stand_side_by_side_with_what_was_lost(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "grown", ("lens", "lens-stale"), snapshot="D_250", control="stale since D_125")
    lines = _section(write_report([folder], tmp_path / "out"), "Staleness")
    assert _of(lines, "ReAct Search")[0].startswith(
        "| ReAct Search | paper | 72.0 | 72.8 | +0.8 | 54.1 | 48.3 | −5.7 |"
    )
    assert _of(lines, "LENS")[1].startswith("| LENS | grown (fast, chat) | 87.7 | 87.7 | +0.0 |")


def test_the_audits_of_a_folder_stand_beside_the_papers(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "runs" / "asked", ("lens", "bm25s"))
    measured = [
        {"arm": "lens", "ready": 0.4, "stored": 0, "found_at_once": True, "rebuild": 0.0, "current": 0.1},
        {"arm": "bm25s", "ready": 3.8, "stored": 9_500_000, "found_at_once": False, "rebuild": 3.9, "current": 4.0},
    ]
    (folder.parent / "audits.json").write_text(
        json.dumps({"schema": "lens.audits/1", "data": "hotpotqa", "audits": {"lifecycle": measured}})
    )
    lines = _section(write_report([folder.parent], tmp_path / "out"), "Lifecycle, D_500")
    assert _of(lines, "LENS") == [
        "| LENS | paper | yes | no | 0.0 | 0 | 16.5K | 68.9 |",
        "| LENS | audit | yes | no | 0.0 | 0 | 0.0K | 0.2 |",
    ]
    assert _of(lines, "bm25s") == ["| bm25s | audit | no | yes | 3.8 | 9.5MB | 0.0K | 0.2 |"]
    (folder.parent / "audits.json").write_text("[]")
    with pytest.raises(EvaluationError, match=r"lens\.audits/1"):
        write_report([folder.parent], tmp_path / "out")


def test_judged_answers_stand_beside_official_ones(tmp_path: Path) -> None:
    told = write_report([write_run(tmp_path / "mine")], tmp_path / "out")
    lines = _of(_section(told, "Judged correctness, D_500"), "LENS")
    assert lines == [
        "| LENS | paper | 62.4 | 85.2 |",
        "| LENS | mine (fast, chat) | 87.7 [86.5–88.8] | 100.0 [100.0–100.0] |",
    ]


def test_mcnemar_stands_beside_the_papers_where_a_run_has_both(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "both", ("lens", "react"), corpus={"files": 20_020})
    write_run(tmp_path / "runs" / "one", ("lens",))
    told = write_report([tmp_path / "runs"], tmp_path / "out")
    lines = _section(told, "McNemar, exact match, LENS against ReAct Search")
    assert [line for line in lines if line.startswith("| D_500")] == [
        "| D_500 | paper | – | – | 0.1143 |",
        "| D_500 | both (fast, chat) | 1 | 1 | 1.0000 |",
    ]
    assert "| D_500 | 21,424 | 20,020 |" in _section(told, "Snapshots")
    exact = _of(_section(told, "Exact match across scales"), "LENS")
    assert exact == ["| LENS | paper | 64.0 | 66.4 | 62.4 |", "| LENS | fast, chat | – | – | 87.7 [86.5–88.8] |"]


def test_the_papers_tables_agree_with_one_another() -> None:
    for system, quality in paper.CONTROLLED.items():
        assert quality.em == paper.EM_BY_SCALE[system][-1]
        assert quality.evidence_recall == paper.RECALL_BY_SCALE[system][-1]
    assert paper.CONTROLLED.keys() == paper.JUDGED.keys() == set(paper.SYSTEMS.values())
    for em, recall in paper.STALENESS.values():
        for fresh, stale, change in (em, recall):
            assert abs(stale - fresh - change) < 0.11
