"""What ``lens ask`` prints while and after a search goes on: `AnswerPrinter` stands between events and output.

A terminal shows a few passages as they are found, each on a line, then what fits one screen (`OneScreen`): at most
three passages, a few lines of each, and the answer last, where the eyes are. With ``--all`` (`LongForm`) it shows every
passage that is found, the answer as it is worded, every passage whole. Everywhere else only the last form is printed,
so that it never depends on timing. What is shown on a screen is told by the fields of an answer, not by its text, save
where a model worded that.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence

from lens_lsp.cli.renderers import (
    APART,
    Places,
    QuestionWords,
    Range,
    Renderer,
    Style,
    clipped,
    columns,
    flowed,
    markdown_link,
    opened_at,
    rows,
    shortened,
    styled,
    untailed,
    wrapped,
)
from lens_lsp.cli.summary import Trace, explained_style
from lens_lsp.cli.terminal import ProgressBar, coloured, is_kept, is_terminal, printable, printable_path, put, put_json
from lens_lsp.model.answer import (
    Answer,
    AnswerDelta,
    Answered,
    Event,
    EvidenceFound,
    Mode,
    Planned,
    RequirementResult,
    RequirementStatus,
)
from lens_lsp.model.documents import ELLIPSIS, Evidence, has_own_places, locator_text
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import stamp_of, stamped
from lens_lsp.model.plan import Intent
from lens_lsp.model.sanitize import markdown_without_links, printable_line, sanitize_markdown
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import content
from lens_lsp.schema.answer_shapes import answer_json, event_json, moment

_MARKER = regex(r"(?<!\\)\[(\d+)\](?![(:])")
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
_LAST_MARKERS = regex(r"\s*((?:\[\d+\])+)\s*$")
_BOLD = regex(r"\*\*(.+?)\*\*")
_ASIDE = regex(r"\*[^*].*\*")
"""A paragraph in italics: who judged, which the closing line says, too."""
_LISTED = regex(r"\s*(?:[-*+>]\s|\d{1,3}[.)]\s)")
_NEWER = "Newer, not in this answer:"
_MARK = regex(r"\[\d+\](?![(:])")
_MATTERS = (RequirementStatus.COVERED, RequirementStatus.CONTESTED, RequirementStatus.MISSING)
_MOST_LIVE = 3
_EXPECTED = 8
"""Rows that are left for words that are still to come."""


class AnswerPrinter:
    """Printer of a question's events and answer: prints what is for now, keeps what is for the end.

    ``whole`` asks for every passage, whole, on a terminal, too.
    """

    def __init__(self, shape: str, places: Places, *, explain: bool, quiet: bool, whole: bool = False) -> None:
        self.places = places
        self.bar = ProgressBar(shown=is_terminal(sys.stderr) and not quiet)
        self.answer: Answer | None = None
        self.trace = Trace(places, explained_style(shape)) if explain else None
        self._shape = shape
        self._style = Style(coloured(sys.stdout, os.environ))
        self._live: LongForm | OneScreen | None = None
        if shape == "text" and is_terminal(sys.stdout):
            self._live = (LongForm if whole else OneScreen)(places, self._style, self.bar)
        self._events = 0

    def progress(self, stage: str, done: int, total: int | None) -> None:
        """A stage moved on; told from the thread that does it."""
        self.bar.update(stage, done, total)

    def evidence(self, item: Evidence) -> None:
        """Evidence comes as an event, when it is verified."""

    def take(self, event: Event) -> None:
        """The next event."""
        if self.trace is not None:
            self.trace.add(event)
        if isinstance(event, Answered):
            self.answer = event.answer
        if self._shape == "events":
            self._events += 1
            put_json(event_json(event, self._events), one_line=True)
        elif self._live is not None:
            self._live.show(event)

    def finish(self, answer: Answer, below: int = 0) -> None:
        """Print the answer, or what of it is not printed yet; ``below`` are the rows that the account will take."""
        if self._shape == "json":
            put_json(answer_json(answer))
        elif self._shape == "grep":
            put(grep_answer(answer, self.places, self._style))
        elif self._shape == "markdown":
            put(stamped(markdown_answer(answer, self.places), stamp_of(answer.question)))
        elif self._live is not None:
            put(self._live.rest(answer, below))
        elif self._shape == "text":
            shown = text_answer(answer, self.places, self._style)
            put(stamped(shown, stamp_of(answer.question)) if is_kept(sys.stdout) else shown)


class LongForm:
    """Every passage as it is found, the answer as it comes, then every passage whole."""

    def __init__(self, places: Places, style: Style, bar: ProgressBar) -> None:
        self._places = places
        self._style = style
        self._bar = bar
        self._found = False
        self._early: list[Evidence] = []
        self._said = ""
        self._checking = False
        """Words came that were not checked."""

    def show(self, event: Event) -> None:
        """Evidence and answer appear when they do."""
        if isinstance(event, EvidenceFound) and not event.final:
            if not event.early and any(item.overlaps(event.evidence) for item in self._early):
                return  # its line is there already
            self._early += [event.evidence] if event.early else []
            self._bar.close()
            self._found = True
            columns = shutil.get_terminal_size().columns
            put(live_line(event.evidence, self._places, self._style, columns))
        elif isinstance(event, AnswerDelta):
            self._bar.close()
            if self._checking and not event.checking:
                return  # what the check made of it comes at the end
            if event.checking and not self._checking:
                put(("\n" if self._found else "") + self._style.dim("checking:") + " ")
            self._checking |= event.checking
            if event.restart and self._said:
                put(_paragraph_end(self._said) + self._style.dim("after searching further:") + "\n\n")
                self._said = ""
            put(("\n" if self._found and not self._said and not self._checking else "") + printable(event.text))
            self._said += event.text

    def rest(self, answer: Answer, below: int) -> str:
        """The answer, if it was not worded yet or was changed, and the passages."""
        if not self._said:
            return ("\n" if self._found else "") + text_answer(answer, self._places, self._style)
        end = _paragraph_end(self._said)
        if self._said.strip() != answer.text.strip():  # the check of the finished text changed it
            end += self._style.dim("after checking:") + "\n\n" + answer_text(answer.text, self._style)
        return end + passages(answer, self._places, self._style)


class OneScreen:
    """A few passages as they are found; then as much of the best three as there is room for, and the answer.

    Words that are still checked are taken back once they are, so that the answer stands last.
    """

    def __init__(self, places: Places, style: Style, bar: ProgressBar) -> None:
        self._size = shutil.get_terminal_size()
        self._screen = Screen(max(20, self._size.columns), places, style)
        self._bar = bar
        self._live: list[Evidence] = []
        self._final: list[Evidence] = []
        self._unchecked = ""
        self._said = ""
        self._streams = False

    def show(self, event: Event) -> None:
        """Evidence and what a model words appear when they do."""
        if isinstance(event, Planned):
            self._streams = event.mode is Mode.DEEP  # elsewhere what is no longer checked comes at once
        elif isinstance(event, EvidenceFound):
            self._found(event)
        elif isinstance(event, AnswerDelta):
            self._bar.close()
            if event.checking:
                self._check(event)
            elif self._streams and not self._unchecked:
                self._say(event)

    def _found(self, event: EvidenceFound) -> None:
        if event.final:
            self._final = [*([] if event.evidence.n == 1 else self._final), event.evidence]
            return
        seen = any(item.overlaps(event.evidence) for item in self._live)
        if seen or len(self._live) == _MOST_LIVE or self._said or self._unchecked:
            return
        self._bar.close()
        self._live.append(event.evidence)
        put(screen_line(event.evidence, self._screen))

    def _check(self, event: AnswerDelta) -> None:
        """Words that were not compared with the passages yet."""
        begin = "" if self._unchecked else "checking: "
        if begin:
            put(("\n" if self._live else "") + self._screen.style.dim(begin.strip()) + " ")
        text = printable(event.text).expandtabs(2)
        if event.restart and self._unchecked:
            text = _paragraph_end(self._unchecked) + text
        put(text)
        self._unchecked += begin + text

    def _say(self, event: AnswerDelta) -> None:
        """A model's words; before the first of them the passages that they rest on."""
        if self._said and event.restart:
            put(_paragraph_end(self._said) + self._screen.style.dim("after searching further:") + "\n\n")
            self._said = ""
        if not self._said:
            shown = self._final[:MOST_PASSAGES]
            told = self._passages(shown, len(self._final), "", (), _EXPECTED)
            put(("\n" if self._live and told else "") + told + ("\n" if self._live or told else ""))
        put(printable(event.text))
        self._said += event.text

    def _passages(
        self,
        shown: Sequence[Evidence],
        all_of_them: int,
        question: str,
        answers: Sequence[RequirementResult],
        below: int,
    ) -> str:
        """The passages and how many more there are; ``below`` are the rows that what follows will take."""
        more = more_line(all_of_them - len(shown) if shown else 0, self._screen.style)
        room = self._room - bool(more) - bool(shown) - below
        return screen_passages(shown, self._screen, question, room, answers) + more

    @property
    def _room(self) -> int:
        """The rows below the live lines and above the prompt."""
        return self._size.lines - 1 - len(self._live) - bool(self._live)

    def rest(self, answer: Answer, below: int) -> str:
        """The passages and the answer, or what of these was not said yet."""
        known = clipped(reused_note(answer), self._screen.width)
        note = self._screen.style.dim(known) + "\n" if known else ""
        if self._said:
            if self._said.strip() == answer.text.strip():
                return _paragraph_end(self._said)[1:] + note
            changed = self._screen.style.dim("after checking:") + "\n\n"
            return _paragraph_end(self._said) + changed + wrapped_text(answer, self._screen) + note
        shown = choose_passages(answer)
        if by_rules(answer):
            told = rule_answer(answer, shown, self._screen, self._room - below)
        else:
            told = wrapped_text(answer, self._screen)
        before = searched_as(answer, self._screen.style)
        taken = rows(before + told + note, self._screen.width) - 1 + below
        quotes = self._passages(shown, len(answer.evidence), answer.question, answer.requirements, taken)
        start = self._taken_back() or ("\n" if self._live else "")
        return start + before + quotes + note + ("\n" if quotes or note else "") + told

    def _taken_back(self) -> str:
        """What takes the unchecked words off the screen, or ends them where they cannot be."""
        if not self._unchecked:
            return ""
        count = rows(self._unchecked, self._size.columns)
        if count >= self._size.lines or os.environ.get("TERM", "dumb") == "dumb":
            return _paragraph_end(self._unchecked)
        up = f"\x1b[{count - 1}A" if count > 1 else ""
        return f"\r{up}\x1b[J"


