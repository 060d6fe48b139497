"""Whole programs as people write them, in HIP, CUDA C++ and for one thread of the host: CPU time while the kernels run."""

import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = [("bodies", 1000, 4), ("ambient", 192, 1), ("paths", 192, 1), ("heat", 512, 6), ("sorting", 256, 2), ("splits", 2048, 1), ("queens", 11, 4), ("mandelbrot", 256, 2)]
# Beside each other GPUs take so long that what they do before a kernel's first instruction does not count.
LARGER = {"bodies": (2000, 8), "ambient": (512, 4), "paths": (512, 1), "heat": (1024, 12), "sorting": (512, 4), "mandelbrot": (512, 8)}
AIMS = {"gfx900": {"mandelbrot": 1.5}, "sm": {"bodies": 3, "ambient": 3, "paths": 6, "heat": 2}, "gfx90a": {name: 1.15 for name, *_ in PROGRAMS}}


def real(report, folder, wavetrap, run, pairs, count):
    source = os.path.join(HERE, "kernels", "real.cc")
    cuda = run([wavetrap, "cuda-path"]).strip()
    program = {name: os.path.join(folder, f"real-{name}") for name in ("host", "hip", "cuda")}
    run(["clang++-19", "-O3", source, "-o", program["host"]])
    run(["hipcc", "--offload-arch=gfx900", "--offload-arch=gfx90a", "-O2", source, "-o", program["hip"]], env={**os.environ, "PATH": "/usr/bin:/bin"})
    run(["clang++-19", "-O2", "-w", "-x", "cuda", f"--cuda-path={cuda}", "--cuda-gpu-arch=sm_50", source, "-o", program["cuda"],
         f"-L{cuda}/lib64", "-lcudart"])

    def on(gpu):
        return [program["host"]] if gpu == "host" else [wavetrap, "exec", "-g", gpu, program["cuda" if gpu == "sm" else "hip"]]
    for gpu, peer in (("gfx900", "host"), ("sm", "host"), ("gfx90a", "gfx900")):
        report.title(f"{gpu}: programs beside {'one thread of the host' if peer == 'host' else f'a {peer}'} (CPU time while the kernels run)")
        ratios = []
        for name, *size in PROGRAMS:
            sums, size = set(), LARGER.get(name, size) if peer != "host" else size

            def once(command, name=name, size=size, sums=sums):
                result, seconds = run([*command, name, *map(str, size)]).split()[-2:]
                sums.add(result)
                return float(seconds)
            a, b, ratio = pairs(lambda: once(on(gpu)), lambda: once(on(peer)), count)
            if len(sums) != 1:
                sys.exit(f"bench: {name} has other results on {gpu} than on {peer}: {sums}")
            aim = AIMS[gpu].get(name)
            report.row(name, a, peer, b, ratio, "s", f"aim x{aim}" if aim else "")
            ratios.append(ratio)
        report.figure("geometric mean", statistics.geometric_mean(ratios), "")
