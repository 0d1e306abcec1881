"""How results become files: whole, over an earlier result of ours, and over nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from lens_lsp.disk import ORDINARY, replace_whole
from lens_lsp.model.errors import EvaluationError

MARK = "made by lens eval"
"""What the pictures and pages that we make say near their beginning."""
_COMMENT = f"<!-- {MARK} -->\n"


def write_page(path: Path, text: str) -> None:
    """Write a page of Markdown or HTML. Raises EvaluationError."""
    write_result(path, _COMMENT + text, _COMMENT)


def write_json(path: Path, document: Mapping[str, object]) -> None:
    """Write a document with a ``schema``. Raises EvaluationError."""
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    write_result(path, text, text[: text.index(",")])


def write_result(path: Path, text: str, sign: str) -> None:
    """Write a text into its folder, which is made; over a file only if that has ``sign`` near its beginning.

    Raises EvaluationError.
    """
    wanted = sign.encode("utf-8")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_whole(path, text.encode("utf-8"), ORDINARY, made=lambda head: wanted in head)
    except OSError as error:
        raise EvaluationError(f"{path} cannot be written: {error.strerror or error}") from error
