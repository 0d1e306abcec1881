"""Regular expressions that are compiled when they are first used, so that commands start quickly.

``re`` compiles an expression when it is defined, a quarter of a millisecond each; a command defines hundreds and uses a
third of them. It stands apart from `lazy_dataclass`, whose import of ``dataclasses`` costs ``lens --version`` 20 ms.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
_FACTS = ("flags", "groups", "groupindex")

if TYPE_CHECKING:

    def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """``re.compile``, but not before the expression is used: a mistake in it shows only then."""
        ...

else:

    def regex(text, flags=0):
        """``re.compile``, but not before the expression is used: a mistake in it shows only then."""
        return _Postponed(text, flags)


class _Compiled:
    """The methods of an expression, in slots."""

    __slots__ = ("_asked", "pattern", *_FACTS, *_METHODS)


class _Postponed(_Compiled):
    __slots__ = ()

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern = text
        self._asked = flags

    def __getattr__(self, name: str) -> Any:  # what is not in its slot yet
        compiled = re.compile(self.pattern, self._asked)
        for slot in (*_FACTS, *_METHODS):
            setattr(self, slot, getattr(compiled, slot))
        self.__class__ = _Compiled  # type: ignore[assignment]  # nothing to go through any more
        return getattr(compiled, name)
