"""Citations in notes as people write them: a footnote with a short id, a link and a quote, in the syntax of the note.

What stands in a note is for people and may be changed by any of their tools: formatters wrap, renumber and move
footnotes, and join them into paragraphs. So a footnote is known by its id, or by the quote that a record has, and what
it says is compared without blanks. The records stand elsewhere (`lens_lsp.memory.citation_records`); a citation without
one is looked for by its words.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote

from lens_lsp.memory.answer_parser import (
    AnswerFault,
    Citing,
    Held,
    Reference,
    Written,
    quoted_on_one_line,
    read_citing,
    seen,
)
from lens_lsp.memory.citation_records import ID, CitationRecords
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import TextSource
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import OUTPUT
from lens_lsp.model.sanitize import printable_path, sanitize_markdown
from lens_lsp.model.text import SourceText, Span

MOST = 5_000
"""Citations of one note that are looked at."""
_LONGEST_NOTE = 20_000
"""Code points of one footnote."""
_OURS = regex(ID)
_SIGN = regex(rf"(?:[\[#{{<@]|fn:|\[\^){ID}")
_STOP = regex(r"(?:\r\n|\n|\r)[ \t>]*(?=[\r\n])|<!--[ \t]*lens:|\Z")
_WRAPPED = regex(r"[ \t]*(?:\r\n|\n|\r)[ \t>]*")
_ESCAPE = regex(r"\\([!-/:-@\[-`{-~])")
_USED = regex(r"\[\^([^\]\s]{1,80})\]")
_LINE = regex(r"(?:L|::)?(\d{1,9})(?:[-,].*)?")
_LINE_OF_NAME = regex(r":(\d{1,9})(?::\d{1,9})?\Z")
_QUOTE = r"""(?:[\s:,.]*(?:["“]|``)(?P<quote>.*)(?:["”]|''))?"""
_NAME = r"(?:\\.|[^\]\\])*"
_ELLIPSIS = "…"
_FEWEST = 8
"""Characters of a shortened quote that mean something."""
_COMMENTS = r"(?:#|\.\.|//|%+)[ \t]+"


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a kind of text cites. ``opening`` is where a footnote begins, ``place`` what it says behind that."""

    name: str
    suffixes: str
    comment: str
    """What makes a line a comment; empty where the marks of a block are comments by themselves."""
    mark: str
    note: str
    opening: re.Pattern[str]
    place: re.Pattern[str]
    plain: Callable[[str], str]
    """A text of a source as it may stand there: it shows and does nothing."""
    inline: bool = False
    """A footnote stands where it is first referred to, and its mark is that."""


def _escaping(active: str, by: str = r"\\\g<0>") -> Callable[[str], str]:
    pattern = regex(active)
    return lambda text: pattern.sub(by, text)


def _labelled(opening: str) -> re.Pattern[str]:
    return regex(opening, re.DOTALL)


