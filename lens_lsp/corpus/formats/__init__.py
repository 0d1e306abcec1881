"""Readers of text formats, and which of them a file name gets: one table; a format is one line here and one class.

`rare_kind` tells by the path alone which files people rarely ask about: lock files, generated, vendored, minified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from lens_lsp.corpus.formats import code
from lens_lsp.corpus.formats.data import IniReader, JsonLinesReader, JsonReader, TableReader, TomlReader, YamlReader
from lens_lsp.corpus.formats.markdown import MarkdownReader, NotebookReader
from lens_lsp.corpus.formats.markup import (
    AsciiDocReader,
    HtmlReader,
    LatexReader,
    OrgReader,
    RestructuredTextReader,
    XmlReader,
)
from lens_lsp.corpus.formats.text_reader import PlainReader, TextReader
from lens_lsp.documents.kinds import KINDS
from lens_lsp.model.lazy_regex import regex

_FORMATS: tuple[tuple[str, Callable[[], TextReader]], ...] = (
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
npz pkl pickle mat rds doc dot ppt pps odg mobi azw azw3 pages numbers djvu ps eps ai sketch fig
indd onnx pt pth safetensors gguf blend stl glb swf
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


def reader_for(name: str) -> TextReader | None:
    """The reader for a file of this name, ``None`` when it is no text: a document, or what nobody reads.

    The suffix decides, in any case. A name without one or with an unknown one is plain text: article names
    hold dots (``U.S._Bancorp``). So is one that ends in a single capital, an initial (``Washington,_D.C``).
    """
    suffix = name.rpartition(".")[2] if "." in name else ""
    if len(suffix) == 1 and suffix.isupper():
        return _reader("")
    suffix = suffix.lower()
    return None if suffix in _BINARY or suffix in _DOCUMENTS else _reader(suffix if suffix in _makers() else "")


def readers() -> Iterator[TextReader]:
    """One reader of each kind, for listings and tests."""
    yield _reader("")
    for suffixes, _ in _FORMATS:
        yield _reader(suffixes.partition(" ")[0])


@cache
def _makers() -> dict[str, Callable[[], TextReader]]:
    return {suffix: maker for suffixes, maker in _FORMATS for suffix in suffixes.split()}


@cache
def _reader(suffix: str) -> TextReader:
    return _makers().get(suffix, PlainReader)()


_LOCKS = """
cargo.lock composer.lock flake.lock gemfile.lock go.sum go.work.sum gradle.lockfile mix.lock npm-shrinkwrap.json
package-lock.json packages.lock.json pdm.lock pipfile.lock pixi.lock pnpm-lock.yaml pnpm-lock.yml podfile.lock
poetry.lock pubspec.lock uv.lock yarn.lock bun.lock bun.lockb deno.lock conda-lock.yml package.resolved
cartfile.resolved stack.yaml.lock cabal.project.freeze chart.lock .terraform.lock.hcl
"""
_LOCK_FILES = frozenset(_LOCKS.split())
_TREES = """
bower_components jspm_packages node_modules site-packages third-party third_party thirdparty vendor vendored
"""
_VENDORED = frozenset(_TREES.split())
_BUILT = frozenset({"build", "dist"})
_BUNDLES = (".js", ".mjs", ".cjs", ".css", ".html", ".json", ".wasm", ".map", ".d.ts")
"""What a bundler writes; other files of a folder called ``build`` are often its scripts and pages."""
_MINIFIED = (".min.js", ".min.mjs", ".min.cjs", ".min.css", ".min.html", "-min.js", "-min.css", ".bundle.js")
_GENERATED = regex(
    r".*(?:\.(?:js|mjs|cjs|css|ts|d\.ts)\.map|_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h|swift|dart)|_pb\.(?:js|d\.ts|rb)"
    r"|[._-]generated\.\w+|\.g\.(?:dart|cs)|\.freezed\.dart|\.designer\.(?:cs|vb)|_string\.gen\.go|\.gen\.\w+)"
)
_LICENCE = regex(
    r"(?:(?i:(?:un)?licen[cs]es?|copying|copyright|notices?|eula|third[-_. ]?party[-_. ]?(?:notices?|licen[cs]es?))"
    r"(?i:\.(?:txt|md|rst|html?|rtf))?|(?:LICEN[CS]E|UNLICENSE|COPYING|NOTICE|PATENTS)S?(?:[-_.][\w.+-]*+)?)"
)
"""Upper case says more than the word: ``COPYING.LESSER`` is a licence, ``copying-files.md`` a page."""
_CODE = (".py", ".js", ".ts", ".go", ".rs", ".java", ".c", ".h", ".cs", ".rb", ".php", ".tsx", ".jsx", ".vue")


def rare_kind(path: str) -> str | None:
    """The kind of file at ``path`` (``/`` or ``\\`` between its parts) where that kind is searched last, else ``None``.

    ``"vendored"``, ``"lock file"``, ``"licence"``, ``"minified"`` or ``"generated"``, the first that holds.
    """
    *folders, written = path.replace("\\", "/").split("/")
    name = written.lower()
    if not _VENDORED.isdisjoint(map(str.lower, folders)):
        return "vendored"
    if name in _LOCK_FILES:
        return "lock file"
    if _LICENCE.fullmatch(written) is not None and not name.endswith(_CODE):
        return "licence"
    if name.endswith(_MINIFIED):
        return "minified"
    if _GENERATED.fullmatch(name) is not None or (
        name.endswith(_BUNDLES) and not _BUILT.isdisjoint(map(str.lower, folders))
    ):
        return "generated"
    return None
