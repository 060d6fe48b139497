"""Which bits of results are defined (check/definedness.h), for all operands: each bit of which is 0, 1 or undefined. A model of it has for each bit two sets
of cases, in which it can be 0 and can be 1; a set is a number with a bit for each case.

    test_definedness.py BITS        all operands of so many bits, by hand: 8 takes half a minute
"""
import functools
import re
import subprocess
import sys

import pytest

import checks
from sanitizer import ROOT

BITS = 5


@functools.cache
def numbers():
    """{name: number} of operations."""
    text = (ROOT / "src" / "emulator" / "machine" / "meaning.def").read_text()
    return {name: n for n, name in enumerate(dict.fromkeys(re.findall(r"^OP\((\w+)", text, re.M)), 1)}


def results(operation, bits, digits, constant=(), ends=False):
    """The sets of cases in which each bit of the result, and then the carry, is undefined. `constant`: sources behind those; `ends`: the digits are the lowest
    and the highest bits of sources."""
    constants = ",".join(map(str, constant if isinstance(constant, tuple) else (constant,)))
    program = checks.built("definedness", "gcc", "-O2", f"-I{ROOT}/src", f"-I{ROOT}/include", checks.HERE / "definedness.c", ROOT / "src" / "check" / "definedness.c")
    done = subprocess.run([program, str(numbers()[operation]), str(bits), ",".join(map(str, digits)), constants, "ends" * ends], capture_output=True, check=True)
    size = len(done.stdout) // (bits + 1)
    return [int.from_bytes(done.stdout[k * size:(k + 1) * size], "little") for k in range(bits + 1)]


def repeated(pattern, length, cases):
    while length < cases:
        pattern |= pattern << length
        length *= 2
    return pattern & ((1 << cases) - 1)


def sources(digits):
    """Each source's bits as (can be 0, can be 1)."""
    cases, made, unit = 3 ** sum(digits), [], 1
    for count in digits:
        source = []
        for _ in range(count):
            run = (1 << unit) - 1
            zero, one = run | run << 2 * unit, run << unit | run << 2 * unit
            source.append((repeated(zero, 3 * unit, cases), repeated(one, 3 * unit, cases)))
            unit *= 3
        made.append(source)
    return made


def both(a, b):
    return a[0] | b[0], a[1] & b[1]


def either(a, b):
    return a[0] & b[0], a[1] | b[1]


def inverse(a):
    return a[1], a[0]


def differ(a, b):
    return (a[0] & b[0]) | (a[1] & b[1]), (a[0] & b[1]) | (a[1] & b[0])


def majority(a, b, c):
    return tuple((a[k] & b[k]) | (a[k] & c[k]) | (b[k] & c[k]) for k in (0, 1))


def total(a, b, carry):
    made = []
    for x, y in zip(a, b):
        made.append(differ(differ(x, y), carry))
        carry = majority(x, y, carry)
    return made, carry


def difference(a, b, all_cases):
    """And the borrow."""
    made, carry = total(a, [inverse(bit) for bit in b], (0, all_cases))
    return made, inverse(carry)


def equal(a, b, all_cases):
    made = (0, all_cases)
    for x, y in zip(a, b):
        made = both(made, inverse(differ(x, y)))
    return made


def less(a, b, all_cases):
    made = (all_cases, 0)
    for x, y in zip(a, b):
        same = (x[0] & y[0]) | (x[1] & y[1])
        made = ((x[1] & y[0]) | (same & made[0]), (x[0] & y[1]) | (same & made[1]))
    return made


def signed(a):
    return a[:-1] + [inverse(a[-1])]


def shifted(how, a, by, all_cases):
    """By each amount that is possible."""
    bits = len(a)
    made = [(0, 0)] * bits
    for amount in range(bits):
        possible = all_cases
        for k, bit in enumerate(by):
            possible &= bit[amount >> k & 1]
        fill = a[-1] if how == "SAR" else (all_cases, 0)
        for i in range(bits):
            at = i - amount if how == "SHL" else i + amount
            bit = a[at] if 0 <= at < bits else fill
            made[i] = tuple(made[i][k] | (possible & bit[k]) for k in (0, 1))
    return made


