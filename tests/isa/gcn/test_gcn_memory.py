"""Every memory instruction that executes: scalar, flat, global, scratch, buffers, data share."""
import random
import struct

import pytest

from machine import ALL, DATA, EXEC, FLAT_SCRATCH, M0, SCRATCH, Case, run
from numbers_model import F16, F32, F64, Format

PARTIAL = 0x8000_0f0f_1234_fff1
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
SHARED, PRIVATE = 1 << 48, 2 << 48
ADDR, VALUE, SECOND, RESULT = 10, 20, 24, 30
OFF = 0x7f
SIZE = 4096
BF16 = Format(8, 7)
ATOMICS = ["swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec", "add_f32", "pk_add_f16", "add_f64", "min_f64", "max_f64", "pk_add_bf16", "add_f32_all"]


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) else x


def add_bf16(x, y):
    """The exact sum, rounded to nearest: as a format of its own, whose numbers are a single's upper halves."""
    return BF16.add(x, y)


def atomic(op, bits, old, data, compare):
    s = lambda x: signed(x, bits)
    return {"swap": lambda: data, "cmpswap": lambda: data if old == compare else old, "add": lambda: old + data,
            "sub": lambda: old - data, "smin": lambda: min(old, data, key=s), "umin": lambda: min(old, data),
            "smax": lambda: max(old, data, key=s), "umax": lambda: max(old, data), "and": lambda: old & data,
            "or": lambda: old | data, "xor": lambda: old ^ data, "inc": lambda: 0 if old >= data else old + 1,
            "dec": lambda: data if old == 0 or old > data else old - 1,
            "add_f32": lambda: F32.flush(F32.add(F32.flush(old), F32.flush(data))),
            "add_f32_all": lambda: F32.add(old, data), "pk_add_bf16": lambda: add_bf16(old & 0xffff, data & 0xffff) | add_bf16(old >> 16, data >> 16) << 16,
            "add_f64": lambda: F64.add(old, data), "min_f64": lambda: ds_model("ds_min_f64", old, data, 0, 64),
            "max_f64": lambda: ds_model("ds_max_f64", old, data, 0, 64),
            "pk_add_f16": lambda: F16.add(old & 0xffff, data & 0xffff) | F16.add(old >> 16, data >> 16) << 16}[op]() & (1 << bits) - 1


def flat(row, offset=0, glc=0, saddr=OFF, addr=ADDR, data=VALUE, dst=RESULT):
    segment = {"FLAT": 0, "SCRATCH": 1, "GLOBAL": 2}[row["encoding"]]
    if segment == 0:
        saddr = 0
    return [0xdc000000 | row["opcode"] << 18 | glc << 16 | segment << 14 | offset & 0x1fff,
            dst << 24 | saddr << 16 | data << 8 | addr]


