"""What is wrong with citations, as diagnostics: pushed and pulled, after edits here and changes by others."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import LEASE
from tests.lsp.lsp_client import Message
from tests.lsp.lsp_editor import CAPABILITIES, Editor, first_mark, under
from tests.soak.citation_costs import MOST_GROWTH, cite_many, diagnosed, ratio, scanned

Edit = Callable[..., Editor]
QUESTION = "When does the lease of the workshop end?"
ERROR, WARNING, INFORMATION = 1, 2, 3
WITHIN = 2.0
"""Seconds in which a change by another process shows."""


@pytest.fixture(autouse=True)
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "house" / "contract.md"
    path.parent.mkdir()
    path.write_text(f"# Contract\n\n## Term\n\n{LEASE}\n\nMonthly.\n")
    return path


def answered(editor: Editor, question: str = QUESTION) -> str:
    uri: str = editor.result("lens/ask", {"question": question})["answerUri"]
    return editor.show(Path(uri.removeprefix("file://")))


def by_another_process(code: str, *paths: Path) -> float:
    """Change files from outside; when it was done."""
    subprocess.run([sys.executable, "-c", f"import sys, os; a = sys.argv[1:]; {code}", *map(str, paths)], check=True)
    return time.monotonic()


def test_an_answer_that_stands_has_none(edit: Edit) -> None:
    editor = edit()
    uri = answered(editor)
    assert editor.result("lens/recheck", {"uri": uri})["counts"]["verified"] == 1
    assert editor.diagnostics(uri) == []


def test_a_mark_of_privacy_in_a_spelling_of_its_own_says_how_it_was_understood(edit: Edit, tmp_path: Path) -> None:
    editor = edit()
    note = tmp_path / "diary.md"
    note.write_text("---\ntitle: Mine\nlens : Private\n---\n\nNobody may know.\n")
    uri = editor.show(note)
    editor.wait(lambda: editor.codes(uri) == ["lens.private-spelling"])
    [found] = editor.diagnostics(uri)
    assert (found["severity"], found["range"]["start"]["line"]) == (WARNING, 2)
    assert found["message"].startswith("understood as private: `lens : Private`; write `lens: private`")
    editor.type(uri, "lens : Private", "lens: private")
    editor.wait(lambda: editor.codes(uri) == [])


def test_an_edit_shows_at_once_where_it_is_cited(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    source = editor.show(contract)
    editor.type(source, "## Term\n", "## Term\n\nmore\n")
    editor.wait(lambda: editor.codes(uri) == ["lens.citation-moved"])
    [found] = editor.diagnostics(uri)
    assert (found["severity"], found["source"]) == (INFORMATION, "lens")
    assert "contract.md:7:1" in found["message"]
    assert under(editor.texts[uri], found["range"]) == first_mark(editor.texts[uri])
    [related] = found["relatedInformation"]
    assert (related["location"]["uri"], related["location"]["range"]["start"]["line"]) == (source, 6)
    editor.type(source, "30 June", "31 June")
    editor.wait(lambda: set(editor.codes(uri)) == {"lens.citation-drifted", "lens.answer-stale"})
    assert {each["code"]: each["severity"] for each in editor.diagnostics(uri)} == {
        "lens.citation-drifted": WARNING,
        "lens.answer-stale": INFORMATION,
    }
    editor.type(source, "31 June", "30 June")
    editor.type(source, "more\n\n", "")
    editor.type(source, "\n\nThe", "\nThe")
    editor.notify("textDocument/didClose", {"textDocument": {"uri": source}})
    editor.wait(lambda: editor.codes(uri) == [])


@pytest.mark.long
@pytest.mark.parametrize("watching", ["system", "editor", "none"])
def test_a_change_by_another_process_shows_within_two_seconds(
    edit: Edit, contract: Path, tmp_path: Path, watching: str
) -> None:
    capabilities = CAPABILITIES
    if watching == "editor":
        more = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
        capabilities = CAPABILITIES | {"workspace": CAPABILITIES["workspace"] | more}
    editor = edit(capabilities=capabilities)
    uri = answered(editor)
    if watching == "none":  # outside the workspace nobody watches: cited files are looked at now and then
        outside = tmp_path.parent / f"{tmp_path.name}-outside"
        outside.mkdir()
        text = editor.texts[uri].replace(tmp_path.as_posix(), outside.as_posix())
        (outside / "house").mkdir()
        os.replace(contract, outside / "house" / "contract.md")
        contract = outside / "house" / "contract.md"
        editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        uri = editor.show(Path(uri.removeprefix("file://")), text)
    else:
        editor.wait(lambda: editor.result("lens/status")["watching"] == watching)

    def told(kind: int, path: Path) -> None:
        if watching == "editor":
            change = {"uri": path.as_uri(), "type": kind}
            editor.notify("workspace/didChangeWatchedFiles", {"changes": [change]})

    def shows(codes: set[str], since: float) -> None:
        editor.wait(lambda: set(editor.codes(uri)) == codes)
        assert time.monotonic() - since < WITHIN

    since = by_another_process(
        "open(a[0], 'a').write('x'); t = open(a[0]).read(); open(a[0], 'w').write('new\\n' + t)", contract
    )
    told(2, contract)
    shows({"lens.citation-moved"}, since)
    moved = contract.with_name("other.md")
    since = by_another_process("os.rename(*a)", contract, moved)
    told(3, contract)
    shows({"lens.citation-broken", "lens.answer-stale"}, since)
    since = by_another_process("os.rename(*a)", moved, contract)
    told(1, contract)
    shows({"lens.citation-moved"}, since)
    since = by_another_process("os.unlink(a[0])", contract)
    told(3, contract)
    shows({"lens.citation-broken", "lens.answer-stale"}, since)
    assert [each["severity"] for each in editor.diagnostics(uri)].count(ERROR) == 1


def test_a_renamed_folder_shows_too(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    editor.wait(lambda: editor.result("lens/status")["watching"] == "system")
    by_another_process("os.rename(*a)", contract.parent, contract.parent.with_name("home"))
    editor.wait(lambda: editor.codes(uri) == ["lens.citation-moved"])
    assert "home/contract.md" in editor.diagnostics(uri)[0]["message"]


def test_a_client_that_pulls_is_told_to_and_gets_nothing_pushed(edit: Edit, contract: Path) -> None:
    capabilities: Message = {
        **CAPABILITIES,
        "workspace": CAPABILITIES["workspace"] | {"diagnostics": {"refreshSupport": True}},
        "textDocument": {"diagnostic": {}},
    }
    editor = edit(capabilities=capabilities)
    uri = answered(editor)
    params = {"textDocument": {"uri": uri}}
    assert editor.result("textDocument/diagnostic", params) == {"kind": "full", "items": []}
    source = editor.show(contract)
    editor.type(source, "30 June", "31 June")
    editor.wait(lambda: editor.notifications("workspace/diagnostic/refresh"))
    items = editor.result("textDocument/diagnostic", params)["items"]
    assert {each["code"] for each in items} == {"lens.citation-drifted", "lens.answer-stale"}
    assert editor.diagnostics(uri) == []


def test_pulling_is_only_offered_to_who_lets_itself_be_told(edit: Edit) -> None:
    for diagnostic, refresh, offered in (({}, True, True), ({}, False, False), (None, True, False)):
        capabilities = {
            "workspace": {"diagnostics": {"refreshSupport": refresh}},
            "textDocument": {} if diagnostic is None else {"diagnostic": diagnostic},
        }
        editor = edit(capabilities=capabilities)
        uri = (Path.cwd() / "x.md").as_uri()
        answer = editor.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert ("result" in answer) is offered


@pytest.mark.parametrize(("settings", "counts"), [({}, True), ({"diagnostics": {"notes": False}}, False)])
def test_citations_in_notes_are_checked_unless_the_user_wants_none_of_it(
    edit: Edit, contract: Path, tmp_path: Path, settings: Message, counts: bool
) -> None:
    (tmp_path / "note.md").write_text(f"?? {QUESTION}\n")
    editor = edit(settings=settings)
    uri = editor.show(tmp_path / "note.md")
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    editor.run(action["command"])
    editor.wait(lambda: "lens:end" in editor.texts[uri])
    answer = answered(editor)
    source = editor.show(contract)
    editor.type(source, "30 June", "31 June")
    editor.wait(lambda: "lens.citation-drifted" in editor.codes(answer))
    if counts:
        editor.wait(lambda: "lens.citation-drifted" in editor.codes(uri))
    else:
        assert editor.diagnostics(uri) == []


def test_what_was_not_found_is_said_on_the_answer(edit: Edit, tmp_path: Path) -> None:
    (tmp_path / "garden.md").write_text("# Garden\n\nBeans and peas grow in the garden.\n")
    editor = edit()
    uri = answered(editor, "Who painted the ceiling of the garden?")
    editor.wait(lambda: "lens.fact-missing" in editor.codes(uri))
    [found] = [each for each in editor.diagnostics(uri) if each["code"] == "lens.fact-missing"]
    assert found["severity"] == INFORMATION
    assert "ceiling" in found["message"]
    assert under(editor.texts[uri], found["range"]).startswith("# Who")


def test_front_matter_that_cannot_be_read_is_an_error(edit: Edit, tmp_path: Path) -> None:
    editor = edit()
    path = tmp_path / "broken.md"
    path.write_text("---\nlens: answer/1\nroots: [\nsources: {}\n---\n\ntext\n")
    uri = editor.show(path)
    editor.wait(lambda: editor.codes(uri) == ["lens.citation-broken"])


@pytest.mark.parametrize("where", ["file", "block"])
def test_a_moved_citation_is_anchored_anew(edit: Edit, contract: Path, tmp_path: Path, where: str) -> None:
    editor = edit(settings={"diagnostics.notes": True, "answersFolder": "answers"})
    if where == "file":
        uri = answered(editor)
    else:
        (tmp_path / "note.md").write_text(f"?? {QUESTION}\n")
        uri = editor.show(tmp_path / "note.md")
        [action] = editor.actions(uri, editor.over(uri, "?? When"))
        editor.run(action["command"])
        editor.wait(lambda: "lens:end" in editor.texts[uri])
    contract.write_text("above\n\n" + contract.read_text())
    editor.wait(lambda: editor.codes(uri) == ["lens.citation-moved"])
    [problem] = editor.diagnostics(uri)
    actions = editor.actions(uri, problem["range"], diagnostics=[problem], only=["quickfix"])
    [anchor] = [each for each in actions if "edit" in each]
    assert anchor["diagnostics"] == [problem]
    for change in anchor["edit"]["documentChanges"]:
        editor.edit(uri, change["edits"])
    assert "contract.md:7](" in editor.texts[uri]
    editor.wait(lambda: editor.codes(uri) == [])
    Path(uri.removeprefix("file://")).write_text(editor.texts[uri])
    assert editor.result("lens/recheck", {"uri": uri})["counts"] == {
        "verified": 1,
        "moved": 0,
        "withdrawn": 0,
        "unverifiable": 0,
        "unreadable": 0,
    }


def test_a_fact_that_drifted_is_asked_again(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    contract.write_text(contract.read_text().replace("2031", "2045"))
    editor.wait(lambda: "lens.citation-drifted" in editor.codes(uri))
    problem = next(each for each in editor.diagnostics(uri) if each["code"] == "lens.citation-drifted")
    actions = editor.actions(uri, problem["range"], diagnostics=[problem], only=["quickfix"])
    assert [each["title"].partition(":")[0] for each in actions] == ["Ask again", "Check citations again"]
    result: Any = editor.run(actions[0]["command"])
    assert "2045" in result["evidence"][0]["quote"]
    counts = editor.run(actions[1]["command"])["counts"]
    assert sum(counts.values()) == 1


def test_checking_again_reads_everything_and_keeps_what_it_shows(edit: Edit, contract: Path) -> None:
    editor = edit()
    answered(editor)
    contract.write_text(contract.read_text().replace("2031", "2045"))
    assert editor.result("lens/recheck")["counts"]["withdrawn"] == 1
    [cluster] = editor.result("lens/clusters")["clusters"]
    assert cluster["archived"] is True
    assert editor.ask("lens/recheck", {"uri": "file:///etc/passwd"})["error"]["code"] == 1003


def test_one_answer_is_checked_by_itself_open_or_not(edit: Edit, contract: Path, tmp_path: Path) -> None:
    (tmp_path / "garden.md").write_text("# Garden\n\nBeans and peas grow in the garden since 1999.\n")
    editor = edit()
    uri = editor.result("lens/ask", {"question": QUESTION})["answerUri"]  # not open: nothing but the store knows it
    assert editor.result("lens/ask", {"question": "Since when do peas grow in the garden?"})["answerUri"] != uri
    everything = editor.result("lens/recheck")["citations"]
    report = editor.result("lens/recheck", {"uri": uri})
    assert (report["answers"], report["counts"]["verified"]) == (1, len(report["citations"]))
    assert {Path(each["path"]).name for each in report["citations"]} == {contract.name}
    assert len(report["citations"]) < len(everything)
    contract.write_text(contract.read_text().replace("2031", "2045"))
    assert editor.result("lens/recheck", {"uri": uri})["counts"]["withdrawn"] == len(report["citations"])
    answers = Path(uri.removeprefix("file://")).parent
    (tmp_path.parent / "elsewhere.md").write_text("Elsewhere.")
    (answers / "link.md").symlink_to(tmp_path.parent / "elsewhere.md")
    for other in (answers / "link.md", answers / "none.md", tmp_path.parent / "elsewhere.md"):
        error = editor.ask("lens/recheck", {"uri": other.as_uri()})["error"]
        assert (error["code"], error["data"]) == (1003, {"code": "lens.path-refused"})


def test_what_a_check_takes_grows_with_the_citations_and_no_faster(tmp_path: Path) -> None:
    few, many = cite_many(tmp_path / "few", 50), cite_many(tmp_path / "many", 200)
    assert diagnosed(few) > 50
    assert ratio(diagnosed, few, many) < MOST_GROWTH
    assert ratio(scanned, few, many) > MOST_GROWTH
