"""What each vector instruction computes, lane by lane, after the Vega manual's chapter 12, in Python's integers.

MODELS maps a mnemonic to a function of the sources (bit patterns, as wide as the operand) that gives the result, or
(result, bit of the mask). `lane`, `old` (the destination's old value) and `carry` come as keywords where asked for.
"""
import inspect
from fractions import Fraction
from math import ceil, floor, trunc

from numbers_model import F16, F32, F64

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
MODELS = {}


def s(x, bits=32):
    """As a signed number."""
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def rows(**functions):
    MODELS.update(functions)


def u24(x):
    return x & 0xffffff


def clamp(x, low, high):
    return max(low, min(high, x))


rows(
    v_mov_b32=lambda a: a, v_not_b32=lambda a: ~a, v_and_b32=lambda a, b: a & b, v_or_b32=lambda a, b: a | b,
    v_xor_b32=lambda a, b: a ^ b, v_xnor_b32=lambda a, b: ~(a ^ b), v_lshlrev_b32=lambda a, b: b << (a % 32), v_lshrrev_b32=lambda a, b: b >> (a % 32),
    v_ashrrev_i32=lambda a, b: s(b) >> (a % 32), v_add_u32=lambda a, b: a + b, v_sub_u32=lambda a, b: a - b,
    v_subrev_u32=lambda a, b: b - a, v_add_i32=lambda a, b: a + b, v_sub_i32=lambda a, b: a - b,
    v_min_i32=lambda a, b: min(s(a), s(b)), v_max_i32=lambda a, b: max(s(a), s(b)), v_min_u32=lambda a, b: min(a, b),
    v_max_u32=lambda a, b: max(a, b),
    v_mul_lo_u32=lambda a, b: a * b, v_mul_hi_u32=lambda a, b: a * b >> 32, v_mul_hi_i32=lambda a, b: s(a) * s(b) >> 32,
    v_mul_i32_i24=lambda a, b: s(a, 24) * s(b, 24), v_mul_hi_i32_i24=lambda a, b: s(a, 24) * s(b, 24) >> 32,
    v_mul_u32_u24=lambda a, b: u24(a) * u24(b), v_mul_hi_u32_u24=lambda a, b: u24(a) * u24(b) >> 32,
    v_mad_i32_i24=lambda a, b, c: s(a, 24) * s(b, 24) + c, v_mad_u32_u24=lambda a, b, c: u24(a) * u24(b) + c,
    v_bfe_u32=lambda a, b, c: a >> (b % 32) & ((1 << (c % 32)) - 1),
    v_bfe_i32=lambda a, b, c: s(s(a) >> (b % 32), c % 32) if c % 32 else 0,
    v_bfi_b32=lambda a, b, c: a & b | ~a & c, v_bfm_b32=lambda a, b: ((1 << (a % 32)) - 1) << (b % 32),
    v_alignbit_b32=lambda a, b, c: (a << 32 | b) >> (c % 32), v_alignbyte_b32=lambda a, b, c: (a << 32 | b) >> 8 * (c % 4),
    v_xad_u32=lambda a, b, c: (a ^ b) + c, v_lshl_add_u32=lambda a, b, c: (a << (b % 32)) + c,
    v_add_lshl_u32=lambda a, b, c: (a + b & M32) << (c % 32), v_add3_u32=lambda a, b, c: a + b + c,
    v_lshl_or_b32=lambda a, b, c: (a << (b % 32) | c), v_and_or_b32=lambda a, b, c: a & b | c,
    v_or3_b32=lambda a, b, c: a | b | c, v_bcnt_u32_b32=lambda a, b: bin(a).count("1") + b,
    v_sad_u32=lambda a, b, c: abs(a - b) + c, v_cvt_pk_u16_u32=lambda a, b: min(a, 0xffff) | min(b, 0xffff) << 16,
    v_cvt_pk_i16_i32=lambda a, b: clamp(s(a), -0x8000, 0x7fff) & 0xffff | (clamp(s(b), -0x8000, 0x7fff) & 0xffff) << 16,
    v_pack_b32_f16=lambda a, b: a | b << 16,
    v_sat_pk_u8_i16=lambda a: clamp(s(a, 16), 0, 255) | clamp(s(a >> 16, 16), 0, 255) << 8,
    v_bfrev_b32=lambda a: int(f"{a:032b}"[::-1], 2), v_ffbh_u32=lambda a: 32 - a.bit_length() if a else -1,
    v_ffbl_b32=lambda a: (a & -a).bit_length() - 1,
    v_ffbh_i32=lambda a: -1 if s(a) in (0, -1) else 32 - (a if s(a) > 0 else ~a & M32).bit_length(),
    v_cndmask_b32=lambda a, b, carry: b if carry else a,
    v_add_co_u32=lambda a, b: (a + b, a + b >> 32), v_sub_co_u32=lambda a, b: (a - b, a < b),
    v_subrev_co_u32=lambda a, b: (b - a, b < a), v_addc_co_u32=lambda a, b, carry: (a + b + carry, a + b + carry >> 32),
    v_subb_co_u32=lambda a, b, carry: (a - b - carry, a < b + carry),
    v_subbrev_co_u32=lambda a, b, carry: (b - a - carry, b < a + carry),
    v_lshlrev_b64=lambda a, b: b << (a % 64), v_lshrrev_b64=lambda a, b: b >> (a % 64),
    v_ashrrev_i64=lambda a, b: s(b, 64) >> (a % 64), v_mad_u64_u32=lambda a, b, c: (a * b + c, a * b + c >> 64),
    v_mad_i64_i32=lambda a, b, c: (s(a) * s(b) + s(c, 64), (s(a) * s(b) + s(c, 64)) >> 64 & 1),
    v_mbcnt_lo_u32_b32=lambda a, b, lane: bin(a & ((1 << lane) - 1)).count("1") + b,
    v_mbcnt_hi_u32_b32=lambda a, b, lane: bin(a << 32 & ((1 << lane) - 1)).count("1") + b,
    v_lerp_u8=lambda a, b, c: sum((((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) >> 1) << k for k in (0, 8, 16, 24)),
)


def sad(a, b, masked=False):
    pairs = zip(a.to_bytes(4, "little"), b.to_bytes(4, "little"))
    return sum(abs(p - q) for p, q in pairs if q or not masked)


def quad(masked):
    def model(a, b, c):
        parts = [sad(a >> 8 * k & M32, b, masked) + (c >> 16 * k & 0xffff) & 0xffff for k in range(4)]
        return sum(p << 16 * k for k, p in enumerate(parts))
    return model


def perm(a, b, c):
    data = (a << 32 | b).to_bytes(8, "little")
    out = []
    for sel in c.to_bytes(4, "little"):
        if sel < 8:
            out.append(data[sel])
        elif sel < 12:
            out.append(255 if data[2 * (sel - 8) + 1] & 128 else 0)
        else:
            out.append(0 if sel == 12 else 255)
    return int.from_bytes(bytes(out), "little")


rows(v_sad_u8=lambda a, b, c: sad(a, b) + c, v_sad_hi_u8=lambda a, b, c: (sad(a, b) << 16) + c,
     v_msad_u8=lambda a, b, c: sad(a, b, True) + c,
     v_sad_u16=lambda a, b, c: abs((a & 0xffff) - (b & 0xffff)) + abs((a >> 16) - (b >> 16)) + c,
     v_qsad_pk_u16_u8=quad(False), v_mqsad_pk_u16_u8=quad(True), v_perm_b32=perm)

for _t, _v in (("u32", lambda x: x), ("i32", s), ("u16", lambda x: x), ("i16", lambda x: s(x, 16))):
    MODELS[f"v_min3_{_t}"] = lambda a, b, c, v=_v: min(v(a), v(b), v(c))
    MODELS[f"v_max3_{_t}"] = lambda a, b, c, v=_v: max(v(a), v(b), v(c))
    MODELS[f"v_med3_{_t}"] = lambda a, b, c, v=_v: sorted((v(a), v(b), v(c)))[1]

# ---- 16 bits ----


def h(x):
    return s(x, 16)


rows(
    v_add_u16=lambda a, b: a + b, v_sub_u16=lambda a, b: a - b, v_subrev_u16=lambda a, b: b - a,
    v_add_i16=lambda a, b: a + b, v_sub_i16=lambda a, b: a - b, v_mul_lo_u16=lambda a, b: a * b,
    v_lshlrev_b16=lambda a, b: b << (a % 16), v_lshrrev_b16=lambda a, b: b >> (a % 16),
    v_ashrrev_i16=lambda a, b: h(b) >> (a % 16), v_min_u16=lambda a, b: min(a, b),
    v_max_u16=lambda a, b: max(a, b), v_min_i16=lambda a, b: min(h(a), h(b)),
    v_max_i16=lambda a, b: max(h(a), h(b)), v_mad_u16=lambda a, b, c: a * b + c, v_mad_i16=lambda a, b, c: a * b + c,
    v_mad_legacy_u16=lambda a, b, c: a * b + c, v_mad_legacy_i16=lambda a, b, c: a * b + c,
    v_mad_u32_u16=lambda a, b, c: a * b + c, v_mad_i32_i16=lambda a, b, c: h(a) * h(b) + c,
)


def packed(function):
    """On both halves; the test gives OP_SEL_HI all ones."""
    count = len(inspect.signature(function).parameters)

    def model(*x):
        low = function(*[v & 0xffff for v in x[:count]]) & 0xffff
        return low | (function(*[v >> 16 for v in x[:count]]) & 0xffff) << 16
    model.sources = count
    return model


for _name in ("add_u16", "sub_u16", "add_i16", "sub_i16", "mul_lo_u16", "lshlrev_b16", "lshrrev_b16", "ashrrev_i16", "mad_u16",
              "mad_i16", "min_i16", "max_i16"):
    MODELS["v_pk_" + _name] = packed(MODELS["v_" + _name])
MODELS["v_pk_min_u16"] = packed(lambda a, b: min(a, b))
MODELS["v_pk_max_u16"] = packed(lambda a, b: max(a, b))

# ---- comparisons ----
ORDER = {"f": lambda a, b: False, "lt": lambda a, b: a < b, "eq": lambda a, b: a == b, "le": lambda a, b: a <= b,
         "gt": lambda a, b: a > b, "ne": lambda a, b: a != b, "ge": lambda a, b: a >= b, "t": lambda a, b: True}
for _bits in (16, 32, 64):
    for _op, _f in ORDER.items():
        MODELS[f"v_cmp_{_op}_u{_bits}"] = _f
        MODELS[f"v_cmp_{_op}_i{_bits}"] = lambda a, b, f=_f, n=_bits: f(s(a, n), s(b, n))
REAL = {"f": lambda c: False, "lt": lambda c: c == "<", "eq": lambda c: c == "=", "le": lambda c: c in "<=",
        "gt": lambda c: c == ">", "lg": lambda c: c in "<>", "ge": lambda c: c in ">=", "o": lambda c: c != "?",
        "u": lambda c: c == "?", "nge": lambda c: c not in ">=", "nlg": lambda c: c not in "<>", "ngt": lambda c: c != ">",
        "nle": lambda c: c not in "<=", "neq": lambda c: c != "=", "nlt": lambda c: c != "<", "tru": lambda c: True}


def compared(fmt, a, b):
    if fmt.is_nan(a) or fmt.is_nan(b):
        return "?"
    if fmt.is_zero(a) and fmt.is_zero(b):
        return "="
    return "<" if fmt.key(a) < fmt.key(b) else ">" if fmt.key(a) > fmt.key(b) else "="


for _name, _fmt in (("f16", F16), ("f32", F32), ("f64", F64)):
    for _op, _f in REAL.items():
        MODELS[f"v_cmp_{_op}_{_name}"] = lambda a, b, f=_f, fmt=_fmt: f(compared(fmt, a, b))
    MODELS[f"v_cmp_class_{_name}"] = lambda a, b, fmt=_fmt: bool(fmt.class_bits(a) & b)
for _name in [n for n in MODELS if n.startswith("v_cmp_")]:
    MODELS[_name.replace("v_cmp_", "v_cmpx_")] = MODELS[_name]

# ---- floating point ----


def even(x):
    return round(x)  # Python's is to even


def med3(fmt):
    def model(a, b, c):
        if fmt.is_nan(a) or fmt.is_nan(b) or fmt.is_nan(c):
            return fmt.pick(fmt.pick(a, b, False), c, False)
        return sorted((a, b, c), key=fmt.key)[1]
    return model


def mad(fmt):
    """Rounded twice, without denormals. A NaN factor comes first."""
    def model(a, b, c):
        a, b, c = fmt.flush(a), fmt.flush(b), fmt.flush(c)
        return fmt.flush(fmt.add(fmt.flush(fmt.mul(a, b)), c))
    return model


def fract(fmt):
    def model(a):
        if fmt.is_nan(a):
            return a | fmt.quiet
        if fmt.is_inf(a):
            return fmt.nan
        value = fmt.value(a)
        zero = a if fmt.is_zero(a) and False else 0
        return min(fmt.round(value - floor(value), zero), fmt.round(Fraction(1)) - 1)
    return model


def div_fixup(fmt):
    def model(q, den, num):
        sign = (den ^ num) & fmt.sign
        if fmt.is_nan(num) or fmt.is_nan(den):
            return fmt.nan_of(num, den)
        if fmt.is_zero(den) and fmt.is_zero(num) or fmt.is_inf(den) and fmt.is_inf(num):
            return fmt.sign | fmt.nan
        if fmt.is_zero(den) or fmt.is_inf(num):
            return sign | fmt.inf
        if fmt.is_inf(den) or fmt.is_zero(num):
            return sign
        if fmt is not F16 and fmt.exponent(num) - fmt.exponent(den) < (-150 if fmt is F32 else -1075):
            return sign
        return sign | (fmt.inf if fmt.is_nan(q) else q & ~fmt.sign)
    return model


for _name, _fmt in (("f16", F16), ("f32", F32), ("f64", F64)):
    _add = {"add": _fmt.add, "mul": _fmt.mul, "fma": _fmt.fma, "ldexp": None,
            "min": lambda a, b, f=_fmt: f.pick(a, b, False), "max": lambda a, b, f=_fmt: f.pick(a, b, True),
            "trunc": lambda a, f=_fmt: f.integral(a, trunc), "ceil": lambda a, f=_fmt: f.integral(a, ceil),
            "floor": lambda a, f=_fmt: f.integral(a, floor), "rndne": lambda a, f=_fmt: f.integral(a, even),
            "fract": fract(_fmt), "frexp_mant": lambda a, f=_fmt: f.frexp(a)[0], "div_fixup": div_fixup(_fmt)}
    _add["ldexp"] = lambda a, b, f=_fmt: f.ldexp(a, s(b, 16 if f is F16 else 32))
    for _op, _f in _add.items():
        MODELS[f"v_{_op}_{_name}"] = _f
for _name, _fmt in (("f16", F16), ("f32", F32)):
    MODELS[f"v_sub_{_name}"] = _fmt.sub
    MODELS[f"v_subrev_{_name}"] = lambda a, b, f=_fmt: f.sub(b, a)
    MODELS[f"v_min3_{_name}"] = lambda a, b, c, f=_fmt: f.pick(f.pick(a, b, False), c, False)
    MODELS[f"v_max3_{_name}"] = lambda a, b, c, f=_fmt: f.pick(f.pick(a, b, True), c, True)
    MODELS[f"v_med3_{_name}"] = med3(_fmt)
    MODELS[f"v_mad_{_name}"] = mad(_fmt)
    MODELS[f"v_mac_{_name}"] = lambda a, b, old, f=_fmt: mad(f)(a, b, old & (1 << f.bits) - 1)


def legacy_mul(a, b):
    return 0 if F32.is_zero(a) or F32.is_zero(b) else F32.mul(a, b)


def legacy_mad(a, b, c):
    a, b, c = F32.flush(a), F32.flush(b), F32.flush(c)
    product = 0 if F32.is_zero(a) or F32.is_zero(b) else F32.mul(a, b)
    return F32.flush(F32.add(F32.flush(product), c))


def to_integer(fmt, how, low, high):
    def model(a):
        if fmt.is_nan(a):
            return 0
        if fmt.is_inf(a):
            return low if a & fmt.sign else high
        return clamp(how(fmt.value(a)), low, high)
    return model


def from_integer(fmt, convert):
    return lambda a: fmt.round(Fraction(convert(a)))


def normalised(fmt, low, high):
    def one(a):
        if fmt.is_nan(a):
            return 0
        value = Fraction(-9 if a & fmt.sign else 9) if fmt.is_inf(a) else fmt.value(a)
        return even(clamp(value, low, 1) * high) & 0xffff
    return one


def byte_of(a):
    if F32.is_nan(a):
        return 0
    value = Fraction(-999 if a & F32.sign else 999) if F32.is_inf(a) else F32.value(a)
    return even(clamp(value, 0, 255))


def products(bits, number):
    return lambda a, b, c: sum(number(a >> at, bits) * number(b >> at, bits) for at in range(0, 32, bits)) + c


def u(x, bits):
    return x & (1 << bits) - 1


def dot2(a, b, c):
    """Each product is exact; each sum is rounded. The test's values have no denormal singles but in c."""
    low, high = [F32.mul(F16.to(F32, x), F16.to(F32, y)) for x, y in ((a & 0xffff, b & 0xffff), (a >> 16, b >> 16))]
    return F32.flush(F32.add(F32.add(low, high), F32.flush(c)))


rows(v_fmac_f32=lambda a, b, old: F32.fma(a, b, old), v_dot2_i32_i16=products(16, s), v_dot2_u32_u16=products(16, u),
     v_dot4_i32_i8=products(8, s), v_dot4_u32_u8=products(8, u), v_dot8_i32_i4=products(4, s), v_dot8_u32_u4=products(4, u),
     v_dot2_f32_f16=dot2)
# The same with the old destination as what is added.
rows(v_dot2c_f32_f16=lambda a, b, old: dot2(a, b, old), v_dot2c_i32_i16=lambda a, b, old: products(16, s)(a, b, old),
     v_dot4c_i32_i8=lambda a, b, old: products(8, s)(a, b, old), v_dot8c_i32_i4=lambda a, b, old: products(4, s)(a, b, old),
     v_pk_fmac_f16=lambda a, b, old: F16.fma(a & 0xffff, b & 0xffff, old & 0xffff) | F16.fma(a >> 16, b >> 16, old >> 16) << 16)
I32, U32 = (-1 << 31, (1 << 31) - 1), (0, M32)
rows(
    v_mul_legacy_f32=legacy_mul, v_mad_legacy_f32=legacy_mad, v_madmk_f32=mad(F32), v_madak_f32=mad(F32),
    v_madmk_f16=mad(F16), v_madak_f16=mad(F16), v_mad_legacy_f16=mad(F16), v_fma_legacy_f16=F16.fma,
    v_div_fixup_legacy_f16=div_fixup(F16),
    v_frexp_exp_i32_f32=lambda a: F32.frexp(a)[1], v_frexp_exp_i32_f64=lambda a: F64.frexp(a)[1],
    v_frexp_exp_i16_f16=lambda a: F16.frexp(a)[1],
    v_cvt_i32_f32=to_integer(F32, trunc, *I32), v_cvt_u32_f32=to_integer(F32, trunc, *U32),
    v_cvt_rpi_i32_f32=to_integer(F32, lambda x: floor(x + Fraction(1, 2)), *I32),
    v_cvt_flr_i32_f32=to_integer(F32, floor, *I32), v_cvt_i32_f64=to_integer(F64, trunc, *I32),
    v_cvt_u32_f64=to_integer(F64, trunc, *U32), v_cvt_i16_f16=to_integer(F16, trunc, -0x8000, 0x7fff),
    v_cvt_u16_f16=to_integer(F16, trunc, 0, 0xffff), v_cvt_f32_i32=from_integer(F32, s), v_cvt_f32_u32=from_integer(F32, int),
    v_cvt_f64_i32=from_integer(F64, s), v_cvt_f64_u32=from_integer(F64, int), v_cvt_f16_i16=from_integer(F16, h),
    v_cvt_f16_u16=from_integer(F16, int), v_cvt_f32_ubyte0=from_integer(F32, lambda a: a & 255),
    v_cvt_f32_ubyte1=from_integer(F32, lambda a: a >> 8 & 255), v_cvt_f32_ubyte2=from_integer(F32, lambda a: a >> 16 & 255),
    v_cvt_f32_ubyte3=from_integer(F32, lambda a: a >> 24), v_cvt_off_f32_i4=lambda a: F32.round(Fraction(s(a, 4), 16)),
    v_cvt_f16_f32=lambda a: F32.to(F16, a), v_cvt_f32_f16=lambda a: F16.to(F32, a), v_cvt_f64_f32=lambda a: F32.to(F64, a),
    v_cvt_f32_f64=lambda a: F64.to(F32, a),
    v_cvt_pkrtz_f16_f32=lambda a, b: F32.to(F16, a, "zero") | F32.to(F16, b, "zero") << 16,
    v_cvt_pk_u8_f32=lambda a, b, c: c & ~(255 << 8 * (b % 4)) | byte_of(a) << 8 * (b % 4),
    v_cvt_pkaccum_u8_f32=lambda a, b, old: old & ~(255 << 8 * (b % 4)) | byte_of(a) << 8 * (b % 4),
    v_cvt_norm_i16_f16=normalised(F16, -1, 32767), v_cvt_norm_u16_f16=normalised(F16, 0, 65535),
    v_rcp_f64=lambda a: F64.div(F64.round(Fraction(1)), a), v_sqrt_f64=F64.sqrt,
    v_rcp_f16=lambda a: F16.div(F16.round(Fraction(1)), a), v_sqrt_f16=F16.sqrt,
)
for _name, _fmt, _low, _high in (("i16_f32", F32, -1, 32767), ("u16_f32", F32, 0, 65535), ("i16_f16", F16, -1, 32767),
                                 ("u16_f16", F16, 0, 65535)):
    MODELS["v_cvt_pknorm_" + _name] = lambda a, b, n=normalised(_fmt, _low, _high): n(a) | n(b) << 16
for _name in ("add", "mul", "fma", "min", "max"):
    _f = MODELS[f"v_{_name}_f16"]
    MODELS[f"v_pk_{_name}_f16"] = packed(_f if _name != "fma" else (lambda a, b, c: F16.fma(a, b, c)))
rows(v_fmac_f64=lambda a, b, old: F64.fma(a, b, old), v_pk_mov_b32=lambda a, b: a & M32 | (b & M32) << 32,
     v_pk_fma_f32=lambda a, b, c: F32.fma(a & M32, b & M32, c & M32) | F32.fma(a >> 32, b >> 32, c >> 32) << 32,
     v_pk_mul_f32=lambda a, b: F32.mul(a & M32, b & M32) | F32.mul(a >> 32, b >> 32) << 32,
     v_pk_add_f32=lambda a, b: F32.add(a & M32, b & M32) | F32.add(a >> 32, b >> 32) << 32)
MODELS["v_pk_add_f16"] = packed(lambda a, b: F16.add(a, b))
MODELS["v_pk_mul_f16"] = packed(lambda a, b: F16.mul(a, b))
MODELS["v_pk_min_f16"] = packed(lambda a, b: F16.pick(a, b, False))
MODELS["v_pk_max_f16"] = packed(lambda a, b: F16.pick(a, b, True))


def cube(x, y, z):
    """(face, s, t, twice the major axis) of a direction; a NaN is never larger."""
    nan = F32.is_nan
    size = lambda v: F32.inf if F32.is_inf(v) else F32.value(v & ~F32.sign)
    at_least = lambda p, q: not nan(p) and not nan(q) and (F32.is_inf(p) or not F32.is_inf(q) and size(p) >= size(q))
    negative = lambda v: not nan(v) and not F32.is_zero(v) and bool(v & F32.sign)
    minus = lambda v: v ^ F32.sign
    if at_least(z, x) and at_least(z, y):
        face = 4 + negative(z), minus(x) if negative(z) else x, minus(y), z
    elif at_least(y, x):
        face = 2 + negative(y), x, minus(z) if negative(y) else z, y
    else:
        face = negative(x), z if negative(x) else minus(z), minus(y), x
    return F32.round(Fraction(int(face[0]))), face[1], face[2], F32.add(face[3], face[3])


for _i, _name in enumerate(("id", "sc", "tc", "ma")):
    MODELS[f"v_cube{_name}_f32"] = lambda a, b, c, i=_i: cube(a, b, c)[i]


def of_f8(kind, bits):
    """gfx942's numbers of 8 bits, exactly: 0x80 is none (None)."""
    places, bias = (3, 8) if kind == "fp8" else (2, 16)
    exponent, fraction = (bits & 0x7f) >> places, bits & (1 << places) - 1
    size = Fraction(fraction + (exponent > 0) * (1 << places)) * Fraction(2) ** (max(exponent, 1) - bias - places)
    return None if bits == 0x80 else -size if bits & 0x80 else size


F8 = {kind: [of_f8(kind, n) for n in range(128)] for kind in ("fp8", "bf8")}


def to_f8(kind, x):
    """A single's bits as the nearest of them, the even one of two; what is beyond, and no number, is 0x80; so would be -0, which is 0."""
    if x & 0x7fffffff >= 0x7f800000:
        return 0x80
    size, sizes = abs(F32.value(x)), F8[kind]
    if size - sizes[-1] >= (sizes[-1] - sizes[-2]) / 2:
        return 0x80
    code = min(range(128), key=lambda n: (abs(sizes[n] - size), n & 1))
    return code | (x >> 31 << 7 if code else 0)


def single_of_f8(kind, bits):
    value = of_f8(kind, bits & 0xff)
    return F32.nan if value is None else F32.round(value)


def stirred(kind, x, random, old):
    """The upper random bits are added below the last place that stays; the byte is the lowest."""
    exponent, fraction = x >> 23 & 255, x & 0x7fffff
    places, least = (3, 120) if kind == "fp8" else (2, 112)
    below = 23 - places + max(0, least - exponent)
    if exponent == 255:
        return old & ~0xff | 0x80
    if below > 23 + places:
        return old & ~0xff
    size = ((fraction | 0x800000) + (random >> 32 - below) >> below) * Fraction(2) ** (below + exponent - 150)
    sizes = F8[kind]
    code = max(n for n in range(128) if sizes[n] <= size) if size < sizes[-1] * 2 - sizes[-2] else 0x80
    return old & ~0xff | code | (x >> 31 << 7 if code else 0)


for _kind in ("fp8", "bf8"):
    rows(**{f"v_cvt_f32_{_kind}": lambda a, k=_kind: single_of_f8(k, a), f"v_cvt_pk_{_kind}_f32": lambda a, b, k=_kind: to_f8(k, a) | to_f8(k, b) << 8,
            f"v_cvt_pk_f32_{_kind}": lambda a, k=_kind: single_of_f8(k, a) | single_of_f8(k, a >> 8) << 32,
            f"v_cvt_sr_{_kind}_f32": lambda a, b, old, k=_kind: stirred(k, a, b, old)})
rows(v_mov_b64=lambda a: a, v_lshl_add_u64=lambda a, b, c: (a << b % 8) + c, v_fmamk_f32=F32.fma, v_fmaak_f32=F32.fma)
