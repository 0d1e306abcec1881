"""Whole questions of a model that reads first: what is shown, what follows from the reply, what the answer says."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.scripted_model import Broken, ScriptedModel
from lens_lsp.app.lens import Lens
from lens_lsp.judge.llm.chat_model import ChatRequest, ModelError, Role
from lens_lsp.judge.llm.chat_prompts import TRAILER
from lens_lsp.judge.oracle import Answerable, ReadReply, SaidQuote
from lens_lsp.model.answer import (
    Admitted,
    Answer,
    AnswerDelta,
    Answered,
    Mode,
    Observed,
    Planned,
    Proposed,
    RequirementStatus,
    Scanned,
    Status,
    StopReason,
)
from lens_lsp.search.read_first import join_replies
from tests.conftest import REPOSITORY
from tests.judge.llm.chat_session import (
    BOUNDS,
    NARROW,
    PROOF,
    QUESTION,
    READ_ANSWER,
    ask,
    asked,
    events_of,
    notes,
    oracle_of,
    quoting,
    reading,
    regions_of,
    scripted,
    stage_of,
    taken,
    total,
)
from tests.judge.llm.independent import live

SPANS = "It spans 210 metres."
WIDE = {"request_tokens": 4_000, "direct_tokens": 4_000}
JUDGED = "*Judged by the built-in reader, without a language model.*"
LEFT_OUT = "the model's reply is left out: "
NOTHING_QUOTED = "it quotes nothing that stands in the passages"
NO = reading("no", missing=["when it was opened"], terms=["carts", "mill"], answer="Nobody knows.")
ARLEN, DORN, ELM = (
    f"The bridge at {name} is {metres} m long" for name, metres in (("Arlen", 210), ("Dorn", 180), ("Elm", 95))
)
DENIED = "The bridge at Arlen was not opened on 4 May 1931 [1]."
_ASKED_TWICE = """
import sys
from pathlib import Path
from lens_lsp.model.answer import Mode
from tests.judge.llm.chat_session import ask, reading, regions_of
from benchmarks.scripted_model import ScriptedModel

def members(request):
    shown = [number for number, text in regions_of(request).items() if "The harbour fee" in text]
    quotes = [(n, next(line for line in regions_of(request)[n].splitlines() if "harbour fee" in line)) for n in shown]
    items = [{"name": str(n), "quote": n} for n in range(1, len(shown) + 1)]
    return reading("partly", quotes, "", items=items, missing=["further ports"], terms=["harbour"])

model = ScriptedModel(members, context_tokens=32_000)
ask(Path(sys.argv[1]), model, Mode.FAST, question="Which harbour fee is due each spring?",
    limits={"request_tokens": 1_500, "direct_tokens": 50})
