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
    """{name: number} of operations and flags."""
    text = (ROOT / "src" / "emulator" / "machine" / "operands.h").read_text()
    return {name: n for prefix in ("WT_DOES", "WT_FLAG") for n, name in enumerate(dict.fromkeys(re.findall(rf"\b{prefix}_(\w+)", text)))}


def results(operation, bits, digits, flag="OTHER"):
    """The sets of cases in which each bit of the result, and then the flag, is undefined."""
    program = checks.built("definedness", "gcc", "-O2", f"-I{ROOT}/src", f"-I{ROOT}/include", checks.HERE / "definedness.c", ROOT / "src" / "check" / "definedness.c")
    done = subprocess.run([program, str(numbers()[operation]), str(bits), ",".join(map(str, digits)), str(numbers()[flag])], capture_output=True, check=True)
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
        fill = a[-1] if how == "SHIFT_SIGNED" else (all_cases, 0)
        for i in range(bits):
            at = i - amount if how == "SHIFT_LEFT" else i + amount
            bit = a[at] if 0 <= at < bits else fill
            made[i] = tuple(made[i][k] | (possible & bit[k]) for k in (0, 1))
    return made


def undefined(bits):
    return [zero & one for zero, one in bits]


LOGIC = {"AND": both, "OR": either, "XOR": differ, "AND_NOT": lambda a, b: both(a, inverse(b)), "OR_NOT": lambda a, b: either(a, inverse(b)),
         "NOT_AND": lambda a, b: inverse(both(a, b)), "NOT_OR": lambda a, b: inverse(either(a, b)), "NOT_XOR": lambda a, b: inverse(differ(a, b))}
COMPARISONS = ["EQUAL", "NOT_EQUAL", *(f"{no}{how}{sign}" for no in ("", "NOT_") for how in ("LESS", "GREATER") for sign in ("", "_SIGNED"))]


def check_logic(operation, bits):
    a, b = sources((bits, bits))
    assert results(operation, bits, (bits, bits))[:bits] == undefined(map(LOGIC[operation], a, b))


def check_sum(operation, bits):
    (a, b), cases = sources((bits, bits)), (1 << 9 ** bits) - 1
    made, carry = total(a, b, (cases, 0)) if operation == "ADD" else difference(a, b, cases)
    assert results(operation, bits, (bits, bits), "CARRY") == undefined([*made, carry])


def check_comparison(operation, bits):
    (a, b), cases = sources((bits, bits)), (1 << 9 ** bits) - 1
    if operation.endswith("SIGNED"):
        a, b = signed(a), signed(b)
    if "EQUAL" in operation:
        truth = equal(a, b, cases)
    else:
        truth = less(a, b, cases) if "LESS" in operation else less(b, a, cases)
    assert results(operation, bits, (bits, bits))[0] == truth[0] & truth[1]


@pytest.mark.parametrize("operation", LOGIC)
def test_logic(operation, bits=BITS):
    check_logic(operation, bits)


@pytest.mark.parametrize("operation", ["ADD", "SUBTRACT"])
def test_sums(operation, bits=BITS):
    check_sum(operation, bits)


@pytest.mark.parametrize("operation", COMPARISONS)
def test_comparisons(operation, bits=BITS):
    check_comparison(operation, bits)


@pytest.mark.parametrize("operation", ["SHIFT_LEFT", "SHIFT_RIGHT", "SHIFT_SIGNED"])
def test_shifts(operation):
    (a, by), cases = sources((8, 3)), (1 << 3 ** 11) - 1
    assert results(operation, 8, (8, 3))[:8] == undefined(shifted(operation, a, by, cases))


def test_a_carry_is_a_source_of_its_own():
    (a, b, carry), bits = sources((4, 4, 1)), 4
    made, out = total(a, b, carry[0])
    assert results("ADD", bits, (4, 4, 1), "CARRY") == undefined([*made, out])
    made, out = total(a, [inverse(bit) for bit in b], inverse(carry[0]))
    assert results("SUBTRACT", bits, (4, 4, 1), "CARRY") == undefined([*made, inverse(out)])


def test_choices():
    """Bit by bit, and by one bit for all."""
    mask, a, b = sources((3, 3, 3))
    assert results("INSERT", 3, (3, 3, 3))[:3] == undefined(tuple((m[1] & x[k]) | (m[0] & y[k]) for k in (0, 1)) for m, x, y in zip(mask, a, b))
    a, b, bit = sources((5, 5, 1))
    assert results("SELECT", 5, (5, 5, 1))[:5] == undefined(tuple((bit[0][1] & y[k]) | (bit[0][0] & x[k]) for k in (0, 1)) for x, y in zip(a, b))


def test_a_flag_says_whether_the_result_is_zero():
    a, b = sources((5, 5))
    zero = (1 << 9 ** 5) - 1
    one = 0
    for bit in map(both, a, b):
        zero &= bit[0]
        one |= bit[1]
    assert results("AND", 5, (5, 5), "NOT_ZERO")[5] == zero & one


def test_products_are_undefined_from_the_lowest_bit_on():
    """No bit that can be 0 and 1 is called defined."""
    bits = 4
    said = results("MULTIPLY", bits, (bits, bits))
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
    for name in ("ADD", "SUBTRACT"):
        check_sum(name, int(sys.argv[1]))
    for name in COMPARISONS:
        check_comparison(name, int(sys.argv[1]))
    print("all operations are exact")
