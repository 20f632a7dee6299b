"""The include check finds each kind of forbidden line, and says where."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_includes.py"

GOOD = {
    "core/mat.h": "#pragma once\n#include <vector>\n",
    "core/parallel.h": "#pragma once\n#include <omp.h>\n",
    "io/file.h": '#include "core/mat.h"\n',
    "kernels/gemm.h": '#include "core/mat.h"\n',
    "core/params.cpp": "#include <Eigen/QR>\n",
    "layers/linear.h": '#include "kernels/gemm.h"\n#include "core/mat.h"\n',
    "recurrent/cell.h": '#include "layers/linear.h"\n',
    "attention/score.h": '#include "layers/linear.h"\n',
    "models/model_config.h": "#pragma once\n",
    "models/decoder.h": '#include "recurrent/cell.h"\n#include "attention/score.h"\n#include "core/mat.h"\n',
    "data/tokenizer.h": '#include "io/file.h"\n',
    "data/pieces.cpp": "#include <sentencepiece_processor.h>\n#include <sentencepiece_trainer.h>\n",
    "decode/beam.h": '#include "models/decoder.h"\n',
    "metrics/bleu.h": '#include "core/mat.h"\n',
    "translate/translator.h": '#include "decode/beam.h"\n#include "data/tokenizer.h"\n',
    "train/step.cpp": '#pragma omp parallel\n#include "models/decoder.h"\n',
    "train/trainer.cpp": '#include "translate/translator.h"\n#include "metrics/bleu.h"\n#include <nlohmann/json.hpp>\n',
    "config/load.cpp": '#include <yaml-cpp/yaml.h>\n#include "models/model_config.h"\n#include "data/tokenizer.h"\n',
    "app/main.cpp": '#include <CLI/CLI.hpp>\n#include <spdlog/spdlog.h>\n#include "train/trainer.h"\n',
    "train/trainer.h": '#include "io/file.h"\n',
}


def run(root):
    result = subprocess.run([sys.executable, str(SCRIPT), str(root)], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def make_tree(root, extra):
    for path, text in {**GOOD, **extra}.items():
        file = root / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def test_accepts_every_arrow_of_the_design(tmp_path):
    make_tree(tmp_path, {})
    code, output = run(tmp_path)
    assert code == 0, output
    assert f"{len(GOOD)} files, 0 problems" in output


@pytest.mark.parametrize(
    "path, text, message",
    [
        ("core/bad.h", '\n#include "io/file.h"\n', "src/core/bad.h:2: core/ includes"),
        ("recurrent/bad.cpp", '#include "attention/score.h"\n', "src/recurrent/bad.cpp:1: recurrent/ includes"),
        ("attention/bad.cpp", '#include "recurrent/cell.h"\n', "src/attention/bad.cpp:1: attention/ includes"),
        ("layers/bad.h", '#include "io/file.h"\n', "layers/ includes"),
        ("data/bad.h", '#include "kernels/gemm.h"\n', "data/ includes"),
        ("decode/bad.h", '#include "data/tokenizer.h"\n', "decode/ includes"),
        ("metrics/bad.h", '#include "io/file.h"\n', "metrics/ includes"),
        ("train/bad.h", '#include "config/load.h"\n', "is not a file below src/"),
        ("train/bad.cpp", '#include "../core/mat.h"\n', "expected a path relative to src/"),
        ("train/bad.cpp", '#include "trainer.h"\n', "expected a path relative to src/"),
        ("config/bad.h", "#include <yaml-cpp/yaml.h>\n", "header includes yaml-cpp"),
        ("train/bad.cpp", "#include <yaml-cpp/yaml.h>\n", "expected it in src/config/ only"),
        ("train/bad.h", "#include <nlohmann/json_fwd.hpp>\n", "header includes JSON"),
        ("app/bad.h", "#include <CLI/App.hpp>\n", "header includes CLI11"),
        ("app/bad.h", "#  include <spdlog/spdlog.h>\n", "header includes spdlog"),
        ("kernels/bad.h", "#include <Eigen/Dense>\n", "header includes Eigen"),
        ("layers/bad.cpp", "#include <Eigen/Dense>\n", "expected it in src/(core/view.h|"),
        ("data/zz.cpp", "#include <sentencepiece_processor.h>\n", "in one file only, and data/pieces.cpp has it"),
        ("layers/bad.cpp", "  #pragma omp parallel for\n", "src/layers/bad.cpp:1: OpenMP"),
        ("train/trainer.cpp", "#include <omp.h>\n", "src/train/trainer.cpp:1: OpenMP"),
        ("layers/bad.cpp", '_Pragma("omp simd")\n', "OpenMP"),
        ("elsewhere/bad.cpp", "\n", "not in a known folder"),
        ("bad.cpp", "\n", "not in a known folder"),
    ],
)
def test_reports_a_forbidden_line(tmp_path, path, text, message):
    make_tree(tmp_path, {path: text})
    code, output = run(tmp_path)
    assert code == 1
    assert message in output
    assert ", 1 problems" in output


def test_ignores_comments(tmp_path):
    text = '// #include "io/file.h"\n/* #include <omp.h>\n#include "app/main.h" */\n// #pragma omp parallel\n'
    make_tree(tmp_path, {"core/fine.cpp": text})
    assert run(tmp_path)[0] == 0


def test_fails_when_there_is_nothing_to_check(tmp_path):
    code, output = run(tmp_path)
    assert code == 1
    assert "no sources" in output
