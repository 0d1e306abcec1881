"""Messages of Outlook's: head, words, attachments and messages within, and what is damaged."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import Extracted, Unextracted, kind_named
from tests.documents.outlook_files import Folder, container, properties, words
from tests.documents.pdf_files import PageMaking, PdfMaking, text

FILES = Path(__file__).parent / "outlook"
SENT = 133_000_000_000 * 10**6
"""2022-06-18, in tenths of microseconds from 1601 on."""


def read(extractor: Extractor, data: bytes) -> Extracted:
    return extractor.extract(kind_named("msg"), data, seconds=20)


def message(head: int, subject: str, body: str, **more: bytes | Folder) -> dict[str, bytes | Folder]:
    said = words(p001A="IPM.Note", p0037=subject, p1000=body, p0C1A="Ann", p5D01="ann@harbour.test", p0E04="Ben; Cay")
    return {**properties(head, p00390040=SENT, p00360003=2), **said, **more}


def attached(name: str, data: bytes) -> Folder:
    return {**properties(8, p37050003=1), **words(p3707=name), "__substg1.0_37010102": data}


def test_a_message_is_read_as_mail_is(extractor: Extractor) -> None:
    found = read(extractor, container(message(32, "The crane", "It lifts forty tonnes.\r\n\r\nNobody rows at night.")))
    head, first, second = found.text.split("\n\n")
    assert head.splitlines() == [
        "Subject: The crane", "From: Ann <ann@harbour.test>", "To: Ben; Cay", "Date: Sat, 18 Jun 2022 04:26:40 +0000"
    ]  # fmt: skip
    assert (first, second) == ("It lifts forty tonnes.", "Nobody rows at night.")
    assert found.locators.locators[0] == {"message": 1, "date": "2022-06-18"}
    assert found.structure.head.title == "The crane"
    assert found.private == "Sensitivity: Private"


def test_what_is_attached_is_read_and_messages_within(extractor: Extractor) -> None:
    """A PDF of more bytes than a small stream has, a text, a picture, and a message with a message in it."""
    paper = PdfMaking([PageMaking(text("The rent is 940 euros.", 60, 60))] * 20).written()
    inner = message(24, "Inner", "Words within.", **{"__attach_version1.0_#00000000": {
        **properties(8, p37050003=5), "__substg1.0_3701000D": message(24, "Innermost", "Deep words."),
    }})  # fmt: skip
    found = read(extractor, container(message(32, "Outer", "See below.", **{
        "__attach_version1.0_#00000000": attached("paper.pdf", paper),
        "__attach_version1.0_#00000001": attached("list.txt", b"seven anchors"),
        "__attach_version1.0_#00000002": attached("lamp.png", b"\x89PNG"),
        "__attach_version1.0_#00000003": {**properties(8, p37050003=5), "__substg1.0_3701000D": inner},
        "__attach_version1.0_#00000004": attached("old.doc", b"\xd0\xcf"),
    })))  # fmt: skip
    assert len(paper) > 4096
    assert "Attached: paper.pdf, list.txt, lamp.png, Inner, old.doc" in found.text
    for said in ("The rent is 940 euros.", "seven anchors", "Words within.", "Deep words."):
        assert said in found.text
    assert found.pictures == 1
    assert found.notices == ("attachment old.doc: not read, no reader knows its kind; save it as .docx",)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("code-page-1251", "Subject: Subject автоматически Subject\n\nBody автоматически Body"),
        ("html-1251", "HTML автоматически"),
        ("mislabelled", "Body öäü Body"),
    ],
)
def test_files_of_other_programs(extractor: Extractor, name: str, said: str) -> None:
    assert said in read(extractor, (FILES / f"{name}.msg").read_bytes()).text


def test_words_that_are_packed_are_unpacked(extractor: Extractor) -> None:
    """The example of the format's own description, and one that repeats itself."""
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af3206865 6c090020627705b06c647d0a800fa0"
    )
    said = {**properties(32), **words(p001A="IPM.Note", p0037="Packed"), "__substg1.0_10090102": packed}
    assert "hello world" in read(extractor, container(said)).text


def test_an_item_that_is_no_message_says_what_was_left_out(extractor: Extractor) -> None:
    said = {**properties(32), **words(p001A="IPM.Contact", p0037="Ann", p1000="Met at the harbour.")}
    assert read(extractor, container(said)).notices == ("fields of its own that an item IPM.Contact has were not read",)


def test_what_is_damaged_ends_and_says_so(extractor: Extractor) -> None:
    """Cut short, with sectors in circles, and with bytes turned over by chance: a text or a reason, in time."""
    whole = container(message(32, "The crane", "It lifts forty tonnes.", **{
        "__attach_version1.0_#00000000": attached("list.txt", b"seven anchors" * 999)
    }))  # fmt: skip
    chance = random.Random(30)
    circles = whole[:-512] + struct.pack("<128I", *[5] * 128)
    hurt = [whole[:cut] for cut in (0, 8, 511, 512, 1024, len(whole) // 2)] + [circles]
    for _ in range(60):
        torn = bytearray(whole)
        for _ in range(8):
            torn[chance.randrange(len(torn))] = chance.randrange(256)
        hurt.append(bytes(torn))
    refused = 0
    for data in hurt:
        try:
            read(extractor, data)
        except Unextracted as why:
            refused += 1
            assert why.failure in ("broken", "empty"), why  # noqa: PT017 - either is right
    assert refused >= 6
    assert extractor.started <= 2
