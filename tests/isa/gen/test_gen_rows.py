"""Each row of Gen9's instruction table, executed: code of iga64 against the manual's words (Skylake PRM volume 2a), written down
in Python. test_every_row_is_executed fails where a row of the table (`wavetrap info -g gen9 --isa`) is in no case here."""
import random
import re
import struct
import subprocess

import pytest

import iga
from conftest import WAVETRAP

M32 = 0xffffffff
# r20 to r27 hold the input, r40 to r47 the output: eight dwords each.
END = "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n(W) send (8|M0) null:ud r127 0x27 0x02000010 {EOT}\n"


def program(snippet):
    """Loads r20 to r27 from the first buffer, runs the snippet, and stores r40 to r47 in the second one."""
    head = "(W) mov (8|M0) r10.0<1>:ud 0x0:ud\n"
    blocks = ""
    for half in range(2):
        head += (f"(W) mov (1|M0) r10.2<1>:ud {8 * half}:ud\n"
                 f"(W) send (8|M0) r{20 + 4 * half}:ud r10 0xA 0x02480400\n"
                 f"(W) mov (8|M0) r{40 + 4 * half}.0<1>:ud 0x0:ud\n(W) mov (8|M0) r{41 + 4 * half}.0<1>:ud 0x0:ud\n"
                 f"(W) mov (8|M0) r{42 + 4 * half}.0<1>:ud 0x0:ud\n(W) mov (8|M0) r{43 + 4 * half}.0<1>:ud 0x0:ud\n")
        blocks += (f"(W) mov (1|M0) r10.2<1>:ud {8 * half}:ud\n"
                   f"(W) sends (8|M0) null:ud r10 r{40 + 4 * half} 0x10A 0x020A0401\n")
    return f"{head}{snippet}\n{blocks}{END}"


def execute(tmp_path, snippet, dwords, *options):
    (tmp_path / "code").write_bytes(iga.assemble(program(snippet), tmp_path))
    (tmp_path / "in").write_bytes(struct.pack("<64I", *(d & M32 for d in dwords)))
    done = subprocess.run([WAVETRAP, "run", "-g", "gen9:subslices=1", "--kernel=simd8", "--grid=8", "--block=8", f"--arg=file:{tmp_path}/in",
                           "--arg=zeros:256", f"--dump-arg=1:{tmp_path}/out", "--max-issues=10000", *options, tmp_path / "code"],
                          capture_output=True, text=True, timeout=60, check=False)
    return done, struct.unpack("<64I", (tmp_path / "out").read_bytes()) if done.returncode == 0 else None


def signed(x):
    return x - (1 << 32) if x >> 31 else x


def f(bits):
    return struct.unpack("<f", struct.pack("<I", bits & M32))[0]


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


INTEGERS, FLOATS, ROUNDED = "integers", "floats", "rounded"


def inputs(kind, seed):
    numbers = random.Random(seed)
    edges = [0, 1, M32, 1 << 31, (1 << 31) - 1, 0x8000, 0xffff, 31]
    if kind == INTEGERS:
        return [numbers.choice(edges) if numbers.random() < 0.25 else numbers.getrandbits(32) for _ in range(64)]
    # Multiples of a half (of an eighth) small enough that no sum or product is rounded.
    return [bits(numbers.randrange(-64, 64) / (2 if kind == FLOATS else 8)) for _ in range(64)]


def A(op, kind="d", sources=2, mods=""):
    """An instruction on r20, r21, r22 to r40."""
    region = "<8;8,1>" if sources < 3 else ""
    operands = " ".join(f"r{20 + i}.0{region or '<8;8,1>'}:{kind}" for i in range(sources))
    if sources == 3:
        operands = f"r20.0<4;1>:{kind} r21.0<4;1>:{kind} r22.0<1>:{kind}"
    return f"{op} (8|M0) {mods}r40.0<1>:{kind} {operands}"


def first_high(x, is_signed):
    if is_signed:
        x = x ^ M32 if x >> 31 else x
        return M32 if x == 0 else 32 - x.bit_length()
    return M32 if x == 0 else 32 - x.bit_length()


def bfe(width, offset, value):
    width, offset = width & 31, offset & 31
    return value >> offset & ((1 << width) - 1) if width else 0


def bfi2(mask, insert, base):
    low = (mask & -mask).bit_length() - 1 if mask else 0
    return insert << low & mask | base & ~mask & M32


