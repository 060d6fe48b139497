"""What MODE, modifiers and flags do to floating point; the instructions that no table of lane formulas holds."""
import math
import random
from fractions import Fraction

import pytest

from machine import ALL, M0, VCC, Case, run
from numbers_model import F16, F32, F64
from test_gcn_valu import DST, MASK, PARTIAL, SRC, encode, operands, width
from valu_model import s

ROUNDS = {0: "even", 1: "up", 2: "down", 3: "zero"}
IEEE, DX10, DENORMALS = 1 << 9, 1 << 8, 0xf0
INVALID, DENORMAL, DIV0, OVERFLOW, UNDERFLOW, INEXACT = 1, 2, 4, 8, 16, 32


def find(table, name):
    return next(r for r in table if r["name"] == name)


def lanes(run_tool, row, values, mode=DENORMALS | IEEE | DX10, extra=0, high=0, exec_mask=ALL, setup=None):
    """The results of one VOP3 instruction for 64 sets of sources, and the whole answer."""
    kinds = [k for k in row["operands"].split(":")[1] if k not in "md"]
    case = Case(encode(row, "long", extra, high), model=row["model"]).mode(mode).exec(exec_mask)
    for i, kind in enumerate(kinds):
        case.wide(SRC[i], [v[i] for v in values], 2 if width(kind) == 64 else 1)
    if setup:
        setup(case)
    result, = run(run_tool, [case.show(DST, DST + 1)])
    assert result.fault is None, result.fault
    wide = width(row["operands"][0]) == 64
    return [a | (b << 32 if wide else 0) for a, b in zip(*result.shown)], result


NAMES = {"f16": F16, "f32": F32, "f64": F64}


@pytest.mark.parametrize("rounding", ROUNDS)
@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
@pytest.mark.parametrize("op", ["add", "mul", "fma"])
def test_rounding_modes(gcn_table, run_tool, op, name, rounding):
    """FP_ROUND [1:0] for 32 bits, [3:2] for 16 and 64."""
    fmt = NAMES[name]
    row = find(gcn_table, f"v_{op}_{name}")
    values = operands(row["operands"].split(":")[1], op + name)
    mode = DENORMALS | IEEE | (rounding if name == "f32" else rounding << 2)
    got, _ = lanes(run_tool, row, values, mode)
    for v, g in zip(values, got):
        want = getattr(fmt, op)(*v, ROUNDS[rounding])
        assert g & (1 << fmt.bits) - 1 == want, [hex(x) for x in (*v, g, want)]


@pytest.mark.parametrize("denormals", [0, 1, 2, 3])
@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
@pytest.mark.parametrize("op", ["add", "mul", "fma", "max"])
def test_denormals(gcn_table, run_tool, op, name, denormals):
    """FP_DENORM: bit 0 lets sources be denormal, bit 1 results; [5:4] for 32 bits, [7:6] for 16 and 64."""
    fmt = NAMES[name]
    row = find(gcn_table, f"v_{op}_{name}")
    random.seed(op + name)
    count = len(row["operands"].split(":")[1])
    small = lambda: random.choice((0, fmt.sign)) | random.randrange(0, 3 << fmt.fbits)
    values = [[small() if random.random() < 0.8 else fmt.bias << fmt.fbits for _ in range(count)] for _ in range(64)]
    got, _ = lanes(run_tool, row, values, IEEE | (denormals << 4 if name == "f32" else denormals << 6))
    for v, g in zip(values, got):
        sources = v if denormals & 1 else [fmt.flush(x) for x in v]
        want = fmt.pick(*sources, True) if op == "max" else getattr(fmt, op)(*sources)
        want = want if denormals & 2 or op == "max" else fmt.flush(want)
        assert g & (1 << fmt.bits) - 1 == want, [hex(x) for x in (*v, g, want)]


@pytest.mark.parametrize("denormals", [0, 1, 2])
@pytest.mark.parametrize("op", ["add", "mul", "fma"])
def test_where_no_denormals_play_a_part(gcn_table, run_tool, op, denormals):
    """Results and exceptions are those with denormals. One lane with a denormal, source or result, changes its own alone."""
    row = find(gcn_table, f"v_{op}_f32")
    random.seed(op)
    one = lambda: random.choice((0, F32.sign)) | random.randrange(120, 134) << 23 | random.choice((0, random.randrange(1 << 23)))
    zero = lambda: random.choice((0, F32.sign))
    values = [[one() if random.random() < 0.9 else zero() for _ in range(len(row["operands"]) - 2)] for _ in range(64)]
    for last in (None, [1, F32.bias << 23, 0], [0x00800001, 0x3f000000, 0], [0x00800001, 0x80800000, 0x00000000],
                 [0x20000000, 0x10000000, 0]):
        lanes_of = values if last is None else values[:-1] + [last[:len(values[0])]]
        exact, allowed = lanes(run_tool, row, lanes_of, DENORMALS | IEEE)
        got, result = lanes(run_tool, row, lanes_of, 0xc0 | denormals << 4 | IEEE)
        assert got[:63] == exact[:63]
        sources = lanes_of[63] if denormals & 1 else [F32.flush(x) for x in lanes_of[63]]
        want = getattr(F32, op)(*sources)
        assert got[63] == (want if denormals & 2 else F32.flush(want)), [hex(x) for x in (*lanes_of[63], got[63], want)]
        if last is None:
            assert got == exact and result.trapsts == allowed.trapsts


