#!/usr/bin/env python3
"""BLEU by sacreBLEU itself, of a file of translations or of a model directory.

    python3 scripts/evaluate_bleu.py --hypothesis out.de --reference test.de [more.de ...]
    python3 scripts/evaluate_bleu.py --model models/demo --source test.en --reference test.de

Files may be gzipped (.gz); only LF ends a line. Prints a line as sacreBLEU does, or JSON with --json.
Exit codes: 0 done, 1 the translation failed, 2 wrong usage or input.
"""

import argparse
import gzip
import json
import subprocess
import sys
from pathlib import Path

from missing import how_to_get

TOKENIZERS = ["13a", "intl", "char", "none"]


class InputError(Exception):
    """A mistake of the user's; the message says where and what."""


def split_lines(data, name):
    """Lines of UTF-8 bytes, cut at LF only; an LF at the end ends the last line."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: invalid UTF-8 (byte {error.start + 1} of the file)") from None
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def read_lines(path):
    try:
        opened = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
        with opened as file:
            return split_lines(file.read(), path)
    except (OSError, EOFError) as error:
        raise InputError(f"{path}: cannot read: {getattr(error, 'strerror', None) or error}") from None


def translate(binary, model, source):
    """The model's translation of the source file, one line for each of its lines."""
    if not Path(binary).is_file():
        raise InputError(f"{binary}: no such program; build it first or give --binary")
    if not Path(model).is_dir():
        raise InputError(f"{model}: no such model directory")
    read_lines(source)  # its errors before those of the program
    result = subprocess.run([binary, "translate", model, "-i", source], stdout=subprocess.PIPE)
    if result.returncode != 0:
        print(f"evaluate_bleu: {binary} translate exited with {result.returncode}", file=sys.stderr)
        sys.exit(1)
    return split_lines(result.stdout, f"output of {binary}")


def check_lengths(hypotheses, hypothesis_name, references):
    for name, lines in references:
        if len(lines) != len(hypotheses):
            counts = f"{hypothesis_name} has {len(hypotheses)}, {name} has {len(lines)}"
            raise InputError(f"unequal numbers of lines: {counts}")
    if not hypotheses:
        raise InputError(f"{hypothesis_name}: no lines to score")


def evaluate(options):
    try:
        from sacrebleu.metrics import BLEU
    except ImportError:
        raise InputError(how_to_get("sacrebleu")) from None
    references = [(path, read_lines(path)) for path in options.reference]
    if options.hypothesis:
        name, hypotheses = options.hypothesis, read_lines(options.hypothesis)
    else:
        name, hypotheses = f"translation of {options.source}", translate(options.binary, options.model, options.source)
    check_lengths(hypotheses, name, references)
    bleu = BLEU(tokenize=options.tokenize, lowercase=options.lowercase)
    score = bleu.corpus_score(hypotheses, [lines for _, lines in references])
    signature = str(bleu.get_signature())
    if not options.json:
        return score.format(signature=signature)
    return json.dumps({"name": "BLEU", "score": score.score, "signature": signature, "precisions": score.precisions,
                       "counts": score.counts, "totals": score.totals, "bp": score.bp, "ratio": score.ratio,
                       "hyp_len": score.sys_len, "ref_len": score.ref_len, "lines": len(hypotheses)})


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--hypothesis", metavar="FILE", help="translations, one a line")
    what.add_argument("--model", metavar="DIR", help="model directory that translates --source")
    parser.add_argument("--source", metavar="FILE", help="text to translate with --model")
    parser.add_argument("--reference", metavar="FILE", nargs="+", required=True, help="reference translations")
    parser.add_argument("--binary", metavar="PROGRAM", default="build/release/dragoman", help="default: %(default)s")
    parser.add_argument("--tokenize", choices=TOKENIZERS, default="13a", help="default: %(default)s")
    parser.add_argument("--lowercase", action="store_true", help="ignore case")
    parser.add_argument("--json", action="store_true", help="print JSON with all digits")
    options = parser.parse_args(arguments)
    if bool(options.model) != bool(options.source):
        parser.error("--model and --source belong together")
    return options


def main(arguments=None):
    options = parse(arguments)
    try:
        print(evaluate(options))
    except InputError as error:
        print(f"evaluate_bleu: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
