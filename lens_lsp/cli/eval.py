"""``lens eval``: the commands of the evaluation, with the configured model where one is to judge.

Settings are those of the user alone: what a project says, also one that is measured, has no part in a measurement.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evaluation import command
from lens_lsp.app.settings import CommandLine, ModelSettings
from lens_lsp.cli.arguments import Parser, settings_for
from lens_lsp.cli.consent import require_consent
from lens_lsp.model.errors import UsageError

if TYPE_CHECKING:
    from evaluation.arms.dense import Embedder
    from lens_lsp.app.oracle_factory import OracleFactory


def run(argv: Sequence[str]) -> int:
    """Carry out the action that stands after ``lens eval``; the exit status. Raises LensError."""
    parser = Parser(prog="lens")
    command.add_parser(parser.add_subparsers(dest="command", required=True))
    return command.run(parser.parse_args(["eval", *argv]), _model, _embedder)


def _model(args: argparse.Namespace) -> OracleFactory:
    """Who judges: the configured model, every call counted. Raises `UsageError` without a model, and `ConsentMissing`
    without consent to send it anything."""
    from lens_lsp.app.oracle_factory import choose
    from lens_lsp.app.settings import Request

    if args.eval_command == "judge":
        return _judge(args)
    corpus = str(args.corpus or args.fullwiki)
    factory = choose(Request(""), settings_for((corpus,), CommandLine(args.mode), projects=False))
    if factory.model is None:
        raise RuntimeError("a mode that needs a model came without one")
    if factory.destination is not None and not args.estimate:
        require_consent(factory.destination, (corpus,), yes=args.yes)
    return factory.metered()


def _judge(args: argparse.Namespace) -> OracleFactory:
    """The model that the environment names as judge: configured apart from the one that is measured. Raises
    `UsageError` without one, and `ConsentMissing` without consent to send it questions and answers."""
    from lens_lsp.app.oracle_factory import of_endpoint
    from lens_lsp.model.answer import Mode

    base_url, name = (os.environ.get(f"LENS_JUDGE_{part}") for part in ("BASE_URL", "MODEL"))
    if not base_url or not name:
        raise UsageError("a judge needs LENS_JUDGE_BASE_URL and LENS_JUDGE_MODEL (and LENS_JUDGE_API_KEY for its key)")
    key = os.environ.get("LENS_JUDGE_API_KEY") or None
    settings = settings_for((str(args.run),), CommandLine(), projects=False)
    model = ModelSettings(base_url, name, key=key, key_belongs_to=base_url)
    factory = of_endpoint(Mode.FAST, replace(settings, model=model))
    if factory.destination is not None:
        require_consent(factory.destination, (str(args.run),), yes=args.yes)
    return factory.metered()


def _embedder(args: argparse.Namespace) -> Embedder:
    """The embedding model that the environment names, else the packaged one. Raises `UsageError` for half a name, and
    `ConsentMissing` without consent to send it the corpus; MissingExtra without the package."""
    from evaluation.arms.dense import EndpointEmbedder
    from evaluation.arms.minilm import MiniLm
    from evaluation.embeddings import Embeddings
    from lens_lsp.app.consent import Destination

    base_url, name = (os.environ.get(f"LENS_EMBEDDINGS_{part}") for part in ("BASE_URL", "MODEL"))
    if not base_url and not name:
        return MiniLm()
    if not base_url or not name:
        raise UsageError("an embedding model needs LENS_EMBEDDINGS_BASE_URL and LENS_EMBEDDINGS_MODEL, both")
    model = Embeddings(base_url, name, os.environ.get("LENS_EMBEDDINGS_API_KEY") or None)
    if not model.loopback:
        corpus = (str(args.corpus or args.fullwiki),)
        settings = settings_for(corpus, CommandLine(), quiet=True, projects=False)
        destination = Destination(model.endpoint, model.name, settings)
        require_consent(destination, corpus, yes=args.yes)
    return EndpointEmbedder(model)
