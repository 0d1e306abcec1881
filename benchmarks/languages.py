"""Print R@1, R@5 and R@10 of ``lens find`` beside BM25 on character bigrams, in four languages.

python benchmarks/languages.py [--missed]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "evaluation"))

from language_queries import LANGUAGES, Score, known_items, lens_ranker, reference_ranker, score, table

ARMS = {"lens": lens_ranker, "bigram-bm25": reference_ranker}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missed", action="store_true", help="also list the queries not found in the first 5")
    arguments = parser.parse_args()
    scores = [score(arm, language, ranker(language)) for language in LANGUAGES for arm, ranker in ARMS.items()]
    print(table(scores))
    if arguments.missed:
        for one in scores:
            print_missed(one)


def print_missed(one: Score) -> None:
    items = [item for item in known_items() if item.language == one.language]
    for item, rank in zip(items, one.ranks, strict=True):
        if rank is None or rank > 5:
            print(f"{one.arm:<14}{item.id}  rank {rank or '>10'}  {item.gold}  {item.query}")


if __name__ == "__main__":
    main()
