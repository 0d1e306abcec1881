"""Files that somebody names, by the rules for files that are found: whoever reads for others reads no more than a
search does."""

from __future__ import annotations

from lens_lsp.corpus.ignore import MARKERS, IgnoreRules
from lens_lsp.corpus.opening import Handle, Root, Skipped, check_name, close_folder, is_there, open_folder_at
from lens_lsp.corpus.rules import CorpusRules, clutter_name, denied_name, denied_root, name_of
from lens_lsp.corpus.scopes import Scopes
from lens_lsp.model.documents import SkipReason


def left_out(root: Root, path: str, rules: CorpusRules) -> SkipReason | None:
    """Why a walk from the root would not come to a path below it; None where it would, if there is such a file.

    Folders on the way are opened one from the other, as a walk does. Raises `PathRefused` for a path that is not plain.
    """
    names = path.split("/")
    for name in names:
        check_name(name, path)
    if denied_root(root.path):
        return SkipReason.DENIED
    handle: Handle = root.handle
    try:
        here = IgnoreRules.of_root(root.path, rules)
        scopes = Scopes(root.path, rules)
        in_scope = scopes.hold_all
        for depth, name in enumerate(names):
            here = _inside(here, handle, "".join(f"{step}/" for step in names[:depth]), rules)
            reached, folder = "/".join(names[: depth + 1]), depth < len(names) - 1
            if denied_name(name, names[depth - 1] if depth else name_of(root.path)):
                return SkipReason.DENIED
            if (folder and clutter_name(name)) or here.ignores(name, reached, folder):
                return SkipReason.IGNORED
            in_scope = in_scope or scopes.name(name, reached, folder)
            if folder:
                above, handle = handle, open_folder_at(handle, name)
                if above != root.handle:
                    close_folder(above)
        return None if in_scope else SkipReason.OUT_OF_SCOPE
    except Skipped as error:
        return error.reason
    finally:
        if handle != root.handle:
            close_folder(handle)


def _inside(here: IgnoreRules, handle: Handle, prefix: str, rules: CorpusRules) -> IgnoreRules:
    """The rules inside an open folder. Raises `Skipped` where one of its ignore files cannot be read."""
    if not rules.respect_ignore_files:
        return here
    markers = frozenset(name for name in MARKERS if is_there(handle, name))
    return here.inside(handle, markers, prefix) if markers else here
