"""What an endpoint says it used counts where it can be, else our estimate: in the ledger, the budget and the day."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import MeteredChat, Terms
from lens_lsp.app.question_memory import Memory
from lens_lsp.app.settings import Request
from lens_lsp.judge.cancellation import Stop
from lens_lsp.judge.ledger import Budget, Ledger
from lens_lsp.judge.llm.chat_model import ChatRequest, Message, Role
from lens_lsp.judge.llm.chat_oracle import ChatOracle, budget_for
from lens_lsp.judge.llm.conversation import Conversation, Packet
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.judge.oracle import ObserveRequest
from lens_lsp.memory.store import Store
from lens_lsp.memory.userdata import Meter, Usage
from lens_lsp.model.answer import (
    Account,
    Answer,
    Answered,
    Covered,
    Event,
    EvidenceFound,
    Mode,
    Observed,
    Planned,
    Proposed,
    Sent,
    Status,
    Stopped,
    StopReason,
)
from lens_lsp.model.errors import BudgetSpent, OracleFailed, UsageError
from lens_lsp.model.observation import ObservationReply, Region, counted, tokens
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer
from tests.judge.llm.chat_session import (
    PROOF,
    QUESTION,
    WITHOUT_RULES,
    ask,
    events_of,
    notes,
    oracle_of,
    quoting,
    regions_of,
    scripted,
    stage_of,
)
from tests.judge.llm.traced import replies, traced
from tests.soak.cancelling import HANGS, control, stops
from tests.soak.disclosure import accounted, kept, seen_by_the_harness, until
from tests.soak.failing_endpoint import CONTROL, asks
from tests.soak.failing_endpoint import control as leaky

TODAY = date(2026, 3, 1)
WRONG = [
    None,
    {},
    {"prompt_tokens": 0, "completion_tokens": 0},
    {"prompt_tokens": -5_000, "completion_tokens": -5_000},
    {"prompt_tokens": 1, "completion_tokens": 0},
    {"prompt_tokens": "many", "completion_tokens": True},
    {"prompt_tokens": 2.5},
]


async def asked(folder: Path, usage: object, budget: Budget) -> tuple[Answer, int]:
    """An answer of an endpoint that says so of its usage, and the tokens of all it was sent, by estimate."""
    roots = traced(folder, 3).roots
    async with ChatServer(replies(3), usage=usage) as server:
        model = OpenAIChat(server.base_url, "any", context_tokens=16_384)
        terms = Terms(mode=Mode.DEEP, budget=budget, oracle=oracle_of(model, Mode.DEEP))
        answers = [
            event.answer async for event in Lens(roots).ask(Request(QUESTION), terms) if isinstance(event, Answered)
        ]
        await model.aclose()
        sent = sum(tokens(one["content"]) for request in server.requests for one in request.json["messages"])
    return answers[-1], sent


@pytest.mark.parametrize("usage", WRONG)
def test_usage_that_cannot_be_is_counted_by_our_estimate(tmp_path: Path, usage: object) -> None:
    answer, sent = asyncio.run(asked(tmp_path, usage, Budget.of(Mode.DEEP)))
    assert answer.account.tokens_in >= sent > 500
    assert answer.account.tokens_out > 0


def test_usage_that_can_be_counts_as_reported(tmp_path: Path) -> None:
    answer, sent = asyncio.run(asked(tmp_path, {"prompt_tokens": 9_000, "completion_tokens": 7}, Budget.of(Mode.DEEP)))
    calls = sum(answer.account.calls.values())
    assert answer.account.tokens_in == 9_000 * calls != sent


def test_a_budget_ends_though_the_endpoint_says_that_nothing_was_used(tmp_path: Path) -> None:
    free = {"prompt_tokens": 0, "completion_tokens": 0}
    budget = replace(Budget.of(Mode.DEEP), request_tokens=400, direct_tokens=50)
    whole, used = asyncio.run(asked(tmp_path / "whole", free, budget))
    assert whole.stopped is not StopReason.BUDGET_TOKENS
    answer, sent = asyncio.run(asked(tmp_path / "half", free, replace(budget, tokens=used // 2)))
    assert answer.stopped is StopReason.BUDGET_TOKENS
    assert sent <= used // 2


@pytest.mark.parametrize("usage", WRONG)
@pytest.mark.parametrize("stream", [False, True])
def test_a_days_tokens_are_used_up_whatever_is_reported(tmp_path: Path, usage: object, stream: bool) -> None:
    request = ChatRequest((Message(Role.USER, "word " * 300),), max_tokens=100)

    async def called() -> None:
        async with ChatServer("The answer is 42.", usage=usage) as server:
            model = OpenAIChat(server.base_url, "any")
            chat = MeteredChat(model, Meter(tmp_path / "usage.json", model.endpoint, today=lambda: TODAY), 1_500)
            for _ in range(20):
                if stream:
                    _ = [piece async for piece in chat.stream(request)]
                else:
                    await chat.complete(request)
            await chat.aclose()

    with pytest.raises(UsageError, match="of the 1,500 tokens a day"):
        asyncio.run(called())
    used = Usage.read(tmp_path / "usage.json").on(TODAY)
    assert used.tokens_in >= 500 * used.calls > 0
    assert used.tokens_out >= 5 * used.calls


@pytest.mark.parametrize(
    ("reported", "estimate", "counts"),
    [(None, 90, 90), (0, 90, 90), (-3, 90, 90), (11, 90, 90), (12, 90, 12), (400, 90, 400), (0, 0, 0), (0, 1, 1)],
)
def test_what_counts(reported: int | None, estimate: int, counts: int) -> None:
    assert counted(reported, estimate) == counts


MOST_MS = 1_000
"""The soak command holds 100 ms on a machine that does nothing else."""


def test_whatever_fails_each_ask_ends_in_an_answer_and_a_dead_endpoint_is_left_alone(tmp_path: Path) -> None:
    tally = asyncio.run(asks(notes(tmp_path, more=3), 40, 0))
    assert tally.wrong == []
    assert sum(tally.statuses.values()) == 40
    assert tally.left_alone > 0
    assert tally.recovered > 0


def test_a_model_that_lets_exceptions_through_is_found_out(tmp_path: Path) -> None:
    assert asyncio.run(leaky(notes(tmp_path, more=1))) == CONTROL


def test_a_stopped_question_closes_its_socket_and_keeps_its_evidence(tmp_path: Path) -> None:
    tally = asyncio.run(stops(notes(tmp_path, more=4), 2 * len(HANGS)))
    assert tally.wrong == []
    assert max(tally.milliseconds) < MOST_MS
    assert len(tally.milliseconds) == 2 * len(HANGS)
    assert min(tally.kept) > 0


def test_a_question_that_nobody_stops_keeps_its_socket_open(tmp_path: Path) -> None:
    assert asyncio.run(control(notes(tmp_path, more=2))) == 1


async def first_of(folder: Path, server: ChatServer, mode: Mode) -> list[Event]:
    """The events of a question that is stopped while its first request waits, those before the stop first."""
    stop, model = Stop(), OpenAIChat(server.base_url, "any", context_tokens=32_000)
    seen: list[Event] = []

    async def ask() -> None:
        oracle = oracle_of(model, mode, stop=stop)
        async for event in Lens([folder]).ask(QUESTION, Terms(mode=mode, oracle=oracle)):
            seen.append(event)  # noqa: PERF401  each is looked at as it comes

    asking = asyncio.ensure_future(ask())
    await server.received.wait()
    assert server.open >= 1
    while not seen:
        await asyncio.sleep(0)
    assert isinstance(seen[0], EvidenceFound)
    stop.ask()
    await asking
    await model.aclose()
    return seen


@pytest.mark.parametrize("mode", [Mode.DEEP, Mode.FAST])
def test_first_evidence_does_not_wait_for_the_model(tmp_path: Path, mode: Mode) -> None:
    async def run() -> list[Event]:
        async with ChatServer(fault=Fault.SILENCE) as server:
            return await first_of(notes(tmp_path, more=4), server, mode)

    events = asyncio.run(asyncio.wait_for(run(), 10))
    first = events[0]
    assert isinstance(first, EvidenceFound)
    assert first.early
    assert first.evidence.path == "bridges.md"
    assert isinstance(events[-1], Stopped)
    early = sum(isinstance(event, EvidenceFound) and event.early for event in events)
    assert [type(event) for event in events[:early]] == [EvidenceFound] * early
    assert isinstance(events[early], Planned)


def test_leaving_while_the_model_reads_closes_its_socket(tmp_path: Path) -> None:
    async def run() -> None:
        async with ChatServer(fault=Fault.SILENCE) as server:
            model = OpenAIChat(server.base_url, "any", context_tokens=32_000)
            folder = notes(tmp_path, more=4)

            async def ask() -> None:
                async with aclosing(
                    Lens([folder]).ask(QUESTION, Terms(mode=Mode.FAST, oracle=oracle_of(model, Mode.FAST)))
                ) as events:
                    async for _ in events:
                        pass

            asking = asyncio.ensure_future(ask())
            await server.received.wait()
            assert server.open == 1
            asking.cancel()
            await server.idle()
            await asyncio.gather(asking, return_exceptions=True)
            assert asking.cancelled()
            await model.aclose()

    asyncio.run(asyncio.wait_for(run(), 10))


def test_an_empty_folder_has_no_first_evidence(tmp_path: Path) -> None:
    events = events_of(tmp_path, scripted(endpoint="https://models.example"), Mode.FAST)
    assert not any(isinstance(event, EvidenceFound) for event in events)


BOTH = pytest.mark.parametrize("mode", [Mode.DEEP, Mode.FAST])
REMOTE = "https://models.example"


def observed(regions: Iterable[Region]) -> ObservationReply:
    plan = Plan(QUESTION, (Requirement("f1", QUESTION),), ())
    model = scripted(endpoint=REMOTE)

    async def observe() -> ObservationReply:
        request = ObserveRequest(plan, plan.requirements, tuple(regions))
        return await oracle_of(model, Mode.FAST).observe(request, Ledger(Budget.of(Mode.FAST)))

    return asyncio.run(observe())


def region(number: int, text: str = PROOF, *, private: bool = False, path: str = "a.md") -> Region:
    return Region(number, path, "Bridges", (), None, text, private=private, sources=(Span(0, len(text)),))


def test_the_reply_names_the_regions_that_were_sent_and_those_that_may_not_be() -> None:
    reply = observed([region(1), region(2, private=True), region(3, path=".env"), region(4)])
    assert (reply.shown, reply.withheld) == ({1, 4}, {2, 3})


def test_without_anything_to_send_nothing_was_shown() -> None:
    reply = observed([region(1, private=True)])
    assert (reply.shown, reply.withheld) == (frozenset(), {1})


def test_a_region_that_does_not_fit_leaves_room_for_a_smaller_one() -> None:
    packet = Packet("n0", False, Conversation(), room=200)
    fitting = [packet.region(region(n, text)) is not None for n, text in ((1, "a " * 60), (2, "b " * 400), (3, "c"))]
    assert fitting == [True, False, True]
    assert packet.seen.keys() == {1, 3}
    assert packet.withheld == set()


def told(events: Iterable[Event]) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """The regions that were proposed and those that were judged, by round."""
    proposed: dict[int, set[int]] = {}
    judged: dict[int, set[int]] = {}
    for event in events:
        if isinstance(event, Proposed):
            proposed[event.round] = {item.number for item in event.regions}
        elif isinstance(event, Observed):
            judged[event.round] = {item.region for item in event.judgements}
    return proposed, judged


@BOTH
def test_private_notes_move_no_belief_and_do_not_come_up_again(tmp_path: Path, mode: Mode) -> None:
    for number in range(3):
        text = f"---\nlens: private\n---\n\nThe bridge at Arlen was opened on day {number}.\n"
        (tmp_path / f"diary-{number}.md").write_text(text, "utf-8")
    model = scripted(endpoint=REMOTE)
    events = events_of(tmp_path, model, mode, ablate=WITHOUT_RULES)
    proposed, judged = told(events)
    assert len(proposed[1]) == 3
    assert judged[1] == set()
    assert list(proposed) == [1]
    beliefs = next(event.beliefs for event in events if isinstance(event, Covered))
    assert beliefs[0].nowhere == pytest.approx(0.1)
    assert not any(stage_of(request) in ("observe", "cover", "read") for request in model.requests)


@BOTH
def test_what_private_notes_crowd_out_is_still_read(tmp_path: Path, mode: Mode) -> None:
    folder = notes(tmp_path, more=2)
    for number in range(4):
        text = (
            f"---\nlens: private\n---\n# Bridge at Arlen\n\nThe bridge at Arlen was opened, opened, opened {number}.\n"
        )
        (folder / f"diary-{number}.md").write_text(text, "utf-8")
    answer = ask(folder, scripted(endpoint=REMOTE), mode)
    assert (answer.status, answer.evidence[0].path) == (Status.ANSWERED, "bridges.md")


def test_a_folder_that_only_nearly_fits_one_request_is_read_in_two(tmp_path: Path) -> None:
    for number in range(90):
        (tmp_path / f"{number:02}.md").write_text(f"Note {number} on mills.\n", "utf-8")
    (tmp_path / "z.md").write_text(f"{PROOF}.\n", "utf-8")
    model = scripted({"read": quoting("nothing")}, context_tokens=4_096)
    events = events_of(tmp_path, model, Mode.FAST, budget=budget_for(Mode.FAST, 4_096))
    shown = [set(regions_of(request).values()) for request in model.requests if stage_of(request) == "read"]
    assert len(shown) == 2
    assert not shown[0] & shown[1]
    proposed, judged = told(events)
    assert proposed == judged


def test_a_request_counts_what_stands_around_its_regions(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number:02}.md").write_text(f"# On bridge {number}\n\nThe bridge at Arlen, {number}.\n", "utf-8")
    for context in (4_096, 8_192):
        model = scripted({"read": quoting("nothing")}, context_tokens=context)
        answer = ask(tmp_path, model, Mode.FAST, budget=budget_for(Mode.FAST, context))
        assert not any("did not fit" in warning for warning in answer.warnings)
        assert answer.stopped is not StopReason.MODEL_FAILED


PLAN = Plan("When?", (Requirement("f1", "when"),), ())
REGION = Region(1, "a.md", "A", (), None, "It is so.", root=1, sources=(Span(3, 12),))
LISTED = (Sent("a.md", Span(3, 12), 1),)


async def rest(_: float) -> None:
    return None


async def departed(model: OpenAIChat, seconds: float = 5.0) -> Account:
    """The account of one observation."""
    ledger = Ledger(replace(Budget.of(Mode.FAST), seconds=seconds))
    request = ObserveRequest(PLAN, PLAN.requirements, (REGION,))
    with contextlib.suppress(OracleFailed, BudgetSpent):
        await ChatOracle(model, Mode.FAST, sleep=rest).observe(request, ledger)
    return ledger.account()


def against(fault: Fault | None, seconds: float = 5.0, **told: str) -> Account:
    async def run() -> Account:
        async with ChatServer('{"found": []}', fault, **told) as server:
            return await departed(OpenAIChat(server.base_url, "any"), seconds)

    return asyncio.run(run())


@contextlib.contextmanager
def port_of(*, listening: bool) -> Iterator[int]:
    """A port that refuses, or one whose connections nobody ever takes."""
    with contextlib.ExitStack() as stack:
        taken = stack.enter_context(socket.socket())
        taken.bind(("127.0.0.1", 0))
        if listening:
            taken.listen(0)
            for _ in range(8):  # more than the queue of the kernel takes
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex(taken.getsockname())
        yield taken.getsockname()[1]


@pytest.mark.parametrize("listening", [False, True], ids=["refused", "never-accepted"])
def test_nothing_was_sent_where_no_connection_came_about(listening: bool) -> None:
    with port_of(listening=listening) as port:
        account = asyncio.run(departed(OpenAIChat(f"http://127.0.0.1:{port}", "any"), 0.3))
    assert account.sent == ()


def test_nothing_was_sent_to_a_host_that_does_not_prove_who_it_is() -> None:
    async def run() -> Account:
        async with ChatServer() as server:  # speaks no TLS
            return await departed(OpenAIChat(f"https://127.0.0.1:{server.port}/v1", "any"))

    assert asyncio.run(run()).sent == ()


@pytest.mark.parametrize(
    "fault", [None, Fault.UNAUTHORISED, Fault.BUSY, Fault.RESET, Fault.NO_ANSWER, Fault.CUT_BODY], ids=str
)
def test_what_an_endpoint_read_is_listed_once_whatever_it_answers(fault: Fault | None) -> None:
    account = against(fault, retry_after="0")
    assert account.sent == LISTED


def test_what_was_sent_before_the_time_was_over_is_listed() -> None:
    assert against(Fault.SILENCE, 0.3).sent == LISTED


def test_a_request_that_is_cancelled_is_listed_if_it_had_left() -> None:
    async def run() -> Account:
        async with ChatServer(fault=Fault.SILENCE) as server:
            ledger = Ledger(Budget.of(Mode.FAST))
            request = ObserveRequest(PLAN, PLAN.requirements, (REGION,))
            oracle = ChatOracle(OpenAIChat(server.base_url, "any"), Mode.FAST)
            asking = asyncio.ensure_future(oracle.observe(request, ledger))
            await server.received.wait()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            return ledger.account()

    assert asyncio.run(run()).sent == LISTED


@pytest.mark.parametrize(
    ("fault", "calls"), [(Fault.UNAUTHORISED, 0), (Fault.NOT_FOUND, 0), (Fault.BUSY, 0), (Fault.REFUSAL, 1)], ids=str
)
def test_only_a_request_that_the_endpoint_took_is_a_call(fault: Fault, calls: int) -> None:
    assert sum(against(fault, retry_after="0").calls.values()) == calls


def test_every_word_that_left_is_listed_and_every_span_that_is_listed_left() -> None:
    tally = until(80, accounted)
    assert tally.unlisted == tally.unfound == []
    assert tally.words > 1_000
    assert tally.short_caught == tally.long_caught == tally.controls > 3


def test_no_canary_of_any_sort_leaves() -> None:
    assert until(60, kept).leaked == []


def test_each_sort_of_canary_is_seen_where_it_may_be_read() -> None:
    assert all(seen_by_the_harness(2).values())


CANARIES = ("4 May 1931", "Quillfeather")
TEXT = f"# Bridges of Quillfeather\n\n{PROOF}, says Quillfeather.\n"
QUESTIONS = (QUESTION, "When was the bridge at Arlen opened and by whom?", "Who opened the bridge at Arlen?")


async def bodies(folder: Path, store: Store, mode: Mode, question: str, seed: int) -> str:
    """All that an endpoint which may not see private documents is sent for a question over a folder with a store."""
    async with ChatServer(replies(seed)) as server:
        model = OpenAIChat(server.base_url, "any", context_tokens=16_384)
        oracle = oracle_of(model, mode, private=False)
        terms = Terms(mode=mode, budget=Budget.of(mode), oracle=oracle)
        memory = Memory(store, str(folder))
        _ = [
            event
            async for event in Lens([folder]).ask(Request(question), terms, memory=memory)
            if isinstance(event, Answered)
        ]
        await model.aclose()
        return "\n".join(one["content"] for request in server.requests for one in request.json["messages"])


@pytest.mark.parametrize("mode", [Mode.FAST, Mode.DEEP])
def test_an_endpoint_is_sent_nothing_of_what_was_made_private(tmp_path: Path, mode: Mode) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "other.md").write_text("# Bridges\n\nThe bridge at Arlen has three arches and was opened with music.\n")
    for seed, mark in enumerate(("lens: private", "Lens = Privat", "lens:\n  - private", "private: true")):
        with Store.open(tmp_path / f"store-{seed}") as store:
            (folder / "bridge.md").write_text(TEXT)
            before = "".join(asyncio.run(bodies(folder, store, mode, each, seed)) for each in QUESTIONS)
            assert all(canary in before for canary in CANARIES)
            (folder / "bridge.md").write_text(f"---\n{mark}\n---\n\n{TEXT}")
            after = "".join(asyncio.run(bodies(folder, store, mode, each, seed)) for each in QUESTIONS)
            assert after
            assert [canary for canary in CANARIES if canary in after] == [], mark
