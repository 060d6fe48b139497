#!/usr/bin/env python3
"""make bench: wavetrap's figures, each beside a peer's on the same work in the same run.

Every figure is the median of several pairs: our run and the peer's in turn, so that a slow moment
of the machine meets both. Prints tables; --json FILE writes the same as data. Judges nothing.
"""

import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from console import console
from cuda import cuda
from dap import dap
from explore import explore
from gcn import gcn, gen, oclgrind
from gcn_debug import gcn_debug
from hip import hip
from live import live
from instructions import instructions as gcn_instructions
from interrupts import interrupts, last_lines
from matrices import matrices
from observe import observation
from real import real
from recording import recording
from reverse import reverse
from view import view
from vortex import host_programs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.environ.get("WAVETRAP_BUILD", os.path.join(ROOT, "build"))
WAVETRAP = os.environ.get("WAVETRAP", os.path.join(BUILD, "wavetrap"))
CLIENT = os.path.join(BUILD, "bench", "bench-client")
WIRE = os.path.join(BUILD, "bench", "wire-bench")
CONDITIONS = os.path.join(BUILD, "bench", "conditions-bench")
WATCH = os.path.join(BUILD, "bench", "watch-bench")
GCN_DEBUG = os.path.join(BUILD, "bench", "gcn-debug-bench")
TIMELINE = os.path.join(BUILD, "bench", "timeline-bench")
CC = "riscv64-unknown-elf-gcc"
GDB = "gdb-multiarch"


def run(command, **options):
    """Runs a command to its end; its output as text."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          **options)
    if done.returncode not in options.get("ok", (0,)):
        sys.exit(f"bench: {' '.join(command)} failed ({done.returncode}):\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def timed(command):
    """User and system seconds, and peak memory in KiB, of one run of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    memory = peak_memory(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"bench: {' '.join(command)} failed ({process.returncode})")
    return usage.ru_utime + usage.ru_stime, memory


def peak_memory(pid):
    """Peak memory in KiB of a process at its end. (What wait4() tells counts what the process was
    forked from.)"""
    peak = 0
    while now := high_water(pid):
        peak = now
        time.sleep(0.005)
    return peak


def peak(command):
    """Peak memory in KiB of a run; on a busy machine one may end before anybody has looked."""
    while not (memory := timed(command)[1]):
        pass
    return memory


def high_water(pid):
    """Peak memory in KiB of a process so far; 0 when it has ended."""
    try:
        with open(f"/proc/{pid}/status") as f:
            match = re.search(r"^VmHWM:\s+(\d+) kB$", f.read(), re.M)
    except (FileNotFoundError, ProcessLookupError):  # it has ended, or it ends while its file is read
        return 0
    return int(match.group(1)) if match else 0


def pairs(ours, peer, count):
    """Medians of ours, of the peer, and of their ratio pair by pair; both are called in turn."""
    a, b = [], []
    for _ in range(count):
        a.append(ours())
        b.append(peer())
    return (statistics.median(a), statistics.median(b),
            statistics.median(x / y for x, y in zip(a, b)))


class Report:
    def __init__(self):
        self.rows = []
        self.part = ""

    def title(self, text):
        self.part = text
        print(f"\n{text}")

    def row(self, what, ours, peer_name, peer, ratio, unit, aim=""):
        self.rows.append(dict(part=self.part, what=what, ours=ours, peer=peer_name, theirs=peer, ratio=ratio,
                              unit=unit, aim=aim))
        print(f"  {what:42} {ours:12.4g} {unit:14} {peer_name:22} {peer:12.4g}   x{ratio:<9.3g} {aim}",
              flush=True)

    def figure(self, what, value, unit):
        self.rows.append(dict(part=self.part, what=what, ours=value, unit=unit))
        print(f"  {what:42} {value:12.4g} {unit}", flush=True)


# ---- emulation speed ----

