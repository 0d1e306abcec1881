"""Navigation and hover: places re-verified at the moment of the request, and symbols."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.lsp.document_snapshot import surroundings
from lens_lsp.lsp.navigation import CitationUse, as_markup, describe_citation, describe_uses, escaped
from lens_lsp.memory.check import Cited, Finding
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import TextSource
from lens_lsp.model.text import Position, Span
from tests.lsp.conftest import LEASE
from tests.lsp.lsp_editor import CAPABILITIES, Editor, first_mark, offset, place, under
from tests.soak.hostile_markdown import acting

Edit = Callable[..., Editor]

QUESTION = "When does the lease of the workshop end?"
QUOTE = f"é漢😀 {LEASE}"

RENT = "The rent of the workshop is 900 euros a month."
MILL = "é漢😀 The rent of the mill is 1040 euros a month."


@pytest.fixture(autouse=True)
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "contract.md"
    path.write_text(f"# Contract\n\n## Term\n\n{QUOTE}\n\n## Rent\n\n{RENT}\n")
    return path


def answered(editor: Editor, question: str = QUESTION) -> str:
    """Ask, and show the answer's file; its URI."""
    uri: str = editor.result("lens/ask", {"question": question})["answerUri"]
    return editor.show(Path(uri.removeprefix("file://")))


def quotes(editor: Editor, locations: list[dict[str, Any]]) -> list[str]:
    """What stands at some locations, in the editor's text where it is open."""
    texts = [
        editor.texts.get(each["uri"]) or Path(each["uri"].removeprefix("file://")).read_text() for each in locations
    ]
    return [under(text, each["range"]) for text, each in zip(texts, locations, strict=True)]


def refer(editor: Editor, uri: str, words: str) -> list[dict[str, Any]]:
    params = editor.at(uri, words) | {"context": {"includeDeclaration": False}}
    found: list[dict[str, Any]] = editor.result("textDocument/references", params)
    return found


def define(editor: Editor, uri: str, words: str = "[^1]") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = editor.result("textDocument/definition", editor.at(uri, words))
    return found


