#!/usr/bin/env python3
"""What a model has learned, in the terminal: translations beside their references, BLEU, and one attention matrix.

Usage: scripts/show_translations.py MODEL_DIR --source F --reference F [--align F] [--binary B] [--count N] [--line N]

The matrix has a row for each target word and a column for each source word; darker blocks are larger weights. With
--align (Pharaoh format, i-j from 0) the true alignment stands beside it. Needs only Python itself.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unicodedata

SHADES = " ░▒▓█"


def fail(message):
    sys.exit(f"show_translations: {message}")


def lines_of(path):
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
        return lines if lines[-1] else lines[:-1]
    except OSError as error:
        fail(f"{path}: {error.strerror}")


def width(text):
    """Columns in a terminal: East Asian wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text, columns):
    return text + " " * max(0, columns - width(text))


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if result.returncode != 0:
        fail(f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout


def shade(weight):
    return SHADES[min(len(SHADES) - 1, int(weight * len(SHADES)))] * 2 + " "


def print_matrix(attention, points):
    """One sentence's cross-attention, and the true alignment beside it."""
    source, target = attention["source"], attention["target"]
    cross = [a for a in attention["attention"] if a["kind"] == "cross"]
    top = [a["weights"] for a in cross if a["layer"] == cross[-1]["layer"]]  # the mean of the top layer's heads
    weights = [[sum(column) / len(top) for column in zip(*rows)] for rows in zip(*top)]
    label = max(width(word) for word in target) + 2
    for number, word in enumerate(source):
        print(f"  {number:2d} {word}")
    header = "".join(f"{number:2d} " for number in range(len(source)))
    print("\n" + pad("", label) + header + ("    " + header if points else "") )
    for row, word in enumerate(target):
        line = pad(word, label) + "".join(shade(w) for w in weights[row])
        if points:
            line += "    " + "".join("██ " if (column, row) in points else " · " for column in range(len(source)))
        print(line)
    print(pad("", label) + "attention" + (" " * max(1, 3 * len(source) + 4 - len("attention")) + "true alignment"
                                          if points else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--source", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--align")
    parser.add_argument("--binary", default="build/release/dragoman")
    parser.add_argument("--count", type=int, default=10, help="translations to print")
    parser.add_argument("--line", type=int, help="line of the attention matrix, from 1 (default: one with a pronoun)")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")  # whatever the locale says: Hangul and blocks are to be printed

    sources, references = lines_of(arguments.source), lines_of(arguments.reference)
    if len(sources) != len(references):
        fail(f"{len(sources)} lines in {arguments.source} against {len(references)} in {arguments.reference}")
    with tempfile.TemporaryDirectory() as folder:
        shown = min(arguments.count, len(sources))
        line = arguments.line
        if line is None:
            line = next((i + 1 for i, s in enumerate(sources) if " It " in s and len(s.split()) <= 14), 1)
        if not 1 <= line <= len(sources):
            fail(f"--line: found {line}, expected 1 to {len(sources)}")
        text = pathlib.Path(folder) / "source"
        text.write_text("\n".join(sources[:shown] + [sources[line - 1]]) + "\n", encoding="utf-8")
        maps = pathlib.Path(folder) / "attention.jsonl"
        translations = run([arguments.binary, "translate", arguments.model, "-i", str(text), "--attention",
                            str(maps)]).split("\n")[:-1]
        attention = json.loads(maps.read_text(encoding="utf-8").split("\n")[shown])

    for source, translation, reference in zip(sources[:shown], translations, references):
        print(f"\n  source       {source}\n  translation  {translation}\n  reference    {reference}"
              + ("" if translation == reference else "    <- differs"))
    print(f"\nAll {len(sources)} lines of {arguments.source}:")
    print(run([arguments.binary, "evaluate", arguments.model, "--source", arguments.source, "--reference",
               arguments.reference, "--tokenize", "none"]), end="")
    if not attention["attention"]:
        print("\nThis model has no attention to show.")
        return
    points = set()
    if arguments.align:
        pairs = lines_of(arguments.align)[line - 1].split()
        points = {tuple(int(n) for n in pair.split("-")) for pair in pairs}
    print(f"\nLine {line}: {sources[line - 1]}\n")
    print_matrix(attention, points)


if __name__ == "__main__":
    main()
