"""Consent to send text to an endpoint that is not on this machine: asked for, listed by ``lens consent``, taken back.

It holds for one workspace and one origin.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from lens_lsp.app.configuration import workspace_of
from lens_lsp.app.consent import ConsentMissing, Destination, folders_of, record, revoke, unconsented
from lens_lsp.cli import FOUND, NOTHING
from lens_lsp.cli.arguments import consent_parser
from lens_lsp.cli.terminal import is_terminal, open_output, printable_path, put, put_json, tell
from lens_lsp.memory.userdata import Consents, consent_file
from lens_lsp.model.errors import UsageError

_YES = frozenset({"y", "yes"})


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options after ``consent``; raises `UsageError`."""
    options = consent_parser().parse_args(argv)
    if options.action == "revoke" and not (options.all or options.origin or options.path):
        raise UsageError(
            "say which consent to take back: --origin, --workspace or --all; `lens consent list` shows them"
        )
    return options


def run(argv: Sequence[str]) -> int:
    """List what was consented to, or take it back; the exit status says whether there was anything."""
    options = parse(argv)
    listing = options.action == "list"
    machine = listing and options.json
    open_output(machine=machine)
    consents = Consents.read(consent_file())
    if consents.problem is not None:
        tell(consents.problem)
    shown = sorted(consents.given if listing else revoke(consents, options.path or None, options.origin))
    if machine:
        given = [{"workspace": workspace, "origin": origin} for workspace, origin in shown]
        put_json({"schema": "lens.consents/1", "given": given})
    else:
        taken = "" if listing else "taken back: "
        put("".join(f"{taken}{origin}  {printable_path(workspace)}\n" for workspace, origin in shown))
    if not shown:
        tell("no consent was given" if listing else "no such consent was given")
    return FOUND if shown else NOTHING


def require_consent(destination: Destination, paths: Sequence[str], *, yes: bool, quiet: bool = False) -> None:
    """Return if text of the workspaces of some paths may be sent to the model. ``yes``: it was given on the command
    line.

    On a terminal it is asked for, once; a yes is remembered. Raises `ConsentMissing` without it, and as `unconsented`.
    """
    folders = unconsented(destination, folders_of(paths))
    if not folders:
        return
    workspaces = tuple(dict.fromkeys(workspace_of(each) if os.path.exists(each) else each for each in folders))
    problem = Consents.read(consent_file()).problem
    if problem is not None and not quiet:
        tell(problem)
    if not yes and not _asked(workspaces, destination):
        raise ConsentMissing(f"nothing was sent to {destination.endpoint}; --mode evidence answers without a model")
    problem = record(destination.endpoint, workspaces)
    if problem is not None and not quiet:
        tell(problem)


def _asked(workspaces: Sequence[str], destination: Destination) -> bool:
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise ConsentMissing(
            f"questions and passages would be sent to {destination.endpoint}, which needs consent: give it with --yes,"
            " look first with --dry-run, or use --mode evidence"
        )
    named = ", ".join(workspaces)
    sys.stderr.write(
        printable_path(
            f"lens: the question and passages of files in {named} would be sent to {destination}; --dry-run shows them."
        )
        + "\nSend them, now and for later questions about "
        + ("this workspace" if len(workspaces) == 1 else "these workspaces")
        + "? [y/N] "
    )
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES
