"""Documents and what is found in them: structure, places, evidence, findings, and how people are shown them.

Names are the paper's: a *window* is any span of any document (paper, Definition 1), a *requirement* one atomic
fact the question needs, *evidence* a quote that was checked against the source it names.

Whoever shows a place of a document shows it by `place_text` and `locator_text`: ``report.pdf p. 12``, ``budget.xlsx
Sheet1!B7``, ``deck.pptx slide 4``; what a program recognised on a picture says so: ``scan.pdf p. 3 (OCR)``. A passage
is shown by `passage_parts`, so that it reads alike wherever it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import Privacy
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Position, Span

Locator = Mapping[str, int | str]
"""Where a person would open an extracted or tabular place: ``{"row": 3}``, ``{"cell": 2}``, ``{"key": "a.b"}``,
``{"page": 12}``; `locator_text` says it in words."""
_OPENED = ("page", "slide", "sheet", "chapter", "message", "attachment")
"""What a document is opened at; its lines are those of a text that nobody sees in it."""
_CELL_BEHIND = regex(r"(?:![A-Z]{1,3}| row )\d{1,7}$")
ELLIPSIS = "…"
MOST_LINES = 3
"""Lines of context with one passage."""
LONGEST_LINE = 160
"""Characters of a line of context; a longer one is cut at a word."""
_ADJACENT = 4
"""Code points between two parts that are nothing but white space, as an empty line with either line end is."""
_NUMBER = regex(r"[-+(]?[\d.,:/ %$€£-]*\d[\d.,:/ %$€£)-]*")
_LONGEST_NUMBER = 40
_YEAR = regex(r"(?:19|20)\d\d")
_HEADER_CELLS = 200
"""As many cells of a row say whether it is a header."""


class SkipReason(StrEnum):
    """Why a file or folder that was found was not searched."""

    ANSWER = "answer"
    """One of our own answer files, known by its front matter: never evidence."""
    BINARY = "binary"
    BROKEN = "broken"
    """A document that is not what its name says, or damaged beyond reading."""
    CHANGED = "changed"
    """An object of a store that became another while it was read; asked again it is read."""
    DENIED = "denied"
    DIED = "died"
    """The process that read the document ended: its memory was used up, or a library crashed."""
    ENCRYPTED = "encrypted"
    """A document that opens with a password only."""
    IGNORED = "ignored"
    IGNORE_FILE = "ignore-file"
    """A folder with an ignore file that could not be read: nobody knows what it would leave out."""
    IRREGULAR = "irregular"
    """A FIFO, socket or device."""
    LINK = "link"
    """A symbolic link: never followed."""
    MISSING = "missing"
    """A folder or file that was named and is not there, or an object that is gone since its store was listed."""
    NO_ANSWER = "no-answer"
    """A store of objects, another machine or the reader of a part did not answer; asked again it may."""
    NO_READER = "no-reader"
    """A document whose library is not installed: the extra ``lens-lsp[documents]``."""
    NO_TEXT = "no-text"
    """A document in which nothing is text: a scan without a text layer."""
    NOT_READ = "not-read"
    """A document whose turn did not come within the time of the question; asked again it may."""
    OUT_OF_SCOPE = "out-of-scope"
    """Left out by the scopes: those that were asked for, else those of ``.lens.toml``."""
    PERMISSION = "permission"
    UNREADABLE = "unreadable"
    """The system refused for another reason (I/O error, vanished between listing and reading)."""
    TIMED_OUT = "timed-out"
    """A document that takes longer to read than any may."""
    TOO_LARGE = "too-large"
    UNSUPPORTED = "unsupported"
    """A format no installed reader understands."""


@dataclass(frozen=True, slots=True, order=True)
class Skip:
    """A file or folder that was not searched, and why."""

    path: str
    """From its root, ``./`` for the root itself; absolute where the root is not there."""
    reason: SkipReason
    root: int = 0
    """Index into the roots of the question."""
    size: int = 0
    """Bytes of a document that is too large, else 0."""


class PartReason(StrEnum):
    """Why a part of what was searched was not: a part of a text, or an ignore file beside it."""

    BLOCK = "block"
    """A block that we inserted: never evidence."""
    OPEN_BLOCK = "open-block"
    """A block whose end is missing: it hides the text to its end, or to that of the code it was opened in."""
    OPEN_ELEMENT = "open-element"
    """A script or style of a page that is never closed: it hides the text to its end."""
    COMMENT = "comment"
    """A comment in a text that was read: never evidence."""
    QUESTION = "question"
    """A line that begins with ``??``: never evidence."""
    CUT = "cut"
    """Parts of a document that could not be read, or lie beyond what is read of one."""
    NOT_READ = "not-read"
    """The last pages of a document, whose turn did not come yet; asked again it may."""
    UNSEEN = "unseen"
    """Text of a document that nobody sees in it: never evidence."""
    IGNORE_CUT = "ignore-cut"
    """An ignore file of which only the beginning counts."""
    IGNORE_IRREGULAR = "ignore-irregular"
    """An ignore file without effect: it is no plain file."""
    IGNORE_LINK = "ignore-link"
    """An ignore file without effect: links are not followed."""
    IGNORE_NO_TEXT = "ignore-no-text"
    """An ignore file without effect: it is not text in bytes, but UTF-16 or none."""
    IGNORE_PERMISSION = "ignore-permission"
    """An ignore file without effect: it may not be read."""


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A part of what was searched that was not searched itself, and why."""

    path: str
    line: int
    """Where it begins, from 1; 0 for no line of a text."""
    reason: PartReason
    root: int = 0


