#!/usr/bin/env python3
"""Checks that the sources stay readable in pieces: no file longer than 400 lines, no function longer than 80.

Usage: check_lengths.py [PROJECT_ROOT]. Prints one line a problem (FILE:LINE: what, expected) and exits with 1. A function
begins at a line that is not indented and ends at the next "}" that is not indented, as clang-format writes them.
"""

import re
import sys
from pathlib import Path

FILE_LINES = 400
FUNCTION_LINES = 80
# Not a function: preprocessor, comments, types, namespaces and declarations.
OTHER = re.compile(r"(#|//|}|namespace\b|struct\b|class\b|enum\b|using\b|extern\b|template\b|$)")


def is_header(line):
    """Does a function begin here? A constant has its "=" before any parenthesis."""
    if line.startswith(" ") or OTHER.match(line) or line.endswith(";"):
        return False
    name, parenthesis, _ = line.partition("(")
    return parenthesis != "" and "=" not in name


def functions(lines):
    """(line number, lines) of each function that is not within a class."""
    begin = None
    for number, line in enumerate(lines, start=1):
        if line.startswith("}"):
            if begin is not None and line == "}":
                yield begin, number - begin + 1
            begin = None
        elif begin is None and is_header(line):
            begin = number
        elif line.endswith(";") and not line.startswith(" ") and begin is not None:
            begin = None  # a declaration of several lines


def problems(root):
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(root)
        lines = path.read_text(encoding="utf-8").splitlines()
        if len(lines) > FILE_LINES:
            yield f"{name}:{len(lines)}: file of {len(lines)} lines, expected at most {FILE_LINES}"
        for begin, length in functions(lines):
            if length > FUNCTION_LINES:
                yield f"{name}:{begin}: function of {length} lines, expected at most {FUNCTION_LINES}"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    found = list(problems(root))
    for problem in found:
        print(problem)
    print(f"lengths: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
