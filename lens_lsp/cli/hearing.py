"""What ``lens ask`` prints while and after the search goes on: one class between the events and standard output.

A terminal shows a few passages as they are found, each on a line, then what fits one screen (`OneScreen`): passages,
and the answer last; with ``--all`` (`LongForm`) every passage that is found, the answer as it is worded, every passage
whole. Everywhere else only the last form is printed, so that it never depends on timing.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from typing import Protocol

from lens_lsp.cli import screen
from lens_lsp.cli.account import explained_style
from lens_lsp.cli.answering import (
    answer_text,
    grep_answer,
    live_line,
    markdown_answer,
    passages,
    searched_as,
    text_answer,
)
from lens_lsp.cli.layout import rows
from lens_lsp.cli.progress import ProgressBar
from lens_lsp.cli.render import Places, Style
from lens_lsp.cli.terminal import coloured, is_kept, is_terminal, printable, put, put_json
from lens_lsp.cli.trace import Trace
from lens_lsp.model.answer import Answer, AnswerDelta, Answered, Event, EvidenceFound, Mode, Planned, RequirementResult
from lens_lsp.model.documents import Evidence
from lens_lsp.model.marks import stamp_of, stamped
from lens_lsp.schema import answer_json, event_json

_MOST_LIVE = 3
_EXPECTED = 8
"""Rows that are left for words that are still to come."""


class Hearing:
    """Hears a question being answered: prints what is for now, keeps what is for the end. ``whole`` asks for every
    passage, whole, on a terminal, too."""

    def __init__(self, shape: str, places: Places, *, explain: bool, quiet: bool, whole: bool = False) -> None:
        self.places = places
        self.bar = ProgressBar(shown=is_terminal(sys.stderr) and not quiet)
        self.answer: Answer | None = None
        self.trace = Trace(places, explained_style(shape)) if explain else None
        self._shape = shape
        self._style = Style(coloured(sys.stdout, os.environ))
        self._live: _Shown | None = None
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


class _Shown(Protocol):
    """What a terminal shows."""

    def __init__(self, places: Places, style: Style, bar: ProgressBar) -> None: ...

    def show(self, event: Event) -> None:
        """Print what an event brings."""

    def rest(self, answer: Answer, below: int) -> str:
        """What is not printed yet."""
        ...


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
        self._screen = screen.Screen(max(20, self._size.columns), places, style)
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
        put(screen.live_line(event.evidence, self._screen))

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
            shown = self._final[: screen.MOST_PASSAGES]
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
        more = screen.more_line(all_of_them - len(shown) if shown else 0, self._screen.style)
        room = self._room - bool(more) - bool(shown) - below
        return screen.passages(shown, self._screen, question, room, answers) + more

    @property
    def _room(self) -> int:
        """The rows below the live lines and above the prompt."""
        return self._size.lines - 1 - len(self._live) - bool(self._live)

    def rest(self, answer: Answer, below: int) -> str:
        """The passages and the answer, or what of these was not said yet."""
        note = screen.note(answer, self._screen)
        if self._said:
            if self._said.strip() == answer.text.strip():
                return _paragraph_end(self._said)[1:] + note
            changed = self._screen.style.dim("after checking:") + "\n\n"
            return _paragraph_end(self._said) + changed + screen.worded(answer, self._screen) + note
        shown = screen.chosen(answer)
        if screen.by_rules(answer):
            told = screen.said(answer, shown, self._screen, self._room - below)
        else:
            told = screen.worded(answer, self._screen)
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
