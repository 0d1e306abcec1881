"""Command-line parsers: what can be typed after each command of ``lens``, its help, the settings it comes to.

Imports nothing heavy, so that help and mistyped options answer at once.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from math import inf, nan
from typing import TYPE_CHECKING, Any, NoReturn

from lens_lsp.cli.terminal import tell
from lens_lsp.model.errors import PathNotFound, UsageError

if TYPE_CHECKING:
    from lens_lsp.app.settings import CommandLine, Settings


COMMANDS = {
    "ask": "answer a question with the passages that prove it, from folders and files",
    "find": "find the exact passages for a question in folders and files",
    "read": "read every PDF, Office, e-book and mail file once, so that questions find them at once",
    "check": "check the quotes of saved answers against their sources, for people and CI",
    "clusters": "read, export, verify or forget what earlier questions left behind",
    "forget": "remove the texts of documents that were kept so that each is read once",
    "consent": "list what may be sent where, and take it back",
    "desktop": "a page in the browser, on this machine: ask, read the proof, see what was sent",
    "mcp": "the server for agents on standard input and output, over the Model Context Protocol",
    "serve": "the language server on standard input and output, for an editor to start",
    "shard": "the other side of ssh://HOST/FOLDER in ask and find; ssh starts it there",
    "doctor": "show versions, paths, settings and what would be searched, for a bug report",
    "eval": "run the evaluation protocol",
}
"""Name and one line of help of each command."""
_SEARCHED = "folders or files to search (default: the current folder)"
_TOP_EPILOG = """\
examples:
  lens ask "when does the lease end"             an answer from the current folder, with its proof
  lens find "retry policy" docs src -n 5         the five best passages of two folders
  lens ask --json "when does it end" ~/notes     for scripts: one JSON document
  lens doctor                                    one paste for a bug report

exit status: 0 answered or found, 1 not (wholly) answered or nothing found, 2 error, 130 interrupted
`lens COMMAND --help` tells more about a command.
"""
_ASK = """\
Answer a question from folders and files, each statement with the passage that proves it.

examples:
  lens ask "when does the lease end"             over the current folder
  lens ask "how many invoices are unpaid" ~/notes --scope "2024/**"
  lens ask "which is older, A or B" notes a.md   several folders and files are one question
  lens ask --all "when does the lease end"       every passage, whole, with what stands around it
  lens ask --explain "when does the lease end"   plan, what was read, beliefs, why it stopped
  lens ask --json "when does it end" | jq -r .shortAnswer
  lens ask --dry-run "when does the lease end"   what a configured model would be sent
  lens ask -- "--no-verify, what does it do"     a question that begins with a dash

Nothing is indexed, and without a model nothing ever leaves this machine. LENS_BASE_URL and LENS_MODEL configure
one (LENS_API_KEY if it needs a key), or your file of settings (`lens doctor` says where it is); one on another
machine needs consent. Files named by .gitignore, .ignore and .lensignore are left out (--no-ignore searches them
too); secrets such as .env or private keys are never searched.
Ctrl-C once stops the search and prints what was found, twice leaves at once.

exit status: 0 answered, 1 partly or not answered, 2 error, 130 interrupted (what was found is printed)
"""
_FIND = """\
Find the exact passages for a question: ranked and checked against the files.

examples:
  lens find "when does the lease end"            search the current folder
  lens find "retry policy" docs src -n 5         the five best passages of two folders
  lens find "lease" ~/notes --scope "2024/**"    only in files whose path matches
  lens find --format grep "lease" | head -3      path:line:column:text
  lens find --rerank "when does the lease end"   ordered by the reader, which is shipped and sends nothing
  lens find --explain "lease"                    why these documents, where the time went
  lens find -- "--no-verify"                     a query that begins with a dash

Nothing is indexed and nothing leaves this machine. Files named by .gitignore, .ignore and .lensignore are
left out (--no-ignore searches them too); secrets such as .env or private keys are never searched.
Colours: NO_COLOR, CLICOLOR, CLICOLOR_FORCE and FORCE_COLOR are honoured.

