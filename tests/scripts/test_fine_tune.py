"""A training that starts from another model: whose vocabulary it has, and what becomes of its embeddings."""

import json
import re
import shutil
import struct

import pytest
from cli_support import MODEL, lines_of, needs_program, refused, run

pytestmark = needs_program

STILL = ["--set", "training.optimizer.learning_rate=1e-30", "--set", "training.max_updates=1"]


def write_text(path, symbols):
    """Sentences of numbers below `symbols`, which say their own numbers in words on the other side."""
    lines = [" ".join(str((7 * i + 3 * j) % symbols) for j in range(2 + i % 4)) for i in range(300)]
    path.with_suffix(".src").write_text("\n".join(lines) + "\n")
    path.with_suffix(".trg").write_text("\n".join(" ".join("n" + w for w in line.split()) for line in lines) + "\n")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fine")
    write_text(folder / "general", 8)
    write_text(folder / "special", 8)
    # As many words, others, and more frequent ones first.
    lines = (folder / "special.src").read_text().replace("0", "zero").replace("1", "one")
    (folder / "special.src").write_text(lines)
    for kind, tokenizer in (("word", "{type: word}"), ("char", "{type: char, shared: false}"),
                            ("pieces", "{vocab_size: 40}")):  # fmt: skip
        (folder / f"{kind}.yaml").write_text(
            "threads: 1\ndata: {train: {source: general.src, target: general.trg},\n"
            "  dev: {source: general.src, target: general.trg}}\n" + f"tokenizer: {tokenizer}\n" + MODEL +
            "training: {batch_tokens: 200, max_updates: 250, max_epochs: 0, optimizer: {learning_rate: 0.02},\n"
            "  validation: {every_updates: 125, metrics: [perplexity]}}\n"
        )
        run("train", f"{kind}.yaml", "--model-dir", kind, cwd=folder)
    return folder


def perplexities(model):
    reports = [json.loads(line) for line in lines_of(model / "metrics.jsonl")]
    return [r["metrics"]["perplexity"] for r in reports if r["kind"] == "validation"]


def tensors(path):
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        numbers = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
        width = entry["shape"][-1]
        found[name] = [numbers[i : i + width] for i in range(0, len(numbers), width)]
    return found


def pieces(model, name="tokenizer.json"):
    return ["<unk>", "<s>", "</s>", *json.loads((model / name).read_text())["pieces"]]


@pytest.mark.parametrize("kind", ["word", "char", "pieces"])
def test_three_lines_fine_tune_a_model_of_any_kind(data, kind):
    (data / "fine.yaml").write_text(
        "data: {train: {source: general.src, target: general.trg}, dev: {source: general.src, target: general.trg}}\n"
        f"training: {{init_from: {kind}, max_updates: 2, max_epochs: 0, optimizer: {{learning_rate: 1.0e-6}},\n"
        "  validation: {every_updates: 1, metrics: [perplexity]}}\n"
    )
    to = data / f"fine-{kind}"
    log = run("train", "fine.yaml", "--model-dir", to, cwd=data).stderr
    assert "start at random" not in log and "keeps its random start" not in log
    for name in ("tokenizer.json", "tokenizer.model", "source.json", "target.json"):
        assert (to / name).exists() == (data / kind / name).exists()
        if (to / name).exists():
            assert (to / name).read_bytes() == (data / kind / name).read_bytes()
    assert perplexities(to)[0] == pytest.approx(perplexities(data / kind)[-1], rel=0.01)
    resumed = run("train", "fine.yaml", "--model-dir", to, "--resume", "--set", "training.max_updates=3", cwd=data)
    assert "done" in resumed.stderr
    shown = run("config", "fine.yaml", "--full", cwd=data).stdout
    assert re.search(rf"model_file: {kind}/", shown) and "hidden_size: 16" in shown


