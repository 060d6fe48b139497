"""Every vector instruction that the emulator executes: results against independent formulas, in each of its forms."""
import inspect
import random

import pytest

from machine import ALL, VCC, Case, run
from numbers_model import F16, F32, F64
from valu_model import MODELS, of_f8, single_of_f8, to_f8

FORMATS = {"h": F16, "f": F32, "F": F64, "P": F16, "B": F32}
VALU = ("VOP1", "VOP2", "VOPC", "VOP3", "VOP3P")
E64, SDWA, DPP, LIT = 1, 2, 4, 8
SRC, DST, MASK = (10, 14, 18), 30, 40  # first VGPR of each source and of the result; SGPRs of masks
PARTIAL = 0x8000_0f0f_1234_fff1
# They are no function of lanes: test_gcn_lanes.py has them; transcendentals are in test_gcn_math.py.
ELSEWHERE = {"v_nop", "v_mqsad_u32_u8", "v_clrexcp", "v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32", "v_swap_b32",
             "v_div_scale_f32", "v_div_scale_f64", "v_div_fmas_f32", "v_div_fmas_f64", "v_trig_preop_f64", "v_mad_mix_f32",
             "v_mad_mixlo_f16", "v_mad_mixhi_f16", "v_rsq_f64", "v_exp_f32", "v_log_f32", "v_exp_legacy_f32",
             "v_log_legacy_f32", "v_sin_f32", "v_cos_f32", "v_rcp_f32", "v_rcp_iflag_f32", "v_rsq_f32", "v_sqrt_f32",
             "v_exp_f16", "v_log_f16", "v_sin_f16", "v_cos_f16", "v_rsq_f16", "v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"}


def width(kind):
    return {"U": 64, "F": 64, "B": 64, "b": 64, "h": 16, "s": 16}.get(kind, 32)


