"""Texts that want to act, shown in every way that we show text as Markdown: nothing of them becomes more than text.

``python -m tests.soak.hostile_markdown --n 300000`` makes as many texts out of pieces that act somewhere (links,
images, HTML, entities, tables, fences, what hides or reorders), shows each as a line of ours, as an answer, as a hover
and as a streamed synthesis, and has a renderer that is not ours (markdown-it) say what acts. What a person's client
renders, all but the synthesis, is shown to those renderers, too, that guess addresses: markdown-it with its linkify as
it comes and as VS Code's preview has it, and marked as VS Code's hovers and chat have it; they lie in ``node_modules``
of the page and of the extension after ``npm ci`` (without them the line says so).
It prints one JSON line and exits with 1 if a link, an image or HTML came of one, if a word of a line was lost, or if
the same texts without escapes act in fewer than one in ten.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lens_lsp.judge.llm.replies import Sifter
from lens_lsp.lsp.navigation import escaped
from lens_lsp.model.sanitize import markdown_without_links, printable, sanitize_markdown
from tests.soak.harness import Options, Verdict, harness
from tests.soak.node import Node

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ACTIVE = frozenset({"link_open", "image", "html_inline", "html_block"})
_PIECES = """
![ [ ] ]( ( ) < > </ <img·src=x> <a·href="//e.example"> <!-- --> <?php ?> <![CDATA[ ]]> [x] [x]: [x]:·//e.example [1]
[7] [^1] [[x]] [[ ]] https://e.example //e.example www.e.example a@e.example <a@e.example> <https://e.example> &lt;
&#60; &#x5b; & ; ` `` ``` ~~~ | |-|- # - + 1. > * ** _ __ ~ ~~ $ \\ \\\\ \\[ \\` : ! = src= HREF·= placeholder=
command:x vscode://x file:///x file:/x
e.example.com notes.md é.de b@c.com mailto:a@localhost //localhost a;@b.co x.рф
javascript:x data:text/html,x "title" 'title' {x} word é漢😀 0 \u200b \u2060 \u202e
\ufeff \x1b[31m \x00 \U000e0041 &colon; &lbrack; <script> <svg/onload=x> <details·open·ontoggle=x>
"""
PIECES = _PIECES.split()
BREAKS = ("", "", "", " ", " ", "\n", "\n\n", "\r\n", "\t", "    ", "\n> ", "\n- ", "\x0b", "\x0c")


def synthesis(text: str) -> str:
    """As a model's answer that came in pieces."""
    sifter = Sifter((1,))
    half = len(text) // 2
    return sifter.feed(text[:half]) + sifter.feed(text[half:]) + sifter.finish()


def line(text: str) -> str:
    return sanitize_markdown(" ".join(printable(text).split()))


WAYS: dict[str, Callable[[str], str]] = {
    "line": line,
    "answer": lambda text: markdown_without_links(printable(text), str),
    "hover": lambda text: escaped(printable(text)),
    "synthesis": synthesis,
}


REPOSITORY = Path(__file__).resolve().parents[2]
_MODULES = {
    "markdown-it": REPOSITORY / "lens_lsp" / "desktop" / "page" / "node_modules" / "markdown-it",
    "marked": REPOSITORY / "vscode-extension" / "node_modules" / "marked",
}
GUESSING = """
const MarkdownIt = require(%s); const { marked } = require(%s);
const Made = MarkdownIt.default ?? MarkdownIt;
const linkify = new Made({ html: true, linkify: true });
const preview = new Made({ html: true, linkify: true });
preview.linkify.set({ fuzzyLink: false });
const ours = { link_open: 'link', image: 'image', html_inline: 'html', html_block: 'html' };
const parsed = renderer => text => renderer.parse(text + '\\n', {}).flatMap(block => [block, ...(block.children ?? [])])
  .flatMap(({ type }) => ours[type] ?? []);
const lexed = text => {
  const found = [];
  marked.walkTokens(marked.lexer(text), ({ type }) => {
    if (['link', 'image', 'html'].includes(type)) found.push(type);
  });
  return found;
};
const renderers = { linkify: parsed(linkify), preview: parsed(preview), marked: lexed };
const answered = texts => texts.map(text => Object.entries(renderers).flatMap(([name, render]) => {
  const found = [...new Set(render(text))];
  return found.length ? [name + ' ' + found] : [];
}));
"""
"""What renderers that guess addresses make of texts, beside words."""
AT_ONCE = 500


def guessing() -> Node | None:
    """The renderers of the clients; None where they are not installed."""
    if shutil.which("node") is None or not all(module.is_dir() for module in _MODULES.values()):
        return None
    return Node(GUESSING % tuple(json.dumps(str(module)) for module in _MODULES.values()))


@dataclass
class Tally:
    """What was shown, and what acted."""

    shown: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    active_without: int = 0
    guessed: int = 0
    """Texts that were shown to renderers that guess."""
    guessed_without: int = 0


def made(draw: random.Random) -> str:
    """A text of pieces that act somewhere."""
    parts = [draw.choice(PIECES).replace("·", " ") + draw.choice(BREAKS) for _ in range(draw.randint(1, 14))]
    return "".join(parts)


def tokens(markdown: str) -> list[Token]:
    """What a renderer makes of a text: a whole document, for it reads past the end of one that lacks its last newline
    and breaks off in HTML inside a list inside a quote."""
    return RENDERER.parse(f"{markdown}\n")


def acting(markdown: str) -> set[str]:
    """What a renderer makes of a text beside words."""
    return {token.type for block in tokens(markdown) for token in (block, *(block.children or ()))} & ACTIVE


def told(markdown: str) -> str:
    """The words that a reader sees, without blanks."""
    seen = [
        token.content for block in tokens(markdown) for token in (block.children or ([block] if block.content else []))
    ]
    return "".join("".join(seen).split())


def run(n: int, seed: int) -> Tally:
    """Show ``n`` texts in every way."""
    draw, tally = random.Random(seed), Tally()
    for _ in range(n):
        text = made(draw)
        tally.active_without += bool(acting(printable(text)))
        for name, way in WAYS.items():
            shown = way(text)
            tally.shown[name] += 1
            if found := acting(shown):
                tally.wrong.append(f"{name}: {sorted(found)} from {text!r}: {shown!r}")
        if not text.isascii():
            continue
        if told(f"x {line(text)}") != "x" + "".join(printable(text).split()):
            tally.wrong.append(f"line: other words from {text!r}: {line(text)!r}")
    return tally


def run_guessing(n: int, seed: int, node: Node) -> Tally:
    """Show ``n`` texts in every way that a client renders, to renderers that guess addresses."""
    draw, tally = random.Random(seed), Tally()
    ways = {name: way for name, way in WAYS.items() if name != "synthesis"}
    while tally.guessed < n * len(ways):
        texts = [made(draw) for _ in range(min(AT_ONCE, n - tally.guessed // len(ways)))]
        tally.guessed_without += sum(map(bool, node.answer([printable(text) for text in texts])))
        shown = [(name, text, way(text)) for text in texts for name, way in ways.items()]
        for (name, text, markdown), found in zip(shown, node.answer([each for *_, each in shown]), strict=True):
            if found:
                tally.wrong.append(f"{name}: {found} from {text!r}: {markdown!r}")
        tally.guessed += len(shown)
    return tally


@harness(n=300_000, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.n, options.seed)
    node = guessing()
    if node is not None:
        with node:
            guessed = run_guessing(options.n, options.seed, node)
        tally.wrong += guessed.wrong
        tally.guessed, tally.guessed_without = guessed.guessed, guessed.guessed_without
    row = {
        "n": tally.shown.total() + 3 * tally.guessed,
        "guessing": "linkify, preview, marked" if tally.guessed else "not installed",
        "guessed": tally.guessed,
        "controlGuessed": tally.guessed_without,
        "texts": options.n,
        "controlActive": tally.active_without,
        "wrong": tally.wrong,
    }
    caught = tally.active_without * 10 >= options.n and tally.guessed_without >= tally.guessed // 30
    return row, caught


if __name__ == "__main__":
    sys.exit(main())
