"""Data classes whose methods are compiled with the first instance, so that commands start quickly.

``dataclasses`` compiles the methods of a class when it is defined, 0.7 ms each; a command defines 150 classes and makes
instances of few. What this saves is measured in docs/explanation/tried.md; otherwise they are the standard ones.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, *, frozen=False, eq=True, order=False, **options):
        """``dataclasses.dataclass`` whose ``__init__`` is compiled when the first instance is made.

        The other methods are the same functions for all classes, and as quick. ``dataclasses.replace``, ``fields`` and
        ``asdict`` work. Neither ``InitVar`` nor ``unsafe_hash`` is known.
        """

        def made(cls):
            return _made(cls, frozen, eq, order, options)

        return made if cls is None else made(cls)


def _made(cls: Any, frozen: bool, eq: bool, order: bool, options: dict[str, Any]) -> Any:
    own = {name for name, value in vars(cls).items() if value is not None or name != "__hash__"}
    inherits = frozen and any(dataclasses.is_dataclass(base) for base in cls.__mro__[1:])  # only a frozen class may
    made = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=inherits, **options)(cls)
    made.__dataclass_params__.frozen = frozen  # what a class that inherits from this one is compared with
    methods: dict[str, Any] = {"__init__": _first_init(made), "__repr__": _repr}
    compared = _values([field.name for field in dataclasses.fields(made) if field.compare])
    if eq:
        methods["__eq__"] = _comparison(compared, "__eq__")
        methods["__hash__"] = _hash(compared) if frozen else None
    if order:
        methods |= {name: _comparison(compared, name) for name in ("__lt__", "__le__", "__gt__", "__ge__")}
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
        if options.get("slots"):
            methods |= {"__getstate__": _state, "__setstate__": _set_state}
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    made.__frozen__ = frozen
    return made


def _first_init(cls: Any) -> Callable[..., None]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *args, **kwargs)

    return __init__


def _compiled_init(cls: Any) -> Callable[..., None]:
    """The method that ``dataclasses`` would have written."""
    scope: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    body: list[str] = []
    places: list[str] = []
    names: list[str] = []
    for field in dataclasses.fields(cls):
        value = name = field.name
        if field.default_factory is not dataclasses.MISSING:
            scope[f"_made_{name}"] = field.default_factory
            value = f"_made_{name}() if {name} is _missing else {name}" if field.init else f"_made_{name}()"
            default = "=_missing"
        elif field.default is not dataclasses.MISSING:
            scope[f"_default_{name}"] = field.default
            default = f"=_default_{name}"
            if not field.init:
                value = f"_default_{name}"
        else:
            default = ""
            if not field.init:
                continue
        if field.init:
            (names if field.kw_only else places).append(name + default)
        body.append(_assignment(cls, name, value, scope))
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(["self", *places, *(["*", *names] if names else [])])
    exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), scope)
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _assignment(cls: Any, name: str, value: str, scope: dict[str, Any]) -> str:
    if not cls.__frozen__:
        return f"self.{name} = {value}"
    slot = getattr(cls, name, None)
    if isinstance(slot, MemberDescriptorType):
        scope[f"_set_{name}"] = slot.__set__
        return f"_set_{name}(self, {value})"
    return f"_set(self, {name!r}, {value})"


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of these attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _comparison(values: Callable[[Any], tuple[Any, ...]], name: str) -> Callable[[Any, Any], Any]:
    compare: Callable[[Any, Any], bool] = getattr(tuple, name)

    def compared(self: Any, other: Any) -> Any:
        return compare(values(self), values(other)) if other.__class__ is self.__class__ else NotImplemented

    return compared


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    return lambda self: hash(values(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