def _paragraph_end(text: str) -> str:
    """What is missing of the empty line after the words printed so far."""
    return "\n" * (2 - len(text[-2:]) + len(text[-2:].rstrip("\n")))


def text_answer(answer: Answer, places: Places, style: Style) -> str:
    """For people: the answer, then every passage under its number."""
    return searched_as(answer, style) + answer_text(answer.text, style) + passages(answer, places, style)


def searched_as(answer: Answer, style: Style) -> str:
    """The question as it was searched, when what it refers to was put in."""
    return "" if answer.typed is None else style.dim(f"searched as: {printable(answer.question)}") + "\n\n"


def reused_note(answer: Answer) -> str:
    """What was known before and still holds, and since when; empty when all was searched now."""
    if not answer.reused:
        return ""
    known = sum(len(one.requirements) for one in answer.reused)
    part = "this answer" if known == len(answer.requirements) else f"{known} of {len(answer.requirements)} facts"
    since = min(one.asked_at for one in answer.reused)
    return f"reused: {part} of {moment(since)[:16].replace('T', ' ')} UTC; its sources were looked up again"


def answer_text(text: str, style: Style) -> str:
    """The words of the answer alone, with an empty line behind; nothing for an empty answer."""
    shown = printable(text).strip("\n")
    marked = _MARKER.sub(lambda found: style.number(found.group()), shown) if style.coloured else shown
    return f"{marked}\n\n" if shown else ""


