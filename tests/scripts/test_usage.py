"""What a user gets who mistypes a command, an option or a value: one line that says what was meant."""

import os
import resource
import subprocess

import pytest
from cli_support import BINARY, MODEL, needs_program, refused, run

pytestmark = needs_program


@pytest.fixture(name="data", scope="module")
def fixture_data(tmp_path_factory):
    """A folder with a toy corpus, a configuration for it and a model."""
    folder = tmp_path_factory.mktemp("usage")
    run("generate", "copy", "-o", folder / "toy", "--train", 60, "--dev", 5, "--test", 5, "--symbols", 8)
    sides = "  train: {source: toy/train.src, target: toy/train.trg}\n  dev: {source: toy/dev.src, target: toy/dev.trg}\n"
    (folder / "config.yaml").write_text(
        f"name: tiny\nthreads: 1\ndata:\n{sides}tokenizer: {{type: word}}\n{MODEL}training: {{max_epochs: 1}}\n"
    )
    run("train", "config.yaml", "--model-dir", "model", cwd=folder)
    return folder


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trian", "config.yaml"], ["unknown command trian", "did you mean train?"]),
        (["xyzzyx"], ["unknown command xyzzyx; dragoman --help"]),
        (["train", "config.yaml", "--max-updates", "10"], ["--max-updates", "--set training.max_updates=10"]),
        (["train", "config.yaml", "--max-updates=10"], ["--set training.max_updates=10"]),
        (["config", "config.yaml", "--vocab_size", "99"], ["--set tokenizer.vocab_size=99"]),
        (["bench", "config.yaml", "--lr", "0.1"], ["--set training.optimizer.learning_rate=0.1"]),
        (["train", "config.yaml", "--layers", "2"], ["--set model.encoder.layers=2 or --set model.decoder.layers=2"]),
        (["train", "config.yaml", "--dryrun"], ["did you mean --dry-run?"]),
        (["train", "config.yaml", "seed=2"], ["--set seed=2"]),
        (["translate", "model", "--bean-size", "3"], ["unknown option --bean-size", "did you mean --beam-size?"]),
        (["translate", "model", "--xyzzy"], ["unknown option --xyzzy; see dragoman translate --help"]),
        (["translate", "model", "toy/dev.src"], ["toy/dev.src", "-i FILE"]),
        (["evaluate", "model", "toy/dev.trg", "--source", "s", "--reference", "r"], ["toy/dev.trg", "--reference FILE"]),
        (["score", "model", "a", "b"], ["score: --source is required", "--source FILE and --target FILE"]),
        (["score", "--source", "a", "--target", "b"], ["score: model is required; see dragoman score --help"]),
        (["--threads", "2", "translate", "model"], ["unknown option --threads; options of a command stand behind it"]),
        (["--bogus"], ["unknown option --bogus"]),
        ([], ["expected a command"]),
        ([""], ['unknown command ""']),
        (["inspect", "model", "model"], ["inspect: found one word too many: model; see"]),
        (["config", "config.yaml", "--set", "model.encoder.type=lstm"], ["did you mean model.encoder.cell lstm?"]),
        (["config", "config.yaml", "--set", "training.optimizer.type=cosine"], ["mean training.schedule.type cosine?"]),
    ],
)
def test_a_mistake_is_answered_with_what_was_meant(data, arguments, words):
    message = refused(*arguments, cwd=data)
    assert all(word in message for word in words), message


NUMBERS = [
    (["translate", "model", "--threads"], "an integer from 0 to 1024"),
    (["translate", "model", "--beam-size"], "an integer from 1 to 1000"),
    (["translate", "model", "--n-best"], "an integer of at least 1"),
    (["translate", "model", "--length-penalty"], "a number from 0 to 100"),
    (["train", "config.yaml", "--threads"], "an integer from 0 to 1024"),
    (["score", "model", "--source", "s", "--target", "t", "--threads"], "an integer from 0 to 1024"),
    (["evaluate", "model", "--source", "s", "--reference", "r", "--beam-size"], "an integer from 1 to 1000"),
    (["bench", "config.yaml", "--updates"], "an integer from 1 to 1000000"),
    (["bench", "config.yaml", "--decode", "--sources", "s", "--beam-size"], "an integer from 1 to 1000"),
    (["generate", "copy", "-o", "new", "--train"], "an integer"),
    (["generate", "copy", "-o", "new", "--seed"], "an integer of at least 0"),
    (["metrics", "toy/dev.trg", "--smooth-value"], "a number of at least 0"),
]


