"""The client: what it sends, what it makes of good replies, and what it never does."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from lens_lsp.judge.llm.chat_model import (
    CALL_SECONDS,
    REMOTE_CONTEXT,
    CallTimeouts,
    ChatModel,
    ChatReply,
    ChatRequest,
    Message,
    ModelError,
    ModelFailure,
    Role,
)
from lens_lsp.judge.llm.endpoint import Endpoint
from lens_lsp.judge.llm.openai_client import (
    LOCAL_CONTEXT,
    MOST_FAILURES,
    OPEN_SECONDS,
    CircuitBreaker,
    EventStream,
    OpenAIChat,
    ServerCapabilities,
)
from lens_lsp.model.errors import UsageError
from tests.judge.llm.attempts import KEY, asking, whole
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.judge.llm.chat_wire import Received, delta

REPOSITORY = Path(__file__).resolve().parents[2]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
T = TypeVar("T")


def with_server(server: ChatServer, use: Callable[[ChatServer, OpenAIChat], Awaitable[T]]) -> T:
    async def run() -> T:
        async with server:
            return await use(server, OpenAIChat(server.base_url, "any", KEY))

    return asyncio.run(run())


def in_json(text: str = "How many?") -> ChatRequest:
    return ChatRequest((Message(Role.USER, text),), max_tokens=50, seconds=5, schema=SCHEMA)


def asked(server: ChatServer, request: ChatRequest, *, stream: bool = False, times: int = 1) -> list[dict[str, Any]]:
    """The bodies the server got when a request was made again as long as that may help."""

    async def use(server: ChatServer, model: OpenAIChat) -> list[dict[str, Any]]:
        for _ in range(times):
            for _ in range(3):
                try:
                    await whole(model, request, stream=stream)
                    break
                except ModelError as error:
                    if not error.retryable:
                        raise
        return [received.json for received in server.requests]

    return with_server(server, use)


def test_it_is_a_chat_model() -> None:
    model: ChatModel = OpenAIChat("http://localhost:11434", "any")
    assert (model.name, model.endpoint, model.context_tokens) == ("any", "http://localhost:11434", LOCAL_CONTEXT)
    assert OpenAIChat("https://models.example/v1", "any").context_tokens == REMOTE_CONTEXT
    assert OpenAIChat("https://models.example/v1", "any", context_tokens=777).context_tokens == 777


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_reply_comes_with_its_usage(stream: bool) -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> ChatReply:
        return await whole(model, asking(), stream=stream)

    reply = with_server(ChatServer("Grüße 🙂, twice."), use)
    assert reply == ChatReply("Grüße 🙂, twice.", tokens_in=11, tokens_out=5, complete=True)


def test_a_stream_hands_on_each_piece_as_it_comes() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> list[str | ChatReply]:
        async with aclosing(model.stream(asking())) as parts:
            seen = [await anext(parts)]
            await server.paused.wait()  # the rest is not even sent yet
            server.go_on.set()
            return seen + [part async for part in parts]

    seen = with_server(ChatServer("Hello world", pause_after=1), use)
    assert seen == ["Hello", " worl", "d", ChatReply("Hello world", 11, 5)]


def test_the_request_carries_what_is_needed_and_nothing_about_this_machine() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> Received:
        await model.complete(asking(text="What is it?"))
        return server.requests[0]

    received = with_server(ChatServer(), use)
    assert (received.method, received.path) == ("POST", "/v1/chat/completions")
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.headers["accept-encoding"] == "identity"
    known = {"host", "accept", "accept-encoding", "content-type", "content-length", "user-agent", "authorization"}
    assert set(received.headers) == known
    assert received.json == {
        "model": "any",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is it?"}],
        "max_tokens": 100,
        "temperature": 0.0,
    }


def test_without_a_key_none_is_sent() -> None:
    async def run() -> Received:
        async with ChatServer() as server:
            await OpenAIChat(server.base_url, "any").complete(asking())
            return server.requests[0]

    assert "authorization" not in asyncio.run(run()).headers


def test_one_model_serves_many_calls_at_a_time() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> list[ChatReply]:
        calls = [whole(model, asking(text=f"{n}"), stream=n % 2 == 0) for n in range(12)]
        return await asyncio.gather(*calls)

    replies = with_server(ChatServer(lambda body: f"echo {body['messages'][-1]['content']}"), use)
    assert [reply.text for reply in replies] == [f"echo {n}" for n in range(12)]


def test_a_model_lives_through_several_event_loops() -> None:
    with in_thread(ChatServer("Again.")) as server:
        model = OpenAIChat(server.base_url, "any")
        texts = [asyncio.run(whole(model, asking(), stream=stream)).text for stream in (False, True, False)]
        asyncio.run(model.aclose())
        texts.append(asyncio.run(model.complete(asking())).text)
    assert texts == ["Again."] * 4


def test_a_schema_is_sent_where_it_is_taken() -> None:
    (body,) = asked(ChatServer('{"n": 1}'), in_json())
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["messages"][0]["content"] == "How many?"


def test_a_server_without_schemas_is_asked_for_an_object_and_then_in_words_each_once() -> None:
    server = ChatServer('{"n": 1}', refuses=frozenset({"json_schema", "json_object"}))
    bodies = asked(server, in_json(), times=3)
    kinds = [body.get("response_format", {}).get("type") for body in bodies]
    assert kinds == ["json_schema", "json_object", None, None, None]
    assert json.dumps(SCHEMA, separators=(",", ":")) in bodies[-1]["messages"][0]["content"]
    assert bodies[-1]["messages"][0]["content"].startswith("How many?\n")


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("field", ["temperature", "max_tokens", "stream_options"])
def test_a_field_that_is_refused_is_left_out_from_then_on(field: str, stream: bool) -> None:
    bodies = asked(ChatServer(refuses=frozenset({field})), asking(), stream=stream, times=2)
    refused = [field in body for body in bodies]
    sent = stream or field != "stream_options"
    assert refused == ([True, False, False] if sent else [False, False])
    if field == "max_tokens":
        assert bodies[-1]["max_completion_tokens"] == 100


def test_a_refused_detail_is_one_retry_that_the_caller_counts() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> tuple[ModelError, int]:
        with pytest.raises(ModelError) as caught:
            await model.complete(in_json())
        return caught.value, len(server.requests)

    error, requests = with_server(ChatServer(refuses=frozenset({"json_schema"})), use)
    assert (error.retryable, error.failure, requests) == (True, ModelFailure.REJECTED, 1)
    assert not error.accepted


def test_calls_refused_at_the_same_time_learn_the_same_thing_once() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> str:
        calls = [model.complete(in_json()) for _ in range(4)]
        results = await asyncio.gather(*calls, return_exceptions=True)
        # A call that begins when another has learned it already asks in the other shape, and is not refused.
        refused = [result for result in results if not isinstance(result, ChatReply)]
        assert refused
        assert all(isinstance(error, ModelError) and error.retryable and error.retry_after == 0 for error in refused)
        await model.complete(in_json())
        return str(server.requests[-1].json["response_format"]["type"])

    assert with_server(ChatServer(refuses=frozenset({"json_schema"})), use) == "json_object"


@pytest.mark.parametrize(
    ("failure", "accepted"),
    [(ModelFailure.BUSY, False), (ModelFailure.UNAUTHORISED, False), (ModelFailure.DEADLINE, True)],
)
def test_a_failure_says_whether_it_was_a_call(failure: ModelFailure, accepted: bool) -> None:
    assert ModelError("x", failure=failure).accepted is accepted


def test_openai_itself_gets_the_name_it_gave_the_limit() -> None:
    for host, limit in (("api.openai.com", "max_completion_tokens"), ("models.example", "max_tokens")):
        habits = ServerCapabilities.at_first(Endpoint.of(f"https://{host}/v1"))
        assert limit in habits.body(asking(), "any", stream=False)


def test_a_reply_at_its_limit_is_marked_incomplete() -> None:
    async def run(finish: str) -> ChatReply:
        choice = {"message": {"content": "Half a"}, "finish_reason": finish}
        async with ChatServer(routes={"/v1/chat/completions": {"choices": [choice]}}) as server:
            return await OpenAIChat(server.base_url, "any").complete(asking())

    assert asyncio.run(run("length")) == ChatReply("Half a", complete=False)
    assert asyncio.run(run("eos")).complete


def test_a_server_that_does_not_stream_is_read_whole() -> None:
    async def run() -> list[str | ChatReply]:
        choice = {"message": {"content": "All at once."}, "finish_reason": "stop"}
        async with ChatServer(routes={"/v1/chat/completions": {"choices": [choice]}}) as server:
            return [part async for part in OpenAIChat(server.base_url, "any").stream(asking())]

    assert asyncio.run(run()) == ["All at once.", ChatReply("All at once.")]


def test_the_end_mark_may_be_missing_when_the_finish_was_told() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> ChatReply:
        return await whole(model, asking(), stream=True)

    assert with_server(ChatServer("Done.", done=False), use).text == "Done."


@pytest.mark.long
def test_a_server_that_holds_the_line_after_the_last_word_costs_a_second_and_not_the_deadline() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> tuple[ChatReply, float]:
        started = time.monotonic()
        reply = await whole(model, asking(30), stream=True)
        await server.idle()
        return reply, time.monotonic() - started

    reply, seconds = with_server(ChatServer("Done.", hang_after_finish=True), use)
    assert reply.text == "Done."
    assert 0.5 < seconds < 5


@pytest.mark.long
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_cancelling_closes_the_connection_within_100_ms(stream: bool) -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> float:
        task = asyncio.create_task(whole(model, asking(60), stream=stream))
        await server.received.wait()
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.idle(), 5)
        return time.monotonic() - started

    assert with_server(ChatServer(fault=Fault.SILENCE), use) < 0.1


async def read(parts: AsyncIterator[str | ChatReply], into: list[str | ChatReply]) -> None:
    async for part in parts:
        into.append(part)  # noqa: PERF401  what came stays when it is cancelled


@pytest.mark.long
def test_cancelling_amid_a_stream_closes_the_connection_and_keeps_what_came() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> tuple[float, list[str | ChatReply]]:
        seen: list[str | ChatReply] = []
        task = asyncio.create_task(read(model.stream(asking(60)), seen))
        await server.paused.wait()
        while len(seen) < 2:
            await asyncio.wait({task}, timeout=0.01)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.idle(), 5)
        return time.monotonic() - started, seen

    seconds, seen = with_server(ChatServer("Hello world", pause_after=2), use)
    assert seconds < 0.1
    assert seen == ["Hello", " worl"]


def test_leaving_a_stream_early_closes_the_connection() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> str | ChatReply:
        async with aclosing(model.stream(asking(60))) as parts:
            first = await anext(parts)
        await asyncio.wait_for(server.idle(), 1)
        return first

    assert with_server(ChatServer("Hello world", pause_after=1), use) == "Hello"


def test_a_slow_reader_is_never_interrupted_but_time_goes_on() -> None:
    async def use(server: ChatServer, model: OpenAIChat) -> tuple[list[str | ChatReply], ModelError]:
        seen: list[str | ChatReply] = []

        async def read_slowly() -> None:
            async for part in model.stream(asking(0.2)):
                seen.append(part)  # and be busy beyond the deadline, as a terminal may be
                await asyncio.wait({asyncio.create_task(server.go_on.wait())}, timeout=0.4)

        with pytest.raises(ModelError) as caught:
            await read_slowly()
        return seen, caught.value

    seen, error = with_server(ChatServer("Hello world", pause_after=1), use)
    assert seen == ["Hello"]
    assert error.failure is ModelFailure.DEADLINE


@pytest.mark.parametrize("key", ["with space", "line\nbreak", "café", "\x00", "a" * 5_000])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UsageError) as caught:
        OpenAIChat("https://models.example/v1", "any", key)
    assert key not in str(caught.value)


def test_the_key_shows_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def use(server: ChatServer, model: OpenAIChat) -> str:
        shown = [repr(model), str(model), repr(vars(model))]
        await model.complete(asking())
        shown += [repr(vars(model)), repr(vars(model._made))]
        server.fault = Fault.UNAUTHORISED
        try:
            await model.complete(asking())
        except ModelError as error:
            shown += traceback.format_exception(error)
        return "\n".join(shown)

    shown = with_server(ChatServer(), use)
    assert "HTTP 401" in shown
    assert KEY[:8] not in shown
    assert KEY[:8] not in caplog.text


# What a process does that has everything set that leads elsewhere: every connection and every program it starts.
WATCHED = """
import asyncio, json, sys
done = []
def hook(event, args):
    if event == "socket.connect":
        done.append(["connect", list(args[1])[:2]])
    elif event in ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork"):
        done.append(["program", str(args[0])])
    elif event == "socket.getaddrinfo":
        done.append(["resolve", str(args[0])])
