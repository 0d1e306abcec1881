"""A document that was made private after a question rested on it: no model is given anything of it any more."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from lens_lsp.lsp.locations import path_of
from tests.lsp.lsp_editor import Editor
from tests.soak.private_marks import EXACT, SPELLED, edited

Edit = Callable[..., Editor]
QUESTION = "When does the lease of the workshop end?"
CANARIES = ("31 October 2044", "Quillfeather")
"""In the document's proof, and in its title."""
TEXT = "# Contract of Quillfeather\n\n## Term\n\nThe lease of the workshop ends on 31 October 2044.\n"
OTHER = "# Boiler\n\nThe boiler of the workshop was serviced by Brandt in March 2031.\n"
REQUESTS = ("lens/find", "lens/ask", "lens/clusters", "lens/answer", "lens/passage", "lens/check")


def for_a_model(editor: Editor, contract: Path, answer: str, question: str) -> dict[str, object]:
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
    known = for_a_model(editor, contract, answer, QUESTION)
    assert all(CANARIES[0] in str(known[name]) for name in REQUESTS if name != "lens/check"), known
    leaked = []
    for line in lines:
        contract.write_text(f"---\ntitle: Quillfeather\n{line}\n---\n\n{TEXT}")
        for name, said in for_a_model(editor, contract, answer, QUESTION).items():
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
    said = []
    for text in (TEXT, f"---\nlens: private\n---\n{TEXT}", "another\n", None):
        outside.unlink(missing_ok=True)
        if text is not None:
            outside.write_text(text)
        reply = editor.ask("lens/answer", {"answer": uri, "forModel": True})
        said.append({key: reply[key] for key in ("result", "error") if key in reply})
    assert all(each == said[0] for each in said), said
    assert "error" in said[0]
