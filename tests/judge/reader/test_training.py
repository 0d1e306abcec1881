"""The program that trains the reader: what it makes rows of, and what it fits. Training itself is a long check."""

import gzip
import hashlib
import json
import math
import random

import numpy as np
import pytest

from lens_lsp.judge.reader.cross_encoder import PassageScore, WordPiece, calibration_of
from training.reader.calibrate import PRECISION, Read, answering_level, calibration_error, confidence_steps, fit
from training.reader.packed import ADVERSARIAL, FOLDERS, SQUAD, Rows
from training.reader.questions import Example, Passage, examples, kept, on_folders, on_texts
from training.reader.rows import Maker
from training.reader.squad_dev import auroc, questions, scores

LETTERS = [chr(code) for code in range(33, 127)]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]


@pytest.fixture
def piece():
    return WordPiece(VOCABULARY)


def written(piece, rows, row):
    """The question, what stands above, the passage as it is shown and the marked answer of a row, as letters."""

    def text(number, first=0, last=None):
        tokens = rows.tokens[rows.bounds[number] : rows.bounds[number + 1]][first:last]
        return "".join(VOCABULARY[token].removeprefix("##") for token in tokens)

    question, above, passage, first, last, start, end, *_ = row.tolist()
    answer = text(passage, first + start, first + end) if start >= 0 else None
    return text(question), text(above), text(passage, first, last), answer


@pytest.fixture
def squad(tmp_path):
    path = tmp_path / "squad.jsonl.gz"
    paragraphs = [
        {
            "text": f"The tower of Town{k} has {k} bells. It was built in {1800 + k}. Nobody lives there.",
            "qas": [
                {"id": f"q{k}", "q": f"How many bells has the tower of Town{k} in 1999?", "answers": [f"{k} bells"]}
            ],
        }
        for k in range(2, 40)
    ]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(json.dumps({"title": "Towers", "paras": paragraphs}) + "\n")
    return path


def test_rows_of_squad_mark_the_answer_and_show_wrong_paragraphs_without_it(squad, piece, tmp_path):
    maker = Maker(piece)
    maker.squad(squad, {"Towers/0": ["Who lives in the tower of Town2?"]})
    maker.done().save(tmp_path / "rows.npz")
    rows = Rows.load(tmp_path / "rows.npz")
    stated = rows.rows[rows.rows[:, 7] == 1]
    assert len(stated)
    for row in stated:
        question, above, passage, answer = written(piece, rows, row)
        assert answer is not None
        assert answer in passage
        assert answer.endswith("bells")
        assert above in ("towers", "")
    for row in rows.rows[(rows.rows[:, 7] == 0) & (rows.rows[:, 8] == SQUAD)]:
        question, _, passage, answer = written(piece, rows, row)
        assert answer is None
        town = question.split("town")[-1].split("in1999")[0].rstrip("?")
        assert f"town{town}has{town}bells" not in passage
    lookalikes = [row for row in rows.rows if row[8] == ADVERSARIAL and "wholives" in written(piece, rows, row)[0]]
    assert lookalikes
    assert all(row[7] == 0 for row in lookalikes)


def test_the_same_seed_makes_the_same_rows(squad, piece):
    made = []
    for _ in range(2):
        maker = Maker(piece, seed=3)
        maker.squad(squad, {})
        made.append(maker.done().rows.tolist())
    assert made[0] == made[1]


def test_what_holds_a_part_of_a_proof_is_neither(piece):
    passages = (
        Passage("The fee is 12 euros.", "fees.md", ("Fees",), True, (11, 19)),
        Passage("The fee is", "fees.md", (), False, part=True),
        Passage("The fee was 9 euros.", "old.md", (), False),
    )
    maker = Maker(piece)
    maker.examples([Example("a", "f", "What is the fee?", passages)], FOLDERS, 1)
    rows = maker.done()
    shown = [(written(piece, rows, row)[2:], int(row[7])) for row in rows.rows]
    assert sorted(shown, key=str) == [(("thefeeis12euros.", "12euros"), 1), (("thefeewas9euros.", None), 0)]
    maker = Maker(piece)
    maker.examples([Example("a", "f", "Which is more?", passages, record={"intent": "comparison"})], FOLDERS, 1)
    assert [int(row[7]) for row in maker.done().rows] == [0]


def test_questions_on_a_folder_that_is_another_one_are_left_out(tmp_path):
    folder = tmp_path / "folders" / "notes"
    folder.mkdir(parents=True)
    text = "# Club\n\nMembers pay 30 euros a year.\n\nGuests pay nothing.\n"
    (folder / "club.md").write_text(text, "utf-8")
    at = text.index("Members"), text.index(" a year.") + 8
    answer = text.index("30 euros"), text.index("30 euros") + 8
    sha = hashlib.sha256(text.encode()).hexdigest()[:12]
    line = {"folder": "notes", "path": "club.md", "sha": sha, "question": "What do members pay?", "quote": at}
    path = tmp_path / "folders.jsonl.gz"
    lines = [{**line, "answer": answer}, line, {**line, "sha": "0" * 12}, {**line, "folder": "gone"}]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in lines)
    missing = []
    found = list(on_folders(path, tmp_path / "folders", missing.append))
    assert kept(found, tmp_path / "kept.jsonl.gz") == 2
    assert list(examples(tmp_path / "kept.jsonl.gz")) == found
    answered, miss = found
    proof = next(passage for passage in answered.passages if passage.states)
    assert proof.answer is not None
    assert proof.text[slice(*proof.answer)] == "30 euros"
    assert not any(passage.states for passage in miss.passages)
    assert any(passage.near for passage in miss.passages)
    assert missing == ["notes", "gone"]


