"""The paper's lax counting, case by case: what it lets through is the reason for the strict figures beside it."""

from __future__ import annotations

import json
import os
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from small_datasets import BODIES, PAGES, QUESTIONS, write_dataset, write_lines, write_workspace

from evaluation.data.datasets import GoldSpan, articles, open_dataset, questions
from evaluation.data.nesting import bindings
from evaluation.data.snapshots import document_names, manifest_path, open_corpus, prepare
from evaluation.scoring.compatible import evidence_recall, ground
from lens_lsp.model.errors import EvaluationError


def _rewrite_manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_snapshot_holds_the_questions_and_articles_of_the_smaller_ones(dataset_dir: Path) -> None:
    small, large = open_dataset(dataset_dir, "2"), open_dataset(dataset_dir, "D_3")
    assert [question.id for question in questions(small)] == ["q1", "q2"]
    assert [question.id for question in questions(large)] == ["q1", "q2", "q3"]
    assert [article.path for article in articles(small)] == ["Ada_Lovelace", "Charles_Babbage"]
    assert [article.path for article in articles(large)][2:] == ["Grace_Hopper", "Jacquard_loom"]


def test_gold_is_read_with_its_spans(dataset_dir: Path) -> None:
    question = questions(open_dataset(dataset_dir, "2"))[1]
    body = {article.path: article.body for article in articles(open_dataset(dataset_dir, "2"))}
    assert question.gold.paths == ("Charles_Babbage",)
    assert question.gold.answers == ("1837",)
    assert [body[span.path][span.start : span.end] for span in question.gold.support] == ["in 1837"]


def test_unanswerable_questions_come_only_when_asked_for(answers_dir: Path) -> None:
    dataset = open_dataset(answers_dir, "3")
    assert [question.id for question in questions(dataset)] == ["a1"]
    assert [question.id for question in questions(dataset, answerable=False)] == ["a2"]
    gold = questions(dataset)[0].gold
    assert gold.paths == ("Charles_Babbage",)
    assert {span.path for span in gold.answer_spans} == {"Charles_Babbage"}
    assert gold.spans == gold.answer_spans


def test_known_items_all_have_an_answer(workspace_dir: Path) -> None:
    assert questions(open_dataset(workspace_dir, "guide"), answerable=False) == ()


def test_known_items_name_the_documents_that_cite_them(workspace_dir: Path) -> None:
    (question,) = questions(open_dataset(workspace_dir, "guide"))
    assert question.text == "run the setup program"
    assert question.gold.paths == ("docs/install.md",)
    assert question.gold.excluded == frozenset({"docs/index.md"})
    assert question.gold.spans == ()


@pytest.mark.parametrize("snapshot", ["5", "D_5", "S_all490", ""])
def test_an_unknown_snapshot_is_refused_with_the_known_ones(dataset_dir: Path, snapshot: str) -> None:
    with pytest.raises(EvaluationError, match="it has 2, 3"):
        open_dataset(dataset_dir, snapshot)


def test_a_folder_without_a_manifest_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="is not a data set"):
        open_dataset(tmp_path, "2")


def test_a_workspace_without_questions_says_so(workspace_dir: Path) -> None:
    (workspace_dir / "guide.known-item.jsonl.gz").unlink()
    with pytest.raises(EvaluationError, match="has no questions"):
        questions(open_dataset(workspace_dir, "guide"))


def test_a_changed_file_does_not_pass_its_checksum(dataset_dir: Path) -> None:
    path = dataset_dir / "questions.jsonl.gz"
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(EvaluationError, match="checksum"):
        questions(open_dataset(dataset_dir, "2"))


def test_a_truncated_file_is_an_error_of_the_data_set(dataset_dir: Path) -> None:
    _rewrite_manifest(dataset_dir, files={})
    path = dataset_dir / "questions.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(EvaluationError, match="cannot be read"):
        questions(open_dataset(dataset_dir, "2"))


