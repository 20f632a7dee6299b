"""Every key of a configuration changes what it says: two runs of the program that differ in the key alone."""

import random
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from cli_support import BINARY, lines_of, needs_program, poison, run

pytestmark = needs_program

CONFIG = """
threads: 1
data:
  train: {source: train.src, target: train.trg}
  dev: {source: dev.src, target: dev.trg}
  max_length: 20
tokenizer: {type: word}
model:
  encoder: {embedding_size: 8, hidden_size: 6}
  decoder: {embedding_size: 8, hidden_size: 12}
training:
  {batch_tokens: 60, max_updates: 4, max_epochs: 0, shards: 2,
   validation: {every_updates: 2, metrics: [perplexity]}}
"""

# The sizes of CONFIG go back to their defaults, because only type rnn reads them.
NO_SIZES = "embedding_size: 128, hidden_size: 128"
TRANSFORMER = "{type: transformer, model_size: 8, heads: 2, ffn_size: 12, " + NO_SIZES + "}"
ENCODER, DECODER = "model.encoder=" + TRANSFORMER, "model.decoder=" + TRANSFORMER
TRAIN_TSV = ["data.train={source: [], target: [], tsv: train.tsv}"]
DEV_TSV = ["data.dev={source: [], target: [], tsv: train.tsv}"]
TEST_TSV = ["data.test={tsv: train.tsv}"]
TEST = ["data.test={source: dev.src, target: dev.trg}"]
PIECES = ["tokenizer={type: sentencepiece, vocab_size: 60}"]
SGD = ["training.optimizer.type=sgd"]
STUCK = ["training.optimizer.learning_rate=1e-30"]  # validations without any improvement
EVERY = ["training.log_every=1"]  # learning rates of all updates
PLATEAU = [*STUCK, *EVERY, "training.schedule.type=plateau", "training.max_updates=8"]
# Training that starts from a model that can translate and stays there.
ABLE = [*STUCK, "training.init_from=able/model.safetensors", "training.validation.metrics=[perplexity, bleu]"]


@dataclass(frozen=True)
class Case:
    """Two values of a key (None: as in CONFIG or by default), what else it needs, and what must differ.

    model, metrics: bytes of the files; files: names in the model directory; log: text without times; text: a
    translation by the model `model`; memory: the program's largest size then. `same` must not differ.
    """

    values: tuple
    needs: tuple = ()
    differs: str = "model"
    same: str = ""
    model: str = ""


def train(a, b, needs=(), differs="model", same=""):
    return Case((a, b), tuple(needs), differs, same)


def translate(a, b, needs=(), model="able", differs="text", same=""):
    return Case((a, b), tuple(needs), differs, same, model)


def transformer(side):
    """Keys of a side of type transformer."""
    needs = [ENCODER if side == "encoder" else DECODER]
    return {
        f"model.{side}.{key}": train(a, b, needs + [f"model.{side}.{other}" for other in others])
        for key, a, b, *others in [
            ("model_size", "8", "12"),
            ("heads", "2", "4"),
            ("ffn_size", "12", "16"),
            ("norm", "post", "pre"),
            ("activation", "relu", "gelu"),
            ("positions", "sinusoidal", "none"),
            ("max_positions", "30", "40", "positions=learned"),
            ("key_size", "0", "3"),
            ("value_size", "0", "3"),
            ("score", "scaled_dot", "dot"),
        ]
    }


