"""The extension knows the documents that are no text by the same names as the server."""

from __future__ import annotations

import re

from lens_lsp.documents.kinds import KINDS, PICTURE
from tests.docs.documentation import REPOSITORY

TABLE = REPOSITORY / "vscode-extension" / "src" / "documents" / "kinds.ts"


def test_the_extension_knows_every_kind_of_document() -> None:
    [ends] = re.findall(r"/\\\.\(([a-z|]+)\)\$/i;", TABLE.read_text(encoding="utf-8").replace("\n", ""))
    assert set(ends.split("|")) == {suffix for kind in (*KINDS, PICTURE) for suffix in kind.suffixes} | {"ipynb"}
