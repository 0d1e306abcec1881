"""What a model wrote, as Markdown that does nothing: no links, images, tags, nor addresses that it made up.

A renderer fetches images and a person clicks on links, and either tells whoever is named there what the model read and
put into the address. A space at the right place is enough, and is the same in a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Collection

# Between "]" and "(" of a link, "]" and ":" of a link's definition, "<" and the name of a tag or an address.
_LIVE = re.compile(r"(?<=\])(?=[(:])|(?<=<)(?=[A-Za-z/!?])")
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]{1,31}:(?=//)|www(?=\.))([^\s<>]+)")
_BEHIND = ".,;:!?)]}\"'*_`"
"""What may follow an address in a sentence."""


def unlinked(text: str) -> str:
    """The text without links, images and tags."""
    return _LIVE.sub(" ", text)


def without_addresses(text: str, known: Collection[str] = ()) -> str:
    """The text without these and without addresses, but for those that stand in one of the ``known`` texts."""

    def broken(match: re.Match[str]) -> str:
        written = match[0].rstrip(_BEHIND)
        return match[0] if any(written in one for one in known) else f"{match[1]} {match[2]}"

    return _ADDRESS.sub(broken, unlinked(text))