class BlockKind(StrEnum):
    """What kind of structural unit a block is; display snaps outward to these."""

    FRONT_MATTER = "front-matter"
    """Metadata: front matter, header fields of PEPs, RFCs and mail, field lists that open a document."""
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list-item"
    TABLE_ROW = "table-row"
    CODE = "code"
    QUOTE = "quote"
    CONTENTS = "contents"
    """A table of contents: links to the sections of its own document."""
    NAVIGATION = "navigation"
    """Template tags, bars of links, directives without text."""
    REFERENCE = "reference"
    """A link definition: ``[label]: target``."""


NEVER_ALONE = frozenset({BlockKind.CONTENTS, BlockKind.NAVIGATION, BlockKind.REFERENCE})
"""Kinds of blocks that prove nothing by themselves."""


@dataclass(frozen=True, slots=True)
class Block:
    """One structural unit. ``header`` is the span of the header row a table row stands under."""

    kind: BlockKind
    span: Span
    header: Span | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: the span of its own text, its level from 1, its plain words."""

    span: Span
    level: int
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """Where a secret stands in a text, of which kind it is, and all of it, of which the text may hold a part."""

    span: Span
    kind: str
    value: str = field(repr=False)


class LinkKind(StrEnum):
    """How a document names another one."""

    WIKI = "wiki"
    INLINE = "inline"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written: ``target`` without anchor or title, ``text`` as shown."""

    kind: LinkKind
    span: Span
    target: str
    text: str


@dataclass(frozen=True, slots=True)
class Head:
    """What a document says about itself at its top: cheap to read for every file of a workspace."""

    title: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    description: str | None = None
    fields: tuple[tuple[str, str], ...] = ()
    """All its metadata as names in lower case and values in plain text, in order; a list is one value, its items
    joined by ``", "``."""


@dataclass(frozen=True, slots=True)
class Field:
    """One piece of metadata: its name in lower case, its value in plain text, and the lines it stands on."""

    name: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Structure:
    """What a reader found in a document's text. All spans are in code points of that text, in order."""

    head: Head = Head()
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    """The metadata of the document, in order."""
    hidden: tuple[Span, ...] = ()
    """Spans that are markup and never evidence: HTML tags, comments, scripts, styles."""
    targets: tuple[Span, ...] = ()
    """Where links lead: destinations and addresses, in order and apart. They are shown, and their words prove nothing.
    """
    privacy: Privacy | None = None
    """How the document says ``lens: private``; None where it does not."""
    answer: bool = False
    """``lens: answer/…`` in the front matter: one of our own answer files, never evidence."""
    ours: tuple[Span, ...] = ()
    """Spans that are never evidence because we wrote them or they ask us, in order and apart: inserted blocks, ``??``
    lines, all of an answer file. Markup may lie in them and around them."""

    @property
    def private(self) -> bool:
        """The document says ``lens: private``: never sent to an endpoint that is not loopback, never stored."""
        return self.privacy is not None


@dataclass(frozen=True, slots=True)
class LocatorMap:
    """Sorted text offsets and the locator that holds from each of them on."""

    starts: tuple[int, ...] = ()
    locators: tuple[Locator, ...] = ()