@pytest.mark.parametrize("dx10", [0, DX10])
@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_clamp(gcn_table, run_tool, name, dx10):
    """CLAMP limits to [0, 1]; a NaN becomes 0 with DX10_CLAMP."""
    fmt = NAMES[name]
    row = find(gcn_table, f"v_add_{name}")
    values = operands(row["operands"].split(":")[1], name)
    got, _ = lanes(run_tool, row, values, DENORMALS | dx10, extra=0x8000)
    one = fmt.bias << fmt.fbits
    for v, g in zip(values, got):
        want = fmt.add(*v)
        if fmt.is_nan(want):
            want = 0 if dx10 else want
        elif want & fmt.sign:
            want = 0
        else:
            want = min(want, one)
        assert g & (1 << fmt.bits) - 1 == want, [hex(x) for x in (*v, g, want)]


@pytest.mark.parametrize("omod,factor", [(1, 2), (2, 4), (3, Fraction(1, 2))])
@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_output_modifier(gcn_table, run_tool, name, omod, factor):
    """OMOD counts only without IEEE mode and without denormal results."""
    fmt = NAMES[name]
    row = find(gcn_table, f"v_mul_{name}")
    random.seed(name)
    values = [[fmt.round(Fraction(random.uniform(-9, 9))) for _ in range(2)] for _ in range(64)]
    plain, _ = lanes(run_tool, row, values, DENORMALS, high=omod << 27)
    ieee, _ = lanes(run_tool, row, values, IEEE, high=omod << 27)
    used, _ = lanes(run_tool, row, values, 0, high=omod << 27)
    for v, p, i, u in zip(values, plain, ieee, used):
        product = fmt.mul(*v)
        assert p == i == product and u == fmt.mul(product, fmt.round(Fraction(factor)))


def test_saturation_of_integers(gcn_table, run_tool):
    """CLAMP of integer sums and differences."""
    top, low = (1 << 31) - 1, -1 << 31
    signed = lambda x: x - (1 << 32) if x >> 31 else x
    for name, function, least, most, view in (
            ("v_add_u32", lambda a, b: a + b, 0, (1 << 32) - 1, int), ("v_sub_u32", lambda a, b: a - b, 0, (1 << 32) - 1, int),
            ("v_add_i32", lambda a, b: a + b, low, top, signed), ("v_sub_i32", lambda a, b: a - b, low, top, signed),
            ("v_add_u16", lambda a, b: a + b, 0, 0xffff, int), ("v_sub_u16", lambda a, b: a - b, 0, 0xffff, int)):
        row = find(gcn_table, name)
        values = operands(row["operands"].split(":")[1], name)
        got, _ = lanes(run_tool, row, values, extra=0x8000)
        for v, g in zip(values, got):
            want = max(least, min(most, function(*map(view, v)))) & 0xffffffff
            assert g == want, (name, [hex(x) for x in (*v, g, want)])


def test_halves_that_overflow(gcn_table, run_tool):
    """FP16_OVFL: the largest half instead of infinity; infinity stays infinity."""
    big, row = 0x7bff, find(gcn_table, "v_add_f16")
    for mode, overflow in ((0, 0x7c00), (1 << 23, 0x7bff)):
        got, _ = lanes(run_tool, row, [[big, big], [0x7c00, 0], [big, 0]] + [[0, 0]] * 61, mode | DENORMALS | IEEE)
        assert [g & 0xffff for g in got[:3]] == [overflow, 0x7c00, big]


@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_exceptions_accumulate(gcn_table, run_tool, name):
    """TRAPSTS.EXCP: of the lanes that are on alone."""
    fmt = NAMES[name]
    one, big, least = fmt.bias << fmt.fbits, fmt.inf - 1, 1 << fmt.fbits
    for op, v, flags in (("add", [one, one], 0), ("add", [big, big], OVERFLOW | INEXACT), ("mul", [least, one + 1], 0),
                         ("mul", [least + 1, one - 1], None), ("add", [one, 1], DENORMAL | INEXACT), ("mul", [fmt.inf, 0], INVALID),
                         ("add", [fmt.inf | 1, one], INVALID), ("add", [fmt.nan, one], 0),
                         ("mul", [3, one - (1 << fmt.fbits)], DENORMAL | UNDERFLOW | INEXACT),
                         # a result that is denormal is not a source
                         ("fma", [least, one - (1 << fmt.fbits), 0], 0),
                         ("fma", [least + 1, one - (1 << fmt.fbits), 0], UNDERFLOW | INEXACT)):
        if flags is None:
            continue
        row = find(gcn_table, f"v_{op}_{name}")
        ones = [one] * len(v)
        values = [ones] * 20 + [v] + [ones] * 43
        _, on = lanes(run_tool, row, values)
        _, off = lanes(run_tool, row, values, exec_mask=ALL & ~(1 << 20))
        assert on.trapsts & 0x7f == flags and off.trapsts & 0x7f == 0, (op, [hex(x) for x in v], hex(on.trapsts))


