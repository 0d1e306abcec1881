"""Who judges: the reader without a model, and a model whose calls are counted one by one."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest

from benchmarks.scripted_model import ScriptedModel
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import MeteredChat, OracleFactory, Terms, local_judge, reader_name, reader_status
from lens_lsp.app.settings import Request, Settings
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import ChatReply, ChatRequest, Message, ModelError, ModelFailure, Role
from lens_lsp.judge.llm.chat_oracle import ChatOracle
from lens_lsp.judge.reader.cross_encoder import Calibration, PassageScore, ReaderModel, ReaderPassage
from lens_lsp.judge.reader.reader_oracle import ReaderOracle
from lens_lsp.judge.rules.offline_oracle import OfflineOracle
from lens_lsp.memory.userdata import Meter, Usage
from lens_lsp.model.answer import Answer, Answered, Mode, Status, StopReason
from lens_lsp.model.errors import UsageError
from tests.judge.reader.tiny_reader import PROOF, write_reader

QUESTION = "What is the kitchen counter of the old house made of?"
COUNT = "How many files mention kitchen?"
OFF = ": no passage is called a proof without it"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "house.md").write_text(f"# House\n\nThe kitchen counter of the old house is made of {PROOF}.\n", "utf-8")
    (folder / "garden.md").write_text("# Garden\n\nThe garden has a pond and a kitchen door.\n", "utf-8")
    return folder


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    pytest.importorskip("onnxruntime", reason="onnxruntime has no package for this machine")
    return write_reader(tmp_path / "reader")


def asked(notes: Path, question: str, settings: Settings = Settings(), **more: Any) -> Answer:
    async def ask() -> Answer:
        async for event in Lens([notes]).ask(question, Terms(settings=settings, **more)):
            if isinstance(event, Answered):
                answer = event.answer
        return answer

    return asyncio.run(ask())


def test_the_reader_of_the_settings_judges_and_says_so(notes: Path, reader: Path) -> None:
    answer = asked(notes, QUESTION, Settings(reader=str(reader)))
    assert (answer.status, answer.short, answer.warnings) == (Status.ANSWERED, PROOF, ())
    assert [evidence.path for evidence in answer.evidence] == ["house.md"]
    assert answer.text.endswith("*Judged by a reader of your own, without a language model.*\n")
    assert answer.doubts == ()


def test_what_is_exact_needs_no_reader(notes: Path, reader: Path) -> None:
    answer = asked(notes, COUNT, Settings(reader=str(reader)))
    assert (answer.status, answer.short) == (Status.ANSWERED, "2")
    assert "*Answered offline by rules;" in answer.text


@pytest.mark.parametrize("lost", ["reader.onnx", "vocab.txt", "reader.json", None])
def test_without_the_reader_words_prove_nothing_and_counts_still_do(notes: Path, tmp_path: Path, lost: str) -> None:
    folder = tmp_path / "lost"
    if lost is not None:
        (write_reader(folder) / lost).write_bytes(b"damaged")
    settings = Settings(reader=str(folder))
    answer = asked(notes, QUESTION, settings)
    assert answer.status is Status.PARTIAL
    assert [warning for warning in answer.warnings if warning.endswith(OFF)] == list(answer.warnings)
    assert len(answer.warnings) == 1
    assert answer.warnings[0].startswith("the reader is off: ")
    assert answer.evidence, "the closest passages are shown"
    counted = asked(notes, COUNT, settings)
    assert (counted.status, counted.short) == (Status.ANSWERED, "2")


def test_without_a_reader_a_passage_is_shown_and_none_is_called_an_answer(notes: Path) -> None:
    answer = asked(notes, QUESTION, Settings(reader="off"))
    assert (answer.status, answer.short, answer.warnings) == (Status.PARTIAL, None, ())
    assert answer.evidence[0].path == "house.md"
    assert answer.text.startswith("No passage states this. Closest passages:")
    assert "*Answered offline by rules;" in answer.text


def test_a_package_without_weights_has_no_reader_to_miss(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lens_lsp.judge.reader.cross_encoder.SHIPPED", tmp_path / "none")
    assert local_judge(Settings()).oracle == OfflineOracle()
    assert (local_judge(Settings()).warning, reader_name(Settings())) == (None, "no reader")
    assert asked(notes, QUESTION).status is Status.PARTIAL


def test_the_shipped_reader_is_the_default(notes: Path, reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lens_lsp.judge.reader.cross_encoder.SHIPPED", reader)
    answer = asked(notes, QUESTION)
    assert answer.text.endswith("*Judged by the built-in reader, without a language model.*\n")
    assert (OracleFactory().of_run().oracle, OracleFactory().model_name) == (None, "the built-in reader")


def test_an_oracle_that_is_passed_is_kept(notes: Path, reader: Path) -> None:
    answer = asked(notes, QUESTION, Settings(reader=str(reader)), oracle=OfflineOracle())
    assert "*Answered offline by rules;" in answer.text


def test_the_reader_judges_after_a_model_failed(notes: Path, reader: Path) -> None:
    failed = ChatOracle(ScriptedModel([]), Mode.FAST)
    answer = asked(notes, QUESTION, Settings(reader=str(reader)), oracle=failed, mode=Mode.FAST)
    assert (answer.status, answer.stopped) == (Status.ANSWERED, StopReason.MODEL_FAILED)
    assert answer.short == PROOF
    last = answer.text.splitlines()[-1]
    assert last.startswith("*The model gave no answer: ")
    assert last.endswith(" Judged by a reader of your own, without a language model.*")
    missing = asked(notes, QUESTION, Settings(reader=str(reader / "none")), oracle=failed, mode=Mode.FAST)
    assert missing.status is Status.PARTIAL
    assert sum(warning.endswith(OFF) for warning in missing.warnings) == 1


@pytest.mark.parametrize("mode", [Mode.FAST, Mode.DEEP])
@pytest.mark.parametrize("limits", [{}, {"calls": 0}, {"tokens": 10}])
def test_what_is_proven_without_a_model_stands_when_it_fails(
    notes: Path, reader: Path, mode: Mode, limits: dict[str, int]
) -> None:
    settings = Settings(reader=str(reader))
    failed = ChatOracle(ScriptedModel([]), mode)
    budget = replace(Budget.of(mode), **limits)
    for question in (QUESTION, "What colour is the dog of the miller?"):
        offline = asked(notes, question, settings)
        answer = asked(notes, question, settings, oracle=failed, mode=mode, budget=budget)
        assert answer.status is offline.status
        assert [item.quote for item in answer.evidence] == [item.quote for item in offline.evidence]
        assert "The model gave no answer: " in answer.text


def test_long_questions_and_passages_are_answered_in_time(notes: Path, reader: Path) -> None:
    (notes / "long.md").write_text("kitchen counter house " * 240_000 + "\n", "utf-8")
    began = time.perf_counter()
    for question in (QUESTION, f"{QUESTION} " + "word " * 4_000):
        assert asked(notes, question, Settings(reader=str(reader))).evidence
    assert time.perf_counter() - began < 60


def test_doctors_line_says_where_how_large_and_how_fast_or_what_helps(reader: Path) -> None:
    line = reader_status(Settings(reader=str(reader)))
    assert line.startswith(f"on: {reader}, 0.0 MB, loaded in ")
    assert line.endswith(" ms")
    assert reader_status(Settings(reader=str(reader / "x"))) == (
        f"off: there is no reader.onnx in {reader / 'x'}; correct `reader` in your settings, or set it to off"
    )
    assert reader_status(Settings(reader="off")).startswith("off: `reader` says so")


class _Slow:
    """A reader whose batches take 50 ms and that never ends by itself."""

    calibration = Calibration()

    def __init__(self) -> None:
        self.reading, self.ended = threading.Event(), threading.Event()
        self.thread: threading.Thread | None = None

    def read(self, question: str, passages: Sequence[ReaderPassage], stop: Callable[[], None]) -> list[PassageScore]:
        self.thread = threading.current_thread()
        self.reading.set()
        try:
            while True:
                stop()
                time.sleep(0.05)
        finally:
            self.ended.set()


def test_a_cancelled_question_ends_and_the_loop_stays_free(notes: Path) -> None:
    slow, cancelled = _Slow(), threading.Event()

    async def ask() -> tuple[Answer, float, int]:
        ticks, since = 0, 0.0

        async def tick() -> None:
            nonlocal ticks, since
            while True:
                await asyncio.sleep(0.01)
                if slow.reading.is_set():
                    ticks += 1
                if ticks == 20 and not cancelled.is_set():
                    since = time.perf_counter()
                    cancelled.set()

        ticking = asyncio.ensure_future(tick())
        oracle = ReaderOracle(cast(ReaderModel, slow), cancelled=cancelled.is_set)
        terms = Terms(oracle=oracle)
        async for event in Lens([notes]).ask(Request(QUESTION), terms, cancelled=cancelled.is_set):
            if isinstance(event, Answered):
                answer = event.answer
        took = time.perf_counter() - since
        ticking.cancel()
        return answer, took, ticks

    answer, took, ticks = asyncio.run(ask())
    assert answer.stopped is StopReason.CANCELLED
    assert took < 0.5
    assert ticks >= 20, "the loop went on while the reader read"
    assert slow.thread is not threading.main_thread()


def test_a_question_that_nobody_waits_for_any_more_reads_no_further(notes: Path) -> None:
    slow = _Slow()

    async def ask() -> None:
        terms = Terms(oracle=ReaderOracle(cast(ReaderModel, slow)))
        async with aclosing(Lens([notes]).ask(QUESTION, terms)) as events:
            async for _ in events:
                pass

    async def leave() -> None:
        asking = asyncio.ensure_future(ask())
        while not slow.reading.is_set():
            await asyncio.sleep(0.01)
        asking.cancel()
        began = time.perf_counter()
        await asyncio.gather(asking, return_exceptions=True)
        await asyncio.to_thread(slow.ended.wait, 5)
        assert time.perf_counter() - began < 0.5

    asyncio.run(leave())
    assert slow.ended.is_set()


TODAY = date(2026, 3, 1)
REQUEST = ChatRequest((Message(Role.USER, "a" * 300),), max_tokens=100)
"""104 tokens by estimate, and 100 of the reply at most."""


class Model:
    """Replies when it is let; what it says costs what it says it cost."""

    name, endpoint, context_tokens = "any", "https://models.invalid", 8_000

    def __init__(self, reply: ChatReply | ModelError) -> None:
        self.reply = reply
        self.may = asyncio.Event()
        self.may.set()

    async def complete(self, request: ChatRequest) -> ChatReply:
        await self.may.wait()
        if isinstance(self.reply, ModelError):
            raise self.reply
        return self.reply

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply]:
        yield "abc"
        yield "def"
        yield await self.complete(request)

    async def aclose(self) -> None:
        """Nothing is open."""


def metered(model: Model, folder: Path, daily: int | None) -> MeteredChat:
    return MeteredChat(model, Meter(folder / "usage.json", model.endpoint, today=lambda: TODAY), daily)


def spent(folder: Path) -> tuple[int, int, int]:
    used = Usage.read(folder / "usage.json").on(TODAY)
    return used.calls, used.tokens_in, used.tokens_out


def test_a_call_under_way_counts_as_what_it_may_cost(tmp_path: Path) -> None:
    asyncio.run(_two_at_once(tmp_path))


async def _two_at_once(tmp_path: Path) -> None:
    model = Model(ChatReply("x", 20, 5))
    model.may.clear()
    chat = metered(model, tmp_path, 400)
    first = asyncio.ensure_future(chat.complete(REQUEST))
    await asyncio.sleep(0)
    with pytest.raises(UsageError, match="196 are left, and the next call may take 204"):
        await chat.complete(REQUEST)
    model.may.set()
    await first
    await chat.complete(REQUEST)
    assert spent(tmp_path) == (2, 40, 10)


def test_a_silent_endpoint_costs_the_estimate_and_a_call_that_was_refused_nothing(tmp_path: Path) -> None:
    asyncio.run(_silent_and_refused(tmp_path))


async def _silent_and_refused(tmp_path: Path) -> None:
    chat = metered(Model(ChatReply("abcdef")), tmp_path, None)
    assert [piece async for piece in chat.stream(REQUEST)][:2] == ["abc", "def"]
    assert spent(tmp_path) == (1, 104, 2)
    refused = metered(Model(ModelError("busy", failure=ModelFailure.BUSY)), tmp_path, None)
    broken = metered(Model(ModelError("cut", failure=ModelFailure.CUT_OFF)), tmp_path, None)
    for chat in (refused, broken):
        with pytest.raises(ModelError):
            await chat.complete(REQUEST)
    assert spent(tmp_path) == (2, 208, 2)
