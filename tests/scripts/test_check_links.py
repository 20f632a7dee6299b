"""The link check finds dead links and dead identifiers, says where, and passes on the repository."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "check_links.py"

GOOD = {
    "README.md": "[docs](docs/page.md), [`attend`](src/attend.cpp) and [elsewhere](https://example.org/none.md).\n",
    "src/README.md": "[up](../README.md)\n",
    "src/attend.cpp": "void attend() {}\nint Layer::step() { return attend_backward; }\n",
    "docs/page.md": "[`Layer::step`](../src/attend.cpp), [here](#top), ![a picture](picture.png)\n",
    "docs/picture.png": "",
}


def run(*arguments):
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def make_tree(root, extra):
    for path, text in {**GOOD, **extra}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def test_accepts_links_that_lead_somewhere(tmp_path):
    make_tree(tmp_path, {})
    code, output = run(tmp_path)
    assert code == 0, output
    assert "links: 7 checked, 0 problems" in output


@pytest.mark.parametrize(
    "path, text, message",
    [
        ("README.md", "\n\n[x](docs/none.md)\n", "README.md:3: link to docs/none.md, expected a file that exists"),
        ("src/README.md", "[x](docs/page.md)\n", "src/README.md:1: link to docs/page.md"),
        ("docs/new.md", "![x](none.png)\n", "docs/new.md:1: link to none.png"),
        ("docs/new.md", "[x](none.md#part)\n", "docs/new.md:1: link to none.md#part"),
        ("docs/new.md", '[x](page.md "a title")[y](none.md "a title")\n', "docs/new.md:1: link to none.md"),
        ("docs/new.md", "a\n[two\nlines](none.md) [x](page.md 'a title')\n", "docs/new.md:2: link to none.md"),
        ("docs/new.md", "| a | [`gone`](../src/attend.cpp) |\n", "docs/new.md:1: `gone` links to ../src/attend.cpp"),
        ("docs/new.md", "[`atten`](../src/attend.cpp)\n", "expected atten to occur in it"),
        ("docs/new.md", "[`Layer::gone`](../src/attend.cpp)\n", "expected gone to occur in it"),
        ("docs/new.md", "[`Gone::step()`](../src/attend.cpp)\n", "expected Gone to occur in it"),
        ("docs/new.md", "[`attend`](../src)\n", "expected a file that has it"),
        ("docs/new.md", "```\ncode\n```\n[x](none.md)\n", "docs/new.md:4: link to none.md"),
    ],
)
def test_reports_a_dead_link_or_identifier(tmp_path, path, text, message):
    make_tree(tmp_path, {path: text})
    code, output = run(tmp_path)
    assert code == 1
    assert message in output
    assert ", 1 problems" in output


def test_ignores_code_and_text_that_is_no_identifier(tmp_path):
    text = "`[x](none.md)` and ``[`y`](none.md)``\n```\n[x](none.md)\n```\n[`a + b`](page.md) [`page.md`](page.md)\n"
    make_tree(tmp_path, {"docs/new.md": text})
    code, output = run(tmp_path)
    assert code == 0, output


def test_fails_when_there_is_nothing_to_check(tmp_path):
    code, output = run(tmp_path)
    assert code == 1
    assert "no links" in output


def test_passes_on_the_repository():
    code, output = run()
    assert code == 0, output
