"""Many lanes at once against each lane alone: results, masks, memory and exceptions, bit for bit.

Few lanes are computed one after the other, by the simple code; many at once, where the host's arithmetic gives the
same. Values are of the usual kind, so that the quick way is taken, of the usual kind with one special value among them,
and all special. The simple code has its outside oracles in the other files.
"""
import random

import pytest

from machine import ALL, DATA, M0, VCC, Case, run
from test_gcn_valu import DST, ELSEWHERE, FORMATS, MASK, PARTIAL, SRC, VALU, corners, encode, kinds_of, sources_of, width

# The functions of one lane: all rows of arithmetic but those that look at other lanes or at no value.
NOT_ALONE = {"v_nop", "v_clrexcp", "v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32", "v_swap_b32",
             "v_mqsad_u32_u8", "v_mbcnt_lo_u32_b32", "v_mbcnt_hi_u32_b32"}
MODES = {"usual": 0x3f0, "flushed": 0x300, "down": 0x3fa, "IEEE off": 0x1f0, "FP16_OVFL": 0x8003f0}


def usual(kind, spread):
    """A number whose neighbours in sums and quotients are no special ones."""
    if kind not in FORMATS or kind == "P":
        if kind == "P":
            return usual("h", spread) | usual("h", spread) << 16
        return random.getrandbits(width(kind)) if random.random() < 0.7 else random.randrange(40)
    f = FORMATS[kind]
    exponent = f.bias + random.randint(-spread, spread)
    return random.choice((0, 0, f.sign)) | exponent << f.fbits | random.getrandbits(f.fbits)


MORE_THAN_ONE = 1041, 2015  # whose product is 2^21 and 463
GUEST = 5  # the lane of a value that must not be computed as the others are


def guest(kind, how):
    """No denormal, which would have all lanes computed one by one: an infinity, a NaN, a zero; or a number whose exponent
    is at the end of a range."""
    if kind not in FORMATS:
        return usual(kind, 0)
    f = FORMATS["h" if kind == "P" else kind]
    if how == "gentle":
        value = random.choice((f.inf, f.nan, f.inf | 1, 0, f.bias << f.fbits)) | random.choice((0, f.sign))
    else:
        digits, last = f.fbits + 1, (f.inf >> f.fbits) - 1
        exponent = random.choice((1, 2, digits - 1, digits, digits + 1, f.bias - 1, f.bias, f.bias + 1, last - 2, last - 1, last))
        value = random.choice((0, f.sign)) | exponent << f.fbits | random.getrandbits(f.fbits)
    return value | usual("h", 3) << 16 if kind == "P" else value


def values_of(kinds, how):
    rows = [[usual(k, {"h": 3, "P": 3, "f": 20, "F": 100}.get(k, 0)) for k in kinds] for _ in range(64)]
    if how == "whole":
        for row in rows:
            for i, k in enumerate(kinds):
                if k in FORMATS and k != "P":
                    f = FORMATS[k]
                    row[i] = f.sign * random.getrandbits(1) | (f.bias + 3) << f.fbits | random.getrandbits(3) << f.fbits - 3
    if how in MANY:
        rows[GUEST] = [guest(k, how) for k in kinds]
    if how == "ties":  # c + half of its last place and a very little more: rounded twice, it would be another number
        for row in rows:
            if kinds == ["h", "h", "h"]:
                row[:] = 0x1000 | MORE_THAN_ONE[0] & 0x3ff, 0x3800 | MORE_THAN_ONE[1] & 0x3ff, 0x3c00 | random.getrandbits(10)
    if how == "special":
        rows = [[random.choice(corners(k)) for k in kinds] for _ in range(64)]
    if how == "wide":
        rows = [[random.getrandbits(width(k)) for k in kinds] for _ in range(64)]
    return rows


def put_in_place(row, words):
    """The instruction with the first source's registers as its result's."""
    shift = 0 if row["encoding"] in ("VOP3", "VOP3P") else 17
    return [words[0] & ~(0xff << shift) | SRC[0] << shift, *words[1:]]


def case_of(row, words, values, mode, masks, old, to):
    case = Case(words, model=row["model"]).mode(mode).scalar(VCC, masks, 2).scalar(MASK + 2, masks, 2)
    for i, kind in enumerate(kinds_of(sources_of(row)[1])):
        case.wide(SRC[i], [v[i] for v in values], 4 if kind == "Q" else 2 if width(kind) == 64 else 1)
    for k in range(4):
        case.vector(DST + k, old)
    return case.show(to, to + 1, to + 2, to + 3)


