"""What the C library keeps of the memory that was given back to it.

Both are about glibc; other libraries have rules of their own, and nothing happens there.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_LARGEST_BLOCK = 4 << 20


@cache
def keep_blocks() -> None:
    """Have blocks kept that are given back, from now on.

    Unless it saw a larger block come and go, the library gives every block above 128 KB back to the system at once;
    getting it again costs several times what is done with it. The first such block is never touched; later ones would
    be cleared.
    """
    bytes(_LARGEST_BLOCK)


def give_back() -> None:
    """Give the system what nobody uses: some ten milliseconds, and memory that comes again must be cleared again."""
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    import ctypes  # few processes ever get here

    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or a system where none can be asked for so
        return bool
    return trim