MARKDOWN = Syntax(
    "markdown",
    "md markdown mdown mkd mdx qmd rmd",
    "",
    "[^{id}]",
    '[^{id}]: [{name}]({target}) "{quote}"',
    _labelled(rf"(?:(?:^|(?<=[\r\n]))[ \t>]*\\?\[\^(?P<any>[^\]\s\\]{{1,80}})\\?\]:|\\?\[\^(?P<label>{ID})\\?\]:)"),
    _labelled(
        rf"\s*(?:\\?\[(?P<name>{_NAME})\]\(<?(?P<target>[^\s()<>]*)>?(?:\s[^()]*)?\)|(?P<bare>[^\s\"“\[]+:\d+)){_QUOTE}"
    ),
    sanitize_markdown,
)
ORG = Syntax(
    "org",
    "org",
    "# ",
    "[fn:{id}]",
    '[fn:{id}] [[file:{path}::{line}][{name}]] "{quote}"',
    _labelled(
        rf"(?:(?:^|(?<=[\r\n]))\[fn:(?P<any>[^\]\s:]{{1,80}})\](?=[ \t]*\[\[)|\[fn:(?P<label>{ID})\](?=\s*\[\[))"
    ),
    _labelled(rf"\s*\[\[(?:file:)?(?P<target>[^\]\s]*)\]\[(?P<name>(?:[^\]]|\](?!\]))*)\]\]{_QUOTE}"),
    _escaping(r"\[(?=\[)|<(?=\S)|\{\{\{|_(?=\{)|^[*#]", "\\g<0>\u200b"),
)
RST = Syntax(
    "restructuredtext",
    "rst rest",
    ".. ",
    "[#{id}]_",
    '.. [#{id}] `{name} <{target}>`__ "{quote}"',
    _labelled(rf"(?:(?:^|(?<=[\r\n]))[ \t]*\.\.[ \t]+\[#?(?P<any>[^\]\s]{{1,80}})\]|\.\.\s+\[#(?P<label>{ID})\])"),
    _labelled(rf"\s*`(?P<name>[^`<]*?)\s*<(?P<target>[^>]*)>`__?{_QUOTE}"),
    _escaping(r"[\\`*|]|_(?!\w)|\](?=_)|(?<=\w)://"),
)
ASCIIDOC = Syntax(
    "asciidoc",
    "adoc asciidoc asc",
    "// ",
    "<<{id}>>",
    '* [[[{id}]]] link:{target}[{name}] "{quote}"',
    _labelled(rf"\[\[\[(?:(?P<label>{ID})|(?P<any>[\w-]{{1,80}}))\]\]\]"),
    _labelled(rf"\s*(?:link:|xref:)(?P<target>[^\[\s]*)\[(?P<name>{_NAME})\]{_QUOTE}"),
    _escaping(r"\b[a-z]+::?(?=\S*\[)|<<|\[\[|\{(?=\w)|\+\+|``"),
)
LATEX = Syntax(
    "latex",
    "tex latex ltx",
    "% ",
    r"\textsuperscript{\ref{{id}}}",
    r"\footnote{\label{{id}}\texttt{{name}} ``{quote}''}",
    _labelled(rf"\\footnote\s*\{{\s*\\label\{{(?:(?P<label>{ID})|(?P<any>[\w:-]{{1,80}}))\}}"),
    _labelled(r"\s*\\texttt\{(?P<name>(?:\\[^\r\n]|[^{}\\])*)\}" + _QUOTE),
    _escaping(r"[#$%&_{}]|\\|[~^]"),
    inline=True,
)
TYPST = Syntax(
    "typst",
    "typ",
    "// ",
    "@{id}",
    '#footnote[#link("{target}")[{name}] "{quote}"] <{id}>',
    _labelled(
        rf"#footnote\[(?=(?:(?!#footnote\[).){{0,{_LONGEST_NOTE}}}?\]\s*<(?:(?P<label>{ID})|(?P<any>[\w:-]{{1,80}}))>)"
    ),
    _labelled(rf'\s*#link\("(?P<target>[^"]*)"\)\[(?P<name>{_NAME})\]{_QUOTE}'),
    _escaping(r"[\\#*_`$<>@\[\]]|//|/\*"),
    inline=True,
)
PLAIN = Syntax(
    "plain",
    "txt text",
    "",
    "[{id}]",
    '[{id}] {name} "{quote}"',
    _labelled(rf"(?:^|(?<=[\r\n]))[ \t]*\[(?P<label>{ID})\](?=[ \t])"),
    _labelled(rf"\s*(?P<bare>\S.*?:\d+){_QUOTE}"),
    str,
)
_BY_SUFFIX: Mapping[str, Syntax] = {
    suffix: syntax
    for syntax in (MARKDOWN, ORG, RST, ASCIIDOC, LATEX, TYPST, PLAIN)
    for suffix in syntax.suffixes.split()
}


def syntax_of(name: str | None) -> Syntax:
    """How a file of this name cites; Markdown for a text without one."""
    if name is None:
        return MARKDOWN
    base = os.path.basename(name)
    return _BY_SUFFIX.get(base.rpartition(".")[2].lower(), PLAIN) if "." in base else PLAIN


def is_note(name: str) -> bool:
    """Whether a file is by its name one that people write notes in."""
    return name.rpartition(".")[2].lower() in _BY_SUFFIX