# Twelve cases of each row, in each mode.
MANY = ("gentle", "edges")
HOWS = ("usual", "whole", "one special", "special", "wide", *MANY, "ties")


@pytest.mark.parametrize("mode,how", [pytest.param(mode, how, marks=pytest.mark.full if how in MANY and mode != "usual" else ())
                                      for mode in MODES for how in HOWS])
def test_arithmetic(gcn_table, run_tool, mode, how):
    rows = [r for r in gcn_table if r["encoding"] in VALU and r["executes"] and r["name"] not in NOT_ALONE
            and sources_of(r)[0] and sources_of(r)[0][0] in "fFhuUP" and sources_of(r)[1]
            and any(k in "fFhP" for k in sources_of(r)[0] + sources_of(r)[1])
            and not r["name"].startswith("v_cmp") and "Q" not in sources_of(r)[1] and "madak" not in r["name"]
            and "madmk" not in r["name"]]
    assert len(rows) > 100
    wrong, jobs = [], []
    for row, again in [(row, again) for row in rows for again in range(12 if how in MANY else 1)]:
        random.seed(f"{row['name']} {mode} {how} {again}")
        kinds = kinds_of(sources_of(row)[1])
        values = values_of(kinds, how)
        if "ldexp" in row["name"]:
            values = [[v[0], random.randint(-8, 8) & 0xffffffff] for v in values]
            values[GUEST][1] = random.choice((3, -300, 300, 253, 254, 1 << 23, 1 << 31, 1 << 24 | 1)) & 0xffffffff
        # Of all lanes only in the usual mode: 64 cases of one lane each take their time.
        lanes = sorted({*random.sample(range(64), 8), GUEST})
        if mode == "usual" and how not in MANY:
            lanes = list(range(64))
        exec_mask = sum(1 << lane for lane in lanes)
        if how == "one special":
            values[lanes[0]], values[lanes[3]] = [[random.choice(corners(k)) for k in kinds] for _ in range(2)]
        masks = 0 if random.random() < 0.5 else random.getrandbits(64)
        old = [random.getrandbits(32) for _ in range(64)]
        words = encode(row, "long" if row["encoding"] in ("VOP3", "VOP3P") else "native",
                       0x4000 if row["encoding"] == "VOP3P" else 0, 0x18000000 if row["encoding"] == "VOP3P" else 0)
        to = DST
        if sources_of(row)[0][0] != "m" and random.random() < 0.5:
            to, words = SRC[0], put_in_place(row, words)
        case = case_of(row, words, values, MODES[mode], masks, old, to)
        jobs.append((row, values, lanes, [case.with_exec(mask) for mask in [exec_mask] + [1 << lane for lane in lanes]]))
    results = iter(run(run_tool, [case for job in jobs for case in job[-1]]))
    for row, values, lanes, cases in jobs:
        together, *each = [next(results) for _ in cases]
        assert together.fault is None, together.fault
        flags = mask = 0
        for lane, result in zip(lanes, each):
            got, want = [together.shown[k][lane] for k in range(4)], result.lane(lane)
            flags |= result.trapsts
            mask |= result.pair(MASK) & 1 << lane
            if got != want:
                wrong.append(f"{row['name']} lane {lane} of " + " ".join(f"{v:x}" for v in values[lane])
                             + f": {got[0]:x} {got[1]:x}, alone {want[0]:x} {want[1]:x}")
                break
        if together.trapsts != flags:
            wrong.append(f"{row['name']}: TRAPSTS {together.trapsts:x}, alone {flags:x}")
        if "m" in sources_of(row)[0] and row["encoding"] == "VOP3" and together.pair(MASK) != mask:
            wrong.append(f"{row['name']}: mask {together.pair(MASK):016x}, alone {mask:016x}")
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:40])


ADDR, VALUE, RESULT = 10, 12, 20


def lanes_at(how, size):
    return {
        "consecutive": [64 + size * i for i in range(64)],
        "reversed": [64 + size * (63 - i) for i in range(64)],
        "one place": [128] * 64,
        "four places": [64 + size * (i % 4) for i in range(64)],
        "random": [size * random.randrange(128) for _ in range(64)],
        "overlapping": [64 + 4 * i for i in range(64)],
        "beyond the end": [65536 - 128 + size * i for i in range(64)],
    }[how]