def corners(kind):
    bits = width(kind)
    top = 1 << (bits - 1)
    values = [0, 1, 2, top, top - 1, 2 * top - 1, 2 * top - 2, 31, 32, 63, 0x55555555 & (2 * top - 1)]
    if kind in FORMATS:
        f = FORMATS[kind]
        half = [f.inf, f.sign | f.inf, f.nan, f.inf | 1, f.sign | f.nan | 5, 1, f.sign | 1, f.sign, 1 << f.fbits,
                (1 << f.fbits) - 1, f.inf - 1, f.bias << f.fbits, f.sign | f.bias << f.fbits, (f.bias << f.fbits) + 1,
                (f.bias - 1) << f.fbits, (f.bias + 4) << f.fbits | 3]
        values = half if kind not in "PB" else [x | y << bits // 2 for x in half[:6] for y in half[:4]]
    return values


def operands(kinds, seed):
    """Sources of 64 lanes: corners against corners, numbers near each other, and random ones."""
    random.seed(seed)
    out = []
    for lane in range(64):
        row = []
        for kind in kinds:
            if lane < 40:
                value = random.choice(corners(kind))
            else:
                value = random.getrandbits(width(kind))
                if kind in "fF" and lane < 56:  # of moderate size, so that sums meet
                    f = FORMATS[kind]
                    value = value & (f.sign | (1 << f.fbits) - 1) | f.bias + random.randint(-3, 20) << f.fbits
            row.append(value)
        out.append(row)
    return out


def sources_of(row):
    results, sources = row["operands"].split(":")
    return results, sources


def kinds_of(sources):
    return [k for k in sources if k not in "md"]


def encode(row, form, extra=0, high=0, second=0):
    """The words; sources are SRC, the result DST, masks in VCC or (long form) in MASK."""
    op, enc = row["opcode"], row["encoding"]
    results, sources = sources_of(row)
    kinds = kinds_of(sources)
    regs = [256 + SRC[i] for i in range(len(kinds))] + [0, 0, 0]
    if form == "long":
        op += {"VOP1": 0x140, "VOP2": 0x100, "VOPC": 0}.get(enc, 0)
        dst = MASK if results == "m" else DST
        word = (0xd3800000 if enc == "VOP3P" else 0xd0000000) | op << 16 | dst | extra
        if len(results) == 2:
            word |= MASK << 8
        third = MASK + 2 if "m" in sources else regs[2]
        used = len(kinds)
        return [word, (regs[0] if used > 0 else 0) | (regs[1] << 9 if used > 1 else 0)
                | (third << 18 if used > 2 or "m" in sources else 0) | high]
    first = {"native": regs[0], "sdwa": 0xf9, "dpp": 0xfa}[form]
    if enc == "VOP1":
        words = [0x7e000000 | DST << 17 | op << 9 | first]
    elif enc == "VOPC":
        words = [0x7c000000 | op << 17 | SRC[1] << 9 | first]
    else:
        words = [op << 25 | DST << 17 | SRC[1] << 9 | first]
    if form in ("sdwa", "dpp"):
        words.append(second | SRC[0])
    return words


def build(row, words, values, exec_mask, masks, old):
    results, sources = sources_of(row)
    case = Case(words, model=row["model"]).exec(exec_mask).scalar(VCC, masks, 2).scalar(MASK + 2, masks, 2)
    for i, kind in enumerate(kinds_of(sources)):
        wide = width(kind) == 64
        # Of 16-bit sources the other half must not matter.
        upper = 0 if width(kind) != 16 else 0xabcd0000
        case.wide(SRC[i], [v[i] | upper for v in values], 2 if wide else 1)
    case.vector(DST, old).vector(DST + 1, old)
    return case.show(DST, DST + 1)


def expected(row, values, lane, carry, old):
    model = MODELS[row["name"]]
    kinds = kinds_of(sources_of(row)[1])
    wanted = inspect.signature(model).parameters
    keywords = {}
    if "lane" in wanted:
        keywords["lane"] = lane
    if "carry" in wanted:
        keywords["carry"] = carry
    if "old" in wanted:
        keywords["old"] = old * (1 << 32 | 1) if row["operands"][0] == "F" else old
    return model(*values[:len(kinds)], **keywords)


def keeps_high(row):
    return row["encoding"] == "VOP3" and row["name"].split("_")[1] in (
        "min3", "max3", "med3", "mad", "fma", "div", "add", "sub") and "legacy" not in row["name"] or row["name"] in ("v_cvt_pk_fp8_f32", "v_cvt_pk_bf8_f32")


def check(row, result, values, exec_mask, masks, old, long, place=None):
    """All lanes of a result; `place` puts it into the register (sub-dwords)."""
    results, _ = sources_of(row)
    assert result.fault is None, result.fault
    mask = 0
    wrong = []
    for lane in range(64):
        on = exec_mask >> lane & 1
        got = result.shown[0][lane]
        if not on:
            if results[0] != "m" and (got, result.shown[1][lane]) != (old[lane], old[lane]):
                wrong.append(f"lane {lane} is off, but was written")
            continue
        want = expected(row, values[lane], lane, masks >> lane & 1, old[lane])
        if results[-1] == "m":
            want, bit = want if results != "m" else (0, want)
            mask |= bool(bit) << lane
        if results[0] == "m":
            continue
        bits = width(results[0])
        want &= (1 << bits) - 1
        if bits == 64:
            got |= result.shown[1][lane] << 32
        if place:
            want = place(want, old[lane])
        elif bits == 16 and keeps_high(row):
            want |= old[lane] & 0xffff0000
        if got != want:
            sources = " ".join(f"{v:x}" for v in values[lane])
            wrong.append(f"lane {lane} of {sources}: {got:x}, not {want:x}")
    if results[-1] == "m":
        got = result.pair(MASK if long else VCC)
        if got != mask:
            bad = (got ^ mask) & -(got ^ mask)
            lane = bad.bit_length() - 1
            wrong.append(f"mask {got:016x}, not {mask:016x}: lane {lane} of " + " ".join(f"{v:x}" for v in values[lane]))
        if row["name"].startswith("v_cmpx") and result.pair(126) != mask:
            wrong.append(f"EXEC {result.pair(126):016x}, not {mask:016x}")
    return [f"{row['name']}: {w}" for w in wrong]


def rows_of(table, encodings=VALU):
    """Those of accumulation registers are in test_gcn_mfma.py."""
    return [r for r in table if r["encoding"] in encodings and r["executes"] and r["name"] not in ELSEWHERE
            and not set("aWXTYZ") & set(r["operands"])]


def test_every_executed_row_has_a_formula(gcn_table):
    assert [r["name"] for r in rows_of(gcn_table) if r["name"] not in MODELS] == []


def run_form(gcn_table, run_tool, pick, form, exec_mask, **how):
    jobs = []
    for row in rows_of(gcn_table):
        if not pick(row):
            continue
        values = operands(kinds_of(sources_of(row)[1]), row["name"] + form)
        random.seed(row["name"])
        masks, old = random.getrandbits(64), [random.getrandbits(32) for _ in range(64)]
        words = encode(row, form, **{k: v(row) if callable(v) else v for k, v in how.items()})
        jobs.append((row, values, masks, old, build(row, words, values, exec_mask, masks, old)))
    results = run(run_tool, [j[-1] for j in jobs])
    return [(row, values, masks, old, result) for (row, values, masks, old, _), result in zip(jobs, results)]


def report(found):
    assert not found, f"{len(found)} differences:\n" + "\n".join(found[:40])


@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL, 0, 1 << 63], ids=["all", "partial", "none", "last"])
def test_short_form(gcn_table, run_tool, exec_mask):
    """VOP1, VOP2, VOPC as they stand."""
    wrong = []
    for row, values, masks, old, result in run_form(
            gcn_table, run_tool, lambda r: r["encoding"] in ("VOP1", "VOP2", "VOPC") and r["forms"] != LIT, "native", exec_mask):
        wrong += check(row, result, values, exec_mask, masks, old, False)
    report(wrong)


