"""The command ``lens eval``: runs the evaluation and gives it the configured models.

Only the user's own settings count. Settings of a project are ignored, even of one that is measured.
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
    """Run ``lens eval`` with the arguments after it. Returns the exit status. Raises LensError."""
    parser = Parser(prog="lens")
    command.add_parser(parser.add_subparsers(dest="command", required=True))
    return command.run(parser.parse_args(["eval", *argv]), _model, _embedder)


def _model(args: argparse.Namespace) -> OracleFactory:
    """The oracle with the configured model, or with the judge's model for ``eval judge``; it counts every call.

    Raises `UsageError` without a model, and `ConsentMissing` without consent to send the corpus to it.
    """
    from lens_lsp.app.oracle_factory import choose
    from lens_lsp.app.settings import Request

    if args.eval_command == "judge":
        return _judge(args)
    corpus = str(args.corpus or args.fullwiki)
    factory = choose(Request(""), settings_for((corpus,), CommandLine(args.mode), projects=False))
    if factory.model is None:
        raise RuntimeError("no model was chosen, though the mode needs one")
    if factory.destination is not None and not args.estimate:
        require_consent(factory.destination, (corpus,), yes=args.yes)
    return factory.metered()


def _judge(args: argparse.Namespace) -> OracleFactory:
    """The oracle with the model that the variables ``LENS_JUDGE_…`` name; it is not the model that is measured.

    Raises `UsageError` without one, and `ConsentMissing` without consent to send questions and answers to it.
    """
    from lens_lsp.app.oracle_factory import of_endpoint
    from lens_lsp.model.answer import Mode

    base_url, name = (os.environ.get(f"LENS_JUDGE_{part}") for part in ("BASE_URL", "MODEL"))
    if not base_url or not name:
        raise UsageError("set LENS_JUDGE_BASE_URL and LENS_JUDGE_MODEL (and LENS_JUDGE_API_KEY) to name a judge")
    key = os.environ.get("LENS_JUDGE_API_KEY") or None
    settings = settings_for((str(args.run),), CommandLine(), projects=False)
    model = ModelSettings(base_url, name, key=key, key_belongs_to=base_url)
    factory = of_endpoint(Mode.FAST, replace(settings, model=model))
    if factory.destination is not None:
        require_consent(factory.destination, (str(args.run),), yes=args.yes)
    return factory.metered()


def _embedder(args: argparse.Namespace) -> Embedder:
    """The embedding model that the variables ``LENS_EMBEDDINGS_…`` name, else the packaged one.

    Raises `UsageError` if only one of URL and model is set, `ConsentMissing` without consent to send the corpus to the
    model, and MissingExtra if the package of the packaged model is not installed.
    """
    from evaluation.arms.dense import EndpointEmbedder
    from evaluation.arms.minilm import MiniLm
    from evaluation.embeddings import Embeddings
    from lens_lsp.app.consent import Destination

    base_url, name = (os.environ.get(f"LENS_EMBEDDINGS_{part}") for part in ("BASE_URL", "MODEL"))
    if not base_url and not name:
        return MiniLm()
    if not base_url or not name:
        raise UsageError("set both LENS_EMBEDDINGS_BASE_URL and LENS_EMBEDDINGS_MODEL, or neither")
    model = Embeddings(base_url, name, os.environ.get("LENS_EMBEDDINGS_API_KEY") or None)
    if not model.loopback:
        corpus = (str(args.corpus or args.fullwiki),)
        settings = settings_for(corpus, CommandLine(), quiet=True, projects=False)
        destination = Destination(model.endpoint, model.name, settings)
        require_consent(destination, corpus, yes=args.yes)
    return EndpointEmbedder(model)
