"""``lens desktop --window``: a real window on a display that nobody sees.

`.ci/run` leaves these out: the extra is 700 MB. By hand: Xvfb, and ``pip install '.[test,window]' python-xlib``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.availability import unavailable
from tests.desktop.desktop_process import PATIENCE, Desktop
from tests.lsp.lsp_client import environment, wait_until


@pytest.fixture
def display() -> Iterator[str]:
    """A display of the test's own."""
    lacking = [name for name in ("webview", "PySide6", "Xlib") if find_spec(name) is None]
    if lacking:
        unavailable("window", f"{', '.join(lacking)} not installed: pip install 'lens-lsp[window]' python-xlib")
    program = shutil.which("Xvfb")
    if program is None:
        unavailable("window", "Xvfb is not installed")
    reader, writer = os.pipe()
    with open(reader) as told:
        server = subprocess.Popen(
            [program, "-displayfd", str(writer), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            pass_fds=[writer],
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        try:
            yield f":{told.readline().strip()}"
        finally:
            server.terminate()
            server.wait()


@contextmanager
def windowed(home: Path, notes: Path, display: str) -> Iterator[Desktop]:
    engine = {"QTWEBENGINE_DISABLE_SANDBOX": "1", "QTWEBENGINE_CHROMIUM_FLAGS": "--disable-gpu"}
    env = environment(home) | engine | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    with Desktop(env, "--window", str(notes), shown=True) as desktop:
        yield desktop


def test_the_page_is_shown_in_it_and_all_ends_when_it_is_closed(home: Path, notes: Path, display: str) -> None:
    with windowed(home, notes, display) as desktop:
        assert "token=" in desktop.next_link(), "the window used the first link: another is printed"
        window = next(pid for pid in desktop.children() if "desktop.window" in command(pid))
        assert desktop.token not in command(window), "no list of processes shows the link"
        assert wait_until(lambda: close(display, "Lens"))
        assert desktop.process.wait(PATIENCE) == 0


def test_where_no_window_can_be_opened_the_link_has_to_do(home: Path, notes: Path, display: str) -> None:
    with windowed(home, notes, ":99999") as desktop:
        assert desktop.process.stderr is not None
        assert "open the link in a browser" in desktop.process.stderr.readline()
        desktop.enter()
        assert desktop.interrupt() == 0


def command(pid: int) -> str:
    """How a process was started."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def close(display: str, title: str) -> bool:
    """PageQuestion a window to close, as its button does; whether it is there."""
    from Xlib.display import Display
    from Xlib.protocol.event import ClientMessage

    screen = Display(display)
    try:
        found = [each for each in screen.screen().root.query_tree().children if each.get_wm_name() == title]
        for window in found:
            protocols, delete = map(screen.intern_atom, ("WM_PROTOCOLS", "WM_DELETE_WINDOW"))
            window.send_event(ClientMessage(window=window, client_type=protocols, data=(32, [delete, 0, 0, 0, 0])))
        screen.sync()
        return bool(found)
    finally:
        screen.close()
