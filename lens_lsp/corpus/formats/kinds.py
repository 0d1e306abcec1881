"""What kind of file a path names, where it is a kind that people rarely ask about. By the path alone."""

from __future__ import annotations

import re

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
_GENERATED = re.compile(
    r".*(?:\.(?:js|mjs|cjs|css|ts|d\.ts)\.map|_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h|swift|dart)|_pb\.(?:js|d\.ts|rb)"
    r"|[._-]generated\.\w+|\.g\.(?:dart|cs)|\.freezed\.dart|\.designer\.(?:cs|vb)|_string\.gen\.go|\.gen\.\w+)"
)
_LICENCE = re.compile(
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