exit status: 0 a passage was printed, 1 nothing found, 2 error, 130 interrupted (what was found is printed)
"""
_DOCTOR = """\
Show what a bug report needs: versions, paths, settings, what a search here would read.

examples:
  lens doctor                    the workspace of the current folder
  lens doctor ~/notes --json     of another folder, for scripts

Nothing secret is printed: of keys and addresses only whether they are set, and your home folder as ~.
"""
_DESKTOP = """\
Ask in the browser, on this machine only. Runs until Ctrl-C, or until its window is closed.

examples:
  lens desktop ~/notes ~/papers   two folders, in the default browser
  lens desktop --no-browser       print the link and open nothing
  lens desktop --window           a window of its own; ends when that is closed

The link works once; the browser that used it gets a key in exchange. Needs `pip install 'lens-lsp[desktop]'`, for a
window of its own `pip install 'lens-lsp[window]'`.

exit status: 0 ended by Ctrl-C or by closing the window, 2 error
"""
_CHECK = """\
Check every quote in saved answers, and in answers inserted into notes, against its source.

examples:
  lens check                                     every answer file and block below the current folder
  lens check docs notes/lease.md                 of these paths
  lens check --strict docs                       quotes that moved count as drift, too
  lens check --shorten notes                     first make blocks of earlier versions short
  lens check --format github docs                annotations in a pull request
  lens check --format sarif > lens.sarif         for code scanning
  lens check --json | jq '.citations[] | select(.state == "withdrawn")'

Each quote is looked for in its source as that is now; nothing is matched by likeness. verified: the source is the same,
or says the same there. moved: the quote stands elsewhere, and nothing else can be meant. withdrawn: neither.
unverifiable: nothing tells. Nothing leaves this machine, and nothing is written but by --shorten.

exit status: 0 all verified or moved (or there is nothing to check), 1 some withdrawn, unverifiable or unreadable,
2 error, 130 interrupted (what was found is printed)
"""
_READ = """\
Read every PDF, Office, e-book and mail file and keep the texts: questions find them at once.

examples:
  lens read                      every document below the current folder
  lens read ~/papers ~/mail      of these folders
  lens read --json ~/papers      what was read and what was not, for scripts

What is read is kept (`documents.store` in your settings, `lens forget --cache`), a long document part by part: after
Ctrl-C the same command goes on from there. Documents that took too long before are tried again, with more time.

exit status: 0 nothing is left to be read, 1 something is, 2 error, 130 interrupted (what was read is kept)
"""
_FORGET = """\
Remove the texts of documents that were kept so that each is read once, of every folder.

examples:
  lens forget --cache                            the texts in your cache folder; documents are read anew

What earlier questions left behind is forgotten by `lens clusters forget`, consents by `lens consent revoke`.

exit status: 0 something was removed, 1 there was nothing, 2 error, 130 interrupted
"""
_CONSENT = """\
Consents to send questions and passages of a workspace to an endpoint on another machine.

examples:
  lens consent list                                          what may be sent where
  lens consent revoke --workspace ~/notes                    nothing of these notes any more
  lens consent revoke --origin https://models.example        nothing there any more
  lens consent revoke --all

exit status: 0 there was something to list or take back, 1 there was not, 2 error
"""
_CLUSTERS = """\
What earlier questions left in the store of a workspace: facts, and the quotes that prove them.

examples:
  lens clusters list                             what is known of this workspace
  lens clusters show 3f2a                        one cluster, by the beginning of its id
  lens clusters verify                           do the quotes still stand? (not: is the answer right?)
  lens clusters wrong 3f2a                       its answer is wrong: never give it again
  lens clusters check                            is what was called wrong still the answer?
  lens clusters export notes/knowledge           Markdown, JSON and a graph, to read without us
  lens clusters forget 3f2a                      no byte of it is left in the store

exit status: 0 there was something (verify: every quote stands; check: no wrong answer is given any more), 1 there was
not (verify: a quote drifted; check: a wrong answer is still given), 2 error, 130 interrupted
"""

_SERVE = """\
The language server on standard input and output. An editor starts it; there is nothing to type.