KERNELS = [  # name, repeats a lane (so that start-up does not count), what it is bound by
    ("hash", 40, "ALU"),
    ("power", 60, "ALU"),
    ("polynomial", 60, "FP"),
    ("triad", 400, "memory"),
    ("gather", 200, "memory"),
]
AIMS = {"hash": {4: 1.2, 8: 2, 32: 6}, "power": {4: 1.2, 8: 2, 32: 6}, "triad": {32: 2.5}, "gather": {32: 1.3}}


def compile_kernel(folder, name, repeat, vortex):
    out = os.path.join(folder, f"{name}.{'vortex' if vortex else 'qemu'}.elf")
    flags = ["-DVORTEX", "-Wl,-Ttext=0x80000000", "-Wl,-Tdata=0x80010000",
             "-Wl,-Tbss=0x80020000"] if vortex else []
    run([CC, "-march=rv32imaf_zicsr", "-mabi=ilp32f", "-mcmodel=medany", "-O2",
         "-ffp-contract=fast", "-ffreestanding", "-nostdlib", "-nostartfiles", f"-DKERNEL={name}",
         f"-DREPEAT={repeat}", *flags, os.path.join(HERE, "kernels", "start.S"),
         os.path.join(HERE, "kernels", "main.c"), "-o", out])
    return out


def compile_with_library(folder, name):
    """A kernel of bench/kernels/vortex.c, with the library of the examples."""
    out = os.path.join(folder, f"library-{name}")
    run(["make", "-s", "-C", os.path.join(HERE, "..", "examples", "vortex"), f"VPATH={os.path.join(HERE, 'kernels')}", f"OUT={out}",
         f"OPT=-O2 -g -DKERNEL={name}", f"{out}/vortex.rv32.elf"])
    return f"{out}/vortex.rv32.elf"


