"""What `translate` says and when: answers in a pipe, n-best lists, lengths, words that nobody knows."""

import gzip
import json
import os
import random
import select
import subprocess
import time
import zlib

import pytest
from cli_support import BINARY, MODEL, PASSIVE, lines_of, needs_program, refused, run

pytestmark = needs_program

WORDS = ["one", "two", "three", "four", "five", "six"]


def sentences(draw, count, names):
    """Copies to learn: every third sentence has a name that occurs once, so it is unknown on both sides."""
    result = []
    for i in range(count):
        words = [draw.choice(WORDS) for _ in range(draw.randint(2, 5))]
        if i % 3 == 0:
            words[draw.randrange(len(words))] = f"{names}{i}"
        result.append(" ".join(words))
    return result


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("translate")
    draw = random.Random(1)
    text = "\n".join(sentences(draw, 900, "Name")) + "\n"
    for name in ("train.src", "train.trg"):
        (folder / name).write_text(text)
    for name in ("dev.src", "dev.trg"):
        (folder / name).write_text("\n".join(sentences(draw, 30, "Other")) + "\n")
    (folder / "config.yaml").write_text(
        "threads: 1\ndata:\n  train: {source: train.src, target: train.trg}\n"
        "  dev: {source: dev.src, target: dev.trg}\n"
        "tokenizer: {type: word, min_frequency: 3}\n" + MODEL + ""
        "training: {batch_tokens: 200, max_updates: 500, max_epochs: 0, optimizer: {learning_rate: 0.01},\n"
        "  validation: {every_updates: 250, metrics: [perplexity, bleu]}}\n"
    )
    run("train", "config.yaml", "--model-dir", "model", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def model(data):
    return data / "model"


class Conversation:
    """A program that gets a line, and must answer before it gets the next one."""

    def __init__(self, *arguments, pack=None):
        command = [str(BINARY), "translate", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=PASSIVE)
        self.pack = pack or (lambda data: data)

    def say(self, text):
        self.process.stdin.write(self.pack(text.encode()))
        self.process.stdin.flush()

    def answer(self, seconds=20):
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        assert ready, "no answer"
        return os.read(self.process.stdout.fileno(), 1 << 20).decode()

    def lines(self, count):
        text = ""
        while text.count("\n") < count:
            text += self.answer()
        return text

    def end(self, rest=b""):
        self.process.stdin.write(rest)
        self.process.stdin.close()
        left = self.process.stdout.read().decode()
        self.process.stdout.close()
        assert self.process.wait(20) == 0
        return left


def gzip_stream():
    packer = zlib.compressobj(wbits=31)
    return packer, lambda data: packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)


def test_a_line_in_a_pipe_is_answered_before_the_next_one(model):
    lines = ["one two three", "six", "", "two two Unknown"]
    expected = run("translate", model, stdin="\n".join(lines) + "\n").stdout
    packer, pack = gzip_stream()
    for conversation, rest in ((Conversation(model), lambda: b""), (Conversation(model, pack=pack), packer.flush)):
        answers = ""
        for line in lines:
            conversation.say(line + "\n")
            answers += conversation.lines(1)
        assert conversation.end(rest()) == ""
        assert answers == expected


def test_a_half_line_is_no_reason_to_keep_an_answer_back(model):
    conversation = Conversation(model)
    conversation.say("one two\nthree fo")
    assert conversation.lines(1).count("\n") == 1
    conversation.say("ur\nfive")
    assert conversation.lines(1).count("\n") == 1
    assert conversation.end().count("\n") == 1, "the last line without an end counts"