SINGLES = {"0.75": 0x3f400000, "-0.75": 0xbf400000, "-1": 0xbf800000, "-1.5": 0xbfc00000, "2^31": 0x4f000000,
           "-2^31": 0xcf000000, "-2^31 - 256": 0xcf000001, "2^32 - 256": 0x4f7fffff, "2^32": 0x4f800000, "2^60": 0x5d800000,
           "-2^60": 0xdd800000, "inf": 0x7f800000, "-inf": 0xff800000, "NaN": 0x7fc00000, "signalling": 0x7f800001,
           "denormal": 1, "2^22 + 0.5": 0x4a800001, "2^23 - 0.5": 0x4affffff}
CONVERTED = [  # instruction, sources that are invalid, those that are inexact; the others raise nothing
    ("v_cvt_i32_f32", "2^31, -2^31 - 256, 2^32 - 256, 2^32, 2^60, -2^60, inf, -inf, NaN, signalling",
     "0.75, -0.75, -1.5, denormal, 2^22 + 0.5, 2^23 - 0.5"),
    ("v_cvt_u32_f32", "-1, -1.5, -2^31, -2^31 - 256, 2^32, 2^60, -2^60, inf, -inf, NaN, signalling",
     "0.75, -0.75, denormal, 2^22 + 0.5, 2^23 - 0.5"),
]


@pytest.mark.parametrize("mode", [DENORMALS, DENORMALS | 1], ids=["to nearest", "up"])
@pytest.mark.parametrize("name,invalid,inexact", CONVERTED)
def test_exceptions_of_conversions_to_integers(gcn_table, run_tool, name, invalid, inexact, mode):
    """Invalid where the truncated value does not fit, else inexact where something was cut off."""
    row = find(gcn_table, name)
    for text, value in SINGLES.items():
        _, on = lanes(run_tool, row, [[0x40000000]] * 9 + [[value]] + [[0]] * 54, mode | IEEE)
        _, off = lanes(run_tool, row, [[0x40000000]] * 9 + [[value]] + [[0]] * 54, mode | IEEE, exec_mask=ALL & ~(1 << 9))
        want = INVALID if text in invalid.split(", ") else INEXACT if text in inexact.split(", ") else 0
        assert on.trapsts & 0x7f & ~DENORMAL == want and off.trapsts & 0x7f == 0, (text, hex(on.trapsts))


@pytest.mark.parametrize("mode", [DENORMALS, DENORMALS | 1], ids=["to nearest", "up"])
def test_exceptions_of_conversions_from_integers(gcn_table, run_tool, mode):
    """Inexact where the integer has more than 24 bits."""
    for name in ("v_cvt_f32_i32", "v_cvt_f32_u32", "v_cvt_f64_i32", "v_cvt_f64_u32", "v_cvt_f32_ubyte3"):
        row = find(gcn_table, name)
        for value, wide in ((0, False), (0xffffff, False), (0x1000000, False), (0x1000001, True), (0x7fffffff, True),
                            (0x80000000, False), (0xfffffffe, name != "v_cvt_f32_i32")):
            _, on = lanes(run_tool, row, [[3]] * 9 + [[value]] + [[5]] * 54, mode | IEEE)
            _, off = lanes(run_tool, row, [[3]] * 9 + [[value]] + [[5]] * 54, mode | IEEE, exec_mask=ALL & ~(1 << 9))
            want = INEXACT if wide and name in ("v_cvt_f32_i32", "v_cvt_f32_u32") else 0
            assert on.trapsts & 0x7f == want and off.trapsts & 0x7f == 0, (name, hex(value), hex(on.trapsts))


# ---- transcendental: within so many units of the last place of the true value ----

def ulps(fmt, got, true):
    """How far a finite result is from the true value, in units of its last place."""
    if true == 0:
        return 0 if fmt.is_zero(got) else math.inf
    exponent = max(math.frexp(float(true))[1] - 1, 1 - fmt.bias)
    return abs(fmt.value(got) - Fraction(true)) / Fraction(2) ** (exponent - fmt.fbits)


TRUE = {"exp": lambda x: 2.0 ** x, "log": lambda x: math.log2(x), "rcp": lambda x: 1 / x, "rsq": lambda x: 1 / math.sqrt(x),
        "sqrt": math.sqrt, "sin": lambda x: math.sin(2 * math.pi * x), "cos": lambda x: math.cos(2 * math.pi * x)}
