"""Whole questions with a scripted model: what is answered, what it costs, what is said when it goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.scripted_model import Broken, ScriptedModel
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.judge.ledger import Budget, CallStage, Ledger
from lens_lsp.judge.llm.chat_model import ChatReply, ChatRequest, ModelError
from lens_lsp.judge.llm.chat_oracle import DRY_RUN, PreviewOracle, budget_for, stays_here
from lens_lsp.judge.llm.chat_prompts import TRAILER
from lens_lsp.judge.llm.conversation import Preview
from lens_lsp.judge.oracle import Synthesis, SynthesisRequest
from lens_lsp.model.answer import AnswerDelta, Event, EvidenceFound, Mode, RequirementStatus, Status, StopReason
from lens_lsp.model.errors import BudgetSpent, UsageError
from lens_lsp.model.plan import Plan
from tests.judge.llm.chat_session import (
    ANSWER,
    BEGUN,
    BOUNDS,
    JUDGES,
    PLAN,
    PROOF,
    QUESTION,
    ask,
    both,
    contexts_of,
    events_of,
    notes,
    oracle_of,
    quoting,
    regions_of,
    scripted,
    stage_of,
    total,
)

BOTH = pytest.mark.parametrize("mode", [Mode.DEEP, Mode.FAST])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return notes(tmp_path)


@BOTH
def test_a_question_is_answered_with_its_citation(folder: Path, mode: Mode) -> None:
    answer = ask(folder, scripted(), mode)
    assert (answer.status, answer.stopped, answer.short) == (Status.ANSWERED, StopReason.COVERED, "4 May 1931")
    assert answer.text.strip() == "It was opened on 4 May 1931 [1]."
    assert answer.evidence[0].path == "bridges.md"
    assert PROOF in answer.evidence[0].quote
    assert answer.requirements[0].value == "4 May 1931"
    assert answer.warnings == ()


def test_deep_counts_anchors_and_requirements_as_two_calls(folder: Path) -> None:
    model = scripted()
    answer = ask(folder, model, Mode.DEEP)
    assert answer.account.calls == {"analyse": 1, "decompose": 1, "observe": 1, "synthesise": 1}
    assert [stage_of(request) for request in model.requests][:2] == ["anchors", "decompose"]


def test_fast_plans_nothing_and_one_call_answers(folder: Path) -> None:
    model = scripted()
    answer = ask(folder, model, Mode.FAST)
    assert answer.account.calls == {"read": 1}
    assert [stage_of(request) for request in model.requests] == ["read"]


def test_deep_checks_coverage_when_the_likelihood_leaves_a_fact_open(folder: Path) -> None:
    answer = ask(folder, scripted({"observe": quoting(PROOF, "partial")}), Mode.DEEP)
    assert answer.account.calls["cover"] == answer.account.calls["observe"]


def test_a_small_call_budget_joins_the_analysis(folder: Path) -> None:
    answer = ask(folder, scripted(), Mode.DEEP, limits={"calls": 3})
    assert answer.account.calls == {"analyse": 1, "observe": 1, "synthesise": 1}


def test_the_short_answer_of_a_plain_synthesis_is_calibrated(folder: Path) -> None:
    answer = ask(folder, scripted({"synthesise": "It was opened on 4 May 1931 [1]."}), Mode.DEEP)
    assert (answer.short, answer.account.calls["calibrate"]) == ("4 May 1931", 1)


@BOTH
def test_what_is_for_machines_is_never_shown_and_the_text_streams(folder: Path, mode: Mode) -> None:
    deltas = [e.text for e in events_of(folder, scripted(piece=3), mode) if isinstance(e, AnswerDelta)]
    assert len(deltas) > 5
    assert TRAILER[:2] not in "".join(deltas)
    assert '"' not in "".join(deltas)


def test_a_fact_that_is_proven_is_found_also_where_it_cannot_be_combined(folder: Path) -> None:
    facts = [{**PLAN["facts"][0], "text": f"what is {kind} at the bridge at Arlen"} for kind in ("new", "opened")]
    plan = json.dumps({**PLAN, "intent": "comparison", "facts": facts, "combine": "same"})
    proofs = [{"region": 1, "fact": fact, "verdict": "full", "quote": PROOF, "value": None} for fact in ("f1", "f2")]

    def found(request: ChatRequest) -> str:
        place = next(number for number, text in regions_of(request).items() if PROOF in text)
        return json.dumps({"found": [{**proof, "region": place} for proof in proofs], "terms": []})

    answer = ask(folder, scripted({"decompose": plan, "observe": found}), Mode.DEEP)
    assert answer.status is Status.ANSWERED
    assert answer.text.startswith("It was opened on 4 May 1931 [1].")


def test_what_is_missing_is_said_first_in_our_words(folder: Path) -> None:
    nothing = '{"found": [], "terms": []}'
    answer = ask(folder, scripted({"observe": nothing, "synthesise": "The log tells of repairs [1]."}), Mode.DEEP)
    assert answer.status is Status.PARTIAL
    assert answer.text.startswith("Not found: “when the bridge at Arlen was opened”.\n\nThe log")


def test_unmet_facts_send_deep_back_once_and_the_second_answer_takes_the_last_call(folder: Path) -> None:
    again = "In 1931, in May, the bridge at Arlen was opened"
    for number in range(3):  # as telling as the proof, and more than one request holds
        text = f"{again} by the mayor of place {number}. " + "Then they all went home. " * 40
        (folder / f"arlen-{number}.md").write_text(text, "utf-8")
    unmet = f'Nothing says so [1].\n{TRAILER} {{"short": null, "unmet": ["f1"]}}'
    model = scripted({"observe": [quoting("opened"), quoting(again)], "synthesise": [unmet, ANSWER]})
    answer = ask(folder, model, Mode.DEEP)
    assert answer.account.calls["observe"] == 2
    assert answer.account.calls["synthesise"] == answer.account.calls["calibrate"] == 1
    assert answer.text.startswith("It was opened on 4 May 1931 [1].\n")


def test_an_answer_that_fails_a_fact_stands_where_nothing_more_is_found(folder: Path) -> None:
    unmet = f'Nothing says so [1].\n{TRAILER} {{"short": null, "unmet": ["f1"]}}'
    answer = ask(folder, scripted({"synthesise": [unmet, ANSWER]}), Mode.DEEP)
    assert "calibrate" not in answer.account.calls or answer.short is not None
    assert answer.account.calls["synthesise"] == 1
    assert answer.text == "Nothing says so [1].\n"
    assert answer.requirements[0].status is RequirementStatus.MISSING


@BOTH
def test_a_refused_request_is_tried_again_and_is_no_call(folder: Path, mode: Mode) -> None:
    busy = ModelError("busy", retryable=True)
    model = scripted(both([busy, busy, quoting(PROOF, value="4 May 1931")]))
    answer = ask(folder, model, mode)
    assert (answer.status, answer.account.retries, answer.account.calls[JUDGES[mode]]) == (Status.ANSWERED, 2, 1)


def test_a_third_refusal_ends_the_search_and_keeps_what_was_found(folder: Path) -> None:
    busy = ModelError("the endpoint is busy; ask again later", retryable=True)
    answer = ask(folder, scripted({"read": busy}), Mode.FAST)
    assert (answer.stopped, answer.account.retries) == (StopReason.MODEL_FAILED, 2)
    assert "the endpoint is busy; ask again later" in answer.warnings
    assert answer.evidence
    assert answer.text


def test_waits_are_bounded_by_the_time_that_is_left(folder: Path) -> None:
    waits: list[float] = []
    now = [0.0]

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    model = scripted({"read": ModelError("busy", retryable=True, retry_after=4.0)})
    oracle = oracle_of(model, Mode.FAST, sleep=sleep)
    answer = ask(folder, model, Mode.FAST, oracle=oracle, limits={"seconds": 12.0}, clock=lambda: now[0])
    assert waits == [4.0, 4.0]
    assert answer.account.seconds <= 12.0


def test_an_endpoint_that_asks_to_wait_too_long_is_not_waited_for(folder: Path) -> None:
    model = scripted({"read": ModelError("come back in an hour", retryable=True, retry_after=3600.0)})
    answer = ask(folder, model, Mode.FAST)
    assert (answer.stopped, answer.account.retries) == (StopReason.MODEL_FAILED, 0)


@BOTH
def test_a_broken_reply_is_mended_once_and_the_rounds_pay(folder: Path, mode: Mode) -> None:
    model = scripted({**both("I found it!"), "repair": quoting(PROOF, "partial")})
    answer = ask(folder, model, mode)
    assert answer.account.calls["repair"] == 1
    assert answer.account.calls.get("cover", 0) == 0
    assert total(answer) <= BOUNDS[mode]


def test_a_second_broken_reply_is_not_mended(folder: Path) -> None:
    answer = ask(folder, scripted({"read": [quoting(PROOF, "partial"), "broken"], "repair": "worse"}), Mode.FAST)
    assert answer.account.calls == {"read": 2, "repair": 1}
    assert answer.stopped is StopReason.MODEL_FAILED
    assert PROOF in answer.evidence[0].quote


@BOTH
def test_a_model_that_failed_is_not_asked_to_word_the_answer_and_the_failure_is_told_once(
    folder: Path, mode: Mode
) -> None:
    gone = ModelError("the model is gone; start it")
    model = scripted({**both(gone), "synthesise": gone, "calibrate": gone})
    answer = ask(folder, model, mode)
    assert stage_of(model.requests[-1]) == JUDGES[mode]
    assert answer.warnings == ("the model is gone; start it",)
    assert answer.evidence
    assert answer.text


def test_anchors_that_cannot_be_read_cost_nothing_but_themselves(folder: Path) -> None:
    answer = ask(folder, scripted({"anchors": "sure, here you go"}), Mode.DEEP)
    assert answer.status is Status.ANSWERED
    assert "repair" not in answer.account.calls


def test_a_stream_that_breaks_off_is_worded_by_rules_with_the_same_evidence(folder: Path) -> None:
    cut = Broken("It was op", ModelError("the line was cut; ask again"))
    events = events_of(folder, scripted({"synthesise": cut}), Mode.DEEP)
    deltas = [event for event in events if isinstance(event, AnswerDelta)]
    assert any(delta.restart for delta in deltas)
    assert any(isinstance(event, EvidenceFound) and event.final for event in events)


def test_a_fatal_failure_is_told_in_the_models_words(folder: Path) -> None:
    failure = ModelError("the key was not accepted; set LENS_API_KEY")
    answer = ask(folder, scripted({"anchors": failure, "decompose": failure}), Mode.DEEP)
    assert answer.stopped is StopReason.MODEL_FAILED
    assert "the key was not accepted; set LENS_API_KEY" in answer.warnings


def test_reported_usage_counts_and_an_estimate_where_there_is_none(folder: Path) -> None:
    partly = quoting(PROOF, "partial")
    spent = ask(folder, scripted({"read": lambda request: ChatReply(partly(request), 127_000, 5)}), Mode.FAST)
    assert spent.stopped is StopReason.BUDGET_TOKENS
    silent = ask(folder, scripted(), Mode.FAST)
    assert 500 < silent.account.tokens_in < 10_000


def test_negative_usage_gives_nothing_back(folder: Path) -> None:
    lie = ChatReply("", tokens_in=-1_000_000, tokens_out=-1)
    assert (
        ask(
            folder, scripted({"read": lambda request: replace(lie, text=quoting(PROOF)(request))}), Mode.FAST
        ).account.tokens_in
        > 0
    )


def test_a_request_larger_than_the_context_is_never_made(folder: Path) -> None:
    model = scripted(context_tokens=500)
    answer = ask(folder, model, Mode.FAST)
    assert model.requests == []
    assert any("does not fit the model's context" in warning for warning in answer.warnings)


def test_markers_without_evidence_are_taken_out_and_counted(folder: Path) -> None:
    answer = ask(folder, scripted({"synthesise": ANSWER.replace("[1]", "[1][7]")}), Mode.DEEP)
    assert answer.text == "It was opened on 4 May 1931 [1].\n"
    assert any("1 markers" in warning for warning in answer.warnings)


@BOTH
def test_every_word_that_left_lies_in_a_span_of_the_ledger(folder: Path, mode: Mode) -> None:
    model = scripted(both(quoting(PROOF, "partial")))
    answer = ask(folder, model, mode)
    sources = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    listed = [sources[sent.path][sent.span.start : sent.span.end] for sent in answer.account.sent]
    shown = [text for request in model.requests for text in regions_of(request).values()]
    named = [line for request in model.requests for text in contexts_of(request) for line in text.split("\n")]
    assert len(shown) > 3
    assert all(any(text in source for source in listed) for text in shown)
    words = [word for line in named if line not in sources for word in line.split(" > ")]
    assert words or mode is Mode.FAST  # a region that begins with its heading is told by its file alone
    assert all(any(word in source for source in listed) for word in words)
    everything = "\n".join(message.text for request in model.requests for message in request.messages)
    assert all(text.strip("# \n") in everything for text in listed)
    assert len(set(answer.account.sent)) == len(answer.account.sent)


@BOTH
def test_private_notes_never_leave_this_machine(folder: Path, mode: Mode) -> None:
    secret = "The bridge at Arlen was opened in secret by the canary Quillfeather"
    (folder / "diary.md").write_text(f"---\nlens: private\n---\n# Diary of Arlen bridge\n\n{secret}.\n", "utf-8")
    model = scripted(both(quoting(PROOF, "partial")), endpoint="https://models.example")
    answer = ask(folder, model, mode)
    everything = "".join(message.text for request in model.requests for message in request.messages)
    assert "Quillfeather" not in everything
    assert "Diary" not in everything
    assert any("private documents that were not sent to the model: diary.md" in text for text in answer.warnings)
    assert all(sent.path != "diary.md" for sent in answer.account.sent)


@pytest.mark.parametrize("endpoint", [None, "http://127.0.0.1:11434", "http://localhost:1234", "http://[::1]:8080"])
def test_private_notes_may_be_shown_to_a_model_on_this_machine(folder: Path, endpoint: str | None) -> None:
    (folder / "diary.md").write_text(f"---\nlens: private\n---\n\n{PROOF}, says Quillfeather.\n", "utf-8")
    (folder / "bridges.md").unlink()
    model = scripted(endpoint=endpoint)
    answer = ask(folder, model, Mode.FAST)
    assert answer.evidence[0].path == "diary.md"
    assert answer.warnings == ()


@BOTH
def test_secrets_and_hidden_text_never_leave_and_quotes_around_them_hold(folder: Path, mode: Mode) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    (folder / "bridges.md").write_text(
        f"# Bridges\n\nThe bridge at Ar\u200blen was op\U000e0041ened on 4 May 1931. The key is {key} for the gate.\n",
        "utf-8",
    )
    model = scripted(both(quoting(PROOF, value="4 May 1931")))
    answer = ask(folder, model, mode)
    everything = "".join(message.text for request in model.requests for message in request.messages)
    assert key not in everything
    assert "[[SECRET:github:1]]" in everything
    assert "\u200b" not in everything
    assert "\U000e0041" not in everything
    assert answer.status is Status.ANSWERED
    assert "Ar\u200blen was op\U000e0041ened" in answer.evidence[0].quote
    assert any("secrets" in text for text in answer.warnings)
    assert any("hidden characters" in text for text in answer.warnings)


@BOTH
def test_a_quote_that_touches_a_secret_is_rejected(folder: Path, mode: Mode) -> None:
    (folder / "bridges.md").write_text(f"The key to the bridge at Arlen is ghp_{'a1B2' * 9} now.\n", "utf-8")
    model = scripted(both(quoting("bridge at Arlen is [[SECRET:github:1]] now")))
    answer = ask(folder, model, mode)
    assert answer.rejected_quotes > 0
    assert answer.status is not Status.ANSWERED


def test_a_value_that_is_not_in_its_quote_is_dropped(folder: Path) -> None:
    answer = ask(folder, scripted({"observe": quoting(PROOF, value="5 May 1931")}), Mode.DEEP)
    assert answer.requirements[0].value is None


@pytest.mark.parametrize(
    ("sentence", "value", "kept"),
    [
        ("The bridge at Arlen opened in 1931.", "1931", "1931"),
        ("The bridge at Arlen opened in 19310 days.", "1931", None),
        ("Arlenの橋は1931年5月4日に開通した。", "1931年5月4日", "1931年5月4日"),
        ("Arlenの橋は1931年5月14日に開通した。", "4日", None),
        ("Arlen大桥于1931年通车，长210米。", "210米", "210米"),
        ("Arlen大桥耗资十五万元，很贵。", "五万", None),
        ("Arlen 대교는 1931년에 개통했다.", "1931년", "1931년"),
    ],
)
def test_a_value_counts_when_it_stands_whole_in_its_quote_in_any_script(
    folder: Path, sentence: str, value: str, kept: str | None
) -> None:
    (folder / "bridges.md").write_text(f"{sentence}\n", "utf-8")
    said = f'{sentence} [1]\n{TRAILER} {{"short": null, "unmet": []}}'
    answer = ask(folder, scripted({"observe": quoting(sentence, value=value), "synthesise": said}), Mode.DEEP)
    assert answer.status is Status.ANSWERED
    assert answer.requirements[0].value == kept


def test_without_any_evidence_no_call_words_the_answer(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nlens: private\n---\nThe bridge at Arlen was opened once.\n", "utf-8")
    model = scripted(endpoint="https://models.example")
    answer = ask(tmp_path, model, Mode.FAST)
    assert model.requests == []
    assert answer.account.calls == {}
    assert answer.account.sent == ()
    assert answer.status is not Status.ANSWERED


def test_what_the_rules_worded_is_never_sent_to_be_calibrated(folder: Path) -> None:
    (folder / "diary.md").write_text(f"---\nlens: private\n---\n\n{PROOF}, says Quillfeather at Arlen.\n", "utf-8")
    (folder / "bridges.md").unlink()
    model = scripted({"synthesise": ModelError("gone")}, endpoint="https://models.example")
    answer = ask(folder, model, Mode.DEEP)
    assert "Quillfeather" in answer.text
    assert "Quillfeather" not in "".join(message.text for request in model.requests for message in request.messages)
    assert "calibrate" not in answer.account.calls


def test_anchors_and_requirements_are_on_their_way_together() -> None:
    together = asyncio.Barrier(2)

    async def tell(request: ChatRequest) -> str:
        await together.wait()  # each waits for the other
        return '{"anchors": ["mill"]}' if stage_of(request) == "anchors" else json.dumps(PLAN)

    async def analyse() -> Plan:
        async with asyncio.timeout(5):
            return await oracle_of(ScriptedModel(tell), Mode.DEEP).analyse(QUESTION, Ledger(Budget.of(Mode.DEEP)))

    assert [requirement.id for requirement in asyncio.run(analyse()).requirements] == ["f1"]


def test_two_requests_together_stay_within_the_tokens_that_are_left() -> None:
    async def analyse(tokens: int) -> Ledger:
        model = scripted()
        ledger = Ledger(replace(Budget.of(Mode.DEEP), tokens=tokens))
        with contextlib.suppress(BudgetSpent):
            await oracle_of(model, Mode.DEEP).analyse(QUESTION, ledger)
        assert sum(request.max_tokens for request in model.requests) <= tokens
        return ledger

    assert asyncio.run(analyse(1_500)).calls == 1
    assert asyncio.run(analyse(10_000)).calls == 2


@BOTH
def test_leaving_in_the_middle_of_the_answer_closes_the_models_stream(folder: Path, mode: Mode) -> None:
    closed: list[str] = []

    class Endless(ScriptedModel):
        async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
            self.requests.append(request)
            try:
                if stage_of(request) == "read":
                    yield BEGUN
                while True:
                    yield "word by word "
                    await asyncio.sleep(0)
            finally:
                closed.append("closed")

    async def leave() -> None:
        oracle = oracle_of(Endless(scripted()._tell, context_tokens=32_000), mode)
        task = asyncio.ensure_future(_until_delta(Lens([folder]).ask(QUESTION, Terms(mode=mode, oracle=oracle))))
        await task
        for _ in range(50):  # each generator that is left closes the next
            await asyncio.sleep(0)
        assert closed == ["closed"]

    asyncio.run(leave())


async def _until_delta(events: AsyncGenerator[Event]) -> None:
    async with contextlib.aclosing(events):
        async for event in events:
            if isinstance(event, AnswerDelta):
                return


def test_a_stream_without_end_is_cut(folder: Path) -> None:
    endless = " ".join(f"It was so {n} times [1]." for n in range(20_000))
    answer = ask(folder, scripted({"synthesise": endless}, piece=997), Mode.DEEP)
    assert len(answer.text) < 70_000
    assert any("did not end" in warning for warning in answer.warnings)


@BOTH
def test_a_reply_that_says_the_same_again_and_again_is_cut_and_none(folder: Path, mode: Mode) -> None:
    stages = {"synthesise": "It was so [1]. " * 50_000, "read": '{"answerable": "yes", "quotes": [' + 9_000 * '"so", '}
    model = scripted(stages, piece=97)
    answer = ask(folder, model, mode)
    assert answer.stopped is StopReason.MODEL_FAILED
    assert any("again and again" in warning for warning in answer.warnings)
    assert answer.account.tokens_out < 2_000
    assert "It was so" not in answer.text


@pytest.mark.parametrize("context", [4_096, 8_192, 32_768, 200_000])
@BOTH
def test_a_budget_fits_the_models_context(folder: Path, mode: Mode, context: int) -> None:
    budget = budget_for(mode, context)
    assert budget.calls == Budget.of(mode).calls
    model = scripted({"observe": '{"found": []}', "read": quoting("nowhere")}, context_tokens=context)
    answer = ask(folder, model, mode, budget=budget)
    assert answer.stopped is not StopReason.MODEL_FAILED
    assert JUDGES[mode] in answer.account.calls


def test_a_context_too_small_to_read_in_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="too small"):
        budget_for(Mode.FAST, 1_024)


@pytest.mark.parametrize(
    ("endpoint", "here"),
    [
        (None, True),
        ("http://127.0.0.1:11434", True),
        ("http://[::1]:1", True),
        ("https://localhost:8", True),
        ("https://api.example", False),
        ("https://127.0.0.1.example", False),
        ("http://192.168.1.5:11434", False),
        ("nonsense", False),
    ],
)
def test_only_loopback_stays_here(endpoint: str | None, here: bool) -> None:
    assert stays_here(endpoint) is here


def test_unsupported_sentences_are_named(folder: Path) -> None:
    async def worded() -> Synthesis:
        model, result = scripted({"synthesise": f"It is so [1]. Cats like the bridge. {TRAILER} {{}}"}), Synthesis()
        events = [event async for event in Lens([folder]).ask(QUESTION)]
        evidence = tuple(event.evidence for event in events if isinstance(event, EvidenceFound) and event.final)
        request = SynthesisRequest(Plan(QUESTION, (), ()), evidence, ())
        ledger = Ledger(Budget.of(Mode.FAST))
        async for _ in oracle_of(model, Mode.FAST).synthesise(request, result, ledger):
            pass
        return result

    assert asyncio.run(worded()).unsupported == ("Cats like the bridge.",)


@BOTH
@pytest.mark.parametrize("calls", range(11))
def test_wherever_the_calls_end_there_is_an_answer_and_none_over_the_limit(
    folder: Path, mode: Mode, calls: int
) -> None:
    model = scripted({**both(quoting(PROOF, "partial")), "synthesise": "It was so [1]."})
    answer = ask(folder, model, mode, limits={"calls": calls})
    assert total(answer) == len(model.requests) <= min(calls, BOUNDS[mode])
    assert answer.evidence
    assert answer.text


@BOTH
@pytest.mark.parametrize("tokens", range(0, 20_000, 1_500))
def test_wherever_the_tokens_end_there_is_an_answer_and_none_over_the_limit(
    folder: Path, mode: Mode, tokens: int
) -> None:
    answer = ask(folder, scripted(both(quoting(PROOF, "partial"))), mode, limits={"tokens": tokens})
    assert answer.account.tokens_in + answer.account.tokens_out <= tokens
    assert answer.text


@BOTH
def test_a_call_that_takes_the_rest_of_the_time_is_the_end_of_the_budget(folder: Path, mode: Mode) -> None:
    now = [0.0]

    def slow(request: ChatRequest) -> ModelError:
        now[0] += request.seconds
        return ModelError("no complete reply in time")

    answer = ask(folder, scripted(both(slow)), mode, limits={"seconds": 60.0}, clock=lambda: now[0])
    assert answer.stopped is StopReason.BUDGET_SECONDS
    assert answer.account.seconds == 55.0  # the rest is kept for who judges without a model


@pytest.mark.parametrize("mode", [Mode.DEEP, Mode.FAST])
def test_a_dry_run_shows_the_requests_and_sends_none(tmp_path: Path, mode: Mode) -> None:
    folder, model = notes(tmp_path), scripted()
    (folder / "diary.md").write_text("---\nlens: private\n---\nThe bridge at Arlen, says Quillfeather.\n", "utf-8")
    preview = Preview("https://models.example", "scripted")
    chat = oracle_of(scripted(endpoint="https://models.example"), mode)
    answer = ask(folder, model, mode, oracle=PreviewOracle(chat, preview))
    stages = [stage for stage, _ in preview.requests]
    deep = [CallStage.ANALYSE, CallStage.DECOMPOSE, CallStage.OBSERVE]
    assert stages == (deep if mode is Mode.DEEP else [CallStage.READ])
    assert "bridge at Arlen" in preview.requests[-1][1].messages[1].text
    assert "Quillfeather" not in "".join(m.text for _, prompt in preview.requests for m in prompt.messages)
    assert {sent.path for sent in preview.sent} >= {"bridges.md"}
    assert DRY_RUN in answer.warnings
    assert (answer.account.calls, answer.account.sent, model.requests) == ({}, (), [])


def test_many_small_files_are_read_as_far_as_the_context_goes(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"n{number:03}.md").write_text(f"The bridge number {number} at Arlen.\n", "utf-8")
    model = scripted({"read": quoting("nowhere")}, context_tokens=2_600)
    answer = ask(tmp_path, model, Mode.FAST, limits={"request_tokens": 1_500, "direct_tokens": 8_000})
    assert answer.account.calls["read"] == len(model.requests) > 1
    assert all(regions_of(request) for request in model.requests)
    assert any("did not fit the model's context" in warning for warning in answer.warnings)
