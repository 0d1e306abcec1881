"""All arms end to end against one model that is a program and sees its prompts alone.

Its answers are no quality: what is tested here is that each arm asks, shows, counts and cites, and cannot see gold.
"""

from __future__ import annotations

import ast
import gc
import json
import types
from collections.abc import Iterable
from pathlib import Path

import pytest
from arm_doubles import FixedArm, Letters, nothing
from small_datasets import BODIES, QUESTIONS

import evaluation.arms
from benchmarks.scripted_arms import ARMS, Trial, table
from benchmarks.scripted_model import CONTEXT_TOKENS, ScriptedModel, best_sentence, reply, scripted_model
from evaluation.arms.base import Arm, ArmResult, cited
from evaluation.arms.calling import HeldModel
from evaluation.arms.inside import asks_a_program
from evaluation.arms.making import make_arms
from evaluation.audits.controls import WithoutArm
from evaluation.data.datasets import Dataset, Gold, GoldSpan, Question, open_dataset, questions
from evaluation.data.snapshots import Corpus, manifest_path, prepare
from evaluation.reporting.tables import write_report
from evaluation.runner import Judging, run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.judge.llm.chat_model import ChatRequest, Message, Role
from lens_lsp.model.answer import Mode, Status

QUESTION = "Who wrote the A-0 compiler?"
SENTENCE = "Grace Hopper wrote the A-0 compiler."


def corpus_of(folder: Path, bodies: dict[str, str] = BODIES) -> Path:
    folder.mkdir()
    for name, body in bodies.items():
        (folder / name).write_text(body)
    return folder


def asked(arm: Arm, folder: Path, question: str = QUESTION) -> ArmResult:
    arm.prepare(folder)
    try:
        return arm.search("1", question, 10)
    finally:
        arm.close()


def arm_of(name: str, mode: Mode = Mode.DEEP, model: ScriptedModel | None = None) -> Arm:
    (arm,) = make_arms([name], factory=OracleFactory(mode, model or scripted_model()), embedder=Letters)
    return arm


@pytest.mark.parametrize("mode", [Mode.FAST, Mode.DEEP])
@pytest.mark.parametrize("name", [arm for arm in ARMS if arm != "closed-book"])
def test_an_arm_answers_with_the_best_sentence_of_the_files_and_cites_it(tmp_path: Path, name: str, mode: Mode) -> None:
    result = asked(arm_of(name, mode), corpus_of(tmp_path / "corpus"))
    assert result.answer is not None
    assert result.answer.status is Status.ANSWERED
    assert SENTENCE in result.answer.text
    assert any(SENTENCE in item.quote and item.path == "Grace_Hopper" for item in cited(result.answer))
    assert result.windows[0][0] == "Grace_Hopper"
    assert "Grace_Hopper" in result.documents
    assert 1 <= sum(result.account.calls.values()) <= (4 if mode is Mode.FAST else 10)
    assert result.account.tokens_in > 0


@pytest.mark.parametrize("name", [arm for arm in ARMS if arm != "closed-book"])
def test_a_gold_file_of_another_name_or_none_changes_the_result(tmp_path: Path, name: str) -> None:
    as_it_is = asked(arm_of(name), corpus_of(tmp_path / "one"))
    renamed = {path.replace("Grace_Hopper", "Someone"): body for path, body in BODIES.items()}
    other = asked(arm_of(name), corpus_of(tmp_path / "two", renamed))
    assert "Grace_Hopper" in as_it_is.documents
    assert "Grace_Hopper" not in other.documents
    assert other.windows[0][0] == "Someone"
    without = {path: body for path, body in BODIES.items() if path != "Grace_Hopper"}
    gone = asked(arm_of(name), corpus_of(tmp_path / "three", without))
    assert gone.answer is not None
    assert SENTENCE not in gone.answer.text


