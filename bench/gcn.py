"""The figures of the GCN and the Gen9 emulator: kernels in OpenCL C beside PoCL, which runs the same source on the
CPU, and the start-up of a HIP program.

CPU time of both. `python3 gcn.py KERNEL REPEATS ITEMS PLATFORM` is the peer: it prints the seconds for one run on the OpenCL platform
with this word in its name (PoCL: Portable), the compilation not counted, those for a run of an empty kernel, and the peak of its memory in KiB.
"""

import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kernels", "gcn.cl")
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
ITEMS, BLOCK = 16384, 256
KERNELS = [  # name, repeats (so many that our start does not count), what it is bound by, the aims
    ("hash", 4000, "ALU", {"gfx900": 0.3, "gen9": 0.5, "sm": 0.3}),
    ("polynomial", 4000, "float", {"sm": 0.3}),
    ("doubles", 2000, "double", {}),
    ("collatz", 20, "divergent loops", {"gfx900": 1.5, "gen9": 2.5, "sm": 4}),
    ("triad", 2000, "memory, side by side", {"gfx900": 1, "gen9": 2, "sm": 1.2}),
    ("gather", 2000, "memory, scattered", {}),
    ("scratch", 2000, "private memory", {}),
    ("tiles", 2000, "LDS and barriers", {"gfx900": 1.5, "gen9": 3, "sm": 3}),
]


# The same with fewer repeats, for an interpreter.
CHECKED = [("hash", 20), ("polynomial", 20), ("collatz", 1), ("triad", 20), ("gather", 20), ("scratch", 5), ("tiles", 20)]


def peer(kernel, repeats, items, platform):
    import numpy
    import pyopencl as cl
    context = cl.Context([p for p in cl.get_platforms() if platform in p.name][0].get_devices())
    queue = cl.CommandQueue(context)
    with open(SOURCE) as f:
        program = cl.Program(context, f.read()).build(["-cl-std=CL1.2"])
    numbers = (numpy.arange(items, dtype=numpy.uint32) * numpy.uint32(2654435761)) >> numpy.uint32(1)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    given, made = cl.Buffer(context, flags, hostbuf=numbers), cl.Buffer(context, flags, hostbuf=numbers)

    def once(name, n):
        begin = time.process_time()
        getattr(program, name)(queue, (items,), (BLOCK,), given, made, numpy.uint32(n))
        queue.finish()
        return time.process_time() - begin

    def often(name):
        once(name, 1)
        runs, seconds = 0, 0.0
        while seconds < 0.2:  # a run may take less than the clock can tell
            seconds += once(name, repeats)
            runs += 1
        return seconds / runs
    with open("/proc/self/status") as f:
        print(often(kernel), often("nothing"), re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))


def for_gcn(run, folder):
    """The kernels compiled: the GPU, the program, and the lanes of an instruction."""
    program = os.path.join(folder, "gcn.co")
    run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", "-O2", "-w",
         f"--rocm-device-lib-path={BITCODE}", SOURCE, "-o", program])
    return "gfx900:cu=4", program, 64


def for_gen(run, folder):
    program = os.path.join(folder, "gen")
    run(["ocloc", "compile", "-file", SOURCE, "-device", "skl", "--format", "zebin", "-output", "gen", "-output_no_suffix",
         "-out_dir", folder, "-q", "-options", "-cl-std=CL1.2"])
    return "gen9", program, 16  # most instructions of a thread of 32 channels have 16


def kernels(report, folder, wavetrap, pairs, timed, run, count, title, compiled):
    numbers = os.path.join(folder, "numbers")
    gpu, program, lanes = compiled(run, folder)
    with open(numbers, "wb") as f:
        for i in range(ITEMS):
            f.write((i * 2654435761 % (1 << 32) >> 1).to_bytes(4, "little"))
    report.title(f"{title}: OpenCL kernels, {ITEMS} work-items, beside PoCL (CPU time)")
    memory = {"wavetrap": [], "PoCL": []}
    for name, repeats, bound, aims in KERNELS:
        aim = aims.get(gpu.split(":")[0])
        command = [wavetrap, "run", f"--gpu={gpu}", f"--kernel={name}", f"--grid={ITEMS}", f"--block={BLOCK}",
                   f"--arg=file:{numbers}", f"--arg=zeros:{4 * ITEMS}"]
        ours = [*command, f"--arg=u32:{repeats}", program]
        done = subprocess.run([*ours, "--hash"], capture_output=True, text=True)
        issues = re.search(r"after (\d+) issues", done.stderr + done.stdout)
        if not issues:
            sys.exit(f"bench: no issue count in: {done.stdout}{done.stderr}")

        def theirs():
            seconds, _, peak = map(float, run(["/usr/bin/python3", __file__, name, str(repeats), str(ITEMS), "Portable"]).split())
            memory["PoCL"].append(peak)
            return seconds

        def mine():
            seconds, peak = timed(ours)
            memory["wavetrap"].append(peak)
            return seconds
        a, b, ratio = pairs(mine, theirs, count)
        report.row(f"{name} ({bound})", a, "PoCL", b, ratio, "s", f"aim x{aim}" if aim else "")
        report.figure(f"{name}: lane-instructions", int(issues.group(1)) * lanes / a, "1/s")
    a, b = max(memory["wavetrap"]), max(memory["PoCL"])
    report.row("peak memory", a, "PoCL", b, a / b, "KiB")