def passages(answer: Answer, places: Places, style: Style) -> str:
    """The numbered passages, in the order of their numbers, and what of the answer was known before."""
    renderer = Renderer("text", places, style, answer.question)
    note = reused_note(answer)
    shown = "".join(f"{style.number(f'[{item.n}]')} {renderer.evidence(item)}" for item in answer.evidence)
    return shown + (style.dim(note) + "\n" if note else "")


def live_line(item: Evidence, places: Places, style: Style, columns: int) -> str:
    """One line for a passage that was just found, its number not yet known; ``columns`` is the terminal's width."""
    where = opened_at(places, item, Style())
    room = columns - len(where) - 5
    quote = printable_line(item.quote, room)
    return style.dim(f"· {where}  {quote}" if room >= 10 else f"· {where}") + "\n"


def markdown_answer(answer: Answer, places: Places) -> str:
    """For notes: the answer with footnotes, each a link to the line and the quote, ready to be pasted.

    Nothing that a searched file brought into it becomes an image, a link or HTML.
    """
    numbers = {item.n for item in answer.evidence}

    def footnotes(text: str) -> str:
        return _MARKER.sub(lambda found: f"[^{found[1]}]" if int(found[1]) in numbers else found.group(), text)

    marked = markdown_without_links(printable(answer.text), footnotes)
    notes = "".join(
        f'[^{item.n}]: {markdown_link(item, places)} "{sanitize_markdown(printable_line(item.quote))}"\n'
        for item in answer.evidence
    )
    note = reused_note(answer)
    shown = [marked.strip("\n") + "\n" if marked.strip() else "", notes, f"*{note}*\n" if note else ""]
    return "\n".join(filter(None, shown))


