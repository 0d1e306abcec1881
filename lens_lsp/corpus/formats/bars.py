"""Lists and bars of nothing but links: tables of contents and navigation."""

from __future__ import annotations

import re
from itertools import groupby

from lens_lsp.model.documents import Block, BlockKind

_LEAST_LINKS = 5
"""Links of a list that make it navigation."""
_LINK = (
    r"(?:\[[^\[\]]*+\](?:\(([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)?)\)|\[[^\[\]]*+\])"
    r"|\[\[([^\[\]\n]*+)\]\]|<https?://[^\s<>]*+>|https?://\S++)"
)
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?[*_`]{0,3}" + _LINK + r"[*_`]{0,3}[.,;:]?[ \t]*+")
_BAR = re.compile(r"[*_]{0,3}" + _LINK + r"(?>(?:\s*+[|·•»«←→][\s|·•»«←→]*+" + _LINK + r")+)[*_]{0,3}\s*+")


def with_bars(text: str, blocks: list[Block]) -> list[Block]:
    """The blocks, those named contents or navigation that are.

    A list whose items are all links into its own document is its table of contents. A list of five items or more that
    are nothing but a link each is navigation, and so is a paragraph of links between bars.
    """
    found: list[Block] = []
    for kind, group in groupby(blocks, key=_kind):
        run = list(group)
        if kind is BlockKind.LIST_ITEM:
            run = _renamed(run, _kind_of_list(text, run))
        elif kind is BlockKind.PARAGRAPH:
            run = [_renamed([block], _kind_of_bar(text, block))[0] for block in run]
        found += run
    return found


def _kind(block: Block) -> BlockKind:
    return block.kind


def _renamed(run: list[Block], kind: BlockKind | None) -> list[Block]:
    return run if kind is None else [Block(kind, block.span, block.header) for block in run]


def _kind_of_list(text: str, run: list[Block]) -> BlockKind | None:
    own = True
    for block in run:
        match = _ITEM.fullmatch(text, block.span.start, block.span.end)
        if match is None:
            return None
        own = own and (match[1] or match[2] or "").startswith("#")
    if own:
        return BlockKind.CONTENTS
    return BlockKind.NAVIGATION if len(run) >= _LEAST_LINKS else None


def _kind_of_bar(text: str, block: Block) -> BlockKind | None:
    if text[block.span.start] not in "[*_<" or _BAR.fullmatch(text, block.span.start, block.span.end) is None:
        return None
    return BlockKind.NAVIGATION
