"""Arithmetic of sm_50 against models in Python: each instruction on random and on awkward values."""
import random
import struct
from fractions import Fraction

import pytest

from sm_program import INPUTS, KERNEL2, STORE, launch

M32, M64 = 0xffffffff, 0xffffffffffffffff
EDGES = [0, 1, 2, 31, 32, 33, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, M32]
FLOATS = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x807fffff, 0x00800000,
          0x7f7fffff, 0x4b000001, 0x3f000000, 0xc0a00000, 0x33800000, 0x40490fdb]


def s32(v):
    return v - (1 << 32) if v >> 31 else v


def sx(v, bits):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def f32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def f64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits64(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def is_nan(bits):
    return bits & 0x7fffffff > 0x7f800000


def exact(bits):
    return Fraction(f32(bits))


def round32(value, sign_of_zero=0, mode="RN"):
    """A Fraction as binary32."""
    if value == 0:
        return sign_of_zero << 31
    sign, value = (1, -value) if value < 0 else (0, value)
    exponent = -149
    while value >= Fraction(2) ** (exponent + 24):
        exponent += 1
    scaled = value / Fraction(2) ** exponent
    low = scaled.numerator // scaled.denominator
    rest = scaled - low
    up = {"RN": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low & 1), "RZ": False,
          "RM": sign and rest > 0, "RP": not sign and rest > 0}[mode]
    low += up
    if low == 1 << 24:
        low, exponent = low >> 1, exponent + 1
    if exponent > 104:
        infinite = mode == "RN" or mode == ("RM" if sign else "RP")
        return sign << 31 | (0x7f800000 if infinite else 0x7f7fffff)
    return sign << 31 | (low if low < 1 << 23 else ((exponent + 150) << 23) + low - (1 << 23))


def fma(a, b, c, mode="RN"):
    if any(map(is_nan, (a, b, c))):
        return 0x7fffffff
    infinite = [x & 0x7fffffff == 0x7f800000 for x in (a, b, c)]
    if infinite[0] or infinite[1]:
        product = (a ^ b) & 0x80000000 | 0x7f800000
        if not a & 0x7fffffff or not b & 0x7fffffff or (infinite[2] and product != c):
            return 0x7fffffff
        return product
    if infinite[2]:
        return c
    product, total = exact(a) * exact(b), exact(a) * exact(b) + exact(c)
    if total == 0:
        signs = ((a ^ b) >> 31, c >> 31)
        if product == 0 and not c & 0x7fffffff and signs[0] == signs[1]:
            return signs[0] << 31
        return 0x80000000 if mode == "RM" else 0
    return round32(total, 0, mode)


def fadd(a, b, mode="RN"):
    return fma(a, 0x3f800000, b, mode)


def fmul(a, b, mode="RN"):
    zero = (a ^ b) & 0x80000000
    result = fma(a, b, zero, mode)
    return result


def flush(v):
    return v if v & 0x7f800000 else v & 0x80000000


