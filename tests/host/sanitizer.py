"""How programs that were built without a sanitizer run with our libraries, which may have one."""
import atexit
import functools
import os
import pathlib
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve()
LIBRARY = BUILD / "src" / "runtime" / "kfd" / "libhsakmt.so.1"
# ThreadSanitizer's reports of the programs that this process has started; conftest.py looks for them.
REPORTS = BUILD / "tests" / "host" / f"races-{os.getpid()}"
# Strips RTLD_DEEPBIND, with which Intel's runtime opens its parts, and which sanitizers refuse.
NO_DEEPBIND = BUILD / "tests" / "libwavetrap-no-deepbind.so"
# Debian's own tools, without those of another vendor that may be installed; before them its compilers with a memory (scripts/one_test.py).
DEBIAN_PATH = ":".join(filter(None, [os.environ.get("CACHED_COMPILERS"), "/usr/bin", "/bin"]))


@functools.cache
def needed():
    """The variables of a program that loads our libraries: a sanitizer must be there before. None without a sanitizer."""
    needs = subprocess.run(["ldd", LIBRARY], capture_output=True, text=True, check=True).stdout
    preload = [line.split("=>")[1].split()[0] for line in needs.splitlines() if "libasan" in line or "libtsan" in line]
    if not preload:
        return {}
    # Leaks of others are not ours, nor what Intel's compiler (libigc) allocates and deletes with two sizes.
    return {"LD_PRELOAD": ":".join([str(NO_DEEPBIND), *preload]),
            "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0:new_delete_type_mismatch=0:" + os.environ.get("ASAN_OPTIONS", ""),
            "TSAN_OPTIONS": f"suppressions={ROOT / 'tests' / 'host' / 'tsan.txt'}:log_path={REPORTS}:" + os.environ.get("TSAN_OPTIONS", "")}


def races():
    """Those reports, which are then forgotten."""
    files = sorted(REPORTS.parent.glob(REPORTS.name + ".*"))
    texts = [file.read_text(errors="replace") for file in files]
    for file in files:
        file.unlink()
    return [text for text in texts if text.strip()]


def environment():
    return {**os.environ, **needed()}


@functools.cache
def command(wavetrap):
    """The command under test: with a sanitizer, a script that gives these variables to the programs that it starts."""
    if not needed():
        return wavetrap
    script = BUILD / "tests" / "host" / f"wavetrap-{os.getpid()}"
    script.parent.mkdir(parents=True, exist_ok=True)
    variables = "\n".join(f"export {name}={shlex.quote(value)}" for name, value in needed().items())
    script.write_text(f'#!/bin/sh\ncase "$1" in exec|debug)\n{variables}\n;; esac\nexec {shlex.quote(wavetrap)} "$@"\n')
    script.chmod(0o755)
    atexit.register(script.unlink)
    return str(script)
