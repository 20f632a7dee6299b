#!/usr/bin/env python3
"""BLEU (sacrebleu) and exact lines by length of the source, in words.

Usage: scripts/bleu_by_length.py --source F --hypothesis F --reference F [--bounds 5 10 15 20 25 30] [--tokenize none]
"""
import argparse
import pathlib
import sys

from missing import how_to_get

try:
    import sacrebleu
except ImportError:
    print(f"bleu_by_length: {how_to_get('sacrebleu')}", file=sys.stderr)
    sys.exit(2)


def lines_of(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    return lines if lines[-1] else lines[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("source", "hypothesis", "reference"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--bounds", type=int, nargs="+", default=[5, 10, 15, 20, 25, 30], help="upper bounds, rising")
    parser.add_argument("--tokenize", default="none")
    arguments = parser.parse_args()
    sides = [lines_of(p) for p in (arguments.source, arguments.hypothesis, arguments.reference)]
    if len({len(side) for side in sides}) != 1:
        sys.exit(f"bleu_by_length: {' / '.join(str(len(side)) for side in sides)} lines; expected equally many")
    rows = list(zip(*sides))

    def report(label, chosen):
        if not chosen:
            return
        bleu = sacrebleu.corpus_bleu([r[1] for r in chosen], [[r[2] for r in chosen]], tokenize=arguments.tokenize)
        exact = sum(r[1] == r[2] for r in chosen) / len(chosen)
        print(f"{label:>9} {len(chosen):6d} lines  BLEU {bleu.score:6.2f}  exact {100 * exact:6.2f} %")

    low = 1
    for bound in arguments.bounds:
        report(f"{low}-{bound}", [r for r in rows if low <= len(r[0].split()) <= bound])
        low = bound + 1
    last = arguments.bounds[-2] if len(arguments.bounds) > 1 else arguments.bounds[-1]
    report(f"1-{last}", [r for r in rows if len(r[0].split()) <= last])
    report("all", rows)


if __name__ == "__main__":
    main()
