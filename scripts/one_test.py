#!/usr/bin/python3
"""Runs one test for scripts/test.py, which has Meson start each test with it:

    one_test.py COMMAND [ARGUMENT]...

The test has a temporary folder of its own (TMPDIR), in it the user's home (HOME), and the orphans that it makes become children of this
process. It fails, too, if it leaves a file in that folder or home, or if a process that nobody waited for has crashed.

The compilers that it finds in PATH remember what they compiled (tests/compilers/cached.c): WAVETRAP_TEST_CACHE names the folder, or is "off".
"""
import collections
import contextlib
import ctypes
import fcntl
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
import zlib

PR_SET_CHILD_SUBREAPER = 36
CRASHES = {signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGSYS, signal.SIGTRAP}
DEBUGGERS = re.compile(r"^(gdb|lldb|wavetrap)")
# What is not a left-over: pytest keeps the folders of its last three runs; clang (HIP, -save-temps aside) leaves an empty
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


# ---- compilers ----

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMPILERS = ["hipcc", "ocloc", "riscv64-unknown-elf-gcc", *(f"{name}{end}" for name in ("gcc", "g++", "cc", "c++", "gfortran") for end in ("", "-12", "-14")),
             *(f"{name}{end}" for name in ("clang", "clang++") for end in ("", "-15", "-17", "-19", "-22")), "llvm-mc-19", "llvm-objdump-19"]


def cache_folder():
    """The user's, that tests share, which is made if it is not there; None: each compiler compiles."""
    named = os.environ.get("WAVETRAP_TEST_CACHE")
    if named == "off":
        return None
    folder = pathlib.Path(named or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "wavetrap-tests")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def remembering():
    """The folder of the compilers with a memory, of those that are installed; None where the build has none."""
    folder = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")) / "tests" / "compilers"
    if not (folder / "cached").exists():
        return None
    links = folder / "bin"
    links.mkdir(exist_ok=True)
    others = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if part != str(links))
    for name in COMPILERS:
        if bool(shutil.which(name, path=others)) != os.path.lexists(links / name):
            with contextlib.suppress(FileExistsError, FileNotFoundError):   # another test may do it at the same time
                (links / name).unlink() if os.path.lexists(links / name) else (links / name).symlink_to("../cached")
    return links


def compiler_environment(log):
    """The variables of a test whose compilers remember, and write to this file what they did."""
    cache, links = cache_folder(), remembering()
    if not cache or not links:
        return {}
    others = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if part != str(links))
    return {"WAVETRAP_TEST_CACHE": str(cache), "CACHED_COMPILERS_LOG": log, "CACHED_COMPILERS": str(links), "QUICK_COMPILERS": str(links.parent / "quick"), "PATH": f"{links}{os.pathsep}{others}",
            "CCACHE_PATH": os.environ.get("CCACHE_PATH", others)}  # ccache asks who the compiler is: it is not to find ours


def say_compiled(log):
    """What a test's compilers did: found, made, or made without being kept, and the seconds of a processor that it took, or took once."""
    lines = [line.split("\t") for line in log.splitlines()]
    if lines:
        told = {kind: [float(line[1]) for line in lines if line[0] == kind] for kind in ("hit", "made", "not kept")}
        print("compilers: {} found ({:.1f} s), {} made ({:.1f} s), {} not kept ({:.1f} s)".format(*(f(told[kind]) for kind in told for f in (len, sum))))
        for (_, _, name, why), times in sorted(collections.Counter(tuple(line[:1] + ["-"] + line[2:]) for line in lines if line[0] == "not kept").items()):
            if why != "fails":
                print(f"    not kept: {name} {why}" + (f" ({times} times)" if times > 1 else ""))


# ---- a test ----

def held(folder):
    """A descriptor that holds this folder for this process, as long as it is open; None where another process has it, or another user."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        held_by = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(held_by, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(held_by).st_uid == os.getuid() and os.path.samestat(os.fstat(held_by), os.stat(folder)):
            return held_by
    os.close(held_by)
    return None


@contextlib.contextmanager
def folder_for(command):
    """A temporary folder. Its name is made of the command's where no other process has that, so that compilers get the same names each time. It is
    short, since the names of sockets have 107 bytes."""
    words = [os.path.relpath(word, ROOT) if os.path.isabs(word) else word for word in map(str, command)]
    folder = pathlib.Path(tempfile.gettempdir()) / f"wt-{zlib.crc32(' '.join(words).encode()):08x}"
    holds = held(folder)
    if holds is None:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="wt-"))
    try:
        for left in folder.iterdir():   # by a run that was killed
            shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if holds is not None:
            os.close(holds)


def untranslated():
    """What others' programs say is not translated, since tests read it; all else is as in the user's locale."""
    named = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or "C"
    if re.match(r"(C|POSIX)\b", named):
        return {}
    given = {"LANG": os.environ["LC_ALL"], "LC_ALL": ""} if os.environ.get("LC_ALL") else {}
    return {**given, "LC_MESSAGES": "C.UTF-8", "LANGUAGE": ""}


def environment_of(folder):
    """The environment of a test. Compilers' cache and the user's Python modules stay where they are. Tests share wavetrap's cache of code, as they share
    what their compilers make; those of the cache have one of their own."""
    home = folder / "home"
    home.mkdir()
    shared = cache_folder()
    cache = {"CCACHE_DIR": os.path.expanduser("~/.cache/ccache")} if os.path.exists(os.path.expanduser("~/.cache/ccache")) else {}
    return {**cache, "WAVETRAP_CODE_CACHE": str(shared / "code") if shared else "off", "PYTHONUSERBASE": site.getuserbase(),
            **{k: v for k, v in os.environ.items() if k not in PARTS}, **untranslated(), "TMPDIR": str(folder), "HOME": str(home)}


def run(command):
    """The exit status of a test: its own, or 1 if it has left something."""
    adopt_orphans()
    with folder_for(command) as folder, open(os.memfd_create("compilers"), encoding="utf-8") as log:
        environment = {**environment_of(folder), **compiler_environment(f"/proc/{os.getpid()}/fd/{log.fileno()}")}
        status = subprocess.run(command, env=environment, check=False).returncode
        files, crashed, compiled = left_in(folder), crashed_orphans(), log.read()
    if files:
        print(f"the test has left in the temporary folder: {', '.join(files)}")
    for one in crashed:
        print(f"a child of the test that nobody waited for has crashed: {one}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"the test took {used.ru_utime + used.ru_stime:.1f} s of a processor, {used.ru_stime:.1f} of them the system's")
    say_compiled(compiled)
    if status < 0:  # Meson tells a signal from a status
        signal.signal(-status, signal.SIG_DFL)
        sys.stdout.flush()
        os.kill(os.getpid(), -status)
    return status or int(bool(files or crashed))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
