"""``lens eval``: the commands of the evaluation, with the configured model where one is to judge."""

from __future__ import annotations

import argparse
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from lens_lsp.cli.arguments import Parser
from lens_lsp.domain.errors import UsageError
from lens_lsp.evaluation import command

if TYPE_CHECKING:
    from lens_lsp.evaluation.arms.dense import Embedder
    from lens_lsp.models.base import ChatModel
    from lens_lsp.models.openai import OpenAIChat
    from lens_lsp.settings.settings import Settings


def run(argv: Sequence[str]) -> int:
    """Carry out the command behind ``eval``; the exit status. Raises LensError."""
    parser = Parser(prog="lens")
    command.add_parser(parser.add_subparsers(dest="command", required=True))
    return command.run(parser.parse_args(list(argv)), _model, _embedder)


def _model(
    args: argparse.Namespace,
) -> tuple[ChatModel, Callable[[], Awaitable[object]], tuple[float, float] | None]:
    """The configured model, how it learns its context, and its prices. Raises `UsageError` without a model, or without
    consent to send it anything."""
    if args.eval_command == "judge":
        return _judge(args)
    from lens_lsp.cli.consent import require_consent
    from lens_lsp.cli.searching import settled
    from lens_lsp.cli.workspace import workspace_of
    from lens_lsp.settings.settings import CommandLine

    corpus = str(args.corpus or args.fullwiki)
    settings = settled((corpus,), CommandLine(args.mode), quiet=False)
    _, chosen = settings.seat()
    if chosen is None:
        raise RuntimeError("a mode that needs a model came without one")
    model = chosen.chat()
    if not model.loopback and not args.estimate:
        settings.require_sound(model.endpoint)
        require_consent(workspace_of(corpus), model.endpoint, model.name, yes=args.yes)
    return _metered(model, settings, settings.model.prices), model.probe, settings.model.prices


def _metered(model: OpenAIChat, settings: Settings, prices: tuple[float, float] | None) -> ChatModel:
    """The model, its calls counted and within a day's tokens, as for any question."""
    from lens_lsp.cli.metered import MeteredChat
    from lens_lsp.kept.meter import Meter
    from lens_lsp.kept.usage import usage_file

    return MeteredChat(model, Meter(usage_file(), model.endpoint, prices), settings.daily_tokens)


def _judge(
    args: argparse.Namespace,
) -> tuple[ChatModel, Callable[[], Awaitable[object]], tuple[float, float] | None]:
    """The model that the environment names as judge: configured apart from the one that is measured. Raises
    `UsageError` without one, or without consent to send it questions and answers."""
    from lens_lsp.cli.consent import require_consent
    from lens_lsp.cli.searching import settled
    from lens_lsp.cli.workspace import workspace_of
    from lens_lsp.models.openai import OpenAIChat
    from lens_lsp.settings.settings import CommandLine

    base_url, name = (os.environ.get(f"LENS_JUDGE_{part}") for part in ("BASE_URL", "MODEL"))
    if not base_url or not name:
        raise UsageError("a judge needs LENS_JUDGE_BASE_URL and LENS_JUDGE_MODEL (and LENS_JUDGE_API_KEY for its key)")
    model = OpenAIChat(base_url, name, os.environ.get("LENS_JUDGE_API_KEY") or None)
    if not model.loopback:
        require_consent(workspace_of(str(args.run)), model.endpoint, model.name, yes=args.yes)
    settings = settled((), CommandLine(), quiet=False)
    return _metered(model, settings, None), model.probe, None


def _embedder(args: argparse.Namespace) -> Embedder:
    """The embedding model that the environment names, else the packaged one. Raises `UsageError` for half a name, and
    without consent to send it the corpus; MissingExtra without the package."""
    from lens_lsp.cli.consent import require_consent
    from lens_lsp.cli.workspace import workspace_of
    from lens_lsp.evaluation.arms.dense import EndpointEmbedder
    from lens_lsp.evaluation.arms.minilm import MiniLm
    from lens_lsp.models.embeddings import Embeddings

    base_url, name = (os.environ.get(f"LENS_EMBEDDINGS_{part}") for part in ("BASE_URL", "MODEL"))
    if not base_url and not name:
        return MiniLm()
    if not base_url or not name:
        raise UsageError("an embedding model needs LENS_EMBEDDINGS_BASE_URL and LENS_EMBEDDINGS_MODEL, both")
    model = Embeddings(base_url, name, os.environ.get("LENS_EMBEDDINGS_API_KEY") or None)
    if not model.loopback:
        require_consent(workspace_of(str(args.corpus or args.fullwiki)), model.endpoint, model.name, yes=args.yes)
    return EndpointEmbedder(model)
