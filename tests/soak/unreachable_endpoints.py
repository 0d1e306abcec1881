"""Questions asked of endpoints that cannot be reached or cannot be trusted: each still ends in verified quotes.

``python -m tests.soak.unreachable_endpoints --n 160`` asks over real sockets and real TLS with certificates of its own,
in turn of each of eight kinds: nothing listens; no such host; a certificate that is too old, of another name, of an
unknown authority; a server that speaks no TLS; plain http to another machine; a line that is dropped at once or where
no handshake is ever answered. It prints one JSON line and exits with 1 if an ask raised, was not failed by the typed
error that must come, does not say what to do next, lost the evidence of the rules, had a request reach the endpoint or
took longer than its time by 250 ms; if an endpoint whose certificate holds was not asked; and if a client that checks
no certificate was not caught by the same judge.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import ChatModel, ChatReply, ChatRequest, ModelError, ModelFailure
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.model.answer import Answer, Answered, Mode, StopReason
from lens_lsp.model.errors import UsageError
from tests.judge.llm.attempts import KEY, OVERRUN
from tests.judge.llm.certificates import HERE, Authority
from tests.judge.llm.chat_server import ChatServer
from tests.judge.llm.chat_session import NARROW, PROOF, QUESTION, notes, oracle_of, served
from tests.soak.harness import LeftOut, Options, Verdict, harness

SECONDS = 30.0
"""What a question may take whose endpoint tells at once that it is none."""
FIRST_SECONDS = 300.0
SILENT_SECONDS = 2.0
"""The same where nothing ever comes back: the deadline of the call has to end it."""
CONTROLS = 2
_CERTIFICATE = "correct the certificate or the base URL"


@dataclass(frozen=True)
class Kind:
    """A way not to be an endpoint: by which failure an ask must end, and which next step must be named."""

    name: str
    failure: ModelFailure | None
    step: str
    seconds: float = SECONDS
    trusted: bool = True
    """Whether the authority of the certificates is one that holds."""


KINDS = (
    Kind("refused", ModelFailure.UNREACHABLE, "or change the model's base URL"),
    Kind("unknown host", ModelFailure.UNREACHABLE, "check the network"),
    Kind("expired", ModelFailure.UNTRUSTED, _CERTIFICATE),
    Kind("another name", ModelFailure.UNTRUSTED, _CERTIFICATE),
    Kind("unknown authority", ModelFailure.UNTRUSTED, "let this system trust its authority", trusted=False),
    Kind("no TLS", ModelFailure.UNTRUSTED, _CERTIFICATE),
    Kind("plain http elsewhere", None, "use https://"),
    Kind("dropped", ModelFailure.UNREACHABLE, "see its log"),
)
SILENT = Kind("no handshake", ModelFailure.DEADLINE, "Set budget.seconds", seconds=SILENT_SECONDS)
"""Asked in place of every other ``dropped``."""


@dataclass
class Tally:
    """What came of a number of asks."""

    asks: Counter[str] = field(default_factory=Counter)
    """By kind."""
    failures: Counter[str] = field(default_factory=Counter)
    worst: float = 0.0
    """Seconds beyond what an ask may take."""
    late: int = 0
    wrong: list[str] = field(default_factory=list)


class Noting:
    """A model as it is, and how its calls failed."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.errors: list[ModelError] = []
        self.name, self.endpoint, self.small = model.name, model.endpoint, model.small
        self.context_tokens = model.context_tokens

    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            return await self._model.complete(request)
        except ModelError as error:
            self.errors.append(error)
            raise

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply, None]:
        try:
            async for part in self._model.stream(request):
                yield part
        except ModelError as error:
            self.errors.append(error)
            raise

    async def aclose(self) -> None:
        await self._model.aclose()


class Trusting(OpenAIChat):
    """The control: a client that checks no certificate."""

    def _client(self) -> Any:
        import httpx2
        import openai

        if self._made is None:
            careless = httpx2.AsyncClient(verify=False, trust_env=False)
            self._made = openai.AsyncOpenAI(
                api_key="none", base_url=self._endpoint.base, http_client=careless, max_retries=0, timeout=None
            )
        return self._made


