"""Shared fixtures, and `--skipped`: run what the last run skipped, where the machine has more now."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.availability import unavailable
from tests.judge.reader.tiny_reader import YEARS, write_reader

REPOSITORY = Path(__file__).resolve().parent.parent

EDITORS = {"LENS_HX", "LENS_NVIM11", "LENS_VIM_LSP", "LENS_TELESCOPE", "LENS_PLENARY", "LENS_COC"}
OURS = frozenset({"LENS_DATA", "LENS_REQUIRE", "LENS_WRITE_SNAPSHOTS"} | EDITORS)
"""Variables that tests themselves go by."""

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # where a test imports onnxruntime itself

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


class LastSkipped:
    """Keeps in pytest's cache which tests a run skipped, and chooses these with ``--skipped``."""

    KEY = "lens-lsp/skipped"

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._skipped: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if not self._config.getoption("skipped"):
            return
        before = self._config.cache.get(self.KEY, None) if self._config.cache else None
        if before is None:
            raise pytest.UsageError("--skipped: no run is kept here that could have skipped something")
        others = [item for item in items if not {item.nodeid, item.nodeid.partition("::")[0]} & set(before)]
        items[:] = [item for item in items if item not in set(others)]
        self._config.hook.pytest_deselected(items=others)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._skipped.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._skipped.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if self._config.cache and not hasattr(self._config, "workerinput") and not self._config.option.collectonly:
            self._config.cache.set(self.KEY, sorted(self._skipped))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--skipped", action="store_true", help="run only what the last run skipped")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(LastSkipped(config))


@pytest.fixture(scope="session", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty home: nothing of the developer's own settings, keys and stores is read, and nothing is put there. The
    reader is one for which four figures are an answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        for name in [name for name in os.environ if name.startswith(("XDG_", "LENS_")) and name not in OURS]:
            patch.delenv(name)
        # Whatever weights the package has, no test rests on them.
        reader = tmp_path_factory.mktemp("reader") / "years"
        if importlib.util.find_spec("onnxruntime") is not None:
            write_reader(reader, marks=YEARS)
        patch.setenv("LENS_READER", str(reader) if reader.is_dir() else "off")
        patch.setattr("lens_lsp.judge.reader.cross_encoder.SHIPPED", reader)
        yield


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The evaluation data sets: ``LENS_DATA``, else ``../shared/data`` beside the repository."""
    path = Path(os.environ.get("LENS_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (path / "hotpotqa" / "manifest.json").is_file():
        unavailable("data", "no evaluation data: set LENS_DATA to its folder")
    return path
