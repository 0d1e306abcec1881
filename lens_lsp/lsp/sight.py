"""What a look at an open text takes, as it was in the moment of the request: nothing in it changes with the editor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.lsp.convert import Encoding, Ranges
from lens_lsp.lsp.uris import uri_of

if TYPE_CHECKING:
    from lens_lsp.corpus.corpus_rules import AllowedFolders, CorpusRules
    from lens_lsp.corpus.intake import Buffer
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.model.answer import Answer

TOP = types.Range(types.Position(0, 0), types.Position(0, 0))


@dataclass(frozen=True, slots=True)
class Sight:
    """A text and the open texts around it. ``path`` is its absolute path, None for what was never saved."""

    uri: str
    path: str | None
    text: str
    version: int | None
    encoding: Encoding
    rules: CorpusRules
    buffers: Mapping[str, Buffer]
    uris: Mapping[str, str]
    """What the editor calls its open texts, by path."""
    workspaces: tuple[str, ...]
    texts: bool
    """Whether places in extracted formats count in their texts; else they are the top of the file."""
    allowed: AllowedFolders
    """Where sources may lie that the text names."""
    known: Answer | None = None
    """The answer that this session wrote there."""

    def uri_of(self, path: str) -> str:
        """The URI of a path, as the editor has it where the file is open."""
        return self.uris.get(path) or uri_of(path)

    def ranges(self) -> Ranges:
        """Places in the text."""
        return Ranges(self.text, self.encoding)


async def sight_of(ls: LensServer, uri: str) -> Sight | None:
    """The sight of an open text; None if it is not open or cannot be trusted."""
    session = ls.session
    settings = await session.settings()
    document = session.documents.get(uri)
    if document is None or not document.synced:
        return None
    path = session.place(document)
    buffers = session.buffers()
    return Sight(
        uri=uri,
        path=path,
        text=document.text if path is None or path not in buffers else buffers[path].text,
        version=document.version,
        encoding=session.encoding,
        rules=settings.rules,
        buffers=buffers,
        uris={found: each.uri for each in session.documents if (found := session.place(each)) is not None},
        workspaces=session.workspaces(),
        texts=session.reads_texts,
        allowed=await session.sources(),
        known=ls.desk.answer(path),
    )
