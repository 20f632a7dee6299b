"""scripts/mutations.py, on a project of one function and one test."""
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "mutations.py"
SOURCE = "int twice(int x) {\n  const int y = x + x;\n  return y;\n}\n"
PATCH = """what: {what}
test: {test}
--- a/src/twice.cpp
+++ b/src/twice.cpp
@@ -1,3 +1,3 @@
 int twice(int x) {{
-  const int y = {old};
+  const int y = {new};
   return y;
"""
TEST = """#include <gtest/gtest.h>
int twice(int x);
TEST(Twice, OfThreeIsSix) { EXPECT_EQ(twice(3), 6); }
TEST(Twice, OfZeroIsZero) { EXPECT_EQ(twice(0), 0); }
TEST(Twice, Fails) { EXPECT_EQ(twice(1), 3); }
"""
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(tiny LANGUAGES CXX)
find_package(GTest REQUIRED)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_executable(test_base src/twice.cpp test.cpp)
target_link_libraries(test_base GTest::gtest_main)
"""
PRESETS = """{"version": 3, "configurePresets": [{"name": "release", "generator": "Ninja",
"binaryDir": "${sourceDir}/build/release"}]}"""
PAGE = "Before.\n<!-- mutations: begin -->\nyesterday\n<!-- mutations: end -->\nAfter.\n"


class Project:
    def __init__(self, folder):
        self.folder = folder
        for name, text in {"src/twice.cpp": SOURCE, "test.cpp": TEST, "CMakeLists.txt": CMAKE,
                           "CMakePresets.json": PRESETS, "page.md": PAGE, ".gitignore": "/build/\n"}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (folder / "tests" / "mutations").mkdir(parents=True)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)

    def add(self, name, new, test="base Twice.OfThreeIsSix", old="x + x"):
        text = PATCH.format(what=f"twice is {new}", test=test, old=old, new=new)
        (self.folder / "tests" / "mutations" / f"{name}.patch").write_text(text)

    def clear(self):
        for path in (self.folder / "tests" / "mutations").iterdir():
            path.unlink()

    def run(self, *arguments):
        done = subprocess.run([sys.executable, str(SCRIPT), "--root", str(self.folder), *map(str, arguments)], text=True,
                              capture_output=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    if not shutil.which("ninja"):
        pytest.skip("needs ninja")
    return Project(tmp_path_factory.mktemp("mutations"))


@pytest.fixture
def project(built):
    yield built
    built.clear()
    (built.folder / "page.md").write_text(PAGE)


def test_a_mutation_that_its_test_notices_is_caught_and_one_that_it_does_not_survives(project):
    project.add("one", "x * 3")
    project.add("two", "x * 2")
    project.add("zero", "x * 5", test="base Twice.OfZeroIsZero")
    code, out, _ = project.run()
    assert code == 1
    assert "one: caught" in out and "two: survived" in out and "zero: survived" in out
    assert "3 mutations: 1 caught, 2 survived, 0 errors" in out
    assert (project.folder / "src" / "twice.cpp").read_text() == SOURCE
    assert (project.folder / "build" / "mutations" / "src" / "twice.cpp").read_text() == SOURCE


@pytest.mark.parametrize("arguments, words", [
    ({"new": "x * 3", "old": "x + y"}, "the patch failed"),
    ({"new": "z"}, "the build failed"),
    ({"new": "x * 3", "test": "base Twice.IsNot"}, "no test is called Twice.IsNot in base"),
    ({"new": "x * 3", "test": "base Twice.Fails"}, "fails without any mutation")])
def test_what_says_nothing_about_a_test_is_an_error_and_the_others_are_run(project, arguments, words):
    project.add("bad", **arguments)
    project.add("good", "x * 3")
    code, out, _ = project.run()
    assert code == 2
    assert "bad: error: " in out and words in out and "good: caught" in out
    assert "2 mutations: 1 caught, 0 survived, 1 errors" in out


def test_a_change_of_the_sources_is_taken_over(project):
    project.add("one", "x * 3", test="base Twice.Fails")
    try:
        (project.folder / "test.cpp").write_text(TEST.replace("twice(1), 3", "twice(1), 2"))
        code, out, _ = project.run()
    finally:
        (project.folder / "test.cpp").write_text(TEST)
    assert code == 0 and "one: caught" in out


def test_the_draw_depends_on_the_key_alone(project):
    for i in range(3, 12):
        project.add(f"times{i}", f"x * {i}")
    draws = set()
    for key in ["a", "b", "c", "a"]:
        code, out, _ = project.run("--draw", 1, "--key", key)
        assert code == 0 and "1 mutations: 1 caught" in out
        draws.add((key, out.split(":")[0]))
    assert len(draws) == 3, "the same key draws the same"
    assert len({name for _, name in draws}) > 1


def test_the_table_goes_between_its_markers(project):
    project.add("one", "x * 3")
    project.add("two", "x * 2 | 0")
    code, _, _ = project.run("--markdown", project.folder / "page.md")
    assert code == 1
    page = (project.folder / "page.md").read_text()
    assert page.startswith("Before.\n") and page.endswith("After.\n") and "yesterday" not in page
    assert "| src | twice is x * 3 | base `Twice.OfThreeIsSix` | caught |" in page
    assert "twice is x * 2 \\| 0" in page and "2 mutations, 1 caught." in page


def test_in_place_the_project_itself_is_changed_for_a_while(project):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    project.add("one", "x * 3")
    code, _, err = project.run("--in-place")
    assert code == 2 and "has uncommitted changes" in err
    for command in (["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], cwd=project.folder, check=True)
    code, out, _ = project.run("--in-place")
    assert code == 0 and "one: caught" in out
    assert (project.folder / "src" / "twice.cpp").read_text() == SOURCE
    subprocess.run([project.folder / "build" / "release" / "tests" / "test_base", "--gtest_filter=Twice.OfThreeIsSix"],
                   check=True)


def test_a_run_that_is_terminated_puts_the_file_back(project):
    project.add("hang", "x; for (;;) {}")
    for command in (["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "hang"]):
        subprocess.run(["git", *command], cwd=project.folder, check=True)
    source = project.folder / "src" / "twice.cpp"
    process = subprocess.Popen([sys.executable, str(SCRIPT), "--root", str(project.folder), "--in-place"],
                               stdout=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while source.read_text() == SOURCE and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert source.read_text() != SOURCE, "it got as far as the mutation"
    process.terminate()
    assert process.wait(timeout=60) == 143
    assert source.read_text() == SOURCE


@pytest.mark.parametrize("arguments, words", [
    (["--markdown", "page.md", "one"], "needs a run of all"),
    (["nowhere"], "no mutation has such a name")])
def test_wrong_use_is_said(project, arguments, words):
    project.add("one", "x * 3")
    code, _, err = project.run(*arguments)
    assert code == 2 and words in err


def test_a_patch_without_its_header_is_refused(project):
    (project.folder / "tests" / "mutations" / "x.patch").write_text("--- a/x\n+++ b/x\n")
    code, _, err = project.run()
    assert code == 2 and "x.patch: expected `what: SENTENCE`" in err
