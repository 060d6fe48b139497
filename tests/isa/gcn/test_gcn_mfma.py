"""Products of matrices (MFMA) against our own model: AMD's layouts, order and rounding of MI100 and MI250X."""
import ctypes
import functools
import math
import pathlib
import random
import struct
import zlib
from fractions import Fraction

import pytest

from machine import ALL, Case, run
from valu_model import of_f8

A0 = 256  # the number of a0 among the rows
LIBM = ctypes.CDLL("libm.so.6")
LIBM.fmaf.argtypes, LIBM.fmaf.restype = [ctypes.c_float] * 3, ctypes.c_float
LIBM.fma.argtypes, LIBM.fma.restype = [ctypes.c_double] * 3, ctypes.c_double


def fma(a, b, c):
    return LIBM.fmaf(a, b, c)


def add(a, b):
    return fma(a, 1.0, b)


class Shape:
    """D = A B + C of so many blocks; A and B are of a kind, whose products are added in groups."""
    fused = sparse = False

    def __init__(self, name, opcode):
        kind, rest, *more = name.split("_")[2:]
        self.name, self.opcode = name, opcode
        if more and more[0] != "1k":
            self.of_gfx942(rest, more)
            return
        self.kind = self.kind_b = next(k for k in ("bf16", "f16", "f32", "f64", "i8") if rest.endswith(k))
        self.side, columns, self.k = map(int, rest[:-len(self.kind)].split("x"))
        assert columns == self.side and kind == {"i8": "i32", "f64": "f64"}.get(self.kind, "f32")
        self.per = 4 if more else {"f32": 1, "f16": 4, "bf16": 2, "i8": 4, "f64": 1}[self.kind]  # elements of a lane
        self.bits = {"f64": 64, "f32": 32, "i8": 8}.get(self.kind, 16)
        self.registers = self.per * self.bits // 32
        self.group = {"f16": 4, "bf16": self.per}.get(self.kind, 1)
        self.blocks = 64 * self.per // (self.side * self.k)
        self.results = self.side ** 2 * self.blocks // 64
        self.words = 2 if self.kind == "f64" else 1  # of an element of D

    def of_gfx942(self, sizes, more):
        """Its names have the number of blocks, and the kinds of A and B at their end; those of SMFMAC begin otherwise."""
        self.sparse = self.name.startswith("v_smfmac")
        self.kind, self.kind_b, self.blocks = more[-2] if more[-1][1:] == "f8" or more[-1] == "fp8" else more[-1], more[-1], 1
        if self.kind[:-1].isdigit():
            self.kind = self.kind_b
        if more[0][:-1].isdigit():
            self.blocks = int(more[0][:-1])
        self.side, columns, self.k = map(int, sizes.split("x"))
        self.bits = {"f64": 64, "f32": 32, "xf32": 32, "f16": 16, "bf16": 16}.get(self.kind, 8)
        self.per = self.side * self.k * self.blocks // 64
        self.fused = self.kind in ("f16", "bf16", "xf32", "fp8", "bf8")
        self.group = 1 if not self.fused else 4 if self.kind == "xf32" else 16 if self.bits == 8 else min(8, self.k)
        self.words = 2 if self.kind == "f64" else 1
        self.results = self.side ** 2 * self.blocks // 64
        self.registers = self.per * self.bits // 32

    def a_place(self, i, k, block):
        """(lane, element) of A[i][k]; of B[k][i], too."""
        if self.kind == "f64":
            return 16 * k + self.side * block + i, 0
        return (self.side * block + i, k) if self.blocks > 1 else (self.side * (k // self.per) + i, k % self.per)

    def d_place(self, i, j, block):
        """(register, lane) of D[i][j]; of doubles, which pair of registers."""
        if self.kind == "f64":
            return i // 4, 16 * (i % 4) + self.side * block + j
        if self.side == 32:
            return 16 * block + 4 * (i // 8) + i % 4, 32 * (i // 4 % 2) + j
        if self.side == 16:
            return 4 * block + i % 4, 16 * (i // 4) + j
        return i, 4 * block + j


SHAPES = {f"v_mfma_{name}": Shape(f"v_mfma_{name}", op) for op, name in {
    0x40: "f32_32x32x1f32", 0x41: "f32_16x16x1f32", 0x42: "f32_4x4x1f32", 0x44: "f32_32x32x2f32", 0x45: "f32_16x16x4f32",
    0x48: "f32_32x32x4f16", 0x49: "f32_16x16x4f16", 0x4a: "f32_4x4x4f16", 0x4c: "f32_32x32x8f16", 0x4d: "f32_16x16x16f16",
    0x50: "i32_32x32x4i8", 0x51: "i32_16x16x4i8", 0x52: "i32_4x4x4i8", 0x54: "i32_32x32x8i8", 0x55: "i32_16x16x16i8",
    0x63: "f32_32x32x4bf16_1k", 0x64: "f32_16x16x4bf16_1k", 0x65: "f32_4x4x4bf16_1k", 0x66: "f32_32x32x8bf16_1k", 0x67: "f32_16x16x16bf16_1k",
    0x6e: "f64_16x16x4f64", 0x6f: "f64_4x4x4f64",
    0x68: "f32_32x32x2bf16", 0x69: "f32_16x16x2bf16", 0x6b: "f32_4x4x2bf16", 0x6c: "f32_32x32x4bf16", 0x6d: "f32_16x16x8bf16"}.items()}


# Those of gfx942: all of its own.
SHAPES_942 = {name: Shape(name, op) for op, name in {
    **{op: "v_mfma_" + name for op, name in {
        0x3e: "f32_16x16x8_xf32", 0x3f: "f32_32x32x4_xf32", 0x40: "f32_32x32x1_2b_f32", 0x41: "f32_16x16x1_4b_f32", 0x42: "f32_4x4x1_16b_f32",
        0x44: "f32_32x32x2_f32", 0x45: "f32_16x16x4_f32", 0x48: "f32_32x32x4_2b_f16", 0x49: "f32_16x16x4_4b_f16", 0x4a: "f32_4x4x4_16b_f16",
        0x4c: "f32_32x32x8_f16", 0x4d: "f32_16x16x16_f16", 0x50: "i32_32x32x4_2b_i8", 0x51: "i32_16x16x4_4b_i8", 0x52: "i32_4x4x4_16b_i8",
        0x56: "i32_32x32x16_i8", 0x57: "i32_16x16x32_i8", 0x5d: "f32_32x32x4_2b_bf16", 0x5e: "f32_16x16x4_4b_bf16", 0x5f: "f32_4x4x4_16b_bf16",
        0x60: "f32_32x32x8_bf16", 0x61: "f32_16x16x16_bf16", 0x6e: "f64_16x16x4_f64", 0x6f: "f64_4x4x4_4b_f64"}.items()},
    **{base + n: f"v_{kind}_f32_{size}_{types}" for kind, base, size in (("mfma", 0x70, "16x16x32"), ("mfma", 0x74, "32x32x16"), ("smfmac", 0x78, "16x16x64"), (
        "smfmac", 0x7c, "32x32x32")) for n, types in enumerate(("bf8_bf8", "bf8_fp8", "fp8_bf8", "fp8_fp8"))},
    **{op: "v_smfmac_" + name for op, name in {
        0x62: "f32_16x16x32_f16", 0x64: "f32_32x32x16_f16", 0x66: "f32_16x16x32_bf16", 0x68: "f32_32x32x16_bf16", 0x6a: "i32_16x16x64_i8", 0x6c: "i32_32x32x32_i8"}.items()},
}.items()}
SHAPES_942 = dict(sorted(SHAPES_942.items(), key=lambda named: named[1].opcode))
ONLY_90A = [name for name in SHAPES if name.endswith(("_1k", "f64"))]
BY_MODEL = [("gfx908", name) for name in SHAPES if name not in ONLY_90A] + [("gfx90a", name) for name in SHAPES] + [("gfx942", name) for name in SHAPES_942]
SHAPES_OF = {"gfx908": SHAPES, "gfx90a": SHAPES, "gfx942": SHAPES_942}


# ---- numbers ----

def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def double_bits(x):
    return 0x7ff8000000000000 if x != x else struct.unpack("<Q", struct.pack("<d", x))[0]


def bits_of(x):
    return 0x7fc00000 if x != x else struct.unpack("<I", struct.pack("<f", x))[0]


# The exponents that denormal numbers have.
LEAST = {"f16": -14, "fp8": -7, "bf8": -15}


def parts(x, least=-126):
    """(significand, exponent): below 2; of a denormal number below 1; 0 has -126."""
    if x == 0:
        return 0.0, -126
    e = max(math.frexp(x)[1] - 1, least)
    return math.ldexp(x, -e), e


def value(kind, bits):
    if kind == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    if kind == "f64":
        return double(bits)
    if kind in ("fp8", "bf8"):
        return math.nan if bits == 0x80 else float(of_f8(kind, bits))
    if kind == "xf32":
        return single(bits & ~0x1fff)
    return single(bits << 16) if kind == "bf16" else single(bits) if kind == "f32" else bits - 256 * (bits >> 7)


def rounded(x):
    """To a single, to nearest: of an exact number."""
    e = max(math.frexp(float(x))[1] - 24, -149) if x else 0
    return ctypes.c_float(round(x / Fraction(2) ** e) * 2.0 ** e).value if abs(x) < 2 ** 128 else math.copysign(math.inf, x)


class Model:
    """What is planted below are the ways in which an engine can go wrong."""

    def __init__(self, gpu="gfx908", **planted):
        self.gpu, self.planted = gpu, planted

    def flushes(self, shape, what):
        """On gfx90a halves and bfloats have no denormals: "inputs", "c", "sums"."""
        return self.planted.get(what, self.planted.get("flush", self.gpu == "gfx90a" and shape.kind in ("f16", "bf16")))

    def flushed(self, shape, x, signed=True):
        return x * 0.0 if self.flushes(shape, "sums") and abs(x) < 2.0 ** -126 else x

    def sum(self, shape, a, b, c):
        """One element of D, of a row of A and a column of B."""
        plant, k = self.planted.get, shape.k
        if shape.kind == "i8":
            total = c + sum(x * y for x, y in zip(a, b))
            if plant("saturate"):
                return max(-2 ** 31, min(2 ** 31 - 1, total)) & 0xffffffff
            return total & 0xffffffff
        if shape.kind != "f64":
            c = 0.0 if self.flushes(shape, "c") and abs(single(c)) < 2.0 ** -126 else single(c)
        order = range(k - 1, -1, -1) if plant("backwards") else range(k)
        if shape.kind == "f64":
            c = double(c)
            for n in order:
                c = a[n] * b[n] + c if plant("twice") else LIBM.fma(a[n], b[n], c)
            return double_bits(c) & ~bool(plant("truncate"))
        if shape.fused:
            return self.fused(shape, a, b, c)
        group = plant("group32", 1) if shape.kind == "f32" else plant("group", shape.group)
        if group == 1:
            for n in order:
                c = add(fma(a[n], b[n], 0.0), c) if plant("twice") else fma(a[n], b[n], c)
            return bits_of(self.flushed(shape, c)) & ~bool(plant("truncate"))
        start = plant("start", None)
        total = c if start is None else start
        for n in list(order)[::group] if not plant("backwards") else range(k - group, -1, -group):
            p = [self.flushed(shape, fma(a[n + m], b[n + m], 0.0)) if not plant("negative") else a[n + m] * b[n + m] for m in range(min(group, k - n))]
            if plant("chain"):  # not in pairs
                part = functools.reduce(add, p)
            elif plant("exact"):
                part = sum(p)
            elif plant("crossed") and len(p) == 4:
                part = add(add(p[0], p[2]), add(p[1], p[3]))
            else:
                while len(p) > 1:
                    p = [self.flushed(shape, add(x, y)) for x, y in zip(p[::2], p[1::2])]
                part = p[0]
            total = self.flushed(shape, functools.reduce(add, [total] + [part])) if not plant("into") else add(part, 0.0) + total
        total = total if start is None else add(total, c)
        if plant("truncate"):
            total = single(bits_of(total) & ~1)
        return bits_of(self.flushed(shape, ctypes.c_float(total).value))

    def fused(self, shape, a, b, c):
        """gfx942: the exact products of a group are cut, added, and rounded down with C (Fraction has each sum exactly)."""
        plant, eight = self.planted.get, shape.bits == 8
        places, floor, cut = plant("places", 24), plant("floor", math.floor), plant("cut", math.trunc)
        group = plant("group", shape.group)
        order = range(len(a) - 1, -1, -1) if plant("backwards") else range(len(a))

        def aligned(terms):
            """The terms' sum as a multiple of 2 ** (top - places), and top."""
            top = max(e for _, e in terms)
            return sum(cut(Fraction(x) * Fraction(2) ** (places + e - top)) for x, e in terms), top

        for first in range(0, len(a), group):
            x, y = [a[n] for n in order[first:first + group]], [b[n] for n in order[first:first + group]]
            exact = sum((p * q for p, q in zip(x, y)), 0.0) + c
            if not math.isfinite(exact):
                c = exact
                continue
            huge = {math.copysign(1, p * q) for p, q in zip(x, y) if abs(p * q) >= 2.0 ** 128}
            if huge:
                c = math.nan if len(huge) > 1 else huge.pop() * math.inf
                continue
            least = lambda kind: LEAST.get(kind, -126)
            terms = [(p * q, d + e) for (p, d), (q, e) in ((parts(p, least(shape.kind)), parts(q, least(shape.kind_b))) for p, q in zip(x, y))]
            if eight and not plant("together"):
                sums = [aligned(terms[n::2]) for n in (0, 1)]
                top = max(e for _, e in sums)
                total = sum(floor(Fraction(t) * Fraction(2) ** (e - top)) for t, e in sums)
            else:
                total, top = aligned(terms)
            of_c, e_c = parts(c)
            high = max(top, e_c)
            total = floor(Fraction(total) * Fraction(2) ** (plant("sum", 31) - places + top - high))
            mine = floor(Fraction(of_c) * Fraction(2) ** (24 + e_c - high)) if not eight or e_c >= high - plant("far", 25) else 0
            total = (Fraction(total) / 2 ** plant("sum", 31) + Fraction(mine) / 2 ** 24) * Fraction(2) ** high
            c = rounded(total)
        return bits_of(c) & ~bool(plant("truncate"))

    def a_block(self, shape, block, cbsz, abid):
        size = 1 << cbsz
        if self.planted.get("cbsz"):
            size = 1 << (cbsz and cbsz + self.planted["cbsz"])
        return block // size * size + (abid + self.planted.get("abid", 0)) % size

    def b_lane(self, lane, blgp):
        if self.planted.get("blgp") == blgp:
            return lane
        return {0: lane, 1: lane % 32, 2: lane % 32 + 32, 3: (lane + (48 if self.planted.get("turn") else 16)) % 64}.get(
            blgp, lane % 16 + 16 * (blgp - 4))

    def chosen(self, shape, index, i, abid=0, cbsz=0):
        """Of a sparse matrix: the k of each element of row i that is stored."""
        count = shape.per // 2
        at = 2 * count * (0 if cbsz else abid % (16 // count)) if not self.planted.get("set") else 0
        return [shape.per * group + n // 2 * 4 + (index[shape.side * group + i] >> at + 2 * n & 3)
                for group in range(64 // shape.side) for n in range(count)]

    def multiply_sparse(self, shape, a, b, c, index, cbsz=0, abid=0):
        """Likewise, of an A with half of its elements, and an index of each lane."""
        count = shape.per // 2
        a, b = ([[value(kind, x) for x in lane] for lane in m] for m, kind in ((a, shape.kind), (b, shape.kind_b)))
        d = [[0] * 64 for _ in range(shape.results)]
        for i in range(shape.side):
            row = [a[shape.side * group + i][n] for group in range(64 // shape.side) for n in range(count)]
            ks = self.chosen(shape, index, i, abid, cbsz)
            for j in range(shape.side):
                column = [b[lane][n] for lane, n in (shape.a_place(j, k, 0) for k in ks)]
                r, lane = shape.d_place(i, j, 0)
                d[r][lane] = self.sum(shape, row, column, c[r][lane])
        return d

    def multiply(self, shape, a, b, c, cbsz=0, abid=0, blgp=0):
        """[register][lane] of D from [lane][element] of A and B and [register][lane] of C."""
        d = [[0] * 64 for _ in range(shape.results)]
        least = 2.0 ** -14 if shape.kind == "f16" else 2.0 ** -126
        kept = (lambda x: 0.0 if abs(x) < least else x) if shape.kind in ("f16", "bf16") and self.flushes(shape, "inputs") else lambda x: x
        a, b = ([[kept(value(kind, x)) for x in lane] for lane in m] for m, kind in ((a, shape.kind), (b, shape.kind_b)))
        if shape.kind == "f64" and self.gpu == "gfx942":  # BLGP are signs
            a, b = ([[-x if blgp >> n & 1 else x for x in lane] for lane in m] for n, m in enumerate((a, b)))
            c, blgp = [[x ^ (blgp >> 2 & 1) << 63 for x in row] for row in c], 0
        for block in range(shape.blocks):
            source = self.a_block(shape, block, cbsz, abid) % shape.blocks
            rows = [[a[lane][n] for lane, n in (shape.a_place(i, k, source) for k in range(shape.k))] for i in range(shape.side)]
            columns = [[b[self.b_lane(lane, blgp)][n] for lane, n in (shape.a_place(j, k, block) for k in range(shape.k))]
                       for j in range(shape.side)]
            for i, row in enumerate(rows):
                for j, column in enumerate(columns):
                    r, lane = shape.d_place(i, j, block)
                    d[r][lane] = self.sum(shape, row, column, c[r][lane])
        return d


# ---- operands ----

def number(rng, shape):
    """Numbers of A and B: near 1, small, denormal, zeros, large; seldom infinite or no number."""
    if shape.bits == 8:
        return rng.choice([0, 1, 127, 128, 255, rng.getrandbits(8)]) if shape.kind == "i8" else rng.choice(
            [rng.getrandbits(8), 0, rng.randrange(256), 128]) if rng.random() < .02 else (rng.getrandbits(1) << 7 | rng.choice([rng.randrange(1, 128), 0x38 + rng.randrange(16)]))
    fraction, exponent = {"f64": (52, 1023), "xf32": (23, 127), "f32": (23, 127), "f16": (10, 15), "bf16": (7, 127)}[shape.kind]
    what = rng.random()
    low = rng.getrandbits(fraction) if rng.random() < .8 else rng.choice([0, 1, (1 << fraction) - 1])
    if what < .6:
        e = exponent + rng.randint(-4, 4)
    elif what < .7:
        e = rng.randint(0, 3)
    elif what < .75:
        e = 2 * exponent - rng.randint(0, 3)
    elif what < .85:
        e, low = 0, rng.choice([0, 0, low])
    elif what < .855:
        e, low = 2 * exponent + 1, rng.choice([0, 0, low])
    else:
        e = exponent + rng.randint(-exponent // 2, exponent // 2)
    return rng.getrandbits(1) << (fraction + {"f16": 5, "f64": 11}.get(shape.kind, 8)) | e << fraction | low


def operands(seed, shape):
    rng = random.Random(f"{seed} {shape.name}")
    a, b = ([[number(rng, shape) for _ in range(shape.per)] for _ in range(64)] for _ in range(2))
    sums = shape if shape.kind == "f64" else SHAPES["v_mfma_f32_32x32x1f32"]
    if shape.sparse:
        a = [lane[:shape.per // 2] for lane in a]
    c = [[rng.getrandbits(32) if shape.kind == "i8" else number(rng, sums) for _ in range(64)] for _ in range(shape.results)]
    return a, b, c


def matrices(shape, a, b, c):
    """A, B, C of one block as rows of bit patterns."""
    def entry(m, i, k):
        lane, n = shape.a_place(i, k, 0)
        return m[lane][n]
    side = range(shape.side)
    return ([[entry(a, i, k) for k in range(shape.k)] for i in side], [[entry(b, j, k) for j in side] for k in range(shape.k)],
            [[c[r][lane] for r, lane in (shape.d_place(i, j, 0) for j in side)] for i in side])


def edges(seed, shape):
    """Operands of one block where sums cancel, and where C is far above or below."""
    a, b, c = operands(seed, shape)
    rng = random.Random(f"edges {seed}")
    for i in range(shape.side) if seed % 4 == 1 else ():
        for k in range(1, shape.k, 2):
            (lane, n), (before, m) = shape.a_place(i, k, 0), shape.a_place(i, k - 1, 0)
            a[lane][n] = a[before][m] ^ (rng.random() < .3)
            b[lane][n] = b[before][m] ^ 1 << shape.bits - 1
    if seed % 4 > 1 and shape.kind == "f64":
        c = [[rng.getrandbits(1) << 63 | rng.randint(1200, 2045) - 1200 * (seed % 2) << 52 | rng.getrandbits(52) for _ in row] for row in c]
    elif seed % 4 > 1:
        c = [[rng.getrandbits(1) << 31 | rng.randint(170, 253) - 170 * (seed % 2) << 23 | rng.getrandbits(23) for _ in row] for row in c]
    return a, b, c


def registers(shape, lanes):
    """Elements as the words of a lane's registers."""
    words = [sum(x << shape.bits * n for n, x in enumerate(lane)) for lane in lanes]
    return [[w >> 32 * r & 0xffffffff for w in words] for r in range(len(lanes[0]) * shape.bits // 32)]


A, B, C, D = 10, 20, 32, 96
INDEX = 30  # the VGPR of a sparse matrix's indices


def case(shape, a, b, c, gpu="gfx908", cbsz=0, abid=0, blgp=0, files=0, d=D, mask=ALL, index=None):
    """files: bit 0, 1: A, B are accumulation registers; 2: C and D are not."""
    sums = 0 if files & 4 else A0
    d = C if shape.sparse else d
    made = Case([0xd3800000 | shape.opcode << 16 | (gpu != "gfx908" and not files & 4) << 15 | abid << 11 | cbsz << 8 | d,
                 256 + A | 256 + B << 9 | 256 + (INDEX if shape.sparse else C) << 18 | (files & 3) << 27 | blgp << 29], model=gpu).exec(mask)
    if shape.sparse:
        made.vector(INDEX, index)
    for at, m, file in ((A, a, files & 1), (B, b, files >> 1 & 1)):
        for r, row in enumerate(registers(shape, m)):
            made.vector(A0 * file + at + r, row)
    for r, row in enumerate(words_of(shape, c)):
        made.vector(sums + C + r, row)
    return made.show(*(sums + d + r for r in range(shape.results * shape.words)))


def words_of(shape, rows):
    """Elements of C or D as registers."""
    return [[x >> 32 * word & 0xffffffff for x in row] for row in rows for word in range(shape.words)]


def differ(shape, got, want):
    assert got.fault is None, got.fault
    return [f"{shape.name} a{D}+{r} lane {lane}: {x:08x}, not {y:08x}" for r, (row, good) in enumerate(zip(got.shown, words_of(shape, want)))
            for lane, (x, y) in enumerate(zip(row, good)) if x != y]


@pytest.mark.parametrize("gpu, name", BY_MODEL)
def test_products(gpu, name, run_tool):
    """Random operands, in either file, with D where C is; EXEC does not matter."""
    if "smfmac" in name:
        return sparse(SHAPES_942[name], run_tool)
    shape, model, seeds = SHAPES_OF[gpu][name], Model(gpu), range(4) if gpu == "gfx908" or name in ONLY_90A else (2, 7)
    tried = [(operands(seed, shape), dict(gpu=gpu, files=seed % 4 if gpu == "gfx908" else seed, d=C if seed % 2 else D, mask=seed * 0x123456789)) for seed in seeds]
    results = run(run_tool, [case(shape, *o, **how) for o, how in tried])
    for (o, _), got in zip(tried, results):
        wrong = differ(shape, got, model.multiply(shape, *o))
        assert not wrong, "\n".join(wrong[:9])


def sparse(shape, run_tool):
    """SMFMAC, with the index sets that ABID names, and two elements of A at one k."""
    tried, sets = [], 16 // (shape.per // 2)
    for seed in range(3):
        rng = random.Random(f"index {seed}")
        tried.append((operands(seed, shape), [rng.getrandbits(32) for _ in range(64)], dict(abid=seed % sets, cbsz=seed // 2)))
    results = run(run_tool, [case(shape, *o, "gfx942", files=seed % 4, index=index, **how) for seed, (o, index, how) in enumerate(tried)])
    for (o, index, how), got in zip(tried, results):
        wrong = differ(shape, got, Model("gfx942").multiply_sparse(shape, *o, index, **how))
        assert not wrong, "\n".join(wrong[:9])


# What AMD's calculator (amd_matrix_instruction_calculator 1.1, `-a cdna1 --matrix-layout --csv`) prints: CRC-32 of its lines of A, B and D.
LAYOUTS = {
    "v_mfma_f32_32x32x1f32": (0xd04b2dbf, 0x587ab9b5, 0xf1d48793),
    "v_mfma_f32_16x16x1f32": (0xb57cea0b, 0xeded9376, 0x294c4235),
    "v_mfma_f32_4x4x1f32": (0xf47a02e0, 0x105803e3, 0x6d3fb710),
    "v_mfma_f32_32x32x2f32": (0xde991e9a, 0x93e02e8f, 0x2b68a7b8),
    "v_mfma_f32_16x16x4f32": (0xcac6634d, 0x62c9a845, 0x517cd3e0),
    "v_mfma_f32_32x32x4f16": (0x8de625e8, 0xfb5e8c5f, 0xf1d48793),
    "v_mfma_f32_16x16x4f16": (0xb18f6d49, 0x827ff9e4, 0x294c4235),
    "v_mfma_f32_4x4x4f16": (0x71bd5e65, 0xeb710bd7, 0x6d3fb710),
    "v_mfma_f32_32x32x8f16": (0x51771b07, 0x517f8c69, 0x2b68a7b8),
    "v_mfma_f32_16x16x16f16": (0x342b96a4, 0x0edf24f3, 0x517cd3e0),
    "v_mfma_i32_32x32x4i8": (0x8de625e8, 0xfb5e8c5f, 0xf1d48793),
    "v_mfma_i32_16x16x4i8": (0xb18f6d49, 0x827ff9e4, 0x294c4235),
    "v_mfma_i32_4x4x4i8": (0x71bd5e65, 0xeb710bd7, 0x6d3fb710),
    "v_mfma_i32_32x32x8i8": (0x51771b07, 0x517f8c69, 0x2b68a7b8),
    "v_mfma_i32_16x16x16i8": (0x342b96a4, 0x0edf24f3, 0x517cd3e0),
    "v_mfma_f32_32x32x2bf16": (0x66fe7a83, 0xd1bf241c, 0xf1d48793),
    "v_mfma_f32_16x16x2bf16": (0x7fabb493, 0xdb834ab2, 0x294c4235),
    "v_mfma_f32_4x4x2bf16": (0x62d685ba, 0xa648f92c, 0x6d3fb710),
    "v_mfma_f32_32x32x4bf16": (0xdf40a549, 0x14bd86b8, 0x2b68a7b8),
    "v_mfma_f32_16x16x8bf16": (0x37deefab, 0x0ed08d4a, 0x517cd3e0),
    # -a cdna2, which has the same for those above
    "v_mfma_f32_32x32x4bf16_1k": (0x8de625e8, 0xfb5e8c5f, 0xf1d48793),
    "v_mfma_f32_16x16x4bf16_1k": (0xb18f6d49, 0x827ff9e4, 0x294c4235),
    "v_mfma_f32_4x4x4bf16_1k": (0x71bd5e65, 0xeb710bd7, 0x6d3fb710),
    "v_mfma_f32_32x32x8bf16_1k": (0x51771b07, 0x517f8c69, 0x2b68a7b8),
    "v_mfma_f32_16x16x16bf16_1k": (0x342b96a4, 0x0edf24f3, 0x517cd3e0),
    "v_mfma_f64_16x16x4f64": (0xcac6634d, 0x62c9a845, 0xd091f28c),
    "v_mfma_f64_4x4x4f64": (0xc700932e, 0xd69cb76c, 0xe2f239fa),
}
BROADCASTS = [
    ("v_mfma_f32_4x4x1f32", "A", {'cbsz': 2, 'abid': 3}, 0x193bdfbb),
    ("v_mfma_f32_4x4x4f16", "A", {'cbsz': 4, 'abid': 9}, 0xe318bd8a),
    ("v_mfma_f32_16x16x1f32", "A", {'cbsz': 1, 'abid': 1}, 0x1fc1c013),
    ("v_mfma_i32_32x32x4i8", "A", {'cbsz': 1, 'abid': 1}, 0x7334f483),
    ("v_mfma_f32_16x16x2bf16", "A", {'cbsz': 2, 'abid': 2}, 0xe0899291),
    ("v_mfma_f32_16x16x4f32", "B", {'blgp': 1}, 0xb2c592e9),
    ("v_mfma_f32_32x32x4f16", "B", {'blgp': 1}, 0x79b67da9),
    ("v_mfma_f32_16x16x4f32", "B", {'blgp': 2}, 0x29eec6dc),
    ("v_mfma_f32_32x32x4f16", "B", {'blgp': 2}, 0x18e6167b),
    ("v_mfma_f32_16x16x4f32", "B", {'blgp': 3}, 0x277107b5),
    ("v_mfma_f32_32x32x4f16", "B", {'blgp': 3}, 0x3842683c),
    ("v_mfma_f32_16x16x4f32", "B", {'blgp': 4}, 0xc346366c),
    ("v_mfma_f32_32x32x4f16", "B", {'blgp': 4}, 0x11fb8ccf),
    ("v_mfma_f32_16x16x4f32", "B", {'blgp': 5}, 0x164a8a6a),
    ("v_mfma_f32_32x32x4f16", "B", {'blgp': 5}, 0x0020e41b),
    ("v_mfma_f32_16x16x4f32", "B", {'blgp': 6}, 0xc1af8020),
    ("v_mfma_f32_32x32x4f16", "B", {'blgp': 6}, 0x4a6f134f),
    ("v_mfma_f32_16x16x4f32", "B", {'blgp': 7}, 0xf34b3292),
    ("v_mfma_f32_32x32x4f16", "B", {'blgp': 7}, 0xfa50a91b),
    ("v_mfma_f32_4x4x4bf16_1k", "A", {'cbsz': 4, 'abid': 9}, 0xe318bd8a),
    ("v_mfma_f32_16x16x4bf16_1k", "A", {'cbsz': 1, 'abid': 1}, 0xbe5b55dc),
    ("v_mfma_f32_16x16x16bf16_1k", "B", {'blgp': 3}, 0x9f49270d),
    ("v_mfma_f32_16x16x16bf16_1k", "B", {'blgp': 6}, 0x2d6fb9b7),
]


def layout(shape, matrix, cbsz=0, abid=0, blgp=0):
    """The calculator's lines: what each lane's registers are."""
    model, entries = Model(), {}
    if matrix == "D":
        for block in range(shape.blocks):
            of = f".B{block}" * (shape.blocks > 1)
            for i in range(shape.side):
                for j in range(shape.side):
                    r, lane = shape.d_place(i, j, block)
                    entries.setdefault(lane, {}).setdefault(r, []).append(f"D[{i}][{j}]" + of)
    else:
        for block in range(shape.blocks):
            of = f".B{block}" * (shape.blocks > 1)
            source = model.a_block(shape, block, cbsz, abid) if matrix == "A" else block
            for k in range(shape.k):
                for i in range(shape.side):
                    lane, n = shape.a_place(i, k, source)
                    lane = model.b_lane(lane, blgp) if matrix == "B" else lane
                    entries.setdefault(lane, {}).setdefault(n, []).append((f"A[{i}][{k}]" if matrix == "A" else f"B[{k}][{i}]") + of)
    return "\n".join(f"{lane}," + ",".join(" ".join(entries[lane][n]) for n in sorted(entries[lane])) for lane in sorted(entries))


def test_layouts_are_those_of_amd():
    """Of the model, which the engine is compared with."""
    for name, crcs in LAYOUTS.items():
        assert [zlib.crc32(layout(SHAPES[name], m).encode()) for m in "ABD"] == list(crcs), name
    for name, matrix, how, crc in BROADCASTS:
        assert zlib.crc32(layout(SHAPES[name], matrix, **how).encode()) == crc, (name, how, layout(SHAPES[name], matrix, **how)[:300])


@pytest.mark.parametrize("how", [dict(cbsz=c, abid=a) for c in (1, 2, 3, 4) for a in (0, 1, 5, 15)] + [dict(blgp=g) for g in range(8)] + [
    dict(cbsz=1, abid=1, blgp=3)], ids=str)
def test_broadcasts(how, run_tool):
    """CBSZ and ABID: blocks of A for several; BLGP: lanes of B for others."""
    shapes = [s for s in SHAPES_942.values() if how.get("blgp", 0) < 4 and how.get("cbsz", 0) < 3 and (s.bits < 17 or s.kind == "f32") and not s.sparse
              and 1 << how.get("cbsz", 0) <= s.blocks and s.side < 32]
    tried = [operands("broadcasts", s) for s in shapes]
    for shape, o, got in zip(shapes, tried, run(run_tool, [case(s, *o, "gfx942", **how) for s, o in zip(shapes, tried)])):
        wrong = differ(shape, got, Model("gfx942").multiply(shape, *o, **how))
        assert not wrong, "\n".join(wrong[:9])
    shapes = [s for s in SHAPES.values() if 1 << how.get("cbsz", 0) <= s.blocks and s.kind != "f64"]
    gpu = lambda shape: "gfx90a" if shape.name in ONLY_90A else "gfx908"
    tried = [operands("broadcasts", s) for s in shapes]
    for shape, o, got in zip(shapes, tried, run(run_tool, [case(s, *o, gpu(s), **how) for s, o in zip(shapes, tried)])):
        wrong = differ(shape, got, Model(gpu(shape)).multiply(shape, *o, **how))
        assert not wrong, "\n".join(wrong[:9])


PLANTED = [
    ("16x16x4f32", dict(backwards=True), {}), ("16x16x4f32", dict(twice=True), {}), ("16x16x4f32", dict(group32=2), {}),
    ("16x16x4f32", dict(flush=True), {}), ("16x16x4f32", dict(truncate=True), {}), ("16x16x16f16", dict(group=2), {}),
    ("16x16x16f16", dict(group=8), {}), ("16x16x16f16", dict(group=1), {}), ("16x16x16f16", dict(backwards=True), {}),
    ("16x16x16f16", dict(chain=True), {}), ("16x16x16f16", dict(crossed=True), {}), ("16x16x16f16", dict(exact=True), {}),
    ("16x16x16f16", dict(start=0.0), {}), ("16x16x16f16", dict(truncate=True), {}), ("16x16x8bf16", dict(group=4), {}),
    ("16x16x8bf16", dict(group=1), {}), ("16x16x8bf16", dict(flush=True), {}),
    ("16x16x8bf16", dict(start=0.0), {}), ("16x16x16i8", dict(saturate=True), {}), ("4x4x1f32", dict(cbsz=1), dict(cbsz=1)),
    ("4x4x1f32", dict(cbsz=-1), dict(cbsz=2)), ("4x4x1f32", dict(abid=1), dict(cbsz=2)), ("16x16x4f32", dict(turn=True), dict(blgp=3)),
] + [("16x16x4f32", dict(blgp=g), dict(blgp=g)) for g in range(1, 8)]
# Of gfx90a; the third is the operands of the seed.
PLANTED_90A = [(shape, mistake, {}) for shape in ("16x16x16f16", "16x16x16bf16_1k") for mistake in (
    dict(flush=False), dict(inputs=False), dict(c=False), dict(sums=False), dict(group=2), dict(group=8), dict(group=1), dict(chain=True), dict(crossed=True),
    dict(exact=True), dict(start=0.0), dict(truncate=True)) if shape[-1] == "k" or not mistake.keys() & {"c", "sums"}] + [
    ("4x4x4f16", dict(c=False), {}),  # only −0 shows it; sums of products of halves are never denormal
    ("16x16x8bf16", dict(flush=False), {}), ("16x16x8bf16", dict(group=4), {}), ("16x16x4f32", dict(flush=True), {}),
    ("16x16x4f64", dict(twice=True), {}), ("16x16x4f64", dict(backwards=True), {}), ("16x16x4f64", dict(truncate=True), {}),
    ("4x4x4f64", dict(twice=True), {}), ("4x4x4bf16_1k", dict(cbsz=1), dict(cbsz=1)), ("4x4x4bf16_1k", dict(abid=1), dict(cbsz=2)),
    ("16x16x16bf16_1k", dict(blgp=2), dict(blgp=2)), ("16x16x16bf16_1k", dict(turn=True), dict(blgp=3))]


def near_denormals(seed, shape):
    """Operands whose products and sums are around the least single that is not denormal, now and then."""
    a, b, c = operands(seed, shape)
    rng = random.Random(f"near {seed}")
    if shape.kind in ("f16", "bf16"):
        low, middle, sign = (0, 15, 10) if shape.kind == "f16" else (60, 127, 7)
        make = lambda: rng.getrandbits(1) << 15 | rng.choice([0, 1, middle, rng.randint(low, low + 8)]) << sign | rng.getrandbits(sign)
        a, b = ([[make() if lane % 16 % 3 or not z else 1 for _ in row] for lane, row in enumerate(m)] for m, z in ((a, True), (b, False)))
        c = [[rng.getrandbits(1) << 31 | rng.randint(0, 2) << 23 | rng.getrandbits(23) for _ in row] for row in c]
    return a, b, c


# Of gfx942; products of bf8 are seldom cut.
PLANTED_942 = [(shape, mistake, {}) for shape in ("16x16x8_xf32", "16x16x16_f16", "16x16x16_bf16", "16x16x32_fp8_bf8", "16x16x32_bf8_bf8") for mistake in (
    dict(places=23), dict(places=25), dict(cut=math.floor), dict(floor=math.trunc), dict(sum=25), dict(truncate=True), dict(group=2), dict(backwards=True))] + [
    ("16x16x32_bf8_bf8", dict(together=True), {}), ("16x16x32_fp8_bf8", dict(far=10), {}), ("16x16x4_f64", dict(twice=True), {}), ("16x16x4_f32", dict(backwards=True), {})]


@pytest.mark.parametrize("gpu, PLANTED", [("gfx908", PLANTED), ("gfx90a", PLANTED_90A), ("gfx942", PLANTED_942)])
def test_planted_mistakes_are_found(gpu, PLANTED, run_tool):
    """An engine that did one thing otherwise would be found: the model with that mistake disagrees with the engine."""
    shapes = [next(s for n, s in SHAPES_OF[gpu].items() if n.endswith("_" + name)) for name, _, _ in PLANTED]
    seeds = range(4)
    of = lambda seed, s: near_denormals(seed, s) if gpu == "gfx90a" and seed % 2 else edges(seed, s) if s.kind != "i8" else operands(seed, s)
    cases = [(of(seed, s), how) for s, (_, _, how) in zip(shapes, PLANTED) for seed in seeds]
    for n, (o, how) in enumerate(cases):  # sums near the limits
        if shapes[n // 4].kind == "i8":
            cases[n] = ((o[0], o[1], [[0x7ffffff0 if x & 1 else 0x80000005 for x in row] for row in o[2]]), how)
    results = run(run_tool, [case(shapes[n // 4], *o, gpu, **how) for n, (o, how) in enumerate(cases)])
    for n in (range(len(cases)) if gpu != "gfx908" else ()):  # without a mistake they agree
        assert not differ(shapes[n // 4], results[n], Model(gpu).multiply(shapes[n // 4], *cases[n][0], **cases[n][1])), PLANTED[n // 4]
    silent = [PLANTED[at] for at in range(len(PLANTED))
              if not any(differ(shapes[at], results[4 * at + k], Model(gpu, **PLANTED[at][1]).multiply(shapes[at], *cases[4 * at + k][0], **cases[4 * at + k][1]))
                         for k in seeds)]
    assert len(PLANTED) >= 20 and not silent
    print(f"{len(PLANTED)} mistakes planted, each found")


F32, F16, BF16, BF16_1K, F64 = (f"v_mfma_{name}" for name in ("f32_16x16x4f32", "f32_16x16x16f16", "f32_16x16x8bf16", "f32_16x16x16bf16_1k", "f64_16x16x4f64"))


# Types of gfx942, with how many results each.
MI300X = {"f32_16x16x8_xf32": 10240, "f32_16x16x16_f16": 10240, "f32_16x16x16_bf16": 10240, **{f"f32_16x16x32_{a}_{b}": 2560 for a in ("fp8", "bf8") for b in ("fp8", "bf8")}}


@pytest.mark.parametrize("gpu, kept, shapes", [("gfx908", "mi100", {F32, F16, BF16}), ("gfx90a", "mi100", {F32}), ("gfx90a", "mi250x", {F16, BF16, BF16_1K, F64}),
                                               ("gfx942", "mi300x", {"v_mfma_" + name for name in MI300X})])
def test_results_of_the_authors_simulator(gpu, kept, shapes, run_tool):
    """mma_sim_*.txt have what MMA-Sim (microsoft/MMA-Sim c785138, mfma("CDNA1", …), mfma("CDNA2", …), which do singles alike, and mfma("CDNA3", …)) gives for 20,480
    results a type (of gfx942 MI300X), with a stand-in for torch; its pairwise_dot() wants singles, so slices of A and B were given to it as singles."""
    results, name = {}, None
    for line in (pathlib.Path(__file__).parent / f"mma_sim_{kept}.txt").read_text().splitlines():
        if line[0] != " ":
            name, digits = line, 16 if line.endswith("f64") else 8
        else:
            results.setdefault(name, []).append([int(line[n:n + digits], 16) for n in range(1, len(line), digits)])
    assert {name: sum(map(len, results[name])) for name in shapes} == {name: MI300X[name[7:]] if gpu == "gfx942" else 20480 for name in shapes}
    for name in sorted(shapes):
        shape, lists = SHAPES_OF[gpu][name], results[name]
        tried = [(near_denormals if kept == "mi250x" and seed % 5 == 4 else edges)(seed, shape) for seed in range(len(lists))]
        answers = run(run_tool, [case(shape, *o, gpu) for o in tried])
        for seed, (want, got) in enumerate(zip(lists, answers)):
            assert got.fault is None, got.fault
            for i in range(16):
                for j in range(16):
                    r, lane = shape.d_place(i, j, 0)
                    assert sum(got.shown[r * shape.words + word][lane] << 32 * word for word in range(shape.words)) == want[16 * i + j], (name, seed, i, j)


def test_integers_wrap_and_denormals_stay(run_tool):
    """i32 sums have 32 bits. Denormal products and sums count on MI100, on MI250X they do not (FTTN, arXiv 2403.00232)."""
    half, integer = SHAPES["v_mfma_f32_4x4x4f16"], SHAPES["v_mfma_i32_4x4x4i8"]
    def same(shape, a, b, c):
        return [[a] * shape.per] * 64, [[b] * shape.per] * 64, [[c] * 64] * shape.results
    small, wrapped, flushed, again = run(run_tool, [case(half, *same(half, 1, 0x3c00, 1)), case(integer, *same(integer, 127, 127, 0x7fffffff)),
                                                    case(half, *same(half, 1, 0x3c00, 1), "gfx90a"), case(integer, *same(integer, 127, 127, 0x7fffffff), "gfx90a")])
    assert {x for row in flushed.shown for x in row} == {0} and again.shown == wrapped.shown
    assert {x for row in small.shown for x in row} == {bits_of(4 * 2.0 ** -24 + 2.0 ** -149)}
    assert {x for row in wrapped.shown for x in row} == {0x7fffffff + 4 * 127 * 127}


@pytest.mark.parametrize("mask", [ALL, 0x8000_0f0f_1234_fff1])
def test_moves(mask, run_tool):
    """v_accvgpr_write, v_accvgpr_read: the lanes that are on; scalars and constants can be written."""
    rng = random.Random(5)
    old, values = ([rng.getrandbits(32) for _ in range(64)] for _ in range(2))
    write, read = 0xd3d94000, 0xd3d84000
    made = Case([write | 7, 0x18000000 | 256 + 9, write | 8, 0x18000000 | 4, write | 255, 0x18000000 | 193, read | 11, 0x18000000 | 256 + 7], issues=4,
                model="gfx908").exec(mask).scalar(4, 0x12345678).vector(9, values)
    for n in (11, A0 + 7, A0 + 8, A0 + 255):
        made.vector(n, old)
    [got] = run(run_tool, [made.show(A0 + 7, A0 + 8, A0 + 255, 11)])
    assert got.fault is None, got.fault
    for lane in range(64):
        on = mask >> lane & 1
        assert got.lane(lane) == ([values[lane], 0x12345678, 0xffffffff, values[lane]] if on else [old[lane]] * 4)


def test_what_is_refused(decode_tool):
    """C that is a constant (LLVM, MFMAInlineLiteralBug) or a scalar; A or B that is none; registers beyond a255."""
    from amdgpu import ours
    words = [(0xd3c00004, c << 18 | b << 9 | a) for a, b, c in ((256, 256, 128), (256, 256, 4), (128, 256, 256), (256, 4, 256), (256, 256, 511))]
    words += [(0xd3c000f0, 0x04020100), (0xd3d84000, 0x18000009), (0xd3d94000, 0x180000ff)]
    assert all(length == 0 and "operand" in why for length, why in ours(decode_tool, [[*w, 0] for w in words], "gfx908"))


def test_the_product_that_tells_the_gpus_apart(run_tool):
    """Denormal halves times 2^14: a number on MI100, 0 on MI250X (FTTN, arXiv 2403.00232)."""
    shape, count = SHAPES["v_mfma_f32_16x16x16f16"], 16
    a = [[0x03ff if lane % 16 == 0 and 4 * (lane // 16) + n < count else 0 for n in range(4)] for lane in range(64)]
    b = [[0x7400 if lane % 16 == 0 and 4 * (lane // 16) + n < count else 0 for n in range(4)] for lane in range(64)]
    kept, flushed = run(run_tool, [case(shape, a, b, [[0] * 64] * 4, gpu) for gpu in ("gfx908", "gfx90a")])
    r, lane = shape.d_place(0, 0, 0)
    assert (single(kept.shown[r][lane]), single(flushed.shown[r][lane])) == (16 * 1023 * 2.0 ** -24 * 2.0 ** 14, 0.0)


def test_constants_and_files_of_gfx90a(run_tool, decode_tool):
    """C may be an inline constant, of doubles one, too; v_accvgpr_mov; odd tuples are refused."""
    from amdgpu import ours
    shape, wide = SHAPES["v_mfma_f32_16x16x4f32"], SHAPES["v_mfma_f64_16x16x4f64"]
    ones = [[0] * 64] * 2
    made = [Case([0xd3800000 | s.opcode << 16 | D, 256 + A | 256 + B << 9 | constant << 18], model="gfx90a").show(*range(D, D + 4))
            for s, constant in ((shape, 242), (wide, 242), (shape, 193), (shape, 128))]
    for one in made:
        for n in range(2):
            one.vector(A + n, ones[n]).vector(B + n, ones[n])
    f32, f64, integer, zero = run(run_tool, made)
    assert [{x for x in row} for row in f32.shown] == [{0x3f800000}] * 4 and [{x for x in row} for row in zero.shown] == [{0}] * 4
    assert [{x for x in row} for row in f64.shown] == [{0}, {0x3ff00000}] * 2
    assert [{x for x in row} for row in integer.shown] == [{0x7fc00000}] * 4  # −1 as bits is no number
    mask = 0x8000_0f0f_1234_fff1
    moved, = run(run_tool, [Case([0x7e00a500 | 7 << 17 | 9], model="gfx90a").exec(mask).vector(A0 + 9, range(64)).vector(A0 + 7, [99] * 64).show(A0 + 7, 7)])
    assert moved.fault is None and moved.shown[0] == [n if mask >> n & 1 else 99 for n in range(64)] and set(moved.shown[1]) == {0}
    odd = [(0xd3c00001, 256 | 256 << 9 | 258 << 18), (0xd3c00000, 256 | 256 << 9 | 259 << 18), (0xd3cd0000, 257 | 256 << 9 | 258 << 18)]
    assert all(length == 0 and "odd" in why for length, why in ours(decode_tool, [[*w, 0] for w in odd], "gfx90a"))