class TextSource(StrEnum):
    """Where the text of a document came from."""

    DISK = "disk"
    BUFFER = "buffer"


@dataclass(frozen=True, slots=True)
class Origin:
    """Enough to check a document against the bytes it was read from.

    ``sha256`` is that of the file's bytes, or of the buffer's UTF-8 text when ``source`` is ``BUFFER``.
    """

    sha256: str
    encoding: str
    guessed: bool = False
    """The encoding is the fallback, not proven by the bytes."""
    source: TextSource = TextSource.DISK
    version: int | None = None
    """The editor's version of the buffer."""
    object_version: str | None = None
    """What the store calls the content of an object: its version, else its ETag. None for files."""


@dataclass(frozen=True, slots=True)
class Document:
    """One readable thing: its text (decoded or extracted), structure, and where it came from."""

    root: int
    """Index into the roots of the question."""
    path: str
    """Relative to its root, ``/`` between parts."""
    text: str
    reader: str
    """Name and version of the reader, ``"markdown/1"``."""
    origin: Origin
    structure: Structure
    locators: LocatorMap = LocatorMap()
    notices: tuple[str, ...] = ()
    """What whoever is shown something of it should know: pages without text, text that a program recognised."""


class ContextRole(StrEnum):
    """What a part of the context is to the quote."""

    BEFORE = "before"
    """The part of the quote's own block, or of its section, that stands before it."""
    AFTER = "after"
    HEADER = "header"
    """The header row of a table."""
    LEAD_IN = "lead-in"
    """The sentence that leads into a list or a block of code."""
    PARENT = "parent"
    """The list item that the quoted item stands under."""


