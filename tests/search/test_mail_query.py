"""Questions that heads of mail answer, and those that they must not."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from lens_lsp.model.documents import Document
from lens_lsp.search.mail_query import MailQuery
from lens_lsp.search.record_query import TableAnswer
from lens_lsp.search.record_words import Question
from lens_lsp.search.records import Message, mail_of
from tests.search.test_records import read

Asks = Callable[[str], TableAnswer | None]
ANNA, BO, CY = "Anna Berg <anna@example.org>", "Bo Lind <bo@example.org>", "cy@example.net"


def written(sender: str, to: str, subject: str, date: str, body: str = "Hello.\n", file: str = "") -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"], message["Date"] = sender, to, subject, date
    message.set_content(body)
    if file:
        message.add_attachment(b"%PDF-", maintype="application", subtype="octet-stream", filename=file)
    return message.as_bytes()


@pytest.fixture(scope="module")
def mails(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Message, Document]]:
    folder: Path = tmp_path_factory.mktemp("mail")
    sent = [
        written(ANNA, BO, "The roof leaks", "Tue, 03 Mar 2020 09:00:00 +0000", file="roof.bin"),
        written(BO, ANNA, "Re: The roof leaks", "Wed, 04 Mar 2020 09:00:00 +0000"),
        written(ANNA, CY, "Budget for May", "Fri, 01 May 2020 09:00:00 +0000", "The tiles cost 300.\n"),
        written(ANNA, BO, "Garden party", "Sat, 02 May 2020 09:00:00 +0000"),
    ]
    found = []
    for number, data in enumerate(sent):
        (folder / f"{number}.eml").write_bytes(data)
        document = read(folder, f"{number}.eml")
        found += [(message, document) for message in mail_of(number, document)]
    return found


@pytest.fixture
def answer(mails: list[tuple[Message, Document]]) -> Asks:
    return lambda question: MailQuery(Question(question), mails).answer()


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Who sent the mail about the roof?", ANNA),
        ("Who replied to the mail about the roof?", BO),
        ("When did Anna Berg write about the budget?", "Fri, 01 May 2020 09:00:00 +0000"),
        ("What is the subject of Anna Berg's mail of 2 May 2020?", "Garden party"),
        ("How many mails did Anna Berg send in May 2020?", "2"),
        ("How many emails did Anna Berg send to Bo Lind?", "2"),
        ("Which file did Anna attach to her mail about the roof?", "roof.bin"),
        ("To whom did Anna Berg send the mail about the garden party?", BO),
        ("Who sent the message about the tiles?", ANNA),
    ],
)
def test_answers(answer: Asks, question: str, short: str) -> None:
    found = answer(question)
    assert found is not None
    assert found.short == short


@pytest.mark.parametrize(
    "question",
    [
        "When did Dora Hall write about the roof?",
        "Which file did Bo Lind attach to his mail about the roof?",
        "Who sent the mail about the cellar?",
        "Who sent the mail about the May party?",
        "Did Anna Berg write about the roof?",
        "How tall is the roof?",
    ],
)
def test_refuses(answer: Asks, question: str) -> None:
    assert answer(question) is None
