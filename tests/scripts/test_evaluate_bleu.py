"""scripts/evaluate_bleu.py, run as a user runs it."""

import gzip
import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

sacrebleu = pytest.importorskip("sacrebleu")
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "evaluate_bleu.py"
HYPOTHESES = ["The cat sat on the mat.", "A dog\u2028runs in the old park.", "Er kam 2019."]
REFERENCES = ["The cat sat on a mat.", "A Dog\u2028runs in the park.", "Er kam im Jahr 2019."]


def evaluate(*arguments):
    return subprocess.run([sys.executable, str(SCRIPT), *map(str, arguments)], capture_output=True, encoding="utf-8")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "hyp").write_bytes("\n".join(HYPOTHESES).encode() + b"\n")
    (tmp_path / "ref").write_bytes("\n".join(REFERENCES).encode())  # no LF at the end
    with gzip.open(tmp_path / "ref2.gz", "wb") as file:
        file.write("\n".join(HYPOTHESES).encode() + b"\n")
    return tmp_path


def fake_program(path, body):
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_scores_are_those_of_sacrebleu(files):
    result = evaluate("--hypothesis", files / "hyp", "--reference", files / "ref", "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["score"] == sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score
    assert found["lines"] == 3
    assert found["signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")


def test_several_references_and_gzip(files):
    result = evaluate("--hypothesis", files / "hyp", "--reference", files / "ref", files / "ref2.gz", "--json")
    assert json.loads(result.stdout)["score"] == pytest.approx(100)


def test_options_reach_sacrebleu(files):
    result = evaluate("--hypothesis", files / "hyp", "--reference", files / "ref", "--tokenize", "intl", "--lowercase")
    expected = sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES], tokenize="intl", lowercase=True)
    assert result.stdout.startswith("BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:")
    assert f" = {expected.score:.2f} " in result.stdout


def test_a_model_is_asked_to_translate(files):
    program = fake_program(files / "dragoman", "assert sys.argv[1:] == ['translate', sys.argv[2], '-i', sys.argv[4]]\n"
                                               "sys.stdout.buffer.write(open(sys.argv[4], 'rb').read())")
    model = files / "model"
    model.mkdir()
    result = evaluate("--model", model, "--source", files / "hyp", "--reference", files / "ref", "--binary", program,
                      "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["score"] == sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score


def test_a_failed_translation_exits_with_1(files):
    program = fake_program(files / "dragoman", "sys.exit('broken model')")
    result = evaluate("--model", files, "--source", files / "hyp", "--reference", files / "ref", "--binary", program)
    assert result.returncode == 1
    assert "broken model" in result.stderr and "exited with 1" in result.stderr


def test_unequal_lines_name_both_counts(files):
    (files / "short").write_text("one\ntwo\n")
    result = evaluate("--hypothesis", files / "hyp", "--reference", files / "short")
    assert result.returncode == 2
    assert "hyp has 3" in result.stderr and "short has 2" in result.stderr


def test_invalid_utf8_names_file_and_line(files):
    (files / "bad").write_bytes(b"one\ntwo \xff\nthree\n")
    result = evaluate("--hypothesis", files / "bad", "--reference", files / "ref")
    assert result.returncode == 2
    assert "bad:2: invalid UTF-8 (byte 9" in result.stderr


@pytest.mark.parametrize("arguments, message", [
    (["--hypothesis", "missing", "--reference", "ref"], "missing: cannot read: No such file"),
    (["--hypothesis", "hyp", "--reference", "."], "cannot read: Is a directory"),
    (["--hypothesis", "hyp", "--reference", "fake.gz"], "fake.gz: cannot read: Not a gzipped file"),
    (["--hypothesis", "hyp", "--reference", "cut.gz"], "cut.gz: cannot read: Compressed file ended"),
    (["--hypothesis", "empty", "--reference", "empty"], "empty: no lines"),
    (["--hypothesis", "hyp", "--reference", "ref", "--tokenize", "zh"], "invalid choice"),
    (["--model", ".", "--reference", "ref"], "--model and --source belong together"),
    (["--model", ".", "--source", "hyp", "--reference", "ref", "--binary", "none"], "none: no such program"),
    (["--model", "none", "--source", "hyp", "--reference", "ref", "--binary", "hyp"], "none: no such model"),
    (["--hypothesis", "hyp"], "--reference"),
])
def test_mistakes_exit_with_2_and_say_what_is_wrong(files, monkeypatch, arguments, message):
    (files / "empty").write_text("")
    (files / "fake.gz").write_text("text\n")
    (files / "cut.gz").write_bytes((files / "ref2.gz").read_bytes()[:-10])
    monkeypatch.chdir(files)
    result = evaluate(*arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
