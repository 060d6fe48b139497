"""What all Python tests have in common: WAVETRAP_TEST chooses test functions (`make test T=cli/run::NAME` sets it),
and no test waits for ever."""
import linecache
import os
import pathlib
import signal
import threading
import traceback

import pytest

HERE = str(pathlib.Path(__file__).resolve().parent)

# Seconds that the setup of a test, the test itself, and its tear-down may take each. The longest take a minute on
# two idle processors; a busy machine of half the speed has time left. Meson ends a whole file only after 15 minutes,
# and does not say in which test.
LIMIT = float(os.environ.get("WAVETRAP_TEST_LIMIT", "400"))

# What a program shows at a terminal must not depend on where the tests are started.
os.environ["TERM"] = "dumb"


class Stuck(Exception):
    """A phase of a test has taken too long."""


def waits_at(frame):
    """Where a frame stands in the tests' own files, with the line that it executes."""
    places = [(f.filename, f.lineno) for f in traceback.extract_stack(frame) if f.filename.startswith(HERE)
              and not f.filename.endswith("/tests/conftest.py")]
    if not places:
        return "outside the tests' own files"
    return "".join(f"\n  {os.path.relpath(name, HERE)}:{line}: {linecache.getline(name, line).strip()}"
                   for name, line in places[-3:])


def limited(item, phase):
    """Raises Stuck in whatever the main thread waits for when the time of this phase is over."""
    def stuck(_, frame):
        raise Stuck(f"{phase} of {item.name} has not ended after {LIMIT:g} s; it waits at{waits_at(frame)}")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, stuck)
    # Again and again: what catches the first one, such as a tear-down that goes on, may wait for something else.
    signal.setitimer(signal.ITIMER_REAL, LIMIT, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup(item):
    yield from limited(item, "the setup")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    yield from limited(item, "the test")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown(item):
    yield from limited(item, "the tear-down")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: takes long beside what it finds; only in `make full`, or when it is named")


def pytest_collection_modifyitems(config, items):
    """With WAVETRAP_TEST, the tests of this name, with their parameters or without; else those that contain it. Otherwise
    all but those that are marked `full`, and with WAVETRAP_FULL those, too."""
    name = os.environ.get("WAVETRAP_TEST")
    if name:
        wanted = [i for i in items if name in (i.name, i.originalname)] or [i for i in items if name in i.name]
    elif os.environ.get("WAVETRAP_FULL"):
        return
    else:
        wanted = [i for i in items if not i.get_closest_marker("full")]
    config.hook.pytest_deselected(items=[i for i in items if i not in wanted])
    items[:] = wanted


def pytest_sessionfinish(session, exitstatus):
    """A file may have tests for `make full` only."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and not os.environ.get("WAVETRAP_TEST"):
        session.exitstatus = pytest.ExitCode.OK