def grep_answer(answer: Answer, places: Places, style: Style) -> str:
    """For editors and pipes: one line a passage, ``path:line:column:text``."""
    return "".join(map(Renderer("grep", places, style, answer.question).evidence, answer.evidence))


@dataclass(frozen=True, slots=True)
class Screen:
    """How large the terminal is, and how it shows things."""

    width: int
    places: Places
    style: Style

    def place(self, item: Evidence) -> tuple[str, str]:
        """The path of a passage, and what stands behind it: the line, or in a PDF the page."""
        path = printable_path(self.places.shortest(item.root, item.path))
        return path, f" {locator_text(item.locator)}" if has_own_places(item.locator) else f":{item.start.line}"


def choose_passages(answer: Answer) -> tuple[Evidence, ...]:
    """The passages to be shown, in the order of their numbers: the first proof of each fact, then further ones."""
    if answer.intent is Intent.SUMMARIZE and answer.short is None:
        return ()  # an outline is made of its passages
    cited = {item.n: item for item in answer.evidence}
    facts = sorted(answer.requirements, key=lambda one: _MATTERS.index(one.status))
    numbers = [n for depth in range(MOST_PASSAGES) for one in facts for n in one.evidence[depth : depth + 1]]
    ranked = [n for n in dict.fromkeys([*numbers, *cited]) if n in cited]
    return tuple(cited[n] for n in sorted(ranked[:MOST_PASSAGES]))


def screen_passages(
    items: Sequence[Evidence], screen: Screen, question: str, room: int, answers: Sequence[RequirementResult] = ()
) -> str:
    """The passages, each under its place, in so many rows; never less than one line of each."""
    quotes = []
    for item in items:
        values = [printable(one.value) for one in answers if one.value and item.n in one.evidence]
        quotes.append(_Quote(item, question, values, screen.width - _INDENT))
    lines = [min(MOST_LINES, quote.height) for quote in quotes]
    while sum(lines) + len(lines) > room and max(lines, default=0) > 1:
        lines[max(range(len(lines)), key=lambda k: (lines[k], k))] -= 1
    shown = zip(items, quotes, lines, strict=True)
    return "".join(_head(item, screen) + quote.shown(most, screen.style) for item, quote, most in shown)


