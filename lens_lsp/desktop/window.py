"""The page in a window of its own instead of a tab of the browser, by the extra ``lens-lsp[window]``.

The window is another process: it wants a main thread, and ours serves the page. It gets the link by its standard input,
where no list of processes shows it, and it keeps nothing: no cookie, no cache.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from contextlib import suppress

from lens_lsp.client import code_folders

_PACKAGE = __name__.partition(".")[0]
_PROGRAM = f"""\
import json, sys
sys.path += json.loads(sys.argv.pop(1))
from {_PACKAGE}.desktop.window import main
main()
"""
_SIZE = (1180, 820)
_LEAST_SIZE = (400, 480)
_LAST_SECONDS = 2.0
"""For the window to close when we end."""


async def shown(link: str) -> bool:
    """Show the page until its window is closed; False where no window could be opened. Cancelled, it closes it."""
    try:
        window = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-c", _PROGRAM, json.dumps(code_folders())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        if window.stdin is not None:  # it stays open: at its end the window closes
            window.stdin.write(link.encode("ascii") + b"\n")
        await window.wait()
    finally:
        with suppress(ProcessLookupError):
            window.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(window.wait(), _LAST_SECONDS)
        if window.returncode is None:
            window.kill()
    return window.returncode == 0


def _leave_with_the_program() -> None:
    """However the program ends, its side of the pipe is closed then."""
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    """The process of the window."""
    import webview

    link = sys.stdin.readline().strip()
    threading.Thread(target=_leave_with_the_program, daemon=True).start()
    webview.settings["ALLOW_DOWNLOADS"] = False
    webview.settings["OPEN_EXTERNAL_LINKS_IN_BROWSER"] = True
    width, height = _SIZE
    webview.create_window(
        "Lens", link, width=width, height=height, min_size=_LEAST_SIZE, text_select=True, zoomable=True
    )
    webview.start(private_mode=True)
