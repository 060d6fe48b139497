"""Random kernels of which a model knows each undefined bit: moves, logic, shifts, fields, selects, exchanges between lanes, partial loads and stores, sums,
comparisons, and operations that nothing exact is said of, in code of PTX and of a gfx900 (test_init_run.py has a Gen9 and Vortex). In the end all registers are asked bit by bit, each by a branch.
--check=init reports each use of undefined bits, and nothing else, with the lanes, one of the origins and the first computation that the model knows.

    test_init_model.py FAMILY FIRST COUNT      as many kernels, from a number on, by hand
"""
import dataclasses
import itertools
import json
import pathlib
import random
import re
import sys
import tempfile

import pytest

import checks
from sanitizer import BUILD, ROOT
from test_hazard import compile_

ALL = 0xffffffff
REGISTERS, IN, OUT, PART, SLOT, AT_ONCE = 8, 1024, 768, 192, 8, 20      # a lane has a slot of a buffer, and of the group's memory
SPACES = {"in": ("the allocation", IN), "out": ("the allocation", OUT), "group": ("the group's memory", 0)}


# ---- values ----

@dataclasses.dataclass(frozen=True)
class Value:
    """32 bits. undefined, computed: of them; origins: {(where it comes from, the operation that has computed with it first, or None)}"""
    is_: int = 0
    undefined: int = 0
    computed: int = 0
    origins: frozenset = frozenset()

    def can(self, k, bit):
        return bool(self.undefined >> k & 1) or (self.is_ >> k & 1) == bit


def known(number):
    return Value(number & ALL)


def unknown(where, undefined=ALL):
    return Value(0, undefined, 0, frozenset([(where, None)]))


def made(bits, sources, number):
    """bits: of each (can be 0, can be 1, it is a copy that is not computed)."""
    is_ = undefined = computed = 0
    for k, (zero, one, copy) in enumerate(bits):
        assert zero or one
        is_ |= (one and not zero) << k
        undefined |= (zero and one) << k
        computed |= (zero and one and not copy) << k
    origins = frozenset(origin for source in sources if source.undefined for origin in source.origins) if undefined else frozenset()
    if computed:
        origins |= {(where, number if first is None else first) for where, first in origins}
    return Value(is_, undefined, computed, origins)


def bit_of(x, k):
    return x.can(k, 0), x.can(k, 1), not x.computed >> k & 1


def truth(zero, one, sources, number):
    return made([(zero, one, False)], sources, number)


def united(values, sources, number):
    """What may be any of these."""
    if len(values) == 1:
        return values[0]
    return made([(any(v.can(k, 0) for v in values), any(v.can(k, 1) for v in values), False) for k in range(32)], sources, number)


# ---- operations: name -> (sources, what it makes of them) ----

def bitwise(table):
    """Of a table by the bits of its sources. A bit that is the same as that of one source, in all cases that may be, is a copy."""
    def op(sources, number):
        bits = []
        for k in range(32):
            cases = [ins for ins in itertools.product((0, 1), repeat=len(sources)) if all(s.can(k, bit) for s, bit in zip(sources, ins))]
            can = {TABLES[table](*ins) for ins in cases}
            copied = any(not s.computed >> k & 1 and all(ins[i] == TABLES[table](*ins) for ins in cases) for i, s in enumerate(sources))
            bits.append((0 in can, 1 in can, copied))
        return made(bits, sources, number)
    return op


TABLES = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "not": lambda a: 1 - a, "majority": lambda a, b, c: int(a + b + c >= 2),
          "masked": lambda mask, a, b: a if mask else b}


def ripple(a, b, carry, invert, number, sources):
    bits = []
    for k in range(32):
        cases = [(x, y ^ invert, x + y + c) for x, y, c in itertools.product((0, 1), repeat=3) if a.can(k, x) and b.can(k, y ^ invert) and carry[c]]
        carry = [any(sum_ >> 1 == out for *_, sum_ in cases) for out in (0, 1)]
        copied = any(not s.computed >> k & 1 and all(case[i] == case[2] & 1 for case in cases) for i, s in enumerate((a, b)))
        bits.append((*(any(sum_ & 1 == bit for *_, sum_ in cases) for bit in (0, 1)), copied))
    return made(bits, sources, number), carry


def add(sources, number):
    return ripple(*sources, [True, False], 0, number, sources)[0]


def subtract(sources, number):
    return ripple(*sources, [False, True], 1, number, sources)[0]


def multiply(sources, number):
    a, b = sources
    lowest = min((i + j for x, y in ((a, b), (b, a)) for i in range(32) if x.undefined >> i & 1 for j in range(32) if y.can(j, 1)), default=32)
    product = a.is_ * b.is_
    return made([(not product >> k & 1, bool(product >> k & 1), False) if k < lowest else (True, True, False) for k in range(32)], sources, number)


def moved(x, places):
    """Bit k of the result is a bit of x, or 0: places[k], None."""
    return [(True, False, True) if p is None else bit_of(x, p) for p in places]


def shift_places(how, by):
    if how == "shl":
        return [k - by if k >= by else None for k in range(32)]
    return [k + by if k + by < 32 else 31 if how == "sar" else None for k in range(32)]


