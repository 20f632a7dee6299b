"""A training whose calls to the file system fail or that is killed in them, one call after the other.

After each failure the training must have said what could not be done, and --resume (or, when nothing was saved yet,
--overwrite) must end with the bytes of the training that was left alone. DRAGOMAN_EVERY=1 tries every call (minutes);
else every few, from a random one on.
"""

import errno
import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from cli_support import BINARY, MODEL, needs_program, run, write_state

LIBRARY = Path(os.environ.get("DRAGOMAN_FAILING_CALLS", BINARY.parent / "tests" / "libfailing_calls.so"))
EVERY = int(os.environ.get("DRAGOMAN_EVERY", 17))

pytestmark = [needs_program, pytest.mark.skipif(not LIBRARY.exists(), reason=f"no {LIBRARY}; build the tests")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A configuration that writes every kind of file, and what its training leaves."""
    folder = tmp_path_factory.mktemp("failures")
    run("generate", "copy", "-o", folder / "toy", "--train", 60, "--dev", 5, "--test", 5, "--symbols", 5)
    (folder / "config.yaml").write_text(
        "name: tiny\nthreads: 1\ndata:\n  train: {source: toy/train.src, target: toy/train.trg}\n"
        "  dev: {source: toy/dev.src, target: toy/dev.trg}\ntokenizer: {type: word}\n" + MODEL + ""
        "training: {batch_tokens: 110, max_updates: 6, max_epochs: 0, log_every: 2, ema: 0.9, window: 40,\n"
        "  on_divergence: rollback, validation: {every_updates: 2, metrics: [perplexity]},\n"
        "  checkpoints: {every_updates: 2, keep: 1}}\n"
    )
    return folder


def train(folder, model, *options, call=0, kind="kill"):
    """The training with a fault; returns the process and how many calls there were (when it lived to tell)."""
    counts = folder / "counts"
    counts.unlink(missing_ok=True)
    environment = {
        **os.environ, "LD_PRELOAD": str(LIBRARY), "FAULT_FOLDER": str(folder / model), "FAULT_CALL": str(call),
        "FAULT_KIND": str(kind), "FAULT_COUNT": str(counts), "OMP_WAIT_POLICY": "passive",
    }  # fmt: skip
    command = [str(BINARY), "train", "config.yaml", "--model-dir", model, *options]
    process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    return process, int(counts.read_text()) if counts.exists() else None


def kept_files(directory):
    """What must be the same in the end; logs and times are not compared."""
    names = {p.relative_to(directory) for p in directory.rglob("*") if p.is_file()}
    names = {n for n in names if n.name not in ("lock", "train.log", "timing.jsonl")}
    return {str(n): (directory / n).read_bytes() for n in names if ".dragoman-tmp." not in str(n)}


@pytest.fixture(scope="module")
def whole(folder):
    process, calls = train(folder, "model")
    assert process.returncode == 0 and calls > 100, process.stderr
    files = kept_files(folder / "model")
    assert {"model.safetensors", "metrics.jsonl", "checkpoints/latest"} <= set(files)
    return files, calls


def finish(folder):
    """Goes on as the message says."""
    has_checkpoint = (folder / "model/checkpoints/latest").exists()
    run("train", "config.yaml", "--model-dir", "model", "--resume" if has_checkpoint else "--overwrite", cwd=folder)


@pytest.mark.parametrize("kind", [errno.ENOSPC, errno.EROFS, errno.EIO, "kill", "torn"])
def test_a_failed_call_loses_nothing(folder, whole, kind):
    files, calls = whole
    first = random.SystemRandom().randrange(EVERY) + 1
    print(f"kind {kind}, calls {first}, {first + EVERY}, ... of {calls}")
    for call in range(first, calls + 1, EVERY):
        subprocess.run(["rm", "-rf", "model"], cwd=folder, check=True)
        process, _ = train(folder, "model", call=call, kind=kind)
        where = f"kind {kind}, call {call} of {calls}: {process.returncode}\n{process.stderr}"
        if kind in ("kill", "torn"):
            assert process.returncode == -9, where
        elif process.returncode != 0:  # what need not succeed may fail in silence: removing a temporary file
            assert process.returncode == 2, where
            last = process.stderr.splitlines()[-1]
            assert last.startswith(f"dragoman: {folder}/model"), where
            assert os.strerror(kind) in last and ("cannot " in last or "Fail" in last), where
        if process.returncode != 0:
            finish(folder)
        now = kept_files(folder / "model")
        assert now.keys() == files.keys(), where
        assert [name for name in files if now[name] != files[name]] == [], where


@pytest.mark.parametrize("start", ["at a checkpoint", "within a validation"])
def test_a_resumed_training_is_as_safe(folder, start):
    """The same for the calls of a training that goes on."""

    def begin():
        subprocess.run(["rm", "-rf", "model"], cwd=folder, check=True)
        subprocess.run(["cp", "-a", "start", "model"], cwd=folder, check=True)

    subprocess.run(["rm", "-rf", "model", "start"], cwd=folder, check=True)
    train(folder, "model", "--set", "training.max_updates=3")
    if start == "within a validation":  # as a signal leaves it
        path = folder / "model/checkpoints/000003/state.json"
        state = json.loads(path.read_text())
        state |= {"validation_due": True, "validated_update": 2, "reports": state["reports"] - 1,
                  "scheduled": state["scheduled"][:-1]}
        write_state(path, state)
    subprocess.run(["mv", "model", "start"], cwd=folder, check=True)
    begin()
    process, calls = train(folder, "model", "--resume")
    assert process.returncode == 0, process.stderr
    files = kept_files(folder / "model")
    first = random.SystemRandom().randrange(EVERY) + 1
    print(f"calls {first}, {first + EVERY}, ... of {calls}")
    for call in range(first, calls + 1, EVERY):
        begin()
        process, _ = train(folder, "model", "--resume", call=call)
        assert process.returncode == -9, process.stderr
        finish(folder)
        now = kept_files(folder / "model")
        assert now.keys() == files.keys() and [name for name in files if now[name] != files[name]] == [], call
