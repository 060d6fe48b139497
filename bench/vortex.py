"""Host programs of Vortex 3.0: kernels through libvortex.so beside upstream's simulator SimX, where WAVETRAP_SIMX names the folder of its
libvortex.so and libvortex-simx.so (of 1 core, 4 warps of 4 threads); the start of such a program; what a launch costs with little and much
device memory. The same program and the same kernels for both. CPU time of the process."""

import os
import re
import statistics
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = [("sgemm", 32, 20), ("stencil3d", 16, 20), ("sort", 16, 20)]  # name, size, launches
SIMX = os.environ.get("WAVETRAP_SIMX", "")


def vxbin(folder, run):
    """The kernels as a .vxbin file with their table."""
    elf, raw, out = (os.path.join(folder, f"vortex_kernels.{end}") for end in ("elf", "raw", "vxbin"))
    run(["riscv64-unknown-elf-gcc", "-march=rv32imaf_zicsr", "-mabi=ilp32f", "-O2", "-ffreestanding", "-mcmodel=medany", "-nostdlib", "-nostartfiles", "-fno-tree-loop-distribute-patterns",
         "-Wl,--build-id=none,--section-start=.start=0x80000000,-Ttext=0x80000100", "-o", elf, os.path.join(HERE, "kernels", "vortex_kernels.c")])
    run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, raw])
    names, entries = b"", []
    for address, name in re.findall(r"^(\w+) \w __vx_kentry_(\w+)$", run(["riscv64-unknown-elf-nm", elf]), re.M):
        entries.append(struct.pack("<IHHQ", len(names), len(name), 0, int(address, 16)))
        names += name.encode()
    with open(raw, "rb") as file:
        code = file.read()
    with open(out, "wb") as file:
        file.write(struct.pack("<QQ", 0x80000000, 0x80000000 + len(code)) + code + names + b"".join(entries) + struct.pack("<I", len(entries)) + b"VXSYMTAB")
    return out


def host_programs(report, folder, wavetrap, run, count):
    build = os.path.join(os.path.dirname(os.path.realpath(wavetrap)), "..", "runtime", "vortex")
    program, kernels = os.path.join(folder, "vortex_host"), vxbin(folder, run)
    run(["gcc", "-O2", f"-I{os.path.join(HERE, '..', 'src')}", "-o", program, os.path.join(HERE, "kernels", "vortex_host.c"), f"-L{build}", "-lvortex", "-lm"])
    simx = {**os.environ, "LD_LIBRARY_PATH": SIMX, "VORTEX_DRIVER": "simx"}

    def once(*words, peer=False):
        """Instructions, CPU time of the launches, and of the process."""
        command = [program, kernels, *map(str, words)]
        said = run(command, env=simx) if peer else run([wavetrap, "exec", "-g", "vortex", *command])
        return [float(word) for word in re.search(r"figures (.*)", said).group(1).split()]

    def median(*words, peer=False, runs=count):
        return [statistics.median(values) for values in zip(*(once(*words, peer=peer) for _ in range(runs)))]
    report.title("Vortex 3.0: kernels of a host program, 1 core of 4 warps of 4 threads (CPU time)" + ("" if SIMX else "; WAVETRAP_SIMX is not set: no SimX beside them"))
    for name, size, times in KERNELS:
        issues, launches, _ = median(name, size, times)
        rate, whole = issues * times / launches, median(name, size, 1)[2]
        if SIMX:
            theirs = median(name, size, 1, peer=True, runs=1)
            report.row(f"{name} of {size}: instructions of warps", rate, "SimX", theirs[0] / theirs[1], rate * theirs[1] / theirs[0], "1/s", "aim x200")
            report.row(f"{name}, one launch, whole program", whole, "SimX", theirs[2], whole / theirs[2], "s", "aim x0.1")
            report.row(f"{name}: instructions of a launch", issues, "SimX", theirs[0], issues / theirs[0], "", "aim x1")
        else:
            report.figure(f"{name} of {size}: instructions of warps", rate, "1/s")
            report.figure(f"{name}, one launch, whole program", whole, "s")
    report.figure("start and end of a host program", median("nothing", 4, 0)[2], "s")
    # A launch that copied device memory would cost more with more of it.
    runs = [(once("nothing", 4, 1000, 1)[1], once("nothing", 4, 1000, 512)[1]) for _ in range(count)]
    little, much = (statistics.median(r[i] for r in runs) / 1000 for i in (0, 1))
    report.row("a launch, 512 MiB of device memory in use", much, "1 MiB in use", little, statistics.median(b / a for a, b in runs), "s", "aim x1")
