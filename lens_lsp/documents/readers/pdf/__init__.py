"""PDF: characters with boxes become pieces of lines, then columns, tables, paragraphs and headings."""

from lens_lsp.documents.readers.pdf.reader import PdfReader

__all__ = ["PdfReader"]
