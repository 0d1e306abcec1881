"""What the reader may answer by itself: not lists, pairs or sums, and nothing in a language that it never read."""

import pytest

from lens_lsp.judge.reader.reader_oracle import columns_answer, in_english, one_answer, whole
from lens_lsp.model.observation import Region
from lens_lsp.model.text import Span


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where are ctrl-v pastes stored?", "a MongoDB Atlas instance"),
        ("Compress-Archive max file size", "2GB"),
        ("What happens when the pool is full?", "the call waits"),
        ("What does this flag do?", "it hides the tray"),
        ("Which class is deprecated?", "Spool"),
        ("How many notes may a folder hold?", "4096"),
        ("Which items are mandatory?", "name and type_code"),
        ("What are the two parts of a form?", "a cover sheet, a summary"),
    ],
)
def test_one_stretch_of_words_can_answer(question, answer):
    assert one_answer(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which items are mandatory?", "name"),
        ("What are the two parts of a form?", "a cover sheet"),
        ("List the members of the board", "Mara"),
        ("Which funders rejected me in 2022?", "the city"),
        ("What is the default for version 7 and for earlier ones?", "SHA256"),
        ("How many days are there between the two deadlines?", "15 days"),
        ("How much longer is the night train?", "two hours"),
        ("How many were there altogether?", "46"),
    ],
)
def test_what_asks_for_more_is_not_answered_by_one_stretch(question, answer):
    assert not one_answer(question, answer)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("Compress-Archive max file size", "The API limits the maximum file size to 2GB."),
        ("Who wrote Les Misérables?", "Les Misérables is by Victor Hugo."),
        ("winrm https port", "| 5986 | HTTPS |"),
        ("Where is die casting done?", "Die casting is done in hall 2."),
    ],
)
def test_english_is_told(question, passage):
    assert in_english(question, passage)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("清蒸鲈鱼 蒸 几分钟", "大火蒸 10 分钟"),
        ("How long is the fish steamed?", "大火蒸 10 分钟, dann 清蒸鲈鱼"),
        ("Wie lange dauert die Fahrt?", "Die Fahrt dauert zwei Stunden."),
        ("Quelle est la durée du trajet ?", "Le trajet dure deux heures."),
        ("¿Cuándo abre el museo?", "El museo abre a las diez."),
        ("Когда открывается музей?", "Музей открывается в десять."),
    ],
)
def test_other_languages_are_left_alone(question, passage):
    assert not in_english(question, passage)


@pytest.mark.parametrize(
    ("text", "marked", "answer"),
    [
        ("Run `microk8s.enable helm3` now.", "microk8s", "`microk8s.enable helm3`"),
        ("By default **SHA 256** is used.", "256", "**SHA 256**"),
        ("Either `one` or `two` does.", "one` or `two", "`one` or `two`"),
        ("The fee is 12 euros.", "12 euros", "12 euros"),
        ("A `b` here\nand c` there `d", "c", "c"),
        ("It is `x", "x", "x"),
    ],
)
def test_an_answer_takes_all_of_the_code_it_begins_or_ends_in(text, marked, answer):
    at = text.index(marked)
    found = whole(text, Span(at, at + len(marked)))
    assert text[found.start : found.end] == answer


@pytest.mark.parametrize(
    ("question", "row", "cells", "may"),
    [
        ("winrm https port", "| 5986 | HTTPS |", 2, True),
        ("Which port is the oldest?", "| 5986 | HTTPS |", 2, False),
        ("port of telnet", "| 5986 | HTTPS |", 2, False),
        ("winrm https port", "| 5986 | HTTPS | 2008 |", 3, False),
        ("Which port is the oldest?", "The port 5986 is for HTTPS.", 0, True),
    ],
)
def test_a_row_answers_where_no_column_is_needed(question, row, cells, may):
    units = (Span(0, 6), Span(7, 7 + len(row)))
    region = Region(1, "winrm.md", "winrm", ("WinRM",), "Port | Protocol", f"Ports.\n{row}", units, (0, cells))
    assert columns_answer(question, region, region.text.index("5986")) is may