def buffer(row, offset=0, offen=0, idxen=0, glc=0, soffset=128, resource=8, addr=ADDR, data=VALUE, lds=0):
    return [0xe0000000 | row["opcode"] << 18 | lds << 16 | glc << 14 | idxen << 13 | offen << 12 | offset,
            soffset << 24 | resource // 4 << 16 | data << 8 | addr]


def ds(row, offset=0, gds=0, addr=ADDR, data=VALUE, second=SECOND, dst=RESULT):
    return [0xd8000000 | row["opcode"] << 17 | gds << 16 | offset & 0xffff, dst << 24 | second << 16 | data << 8 | addr]


def scalar(row, base=8, dst=16, offset=0, glc=0):
    return [0xc0000000 | row["opcode"] << 18 | 1 << 17 | glc << 16 | dst << 6 | base // 2, offset & 0x1fffff]


def find(table, name):
    return next(r for r in table if r["name"] == name)


def shape(row):
    """(r, w or a; bytes; u, s or ""; l, h or "") from the operands."""
    o = row["operands"]
    digits = "".join(c for c in o[1:] if c.isdigit())
    rest = o[1 + len(digits):]
    return o[0], int(digits), "".join(c for c in rest if c in "us"), "".join(c for c in rest if c in "lh")


def returns(row):
    return "n" not in row["operands"]


def memory(seed):
    random.seed(seed)
    return bytearray(random.getrandbits(8) for _ in range(SIZE))


def registers(seed, count=4):
    random.seed(seed + "r")
    return [[random.getrandbits(32) for _ in range(64)] for _ in range(count)]


def places(size, seed, collide):
    """An offset for each lane; without collisions all are apart."""
    random.seed(seed + "p")
    slots = SIZE // 2 // size if not collide else 8
    return [random.randrange(slots) * size for _ in range(64)] if collide else \
        [n * size for n in random.sample(range(slots), 64)]


def loaded(row, data, old):
    """The registers that a load leaves in one lane."""
    _, size, extend, half = shape(row)
    if size >= 4:
        return list(struct.unpack(f"<{size // 4}I", data))
    value = int.from_bytes(data, "little", signed=extend == "s") & M32
    if half == "l":
        return [old & 0xffff0000 | value & 0xffff]
    return [old & 0xffff | (value & 0xffff) << 16] if half == "h" else [value]


def stored(row, values):
    _, size, _, half = shape(row)
    return struct.pack("<4I", *values)[2 if half == "h" else 0:][:size]


def check_access(row, result, exec_mask, at, mem, values, old, glc):
    """`at`: the offset in `mem`, a copy of what memory held, of each lane; the memory shown is the whole of it."""
    kind, size, _, _ = shape(row)
    wrong = []
    assert result.fault is None, f"{row['name']}: {result.fault}"
    words = (size + 3) // 4
    for lane in range(64):
        now = [result.shown[i][lane] for i in range(4)]
        want = [old[i][lane] for i in range(4)]
        if exec_mask >> lane & 1:
            here = bytes(mem[at[lane]:at[lane] + size])
            if kind == "r":
                want[:words] = loaded(row, here, old[0][lane])
            elif kind == "w":
                mem[at[lane]:at[lane] + size] = stored(row, [v[lane] for v in values])
            else:
                op = ATOMICS[row["opcode"] & 31]
                if op == "add_f32" and row["model"] == "gfx942":  # which keeps denormals
                    op = "add_f32_all"
                before = int.from_bytes(here, "little")
                number = [v[lane] for v in values]
                data = number[0] if size == 4 else number[0] | number[1] << 32
                compare = number[1] if size == 4 else number[2] | number[3] << 32
                mem[at[lane]:at[lane] + size] = atomic(op, 8 * size, before, data, compare).to_bytes(size, "little")
                if glc:
                    want[:words] = [before & M32, before >> 32][:words]
        if now != want:
            wrong.append(f"{row['name']} lane {lane}: {now}, not {want}")
    return wrong


def atomic_memory(mem, size, registers_, seed):
    """Memory that compare-and-swap meets its comparison in, now and then."""
    random.seed(seed)
    for n in range(8):
        if random.random() < 0.7:
            compare = struct.pack("<I", registers_[1][n]) if size == 4 else struct.pack("<2I", registers_[2][n], registers_[3][n])
            mem[n * size:(n + 1) * size] = compare


def vector_case(words, exec_mask, values, old, mem, base, issues=1, model="gfx900"):
    case = Case(words, issues, model).exec(exec_mask).memory(base, mem)
    for i in range(4):
        case.vector(VALUE + i, values[i]).vector(RESULT + i, old[i])
    return case.show(*range(RESULT, RESULT + 4))


def run_rows(run_tool, jobs):
    wrong = []
    for (row, exec_mask, at, mem, values, old, glc, _), result in zip(jobs, run(run_tool, [j[-1] for j in jobs])):
        wrong += check_access(row, result, exec_mask, at, mem, values, old, glc)
        if result.shown[4] != bytes(mem):
            n = next(k for k in range(len(mem)) if result.shown[4][k] != mem[k])
            wrong.append(f"{row['name']}: memory at {n}: {result.shown[4][n]:02x}, not {mem[n]:02x}")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
@pytest.mark.parametrize("kind", ["vaddr", "saddr", "negative"])
def test_flat_and_global(gcn_table, run_tool, kind, exec_mask):
    """Loads, stores, atomics; a 64-bit address in VGPRs, or one in SGPRs plus an offset; immediate offsets."""
    jobs = []
    for row in gcn_table:
        if row["encoding"] not in ("FLAT", "GLOBAL") or "_lds_" in row["name"] or row["encoding"] == "FLAT" and kind != "vaddr":
            continue
        way, size, _, _ = shape(row)
        name = row["name"]
        at, mem, values, old = places(size, name, way == "a"), memory(name), registers(name), registers(name + "o")
        if way == "a":
            atomic_memory(mem, size, values, name)
        glc = way == "a" and size == 8 and returns(row) or way == "r"
        offset = {"vaddr": 16, "saddr": 64, "negative": -32}[kind]
        words = flat(row, offset, int(glc), 12 if kind == "saddr" else OFF)
        case = vector_case(words, exec_mask, values, old, mem, DATA, model=row["model"]).scalar(12, DATA - 64, 2)
        addresses = at if kind == "saddr" else [DATA + a - offset for a in at]
        case.wide(ADDR, addresses, 1 if kind == "saddr" else 2).show_memory(DATA, SIZE)
        jobs.append((row, exec_mask, at, mem, values, old, glc, case))
    run_rows(run_tool, jobs)


@pytest.mark.parametrize("encoding", ["FLAT", "SCRATCH"])
def test_private_memory_is_swizzled(gcn_table, run_tool, encoding):
    """Byte X of a lane is at FLAT_SCRATCH + X / 4 * 4 * 64 + lane * 4 + X % 4 (private.cl of the kernels, too)."""
    wrong = []
    for row in gcn_table:
        if row["encoding"] != encoding or not row["executes"] or "_lds_" in row["name"]:
            continue
        way, size, _, _ = shape(row)
        if way == "a":
            continue
        values, old = registers(row["name"]), registers(row["name"] + "o")
        random.seed(row["name"])
        # Also unaligned: an access may go on in the next dword, 256 bytes further.
        where = [random.randrange(0, 120) for _ in range(64)]
        backing = bytearray(random.getrandbits(8) for _ in range(0x8000))
        address = [x + PRIVATE - 8 for x in where] if encoding == "FLAT" else [x - 8 for x in where]
        case = Case(flat(row, 8)).memory(SCRATCH, backing).scalar(FLAT_SCRATCH, SCRATCH, 2)
        for i in range(4):
            case.vector(VALUE + i, values[i]).vector(RESULT + i, old[i])
        case.wide(ADDR, [a & M64 for a in address], 2).show(*range(RESULT, RESULT + 4)).show_memory(SCRATCH, 0x8000)
        result, = run(run_tool, [case])
        assert result.fault is None, result.fault
        for lane in range(64):
            cells = [(x // 4) * 256 + lane * 4 + x % 4 for x in range(where[lane], where[lane] + size)]
            if way == "r":
                want = loaded(row, bytes(backing[c] for c in cells), old[0][lane])
                got = [result.shown[i][lane] for i in range(len(want))]
                if got != want:
                    wrong.append(f"{row['name']} lane {lane} at {where[lane]}: {got}, not {want}")
            else:
                for c, byte in zip(cells, stored(row, [v[lane] for v in values])):
                    backing[c] = byte
        if result.shown[4] != bytes(backing):
            wrong.append(f"{row['name']}: the backing memory is wrong")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize("register", [False, True])
def test_private_offsets_of_gfx942(gcn_table, run_tool, vector, register):
    """The byte of a lane's private memory is the sum of a VGPR, an SGPR and the field: each of the first two where the instruction has it."""
    row, backing = find(gcn_table, "scratch_load_dword"), memory("offsets") * 4
    low, high = flat(row, 8, saddr=5 if register else OFF)
    case = Case([low | vector << 13, high], model="gfx942").memory(SCRATCH, backing).scalar(FLAT_SCRATCH, SCRATCH, 2).scalar(5, 12)
    result, = run(run_tool, [case.vector(ADDR, [4 * (l % 3) for l in range(64)]).show(RESULT)])
    assert result.fault is None, result.fault
    places_ = [8 + 12 * register + 4 * (l % 3) * vector for l in range(64)]
    assert result.shown[0] == [struct.unpack_from("<I", backing, at // 4 * 256 + 4 * l)[0] for l, at in enumerate(places_)]


def test_flat_goes_by_aperture(gcn_table, run_tool):
    """One access whose lanes go to LDS, to private memory and to memory."""
    load, store = find(gcn_table, "flat_load_dword"), find(gcn_table, "flat_store_dword")
    targets = [(SHARED + 256 + 4 * l, PRIVATE + 4 * (l % 4), DATA + 4 * l)[l % 3] for l in range(64)]
    data = [0x1000 + l for l in range(64)]
    case = Case(flat(store) + flat(load), 2).wide(ADDR, targets, 2).vector(VALUE, data).scalar(FLAT_SCRATCH, SCRATCH, 2)
    case.show(RESULT).show_memory(256, 256).show_memory(SCRATCH, 1024).show_memory(DATA, 256)
    result, = run(run_tool, [case])
    assert result.fault is None and result.shown[0] == data
    for l in range(64):
        place = (result.shown[1][4 * l:], result.shown[2][(l % 4) * 256 + 4 * l:], result.shown[3][4 * l:])[l % 3]
        assert struct.unpack("<I", place[:4])[0] == data[l]


def resource(base, stride=0, records=SIZE, swizzle=0, add_tid=0, index_stride=0):
    stride14, top = (stride & 0x3fff, stride >> 14) if add_tid else (stride, 0)
    return (base & M32 | (base >> 32 & 0xffff | stride14 << 16 | swizzle << 31) << 32 | records << 64
            | (add_tid << 23 | index_stride << 21 | top << 15) << 96)


@pytest.mark.parametrize("kind", ["offen", "idxen", "both", "soffset"])
def test_linear_buffers(gcn_table, run_tool, kind):
    """Index, offset and stride; offsets from VGPR, immediate and SGPR."""
    jobs = []
    for row in gcn_table:
        if row["encoding"] != "MUBUF" or not row["executes"] or row["operands"] == "-" or row["operands"][1] in "fd" \
                or row["name"] == "buffer_store_lds_dword":
            continue
        way, size, _, _ = shape(row)
        name = row["name"]
        mem, values, old = memory(name), registers(name), registers(name + "o")
        random.seed(name)
        slots = random.sample(range(SIZE // 32), 64) if way != "a" else [random.randrange(8) for _ in range(64)]
        stride = size if way == "a" else 16
        index, offset = slots, [0] * 64
        if kind in ("offen", "soffset"):
            index, offset = [0] * 64, [stride * n for n in slots]
        elif kind == "both" and way != "a":
            offset = [random.choice((0, 16)) for _ in range(64)]
            index = [2 * (n // 2) for n in slots]
            if len({(i, o) for i, o in zip(index, offset)}) < 64 and way == "w":
                index, offset = slots, [0] * 64
        imm = 32 if kind != "idxen" else 0
        at = [stride * i + o + imm for i, o in zip(index, offset)]
        if way == "a":
            atomic_memory(mem[imm:], size, values, name)
        soffset = 16 if kind == "soffset" else 128
        if kind == "soffset":
            at = [a + 64 for a in at]
        glc = way == "a" and returns(row)
        if way != "w":
            old = values
        words = buffer(row, imm, int(kind != "idxen"), int(kind in ("idxen", "both")), int(glc), soffset)
        case = Case(words, model=row["model"]).exec(PARTIAL).memory(DATA, mem).scalar(8, resource(DATA, stride), 4).scalar(16, 64)
        for i in range(4):
            case.vector(VALUE + i, values[i])
        first, second = (index, offset) if kind in ("both", "idxen") else (offset, index)
        case.vector(ADDR, first).vector(ADDR + 1, second)
        # Loads and atomics give their result where their data were.
        case.show(*range(VALUE, VALUE + 4)).show_memory(DATA, SIZE)
        jobs.append((row, PARTIAL, at, mem, values, values, glc, case))
    run_rows(run_tool, jobs)


@pytest.mark.parametrize("index_stride,add_tid", [(3, 1), (3, 0), (0, 0), (1, 0)])
def test_swizzled_buffers(gcn_table, run_tool, index_stride, add_tid):
    """Elements of four bytes, interleaved over 8, 16, 32 or 64 records."""
    group, stride = 8 << index_stride, 16
    wrong = []
    for name in ("buffer_load_dword", "buffer_load_ubyte", "buffer_load_dwordx4", "buffer_store_dwordx2", "buffer_store_short", "buffer_store_dword", "buffer_load_sshort", "buffer_load_short_d16_hi",
                 "buffer_load_dwordx2"):
        row = find(gcn_table, name)
        way, size, _, _ = shape(row)
        mem, values = memory(name), registers(name)
        random.seed(name)
        index = list(range(64)) if add_tid else random.sample(range(100), 64)
        # Also unaligned: LLVM makes such accesses to private memory since version 20.
        offset = [random.randrange(16 - size + 1) for _ in range(64)]
        case = Case(buffer(row, 0, 1, 1 - add_tid)).memory(DATA, mem)
        case.scalar(8, resource(DATA, stride, 200, 1, add_tid, index_stride), 4)
        for i in range(4):
            case.vector(VALUE + i, values[i])
        case.vector(ADDR, offset if add_tid else index).vector(ADDR + 1, offset)
        result, = run(run_tool, [case.show(*range(VALUE, VALUE + 4)).show_memory(DATA, SIZE)])
        assert result.fault is None, result.fault
        for lane in range(64):
            cells = []
            for x in range(offset[lane], offset[lane] + size):
                record = index[lane]
                cells.append((record // group * stride + x // 4 * 4) * group + record % group * 4 + x % 4)
            if way == "r":
                want = loaded(row, bytes(mem[c] for c in cells), values[0][lane])
                got = [result.shown[i][lane] for i in range(len(want))]
                if got != want:
                    wrong.append(f"{name} lane {lane}: {got}, not {want}")
            else:
                for c, byte in zip(cells, stored(row, [v[lane] for v in values])):
                    mem[c] = byte
        if result.shown[4] != bytes(mem):
            wrong.append(f"{name}: memory is wrong")
    assert not wrong, "\n".join(wrong[:20])


def test_beyond_a_buffer(gcn_table, run_tool):
    """Loads give 0, stores are dropped: by bytes in a linear buffer, by records in a swizzled one."""
    load, store = find(gcn_table, "buffer_load_dword"), find(gcn_table, "buffer_store_dword")
    mem, ones = memory("beyond"), [0x11111111] * 64
    offsets = [8 * l for l in range(64)]
    linear = [Case(buffer(r, 0, 1)).memory(DATA, mem).scalar(8, resource(DATA, 0, 256), 4).vector(ADDR, offsets)
              .vector(VALUE, ones).show(VALUE).show_memory(DATA, 1024) for r in (load, store)]
    loaded_, stored_ = run(run_tool, linear)
    for l in range(64):
        assert loaded_.shown[0][l] == (struct.unpack_from("<I", mem, 8 * l)[0] if 8 * l < 256 else 0)
        assert stored_.shown[1][8 * l:8 * l + 4] == (b"\x11" * 4 if 8 * l < 256 else mem[8 * l:8 * l + 4])
    swizzled, = run(run_tool, [Case(buffer(load, 0, 0, 1)).memory(DATA, mem).scalar(8, resource(DATA, 4, 40, 1, 0, 3), 4)
                               .vector(ADDR, range(64)).show(VALUE)])
    assert all((v == 0) == (l >= 40) for l, v in enumerate(swizzled.shown[0]))


@pytest.mark.parametrize("records", [256, 252, 258, 249])
def test_across_the_end_of_a_buffer(gcn_table, run_tool, records):
    """Of several dwords each counts for itself, by its first byte; an atomic is done whole or not at all."""
    mem, offsets = memory("across"), [4 * l + 1 for l in range(64)]
    for name in ("buffer_load_dwordx2", "buffer_load_dwordx3", "buffer_load_dwordx4", "buffer_load_dword"):
        words = shape(find(gcn_table, name))[1] // 4
        result, = run(run_tool, [Case(buffer(find(gcn_table, name), 0, 1)).memory(DATA, mem).scalar(8, resource(DATA, 0, records), 4)
                                 .vector(ADDR, offsets).show(*range(VALUE, VALUE + words))])
        assert result.fault is None
        for lane, at in enumerate(offsets):
            want = [struct.unpack_from("<I", mem, at + 4 * i)[0] if at + 4 * i < records else 0 for i in range(words)]
            assert [v[lane] for v in result.shown[:words]] == want, f"{name} lane {lane}"
    values = registers("across")
    for name in ("buffer_store_dwordx2", "buffer_store_dwordx3", "buffer_store_dwordx4", "buffer_store_dword"):
        words = shape(find(gcn_table, name))[1] // 4
        case = Case(buffer(find(gcn_table, name), 0, 1)).memory(DATA, mem).scalar(8, resource(DATA, 0, records), 4).vector(ADDR, [20 * l + 1 for l in range(64)])
        for i in range(words):
            case.vector(VALUE + i, values[i])
        result, = run(run_tool, [case.show_memory(DATA, SIZE)])
        want = bytearray(mem)
        for lane in range(64):
            for i in range(words):
                at = 20 * lane + 1 + 4 * i
                if at < records:
                    want[at:at + 4] = struct.pack("<I", values[i][lane])
        assert result.fault is None and result.shown[0] == bytes(want), name
    atomic = Case(buffer(find(gcn_table, "buffer_atomic_add_x2"), 0, 1)).memory(DATA, mem).scalar(8, resource(DATA, 0, records), 4)
    result, = run(run_tool, [atomic.vector(ADDR, [8 * l for l in range(64)]).vector(VALUE, [1] * 64).vector(VALUE + 1, [0] * 64)
                             .show_memory(DATA, SIZE)])
    want = bytearray(mem)
    for at in range(0, 512, 8):
        if at + 8 <= records:
            want[at:at + 8] = struct.pack("<Q", struct.unpack_from("<Q", mem, at)[0] + 1 & (1 << 64) - 1)
    assert result.fault is None and result.shown[0] == bytes(want)


def test_loads_into_lds(gcn_table, run_tool):
    """The LDS bit: at M0, plus the offset, plus 4 for each lane."""
    mem = memory("lds")
    case = Case(buffer(find(gcn_table, "buffer_load_dword"), 16, 1, lds=1)).memory(DATA, mem).scalar(8, resource(DATA), 4)
    result, = run(run_tool, [case.vector(ADDR, [12 * l for l in range(64)]).scalar(M0, 512).show_memory(528, 256)])
    want = b"".join(bytes(mem[12 * l + 16:12 * l + 20]) for l in range(64))
    assert result.fault is None and result.shown[0] == want


@pytest.mark.parametrize("model", ["gfx900", "gfx942"])
@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
def test_global_and_scratch_loads_into_lds(gcn_table, run_tool, exec_mask, model):
    """The LDS bit of GLOBAL and SCRATCH, gfx942's own instructions: the same place in LDS; what would lie before LDS is dropped."""
    mem, before = memory("lds"), memory("before")
    for name, offset in (("global_load_dword", 16), ("global_load_dword", -16), ("global_load_sbyte", 0), ("scratch_load_dword", 8),
                         ("scratch_load_ushort", 0)) if model == "gfx900" else (
            ("global_load_lds_dword", 16), ("global_load_lds_dword", -16), ("global_load_lds_sbyte", 0), ("global_load_lds_ubyte", 4), ("global_load_lds_sshort", 8),
            ("global_load_lds_ushort", 8), ("scratch_load_lds_dword", 8), ("scratch_load_lds_ubyte", 4), ("scratch_load_lds_sbyte", 4), ("scratch_load_lds_ushort", 0),
            ("scratch_load_lds_sshort", 0)):
        row = find(gcn_table, name)
        size, extend = shape(row)[1:3]
        for m0 in (512, 4):
            low, high = flat(row, offset)
            by_vgpr = model == "gfx900" or name.startswith("scratch")  # the bit of LDS, or that of the VGPR
            case = Case([low | by_vgpr << 13, high], model=model).exec(exec_mask).scalar(M0, m0).scalar(FLAT_SCRATCH, SCRATCH, 2).memory(0, before)
            at = [12 * (l + 2) for l in range(64)]
            if name.startswith("global"):
                base, cells = DATA, [x + offset for x in at]
                case.wide(ADDR, [DATA + x for x in at], 2)
            else:
                at = [4 * (l % 5) for l in range(64)]
                base, cells = SCRATCH, [(x + offset) // 4 * 256 + 4 * l for l, x in enumerate(at)]
                case.vector(ADDR, at)
            result, = run(run_tool, [case.memory(base, mem).show_memory(0, SIZE)])
            assert result.fault is None, result.fault
            want = bytearray(before)
            for l in range(64):
                place = m0 + offset + 4 * l
                if exec_mask >> l & 1 and place >= 0:
                    data = bytes(mem[cells[l]:cells[l] + size]) if cells[l] + size <= len(mem) else bytes(size)
                    want[place:place + 4] = (int.from_bytes(data, "little", signed=extend == "s") & M32).to_bytes(4, "little")
            assert result.shown[0] == bytes(want), (name, offset, m0)
    store, = run(run_tool, [Case([flat(find(gcn_table, "global_store_dword"))[0] | 1 << 13, flat(find(gcn_table, "global_store_dword"))[1]])])
    assert "with the LDS bit is not executed" in store.fault


def test_what_is_not_mapped_is_refused(gcn_table, run_tool):
    """The lanes that did it are named; nothing has been done."""
    store = find(gcn_table, "global_store_dword")
    addresses = [DATA + 4 * l if l % 2 else 0x7000000 + l * 16 for l in range(64)]
    result, = run(run_tool, [Case(flat(store)).wide(ADDR, addresses, 2).vector(VALUE, [7] * 64).show_memory(DATA, 256)])
    assert "0x7000000: no memory is mapped there" in result.fault and result.shown[0] == bytes(256)
    assert result.trapsts & 1 << 8
    big, = run(run_tool, [Case(flat(store)).wide(ADDR, [1 << 60] * 64, 2)])
    assert "no memory is mapped" in big.fault


# ---- scalar ----


def test_scalar_memory(gcn_table, run_tool):
    """Loads and stores of every width, plain and through a resource; atomics."""
    mem = memory("scalar")
    values = registers("scalar", 1)[0]
    jobs = []
    for row in gcn_table:
        if row["encoding"] != "SMEM" or not row["executes"] or row["operands"] == "-" or "mem" in row["name"]:
            continue
        way, size, _, _ = shape(row)
        words = scalar(row, 8, 16, 64, int(way == "a"))
        base = resource(DATA, 0, SIZE) if "buffer" in row["name"] else DATA
        case = Case(words).memory(DATA, mem).scalar(8, base, 4)
        for i in range(16):
            case.scalar(16 + i, values[i])
        jobs.append((row, case.show_memory(DATA, 256)))
    wrong = []
    for (row, _), result in zip(jobs, run(run_tool, [j[1] for j in jobs])):
        way, size, _, _ = shape(row)
        here, want, after = bytes(mem[64:64 + size]), values[:16], bytearray(mem[:256])
        if way == "r":
            want = list(struct.unpack(f"<{size // 4}I", here)) + want[size // 4:]
        elif way == "w":
            after[64:64 + size] = struct.pack(f"<{size // 4}I", *values[:size // 4])
        else:
            data = struct.pack("<4I", *values[:4])
            new = atomic(ATOMICS[row["opcode"] & 31], 8 * size, int.from_bytes(here, "little"),
                         int.from_bytes(data[:size], "little"), int.from_bytes(data[size:2 * size], "little"))
            after[64:64 + size] = new.to_bytes(size, "little")
            want = list(struct.unpack(f"<{size // 4}I", here)) + want[size // 4:]
        if result.fault or result.s[16:32] != want or result.shown[0] != bytes(after):
            wrong.append(f"{row['name']}: {result.fault} {result.s[16:32]}, not {want}")
    assert not wrong, "\n".join(wrong[:20])


def test_scalar_offsets(gcn_table, run_tool):
    """An SGPR or M0 as offset, alone and beside the immediate; the low two bits of the address do not count."""
    mem = memory("offsets")
    op = find(gcn_table, "s_load_dword")["opcode"]
    word = lambda at: struct.unpack_from("<I", mem, at)[0]
    for low, high, at in ((0, 20, 40), (0x4000 | 0x20000, 20 << 25 | 12, 52), (0, M0, 80), (0x20000, 0x1ffffc, -4 + 100)):
        base = DATA + (100 if at == 96 else 0)
        result, = run(run_tool, [Case([0xc0000000 | op << 18 | low | 16 << 6 | 4, high]).memory(DATA, mem).scalar(8, base + 3, 2)
                                 .scalar(20, 40).scalar(M0, 80)])
        assert result.fault is None and result.s[16] == word(at), at


def test_scalar_scratch_offsets(gcn_table, run_tool):
    """The offset of S_SCRATCH_* in an SGPR counts in 64 bytes, the immediate in bytes."""
    mem = memory("scratch")
    load, store = (find(gcn_table, f"s_scratch_{x}_dword")["opcode"] for x in ("load", "store"))
    for low, high, at in ((0, 20, 640), (0x4000 | 0x20000, 20 << 25 | 12, 652), (0x20000, 12, 12), (0x20000, 0x1ffffc, -4)):
        loaded_, stored_ = run(run_tool, [Case([0xc0000000 | op << 18 | low | 16 << 6 | 4, high]).memory(DATA, mem)
                                          .scalar(8, DATA + 64, 2).scalar(20, 10).scalar(16, 0x12345678).show_memory(DATA, SIZE)
                                          for op in (load, store)])
        assert loaded_.fault is None and loaded_.s[16] == struct.unpack_from("<I", mem, 64 + at)[0], at
        want = bytearray(mem)
        want[64 + at:68 + at] = struct.pack("<I", 0x12345678)
        assert stored_.fault is None and stored_.shown[0] == bytes(want), at


def test_scalar_loads_beyond_a_buffer(gcn_table, run_tool):
    row = find(gcn_table, "s_buffer_load_dwordx4")
    mem = memory("edge")
    result, = run(run_tool, [Case(scalar(row, 8, 16, 56)).memory(DATA, mem).scalar(8, resource(DATA, 0, 64), 4)])
    assert result.s[16:20] == [*struct.unpack_from("<2I", mem, 56), 0, 0]


# ---- data share ----

DS_OPS = {"add": lambda o, d, e, n: o + d, "sub": lambda o, d, e, n: o - d, "rsub": lambda o, d, e, n: d - o,
          "inc": lambda o, d, e, n: atomic("inc", n, o, d, 0), "dec": lambda o, d, e, n: atomic("dec", n, o, d, 0),
          "and": lambda o, d, e, n: o & d, "or": lambda o, d, e, n: o | d, "xor": lambda o, d, e, n: o ^ d,
          "mskor": lambda o, d, e, n: o & ~d | e, "wrxchg": lambda o, d, e, n: d, "cmpst": lambda o, d, e, n: e if o == d else o,
          "wrap": lambda o, d, e, n: o - d if o >= d else o + e}


def ds_model(name, old, data, second, bits):
    parts = name.replace("_rtn", "").split("_")
    op, kind = parts[1], parts[2][0]
    if op == "pk":
        return atomic("pk_add_" + parts[-1], 32, old, data, 0)
    if kind == "f":
        f = F32 if bits == 32 else F64
        if op == "add":
            return f.add(old, data)
        if f.is_nan(old) or f.is_nan(data):
            return old
        value = lambda x: (-1 if x & f.sign else 1) * 2 ** 2000 if f.is_inf(x) else f.value(x)
        if op == "cmpst":
            return second if value(old) == value(data) else old
        less = value(data) < value(old) if op == "min" else value(data) > value(old)
        return data if less else old
    if op in ("min", "max"):
        return (min if op == "min" else max)(old, data, key=lambda x: signed(x, bits) if kind == "i" else x)
    return DS_OPS[op](old, data, second, bits) & (1 << bits) - 1


@pytest.mark.parametrize("gds", [0, 1], ids=["LDS", "GDS"])
def test_data_share_atomics(gcn_table, run_tool, gds):
    """Lane after lane, where several meet; values that are met again by comparisons."""
    wrong, jobs = [], []
    for row in gcn_table:
        if row["encoding"] != "DS" or row["operands"][0] != "a" or not row["executes"] or "permute" in row["name"] \
                or any(part in row["name"] for part in ("swizzle", "wrxchg2", "src2", "condxchg", "append", "consume")) or gds and row["model"] in ("gfx90a", "gfx942"):
            continue
        size, name = shape(row)[1], row["name"]
        random.seed(name)
        pool = [random.getrandbits(8 * size) for _ in range(5)] + [0, 1, 0x3f800000, 0xbf800000, 0x7f800000]
        pick = lambda: random.choice(pool)
        values, seconds = [pick() for _ in range(64)], [pick() for _ in range(64)]
        mem = b"".join(pick().to_bytes(size, "little") for _ in range(8))
        at = [random.randrange(8) * size for _ in range(64)]
        case = Case(ds(row, 16, gds), model=row["model"]).exec(PARTIAL).wide(VALUE, values, 2).wide(SECOND, seconds, 2).vector(ADDR, at)
        case.vector(RESULT, [5] * 64).vector(RESULT + 1, [6] * 64).scalar(M0, 0x10000)
        if gds:  # it is zero after reset
            mem = bytes(len(mem))
            case.scalar(M0, 0x1000)
        else:
            case.memory(16, mem)
        jobs.append((row, bytearray(mem), at, values, seconds, case.show(RESULT, RESULT + 1)))
        (case.show_gds if gds else case.show_memory)(16, len(mem))
    for (row, mem, at, values, seconds, _), result in zip(jobs, run(run_tool, [j[-1] for j in jobs])):
        size = shape(row)[1]
        if result.fault:
            wrong.append(f"{row['name']}: {result.fault}")
            continue
        for lane in range(64):
            want = 5 | 6 << 32
            if PARTIAL >> lane & 1:
                old = int.from_bytes(mem[at[lane]:at[lane] + size], "little")
                mem[at[lane]:at[lane] + size] = ds_model(row["name"], old, values[lane], seconds[lane], 8 * size) \
                    .to_bytes(size, "little")
                if "_rtn_" in row["name"]:
                    want = old if size == 8 else old | 6 << 32
            got = result.shown[0][lane] | result.shown[1][lane] << 32
            if got != want:
                wrong.append(f"{row['name']} lane {lane}: {got:x}, not {want:x}")
        if result.shown[2] != bytes(mem):
            wrong.append(f"{row['name']}: memory is {result.shown[2].hex()}, not {bytes(mem).hex()}")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
def test_data_share_reads_and_writes(gcn_table, run_tool, exec_mask):
    """Every width, d16, two at a time, in strides of 64, and by the lane's number."""
    wrong = []
    for row in gcn_table:
        if row["encoding"] != "DS" or not row["executes"] or row["operands"][0] not in "rw" and "wrxchg2" not in row["name"]:
            continue
        way, size, _, _ = shape(row)
        name = row["name"]
        two, addtid = "2" in name.split("_")[1], "addtid" in name
        mem = bytearray((memory(name) * 12)[:49152])
        values, seconds, old = registers(name), registers(name + "2"), registers(name + "o")
        unit = size * (64 if "st64" in name else 1)
        offset = 3 | 1 << 8 if two else 24
        random.seed(name)
        step = 16 if not two else 8 * size
        at = [step * n for n in random.sample(range(64), 64)]
        case = Case(ds(row, offset)).exec(exec_mask).vector(ADDR, at).scalar(M0, 32).memory(0, mem)
        for i in range(4):
            case.vector(VALUE + i, values[i]).vector(SECOND + i, seconds[i]).vector(RESULT + i, old[i])
        result, = run(run_tool, [case.show(*range(RESULT, RESULT + 4)).show_memory(0, 49152)])
        assert result.fault is None, result.fault
        for lane in range(64):
            want = [old[i][lane] for i in range(4)]
            if exec_mask >> lane & 1:
                bases = [at[lane] + 3 * unit, at[lane] + unit] if two else [32 + 24 + 4 * lane if addtid else at[lane] + 24]
                out = []
                for base in bases:
                    out += loaded(row, bytes(mem[base:base + size]), old[0][lane]) if way != "w" else []
                for base, source in zip(bases, (values, seconds)):
                    if way != "r":
                        mem[base:base + size] = stored(row, [v[lane] for v in source])
                want[:len(out)] = out
            got = [result.shown[i][lane] for i in range(4)]
            if got != want:
                wrong.append(f"{name} lane {lane}: {got}, not {want}")
        if result.shown[4] != bytes(mem):
            wrong.append(f"{name}: LDS is wrong")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
def test_data_share_beyond_its_end(gcn_table, run_tool, exec_mask):
    """What lies outside reads 0, and is not written; addresses are of 32 bits, so that the offset leads to the beginning again."""
    size = 49152  # what the tool gives a group
    mem = bytearray((memory("end") * 12)[:size])
    at = [4 * l for l in range(60)] + [size - 4, size, 0x7ffffff0, (-16) & M32]
    values = registers("end", 1)[0]
    for offset in (0, 16, 4096, 0xfff0):
        load, store = (Case(ds(find(gcn_table, name), offset)).exec(exec_mask).memory(0, mem).vector(ADDR, at)
                       .vector(VALUE, values).vector(RESULT, [7] * 64).show(RESULT).show_memory(0, size)
                       for name in ("ds_read_b32", "ds_write_b32"))
        read, written = run(run_tool, [load, store])
        want, after = [7] * 64, bytearray(mem)
        for lane in range(64):
            place = at[lane] + offset & M32
            if exec_mask >> lane & 1:
                want[lane] = struct.unpack_from("<I", mem, place)[0] if place + 4 <= size else 0
                if place + 4 <= size:
                    struct.pack_into("<I", after, place, values[lane])
        assert read.fault is None and read.shown[0] == want
        assert written.fault is None and written.shown[1] == bytes(after)


@pytest.mark.parametrize("name", ["ds_read_b32", "ds_read_b64", "ds_read_b128", "ds_read2_b32", "ds_read2_b64"])
def test_data_share_results_over_the_addresses(gcn_table, run_tool, name):
    """The destination may hold the addresses, first register or last."""
    row, mem = find(gcn_table, name), memory(name)
    at = [16 * ((5 * l + 3) % 64) for l in range(64)]
    size = int("".join(c for c in name.split("_b")[1]))  # bits of one access
    words, two = size // 32 * (2 if "read2" in name else 1), "read2" in name
    for last in (0, words - 1):
        case = Case(ds(row, 0x400 if two else 0, dst=ADDR - last)).memory(0, mem).vector(ADDR, at)
        result, = run(run_tool, [case.show(*range(ADDR - last, ADDR - last + words))])
        assert result.fault is None
        for lane in range(64):
            places = [at[lane] + 4 * i for i in range(words)] if not two else \
                [at[lane] + n * 4 * size // 8 + 4 * i for n in range(2) for i in range(size // 32)]
            assert [result.shown[i][lane] for i in range(words)] == [struct.unpack_from("<I", mem, p)[0] for p in places]


def test_data_share_between_lanes(gcn_table, run_tool):
    """Permutations and swizzles; lanes that are off give 0."""
    values = registers("lanes", 1)[0]
    random.seed("permute")
    targets = [random.randrange(64) for _ in range(64)]
    push, pull = (find(gcn_table, n) for n in ("ds_permute_b32", "ds_bpermute_b32"))
    cases = [Case(ds(r, 4)).exec(PARTIAL).vector(ADDR, [4 * t - 4 & M32 for t in targets]).vector(VALUE, values).show(RESULT)
             for r in (push, pull)]
    pushed, pulled = run(run_tool, cases)
    into = [0] * 64
    for lane in range(64):
        if PARTIAL >> lane & 1:
            into[targets[lane]] = values[lane]
    for lane in range(64):
        on = PARTIAL >> lane & 1
        assert pushed.shown[0][lane] == (into[lane] if on else 0)
        assert pulled.shown[0][lane] == (values[targets[lane]] if on and PARTIAL >> targets[lane] & 1 else 0)
    swizzle = find(gcn_table, "ds_swizzle_b32")
    for pattern in (0x801b, 0x80b1, 0x041f, 0x7c1f, 0x001e, 0x0010, 0x07e0 | 0x1f):
        result, = run(run_tool, [Case(ds(swizzle, pattern)).exec(PARTIAL).vector(ADDR, values).show(RESULT)])
        for lane in range(64):
            if pattern & 0x8000:
                source = lane & ~3 | pattern >> 2 * (lane & 3) & 3
            else:
                source = lane & 32 | (((lane & 31 & pattern) | pattern >> 5 & 31) ^ pattern >> 10 & 31)
            want = values[source] if PARTIAL >> lane & 1 and PARTIAL >> source & 1 else 0
            assert result.shown[0][lane] == want, (hex(pattern), lane)


def test_counters(gcn_table, run_tool):
    """IB_STS counts accesses until S_WAITCNT: VM_CNT [3:0] and [23:22], LGKM_CNT [11:8]."""
    getreg = [0xb0000000 | find(gcn_table, "s_getreg_b32")["opcode"] << 23 | 30 << 16 | 7 | 31 << 11]
    load, read = flat(find(gcn_table, "global_load_dword")), ds(find(gcn_table, "ds_read_b32"))
    waitcnt = lambda vm, lgkm: [0xbf8c0000 | vm & 15 | 7 << 4 | lgkm << 8 | vm >> 4 << 14]
    for before, wait, vm, lgkm in ((load * 3 + read * 2, [], 3, 2), (load * 3 + read, waitcnt(1, 15), 1, 1),
                                   (load * 20 + read, waitcnt(63, 0), 20, 0), (load * 20 + read, waitcnt(0, 0), 0, 0)):
        words = before + wait + getreg
        count = len(before) // 2 + len(wait) + 1
        result, = run(run_tool, [Case(words, count).wide(ADDR, [DATA] * 64, 2)])
        assert result.fault is None
        assert (result.s[30] & 15 | result.s[30] >> 22 << 4, result.s[30] >> 8 & 15) == (vm, lgkm)


def test_every_row_counts(gcn_table, run_tool):
    """What each access waits for: VM_CNT vector memory, LGKM_CNT the data share and scalar memory, FLAT both (manual, 4.4)."""
    getreg = [0xb0000000 | find(gcn_table, "s_getreg_b32")["opcode"] << 23 | 30 << 16 | 7 | 31 << 11]
    words = {"SMEM": scalar, "DS": ds, "FLAT": flat,
             "GLOBAL": flat, "SCRATCH": lambda r: flat(r, saddr=2), "MUBUF": lambda r: buffer(r, resource=12),
             "MTBUF": lambda r: [0xe8000000 | 4 << 19 | 4 << 23 | r["opcode"] << 15, 128 << 24 | 12 // 4 << 16 | VALUE << 8 | ADDR]}
    silent = ("cache", "wbinvl1", "wbl2", "invl2", "buffer_inv", "ds_nop", "gws", "discard")
    rows = [r for r in gcn_table if r["encoding"] in words and r["executes"] and not any(x in r["name"] for x in silent)]
    cases = []
    for row in rows:
        base = resource(DATA) if "s_buffer" in row["name"] else DATA
        case = Case(words[row["encoding"]](row) + getreg, 2, row["model"]).wide(ADDR, [0 if row["encoding"] == "DS" else DATA] * 64, 2)
        case.scalar(2, 64).scalar(FLAT_SCRATCH, SCRATCH, 2).scalar(M0, 0xffff0010 if row["encoding"] == "DS" else 0)
        cases.append(case.scalar(8, base, 4).scalar(12, resource(DATA) | (4 << 12 | 4 << 15) << 96, 4))
    wrong = []
    for row, result in zip(rows, run(run_tool, cases)):
        got = (result.s[30] & 15, result.s[30] >> 8 & 15)
        want = {"SMEM": (0, 1), "DS": (0, 1), "FLAT": (1, 1)}.get(row["encoding"], (1, 0))
        if result.fault or got != want:
            wrong.append(f"{row['name']}: {result.fault or got}")
    assert wrong == []


def test_every_memory_row_is_covered(gcn_table):
    """The rows that execute are met by a test above; those that do nothing visible are listed here."""
    nothing = {"s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol", "s_dcache_discard", "s_dcache_discard_x2",
               "buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_wbl2", "buffer_invl2", "buffer_inv", "ds_nop", "s_memtime", "s_memrealtime", "s_atc_probe", "s_atc_probe_buffer"}
    # Counters of the whole device: test_gcn_share.py and tests/unit/test_gws.c.
    rest = [r["name"] for r in gcn_table if r["encoding"] in ("SMEM", "DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF")
            and r["executes"] and r["operands"] == "-" and r["name"] not in nothing and not r["name"].startswith("ds_gws_")]
    assert rest == []


@pytest.mark.parametrize("offset", [0, 12, 3, 4096 - 256, 4096 - 252, 4096 - 4])
@pytest.mark.parametrize("encoding", ["flat", "global"])
def test_rows_of_dwords(gcn_table, run_tool, encoding, offset):
    """Neighbouring lanes at neighbouring dwords, aligned or not, within a page and across two."""
    mem = memory("row") + memory("row2")
    values = registers("row", 1)[0]
    at = [DATA + offset + 4 * l for l in range(64)]
    load, store = (Case(flat(find(gcn_table, f"{encoding}_{n}_dword"))).memory(DATA, mem).wide(ADDR, at, 2).vector(VALUE, values)
                   .show(RESULT).show_memory(DATA, 8192) for n in ("load", "store"))
    loaded_, stored_ = run(run_tool, [load, store])
    assert loaded_.fault is None and loaded_.shown[0] == list(struct.unpack_from("<64I", mem, offset))
    want = bytearray(mem)
    struct.pack_into("<64I", want, offset, *values)
    assert stored_.fault is None and stored_.shown[1] == bytes(want) and loaded_.shown[1] == bytes(mem)


LIE = {  # how the lanes lie: the offset of lane l, of accesses of n bytes
    "side by side": lambda l, n: n * l, "not aligned": lambda l, n: n * l + 3, "up to the page's end": lambda l, n: 4096 - n * (64 - l),
    "across the page's end": lambda l, n: 4096 - n * (40 - l), "a dword further": lambda l, n: n * l + 4,
    "neighbours exchanged": lambda l, n: n * (l ^ 1), "backwards": lambda l, n: n * (63 - l), "at one place": lambda l, n: 64,
    "one elsewhere": lambda l, n: n * l if l != 17 else 6000, "in two pages in turn": lambda l, n: n * l + 4096 * (l & 1),
    "overlapping": lambda l, n: 4 * l, "over a page's end each": lambda l, n: 4096 - n + 1 if l & 1 else 16 * l,
}


@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
@pytest.mark.parametrize("how", LIE)
def test_however_lanes_lie(gcn_table, run_tool, how, exec_mask):
    """Loads and stores of every width, twice: with the TLB empty and not. Of several lanes at one place the highest one's
    bytes stay."""
    jobs = []
    for row in gcn_table:
        if row["encoding"] not in ("FLAT", "GLOBAL") or not row["executes"] or shape(row)[0] == "a" or "_lds_" in row["name"]:
            continue
        name = row["name"]
        mem, values, old = memory(name) + memory(name + "2"), registers(name), registers(name + "o")
        at = [LIE[how](l, shape(row)[1]) for l in range(64)]
        case = vector_case(2 * flat(row), exec_mask, values, old, mem, DATA, issues=2)
        jobs.append((row, exec_mask, at, mem, values, old, 0, case.wide(ADDR, [DATA + a for a in at], 2).show_memory(DATA, 8192)))
    run_rows(run_tool, jobs)


@pytest.mark.parametrize("name", ["global_load_dword", "global_store_dword", "global_load_dwordx4", "global_store_dwordx4"])
def test_offsets_end_at_32_bits(gcn_table, run_tool, name):
    """An offset beside an SGPR pair is a number of 32 bits: what looks side by side there may not be."""
    row, mem = find(gcn_table, name), memory(name)
    size = shape(row)[1]
    base = DATA + 32 * size - (1 << 32)  # lanes 0 to 31 are at DATA, lane 32 is 4 GiB before its neighbour
    case = Case(flat(row, saddr=12)).memory(DATA, mem).scalar(12, base & M64, 2)
    result, = run(run_tool, [case.vector(ADDR, [(-32 * size + size * l) & M32 for l in range(64)]).show_memory(DATA, SIZE)])
    assert "no memory is mapped there" in result.fault and result.shown[0] == bytes(mem)


@pytest.mark.parametrize("name", ["global_store_dwordx2", "flat_store_dwordx4", "global_store_short", "global_store_byte"])
def test_a_store_that_is_refused_does_nothing(gcn_table, run_tool, name):
    """One lane beyond the last mapped page: the others have not stored."""
    row, end = find(gcn_table, name), DATA + 0x40000
    size = shape(row)[1]
    at = [end - size * (63 - l) for l in range(64)]  # side by side, the last lane outside
    result, = run(run_tool, [Case(flat(row)).wide(ADDR, at, 2).vector(VALUE, [7] * 64).show_memory(end - 1024, 1024)])
    assert f"{end:#x}: no memory is mapped there" in result.fault and result.shown[0] == bytes(1024)
