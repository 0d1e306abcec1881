"""Small documents made by hand: a PDF from its objects, a DOCX from its parts, a message from its headers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from email.message import EmailMessage
from xml.sax.saxutils import escape

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "application/vnd.openxmlformats-officedocument"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(*pages: Sequence[str]) -> bytes:
    """A PDF with these lines on each of its pages, in Helvetica."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        content = f"BT /F1 12 Tf 16 TL 72 720 Td {shown} ET".encode() if lines else b""
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return numbered(objects)


def numbered(objects: Sequence[bytes]) -> bytes:
    """A PDF of objects, of which the first is its catalog."""
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + trailer


def docx(*paragraphs: str) -> bytes:
    """A DOCX with these paragraphs."""
    run = '<w:p><w:r><w:t xml:space="preserve">{}</w:t></w:r></w:p>'
    body = "".join(run.format(escape(text)) for text in paragraphs)
    return zipped(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{_MAIN}.wordprocessingml.document.main+xml"/>'
            "</Types>",
            "_rels/.rels": _relations("word/document.xml"),
            "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
        }
    )


def mail(subject: str, date: str, body: str) -> bytes:
    """A message as a mail program saves it; ``date`` as in its header."""
    message = EmailMessage()
    message["From"], message["To"] = "a@example.org", "b@example.org"
    message["Subject"], message["Date"] = subject, date
    message.set_content(body)
    return message.as_bytes()


def zipped(parts: dict[str, str]) -> bytes:
    """An archive of some texts."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return held.getvalue()


def _relations(target: str) -> str:
    relation = f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="{target}"/>'
    return f'<Relationships xmlns="{_RELATIONS}">{relation}</Relationships>'
