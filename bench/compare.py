#!/usr/bin/env python3
"""Training speed of Dragoman and of other systems on the same text, alternately.

Usage: bench/compare.py --source train.en.gz --target train.de.gz [--sizes T M L G S] [--peers eager compile marian]
         [--rounds 3] [--threads 2] [--updates 20] [--warmup 4] [--binary build/release/dragoman] [--set KEY=VALUE]
         [--spm MODEL] [--python bench/.peers/bin/python] [--history bench/history.jsonl]

Peers: eager and compile (torch.compile) are bench/torch_twin.py, eager_keep and compile_keep the same with a C library
that keeps freed memory (--keep-memory), marian is bench/marian_peer.py; one_thread is Dragoman itself with one thread.
All others have equal
threads. In each round Dragoman and then every peer runs once, one process at a time. All count labels (end of sentence included,
no padding) over whole updates after the warm-up. Without --spm a joint BPE of 8,000 is trained.
A peer that cannot run a size is named with the reason, and the rest goes on. --baseline runs another program in the
place of eager: it takes --spm, --src, --tgt, --size, --threads, --updates (the warm-up among them) and --warmup, and
prints a JSON line with tgt_tok_s and peak_rss_mb. bench/setup_peers.sh makes the Python that peers need; this program
needs none of it. Only the ratios mean anything: machines differ, and are shared.
"""
import argparse
import gzip
import json
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PEERS = {"eager": ["torch_twin.py"], "compile": ["torch_twin.py", "--compile"],
         "eager_keep": ["torch_twin.py", "--keep-memory"],
         "compile_keep": ["torch_twin.py", "--compile", "--keep-memory"], "marian": ["marian_peer.py"],
         "one_thread": []}
TRAIN_SPM = """
import sentencepiece, sys
folder = sys.argv[1]
sentencepiece.SentencePieceTrainer.train(
    input=[folder + "/source", folder + "/target"], model_prefix=folder + "/bpe", vocab_size=8000, model_type="bpe",
    unk_id=0, bos_id=1, eos_id=2, pad_id=-1, normalization_rule_name="identity", minloglevel=2)
"""


class Failed(Exception):
    pass


def fail(message):
    sys.exit(f"compare: {message}")


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {number}, expected at least 1")
    return number


def unpack(path, to):
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    to.write_bytes(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def run(command, threads):
    """What the command prints. Raises Failed with the last thing it said."""
    environment = dict(os.environ, PYTHONWARNINGS="ignore", OMP_NUM_THREADS=str(threads))
    try:
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment,
                                check=False)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from error
    if result.returncode < 0:
        raise Failed(f"{pathlib.Path(command[0]).name} was ended by {signal.Signals(-result.returncode).name}")
    if result.returncode > 0:
        raise Failed((result.stderr.strip() or f"exit code {result.returncode}").split("\n")[-1])
    return result.stdout


def last_json(command, threads):
    try:
        return json.loads(run(command, threads).strip().split("\n")[-1])
    except json.JSONDecodeError as error:
        raise Failed("it printed no JSON") from error


def cpu_name():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n"):
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


def commit_name():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE,
                          check=False).stdout.strip()


def ratios(ours, theirs):
    """Ratio of the medians, and the least and the median of the rounds' ratios."""
    rounds = [a / b for a, b in zip(ours, theirs)]
    return statistics.median(ours) / statistics.median(theirs), min(rounds), statistics.median(rounds)


def commands_of(size, model, folder, arguments):
    """The command of each system; Dragoman comes first."""
    threads, updates, warmup = arguments.threads, arguments.updates, arguments.warmup
    ours = [arguments.binary, "bench", HERE / f"size_{size}.yaml", "--json", "--updates", updates, "--warmup", warmup]
    for item in [f"tokenizer.model_file={model}", f"data.train.source={folder / 'source'}",
                 f"data.train.target={folder / 'target'}", *arguments.set]:
        ours += ["--set", item]
    commands = {"dragoman": [*ours, "--threads", threads]}
    for peer in arguments.peers:
        if peer == "one_thread":
            commands[peer] = [*ours, "--threads", 1]
            continue
        program, *options = PEERS[peer]
        program, total = HERE / program, updates
        if peer == "eager" and arguments.baseline:
            program, total = arguments.baseline, updates + warmup
        commands[peer] = [arguments.python, program, "--spm", model, "--src", folder / "source",
                          "--tgt", folder / "target", "--size", size, "--threads", threads, "--updates", total,
                          "--warmup", warmup, *options]
    return commands


