"""The pages on models and privacy: what they name exists, and their figures are the program's."""

from __future__ import annotations

import argparse
import re

from documentation import DOCS, REPOSITORY, text_of

from lens_lsp.cli.arguments import ask_parser, consent_parser, doctor_parser
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import REMOTE_CONTEXT
from lens_lsp.judge.llm.openai_client import LOCAL_CONTEXT
from lens_lsp.model.answer import Mode

MODELS = DOCS / "how-to" / "models-and-keys.md"
PRIVACY = DOCS / "explanation" / "privacy.md"


def test_every_file_that_the_privacy_page_names_exists() -> None:
    named = re.findall(r"`((?:tests|corpus|oracle|cli|models|settings|kept|mcp|lsp)/[\w./]*)`", text_of(PRIVACY))
    assert len(named) > 8
    for path in named:
        assert (REPOSITORY / path).exists() or (REPOSITORY / "lens_lsp" / path).exists(), path


def test_the_calls_of_each_mode_are_its_bound() -> None:
    calls = {row[0].strip("`"): row[2] for row in modes()}
    assert {mode.value: str(Budget.of(mode).calls) for mode in Mode} == {
        name: calls[name] for name in calls if name != "auto"
    }


def modes() -> list[list[str]]:
    """The rows of the table of modes."""
    rows = [line for line in text_of(MODELS).splitlines() if re.match(r"\| `(evidence|fast|deep|auto)`", line)]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_figures_of_the_guide_are_those_of_the_program() -> None:
    text = " ".join(text_of(MODELS).split())
    budget = Budget.of(Mode.DEEP)
    assert f"{LOCAL_CONTEXT:,} tokens on this machine and {REMOTE_CONTEXT:,} elsewhere" in text
    assert f"{budget.tokens:,} tokens, {budget.seconds:g} seconds" in text


def test_every_option_of_the_guide_is_one() -> None:
    (actions,) = [action for action in consent_parser()._actions if isinstance(action, argparse._SubParsersAction)]
    parsers = [ask_parser(), doctor_parser(), *actions.choices.values()]
    known = {option for parser in parsers for action in parser._actions for option in action.option_strings}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text_of(MODELS)))
    assert named <= known
