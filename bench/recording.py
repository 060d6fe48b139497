"""What a recording costs a host program: small launches that are queued, and one long kernel of few and of many waves, under
`wavetrap debug` beside the same with --no-history. CPU time of all processes."""

import os

from cuda import DEBIAN, seconds

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "kernels")
SOURCE = os.path.join(KERNELS, "live.cc")
LAUNCHES, SMALL = 2000, 64
WAVES = [(1, 400000), (4, 200000), (16, 100000), (1000, 2000)]  # waves of the long kernel, rounds of its loop


def programs(folder, wavetrap, run, levels):
    """(name, options of the debugger, command before the arguments, those after them, lanes of a wave)"""
    path = run([wavetrap, "cuda-path"]).strip()
    for level in levels:
        cuda, hip, opencl = (os.path.join(folder, f"recording-{name}{level}") for name in ("cuda", "hip", "opencl"))
        run(["clang-19", "-x", "cuda", f"--cuda-path={path}", "--cuda-gpu-arch=sm_50", level, "-g", SOURCE, "-o", cuda, f"-L{path}/lib64",
             "-lcudart", "-lstdc++"], env=DEBIAN)
        run(["hipcc", "--offload-arch=gfx900", level, "-g", SOURCE, "-o", hip])
        run(["cc", "-O1", os.path.join(KERNELS, "live_opencl.c"), "-o", opencl, "-lOpenCL"])
        yield f"CUDA {level}", "sm", [cuda], [], 32
        yield f"HIP {level}", "gfx900", [hip], [], 64
        yield f"OpenCL {level}", "gen9", [opencl, os.path.join(KERNELS, "live.cl")], ["-g -cl-opt-disable"] if level == "-O0" else [], 8


def recording(report, folder, wavetrap, pairs, run, count):
    def beside(what, gpu, program, last, *arguments):
        def once(*options):
            return seconds([wavetrap, "debug", "--nx", "--batch", *options, "--ex=run", "-g", gpu, *program, *map(str, arguments), *last])
        a, b, ratio = pairs(once, lambda: once("--no-history"), count)
        report.row(what, a, "--no-history", b, ratio, "s")
        return a - b

    report.title(f"Recording: {LAUNCHES:,} queued launches of {SMALL} threads (CPU time, all processes)")
    for name, gpu, program, last, _ in programs(folder, wavetrap, run, ("-O0", "-O2")):
        more = beside(name, gpu, program, last, 1, LAUNCHES, 4, SMALL)
        report.figure(f"{name}: more, a launch", more / LAUNCHES, "s")
    report.title("Recording: one long kernel, by its waves (CPU time, all processes)")
    for name, gpu, program, last, lanes in programs(folder, wavetrap, run, ("-O2",)):
        for waves, rounds in WAVES:
            beside(f"{name}, {waves:,} waves", gpu, program, last, waves, 1, rounds, lanes)
