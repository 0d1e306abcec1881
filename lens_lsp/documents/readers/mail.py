"""Readers of mail: one message (EML), or a mailbox (MBOX) of them, each with its number and the day it was sent.

What a person reads is read: who wrote to whom, when and about what, the words, and what is attached, by the readers
of its kinds.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import Header, decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import partial

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.attachments import Attachments
from lens_lsp.documents.readers.composer import TextComposer, on_one_line
from lens_lsp.documents.readers.hypertext import compose, root_of_html
from lens_lsp.model.documents import BlockKind, Head, Locator
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import of_metadata, sensitive

_SHOWN = ("from", "sender", "reply-to", "to", "cc", "bcc", "date")
_MOST_OF_HEADER = 1000
"""Code points; mail to a thousand people names the first of them."""
_FROM = regex(rb"^From [^\r\n]*\d:\d\d[^\r\n]*\r?\n", re.MULTILINE)
"""The line that begins a message in a mailbox; a sentence that begins with the word tells no time."""
_ESCAPED_FROM = regex(rb"^>(>*From )", re.MULTILINE)
_PARAGRAPHS = regex(r"\n[ \t]*\n")
_KEYS = {"subject", "from", "to", "date", "received", "message-id", "mime-version", "return-path", "content-type"}
_DEEPEST = 50
_MESSAGE = "message/rfc822"


class MessageReader:
    """One message. Its head is its metadata. ``depth`` is how deep it is attached to other documents itself."""

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth

    def extract(self, data: bytes) -> Extracted:
        """Head, words and attachments; raises `Unextracted` for what is no message."""
        return self.extract_parsed(_parsed(_FROM.sub(b"", data, count=1) if data.startswith(b"From ") else data))

    def extract_parsed(self, message: Message) -> Extracted:
        """The same of a message that another one holds; raises `Unextracted` for one without a head."""
        composer = TextComposer()
        _refuse_headless(message)
        subject = _header(message, "subject")
        composer.place(_place(message, 1))
        composer.block(BlockKind.FRONT_MATTER, "\n".join(_lines_of_head(message, ("subject", *_SHOWN))))
        attachments = Attachments(composer, self._depth)
        _compose(message, composer, attachments, _place(message, 1), 1)
        found = composer.extracted(Head(title=on_one_line(subject) or None), attachments.notices)
        return replace(found, private=_private(message) or attachments.private, pictures=attachments.pictures)


class MailboxReader:
    """A mailbox in one file. Each message stands under its subject as a heading. ``depth`` as for a message."""

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth

    def extract(self, data: bytes) -> Extracted:
        """All messages in order; raises `Unextracted` for what is no mailbox."""
        composer = TextComposer()
        if not _FROM.match(data):
            raise Unextracted(Failure.BROKEN, "it is no mailbox")
        attachments = Attachments(composer, self._depth)
        unread, private = 0, None
        for number, written in enumerate(_messages(data), start=1):
            if composer.full:
                break
            try:
                message = _parsed(written)
            except Unextracted:
                unread += 1
                continue
            private = private or _private(message)
            composer.place(_place(message, number))
            composer.heading(_header(message, "subject") or "(no subject)", 1)
            composer.paragraph("\n".join(_lines_of_head(message, _SHOWN)))
            _compose(message, composer, attachments, _place(message, number), 2)
        notices = [*([f"messages that could not be read: {unread}"] if unread else ()), *attachments.notices]
        private = private or attachments.private
        return replace(composer.extracted(notices=notices), private=private, pictures=attachments.pictures)


def _messages(data: bytes) -> Iterator[bytes]:
    """The messages as they were before they were put into the mailbox."""
    starts = [(found.start(), found.end()) for found in _FROM.finditer(data)]
    ends = [start for start, _ in starts[1:]] + [len(data)]
    for (_, start), end in zip(starts, ends, strict=True):
        yield _ESCAPED_FROM.sub(rb"\1", data[start:end])


def _parsed(data: bytes) -> Message:
    message = message_from_bytes(data, policy=policy.compat32)
    _refuse_headless(message)
    return message


def _refuse_headless(message: Message) -> None:
    if not any(key.lower() in _KEYS for key in message):
        raise Unextracted(Failure.BROKEN, "it is no message")


def _compose(message: Message, composer: TextComposer, attachments: Attachments, place: Locator, level: int) -> None:
    """The words of a message and what is attached, under headings of a level."""
    attached: list[tuple[str, Message]] = []
    for part in _bodies(message, attached):
        text = _decoded(part)
        if part.get_content_type() == "text/html":
            root = root_of_html(text.encode("utf-8", "replace"))
            if root is not None:
                compose(root, composer)
        else:
            for paragraph in _PARAGRAPHS.split(_unwrapped(text) if _flows(part) else text):
                composer.paragraph(paragraph)
    if attached:
        composer.paragraph("Attached: " + ", ".join(name for name, _ in attached))
    for name, part in attached:
        kind = part.get_content_type()
        inner = _inner(part)
        payload = part.get_payload(decode=True)
        data = _decoded(part).encode("utf-8", "replace") if kind.startswith("text/") else payload
        attachments.read(
            name,
            data if isinstance(data, bytes) else b"",
            place,
            level,
            kind,
            None if inner is None or kind != _MESSAGE else partial(_of_inner, inner),
        )


def _of_inner(message: Message, depth: int) -> Extracted:
    return MessageReader(depth).extract_parsed(message)


def _inner(part: Message) -> Message | None:
    """The message that a part holds whole."""
    below = part.get_payload()
    inner = below[0] if isinstance(below, list) and below else None
    return inner if isinstance(inner, Message) else None


def _name_of(part: Message, name: str, kind: str) -> str:
    """The name of an attachment; a message without one is called by its subject."""
    inner = _inner(part)
    return name or (_header(inner, "subject") if kind == _MESSAGE and inner is not None else "") or kind


def _bodies(part: Message, attached: list[tuple[str, Message]], depth: int = 0) -> list[Message]:
    """The parts to be read, of several ways to say the same the plainest; others are added to ``attached``."""
    kind, name = part.get_content_type(), _file_name(part)
    if name or part.get_content_disposition() == "attachment" or kind == _MESSAGE:
        attached.append((_name_of(part, name, kind), part))
        return []
    if part.is_multipart() and depth < _DEEPEST:
        ways = [_bodies(below, attached, depth + 1) for below in part.get_payload() if isinstance(below, Message)]
        if kind != "multipart/alternative":
            return [body for way in ways for body in way]
        said = [way for way in ways if any(_decoded(body).strip() for body in way)]
        plain = [way for way in said if way[0].get_content_type() == "text/plain"]
        return next(iter(plain or said), [])
    return [part] if kind in ("text/plain", "text/html") else []


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    for encoding in (part.get_content_charset(), "utf-8"):
        if encoding and _is_text_encoding(encoding):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                continue
    return data.decode("cp1252", "replace")


def _is_text_encoding(name: str) -> bool:
    """Whether it is an encoding of the world's mail and not one of Python's own tricks."""
    try:
        found = codecs.lookup(name).name.replace("-", "_")
    except (LookupError, ValueError):
        return False
    return found not in {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "rot13"}


def _flows(part: Message) -> bool:
    return str(part.get_param("format", "")).lower() == "flowed"


def _unwrapped(text: str) -> str:
    """Lines that end in a blank go on in the next one (RFC 3676)."""
    joined: list[str] = []
    goes_on = False
    for line in text.splitlines():
        said = line.removeprefix(" ")
        if goes_on and joined:
            joined[-1] += said
        else:
            joined.append(said)
        goes_on = line.endswith(" ") and line != "-- "
    return "\n".join(joined)


def _header(message: Message, name: str) -> str:
    """A header's words on one line, empty when there is none."""
    value = message.get(name)
    return "" if value is None else _plain(value)