@pytest.mark.parametrize("kind", ["word", "char", "pieces"])
def test_a_fine_tuning_goes_on_when_its_start_is_gone(data, kind):
    shutil.copytree(data / kind, data / f"start-{kind}")
    (data / "gone.yaml").write_text(
        "data: {train: {source: general.src, target: general.trg}}\n"
        f"training: {{init_from: start-{kind}, max_updates: 4, max_epochs: 0}}\n"
    )
    run("train", "gone.yaml", "--model-dir", f"whole-{kind}", cwd=data)
    run("train", "gone.yaml", "--model-dir", f"parts-{kind}", "--set", "training.max_updates=2", cwd=data)
    (data / f"start-{kind}").rename(data / f"moved-{kind}")
    assert "init_from" in refused("train", "gone.yaml", "--model-dir", "new", "--dry-run", cwd=data)
    run("train", "gone.yaml", "--model-dir", f"parts-{kind}", "--resume", cwd=data)
    moved = ["--set", f"training.init_from=moved-{kind}", "--set", "training.max_updates=5", "--resume"]
    for name in ("parts", "whole"):
        run("train", "gone.yaml", "--model-dir", f"{name}-{kind}", *moved, cwd=data)
    weights = [(data / f"{name}-{kind}/model.safetensors").read_bytes() for name in ("whole", "parts")]
    assert weights[0] == weights[1]


def test_a_ready_tokenizer_may_be_gone_when_a_training_goes_on(data):
    shutil.copy(data / "word/tokenizer.json", data / "ready.json")
    ready = ["--model-dir", "ready", "--set", "tokenizer={type: word, model_file: ready.json}"]
    run("train", "word.yaml", *ready, "--set", "training.max_updates=2", cwd=data)
    (data / "ready.json").rename(data / "moved.json")
    assert "ready.json, which does not exist" in refused("train", "word.yaml", *ready, "--overwrite", cwd=data)
    run("train", "word.yaml", *ready, "--resume", "--set", "training.max_updates=3", cwd=data)
    moved = ["--set", "tokenizer.model_file=moved.json", "--set", "training.max_updates=4"]
    run("train", "word.yaml", *ready, *moved, "--resume", cwd=data)
    text = (data / "moved.json").read_text()
    (data / "changed.json").write_text(text.replace('"n1"', '"other"', 1))
    for name, problem in (("changed.json", "is another tokenizer than that of this training"), ("gone.json", "No such file")):
        message = refused("train", "word.yaml", *ready, "--set", f"tokenizer.model_file={name}", "--resume", cwd=data)
        assert name in message and problem in message


def test_a_key_that_is_set_counts_more_than_that_of_the_model(data):
    options = ["--set", "model.dropout.readout=0.5", "--set", "tokenizer.sampling.alpha=0.1"]
    shown = run("config", "fine.yaml", "--full", "--set", "training.init_from=pieces", *options, cwd=data).stdout
    assert "readout: 0.5" in shown and "alpha: 0.1" in shown and "model_file: pieces/tokenizer.model" in shown
    own = run("config", "fine.yaml", "--full", "--set", "training.init_from=pieces", "--set", "tokenizer.type=char",
              cwd=data).stdout  # fmt: skip
    assert "type: char" in own and 'model_file: ""' in own


def test_another_vocabulary_keeps_the_rows_of_shared_pieces(data):
    start = ["--set", "training.init_from=word/model.safetensors", *STILL, "--set", "data.train.source=special.src"]
    log = run("train", "word.yaml", "--model-dir", "other", *start, cwd=data).stderr
    then, now = pieces(data / "word"), pieces(data / "other")
    assert len(then) == len(now) and then != now, "as many pieces, but others: a copy of all rows would fit"
    missing = [piece for piece in now if piece not in then]
    assert sorted(missing) == ["one", "zero"]
    for side in ("source", "target"):
        assert f"2 of {len(now)} {side} pieces are not in that model's vocabulary; they start at random" in log
    run("train", "word.yaml", "--model-dir", "fresh", *start[2:], cwd=data)
    old, new, fresh = (tensors(data / name / "model.safetensors") for name in ("word", "other", "fresh"))
    for i, piece in enumerate(now):
        from_file = piece in then
        start_values, j = (old, then.index(piece)) if from_file else (fresh, i)
        for name in ("encoder.embedding", "decoder.embedding"):
            assert new[name][i] == start_values[name][j], (name, piece)
        for name in ("output.w", "output.b"):
            column = [row[j] for row in start_values[name]]  # (a bias of 0 moves by the learning rate)
            assert [row[i] for row in new[name]] == pytest.approx(column, rel=0, abs=1e-20), (name, piece)
    assert any(new["output.w"][0][i] != fresh["output.w"][0][i] for i in range(len(now)))
    # What the general text says is still known.
    general = run("train", "word.yaml", "--model-dir", "back", *start[:2], *STILL, cwd=data)
    assert "random" not in general.stderr
    assert perplexities(data / "back")[-1] == pytest.approx(perplexities(data / "word")[-1], rel=1e-5)


