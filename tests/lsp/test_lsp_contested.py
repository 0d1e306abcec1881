"""Notes that cite what other sources contradict, or what the user called wrong: told in the note, for as long as so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.memory.clusters import citation_id
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_rows import Changes
from lens_lsp.model.answer import RequirementStatus
from lens_lsp.model.text import Span
from tests.lsp.conftest import LEASE
from tests.lsp.lsp_client import Message
from tests.lsp.lsp_editor import CAPABILITIES, Editor, under
from tests.lsp.test_lsp_elsewhere import PULLING

Edit = Callable[..., Editor]
QUESTION = "When does the lease of the workshop end?"
OTHER = "The lease of the workshop ends on 30 June 2032."
NOTE = f"# Plans\n\n?? {QUESTION}\n\nMine.\n"
WARNING, UNNECESSARY, DEPRECATED = 2, 1, 2
TAGGING: Message = CAPABILITIES | {
    "textDocument": CAPABILITIES["textDocument"] | {"publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}}}
}


@pytest.fixture
def note(tmp_path: Path) -> Path:
    (tmp_path / "contract.md").write_text(f"# Contract\n\n{LEASE}\n")
    path = tmp_path / "note.md"
    path.write_text(NOTE)
    return path


def asked_in(editor: Editor, uri: str) -> Path:
    """Ask the note's question, and wait for the block; the folder of the store that keeps the answer."""
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    answer: str = editor.run(action["command"])["answerUri"]
    editor.wait(lambda: "lens:end" in editor.texts[uri])
    return Path(answer.removeprefix("file://")).parent.parent


def test_a_citation_that_another_source_contradicts_is_told_until_none_does(edit: Edit, note: Path) -> None:
    editor = edit(capabilities=TAGGING)
    uri = editor.show(note)
    folder = asked_in(editor, uri)
    editor.wait(lambda: editor.codes(uri) == [])
    annex = note.with_name("annex.md")
    annex.write_text(f"# Annex\n\n{OTHER}\n")
    with Store.open(folder) as store:
        [cluster] = store.clusters()
        citation = dict(cluster.citations)[cluster.facts[0].evidence[0]]
        at = len("# Annex\n\n")
        other = replace(citation, path="annex.md", quote=OTHER, span=Span(at, at + len(OTHER)), sha256="0" * 64)
        known = {**dict(cluster.citations), citation_id(other): other}
        status, evidence = RequirementStatus.CONTESTED, (*cluster.facts[0].evidence, citation_id(other))
        fact = replace(cluster.facts[0], status=status, evidence=evidence)
        changed = replace(cluster, facts=(fact,), citations=tuple(sorted(known.items())))
        store.save(Changes(clusters=(changed,)))  # as another process does it
    editor.wait(lambda: editor.codes(uri) == ["lens.contested"])
    [found] = editor.diagnostics(uri)
    assert (found["severity"], found["tags"]) == (WARNING, [UNNECESSARY])
    assert under(editor.texts[uri], found["range"]).startswith("[^q")
    assert found["message"].endswith(f"sources disagree on {fact.requirement.text}: annex.md says “{OTHER}”")
    source = editor.show(annex)
    editor.type(source, "2032", "2031")
    editor.type(uri, "Mine.", "Mine, too.")
    editor.wait(lambda: editor.codes(uri) == [])


@pytest.mark.parametrize("capabilities", [TAGGING, PULLING], ids=["pushed", "pulled"])
def test_an_answer_that_was_called_wrong_is_told_in_the_note_until_that_is_forgotten(
    edit: Edit, note: Path, capabilities: Message
) -> None:
    editor = edit(capabilities=capabilities)
    uri = editor.show(note)
    asked_in(editor, uri)

    def shows(codes: list[str]) -> None:
        def so() -> bool:
            if capabilities is PULLING:
                pulled = editor.result("textDocument/diagnostic", {"textDocument": {"uri": uri}})
                return [each["code"] for each in pulled["items"]] == codes
            return editor.codes(uri) == codes

        editor.wait(so)

    shows([])
    [cluster] = editor.result("lens/clusters")["clusters"]
    [check] = editor.result("lens/wrong", {"ids": [cluster["id"]]})["checks"]
    assert check["question"] == QUESTION
    shows(["lens.contested"])
    if capabilities is TAGGING:
        [found] = editor.diagnostics(uri)
        assert found["tags"] == [DEPRECATED]
        assert found["message"].endswith(f"proves an answer that was called wrong: {QUESTION}")
        editor.type(uri, QUESTION, "Which lease did we read?")  # the control: the same words answer another question
        shows([])
        editor.type(uri, "Which lease did we read?", QUESTION)
        shows(["lens.contested"])
    editor.result("lens/forget", {"all": True})
    shows([])
