from __future__ import annotations

import pytest

from lens_lsp.corpus.formats.markdown import MarkdownReader
from lens_lsp.model.documents import Document, Origin
from lens_lsp.search.boundaries import heading_path


def document(text: str) -> Document:
    return Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), MarkdownReader().structure(text))


NESTED = "intro\n\n# One\n\na\n\n## Two\n\nb\n\n#### Four\n\nc\n\n## Other\n\nd\n\n# Last\n\ne\n"


@pytest.mark.parametrize(
    ("mark", "path"),
    [
        ("intro", ()),
        ("a\n", ("One",)),
        ("b\n", ("One", "Two")),
        ("c\n", ("One", "Two", "Four")),
        ("d\n", ("One", "Other")),
        ("\ne\n", ("Last",)),
        ("Two", ("One", "Two")),
    ],
)
def test_an_offset_stands_under_the_headings_above_it(mark: str, path: tuple[str, ...]) -> None:
    assert heading_path(document(NESTED), NESTED.index(mark)) == path
