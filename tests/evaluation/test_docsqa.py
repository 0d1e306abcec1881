"""``lens eval docsqa`` over a small data set: archives, questions and rankings as they are, nothing stood in for."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation.data.docsqa import DocsRow, QuestionRecord, open_docsqa
from evaluation.docsqa import DocsPlan, Ranking, character_pairs, percents, row_of, run_docsqa
from evaluation.reporting.docsqa import page
from lens_lsp.model.errors import EvaluationError, UsageError
from tests.evaluation.small_datasets import evaluate
from tests.judge.reader.tiny_reader import write_reader

KITCHEN = {
    "bread/rye.md": "# Rye bread\n\nLet the sourdough rest for sixteen\n    hours before it is baked.\n",
    "bread/wheat.md": "# Wheat bread\n\nYeast dough doubles in ninety minutes.\n",
    "soup/leek.md": "# Leek soup\n\nSimmer the leeks with two potatoes.\n",
}
CHINESE = {
    "汤/鸡汤.md": "# 鸡汤\n\n把老母鸡放入砂锅，加冷水炖三个小时。\n",
    "菜/豆腐.md": "# 麻婆豆腐\n\n豆腐切成两厘米的方块，用盐水浸泡。\n",
}
QUESTIONS = (
    {
        "id": "k1",
        "workspace": "kitchen",
        "half": "first",
        "intent": "lookup",
        "style": "doc-words",
        "question": "How many hours must the sourdough rest?",
        "gold": [{"path": "bread/rye.md", "quote": "Let the sourdough rest for sixteen\n    hours", "fact": "rest"}],
    },
    {
        "id": "k2",
        "workspace": "kitchen",
        "half": "second",
        "intent": "computation",
        "style": "keywords",
        "question": "potatoes in leek soup",
        "gold": [{"path": "soup/leek.md", "quote": "Simmer the leeks with two potatoes.", "fact": "potatoes"}],
    },
    {
        "id": "k3",
        "workspace": "kitchen",
        "half": "second",
        "intent": "lookup",
        "style": "own-words",
        "question": "How hot is the oven?",
        "gold": [],
    },
    {
        "id": "z1",
        "workspace": "zh",
        "half": "second",
        "intent": "lookup",
        "style": "own-words",
        "question": "鸡汤要炖几个小时",
        "gold": [{"path": "汤/鸡汤.md", "quote": "加冷水炖三个小时", "fact": "三个小时"}],
    },
)


def write_docsqa(folder: Path, questions: Sequence[Mapping[str, Any]] = QUESTIONS) -> Path:
    (folder / "workspaces").mkdir(parents=True)
    lines = "".join(json.dumps(question, ensure_ascii=False) + "\n" for question in questions)
    (folder / "questions.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    entries = [
        _entry(folder, "kitchen", KITCHEN) | {"licence": "CC0"},
        _entry(folder, "zh", CHINESE) | {"language": "zh"},
    ]
    (folder / "workspaces" / "manifest.json").write_text(json.dumps(entries))
    return folder


def _entry(folder: Path, name: str, files: Mapping[str, str], inside: str | None = None) -> dict[str, object]:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(f"{inside or name}/{path}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    (folder / "workspaces" / f"{name}.tar.xz").write_bytes(packed.getvalue())
    return {"name": name, "files": len(files), "sha256": hashlib.sha256(packed.getvalue()).hexdigest()}


def _replace_archive(folder: Path, data: bytes) -> None:
    """The kitchen's archive is other bytes, and the manifest knows."""
    (folder / "workspaces" / "kitchen.tar.xz").write_bytes(data)
    manifest = folder / "workspaces" / "manifest.json"
    entries = json.loads(manifest.read_text())
    entries[0]["sha256"] = hashlib.sha256(data).hexdigest()
    manifest.write_text(json.dumps(entries))


@pytest.fixture
def docsqa_dir(tmp_path: Path) -> Path:
    return write_docsqa(tmp_path / "docs")


