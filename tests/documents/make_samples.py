"""Makes the sample documents again, each by a program that people use, and their gold out of what it was given.

Not needed by the tests: the samples are committed. ``README.md`` among the samples says what to install.

    python -m tests.documents.make_samples --out tests/documents/samples --work FOLDER --node NODE [--only pdf,xlsx]
    python -m tests.documents.make_samples --many 500 --data DATA --out FOLDER --work FOLDER --node NODE

``NODE`` is a folder with a ``node_modules``. The second form writes many PDFs of 1 to 60 pages out of real text.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tests.documents.making.stories import Gold, Workshop, stories

KINDS = ("pdf", "sheets", "texts", "mails", "office")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="where the documents go")
    parser.add_argument("--work", type=Path, required=True, help="a folder for what the writers need meanwhile")
    parser.add_argument("--node", type=Path, required=True, help="the folder of the packages for Node")
    parser.add_argument("--only", default=",".join(KINDS), help=f"of {','.join(KINDS)}; the gold of others stays")
    parser.add_argument("--office", type=Path, help="the folder of the unpacked python-docx and python-pptx")
    parser.add_argument("--many", type=int, help="write so many PDFs instead")
    parser.add_argument("--data", type=Path, help="the folder of the data sets, for --many")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    shop = Workshop(options.out.resolve(), options.work.resolve(), options.node.resolve(), Gold())
    if options.many:
        from tests.documents.making import many

        many.write_all(shop, options.data, options.many)
        return
    _samples(shop, options.only.split(","), options.office)


def _samples(shop: Workshop, only: list[str], office: Path | None) -> None:
    """The writers' libraries are imported where they are used: each kind can be made without those of the others."""
    before = json.loads(gold.read_text("utf-8")) if (gold := shop.out / "gold.json").is_file() else None
    told = stories()
    if "pdf" in only:
        from tests.documents.making import pages

        pages.write_all(shop, told)
    if "sheets" in only:
        from tests.documents.making import sheets

        sheets.write_all(shop)
    if "texts" in only:
        from tests.documents.making import texts

        texts.write_all(shop, told)
    if "mails" in only:
        from tests.documents.making import mails

        mails.write_all(shop)
    if "office" in only and office is not None:
        from tests.documents.making import office_files

        office_files.write_all(shop, office)
    if before:
        shop.gold.keep(before)
    shop.gold.save(shop.out)


if __name__ == "__main__":
    main()
