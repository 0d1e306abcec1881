"""The command line: parse, call, print. What a command does lives below; here is only the door.

Nothing heavy is imported before it is known what was asked, so that ``lens --version`` and a mistyped option
answer at once (docs/explanation/architecture.md). Exit status as grep: 0 answered or found, 1 not wholly
answered or nothing found, 2 error, 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import current_thread, main_thread

from lens_lsp.cli import terminal
from lens_lsp.model.errors import LensError, UsageError

FOUND, NOTHING, ERROR, INTERRUPTED = 0, 1, 2, 130

_COMMANDS = {
    "ask": "ask.run",
    "check": "clusters.run_check",
    "clusters": "clusters.run",
    "consent": "consent.run",
    "desktop": "servers.run_desktop",
    "doctor": "doctor.run",
    "eval": "eval.run",
    "find": "find.run",
    "forget": "clusters.run_forget",
    "mcp": "servers.run_mcp",
    "read": "read.run",
    "serve": "servers.run_serve",
    "shard": "servers.run_shard",
}
"""Who carries out each command: module of this package and function, which takes the arguments after the command and
returns the exit status."""


def run() -> None:
    """Entry of the installed commands ``lens`` and ``lens-lsp``: :func:`main` with the real arguments."""
    # We multiply no matrices; without this, importing numpy starts a thread a core and takes twice as long.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # until the command is imported: of what modules make, nothing is garbage
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit status; every failure ends as one sentence on standard error."""
    try:
        status = _dispatch(list(argv))
        terminal.finish()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except terminal.ReaderGone:
        terminal.silence_output()
        status = FOUND
    except LensError as error:
        terminal.tell(str(error))
        status = ERROR
    except OSError as error:
        terminal.tell(_system_sentence(error))
        status = ERROR
    except Exception as error:  # noqa: BLE001 - the door: whatever is left becomes a sentence
        _unexpected(error)
        status = ERROR
    return status


@contextmanager
def _importing() -> Iterator[None]:
    """While a command is imported an interrupt ends the process: there is nothing to print or clean up yet.

    Raised as an exception it would not even arrive: extension modules turn it into an ImportError. Afterwards the cycle
    collector works again, if :func:`run` held it, and leaves out what is there by now.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if not gc.isenabled():
            gc.freeze()
            gc.enable()


def _dispatch(argv: list[str]) -> int:
    if argv in (["--version"], ["-V"]):
        from lens_lsp import __version__

        sys.stdout.write(f"lens {__version__}\n")
        return FOUND
    try:
        return _command(argv)
    except SystemExit as stop:  # argparse after --help
        return stop.code if isinstance(stop.code, int) else FOUND if stop.code is None else ERROR


def _command(argv: list[str]) -> int:
    command = argv[0] if argv else ""
    if command not in _COMMANDS:
        return _top_level(argv)
    if command == "eval" and find_spec("evaluation") is None:
        raise UsageError("lens eval is not in this slim package: install lens-lsp[evaluation], or a clone of it")
    module, _, function = _COMMANDS[command].partition(".")
    with _importing():
        call: Callable[[Sequence[str]], int] = getattr(import_module(f"{__name__}.{module}"), function)
    return call(argv[1:])


def _top_level(argv: list[str]) -> int:
    from lens_lsp.cli.arguments import COMMANDS, top_level_parser

    parser = top_level_parser()
    if not argv:
        parser.print_help(sys.stderr)
        return ERROR
    if argv[0].startswith("-"):
        parser.parse_args(argv)
        return ERROR
    from difflib import get_close_matches
    from shlex import quote

    near = get_close_matches(argv[0], COMMANDS, n=1)
    meant = f"did you mean `lens {near[0]}`?" if near else f"to ask it, type: lens ask {quote(argv[0])}"
    raise UsageError(f"there is no command {quote(argv[0])}; {meant}")


def _system_sentence(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    return f"{reason}: {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else reason


def _unexpected(error: Exception) -> None:
    if os.environ.get("LENS_DEBUG", "") not in ("", "0"):
        import traceback

        traceback.print_exception(error)
    reason = " ".join(str(error).split())[:300]
    terminal.tell(
        f"something went wrong that should not ({type(error).__name__}: {reason}); run "
        "`lens doctor` and report what it prints; LENS_DEBUG=1 shows where it happened"
    )