def test_a_checkpoint_has_the_vocabulary_of_its_model_directory(data):
    checkpoint = next((data / "word/checkpoints").glob("0*")) / "model.safetensors"
    log = run("train", "word.yaml", "--model-dir", "late", "--set", f"training.init_from={checkpoint}", *STILL,
              cwd=data).stderr  # fmt: skip
    assert "random" not in log
    (data / "fine-late.yaml").write_text(
        "data: {train: {source: general.src, target: general.trg}}\n"
        f"training: {{init_from: {checkpoint.parent}, max_updates: 1, max_epochs: 0}}\n"
    )
    log = run("train", "fine-late.yaml", "--model-dir", "late", "--overwrite", cwd=data).stderr
    assert "random" not in log
    assert (data / "late/tokenizer.json").read_bytes() == (data / "word/tokenizer.json").read_bytes()


def test_a_file_without_its_vocabulary_is_refused_unless_one_is_given(data):
    (data / "bare").mkdir(exist_ok=True)
    shutil.copy(data / "word/model.safetensors", data / "bare/weights.safetensors")
    start = ["--set", "training.init_from=bare/weights.safetensors", *STILL]
    message = refused("train", "word.yaml", "--model-dir", "no", *start, cwd=data)
    assert "bare/weights.safetensors" in message and "no tokenizer beside it" in message
    assert not (data / "no").exists()
    given = ["--set", "tokenizer.model_file=word/tokenizer.json"]
    assert "are taken for those of tokenizer.model_file" in run(
        "train", "word.yaml", "--model-dir", "yes", *start, *given, cwd=data).stderr  # fmt: skip


def test_a_tokenizer_of_another_type_is_refused(data):
    start = ["--set", "training.init_from=word", "--set", "tokenizer={type: char, shared: true}", *STILL]
    message = refused("train", "word.yaml", "--model-dir", "no", *start, cwd=data)
    assert "of type word" in message and "of type char" in message
    ready = ["--set", "tokenizer={type: sentencepiece, shared: true, model_file: word/tokenizer.json}"]
    message = refused("train", "word.yaml", "--model-dir", "no", *ready, cwd=data)
    assert "word/tokenizer.json is a tokenizer of type word" in message


def test_a_directory_that_is_no_model_is_refused(data):
    (data / "empty").mkdir(exist_ok=True)
    message = run("train", "word.yaml", "--model-dir", "no", "--set", "training.init_from=empty", cwd=data, code=2).stderr
    assert "training.init_from: found empty, a directory without config.yaml" in message


def test_a_model_is_not_replaced_by_its_fine_tuning(data):
    before = (data / "word/model.safetensors").read_bytes()
    start = ["--set", "training.init_from=word", "--overwrite", *STILL]
    assert "is in the model directory" in refused("train", "fine.yaml", "--model-dir", "word", *start, cwd=data)
    assert (data / "word/model.safetensors").read_bytes() == before


@pytest.mark.parametrize("kind", ["word", "char", "sentencepiece"])
def test_user_defined_symbols_are_kept_whole(data, kind):
    symbols = ["<name>", "<b>"]
    for side in ("src", "trg"):
        lines = lines_of(data / f"general.{side}")
        (data / f"marked.{side}").write_text("".join(f"<b> {line} <name>\n" for line in lines))
    options = ["--set", f"tokenizer={{type: {kind}, user_defined_symbols: {json.dumps(symbols)}, vocab_size: 40}}"]
    text = ["--set", "data.train={source: marked.src, target: marked.trg}"]
    run("train", "word.yaml", "--model-dir", f"marked-{kind}", *options, *text, *STILL, "--overwrite", cwd=data)
    run("translate", f"marked-{kind}", "--attention", "maps", stdin="<b> 1 2 <name>\n", cwd=data)
    source = json.loads((data / "maps").read_text())["source"]
    assert source.count("<name>") == 1 and source.count("<b>") == 1, source
    wrong = ["--set", "tokenizer.user_defined_symbols=[a b]", "--set", "tokenizer.user_defined_symbols=[</s>]"]
    message = run("config", "word.yaml", *wrong, cwd=data, code=2).stderr
    assert "</s> is a control token" in message
