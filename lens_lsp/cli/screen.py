"""A whole reply on one screen: at most three passages, a few lines of each, and then the answer, where the eyes are.

What it says is told by the fields of an answer, so that it does not depend on how its text is worded; a text that a
model worded stands as it is. `passages` and `said` take no more rows than they are given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lens_lsp.cli.answering import answer_text, reused_note
from lens_lsp.cli.highlight import QuestionWords, untailed
from lens_lsp.cli.layout import APART, Range, clipped, columns, flowed, shortened, wrapped
from lens_lsp.cli.render import Places, Style
from lens_lsp.cli.terminal import printable, printable_path
from lens_lsp.model.answer import Answer, Mode, RequirementResult, RequirementStatus
from lens_lsp.model.documents import ELLIPSIS, Evidence, has_own_places, locator_text
from lens_lsp.model.plan import Intent
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import content

MOST_PASSAGES = 3
MOST_LINES = 4
"""Lines of one quote."""
_MOST_SAID = 8
"""Rows of an answer; a longer one is cut."""
_INDENT = 4
_MOST_TRIED = 60
"""Places at which a quote may begin."""
_LEAST_QUOTE = 8
_LEAST_TITLE = 20
_STRONG = "**"
_LAST_MARKERS = re.compile(r"\s*((?:\[\d+\])+)\s*$")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_ASIDE = re.compile(r"\*[^*].*\*")
"""A paragraph in italics: who judged, which the closing line says, too."""
_LISTED = re.compile(r"\s*(?:[-*+>]\s|\d{1,3}[.)]\s)")
_NEWER = "Newer, not in this answer:"
_MARKER = re.compile(r"\[\d+\](?![(:])")
_MATTERS = (RequirementStatus.COVERED, RequirementStatus.CONTESTED, RequirementStatus.MISSING)


@dataclass(frozen=True, slots=True)
class Screen:
    """How large the terminal is, and how it shows things."""

    width: int
    places: Places
    style: Style


def chosen(answer: Answer) -> tuple[Evidence, ...]:
    """The passages to be shown, in the order of their numbers: the first proof of each fact, then further ones."""
    if answer.intent is Intent.SUMMARIZE and answer.short is None:
        return ()  # an outline is made of its passages
    cited = {item.n: item for item in answer.evidence}
    facts = sorted(answer.requirements, key=lambda one: _MATTERS.index(one.status))
    numbers = [n for depth in range(MOST_PASSAGES) for one in facts for n in one.evidence[depth : depth + 1]]
    ranked = [n for n in dict.fromkeys([*numbers, *cited]) if n in cited]
    return tuple(cited[n] for n in sorted(ranked[:MOST_PASSAGES]))


def passages(
    items: Sequence[Evidence], screen: Screen, question: str, room: int, answers: Sequence[RequirementResult] = ()
) -> str:
    """The passages, each under its place, in so many rows; never less than one line of each."""
    quotes = [_Quote(item, question, _values(item, answers), screen.width - _INDENT) for item in items]
    lines = [min(MOST_LINES, quote.height) for quote in quotes]
    while sum(lines) + len(lines) > room and max(lines, default=0) > 1:
        lines[max(range(len(lines)), key=lambda k: (lines[k], k))] -= 1
    shown = zip(items, quotes, lines, strict=True)
    return "".join(_head(item, screen) + quote.shown(most, screen.style) for item, quote, most in shown)


def live_line(item: Evidence, screen: Screen) -> str:
    """One line for a passage that was just found, its number not yet known."""
    path = printable_path(screen.places.shortest(item.root, item.path))
    at = f" {locator_text(item.locator)}" if has_own_places(item.locator) else f":{item.start.line}"
    where = clipped(f"{path}{at}", max(1, screen.width - 2), at_start=True)
    left = screen.width - columns(where) - 4
    quote = clipped(" ".join(printable(item.quote).split()), left) if left >= _LEAST_QUOTE else ""
    return screen.style.dim(f"· {where}{'  ' if quote else ''}{quote}") + "\n"


def more_line(hidden: int, style: Style) -> str:
    """What leads to the passages that are not shown."""
    return style.dim(f"{hidden:,} more: --all") + "\n" if hidden > 0 else ""


def _values(item: Evidence, answers: Sequence[RequirementResult]) -> tuple[str, ...]:
    return tuple(printable(one.value) for one in answers if one.value and item.n in one.evidence)


def _head(item: Evidence, screen: Screen) -> str:
    """One line: number, place and innermost heading."""
    style, number = screen.style, f"[{item.n}] "
    path = printable_path(screen.places.shortest(item.root, item.path))
    own = has_own_places(item.locator)
    at = f" {locator_text(item.locator)}" if own else f":{item.start.line}"
    at = clipped(at, screen.width // 2)
    titles = [title for part in item.heading if (title := " ".join(printable(part).split()))]
    kept = min(_LEAST_TITLE, columns(titles[-1])) + 2 if titles else 0
    path = clipped(path, max(1, screen.width - columns(number + at) - kept), at_start=True)
    left = screen.width - columns(number + path + at) - 2
    heading = clipped(titles[-1], left) if titles and left > 0 else ""
    aside = f"  {style.dim(heading)}" if heading else ""
    return f"{style.number(number.strip())} {style.path(path)}{at[0]}{style.number(at[1:])}{aside}\n"


class _Quote:
    """A quote on one line, what of it matters, and its lines on a terminal."""

    def __init__(self, item: Evidence, question: str, values: Sequence[str], room: int) -> None:
        heading = " ".join(printable(item.heading[-1]).split()) if item.heading else ""
        kept = [" ".join(value.split()) for value in values]
        text = shortened(flowed(item.quote, heading) or flowed(item.quote), kept)
        self._text = (ELLIPSIS if "start" in item.cut else "") + text + (ELLIPSIS if "end" in item.cut else "")
        self._room = max(1, room)
        self._sentences = _units(self._text)
        self._asked = content(untailed(question))
        found = [place for value in kept if (place := self._place(value)) is not None]
        self._answers = sorted(found)
        self._words = QuestionWords(question)
        self._lines = wrapped(self._text, self._room)
        self.height = max(1, len(self._lines))

    def _place(self, value: str) -> Range | None:
        """Where a value stands, in the sentence that tells most of the question."""
        pattern = r"\s+".join(map(re.escape, value.split()))
        for way in (rf"(?i)(?<!\w){pattern}(?!\w)", rf"(?i){pattern}"):
            if pattern and (found := [match.span() for match in re.finditer(way, self._text)]):
                return max(found, key=lambda place: (self._told(self._sentence(place[0])), -place[0]))
        return None

    def _sentence(self, at: int) -> Span:
        return next((one for one in self._sentences if one.start <= at < one.end), Span(0, len(self._text)))

    def _told(self, sentence: Span) -> int:
        return len(content(self._text[sentence.start : sentence.end]) & self._asked)

    def best(self) -> Span:
        """The sentence that holds the answer, else the one that tells most of the question."""
        if self._answers:
            return self._sentence(self._answers[0][0])
        return max(self._sentences, key=lambda one: (self._told(one), -one.start), default=Span(0, len(self._text)))

    @property
    def text(self) -> str:
        """The whole of it."""
        return self._text

    def shown(self, most: int, style: Style) -> str:
        """At most so many lines, the answer or the best sentence among them."""
        start, lines = self._window(most)
        indent, last = " " * _INDENT, ""
        if len(lines) > most:
            lines, last = lines[:most], ELLIPSIS
        marks = self._marks(style)
        shown = []
        for k, (begin, end) in enumerate(lines):
            before = ELLIPSIS if k == 0 and start else ""
            after = last if k == len(lines) - 1 else ""
            if after:
                end = self._cut(begin, end, columns(before))
            line = _marked(self._text, (begin, end), marks, style, underlined=bool(self._answers))
            shown.append(f"{indent}{before}{line}{after if not line.endswith(ELLIPSIS) else ''}\n")
        return "".join(shown) or f"{indent}{ELLIPSIS}\n"

    def _window(self, most: int) -> tuple[int, list[Range]]:
        """Where to begin, and the lines from there: what tells most of the question, with the answer in it."""
        if len(self._lines) <= most:
            return 0, self._lines
        starts = [0, *(one.start for one in self._sentences if one.start)]
        windows = [(start, self._from(start)) for start in starts[:_MOST_TRIED]]
        needed = self._answers[0] if self._answers else None
        if needed is not None:
            windows = [one for one in windows if one[0] <= needed[0] and self._end(one[1], most) >= needed[1]]
        if not windows and needed is not None:  # a sentence longer than the lines
            back = max(0, needed[0] - self._room * most // 3)
            blank = self._text.find(" ", back, needed[0])
            start = blank + 1 if blank >= 0 else back
            return start, self._from(start)
        full = [one for one in windows if len(one[1]) >= most] or windows
        return max(full, key=lambda one: (self._worth(one[0], self._end(one[1], most)), -one[0]))

    def _end(self, lines: Sequence[Range], most: int) -> int:
        """Where what is shown ends, with room for an ellipsis."""
        return lines[-1][1] if len(lines) <= most else lines[most - 1][1] - 1

    def _worth(self, start: int, end: int) -> int:
        """How much of the question is told by the sentences that stand there whole."""
        last = max((one.end for one in self._sentences if start < one.end <= end), default=end)
        return self._told(Span(start, last))

    def _cut(self, begin: int, end: int, used: int) -> int:
        """Where a line ends that an ellipsis follows: after a whole word, if there are more in it."""
        if used + columns(self._text[begin:end]) < self._room and not self._text[end : end + 1].strip():
            return end
        blank = self._text.rfind(" ", begin + 1, end)
        if blank > begin:
            return blank
        while end > begin + 1 and used + columns(self._text[begin:end]) >= self._room:
            end -= 1
        return end

    def _from(self, start: int) -> list[Range]:
        """The lines from a place on, with room for an ellipsis before the first."""
        if not start:
            return self._lines
        first = wrapped(self._text, self._room - 1, start)[:1]
        return first + wrapped(self._text, self._room, first[0][1]) if first else []

    def _marks(self, style: Style) -> Sequence[Range]:
        if not style.coloured:
            return ()
        return self._answers or self._words.spans(self._text)


def _units(text: str) -> list[Span]:
    """The sentences of a line, which end with items and fields, too."""
    found: list[Span] = []
    at = 0
    for part in text.split(APART):
        found += sentences(text, Span(at, at + len(part)))
        at += len(part) + len(APART)
    return found


def _marked(text: str, line: Range, marks: Sequence[Range], style: Style, *, underlined: bool) -> str:
    """A line of a text with what is marked in it in bold."""
    parts: list[str] = []
    at, stop = line
    for start, end in marks:
        start, end = max(start, at), min(end, stop)
        if start < end:
            mark = style.underlined if underlined else style.bold
            parts += text[at:start], mark(text[start:end])
            at = end
    return "".join([*parts, text[at:stop]])


def by_rules(answer: Answer) -> bool:
    """Whether no model worded the text, so that the same may be told in another way."""
    last = answer.text.rstrip().rpartition("\n")[2]
    return answer.mode is Mode.EVIDENCE or not answer.evidence or _is_aside(last)


def said(answer: Answer, shown: Sequence[Evidence], screen: Screen, room: int) -> str:
    """The answer in a few lines, of an outline as many as there is room for, for words that no model gave."""
    paragraphs = _paragraphs(answer, shown, screen)
    if answer.newer and not any(one.startswith(_NEWER) for one in paragraphs):
        paragraphs.insert(0, f"{_NEWER} {', '.join(map(printable_path, answer.newer))}")
    lines: list[str] = []
    for paragraph in paragraphs:
        lines += _styled_lines(paragraph, screen)
    most = max(1, room) if answer.intent is Intent.SUMMARIZE else _MOST_SAID
    if len(lines) > most:
        lines = [*lines[: most - 1], screen.style.dim(f"{ELLIPSIS} the rest: --all")]
    return "".join(f"{line}\n" for line in lines)


def _paragraphs(answer: Answer, shown: Sequence[Evidence], screen: Screen) -> list[str]:
    missing = [one for one in answer.requirements if one.status is RequirementStatus.MISSING]
    found = [one for one in answer.requirements if one.status is not RequirementStatus.MISSING]
    if not answer.evidence:
        return _prose(answer.text) or [_plain(answer.text)]
    if answer.intent is Intent.SUMMARIZE:
        return _outline(answer, screen)
    if missing and not found:
        return [f"No passage states this. Closest passages: {' '.join(f'[{item.n}]' for item in shown)}"]
    if missing:
        names = ", ".join(f"“{_plain(one.text)}”" for one in missing)
        return [f"No passage states {names}.", *(f"{_plain(one.text)}: {_fact(one, answer)}" for one in found)]
    contested = any(one.status is RequirementStatus.CONTESTED for one in found)
    if answer.intent is Intent.LOOKUP and not contested:
        return [_fact(one, answer) for one in found]
    told = _prose(answer.text)
    operands = answer.intent in (Intent.COMPUTATION, Intent.COMPARISON) and not contested
    if operands and not any(_STRONG in line for line in told):  # nothing was computed: they stand side by side
        told += [f"{_plain(one.text)}: {_fact(one, answer)}" for one in found]
    return told or [_fact(one, answer) for one in found]


def _fact(one: RequirementResult, answer: Answer) -> str:
    """What answers a fact, its markers, and how sure that is where it is known."""
    marks = "".join(f"[{n}]" for n in one.evidence[:MOST_PASSAGES])
    if one.status is RequirementStatus.CONTESTED:
        return f"the sources differ {marks}"
    alone = len(answer.requirements) == 1 and answer.short
    value = answer.short if alone else one.value
    if not value:
        proof = next((item for item in answer.evidence if item.n in one.evidence), None)
        quote = None if proof is None else _Quote(proof, answer.question, (), 1)
        value = "" if quote is None else quote.text[quote.best().start : quote.best().end]
    sure = "" if one.confidence is None else f" · probably right: {one.confidence * 100:.0f} %"
    return f"**{clipped(_plain(value), 240)}** {marks}{sure}"


def _outline(answer: Answer, screen: Screen) -> list[str]:
    """The lines of an outline, each cut at the width, its markers kept."""
    lines: list[str] = []
    for line in printable(answer.text).splitlines():
        if not line.strip() or _is_aside(line):
            continue
        marks = _LAST_MARKERS.search(line)
        end = "" if marks is None else f" {marks[1]}"
        said = line if marks is None else line[: marks.start()]
        kept = clipped(said, screen.width - len(end) + 2 * min(2, said.count(_STRONG)))
        lines.append(f"{kept}{_STRONG * (kept.count(_STRONG) % 2)}{end}")
    return lines


def _is_aside(line: str) -> bool:
    return _ASIDE.fullmatch(line.strip()) is not None and not line.strip().startswith(_STRONG)


def _prose(text: str) -> list[str]:
    """What a text says apart from its quotes and lists, paragraph by paragraph."""
    lines = printable(text).splitlines()
    return [line.strip() for line in lines if line.strip() and not _LISTED.match(line) and not _is_aside(line)]


def _plain(text: str) -> str:
    return " ".join(printable(text).split())


def _styled_lines(paragraph: str, screen: Screen) -> list[str]:
    """A paragraph wrapped at the width, what is strong in it in bold and its markers coloured."""
    style = screen.style
    text, at = "", 0
    strong: list[Range] = []
    for found in _BOLD.finditer(paragraph):
        text += paragraph[at : found.start()]
        strong.append((len(text), len(text) + len(found[1])))
        text += found[1]
        at = found.end()
    text += paragraph[at:]
    indent = text[: len(text) - len(text.lstrip())]
    marks = [(*one, style.bold) for one in strong]
    marks += [(*match.span(), style.number) for match in _MARKER.finditer(text)]
    lines = []
    for k, (begin, end) in enumerate(wrapped(text, screen.width)):
        parts, at = [indent if k == 0 else ""], begin
        for start, stop, mark in sorted(marks, key=lambda one: one[:2]):
            start, stop = max(start, at), min(stop, end)
            if start < stop:
                parts += text[at:start], mark(text[start:stop])
                at = stop
        lines.append("".join([*parts, text[at:end]]))
    return lines


def worded(answer: Answer, screen: Screen) -> str:
    """A text that a model worded, in full, its lines wrapped at the width."""
    lines: list[str] = []
    for line in printable(answer.text).strip("\n").split("\n"):
        lines += (
            [line[start:end] for start, end in wrapped(line, screen.width)] if columns(line) > screen.width else [line]
        )
    return answer_text("\n".join(lines), screen.style).removesuffix("\n")


def note(answer: Answer, screen: Screen) -> str:
    """What of the answer was known before, on a line."""
    told = reused_note(answer)
    return screen.style.dim(clipped(told, screen.width)) + "\n" if told else ""