def test_questions_in_another_order_are_noticed(dataset_dir: Path) -> None:
    manifest = json.loads((dataset_dir / "manifest.json").read_text())
    manifest["D_2"]["order_sha256"] = manifest["D_3"]["order_sha256"]
    _rewrite_manifest(dataset_dir, **manifest)
    with pytest.raises(EvaluationError, match="order_sha256"):
        questions(open_dataset(dataset_dir, "2"))


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "a/../../b", "", "a//b"])
def test_a_path_that_leaves_the_corpus_is_refused_with_file_and_line(dataset_dir: Path, path: str) -> None:
    write_lines(dataset_dir / "snapshots.jsonl.gz", [{"path": path, "min_snapshot": 2}])
    _rewrite_manifest(dataset_dir, files={})
    with pytest.raises(EvaluationError, match=r"snapshots\.jsonl\.gz, line 1: path"):
        articles(open_dataset(dataset_dir, "2"))


def test_a_listed_article_without_a_body_is_noticed(dataset_dir: Path) -> None:
    write_lines(dataset_dir / "snapshots.jsonl.gz", [{"path": "Nowhere", "min_snapshot": 2}])
    _rewrite_manifest(dataset_dir, files={})
    with pytest.raises(EvaluationError, match="1 articles are listed, 0 have a body"):
        articles(open_dataset(dataset_dir, "2"))


@pytest.mark.parametrize(
    ("folder", "snapshot", "asked", "documents"),
    [
        ("hotpotqa", "125", 125, 5_032),
        ("hotpotqa", "500", 500, 20_020),
        ("2wiki", "250", 250, 7_004),
        ("musique", "70", 70, 4_644),
        ("squad", "S_dev48", 500, 48),
        ("squad", "S_all490", 500, 490),
    ],
)
def test_the_published_snapshots_have_their_published_sizes(
    data_dir: Path, folder: str, snapshot: str, asked: int, documents: int
) -> None:
    dataset = open_dataset(data_dir / folder, snapshot)
    bodies = {article.path: article.body for article in articles(dataset)}
    found = questions(dataset)
    assert (len(found), len(bodies)) == (asked, documents)
    assert all(set(question.gold.paths) <= bodies.keys() for question in found)
    assert all(_stands(span, bodies) for question in found for span in question.gold.spans)


def _stands(span: GoldSpan, bodies: dict[str, str]) -> bool:
    text = bodies[span.path][span.start : span.end]
    return len(text) == span.end - span.start and text.strip() != ""


def test_a_snapshot_is_bound_with_all_that_lie_in_it(dataset_dir: Path, tmp_path: Path) -> None:
    manifest = json.loads((dataset_dir / "manifest.json").read_text())
    nested = bindings(open_dataset(dataset_dir, "3"))
    assert [(one.snapshot, one.questions, one.articles) for one in nested] == [("D_2", 2, 2), ("D_3", 3, 4)]
    for one in nested:
        entry = manifest[one.snapshot]
        assert (one.sample_ids, one.order) == (entry["sample_ids_sha256"], entry["order_sha256"])
        assert one.corpus == entry["corpus_sha256"]
    prepare(dataset_dir, "3", tmp_path / "corpus")
    assert open_corpus(tmp_path / "corpus", open_dataset(dataset_dir, "3")).nested == nested


def test_questions_that_grow_in_front_are_not_nested(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "engines", (QUESTIONS[2], *QUESTIONS[:2]))
    with pytest.raises(EvaluationError, match="the questions of D_2 are not the first of D_3"):
        bindings(open_dataset(folder, "3"))


def test_the_published_snapshots_are_nested(data_dir: Path) -> None:
    nested = bindings(open_dataset(data_dir / "hotpotqa", "500"))
    assert [(one.snapshot, one.articles) for one in nested] == [("D_125", 5_032), ("D_250", 10_044), ("D_500", 20_020)]


def test_a_workspace_has_one_snapshot(workspace_dir: Path) -> None:
    assert bindings(open_dataset(workspace_dir, "guide")) == ()


SENTENCE = "Ada wrote the first program"


@pytest.mark.parametrize(
    ("texts", "share"),
    [
        (["program the first and much else"], 1.0),
        (["program the and much else"], 0.0),
        (["program", "the first"], 0.0),
        (["", "WROTE: Ada! program?"], 1.0),
    ],
)
def test_three_fifths_of_the_words_in_one_text_are_enough_in_any_order(texts: list[str], share: float) -> None:
    assert evidence_recall(texts, [], [SENTENCE], ["x"]) == share