def undefined(bits):
    return [zero & one for zero, one in bits]


LOGIC = {"AND": both, "OR": either, "XOR": differ}
COMPARISONS = ["EQ", "NE", "LT", "LT_S", "LE", "LE_S"]


def check_logic(operation, bits):
    a, b = sources((bits, bits))
    assert results(operation, bits, (bits, bits))[:bits] == undefined(map(LOGIC[operation], a, b))


def check_sum(operation, bits):
    (a, b), cases = sources((bits, bits)), (1 << 9 ** bits) - 1
    made, carry = total(a, b, (cases, 0)) if operation == "ADD" else difference(a, b, cases)
    assert results(operation, bits, (bits, bits)) == undefined([*made, carry])


def check_comparison(operation, bits):
    (a, b), cases = sources((bits, bits)), (1 << 9 ** bits) - 1
    if operation.endswith("_S"):
        a, b = signed(a), signed(b)
    if operation in ("EQ", "NE"):
        truth = equal(a, b, cases)
    else:
        truth = less(a, b, cases) if "LT" in operation else less(b, a, cases)
    assert results(operation, bits, (bits, bits))[0] == truth[0] & truth[1]


@pytest.mark.parametrize("operation", LOGIC)
def test_logic(operation, bits=BITS):
    check_logic(operation, bits)


@pytest.mark.parametrize("operation", ["ADD", "SUB"])
def test_sums(operation, bits=BITS):
    check_sum(operation, bits)


@pytest.mark.parametrize("operation", COMPARISONS)
def test_comparisons(operation, bits=BITS):
    check_comparison(operation, bits)


@pytest.mark.parametrize("operation", ["SHL", "SHR", "SAR"])
def test_shifts(operation):
    (a, by), cases = sources((8, 3)), (1 << 3 ** 11) - 1
    assert results(operation, 8, (8, 3))[:8] == undefined(shifted(operation, a, by, cases))


def test_a_carry_is_a_source_of_its_own():
    (a, b, carry), bits = sources((4, 4, 1)), 4
    made, out = total(a, b, carry[0])
    assert results("ADD", bits, (4, 4, 1)) == undefined([*made, out])
    made, out = total(a, [inverse(bit) for bit in b], inverse(carry[0]))
    assert results("SUB", bits, (4, 4, 1)) == undefined([*made, inverse(out)])


def test_choices():
    """Bit by bit, and by one bit for all."""
    mask, a, b = sources((3, 3, 3))
    assert results("LOGIC", 3, (3, 3, 3), constant=0xca)[:3] == undefined(tuple((m[1] & x[k]) | (m[0] & y[k]) for k in (0, 1)) for m, x, y in zip(mask, a, b))
    bit, a, b = sources((1, 5, 5))
    assert results("SELECT", 5, (1, 5, 5))[:5] == undefined(tuple((bit[0][1] & x[k]) | (bit[0][0] & y[k]) for k in (0, 1)) for x, y in zip(a, b))


def chosen_by(amounts, results, all_cases):
    """The bits of what each amount gives, of those that are possible: {(amount of a source, ...): bits}."""
    made = [(0, 0)] * len(next(iter(results.values())))
    for values, bits in results.items():
        possible = all_cases
        for source, value in zip(amounts, values):
            for k, bit in enumerate(source):
                possible &= bit[value >> k & 1]
        made = [tuple(old[k] | (possible & bit[k]) for k in (0, 1)) for old, bit in zip(made, bits)]
    return made


