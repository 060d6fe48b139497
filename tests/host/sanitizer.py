"""How programs that were built without a sanitizer run with our library, which may have one."""
import functools
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve()
LIBRARY = BUILD / "src" / "runtime" / "hsakmt" / "libhsakmt.so.1"


@functools.cache
def environment():
    """A sanitizer must be there before a program that was built without it loads our library."""
    env = dict(os.environ)
    needs = subprocess.run(["ldd", LIBRARY], capture_output=True, text=True, check=True).stdout
    preload = [line.split("=>")[1].split()[0] for line in needs.splitlines() if "libasan" in line]
    if preload:
        env["LD_PRELOAD"] = ":".join(preload)
        env["ASAN_OPTIONS"] = "detect_leaks=0:" + env.get("ASAN_OPTIONS", "")
    return env
