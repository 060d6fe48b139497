"""Makes, builds and runs the programs that execute cases; compares what they leave in memory.

One source serves QEMU and Vortex. On Vortex the lanes under test are chosen by a TMC before the
instruction and a TMC after it, which for QEMU are nops: both programs have the same addresses.
With N lanes, lane L takes rows L, L + N, ... of the operand table. All write to `out`: first the
results of every row of every case, then its flags, then the memory that it shows.
"""
import pathlib
import subprocess
from dataclasses import dataclass

from cases import SENTINEL, lines
from operands import all_tables

CROSS = "riscv64-unknown-elf-"
OUT = 0x81000000
MAX_LANES = 128


@dataclass
class Layout:
    """Where a case's results are in `out`."""

    values: int
    flags: int
    memory: int
    rows: int


def plan(cases, tables):
    """The layout of each case and the size of `out`."""
    layouts, offset = [], 0
    for case in cases:
        rows = len(tables[case.table])
        layout = Layout(offset, 0, 0, rows)
        offset += 8 * rows * (MAX_LANES if case.uniform else 1)
        layouts.append(layout)
    for case, layout in zip(cases, layouts):
        layout.flags = offset
        offset += layout.rows
    offset = (offset + 15) & ~15
    for case, layout in zip(cases, layouts):
        if case.memory:
            layout.memory = offset
            offset += 16 * layout.rows
    return layouts, offset


TMC = ".insn r 0x0b, 0, 0, x0, {}, x0"
NOP = ".option push; .option norvc; nop; .option pop"


def body(cases, layouts, xlen, vortex):
    """The instructions of all cases."""
    load, store = ("ld", "sd") if xlen == 64 else ("lw", "sw")
    out = []
    for n, (case, layout) in enumerate(zip(cases, layouts)):
        each = not case.uniform
        code = [f"case_{n}:", f"li x16, {case.frm << 5}", "csrw fcsr, x16", f"la x19, table_{case.table}",
                f"li x22, {layout.rows}", f"la x18, out + {layout.values}", "slli x16, x17, 3", "add x18, x18, x16",
                f"la x26, out + {layout.flags}"]
        if each:
            code += ["add x19, x19, x29", "srl x22, x22, x30", "add x26, x26, x17"]
        if case.memory:
            code += [f"la x27, out + {layout.memory}", "slli x16, x17, 4", "add x27, x27, x16"]
        code.append(f"loop_{n}:")
        for i, kind in enumerate(case.sources):
            code.append(f"{load} x{5 + i}, {8 * i}(x19)" if kind == "x" else f"fld f{1 + i}, {8 * i}(x19)")
        if case.memory:
            code += ["fld f4, 0(x19)", "fsd f4, 0(x27)", "fld f4, 8(x19)", "fsd f4, 8(x27)"]
        code.append("mv x10, x28" if case.result == "x" else "fsgnj.d f10, f31, f31")
        if case.uniform:
            code += ["xor x5, x5, x25", "xor x6, x6, x25"]
        code += lines(case.before)
        if not case.keeps_flags:
            code.append("csrw fflags, x0")
        code.append(TMC.format("x23") if vortex else NOP)
        code += [f"test_{n}:"] + lines(case.body) + [f"tested_{n}:"]
        code.append(TMC.format("x24") if vortex else NOP)
        code += ["csrr x16, " + ("fcsr" if case.keeps_flags else "fflags"), "sb x16, 0(x26)"]
        code += lines(case.after)
        code.append(f"{store} x10, 0(x18)" if case.result == "x" else "fsd f10, 0(x18)")
        code += ["slli x16, x21, 3", "add x18, x18, x16"]
        code += ["add x19, x19, x20", "add x26, x26, x21"] if each else ["addi x19, x19, 24", "addi x26, x26, 1"]
        if case.memory:
            code += ["slli x16, x21, 4", "add x27, x27, x16"]
        code += ["addi x22, x22, -1", f"beqz x22, end_{n}", f"j loop_{n}", f"end_{n}:"]
        out += code
    return out


