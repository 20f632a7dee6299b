#!/usr/bin/env python3
"""The bench sizes in Marian, through pymarian's Trainer, to compare Dragoman with: speed of whole updates.

Usage: bench/marian_peer.py --spm MODEL --src F --tgt F --size T [--threads 2] [--updates 20] [--warmup 4]

The text is cut into pieces here and Marian told so, so that its labels (end of sentence included, no padding) are those
of the other systems. Marian counts a batch in source words; the limit is scaled to give about 2,048 labels on average.
Synchronous training with N threads splits each batch into N parts, as Dragoman does. With an update a line Marian's log
has the labels so far (its words/s are labels, too); time is taken when a line arrives, from the last update of the
warm-up to the last one. Prints one JSON line.

T, M, L are the same post-norm Transformers. What G and S have differently in Marian: attention is always additive and
always sits between two cells of a step (so twice our decoder's cells), nothing is fed back, the first state comes from
the mean of the encoder's rows, dropout takes whole words' embeddings and none of the readout. In S the encoder has the
decoder's 512 a direction, not 256, since Marian has one size for both. pymarian's wheel is built for AVX and multiplies
with MKL; a Marian built for the machine may be faster. Needs pymarian and sentencepiece.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import numpy
import sentencepiece

LABELS = 2048
# Lines sorted together: 100 times 200, Dragoman's window.
COMMON = {"tied-embeddings-all": True, "label-smoothing": 0.1, "clip-norm": 1, "optimizer": "adam",
          "learn-rate": 3e-4, "optimizer-params": [0.9, 0.98, 1e-9], "sync-sgd": True, "mini-batch": 100,
          "maxi-batch": 200, "mini-batch-round-up": False, "max-length": 101, "no-spm-encode": True,
          "disp-freq": "1u", "data-threads": 1, "shuffle-in-ram": True, "overwrite": True}


def transformer(layers, width, ffn, heads, dropout):
    return {"type": "transformer", "dim-emb": width, "enc-depth": layers, "dec-depth": layers,
            "transformer-dim-ffn": ffn, "transformer-heads": heads, "transformer-ffn-activation": "relu",
            "transformer-dropout": dropout, "transformer-dropout-attention": dropout,
            "transformer-dropout-ffn": dropout}


def recurrent(cell, width):
    return {"type": "s2s", "dim-emb": width, "dim-rnn": width, "enc-cell": cell, "dec-cell": cell, "dropout-src": 0.1,
            "dropout-trg": 0.1}


SIZES = {"T": transformer(4, 128, 256, 4, 0.3), "M": transformer(3, 256, 1024, 4, 0.1),
         "L": transformer(6, 512, 2048, 8, 0.1), "G": recurrent("gru", 256), "S": recurrent("lstm", 512)}


def write_pieces(processor, source, target, folder, longest=100):
    """Writes both sides as pieces; returns source words per target word, both with the end of sentence."""
    sides = []
    for path in (source, target):
        with open(path, encoding="utf-8", newline="\n") as file:
            sides.append(processor.encode([line.rstrip("\n") for line in file], out_type=str))
    pairs = [pair for pair in zip(*sides, strict=True) if all(0 < len(pieces) <= longest for pieces in pair)]
    for name, lines in zip(("source", "target"), zip(*pairs)):
        text = "".join(" ".join(pieces) + "\n" for pieces in lines)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    source_words, target_words = (sum(len(pieces) + 1 for pieces in side) for side in zip(*pairs))
    return source_words / target_words


def train(config):
    """Runs Marian; returns for each update when it was over, all labels so far, and its loss; and the peak in MB."""
    program = "import sys, pymarian; pymarian.Trainer('--config ' + sys.argv[1]).train()"
    environment = dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")  # in each of Marian's own threads
    process = subprocess.Popen([sys.executable, "-c", program, str(config)], stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, env=environment)
    updates, log = [], []
    for line in process.stderr:
        now = time.perf_counter()
        log.append(line.decode(errors="replace"))
        found = re.search(r" Up\. \d+ :.* Cost (\S+) \* .* after ([\d,]+) :", log[-1])
        if found:
            updates.append((now, int(found.group(2).replace(",", "")), float(found.group(1))))
    if process.wait() != 0:
        reason = next((line for line in log if "Error" in line), log[-1] if log else "")
        sys.exit(f"{''.join(log)[-2000:]}\nmarian_peer: Marian failed: {reason.strip()}")
    return updates, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024e-6


def count_parameters(model):
    with numpy.load(model) as arrays:
        return sum(arrays[name].size for name in arrays.files if not name.startswith("special:"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--spm", required=True, help="SentencePiece model of both sides")
    parser.add_argument("--src", required=True)
    parser.add_argument("--tgt", required=True)
    parser.add_argument("--size", choices=SIZES, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=4, help="at least 1: time starts when it is over")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.warmup < 1:
        sys.exit("marian_peer: --warmup: expected at least 1")
    import pymarian
    processor = sentencepiece.SentencePieceProcessor(model_file=arguments.spm)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ratio = write_pieces(processor, arguments.src, arguments.tgt, folder)
        vocabulary = folder / "vocabulary.spm"  # Marian goes by the suffix
        vocabulary.write_bytes(pathlib.Path(arguments.spm).read_bytes())
        config = {**COMMON, **SIZES[arguments.size], "model": str(folder / "model.npz"), "seed": arguments.seed,
                  "train-sets": [str(folder / "source"), str(folder / "target")], "vocabs": [str(vocabulary)] * 2,
                  "tempdir": str(folder), "cpu-threads": arguments.threads,
                  "mini-batch-words": round(LABELS * ratio), "after-batches": arguments.warmup + arguments.updates}
        (folder / "config.yml").write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
        updates, peak = train(folder / "config.yml")
        parameters = count_parameters(folder / "model.npz")
    (start, before, _), (end, after, loss) = updates[arguments.warmup - 1], updates[-1]
    print(json.dumps({"system": f"marian {pymarian.__version__}", "size": arguments.size, "params": parameters,
                      "threads": arguments.threads, "tgt_tok_s": round((after - before) / (end - start), 1),
                      "ms_per_update": round(1000 * (end - start) / arguments.updates, 2),
                      "updates": arguments.updates, "last_loss": round(loss, 4), "peak_rss_mb": round(peak, 1)}))


if __name__ == "__main__":
    main()
