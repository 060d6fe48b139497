#!/usr/bin/python3
"""Runs one test for scripts/test.py, which has Meson start each test with it:

    one_test.py COMMAND [ARGUMENT]...

The test has a temporary folder of its own (TMPDIR), in it the user's home (HOME), and the orphans that it makes become children of this
process. It fails, too, if it leaves a file in that folder or home, or if a process that nobody waited for has crashed.
"""
import ctypes
import os
import pathlib
import re
import resource
import shutil
import signal
import site
import subprocess
import sys
import tempfile

PR_SET_CHILD_SUBREAPER = 36
CRASHES = {signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGSYS, signal.SIGTRAP}
DEBUGGERS = re.compile(r"^(gdb|lldb|wavetrap)")
# What is no left-over: pytest keeps the folders of its last three runs; clang (HIP, -save-temps aside) leaves an empty
# folder NAME-XXXXXX for each file that it compiles for several GPUs; GCC 12's mkoffload leaves NAME.mkoffload.dbg.o, and
# LLDB and ROCm's compiler library, where they are killed, their folders `lldb` and `comgr-XXXXXX`; LLDB, where it crashes, `diagnostics-XXXXXX`.
KEPT = re.compile(r"^(pytest-of-|lldb$|comgr-|diagnostics-|.*\.mkoffload\.dbg\.o$)")
# In the home: what other programs have there, in folders of theirs (.cache/pocl, .config/chromium).
OTHERS = re.compile(r"^home/\.(?!.*wavetrap).*/")
# Where programs find their parts of the home without HOME. A test has none of them.
PARTS = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")


def adopt_orphans():
    """Orphans among this process's descendants become its children, so that it learns how they have ended."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def crashed_orphans():
    """Reaps the children that were others' and have ended: which of them a signal of a crash has ended."""
    found = []
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return found
        if ended is None:
            return found
        name = pathlib.Path(f"/proc/{ended.si_pid}/comm").read_text().strip()
        _, status = os.waitpid(ended.si_pid, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in CRASHES:
            found.append(f"{name} (process {ended.si_pid}): {signal.Signals(os.WTERMSIG(status)).name}")


def left_in(folder):
    """The files under a temporary folder, sockets and links among them, and the folders of wavetrap's own."""
    found = []
    for place, folders, files in os.walk(folder):
        if place == str(folder):
            folders[:] = [name for name in folders if not KEPT.match(name)]
            files = [name for name in files if not KEPT.match(name)]
        own = [name for name in folders if name.startswith("wavetrap-")]
        found += [os.path.relpath(os.path.join(place, name), folder) for name in files + own]
    return sorted(path for path in found if not OTHERS.match(path))


def environment_of(folder):
    """The environment of a test. Compilers' cache and the user's Python modules stay where they are."""
    home = folder / "home"
    home.mkdir()
    cache = {"CCACHE_DIR": os.path.expanduser("~/.cache/ccache")} if os.path.exists(os.path.expanduser("~/.cache/ccache")) else {}
    return {**cache, "PYTHONUSERBASE": site.getuserbase(), **{k: v for k, v in os.environ.items() if k not in PARTS},
            "TMPDIR": str(folder), "HOME": str(home)}


def run(command):
    """The exit status of a test: its own, or 1 if it has left something."""
    adopt_orphans()
    # Short, since the names of sockets have 107 bytes.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="wt-"))
    try:
        status = subprocess.run(command, env=environment_of(folder), check=False).returncode
        files, crashed = left_in(folder), crashed_orphans()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if files:
        print(f"the test has left in the temporary folder: {', '.join(files)}")
    for one in crashed:
        print(f"a child of the test that nobody waited for has crashed: {one}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"the test took {used.ru_utime + used.ru_stime:.1f} s of a processor")
    if status < 0:  # Meson tells a signal from a status
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status or int(bool(files or crashed))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
