"""Images: every MIMG instruction that executes, against integers and exact fractions; tiles as AMD's address library has them."""
import random
import struct
from decimal import Decimal, localcontext
from fractions import Fraction
from math import floor

import pytest

from machine import DATA, Case, run
from numbers_model import F16, F32
from test_gcn_formats import (DATA_FORMATS, FLOAT, IDENTITY, PAIRS, SINT, UINT, UNORM, even, interesting, load_component, one,
                              store_component)
from test_gcn_memory import ATOMICS, M32, PARTIAL, atomic, find

ADDR, VALUE, RESOURCE, SAMPLER = 10, 24, 8, 16
D1, D2, D3, D1A, D2A = 8, 9, 10, 12, 13
DIMENSIONS = {D1: 1, D2: 2, D3: 3, D1A: 1, D2A: 2}
LAYERS = (D1A, D2A)
SRGB = 9
WRAP, MIRROR, CLAMP, MIRROR_ONCE, BORDER, MIRROR_ONCE_BORDER = 0, 1, 2, 3, 6, 7


def words(row, dmask=15, unorm=0, da=1, glc=0, tfe=0, d16=0, sampler=0):
    return [0xf0000000 | row["opcode"] << 18 | tfe << 16 | da << 14 | glc << 13 | unorm << 12 | dmask << 8,
            d16 << 31 | sampler // 4 << 21 | RESOURCE // 4 << 16 | VALUE << 8 | ADDR]


def image(dfmt, nfmt, kind, size, mode=0, select=IDENTITY, first=0, pitch=None, levels=0, base=DATA):
    """The resource; `size`: width, height, depth or layers."""
    dst = sum(s << 3 * i for i, s in enumerate(select))
    return sum(w << 32 * i for i, w in enumerate((
        base >> 8 & M32, base >> 40 | dfmt << 20 | nfmt << 26, size[0] - 1 | size[1] - 1 << 14,
        dst | levels << 16 | mode << 20 | kind << 28, first + size[2] - 1 | (pitch or size[0]) - 1 << 13, first)))


def sampler(clamp, linear=0, normalized=1):
    return clamp * 0x49 | (not normalized) << 15 | linear * 5 << 84


def dwords(seed, count):
    random.seed(seed)
    return bytes(random.getrandbits(8) for _ in range(count))


class Shape:
    """An image of a type, and texels of it."""

    def __init__(self, kind, dfmt, first=0):
        self.kind, self.dimensions, self.first = kind, DIMENSIONS[kind], first
        self.bits, self.bytes = DATA_FORMATS[dfmt], sum(DATA_FORMATS[dfmt]) // 8
        self.size = (6, 5 if self.dimensions > 1 else 1, 4 if kind in (D3, *LAYERS) else 1)
        self.pitch = 8
        self.coordinates = self.dimensions + (kind in LAYERS)
        self.limit = [*self.size[:self.dimensions], *([self.size[2]] if kind in LAYERS else [])]

    def place(self, at):
        """Of the first byte of a texel."""
        x, y, z = [*at[:self.dimensions], *[0] * 3][:3]
        if self.kind in LAYERS:
            z = at[self.dimensions] + self.first
        return ((z * self.size[1] + y) * self.pitch + x) * self.bytes

    def element(self, memory, at):
        place = self.place(at)
        return int.from_bytes(memory[place:place + self.bytes], "little")

    def inside(self, at):
        return all(0 <= a < n for a, n in zip(at, self.limit))

    def component(self, element, i, nfmt, d16, select=IDENTITY):
        s = select[i]
        if s < 4 or s - 4 >= len(self.bits):
            return one(nfmt, d16) if s in (1, 7) else 0
        shift = sum(self.bits[:s - 4])
        return load_component(element >> shift & (1 << self.bits[s - 4]) - 1, self.bits[s - 4], nfmt, d16)

    @property
    def room(self):
        return (self.size[2] + self.first) * self.size[1] * self.pitch * self.bytes


def put(registers, d16, values):
    """Data registers of a lane after values came there."""
    out = list(registers)
    for i, v in enumerate(values):
        place, shift, mask = (i // 2, 16 * (i % 2), 0xffff) if d16 else (i, 0, M32)
        out[place] = out[place] & ~(mask << shift) & M32 | v << shift
    return out


def chosen(dmask):
    return [c for c in range(4) if dmask >> c & 1] or [0]


def compare(results, expected):
    wrong = []
    for (what, rows, memory), result in zip(expected, results):
        if result.fault:
            wrong.append(f"{what}: {result.fault}")
            continue
        for lane in range(64):
            got = [result.shown[i][lane] for i in range(len(rows[lane]))]
            if got != rows[lane]:
                wrong.append(f"{what} lane {lane}: {[hex(x) for x in got]}, not {[hex(x) for x in rows[lane]]}")
        if memory is not None and result.shown[-1] != bytes(memory):
            wrong.append(f"{what}: memory")
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong[:20])


def integer_places(shape, seed):
    """Coordinates of 64 lanes, some beside the image, no two inside the same."""
    random.seed(seed)
    free, places = [], []
    for n in range(shape.limit[0] * (shape.limit[1] if shape.coordinates > 1 else 1) * (shape.limit[2] if shape.coordinates > 2 else 1)):
        at = []
        for limit in shape.limit:
            at.append(n % limit)
            n //= limit
        free.append(at)
    random.shuffle(free)
    for lane in range(64):
        at = list(free.pop()) if free and lane % 5 else [random.randrange(limit) for limit in shape.limit]
        if lane % 5 == 0:
            at[random.randrange(len(at))] = random.choice([-1, 1 << 31, 1 << 20, -5])
        elif not shape.inside(at) or not free:
            at[0] = shape.limit[0] + lane
        places.append(at)
    return places


def with_coordinates(case, places, first=ADDR):
    for i in range(len(places[0])):
        case.vector(first + i, [at[i] & M32 for at in places])
    return case


KINDS = [(k, first) for k in DIMENSIONS for first in ((0, 2) if k in LAYERS else (0,))]
VARIANTS = [(15, 0, 0), (1, 0, 1), (0, 0, 0), (10, 0, 1), (15, 1, 0), (7, 1, 1), (4, 1, 0)]


@pytest.mark.parametrize("name", ["image_load", "image_load_mip", "image_store", "image_store_mip"])
def test_every_format_of_loads_and_stores(gcn_table, run_tool, name):
    """Types, formats, DMASK, D16, TFE, levels that are not there; what is outside gives 0 and is not stored."""
    row, loads, level = find(gcn_table, name), "load" in name, name.endswith("mip")
    cases, expected = [], []
    for n, (dfmt, nfmt) in enumerate(PAIRS * 2):
        (kind, first), (dmask, d16, tfe) = KINDS[n % len(KINDS)], VARIANTS[n % len(VARIANTS)]
        tfe &= loads
        shape, select = Shape(kind, dfmt, first), (IDENTITY, [6, 5, 4, 7], [4, 0, 0, 1], [0, 4, 4, 5])[n % 4]
        memory, values = bytearray(dwords(f"{n}{name}", shape.room)), interesting(f"{n}{name}", d16) + [[7] * 64]
        places, levels = integer_places(shape, f"{n}"), [lane % 7 == 3 for lane in range(64)]
        case = Case(words(row, dmask, n & 1, 1, 0, tfe, d16)).exec(PARTIAL).memory(DATA, memory)
        case.scalar(RESOURCE, image(dfmt, nfmt, kind, shape.size, 0, select, first, shape.pitch), 8)
        with_coordinates(case, places).vector(ADDR + shape.coordinates, levels if level else [5] * 64)
        for i in range(5):
            case.vector(VALUE + i, values[i])
        rows = []
        for lane, at in enumerate(places):
            before = [values[i][lane] for i in range(5)]
            there = shape.inside(at) and not (level and levels[lane])
            if not PARTIAL >> lane & 1 or not loads:
                rows.append(before)
            else:
                got = [shape.component(shape.element(memory, at), c, nfmt, d16, select) if there
                       else one(nfmt, d16) if select[c] == 1 else 0 for c in chosen(dmask)]
                count = (len(got) + 1) // 2 if d16 else len(got)
                rows.append(put(before, d16, got))
                if tfe:
                    rows[-1][count] = 0
        after = bytearray(memory)
        for lane, at in enumerate(places if not loads else []):
            if PARTIAL >> lane & 1 and shape.inside(at) and not (level and levels[lane]):
                element, stored = 0, set()
                for i, c in enumerate(chosen(dmask)):
                    s, value = select[c] - 4, values[i // 2][lane] >> 16 * (i % 2) & 0xffff if d16 else values[i][lane]
                    if 0 <= s < len(shape.bits) and s not in stored:
                        stored.add(s)
                        element |= store_component(value, shape.bits[s], nfmt, d16) << sum(shape.bits[:s])
                after[shape.place(at):shape.place(at) + shape.bytes] = element.to_bytes(shape.bytes, "little")
        cases.append(case.show(*range(VALUE, VALUE + 5)).show_memory(DATA, len(memory)))
        expected.append((f"{name} {dfmt}/{nfmt} type {kind} dmask {dmask} d16 {d16}", rows, after))
    compare(run(run_tool, cases), expected)


def test_a_layer_needs_the_array_bit(gcn_table, run_tool):
    """Without DA the first layer is meant, and its register is not read."""
    shape, row = Shape(D2A, 4, 1), find(gcn_table, "image_load")
    memory = dwords("da", shape.room)
    case = Case(words(row, 1, da=0)).memory(DATA, memory).scalar(RESOURCE, image(4, UINT, D2A, shape.size, 0, IDENTITY, 1, 8), 8)
    case.vector(ADDR, [2] * 64).vector(ADDR + 1, [3] * 64).vector(ADDR + 2, [2] * 64)
    result, = run(run_tool, [case.show(VALUE)])
    assert result.shown[0] == [shape.element(memory, [2, 3, 0])] * 64


@pytest.mark.parametrize("bits", [32, 64])
def test_every_atomic(gcn_table, run_tool, bits):
    cases, expected = [], []
    for op in ATOMICS[:ATOMICS.index("dec") + 1]:    # of gfx900; later GPUs have no others for images
        row, shape, size = find(gcn_table, "image_atomic_" + op), Shape(D2, 4 if bits == 32 else 11), bits // 8
        random.seed(op)
        memory = bytearray(shape.room)
        for place in range(0, shape.room, size):
            memory[place:place + size] = random.choice([0, 1, (1 << bits) - 1, 1 << bits - 1, 12345]).to_bytes(size, "little")
        before = bytearray(memory)
        data = [[random.choice([0, 1, (1 << bits) - 1, 1 << bits - 1, 12345, random.getrandbits(bits)]) for _ in range(64)] for _ in "dc"]
        places = [[random.randrange(7), random.randrange(5)] for _ in range(64)]
        dmask = {(32, 0): 1, (32, 1): 3, (64, 0): 3, (64, 1): 15}[bits, op == "cmpswap"]
        registers = [[d >> 32 * i & M32 for d in part] for part in data for i in range(bits // 32)]
        case = Case(words(row, dmask, 1, 0, 1)).exec(PARTIAL).memory(DATA, memory)
        case.scalar(RESOURCE, image(4 if bits == 32 else 11, UINT, D2, shape.size, pitch=8), 8)
        with_coordinates(case, places)
        for i, values in enumerate(registers):
            case.vector(VALUE + i, values)
        rows = []
        for lane, at in enumerate(places):
            old = data[0][lane]
            if PARTIAL >> lane & 1:
                old, place = 0, shape.place(at)
                if shape.inside(at):
                    old = shape.element(memory, at)
                    memory[place:place + size] = atomic(op, bits, old, data[0][lane], data[1][lane]).to_bytes(size, "little")
            rows.append([old >> 32 * i & M32 for i in range(bits // 32)])
        assert memory != before
        cases.append(case.show(*range(VALUE, VALUE + bits // 32)).show_memory(DATA, shape.room))
        expected.append((row["name"], rows, memory))
    compare(run(run_tool, cases), expected)


# ---- samples ----

def wrapped(clamp, at, n):
    """The texel that a number stands for, or None: the border."""
    if clamp == WRAP:
        return at % n
    if clamp == MIRROR:
        return min(at % (2 * n), 2 * n - 1 - at % (2 * n))
    if clamp in (MIRROR_ONCE, MIRROR_ONCE_BORDER) and at < 0:
        at = -1 - at
    if clamp in (BORDER, MIRROR_ONCE_BORDER) and not 0 <= at < n:
        return None
    return max(0, min(n - 1, at))


def corners(shape, coordinates, clamp, linear, normalized, offsets):
    """(weight, texel or None) of each texel that a sample is made of."""
    found = [(Fraction(1), [])]
    for i in range(shape.dimensions):
        x = coordinates[i] * shape.size[i] if normalized else coordinates[i]
        fixed = floor((x - (Fraction(1, 2) if linear else 0)) * 256 + Fraction(1, 2))
        part = Fraction(fixed % 256, 256) if linear else 0
        found = [(w * share, at + [wrapped(clamp, fixed // 256 + k + offsets[i], shape.size[i])])
                 for k, share in ((0, 1 - part), (1, part)) for w, at in found if share]
    if shape.kind in LAYERS:
        layer = max(0, min(shape.size[2] - 1, even(coordinates[-1])))
        found = [(w, at + [layer]) for w, at in found]
    return [(w, at if None not in at else None) for w, at in found]


def arguments(name):
    """What lies in registers before the coordinates and behind them, by the mnemonic."""
    parts = name.split("_")[2:]
    return "o" in parts, "b" in parts, "d" in parts or "cd" in parts, "cl" in parts or "l" in parts


def sampled(row, n, shape, dfmt, nfmt, clamp, linear, normalized, dmask, d16):
    """A case, and what it should give."""
    random.seed(f"{row['name']}{n}")
    has_offsets, bias, derivatives, level = arguments(row["name"])
    if nfmt == FLOAT:
        to = F16 if shape.bits[0] == 16 else F32
        memory = b"".join(to.round(Fraction(random.randrange(-1 << 9, 1 << 9), 64)).to_bytes(to.bits // 8, "little")
                          for _ in range(shape.room * 8 // to.bits))
    else:
        memory = dwords(f"{n}s", shape.room)
    coordinates = []
    for lane in range(64):
        at = [Fraction(random.randrange(-256 * 9, 256 * 15), 256) for _ in range(shape.dimensions)]
        if lane % 9 == 0:
            at[0] = random.choice([Fraction(1, 2), Fraction(3), 5 + Fraction(1, 512), 3 - Fraction(1, 1 << 20), Fraction(0)])
        if normalized:  # what a register can hold
            at = [F32.value(F32.round(a / n)) for a, n in zip(at, shape.size)]
        if shape.kind in LAYERS:
            at.append(Fraction(random.choice([-2, 0, 1, 3, 5, 6, 7, 9, 40]), 2))
        coordinates.append(at)
    case = Case(words(row, dmask, 0, 1, 0, 0, d16, SAMPLER)).exec(PARTIAL).memory(DATA, memory)
    case.scalar(RESOURCE, image(dfmt, nfmt, shape.kind, shape.size, pitch=8, first=shape.first), 8)
    case.scalar(SAMPLER, sampler(clamp, linear, normalized), 4)
    offsets = [[random.choice([-32, -1, 0, 2, 31]) if has_offsets else 0 for _ in range(3)] for _ in range(64)]
    first = ADDR
    if has_offsets:
        case.vector(first, [sum((x & 63) << 8 * i for i, x in enumerate(o)) for o in offsets])
    first += has_offsets + bias + (2 * shape.dimensions if derivatives else 0)
    with_coordinates(case, [[F32.round(a) for a in at] for at in coordinates], first)
    if level:
        case.vector(first + shape.coordinates, [F32.round(Fraction(l, 8)) for l in range(64)])
    for i in range(4):
        case.vector(VALUE + i, [0xaa + i] * 64)
    return case, memory, coordinates, offsets


def sample_model(shape, memory, places, c, nfmt, d16, linear):
    """Component c of a sample."""
    texel = lambda at, half: (shape.component(shape.element(memory, at), c, nfmt, half) if at else 0)
    if not linear:
        return texel(places[0][1], d16)
    total = F32.round(sum(w * F32.value(texel(at, False)) for w, at in places))
    total = 0 if total == F32.sign else total
    return F32.to(F16, total) if d16 else total


CLAMPS = (WRAP, MIRROR, CLAMP, MIRROR_ONCE, BORDER, MIRROR_ONCE_BORDER)


def test_every_sample(gcn_table, run_tool):
    """Each form of the instruction, address mode, filter, type and kind of coordinate."""
    rows = [r for r in gcn_table if r["name"].startswith("image_sample") and r["executes"]]
    assert len(rows) == 20
    formats = ((10, UNORM), (4, FLOAT), (12, FLOAT), (2, UNORM), (14, FLOAT), (3, 1), (11, FLOAT))
    cases, expected = [], []
    for n in range(len(rows) * 8):
        row, (kind, first), clamp = rows[n % len(rows)], KINDS[n % len(KINDS)], CLAMPS[n // 7 % 6]
        (dfmt, nfmt), linear, normalized, (dmask, d16, _) = formats[n % 7], n // 3 % 2, n // 6 % 2, VARIANTS[n // 5 % 7]
        if not linear and n % 4 == 0:
            dfmt, nfmt = 5, (UINT, SINT)[n // 4 % 2]
        shape = Shape(kind, dfmt, first)
        case, memory, coordinates, offsets = sampled(row, n, shape, dfmt, nfmt, clamp, linear, normalized, dmask, d16)
        out = []
        for lane in range(64):
            places = corners(shape, coordinates[lane], clamp, linear, normalized, offsets[lane])
            before = [0xaa + i for i in range(4)]
            out.append(put(before, d16, [sample_model(shape, memory, places, c, nfmt, d16, linear) for c in chosen(dmask)])
                       if PARTIAL >> lane & 1 else before)
        cases.append(case.show(*range(VALUE, VALUE + 4)))
        expected.append((f"{n} {row['name']} {dfmt}/{nfmt} type {kind} clamp {clamp} linear {linear} normalized {normalized} d16 {d16}",
                         out, None))
    compare(run(run_tool, cases), expected)


def intensity(raw):
    """What an sRGB component stands for (IEC 61966-2-1), to 50 digits."""
    with localcontext() as context:
        context.prec = 50
        x = Decimal(raw) / 255
        return Fraction(x / Decimal("12.92") if x <= Decimal("0.04045") else ((x + Decimal("0.055")) / Decimal("1.055")) ** Decimal("2.4"))


@pytest.mark.parametrize("d16", [0, 1])
@pytest.mark.parametrize("dfmt", [1, 3, 10])
def test_srgb(gcn_table, run_tool, dfmt, d16):
    """Each value of a component, loaded and sampled as a point; filters mix intensities. The fourth component is UNORM."""
    to, count, width = F16 if d16 else F32, len(DATA_FORMATS[dfmt]), 1024 // len(DATA_FORMATS[dfmt])
    memory = dwords("srgb", 1024 - 256) + bytes(range(256))
    resource = image(dfmt, SRGB, D1, (width, 1, 1))
    exact = lambda x, c: (Fraction(memory[x * count + c], 255) if c == 3 else intensity(memory[x * count + c])) if c < count else Fraction(c == 3)
    cases, expected = [], []
    for first in range(0, width, 64):
        at, half = [[x] for x in range(first, first + 64)], [Fraction(x + 1) for x in range(first, min(first + 64, width - 1))]
        half += [Fraction(width - 1)] * (64 - len(half))  # between x and the next one
        for name, places, linear in (("load", at, 0), ("sample_lz", [[F32.round(x + Fraction(1, 2))] for x, in at], 0),
                                     ("sample_lz", [[F32.round(x)] for x in half], 1)):
            case = Case(words(find(gcn_table, "image_" + name), 15, 1, 0, 0, 0, d16, SAMPLER if "sample" in name else 0))
            case.memory(DATA, memory).scalar(RESOURCE, resource, 8).scalar(SAMPLER, sampler(CLAMP, linear, 0), 4)
            for i in range(4):
                case.vector(VALUE + i, [0] * 64)
            rows = []
            for (x,), h in zip(at, half):
                if linear:  # of the components as floats
                    x = int(h) - 1
                    got = [sum(F32.value(F32.round(exact(x + k, c))) for k in (0, 1)) / 2 for c in range(4)]
                    got = [F32.to(F16, F32.round(g)) if d16 else F32.round(g) for g in got]
                else:
                    got = [to.round(exact(x, c)) for c in range(4)]
                rows.append(put([0] * 4, d16, got))
            cases.append(with_coordinates(case, places).show(*range(VALUE, VALUE + 4)))
            expected.append((f"image_{name} {dfmt} from {first} linear {linear}", rows, None))
    compare(run(run_tool, cases), expected)


def test_every_gather(gcn_table, run_tool):
    """One component of the four texels that a linear filter would take: below left, below right, above right, above left."""
    rows = [r for r in gcn_table if r["name"].startswith("image_gather4") and r["executes"]]
    assert len(rows) == 12
    cases, expected = [], []
    for n in range(len(rows) * 4):
        row, kind, clamp, dmask, d16 = rows[n % 12], (D2, D2A)[n // 12 % 2], CLAMPS[n % 6], 1 << n // 3 % 4, n // 24
        shape = Shape(kind, 10)
        case, memory, coordinates, offsets = sampled(row, n, shape, 10, UNORM, clamp, 0, n // 12 % 2, dmask, d16)
        out = []
        for lane in range(64):
            base = coordinates[lane]
            got = []
            for dx, dy in ((0, 1), (1, 1), (1, 0), (0, 0)):
                at = []
                for i, k in enumerate((dx, dy)):
                    x = base[i] * shape.size[i] if n // 12 % 2 else base[i]
                    at.append(wrapped(clamp, floor((x - Fraction(1, 2)) * 256 + Fraction(1, 2)) // 256 + k + offsets[lane][i], shape.size[i]))
                if kind == D2A:
                    at.append(max(0, min(shape.size[2] - 1, even(base[-1]))))
                c = dmask.bit_length() - 1
                got.append(0 if None in at else shape.component(shape.element(memory, at), c, UNORM, d16))
            before = [0xaa + i for i in range(4)]
            out.append(put(before, d16, got) if PARTIAL >> lane & 1 else before)
        cases.append(case.show(*range(VALUE, VALUE + 4)))
        expected.append((f"{n} {row['name']} type {kind} clamp {clamp}", out, None))
    compare(run(run_tool, cases), expected)


def test_far_coordinates(gcn_table, run_tool):
    """Infinities and numbers beyond 2^40 are beyond an end, or periodic; NaN is 0. TRUNC_COORD does not round up."""
    row, shape = find(gcn_table, "image_sample_lz"), Shape(D1, 4)
    memory = struct.pack("<8I", *range(100, 108))
    bits = [0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x5f000000, 0x3ffffff8] + [0] * 57
    periodic = [F32.value(b) % 6 for b in bits[3:6]]
    for clamp, want in ((CLAMP, [105, 100, 100, 105, 100, 105, 102]),
                        (WRAP, [100, 100, 100, *(100 + floor(p) for p in periodic), 102])):
        for trunc in 0, 1:
            case = Case(words(row, 1, 1, 1, 0, 0, 0, SAMPLER)).memory(DATA, memory).vector(ADDR, bits)
            case.scalar(RESOURCE, image(4, UINT, D1, shape.size), 8).scalar(SAMPLER, sampler(clamp) | trunc << 27, 4)
            result, = run(run_tool, [case.show(VALUE)])
            assert result.fault is None
            assert result.shown[0][:7] == want[:6] + [want[6] - trunc], (clamp, trunc)


def test_the_size_of_images(gcn_table, run_tool):
    row, cases, want = find(gcn_table, "image_get_resinfo"), [], []
    for kind, first in KINDS:
        for dmask, d16, tfe in VARIANTS:
            shape = Shape(kind, 10, first)
            case = Case(words(row, dmask, 0, 1, 0, tfe, d16)).exec(PARTIAL).vector(ADDR, [l % 3 == 0 for l in range(64)])
            case.scalar(RESOURCE, image(10, UNORM, kind, shape.size, first=first), 8)
            for i in range(5):
                case.vector(VALUE + i, [9] * 64)
            cases.append(case.show(*range(VALUE, VALUE + 5)))
            rows = []
            for lane in range(64):
                size = [*shape.size, 1] if lane % 3 else [0, 0, 0, 1]
                got = [size[c] for c in chosen(dmask)]
                rows.append(put([9] * 5, d16, got) if PARTIAL >> lane & 1 else [9] * 5)
                if tfe and PARTIAL >> lane & 1:
                    rows[-1][(len(got) + 1) // 2 if d16 else len(got)] = 0
            want.append((f"type {kind} dmask {dmask}", rows, None))
    compare(run(run_tool, cases), want)


def test_every_row_counts(gcn_table, run_tool):
    """VM_CNT of IB_STS is one more behind each access, LGKM_CNT none (manual, 4.4)."""
    getreg = [0xb0000000 | find(gcn_table, "s_getreg_b32")["opcode"] << 23 | 30 << 16 | 7 | 31 << 11]
    rows = [r for r in gcn_table if r["encoding"] == "MIMG" and r["executes"]]
    cases = []
    for row in rows:
        dmask = 3 if "cmpswap" in row["name"] else 1
        code = words(row, dmask, 0, 0, 1, 0, 0, SAMPLER if "sample" in row["name"] or "gather" in row["name"] else 0) + getreg
        case = Case(code, 2).memory(DATA, bytes(4096)).scalar(RESOURCE, image(4, UINT, D2, (4, 4, 1)), 8).scalar(SAMPLER, sampler(CLAMP), 4)
        for i in range(12):
            case.vector(ADDR + i, [0] * 64)
        cases.append(case)
    got = {row["name"]: (r.fault, r.s[30] & 15, r.s[30] >> 8 & 15) for row, r in zip(rows, run(run_tool, cases))}
    assert got == {row["name"]: (None, 1, 0) for row in rows} and len(rows) == 50


# ---- tiles ----

PICKED = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 5, 1), (13, 7, 2), (69, 49, 2), (37, 30, 1), (60, 11, 0)]
# Where AMD's address library (addrlib, as published with ROCr 5.2.3, GB_ADDR_CONFIG 0) puts the picked texels, of an array of
# three images of 300 x 200 and of one of 70 x 50 x 40: dimensions, swizzle mode, bytes of a texel, pitch.
TILES = {
    (2, 22, 1, 320): [1, 16, 81920, 81970, 163965, 169237, 84397, 2780],
    (2, 22, 2, 320): [2, 16, 143360, 143444, 286970, 312346, 146794, 3000],
    (2, 22, 4, 320): [4, 16, 286720, 286872, 574196, 623668, 292324, 7024],
    (2, 22, 8, 320): [8, 16, 532480, 532784, 1065944, 1196120, 579016, 7888],
    (2, 22, 16, 304): [16, 32, 1011712, 1012064, 2026416, 2273840, 1099664, 16032],
    (2, 26, 1, 512): [1, 16, 131072, 131122, 262269, 271637, 133549, 2780],
    (2, 26, 2, 512): [2, 16, 262144, 262228, 524538, 537626, 265578, 3000],
    (2, 26, 4, 384): [4, 16, 393216, 393368, 787188, 824372, 402916, 11120],
    (2, 26, 8, 384): [8, 16, 786432, 786736, 1573848, 1626200, 800200, 11984],
    (2, 26, 16, 320): [16, 32, 1310720, 1311072, 2624432, 2708016, 1349520, 44704],
    (3, 20, 1, 80): [1, 2, 16, 278, 875, 77923, 31065, 14922],
    (3, 20, 2, 72): [2, 4, 32, 300, 4950, 143942, 56114, 31252],
    (3, 20, 4, 72): [4, 8, 32, 312, 5068, 144012, 56164, 31304],
    (3, 20, 8, 72): [8, 16, 32, 2160, 7064, 254616, 129832, 66320],
    (3, 20, 16, 72): [16, 32, 64, 2656, 14768, 512176, 260432, 135456],
    (3, 24, 1, 128): [1, 2, 16, 278, 875, 213091, 51545, 39498],
    (3, 24, 2, 96): [2, 4, 32, 300, 4950, 344646, 84786, 104980],
    (3, 24, 4, 96): [4, 8, 32, 312, 5068, 344716, 84836, 105032],
    (3, 24, 8, 96): [8, 16, 32, 2160, 7064, 721560, 281384, 119568],
    (3, 24, 16, 80): [16, 32, 64, 2656, 39344, 1249456, 481616, 250144],
}


def test_tiles(gcn_table, run_tool):
    """A texel is stored where the address library says: no memory is there, and the report has the address."""
    row, formats, base = find(gcn_table, "image_store"), {1: 1, 2: 2, 4: 4, 8: 11, 16: 14}, 1 << 32
    cases, expected = [], []
    for (dimensions, mode, size, pitch), offsets in TILES.items():
        kind, extent = (D3, (70, 50, 40)) if dimensions == 3 else (D2A, (300, 200, 3))
        for picked, offset in zip(PICKED, offsets):
            case = Case(words(row)).scalar(RESOURCE, image(formats[size], UINT, kind, extent, mode, pitch=pitch, base=base), 8)
            cases.append(with_coordinates(case, [picked] * 64))
            expected.append(f"image_store: store of {size} bytes at 0x{base + offset:x}: no memory")
    for want, result in zip(expected, run(run_tool, cases)):
        assert result.fault.startswith(want), (want, result.fault)


# ---- what is refused ----

def test_what_is_refused(gcn_table, run_tool):
    """By its name, never guessed."""
    load, sample, gather, store, add = (find(gcn_table, f"image_{n}") for n in ("load", "sample_lz", "gather4_lz", "store", "atomic_add"))
    good, point = image(4, UINT, D2, (4, 4, 1)), sampler(CLAMP)
    named = {
        "cube maps (TYPE 11)": (load, image(4, UINT, 11, (4, 4, 6)), point),
        "images of several samples (TYPE 14)": (load, image(4, UINT, 14, (4, 4, 1)), point),
        "resources that are not images (TYPE 0)": (load, 0, point),
        "images of several levels (BASE_LEVEL 0, LAST_LEVEL 2)": (load, image(4, UINT, D2, (4, 4, 1), levels=2), point),
        "compressed images (COMPRESSION_EN)": (load, good | 1 << 213, point),
        "images of DATA_FORMAT 5 and NUM_FORMAT 9": (load, image(5, SRGB, D2, (4, 4, 1)), point),
        "images of DATA_FORMAT 10 and NUM_FORMAT 8": (load, image(10, 8, D2, (4, 4, 1)), point),
        "image_store: stores and atomics of sRGB images": (store, image(10, SRGB, D2, (4, 4, 1)), point),
        "image_atomic_add: stores and atomics of sRGB images": (add, image(10, SRGB, D2, (4, 4, 1)), point),
        "images of DATA_FORMAT 16 and NUM_FORMAT 0": (load, image(16, 0, D2, (4, 4, 1)), point),
        "images of 2 dimensions in tiles of SW_MODE 25, 4 bytes a texel": (load, image(4, UINT, D2, (4, 4, 1), 25), point),
        "images of 3 dimensions in tiles of SW_MODE 26, 4 bytes a texel": (load, image(4, UINT, D3, (4, 4, 4), 26), point),
        "images of 2 dimensions in tiles of SW_MODE 22, 12 bytes a texel": (load, image(13, UINT, D2, (4, 4, 1), 22), point),
        "samplers that clamp to half a border": (sample, good, sampler(4)),
        "borders of another colour than transparent black (type 2)": (sample, good, point | 2 << 126),
        "samplers with FORCE_DEGAMMA": (sample, good, point | 1 << 20),
        "filters other than one of point and linear (1, 0, 0)": (sample, good, point | 1 << 84),
        "filters other than one of point and linear (2, 2, 0)": (sample, good, point | 10 << 84),
        "samplers that give a minimum or maximum": (sample, good, point | 1 << 29),
        "linear filters of integers": (sample, good, sampler(CLAMP, 1)),
        "of images of 3 dimensions it": (gather, image(4, UINT, D3, (4, 4, 4)), point),
        "DMASK 0xf is not that of an integer in a texel of 4 bytes": (add, good, point),
    }
    cases = [Case(words(row, sampler=0 if row in (load, store, add) else SAMPLER)).scalar(RESOURCE, r, 8).scalar(SAMPLER, s, 4)
             for row, r, s in named.values()]
    cases += [Case([words(load)[0] | bit, words(load)[1]]).scalar(RESOURCE, good, 8) for bit in (1 << 15, 1 << 17)]
    cases.append(Case(words(store, tfe=1)).scalar(RESOURCE, good, 8))
    for name, result in zip([*named, "(A16)", "(LWE)", "stores and atomics with the TFE bit"], run(run_tool, cases)):
        assert result.fault and name in result.fault, (name, result.fault)
        assert result.trapsts >> 11 & 1  # illegal instruction
    missing = Case(words(load)).scalar(RESOURCE, image(4, UINT, D2, (4, 4, 1), base=1 << 40), 8).vector(ADDR, [0] * 64).vector(ADDR + 1, [1] * 64)
    result, = run(run_tool, [missing])
    assert "image_load: load of 4 bytes at 0x10000000010" in result.fault