RANGES = {"exp": (-120, 120), "log": (1e-30, 1e30), "rcp": (1e-20, 1e20), "rsq": (1e-20, 1e20), "sqrt": (1e-20, 1e20),
          "sin": (-0.9, 0.9), "cos": (-0.9, 0.9)}
ROWS = [("v_exp_f32", 1), ("v_log_f32", 1), ("v_exp_legacy_f32", 1), ("v_log_legacy_f32", 1), ("v_rcp_f32", 1),
        ("v_rcp_iflag_f32", 1), ("v_rsq_f32", 1), ("v_sqrt_f32", 1), ("v_sin_f32", 3), ("v_cos_f32", 3), ("v_exp_f16", 1),
        ("v_log_f16", 1), ("v_rsq_f16", 1), ("v_sin_f16", 2), ("v_cos_f16", 2), ("v_rsq_f64", 2)]


@pytest.mark.parametrize("name,most", ROWS)
def test_transcendentals_are_within_their_bounds(gcn_table, run_tool, name, most):
    op, fmt = name.split("_")[1], NAMES[name.split("_")[-1]]
    low, high = RANGES[op]
    random.seed(name)
    numbers = []
    for i in range(64):
        if op in ("sin", "cos"):
            x = random.uniform(low, high)
        elif low > 0:
            x = 2.0 ** random.uniform(math.log2(low), math.log2(high)) if fmt is not F16 else 2.0 ** random.uniform(-8, 8)
        else:
            x = random.uniform(low, high) if fmt is not F16 else random.uniform(-10, 10)
        numbers.append(fmt.round(Fraction(x)))
    got, _ = lanes(run_tool, find(gcn_table, name), [[x] for x in numbers])
    for x, g in zip(numbers, got):
        true = TRUE[op](float(fmt.value(x)))
        if abs(true) < 1e-3 and op in ("sin", "cos", "log"):
            assert abs(float(fmt.value(g)) - true) < 2.0 ** (-fmt.fbits - 7), (hex(x), hex(g))
        else:
            assert ulps(fmt, g, true) <= most, (hex(x), hex(g), true)


def test_transcendentals_at_their_ends(gcn_table, run_tool):
    """Zeros, infinities, NaNs, and angles beyond 256 turns."""
    f = lambda x: F32.round(Fraction(x))
    inf, nan, sign = F32.inf, F32.nan, F32.sign
    cases = {"v_rcp_f32": {0: inf, sign: sign | inf, inf: 0, sign | inf: sign, 1: inf, nan: nan},
             "v_rsq_f32": {0: inf, sign: sign | inf, inf: 0, f(-1): nan},
             "v_sqrt_f32": {0: 0, sign: sign, inf: inf, f(-1): nan, f(4): f(2)},
             "v_log_f32": {0: sign | inf, inf: inf, f(-1): nan, f(8): f(3), f(1): 0},
             "v_exp_f32": {0: f(1), inf: inf, sign | inf: 0, f(200): inf, f(-200): 0, f(3): f(8), f(-126): 1 << 23, f(-127): 0},
             "v_sin_f32": {0: 0, inf: nan, f(257): 0, f(Fraction(1, 4)): f(1), f(Fraction(-1, 4)): f(-1)},
             "v_cos_f32": {0: f(1), inf: nan, f(257): f(1), f(Fraction(1, 2)): f(-1)}}
    for name, wanted in cases.items():
        sources = list(wanted) + [0] * (64 - len(wanted))
        got, result = lanes(run_tool, find(gcn_table, name), [[x] for x in sources])
        assert dict(zip(sources, got[:len(wanted)])) == wanted, name
    _, result = lanes(run_tool, find(gcn_table, "v_rcp_f32"), [[0]] * 64)
    assert result.trapsts & 0x7f == DIV0


# ---- division: the steps together give the correctly rounded quotient (see the kernels `divide`) ----

