"""Every sub-command end to end, on small generated data."""

import json
import os
import subprocess
import time

import pytest
from cli_support import BINARY, MODEL, lines_of, needs_program, refused, run

pytestmark = needs_program


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with a toy corpus and a configuration for it."""
    folder = tmp_path_factory.mktemp("cli")
    run("generate", "copy", "-o", folder / "toy", "--train", 300, "--dev", 20, "--test", 20, "--symbols", 8)
    sides = [f"  {part}: {{source: toy/{part}.src, target: toy/{part}.trg}}\n" for part in ("train", "dev", "test")]
    (folder / "config.yaml").write_text(
        "name: tiny\nthreads: 1\ndata:\n" + "".join(sides) + "tokenizer: {type: word}\n" + MODEL + "training:\n"
        "  {batch_tokens: 200, max_updates: 60, max_epochs: 0, log_every: 10, optimizer: {learning_rate: 0.02},\n"
        "   validation: {every_updates: 20, metrics: [perplexity, bleu, sequence_accuracy]}}\n"
    )
    return folder


@pytest.fixture(scope="module")
def model(data):
    run("train", "config.yaml", "--model-dir", "model", cwd=data)
    return data / "model"


def test_a_training_leaves_a_model_directory(model):
    names = {path.name for path in model.iterdir()}
    wanted = {"model.safetensors", "config.yaml", "tokenizer.json", "train.log", "metrics.jsonl", "checkpoints"}
    assert wanted <= names
    reports = [json.loads(line) for line in lines_of(model / "metrics.jsonl")]
    assert [r["update"] for r in reports if r["kind"] == "train"] == [10, 20, 30, 40, 50, 60]
    assert [r["update"] for r in reports if r["kind"] == "validation"] == [20, 40, 60]
    assert set(reports[-1]["metrics"]) == {"perplexity", "bleu", "sequence_accuracy"} and reports[-1]["kind"] == "test"
    assert not any(key in text for text in lines_of(model / "metrics.jsonl") for key in ("seconds", "speed", "time"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["translate", "nowhere"], ["nowhere", "not a model directory"]),
        (["train", "nowhere.yaml"], ["nowhere.yaml"]),
        (["config", "config.yaml", "--set", "training.max_update=3"], ["unknown key", "training.max_updates?"]),
        (["config", "config.yaml", "--set", "training.max_updates=many"], ["training.max_updates", "many"]),
        (["train", "config.yaml", "--set", "data.train.source=gone.src"], ["gone.src"]),
        (["generate", "shuffle", "-o", "x"], ["shuffle", "copy, reverse, sort or grammar"]),
        (["metrics", "toy/dev.src", "-i", "toy/train.src"], ["20", "300"]),
        (["metrics", "toy/dev.src", "-m", "rouge"], ["rouge"]),
        (["bench", "config.yaml", "--updates", "0"], ["--updates"]),
    ],
)
def test_a_users_mistake_is_one_line_and_exit_code_2(data, arguments, words):
    message = refused(*arguments, cwd=data)
    assert all(word in message for word in words), message


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["train"], ["translate", "m", "--bean-size", "3"]])
def test_wrong_usage_is_exit_code_2(arguments):
    assert run(*arguments, code=2).stderr


def test_help_and_version_go_to_standard_output():
    assert "Subcommands" in run("--help").stdout
    assert run("--version").stdout.startswith("dragoman ")


def test_an_unknown_key_is_named_with_file_line_and_the_nearest_key(data):
    (data / "typo.yaml").write_text("name: x\nmodel:\n  encoder:\n    hiden_size: 3\n")
    message = refused("config", "typo.yaml", cwd=data)
    assert "typo.yaml:4" in message and "hidden_size?" in message


def test_set_overrides_any_key_before_or_after_the_file(data):
    pairs = ["training.optimizer.betas=[0.8, 0.9]", "model.decoder.attention.score=dot", "seed=7",
             "training.validation.metrics=[perplexity]", "decoding.length_penalty.alpha=0.5",
             "model.decoder.hidden_size=24"]  # fmt: skip
    options = [word for pair in pairs for word in ("--set", pair)]
    after = run("config", "config.yaml", "--full", *options, cwd=data).stdout
    assert run("config", *options, "config.yaml", "--full", cwd=data).stdout == after
    for text in ("betas: [0.8, 0.9]", "score: dot", "seed: 7", "alpha: 0.5"):
        assert text in after
    (data / "full.yaml").write_text(after)
    assert run("config", "full.yaml", "--full", cwd=data).stdout == after, "it loads again to the same"


@pytest.mark.parametrize("command", ["train", "bench"])
def test_set_does_not_swallow_the_configuration(data, command):
    more = ["--model-dir", "before"] if command == "train" else ["--updates", "1", "--warmup", "0"]
    run(command, "--set", "training.max_updates=1", "config.yaml", *more, cwd=data)


def test_translate_gives_a_line_for_each_line(model):
    lines = ["1 2 3", "", "   ", "4 5", "unknown 7", "6"]
    out = run("translate", model, stdin="\n".join(lines) + "\n").stdout
    assert out.count("\n") == 6
    assert out.split("\n")[1:3] == ["", ""]
    assert run("translate", model, stdin="\n".join(lines)).stdout == out, "the last line end doesn't matter"
    assert run("translate", model, stdin="").stdout == ""
    one_by_one = "".join(run("translate", model, "--threads", 2, stdin=line + "\n").stdout for line in lines)
    assert one_by_one == out


def test_translate_reads_and_writes_files(data, model):
    run("translate", model, "-i", data / "toy/test.src", "-o", data / "out.txt")
    assert len(lines_of(data / "out.txt")) == 20
    text = (data / "toy/test.src").read_text()
    assert run("translate", model, stdin=text).stdout == (data / "out.txt").read_text()


def test_a_file_that_is_translated_to_appears_whole_or_stays(data, model):
    out = data / "out.txt"
    out.write_text("precious\n")
    (data / "in.txt").write_text("1 2\n2 1\n")
    refused("translate", model, "-i", data / "in.txt", "-o", out, "--attention", data / "absent" / "x")
    refused("translate", model, "-i", data / "in.txt", "-o", out, "--n-best", 99)
    assert out.read_text() == "precious\n"
    assert "cannot write: No space left" in refused("translate", model, "-i", data / "in.txt", "-o", "/dev/full")
    expected = run("translate", model, "-i", data / "in.txt", "-o", "/dev/stdout").stdout
    run("translate", model, "-i", data / "in.txt", "-o", out)
    assert out.read_text() == expected and expected.count("\n") == 2
    assert [path.name for path in data.iterdir() if "dragoman-tmp" in path.name] == []


def test_standard_output_that_cannot_be_written_is_said(model):
    for command in (["translate", model, "-i", "/dev/null"], ["inspect", model], ["config"], ["--help"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = subprocess.run([str(BINARY), *map(str, command)], stdout=full, stderr=subprocess.PIPE, check=False)
        assert process.returncode == (0 if command[-1] == "/dev/null" else 2), command  # nothing to write
        assert (process.returncode == 0) == (process.stderr == b"")


@pytest.mark.parametrize("seed", ["-1", "18446744073709551616", "1.5", "1e3"])
def test_a_seed_is_taken_as_it_is_or_refused(tmp_path, seed):
    assert "--seed" in run("generate", "copy", "-o", tmp_path / "toy", "--seed", seed, code=2).stderr
    assert not (tmp_path / "toy").exists()


def test_n_best_lines_are_index_text_and_score_best_first(model):
    out = run("translate", model, "--n-best", 3, "--beam-size", 4, stdin="1 2 3\n\n4 5\n").stdout
    fields = [line.split(" ||| ") for line in out.splitlines()]
    assert all(len(f) == 3 for f in fields)
    assert [f[0] for f in fields] == ["0"] * 3 + ["1"] + ["2"] * 3
    for index in "02":
        scores = [float(f[2]) for f in fields if f[0] == index]
        assert scores == sorted(scores, reverse=True)
    best = run("translate", model, "--beam-size", 4, stdin="1 2 3\n\n4 5\n").stdout.split("\n")
    assert [fields[0][1], fields[4][1]] == [best[0], best[2]]
    message = refused("translate", model, "--n-best", 9, "--beam-size", 4, stdin="1\n")
    assert "--n-best" in message and "--beam-size" in message


def test_attention_is_a_json_object_a_line(data, model):
    lines = ["1 2 3", "", "4 5"]
    texts = run("translate", model, "--attention", data / "a.json", stdin="\n".join(lines) + "\n").stdout.split("\n")
    objects = [json.loads(line) for line in lines_of(data / "a.json")]
    assert len(objects) == 3
    for source, text, o in zip(lines, texts, objects):
        assert o["source"] == source.split() + ["</s>"]
        assert o["target"] == text.split() + ["</s>"]
        assert [a["kind"] for a in o["attention"]] == ([] if source == "" else ["cross"])
        for a in o["attention"]:
            assert len(a["weights"]) == len(o["target"])
            for row in a["weights"]:
                assert len(row) == len(o["source"]) and abs(sum(row) - 1) < 1e-5


@pytest.mark.parametrize("alpha", [0, 1])
def test_score_agrees_with_translate(data, model, alpha):
    sources = lines_of(data / "toy/test.src")
    options = ["--n-best", 1, "--length-penalty", alpha]
    out = run("translate", model, *options, "-i", data / "toy/test.src").stdout.splitlines()
    best = [line.split(" ||| ") for line in out]
    (data / "best.txt").write_text("".join(f[1] + "\n" for f in best))
    scored = run("score", model, "--source", data / "toy/test.src", "--target", data / "best.txt").stdout.splitlines()
    assert len(scored) == len(sources)
    for fields, line in zip(best, scored):
        log_prob, labels = line.split("\t")
        assert int(labels) == len(fields[1].split()) + 1
        assert float(log_prob) == pytest.approx(float(fields[2]) * int(labels) ** alpha, abs=1e-5 * int(labels))


def test_evaluate_agrees_with_translate_and_metrics(data, model):
    source, reference = data / "toy/test.src", data / "toy/test.trg"
    run("translate", model, "-i", source, "-o", data / "hyp.txt")
    metric = json.loads(run("metrics", reference, "-i", data / "hyp.txt", "--json").stdout)
    found = json.loads(run("evaluate", model, "--source", source, "--reference", reference, "--json").stdout)
    assert found["bleu"] == pytest.approx(metric["score"], abs=1e-9)
    exact = sum(a == b for a, b in zip(lines_of(data / "hyp.txt"), lines_of(reference)))
    assert found["sequence_accuracy"] == pytest.approx(exact / 20) and found["lines"] == 20
    last = json.loads(lines_of(model / "metrics.jsonl")[-1])["metrics"]
    assert last["bleu"] == pytest.approx(found["bleu"], abs=1e-9), "the test at the end of training"
    assert "BLEU|" in run("metrics", reference, "-i", reference).stdout


def test_evaluate_counts_lines_that_equal_any_reference(data, model):
    source = data / "toy/test.src"
    run("translate", model, "-i", source, "-o", data / "own.txt")
    own = lines_of(data / "own.txt")
    (data / "first.txt").write_text("".join(line + "\n" for line in own[:6] + ["no"] * 14))
    (data / "second.txt").write_text("".join(line + "\n" for line in ["no"] * 5 + own[5:9] + ["no"] * 11))
    arguments = ["evaluate", model, "--source", source, "--reference", data / "first.txt"]
    assert json.loads(run(*arguments, "--json").stdout)["sequence_accuracy"] == 6 / 20
    both = run(*arguments, "--reference", data / "second.txt", "--json")
    assert json.loads(both.stdout)["sequence_accuracy"] == 9 / 20


def test_the_model_is_readable_by_safetensors(model):
    safetensors = pytest.importorskip("safetensors.numpy")
    pytest.importorskip("numpy")
    tensors = safetensors.load_file(model / "model.safetensors")
    assert tensors["encoder.embedding"].shape == (11, 12)  # 8 words and 3 control tokens
    assert tensors["encoder.0.forward.w_x"].shape == (12, 36)
    assert tensors["output.w"].shape[1] == 11 and tensors["output.b"].shape == (11,)
    listing = run("inspect", model).stdout
    assert f"{sum(t.size for t in tensors.values())} parameters" in listing
    assert all(name in listing for name in tensors)
    measured = json.loads(run("inspect", model, "--json").stdout)
    assert {m["name"]: tuple(m["shape"]) for m in measured if m["shape"][0] > 1} == {
        name: t.shape for name, t in tensors.items() if t.ndim == 2 and t.shape[0] > 1}
    numpy = pytest.importorskip("numpy")
    for m in measured:
        t = tensors[m["name"]].astype(float)
        assert m["mean"] == pytest.approx(t.mean(), abs=1e-12)
        assert m["deviation"] == pytest.approx(t.std(), abs=1e-12)
        assert m["norm"] == pytest.approx(numpy.linalg.norm(t), abs=1e-9)
        expected = numpy.linalg.svd(t, compute_uv=False) if min(m["shape"]) > 1 else []
        assert m["singular_values"] == pytest.approx(list(expected), abs=1e-9)


def test_bench_reports_its_speed(data):
    report = json.loads(run("bench", "config.yaml", "--updates", 2, "--warmup", 1, "--json", cwd=data).stdout)
    assert report["threads"] == 1 and report["tgt_tok_s"] > 0 and report["ms_per_update"] > 0


def test_one_thread_takes_the_time_of_one(data):
    command = [str(BINARY), "bench", "config.yaml", "--threads", "1", "--updates", "120", "--set", "threads=0",
               "--set", "model.encoder.hidden_size=128", "--set", "model.decoder.hidden_size=128"]  # fmt: skip
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=data, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - start
    assert process.returncode == 0
    assert usage.ru_utime + usage.ru_stime <= 1.05 * wall + 0.05


def test_translate_in_bfloat16_gives_a_line_for_each_line(model):
    lines = ["1 2 3", "", "4 5"]
    process = run("translate", model, "--precision", "bfloat16", stdin="\n".join(lines) + "\n")
    assert len(process.stdout.splitlines()) == 3
    native = "with BF16" in run("--version").stdout
    assert ("emulated" in process.stderr) == (not native)
    assert "expected one of: float32, bfloat16" in refused("translate", model, "--precision", "int8", stdin="1\n")
