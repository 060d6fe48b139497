"""Formatted accesses to buffers: MTBUF and BUFFER_*_FORMAT, against exact fractions."""
import random
import struct
from fractions import Fraction
from math import floor, trunc

import pytest

from machine import ALL, DATA, M0, Case, run
from numbers_model import F16, F32, Format
from test_gcn_memory import (ADDR, M32, PARTIAL, SIZE, VALUE, buffer, find, memory, registers, resource)

UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 0, 1, 2, 3, 4, 5, 7
# Bits of the components from the lowest bit up, by DATA_FORMAT.
DATA_FORMATS = {1: [8], 2: [16], 3: [8, 8], 4: [32], 5: [16, 16], 6: [11, 11, 10], 7: [10, 11, 11], 8: [2, 10, 10, 10],
                9: [10, 10, 10, 2], 10: [8] * 4, 11: [32] * 2, 12: [16] * 4, 13: [32] * 3, 14: [32] * 4}
PAIRS = [(d, n) for d, bits in DATA_FORMATS.items() for n in (UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT)
         if (n == FLOAT and (bits[0] >= 16 or len(bits) == 3)) or (n != FLOAT and (bits[0] < 32 or n in (UINT, SINT)))]
IDENTITY = [4, 5, 6, 7]
# 10 and 11 bits: no sign. The same numbers as a format with one.
SMALL = {10: Format(5, 5), 11: Format(5, 6), 16: F16, 32: F32}


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) else x


def load_component(raw, bits, nfmt, d16):
    """What a register gets."""
    to = F16 if d16 else F32
    if nfmt == UINT:
        return min(raw, 0xffff) if d16 else raw
    if nfmt == SINT:
        return max(-0x8000, min(0x7fff, signed(raw, bits))) & 0xffff if d16 else signed(raw, bits) & M32
    if nfmt == FLOAT:
        return raw if bits == 32 and not d16 or bits == 16 and d16 else SMALL[bits].to(to, raw)
    value = {UNORM: lambda: Fraction(raw, (1 << bits) - 1),
             SNORM: lambda: max(Fraction(-1), Fraction(signed(raw, bits), (1 << (bits - 1)) - 1)),
             USCALED: lambda: Fraction(raw), SSCALED: lambda: Fraction(signed(raw, bits))}[nfmt]()
    return to.round(value)


def even(x):
    low = floor(x)
    rest = x - low
    return low + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and low & 1)


def store_component(value, bits, nfmt, d16):
    """What memory gets."""
    of = F16 if d16 else F32
    value &= 0xffff if d16 else M32
    top, limit = (1 << bits) - 1, (1 << (bits - 1)) - 1
    if nfmt == UINT:
        return min(value, top)
    if nfmt == SINT:
        return max(-limit - 1, min(limit, signed(value, 16 if d16 else 32))) & top
    if nfmt == FLOAT:
        if bits == (16 if d16 else 32):
            return value
        if bits >= 16:
            return of.to(SMALL[bits], value)
        small = SMALL[bits]
        return small.nan if of.is_nan(value) else 0 if value & of.sign else of.to(small, value)
    if of.is_nan(value):
        return 0
    low, high, scale, rounding = {UNORM: (0, top, top, even), SNORM: (-limit, limit, limit, even),
                                  USCALED: (0, top, 1, trunc), SSCALED: (-limit - 1, limit, 1, trunc)}[nfmt]
    if of.is_inf(value):
        return (low if value & of.sign else high) & top
    return max(low, min(high, rounding(of.value(value) * scale))) & top


def one(nfmt, d16):
    return 1 if nfmt in (UINT, SINT) else 0x3c00 if d16 else 0x3f800000


def shape(row):
    """(loads, components, d16, of the high half)"""
    o = row["operands"]
    return o[0] == "r", int(o[2]), o[1] == "d", o.endswith("h")


def rows(gcn_table):
    return [r for r in gcn_table if "_format_" in r["name"]]


