#!/usr/bin/env python3
"""Compares `dragoman metrics` with sacreBLEU on thousands of made-up lines, for all options.

    python3 scripts/check_bleu.py build/release/dragoman [--lines N] [--seed N]

Exit codes: 0 all equal, 1 a difference (more than 1e-9 in a score, or any in a count), 2 wrong usage.
"""

import argparse
import itertools
import json
import logging
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "golden"))
from make_bleu import SMOOTHING, TOKENIZERS, corpus  # noqa: E402
from missing import how_to_get  # noqa: E402

TOLERANCE = 1e-9


def run(binary, arguments):
    command = [binary, "metrics", *arguments, "--json"]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if result.returncode != 0:
        sys.exit(f"check_bleu: {' '.join(command)} exited with {result.returncode}:\n{result.stderr}")
    # Only LF ends a line: splitlines() would also cut at U+0085 and others.
    return [json.loads(line) for line in result.stdout.split("\n") if line]


def differences(ours, theirs, signature, check_counts):
    """Human-readable differences between our JSON and a BLEUScore."""
    found = []
    for name, a, b in [("score", ours["score"], theirs.score), ("bp", ours["bp"], theirs.bp),
                       *((f"precision {n + 1}", a, b)
                         for n, (a, b) in enumerate(zip(ours["precisions"], theirs.precisions)))]:
        if not abs(a - b) <= TOLERANCE:
            found.append(f"{name}: {a!r}, sacreBLEU {b!r}")
    pairs = [("hyp_len", ours["hyp_len"], theirs.sys_len), ("ref_len", ours["ref_len"], theirs.ref_len),
             ("signature", ours["signature"].split("|version")[0], signature.split("|version")[0]),
             ("verbose_score", ours["verbose_score"], theirs.format().split(" ", 3)[3])]
    if check_counts:  # sacreBLEU's counts hold what add-k added
        pairs += [("counts", ours["counts"], theirs.counts), ("totals", ours["totals"], theirs.totals)]
    return found + [f"{name}: {a}, sacreBLEU {b}" for name, a, b in pairs if a != b]


def write_files(folder, hypotheses, references):
    """hyp, ref0, ref1, ..."""
    for name, lines in [("hyp", hypotheses), *((f"ref{r}", lines) for r, lines in enumerate(references))]:
        (folder / name).write_bytes("".join(line + "\n" for line in lines).encode("utf-8"))


class Checker:
    def __init__(self, binary):
        from sacrebleu.metrics import BLEU

        self.bleu, self.binary = BLEU, binary
        self.compared = self.failed = 0

    def compare(self, folder, hypotheses, references, tokenize, lowercase, smooth, value, sentence=False):
        bleu = self.bleu(tokenize=tokenize, lowercase=lowercase, smooth_method=smooth, smooth_value=value, force=True,
                         effective_order=sentence)
        files = [str(folder / f"ref{r}") for r in range(len(references))]
        arguments = [*files, "-i", str(folder / "hyp"), "-m", "bleu", "--tokenize", tokenize, "--smooth", smooth]
        arguments += ["--lowercase"] * lowercase + ["--sentence"] * sentence
        arguments += ["--smooth-value", repr(value)] if value is not None else []
        ours = run(self.binary, arguments)
        if sentence:
            theirs = [bleu.sentence_score(h, list(r)) for h, *r in zip(hypotheses, *references)]
        else:
            theirs = [bleu.corpus_score(hypotheses, references)]
        if len(ours) != len(theirs):
            sys.exit(f"check_bleu: {len(ours)} scores, expected {len(theirs)}: {' '.join(arguments)}")
        for i, (a, b) in enumerate(zip(ours, theirs)):
            self.compared += 1
            found = differences(a, b, bleu.get_signature().format(), smooth != "add-k")
            if found:
                self.failed += 1
                where = f" line {i + 1}" if sentence else ""
                print(f"DIFFERENT{where}: {' '.join(arguments)}\n  " + "\n  ".join(found))

    def check(self, name, lines, seed, **how):
        hypotheses, references = corpus(seed, lines, **how)
        before = self.failed
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            write_files(folder, hypotheses, references)
            for tokenize, lowercase, refs in itertools.product(TOKENIZERS, (False, True), (1, len(references))):
                for smooth, value in SMOOTHING:
                    self.compare(folder, hypotheses, references[:refs], tokenize, lowercase, smooth, value)
            few, few_references = hypotheses[:500], [lines[:500] for lines in references]
            write_files(folder, few, few_references)
            for tokenize, (smooth, value) in itertools.product(TOKENIZERS, SMOOTHING):
                self.compare(folder, few, few_references, tokenize, True, smooth, value, sentence=True)
        print(f"{name}: {lines} lines, {'equal' if self.failed == before else 'DIFFERENT'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", help="the dragoman program")
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    if not Path(options.binary).is_file():
        print(f"check_bleu: {options.binary}: no such file; build the program first", file=sys.stderr)
        return 2
    if options.lines < 1:
        print("check_bleu: --lines must be at least 1", file=sys.stderr)
        return 2
    try:
        checker = Checker(str(Path(options.binary).resolve()))
    except ImportError:
        print(f"check_bleu: {how_to_get('sacrebleu')}", file=sys.stderr)
        return 2
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    checker.check("close translations", options.lines, options.seed, rate=0.2, high=25)
    checker.check("far translations", 300, options.seed + 1, rate=0.8, high=5)
    checker.check("three lines", 3, options.seed + 2, rate=0.9, high=3)
    print(f"{checker.compared} scores compared, {checker.failed} differ")
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