@pytest.mark.parametrize("how", ["consecutive", "reversed", "one place", "four places", "random", "overlapping", "beyond the end"])
@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
def test_data_share(gcn_table, run_tool, how, exec_mask):
    """One instruction of all lanes, and 64 of one lane each, in the lanes' order."""
    wrong, jobs = [], []
    for row in gcn_table:
        if row["encoding"] != "DS" or not row["executes"] or row["operands"][0] not in "arw" or any(
                part in row["name"] for part in ("permute", "swizzle", "src2", "append", "consume", "gws", "condxchg", "addtid",
                                                 "ordered", "nop")):
            continue
        size = int("".join(c for c in row["name"].split("_")[-1] if c.isdigit()) or 32) // 8
        random.seed(row["name"] + how)
        at = lanes_at(how, size if size in (4, 8, 16) else 4)
        mem = random.randbytes(1024)
        offsets = random.choice((0, 16)) if "2" not in row["name"].split("_")[1] else random.choice((0x4000, 0x0100, 0))
        words = [0xd8000000 | row["opcode"] << 17 | offsets, ADDR | VALUE << 8 | (VALUE + 4) << 16 | RESULT << 24]
        values = [[random.getrandbits(32) for _ in range(64)] for _ in range(8)]

        def case(masks):
            program = []
            for mask in masks:
                if len(masks) > 1:
                    low, high = mask & 0xffffffff, mask >> 32
                    program += [0xbefe00ff, low, 0xbeff00ff, high]  # s_mov_b32 exec_lo, exec_hi
                program += words
            c = Case(program, len(program) - len(masks) if len(masks) == 1 else 3 * len(masks)).exec(masks[0])
            c.memory(0, mem).memory(65536 - 128, mem[:128]).scalar(M0, 0xffffffff).vector(ADDR, at)
            for k in range(8):
                c.vector(VALUE + k, values[k]).vector(RESULT + k, values[k])
            return c.show(*range(RESULT, RESULT + 4)).show_memory(0, 1024).show_memory(65536 - 128, 128)
        jobs.append((row, case([exec_mask]), case([exec_mask & 1 << lane for lane in range(64)])))
    assert len(jobs) > 60
    results = iter(run(run_tool, [c for job in jobs for c in job[1:]]))
    for row, *_ in jobs:
        together, each = next(results), next(results)
        if (together.fault is None) != (each.fault is None):
            wrong.append(f"{row['name']}: {together.fault}, alone {each.fault}")
        elif together.fault is None and (together.shown != each.shown or together.trapsts != each.trapsts):
            wrong.append(f"{row['name']}: differs in {[k for k in range(6) if together.shown[k] != each.shown[k]]}")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("how", ["consecutive", "reversed", "one place", "four places", "random"])
@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
def test_atomics_in_memory(gcn_table, run_tool, how, exec_mask):
    wrong, jobs = [], []
    for row in gcn_table:
        if row["encoding"] != "GLOBAL" or "atomic" not in row["name"] or not row["executes"]:
            continue
        size = 8 if row["name"].endswith(("_x2", "f64")) else 4
        for glc in (0, 1)[:1 if "n" in row["operands"] else 2]:
            random.seed(row["name"] + how)
            at = lanes_at(how, size)
            mem = random.randbytes(1024)
            words = [0xdc008000 | row["opcode"] << 18 | glc << 16, ADDR | VALUE << 8 | 4 << 16 | RESULT << 24]
            values = [[random.choice((random.getrandbits(32), 0, 1, 5)) for _ in range(64)] for _ in range(4)]

            def case(masks):
                program = []
                for mask in masks:
                    if len(masks) > 1:
                        program += [0xbefe00ff, mask & 0xffffffff, 0xbeff00ff, mask >> 32]
                    program += words
                c = Case(program, 1 if len(masks) == 1 else 3 * len(masks), row["model"]).exec(masks[0]).memory(DATA, mem)
                c.scalar(4, DATA, 2).vector(ADDR, at)
                for k in range(4):
                    c.vector(VALUE + k, values[k]).vector(RESULT + k, [7] * 64)
                return c.show(*range(RESULT, RESULT + 4)).show_memory(DATA, 1024)
            jobs.append((row, glc, case([exec_mask]), case([exec_mask & 1 << lane for lane in range(64)])))
    assert len(jobs) == 2 * 26 + 2 + 2 * 6  # of floats: without results on gfx908, with them on gfx90a, of bfloats on gfx942
    results = iter(run(run_tool, [c for job in jobs for c in job[2:]]))
    for row, glc, *_ in jobs:
        together, each = next(results), next(results)
        assert together.fault is None and each.fault is None, (together.fault, each.fault)
        if together.shown != each.shown:
            wrong.append(f"{row['name']} glc={glc}: differs in {[k for k in range(5) if together.shown[k] != each.shown[k]]}")
    assert not wrong, "\n".join(wrong[:20])
