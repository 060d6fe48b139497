"""Every test is ended that waits for ever, and says for what (tests/conftest.py)."""
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]

STUCK = '''
import socket, subprocess, threading
import pytest

@pytest.fixture
def child():
    process = subprocess.Popen(["sleep", "100"], stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()

@pytest.fixture
def late(child):
    child.wait()

@pytest.fixture
def clings(child):
    yield
    child.stdout.readline()

def test_pipe(child):
    child.stdout.readline()

def test_socket():
    pair = socket.socketpair()
    pair[0].recv(1)

def test_thread():
    event = threading.Event()
    event.wait()

def test_setup(late):
    pass

def test_teardown(clings):
    pass

def test_fine(child):
    assert child.poll() is None
'''


def test_what_waits_for_ever_is_ended_and_named(tmp_path):
    """Reads, waits and fixtures; the next test runs as if nothing had been."""
    # Its own copy of the plugin: that of this run has its own limit.
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    (tmp_path / "test_stuck.py").write_text(STUCK)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path],
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": TESTS.parent / "scripts", "WAVETRAP_TEST_LIMIT": "3"}, capture_output=True, text=True,
                          timeout=300, cwd=tmp_path)
    for name, phase, line in (("test_pipe", "the test", "child.stdout.readline()"),
                              ("test_socket", "the test", "pair[0].recv(1)"),
                              ("test_thread", "the test", "event.wait()"),
                              ("test_setup", "the setup", "child.wait()"),
                              ("test_teardown", "the tear-down", "child.stdout.readline()")):
        said = f"{phase} of {name} has not ended after 3 s; it waits at"
        assert said in done.stdout, (said, done.stdout)
        assert line in done.stdout.split(said)[1].split("\nE  ")[1], done.stdout
    assert "3 failed, 2 passed, 2 errors" in done.stdout, done.stdout
