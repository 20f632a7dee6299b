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
    assert "expected one of: deps test" in result.stderr
