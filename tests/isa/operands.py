"""Operand tables: corner values against corner values, then random ones from a fixed seed.

A table is a list of tuples of three 64-bit numbers. Its length is a multiple of 128, so that
any number of lanes shares it evenly.
"""
import random

MASK64 = (1 << 64) - 1


def pad(rows):
    """Repeats the first rows until the length is a multiple of 128."""
    rows = list(rows)
    while len(rows) % 128:
        rows.append(rows[len(rows) % 61])
    return rows


def integers(xlen):
    """Pairs of integers for ALU instructions; the third is one more of the same."""
    top = 1 << (xlen - 1)
    corners = [0, 1, 2, 3, -1, -2, top, top - 1, top + 1, 0x7FFFFFFF, 0x80000000, 31, 32, 63, 0x55555555]
    if xlen == 64:
        corners += [0xFFFFFFFF, 0x100000000, 0xFFFFFFFF80000000, 0x7FFFFFFF80000000]
    rng = random.Random(0x5EED)
    rows = [(a, b, a ^ b) for a in corners for b in corners]
    while len(rows) < 500:
        row = [rng.getrandbits(rng.randrange(1, xlen + 1)) for _ in range(3)]
        row = [-v if rng.randrange(2) else v for v in row]
        if rng.randrange(8) == 0:
            row[1] = row[0]
        rows.append(tuple(row))
    return pad(tuple(v & ((1 << xlen) - 1) for v in row) for row in rows)


def few_integers(xlen):
    """A short table of pairs, for instructions whose lanes must agree."""
    top = 1 << (xlen - 1)
    corners = [0, 1, -1, top, top - 1, 0x7FFFFFFF, 0x80000000, 0xA5]
    rows = [(a, b, b) for a in corners for b in corners]
    rng = random.Random(0xFEED)
    rows += [(rng.getrandbits(xlen), rng.getrandbits(xlen), rng.getrandbits(8)) for _ in range(64)]
    return pad(tuple(v & ((1 << xlen) - 1) for v in row) for row in rows)


def bytes_of_memory():
    """Eight random bytes each: what loads, stores and atomics meet."""
    rng = random.Random(0xB17E5)
    corners = [0, MASK64, 0x8000000000000000, 0x7FFFFFFFFFFFFFFF, 0x8000000080000000, 0x7F807F807F807F80,
               0x0000000100000001, 0xFFFFFFFF00000000]
    rows = [(a, b, b) for a in corners for b in corners]
    rows += [tuple(rng.getrandbits(64) for _ in range(3)) for _ in range(192)]
    return pad(rows)


class Format:
    """A binary floating-point format."""

    def __init__(self, exp_bits, frac_bits):
        self.exp_bits, self.frac_bits = exp_bits, frac_bits
        self.width = 1 + exp_bits + frac_bits
        self.bias = (1 << (exp_bits - 1)) - 1

    def make(self, sign, biased, fraction):
        """An encoding from its three fields."""
        return (sign << (self.width - 1)) | (biased << self.frac_bits) | fraction

    def box(self, bits):
        """NaN-boxed in a 64-bit register."""
        return bits if self.width == 64 else bits | (MASK64 & ~((1 << self.width) - 1))

    def corners(self):
        """Encodings on both sides of everything that an operation tells apart."""
        top, ones, bias = (1 << self.exp_bits) - 1, (1 << self.frac_bits) - 1, self.bias
        quiet = 1 << (self.frac_bits - 1)
        positive = [
            (0, 0), (0, 1), (0, ones), (1, 0), (1, 1), (bias - self.frac_bits - 1, 0), (bias - 1, 0),
            (bias, 0), (bias, 1), (bias, ones), (bias + 1, 1 << (self.frac_bits - 2)), (top - 1, 0),
            (top - 1, ones), (top, 0), (top, 1), (top, quiet), (top, quiet | 5),
        ]
        return [self.make(sign, e, f) for sign in (0, 1) for e, f in positive]

    def random_fraction(self, rng):
        """Random, or with long runs of equal bits."""
        ones = (1 << self.frac_bits) - 1
        shift = rng.randrange(self.frac_bits + 1)
        return [rng.getrandbits(self.frac_bits), (ones << shift) & ones, ones >> shift,
                (1 << shift) & ones][rng.randrange(4)]

    def random_row(self, rng):
        """Three operands whose exponents are near one another, or near an end of the range."""
        top = 1 << self.exp_bits
        centre = rng.randrange(top)
        near = rng.randrange(4)
        row = []
        for _ in range(3):
            if near == 0:
                exp = rng.randrange(top)
            elif near == 1:
                exp = (centre + rng.randrange(4)) % top
            elif near == 2:
                exp = (centre + rng.randrange(2 * self.frac_bits)) % top
            else:
                exp = rng.choice([rng.randrange(self.frac_bits + 4), self.bias + rng.randrange(-2, 3)])
            row.append(self.make(rng.randrange(2), exp, self.random_fraction(rng)))
        return row


