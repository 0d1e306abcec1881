"""Arms that answer by a chat model: what they ask, what they are stopped at, and what is counted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from arm_doubles import Letters
from small_datasets import BODIES

from benchmarks.scripted_model import Scripted, ScriptedModel
from evaluation.arms.answering import ChatArm
from evaluation.arms.base import Arm, ArmResult
from evaluation.arms.calling import HeldModel
from evaluation.arms.making import make_arms
from evaluation.arms.prompts import LAST_STEP, LEFT_OUT
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.app.settings import ModelSettings, Settings
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import ChatReply, ChatRequest, ModelError, ModelFailure
from lens_lsp.model.answer import Mode, Status, StopReason
from lens_lsp.model.errors import UsageError

QUESTION = "When was the Analytical Engine designed?"
ANSWER = json.dumps({"answer": "It was designed in 1837 [1].", "short": "1837"})


def step(action: str, **arguments: object) -> str:
    fields = dict.fromkeys(("query", "path", "offset", "answer", "short"))
    return json.dumps({"thought": "so", "action": action} | fields | arguments)


SEARCH = step("search", query="Analytical Engine")
READ = step("read", path="Charles_Babbage", offset=0)
FINISH = step("finish", answer="It was designed in 1837 [1].", short="1837")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, body in BODIES.items():
        (corpus / name).write_text(body)
    return corpus


class _Limited(OracleFactory):
    """A factory with limits of its own."""

    limits: Budget | None = None

    @property
    def budget(self) -> Budget:
        return self.limits or super().budget


def asked(
    name: str, folder: Path, script: Sequence[Scripted], *, context: int = 32_768, limits: Budget | None = None
) -> tuple[ArmResult, list[ChatRequest]]:
    model = ScriptedModel(script, context_tokens=context)
    factory = _Limited(Mode.DEEP, model)
    object.__setattr__(factory, "limits", limits)
    (arm,) = make_arms([name], factory=factory)
    arm.prepare(folder)
    try:
        return arm.search("q", QUESTION, 10), model.requests
    finally:
        arm.close()


def told(request: ChatRequest) -> str:
    return "\n".join(message.text for message in request.messages)


def test_the_agent_searches_reads_and_finishes(folder: Path) -> None:
    result, requests = asked("react", folder, [SEARCH, READ, FINISH])
    assert result.answer is not None
    assert (result.answer.status, result.answer.stopped) == (Status.ANSWERED, StopReason.COVERED)
    assert (result.answer.short, result.answer.text) == ("1837", "It was designed in 1837 [1].")
    assert result.documents[0] == "Charles_Babbage"
    (path, start, end) = result.windows[0]
    assert "in 1837" in (folder / path).read_text()[start:end]
    assert [line for line in result.trace if not line.startswith("observation")] == [
        line
        for action in ("search: Analytical Engine", "read: Charles_Babbage from 0", "finish: 1837")
        for line in ("thought: so", f"action: {action}")
    ]
    assert [line for line in result.trace if line.startswith("observation")] == [
        "observation: [1] Charles_Babbage 17–73",
        "observation: [2] Charles_Babbage 0–72 (the file goes on at offset 72)",
    ]
    assert dict(result.account.calls) == {"observe": 3}
    assert result.account.tokens_in > 0
    first, second, third = map(told, requests)
    assert "designed the Analytical Engine" not in first
    assert "designed the Analytical Engine" in second
    assert second in third


def test_a_tool_that_finds_nothing_says_so_and_the_agent_goes_on(folder: Path) -> None:
    script = [step("search", query="zeppelin"), step("search"), step("read", path="../gold", offset=-3), FINISH]
    result, requests = asked("react", folder, script)
    observations = [request.messages[-1].text for request in requests[1:]]
    assert observations == [
        "No file holds any of these words.",
        "A search needs a query.",
        "There is no file '../gold', or it ends before -3. Use a path that you were shown.",
    ]
    assert (result.windows, result.documents) == ((), ())


def test_a_reply_that_is_no_action_is_answered_once(folder: Path) -> None:
    result, requests = asked("react", folder, ["I would look it up.", SEARCH, FINISH])
    assert "That was not the JSON asked for" in requests[1].messages[-1].text
    assert dict(result.account.calls) == {"observe": 2, "repair": 1}
    assert result.answer is not None
    assert result.answer.status is Status.ANSWERED


def test_the_second_reply_that_is_no_action_ends_the_question_as_the_models_failure(folder: Path) -> None:
    result, requests = asked("react", folder, ["Hm.", SEARCH, step("dance"), FINISH])
    assert result.answer is not None
    assert (result.answer.status, result.answer.stopped) == (Status.UNANSWERED, StopReason.MODEL_FAILED)
    assert len(requests) == 3
    assert "Charles_Babbage" in result.documents
    assert "'dance' is no action" in result.trace[-1]


@pytest.mark.parametrize("calls", [1, 2, 5, 10])
def test_on_the_last_call_the_agent_is_told_to_finish_and_no_further_one_is_made(folder: Path, calls: int) -> None:
    limits = replace(Budget.of(Mode.DEEP), calls=calls)
    result, requests = asked("react", folder, [SEARCH] * 20, limits=limits)
    assert len(requests) == calls
    assert [LAST_STEP in request.messages[-1].text for request in requests] == [False] * (calls - 1) + [True]
    assert result.answer is not None
    assert (result.answer.status, result.answer.stopped) == (Status.UNANSWERED, StopReason.BUDGET_CALLS)
    assert sum(result.account.calls.values()) == calls


@pytest.mark.parametrize("name", ["react", "bm25-rag", "closed-book"])
def test_an_arm_never_spends_more_tokens_than_the_budget(folder: Path, name: str) -> None:
    for most in (1_000, 3_000, 8_000, 20_000):
        limits = replace(Budget.of(Mode.DEEP), tokens=most)
        result, _ = asked(name, folder, [ChatReply(SEARCH, None, 400)] * 20, limits=limits)
        assert result.account.tokens_in + result.account.tokens_out <= most
        if not result.account.calls:
            assert result.answer is not None
            assert result.answer.stopped is StopReason.BUDGET_TOKENS


def test_an_arm_is_stopped_when_the_time_is_over(folder: Path) -> None:
    result, requests = asked("react", folder, [SEARCH] * 5, limits=replace(Budget.of(Mode.DEEP), seconds=0.0))
    assert requests == []
    assert result.answer is not None
    assert result.answer.stopped is StopReason.BUDGET_SECONDS


def test_old_observations_are_left_out_where_the_context_is_small(folder: Path) -> None:
    (folder / "long").write_text("The Analytical Engine is told of here at some length. " * 400)
    reads = [step("read", path="long", offset=2_000 * number) for number in range(6)]
    result, requests = asked("react", folder, [*reads, FINISH], context=4_096)
    assert result.answer is not None
    assert result.answer.status is Status.ANSWERED
    last = told(requests[-1])
    assert LEFT_OUT in last
    assert requests[-1].messages[-1].text != LEFT_OUT


def test_a_passage_that_is_shown_again_keeps_its_number(folder: Path) -> None:
    result, requests = asked("react", folder, [SEARCH, SEARCH, FINISH])
    assert requests[1].messages[-1].text == requests[2].messages[-1].text
    assert [item["n"] for item in result.evidence] == list(range(1, len(result.evidence) + 1))


def test_rag_puts_the_best_passages_into_one_request(folder: Path) -> None:
    result, requests = asked("bm25-rag", folder, [ANSWER])
    assert len(requests) == 1
    assert told(requests[0]).count("<passage ") == len(result.evidence) <= 5
    assert result.documents[0] == "Charles_Babbage"
    assert result.windows == (("Charles_Babbage", 0, len(BODIES["Charles_Babbage"])),)
    for item in result.evidence:
        start, end = item["span"]
        assert (folder / item["path"]).read_text()[start:end] == item["quote"]
    assert dict(result.account.calls) == {"synthesise": 1}


def test_passages_of_one_document_in_a_request_do_not_overlap(folder: Path) -> None:
    (folder / "long").write_text("The Analytical Engine was designed and designed again. " * 60)
    result, _ = asked("bm25-rag", folder, [ANSWER])
    spans = sorted(item["span"] for item in result.evidence if item["path"] == "long")
    assert len(spans) > 1
    assert all(one[1] <= two[0] for one, two in pairwise(spans))


def test_rag_ranks_documents_although_its_model_fails(folder: Path) -> None:
    gone = ModelError("gone", failure=ModelFailure.UNREACHABLE)
    result, _ = asked("bm25-rag", folder, [gone])
    assert result.answer is not None
    assert (result.answer.status, result.answer.stopped) == (Status.UNANSWERED, StopReason.MODEL_FAILED)
    assert result.documents[0] == "Charles_Babbage"
    assert result.account.calls == {}


def test_closed_book_sees_no_document(folder: Path) -> None:
    result, requests = asked("closed-book", folder, [ANSWER])
    assert result.answer is not None
    assert result.answer.short == "1837"
    assert (result.documents, result.windows, result.evidence) == ((), (), ())
    assert not any(word in told(requests[0]) for word in ("Babbage", "passage", str(folder)))


@pytest.mark.parametrize("short", [None, "", "null", "unknown"])
def test_who_does_not_know_has_not_answered(folder: Path, short: str | None) -> None:
    result, _ = asked("closed-book", folder, [json.dumps({"answer": "I cannot say.", "short": short})])
    assert result.answer is not None
    assert (result.answer.status, result.answer.stopped) == (Status.UNANSWERED, StopReason.NOWHERE)
    assert (result.answer.text, result.answer.short) == ("I cannot say.", None)


def test_every_arm_asks_the_model_alike_and_within_the_seconds_of_a_call(folder: Path) -> None:
    requests = []
    for name in ("lens", "react", "bm25-rag", "closed-book"):
        model = ScriptedModel(lambda request: "{}", context_tokens=32_768)
        (arm,) = make_arms([name], factory=OracleFactory(Mode.FAST, HeldModel(model, temperature=0.5, seconds=7.0)))
        _ask_once(arm, folder)
        assert model.requests
        assert model.closed
        requests += model.requests
    assert {request.temperature for request in requests} == {0.5}
    assert max(request.seconds for request in requests) <= 7.0


@pytest.mark.parametrize("name", ["react", "hybrid", "bm25-rag", "closed-book"])
def test_prices_make_a_cost(folder: Path, name: str) -> None:
    said = FINISH if name == "react" else ANSWER
    model = ScriptedModel([ChatReply(said, 1_000_000, 500_000)], context_tokens=32_768)
    settings = Settings(model=ModelSettings(prices=(2.0, 8.0)))
    (arm,) = make_arms([name], factory=OracleFactory(Mode.DEEP, model, settings), embedder=Letters)
    assert _ask_once(arm, folder).account.cost == pytest.approx(6.0)


def test_a_line_of_the_trace_is_one_line_and_not_long(folder: Path) -> None:
    long = json.loads(step("search", query="engine " * 500)) | {"thought": "first\nsecond " * 500}
    result, _ = asked("react", folder, [json.dumps(long), FINISH])
    thought, action, observation, *_ = result.trace
    assert thought.startswith("thought: first second first")
    assert action.startswith("action: search: engine engine")
    assert observation.startswith("observation: [1] ")
    assert all(len(line) <= 420 and "\n" not in line for line in result.trace)


def test_arms_that_answer_need_a_model(folder: Path) -> None:
    for name in ("react", "bm25-rag", "closed-book"):
        for factory in (None, OracleFactory()):
            with pytest.raises(UsageError, match="--mode fast or deep"):
                make_arms([name], factory=factory)


def test_a_chat_arm_must_be_prepared_before_it_searches() -> None:
    for arm in make_arms(["react", "bm25-rag", "closed-book"], factory=OracleFactory(Mode.DEEP, ScriptedModel([]))):
        assert isinstance(arm, ChatArm)
        with pytest.raises(UsageError, match="prepare"):
            arm.search("q", "what?", 10)


@pytest.mark.parametrize("mode", [Mode.FAST, Mode.DEEP])
def test_lens_is_ablated_where_a_model_judges(folder: Path, mode: Mode) -> None:
    plain, without_prior, without_loop = _calls_of_lens(folder, mode)
    assert without_loop < plain
    assert without_prior <= plain


def _calls_of_lens(folder: Path, mode: Mode) -> Iterator[int]:
    """Calls of a model that never finds anything: as it is, without the prior, without the loop."""
    missing = {
        "answerable": "partly",
        "quotes": [],
        "items": [],
        "computation": None,
        "missing": ["the year"],
        "answer": "x",
    }
    plan = {"intent": "lookup", "facts": [{"text": QUESTION, "type": "any", "many": False, "label": "year"}]}
    nothing = {"found": [], "unproven": ["f1"], "terms": ["some time"], "anchors": ["engine"], "combine": "none"}
    reply = json.dumps(missing | plan | nothing | {"expression": None, "document": None, "short": None})
    for number in range(30):
        (folder / f"engine {number}").write_text(f"Engine {number}\n\n" + f"{QUESTION} Nobody knows. " * 40)
    for ablations in ([], ["prior"], ["exploration"]):
        model = ScriptedModel(lambda request: reply, context_tokens=4_096)
        arm = make_arms(["lens"], ablations, factory=OracleFactory(mode, model))[-1]
        yield sum(_ask_once(arm, folder).account.calls.values())


def _ask_once(arm: Arm, folder: Path) -> ArmResult:
    arm.prepare(folder)
    try:
        return arm.search("q", QUESTION, 10)
    finally:
        arm.close()
