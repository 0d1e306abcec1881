"""``lens eval``: the commands of the evaluation, with the configured model where one is to judge."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from lens_lsp.cli.arguments import Parser
from lens_lsp.evaluation import command

if TYPE_CHECKING:
    from lens_lsp.models.base import ChatModel


def run(argv: Sequence[str]) -> int:
    """Carry out the command behind ``eval``; the exit status. Raises LensError."""
    parser = Parser(prog="lens")
    command.add_parser(parser.add_subparsers(dest="command", required=True))
    return command.run(parser.parse_args(list(argv)), _model)


def _model(args: argparse.Namespace) -> tuple[ChatModel, Callable[[], Awaitable[object]]]:
    """The configured model, and how it learns its context. Raises `UsageError` without one, or without consent."""
    from lens_lsp.cli.consent import require_consent
    from lens_lsp.cli.searching import settled
    from lens_lsp.cli.workspace import workspace_of
    from lens_lsp.settings.settings import CommandLine

    corpus = str(args.corpus)
    settings = settled((corpus,), CommandLine(args.mode), quiet=False)
    _, chosen = settings.seat()
    if chosen is None:
        raise RuntimeError("a mode that needs a model came without one")
    model = chosen.chat()
    if not model.loopback:
        settings.require_sound(model.endpoint)
        require_consent(workspace_of(corpus), model.endpoint, model.name, yes=args.yes)
    return model, model.probe