def test_division_is_scaled(gcn_table, run_tool):
    """V_DIV_SCALE: which operand is scaled, and VCC, by the manual's cases."""
    row = find(gcn_table, "v_div_scale_f32")
    e = lambda n: (n + 127) << 23
    up, down = (lambda x: x + (64 << 23)), (lambda x: x - (64 << 23))
    cases = [  # denominator, numerator; scaled denominator, scaled numerator, VCC
        (e(0), e(1), e(0), e(1), 0), (e(-20), e(90), up(e(-20)), e(90), 1), (e(127), e(100), down(e(127)), down(e(100)), 0), (e(126) + 1, e(-1), down(e(126) + 1), e(-1), 1),
        (e(3), e(-126), e(3), up(e(-126)), 1), (e(-110), e(-110), up(e(-110)), up(e(-110)), 0)]
    for den, num, want_den, want_num, vcc in cases:
        for source, want in ((den, want_den), (num, want_num)):
            got, result = lanes(run_tool, row, [[source, den, num]] * 64)
            assert (got[0], result.pair(MASK)) == (want, ALL * vcc), [hex(x) for x in (source, den, num, got[0])]
    got, result = lanes(run_tool, row, [[0, 0, e(1)], [e(1), e(1), 0]] * 32)
    assert got[0] == got[1] == F32.nan and result.pair(MASK) == 0


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_division_undoes_the_scale(gcn_table, run_tool, name):
    """V_DIV_FMAS: with VCC, times 2^64 or 2^-64 (2^128) by the addend's exponent, rounded once."""
    fmt, row = NAMES[name], find(gcn_table, f"v_div_fmas_{name}")
    scale = 64 if name == "f32" else 128
    random.seed(name)
    values = []
    for i in range(64):
        exponent = random.choice((-60, -30, 30, 60)) if name == "f32" else random.choice((-900, -930, 500, 900))
        c = random.getrandbits(fmt.fbits) | fmt.bias + exponent << fmt.fbits
        a = random.getrandbits(fmt.fbits) | max(fmt.bias + exponent - fmt.fbits, 1) << fmt.fbits | random.choice((0, fmt.sign))
        b = random.getrandbits(fmt.fbits) | fmt.bias << fmt.fbits
        values.append([a, b, c])
    vcc = 0xaaaa5555f0f00ff0
    got, _ = lanes(run_tool, row, values, setup=lambda case: case.scalar(VCC, vcc, 2))
    for lane, (v, g) in enumerate(zip(values, got)):
        exact = fmt.value(v[0]) * fmt.value(v[1]) + fmt.value(v[2])
        n = 0 if not vcc >> lane & 1 else scale if fmt.exponent(v[2]) > fmt.bias else -scale
        if n <= 0:
            want = fmt.round(exact * Fraction(2) ** n)
        else:
            want = fmt.ldexp(fmt.round(exact), n)
        assert g == want, [hex(x) for x in (*v, g, want)]


def test_bits_of_two_over_pi(gcn_table, run_tool):
    """V_TRIG_PREOP: 53 bits of 2/pi from bit 53 * S1 on; further on for large S0."""
    row = find(gcn_table, "v_trig_preop_f64")
    values = [[F64.round(Fraction(2) ** e), s] for e in (0, 53, 54, 60, 500) for s in range(12)] + [[0, 0]] * 4
    got, _ = lanes(run_tool, row, values)
    # 2/pi in 2000 bits, by Machin's formula.
    bits = 2000

    def arctangent(n):
        total, term, k = 0, (1 << bits) // n, 0
        while term:
            total += term // (2 * k + 1) * (-1) ** k
            term //= n * n
            k += 1
        return total
    fraction = (2 << 2 * bits) // (4 * (4 * arctangent(5) - arctangent(239)))
    for (x, s), g in zip(values, got):
        shift = 53 * s + max(0, F64.exponent(x) - 1077)
        part = fraction >> bits - shift - 53 & (1 << 53) - 1
        want = F64.round(Fraction(part, 1) * Fraction(2) ** (-53 - shift))
        assert g == want, (hex(x), s, hex(g), hex(want))


# ---- packed and mixed ----

@pytest.mark.parametrize("select,select_high,negate,negate_high", [(0, 7, 0, 0), (7, 0, 1, 2), (5, 2, 6, 1), (2, 5, 7, 7)])
def test_packed_selects_and_negates_halves(gcn_table, run_tool, select, select_high, negate, negate_high):
    row = find(gcn_table, "v_pk_fma_f16")
    values = operands("PPP", "packed")
    extra = select << 11 | negate_high << 8 | (select_high >> 2) << 14
    got, _ = lanes(run_tool, row, values, extra=extra, high=(select_high & 3) << 27 | negate << 29)
    for v, g in zip(values, got):
        def half(sel, neg):
            return F16.fma(*[(x >> 16 if sel >> i & 1 else x & 0xffff) ^ (0x8000 if neg >> i & 1 else 0)
                             for i, x in enumerate(v)])
        assert g == half(select, negate) | half(select_high, negate_high) << 16


@pytest.mark.parametrize("kind", ["mad", "fma"])
def test_mixed_precision(gcn_table, run_tool, kind):
    """V_MAD_MIX, V_FMA_MIX: singles and halves; to a single, or to either half of the destination."""
    values = [[F32.round(Fraction(random.Random(l * 3 + i).uniform(-4, 4))) for i in range(3)] for l in range(64)]
    for l, v in enumerate(values):  # the second source is a half, in the upper 16 bits
        v[1] = F32.to(F16, v[1]) << 16 | 0x1234
    # OP_SEL_HI: the second is a half; OP_SEL: its upper one; NEG the third, NEG_HI (absolute) the first.
    extra, high = 2 << 11 | 1 << 8, 2 << 27 | 4 << 29

    def want(v):
        if kind == "fma":
            return F32.fma(v[0] & ~F32.sign, F16.to(F32, v[1] >> 16), v[2] ^ F32.sign)
        product = F32.mul(v[0] & ~F32.sign, F16.to(F32, v[1] >> 16))
        return F32.add(F32.flush(product), v[2] ^ F32.sign)
    single, _ = lanes(run_tool, find(gcn_table, f"v_{kind}_mix_f32"), values, extra=extra, high=high)
    old = lambda case: case.vector(DST, [0xaaaabbbb] * 64)
    low, _ = lanes(run_tool, find(gcn_table, f"v_{kind}_mixlo_f16"), values, extra=extra, high=high, setup=old)
    top, _ = lanes(run_tool, find(gcn_table, f"v_{kind}_mixhi_f16"), values, extra=extra, high=high, setup=old)
    for v, s, l, t in zip(values, single, low, top):
        half = F32.to(F16, want(v))
        assert (s, l, t) == (want(v), 0xaaaa0000 | half, half << 16 | 0xbbbb)


