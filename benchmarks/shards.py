"""A snapshot's articles as shards of JSON rows, for ``lens eval run --fullwiki`` where no dump of Wikipedia is at hand.

python -m benchmarks.shards "$LENS_DATA/hotpotqa" --snapshot 250 --out runs/shards [--rows 100]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from evaluation.data.datasets import articles, open_dataset


def main() -> int:
    """Write the shards."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shards")
    parser.add_argument("data", type=Path, help="data set folder, or the file of a release")
    parser.add_argument("--snapshot", required=True)
    parser.add_argument("--out", type=Path, required=True, help="a new folder")
    parser.add_argument("--rows", type=int, default=100, help="articles of a shard (default 100)")
    args = parser.parse_args()
    folder = args.out / "AA"
    folder.mkdir(parents=True)
    found = articles(open_dataset(args.data, args.snapshot))
    for number, first in enumerate(range(0, len(found), args.rows)):
        rows = found[first : first + args.rows]
        lines = (json.dumps({"title": row.title, "text": row.body}, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"wiki_{number:03d}").write_text("".join(lines), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
