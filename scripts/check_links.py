#!/usr/bin/env python3
"""Checks the links of README.md, src/README.md and docs/*.md: files exist, and named identifiers occur in them.

Usage: check_links.py [PROJECT_ROOT]. Prints one line a problem (FILE:LINE: what, expected) and exits with 1.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

PAGES = ("README.md", "src/README.md", "docs/*.md")

# [text](target) or ![text](target "title"); text may hold one level of brackets, and a line break but no empty line.
TEXT = r"(?:(?!\n\s*\n)[^\[\]])*"
LINK = re.compile(rf"\[({TEXT}(?:\[{TEXT}\]{TEXT})*)\]\(\s*<?([^\s<>()]+)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
FENCE = re.compile(r"^\s*(```|~~~)")
CODE_OR_LINK_TEXT = re.compile(r"\[`[^`]+`\](?=\()|(`+)(?!`).*?(?<!`)\1(?!`)")
OTHER_SITE = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*:|//)")
# `name`, `Class::name`, with or without () behind it.
IDENTIFIER = re.compile(r"^`([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)(?:\(\))?`$")


def without_code(text):
    """The text, line for line, without fenced blocks and with blanks for code spans that are no link's text."""
    fence, lines = "", []
    for line in text.splitlines():
        mark = FENCE.match(line)
        if mark and (not fence or mark.group(1) == fence):
            fence, line = "" if fence else mark.group(1), ""
        kept = "" if fence else line
        lines.append(CODE_OR_LINK_TEXT.sub(lambda m: " " * len(m.group()) if m.group(1) else m.group(), kept))
    return "\n".join(lines)


def check_link(page, text, target, root):
    """The problem of [text](target) on `page`, or None."""
    path = unquote(target.partition("#")[0])
    if not path or OTHER_SITE.match(target):
        return None
    file = (root / path.lstrip("/") if path.startswith("/") else page.parent / path).resolve()
    if not file.exists():
        return f"link to {target}, expected a file that exists"
    name = IDENTIFIER.match(text.strip())
    if not name:
        return None
    if not file.is_file():
        return f"{name.group()} links to {target}, expected a file that has it"
    content = file.read_text(encoding="utf-8", errors="replace")
    for part in name.group(1).split("::"):
        if not re.search(rf"\b{part}\b", content):
            return f"{name.group()} links to {target}, expected {part} to occur in it"
    return None


def check(root):
    """(number of links, problems as lines)."""
    root = Path(root).resolve()
    count, problems = 0, []
    for page in sorted(file for pattern in PAGES for file in root.glob(pattern)):
        text = without_code(page.read_text(encoding="utf-8"))
        for link in LINK.finditer(text):
            count += 1
            problem = check_link(page, *link.groups(), root)
            if problem:
                number = text.count("\n", 0, link.start()) + 1
                problems.append(f"{page.relative_to(root).as_posix()}:{number}: {problem}")
    return count, problems


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    count, problems = check(root)
    for problem in problems:
        print(problem)
    if count == 0:
        print(f"no links in {', '.join(PAGES)} below {root}")
    print(f"links: {count} checked, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
