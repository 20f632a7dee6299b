"""scripts/check_lengths.py: what is too long is named, and this repository has none of it."""

import subprocess
import sys

from cli_support import ROOT


def check(root):
    command = [sys.executable, str(ROOT / "scripts/check_lengths.py"), str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def function(lines):
    return "int f(int a,\n      int b) {\n" + "  g();\n" * (lines - 3) + "}\n"


def test_passes_on_the_repository():
    process = check(ROOT)
    assert process.returncode == 0, process.stdout


def test_names_long_functions_and_files(tmp_path):
    (tmp_path / "src/core").mkdir(parents=True)
    long = tmp_path / "src/core/long.cpp"
    long.write_text("// One.\n" + function(80) + "constexpr int k =\n    3;\n" + function(80))
    assert check(tmp_path).returncode == 0
    long.write_text("// One.\n" + function(80) + function(81))
    process = check(tmp_path)
    assert process.returncode == 1
    assert process.stdout.splitlines()[0] == "src/core/long.cpp:82: function of 81 lines, expected at most 80"
    long.write_text("\n" * 401)
    assert "file of 401 lines, expected at most 400" in check(tmp_path).stdout
