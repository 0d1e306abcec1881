"""What stands on a PDF page beside its text, and what is attached."""

from __future__ import annotations

import re

from lens_lsp.documents.kinds import Extracted
from lens_lsp.documents.readers.pdf import PdfReader
from lens_lsp.model.documents import locator_text
from tests.documents.parts import check, place_of
from tests.documents.pdf_files import HEIGHT, PageMaking, PdfMaking, stream, text

BOX = "/Rect [100 650 300 670]"


def read(annotations: str, *more: str, content: str = "", catalog: str = "", before: int = 0) -> Extracted:
    """A document whose last page has the annotations; ``N1`` stands for the first further object, and so on."""
    pages = [PageMaking(text("Another page.", 72, 80))] * before
    making = PdfMaking([*pages, PageMaking(content, annotations=annotations)])

    def numbered(words: str) -> str:
        return re.sub(r"\bN(\d)\b", lambda found: f"{making.first_more - 1 + int(found[1])} 0 R", words)

    page = PageMaking(content, annotations=numbered(annotations))
    made = PdfMaking([*pages, page], catalog=numbered(catalog), more=[numbered(each) for each in more])
    found = PdfReader().extract(made.written())
    check(found)
    return found


def form(*fields: str, content: str = "", before: int = 0) -> Extracted:
    names = " ".join(f"N{at}" for at in range(1, len(fields) + 1))
    widgets = [f"<< /Type /Annot /Subtype /Widget {field} >>" for field in fields]
    return read(names, *widgets, content=content, before=before, catalog=f"/AcroForm << /Fields [{names}] >>")


def test_a_field_has_the_name_that_its_form_gives_it_and_the_page_it_stands_on():
    found = form(f"{BOX} /FT /Tx /T (f1_02) /TU (Name of the owner) /V (Ann Smith)", before=1)
    assert found.text.endswith("Form field Name of the owner: Ann Smith")
    assert place_of(found, "Ann Smith") == {"page": 2}


def test_a_field_without_a_name_for_people_has_the_text_beside_or_above_it():
    beside = text("Surname:", 40, HEIGHT - 655) + text("Far away", 40, 100)
    above = text("Date of birth", 100, HEIGHT - 672)
    assert "Form field Surname: Smith" in form(f"{BOX} /FT /Tx /T (x) /V (Smith)", content=beside).text
    assert "Form field Date of birth: 1 May" in form(f"{BOX} /FT /Tx /T (x) /V (1 May)", content=above).text
    assert form(f"{BOX} /FT /Tx /T (owner) /V (Smith)").text == "Form field owner: Smith"


def test_ticked_boxes_and_choices_are_told_and_empty_hidden_and_secret_fields_are_not():
    found = form(
        "/Rect [100 700 110 710] /FT /Btn /T (a) /TU (Married) /V /Yes /AS /Yes /AP << /N << /Yes 4 0 R >> >>",
        "/Rect [100 690 110 699] /FT /Btn /T (b) /TU (Single) /V /Off /AS /Off /AP << /N << /Yes 4 0 R >> >>",
        f"{BOX} /FT /Ch /Ff 131072 /T (c) /TU (Country) /V (FI) /Opt [[(SE) (Sweden)] [(FI) (Finland)]]",
        f"{BOX} /FT /Tx /T (d) /TU (Empty) /V ()",
        f"{BOX} /FT /Tx /Ff 8192 /T (e) /TU (Password) /V (hunter2)",
        f"{BOX} /FT /Tx /F 2 /T (f) /TU (Hidden) /V (unseen)",
    )
    assert found.text.split("\n\n") == ["Form field Married: checked", "Form field Country: Finland (FI)"]