def test_questions_on_texts_of_our_own(tmp_path):
    path = tmp_path / "written.jsonl.gz"
    asked = [
        {"question": "Until when?", "style": "vague", "quote": "Open until nine.", "span": "nine"},
        {"question": "From when?", "style": "vague", "quote": "Open until nine.", "span": None},
    ]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(json.dumps({"path": "a.md", "heading": "", "text": "Open until nine.", "questions": asked}) + "\n")
    (one,), (other,) = (example.passages for example in on_texts(path))
    assert (one.states, one.answer, one.near) == (True, (11, 15), False)
    assert (other.states, other.answer, other.near) == (False, None, True)


def test_development_questions_are_read_from_their_pages(tmp_path):
    page = (
        '<div class="para-wrap"><pre>Oslo &amp; Bergen</pre>'
        '<div class="qa-wrap" data-id="a1"><strong class="question">Which?</strong>'
        '<span class="answer">Oslo</span></div>'
        '<div class="qa-wrap" data-id="a2"><strong class="question">When?</strong>'
        '<span class="no-answer">&lt;No Answer&gt;</span></div></div>'
    )
    (tmp_path / "Two_towns.html").write_text(page, "utf-8")
    one, other = questions(tmp_path)
    assert (one.paragraph, one.question, one.answers, one.title) == ("Oslo & Bergen", "Which?", ("Oslo",), "Two towns")
    assert other.answers == ()


def test_answers_are_scored_as_squad_scores_them():
    assert scores("The Oslo!", ["Oslo"]) == (1.0, 1.0)
    exact, f1 = scores("in old Oslo", ["Oslo"])
    assert (exact, round(f1, 3)) == (0.0, 0.5)
    assert scores("Bergen", ["Oslo"]) == (0.0, 0.0)


def test_auroc_is_the_share_of_pairs_in_order():
    assert auroc([3, 2, 1, 0], [True, True, False, False]) == 1.0
    assert auroc([0, 1, 2, 3], [True, True, False, False]) == 0.0
    assert auroc([1, 1, 1, 1], [True, False, True, False]) == 0.5
    assert auroc([2, 1, 1, 0], [True, False, True, False]) == 0.875


def made_up(count, seed=1):
    """Questions whose first passage is right as often as its log odds say; the others are wrong."""
    rand = random.Random(seed)
    found = []
    for _ in range(count):
        odds = rand.gauss(0, 2)
        right = rand.random() < 1 / (1 + math.exp(-odds))
        reads = [Read(PassageScore(odds, 0, 1, 0.5), 0.5, "a", right, right)]
        reads += [Read(PassageScore(-6.0, 0, 1, 0.5), 0.5, "a", False, False) for _ in range(3)]
        found.append(reads)
    return found


def test_probabilities_are_fitted_to_the_share_of_right_answers():
    fitted = fit(made_up(400))
    assert fitted.data["confidence"]["error"] < 0.04
    calibration = calibration_of({"calibration": fitted.data})
    sure, unsure = (
        calibration.log_odds([PassageScore(odds, 0, 1, 0.5), PassageScore(-6.0, 0, 1, 0.5)], [0.5, 0.5], ["a", "a"])[0]
        for odds in (4.0, -4.0)
    )
    assert sure > 2
    assert unsure < -2
    assert calibration.confidence(sure) > 0.8 > 0.2 > calibration.confidence(unsure)


def test_a_fit_to_answers_at_random_says_so():
    """The control: where scores tell nothing, nothing is sure enough to count as proof."""
    rand = random.Random(2)
    reads = [
        [
            Read(PassageScore(rand.gauss(0, 2), 0, 1, 0.5), rand.random(), str(k), False, rand.random() < 0.2)
            for k in range(4)
        ]
        for _ in range(300)
    ]
    fitted = fit(reads)
    calibration = calibration_of({"calibration": fitted.data})
    odds = [
        value
        for one in reads
        for value in calibration.log_odds([r.reading for r in one], [r.scan for r in one], [r.answer for r in one])
    ]
    assert max(odds) < calibration.answered


def test_the_level_of_proof_keeps_its_precision():
    best = [(5.0 - k / 10, k not in (21, 24, 25, 26)) for k in range(30)]
    level = answering_level(best)
    taken = [right for odds, right in best if odds >= level]
    assert sum(taken) / len(taken) >= PRECISION
    assert answering_level([(5.0, False)] * 10) > 5.0


def test_calibration_error_and_confidence_steps():
    assert calibration_error([0.9] * 50 + [0.1] * 50, [True] * 45 + [False] * 5 + [True] * 5 + [False] * 45, 2) < 1e-9
    assert calibration_error([0.9] * 100, [False] * 100) == pytest.approx(0.9)
    odds = np.linspace(-4, 4, 200).tolist()
    steps = confidence_steps(odds, [value > 0 for value in odds])
    shares = [share for _, share in steps]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
