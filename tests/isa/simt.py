"""Small assembly programs for SIMT tests, and what they leave in memory.

Programs use the macros below. `put n, reg` stores reg of each enabled lane in slot n of its warp;
`putone n, reg` stores one value for the warp. Slots are zero until they are written. x28 to x31
belong to these macros.
"""
import struct
import subprocess

from program import assemble

OUT = 0x81000000
SLOTS = 64  # of a warp
LANES = 128  # a slot has room for

MACROS = """
.option norelax
.option norvc
.macro tmc rs
    .insn r 0x0b, 0, 0, x0, \\rs, x0
.endm
.macro wspawn rs1, rs2
    .insn r 0x0b, 1, 0, x0, \\rs1, \\rs2
.endm
.macro split rd, rs
    .insn r 0x0b, 2, 0, \\rd, \\rs, x0
.endm
.macro splitn rd, rs
    .insn r 0x0b, 2, 0, \\rd, \\rs, x1
.endm
.macro join rs
    .insn r 0x0b, 3, 0, x0, \\rs, x0
.endm
.macro bar rs1, rs2
    .insn r 0x0b, 4, 0, x0, \\rs1, \\rs2
.endm
.macro pred rs1, rs2
    .insn r 0x0b, 5, 0, x0, \\rs1, \\rs2
.endm
.macro predn rs1, rs2
    .insn r 0x0b, 5, 0, x1, \\rs1, \\rs2
.endm
.macro wsync
    .insn r 0x0b, 7, 0, x0, x0, x0
.endm
.macro vote kind, rd, rs
    .insn r 0x0b, \\kind, 1, \\rd, \\rs, x0
.endm
.macro shfl kind, rd, rs1, rs2
    .insn r 0x0b, \\kind, 1, \\rd, \\rs1, \\rs2
.endm
# x31 = the slot n of this warp; x30 = its number among all warps
.macro slot n
    csrr x30, 0xcc2
    csrr x31, 0xfc1
    mul x30, x30, x31
    csrr x31, 0xcc1
    add x30, x30, x31
    li x31, {slot_bytes}
    mul x30, x30, x31
    la x31, out
    add x31, x31, x30
    li x30, (\\n) * {lanes} * 8
    add x31, x31, x30
.endm
.macro put n, reg
    slot \\n
    csrr x30, 0xcc0
    slli x30, x30, 3
    add x31, x31, x30
    {store} \\reg, 0(x31)
.endm
.macro putone n, reg
    slot \\n
    {store} \\reg, 0(x31)
.endm
# All lanes on.
.macro all
    li x31, -1
    tmc x31
.endm
.macro exit code
    li x31, \\code
    sw x31, 0x88(x0)
    tmc x0
.endm
.text
.globl _start
"""

TAIL = """
.section .out, "aw", @nobits
.balign 16
out: .space {size}
"""


class Result:
    """What a program left: its status, messages, console, and slots."""

    def __init__(self, status, stdout, stderr, memory, xlen):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.words = struct.unpack(f"<{len(memory) // 8}Q", memory)
        self.xlen = xlen

    def lane(self, n, lane, warp=0):
        """Slot n of one lane; `warp` counts over all cores."""
        return self.words[(warp * SLOTS + n) * LANES + lane]

    def slot(self, n, lanes, warp=0):
        """Slot n of the first lanes."""
        start = (warp * SLOTS + n) * LANES
        return list(self.words[start:start + lanes])


class Machine:
    """Builds and runs programs in one directory."""

    def __init__(self, wavetrap, directory):
        self.wavetrap, self.directory, self.count = wavetrap, directory, 0

    def run(self, text, xlen=32, shape="", options=(), warps=1, symbols=""):
        """Runs `_start: text` on a Vortex of that shape (keys of --gpu). `warps`: of all cores."""
        self.count += 1
        size = warps * SLOTS * LANES * 8
        macros = MACROS.replace("{slot_bytes}", str(SLOTS * LANES * 8)).replace("{lanes}", str(LANES))
        macros = macros.replace("{store}", "sd" if xlen == 64 else "sw")
        source = macros + "_start:\n" + text + symbols + TAIL.replace("{size}", str(size))
        elf = assemble(self.directory / f"t{self.count}.elf", source, xlen)
        dump = self.directory / f"t{self.count}.out"
        gpu = f"vortex:xlen={xlen}" + ("," + shape if shape else "")
        arguments = [f"--gpu={gpu}", *options, elf]
        run = subprocess.run([self.wavetrap, "run", f"--dump={dump}@{OUT:#x}:{size}", *arguments],
                             capture_output=True, text=True, timeout=60, check=False)
        self.ran(arguments)
        memory = dump.read_bytes() if dump.exists() else bytes(size)
        return Result(run.returncode, run.stdout, run.stderr, memory, xlen)

    def ran(self, arguments):
        """A program has run with these arguments."""


ILLEGAL, DIVERGENCE, STACK, MISALIGNED, ACCESS, DEADLOCK = 116, 117, 118, 119, 120, 121
