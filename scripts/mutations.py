#!/usr/bin/env python3
"""Does a test notice? Applies one small mistake at a time to a scratch copy of the sources, rebuilds what is needed and
runs the test that must fail.

A mutation is a file tests/mutations/NAME.patch: the lines `what: SENTENCE` and `test: PROGRAM FILTER`, then a unified
diff with little context. PROGRAM is base, f32 or f64 (then FILTER is GoogleTest's) or pytest (then it is a test's node,
tests/scripts/FILE.py::NAME). Every named test must pass without the mutation. A patch that doesn't apply, a mutant that
doesn't compile and a test that doesn't exist are errors. Exit code: 0 all caught, 1 some survived, 2 errors.

Usage: scripts/mutations.py                      all
       scripts/mutations.py NAME...              these (parts of names)
       scripts/mutations.py --draw 5 --key TEXT  five, drawn by a hash of TEXT and the name
       scripts/mutations.py --markdown FILE      also writes the table of all into FILE, between its markers
       scripts/mutations.py --in-place ...       in the project itself, which must have no uncommitted change, instead of
                                                 a copy: uses what is built there, and puts every file back
"""
import argparse
import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = {"base": ["test_base"], "f32": ["test_f32"], "f64": ["test_f64"], "pytest": ["dragoman", "failing_calls"]}
BEGIN, END = "<!-- mutations: begin -->\n", "<!-- mutations: end -->\n"
TEST_SECONDS = 300


class MutationError(Exception):
    """Something that says nothing about the tests: the patch, the build or the name of the test is wrong."""


@dataclasses.dataclass
class Mutation:
    name: str
    what: str
    program: str
    test: str
    path: pathlib.Path
    files: list

    @property
    def folder(self):
        return pathlib.PurePosixPath(self.files[0]).parent.name


def read_mutation(path):
    text = path.read_text(encoding="utf-8")
    header = dict(re.findall(r"^(what|test): (.+)$", text.split("\n--- ")[0], re.M))
    files = re.findall(r"^\+\+\+ b/(\S+)", text, re.M)
    program, _, test = header.get("test", "").partition(" ")
    if "what" not in header or program not in TARGETS or not test or not files:
        raise MutationError(f"{path.name}: expected `what: SENTENCE`, `test: {'|'.join(TARGETS)} FILTER` and a diff")
    return Mutation(path.stem, header["what"], program, test, path, files)


def draw(mutations, count, key):
    return sorted(mutations, key=lambda m: hashlib.sha256(f"{key} {m.name}".encode()).digest())[:count]


class Scratch:
    """A copy of the tracked files with a build directory of its own, which stays, so that the next run builds little; or,
    where `directory` is `root`, the project itself."""

    def __init__(self, root, directory):
        self.root, self.directory = root, directory
        self.build = directory / "build" / "release"
        # Without a repository around it, so that git takes paths as they are.
        self.environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(directory.parent)}

    def run(self, command, seconds=None, **more):
        return subprocess.run([str(word) for word in command], cwd=self.directory, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False, **more)

    def copy_file(self, name):
        source, target = self.root / name, self.directory / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)  # with a new time: what was built from the old text is old

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.root, stdout=subprocess.PIPE, text=True, check=True).stdout

    def update(self):
        if self.directory != self.root:
            self.copy_project()
        elif self.git("status", "--porcelain"):
            raise MutationError(f"{self.root} has uncommitted changes: commit or stash them, or leave out --in-place")
        if not (self.build / "build.ninja").exists():
            self.check(self.run(["cmake", "--preset", "release", "-DDRAGOMAN_BENCH=OFF"]), "cmake")

    def copy_project(self):
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = {name for name in listed.split("\0") if name and (self.root / name).is_file()}
        for name in sorted(names):
            self.copy_file(name)
        for path in [p for p in self.directory.rglob("*") if p.is_file()]:
            relative = path.relative_to(self.directory)
            if relative.parts[0] != "build" and str(relative) not in names:
                path.unlink()

    def check(self, done, what):
        if done.returncode != 0:
            raise MutationError(f"{what} failed:\n" + "\n".join(done.stdout.splitlines()[-15:]))

    def make(self, programs):
        targets = sorted({target for program in programs for target in TARGETS[program]})
        self.check(self.run(["cmake", "--build", self.build, "--target", *targets]), "the build")

    def test(self, program, test):
        """(passed, number of tests that ran)"""
        if program == "pytest":
            self.environment["DRAGOMAN_BINARY"] = str(self.build / "dragoman")
            self.environment["DRAGOMAN_FAILING_CALLS"] = str(self.build / "tests" / "libfailing_calls.so")
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
        else:
            command = [self.build / "tests" / f"test_{program}", f"--gtest_filter={test}"]
        try:
            done = self.run(command, TEST_SECONDS)
        except subprocess.TimeoutExpired:
            return False, 1  # it hangs: noticed
        if program == "pytest":
            counts = re.findall(r"(\d+) (?:passed|failed|errors?)", done.stdout)
            return done.returncode == 0, sum(map(int, counts)) if done.returncode in (0, 1) else 0
        ran = re.search(r"Running (\d+) tests?", done.stdout)
        return done.returncode == 0, int(ran.group(1)) if ran else 0

    def problem_of(self, program, test):
        """What is wrong with a test that is run without a mutation; empty: nothing."""
        passed, count = self.test(program, test)
        if count == 0:
            return f"no test is called {test} in {program}"
        return "" if passed else f"{program} {test} fails without any mutation"

    def caught(self, mutation):
        """Is the mutation noticed by its test?"""
        originals = {name: (self.directory / name).read_bytes() for name in mutation.files}
        self.check(self.run(["git", "apply", "--whitespace=nowarn", mutation.path]), "the patch")
        try:
            self.make([mutation.program])
            return not self.test(mutation.program, mutation.test)[0]
        finally:
            for name, text in originals.items():
                (self.directory / name).write_bytes(text)  # with a new time: what was built from the mutation is old


