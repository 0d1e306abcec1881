from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_withheld import write_run

from evaluation.reporting.plots import write_plots
from evaluation.reporting.reading import read_runs

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("plots") / "runs"
    write_run(runs / "asked", ("lens", "react", "$x$ <b>"))
    write_run(runs / "grown", ("lens", "lens-stale", "bm25s", "bm25s-stale"), control="stale since D_125")
    return runs


@pytest.fixture(scope="module")
def made(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_plots(read_runs([runs]), tmp_path_factory.mktemp("made"))


def test_every_picture_is_one_whole_svg_that_asks_for_nothing(made: list[Path]) -> None:
    assert "staleness-grown.svg" in [path.name for path in made]
    for path in made:
        root = ElementTree.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert not tags & {"script", "image", "foreignObject", "a"}
        links = [value for one in root.iter() for name, value in one.attrib.items() if name.endswith("href")]
        assert all(link.startswith("#") for link in links)


def test_equal_runs_give_equal_bytes(runs: Path, made: list[Path], tmp_path: Path) -> None:
    one, two = ([path.read_bytes() for path in paths] for paths in (made, write_plots(read_runs([runs]), tmp_path)))
    assert one == two
    assert not re.search(rb"<dc:date>", one[0])


def test_a_run_over_a_changed_corpus_has_no_picture_of_recall(made: list[Path]) -> None:
    names = {path.name for path in made}
    assert "recall-asked.svg" in names
    assert "recall-grown.svg" not in names


def test_without_runs_there_is_nothing_to_draw(tmp_path: Path) -> None:
    assert write_plots([], tmp_path / "out") == []
    assert not (tmp_path / "out").exists()
