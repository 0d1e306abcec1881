"""Good inputs that the fuzzing begins with."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lens_lsp.documents.kinds import Extracted
from lens_lsp.memory.answer_files import write_answer
from lens_lsp.memory.store_rows import encode_json
from lens_lsp.model.documents import Block, BlockKind, Head, Heading, LocatorMap, Structure
from lens_lsp.model.text import Span
from tests.judge.llm.chat_wire import completion, delta
from tests.lsp.lsp_client import frame
from tests.memory.kept import kept
from tests.memory.old_blocks import old_answer, old_block
from tests.memory.test_answer_files import hostile, saved

_WORDS = "Größe 漢字 😀\r\nfirst line\x0cof\u2028it\r\n\x1b[31mred\x1b[0m \u202eesrever"


def texts() -> tuple[bytes, ...]:
    """A text in many encodings, with and without a mark."""
    codecs = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030")
    return (*(_WORDS.encode(codec) for codec in codecs), "Grüße, für 10 €".encode("cp1252"), b"\xff\xfb\x90\x00", b"")


def notes() -> tuple[bytes, ...]:
    """Notes of several formats."""
    return tuple(
        text.encode()
        for text in (
            (
                "---\ntitle: A\ntags: [b, c]\n---\n# H\n\ntext [[link|x]] ![i](u)\n\n"
                "|a|b|\n|-|-|\n|1|2|\n\n```py\nx = 1\n```\n"
            ),
            "<html><head><title>T</title></head><body><h1>H</h1><p>a<table><tr><td>x</table><script>y</script>",
            '{"cells": [{"cell_type": "markdown", "source": ["# A\\n", "b"]}], "metadata": {}}',
            'a,b,c\r\n1,"2\n3",4\r\n',
            "\\section{A}\n\\begin{itemize}\\item b\\end{itemize}\n\\begin{verbatim}x\\end{verbatim}",
            "* A\n:PROPERTIES:\n:ID: x\n:END:\n#+begin_src py\ny\n#+end_src\n| a | b |",
            "Title\n=====\n\n.. note:: x\n\n::\n\n  code\n\n= A\n\n----\nb\n----\n|===\n|a |b\n|===",
            "key: value\nlist:\n  - a\n  - {b: c}\n[table]\nx = 1\n",
            "def f(x):\n    '''doc'''\n    return x  # y\n\nclass A:\n    pass\n",
        )
    )


def messages() -> tuple[bytes, ...]:
    """Messages in their frames."""
    one = frame({"jsonrpc": "2.0", "id": 1, "method": "lens/status"})
    return (
        one,
        one * 3,
        b"content-type: x\r\ncontent-length: 2\r\n\r\n{}" + one,
        b"Content-Length: 999999999999\r\n\r\n",
    )


def uris() -> tuple[bytes, ...]:
    """URIs of files and of other things."""
    return tuple(
        b"file:///a%20b.md file://localhost/c/d#L3 file:/x/y file://host/share file:///a/%2e%2e/b untitled:Untitled-1"
        b" file:///%00 vscode-notebook-cell:/a#x file:///%C3%A9/%ff http://x/y file:////h/s FILE:///../../etc".split()
    )


def paths() -> tuple[bytes, ...]:
    """Paths below a root, and others."""
    return tuple(b"a/f.md a/b l.md a/l/f.md a/p a/../a/f.md ../out/f.md a//f.md ./a/f.md a/f.md/ \xff\xfe/a".split())


def streams() -> tuple[bytes, ...]:
    """Replies of an endpoint, whole and as events."""
    events = (delta("Grüße "), delta("🙂"), delta("", "stop"), {"choices": [], "usage": {"prompt_tokens": 3}})
    data = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    return data.encode(), completion("It is so."), b'{"error": {"message": "no"}}', b"<html>"


def said() -> tuple[bytes, ...]:
    """What a model says at each stage."""
    found = [{"region": 1, "fact": "f1", "verdict": "full", "quote": "a b", "value": "b"}]
    facts = [{"text": "When?", "type": "date", "many": False, "label": "x"}]
    return tuple(
        text.encode()
        for text in (
            json.dumps({"found": found, "terms": {"f1": ["x"]}, "unproven": ["f2"]}),
            json.dumps({"intent": "lookup", "facts": facts, "anchors": ["a", "b"], "combine": "none"}),
            '```json\n{"anchors": ["a"]}\n```',
            '<think>x</think> {"short": "30 June", "unmet": ["f1"]}',
            "30 June 2031",
        )
    )


def extracted(result_of: Callable[[Extracted], tuple[dict[str, Any], bytes]]) -> tuple[bytes, ...]:
    """A worker's reply: its head, a NUL, its text."""
    text = "Größe 😀\n\nName | Age\nAnn | 7"
    blocks = (Block(BlockKind.HEADING, Span(0, 7)), Block(BlockKind.TABLE_ROW, Span(9, 19)))
    structure = Structure(Head("T", ("a",)), (Heading(Span(0, 7), 1, "Größe 😀"),), blocks, hidden=(Span(0, 1),))
    places = LocatorMap((0, 9), ({"page": 1}, {"sheet": "S", "cell": "A1"}))
    head, body = result_of(Extracted(text, places, structure, ("one page is a picture",)))
    return (json.dumps(head).encode() + b"\0" + body,)


def answers() -> tuple[bytes, ...]:
    """Answer files and a block in a note."""
    block = old_block(saved(hostile()), "q1")
    files = (old_answer(saved()), old_answer(saved(hostile())), write_answer(saved(hostile())).text)
    return *(each.encode() for each in files), f"# N\n\n{block}\nMine.\n".encode()


def stored() -> tuple[bytes, ...]:
    """Plans as columns of a store."""
    return tuple(json.dumps(encode_json(kept(n).asked[0].plan), ensure_ascii=False).encode() for n in range(8))
