"""Formatted accesses to buffers of gfx1030, in waves of 32 lanes and of 64: one FORMAT for both numbers, the rules of what is outside, ADD_TID, swizzling."""
import random
import re

import pytest

from conftest import rows_of
from machine import DATA, Case, run
from test_gcn_formats import DATA_FORMATS, FLOAT, IDENTITY, SINT, SNORM, UINT, UNORM, interesting, one, rows, shape, typed_model
from test_gcn_formats import USCALED, SSCALED
from test_gcn_memory import ADDR, M32, PARTIAL, SIZE, VALUE, memory
from test_gcn_gfx10 import assembled

# LLVM's names of the formats: its data format, with those of gfx9 in the same order of components, and its numbers.
NAMES = {1: "8", 2: "16", 3: "8_8", 4: "32", 5: "16_16", 6: "10_11_11", 7: "11_11_10", 8: "10_10_10_2", 9: "2_10_10_10", 10: "8_8_8_8", 11: "32_32", 12: "16_16_16_16",
         13: "32_32_32", 14: "32_32_32_32"}
NUMBERS = {UNORM: "UNORM", SNORM: "SNORM", USCALED: "USCALED", SSCALED: "SSCALED", UINT: "UINT", SINT: "SINT", FLOAT: "FLOAT"}
OFFSET, RECORDS, NOTHING, BYTES = range(4)


@pytest.fixture(scope="module")
def formats():
    """{FORMAT: (data format, numeric format)}, by LLVM's assembler."""
    names = {f"BUF_FMT_{d}_{n}": (k, m) for k, d in NAMES.items() for m, n in NUMBERS.items()}
    words = assembled([f"tbuffer_load_format_x v1, v0, s[8:11], 0 format:[{name}] idxen" for name in names])
    found = {w[0] >> 19 & 127: names[name] for name, w in zip(names, words) if w}
    assert sorted(found) == list(range(1, 78))
    return found


@pytest.fixture(scope="module")
def table(decode_tool):
    return rows_of(decode_tool, "gfx1030")


def words(row, form, offset=0, idxen=1, offen=1, soffset=128):
    low = idxen << 13 | offen << 12 | offset
    if row["encoding"] == "MUBUF":
        return [0xe0000000 | row["opcode"] << 18 | low, soffset << 24 | 2 << 16 | VALUE << 8 | ADDR]
    return [0xe8000000 | form << 19 | (row["opcode"] & 7) << 16 | low, soffset << 24 | row["opcode"] >> 3 << 21 | 2 << 16 | VALUE << 8 | ADDR]


def resource(base, form=0, select=IDENTITY, stride=0, records=SIZE, swizzle=0, add_tid=0, index_stride=0, oob=RECORDS):
    word3 = sum(s << 3 * i for i, s in enumerate(select)) | form << 12 | index_stride << 21 | add_tid << 23 | 1 << 24 | oob << 28
    return base & M32 | (base >> 32 & 0xffff | stride << 16 | swizzle << 31) << 32 | records << 64 | word3 << 96