SINGLE = Format(8, 23)
DOUBLE = Format(11, 52)


def floats(fmt):
    """Operand pairs and triples: the third operand is a corner or nearly cancels the product."""
    rng = random.Random(0xF10A7 + fmt.width)
    corners = fmt.corners()
    rows = [[a, b, rng.choice(corners)] for a in corners for b in corners]
    top, one = (1 << fmt.exp_bits) - 1, fmt.make(0, fmt.bias, 0)
    special = [0, one, fmt.make(1, fmt.bias, 0), fmt.make(1, 0, 0), fmt.make(0, top, 0), fmt.make(1, top, 0),
               fmt.make(0, top, 1), fmt.make(0, top, 1 << (fmt.frac_bits - 1))]
    rows += [[a, b, c] for a in special for b in special for c in special]
    while len(rows) < 2040:
        row = fmt.random_row(rng)
        if rng.randrange(4) == 0:
            # a * b + c with c near -(a * b)
            exp = ((row[0] >> fmt.frac_bits) + (row[1] >> fmt.frac_bits) - fmt.bias) % (1 << fmt.exp_bits)
            product = ((row[0] & ((1 << fmt.frac_bits) - 1)) | 1 << fmt.frac_bits) * (
                (row[1] & ((1 << fmt.frac_bits) - 1)) | 1 << fmt.frac_bits)
            carry = product.bit_length() - 2 * fmt.frac_bits - 1
            fraction = (product >> (fmt.frac_bits + carry)) & ((1 << fmt.frac_bits) - 1)
            sign = ((row[0] ^ row[1]) >> (fmt.width - 1) & 1) ^ 1
            row[2] = fmt.make(sign, (exp + carry) % (1 << fmt.exp_bits), fraction)
        rows.append(row)
    rows = [tuple(fmt.box(v) for v in row) for row in rows]
    if fmt.width == 32:
        # A narrower value that is not NaN-boxed counts as the canonical NaN.
        rows += [(0x3F800000, fmt.box(0x3F800000), fmt.box(0x40000000)),
                 (fmt.box(0x3F800000), 0xFFFFFFFE3F800000, fmt.box(0x40000000)),
                 (fmt.box(0x3F800000), fmt.box(0x3F800000), 0x7FFFFFFF40000000),
                 (0x3FF0000000000000, 0x0000000080000000, 0)]
    return pad(rows)


def float_singles(fmt):
    """One operand: corners, values around every integer limit, halves, random."""
    rng = random.Random(0x51461E + fmt.width)
    rows = list(fmt.corners())
    for power in (0, 1, 7, 8, 15, 16, 23, 24, 30, 31, 32, 33, 52, 53, 62, 63, 64, 65):
        for sign in (0, 1):
            base = fmt.make(sign, fmt.bias + power, 0)
            rows += [base - 1, base, base + 1, base | 1 << (fmt.frac_bits - 1)]
            if power <= fmt.frac_bits:
                half = 1 << max(fmt.frac_bits - power - 1, 0)
                rows += [base | half, (base | half) - 1, (base | half) + 1]
    while len(rows) < 760:
        exp = rng.choice([rng.randrange(1 << fmt.exp_bits), fmt.bias + rng.randrange(-3, 67)])
        rows.append(fmt.make(rng.randrange(2), exp, fmt.random_fraction(rng)))
    if fmt.width == 64:
        # What rounds to binary32 at the ends of its range.
        for _ in range(256):
            exp = 1023 + rng.choice([rng.randrange(-152, -120), rng.randrange(124, 130)])
            rows.append(fmt.make(rng.randrange(2), exp, fmt.random_fraction(rng)))
        for keep in (29, 28, 30):
            for low in (0, 1 << (keep - 1), (1 << (keep - 1)) - 1, (1 << (keep - 1)) + 1, (1 << keep) - 1):
                rows.append(fmt.make(0, 1023 + 127, ((1 << 52) - 1) & ~((1 << keep) - 1) | low))
                rows.append(fmt.make(1, 1023 - 127, ((1 << 52) - 1) & ~((1 << keep) - 1) | low))
    boxed = [(fmt.box(v), fmt.box(v), fmt.box(v)) for v in rows]
    if fmt.width == 32:
        boxed += [(v, v, v) for v in (0x3F800000, 0x7FC0000000000000, 0xFFFFFFFE40400000)]
    return pad(boxed)


def all_tables(xlen):
    """Every table by its name in the programs."""
    return {
        "ints": integers(xlen),
        "few": few_integers(xlen),
        "memory": bytes_of_memory(),
        "single": floats(SINGLE),
        "double": floats(DOUBLE),
        "single1": float_singles(SINGLE),
        "double1": float_singles(DOUBLE),
    }