@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
def test_long_form(gcn_table, run_tool, exec_mask):
    """VOP3 and VOP3P, masks in SGPRs."""
    wrong = []
    for row, values, masks, old, result in run_form(
            gcn_table, run_tool, lambda r: r["encoding"] in ("VOP3", "VOP3P") or r["forms"] & E64, "long", exec_mask,
            extra=lambda r: 0x4000 if r["encoding"] == "VOP3P" else 0,
            high=lambda r: 0x18000000 if r["encoding"] == "VOP3P" else 0):
        wrong += check(row, result, values, exec_mask, masks, old, True)
    report(wrong)


@pytest.mark.parametrize("literal", [0x3f9d70a4, 0x00003c66])
def test_literal_form(gcn_table, run_tool, literal):
    """V_MADMK and V_MADAK, V_FMAMK and V_FMAAK: the constant is the second factor or the addend."""
    wrong = []
    for row in rows_of(gcn_table):
        if row["forms"] != LIT:
            continue
        kind = sources_of(row)[1][0]
        values = operands([kind] * 2, row["name"])
        constant = literal & ((1 << width(kind)) - 1)
        words = encode(row, "native") + [literal]
        old = [0x77777777] * 64
        case = Case(words, model=row["model"]).wide(SRC[0], [v[0] for v in values], 1).wide(SRC[1], [v[1] for v in values], 1)
        result, = run(run_tool, [case.vector(DST, old).vector(DST + 1, old).show(DST, DST + 1)])
        ordered = [(a, constant, b) if "amk" in row["name"] or "madmk" in row["name"] else (a, b, constant) for a, b in values]
        wrong += check(row, result, ordered, ALL, 0, old, False)
    report(wrong)


