"""Whatever an endpoint does wrong ends in a typed failure, in time, with every connection closed."""

from __future__ import annotations

import ast
import asyncio
import json
import logging
import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

import lens_lsp
from lens_lsp.judge.llm.chat_model import ModelError, ModelFailure
from lens_lsp.judge.llm.openai_client import OpenAIChat
from tests.availability import unavailable
from tests.judge.llm.attempts import EXPECTED, KEY, OVERRUN, SHORT, Outcome, asking, attempt
from tests.judge.llm.certificates import Authority
from tests.judge.llm.chat_faults import SIXTEEN, Fault
from tests.judge.llm.chat_server import ChatServer
from tests.judge.llm.chat_session import notes
from tests.soak import unreachable_endpoints
from tests.soak.unreachable_endpoints import KINDS


def test_every_fault_has_an_expected_outcome() -> None:
    assert set(EXPECTED) == set(Fault)
    assert len(SIXTEEN) == 16


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("fault", Fault, ids=str)
def test_a_fault_ends_typed_in_time_and_with_closed_connections(
    fault: Fault, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def run() -> tuple[list[Outcome], int]:
        async with ChatServer() as elsewhere, ChatServer(elsewhere=elsewhere.base_url) as server:
            outcomes = [await attempt(server, fault, stream=stream) for _ in range(2)]
            assert [request.path for request in server.requests] == ["/v1/chat/completions"] * 2
            return outcomes, elsewhere.connections

    outcomes, led_astray = asyncio.run(run())
    for outcome in outcomes:
        assert outcome.typed, outcome.shown
        assert outcome.overrun <= OVERRUN
        assert outcome.closed
    assert led_astray == 0
    assert KEY[:8] not in caplog.text
    assert "What is the answer" not in caplog.text


def failure_of(base_url: str, seconds: float = SHORT, *, key: str | None = None) -> ModelError:
    async def run() -> ModelError:
        with pytest.raises(ModelError) as caught:
            await OpenAIChat(base_url, "any", key).complete(asking(seconds))
        return caught.value

    return asyncio.run(run())


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_a_refused_connection_says_what_to_start() -> None:
    error = failure_of(f"http://localhost:{free_port()}", 5)
    assert (error.failure, error.retryable) == (ModelFailure.UNREACHABLE, True)
    for server in ("nothing listens at http://localhost:", "`ollama serve`", "LM Studio", "llama-server", "vllm"):
        assert server in str(error)


def test_a_listener_that_never_accepts_ends_at_the_deadline() -> None:
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(8):  # more than the queue of the kernel takes
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        error = failure_of(f"http://127.0.0.1:{listener.getsockname()[1]}")
    assert error.failure is ModelFailure.DEADLINE


def status_error(fault: Fault, **told: str) -> ModelError:
    async def run() -> ModelError:
        async with ChatServer(fault=fault, **told) as server:
            with pytest.raises(ModelError) as caught:
                await OpenAIChat(server.base_url, "any", KEY, clock=lambda: 1_700_000_000.0).complete(asking())
            assert len(server.requests) == 1
            return caught.value

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("1", 1.0),
        ("3600", 3600.0),
        ("0.5", 0.5),
        ("Tue, 14 Nov 2023 22:13:50 GMT", 30.0),
        ("Tue, 14 Nov 2003 22:13:50 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("nan", None),
        ("1e999", None),
        ("Tue, 99 Nov 99999 99:99:99 GMT", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("fault", [Fault.BUSY, Fault.UNAVAILABLE], ids=str)
def test_the_time_a_busy_endpoint_asks_for_is_handed_on(fault: Fault, header: str, seconds: float | None) -> None:
    error = status_error(fault, retry_after=header)
    assert error.retryable
    assert error.retry_after == seconds


@pytest.mark.parametrize("fault", [Fault.UNAUTHORISED, Fault.FORBIDDEN, Fault.NOT_FOUND], ids=str)
def test_a_key_or_a_model_that_is_not_accepted_is_not_tried_again(fault: Fault) -> None:
    assert not status_error(fault).retryable


def test_what_a_server_says_is_shown_short_and_harmless() -> None:
    shown = str(status_error(Fault.INTERNAL, words="out of memory\x1b[31m\u202e\n" + "x" * 5_000))
    assert "out of memory" in shown
    assert len(shown) < 400
    assert not set(shown) & {"\x1b", "\u202e", "\n"}


@pytest.mark.parametrize("fault", [Fault.INTERNAL, Fault.NOT_FOUND, Fault.UNAUTHORISED, Fault.BUSY], ids=str)
def test_a_server_that_repeats_the_key_is_not_quoted(fault: Fault) -> None:
    shown = str(status_error(fault, words=f"bad key {KEY} or {KEY[3:14]}..."))
    assert "bad key" not in shown
    assert KEY[3:11] not in shown


@pytest.mark.parametrize("between", ["\u200b", "\u2060", "\U000e0041", "\x07", "\n", "\u00ad\u200d"])
def test_a_key_in_pieces_is_not_quoted_either(between: str) -> None:
    assert "bad key" not in str(status_error(Fault.INTERNAL, words=f"bad key {between.join(KEY)}"))
    assert "bad key" in str(status_error(Fault.INTERNAL, words=f"bad key{between}"))


def test_a_prompt_too_long_for_the_model_says_which_setting_to_change() -> None:
    words = "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens."
    assert "model.contextTokens" in str(status_error(Fault.BAD_REQUEST, words=words))
    assert "model.contextTokens" not in str(status_error(Fault.BAD_REQUEST, words="no such model"))


REPOSITORY = Path(__file__).resolve().parents[2]
MOST_GROWTH = 5_000_000
# Peak memory of a process of its own, after good calls have made everything that stays.
MEASURED = """
import asyncio, json, sys
from resource import RUSAGE_SELF, getrusage
from tests.judge.llm.attempts import asking, attempt, whole
from tests.judge.llm.chat_faults import Fault, _bomb
from tests.judge.llm.chat_server import ChatServer
from lens_lsp.judge.llm.openai_client import OpenAIChat

UNIT = 1 if sys.platform == "darwin" else 1024

async def run(fault):
    async with ChatServer("x" * 200_000) as server:
        _bomb()
        for stream in (False, True):
            server.fault = None
            await whole(OpenAIChat(server.base_url, "any"), asking(60), stream=stream)
            await attempt(server, Fault.WEB_PAGE, stream=stream)
        before = getrusage(RUSAGE_SELF).ru_maxrss * UNIT
        outcomes = [await attempt(server, fault, stream=stream) for stream in (False, True) for _ in range(3)]
        after = getrusage(RUSAGE_SELF).ru_maxrss * UNIT
    failures = sorted({outcome.failure or outcome.shown for outcome in outcomes})
    print(json.dumps({"growth": after - before, "failures": failures, "closed": all(o.closed for o in outcomes)}))

asyncio.run(run(Fault(sys.argv[1])))
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read the POSIX way")
@pytest.mark.parametrize("fault", [Fault.ENDLESS, Fault.ENDLESS_EVENTS, Fault.GZIP_BOMB], ids=str)
def test_memory_stays_bounded(fault: Fault) -> None:
    command = [sys.executable, "-c", MEASURED, fault]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120)
    told = json.loads(done.stdout)
    assert told["growth"] < MOST_GROWTH
    assert told["closed"]
    assert told["failures"] == sorted(EXPECTED[fault])


pytestmark = pytest.mark.long
SOURCES = sorted(Path(lens_lsp.__file__).parent.rglob("*.py"))
OFF = {"CERT_NONE", "_create_unverified_context"}


def test_a_question_of_an_endpoint_that_cannot_be_reached_or_trusted_ends_in_quotes(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        unavailable("openssl", "no openssl to make certificates with")
    (tmp_path / "notes").mkdir()
    asked = unreachable_endpoints.asks(notes(tmp_path / "notes", more=2), Authority(tmp_path), len(KINDS))
    tally, careless, reached = asyncio.run(asked)
    assert tally.wrong == []
    assert set(tally.asks) == {kind.name for kind in KINDS}
    assert reached > 0, "an endpoint whose certificate holds is asked"
    assert any("requests reached it" in each for each in careless.wrong)


def off(source: str) -> list[int]:
    """Lines that switch the check of certificates off."""
    tree = ast.parse(source)
    given = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "verify"]
    set_ = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr in ("check_hostname", "verify")
    ]
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in OFF]
    return [each.lineno for each in (*given, *set_) if isinstance(each, ast.Constant) and not each.value] + [
        each.lineno for each in named
    ]


@pytest.mark.parametrize("written", ["get(verify=False)", "context.check_hostname = False", "mode = ssl.CERT_NONE"])
def test_a_check_that_is_switched_off_is_seen(written: str) -> None:
    assert off(written) == [1]


def test_nothing_of_ours_switches_the_check_of_certificates_off() -> None:
    assert len(SOURCES) > 100
    assert [path for path in SOURCES if off(path.read_text("utf-8"))] == []
