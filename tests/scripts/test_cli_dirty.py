"""Every case of the shared collection of dirty text (its README says what should happen) through the program."""

import json
import unicodedata

import pytest
from cli_support import MODEL, ROOT, lines_of, needs_program, refused, run

DIRTY = ROOT.parent / "shared" / "dirty"

pytestmark = [needs_program, pytest.mark.skipif(not DIRTY.exists(), reason="no ../shared/dirty beside the repository")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dirty")
    (folder / "config.yaml").write_text(
        "name: dirty\nthreads: 1\n" + MODEL + "training: {batch_tokens: 200, max_updates: 3, max_epochs: 0,\n"
        "  log_every: 1, checkpoints: {every_updates: 3}}\n"
    )
    return folder


def files(name, folder=DIRTY):
    return ["--set", f"data.train.source={folder / name}.en", "--set", f"data.train.target={folder / name}.de"]


def train(folder, model, *options, tokenizer="char", code=0):
    """Returns what the training said; the model is in folder / model."""
    return run("train", "config.yaml", "--model-dir", model, "--set", f"tokenizer.type={tokenizer}", *options,
               cwd=folder, code=code).stderr  # fmt: skip


def vocabulary(folder, model):
    return json.loads((folder / model / "tokenizer.json").read_text())["pieces"]


@pytest.mark.parametrize("tokenizer", ["word", "char"])
def test_cr_before_lf_changes_nothing(folder, tokenizer):
    for side in ("en", "de"):
        text = (DIRTY / f"01-crlf.{side}").read_bytes()
        assert text.count(b"\r\n") == 8
        (folder / f"lf.{side}").write_bytes(text.replace(b"\r\n", b"\n"))
    train(folder, f"crlf-{tokenizer}", *files("01-crlf"), tokenizer=tokenizer)
    train(folder, f"lf-{tokenizer}", *files("lf", folder), tokenizer=tokenizer)
    for name in ("tokenizer.json", "metrics.jsonl", "model.safetensors"):
        crlf, lf = ((folder / f"{kind}-{tokenizer}" / name).read_bytes() for kind in ("crlf", "lf"))
        assert crlf == lf, name
    assert not any("\r" in piece for piece in vocabulary(folder, f"crlf-{tokenizer}"))


def test_byte_order_marks_are_no_part_of_the_text(folder):
    assert "0 of 8 pairs dropped" in train(folder, "bom", *files("03-bom"), tokenizer="word")
    words = vocabulary(folder, "bom")
    assert not any("\ufeff" in word for word in words) and {"A", "They"} <= set(words)


def test_only_lf_ends_a_line(folder):
    assert "0 of 6 pairs dropped" in train(folder, "breaks", *files("05-linebreaks"), tokenizer="word")
    words = vocabulary(folder, "breaks")
    assert {"runs", "on", "men", "play"} <= set(words), "separators inside a line are spaces"
    assert all(unicodedata.category(c)[0] not in "CZ" for word in words for c in word)


def test_bad_bytes_stop_training_and_not_translation(folder):
    message = refused("train", "config.yaml", *files("07-invalid-utf8"), cwd=folder)
    assert "07-invalid-utf8.de:1: " in message and "byte 11" in message and "0xE4" in message
    train(folder, "clean", *files("01-crlf"))
    process = run("translate", folder / "clean", "-i", DIRTY / "07-invalid-utf8.de")
    assert process.stdout.count("\n") == 8
    assert "invalid UTF-8 replaced by U+FFFD in 7 lines (1, 2, 3, 4, 5, 6, 7)" in process.stderr


def test_pairs_with_an_empty_side_are_dropped_as_pairs(folder):
    said = train(folder, "empty", *files("09-empty"), tokenizer="word")
    assert "6 of 8 pairs dropped: 4 with an empty source" in said and "2 with an empty target" in said
    assert "09-empty.en:2" in said and "09-empty.en:3" in said


def test_unequal_files_stop_it(folder):
    message = refused("train", "config.yaml", *files("10-unequal"), cwd=folder)
    assert "8 lines against 7" in message and "10-unequal.de" in message


def test_tsv_files_give_their_first_two_columns(folder):
    message = refused("train", "config.yaml", "--set", f"data.train.tsv={DIRTY / '12-columns.tsv'}", cwd=folder)
    assert "12-columns.tsv:4: " in message and "1 column" in message
    lines = [line for line in lines_of(DIRTY / "12-columns.tsv") if "\t" in line]
    (folder / "two.tsv").write_text("".join(line + "\n" for line in lines))
    said = train(folder, "tsv", "--set", "data.train.tsv=two.tsv", tokenizer="word")
    assert f"2 of {len(lines)} pairs dropped" in said
    words = vocabulary(folder, "tsv")
    assert "Strand." in words and "source" in words and "CC-BY" not in words and "x" not in words
    said = train(folder, "header", "--set", "data.train.tsv=two.tsv", "--set", "data.tsv_header=true", tokenizer="word")
    assert f"2 of {len(lines) - 1} pairs dropped" in said and "source" not in vocabulary(folder, "header")


@pytest.mark.parametrize("tokenizer", ["word", "char", "sentencepiece"])
def test_long_lines_are_skipped_counted_and_shown(folder, tokenizer):
    said = train(folder, f"long-{tokenizer}", *files("13-long"), tokenizer=tokenizer)
    dropped = {"word": 2, "char": 4}.get(tokenizer)
    assert "over data.max_length (first: " in said and "13-long.en:2" in said
    assert dropped is None or f"{dropped} of 7 pairs dropped" in said
    truncated = train(folder, f"cut-{tokenizer}", *files("13-long"), "--set", "data.on_long=truncate",
                      tokenizer=tokenizer)  # fmt: skip
    assert "0 of 7 pairs dropped" in truncated and "cut to data.max_length" in truncated


@pytest.mark.parametrize("tokenizer", ["word", "char", "sentencepiece"])
def test_text_that_looks_like_control_tokens_is_text(folder, tokenizer):
    model = f"markup-{tokenizer}"
    train(folder, model, *files("16-markup"), "--set", "tokenizer.vocab_size=300", tokenizer=tokenizer)
    run("translate", folder / model, "-i", DIRTY / "16-markup.en", "--attention", folder / "a.json", "-o", folder / "t")
    assert len(lines_of(folder / "t")) == 11
    for line, text in zip(lines_of(DIRTY / "16-markup.en"), lines_of(folder / "a.json")):
        pieces = json.loads(text)["source"]
        assert pieces.pop() == "</s>"
        if tokenizer == "sentencepiece":
            back = "".join(pieces).replace("\u2581", " ").strip()
            line = " ".join(line.replace("\u2581", " ").split())  # the one character that can't come back
            back = " ".join(back.split())
        else:
            back = (" " if tokenizer == "word" else "").join(pieces)
        assert back == line


def test_nothing_to_train_on_is_said(folder):
    assert "holds no lines" in refused("train", "config.yaml", *files("19-empty-file"), cwd=folder)
    for tokenizer in ("word", "char", "sentencepiece"):
        message = train(folder, f"blank-{tokenizer}", *files("19-only-newlines"), tokenizer=tokenizer, code=2)
        assert message.splitlines()[-1].startswith("dragoman: ") and "what()" not in message


def test_one_pair_trains(folder):
    dev = [o.replace("data.train", "data.dev") for o in files("19-one")]
    said = train(folder, "one", *files("19-one"), *dev)
    assert "0 of 1 pairs dropped" in said and "nan" not in said.lower()


@pytest.mark.parametrize("tokenizer", ["word", "char", "sentencepiece"])
def test_nine_lines_of_any_kind_give_nine_lines(folder, tokenizer):
    model = f"infer-{tokenizer}"
    train(folder, model, *files("01-crlf"), "--set", "tokenizer.vocab_size=60", tokenizer=tokenizer)
    process = run("translate", folder / model, "-i", DIRTY / "22-infer.en")
    lines = process.stdout.split("\n")
    assert len(lines) == 10 and lines[9] == ""
    assert [i for i in (1, 2, 4) if lines[i] != ""] == [], "empty in, empty out"
    assert "\0" not in process.stdout and "\r" not in process.stdout
    cut = [line for line in process.stderr.splitlines() if "decoding.max_input" in line]
    assert len(cut) == 1 and cut[0].endswith("line 7")