def part(value, sel, sext):
    if sel < 4:
        value = value >> 8 * sel & 0xff
        return value | (0xffffff00 if sext and value & 0x80 else 0)
    if sel < 6:
        value = value >> 16 * (sel - 4) & 0xffff
        return value | (0xffff0000 if sext and value & 0x8000 else 0)
    return value


@pytest.mark.sample(4)
@pytest.mark.parametrize("unused", [0, 1, 2], ids=["pad", "sext", "preserve"])
@pytest.mark.parametrize("sel0,sel1,seld", [(0, 3, 6), (5, 4, 1), (2, 6, 5), (4, 1, 2), (6, 5, 4)])
def test_sub_dwords(gcn_table, run_tool, unused, sel0, sel1, seld):
    """SDWA: parts of the sources, with and without sign, and a part of the destination."""
    def second(row):
        sext = 0 if any(k in FORMATS for k in sources_of(row)[1]) else 1
        word = sel0 << 16 | (sel1 << 24 if row["encoding"] != "VOP1" else 0) | sext << 19
        if row["encoding"] == "VOPC":
            return word | 0x8000 | MASK << 8
        return word | seld << 8 | unused << 11

    def place(want, old):
        if seld == 6:
            return want
        at, size = (8 * seld, 0xff) if seld < 4 else (16 * (seld - 4), 0xffff)
        want &= size
        if unused == 2:
            return old & ~(size << at) | want << at
        if unused == 1 and want & (size + 1) >> 1:
            want |= 0xffffffff & ~size
        return want << at & 0xffffffff

    wrong = []
    for row, values, masks, old, result in run_form(
            gcn_table, run_tool, lambda r: r["forms"] & SDWA and r["operands"][0] != "U", "sdwa", PARTIAL, second=second):
        sext = not any(k in FORMATS for k in sources_of(row)[1])
        kinds = kinds_of(sources_of(row)[1])
        seen = []
        for v in values:
            whole = [x | (0xabcd0000 if width(k) == 16 else 0) for x, k in zip(v, kinds)]
            chosen = [part(x, sel, sext and i == 0) & ((1 << width(k)) - 1)
                      for i, (x, sel, k) in enumerate(zip(whole, (sel0, sel1), kinds))]
            seen.append(chosen)
        wrong += check(row, result, seen, PARTIAL, masks, old, row["encoding"] == "VOPC", place)
    report(wrong)


def dpp_source(ctrl, lane):
    """The lane that a lane reads, or None (manual, 12.4)."""
    row, at, n = lane & ~15, lane & 15, ctrl & 15
    if ctrl < 0x100:
        return lane & ~3 | ctrl >> 2 * (lane & 3) & 3
    kind = ctrl & 0x1f0
    if kind == 0x100:
        return row | at + n if at + n < 16 else None
    if kind == 0x110:
        return row | at - n if at >= n else None
    if kind == 0x120:
        return row | (at - n) % 16
    return {0x130: lane + 1 if lane < 63 else None, 0x134: (lane + 1) % 64, 0x138: lane - 1 if lane else None,
            0x13c: (lane - 1) % 64, 0x140: row | 15 - at, 0x141: lane & ~7 | 7 - (lane & 7),
            0x142: row - 1 if row else None, 0x143: 31 if lane >= 32 else None}[ctrl]


@pytest.mark.sample(3)
@pytest.mark.parametrize("bound", [0, 1], ids=["keep", "zero"])
@pytest.mark.parametrize("ctrl", [0x1b, 0x4e, 0x103, 0x11f, 0x127, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143])
def test_data_parallel(gcn_table, run_tool, ctrl, bound):
    """DPP: lanes read from others; row and bank masks; what happens out of bounds."""
    rows, banks = 0b1101, 0b1011
    wrong = []
    for row, values, masks, old, result in run_form(
            gcn_table, run_tool, lambda r: r["forms"] & DPP and "F" not in r["operands"] and (r["encoding"] != "VOP1" or "U" not in r["operands"]), "dpp", PARTIAL,
            second=ctrl << 8 | bound << 19 | banks << 24 | rows << 28):
        exec_mask, seen = PARTIAL, []
        for lane in range(64):
            source = dpp_source(ctrl, lane)
            valid = source is not None and PARTIAL >> source & 1
            if not rows >> lane // 16 & 1 or not banks >> lane // 4 % 4 & 1 or not valid and not bound:
                exec_mask &= ~(1 << lane)
            seen.append([values[source][0] if valid else 0] + values[lane][1:])
        wrong += check(row, result, seen, exec_mask, masks, old, False)
    report(wrong)


