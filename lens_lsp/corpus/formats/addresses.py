"""Bare addresses in text: where they stand, without the punctuation behind them."""

from __future__ import annotations

import re
from bisect import bisect_right

from lens_lsp.corpus.formats.outline import Outline
from lens_lsp.model.documents import Block, BlockKind
from lens_lsp.model.text import Span

_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s<>\"`|\\^{}\[\]，。；：！？、（）「」『』【】《》“”‘’…]+")
_PUNCTUATION = ".,;:!?'*_~"
_APART = frozenset({BlockKind.CODE, BlockKind.FRONT_MATTER})


def add_addresses(outline: Outline) -> None:
    """Keep the addresses outside code and metadata as targets. The blocks of the outline must be in order."""
    blocks = outline.blocks
    for match in _ADDRESS.finditer(outline.text):
        index = bisect_right(blocks, match.start(), key=_start) - 1
        if index < 0 or blocks[index].kind not in _APART or blocks[index].span.end <= match.start():
            outline.targets.append(Span(match.start(), match.start() + _length(match[0])))


def _start(block: Block) -> int:
    return block.span.start


def _length(address: str) -> int:
    """How much of it is no punctuation of the sentence around it: a parenthesis stays if it was opened inside."""
    extra = address.count(")") - address.count("(")
    end = len(address)
    while end and (address[end - 1] in _PUNCTUATION or (address[end - 1] == ")" and extra > 0)):
        extra -= address[end - 1] == ")"
        end -= 1
    return end
