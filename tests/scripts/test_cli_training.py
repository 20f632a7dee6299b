"""Interruptions and the rules of a model directory, through the program."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time

import pytest
from cli_support import BINARY, MODEL, needs_program, poison, refused, run

pytestmark = needs_program

UPDATES = 1200


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with a configuration that uses all that must survive an interruption, and its whole training."""
    folder = tmp_path_factory.mktemp("training")
    run("generate", "reverse", "-o", folder / "toy", "--train", 300, "--dev", 20, "--test", 5, "--symbols", 8)
    (folder / "config.yaml").write_text(
        "name: tiny\nthreads: 1\ndata:\n  train: {source: toy/train.src, target: toy/train.trg}\n"
        "  dev: {source: toy/dev.src, target: toy/dev.trg}\ntokenizer: {type: word}\n" + MODEL + ""
        "  dropout: {embedding: 0.1, context: 0.1, readout: 0.1}\n"
        f"training: {{batch_tokens: 120, accumulate: 2, max_updates: {UPDATES}, max_epochs: 0, log_every: 7,\n"
        "  window: 128, schedule: {type: plateau, patience: 2},\n"
        "  validation: {every_updates: 100, metrics: [perplexity]}}\n"
    )
    run("train", "config.yaml", "--model-dir", "whole", cwd=folder)
    return folder


def quick(folder, model_dir, *options, **more):
    return run("train", "config.yaml", "--model-dir", model_dir, "--set", "training.max_updates=5", *options,
               cwd=folder, **more)  # fmt: skip


def wait_for_reports(model_dir):
    metrics = model_dir / "metrics.jsonl"
    deadline = time.monotonic() + 30
    while not (metrics.exists() and metrics.stat().st_size > 0) and time.monotonic() < deadline:
        time.sleep(0.005)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interruption_is_saved_and_resumed_to_the_same_model(data, number, code):
    name = f"interrupted-{code}"
    command = [str(BINARY), "train", "config.yaml", "--model-dir", name]
    with subprocess.Popen(command, cwd=data, stderr=subprocess.PIPE) as process:
        wait_for_reports(data / name)
        process.send_signal(number)
        message = process.communicate(timeout=30)[1].decode()
    assert process.returncode == code, message
    assert "interrupted" in message and "--resume" in message and "done" not in message
    assert int((data / name / "checkpoints/latest").read_text()) < UPDATES
    refused("train", "config.yaml", "--model-dir", name, cwd=data)
    run("train", "config.yaml", "--model-dir", name, "--resume", "--threads", 2, cwd=data)
    for file in ("model.safetensors", "metrics.jsonl", f"checkpoints/{UPDATES:06}/state.json"):
        assert (data / name / file).read_bytes() == (data / "whole" / file).read_bytes(), file
    assert sorted(p.name for p in (data / name / "checkpoints").iterdir()) == sorted(
        p.name for p in (data / "whole" / "checkpoints").iterdir()
    )


def test_under_nohup_a_terminal_that_closes_stops_nothing(data):
    command = [str(BINARY), "train", "config.yaml", "--model-dir", "nohup", "--set", "training.max_updates=150"]
    ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)  # noqa: E731
    with subprocess.Popen(command, cwd=data, stderr=subprocess.PIPE, preexec_fn=ignore) as process:
        wait_for_reports(data / "nohup")
        process.send_signal(signal.SIGHUP)
        assert b"done" in process.communicate(timeout=30)[1]
    assert process.returncode == 0


def test_a_second_signal_ends_it_at_once_and_loses_only_what_was_not_saved(data):
    """The second comes before the first is answered: both while the process stands still."""
    command = [str(BINARY), "train", "config.yaml", "--model-dir", "twice", "--set", "training.checkpoints.every_updates=1"]
    with subprocess.Popen(command, cwd=data, stderr=subprocess.PIPE) as process:
        wait_for_reports(data / "twice")
        process.send_signal(signal.SIGSTOP)
        for number in (signal.SIGINT, signal.SIGTERM):  # two of a kind would be one
            process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        message = process.communicate(timeout=30)[1].decode()
    assert process.returncode in (-signal.SIGINT, -signal.SIGTERM) and "interrupted" not in message
    run("train", "config.yaml", "--model-dir", "twice", "--resume", "--set", "training.checkpoints.every_updates=0", cwd=data)
    assert (data / "twice/model.safetensors").read_bytes() == (data / "whole/model.safetensors").read_bytes()


