"""What the server says when the system's limits keep it from watching files, and that it finds changes all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.lsp.conftest import LEASE
from tests.lsp.lsp_client import SERVE, environment
from tests.lsp.lsp_editor import CAPABILITIES, Editor

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
LIMIT, LOST = "limit of file watches", "lost track of file changes"
Start = Callable[..., tuple[Editor, str]]


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "house" / "contract.md"
    for number in range(40):
        (path.parent / str(number)).mkdir(parents=True)
    path.write_text(f"# Contract\n\n{LEASE}\n")
    return path


@pytest.fixture
def start(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, contract: Path) -> Iterator[Start]:
    """Start an editor that shows an answer which cites the contract, with a server that watches by itself."""
    with ExitStack() as stack:

        def started(*before: str) -> tuple[Editor, str]:
            home = environment(tmp_path_factory.mktemp("home"))
            editor = stack.enter_context(Editor(home, (*before, *SERVE)))
            editor.begin(tmp_path, capabilities=CAPABILITIES)
            uri: str = editor.result("lens/ask", {"question": "When does the lease of the workshop end?"})["answerUri"]
            shown = editor.show(Path(uri.removeprefix("file://")))
            editor.wait(lambda: editor.result("lens/status")["watching"] == "system")
            return editor, shown

        yield started


def drifts(editor: Editor, uri: str, contract: Path) -> None:
    """Change what is cited and change it back; both show."""
    contract.write_text(contract.read_text().replace("2031", "2045"))
    editor.wait(lambda: "lens.citation-drifted" in editor.codes(uri))
    contract.write_text(contract.read_text().replace("2045", "2031"))
    editor.wait(lambda: editor.codes(uri) == [])


def said(editor: Editor, words: str) -> int:
    return sum(words in message for message in editor.messages())


@pytest.mark.parametrize(("limit", "times"), [(10, 1), (400, 0)])
def test_the_limit_of_watches_is_told_once_and_drift_shows(
    start: Start, contract: Path, tmp_path: Path, limit: int, times: int
) -> None:
    # A user namespace of its own: the limit there is nobody else's.
    script = 'echo "$1" > /proc/sys/user/max_inotify_watches && shift && exec "$@"'
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh", str(limit)]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no user namespace with limits of its own here")
    editor, uri = start(*command)
    drifts(editor, uri, contract)
    assert said(editor, LIMIT) == times
    folder = {"uri": tmp_path.joinpath("house").as_uri(), "name": "house"}
    for added, removed in (([folder], []), ([], [folder])):  # the watch begins anew, and meets the limit again
        change = {"event": {"added": added, "removed": removed}}
        editor.notify("workspace/didChangeWorkspaceFolders", change)
        editor.wait(lambda: editor.result("lens/status")["watching"] == "system")
        drifts(editor, uri, contract)
    assert said(editor, LIMIT) == times


@pytest.mark.long
def test_a_lost_queue_is_told_once_and_drift_shows(start: Start, contract: Path) -> None:
    most = int(QUEUE.read_text()) if QUEUE.exists() else 0
    if not 0 < most <= 100_000:
        pytest.skip(f"the system's queue holds {most} events: too many to overflow it here")
    editor, uri = start()
    for year in ("2045", "2046"):
        os.kill(editor.process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, editor.process.pid, os.WSTOPPED | os.WNOWAIT)  # its threads go on reading until then
        try:
            for number in range(most):  # two events or more for each, so that some read late are no matter
                path = contract.with_name(f"{number % 2}.md")
                path.touch()
                path.unlink()
            contract.write_text(contract.read_text().replace("2031", year))
        finally:
            os.kill(editor.process.pid, signal.SIGCONT)
        editor.wait(lambda: "lens.citation-drifted" in editor.codes(uri))
        editor.wait(lambda: said(editor, LOST) > 0)
        contract.write_text(contract.read_text().replace(year, "2031"))
        editor.wait(lambda: editor.codes(uri) == [])
    assert said(editor, LOST) == 1
