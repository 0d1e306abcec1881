"""Passages that an editor's own chat models ask for: whoever runs these models may read no more than any endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lens_lsp.domain.model import Evidence
from lens_lsp.oracle.redaction import redacted


def for_model(result: dict[str, object], evidence: Sequence[Evidence]) -> dict[str, object]:
    """The result of ``lens/find`` for the same ``evidence`` as a model may read it.

    Nothing is left of documents marked ``lens: private``, which a warning says. A secret in a quote or heading is
    replaced by the same mark wherever it stands; ``quote`` is then no longer the text of ``span``.
    """
    numbers: dict[str, int] = {}

    def clean(text: str) -> str:
        return redacted(text, numbers).text

    items = [
        item | {"quote": clean(source.quote), "heading": [clean(part) for part in source.heading]}
        for item, source in zip(_listed(result, "evidence"), evidence, strict=True)
        if not source.private
    ]
    private = {(source.root, source.path) for source in evidence if source.private}
    documents = [each for each in _listed(result, "documents") if (each["root"], each["path"]) not in private]
    warnings: list[object] = [*_listed(result, "warnings")]
    if private:
        warnings.append(f"private passages that a model is not given: {len(evidence) - len(items)}")
    return result | {"evidence": items, "documents": documents, "warnings": warnings}


def _listed(result: dict[str, object], key: str) -> list[dict[str, object]]:
    return cast(list[dict[str, object]], result[key])