KEYS = {
    "name": train("one", "two", differs="place"),
    "seed": train("1", "2"),
    "threads": train("1", "2", differs="log", same="model"),
    "data.train.source": train("train.src", "[other.src]"),
    "data.train.target": train("train.trg", "[other.trg]"),
    "data.train.tsv": train("train.tsv", "other.tsv", TRAIN_TSV),
    "data.dev.source": train("dev.src", "other_dev.src", differs="metrics"),
    "data.dev.target": train("dev.trg", "other_dev.trg", differs="metrics"),
    "data.dev.tsv": train("train.tsv", "other.tsv", DEV_TSV, differs="metrics"),
    "data.test.source": train("dev.src", "other_dev.src", TEST, differs="metrics", same="model"),
    "data.test.target": train("dev.trg", "other_dev.trg", TEST, differs="metrics", same="model"),
    "data.test.tsv": train("train.tsv", "other.tsv", TEST_TSV, differs="metrics", same="model"),
    "data.max_length": train("20", "5"),
    "data.on_long": train("skip", "truncate", ["data.max_length=5"]),
    "data.normalization": train("clean", "none"),
    "data.tsv_header": train("false", "true", TRAIN_TSV),
    "tokenizer.type": train("word", "char"),
    "tokenizer.model_type": train("bpe", "unigram", PIECES),
    "tokenizer.vocab_size": train("100", "12"),
    "tokenizer.shared": train("true", "false", differs="files"),
    "tokenizer.character_coverage": train("1.0", "0.98", PIECES),
    "tokenizer.min_frequency": train("1", "6"),
    "tokenizer.user_defined_symbols": train("[]", "[ab]", ["tokenizer.type=char"]),
    "tokenizer.model_file": train(
        "bpe/tokenizer.model", "unigram/tokenizer.model",
        ["tokenizer.type=sentencepiece", "tokenizer.vocab_size=8000"],
    ),
    "tokenizer.target_model_file": train(
        "bpe/tokenizer.model", "unigram/tokenizer.model",
        ["tokenizer={type: sentencepiece, vocab_size: 8000, shared: false, model_file: bpe/tokenizer.model}"],
    ),
    "tokenizer.sampling.alpha": train("0.0", "0.5", PIECES),
    "model.encoder.type": train("rnn", "transformer", ["model.encoder={" + NO_SIZES + "}"]),
    "model.encoder.layers": train("1", "2"),
    "model.encoder.cell": train("gru", "rnn"),
    "model.encoder.bidirectional": train("true", "false"),
    "model.encoder.embedding_size": train("8", "9"),
    "model.encoder.hidden_size": train("6", "7"),
    **transformer("encoder"),
    "model.decoder.type": train("rnn", "transformer", ["model.decoder={" + NO_SIZES + "}"]),
    "model.decoder.layers": train("1", "2"),
    "model.decoder.cell": train("gru", "lstm"),
    "model.decoder.embedding_size": train("8", "9"),
    "model.decoder.hidden_size": train("12", "13"),
    "model.decoder.input_feeding": train("false", "true", ["model.decoder.attention.query=current"]),
    "model.decoder.init": train("bridge", "last"),
    **transformer("decoder"),
    "model.decoder.attention.score": train("dot", "scaled_dot"),
    "model.decoder.attention.query": train("previous", "current"),
    "model.decoder.attention.context": train("start", "every_step", ["model.decoder.attention.score=none"]),
    "model.decoder.attention.size": train("0", "5"),
    "model.tied_embeddings": train("target", "all"),
    "model.scale_embeddings": train("auto", "true"),
    "model.dropout.embedding": train("0.0", "0.2"),
    "model.dropout.layers": train("0.0", "0.2", ["model.encoder.layers=2"]),
    "model.dropout.context": train("0.0", "0.2"),
    "model.dropout.readout": train("0.0", "0.2"),
    "model.dropout.residual": train("0.0", "0.2", [ENCODER]),
    "model.dropout.attention": train("0.0", "0.2", [DECODER]),
    "model.dropout.ffn": train("0.0", "0.2", [ENCODER]),
    "model.init.weights": train("xavier", "normal"),
    "model.init.recurrent": train("orthogonal", "xavier"),
    "model.init.scale": train("0.1", "0.2", ["model.init.weights=uniform"]),
    "model.init.embedding_deviation": train("0.0", "0.3"),
    "model.init.forget_bias": train("1.0", "2.0", ["model.encoder.cell=lstm"]),
    "training.model_dir": train("one", "two", differs="place"),
    "training.init_from": train('""', "able/model.safetensors"),
    "training.batch_tokens": train("60", "40"),
    "training.accumulate": train("1", "2"),
    "training.max_updates": train("4", "5"),
    "training.max_epochs": train("1", "2", ["training.max_updates=0"]),
    "training.clip_norm": train("1.0", "0.01", SGD),
    "training.label_smoothing": train("0.1", "0.2"),
    "training.ema": train("0.0", "0.9"),
    "training.shards": train("2", "4"),
    "training.piece_tokens": train("0", "8"),
    "training.precision": train("float32", "bfloat16"),
    "training.window": train("20000", "20"),
    "training.on_divergence": train(
        "skip", "rollback",
        [ENCODER, "training.init_from=transformer/poisoned.safetensors", "training.max_updates=0", "training.max_epochs=1"],
        differs="log",
    ),
    "training.log_every": train("100", "1", differs="metrics", same="model"),
    "training.optimizer.type": train("adam", "sgd"),
    "training.optimizer.learning_rate": train("0.001", "0.002"),
    "training.optimizer.betas": train("[0.9, 0.999]", "[0.9, 0.98]"),
    "training.optimizer.epsilon": train("1.0e-08", "1.0e-03"),
    "training.optimizer.momentum": train("0.0", "0.9", SGD),
    "training.optimizer.weight_decay": train("0.0", "0.1", ["training.optimizer.type=adamw"]),
    "training.schedule.type": train("linear", "cosine"),
    "training.schedule.warmup": train("0", "3"),
    "training.schedule.total": train("0", "9", ["training.schedule.type=linear"]),
    "training.schedule.final_factor": train("0.0", "0.5", ["training.schedule.type=cosine"]),
    "training.schedule.factor": train("0.5", "0.25", PLATEAU, differs="metrics"),
    "training.schedule.patience": train("1", "2", PLATEAU, differs="metrics"),
    "training.validation.every_updates": train("2", "1", differs="metrics"),
    "training.validation.every_epochs": train(
        "1", "2", ["training.validation.every_updates=0", "training.max_updates=0", "training.max_epochs=2"],
        differs="metrics",
    ),
    "training.validation.at_start": train("false", "true", differs="metrics", same="model"),
    "training.validation.metrics": train("[perplexity]", "[perplexity, accuracy]", differs="metrics", same="model"),
    "training.validation.tokenize": train(
        "13a", "none", [*ABLE, "data.dev.target=glued_dev.trg"], differs="metrics", same="model"
    ),
    "training.validation.lowercase": train(
        "false", "true", [*ABLE, "data.dev.target=upper_dev.trg"], differs="metrics", same="model"
    ),
    "training.validation.beam_size": train(
        "1", "8", ["training.init_from=half/model.safetensors", *STUCK, ABLE[-1]], differs="metrics", same="model"
    ),
    "training.validation.early_stopping.metric": train(
        "perplexity", "sequence_accuracy", ["training.validation.metrics=[perplexity, sequence_accuracy]"]
    ),
    "training.validation.early_stopping.patience": train("0", "1", [*STUCK, "training.max_updates=8"], "metrics"),
    "training.checkpoints.every_updates": train("0", "1", differs="files", same="model"),
    "training.checkpoints.keep": train("3", "1", differs="files", same="model"),
    "training.checkpoints.average_last": train("0", "2"),
    "decoding.beam_size": translate("1", "8", model="half"),
    "decoding.length_penalty.formula": translate("average", "gnmt"),
    "decoding.length_penalty.alpha": translate("1.0", "0.5"),
    "decoding.max_length.factor": translate("2.0", "1.0", ["decoding.min_length=20"], model="raw"),
    "decoding.max_length.extra": translate("20", "21", ["decoding.min_length=20"], model="raw"),
    "decoding.min_length": translate("0", "20"),
    "decoding.max_input": translate("1000", "3"),
    "decoding.stop": translate("finished", "exact", model="half"),
    "decoding.allow_unknown": translate("false", "true", model="unknown"),
    "decoding.replace_unknown": translate("false", "true", ["decoding.allow_unknown=true"], model="unknown"),
    "decoding.precision": translate("float32", "bfloat16"),
    "decoding.batch_sentences": translate("1", "5000", model="wide", differs="memory", same="text"),
}

