"""Edits of hostile texts, at places that may not exist, applied by us and by what VS Code's servers use.

``python -m tests.soak.lsp_edits --n 1000000`` applies as many edits, in three encodings in turn, to our texts and to an
independent reference over code units, and those in UTF-16 to npm's `vscode-languageserver-textdocument` in node, too
(``--without-node`` leaves that out). It prints one JSON line and exits with 1 if a text differed after any edit; and if
pygls' own document differed never. `NODE_PATH` says where the npm package is; without it, npm is asked for it.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.workspace import TextDocument as BareDocument

from lens_lsp.lsp.locations import Encoding
from lens_lsp.lsp.open_documents import TextDocument
from tests.lsp.test_lsp_locations import Place, Reference, drawn_edit, drawn_text
from tests.soak.harness import Options, Verdict, harness
from tests.soak.node import Node

PACKAGE = "vscode-languageserver-textdocument"
EDITS = 20
"""Of one text."""
ENCODINGS = tuple(Encoding)
# Half a character cannot be addressed in a text of Python: such a place is moved before the character, as ours is. The
# document is made anew for each edit: after one beyond the last line the package (1.0.16) counts its lines wrong.
DRIVER = """
const { TextDocument } = require('vscode-languageserver-textdocument');
const snapped = (document, place) => {
  const text = document.getText(), at = document.offsetAt(place), unit = text.charCodeAt(at);
  return unit >= 0xDC00 && unit < 0xE000 && at > 0 ? document.positionAt(at - 1) : place;
};
const answered = ({ text, edits }) => {
  let now = text;
  return edits.map(edit => {
    const document = TextDocument.create('file:///a', 'markdown', 0, now);
    if (edit.range) {
      const { start, end } = edit.range;
      edit.range = { start: snapped(document, start), end: snapped(document, end) };
    }
    TextDocument.update(document, [edit], 1);
    return (now = document.getText());
  });
};
"""


@dataclass
class Tally:
    """What came of a number of edits."""

    edits: int = 0
    compared: int = 0
    """Edits whose text node compared, too."""
    bare: int = 0
    """Texts of pygls that differed or could not be changed."""
    wrong: list[str] = field(default_factory=list)


@contextmanager
def node() -> Iterator[Node]:
    """Node with the package, installed for this run unless `NODE_PATH` names it."""
    with tempfile.TemporaryDirectory() as base:
        modules = os.environ.get("NODE_PATH", "")
        if not (Path(modules) / PACKAGE).is_dir():
            command = [
                "npm",
                "install",
                "--silent",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
                "--prefix",
                base,
                PACKAGE,
            ]
            subprocess.run(command, check=True, capture_output=True, timeout=120)
            modules = str(Path(base) / "node_modules")
        with Node(DRIVER, modules) as process:
            yield process


def change(new: str, first: Place | None, last: Place | None) -> dict[str, Any]:
    """An edit as the protocol has it."""
    if first is None or last is None:
        return {"text": new}
    start, end = ({"line": line, "character": character} for line, character in (first, last))
    return {"range": {"start": start, "end": end}, "text": new}


def bare_text(document: BareDocument, edit: dict[str, Any], right: str) -> bool:
    """Whether pygls changes its text as it should; else it is given the right one."""
    try:
        if "range" in edit:
            places = (types.Position(**edit["range"][end]) for end in ("start", "end"))
            document.apply_change(types.TextDocumentContentChangePartial(range=types.Range(*places), text=edit["text"]))
        else:
            document.apply_change(types.TextDocumentContentChangeWholeDocument(text=edit["text"]))
    except (IndexError, ValueError, UnicodeError):
        return False
    return document.source == right


def episode(draw: random.Random, encoding: Encoding, tally: Tally, other: Node | None, *, control: bool) -> None:
    """One text and its edits."""
    start = drawn_text(draw, 60)
    ours = TextDocument(types.TextDocumentItem("file:///a.md", "markdown", 0, start), encoding)
    reference = Reference(start, encoding.value)
    bare = BareDocument("file:///a.md", start)
    edits, texts = [], []
    for _ in range(EDITS):
        new, first, last = drawn_edit(draw, reference)
        edit = change(new, first, last)
        where = None
        if first is not None and last is not None:
            where = types.Range(types.Position(*first), types.Position(*last))
        ours.change(new, where)
        reference.change(new, first, last)
        edits.append(edit)
        texts.append(ours.text)
        if ours.text != reference.text:
            tally.wrong.append(f"{encoding.value}: {start!r} {edits!r}: {ours.text!r}, not {reference.text!r}")
            return
        if control and not bare_text(bare, edit, reference.text):
            tally.bare += 1
            bare = BareDocument("file:///a.md", reference.text)
    tally.edits += EDITS
    if other is not None and encoding is Encoding.Utf16:
        tally.compared += EDITS
        theirs = other.answer({"text": start, "edits": edits})
        if theirs != texts:
            tally.wrong.append(f"node: {start!r} {edits!r}: {texts!r}, not {theirs!r}")


def run(edits: int, seed: int = 1, other: Node | None = None) -> Tally:
    """As many edits; with node two texts of three are in UTF-16, and the first hundred are given to pygls, too."""
    tally, draw = Tally(), random.Random(seed)
    turns = (
        ENCODINGS if other is None else (Encoding.Utf16, Encoding.Utf8, Encoding.Utf16, Encoding.Utf32, Encoding.Utf16)
    )
    number = 0
    while tally.edits < edits and not tally.wrong:
        episode(draw, turns[number % len(turns)], tally, other, control=number < 100)
        number += 1
    return tally


@harness(n=1_000_000, seed=1, without_node=False)
def main(options: Options) -> Verdict:
    if options.without_node:
        tally = run(options.n, options.seed)
    else:
        with node() as other:
            tally = run(options.n, options.seed, other)
    return {
        "n": tally.edits,
        "comparedInNode": tally.compared,
        "wrong": tally.wrong,
        "controlBad": tally.bare,
    }, tally.bare


if __name__ == "__main__":
    sys.exit(main())