@dataclass
class Places:
    """Where the kinds are reached, and what came there."""

    urls: dict[str, str]
    ca_file: str
    servers: tuple[ChatServer, ...]
    """Those that would answer if they were asked."""
    reached: list[str] = field(default_factory=list)
    """Connections to the machine that plain http may not go to."""

    @property
    def requests(self) -> int:
        """Whatever of a question came to an endpoint."""
        return sum(len(server.requests) for server in self.servers) + len(self.reached)


def own_address() -> str:
    """An address of this machine that is not loopback; one that nobody has where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        try:
            route.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return "192.0.2.1"
        address = str(route.getsockname()[0])
    return "192.0.2.1" if address.startswith("127.") else address


async def _refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What a web server says to a handshake that it does not understand."""
    await reader.read(1)
    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    writer.close()


async def _drop(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


@asynccontextmanager
async def places(authority: Authority) -> AsyncIterator[Places]:
    """Servers for all kinds, and one whose certificate holds (``right``)."""
    tls = {
        "right": authority.server(HERE),
        "unknown authority": authority.server(HERE),
        "expired": authority.server(HERE, expired=True),
        "another name": authority.server("DNS:models.example"),
    }
    here = own_address()
    reached: list[str] = []

    async def elsewhere(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append(here)
        writer.close()

    async with AsyncExitStack() as stack:
        servers = {name: await stack.enter_async_context(ChatServer(served(), tls=each)) for name, each in tls.items()}
        silent = await stack.enter_async_context(ChatServer(served()))  # waits for a request in plain HTTP
        urls = {name: server.base_url for name, server in servers.items()}
        urls["no handshake"] = silent.base_url.replace("http://", "https://")
        taken = stack.enter_context(socket.socket())
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can take the port
        urls["refused"] = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        urls["unknown host"] = "https://models.invalid/v1"
        urls["no TLS"] = "https://" + await _served(stack, _refuse)
        urls["dropped"] = "http://" + await _served(stack, _drop)
        mine = here != "192.0.2.1"
        urls["plain http elsewhere"] = "http://" + (await _served(stack, elsewhere, here) if mine else f"{here}/v1")
        yield Places(urls, authority.file, (*servers.values(), silent), reached)


async def _served(stack: AsyncExitStack, answer: Any, host: str = "127.0.0.1") -> str:
    """Host, port and path of a server of nothing but this answer."""
    server = await stack.enter_async_context(await asyncio.start_server(answer, host, 0))
    return f"{host}:{server.sockets[0].getsockname()[1]}/v1"


def model_of(url: str, ca_file: str | None, kind: type[OpenAIChat] = OpenAIChat) -> OpenAIChat:
    """Raises `UsageError` for what cannot be meant."""
    return kind(url, "any", KEY, context_tokens=32_000, ca_file=ca_file)


async def answer_of(folder: Path, model: ChatModel | None, mode: Mode, seconds: float) -> Answer:
    """Ask; without a model the rules answer."""
    mode = mode if model is not None else Mode.EVIDENCE
    budget = replace(Budget.of(mode), seconds=seconds, **(NARROW if model is not None else {}))
    oracle = None if model is None else oracle_of(model, mode)
    async for event in Lens([folder]).ask(QUESTION, Terms(mode=mode, budget=budget, oracle=oracle)):
        if isinstance(event, Answered):
            return event.answer
    raise RuntimeError("no answer")


def unverified(folder: Path, answer: Answer) -> list[str]:
    """Quotes that do not stand where they are said to."""
    return [
        item.quote
        for item in answer.evidence
        if (folder / item.path).read_text("utf-8")[item.span.start : item.span.end] != item.quote
    ]


def told(answer: Answer, errors: list[ModelError]) -> str:
    """What the user is told of a failure; where the whole time went into the call, the failure itself says it."""
    spent = answer.stopped is StopReason.BUDGET_SECONDS
    return " ".join([*answer.warnings, *(map(str, errors) if spent else ())])


def judged(kind: Kind, errors: list[ModelError], said: str, answer: Answer) -> list[str]:
    """What is wrong with how an ask failed. ``said``: what the user is told of it."""
    wrong = []
    if kind.failure is not None and {error.failure for error in errors} != {kind.failure}:
        wrong.append(f"failed by {[error.failure.value for error in errors]}")
    if kind.failure is not None and answer.stopped not in (StopReason.MODEL_FAILED, StopReason.BUDGET_SECONDS):
        wrong.append(f"it stopped for {answer.stopped}")
    if kind.step not in said:
        wrong.append(f"no next step in {said!r}")
    if KEY[:8] in said or "Traceback" in said:
        wrong.append("it tells too much")
    if not any(PROOF in item.quote for item in answer.evidence):
        wrong.append("it lost the evidence of the rules")
    return wrong


async def ask(folder: Path, where: Places, kind: Kind, mode: Mode, tally: Tally, client: Any = OpenAIChat) -> None:
    """One question of one kind; whatever is wrong about it is added to the tally."""
    tally.asks[kind.name] += 1
    before, started, errors, said = where.requests, time.monotonic(), [], ""
    model: Noting | None = None
    try:
        try:
            model = Noting(model_of(where.urls[kind.name], where.ca_file if kind.trusted else None, client))
            errors = model.errors
        except UsageError as error:  # refused before any question: asked without it, the rules answer
            said = str(error)
        answer = await answer_of(folder, model, mode, kind.seconds)
        if model is not None:
            said = told(answer, errors)
        wrong = judged(kind, errors, said, answer)
        wrong += [f"{quote!r} does not stand there" for quote in unverified(folder, answer)]
    except Exception as error:  # noqa: BLE001  a leaked exception is what is looked for
        wrong = [repr(error)]
    overrun = time.monotonic() - started - kind.seconds
    if model is not None:
        await model.aclose()
    tally.failures.update(error.failure.value for error in errors)
    tally.worst, tally.late = max(tally.worst, overrun), tally.late + (overrun > OVERRUN)
    if where.requests != before:
        wrong.append(f"{where.requests - before} requests reached it")
    tally.wrong += [f"{kind.name}, {mode}: {each}" for each in wrong]


def kind_of(number: int) -> Kind:
    """Which kind comes at which place: each in turn, every other ``dropped`` being ``SILENT``."""
    kind = KINDS[number % len(KINDS)]
    return SILENT if kind.name == "dropped" and number // len(KINDS) % 2 else kind


async def asks(folder: Path, authority: Authority, count: int) -> tuple[Tally, Tally, int]:
    """Many questions; those of the client that checks no certificate; requests that came where it holds.

    The one where it holds is first: it imports the SDK, and those seconds are no other's.
    """
    tally, careless = Tally(), Tally()
    async with places(authority) as where:
        model = model_of(where.urls["right"], where.ca_file)
        before = where.requests
        answer = await answer_of(folder, model, Mode.FAST, FIRST_SECONDS)
        reached = where.requests - before if answer.stopped is not StopReason.MODEL_FAILED else 0
        await model.aclose()
        for number in range(count):
            mode = (Mode.FAST, Mode.DEEP)[number // len(KINDS) % 2]
            await ask(folder, where, kind_of(number), mode, tally)
        [wrong_name] = [kind for kind in KINDS if kind.name == "another name"]
        for _ in range(CONTROLS):
            await ask(folder, where, wrong_name, Mode.FAST, careless, Trusting)
    return tally, careless, reached


def figures(count: int) -> Mapping[str, Any]:
    """The JSON line."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as base:
        (folder := Path(base) / "notes").mkdir()
        authority = Authority(Path(base))
        tally, careless, reached = asyncio.run(asks(notes(folder, more=6), authority, count))
    return {
        "figure": "unreachable-endpoints",
        "n": sum(tally.asks.values()),
        "bad": len(tally.wrong),
        "late": tally.late,
        "worst_overrun_ms": round(1000 * max(0.0, tally.worst)),
        "kinds": dict(sorted(tally.asks.items())),
        "failures": dict(sorted(tally.failures.items())),
        "controlReached": reached,
        "controlBad": len(careless.wrong),
        "wrong": tally.wrong[:10],
        "seconds": round(time.perf_counter() - started, 1),
    }


@harness(n=160)
def main(options: Options) -> Verdict:
    if shutil.which("openssl") is None:
        raise LeftOut("no openssl to make certificates with")
    row = figures(options.n)
    return row, not row["late"] and row["controlReached"] and row["controlBad"]


if __name__ == "__main__":
    sys.exit(main())
