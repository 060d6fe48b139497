"""Floating point of 16, 32 and 64 bits in exact fractions: what IEEE 754 and the Vega manual say, without any host's."""
from fractions import Fraction
from math import isqrt


class Format:
    """One binary format. Values are bit patterns; operations return (bits)."""

    def __init__(self, ebits, fbits):
        self.ebits, self.fbits = ebits, fbits
        self.bits = 1 + ebits + fbits
        self.bias = (1 << (ebits - 1)) - 1
        self.sign = 1 << (self.bits - 1)
        self.inf = ((1 << ebits) - 1) << fbits
        self.quiet = 1 << (fbits - 1)
        self.nan = self.inf | self.quiet
        self.least = 1 - self.bias - fbits  # exponent of the least denormal

    def exponent(self, x):
        return (x & ~self.sign) >> self.fbits

    def is_nan(self, x):
        return (x & ~self.sign) > self.inf

    def is_snan(self, x):
        return self.is_nan(x) and not x & self.quiet

    def is_inf(self, x):
        return (x & ~self.sign) == self.inf

    def is_zero(self, x):
        return not x & ~self.sign

    def is_denormal(self, x):
        return not self.exponent(x) and not self.is_zero(x)

    def flush(self, x):
        return x & self.sign if self.is_denormal(x) else x

    def value(self, x):
        """Of a finite number."""
        fraction, exponent = x & ((1 << self.fbits) - 1), self.exponent(x)
        if exponent:
            fraction |= 1 << self.fbits
        magnitude = Fraction(fraction) * Fraction(2) ** (max(exponent, 1) - self.bias - self.fbits)
        return -magnitude if x & self.sign else magnitude

    def round(self, value, zero=0, mode="even"):
        """The number for an exact value; `zero`: the sign bit if it is 0."""
        if value == 0:
            return zero & self.sign
        sign = self.sign if value < 0 else 0
        magnitude = abs(value)
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if magnitude < Fraction(2) ** exponent:
            exponent -= 1
        unit = max(exponent - self.fbits, self.least)
        scaled = magnitude / Fraction(2) ** unit
        whole, rest = divmod(scaled.numerator, scaled.denominator)
        rest = Fraction(rest, scaled.denominator)
        up = {"even": rest > Fraction(1, 2) or rest == Fraction(1, 2) and whole & 1,
              "up": rest > 0 and not sign, "down": rest > 0 and sign, "zero": False}[mode]
        whole += bool(up)
        if whole >> (self.fbits + 1):
            whole >>= 1
            unit += 1
        if not whole >> self.fbits:
            return sign | whole  # denormal, or it became the least normal number
        biased = unit + self.fbits + self.bias
        if biased >= (1 << self.ebits) - 1:
            away = {"even": True, "up": not sign, "down": bool(sign), "zero": False}[mode]
            return sign | (self.inf if away else self.inf - 1)
        return sign | biased << self.fbits | whole & ((1 << self.fbits) - 1)

    def nan_of(self, *sources):
        """The first NaN source, quieted; None if there is none."""
        for x in sources:
            if self.is_nan(x):
                return x | self.quiet
        return None

    def add(self, a, b, mode="even"):
        nan = self.nan_of(a, b)
        if nan is not None:
            return nan
        if self.is_inf(a) or self.is_inf(b):
            if self.is_inf(a) and self.is_inf(b) and a != b:
                return self.nan
            return a if self.is_inf(a) else b
        down = self.sign if mode == "down" else 0
        zero = a if self.is_zero(a) and a == b else down if (a ^ b) & self.sign or not self.is_zero(a) else a
        return self.round(self.value(a) + self.value(b), zero, mode)

    def sub(self, a, b, mode="even"):
        return self.nan_of(a, b) if self.nan_of(a, b) is not None else self.add(a, b ^ self.sign, mode)

    def mul(self, a, b, mode="even"):
        nan = self.nan_of(a, b)
        if nan is not None:
            return nan
        sign = (a ^ b) & self.sign
        if self.is_inf(a) or self.is_inf(b):
            return self.nan if self.is_zero(a) or self.is_zero(b) else sign | self.inf
        return self.round(self.value(a) * self.value(b), sign, mode)

    def fma(self, a, b, c, mode="even"):
        nan = self.nan_of(a, b, c)
        if nan is not None:
            return nan
        sign = (a ^ b) & self.sign
        if self.is_inf(a) or self.is_inf(b):
            if self.is_zero(a) or self.is_zero(b) or self.is_inf(c) and (c & self.sign) != sign:
                return self.nan
            return sign | self.inf
        if self.is_inf(c):
            return c
        product, addend = self.value(a) * self.value(b), self.value(c)
        same = product == 0 and addend == 0 and sign == c & self.sign
        zero = sign if same else self.sign if mode == "down" else 0
        return self.round(product + addend, zero, mode)

    def div(self, a, b):
        nan = self.nan_of(a, b)
        if nan is not None:
            return nan
        sign = (a ^ b) & self.sign
        if self.is_inf(a) and self.is_inf(b) or self.is_zero(a) and self.is_zero(b):
            return self.nan
        if self.is_inf(a) or self.is_zero(b):
            return sign | self.inf
        return sign if self.is_inf(b) else self.round(self.value(a) / self.value(b), sign)

    def sqrt(self, a):
        if self.is_nan(a):
            return a | self.quiet
        if self.is_zero(a):
            return a
        if a & self.sign:
            return self.nan
        if self.is_inf(a):
            return a
        value, scale = self.value(a), 400 + 2 * self.bias
        root = isqrt((value * 4 ** scale).numerator // (value * 4 ** scale).denominator)
        exact = Fraction(root, 2 ** scale)
        return self.round(exact if exact * exact == value else exact + Fraction(1, 2 ** (scale + 1)))

    def to(self, other, a, mode="even"):
        """The same number in another format."""
        sign = other.sign if a & self.sign else 0
        if self.is_nan(a):
            fraction = a & ((1 << self.fbits) - 1)
            moved = fraction << (other.fbits - self.fbits) if other.fbits >= self.fbits \
                else fraction >> (self.fbits - other.fbits)
            return sign | other.nan | moved
        if self.is_inf(a):
            return sign | other.inf
        return other.round(self.value(a), sign, mode)

    def key(self, x):
        """Numbers in their order; -0 below 0."""
        return -(x & ~self.sign) - 1 if x & self.sign else x

    def pick(self, a, b, greatest):
        """V_MIN and V_MAX in IEEE mode."""
        for x in (a, b):
            if self.is_snan(x):
                return x | self.quiet
        if self.is_nan(a):
            return b
        if self.is_nan(b):
            return a
        return (max if greatest else min)(a, b, key=self.key)

    def ldexp(self, a, n, mode="even"):
        if self.is_nan(a):
            return a | self.quiet
        if self.is_inf(a) or self.is_zero(a):
            return a
        return self.round(self.value(a) * Fraction(2) ** max(min(n, 6000), -6000), a & self.sign, mode)

    def integral(self, a, how):
        """Rounded to an integer by a function of a fraction."""
        if self.is_nan(a):
            return a | self.quiet
        if self.is_inf(a) or self.is_zero(a):
            return a
        return self.round(Fraction(how(self.value(a))), a & self.sign)

    def frexp(self, a):
        """(mantissa of [0.5, 1), exponent)."""
        if self.is_nan(a) or self.is_inf(a):
            return (a | self.quiet if self.is_nan(a) else a), 0
        if self.is_zero(a):
            return a, 0
        value, exponent = abs(self.value(a)), 0
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        while value >= Fraction(2) ** exponent:
            exponent += 1
        while value < Fraction(2) ** (exponent - 1):
            exponent -= 1
        return self.round(self.value(a) / Fraction(2) ** exponent), exponent

    def class_bits(self, a):
        if self.is_nan(a):
            return 1 if self.is_snan(a) else 2
        kind = 3 if self.is_inf(a) else 0 if self.is_zero(a) else 1 if self.is_denormal(a) else 2
        return 1 << (5 - kind) if a & self.sign else 1 << (6 + kind)


F16, F32, F64 = Format(5, 10), Format(8, 23), Format(11, 52)