def _plain(value: Header | str) -> str:
    """The words of a header or of a file's name, which may be encoded (RFC 2047)."""
    words = []
    try:
        for part, encoding in decode_header(value):
            if isinstance(part, str):
                words.append(part)
            elif encoding and encoding != "unknown-8bit" and _is_text_encoding(encoding):
                words.append(part.decode(encoding, "replace"))
            else:
                words.append(part.decode("utf-8", "replace"))
    except (MessageError, ValueError):
        words = [str(value)]
    return on_one_line("".join(words))


def _private(message: Message) -> str | None:
    """How the header says ``lens: private``, or that the message is private as mail programs say it."""
    pairs = [(name, _plain(value)) for name, value in message.items() if name.lower() not in _KEYS]
    said = of_metadata(pairs)
    marked = (f"{name}: {value}" for name, value in pairs if name.lower() == "sensitivity" and sensitive(value))
    return said or next(marked, None)


def _lines_of_head(message: Message, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        value = _header(message, name)
        if len(value) > _MOST_OF_HEADER:
            value = value[:_MOST_OF_HEADER] + " …"
        if value:
            yield f"{name.title()}: {value}"


def _place(message: Message, number: int) -> Locator:
    sent = _sent(message)
    return {"message": number, "date": f"{sent:%Y-%m-%d}"} if sent else {"message": number}


def _sent(message: Message) -> datetime | None:
    """When it says it was sent, by the sender's clock."""
    try:
        return parsedate_to_datetime(_header(message, "date"))
    except (TypeError, ValueError, OverflowError):
        return None


def _file_name(part: Message) -> str:
    try:
        return _plain(part.get_filename() or "")
    except (LookupError, TypeError, ValueError):
        return ""
