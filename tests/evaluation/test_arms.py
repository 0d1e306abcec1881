"""The arm of our own engine, over real files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_datasets import ANSWERS, BODIES, write_dataset

from evaluation.arms.base import ArmResult, Quoted, Said
from evaluation.arms.indexes import Passage, chunks, read_corpus
from evaluation.arms.lens import AskingArm, LensArm
from evaluation.arms.making import ABLATIONS, make_arms, parse_ablation
from evaluation.data.datasets import Question, open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.gate import GatePlan, run_gate
from evaluation.runner import Judging, Selection, run
from lens_lsp.app.oracle_factory import OracleFactory, Terms
from lens_lsp.app.settings import Request
from lens_lsp.model.answer import Account, Answered, Event, Mode, Status, StopReason
from lens_lsp.model.documents import Coverage, Evidence, Findings, Origin, RankedDocument
from lens_lsp.model.errors import UsageError
from lens_lsp.model.text import Position, Span
from tests.hand_made import events


@dataclass
class _Finder:
    """An engine that finds the same two documents for every query and remembers what it was asked."""

    asked: list[tuple[str, int, frozenset[str]]] = field(default_factory=list)

    def find(self, request: Request | str) -> Findings:
        request = Request(request) if isinstance(request, str) else request
        self.asked.append((request.question, request.limit, frozenset(request.ablate)))
        quote = Evidence(
            n=1,
            root=0,
            path="b",
            start=Position(1, 6),
            end=Position(1, 9),
            span=Span(5, 8),
            quote="abc",
            origin=Origin("0" * 64, "utf-8"),
            reader="text/1",
            locator=None,
            heading=(),
            score=1.0,
        )
        ranked = tuple(RankedDocument(0, path, 0.5, admitted=True, read=True) for path in ("b", "a"))
        return Findings(request.question, ("/corpus",), (quote,), ranked, Coverage(2, 2), None)


@pytest.fixture
def corpus_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "deep").mkdir(parents=True)
    for name, body in BODIES.items():
        (folder / name).write_text(body)
    filler = "The weather was mild and the harvest good. " * 30
    (folder / "deep" / "chronicle").write_text(filler + "A comet appeared over the harbour. " + filler)
    return folder


@pytest.mark.parametrize("name", ["bm25s", "tantivy"])
def test_a_reference_ranks_by_words_and_points_at_the_place(corpus_dir: Path, name: str) -> None:
    (arm,) = make_arms([name])
    assert arm.prepare(corpus_dir) > 0
    result = arm.search("q", "Which comets appeared over the harbours?", 10)
    assert result.documents == ("deep/chronicle",)
    path, start, end = result.windows[0]
    assert end - start == 600
    assert "A comet appeared over the harbour." in (corpus_dir / path).read_text()[start:end]
    arm.close()


@pytest.mark.parametrize("name", ["bm25s", "tantivy"])
@pytest.mark.parametrize("query", ["zeppelin", "of the and", "?!", "", 'a" OR (b: [c TO', "AND NOT"])
def test_a_reference_returns_nothing_when_nothing_matches(corpus_dir: Path, name: str, query: str) -> None:
    (arm,) = make_arms([name])
    arm.prepare(corpus_dir)
    result = arm.search("q", query, 10)
    assert (result.documents, result.windows) == ((), ())


@pytest.mark.parametrize("name", ["bm25s", "tantivy"])
def test_a_reference_without_windows_still_ranks(corpus_dir: Path, name: str) -> None:
    (arm,) = make_arms([name], windows=False)
    arm.prepare(corpus_dir)
    result = arm.search("q", "punched cards", 2)
    assert (result.documents, result.windows) == (("Jacquard_loom",), ())


@given(st.text(max_size=1_500), st.integers(0, 1_500), st.integers(1, 300))
def test_chunks_hold_every_passage_of_up_to_300_code_points(text: str, start: int, length: int) -> None:
    found = chunks({"a": text})
    end = min(len(text), start + length)
    assert found[0][1] == 0
    assert found[-1][2] == len(text)
    assert all(high - low <= 600 for _, low, high in found)
    assert start >= len(text) or any(low <= start and end <= high for _, low, high in found)


def test_files_are_read_below_the_folder_without_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.md").write_bytes(b"\xef\xbb\xbfone\r\n\xff")
    (tmp_path / "a").write_bytes(b"two")
    assert read_corpus(tmp_path) == {"a": "two", "b/c.md": "one\r\n\ufffd"}


def test_the_lens_arm_passes_on_findings_and_their_json() -> None:
    finder = _Finder()
    arm = LensArm(frozenset({"links"}), opener=lambda folder: finder)
    arm.prepare(Path("corpus"))
    result = arm.search("q", "what?", 12)
    assert finder.asked[-1] == ("what?", 12, frozenset({"links"}))
    assert result.documents == ("b", "a")
    assert result.windows == (("b", 5, 8),)
    assert result.evidence[0]["quote"] == "abc"
    assert arm.search("q", "what?", 1).documents == ("b",)


def test_an_arm_must_be_prepared_before_it_searches() -> None:
    for arm in [*make_arms(["bm25s", "tantivy"]), LensArm(opener=lambda folder: _Finder())]:
        with pytest.raises(UsageError, match="prepare"):
            arm.search("q", "what?", 10)


def test_each_ablation_is_one_more_lens_arm_with_its_own_name() -> None:
    names = [arm.name for arm in make_arms(["lens", "bm25s"], ["links", "path+links"])]
    assert names == ["lens", "lens-without-links", "lens-without-links+path", "bm25s"]


def test_unknown_arms_and_ablations_are_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="lens, bm25s, tantivy, react, hybrid, bm25-rag, closed-book"):
        make_arms(["colbert"])
    with pytest.raises(UsageError, match="arm-global"):
        parse_ablation("links+gravity")
    with pytest.raises(UsageError, match="add lens"):
        make_arms(["bm25s"], ["links"])
    assert parse_ablation("+".join(ABLATIONS)) == frozenset(ABLATIONS)


@pytest.mark.parametrize(
    ("folder", "snapshot", "figure", "depths", "bm25s", "tantivy"),
    [
        ("musique", "140", "documentRecall", ("5", "10"), (49.9, 54.5), (49.1, 55.2)),
        ("squad", "S_dev48", "spanHit", ("1", "3", "5"), (68.2, 83.2, 88.0), (68.6, 83.2, 87.8)),
    ],
)
def test_the_references_reach_their_published_figures(
    data_dir: Path,
    tmp_path: Path,
    folder: str,
    snapshot: str,
    figure: str,
    depths: tuple[str, ...],
    bm25s: tuple[float, ...],
    tantivy: tuple[float, ...],
) -> None:
    dataset = open_dataset(data_dir / folder, snapshot)
    corpus = prepare(data_dir / folder, snapshot, tmp_path / "corpus")
    arms = make_arms(["bm25s", "tantivy"], windows=figure == "spanHit")
    summary = run(dataset, corpus, questions(dataset), arms, tmp_path / "run")
    found = {name: [arm[figure][depth]["value"] for depth in depths] for name, arm in summary["arms"].items()}
    assert found["bm25s"] == pytest.approx(bm25s, abs=1)
    assert found["tantivy"] == pytest.approx(tantivy, abs=1)


pytest.importorskip("lens_lsp.app.lens")


def test_rows_of_lens_hold_the_quotes_of_its_windows(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    summary = run(dataset, corpus, questions(dataset), make_arms(["lens"]), tmp_path / "run")
    rows = [json.loads(line) for line in (tmp_path / "run" / "lens.rows.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    for row in rows:
        assert row["windows"] == [[item["path"], *item["span"]] for item in row["evidence"]]
        for item in row["evidence"]:
            data = (corpus.folder / item["path"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == item["sha256"]
            assert data.decode()[slice(*item["span"])] == item["quote"]
    found = json.loads(json.dumps(summary))["arms"]["lens"]
    assert found["documentRecall"]["5"]["value"] == 100.0
    assert found["longWindows"] == 0


def test_the_gate_says_what_each_ablation_costs(data_dir: Path, tmp_path: Path) -> None:
    plan = GatePlan(
        rows=("squad-dev",),
        arms=("lens", "bm25s"),
        ablations=("links", "lexical"),
        selection=Selection(limit=3),
    )
    result = run_gate(data_dir, tmp_path / "work", tmp_path / "out", plan)
    assert set(result.verdicts[0].figures) == {"lens", "lens-without-links", "lens-without-lexical", "bm25s"}
    assert "| row | points lost | without-links | without-lexical |" in result.markdown
    assert (tmp_path / "out" / "squad-dev" / "lens-without-links.rows.jsonl").is_file()


@dataclass
class _Asker:
    """Yields the events that were made by hand, and remembers what it was asked."""

    yields: tuple[Event, ...]
    asked: list[tuple[str, Mode, int, frozenset[str], int]] = field(default_factory=list)

    async def ask(self, request: Request | str, terms: Terms = Terms()) -> AsyncGenerator[Event]:
        request = Request(request) if isinstance(request, str) else request
        self.asked.append((request.question, terms.mode, request.seed, frozenset(request.ablate), request.documents))
        for event in self.yields:
            yield event


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_answer_becomes_documents_windows_and_evidence() -> None:
    asker = _Asker(events("/notes"))
    arm = AskingArm(frozenset({"lambda"}), seed=7, opener=lambda folder: asker)
    assert arm.prepare(Path("notes")) > 0
    result = arm.search("q", "When does the lease end?", 12)
    arm.close()
    assert asker.asked[-1] == ("When does the lease end?", Mode.EVIDENCE, 7, frozenset({"lambda"}), 12)
    (answer,) = [event.answer for event in asker.yields if isinstance(event, Answered)]
    (cited,) = answer.evidence
    assert result.documents == ("house/contract.md", "garden.md")
    assert result.windows == (("house/contract.md", cited.span.start, cited.span.end),)
    assert result.evidence[0]["quote"] == cited.quote
    assert result.answer == answer
    assert result.account.seconds == result.seconds


def test_an_arm_that_was_closed_or_never_prepared_does_not_search() -> None:
    arm = AskingArm(opener=lambda folder: _Asker(events("/notes")))
    with pytest.raises(UsageError, match="prepare"):
        arm.search("q", "what?", 10)
    arm.prepare(Path("notes"))
    arm.close()
    with pytest.raises(UsageError, match="prepare"):
        arm.search("q", "what?", 10)


def test_a_question_without_an_answer_is_an_error_not_a_row() -> None:
    arm = AskingArm(opener=lambda folder: _Asker(()))
    with pytest.raises(RuntimeError, match="without an answer"):
        arm.prepare(Path("notes"))
    arm.close()


def test_rows_hold_the_answer_and_quotes_that_stand_in_the_files(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    arms = make_arms(["lens", "bm25s"], ["exploration"], factory=OracleFactory())
    summary = run(dataset, corpus, questions(dataset), arms, tmp_path / "run", judging=Judging("evidence", "offline"))
    rows = _rows(tmp_path / "run" / "lens.rows.jsonl")
    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    for row in rows:
        assert {"id", "documents", "windows", "evidence", "answer", "ledger", "scores"} <= row.keys()
        assert list(row["answer"]) == ["status", "stopped", "short", "text"]
        assert row["answer"]["status"] in ("answered", "partial", "unanswered")
        assert row["ledger"]["seconds"] > 0
        shown = [item for item in row["evidence"] if f"[{item['n']}]" in row["answer"]["text"]]
        assert shown
        assert row["windows"] == [[item["path"], *item["span"]] for item in shown]
        for item in row["evidence"]:
            assert (corpus.folder / item["path"]).read_text()[slice(*item["span"])] == item["quote"]
    assert summary["mode"] == "evidence"
    lens, reference = summary["arms"]["lens"], summary["arms"]["bm25s"]
    answered = [row["answer"]["status"] == "answered" for row in rows]
    assert lens["answered"]["value"] == pytest.approx(100 * sum(answered) / 3, abs=0.01)
    assert lens["documentRecall"]["10"]["value"] == 100.0
    assert lens["ground"]["strict"]["n"] == 3
    assert lens["falseAnswers"] is None
    assert (reference["answered"], reference["ground"]["strict"]) == (None, None)
    assert (tmp_path / "run" / "lens-without-exploration.rows.jsonl").is_file()


def test_questions_without_an_answer_are_asked_and_scored_apart(answers_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(answers_dir, "3")
    corpus = prepare(answers_dir, "3", tmp_path / "corpus")
    asked, unanswerable = questions(dataset), questions(dataset, answerable=False)
    assert [question.id for question in unanswerable] == ["a2"]
    arm = AskingArm(opener=lambda folder: _Asker(events("/notes")))
    summary = run(
        dataset,
        corpus,
        asked,
        [arm],
        tmp_path / "run",
        judging=Judging("evidence", "offline"),
        unanswerable=unanswerable,
    )["arms"]["lens"]
    assert [row["id"] for row in _rows(tmp_path / "run" / "lens.rows.jsonl")] == ["a1", "a2"]
    assert summary["n"] == 1
    assert summary["falseAnswers"] == {"value": 100.0, "low": 100.0, "high": 100.0, "n": 1}
    assert summary["answered"]["n"] == 1
    assert summary["answeredWithQuote"] == {"value": 100.0, "low": 100.0, "high": 100.0, "n": 2}
    assert {figure["n"] for figure in summary["documentRecall"].values()} == {1}
    assert summary["ground"]["strict"]["value"] == 0.0
    assert summary["seconds"]["median"]["n"] == 1


def test_two_runs_that_ask_with_one_seed_differ_in_nothing_but_seconds(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "answers", ANSWERS)
    dataset, corpus = open_dataset(folder, "3"), prepare(folder, "3", tmp_path / "corpus")
    texts = []
    for name in ("one", "two"):
        arms = make_arms(["lens"], factory=OracleFactory(), seed=5)
        run(dataset, corpus, questions(dataset), arms, tmp_path / name, seed=5, judging=Judging("evidence", "offline"))
        rows = (tmp_path / name / "lens.rows.jsonl").read_text()
        texts.append(re.sub(r'"seconds": [0-9.e-]+', "", rows))
    assert texts[0] == texts[1]
    assert any(name in texts[0] for name in BODIES)


def test_more_than_ten_documents_are_ranked_when_the_protocol_needs_them(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"note {number:02}").write_text(f"Kettle\n\nThe copper kettle number {number} is on the stove.\n")
    arm = AskingArm()
    arm.prepare(tmp_path)
    try:
        assert len(arm.search("q", "Where is the copper kettle?", 25).documents) == 25
        assert len(arm.search("q", "Where is the copper kettle?", 10).documents) == 10
    finally:
        arm.close()


UNRELATED = "Unrelated"
ANSWERING = {"analytical", "engine", "1837", "grace", "hopper"}
# Longer than any window: every word of the articles but those of the answers, in the order of the alphabet.
WORDS = {word for body in BODIES.values() for word in re.findall(r"\w+", body.lower())}
VOCABULARY = " ".join(sorted(WORDS - ANSWERING) * 12)


@dataclass
class _Fixed:
    """An arm that gives each question what was written down for it."""

    name: str
    passages: dict[str, list[Passage]]
    texts: dict[str, str]
    said: dict[str, str]
    documents: dict[str, list[str]]

    def prepare(self, corpus_dir: Path) -> float:
        return 0.0

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        quoted = tuple(
            Quoted(n, path, start, end, self.texts.get(path, "")[start:end], "full")
            for n, (path, start, end) in enumerate(self.passages[ticket], 1)
        )
        short = self.said[ticket]
        worded = f"{short} {' '.join(f'[{one.n}]' for one in quoted)}" if short else ""
        status = Status.ANSWERED if short else Status.UNANSWERED
        return ArmResult(
            documents=tuple(self.documents[ticket])[:depth],
            windows=tuple(one.passage for one in quoted),
            seconds=0.0,
            evidence=tuple(one.json() for one in quoted),
            answer=Said(status, StopReason.COVERED, worded, short or None, quoted, Account(calls={"synthesise": 1})),
        )

    def close(self) -> None:
        pass


def _arm(name: str, asked: tuple[Question, ...]) -> _Fixed:
    texts = {**BODIES, UNRELATED: VOCABULARY}
    passages: dict[str, list[Passage]] = {}
    for one in asked:
        passages[one.ticket] = {
            "everything": [(path, 0, min(600, len(text))) for path, text in BODIES.items()],
            "nothing": [],
            "gold": [(span.path, span.start, span.end) for span in one.gold.spans],
            "unrelated": [(UNRELATED, 0, len(VOCABULARY))],
        }[name]
    gold = name in ("gold", "everything")
    said = {one.ticket: one.gold.answers[0] if gold else ("Pelican" if name == "unrelated" else "") for one in asked}
    documents = {key: list(dict.fromkeys(path for path, _, _ in found)) for key, found in passages.items()}
    return _Fixed(name, passages, texts, said, documents)


def _figures(folder: Path, tmp_path: Path, name: str) -> dict[str, float | None]:
    """Every figure of a summary by its place, and the share of each class of the taxonomy."""
    dataset = open_dataset(folder, "3")
    corpus = prepare(folder, "3", tmp_path / "corpus")
    asked = questions(dataset)
    run(dataset, corpus, asked, [_arm(name, asked)], tmp_path / "run", judging=Judging("fast", "chat"))
    arm = json.loads((tmp_path / "run" / "summary.json").read_text())["arms"][name]
    flat: dict[str, float | None] = {}
    for key, value in arm.items():
        nested = isinstance(value, dict) and "value" not in value
        for place, figure in value.items() if nested else [("", value)]:
            if figure is None or (isinstance(figure, dict) and "value" in figure):
                flat[f"{key}.{place}".rstrip(".")] = None if figure is None else figure["value"]
    return flat | {f"outcomes.{key}": count / arm["n"] for key, count in (arm["outcomes"] or {}).items()}


def test_the_gold_and_nothing_else_is_worth_everything(dataset_dir: Path, tmp_path: Path) -> None:
    found = _figures(dataset_dir, tmp_path, "gold")
    for place in (
        "em",
        "f1",
        "documentRecall.2",
        "documentRecall.10",
        "allGold10",
        "evidenceRecall.strict",
        "evidenceRecall.compatible",
        "ground.compatible",
        "allGoldProven",
        "answered",
        "answeredWithQuote",
    ):
        assert found[place] == 100.0, place
    assert found["outcomes.correct"] == 1.0
    assert found["ground.strict"] == 100.0


def test_everything_is_found_but_not_first(dataset_dir: Path, tmp_path: Path) -> None:
    found = _figures(dataset_dir, tmp_path, "everything")
    assert found["documentRecall.10"] == found["evidenceRecall.strict"] == found["evidenceRecall.compatible"] == 100.0
    assert (found["em"], found["outcomes.correct"]) == (100.0, 1.0)
    assert found["documentRecall.1"] == 16.67
    assert found["documentRecall.2"] == 66.67


def test_nothing_is_worth_nothing(dataset_dir: Path, tmp_path: Path) -> None:
    found = _figures(dataset_dir, tmp_path, "nothing")
    free = ("answeredWithQuote", "falseAnswers", "spanHit", "knownItem", "cost", "compression")
    quality = [
        place
        for place in found
        if place.partition(".")[0] not in (*free, "calls", "tokens", "seconds", "outcomes", "budgetExceeded")
    ]
    assert {found[place] for place in quality} == {0.0}
    assert {"em", "f1", "ground.strict", "evidenceRecall.compatible", "documentRecall.10"} <= set(quality)
    assert found["outcomes.not-retrieved"] == 1.0


def test_long_unrelated_text_passes_the_compatible_recall_and_no_other_column(
    dataset_dir: Path, tmp_path: Path
) -> None:
    found = _figures(dataset_dir, tmp_path, "unrelated")
    # Both sentences of q1 and that of q3 still have three fifths of their words; of "in 1837" one of two is left.
    assert found["evidenceRecall.compatible"] == 66.67
    for place in ("evidenceRecall.strict", "ground.strict", "ground.compatible", "em", "f1", "documentRecall.10"):
        assert found[place] == 0.0, place
    assert (found["answered"], found["outcomes.not-retrieved"]) == (100.0, 1.0)


def test_an_answer_place_is_hit_by_gold_and_missed_by_the_rest(answers_dir: Path, tmp_path: Path) -> None:
    for name, worth in (("gold", 100.0), ("everything", 100.0), ("nothing", 0.0), ("unrelated", 0.0)):
        found = _figures(answers_dir, tmp_path / name, name)
        assert found["spanHit.5"] == found["evidenceRecall.strict"] == found["ground.strict"] == worth, name
        assert found["em"] == worth, name


@pytest.mark.parametrize("listed", [["Ada"], ["people/Ada_Lovelace/notes", "Babbage"]])
def test_listed_names_that_are_parts_of_titles_pass_the_compatible_columns_only(
    dataset_dir: Path, tmp_path: Path, listed: list[str]
) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    (one, *_) = asked = questions(dataset)
    said = {question.ticket: "Pelican" for question in asked}
    arm = _Fixed("lister", {q.ticket: [] for q in asked}, {}, said, {q.ticket: listed for q in asked})
    run(dataset, corpus, (one,), [arm], tmp_path / "run", judging=Judging("fast", "chat"))
    scores = json.loads((tmp_path / "run" / "lister.rows.jsonl").read_text().splitlines()[0])["scores"]
    assert scores["ground.compatible"] == 1.0
    assert scores["evidenceRecall.compatible"] == len(listed) / 2
    assert scores["evidenceRecall.strict"] == scores["ground.strict"] == scores["documentRecall.10"] == 0.0
