"""A chat model that is a program: it sees the messages of a request and nothing else, and always says the same.

It answers with the sentence, of those it is shown, that shares most words with the question; shown none, it calls the
search tool where it is told of one, else says that it does not know. It serves every arm of the evaluation, to try
them end to end. What it answers is no measure of quality.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass

from lens_lsp.judge.llm.chat_model import ChatReply, ChatRequest, ModelError, ModelFailure
from lens_lsp.model.text import Span, sentences


@dataclass(frozen=True, slots=True)
class Broken:
    """A reply that fails after some of its text; a whole call then gets the error alone."""

    text: str
    error: ModelError


Scripted = str | ChatReply | ModelError | Broken
"""One reply of a script. An error is raised, a string is a complete reply without usage."""


class ScriptedModel:
    """Implements `ChatModel` from a list of replies, or from a function of the request (which may be a coroutine).

    ``requests`` holds every request in order, those that failed too. A list that has come to its end fails. Streams
    come in pieces of ``piece`` code points.
    """

    def __init__(
        self,
        script: Iterable[Scripted] | Callable[[ChatRequest], Scripted | Awaitable[Scripted]],
        *,
        name: str = "scripted",
        endpoint: str | None = None,
        context_tokens: int = 8_192,
        small: bool = False,
        piece: int = 24,
    ) -> None:
        self.requests: list[ChatRequest] = []
        self.closed = False
        """Whether `aclose` was called."""
        self._tell = script if callable(script) else _from_list(script)
        self._name = name
        self._endpoint = endpoint
        self._context = context_tokens
        self._small = small
        self._piece = piece

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._name

    @property
    def endpoint(self) -> str | None:
        """The origin it pretends to have."""
        return self._endpoint

    @property
    def context_tokens(self) -> int:
        """How many tokens it pretends to take."""
        return self._context

    @property
    def small(self) -> bool:
        """Whether it pretends to be a small model."""
        return self._small

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The next reply. Raises the scripted `ModelError`."""
        told = await self._next(request)
        if isinstance(told, Broken):
            raise told.error
        return told

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply, None]:
        """The next reply in pieces, then whole. Raises the scripted `ModelError`."""
        told = await self._next(request)
        for start in range(0, len(told.text), self._piece):
            yield told.text[start : start + self._piece]
        if isinstance(told, Broken):
            raise told.error
        yield told

    async def aclose(self) -> None:
        """Nothing is open; it is only noted."""
        self.closed = True

    async def _next(self, request: ChatRequest) -> ChatReply | Broken:
        self.requests.append(request)
        told = self._tell(request)
        if inspect.isawaitable(told):
            told = await told
        if isinstance(told, ModelError):
            raise told
        return ChatReply(told) if isinstance(told, str) else told


def _from_list(script: Iterable[Scripted]) -> Callable[[ChatRequest], Scripted]:
    replies = iter(tuple(script))

    def tell(_request: ChatRequest) -> Scripted:
        over = ModelError("the script of this model is over; write more replies", failure=ModelFailure.NO_TEXT)
        return next(replies, over)

    return tell


CONTEXT_TOKENS = 32_768
NAME = "best-overlapping-sentence"
_FENCED = re.compile(r"\[(\w+) (?:region|evidence) (\d+), context\]\n(.*?)\n?\[\1 text\]\n(.*?)\n\[\1 end\]", re.DOTALL)
_READ = re.compile(r"^\[(\w+) \d+\] ")
_PASSAGE = re.compile(r"<passage (\d+), [^\n]*>\n(.*?)\n</passage>", re.DOTALL)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_FACT = re.compile(r"^(f\d+)(?: \(\w+\))?: (.*)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_SMALL = 4
"""Letters below which a word says nothing."""
_PROVES = 0.5
"""The share of a fact's words that a sentence holds which is called proof."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that was shown, the number of the passage it stands in, and how many words it shares."""

    number: int
    text: str
    shared: int


def scripted_model() -> ScriptedModel:
    """A new one."""
    return ScriptedModel(reply, name=NAME, context_tokens=CONTEXT_TOKENS)


def reply(request: ChatRequest) -> str:
    """What the model says to a request."""
    text = "\n".join(message.text for message in request.messages)
    if '{"wrong"' in request.messages[-1].text:
        return '{"wrong": []}'
    if _READ.match(request.messages[-1].text):
        return _reading(request.messages[-1].text)
    _, asked_for, form = text.rpartition("Reply with JSON only:")
    says = (say for mark, say in _FORMS.items() if asked_for and mark in form)
    return next(says, _synthesis)(text)


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= _SMALL or word.isdigit()}


