"""The random kernels of test_init_model.py as machine code of a Gen9 and of Vortex, which `wavetrap run` runs: what nothing has written are registers, the group's
memory and, on Vortex, the lanes' stacks.

    test_init_run.py FAMILY FIRST COUNT      as many kernels, from a number on, by hand
"""
import dataclasses
import itertools
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import pytest

import checks
import test_init_model as model
from sanitizer import ROOT
from test_init_model import ALL, OUT, SLOT, Op

model.CONSERVATIVE["quotient"] = lambda a, b: a // b if b else ALL
model.CONSERVATIVE["float"] = lambda a: struct.unpack("<I", struct.pack("<f", a - (a >> 31 << 32)))[0]
SHIFT = SLOT.bit_length() - 1


def low_mask(first, count):
    return ((1 << count) - 1) << first & ALL


class Gen(model.Code):
    """A thread of 16 channels. Register k of the model is r20 and r21, r22 and r23 and so on; channels have their numbers in r10. Buffers are surfaces 0 to 2.
    Some blocks are for the channels of a predicate, others for those of an `if`."""
    LANES, WRITTEN = 16, ("in", "out")
    SURFACES = {"in": 0, "out": 1, "scratch": 2, "group": 0xfe}
    BEGIN = """(W) mov (16|M0) r10.0<1>:ud r1.0<16;16,1>:uw
mov (16|M0) r12.0<1>:ud 0x0:ud"""
    END = """(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud
(W) send (8|M0) null:ud r127 0x27 0x02000010 {{EOT}}"""
    off_lanes_have_registers = True

    def __init__(self):
        self.labels = itertools.count()
        self.predicate = ""

    @staticmethod
    def fitted(op, r):
        if op.what in ("masked", "majority"):
            return Op(r.choice(["and", "or"]), op.to, op.of[:2][::-1] if isinstance(op.of[0], tuple) else op.of[:2])
        if op.what == "exchange" and r.random() < 0.5:
            return dataclasses.replace(op, what="broadcast", how=(r.randrange(16),))
        return op

    @staticmethod
    def fields(op):
        """Registers of the model's registers."""
        return 20 + 2 * op

    def word(self, source, kind="ud"):
        return f"0x{source[1]:x}:{kind}" if isinstance(source, tuple) else f"r{self.fields(source)}.0<8;8,1>:{kind}"

    def enter(self, mask, bits):
        if not mask:
            return []
        self.past = f"past{next(self.labels)}"
        return [f"and (16|M0) r14.0<1>:ud r10.0<8;8,1>:ud 0x{mask:x}:ud", f"cmp (16|M0) (eq)f1.0 null<1>:ud r14.0<8;8,1>:ud 0x{bits:x}:ud",
                f"(f1.0) if (16|M0) {self.past} {self.past}"]

    def leave(self, mask):
        return [f"{self.past}:", "endif (16|M0) " + self.past + "b", self.past + "b:"] if mask else []

    def branch(self):
        past = f"past{next(self.labels)}"
        return [f"(f0.0) if (16|M0) {past} {past}", f"{past}:", f"endif (16|M0) {past}b", f"{past}b:"]

    def code(self, op):
        to, of = f"r{self.fields(op.to)}.0<1>:ud", [self.word(s) for s in op.of]
        first = f"r{self.fields(op.of[0])}" if op.of and not isinstance(op.of[0], tuple) else None
        plain = {"and": "and", "or": "or", "xor": "xor", "not": "not", "popc": "cbit", "rev": "bfrev", "mov": "mov"}
        if op.what in plain:
            return [f"{plain[op.what]} (16|M0) {' '.join([to, *of])}"]
        if op.what in ("add", "subtract", "multiply"):      # constants have no sign to be turned
            last = self.word(op.of[1], "d")
            before = [f"mov (16|M0) r40.0<1>:ud {of[1]}"] if op.what == "subtract" else []
            last = "-r40.0<8;8,1>:d" if op.what == "subtract" else last
            if before and not isinstance(op.of[1], tuple):
                before, last = [], "-" + self.word(op.of[1], "d")
            return [*before, f"{ {'add': 'add', 'subtract': 'add', 'multiply': 'mul'}[op.what]} (16|M0) {to[:-2]}d {first}.0<8;8,1>:d {last}"]
        if op.what == "min":
            return [f"sel (16|M0) (lt)f0.0 {to} {of[0]} {of[1]}"]
        if op.what == "begin":
            return {"none": [], "lane": [f"mul (16|M0) {to} r10.0<8;8,1>:ud 0x{op.how[1]:x}:ud"], "constant": [f"mov (16|M0) {to} 0x{op.how[1]:x}:ud"]}[op.how[0]]
        if op.what == "shift":
            name, kind = {"shl": ("shl", "ud"), "shr": ("shr", "ud"), "sar": ("asr", "d")}[op.how[0]]
            amount = of[1].replace(":ud", ":uw").replace(f"0x{op.of[1][1]:x}", f"0x{op.of[1][1]:x}") if isinstance(op.of[1], tuple) else of[1]
            return [f"{name} (16|M0) {to[:-2]}{kind} {self.word(op.of[0], kind)} {amount}"]
        if op.what == "field":
            kind = "d" if op.how[2] else "ud"
            if op.how[1] == 32:
                return [f"mov (16|M0) {to} {of[0]}"]
            return [f"mov (16|M0) r40.0<1>:ud 0x{op.how[1]:x}:ud", f"mov (16|M0) r42.0<1>:ud 0x{op.how[0]:x}:ud",
                    f"bfe (16|M0) {to[:-2]}{kind} r40.0<4;1>:{kind} r42.0<4;1>:{kind} {first}.0<1>:{kind}"]
        if op.what == "insert":
            return [f"mov (16|M0) r40.0<1>:ud 0x{low_mask(*op.how[:2]):x}:ud", f"bfi2 (16|M0) {to} r40.0<4;1>:ud {first}.0<4;1>:ud r{self.fields(op.of[1])}.0<1>:ud"]
        if op.what == "bytes":
            made = [f"mov (16|M0) r40.{i}<4>:ub r{self.fields(op.of[pick // 4])}.{pick % 4}<32;8,4>:ub" for i, pick in enumerate(op.how)]
            return ["mov (16|M0) r40.0<1>:ud 0x0:ud", *made, f"mov (16|M0) {to} r40.0<8;8,1>:ud"]
        if op.what in ("select", "branch"):
            kind = "d" if op.how[1] else "ud"
            compare = f"cmp (16|M0) ({op.how[0]})f0.0 null<1>:{kind} {self.word(op.of[0], kind)} {self.word(op.of[1], kind)}"
            return [compare, *([f"(f0.0) sel (16|M0) {to} {of[2]} {of[3]}"] if op.what == "select" else self.branch())]
        if op.what == "probe":
            return [f"and (16|M0) (ne)f0.0 null<1>:ud {of[0]} 0x{1 << op.how[0]:x}:ud", *self.branch()]
        if op.what == "broadcast":
            return [f"mov (16|M0) r40.0<1>:ud {first}.{op.how[0]}<0;1,0>:ud".replace(f"{first}.{op.how[0]}", f"r{self.fields(op.of[0]) + op.how[0] // 8}.{op.how[0] % 8}"),
                    f"mov (16|M0) {to} r40.0<8;8,1>:ud"]
        if op.what == "exchange":
            half = [f"(W) mov (8|M0) a0.0<1>:uw r{42 + h}.0<16;8,2>:uw\nmov (8|M{8 * h}) r{40 + h}.0<1>:ud r[a0.0]<1,0>:ud".split("\n") for h in (0, 1)]
            return [f"(W) xor (16|M0) r42.0<1>:ud r10.0<8;8,1>:ud 0x{op.how[0]:x}:ud", "(W) shl (16|M0) r42.0<1>:ud r42.0<8;8,1>:ud 0x2:uw",
                    f"(W) add (16|M0) r42.0<1>:d r42.0<8;8,1>:d 0x{32 * self.fields(op.of[0]):x}:d", *half[0], *half[1], f"mov (16|M0) {to} r40.0<8;8,1>:ud"]
        if op.what in ("load", "store", "swap"):
            return self.memory(op, to)
        if op.what == "address":
            return [f"and (16|M0) r42.0<1>:ud {of[0]} 0x{op.how[0]:x}:ud", self.message("read", "r46:ud", "r42", "scratch")]
        return [f"mov (16|M0) r42.0<1>:ud 0xfc:ud", f"mov (16|M0) r44.0<1>:ud {of[0]}", self.message("add", "null:ud", "r42", "scratch", "r44")]

    def message(self, what, to, address, space, data="", size=4):
        """Of data port 1: untyped reads and writes of one or two dwords, atomic operations; of port 0: bytes."""
        count = size // 4 if size > 4 else 1
        control, port = {"read": (1 << 14 | 0x10 | 0xf & ~low_mask(0, count) | 0, 0xc), "write": (9 << 14 | 0x10 | 0xf & ~low_mask(0, count), 0xc),
                         "bytes": (4 << 14 | 1 | {1: 0, 2: 4, 4: 8}.get(size, 0), 0xa), "put bytes": (12 << 14 | 1 | {1: 0, 2: 4, 4: 8}.get(size, 0), 0xa),
                         "swap": (2 << 14 | 0x20 | 4, 0xc), "add": (2 << 14 | 7, 0xc)}[what]
        desc = control >> 14 << 14 | (control & 0x3f) << 8 | self.SURFACES[space] | 2 << 25 | (0 if to.startswith("null") else 2 * count) << 20
        if not data:
            return f"send (16|M0) {to} {address} 0x{port:x} 0x{desc:x}"
        return f"sends (16|M0) {to} {address} {data} 0x{port | 2 * count << 6:x} 0x{desc:x}"

    def memory(self, op, to):
        space, size, offset, signed, turn = op.how
        data = self.fields(op.to if op.what == "load" else op.of[0])
        code = [f"xor (16|M0) r42.0<1>:ud r10.0<8;8,1>:ud 0x{turn:x}:ud", f"shl (16|M0) r42.0<1>:ud r42.0<8;8,1>:ud 0x{SHIFT:x}:uw",
                f"add (16|M0) r42.0<1>:d r42.0<8;8,1>:d 0x{offset:x}:d"]
        by_bytes = size < 4 or (size == 4 and signed)
        if op.what == "swap":
            return [*code, self.message("swap", f"r{self.fields(op.to)}:ud", "r42", space, f"r{data}")]
        if op.what == "store":
            return [*code, self.message("put bytes" if by_bytes else "write", "null:ud", "r42", space, f"r{data}", size)]
        if size < 4 and signed:
            kind, stride = ("b", "<32;8,4>") if size == 1 else ("w", "<16;8,2>")
            return [*code, self.message("bytes", "r44:ud", "r42", space, "", size), f"mov (16|M0) {to[:-2]}d r44.0{stride}:{kind}"]
        return [*code, self.message("bytes" if by_bytes else "read", f"r{data}:ud", "r42", space, "", size)]

    def run(self, folder, lines, kernels, jit):
        """The findings of each kernel, with lines."""
        text, code = folder / "code.asm", folder / "code.krn"
        text.write_text("\n".join(lines) + "\n")
        done = subprocess.run(["iga64", "-a", "-p=9", text, "-o", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        numbers = [n for n, line in enumerate(lines, 1) if not line.endswith(":")]
        ends = [k for k, n in enumerate(numbers) if "{EOT}" in lines[n - 1]]
        begin = 0
        for kernel, end in zip(kernels, ends):
            (folder / "one.krn").write_bytes(code.read_bytes()[16 * begin:16 * (end + 1)])
            (folder / "in").write_bytes(kernel.memory)
            words = ["-g", f"gen9:subslices=1,jit={jit}", "--kernel=simd16", "--grid=16", "--block=16", f"--arg=file:{folder}/in", f"--arg=zeros:{OUT}", "--arg=zeros:256", "--arg=local:512"]
            found = findings(folder, *words, folder / "one.krn")
            for side in [one[name] if name else one for one in found for name in ("", "other") if not name or name in one]:
                side["line"] = numbers[begin + (int(side["pc"], 16) & 0xffffffff) // 16]
            yield found
            begin = end + 1


class Vortex(model.Code):
    """A warp of 16 threads. Registers of the model are s2 to s9, buffers variables of the program; what the host has written of "in" is put into local memory first."""
    LANES, WRITTEN, ORIGINS = 16, ("out",), {"in": "group"}
    off_lanes_have_registers = True
    HEAD = """#include "asm.h"
.section .text.start, "ax", @progbits
.globl _start
.type _start, @function
_start:
csrr s0, CSR_MSCRATCH
la t0, bytes
la t1, written
slli t2, s0, 10
add t0, t0, t2
add t1, t1, t2
csrr t2, CSR_LOCAL_MEM_BASE
addi t2, t2, 512
addi t3, t2, 1024
1: lbu t4, 0(t1)
beqz t4, 2f
lbu t4, 0(t0)
sb t4, 0(t2)
2: addi t0, t0, 1
addi t1, t1, 1
addi t2, t2, 1
bltu t2, t3, 1b
li t0, 0xffff
vx_tmc t0
jal t6, stacks
addi sp, sp, -16
sw zero, -16(sp)
la a0, out
csrr a1, CSR_LOCAL_MEM_BASE
addi a2, a1, 512
la a3, scratch
csrr a4, CSR_THREAD_ID
la t0, kernels
csrr t1, CSR_MSCRATCH
slli t1, t1, 2
add t0, t0, t1
lw t0, 0(t0)
#if __riscv_xlen == 64
slli t0, t0, 32
srli t0, t0, 32
#endif
jr t0
.size _start, . - _start
.type stacks, @function
stacks: csrr t0, CSR_MHARTID
slli t0, t0, STACK_LOG2_SIZE
li sp, STACK_BASE
sub sp, sp, t0
jr t6
.size stacks, . - stacks"""
    BEGIN = ".balign 4\n{0}:"
    END = "li t0, EXIT_WORD\nsw zero, 0(t0)\nvx_tmc zero"
    BASES = {"in": "a2", "out": "a0", "group": "a1"}

    WORDS = ""          # the suffix of operations on 32 bits
    TARGET = ("-march=rv32imaf_zicsr", "-mabi=ilp32f")

    def __init__(self):
        self.labels = itertools.count()

    @staticmethod
    def number(x):
        """A constant of 32 bits, as its sign fills a register."""
        return str(x - (x >> 31 << 32))

    @staticmethod
    def fitted(op, r):
        if op.what in ("masked", "majority"):
            return Op(r.choice(["and", "or"]), op.to, op.of[:2][::-1] if isinstance(op.of[0], tuple) else op.of[:2])
        change = {"select": "truth", "min": "quotient", "popc": "float", "rev": "float"}
        if op.what in ("load", "store") and op.how[0] == "group" and r.random() < 0.5:
            return dataclasses.replace(op, how=("own", *op.how[1:4], 0))
        return dataclasses.replace(op, what=change[op.what], of=op.of[:2]) if op.what in change else op

    @staticmethod
    def word(source):
        return f"s{2 + source}"

    def enter(self, mask, bits):
        if not mask:
            return []
        self.past = f"past{next(self.labels)}"
        return [f"andi t0, a4, {mask}", f"xori t0, t0, {bits}", "seqz t0, t0", "vx_split t6, t0", f"beqz t0, {self.past}"]

    def leave(self, mask):
        return [f"{self.past}: vx_join t6"] if mask else []

    def branch(self):
        """By t0."""
        past = f"past{next(self.labels)}"
        return ["vx_split t5, t0", f"beqz t0, {past}", f"{past}: vx_join t5"]

    def code(self, op):
        before, of = [], []
        for i, source in enumerate(op.of):
            before += [f"li t{1 + i}, {self.number(source[1])}"] if isinstance(source, tuple) else []
            of.append(f"t{1 + i}" if isinstance(source, tuple) else self.word(source))
        return [*before, *self.last(op, self.word(op.to), of)]

    def last(self, op, to, of):
        w = self.WORDS
        plain = {"and": "and", "or": "or", "xor": "xor", "add": f"add{w}", "subtract": f"sub{w}", "multiply": f"mul{w}", "quotient": f"divu{w}", "not": "not", "mov": "mv"}
        if op.what in plain:
            return [f"{plain[op.what]} {', '.join([to, *of])}"]
        if op.what == "float":
            return [f"fcvt.s.w ft0, {of[0]}, rne", f"fmv.x.w {to}, ft0"]
        if op.what == "begin":
            return {"none": [], "lane": [f"li t0, {self.number(op.how[1])}", f"mul{w} {to}, a4, t0"], "constant": [f"li {to}, {self.number(op.how[1])}"]}[op.how[0]]
        if op.what == "shift":
            name, constant = {"shl": "sll", "shr": "srl", "sar": "sra"}[op.how[0]], isinstance(op.of[1], tuple)
            return [f"{name}{'i' if constant else ''}{w} {to}, {of[0]}, {op.of[1][1] if constant else of[1]}"]
        if op.what == "field":
            first, count, signed = op.how
            return [f"slli{w} {to}, {of[0]}, {32 - first - count}", f"sr{'a' if signed else 'l'}i{w} {to}, {to}, {32 - count}"]
        if op.what == "insert":
            mask = low_mask(*op.how[:2])
            return [f"li t1, {self.number(mask)}", f"slli{w} t2, {of[0]}, {op.how[0]}", "and t2, t2, t1", "not t1, t1", f"and t1, t1, {of[1]}", f"or {to}, t1, t2"]
        if op.what == "bytes":
            code = ["li t3, 0"]
            for i, pick in enumerate(op.how):
                code += [f"srli{w} t4, {of[pick // 4]}, {8 * (pick % 4)}", "andi t4, t4, 0xff", f"slli{w} t4, t4, {8 * i}", "or t3, t3, t4"]
            return [*code, f"mv {to}, t3"]
        if op.what in ("truth", "branch"):
            return [*self.compare(op, "t0" if op.what == "branch" else to, of), *(self.branch() if op.what == "branch" else [])]
        if op.what == "probe":
            return [f"srli{w} t0, {of[0]}, {op.how[0]}", "andi t0, t0, 1", *self.branch()]
        if op.what == "exchange":
            return [f"li t1, {op.how[0] | 63 << 6:#x}", f".insn r 0x0b, 6, 1, {to}, {of[0]}, t1"]
        if op.what in ("load", "store", "swap"):
            return self.memory(op, to, of)
        if op.what == "address":
            return [f"andi t1, {of[0]}, {op.how[0]}", "add t1, t1, a3", "lw t2, 0(t1)"]
        return ["addi t2, a3, 252", f"mv t1, {of[0]}", "amoadd.w zero, t1, (t2)"]

    @staticmethod
    def compare(op, to, of):
        how, signed = op.how
        if how in ("eq", "ne"):
            return [f"xor {to}, {of[0]}, {of[1]}", f"{'seqz' if how == 'eq' else 'snez'} {to}, {to}"]
        return [f"slt{'' if signed else 'u'} {to}, {of[0]}, {of[1]}", *([f"xori {to}, {to}, 1"] if how == "ge" else [])]

    def memory(self, op, to, of):
        space, size, offset, signed, turn = op.how
        code = ["mv t1, sp"] if space == "own" else [f"xori t1, a4, {turn}", f"slli t1, t1, {SHIFT}", f"add t1, t1, {self.BASES[space]}"]
        name = {1: "b", 2: "h"}.get(size, "w")
        if op.what == "swap":
            return [*code, f"addi t1, t1, {offset}", f"amoswap.w {to}, {of[0]}, (t1)"]
        if op.what == "load":
            last = [f"l{name}{'u' if size < 4 and not signed else ''} {to}, {offset}(t1)"]
            if size == 4 and signed:
                last = [f"flw ft1, {offset}(t1)", f"fmv.x.w {to}, ft1"]
            return [*code, *last, *([f"lw {self.word(op.to + 1)}, {offset + 4}(t1)"] if size == 8 else [])]
        return [*code, f"s{name} {of[0]}, {offset}(t1)", *([f"sw {self.word(op.of[0] + 1)}, {offset + 4}(t1)"] if size == 8 else [])]

    def run(self, folder, lines, kernels, jit):
        data = [".section .rodata", "kernels:", *(f".word k{i}" for i in range(len(kernels)))]
        for name, part in (("bytes", "memory"), ("written", "written")):
            data += [f"{name}:", *(".byte " + ", ".join(map(str, getattr(kernel, part))) for kernel in kernels)]
        data += [".bss", ".balign 64", *(line for name, size in (("out", OUT), ("scratch", 256)) for line in (f".globl {name}", f".type {name}, @object", f"{name}: .zero {size}", f".size {name}, {size}"))]
        source, program = folder / "code.S", folder / "code.elf"
        source.write_text("\n".join([*lines, *data]) + "\n")
        library = ROOT / "examples" / "vortex" / "lib"
        subprocess.run(["riscv64-unknown-elf-gcc", *self.TARGET, "-mcmodel=medany", "-g", f"-I{library}", "-nostdlib", "-nostartfiles", "-static", f"-T{library}/vortex.ld", "-o", program, source],
                       check=True)
        for i in range(len(kernels)):
            yield findings(folder, "-g", f"vortex:cores=1,warps=1,threads=16,jit={jit},xlen={64 if self.WORDS else 32}", f"--arg={i}", program)


class Vortex64(Vortex):
    """The same on RV64: registers have numbers of 32 bits, whose sign fills them."""
    WORDS, TARGET = "w", ("-march=rv64imafd_zicsr", "-mabi=lp64d")

    @staticmethod
    def fitted(op, r):
        """The least number is not compared with: signs that fill a register count as bits of their own, so that it would not be the least one."""
        op = Vortex.fitted(op, r)
        return dataclasses.replace(op, how=(op.how[0], False)) if op.what in ("truth", "branch") else op


model.CODE |= {"gen9": Gen, "vortex": Vortex, "vortex64": Vortex64}


def findings(folder, *words):
    report = folder / "report.json"
    report.write_text("")
    done = checks.run(checks.command_under_test(), "run", "--check=init", "--check-limit=1000000", f"--report=json:{report}", "--max-issues=100000", *words)
    assert done.returncode in (0, 115), done.stderr
    return [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]


def judge_end(kernel, result, found):
    """What the host sees at the end: each word with computed bits is reported, by one of the operations that have computed with its bits first, and each of its bytes."""
    wrong, listed = model.not_reported(kernel, result, found), [(model.origin_of(one), kernel.lines[one["line"]], *model.pieces_of(one)) for one in found]
    for at, computed in enumerate(result.computed["out"]):
        origins = result.origins["out"][at // 4]
        if computed and not any((where, by) in origins and (more or at in bytes_) for where, by, bytes_, more in listed):
            wrong.append(f"byte {at} of the result: not in {listed}, computed by {origins}")
        wrong += [f"byte {at} of the result: listed of {(where, by)}, but {origins}" for where, by, bytes_, _ in listed if at in bytes_ and not (computed and (where, by) in origins)]
    return wrong


def judge(folder, family, first, count):
    """The kernels from a number on, every other time with translated code from the first visit on; how many uses of undefined bits they have."""
    code, kernels = model.CODE[family](), [model.Kernel(n, family) for n in range(first, first + count)]
    lines = getattr(code, "HEAD", "").splitlines()
    for i, kernel in enumerate(kernels):
        kernel.write(code, lines, f"k{i}")
    wrong, uses = [], 0
    for kernel, found in zip(kernels, code.run(folder, lines, kernels, first // model.AT_ONCE % 2)):
        uses += len(found)
        wrong += [f"kernel {kernel.number}: {text}" for text in model.judge_kernel(kernel, found, judge_end)]
    assert not wrong, "\n".join(wrong)
    return uses


@pytest.mark.parametrize("family, first", [("gen9", 0), ("gen9", 20), ("vortex", 0), ("vortex64", 20)])
def test_random_kernels(tmp_path, family, first):
    """Of two batches one has translated code."""
    assert judge(tmp_path, family, first, model.AT_ONCE) >= 200


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for first_ in range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3]), model.AT_ONCE):
            try:
                judge(pathlib.Path(made), sys.argv[1], first_, model.AT_ONCE)
            except AssertionError as error:
                print(error, flush=True)
