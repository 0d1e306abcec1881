"""Code actions and commands act at the cursor, or on the argument that they are given, and on nothing else."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import LEASE
from tests.lsp.lsp_editor import CAPABILITIES, Editor, offset, place, under

Edit = Callable[..., Editor]
Message = dict[str, Any]
INVALID_PARAMS = -32602
LEASE_ENDS = "When does the lease of the workshop end?"
OTHER = "Who keeps the beans and peas?"
NOTE = f"""---
title: Plans
---
# Plans of the year

The roof was mended in May. It cost 400 euros, and
the bill is paid. Nobody knows who came 😀 to see it.

- [ ] ?? {LEASE_ENDS}

- Beans are sown in April.
- Peas are sown in March. They
  need no water.

> Quoted words stand
> over two lines. And end here.

?? {OTHER}

<!-- a comment with words
over two lines -->

Claim with a mark.[^1] Another claim.

[^1]: somewhere else

## Last heading

1. One more line without an end"""
COMMANDS = ("ask", "find", "openAnswer", "insertAnswer", "wrong")
TARGETS = 100
STALE = 40


@pytest.fixture(autouse=True)
def contract(tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text(f"# Contract\n\n{LEASE}\n")
    (tmp_path / "garden.md").write_text("# Garden\n\nAda keeps the beans and peas.\n")


def acts_elsewhere(text: str, at: int, action: Message) -> bool:
    """Whether a code action, asked for at an offset, is about words that do not stand around it."""
    [argument] = action["command"]["arguments"]
    where = argument["scope"]["range"]
    if not place_of(where["start"]) <= place_of(place(text, at)) <= place_of(where["end"]):
        line_start = text.rfind("\n", 0, at) + 1  # a cursor on the sign of an item means the item
        start = offset(text, where["start"])
        if not (line_start <= at <= start and re.fullmatch(r"[-\d.\[\] >#]*", text[line_start:start])):
            return True
    asked = argument.get("question") or argument["query"]
    said = " ".join(re.sub(r"\[\^1\]|\n> ", " ", under(text, where)).split())
    return asked not in said


def place_of(position: Message) -> tuple[int, int]:
    return position["line"], position["character"]


def cursors(text: str, width: int, chance: random.Random) -> Iterator[tuple[int, Message]]:
    for at in chance.choices(range(len(text) - width), k=TARGETS):
        yield at, {"start": place(text, at), "end": place(text, at + width)}


@pytest.mark.parametrize("width", [0, 1])
def test_a_cursor_means_its_sentence_or_line(edit: Edit, tmp_path: Path, width: int) -> None:
    editor = edit()
    uri = editor.show(tmp_path / "note.md", NOTE)
    offered = 0
    for at, where in cursors(NOTE, width, random.Random(width)):
        actions = editor.actions(uri, where)
        assert not [each for each in actions if acts_elsewhere(NOTE, at, each)], (at, NOTE[at - 20 : at + 20], actions)
        assert len(actions) <= 2
        offered += bool(actions)
    assert offered > TARGETS / 2
    # The check sees what acts elsewhere: the actions of the first sentence, taken for those of the last line.
    first = editor.actions(uri, {"start": place(NOTE, 50), "end": place(NOTE, 50)})
    assert [acts_elsewhere(NOTE, len(NOTE), each) for each in first] == [True, True]


@pytest.mark.parametrize(
    ("words", "inside", "asked"),
    [
        ("It cost", 0, "It cost 400 euros, and the bill is paid."),
        ("Nobody", 30, "Nobody knows who came 😀 to see it."),
        ("- Peas", 0, "Peas are sown in March."),
        ("need no", 2, "They need no water."),
        ("over two", 3, "Quoted words stand over two lines."),
        ("Plans of", 0, "Plans of the year"),
        ("Claim with", 3, "Claim with a mark."),
        ("One more", 0, "One more line without an end"),
    ],
)
def test_the_sentence_is_asked_about_without_the_signs_around_it(
    edit: Edit, tmp_path: Path, words: str, inside: int, asked: str
) -> None:
    editor = edit()
    uri = editor.show(tmp_path / "note.md", NOTE)
    at = place(NOTE, NOTE.index(words) + inside)
    for end in (at, at | {"character": at["character"] + 1}):
        about, find = editor.actions(uri, {"start": at, "end": end})
        assert (about["title"], about["command"]["arguments"][0]["question"]) == ("Ask about this", asked)
        assert find["command"]["arguments"][0]["query"] == asked


@pytest.mark.parametrize("words", ["title: Plans", "\n\nThe roof", "a comment", "over two lines -->", "[^1]: some"])
def test_nothing_is_asked_where_no_words_stand(edit: Edit, tmp_path: Path, words: str) -> None:
    editor = edit()
    uri = editor.show(tmp_path / "note.md", NOTE)
    at = place(NOTE, NOTE.index(words) + (words[0] == "\n"))
    assert editor.actions(uri, {"start": at, "end": at}) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_without_its_argument_fails_with_the_syntax(edit: Edit, tmp_path: Path, name: str) -> None:
    editor = edit(fresh=True)
    uri = editor.show(tmp_path / "note.md", NOTE)
    editor.result("lens/ask", {"question": LEASE_ENDS})  # what could be remembered
    for number in range(12):
        for action in editor.actions(uri, editor.over(uri, ("?? When", "?? Who", "It cost")[number % 3])):
            assert action["command"]["arguments"]
        arguments = [{"arguments": []}, {}, {"arguments": [{}]}, {"arguments": None}][number % 4]
        error = editor.ask("workspace/executeCommand", {"command": f"lens.server.{name}"} | arguments)["error"]
        assert error["code"] == INVALID_PARAMS
        assert name in ("insertAnswer", "wrong") or '"…"' in error["message"]
    assert editor.texts[uri] == NOTE
    assert editor.shown == []
    assert editor.result("lens/ledger")["questions"][0]["question"] == LEASE_ENDS
    assert len(editor.result("lens/ledger")["questions"]) == 1


def test_what_was_offered_before_the_note_changed_still_goes_to_its_own_line(edit: Edit, tmp_path: Path) -> None:
    """The question moves, is reworded or goes between the offer and the answer, as another of the same note stands."""
    chance = random.Random(31)
    editor = edit()
    path = tmp_path / "note.md"
    for number in range(STALE):
        question, other = chance.sample([LEASE_ENDS, OTHER], 2)
        uri = editor.show(path, NOTE)
        elsewhere = editor.show(tmp_path / "elsewhere.md", f"?? {question}\n")
        [action] = editor.actions(uri, editor.over(uri, f"?? {question}"))
        line = next(each for each in NOTE.splitlines(keepends=True) if question in each)
        gone = number % 4 >= 2
        change = [
            NOTE.replace("# Plans", "New\n\nlines\n\n# Plans"),
            NOTE.replace(line, "") + f"\n\n?? {question}",
            NOTE.replace(line, ""),
            NOTE.replace(f"?? {question}", "?? Which words are new here?"),
        ][number % 4]
        editor.texts[uri] = change
        editor.versions[uri] += 1
        editor.change(uri, editor.versions[uri], {"text": change})
        told = len(editor.messages()) + len(editor.shown)
        editor.run(action["command"])
        said = lambda told=told, gone=gone: gone and len(editor.messages()) + len(editor.shown) > told  # noqa: E731
        editor.wait(lambda uri=uri, change=change, said=said: editor.texts[uri] != change or said())
        if gone:
            assert editor.texts[uri] == change
        else:
            block = re.search(r"\n<!-- lens:begin (\w+) .*<!-- lens:end \1 -->\n?", editor.texts[uri], re.DOTALL)
            assert block is not None
            assert editor.texts[uri][: block.start()].endswith(f"?? {question}")
            assert (editor.texts[uri][: block.start()] + editor.texts[uri][block.end() :]).split() == change.split()
            assert other not in block[0]
        assert editor.texts[elsewhere] == f"?? {question}\n"
        for each in (uri, elsewhere):
            editor.notify("textDocument/didClose", {"textDocument": {"uri": each}})


def test_an_editor_that_takes_no_edits_gets_the_answer_as_a_code_action(edit: Edit, tmp_path: Path) -> None:
    workspace = {name: each for name, each in CAPABILITIES["workspace"].items() if name != "applyEdit"}
    text = CAPABILITIES["textDocument"] | {"synchronization": {"didSave": True}}
    editor = edit(capabilities=CAPABILITIES | {"workspace": workspace, "window": {}, "textDocument": text})
    uri = editor.show(tmp_path / "note.md", NOTE)
    [ask] = editor.actions(uri, editor.over(uri, "?? When"))
    editor.run(ask["command"])
    editor.wait(lambda: any(".lens/answers/when-does" in each for each in editor.messages()))
    [kept] = (tmp_path / ".lens" / "answers").iterdir()
    first = next(n for n, each in enumerate(kept.read_text().split("\n"), 1) if each.startswith("> "))
    assert any(f"{kept.name}:{first})" in each for each in editor.messages())
    put, again = editor.actions(uri, editor.over(uri, "?? When"))
    assert (put["title"], again["title"]) == ("Put the answer here", "Ask")
    [change] = put["edit"]["documentChanges"]
    editor.edit(uri, change["edits"])
    assert f"?? {LEASE_ENDS}\n<!-- lens:begin q" in editor.texts[uri]
    assert [each["title"] for each in editor.actions(uri, editor.over(uri, "?? Who"))] == ["Ask"]
