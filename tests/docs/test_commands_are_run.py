"""Every line that the pages tell a reader to type is run: here, by another test, or by the check of a change.

What cannot be is in `NOT_RUN` with its reason, and no table has a line more than it needs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from documentation import PAGES, REPOSITORY, blocks, command_lines, name_of, simple_commands
from test_documented_commands import SHOWN

LINES = [(name_of(page), line.strip()) for page in PAGES for block in blocks(page) for line in command_lines(block)]
"""Page and line, in the order of the pages."""

ELSEWHERE = {
    r"docs/first-change\.md: .*": ("tests/docs/test_first_change.py", "first-change.md"),
    r"docs/how-to/install\.md: .*": ("tests/release/test_install.py", "install.md"),
    r"CONTRIBUTING\.md: python docs/build_site\.py.*": ("tests/docs/test_site.py", "build_site.py"),
    r"CONTRIBUTING\.md: npm run build .*": ("lens_lsp/desktop/page/test/build.test.ts", "esbuild.mjs"),
    r"docs/how-to/desktop\.md: lens desktop .*": ("tests/desktop/desktop_process.py", '"desktop"'),
    r"docs/how-to/release\.md: python -m release build": ("tests/release/test_release.py", 'made("build"'),
}
"""Lines that another test runs, and what of them stands in it."""

BY_THE_CHECK = {
    r".*: \.ci/run": ("run", "Everything a change must pass"),
    r".*: \.ci/long": ("long", "What takes long"),
    r".*: (?:\(cd [\w/-]+ && )?npm ci\)?": ("tools", "npm ci"),
    r".*: cd vscode-extension": ("run", "cd vscode-extension"),
    r".*: npm run e2e:setup .*": ("tools", "npm run --silent e2e:setup"),
    r".*: npm run package(?: .*)?": ("run", "npm run --silent package"),
    r".*: npm run test:host .*": ("run", "npm run --silent test:host"),
    r".*: npm run e2e .*": ("long", "npm run --silent e2e\n"),
    r".*: npm run lint": ("run", "npm run --silent lint"),
    r".*: npm run typecheck": ("run", "npm run --silent typecheck"),
    r".*: npm test .*": ("run", "npm test --silent"),
    r"(?!docs/first-change).*: python3 -m venv \.venv": ("long", '-m venv "$place/environment"'),
    r".*: \.venv/bin/python -m pytest": ("run", '"$bin/python" -m pytest'),
    r"README\.md: python3 -m venv \.venv && .*": (
        "run",
        r"mapfile -t commands < <(sed -n '/^python3 -m venv \.venv && /p' README.md)",
    ),
}
"""Lines that are a step of a file in `.ci`, and what of them stands there."""

NOT_RUN = {
    r".*: lens find .* s3://.*": "needs a store of objects; tests/corpus/test_object_store.py searches one",
    r".*: lens (?:find|ask) .* ssh://.*": "needs another machine; tests/app/test_ssh_server.py has a server",
    r"(?!docs/first-change).*: (?:\.venv/bin/|python3? -m )?pip install .*": (
        "downloads packages; .ci/run installs the extras in one line"
    ),
    r".*: python -m release lock": "asks an index for newest versions; test_locks.py checks what was written",
    r".*: code --install-extension .*": "needs an editor with a window; the extension's stories install the same file",
    r".*: npm run e2e:repeat .*": "all stories twenty times: hours",
    r".*: npm run pictures .*": "writes the pictures of these pages anew",
    r".*: LENS_DATA=path/to/data .*": "runs all tests, this one too",
    r".*: python -m tests\.soak(?!\.page).*": "minutes to hours; shares of the harnesses are tests of their own",
    r".*: python -m tests\.soak\.page": "writes a page; test_reliability_page.py makes the same text and compares",
    r".*: python -m benchmarks .*": "minutes to an hour; tests/benchmarks runs the parts on little",
    r".*: python -m benchmarks\..*": "needs the evaluation data and minutes; tests/benchmarks runs the parts on little",
    r".*: python benchmarks/verify_quotes\.py .*--rows .*": "needs a run on the evaluation data",
    r".*: python -m training\.reader .*": "takes hours; test_reader_trains.py runs every step on little",
    r".*: lens eval .*": "needs the evaluation data and minutes; tests/evaluation runs every part on little",
    r".*: lens check --json docs \| jq .*": "needs jq, which a machine may lack",
}
"""What nothing runs, and why."""

WITH_OUTPUT = [command for _, command, _ in SHOWN]
"""Commands whose output a page shows; `test_documented_commands.py` runs them and compares."""


def care(page: str, line: str) -> list[str]:
    """Which rows of the tables a line falls under; none is needed where it is run below."""
    return [
        pattern
        for table in (ELSEWHERE, BY_THE_CHECK, NOT_RUN)
        for pattern in table
        if re.fullmatch(pattern, f"{page}: {line}")
    ]


def with_output(line: str) -> bool:
    return list(simple_commands(line)) in [[command] for command in WITH_OUTPUT]


HERE = [(page, line) for page, line in LINES if not care(page, line) and not with_output(line)]
"""What the sessions below type."""


def test_no_line_falls_under_two_rows_and_every_row_is_needed() -> None:
    rows = [care(page, line) for page, line in LINES]
    assert [(line, found) for line, found in zip(LINES, rows, strict=True) if len(found) > 1] == []
    needed = Counter(pattern for found in rows for pattern in found)
    assert {pattern for table in (ELSEWHERE, BY_THE_CHECK, NOT_RUN) for pattern in table} == set(needed)


@pytest.mark.parametrize(("place", "token"), ELSEWHERE.values(), ids=[place for place, _ in ELSEWHERE.values()])
def test_what_is_said_to_run_a_line_speaks_of_it(place: str, token: str) -> None:
    assert token in (REPOSITORY / place).read_text(encoding="utf-8")


@pytest.mark.parametrize(("file", "step"), sorted(set(BY_THE_CHECK.values())))
def test_what_is_said_to_be_a_step_of_the_check_is_one(file: str, step: str) -> None:
    assert step in (REPOSITORY / ".ci" / file).read_text(encoding="utf-8")


def test_the_check_begins_with_what_readme_says() -> None:
    """The control: the pattern that takes the commands from README finds both, each in one line."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^python3 -m venv \.venv && .*$", readme, re.MULTILINE)) == 2


