from __future__ import annotations

import time

import pytest

from lens_lsp.corpus.formats import rare_kind

LOCKS = "package-lock.json a/poetry.lock Cargo.lock b/yarn.lock go.sum uv.lock pnpm-lock.yaml Gemfile.lock"
MINIFIED = "jquery.min.js a/site.min.css app-min.js"
GENERATED = """
app.js.map a_pb2.py a_pb2_grpc.py api.pb.go a.generated.ts dist/app.js a/build/index.html x.g.dart Form1.Designer.cs
"""
VENDORED = "vendor/a.go a/node_modules/b/README.md third_party/LICENSE x/third-party/y.c Vendor/a.rb"
LICENCES = """
LICENSE a/LICENSE.txt LICENCE.md license COPYING COPYING.LESSER NOTICE ThirdPartyNotices.txt LICENSE-MIT LICENSE_MIT
third-party-notices.md UNLICENSE copyright.txt LICENSE-SUMMARY LICENSE.apache-2.0 licenses.md
"""
OTHERS = """
README.md a/lock.md locks.json src/license.py LICENSE.py licensing.md noticeable.txt notice-of-meeting.md a/notice/b.md
build/README.md docs/build.md dist.md administration.js generated.md map.md a/vendors.md builder/app.js copying-files.md
vendor.md rebuild/x.js license-to-fly.md build.js
"""


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        ("lock file", LOCKS),
        ("minified", MINIFIED),
        ("generated", GENERATED),
        ("vendored", VENDORED),
        ("licence", LICENCES),
        (None, OTHERS),
    ],
)
def test_a_path_says_what_is_searched_last(kind: str | None, paths: str) -> None:
    for path in paths.split():
        assert rare_kind(path) == kind, path
        assert rare_kind(path.replace("/", "\\")) == kind


def test_names_with_blanks_are_known() -> None:
    assert rare_kind("Third Party Notices.txt") == "licence"
    assert rare_kind("my notes on the license.md") is None


def test_no_path_is_refused() -> None:
    for path in ("", "/", "\\", "a/", ".", "😀", "license" * 10_000, "licence." + "a-" * 100_000 + "/"):
        rare_kind(path)


def test_a_path_takes_microseconds() -> None:
    begun = time.process_time()
    for _ in range(10_000):
        rare_kind("docs/guides/2024/how-to-do-it.md")
    assert time.process_time() - begun < 1
