"""Threads, interruptions, neighbors and batch sizes change no byte of a model and no character of a translation."""

import random
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from cli_support import BINARY, PASSIVE, needs_program, run

pytestmark = needs_program

DATA = """
threads: 1
data:
  train: {source: toy/train.src, target: toy/train.trg}
  dev: {source: toy/dev.src, target: toy/dev.trg}
"""

DROPOUT = "embedding: 0.1, context: 0.1"

CONFIGS = {
    "recurrent, sampled pieces, moving average": DATA + f"""
tokenizer: {{vocab_size: 40, sampling: {{alpha: 0.3}}}}
model:
  encoder: {{embedding_size: 12, hidden_size: 12}}
  decoder: {{embedding_size: 12, hidden_size: 16}}
  dropout: {{{DROPOUT}, readout: 0.1}}
training:
  {{batch_tokens: 120, max_updates: 120, max_epochs: 0, log_every: 1, window: 64, ema: 0.95,
   validation: {{every_updates: 20, metrics: [perplexity, bleu]}}}}
""",
    "Transformer, accumulation, mean of checkpoints": DATA + f"""
tokenizer: {{type: word}}
model:
  encoder: {{type: transformer, model_size: 16, heads: 2, ffn_size: 24}}
  decoder: {{type: transformer, model_size: 16, heads: 2, ffn_size: 24, norm: pre}}
  tied_embeddings: all
  dropout: {{{DROPOUT}, residual: 0.1, attention: 0.1, ffn: 0.1}}
training:
  {{batch_tokens: 120, accumulate: 3, max_updates: 60, max_epochs: 0, log_every: 1, window: 100,
   schedule: {{type: cosine, warmup: 10}}, checkpoints: {{every_updates: 7, average_last: 3, keep: 4}},
   validation: {{every_updates: 15, metrics: [perplexity]}}}}
""",
    "plateau and early stopping": DATA + f"""
tokenizer: {{type: char}}
model:
  encoder: {{cell: lstm, embedding_size: 8, hidden_size: 8}}
  decoder: {{cell: lstm, embedding_size: 8, hidden_size: 12, attention: {{score: general, query: current}}}}
  dropout: {{{DROPOUT}}}
training:
  {{batch_tokens: 200, max_updates: 400, max_epochs: 0, log_every: 1, window: 100,
   optimizer: {{type: sgd, learning_rate: 4.0, momentum: 0.9}}, schedule: {{type: plateau, patience: 2, factor: 0.3}},
   validation: {{every_updates: 8, metrics: [accuracy, loss], early_stopping: {{metric: accuracy, patience: 5}}}}}}
""",
    "pieces of a shard, mixed sides": DATA + f"""
tokenizer: {{type: word, shared: false}}
model:
  encoder: {{embedding_size: 12, hidden_size: 12, layers: 2}}
  decoder: {{type: transformer, model_size: 16, heads: 2, ffn_size: 24, positions: learned}}
  dropout: {{{DROPOUT}, layers: 0.1, ffn: 0.1}}
training:
  {{batch_tokens: 150, max_updates: 80, max_epochs: 0, log_every: 1, window: 100, shards: 8, piece_tokens: 16,
   precision: bfloat16, checkpoints: {{every_updates: 5}}, validation: {{every_updates: 20, metrics: [perplexity]}}}}
""",
}

COMPARED = ("model.safetensors", "metrics.jsonl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("matrix")
    run("generate", "reverse", "-o", folder / "toy", "--train", 300, "--dev", 12, "--test", 5, "--symbols", 8)
    return folder


def result(folder, name):
    return [(folder / name / file).read_bytes() for file in COMPARED]


def reports(log):
    try:
        return log.read_bytes().count(b"\n")
    except FileNotFoundError:  # not yet, or a start afresh has just removed it
        return 0


def interrupted(folder, command, name, number, draw):
    """Starts a training and sends it a signal at a random moment. Returns the exit code."""
    log = folder / name / "metrics.jsonl"
    wanted = reports(log) + draw.randint(0, 60)
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, env=PASSIVE) as process:
        while process.poll() is None and reports(log) <= wanted:
            time.sleep(0.002)
        time.sleep(draw.random() * 0.005)
        process.send_signal(number)  # too late is no interruption
        return process.wait(timeout=60)


def train(folder, config, name, threads, number, seed):
    """Trains with two interruptions, each at a random moment. Returns how many took place."""
    draw = random.Random(seed)

    def command():
        where = "--resume" if (folder / name / "checkpoints/latest").exists() else "--overwrite"
        return ["train", config, "--model-dir", name, "--threads", str(threads), where]

    for count in range(2 if number else 0):
        code = interrupted(folder, [str(BINARY), *command()], name, number, draw)
        if code == 0:
            return count
        assert code in (-number, 128 + number), f"exit code {code}"
    run(*command(), cwd=folder)
    return 2 if number else 0


@pytest.mark.parametrize("name", CONFIGS)
def test_threads_and_interruptions_change_nothing(folder, name):
    config = f"{name}.yaml"
    (folder / config).write_text(CONFIGS[name])
    train(folder, config, f"{name} 1", 1, None, 0)
    expected = result(folder, f"{name} 1")
    runs = [(threads, number) for number in (None, signal.SIGTERM, signal.SIGKILL) for threads in (1, 2, 3)][1:]
    names = [f"{name} {threads} {number}" for threads, number in runs]  # seeds, too
    with ThreadPoolExecutor(3) as pool:
        counts = list(pool.map(lambda n, r: train(folder, config, n, *r, n), names, runs))
    for each, count in zip(names, counts):
        assert result(folder, each) == expected, f"{each!r} after {count} interruptions"
    for number in (signal.SIGTERM, signal.SIGKILL):
        took_place = sum(count for (_, sent), count in zip(runs, counts) if sent == number)
        assert took_place >= 2, f"{took_place} of 6 interruptions took place"