def test_closed_book_knows_nothing_when_its_model_is_shown_nothing(tmp_path: Path) -> None:
    result = asked(arm_of("closed-book"), corpus_of(tmp_path / "corpus"))
    assert result.answer is not None
    assert (result.answer.status, result.answer.short) == (Status.UNANSWERED, None)


def test_the_model_sees_only_the_prompt() -> None:
    def request(text: str) -> ChatRequest:
        return ChatRequest((Message(Role.USER, text),), 100)

    shown = f"<passage 1, a, from 0>\n{SENTENCE}\n</passage>"
    form = 'Reply with JSON only: {"answer": "...", "short": "..."}'
    assert SENTENCE in reply(request(f"{shown}\nQuestion: {QUESTION}\n{form}"))
    assert "I do not know" in reply(request(f"Question: {QUESTION}\n{form}"))
    tool = 'Reply with JSON only: {"thought": "...", "action": "search"}'
    assert '"action": "search"' in reply(request(f"Question: {QUESTION}\n{tool}"))
    assert '"action": "finish"' in reply(request(f"{shown}\nQuestion: {QUESTION}\n{tool}"))
    best = best_sentence(QUESTION, {1: "The comet came. Nobody wrote a compiler.", 2: SENTENCE})
    assert best is not None
    assert (best.number, best.text) == (2, SENTENCE)