# Models to translate with or to start from.
MODELS = {
    "able": ["training.max_updates=150", "training.optimizer.learning_rate=0.03"],
    "half": ["training.max_updates=40", "training.optimizer.learning_rate=0.02"],
    "raw": STUCK,
    "unknown": ["training.max_updates=60", "training.optimizer.learning_rate=0.02", "tokenizer.vocab_size=5"],
    "wide": ["model.encoder.hidden_size=100", "training.max_updates=1"],
    "transformer": [ENCODER],
    "bpe": PIECES,
    "unigram": [*PIECES, "tokenizer.model_type=unigram", "tokenizer.vocab_size=40"],
}


def write_data(folder):
    """Small files of which every key that concerns text has something to read."""
    draw = random.Random(7)
    words = ["ab", "cd", "e", "fg.", "h,", "e\u0301a", "\u00e9a", "xyz", "qrs", "tuv"]

    def sentence(longest):
        return " ".join(draw.choice(words[: draw.randint(1, len(words))]) for _ in range(draw.randint(1, longest)))

    for name, count, longest in [("train", 60, 12), ("other", 60, 12), ("dev", 12, 6), ("other_dev", 12, 6)]:
        lines = [sentence(longest) for _ in range(count)]
        if longest > 6:
            lines.append("wor\u200bd  \u0416 rare" + str(draw.random()))
        (folder / f"{name}.src").write_text("".join(line + "\n" for line in lines))
        (folder / f"{name}.trg").write_text("".join(line + "\n" for line in lines))
        (folder / f"{name}.tsv").write_text("".join(f"{line}\t{line}\n" for line in lines))
    dev = (folder / "dev.trg").read_text()
    (folder / "upper_dev.trg").write_text(dev.upper())
    (folder / "glued_dev.trg").write_text(dev.replace("fg.", "fg .").replace("h,", "h ,"))
    (folder / "lines").write_text("".join(sentence(8) + "\n" for _ in range(40)))
    (folder / "many").write_text("".join(sentence(8) + "\n" for _ in range(4096)))  # as many as translate reads at once


