"""Matrix instructions of PTX against a model: where elements lie is written down shape by shape, as the manual's figures have
it; sums are those of published models of the hardware (all terms cut off below a bit of the largest, then added exactly). Doubles hold each
factor, each product of two, and what is left of them after the cut, so that they are exact where no fraction is asked for by name."""
import functools
import math
import os
import random
import re
import struct
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WAVETRAP = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
BUILD = Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build"))
TILES = 4  # warps of a run, each with a product of its own

# bits, exponent's bits, fraction's bits
FLOATS = {"f16": (16, 5, 10), "bf16": (16, 8, 7), "tf32": (32, 8, 10), "e4m3": (8, 4, 3), "e5m2": (8, 5, 2), "f32": (32, 8, 23)}
BITS = {**{k: v[0] for k, v in FLOATS.items()}, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "s32": 32}

# Element i of a lane (g = lane / 4, t = lane % 4): row and k of A, k and column of B; by bits of an element and shape.
A = {(16, "m16n8k8"): lambda g, t, i: (g + 8 * (i >> 1), 2 * t + (i & 1)),
     (16, "m16n8k16"): lambda g, t, i: (g + 8 * (i >> 1 & 1), 2 * t + (i & 1) + 8 * (i >> 2)),
     (32, "m16n8k4"): lambda g, t, i: (g + 8 * i, t), (32, "m16n8k8"): lambda g, t, i: (g + 8 * (i & 1), t + 4 * (i >> 1)),
     (64, "m8n8k4"): lambda g, t, i: (g, t), (64, "m16n8k4"): lambda g, t, i: (g + 8 * i, t),
     (64, "m16n8k8"): lambda g, t, i: (g + 8 * (i & 1), t + 4 * (i >> 1)), (64, "m16n8k16"): lambda g, t, i: (g + 8 * (i & 1), t + 4 * (i >> 1)),
     (8, "m8n8k16"): lambda g, t, i: (g, 4 * t + i), (8, "m16n8k16"): lambda g, t, i: (g + 8 * (i >> 2), 4 * t + (i & 3)),
     (8, "m16n8k32"): lambda g, t, i: (g + 8 * (i >> 2 & 1), 4 * t + (i & 3) + 16 * (i >> 3)),
     (4, "m8n8k32"): lambda g, t, i: (g, 8 * t + i), (4, "m16n8k32"): lambda g, t, i: (g + 8 * (i >> 3), 8 * t + (i & 7)),
     (4, "m16n8k64"): lambda g, t, i: (g + 8 * (i >> 3 & 1), 8 * t + (i & 7) + 32 * (i >> 4)),
     (1, "m8n8k128"): lambda g, t, i: (g, 32 * t + i), (1, "m16n8k128"): lambda g, t, i: (g + 8 * (i >> 5), 32 * t + (i & 31)),
     (1, "m16n8k256"): lambda g, t, i: (g + 8 * (i >> 5 & 1), 32 * t + (i & 31) + 128 * (i >> 6))}
B = {(16, 8): lambda g, t, i: (2 * t + i, g), (16, 16): lambda g, t, i: (2 * t + (i & 1) + 8 * (i >> 1), g),
     (32, 4): lambda g, t, i: (t, g), (32, 8): lambda g, t, i: (t + 4 * i, g),
     (64, 4): lambda g, t, i: (t, g), (64, 8): lambda g, t, i: (t + 4 * i, g), (64, 16): lambda g, t, i: (t + 4 * i, g),
     (8, 16): lambda g, t, i: (4 * t + i, g), (8, 32): lambda g, t, i: (4 * t + (i & 3) + 16 * (i >> 2), g),
     (4, 32): lambda g, t, i: (8 * t + i, g), (4, 64): lambda g, t, i: (8 * t + (i & 7) + 32 * (i >> 3), g),
     (1, 128): lambda g, t, i: (32 * t + i, g), (1, 256): lambda g, t, i: (32 * t + (i & 31) + 128 * (i >> 5), g)}


def c_place(m):
    return (lambda g, t, i: (g, 2 * t + i)) if m == 8 else (lambda g, t, i: (g + 8 * (i >> 1), 2 * t + (i & 1)))


