"""The GCN emulator's figures: kernels in OpenCL C beside PoCL, which runs the same source on the CPU.

CPU time of both. `python3 gcn.py KERNEL REPEATS ITEMS` is the peer: it prints PoCL's seconds for one run, the
compilation not counted, and the peak of its memory in KiB.
"""

import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kernels", "gcn.cl")
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
ITEMS, BLOCK = 16384, 256
KERNELS = [  # name, repeats, what it is bound by
    ("hash", 400, "ALU"),
    ("polynomial", 400, "FP"),
    ("doubles", 200, "double"),
    ("collatz", 4, "divergent"),
    ("triad", 400, "memory"),
    ("gather", 200, "scattered"),
    ("tiles", 100, "LDS"),
]
AIMS = {"ALU": "aim below x20", "FP": "aim below x20", "triad": "aim below x10", "memory": "aim below x10",
        "scattered": "aim below x10"}


def peer(kernel, repeats, items):
    import numpy
    import pyopencl as cl
    context = cl.Context([p for p in cl.get_platforms() if "Portable" in p.name][0].get_devices())
    queue = cl.CommandQueue(context)
    with open(SOURCE) as f:
        program = cl.Program(context, f.read()).build(["-cl-std=CL1.2"])
    numbers = (numpy.arange(items, dtype=numpy.uint32) * numpy.uint32(2654435761)) >> numpy.uint32(1)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    given, made = cl.Buffer(context, flags, hostbuf=numbers), cl.Buffer(context, flags, hostbuf=numbers)

    def once(n):
        begin = time.process_time()
        getattr(program, kernel)(queue, (items,), (BLOCK,), given, made, numpy.uint32(n))
        queue.finish()
        return time.process_time() - begin
    once(1)
    runs, seconds = 0, 0.0
    while seconds < 0.2:  # a run may take less than the clock can tell
        seconds += once(repeats)
        runs += 1
    with open("/proc/self/status") as f:
        print(seconds / runs, re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))


def gcn(report, folder, wavetrap, pairs, timed, run, count):
    program, numbers = os.path.join(folder, "gcn.co"), os.path.join(folder, "numbers")
    run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", "-O2", "-w",
         f"--rocm-device-lib-path={BITCODE}", SOURCE, "-o", program])
    with open(numbers, "wb") as f:
        for i in range(ITEMS):
            f.write((i * 2654435761 % (1 << 32) >> 1).to_bytes(4, "little"))
    report.title(f"GCN: OpenCL kernels, {ITEMS} work-items, compiled by clang-19 -O2, beside PoCL (CPU time)")
    memory = {}
    for name, repeats, bound in KERNELS:
        command = [wavetrap, "run", "--gpu=gfx900:cu=4", f"--kernel={name}", f"--grid={ITEMS}", f"--block={BLOCK}",
                   f"--arg=file:{numbers}", f"--arg=zeros:{4 * ITEMS}"]
        ours = [*command, f"--arg=u32:{repeats}", program]
        done = subprocess.run([*ours, "--hash"], capture_output=True, text=True)
        issues = re.search(r"after (\d+) issues", done.stderr + done.stdout)
        if not issues:
            sys.exit(f"bench: no issue count in: {done.stdout}{done.stderr}")

        def theirs():
            seconds, memory["PoCL"] = map(float, run(["/usr/bin/python3", __file__, name, str(repeats),
                                                      str(ITEMS)]).split())
            return seconds

        def mine():
            seconds, memory["wavetrap"] = timed(ours)
            return seconds
        a, b, ratio = pairs(mine, theirs, count)
        report.row(f"{name} ({bound})", a, "PoCL", b, ratio, "s", AIMS.get(bound, ""))
        report.figure(f"{name}: lane-instructions", int(issues.group(1)) * 64 / a, "1/s")
    report.row("peak memory", memory["wavetrap"], "PoCL", memory["PoCL"], memory["wavetrap"] / memory["PoCL"], "KiB")


if __name__ == "__main__":
    peer(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
