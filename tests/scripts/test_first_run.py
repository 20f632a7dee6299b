"""A fresh clone: demo.sh builds without a Python environment, test.sh then makes one; without it scripts say so."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

RUN_SCRIPT = """
import pathlib, runpy, sys
sys.argv = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(sys.argv[0]).parent))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture(name="clone")
def fixture_clone(tmp_path):
    """What a build needs of the tree, in a folder whose name has a space."""
    clone = tmp_path / "a clone"
    clone.mkdir()
    for name in ("CMakeLists.txt", "CMakePresets.json", "src", "tests", "data", "bench"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, clone / name)
    return clone


def python_of_the_tests(clone):
    """Configures the build, as demo.sh and test.sh do, and returns what the tests would be run with."""
    subprocess.run(["cmake", "--preset", "release"], cwd=clone, check=True, capture_output=True)
    tests = (clone / "build" / "release" / "tests" / "CTestTestfile.cmake").read_text(encoding="utf-8")
    return re.search(r'add_test\(\S*scripts\.pytest\S* "([^"]*)"', tests).group(1)


def test_tests_use_the_environment_that_was_made_after_the_first_configuration(clone):
    environment = clone / ".venv" / "bin" / "python"
    assert python_of_the_tests(clone) != str(environment)
    environment.parent.mkdir(parents=True)
    environment.symlink_to(sys.executable)
    assert python_of_the_tests(clone) == str(environment)


@pytest.mark.parametrize(
    ("script", "package", "arguments"),
    [
        ("plot_attention", "matplotlib", ["attention.jsonl", "-o", "a picture.png"]),
        ("bleu_by_length", "sacrebleu", ["--source", "s", "--hypothesis", "h", "--reference", "r"]),
        ("evaluate_bleu", "sacrebleu", ["--hypothesis", "h", "--reference", "r"]),
        ("check_bleu", "sacrebleu", [sys.executable]),
    ],
)
def test_a_script_without_its_package_says_how_to_get_it(script, package, arguments):
    path = ROOT / "scripts" / f"{script}.py"
    command = [sys.executable, "-I", "-S", "-c", RUN_SCRIPT, str(path), *arguments]  # -S: no package but Python's own
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    again = shlex.join([".venv/bin/python", str(path), *arguments])
    wanted = f"{script}: needs {package}, which scripts/install_deps.sh installs into .venv; after that: {again}\n"
    assert result.stderr == wanted