def units(text: str, encoding: str) -> int:
    """How long a text is as a client counts."""
    return {"utf-8": len(text.encode()), "utf-16": len(text.encode("utf-16-le")) // 2}[encoding]


def test_a_footnote_leads_to_the_exact_span(edit: Edit) -> None:
    editor = edit()
    uri = answered(editor)
    for words in ("[^1]", "[^1]:", "contract.md:5]"):
        assert quotes(editor, define(editor, uri, words)) == [QUOTE]
    assert define(editor, uri, "# When") == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_spans_are_counted_as_the_client_does(edit: Edit, contract: Path, encoding: str) -> None:
    editor = edit(capabilities=CAPABILITIES | {"general": {"positionEncodings": [encoding]}})
    uri = answered(editor)
    [found] = define(editor, uri, "[^1]:")
    line = contract.read_text().split("\n")[found["range"]["start"]["line"]]
    assert found["range"]["end"]["character"] - found["range"]["start"]["character"] == units(line, encoding)


def test_nothing_is_read_in_a_window_that_is_not_trusted(edit: Edit, contract: Path) -> None:
    editor = edit(options={"trusted": False})
    uri = answered(editor)
    for _ in range(2):
        assert define(editor, uri) == []
        said = editor.result("textDocument/hover", editor.at(uri, "[^1]"))["contents"]["value"]
        assert "cannot be checked" in said
        assert "not trusted" in said
        contract.write_text("Nothing of it is there any more.\n")


def test_what_moved_is_found_where_it_stands_now(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    contract.write_text("new above\n\n" + contract.read_text())
    [found] = define(editor, uri)
    assert quotes(editor, [found]) == [QUOTE]
    assert found["range"]["start"]["line"] == 6
    contract.rename(contract.parent / "renamed.md")
    contract.parent.joinpath("renamed.md").write_text(f"# Contract\n\n## Term\n\n{QUOTE}\n\n## Rent\n\n{RENT}\n")
    [found] = define(editor, uri)
    assert found["uri"].endswith("/renamed.md")


def test_an_unsaved_edit_counts(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    source = editor.show(contract)
    editor.type(source, "## Term\n", "## Term\n\nOne line more.\n")
    assert quotes(editor, define(editor, uri)) == [QUOTE]
    editor.type(source, "30 June", "31 June")
    assert define(editor, uri) == []


def test_a_copy_in_an_open_text_leaves_no_doubt_which_one_was_cited(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    source = editor.show(contract)
    before = place(editor.texts[source], editor.texts[source].index("## Term"))
    editor.edit(source, [{"range": {"start": before, "end": before}, "newText": f"{QUOTE}\n\n"}])
    [found] = define(editor, uri)
    assert offset(editor.texts[source], found["range"]["start"]) == editor.texts[source].rindex(QUOTE)
    close = {"textDocument": {"uri": source}}
    contract.write_text(editor.texts[source])
    editor.notify("textDocument/didClose", close)
    assert define(editor, uri) == []  # of what was done to the file nothing is known any more


@pytest.mark.parametrize("change", ["edited", "deleted", "copied"])
def test_what_was_withdrawn_has_no_place_and_says_why(edit: Edit, contract: Path, change: str) -> None:
    editor = edit()
    uri = answered(editor)
    if change == "edited":
        contract.write_text(contract.read_text().replace("30 June", "31 June"))
    elif change == "deleted":
        contract.unlink()
    else:
        contract.write_text(f"{QUOTE}\n\n{contract.read_text()}")
    assert define(editor, uri) == []
    assert refer(editor, uri, "# When") == []
    assert "withdrawn" in editor.messages()[-1]


def test_a_footnote_that_was_changed_by_hand_leads_nowhere(edit: Edit) -> None:
    editor = edit()
    uri = answered(editor)
    at = editor.texts[uri].rindex("30 June")
    editor.edit(uri, [{"range": span(editor.texts[uri], at, 7), "newText": "31 June"}])
    assert define(editor, uri, "[^1]:") == []


def span(text: str, at: int, length: int) -> dict[str, Any]:
    line = text[:at].count("\n")
    column = at - (text[:at].rfind("\n") + 1)
    return {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + length}}


def test_a_claim_or_a_heading_refers_to_all_its_evidence(edit: Edit, contract: Path) -> None:
    contract.with_name("rent.md").write_text(f"# Rent\n\n{RENT}\n")
    contract.write_text(f"# Contract\n\n{QUOTE}\n")
    editor = edit()
    uri = answered(editor, "Which files mention the workshop?")
    whole = set(quotes(editor, refer(editor, uri, "# Which")))
    assert any(QUOTE in quote for quote in whole)
    assert any(RENT in quote for quote in whole)
    claim = next(line for line in editor.texts[uri].split("\n") if first_mark(line) in line)
    [first, *_] = quotes(editor, refer(editor, uri, claim))
    assert first in whole
    assert quotes(editor, refer(editor, uri, "[^1]")) == [first]
    assert refer(editor, uri, "*Answered offline") == []


def test_the_question_of_a_block_refers_to_its_evidence(edit: Edit, tmp_path: Path) -> None:
    editor = edit()
    (tmp_path / "note.md").write_text(f"# N\n\n?? {QUESTION}\n")
    uri = editor.show(tmp_path / "note.md")
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    editor.run(action["command"])
    editor.wait(lambda: "lens:end" in editor.texts[uri])
    for words in ("?? When", "<!-- lens:begin", "<!-- lens:end", "# N"):
        assert quotes(editor, refer(editor, uri, words)) == [QUOTE]


def test_links_lead_where_the_quote_stands_when_they_are_followed(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    links = editor.result("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert [under(editor.texts[uri], each["range"]) for each in links] == [first_mark(editor.texts[uri])] * 2
    assert "target" not in links[0]
    contract.write_text("above\n" + contract.read_text())
    end = 1 + len(QUOTE)
    assert editor.result("documentLink/resolve", links[0])["target"] == f"{contract.as_uri()}#L6,1-L6,{end}"
    contract.unlink()
    assert "target" not in editor.result("documentLink/resolve", links[0])
    assert "withdrawn" in editor.messages()[-1]


def hover(editor: Editor, uri: str, words: str) -> str:
    found = editor.result("textDocument/hover", editor.at(uri, words))
    assert isinstance(found["contents"], dict)
    return str(found["contents"]["value"])


def test_hover_shows_quote_place_headings_and_state(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    assert hover(editor, uri, "[^1]") == f"“{QUOTE}”\ncontract.md:5:1  Contract › Term\n✓ still says so"
    contract.write_text("above\n" + contract.read_text())
    assert "contract.md:6:1" in hover(editor, uri, "[^1]")
    assert "↷ moved" in hover(editor, uri, "[^1]")
    contract.unlink()
    assert "✗ withdrawn: the file is gone" in hover(editor, uri, "[^1]")
    assert editor.result("textDocument/hover", editor.at(uri, "*Judged")) is None


def test_hover_shows_what_stands_beside_the_quote_now(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    contract.write_text(contract.read_text().replace(QUOTE, f"As agreed:\n{QUOTE} Not before."))
    assert hover(editor, uri, "[^1]").startswith(f"As agreed: “{QUOTE}” Not before.\n")


def test_hover_of_hostile_text_does_nothing(edit: Edit, contract: Path) -> None:
    hostile = (
        "The lease of the workshop ends on <b>30</b> June"
        " ![x](https://e.example/a.png) [y](command:z) `c` &lt; \x1b[31m"
    )
    contract.write_text(f"# <img src=x> [h](http://e.example)\n\n{hostile}\n")
    only = CAPABILITIES | {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
    for capabilities, kind in ((CAPABILITIES, "plaintext"), (only, "markdown")):
        editor = edit(capabilities=capabilities)
        uri = answered(editor)
        found = editor.result("textDocument/hover", editor.at(uri, "[^1]"))["contents"]
        assert found["kind"] == kind
        assert "\x1b" not in found["value"]
        if kind == "markdown":
            shown = found["value"].replace("\\\\", "")
            assert not any(mark in shown.replace(f"\\{mark}", "") for mark in "<>[]()`!&")


def test_a_note_says_which_answers_cite_it(edit: Edit, contract: Path) -> None:
    editor = edit()
    uri = answered(editor)
    source = editor.show(contract)
    assert (
        hover(editor, source, LEASE)
        == f"cited by 1 answer\n{first_mark(editor.texts[uri]).replace('^', '')} {QUESTION}"
    )
    assert editor.result("textDocument/hover", editor.at(source, "## Rent")) is None
    [found] = refer(editor, source, LEASE)
    assert found["uri"] == uri
    assert (
        editor.texts[uri].split("\n")[found["range"]["start"]["line"]].startswith(f"{first_mark(editor.texts[uri])}:")
    )
    assert refer(editor, source, "## Rent") == []
    editor.type(source, "# Contract\n", "# Contract\n\nmore\n")
    assert len(refer(editor, source, LEASE)) == 1
    editor.type(source, "30 June", "31 June")
    assert refer(editor, source, "The lease of") == []


def notebook(folder: Path) -> str:
    """A notebook, alone in its folder, that answers the question of its rent; its URI."""
    (folder / "contract.md").unlink()
    cells = [{"cell_type": "markdown", "metadata": {}, "source": [cell]} for cell in ("# Mill\n", f"{MILL}\n")]
    path = folder / "mill.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    return path.as_uri()


def places(editor: Editor) -> list[dict[str, Any]]:
    """Where everything leads that leads to the proof of the mill's rent: evidence, definition, references, link."""
    asked = editor.result("lens/ask", {"question": "How much is the rent of the mill?"})
    [evidence] = asked["evidence"]
    uri = editor.show(Path(asked["answerUri"].removeprefix("file://")))
    [link] = editor.result("textDocument/documentLink", {"textDocument": {"uri": uri}})[:1]
    target, _, place = editor.result("documentLink/resolve", link)["target"].partition("#")
    lines = [int(number) - 1 for number in re.findall(r"\d+", place)]
    start, end = ({"line": line, "character": at} for line, at in (lines[:2], lines[2:]))
    linked = {"uri": target, "range": {"start": start, "end": end}}
    found = [*define(editor, uri, "[^1]:"), *refer(editor, uri, "# How"), linked]
    return [{"uri": evidence["uri"], "range": evidence["range"]}, *found]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_places_in_a_document_count_in_its_text_for_a_client_that_reads_it(
    edit: Edit, tmp_path: Path, encoding: str
) -> None:
    uri = notebook(tmp_path)
    capabilities = CAPABILITIES | {"general": {"positionEncodings": [encoding]}}
    editor = edit(capabilities=capabilities, options={"texts": True})
    found = places(editor)
    text: str = editor.result("lens/text", {"uri": uri})["text"]
    line = text.split("\n").index(MILL)
    start, end = {"line": line, "character": 0}, {"line": line, "character": units(MILL, encoding)}
    assert found == [{"uri": uri, "range": {"start": start, "end": end}}] * 4


def test_they_are_the_top_of_the_file_for_any_other(edit: Edit, tmp_path: Path) -> None:
    uri = notebook(tmp_path)
    top = {"line": 0, "character": 0}
    assert places(edit()) == [{"uri": uri, "range": {"start": top, "end": top}}] * 4


def test_a_text_that_is_not_open_has_no_places(edit: Edit, contract: Path) -> None:
    editor = edit()
    params = {"textDocument": {"uri": contract.as_uri()}, "position": {"line": 0, "character": 0}}
    assert editor.result("textDocument/hover", params) is None
    assert editor.result("textDocument/definition", params) == []


def test_a_path_with_unusual_characters_is_one_uri(edit: Edit, tmp_path: Path, contract: Path) -> None:
    folder = tmp_path / "a b#c%20ü"
    folder.mkdir()
    contract.rename(folder / "x?y.md")
    editor = edit()
    uri = answered(editor)
    [found] = define(editor, uri)
    assert found["uri"] == (folder / "x?y.md").as_uri()


def test_an_editor_without_trees_gets_a_list(edit: Edit, tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text(f"# C\n\n{LEASE}\n")
    editor = edit(capabilities=CAPABILITIES | {"textDocument": {}})
    uri = editor.show(Path(editor.result("lens/ask", {"question": QUESTION})["answerUri"].removeprefix("file://")))
    found = editor.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert found[0]["name"] == QUESTION
    assert all("location" in each for each in found)


PLACE = Position(3, 4)

CITATION = Citation("/", "a.md", TextSource.DISK, "0" * 64, "utf-8", "md/1", Span(9, 12), "yes")


@pytest.mark.parametrize(
    ("formats", "kind"),
    [
        ([], "plaintext"),
        (["plaintext"], "plaintext"),
        (["markdown", "plaintext"], "plaintext"),
        (["markdown"], "markdown"),
    ],
)
def test_plain_text_is_shown_wherever_the_client_takes_it(formats: list[str], kind: str) -> None:
    shown = as_markup("a *b*", formats)
    assert (shown.kind.value, shown.value) == (kind, "a *b*" if kind == "plaintext" else r"a \*b\*")


def test_every_mark_is_escaped_and_lines_stay() -> None:
    marks = "".join(map(chr, [*range(33, 48), *range(58, 65), *range(91, 97), *range(123, 127)]))
    assert escaped(f" {marks} \nb") == "".join(f"\\{mark}" for mark in marks) + "  \nb"
    assert acting(escaped("![x](y) <img src=x> [z]: http://e.example\n\n[z]")) == set()


def told(
    quote: str = "yes", heading: tuple[str, ...] = (), at: Position | None = PLACE, **checked: object
) -> list[str]:
    """The lines of a hover on a citation of ``a.md``."""
    citation = Citation("/", "a.md", TextSource.DISK, "0" * 64, "utf-8", "md/1", Span(9, 12), quote, heading=heading)
    finding = Checked(citation, CitationState.VERIFIED, Span(9, 12), "0" * 64)
    return describe_citation(Finding(Cited("x.md", 1, "1", "/", citation), replace(finding, **checked), at)).split("\n")


def test_quote_place_headings_and_state_stand_on_lines_of_their_own() -> None:
    assert told() == ["“yes”", "a.md:3:4", "✓ still says so"]
    assert told(heading=("A\tb", "C"))[1] == "a.md:3:4  A b › C"
    moved = told(state=CitationState.MOVED, why="it stands\u202e below", path="b\n.md", at=None)
    assert moved[1:] == [r"b\n.md", "↷ moved: it stands\u202e below"]
    assert told("\n\x1b[31myes\n")[0] == "“yes”"


@pytest.mark.parametrize(("length", "shown"), [(2_000, "y" * 2_000), (2_001, "y" * 1_999 + "…")])
def test_a_long_quote_is_cut_to_the_character(length: int, shown: str) -> None:
    assert told("y" * length)[0] == f"“{shown}”"


def uses(count: int) -> list[CitationUse]:
    return [CitationUse(Span(0, 1), "/x.md", 1, str(n), f"Why\n{n}?") for n in range(1, count + 1)]


def test_ten_uses_are_named_and_more_are_hinted_at() -> None:
    assert describe_uses(uses(1)) == "cited by 1 answer\n[1] Why 1?"
    assert describe_uses(uses(2)) == "cited by 2 answers\n[1] Why 1?\n[2] Why 2?"
    assert describe_uses(uses(10)).count("\n") == 10
    eleven = describe_uses(uses(11)).split("\n")
    assert (eleven[0], eleven[-2], eleven[-1]) == ("cited by 11 answers", "[10] Why 10?", "…")


def around(before: str, quote: str, after: str) -> tuple[str, str]:
    return surroundings(before + quote + after, Span(len(before), len(before + quote)))


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("We met. ", " In cash.", ("We met.", "In cash.")),
        ("# Rent\n\nWe met\nin May. ", "\r\n\r\nNext.", ("We met in May.", "")),
        ("Above.\n \t\n", " It\nis\n\nnot.", ("", "It is")),
        ("", "", ("", "")),
    ],
)
def test_beside_a_quote_stands_the_rest_of_its_paragraph(before: str, after: str, shown: tuple[str, str]) -> None:
    assert around(before, "The rent is due.", after) == shown


def test_what_stands_beside_a_quote_is_kept_short() -> None:
    before, after = around("first " * 100, "Here.", " last" * 100)
    assert before.startswith("…first first")
    assert after.endswith("last last…")
    assert max(len(before), len(after)) <= 201


def test_a_hover_shows_the_quote_between_what_stands_beside_it() -> None:
    finding = Finding(
        Cited("x.md", 1, "1", "/", CITATION), Checked(CITATION, CitationState.VERIFIED, Span(9, 12)), PLACE
    )
    assert describe_citation(finding, ("Say\u202e it:", "or no")).split("\n")[0] == "Say it: “yes” or no"
    assert describe_citation(finding).split("\n")[0] == "“yes”"
    markdown = as_markup(describe_citation(finding, ("![x](y)", "<b>")), ["markdown"]).value
    assert acting(markdown) == set()


WRITTEN = {
    "md": ("See [it](house/deed.md#L5).", None),
    "org": ("See [[file:house/deed.org::*Term][it]] and [[house/deed.org::5][its line]].", "* Deed\n\n** Term\n"),
    "rst": ("See `it <house/deed.rst#term>`__.", "Deed\n====\n\nTerm\n----\n"),
    "adoc": ("See xref:house/deed.adoc#term[it] and link:house/deed.adoc[all].", "= Deed\n\n== Term\n"),
}


@pytest.mark.parametrize("suffix", WRITTEN)
def test_a_link_that_somebody_wrote_leads_to_its_line_or_heading_and_back(
    edit: Edit, tmp_path: Path, suffix: str
) -> None:
    words, heads = WRITTEN[suffix]
    deed = tmp_path / "house" / f"deed.{suffix}"
    deed.parent.mkdir()
    deed.write_text((heads or "# Deed\n\n## Term\n\n") + f"{LEASE}\n\nMore.\n")
    editor = edit()
    uri = editor.show(tmp_path / f"note.{suffix}", f"Mine.\n\n{words}\n")
    (tmp_path / f"note.{suffix}").write_text(editor.texts[uri])
    at = words.index("house/deed")
    [found] = editor.result("textDocument/definition", editor.at(uri, words, at + 1))
    line = 5 if suffix == "md" else 4 if suffix == "rst" else 3
    assert (found["uri"], found["range"]["start"]["line"] + 1) == (deed.as_uri(), line)
    shown = editor.result("textDocument/hover", editor.at(uri, words, at + 1))["contents"]["value"]
    assert shown.startswith(f"deed.{suffix}:{line}\n")
    assert (LEASE if suffix == "md" else "Term") in shown
    source = editor.show(deed)
    back = refer(editor, source, LEASE if suffix == "md" else "Term")
    assert [(each["uri"], each["range"]["start"]["line"]) for each in back] == [(uri, 2)]


@pytest.mark.parametrize(
    "link", ["[it](contract.md#term)", "[it](contract.md)", "[[contract]]", "[it](../secret.md#L1)", "[it](no.md#L1)"]
)
def test_what_a_server_for_markdown_knows_better_and_what_lies_elsewhere_is_not_claimed(
    edit: Edit, tmp_path: Path, link: str
) -> None:
    (tmp_path.parent / "secret.md").write_text("Nobody may see this.\n")
    editor = edit()
    uri = editor.show(tmp_path / "note.md", f"Mine.\n\nSee {link}.\n")
    assert editor.result("textDocument/definition", editor.at(uri, link, 3)) == []
    assert editor.result("textDocument/hover", editor.at(uri, link, 3)) is None


def test_a_link_of_a_window_that_is_not_trusted_leads_nowhere(edit: Edit, tmp_path: Path) -> None:
    editor = edit(options={"trusted": False})
    uri = editor.show(tmp_path / "note.md", "See [it](contract.md#L5).\n")
    assert editor.result("textDocument/hover", editor.at(uri, "contract.md#L5")) is None
