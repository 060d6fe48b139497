"""Each row of PTX's table, executed: results against the manual's words, written down in Python. A test fails where a row of
the table (`wavetrap info --isa`) is in no case here."""
import math
import os
import random
import re
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "host"))
from sanitizer import needed  # noqa: E402

BUILD = Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build"))
WAVETRAP = os.environ.get("WAVETRAP", str(BUILD / "wavetrap"))
M32, M64 = 0xffffffff, (1 << 64) - 1
LANES = 64
EDGES = [0, 1, 2, 31, 32, 33, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe]
FLOATS = [0, 1 << 31, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x007fffff, 0x00800000, 0x7f7fffff, 0x40490fdb,
          0x4b7fffff, 0x4f000000, 0xcf000000, 0x3effffff, 0x3f000000, 0x3fc00000, 0xc0200000]


def s(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def f32(bits):
    return struct.unpack("<f", struct.pack("<I", bits & M32))[0]


def f64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits & M64))[0]


def b32(value):
    """The nearest single; a NaN is the one that the SM makes."""
    if value != value:
        return 0x7fffffff
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0x7f800000 | (value < 0) << 31


def b64(value):
    return 0x7ff8000000000000 if value != value else struct.unpack("<Q", struct.pack("<d", value))[0]


def flushed(bits):
    return bits & 0x80000000 if not bits & 0x7f800000 else bits


def exact(operation, *bits):
    """A sum or product of singles, rounded once: in rationals where all are finite and the result is not zero."""
    values = [f32(x) for x in bits]
    if all(map(math.isfinite, values)):
        r = operation(*map(Fraction, values))
        if r:
            return single(r)
    try:
        return b32(operation(*values))
    except (OverflowError, ValueError):
        return 0x7fffffff


def single(r, mode="n"):
    """A rational as a single."""
    sign, r = (r < 0), abs(r)
    e = max(-126, r.numerator.bit_length() - r.denominator.bit_length() - 1)
    while r >= Fraction(2) ** (e + 1):
        e += 1
    while e > -126 and r < Fraction(2) ** e:
        e -= 1
    q = r / Fraction(2) ** (e - 23)
    n, rest = q.numerator // q.denominator, q - q.numerator // q.denominator
    up = {"n": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n & 1), "z": False, "m": sign and rest > 0,
          "p": not sign and rest > 0}[mode]
    n += up
    if n >> 24:
        n, e = n >> 1, e + 1
    if e > 127:
        n, e = (0x7fffff, 127) if mode == "z" or (mode == "m" and not sign) or (mode == "p" and sign) else (0, 128)
        return sign << 31 | (e + 127) << 23 | n & 0x7fffff
    return sign << 31 | ((e + 127) << 23 if n >> 23 else 0) | n & 0x7fffff


def eighths(exponent, fraction):
    """The finite values of a number of 8 bits, by its bits without the sign."""
    bits = range(0x7f if exponent == 4 else 0x7c)
    return [Fraction((x & (1 << fraction) - 1) + (1 << fraction if x >> fraction else 0)) * Fraction(2) ** (
        max(x >> fraction, 1) - (1 << exponent - 1) + 1 - fraction) for x in bits]


EIGHTHS = {"e4m3": eighths(4, 3), "e5m2": eighths(5, 2)}


def eighth(kind, value, relu=False):
    """The nearest one, of two the even one; the largest for what is beyond."""
    if value != value:
        return 0x7f
    sign = 0x80 if math.copysign(1, value) < 0 else 0
    if relu and sign:
        return 0
    table = EIGHTHS[kind]
    v = table[-1] if abs(value) > table[-1] else Fraction(abs(value))
    return sign | min(range(len(table)), key=lambda x: (abs(table[x] - v), x & 1))


def half_of_eighth(kind, bits, relu=False):
    if bits & 0x7f > (0x7e if kind == "e4m3" else 0x7c):
        return 0x7fff
    if relu and bits & 0x80:
        return 0
    value = math.inf if bits & 0x7f == len(EIGHTHS[kind]) else float(EIGHTHS[kind][bits & 0x7f])
    return struct.unpack("<H", struct.pack("<e", math.copysign(value, -1 if bits & 0x80 else 1)))[0]


def f16(bits):
    return struct.unpack("<e", struct.pack("<H", bits & 0xffff))[0]


def tf32(bits, mode):
    if f32(bits) != f32(bits):  # .rna is a sequence of NVIDIA's assembler, which cuts bits off
        return bits & ~0x1fff if mode == "rna" else 0x7fffffff
    if math.isinf(f32(bits)):
        return bits
    magnitude, sign = bits & 0x7fffffff, bits & 0x80000000
    low, n = magnitude & 0x1fff, magnitude >> 13
    n += {"rz": False, "rna": low >= 0x1000, "rn": low > 0x1000 or (low == 0x1000 and n & 1)}[mode]
    return sign | n << 13


