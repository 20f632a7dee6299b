#!/usr/bin/env python3
"""Heat-maps of attention weights from `dragoman translate --attention FILE`, as a PNG.

Usage: .venv/bin/python scripts/plot_attention.py FILE -o PICTURE.png [--line 1] [--kind cross]

One panel for each layer (downwards) and head of that kind: rows are queries, columns keys. For scripts that
matplotlib's own font lacks (Hangul, say), name an installed one with --font.
"""
import argparse
import json
import pathlib
import sys

from missing import how_to_get


def fail(message):
    print(f"plot_attention: {message}", file=sys.stderr)
    sys.exit(2)


try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    fail(how_to_get("matplotlib"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", help="JSON lines written by translate --attention")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--line", type=int, default=1, help="line of the file, from 1")
    parser.add_argument("--kind", default="cross", choices=["encoder", "decoder", "cross"])
    parser.add_argument("--font")
    arguments = parser.parse_args()
    try:
        lines = [line for line in pathlib.Path(arguments.file).read_text(encoding="utf-8").split("\n") if line]
    except OSError as error:
        fail(f"{arguments.file}: {error.strerror}")
    except UnicodeDecodeError:
        fail(f"{arguments.file}: is not UTF-8; expected what `dragoman translate --attention` writes")
    if not 1 <= arguments.line <= len(lines):
        fail(f"--line: found {arguments.line}, expected 1 to {len(lines)}")
    try:
        record = json.loads(lines[arguments.line - 1])
        found = record["attention"]
    except (ValueError, KeyError, TypeError):
        fail(f"{arguments.file}:{arguments.line}: expected a line that `dragoman translate --attention` writes")
    maps = [m for m in found if m["kind"] == arguments.kind]
    if not maps:
        fail(f"line {arguments.line} has no attention of kind {arguments.kind}")
    if arguments.font:
        plt.rcParams["font.family"] = arguments.font
    queries = record["source"] if arguments.kind == "encoder" else record["target"]
    keys = record["target"] if arguments.kind == "decoder" else record["source"]
    cell = 0.28
    layers = sorted({m["layer"] for m in maps})
    heads = len(maps) // len(layers)
    size = (heads * (cell * len(keys) + 1.6), len(layers) * (cell * len(queries) + 1.4))
    figure, axes = plt.subplots(len(layers), heads, squeeze=False, figsize=size)
    for axis, attention in zip(axes.flat, maps):
        axis.imshow(attention["weights"], cmap="Greys", vmin=0, vmax=1, aspect="equal")
        axis.set_xticks(range(len(keys)), keys, rotation=90, fontsize=8)
        axis.set_yticks(range(len(queries)), queries, fontsize=8)
        axis.xaxis.tick_top()
        axis.set_xlabel(f"layer {attention['layer']}, head {attention['head']}", fontsize=8)
    figure.tight_layout()
    figure.savefig(arguments.output, dpi=110)


if __name__ == "__main__":
    main()
