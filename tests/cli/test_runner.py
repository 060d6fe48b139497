"""What `scripts/test.py`, one_test.py and tests/conftest.py look after beside the tests: crashes that nobody sees, files that are left."""
import functools
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
specification = importlib.util.spec_from_file_location("runner", ROOT / "scripts" / "test.py")
runner = importlib.util.module_from_spec(specification)
specification.loader.exec_module(runner)
ONE = [sys.executable, ROOT / "scripts" / "one_test.py"]


@pytest.fixture
def debugger(tmp_path):
    """A program with a debugger's name, which waits, or ends by its own signal: at once, or as an orphan, whose process it prints."""
    source = tmp_path / "crash.c"
    source.write_text("""
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(int n, char **v)
        {
            pid_t parent = getpid(), child = n > 2 ? fork() : 0;
            if (child)
                return printf("%d\\n", child) < 0;
            while (n > 2 && getppid() == parent)
                usleep(1000);
            if (n > 1 && *v[1] == 'x')
                abort();
            close(1);
            pause();
        }""")
    subprocess.run(["gcc", "-o", tmp_path / "gdb-crash", source], check=True)
    return tmp_path / "gdb-crash"


@pytest.mark.parametrize("body,good", [
    ("subprocess.run([D, 'x'])", False), ("subprocess.Popen([D, 'x']).communicate()", False),
    ("p = subprocess.Popen([D, 'x'])\n    while p.poll() is None: pass", False),
    ("p = subprocess.Popen([D, 'x'])\n    os.waitpid(p.pid, 0)", False), ("pexpect.spawn(D, ['x']).wait()", False),
    ("p = subprocess.Popen([D])\n    p.send_signal(6)\n    p.wait()", True), ("p = subprocess.Popen([D])\n    p.kill()\n    p.wait()", True),
    ("p = subprocess.Popen([D], start_new_session=True)\n    os.killpg(p.pid, 6)\n    p.wait()", True),
    ("p = subprocess.Popen([D, 'x'])\n    os.kill(p.pid, 0)\n    p.wait()", False)],
    ids=["run", "communicate", "poll", "waitpid", "pexpect", "sent", "killed", "group", "probed"])
def test_a_test_fails_when_a_debugger_of_its_own_crashes(debugger, tmp_path, body, good):
    """Each way of Python's to wait; a signal that the test has sent is not a crash."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_one.py").write_text(f"import os, pexpect, subprocess\nD = {str(debugger)!r}\ndef test_one():\n    {body}\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    environment.pop("WAVETRAP_TEST", None)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_one.py"], cwd=tmp_path,
                          capture_output=True, text=True, env=environment)
    assert (done.returncode == 0) == good, done.stdout
    assert good or "has ended by SIGABRT, which the test did not send" in done.stdout


@pytest.mark.parametrize("body,good", [
    ("subprocess.run([D, 'x'])", False), ("assert subprocess.run([D, 'x']).returncode == -6", True),
    ("p = subprocess.Popen([D, 'x'])\n    p.communicate()\n    p.poll()", False), ("p = subprocess.Popen([D, 'x'])\n    assert p.wait() == -6", True),
    ("assert subprocess.run([D, 'x'], capture_output=True).stdout == b''", False), ("assert subprocess.run([D, 'x']).returncode", True),
    ("with pytest.raises(subprocess.CalledProcessError): subprocess.run([D, 'x'], check=True)", True),
    ("global p\n    p = subprocess.Popen([D, 'x'])\n    os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)", False)])
def test_a_test_fails_when_a_child_crashes_and_it_does_not_look(debugger, tmp_path, body, good):
    """Of any other program: a test that compares its status expects the crash."""
    program = debugger.rename(tmp_path / "program")
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_one.py").write_text(f"import os, pytest, subprocess\nD = {str(program)!r}\ndef test_one():\n    {body}\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    environment.pop("WAVETRAP_TEST", None)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_one.py"], cwd=tmp_path,
                          capture_output=True, text=True, env=environment)
    assert (done.returncode == 0) == good, done.stdout
    assert good or "program (process " in done.stdout and "has ended by SIGABRT, which the test did not send" in done.stdout


@pytest.mark.parametrize("number,good", [(9, False), (15, False), (5, False), (2, True), (13, True)])
def test_a_test_fails_when_a_child_is_ended_by_others(tmp_path, number, good):
    """By any signal, but for those that the system sends for a test's terminals and pipes."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_one.py").write_text(f"import subprocess\ndef test_one():\n    subprocess.run(['sh', '-c', 'kill -{number} $$'])\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    environment.pop("WAVETRAP_TEST", None)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_one.py"], cwd=tmp_path,
                          capture_output=True, text=True, env=environment)
    assert (done.returncode == 0) == good, done.stdout


