"""Long random programs over all registers, against QEMU: what one instruction leaves, the next uses.

Every lane begins with other registers. QEMU runs the block once for each lane; Vortex runs it once
for all lanes of a warp, all on or some off.
"""
import random
import subprocess

import pytest

from operands import DOUBLE, SINGLE
from program import assemble

LANES = 8
LENGTH = 1500
BASE = 0x81000000
# Of a lane: x1..x29 and f0..f31 before and after, flags, memory. x30 and x31 are not the block's.
BEFORE, AFTER, FLAGS, MEMORY, SIZE = 0, 512, 1024, 1088, 1088 + 256
REGISTERS = list(range(1, 30))

INTEGER = ["add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and", "mul", "mulh", "mulhsu", "mulhu", "div",
           "divu", "rem", "remu"]
WORD = ["addw", "subw", "sllw", "srlw", "sraw", "mulw", "divw", "divuw", "remw", "remuw"]
IMMEDIATE = ["addi", "slti", "sltiu", "xori", "ori", "andi"]
ROUNDINGS = ["rne", "rtz", "rdn", "rup", "rmm", "dyn"]


def block(rng, xlen):
    """Random instructions without jumps; memory is that at x31, atomics by way of x29."""
    loads = [("lb", 1), ("lbu", 1), ("lh", 2), ("lhu", 2), ("lw", 4)]
    stores = [("sb", 1), ("sh", 2), ("sw", 4)]
    integers = INTEGER + (WORD * 2 if xlen == 64 else [])
    conversions = ["w", "wu"] + (["l", "lu"] if xlen == 64 else [])
    if xlen == 64:
        loads += [("lwu", 4), ("ld", 8)]
        stores += [("sd", 8)]

    def x(zero=True):
        return f"x{rng.choice(REGISTERS + ([0] if zero else []))}"

    def f():
        return f"f{rng.randrange(32)}"

    def place(size):
        return f"{MEMORY + size * rng.randrange(256 // size)}(x31)"

    out = []
    while len(out) < LENGTH:
        kind = rng.randrange(16)
        s = rng.choice("sd")
        mode = rng.choice(ROUNDINGS)
        if kind < 4:
            out.append(f"{rng.choice(integers)} {x()}, {x()}, {x()}")
        elif kind < 6:
            op = rng.choice(IMMEDIATE + (["addiw"] if xlen == 64 else []))
            out.append(f"{op} {x()}, {x()}, {rng.randrange(-2048, 2048)}")
        elif kind == 6:
            op = rng.choice(["slli", "srli", "srai"])
            out.append(f"{op} {x()}, {x()}, {rng.randrange(xlen)}")
        elif kind == 7:
            out.append(f"{rng.choice(['lui', 'auipc'])} {x()}, {rng.randrange(1 << 20):#x}")
        elif kind == 8:
            op, size = rng.choice(loads)
            out.append(f"{op} {x()}, {place(size)}")
        elif kind == 9:
            op, size = rng.choice(stores)
            out.append(f"{op} {x()}, {place(size)}")
        elif kind == 10:
            name = rng.choice(["swap", "add", "xor", "and", "or", "min", "max", "minu", "maxu"])
            width, size = ("d", 8) if xlen == 64 and rng.randrange(2) else ("w", 4)
            out.append(f"addi x29, x31, {MEMORY + size * rng.randrange(256 // size)}")
            out.append(f"amo{name}.{width} x{rng.choice(REGISTERS[:-1])}, {x()}, (x29)")
        elif kind == 11:
            out.append(rng.choice([f"flw {f()}, {place(4)}", f"fld {f()}, {place(8)}", f"fsw {f()}, {place(4)}",
                                   f"fsd {f()}, {place(8)}"]))
        elif kind == 12:
            op = rng.choice(["fadd", "fsub", "fmul", "fdiv"])
            out.append(f"{op}.{s} {f()}, {f()}, {f()}, {mode}")
        elif kind == 13:
            op = rng.choice(["fmadd", "fmsub", "fnmadd", "fnmsub"])
            out.append(f"{op}.{s} {f()}, {f()}, {f()}, {f()}, {mode}")
        elif kind == 14:
            i = rng.choice(conversions)
            exact = s == "d" and i in ("w", "wu")
            out.append(rng.choice([
                f"fcvt.{i}.{s} {x()}, {f()}, {mode}", f"fcvt.{s}.{i} {f()}, {x()}" + ("" if exact else f", {mode}"),
                f"fsqrt.{s} {f()}, {f()}, {mode}", f"fcvt.s.d {f()}, {f()}, {mode}", f"fcvt.d.s {f()}, {f()}"]))
        else:
            two = rng.choice(["fsgnj", "fsgnjn", "fsgnjx", "fmin", "fmax"])
            out.append(rng.choice([
                f"{two}.{s} {f()}, {f()}, {f()}", f"{rng.choice(['feq', 'flt', 'fle'])}.{s} {x()}, {f()}, {f()}",
                f"fclass.{s} {x()}, {f()}", f"fmv.x.w {x()}, {f()}", f"fmv.w.x {f()}, {x()}"]))
    return out


