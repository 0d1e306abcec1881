"""The stamp on what lens writes for people to keep: two marks between which the text is ours, and never evidence.

The marks are comments of Markdown. Whatever becomes of the text around them (quoted, indented, filled anew, pasted into
another note, under another name), `lens_lsp.corpus.generated_spans` finds the one and the other.
"""

from __future__ import annotations

import hashlib

OUTPUT = "output/1"
"""What a mark says of a text that `lens check` has nothing to do with: it carries no sources of its own."""


def stamp_of(*about: str) -> str:
    """The name of a stamp: a digest of what the text is about. Equal questions give equal stamps."""
    text = "\0".join(about).encode("utf-8", "surrogatepass")
    return "w" + hashlib.blake2b(text, digest_size=6).hexdigest()


def opening_mark(name: str) -> str:
    """What stands above a text of ours, on a line of its own with an empty one below."""
    return f'<!-- lens:begin {name} {{"lens":"{OUTPUT}"}} -->'


def closing_mark(name: str) -> str:
    """What stands below it, with an empty line above."""
    return f"<!-- lens:end {name} -->"


def stamped(text: str, name: str, comment: str = "") -> str:
    """A text between the marks of a stamp, each behind a sign of a ``comment``; empty for an empty text."""
    body = text.strip("\n")
    return f"{comment}{opening_mark(name)}\n\n{body}\n\n{comment}{closing_mark(name)}\n" if body else ""