def under_runner(script):
    """(status, what is printed) of a test that is a shell script, but for what it took."""
    done = subprocess.run([*ONE, "sh", "-c", script], capture_output=True, text=True, timeout=120)
    said, took, _ = done.stdout.partition("the test took ")
    assert took, done.stdout + done.stderr
    return done.returncode, said


def test_what_the_processor_did_for_a_test_is_told():
    """Its children's work, too, and that of an orphan; a wait is none."""
    work = "import time\nwhile time.process_time() < {}: pass"
    run = f"'{sys.executable}' -c '{work}'"
    script = f"{run.format(0.4)}; p=$({run.format(0.8)} >/dev/null & echo $!)"
    script += "; while grep -q '^State:.[^Z]' /proc/$p/status; do sleep 0.01; done"
    done = subprocess.run([*ONE, "sh", "-c", script], capture_output=True, text=True, timeout=120)
    took = runner.processor({"stdout": done.stdout})
    assert done.returncode == 0 and 1.2 <= took < 6, done.stdout + done.stderr
    assert runner.processor({}) == 0


def test_a_crash_of_an_orphan_fails_the_test(debugger):
    """Its parent, a shell that has ended, cannot wait for it. What was killed did not crash."""
    ended = "; while grep -q '^State:.[^Z]' /proc/$p/status; do sleep 0.01; done"
    status, text = under_runner(f"p=$({debugger} x orphan)" + ended)
    assert status == 1 and re.search(r"nobody waited for has crashed: gdb-crash \(process \d+\): SIGABRT", text), text
    assert under_runner(f"p=$({debugger} wait orphan); kill -9 $p" + ended) == (0, "")


@pytest.mark.parametrize("command,left", [
    ("echo > $TMPDIR/a", "a"), ("mkdir -p $TMPDIR/b/c; ln -s none $TMPDIR/b/c/d", "b/c/d"), ("mkdir $TMPDIR/wavetrap-1-x", "wavetrap-1-x"),
    ("echo > $HOME/a", "home/a"), ("echo > ~/.wavetrap", "home/.wavetrap"),
    ("mkdir -p $HOME/.cache/wavetrap/ptx; echo > $HOME/.cache/wavetrap/ptx/a", "home/.cache/wavetrap/ptx/a"),
    ("mkdir -p ${XDG_CONFIG_HOME:-$HOME/.config}/wavetrap; echo > ~/.config/wavetrap/init", "home/.config/wavetrap/init"),
    ("mkdir -p $HOME/.cache/pocl; echo > $HOME/.cache/pocl/a", ""), ("echo > $HOME/a; rm $HOME/a", ""),
    ("mkdir -p $TMPDIR/pytest-of-me; echo > $TMPDIR/pytest-of-me/a", ""), ("echo > $TMPDIR/a; rm $TMPDIR/a", ""), ("mkdir $TMPDIR/clang-12", "")])
def test_a_file_in_the_temporary_folder_or_the_home_fails_the_test(command, left):
    status, text = under_runner(command)
    assert (status, text) == ((1, f"the test has left in the temporary folder: {left}\n") if left else (0, ""))


def test_a_file_in_a_folder_of_the_system_fails_the_run(tmp_path, capsys, monkeypatch):
    """Which no variable of the environment names, so that a test can leave files there unseen."""
    places = [str(tmp_path / "shm"), str(tmp_path / "var")]
    for place in places:
        os.mkdir(place)
    before = runner.elsewhere(places)
    for name in ("__KMP_REGISTERED_LIB_1_0", "sem.hsakmt_semaphore"):
        (tmp_path / "shm" / name).touch()
    assert runner.elsewhere(places) == before == set()
    (tmp_path / "var" / "link").symlink_to("nowhere")
    assert runner.elsewhere(places) == {f"{tmp_path}/var/link"}
    # Other tests, which run beside this one, may use the other folders.
    monkeypatch.setattr(runner, "litter", set)
    monkeypatch.setattr(runner, "elsewhere", functools.partial(runner.elsewhere, ("/tmp",)))
    now = runner.litter(), runner.elsewhere()
    left = pathlib.Path(f"/tmp/wavetrap-left-by-{os.getpid()}")
    left.touch()
    assert not runner.left_behind(now) and f"the tests have left: {left}\n" in capsys.readouterr().out
    left.unlink()
    assert runner.left_behind(now)


def test_the_status_of_the_test_is_the_runners():
    """A status, and a signal, as Meson tells them apart; each test has a temporary folder, and it is gone afterwards."""
    assert under_runner("exit 77")[0] == 77
    assert under_runner("kill -ABRT $$")[0] == -signal.SIGABRT
    folders = [under_runner("touch $TMPDIR/pytest-of-me; echo $TMPDIR")[1].strip() for _ in range(2)]
    assert folders[0] == folders[1] and not os.path.exists(folders[0]), "compilers with a memory are told the same names each time"