def instructions(program, threads):
    """Instructions issued by a program, counted by the emulator."""
    done = subprocess.run([WAVETRAP, "run", f"--gpu=vortex:warps=1,threads={threads}", "--hash",
                           program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    match = re.search(r"issue time (\d+)", done.stdout) or re.search(r"(\d+) issues", done.stdout)
    if not match:
        sys.exit(f"bench: no issue count in: {done.stdout}")
    return int(match.group(1))


def emulation(report, folder, count):
    report.title("Lane-instructions per second (CPU time), QEMU user mode on the same kernel as a "
                 "scalar loop")
    for name, repeat, bound in KERNELS:
        scalar = compile_kernel(folder, name, repeat * 16, False)
        scalar_work = instructions(scalar, 1)
        for lanes in (4, 8, 16, 32):
            ours = compile_kernel(folder, name, repeat * lanes, True)
            work = instructions(ours, lanes) * lanes
            gpu = f"--gpu=vortex:warps=1,threads={lanes}"
            a, b, ratio = pairs(lambda: work / timed([WAVETRAP, "run", gpu, ours])[0],
                                lambda: scalar_work / timed(["qemu-riscv32", scalar])[0], count)
            aim = AIMS.get(name, {}).get(lanes)
            report.row(f"{name} ({bound}-bound), {lanes} lanes", a, "qemu-riscv32", b, ratio,
                       "lane-insn/s", f"aim x{aim}" if aim else "")
        memory, peer = peak([WAVETRAP, "run", gpu, ours]), peak(["qemu-riscv32", scalar])
        report.row(f"{name}: peak memory at 32 lanes", memory, "qemu-riscv32", peer, memory / peer, "KiB")


# ---- the debug servers ----

# ---- time travel ----

def time_travel(report, folder):
    report.title("Time travel at 32 lanes, 4 warps: a recorded run beside an unrecorded one; going "
                 "back by one issue beside running one snapshot interval (CPU time)")
    for name, repeat, bound in KERNELS:
        program = compile_kernel(folder, name, repeat * 32, True)
        issues, off, on, back, interval, held, snapshots = map(
            float, run([TIMELINE, program, "warps=4,threads=32"]).split())
        report.row(f"{name} ({bound}-bound): {issues:.3g} issues recorded", on, "unrecorded", off,
                   on / off, "s", "aim x1.05 at most")
        report.row(f"{name}: one issue back", back, "forwards, one interval", interval,
                   back / interval, "ms", "aim below 50 ms")
        report.figure(f"{name}: memory per snapshot", held / snapshots / 1024, "KiB")


# ---- conditions of breakpoints ----

ASKED = """
    .equ count, 1500000
    .globl _start, loop, done, count
_start:
    li a0, -1
    .insn r 0x0b, 0, 0, x0, a0, x0
    li a3, count
loop:
    addi a2, a2, 1
    addi a3, a3, -1
    bnez a3, loop
done:
    .insn r 0x0b, 0, 0, x0, x0, x0
"""


# The same with a store in place of an addition.
ASKED_TO_WATCH = ASKED.replace("    addi a2, a2, 1\n", "    sw a3, 0(a4)\n").replace(
    "    li a3, count\n", "    li a3, count\n    la a4, cell\n") + ".bss\n.balign 4096\n.globl cell\ncell: .space 4096\n"


def conditions(report, folder):
    report.title("A breakpoint in a loop of three instructions whose condition never holds, with a "
                 "recording (CPU time)")
    false_conditions(report, folder, "asked", ASKED, "no breakpoint", "aim 0.1 s")
    report.title("A watchpoint of memory that such a loop writes: the condition never holds")
    false_conditions(report, folder, "watched", ASKED_TO_WATCH, "no watchpoint", "")


def false_conditions(report, folder, name, text, peer, aim):
    for bits, abi in ((32, "ilp32"), (64, "lp64")):
        source, program = (os.path.join(folder, f"{name}{bits}.{end}") for end in ("S", "elf"))
        with open(source, "w") as f:
            f.write(text)
        run([CC, f"-march=rv{bits}ima_zicsr", f"-mabi={abi}", "-nostdlib",
             "-Wl,-Ttext=0x80000000", source, "-o", program])
        for lanes in (8, 32):
            count, plain, asked, back, logged = map(float, run(
                [CONDITIONS, program, f"vortex:warps=4,threads={lanes},xlen={bits}"]).split())
            report.row(f"RV{bits}, {lanes} lanes: {count:.3g} evaluations", asked, peer,
                       plain, asked / plain, "s", aim if lanes == 8 else "")
            report.figure(f"RV{bits}, {lanes} lanes: the slowest reverse-stepi after them", back,
                          "ms")
            report.figure(f"RV{bits}, {lanes} lanes: logged for each evaluation", logged, "bytes")


# ---- watchpoints ----

WATCHED = """
    .globl _start, page, cold
_start:
    li t0, MASK
    .insn r 0x0b, 0, 0, x0, t0, x0
    csrr t1, 0xcc0
    slli t1, t1, 2
    la a0, page
    add a0, a0, t1
spin:
    addi t2, t2, 1
    sw t2, 0(a0)
    xor t3, t3, t2
    lw t4, 0(a0)
    add t5, t5, t4
    j spin
    .section .bss
    .balign 4096
page: .space 4096
cold: .space 4096
"""


def watched_program(folder, name, mask):
    """A loop that stores to a page, and loads from it."""
    source, program = os.path.join(folder, f"{name}.S"), os.path.join(folder, f"{name}.elf")
    text = WATCHED.replace("MASK", str(mask))
    if not mask:  # for a machine without lanes
        text = re.sub(r"    li.*\n    .insn.*\n    csrr.*\n", "", text)
    with open(source, "w") as f:
        f.write(text)
    run([CC, "-march=rv32ima_zicsr", "-mabi=ilp32", "-nostdlib", "-Wl,-Ttext=0x80000000",
         "-Wl,-Tbss=0x80100000", source, "-o", program])
    return program


def watchpoints(report, folder, count, seconds):
    nm = "riscv64-unknown-elf-nm"
    report.title("Watchpoints: a loop of six instructions that stores to a page and loads from it, "
                 "with one and without (CPU time)")
    for lanes in (4, 8, 32):
        program = watched_program(folder, f"watched{lanes}", -1)
        page = int(symbol(program, "page", nm), 16)
        plain, cold, hot, empty, compared, calls, stops = map(float, run(
            [WATCH, program, f"warps=1,threads={lanes}", "20000000", symbol(program, "cold", nm),
             hex(page + 4092), hex(page), symbol(program, "spin", nm)]).split())
        report.row(f"{lanes} lanes: on a page never touched", cold, "without", plain, cold / plain,
                   "s", "aim x1.00")
        report.row(f"{lanes} lanes: on the page that it uses", hot, "without", plain, hot / plain,
                   "s")
        report.figure(f"{lanes} lanes: stops of the emulator", stops, "1/s")
        report.figure(f"{lanes} lanes: a condition that does not hold", (empty - plain) / calls * 1e9,
                      "ns")
        report.figure(f"{lanes} lanes: one that compares a register of all lanes",
                      (compared - plain) / calls * 1e9, "ns")
    report.title("Stops for a watchpoint that is met all the time (c), over loopback")
    source, native = os.path.join(folder, "watched.c"), os.path.join(folder, "watched.native")
    with open(source, "w") as f:
        f.write(NATIVE)
    run(["gcc", "-O1", "-g", "-no-pie", source, "-o", native])
    bare = watched_program(folder, "watched", 0)
    ours = [WAVETRAP, "serve", "--rsp=127.0.0.1:PORT", "--once", "--gpu=vortex:warps=1,threads=4",
            bare]
    qemu = ["qemu-system-riscv32", "-M", "virt", "-nographic", "-bios", "none", "-kernel", bare,
            "-S", "-gdb", "tcp:127.0.0.1:PORT"]
    gdbserver = ["gdbserver", "--once", "127.0.0.1:PORT", native]
    for peer, command, where in (("qemu gdbstub", qemu, symbol(bare, "page", nm)),
                                 ("gdbserver", gdbserver, symbol(native, "counter", "nm"))):
        a, b, ratio = pairs(lambda: measure(ours, "watch", seconds, symbol(bare, "page", nm)),
                            lambda: measure(command, "watch", seconds, where), count)
        report.row("watchpoint stops", a, peer, b, ratio, "1/s")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


LOOP = """
    .globl _start, spin
_start:
    la a0, buffer
    j spin
    .balign 16
spin:
    addi t0, t0, 1
    addi t1, t1, 1
    addi t2, t2, 1
    addi t3, t3, 1
    j spin
    .section .bss
    .balign 4096
    .globl buffer
buffer: .space 1048576
"""

NATIVE = """
static volatile long counter; char buffer[1 << 20];
__attribute__((noinline)) void spin_once(void) { counter++; }
int main(void) { for (;;) spin_once(); }
"""


def symbol(program, name, nm):
    for line in run([nm, program]).splitlines():
        value, _, found = line.split()[0], line.split()[1], line.split()[-1]
        if found == name:
            return "0x" + value
    sys.exit(f"bench: no symbol {name} in {program}")


class Server:
    """A debug server on a free port, ended with the block."""

    def __init__(self, command, name=None):
        self.port = free_port()
        self.name = name or os.path.basename(command[0])
        self.process = subprocess.Popen([c.replace("PORT", str(self.port)) for c in command],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        stdin=subprocess.DEVNULL)
        self.stop = threading.Event()
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def watch(self):
        """Keeps the peak of the server's memory, as long as it lives."""
        while not self.stop.wait(0.02):
            Server.peak[self.name] = max(Server.peak.get(self.name, 0),
                                         high_water(self.process.pid))

    def __enter__(self):
        return f"127.0.0.1:{self.port}"

    def __exit__(self, *_):
        self.stop.set()
        self.process.kill()
        self.process.wait()
        self.watcher.join()

    peak = {}  # KiB, of each kind of server so far


def measure(server, what, seconds, addr):
    with Server(server) as where:
        return float(run([CLIENT, where, what, str(seconds), addr]))


def servers(report, folder, count, seconds):
    source = os.path.join(folder, "loop.S")
    with open(source, "w") as f:
        f.write(LOOP)
    bare = os.path.join(folder, "loop.elf")
    run([CC, "-march=rv32ima", "-mabi=ilp32", "-nostdlib", "-Wl,-Ttext=0x80000000",
         "-Wl,-Tbss=0x80100000", source, "-o", bare])
    native_source = os.path.join(folder, "native.c")
    with open(native_source, "w") as f:
        f.write(NATIVE)
    native = os.path.join(folder, "native")
    run(["gcc", "-O1", "-g", "-no-pie", native_source, "-o", native])

    ours = [WAVETRAP, "serve", "--rsp=127.0.0.1:PORT", "--once", "--gpu=vortex:warps=1,threads=4",
            bare]
    qemu = ["qemu-system-riscv32", "-M", "virt", "-nographic", "-bios", "none", "-kernel", bare,
            "-S", "-gdb", "tcp:127.0.0.1:PORT"]
    gdbserver = ["gdbserver", "--once", "127.0.0.1:PORT", native]
    nm = "riscv64-unknown-elf-nm"
    where = {"step": ("0", "0"), "read": (symbol(bare, "buffer", nm), symbol(native, "buffer", "nm")),
             "break": (symbol(bare, "spin", nm), symbol(native, "spin_once", "nm"))}
    where["write"] = where["read"]
    names = {"step": "single steps", "read": "memory read", "write": "memory written",
             "break": "breakpoint stops (z, s, Z, c)"}
    units = {"step": "1/s", "read": "B/s", "write": "B/s", "break": "1/s"}
    report.title("Remote protocol, a C client over loopback TCP, the best that each offers (one "
                 "processor for both)")
    # Otherwise the time that a processor takes to be woken is most of what is measured.
    all_processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(all_processors)})
    peers = [p for p in (("qemu gdbstub", qemu, 0), ("gdbserver", gdbserver, 1)) if shutil.which(p[1][0])]
    for command in {qemu[0], gdbserver[0]} - {command[0] for _, command, _ in peers}:
        print(f"  {command} is not installed: no figures of it")
    if not peers:
        return
    for what, text in names.items():
        for peer, command, at in peers:
            a, b, ratio = pairs(lambda: measure(ours, what, seconds, where[what][0]),
                                lambda: measure(command, what, seconds, where[what][at]), count)
            report.row(text, a, peer, b, ratio, units[what], "aim x5 of the better")
    os.sched_setaffinity(0, all_processors)
    ours_peak = Server.peak["wavetrap"]
    for peer in (command[0] for _, command, _ in peers):
        report.row("peak memory of the server", ours_peak, peer, Server.peak[peer],
                   ours_peak / Server.peak[peer], "KiB")