exit status: 0 the editor shut it down, 1 it left without that or stopped reading, 3 it is gone,
4 what it sent is no sequence of messages, 2 a mistyped option, 130 interrupted
"""
_SHARD = """\
The other side of `lens find` and `lens ask` in ssh://HOST/FOLDER, on standard input and output. ssh starts it there; \
there is nothing to type. It reads the folder that it is told first, by the settings and rules of its own machine.

exit status: 0 the other side left, 2 a mistyped option
"""
_MCP = """\
A server for agents (Model Context Protocol) on standard input and output. A client starts it; \
there is nothing to type.

examples:
  lens mcp                      in the roots that the client names, without any in the current folder
  lens mcp ~/work               in those of them that lie in this folder
  lens mcp --no-roots ~/notes   in this folder, whatever the client has open

exit status: 0 the client left, 2 a mistyped option or no such folder, 130 interrupted
"""


def _number(kind: type[int] | type[float], meaning: str, allowed: Callable[[float], bool]) -> Callable[[str], float]:
    """A type of argument: a number of some range, which ``meaning`` names."""

    def parsed(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = nan
        if not allowed(number):
            raise argparse.ArgumentTypeError(f"{text!r} is not {meaning}")
        return number

    return parsed


_COUNT = _number(int, "a whole number from 1", lambda number: number >= 1)
_FROM_ZERO = _number(int, "a whole number from 0", lambda number: number >= 0)
_AMOUNT = _number(float, "a number above 0", lambda number: 0 < number < inf)
_PORT = _number(int, "a port from 0 to 65535", lambda number: 0 <= number < 1 << 16)


class Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are :class:`UsageError`: one sentence, told once, at the door."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def flag(self, name: str, meaning: str) -> None:
        """Add an option without a value."""
        self.add_argument(name, action="store_true", help=meaning)

    def paths(self, meaning: str) -> None:
        """Add the paths at the end."""
        self.add_argument("paths", nargs="*", metavar="PATH", help=meaning)

    def shapes(
        self, schema: str, formats: Sequence[str] = ("text", "markdown", "grep"), *, events: bool = False
    ) -> None:
        """Add ``--json``, ``--events`` and ``--format``, of which only one can be given."""
        group = self.add_mutually_exclusive_group()
        group.add_argument("--json", action="store_true", help=f"print one JSON document (schema {schema})")
        if events:
            meaning = "print what happens as it happens, one JSON line each (lens.event/1)"
            group.add_argument("--events", action="store_true", help=meaning)
        group.add_argument("--format", choices=formats, default="text", help="how to print (default: %(default)s)")

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print."""
        raise UsageError(f"{message}; see `{self.prog} --help`")


def _command(name: str, usage: str, words: str) -> Parser:
    """The parser of one command, without its options; ``words`` are its description and the end of its help."""
    description, _, epilog = words.partition("\n\n")
    return Parser(prog=f"lens {name}", usage=f"lens {name} {usage}".rstrip(), description=description, epilog=epilog)


def top_level_parser() -> Parser:
    """The parser behind ``lens --help``; it knows the commands by name only."""
    commands = "\n".join(f"  {name:8} {what}" for name, what in COMMANDS.items())
    parser = Parser(
        prog="lens",
        usage="lens COMMAND …",
        description=f"The exact passages that prove the answer, from your folders.\n\ncommands:\n{commands}",
        epilog=_TOP_EPILOG,
    )
    parser.add_argument("-V", "--version", action="store_true", help="show the version and exit")
    return parser


