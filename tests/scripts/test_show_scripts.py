"""The scripts that show what a model has learned: on a terminal, and as a picture."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import BINARY, MODEL, needs_program, run

ROOT = Path(__file__).resolve().parents[2]
pytestmark = needs_program


@pytest.fixture(name="data", scope="module")
def fixture_data(tmp_path_factory):
    """A folder whose name has a space, with a model of the toy grammar that has learned little."""
    folder = tmp_path_factory.mktemp("show") / "a folder"
    folder.mkdir()
    run("generate", "grammar", "-o", folder / "toy", "--train", 200, "--dev", 5, "--test", 12)
    (folder / "config.yaml").write_text(
        "name: show\nthreads: 1\ndata: {train: {source: toy/train.en, target: toy/train.ko}}\n"
        f"tokenizer: {{type: word, shared: false}}\n{MODEL}training: {{max_epochs: 1}}\n"
    )
    run("train", "config.yaml", "--model-dir", "model", cwd=folder)
    run("translate", "model", "-i", "toy/test.en", "-o", "out", "--attention", "attention.jsonl", cwd=folder)
    return folder


def script(name, folder, *arguments, code=0, **environment):
    command = [sys.executable, str(ROOT / "scripts" / name), *map(str, arguments)]
    process = subprocess.run(command, cwd=folder, capture_output=True, check=False, env={**os.environ, **environment})
    assert process.returncode == code, process.stderr
    return (process.stdout if code == 0 else process.stderr).decode("utf-8")


@pytest.mark.parametrize("environment", [{}, {"PYTHONIOENCODING": "ascii"}], ids=["as it is", "ASCII"])
def test_translations_and_a_matrix_are_shown(data, environment):
    shown = script("show_translations.py", data, "model", "--source", "toy/test.en", "--reference", "toy/test.ko",
                   "--align", "toy/test.align", "--binary", BINARY, "--line", 2, **environment)  # fmt: skip
    assert shown.count("\n  translation  ") == 10
    assert "BLEU|" in shown and "attention" in shown and "true alignment" in shown
    assert (data / "toy/test.ko").read_text(encoding="utf-8").split("\n")[0] in shown


def test_attention_becomes_a_picture(data):
    pytest.importorskip("matplotlib")
    script("plot_attention.py", data, "attention.jsonl", "-o", "a picture.png")
    assert (data / "a picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["out"], "out:1: expected a line that `dragoman translate --attention` writes"),
        (["model/model.safetensors"], "is not UTF-8"),
        (["nowhere"], "nowhere: No such file"),
        (["attention.jsonl", "--line", "13"], "--line: found 13, expected 1 to 12"),
        (["attention.jsonl", "--kind", "encoder"], "line 1 has no attention of kind encoder"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_line(data, arguments, words):
    pytest.importorskip("matplotlib")
    said = script("plot_attention.py", data, *arguments, "-o", "none.png", code=2)
    assert said.startswith("plot_attention: ") and words in said and said.count("\n") == 1