@pytest.mark.parametrize(("command", "expected"), NUMBERS, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_a_number_has_the_range_of_its_key_and_is_no_empty_text(data, command, expected):
    for text in ("", " ", "x", "1x", "1e99999", "-1", "99999999999999999999999"):
        if (expected, text) in (("an integer", "-1"), ("a number of at least 0", "99999999999999999999999")):
            continue  # it is one
        message = refused(*command, text, cwd=data)
        assert f"{command[-1]}: found " in message, message
        assert f"expected {expected}" in message or (text == "" and "expected a value" in message), message
    assert not (data / "new").exists()


def test_an_option_and_its_key_have_one_range(data):
    for option, key in (("--beam-size", "decoding.beam_size"), ("--length-penalty", "decoding.length_penalty.alpha"),
                        ("--precision", "decoding.precision"), ("--threads", "threads")):  # fmt: skip
        of_option = refused("translate", "model", option, "-7", cwd=data).split("expected ")[1]
        of_key = refused("config", "config.yaml", "--set", f"{key}=-7", cwd=data).split("expected ")[1]
        assert of_option == of_key


@pytest.mark.parametrize("option", ["-i", "-o", "--attention"])
def test_an_empty_text_is_no_file(data, option):
    assert 'found "", expected a value' in refused("translate", "model", option, "", cwd=data)
    assert 'found "", expected a value' in refused("train", "config.yaml", "--model-dir", "", cwd=data)
    assert 'found "", expected a value' in refused("translate", "", cwd=data)


def test_options_with_several_values_leave_the_positionals_alone(data):
    source, reference = data / "toy/dev.src", data / "toy/dev.trg"
    first = run("evaluate", "model", "--source", source, "--reference", reference, cwd=data).stdout
    last = run("evaluate", "--source", source, "--reference", reference, "model", cwd=data).stdout
    assert first == last
    twice = run("evaluate", "--reference", reference, "--reference", reference, "--source", source, "model", cwd=data)
    assert "nrefs:2" in twice.stdout
    assert run("metrics", "-m", "bleu", reference, "-i", reference).stdout == run("metrics", reference, "-i", reference).stdout


def test_as_many_threads_as_the_process_may_have_processors(data):
    command = ["taskset", "-c", str(min(os.sched_getaffinity(0))), str(BINARY), "bench", "config.yaml", "--json"]
    process = subprocess.run([*command, "--threads", "0", "--updates", "1", "--warmup", "0"], cwd=data,
                             capture_output=True, text=True, check=True)  # fmt: skip
    assert '"threads":1,' in process.stdout


@pytest.mark.parametrize("name", ["OMP_STACKSIZE", "GOMP_STACKSIZE"])
def test_stacks_that_are_too_small_are_said(name):
    for size in ("16", "16k", "4096B", "0.1 m"):
        process = subprocess.run([str(BINARY), "config", "--reference"], env={**os.environ, name: size},
                                 capture_output=True, text=True, check=False)  # fmt: skip
        assert process.returncode == 2
        message = f"dragoman: {name}: found {size} in the environment, expected at least 256K; unset it"
        assert message in process.stderr.splitlines()  # the OpenMP library may have its say, too
    subprocess.run([str(BINARY), "--version"], env={**os.environ, name: "1M"}, capture_output=True, check=True)


def test_a_limit_of_the_stack_that_is_too_small_is_said():
    def limit():
        resource.setrlimit(resource.RLIMIT_STACK, (128 * 1024, 128 * 1024))

    process = subprocess.run([str(BINARY), "--version"], preexec_fn=limit, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == "dragoman: ulimit -s: found 128, expected at least 256; raise the limit of the stack in this shell\n"
