#!/usr/bin/env python3
"""
An NVIDIA GPU beside the emulated SM: the benchmarks' kernels, compiled to PTX by clang-19, by the driver that is installed and
by `wavetrap exec -g sm`. Their results must be the same, bit by bit. Without a driver or a GPU nothing is compared.

    nvidia.py [KERNEL…]
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WAVETRAP = os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap")
SOURCE = ROOT / "bench" / "kernels" / "gcn.cl"
LIBRARY = "/usr/lib/clc/nvptx64--nvidiacl.bc"
# Threads are blocks of 256; of a kernel that is long on one thread, fewer rounds.
ROUNDS = {"hash": 100, "polynomial": 100, "doubles": 100, "collatz": 5, "triad": 100, "gather": 100, "tiles": 100, "scratch": 100}
THREADS, NO_GPU = "4096", 77


def compiled(folder):
    subprocess.run(["gcc", "-O2", f"-I{ROOT}/include", HERE / "nvidia.c", "-o", folder / "run", "-ldl"], check=True)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64--nvidiacl", "-march=sm_50", "-S", "-O2", "-w", "-Xclang",
                    "-mlink-builtin-bitcode", "-Xclang", LIBRARY, "-Xclang", "-finclude-default-header", SOURCE, "-o", folder / "all.ptx"],
                   check=True)


def results(folder, before, name):
    """The bytes and the name of the GPU; None without one."""
    done = subprocess.run([*before, folder / "run", folder / "all.ptx", name, THREADS, str(ROUNDS[name]), folder / "out"],
                          capture_output=True, text=True, check=False)
    if done.returncode == NO_GPU:
        return None
    if done.returncode:
        sys.exit(f"check-nvidia: {name} failed ({done.returncode}): {done.stderr}")
    return (folder / "out").read_bytes(), done.stdout.strip()


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as given:
        folder = pathlib.Path(given)
        compiled(folder)
        for name in sys.argv[1:] or ROUNDS:
            theirs = results(folder, [], name)
            if theirs is None:
                print("check-nvidia: there is no NVIDIA GPU, or no driver: nothing was compared")
                return 0
            ours, _ = results(folder, [WAVETRAP, "exec", "-g", "sm"], name)
            differing = [i for i in range(0, len(ours), 4) if ours[i:i + 4] != theirs[0][i:i + 4]]
            wrong += bool(differing)
            print(f"{name}: " + (f"{len(differing)} of {THREADS} results differ from {theirs[1]}'s, the first at {differing[0] // 4}"
                                 if differing else f"as {theirs[1]}"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
