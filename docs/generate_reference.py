"""Write ``docs/reference/cli.md`` from the parsers of the command line.

``python docs/generate_reference.py`` writes the page, ``--check`` only says whether it is current (exit status 1 when
not). The page is made from the parsers' actions and not from their help, whose layout differs between Pythons.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from lens_lsp.cli.arguments import COMMANDS, Parser, ask_parser, doctor_parser, find_parser, top_level_parser
from lens_lsp.evaluation import command as evaluation

PAGE = Path(__file__).resolve().parent / "reference" / "cli.md"
HEAD = """\
# Command line

Made from the program by `python docs/generate_reference.py`; a test fails when the two differ. How to use it is told in
[ask](../how-to/ask.md), [find passages](../how-to/find-passages.md) and [evaluate](../how-to/evaluate.md). `lens-lsp`
is the same command under another name, and `python -m lens_lsp` is the same again. Every command has `--help`.

Exit status, as grep's: 0 answered or found, 1 partly or not answered, nothing found (`lens eval gate`: a figure
failed), 2 error, 130 interrupted.
"""


def reference() -> str:
    """The whole page."""
    commands = "\n".join(f"* [`lens {name}`](#lens-{name}): {what}" for name, what in COMMANDS.items())
    sections = "\n".join(_section(title, parser) for title, parser in _parsers())
    return f"{HEAD}\n{commands}\n\n{sections}"


def _parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield "lens", top_level_parser()
    yield "lens ask", ask_parser()
    yield "lens find", find_parser()
    yield "lens doctor", doctor_parser()
    evaluate = evaluation.add_parser(Parser(prog="lens").add_subparsers())
    yield "lens eval", evaluate
    for action in evaluate._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, parser in action.choices.items():
                yield f"lens eval {name}", parser


def _section(title: str, parser: argparse.ArgumentParser) -> str:
    level = "#" * (1 + len(title.split()))
    parts = [f"{'##' if title == 'lens' else level} {title}", f"```text\n{_usage(title, parser)}\n```"]
    if parser.description:
        parts.append(parser.description.partition("\n\n")[0])
    rows = [row for action in parser._actions for row in _rows(action)]
    parts.append("\n".join(["| Argument | Default | Meaning |", "| :--- | :--- | :--- |", *rows]))
    if parser.epilog:
        parts.append(f"```text\n{parser.epilog.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def _usage(title: str, parser: argparse.ArgumentParser) -> str:
    if parser.usage:
        return parser.usage
    needed = [f"{action.option_strings[0]} {_metavar(action)}" for action in parser._actions if _needed_option(action)]
    named = [_positional(action) for action in parser._actions if not action.option_strings]
    return " ".join([title, *named, *needed, "[options]"])


def _needed_option(action: argparse.Action) -> bool:
    return bool(action.option_strings) and action.required


def _positional(action: argparse.Action) -> str:
    return f"{_metavar(action)} …" if action.nargs in ("+", "*") else _metavar(action)


def _rows(action: argparse.Action) -> Iterator[str]:
    if action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction):
        return
    if isinstance(action, argparse._SubParsersAction):
        for choice in action._choices_actions:
            yield f"| `{choice.dest}` |  | {choice.help} |"
        return
    meaning = (action.help or "").replace("(default: %(default)s)", "").replace("%(default)s", str(action.default))
    yield f"| {_names(action)} | {_default(action)} | {_cell(meaning)} |"


def _names(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{_positional(action)}`"
    value = "" if action.nargs == 0 else f" {_metavar(action)}"
    return ", ".join(f"`{name}{value}`" for name in action.option_strings).replace("|", "\\|")


def _metavar(action: argparse.Action) -> str:
    if action.choices is not None and action.metavar is None:
        return "|".join(map(str, action.choices))
    return str(action.metavar or action.dest.upper())


def _default(action: argparse.Action) -> str:
    if not action.option_strings:
        return "" if action.nargs in ("?", "*") else "needed"
    if action.required:
        return "needed"
    value = action.default
    if value is None or value is False or value == []:
        return ""
    return f"`{','.join(value) if isinstance(value, list) else value}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> int:
    """Write or check the page; the exit status."""
    parser = argparse.ArgumentParser(description="Write docs/reference/cli.md.")
    parser.add_argument("--check", action="store_true", help="only say whether the page is current")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the page is (default: %(default)s)")
    arguments = parser.parse_args()
    page = reference()
    if not arguments.check:
        arguments.page.parent.mkdir(parents=True, exist_ok=True)
        arguments.page.write_text(page, encoding="utf-8")
        return 0
    if arguments.page.is_file() and arguments.page.read_text(encoding="utf-8") == page:
        return 0
    print(f"{arguments.page} is not current: run python docs/generate_reference.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