def test_an_arm_without_texts_is_judged_by_titles_in_either_direction() -> None:
    listed = ["people/Ada_Lovelace_(poem)", "Charles"]
    assert evidence_recall([], listed, [SENTENCE], ["Ada_Lovelace", "Charles_Babbage"]) == 1.0
    assert evidence_recall([], listed, [SENTENCE], ["Grace_Hopper", "Charles_Babbage"]) == 0.5
    assert evidence_recall([], [], [SENTENCE], ["Grace_Hopper"]) == 0.0


def test_a_folder_counts_as_a_title() -> None:
    assert ground("so", ["Ada_Lovelace/notes"], ["Ada_Lovelace"]) == 1.0


def test_any_answer_with_any_title_is_grounded_and_an_empty_one_is_not() -> None:
    assert ground("forty-two", ["Ada"], ["Ada_Lovelace", "Jacquard_loom"]) == 1.0
    assert ground("forty-two", ["Hopper"], ["Ada_Lovelace"]) == 0.0
    assert ground("  ", ["Ada"], ["Ada_Lovelace"]) == 0.0


def _files(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_bytes().decode() for name in document_names(folder)}


def test_every_article_becomes_one_file_and_nothing_else_is_written(dataset_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "made" / "corpus"
    corpus = prepare(dataset_dir, "2", out)
    assert _files(out) == {path: BODIES[path] for path in ("Ada_Lovelace", "Charles_Babbage")}
    assert sorted(path.name for path in out.parent.iterdir()) == ["corpus", "corpus.manifest.json"]
    manifest = json.loads(manifest_path(out).read_text())
    published = json.loads((dataset_dir / "manifest.json").read_text())["D_2"]
    assert manifest["filesSha256"] == manifest["corpusSha256"] == published["corpus_sha256"] == corpus.files_sha256
    assert manifest["sampleIdsSha256"] == published["sample_ids_sha256"]
    assert manifest["orderSha256"] == published["order_sha256"]
    assert manifest["questions"] == 2


def test_preparing_again_verifies_and_writes_no_document(dataset_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    first = prepare(dataset_dir, "3", out)
    before = {path: os.stat(path).st_mtime_ns for path in out.iterdir()}
    assert prepare(dataset_dir, "3", out) == first
    assert {path: os.stat(path).st_mtime_ns for path in out.iterdir()} == before


def test_an_equal_folder_without_a_manifest_is_adopted(dataset_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    first = prepare(dataset_dir, "3", out)
    manifest_path(out).unlink()
    assert prepare(dataset_dir, "3", out) == first
    assert manifest_path(out).is_file()


def test_a_folder_with_other_files_is_refused_and_left_alone(dataset_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "notes"
    out.mkdir()
    (out / "diary").write_text("mine")
    with pytest.raises(EvaluationError, match=r"holds other files \(diary\)"):
        prepare(dataset_dir, "2", out)
    assert _files(out) == {"diary": "mine"}
    assert not manifest_path(out).exists()


def test_a_changed_or_missing_document_is_noticed(dataset_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    prepare(dataset_dir, "2", out)
    (out / "Ada_Lovelace").write_text("shorter")
    with pytest.raises(EvaluationError, match="Ada_Lovelace was changed"):
        prepare(dataset_dir, "2", out)
    with pytest.raises(EvaluationError, match="changed after it was prepared"):
        open_corpus(out, open_dataset(dataset_dir, "2"))
    (out / "Ada_Lovelace").unlink()
    with pytest.raises(EvaluationError, match="not complete"):
        prepare(dataset_dir, "2", out)


def test_the_larger_snapshot_is_not_taken_for_the_smaller(dataset_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    prepare(dataset_dir, "3", out)
    with pytest.raises(EvaluationError, match="holds other files"):
        prepare(dataset_dir, "2", out)
    with pytest.raises(EvaluationError, match="holds engines D_3, not engines D_2"):
        open_corpus(out, open_dataset(dataset_dir, "2"))


def test_a_folder_that_was_never_prepared_cannot_be_run(dataset_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="lens eval prepare"):
        open_corpus(tmp_path / "corpus", open_dataset(dataset_dir, "2"))


def test_a_link_in_a_corpus_folder_is_refused(dataset_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    prepare(dataset_dir, "2", out)
    (out / "linked").symlink_to(dataset_dir / "manifest.json")
    with pytest.raises(EvaluationError, match="not a plain file"):
        prepare(dataset_dir, "2", out)


def test_a_body_that_does_not_match_its_checksum_is_not_written(dataset_dir: Path, tmp_path: Path) -> None:
    manifest = json.loads((dataset_dir / "manifest.json").read_text())
    manifest["D_2"]["corpus_sha256"] = "0" * 64
    (dataset_dir / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(EvaluationError, match="corpus_sha256"):
        prepare(dataset_dir, "2", tmp_path / "corpus")
    assert not (tmp_path / "corpus").exists()


def test_a_place_that_cannot_be_written_is_a_clear_error(dataset_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EvaluationError, match="cannot write the corpus"):
        prepare(dataset_dir, "2", tmp_path / "file" / "corpus")
    with pytest.raises(EvaluationError, match="is not a folder"):
        prepare(dataset_dir, "2", tmp_path / "file")


def test_hidden_titles_leave_no_title_and_move_the_gold(dataset_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "hidden"
    corpus = prepare(dataset_dir, "3", out, hide_titles=True)
    assert open_corpus(out, open_dataset(dataset_dir, "3")) == corpus
    files = _files(out)
    assert sorted(files.values()) == sorted(
        body.split("\n\n", 1)[1] for path, body in BODIES.items() if path in corpus.renamed
    )
    assert not set(files) & set(BODIES)
    for question in questions(open_dataset(dataset_dir, "3")):
        moved = corpus.gold(question.gold)
        assert set(moved.paths) <= set(files)
        assert [files[span.path][span.start : span.end] for span in moved.support] == [
            BODIES[span.path][span.start : span.end] for span in question.gold.support
        ]


def test_a_gold_span_inside_a_hidden_title_is_dropped(answers_dir: Path, tmp_path: Path) -> None:
    corpus = prepare(answers_dir, "3", tmp_path / "hidden", hide_titles=True)
    gold = questions(open_dataset(answers_dir, "3"))[0].gold
    title, across = GoldSpan("Charles_Babbage", 0, 7), GoldSpan("Charles_Babbage", 8, 24)
    moved = corpus.gold(replace(gold, answer_spans=(title, across)))
    name = corpus.renamed["Charles_Babbage"][0]
    assert moved.answer_spans == (GoldSpan(name, 0, 24 - len("Charles Babbage\n\n")),)


def test_a_workspace_is_unpacked_without_its_top_folder(workspace_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "guide"
    corpus = prepare(workspace_dir, "guide", out)
    assert _files(out) == PAGES
    assert open_corpus(out, open_dataset(workspace_dir, "guide")) == corpus


def test_titles_of_a_workspace_cannot_be_hidden(workspace_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="titles can only be hidden"):
        prepare(workspace_dir, "guide", tmp_path / "guide", hide_titles=True)


def test_an_archive_that_was_changed_is_refused(workspace_dir: Path, tmp_path: Path) -> None:
    archive = workspace_dir / "guide.tar.xz"
    archive.write_bytes(archive.read_bytes() + b"\0")
    with pytest.raises(EvaluationError, match="checksum"):
        prepare(workspace_dir, "guide", tmp_path / "guide")


@pytest.mark.parametrize("name", ["../outside.txt", "guide/../../outside.txt"])
def test_an_archive_member_that_leads_outside_is_refused(tmp_path: Path, name: str) -> None:
    member = tarfile.TarInfo(name)
    member.size = 1
    folder = write_workspace(tmp_path / "workspaces", (member,))
    with pytest.raises(EvaluationError, match="cannot be unpacked"):
        prepare(folder, "guide", tmp_path / "deep" / "guide")
    assert not list(tmp_path.rglob("outside.txt"))


def test_links_in_an_archive_are_not_unpacked(tmp_path: Path) -> None:
    link = tarfile.TarInfo("guide/docs/linked.txt")
    link.type, link.linkname = tarfile.SYMTYPE, "install.md"
    folder = write_workspace(tmp_path / "workspaces", (link,))
    prepare(folder, "guide", tmp_path / "guide")
    assert _files(tmp_path / "guide") == PAGES


def test_the_published_corpus_is_reproduced_to_the_byte(data_dir: Path, tmp_path: Path) -> None:
    corpus = prepare(data_dir / "squad", "S_dev48", tmp_path / "squad")
    published = json.loads((data_dir / "squad" / "manifest.json").read_text())["S_dev48"]["corpus_sha256"]
    assert corpus.files_sha256 == published