@dataclass(frozen=True, slots=True)
class Context:
    """Text beside a quote that helps to understand it and is no part of the proof: always ``text[span]`` of the source.

    ``cut`` says that it was shortened at its ``"start"`` or ``"end"``.
    """

    role: ContextRole
    span: Span
    text: str
    cut: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote that was found verbatim in its source, its context, and how it was found."""

    n: int
    root: int
    path: str
    start: Position
    end: Position
    span: Span
    quote: str
    origin: Origin
    reader: str
    locator: Locator | None
    heading: tuple[str, ...]
    """The headings the span stands under, outermost first."""
    score: float
    match: str = "exact"
    requirements: tuple[str, ...] = ("f1",)
    signals: Mapping[str, float] = field(default_factory=dict)
    """The share each signal family had in admitting the document."""
    arm: str | None = None
    """The proposal family that drew it in ``ask``; None in ``find``."""
    round: int = 0
    verdict: str | None = None
    """How far it goes towards its requirements, by the oracle: the strongest verdict; None for mere windows."""
    private: bool = False
    """The document says ``lens: private``: never for an endpoint that is not loopback."""
    context: tuple[Context, ...] = ()
    """What stands around the quote, in order and apart from it and each other; verbatim, and never scored."""
    cut: tuple[str, ...] = ()
    """``"start"`` or ``"end"``, where the quote is a part of a sentence, item, row or line longer than a passage."""
    secrets: tuple[Secret, ...] = field(default=(), repr=False)
    """All secrets of the document, by their spans in it: a passage may hold a part of one that looks like nothing."""
    machine: str | None = None
    """Whose process compared the quote with its file, where that is another machine."""

    @property
    def before(self) -> str:
        """The context above and before the quote."""
        return "\n".join(part.text for part in self.context if part.role is not ContextRole.AFTER)

    @property
    def after(self) -> str:
        """The context behind the quote."""
        return "\n".join(part.text for part in self.context if part.role is ContextRole.AFTER)

    def overlaps(self, other: Evidence) -> bool:
        """Whether both are of the same file and share text."""
        return (self.root, self.path) == (other.root, other.path) and self.span.overlaps(other.span)


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document as the prior sees it: its share of π_file and each signal's part in it."""

    root: int
    path: str
    prior: float
    admitted: bool
    read: bool
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShardCoverage:
    """What a part of a workspace that others read has of the coverage, and who reads it."""

    name: str
    found: int
    scanned: int
    skipped: int
    lost: str | None = None
    """Why nothing of it was read; None where it was."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was looked at. ``found`` counts files under the roots that no rule excludes."""

    found: int
    scanned: int
    skipped: Sequence[Skip] = ()
    admitted: int = 0
    read: int = 0
    matches_unread: int = 0
    """Term matches in documents that were not admitted."""
    pictures: int = 0
    """Pages and other pictures in scanned documents of which nothing was read, so that no word there was searched."""
    partial: Sequence[Part] = ()
    """What of the searched files and folders was not searched."""
    documents: int = 0
    """PDF, Office, e-book and mail files that have a text, or may have one."""
    unread: int = 0
    """Those of them that were not read yet, or not to their end: of these nothing is known."""
    shards: Sequence[ShardCoverage] = ()
    """The parts of the workspace, where others read it."""

    @property
    def unread_told(self) -> str:
        """What is said first while documents are unread; empty once all were read."""
        return f"Not read yet: {self.unread:,} of {self.documents:,} documents." if self.unread else ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a root in an object store took: requests for listings, for what is said of one object and for blocks of
    them, each counted once however often it was tried; sizes in bytes."""

    root: int
    endpoint: str
    """Who was asked."""
    lists: int = 0
    listed: int = 0
    """Objects in these listings."""
    looks: int = 0
    reads: int = 0
    received: int = 0
    from_cache: int = 0

    def plus(self, endpoint: str | None = None, **more: int) -> Fetched:
        """With some requests more."""
        return replace(
            self,
            endpoint=endpoint or self.endpoint,
            **{name: getattr(self, name) + count for name, count in more.items()},
        )


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the latency budget: name and seconds."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of ``find``: evidence in rank order and everything needed to trust or doubt it."""

    query: str
    roots: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    documents: tuple[RankedDocument, ...]
    coverage: Coverage
    compression: float | None
    """|C_search| / |E_t| (paper, Proposition 1); ``None`` when nothing was admitted."""
    stages: tuple[Stage, ...] = ()
    fetched: tuple[Fetched, ...] = ()
    """What the roots in object stores took."""
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Words of the question that occur nowhere, as folded for the search."""
    reranked: bool | None = None
    """Whether the reader ordered the passages, where that was asked for; then their scores, which are the scan's, do
    not fall from one to the next."""


def is_header(cells: Sequence[str]) -> bool:
    """Whether the cells name columns: none of them is a number or a date, but for years in order behind a name."""
    named = [cell for cell in cells[:_HEADER_CELLS] if cell]
    numbers = [cell for cell in named if len(cell) <= _LONGEST_NUMBER and _NUMBER.fullmatch(cell)]
    if not numbers:
        return True
    years = 1 < len(numbers) < len(named) and all(_YEAR.fullmatch(cell) for cell in numbers)
    return years and numbers in (sorted(set(numbers)), sorted(set(numbers), reverse=True))


def has_own_places(locator: Locator | None) -> bool:
    """Whether a person would open the place by page, slide, sheet, chapter or message instead of by line."""
    return locator is not None and any(name in locator for name in _OPENED)


def leaf_of(locator: Locator | None) -> Mapping[str, int | str]:
    """The slide, sheet, chapter, mail or attachment that a place is in, whose border no passage crosses; empty for a
    place in a text or on a page."""
    leaf = {name: value for name, value in (locator or {}).items() if name in _OPENED and name != "page"}
    if "attachment" in leaf:
        leaf["attachment"] = _CELL_BEHIND.sub("", str(leaf["attachment"]))
    return leaf


def locator_text(locator: Locator | None) -> str:
    """A locator in words, on one line, with nothing in it that acts; empty for none."""
    if not locator:
        return ""
    if "attachment" in locator:
        holder = locator_text({name: value for name, value in locator.items() if name != "attachment"})
        return ", ".join(part for part in (holder, _inline(str(locator["attachment"]))) if part)
    if "sheet" in locator:
        sheet = str(locator["sheet"])
        return _inline(f"{sheet}!{locator['cell']}" if "cell" in locator else sheet)
    if "page" in locator:
        return _inline(f"p. {locator['page']}{_recognition_text(locator)}")
    if "slide" in locator:
        return _inline(f"slide {locator['slide']}")
    if "message" in locator:
        return _inline(str(locator.get("date") or f"message {locator['message']}"))
    return _inline(", ".join(f"{name} {value}" for name, value in locator.items()))


def _recognition_text(locator: Locator) -> str:
    """That a page was read by a program, and how sure that is where it is not sure enough."""
    if locator.get("by") != "ocr":
        return ""
    sure = locator.get("confidence")
    return f" (OCR, {sure} % sure)" if isinstance(sure, int) and sure < _SURE_ENOUGH else " (OCR)"


def place_text(path: str, locator: Locator | None) -> str:
    """A path with its place behind it: ``report.pdf p. 12``; the path alone without one. ``path`` is printable."""
    place = locator_text(locator)
    return f"{path} {place}" if place else path


def link_fragment(locator: Locator | None, line: int) -> str:
    """What a link to a place ends in: ``page=12``, which programs that open PDF files know, else ``L7``."""
    if locator is not None and isinstance(locator.get("page"), int):
        return f"page={locator['page']}"
    return f"L{line}"


def _inline(text: str) -> str:
    return " ".join(printable(text).split())


_SURE_ENOUGH = 90
"""In percent: below that a page has words that nobody wrote."""
_ORDER = (ContextRole.HEADER, ContextRole.LEAD_IN, ContextRole.BEFORE, ContextRole.AFTER, ContextRole.PARENT)
"""Which context comes first where there is no room for all."""
_ENDS_AT_QUOTE = frozenset({ContextRole.BEFORE, ContextRole.LEAD_IN})
"""Context whose last lines count, as they are next to the quote."""


@dataclass(frozen=True, slots=True)
class PassagePart:
    """Some lines of a passage, printable and without their ends. ``gap``: text is left out before them, and no ellipsis
    in the lines says so."""

    lines: tuple[str, ...]
    is_quote: bool
    gap: bool


def passage_parts(item: Evidence, most: int = MOST_LINES) -> list[PassagePart]:
    """The quote whole, and at most so many lines of its context, in the order of the source. An ellipsis stands where
    the quote or a part of the context was cut."""
    lines = _context_lines(item.context, most)
    shown: list[PassagePart] = []
    end: int | None = None
    pieces = [(item.span, quote_lines(item), True)]
    pieces += [(part.span, taken, False) for part, taken in zip(item.context, lines, strict=True) if taken]
    for span, taken, is_quote in sorted(pieces, key=lambda piece: piece[0]):
        told = taken[0].startswith(ELLIPSIS) or bool(shown and shown[-1].lines[-1].endswith(ELLIPSIS))
        gap = end is not None and span.start > end + _ADJACENT and not told
        shown.append(PassagePart(tuple(taken), is_quote, gap))
        end = span.end
    return shown


def quote_lines(item: Evidence) -> list[str]:
    """The lines of a quote, with an ellipsis where it is cut."""
    return _with_cuts(printable(item.quote).strip("\n").rstrip(), item.cut).split("\n")


def _context_lines(context: Sequence[Context], most: int) -> list[list[str]]:
    """The lines that are shown of each part; those next to the quote where not all are."""
    whole = [[line.rstrip() for line in printable(part.text).strip().split("\n") if line.strip()] for part in context]
    ranked = sorted(range(len(context)), key=lambda index: _ORDER.index(context[index].role))
    room = dict.fromkeys(range(len(context)), 0)
    left = most
    while left and (wanting := [index for index in ranked if room[index] < len(whole[index])]):
        for index in wanting[:left]:
            room[index] += 1
        left -= len(wanting[:left])
    return [_shortened(part, whole[index], room[index]) for index, part in enumerate(context)]


def _shortened(part: Context, lines: Sequence[str], room: int) -> list[str]:
    if not room:
        return []
    at_end = part.role in _ENDS_AT_QUOTE
    dropped = ("start" if at_end else "end",) if room < len(lines) else ()
    kept = lines[-room:] if at_end else lines[:room]
    text = "\n".join(_clipped(line, at_end=at_end) for line in kept)
    return _with_cuts(text, (*part.cut, *dropped)).split("\n")


def _clipped(line: str, *, at_end: bool) -> str:
    """A line, or as much of it as there is room for, to a word: its end or its beginning, whichever is nearer."""
    if len(line) <= LONGEST_LINE:
        return line
    if at_end:
        kept = line[-LONGEST_LINE:]
        return ELLIPSIS + (kept.partition(" ")[2] or kept)
    kept = line[:LONGEST_LINE]
    return (kept.rpartition(" ")[0] or kept) + ELLIPSIS


def _with_cuts(text: str, cut: Sequence[str]) -> str:
    if "start" in cut and not text.startswith(ELLIPSIS):
        text = ELLIPSIS + text.lstrip()
    return text + ELLIPSIS if "end" in cut and not text.endswith(ELLIPSIS) else text
