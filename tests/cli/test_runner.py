"""What `scripts/test.py` and tests/conftest.py look after beside the tests: crashes that nobody sees, files that are left."""
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
    """A program with a debugger's name, which a signal ends: its own, or another's."""
    source = tmp_path / "crash.c"
    source.write_text("#include <stdlib.h>\n#include <unistd.h>\nint main(int n, char **v) { if (n > 1) abort(); pause(); }\n")
    subprocess.run(["gcc", "-o", tmp_path / "gdb-crash", source], check=True)
    return tmp_path / "gdb-crash"


@pytest.mark.parametrize("body,good", [
    ("subprocess.run([D, 'x'])", False), ("subprocess.Popen([D, 'x']).communicate()", False),
    ("p = subprocess.Popen([D, 'x'])\n    while p.poll() is None: pass", False),
    ("import pexpect\n    pexpect.spawn(D, ['x']).wait()", False),
    ("p = subprocess.Popen([D])\n    p.send_signal(6)\n    p.wait()", True), ("p = subprocess.Popen([D])\n    p.kill()\n    p.wait()", True)],
    ids=["run", "communicate", "poll", "pexpect", "sent", "killed"])
def test_a_test_fails_when_a_debugger_of_its_own_crashes(debugger, tmp_path, body, good):
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_one.py").write_text(f"import subprocess\nD = {str(debugger)!r}\ndef test_one():\n    {body}\n")
    environment = {name: value for name, value in os.environ.items() if name != "WAVETRAP_TEST"}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_one.py"], cwd=tmp_path,
                          capture_output=True, text=True, env=environment)
    assert (done.returncode == 0) == good, done.stdout
    assert good or "has ended by SIGABRT, which the test did not send" in done.stdout


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
