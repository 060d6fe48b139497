"""What `scripts/test.py` looks after beside the tests: crashes that nobody sees, files that are left."""
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
specification = importlib.util.spec_from_file_location("runner", ROOT / "scripts" / "test.py")
runner = importlib.util.module_from_spec(specification)
specification.loader.exec_module(runner)


@pytest.fixture
def debugger(tmp_path):
    """A program with a debugger's name, which ends itself by a signal."""
    source = tmp_path / "crash.c"
    source.write_text("#include <stdlib.h>\n#include <unistd.h>\nint main(int n, char **v) { if (n > 1) abort(); pause(); }\n")
    subprocess.run(["gcc", "-o", tmp_path / "gdb-crash", source], check=True)
    return tmp_path / "gdb-crash"


def test_a_crash_of_an_orphan_is_found(debugger):
    """The shell that has started it does not wait; the runner is the reaper of its orphans."""
    program = f"""if True:
        import ctypes, importlib.util, subprocess, time
        specification = importlib.util.spec_from_file_location("runner", {str(ROOT / 'scripts' / 'test.py')!r})
        runner = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(runner)
        ctypes.CDLL(None).prctl(runner.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        subprocess.run(["sh", "-c", "{debugger} x & true"])
        found = []
        while not found:
            found = runner.crashed_orphans()
        print(found)"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert "gdb-crash" in done.stdout and "SIGABRT" in done.stdout, done


def test_files_in_the_source_folder_are_seen(tmp_path):
    """Those that git ignores, too, and those that are written anew; not those of a build."""
    def git(*words):
        subprocess.run(["git", "-C", tmp_path, *words], check=True, capture_output=True)
    git("init")
    (tmp_path / ".gitignore").write_text("/build/\n/core\n")
    (tmp_path / "build").mkdir()
    (tmp_path / "core").write_text("old")
    before = runner.litter(tmp_path)
    assert runner.litter(tmp_path) == before
    os.utime(tmp_path / "core", ns=(1, 1))
    (tmp_path / "build" / "object").write_text("")
    (tmp_path / "new").write_text("")
    assert {name for name, _ in runner.litter(tmp_path) - before} == {"core", "new"}
    assert signal.SIGABRT in runner.CRASHES
