"""What all Python tests have in common: WAVETRAP_TEST chooses test functions (`make test T=cli/run::NAME` sets it),
no test waits for ever, and a child that crashes fails its test."""
import collections
import linecache
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import traceback

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import one_test  # noqa: E402
from one_test import CRASHES, DEBUGGERS  # noqa: E402
sys.path.append(str(pathlib.Path(one_test.__file__).resolve().parents[1] / "tests" / "compilers"))    # this file may be a copy
import amd  # noqa: E402

HERE = str(pathlib.Path(__file__).resolve().parent)

# Seconds that the setup of a test, the test itself, and its tear-down may take each. The longest take a minute on
# two idle processors; a busy machine of half the speed has time left. Meson ends a whole file only after 15 minutes,
# and does not say in which test.
USUAL_LIMIT = 400
LIMIT = float(os.environ.get("WAVETRAP_TEST_LIMIT", USUAL_LIMIT))

# Programs that wavetrap starts do not see it: wavetrap says that it is no variable of its own.
TIMES = os.environ.pop("WAVETRAP_TEST_TIMES", None)

# What a program shows at a terminal must not depend on where the tests are started.
os.environ["TERM"] = "dumb"


# ---- how the children that a test has started end ----

# Signals that the system sends for a test: to the programs of a terminal that it closes, or at which it types; to the writer of a
# pipe that it closes.
OF_TEST = {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE}


class Crash:
    """A child that a signal has ended."""
    def __init__(self, pid, name, number):
        self.pid, self.seen = pid, False
        self.debugger = number in CRASHES and DEBUGGERS.match(name)
        self.text = f"{name} (process {pid}) has ended by {signal.Signals(number).name}, which the test did not send"


class Status(int):
    """The returncode of a child that has crashed. A test that compares it expects the crash, or fails by itself."""
    def __new__(cls, value, crash):
        status = super().__new__(cls, value)
        status.crash = crash
        return status

    __hash__ = int.__hash__


def comparison(name):
    def compare(self, *other):
        self.crash.seen = True
        return getattr(int, name)(self, *other)
    return compare


for operation in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__bool__", "__neg__"):
    setattr(Status, operation, comparison(operation))

crashed = []  # since the last test
noted = set()  # processes that are not reaped yet
sent = set()  # (process or group, signal) that a test has sent
system_kill, system_killpg, system_waitpid, system_poll = os.kill, os.killpg, os.waitpid, subprocess.Popen._internal_poll


def kill(pid, number):
    sent.add((pid, int(number)))
    system_kill(pid, number)


def killpg(group, number):
    sent.add((-group, int(number)))
    system_killpg(group, number)


def note_end(ended):
    """Notes a child that a signal has ended, and that is not reaped yet (a result of os.waitid)."""
    if ended.si_code not in (os.CLD_KILLED, os.CLD_DUMPED) or ended.si_status in OF_TEST or ended.si_pid in noted:
        return
    noted.add(ended.si_pid)
    name = pathlib.Path(f"/proc/{ended.si_pid}/comm").read_text().strip()
    by_test = {(ended.si_pid, ended.si_status), (-os.getpgid(ended.si_pid), ended.si_status)} & sent
    if not by_test:
        crashed.append(Crash(ended.si_pid, name, ended.si_status))


def waitpid(pid, options):
    """os.waitpid() of one process, which looks at its name between its end and its reaping: before, it may have that of its
    parent still, also after Popen() has returned. What has not ended at the look is not reaped."""
    if pid > 0 and options in (0, os.WNOHANG):
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | options)
        if ended is None:
            return 0, 0
        note_end(ended)
        noted.discard(pid)
    return system_waitpid(pid, options)


def note_zombies():
    """Notes children that nobody has waited for yet."""
    for children in pathlib.Path("/proc/self/task").glob("*/children"):
        try:
            pids = children.read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue    # the thread has ended: its children are another thread's now, and are noted when they end
        for pid in map(int, pids):
            if ended := os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
                note_end(ended)