def side(draw, kind):
    """A small encoder or decoder of any kind."""
    if draw.random() < 0.5:
        parts = [f"layers: {draw.choice([1, 2])}", "model_size: 8", f"heads: {draw.choice([1, 2, 4])}", "ffn_size: 12",
                 f"norm: {draw.choice(['pre', 'post'])}", f"activation: {draw.choice(['relu', 'gelu', 'swish'])}",
                 f"positions: {draw.choice(['sinusoidal', 'learned', 'none'])}"]  # fmt: skip
        return "{type: transformer, " + ", ".join(parts) + "}"
    parts = [f"layers: {draw.choice([1, 2])}", f"cell: {draw.choice(['rnn', 'gru', 'lstm'])}", "embedding_size: 8"]
    if kind == "encoder":
        parts.append(draw.choice(["bidirectional: false, hidden_size: 8", "hidden_size: 4"]))
        return "{" + ", ".join(parts) + "}"
    query = draw.choice(["previous", "between", "current"])
    score = draw.choice(["none", "dot", "scaled_dot", "general", "additive"])
    init = draw.choice(["bridge", "last"])
    parts += ["hidden_size: 8", f"attention: {{query: {query}, score: {score}}}", f"init: {init}"]
    if query == "current":
        parts.append(f"input_feeding: {draw.choice(['true', 'false'])}")
    return "{" + ", ".join(parts) + "}"


def random_config(seed):
    draw = random.Random(seed)
    tokenizer = draw.choice(["{type: word}", "{type: char}", "{vocab_size: 40}"])
    return DATA + f"""
tokenizer: {tokenizer}
model:
  encoder: {side(draw, "encoder")}
  decoder: {side(draw, "decoder")}
  tied_embeddings: {draw.choice(["none", "target", "all"])}
  dropout: {{embedding: {draw.choice([0.0, 0.1])}}}
training:
  {{batch_tokens: 150, accumulate: {draw.choice([1, 2])}, shards: {draw.choice([2, 4, 8])}, max_updates: 40,
   max_epochs: 0, log_every: 1, piece_tokens: {draw.choice([0, 20])}, optimizer: {{learning_rate: 0.01}},
   checkpoints: {{every_updates: 4}}, validation: {{every_updates: 10, metrics: [perplexity]}}}}
"""


def random_lines(draw, count):
    """Lines of the toy task, odd ones, empty ones and long ones."""
    odd = ["\u0301", "\u00e9", "\u200d", "\u00a0", "\t", "\u2581", "\ufeff", "\U0001f600", "한", "|||", "<unk>", "\x07"]
    lines = ["", " ", " ".join(str(draw.randrange(8)) for _ in range(120)), "".join(odd)]
    while len(lines) < count:
        length = draw.randint(0, 15)
        words = [draw.choice(odd) if draw.random() < 0.1 else str(draw.randrange(8)) for _ in range(length)]
        lines.append(draw.choice(["", " "]).join(words))
    return lines


def translations(folder, model, lines, beam, threads):
    """The n-best lists of all lines, without their numbers."""
    arguments = ["translate", model, "--n-best", beam, "--beam-size", beam, "--threads", threads]
    found = {}
    for line in run(*arguments, cwd=folder, stdin="".join(line + "\n" for line in lines)).stdout.split("\n")[:-1]:
        number, rest = line.split(" ||| ", 1)
        found.setdefault(int(number), []).append(rest)
    return [found[i] for i in range(len(lines))]


def with_batches(folder, model, sentences):
    """A copy of a model that decodes so many sentences together."""
    name = f"{model} {sentences}"
    shutil.copytree(folder / model, folder / name)
    options = ["--full", "--set", f"decoding.batch_sentences={sentences}"]
    (folder / name / "config.yaml").write_text(run("config", f"{model}/config.yaml", *options, cwd=folder).stdout)
    return name


@pytest.mark.parametrize("seed", range(5))
def test_a_random_model_is_the_same_with_any_threads_and_so_are_its_translations(folder, seed):
    config, place = f"random{seed}.yaml", f"random{seed}"
    (folder / config).write_text(random_config(seed))
    runs = [(1, None), (2, signal.SIGTERM), (3, signal.SIGKILL)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda each: train(folder, config, f"{place} {each[0]}", *each, seed), runs))
    for threads in (2, 3):
        assert result(folder, f"{place} {threads}") == result(folder, f"{place} 1"), (folder / config).read_text()

    draw = random.Random(seed)
    lines = random_lines(draw, 30)
    models = {sentences: with_batches(folder, f"{place} 1", sentences) for sentences in (1, 3, 64)}
    alone = [[i] for i in (0, 2, 3, *draw.sample(range(4, 30), 5))]
    for beam in (1, 4):
        together = translations(folder, models[64], lines, beam, 1)
        cases = [(models[64], 1, order) for order in alone]
        cases += [(m, threads, draw.sample(range(30), 30)) for m in models.values() for threads in (1, 2, 3)]
        with ThreadPoolExecutor(3) as pool:
            jobs = [pool.submit(translations, folder, m, [lines[i] for i in order], beam, t) for m, t, order in cases]
        for (model, threads, order), job in zip(cases, jobs):
            expected = [together[i] for i in order]
            assert job.result() == expected, f"seed {seed}, {model}, beam {beam}, {threads} threads, lines {order}"