def may_cite(text: str) -> bool:
    """Whether a text may hold a citation of ours, by a quick look."""
    return "lens" in text or _SIGN.search(text) is not None


def read_note(text: str, name: str | None, records: CitationRecords | None) -> Citing:
    """All that a text cites in whatever way we ever wrote it; ``name`` is its absolute path, None for no file.

    A citation that ``records`` know has their root, relative to the note's folder; one that they do not has only its
    words.
    """
    citing = read_citing(text) if "lens" in text else Citing()
    signed = _SIGN.search(text) is not None
    if not signed and "lens:begin" not in text and (records is None or "[^" not in text):
        return citing
    syntax, source = syntax_of(name), SourceText(text)
    broken_file = text.startswith("---") and bool(citing.faults) and not citing.held
    blocks = [] if broken_file else list(_blocks(text, source))
    ends = {mark["id"] for mark in _END.finditer(text)}
    faults = [
        AnswerFault(source.position(mark.start()).line, f"the block {mark['id']} has no end")
        for mark in _BEGIN.finditer(text)
        if mark["id"] not in ends and OUTPUT not in mark["rest"] and "{" not in mark["rest"]
    ]
    unclosed = len(faults)
    used = {each[1] for block in blocks for each in _USED.finditer(text, *_lines(source, block))}
    answers = [Span(held.first, held.last + 1) for held in citing.held if not held.short]
    known = {each.label for each in citing.written}
    found: dict[str, Written] = {}
    for count, reference in enumerate(references(text, syntax, source)):
        if reference.label in known or any(lines.start <= reference.line < lines.end for lines in answers):
            continue
        if count >= MOST:
            why = f"there are more than {MOST:,} citations here; those from this line on are not checked"
            faults.append(AnswerFault(reference.line, why))
            break
        inside = reference.label in used or any(block.first <= reference.line <= block.last for block in blocks)
        written = _resolved(reference, records, name, sure=inside)
        if written is None:
            continue
        other = found.setdefault(reference.label, written)
        if seen(other.citation.quote) != seen(written.citation.quote) or bool(other.altered) != bool(written.altered):
            faults.append(AnswerFault(reference.line, f"there is another footnote {reference.label}"))
    if records is not None:
        faults += _missing(text, syntax, source, {*known, *found}, records)
    if records is not None and found:
        faults += [AnswerFault(0, each.why + f" (line {each.line})" * bool(each.line)) for each in records.faults]
    held = [block for block in blocks if block.block]
    own = any(each.short for each in citing.held)
    parts = citing.parts + (len(held) + unclosed or (bool(found) and not own))
    written_down = tuple(sorted([*citing.written, *found.values()], key=lambda each: each.line))
    return Citing(written_down, (*citing.faults, *faults), parts, (*citing.held, *held))


def _lines(source: SourceText, block: Held) -> tuple[int, int]:
    return source.line_starts[block.first - 1], source.line_starts[block.last - 1]


def _blocks(text: str, source: SourceText) -> Iterator[Held]:
    """The blocks without JSON, and what was printed: of these nothing has a name."""
    ends = {mark["id"]: mark.start() for mark in reversed(list(_END.finditer(text)))}
    last = 0
    for mark in _BEGIN.finditer(text):
        end = ends.get(mark["id"], -1)
        if mark.start() < last or end < mark.start():
            continue
        last = end
        line = source.position(mark.start()).line
        above = text[: source.line_starts[line - 1]].rstrip().rpartition("\n")[2]
        question = above.partition("??")[2].strip() if above.lstrip(" \t>-*+").startswith("??") else ""
        block = "" if OUTPUT in mark["rest"] else mark["id"]
        yield Held(question, "", line, source.position(end).line, block)