def without_times(log):
    return re.sub(r"^\S+ \S+  |memory: .*|peak memory .*|\d+ tok/s.*|\d+\.\d s$", "", log, flags=re.MULTILINE)


class Runs:
    """Runs of the program by what they are asked; each takes place once, several at the same time."""

    def __init__(self, folder):
        self.folder = folder
        self.pool = ThreadPoolExecutor(8)  # most of a short training is waiting for the disk
        self.started = {}
        write_data(folder)
        (folder / "config.yaml").write_text(CONFIG)
        list(self.pool.map(lambda name: self.train(MODELS[name], name), MODELS))
        poison(folder / "transformer", "rare", folder / "transformer/poisoned.safetensors")

    def start(self, case, key, value):
        overrides = (*case.needs, f"{key}={value}")
        task = (case.model, case.differs == "memory", overrides)
        if task not in self.started:
            place = "" if case.differs == "place" else f"runs/{len(self.started)}"
            if case.differs == "memory":
                self.started[task] = self.pool.submit(self.translate_many, overrides, place, case.model)
            elif case.model:
                self.started[task] = self.pool.submit(self.translate, overrides, place, case.model)
            else:
                self.started[task] = self.pool.submit(self.train, overrides, place)
        return self.started[task]

    @staticmethod
    def options(overrides):
        return [word for item in overrides for word in ("--set", item)]

    def train(self, overrides, place):
        """Without a place the configuration says where the model goes."""
        to = ["--model-dir", place] if place else []
        process = run("train", "config.yaml", *to, *self.options(overrides), cwd=self.folder)
        found = re.search(r"  done: (.*)$", process.stderr, re.MULTILINE)[1]
        model = self.folder / found
        return {
            "place": found,
            "model": (model / "model.safetensors").read_bytes(),
            "metrics": (model / "metrics.jsonl").read_text(),
            "files": sorted(str(path.relative_to(model)) for path in model.rglob("*")),
            "log": without_times(process.stderr).replace(found, ""),
        }

    def model(self, overrides, place, model):
        """A copy of a model directory with another configuration."""
        shutil.copytree(self.folder / model, self.folder / place)
        full = run("config", f"{model}/config.yaml", "--full", *self.options(overrides), cwd=self.folder).stdout
        (self.folder / place / "config.yaml").write_text(full)
        return place

    def translate(self, overrides, place, model):
        arguments = ["translate", self.model(overrides, place, model), "-i", "lines", "--n-best", 1, "--threads", 1]
        return {"text": run(*arguments, cwd=self.folder).stdout}

    def translate_many(self, overrides, place, model):
        """While the program waits for more lines, its largest size is read."""
        fast = ["decoding.beam_size=1", "decoding.max_length={factor: 0, extra: 3}"]
        command = [BINARY, "translate", self.model([*fast, *overrides], place, model), "--threads", "1"]
        lines = (self.folder / "many").read_bytes()
        with subprocess.Popen(command, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(lines)
            process.stdin.flush()
            text = [process.stdout.readline() for _ in range(lines.count(b"\n"))]
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                kilobytes = int(re.search(r"VmHWM:\s*(\d+) kB", status.read())[1])
            process.stdin.close()
        assert process.returncode == 0
        return {"text": text, "memory": kilobytes // 10_000}  # steps of 10 MB: more than chance


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    runs = Runs(tmp_path_factory.mktemp("keys"))
    for key, case in KEYS.items():
        for value in case.values:
            runs.start(case, key, value)
    yield runs
    runs.pool.shutdown(cancel_futures=True)


def reference_keys():
    """Paths of all keys in `dragoman config --reference`."""
    keys, sections = [], []
    for line in run("config", "--reference").stdout.splitlines():
        match = re.match(r"( *)([a-z_]+):(.*)", line)
        if not match:
            continue
        level = len(match[1]) // 2
        sections[level:] = [match[2]]
        if match[3]:
            keys.append(".".join(sections))
    return keys


def test_the_table_has_every_key():
    assert sorted(KEYS) == sorted(reference_keys())


@pytest.mark.parametrize("key", KEYS)
def test_a_key_has_an_effect(runs, key):
    case = KEYS[key]
    one, two = (runs.start(case, key, value).result() for value in case.values)
    assert one[case.differs] != two[case.differs], f"{key} changes nothing"
    if case.same:
        assert one[case.same] == two[case.same], f"{key} changes the {case.same}"