def run_all(scratch, mutations, report):
    """{name: caught | survived | error: ...}"""
    results = {}
    scratch.make({m.program for m in mutations})
    problems = {}
    for program, test in sorted({(m.program, m.test) for m in mutations}):
        problems[program, test] = scratch.problem_of(program, test)
    for number, m in enumerate(mutations, 1):
        start = time.monotonic()
        try:
            if problems[m.program, m.test]:
                raise MutationError(problems[m.program, m.test])
            results[m.name] = "caught" if scratch.caught(m) else "survived"
        except MutationError as error:
            results[m.name] = f"error: {error}"
        report(f"{number:3}/{len(mutations)}  {m.name}: {results[m.name]} ({time.monotonic() - start:.0f} s)")
    return results


def table(mutations, results):
    rows = sorted((m.folder, m.what, f"{m.program} `{m.test}`", results[m.name]) for m in mutations)
    caught = sum(row[3] == "caught" for row in rows)
    lines = [f"{len(rows)} mutations, {caught} caught.", "", "| folder | mutation | test | |", "| --- | --- | --- | --- |"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write_table(path, text):
    page = path.read_text(encoding="utf-8")
    if BEGIN not in page or END not in page:
        raise MutationError(f"{path}: expected the lines {BEGIN.strip()} and {END.strip()}")
    before, rest = page.split(BEGIN, 1)
    path.write_text(before + BEGIN + text + END + rest.split(END, 1)[1], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--draw", type=int, metavar="N")
    parser.add_argument("--key", default="")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the project")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--scratch", type=pathlib.Path, help="the copy; default: build/mutations of the project")
    where.add_argument("--in-place", action="store_true", help="no copy: the project itself")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as any other end: the mutated file is put back
    root = arguments.root.resolve()
    try:
        mutations = [read_mutation(path) for path in sorted((root / "tests" / "mutations").glob("*.patch"))]
        if arguments.names:
            mutations = [m for m in mutations if any(name in m.name for name in arguments.names)]
        if arguments.draw is not None:
            mutations = draw(mutations, arguments.draw, arguments.key)
        if not mutations:
            raise MutationError("no mutation has such a name in tests/mutations")
        if arguments.markdown and (arguments.names or arguments.draw is not None):
            raise MutationError("--markdown needs a run of all mutations")
        mutations.sort(key=lambda m: (list(TARGETS).index(m.program), m.name))
        copy = arguments.scratch or root / "build" / "mutations"
        scratch = Scratch(root, root if arguments.in_place else copy.resolve())
        scratch.directory.mkdir(parents=True, exist_ok=True)
        scratch.update()
        results = run_all(scratch, mutations, lambda line: print(line, flush=True))
        errors = [name for name, result in results.items() if result.startswith("error")]
        if arguments.in_place:
            scratch.make({m.program for m in mutations})  # nothing of the last mutation stays in the build
        if arguments.markdown and not errors:
            write_table(arguments.markdown, table(mutations, results))
    except MutationError as error:
        print(f"mutations.py: {error}", file=sys.stderr)
        return 2
    survivors = [name for name, result in results.items() if result == "survived"]
    print(f"{len(results)} mutations: {len(results) - len(errors) - len(survivors)} caught, {len(survivors)} survived, "
          f"{len(errors)} errors")
    for name in survivors:
        print(f"survived: {name}")
    return 2 if errors else 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