# ---- the register bus over a wire ----

def over_the_wire(report, folder, count, seconds):
    """A debugger's accesses of a device elsewhere, in batches and one after another."""
    source, program = os.path.join(folder, "wire.S"), os.path.join(folder, "wire.elf")
    with open(source, "w") as f:
        f.write(LOOP)
    run([CC, "-march=rv32ima", "-mabi=ilp32", "-nostdlib", "-Wl,-Ttext=0x80000000",
         "-Wl,-Tbss=0x80100000", source, "-o", program])
    report.title("Debug registers over loopback, one warp of 32 lanes: batched, and one request and "
                 "its reply after another")
    for option, scheme in (("--dm", "tcp"), ("--jtag", "remote_bitbang")):
        port = free_port()
        server = subprocess.Popen([WAVETRAP, "serve", f"{option}={port}", "-g",
                                   "vortex:warps=1,threads=32", program],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        server.stderr.readline()  # it says where it listens
        for what, text, unit in (("read", "memory read", "B/s"), ("write", "memory written", "B/s"),
                                 ("registers", "registers of 32 lanes", "1/s")):
            trips = {}

            def rate(mode):
                speed, trips[mode] = map(float, run([WIRE, f"{scheme}:127.0.0.1:{port}", mode, what,
                                                     str(seconds)]).split())
                return speed
            a, b, ratio = pairs(lambda: rate("batched"), lambda: rate("single"), count)
            report.row(f"{option[2:]}: {text}", a, "one after another", b, ratio, unit, "aim x20")
            report.row(f"{option[2:]}: {text}, round trips", trips["batched"], "one after another",
                       trips["single"], trips["batched"] / trips["single"], "of an operation")
        server.terminate()
        server.communicate()


# ---- through stock GDB ----

CONDITION = """
import gdb, time
gdb.execute("set pagination off"); gdb.execute("set confirm off")
gdb.execute("set breakpoint condition-evaluation MODE")
gdb.execute("target remote WHERE")
gdb.execute("break *BREAK if $t0 == LAST")
begin = time.time()
gdb.execute("continue")
print("evaluations", LAST / (time.time() - begin))
gdb.execute("kill")
"""

THREADS = """
import gdb, time
gdb.execute("set pagination off"); gdb.execute("set confirm off")
gdb.execute("target remote WHERE")
gdb.execute("break *spin if $t0 == 500"); gdb.execute("continue")
def cost(command, n):
    begin = time.time()
    for _ in range(n): gdb.execute(command, to_string=True)
    return (time.time() - begin) / n * 1e3
print("threads", len(gdb.selected_inferior().threads()))
print("info", cost("info threads", 3))
print("stop", cost("stepi", 20))
gdb.execute("kill")
"""

WARPS = """
    .globl _start, spin
_start:
    csrr t0, 0xfc1
    la t1, spawned
    .insn r 0x0b, 1, 0, x0, t0, t1
spawned:
    li t0, -1
    .insn r 0x0b, 0, 0, x0, t0, x0
    li t0, 0
spin:
    addi t0, t0, 1
    j spin
"""


def gdb_script(folder, server, program, script, **values):
    with Server(server, server[4]) as where:
        text = script.replace("WHERE", where)
        for key, value in values.items():
            text = text.replace(key, str(value))
        path = os.path.join(folder, "script.py")
        with open(path, "w") as f:
            f.write(text)
        out = run([GDB, "-nx", "-batch", "-x", path, program], timeout=300)
    return {m.group(1): float(m.group(2)) for m in re.finditer(r"^(\w+) ([\d.e+-]+)$", out, re.M)}


def through_gdb(report, folder, count):
    source = os.path.join(folder, "warps.S")
    with open(source, "w") as f:
        f.write(WARPS)
    program = os.path.join(folder, "warps.elf")
    run([CC, "-g", "-march=rv32ima_zicsr", "-mabi=ilp32", "-nostdlib", "-Wl,-Ttext=0x80000000",
         source, "-o", program])
    spin = symbol(program, "spin", "riscv64-unknown-elf-nm")

    def server(shape):
        return [WAVETRAP, "serve", "--rsp=127.0.0.1:PORT", "--once", f"--gpu=vortex:{shape}",
                program]

    report.title("Breakpoint conditions: evaluated beside the device, and by GDB")

    def evaluations(mode, last, lanes):
        return gdb_script(folder, server(f"warps=1,threads={lanes}"), program, CONDITION,
                          MODE=mode, BREAK=spin, LAST=last)["evaluations"] * (
                              lanes if mode == "target" else 1)

    for lanes in (1, 32):
        a, b, ratio = pairs(lambda: evaluations("target", 20000, lanes),
                            lambda: evaluations("host", 500, lanes), count)
        report.row(f"condition, {lanes} lane{'s' if lanes > 1 else ''}", a, "GDB", b, ratio,
                   "lane evals/s", "aim x1000")

    report.title("Stock GDB with many threads (milliseconds a command)")
    for shape, text in (("warps=16,threads=4", "64 lanes"), ("warps=32,threads=32", "1,024 lanes"),
                        ("cores=4,warps=256,threads=4", "1,024 warps")):
        got = [gdb_script(folder, server(shape), program, THREADS) for _ in range(count)]
        report.figure(f"{text}: threads listed", got[0]["threads"], "threads")
        report.figure(f"{text}: info threads", statistics.median(g["info"] for g in got), "ms")
        report.figure(f"{text}: stepi and its stop", statistics.median(g["stop"] for g in got), "ms")
        report.figure(f"{text}: peak memory of the server", Server.peak[f"--gpu=vortex:{shape}"],
                      "KiB")


def parts(report, folder, options):
    """What --only names, in its order."""
    count, seconds = options.pairs, options.seconds

    def observed():
        vortex = [(name, compile_kernel(folder, name, repeat, True)) for name, repeat in (("hash", 400), ("triad", 4000), ("gather", 2000))]
        vortex += [(name, compile_with_library(folder, name)) for name in ("collatz", "tiles", "scratch")]
        observation(report, folder, BUILD, pairs, run, count, vortex)

    def interrupted():
        interrupts(report, folder)
        last_lines(report, folder, run, pairs, count)
    return {
        "emulation": lambda: emulation(report, folder, count),
        "time": lambda: time_travel(report, folder),
        "conditions": lambda: conditions(report, folder),
        "reverse": lambda: reverse(report, folder, WAVETRAP, compile_kernel, run, HERE, count),
        "watch": lambda: watchpoints(report, folder, count, seconds),
        "servers": lambda: servers(report, folder, count, seconds),
        "wire": lambda: over_the_wire(report, folder, count, seconds),
        "gdb": lambda: through_gdb(report, folder, count),
        "console": lambda: console(report, folder, WAVETRAP, pairs, timed, run, count),
        "interrupts": interrupted,
        "gcn": lambda: gcn(report, folder, WAVETRAP, pairs, timed, peak_memory, run, count),
        "gen": lambda: gen(report, folder, WAVETRAP, pairs, timed, run, count),
        "cuda": lambda: cuda(report, folder, WAVETRAP, pairs, timed, run, count),
        "real": lambda: real(report, folder, WAVETRAP, run, pairs, count),
        "matrices": lambda: matrices(report, folder, WAVETRAP, run, pairs, count),
        "gcn_debug": lambda: gcn_debug(report, folder, WAVETRAP, GCN_DEBUG, pairs, timed, run, count, seconds),
        "hip": lambda: hip(report, folder, WAVETRAP, run, count),
        "live": lambda: live(report, folder, WAVETRAP, run, count),
        "recording": lambda: recording(report, folder, WAVETRAP, pairs, run, count),
        "instructions": lambda: gcn_instructions(report, folder, WAVETRAP, count),
        "observe": observed,
        "oclgrind": lambda: oclgrind(report, WAVETRAP, pairs, count),
        "view": lambda: view(report, folder, WAVETRAP, run, count),
        "dap": lambda: dap(report, folder, WAVETRAP, run, count),
        "vortex": lambda: host_programs(report, folder, WAVETRAP, run, count),
        "explore": lambda: explore(report, folder, WAVETRAP, pairs, count),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5, help="pairs of runs of each figure")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a protocol run")
    parser.add_argument("--only", choices=list(parts(None, None, argparse.Namespace(pairs=0, seconds=0))))
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    report = Report()
    folder = tempfile.mkdtemp(prefix="wavetrap-bench-")
    begin = time.time()
    try:
        for name, measure in parts(report, folder, options).items():
            if options.only not in (None, name):
                continue
            try:
                measure()
            except FileNotFoundError as missing:
                print(f"\n{name}: {missing.filename} is not installed (`scripts/need.sh bench` does that); the rest of this part is left out", flush=True)
    finally:
        shutil.rmtree(folder)
    print(f"\n{len(report.rows)} figures in {time.time() - begin:.0f} s; medians of "
          f"{options.pairs} pairs")
    if options.json:
        with open(options.json, "w") as f:
            json.dump(report.rows, f, indent=1)


if __name__ == "__main__":
    main()
