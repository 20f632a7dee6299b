"""Transformers, hybrids, averages and sampled pieces through the program."""

import json
import shutil

import numpy as np
import pytest
from cli_support import lines_of, needs_program, refused, run
from safetensors.numpy import load_file

pytestmark = needs_program

TRANSFORMER = "{type: transformer, layers: 2, model_size: 16, heads: 2, ffn_size: 24%s}"
RECURRENT = "{type: rnn, embedding_size: 12, hidden_size: 16}"
MODELS = {
    "transformer": (TRANSFORMER % "", TRANSFORMER % ""),
    "pre_norm": (TRANSFORMER % ", norm: pre, activation: gelu", TRANSFORMER % ", norm: pre, activation: swish"),
    "rnn_to_transformer": (RECURRENT, TRANSFORMER % ""),
    "transformer_to_rnn": (TRANSFORMER % "", RECURRENT),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with a toy corpus and a configuration for each model."""
    folder = tmp_path_factory.mktemp("transformer")
    run("generate", "copy", "-o", folder / "toy", "--train", 300, "--dev", 20, "--test", 20, "--symbols", 8)
    sides = [f"  {part}: {{source: toy/{part}.src, target: toy/{part}.trg}}\n" for part in ("train", "dev", "test")]
    for name, (encoder, decoder) in MODELS.items():
        (folder / f"{name}.yaml").write_text(
            f"name: {name}\nthreads: 1\ndata:\n" + "".join(sides) + "tokenizer: {type: word}\nmodel:\n"
            f"  encoder: {encoder}\n  decoder: {decoder}\ntraining:\n"
            "  {batch_tokens: 200, max_updates: 30, max_epochs: 0, optimizer: {learning_rate: 0.01},\n"
            "   validation: {every_updates: 10, metrics: [perplexity, bleu]}}\n"
        )
    return folder


def train(data, name, model_dir=None, *options):
    model_dir = model_dir or name
    run("train", f"{name}.yaml", "--model-dir", model_dir, *options, cwd=data)
    return data / model_dir


def maps_expected(name):
    """(kind, layer, head) of all maps, in order."""
    maps = []
    if name != "rnn_to_transformer":
        maps += [("encoder", layer, head) for layer in range(2) for head in range(2)]
    if name == "transformer_to_rnn":
        return [*maps, ("cross", 0, 0)]
    for layer in range(2):
        maps += [(kind, layer, head) for kind in ("decoder", "cross") for head in range(2)]
    return maps


@pytest.mark.parametrize("name", MODELS)
def test_every_model_trains_translates_scores_and_shows_its_attention(data, name):
    model = train(data, name)
    lines = ["1 2 3 4 5", "6", "7 0 7"]
    stdin = "\n".join(lines) + "\n"
    together = run("translate", model, "--attention", data / "a.jsonl", stdin=stdin).stdout
    assert together == "".join(run("translate", model, stdin=line + "\n").stdout for line in lines)
    for line in lines_of(data / "a.jsonl"):
        item = json.loads(line)
        assert [(m["kind"], m["layer"], m["head"]) for m in item["attention"]] == maps_expected(name)
        for m in item["attention"]:
            weights = np.array(m["weights"])
            queries = item["source"] if m["kind"] == "encoder" else item["target"]
            keys = item["target"] if m["kind"] == "decoder" else item["source"]
            assert weights.shape == (len(queries), len(keys))
            np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
            if m["kind"] == "decoder":
                assert np.all(np.triu(weights, 1) == 0), "the future is not seen"
    best = run("translate", model, "--n-best", 1, "--length-penalty", 0, stdin=stdin).stdout.split("\n")[:-1]
    (data / "src").write_text(stdin)
    (data / "trg").write_text("".join(line.split(" ||| ")[1] + "\n" for line in best))
    scores = run("score", model, "--source", data / "src", "--target", data / "trg").stdout.split("\n")[:-1]
    for found, score in zip(best, scores):
        assert float(found.split(" ||| ")[2]) == pytest.approx(float(score.split("\t")[0]), abs=1e-4)
    assert "transformer" in run("inspect", model).stdout


def test_learned_positions_bound_what_a_model_takes(data):
    side = TRANSFORMER % ", positions: learned, max_positions: 8"
    short = ["--set", "data.max_length=7", "--set", "training.max_updates=5", "--set", f"model.encoder={side}"]
    message = refused("train", "transformer.yaml", "--model-dir", "short", *short, cwd=data)
    assert "dev.src" in message and "model.encoder.max_positions" in message, message
    (data / "lines").write_text("1 2\n3 4 5\n")
    short += ["--set", f"model.decoder={side}"]
    short += [f"--set=data.{part}.{end}=lines" for part in ("dev", "test") for end in ("source", "target")]
    model = train(data, "transformer", "short", *short)
    long = " ".join(["1"] * 20)
    translated = run("translate", model, "--beam-size", 1, stdin=f"1 2\n{long}\n")
    assert "cut at 7 pieces (model.encoder.max_positions): line 2" in translated.stderr
    assert len(translated.stdout.split("\n")) == 3
    assert max(len(line.split()) for line in translated.stdout.split("\n")) <= 7
    (data / "long").write_text(long + "\n")
    (data / "one").write_text("1\n")
    for source, target, side in (("long", "one", "encoder"), ("one", "long", "decoder")):
        message = refused("score", model, "--source", data / source, "--target", data / target)
        assert f"model.{side}.max_positions" in message, message


def test_average_is_the_mean_of_checkpoints(data):
    model = train(data, "transformer", "averaged", "--set", "training.checkpoints.average_last=3")
    checkpoints = [model / "checkpoints" / f"{update:06}" for update in (10, 20, 30)]
    run("average", *checkpoints, "-o", data / "mean")
    found = load_file(data / "mean" / "model.safetensors")
    parts = [load_file(checkpoint / "model.safetensors") for checkpoint in checkpoints]
    for name, tensor in found.items():
        mean = np.mean([part[name].astype(np.float64) for part in parts], axis=0)
        np.testing.assert_allclose(tensor, mean, rtol=1e-6, atol=1e-8)
    assert not np.array_equal(found["output.w"], parts[-1]["output.w"])
    # The last validation measured the same mean; the model directory works like any other.
    reports = [json.loads(line) for line in lines_of(model / "metrics.jsonl")]
    bleu = [r["metrics"]["bleu"] for r in reports if r["kind"] == "validation"][-1]
    dev = ["--source", data / "toy/dev.src", "--reference", data / "toy/dev.trg"]
    assert json.loads(run("evaluate", data / "mean", *dev, "--beam-size", 1, "--json").stdout)["bleu"] == bleu


def test_average_refuses_what_does_not_belong_together(data):
    model, other = train(data, "transformer", "first"), train(data, "pre_norm", "second")
    checkpoint = model / "checkpoints" / "000030"
    assert "not a model directory" in refused("average", checkpoint, data / "toy", "-o", data / "out")
    for read in (model, checkpoint, model / "mean", model / "checkpoints" / "mean"):
        assert "which is being read" in refused("average", checkpoint, "-o", read, "--overwrite")
    assert "belongs to a training" in refused("average", checkpoint, "-o", other, "--overwrite")
    assert 'checkpoints: found ""' in refused("average", "", "-o", data / "out")
    assert "its model is another" in refused("average", checkpoint, other, "-o", data / "out")
    assert not (data / "out").exists()
    renamed = data / "renamed"
    shutil.copytree(model, renamed)
    words = renamed / "tokenizer.json"
    words.write_text(words.read_text().replace('"3"', '"three"'))
    assert "its tokenizer is another" in refused("average", checkpoint, renamed, "-o", data / "out")
    (data / "used").mkdir()
    (data / "used" / "source.json").write_text("of another model, whose target tokenizer is its own")
    assert "holds a model already (source.json)" in refused("average", checkpoint, "-o", data / "used")
    (data / "used/diverged/1").mkdir(parents=True)
    run("average", checkpoint, "-o", data / "used", "--overwrite")
    assert {p.name for p in (data / "used").iterdir()} - {"lock"} == {"config.yaml", "model.safetensors", "tokenizer.json"}


def test_a_checkpoint_is_a_model(data):
    model = train(data, "transformer", "several")
    checkpoint = model / "checkpoints" / "000030"
    (data / "apart").mkdir()
    for name in ("config.yaml", "tokenizer.json"):
        shutil.copy(model / name, data / "apart")
    shutil.copy(checkpoint / "model.safetensors", data / "apart")
    (data / "best").symlink_to(checkpoint)
    pairs = ["--source", data / "toy/dev.src"]
    for command in (["translate", "-i", pairs[1]], ["score", *pairs, "--target", data / "toy/dev.trg"],
                    ["evaluate", *pairs, "--reference", data / "toy/dev.trg"]):  # fmt: skip
        expected = run(command[0], data / "apart", *command[1:]).stdout
        for named in (checkpoint, f"{checkpoint}/", data / "best"):
            assert run(command[0], named, *command[1:]).stdout == expected
    tables = [run("inspect", folder).stdout.split("\n")[1:] for folder in (checkpoint, data / "apart")]
    assert tables[0] == tables[1] and len(tables[0]) > 10
    assert "config.yaml is missing" in refused("translate", model / "checkpoints")


def test_average_says_what_it_takes_of_a_model_directory(data):
    model = train(data, "transformer", "whole")
    said = run("average", model, "-o", data / "of one").stderr
    assert "whole: its best model is taken" in said and "whole/checkpoints/[0-9]*" in said and "mean of 1 in" in said
    assert load_file(data / "of one/model.safetensors").keys() == load_file(model / "model.safetensors").keys()
    assert "best model" not in run("average", model / "checkpoints/000030", "-o", data / "of another").stderr


def test_the_moving_average_is_saved_and_sampling_needs_sentencepiece(data):
    train(data, "transformer", "plain")
    ema = train(data, "transformer", "ema", "--set", "training.ema=0.9")
    last = load_file(ema / "checkpoints" / "000030" / "model.safetensors")
    assert np.array_equal(last["output.w"], load_file(data / "plain/checkpoints/000030/model.safetensors")["output.w"])
    average = load_file(ema / "checkpoints" / "000030" / "optimizer.safetensors")["ema.output.w"]
    assert not np.array_equal(average, last["output.w"])
    message = refused("train", "transformer.yaml", "--set", "tokenizer.sampling.alpha=0.1", cwd=data)
    assert "only sentencepiece samples pieces" in message


def test_nothing_is_lost_by_a_mistake(data):
    model = train(data, "transformer", "kept", "--overwrite")
    before = (model / "model.safetensors").read_bytes()
    checkpoint = model / "checkpoints" / "000030" / "model.safetensors"
    again = ["train", "transformer.yaml", "--model-dir", "kept", "--overwrite"]
    assert "would remove or replace it" in refused(*again, "--set", f"training.init_from={checkpoint}", cwd=data)
    # Sampled pieces count when it is said what the filter leaves.
    pieces = ["--set", "tokenizer={type: sentencepiece, vocab_size: 40, sampling: {alpha: 1.0}}"]
    assert "nothing is left" in refused(*again, *pieces, "--set", "data.max_length=1", cwd=data)
    assert (model / "model.safetensors").read_bytes() == before
    (data / "same").write_text("")
    (data / "link").symlink_to(data / "same")
    for output, attention in (("same", "./same"), ("same", "link")):
        message = refused("translate", model, "-o", output, "--attention", attention, stdin="1 2\n", cwd=data)
        assert "is the output, too" in message