def _question(**changes: object) -> QuestionRecord:
    return QuestionRecord.model_validate({**QUESTIONS[0], **changes})


RYE = ("bread/rye.md", KITCHEN["bread/rye.md"])
WHEAT = ("bread/wheat.md", KITCHEN["bread/wheat.md"])


def test_ranks_are_those_of_the_first_gold_file_and_of_the_first_passage_with_a_whole_gold_quote() -> None:
    half_of_it = ("bread/rye.md", "Let the sourdough rest for")
    ranking = Ranking(["soup/leek.md", "bread/rye.md"], [WHEAT, half_of_it, RYE])
    assert row_of(_question(), "lens", ranking) == DocsRow(id="k1", arm="lens", file=2, quote=3)


def test_white_space_is_folded_and_nothing_else() -> None:
    quoted = ("bread/rye.md", "Let the sourdough rest for sixteen hours")
    assert row_of(_question(), "lens", Ranking([], [quoted])).quote == 1
    louder = ("bread/rye.md", "LET the sourdough rest for sixteen hours")
    assert row_of(_question(), "lens", Ranking([], [louder])).quote is None


def test_the_words_of_a_gold_quote_in_another_file_prove_nothing() -> None:
    copied = ("soup/leek.md", KITCHEN["bread/rye.md"])
    assert row_of(_question(), "lens", Ranking(["soup/leek.md"], [copied])) == DocsRow(
        id="k1", arm="lens", file=None, quote=None
    )


def test_other_passages_that_are_as_good_count_as_gold() -> None:
    also = [{"path": "bread/wheat.md", "quote": "doubles in ninety minutes"}]
    row = row_of(_question(also=also), "lens", Ranking(["bread/wheat.md"], [WHEAT]))
    assert (row.file, row.quote) == (1, 1)


def test_what_comes_after_the_fiftieth_does_not_count() -> None:
    assert row_of(_question(), "lens", Ranking([], [WHEAT] * 49 + [RYE])).quote == 50
    assert row_of(_question(), "lens", Ranking([], [WHEAT] * 50 + [RYE])).quote is None


def test_a_passage_of_more_than_600_code_points_is_an_error() -> None:
    row_of(_question(), "lens", Ranking([], [("a.md", "豆" * 600)]))
    with pytest.raises(EvaluationError, match="k1: a passage of lens has 601 code points"):
        row_of(_question(), "lens", Ranking([], [("a.md", "x" * 601)]))


def test_figures_count_ranks_up_to_their_own() -> None:
    rows = [DocsRow(id="q", arm="lens", file=file, quote=quote) for file, quote in ((10, 3), (11, 4), (None, None))]
    assert percents(rows, "file@10") == [100, 0, 0]
    assert percents(rows, "quote@3") == [100, 0, 0]
    assert percents(rows, "quote@5") == [100, 100, 0]
    assert percents(rows, "quote@1") == [0, 0, 0]


def test_chinese_is_spread_into_pairs_and_other_text_is_left_alone() -> None:
    assert character_pairs("the 豆腐块 and 鸡 don't") == "the  豆腐 腐块  and  鸡  don't"
    assert character_pairs("Küche, rye_bread 16h") == "Küche, rye_bread 16h"


