"""What a training says: short lines on a terminal, whole ones in train.log, something at least every so often."""

import json
import os
import pty
import re
import subprocess
import time

import pytest
from cli_support import BINARY, MODEL, PASSIVE, lines_of, needs_program, run

pytestmark = needs_program


@pytest.fixture(name="data", scope="module")
def fixture_data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("log")
    run("generate", "reverse", "-o", folder / "toy", "--train", 400, "--dev", 20, "--test", 20, "--min-length", 1)
    sides = "".join(f"  {p}: {{source: toy/{p}.src, target: toy/{p}.trg}}\n" for p in ("train", "dev", "test"))
    (folder / "config.yaml").write_text(
        f"name: log\nthreads: 1\ndata:\n{sides}tokenizer: {{type: word}}\n{MODEL}"
        "training: {batch_tokens: 200, max_updates: 30, log_every: 10, validation: {every_updates: 10}}\n"
    )
    return folder


def on_a_terminal(folder, *arguments):
    """The lines that the program writes to a terminal of 80 columns."""
    master, slave = pty.openpty()
    with subprocess.Popen([str(BINARY), *arguments], stdin=slave, stdout=slave, stderr=slave, cwd=folder,
                          env=PASSIVE) as process:  # fmt: skip
        os.close(slave)
        text = b""
        try:
            while block := os.read(master, 65536):
                text += block
        except OSError:  # the end
            pass
    os.close(master)
    assert process.returncode == 0, text
    return text.decode().replace("\r\n", "\n").splitlines()


def test_lines_on_a_terminal_are_short_and_those_of_the_file_whole(data):
    shown = on_a_terminal(data, "train", "config.yaml", "--model-dir", "tty")
    logged = lines_of(data / "tty" / "train.log")
    assert all(re.match(r"\d\d:\d\d:\d\d | {11}\S", line) for line in shown), shown
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  ", line) for line in logged), logged
    progress = [line for line in shown if " epoch " in line]
    assert len(progress) == 3 and all("  smoothed loss " in line and "  left " in line for line in progress)
    reports = [line for line in shown if re.match(r"\S+ (epoch|validation|test) | {11}\S", line)]
    assert len(reports) >= 7 and all(len(line) <= 80 for line in reports), reports
    whole = [line for line in logged if "  epoch " in line]
    assert len(whole) == 3 and all(re.search(r"lr \S+  grad \S+ +\d+ tok/s  left ", line) for line in whole)


def test_losses_are_named_and_bleu_has_two_decimals_and_one_signature(data):
    run("train", "config.yaml", "--model-dir", "names", cwd=data)
    run("train", "config.yaml", "--model-dir", "plain", "--set", "training.label_smoothing=0", cwd=data)
    text = (data / "names" / "train.log").read_text()
    assert len(re.findall(r"validation  update \d+ .*BLEU \d+\.\d\d  smoothed loss \d\.\d{4}  perplexity ", text)) == 3
    assert text.count("nrefs:1|") == 1 and "test  update" in text
    plain = (data / "plain" / "train.log").read_text()
    assert "smoothed" not in plain and len(re.findall(r"  loss \d", plain)) == 7


def test_standard_error_that_is_no_terminal_gets_what_the_file_gets(data):
    process = run("train", "config.yaml", "--model-dir", "piped", cwd=data)
    assert process.stderr == (data / "piped" / "train.log").read_text()


def test_a_training_says_why_it_ends_and_warns_of_limits(data):
    process = run("train", "config.yaml", "--model-dir", "ends", "--set", "training.max_updates=2000", "--set",
                  "training.validation.every_updates=0", cwd=data)  # fmt: skip
    told = re.search(r"warning: training.max_epochs: 10, its default, ends this training after about (\d+) updates, "
                     r"before training.max_updates \(2000\)", process.stderr)  # fmt: skip
    ended = re.search(r"training ends at update (\d+): max_epochs \(10\) is reached, before max_updates \(2000\)",
                      process.stderr)  # fmt: skip
    assert int(told[1]) == pytest.approx(int(ended[1]), rel=0.1)
    dry = run("train", "config.yaml", "--model-dir", "dry", "--dry-run", cwd=data)
    assert "max_epochs" not in dry.stdout, "30 updates are reached first"
    warmup = ["--set", "training.schedule={type: cosine, warmup: 60}"]
    expected = "training.schedule.warmup: found 60 with training.max_updates 30, expected a warmup that ends before"
    dry = run("train", "config.yaml", "--model-dir", "dry", "--dry-run", *warmup, cwd=data)
    assert re.search("^warning: --set: " + expected, dry.stdout, re.MULTILINE)
    assert "dragoman: warning: --set: " + expected in run("config", "config.yaml", *warmup, cwd=data).stderr
    assert expected in run("train", "config.yaml", "--model-dir", "trial", *warmup, cwd=data).stderr


def test_numerals_and_hard_batches_raise_no_false_alarm(data):
    process = run("train", "config.yaml", "--model-dir", "quiet", "--set", "training.max_epochs=0", "--set",
                  "training.max_updates=200", "--set", "training.validation.every_updates=0", cwd=data)  # fmt: skip
    assert "warning" not in process.stderr


def test_a_long_update_is_told_of_in_ten_seconds(data):
    run("generate", "copy", "-o", data / "long", "--train", 60000, "--dev", 5, "--test", 5)
    command = [str(BINARY), "train", "config.yaml", "--model-dir", "long-update", "--set", "data.dev={source: [], target: []}",
               "--set", "data.test={source: [], target: []}",
               "--set", "data.train={source: long/train.src, target: long/train.trg}",
               "--set", "training={accumulate: 10000, validation: {every_updates: 0}}",
               "--set", "model.encoder.hidden_size=256", "--set", "model.decoder.hidden_size=256"]  # fmt: skip
    with subprocess.Popen(command, cwd=data, stderr=subprocess.PIPE, text=True, env=PASSIVE) as process:
        try:
            begin = time.monotonic()
            for line in process.stderr:
                if "memory: about" in line:
                    begin = time.monotonic()  # the training begins
                if "update 1 is being computed" in line:
                    break
            else:
                pytest.fail("nothing was said")
            assert time.monotonic() - begin < 12
        finally:
            process.kill()
    assert lines_of(data / "long-update" / "metrics.jsonl") == []


def test_a_perfect_bleu_is_100(data):
    text = "".join(f"{n} words in line {n} of a text without any error\n" for n in range(1, 8))
    (data / "perfect").write_text(text)
    assert json.loads(run("metrics", "perfect", "-i", "perfect", "--json", cwd=data).stdout)["score"] == 100