def registers(rng, xlen):
    """Starting values of one lane: integers of all sizes, floats of both formats."""
    values = [0]
    for _ in range(31):
        value = rng.getrandbits(rng.randrange(1, xlen + 1))
        values.append((-value if rng.randrange(2) else value) & ((1 << 64) - 1))
    for _ in range(32):
        fmt = rng.choice([SINGLE, DOUBLE])
        values.append(fmt.box(rng.choice(fmt.corners()) if rng.randrange(3) == 0 else fmt.random_row(rng)[0]))
    return values


QEMU = """
_start:
    la x31, lanes
1:  li x30, 0
    j block
done:
    li x30, {size}
    add x31, x31, x30
    la x30, lanes + {all}
    bne x30, x31, 1b
    li x10, 1
    la x11, lanes
    li x12, {all}
    li x17, 64
    ecall
    li x10, 0
    li x17, 93
    ecall
"""

VORTEX = """
_start:
    li x30, -1
    .insn r 0x0b, 0, 0, x0, x30, x0
    csrr x29, 0xcc0
    li x30, {size}
    mul x29, x29, x30
    la x31, lanes
    add x31, x31, x29
    csrr x30, 0x340
    j block
done:
    sw x0, 0x88(x0)
    .insn r 0x0b, 0, 0, x0, x0, x0
"""


def program(rng, xlen, code, values, memory, rounding, vortex):
    """The text for one side; the block has the same address on both."""
    load, store = ("ld", "sd") if xlen == 64 else ("lw", "sw")
    compressed = rounding % 2 == 1
    tmc = ".insn r 0x0b, 0, 0, x0, x30, x0" if vortex else ".option push; .option norvc; nop; .option pop"
    text = [".option norelax", ".option rvc" if compressed else ".option norvc", ".text", ".globl _start", "block:"]
    text += [f"li x1, {rounding << 5}", "csrw fcsr, x1"]
    text += [f"fld f{n}, {BEFORE + 256 + 8 * n}(x31)" for n in range(32)]
    text += [f"{load} x{n}, {BEFORE + 8 * n}(x31)" for n in REGISTERS]
    text += [tmc] + code + ["li x30, -1", tmc]
    text += [f"{store} x{n}, {AFTER + 8 * n}(x31)" for n in REGISTERS]
    text += [f"fsd f{n}, {AFTER + 256 + 8 * n}(x31)" for n in range(32)]
    text += ["csrr x1, fcsr", f"{store} x1, {FLAGS}(x31)", "j done"]
    text.append((VORTEX if vortex else QEMU).format(size=SIZE, all=SIZE * LANES))
    text += ['.section .out, "aw"', ".balign 16", "lanes:"]
    for lane in range(LANES):
        text += [".dword " + ", ".join(f"{v:#x}" for v in values[lane]), f".zero {MEMORY - AFTER}"]
        text += [".dword " + ", ".join(f"{v:#x}" for v in memory[lane])]
    return "\n".join(text) + "\n"


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("xlen", [32, 64])
def test_random_program(wavetrap, tmp_path, xlen, seed):
    """All registers, memory and flags of every lane; lanes that are off keep everything."""
    rng = random.Random(seed * 100 + xlen)
    code = block(rng, xlen)
    values = [registers(rng, xlen) for _ in range(LANES)]
    memory = [[rng.getrandbits(64) for _ in range(32)] for _ in range(LANES)]
    rounding = seed % 5
    qemu = assemble(tmp_path / "qemu.elf", program(rng, xlen, code, values, memory, rounding, False), xlen)
    run = subprocess.run([f"qemu-riscv{xlen}", qemu], stdout=subprocess.PIPE, check=True, timeout=60)
    assert len(run.stdout) == SIZE * LANES
    expected = [run.stdout[lane * SIZE:(lane + 1) * SIZE] for lane in range(LANES)]
    elf = assemble(tmp_path / "vortex.elf", program(rng, xlen, code, values, memory, rounding, True), xlen)
    for mask in ((1 << LANES) - 1, rng.randrange(1, 1 << LANES)):
        dump = tmp_path / "dump"
        result = subprocess.run(
            [wavetrap, "run", f"--gpu=vortex:threads={LANES},warps=1,xlen={xlen}", f"--arg={mask}",
             f"--dump={dump}@{BASE:#x}:{SIZE * LANES}", elf], stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        assert result.returncode == 0, result.stderr
        data = dump.read_bytes()
        flags = rounding << 5
        for lane in range(LANES):
            if mask >> lane & 1:
                flags |= expected[lane][FLAGS]
        for lane in range(LANES):
            got = data[lane * SIZE:(lane + 1) * SIZE]
            assert got[FLAGS] == flags
            if mask >> lane & 1:
                want = expected[lane]
                assert got[:FLAGS] == want[:FLAGS], f"registers of lane {lane}"
                assert got[MEMORY:] == want[MEMORY:], f"memory of lane {lane}"
            else:
                words = memoryview(got).cast("Q").tolist()
                width = (1 << xlen) - 1
                assert words[65:94] == [v & width for v in values[lane][1:30]]
                assert words[96:128] == values[lane][32:]
                assert words[MEMORY // 8:] == memory[lane]
