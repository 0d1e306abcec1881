from __future__ import annotations

import json
import os
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from small_datasets import BODIES, PAGES, write_workspace

from evaluation.data.datasets import GoldSpan, open_dataset, questions
from evaluation.data.snapshots import document_names, manifest_path, open_corpus, prepare
from lens_lsp.model.errors import EvaluationError


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
