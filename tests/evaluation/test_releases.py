"""Files of the published shapes, written by hand."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from small_datasets import evaluate

from evaluation.data.datasets import Dataset, GoldSpan, articles, open_dataset, questions, sample_ids
from evaluation.data.nesting import bindings
from evaluation.data.snapshots import open_corpus, prepare
from evaluation.scoring.answers import exact_match, f1
from lens_lsp.model.errors import EvaluationError

_HOTPOT = {
    "_id": "5a8b57f25542995d1e6f1371",
    "answer": "yes",
    "question": "Were Scott Derrickson and Ed Wood of the same nationality?",
    "supporting_facts": [["Scott Derrickson", 0], ["Ed Wood", 0], ["Ed Wood", 7]],
    "context": [
        ["Ed Wood (film)", ["Ed Wood is a 1994 American film.", " It stars Johnny Depp."]],
        ["Scott Derrickson", ["Scott Derrickson is an American director.", " He lives in Los Angeles."]],
        ["AC/DC", ["AC/DC are a band."]],
        ["Ed Wood", ["Edward Davis Wood Jr. was an American filmmaker.", " He died in 1978."]],
    ],
    "type": "comparison",
    "level": "hard",
}
_OPEN = {
    "_id": "5a8c7595554299585d9e36b6",
    "answer": "Chief of Protocol",
    "question": "What position was held by the actress of Corliss Archer?",
    "supporting_facts": [["Kiss and Tell (1945 film)", 0], ["Shirley Temple", 1]],
    "context": [["AC_DC", ["Another title with the same file name."]], ["Ed Wood", ["An older revision."]]],
    "type": "bridge",
    "level": "medium",
}
_TWO_WIKI = {
    "_id": "13f5ad2c088c11ebbd6fac1f6bf848b6",
    "type": "bridge_comparison",
    "question": "Are the directors of both films from the same country?",
    "context": [
        ["Coolie No. 1", ["Coolie No. 1 is a 1995 film.", "It was directed by David Dhawan."]],
        ["David Dhawan", ["David Dhawan is an Indian director."]],
    ],
    "supporting_facts": [["Coolie No. 1", 1], ["David Dhawan", 0]],
    "evidences": [["Coolie No. 1", "director", "David Dhawan"]],
    "answer": "no",
    "evidences_id": [["Q3595968", "director", "Q1"]],
    "answer_id": None,
}
_MUSIQUE = {
    "id": "2hop__482757_12019",
    "paragraphs": [
        {"idx": 0, "title": "Pony Express", "paragraph_text": "It ran in 1860.", "is_supporting": False},
        {"idx": 1, "title": "Green (album)", "paragraph_text": "Steve Hillage made it.", "is_supporting": True},
        {"idx": 2, "title": "Pony Express", "paragraph_text": "It ended in 1861.", "is_supporting": True},
    ],
    "question": "When did the maker of Green ride?",
    "question_decomposition": [
        {"id": 482757, "question": "Green >> performer", "answer": "Hillage", "paragraph_support_idx": 1}
    ],
    "answer": "1861",
    "answer_aliases": ["in 1861"],
    "answerable": True,
}
_SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Super_Bowl_50",
            "paragraphs": [
                {
                    "context": "Super Bowl 50 was a game.",
                    "qas": [
                        {
                            "id": "56be4db0acb8001400a502ec",
                            "question": "What was a game?",
                            "answers": [
                                {"answer_start": 0, "text": "Super Bowl 50"},
                                {"answer_start": 6, "text": "Bowl 50"},
                            ],
                            "is_impossible": False,
                        }
                    ],
                },
                {
                    "context": "Denver won.",
                    "qas": [
                        {"id": "a1", "question": "Who won?", "answers": [{"answer_start": 0, "text": "Denver"}]},
                        {
                            "id": "a2",
                            "question": "Who refereed?",
                            "answers": [],
                            "plausible_answers": [{"answer_start": 0, "text": "Denver"}],
                            "is_impossible": True,
                        },
                    ],
                },
            ],
        },
        {"title": "Beyonc%C3%A9", "paragraphs": [{"context": "She sings.", "qas": []}]},
    ],
}


def _written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def _bodies(dataset: Dataset) -> dict[str, str]:
    return {article.path: article.body for article in articles(dataset)}


def _stands(spans: tuple[GoldSpan, ...], bodies: dict[str, str]) -> list[str]:
    return [bodies[span.path][span.start : span.end] for span in spans]


def test_hotpotqa_is_read_with_the_sentences_that_prove(tmp_path: Path) -> None:
    dataset = open_dataset(_written(tmp_path / "hotpot_dev_distractor_v1.json", [_HOTPOT]), "all")
    (question,) = questions(dataset)
    bodies = _bodies(dataset)
    assert dataset.name == "hotpot_dev_distractor_v1"
    assert (question.id, question.gold.answers, question.gold.comparison) == (_HOTPOT["_id"], ("yes",), True)
    assert question.gold.paths == ("Scott_Derrickson", "Ed_Wood")
    assert _stands(question.gold.support, bodies) == [
        "Scott Derrickson is an American director.",
        "Edward Davis Wood Jr. was an American filmmaker.",
    ], "a fact names a sentence that is not there"
    assert bodies["Ed_Wood"] == ("Ed Wood\n\nEdward Davis Wood Jr. was an American filmmaker. He died in 1978.\n")
    assert sorted(bodies) == ["AC_DC", "Ed_Wood", "Ed_Wood_(film)", "Scott_Derrickson"]


def test_a_question_whose_gold_is_not_in_the_file_is_left_out_and_counted(tmp_path: Path) -> None:
    path = _written(tmp_path / "hotpot_dev_fullwiki_v1.json", [_HOTPOT, _OPEN])
    dataset = open_dataset(path, "all")
    assert sample_ids(dataset) == [_HOTPOT["_id"]]
    bodies = _bodies(dataset)
    assert len([name for name in bodies if name.startswith("AC_DC")]) == 2, "two titles with one file name"
    assert "An older revision." in bodies["Ed_Wood"]
    assert [*_stands(questions(dataset)[0].gold.support, bodies)][1].startswith("Edward Davis Wood")
    prepare(path, "all", tmp_path / "corpus")
    assert json.loads((tmp_path / "corpus.manifest.json").read_text())["leftOut"] == 1


def test_2wikimultihop_sentences_are_told_apart_by_spaces(tmp_path: Path) -> None:
    dataset = open_dataset(_written(tmp_path / "dev.json", [_TWO_WIKI]), "1")
    (question,) = questions(dataset)
    bodies = _bodies(dataset)
    assert bodies["Coolie_No._1"].endswith("a 1995 film. It was directed by David Dhawan.\n")
    assert _stands(question.gold.support, bodies)[0] == "It was directed by David Dhawan."
    assert question.gold.comparison


def test_2wikimultihop_counts_the_aliases_that_lie_beside_it_as_answers(tmp_path: Path) -> None:
    path = _written(tmp_path / "dev.json", [_TWO_WIKI | {"answer": "Indian", "answer_id": "Q668"}])
    alone = open_dataset(path, "all")
    assert questions(alone)[0].gold.answers == ("Indian",)
    rows = [
        {"Q_id": "Q668", "aliases": ["Republic of India", "Bharat"], "demonyms": ["Indian", "Hindustani"]},
        {"Q_id": "Q1", "aliases": ["Universe"], "demonyms": []},
    ]
    aliases = tmp_path / "id_aliases.json"
    aliases.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    dataset = open_dataset(path, "1")
    answers = questions(dataset)[0].gold.answers
    assert answers == ("Indian", "Republic of India", "Bharat", "Hindustani")
    assert exact_match("the Republic of India.", answers) == 1.0
    assert f1("Hindustani people", answers) == pytest.approx(2 / 3)
    assert exact_match("Universe", answers) == 0.0
    assert list(dataset.checksums) == ["dev.json", "id_aliases.json"]
    assert dataset.checksums["id_aliases.json"] == hashlib.sha256(aliases.read_bytes()).hexdigest()
    assert "id_aliases.json" not in open_dataset(_written(tmp_path / "hotpot.json", [_HOTPOT]), "all").checksums
    aliases.write_text('{"aliases": []}\n')
    with pytest.raises(EvaluationError, match=r"id_aliases\.json"):
        open_dataset(path, "all")


def test_musique_paragraphs_of_one_title_are_one_document(tmp_path: Path) -> None:
    path = tmp_path / "musique_ans_v1.0_dev.jsonl"
    path.write_text(json.dumps(_MUSIQUE) + "\n" + json.dumps(_MUSIQUE | {"id": "3hop1__2", "answerable": False}) + "\n")
    dataset = open_dataset(path, "all")
    (question,) = questions(dataset)
    bodies = _bodies(dataset)
    assert bodies["Pony_Express"] == "Pony Express\n\nIt ran in 1860.\n\nIt ended in 1861.\n"
    assert question.gold.paths == ("Green_(album)", "Pony_Express")
    assert question.gold.answers == ("1861", "in 1861")
    assert [bodies[name][start:].split("\n\n")[0].strip() for name, start in question.gold.paragraphs] == [
        "Steve Hillage made it.",
        "It ended in 1861.",
    ]
    assert [one.id for one in questions(dataset, answerable=False)] == ["3hop1__2"]


def test_squad_is_one_document_an_article_and_knows_impossible_questions(tmp_path: Path) -> None:
    dataset = open_dataset(_written(tmp_path / "dev-v2.0.json", _SQUAD), "all")
    bodies = _bodies(dataset)
    assert bodies["Super_Bowl_50"] == "Super Bowl 50\n\nSuper Bowl 50 was a game.\n\nDenver won.\n"
    assert bodies["Beyoncé"] == "Beyoncé\n\nShe sings.\n"
    asked = {question.id: question for question in questions(dataset)}
    assert _stands(asked["56be4db0acb8001400a502ec"].gold.answer_spans, bodies) == ["Super Bowl 50", "Bowl 50"]
    assert _stands(asked["a1"].gold.answer_spans, bodies) == ["Denver"]
    assert [question.id for question in questions(dataset, answerable=False)] == ["a2"]


@pytest.mark.parametrize(
    "text",
    ["", "[]]", "{}", '{"data": [{"title": 1}]}', '[{"question": "?"}]', '{"paragraph_text": 1}\n', "\x89PNG"],
)
def test_a_file_that_is_no_release_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.json"
    path.write_text(text)
    with pytest.raises(EvaluationError, match="no release"):
        open_dataset(path, "all")


def test_a_test_set_without_gold_is_refused(tmp_path: Path) -> None:
    bare = {key: value for key, value in _HOTPOT.items() if key not in ("supporting_facts", "answer")}
    with pytest.raises(EvaluationError, match="test set"):
        open_dataset(_written(tmp_path / "hotpot_test_fullwiki_v1.json", [bare]), "all")


def _many(count: int) -> list[object]:
    """Questions of four documents each, every fourth of another type; two share a document."""
    rows = []
    for number in range(count):
        titles = [f"Page {number} {part}" for part in "abc"] + [f"Shared {number // 2}"]
        rows.append(
            {
                "_id": f"q{number:03d}",
                "question": f"What is {number}?",
                "answer": "it",
                "type": "comparison" if number % 4 == 0 else "bridge",
                "supporting_facts": [[titles[0], 0], [titles[3], 0]],
                "context": [[title, [f"{title} is a page."]] for title in titles],
            }
        )
    return rows


def test_a_snapshot_of_a_release_lies_in_every_larger_one(tmp_path: Path) -> None:
    path = _written(tmp_path / "many.json", _many(600))
    nested = bindings(open_dataset(path, "all"))
    assert [(one.snapshot, one.questions) for one in nested] == [
        ("D_125", 125),
        ("D_250", 250),
        ("D_500", 500),
        ("all", 600),
    ]
    small = open_dataset(path, "125")
    asked = questions(small)
    assert sum(question.gold.comparison for question in asked) in (31, 32), "a quarter of every prefix"
    linked = {name for question in asked for name in question.gold.paths}
    assert linked <= _bodies(small).keys()
    assert len(_bodies(small)) == 4 * len({one for held in small.release.contexts.values() for one in held})


def test_a_corpus_of_a_release_is_prepared_run_and_bound_to_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, corpus, out = _written(tmp_path / "many.json", _many(150)), tmp_path / "corpus", tmp_path / "run"

    assert evaluate("prepare", path, "--snapshot", "140", "--out", corpus) == 0
    places = ("--corpus", corpus, "--snapshot", "140", "--arm", "bm25s", "--limit", "20", "--out", out)
    assert evaluate("run", path, *places) == 0
    assert "| run | find | – | bm25s | 20 |" in capsys.readouterr().out
    summary = json.loads((out / "summary.json").read_text())
    assert [one["snapshot"] for one in summary["nested"]] == ["D_125", "D_140"]
    assert summary["questions"]["n"] == 20
    assert list(summary["data"]) == ["many.json"]
    _written(path, [{**row, "context": [*row["context"], ["New", ["New."]]]} for row in _many(150)])
    with pytest.raises(EvaluationError, match="prepared from other data"):
        open_corpus(corpus, open_dataset(path, "140"))


def test_a_question_whose_gold_is_elsewhere_is_asked_of_another_corpus(tmp_path: Path) -> None:
    path = _written(tmp_path / "hotpot_dev_fullwiki_v1.json", [_HOTPOT, _OPEN])
    asked = {question.id: question for question in questions(open_dataset(path, "all", elsewhere=True))}
    assert asked[_OPEN["_id"]].gold.paths == ("Kiss_and_Tell_(1945_film)", "Shirley_Temple")
    assert len(asked) == 2
