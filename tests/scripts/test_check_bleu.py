"""scripts/check_bleu.py must notice a wrong number. The program is played by a script that asks sacreBLEU."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from check_bleu import differences  # noqa: E402
from sacrebleu.metrics import BLEU  # noqa: E402


def ours_and_theirs(**changes):
    bleu = BLEU()
    score = bleu.corpus_score(["a b c d e f"], [["a b c d e g h"]])
    ours = {"score": score.score, "bp": score.bp, "precisions": list(score.precisions), "counts": list(score.counts),
            "totals": list(score.totals), "hyp_len": score.sys_len, "ref_len": score.ref_len,
            "signature": "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:dragoman-0",
            "verbose_score": score._verbose}
    return {**ours, **changes}, score, str(bleu.get_signature())


def test_equal_numbers_pass():
    assert differences(*ours_and_theirs(), True) == []


@pytest.mark.parametrize("name, value", [
    ("score", 50.0), ("score", float("nan")), ("bp", 1.0), ("precisions", [100.0] * 4), ("counts", [5, 4, 3, 3]),
    ("totals", [7, 5, 4, 3]), ("hyp_len", 7), ("ref_len", 6), ("signature", "nrefs:2"), ("verbose_score", ""),
])
def test_each_wrong_number_is_found(name, value):
    found = differences(*ours_and_theirs(**{name: value}), True)
    assert found and all(text.startswith(name.rstrip("s")) for text in found)


def test_counts_are_not_compared_for_add_k():
    assert differences(*ours_and_theirs(counts=[0, 0, 0, 0]), False) == []


def check(program):
    script = ROOT / "scripts" / "check_bleu.py"
    return subprocess.run([sys.executable, str(script), str(program), "--lines", "2"], capture_output=True, text=True)


def test_a_missing_program_exits_with_2(tmp_path):
    result = check(tmp_path / "none")
    assert result.returncode == 2 and "no such file" in result.stderr


def test_a_program_that_fails_exits_with_1_and_shows_its_message(tmp_path):
    program = tmp_path / "dragoman"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('out of order')\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    result = check(program)
    assert result.returncode == 1 and "out of order" in result.stderr
