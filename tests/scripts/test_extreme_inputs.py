"""Corpora at the edge of what can be trained on: no NaN, and a model that translates."""

import json

import pytest
from cli_support import needs_program, run

pytestmark = needs_program

SIDES = {
    "recurrent": "{embedding_size: 8, hidden_size: 8}",
    "transformer": "{type: transformer, layers: 2, model_size: 8, heads: 2, ffn_size: 12}",
}
LONG = " ".join(str(i % 7) for i in range(1000))
CORPORA = {
    "one pair": (["a b c"], "word", 50),
    "one token": (["a", "b", "a", "b"] * 5, "word", 50),
    "a vocabulary of five": (["a b", "b a a", "b", "a", "c c a"] * 4, "word", 5),
    "length 1000": ([LONG, "1 2 3"], "word", 50),
    "all sentences the same": (["the same words again"] * 50, "char", 50),
    "one piece known": (["a b c d e f", "g h i j k l", "a"] * 4, "word", 4),
}


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("corpus", CORPORA)
def test_extreme_corpora_train_and_translate(tmp_path, sides, corpus):
    lines, tokenizer, vocabulary = CORPORA[corpus]
    (tmp_path / "text").write_text("".join(line + "\n" for line in lines))
    files = "{source: text, target: text}"
    (tmp_path / "config.yaml").write_text(
        f"name: extreme\nthreads: 2\ndata: {{train: {files}, dev: {files}, test: {files}, max_length: 1000}}\n"
        f"tokenizer: {{type: {tokenizer}, vocab_size: {vocabulary}}}\n"
        f"model: {{encoder: {SIDES[sides]}, decoder: {SIDES[sides]}}}\n"
        "training: {batch_tokens: 1001, max_updates: 30, max_epochs: 0, log_every: 10,\n"
        "  optimizer: {learning_rate: 0.01}, validation: {every_updates: 15}}\n"
    )
    run("train", "config.yaml", "--model-dir", "model", cwd=tmp_path)
    for text in (tmp_path / "model/metrics.jsonl").read_text().splitlines():
        record = json.loads(text)
        for name, value in {**record, **record.get("metrics", {})}.items():
            if isinstance(value, float):
                assert abs(value) < 1e30, f"{name}: {value}"
            assert value is not None, f"{name} is not a number"
    translated = run("translate", "model", "-i", "text", cwd=tmp_path).stdout
    assert translated.count("\n") == len(lines)


@pytest.mark.parametrize("sides", SIDES)
def test_batches_of_one_pair_learn(tmp_path, sides):
    (tmp_path / "text").write_text("1\n2 1\n3 2 1\n1 1\n")
    (tmp_path / "config.yaml").write_text(
        "name: single\nthreads: 1\ndata: {train: {source: text, target: text}, max_length: 3}\n"
        f"tokenizer: {{type: word}}\nmodel: {{encoder: {SIDES[sides]}, decoder: {SIDES[sides]}}}\n"
        "training: {batch_tokens: 4, max_updates: 200, max_epochs: 0, log_every: 50,\n"
        "  optimizer: {learning_rate: 0.01}}\n"
    )
    run("train", "config.yaml", "--model-dir", "model", cwd=tmp_path)
    losses = [json.loads(line)["loss"] for line in (tmp_path / "model/metrics.jsonl").read_text().splitlines()]
    assert losses[-1] < 0.7 * losses[0], losses
