"""Documents that open with a password: the same ones without it, made in the worker's memory for their readers.

PDFs are opened by pdfium. Office files need ``msoffcrypto-tool``, which the user installs: it brings a library of
cryptography, and most people have no such file.
"""

from __future__ import annotations

import ctypes
import io
from collections.abc import Sequence
from typing import Any

import pypdfium2.raw as pdfium

from lens_lsp.documents.frames import MOST_DATA
from lens_lsp.documents.kinds import Failure, Unextracted
from lens_lsp.documents.readers.office_package import OLE

_WITHOUT_SECURITY = 3
"""A flag of ``FPDF_SaveAsCopy``."""


def unlocked(data: bytes, passwords: Sequence[str]) -> bytes:
    """A document that the first of the passwords that fits opens, as it is without one.

    What stands in a line of JSON before a PDF stays there. Raises `Unextracted` where none fits.
    """
    if data.startswith(b"{"):
        said, line, document = data.partition(b"\n")
        return said + line + unlocked(document, passwords)
    opened = _office if data.startswith(OLE) else _pdf
    for password in passwords:
        found = opened(data, password)
        if found is not None:
            return found
    raise Unextracted(Failure.ENCRYPTED, "none of the passwords opens it")


def _pdf(data: bytes, password: str) -> bytes | None:
    # Old PDFs know Latin letters, newer ones Unicode.
    for encoding in ("utf-8",) if password.isascii() else ("utf-8", "cp1252"):
        document = pdfium.FPDF_LoadMemDocument64(data, len(data), password.encode(encoding, "replace"))
        if document:
            try:
                return _copied(document)
            finally:
                pdfium.FPDF_CloseDocument(document)
    return None


def _copied(document: Any) -> bytes:
    copy = bytearray()

    def write(_file: object, block: int, size: int) -> int:
        copy.extend(ctypes.string_at(block, size))
        return int(len(copy) <= MOST_DATA)

    to = pdfium.FPDF_FILEWRITE(version=1)
    to.WriteBlock = type(to.WriteBlock)(write)
    if not pdfium.FPDF_SaveAsCopy(document, to, _WITHOUT_SECURITY):
        raise Unextracted(Failure.TOO_LARGE, "it cannot be copied without its password")
    return bytes(copy)


def _office(data: bytes, password: str) -> bytes | None:
    try:
        import msoffcrypto
        from msoffcrypto.exceptions import DecryptionError, InvalidKeyError
    except ImportError:
        raise Unextracted(Failure.ENCRYPTED, "what opens it is not installed: pip install msoffcrypto-tool") from None
    copy = io.BytesIO()
    try:
        document = msoffcrypto.OfficeFile(io.BytesIO(data))
        document.load_key(password=password, verify_password=True)
        document.decrypt(copy)
    except (DecryptionError, InvalidKeyError):
        return None
    return copy.getvalue()
