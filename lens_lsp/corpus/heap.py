"""What the C library keeps of the memory that was given back to it.

All of it is about glibc; other libraries have rules of their own, and nothing happens there.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_LARGEST_BLOCK = 4 << 20
_ARENA_MAX = -8
"""M_ARENA_MAX of malloc.h."""


@cache
def keep_blocks() -> None:
    """Have blocks kept that are given back, from now on.

    Unless it saw a larger block come and go, the library gives every block above 128 KB back to the system at once;
    getting it again costs several times what is done with it. The first such block is never touched; later ones would
    be cleared.
    """
    bytes(_LARGEST_BLOCK)


@cache
def share() -> None:
    """Have threads that are still to come take memory from where all do.

    Each would have a heap of its own, where the blocks stay that it gave back: fifty megabytes for those that read
    files and answer questions.
    """
    _function("mallopt")(_ARENA_MAX, 1)


def give_back() -> None:
    """Give the system what nobody uses: some ten milliseconds, and memory that comes again must be cleared again."""
    _function("malloc_trim")(0)


@cache
def _function(name: str) -> Callable[..., object]:
    """A function of the C library; one that does nothing where it has none of this name."""
    import ctypes  # what reads texts has imported it already

    try:
        function: Callable[..., object] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):  # another C library, or a system where none can be asked for so
        return _nothing
    return function


def _nothing(*_: int) -> None:
    pass