def swizzled(index, offset, stride, group):
    """The place of an offset within a record of a swizzled buffer."""
    return (index // group * stride + offset // 4 * 4) * group + index % group * 4 + offset % 4


def job(row, form, formats, lanes, select=IDENTITY, swizzle=None):
    dfmt, nfmt = formats[form]
    seed = f"{row['name']}{form}{select}{swizzle}{lanes}"
    size = sum(DATA_FORMATS[dfmt]) // 8
    mem, values = memory(seed), interesting(seed, shape(row)[2])
    random.seed(seed)
    index = random.sample(range(96), 64)
    offset = [16 * random.randrange(2) for _ in range(64)] if swizzle is None or size > 4 else [random.randrange(32 // size) * size // 4 * 4 for _ in range(64)]
    if swizzle is not None and size > 4:
        offset = [0] * 64
    group = 8 << (swizzle or 0)
    cell = (lambda i, x: i * 32 + x) if swizzle is None else (lambda i, x: swizzled(i, x, 32, group))
    cells = [[cell(i, o + k) for k in range(size)] for i, o in zip(index, offset)]
    inner = row["encoding"] == "MTBUF"   # the format is the instruction's, and the resource's is none
    v = resource(DATA, 0 if inner else form, [0] * 4 if inner else select, 32, 96, int(swizzle is not None), 0, swizzle or 0)
    case = Case(words(row, form), model=f"gfx1030:{lanes}").exec(PARTIAL & (1 << lanes) - 1).memory(DATA, mem).scalar(8, v, 4)
    case.vector(ADDR, index).vector(ADDR + 1, offset)
    for i in range(4):
        case.vector(VALUE + i, values[i])
    return row, dfmt, nfmt, IDENTITY if inner else select, cells, mem, values, lanes, case.show(*range(VALUE, VALUE + 4)).show_memory(DATA, SIZE)


def check(run_tool, jobs):
    wrong = []
    for (row, dfmt, nfmt, select, cells, mem, values, lanes, _), result in zip(jobs, run(run_tool, [j[-1] for j in jobs])):
        what = f"{row['name']} {NAMES[dfmt]}_{NUMBERS[nfmt]} {select} {lanes}"
        if result.fault:
            wrong.append(f"{what}: {result.fault}")
            continue
        for lane in range(lanes):
            want = before = [values[i][lane] for i in range(4)]
            if PARTIAL >> lane & 1:
                want, after = typed_model(row, dfmt, nfmt, select, sum(mem[c] << 8 * k for k, c in enumerate(cells[lane])), before)
                for k, c in enumerate(cells[lane]):
                    mem[c] = after >> 8 * k & 255
            got = [result.shown[i][lane] for i in range(4)]
            if got != want:
                wrong.append(f"{what} lane {lane}: {[hex(x) for x in got]}, not {[hex(x) for x in want]}")
        if result.shown[4] != bytes(mem):
            wrong.append(f"{what}: other bytes in memory")
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("lanes", [32, 64])
def test_every_format_in_each_size_of_waves(table, run_tool, formats, lanes):
    """Each of the 77 formats by a load and a store of all components, with the instruction's format and with the resource's."""
    which = [r for r in table if re.fullmatch(r"t?buffer_(load|store)_format_xyzw", r["name"])]
    assert len(which) == 4 and all(r["executes"] for r in which)
    check(run_tool, [job(r, f, formats, lanes) for r in which for f in formats])


@pytest.mark.full
@pytest.mark.parametrize("encoding", ["MUBUF", "MTBUF"])
def test_every_format_of_every_instruction(table, run_tool, formats, encoding):
    which = [r for r in rows(table) if r["encoding"] == encoding]
    assert len(which) == {"MUBUF": 18, "MTBUF": 16}[encoding]
    for row in which:
        check(run_tool, [job(row, f, formats, lanes) for f in formats for lanes in (32, 64)])


def test_each_instruction_with_some_formats(table, run_tool, formats):
    some = [f for f, pair in formats.items() if pair in ((10, UNORM), (6, FLOAT), (12, SNORM), (14, UINT), (1, SINT))]
    assert len(some) == 5
    check(run_tool, [job(row, f, formats, 32) for row in rows(table) for f in some])


def test_components_are_selected(table, run_tool, formats):
    some = [f for f, pair in formats.items() if pair in ((10, UNORM), (5, SINT), (7, FLOAT), (4, UINT))]
    check(run_tool, [job(r, f, formats, lanes, s) for r in rows(table) if r["encoding"] == "MUBUF" for lanes in (32, 64)
                     for s in ([6, 5, 4, 7], [0, 1, 4, 4], [5, 4, 1, 0]) for f in some])


@pytest.mark.parametrize("index_stride", range(4))
def test_swizzled_elements(table, run_tool, formats, index_stride):
    """Rows of 8 to 64 records, as the resource says, whichever size waves have."""
    some = [f for f, pair in formats.items() if pair in ((14, UINT), (13, SINT), (12, SNORM), (1, UINT), (9, UNORM))]
    which = [r for r in table if re.fullmatch(r"tbuffer_(load|store)_format_xyzw|buffer_load_format_xyz|buffer_store_format_d16_xyzw", r["name"])]
    check(run_tool, [job(r, f, formats, lanes, swizzle=index_stride) for r in which for f in some for lanes in (32, 64)])


def test_formats_that_are_none_are_refused(table, run_tool):
    load, by_resource = (next(r for r in table if r["name"] == n) for n in ("tbuffer_load_format_x", "buffer_load_format_x"))
    cases = [Case(words(load, f), model="gfx1030:32").scalar(8, resource(DATA), 4) for f in (0, 78, 127)]
    cases += [Case(words(by_resource, 0), model="gfx1030:32").scalar(8, resource(DATA, f), 4) for f in (0, 78, 127)]
    for f, result in zip((0, 78, 127) * 2, run(run_tool, cases)):
        assert result.fault and f"there is no format of buffers with FORMAT {f}" in result.fault, result.fault


def outside(oob, swizzle, index, offset, stride, records, place):
    """Mesa's rules (radv_make_texel_buffer_descriptor)."""
    if oob == OFFSET:
        return index >= records or offset >= stride
    if oob == RECORDS:
        return index >= records
    return not records if oob == NOTHING else place >= records


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize("swizzle", [0, 1])
@pytest.mark.parametrize("oob", range(4))
def test_what_is_outside(table, run_tool, formats, oob, swizzle, lanes):
    """All four rules; a component that is the constant 1 is 1 outside, too. Stores outside are dropped."""
    form = next(f for f, pair in formats.items() if pair == (4, UINT))
    load, store = (next(r for r in table if r["name"] == f"buffer_{x}_format_x{'y' * (x == 'load')}") for x in ("load", "store"))
    random.seed(oob)
    index, offset = [i % 20 for i in range(64)], [4 * random.randrange(6) for _ in range(64)]
    stride, group = 16, 8
    place = [swizzled(i, o, stride, group) if swizzle else stride * i + o for i, o in zip(index, offset)]
    for records in (0, 10, 11 * 16):
        # Bytes count where the rule is of bytes; lanes that write the same place would race.
        mem = memory(f"{oob}{records}")
        first = {p: lane for lane, p in reversed(list(enumerate(place[:lanes])))}
        mask = sum(1 << lane for lane in first.values())
        v = lambda select: resource(DATA, form, select, stride, records, swizzle, 0, 0, oob)
        c = [Case(words(r, 0), model=f"gfx1030:{lanes}").exec(mask).memory(DATA, mem).scalar(8, v(s), 4).vector(ADDR, index).vector(ADDR + 1, offset)
             .vector(VALUE, [0x1000 + i for i in range(64)]).vector(VALUE + 1, [0] * 64).show(VALUE, VALUE + 1).show_memory(DATA, SIZE)
             for r, s in ((load, [4, 1, 0, 0]), (store, IDENTITY))]
        got, put = run(run_tool, c)
        assert got.fault is None and put.fault is None, (got.fault, put.fault)
        after = bytearray(mem)
        for lane in first.values():
            out = outside(oob, swizzle, index[lane], offset[lane], stride, records, place[lane])
            there = int.from_bytes(mem[place[lane]:place[lane] + 4], "little")
            assert [got.shown[i][lane] for i in (0, 1)] == [0 if out else there, 1], (lane, records)
            if not out:
                after[place[lane]:place[lane] + 4] = (0x1000 + lane).to_bytes(4, "little")
        assert put.shown[2] == bytes(after), records


@pytest.mark.parametrize("lanes", [32, 64])
def test_the_lane_is_added_to_the_index(table, run_tool, formats, lanes):
    """ADD_TID: the resource has a format all the same, and its stride has no more bits; with swizzling lanes are side by side."""
    form = next(f for f, pair in formats.items() if pair == (10, UNORM))
    load = next(r for r in table if r["name"] == "buffer_load_format_xyzw")
    mem = memory("tid")
    for swizzle, stride in ((0, 24), (1, 16)):
        index_stride = {32: 2, 64: 3}[lanes]
        v = resource(DATA, form, IDENTITY, stride, 80, swizzle, 1, index_stride)
        case = Case(words(load, 0, offset=4, idxen=1, offen=0), model=f"gfx1030:{lanes}").memory(DATA, mem).scalar(8, v, 4).vector(ADDR, [3] * 64)
        (result,) = run(run_tool, [case.exec((1 << lanes) - 1).show(*range(VALUE, VALUE + 4))])
        assert result.fault is None, result.fault
        for lane in range(lanes):
            at = swizzled(3 + lane, 4, stride, lanes) if swizzle else stride * (3 + lane) + 4
            want, _ = typed_model(load, 10, UNORM, IDENTITY, int.from_bytes(mem[at:at + 4], "little"), [0] * 4)
            assert [result.shown[i][lane] for i in range(4)] == want, (lane, swizzle)
            assert one(UNORM, False) == 0x3f800000