def internal_poll(self, *arguments, **named):
    """Popen.poll(), likewise. How it calls waitpid() depends on Python's version, so the look comes first."""
    if self.returncode is None:
        try:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        except ChildProcessError:
            return system_poll(self, *arguments, **named)
        if ended is None:
            return None
        note_end(ended)
    status = system_poll(self, *arguments, **named)
    noted.discard(self.pid)
    return status


def handle_exit_status(self, *arguments):
    system_exit_status(self, *arguments)
    for crash in crashed:
        if crash.pid == self.pid and self.returncode < 0:
            self.returncode = Status(self.returncode, crash)


os.kill, os.killpg, os.waitpid, subprocess.Popen._internal_poll = kill, killpg, waitpid, internal_poll
system_exit_status, subprocess.Popen._handle_exitstatus = subprocess.Popen._handle_exitstatus, handle_exit_status


def unexpected():
    """What crashed since the last call: debuggers, and what the test has not looked at."""
    note_zombies()
    found = [crash.text for crash in crashed if crash.debugger or not crash.seen]
    crashed.clear()
    return found


def forgive(process):
    """The crash of this debugger, which has ended, is its own mistake."""
    for crash in crashed:
        if crash.pid == process.pid:
            crash.debugger, crash.seen = None, True


@pytest.fixture
def may_crash():
    return forgive


@pytest.fixture(autouse=True)
def children_do_not_crash():
    yield
    found = unexpected()
    assert not found, found


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
    mark = item.get_closest_marker("limit")
    limit = mark.args[0] * LIMIT / USUAL_LIMIT if mark else LIMIT

    def stuck(_, frame):
        raise Stuck(f"{phase} of {item.name} has not ended after {limit:g} s; it waits at{waits_at(frame)}")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, stuck)
    # Again and again: what catches the first one, such as a tear-down that goes on, may wait for something else.
    signal.setitimer(signal.ITIMER_REAL, limit, limit)
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


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """WAVETRAP_TEST_TIMES names a file that gets a line for each test, its fixtures included: seconds of a processor, its own and its children's, and its name."""
    before = sum(os.times()[:4])
    yield
    if TIMES:
        with open(TIMES, "a", encoding="utf-8") as file:
            file.write(f"{sum(os.times()[:4]) - before:.2f} {item.nodeid}\n")


def for_the_model(start):
    """Programs are started with the model in place of gfx900."""
    def started(self, args, *rest, **named):
        start(self, args if isinstance(args, (str, bytes, os.PathLike)) else [amd.of_model(word) for word in args], *rest, **named)
    return started


def pytest_configure(config):
    if os.environ.get("AMD_MODEL"):
        subprocess.Popen.__init__ = for_the_model(subprocess.Popen.__init__)
    config.addinivalue_line("markers", "limit(seconds): its phases may take so long, where WAVETRAP_TEST_LIMIT is the usual one, and more in proportion")
    config.addinivalue_line("markers", "hip: its programs are HIP's, and AMD_MODEL says for which GPU they are compiled")
    config.addinivalue_line("markers", "full: takes long beside what it finds; only in `make full`, or when it is named")
    config.addinivalue_line("markers", "sample(n): of its parameters each n-th alone is for `make check`; the others are `full`")


def pytest_collection_modifyitems(config, items):
    """With WAVETRAP_TEST, the tests of this name, with their parameters or without; else those that contain it. Otherwise
    all but those that are marked `full`, and with WAVETRAP_FULL those, too. With AMD_MODEL, of these those of the
    model (tests/compilers/amd.py), and those whose programs are all HIP's."""
    if os.environ.get("AMD_MODEL"):
        items[:] = [i for i in items if amd.has(i.nodeid) or (i.get_closest_marker("hip") and amd.has_hip(i.name))]
    seen = collections.Counter()
    for item in items:
        sample = item.get_closest_marker("sample")
        if sample and seen[item.originalname] % sample.args[0]:
            item.add_marker("full")
        seen[item.originalname] += 1
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
    found = unexpected()  # while fixtures of a file were torn down
    if found:
        print(f"\n{found}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and not os.environ.get("WAVETRAP_TEST"):
        session.exitstatus = pytest.ExitCode.OK