def references(text: str, syntax: Syntax, source: SourceText) -> Iterator[Reference]:
    """The footnotes of a text, with what each names and quotes; those that name nothing only where they are ours."""
    opened = list(syntax.opening.finditer(text))
    stops = [stop.start() for stop in _STOP.finditer(text)]
    for number, found in enumerate(opened):
        label = found["label"] or found["any"]
        end = stops[min(bisect_left(stops, found.end()), len(stops) - 1)]
        if number + 1 < len(opened):
            end = min(end, opened[number + 1].start())
        end = min(end, found.end() + _LONGEST_NOTE)
        body = text[found.end() : end]
        words = _WRAPPED.sub(" ", body)
        if words.lstrip().startswith("%5B"):  # what a formatter without footnotes makes of one
            words = words.replace("%5B", "[", 1).replace("%5D", "]", 1)
        place = syntax.place.match(words)
        if place is None and not _OURS.fullmatch(label):
            continue
        start = found.start() + len(found.group()) - len(found.group().lstrip())
        whole = Span(start, found.end() + len(body.rstrip()))
        line = source.position(start).line
        yield Reference(
            label,
            line,
            whole,
            *(_said(place.groupdict()) if place else ("", "", "", 0)),
            place is not None and not words[place.end() :].strip(" }"),
        )


def quoting_notes(text: str, path: str) -> Iterator[Span]:
    """The footnotes of a text that quote a file: they repeat what others say, and prove nothing by it."""
    if "[^" not in text and _SIGN.search(text) is None:
        return
    for reference in references(text, syntax_of(path), SourceText(text)):
        if reference.quote or _OURS.fullmatch(reference.label):
            yield reference.span


def _said(place: Mapping[str, str | None]) -> tuple[str, str, str, int]:
    """Name, target, quote and line of a footnote."""
    name = _ESCAPE.sub(r"\1", place.get("name") or place.get("bare") or "")
    target, _, fragment = (place.get("target") or "").partition("#")
    target, _, further = target.partition("::")
    lines = [_LINE.fullmatch(fragment or further), _LINE_OF_NAME.search(name)]
    line = next((int(each[1]) for each in lines if each is not None), 0)
    quote = _ESCAPE.sub(r"\1", (place.get("quote") or "").strip())
    return _LINE_OF_NAME.sub("", name), unquote(target), " ".join(quote.split()), line


def _resolved(reference: Reference, records: CitationRecords | None, name: str | None, *, sure: bool) -> Written | None:
    """A footnote with its record; by its words alone where none is known, and None for one that is none of ours."""
    ours = _OURS.fullmatch(reference.label) is not None
    known = () if records is None or not ours else records.by_id.get(reference.label, ())
    if not known and records is not None and reference.quote:
        known = records.quoting(reference.quote)
    folder = os.path.dirname(name) if name else os.sep
    if not known:
        if not (ours or (sure and reference.quote)):
            return None
        return Written(reference.label, reference.line, _words_only(reference), reference=reference)
    assert records is not None
    fitting = [each for each in known if quotes(reference.quote, each.quote)]
    named = [each for each in fitting if _names(reference, each)]
    chosen = named or fitting or list(known)
    root = os.path.relpath(records.folder, folder)
    cited = [_at(each, root) for each in chosen]
    altered = ""
    if not fitting:
        altered = "the footnote does not quote what was recorded: it was changed"
    elif len({seen(each.quote) for each in chosen}) > 1:
        altered = f"its id stands for {len(chosen)} quotes: write the one that is meant behind its link, whole"
    return Written(reference.label, reference.line, cited[0], altered, reference, tuple(cited[1:]))


def _at(citation: Citation, root: str) -> Citation:
    return replace(citation, root=root) if citation.root in ("", ".") else citation


def _words_only(reference: Reference) -> Citation:
    quote = reference.quote or "…"
    path = reference.target or reference.name or "?"
    span = Span(0, len(quote))
    return Citation(".", path, TextSource.DISK, "0" * 64, "utf-8", "", span, quote, left=None, right=None)


def quotes(shown: str, quote: str) -> bool:
    """Whether a footnote shows a quote: all of it, its beginning and an ellipsis, or none of it."""
    words, whole = seen(shown), seen(quote)
    if not words or words == whole:
        return True
    return words.endswith(_ELLIPSIS) and len(words) > _FEWEST and whole.startswith(words[:-1])


def _names(reference: Reference, citation: Citation) -> bool:
    """Whether a footnote names the file of a citation."""
    path = printable_path(citation.path)
    if "/" in reference.name:
        return seen(reference.name) == seen(path)
    return path.rpartition("/")[2] in (reference.name, reference.target.rpartition("/")[2])