def test_only_pages_with_a_session_have_lines_that_are_run_here() -> None:
    assert {page for page, _ in HERE} == set(SESSIONS)


FILES = {
    "notes/lease.md": "# Lease\n\nThe lease ends on 30 June 2031.\n\nThe lease of the mill ends on 1 May 2030.\n",
    "notes/2024/lease.md": "# Lease of 2024\n\nThe lease ended in 2024.\n",
    "notes/2024.md": "# 2024\n\nThe retry policy is three tries.\n",
    "docs/policy.md": "# Policy\n\nThe retry policy of the client is five tries.\n",
    "src/client.py": "# The retry policy: give up after five tries, unless --no-verify is given.\n",
    "contracts/flat.md": "# Flat\n\nThe monthly rent is 1900 euros.\n",
    "project/CHANGELOG.md": "The first release was on 1 May 2024. The second release was on 31 May 2024.\n",
}
"""What the pages speak of."""


NOBODY = "localhost:9"
"""Stands for the model's address: on a developer's machine one may listen."""


@pytest.fixture
def typed(tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Types a line in a new folder that is the reader's home as well; whatever comes of it."""
    if os.name == "nt":
        pytest.skip("the lines of the pages are for Linux and macOS")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "benchmarks").symlink_to(REPOSITORY / "benchmarks")
    programs = tmp_path / ".programs"
    programs.mkdir()
    for name, options in {"python": "", "lens": "-m lens_lsp"}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {options} "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    env = {"HOME": str(tmp_path), "PATH": f"{programs}:{os.defpath}", "LANG": "C.UTF-8"}
    env |= {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1", "LENS_READER": os.environ["LENS_READER"]}

    def run(line: str) -> subprocess.CompletedProcess[str]:
        given = re.fullmatch(r"export (.*)", line)
        if given is not None:
            env.update(pair.split("=", 1) for pair in given[1].split())
        return subprocess.run(
            ["sh", "-ec", line], cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", timeout=300, check=False
        )

    return run


ASKED = 'lens ask "When does the lease end?" notes'
SESSIONS: dict[str, dict[str, int]] = {
    "README.md": {
        'lens find "Which names are never read?" docs --format grep -n 3': 1,
        'lens find "retry policy" ~/notes --scope "2024/**" --explain': 1,
    },
    "docs/explanation/performance.md": {},
    "docs/how-to/ask-again.md": {"lens clusters check                # are wrong answers still given?": 1},
    "docs/how-to/ask.md": {"python benchmarks/verify_beliefs.py events.jsonl --mutant": 1},
    "docs/how-to/check-citations.md": {},
    "docs/how-to/find-passages.md": {},
    "docs/how-to/models-and-keys.md": {
        "lens consent list": 1,
        "lens consent revoke --workspace notes": 1,
        "lens consent revoke --origin https://models.example": 1,
    },
}
"""Pages with lines that are typed here one after the other, and the status of those that do not end with 0: the notes
here say less than the reader's, what is called wrong is still the answer, the mutant has to be noticed, no model
listens, and no consent was given to one."""


@pytest.mark.parametrize("page", SESSIONS)
def test_the_lines_of_a_page_do_what_they_are_for(
    page: str, typed: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    ended: dict[str, int] = {}
    for line in (line for known, line in HERE if known == page):
        if "3f2a" in line:  # the page's example of an id: that of the first cluster there is
            line = line.replace("3f2a", typed("lens clusters list").stdout[:4])
        outcome = typed(line.replace("localhost:11434", NOBODY))
        assert "Traceback" not in outcome.stderr, f"{line}\n{outcome.stderr}"
        if outcome.returncode:
            ended[line] = outcome.returncode
            print(line, outcome.stdout[-300:], outcome.stderr[-500:])  # what a failure shows
    assert ended == SESSIONS[page]