def shift(how, clamps):
    def op(sources, number):
        x, by = sources
        amounts = {}
        unknown_low = by.undefined & (ALL if clamps else 31)
        if not unknown_low:
            amount = by.is_ if clamps else by.is_ & 31
            return made(moved(x, shift_places(how, min(amount, 32))), [x], number)
        for n in range(33 if clamps else 32):
            can_be = all(by.can(k, n >> k & 1) for k in range(32 if clamps else 5)) if n < 32 else by.is_ | by.undefined > 31
            if can_be:
                amounts[n] = moved(x, shift_places(how, n))
        if len(amounts) == 1:
            return made(next(iter(amounts.values())), sources, number)
        return made([(any(b[k][0] for b in amounts.values()), any(b[k][1] for b in amounts.values()), False) for k in range(32)], sources, number)
    return op


def field(first, count, signed):
    top = min(first + count, 32) - 1
    places = [first + k if k < count and first + k < 32 else top if signed else None for k in range(32)]
    return lambda sources, number: made(moved(sources[0], places), sources, number)


def insert(first, count):
    def op(sources, number):
        a, b = sources
        return made([bit_of(a, k - first) if first <= k < first + count else bit_of(b, k) for k in range(32)], sources, number)
    return op


def bytes_of(picks):
    def op(sources, number):
        both = [*[bit_of(sources[0], k) for k in range(32)], *[bit_of(sources[1], k) for k in range(32)]]
        return made([both[8 * pick + k] for pick in picks for k in range(8)], sources, number)
    return op


def conservative(function):
    """Nothing is said of which bit depends on which."""
    return lambda sources, number: made([(True, True, False)] * 32, sources, number) if any(s.undefined for s in sources) else known(function(*(s.is_ for s in sources)))


def compared(how, signed, sources, number):
    """Whether it may be false, and true: by the ends of what both may be."""
    a, b = sources
    if how in ("eq", "ne"):
        differ = any(not (a.undefined | b.undefined) >> k & 1 and (a.is_ ^ b.is_) >> k & 1 for k in range(32))
        may = not differ and bool(a.undefined | b.undefined)
        equal = a.is_ == b.is_ if not a.undefined | b.undefined else False
        can = [may or not equal, may or equal]
        return truth(*(can if how == "eq" else can[::-1]), sources, number)

    def ends(x):
        turn = 1 << 31 if signed else 0
        low, high = x.is_ & ~x.undefined, x.is_ | x.undefined
        if signed and x.undefined & turn:
            low, high = low | turn, high & ~turn
        return low ^ turn, high ^ turn
    (low, high), (other_low, other_high) = ends(a), ends(b)
    can = [high >= other_low, low < other_high]
    return truth(*(can if how == "lt" else can[::-1]), sources, number)


CONSERVATIVE = {"min": min, "popc": lambda a: a.bit_count(), "rev": lambda a: int(f"{a:032b}"[::-1], 2)}


def least(sources, number):
    """The one or the other, as far as what both may be tells."""
    a, b = sources
    may_be_less, may_not = a.is_ & ~a.undefined < b.is_ | b.undefined, a.is_ | a.undefined >= b.is_ & ~b.undefined
    return united([a] * may_be_less + [b] * may_not, sources, number)


def ones(sources, number):
    """A number between two: its bits from the highest one on in which they differ."""
    low, high = ((x := sources[0]).is_ & ~x.undefined).bit_count(), (x.is_ | x.undefined).bit_count()
    open_, count = (low ^ high).bit_length(), x.is_.bit_count()
    return made([(True, True, False) if k < open_ else (not count >> k & 1, bool(count >> k & 1), False) for k in range(32)], sources, number)


# What is exactly known of gfx900's, Gen9's and the SM's, by their meanings.
EXACT = {"min": least, "popc": ones, "rev": lambda sources, number: made([bit_of(sources[0], 31 - k) for k in range(32)], sources, number)}


@dataclasses.dataclass(frozen=True)
class Op:
    what: str
    to: int = 0
    of: tuple = ()          # registers, or ("#", constant)
    how: tuple = ()


def random_source(r, constants=0.25):
    if r.random() < constants:
        return ("#", r.choice([0, 1, 0xff, 0xff00, 0xffff0000, 0x80000000, ALL, r.getrandbits(32), r.getrandbits(32)]))
    return r.randrange(REGISTERS)


