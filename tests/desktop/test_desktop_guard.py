"""Who is let in: the page that used the link, from our own page, under our own address, and nobody else."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from lens_lsp.desktop.guard import MOST_STRANGERS, STRANGER_SECONDS
from tests.desktop.conftest import LEASE, OUTSIDE
from tests.desktop.desktop_process import PATIENCE, Desktop
from tests.lsp.lsp_client import environment, wait_until
from tests.soak.half_open import SENT, descriptors

Start = Callable[..., Desktop]

GETS = ("/api/asks", "/api/folders", "/api/settings", "/api/happenings", "/api/page?uri=file:///a.pdf&page=1")

SHOWN = ("/", "/static/page.js", "/static/page.css")
"""To everybody: nothing is in them."""


def test_the_link_is_exchanged_for_a_key_once(start: Start, notes: object) -> None:
    desktop = start(notes)
    used = desktop.token
    key = desktop.enter().key
    assert used not in key
    again = desktop.use(used)
    assert (again.status, b"key" in again.body) == (403, False)
    desktop.link, desktop.key = desktop.next_link(), ""  # for another browser, and good once, too
    assert desktop.enter().send("GET", "/api/folders").status == 200
    assert desktop.key == key
    assert desktop.use(desktop.token).status == 403


def test_what_is_no_token_opens_nothing(start: Start, notes: object) -> None:
    desktop = start(notes)
    good = f"Authorization: Bearer {desktop.token}\r\n"
    for sent in (
        "",
        "Authorization: Bearer x\r\n",
        "Authorization: Bearer \xe9\r\n",
        "Authorization: Bearer\r\n",
        f"Authorization: Basic {desktop.token}\r\n",
        f"Authorization: {desktop.token}\r\n",
        f"Cookie: token={desktop.token}\r\n",
        good * 2,
    ):
        head = f"POST /api/session HTTP/1.0\r\nHost: {desktop.host}\r\n{sent}\r\n"
        answer = desktop.raw(head.encode("latin-1"))
        assert answer.split(b" ", 2)[1] in (b"400", b"403"), sent
        assert b'"key"' not in answer
    for path in (f"/?token={desktop.token}", f"/api/session?token={desktop.token}"):
        answer = desktop.raw(f"GET {path} HTTP/1.0\r\nHost: {desktop.host}\r\n{good}\r\n".encode())
        assert b'"key"' not in answer
    assert desktop.enter()  # the link is good still


@pytest.mark.parametrize("path", GETS)
def test_nothing_is_told_without_the_key(shared: Desktop, path: str) -> None:
    key = shared.key
    for sent in (None, "", "Bearer", "Bearer ", "Bearer wrong", f"Bearer {key[:-1]}", f"Basic {key}", key):
        assert shared.send("GET", path, Authorization=sent).status == 401
    bare = path.partition("?")[0]
    for query in (f"key={key}", f"token={key}", f"access_token={key}"):
        assert shared.send("GET", f"{bare}?{query}", Authorization=None).status == 401


def test_no_cookie_is_set_and_none_opens_anything(start: Start, notes: object) -> None:
    """A browser sends a cookie to every port of its host, so to every other server of this machine."""
    desktop = start(notes)
    key = desktop.enter().key
    for path in (*SHOWN, *GETS[:3]):
        assert "set-cookie" not in desktop.send("GET", path).headers
    for name in (f"lens-{desktop.port}", "lens", "key", "Authorization"):
        cookie = f"{name}={key}; {name}=Bearer {key}"
        assert desktop.send("GET", "/api/folders", Authorization=None, Cookie=cookie).status == 401


@pytest.mark.parametrize("path", SHOWN)
def test_the_files_of_the_page_are_shown_to_everybody_and_hold_no_secret(shared: Desktop, path: str) -> None:
    shown = shared.send("GET", path, Authorization=None)
    assert shown.status == 200
    assert shown.body == shared.send("GET", path).body
    for secret in (shared.key, shared.token, LEASE):
        assert secret.encode() not in shown.body
    assert shared.send("POST", path, Authorization=None).status == 405


@pytest.mark.parametrize("path", GETS)
def test_a_foreign_name_that_points_here_gets_nothing(shared: Desktop, path: str) -> None:
    """DNS rebinding: the page of another site, whose name leads to this machine, and the right key."""
    port = shared.port
    named = [
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1:{port}.",
        f"[::1]:{port}",
        f"localhost:{port}",
    ]
    for host in (*named, f"0:{port}", ""):
        reply = shared.send("GET", path, Host=host)
        assert reply.status == 403
        assert LEASE.encode() not in reply.body


def test_a_foreign_name_does_not_use_the_link_up(start: Start, notes: object) -> None:
    desktop = start(notes)
    assert desktop.use(desktop.token, Host=f"evil.example:{desktop.port}").status == 403
    assert desktop.use(desktop.token, Origin="https://evil.example").status == 403
    assert desktop.use(desktop.token, Sec_Fetch_Site="same-site").status == 403
    desktop.enter()


def test_no_host_and_two_hosts_are_refused(shared: Desktop) -> None:
    head = f"GET /api/folders HTTP/1.0\r\nAuthorization: Bearer {shared.key}\r\n".encode()
    ours, theirs = f"Host: {shared.host}\r\n".encode(), b"Host: evil.example\r\n"
    for hosts in (b"", ours + theirs, theirs + ours):
        assert shared.raw(head + hosts + b"\r\n").split(b" ", 2)[1] in (b"400", b"403")
    assert shared.raw(head + ours + b"\r\n").split(b" ", 2)[1] == b"200"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost", ""])
def test_another_site_may_not_ask(shared: Desktop, origin: str) -> None:
    for method, path, body in (
        ("GET", "/api/folders", None),
        ("POST", "/api/asks", {"question": "x"}),
        ("PUT", "/api/settings", {"mode": "deep"}),
        ("OPTIONS", "/api/asks", None),
    ):
        reply = shared.send(method, path, body, Origin=origin)
        assert (reply.status, "access-control-allow-origin" in reply.headers) == (403, False)
    assert shared.send("GET", "/api/asks").json() == {"asks": []}


def test_our_own_page_may(shared: Desktop) -> None:
    ours = {"Host": shared.host, "Origin": f"http://{shared.host}", "Sec_Fetch_Site": "same-origin"}
    assert shared.send("GET", "/api/folders", **ours).status == 200
    assert shared.send("GET", "/api/folders", Origin=f"http://localhost:{shared.port}").status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "x"])
def test_a_page_of_another_port_gets_nothing_even_with_the_key(shared: Desktop, site: str) -> None:
    assert shared.send("GET", "/api/folders", Sec_Fetch_Site=site).status == 403


def test_what_changes_something_needs_the_key_in_a_header_that_forms_cannot_send(shared: Desktop) -> None:
    for method, path in (
        ("POST", "/api/asks"),
        ("POST", "/api/rpc"),
        ("POST", "/api/open"),
        ("POST", "/api/consents/x"),
        ("PUT", "/api/settings"),
        ("PUT", "/api/key"),
        ("DELETE", "/api/key"),
        ("DELETE", "/api/asks/x"),
    ):
        assert shared.send(method, path, {}, Authorization=None).status == 401


def test_a_body_that_does_not_come_is_not_waited_for(shared: Desktop) -> None:
    head = f"POST /api/asks HTTP/1.1\r\nHost: {shared.host}\r\nAuthorization: Bearer {shared.key}\r\n"
    answer = shared.raw(
        f"{head}Connection: close\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{".encode()
    )
    assert answer.split(b" ", 2)[1] == b"408"
    assert shared.send("GET", "/api/asks").json() == {"asks": []}


def test_a_body_that_is_no_json_object_is_refused(shared: Desktop) -> None:
    good = b'{"question": "x"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None):
        assert shared.send("POST", "/api/asks", good, Content_Type=kind).status == 415
    for body in (b"", b"[]", b"1", b"{", b'{"question": 1}', b'{"question": ""}', b"\xff", b"[" * 100_000):
        assert shared.send("POST", "/api/asks", body).status == 400
    assert shared.send("POST", "/api/asks", b" " * (1 << 20) + good).status == 413
    assert shared.send("POST", "/api/asks", {"question": "x", "workDoneToken": "y"}).status == 400
    assert shared.send("GET", "/api/asks").json() == {"asks": []}


def test_every_answer_carries_the_headers_that_keep_the_page_to_itself(shared: Desktop) -> None:
    for reply in (
        shared.send("GET", "/"),
        shared.send("GET", "/api/folders"),
        shared.send("GET", "/nothing"),
        shared.send("GET", "/api/folders", Host="evil.example"),
        shared.send("POST", "/api/asks", {}),
    ):
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert not re.search(r"unsafe|https?:|\*", policy)
        assert "frame-ancestors 'none'" in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in reply.headers


def test_only_the_names_of_the_page_s_files_are_served(shared: Desktop) -> None:
    for path in (
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/..%5capp.py",
        "/static//etc/passwd",
        "/static/.",
        "/static/index.html%00.js",
        "/static/app.py",
        "/../../etc/passwd",
        "/app.py",
        "//evil.example/",
    ):
        answer = shared.raw(
            f"GET {path} HTTP/1.0\r\nHost: {shared.host}\r\nAuthorization: Bearer {shared.key}\r\n\r\n".encode()
        )
        assert answer.split(b" ", 2)[1] in (b"400", b"404"), path
        assert b"import" not in answer
        assert b"root:" not in answer
    assert shared.send("GET", "/").headers["content-type"] == "text/html; charset=utf-8"


def test_a_websocket_is_none_of_it(shared: Desktop) -> None:
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    head = f"GET /api/happenings HTTP/1.1\r\nHost: evil.example\r\n{upgrade}Sec-WebSocket-Version: 13\r\n\r\n"
    assert b" 101 " not in shared.raw(head.encode())


def test_it_listens_on_this_machine_only(shared: Desktop) -> None:
    with open("/proc/net/tcp", encoding="ascii") as table:
        listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    with open("/proc/net/tcp6", encoding="ascii") as table:
        listening += [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert [place for place in listening if place.endswith(f":{shared.port:04X}")] == [f"0100007F:{shared.port:04X}"]


def test_no_secret_is_in_what_it_prints_or_logs(start: Start, notes: object) -> None:
    desktop = start(notes).enter()
    desktop.heard(desktop.ask("canary-question"))
    desktop.send("POST", "/api/rpc", {"method": "lens/text", "params": {"uri": "file:///canary-path.md"}})
    desktop.send("PUT", "/api/settings", {"model.baseUrl": "canary-url"})
    desktop.send("PUT", "/api/key", {"key": "canary-key"})
    desktop.process.terminate()
    said, errors = desktop.process.communicate(timeout=30)
    assert "canary" not in said + errors
    assert desktop.key not in said + errors
    assert OUTSIDE not in said + errors
    assert "Traceback" not in errors


@contextmanager
def standing(desktop: Desktop, sent: bytes, count: int) -> Iterator[list[socket.socket]]:
    """Connections on which so much was sent and no more."""
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", desktop.port), PATIENCE))
            with suppress(OSError):
                connection.sendall(sent)
            found.append(connection)
        yield found


def dropped(connection: socket.socket) -> bool:
    """Whether the other side has gone."""
    connection.setblocking(False)
    try:
        while connection.recv(1 << 16):
            pass
    except BlockingIOError:
        return False
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize("kind", SENT)
def test_the_oldest_strangers_make_room_and_the_owner_gets_through(start: Start, notes: object, kind: str) -> None:
    desktop = start(notes).enter()
    with desktop.listen("/api/happenings"):
        before = descriptors(desktop.process.pid)
        with standing(desktop, SENT[kind], 5 * MOST_STRANGERS) as strangers:
            began = time.monotonic()
            assert desktop.send("GET", "/api/folders").status == 200
            assert time.monotonic() - began < STRANGER_SECONDS / 2  # it does not wait until they leave
            assert wait_until(lambda: sum(map(dropped, strangers)) >= 4 * MOST_STRANGERS)
            assert all(map(dropped, strangers[: 3 * MOST_STRANGERS]))
            assert descriptors(desktop.process.pid) <= before + MOST_STRANGERS + 2
        assert wait_until(lambda: descriptors(desktop.process.pid) <= before + 1)


def test_strangers_leave_after_some_seconds_and_the_owner_s_stream_does_not(start: Start, notes: object) -> None:
    desktop = start(notes).enter()
    with desktop.listen("/api/happenings") as stream, standing(desktop, SENT["half a head"], 3) as strangers:
        began = time.monotonic()
        for connection in strangers:
            with suppress(ConnectionResetError):
                assert connection.recv(1) == b""
        assert STRANGER_SECONDS - 1 < time.monotonic() - began < 2 * STRANGER_SECONDS
        desktop.ask("When does the lease end?")
        stream.until("answered")


def test_a_program_that_can_open_nothing_more_says_so_once(home: object, notes: object) -> None:
    with Desktop(environment(home), str(notes), descriptors=48) as desktop:  # type: ignore[arg-type]
        desktop.enter()
        with standing(desktop, b"", 200):
            assert desktop.process.stderr is not None
            assert "ulimit" in desktop.process.stderr.readline()
        assert wait_until(lambda: descriptors(desktop.process.pid) < 40)
        assert desktop.send("GET", "/api/folders").status == 200
        assert desktop.interrupt() == 0
        assert desktop.process.stderr.read() == ""