def packed(a, b, c, bits, signed):
    least, most = (-1 << bits - 1, (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    x, y = (max(least, min(most, s(v))) & (1 << bits) - 1 for v in (a, b))
    return (c << 2 * bits | x << bits | y) & M32 if bits < 16 else x << 16 | y


def mul24(a, b, signed, high):
    x, y = (s(a, 24), s(b, 24)) if signed else (a & 0xffffff, b & 0xffffff)
    return x * y >> (16 if high else 0) & M32


def bfe(a, b, c, bits, signed):
    pos, length, out = b & 0xff, c & 0xff, 0
    sign = a >> min(pos + length - 1, bits - 1) & 1 if signed and length else 0
    for i in range(bits):
        out |= (a >> pos + i & 1 if i < length and pos + i < bits else sign) << i
    return out


def bfi(a, b, c, d):
    pos, length, out = c & 0xff, d & 0xff, b
    for i in range(length):
        if pos + i < 32 and i < 32:
            out = out & ~(1 << pos + i) | (a >> i & 1) << pos + i
    return out


def prmt(a, b, c):
    both, out = (b << 32 | a), 0
    for i in range(4):
        n = c >> 4 * i & 15
        byte = both >> 8 * (n & 7) & 255
        out |= ((0xff if byte & 0x80 else 0) if n & 8 else byte) << 8 * i
    return out


def prmt_mode(a, c, b, mode):
    v, n = [a >> 8 * i & 255 for i in range(4)] + [b >> 8 * i & 255 for i in range(4)], c & 3
    pick = {"f4e": [n, n + 1, n + 2, n + 3], "b4e": [n, (n + 7) % 8, (n + 6) % 8, (n + 5) % 8], "rc8": [n] * 4,
            "ecl": [max(i, n) for i in range(4)], "ecr": [min(i, n) for i in range(4)],
            "rc16": [2 * (n & 1), 2 * (n & 1) + 1] * 2}[mode]
    return sum(v[k] << 8 * i for i, k in enumerate(pick))


def bfind(a, signed, shift):
    if signed and a >> 31:
        a = ~a & M32
    if not a:
        return M32
    return 31 - (a.bit_length() - 1) if shift else a.bit_length() - 1


def div(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def divides(a, b):
    return b != 0 and (a, b) != (0x80000000, M32)


def lop3(a, b, c, table):
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32))


def to_int(bits, low, high, rounding=math.trunc):
    x = f32(bits)
    if x != x:
        return 0
    return low if x <= low else high if x >= high else min(high, max(low, rounding(x)))


def even(x):
    return round(x)


def sad(a, b, c):
    return abs(a - b) + c


def fminmax(a, b, least, ftz=False):
    a, b = (flushed(a), flushed(b)) if ftz else (a, b)
    x, y = f32(a), f32(b)
    if x != x or y != y:
        return (0x7fffffff if x != x and y != y else b if x != x else a)
    if x == y:
        return (a | b if least else a & b) if x == 0 else a
    return a if (x < y) == least else b


def compare(a, b):
    x, y = f32(a), f32(b)
    return (x < y, x == y, x > y, x != x or y != y)


def dp4a(a, b, c):
    return sum(s(a >> 8 * i, 8) * (b >> 8 * i & 255) for i in range(4)) + c


def parts(a, b, c, operation, bits, dtype="u32", types=("u32", "u32"), sat=False, adds=False):
    """Halves or bytes of two words: put together, or added to the third word."""
    signed, word, total = dtype == "s32", 0, c
    for n in range(32 // bits):
        x, y = ((s(v >> bits * n, bits) if t == "s32" else v >> bits * n & (1 << bits) - 1) for v, t in zip((a, b), types))
        value = operation(x, y)
        if sat:
            most = (1 << bits - signed) - 1
            value = max(-most - 1 if signed else 0, min(most, value))
        word |= (value & (1 << bits) - 1) << bits * n
        total += value  # whole, as a GPU adds it
    return total if adds else word


def average(x, y):
    return (x + y + (x + y >= 0)) >> 1


PARTS = [("vadd2.u32.u32.u32", 16, {}, lambda x, y: x + y), ("vadd4.s32.s32.s32.sat", 8, {"sat": True}, lambda x, y: x + y),
         ("vsub2.u32.u32.u32.sat", 16, {"sat": True}, lambda x, y: x - y), ("vsub4.s32.u32.s32.add", 8, {"adds": True}, lambda x, y: x - y),
         ("vavrg2.s32.s32.s32", 16, {}, average), ("vavrg4.u32.u32.u32", 8, {}, average),
         ("vabsdiff2.s32.s32.s32.sat", 16, {"sat": True}, lambda x, y: abs(x - y)), ("vabsdiff4.u32.u32.u32.add", 8, {"adds": True}, lambda x, y: abs(x - y)),
         ("vmin2.s32.s32.s32", 16, {}, min), ("vmin4.u32.u32.u32.add", 8, {"adds": True}, min), ("vmax2.u32.u32.u32", 16, {}, max),
         ("vmax4.s32.s32.s32", 8, {}, max), ("vset2.u32.u32.le", 16, {}, lambda x, y: x <= y), ("vset4.s32.s32.gt.add", 8, {"adds": True}, lambda x, y: x > y)]


def part_case(text, bits, how, operation):
    types = [word for word in text.split(".") if word in ("u32", "s32")]
    dtype = types.pop(0) if len(types) == 3 else "u32"
    return f"{text} %d, %a, %b, %c;", lambda a, b, c: parts(a, b, c, operation, bits, dtype, types, **how)


# instructions of the case; what %d is (a dword), from a, b, c; kinds of inputs: "i" or "f"
C = [
    ("add.u32 %d, %a, %b;", lambda a, b, c: a + b), ("sub.s32 %d, %a, %b;", lambda a, b, c: a - b),
    ("add.sat.s32 %d, %a, %b;", lambda a, b, c: max(-1 << 31, min((1 << 31) - 1, s(a) + s(b)))),
    ("sub.sat.s32 %d, %a, %b;", lambda a, b, c: max(-1 << 31, min((1 << 31) - 1, s(a) - s(b)))),
    ("add.cc.u32 %t, %a, %b; addc.u32 %d, %c, 5;", lambda a, b, c: c + 5 + (a + b >> 32)),
    ("sub.cc.u32 %t, %a, %b; subc.u32 %d, %c, 5;", lambda a, b, c: c - 5 - (a < b)),
    # after a subtraction CC.CF is the carry of a + ~b + 1, as IADD.CC of machine code has it: 0 after a borrow
    ("sub.cc.u32 %t, %a, %b; addc.u32 %d, 0, 0;", lambda a, b, c: a >= b),
    ("sub.cc.s32 %t, %a, %b; subc.cc.u32 %t, %b, %c; addc.u32 %d, %a, 0;", lambda a, b, c: a + (b + (~c & M32) + (a >= b) >> 32)),
    ("add.cc.u32 %t, %a, %b; subc.u32 %d, %c, 5;", lambda a, b, c: c - 6 + (a + b >> 32)),
    ("cvt.u64.u32 %D, %a; cvt.u64.u32 %E, %b; sub.cc.u64 %D, %D, %E; subc.u64 %D, 7, 3; cvt.u32.u64 %d, %D;", lambda a, b, c: 4 - (a < b)),
    ("add.cc.u32 %t, %a, %b; addc.cc.u32 %t, %b, %c; addc.u32 %d, 0, 0;", lambda a, b, c: b + c + (a + b >> 32) >> 32),
    ("mad.lo.cc.u32 %t, %a, %b, %c; madc.hi.u32 %d, %a, %b, %c;",
     lambda a, b, c: (a * b >> 32) + c + ((a * b & M32) + c >> 32)),
    ("mul.lo.u32 %d, %a, %b;", lambda a, b, c: a * b), ("mul.hi.u32 %d, %a, %b;", lambda a, b, c: a * b >> 32),
    ("mul.hi.s32 %d, %a, %b;", lambda a, b, c: s(a) * s(b) >> 32),
    ("mul.wide.u32 %D, %a, %b; shr.u64 %D, %D, 17; cvt.u32.u64 %d, %D;", lambda a, b, c: a * b >> 17),
    ("mad.lo.s32 %d, %a, %b, %c;", lambda a, b, c: a * b + c), ("mad.hi.u32 %d, %a, %b, %c;", lambda a, b, c: (a * b >> 32) + c),
    ("mul24.lo.u32 %d, %a, %b;", lambda a, b, c: mul24(a, b, False, False)),
    ("mul24.hi.s32 %d, %a, %b;", lambda a, b, c: mul24(a, b, True, True)),
    ("mad24.lo.s32 %d, %a, %b, %c;", lambda a, b, c: mul24(a, b, True, False) + c),
    ("sad.u32 %d, %a, %b, %c;", sad), ("sad.s32 %d, %a, %b, %c;", lambda a, b, c: abs(s(a) - s(b)) + c),
    ("div.u32 %d, %a, %b;", lambda a, b, c: a // b if b else None), ("rem.u32 %d, %a, %b;", lambda a, b, c: a % b if b else None),
    ("div.s32 %d, %a, %b;", lambda a, b, c: div(s(a), s(b)) if divides(a, b) else None),
    ("rem.s32 %d, %a, %b;", lambda a, b, c: s(a) - div(s(a), s(b)) * s(b) if divides(a, b) else None),
    ("abs.s32 %d, %a;", lambda a, b, c: abs(s(a))), ("neg.s32 %d, %a;", lambda a, b, c: -a),
    ("min.u32 %d, %a, %b;", lambda a, b, c: min(a, b)), ("max.s32 %d, %a, %b;", lambda a, b, c: max(s(a), s(b))),
    ("popc.b32 %d, %a;", lambda a, b, c: bin(a).count("1")), ("clz.b32 %d, %a;", lambda a, b, c: 32 - a.bit_length()),
    ("bfind.u32 %d, %a;", lambda a, b, c: bfind(a, False, False)), ("bfind.s32 %d, %a;", lambda a, b, c: bfind(a, True, False)),
    ("bfind.shiftamt.u32 %d, %a;", lambda a, b, c: bfind(a, False, True)),
    ("brev.b32 %d, %a;", lambda a, b, c: int(f"{a:032b}"[::-1], 2)), ("cnot.b32 %d, %a;", lambda a, b, c: not a),
    ("bfe.u32 %d, %a, %b, %c;", lambda a, b, c: bfe(a, b, c, 32, False)),
    ("bfe.s32 %d, %a, %b, %c;", lambda a, b, c: bfe(a, b, c, 32, True)),
    ("bfi.b32 %d, %a, %b, %c, %b;", lambda a, b, c: bfi(a, b, c, b)),
    ("and.b32 %d, %a, %b;", lambda a, b, c: a & b), ("or.b32 %d, %a, %b;", lambda a, b, c: a | b),
    ("xor.b32 %d, %a, %b;", lambda a, b, c: a ^ b), ("not.b32 %d, %a;", lambda a, b, c: ~a),
    ("lop3.b32 %d, %a, %b, %c, 0x96;", lambda a, b, c: lop3(a, b, c, 0x96)),
    ("lop3.b32 %d, %a, %b, %c, 0x2d;", lambda a, b, c: lop3(a, b, c, 0x2d)),
    ("shl.b32 %d, %a, %b;", lambda a, b, c: a << b if b < 32 else 0), ("shr.u32 %d, %a, %b;", lambda a, b, c: a >> min(b, 32)),
    ("shr.s32 %d, %a, %b;", lambda a, b, c: s(a) >> min(b, 31)),
    ("shf.l.wrap.b32 %d, %a, %b, %c;", lambda a, b, c: (b << 32 | a) << (c & 31) >> 32),
    ("shf.r.wrap.b32 %d, %a, %b, %c;", lambda a, b, c: (b << 32 | a) >> (c & 31)),
    ("shf.l.clamp.b32 %d, %a, %b, %c;", lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32),
    ("shf.r.clamp.b32 %d, %a, %b, %c;", lambda a, b, c: (b << 32 | a) >> min(c, 32)),
    ("prmt.b32 %d, %a, %b, %c;", prmt),
    *[(f"prmt.b32.{m} %d, %a, %b, %c;", lambda a, b, c, m=m: prmt_mode(a, c, b, m)) for m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")],
    ("dp4a.s32.u32 %d, %a, %b, %c;", dp4a),
    ("vadd.u32.u32.u32.add %d, %a, %b, %c;", lambda a, b, c: a + b + c),
    ("vsub.u32.u32.u32.add %d, %a, %b, %c;", lambda a, b, c: a - b + c),
    *[part_case(*case) for case in PARTS],
    ("mov.b32 %d, %a;", lambda a, b, c: a), ("mov.b64 %D, {%a, %b}; mov.b64 {%t, %d}, %D;", lambda a, b, c: b),
    ("mov.v2.u32 %V, {%a, %b}; mov.b64 %D, %V; shr.u64 %D, %D, 16; mov.b64 %V, %D; mov.b32 %d, %V.x;",
     lambda a, b, c: (b << 32 | a) >> 16),
    ("{ .param .u32 %P<2>; st.param.u32 [%P0], %a; st.param.u32 [%P1], %b; call.uni (%d), less, (%P0, %P1); }",
     lambda a, b, c: a - b),
    ("mov.b32 {%h, %g}, %a; mov.b32 %d, {%g, %h};", lambda a, b, c: a >> 16 | a << 16),
    # a register and a number, elements of arrays, constant expressions (manual 4.5, 6.4)
    ("mov.u32 %d, %a + 3;", lambda a, b, c: a + 3), ("sub.u32 %d, %a-1, %b +-2;", lambda a, b, c: a - b + 1),
    ("mov.u32 %d, %tid.x + 3; sub.u32 %d, %d, %i;", lambda a, b, c: 3), ("mov.b16 %h, %h + 5; cvt.u32.u16 %d, %h;", lambda a, b, c: a + 5 & 0xffff),
    ("cvt.s32.s16 %d, %h + 9;", lambda a, b, c: s(a + 9, 16)), ("cvt.u64.u32 %D, %a + 1; cvt.u32.u64 %d, %D - 2;", lambda a, b, c: a - 1),
    ("st.local.u32 [local], %a + 1; ld.local.u32 %d, [local];", lambda a, b, c: a + 1),
    ("st.local.u8 [local], %a - 1; ld.local.u8 %d, [local];", lambda a, b, c: a - 1 & 255),
    ("st.local.v2.u32 [local], {%a + 1, %b}; ld.local.v2.u32 {%d, %t}, [local]; add.u32 %d, %d, %t;", lambda a, b, c: a + b + 1),
    ("mov.v2.u32 %V, {%a, %b}; mov.v2.u32 {%t, %d}, %V; sub.u32 %d, %d, %t;", lambda a, b, c: b - a),
    ("mov.v2.u32 %V, {%a, %b}; mov.v2.u32 %V, {%V.y, %V.x}; sub.u32 %d, %V.x, %V.y;", lambda a, b, c: b - a),
    ("mov.v2.u32 {%a, %b}, {%b, %a}; sub.u32 %d, %a, %b;", lambda a, b, c: b - a),
    ("mov.v2.u32 %V, {%a, %b}; mov.v2.u32 {_, %d}, %V;", lambda a, b, c: b),
    ("mov.v2.u32 %V, {%a + 7, 0}; mov.b32 %d, %V.x + 1;", lambda a, b, c: a + 8), ("mov.b32 %d, {%h + 1, 0};", lambda a, b, c: a + 1 & 0xffff),
    ("call.uni (%d), triple, (%a + 1);", lambda a, b, c: 3 * a + 3), ("selp.u32 %d, %a + 1, %b - 1, %r;", lambda a, b, c: a + 1 if c & 1 else b - 1),
    ("mov.u64 %D, constant[1]; sub.u64 %D, %D, constant; cvt.u32.u64 %d, %D;", lambda a, b, c: 4),
    ("mov.u64 %D, wide[3*2-4]; mov.u64 %E, wide; sub.u64 %D, %D, %E; cvt.u32.u64 %d, %D;", lambda a, b, c: 32),
    ("ld.const.u32 %d, constant[1];", lambda a, b, c: 22), ("st.local.u32 words[2], %a; ld.local.u32 %d, [words+8];", lambda a, b, c: a),
    ("and.b32 %t, %a, 3; st.local.u32 words[%t+1], %b; shl.b32 %t, %t, 2; mov.u64 %D, words; cvt.u64.u32 %E, %t; add.u64 %D, %D, %E;"
     " ld.local.u32 %d, [%D+4];", lambda a, b, c: b),
    ("and.b32 %t, %a, 1; ld.const.u32 %d, constant[%t];", lambda a, b, c: 11 * (1 + (a & 1))),
    ("mov.u32 %d, (1 << 5) - 1;", lambda a, b, c: 31), ("add.u32 %d, %a, 2 * (3 + 4) / 7 % 5;", lambda a, b, c: a + 2),
    ("mov.u32 %d, ~5 & 0xff | 1 << 8 ^ 1;", lambda a, b, c: ~5 & 0xff | 1 << 8 ^ 1), ("mov.u32 %d, WARP_SZ*2 - 1;", lambda a, b, c: 63),
    ("mov.s32 %d, -7 / 2 + -7 % 4 * 100;", lambda a, b, c: -303), ("mov.u32 %d, -8 >> 1;", lambda a, b, c: -4),
    ("mov.u64 %D, 0xffffffffffffffff >> 60; cvt.u32.u64 %d, %D;", lambda a, b, c: 15), ("mov.u32 %d, 3 < 4 && !0 || 1 / 1;", lambda a, b, c: 1),
    ("mov.u64 %D, (.u64)(-1) / 2 >> 62; cvt.u32.u64 %d, %D;", lambda a, b, c: 1),
    ("mov.u32 %d, -1 < 0U ? 7 : 5 == 5 ? 8 : 9;", lambda a, b, c: 8), ("mov.f32 %f, 1.0 + 2.0 * 0.25; mov.b32 %d, %f;", lambda a, b, c: b32(1.5)),
    ("mov.f32 %f, 1.5 > 2.0 ? 1.0 : 0f40000000 / 4.0; mov.b32 %d, %f;", lambda a, b, c: b32(0.5)),
    ("st.local.u32 [local+4*(2-1)], %a; ld.local.u32 %d, [local+(1<<2)];", lambda a, b, c: a),
    ("ld.global.u32 %d, [folded+4];", lambda a, b, c: 0x3ff), ("shfl.sync.idx.b32 %d, 9, 4, (1<<5)-1, -1;", lambda a, b, c: 9),
    # vectors as parameters of functions
    ("mov.v2.u32 %V, {%a, %b}; call.uni (%W), swapped, (%V); sub.u32 %d, %W.x, %W.y;", lambda a, b, c: b - a),
    ("cvt.u64.u32 %D, %a; cvt.u64.u32 %E, %b; mov.v2.u64 %X, {%D, %E}; call.uni (%X), swapped64, (%X, %c); cvt.u32.u64 %d, %X.x;",
     lambda a, b, c: b + c),
    ("mov.v4.u16 %Q, {%h, 2, 3, 4}; call.uni (%d), first, (%Q);", lambda a, b, c: a & 0xffff),
    ("{ .param .v2 .u32 v; .param .v2 .u32 r; st.param.v2.u32 [v], {%a, %b}; call.uni (r), memory, (v); ld.param.v2.u32 {%d, %t}, [r];"
     " sub.u32 %d, %d, %t; }", lambda a, b, c: b - a),
    # comparison, selection, predicates
    ("setp.lt.s32 %p, %a, %b; selp.u32 %d, 3, 4, %p;", lambda a, b, c: 3 if s(a) < s(b) else 4),
    ("setp.ge.u32 %p, %a, %b; selp.b32 %d, %a, %c, %p;", lambda a, b, c: a if a >= b else c),
    ("setp.eq.and.u32 %p|%q, %a, %b, %r; selp.u32 %d, 1, 0, %q;", lambda a, b, c: (a != b) and c & 1),
    ("set.le.u32.s32 %d, %a, %b;", lambda a, b, c: M32 if s(a) <= s(b) else 0),
    ("set.gt.f32.u32 %d, %a, %b;", lambda a, b, c: 0x3f800000 if a > b else 0),
    *[(f"set.{o}.{d}.{t} %d, %a, %b;", lambda a, b, c, f=f, one=one, half=half: sum(f(half(a >> k), half(b >> k)) * one << k for k in (0, 16)))
      for o, f in (("lt", lambda x, y: x < y), ("neu", lambda x, y: x != y), ("ge", lambda x, y: x >= y), ("num", lambda x, y: x == x and y == y))
      for t, d, one, half in (("f16x2", "f16x2", 0x3c00, lambda x: f16(x)), ("f16x2", "u32", 0xffff, lambda x: f16(x)),
                              ("bf16x2", "bf16x2", 0x3f80, lambda x: f32(x << 16)), ("bf16x2", "s32", 0xffff, lambda x: f32(x << 16)))],
    ("set.gt.and.f16x2.f16x2 %d, %a, %b, !%r;", lambda a, b, c: sum((f16(a >> k) > f16(b >> k) and not c & 1) * 0x3c00 << k for k in (0, 16))),
    ("set.le.f16.f16 %g, %h, 0; cvt.u32.u16 %d, %g;", lambda a, b, c: 0x3c00 if f16(a) <= 0 else 0),
    ("set.lt.f16.s32 %g, %a, %b; cvt.u32.u16 %d, %g;", lambda a, b, c: 0x3c00 if s(a) < s(b) else 0),
    ("set.lt.bf16.u32 %g, %a, %b; cvt.u32.u16 %d, %g;", lambda a, b, c: 0x3f80 if a < b else 0),
    ("set.gt.u16.f16 %g, %h, 0; cvt.u32.u16 %d, %g;", lambda a, b, c: 0xffff if f16(a) > 0 else 0),
    ("set.gt.s16.bf16 %g, %h, 0; cvt.s32.s16 %d, %g;", lambda a, b, c: -1 if f32(a << 16) > 0 else 0),
    ("slct.u32.s32 %d, %a, %b, %c;", lambda a, b, c: a if s(c) >= 0 else b),
    ("setp.ne.u32 %p, %a, %b; xor.pred %q, %p, %r; not.pred %q, %q; and.pred %p, %p, %q; or.pred %p, %p, %r; selp.u32 %d, 1, 0, %p;",
     lambda a, b, c: ((a != b) and not ((a != b) ^ (c & 1))) or c & 1),
    # conversions
    ("cvt.s32.s8 %d, %a;", lambda a, b, c: s(a, 8)), ("cvt.u32.u16 %d, %h;", lambda a, b, c: a & 0xffff),
    ("cvt.sat.u8.s32 %d, %a;", lambda a, b, c: max(0, min(255, s(a)))),
    ("cvt.s64.s32 %D, %a; shr.u64 %D, %D, 32; cvt.u32.u64 %d, %D;", lambda a, b, c: M32 if a >> 31 else 0),
    ("cvt.rn.f32.u32 %d, %a;", lambda a, b, c: single(Fraction(a)) if a else 0),
    ("cvt.rz.f32.s32 %d, %a;", lambda a, b, c: single(Fraction(s(a)), "z") if a else 0),
    # special registers, addresses
    ("mov.u32 %d, WARP_SZ;", lambda a, b, c: 32),
    ("mov.u64 %D, global; cvta.global.u64 %E, %D; sub.u64 %D, %E, %D; cvt.u32.u64 %d, %D;", lambda a, b, c: 0),
    ("mov.u64 %D, shared; cvta.shared.u64 %E, %D; isspacep.shared %p, %E; cvta.to.shared.u64 %E, %E; sub.u64 %D, %E, %D;"
     " cvt.u32.u64 %d, %D; selp.u32 %d, %d, 9, %p;", lambda a, b, c: 0),
    ("mov.u64 %D, local; cvta.local.u64 %E, %D; isspacep.local %p, %E; st.local.u32 [%D], %a; ld.u32 %d, [%E]; selp.u32 %d, %d, 9, %p;",
     lambda a, b, c: a),
    # memory
    ("st.local.u16 [local+2], %h; ld.local.s16 %g, [local+2]; cvt.s32.s16 %d, %g;", lambda a, b, c: s(a, 16)),
    ("st.local.v4.u8 [local], {%a, %b, %c, 7}; ld.local.u32 %d, [local];",
     lambda a, b, c: a & 255 | (b & 255) << 8 | (c & 255) << 16 | 7 << 24),
    ("st.local.v2.u32 [local], {%a, %b}; ld.local.v2.u32 {%t, %d}, [local];", lambda a, b, c: b),
    ("st.volatile.local.u32 [local], %a; ldu.global.u32 %t, [global]; ld.volatile.local.u32 %d, [local];", lambda a, b, c: a),
    ("prefetch.global.L2 [global]; prefetchu.L1 [global]; ld.global.u32 %d, [global];", lambda a, b, c: 0x12345678),
    ("ld.const.u32 %d, [constant+4];", lambda a, b, c: 22),
    ("alloca.u64 %D, 16, 8; st.local.u32 [%D+4], %a; stacksave.u64 %E; stackrestore.u64 %E; ld.local.u32 %d, [%D+4];",
     lambda a, b, c: a),
    # control flow
    ("setp.lt.u32 %p, %a, %b; @%p bra L1; mov.u32 %d, 1; bra.uni L2; L1: mov.u32 %d, 2; L2:", lambda a, b, c: 2 if a < b else 1),
    ("and.b32 %t, %a, 3; ts: .branchtargets A0, A1, A2, A3; brx.idx %t, ts; A0: mov.u32 %d, 10; bra E0; A1: mov.u32 %d, 11; bra E0;"
     " A2: mov.u32 %d, 12; bra E0; A3: mov.u32 %d, 13; E0:", lambda a, b, c: 10 + (a & 3)),
    ("call.uni (%d), triple, (%a);", lambda a, b, c: 3 * a),
    ("mov.u64 %D, triple; proto: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%d), %D, (%b), proto;", lambda a, b, c: 3 * b),
    ("mov.u32 %d, 5; setp.ne.u32 %p, %a, %a; @%p trap; @%p brkpt; @%p exit; @%p ret;", lambda a, b, c: 5),
    # the block and the warp
    ("activemask.b32 %d;", lambda a, b, c: M32), ("bar.sync 0; membar.gl; fence.sc.cta; nanosleep.u32 20; pmevent 1; mov.u32 %d, 1;",
                                                  lambda a, b, c: 1),
    ("redux.sync.add.s32 %d, 3, -1;", lambda a, b, c: 96), ("redux.sync.xor.b32 %d, 7, -1;", lambda a, b, c: 0),
    *[(f".reg .b16 %e; cvt.rn.satfinite{r}.{k}x2.f32 %e, %a, %b; cvt.u32.u16 %d, %e;",
       lambda a, b, c, k=k, r=r: eighth(k, f32(a), r) << 8 | eighth(k, f32(b), r), "f") for k in EIGHTHS for r in ("", ".relu")],
    *[(f".reg .b16 %e; cvt.rn.satfinite{r}.{k}x2.f16x2 %e, %a; cvt.u32.u16 %d, %e;",
       lambda a, b, c, k=k, r=r: eighth(k, f16(a >> 16), r) << 8 | eighth(k, f16(a), r)) for k in EIGHTHS for r in ("", ".relu")],
    *[(f"cvt.rn{r}.f16x2.{k}x2 %d, %h;", lambda a, b, c, k=k, r=r: half_of_eighth(k, a >> 8 & 255, r) << 16 | half_of_eighth(k, a & 255, r))
      for k in EIGHTHS for r in ("", ".relu")],
    *[(f"cvt.{m}.tf32.f32 %d, %a;", lambda a, b, c, m=m: tf32(a, m), "f") for m in ("rna", "rn", "rz")],
    *[(f"cvt.pack.sat.{t}{n}.s32{'.b32' * (n < 16)} %d, %a, %b{', %c' * (n < 16)};", lambda a, b, c, n=n, t=t: packed(a, b, c, n, t == "s"))
      for n in (16, 8, 4, 2) for t in "su"],
    ("griddepcontrol.wait; setmaxnreg.dec.sync.aligned.u32 40; fence.mbarrier_init.release.cluster; griddepcontrol.launch_dependents; mov.u32 %d, 3;",
     lambda a, b, c: 3),
    ("elect.sync %d|%p, -1; selp.u32 %d, 100, %d, %p;", lambda a, b, c, n=iter(range(10**9)): 100 if next(n) % 32 == 0 else 0),
    ("createpolicy.fractional.L2::evict_last.b64 %D, 0.5; applypriority.global.L2::evict_normal [%y], 128; mov.u32 %d, 7;", lambda a, b, c: 7),
    ("bmsk.clamp.b32 %d, %a, %b;", lambda a, b, c: ((1 << min(b, 32)) - 1) << min(a, 32) & M32),
    ("bmsk.wrap.b32 %d, %a, %b;", lambda a, b, c: ((1 << b % 32) - 1) << a % 32 & M32),
    ("szext.clamp.u32 %d, %a, %b;", lambda a, b, c: a & (1 << min(b, 32)) - 1),
    ("szext.wrap.s32 %d, %a, %b;", lambda a, b, c: s(a, b % 32) & M32 if b % 32 else 0),
    *[(f"dp2a.{half}.{ta}32.{tb}32 %d, %a, %b, %c;",
       lambda a, b, c, h=half, ta=ta, tb=tb: c + sum((s(x, 16) if ta == "s" else x) * (s(y, 8) if tb == "s" else y) for x, y in zip(
           (a & 0xffff, a >> 16 & 0xffff), ((b >> 16 * (h == "hi") & 0xff), (b >> 16 * (h == "hi") + 8 & 0xff)))) & M32)
      for half in ("lo", "hi") for ta in "us" for tb in "us"],
    ("shfl.sync.idx.b32 %d, 9, 4, 31, -1;", lambda a, b, c: 9),
    ("match.any.sync.b32 %d, 4, -1;", lambda a, b, c: M32),
    ("red.shared.add.u32 [shared], 0; atom.shared.or.b32 %d, [shared], 0;", lambda a, b, c: 0),
    ("testp.finite.f32 %p, %a; selp.u32 %d, 1, 0, %p;", lambda a, b, c: math.isfinite(f32(a)), "f"),
    ("testp.notanumber.f32 %p, %a; selp.u32 %d, 1, 0, %p;", lambda a, b, c: math.isnan(f32(a)), "f"),
    ("testp.subnormal.f32 %p, %a; selp.u32 %d, 1, 0, %p;", lambda a, b, c: 0 < a & M32 >> 1 < 0x800000, "f"),
    # single precision
    ("add.rn.f32 %d, %a, %b;", lambda a, b, c: exact(lambda x, y: x + y, a, b), "f"),
    ("sub.f32 %d, %a, %b;", lambda a, b, c: exact(lambda x, y: x - y, a, b), "f"),
    ("mul.f32 %d, %a, %b;", lambda a, b, c: exact(lambda x, y: x * y, a, b), "f"),
    ("fma.rn.f32 %d, %a, %b, %c;", lambda a, b, c: fma(a, b, c), "f"),
    *[(f"mad.r{m}.f32 %d, %a, %b, %c;", lambda a, b, c, m=m: fma(a, b, c, m), "f") for m in "zmp"],
    ("add.ftz.f32 %d, %a, %b;", lambda a, b, c: flushed(exact(lambda x, y: x + y, flushed(a), flushed(b))), "f"),
    ("add.sat.f32 %d, %a, %b;", lambda a, b, c: saturated(exact(lambda x, y: x + y, a, b)), "f"),
    ("div.rn.f32 %d, %a, %b;", lambda a, b, c: quotient(a, b), "f"), ("rcp.rn.f32 %d, %a;", lambda a, b, c: quotient(0x3f800000, a), "f"),
    ("sqrt.rn.f32 %d, %a;", lambda a, b, c: root(a), "f"),
    ("abs.f32 %d, %a;", lambda a, b, c: a & M32 >> 1 if a & M32 >> 1 <= 0x7f800000 else None, "f"),
    ("neg.f32 %d, %a;", lambda a, b, c: a ^ 1 << 31 if a & M32 >> 1 <= 0x7f800000 else None, "f"),
    ("min.f32 %d, %a, %b;", lambda a, b, c: fminmax(a, b, True), "f"), ("max.f32 %d, %a, %b;", lambda a, b, c: fminmax(a, b, False), "f"),
    ("max.ftz.f32 %d, %a, %b;", lambda a, b, c: fminmax(a, b, False, True), "f"),
    ("copysign.f32 %d, %a, %b;", lambda a, b, c: b & M32 >> 1 | a & 1 << 31, "f"),
    ("setp.ltu.f32 %p, %a, %b; selp.u32 %d, 1, 0, %p;", lambda a, b, c: compare(a, b)[0] or compare(a, b)[3], "f"),
    ("setp.num.f32 %p, %a, %b; selp.u32 %d, 1, 0, %p;", lambda a, b, c: not compare(a, b)[3], "f"),
    ("setp.ge.f32 %p, %a, %b; selp.u32 %d, 1, 0, %p;", lambda a, b, c: compare(a, b)[1] or compare(a, b)[2], "f"),
    ("setp.neu.f32 %p, %a, %b; selp.u32 %d, 1, 0, %p;", lambda a, b, c: not compare(a, b)[1], "f"),
    ("cvt.rzi.s32.f32 %d, %a;", lambda a, b, c: to_int(a, -1 << 31, (1 << 31) - 1), "f"),
    ("cvt.rni.u32.f32 %d, %a;", lambda a, b, c: to_int(a, 0, M32, even), "f"),
    ("cvt.rmi.s32.f32 %d, %a;", lambda a, b, c: to_int(a, -1 << 31, (1 << 31) - 1, math.floor), "f"),
    ("cvt.rpi.f32.f32 %d, %a;", lambda a, b, c: ceiling(a), "f"),
    ("cvt.f64.f32 %D, %a; cvt.rn.f32.f64 %d, %D;", lambda a, b, c: a if not math.isnan(f32(a)) else None, "f"),
    ("cvt.rn.f16.f32 %h, %a; cvt.f32.f16 %d, %h;", lambda a, b, c: half(a), "f"),
    # bfloat16 and what came with it; pairs
    *[(f"{o}.bf16x2 %d, %a, %b;", lambda a, b, c, f=f: brains(f, a, b)) for o, f in
      (("add.rn", lambda x, y: x + y), ("sub.rn", lambda x, y: x - y), ("mul.rn", lambda x, y: x * y), ("max", max), ("min", min))],
    ("fma.rn.bf16x2 %d, %a, %b, %c;", lambda a, b, c: brains(lambda x, y, z: x * y + z, a, b, c)),
    ("fma.rn.bf16 %h, %h, %h, %h; cvt.u32.u16 %d, %h;", lambda a, b, c: brain(lambda x: x * x + x, a & 0xffff)),
    ("fma.rn.relu.bf16x2 %d, %a, %b, %c;", lambda a, b, c: brains(lambda x, y, z: max(x * y + z, 0), a, b, c)),
    ("abs.bf16x2 %d, %a; neg.bf16x2 %d, %d;", lambda a, b, c: brains(lambda x: -abs(x), a)),
    ("setp.lt.bf16x2 %p|%q, %a, %b; selp.u32 %d, 1, 0, %p; selp.u32 %t, 2, 0, %q; or.b32 %d, %d, %t;",
     lambda a, b, c: sum((f32(a << 16 - k & 0xffff0000) < f32(b << 16 - k & 0xffff0000)) << k // 16 for k in (0, 16))),
    ("setp.ge.f16x2 %p|%q, %a, %b; selp.u32 %d, 1, 0, %p; selp.u32 %t, 2, 0, %q; or.b32 %d, %d, %t;",
     lambda a, b, c: sum((f16(a >> k) >= f16(b >> k)) << k // 16 for k in (0, 16))),
    ("cvt.rn.bf16.f32 %h, %a; cvt.u32.u16 %d, %h;", lambda a, b, c: rounded_brain(Fraction(f32(a))) if math.isfinite(f32(a)) and f32(a) else None, "f"),
    ("cvt.rn.relu.bf16.f32 %h, %a; cvt.u32.u16 %d, %h;",
     lambda a, b, c: 0 if f32(a) <= 0 else rounded_brain(Fraction(f32(a))) if math.isfinite(f32(a)) else None, "f"),
    ("cvt.u64.u32 %D, %a; shl.b64 %D, %D, 32; cvt.u64.u32 %E, %b; or.b64 %D, %D, %E; cvt.rn.bf16.u64 %h, %D; cvt.u32.u16 %d, %h;",
     lambda a, b, c: rounded_brain(Fraction(a << 32 | b)) if a | b else 0),
    ("max.xorsign.abs.f32 %d, %a, %b;", lambda a, b, c: xorsign(max, a, b), "f"),
    ("min.xorsign.abs.f32 %d, %a, %b;", lambda a, b, c: xorsign(min, a, b), "f"),
    ("fma.rn.relu.f16 %h, %h, %h, 0x8000; cvt.u32.u16 %d, %h;", lambda a, b, c: half_square(a)),
    ("fns.b32 %d, %a, 7, 3;", lambda a, b, c: ([i for i in range(7, 32) if a >> i & 1] + 3 * [M32])[2]),
    ("fns.b32 %d, %a, 20, -2;", lambda a, b, c: ([i for i in range(20, -1, -1) if a >> i & 1] + 2 * [M32])[1]),
    ("fns.b32 %d, %a, 5, 0;", lambda a, b, c: 5 if a >> 5 & 1 else M32),
    ("mov.u32 %d, %tid.w; mov.u32 %t, %ntid.w; shl.b32 %t, %t, 4; or.b32 %d, %d, %t; mov.u32 %t, %pm0; or.b32 %d, %d, %t;", lambda a, b, c: 16),
    # approximations: where they are exact
    ("sin.approx.f32 %d, 0f00000000;", lambda a, b, c: 0), ("cos.approx.f32 %d, 0f00000000;", lambda a, b, c: 0x3f800000),
    ("lg2.approx.f32 %d, 0f41000000;", lambda a, b, c: b32(3.0)), ("ex2.approx.f32 %d, 0f40400000;", lambda a, b, c: b32(8.0)),
    ("rsqrt.approx.f32 %d, 0f3e800000;", lambda a, b, c: b32(2.0)), ("tanh.approx.f32 %d, 0f00000000;", lambda a, b, c: 0),
    # upper dwords only, no subnormal numbers: of 3 with a lower dword that does not count, of the least normal number's quotient, of subnormals
    ("mov.b64 %D, 0x40080000ffffffff; rcp.approx.ftz.f64 %D, %D; cvt.u32.u64 %t, %D; shr.u64 %D, %D, 32; cvt.u32.u64 %d, %D; or.b32 %d, %d, %t;", lambda a, b, c: 0x3fd55555),
    ("mov.b64 %D, 0x7fe0000000000000; rcp.approx.ftz.f64 %D, %D; shr.u64 %D, %D, 32; cvt.u32.u64 %d, %D;", lambda a, b, c: 0),
    ("mov.b64 %D, 0x8008000000000000; rcp.approx.ftz.f64 %D, %D; shr.u64 %D, %D, 32; cvt.u32.u64 %d, %D;", lambda a, b, c: 0xfff00000),
    ("mov.b64 %D, 0x4010000000000000; rsqrt.approx.ftz.f64 %D, %D; shr.u64 %D, %D, 32; cvt.u32.u64 %d, %D;", lambda a, b, c: 0x3fe00000),
    ("mov.b64 %D, 0x0008000000000000; rsqrt.approx.ftz.f64 %D, %D; shr.u64 %D, %D, 32; cvt.u32.u64 %d, %D;", lambda a, b, c: 0x7ff00000),
    ("mov.b16 %h, 0xc2fe; ex2.approx.ftz.bf16 %h, %h; cvt.u32.u16 %d, %h;", lambda a, b, c: 0),
    ("mov.b16 %h, 0xc2fc; ex2.approx.ftz.bf16 %h, %h; cvt.u32.u16 %d, %h;", lambda a, b, c: 0x0080),
]


def fma(a, b, c, mode="n"):
    x, y, z = f32(a), f32(b), f32(c)
    if all(map(math.isfinite, (x, y, z))):
        r = Fraction(x) * Fraction(y) + Fraction(z)
        if r:
            return single(r, mode)
        return None  # the sign of a zero
    try:
        return b32(x * y + z) if math.isfinite(x * y) or not math.isfinite(x) or not math.isfinite(y) else b32(z)
    except (OverflowError, ValueError):
        return 0x7fffffff


def saturated(bits):
    x = f32(bits)
    return 0 if x != x or x <= 0 else b32(min(x, 1.0))


def quotient(a, b):
    x, y = f32(a), f32(b)
    sign = (a ^ b) & 1 << 31
    if x != x or y != y or (x == 0 and y == 0) or (math.isinf(x) and math.isinf(y)):
        return 0x7fffffff
    if y == 0 or math.isinf(x):
        return sign | 0x7f800000
    return sign if x == 0 or math.isinf(y) else single(Fraction(x) / Fraction(y))


def root(a):
    x = f32(a)
    return 0x7fffffff if x != x or x < 0 else a if x == 0 or math.isinf(x) else b32(math.sqrt(x))


def ceiling(a):
    x = f32(a)
    if not math.isfinite(x):
        return None if x != x else a
    return b32(float(math.ceil(x))) | (a & 1 << 31)


def rounded_brain(value):
    """The nearest bfloat16 of a number that is not zero, by its definition."""
    magnitude = abs(value)
    exponent = -126
    while Fraction(2) ** (exponent + 1) <= magnitude:
        exponent += 1
    quantum = Fraction(2) ** (exponent - 7)
    nearest = round(magnitude / quantum) * quantum
    return b32(float(nearest) if nearest < 1 << 128 else math.inf) >> 16 | (value < 0) << 15


def brain(operation, *bits):
    """None: a NaN, an infinity, or a zero whose sign another rule settles."""
    values = [f32(b << 16) for b in bits]
    if not all(map(math.isfinite, values)):
        return None
    result = operation(*map(Fraction, values))
    return rounded_brain(result) if result else None


def brains(operation, *pairs):
    low, high = (brain(operation, *(p >> k & 0xffff for p in pairs)) for k in (0, 16))
    return None if low is None or high is None else low | high << 16


def f16(bits):
    return struct.unpack("<e", struct.pack("<H", bits & 0xffff))[0]


def half_square(a):
    """The square of a half is not below zero: -0 is added."""
    x = f16(a)
    if not math.isfinite(x) or not x:
        return None
    try:
        return struct.unpack("<H", struct.pack("<e", x * x))[0]
    except OverflowError:
        return 0x7c00


def xorsign(choose, a, b):
    x, y = a & M32 >> 1, b & M32 >> 1
    if x > 0x7f800000 or y > 0x7f800000:
        return None
    return choose(x, y) | (a ^ b) & 1 << 31


def half(a):
    x = f32(a)
    if x != x:
        return None
    try:
        return b32(struct.unpack("<e", struct.pack("<e", x))[0])
    except OverflowError:
        return 0x7f800000 | a & 1 << 31


CASES = [c if len(c) == 3 else (*c, "i") for c in C]
HEAD = """.version 8.5
.target sm_80
.address_size 64
.global .align 4 .u32 global = 0x12345678;
.const .align 4 .u32 constant[2] = {11, 22};
.shared .align 4 .u32 shared;
.func (.reg .b32 %out) triple(.reg .b32 %in) { mul.lo.u32 %out, %in, 3; ret; }
.func (.reg .b32 %out) less(.param .u32 %x, .param .u32 %y)
{ .reg .b32 %a, %b; ld.param.u32 %a, [%x]; ld.param.u32 %b, [%y]; sub.u32 %out, %a, %b; ret; }
.global .align 16 .v4 .u32 wide[3];
.global .align 4 .u32 folded[1 + 1] = {(1 << 5) - 1, 0x7fe / 2};
.func (.reg .v2 .u32 %out) swapped(.reg .v2 .u32 %in) { mov.v2.u32 %out, {%in.y, %in.x}; ret; }
.func (.reg .v2 .u64 %out) swapped64(.reg .v2 .u64 %in, .reg .u32 %more)
{ .reg .u64 %m; cvt.u64.u32 %m, %more; add.u64 %m, %m, %in.y; mov.v2.u64 %out, {%m, %in.x}; ret; }
.func (.reg .u32 %out) first(.reg .v4 .u16 %in) { cvt.u32.u16 %out, %in.x; ret; }
.func (.param .v2 .u32 out) memory(.param .v2 .u32 in)
{ .reg .u32 %a, %b; ld.param.v2.u32 {%a, %b}, [in]; st.param.v2.u32 [out], {%b, %a}; ret; }
.visible .entry k(.param .u64 out, .param .u64 in)
{
.reg .b16 %h, %g; .reg .b32 %a, %b, %c, %d, %t, %i; .reg .v2 .u32 %V, %W; .reg .v2 .u64 %X; .reg .v4 .u16 %Q; .reg .f32 %f;
.local .align 4 .u32 words[8]; .reg .b64 %D, %E, %x, %y; .reg .pred %p, %q, %r;
.local .align 16 .b8 local[32];
ld.param.u64 %x, [in];
ld.param.u64 %y, [out];
mov.u32 %i, %tid.x;
mad.wide.u32 %x, %i, 12, %x;
mad.wide.u32 %y, %i, 4, %y;
ld.global.u32 %a, [%x];
ld.global.u32 %b, [%x+4];
ld.global.u32 %c, [%x+8];
cvt.u16.u32 %h, %a;
and.b32 %t, %c, 1;
setp.ne.u32 %r, %t, 0;
"""


def run(folder, text, data, out=4 * LANES, block=LANES):
    (folder / "k.ptx").write_text(HEAD + text + "\nst.global.u32 [%y], %d;\nret;\n}\n")
    (folder / "in").write_bytes(data)
    done = subprocess.run([WAVETRAP, "run", f"--grid={block}", f"--block={block}", f"--arg=zeros:{out}", f"--arg=file:{folder}/in",
                           f"--dump-arg=0:{folder}/out", folder / "k.ptx"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return (folder / "out").read_bytes()


def check_operands(folder):
    """What its instructions state that they read and write is what they do: see ptx_poison.c. Under sanitizers `make full` has it."""
    if needed() and "WAVETRAP_FULL" not in os.environ:
        return
    done = subprocess.run([BUILD / "tests" / "isa" / "sm" / "ptx_poison", folder / "k.ptx", folder / "in"], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text, want, kind", CASES, ids=[c[0].split(";")[0].split("%")[0].strip() + str(i) for i, c in enumerate(CASES)])
def test_row(tmp_path, text, want, kind):
    random.seed(text)
    inputs = []
    for i in range(LANES):
        pool = EDGES if kind == "i" else FLOATS
        inputs.append([random.choice(pool) if random.random() < .5 else
                       random.getrandbits(32) if random.random() < .7 or kind == "i" else b32(random.uniform(-100, 100)) for _ in range(3)])
    got = struct.unpack(f"<{LANES}I", run(tmp_path, text, b"".join(struct.pack("<3I", *v) for v in inputs)))
    for i, v in enumerate(inputs):
        w = want(*v)
        assert w is None or got[i] == w & M32, \
            f"lane {i}: {got[i]:08x}, not {w & M32:08x}, of {v[0]:08x} {v[1]:08x} {v[2]:08x}"
    check_operands(tmp_path)


def lanes(folder, text, inputs=None, block=LANES):
    return struct.unpack(f"<{block}I", run(folder, text, inputs or b"".join(struct.pack("<3I", i, i * i, i & 1) for i in range(block)),
                                           4 * block, block))


@pytest.mark.parametrize("text, why", [
    ("add.f32 %f, %f + 1, %f;", "'%f' is a register of a floating-point type, to which no number is added"),
    ("add.u32 %d + 1, %a, %b;", "a destination with an offset"), ("mov.u32 %d, 1 / 0;", "a division by zero"),
    ("mov.u32 %d, 1 + 2.0;", "an integer and a floating-point number in one expression"), ("mov.u32 %d, ~2.0;", "'~' of a floating-point number"),
    ("mov.u32 %d, (1 << 5;", "')'"), ("mov.u64 %D, triple + 4;", "the address of a function with an offset"),
    ("mov.u32 %d, %a[1];", "'%a' is not an array"), ("and.pred %p, %p + 1, %q;", "'%p' is a predicate, to which no number is added")])
def test_operands_that_are_none(tmp_path, text, why):
    (tmp_path / "k.ptx").write_text(HEAD + text + "\nret;\n}\n")
    done = subprocess.run([WAVETRAP, "run", "--grid=1", "--arg=zeros:4", "--arg=zeros:12", tmp_path / "k.ptx"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 125 and why in done.stderr, done.stderr


@pytest.mark.parametrize("mode, source", [("up", lambda i: i - 3 if i >= 3 else i), ("down", lambda i: i + 3 if i + 3 < 32 else i),
                                          ("bfly", lambda i: i ^ 3), ("idx", lambda i: 3)])
def test_shuffles(tmp_path, mode, source):
    clamp = 0 if mode == "up" else 31
    got = lanes(tmp_path, f"shfl.sync.{mode}.b32 %d|%p, %b, 3, {clamp}, -1; @!%p add.u32 %d, %d, 100000;")
    for i in range(LANES):
        k, inside = source(i % 32), {"up": i % 32 >= 3, "down": i % 32 < 29}.get(mode, True)
        assert got[i] == (i // 32 * 32 + k) ** 2 + (0 if inside else 100000)
    # Segments of 8 lanes.
    got = lanes(tmp_path, f"shfl.sync.idx.b32 %d, %b, 2, {(32 - 8) << 8 | 31}, -1;")
    assert list(got) == [(i // 8 * 8 + 2) ** 2 for i in range(LANES)]


def test_a_shuffle_from_a_lane_that_is_no_member_gives_zero(tmp_path):
    """The manual leaves the value open; GPUs of NVIDIA give 0, on which a public reduction sample stands. The predicate is of the
    lane number alone. Without .sync there are no members: an inactive lane's register is read."""
    got = lanes(tmp_path, "mov.u32 %d, 5; @%r bra END; shfl.sync.down.b32 %d|%p, %b, 1, 31, 0x55555555; selp.u32 %t, 1000000, 0, %p;"
                          " add.u32 %d, %d, %t; END:")
    assert list(got) == [5 if i & 1 else 1000000 for i in range(LANES)]
    got = lanes(tmp_path, "mov.u32 %d, 5; and.b32 %t, %i, 16; setp.ne.u32 %p, %t, 0; @%p bra END; shfl.sync.down.b32 %d, %b, 8, 31, 0xffff; END:")
    assert list(got) == [5 if i & 16 else (i + 8) ** 2 if i % 32 < 8 else 0 for i in range(LANES)]


def test_copies_to_shared_memory(tmp_path):
    """Bytes beyond those that are read become zeros; nothing is read where there are none."""
    text = """mov.u32 %t, room; shl.b32 %c, %i, 4; add.u32 %t, %t, %c;
ld.param.u64 %E, [in]; cvt.u64.u32 %D, %c; add.u64 %D, %D, %E;
st.shared.u32 [%t], -1; st.shared.u32 [%t+4], -1; st.shared.u32 [%t+8], -1; st.shared.u32 [%t+12], -1;
and.b32 %a, %i, 3; mul.lo.u32 %b, %a, 5;
setp.eq.u32 %p, %a, 0; @%p mov.u64 %D, 0;
cp.async.ca.shared.global.L2::128B [%t], [%D], 16, %b;
cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;
setp.eq.u32 %p, %i, 31; @%p cp.async.cg.shared.global [%t], [%E+16], 16; @%p cp.async.ca.shared.global [%t+4], [%E], 4;
ld.shared.u32 %d, [%t]; st.global.u32 [%y+128], %d; ld.shared.u32 %d, [%t+4]; st.global.u32 [%y+256], %d;
ld.shared.u32 %d, [%t+8]; st.global.u32 [%y+384], %d; ld.shared.u32 %d, [%t+12];"""
    data = bytes((7 * i + 1) & 255 for i in range(16 * 32))
    got = run(tmp_path, ".shared .align 16 .b8 room[512];\n" + text, data, 512, 32)
    for i in range(32):
        want = data[16 * i:16 * i + i % 4 * 5] + bytes(16 - i % 4 * 5)
        if i == 31:
            want = data[16:20] + data[:4] + data[24:32]
        at = [128 + 4 * i, 256 + 4 * i, 384 + 4 * i, 4 * i]
        assert b"".join(got[a:a + 4] for a in at) == want, i


def test_votes_and_matches(tmp_path):
    assert set(lanes(tmp_path, "vote.sync.ballot.b32 %d, %r, -1;")) == {0xaaaaaaaa}
    for mode, want in (("any", 1), ("all", 0), ("uni", 0)):
        assert set(lanes(tmp_path, f"vote.sync.{mode}.pred %p, %r, -1; selp.u32 %d, 1, 0, %p;")) == {want}
    got = lanes(tmp_path, "and.b32 %t, %i, 3; match.any.sync.b32 %d, %t, -1;")
    assert list(got) == [0x11111111 << (i & 3) for i in range(LANES)]
    got = lanes(tmp_path, "match.all.sync.b32 %d|%p, %c, -1; selp.u32 %d, 1, %d, %p;")
    assert set(got) == {0}
    got = lanes(tmp_path, "@%r bra ODD; vote.sync.ballot.b32 %d, %r, 0x55555555; bra END; ODD: activemask.b32 %d; END:")
    assert list(got) == [0xaaaaaaaa if i & 1 else 0 for i in range(LANES)]


@pytest.mark.parametrize("op, fold", [("add", lambda x: sum(x)), ("min", min), ("max", max), ("and", lambda x: x[0] & x[1] and 0),
                                      ("or", lambda x: 63 if x[-1] == 63 else 31), ("xor", lambda x: 0)])
def test_reductions_of_a_warp(tmp_path, op, fold):
    got = lanes(tmp_path, f"redux.sync.{op}.{'b32' if op in ('and', 'or', 'xor') else 'u32'} %d, %a, -1;")
    want = [fold(range(i // 32 * 32, i // 32 * 32 + 32)) for i in range(LANES)]
    if op == "and":
        want = [32 if i >= 32 else 0 for i in range(LANES)]
    assert list(got) == want


def test_a_cluster_is_one_cta(tmp_path):
    """Its registers, addresses of shared memory and ranks in it."""
    text = """mov.u32 %t, shared; st.shared::cluster.u32 [%t], 41; mapa.shared::cluster.u32 %t, %t, %cluster_ctarank;
ld.shared::cta.u32 %d, [%t]; add.u32 %d, %d, %cluster_nctarank; getctarank.shared::cluster.u32 %c, %t; add.u32 %d, %d, %c;
mul.lo.u32 %d, %d, %cluster_nctaid.y; add.u32 %d, %d, %cluster_ctaid.z; mad.lo.u32 %d, %nclusterid.x, 1000, %d; mad.lo.u32 %d, %clusterid.x, 10000, %d;
cvta.shared.u64 %D, shared; mapa.u64 %E, %D, 0; setp.ne.u64 %p, %D, %E; @%p mov.u32 %d, 0; isspacep.shared::cluster %p, %E; @!%p mov.u32 %d, 1;"""
    assert set(lanes(tmp_path, text)) == {1042}


def test_barriers_reduce_and_count_threads(tmp_path):
    assert set(lanes(tmp_path, "bar.red.popc.u32 %d, 0, %r;", block=128)) == {64}
    assert set(lanes(tmp_path, "barrier.red.and.pred %p, 1, %r; selp.u32 %d, 1, 0, %p;", block=128)) == {0}
    assert set(lanes(tmp_path, "bar.red.or.pred %p, 1, %r; selp.u32 %d, 1, 0, %p;", block=128)) == {1}
    # Warps 0 and 1 meet by a count; the others only arrive at another barrier.
    text = """setp.lt.u32 %p, %i, 64; @!%p bra REST; st.volatile.shared.u32 [shared], %i; bar.sync 3, 64; mov.u32 %d, 1; bra END;
              REST: bar.arrive 4, 96; mov.u32 %d, 2; END: bar.warp.sync -1;"""
    assert list(lanes(tmp_path, text, block=128)) == [1] * 64 + [2] * 64
    # Lanes of one warp on two paths.
    text = "@%r bra ODD; barrier.sync 5; mov.u32 %d, 1; bra END; ODD: barrier.sync 5; mov.u32 %d, 2; END:"
    assert list(lanes(tmp_path, text)) == [1 + (i & 1) for i in range(LANES)]


@pytest.mark.parametrize("op, data, fold", [
    ("add.u32", "%a", lambda x: sum(x)), ("min.s32", "%a", min), ("max.u32", "%b", lambda x: 63 * 63), ("or.b32", "%a", lambda x: 63),
    ("and.b32", "%a", lambda x: 0), ("xor.b32", "%b", None), ("inc.u32", "5", lambda x: 64 % 6), ("dec.u32", "5", None),
    ("exch.b32", "%a", None), ("add.f32", "0f3f800000", lambda x: b32(64.0))])
def test_atomics(tmp_path, op, data, fold):
    """What stands there at the end; each lane has got what was there before it."""
    got = lanes(tmp_path, f"atom.shared.{op} %d, [shared], {data}; bar.sync 0; atom.shared.or.b32 %t, [shared], 0;"
                          " setp.eq.u32 %p, %i, 0; @%p mov.u32 %d, %t;")
    if fold:
        assert got[0] == fold(range(LANES)) & M32
    if op == "exch.b32":
        assert sorted(got[1:]) == [*range(0, 62), 62] and got[0] == 63
    if op == "inc.u32":
        assert sorted(got[1:]) == sorted([i % 6 for i in range(1, 64)])


def test_compare_and_swap(tmp_path):
    """A lock that lanes of one warp take in turn: the one that holds it goes on while the others spin."""
    text = """AGAIN: atom.shared.cas.b32 %t, [shared], 0, 1; setp.ne.u32 %p, %t, 0; @%p bra AGAIN;
              ld.volatile.global.u32 %d, [global]; add.u32 %d, %d, 1; st.volatile.global.u32 [global], %d;
              membar.cta; atom.shared.exch.b32 %t, [shared], 0; sub.u32 %d, %d, 0x12345678;"""
    assert sorted(lanes(tmp_path, text)) == list(range(1, LANES + 1))


def test_special_registers(tmp_path):
    for name, want in {"%tid.x": lambda i: i, "%ntid.x": lambda i: LANES, "%ctaid.y": lambda i: 0, "%nctaid.x": lambda i: 1,
                       "%laneid": lambda i: i % 32, "%warpid": lambda i: i // 32, "%smid": lambda i: 0, "%nsmid": lambda i: 1,
                       "%lanemask_lt": lambda i: (1 << i % 32) - 1, "%lanemask_eq": lambda i: 1 << i % 32,
                       "%lanemask_gt": lambda i: M32 << i % 32 + 1 & M32, "%lanemask_le": lambda i: (2 << i % 32) - 1,
                       "%lanemask_ge": lambda i: M32 << i % 32 & M32}.items():
        assert list(lanes(tmp_path, f"mov.u32 %d, {name};")) == [want(i) for i in range(LANES)], name
    got = lanes(tmp_path, "mov.u64 %D, %clock64; mov.u64 %E, %clock64; sub.u64 %D, %E, %D; cvt.u32.u64 %d, %D;")
    assert all(got)


def test_every_row_is_in_a_case():
    listed = subprocess.run([WAVETRAP, "info", "--isa", "--gpu=sm"], capture_output=True, text=True, check=True).stdout
    rows = set(re.findall(r"^ptx (\w+)", listed, re.M))
    textures = Path(__file__).parents[2] / "host" / "cuda_textures.c"  # they need the driver's descriptions
    here = "".join(f.read_text() for f in (Path(__file__), textures, *Path(__file__).parent.glob("test_ptx_[fm]*.py")))
    tested = {m for m in rows if re.search(rf"[\"; ]{m}[. ;]", here)}
    assert len(rows) > 80 and rows == tested, sorted(rows - tested)