def test_a_fifo_is_answered_line_by_line(model, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    conversation = Conversation(model, "-i", fifo)
    with open(fifo, "wb", buffering=0) as writer:
        for line in ("one\n", "two three\n"):
            writer.write(line.encode())
            assert conversation.lines(1).count("\n") == 1
    assert conversation.end() == ""


def test_a_pipe_that_somebody_made_non_blocking_is_waited_for(model):
    read, write = os.pipe()
    os.set_blocking(read, False)
    command = [str(BINARY), "translate", str(model)]
    with subprocess.Popen(command, stdin=read, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(0.3)  # nothing to read yet
        os.write(write, b"one two\nthr")
        time.sleep(0.1)
        os.write(write, b"ee\n")
        os.close(write)
        os.close(read)
        output, errors = process.communicate(timeout=30)
    assert process.returncode == 0 and output.count(b"\n") == 2, errors


def test_the_answers_do_not_depend_on_what_arrives_together(model):
    draw = random.Random(2)
    lines = sentences(draw, 200, "X")
    text = "\n".join(lines) + "\n"
    expected = run("translate", model, "--n-best", 2, stdin=text).stdout
    conversation = Conversation(model, "--n-best", 2)
    said, answers = 0, ""
    while said < len(text):
        size = draw.choice([1, 7, 40, 1000])
        before = text[:said].count("\n")
        conversation.say(text[said : said + size])
        said += size
        new = text[:said].count("\n") - before
        if new and draw.random() < 0.3:
            answers += conversation.answer()
    answers += conversation.end()
    assert answers == expected


def n_best(model, text, n, *options):
    process = run("translate", model, "--n-best", n, "--beam-size", 5, *options, stdin=text)
    lists = {}
    for line in process.stdout.splitlines():
        index, words, score = line.split(" ||| ")
        lists.setdefault(int(index), []).append((words, float(score)))
    return lists, process.stderr


@pytest.mark.parametrize("stop", ["finished", "exact"])
def test_n_best_lists_have_n_different_translations_or_it_is_said(data, model, stop):
    other = data / f"stop-{stop}"
    if not other.exists():
        subprocess.run(["cp", "-r", model, other], check=True)
        text = (other / "config.yaml").read_text()
        (other / "config.yaml").write_text(text.replace("stop: finished", f"stop: {stop}"))
    lines = ["one two", "three", "four four four", "six five"]
    lists, log = n_best(other, "\n".join(lines) + "\n", 5)
    plain = run("translate", other, "--beam-size", 5, stdin="\n".join(lines) + "\n").stdout.splitlines()
    for i in range(len(lines)):
        texts = [text for text, _ in lists[i]]
        assert len(set(texts)) == len(texts) == 5, texts
        assert texts[0] == plain[i]
        assert sorted((score for _, score in lists[i]), reverse=True) == [score for _, score in lists[i]]
    assert "fewer" not in log
    lists, log = n_best(other, "one\n\ntwo\n", 5)
    assert [len(lists[i]) for i in range(3)] == [5, 1, 5]
    assert "fewer" not in log, "a blank line has one translation"


def test_a_translation_cut_at_the_length_cap_is_told(data, model):
    short = data / "short"
    subprocess.run(["cp", "-r", model, short], check=True)
    text = (short / "config.yaml").read_text()
    head, tail = text.split("  max_length:\n", 1)
    tail = tail.replace("factor: 2.0", "factor: 0.0", 1).replace("extra: 20", "extra: 2", 1)
    (short / "config.yaml").write_text(head + "  max_length:\n" + tail)
    (data / "three").write_text("one two three four\none two\nsix five four three\n")
    warning = "translations cut at the longest length allowed (decoding.max_length): 2 lines (1, 3)"
    assert warning in run("translate", short, "-i", data / "three").stderr
    evaluated = run("evaluate", short, "--source", data / "three", "--reference", data / "three")
    assert warning in evaluated.stderr
    assert run("translate", model, "-i", data / "three").stderr == ""
    options = ["--set", "training.max_updates=5", "--set", "training.validation.every_updates=5", "--set",
               "decoding.max_length={factor: 0, extra: 1}"]  # fmt: skip
    log = run("train", "config.yaml", "--model-dir", "cut", *options, cwd=data).stderr
    cut = json.loads(lines_of(data / "cut/metrics.jsonl")[-1])["translations_cut"]
    assert cut > 0 and f"  {cut} translations cut at the longest length allowed" in log


@pytest.fixture(scope="module")
def transformer(data):
    size = "model_size: 32, heads: 2, ffn_size: 48, embedding_size: 128, hidden_size: 128"
    sides = [f"model.{side}={{type: transformer, {size}}}" for side in ("encoder", "decoder")]
    training = ["training.optimizer.learning_rate=0.003", "training.max_updates=800", "seed=2"]
    options = [word for item in [*sides, *training] for word in ("--set", item)]
    run("train", "config.yaml", "--model-dir", "transformer", *options, cwd=data)
    return data / "transformer"


@pytest.mark.parametrize("kind", ["model", "transformer"])
def test_unknown_words_are_counted_and_can_be_replaced(data, kind, request):
    model = request.getfixturevalue(kind)
    draw = random.Random(3)
    lines = sentences(draw, 60, "Fresh")
    named = [i + 1 for i, line in enumerate(lines) if "Fresh" in line]
    text = "\n".join(lines) + "\n"
    plain = run("translate", model, stdin=text)
    counted = f"source pieces that the vocabulary does not have: {len(named)}, in {len(named)} lines (1, 4, 7"
    assert counted in plain.stderr
    assert "Fresh" not in plain.stdout
    replaced = run("translate", model, "--replace-unknown", stdin=text).stdout.splitlines()
    right = sum(lines[i - 1] == replaced[i - 1] for i in named)
    assert right >= 0.9 * len(named), f"{right} of {len(named)} names in their place"
    (data / "named").write_text(text)
    score = run("evaluate", model, "--source", data / "named", "--reference", data / "named", "--replace-unknown")
    assert float(score.stdout.split("sequence_accuracy = ")[1]) >= 0.9


def test_a_model_without_attention_cannot_say_what_an_unknown_word_was(data):
    options = ["--set", "model.decoder.attention={score: none, query: previous}", "--set", "training.max_updates=2"]
    run("train", "config.yaml", "--model-dir", "blind", *options, cwd=data)
    message = refused("translate", "blind", "--replace-unknown", stdin="one\n", cwd=data)
    assert "--replace-unknown" in message and "no attention" in message
    options += ["--set", "decoding.allow_unknown=true", "--set", "decoding.replace_unknown=true"]
    assert "decoding.replace_unknown" in refused("train", "config.yaml", "--model-dir", "x", *options, cwd=data)


def test_gzip_input_gives_the_same_lines(data, model):
    (data / "in.gz").write_bytes(gzip.compress((data / "dev.src").read_bytes()))
    packed = run("translate", model, "-i", data / "in.gz").stdout
    assert packed == run("translate", model, "-i", data / "dev.src").stdout
    assert packed == run("translate", model, stdin=(data / "in.gz").read_bytes()).stdout
