"""Where the model goes is checked before anything is read, and nothing is left behind when a training does not start."""

import fcntl
import os

import pytest
from cli_support import needs_program, refused

pytestmark = needs_program


@pytest.fixture
def folder(tmp_path):
    """A configuration whose training text is not UTF-8: whoever reads it says so."""
    (tmp_path / "text").write_bytes(b"\xff\n")
    (tmp_path / "config.yaml").write_text("name: tiny\ndata: {train: {source: text, target: text}}\n")
    return tmp_path


@pytest.mark.parametrize("place", ["text", "text/model", "text/a/b", "x" * 300])
def test_a_place_that_cannot_be_written_is_refused_first(folder, place):
    for option in (["--model-dir", place], ["--set", f"training.model_dir={place}"]):
        message = refused("train", "config.yaml", *option, cwd=folder)
        assert place in message and "can't be written" in message, message
    assert sorted(path.name for path in folder.iterdir()) == ["config.yaml", "text"]


def test_the_default_place_is_checked_too(folder):
    (folder / "models").write_text("")
    assert "models/tiny: the model directory" in refused("train", "config.yaml", cwd=folder)


@pytest.mark.parametrize("place", ["new", "new/deep/er", "there"])
def test_a_training_that_does_not_start_leaves_nothing(folder, place):
    (folder / "there").mkdir()
    assert "UTF-8" in refused("train", "config.yaml", "--model-dir", place, cwd=folder)
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) == ["config.yaml", "text", "there"]


def test_a_link_to_nowhere_is_refused_first(folder):
    (folder / "link").symlink_to("gone")
    for place in ("link", "link/model"):
        message = refused("train", "config.yaml", "--model-dir", place, cwd=folder)
        assert "link: is a link to a folder that does not exist" in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused_first(folder):
    (folder / "closed").mkdir(mode=0o500)
    assert "Permission denied" in refused("train", "config.yaml", "--model-dir", "closed/model", cwd=folder)


@pytest.mark.parametrize("option", [[], ["--dry-run"]])
def test_a_directory_in_use_is_refused_before_the_text_is_read(folder, option):
    (folder / "used").mkdir()
    with (folder / "used" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        message = refused("train", "config.yaml", "--model-dir", "used", *option, cwd=folder)
    assert "another training is running" in message
