"""From the reply of a read call to what it says, once and for all: nothing behind this module sees JSON.

A model may be small, broken or hostile. Parts that do not fit are left out; a reply that breaks off says what it had
said until then; what is no such object at all is a `MalformedReply`, and nothing else is ever raised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from lens_lsp.judge.claims import Reason
from lens_lsp.judge.llm.answer_stream import ANSWER, BEGUN_ESCAPE, MOST_QUOTES
from lens_lsp.judge.llm.replies import LONGEST_REPLY, MalformedReply
from lens_lsp.judge.llm.reply_models import LONGEST_QUOTE, said
from lens_lsp.judge.oracle import Answerable, Fault, Operand, ReadReply, SaidComputation, SaidItem, SaidQuote
from lens_lsp.judge.redaction import visible

MOST_ITEMS = 200
MOST_OPERANDS = 40
MOST_MISSING = 6
MOST_TERMS = 8
MOST_FAULTS = 100
LONGEST_ANSWER = 20_000
"""Code points."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


def _whole(value: Any) -> int:
    if isinstance(value, bool):
        raise ValueError("no number")  # noqa: TRY004  pydantic lets a TypeError through
    digits = re.fullmatch(r"\D{0,12}([0-9]{1,5})(?:\.0)?\D{0,3}", str(value))
    if digits is None:
        raise ValueError("no number")
    return int(digits[1])


