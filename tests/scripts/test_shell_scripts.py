"""Shell scripts parse, are executable, and stop at the first error."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted([*(ROOT / "scripts").glob("*.sh"), ROOT / ".ci" / "run"])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shell_script_is_sound(script):
    assert os.access(script, os.X_OK)
    assert "\nset -euo pipefail\n" in script.read_text(encoding="utf-8")
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_ci_names_its_parts():
    result = subprocess.run([str(ROOT / ".ci" / "run"), "nonsense"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "expected one of: demo test" in result.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shell_script_finds_its_project_whatever_cdpath_says(script, tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / ".ci").mkdir()
    line = next(line for line in script.read_text(encoding="utf-8").splitlines() if 'cd "$(dirname "${BASH_SOURCE' in line)
    folder = tmp_path / "project" / script.parent.name
    folder.mkdir(parents=True)
    (folder / "line.sh").write_text(f'{line}\necho "${{root:-$PWD}}"\n', encoding="utf-8")
    result = subprocess.run(["bash", f"{script.parent.name}/line.sh"], cwd=tmp_path / "project", capture_output=True,
                            text=True, check=True, env={**os.environ, "CDPATH": str(tmp_path)})  # fmt: skip
    assert result.stdout == f"{tmp_path / 'project'}\n"