def test_a_run_of_all_arms_is_scored_and_bound_by_the_budget(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    arms = make_arms(ARMS, factory=OracleFactory(Mode.DEEP, scripted_model()), embedder=Letters, vectors=tmp_path)
    summary = run(dataset, corpus, questions(dataset), arms, tmp_path / "run", judging=Judging("deep", "chat"))
    told = summary["arms"]
    assert list(told) == list(ARMS)
    for name in ARMS:
        assert told[name]["n"] == len(QUESTIONS)
        assert told[name]["calls"]["beyond"] == 0
        assert told[name]["calls"]["total"] >= len(QUESTIONS)
    assert told["closed-book"]["documentRecall"]["10"]["value"] == 0.0
    assert told["react"]["documentRecall"]["10"]["value"] > 0.0


def test_the_benchmark_tells_what_was_asked_and_no_figure_of_answers(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    rows = Trial(ARMS, Mode.DEEP, tmp_path, tmp_path / "out", Letters).of(dataset, corpus, questions(dataset))
    assert [(row.arm, row.questions, row.exceeded) for row in rows] == [(name, 3, 0) for name in ARMS]
    assert [row.renamed for row in rows] == [3, 3, 3, 3, 0]
    assert not any(word in table(rows).casefold() for word in ("em", "f1", "recall", "correct", "ground"))
    summary = json.loads((tmp_path / "out" / "run" / "summary.json").read_text())
    assert (summary["scripted"], summary["model"]) == (True, "best-overlapping-sentence at this process")
    report = (tmp_path / "out" / "report" / "report.md").read_text()
    assert "A program stood in for the model" in report
    assert not any(word in _columns(report) for word in SAID)


SAID = ("EM", "F1", "ground", "evidence recall", "answered", "false answers", "all gold proven", "judged right", "ECE")


def _columns(report: str) -> str:
    """The headings of all tables of ours, and whatever else is said before the paper's figures."""
    ours, _, _ = report.partition("# Beside the paper")
    return "".join(line for line in ours.splitlines() if line.startswith(("| run |", "#")))


def test_a_run_of_a_program_is_marked_although_nobody_said_so_and_its_answers_are_in_no_report(
    dataset_dir: Path, tmp_path: Path
) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    for name, endpoint in (("program", None), ("model", "https://models.example")):
        model = ScriptedModel(reply, endpoint=endpoint, context_tokens=CONTEXT_TOKENS)
        arms = make_arms(["react", "lens"], factory=OracleFactory(Mode.DEEP, HeldModel(model)))
        summary = run(dataset, corpus, questions(dataset), arms, tmp_path / name, judging=Judging("deep", "chat"))
        assert summary["scripted"] is (endpoint is None)
        told = _columns(write_report([tmp_path / name], tmp_path / f"{name}-report"))
        assert [word in told for word in SAID[:5]] == [endpoint is not None] * 5
    around = WithoutArm(arm_of("react"), frozenset())
    assert asks_a_program(around)
    assert not asks_a_program(make_arms(["lens"])[0])


def test_no_module_of_the_arms_can_name_gold_or_a_score() -> None:
    (folder,) = evaluation.arms.__path__
    gold = ("evaluation.data.datasets", "evaluation.scoring", "evaluation.answer_key", "evaluation.runner")
    for path in Path(folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            named += " ".join(alias.name for alias in node.names) if isinstance(node, ast.Import) else ""
            assert not any(part in named for part in gold), f"{path.name} imports {named}"


@pytest.mark.parametrize("name", ARMS)
def test_nothing_that_an_arm_holds_while_it_answers_leads_to_gold(dataset_dir: Path, tmp_path: Path, name: str) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    seen: list[object] = []
    strings: set[str] = set()
    arms: list[Arm] = []

    def looks_around(request: ChatRequest) -> str:
        found = reachable(arms)
        seen.extend(one for one in found if isinstance(one, (Gold, GoldSpan, Question, Dataset, Corpus)))
        strings.update(one for one in found if isinstance(one, str))
        return reply(request)

    model = ScriptedModel(looks_around, context_tokens=CONTEXT_TOKENS)
    arms.append(arm_of(name, model=model))
    run(dataset, corpus, questions(dataset), arms, tmp_path / "run", judging=Judging("deep", "chat"))
    assert model.requests
    assert seen == []
    assert not strings & {str(row["id"]) for row in QUESTIONS}, "the id of a question leads to the gold of a public set"


def test_what_leads_to_gold_would_be_found(dataset_dir: Path) -> None:
    asked = questions(open_dataset(dataset_dir, "3"))
    thief = FixedArm("thief", lambda texts, question: nothing(texts, str(asked)))
    assert any(isinstance(one, Gold) for one in reachable([thief]))


def test_an_arm_is_handed_a_ticket_a_text_a_depth_and_a_folder_of_documents(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "prepared" / "corpus")
    folders: list[tuple[list[str], list[str]]] = []

    def makes(texts: dict[str, str], question: str) -> ArmResult:
        assert arm.folder is not None
        beside = sorted(path.name for path in arm.folder.parent.iterdir())
        folders.append((sorted(texts), beside))
        return nothing(texts, question)

    arm = FixedArm("spy", makes)
    run(dataset, corpus, questions(dataset), [arm], tmp_path / "run", judging=Judging("deep", "chat"))
    documents = ["Ada_Lovelace", "Charles_Babbage", "Grace_Hopper", "Jacquard_loom"]
    assert folders == [(documents, ["corpus", "corpus.manifest.json"])] * 3
    assert arm.asked == [(f"q000{n}", row["question"], 10) for n, row in enumerate(QUESTIONS, 1)]
    rows = [json.loads(line) for line in (tmp_path / "run" / "spy.rows.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [row["id"] for row in QUESTIONS]
    manifest = manifest_path(corpus.folder).read_text()
    assert not any(word in manifest for word in ("answer", "support", *(str(row["answer"]) for row in QUESTIONS)))


def reachable(roots: Iterable[object]) -> list[object]:
    """Every object that can be had from some objects, without the modules and classes of the program itself."""
    found: dict[int, object] = {}
    pending = list(roots)
    while pending:
        one = pending.pop()
        if id(one) in found or isinstance(one, (types.ModuleType, type, types.FrameType)):
            continue
        found[id(one)] = one
        if isinstance(one, types.FunctionType):
            pending += [cell.cell_contents for cell in one.__closure__ or ()]
            pending += [*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values()]
        else:
            pending += gc.get_referents(one)
    return list(found.values())
