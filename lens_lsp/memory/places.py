"""A file by two names: root and path as a store writes them, root index and path as one question does."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from lens_lsp.corpus.safe_open import Key
from lens_lsp.model.citation import Citation


class Places:
    """Files by workspace and path, as a store names them, and by root and path, as one question does."""

    def __init__(self, workspace: str, roots: Sequence[str]) -> None:
        self._workspace = workspace
        self._roots = [os.path.realpath(root) for root in roots]

    def name(self, key: Key) -> tuple[str, str]:
        """Root and path of a file: inside the workspace the root is empty and the path is the workspace's."""
        root, path = self._roots[key[0]], key[1]
        inside = os.path.relpath(os.path.join(root, path), self._workspace).replace(os.sep, "/")
        return (root, path) if inside.startswith("../") or os.path.isabs(inside) else ("", inside)

    def key(self, root: str, path: str) -> Key | None:
        """The file as this question knows it, None when it lies in none of its roots."""
        where = os.path.join(root or self._workspace, path)
        for index, folder in enumerate(self._roots):
            inside = os.path.relpath(where, folder).replace(os.sep, "/")
            if not inside.startswith("../"):
                return index, inside
        return None

    def found(self, citations: Iterable[tuple[str, Citation]]) -> tuple[tuple[str, Key, Citation], ...]:
        """The citations that lie in the roots, with their files."""
        keyed = ((id_, self.key(citation.root, citation.path), citation) for id_, citation in citations)
        return tuple((id_, key, citation) for id_, key, citation in keyed if key is not None)