@pytest.mark.parametrize("number", [0, 11])
def test_one_lane_of_a_row_for_all(gcn_table, tables, run_tool, number):
    """row_newbcast, which operations of 64 bits have, too: floating ones."""
    known = {(r["name"], r["encoding"]) for r in tables["gfx942"]}
    table = [{**r, "model": "gfx942"} for r in gcn_table if (r["name"], r["encoding"]) in known]
    wrong, wide = [], set()
    for row, values, masks, old, result in run_form(
            table, run_tool, lambda r: r["encoding"] in ("VOP1", "VOP2") and (r["forms"] & DPP or "F" in r["operands"]), "dpp", PARTIAL,
            second=0x150 + number << 8 | 1 << 19 | 0xff << 24):
        wide |= {row["name"]} if "F" in row["operands"] else set()
        source = lambda lane: lane & ~15 | number
        wrong += check(row, result, [[values[source(n)][0] if PARTIAL >> source(n) & 1 else 0] + values[n][1:] for n in range(64)], PARTIAL, masks, old, False)
    report(wrong)
    assert len(wide) > 10


@pytest.mark.parametrize("kind, beyond", [("fp8", 496), ("bf8", 120)])
def test_sums_that_numbers_of_8_bits_do_not_hold(run_tool, kind, beyond):
    """v_cvt_pk_*_f32 of all sums of two such numbers: so many are beyond the range and give what is no number (silicon: rocm-systems, issue 9556).
    The halves of the result, with FP16_OVFL the largest number; conversions back of each byte that SDWA chooses."""
    op = {"fp8": 0x2a2, "bf8": 0x2a3}[kind]
    numbers = [n for n in range(256) if n != 0x80]
    sums = [F32.round(of_f8(kind, x) + of_f8(kind, y)) for x in numbers for y in numbers]
    sums += [0] * (-len(sums) % 128)
    converted = []
    for high, mode in ((0, 0x3c0), (1, 0x3c0), (0, 0x8003c0)):  # the last one has FP16_OVFL
        results = run(run_tool, [
            Case([0xd0000000 | op << 16 | high << 14 | DST, 256 + 10 | 256 + 11 << 9], model="gfx942").mode(mode).vector(10, sums[at:at + 64])
            .vector(11, sums[at + 64:at + 128]).vector(DST, [0x12345678] * 64).show(DST) for at in range(0, len(sums), 128)])
        words = [result.shown[0] for result in results]
        assert {x & 0xffff if high else x >> 16 for row in words for x in row} == {0x5678 if high else 0x1234}
        converted.append([x >> 16 * high + shift & 255 for row in words for shift in (0, 8) for x in row])
    low, high, largest = converted
    assert low == high == [to_f8(kind, x) for x in sums] and sum(x == 0x80 for x in low) == beyond
    assert largest == [x if x != 0x80 else 0x7f | s >> 31 << 7 for x, s in zip(low, sums)]
    back = [Case([0x7e000000 | DST << 17 | {"fp8": 0x54, "bf8": 0x55}[kind] << 9 | 0xf9, sel << 16 | 0x600 | 10], model="gfx942")
            .vector(10, [4 * n << 8 * sel if sel < 3 else (4 * n & 255) << 24 for n in range(64)]).show(DST) for sel in range(4)]
    back.append(Case([0x7e000000 | DST << 17 | {"fp8": 0x56, "bf8": 0x57}[kind] << 9 | 0xf9, 5 << 16 | 0x600 | 10], model="gfx942")
                .vector(10, [(4 * n | (4 * n + 1) << 8) << 16 for n in range(64)]).show(DST, DST + 1))
    *each, pair = run(run_tool, back)
    assert all(got.shown[0] == [single_of_f8(kind, 4 * n) for n in range(64)] for got in each)
    assert pair.shown == [[single_of_f8(kind, 4 * n + k) for n in range(64)] for k in (0, 1)]