def words(row, dfmt, nfmt, offset=0, soffset=128, tfe=0):
    """With an index and an offset in VGPRs."""
    if row["encoding"] == "MUBUF":
        low, high = buffer(row, offset, 1, 1, 0, soffset)
        return [low, high | tfe << 23]
    return [0xe8000000 | nfmt << 23 | dfmt << 19 | row["opcode"] << 15 | 1 << 13 | 1 << 12 | offset,
            soffset << 24 | tfe << 23 | 2 << 16 | VALUE << 8 | ADDR]


def formatted(base, dfmt, nfmt, select, **rest):
    word = sum(s << 3 * i for i, s in enumerate(select)) | nfmt << 12 | dfmt << 15
    return resource(base, **rest) | word << 96


def typed_model(row, dfmt, nfmt, select, element, registers_):
    """(registers, element) after the access of one lane; `element`: an integer."""
    loads, count, d16, high = shape(row)
    bits = DATA_FORMATS[dfmt]
    places = [sum(bits[:i]) for i in range(len(bits))]
    out = list(registers_)
    stored = {}
    for i in range(count):
        s = select[i]
        place, shift = (i // 2, 16 * (i % 2 or high)) if d16 else (i, 0)
        mask = 0xffff if d16 else M32
        if not loads:
            if s >= 4 and s - 4 < len(bits):
                stored.setdefault(s - 4, store_component(out[place] >> shift & mask, bits[s - 4], nfmt, d16))
            continue
        if s >= 4 and s - 4 < len(bits):
            value = load_component(element >> places[s - 4] & (1 << bits[s - 4]) - 1, bits[s - 4], nfmt, d16)
        else:
            value = one(nfmt, d16) if s in (1, 7) else 0
        out[place] = out[place] & ~(mask << shift) & M32 | value << shift
    if loads:
        return out, element
    return out, sum(v << places[c] for c, v in stored.items())


def interesting(seed, d16):
    """Register values: bits of any kind, numbers around the limits of normalized formats, infinities, NaNs."""
    random.seed(seed)
    special = [0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x3bff, 1, 0x3800, 0xb800, 0x7bff] if d16 else \
        [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f7fffff, 1, 0x3f000000,
         0x477fe000, 0x477ff000, 0x38800000, 0x33800000, 0x33000000, 0x35300000, 0x437f0000]
    of = F16 if d16 else F32
    kinds = [lambda: random.getrandbits(of.bits), lambda: random.choice(special),
             lambda: of.round(Fraction(random.randrange(-1 << 16, 1 << 16), 1 << 16)),
             lambda: of.round(Fraction(random.randrange(-1 << 20, 1 << 20), 8))]
    pick = lambda: random.choice(kinds)()
    return [[pick() | (pick() << 16 if d16 else 0) for _ in range(64)] for _ in range(4)]


def check(run_tool, jobs):
    wrong = []
    for (row, dfmt, nfmt, select, cells, mem, values, _), result in zip(jobs, run(run_tool, [j[-1] for j in jobs])):
        what = f"{row['name']} {dfmt}/{nfmt} {select}"
        if result.fault:
            wrong.append(f"{what}: {result.fault}")
            continue
        for lane in range(64):
            before = [values[i][lane] for i in range(4)]
            want = before
            if PARTIAL >> lane & 1:
                element = sum(mem[c] << 8 * k for k, c in enumerate(cells[lane]))
                want, after = typed_model(row, dfmt, nfmt, select, element, before)
                for k, c in enumerate(cells[lane]):
                    mem[c] = after >> 8 * k & 255
            got = [result.shown[i][lane] for i in range(4)]
            if got != want:
                wrong.append(f"{what} lane {lane}: {[hex(x) for x in got]}, not {[hex(x) for x in want]}")
        if result.shown[4] != bytes(mem):
            n = next(k for k in range(len(mem)) if result.shown[4][k] != mem[k])
            wrong.append(f"{what}: memory at {n}: {result.shown[4][n]:02x}, not {mem[n]:02x}")
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong[:20])