def test_two_runs_of_a_test_have_a_folder_each(tmp_path):
    """At once; and one that was killed leaves nothing to the next."""
    script = 'echo $TMPDIR; ls -A $TMPDIR; touch $TMPDIR/pytest-of-me; test -n "$WITHIN" || TMPDIR=$OUTER WITHIN=1 "$PYTHON" "$ONE" sh -c "$SCRIPT"; test -z "$KILLED" || kill -9 $PPID'
    variables = {**os.environ, "SCRIPT": script, "OUTER": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHON": sys.executable, "ONE": str(ONE[1])}

    def folders(**more):
        done = subprocess.run([*ONE, "sh", "-c", script], capture_output=True, text=True, env={**variables, **more}, timeout=120)
        assert (done.returncode == 0) != bool(more), done.stdout + done.stderr
        return re.findall(r"^.*/wt-\w+$|^pytest.*$", done.stdout, re.M), re.findall(r"^home$", done.stdout, re.M)

    (first, second), homes = folders()
    assert first != second and len(homes) == 2 and not list(tmp_path.iterdir())
    assert folders(KILLED="1", WITHIN="1")[0] == [first] and (pathlib.Path(first) / "pytest-of-me").exists()
    names, homes = folders()
    assert names[0] == first and len(names) == len(homes) == 2 and not list(tmp_path.iterdir())


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


@pytest.mark.full
def test_a_release_is_refused_where_something_is_not_ready(tmp_path):
    """Nothing is made of a tree with changes, or where a file has another version; a tag waits for the changes of branches and for all parts."""
    files = ("scripts/release.sh", "debian/changelog", "editors/vscode/package.json", "editors/vscode/package-lock.json", "contrib/python/pyproject.toml",
             "CITATION.cff", "docs/stability.md", "CHANGELOG.md", ".gitignore")
    for file in (*files, "tests/api/abi.xml"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    version = re.search("^version: (.*)", (ROOT / "CITATION.cff").read_text(), re.M).group(1)
    (tmp_path / "meson.build").write_text(f"project('wavetrap',\n  version: '{version}',\n  meson_version: '>=1.0')\n")
    (tmp_path / "meson_options.txt").write_text("option('tests', type: 'feature')\n")
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "new.md").write_text("- New.\n")
    git = ["git", "-C", tmp_path, "-c", "user.name=Test", "-c", "user.email=test@localhost"]

    def commit():
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "A commit"], check=True)

    def release(*words, steps="site"):
        return subprocess.run([tmp_path / "scripts" / "release.sh", *words], capture_output=True, text=True, env={**os.environ, "STEPS": steps})
    subprocess.run([*git, "init", "-q"], check=True)
    commit()
    assert "not everywhere is the version 99.1" in release("99.1").stderr
    for file in files[1:-1]:
        kept = (tmp_path / file).read_text()
        (tmp_path / file).write_text(kept.replace(version, "99.2"))
        assert "the working tree is not clean" in release(version).stderr
        commit()
        said = release(version)
        assert said.returncode == 1 and f"{file} has " in said.stderr and not said.stdout, said
        (tmp_path / file).write_text(kept)
        commit()
    said = release(version, "--tag", steps="")
    assert said.returncode == 1 and "changes/ has files" in said.stderr
    (tmp_path / "changes" / "new.md").unlink()
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n## Not released yet\n\n## {version} (1 January 2026)\n")
    commit()
    assert "a tag wants all parts" in release(version, "--tag").stderr
    # The extension is not there: the archive is made, and no tag.
    said = release(version, "--tag", steps="")
    assert said.returncode == 1 and re.search(r"^archive +\d+ files", said.stdout, re.M), said
    assert not subprocess.run([*git, "tag"], capture_output=True, text=True, check=True).stdout


def test_the_changes_of_branches_go_into_one_file(tmp_path):
    """Each from a file of its own, above those that are there; what is not one line is told, and nothing is moved."""
    log, changes = tmp_path / "CHANGELOG.md", tmp_path / "changes"
    changes.mkdir()
    log.write_text("# Changes\n\n## Not released yet\n\n- Old.\n")
    for name, text in (("b.md", "- Second.\n"), ("a.md", "- First.\n\n"), ("README.md", "# No change\n"), ("c.md", "Third.\n")):
        (changes / name).write_text(text)

    def moved():
        return subprocess.run([sys.executable, ROOT / "scripts" / "changelog.py", tmp_path], capture_output=True, text=True)
    for wrong in ("Third.\n", "- Third,\n  of two lines.\n"):
        (changes / "c.md").write_text(wrong)
        done = moved()
        assert done.returncode == 1 and "c.md: a change is one line" in done.stderr and log.read_text().endswith("yet\n\n- Old.\n") and len(list(changes.iterdir())) == 4
    (changes / "c.md").write_text("- Third.")
    assert moved().returncode == 0 and [path.name for path in changes.iterdir()] == ["README.md"]
    assert log.read_text() == "# Changes\n\n## Not released yet\n\n- First.\n- Second.\n- Third.\n- Old.\n"