def test_comments_say_who_wrote_them_and_what_they_mark():
    page = text("Pay within ten days.", 100, HEIGHT - 655)
    quad = "/QuadPoints [100 668 220 668 100 652 220 652]"
    found = read(
        f"<< /Type /Annot /Subtype /Highlight {BOX} {quad} /T (Ann) /Contents (Too short.) >>"
        " << /Type /Annot /Subtype /Text /Rect [10 600 20 610] /Contents (Ask Bo\\nfirst.) >>"
        " << /Type /Annot /Subtype /FreeText /Rect [10 500 90 510] /T (Bo) /Contents (Typed in.) >>"
        " << /Type /Annot /Subtype /Stamp /Rect [10 400 90 410] /Name /Approved >>"
        " << /Type /Annot /Subtype /Popup /Rect [10 300 90 310] /Contents (again) >>"
        " << /Type /Annot /Subtype /Text /F 2 /Rect [10 200 20 210] /Contents (hidden) >>",
        content=page,
    )
    assert found.text.split("\n\n") == [
        "Pay within ten days.",
        "Comment (Ann) on “Pay within ten days.”: Too short.",
        "Comment: Ask Bo first.",
        "Added text (Bo): Typed in.",
        "Stamp: Approved",
    ]


def test_films_and_forms_made_by_programs_are_named():
    film = read(f"<< /Type /Annot /Subtype /RichMedia {BOX} >>", content=text("A page.", 72, 80))
    assert film.notices == ("page 1: a film, a sound or a model was not read",)
    assert film.cut


ATTACHED = "/Names << /EmbeddedFiles << /Names [(a) N1] >> >>"


def attached(name: str, content: str, annotations: str = "", catalog: str = ATTACHED) -> Extracted:
    """A page with a file attached to the document, or to the page where an annotation names it."""
    return read(
        annotations,
        f"<< /Type /Filespec /F ({name}) /UF ({name}) /EF << /F N2 >> >>",
        stream(content, f"/Type /EmbeddedFile /Params << /Size {len(content)} >>"),
        content=text("See the attachment.", 72, 80),
        catalog=catalog,
    )


def test_an_attached_document_is_read_by_its_own_reader_behind_the_text():
    inner = PdfMaking([PageMaking(text("The inner page.", 72, 80))]).written().decode("cp1252")
    found = attached("inner.pdf", inner)
    assert "Attached: inner.pdf\n\nAttachment: inner.pdf\n\nThe inner page." in found.text
    place = place_of(found, "The inner page.")
    assert place == {"attachment": "inner.pdf p. 1"}
    assert locator_text(place) == "inner.pdf p. 1"
    assert place_of(found, "See the attachment.") == {"page": 1}


def test_a_file_attached_to_a_page_says_on_which():
    annotation = f"<< /Type /Annot /Subtype /FileAttachment {BOX} /FS N1 /Contents (the list) >>"
    found = attached("list.txt", "Hammers: 12", annotation, catalog="")
    assert "Comment: the list" in found.text
    assert place_of(found, "Hammers: 12") == {"page": 1, "attachment": "list.txt"}
    assert locator_text(place_of(found, "Hammers: 12")) == "p. 1, list.txt"


def test_what_cannot_be_read_of_the_attachments_is_named():
    assert attached("data.bin", "123").notices == ("attachment data.bin: not read, no reader knows its kind",)
    old = attached("letter.doc", "123").notices
    assert old == ("attachment letter.doc: not read, no reader knows its kind; save it as .docx",)
    assert attached("x.pdf", "%PDF-1.4 nothing").notices == ("attachment x.pdf: not read, it is damaged",)
    locked = PdfMaking([PageMaking()], locked=True).written().decode("cp1252")
    assert attached("x.pdf", locked).notices == ("attachment x.pdf: not read, it opens with a password only",)
    assert attached("photo.png", "123").pictures == 1


def test_documents_in_documents_are_read_three_deep():
    data = PdfMaking([PageMaking(text("Deepest.", 72, 80))]).written()
    for _ in range(4):
        data = PdfMaking(
            [PageMaking(text("Around it.", 72, 80))],
            catalog=ATTACHED.replace("N1", "9 0 R"),
            more=[
                "<< /Type /Filespec /F (in.pdf) /UF (in.pdf) /EF << /F 10 0 R >> >>",
                stream(data.decode("cp1252"), "/Type /EmbeddedFile"),
            ],
        ).written()
    found = PdfReader().extract(data)
    assert found.text.count("Around it.") == 4
    assert any("a document in a document" in notice for notice in found.notices)
    assert found.cut
