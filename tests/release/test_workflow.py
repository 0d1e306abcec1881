"""The workflows cover three systems and three Pythons, and say nothing that their schema or their linter refuses.

It cannot be run here: what is checked is that it would be understood.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.availability import unavailable
from tests.conftest import REPOSITORY

WORKFLOW = REPOSITORY / ".github" / "workflows" / "ci.yml"
LONG = WORKFLOW.with_name("long.yml")
PATIENCE = 600


def complaints(workflow: Path) -> list[str]:
    """What the schema of workflows and zizmor have against a workflow, by the name of who says it."""
    beside = str(Path(sys.executable).parent)
    programs = [shutil.which(name, path=beside) for name in ("check-jsonschema", "zizmor")]
    if None in programs:
        unavailable("release", "the extra `release` is not installed: there is no zizmor or no check-jsonschema")
    options = (["--builtin-schema", "vendor.github-workflows"], ["--offline", "--no-progress"])
    found: list[str] = []
    for program, given in zip(programs, options, strict=True):
        command = [str(program), *given, str(workflow)]
        outcome = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False)
        if outcome.returncode:
            found.append(f"{Path(command[0]).stem}: {outcome.stdout}{outcome.stderr}")
    return found


def read(workflow: Path) -> dict[str, Any]:
    try:
        from ruamel.yaml import YAML
    except ImportError:
        unavailable("release", "the extra `release` is not installed: there is no ruamel.yaml")
    loaded: dict[str, Any] = YAML(typ="safe").load(workflow.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("workflow", [WORKFLOW, LONG], ids=lambda workflow: workflow.name)
def test_schema_and_linter_have_nothing_against_the_workflow(workflow: Path) -> None:
    assert complaints(workflow) == []


@pytest.mark.parametrize(
    ("whole", "broken", "who"),
    [
        ("runs-on: ubuntu-latest", "run-on: ubuntu-latest", "check-jsonschema"),
        ("11bd71901bbe5b1630ceea73d27597364c9af683", "v4", "zizmor"),
    ],
)
def test_a_broken_workflow_would_be_noticed(tmp_path: Path, whole: str, broken: str, who: str) -> None:
    copy = tmp_path / ".github" / "workflows" / "ci.yml"
    copy.parent.mkdir(parents=True)
    shutil.copy(WORKFLOW, copy)
    text = copy.read_text(encoding="utf-8")
    assert whole in text
    copy.write_text(text.replace(whole, broken), encoding="utf-8")
    assert who in [complaint.partition(":")[0] for complaint in complaints(copy)]


def test_it_covers_three_systems_and_every_python_that_the_project_names() -> None:
    matrix = read(WORKFLOW)["jobs"]["tests"]["strategy"]["matrix"]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [
        line.rpartition(" ")[2]
        for line in project["classifiers"]
        if line.startswith("Programming Language :: Python :: 3.")
    ]
    assert matrix["system"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    assert matrix["python"] == named
    assert len(named) == 3


def test_one_job_does_all_that_a_change_must_pass() -> None:
    steps = read(WORKFLOW)["jobs"]["everything"]["steps"]
    assert steps[-1] == {"run": ".ci/run"}
    assert (REPOSITORY / ".ci" / "run").stat().st_mode & 0o111


def test_what_takes_long_runs_every_week() -> None:
    workflow = read(LONG)
    assert workflow["on"]["schedule"]
    assert workflow["jobs"]["long"]["steps"][-1] == {"run": ".ci/long"}
    assert (REPOSITORY / ".ci" / "long").stat().st_mode & 0o111
