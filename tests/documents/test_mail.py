"""Mail as it is kept: single messages and mailboxes of them."""

from __future__ import annotations

import base64
import json
from email.message import EmailMessage

import pytest

pytest.importorskip("lxml", reason="lens-lsp[documents] is not installed")

from lens_lsp.documents.frames import extracted_from, result_of
from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.mail import MailboxReader, MessageReader
from lens_lsp.model.documents import locator_text
from tests.documents.parts import kinds, place_of, read
from tests.documents.pdf_files import PageMaking, PdfMaking, text

SHOWN = (
    "Subject: The lamps\nFrom: Ann <ann@lamp.example>\nTo: Bob <bob@lamp.example>\nDate: Fri, 1 Mar 2024 23:30:00 -0500"
)
HEAD = f"{SHOWN}\n"


def message(body: str, head: str = HEAD) -> bytes:
    return f"{head}\n{body}".encode()


def paragraphs(data: bytes) -> list[str]:
    return [words for _, words in kinds(read(MessageReader(), data))][1:]


def multipart(kind: str, *parts: str) -> bytes:
    body = "".join(f"--x\n{part}\n" for part in parts)
    return message(f"{body}--x--\n", f'{HEAD}MIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary="x"\n')


def failure(reader: MessageReader | MailboxReader, data: bytes) -> Failure:
    with pytest.raises(Unextracted) as raised:
        reader.extract(data)
    return raised.value.failure


def test_the_head_is_metadata_and_the_subject_the_title() -> None:
    mail = read(MessageReader(), message("Dear Bob,\n\nthe lamps\nare lit.\n"))
    assert kinds(mail) == [("front-matter", SHOWN), ("paragraph", "Dear Bob,"), ("paragraph", "the lamps\nare lit.")]
    assert mail.structure.head.title == "The lamps"
    assert mail.structure.head.fields[:2] == (("subject", "The lamps"), ("from", "Ann <ann@lamp.example>"))
    assert [mail.text[field.span.start : field.span.end] for field in mail.structure.fields] == SHOWN.split("\n")


def test_the_fields_of_a_head_come_through_the_pipe() -> None:
    mail = read(MessageReader(), message("lit"))
    head, body = result_of(mail)
    assert extracted_from(json.loads(json.dumps(head)), body).structure == mail.structure


def test_all_of_a_message_was_sent_on_the_day_of_its_sender() -> None:
    assert place_of(read(MessageReader(), message("lit")), "lit") == {"message": 1, "date": "2024-03-01"}


@pytest.mark.parametrize("date", ["", "Date: soon\n", "Date: Fri, 99 Foo 2024 99:99:99 +9999\n"])
def test_without_a_date_there_is_still_a_place(date: str) -> None:
    assert place_of(read(MessageReader(), message("lit", f"Subject: x\n{date}")), "lit") == {"message": 1}


def test_encoded_headers_are_words() -> None:
    head = (
        "Subject: =?utf-8?B?R3LDvMOfZQ==?= =?iso-8859-1?Q?_aus_K=F6ln?=\nFrom: =?x-nothing?Q?Z=C3=BC?= <z@x.example>\n"
    )
    mail = read(MessageReader(), message("x", head))
    assert mail.structure.head.title == "Grüße aus Köln"
    assert "From: Zü <z@x.example>" in mail.text


def test_bytes_in_headers_that_should_be_encoded_are_read_as_utf_8() -> None:
    assert read(MessageReader(), message("x", "Subject: Grüße\n")).structure.head.title == "Grüße"


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable", b"Gr=FC=\n=DFe", "Grüße"),
        (
            "text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64",
            base64.b64encode("Да".encode("koi8-r")),
            "Да",
        ),
        ("text/plain; charset=no-such", "Grüße".encode(), "Grüße"),
        ("text/plain; charset=utf-8", b"Gr\xfc\xdfe", "Grüße"),
        ("text/plain; charset=unicode_escape", rb"a\x41", r"a\x41"),
        ("text/html; charset=utf-16le", "<p>Grüße</p>".encode("utf-16-le"), "Grüße"),
    ],
)
def test_bodies_of_every_encoding_are_read(head: str, body: bytes, text: str) -> None:
    if b"\0" in body:
        head, body = f"{head}\nContent-Transfer-Encoding: base64", base64.b64encode(body)
    assert paragraphs(f"Subject: x\nMIME-Version: 1.0\nContent-Type: {head}\n\n".encode() + body) == [text]


def test_of_two_ways_to_say_the_same_the_plain_one_is_read() -> None:
    html = "Content-Type: text/html\n\n<p>as <b>HTML</b></p>"
    assert paragraphs(multipart("alternative", html, "Content-Type: text/plain\n\nplainly")) == ["plainly"]
    assert paragraphs(multipart("alternative", "Content-Type: text/plain\n\n \n", html)) == ["as HTML"]


def test_html_alone_is_read_as_it_is_shown() -> None:
    page = "<style>p{}</style><div style='display:none'>preview</div><table><tr><td><div>One</div></table><p>Two"
    html = f"Content-Type: text/html\n\n{page}"
    assert paragraphs(multipart("mixed", html)) == ["One", "Two"]


