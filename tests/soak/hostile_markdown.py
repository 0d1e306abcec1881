"""Texts that want to act, shown in every way that we show text as Markdown: nothing of them becomes more than text.

``python -m tests.soak.hostile_markdown --n 300000`` makes as many texts out of pieces that act somewhere (links,
images, HTML, entities, tables, fences, what hides or reorders), shows each as a line of ours, as an answer, as a hover
and as a streamed synthesis, and has a renderer that is not ours (markdown-it) say what acts. It prints one JSON line
and exits with 1 if a link, an image or HTML came of one, if a word of a line was lost, or if the same texts without
escapes act in fewer than one in ten.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lens_lsp.domain.inert import inert_markdown, markdown_without_links, printable
from lens_lsp.lsp.hovering import escaped
from lens_lsp.oracle.marking import Sifter

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ACTIVE = frozenset({"link_open", "image", "html_inline", "html_block"})
_PIECES = """
![ [ ] ]( ( ) < > </ <img·src=x> <a·href="//e.example"> <!-- --> <?php ?> <![CDATA[ ]]> [x] [x]: [x]:·//e.example [1]
[7] [^1] [[x]] [[ ]] https://e.example //e.example www.e.example a@e.example <a@e.example> <https://e.example> &lt;
&#60; &#x5b; & ; ` `` ``` ~~~ | |-|- # - + 1. > * ** _ __ ~ ~~ $ \\ \\\\ \\[ \\` : ! = src= HREF·= placeholder=
command:x vscode://x file:///x javascript:x data:text/html,x "title" 'title' {x} word é漢😀 0 \u200b \u2060 \u202e
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
    return inert_markdown(" ".join(printable(text).split()))


WAYS: dict[str, Callable[[str], str]] = {
    "line": line,
    "answer": lambda text: markdown_without_links(printable(text), str),
    "hover": lambda text: escaped(printable(text)),
    "synthesis": synthesis,
}


@dataclass
class Tally:
    """What was shown, and what acted."""

    shown: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    active_without: int = 0


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


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    tally = run(options.n, options.seed)
    row = {
        "figure": "hostile-markdown",
        "n": tally.shown.total(),
        "bad": len(tally.wrong),
        "texts": options.n,
        "controlActive": tally.active_without,
        "wrong": tally.wrong[:5],
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(row, ensure_ascii=False))
    return 0 if not tally.wrong and tally.active_without * 10 >= options.n else 1


if __name__ == "__main__":
    sys.exit(main())