def names_file(reference: Reference, paths: Sequence[str]) -> bool:
    """Whether a footnote names one of some files; one that names none leaves it to its record."""
    shown = [seen(printable_path(path)) for path in paths]
    name, target = seen(reference.name), seen(reference.target)
    if name in shown or (not name and not target):
        return True
    ends = {each.rpartition("/")[2] for each in shown}
    if "/" in name and " " not in reference.name:
        return False
    return (name in ends) if not target else target.rpartition("/")[2] in ends


def leads_to(reference: Reference, base: str) -> str | None:
    """The absolute path that the link of a footnote leads to; None for one without a link to a file."""
    target = reference.target
    if target.startswith("file:"):
        target = target.removeprefix("file:").removeprefix("//")
    elif "://" in target or not target:
        return None
    return os.path.normpath(os.path.join(base, target))


def _missing(
    text: str, syntax: Syntax, source: SourceText, known: set[str], records: CitationRecords
) -> Iterator[AnswerFault]:
    """The marks of what is recorded without a footnote, each once."""
    for mark in _mark_pattern(syntax).finditer(text):
        if mark[1] not in known and mark[1] in records.by_id:
            known.add(mark[1])
            line = source.position(mark.start()).line
            yield AnswerFault(line, f"the footnote of [{mark[1]}] is missing: nothing says what it cites")


def _mark_pattern(syntax: Syntax) -> re.Pattern[str]:
    before, _, after = syntax.mark.partition("{id}")
    return re.compile(rf"{re.escape(before)}({ID}){re.escape(after)}(?!\w)")


def marks(text: str, syntax: Syntax, start: int, end: int) -> Iterator[tuple[str, Span]]:
    """The marks of our ids in a stretch of a text, and the openings of their footnotes."""
    for found in _mark_pattern(syntax).finditer(text, start, end):
        yield found[1], Span(*found.span())


_BEGIN = regex(
    rf"(?m)^[ \t>]*(?:{_COMMENTS})?<!--[ \t]*lens:begin[ \t]+(?P<id>[\w.-]{{1,64}})"
    r"(?P<rest>[ \t]*|[ \t]+\{[^{}\r\n]*\}[ \t]*)-->"
)
_END = regex(r"<!--[ \t]*lens:end[ \t]+(?P<id>[\w.-]{1,64})[ \t]*-->")


def rewritten(syntax: Syntax, reference: Reference, path: str, line: int, target: str) -> list[tuple[Span, str]]:
    """What to replace in a text for a footnote to name this path and line; nothing where other words stand in it."""
    if not reference.plain:
        return []
    return [(reference.span, note(syntax, reference.label, path, line, target, reference.quote))]


def begin_mark(syntax: Syntax, block: str) -> str:
    """The line that begins a block."""
    return f"{syntax.comment}<!-- lens:begin {block} -->"


def end_mark(syntax: Syntax, block: str) -> str:
    """The line that ends a block."""
    return f"{syntax.comment}<!-- lens:end {block} -->"


def note(syntax: Syntax, id_: str, path: str, line: int, target: str, quote: str) -> str:
    """A footnote: ``path`` as it is shown, ``target`` where its link leads, ``line`` from 1 or 0 for none."""
    path, number = printable_path(path), f":{line}" if line else ""
    shown = sanitize_markdown(path, in_link=True) if syntax is MARKDOWN else syntax.plain(path)
    target = target.replace(")", "%29").replace("]", "%5D").replace('"', "%22").replace(">", "%3E")
    if syntax is ASCIIDOC:
        shown = shown.replace("]", r"\]")
    if syntax is not MARKDOWN:
        quote = quote.replace("<!--", "<\u200b!--")
    values = {"id": id_, "name": shown + number, "quote": syntax.plain(quoted_on_one_line(quote))}
    values |= {"path": target.partition("#")[0], "line": str(line or 1), "target": target}
    written = re.sub(r"\{(id|name|target|path|line|quote)\}", lambda found: values[found[1]], syntax.note)
    return written if quote else re.sub(r'\s*(?:""|``\'\')(?=[\]}]|\Z)', "", written)