def screen_line(item: Evidence, screen: Screen) -> str:
    """One line for a passage that was just found, its number not yet known."""
    path, at = screen.place(item)
    where = clipped(f"{path}{at}", max(1, screen.width - 2), at_start=True)
    left = screen.width - columns(where) - 4
    quote = clipped(printable_line(item.quote), left) if left >= _LEAST_QUOTE else ""
    return screen.style.dim(f"· {where}{'  ' if quote else ''}{quote}") + "\n"


def more_line(hidden: int, style: Style) -> str:
    """What leads to the passages that are not shown."""
    return style.dim(f"{hidden:,} more: --all") + "\n" if hidden > 0 else ""


def _head(item: Evidence, screen: Screen) -> str:
    """One line: number, place and innermost heading."""
    style, number = screen.style, f"[{item.n}] "
    path, at = screen.place(item)
    at = clipped(at, screen.width // 2)
    titles = [title for part in item.heading if (title := printable_line(part))]
    kept = min(_LEAST_TITLE, columns(titles[-1])) + 2 if titles else 0
    path = clipped(path, max(1, screen.width - columns(number + at) - kept), at_start=True)
    left = screen.width - columns(number + path + at) - 2
    heading = clipped(titles[-1], left) if titles and left > 0 else ""
    aside = f"  {style.dim(heading)}" if heading else ""
    return f"{style.number(number.strip())} {style.path(path)}{at[0]}{style.number(at[1:])}{aside}\n"


class _Quote:
    """A quote on one line, what of it matters, and its lines on a terminal."""

    def __init__(self, item: Evidence, question: str, values: Sequence[str], room: int) -> None:
        heading = printable_line(item.heading[-1]) if item.heading else ""
        kept = [" ".join(value.split()) for value in values]
        text = shortened(flowed(item.quote, heading) or flowed(item.quote), kept)
        self.text = (ELLIPSIS if "start" in item.cut else "") + text + (ELLIPSIS if "end" in item.cut else "")
        self._room = max(1, room)
        self._sentences = _units(self.text)
        self._asked = content(untailed(question))
        found = [place for value in kept if (place := self._place(value)) is not None]
        self._answers = sorted(found)
        self._words = QuestionWords(question)
        self._lines = wrapped(self.text, self._room)
        self.height = max(1, len(self._lines))

    def _place(self, value: str) -> Range | None:
        """Where a value stands, in the sentence that tells most of the question."""
        pattern = r"\s+".join(map(re.escape, value.split()))
        for way in (rf"(?i)(?<!\w){pattern}(?!\w)", rf"(?i){pattern}"):
            if pattern and (found := [match.span() for match in re.finditer(way, self.text)]):
                return max(found, key=lambda place: (self._told(self._sentence(place[0])), -place[0]))
        return None

    def _sentence(self, at: int) -> Span:
        return next((one for one in self._sentences if one.start <= at < one.end), Span(0, len(self.text)))

    def _told(self, sentence: Span) -> int:
        return len(content(self.text[sentence.start : sentence.end]) & self._asked)

    def best(self) -> Span:
        """The sentence that holds the answer, else the one that tells most of the question."""
        if self._answers:
            return self._sentence(self._answers[0][0])
        return max(self._sentences, key=lambda one: (self._told(one), -one.start), default=Span(0, len(self.text)))

    def shown(self, most: int, style: Style) -> str:
        """At most so many lines, the answer or the best sentence among them."""
        start, lines = self._window(most)
        indent, last = " " * _INDENT, ""
        if len(lines) > most:
            lines, last = lines[:most], ELLIPSIS
        found = self._answers or self._words.spans(self.text)
        mark = style.underlined if self._answers else style.bold
        marks = [(*one, mark) for one in found] if style.coloured else []
        shown = []
        for k, (begin, end) in enumerate(lines):
            before = ELLIPSIS if k == 0 and start else ""
            after = last if k == len(lines) - 1 else ""
            if after:
                end = self._cut(begin, end, columns(before))
            line = styled(self.text, (begin, end), marks)
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
            blank = self.text.find(" ", back, needed[0])
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
        if used + columns(self.text[begin:end]) < self._room and not self.text[end : end + 1].strip():
            return end
        blank = self.text.rfind(" ", begin + 1, end)
        if blank > begin:
            return blank
        while end > begin + 1 and used + columns(self.text[begin:end]) >= self._room:
            end -= 1
        return end

    def _from(self, start: int) -> list[Range]:
        """The lines from a place on, with room for an ellipsis before the first."""
        if not start:
            return self._lines
        first = wrapped(self.text, self._room - 1, start)[:1]
        return first + wrapped(self.text, self._room, first[0][1]) if first else []


def _units(text: str) -> list[Span]:
    """The sentences of a line, which end with items and fields, too."""
    found: list[Span] = []
    at = 0
    for part in text.split(APART):
        found += sentences(text, Span(at, at + len(part)))
        at += len(part) + len(APART)
    return found


def by_rules(answer: Answer) -> bool:
    """Whether no model worded the text, so that the same may be told in another way."""
    last = answer.text.rstrip().rpartition("\n")[2]
    return answer.mode is Mode.EVIDENCE or not answer.evidence or _is_aside(last)


def rule_answer(answer: Answer, shown: Sequence[Evidence], screen: Screen, room: int) -> str:
    """The answer in a few lines, of an outline as many as there is room for, for words that no model gave."""
    paragraphs = _paragraphs(answer, shown, screen)
    if answer.newer and not any(one.startswith(_NEWER) for one in paragraphs):
        paragraphs.insert(0, f"{_NEWER} {', '.join(map(printable_path, answer.newer))}")
    unread = answer.coverage.unread_told
    if unread and unread not in paragraphs:
        paragraphs.insert(0, unread)
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
        return _prose(answer.text) or [printable_line(answer.text)]
    if answer.intent is Intent.SUMMARIZE:
        return _outline(answer, screen)
    if missing and not found:
        return [f"No passage states this. Closest passages: {' '.join(f'[{item.n}]' for item in shown)}"]
    if missing:
        names = ", ".join(f"“{printable_line(one.text)}”" for one in missing)
        return [f"No passage states {names}.", *(f"{printable_line(one.text)}: {_fact(one, answer)}" for one in found)]
    contested = any(one.status is RequirementStatus.CONTESTED for one in found)
    if answer.intent is Intent.LOOKUP and not contested:
        return [_fact(one, answer) for one in found]
    told = _prose(answer.text)
    operands = answer.intent in (Intent.COMPUTATION, Intent.COMPARISON) and not contested
    if operands and not any(_STRONG in line for line in told):  # nothing was computed: they stand side by side
        told += [f"{printable_line(one.text)}: {_fact(one, answer)}" for one in found]
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
    return f"**{clipped(printable_line(value), 240)}** {marks}{sure}"


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
    marks += [(*match.span(), style.number) for match in _MARK.finditer(text)]
    marks.sort(key=lambda one: one[:2])
    lines = [styled(text, part, marks) for part in wrapped(text, screen.width)]
    return [indent + lines[0], *lines[1:]] if lines else []


def wrapped_text(answer: Answer, screen: Screen) -> str:
    """A text that a model worded, in full, its lines wrapped at the width."""
    lines: list[str] = []
    for line in printable(answer.text).strip("\n").split("\n"):
        parts = wrapped(line, screen.width) if columns(line) > screen.width else [(0, len(line))]
        lines += [line[start:end] for start, end in parts]
    return answer_text("\n".join(lines), screen.style).removesuffix("\n")
