#!/usr/bin/env python3
"""Runs clang-tidy on the sources under src/ that changed, within a time budget.

Usage: tidy.py [--base COMMIT] [--all] [--build DIR] [--seconds N] [--jobs N]

Changed means: against COMMIT (default HEAD~20, or everything in a younger repository), and untracked files. A changed
header stands for the .cpp file beside it. Files that the budget leaves out are named and are no failure.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# GCC's omp.h is no C++ for clang, and clang's own comes with another package.
OMP_STUB = """#pragma once
extern "C" {
int omp_get_max_threads();
int omp_get_num_threads();
int omp_get_thread_num();
int omp_in_parallel();
int omp_get_num_procs();
void omp_set_num_threads(int);
void omp_set_dynamic(int);
void omp_set_max_active_levels(int);
double omp_get_wtime();
}
"""


def git(*arguments):
    result = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return result.stdout.splitlines() if result.returncode == 0 else None


def changed_sources(base):
    """Sources to check, those changed last first."""
    everything = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.cpp"))
    names = git("diff", "--name-only", "--diff-filter=d", base, "--", "src") if base else None
    if names is None:
        return everything
    names += git("ls-files", "--others", "--exclude-standard", "--", "src") or []
    wanted = {str(Path(name).with_suffix(".cpp")) for name in names}
    return sorted(wanted & set(everything), key=lambda name: -os.path.getmtime(ROOT / name))


def write_commands(build, directory):
    """One compile command a file (the numeric sources have two), in a form that clang understands; the files."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "omp.h").write_text(OMP_STUB, encoding="utf-8")
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if entry["file"] in commands:
            continue
        words = shlex.split(entry.pop("command"))
        if Path(words[0]).name == "ccache":
            words = words[1:]
        entry["arguments"] = words + ["-I", str(directory), "-Wno-unknown-warning-option"]
        commands[entry["file"]] = entry
    (directory / "compile_commands.json").write_text(json.dumps(list(commands.values())), encoding="utf-8")
    return set(commands)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="HEAD~20")
    parser.add_argument("--all", action="store_true", help="check every source")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--seconds", type=float, default=220, help="start no file after so many seconds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not (options.build / "compile_commands.json").is_file():
        sys.exit(f"tidy: no compile_commands.json in {options.build}; configure first")

    commands = ROOT / "build" / "tidy"
    known = write_commands(options.build, commands)
    sources = [name for name in changed_sources(None if options.all else options.base) if str(ROOT / name) in known]
    end = time.monotonic() + options.seconds

    def run(name):
        if time.monotonic() > end:
            return name, None, ""
        command = ["clang-tidy", "--quiet", "-p", str(commands), str(ROOT / name)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        noise = " warnings generated."
        errors = "\n".join(line for line in result.stderr.splitlines() if not line.endswith(noise))
        return name, result.returncode == 0, result.stdout + errors

    failed, skipped = [], []
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for name, good, output in pool.map(run, sources):
            if good is None:
                skipped.append(name)
            elif not good:
                failed.append(name)
                print(output, flush=True)
    print(f"tidy: {len(sources) - len(skipped)} of {len(sources)} files checked, {len(failed)} with problems")
    if skipped:
        print("tidy: no time left for " + " ".join(skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
