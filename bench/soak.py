#!/usr/bin/env python3
"""A long training with constant validation and checkpoints: memory stays flat, no descriptor leaks, logs stay small.

Usage: bench/soak.py [--minutes 30] [--binary build/release/dragoman] [--folder FOLDER] [--threads 1] [--set KEY=VALUE]

Trains on a toy task, validates and saves every 50 updates, and looks at the process every few seconds. Fails (exit
code 1) when in the last quarter the usual resident memory is more than 5 % above that of the second, when the usual number
of open files or threads is larger, when a temporary file stays behind, or when the logs grow by more than 100 kB a minute.
"""

import argparse
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

CONFIG = """
name: soak
data:
  train: {source: toy/train.src, target: toy/train.trg}
  dev: {source: toy/dev.src, target: toy/dev.trg}
tokenizer: {vocab_size: 200, sampling: {alpha: 0.1}}
model:
  encoder: {type: transformer, layers: 2, model_size: 64, ffn_size: 128}
  decoder: {type: transformer, layers: 2, model_size: 64, ffn_size: 128}
  dropout: {residual: 0.1}
training:
  max_epochs: 0
  max_updates: 100000000
  batch_tokens: 1024
  ema: 0.999
  window: 2000
  on_divergence: rollback
  optimizer: {learning_rate: 3e-4}
  validation: {every_updates: 50, metrics: [perplexity, bleu], beam_size: 4}
  checkpoints: {every_updates: 50, keep: 3}
"""


def look(pid, model):
    """Resident memory in MB, open files, threads, bytes of the logs."""
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    files = len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
    logs = sum(path.stat().st_size for path in model.glob("*") if path.suffix in (".log", ".jsonl"))
    return int(status["VmRSS"].split()[0]) * 1024e-6, files, int(status["Threads"]), logs


def watch(process, model, seconds, every):
    """Looks until the time is over: a list of (seconds, memory, files, threads, bytes of the logs)."""
    start, found = time.monotonic(), []
    while (passed := time.monotonic() - start) < seconds:
        if process.poll() is not None:
            sys.exit(f"soak: the training ended by itself with code {process.returncode}")
        found.append((passed, *look(process.pid, model)))
        time.sleep(every)
    return found


def judge(found, seconds):
    quarters = [[row for row in found if q * seconds / 4 <= row[0] < (q + 1) * seconds / 4] for q in range(4)]
    usual = [[statistics.median(row[column] for row in rows) for column in range(4)] for rows in quarters]
    print("quarter  memory MB: median  highest  open files: median  highest  threads")
    for number, (rows, middle) in enumerate(zip(quarters, usual), 1):
        print(f"{number:>7} {middle[1]:>18.1f} {max(row[1] for row in rows):>8.1f} {middle[2]:>19g}"
              f" {max(row[2] for row in rows):>8} {middle[3]:>8g}")
    problems = []
    if usual[3][1] > 1.05 * usual[1][1]:
        problems.append(f"memory grew from {usual[1][1]:.1f} to {usual[3][1]:.1f} MB")
    for column, what in ((2, "open files"), (3, "threads")):
        if usual[3][column] > usual[1][column]:
            problems.append(f"the number of {what} grew")
    rate = (found[-1][4] - found[0][4]) / (found[-1][0] - found[0][0]) * 60e-3
    print(f"logs grow by {rate:.1f} kB a minute")
    if rate > 100:
        problems.append("the logs grow fast")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--binary", default="build/release/dragoman")
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], help="passed on to dragoman train")
    arguments = parser.parse_args()
    binary, seconds = str(pathlib.Path(arguments.binary).resolve()), 60 * arguments.minutes
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "soak.yaml").write_text(CONFIG, encoding="utf-8")
        subprocess.run([binary, "generate", "reverse", "-o", "toy", "--train", "20000", "--dev", "100", "--overwrite"],
                       cwd=folder, check=True, stderr=subprocess.DEVNULL)
        command = [binary, "train", "soak.yaml", "--model-dir", "model", "--overwrite", "--threads", arguments.threads]
        command += [part for setting in arguments.set for part in ("--set", setting)]
        with open(folder / "terminal", "w", encoding="utf-8") as terminal:
            process = subprocess.Popen(list(map(str, command)), cwd=folder, stderr=terminal)
            while not (folder / "model/metrics.jsonl").exists() and process.poll() is None:
                time.sleep(0.2)
            found = watch(process, folder / "model", seconds, max(0.2, seconds / 400))
            process.send_signal(signal.SIGTERM)
            code = process.wait(60)
        problems = judge(found, seconds)
        if code != 143:
            problems.append(f"after SIGTERM it ended with code {code}, expected 143")
        if left := list((folder / "model").rglob("*dragoman-tmp*")):
            problems.append(f"temporary files stayed behind: {left}")
        update = (folder / "model/checkpoints/latest").read_text(encoding="utf-8").strip()
        print(f"{arguments.minutes:g} minutes, {int(update)} updates")
    for problem in problems:
        print(f"soak: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
