"""The data share's instructions of two places, counters and patterns of lanes."""
import random

import pytest

from machine import ALL, M0, Case, run
from test_gcn_memory import ADDR, M32, PARTIAL, RESULT, VALUE, ds, ds_model, find, memory, registers, shape


def src2_rows(table):
    return [r for r in table if "_src2_" in r["name"]]


@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
@pytest.mark.parametrize("way", ["offset", "address"])
def test_two_places(gcn_table, run_tool, way, exec_mask):
    """A = A op B; B is so many dwords from A as the offset's low 15 bits or the address's high 15 bits say."""
    rows, wrong, jobs = src2_rows(gcn_table), [], []
    assert len(rows) == 31 and all(r["executes"] for r in rows)
    for row in rows:
        size, name = shape(row)[1], row["name"]
        random.seed(name + way)
        pool = [random.getrandbits(8 * size) for _ in range(6)] + [0, 1, 0x3f800000, 0xbf800000, 0x7f800000, 0x7fc00001]
        mem = bytearray(b"".join(random.choice(pool).to_bytes(size, "little") for _ in range(0x1800 // size)))
        unit = size // 4
        a = [0x800 + size * random.randrange(16) for _ in range(64)]
        if way == "offset":
            distance = [random.choice((-5, 12, 90)) * unit] * 64
            offset, address = distance[0] & 0x7fff, a
        else:
            distance = [random.randrange(-64, 64) * unit for _ in range(64)]
            offset, address = 0x8000 | 0x1234, [x | (d & 0x7fff) << 17 for x, d in zip(a, distance)]
        case = Case(ds(row, offset)).exec(exec_mask).vector(ADDR, address).memory(0, mem).show_memory(0, len(mem))
        jobs.append((row, size, mem, a, [x + 4 * d for x, d in zip(a, distance)], case))
    for (row, size, mem, a, b, _), result in zip(jobs, run(run_tool, [j[-1] for j in jobs])):
        if result.fault:
            wrong.append(f"{row['name']}: {result.fault}")
            continue
        place = lambda at: int.from_bytes(mem[at:at + size], "little")
        for lane in range(64):
            if exec_mask >> lane & 1:
                name = row["name"].replace("_src2", "").replace("write", "wrxchg")
                mem[a[lane]:a[lane] + size] = ds_model(name, place(a[lane]), place(b[lane]), 0, 8 * size).to_bytes(size, "little")
        if result.shown[0] != bytes(mem):
            at = next(k for k in range(len(mem)) if result.shown[0][k] != mem[k])
            wrong.append(f"{row['name']}: LDS at {at}: {result.shown[0][at]:02x}, not {mem[at]:02x}")
    assert not wrong, "\n".join(wrong[:20])


def test_two_places_are_aligned(gcn_table, run_tool):
    """Nothing is changed by an instruction one of whose lanes is not aligned."""
    row, mem = find(gcn_table, "ds_add_src2_u64"), memory("align")
    for offset, addresses in ((2, [8] * 63 + [12]), (1, [8] * 64)):
        result, = run(run_tool, [Case(ds(row, offset)).vector(ADDR, addresses).memory(0, mem).show_memory(0, len(mem))])
        assert "0xc is not a multiple of 8" in result.fault and result.shown[0] == bytes(mem)


def test_conditional_exchange(gcn_table, run_tool):
    """Dword by dword, where the data's top bit is set, and without that bit; lanes in their order."""
    row = find(gcn_table, "ds_condxchg32_rtn_b64")
    mem, (low, high), old = memory("cond")[:256], registers("cond", 2), registers("condo", 2)
    random.seed("cond")
    # The low three bits of the address do not count.
    addresses = [8 * random.randrange(20) + random.randrange(8) for _ in range(64)]
    for dst in (RESULT, VALUE):
        case = Case(ds(row, 16, dst=dst)).exec(PARTIAL).vector(ADDR, addresses).memory(0, mem)
        for i, values in enumerate((low, high)):
            case.vector(RESULT + i, old[i]).vector(VALUE + i, values)
        result, = run(run_tool, [case.show(dst, dst + 1).show_memory(0, len(mem))])
        assert result.fault is None, result.fault
        now = bytearray(mem)
        for lane in range(64):
            want = [(old if dst == RESULT else (low, high))[i][lane] for i in range(2)]
            if PARTIAL >> lane & 1:
                at = addresses[lane] + 16 & ~7
                for i, values in enumerate((low, high)):
                    want[i] = int.from_bytes(now[at + 4 * i:at + 4 * i + 4], "little")
                    if values[lane] >> 31:
                        now[at + 4 * i:at + 4 * i + 4] = (values[lane] & 0x7fffffff).to_bytes(4, "little")
            assert [result.shown[i][lane] for i in range(2)] == want, lane
        assert result.shown[2] == bytes(now)


@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL, 0], ids=["all", "partial", "none"])
def test_append_and_consume(gcn_table, run_tool, exec_mask):
    """A counter at M0[15:0] plus the offset: more or less by the active lanes, who get what it was."""
    lanes, mem = bin(exec_mask).count("1"), memory("append")
    before = int.from_bytes(mem[0x124:0x128], "little")
    for name, by in (("ds_append", lanes), ("ds_consume", -lanes)):
        result, = run(run_tool, [Case(ds(find(gcn_table, name), 0x24)).exec(exec_mask).scalar(M0, 0x100).memory(0, mem)
                                 .vector(RESULT, [9] * 64).show(RESULT).show_memory(0, len(mem))])
        assert result.fault is None, result.fault
        want = bytearray(mem)
        want[0x124:0x128] = (before + by & M32).to_bytes(4, "little")
        assert result.shown[1] == bytes(want)
        assert result.shown[0] == [before if exec_mask >> l & 1 else 9 for l in range(64)]


def test_append_in_gds(gcn_table, run_tool):
    """Twice: the second one gets the first one's count. M0 has the base and the size."""
    code = ds(find(gcn_table, "ds_append"), 8, 1) + ds(find(gcn_table, "ds_append"), 8, 1, dst=RESULT + 1) \
        + ds(find(gcn_table, "ds_consume"), 8, 1, dst=RESULT + 2)
    result, = run(run_tool, [Case(code, 3).exec(PARTIAL).scalar(M0, 0x01000040).show(RESULT, RESULT + 1, RESULT + 2)
                             .show_gds(0x100 + 8, 4)])
    lanes = bin(PARTIAL).count("1")
    lane = PARTIAL.bit_length() - 1
    assert result.fault is None and [result.shown[i][lane] for i in range(3)] == [0, lanes, 2 * lanes]
    assert int.from_bytes(result.shown[3], "little") == lanes


def test_a_counter_is_aligned(gcn_table, run_tool):
    result, = run(run_tool, [Case(ds(find(gcn_table, "ds_append"), 2)).scalar(M0, 0)])
    assert "0x2 is not a multiple of 4" in result.fault


def test_patterns_of_swizzle(gcn_table, run_tool):
    """FFT and rotation within 32 lanes."""
    values, row = registers("lanes", 1)[0], find(gcn_table, "ds_swizzle_b32")
    patterns = [0xe000 | m for m in (0, 1, 3, 7, 15, 31)] + \
        [0xc000 | back << 10 | by << 5 | m for back in (0, 1) for by in (0, 1, 5, 31) for m in (0, 1, 16, 24)]
    cases = [Case(ds(row, p)).exec(e).vector(ADDR, values).vector(RESULT, [3] * 64).show(RESULT) for p in patterns for e in (ALL, PARTIAL)]
    results = iter(run(run_tool, cases))
    for pattern in patterns:
        for exec_mask in (ALL, PARTIAL):
            result = next(results)
            assert result.fault is None, result.fault
            for lane in range(64):
                here, mask = lane % 32, pattern & 31
                if pattern >= 0xe000:
                    bits = f"{here:05b}"[::-1]
                    source = int(bits, 2) >> bin(mask).count("1") | here & mask
                else:
                    by = pattern >> 5 & 31
                    turned = (here - by if pattern & 0x400 else here + by) % 32
                    source = here & mask | turned & ~mask
                source += lane & 32
                want = 3 if not exec_mask >> lane & 1 else values[source] if exec_mask >> source & 1 else 0
                assert result.shown[0][lane] == want, (hex(pattern), lane)


def test_global_wave_sync(gcn_table, run_tool):
    """A counter that a wave finds empty it waits at: alone, for ever. (Many waves: tests/unit/test_gws.c.)"""
    op = lambda name: ds(find(gcn_table, f"ds_gws_{name}"), 3, 1)
    init, p, v, br, barrier, free = map(op, ("init", "sema_p", "sema_v", "sema_br", "barrier", "sema_release_all"))
    # The number is that of the first active lane; the counter goes on where the last case left it.
    numbers = [99, 99, 2] + [99] * 61
    jobs = [(init + p + p, True), (init + p + p + p, False), (init + p + p + v + p, True), (init + br + 4 * p, True),
            (init + br + 5 * p, False), (init + p + p + free + p, False), (init + p + p + barrier, True),
            (init + barrier, False), (init + p + p + barrier + p + p, True), (init + p + p + barrier + barrier, False)]
    cases = [Case(code, len(code) // 2 + (not goes_on)).exec(0xfffffffffffffffc).scalar(M0, 0x3d0000).vector(ADDR, numbers) for code, goes_on in jobs]
    for (code, goes_on), result in zip(jobs, run(run_tool, cases)):
        assert (result.fault is None) == goes_on, code
        assert goes_on or "deadlock" in result.fault