def test_a_checkpoint_that_the_mean_needs_is_missed(data):
    options = ["--set", "training.checkpoints={every_updates: 2, keep: 4, average_last: 3}"]
    run("train", "config.yaml", "--model-dir", "mean", "--set", "training.max_updates=8", *options, cwd=data)
    checkpoints = data / "mean/checkpoints"
    before = {path: path.read_bytes() for path in (data / "mean").rglob("*") if path.is_file()}
    (checkpoints / "000006").rename(data / "aside")
    more = ["train", "config.yaml", "--model-dir", "mean", "--resume", "--set", "training.max_updates=12", *options]
    message = refused(*more, cwd=data)
    assert "000006/model.safetensors" in message and "average_last needs it" in message
    (data / "aside").rename(checkpoints / "000006")
    assert {path: path.read_bytes() for path in (data / "mean").rglob("*") if path.is_file()} == before
    shutil.rmtree(checkpoints / "000002")  # no later mean has it
    run(*more, "--set", "training.checkpoints.keep=3", cwd=data)
    run("train", "config.yaml", "--model-dir", "at once", "--set", "training.max_updates=12", *options, cwd=data)
    assert (data / "mean/model.safetensors").read_bytes() == (data / "at once/model.safetensors").read_bytes()
    assert sorted(path.name for path in checkpoints.iterdir()) == ["000008", "000010", "000012", "latest"]


def test_lost_reports_are_told(data):
    quick(data, "reports", "--set", "training.log_every=1")
    metrics = data / "reports/metrics.jsonl"
    lines = metrics.read_text().splitlines(keepends=True)
    metrics.write_text("".join(lines[:2]))
    process = run("train", "config.yaml", "--model-dir", "reports", "--resume", "--set", "training.max_updates=6",
                  "--set", "training.log_every=1", cwd=data)  # fmt: skip
    assert f"warning: {metrics}: {len(lines) - 2} of the {len(lines)} reports before the checkpoint are lost" in process.stderr
    assert metrics.read_text().startswith("".join(lines[:2]) + '{"kind":"train","epoch":1,"update":6,')


def test_a_used_directory_needs_overwrite_or_resume(data):
    quick(data, "used")
    before = (data / "used/model.safetensors").read_bytes()
    message = refused("train", "config.yaml", "--model-dir", "used", cwd=data)
    assert "--resume" in message and "--overwrite" in message
    assert (data / "used/model.safetensors").read_bytes() == before
    quick(data, "used", "--overwrite", "--set", "seed=2")
    assert (data / "used/model.safetensors").read_bytes() != before


def test_resume_and_overwrite_exclude_each_other(data):
    assert "--overwrite" in run("train", "config.yaml", "--resume", "--overwrite", cwd=data, code=2).stderr


def test_resume_needs_a_checkpoint_and_the_same_configuration(data):
    assert "no checkpoint to resume from" in refused("train", "config.yaml", "--model-dir", "fresh", "--resume", cwd=data)
    (data / "empty").mkdir()
    assert "no checkpoint to resume from" in refused("train", "config.yaml", "--model-dir", "empty", "--resume", cwd=data)
    quick(data, "changed")
    before = (data / "changed/train.log").read_bytes()
    other_text = ["--set", "data.train.source=toy/train.trg"]
    for options, expected in (
        (["--set", "training.label_smoothing=0.3"], "training.label_smoothing: 0.3 now, 0.1 then"),
        (other_text, ": data.train;"),
        (["--set", "seed=3", *other_text], "data.train, the configuration (seed: 3 now, 1 then);"),
    ):
        message = quick(data, "changed", "--resume", *options, code=2).stderr
        assert len(message.splitlines()) == 1 and expected in message, message
        assert "checkpoint of update 5" in message and "--overwrite" in message and "put it back" in message
    vocabulary = data / "changed/tokenizer.json"
    vocabulary.write_text(vocabulary.read_text().replace('"1"', '"one"'))
    assert ": the tokenizer;" in quick(data, "changed", "--resume", code=2).stderr
    assert (data / "changed/train.log").read_bytes() == before, "a refused --resume writes nothing"