@pytest.mark.parametrize("flushed", [0, 1], ids=["kept", "flushed"])
@pytest.mark.parametrize("of_halves", [0, 3], ids=["singles", "halves"])
def test_denormals_of_fused_mixed_precision(gcn_table, run_tool, of_halves, flushed):
    """MODE's denormals of 32 bits are those of all sources: each kept, or +0. (Measured on gfx90a and gfx950: -2^-24 * 2^-14.)"""
    values = [[0x8001, 0x0400, 0], [0x8001, 0x3c00, F32.sign]] if of_halves else [[F32.sign | 1, 0x7f000000, 0], [F32.sign | 1, 0x3f800000, F32.sign]]
    got, _ = lanes(run_tool, find(gcn_table, "v_fma_mix_f32"), values * 32, DENORMALS & ~0x30 if flushed else DENORMALS, high=of_halves << 27)
    wanted = [0, 0] if flushed else [0xac800000, 0xb3800000] if of_halves else [F32.round(Fraction(-1, 1 << 22)), F32.sign | 1]
    assert got == wanted * 32


def dot(extend, bits, row, v, select=0, select_high=3, clamp=False):
    """The sum of products of parts, by integers without limit."""
    if bits == 16:
        v = [(x >> 16 * (select >> i & 1) & 0xffff) | (x >> 16 * (select_high >> i & 1) & 0xffff) << 16 for i, x in enumerate(v[:2])] + v[2:]
    number = s if extend else lambda x, width=32: x & (1 << width) - 1
    total = sum(number(v[0] >> at, bits) * number(v[1] >> at, bits) for at in range(0, 32, bits)) + number(v[2])
    low, high = (-1 << 31, (1 << 31) - 1) if extend else (0, (1 << 32) - 1)
    return (max(low, min(high, total)) if clamp else total) & 0xffffffff


DOTS = {"v_dot2_i32_i16": (1, 16), "v_dot2_u32_u16": (0, 16), "v_dot4_i32_i8": (1, 8), "v_dot4_u32_u8": (0, 8), "v_dot8_i32_i4": (1, 4),
        "v_dot8_u32_u4": (0, 4)}


@pytest.mark.parametrize("name", DOTS)
def test_dot_products(gcn_table, run_tool, name):
    """Sums that wrap or (CLAMP) saturate; OP_SEL and OP_SEL_HI choose halves of the pairs of 16 bits alone."""
    row, rng = find(gcn_table, name), random.Random(name)
    for clamp, select, select_high in ((0, 0, 3), (1, 0, 3), (0, 1, 0), (1, 2, 1)):
        if select and DOTS[name][1] != 16:
            continue
        for end in (rng.getrandbits, lambda n: rng.choice((0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x80008000, 0x7fff7fff, 0x88888888))):
            values = [[end(32) for _ in range(3)] for _ in range(64)]
            got, _ = lanes(run_tool, row, values, extra=clamp << 15 | select << 11, high=select_high << 27, exec_mask=ALL)
            assert got == [dot(*DOTS[name], row, v, select, select_high, clamp) for v in values]


