"""Write ``docs/reference/cli.md`` from the parsers of the command line, ``settings.md`` from the types of the options,
``protocol.md`` and ``protocol.json`` from the types of our requests, ``tools.md`` from those of the tools for agents,
``names.md`` from the modules of the package.

``python docs/generate_reference.py`` writes the pages, ``--check`` only says whether they are current (exit status 1
when not). The first is made from the parsers' actions and not from their help, whose layout differs between Pythons.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from names_reference import names_page
from protocol_reference import protocol_json, protocol_page
from tools_reference import tools_page

from evaluation import command as evaluation
from lens_lsp.app.option_models import EDITOR_ONLY, ClientOptions, ProjectOptions, UserOptions
from lens_lsp.app.settings import LANGUAGES
from lens_lsp.cli.arguments import (
    COMMANDS,
    Parser,
    ask_parser,
    check_parser,
    clusters_parser,
    consent_parser,
    desktop_parser,
    doctor_parser,
    find_parser,
    forget_parser,
    mcp_parser,
    read_parser,
    serve_parser,
    shard_parser,
    top_level_parser,
)

FOLDER = Path(__file__).resolve().parent / "reference"
HEAD = """\
# Command line

Made from the program by `python docs/generate_reference.py`; a test fails when the two differ. How to use it is told in
[ask](../how-to/ask.md), [find passages](../how-to/find-passages.md) and [evaluate](../how-to/evaluate.md). `lens-lsp`
is the same command under another name, and `python -m lens_lsp` is the same again. Every command has `--help`.

Exit status, as grep's: 0 answered or found, 1 partly or not answered, nothing found (`lens eval gate`: a figure
failed), 2 error, 130 interrupted.
"""
SETTINGS_HEAD = """\
# Settings

Made from the program by `python docs/generate_reference.py`; a test fails when the two differ. How to use them is told
in [models and keys](../how-to/models-and-keys.md). `lens doctor` shows what holds where you are, and who said it.

Who may say something, the lowest first:

| Who | Where |
| :--- | :--- |
| you | the file that `LENS_CONFIG` names, else `config.toml` in your folder for configuration (`~/.config/lens-lsp`) |
| a project | `.lens.toml` in the workspace: the nearest folder at or above a path that holds it or `.git` |
| the environment | `LENS_BASE_URL`, `LENS_MODEL`, `LENS_API_KEY`, `LENS_CONTEXT_TOKENS`, `LENS_CALL_SECONDS`, \
`LENS_BUDGET_SECONDS`, `LENS_READER`, `LENS_DOCUMENT_PASSWORDS` |
| an editor | its own settings, with `lens.` before each key |
| the command line | options |

* Of several limits the lowest holds, except that the command line replaces those of the environment, and these replace
  those of your file. Yours of time and tokens may be above the default (calls never are); what a project or a workspace
  of an editor says only lowers.
* Exclusions add up. Nobody brings back what another leaves out, and secrets are never searched.
* A project cannot name an endpoint, a key, a program or a place on disk.
* An editor's `mode` only lowers yours, from `deep` to `fast` to `evidence`.
* What was said of a model (`model.contextTokens`, `model.prices`) holds for that model: another base URL or name from a
  higher place leaves it unknown again.
* What cannot be used keeps its default and is told once, with the file, the key and what to write. If it was a limit or
  an exclusion, or a file that cannot be read at all, nothing is sent to another machine until it is corrected.
"""


def reference() -> str:
    """The page of the command line."""
    commands = "\n".join(f"* [`lens {name}`](#lens-{name}): {what}" for name, what in COMMANDS.items())
    sections = "\n".join(_section(title, parser) for title, parser in _parsers())
    return f"{HEAD}\n{commands}\n\n{sections}"


def _parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield "lens", top_level_parser()
    yield "lens ask", ask_parser()
    yield "lens find", find_parser()
    yield "lens check", check_parser()
    for name, parser in (
        ("lens clusters", clusters_parser()),
        ("lens read", read_parser()),
        ("lens forget", forget_parser()),
        ("lens consent", consent_parser()),
    ):
        yield name, parser
        yield from _subcommands(name, parser)
    yield "lens mcp", mcp_parser()
    yield "lens desktop", desktop_parser()
    yield "lens serve", serve_parser()
    yield "lens shard", shard_parser()
    yield "lens doctor", doctor_parser()
    evaluate = evaluation.add_parser(Parser(prog="lens").add_subparsers())
    yield "lens eval", evaluate
    yield from _subcommands("lens eval", evaluate)


def _subcommands(above: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield f"{above} {name}", below


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


def settings() -> str:
    """The page of the settings."""
    keys = dict.fromkeys([*UserOptions.names(), *ProjectOptions.names()])
    rows = [
        "| Key | Takes | Default | Meaning | You | Project | Editor |",
        "| :--- | :--- | :--- | :--- | :-: | :-: | :-: |",
    ]
    for key in keys:
        kinds = (UserOptions, ProjectOptions, ClientOptions)
        told = next(kind for kind in kinds if key in kind.names()).told(key)
        places = ["✓" if key in kind.names() else "" for kind in kinds]
        takes = f"{told['wanted']}: `{told['example']}`"
        rows.append("| " + " | ".join([f"`{key}`", takes, told["default"], told["meaning"], *places]) + " |")
    editor = ", ".join(f"`{key}`" for key in sorted(EDITOR_ONLY))
    languages: dict[str, list[str]] = {}
    for code, encoding in LANGUAGES.items():
        languages.setdefault(encoding, []).append(code)
    codes = [f"| `{encoding}` | {', '.join(languages[encoding])} |" for encoding in sorted(languages)]
    return "\n".join(
        [
            SETTINGS_HEAD,
            "## Keys\n",
            *rows,
            f"\nIn an editor there are more, which concern the editor alone: {editor}.\n",
            "## Languages\n",
            "What is neither UTF-8 nor marked otherwise is read by the `language` of the project.\n",
            "| Encoding | Languages |",
            "| :--- | :--- |",
            *codes,
            "",
        ]
    )


PAGES = {
    "cli.md": reference,
    "settings.md": settings,
    "protocol.md": protocol_page,
    "protocol.json": protocol_json,
    "tools.md": tools_page,
    "names.md": names_page,
}


def main() -> int:
    """Write or check the pages; the exit status."""
    parser = argparse.ArgumentParser(description="Write the pages of the reference.")
    parser.add_argument("--check", action="store_true", help="only say whether the pages are current")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the pages are (default: %(default)s)")
    arguments = parser.parse_args()
    stale = []
    for name, make in PAGES.items():
        path, page = arguments.folder / name, make()
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != page:
            stale.append(str(path))
    if stale:
        print(f"not current: {', '.join(stale)}; run python docs/generate_reference.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