def test_every_arm_finds_what_is_asked_for_and_only_answerable_questions_are_asked(
    docsqa_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert evaluate("docsqa", docsqa_dir, "--out", out) == 0
    printed = capsys.readouterr()
    assert (out / "docsqa.md").read_text("utf-8") == "<!-- made by lens eval -->\n" + printed.out
    assert printed.err == ""
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    assert [(row["id"], row["arm"]) for row in rows] == [
        (question, arm) for question in ("k1", "k2", "z1") for arm in ("lens", "bm25s", "tantivy")
    ]
    assert all((row["file"], row["quote"]) == (1, 1) for row in rows)
    assert "| both | lens | 3 | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 |" in printed.out
    assert "| second, without zh | bm25s | 1 |" in printed.out
    assert "| lookup | tantivy | 2 |" in printed.out
    assert "| both | lens − bm25s | 3 | 0.0 [0.0–0.0] |" in printed.out
    assert (out / "workspaces" / "kitchen" / "bread" / "rye.md").read_text() == KITCHEN["bread/rye.md"]


def test_a_gold_quote_that_stands_nowhere_is_found_by_no_arm(tmp_path: Path) -> None:
    gold = [{"path": "bread/rye.md", "quote": "Let the sourdough rest for twenty hours"}]
    folder = write_docsqa(tmp_path / "docs", [{**QUESTIONS[0], "gold": gold}])
    result = run_docsqa(open_docsqa(folder), tmp_path / "out")
    assert [(row.arm, row.file, row.quote) for row in result.rows] == [
        ("lens", 1, None),
        ("bm25s", 1, None),
        ("tantivy", 1, None),
    ]
    assert "| first | lens | 1 | 100.0 | 0.0 | 0.0 | 0.0 | 0.0 |" in page(result)


def test_the_reader_orders_the_passages_of_an_arm_or_there_is_no_such_arm(
    docsqa_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = DocsPlan(("lens", "lens-rerank"))
    monkeypatch.setattr("lens_lsp.judge.reader.cross_encoder.SHIPPED", tmp_path / "none")
    with pytest.raises(EvaluationError, match="the reader is off: this package has none"):
        run_docsqa(open_docsqa(docsqa_dir), tmp_path / "out", plan)
    pytest.importorskip("onnxruntime", reason="onnxruntime has no package for this machine")
    monkeypatch.setattr("lens_lsp.judge.reader.cross_encoder.SHIPPED", write_reader(tmp_path / "reader"))
    result = run_docsqa(open_docsqa(docsqa_dir), tmp_path / "out", plan)
    by_arm = [{row.id: (row.file, row.quote) for row in result.rows if row.arm == arm} for arm in plan.arms]
    assert by_arm[0] == by_arm[1], "no passage holds the word that is a proof for this reader"


def test_english_stems_alone_do_not_find_chinese(docsqa_dir: Path, tmp_path: Path) -> None:
    plan = DocsPlan(("bm25s", "bm25s-stems"), workspaces=("zh",))
    result = run_docsqa(open_docsqa(docsqa_dir), tmp_path / "out", plan)
    assert [row.quote for row in result.rows] == [1, None]


def test_the_words_of_a_path_are_part_of_every_chunk(tmp_path: Path) -> None:
    folder = write_docsqa(tmp_path / "docs", [{**QUESTIONS[0], "question": "soup"}])
    with gzip.open(folder / "questions.jsonl.gz", "wt") as file:
        file.write(
            json.dumps({**QUESTIONS[0], "question": "wheat", "gold": [{"path": "x/wheat.md", "quote": "Knead"}]})
        )
    entry = _entry(folder, "kitchen", {"x/wheat.md": "Knead it.\n", "x/rye.md": "Knead it.\n"})
    (folder / "workspaces" / "manifest.json").write_text(json.dumps([entry]))
    result = run_docsqa(open_docsqa(folder), tmp_path / "out", DocsPlan(("bm25s", "tantivy")))
    assert [row.quote for row in result.rows] == [1, 1]


def test_each_workspace_is_left_out_in_turn(tmp_path: Path) -> None:
    lost = [{"path": "汤/鸡汤.md", "quote": "四个小时"}]
    folder = write_docsqa(tmp_path / "docs", [*QUESTIONS[:3], {**QUESTIONS[3], "gold": lost}])
    tables = page(run_docsqa(open_docsqa(folder), tmp_path / "out", DocsPlan(("bm25s",))))
    assert "| both | bm25s | 3 | 100.0 | 66.7 |" in tables
    assert "| without kitchen | bm25s | 1 | 100.0 | 0.0 |" in tables
    assert "| without zh | bm25s | 2 | 100.0 | 100.0 |" in tables


def test_halves_and_limits_select_questions_in_their_order(docsqa_dir: Path, tmp_path: Path) -> None:
    dataset = open_docsqa(docsqa_dir)
    second = run_docsqa(dataset, tmp_path / "out", DocsPlan(("bm25s",), half="second"))
    assert [row.id for row in second.rows] == ["k2", "z1"]
    first = run_docsqa(dataset, tmp_path / "out", DocsPlan(("bm25s",), half="second", limit=1))
    assert [row.id for row in first.rows] == ["k2"]
    with pytest.raises(UsageError, match="no questions"):
        run_docsqa(dataset, tmp_path / "out", DocsPlan(("bm25s",), half="first", workspaces=("zh",)))


def test_questions_whose_rank_crossed_are_printed_and_others_are_not(
    docsqa_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, out = tmp_path / "before", tmp_path / "out"
    before.mkdir()
    rows = [DocsRow(id="k1", arm="bm25s", file=1, quote=4), DocsRow(id="k2", arm="bm25s", file=1, quote=1)]
    (before / "rows.jsonl").write_text("".join(f"{row.model_dump_json()}\n" for row in rows))
    assert evaluate("docsqa", docsqa_dir, "--out", out, "--arms", "bm25s", "--compare", before) == 0
    printed = capsys.readouterr().out
    assert "| bm25s | 2 | +1 −0 | +1 −0 | +0 −0 |" in printed
    assert "| k1 | bm25s | 4 → 1 | +1 +3 | How many hours must the sourdough rest? |" in printed
    assert "| k2 |" not in printed
    assert evaluate("docsqa", docsqa_dir, "--out", out, "--arms", "bm25s", "--compare", out) == 0
    assert "No rank crossed." in capsys.readouterr().out


def test_what_was_missed_is_shown_of_the_first_half_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = {"path": "bread/rye.md", "quote": "twenty\nhours"}
    folder = write_docsqa(tmp_path / "docs", [{**question, "gold": [nowhere]} for question in QUESTIONS[:2]])
    asked = (folder, "--out", tmp_path / "out", "--arms", "bm25s", "--missed")
    assert evaluate("docsqa", *asked) == 0
    printed = capsys.readouterr().out
    assert "* k1 (lookup, doc-words; file 1, quote –): How many hours must the sourdough rest?" in printed
    assert "    * `bread/rye.md`: twenty hours" in printed
    assert "k2" not in printed
    with pytest.raises(UsageError, match="first half"):
        evaluate("docsqa", *asked, "--half", "second")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(("--arms", "lens,elastic"), "no arm 'elastic'"), (("--workspaces", "garden"), "no workspace 'garden'")],
)
def test_an_unknown_name_is_refused_before_anything_is_unpacked(
    docsqa_dir: Path, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        evaluate("docsqa", docsqa_dir, "--out", tmp_path / "out", *arguments)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_data_set_or_no_run_is_refused(docsqa_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="is not a data set"):
        evaluate("docsqa", tmp_path / "nowhere", "--out", tmp_path / "out")
    with pytest.raises(EvaluationError, match="no run to compare with"):
        evaluate("docsqa", docsqa_dir, "--out", tmp_path / "out", "--compare", tmp_path)
    (docsqa_dir / "questions.jsonl.gz").write_bytes(gzip.compress(b'{"id": "k1"}\n'))
    with pytest.raises(EvaluationError, match=r"questions\.jsonl\.gz, line 1: workspace"):
        evaluate("docsqa", docsqa_dir, "--out", tmp_path / "out")


def test_a_question_of_a_workspace_that_is_not_there_is_refused(tmp_path: Path) -> None:
    folder = write_docsqa(tmp_path / "docs", [{**QUESTIONS[0], "workspace": "garden"}])
    with pytest.raises(EvaluationError, match="k1 asks of 'garden'"):
        open_docsqa(folder)


def test_an_archive_that_is_not_the_manifests_is_refused(docsqa_dir: Path, tmp_path: Path) -> None:
    archive = docsqa_dir / "workspaces" / "kitchen.tar.xz"
    whole = archive.read_bytes()
    archive.write_bytes(whole[:-20])
    with pytest.raises(EvaluationError, match="its checksum is not the one"):
        evaluate("docsqa", docsqa_dir, "--out", tmp_path / "out")
    middle = len(whole) // 2
    for damaged in (b"", b"no archive", whole[:middle], whole[:middle] + bytes(8) + whole[middle + 8 :]):
        _replace_archive(docsqa_dir, damaged)
        with pytest.raises(EvaluationError, match="cannot be unpacked"):
            evaluate("docsqa", docsqa_dir, "--out", tmp_path / "out")
    archive.unlink()
    with pytest.raises(EvaluationError, match="cannot be unpacked"):
        evaluate("docsqa", docsqa_dir, "--out", tmp_path / "out")
    assert not (tmp_path / "out" / "workspaces" / "kitchen").exists()


@pytest.mark.parametrize(
    ("inside", "told"), [("..", "outside"), ("kitchen/../../..", "outside"), ("attic", r"0 files in kitchen/")]
)
def test_an_archive_that_leads_elsewhere_is_refused(docsqa_dir: Path, tmp_path: Path, inside: str, told: str) -> None:
    _entry(docsqa_dir, "kitchen", KITCHEN, inside)
    _replace_archive(docsqa_dir, (docsqa_dir / "workspaces" / "kitchen.tar.xz").read_bytes())
    with pytest.raises(EvaluationError, match=told):
        evaluate("docsqa", docsqa_dir, "--out", tmp_path / "out" / "deep")
    assert not list(tmp_path.rglob("rye.md"))


def test_what_was_unpacked_is_used_again_unless_it_was_changed(docsqa_dir: Path, tmp_path: Path) -> None:
    asked = (docsqa_dir, "--out", tmp_path / "out", "--arms", "bm25s", "--workspaces", "kitchen")
    assert evaluate("docsqa", *asked) == 0
    rows, tables = ((tmp_path / "out" / name).read_bytes() for name in ("rows.jsonl", "docsqa.md"))
    (docsqa_dir / "workspaces" / "kitchen.tar.xz").unlink()
    assert evaluate("docsqa", *asked) == 0
    assert ((tmp_path / "out" / "rows.jsonl").read_bytes(), (tmp_path / "out" / "docsqa.md").read_bytes()) == (
        rows,
        tables,
    )
    (tmp_path / "out" / "workspaces" / "kitchen" / "bread" / "rye.md").write_text("Rest for a day.\n")
    with pytest.raises(EvaluationError, match="is not what the archive holds"):
        evaluate("docsqa", *asked)


@pytest.mark.parametrize(("absent", "arm"), [("bm25s", "bm25s"), ("Stemmer", "bm25s"), ("tantivy", "tantivy")])
def test_without_the_packages_of_an_arm_the_command_says_what_to_install(
    docsqa_dir: Path, tmp_path: Path, absent: str, arm: str
) -> None:
    program = f"import sys; sys.modules[{absent!r}] = None; from lens_lsp.cli import main; sys.exit(main(sys.argv[1:]))"
    command = ["eval", "docsqa", str(docsqa_dir), "--out", str(tmp_path / "out"), "--arms", f"lens,{arm}"]
    ended = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "lens-lsp[evaluation]" in ended.stderr
    assert ended.stdout == ""


def test_bad_input_ends_with_status_2_and_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lens_lsp", "eval", "docsqa", str(tmp_path), "--out", str(tmp_path / "out")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "is not a data set of questions about documents" in ended.stderr
    assert "Traceback" not in ended.stderr