def test_every_dot_product_of_four_bits(gcn_table, run_tool):
    """All pairs of factors, each in a place of its own."""
    for name in ("v_dot8_i32_i4", "v_dot8_u32_u4"):
        values = [[0, 0, 0] for _ in range(64)]
        for a in range(16):
            for b in range(16):
                n = a * 16 + b
                at = 4 * (n // 64 % 8)
                values[n % 64][0] |= a << at
                values[n % 64][1] |= b << at
        got, _ = lanes(run_tool, find(gcn_table, name), values)
        assert got == [dot(*DOTS[name], None, v) for v in values]


@pytest.mark.parametrize("mode", [0, DENORMALS])
def test_dot_product_of_halves(gcn_table, run_tool, mode):
    """Products are exact singles; each sum is rounded. Denormal halves count in each mode, denormal singles in none."""
    values = operands("PPf", "dot2")
    for v in values[40:56]:  # of moderate size, so that sums meet
        v[:2] = [x & 0x83ff83ff | 0x3c003c00 for x in v[:2]]
    values[0] = [0x00010001, 0x3c003c00, 0]
    values[1] = [0x00018001, 0x3c003c00, 1]
    select, select_high, negate, negate_high = 1, 2, 5, 2
    got, _ = lanes(run_tool, find(gcn_table, "v_dot2_f32_f16"), values, mode, extra=select << 11 | negate_high << 8,
                   high=select_high << 27 | negate << 29)
    for v, g in zip(values, got):
        def product(sel, neg):
            return F32.mul(*[F16.to(F32, (x >> 16 * (sel >> i & 1) & 0xffff) ^ (0x8000 if neg >> i & 1 else 0)) for i, x in enumerate(v[:2])])
        total = F32.add(product(select, negate), product(select_high, negate_high))
        assert g == F32.flush(F32.add(total, F32.flush(v[2] ^ F32.sign))), [hex(x) for x in (*v, g)]


def test_four_sums_of_differences(gcn_table, run_tool):
    """V_MQSAD_U32_U8: bytes from four places against four bytes, those that are not 0; sums in four registers."""
    row = find(gcn_table, "v_mqsad_u32_u8")
    rng = random.Random("mqsad")
    a, b = [rng.getrandbits(64) for _ in range(64)], [rng.getrandbits(32) & 0xff00ffff for _ in range(64)]
    c, old = [rng.getrandbits(128) for _ in range(64)], [rng.getrandbits(128) for _ in range(64)]
    case = Case([0xd0000000 | row["opcode"] << 16 | 40, 256 + 10 | 256 + 14 << 9 | 256 + 18 << 18]).exec(PARTIAL)
    case.wide(10, a, 2).vector(14, b).wide(18, c, 4).wide(40, old, 4)
    result, = run(run_tool, [case.show(40, 41, 42, 43)])
    assert result.fault is None
    for lane in range(64):
        want = old[lane]
        if PARTIAL >> lane & 1:
            want = 0
            for k in range(4):
                pairs = zip((a[lane] >> 8 * k & 0xffffffff).to_bytes(4, "little"), b[lane].to_bytes(4, "little"))
                total = sum(abs(p - q) for p, q in pairs if q) + (c[lane] >> 32 * k & 0xffffffff)
                want |= (total & 0xffffffff) << 32 * k
        assert sum(result.shown[k][lane] << 32 * k for k in range(4)) == want


def test_half_of_the_destination(gcn_table, run_tool):
    """OP_SEL of 16-bit instructions: halves of the sources, and which half of the destination; the other one stays."""
    row = find(gcn_table, "v_mad_u16")
    values = [[0x00030007 + l, 0x00050002, 0x00110013] for l in range(64)]
    for select in range(16):
        got, _ = lanes(run_tool, row, values, extra=select << 11, setup=lambda c: c.vector(DST, [0xaaaabbbb] * 64))
        for v, g in zip(values, got):
            a, b, c = (x >> 16 if select >> i & 1 else x & 0xffff for i, x in enumerate(v))
            result = a * b + c & 0xffff
            assert g == (result << 16 | 0xbbbb if select & 8 else 0xaaaa0000 | result)


# ---- between lanes and scalars ----

def test_lanes_and_scalars(gcn_table, run_tool):
    values = [random.Random(l).getrandbits(32) for l in range(64)]
    first = find(gcn_table, "v_readfirstlane_b32")
    word = 0x7e000000 | 30 << 17 | first["opcode"] << 9 | 256 + SRC[0]
    for mask, lane in ((ALL, 0), (PARTIAL & ~1, 4), (1 << 63, 63), (0, 0)):
        result, = run(run_tool, [Case([word]).exec(mask).vector(SRC[0], values)])
        assert result.s[30] == values[lane]
    read, write = find(gcn_table, "v_readlane_b32"), find(gcn_table, "v_writelane_b32")
    for select in (0, 17, 63, 64 + 5):
        got, = run(run_tool, [Case([0xd0000000 | read["opcode"] << 16 | 30, 256 + SRC[0] | 8 << 9]).exec(0)
                              .vector(SRC[0], values).scalar(8, select)])
        assert got.s[30] == values[select % 64]
        got, = run(run_tool, [Case([0xd0000000 | write["opcode"] << 16 | DST, 9 | 8 << 9]).exec(0).scalar(8, select)
                              .scalar(9, 0x12345678).vector(DST, values).show(DST)])
        assert got.shown[0] == [0x12345678 if l == select % 64 else v for l, v in enumerate(values)]
    swap = find(gcn_table, "v_swap_b32")
    other = [v ^ 0xffffffff for v in values]
    got, = run(run_tool, [Case([0x7e000000 | DST << 17 | swap["opcode"] << 9 | 256 + SRC[0]]).exec(PARTIAL)
                          .vector(DST, values).vector(SRC[0], other).show(DST, SRC[0])])
    for l in range(64):
        pair = (values[l], other[l])
        assert (got.shown[0][l], got.shown[1][l]) == (pair[::-1] if PARTIAL >> l & 1 else pair)


def test_scalar_sources_of_vectors(gcn_table, run_tool):
    """SGPRs and constants, as wide as the instruction: of halves the 16-bit constant, of doubles the 64-bit one."""
    def one(name, source, literal=0):
        row = find(gcn_table, name)
        result, = run(run_tool, [Case([0x7e000000 | DST << 17 | row["opcode"] << 9 | source, literal])
                                 .scalar(8, 0xbff8000000001234, 2).show(DST, DST + 1)])
        assert result.fault is None and len(set(result.shown[0])) == 1
        return result.shown[0][0] | result.shown[1][0] << 32
    assert one("v_mov_b32", 8) == 0x1234 and one("v_mov_b32", 193) == 0xffffffff and one("v_mov_b32", 255, 77) == 77
    assert one("v_mov_b32", 242) == 0x3f800000 and one("v_mov_b32", 248) == 0x3e22f983
    assert one("v_rndne_f16", 242) == 0x3c00 and one("v_rndne_f64", 242) == 0x3ff0 << 48
    assert one("v_rndne_f64", 8) == 0xc000 << 48 and one("v_rndne_f64", 255, 0x40080000) == 0x4008 << 48
    assert one("v_mov_b32", 235) == 1 << 16 and one("v_mov_b32", 237) == 2 << 16


def test_registers_by_index(gcn_table, run_tool):
    """S_SET_GPR_IDX_ON: M0 is added to the sources and the destination that its mode names."""
    on, off = find(gcn_table, "s_set_gpr_idx_on"), find(gcn_table, "s_set_gpr_idx_off")
    mov = 0x7e000000 | DST << 17 | 1 << 9 | 256 + SRC[0]
    for mode, source, dest in ((1, SRC[0] + 3, DST), (8, SRC[0], DST + 3), (9, SRC[0] + 3, DST + 3), (0, SRC[0], DST)):
        words = [0xbf000000 | on["opcode"] << 16 | mode << 8 | 8, mov, 0xbf800000 | off["opcode"] << 16]
        case = Case(words, 3).scalar(8, 3).show(dest)
        for r in (SRC[0], SRC[0] + 3):
            case.vector(r, [100 * r + l for l in range(64)])
        result, = run(run_tool, [case])
        assert result.shown[0] == [100 * source + l for l in range(64)], mode
        assert not result.mode >> 27 & 1
    beyond, = run(run_tool, [Case([0xbf000000 | on["opcode"] << 16 | 1 << 8 | 8, mov], 2).scalar(8, 250)])
    assert "vector registers" in beyond.fault


def test_vskip(gcn_table, run_tool):
    """S_SETVSKIP: vector instructions do nothing until it is lifted."""
    skip = find(gcn_table, "s_setvskip")
    words = [0xbf000000 | skip["opcode"] << 16 | 128 << 8 | 8, 0x7e000281 | DST << 17]
    on, off = run(run_tool, [Case(words, 2).scalar(8, s).show(DST) for s in (1, 0)])
    assert on.shown[0] == [0] * 64 and off.shown[0] == [1] * 64


def test_data_of_lds_as_a_source(run_tool):
    """src_lds_direct: the value at M0[15:0], of the type in M0[18:16]."""
    for kind, want in ((0, 0xf1), (1, 0xf2f1), (2, 0xf4f3f2f1), (4, 0xfffffff1), (5, 0xfffff2f1)):
        result, = run(run_tool, [Case([0x7e000200 | DST << 17 | 254]).scalar(M0, kind << 16 | 8)
                                 .memory(8, b"\xf1\xf2\xf3\xf4").show(DST)])
        assert result.shown[0] == [want] * 64


def test_what_is_not_executed_says_so(gcn_table, run_tool):
    """Each such row of the vector and scalar encodings, the reserved opcodes, and graphics."""
    for row in gcn_table:
        if row["executes"]:
            continue
        word = {"VOP3": 0xd0000000 | row["opcode"] << 16, "VOP1": 0x7e000000 | row["opcode"] << 9,
                "SOPP": 0xbf800000 | row["opcode"] << 16, "SOP1": 0xbe800000 | row["opcode"] << 8,
                "SOP2": 0x80000000 | row["opcode"] << 23, "SOPK": 0xb0000000 | row["opcode"] << 23,
                "DS": 0xd8000000 | row["opcode"] << 17, "SMEM": 0xc0020000 | row["opcode"] << 18,
                "MUBUF": 0xe0000000 | row["opcode"] << 18, "MTBUF": 0xe8000000 | row["opcode"] << 15,
                "MIMG": 0xf0000100 | row["opcode"] << 18}[row["encoding"]]
        result, = run(run_tool, [Case([word, 0])])
        assert row["name"] + " (" in result.fault and "is not executed by this emulator" in result.fault
        assert result.trapsts >> 11 & 1
    nothing, graphics = run(run_tool, [Case([0xffffffff, 0]), Case([0xc4000000, 0])])
    assert "there is no such instruction" in nothing.fault and "graphics" in graphics.fault
