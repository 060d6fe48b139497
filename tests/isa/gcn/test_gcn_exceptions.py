"""TRAPSTS.EXCP: which sources raise the exception of denormal sources, by every instruction with floating-point sources."""
import random

import pytest

from machine import ALL, Case, run
from numbers_model import F16, F32, F64
from test_gcn_valu import DST, FORMATS, LIT, SRC, VALU, encode, kinds_of, sources_of, width

INVALID, DENORMAL, DIV0, INT_DIV0 = 1, 2, 4, 64
# Rounded twice, or a table in 32 bits: they know no denormals, whatever MODE says. (V_MAD_MIX: in its singles.)
FLUSH_ALWAYS = {"v_mad_f32", "v_mad_legacy_f32", "v_mac_f32", "v_mad_f16", "v_mad_legacy_f16", "v_mac_f16", "v_exp_f32", "v_log_f32",
                "v_exp_legacy_f32", "v_log_legacy_f32", "v_sin_f32", "v_cos_f32", "v_rcp_f32", "v_rcp_iflag_f32", "v_rsq_f32",
                "v_sqrt_f32", "v_dot2_f32_f16", "v_dot2c_f32_f16"}
# They look at bits and compute nothing.
QUIET = {"v_cvt_pk_fp8_f32", "v_cvt_pk_bf8_f32", "v_cvt_sr_fp8_f32", "v_cvt_sr_bf8_f32", "v_pack_b32_f16", "v_trig_preop_f64", "v_cmp_class_f16", "v_cmp_class_f32", "v_cmp_class_f64", "v_cmpx_class_f16",
         "v_cmpx_class_f32", "v_cmpx_class_f64"}
# Each source is converted for itself: a NaN in one says nothing of the other.
APART = {"v_cvt_pkrtz_f16_f32", "v_cvt_pknorm_i16_f32", "v_cvt_pknorm_u16_f32", "v_cvt_pknorm_i16_f16", "v_cvt_pknorm_u16_f16"}


def invalid(name, fmt, v):
    """Whether an operation without a NaN source is invalid although a source is denormal."""
    if "fma" in name or "div_fmas" in name:
        infinite = fmt.is_inf(v[0]) or fmt.is_inf(v[1])
        if infinite and (fmt.is_zero(v[0]) or fmt.is_zero(v[1])):
            return True
        return infinite and len(v) > 2 and fmt.is_inf(v[2]) and (v[0] ^ v[1] ^ v[2]) & fmt.sign != 0
    if name.split("_")[1] in ("sqrt", "rsq", "log"):
        return v[0] & fmt.sign != 0
    if "div_fixup" in name:  # the quotient so far, the denominator, the numerator
        return fmt.is_zero(v[1]) and fmt.is_zero(v[2]) or fmt.is_inf(v[1]) and fmt.is_inf(v[2])
    return False


def raises(name, kinds, v, mode):
    """One lane: whether it raises the exception, by the rule of docs/gcn.md."""
    floats = [(FORMATS[k], x) for k, x in zip(kinds, v) if k in FORMATS]
    if name in FLUSH_ALWAYS | QUIET:
        return False
    fmt = floats[0][0]
    if not mode >> (4 if fmt is F32 else 6) & 1:
        return False
    if kinds[0] == "P":  # two halves, each an operation
        return any(raises(name, "h" * len(v), [x >> 16 * half & 0xffff for x in v], mode) for half in (0, 1))
    if name in APART:
        return any(fmt.is_denormal(x) for _, x in floats)
    if not any(f.is_denormal(x) for f, x in floats) or any(f.is_nan(x) for f, x in floats):
        return False
    return not invalid(name, fmt, [x for _, x in floats])


def rows(table):
    for row in table:
        if row["executes"] and row["encoding"] in VALU and row["forms"] != LIT and ":" in row["operands"]:
            kinds = kinds_of(sources_of(row)[1])
            if set(kinds) & set(FORMATS):
                yield row, kinds


def lane_values(name, kinds):
    """Sources of some lanes: each with denormals beside everything that could hide them."""
    rng = random.Random(name)

    def one(kind):
        if kind not in FORMATS:
            return rng.choice((0, 1, 3))
        if kind == "P":
            return one("h") | one("h") << 16
        f = FORMATS[kind]
        return rng.choice((0, f.sign)) | rng.choice((0, 1, (1 << f.fbits) - 1, rng.randrange(1, 1 << f.fbits), 1 << f.fbits,
                                                      f.bias << f.fbits, f.bias + 3 << f.fbits | 1, f.inf - 1, f.inf, f.nan, f.inf | 1))
    return [[one(k) for k in kinds] for _ in range(24)]


