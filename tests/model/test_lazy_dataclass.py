from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest

from lens_lsp.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Frozen, in slots, with every kind of default."""

    path: str
    line: int = 1
    tags: list[str] = field(default_factory=list, compare=False)
    told: str = field(default="", repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Window(Place):
    """Inherits."""

    size: int = 0


@dataclass(slots=True)
class Tally:
    """Changes, and finishes itself."""

    count: int
    seen: list[int] = field(init=False, default_factory=list)
    double: int = field(init=False)

    def __post_init__(self) -> None:
        self.double = 2 * self.count


OPTIONS: list[dict[str, Any]] = [
    {},
    {"slots": True},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "order": True},
    {"frozen": True, "slots": True, "eq": False},
    {"eq": False},
]


def both(options: dict[str, Any]) -> list[type]:
    """The same class made by us and by the standard library."""

    def body() -> type:
        class Pair:
            """Two."""

            one: int
            two: float = 0.0

        return Pair

    return [make(**options)(body()) for make in (dataclass, dataclasses.dataclass)]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(
    "asked",
    [
        lambda make: make(1) == make(1, 0.0),
        lambda make: make(1) == make(2),
        lambda make: make(1) == (1, 0.0),
        lambda make: make(1, (nan := float("nan"))) == make(1, nan),
        lambda make: isinstance(hash(make(1)), int),
        lambda make: len({make(1), make(1), make(2)}),
        lambda make: repr(make(1)).split(".")[-1],
        lambda make: sorted([make(2), make(1, 3.0), make(1)]) == [make(1), make(1, 3.0), make(2)],
        lambda make: make(1) < (1, 0.0),
        lambda make: make(1) >= make(1),
        lambda make: dataclasses.astuple(dataclasses.replace(make(1), two=5.0)),
        lambda make: dataclasses.asdict(make(two=1.0, one=2)),
        lambda make: setattr(make(1), "one", 2),
        lambda make: delattr(make(1), "one"),
        lambda make: make(),
        lambda make: make(1, 2.0, 3.0),
        lambda make: make(1, three=3),
        lambda make: make.__match_args__,
        lambda make: make.__hash__ is None,
    ],
)
def test_a_class_behaves_as_one_of_the_standard_library(options: dict[str, Any], asked: Callable[[type], Any]) -> None:
    ours, theirs = (outcome(asked, make) for make in both(options))
    assert ours == theirs


def outcome(asked: Callable[[type], Any], make: type) -> Any:
    try:
        return asked(make)
    except (TypeError, AttributeError) as error:
        return type(error)


def test_no_method_is_compiled_before_the_first_instance() -> None:
    @dataclass(frozen=True, slots=True)
    class Later:
        value: int

    postponed = Later.__init__
    assert Later(3).value == 3
    assert Later.__init__ is not postponed
    assert list(inspect.signature(Later).parameters) == ["value"]
    assert Later.__init__ is vars(Later)["__init__"]


def test_defaults_names_and_inheritance() -> None:
    window = Window("a.md", 3, size=7, told="why")
    assert (window.path, window.line, window.tags, window.told, window.size) == ("a.md", 3, [], "why", 7)
    assert Place("a.md").tags is not Place("a.md").tags
    assert repr(Window("a.md")) == "Window(path='a.md', line=1, tags=[], size=0)"
    assert Place("a.md", tags=["x"]) == Place("a.md", tags=["y"])
    assert Place("a.md", told="why") != Place("a.md")
    assert Window("a.md") != Place("a.md")


def test_fields_that_are_no_arguments() -> None:
    tally = Tally(4)
    assert (tally.count, tally.seen, tally.double) == (4, [], 8)
    tally.count = 5
    assert tally.count == 5
    with pytest.raises(TypeError):
        Tally(4, [1])  # type: ignore[call-arg]


@pytest.mark.parametrize("one", [Window("a.md", 3, ["x"], size=7, told="why"), Tally(4)], ids=["frozen", "changing"])
def test_copies_and_pickles_are_equal(one: Any) -> None:
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one
        assert other is not one


def test_equal_ones_have_one_hash_and_frozen_ones_take_nothing() -> None:
    assert hash(Window("a.md", told="why")) == hash(Window("a.md", 1, ["other"], told="why"))
    for name in ("path", "unheard_of"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(Window("a.md"), name, "b.md")
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(Window("a.md"), name)


def test_what_holds_itself_can_be_shown() -> None:
    tally = Tally(1)
    tally.seen = [tally]  # type: ignore[list-item]
    assert repr(tally).count("...") == 1


def test_a_method_that_is_written_out_stays() -> None:
    @dataclass(frozen=True, slots=True)
    class Loud:
        value: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "loud"

    assert Loud(1) == Loud(2)
    assert hash(Loud(1)) == 7
    assert repr(Loud(1)) == "loud"


def test_a_standard_class_inherits_as_from_a_standard_one() -> None:
    @dataclasses.dataclass(frozen=True)
    class Marked(Place):
        mark: str = ""

    assert Marked("a.md", mark="x") == Marked("a.md", 1, [], "x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Marked("a.md").mark = "y"  # type: ignore[misc]
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        dataclasses.dataclass(type("Open", (Place,), {}))


def test_a_frozen_class_does_not_inherit_from_one_that_changes() -> None:
    with pytest.raises(TypeError, match="cannot inherit frozen dataclass from a non-frozen one"):
        dataclass(frozen=True)(type("Closed", (Tally,), {}))
