"""An endpoint proves who it is, or nothing is sent to it."""

from __future__ import annotations

import asyncio
import shutil
import ssl
from pathlib import Path

import pytest

from lens_lsp.judge.llm.chat_model import ModelError, ModelFailure
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.model.errors import UsageError
from tests.availability import unavailable
from tests.judge.llm.attempts import KEY, asking
from tests.judge.llm.certificates import HERE, Authority
from tests.judge.llm.chat_server import ChatServer


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    if shutil.which("openssl") is None:
        unavailable("openssl", "no openssl to make certificates with")
    return Authority(tmp_path_factory.mktemp("authority"))


def asked(tls: ssl.SSLContext, ca_file: str | None, *, host: str = "127.0.0.1") -> tuple[str | ModelError, int]:
    """The reply or the failure, and how many requests reached the server."""

    async def run() -> tuple[str | ModelError, int]:
        async with ChatServer("Proven.", tls=tls) as server:
            model = OpenAIChat(f"https://{host}:{server.port}", "any", KEY, ca_file=ca_file)
            try:
                return (await model.complete(asking())).text, len(server.requests)
            except ModelError as error:
                return error, len(server.requests)

    return asyncio.run(run())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_certificate_of_a_named_authority_holds(authority: Authority, host: str) -> None:
    assert asked(authority.server(HERE), authority.file, host=host) == ("Proven.", 1)


def test_an_unknown_authority_an_old_certificate_and_another_name_do_not(authority: Authority) -> None:
    cases = (
        (authority.server(HERE), None),
        (authority.server(HERE, expired=True), authority.file),
        (authority.server("DNS:models.example"), authority.file),
    )
    for tls, ca_file in cases:
        error, requests = asked(tls, ca_file)
        assert isinstance(error, ModelError)
        assert (error.failure, error.retryable, requests) == (ModelFailure.UNTRUSTED, False, 0)
        assert "cannot be switched off" in str(error)


def test_a_server_that_speaks_no_tls_is_told_so() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def run() -> ModelError:
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            model = OpenAIChat(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", "any", KEY)
            with pytest.raises(ModelError) as caught:
                await model.complete(asking())
            return caught.value

    assert asyncio.run(run()).failure is ModelFailure.UNTRUSTED


def test_a_handshake_without_answer_ends_at_the_deadline_or_with_a_cancel_and_closes() -> None:
    async def run() -> None:
        async with ChatServer() as server:  # waits for a request in plain HTTP
            model = OpenAIChat(server.base_url.replace("http://", "https://"), "any", KEY)
            with pytest.raises(ModelError) as caught:
                await model.complete(asking(0.25))
            assert caught.value.failure is ModelFailure.DEADLINE
            await asyncio.wait_for(server.idle(), 0.1)

            server.connected.clear()
            task = asyncio.create_task(model.complete(asking(60)))
            await server.connected.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.idle(), 0.1)
            assert server.requests == []

    asyncio.run(run())


@pytest.mark.parametrize("text", [None, "no certificate"])
def test_an_authority_that_cannot_be_read_says_so(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "ca.pem"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match="PEM"):
        OpenAIChat("https://127.0.0.1:9", "any", ca_file=str(path))


def test_an_authority_that_is_gone_by_the_first_call_ends_that_call(authority: Authority, tmp_path: Path) -> None:
    path = Path(shutil.copy(authority.file, tmp_path))
    model = OpenAIChat("https://127.0.0.1:9", "any", ca_file=str(path))
    path.unlink()
    with pytest.raises(ModelError) as caught:
        asyncio.run(model.complete(asking()))
    assert caught.value.failure is ModelFailure.UNTRUSTED