def startup(report, folder, wavetrap, peak_memory, run, count):
    """A HIP program under `wavetrap exec`, and the same program and runtime where there is no GPU."""
    program = os.path.join(folder, "startup")
    run(["hipcc", "--offload-arch=gfx900", "-O2", os.path.join(HERE, "kernels", "startup.hip"), "-o", program])
    report.title("GCN: start-up of a HIP program under `wavetrap exec` (CPU time) beside the bare runtime: the program\n"
                 "started directly, which finds no GPU")

    def once(command, status):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        if process.returncode != status:
            sys.exit(f"bench: {' '.join(command)} failed ({process.returncode})")
        return usage.ru_utime + usage.ru_stime, time.monotonic() - begin
    bare = [program, "kernel"]
    for what, text in (("", "the GPU found"), ("memory", "memory allocated"), ("kernel", "an empty kernel run")):
        ours = [wavetrap, "exec", program, *([what] if what else [])]
        runs = [(once(ours, 0), once(bare, 3)) for _ in range(2 * count)]
        a, b = (statistics.median(r[i][0] for r in runs) for i in (0, 1))
        report.row(text, a, "bare runtime", b, statistics.median(x[0] / y[0] for x, y in runs), "s")
        for i, clock in enumerate(("CPU time", "by the clock")):
            report.figure(f"{text}: more, {clock}", statistics.median(x[i] - y[i] for x, y in runs),
                          "s" + ("   aim below 0.5" if what == "kernel" else ""))
    peaks = []
    for command in (ours, bare):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        peaks.append(peak_memory(process.pid))
        process.wait()
    report.row("peak memory with the kernel", peaks[0], "bare runtime", peaks[1], peaks[0] / peaks[1], "KiB")


def gcn(report, folder, wavetrap, pairs, timed, peak_memory, run, count):
    kernels(report, folder, wavetrap, pairs, timed, run, count, "GCN, clang-19 -O2", for_gcn)
    startup(report, folder, wavetrap, peak_memory, run, count)


def gen(report, folder, wavetrap, pairs, timed, run, count):
    kernels(report, folder, wavetrap, pairs, timed, run, count, "Gen9, ocloc", for_gen)


def oclgrind(report, wavetrap, pairs, count):
    """One OpenCL program, which is checked by both. Of both the time of an empty kernel is taken off."""
    def seconds(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 115):  # triad has races
            sys.exit(f"bench: {' '.join(command)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
        whole, empty, _ = map(float, done.stdout.split())
        return max(whole - empty, 1e-6)
    for checks, options in (("memory", []), ("memory,init,race", ["--data-races", "--uninitialized"])):
        report.title(f"OpenCL kernels, {ITEMS} work-items: `wavetrap exec -g gen9 --check={checks}` beside `{' '.join(['oclgrind', *options])}` (CPU time)")
        ratios = []
        for name, repeats in CHECKED:
            program = ["/usr/bin/python3", __file__, name, str(repeats), str(ITEMS)]
            a, b, ratio = pairs(lambda: seconds(wavetrap, "exec", "-g", "gen9", f"--check={checks}", *program, "Intel"),
                                lambda: seconds("oclgrind", *options, *program, "Oclgrind"), count)
            report.row(name, a, "Oclgrind", b, ratio, "s", "aim below x0.1")
            ratios.append(ratio)
        report.figure("geometric mean", statistics.geometric_mean(ratios), "times Oclgrind's")


if __name__ == "__main__":
    peer(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
