"""What a training says about its text before the first update, and which files it refuses as text."""

import bz2
import lzma
import re
import subprocess

import pytest
from cli_support import BINARY, MODEL, needs_program, refused, run

pytestmark = needs_program

CONFIG = (
    "name: report\nthreads: 1\ntokenizer: {type: word, shared: false}\n" + MODEL + "training: {batch_tokens: 200,"
    " max_updates: 1, max_epochs: 0}\n"
)
SOURCE = ["the cat sleeps", "", "the dog runs", "a cat runs", "the dog runs", "ok", "", "", ""]
TARGET = ["die Katze schläft", "x", "der Hund rennt", "eine Katze rennt", "der Hund rennt", "ok", "y", "z", "w"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.yaml").write_text(CONFIG)
    write(tmp_path, "train", SOURCE, TARGET)
    return tmp_path


def write(folder, name, source, target):
    for side, lines in (("en", source), ("de", target)):
        (folder / f"{name}.{side}").write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def files(folder, key, name):
    return ["--set", f"data.{key}.source={folder / name}.en", "--set", f"data.{key}.target={folder / name}.de"]


def train(folder, *options):
    """What the training said, without times, up to the first update."""
    said = run("train", "config.yaml", "--model-dir", "m", "--overwrite", *files(folder, "train", "train"), *options,
               cwd=folder).stderr  # fmt: skip
    lines = [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  ", "", line) for line in said.splitlines()]
    return lines[: next(i for i, line in enumerate(lines) if line.startswith("epoch"))]


def warnings(lines):
    return [line for line in lines if line.startswith("warning: ")]


def test_the_report_stands_before_the_first_update(folder):
    said = train(folder)
    start = next(i for i, line in enumerate(said) if line.startswith("training data: "))
    where = folder / "train.en"
    report = said[start : start + 7]
    assert report[0] == f"training data: 4 of 9 pairs dropped: 4 with an empty source (first: {where}:2, 7, 8)"
    assert report[1].split() == "pieces 1-5 6-10 11-20 21-40 41-80 81-160 >160 median 95 % to longest unknown".split()
    assert report[2].split() == ["source", "100.0", "%"] + ["-"] * 6 + ["3", "3", "3", "-"]
    assert report[3].split() == ["target", "100.0", "%"] + ["-"] * 6 + ["3", "3", "3", "-"]
    assert report[4] == (
        f"  pairs: 1 repeat an earlier one (first: {where}:5), 1 with the same text on both sides (first: {where}:6)"
    )
    assert report[5] == "  characters: 15 source, 19 target; without a piece: 0 source, 0 target"
    assert report[6] == "  cleaning changed 0 source lines, 0 target lines"
    assert [line.split(";")[0].split(" (first")[0] for line in warnings(said)] == [
        "warning: training data: 1 of 5 pairs have the same text on both sides (20.0 %",
        "warning: training data: 4 of 9 pairs dropped: 4 with an empty source",
        "warning: training data: 1 of 5 pairs repeat an earlier one (20.0 %",
    ]


def test_development_and_test_text_is_compared_with_training(folder):
    write(folder, "dev", ["der Hund rennt", "eine Katze!"], ["the dog runs", "a cat"])
    write(folder, "test", ["the dog runs", "ok", "a cat"], ["der Hund rennt", "gut", "eine Katze"])
    said = train(folder, *files(folder, "dev", "dev"), *files(folder, "test", "test"))
    at = next(i for i, line in enumerate(said) if line.startswith("  development data: "))
    assert said[at] == "  development data: 2 lines; in training: 0 as pairs, 0 by their source"
    assert said[at + 1] == (
        "    words 0 % source, 0 % target in training; unknown pieces 100.0 % source, 100.0 % target; characters not there:"
        " 5 (! U+0021, H U+0048, K U+004B, i U+0069, z U+007A) source, 1 (g U+0067) target"
    )
    test = folder / "test.en"
    assert said[at + 2] == (
        f"  test data: 3 lines; in training: 1 as pairs (first: {test}:1), 2 by their source (first: {test}:1, 2)"
    )
    found = "\n".join(warnings(said))
    assert "development data: source and target look swapped" in found and f"first: {folder / 'dev.en'}:1, 2" in found
    assert f"test data: 1 of 3 lines are training pairs (33.3 %; warned from 1 %; first: {test}:1)" in found
    assert "characters that the training" not in found, "they come with the other language"
    assert len(warnings(said)) == 6
    assert warnings(said)[5] == "warning: 1 more warning about the data left out; the report has the figures"


def test_clean_text_brings_no_warning(folder):
    write(folder, "train", ["the cat sleeps", "a dog runs"], ["die Katze schläft", "ein Hund rennt"])
    write(folder, "dev", ["a cat runs"], ["ein Hund schläft"])
    assert warnings(train(folder, *files(folder, "dev", "dev"))) == []


def test_a_large_corpus_is_reported_by_a_sample_and_then_whole(folder):
    source = ["a"] * 3 + [""] * 500_001 + ["b"]  # the sample has every fifth line
    write(folder, "train", source, ["x"] * len(source))
    write(folder, "dev", ["b"], ["x"])

    def said_by(model_dir, updates, *more):
        options = ["--set", "data.max_length=1", "--set", "training.batch_tokens=2", "--set", "training.max_epochs=2",
                   "--set", f"training.max_updates={updates}", *files(folder, "train", "train"), *files(folder, "dev", "dev")]  # fmt: skip
        return run("train", "config.yaml", "--model-dir", model_dir, *options, *more, cwd=folder).stderr

    said = said_by("m", 0)
    assert "training data: 99999 of 100000 sampled pairs dropped" in said
    assert "in the sample: 0 as pairs" in said
    whole = said.index("training data, first epoch: 500001 of 500005 pairs dropped: 500001 with an empty source")
    assert f"2 repeat an earlier one (first: {folder / 'train.en'}:2, 3)" in said[whole:]
    assert "development data: 1 lines; in training: 1 as pairs" in said[whole:]
    assert said.count("training data, first epoch") == 1
    assert "warning: development data: 1 of 1 lines are training pairs" in said[whole:]
    assert "first epoch" not in said_by("parts", 1), "of four"
    resumed = said_by("parts", 0, "--resume")

    def report(text):
        lines = text[text.index("training data, first epoch") :].splitlines()
        return [re.sub(r"^\d{4}-.{17}", "", line) for line in lines[: next(i for i, l in enumerate(lines) if "  epoch " in l)]]

    assert report(resumed) == report(said)


REFUSED = {
    "cp1252": ("grün\n".encode("cp1252"), ":1: invalid UTF-8 at byte 3 of the line (0xFC)", "cp1252 or Latin-1"),
    "cp949": ("나는 학교에 간다\n".encode("cp949"), ":1: invalid UTF-8 at byte 1 ", "cp949 or EUC-KR"),
    "utf-16": ("a cat\n".encode("utf-16-le"), ":1: ", "UTF-16 without byte order mark"),
    "utf-16 with a mark": ("a cat\n".encode("utf-16"), ": ", "UTF-16 (byte order mark)"),
    "korean utf-16": ("나는 오늘 학교에 간다\n".encode("utf-16-be"), ":1: ", "UTF-16 without byte order mark"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", ": ", "git lfs pull"),
    "html": (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", ": ", "is an HTML page"),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("key", ["train", "dev", "test"])
def test_other_files_are_refused_by_name(folder, key, kind):
    contents, place, what = REFUSED[kind]
    (folder / "bad.de").write_bytes(contents)
    (folder / "bad.en").write_text("a\n" * contents.count(b"\n"))
    options = files(folder, "train", "train") if key != "train" else []
    message = refused("train", "config.yaml", "--model-dir", "m", *options, *files(folder, key, "bad"), cwd=folder)
    assert f"bad.de{place}" in message and what in message
    assert not (folder / "m").exists()


def test_targets_that_the_decoding_cap_bars_are_counted(folder):
    write(folder, "train", ["a", "a b", "a"], ["x " * 22, "x " * 24, "x " * 23])
    found = f"1 with a target beyond decoding.max_length (first: {folder / 'train.en'}:3)"
    assert found in "\n".join(train(folder))
    said = train(folder, "--set", "decoding.max_length.extra=21")
    assert "beyond decoding.max_length" not in "\n".join(said)


def test_csv_in_the_place_of_tsv_is_named(folder):
    (folder / "pairs.csv").write_text("source,target\na,b\n")
    message = refused("train", "config.yaml", "--set", f"data.train.tsv={folder / 'pairs.csv'}", cwd=folder)
    assert "pairs.csv:1: found 1 column" in message and "looks like CSV" in message


PACKED = {"bzip2": bz2.compress(b"a\n"), "zip": b"PK\3\4\x14\0\0\0", "7z": b"7z\xbc\xaf\x27\x1c\0\4"}


@pytest.mark.parametrize("kind", PACKED)
def test_packed_files_that_cant_be_read_are_named(folder, kind):
    (folder / "bad.de").write_bytes(PACKED[kind])
    (folder / "bad.en").write_text("a\n")
    message = refused("train", "config.yaml", *files(folder, "train", "bad"), cwd=folder)
    assert f"bad.de: is a {kind} file, expected text; unpack the file first" in message


def test_xz_files_are_text(folder):
    def report():
        said = train(folder)
        start = next(i for i, line in enumerate(said) if line.startswith("training data: 4 of 9 pairs dropped"))
        return said[start : start + 7]

    plain = report()
    for side in ("en", "de"):
        path = folder / f"train.{side}"
        path.write_bytes(lzma.compress(path.read_bytes()))
    probe = subprocess.run([BINARY, "metrics", folder / "train.en", "-i", folder / "train.en"], capture_output=True, check=False)
    if b"this build has no liblzma" in probe.stderr:
        pytest.skip("built without liblzma")
    assert report() == plain
