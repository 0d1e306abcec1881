"""Passages for an editor's chat model: nothing private, nothing secret."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.lsp.locations import path_of
from lens_lsp.lsp.model_view import event_for_model, for_model
from lens_lsp.model.answer import EvidenceFound
from lens_lsp.model.documents import Context, ContextRole, Evidence
from lens_lsp.model.text import Span
from lens_lsp.schema.answer_shapes import event_json, evidence_json
from tests.hand_made import evidence
from tests.lsp.lsp_editor import Editor
from tests.soak.private_marks import EXACT, SPELLED, edited

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


QUESTION = "When does the lease of the workshop end?"
CANARIES = ("31 October 2044", "Quillfeather")
"""In the document's proof, and in its title."""
TEXT = "# Contract of Quillfeather\n\n## Term\n\nThe lease of the workshop ends on 31 October 2044.\n"
OTHER = "# Boiler\n\nThe boiler of the workshop was serviced by Brandt in March 2031.\n"
REQUESTS = ("lens/find", "lens/ask", "lens/clusters", "lens/answer", "lens/passage", "lens/check")


def shown_to_model(editor: Editor, contract: Path, answer: str, question: str) -> dict[str, object]:
    """What each request says for a model: a result, or the error."""
    cited = {"uri": contract.as_uri(), "quote": "The lease of the workshop ends on"}
    params: dict[str, dict[str, object]] = {
        "lens/find": {"query": question},
        "lens/ask": {"question": question, "mode": "evidence"},
        "lens/clusters": {"fresh": True},
        "lens/answer": {"answer": answer},
        "lens/passage": {"uri": contract.as_uri()},
        "lens/check": {"citations": [cited]},
    }
    return {name: editor.ask(name, params[name] | {"forModel": True}) for name in REQUESTS}


def marks(count: int, seed: int) -> list[str]:
    """Front matter that makes a document private, in so many spellings."""
    chance = random.Random(seed)
    typos = [f"lens: {edited('private', chance)}" for _ in range(2)]
    return [EXACT[0], *typos, *chance.sample([line for line in SPELLED["front"] if line not in EXACT], count - 3)]


def private_since(editor: Editor, folder: Path, lines: list[str]) -> list[str]:
    """What a model was given of the document after it was made private, for each spelling of the mark."""
    contract = folder / "house" / "contract.md"
    contract.parent.mkdir(exist_ok=True)
    contract.write_text(TEXT)
    (folder / "house" / "boiler.md").write_text(OTHER)
    answer = editor.result("lens/ask", {"question": QUESTION})["answerUri"]
    known = shown_to_model(editor, contract, answer, QUESTION)
    assert all(CANARIES[0] in str(known[name]) for name in REQUESTS if name != "lens/check"), known
    leaked = []
    for line in lines:
        contract.write_text(f"---\ntitle: Quillfeather\n{line}\n---\n\n{TEXT}")
        for name, said in shown_to_model(editor, contract, answer, QUESTION).items():
            leaked += [f"{line!r} {name}: {canary}" for canary in CANARIES if canary in str(said)]
    return leaked


def test_a_model_is_given_nothing_of_what_was_made_private(edit: Edit, tmp_path: Path) -> None:
    assert private_since(edit(), tmp_path, marks(6, 1)) == []


@pytest.mark.long
def test_a_model_is_given_nothing_however_the_mark_is_spelled(edit: Edit, tmp_path: Path) -> None:
    assert private_since(edit(), tmp_path, marks(60, 2)) == []


def test_a_cluster_whose_source_cannot_be_read_is_for_people_alone(edit: Edit, tmp_path: Path) -> None:
    editor = edit()
    (tmp_path / "contract.md").write_text(TEXT)
    editor.result("lens/ask", {"question": QUESTION})
    (tmp_path / "contract.md").unlink()
    assert CANARIES[0] in str(editor.result("lens/clusters", {}))
    assert editor.result("lens/clusters", {"forModel": True})["clusters"] == []


def test_an_answer_that_names_a_file_outside_tells_a_model_nothing_of_it(edit: Edit, tmp_path: Path) -> None:
    """Whoever wrote the answer file could learn from a refusal whether the file outside is private."""
    folder, outside = tmp_path / "notes", tmp_path / "outside" / "contract.md"
    for path in (folder, outside.parent):
        path.mkdir()
    (folder / "contract.md").write_text(TEXT)
    editor = edit(folder)
    uri = editor.result("lens/ask", {"question": QUESTION})["answerUri"]
    assert "result" in editor.ask("lens/answer", {"answer": uri, "forModel": True})
    answer = path_of(uri)
    written = Path(answer).read_text("utf-8")
    forged = written.replace("contract.md", os.path.relpath(outside, folder).replace(os.sep, "/"))
    assert forged != written
    Path(answer).write_text(forged, "utf-8")
    records = Path(answer).parent / ".lens" / "citations.jsonl"
    known = records.read_text("utf-8")
    elsewhere = known.replace('"contract.md"', json.dumps(os.path.relpath(outside, folder).replace(os.sep, "/")))
    assert elsewhere != known
    records.write_text(elsewhere, "utf-8")
    said = []
    for text in (TEXT, f"---\nlens: private\n---\n{TEXT}", "another\n", None):
        outside.unlink(missing_ok=True)
        if text is not None:
            outside.write_text(text)
        reply = editor.ask("lens/answer", {"answer": uri, "forModel": True})
        said.append({key: reply[key] for key in ("result", "error") if key in reply})
    assert all(each == said[0] for each in said), said
    assert "error" in said[0]