def ask_parser() -> Parser:
    """The parser of ``lens ask``."""
    parser = _command("ask", "[options] QUESTION [PATH …]", _ASK)
    parser.add_argument("question", nargs="?", metavar="QUESTION", help="what you want to know, in your own words")
    parser.paths(_SEARCHED)
    parser.add_argument(
        "--mode",
        choices=("auto", "evidence", "fast", "deep"),
        help="who judges and words: evidence needs no model; fast and deep need one; auto, the default unless your "
        "settings say otherwise, is fast when a model is configured, else evidence",
    )
    parser.shapes("lens.answer/2", events=True)
    parser.flag(
        "--explain",
        "also tell the plan, what was read and why, the beliefs after each round and why it stopped "
        "(on standard error with --json, --events and --format grep)",
    )
    add_corpus_options(parser)
    for option, kind, metavar, meaning in (
        ("--max-calls", _FROM_ZERO, "N", "at most N calls to a model, below the mode's own limit"),
        ("--max-tokens", _COUNT, "N", "at most N tokens to and from a model, in place of your settings' limit"),
        ("--max-seconds", _AMOUNT, "S", "stop searching after S seconds, in place of your settings' limit"),
        (
            "--call-seconds",
            _AMOUNT,
            "S",
            "wait S seconds for one call to a model, in place of model.callSeconds in your settings",
        ),
        ("--max-cost", _AMOUNT, "X", "spend at most X; needs model.prices in your settings"),
    ):
        parser.add_argument(option, type=kind, metavar=metavar, help=meaning)
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of everything drawn by chance (default: %(default)s)"
    )
    parser.add_argument(
        "--thread", metavar="NAME", help="this question continues a conversation: what it refers to is put in"
    )
    parser.flag("--dry-run", "show what would be sent to a model, connect to nothing, and stop")
    parser.flag("--yes", "consent to the configured endpoint for every workspace that is searched, now and later")
    parser.flag(
        "--all", "on a terminal, too, print every passage whole and what stands around it, not what fits one screen"
    )
    parser.flag("--quiet", "nothing on standard error but errors")
    add_store_options(
        parser, "keep knowledge in this folder instead of your user data", "neither use nor keep what is known"
    )
    return parser


def find_parser() -> Parser:
    """The parser of ``lens find``."""
    parser = _command("find", "[options] QUERY [PATH …]", _FIND)
    parser.add_argument("question", nargs="?", metavar="QUERY", help="what to look for, in your own words")
    parser.paths(_SEARCHED)
    parser.add_argument(
        "-n", "--limit", type=_COUNT, default=10, metavar="N", help="show at most N passages (default: %(default)s)"
    )
    parser.flag("--rerank", "let the reader, a small network on this machine, read the best 24 passages and order them")
    parser.shapes("lens.evidence/2")
    parser.flag(
        "--explain",
        "also tell why these documents, what was skipped and where the time went "
        "(on standard error with --json and --format grep)",
    )
    add_corpus_options(parser)
    parser.add_argument(
        "--parts",
        type=_COUNT,
        metavar="N",
        help="search the files in N parts, each by a process or a worker of your cluster; the result is the same",
    )
    parser.flag("--quiet", "nothing on standard error but errors")
    parser.add_argument("--seed", type=int, metavar="N", help="recorded in the JSON; find has no random part")
    nothing = "accepted for scripts: find stores nothing"
    add_store_options(parser, nothing, nothing)
    for option in ("--mode", "--max-calls", "--max-tokens", "--max-cost", "--max-seconds", "--call-seconds"):
        parser.add_argument(option, nargs="?", action=_Refused, help=argparse.SUPPRESS)
    return parser


def add_corpus_options(parser: Parser) -> None:
    """Which files count."""
    parser.add_argument(
        "--scope", action="append", default=[], metavar="GLOB", help="search only files that match (repeatable)"
    )
    parser.flag("--no-ignore", "search files that ignore rules leave out, too")
    parser.add_argument(
        "--ocr", choices=("on", "off"), help="recognise scanned pages, or do not (default: your documents.ocr)"
    )
    # It asked for what documents.store says, which is on by default.
    parser.add_argument("--cache-extractions", action="store_true", help=argparse.SUPPRESS)


def add_store_options(parser: Parser, folder: str, off: str) -> None:
    """Where knowledge is kept; what ``--store`` and ``--no-store`` do here, in words."""
    store = parser.add_mutually_exclusive_group()
    store.add_argument("--store", metavar="DIR", help=folder)
    store.add_argument("--no-store", action="store_true", help=off)