def test_resume_goes_on_to_more_updates(data):
    run("train", "config.yaml", "--model-dir", "longer", "--set", "training.max_updates=200", cwd=data)
    run("train", "config.yaml", "--model-dir", "longer", "--set", "training.max_updates=300", "--resume", cwd=data)
    run("train", "config.yaml", "--model-dir", "at-once", "--set", "training.max_updates=300", cwd=data)
    for file in ("model.safetensors", "checkpoints/000300/model.safetensors"):
        assert (data / "longer" / file).read_bytes() == (data / "at-once" / file).read_bytes(), file


def test_overwrite_leaves_nothing_of_the_training_before(data):
    quick(data, "replaced")
    quick(data, "replaced", "--overwrite", "--set", "tokenizer.shared=false", "--set", "training.max_updates=3")
    quick(data, "separate", "--set", "tokenizer.shared=false", "--set", "training.max_updates=3")
    names = [{p.name for p in (data / d).rglob("*")} for d in ("replaced", "separate")]
    assert names[0] == names[1]
    assert run("translate", data / "replaced", stdin="1 2\n").stdout == run(
        "translate", data / "separate", stdin="1 2\n").stdout  # fmt: skip


def test_a_start_that_failed_does_not_block_the_directory(data):
    (data / "blank.txt").write_text("\n\n")
    files = ["--set", "data.train.source=blank.txt", "--set", "data.train.target=blank.txt"]
    quick(data, "failed", *files, code=2)
    quick(data, "failed")


def test_a_diverged_training_says_what_to_change_and_keeps_its_checkpoint(data):
    options = ["--set", "training.optimizer.learning_rate=1e37", "--set", "training.checkpoints.every_updates=1",
               "--set", "training.max_updates=50"]  # fmt: skip
    process = run("train", "config.yaml", "--model-dir", "diverged", *options, cwd=data, code=1)
    message = process.stderr.splitlines()[-1]
    assert message.startswith("dragoman: update ") and "training.optimizer.learning_rate" in message
    assert (data / "diverged/checkpoints/latest").exists()


def test_init_from_takes_a_models_parameters(data):
    quick(data, "start")
    options = ["--set", "training.init_from=start/model.safetensors", "--set", "training.optimizer.learning_rate=1e-30"]
    process = quick(data, "continued", *options)
    assert "keeps its random start" not in process.stderr
    assert (data / "continued/model.safetensors").read_bytes() == (data / "start/model.safetensors").read_bytes()
    assert "none.safetensors" in refused("train", "config.yaml", "--model-dir", "x", "--set",
                                         "training.init_from=none.safetensors", cwd=data)  # fmt: skip


def test_memory_is_estimated_at_the_start_and_measured_at_the_end(data):
    large = ["--set", "model.encoder.hidden_size=500", "--set", "model.decoder.hidden_size=500"]
    log = quick(data, "memory", *large).stderr
    assert int(re.search(r"(\d+) parameters with", log)[1]) > 50, log
    expected = int(re.search(r"memory: about (\d+) MB", log)[1])
    peak = int(re.search(r"peak memory (\d+) MB", log)[1])
    assert abs(peak - expected) <= 0.2 * peak, log