sys.addaudithook(hook)
from lens_lsp.judge.llm.chat_model import ChatRequest, Message, Role
from lens_lsp.judge.llm.openai_client import OpenAIChat
model = OpenAIChat(sys.argv[1], "any", "sk-own")
reply = asyncio.run(model.complete(ChatRequest((Message(Role.USER, "x"),), 5, seconds=20)))
print(json.dumps({"text": reply.text, "done": done}))
"""


def test_neither_environment_nor_proxy_nor_program_has_a_part_in_a_call() -> None:
    with in_thread(ChatServer("Here.")) as server, in_thread(ChatServer("There.")) as canary:
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
        environment = {
            **dict.fromkeys(names, canary.origin),
            "OPENAI_BASE_URL": canary.base_url,
            "OPENAI_API_KEY": "sk-foreign",
            "OPENAI_ADMIN_KEY": "sk-foreign",
            "OPENAI_ORG_ID": "org-foreign",
            "OPENAI_PROJECT_ID": "proj-foreign",
            "OPENAI_CUSTOM_HEADERS": "X-Foreign: yes\nAuthorization: Bearer sk-foreign",
            "OPENAI_LOG": "debug",
            "NO_PROXY": "",
        }
        command = [sys.executable, "-c", WATCHED, server.base_url]
        done = subprocess.run(
            command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True, timeout=60
        )
        port = server.port
        request = server.requests[0]
        assert canary.connections == 0
    told = json.loads(done.stdout)
    assert told == {"text": "Here.", "done": [["connect", ["127.0.0.1", port]]]}
    assert request.headers["authorization"] == "Bearer sk-own"
    assert "foreign" not in str(request)
    assert "sk-" not in done.stderr


def test_localhost_is_this_machine_on_either_address() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"choices": [{"message": {"content": "Over v6."}, "finish_reason": "stop"}]}'
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    async def run() -> str:
        try:
            server = await asyncio.start_server(serve, "::1", 0, family=socket.AF_INET6)
        except OSError:
            pytest.skip("this machine has no IPv6 loopback")
        async with server:
            port = server.sockets[0].getsockname()[1]
            return (await OpenAIChat(f"http://localhost:{port}", "any").complete(asking())).text

    assert asyncio.run(run()) == "Over v6."


BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


Use = Callable[[ChatServer, OpenAIChat, Clock], Awaitable[T]]


def with_broken(use: Use[T], fault: Fault = Fault.UNAVAILABLE) -> T:
    """Use a model whose endpoint has failed as often as it may."""

    async def run() -> T:
        clock = Clock()
        async with ChatServer("There.", fault, pause_after=0) as server:
            server.go_on.set()
            model = OpenAIChat(server.base_url, "any", breaker=CircuitBreaker(clock=clock))
            for _ in range(MOST_FAILURES):
                assert await failure(model) is not ModelFailure.PAUSED
            return await use(server, model, clock)

    return asyncio.run(run())


async def failure(model: OpenAIChat, *, stream: bool = False) -> ModelFailure | None:
    """How a call fails; None for a reply."""
    try:
        await whole(model, asking(), stream=stream)
    except ModelError as error:
        return error.failure
    return None


@BOTH
def test_after_three_failures_nothing_is_asked_for_half_a_minute(stream: bool) -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        server.fault = None
        for _ in range(10):
            assert await failure(model, stream=stream) is ModelFailure.PAUSED
        clock.now += OPEN_SECONDS - 0.001
        assert await failure(model, stream=stream) is ModelFailure.PAUSED
        assert server.connections == MOST_FAILURES
        clock.now += 0.001
        assert await failure(model, stream=stream) is None
        assert await failure(model, stream=stream) is None
        assert server.connections == MOST_FAILURES + 2

    with_broken(use)


@BOTH
def test_a_trial_that_fails_opens_it_for_as_long_again(stream: bool) -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        clock.now += OPEN_SECONDS
        assert await failure(model, stream=stream) is ModelFailure.BUSY
        assert await failure(model, stream=stream) is ModelFailure.PAUSED
        clock.now += OPEN_SECONDS
        server.fault = None
        assert await failure(model, stream=stream) is None
        assert server.connections == MOST_FAILURES + 2

    with_broken(use)


def test_only_one_call_tries_and_the_others_wait_for_what_becomes_of_it() -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        clock.now += OPEN_SECONDS
        found = await asyncio.gather(*(failure(model) for _ in range(5)))
        assert sorted(str(one) for one in found) == ["busy", *["paused"] * 4]
        assert server.connections == MOST_FAILURES + 1
        clock.now += OPEN_SECONDS
        server.fault = None
        assert await asyncio.gather(*(failure(model) for _ in range(5))) == [None] * 5

    with_broken(use)


def test_who_waits_for_a_trial_waits_no_longer_than_its_own_deadline() -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        clock.now += OPEN_SECONDS
        server.fault = Fault.SILENCE
        server.received.clear()
        trying = asyncio.ensure_future(model.complete(asking(30)))
        await server.received.wait()
        with pytest.raises(ModelError, match="being tried again now") as caught:
            await model.complete(asking(0.1))
        assert caught.value.failure is ModelFailure.PAUSED
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)

    with_broken(use)


def test_a_trial_that_is_cancelled_proves_nothing_and_the_next_call_is_one() -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        clock.now += OPEN_SECONDS
        server.fault = Fault.SILENCE
        server.received.clear()
        trying = asyncio.ensure_future(model.complete(asking(30)))
        await server.received.wait()
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        server.fault = None
        assert await failure(model) is None

    with_broken(use)


def test_a_reply_between_failures_begins_the_count_anew() -> None:
    async def run() -> list[ModelFailure | None]:
        async with ChatServer() as server:
            model = OpenAIChat(server.base_url, "any", breaker=CircuitBreaker(clock=Clock()))
            found = []
            for fault in [*[Fault.UNAVAILABLE] * 2, None] * 3:
                server.fault = fault
                found.append(await failure(model))
            return found

    assert ModelFailure.PAUSED not in asyncio.run(run())


@pytest.mark.parametrize("fault", [Fault.UNAUTHORISED, Fault.BAD_REQUEST, Fault.REFUSAL, Fault.REDIRECT], ids=str)
def test_an_endpoint_that_says_no_is_one_that_works(fault: Fault) -> None:
    async def run() -> set[ModelFailure | None]:
        async with ChatServer(fault=fault) as server:
            model = OpenAIChat(server.base_url, "any", breaker=CircuitBreaker(clock=Clock()))
            return {await failure(model) for _ in range(MOST_FAILURES + 2)}

    assert ModelFailure.PAUSED not in asyncio.run(run())


@pytest.mark.parametrize("fault", [Fault.RESET, Fault.CUT_BODY, Fault.WEB_PAGE, Fault.BAD_GATEWAY], ids=str)
def test_what_an_ailing_endpoint_does_counts(fault: Fault) -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> ModelFailure | None:
        return await failure(model)

    assert with_broken(use, fault) is ModelFailure.PAUSED


def test_the_warning_says_how_long_and_that_nothing_was_asked() -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> ModelError:
        clock.now += 6.5
        with pytest.raises(ModelError) as caught:
            await model.complete(asking())
        return caught.value

    error = with_broken(use)
    assert "was not asked, its last 3 calls failed (busy): it is tried again in 24 s" in str(error)
    assert not error.accepted
    assert not error.retryable


def test_a_stream_that_is_left_early_says_nothing_of_the_endpoint() -> None:
    async def run() -> ChatReply:
        async with ChatServer("Word by word.") as server:
            model = OpenAIChat(server.base_url, "any", breaker=CircuitBreaker(clock=Clock()))
            for _ in range(MOST_FAILURES + 1):
                stream = model.stream(asking())
                await anext(stream)
                await stream.aclose()
            return await model.complete(asking())

    assert asyncio.run(run()).text == "Word by word."


SLOW = "slow but steady"
LONG = 10.0
"""Seconds of what must not run out."""
BRIEF = 0.2


def request_of(patience: CallTimeouts, seconds: float | None = None) -> ChatRequest:
    """A request; ``seconds`` are what is left of the question, where that is less than a call may take."""
    return ChatRequest((Message(Role.USER, "Why?"),), 100, seconds or patience.call, patience=patience)


def reply(server: ChatServer, request: ChatRequest, *, stream: bool = True) -> ChatReply:
    async def run() -> ChatReply:
        async with server:
            try:
                return await whole(OpenAIChat(server.base_url, "any"), request, stream=stream)
            finally:
                await asyncio.wait_for(server.idle(), 5)

    return asyncio.run(run())


def late(server: ChatServer, request: ChatRequest, *, stream: bool = True) -> str:
    with pytest.raises(ModelError) as caught:
        reply(server, request, stream=stream)
    assert caught.value.failure is ModelFailure.DEADLINE
    assert "allow more time" not in str(caught.value)
    return str(caught.value).removeprefix(server.origin)


def test_while_tokens_come_a_call_is_not_late() -> None:
    """The whole reply takes three times as long as any one token may."""
    limits = CallTimeouts(LONG, first=0.5, next=0.5)
    assert reply(ChatServer("x" * 150, pace=0.05), request_of(limits)).text == "x" * 150


def test_the_first_token_may_take_longer_than_the_others() -> None:
    assert reply(ChatServer(SLOW, first=0.4), request_of(CallTimeouts(LONG, first=LONG, next=BRIEF))).text == SLOW


def test_a_late_first_token_names_the_longest_call() -> None:
    said = late(ChatServer(SLOW, first=LONG), request_of(CallTimeouts(CALL_SECONDS, first=BRIEF, next=LONG)))
    advice = "Set model.callSeconds above 600 in your own settings, or name a smaller model"
    assert said == f" sent no token within 0.2 s. {advice}"


def test_a_late_further_token_is_told_apart() -> None:
    said = late(ChatServer(SLOW, pace=0.1), request_of(CallTimeouts(LONG, first=LONG, next=0.01)))
    assert said.startswith(" sent no further token for 0.01 s in the middle of its reply. Set model.callSeconds above")


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_the_whole_call_ends_at_its_limit_though_tokens_come(stream: bool) -> None:
    said = late(ChatServer("x" * 1_000, pace=0.05), request_of(CallTimeouts(0.3, first=LONG, next=LONG)), stream=stream)
    assert said.startswith(" gave no complete reply within 0.3 s. Set model.callSeconds above 0.3 in your own settings")


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_the_end_of_the_question_names_the_time_of_the_question(stream: bool) -> None:
    said = late(ChatServer("x" * 1_000, pace=0.05), request_of(CallTimeouts(), 0.3), stream=stream)
    assert said.startswith(" gave no complete reply in the 0.3 s that were left. Set budget.seconds higher")


def test_a_reply_that_is_no_stream_is_bounded_as_a_whole_only() -> None:
    limits = CallTimeouts(LONG, first=0.01, next=0.01)
    assert reply(ChatServer(SLOW, first=BRIEF), request_of(limits), stream=False).text == SLOW


@pytest.mark.parametrize("fault", [Fault.KEEP_ALIVES, Fault.DRIPPED_HEADERS, Fault.SILENCE], ids=str)
def test_a_sign_of_life_is_no_token(fault: Fault) -> None:
    assert "sent no token" in late(ChatServer(fault=fault), request_of(CallTimeouts(LONG, first=BRIEF, next=LONG)))


@pytest.mark.parametrize(
    ("field", "counts"), [({"reasoning_content": "Hm."}, True), ({"reasoning": "Hm."}, True), ({"role": "a"}, False)]
)
def test_a_thought_is_a_token_and_the_name_of_the_speaker_is_none(field: dict[str, str], counts: bool) -> None:
    events = EventStream("http://localhost", None)
    assert list(events.feed(b"data: " + json.dumps(delta(None, **field)).encode() + b"\n\n")) == []
    assert bool(events.tokens) == counts


def test_who_raises_the_longest_call_raises_every_limit_with_it() -> None:
    raised, lowered = CallTimeouts.of(2 * CALL_SECONDS), CallTimeouts.of(60)
    assert raised == CallTimeouts(1_200, first=600, next=120)
    assert lowered == CallTimeouts(60, first=300, next=60)
    assert CallTimeouts.of(CALL_SECONDS) == CallTimeouts()
