"""What can be typed after the commands about what is kept: ``check``, ``clusters``, ``consent``."""

from __future__ import annotations

from lens_lsp.cli.arguments import Parser, add_corpus_options, add_store_options

_CHECK_EPILOG = """\
examples:
  lens check                                     every answer file and block below the current folder
  lens check docs notes/lease.md                 of these paths
  lens check --strict docs                       quotes that moved count as drift, too
  lens check --format github docs                annotations in a pull request
  lens check --format sarif > lens.sarif         for code scanning
  lens check --json | jq '.citations[] | select(.state == "withdrawn")'

Each quote is looked for in its source as that is now; nothing is matched by likeness. verified: the source is the same,
or says the same there. moved: the quote stands elsewhere, and nothing else can be meant. withdrawn: neither.
unverifiable: its reader has another version now. Nothing is written and nothing leaves this machine.

exit status: 0 all verified or moved (or there is nothing to check), 1 some withdrawn, unverifiable or unreadable,
2 error, 130 interrupted (what was found is printed)
"""

_FORGET_EPILOG = """\
examples:
  lens forget --cache                            the texts in your cache folder; documents are read anew

What earlier questions left behind is forgotten by `lens clusters forget`, consents by `lens consent revoke`.

exit status: 0 something was removed, 1 there was nothing, 2 error, 130 interrupted
"""

_CONSENT_EPILOG = """\
examples:
  lens consent list                                          what may be sent where
  lens consent revoke --workspace ~/notes                    nothing of these notes any more
  lens consent revoke --origin https://models.example        nothing there any more
  lens consent revoke --all

exit status: 0 there was something to list or take back, 1 there was not, 2 error
"""

_CLUSTERS_EPILOG = """\
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


def check_parser() -> Parser:
    """The parser of ``lens check``."""
    parser = Parser(
        prog="lens check",
        usage="lens check [options] [PATH …]",
        description="Check every quote in saved answers, and in answers inserted into notes, against its source.",
        epilog=_CHECK_EPILOG,
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="folders or Markdown files to check (default: the current folder)"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document (schema lens.check/1)")
    shape.add_argument(
        "--format",
        choices=("text", "sarif", "github"),
        default="text",
        help="how to print (default: %(default)s)",
    )
    parser.add_argument("--strict", action="store_true", help="quotes that moved count as drift")
    add_corpus_options(parser)
    parser.add_argument("--quiet", action="store_true", help="nothing on standard error but errors")
    add_store_options(parser, "check the citations of this store, too", "check files alone")
    return parser


def clusters_parser() -> Parser:
    """The parser of ``lens clusters``."""
    parser = Parser(
        prog="lens clusters",
        usage="lens clusters ACTION [options]",
        description="What earlier questions left in the store of a workspace: facts, and the quotes that prove them.",
        epilog=_CLUSTERS_EPILOG,
    )
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
            action.add_argument("--all", action="store_true", help="all of them")
        if name == "export":
            action.add_argument("--force", action="store_true", help="over files that no export made, too")
        action.add_argument("--path", default=".", metavar="PATH", help="of the workspace of this path (default: here)")
        action.add_argument("--store", metavar="DIR", help="of this store instead")
        action.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def forget_parser() -> Parser:
    """The parser of ``lens forget``."""
    parser = Parser(
        prog="lens forget",
        usage="lens forget --cache",
        description="Remove the texts of documents that --cache-extractions kept, of every folder.",
        epilog=_FORGET_EPILOG,
    )
    parser.add_argument("--cache", action="store_true", required=True, help="the texts in your cache folder")
    parser.add_argument("--json", action="store_true", help="print one JSON document (schema lens.forgotten-cache/1)")
    return parser


def consent_parser() -> Parser:
    """The parser of ``lens consent``."""
    parser = Parser(
        prog="lens consent",
        usage="lens consent list|revoke [options]",
        description="Consents to send questions and passages of a workspace to an endpoint on another machine.",
        epilog=_CONSENT_EPILOG,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|revoke")
    listing = actions.add_parser("list", help="show the origins and workspaces that were consented to")
    listing.add_argument("--json", action="store_true", help="print one JSON document (schema lens.consents/1)")
    revoking = actions.add_parser("revoke", help="take consents back: those that every given option names")
    revoking.add_argument("--origin", metavar="ORIGIN", help="only those to this origin, as the list shows it")
    revoking.add_argument(
        "--workspace", dest="path", metavar="PATH", help="only those of PATH's workspace and of folders in it"
    )
    revoking.add_argument("--all", action="store_true", help="all of them")
    return parser
