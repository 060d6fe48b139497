"""Breakpoints of a host program that do not stop it: a condition that never holds, for each wave that meets it, and what a
launch costs with a catchpoint or breakpoint that is ignored, or a dprintf. Beside the same session without a breakpoint. CPU time of
all processes, the debugger's included; nothing is recorded."""

import os
import statistics

from cuda import DEBIAN, seconds

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "kernels")
SOURCE = os.path.join(KERNELS, "live.cc")
LEAST, ROUNDS, LAUNCHES = 64, 100, 400


def line_of(source, mark):
    with open(source, encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if line.rstrip().endswith(f"// {mark}"))


def programs(folder, wavetrap, run):
    """(name, options of the debugger, command, its source, lanes of a wave)"""
    path = run([wavetrap, "cuda-path"]).strip()
    run(["clang-19", "-x", "cuda", f"--cuda-path={path}", "--cuda-gpu-arch=sm_50", "-O0", "-g", SOURCE, "-o", os.path.join(folder, "live-cuda"),
         f"-L{path}/lib64", "-lcudart", "-lstdc++"], env=DEBIAN)
    run(["hipcc", "--offload-arch=gfx900", "-O0", "-g", SOURCE, "-o", os.path.join(folder, "live-hip")])
    run(["cc", "-O1", os.path.join(KERNELS, "live_opencl.c"), "-o", os.path.join(folder, "live-opencl"), "-lOpenCL"])
    kernel = os.path.join(KERNELS, "live.cl")
    return [("CUDA", "sm", [os.path.join(folder, "live-cuda")], SOURCE, 32), ("HIP", "gfx900", [os.path.join(folder, "live-hip")], SOURCE, 64),
            ("OpenCL", "gen9", [os.path.join(folder, "live-opencl"), kernel], kernel, 8)]


def live(report, folder, wavetrap, run, count):
    for name, gpu, program, source, lanes in programs(folder, wavetrap, run):
        place = f"{source}:{line_of(source, 'step')}"
        end = f"{source}:{line_of(source, 'end')}"

        def once(commands, *arguments, then=()):
            return seconds([wavetrap, "debug", "--nx", "--batch", "--no-history", *(f"--ex={c}" for c in [*commands, "run", *then]), "-g", gpu,
                            *program, *map(str, arguments)])

        def more(commands, *arguments):
            return statistics.median(once(commands, *arguments) - once([], *arguments) for _ in range(count))
        report.title(f"{name}: breakpoints of a program that runs, and do not stop it (CPU time, all processes)")
        for blocks in (LEAST, 4 * LEAST):
            hits = blocks * 256 // lanes * ROUNDS
            report.figure(f"a condition that never holds, a wave and hit, {hits:,} hits", more([f"break {place} if v == 0xdeadbeef"], blocks, 1, ROUNDS) / hits, "s")
        for what, commands in (("catch dispatch, ignored", ["catch dispatch", f"ignore 1 {10 * LAUNCHES}"]),
                               ("a breakpoint, ignored", [f"break {end}", f"ignore 1 {1000 * LAUNCHES}"]),
                               ("a dprintf of one lane", [f'dprintf {end} if v == 0x12345,"%u\\n",v'])):
            report.figure(f"{what}, a launch of {LAUNCHES:,}", more(commands, 1, LAUNCHES, 4) / LAUNCHES, "s")
        arguments, stop, watch = (LEAST, LAUNCHES, 4), [f"tbreak {end}"], f"awatch *(unsigned (*)[{LEAST * 256}])data if v == 0xdeadbeef"
        rest = statistics.median(once(stop, *arguments, then=[watch, "continue"]) - once(stop, *arguments, then=["continue"]) for _ in range(count))
        hits = LEAST * 256 // lanes * LAUNCHES
        report.figure(f"a condition of watched memory that never holds, a wave and access, {hits:,} accesses", rest / hits, "s")
