"""The fast share of the harnesses about endpoints, with the control that shows that it can fail."""

from __future__ import annotations

import ast
import asyncio
import shutil
from pathlib import Path

import pytest

import lens_lsp
from tests.availability import unavailable
from tests.judge.llm.certificates import Authority
from tests.judge.rules.chat_session import notes
from tests.soak import unreachable_endpoints
from tests.soak.unreachable_endpoints import KINDS

pytestmark = pytest.mark.long

SOURCES = sorted(Path(lens_lsp.__file__).parent.rglob("*.py"))
OFF = {"CERT_NONE", "_create_unverified_context"}


def test_a_question_of_an_endpoint_that_cannot_be_reached_or_trusted_ends_in_quotes(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        unavailable("openssl", "no openssl to make certificates with")
    (tmp_path / "notes").mkdir()
    asked = unreachable_endpoints.asks(notes(tmp_path / "notes", more=2), Authority(tmp_path), len(KINDS))
    tally, careless, reached = asyncio.run(asked)
    assert tally.wrong == []
    assert set(tally.asks) == {kind.name for kind in KINDS}
    assert reached > 0, "an endpoint whose certificate holds is asked"
    assert any("requests reached it" in each for each in careless.wrong)


def off(source: str) -> list[int]:
    """Lines that switch the check of certificates off."""
    tree = ast.parse(source)
    given = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "verify"]
    set_ = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr in ("check_hostname", "verify")
    ]
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in OFF]
    return [each.lineno for each in (*given, *set_) if isinstance(each, ast.Constant) and not each.value] + [
        each.lineno for each in named
    ]


@pytest.mark.parametrize("written", ["get(verify=False)", "context.check_hostname = False", "mode = ssl.CERT_NONE"])
def test_a_check_that_is_switched_off_is_seen(written: str) -> None:
    assert off(written) == [1]


def test_nothing_of_ours_switches_the_check_of_certificates_off() -> None:
    assert len(SOURCES) > 100
    assert [path for path in SOURCES if off(path.read_text("utf-8"))] == []