def with_attachments() -> Extracted:
    data = EmailMessage()
    data["Subject"], data["Date"] = "x", "Fri, 1 Mar 2024 10:00:00 +0000"
    data.set_content("see below")
    data.add_attachment("häm\n\nmers".encode("cp1252"), maintype="text", subtype="plain", filename="Grüße.txt")
    data.add_attachment(b"\0", maintype="application", subtype="pdf", filename="b.pdf")
    data.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="c.png")
    page = PdfMaking([PageMaking(text("A page of nails.", 72, 80))]).written()
    data.add_attachment(page, maintype="application", subtype="octet-stream", filename="d.bin")
    inner = EmailMessage()
    inner["Subject"] = "forwarded"
    inner.set_content("words of old")
    data.add_attachment(inner)
    return read(MessageReader(), data.as_bytes())


def test_attachments_are_named_and_read_by_their_own_readers() -> None:
    mail = with_attachments()
    assert kinds(mail)[2:] == [
        ("paragraph", "Attached: Grüße.txt, b.pdf, c.png, d.bin, forwarded"),
        ("heading", "Attachment: Grüße.txt"),
        ("paragraph", "häm"),
        ("paragraph", "mers"),
        ("heading", "Attachment: d.bin"),
        ("paragraph", "A page of nails."),
        ("heading", "Attachment: forwarded"),
        ("paragraph", "Subject: forwarded"),
        ("paragraph", "words of old"),
    ]
    assert mail.structure.head.fields == (("subject", "x"), ("date", "Fri, 01 Mar 2024 10:00:00 +0000"))


def test_an_attachment_has_its_message_and_its_own_place() -> None:
    mail = with_attachments()
    sent = {"message": 1, "date": "2024-03-01"}
    assert place_of(mail, "see below") == sent
    assert place_of(mail, "mers") == {**sent, "attachment": "Grüße.txt"}
    assert place_of(mail, "A page of nails.") == {**sent, "attachment": "d.bin p. 1"}
    assert locator_text(place_of(mail, "A page of nails.")) == "2024-03-01, d.bin p. 1"


def test_attachments_that_cannot_be_read_are_named_and_pictures_counted() -> None:
    mail = with_attachments()
    assert mail.notices == ("attachment b.pdf: not read, it is damaged",)
    assert mail.cut
    assert mail.pictures == 1


def test_mail_in_mail_is_read_three_deep_and_then_named() -> None:
    data = EmailMessage()
    data["Subject"] = "innermost"
    data.set_content("the bottom")
    for depth in range(6):
        outer = EmailMessage()
        outer["Subject"] = f"level {depth}"
        outer.set_content("on the way")
        outer.add_attachment(data)
        data = outer
    mail = read(MessageReader(), data.as_bytes())
    assert mail.text.count("on the way") == 4
    assert "the bottom" not in mail.text
    assert mail.notices[-1].endswith("not read, it is a document in a document in a document")


def test_lines_that_flow_are_joined() -> None:
    head = HEAD + "MIME-Version: 1.0\nContent-Type: text/plain; format=flowed\n"
    assert paragraphs(message("The lamps \nare lit.\n-- \nAnn", head)) == ["The lamps are lit.\n--\nAnn"]


@pytest.mark.parametrize("data", [b"", b"no message at all", b"\0" * 1000, b"PK\x03\x04", b"a: b\n\nc"])
def test_what_is_no_message_is_broken(data: bytes) -> None:
    assert failure(MessageReader(), data) is Failure.BROKEN


def test_a_message_without_a_body_has_its_head() -> None:
    assert read(MessageReader(), HEAD.encode()).text == SHOWN


def test_parts_within_parts_without_end_are_read_so_far() -> None:
    deep = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(60))
    mail = read(MessageReader(), f"Subject: deep\n{deep}Content-Type: text/plain\n\nbottom".encode())
    assert "Subject: deep" in mail.text


def mailbox() -> Extracted:
    first = b"From ann@lamp.example Fri Mar  1 23:30:00 2024\n" + message("From here it is dark.\n>From the tower.\n\n")
    second = (
        b"From - Sat Mar  2 08:00:00 2024\r\nSubject: Re: The lamps\r\n"
        b"Date: Sat, 2 Mar 2024 08:00:00 +0100\r\n\r\nLit.\r\n"
    )
    return read(MailboxReader(), first + second)


def test_each_message_of_a_mailbox_stands_under_its_subject_with_its_number_and_day() -> None:
    box = mailbox()
    assert [heading.text for heading in box.structure.headings] == ["The lamps", "Re: The lamps"]
    assert place_of(box, "From here it is dark.") == {"message": 1, "date": "2024-03-01"}
    assert place_of(box, "Lit.") == {"message": 2, "date": "2024-03-02"}


def test_a_line_that_a_mailbox_had_to_change_is_as_it_was_written() -> None:
    assert "\nFrom the tower." in mailbox().text


def test_what_cannot_be_read_in_a_mailbox_is_counted() -> None:
    data = b"From a Fri Mar  1 23:30:00 2024\n\0\0\0\nFrom b Fri Mar  1 23:30:00 2024\nSubject: x\n\nLit.\n"
    box = read(MailboxReader(), data)
    assert box.notices == ("messages that could not be read: 1",)
    assert place_of(box, "Lit.") == {"message": 2}


@pytest.mark.parametrize("data", [b"", b"Subject: x\n\ny", b"From the beginning it was dark.\n"])
def test_what_is_no_mailbox_is_broken(data: bytes) -> None:
    assert failure(MailboxReader(), data) is Failure.BROKEN
