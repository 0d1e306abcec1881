"""Base URLs are read strictly: what cannot be a model's address is refused before any request."""

from __future__ import annotations

import asyncio
import shutil
import ssl
from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.llm import endpoint_guard
from lens_lsp.judge.llm.chat_model import ChatRequest, Message, ModelError, ModelFailure, Role
from lens_lsp.judge.llm.endpoint import ApiKey, Endpoint, may_contact
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.model.errors import UsageError
from tests.availability import unavailable
from tests.judge.llm.attempts import KEY, asking
from tests.judge.llm.certificates import HERE, Authority
from tests.judge.llm.chat_server import ChatServer

REFUSED = (
    "http://models.example/v1",
    "http://192.168.1.5:11434/v1",
    "http://10.0.0.1/v1",
    "http://0.0.0.0:11434/v1",
    "http://localhost.evil.example/v1",
    "https://169.254.169.254/latest/meta-data",
    "http://169.254.169.254/v1",
    "https://[fe80::1]/v1",
    "https://[fe80::1%25eth0]/v1",
    "https://[fd00:ec2::254]/v1",
    "https://[::ffff:169.254.169.254]/v1",
    "https://[64:ff9b::a9fe:a9fe]/v1",
    "https://[2002:a9fe:a9fe::]/v1",
    "https://[::]/v1",
    "https://100.100.100.200/v1",
    "https://168.63.129.16/v1",
    "https://224.0.0.1/v1",
    "https://255.255.255.255/v1",
    "https://metadata.google.internal/v1",
    "https://METADATA.google.internal./v1",
    "https://2852039166/v1",
    "https://0xa9fea9fe/v1",
    "https://0251.0376.0251.0376/v1",
    "http://127.1:11434/v1",
    "http://2130706433/v1",
    "https://user:secret@models.example/v1",
    "https://models.example@evil.example/v1",
    "http://localhost@evil.example/v1",
    "file:///etc/passwd",
    "gopher://models.example/1",
    "ftp://models.example/v1",
    "unix:///var/run/docker.sock",
    "javascript:alert(1)",
    "//models.example/v1",
    "models.example/v1",
    "localhost:11434",
    "",
    " ",
    "https://",
    "https:///v1",
    "https://models.example:99999/v1",
    "https://models.example:http/v1",
    "https://models.example:0/v1",
    "http://localhost:0/v1",
    "https://models.example/v1?key=1",
    "https://models.example/v1#x",
    "https://models.example/v1/../admin",
    "https://models.example/%2e%2e/",
    "https://models.example\\@evil.example/v1",
    "https://models.example/v1\r\nHost: evil.example",
    "https://models..example/v1",
    "https://-models.example/v1",
    "https://mod els.example/v1",
    "https://[::1/v1",
)


@pytest.mark.parametrize("url", REFUSED)
def test_what_cannot_be_a_model_is_refused_with_a_sentence(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        OpenAIChat(url, "any", "sk-canary")
    assert len(str(caught.value)) > 20
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "base", "origin", "loopback"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1", "https://api.openai.com", False),
        ("https://API.OpenAI.com:443/v1/", "https://api.openai.com/v1", "https://api.openai.com", False),
        ("https://models.example", "https://models.example/v1", "https://models.example", False),
        ("https://models.example:8443/a/b", "https://models.example:8443/a/b", "https://models.example:8443", False),
        ("https://192.168.1.5/v1", "https://192.168.1.5/v1", "https://192.168.1.5", False),
        ("https://bücher.example/v1", "https://xn--bcher-kva.example/v1", "https://xn--bcher-kva.example", False),
        ("http://localhost:11434", "http://localhost:11434/v1", "http://localhost:11434", True),
        ("http://LOCALHOST:1234/v1", "http://localhost:1234/v1", "http://localhost:1234", True),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080", True),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1", "http://[::1]:8080", True),
        ("https://localhost/v1", "https://localhost/v1", "https://localhost", True),
        ("http://127.0.0.1:80/v1/chat/completions", "http://127.0.0.1/v1", "http://127.0.0.1", True),
    ],
)
def test_what_can_be_one_has_one_spelling(url: str, base: str, origin: str, loopback: bool) -> None:
    endpoint = Endpoint.of(url)
    assert (endpoint.base, endpoint.origin, endpoint.loopback) == (base, origin, loopback)
    assert Endpoint.of(endpoint.base) == endpoint


@given(st.text(max_size=60) | st.from_regex(r"https?://[a-z0-9.@:\[\]%/?#\\-]{0,40}", fullmatch=True))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        endpoint = Endpoint.of(text)
    except UsageError:
        return
    assert endpoint.scheme == "https" or endpoint.loopback
    assert Endpoint.of(endpoint.base) == endpoint


@given(st.ip_addresses())
def test_a_name_never_leads_to_this_machine_nor_a_local_address_to_another(address: object) -> None:
    plain = ip_address(str(address))
    assert not (may_contact(plain, loopback=True) and may_contact(plain, loopback=False))
    if plain.is_link_local or plain.is_unspecified or plain.is_multicast:
        assert not may_contact(plain, loopback=False)


# Names that the resolver of the system itself turns into such addresses, so that no name server is needed.
@pytest.mark.parametrize("name", ["2852039166", "0xa9fea9fe", "127.1", "0"])
def test_a_name_that_resolves_to_a_forbidden_address_is_not_contacted(name: str) -> None:
    access = endpoint_guard.EndpointAccess(Endpoint("https", name, 443, "/v1"), ApiKey("sk-canary"))

    async def run() -> None:
        async with endpoint_guard.http_client(access) as client:
            await client.get(f"https://{name}/v1/models")

    with pytest.raises(ModelError) as caught:
        asyncio.run(run())
    assert caught.value.failure is ModelFailure.UNTRUSTED


def test_a_name_that_nobody_knows_is_told_from_a_server_that_is_down() -> None:
    request = ChatRequest((Message(Role.USER, "x"),), 5, seconds=20)
    with pytest.raises(ModelError) as caught:
        asyncio.run(OpenAIChat("https://no-such-host.invalid", "any").complete(request))
    assert (caught.value.failure, caught.value.retryable) == (ModelFailure.UNREACHABLE, True)
    assert "no-such-host.invalid is not known" in str(caught.value)


def test_the_transport_sends_to_its_own_origin_only() -> None:
    access = endpoint_guard.EndpointAccess(Endpoint.of("http://127.0.0.1:9"), ApiKey("sk-canary"))

    async def run(url: str) -> ModelError:
        async with endpoint_guard.http_client(access) as client:
            with pytest.raises(ModelError) as caught:
                await client.get(url)
            return caught.value

    for url in ("http://127.0.0.1:10/v1", "https://127.0.0.1:9/v1", "http://localhost:9/v1", "https://models.example/"):
        assert asyncio.run(run(url)).failure is ModelFailure.UNTRUSTED


def test_a_key_is_found_in_a_text_by_any_part_of_it() -> None:
    key = ApiKey("sk-0123456789abcdef")
    assert key.is_in("your key 456789ab... is wrong")
    assert not key.is_in("your key sk-0123 is wrong")
    assert repr(key) == str(key) == "Key(...)"


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