def serve_parser() -> Parser:
    """The parser of ``lens serve``."""
    parser = _command("serve", "", _SERVE)
    parser.flag("--stdio", "accepted, as editors give it: there is nothing else")
    return parser


def shard_parser() -> Parser:
    """The parser of ``lens shard``."""
    return _command("shard", "", _SHARD)


def mcp_parser() -> Parser:
    """The parser of ``lens mcp``."""
    parser = _command("mcp", "[--no-roots] [PATH …]", _MCP)
    parser.paths("folders that may be searched (default: the client's roots)")
    parser.flag("--no-roots", "do not ask the client for its roots: PATH alone says what is searched")
    return parser


def desktop_parser() -> Parser:
    """The parser of ``lens desktop``."""
    parser = _command("desktop", "[options] [PATH …]", _DESKTOP)
    parser.paths("folders to search (default: as the last time here, at first this folder; none in your home folder)")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--no-browser", action="store_true", help="only print the link")
    shown.add_argument("--window", action="store_true", help="show a window of its own; needs lens-lsp[window]")
    parser.add_argument("--port", type=_PORT, metavar="N", help="listen there, 0 for any (default: as the last time)")
    return parser


def doctor_parser() -> Parser:
    """The parser of ``lens doctor``."""
    parser = _command("doctor", "[options] [PATH …]", _DOCTOR)
    parser.paths("whose workspace to look at (default: the current folder)")
    parser.flag("--json", "print one JSON document (schema lens.doctor/1)")
    parser.flag("--probe", "ask the configured model ten questions, to see whether it can judge")
    return parser


def parse_mixed(parser: Parser, argv: Sequence[str]) -> argparse.Namespace:
    """Options anywhere among the positional arguments, and everything after ``--`` taken literally, as more ``paths``.

    argparse alone can do one or the other. ``shape`` is how to print, where the command can be told.
    """
    arguments = list(argv)
    literal: list[str] = []
    if "--" in arguments:
        at = arguments.index("--")
        literal = arguments[at + 1 :]
        del arguments[at:]
    options = parser.parse_intermixed_args(arguments)
    options.paths = (*options.paths, *literal)
    machine = next((name for name in ("json", "events") if getattr(options, name, False)), None)
    options.shape = machine or getattr(options, "format", "text")
    return options


