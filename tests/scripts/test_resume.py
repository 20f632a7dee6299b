"""From which checkpoint a training goes on when files are damaged or lost, and whose model directory it is."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from cli_support import BINARY, MODEL, PASSIVE, needs_program, refused, run

pytestmark = needs_program


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A configuration and its training of 12 updates, with all its checkpoints."""
    home = tmp_path_factory.mktemp("resume")
    run("generate", "copy", "-o", home / "toy", "--train", 60, "--dev", 5, "--test", 5, "--symbols", 5)
    (home / "config.yaml").write_text(
        "name: tiny\nthreads: 1\ndata:\n  train: {source: toy/train.src, target: toy/train.trg}\n"
        "  dev: {source: toy/dev.src, target: toy/dev.trg}\ntokenizer: {type: word}\n" + MODEL + ""
        "training: {batch_tokens: 110, max_updates: 12, max_epochs: 0, log_every: 2, window: 40,\n"
        "  validation: {every_updates: 2, metrics: [perplexity]}, checkpoints: {every_updates: 4, keep: 5}}\n"
    )
    run("train", "config.yaml", "--model-dir", "whole", cwd=home)
    return home


@pytest.fixture(name="model")
def fixture_model(home, tmp_path):
    return Path(shutil.copytree(home / "whole", tmp_path / "model"))


def train(home, model, *options, **more):
    return run("train", "config.yaml", "--model-dir", model, *options, cwd=home, **more)


def refusal(home, model, *options):
    return refused("train", "config.yaml", "--model-dir", model, *options, cwd=home)


def files_of(model):
    """What must be the same in the end; logs and times are not compared."""
    skipped = ("lock", "train.log", "timing.jsonl", "config.yaml")
    return {str(p.relative_to(model)): p.read_bytes() for p in model.rglob("*") if p.is_file() and p.name not in skipped}


def flip(path):
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["state.json", "model.safetensors", "optimizer.safetensors"])
@pytest.mark.parametrize("damage", [flip, Path.unlink])
def test_older_checkpoints_are_named_and_taken_when_asked(home, model, name, damage):
    damage(model / "checkpoints/000012" / name)
    before = files_of(model)
    message = refusal(home, model, "--resume")
    assert name in message
    assert "whole are 000004, 000008: --resume-from 8 (or newest) goes on from 000008" in message
    assert files_of(model) == before
    for asked in ("newest", "8", "4"):
        run("train", "config.yaml", "--model-dir", model, "--resume-from", asked, "--dry-run", cwd=home)
        assert files_of(model) == before, "a dry run writes nothing"
    train(home, model, "--resume-from", "newest")
    assert files_of(model) == files_of(home / "whole")


@pytest.mark.parametrize("asked", ["newest", "000008", "8", "4"])
def test_any_checkpoint_leads_to_the_same_end(home, model, asked):
    said = train(home, model, "--resume-from", asked).stderr
    assert f"resumed after update {12 if asked == 'newest' else int(asked)}" in said
    assert files_of(model) == files_of(home / "whole")


def test_an_earlier_end_has_the_model_of_that_time(home, model):
    assert (model / "model.safetensors").read_bytes() != (model / "checkpoints/000004/model.safetensors").read_bytes()
    train(home, model, "--resume-from", "4", "--set", "training.max_updates=4")
    assert (model / "model.safetensors").read_bytes() == (model / "checkpoints/000004/model.safetensors").read_bytes()
    assert (model / "checkpoints/000012").exists(), "no later one is removed before the next save"
    train(home, model, "--resume-from", "12")
    assert (model / "model.safetensors").read_bytes() == (home / "whole/model.safetensors").read_bytes()


def test_a_lost_latest_costs_nothing(home, model):
    (model / "checkpoints/latest").unlink()
    message = refusal(home, model, "--resume")
    assert "the file latest, which names the last checkpoint, is absent" in message
    assert "whole are 000004, 000008, 000012: --resume-from 12" in message
    train(home, model, "--resume-from", "newest")
    assert files_of(model) == files_of(home / "whole")


def test_a_lost_or_damaged_best_model_is_made_again(home, model):
    for damage in (flip, Path.unlink):
        damage(model / "model.safetensors")
        train(home, model, "--resume")
        assert files_of(model) == files_of(home / "whole")


# A rate by which the first validation is the best one.
RUIN = ["--set", "training.optimizer.learning_rate=20", "--set", "training.clip_norm=0",
        "--set", "training.checkpoints.every_updates=2"]  # fmt: skip


def test_an_older_best_model_is_copied_from_its_checkpoint(home, tmp_path):
    model = tmp_path / "model"
    train(home, model, *RUIN, "--set", "training.checkpoints.keep=9")
    before = files_of(model)
    assert before["model.safetensors"] == before["checkpoints/000002/model.safetensors"]
    flip(model / "model.safetensors")
    train(home, model, *RUIN, "--resume", "--set", "training.checkpoints.keep=9")
    assert files_of(model) == before