@functools.lru_cache(1 << 16)  # an element is in a product of each row or column
def decode(kind, bits):
    """The value, or "nan", "inf", "-inf", and the exponent that its significand has no more than."""
    _, e, f = FLOATS[kind]
    if kind == "tf32":
        bits >>= 13
    sign, biased, fraction = bits >> e + f & 1, bits >> f & (1 << e) - 1, bits & (1 << f) - 1
    if kind == "e4m3":
        if bits & 0x7f == 0x7f:
            return "nan", 0
    elif biased == (1 << e) - 1:
        return ("nan" if fraction else "-inf" if sign else "inf"), 0
    exponent = max(biased, 1) - (1 << e - 1) + 1
    value = math.ldexp(fraction + (1 << f if biased else 0), exponent - f)
    return (-value if sign else value), exponent


def special(values):
    """The sum of products some factors of which are no finite numbers; None: all are."""
    terms = []
    for factors in values:
        if "nan" in factors:
            return "nan"
        if any(isinstance(x, str) for x in factors):
            if 0 in factors:
                return "nan"
            negative = sum(x == "-inf" or (not isinstance(x, str) and x < 0) for x in factors)
            terms.append("-inf" if negative % 2 else "inf")
    return None if not terms else "nan" if len(set(terms)) == 2 else terms[0]


def cut(value, unit):
    return math.trunc(value / unit) * unit


def rounded(kind, value, kept):
    """FP16 to nearest even; FP32 cut off."""
    sign, value = value < 0, abs(value)
    if value == 0:
        return 0
    e = math.frexp(value)[1] - 1
    _, ebits, f = FLOATS[kind]
    least = 2 - (1 << ebits - 1)
    if kind == "f16":
        unit = math.ldexp(1, max(e, least) - 10)
        value = round(value / unit) * unit  # halves to even
        if value >= 65520:
            return sign << 15 | 0x7c00
    else:
        value = cut(value, math.ldexp(1, max(e - kept, least - f)))
    if value == 0:
        return sign << BITS[kind] - 1
    e = math.frexp(value)[1] - 1
    if e > (1 << ebits - 1) - 1:
        return sign << BITS[kind] - 1 | ((1 << ebits) - 1) << f
    if e < least:
        return sign << BITS[kind] - 1 | int(math.ldexp(value, f - least))
    return sign << BITS[kind] - 1 | e - least + 1 << f | int(math.ldexp(value, f - e)) - (1 << f)


def fused(below, kept, kinds, terms, least):
    """One sum of what is {value, exponent}; the largest exponent is at least `least`. -> the bits, of kinds[0]."""
    odd = special([tuple(x for x, _ in factors) for factors in terms])
    if odd:
        nan, infinity = (0x7fff, 0x7c00) if kinds[0] == "f16" else (0x7fffffff, 0x7f800000)
        return nan if odd == "nan" else infinity | (odd == "-inf") << BITS[kinds[0]] - 1
    terms = [(math.prod(x for x, _ in factors), sum(e for _, e in factors)) for factors in terms]
    terms = [(value, exponent) for value, exponent in terms if value]
    if not terms:
        return 0
    unit = math.ldexp(1, max(least, *(e for _, e in terms)) - below)
    total = sum(cut(v, unit) for v, _ in terms)
    assert abs(total) < unit * 2 ** 53
    return rounded(kinds[0], total, kept)


def half(number):
    """A number of FP8 as one of FP16: there are smaller exponents for it."""
    value, exponent = number
    while not isinstance(value, str) and value and exponent > -14 and abs(value) < math.ldexp(1, exponent):
        exponent -= 1
    return value, exponent


def nearest_sum(kind, a, b):
    """Of two numbers, rounded to nearest even."""
    (x, _), (y, _) = decode(kind, a), decode(kind, b)
    odd = special([(x,), (y,)])
    if odd:
        nan, infinity = (0x7fff, 0x7c00) if kind == "f16" else (0x7fffffff, 0x7f800000)
        return nan if odd == "nan" else infinity | (odd == "-inf") << BITS[kind] - 1
    if x == -y:
        return a & b if x == 0 else 0
    if kind == "f16":
        return rounded(kind, x + y, None)
    exact = Fraction(x) + Fraction(y)
    e = max(math.frexp(exact)[1] - 24, -149)
    value = round(exact / Fraction(2) ** e) * Fraction(2) ** e  # halves to even
    try:
        return struct.unpack("<I", struct.pack("<f", float(value)))[0]
    except OverflowError:
        return 0x7f800000 | (exact < 0) << 31


# The tensor cores: bytes of A that one sum takes, bits of a term below the largest exponent.
CORES = {7.0: (8, 23), 7.5: (16, 24), 8.0: (16, 24), 8.6: (16, 24), 8.9: (16, 24), 9.0: (32, 25)}