@pytest.mark.parametrize("rounding", [0, 0xf], ids=["nearest", "towards zero"])
@pytest.mark.parametrize("denormals", [0, 1, 2, 3])
def test_denormal_sources(gcn_table, run_tool, denormals, rounding):
    """Where MODE lets denormals in, a lane that reads one raises it: no other lane does, and no lane that is off."""
    cases, wanted = [], []
    mode = denormals << 4 | denormals << 6 | rounding
    for row, kinds in rows(gcn_table):
        for v in lane_values(row["name"], kinds):
            for exec_mask in (ALL, ALL & ~(1 << 20)):
                upper = (0x4000, 3 << 27) if row["encoding"] == "VOP3P" else (0, 0)  # OP_SEL_HI: results' upper halves of sources'
                case = Case(encode(row, "long", *upper), model=row["model"]).mode(mode).exec(exec_mask)
                for i, kind in enumerate(kinds):
                    one = {"P": 0x3c003c00}.get(kind, FORMATS[kind].bias << FORMATS[kind].fbits if kind in FORMATS else 1)
                    case.wide(SRC[i], [one] * 20 + [v[i]] + [one] * 43, 2 if width(kind) == 64 else 1)
                case.vector(DST, [0] * 64).vector(DST + 1, [0] * 64)
                cases.append(case)
                wanted.append((row["name"], v, exec_mask == ALL and raises(row["name"], kinds, v, mode)))
    wrong = []
    for result, (name, v, want) in zip(run(run_tool, cases), wanted):
        assert result.fault is None, (name, result.fault)
        if bool(result.trapsts & DENORMAL) != want:
            wrong.append((name, [hex(x) for x in v], want))
    assert not wrong, (len(wrong), wrong[:8])
    if denormals & 1:
        assert {name for name, _, want in wanted if want} == {row["name"] for row, _ in rows(gcn_table)} - FLUSH_ALWAYS - QUIET


@pytest.mark.parametrize("denormals", [0, 0x40])
def test_denormal_halves_of_mixed_precision(gcn_table, run_tool, denormals):
    """V_MAD_MIX: halves by the mode of 16 bits; singles are flushed."""
    row = next(r for r in gcn_table if r["name"] == "v_mad_mix_f32")
    cases = []
    for b, hidden in ((0x3c000001, 0), (0x00013c00, 1), (0x00017e00, 1), (0x3c003c00, 0)):  # OP_SEL: its upper half
        case = Case(encode(row, "long", 2 << 11, 2 << 27)).mode(0x30 | denormals).exec(ALL)
        cases.append(case.vector(SRC[0], [0x3f800000] * 64).vector(SRC[1], [b] * 64).vector(SRC[2], [1] * 64).vector(DST, [0] * 64))
        case.want = hidden and denormals != 0
    for case, result in zip(cases, run(run_tool, cases)):
        assert bool(result.trapsts & DENORMAL) == bool(case.want)


def test_reciprocals_of_integers(gcn_table, run_tool):
    """V_RCP_IFLAG: division of an integer by zero, and nothing of floating point."""
    cases = []
    for name in ("v_rcp_f32", "v_rcp_iflag_f32"):
        row = next(r for r in gcn_table if r["name"] == name)
        for value in (0, 0x3f800000, 0x40400000, F32.inf | 1, 1):
            cases.append(Case(encode(row, "long")).mode(0xf0).exec(ALL).vector(SRC[0], [value] * 64))
    flags = [result.trapsts & 0x7f for result in run(run_tool, cases)]
    assert flags == [DIV0, 0, 0, INVALID, DIV0, INT_DIV0, 0, 0, 0, INT_DIV0]


# Steps of longer computations, and what only takes a number apart or packs it: nothing is said of their NaNs.
STEPS = ("v_cube", "v_frexp", "v_div_fixup", "v_div_scale", "v_cvt_pk", "v_cvt_norm", "v_rcp_iflag")
TO_INTEGER = ("v_cvt_flr_i32", "v_cvt_rpi_i32", "v_cvt_i16", "v_cvt_i32", "v_cvt_u16", "v_cvt_u32")