def rnde(x):
    return float(round(x))


def floor(x):
    return float(int(x // 1))


# Row: code, kind of input, the result of a channel of r40 from those of r20, r21 and r22.
CHANNELS = {
    "mov": (A("mov", "d", 1), INTEGERS, lambda a, b, c: a),
    "sel": (A("cmp", mods="(lt)f0.0 ").replace("r40.0", "null") + "\n(f0.0) " + A("sel"), INTEGERS,
            lambda a, b, c: a if signed(a) < signed(b) else b),
    # No channel but those of the mask is written.
    "smov": ("smov (8|M0) r40.0<1>:ud r20.0<8;8,1>:ud 0x5B:uw", INTEGERS, None),
    "not": (A("not", "d", 1), INTEGERS, lambda a, b, c: ~a),
    "and": (A("and"), INTEGERS, lambda a, b, c: a & b),
    "or": (A("or"), INTEGERS, lambda a, b, c: a | b),
    "xor": (A("xor"), INTEGERS, lambda a, b, c: a ^ b),
    "shr": (A("shr", "ud"), INTEGERS, lambda a, b, c: a >> (b & 31)),
    "shl": (A("shl", "ud"), INTEGERS, lambda a, b, c: a << (b & 31)),
    "asr": (A("asr"), INTEGERS, lambda a, b, c: signed(a) >> (b & 31)),
    "cmp": (A("cmp", mods="(ge)f0.0 "), INTEGERS, lambda a, b, c: M32 if signed(a) >= signed(b) else 0),
    "cmpn": (A("cmpn", "f", mods="(ge)f0.0 "), FLOATS, lambda a, b, c: M32 if f(a) >= f(b) else 0),
    "csel": (A("csel", "f", 3, mods="(lt)f0.0 "), FLOATS, lambda a, b, c: a if f(c) < 0 else b),
    "bfrev": (A("bfrev", "ud", 1), INTEGERS, lambda a, b, c: int(f"{a:032b}"[::-1], 2)),
    "bfe": (A("bfe", "ud", 3), INTEGERS, bfe),
    "bfi1": (A("bfi1", "ud"), INTEGERS, lambda a, b, c: ((1 << (a & 31)) - 1) << (b & 31)),
    "bfi2": (A("bfi2", "ud", 3), INTEGERS, bfi2),
    "math": (A("math.sqt", "f", 1).replace("r20.0", "r28.0"), FLOATS, lambda a, b, c: bits(abs(f(a)))),
    "add": (A("add"), INTEGERS, lambda a, b, c: a + b),
    "mul": (A("mul", "f"), FLOATS, lambda a, b, c: bits(f(a) * f(b))),
    "avg": (A("avg"), INTEGERS, lambda a, b, c: (signed(a) + signed(b) + 1) >> 1),
    "frc": (A("frc", "f", 1), ROUNDED, lambda a, b, c: bits(f(a) - floor(f(a)))),
    "rndu": (A("rndu", "f", 1), ROUNDED, lambda a, b, c: bits(-floor(-f(a))) if -floor(-f(a)) else bits(-0.0) & a),
    "rndd": (A("rndd", "f", 1), ROUNDED, lambda a, b, c: bits(floor(f(a)))),
    "rnde": (A("rnde", "f", 1), ROUNDED, lambda a, b, c: bits(rnde(f(a))) | a & 1 << 31),
    "rndz": (A("rndz", "f", 1), ROUNDED, lambda a, b, c: bits(float(int(f(a)))) | a & 1 << 31),
    "mac": ("mov (8|M0) acc0.0<1>:f r22.0<8;8,1>:f\n" + A("mac", "f"), FLOATS, lambda a, b, c: bits(f(c) + f(a) * f(b))),
    "mach": ("mul (8|M0) acc0.0<1>:d r20.0<8;8,1>:d r21.0<16;8,2>:uw\n" + A("mach") + " {AccWrEn}", INTEGERS,
             lambda a, b, c: signed(a) * signed(b) >> 32),
    "lzd": (A("lzd", "ud", 1), INTEGERS, lambda a, b, c: 32 - a.bit_length()),
    "fbh": (A("fbh", "d", 1).replace("r40.0<1>:d", "r40.0<1>:ud"), INTEGERS, lambda a, b, c: first_high(a, True)),
    "fbl": (A("fbl", "ud", 1), INTEGERS, lambda a, b, c: (a & -a).bit_length() - 1 if a else M32),
    "cbit": (A("cbit", "ud", 1), INTEGERS, lambda a, b, c: a.bit_count()),
    "addc": (A("addc", "ud") + " {AccWrEn}\nmov (8|M0) r41.0<1>:ud acc0.0<8;8,1>:ud", INTEGERS, None),
    "subb": (A("subb", "ud") + " {AccWrEn}\nmov (8|M0) r41.0<1>:ud acc0.0<8;8,1>:ud", INTEGERS, None),
    "mad": (A("mad", "f", 3), FLOATS, lambda a, b, c: bits(f(a) + f(b) * f(c))),
    "lrp": (A("lrp", "f", 3), FLOATS, lambda a, b, c: bits(f(a) * f(b) + (1 - f(a)) * f(c))),
    "madm": ("madm (8|M0) r40.nomme:f r20.nomme:f r21.nomme:f r22.nomme:f", FLOATS, lambda a, b, c: bits(f(a) + f(b) * f(c))),
    "nop": ("nop\n" + A("mov", "d", 1), INTEGERS, lambda a, b, c: a),
}
# As `math`, its operand: squares.
CHANNELS["math"] = ("mul (8|M0) r28.0<1>:f r20.0<8;8,1>:f r20.0<8;8,1>:f\n" + CHANNELS["math"][0], *CHANNELS["math"][1:])


@pytest.mark.parametrize("row", CHANNELS)
def test_channel_by_channel(tmp_path, row):
    code, kind, function = CHANNELS[row]
    for seed in range(3):
        given = inputs(kind, f"{row}{seed}")
        done, got = execute(tmp_path, code, given)
        assert done.returncode == 0, done.stderr
        if row == "smov":
            want = [given[i] if 0x5b >> i & 1 else 0 for i in range(8)]
        elif row == "addc":
            want = [given[i] + given[8 + i] & M32 for i in range(8)] + [given[i] + given[8 + i] >> 32 for i in range(8)]
        elif row == "subb":
            want = [given[i] - given[8 + i] & M32 for i in range(8)] + [int(given[i] < given[8 + i]) for i in range(8)]
        else:
            want = [function(given[i], given[8 + i], given[16 + i]) & M32 for i in range(8)]
        assert [f"{x:08x}" for x in got[:len(want)]] == [f"{x:08x}" for x in want], f"{seed}: {given[:24]}"


def test_movi_takes_each_channel_from_where_its_address_register_says(tmp_path):
    order = [3, 1, 7, 0, 5, 5, 2, 6]
    code = "".join(f"(W) mov (1|M0) a0.{i}<1>:uw {20 * 32 + 4 * k}:uw\n" for i, k in enumerate(order))
    given = inputs(INTEGERS, 1)
    done, got = execute(tmp_path, code + "movi (8|M0) r40.0<1>:ud r[a0.0,0]<1,0>:ud", given)
    assert done.returncode == 0, done.stderr
    assert list(got[:8]) == [given[k] for k in order]


@pytest.mark.parametrize("row", ["sad2", "sada2"])
def test_sums_of_absolute_differences(tmp_path, row):
    """Each pair of bytes gives one word, in the even channels; sada2 adds what the accumulator has."""
    begin = "mov (8|M0) acc0.0<1>:uw 0x111:uw\n" if row == "sada2" else ""
    given = inputs(INTEGERS, row)
    done, got = execute(tmp_path, begin + f"{row} (8|M0) r40.0<1>:uw r20.0<8;8,1>:ub r21.0<8;8,1>:ub", given)
    assert done.returncode == 0, done.stderr
    a, b = (struct.pack("<4I", *given[i:i + 4]) for i in (0, 8))
    words = struct.unpack("<16H", struct.pack("<8I", *got[:8]))
    for i in range(0, 8, 2):
        assert words[i] == abs(a[i] - b[i]) + abs(a[i + 1] - b[i + 1]) + (0x111 if begin else 0)


@pytest.mark.parametrize("row", ["dp4", "dph", "dp3", "dp2"])
def test_dot_products(tmp_path, row):
    """Of groups of four channels; all four get the sum. dph counts the fourth component of source 0 as 1."""
    given = inputs(FLOATS, row)
    done, got = execute(tmp_path, A(row, "f"), given)
    assert done.returncode == 0, done.stderr
    for at in range(0, 8, 4):
        a, b = ([f(x) for x in given[at + base:at + base + 4]] for base in (0, 8))
        if row == "dph":
            a[3] = 1.0
        want = sum(a[k] * b[k] for k in range({"dp2": 2, "dp3": 3}.get(row, 4)))
        assert [f(x) for x in got[at:at + 4]] == [want] * 4


def test_line(tmp_path):
    """p * u + r, p and r being components 0 and 3 of source 0."""
    given = inputs(FLOATS, "line")
    done, got = execute(tmp_path, "line (8|M0) r40.0<1>:f r20.0<0;1,0>:f r21.0<8;8,1>:f", given)
    assert done.returncode == 0, done.stderr
    assert [f(x) for x in got[:8]] == [f(given[0]) * f(given[8 + i]) + f(given[3]) for i in range(8)]


def test_pln(tmp_path):
    """p * u + q * v + r: components 0, 1 and 3 of source 0; u in the register of source 1, v in the next one."""
    given = inputs(FLOATS, "pln")
    done, got = execute(tmp_path, "pln (8|M0) r40.0<1>:f r20.0<0;1,0>:f r21.0<8;8,1>:f", given)
    assert done.returncode == 0, done.stderr
    p, q, r = (f(given[i]) for i in (0, 1, 3))
    assert [f(x) for x in got[:8]] == [p * f(given[8 + i]) + q * f(given[16 + i]) + r for i in range(8)]


# ---- control flow: r40 counts, for each channel, where it has been ----

ODD = "mov (8|M0) r30.0<1>:d r20.0<8;8,1>:d\nand (8|M0) (ne)f0.0 null<1>:d r20.0<8;8,1>:d 0x1:d\n"


def mark(amount, register=40):
    return f"add (8|M0) r{register}.0<1>:d r{register}.0<8;8,1>:d {amount}:d\n"


FLOW = {
    # Row: code; the result of a channel from its number in r20.
    "if": (ODD + "(f0.0) if (8|M0) done done\n" + mark(1) + "done:\nendif (8|M0) next\nnext:\n" + mark(16), lambda n: 16 + n % 2),
    "else": (ODD + "(f0.0) if (8|M0) other done\n" + mark(1) + "else (8|M0) done done\nother:\n" + mark(2) +
             "done:\nendif (8|M0) next\nnext:\n" + mark(16), lambda n: 17 if n % 2 else 18),
    "while": ("again:\n" + mark(1) + "add (8|M0) r20.0<1>:d r20.0<8;8,1>:d -1:d\ncmp (8|M0) (gt)f0.0 null<1>:d r20.0<8;8,1>:d 0:d\n"
              "(f0.0) while (8|M0) again\n" + mark(16), lambda n: max(n, 1) + 16),
    "break": ("again:\n" + mark(1) + "cmp (8|M0) (le)f0.0 null<1>:d r20.0<8;8,1>:d r40.0<8;8,1>:d\n(f0.0) break (8|M0) loop loop\n" +
              mark(32, 41) + "loop:\nwhile (8|M0) again\n" + mark(16), lambda n: max(n, 1) + 16),
    "cont": ("again:\n" + mark(1) + "and (8|M0) (ne)f0.0 null<1>:d r40.0<8;8,1>:d 0x1:d\n(f0.0) cont (8|M0) loop loop\n" + mark(1, 41) +
             "loop:\ncmp (8|M0) (lt)f0.1 null<1>:d r40.0<8;8,1>:d r20.0<8;8,1>:d\n(f0.1) while (8|M0) again\n" + mark(16) +
             "mul (8|M0) r41.0<1>:d r41.0<8;8,1>:d 0x100:w\nadd (8|M0) r40.0<1>:d r40.0<8;8,1>:d r41.0<8;8,1>:d\n",
             lambda n: max(n, 1) + 16 + 0x100 * (max(n, 1) // 2)),
    "halt": (ODD + "(f0.0) halt (8|M0) done done\n" + mark(1) + "done:\nhalt (8|M0) next next\nnext:\n" + mark(16),
             lambda n: 16 + (n + 1) % 2),
    "goto": (ODD + "(~f0.0) goto (8|M0) there there\n" + mark(1) + "there:\njoin (8|M0) next\nnext:\n" + mark(16), None),
    "brd": (ODD + "(f0.0) brd (8|M0) there\n" + mark(1) + "there:\n" + mark(16), lambda n: 16 + (n + 1) % 2),
    "brc": (ODD + "(f0.0) brc (8|M0) there there\n" + mark(1) + "there:\n" + mark(16), lambda n: 16 + (n + 1) % 2),
    "jmpi": ("jmpi (1|M0) there\n" + mark(1) + "there:\n" + mark(16), lambda n: 16),
    "call": (mark(1) + "call (8|M0) r60.0 routine\n" + mark(2) + "jmpi (1|M0) past\nroutine:\n" + mark(4) +
             "ret (8|M0) r60.0\npast:\n" + mark(16), lambda n: 23),
    "ret": (ODD + "call (8|M0) r60.0 routine\n" + mark(2) + "jmpi (1|M0) past\nroutine:\n" + mark(4) +
            "(f0.0) ret (8|M0) r60.0\n" + mark(8) + "ret (8|M0) r60.0\npast:\n" + mark(16), lambda n: 22 if n % 2 else 30),
}


@pytest.mark.parametrize("row", FLOW)
def test_control_flow(tmp_path, row):
    code, function = FLOW[row]
    given = [*range(8), *[0] * 56]
    done, got = execute(tmp_path, code, given)
    assert done.returncode == 0, done.stderr
    # goto: channels for which the predicate holds go on behind it; the others wait at UIP.
    function = function or (lambda n: 16 + (n + 1) % 2)
    assert list(got[:8]) == [function(n) for n in range(8)]


def test_calla_goes_to_an_address_of_the_instruction_base(tmp_path):
    """The target is absolute: a routine behind the program's end, whose place a first assembly tells."""
    code = mark(1) + "calla (8|M0) r60.0 {}\n" + mark(2) + "jmpi (1|M0) past\n" + mark(4) + "ret (8|M0) r60.0\npast:\n" + mark(16)
    listing = tmp_path / "code.krn"
    iga.assemble(program(code.format("16")), tmp_path)
    texts, _ = iga.disassemble(listing)
    routine = next(at for at, text in texts.items() if text.startswith("add (8|M0) r40.0") and text.split()[-1].startswith("4:"))
    done, got = execute(tmp_path, code.format(routine), [0] * 64)
    assert done.returncode == 0, done.stderr
    assert list(got[:8]) == [23] * 8


def test_illegal(tmp_path):
    done, _ = execute(tmp_path, "illegal", [0] * 64)
    assert done.returncode != 0 and "illegal" in done.stderr


def test_wait_takes_one_of_the_barriers_notifications(tmp_path):
    """The gateway notifies n0.0 once all threads of the group are there: with one thread at once."""
    code = ("(W) mov (8|M0) r12.0<1>:ud 0x0:ud\n(W) mov (8|M0) r12.0<1>:ud r0.0<8;8,1>:ud\n"
            "(W) and (1|M0) r12.2<1>:ud r0.2<0;1,0>:ud 0x8F000000:ud\n(W) send (8|M0) null:ud r12 0x3 0x02000004\n"
            "(W) wait n0:ud\n" + mark(5))
    done, got = execute(tmp_path, code, [0] * 64)
    assert done.returncode == 0, done.stderr
    assert list(got[:8]) == [5] * 8


def test_messages(tmp_path):
    """send and sendc read a block, sends and sendsc write one: each of the four in one program."""
    code = ("(W) mov (1|M0) r10.2<1>:ud 0:ud\n(W) sendc (8|M0) r40:ud r10 0xA 0x02480400\n"
            "(W) mov (8|M0) r50.0<1>:ud r41.0<8;8,1>:ud\n(W) mov (8|M0) r51.0<1>:ud r40.0<8;8,1>:ud\n"
            "(W) mov (1|M0) r10.2<1>:ud 0:ud\n(W) sendsc (8|M0) null:ud r10 r50 0x8A 0x020A0300\n"
            "(W) send (8|M0) r40:ud r10 0xA 0x02480400")
    given = inputs(INTEGERS, "messages")
    done, got = execute(tmp_path, code, given)
    assert done.returncode == 0, done.stderr
    assert list(got[:32]) == given[8:16] + given[:8] + given[16:32]


def test_a_block_that_is_longer_than_the_surface(tmp_path):
    """What is behind the end is zeros; a block that begins there is a mistake, as is one that is written."""
    read = "(W) mov (1|M0) r10.2<1>:ud {}:ud\n(W) send (8|M0) r40:ud r10 0xA 0x02480400"
    given = inputs(INTEGERS, "messages")
    last = 4 * len(given) // 16 - 4   # in units of 16 bytes: half of the block is inside
    done, got = execute(tmp_path, read.format(last), given)
    assert done.returncode == 0, done.stderr
    assert list(got[:32]) == given[-16:] + [0] * 16
    write = f"(W) mov (1|M0) r10.2<1>:ud {last}:ud\n(W) sends (8|M0) null:ud r10 r40 0x10A 0x020A0400"
    for text in (read.format(last + 4), write):
        done, _ = execute(tmp_path, text, given)
        assert done.returncode != 0 and "is outside surface 0" in done.stderr, done.stderr


@pytest.mark.parametrize("register", ["sr1.0", "msg1.0"])
def test_registers_that_there_are_not(tmp_path, register):
    """sr1 is not sr0: an instruction with it is a mistake."""
    done, _ = execute(tmp_path, f"(W) mov (1|M0) r40.0<1>:ud {register}<0;1,0>:ud", [0] * 64)
    assert done.returncode != 0 and "an operand lies outside the registers" in done.stderr, done.stderr


FLOAT_ATOMICS = {"fmax": (1, 1, lambda old, a, b: max(old, a)), "fmin": (2, 1, lambda old, a, b: min(old, a)),
                 "fcmpwr": (3, 2, lambda old, a, b: b if old == a else old)}


@pytest.mark.parametrize("name", FLOAT_ATOMICS)
def test_float_atomics(tmp_path, name):
    """An untyped float atomic message of eight channels, one address each: what memory holds afterwards, and the old values that it
    returns. fcmpwr compares numbers, not bits: -0 is 0, and NaN is not NaN."""
    operation, sources, result = FLOAT_ATOMICS[name]
    descriptor = 1 + sources << 25 | 1 << 20 | 0x1b << 14 | 1 << 13 | 1 << 12 | operation << 8
    code = ("(W) mov (8|M0) r60.0<1>:uw 0x76543210:uv\n(W) shl (8|M0) r61.0<1>:ud r60.0<8;8,1>:uw 2:uw\n"
            "(W) mov (8|M0) r62.0<1>:ud r21.0<8;8,1>:ud\n(W) mov (8|M0) r63.0<1>:ud r22.0<8;8,1>:ud\n"
            f"send (8|M0) r41:ud r61 0xC {descriptor:#010x}\n"
            "(W) mov (1|M0) r10.2<1>:ud 0:ud\n(W) send (8|M0) r42:ud r10 0xA 0x02480400")
    old, a = [1.5, -2.0, 3.25, float("inf"), 0.0, 7.0, -8.5, 1e-30], [1.5, 4.0, -3.25, 9.0, -0.0, 7.5, -8.5, 1e30]
    if name == "fcmpwr":
        old[5] = a[5] = float("nan")
    b = [float(n) for n in range(20, 28)]
    given = [bits(x) for x in old + a + b] + [0] * 40
    done, got = execute(tmp_path, code, given)
    assert done.returncode == 0, done.stderr
    assert list(got[8:16]) == given[:8]
    assert [f(x) if f(x) != 0 else 0 for x in got[16:24]] == pytest.approx([result(f(x), f(y), z) for x, y, z in zip(given, given[8:], b)],
                                                                          rel=0, abs=0, nan_ok=True)
    assert list(got[24:40]) == given[8:24]


ELSEWHERE = {"sad2", "sada2", "dp4", "dph", "dp3", "dp2", "line", "pln", "movi", "calla", "illegal", "wait", "send", "sendc", "sends",
             "sendsc", "join", "endif"}


def test_every_row_is_executed():
    """A row of the table that no case here executes is a mistake; so is a name here that is in no table."""
    listing = subprocess.run([WAVETRAP, "info", "-g", "gen9", "--isa"], capture_output=True, text=True, check=True).stdout
    rows = set(re.findall(r"^(\S+) +opcode 0x", listing, re.M))
    assert "is not executed" not in listing
    cases = set(CHANNELS) | set(FLOW) | ELSEWHERE
    assert len(rows) > 60 and cases == rows, f"without a case: {sorted(rows - cases)}; unknown: {sorted(cases - rows)}"
    # What stands in ELSEWHERE stands in a test's code, too.
    text = open(__file__, encoding="utf-8").read().replace("ELSEWHERE = ", "", 1)
    assert not [row for row in ELSEWHERE if not re.search(rf'\b{row} \(|"{row}"', text)]