@pytest.mark.parametrize("operation", ["SHL_OUT", "SHR_OUT", "SAR_OUT"])
def test_shifts_beyond_the_width(operation):
    """An amount has more bits than it takes to shift all out."""
    (a, by), cases, bits = sources((5, 4)), (1 << 3 ** 9) - 1, 5
    zero, fill = (cases, 0), a[-1] if "SAR" in operation else (cases, 0)
    moved = {(n,): [a[i - n] if i >= n else zero for i in range(bits)] if "SHL" in operation else [a[i + n] if i + n < bits else fill for i in range(bits)]
             for n in range(16)}
    assert results(operation, bits, (bits, 4))[:bits] == undefined(chosen_by([by], moved, cases))


def test_tables():
    (a, b, c), bits = sources((2, 2, 2)), 2
    for table in (0x80, 0x96, 0xca, 0xe8, 0x1b, 0xf0):
        made = []
        for x, y, z in zip(a, b, c):
            can = [0, 0]
            for i in range(8):
                can[table >> i & 1] |= x[i >> 2 & 1] & y[i >> 1 & 1] & z[i & 1]
            made.append(tuple(can))
        assert results("LOGIC", bits, (bits, bits, bits), constant=table)[:bits] == undefined(made)


def known(bits, value, all_cases):
    return [(0, all_cases) if value >> k & 1 else (all_cases, 0) for k in range(bits)]


@pytest.mark.parametrize("first, count", [(0, 5), (1, 3), (4, 4), (2, 0), (6, 2), (0, 9)])
def test_parts(first, count):
    """Extracted, with zeros or a sign; an end beyond the number is its end."""
    bits, cases = 5, (1 << 3 ** 5) - 1
    a, = sources((bits,))
    room = min(count, max(0, bits - first))
    field = [a[first + k] for k in range(room)]
    sign = a[min(first + count, bits) - 1] if count else (cases, 0)
    for operation, fill in (("FIELD", (cases, 0)), ("FIELD_S", sign)):
        assert results(operation, bits, (bits,), constant=(first, count))[:bits] == undefined(field + [fill] * (bits - room)), operation


def test_bytes_that_nibbles_pick():
    """Of bytes with few bits that vary: the lowest and the highest one of each word."""
    a, b = sources((2, 2))
    cases = (1 << 3 ** 4) - 1
    word = [[x[0], *known(30, 0, cases), x[1]] for x in (a, b)]
    for picks in (0x3210, 0x7654, 0x0437, 0xbf84, 0x3b3b):
        made = []
        for i in range(4):
            number = picks >> 4 * i & 15
            byte = word[number >> 2 & 1][8 * (number & 3):8 * (number & 3) + 8]
            made += [byte[7]] * 8 if number & 8 else byte
        assert results("PICK", 32, (2, 2), constant=picks, ends=True)[:32] == undefined(made), hex(picks)


def test_products_are_undefined_from_the_lowest_bit_on():
    """No bit that can be 0 and 1 is called defined."""
    bits = 4
    said = results("MUL", bits, (bits, bits))
    for case in range(9 ** bits):
        digits = [case // 3 ** k % 3 for k in range(2 * bits)]
        values = [[0], [0]]
        for k, digit in enumerate(digits):
            own = values[k // bits]
            values[k // bits] = own + [v | 1 << k % bits for v in own] if digit == 2 else [v | digit << k % bits for v in own]
        products = {x * y % (1 << bits) for x in values[0] for y in values[1]}
        for k in range(bits):
            assert len({p >> k & 1 for p in products}) == 1 or said[k] >> case & 1, (digits, k)
        assert 2 in digits or not any(said[k] >> case & 1 for k in range(bits))


def test_the_model_notices_a_mistake():
    a, b = sources((BITS, BITS))
    assert results("AND", BITS, (BITS, BITS))[:BITS] != undefined(map(either, a, b))


if __name__ == "__main__":
    for name in LOGIC:
        check_logic(name, int(sys.argv[1]))
    for name in ("ADD", "SUB"):
        check_sum(name, int(sys.argv[1]))
    for name in COMPARISONS:
        check_comparison(name, int(sys.argv[1]))
    print("all operations are exact")
