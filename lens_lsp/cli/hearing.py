"""What ``lens ask`` prints while and after the search goes on: one class between the events and standard output.

A terminal shows passages as they are found, each on a line, then the answer as it is worded, then the passages under
their final numbers. Everywhere else only the last form is printed, so that it never depends on timing.
"""

from __future__ import annotations

import os
import shutil
import sys

from lens_lsp.cli.account import explained_style
from lens_lsp.cli.answering import answer_text, grep_answer, live_line, markdown_answer, passages, text_answer
from lens_lsp.cli.progress import ProgressBar
from lens_lsp.cli.render import Places, Style
from lens_lsp.cli.terminal import coloured, is_terminal, printable, put, put_json
from lens_lsp.cli.trace import Trace
from lens_lsp.domain.answer import Answer
from lens_lsp.domain.events import AnswerDelta, Answered, Event, EvidenceFound
from lens_lsp.domain.model import Evidence
from lens_lsp.wire import answer_json, event_json


class Hearing:
    """Hears a question being answered: prints what is for now, keeps what is for the end."""

    def __init__(self, shape: str, places: Places, *, explain: bool, quiet: bool) -> None:
        self.places = places
        self.bar = ProgressBar(shown=is_terminal(sys.stderr) and not quiet)
        self.answer: Answer | None = None
        self.trace = Trace(places, explained_style(shape)) if explain else None
        self._shape = shape
        self._style = Style(coloured(sys.stdout, os.environ))
        self._live = shape == "text" and is_terminal(sys.stdout)
        self._found = False
        self._early: list[Evidence] = []
        self._said = ""
        self._checking = False
        """Words came that were not checked."""
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
        elif self._live:
            self._show(event)

    def _show(self, event: Event) -> None:
        """On a terminal, evidence and answer appear when they do."""
        if isinstance(event, EvidenceFound) and not event.final:
            if not event.early and any(item.overlaps(event.evidence) for item in self._early):
                return  # its line is there already
            self._early += [event.evidence] if event.early else []
            self.bar.close()
            self._found = True
            columns = shutil.get_terminal_size().columns
            put(live_line(event.evidence, self.places, self._style, columns))
        elif isinstance(event, AnswerDelta):
            self.bar.close()
            if self._checking and not event.checking:
                return  # what the check made of it comes at the end
            if event.checking and not self._checking:
                put(("\n" if self._found else "") + self._style.dim("checking:") + " ")
            self._checking |= event.checking
            if event.restart and self._said:
                put(self._paragraph_end() + self._style.dim("after searching further:") + "\n\n")
                self._said = ""
            put(("\n" if self._found and not self._said and not self._checking else "") + printable(event.text))
            self._said += event.text

    def _paragraph_end(self) -> str:
        """What is missing of the empty line after the words printed so far."""
        return "\n" * (2 - len(self._said[-2:]) + len(self._said[-2:].rstrip("\n")))

    def finish(self, answer: Answer) -> None:
        """Print the answer, or what of it is not printed yet."""
        if self._shape == "json":
            put_json(answer_json(answer))
        elif self._shape == "grep":
            put(grep_answer(answer, self.places, self._style))
        elif self._shape == "markdown":
            put(markdown_answer(answer, self.places))
        elif self._shape == "text":
            put(self._rest(answer))

    def _rest(self, answer: Answer) -> str:
        if not self._said:
            return ("\n" if self._found else "") + text_answer(answer, self.places, self._style)
        end = self._paragraph_end()
        if self._said.strip() != answer.text.strip():  # the check of the finished text changed it
            end += self._style.dim("after checking:") + "\n\n" + answer_text(answer.text, self._style)
        return end + passages(answer, self.places, self._style)
