"""install_deps.sh asks for what is missing only, and says what it can't do. apt-get and dpkg-query are stand-ins."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "install_deps.sh"
TOOLS = ("bash", "dirname", "env", "sed", "cmp", "cp", "cat")


@pytest.fixture(name="bin_dir")
def fixture_bin_dir(tmp_path):
    """A PATH with a few real tools and whatever a test adds."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for tool in TOOLS:
        (directory / tool).symlink_to(shutil.which(tool))
    return directory


def add_tool(bin_dir, name, script):
    tool = bin_dir / name
    tool.write_text("#!/usr/bin/env bash\n" + script, encoding="utf-8")
    tool.chmod(0o755)


def add_apt(bin_dir, missing, log):
    """dpkg-query that misses some packages; apt-get that writes down how it is called; sudo that just runs."""
    cases = "".join(f"  {name}) exit 1 ;;\n" for name in missing)
    add_tool(bin_dir, "dpkg-query", f'case "${{@: -1}}" in\n{cases}  *) printf installed ;;\nesac\n')
    add_tool(bin_dir, "apt-get", f'echo "$@" >> "{log}"\n')
    add_tool(bin_dir, "sudo", '"$@"\n')


def run(bin_dir, *arguments, script=SCRIPT, **environment):
    result = subprocess.run(
        [str(bin_dir / "bash"), str(script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(bin_dir), **environment},
    )
    return result.returncode, result.stdout + result.stderr


def test_does_nothing_when_all_packages_are_there(bin_dir, tmp_path):
    add_apt(bin_dir, [], tmp_path / "log")
    code, output = run(bin_dir, "--no-python")
    assert code == 0, output
    assert "packages are there" in output
    assert not (tmp_path / "log").exists()


def test_installs_only_what_is_missing(bin_dir, tmp_path):
    log = tmp_path / "log"
    add_apt(bin_dir, ["libeigen3-dev", "ccache"], log)
    code, output = run(bin_dir, "--no-python")
    assert code == 0, output
    assert "installing libeigen3-dev ccache" in output
    assert log.read_text(encoding="utf-8") == "install -y --no-install-recommends libeigen3-dev ccache\n"


def test_updates_the_package_lists_when_installing_fails(bin_dir, tmp_path):
    log = tmp_path / "log"
    add_apt(bin_dir, ["ccache"], log)
    add_tool(bin_dir, "apt-get", f'echo "$1" >> "{log}"\n[[ $1 == update ]]\n')
    code, output = run(bin_dir, "--no-python")
    assert code == 1
    assert "could not install: ccache" in output
    assert log.read_text(encoding="utf-8") == "install\nupdate\ninstall\n"


def test_says_so_on_other_systems(bin_dir):
    code, output = run(bin_dir, "--no-python")
    assert code == 1
    assert "Debian and Ubuntu only" in output
    assert "libeigen3-dev" in output


def test_refuses_unknown_options(bin_dir):
    code, output = run(bin_dir, "--nonsense")
    assert code == 1
    assert "unknown option --nonsense" in output


def copy_of_script(tmp_path):
    """The script in a project of its own, so that no test touches the real .venv."""
    scripts = tmp_path / "project" / "scripts"
    scripts.mkdir(parents=True)
    (scripts / "requirements.txt").write_text("pytest\n", encoding="utf-8")
    return Path(shutil.copy(SCRIPT, scripts))


FAKE_PYTHON = """
case "$*" in
  --version) echo "Python 3.99" ;;
  *"-m venv"*) mkdir -p "${@: -1}/bin" && cp "$0" "${@: -1}/bin/python" ;;
  *"pip install"*) echo "$@" >> "$PIP_LOG" ;;
esac
"""


def test_makes_the_python_environment_once_and_again_when_the_requirements_change(bin_dir, tmp_path):
    script, log = copy_of_script(tmp_path), tmp_path / "pip.log"
    add_apt(bin_dir, [], tmp_path / "log")
    (bin_dir / "mkdir").symlink_to(shutil.which("mkdir"))
    add_tool(bin_dir, "python3", FAKE_PYTHON)
    for times in (1, 1):
        code, output = run(bin_dir, script=script, PIP_LOG=str(log))
        assert code == 0, output
        assert len(log.read_text(encoding="utf-8").splitlines()) == times
    (script.parent / "requirements.txt").write_text("pytest\nnumpy\n", encoding="utf-8")
    code, output = run(bin_dir, script=script, PIP_LOG=str(log))
    assert code == 0, output
    assert len(log.read_text(encoding="utf-8").splitlines()) == 2


def test_passes_over_a_python_without_venv(bin_dir, tmp_path):
    script = copy_of_script(tmp_path)
    add_apt(bin_dir, [], tmp_path / "log")
    (bin_dir / "mkdir").symlink_to(shutil.which("mkdir"))
    add_tool(bin_dir, "python3", "exit 1\n")
    good = bin_dir / "good"
    add_tool(bin_dir, "good", FAKE_PYTHON)
    code, output = run(bin_dir, script=script, PIP_LOG=os.devnull, PYTHON=str(good))
    assert code == 0, output
    assert "making .venv with Python 3.99" in output