SETUP = """
    li x24, -1
    slli x29, x17, 4
    slli x16, x17, 3
    add x29, x29, x16
    slli x20, x21, 4
    slli x16, x21, 3
    add x20, x20, x16
    la x16, sentinel
    fld f31, 0(x16)
    {load} x28, 0(x16)
    li x30, 0
    mv x16, x21
1:  srli x16, x16, 1
    beqz x16, 2f
    addi x30, x30, 1
    j 1b
2:  j body
"""

VORTEX_START = """
_start:
    li x24, -1
    .insn r 0x0b, 0, 0, x0, x24, x0
    csrr x21, 0xfc0
    csrr x17, 0xcc0
    csrr x23, 0x340
    bnez x23, 1f
    li x23, -1
1:  srl x16, x23, x17
    andi x16, x16, 1
    addi x25, x16, -1
""" + SETUP + """
done:
    sw x0, 0x88(x0)
    .insn r 0x0b, 0, 0, x0, x0, x0
"""

# Linux: write(1, out, size) until all is written, then exit(0).
QEMU_START = """
_start:
    li x21, 1
    li x17, 0
    li x23, 1
    li x25, 0
""" + SETUP + """
done:
    la x18, out
    li x19, {size}
1:  li x10, 1
    mv x11, x18
    mv x12, x19
    li x17, 64
    ecall
    blez x10, 2f
    add x18, x18, x10
    sub x19, x19, x10
    bnez x19, 1b
    li x10, 0
    j 3f
2:  li x10, 1
3:  li x17, 93
    ecall
"""


def source(cases, layouts, size, tables, xlen, vortex):
    """The whole program as assembly text."""
    compressed = any(case.name.startswith("c.") for case in cases)
    text = [".option norelax", ".option rvc" if compressed else ".option norvc", ".text", ".globl _start", "body:"]
    text += body(cases, layouts, xlen, vortex)
    text += ["j done"]
    start = VORTEX_START if vortex else QEMU_START
    text.append(start.format(load="ld" if xlen == 64 else "lw", size=size))
    text += [".data", ".balign 16", "sentinel:", f".dword {SENTINEL:#x}"]
    for name in sorted({case.table for case in cases}):
        text += [".balign 16", f"table_{name}:"]
        text += [f".dword {a:#x}, {b:#x}, {c:#x}" for a, b, c in tables[name]]
    text += ['.section .out, "aw", @nobits', ".balign 16", "out:", f".space {size}"]
    return "\n".join(text) + "\n"


def assemble(path, text, xlen):
    """Builds an ELF at 0x80000000 from assembly text."""
    path = pathlib.Path(path)
    asm = path.with_suffix(".s")
    asm.write_text(text)
    abi = "ilp32d" if xlen == 32 else "lp64d"
    subprocess.run(
        [CROSS + "gcc", f"-march=rv{xlen}imafdc_zicsr_zifencei", f"-mabi={abi}", "-nostdlib", "-nostartfiles",
         "-static", "-Wl,-Ttext=0x80000000", "-Wl,--section-start=.data=0x80800000",
         f"-Wl,--section-start=.out={OUT:#x}", "-Wl,--no-warn-rwx-segments", "-Wl,--no-relax", "-o", str(path),
         str(asm)], check=True)
    return str(path)