def random_op(r, family):
    to, a, b, c = r.randrange(REGISTERS), r.randrange(REGISTERS), random_source(r), random_source(r)
    what = r.choices(["and", "or", "xor", "not", "mov", "shift", "add", "subtract", "multiply", "field", "insert", "bytes", "masked", "majority", "min", "popc", "rev",
                      "select", "exchange", "load", "store", "swap", "branch", "address", "atomic"],
                     [5, 5, 4, 2, 2, 5, 5, 4, 2, 4, 3, 3, 2, 1, 1, 1, 1, 4, 3, 7, 7, 1, 2, 2, 1])[0]
    two, amount = (a, b), r.choice([("#", r.randrange(32)), ("#", r.randrange(32)), a])
    if what in ("and", "or", "xor", "add", "subtract", "multiply", "min"):
        return Op(what, to, two)
    if what in ("not", "popc", "rev", "mov"):
        return Op(what, to, (a,))
    if what == "shift":
        return Op(what, to, (r.randrange(REGISTERS), amount), (r.choice(["shl", "shr", "sar"]),))
    if what in ("field", "insert"):
        first = r.randrange(32)
        count = r.randint(1, 32 - first)
        return Op(what, to, (a,) if what == "field" else (a, r.randrange(REGISTERS)), (first, count, r.random() < 0.5))
    if what == "bytes":
        return Op(what, to, (a, r.randrange(REGISTERS)), tuple(r.randrange(8) for _ in range(4)))
    if what == "masked":
        return Op(what, to, (random_source(r), a, r.randrange(REGISTERS)))
    if what == "majority":
        return Op(what, to, (a, r.randrange(REGISTERS), r.randrange(REGISTERS))) if family == "sm" else Op("and", to, two)
    if what in ("select", "branch"):
        how = (r.choice(["eq", "ne", "lt", "ge"]), r.random() < 0.5)
        return Op(what, to, (a, b, r.randrange(REGISTERS), c)[:4 if what == "select" else 2], how)
    if what == "exchange":
        return Op(what, to, (a,), (r.randrange(1, 16),))
    if what in ("load", "store", "swap"):
        size = r.choice([1, 2, 4, 4, 8]) if what != "swap" else 4
        space = r.choice(["in", "out", "group"] if what == "load" else ["out", "group"])
        two_apart = size == 8
        if two_apart and (family, checks.AMD) == ("gfx900", "gfx90a"):
            to, a = to & ~1, a & ~1  # its pairs begin at even registers
        return Op(what, to % (REGISTERS - two_apart), (a % (REGISTERS - two_apart),), (space, size, r.randrange(SLOT // size) * size, r.random() < 0.5, r.choice([0, 0, 1, 5])))
    return Op(what, to, (a,), (r.choice([0x1c, 0x7c, 0x3c, 0x04]),))


def random_kernel(number, family):
    """Lists of operations, each for the lanes whose number has some bits: (mask, bits, operations)."""
    r = random.Random(f"{family} {number}")
    blocks = [(0, 0, [Op("begin", k, (), (r.choice(["none", "lane", "constant"]), r.getrandbits(32))) for k in range(REGISTERS)])]
    blocks[0][2].append(Op("load", 0, (), ("in", 4, 0, False, 0)))
    blocks[0][2].append(Op("load", 1, (), ("in", 4, 4, False, 0)))
    for _ in range(r.randint(4, 9)):
        mask = r.choice([0, 0, 1, 2, 4, 16, 5])
        blocks.append((mask, r.getrandbits(6) & mask, [CODE[family].fitted(random_op(r, family), r) for _ in range(r.randint(2, 7))]))
    blocks.append((0, 0, [Op("probe", 0, (k,), (bit,)) for k in range(REGISTERS) for bit in sorted(r.sample(range(32), 16))]))
    memory = bytes(r.getrandbits(8) for _ in range(IN))
    kind = r.choice(["prefix", "bytes", "words"])
    limit = r.randrange(IN)
    words = [r.random() < 0.5 for _ in range(IN)]
    written = bytes({"prefix": i < limit, "bytes": words[i], "words": words[i // 4]}[kind] for i in range(IN))
    return blocks, memory, written


# ---- code ----

class Code:
    """What families may have otherwise."""
    clamps = False                  # shifts by more bits than there are shift all out
    off_lanes_have_registers = False        # an exchange takes the value of a lane that is off; else that is undefined
    WRITTEN = ()                    # spaces that are written before the kernel
    ORIGINS = {}                    # {space: what reports call it}

    @staticmethod
    def fitted(op, r):
        """An operation that the family has, instead of a random one."""
        del r
        return op


class Ptx(Code):
    """A kernel as PTX. Registers of the model are %r0 to %r7; each lane's slots begin at its number times SLOT."""
    LANES = 32
    HEAD = ".version 7.0\n.target sm_50\n.address_size 64\n"
    BEGIN = """.visible .entry {0}(.param .u64 in, .param .u64 out, .param .u64 scratch)
{{
.shared .align 16 .b8 own_{0}[256];
.reg .b64 %in, %out, %scratch, %group, %at, %wide;
.reg .b32 %r<8>, %lane, %slot, %t, %u, %n;
.reg .b16 %h;
.reg .pred %off, %p;
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
ld.param.u64 %scratch, [scratch];
mov.u64 %group, own_{0};
mov.u32 %lane, %tid.x;"""
    END = "ret;\n}}\n"

    def __init__(self):
        self.labels = 0

    def label(self):
        self.labels += 1
        return f"past{self.labels}"

    def enter(self, mask, bits):
        self.past = self.label()
        return [f"and.b32 %t, %lane, {mask};", f"setp.ne.u32 %off, %t, {bits};", f"@%off bra {self.past};"] if mask else []

    def leave(self, mask):
        return [f"{self.past}:"] if mask else []

    @staticmethod
    def word(source):
        return str(source[1]) if isinstance(source, tuple) else f"%r{source}"

    def place(self, space, offset, turn):
        yield f"xor.b32 %slot, %lane, {turn};"
        yield f"shl.b32 %slot, %slot, {SLOT.bit_length() - 1};"
        yield "cvt.u64.u32 %at, %slot;"
        yield f"add.u64 %at, %at, %{space};"

    def code(self, op):
        to, of = f"%r{op.to}", [self.word(s) for s in op.of]
        plain = {"and": "and.b32", "or": "or.b32", "xor": "xor.b32", "add": "add.u32", "subtract": "sub.u32", "multiply": "mul.lo.u32", "min": "min.u32",
                 "not": "not.b32", "popc": "popc.b32", "rev": "brev.b32", "mov": "mov.b32"}
        if op.what in plain:
            return [f"{plain[op.what]} {', '.join([to, *of])};"]
        if op.what == "begin":
            return {"none": [], "lane": [f"mul.lo.u32 {to}, %lane, {op.how[1]};"], "constant": [f"mov.u32 {to}, {op.how[1]};"]}[op.how[0]]
        if op.what == "shift":
            return [f"{ {'shl': 'shl.b32', 'shr': 'shr.u32', 'sar': 'shr.s32'}[op.how[0]]} {to}, {of[0]}, {of[1]};"]
        if op.what == "field":
            return [f"bfe.{'s' if op.how[2] else 'u'}32 {to}, {of[0]}, {op.how[0]}, {op.how[1]};"]
        if op.what == "insert":
            return [f"bfi.b32 {to}, {of[0]}, {of[1]}, {op.how[0]}, {op.how[1]};"]
        if op.what == "bytes":
            return [f"prmt.b32 {to}, {of[0]}, {of[1]}, {sum(pick << 4 * i for i, pick in enumerate(op.how))};"]
        if op.what == "masked":
            return [f"lop3.b32 {to}, {of[0]}, {of[1]}, {of[2]}, 0xca;"]
        if op.what == "majority":
            return [f"lop3.b32 {to}, {of[0]}, {of[1]}, {of[2]}, 0xe8;"]
        if op.what in ("select", "branch"):
            compare = f"setp.{op.how[0]}.{'s' if op.how[1] else 'u'}32 %p, {of[0]}, {of[1]};"
            past = self.label()
            return [compare, f"selp.b32 {to}, {of[2]}, {of[3]}, %p;"] if op.what == "select" else [compare, f"@%p bra {past};", f"{past}:"]
        if op.what == "probe":
            past = self.label()
            return [f"bfe.u32 %t, {of[0]}, {op.how[0]}, 1;", "setp.ne.u32 %p, %t, 0;", f"@%p bra {past};", f"{past}:"]
        if op.what == "exchange":
            return [f"shfl.bfly.b32 {to}, {of[0]}, {op.how[0]}, 31;"]
        if op.what in ("load", "store", "swap"):
            space, size, offset, signed, turn = op.how
            where = "shared" if space == "group" else "global"
            data = to if op.what == "load" else of[0]
            pair = f"{{{data}, %r{int(data[2:]) + 1}}}"
            kind = {1: ".u8", 2: ".u16", 4: ".b32", 8: ".v2.b32"}[size].replace("u", "s" if signed and op.what == "load" else "u")
            at = f"[%at+{offset}]"
            last = {"load": f"ld.{where}{kind} {pair if size == 8 else data}, {at};", "store": f"st.{where}{kind} {at}, {pair if size == 8 else data};",
                    "swap": f"atom.{where}.exch.b32 {to}, {at}, {data};"}[op.what]
            return [*self.place(space, offset, turn), last]
        if op.what == "address":
            return [f"and.b32 %t, {of[0]}, {op.how[0]};", "cvt.u64.u32 %at, %t;", "add.u64 %at, %at, %scratch;", "ld.global.u32 %u, [%at];"]
        return [f"mov.b32 %t, {of[0]};", "red.global.add.u32 [%scratch+252], %t;"]

    def build(self, path, lines):
        path.with_suffix(".ptx").write_text("\n".join(lines) + "\n")
        return path.with_suffix(".ptx")

    clamps = True


class Gcn(Code):
    """A kernel of a gfx900. Registers of the model are v8 to v15."""
    LANES = 64
    HEAD = f'.amdgcn_target "amdgcn-amd-amdhsa--{checks.AMD}"\n.text'
    BEGIN = """.globl {0}
.p2align 8
.type {0},@function
{0}:
s_load_dwordx4 s[8:11], s[0:1], 0x0
s_load_dwordx2 s[12:13], s[0:1], 0x10
s_mov_b32 m0, -1
s_waitcnt lgkmcnt(0)"""
    END = checks.unified("""s_endpgm
.size {0}, . - {0}
.section .rodata
.p2align 6
.amdhsa_kernel {0}
.amdhsa_next_free_vgpr 24
.amdhsa_next_free_sgpr 32
.amdhsa_group_segment_fixed_size 512
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.text""")
    METADATA = """  - .name: {0}
    .symbol: {0}.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 24
    .max_flat_workgroup_size: 64
    .args:
      - {{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
      - {{.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.size: 8, .offset: 16, .value_kind: global_buffer, .address_space: global}}"""

    def enter(self, mask, bits):
        return [f"v_and_b32 v1, {mask}, v0", f"v_cmp_eq_u32 vcc, {bits}, v1", "s_and_b64 exec, exec, vcc"] if mask else []

    def leave(self, mask):
        return ["s_mov_b64 exec, -1"] if mask else []

    @staticmethod
    def register(source):
        return f"v{8 + source}"

    def sources(self, op):
        """Constants go to v2, v3, v4 first."""
        before, words = [], []
        for i, s in enumerate(op.of):
            if isinstance(s, tuple):
                before.append(f"v_mov_b32 v{2 + i}, {s[1]:#x}")
                words.append(f"v{2 + i}")
            else:
                words.append(self.register(s))
        return before, words

    def code(self, op):
        to = self.register(op.to)
        before, of = self.sources(op)
        return [*before, *self.last(op, to, of)]

    def last(self, op, to, of):
        plain = {"and": "v_and_b32", "or": "v_or_b32", "xor": "v_xor_b32", "add": "v_add_u32", "subtract": "v_sub_u32", "multiply": "v_mul_lo_u32", "min": "v_min_u32",
                 "not": "v_not_b32", "rev": "v_bfrev_b32", "mov": "v_mov_b32"}
        if op.what in plain:
            return [f"{plain[op.what]} {', '.join([to, *of])}"]
        if op.what == "popc":
            return [f"v_bcnt_u32_b32 {to}, {of[0]}, 0"]
        if op.what == "begin":
            return {"none": [], "lane": [f"v_mov_b32 v2, {op.how[1]:#x}", f"v_mul_lo_u32 {to}, v0, v2"], "constant": [f"v_mov_b32 {to}, {op.how[1]:#x}"]}[op.how[0]]
        if op.what == "shift":
            return [f"{ {'shl': 'v_lshlrev_b32', 'shr': 'v_lshrrev_b32', 'sar': 'v_ashrrev_i32'}[op.how[0]]} {to}, {of[1]}, {of[0]}"]
        if op.what == "field":
            if op.how[1] == 32:
                return [f"v_mov_b32 {to}, {of[0]}"]
            return [f"v_bfe_{'i' if op.how[2] else 'u'}32 {to}, {of[0]}, {op.how[0]}, {op.how[1]}"]
        if op.what == "insert":
            mask = ((1 << op.how[1]) - 1) << op.how[0] & ALL
            return [f"v_mov_b32 v5, {mask:#x}", f"v_lshlrev_b32 v6, {op.how[0]}, {of[0]}", f"v_bfi_b32 {to}, v5, v6, {of[1]}"]
        if op.what == "bytes":     # 0 to 3: of the second source
            picks = sum((pick ^ 4) << 8 * i for i, pick in enumerate(op.how))
            return [f"v_mov_b32 v5, {picks:#x}", f"v_perm_b32 {to}, {of[0]}, {of[1]}, v5"]
        if op.what == "masked":
            return [f"v_bfi_b32 {to}, {of[0]}, {of[1]}, {of[2]}"]
        if op.what in ("select", "branch"):
            compare = f"v_cmp_{op.how[0]}_{'i' if op.how[1] else 'u'}32 vcc, {of[0]}, {of[1]}"
            return [compare, *([f"v_cndmask_b32 {to}, {of[3]}, {of[2]}, vcc"] if op.what == "select" else self.branch())]
        if op.what == "probe":
            return [f"v_bfe_u32 v5, {of[0]}, {op.how[0]}, 1", "v_cmp_ne_u32 vcc, 0, v5", *self.branch()]
        if op.what == "exchange":
            return [f"v_xor_b32 v5, {op.how[0]}, v0", "v_lshlrev_b32 v5, 2, v5", f"ds_bpermute_b32 {to}, v5, {of[0]}", "s_waitcnt lgkmcnt(0)"]
        if op.what in ("load", "store", "swap"):
            return self.memory(op, to, of)
        if op.what == "address":
            return [f"v_and_b32 v5, {op.how[0]:#x}, {of[0]}", "global_load_dword v6, v5, s[12:13]", "s_waitcnt vmcnt(0)"]
        return [f"v_mov_b32 v5, {of[0]}", "v_mov_b32 v6, 0", "global_atomic_add v6, v5, s[12:13] offset:252", "s_waitcnt vmcnt(0)"]

    @staticmethod
    def branch():
        return ["s_and_saveexec_b64 s[20:21], vcc", "s_mov_b64 exec, s[20:21]"]

    def memory(self, op, to, of):
        space, size, offset, signed, turn = op.how
        data = to if op.what == "load" else of[0]
        number = int(data[1:])
        pair = f"v[{number}:{number + 1}]" if size == 8 else data
        base = {"in": "s[8:9]", "out": "s[10:11]"}.get(space)
        if base:
            kind = {1: "sbyte" if signed else "ubyte", 2: "sshort" if signed else "ushort", 4: "dword", 8: "dwordx2"}[size]
            stored = {1: "byte", 2: "short", 4: "dword", 8: "dwordx2"}[size]
            last = {"load": f"global_load_{kind} {pair}, v7, {base} offset:{offset}", "store": f"global_store_{stored} v7, {pair}, {base} offset:{offset}",
                    "swap": f"global_atomic_swap {to}, v7, {data}, {base} offset:{offset} glc"}[op.what]
        else:
            kind = {1: "i8" if signed else "u8", 2: "i16" if signed else "u16", 4: "b32", 8: "b64"}[size]
            last = {"load": f"ds_read_{kind} {pair}, v7 offset:{offset}", "store": f"ds_write_b{8 * size} v7, {pair} offset:{offset}",
                    "swap": f"ds_wrxchg_rtn_b32 {to}, v7, {data} offset:{offset}"}[op.what]
        return [f"v_xor_b32 v7, {turn}, v0", f"v_lshlrev_b32 v7, {SLOT.bit_length() - 1}, v7", last, "s_waitcnt vmcnt(0) lgkmcnt(0)"]

    def build(self, path, lines):
        names = [line.split()[1] for line in lines if line.startswith(".globl")]
        text = [*lines, ".amdgpu_metadata", "---", "amdhsa.version: [1, 1]", "amdhsa.kernels:", *(self.METADATA.format(name) for name in names), "...", ".end_amdgpu_metadata"]
        path.with_suffix(".s").write_text("\n".join(text) + "\n")
        compile_(path.with_suffix(".s"), path.with_suffix(".co"), "-g", "-mcode-object-version=4")
        return path.with_suffix(".co")


# ---- the model ----

@dataclasses.dataclass
class Expected:
    kind: str
    lanes: set
    origins: set
    operation: int


class Model:
    def __init__(self, family, memory, written):
        self.code = CODE[family]
        self.exact = EXACT if family in ("gfx900", "gen9", "sm") else {}
        self.lanes = self.code.LANES
        self.register = [[unknown("register") for _ in range(REGISTERS)] for _ in range(self.lanes)]
        self.memory = {"in": [(memory[i], 0) if written[i] or "in" in self.code.WRITTEN else (0, 0xff) for i in range(IN)], "out": [(0, 0xff)] * OUT, "group": [(0, 0xff)] * 512, "own": [(0, 0xff)] * 512}
        self.memory |= {space: [(byte, 0) for byte, _ in self.memory[space]] for space in self.code.WRITTEN}
        self.computed = {space: [0] * len(cells) for space, cells in self.memory.items()}       # of each byte: undefined bits that are computed
        self.origins = {space: [frozenset([(self.code.ORIGINS.get(space, space), None)])] * (len(cells) // 4) for space, cells in self.memory.items()}
        self.found = []

    def source(self, lane, s):
        return known(s[1]) if isinstance(s, tuple) else self.register[lane][s]

    def load(self, space, at, size):
        """As one number of up to 64 bits: (value, undefined, computed, origins)"""
        value = undefined = computed = 0
        origins = frozenset()
        for i in range(size):
            byte, missing = self.memory[space][at + i]
            value |= byte << 8 * i
            undefined |= missing << 8 * i
            computed |= self.computed[space][at + i] << 8 * i
            origins |= self.origins[space][(at + i) // 4] if missing else frozenset()
        return value, undefined, computed, origins

    def store(self, space, at, size, value, undefined, computed, origins):
        for i in range(size):
            byte = (undefined >> 8 * i) & 0xff
            self.memory[space][at + i] = ((value >> 8 * i) & 0xff & ~byte, byte)
            self.computed[space][at + i] = byte if (computed >> 8 * i) & byte else 0     # a byte is computed or it is not
        for word in {(at + i) // 4 for i in range(size)}:
            rest = any(self.memory[space][4 * word + i][1] for i in range(4))      # they have one origin
            self.origins[space][word] = (self.origins[space][word] | origins if size < 4 else origins) if rest else frozenset()

    def use(self, kind, by_lane, number):
        """The values that lanes use: {lane: value}"""
        bad = {lane: value for lane, value in by_lane.items() if value.undefined}
        if bad:
            self.found.append(Expected(kind, set(bad), set().union(*(value.origins for value in bad.values())), number))

    def execute(self, op, lanes, number):
        of = {lane: [self.source(lane, s) for s in op.of] for lane in lanes}
        self.truths = {}
        if op.what in ("select", "branch", "truth"):        # the lanes' truths are one register, which has one origin
            self.truths = {lane: self.truth(op, x[:2], number) for lane, x in of.items()}
            origins = frozenset().union(*(x.origins for x in self.truths.values()))
            self.truths = {lane: dataclasses.replace(x, origins=origins if x.undefined else frozenset()) for lane, x in self.truths.items()}
        if op.what == "probe":
            self.use("undefined-branch", {lane: truth(*bit_of(x[0], op.how[0])[:2], x, number) for lane, x in of.items()}, number)
        elif op.what == "branch":
            self.use("undefined-branch", self.truths, number)
        elif op.what == "address":
            self.use("undefined-address", {lane: bitwise("and")((x[0], known(op.how[0])), number) for lane, x in of.items()}, number)
        elif op.what == "atomic":
            self.use("undefined-atomic", {lane: x[0] for lane, x in of.items()}, number)
        elif op.what in ("load", "store", "swap"):
            self.access(op, of, lanes)
        elif op.what == "broadcast":
            value = self.register[op.how[0]][op.of[0]]
            for lane in lanes:
                self.register[lane][op.to] = value
        elif op.what == "exchange":
            new = {lane: (of[lane ^ op.how[0]][0] if lane ^ op.how[0] in of else None) for lane in lanes}
            for lane, value in new.items():
                if value is None and self.code.off_lanes_have_registers:
                    value = self.register[lane ^ op.how[0]][op.of[0]]
                elif value is None:     # a lane that is off: no program may use what it gives
                    value = dataclasses.replace(unknown("inactive"), origins=frozenset([("inactive", None), ("inactive", number)]))
                self.register[lane][op.to] = value
        else:
            for lane in lanes:
                self.register[lane][op.to] = self.result(op, lane, of[lane], number)

    @staticmethod
    def truth(op, of, number):
        """Of a register that is compared with itself it is known."""
        if op.of[0] == op.of[1] and not isinstance(op.of[0], tuple):
            return known(op.how[0] in ("eq", "ge"))
        return compared(*op.how, of, number)

    def result(self, op, lane, of, number):
        if op.what == "begin":
            kind, constant = op.how
            return {"none": self.register[lane][op.to], "lane": known(lane * constant), "constant": known(constant)}[kind]
        if op.what in ("xor", "subtract") and op.of[0] == op.of[1] and not isinstance(op.of[0], tuple):
            return known(0)
        if op.what == "mov":
            return of[0]
        if op.what == "truth":
            return self.truths[lane]
        if op.what in TABLES:
            return bitwise(op.what)(of, number)
        if op.what == "min" and op.of[0] == op.of[1] and self.exact:
            return of[0]
        if op.what in self.exact:
            return self.exact[op.what](of, number)
        if op.what in CONSERVATIVE:
            return conservative(CONSERVATIVE[op.what])(of, number)
        if op.what == "select":
            condition = self.truths[lane]
            choices = [x for x, bit in ((of[2], 1), (of[3], 0)) if condition.can(0, bit)]
            return united(choices, [*of[2:], condition], number)
        made_by = {"add": lambda: add, "subtract": lambda: subtract, "multiply": lambda: multiply, "shift": lambda: shift(op.how[0], self.code.clamps),
                   "field": lambda: field(*op.how), "insert": lambda: insert(*op.how[:2]), "bytes": lambda: bytes_of(op.how)}
        return made_by[op.what]()(of, number)

    def access(self, op, of, lanes):
        space, size, offset, signed, turn = op.how
        at = {lane: (lane ^ turn) * SLOT + offset for lane in lanes}
        if op.what == "load":
            for lane in lanes:
                value, undefined, computed, origins = self.load(space, at[lane], size)
                if size < 4 and signed:
                    sign, fill = 8 * size - 1, ALL & ~((1 << 8 * size) - 1)
                    value, undefined, computed = (x | fill if x >> sign & 1 else x for x in (value, undefined, computed))
                for k in range(max(1, size // 4)):
                    part = [x >> 32 * k & ALL for x in (value, undefined, computed)]
                    self.register[lane][op.to + k] = Value(part[0] & ~part[1], part[1], part[2], origins if part[1] else frozenset())
            return
        old = {lane: self.load(space, at[lane], size) for lane in lanes}
        for lane in lanes:
            words = [self.register[lane][op.of[0] + k] for k in range(max(1, size // 4))]
            self.store(space, at[lane], size, *(sum(getattr(w, name) << 32 * k for k, w in enumerate(words)) for name in ("is_", "undefined", "computed")),
                       frozenset().union(*(w.origins for w in words)))
        for lane in lanes if op.what == "swap" else ():
            value, undefined, computed, origins = old[lane]
            self.register[lane][op.to] = Value(value & ~undefined, undefined, computed, origins if undefined else frozenset())


CODE = {"sm": Ptx, "gfx900": Gcn}


# ---- the check ----

class Kernel:
    def __init__(self, number, family):
        self.number, self.family = number, family
        self.blocks, self.memory, self.written = random_kernel(number, family)
        self.lines = {}             # of the file: the operation
        self.operations = []

    def write(self, code, lines, name):
        lines += code.BEGIN.format(name).splitlines()
        for mask, bits, operations in self.blocks:
            lines += code.enter(mask, bits)
            for op in operations:
                first = len(lines) + 1
                lines += code.code(op)
                self.lines |= {line: len(self.operations) for line in range(first, len(lines) + 1)}
                self.operations.append(op)
            lines += code.leave(mask)
        lines += code.END.format(name).splitlines()

    def model(self):
        model, number = Model(self.family, self.memory, self.written), 0
        for mask, bits, operations in self.blocks:
            lanes = [lane for lane in range(model.lanes) if lane & mask == bits]
            for op in operations:
                model.execute(op, lanes, number)
                number += 1
        return model


def program(family):
    if family == "gfx900":
        return checks.built("init_kernels.gfx900", "gcc", "-O1", "-g", "-w", "-DHIP", checks.HERE / "init_kernels.c", "-lamdhip64")
    return checks.built("init_kernels.sm", "gcc", "-O1", "-g", "-w", f"-I{ROOT}/include", checks.HERE / "init_kernels.c", BUILD / "src" / "runtime" / "cuda" / "libcuda.so.1")


def pieces_of(one):
    """The bytes that a finding lists, and whether there are more."""
    listed, more = re.search(r" \(bytes? ([0-9, to]*(?:and [0-9to ]+)?)( and \d+ more in \d+ pieces? up to \d+)? of ", one["text"]).groups()
    ends = [[int(end) for end in piece.split(" to ")] for piece in re.split(", | and ", listed.strip())]
    return {byte for piece in ends for byte in range(piece[0], piece[-1] + 1)}, bool(more)


def not_reported(kernel, model, found):
    """Of the words with computed bits."""
    by = {kernel.lines[one["line"]] for one in found}
    return [f"word {word} of the result: not found, computed by {origins}, but {by}" for word, origins in enumerate(model.origins["out"])
            if any(model.computed["out"][4 * word:4 * word + 4]) and not by & {operation for _, operation in origins}]


def judge_copies(kernel, model, found):
    """Of each copy all computed bits are reported; of copies by one call those of the first one are listed."""
    wrong = not_reported(kernel, model, found)
    copies = [range(at, at + 4) for at in range(0, PART, 4)] + [range(at, at + PART) for at in range(PART, OUT, PART)]
    count = sum(any(model.computed["out"][at] for at in copy) for copy in copies)
    for one in found:
        bytes_, more = pieces_of(one)
        by = (origin_of(one), kernel.lines[one["line"]])

        def may_be(at):
            return model.computed["out"][at] and by in model.origins["out"][at // 4]

        def must_be(at):
            return model.computed["out"][at] and model.origins["out"][at // 4] == {by}
        if not any(all(byte < len(copy) and may_be(copy[byte]) for byte in bytes_) and (more or all(at - copy[0] in bytes_ for at in copy if must_be(at))) for copy in copies):
            wrong.append(f"{one['text']}: these are not all bytes of a copy, by {by}")
    times = sum(one["times"] for one in found)
    return wrong if times >= count else [*wrong, f"{count} copies with computed bits, and {times} are reported"]


def judge_kernel(kernel, found, copies=judge_copies):
    """What is wrong, as texts."""
    model, wrong = kernel.model(), []
    uses = {expected.operation: expected for expected in model.found}
    for one in found:
        number, kind = kernel.lines.get(one["line"]), one["finding"]
        op = None if number is None else kernel.operations[number]
        first = kernel.lines.get(one["other"]["line"], number) if "other" in one else None
        where = origin_of(one)
        if kind == "undefined-result":
            word = {(space, by) for words in (model.origins["out"],) for word, origins in enumerate(words)
                    if any(model.computed["out"][4 * word + i] for i in range(4)) for space, by in origins}
            if number is None or (where, number) not in word:
                wrong.append(f"{kind} at {op}, from {where}: not so; {word}")
            continue
        expected = uses.pop(number, None)
        if not expected or expected.kind != kind:
            wrong.append(f"{kind} at {number} {op} in {one['lanes']}: not so")
            continue
        if checks.members(one["lanes"]) != expected.lanes:
            wrong.append(f"{kind} at {number} {op}: lanes {one['lanes']}, not {checks.ranges(expected.lanes)}")
        if not {(where, first), (where, None if first == number else number if first is None else first)} & expected.origins:
            wrong.append(f"{kind} at {number} {op}: from {where}, computed by {first}, not {expected.origins}")
    wrong += [f"{e.kind} at {e.operation} {kernel.operations[e.operation]} in {checks.ranges(e.lanes)}: not found" for e in uses.values()]
    return wrong + copies(kernel, model, [one for one in found if one["finding"] == "undefined-result"])


def origin_of(one):
    text = one["text"]
    if "written the allocation" in text:
        return {IN: "in", OUT: "out"}.get(one["object"]["size"])
    return next((name for name, words in (("group", "the group's memory"), ("own", "the lane's own memory"), ("register", "written the register"), ("inactive", "takes no part in the exchange")) if words in text), text)


def found_in(path, family, lines, memories, jit):
    code = CODE[family]()
    image, data, report = code.build(path, lines), path.with_suffix(".data"), path.with_suffix(".json")
    data.write_bytes(b"".join(memories))
    done = checks.run(checks.command_under_test(), "exec", "-g", f"{checks.gpu(family)}:jit={jit}", "--check=init", "--check-limit=1000000", f"--report=json:{report}", program(family), image, data, len(memories), code.LANES)
    assert "undefined" in done.stderr or done.returncode == 0, done.stderr
    return [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]


def judge(folder, family, number, count=1):
    """The kernels from a number on, every other time with translated code from the first visit on; how many uses of undefined bits they have."""
    code, kernels = CODE[family](), [Kernel(n, family) for n in range(number, number + count)]
    lines = code.HEAD.splitlines()
    for i, kernel in enumerate(kernels):
        kernel.write(code, lines, f"k{i}")
    found = found_in(folder / f"{family}{number}", family, lines, [kernel.memory + kernel.written for kernel in kernels], number // AT_ONCE % 2)
    wrong = []
    for i, kernel in enumerate(kernels):
        own = [one for one in found if "lanes" in one and one["line"] in kernel.lines]
        wrong += [f"kernel {kernel.number}: {text}" for text in judge_kernel(kernel, own)]
    others = [one for one in found if "lanes" not in one or not any(one["line"] in kernel.lines for kernel in kernels)]
    assert not wrong and not others, "\n".join(wrong) + f"\n{others}\n"
    return len(found)


@pytest.mark.parametrize("family, kernels", [("sm", 20), ("gfx900", 20), pytest.param("sm", 60, marks=pytest.mark.full), pytest.param("gfx900", 40, marks=pytest.mark.full)])
def test_random_kernels(tmp_path, family, kernels):
    assert sum(judge(tmp_path, family, first, AT_ONCE) for first in range(0, kernels, AT_ONCE)) >= 10 * kernels


@pytest.mark.parametrize("family, number", [("sm", 31), ("gfx900", 31)])
def test_kernels_that_found_something(tmp_path, family, number):
    """An exchange by a constant with lanes that are off; a shift by an amount of which no undefined bit counts."""
    judge(tmp_path, family, number)


HALVES = {"sm": [".reg .b64 %pair;", "ld.global.u32 %r0, [%in];", "ld.global.u32 %r1, [%out];", "mov.b64 %pair, {{%r0, %r1}};", "{0} %pair, %pair, 32;",
                 "setp.ne.u64 %p, %pair, 0;", "@%p bra past;", "past:"],
          "gfx900": ["v_mov_b32 v7, 0", "global_load_dword v8, v7, s[8:9]", "global_load_dword v9, v7, s[10:11]", "s_waitcnt vmcnt(0)", "{0} v[10:11], 32, v[8:9]",
                     "v_cmp_ne_u64 vcc, 0, v[10:11]", *Gcn.branch()]}
SHIFTS = {"sm": {"shl.b64": "in", "shr.u64": "out"}, "gfx900": {"v_lshlrev_b64": "in", "v_lshrrev_b64": "out", "v_ashrrev_i64": "out"}}


@pytest.mark.parametrize("family, shift", [(family, shift) for family, shifts in SHIFTS.items() for shift in shifts])
def test_origin_of_the_half_that_remains(tmp_path, family, shift):
    """Each half of a pair has its origin: a report names that of the half on which the result depends."""
    code = CODE[family]
    lines = [*code.HEAD.splitlines(), *code.BEGIN.format("k0").splitlines(), *(line.format(shift) for line in HALVES[family]), *code.END.format("k0").splitlines()]
    found = found_in(tmp_path / "halves", family, lines, [bytes(2 * IN)], 0)
    assert [(one["finding"], origin_of(one)) for one in found] == [("undefined-branch", SHIFTS[family][shift])]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_:
        for first_ in range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3]), AT_ONCE):
            try:
                judge(pathlib.Path(made_), sys.argv[1], first_, AT_ONCE)
            except AssertionError as error:
                print(error, flush=True)
