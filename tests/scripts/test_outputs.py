"""What -o and --attention name: links, pipes, devices, descriptors, closed files and the model itself.

Nothing here names a device of the machine that a fault could replace: links of the test's own lead there.
"""

import os
import stat
import subprocess
import threading

import pytest
from cli_support import BINARY, MODEL, PASSIVE, needs_program, refused, run

pytestmark = needs_program


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A model and what it translates."""
    home = tmp_path_factory.mktemp("outputs")
    run("generate", "copy", "-o", home / "toy", "--train", 40, "--dev", 5, "--test", 5, "--symbols", 5)
    (home / "config.yaml").write_text(
        "name: tiny\nthreads: 1\ndata: {train: {source: toy/train.src, target: toy/train.trg}}\n"
        "tokenizer: {type: word}\n" + MODEL + "training: {batch_tokens: 110, max_updates: 4, max_epochs: 0}\n"
    )
    run("train", "config.yaml", "--model-dir", "model", cwd=home)
    (home / "expected").write_text(run("translate", home / "model", "-i", home / "toy/test.src").stdout)
    return home


def translate(home, output, *options, code=0, **more):
    return run("translate", home / "model", "-i", home / "toy/test.src", "-o", output, *options, code=code, **more)


def refused_output(home, output, *options, **more):
    return refused("translate", home / "model", "-i", home / "toy/test.src", "-o", output, *options, **more)


@pytest.mark.parametrize("name", ["/proc/self/fd/1", "/dev/fd/1"])
@pytest.mark.parametrize("mode", ["w", "a"])
def test_a_link_to_standard_output_writes_there_and_stays(home, tmp_path, name, mode):
    link, out = tmp_path / "stdout", tmp_path / "out"
    link.symlink_to(name)
    out.write_text("before\n")
    command = [str(BINARY), "translate", "model", "-i", "toy/test.src", "-o", str(link)]
    with out.open(mode) as file:
        subprocess.run(command, cwd=home, stdout=file, check=True, timeout=60, env=PASSIVE)
    assert out.read_text() == ("before\n" if mode == "a" else "") + (home / "expected").read_text()
    assert os.readlink(link) == name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "stdout"]


@pytest.mark.parametrize("option", ["-o", "--attention"])
def test_links_are_followed_and_modes_kept(home, tmp_path, option):
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    run("translate", home / "model", "-i", home / "toy/test.src", option, tmp_path / "link")
    assert os.readlink(tmp_path / "link") == "real"
    assert len((tmp_path / "real").read_text().splitlines()) == 5
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o600


def test_generate_follows_links_too(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "real").write_text("old")
    (tmp_path / "toy/train.src").symlink_to("../real")
    run("generate", "copy", "-o", tmp_path / "toy", "--train", 5, "--dev", 1, "--test", 1, "--overwrite")
    assert (tmp_path / "toy/train.src").is_symlink() and len((tmp_path / "real").read_text().splitlines()) == 5


def test_a_pipe_gets_the_lines(home, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_text()))
    reader.start()
    translate(home, tmp_path / "pipe")
    reader.join()
    assert found == [(home / "expected").read_text()] and (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_written_and_stays(home, tmp_path):
    null = tmp_path / "null"
    try:
        os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        null.open("w").close()
    except OSError:
        pytest.skip("no devices can be made here")
    translate(home, null)
    assert null.is_char_device()


@pytest.mark.parametrize("name", [
    "model.safetensors", "config.yaml", "new", "checkpoints/new", "checkpoints/000004/state.json",
])  # fmt: skip
def test_the_model_that_is_read_is_not_written(home, tmp_path, name):
    before = {path: path.read_bytes() for path in (home / "model").rglob("*") if path.is_file()}
    (tmp_path / "link").symlink_to(home / "model" / name)
    (tmp_path / "door").symlink_to(home / "model")
    for output in (home / "model" / name, tmp_path / "link", tmp_path / "door" / name):
        assert "which is being read" in refused_output(home, output)
        assert "which is being read" in refused_output(home, "-", "--attention", output)
    checkpoint = home / "model/checkpoints/000004"
    assert "which is being read" in refused("translate", checkpoint, "-i", home / "toy/test.src", "-o", home / "model" / name)
    assert {path: path.read_bytes() for path in (home / "model").rglob("*") if path.is_file()} == before


def test_names_relative_to_a_folder_of_the_model_are_known_too(home):
    text, checkpoint = home / "toy/test.src", home / "model/checkpoints/000004"
    before = sorted(path for path in home.rglob("*"))
    for here, model, output in (
        (home / "model", ".", "new"),
        (checkpoint, "../..", "new"),
        (home / "model/checkpoints", "000004", "../new"),
        (home, "model", "./model/new"),
    ):
        assert "which is being read" in refused("translate", model, "-i", text, "-o", output, cwd=here)
    assert "which is being read" in refused("average", "checkpoints/000004", "-o", "new", cwd=home / "model")
    assert "is the output, too" in refused("translate", "model", "-i", text, "-o", "both", "--attention", "./both", cwd=home)
    assert sorted(path for path in home.rglob("*")) == before


def test_weights_that_lie_elsewhere_are_the_models_too(home, tmp_path):
    subprocess.run(["cp", "-a", home / "model", tmp_path / "model"], check=True)
    (tmp_path / "model/model.safetensors").rename(tmp_path / "weights")
    (tmp_path / "model/model.safetensors").symlink_to("../weights")
    before = (tmp_path / "weights").read_bytes()
    message = refused("translate", tmp_path / "model", "-i", home / "toy/test.src", "-o", tmp_path / "weights")
    assert "which is being read" in message and (tmp_path / "weights").read_bytes() == before


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_what_a_closed_stream_would_take_is_no_file_of_ours(home, tmp_path, closed):
    """The first file that is opened gets the lowest number free: that of the stream."""
    options = ["--model-dir", str(tmp_path / "model"), "--set", "training.max_updates=2"]
    command = [str(BINARY), "train", "config.yaml", *options]
    subprocess.run(command, cwd=home, preexec_fn=lambda: os.close(closed), check=True, timeout=60, env=PASSIVE)
    assert (tmp_path / "model/lock").read_bytes() == b"" and "done" in (tmp_path / "model/train.log").read_text()
    command = [str(BINARY), "translate", str(tmp_path / "model")] + (["-i", "toy/test.src"] if closed else [])
    process = subprocess.run(command, cwd=home, preexec_fn=lambda: os.close(closed), capture_output=True,
                             timeout=60, env=PASSIVE)  # fmt: skip
    assert process.returncode == (0 if closed == 2 else 2), process.stderr


def test_a_missing_folder_is_named(home, tmp_path):
    message = refused_output(home, tmp_path / "missing/x")
    assert f"missing/x: cannot create: there is no folder {tmp_path}/missing; make it first" in message
    message = refused_output(home, home / "toy/test.trg/x")
    assert f"cannot create a file in {home}/toy/test.trg: Not a directory" in message


def test_both_outputs_may_not_be_one(home, tmp_path):
    (tmp_path / "link").symlink_to("real")
    for attention, output in ((tmp_path / "link", tmp_path / "real"), ("/dev/fd/1", "-"), ("/dev/fd/1", "/proc/self/fd/1")):
        assert "is the output, too" in refused_output(home, output, "--attention", attention)