def job(row, dfmt, nfmt, select, swizzle=0):
    seed = f"{row['name']}{dfmt}{nfmt}{select}{swizzle}"
    size = sum(DATA_FORMATS[dfmt]) // 8
    mem, values = memory(seed), interesting(seed, shape(row)[2])
    random.seed(seed)
    index = random.sample(range(96), 64)
    offset = [16 * random.randrange(2) for _ in range(64)] if not swizzle else [random.randrange(32 // size) * size // 4 * 4
                                                                                for _ in range(64)]
    if swizzle and size > 4:
        offset = [0] * 64
    # Records of 32 bytes, of which the element takes `size`.
    cell = (lambda i, x: i * 32 + x) if not swizzle else (lambda i, x: (i // 8 * 32 + x // 4 * 4) * 8 + i % 8 * 4 + x % 4)
    cells = [[cell(i, o + k) for k in range(size)] for i, o in zip(index, offset)]
    typed = row["encoding"] == "MTBUF"
    if typed:  # what the resource says about the format does not count
        select, v = IDENTITY, formatted(DATA, 0, 0, [0] * 4, stride=32, swizzle=swizzle)
    else:
        v = formatted(DATA, dfmt, nfmt, select, stride=32, swizzle=swizzle)
    case = Case(words(row, dfmt, nfmt)).exec(PARTIAL).memory(DATA, mem).scalar(8, v, 4).vector(ADDR, index).vector(ADDR + 1, offset)
    for i in range(4):
        case.vector(VALUE + i, values[i])
    return row, dfmt, nfmt, select, cells, mem, values, case.show(*range(VALUE, VALUE + 4)).show_memory(DATA, SIZE)


@pytest.mark.parametrize("encoding", ["MUBUF", "MTBUF"])
def test_every_format_of_every_instruction(gcn_table, run_tool, encoding):
    """All data formats with all numeric formats that they can have, in each of the instructions."""
    which = [r for r in rows(gcn_table) if r["encoding"] == encoding]
    assert len(which) == {"MUBUF": 18, "MTBUF": 16}[encoding] and all(r["executes"] for r in which)
    for row in which:
        check(run_tool, [job(row, d, n, IDENTITY) for d, n in PAIRS])


def test_components_are_selected(gcn_table, run_tool):
    """DST_SEL of the resource: constants 0 and 1, any order; the same component twice is stored once."""
    selects = [[6, 5, 4, 7], [0, 1, 4, 4], [7, 7, 0, 5], [5, 4, 1, 0]]
    check(run_tool, [job(r, d, n, s) for r in rows(gcn_table) if r["encoding"] == "MUBUF" for s in selects
                     for d, n in ((10, UNORM), (5, SINT), (6, FLOAT), (4, UINT))])


def test_swizzled_elements(gcn_table, run_tool):
    """An element of several dwords goes on in the next row of a swizzled buffer."""
    which = [find(gcn_table, n) for n in ("tbuffer_load_format_xyzw", "tbuffer_store_format_xyzw", "buffer_load_format_xyz",
                                          "buffer_store_format_d16_xyzw")]
    check(run_tool, [job(r, d, n, IDENTITY, 1) for r in which for d, n in ((14, UINT), (13, SINT), (12, SNORM), (1, UINT), (9, UNORM))])


def test_beyond_the_buffer_and_impossible_formats(gcn_table, run_tool):
    """Outside loads give 0 and stores are dropped; formats that do not exist are refused, not guessed."""
    load, store = (find(gcn_table, f"tbuffer_{x}_format_xyzw") for x in ("load", "store"))
    mem = memory("beyond")
    cases = [Case(words(r, 10, UNORM)).memory(DATA, mem).scalar(8, resource(DATA, 32, 10 * 32), 4).vector(ADDR, range(64))
             .vector(ADDR + 1, [0] * 64).vector(VALUE, [0x3f800000] * 64).vector(VALUE + 3, [5] * 64)
             .show(VALUE, VALUE + 3).show_memory(DATA, SIZE) for r in (load, store)]
    got, put = run(run_tool, cases)
    for lane in range(64):
        want = [load_component(mem[32 * lane + k], 8, UNORM, False) if lane < 10 else 0 for k in (0, 3)]
        assert [got.shown[i][lane] for i in range(2)] == want
        there = put.shown[2][32 * lane:32 * lane + 4]
        assert there == (bytes([255]) + there[1:3] + bytes([0]) if lane < 10 else bytes(mem[32 * lane:32 * lane + 4]))
    impossible = [(0, UNORM), (15, UINT), (1, FLOAT), (4, UNORM), (14, SSCALED), (9, FLOAT), (5, 6)]
    for (d, n), result in zip(impossible, run(run_tool, [Case(words(load, d, n)).scalar(8, resource(DATA), 4) for d, n in impossible])):
        assert result.fault and f"DATA_FORMAT {d} and NUM_FORMAT {n}" in result.fault


def test_an_element_across_the_end(gcn_table, run_tool):
    """An element is loaded whole or not at all; outside, the constant 1 of DST_SEL is still 1."""
    row, mem = find(gcn_table, "buffer_load_format_xy"), memory("half")
    word3 = 4 | 1 << 3 | UINT << 12 | 11 << 15  # X, then 1, of 32_32
    v = resource(DATA, 8, 84) & (1 << 96) - 1 | word3 << 96
    result, = run(run_tool, [Case(words(row, 0, 0)).memory(DATA, mem).scalar(8, v, 4).vector(ADDR, range(64)).vector(ADDR + 1, [0] * 64)
                             .show(VALUE, VALUE + 1)])
    assert result.fault is None, result.fault
    assert result.shown[0] == [struct.unpack_from("<I", mem, 8 * l)[0] if l < 10 else 0 for l in range(64)]
    assert result.shown[1] == [1] * 64


def test_nothing_is_stored_unless_all_can_be(gcn_table, run_tool):
    """A lane outside of what is mapped is reported; the other lanes' elements are as they were."""
    row, mem = find(gcn_table, "tbuffer_store_format_x"), memory("fault")
    offsets = [4 * l for l in range(63)] + [0x1000000]
    result, = run(run_tool, [Case(words(row, 4, UINT)).memory(DATA, mem).scalar(8, resource(DATA, 0, 1 << 30), 4)
                             .vector(ADDR, [0] * 64).vector(ADDR + 1, offsets).show_memory(DATA, SIZE)])
    assert "no memory is mapped" in result.fault and f"0x{DATA + 0x1000000:x}" in result.fault
    assert result.shown[0] == bytes(mem)


def test_texture_fail_register(gcn_table, run_tool):
    """TFE: a register behind the data tells that nothing failed."""
    for name, count in (("tbuffer_load_format_xy", 2), ("buffer_load_dwordx3", 3), ("tbuffer_load_format_d16_xyz", 2), ("buffer_load_ubyte", 1)):
        row, values = find(gcn_table, name), registers(name)
        typed = row["encoding"] == "MTBUF"
        code = words(row, 12, UINT, tfe=1) if typed else [buffer(row, 0, 1)[0], buffer(row, 0, 1)[1] | 1 << 23]
        case = Case(code).exec(PARTIAL).scalar(8, resource(DATA, 16 if typed else 0), 4)
        case.vector(ADDR, range(64) if typed else [16 * l for l in range(64)]).vector(ADDR + 1, [0] * 64).memory(DATA, memory(name))
        for i in range(4):
            case.vector(VALUE + i, values[i])
        result, = run(run_tool, [case.show(VALUE + count)])
        assert result.fault is None, result.fault
        assert result.shown[0] == [0 if PARTIAL >> l & 1 else values[count][l] for l in range(64)], name


@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
def test_stores_from_lds(gcn_table, run_tool, exec_mask):
    """BUFFER_STORE_LDS_DWORD: from M0[15:0] plus the offset plus 4 for each lane; without registers."""
    row, lds, mem = find(gcn_table, "buffer_store_lds_dword"), memory("lds"), memory("m")
    random.seed("s")
    at = [8 * n for n in random.sample(range(64), 64)]
    result, = run(run_tool, [Case(buffer(row, 16, 1)).exec(exec_mask).memory(16, lds).memory(DATA, mem).scalar(8, resource(DATA), 4)
                             .scalar(M0, 0x100).vector(ADDR, at).show_memory(DATA, SIZE)])
    assert result.fault is None, result.fault
    for lane in range(64):
        if exec_mask >> lane & 1:
            mem[at[lane] + 16:at[lane] + 20] = lds[0x100 + 4 * lane:0x104 + 4 * lane]
    assert result.shown[0] == bytes(mem)