def float_dot(cc, kinds, a, b, c, fragments=False):
    """fragments: of wmma."""
    d_kind, a_kind, b_kind, c_kind = kinds
    step, below = CORES[cc]
    step, kept, least = step * 8 // BITS[a_kind], 23, {23: -5, 24: -6, 25: -7}[below] + (-14 if d_kind == "f16" else -126)
    a, b = [decode(a_kind, x) for x in a], [decode(b_kind, x) for x in b]
    groups = [range(i, min(i + step, len(a))) for i in range(0, len(a), step)]
    if a_kind == "tf32" and fragments:
        groups = range(4), range(4, 8)
    if BITS[a_kind] == 8 and cc < 9:
        below, kept, least = 13, 13, -1000
    if BITS[a_kind] == 8 and cc >= 9:  # no tensor cores for it: FP16 does it, the halves of each word one after the other; C comes last
        if len(a) == 32:
            groups = [[i for i in range(32) if i % 4 < 2], [i for i in range(32) if i % 4 >= 2]]
        a, b, total = map(half, a), map(half, b), 0
        a, b = list(a), list(b)
        for group in groups:
            total = fused(below, kept, kinds, [(a[i], b[i]) for i in group] + [(decode(d_kind, total),)], least)
        return nearest_sum(d_kind, total, c)
    total, kind = c, c_kind
    for group in groups:
        total = fused(below, kept, kinds, [(a[i], b[i]) for i in group] + [(decode(kind, total),)], least)
        kind = d_kind
    return total


def f64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def double_dot(a, b, c):
    """A chain of fused additions: of values that are finite, and none of them zero."""
    total = f64(c)
    for x, y in zip(a, b):
        exact = Fraction(f64(x)) * Fraction(f64(y)) + Fraction(total)
        total = exact.numerator / exact.denominator  # rounded to nearest even
    return struct.unpack("<Q", struct.pack("<d", total))[0]


def whole(kind, bits):
    size = BITS[kind]
    return bits - (1 << size) if kind[0] == "s" and bits >> size - 1 else bits


def integer_dot(kinds, a, b, c, clamps, logic):
    if kinds[1] == "b1":
        return whole("s32", c) + sum(x & y if logic == "and" else x ^ y for x, y in zip(a, b)) & 0xffffffff
    total = whole("s32", c) + sum(whole(kinds[1], x) * whole(kinds[2], y) for x, y in zip(a, b))
    return (max(-1 << 31, min((1 << 31) - 1, total)) if clamps else total) & 0xffffffff


def number(r, kind, wild, place=None):
    """wild: with infinities and NaNs; place: of the exponent's numbers, about where all lie, as 0 (no more than subnormals are) or 0.5."""
    if kind in FLOATS:
        bits, e, f = FLOATS[kind]
        if kind == "tf32":
            f = 23
        choice = r.random()
        if place is not None:
            biased = int(place * (1 << e)) + r.choice([0, 0, 0, 1, r.randint(0, 6)])
            zero = choice < (0.9 if kind in ("f16", "f32") and place < 0.1 else 0.1)
            return r.getrandbits(1) << bits - 1 | (0 if zero else min(biased, (1 << e) - 2) << f | r.getrandbits(f) & r.choice([-1, 3 if place == 0 else -1]))
        if wild and choice < 0.02:
            biased, fraction = (1 << e) - 1, r.choice([0, 0, r.getrandbits(f)])
        elif choice < 0.1:
            biased, fraction = 0, r.choice([0, r.getrandbits(f)])
        else:
            middle = (1 << e - 1) - 1
            spread = min(middle - 1, r.choice([1, 6, 14, 40]))
            biased, fraction = middle + r.randint(-spread, spread), r.getrandbits(f)
        return r.getrandbits(1) << bits - 1 | biased << f | fraction
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", r.choice([-1, 1]) * r.uniform(1, 2) * 2.0 ** r.randint(-20, 20)))[0]
    if kind == "s32":
        return r.choice([r.getrandbits(32), r.getrandbits(8), 0x7ffffff0, 0x80000010])
    return r.getrandbits(BITS[kind])


# Tiles whose numbers are small: their products lie below what a result can be, or about there.
PLACES = {2: 0, 3: 0.23}


