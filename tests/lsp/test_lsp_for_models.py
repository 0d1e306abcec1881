"""Passages for an editor's chat model: nothing private, nothing secret."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lens_lsp.lsp.model_view import event_for_model, for_model
from lens_lsp.model.answer import EvidenceFound
from lens_lsp.model.documents import Context, ContextRole, Evidence
from lens_lsp.model.text import Span
from lens_lsp.schema.answer import evidence_json
from lens_lsp.schema.events import event_json
from tests.hand_made import evidence
from tests.lsp.lsp_editor import Editor

Edit = Callable[..., Editor]
SECRET = "sk-proj-" + "Q7w2Zt9LmB4xVn8RkC3yHd6PfG1sJa5E" * 2
NOTES = {
    "open.md": "# Workshop\n\nThe lease of the workshop ends on 30 June 2031.\n",
    "mine.md": "---\nlens: private\n---\n\n# Workshop\n\nThe lease of the workshop costs too much.\n",
    "keys.md": f"# Workshop {SECRET}\n\nThe lease of the workshop is paid with {SECRET}, says the bank.\n",
}
QUERY = "the lease of the workshop"


def notes(folder: Path) -> None:
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")


def test_a_person_finds_what_is_private_and_secret(edit: Edit, tmp_path: Path) -> None:
    notes(tmp_path)
    found = edit().result("lens/find", {"query": QUERY})
    assert {"open.md", "mine.md", "keys.md"} <= {item["path"] for item in found["evidence"]}
    assert SECRET in str(found)


def test_a_model_gets_nothing_private_and_no_secret(edit: Edit, tmp_path: Path) -> None:
    notes(tmp_path)
    found = edit().result("lens/find", {"query": QUERY, "forModel": True})
    by_path = {item["path"]: item for item in found["evidence"]}
    assert "open.md" in by_path
    assert "mine.md" not in {*by_path, *(document["path"] for document in found["documents"])}
    assert "private passages that a model is not given: 1" in found["warnings"]
    assert "costs too much" not in str(found)
    assert SECRET not in str(found)
    marks = re.findall(r"\[\[SECRET:[^]]+\]\]", by_path["keys.md"]["quote"])
    assert len(marks) == 2
    assert len(set(marks)) == 1
    assert by_path["keys.md"]["uri"] == (tmp_path / "keys.md").as_uri()


def with_context(text: str, quote: str) -> Evidence:
    """Evidence whose context is all that stands around the quote in a text."""
    start = text.index(quote)
    end = start + len(quote)
    around = [
        Context(role, span, text[span.start : span.end])
        for role, span in ((ContextRole.BEFORE, Span(0, start)), (ContextRole.AFTER, Span(end, len(text))))
        if len(span)
    ]
    return replace(evidence(), span=Span(start, end), quote=quote, context=tuple(around))


def for_a_model(item: Evidence) -> dict[str, object]:
    (shown,) = for_model({"evidence": [evidence_json(item)], "documents": [], "warnings": []}, [item], {})["evidence"]
    return shown


def test_a_model_gets_no_secret_in_the_context_of_a_quote() -> None:
    item = with_context(f"The key is {SECRET}. The lease ends. Ask {SECRET}.", "The lease ends.")
    shown = for_a_model(item)
    assert (shown["quote"], shown["cleaned"]) == ("The lease ends.", True)
    texts = [part["text"] for part in shown["context"]]
    marks = re.findall(r"\[\[SECRET:[^]]+\]\]", str(texts))
    assert (len(marks), len(set(marks))) == (2, 1)
    assert SECRET not in str(shown)
    event = EvidenceFound(item, final=False, early=False)
    told = event_for_model(event, event_json(event, 1))
    assert told is not None
    assert [part["text"] for part in told["evidence"]["context"]] == texts


def test_a_secret_that_reaches_into_the_context_leaves_in_no_part() -> None:
    half = len(SECRET) // 2
    shown = for_a_model(with_context(f"Pay with {SECRET} today.", f"Pay with {SECRET[:half]}"))
    assert SECRET[half:] not in str(shown)
    assert SECRET[8:half] not in str(shown)


def test_context_without_a_secret_reaches_a_model_as_it_is() -> None:
    item = with_context("We moved in. The lease ends. Then we move.", "The lease ends.")
    shown = for_a_model(item)
    assert [part["text"] for part in shown["context"]] == ["We moved in. ", " Then we move."]
    assert shown["cleaned"] is False
