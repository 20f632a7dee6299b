"""Files from elsewhere, damaged in every way we could think of: a clear error, never a crash, a hang or much memory."""

import gzip
import json
import os
import random
import shutil
import struct
import subprocess
import threading
from pathlib import Path

import pytest
from cli_support import BINARY, MODEL, needs_program, run, write_state

pytestmark = needs_program

MEGABYTES = 500
SEED = 20_251
tried = []


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A trained model with a checkpoint, its data, and one with a SentencePiece model."""
    home = tmp_path_factory.mktemp("hostile")
    run("generate", "reverse", "-o", home / "toy", "--train", 60, "--dev", 5, "--test", 5, "--symbols", 8)
    (home / "config.yaml").write_text(
        "name: tiny\nthreads: 1\ndata:\n  train: {source: toy/train.src, target: toy/train.trg}\n"
        "tokenizer: {type: word}\n" + MODEL + "training: {batch_tokens: 200, max_updates: 4, max_epochs: 0,\n"
        "  checkpoints: {every_updates: 2}}\n"
    )
    run("train", "config.yaml", "--model-dir", "word", cwd=home)
    run("train", "config.yaml", "--model-dir", "pieces", "--set", "tokenizer.type=sentencepiece",
        "--set", "tokenizer.vocab_size=14", cwd=home)  # fmt: skip
    yield home
    print(f"\n{len(tried)} hostile files tried with seed {SEED}")


@pytest.fixture(name="model")
def fixture_model(home, tmp_path):
    return Path(shutil.copytree(home / "word", tmp_path / "model"))



def attempt(*arguments, home=None, stdin=b""):
    """Runs the program; what it says, whether it accepted, and that it did neither crash nor hang nor swell."""
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [str(BINARY), *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=home, env=environment,
    ) as process:  # fmt: skip
        timer = threading.Timer(20, process.kill)
        timer.start()
        try:
            process.stdin.write(stdin)
            process.stdin.close()
        except BrokenPipeError:  # refused before it was read
            pass
        said = process.stderr.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        timer.cancel()
    tried.append(arguments)
    assert code in (0, 2), f"exit code {code} of {arguments}: {said}"
    assert usage.ru_maxrss < MEGABYTES * 1000, f"{usage.ru_maxrss} kB: {arguments}"
    assert "what()" not in said and "internal error" not in said and "filesystem error" not in said, said
    return code == 0, said.splitlines()


def refused(name, *arguments, **options):
    """The one line of a refusal, which names the file."""
    accepted, lines = attempt(*arguments, **options)
    assert not accepted, f"{name} was accepted"
    errors = [line for line in lines if line.startswith("dragoman: ")]
    assert len(errors) == 1 and lines[-1] == errors[0], lines
    assert str(name) in errors[0], f"{name} is not in: {errors[0]}"
    return errors[0]


def looks_at(model):
    """The cheapest command that reads configuration, tokenizer and weights."""
    return ("translate", model, "--threads", 1)


def damages(data, count, seed):
    """Truncated and with bytes flipped, at random places that the seed decides."""
    draw = random.Random(seed)
    yield "empty", b""
    for _ in range(count):
        place = draw.randrange(len(data))
        yield f"cut at {place}", data[:place]
        flipped = bytearray(data)
        places = [draw.randrange(len(data)) for _ in range(draw.choice((1, 1, 8, 64)))]
        for where in places:
            flipped[where] ^= 1 << draw.randrange(8)
        yield f"flipped at {places}", bytes(flipped)
        start = draw.randrange(len(data))
        yield f"zeros from {start}", data[:start] + bytes(min(64, len(data) - start)) + data[start + 64 :]


# What only changes numbers or words inside is no damage that anybody could see.
@pytest.mark.parametrize("kind, name, count", [
    ("word", "model.safetensors", 12), ("word", "tokenizer.json", 12), ("word", "config.yaml", 12),
    ("pieces", "tokenizer.model", 25),
])  # fmt: skip
def test_damaged_files_of_a_model(home, tmp_path, kind, name, count):
    model = Path(shutil.copytree(home / kind, tmp_path / "model"))
    whole = (model / name).read_bytes()
    for what, data in damages(whole, count, SEED):
        (model / name).write_bytes(data)
        accepted, lines = attempt(*looks_at(model), stdin=b"1 2 3\n")
        if not accepted:  # a configuration may have several problems
            assert lines[0].startswith("dragoman: ") and all(str(model) in line for line in lines), (what, lines)
        assert not (accepted and what.startswith(("cut", "empty")) and name == "model.safetensors"), what


@pytest.mark.parametrize("name", ["state.json", "optimizer.safetensors", "model.safetensors"])
def test_damaged_checkpoints(home, model, name):
    path = model / "checkpoints" / "000004" / name
    whole = path.read_bytes()
    for what, data in damages(whole, 6, SEED + 1):
        path.write_bytes(data)
        message = refused(name, "train", "config.yaml", "--model-dir", model, "--resume", home=home)
        assert "whole is 000002: --resume-from 2 (or newest) goes on from 000002" in message, (what, message)


def tensors(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def write_tensors(path, header, data, length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)


def test_hostile_headers_and_numbers(model):
    path = model / "model.safetensors"
    header, data = tensors(path)
    names = [name for name in header if name != "__metadata__"]
    first, second = sorted(names, key=lambda name: header[name]["data_offsets"])[:2]

    def changed(name, **fields):
        return {**header, name: {**header[name], **fields}}

    begin, end = header[first]["data_offsets"]
    shape = header[first]["shape"]
    cases = {
        "header length": (header, data, 2**64 - 1),
        "header length 2^40": (header, data, 2**40),
        "header length 0": (header, data, 0),
        "overlap": (changed(second, data_offsets=header[first]["data_offsets"], shape=shape), data),
        "gap": (changed(first, data_offsets=[begin + 4, end + 4]), data),
        "beyond the end": (changed(first, data_offsets=[len(data), len(data) + end - begin]), data),
        "negative": (changed(first, data_offsets=[-4, end - 4]), data),
        "wrong dtype": (changed(first, dtype="I32"), data),
        "unknown dtype": (changed(first, dtype="F31\x1b[2J"), data),
        "flat shape": (changed(first, shape=[(end - begin) // 4]), data),
        "overflowing shape": (changed(first, shape=[2**62, 8]), data),
        "huge shape": (changed(first, shape=[10**6, 10**6]), data),
        "no shape": (changed(first, shape=None), data),
        "unknown tensor": ({**header, "x\n\x1b[2Jy": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}, data),
        "missing tensor": ({name: header[name] for name in header if name != first}, data),
        "newer format": ({**header, "__metadata__": {"format": "99\ndragoman: all is well"}}, data),
        "trailing bytes": (header, data + b"more"),
        "two names": (json.dumps(header).encode()[:-1] + b', "' + first.encode() + b'": {}}', data),
        "deep": (b'{"a":' + b"[" * 100_000, data),
        "many numbers": (b'{"a":{"dtype":"F32","data_offsets":[0,4],"shape":[' + b"1," * 7_000_000 + b"1]}}", data),
        "NUL": (json.dumps(header).encode() + b"\0", data),
        "NaN": (header, struct.pack("<f", float("nan")) + data[4:]),
        "infinity": (header, data[:-4] + struct.pack("<f", float("-inf"))),
    }
    for what, case in cases.items():
        write_tensors(path, *case)
        message = refused("model.safetensors", *looks_at(model))
        assert "\x1b" not in message, what


def test_hostile_configurations_of_a_model(model):
    path = model / "config.yaml"
    text = path.read_text(encoding="utf-8")
    cases = {
        "huge layers": text.replace("hidden_size: 12", "hidden_size: 65536"),
        "all huge": text.replace("hidden_size: 12", "hidden_size: 65536").replace("hidden_size: 16", "hidden_size: 65536")
        .replace("embedding_size: 12", "embedding_size: 65536").replace("  layers: 1", "  layers: 64"),
        "deep": "a: " + "[" * 100_000,
        "aliases": "a: &a [1]\nb: *a\n",
        "control characters": '"\\e[2J\\ndragoman: fine": 1\n',
        "binary": "\0\0\0",
        "long": "# " + "x" * (2 << 20) + "\n",
    }  # fmt: skip
    for what, case in cases.items():
        path.write_text(case, encoding="utf-8")
        name = "model.safetensors" if "huge" in what else "config.yaml"
        assert "\x1b" not in refused(name, *looks_at(model)), what


def test_hostile_vocabularies(model):
    path = model / "tokenizer.json"
    good = json.loads(path.read_text(encoding="utf-8"))
    pieces = good["pieces"]
    cases = {
        "twice": {**good, "pieces": [*pieces[:-1], pieces[0]]},
        "numbers": {**good, "pieces": list(range(len(pieces)))},
        "format 1e300": {**good, "format": 1e300},
        "format -1": {**good, "format": -1},
        "type": {**good, "type": "word\n\x1b[2J"},
        "list": [good],
        "line feed": {**good, "pieces": [f"{piece}\n" for piece in pieces]},
    }
    for what, case in cases.items():
        path.write_text(json.dumps(case), encoding="utf-8")
        assert "\x1b" not in refused("tokenizer.json", *looks_at(model)), what
    for text in ("[" * 100_000, '{"a":' * 100_000, '{"pieces":[' + "0," * 8_000_000 + "0]}", " " * 40_000_000):
        path.write_text(text, encoding="utf-8")
        refused("tokenizer.json", *looks_at(model))
    for wrong in ([*pieces, "one more"], pieces[:-1]):
        path.write_text(json.dumps({**good, "pieces": wrong}), encoding="utf-8")
        refused("model.safetensors", *looks_at(model))


@pytest.mark.parametrize("text", [
    "../000004", "/etc", "000004/../000004", "", "latest", "000004\n../x", "000002\0", "999999", "9" * 30, "-1", "4",
    "x" * 3_000_000, "\x1b[2J", " 000004", "000004 ",
])  # fmt: skip
def test_latest_names_a_checkpoint_and_no_other_path(home, model, text):
    (model / "checkpoints" / "latest").write_text(text, encoding="utf-8")
    message = refused("checkpoints", "train", "config.yaml", "--model-dir", model, "--resume", home=home)
    assert "\x1b" not in message and len(message) < 1000


@pytest.mark.parametrize("field, value", [
    ("update", 2), ("update", -4), ("update", 1e300), ("update", 2**63), ("update", "4"), ("format", 5), ("format", 3), ("format", None),
    ("epoch_pairs", -1), ("position", []), ("position", {"epoch": -1, "window": 0, "batch": 0}), ("best", "x"),
    ("fingerprint", 0), ("fingerprint", "0"), ("schedule", {"scale": 1}), ("validation_due", 1), ("scheduled", [-1]),
    ("files", {"model.safetensors": -1}), ("files", None), ("best_checksum", 2**32),
])  # fmt: skip
def test_hostile_states(home, model, field, value):
    path = model / "checkpoints" / "000004" / "state.json"
    write_state(path, {**json.loads(path.read_text(encoding="utf-8")), field: value})
    refused("", "train", "config.yaml", "--model-dir", model, "--resume", home=home)


def test_hostile_batches_of_diverged_updates(home, model):
    folder = model / "diverged" / "1"
    folder.mkdir(parents=True)
    shutil.copy(model / "model.safetensors", folder)
    pair = {"pair": 0, "source_ids": [3, 2], "target_ids": [3, 2]}
    good = {"update": 3, "seed": 1, "learning_rate": 1e-3, "problem": "loss", "batches": [[pair]]}

    def replay(batch):
        (folder / "batch.json").write_text(json.dumps(batch), encoding="utf-8")
        return attempt("replay", folder, home=home)

    assert replay(good)[0]
    for field, values in {
        "update": (1e300, -1, 1.5, "3", None), "seed": (1e300, -1), "learning_rate": ("x", None), "problem": (1, None),
        "batches": (1, [1], [[]], [[{}]], [[{**pair, "pair": -1}]], [[{**pair, "source_ids": []}]],
                    [[{**pair, "target_ids": [1e300]}]], [[{**pair, "target_ids": [2**40]}]],
                    [[{**pair, "source_ids": [10_000, 2]}]], [[{**pair, "source_ids": [3] * 100_000}]]),
    }.items():  # fmt: skip
        for value in values:
            accepted, lines = replay({**good, field: value})
            assert not accepted and len(lines) == 1 and "batch.json" in lines[0], (field, value, lines)
    assert "\x1b" not in "".join(replay({**good, "problem": "\x1b[2J"})[1])


def test_far_positions_end_soon(home, model):
    path = model / "checkpoints" / "000004" / "state.json"
    state = json.loads(path.read_text(encoding="utf-8"))
    for place in ("window", "batch", "epoch"):
        position = {**state["position"], place: 2**53}
        write_state(path, {**state, "position": position})
        attempt("train", "config.yaml", "--model-dir", model, "--resume", "--set", "training.max_updates=6", home=home)


def odd_files(path):
    """The same name as each kind of thing that is no file."""
    path.unlink()
    os.mkfifo(path)
    yield "FIFO"
    path.unlink()
    path.mkdir()
    yield "directory"
    path.rmdir()
    for target in ("/dev/zero", path.name, "nowhere", "/proc/self/mem"):
        path.symlink_to(target)
        yield f"link to {target}"
        path.unlink()


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.yaml"])
def test_odd_files_in_a_model_directory(model, name):
    for _ in odd_files(model / name):
        refused(model, *looks_at(model))


@pytest.mark.parametrize("name", ["latest", "000004/state.json", "000004/optimizer.safetensors"])
def test_odd_files_in_checkpoints(home, model, name):
    for _ in odd_files(model / "checkpoints" / name):
        refused("", "train", "config.yaml", "--model-dir", model, "--resume", home=home)


def train_on(home, tmp_path, tsv, **options):
    return ("train", "config.yaml", "--model-dir", tmp_path / "m", "--overwrite", "--set", "data.train.source=[]",
            "--set", "data.train.target=[]", "--set", f"data.train.tsv={tsv}"), {"home": home, **options}  # fmt: skip


def test_odd_corpora(home, tmp_path):
    loop = tmp_path / "loop.tsv"
    loop.symlink_to(loop.name)
    for path in ("/dev/zero", "/dev/urandom", "/dev/null", tmp_path, loop, tmp_path / "nowhere", "/proc/self/mem"):
        arguments, options = train_on(home, tmp_path, path)
        refused(path, *arguments, **options)
    for key, kind in (("training.init_from", "word"), ("tokenizer.model_file", "sentencepiece")):
        for path in ("/dev/zero", tmp_path, loop):
            refused(path, "train", "config.yaml", "--model-dir", tmp_path / "m", "--set", f"{key}={path}",
                    "--set", f"tokenizer.type={kind}", home=home)  # fmt: skip


def test_a_pipe_is_a_corpus(home, tmp_path):
    fifo = tmp_path / "pipe.tsv"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_text("1 2\t2 1\n3 1\t1 3\n" * 20, encoding="utf-8"))
    writer.start()
    arguments, options = train_on(home, tmp_path, fifo)
    accepted, lines = attempt(*arguments, **options)
    writer.join(10)
    assert accepted, lines


def test_damaged_corpora(home, tmp_path):
    text = "".join(f"{i % 8} {i % 3}\t{i % 3} {i % 8}\n" for i in range(200)).encode()
    packed = gzip.compress(text, mtime=0)
    path = tmp_path / "text.tsv"
    draw = random.Random(SEED + 2)
    for whole in (text, packed):
        for what, data in damages(whole, 6, draw.random()):
            path.write_bytes(data)
            arguments, options = train_on(home, tmp_path, path)
            accepted, lines = attempt(*arguments, **options)
            if not accepted:
                assert lines[-1].startswith("dragoman: ") and str(path) in lines[-1], (what, lines)
            assert not (accepted and whole is packed and what.startswith(("cut", "empty"))), what
    # A few packed bytes that become one endless line.
    path.write_bytes(gzip.compress(bytes(200_000_000), 1))
    arguments, options = train_on(home, tmp_path, path)
    assert "the line has more than" in refused(path, *arguments, **options)


def test_endless_input_of_a_translation(model):
    for path in ("/dev/zero", model):
        refused(path, *looks_at(model), "-i", path)
