"""Documents with a password: opened in the worker by the one that fits, and named as encrypted otherwise."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import UNLOCKING, Failure, Unextracted, installed, kind_for
from tests.availability import unavailable
from tests.documents.pdf_files import PageMaking, PdfMaking, text

SAMPLES = Path(__file__).parent / "samples"


def opened(name: str, data: bytes, *passwords: str) -> str:
    """The text of a document, by these passwords."""
    kind = kind_for(name)
    assert kind is not None
    with Extractor() as extractor:
        extractor.passwords = passwords
        found = extractor.extract(kind, data, seconds=20)
        assert found.unlocked
        return found.text


def refused(name: str, data: bytes, *passwords: str) -> str:
    """Why it does not open."""
    with pytest.raises(Unextracted) as refusal:
        opened(name, data, *passwords)
    assert refusal.value.failure is Failure.ENCRYPTED
    assert all(password not in str(refusal.value) for password in passwords)
    return str(refusal.value)


@pytest.mark.usefixtures("extractor")
def test_a_pdf_opens_with_the_password_that_fits() -> None:
    data = PdfMaking([PageMaking(text("Nine hundred coins.", 60, 60))] * 2, password="hunter2").written()
    assert opened("a.pdf", data, "other", "hunter2") == "Nine hundred coins.\n\nNine hundred coins."
    refused("a.pdf", data)
    refused("a.pdf", data, "hunter", "hunter22")


@pytest.mark.usefixtures("extractor")
@pytest.mark.parametrize("name", ["docx/doctor-who.docx", "xlsx/elements.xlsx"])
def test_an_office_file_opens_where_what_opens_it_is_installed(name: str) -> None:
    if installed(UNLOCKING) is None:
        unavailable("passwords", f"{UNLOCKING.distribution} is not installed")
    from msoffcrypto.format.ooxml import OOXMLFile

    plain, locked = (SAMPLES / name).read_bytes(), io.BytesIO()
    OOXMLFile(io.BytesIO(plain)).encrypt("hunter2", locked)
    kind = kind_for(name)
    assert kind is not None
    with Extractor() as extractor:
        assert opened(name, locked.getvalue(), "other", "hunter2") == extractor.extract(kind, plain, seconds=20).text
    refused(name, locked.getvalue(), "other")


@pytest.mark.usefixtures("extractor")
def test_without_it_the_office_file_is_named_with_what_to_install() -> None:
    if installed(UNLOCKING) is not None:
        unavailable("passwords", f"{UNLOCKING.distribution} is installed")
    container = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000) + "EncryptedPackage".encode("utf-16-le")
    assert "pip install msoffcrypto-tool" in refused("a.docx", container, "hunter2")
