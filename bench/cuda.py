"""The emulated SM: OpenCL kernels beside PoCL (gcn.py's, as PTX of clang), ffmpeg's scaling by CUDA beside its own on the CPU, and
the start-up of an OpenMP program of GCC. CPU time."""

import os
import resource
import statistics
import tempfile
import subprocess
import sys

from gcn import BLOCK, HERE, ITEMS, KERNELS, SOURCE, kernels

LIBRARY = "/usr/lib/clc/nvptx64--nvidiacl.bc"
DEBIAN = {**os.environ, "PATH": "/usr/bin:/bin"}  # NVIDIA's ptxas, where it is installed, does not know GCC's target any more
PICTURES = ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=5:duration=2"]


def for_sm(run, folder):
    program = os.path.join(folder, "sm.ptx")
    run(["clang-19", "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64--nvidiacl", "-march=sm_50", "-S", "-O2", "-w", "-Xclang", "-mlink-builtin-bitcode",
         "-Xclang", LIBRARY, "-Xclang", "-finclude-default-header", SOURCE, "-o", program], env=DEBIAN)
    return "sm", program, 32


def seconds(command):
    """CPU time of a command and what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"bench: {' '.join(command)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def translated(report, folder, wavetrap, pairs, timed, run, count):
    """The same kernels with blocks translated, as they are, and with handlers alone; then a short one, which must not get slower."""
    gpu, program, _ = for_sm(run, folder)
    report.title("SM: translated blocks beside handlers alone (CPU time)")
    for name, repeats in (*((name, repeats) for name, repeats, _, _ in KERNELS), ("hash", 20)):
        command = ["run", f"--kernel={name}", f"--grid={ITEMS}", f"--block={BLOCK}", f"--arg=file:{os.path.join(folder, 'numbers')}",
                   f"--arg=zeros:{4 * ITEMS}", f"--arg=u32:{repeats}", program]
        a, b, ratio = pairs(lambda: timed([wavetrap, *command, f"--gpu={gpu}"])[0],
                            lambda: timed([wavetrap, *command, f"--gpu={gpu}:jit=0"])[0], count)
        report.row(f"{name}, {repeats} rounds", a, "jit=0", b, ratio, "s")


def scaling(report, wavetrap, pairs, count):
    report.title("SM: ffmpeg scales ten pictures of 160x120 to 80x60 (CPU time of the program)")
    for name, algorithm, flags in (("nearest", "nearest", "neighbor"), ("bicubic", "bicubic", "bicubic")):
        cuda = [wavetrap, "exec", "-g", "sm", "ffmpeg", "-v", "error", "-init_hw_device", "cuda=c", "-filter_hw_device", "c", *PICTURES,
                "-vf", f"format=yuv420p,hwupload_cuda,scale_cuda=80:60:interp_algo={algorithm},hwdownload,format=yuv420p", "-f", "null", "-"]
        host = ["ffmpeg", "-v", "error", *PICTURES, "-vf", f"format=yuv420p,scale=80:60:flags={flags}", "-f", "null", "-"]
        a, b, ratio = pairs(lambda command=cuda: seconds(command), lambda command=host: seconds(command), count)
        report.row(f"scale_cuda, {name}", a, "scale", b, ratio, "s")


def startup(report, folder, wavetrap, run, count):
    program = os.path.join(folder, "openmp")
    run(["gcc-12", "-O2", "-fopenmp", "-foffload=nvptx-none", os.path.join(HERE, "kernels", "openmp.c"), "-o", program], env=DEBIAN)
    report.title("SM: start-up of an OpenMP program of GCC, one empty region (CPU time)")
    ours = [wavetrap, "exec", "-g", "sm", program]
    host = ["env", "OMP_TARGET_OFFLOAD=DISABLED", program]
    runs = [(seconds(ours), seconds(host)) for _ in range(4 * count)]
    a, b = (statistics.median(r[i] for r in runs) for i in (0, 1))
    report.row("an empty region", a, "on the host", b, statistics.median(x / max(y, 1e-4) for x, y in runs), "s")
    report.figure("an empty region: more", a - b, "s")
    with tempfile.TemporaryDirectory() as cache:
        keeps = ["env", f"XDG_CACHE_HOME={cache}", wavetrap, "exec", "-g", "sm", "--ptx-cache=on", program]
        parses = ["env", wavetrap, "exec", "-g", "sm", "--ptx-cache=off", program]
        seconds(keeps)  # fills the cache
        runs = [(seconds(keeps), seconds(parses)) for _ in range(4 * count)]
    a, b = (statistics.median(r[i] for r in runs) for i in (0, 1))
    report.row("parsed objects from the cache", a, "without a cache", b, statistics.median(x / y for x, y in runs), "s")


def cuda(report, folder, wavetrap, pairs, timed, run, count):
    kernels(report, folder, wavetrap, pairs, timed, run, count, "SM, clang-19 -O2, PTX", for_sm)
    translated(report, folder, wavetrap, pairs, timed, run, count)
    scaling(report, wavetrap, pairs, count)
    startup(report, folder, wavetrap, run, count)
