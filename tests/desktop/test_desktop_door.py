"""Connections that never become requests: few of them are kept, for some seconds, and the owner gets through."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from lens_lsp.desktop.guard import MOST_STRANGERS, STRANGER_SECONDS
from tests.desktop.desktop_process import PATIENCE, Desktop
from tests.lsp.lsp_client import environment, wait_until
from tests.soak.half_open import SENT, descriptors

Start = Callable[..., Desktop]


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
            assert time.monotonic() - began < 1.0
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