def _shown(text: str) -> dict[int, str]:
    """Every passage in a text by its number."""
    fenced = {int(match[2]): match[4] for match in _FENCED.finditer(text)}
    return fenced | {int(match[1]): match[2] for match in _PASSAGE.finditer(text)}


def _regions(text: str) -> dict[int, str]:
    """The regions of a read call by their numbers."""
    nonce = _READ.match(text)
    if nonce is None:
        return {}
    _, *parts = re.split(rf"^\[{nonce[1]} (\d+|end)\].*\n", text, flags=re.MULTILINE)
    return {int(name): body for name, body in zip(parts[::2], parts[1::2], strict=True) if name.isdigit()}


def best_sentence(asked: str, shown: dict[int, str]) -> Sentence | None:
    """The sentence that shares most words with what is asked, the first of equals; None when none shares any."""
    wanted = _words(asked)
    best: Sentence | None = None
    for number, passage in shown.items():
        for span in sentences(passage, Span(0, len(passage))):
            said = passage[span.start : span.end]
            shared = len(wanted & _words(said))
            if shared and (best is None or shared > best.shared):
                best = Sentence(number, said, shared)
    return best


def _question(text: str) -> str:
    found = _QUESTION.search(text)
    return "" if found is None else found[1]


def _answer(text: str) -> str:
    best = best_sentence(_question(text), _shown(text))
    if best is None:
        return json.dumps({"answer": "I do not know.", "short": None})
    return json.dumps({"answer": f"{best.text} [{best.number}]", "short": best.text})


def _reading(text: str) -> str:
    question = _question(text)
    best = best_sentence(question, _regions(text))
    proves = best is not None and best.shared >= _PROVES * len(_words(question))
    said: dict[str, object] = {"answerable": "yes" if proves else "no", "quotes": [], "items": [], "computation": None}
    if best is None or not proves:
        return json.dumps(said | {"missing": [question], "terms": [], "answer": "", "short": None})
    said["quotes"] = [{"n": 1, "region": best.number, "quote": best.text}]
    return json.dumps(said | {"missing": [], "terms": [], "answer": f"{best.text} [1]", "short": best.text})


def _step(text: str) -> str:
    shown = _shown(text)
    step: dict[str, object] = dict.fromkeys(("thought", "action", "query", "path", "offset", "answer", "short"))
    if shown or "This is your last step" in text:
        done = {"thought": "This is what I have seen.", "action": "finish"}
        return json.dumps(step | done | json.loads(_answer(text)))
    return json.dumps(step | {"thought": "I have seen nothing.", "action": "search", "query": _question(text)})


def _plan(text: str) -> str:
    question = _question(text)
    fact = {"text": question, "type": "any", "many": False, "label": "answer"}
    plan: dict[str, object] = {"intent": "lookup", "facts": [fact], "combine": "none"}
    return json.dumps(plan | {"expression": None, "document": None, "anchors": sorted(_words(question))})


def _anchors(text: str) -> str:
    return json.dumps({"anchors": sorted(_words(_question(text)))[:12]})


def _found(text: str) -> str:
    found, open_facts = [], []
    for fact, asked in _FACT.findall(text):
        best = best_sentence(asked, _shown(text))
        if best is not None and best.shared >= _PROVES * len(_words(asked)):
            found.append({"region": best.number, "fact": fact, "verdict": "full", "quote": best.text, "value": None})
        else:
            open_facts.append(fact)
    return json.dumps({"found": found, "unproven": open_facts, "terms": []})


def _uncovered(text: str) -> str:
    return json.dumps({"unproven": [], "terms": []})


def _short(text: str) -> str:
    body = re.search(r"\[(\w+) text\]\n(.*?)\n\[\1 end\]", text, re.DOTALL)
    return json.dumps({"short": None if body is None else body[2].split("\n")[0]})


def _synthesis(text: str) -> str:
    best = best_sentence(_question(text), _shown(text))
    if best is None:
        return '@@ANSWER {"short": null, "unmet": []}'
    return f"{best.text} [{best.number}]\n@@ANSWER {json.dumps({'short': best.text, 'unmet': []})}"


# The form of the reply that is asked for, most particular first.
_FORMS: dict[str, Callable[[str], str]] = {
    '"action"': _step,
    '"answer"': _answer,
    '"facts"': _plan,
    '"anchors"': _anchors,
    '"found"': _found,
    '"unproven"': _uncovered,
    '"short"': _short,
}