@pytest.mark.parametrize("absolute,negate", [(0, 1), (1, 0), (3, 3), (7, 5), (2, 6)])
def test_source_modifiers(gcn_table, run_tool, absolute, negate):
    """ABS and NEG of floating point sources in the long form."""
    wrong = []
    for row, values, masks, old, result in run_form(
            gcn_table, run_tool,
            lambda r: (r["encoding"] == "VOP3" or r["forms"] & E64) and set(sources_of(r)[1]) <= set("fhFd")
            and sources_of(r)[1] and len(sources_of(r)[0]) == 1, "long", PARTIAL,
            extra=lambda r: (absolute & (1 << len(kinds_of(sources_of(r)[1]))) - 1) << 8,
            high=lambda r: (negate & (1 << len(kinds_of(sources_of(r)[1]))) - 1) << 29):
        kinds = kinds_of(sources_of(row)[1])
        seen = []
        for v in values:
            seen.append([(x & ~FORMATS[k].sign if absolute >> i & 1 else x) ^ (FORMATS[k].sign if negate >> i & 1 else 0)
                         for i, (x, k) in enumerate(zip(v, kinds))])
        wrong += check(row, result, seen, PARTIAL, masks, old, True)
    report(wrong)


@pytest.mark.parametrize("clamp", [0, 1])
@pytest.mark.parametrize("exec_mask", [ALL, PARTIAL], ids=["all", "partial"])
def test_sums_into_four_registers(gcn_table, run_tool, exec_mask, clamp):
    """V_MQSAD_U32_U8, also with its result over its sources; the third source is in VGPRs alone."""
    op = next(r for r in gcn_table if r["name"] == "v_mqsad_u32_u8")["opcode"]
    random.seed("mqsad")
    top = 0xffffffff
    data = [random.getrandbits(64) for _ in range(64)]
    reference = [random.getrandbits(32) & random.choice((top, 0xff00ff, 0xff000000, 0)) for _ in range(64)]
    sums = [[random.choice((random.getrandbits(32), top - random.randrange(600))) for _ in range(64)] for _ in range(4)]
    for dst in (30, 20, 10):
        case = Case([0xd0000000 | op << 16 | clamp << 15 | dst, 256 + 10 | 256 + 15 << 9 | 256 + 20 << 18]).exec(exec_mask)
        case.wide(10, data, 2).vector(15, reference)
        for k in range(4):
            case.vector(20 + k, sums[k])
            if dst == 30:
                case.vector(30 + k, [7] * 64)
        before = {30: lambda k, l: 7, 20: lambda k, l: sums[k][l], 10: lambda k, l: data[l] >> 32 * k & top if k < 2 else None}[dst]
        result, = run(run_tool, [case.show(*range(dst, dst + 4))])
        assert result.fault is None, result.fault
        for lane in range(64):
            for k in range(4):
                want = before(k, lane)
                if exec_mask >> lane & 1:
                    total = sums[k][lane] + sum(abs((data[lane] >> 8 * (k + i) & 255) - (reference[lane] >> 8 * i & 255))
                                                for i in range(4) if reference[lane] >> 8 * i & 255)
                    want = min(total, top) if clamp else total & top
                assert want is None or result.shown[k][lane] == want, (dst, lane, k)
    constant, = run(run_tool, [Case([0xd0000000 | op << 16 | 30, 256 + 10 | 256 + 15 << 9 | 130 << 18])])
    assert "illegal instruction" in constant.fault
