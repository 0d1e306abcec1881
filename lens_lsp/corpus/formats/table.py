"""Which reader a file name gets. One table; adding a format is one line here and one class beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from lens_lsp.corpus.formats import code
from lens_lsp.corpus.formats.base import Reader
from lens_lsp.corpus.formats.data import IniReader, JsonLinesReader, JsonReader, TomlReader, YamlReader
from lens_lsp.corpus.formats.html import HtmlReader, XmlReader
from lens_lsp.corpus.formats.latex import LatexReader
from lens_lsp.corpus.formats.markdown import MarkdownReader
from lens_lsp.corpus.formats.markup import AsciiDocReader, OrgReader, RestructuredTextReader
from lens_lsp.corpus.formats.notebook import NotebookReader
from lens_lsp.corpus.formats.plain import PlainReader
from lens_lsp.corpus.formats.tables import TableReader
from lens_lsp.documents.kinds import KINDS

_FORMATS: tuple[tuple[str, Callable[[], Reader]], ...] = (
    ("md markdown mdown mkd mkdn mdwn mdx rmd qmd", MarkdownReader),
    ("rst rest", RestructuredTextReader),
    ("adoc asciidoc asc", AsciiDocReader),
    ("org", OrgReader),
    ("html htm xhtml shtml", HtmlReader),
    ("xml xsd xsl xslt svg rss atom opml plist wsdl xaml csproj vcxproj resx kml gpx xlf", XmlReader),
    ("tex latex ltx sty cls", LatexReader),
    ("ipynb", NotebookReader),
    ("csv", TableReader),
    ("tsv tab", partial(TableReader, "\t")),
    ("psv", partial(TableReader, "|")),
    ("json json5 jsonc geojson webmanifest topojson avsc", JsonReader),
    ("jsonl ndjson", JsonLinesReader),
    ("yaml yml", YamlReader),
    ("toml", TomlReader),
    ("ini cfg properties editorconfig desktop service", IniReader),
    ("py pyi pyw pyx", partial(code.CodeReader, code.PYTHON)),
    ("js mjs cjs jsx ts tsx mts cts vue svelte", partial(code.CodeReader, code.SCRIPT)),
    (
        "c h cc hh cpp hpp cxx hxx c++ h++ ino java cs m mm glsl hlsl cu cuh proto dart groovy zig v sv",
        partial(code.CodeReader, code.C_FAMILY),
    ),
    ("go", partial(code.CodeReader, code.GO)),
    ("rs", partial(code.CodeReader, code.RUST)),
    ("kt kts swift scala sc", partial(code.CodeReader, code.KOTLIN)),
    ("php phtml", partial(code.CodeReader, code.PHP)),
    ("rb rake gemspec", partial(code.CodeReader, code.RUBY)),
    ("sh bash zsh fish ksh", partial(code.CodeReader, code.SHELL)),
    ("lua", partial(code.CodeReader, code.LUA)),
    ("sql", partial(code.CodeReader, code.SQL)),
    ("pl pm r jl ex exs tcl nim cmake ps1 psm1 coffee cr", partial(code.CodeReader, code.HASH)),
    ("lisp lsp cl el clj cljs scm rkt", partial(code.CodeReader, code.LISP)),
    ("hs elm vhd vhdl ada adb ads", partial(code.CodeReader, code.DASHED)),
)

_BINARY_SUFFIXES = """
png jpg jpeg jpe gif bmp tif tiff webp ico icns heic heif avif psd xcf raw cr2 nef dng jp2 tga dds
zip gz tgz bz2 tbz2 xz txz zst lz4 lzma 7z rar tar jar war ear whl egg deb rpm apk ipa dmg iso cab
msi mp3 m4a aac ogg oga opus flac wav wma aif aiff mid midi amr mp4 m4v mov avi mkv webm wmv flv
mpg mpeg 3gp ogv exe dll so dylib o obj lib a pyc pyo pyd class wasm dex bin elf sys node vsix ttf
otf woff woff2 eot pfb sqlite sqlite3 db db3 mdb accdb parquet feather arrow avro orc h5 hdf5 npy
npz pkl pickle mat rds doc dot ppt odg mobi azw azw3 pages numbers djvu ps eps ai sketch fig indd
onnx pt pth safetensors gguf blend stl glb swf
"""
_BINARY = frozenset(_BINARY_SUFFIXES.split())
_DOCUMENTS = frozenset(suffix for kind in KINDS for suffix in kind.suffixes)
_PLAIN = frozenset({"txt", "text", "log"})

FORMAT_SUFFIXES = frozenset(
    suffix
    for suffix in (*_PLAIN, *_BINARY, *_DOCUMENTS, *(suffix for names, _ in _FORMATS for suffix in names.split()))
    if len(suffix) > 1
)
"""Suffixes, in lower case, that say only the format. Not single letters: those end names."""


def reader_for(name: str) -> Reader | None:
    """The reader for a file of this name, ``None`` when it is no text: a document, or what nobody reads.

    The suffix decides, in any case. A name without one or with an unknown one is plain text: article names
    hold dots (``U.S._Bancorp``). So is one that ends in a single capital, an initial (``Washington,_D.C``).
    """
    suffix = name.rpartition(".")[2] if "." in name else ""
    if len(suffix) == 1 and suffix.isupper():
        return _reader("")
    suffix = suffix.lower()
    return None if suffix in _BINARY or suffix in _DOCUMENTS else _reader(suffix if suffix in _makers() else "")


def readers() -> Iterator[Reader]:
    """One reader of each kind, for listings and tests."""
    yield _reader("")
    for suffixes, _ in _FORMATS:
        yield _reader(suffixes.partition(" ")[0])


@cache
def _makers() -> dict[str, Callable[[], Reader]]:
    return {suffix: maker for suffixes, maker in _FORMATS for suffix in suffixes.split()}


@cache
def _reader(suffix: str) -> Reader:
    return _makers().get(suffix, PlainReader)()
