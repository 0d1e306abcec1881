"""“What is X?” where a page begins with the definition of its title.

    python -m benchmarks.passages.definitions --data DATA --half first|second|both [--missed] [--work FOLDER]

Nothing is picked by hand. THE RULE, over every file of the workspaces of DocsQA but the Chinese one:

1. The title is that of the metadata, else the first heading. Names of it are the title, the title without what stands
   in brackets at its end, what stands there, and the aliases of the front matter.
2. The sentence is the first of the page's prose: metadata, headings, lists, tables, code, pictures, sources, quotations
   and paragraphs that are one link are passed over, and no more than two headings may stand before it.
3. The sentence defines the title if, markup aside, it begins with one of the names (after "the", "a" or "an"; a plural
   will do; something in brackets or between commas may follow) and goes on with "is" and an article, "one" or a
   possessive, with "are" and neither an adverb nor a participle, or with means, refers to, denotes, stands for,
   describes or consists of; or if the title is a command ("Verb-Noun" or the lower-case words of a program and its
   command) and the sentence says what it does: it begins with a verb in the third person, with "This command" or in
   lower case.
4. Pages with one title (case and brackets aside) make one question. Right are their sentences and every sentence of the
   workspace that begins a paragraph and defines one of the names in the same way; for a command also "This command …"
   on its own page and "The NAME cmdlet (command, function) …s".
5. A seeded hash orders the questions of a workspace; the workspaces take turns until there are 80. The parity of
   another hash gives the half.

The question is "What is TITLE?", or "What are TITLE?" where the sentence says are and the title ends in "s". It is
right where the first passage of `lens find` holds one of the sentences whole, white space folded.

All eighty were read: each sentence says what its title is or does; two say it weakly ("IP addresses are 32 bits …",
"Adadelta is yet another variant of AdaGrad").
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.passages.corpora import docsqa_folders, text_of
from benchmarks.passages.metadata import parser_of, report
from benchmarks.passages.outline import Outline, Unit
from benchmarks.passages.reading import outline

NUMBER = 80
SEED = "what is"
LEFT_OUT = frozenset({"howtocook-zh"})
SUFFIXES = frozenset({".md", ".mdx", ".rst"})

_SINGULAR = (
    r"(?:is|was) (?:(?:\w+ly|yet) )?(?:an?|the|any|another|one|[\w-]+'s) "
    r"(?!list\b|guide\b|way to\b|first\b|last\b|page\b)"
)
_PLURAL = r"are (?!not\b|more\b|also\b|now\b|currently\b|here\b|below\b|when\b|where\b|how\b|\w+ly\b|\w+ed\b|\w+en\b)"
_OTHER = r"(?:means?|refers? to|denotes?|stands? for|describes?|consists? of) "
_DEFINES = rf"({_SINGULAR}|{_PLURAL}|{_OTHER})[^\s]"
_COMMAND = re.compile(r"[A-Z][A-Za-z]+-[A-Z]\w+|[a-z]{3,}(?: [a-z][\w-]+)+")
_SAYS = re.compile(r"This command\b|[A-Z][a-z]+s \w|[a-z]+,? [\w.]")
_MENTION = re.compile(r"(?:\[|!\[|\{|:|<|\||Source\b|See\b|Note\b|>)")


@dataclass(frozen=True, slots=True)
class Definition:
    """A page that begins with the definition of its title."""

    path: str
    title: str
    sentence: str
    plural: bool
    names: tuple[str, ...]


def definition(path: str, text: str) -> Definition | None:
    """The definition that the file ``path`` begins with, by the rule; None where it does not."""
    found = _outline(path, text)
    title = _title(found)
    unit = _first_prose(found)
    if title is None or unit is None:
        return None
    sentence = _sentence(found, unit)
    shown = bare(sentence)
    names = _names(title, text)
    match = _begins(shown, names)
    if match is not None:
        return Definition(path, bare(title), sentence, match == "are", tuple(names))
    if _COMMAND.fullmatch(bare(title)) and _SAYS.match(shown):
        return Definition(path, bare(title), sentence, plural=False, names=tuple(names))
    return None


@cache
def _outline(path: str, text: str) -> Outline:
    return outline(path, text)


def _sentence(found: Outline, unit: Unit) -> str:
    """The first sentence of a paragraph, as written."""
    return found.text[unit.start : unit.breaks[0][0] if unit.breaks else unit.end]


def bare(text: str) -> str:
    """A text as shown: links by their words, no marks of emphasis or code, white space folded."""
    text = re.sub(r"!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]", lambda found: found[1].rpartition("/")[2], text)
    text = re.sub(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r":[\w-]+:`([^`<]*)(?:<[^`]*>)?`", r"\1", text)
    text = re.sub(r"<[^>]*>|\[\^[^\]]*\]", "", text)
    return " ".join(re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", text).replace("’", "'").split())


def _title(found: Outline) -> str | None:
    named = found.names[2:]
    strong = [title for title in found.titles if not title.weak]
    title = named[0] if named else strong[0].texts[0] if strong else None
    return title if title and bare(title) else None


def _names(title: str, text: str) -> list[str]:
    title = bare(title)
    names = [title]
    bracketed = re.fullmatch(r"(.+?)\s*\(([^)]+)\)", title)
    if bracketed:
        names += [bracketed[1], bracketed[2]]
    front = re.match(r"---\n(.*?)\n---", text, re.DOTALL)
    aliases = re.search(r"^aliases:[ ]*\n((?:[ ]*- .*\n?)+)", front[1] if front else "", re.MULTILINE)
    if aliases:
        names += [bare(name).strip("\"'") for name in re.findall(r"- (.*)", aliases[1])]
    return names


def _begins(sentence: str, names: Sequence[str]) -> str | None:
    """The verb with which a sentence defines one of the names; None where it does not."""
    for name in names:
        words = r"[\s-]+".join(re.escape(word) for word in re.split(r"[\s-]+", name.strip()) if word)
        named = rf"(?:[\"“'‘]{words}(?:e?s)?[\"”'’]|{words}(?:e?s)?)"
        match = re.match(
            rf"(?:the |a |an )?{named}(?:\s*\([^)]*\))?(?:,[^,.]{{1,80}},)?\s+{_DEFINES}", sentence, re.IGNORECASE
        )
        if match and not sentence.endswith(("?", ":")):
            return match[1].split()[0].lower()
    return None


def _first_prose(found: Outline) -> Unit | None:
    """The first paragraph of prose that is no mention of something else."""
    for unit in found.units:
        text = found.text[unit.start : unit.end]
        if unit.kind in ("heading", "field", "line", "row", "code"):
            continue
        if sum(not title.weak and title.start < unit.start for title in found.titles) > 2:
            return None
        quoted = found.text.rfind("\n", 0, unit.start) + 1
        if unit.kind != "prose" or ">" in found.text[quoted : unit.start]:
            continue
        if _MENTION.match(text) and _is_mention(text):
            continue
        return unit
    return None


def _is_mention(text: str) -> bool:
    """Whether a paragraph is one link, picture, source, tag or mark, and so no text of the page."""
    rest = re.sub(r"!?\[\[[^\]]*\]\]|!?\[[^\]]*\](?:\([^)]*\))?|\{%.*?%\}|<[^>]*>|:\w+:`[^`]*`", "", text)
    return not re.search(r"\w{2,}\W+\w{2,}", rest) or bool(re.match(r"(?:Source|See|Note)\b", text))


def definitions(folder: Path) -> Iterator[Definition]:
    """Every page of a folder that begins with the definition of its title, in the order of their paths."""
    for path, text in _pages(folder):
        found = definition(path, text)
        if found is not None:
            yield found


def _pages(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*")):
        if file.suffix in SUFFIXES and file.is_file():
            yield file.relative_to(folder).as_posix(), text_of(file)


def with_others(rows: Sequence[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """The questions of one workspace with every other sentence that defines their names in the same way."""
    sentences = [
        (path, sentence, bare(sentence))
        for path, text in _pages(folder)
        for unit in _outline(path, text).units
        if unit.kind == "prose" and (sentence := _sentence(_outline(path, text), unit))
    ]
    return [{**row, "gold": [*row["gold"], *_others(row, sentences)]} for row in rows]


def _others(row: dict[str, Any], sentences: Sequence[tuple[str, str, str]]) -> Iterator[dict[str, str]]:
    known = {(item["path"], item["quote"]) for item in row["gold"]}
    own = {item["path"] for item in row["gold"]}
    starts = tuple(re.split(r"[\s-]", name)[0].lower() for name in row["names"])
    for path, sentence, shown in sentences:
        begins = any(start in shown[:80].lower() for start in starts) and _begins(shown, row["names"])
        if (begins or _says(shown, row["names"], own=path in own)) and (path, sentence) not in known:
            yield {"path": path, "quote": sentence}


def _says(shown: str, names: Sequence[str], *, own: bool) -> bool:
    """Whether a sentence says what the command of these names does."""
    if not _COMMAND.fullmatch(names[0]):
        return False
    if own and shown.startswith("This command "):
        return True
    return bool(re.match(rf"The {re.escape(names[0])} (?:cmdlet|command|function) \w+s \w", shown))


def questions(workspace: str, found: Sequence[Definition]) -> list[dict[str, Any]]:
    """One question a title, in the seeded order."""
    groups: dict[str, list[Definition]] = {}
    for one in found:
        groups.setdefault(re.sub(r"\s*\([^)]*\)$", "", one.title).casefold(), []).append(one)
    rows = [_question(workspace, key, group) for key, group in groups.items()]
    return sorted(rows, key=lambda row: _digest(SEED, row["id"]))


def _question(workspace: str, key: str, group: Sequence[Definition]) -> dict[str, Any]:
    first = group[0]
    name = f"{workspace}/{key}"
    title = re.sub(r"^(?:The|An?) ", lambda found: found[0].lower(), first.title)
    plural = first.plural and re.search(r"[^s]s$", title)
    return {
        "id": name,
        "workspace": workspace,
        "half": ("first", "second")[int(_digest("half", name), 16) % 2],
        "question": f"What {'are' if plural else 'is'} {title}?",
        "names": list(dict.fromkeys(name for one in group for name in one.names)),
        "gold": [{"path": one.path, "quote": one.sentence} for one in group],
    }


def _digest(seed: str, name: str) -> str:
    return hashlib.sha256(f"{seed}\0{name}".encode()).hexdigest()


def drawn(by_workspace: Sequence[Sequence[dict[str, Any]]], number: int = NUMBER) -> list[dict[str, Any]]:
    """The workspaces take turns until ``number`` questions are drawn or none is left."""
    rows: list[dict[str, Any]] = []
    for turn in range(max(map(len, by_workspace), default=0)):
        rows.extend(own[turn] for own in by_workspace if turn < len(own))
    return rows[:number]


def main(arguments: Sequence[str] | None = None) -> int:
    given = parser_of(__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        folders = docsqa_folders(given.data, work)
        names = sorted(set(folders) - LEFT_OUT)
        found = {name: questions(name, list(definitions(folders[name]))) for name in names}
        chosen = [row for row in drawn(list(found.values())) if given.half in ("both", row["half"])]
        rows = [
            row
            for name in names
            for row in with_others([row for row in chosen if row["workspace"] == name], folders[name])
        ]
        print("pages that begin with a definition:", ", ".join(f"{name} {len(own)}" for name, own in found.items()))
        print(report(rows, folders, missed=given.missed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
