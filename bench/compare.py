#!/usr/bin/env python3
"""Training speed of Dragoman and of PyTorch on the same text, alternately, with equal threads.

Usage: bench/compare.py --baseline torch_baseline.py --source train.en.gz --target train.de.gz [--sizes G S]
         [--rounds 3] [--threads 2] [--updates 20] [--binary build/release/dragoman] [--history bench/history.jsonl]

The baseline is a PyTorch program that takes --spm, --src, --tgt, --size, --threads, --updates, --warmup and prints one
JSON line with tgt_tok_s and peak_rss_mb. Both sides count target tokens (end of sentence included, no padding) over
whole updates after the warm-up. Needs torch and sentencepiece in the Python that runs it. Only the ratios mean
anything: machines differ, and are shared.
"""
import argparse
import gzip
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def unpack(path, to):
    data = pathlib.Path(path).read_bytes()
    to.write_bytes(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def last_json(command):
    environment = dict(os.environ, PYTHONWARNINGS="ignore")
    environment.pop("OMP_NUM_THREADS", None)  # both sides are told their threads
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        sys.exit(f"compare: {' '.join(map(str, command))} failed:\n{result.stderr[-2000:]}")
    return json.loads(result.stdout.strip().split("\n")[-1])


def cpu_name():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n"):
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--baseline", required=True, help="the PyTorch program")
    parser.add_argument("--source", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--sizes", nargs="+", default=["G", "S"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=4)
    parser.add_argument("--binary", default="build/release/dragoman")
    parser.add_argument("--set", action="append", default=[], help="passed on to dragoman bench")
    parser.add_argument("--history", help="append a line for each size to this file")
    arguments = parser.parse_args()
    import sentencepiece

    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=HERE).stdout.strip()
    print(f"CPU {cpu_name()}, {arguments.threads} threads, commit {commit}")
    print(f"{'size':4} {'system':9} {'tok/s min':>10} {'median':>8} {'peak MB':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        unpack(arguments.source, folder / "source")
        unpack(arguments.target, folder / "target")
        sentencepiece.SentencePieceTrainer.train(
            input=[str(folder / "source"), str(folder / "target")], model_prefix=str(folder / "bpe"), vocab_size=8000,
            model_type="bpe", unk_id=0, bos_id=1, eos_id=2, pad_id=-1, normalization_rule_name="identity",
            minloglevel=2)
        common = ["--threads", arguments.threads, "--updates", arguments.updates, "--warmup", arguments.warmup]
        for size in arguments.sizes:
            ours = [arguments.binary, "bench", HERE / f"size_{size}.yaml", "--json", *common, "--set",
                    f"tokenizer.model_file={folder / 'bpe.model'}", "--set", f"data.train.source={folder / 'source'}",
                    "--set", f"data.train.target={folder / 'target'}"]
            for item in arguments.set:
                ours += ["--set", item]
            theirs = [sys.executable, arguments.baseline, "--spm", folder / "bpe.model", "--src", folder / "source",
                      "--tgt", folder / "target", "--size", size, *common]
            runs = {"dragoman": [], "torch": []}
            for _ in range(arguments.rounds):
                for name, command in (("dragoman", ours), ("torch", theirs)):
                    runs[name].append(last_json([str(part) for part in command]))
            median = {name: statistics.median(r["tgt_tok_s"] for r in results) for name, results in runs.items()}
            for name, results in runs.items():
                speeds = [r["tgt_tok_s"] for r in results]
                print(f"{size:4} {name:9} {min(speeds):10.0f} {median[name]:8.0f} "
                      f"{max(r['peak_rss_mb'] for r in results):8.0f} {median[name] / median['torch']:6.2f}", flush=True)
            if arguments.history:
                line = {"commit": commit, "cpu": cpu_name(), "threads": arguments.threads, "size": size,
                        "dragoman": [round(r["tgt_tok_s"]) for r in runs["dragoman"]],
                        "torch": [round(r["tgt_tok_s"]) for r in runs["torch"]],
                        "peak_mb": {name: round(max(r["peak_rss_mb"] for r in results)) for name, results in runs.items()}}
                with open(arguments.history, "a", encoding="utf-8") as history:
                    history.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
