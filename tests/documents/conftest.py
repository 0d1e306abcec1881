"""The worker that reads documents, for tests that need one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL, kind_named, missing
from tests.availability import unavailable


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    if lacking := missing(kind_named("pdf")):
        unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
    with Extractor() as made:
        yield made