def test_signalling_nans(gcn_table, run_tool):
    """A source that is one makes the operation invalid, a quiet one only conversions to integers (IEEE 754, 7.2)."""
    cases, wanted = [], []
    for row in gcn_table:
        if not row["executes"] or row["encoding"] not in VALU or ":" not in row["operands"] or row["name"] in QUIET \
                or row["name"].startswith(STEPS):
            continue
        kinds = kinds_of(sources_of(row)[1])
        literal = row["forms"] == LIT
        if literal:
            kinds = kinds[:1] * 2
        ones = {k: 0x3c003c00 if k == "P" else FORMATS[k].bias << FORMATS[k].fbits if k in FORMATS else 1 for k in kinds}
        for at, kind in enumerate(kinds):
            if kind not in FORMATS:
                continue
            for signalling in (True, False):
                f = FORMATS[kind]
                nan = f.inf | 1 if signalling else f.nan
                nan |= 0x3c000000 if kind == "P" else 0
                words = encode(row, "native") + [ones[kind]] if literal else \
                    encode(row, "long", *((0x4000, 3 << 27) if row["encoding"] == "VOP3P" else (0, 0)))
                case = Case(words, model=row["model"]).mode(0xf0).vector(DST, [ones.get(kind)] * 64).vector(DST + 1, [0] * 64)
                for i, k in enumerate(kinds):
                    values = [ones[k]] * 20 + [nan if i == at else ones[k]] + [ones[k]] * 43
                    case.wide(SRC[i], values, 2 if width(k) == 64 else 1)
                cases.append(case)
                wanted.append((row["name"], at, signalling or row["name"].startswith(TO_INTEGER)))
    wrong = []
    for result, (name, at, want) in zip(run(run_tool, cases), wanted):
        assert result.fault is None, (name, result.fault)
        if bool(result.trapsts & INVALID) != want:
            wrong.append((name, at, want))
    assert not wrong, (len(wrong), " ".join(sorted({w[0] + (":s" if w[2] else ":q") for w in wrong})))


def test_signalling_nans_of_mixed_precision(gcn_table, run_tool):
    """Sources in single precision, as OP_SEL_HI says; results in either half or in all of the register."""
    for name in ("v_mad_mix_f32", "v_mad_mixlo_f16", "v_mad_mixhi_f16", "v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"):
        row = next(r for r in gcn_table if r["name"] == name)
        for at in range(3):
            for nan in (F32.inf | 1, F32.nan):
                case = Case([0xd3800000 | row["opcode"] << 16 | DST, 256 + SRC[0] | 256 + SRC[1] << 9 | 256 + SRC[2] << 18], model=row["model"])
                for i in range(3):
                    case.vector(SRC[i], [nan if i == at else F32.bias << F32.fbits] * 64)
                result, = run(run_tool, [case.mode(0xf0)])
                assert result.fault is None and result.trapsts & 0x7f == (INVALID if nan != F32.nan else 0), (name, at, hex(nan))


def test_numbers_that_halves_cannot_hold(gcn_table, run_tool):
    """A half has 11 bits and ends at 65504."""
    overflow, inexact = 8, 32
    for name, value, want in (("v_cvt_f16_i16", 2048, 0), ("v_cvt_f16_i16", 2049, inexact), ("v_cvt_f16_i16", 0x10000 - 2049, inexact),
                              ("v_cvt_f16_u16", 65504, 0), ("v_cvt_f16_u16", 4097, inexact),
                              ("v_cvt_f16_u16", 65535, overflow | inexact)):
        row = next(r for r in gcn_table if r["name"] == name)
        result, = run(run_tool, [Case(encode(row, "native")).mode(0xf0).vector(SRC[0], [value] * 64)])
        assert result.fault is None and result.trapsts & 0x7f == want, (name, value)
    row = next(r for r in gcn_table if r["name"] == "v_cvt_pkrtz_f16_f32")
    for value, want in ((0x3f800000, 0), (0x3f802000, 0), (0x3f801000, inexact)):
        for pair in ((value, 0x3f800000), (0x3f800000, value)):
            case = Case(encode(row, "long")).mode(0xf0).vector(SRC[0], [pair[0]] * 64).vector(SRC[1], [pair[1]] * 64)
            result, = run(run_tool, [case])
            assert result.fault is None and result.trapsts & 0x7f == want, hex(value)