print("".join(message.text for request in model.requests for message in request.messages))
"""
SUMMARY = "Summarize manual.md"
PARTS = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return notes(tmp_path)


def replied(folder: Path, *replies: Any, **options: Any) -> tuple[Answer, ScriptedModel]:
    """The answer of a reader that says these things in turn."""
    model = scripted({"read": list(replies), **options.pop("stages", {})})
    return ask(folder, model, Mode.FAST, **options), model


def place(request: ChatRequest, words: str = PROOF) -> int:
    """The region that shows some words."""
    return next(number for number, text in regions_of(request).items() if words in text)


def saying(answer: str, *quotes: str, answerable: str = "yes", **more: Any) -> Callable[[ChatRequest], str]:
    """Quotes words where they are shown; what is not shown is said of region 1."""

    def says(request: ChatRequest) -> str:
        shown = regions_of(request)
        places = [(next((n for n, text in shown.items() if words in text), 1), words) for words in quotes]
        return reading(answerable, places, answer, **more)

    return says


def wrong(*faults: tuple[int, str, str]) -> str:
    """What a judge finds wrong with sentences: their numbers, the words, the reason."""
    return json.dumps({"wrong": [dict(zip(("sentence", "words", "reason"), fault, strict=True)) for fault in faults]})


def test_one_call_that_answers_is_all_there_is(folder: Path) -> None:
    answer, model = replied(folder, saying("It was opened on 4 May 1931 [1].", PROOF, short="4 May 1931"))
    assert (answer.status, answer.stopped, answer.short) == (Status.ANSWERED, StopReason.COVERED, "4 May 1931")
    assert answer.account.calls == {"read": 1}
    assert len(model.requests) == 1
    assert [item.path for item in answer.evidence] == ["bridges.md"]


def test_a_further_read_shows_the_quotes_so_far_and_what_is_new_and_no_request_is_made_twice(folder: Path) -> None:
    answer, model = replied(folder, quoting(PROOF, "partial"))
    assert answer.account.calls == {"read": 3}
    shown = [set(regions_of(request).values()) for request in model.requests]
    assert all(any(PROOF in text for text in texts) for texts in shown)
    fresh = [{text for text in texts if PROOF not in text} for texts in shown]
    assert fresh[1]
    assert fresh[2]
    assert not fresh[1] & fresh[2]
    assert len({request.messages[1].text.split("\n", 1)[1] for request in model.requests}) == 3
    assert answer.status is Status.PARTIAL
    assert [need.status for need in answer.requirements] == [RequirementStatus.COVERED, RequirementStatus.MISSING]
    assert answer.text.endswith("No passage states: who opened it.")


def test_what_a_further_read_proves_completes_the_answer(folder: Path) -> None:
    counted = "the carts of mill 0 were counted"
    second = saying("Opened on 4 May 1931 [1], when the carts of mill 0 were counted [2].", PROOF, counted)
    answer, _ = replied(folder, quoting(PROOF, "partial"), second)
    assert (answer.status, answer.account.calls) == (Status.ANSWERED, {"read": 2})
    assert [item.path for item in answer.evidence] == ["bridges.md", "log-00.md"]


def test_a_no_after_a_part_was_proven_leaves_that_part(folder: Path) -> None:
    first = saying("It was opened on 4 May 1931 [1].", PROOF, answerable="partly", missing=["who"], terms=["mill"])
    answer, model = replied(folder, first, NO, NO)
    assert len(model.requests) > 1
    assert answer.text.startswith("It was opened on 4 May 1931 [1].")
    assert answer.status is Status.PARTIAL


def test_nothing_new_to_show_is_no_call(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"{PROOF}.\n", "utf-8")
    answer, model = replied(tmp_path, quoting(PROOF, "partial"))
    assert len(model.requests) == 1
    assert answer.status is Status.PARTIAL


def test_a_no_is_asked_about_once_more_and_then_said(folder: Path) -> None:
    answer, model = replied(folder, NO)
    assert 2 <= len(model.requests) <= 3
    assert (answer.status, answer.stopped, answer.short) == (Status.PARTIAL, StopReason.NOWHERE, None)
    assert "No passage states" in answer.text
    assert "Nobody knows" not in answer.text
    assert all(item.verdict is None for item in answer.evidence)


def test_words_that_stand_nowhere_are_asked_for_once_and_lead_to_one_read(folder: Path) -> None:
    stages = {"widen": '{"terms": ["bridge at Arlen"]}'}
    question = "Quando fu inaugurato il viadotto?"
    answer, model = replied(folder, quoting(PROOF), stages=stages, question=question)
    assert [stage_of(request) for request in model.requests] == ["widen", "read"]
    assert (answer.status, answer.evidence[0].path) == (Status.ANSWERED, "bridges.md")


@pytest.mark.parametrize("terms", ["[]", '["zzzz"]', '"broken', "7"])
def test_other_words_that_lead_nowhere_end_the_search(folder: Path, terms: str) -> None:
    stages = {"widen": f'{{"terms": {terms}}}'}
    answer, model = replied(folder, NO, stages=stages, question="Quando fu inaugurato il viadotto?")
    assert [stage_of(request) for request in model.requests] == ["widen"]
    assert answer.status is not Status.ANSWERED


def test_a_question_for_other_words_holds_no_word_of_a_document(folder: Path) -> None:
    _, model = replied(folder, NO, stages={"widen": '{"terms": []}'}, question="Quando fu inaugurato il viadotto?")
    told = "".join(message.text for message in model.requests[0].messages)
    assert not any(word in told for word in ("Arlen", "1931", "carts", "bridges.md", "log-0"))


_REPLIES = st.sampled_from(
    [
        NO,
        "no reply",
        '{"terms": ["bridge at Arlen"]}',
        quoting(PROOF),
        quoting(PROOF, "partial"),
        quoting("the carts of mill 1", "partial"),
        saying("So [1].", "stands nowhere", terms=["repairs", "counted"]),
        saying("It was opened on 5 May 1931 [1].", PROOF),
        saying("So [7].", PROOF, answerable="partly", missing=["more"], terms=["closed", "mill 3"]),
        ModelError("busy", retryable=True),
        ModelError("gone"),
        Broken('{"answerable": "yes", "quo', ModelError("cut")),
    ]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_REPLIES, min_size=8, max_size=8), st.sampled_from([QUESTION, "Quando fu inaugurato il viadotto?"]))
def test_whatever_is_replied_there_are_at_most_2_and_l_calls(folder: Path, replies: list[Any], question: str) -> None:
    said = iter(replies)
    refused = 0

    def tell(request: ChatRequest) -> Any:
        nonlocal refused
        reply = next(said)
        at_once = stage_of(request) in ("repair", "widen", "amend")  # no stream: nothing came before it broke off
        refused += isinstance(reply, ModelError) or (at_once and isinstance(reply, Broken))
        return reply(request) if callable(reply) else reply

    model = ScriptedModel(tell, context_tokens=32_000)
    answer = ask(folder, model, Mode.FAST, question=question)
    assert len(model.requests) - refused == total(answer) <= BOUNDS[Mode.FAST]
    stages = [stage_of(request) for request in model.requests]
    assert set(stages) <= {"read", "widen", "repair", "amend"}
    assert stages.count("amend") <= 1
    assert answer.text
    asked_twice = [
        request.messages[1].text.split("\n", 1)[1] for request in model.requests if stage_of(request) == "read"
    ]
    assert len(asked_twice) - refused <= len(set(asked_twice))
    if answer.status is Status.ANSWERED:
        assert any(PROOF in item.quote for item in answer.evidence)


def test_a_reply_that_breaks_off_in_its_answer_keeps_its_quotes_and_is_partial(folder: Path) -> None:
    def cut(request: ChatRequest) -> Broken:
        whole = saying("It was opened on 4 May 1931 [1].", PROOF)(request)
        return Broken(whole[: whole.index("1931 [1]")], ModelError("the line was cut; ask again"))

    answer, model = replied(folder, cut)
    assert (answer.status, len(model.requests)) == (Status.PARTIAL, 1)
    assert [item.path for item in answer.evidence] == ["bridges.md"]
    assert PROOF in answer.evidence[0].quote
    assert answer.text.startswith("It was opened on 4 May")
    assert answer.stopped is StopReason.MODEL_FAILED
    assert any("the line was cut" in warning for warning in answer.warnings)


def test_a_reply_that_cannot_be_read_is_asked_for_once_more(folder: Path) -> None:
    stages = {"repair": quoting(PROOF, value="4 May 1931")}
    answer, model = replied(folder, "I found it!", stages=stages)
    assert [stage_of(request) for request in model.requests] == ["read", "repair"]
    assert (answer.status, answer.short) == (Status.ANSWERED, "4 May 1931")
    answer, model = replied(folder, "I found it!", stages={"repair": "There!"})
    assert (answer.stopped, len(model.requests)) == (StopReason.MODEL_FAILED, 2)
    assert answer.evidence


@pytest.mark.parametrize(
    "quote", [PROOF.replace("4 May", "5 May"), "It was opened by the king", PROOF + " by the king"]
)
def test_what_rests_on_words_that_stand_nowhere_is_not_answered(folder: Path, quote: str) -> None:
    answer, _ = replied(folder, saying("It was opened then [1].", quote, short="then"))
    (warning,) = answer.warnings
    nowhere = "nothing that the model quotes stands in what it was shown: the answer is without it"
    assert (answer.rejected_quotes > 0) == (warning == nowhere)
    assert warning == nowhere or NOTHING_QUOTED in warning
    assert_without_a_model(answer, folder, why=None if warning == nowhere else LEFT_OUT + NOTHING_QUOTED)


def test_one_quote_of_two_that_stands_nowhere_leaves_the_other_and_no_promise(folder: Path) -> None:
    answer, _ = replied(
        folder, saying("It was opened on 4 May 1931 [1]. By the king [2].", PROOF, "opened by the king")
    )
    assert answer.status is Status.PARTIAL
    assert answer.rejected_quotes == 1
    assert "[2]" not in answer.text
    assert "[1]" in answer.text


def test_a_region_that_was_not_shown_proves_nothing(folder: Path) -> None:
    answer, _ = replied(folder, lambda _: reading("yes", [(99, PROOF)], "It was opened by the king [1]."))
    assert_without_a_model(answer, folder, why=LEFT_OUT + NOTHING_QUOTED)


def test_markers_are_the_numbers_of_the_evidence_and_others_disappear(folder: Path) -> None:
    (folder / "dam.md").write_text("# Dam\n\nThe dam near the bridge at Arlen was opened in 1950.\n", "utf-8")
    quotes = ("The dam near the bridge at Arlen was opened in 1950", PROOF)
    said = saying("The bridge in 1931 [2, 2][7]. The dam in 1950 [1].", *quotes)
    answer, _ = replied(folder, said)
    assert answer.text == "The bridge in 1931 [1]. The dam in 1950 [2]."
    assert [item.path for item in answer.evidence] == ["bridges.md", "dam.md"]
    assert answer.status is Status.PARTIAL, "[7] is no quote"


def test_a_sentence_that_cites_nothing_is_named_and_no_promise_is_made(folder: Path) -> None:
    answer, _ = replied(folder, saying("It was opened on 4 May 1931 [1]. The king was there that day.", PROOF))
    assert answer.unsupported == ("The king was there that day.",)
    assert answer.status is Status.PARTIAL


def without_a_model(folder: Path, question: str = QUESTION) -> Answer:
    async def asked() -> list[Answer]:
        events = Lens([folder]).ask(question)
        return [event.answer async for event in events if isinstance(event, Answered)]

    (answer,) = asyncio.run(asked())
    return answer


def assert_without_a_model(answer: Answer, folder: Path, question: str = QUESTION, why: str | None = None) -> None:
    """The answer is what it is without a model, but for what was spent on one, and says ``why`` if the model failed."""
    rules = without_a_model(folder, question)
    text = rules.text if why is None else rules.text.replace(JUDGED, f"*The model gave no answer: {why}. {JUDGED[1:]}")
    assert why is None or JUDGED in rules.text
    assert (answer.status, answer.text, answer.short) == (rules.status, text, rules.short)
    assert [(item.path, item.span) for item in answer.evidence] == [(item.path, item.span) for item in rules.evidence]


@pytest.mark.parametrize(
    ("said", "flaw"),
    [
        (reading("yes", [(1, "...")], "yes"), NOTHING_QUOTED),
        (reading("yes", [], "It was opened on 4 May 1931."), NOTHING_QUOTED),
        (saying("", PROOF), "it gives no answer"),
        (saying(QUESTION, PROOF), "its answer repeats what it was asked"),
        (saying("short Markdown in the language of the question", PROOF), "its answer repeats what it was asked"),
        (saying("Penguins swim southwards every winter [1].", PROOF), "nothing of its answer stands in what it quotes"),
        (saying("It was opened [1].", *[PROOF] * 5), "it quotes the same again and again"),
    ],
)
def test_a_reply_that_is_not_fit_is_left_out_and_the_rules_answer(folder: Path, said: Any, flaw: str) -> None:
    answer, model = replied(folder, said)
    assert_without_a_model(answer, folder, why=LEFT_OUT + flaw)
    assert (answer.mode, answer.stopped, len(model.requests)) == (Mode.FAST, StopReason.MODEL_FAILED, 1)
    assert answer.warnings == (f"{LEFT_OUT}{flaw}; `lens doctor --probe` tests whether it can judge",)


def test_the_search_without_a_model_is_told_like_the_one_that_it_replaces(folder: Path) -> None:
    question = "Which is longer, the bridge at Arlen or the bridge at Dorn?"
    (folder / "dorn.md").write_text("# Bridges\n\n## Dorn\n\nThe bridge at Dorn is 90 metres long.\n", "utf-8")
    model = scripted({"read": reading("yes", [(1, "...")], "yes")})
    events = events_of(folder, model, Mode.FAST, question=question)
    plans = [event for event in events if isinstance(event, Planned)]
    again = events.index(plans[1])
    assert [(len(event.plan.requirements), event.mode) for event in plans] == [(1, Mode.FAST), (2, Mode.FAST)]
    for kind in (Scanned, Admitted, Proposed):
        assert all(any(isinstance(event, kind) for event in part) for part in (events[:again], events[again:]))
    assert any(isinstance(event, Observed) for event in events[again:])
    (answer,) = (event.answer for event in events if isinstance(event, Answered))
    assert [need.text for need in answer.requirements] == [one.text for one in plans[1].plan.requirements]
    assert (answer.mode, answer.account.calls) == (Mode.FAST, {"read": 1})


def test_a_quote_of_something_else_that_no_marker_names_is_not_fit(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The ferry to Dorn leaves at noon.\n", "utf-8")
    (tmp_path / "b.md").write_text("Bread is baked on Mondays.\n", "utf-8")
    question = "When does the ferry leave?"
    answer, _ = replied(tmp_path, saying("So it is.", "Bread is baked on Mondays"), question=question, limits=WIDE)
    flaw = "it has nothing to do with the question"
    assert_without_a_model(answer, tmp_path, question, LEFT_OUT + flaw)
    assert flaw in answer.warnings[0]


def test_a_no_that_does_not_say_what_is_missing_is_no_judgement(folder: Path) -> None:
    answer, _ = replied(folder, reading("no"))
    assert without_a_model(folder).status is Status.ANSWERED
    assert_without_a_model(answer, folder)
    answer, _ = replied(folder, reading("no", missing=["when it was opened"]))
    assert answer.status is Status.PARTIAL


@pytest.mark.parametrize("later", [reading("yes", [(1, "...")], "yes"), ModelError("gone")], ids=["not fit", "none"])
def test_what_was_proven_before_stays_when_a_later_reply_is_not_fit(folder: Path, later: Any) -> None:
    answer, model = replied(folder, quoting(PROOF, "partial"), later)
    assert len(model.requests) == 2
    assert answer.text.startswith(READ_ANSWER)
    assert (answer.status, answer.stopped) == (Status.PARTIAL, StopReason.MODEL_FAILED)
    assert "The model gave no answer" not in answer.text


def test_what_an_exact_rule_counts_is_worded_by_the_rules(folder: Path) -> None:
    question = 'How many files mention "bridge at Arlen"?'
    answer, model = replied(folder, "no reply", question=question)
    assert_without_a_model(answer, folder, question)
    assert (model.requests, answer.status) == ([], Status.ANSWERED)


def test_a_small_model_is_asked_for_less(folder: Path) -> None:
    def says(request: ChatRequest) -> str:
        quotes = [{"region": place(request), "quote": PROOF}]
        reply = {"answerable": "yes", "quotes": quotes, "answer": f"{READ_ANSWER} [1].", "short": "4 May 1931"}
        return json.dumps(reply)

    small, large = (ScriptedModel(says, context_tokens=32_000, small=small) for small in (True, False))
    for model in (small, large):
        answer = ask(folder, model, Mode.FAST)
        assert (answer.status, answer.short, answer.text) == (Status.ANSWERED, "4 May 1931", f"{READ_ANSWER} [1].")
    (asked,), (all_asked,) = small.requests, large.requests
    assert asked.schema is not None
    assert set(asked.schema["properties"]) == {"answerable", "quotes", "answer", "short"}
    assert asked.max_tokens < 500 < all_asked.max_tokens
    assert "..." not in asked.messages[-1].text.partition("Question:")[2], "it copies an example"
    instructions = [one.messages[-1].text.partition("Question:")[2] for one in (asked, all_asked)]
    assert 4 * len(instructions[0]) < len(instructions[1])


def lengths(folder: Path) -> Path:
    (folder / "lengths.md").write_text(
        "The bridge at Arlen is 210 m long.\n\nThe bridge at Dorn is 180 m long.\n\nThe bridge at Elm is 95 m long.\n",
        "utf-8",
    )
    return folder


@pytest.mark.parametrize(
    ("expression", "result"),
    [("a - b", "30 m"), ("greatest", "Arlen"), ("least", "Elm"), ("sum(a, b, c)", "485 m"), ("max(a, b)", "210 m")],
)
def test_what_is_computed_is_ours(tmp_path: Path, expression: str, result: str) -> None:
    values = [("a", "Arlen", "210 m", 1), ("b", "Dorn", "180 m", 2), ("c", "Elm", "95 m", 3)]
    said = saying("It is {result} [1][2][3].", ARLEN, DORN, ELM, computed=(expression, values), short="wrong")
    answer, _ = replied(lengths(tmp_path), said, question="How long are the bridges?", limits=WIDE)
    assert answer.status is Status.ANSWERED
    assert answer.text.startswith(f"It is **{result}** [")
    assert answer.short == result
    assert answer.computation is not None
    assert answer.computation.value == result


@pytest.mark.parametrize("value", ["211 m", "10 m", "long", "21"])
def test_a_value_that_is_not_in_its_quote_drops_the_arithmetic_and_keeps_the_facts(tmp_path: Path, value: str) -> None:
    values = [("a", "Arlen", value, 1), ("b", "Dorn", "180 m", 2)]
    said = saying("It is {result} longer [1][2].", ARLEN, DORN, computed=("a - b", values), short="30 m")
    answer, _ = replied(
        lengths(tmp_path), said, question="How much longer is the bridge at Arlen than at Dorn?", limits=WIDE
    )
    assert (answer.status, answer.computation, answer.short) == (Status.PARTIAL, None, None)
    assert "{result}" not in answer.text
    assert "".join(item.quote for item in answer.evidence).count(" m long") >= 2


@pytest.mark.parametrize(
    ("said", "reason", "words"),
    [
        ("It was opened on 5 May 1931 [1].", "date", "5 May"),
        ("It was opened by Quillfeather on 4 May 1931 [1].", "name", "Quillfeather"),
        ("The bridge has 17 arches [1].", "number", "17"),
    ],
)
def test_what_a_citation_does_not_state_is_named_and_no_promise_is_made(
    folder: Path, said: str, reason: str, words: str
) -> None:
    answer, _ = replied(folder, saying(said, PROOF, short=words), stages={"verify": wrong((1, words, reason))})
    assert answer.status is Status.PARTIAL
    assert reason in {doubt.reason for doubt in answer.doubts}
    assert any(words in doubt.words or doubt.words in words for doubt in answer.doubts)
    assert "What is cited does not state" in answer.text
    assert answer.short is None


WRONG = saying("It was opened on 5 May 1931 [1].", PROOF, short="5 May 1931")


def test_what_the_check_finds_wrong_is_set_right_by_one_more_call(folder: Path) -> None:
    right = saying("It was opened on 4 May 1931 [1].", PROOF, short="4 May 1931")
    answer, model = replied(folder, WRONG, stages={"amend": right})
    assert (answer.status, answer.short, answer.doubts) == (Status.ANSWERED, "4 May 1931", ())
    assert answer.account.calls == {"read": 1, "amend": 1}
    told = model.requests[-1].messages
    assert [message.role for message in told] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert "“5 May 1931” (date)" in told[-1].text
    assert "cites: It was opened on 5 May 1931.\n" in told[-1].text  # its [1] is the number of the evidence
    assert '"answerable": "yes"' in told[-2].text


def test_a_quote_that_was_left_out_is_added(folder: Path) -> None:
    cost = "The bridge at Arlen cost 340 crowns."
    (folder / "costs.md").write_text(f"# Costs\n\n{cost}\n", "utf-8")
    said = "It was opened on 4 May 1931 [1] and cost 340 crowns [{n}]."
    first = saying(said.format(n=1), PROOF)
    answer, _ = replied(folder, first, stages={"amend": saying(said.format(n=2), PROOF, cost)})
    assert (answer.status, answer.doubts) == (Status.ANSWERED, ())
    assert [item.path for item in answer.evidence] == ["bridges.md", "costs.md"]


def cut_off(request: ChatRequest) -> str:
    whole = saying("It was opened on 4 May 1931 [1].", PROOF)(request)
    return whole[: whole.index('"answer":')]


@pytest.mark.parametrize(
    "again",
    [
        cut_off,
        "no reply",
        NO,
        WRONG,
        ModelError("gone"),
        saying("It was opened on 6 May 1931 [1], not before 7 June [1].", PROOF),
        saying("It was opened [1].", "stands nowhere"),
    ],
)
def test_an_amended_reply_that_is_no_better_changes_nothing(folder: Path, again: Any) -> None:
    answer, _ = replied(folder, WRONG, stages={"amend": again})
    assert answer.status is Status.PARTIAL
    assert answer.text.startswith("It was opened on 5 May 1931 [1].")
    assert answer.rejected_quotes == 0
    assert not [warning for warning in answer.warnings if "gone" in warning]


def test_without_a_call_to_spare_nothing_is_amended(folder: Path) -> None:
    partly = saying("It was opened in May [1].", PROOF, answerable="partly", missing=["day"], terms=["carts", "mill"])
    replies = [partly, partly, WRONG]
    answer, model = replied(folder, *replies, stages={"amend": WRONG}, limits={**NARROW, "calls": 3})
    assert answer.account.calls == {"read": 3}
    assert (answer.status, len(model.requests)) == (Status.PARTIAL, 3)


def list_of_ports(folder: Path, names: str) -> Path:
    for name in names.split():
        lines = "\n\n".join(f"Paragraph {n} of {name} is about weather, boats and nets." for n in range(40))
        (folder / f"{name}.md").write_text(
            f"# {name}\n\nThe harbour fee at the quay is due each spring.\n\n{lines}\n", "utf-8"
        )
    for number in range(30):
        filler = "\n\n".join(f"Day {day}: fees of harbours were discussed at length." for day in range(20))
        (folder / f"minutes-{number:02}.md").write_text(f"# Minutes {number}\n\n{filler}\n", "utf-8")
    return folder


def test_more_like_the_members_of_a_list_are_looked_for_first(tmp_path: Path) -> None:
    names = "Arlen Dorn Elm Fenn Gort Holm Ivel Jarn Kell Lund"
    list_of_ports(tmp_path, names)
    due = "The harbour fee at the quay is due each spring."
    notes_ = []

    def members(request: ChatRequest) -> str:
        shown = [number for number, text in regions_of(request).items() if due in text]
        notes_.append("these are all" in request.messages[1].text)
        complete = notes_[-1]
        items = [{"name": "ABCDEFGHIJ"[n - 1], "quote": n} for n in range(1, len(shown) + 1)]
        text = "\n".join(f"- The fee is due each spring [{n}]" for n in range(1, len(shown) + 1))
        more = {} if complete else {"missing": ["further ports"], "terms": ["harbour"]}
        return reading("yes" if complete else "partly", [(n, due) for n in shown], text, items=items, **more)

    question = "Which ports have a harbour fee at the quay that is due each spring?"
    answer, _ = replied(tmp_path, members, question=question, limits={"request_tokens": 2_000, "direct_tokens": 50})
    cited = {Path(item.path).stem for item in answer.evidence}
    assert cited == set(names.split())
    assert notes_[0] is False
    assert answer.status is Status.ANSWERED


def test_a_short_answer_needs_no_bound_that_the_question_asks_for(folder: Path) -> None:
    limit = "The maximum duration at Arlen is of 6 months."
    (folder / "limits.md").write_text(f"# Limits\n\n{limit}\n", "utf-8")
    said = saying("The maximum duration is 6 months [1].", limit, short="6 months")
    answer, _ = replied(folder, said, question="What is the maximum duration at Arlen?")
    assert (answer.status, answer.short) == (Status.ANSWERED, "6 months")


def test_what_stands_behind_the_end_of_a_document_is_not_looked_for(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("# Carts\n\n" + "The carts are old.\n\n" * 300 + f"{PROOF}.\n", "utf-8")
    notes(tmp_path)
    answer, _ = replied(tmp_path, quoting(PROOF, "partial"))
    assert answer.status is Status.PARTIAL
    assert answer.evidence


def test_a_short_answer_that_no_quote_states_is_none(folder: Path) -> None:
    said = saying("It was opened on 4 May 1931 [1].", PROOF, short="5 May 1931")
    answer, model = replied(folder, said)
    assert (answer.status, answer.short) == (Status.PARTIAL, None)
    assert "The short answer says “5 May 1931” (date)" in model.requests[-1].messages[-1].text


def test_a_short_answer_that_is_proven_stays_beside_words_in_doubt(folder: Path) -> None:
    said = saying("It was opened by Quillfeather on 4 May 1931 [1].", PROOF, short="4 May 1931")
    answer, _ = replied(folder, said, stages={"verify": wrong((1, "Quillfeather", "name"))})
    assert (answer.status, answer.short) == (Status.PARTIAL, "4 May 1931")


@pytest.mark.parametrize("verdict", ["no reply", '{"wrong": "none"}', '{"wrong": [', ModelError("gone")])
def test_a_negation_that_only_rules_doubt_is_told_and_does_not_decide(folder: Path, verdict: Any) -> None:
    answer, _ = replied(folder, saying(DENIED, PROOF), stages={"verify": verdict})
    assert [(doubt.reason, doubt.decisive) for doubt in answer.doubts] == [("negation", False)]
    assert answer.status is Status.ANSWERED


def test_the_judge_looks_again_at_what_rules_tell_too_little_of(folder: Path) -> None:
    """A control beside it: the same answer with nothing found wrong."""
    stages = {"verify": wrong((1, "was not opened", "negation"))}
    answer, model = replied(folder, saying(DENIED, PROOF, short="no"), stages={**stages, "amend": "?"})
    assert [(doubt.words, doubt.reason) for doubt in answer.doubts] == [("was not opened", "negation")]
    assert (answer.status, answer.account.calls) == (Status.PARTIAL, {"read": 1, "verify": 1, "amend": 1})
    assert "“was not opened” (negation)" in answer.text
    asked_again = next(request for request in model.requests if stage_of(request) == "verify")
    assert any(PROOF in text for text in regions_of(asked_again).values())
    assert "1. [1] The bridge at Arlen was not opened on 4 May 1931." in asked(asked_again)
    content, _ = replied(folder, saying(DENIED, PROOF, short="no"))
    assert (content.status, content.doubts, content.short) == (Status.ANSWERED, (), "no")


def test_no_judge_overrules_what_is_compared_letter_by_letter(folder: Path) -> None:
    answer, _ = replied(folder, saying("It was never opened before 5 May 1931 [1].", PROOF))
    assert answer.account.calls["verify"] == 1
    assert [doubt.reason for doubt in answer.doubts] == ["date"]
    assert answer.status is Status.PARTIAL


def test_what_no_rule_sees_has_no_kind_and_its_words_stand_in_the_sentence(folder: Path) -> None:
    said = saying("All carts may use the bridge at Arlen, opened on 4 May 1931 [1].", PROOF)
    answer, _ = replied(folder, said, stages={"verify": wrong((1, "All ships", "?"), (7, "bridge", "name"))})
    assert [(doubt.words, doubt.reason) for doubt in answer.doubts] == [
        ("All carts may use the bridge at Arlen, opened on 4 May 1931.", "meaning")
    ]
    assert "(meaning)" not in answer.text


def test_what_leads_into_a_list_is_not_looked_at(folder: Path) -> None:
    said = f"It was not open before that day [1]:\n\n- never, since {PROOF} [1]."
    answer, model = replied(folder, saying(said, PROOF))
    (look,) = [asked(request) for request in model.requests if stage_of(request) == "verify"]
    assert "1. [1] never, since" in look
    assert "It was not open" not in look
    assert answer.status is Status.ANSWERED


def test_a_sentence_that_was_set_right_is_looked_at_again(folder: Path) -> None:
    stages = {
        "verify": [wrong((1, "was not opened", "negation")), wrong()],
        "amend": saying(f"{PROOF}, not later [1].", PROOF),
    }
    answer, _ = replied(folder, saying(DENIED, PROOF), stages=stages)
    assert answer.account.calls == {"read": 1, "verify": 2, "amend": 1}
    assert (answer.status, answer.doubts) == (Status.ANSWERED, ())


def test_a_small_model_does_not_judge_itself(folder: Path) -> None:
    model = scripted({"read": saying(DENIED, PROOF)}, small=True)
    answer = ask(folder, model, Mode.FAST, oracle=oracle_of(model, Mode.FAST, flaw=taken))
    assert "verify" not in answer.account.calls


def test_deep_looks_at_its_sentences_too(folder: Path) -> None:
    said = f'{DENIED}\n{TRAILER} {{"short": "4 May 1931", "unmet": []}}'
    model = scripted({"synthesise": said, "verify": wrong((1, "was not opened", "negation"))})
    answer = ask(folder, model, Mode.DEEP)
    assert answer.status is Status.PARTIAL
    assert answer.account.calls["verify"] == 1
    assert answer.text.endswith("*What is cited does not state: “was not opened” (negation).*")
    content = ask(folder, scripted({"synthesise": said}), Mode.DEEP)
    assert (content.status, content.doubts) == (Status.ANSWERED, ())


def computed(folder: Path, text: str, expression: str, values: list[tuple[str, str, str, int]], said: str) -> Answer:
    (folder / "note.md").write_text(text, "utf-8")
    quotes = [line for line in text.splitlines() if line]
    answer, _ = replied(
        folder, saying(said, *quotes, computed=(expression, values)), question=f"What is said here: {text}?"
    )
    return answer


@pytest.mark.parametrize(
    ("text", "expression", "values", "result"),
    [
        ("Anna got 187 and Ben 173 stars.", "a - b", [("a", "Anna", "187", 1), ("b", "Ben", "173 stars", 1)], "14"),
        ("Adding waits 2m0s, installing 5m0s.", "b - a", [("a", "add", "2m0s", 1), ("b", "in", "5m0s", 1)], "180 s"),
        (
            "It is open from the 5th of June until June 19th.",
            "days(a, b)",
            [("a", "from", "5th of June", 1), ("b", "until", "June 19th", 1)],
            "14 days",
        ),
        (
            "From 5 June 2019 to 19 June 2019.",
            "days_between(a, b)",
            [("a", "from", "5 June 2019", 1), ("b", "to", "19 June 2019", 1)],
            "14 days",
        ),
    ],
)
def test_values_are_understood_as_they_are_written(
    tmp_path: Path, text: str, expression: str, values: list[tuple[str, str, str, int]], result: str
) -> None:
    answer = computed(tmp_path, text, expression, values, "It is {result} [1].")
    assert f"**{result}" in answer.text
    assert answer.computation is not None


def test_days_without_a_year_that_may_have_a_leap_day_between_them_are_not_subtracted(tmp_path: Path) -> None:
    values = [("a", "from", "27 February", 1), ("b", "until", "2 March", 1)]
    answer = computed(tmp_path, "Open from 27 February until 2 March.", "days(a, b)", values, "It is {result} [1].")
    assert answer.computation is None
    assert answer.status is Status.PARTIAL


@pytest.mark.parametrize("said", ["It is {result} metres [1].", "It is {result} m [1].", "It is **{result}** m [1]."])
def test_a_unit_that_is_written_behind_the_result_is_not_said_twice(tmp_path: Path, said: str) -> None:
    values = [("a", "Arlen", "210 m", 1), ("b", "Dorn", "180 m", 2)]
    answer, _ = replied(
        lengths(tmp_path),
        saying(said, ARLEN, DORN, computed=("a - b", values)),
        question="How much longer is Arlen than Dorn?",
        limits=WIDE,
    )
    assert "m** m" not in answer.text.replace("metres", "m")
    assert "**30 m**" in answer.text


def test_a_quote_comes_with_the_sentence_that_names_its_subject(tmp_path: Path) -> None:
    (tmp_path / "Pizza Inn.txt").write_text(
        "Pizza Inn\n\nPizza Inn is a chain of restaurants.  Its headquarters are in The Colony.\n", "utf-8"
    )
    answer, _ = replied(
        tmp_path,
        saying("In The Colony [1].", "Its headquarters are in The Colony"),
        question="Where are the headquarters of the restaurants?",
        limits=WIDE,
    )
    assert answer.evidence[0].quote.startswith("Pizza Inn is a chain of restaurants.")


def test_things_are_counted_by_their_names(tmp_path: Path) -> None:
    items = [{"name": name, "quote": n} for name, n in (("Arlen", 1), ("Dorn", 2), ("arlen", 3), ("Elm", 9))]
    said = saying("There are {result} bridges [1][2][3].", ARLEN, DORN, ELM, items=items)
    answer, _ = replied(lengths(tmp_path), said, question="How many bridges are long?", limits=WIDE)
    assert answer.text.startswith("There are **2** bridges")


def test_a_count_that_is_not_that_of_the_names_is_no_answer(tmp_path: Path) -> None:
    items = [{"name": "Arlen", "quote": 1}, {"name": "Dorn", "quote": 2}]
    said = saying("Three bridges are long [1][2].", ARLEN, DORN, items=items, short="3")
    answer, _ = replied(lengths(tmp_path), said, question="How many bridges are long?", limits=WIDE)
    assert (answer.status, answer.short) == (Status.PARTIAL, None)
    assert "2 things are named" in answer.text


def test_a_computed_name_is_text_and_nothing_else(tmp_path: Path) -> None:
    name = "![x](https://evil.example/q) [2]"
    values = [("a", name, "210 m", 1), ("b", "Dorn", "180 m", 2)]
    said = saying("It is {result} [1].", ARLEN, DORN, computed=("greatest", values))
    answer, _ = replied(lengths(tmp_path), said, question="Which bridge is longer?", limits=WIDE)
    assert not live(answer.text)
    assert "//evil" in answer.text


def test_brackets_of_a_document_never_become_markers_or_links(tmp_path: Path) -> None:
    odd = "The bridge at Arlen [1] was opened [see](https://a.example) in 1931"
    (tmp_path / "a.md").write_text(f"{odd}.\n", "utf-8")
    said = saying(f"It says: {odd} [1].", odd, missing=["the day [3] ![x](https://b.example)"], answerable="partly")
    answer, _ = replied(tmp_path, said)
    assert not live(answer.text)
    assert "[3]" not in answer.text.replace("\\[3\\]", "")
    assert [item.path for item in answer.evidence] == ["a.md"]


def deltas(folder: Path, says: Any, **options: Any) -> list[AnswerDelta]:
    model = scripted({"read": says}, piece=options.pop("piece", 3))
    return [event for event in events_of(folder, model, Mode.FAST, **options) if isinstance(event, AnswerDelta)]


def test_the_answer_streams_while_it_is_checked_and_then_stands(folder: Path) -> None:
    said = deltas(folder, saying("It was opened on 4 May 1931 [1].", PROOF))
    *early, last = said
    assert len(early) > 3
    assert all(delta.checking for delta in early)
    assert "".join(delta.text for delta in early) == "It was opened on 4 May 1931."
    assert not any(delta.restart for delta in early)
    assert (last.checking, last.restart, last.text) == (False, True, "It was opened on 4 May 1931 [1].")


@pytest.mark.parametrize("computed", [False, True])
def test_nothing_streams_of_a_no_nor_of_what_is_computed(tmp_path: Path, computed: bool) -> None:
    values = [("a", "Arlen", "210 m", 1), ("b", "Dorn", "180 m", 2)]
    arithmetic = saying("It is {result} [1].", ARLEN, DORN, computed=("a - b", values))
    said = deltas(
        lengths(tmp_path), arithmetic if computed else NO, question="How much longer is Arlen than Dorn?", limits=WIDE
    )
    assert said
    assert not any(delta.checking for delta in said)


def test_words_of_a_second_read_take_back_those_of_the_first(folder: Path) -> None:
    first = saying("Nobody says who [1].", PROOF, answerable="partly", missing=["who"], terms=["carts", "mill"])
    said = deltas(folder, [first, saying("It was opened on 4 May 1931 [1].", PROOF)])
    shown = ""
    for delta in said:
        shown = delta.text if delta.restart else shown + delta.text
    assert shown == "It was opened on 4 May 1931 [1]."
    assert "Nobody says" in "".join(delta.text for delta in said)


def test_words_that_no_quote_proves_are_taken_back(folder: Path) -> None:
    said = deltas(folder, saying("The king opened it [1].", "stands nowhere at all"))
    assert any("king" in delta.text for delta in said)
    at = max(number for number, delta in enumerate(said) if delta.restart)
    assert "king" not in "".join(delta.text for delta in said[at:])


@pytest.mark.parametrize("piece", [1, 2, 7])
def test_what_streams_is_never_a_link(folder: Path, piece: int) -> None:
    answer = "See [it](https://evil.example/a) ![x](https://evil.example/b) <img src=x> https://evil.example/c [1]."
    said = deltas(folder, saying(answer, PROOF), piece=piece)
    streamed = "".join(delta.text for delta in said if delta.checking)
    assert "evil" in streamed
    assert not live(streamed)
    assert "https://evil" not in streamed


def test_a_request_fits_the_context_whatever_stands_in_it(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.md").write_text(
            f"# {number}\n\n" + "The bridge at Arlen was opened again. " * 40, "utf-8"
        )
    model = scripted({"read": NO}, context_tokens=4_096)
    ask(tmp_path, model, Mode.FAST, limits={**NARROW, "request_tokens": 8_000})
    assert model.requests
    assert all(sum(len(m.text) for m in request.messages) // 3 < 4_096 for request in model.requests)


def test_a_list_of_more_than_is_looked_through_is_never_called_whole(tmp_path: Path) -> None:
    due = "The harbour fee at the quay is due each spring."
    for number in range(120):
        (tmp_path / f"port{number}.md").write_text(f"# port{number}\n\n{due}\n", "utf-8")
    for number in range(100):
        filler = "\n\n".join(f"Day {day}: fees of harbours were discussed at length." for day in range(20))
        (tmp_path / f"minutes{number:02}.md").write_text(f"# Minutes {number}\n\n{filler}\n", "utf-8")
    told = []

    def members(request: ChatRequest) -> str:
        shown = [number for number, text in regions_of(request).items() if due in text]
        told.append("these are all" in "".join(message.text for message in request.messages))
        items = [{"name": f"port {'i' * n}", "quote": n} for n in range(1, len(shown) + 1)]
        text = "\n".join(f"- The fee is due each spring [{n}]" for n in range(1, len(shown) + 1))
        more = {} if told[-1] else {"missing": ["further ports"], "terms": ["harbour"]}
        return reading("yes" if told[-1] else "partly", [(n, due) for n in shown], text, items=items, **more)

    question = "Which ports have a harbour fee at the quay that is due each spring?"
    answer, _ = replied(tmp_path, members, question=question, limits=WIDE, stages={"amend": members})
    assert len(answer.evidence) < 120
    assert not any(told)
    assert answer.status is Status.PARTIAL


def test_a_question_that_only_says_overview_is_read_on_in_other_documents(tmp_path: Path) -> None:
    parts = "\n\n".join(f"## Part {n}\n\nThis market overview tells of item {n}." for n in range(30))
    (tmp_path / "overview.md").write_text(f"# Market overview\n\n{parts}\n", "utf-8")
    (tmp_path / "mail.md").write_text("# Mail\n\nThe text on the market was written by Bruno Hatch.\n", "utf-8")
    for number in range(20):
        (tmp_path / f"log{number}.md").write_text(
            f"# Log {number}\n\n{'The carts were counted again. ' * 40}\n", "utf-8"
        )
    proof = "was written by Bruno Hatch"

    def says(request: ChatRequest) -> str:
        shown = regions_of(request)
        here = [number for number, text in shown.items() if proof in text]
        if here:
            return reading("yes", [(here[0], proof)], "Bruno Hatch wrote it [1].", short="Bruno Hatch")
        any_ = next(iter(shown))
        quote = shown[any_].strip().splitlines()[-1]
        return reading("partly", [(any_, quote)], "It tells of items [1].", missing=["who wrote it"], terms=["Hatch"])

    answer, _ = replied(tmp_path, says, question="Who wrote the market overview? Sum it up.", limits=WIDE)
    assert "mail.md" in {item.path for item in answer.evidence}
    assert answer.status is Status.ANSWERED


@pytest.mark.parametrize(
    ("question", "said", "small", "fit"),
    [
        ("Warum hat Acme den Start von Falcon abgesagt?", "Die Nachfrage der Kunden war zu gering [1].", False, True),
        ("Acme 为什么取消了 Falcon 的发布？", "客户需求太低[1]。", False, True),
        ("Warum hat Acme den Start von Falcon abgesagt?", "Die Nachfrage der Kunden war zu gering [1].", True, False),
        ("Why did Acme cancel the launch of Falcon?", "Gulls nest under wooden piers [1].", False, False),
    ],
)
def test_words_are_compared_in_one_language_only(
    tmp_path: Path, question: str, said: str, small: bool, fit: bool
) -> None:
    proof = "Acme did cancel the launch of Falcon because customer demand was low"
    (tmp_path / "note.md").write_text(f"# Falcon\n\n{proof}.\n", "utf-8")
    model = ScriptedModel(saying(said, proof), context_tokens=32_000, small=small)
    answer = ask(tmp_path, model, Mode.FAST, question=question)
    assert (said.partition(" [")[0].partition("[")[0] in answer.text) is fit


def test_the_same_question_makes_the_same_requests_whatever_the_order_of_sets(tmp_path: Path) -> None:
    for number in range(24):
        lines = "\n\n".join(f"Fees, quays, coins and springs of port {number}, part {n}." for n in range(30))
        proof = f"The harbour fee of port {number} at the quay is due each spring and paid in coins."
        (tmp_path / f"port{number}.md").write_text(f"# Port {number}\n\n{proof}\n\n{lines}\n", "utf-8")
    said = set()
    for seed in ("0", "1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(REPOSITORY)}
        command = [sys.executable, "-c", _ASKED_TWICE, str(tmp_path)]
        said.add(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    assert len(said) == 1
    assert next(iter(said)).count("Question:") > 1


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    parts = (
        f"## Part {part}\n\nValve {part} opens at {part} bar. " + f"It was tested in room {part}. " * 24
        for part in range(PARTS)
    )
    (tmp_path / "manual.md").write_text("# Manual\n\n" + "\n\n".join(parts), "utf-8")
    (tmp_path / "other.md").write_text("# Other\n\nValve 99 opens at 99 bar.\n", "utf-8")
    return tmp_path


def quoting_first(request: ChatRequest) -> str:
    """Quotes of each region the sentence that says something, and says it."""
    found = [(n, said[0]) for n, text in regions_of(request).items() if (said := re.search(r"Valve \d+ \w+ at", text))]
    return reading("yes" if found else "no", found, " ".join(f"{said} [{n}]." for n, (_, said) in enumerate(found, 1)))


def summary(archive: Path, tokens: int, says: object = quoting_first) -> tuple[Answer, ScriptedModel]:
    model = scripted({"read": says})
    limits = {"request_tokens": tokens, "direct_tokens": tokens}
    return ask(archive, model, Mode.FAST, question=SUMMARY, limits=limits), model


def test_a_long_document_is_read_in_pieces_to_its_end_and_each_piece_is_cited(archive: Path) -> None:
    answer, model = summary(archive, 1_600)
    assert (answer.status, answer.stopped) == (Status.ANSWERED, StopReason.DIRECT)
    assert answer.account.calls == {"read": 3}
    shown = [text for request in model.requests for text in regions_of(request).values()]
    assert len(shown) == len(set(shown)), "nothing is shown twice"
    for part in range(PARTS):
        assert sum(f"Valve {part} opens" in text for text in shown) == 1
        (number,) = re.findall(rf"Valve {part} opens at \[(\d+)\]", answer.text)
        assert f"Valve {part} opens at {part} bar" in answer.evidence[int(number) - 1].quote
    assert "Not read" not in answer.text


def test_what_all_rounds_cannot_hold_is_named_and_the_answer_is_partial(archive: Path) -> None:
    answer, model = summary(archive, 700)
    assert answer.status is Status.PARTIAL
    assert answer.account.calls == {"read": 3}
    assert re.search(r"\n\nNot read to the end: .*Part 11", answer.text)
    shown = "".join(text for request in model.requests for text in regions_of(request).values())
    assert "It was tested in room 11. " * 20 not in shown


def test_a_piece_that_says_nothing_leaves_what_the_others_said(archive: Path) -> None:
    answer, _ = summary(archive, 1_600, [quoting_first, quoting_first, reading("no", answer="Nothing.")])
    assert (answer.status, answer.account.calls) == (Status.ANSWERED, {"read": 3})
    assert "Nothing." not in answer.text
    assert "Valve 0 opens" in answer.text
    assert f"Valve {PARTS - 1} opens" in answer.text


def test_a_document_that_fits_is_one_call(archive: Path) -> None:
    answer, model = summary(archive, 8_000)
    assert len(model.requests) == 1
    assert SUMMARY in asked(model.requests[0])
    assert answer.status is Status.ANSWERED


def test_the_quotes_of_a_second_piece_are_numbered_on() -> None:
    first = ReadReply(Answerable.PARTLY, (SaidQuote(1, 1, "a"), SaidQuote(4, 2, "b")), answer="A [1]. B [4].")
    second = ReadReply(Answerable.YES, (SaidQuote(1, 1, "c"),), answer="C [1][2].", missing=("x",))
    reply, said = join_replies(first, {}, second, {})
    assert [quote.number for quote in reply.quotes] == [1, 4, 5]
    assert reply.answer == "A [1]. B [4].\n\nC [5][6]."
    assert (reply.answerable, reply.missing, said) == (Answerable.YES, (), {})