def quads(kinds, layouts):
    """m8n8k4: the lanes of each of four products, and where their elements lie."""
    def in_octet(lane):
        return (lane & 3) + 4 * (lane >> 4)

    def of_a(lane, i):
        return (in_octet(lane), i) if layouts[0] == "row" else (i + 4 * (lane >> 4), lane & 3)

    def of_b(lane, i):
        return (i, in_octet(lane)) if layouts[1] == "col" else (lane & 3, i + 4 * (lane >> 4))

    def of_c(kind):
        if kind == "f16":
            return lambda lane, i: (in_octet(lane), i)
        return lambda lane, i: ((lane & 1) + (i & 2) + 4 * (lane >> 4), (i & 4) + (lane & 2) + (i & 1))
    return of_a, of_b, of_c(kinds[3]), of_c(kinds[0])


def ran(folder, text, data, out, gpu, tiles=TILES):
    (folder / "k.ptx").write_text(text)
    (folder / "in").write_bytes(data)
    done = subprocess.run([WAVETRAP, "run", f"--gpu={gpu}", f"--grid={32 * tiles}", "--block=32", f"--arg=zeros:{out}", f"--arg=file:{folder}/in",
                           f"--dump-arg=0:{folder}/out", folder / "k.ptx"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return (folder / "out").read_bytes()


HEAD = """.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in) {
.reg .b64 %x, %y, %w;
.reg .b32 %lane, %t, %i;
ld.param.u64 %y, [out];
ld.param.u64 %x, [in];
mov.u32 %lane, %tid.x;
mov.u32 %t, %ctaid.x;
mad.lo.u32 %i, %t, 32, %lane;
"""


def product(folder, opcode, counts, wide, data, gpu, scattered):
    """Each lane's registers of A, B and C in order, those of D back. Scattered: registers that do not follow each other."""
    size, kind = (8, "b64") if wide else (4, "b32")
    total = sum(counts[1:])
    names = [[f"%{'dabc'[n]}{'x' * scattered * (i % 2)}{i}" for i in range(counts[n])] for n in range(4)]
    text = HEAD + "".join(f".reg .{kind} {', '.join(sorted(x, key=len))};\n" for x in names)
    text += f"mul.wide.u32 %w, %i, {total * size}; add.u64 %x, %x, %w; mul.wide.u32 %w, %i, {counts[0] * size}; add.u64 %y, %y, %w;\n"
    at = 0
    for n in range(1, 4):
        for name in names[n]:
            text += f"ld.global.{kind} {name}, [%x+{at}];\n"
            at += size
    def braced(list_of):
        return "{" + ", ".join(list_of) + "}"
    text += f"{opcode} {', '.join(map(braced, names))};\n"
    text += "".join(f"st.global.{kind} [%y+{i * size}], {name};\n" for i, name in enumerate(names[0])) + "ret;\n}\n"
    return ran(folder, text, data, 32 * TILES * counts[0] * size, gpu)


HALVES = [("f32", "f16", "f16", "f32"), ("f16", "f16", "f16", "f16")]
CASES = [*[(shape, kinds, cc, "") for shape in ("m16n8k8", "m16n8k16") for kinds in HALVES for cc in (7.5, 8.0, 8.6, 8.9, 9.0)],
         *[("m8n8k4", kinds, cc, layouts) for kinds in [*HALVES, ("f32", "f16", "f16", "f16")] for cc, layouts in
           [*[(7.0, x) for x in ("row.col", "col.row", "row.row", "col.col")], (7.5, "row.col"), (8.0, "col.row"), (9.0, "col.col")]],
         *[(shape, ("f32", "bf16", "bf16", "f32"), cc, "") for shape in ("m16n8k8", "m16n8k16") for cc in (8.0, 8.6, 8.9, 9.0)],
         *[(shape, ("f32", "tf32", "tf32", "f32"), cc, "") for shape in ("m16n8k4", "m16n8k8") for cc in (8.0, 8.6, 8.9, 9.0)],
         *[(shape, (d, a, b, d), cc, "") for shape in ("m16n8k16", "m16n8k32") for d, a, b in (("f32", "e4m3", "e5m2"), ("f16", "e5m2", "e4m3"), ("f32", "e4m3", "e4m3"), ("f16", "e5m2", "e5m2"))
           for cc in (8.9, 9.0)],
         *[(shape, ("f64",) * 4, 9.0, "") for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")],
         *[(shape, ("s32", a, b, "s32"), 8.0, extra) for shape in ("m8n8k16", "m16n8k16", "m16n8k32") for a, b in (("s8", "s8"), ("u8", "s8"))
           for extra in ("", ".satfinite")],
         *[(shape, ("s32", a, b, "s32"), 8.0, extra) for shape in ("m8n8k32", "m16n8k32", "m16n8k64") for a, b in (("s4", "u4"), ("s4", "s4"))
           for extra in ("", ".satfinite")],
         *[(shape, ("s32", "b1", "b1", "s32"), 8.0, logic) for shape in ("m8n8k128", "m16n8k128", "m16n8k256") for logic in (".xor.popc", ".and.popc")]]


@pytest.mark.parametrize("shape, kinds, cc, extra", CASES, ids=["-".join((c[0], c[1][0], c[1][1], str(c[2]), c[3])) for c in CASES])
def test_products(tmp_path, shape, kinds, cc, extra):
    r = random.Random(f"{shape} {kinds} {cc} {extra}")
    m, n, k = map(int, re.findall(r"\d+", shape))
    quad = shape == "m8n8k4" and kinds[1] == "f16"
    sizes = [m * n, m * k, k * n, m * n]
    bits = [BITS[x] for x in kinds]
    per_lane = [size * (4 if quad else 1) // 32 for size in sizes]
    wide = kinds[0] == "f64"
    counts = [max(1, per_lane[i] * bits[i] // (64 if wide else 32)) for i in range(4)]
    if quad:
        places = quads(kinds, extra.split("."))
        place_a, place_b, place_c, place_d = [lambda lane, i, p=p: p(lane, i) for p in places]
    else:
        shapes = A[bits[1], shape], B[bits[2], k], c_place(m), c_place(m)
        place_a, place_b, place_c, place_d = [lambda lane, i, p=p: p(lane >> 2, lane & 3, i) for p in shapes]

    def product_of(lane):
        return lane >> 2 & 3 if quad else 0
    data, want = b"", b""
    for tile in range(TILES):
        values = [{}, {}, {}]
        for lane in range(32):
            for which, (place, kind) in enumerate(((place_a, kinds[1]), (place_b, kinds[2]), (place_c, kinds[3]))):
                packed = 0
                for i in range(per_lane[which + 1]):
                    value = number(r, kind, tile == 1, PLACES.get(tile))
                    key = (product_of(lane), *place(lane, i))
                    assert key not in values[which]
                    values[which][key] = value
                    packed |= value << bits[which + 1] * i
                data += packed.to_bytes(counts[which + 1] * (8 if wide else 4), "little")
        results = {}
        for q in range(4 if quad else 1):
            for row in range(m):
                a = [values[0][q, row, x] for x in range(k)]
                for column in range(n):
                    b = [values[1][q, x, column] for x in range(k)]
                    c = values[2][q, row, column]
                    results[q, row, column] = double_dot(a, b, c) if wide else \
                        integer_dot(kinds, a, b, c, "satfinite" in extra, extra[1:4]) if kinds[0] == "s32" else float_dot(cc, kinds, a, b, c)
        for lane in range(32):
            packed = 0
            for i in range(per_lane[0]):
                packed |= results[(product_of(lane), *place_d(lane, i))] << bits[0] * i
            want += packed.to_bytes(counts[0] * (8 if wide else 4), "little")
    layouts = extra if quad else "row.col"
    types = ".".join(kinds)
    words = f"{extra if 'sat' in extra else ''}.{types}{extra if 'popc' in extra else ''}"
    got = product(tmp_path, f"mma.sync.aligned.{shape}.{layouts}{words}", counts, wide, data, f"sm:cc={cc}", len(CASES) % 2 ^ r.randint(0, 1))
    size = BITS[kinds[0]] // 8
    wrong = [(i, got[i:i + size].hex(), want[i:i + size].hex()) for i in range(0, len(want), size) if got[i:i + size] != want[i:i + size]]
    assert not wrong, (len(wrong), len(want) // size, wrong[:5])


ALL = ("m16n16k16", "m32n8k16", "m8n32k16")
MATRIX = [*[(shape, kinds, cc, "") for shape in ALL for kinds in HALVES for cc in (7.0, 7.5, 8.0, 9.0)],
          ("m8n32k16", ("f16", "f16", "f16", "f32"), 7.5, ""), ("m32n8k16", ("f32", "f16", "f16", "f16"), 9.0, ""),
          *[("m16n16k16", kinds, 7.0, ".satfinite") for kinds in HALVES],
          *[(shape, ("f32", "bf16", "bf16", "f32"), cc, "") for shape in ALL for cc in (8.0, 9.0)],
          *[("m16n16k8", ("f32", "tf32", "tf32", "f32"), cc, "") for cc in (8.0, 8.9, 9.0)],
          *[("m8n8k4", ("f64",) * 4, 9.0, rnd) for rnd in ("", ".rz", ".rm", ".rp")],
          *[(shape, ("s32", ab, ab, "s32"), 8.0, extra) for shape, ab, extra in zip(ALL * 2, ["s8", "u8"] * 3, ["", "", ".satfinite"] * 2)],
          *[("m8n8k32", ("s32", ab, ab, "s32"), 8.0, extra) for ab in ("s4", "u4") for extra in ("", ".satfinite")],
          *[("m8n8k128", ("s32", "b1", "b1", "s32"), 8.0, logic) for logic in (".xor.popc", ".and.popc")]]


def fragment_registers(which, kind, size):
    """Registers of a lane's fragment, as the manual's table has them."""
    if kind == "f16" and which < 2:
        return 8
    return size // 32 if kind == "f64" else max(1, size * BITS[kind] // 1024)


def directed_sum(a, b, c, how):
    """double_dot() in another rounding."""
    total = f64(c)
    for x, y in zip(a, b):
        exact = Fraction(f64(x)) * Fraction(f64(y)) + Fraction(total)
        near = exact.numerator / exact.denominator
        if Fraction(near) != exact:
            up = {".rp": True, ".rm": False, ".rz": exact < 0}[how]
            if (Fraction(near) < exact) == up:
                near = math.nextafter(near, math.inf if up else -math.inf)
        total = near
    return struct.unpack("<Q", struct.pack("<d", total))[0]


def clamped(kind, bits):
    _, e, f = FLOATS[kind]
    infinity = ((1 << e) - 1) << f
    magnitude = bits & (1 << e + f) - 1
    return 0 if magnitude > infinity else bits - 1 if magnitude == infinity else bits


def wmma_text(shape, kinds, extra, layouts, strides, at, places):
    """Loads the fragments of A, B and C, multiplies, and stores D. layouts: of A, B, C and D; strides: 0: none is said; at: the bytes of a
    tile of A, B, C, D; places: the space that is said of each."""
    m, n, k = map(int, re.findall(r"\d+", shape))
    sizes = [m * k, k * n, m * n, m * n]
    types = [kinds[1], kinds[2], kinds[3], kinds[0]]
    names = [[f"%{'abcd'[i]}{j}" for j in range(fragment_registers(i, types[i], sizes[i]))] for i in range(4)]
    registers = {"f32": "f32", "f64": "f64", "s32": "s32"}
    text = HEAD + "".join(f".reg .{registers.get(types[i], 'b32')} {', '.join(names[i])};\n" for i in range(4)) + ".reg .b32 %l;\n"
    if places[0] == ".shared":
        text = text.replace(".visible", f".shared .align 32 .b8 s[{at[0]}];\n.visible", 1)
    text += f"mul.wide.u32 %w, %t, {sum(at[:3])}; add.u64 %x, %x, %w; mul.wide.u32 %w, %t, {at[3]}; add.u64 %y, %y, %w;\n"
    if places[0] == ".shared":
        for offset in range(0, at[0], 4):
            text += f"ld.global.u32 %l, [%x+{offset}]; st.shared.u32 [s+{offset}], %l;\n"
    where = 0
    for i in range(3):
        address = "s" if places[i] == ".shared" else f"%x+{where}"
        text += f"mov.u32 %l, {strides[i]};\nwmma.load.{'abc'[i]}.sync.aligned.{layouts[i]}.{shape}{places[i]}.{types[i]} " \
            f"{{{', '.join(names[i])}}}, [{address}]{', %l' if strides[i] else ''};\n"
        where += at[i]
    words = f".{kinds[0]}.{kinds[3]}" if kinds[1] == "f16" else "." + ".".join(kinds)
    logic, rest = (extra, "") if "popc" in extra else ("", extra)
    rounding, rest = (rest, "") if rest[:2] == ".r" else ("", rest)
    text += f"wmma.mma{logic}.sync.aligned.{layouts[0]}.{layouts[1]}.{shape}{rounding}{words}{rest} " + \
        ", ".join("{" + ", ".join(names[i]) + "}" for i in (3, 0, 1, 2)) + ";\n"
    return text + f"mov.u32 %l, {strides[3]};\nwmma.store.d.sync.aligned.{layouts[3]}.{shape}{places[3]}.{types[3]} [%y], " \
        f"{{{', '.join(names[3])}}}{', %l' if strides[3] else ''};\nret;\n}}\n"


@pytest.mark.parametrize("shape, kinds, cc, extra", MATRIX, ids=["-".join((c[0], *c[1][:2], c[1][3], str(c[2]), c[3])) for c in MATRIX])
def test_wmma(tmp_path, shape, kinds, cc, extra):
    """Matrices in memory, of each layout and any leading dimension; the product is that of mma's model."""
    r = random.Random(f"{shape} {kinds} {cc} {extra}")
    m, n, k = map(int, re.findall(r"\d+", shape))
    dims, types = [(m, k), (k, n), (m, n), (m, n)], [kinds[1], kinds[2], kinds[3], kinds[0]]
    small = BITS[kinds[1]] < 8
    layouts = [r.choice(["row", "col"]) for _ in range(4)]
    if small:
        layouts[:2] = "row", "col"
    tight = [(columns if layout == "row" else rows) for layout, (rows, columns) in zip(layouts, dims)]
    strides = [t + r.choice([0, 1, 3]) * (max(1, 128 // BITS[kind])) for t, kind in zip(tight, types)]
    places = [r.choice(["", ".shared"]), r.choice(["", ".global"]), ".global", r.choice(["", ".global"])]
    lines = [(rows if layout == "row" else columns) for layout, (rows, columns) in zip(layouts, dims)]
    at = [(stride * count * BITS[kind] + 255) // 256 * 32 for stride, count, kind in zip(strides, lines, types)]
    data, want, matrix = b"", [], [{}, {}, {}]

    def place(i, row, column):
        return strides[i] * (row if layouts[i] == "row" else column) + (column if layouts[i] == "row" else row)
    for tile in range(3):
        for i in range(3):
            image = r.getrandbits(8 * at[i])
            for row in range(dims[i][0]):
                for column in range(dims[i][1]):
                    value = matrix[i][row, column] = number(r, types[i], tile == 1, PLACES.get(tile))
                    shift = place(i, row, column) * BITS[types[i]]
                    image = image & ~((1 << BITS[types[i]]) - 1 << shift) | value << shift
            data += image.to_bytes(at[i], "little")
        for row in range(m):
            for column in range(n):
                a, b, c = [matrix[0][row, x] for x in range(k)], [matrix[1][x, column] for x in range(k)], matrix[2][row, column]
                if kinds[0] == "f64":
                    value = directed_sum(a, b, c, extra) if extra else double_dot(a, b, c)
                elif kinds[0] == "s32":
                    value = integer_dot(kinds, a, b, c, "satfinite" in extra, extra[1:4])
                else:
                    value = float_dot(cc, kinds, a, b, c, True)
                    value = clamped(kinds[0], value) if extra else value
                want.append((tile, row, column, value))
    said = [0 if stride == t and r.choice([True, False]) else stride for stride, t in zip(strides, tight)]
    got = ran(tmp_path, wmma_text(shape, kinds, extra, layouts, said, at, places), data, 3 * at[3], f"sm:cc={cc}", 3)
    size = BITS[types[3]] // 8
    wrong = [(tile, row, column, hex(x), got[start:start + size][::-1].hex()) for tile, row, column, x in want
             for start in [tile * at[3] + place(3, row, column) * size] if int.from_bytes(got[start:start + size], "little") != x]
    assert not wrong, (len(wrong), len(want), wrong[:5])
    if shape in ("m8n8k4", "m8n8k32", "m16n16k8"):  # what the instructions state that they read and write is what they do
        done = subprocess.run([BUILD / "tests" / "isa" / "sm" / "ptx_poison", tmp_path / "k.ptx", tmp_path / "in"], capture_output=True, text=True,
                              timeout=60, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_matrices_from_memory_and_back(tmp_path, count, transposed):
    """ldmatrix of rows that lie in reverse order in shared memory; stmatrix puts them elsewhere; both for TILES warps."""
    trans = ".trans" if transposed else ""
    names = ", ".join(f"%r{i}" for i in range(count))
    text = HEAD.replace(".visible", ".shared .align 16 .b8 s[1024];\n.visible") + f"""
.reg .b32 %r<4>, %a, %b, %v, %n; .reg .pred %p;
mov.u32 %n, 0;
LOOP: mad.lo.u32 %v, %n, 128, 0; mad.lo.u32 %v, %lane, 4, %v; cvt.u64.u32 %w, %v; add.u64 %w, %x, %w; ld.global.u32 %b, [%w];
mov.u32 %a, s; add.u32 %a, %a, %v; st.shared.u32 [%a], %b; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 4; @%p bra LOOP;
bar.sync 0;
sub.u32 %v, 31, %lane; mov.u32 %a, s; mad.lo.u32 %a, %v, 16, %a;
ldmatrix.sync.aligned.{"m8n8.x%d%s" % (count, trans) if count < 4 else f"x4{trans}.m8n8"}.shared.b16 {{{names}}}, [%a];
mad.lo.u32 %b, %lane, 16, s; add.u32 %b, %b, 512;
stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%b], {{{names}}};
bar.sync 0;
mul.wide.u32 %w, %i, {16 + 4 * count}; add.u64 %y, %y, %w;
""" + "".join(f"st.global.u32 [%y+{4 * i}], %r{i};\n" for i in range(count)) + f"""
ld.shared.v4.u32 {{%a, %n, %v, %t}}, [%b];
st.global.u32 [%y+{4 * count}], %a; st.global.u32 [%y+{4 * count + 4}], %n; st.global.u32 [%y+{4 * count + 8}], %v; st.global.u32 [%y+{4 * count + 12}], %t;
ret;
}}
"""
    text = text.replace("mad.lo.u32 %b, %lane, 16, s; add.u32 %b, %b, 512;", "mov.u32 %b, s; mad.lo.u32 %b, %lane, 16, %b; add.u32 %b, %b, 512;")
    r = random.Random(7)
    data = r.randbytes(512)
    got = ran(tmp_path, text, data, 32 * TILES * (16 + 4 * count), "sm:cc=9.0")
    rows = [struct.unpack("<8H", data[16 * (31 - lane):16 * (32 - lane)]) for lane in range(32)]
    for index in range(32 * TILES):
        lane = index % 32
        g, t = lane >> 2, lane & 3
        want = []
        for j in range(count):
            pair = [rows[8 * j + 2 * t + e][g] if transposed else rows[8 * j + g][2 * t + e] for e in range(2)]
            want.append(pair[0] | pair[1] << 16)
        stored = rows[lane] if lane < 8 * count else (0,) * 8
        assert got[index * (16 + 4 * count):(index + 1) * (16 + 4 * count)] == struct.pack(f"<{count}I8H", *want, *stored), lane


def test_a_transposed_register(tmp_path):
    text = HEAD + ".reg .b32 %a, %d; mul.wide.u32 %w, %i, 4; add.u64 %x, %x, %w; add.u64 %y, %y, %w; ld.global.u32 %a, [%x];\n" \
        "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a; st.global.u32 [%y], %d; ret;\n}\n"
    data = random.Random(9).randbytes(128 * TILES)
    got = ran(tmp_path, text, data, 128 * TILES, "sm")
    for tile in range(TILES):
        old, new = (struct.unpack("<64H", x[128 * tile:128 * (tile + 1)]) for x in (data, got))
        assert [new[8 * i + j] for i in range(8) for j in range(8)] == [old[8 * j + i] for i in range(8) for j in range(8)]


@pytest.mark.parametrize("opcode", ["mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32", "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
                                    "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32",
                                    "mma.sync.aligned.m16n8k16.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", "ldmatrix.sync.aligned.m16n16.x1.b8",
                                    "movmatrix.sync.aligned.m8n8.b16", "wmma.load.a.sync.aligned.row.m16n16k8.f16",
                                    "wmma.load.a.sync.aligned.col.m8n8k32.s4", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.s8",
                                    "wmma.store.a.sync.aligned.row.m16n16k16.f32", "wmma.load.c.sync.aligned.row.m16n16k16.bf16",
                                    "mma.sync.aligned.m16n8k8.row.col.shared.f32.f16.f16.f32", "stmatrix.sync.aligned.m8n8.x3.shared.b16"])
def test_forms_that_are_none(tmp_path, opcode):
    (tmp_path / "k.ptx").write_text(HEAD + f".reg .b32 %r<16>;\n{opcode} {{%r0, %r1, %r2, %r3}}, {{%r0, %r1, %r2, %r3}}, {{%r4, %r5}}, "
                                    "{%r0, %r1, %r2, %r3};\nret;\n}\n")
    done = subprocess.run([WAVETRAP, "run", "--grid=32", "--arg=zeros:4", "--arg=zeros:4", tmp_path / "k.ptx"], capture_output=True, text=True, check=False)
    assert done.returncode == 125 and "k.ptx:13:1: " in done.stderr, done.stderr
