"""What no question had time for is read between two questions by every server, and each says so in its data."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.corpus.document_store import kept
from lens_lsp.documents.kinds import INSTALL, kind_named, missing
from tests.app.front_ends import Agent, Editor, Page
from tests.availability import unavailable
from tests.documents.pdf_files import PageMaking, PdfMaking, lines

FILES = 60
PATIENCE = 240.0
SERVERS: Mapping[str, Callable[[Path, Path, Mapping[str, str], ExitStack], Any]] = {
    "editor": Editor,
    "agent": Agent,
    "page": Page,
}


@pytest.mark.long
@pytest.mark.parametrize("server", SERVERS)
def test_a_server_reads_on_while_nobody_asks(server: str, tmp_path: Path) -> None:
    if lacking := missing(kind_named("pdf")):
        unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
    folder, home = tmp_path / "papers", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    (folder / "note.md").write_text("# Harbour\n\nThe crane of the harbour was built in 1874.\n")
    for number in range(FILES):
        page = PageMaking(
            lines([f"Paper {number} speaks of salt, wool and timber in line {at}." for at in range(50)], 50, 60)
        )
        (folder / f"paper-{number:02}.pdf").write_bytes(PdfMaking([page] * 10).written())
    with ExitStack() as stack:
        asked = SERVERS[server](home, folder, {"LENS_READER": "off", "LENS_BUDGET_SECONDS": "3"}, stack)
        first = coverage(asked.answer("When was the crane of the harbour built?", "evidence"))
        assert 0 < first["unread"] <= FILES == first["documents"]
        until = time.monotonic() + PATIENCE
        store = home / ".cache" / "lens-lsp" / "documents"
        while kept(store)[0] < FILES:
            assert time.monotonic() < until, f"{kept(store)[0]} of {FILES} were read by then"
            time.sleep(0.2)
        last = asked.answer('How many files contain "salt"?', "evidence")
        assert coverage(last)["unread"] == 0
        assert last["status"] == "answered"


def coverage(answer: Mapping[str, Any]) -> dict[str, int]:
    said = answer["coverage"]
    return {"unread": said.get("unread", said.get("unread_documents")), "documents": said["documents"]}