def test_memory_counts_the_maps_of_a_long_development_line(data):
    """144 heads of maps of a line of 1,000 tokens, which validation looks at one by one."""
    (data / "long").write_text("1 2 3\n" + "1 2 " * 500 + "\n")
    transformer = "{type: transformer, layers: 6, model_size: 16, heads: 8, ffn_size: 16}"
    (data / "maps.yaml").write_text(
        "name: maps\nthreads: 1\ndata:\n  train: {source: toy/train.src, target: toy/train.trg}\n"
        "  dev: {source: long, target: long}\ntokenizer: {type: word}\n"
        f"model: {{encoder: {transformer}, decoder: {transformer}}}\n"
        "training: {max_updates: 2, max_epochs: 0, validation: {every_updates: 2, metrics: [perplexity]}}\n"
    )
    log = run("train", "maps.yaml", "--model-dir", "maps", cwd=data).stderr
    expected = int(re.search(r"memory: about (\d+) MB", log)[1])
    peak = int(re.search(r"peak memory (\d+) MB", log)[1])
    assert abs(peak - expected) <= 0.25 * peak, log
    report = next(r for r in map(json.loads, (data / "maps/metrics.jsonl").open()) if "attention" in r)
    assert len(report["attention"]) == 144


def test_bfloat16_trains_and_says_when_it_is_emulated(data):
    log = quick(data, "bfloat16", "--set", "training.precision=bfloat16").stderr
    native = "with BF16" in run("--version").stdout
    assert ("training.precision: bfloat16 is emulated" in log) == (not native)
    quick(data, "float32")
    model = "model.safetensors"
    assert (data / "bfloat16" / model).read_bytes() != (data / "float32" / model).read_bytes()
    assert "training.precision" in refused("train", "config.yaml", "--set", "training.precision=fp16", cwd=data)


def test_a_reader_of_the_log_that_goes_away_stops_nothing(data):
    read, write = os.pipe()
    os.close(read)
    command = [str(BINARY), "train", "config.yaml", "--model-dir", "unheard", "--set", "training.max_updates=20"]
    process = subprocess.run(command, cwd=data, stdout=write, stderr=write, timeout=60)
    os.close(write)
    assert process.returncode == 0
    assert "done" in (data / "unheard/train.log").read_text() and (data / "unheard/model.safetensors").exists()


def test_a_dry_run_checks_reports_and_writes_nothing(data):
    process = run("train", "config.yaml", "--model-dir", "dry", "--dry-run", cwd=data)
    assert "training data: 0 of 300 pairs dropped" in process.stdout and "memory: about" in process.stdout
    assert process.stderr == "" and not (data / "dry").exists()
    assert "learning_rate" in refused("train", "config.yaml", "--dry-run", "--set",
                                      "training.optimizer.learning_rate=-1", cwd=data)  # fmt: skip
    (data / "uneven").write_text("1\n")
    assert "lines against" in refused("train", "config.yaml", "--dry-run", "--set", "data.train.target=uneven", cwd=data)
    quick(data, "dried")
    before = sorted((p, p.stat().st_mtime_ns) for p in (data / "dried").rglob("*"))
    run("train", "config.yaml", "--model-dir", "dried", "--resume", "--dry-run", cwd=data)
    refused("train", "config.yaml", "--model-dir", "dried", "--resume", "--dry-run", "--set", "seed=3", cwd=data)
    assert sorted((p, p.stat().st_mtime_ns) for p in (data / "dried").rglob("*")) == before


def test_what_does_not_fit_into_memory_is_refused_at_the_start(data):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))

    large = ["--set", "model.encoder.hidden_size=3000", "--set", "model.decoder.hidden_size=3000", "--dry-run"]
    command = [str(BINARY), "train", "config.yaml", "--model-dir", "large", *large]
    process = subprocess.run(command, cwd=data, preexec_fn=limit, capture_output=True, text=True, timeout=60)
    assert process.returncode == 2, process.stderr
    found = re.fullmatch(r"dragoman: memory: the parameters .* need about (\d+) MB, but (\d+) MB are free; .*\n",
                         process.stderr)  # fmt: skip
    assert found and int(found[1]) > 1000 > int(found[2]), process.stderr
    assert not (data / "large").exists()