def measure(commands, rounds, threads):
    """Results of each system, a round each, and why others failed."""
    results, reasons = {name: [] for name in commands}, {}
    for _ in range(rounds):
        for name, command in commands.items():
            if name in reasons:
                continue
            try:
                results[name].append(last_json(command, threads))
            except Failed as error:
                if name == "dragoman":
                    fail(f"{' '.join(map(str, command))} failed: {error}")
                reasons[name] = str(error)
                del results[name]
    return results, reasons


def print_table(size, results, reasons):
    ours = [result["tgt_tok_s"] for result in results["dragoman"]]
    for name, found in results.items():
        speeds = [result["tgt_tok_s"] for result in found]
        line = (f"{size:4} {name:12} {min(speeds):9.0f} {statistics.median(speeds):8.0f} "
                f"{max(result['peak_rss_mb'] for result in found):8.0f}")
        if name != "dragoman":
            line += " {:>8} {:7.2f} {:11.2f} {:7.2f}".format("", *ratios(ours, speeds))
        elif "share_of_peak" in found[0]:
            line += f" {statistics.median(result['share_of_peak'] for result in found):8.2f}"
        print(line, flush=True)
    for name, reason in reasons.items():
        print(f"{size:4} {name:12} failed: {reason}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", required=True, help="training text, plain or gzip")
    parser.add_argument("--target", required=True)
    parser.add_argument("--sizes", nargs="+", choices=["T", "M", "L", "G", "S"], default=["T", "M", "L", "G", "S"])
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=["eager", "compile", "marian"])
    parser.add_argument("--baseline", help="a program that takes the place of eager")
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--threads", type=positive, default=2)
    parser.add_argument("--updates", type=positive, default=20, help="updates measured")
    parser.add_argument("--warmup", type=int, default=4, help="updates before measuring")
    parser.add_argument("--binary", default="build/release/dragoman")
    parser.add_argument("--set", action="append", default=[], help="passed on to dragoman bench")
    parser.add_argument("--spm", help="a SentencePiece model of both sides")
    parser.add_argument("--python", default=HERE / ".peers/bin/python", help="the Python of the peers")
    parser.add_argument("--history", help="append a line for each size to this file")
    arguments = parser.parse_args()
    commit, cpu = commit_name(), cpu_name()
    print(f"CPU {cpu}, {arguments.threads} threads, commit {commit}, {arguments.rounds} rounds")
    print(f"{'size':4} {'system':12} {'tok/s min':>9} {'median':>8} {'peak MB':>8} {'of peak':>8} {'ratio':>7} "
          f"{'rounds: min':>11} {'median':>7}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        unpack(arguments.source, folder / "source")
        unpack(arguments.target, folder / "target")
        if not arguments.spm:
            try:
                run([arguments.python, "-c", TRAIN_SPM, folder], arguments.threads)
            except Failed as error:
                fail(f"training the vocabulary failed: {error}; run bench/setup_peers.sh, or give --spm")
        model = pathlib.Path(arguments.spm or folder / "bpe.model").resolve()
        for size in arguments.sizes:
            results, reasons = measure(commands_of(size, model, folder, arguments), arguments.rounds, arguments.threads)
            print_table(size, results, reasons)
            if arguments.history:
                line = {"commit": commit, "cpu": cpu, "threads": arguments.threads, "size": size,
                        **{name: [round(result["tgt_tok_s"]) for result in found] for name, found in results.items()},
                        "peak_mb": {name: round(max(result["peak_rss_mb"] for result in found))
                                    for name, found in results.items()}}
                with open(arguments.history, "a", encoding="utf-8") as history:
                    history.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