def _quote(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_QUOTE:
        raise ValueError("no quote")
    return value


def _name(value: Any) -> str:
    written = said(value)
    if not written:
        raise ValueError("no name")
    return written


Whole = Annotated[int, BeforeValidator(_whole)]
Name = Annotated[str, BeforeValidator(_name)]
Text = Annotated[str | None, BeforeValidator(said)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Quote(_Part):
    region: Whole
    quote: Annotated[str, BeforeValidator(_quote)]
    n: Annotated[int | None, BeforeValidator(lambda value: None if value is None else _whole(value))] = None


class _Item(_Part):
    name: Name
    quote: Whole


class _Operand(_Part):
    id: Annotated[str, BeforeValidator(lambda value: _name(value))]
    value: Name
    quote: Whole
    name: Text = None


class _Computation(_Part):
    values: tuple[_Operand, ...]
    expression: Name
    unit: Text = None


class _Fault(_Part):
    sentence: Whole
    words: Text = None
    reason: Text = None


def parse_read(text: str, reply: ReadReply, regions: Collection[int]) -> None:
    """Fill ``reply`` by what a model wrote. Parts that do not fit are left out, quotes of ``regions`` that were not
    shown among them. Raises `MalformedReply` for what is no such object at all."""
    if len(text) > LONGEST_REPLY:
        raise MalformedReply("it has no end")
    body = _THOUGHT.sub("", text)
    start = body.find("{")
    if start < 0:
        raise MalformedReply("there is none")
    written, reply.broken_off = _object(body[start:])
    answerable = str(written.get("answerable") or "").strip().lower()
    if answerable in ("true", "false"):
        answerable = "yes" if answerable == "true" else "no"
    if answerable not in set(Answerable):
        raise MalformedReply("it does not say whether the question is answerable")
    reply.written = text
    reply.answerable = Answerable(answerable)
    quotes = written.get("quotes")
    reply.quotes = tuple(
        SaidQuote(part.n or number, part.region, part.quote)
        for number, raw in enumerate(quotes[:MOST_QUOTES] if isinstance(quotes, list) else [quotes], 1)
        for part in _each(_Quote, [raw], 1)
        if part.region in regions
    )
    reply.items = tuple(SaidItem(part.name, part.quote) for part in _each(_Item, written.get("items"), MOST_ITEMS))
    reply.computation = _computation(written.get("computation"))
    reply.missing = _lines(written.get("missing"), MOST_MISSING)
    reply.terms = _lines(written.get("terms"), MOST_TERMS)
    answer = written.get("answer")
    reply.answer = visible(answer)[:LONGEST_ANSWER].strip() if isinstance(answer, str) else ""
    reply.short = _short(written.get("short"))


def parse_terms(text: str) -> tuple[str, ...]:
    """The search terms of a `WIDEN` reply. Raises `MalformedReply`."""
    body = _THOUGHT.sub("", text[:LONGEST_REPLY])
    start = body.find("{")
    if start < 0:
        raise MalformedReply("there is none")
    written, _ = _object(body[start:])
    return _lines(written.get("terms"), MOST_TERMS)


def parse_verdict(text: str) -> dict[int, tuple[Fault, ...]]:
    """The faults that a `VERIFY` reply names, by the numbers of their sentences. Raises `MalformedReply`."""
    body = _THOUGHT.sub("", text[:LONGEST_REPLY])
    start = body.find("{")
    if start < 0:
        raise MalformedReply("there is none")
    written, cut = _object(body[start:])
    if cut or not isinstance(written.get("wrong"), list):
        raise MalformedReply("it does not say which sentences are wrong")
    found: dict[int, tuple[Fault, ...]] = {}
    for one in _each(_Fault, written["wrong"], MOST_FAULTS):
        reason = (one.reason or "").lower()
        fault = Fault(one.words or "", reason if reason in set(Reason) else Reason.MEANING.value)
        found[one.sentence] = (*found.get(one.sentence, ()), fault)
    return found


def _computation(raw: object) -> SaidComputation | None:
    if not isinstance(raw, dict):
        return None
    values = _each(_Operand, raw.get("values"), MOST_OPERANDS)
    parts = _each(_Computation, {**raw, "values": []}, 1)
    if not parts or not values:
        return None
    operands = tuple(Operand(one.id, one.name or one.id, one.value, one.quote) for one in values)
    return SaidComputation(operands, parts[0].expression, parts[0].unit)


def _short(raw: object) -> str | None:
    try:
        return said(raw)
    except ValueError:  # neither text nor a number
        return None


def _lines(raw: object, most: int) -> tuple[str, ...]:
    items = raw if isinstance(raw, list) else [raw]
    found = (said(item) for item in items[: 4 * most] if isinstance(item, str))
    return tuple(dict.fromkeys(item for item in found if item))[:most]


def _each(model: type[Any], raw: object, most: int) -> list[Any]:
    """Those parts of a list that fit a model; a bare object is a list of one."""
    items = [raw] if isinstance(raw, dict) else raw
    fitting = []
    for item in items[:most] if isinstance(items, list) else ():
        try:
            fitting.append(model.model_validate(item))
        except ValidationError:
            continue
    return fitting


def _object(text: str) -> tuple[dict[str, Any], bool]:
    """The JSON object that a text begins with, and whether it was cut off. Raises `MalformedReply`."""
    decoder = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
    try:
        value, _ = decoder.raw_decode(text)
        cut = False
    except (ValueError, RecursionError):
        try:
            value, _ = decoder.raw_decode(_closed(text))
            cut = True
        except (ValueError, RecursionError):
            raise MalformedReply("it breaks off or is no JSON") from None
    if not isinstance(value, dict):
        raise MalformedReply("it is no object")
    return value, cut


def _closed(text: str) -> str:
    """A JSON text that was cut off, up to its last whole member or, in the answer's string, up to where it was cut."""
    stack: list[str] = []
    string = escaped = False
    whole = 0
    closing = ""
    for at, char in enumerate(text):
        if string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                string = False
            continue
        if char == '"':
            string = True
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]":
            if not stack or stack.pop() != char:
                break
            whole, closing = at + 1, "".join(reversed(stack))
        elif char == "," and stack:
            whole, closing = at, "".join(reversed(stack))
    answer = ANSWER.search(text)
    if string and answer is not None and answer.end() >= whole:
        return BEGUN_ESCAPE.sub(r"\1", text) + '"' + "".join(reversed(stack))
    return text[:whole] + closing