def lop3(a, b, c, table):
    return sum((table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i for i in range(32))


def prmt(a, b, c):
    pair, out = c << 32 | a, 0
    for i in range(4):
        s = b >> 4 * i & 15
        byte = pair >> 8 * (s & 7) & 255
        out |= ((255 if byte >> 7 else 0) if s & 8 else byte) << 8 * i
    return out


def bfe(a, b, signed):
    pos, width = b & 255, b >> 8 & 255
    if not width:
        return 0
    wide = s32(a) if signed else a
    part = wide >> min(pos, 63)
    return (sx(part, width) if signed else part & ((1 << width) - 1)) & M32 if width < 32 else part & M32


def bfi(a, b, c):
    pos, width = b & 255, b >> 8 & 255
    mask = ((1 << min(width, 32)) - 1) << pos & M32 if pos < 32 else 0
    return (c & ~mask) | (a << pos & mask if pos < 32 else 0)


def f2i(value, bits, signed, how):
    import math
    if math.isnan(value):
        return 0 if bits < 64 else 1 << 63
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if math.isinf(value):
        return (high if value > 0 else low) & M64
    whole = {"": round, "FLOOR": math.floor, "CEIL": math.ceil, "TRUNC": math.trunc}[how](Fraction(value))
    return max(low, min(high, whole)) & M64


# Instructions on a = R4 (R5:R4), b = R6, c = R8 to R10 (R11:R10); what they compute. R11 is 0 before.
CASES = {
    "IADD R10, R4, R6": lambda a, b, c: a + b,
    "IADD R10, R4, -R6": lambda a, b, c: a - b,
    "IADD R10, -R4, R6": lambda a, b, c: b - a,
    "IADD R10, R4, -0x5": lambda a, b, c: a - 5,
    "IADD.SAT R10, R4, R6": lambda a, b, c: max(-(1 << 31), min((1 << 31) - 1, s32(a) + s32(b))),
    "IADD R10.CC, R4, R6; IADD.X R11, R5, R7": (64, lambda a, b, c: a + b),
    "IADD R10.CC, R4, -R6; IADD.X R11, R5, -R7": (64, lambda a, b, c: a - b),
    "IADD32I R10, R4, 0x12345678": lambda a, b, c: a + 0x12345678,
    "IADD3 R10, R4, R6, -R8": lambda a, b, c: a + b - c,
    "IADD3 R10, R4, 0x7f, R8": lambda a, b, c: a + 0x7f + c,
    "IADD3.LS R10, R4.H1, R6.H0, R8": lambda a, b, c: (((a >> 16) + (b & 0xffff)) << 16) + c,
    "IADD3.RS R10, R4, R6, R8": lambda a, b, c: ((a + b & M32) >> 16) + c,
    "ISCADD R10, R4, R6, 0x3": lambda a, b, c: (a << 3) + b,
    "ISCADD R10, R4, -R6, 0x3": lambda a, b, c: (a << 3) - b,
    "LEA R10, R4, R6, 0x4": lambda a, b, c: (a << 4) + b,
    "LEA R10.CC, R4, R6, 0x2; LEA.HI.X R11, R4, R7, R5, 0x2": (64, lambda a, b, c: (a << 2) + b),
    "XMAD R10, R4, R6, R8": lambda a, b, c: (a & 0xffff) * (b & 0xffff) + c,
    "XMAD.S16.S16 R10, R4, R6.H1, R8": lambda a, b, c: sx(a, 16) * sx(b >> 16, 16) + c,
    "XMAD.MRG R9, R4, R6.H1, RZ; XMAD R8, R4, R6, RZ; XMAD.PSL.CBCC R10, R4.H1, R9.H1, R8":
        lambda a, b, c: a * b,
    "XMAD.PSL R10, R4, R6, R8": lambda a, b, c: ((a & 0xffff) * (b & 0xffff) << 16) + c,
    "XMAD.CHI R10, R4, R6, R8": lambda a, b, c: (a & 0xffff) * (b & 0xffff) + (c >> 16),
    "XMAD.CLO R10, R4, R6, R8": lambda a, b, c: (a & 0xffff) * (b & 0xffff) + (c & 0xffff),
    "XMAD R10, R4, 0x500, R8": lambda a, b, c: (a & 0xffff) * 0x500 + c,
    "IMUL R10, R4, R6": lambda a, b, c: a * b,
    "IMUL.U32.U32.HI R10, R4, R6": lambda a, b, c: a * b >> 32,
    "IMUL.HI R10, R4, R6": lambda a, b, c: s32(a) * s32(b) >> 32,
    "IMAD.U32.U32 R10, R4, R6, R8": lambda a, b, c: a * b + c,
    "IMUL32I.U32.U32 R10, R4, 0x12345": lambda a, b, c: a * 0x12345,
    "IMNMX R10, R4, R6, PT": lambda a, b, c: min(s32(a), s32(b)),
    "IMNMX.U32 R10, R4, R6, !PT": lambda a, b, c: max(a, b),
    "IMNMX.XHI R11.CC, R5, R7, PT; IMNMX.U32.XLO R10, R4, R6, PT":
        (64, lambda a, b, c: min(sx(a, 64), sx(b, 64))),
    "BFE.U32 R10, R4, R6": lambda a, b, c: bfe(a, b, False),
    "BFE R10, R4, R6": lambda a, b, c: bfe(a, b, True),
    "BFI R10, R4, R6, R8": bfi,
    "BFI R10, R4, 0x809, R8": lambda a, b, c: bfi(a, 0x809, c),
    "FLO.U32 R10, R4": lambda a, b, c: a.bit_length() - 1,
    "FLO R10, R4": lambda a, b, c: (~a & M32 if a >> 31 else a).bit_length() - 1,
    "FLO.U32.SH R10, R4": lambda a, b, c: 32 - a.bit_length() if a else -1,
    "POPC R10, R4": lambda a, b, c: bin(a).count("1"),
    "POPC R10, ~R4": lambda a, b, c: 32 - bin(a).count("1"),
    "SHL R10, R4, R6": lambda a, b, c: a << b if b < 32 else 0,
    "SHL.W R10, R4, R6": lambda a, b, c: a << b % 32,
    "SHR.U32 R10, R4, R6": lambda a, b, c: a >> b if b < 32 else 0,
    "SHR R10, R4, R6": lambda a, b, c: s32(a) >> min(b, 31),
    "SHF.L.W R10, R4, R6, R8": lambda a, b, c: ((c << 32 | a) << b % 32) >> 32,
    "SHF.R.W R10, R4, R6, R8": lambda a, b, c: (c << 32 | a) >> b % 32,
    "SHF.R.U64 R10, R4, 0x21, R8": lambda a, b, c: (c << 32 | a) >> 0x21,
    "SHF.L.U64 R10, R4, 0x9, R8": lambda a, b, c: ((c << 32 | a) << 9) >> 32,
    "LOP.AND R10, R4, R6": lambda a, b, c: a & b,
    "LOP.OR R10, R4, ~R6": lambda a, b, c: a | ~b,
    "LOP.XOR R10, R4, 0xff": lambda a, b, c: a ^ 0xff,
    "LOP.PASS_B R10, RZ, ~R6": lambda a, b, c: ~b,
    "LOP32I.AND R10, R4, 0xf0f0f0f0": lambda a, b, c: a & 0xf0f0f0f0,
    "LOP3.LUT R10, R4, R6, R8, 0x96": lambda a, b, c: a ^ b ^ c,
    "LOP3.LUT R10, R4, R6, R8, 0xe2": lambda a, b, c: lop3(a, b, c, 0xe2),
    "LOP3.LUT R10, R4, 0xff, R8, 0x1b": lambda a, b, c: lop3(a, 0xff, c, 0x1b),
    "PRMT R10, R4, R6, R8": prmt,
    "PRMT R10, R4, 0x5410, R8": lambda a, b, c: prmt(a, 0x5410, c),
    "SEL R10, R4, R6, PT": lambda a, b, c: a,
    "SEL R10, R4, R6, !PT": lambda a, b, c: b,
    "MOV32I R10, 0xdeadbeef": lambda a, b, c: 0xdeadbeef,
    "ICMP.LT R10, R4, R6, R8": lambda a, b, c: a if s32(c) < 0 else b,
    "ISET.LT.AND R10, R4, R6, PT": lambda a, b, c: -(s32(a) < s32(b)),
    "ISET.BF.GE.U32.AND R10, R4, R6, PT": lambda a, b, c: 0x3f800000 if a >= b else 0,
    "ISETP.GT.AND P0, P1, R4, R6, PT; P2R R10, PR, RZ, 0x7f": lambda a, b, c: 1 if s32(a) > s32(b) else 2,
    "ISETP.LT.U32.AND P3, PT, R4, R6, PT; @P3 IADD R10, R4, 0x1; @!P3 MOV R10, R6":
        lambda a, b, c: a + 1 if a < b else b,
    "IADD RZ.CC, R4, -R6; ISETP.LT.X.AND P0, PT, R5, R7, PT; SEL R10, RZ, 0x1, !P0":
        (64, lambda a, b, c: int(sx(a, 64) < sx(b, 64))),
    "IADD RZ.CC, R4, -R6; ISETP.LE.U32.X.AND P0, PT, R5, R7, PT; SEL R10, RZ, 0x1, !P0":
        (64, lambda a, b, c: int(a <= b)),
    "IADD RZ.CC, R4, -R6; CSETP.LT.AND P0, P1, CC, PT; P2R R10, PR, RZ, 0x3":
        lambda a, b, c: 1 if s32(a) < s32(b) else 2,
    "IADD RZ.CC, R4, -R6; CSETP.HI.AND P0, P1, CC, PT; P2R R10, PR, RZ, 0x3":
        lambda a, b, c: 1 if a > b else 2,
    "R2P PR, R4, 0x7f; PSETP.AND.OR P6, PT, P0, !P1, P2; P2R R10, PR, RZ, 0x40":
        lambda a, b, c: 0x40 if (a & 1 and not a & 2) or a & 4 else 0,
    "I2I.S32.S8 R10, R4.B2": lambda a, b, c: sx(a >> 16, 8),
    "I2I.U16.S32.SAT R10, R4": lambda a, b, c: max(0, min(0xffff, s32(a))),
    "I2I.S32.S32 R10, |R4|": lambda a, b, c: abs(s32(a)),
    "VOTE.ANY R10, PT, PT": lambda a, b, c: M32,
}
FLOAT_CASES = {
    "FADD R10, R4, R6": lambda a, b, c: fadd(a, b),
    "FADD R10, R4, -R6": lambda a, b, c: fadd(a, b ^ 0x80000000),
    "FADD.RM R10, |R4|, R6": lambda a, b, c: fadd(a & 0x7fffffff, b, "RM"),
    "FADD.RP R10, R4, R6": lambda a, b, c: fadd(a, b, "RP"),
    "FADD.RZ R10, R4, 1.5": lambda a, b, c: fadd(a, 0x3fc00000, "RZ"),
    "FADD.FTZ R10, R4, R6": lambda a, b, c: flush(fadd(flush(a), flush(b))),
    "FADD32I R10, R4, 0.1": lambda a, b, c: fadd(a, 0x3dcccccd),
    "FMUL R10, R4, R6": lambda a, b, c: fmul(a, b),
    "FMUL.RZ R10, R4, -R6": lambda a, b, c: fmul(a, b ^ 0x80000000, "RZ"),
    "FFMA R10, R4, R6, R8": lambda a, b, c: fma(a, b, c),
    "FFMA.RP R10, R4, R6, -R8": lambda a, b, c: fma(a, b, c ^ 0x80000000, "RP"),
    "FFMA R10, R4, 0.5.NEG, R8": lambda a, b, c: fma(a, 0xbf000000, c),
    "FMUL32I R10, R4, 3.14159274101257324219": lambda a, b, c: fmul(a, 0x40490fdb),
    "FSETP.LT.AND P0, P1, R4, R6, PT; P2R R10, PR, RZ, 0x3":
        lambda a, b, c: 1 if not is_nan(a) and not is_nan(b) and f32(a) < f32(b) else 2,
    "FSETP.GEU.AND P0, P1, R4, R6, PT; P2R R10, PR, RZ, 0x3":
        lambda a, b, c: 1 if is_nan(a) or is_nan(b) or f32(a) >= f32(b) else 2,
    "FSETP.NAN.AND P0, P1, R4, R6, PT; P2R R10, PR, RZ, 0x3": lambda a, b, c: 1 if is_nan(a) or is_nan(b) else 2,
    "FSET.BF.NE.AND R10, R4, R6, PT":
        lambda a, b, c: 0x3f800000 if not is_nan(a) and not is_nan(b) and f32(a) != f32(b) else 0,
    "F2I.S32.F32.TRUNC R10, R4": lambda a, b, c: f2i(f32(a), 32, True, "TRUNC"),
    "F2I.U32.F32 R10, R4": lambda a, b, c: f2i(f32(a), 32, False, ""),
    "F2I.S16.F32.FLOOR R10, R4": lambda a, b, c: sx(f2i(f32(a), 16, True, "FLOOR"), 16),
    "F2I.S64.F32.CEIL R10, R4": (0, lambda a, b, c: f2i(f32(a & M32), 64, True, "CEIL")),
    "I2F.F32.S32 R10, R4": lambda a, b, c: round32(Fraction(s32(a))),
    "I2F.F32.U32.RZ R10, R4": lambda a, b, c: round32(Fraction(a), 0, "RZ"),
    "I2F.F32.U16 R10, R4.H1": lambda a, b, c: round32(Fraction(a >> 16)),
    "I2F.F64.S32 R10, R4": (0, lambda a, b, c: bits64(float(s32(a & M32)))),
    "F2F.F32.F32.FLOOR R10, R4":
        lambda a, b, c: (0x7fffffff if is_nan(a) else a if a & 0x7f800000 == 0x7f800000 else
                         round32(Fraction(exact(a).__floor__()), a >> 31)),
    "F2F.F64.F32 R10, R4": (0, lambda a, b, c: None if is_nan(a & M32) else bits64(f32(a & M32))),
}
DOUBLE_CASES = {
    "DADD R10, R4, R6": lambda a, b, c: a + b,
    "DADD R10, R4, -R6": lambda a, b, c: a - b,
    "DADD R10, |R4|, 1": lambda a, b, c: abs(a) + 1,
    "DMUL R10, R4, R6": lambda a, b, c: a * b,
    "DFMA R10, R4, R6, RZ": lambda a, b, c: a * b + 0.0,
    "DMNMX R10, R4, R6, PT": lambda a, b, c: min(a, b),
}


def run_case(code, rows):
    text = KERNEL2 + INPUTS + "    MOV R10, RZ;\n    MOV R11, RZ;\n" + "".join(
        f"    {part.strip()};\n" for part in code.split(";")) + STORE
    data = b"".join(struct.pack("<QQQ", *row) for row in rows)
    (out,), _ = launch(text, [f"zeros:{8 * len(rows)}", data], grid=len(rows), block=len(rows))
    return struct.unpack(f"<{len(rows)}Q", out)


def check(code, rows, model):
    wide, function = model if isinstance(model, tuple) else (32, model)
    results = run_case(code, rows)
    for row, result in zip(rows, results):
        if wide == 32:
            want = function(*(v & M32 for v in row)) & M32
            result &= M32
        else:
            want = function(*row)
            if want is None:
                continue
            want &= M64
        assert result == want, f"{code} on {[hex(v) for v in row]}: 0x{result:x}, not 0x{want:x}"


def values(edges, seed, count=64):
    random.seed(seed)
    pick = lambda: random.choice(edges) if random.random() < .6 else random.getrandbits(32)
    return [tuple(pick() | pick() << 32 for _ in range(3)) for _ in range(count)]


@pytest.mark.parametrize("code", CASES)
def test_integers(code):
    check(code, values(EDGES, code), CASES[code])


@pytest.mark.parametrize("code", FLOAT_CASES)
def test_floats(code):
    check(code, values(FLOATS, code), FLOAT_CASES[code])


@pytest.mark.parametrize("code", DOUBLE_CASES)
def test_doubles(code):
    random.seed(code)
    rows = [tuple(bits64(random.choice((random.uniform(-4, 4), random.uniform(-1e300, 1e300), 0.0, 1.0)))
                  for _ in range(3)) for _ in range(64)]
    for row, result in zip(rows, run_case(code, rows)):
        assert result == bits64(DOUBLE_CASES[code](*map(f64, row))), code


@pytest.mark.parametrize("code, function", {
    "MUFU.RCP R10, R4": lambda x: 1 / x, "MUFU.SQRT R10, R4": lambda x: x ** .5, "MUFU.RSQ R10, R4": lambda x: x ** -.5,
    "MUFU.EX2 R10, R4": lambda x: 2 ** x, "MUFU.LG2 R10, R4": lambda x: __import__("math").log2(x),
    "MUFU.SIN R10, R4": lambda x: __import__("math").sin(x)}.items())
def test_functions_are_the_nearest_number(code, function):
    random.seed(code)
    rows = [(struct.unpack("<I", struct.pack("<f", random.uniform(.01, 20)))[0], 0, 0) for _ in range(64)]
    for row, result in zip(rows, run_case(code, rows)):
        assert abs(f32(result & M32) / function(f32(row[0])) - 1) < 2 ** -23


# ---- video instructions: types of a and b, operation, saturation, what is done with c ----

def part(value, kind, which=0):
    """Byte or half `which` of a word, or all of it, as the type (U8 to S32) says."""
    bits = int(kind[1:])
    value = value >> bits * which & ((1 << bits) - 1)
    return sx(value, bits) if kind[0] == "S" else value


def video(value, dest, saturated, mode, c):
    """The rules of PTX's manual, 9.7.19: optSaturate, then optMerge or optSecondaryOp."""
    signed = dest == "S"
    places = {"MRG_16H": (16, 16), "MRG_16L": (0, 16), "MRG_8B0": (0, 8), "MRG_8B2": (16, 8)}
    pos, bits = places.get(mode, (0, 32))
    if saturated:
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        value = max(low, min(high, value))
    value &= M32
    if mode in places:
        mask = ((1 << bits) - 1) << pos
        return (c & ~mask) | (value << pos & mask)
    number = s32 if signed else int
    return {"ACC": value + c, "MIN": min(value, c, key=number), "MAX": max(value, c, key=number), "": value}[mode] & M32


OPERATIONS = {
    "VADD": lambda a, b: a + b,
    "VABSDIFF": lambda a, b: abs(a - b),
    "VMNMX": lambda a, b: min(a, b),
    "VMNMX.MX": lambda a, b: max(a, b),
    "VSHL": lambda a, b: a << min(b, 32),
    "VSHL.W": lambda a, b: a << b % 32,
    "VSHR": lambda a, b: a >> min(b, 32),
    "VSHR.W": lambda a, b: a >> b % 32,
}
FORMS = [("U32", "U32", 0, 0), ("S32", "S32", 0, 0), ("S32", "U16", 0, 1), ("U8", "S8", 3, 2), ("S16", "U8", 1, 1),
         ("S8", "S16", 2, 0)]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_video(operation):
    rows, name = values(EDGES, operation, 32), operation.split(".")[0]
    shifts, extra = name in ("VSHL", "VSHR"), operation[len(name):]
    marks = {8: ["", ".B1", ".B2", ".B3"], 16: ["", ".H1"], 32: [""]}
    modes = ["", "ACC", "MIN", "MAX", "MRG_16H", "MRG_16L", "MRG_8B0", "MRG_8B2"]
    for n, (ta, tb, na, nb) in enumerate(FORMS):
        tb = "U" + tb[1:] if shifts else tb
        for dest in "US":
            for k, mode in enumerate(modes):
                if (n + k) % 3:  # two forms have each of them
                    continue
                saturated = k // 2 % 2 if dest == "S" else (k + 1) // 2 % 2
                kind = {"VABSDIFF": ".SD" if dest == "S" else ""}.get(name, ".UD" if dest == "U" else "")
                types = "" if (ta, tb) == ("S32", "S32") else f".{ta}.{tb}"
                code = (f"{name}{kind}{types}{extra}{'.SAT' * saturated}{'.' * bool(mode)}{mode} R10, "
                        f"R4{marks[int(ta[1:])][na]}, R6{marks[int(tb[1:])][nb]}, R8")
                f = OPERATIONS[operation]
                check(code, rows, lambda a, b, c: video(f(part(a, ta, na), part(b, tb, nb)), dest, saturated, mode, c))


@pytest.mark.parametrize("code, model", {
    "VADD R10, R4, -0x7, R8": lambda a, b, c: s32(a) - 7,
    "VMNMX.UD.U32.U16.MIN R10, R4, 0xffff, R8": lambda a, b, c: min(a, 0xffff, c),
    "VSHR.UD.U32.U16.ACC R10, R4, 0x5, R8": lambda a, b, c: (a >> 5) + c,
    "VSET.LT.S16.S16.ACC R10, R4.H1, R6, R8": lambda a, b, c: (sx(a >> 16, 16) < sx(b, 16)) + c,
    "VSET.NE.U8.U8 R10, R4.B2, R6.B2, R8": lambda a, b, c: int((a ^ b) >> 16 & 255 != 0),
    "VSETP.GE.U8.U8.AND P0, P1, R4.B3, R6, PT; P2R R10, PR, RZ, 0x3": lambda a, b, c: 1 if a >> 24 >= b & 255 else 2,
    "VSETP.LE.OR P0, P1, R4, R6, !PT; P2R R10, PR, RZ, 0x3": lambda a, b, c: 1 if s32(a) <= s32(b) else 2,
    "VMAD.U16.U16 R10, R4.H1, R6, R8": lambda a, b, c: (a >> 16) * (b & 0xffff) + c,
    "VMAD.S16.S8 R10, R4, R6.B1, -R8": lambda a, b, c: sx(a, 16) * sx(b >> 8, 8) - s32(c),
    "VMAD.S16.S16 R10, -R4, R6, R8": lambda a, b, c: s32(c) - sx(a, 16) * sx(b, 16),
    "VMAD.S16.S16 R10, -R4, R6, -R8": lambda a, b, c: s32(c) + sx(a, 16) * sx(b, 16) + 1,
    "VMAD.U8.U16.SHR_7 R10, R4, R6, R8": lambda a, b, c: (a & 255) * (b & 0xffff) + c >> 7,
    "VMAD.S16.S16.SHR_15.SAT R10, R4, R6, R8": lambda a, b, c: sx(a, 16) * sx(b, 16) + s32(c) >> 15,
    "VABSDIFF4.U8.U8 R10, R4, R6, RZ":
        lambda a, b, c: sum(abs((a >> i & 255) - (b >> i & 255)) << i for i in (0, 8, 16, 24)),
    "VABSDIFF4.U8.S8.ACC R10, R4, R6, R8":
        lambda a, b, c: sum(abs((a >> i & 255) - sx(b >> i, 8)) for i in (0, 8, 16, 24)) + c,
}.items())
def test_other_video_instructions(code, model):
    check(code, values(EDGES, code), model)