def test_a_best_model_that_cannot_be_made_again_is_told(home, tmp_path):
    model, options = tmp_path / "model", [*RUIN, "--set", "training.ema=0.5"]
    train(home, model, *options, "--set", "training.checkpoints.keep=9")
    before = files_of(model)
    flip(model / "model.safetensors")
    message = refusal(home, model, *options, "--resume")
    assert "model.safetensors: --resume: is not the best model so far (of update 2); put it back; whole is 000002" in message
    assert "--resume-from 2 goes on" in message
    shutil.copytree(model, tmp_path / "copy")
    train(home, model, *options, "--resume-from", "2", "--set", "training.checkpoints.keep=9")
    assert files_of(model) == before
    shutil.rmtree(tmp_path / "copy/checkpoints/000002")
    (tmp_path / "copy/model.safetensors").unlink()
    message = refusal(home, tmp_path / "copy", *options, "--resume")
    assert "is absent; it was the best model so far (of update 2); put it back, or start afresh" in message


def test_what_cannot_be_asked(home, model):
    for asked in ("x", "-1", "7", "", "99999999999999999", "latest"):
        refusal(home, model, "--resume-from", asked)
    both = run("train", "config.yaml", "--resume-from", "newest", "--overwrite", cwd=home, code=2).stderr
    assert "--overwrite" in both
    assert "no checkpoint to resume from" in refusal(home, home / "none", "--resume-from", "newest")


def start(home, model):
    """A long training, when it has written something."""
    command = [str(BINARY), "train", "config.yaml", "--model-dir", str(model), "--set", "training.max_updates=1000000",
               "--set", "training.log_every=1"]  # fmt: skip
    process = subprocess.Popen(command, cwd=home, stderr=subprocess.PIPE, env=PASSIVE)
    deadline = time.monotonic() + 30
    while not (model / "checkpoints/latest").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("taken", ["removed", "moved", "emptied"])
def test_a_directory_that_another_training_took_is_left_alone(home, tmp_path, taken):
    model = tmp_path / "model"
    with start(home, model) as process:
        if taken == "removed":
            while model.exists():  # it may write meanwhile
                subprocess.run(["rm", "-rf", model], check=False, capture_output=True)
        elif taken == "moved":
            model.rename(tmp_path / "moved")
        else:
            (model / "lock").unlink()
        train(home, model, *(["--overwrite"] if taken == "emptied" else []))
        said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 2, said
    assert said.splitlines()[-1].startswith(f"dragoman: {model}: is not this training's any more"), said
    assert files_of(model) == files_of(home / "whole")


@pytest.mark.parametrize("name", ["train.log", "metrics.jsonl", "timing.jsonl", "lock"])
def test_logs_that_are_no_files_are_refused(home, model, tmp_path, name):
    (tmp_path / "elsewhere").write_text("kept")
    for make in (lambda p: p.symlink_to(tmp_path / "elsewhere"), os.mkfifo, Path.mkdir):
        subprocess.run(["rm", "-rf", model / name], check=True)
        make(model / name)
        message = refusal(home, model, "--resume")
        assert f"{name}: cannot" in message and "a link or no regular file" in message
        assert (tmp_path / "elsewhere").read_text() == "kept"


def test_paths_are_what_the_system_makes_of_them(home, tmp_path):
    """Behind a link to a folder, .. is that folder's parent."""
    (tmp_path / "far/inside").mkdir(parents=True)
    (tmp_path / "link").symlink_to("far/inside")
    shutil.copytree(home / "toy", tmp_path / "far/toy")
    (tmp_path / "toy").mkdir()
    for path in (home / "toy").iterdir():
        (tmp_path / "toy" / path.name).write_text("other\n" * 10)
    (tmp_path / "config.yaml").write_text((home / "config.yaml").read_text().replace("toy/", "link/../toy/"))
    run("train", "config.yaml", "--model-dir", "link/../model", cwd=tmp_path)
    assert not (tmp_path / "model").exists()
    assert '"1"' in (tmp_path / "far/model/tokenizer.json").read_text()
    run("train", "config.yaml", "--model-dir", "link/../model", "--resume", cwd=tmp_path)
    run("translate", "link/../model", stdin="1 2\n", cwd=tmp_path)


@pytest.mark.parametrize("name", [b"a\xffb", b"a\nb", b"a\x1bb", b"a\x7fb"])
def test_names_that_a_configuration_cannot_hold_are_refused_first(home, tmp_path, name):
    odd = os.path.join(os.fsencode(tmp_path), name)
    os.mkdir(odd)
    shutil.copytree(home / "toy", os.fsdecode(os.path.join(odd, b"toy")))
    shutil.copy(home / "config.yaml", os.fsdecode(odd))
    for folder, model in ((odd, b"model"), (home, os.path.join(odd, b"model"))):
        command = [os.fsencode(BINARY), b"train", b"config.yaml", b"--model-dir", model]
        process = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, env=PASSIVE)
        said = process.stderr.decode()
        assert process.returncode == 2 and len(said.splitlines()) == 1, said
        assert "which the model's config.yaml can't hold" in said and "\x1b" not in said
        assert not os.path.exists(os.path.join(odd, b"model"))
    run("train", "config.yaml", "--model-dir", tmp_path / "a é 한", cwd=home)
    assert run("translate", tmp_path / "a é 한", stdin="1 2\n").stdout.count("\n") == 1
