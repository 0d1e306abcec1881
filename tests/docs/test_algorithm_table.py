"""The table of the paper: every line of Algorithm 1, every numbered equation, and symbols that exist."""

from __future__ import annotations

import importlib
import re
from operator import attrgetter

import pytest
from documentation import DOCS, REPOSITORY, table_rows, text_of

from lens_lsp.search.passages import PassageWeights
from lens_lsp.search.prior import SIGNALS

# Written from the paper: the 13 lines of Algorithm 1, and the numbered equations in order of appearance with their
# labels, the main text's 11 first, then the supplement's 10 (an align with all but one line unnumbered counts once).
LINES = 13
EQUATIONS = (
    *[None] * 11,
    "eq:windowcount",
    None,
    "eq:ratio",
    "eq:ratiobound",
    "eq:bound",
    "eq:factorized",
    *[None] * 4,
)
EXPECTED = [(f"A{n}", "–") for n in range(1, LINES + 1)] + [
    (f"E{n}", label or "–") for n, label in enumerate(EQUATIONS, 1)
]
PAGE = DOCS / "explanation" / "algorithm.md"
ROWS = table_rows(PAGE, "## The table")
PLACE = re.compile(r"`([^`]+)`")


def places(cell: str) -> list[tuple[str, str]]:
    """File or folder and symbol, which may be empty."""
    return [(path, symbol) for path, _, symbol in (place.partition("::") for place in PLACE.findall(cell))]


def exists(path: str, symbol: str) -> bool:
    """Whether the repository holds the file or folder and, if one is named, the symbol in it."""
    if path.endswith("/"):
        return (REPOSITORY / path).is_dir()
    if not (REPOSITORY / path).is_file() or not symbol:
        return (REPOSITORY / path).is_file()
    module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    try:
        attrgetter(symbol)(module)
    except AttributeError:
        return False
    return True


def test_every_line_and_every_equation_has_one_row_in_order() -> None:
    assert len(EQUATIONS) == 21
    assert [(row[0], row[2]) for row in ROWS] == EXPECTED


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_tells_the_truth_about_the_code(row: list[str]) -> None:
    _, says, _, state, where, note = row
    assert says
    assert places(where), "no place named"
    if state == "next":
        assert not any(exists(path, symbol) for path, symbol in places(where)), "it is there: say built or partly"
        return
    assert state in ("built", "partly")
    for path, symbol in places(where):
        assert symbol, f"{path}: name the symbol"
        assert exists(path, symbol), f"{path}::{symbol} does not exist"
    assert state == "built" or note, "partly: say what is missing"


@pytest.mark.parametrize(
    ("path", "symbol", "expected"),
    [
        ("lens_lsp/app/lens.py", "Lens.find", True),
        ("lens_lsp/app/lens.py", "", True),
        ("lens_lsp/search/", "", True),
        ("lens_lsp/app/lens.py", "Lens.nowhere", False),
        ("lens_lsp/app/lens.py", "Nothing", False),
        ("lens_lsp/nowhere.py", "Lens", False),
        ("lens_lsp/nowhere/", "", False),
    ],
)
def test_a_place_exists_only_if_file_and_symbol_do(path: str, symbol: str, expected: bool) -> None:
    assert exists(path, symbol) is expected


def weights(name: str) -> dict[str, float]:
    """The signals of one of the formulas, each with its weight."""
    formula = re.search(rf"^    {name}\(d\) += (.+(?:\n {{8,}}\+.+)*)", text_of(PAGE), re.MULTILINE)
    assert formula is not None, name
    terms = [re.fullmatch(r"(?:([\d.]+) )?([\w ]+)", " ".join(term.split())) for term in formula[1].split("+")]
    return {term[2]: float(term[1] or 1) for term in terms if term is not None}


def test_the_page_has_every_signal_in_order_and_with_its_weights() -> None:
    rows = [(family, part) for family, part, _ in table_rows(PAGE, "## The signals")]
    assert rows == [*((signal.family, signal.name) for signal in SIGNALS), ("scans", "links")]
    assert weights("base") == {signal.name: signal.weight for signal in SIGNALS}
    assert weights("exploring") == {signal.name: signal.exploring for signal in SIGNALS if signal.exploring}


def test_the_page_has_every_constant_of_a_passage() -> None:
    section = text_of(PAGE).partition("## Passages")[2].partition("## Verification")[0]
    told = set(re.findall(r"(?<![\d.])\d\.\d+", section))
    constants = PassageWeights()
    assert {str(getattr(constants, name)) for name in PassageWeights.__slots__} - told == {str(constants.least)}
    assert constants.least == 0.25
    assert "at least a quarter of the most telling" in section
