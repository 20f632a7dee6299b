"""What every reader of text says about files that are no UTF-8 text, and how references are read."""

import gzip
import io
import json
import resource
import subprocess
import tarfile
import unicodedata

import pytest
from cli_support import BINARY, PASSIVE, lines_of, needs_program, refused, run

pytestmark = needs_program

KOREAN = ["나는 학교에 간다", "너는 집에 온다", "그는 밥을 먹는다"]
GERMAN = ["Das Mädchen läuft", "Zwei Männer spielen", "grüne Bäume"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small model that has learnt to copy lines of five words, Korean and Bengali ones among them."""
    folder = tmp_path_factory.mktemp("readers")
    words = ["가", "각", "한", "\u09a1\u09bc", "e\u0301", "b", "c", "d"]
    lines = [" ".join(words[(i * k + k) % 8] for k in range(1, 6)) for i in range(64)]
    (folder / "train.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    (folder / "config.yaml").write_text(
        "name: readers\nthreads: 1\ntokenizer: {type: word}\ndata: {train: {source: [train.txt], target: [train.txt]}}\n"
        "model:\n  encoder: {embedding_size: 32, hidden_size: 32}\n  decoder: {embedding_size: 32, hidden_size: 32}\n"
        "training: {batch_tokens: 101, max_updates: 400, max_epochs: 0, optimizer: {learning_rate: 0.01}}\n"
    )
    run("train", "config.yaml", "--model-dir", "model", cwd=folder)
    return folder / "model"


def tar():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        entry = tarfile.TarInfo("corpus/train.en")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"b c\n"))
    return file.getvalue()


OTHERS = {
    "tar": (tar(), "is a tar archive"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "is a pointer of Git LFS"),
    "html": (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "is an HTML page"),
    "cp949": ("\n".join(KOREAN).encode("cp949"), "cp949 or EUC-KR"),
    "cp1252": ("\n".join(GERMAN).encode("cp1252"), "cp1252 or Latin-1"),
    "utf-16": ("\n".join(KOREAN).encode("utf-16"), "UTF-16 (byte order mark)"),
    "utf-16-le": ("\n".join(GERMAN).encode("utf-16-le"), "UTF-16 without byte order mark"),
    "utf-32": ("\n".join(GERMAN).encode("utf-32"), "UTF-32 (byte order mark)"),
    "utf-32-be mark": ("\ufeff\n".encode("utf-32-be"), "UTF-32 (byte order mark)"),
    "utf-32-be": ("\n".join(KOREAN).encode("utf-32-be"), "UTF-32 without byte order mark"),
}


def write(folder, name, contents):
    (folder / name).write_bytes(contents)
    return folder / name


@pytest.mark.parametrize("kind", OTHERS)
def test_every_reader_refuses_other_files_by_name(model, tmp_path, kind):
    contents, what = OTHERS[kind]
    bad = write(tmp_path, "bad", contents)
    good = write(tmp_path, "good", b"b c\n" * (contents.count(b"\n") + 1))
    for call in (
        ["translate", model, "-i", bad],
        ["evaluate", model, "--source", bad, "--reference", good],
        ["evaluate", model, "--source", good, "--reference", bad],
        ["score", model, "--source", good, "--target", bad],
        ["score", model, "--source", bad, "--target", good],
        ["metrics", good, "-i", bad],
        ["metrics", bad, "-i", good],
    ):
        message = refused(*call)
        assert f"{bad}:" in message and what in message, call
    assert what in refused("translate", model, stdin=contents)


@pytest.mark.parametrize("text", ["gr\u00fcn", "\u2019 b", "b \u00e9"])
def test_single_bad_bytes_are_replaced_and_their_encoding_is_named(model, text):
    process = run("translate", model, stdin=b"b c\n" + text.encode("cp1252") + b"\nd\n")
    assert process.stdout.count("\n") == 3
    assert process.stderr.splitlines()[0] == (
        "dragoman: warning: invalid UTF-8 replaced by U+FFFD in line 2; the text is probably cp1252 or Latin-1 (Western"
        " European)"
    )
    assert run("translate", model, stdin=text.encode("cp1252")).stdout.count("\n") == 1, "alone, too"


def test_bad_lines_behind_good_ones_stop_no_translation(model):
    text = ("한 가\n" * 5000).encode() + "\n".join(KOREAN).encode("cp949") + b"\n"
    process = run("translate", model, "--beam-size", 1, stdin=text)
    assert process.stdout.count("\n") == 5003
    assert "3 lines (5001, 5002, 5003); the text is probably cp949" in process.stderr


def test_half_a_file_in_two_encodings_is_translated(model):
    text = ("한 가\n" * 3).encode() + "\n".join(KOREAN).encode("cp949") + b"\n"
    assert run("translate", model, stdin=text).stdout.count("\n") == 6


def test_evaluate_cleans_references_as_training_text(model, tmp_path):
    source = write(tmp_path, "source", "한 가 각 b c\n\u09a1\u09bc b c d 가\n\u00e9 각 한 b c\n".encode())
    lines = run("translate", model, "-i", source).stdout.split("\n")[:-1]
    assert any("\u09a1\u09bc" in line or "\u00e9" in line for line in lines), "of what NFC changes"
    dirty = [unicodedata.normalize("NFD", line).replace(" ", "\u00a0 ") + "\u200b \t" for line in lines]
    dirty = [line.replace("\u09a1\u09bc", "\u09dc") for line in dirty]
    reference = write(tmp_path, "reference", "".join(f"{line}\n" for line in dirty).encode())
    found = json.loads(run("evaluate", model, "--source", source, "--reference", reference, "--json").stdout)
    assert found["sequence_accuracy"] == 1 and found["bleu"] == pytest.approx(100)


def test_metrics_warn_of_hypotheses_that_look_tokenized(tmp_path):
    tokenized = write(tmp_path, "hyp", b"a man sleeps .\n" * 10)
    reference = write(tmp_path, "ref", b"a man sleeps.\n" * 10)
    process = run("metrics", reference, "-i", tokenized)
    assert process.stdout.startswith("BLEU|")
    assert process.stderr.startswith("dragoman: warning: the hypotheses look tokenized (10 lines end in a space")
    assert process.stderr.count("\n") == 1 and "--tokenize none" in process.stderr
    assert run("metrics", reference, "-i", reference).stderr == ""
    assert run("metrics", tokenized, "-i", tokenized, "--tokenize", "none").stderr == ""


def test_metrics_stay_sacrebleus_and_warn_of_references_that_are_not_nfc(tmp_path):
    hypothesis = write(tmp_path, "hyp", "한 가 각 b c\nb c d 각\n".encode())
    reference = write(tmp_path, "ref", "b c d\n".encode() + unicodedata.normalize("NFD", "한 가 각 b c\n").encode())
    plain = write(tmp_path, "plain", "한 가 각 b c\nb c d 각\n".encode())
    process = run("metrics", plain, reference, "-i", hypothesis)
    assert process.stdout.startswith("BLEU|")
    assert process.stderr.startswith(f"dragoman: warning: {reference}: NFC would change 1 of 2 lines (first: 2); ")
    assert process.stderr.count("\n") == 1
    assert run("metrics", plain, "-i", hypothesis).stderr == ""
    assert run("metrics", plain, "-i", reference).stderr == "", "references alone"
    sacrebleu = pytest.importorskip("sacrebleu")
    score = sacrebleu.corpus_bleu(lines_of(hypothesis), [lines_of(reference)]).score
    found = json.loads(run("metrics", reference, "-i", hypothesis, "--json").stdout)
    assert found["score"] == pytest.approx(score, abs=1e-9)


def test_a_disk_too_small_for_unpacked_text_is_named(model, tmp_path):
    (tmp_path / "large.gz").write_bytes(gzip.compress(b"b c d\n" * 400_000))
    config, folder = (tmp_path / "config.yaml"), tmp_path / "temporary"
    folder.mkdir()
    config.write_text("data: {train: {source: large.gz, target: large.gz}}\n")
    process = subprocess.run(
        [str(BINARY), "train", "config.yaml", "--dry-run"], cwd=tmp_path, env={**PASSIVE, "TMPDIR": str(folder)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)), capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert process.returncode == 2
    assert process.stderr == f"dragoman: temporary file for unpacked text in {folder} (TMPDIR): File too large\n"
    assert list(folder.iterdir()) == []