def test_memory_that_runs_out_later_is_said(data):
    quick(data, "small", "--set", "decoding={batch_sentences: 10000, beam_size: 100}")
    (data / "many").write_text("1 2 3 4 5 6 7 8\n" * 10_000)

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))

    command = [str(BINARY), "translate", "small", "-i", "many", "--threads", "2"]
    process = subprocess.run(command, cwd=data, preexec_fn=limit, capture_output=True, text=True, timeout=60)
    assert process.returncode == 1, process.stderr
    assert process.stderr.count("\n") == 1 and "memory" in process.stderr, process.stderr


def test_memory_that_runs_out_in_a_thread_of_a_library_is_said(data):
    """SentencePiece reads its text in threads of its own, where nobody can catch what they throw."""
    for megabytes in range(35, 140, 15):
        limit = (megabytes * 10**6, megabytes * 10**6)
        process = subprocess.run(
            [str(BINARY), "train", "config.yaml", "--model-dir", "tight", "--overwrite", "--threads", "1",
             "--set", "tokenizer={vocab_size: 14}", "--set", "training.max_updates=1"],
            cwd=data, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert process.returncode in (0, 1, 2, 127), process.stderr  # 127: too little to load the program
        if process.returncode in (1, 2):
            assert process.stderr.splitlines()[-1].startswith("dragoman: "), process.stderr
            assert "terminate" not in process.stderr


def test_init_from_is_not_removed_by_overwrite(data):
    for place in ("diverged/1", "checkpoints/000005"):
        quick(data, "again", "--overwrite")
        folder = data / "again" / place
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(data / "again/model.safetensors", folder)
        start = ["--overwrite", "--set", f"training.init_from=again/{place}/model.safetensors"]
        assert "would remove or replace it" in quick(data, "again", *start, code=2).stderr
        assert (folder / "model.safetensors").exists()


@pytest.mark.parametrize("place", ["checkpoints/text", "diverged/text", "train.log"])
@pytest.mark.parametrize("kind", ["train", "dev", "test"])
def test_text_is_not_removed_by_overwrite(data, place, kind):
    text = data / "texts" / place
    text.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(data / "toy/dev.src", text)
    key = f"data.{kind}={{source: texts/{place}, target: toy/dev.trg}}"
    assert "would remove or replace it" in quick(data, "texts", "--overwrite", "--set", key, code=2).stderr
    assert text.read_bytes() == (data / "toy/dev.src").read_bytes()


def test_a_diverged_update_can_be_computed_again(data):
    sides = ["--set", "model.encoder={type: transformer, model_size: 8, heads: 2, ffn_size: 12}"]
    sides = [*sides, "--set", "model.encoder.embedding_size=128", "--set", "model.encoder.hidden_size=128"]
    quick(data, "sound", *sides)
    poison(data / "sound", "3", data / "sound/poisoned.safetensors")
    quick(data, "burst", *sides, "--set", "training.init_from=sound/poisoned.safetensors", code=1)
    batch = json.loads((data / "burst/diverged/1/batch.json").read_text())
    said = run("replay", data / "burst/diverged/1").stdout.splitlines()
    assert said[0] == f"update {batch['update']}: {batch['problem']} was not finite"
    assert said[-1].startswith(f"again: {batch['problem']} is not finite")
    pairs = [pair for sentences in batch["batches"] for pair in sentences]
    assert len(said) == len(pairs) + 2, "a line for each sentence"
    losses = [line.split("loss ")[1].split()[0] for line in said[1:-1]]
    for pair, loss in zip(pairs, losses):
        assert ("nan" in loss) == ("3" in pair["source"].split()), (pair["source"], loss)
        file, line = pair["where"].rsplit(":", 1)
        assert (data / file).read_text().splitlines()[int(line) - 1] == pair["source"]
    assert "batch.json" in refused("replay", data / "sound")
