"""The guide to ``lens find`` names every secret that is never read, every reason, every ignore file."""

from __future__ import annotations

import re

from documentation import DOCS, table_rows, text_of

from lens_lsp.corpus.corpus_rules import ADDING_FILES, DENIED, ORDERED_FILES
from lens_lsp.model.documents import SkipReason

PAGE = DOCS / "how-to" / "find-passages.md"


def test_the_page_lists_every_denied_name_and_no_other() -> None:
    section = text_of(PAGE).partition("\n### Secrets\n")[2].partition(" Case does not matter")[0]
    assert sorted(re.findall(r"`([^`]+)`", section)) == sorted(DENIED)


def test_the_page_lists_every_reason_once() -> None:
    named = [name for row in table_rows(PAGE, "## What is left out") for name in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(named) == sorted(reason.value for reason in SkipReason)


def test_the_page_names_every_ignore_file() -> None:
    text = text_of(PAGE)
    assert all(f"`{name}`" in text for name in (*ORDERED_FILES, *ADDING_FILES))