class _Refused(argparse.Action):
    """An option of ``lens ask`` that makes no sense where no model is called."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> NoReturn:
        name = self.option_strings[0]
        raise UsageError(
            f"`lens find` runs one search and never calls a model, so {name} does not apply; leave it out"
            + (" (-n N limits how much is printed)" if name != "--mode" else "")
        )


def check_parser() -> Parser:
    """The parser of ``lens check``."""
    parser = _command("check", "[options] [PATH …]", _CHECK)
    parser.paths("folders or Markdown files to check (default: the current folder)")
    parser.shapes("lens.check/1", ("text", "sarif", "github"))
    parser.flag("--strict", "quotes that moved count as drift")
    parser.flag(
        "--shorten", "first write blocks of earlier versions in the short form, records to .lens/citations.jsonl"
    )
    add_corpus_options(parser)
    parser.flag("--quiet", "nothing on standard error but errors")
    add_store_options(parser, "check the citations of this store, too", "check files alone")
    return parser


def clusters_parser() -> Parser:
    """The parser of ``lens clusters``."""
    parser = _command("clusters", "ACTION [options]", _CLUSTERS)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, what, words in (
        ("list", "every cluster, the last used one first", None),
        ("show", "one cluster as a page", "ID"),
        ("export", "every cluster as Markdown, all as JSON, and their graph as Mermaid", "DIR"),
        ("forget", "take clusters out so that no byte of them is left", "ID"),
        (
            "verify",
            "look whether every quote still stands, not whether an answer is right, and keep what that shows",
            None,
        ),
        ("wrong", "withdraw clusters whose answers are wrong, and keep the questions as checks", "ID"),
        ("check", "ask again what was answered wrong, and say which wrong answers are still given", None),
    ):
        action = actions.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
        if words is not None:
            some_or_more = {"ID": "*" if name == "forget" else "+", "DIR": 1}[words]
            action.add_argument("words", nargs=some_or_more, metavar=words, help="the beginning of an id is enough")
        if name == "check":
            action.add_argument("--mode", choices=("auto", "evidence", "fast", "deep"), help="as of `lens ask`")
        if name == "forget":
            action.flag("--all", "all of them")
        if name == "export":
            action.flag("--force", "over files that no export made, too")
        action.add_argument("--path", default=".", metavar="PATH", help="of the workspace of this path (default: here)")
        action.add_argument("--store", metavar="DIR", help="of this store instead")
        action.flag("--json", "print one JSON document")
    return parser


def read_parser() -> Parser:
    """The parser of ``lens read``."""
    parser = _command("read", "[options] [PATH …]", _READ)
    parser.paths("folders or files to read (default: the current folder)")
    parser.flag("--json", "print one JSON document (schema lens.read/1)")
    add_corpus_options(parser)
    parser.flag("--quiet", "nothing on standard error but errors")
    return parser


def forget_parser() -> Parser:
    """The parser of ``lens forget``."""
    parser = _command("forget", "--cache", _FORGET)
    parser.add_argument("--cache", action="store_true", required=True, help="the texts in your cache folder")
    parser.flag("--json", "print one JSON document (schema lens.forgotten-cache/1)")
    return parser


def consent_parser() -> Parser:
    """The parser of ``lens consent``."""
    parser = _command("consent", "list|revoke [options]", _CONSENT)
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|revoke")
    listing = actions.add_parser("list", help="show the origins and workspaces that were consented to")
    listing.flag("--json", "print one JSON document (schema lens.consents/1)")
    revoking = actions.add_parser("revoke", help="take consents back: those that every given option names")
    revoking.add_argument("--origin", metavar="ORIGIN", help="only those to this origin, as the list shows it")
    revoking.add_argument(
        "--workspace", dest="path", metavar="PATH", help="only those of PATH's workspace and of folders in it"
    )
    revoking.flag("--all", "all of them")
    return parser


def parse_question(
    parser: Parser, argv: Sequence[str], *, otherwise: str
) -> tuple[argparse.Namespace, str, tuple[str, ...]]:
    """The options, and the words among them: the first is the question, the rest are paths.

    Raises `UsageError`, with the sentence ``otherwise`` when there is no word at all.
    """
    options = parse_mixed(parser, argv)
    words = [word for word in (options.question, *options.paths) if word is not None]
    if not words:
        raise UsageError(otherwise)
    question, *paths = words
    if "" in paths:
        raise UsageError("one of the paths is empty; leave it out to search the current folder")
    # Bytes of the terminal that are no text can never match a decoded document.
    return options, question.encode("utf-8", "replace").decode("utf-8"), tuple(paths)


def command_line(options: argparse.Namespace) -> CommandLine:
    """What options of a command say in place of the user's settings; those that it does not have say nothing."""
    from lens_lsp.app.settings import CommandLine
    from lens_lsp.judge.ledger import Limits

    limits = (getattr(options, f"max_{name}", None) for name in ("calls", "tokens", "seconds", "cost"))
    return CommandLine(
        getattr(options, "mode", None),
        Limits(*limits),
        tuple(options.scope),
        options.no_ignore,
        getattr(options, "call_seconds", None),
        options.ocr,
    )


def settings_for(paths: Sequence[str], command: CommandLine, *, quiet: bool = False, projects: bool = True) -> Settings:
    """The settings in force for the workspaces of the paths; what is wrong with them goes to standard error.

    ``projects`` false leaves out what projects say. Raises `PathNotFound`, also for a path relative to a current folder
    that was deleted.
    """
    from lens_lsp.app.configuration import HERE, load_settings

    try:
        os.getcwd()
    except FileNotFoundError as error:
        if not paths or not all(map(os.path.isabs, paths)):
            raise PathNotFound("the current folder was deleted; change to another one") from error
    settings = load_settings(paths or (HERE,), os.environ, options=command, projects=projects)
    for notice in () if quiet else settings.notices:
        tell(notice.text)
    return settings