class Program:
    """The cases of one group, built for both sides, with what QEMU says."""

    def __init__(self, directory, name, cases, xlen, tables=None):
        self.name, self.cases, self.xlen = name, cases, xlen
        self.tables = tables or all_tables(xlen)
        self.layouts, self.size = plan(cases, self.tables)
        self.directory = pathlib.Path(directory)
        stem = f"{name}{xlen}"
        arguments = (cases, self.layouts, self.size, self.tables, xlen)
        self.elf = assemble(self.directory / f"{stem}.vortex", source(*arguments, True), xlen)
        self.expected = None
        if all(case.formula is None for case in cases):
            elf = assemble(self.directory / f"{stem}.qemu", source(*arguments, False), xlen)
            run = subprocess.run([f"qemu-riscv{xlen}", elf], stdout=subprocess.PIPE, check=True, timeout=120)
            assert len(run.stdout) == self.size
            self.expected = run.stdout
        else:
            self.expected = self.formulas()

    def formulas(self):
        """`out` as the cases' formulas say."""
        out = bytearray(self.size)
        for case, layout in zip(self.cases, self.layouts):
            values = memoryview(out)[layout.values:layout.values + 8 * layout.rows].cast("Q")
            for n, row in enumerate(self.tables[case.table]):
                values[n] = case.formula(*row)
        return bytes(out)

    def run(self, wavetrap, lanes, mask, options=""):
        """`out` after a run on a warp of that many lanes; mask 0 enables all of them."""
        dump = self.directory / f"{self.name}{self.xlen}.{lanes}.{mask:x}.out"
        run = subprocess.run(
            [wavetrap, "run", f"--gpu=vortex:warps=1,threads={lanes},xlen={self.xlen}{options}", f"--arg={mask}",
             f"--dump={dump}@{OUT:#x}:{self.size}", self.elf], stderr=subprocess.PIPE, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
        data = dump.read_bytes()
        dump.unlink()
        assert len(data) == self.size
        return data

    def differences(self, got, lanes, mask):
        """Every place where `got` is not what QEMU's results make of these lanes, as text."""
        width = (1 << self.xlen) - 1
        on = [mask == 0 or mask >> lane & 1 == 1 for lane in range(lanes)]
        off_lanes = not all(on)
        found = []

        def numbers(data, offset, count, form="Q"):
            size = {"Q": 8, "B": 1}[form]
            return memoryview(data)[offset:offset + size * count].cast(form).tolist()

        for case, layout in zip(self.cases, self.layouts):
            table, rows = self.tables[case.table], layout.rows
            want = numbers(self.expected, layout.values, rows)
            off = SENTINEL & (width if case.result == "x" else (1 << 64) - 1)

            def kept(row, case=case, layout=layout, table=table, off=off):
                if case.kept == "address":
                    return OUT + layout.memory + 16 * row
                if case.kept is None:
                    return off
                return case.kept(*table[row]) & (width if case.result == "x" else (1 << 64) - 1)

            if case.uniform:
                expected = []
                for row in range(rows):
                    if off_lanes:
                        left = kept(row)
                        expected += [want[row] if lane_on else left for lane_on in on]
                    else:
                        expected += [want[row]] * lanes
                have = numbers(got, layout.values, rows * lanes)
            else:
                expected = [want[row] if on[row % lanes] else kept(row) for row in range(rows)] if off_lanes else want
                have = numbers(got, layout.values, rows)
            if have != expected:
                for place, (g, w) in enumerate(zip(have, expected)):
                    if g != w:
                        row, lane = divmod(place, lanes) if case.uniform else (place, place % lanes)
                        found.append(self.describe(case, row, lane, "result", g, w))
            want_flags = numbers(self.expected, layout.flags, rows, "B")
            have_flags = numbers(got, layout.flags, rows, "B")
            if not case.uniform and lanes > 1:
                # fflags are of the warp: the union over the lanes that were on.
                for first in range(0, rows, lanes):
                    union = 0
                    for lane in range(lanes):
                        if on[lane]:
                            union |= want_flags[first + lane]
                    want_flags[first:first + lanes] = [union] * lanes
            if have_flags != want_flags:
                for row, (g, w) in enumerate(zip(have_flags, want_flags)):
                    if g != w:
                        found.append(self.describe(case, row, row % lanes, "flags", g, w))
            if case.memory:
                want_memory = numbers(self.expected, layout.memory, 2 * rows)
                for row in range(rows):
                    if not on[row % lanes]:
                        want_memory[2 * row:2 * row + 2] = table[row][:2]
                have_memory = numbers(got, layout.memory, 2 * rows)
                for place, (g, w) in enumerate(zip(have_memory, want_memory)):
                    if g != w:
                        found.append(self.describe(case, place // 2, place // 2 % lanes, f"memory+{8 * (place % 2)}", g, w))
        return found

    def describe(self, case, row, lane, what, got, want):
        """One difference as a line."""
        a, b, c = self.tables[case.table][row]
        return (f"rv{self.xlen} {case.name} [{case.body}] row {row} lane {lane}: a={a:#x} b={b:#x} c={c:#x}: "
                f"{what} {got:#x}, expected {want:#x}")
