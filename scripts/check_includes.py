#!/usr/bin/env python3
"""Checks who includes whom under src/: the folder rule, where libraries may appear, and where OpenMP may.

Usage: check_includes.py [PROJECT_ROOT]. Prints one line a problem (FILE:LINE: what, expected) and exits with 1.
"""

import re
import sys
from pathlib import Path

# Folder -> folders it may include; arrows are transitive. src/README.md shows the same map.
ARROWS = {
    "core": [],
    "io": ["core"],
    "kernels": ["core"],
    "layers": ["kernels"],
    "recurrent": ["layers"],
    "attention": ["layers"],
    "models": ["recurrent", "attention"],
    "data": ["io"],
    "decode": ["models"],
    "metrics": ["core"],
    "translate": ["decode", "data"],
    "analysis": ["models"],
    "train": ["analysis", "translate", "metrics", "io"],
    "config": ["train"],
    "app": ["config"],
}

# Library -> (its includes, pattern of the files under src/ that may have them). No header of ours may but HEADERS.
LIBRARIES = {
    "spdlog": (re.compile(r"spdlog/"), r"app/"),
    "CLI11": (re.compile(r"CLI/"), r"app/"),
    "yaml-cpp": (re.compile(r"yaml-cpp/"), r"config/"),
    "JSON": (re.compile(r"nlohmann/"), r""),
    "SentencePiece": (re.compile(r"sentencepiece"), r"data/"),
    "Eigen": (re.compile(r"(eigen3/)?Eigen/"), r"(core/view.h|core/params.cpp|app/)"),
}
HEADERS = {"core/view.h"}
ONE_FILE_ONLY = "SentencePiece"

OPENMP_FILES = re.compile(r"^(core/parallel\.|kernels/|train/(\w+_)?step\.)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
OPENMP = re.compile(r'^\s*#\s*pragma\s+omp\b|_Pragma\s*\(\s*"omp\b|^\s*#\s*include\s*<omp\.h>')


def closure(arrows):
    """Folder -> all folders it reaches, itself included."""
    reach = {}

    def visit(folder):
        if folder not in reach:
            reach[folder] = {folder}
            for other in arrows[folder]:
                reach[folder] |= visit(other)
        return reach[folder]

    for folder in arrows:
        visit(folder)
    return reach


def code_lines(text):
    """(line number, line) without comments; good enough for preprocessor lines."""
    in_comment = False
    for number, line in enumerate(text.splitlines(), start=1):
        kept = ""
        while line:
            if in_comment:
                _, end, line = line.partition("*/")
                in_comment = not end
                continue
            slashes, star = line.find("//"), line.find("/*")
            if star >= 0 and (slashes < 0 or star < slashes):
                kept, line, in_comment = kept + line[:star], line[star + 2 :], True
            else:
                kept, line = kept + (line if slashes < 0 else line[:slashes]), ""
        yield number, kept


def check_project_include(path, target, src, reach):
    """The problem of #include "target" in the file `path` (relative to src), or None."""
    if target.startswith(("/", ".")) or "/../" in target or not (src / target).is_file():
        return f'"{target}" is not a file below src/, expected a path relative to src/'
    own, other = path.parts[0], Path(target).parts[0]
    if other not in reach:
        return f'"{target}" is in no known folder'
    if other not in reach[own]:
        allowed = ", ".join(folder for folder in ARROWS if folder in reach[own] and folder != own) or "nothing else"
        return f'{own}/ includes "{target}", expected only {own}/ and: {allowed}'
    return None


def check_library_include(path, target, users):
    """The problem of including a library's header `target`, or None; notes the file in `users`."""
    for library, (pattern, folder) in LIBRARIES.items():
        if not pattern.match(target):
            continue
        if path.suffix == ".h" and path.as_posix() not in HEADERS:
            return f"header includes {library} ({target}), expected it in .cpp files only"
        if not re.match(folder, path.as_posix()):
            return f"includes {library} ({target}), expected it in src/{folder} only"
        users.setdefault(library, set()).add(path.as_posix())
        if library == ONE_FILE_ONLY and len(users[library]) > 1:
            others = ", ".join(sorted(users[library] - {path.as_posix()}))
            return f"includes {library} ({target}), expected it in one file only, and {others} has it"
    return None


def check(root):
    """(number of files, problems as lines)."""
    src = Path(root) / "src"
    reach = closure(ARROWS)
    problems, users = [], {}
    files = sorted(path for path in src.rglob("*") if path.suffix in (".h", ".cpp"))
    for file in files:
        path = file.relative_to(src)
        if path.parts[0] not in reach or len(path.parts) < 2:
            problems.append(f"src/{path}:1: not in a known folder, expected one of: {', '.join(ARROWS)}")
            continue
        for number, line in code_lines(file.read_text(encoding="utf-8")):
            found = []
            if OPENMP.search(line) and not OPENMP_FILES.match(path.as_posix()):
                found.append("OpenMP, expected it only in core/parallel.*, kernels/ and the training step (train/*step.*)")
            include = INCLUDE.match(line)
            if include:
                quote, target = include.groups()
                found.append(check_library_include(path, target, users))
                is_library = any(pattern.match(target) for pattern, _ in LIBRARIES.values())
                if quote == '"' and not is_library:
                    found.append(check_project_include(path, target, src, reach))
            problems += [f"src/{path}:{number}: {problem}" for problem in found if problem]
    return len(files), problems


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    count, problems = check(root)
    for problem in problems:
        print(problem)
    if count == 0:
        print(f"no sources below {root}/src")
    print(f"include rule: {count} files, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
