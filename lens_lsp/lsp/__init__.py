"""The language server, a front end: the only package that knows pygls (docs/explanation/language-server.md).

lsprotocol has attrs make 554 classes when it is imported, and most of that is the compiler's work on their methods. A
session uses a fifth of them. So they are made on first use here, before any module of this package imports them.
"""

from __future__ import annotations

import sys
from threading import RLock
from typing import Any, TypeVar, get_type_hints

import attrs

_C = TypeVar("_C", bound=type)
_FIELDS = "__attrs_attrs__"
_making = RLock()


def import_types() -> None:
    """Import ``lsprotocol.types`` so that its classes are made on first use; nothing if it is there already.

    Fault: it makes all of them at once (``test_importing_the_types_makes_few_classes``).
    """
    if "lsprotocol.types" in sys.modules:
        return
    define = attrs.define
    attrs.define = postponed  # type: ignore[assignment]
    try:
        import lsprotocol.types  # noqa: F401
    finally:
        attrs.define = define
    from lsprotocol import _hooks

    _hooks._resolved_forward_references = True  # done for each class as it is made; theirs would make all of them


def postponed(cls: _C) -> _C:
    """``attrs.define``, but not before somebody asks for the fields of the class or makes an instance of it.

    The class stays the same object, so it gets no slots.
    """

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        _make(cls)
        cls.__init__(self, *args, **kwargs)  # type: ignore[misc]

    cls.__init__ = __init__  # type: ignore[misc]
    setattr(cls, _FIELDS, _Unmade(cls))
    return cls


class _Unmade:
    """In the place of a class's fields until it is made."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __get__(self, instance: object, owner: type) -> object:
        _make(self._cls)
        return getattr(owner, _FIELDS)


def _make(cls: type) -> None:
    """Once, whichever threads ask for it."""
    with _making:
        if isinstance(vars(cls)[_FIELDS], _Unmade):
            attrs.define(cls, slots=False, init=True, field_transformer=_with_types)


def _with_types(cls: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """The fields with the types that their annotations name: nobody sees them without."""
    from lsprotocol.types import ALL_TYPES_MAP

    types = get_type_hints(cls, ALL_TYPES_MAP, {}, include_extras=True)
    return [field.evolve(type=types[field.name]) for field in fields]


import_types()
