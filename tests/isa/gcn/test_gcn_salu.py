"""Every scalar arithmetic instruction against independent formulas: result, SCC, EXEC."""
import itertools
import random

import pytest

from machine import CODE, EXEC, M0, VCC, Case, run

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
CORNERS = [0, 1, 2, 31, 32, 33, 63, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x00010000, 0x00200004, 0x12345678,
           0x00400000, 0x001f0001, 0x003f0020]


def s(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def ones(x):
    return bin(x).count("1")


def first(x):
    return (x & -x).bit_length() - 1


def leading(x, bits):
    return bits - x.bit_length() if x else -1


def sign_change(x, bits):
    value = s(x, bits)
    return -1 if value in (0, -1) else bits - (value if value > 0 else ~value).bit_length()


def field(a, b, bits, signed):
    offset, wide = b & bits - 1, b >> 16 & 127
    if not wide:
        return 0
    value = (s(a, bits) if signed else a) >> offset
    return (s(value, wide) if signed else value & (1 << wide) - 1) if wide < 64 else value


def quads(x, bits):
    return sum((x >> 4 * i & 15 != 0) << i for i in range(bits // 4))


def wqm(x, bits):
    return sum(15 << 4 * i for i in range(bits // 4) if x >> 4 * i & 15)


# name: (result of a, b and SCC; SCC after, of a, b, SCC before and the result, or None: it stays)
NONZERO, SAME = "nonzero", None
TWO = {
    "s_add_u32": (lambda a, b, c: a + b, lambda a, b, c, d: a + b > M32),
    "s_sub_u32": (lambda a, b, c: a - b, lambda a, b, c, d: a < b),
    "s_add_i32": (lambda a, b, c: a + b, lambda a, b, c, d: s(a) + s(b) != s(d)),
    "s_sub_i32": (lambda a, b, c: a - b, lambda a, b, c, d: s(a) - s(b) != s(d)),
    "s_addc_u32": (lambda a, b, c: a + b + c, lambda a, b, c, d: a + b + c > M32),
    "s_subb_u32": (lambda a, b, c: a - b - c, lambda a, b, c, d: a < b + c),
    "s_min_i32": (lambda a, b, c: min(s(a), s(b)), lambda a, b, c, d: s(a) < s(b)),
    "s_min_u32": (lambda a, b, c: min(a, b), lambda a, b, c, d: a < b),
    "s_max_i32": (lambda a, b, c: max(s(a), s(b)), lambda a, b, c, d: s(a) > s(b)),
    "s_max_u32": (lambda a, b, c: max(a, b), lambda a, b, c, d: a > b),
    "s_cselect_b32": (lambda a, b, c: a if c else b, SAME), "s_cselect_b64": (lambda a, b, c: a if c else b, SAME),
    "s_bfm_b32": (lambda a, b, c: ((1 << a % 32) - 1) << b % 32, SAME),
    "s_bfm_b64": (lambda a, b, c: ((1 << a % 64) - 1) << b % 64, SAME),
    "s_mul_i32": (lambda a, b, c: a * b, SAME), "s_mul_hi_u32": (lambda a, b, c: a * b >> 32, SAME),
    "s_mul_hi_i32": (lambda a, b, c: s(a) * s(b) >> 32, SAME),
    "s_absdiff_i32": (lambda a, b, c: abs(s(a - b)), NONZERO),
    "s_pack_ll_b32_b16": (lambda a, b, c: a & 0xffff | b << 16, SAME),
    "s_pack_lh_b32_b16": (lambda a, b, c: a & 0xffff | b & 0xffff0000, SAME),
    "s_pack_hh_b32_b16": (lambda a, b, c: a >> 16 | b & 0xffff0000, SAME),
    "s_bfe_u32": (lambda a, b, c: field(a, b, 32, False), NONZERO), "s_bfe_i32": (lambda a, b, c: field(a, b, 32, True), NONZERO),
    "s_bfe_u64": (lambda a, b, c: field(a, b, 64, False), NONZERO), "s_bfe_i64": (lambda a, b, c: field(a, b, 64, True), NONZERO),
    "s_lshl_b32": (lambda a, b, c: a << b % 32, NONZERO), "s_lshl_b64": (lambda a, b, c: a << b % 64, NONZERO),
    "s_lshr_b32": (lambda a, b, c: a >> b % 32, NONZERO), "s_lshr_b64": (lambda a, b, c: a >> b % 64, NONZERO),
    "s_ashr_i32": (lambda a, b, c: s(a) >> b % 32, NONZERO), "s_ashr_i64": (lambda a, b, c: s(a, 64) >> b % 64, NONZERO),
}
LOGIC = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "andn2": lambda a, b: a & ~b,
         "orn2": lambda a, b: a | ~b, "nand": lambda a, b: ~(a & b), "nor": lambda a, b: ~(a | b), "xnor": lambda a, b: ~(a ^ b)}
for _n, _f in LOGIC.items():
    for _bits in (32, 64):
        TWO[f"s_{_n}_b{_bits}"] = (lambda a, b, c, f=_f: f(a, b), NONZERO)
for _n in (1, 2, 3, 4):
    TWO[f"s_lshl{_n}_add_u32"] = (lambda a, b, c, n=_n: (a << n) + b, lambda a, b, c, d, n=_n: (a << n) + b > M32)
ONE = {"s_abs_i32": (lambda a: abs(s(a)), NONZERO), "s_sext_i32_i8": (lambda a: s(a, 8), SAME),
       "s_sext_i32_i16": (lambda a: s(a, 16), SAME), "s_flbit_i32": (lambda a: sign_change(a, 32), SAME),
       "s_flbit_i32_i64": (lambda a: sign_change(a, 64), SAME),
       "s_bitreplicate_b64_b32": (lambda a: sum((a >> i & 1) * 3 << 2 * i for i in range(32)), SAME)}
for _bits in (32, 64):
    _all = (1 << _bits) - 1
    ONE.update({
        f"s_mov_b{_bits}": (lambda a: a, SAME), f"s_not_b{_bits}": (lambda a: ~a, NONZERO),
        f"s_wqm_b{_bits}": (lambda a, n=_bits: wqm(a, n), NONZERO),
        f"s_quadmask_b{_bits}": (lambda a, n=_bits: quads(a, n), NONZERO),
        f"s_brev_b{_bits}": (lambda a, n=_bits: int(f"{a:0{n}b}"[::-1], 2), SAME),
        f"s_bcnt0_i32_b{_bits}": (lambda a, n=_bits: n - ones(a), NONZERO),
        f"s_bcnt1_i32_b{_bits}": (lambda a: ones(a), NONZERO),
        f"s_ff0_i32_b{_bits}": (lambda a, m=_all: first(~a & m), SAME), f"s_ff1_i32_b{_bits}": (lambda a: first(a), SAME),
        f"s_flbit_i32_b{_bits}": (lambda a, n=_bits: leading(a, n), SAME)})
COMPARE = {"eq": lambda a, b: a == b, "lg": lambda a, b: a != b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
           "lt": lambda a, b: a < b, "le": lambda a, b: a <= b}
SAVE = {**LOGIC, "andn1": lambda a, b: ~a & b, "orn1": lambda a, b: ~a | b}
# Those with tests of their own below, or in test_gcn_flow.py.
ELSEWHERE = {"s_cmov_b32", "s_cmov_b64", "s_movk_i32", "s_cmovk_i32", "s_addk_i32", "s_mulk_i32", "s_getreg_b32",
             "s_setreg_b32", "s_setreg_imm32_b32", "s_call_b64", "s_getpc_b64", "s_setpc_b64", "s_swappc_b64", "s_rfe_b64",
             "s_movrels_b32", "s_movrels_b64", "s_movreld_b32", "s_movreld_b64", "s_set_gpr_idx_idx", "s_set_gpr_idx_on",
             "s_setvskip", "s_bitset0_b32", "s_bitset0_b64", "s_bitset1_b32", "s_bitset1_b64", "s_bitcmp0_b32",
             "s_bitcmp1_b32", "s_bitcmp0_b64", "s_bitcmp1_b64", "s_andn1_wrexec_b64", "s_andn2_wrexec_b64", "s_cbranch_g_fork",
             "s_cbranch_i_fork", "s_cbranch_join", "s_rfe_restore_b64"}


def covered(name):
    return (name in TWO or name in ONE or name in ELSEWHERE or name.startswith(("s_cmp_", "s_cmpk_")) or
            name.endswith("_saveexec_b64"))


def test_every_executed_row_is_tested(gcn_table):
    assert [r["name"] for r in gcn_table if r["encoding"] in ("SOP1", "SOP2", "SOPC", "SOPK") and r["executes"]
            and not covered(r["name"])] == []


def values(bits, seed):
    random.seed(seed)
    pool = CORNERS + [random.getrandbits(32) for _ in range(6)]
    return [random.choice(pool) | (random.choice(pool) << 32 if bits == 64 else 0) for _ in range(60)]


def width(kind):
    return 64 if kind == "U" else 32


def find(table, name):
    return next(r for r in table if r["name"] == name)


def test_two_sources(gcn_table, run_tool):
    jobs, wrong = [], []
    for name, (function, scc) in TWO.items():
        row = find(gcn_table, name)
        results, sources = row["operands"].split(":")
        word = 0x80000000 | row["opcode"] << 23 | 20 << 16 | 12 << 8 | 8
        for i, (a, b) in enumerate(zip(values(width(sources[0]), name), values(width(sources[1]), name + "b"))):
            case = Case([word]).scalar(8, a, 2).scalar(12, b, 2).scc(i & 1)
            jobs.append((name, width(results), function, scc, a, b, i & 1, case))
    for (name, bits, function, scc, a, b, c, _), result in zip(jobs, run(run_tool, [j[-1] for j in jobs])):
        want = function(a, b, c) & (1 << bits) - 1
        flag = c if scc is SAME else want != 0 if scc == NONZERO else scc(a, b, c, want)
        got = result.pair(20) if bits == 64 else result.s[20]
        if result.fault or (got, result.scc) != (want, flag):
            wrong.append(f"{name} {a:x} {b:x} SCC {c}: {got:x} SCC {result.scc}, not {want:x} SCC {int(flag)} {result.fault}")
    assert not wrong, "\n".join(wrong[:30])


def test_one_source(gcn_table, run_tool):
    jobs, wrong = [], []
    for name, (function, scc) in ONE.items():
        row = find(gcn_table, name)
        results, sources = row["operands"].split(":")
        for i, a in enumerate(values(width(sources), name)):
            case = Case([0xbe800000 | 20 << 16 | row["opcode"] << 8 | 8]).scalar(8, a, 2).scc(i & 1)
            jobs.append((name, width(results), function, scc, a, i & 1, case))
    for (name, bits, function, scc, a, c, _), result in zip(jobs, run(run_tool, [j[-1] for j in jobs])):
        want = function(a) & (1 << bits) - 1
        flag = c if scc is SAME else want != 0
        got = result.pair(20) if bits == 64 else result.s[20]
        if result.fault or (got, result.scc) != (want, flag):
            wrong.append(f"{name} {a:x}: {got:x} SCC {result.scc}, not {want:x} SCC {int(flag)} {result.fault}")
    assert not wrong, "\n".join(wrong[:30])


def test_comparisons(gcn_table, run_tool):
    jobs, wrong = [], []
    for row in gcn_table:
        if not row["name"].startswith(("s_cmp_", "s_cmpk_")):
            continue
        _, kind, op, type_ = row["name"].split("_")
        bits = int(type_[1:])
        for a, b in zip(values(bits, row["name"]), values(bits, op)):
            for b in (a, b):
                if kind == "cmpk":
                    imm = b & 0xffff
                    case = Case([0xb0000000 | row["opcode"] << 23 | 8 << 16 | imm]).scalar(8, a)
                    b = s(imm, 16) if type_[0] == "i" else imm
                else:
                    case = Case([0xbf000000 | row["opcode"] << 16 | 12 << 8 | 8]).scalar(8, a, 2).scalar(12, b, 2)
                want = COMPARE[op](s(a, bits), s(b, bits)) if type_[0] == "i" else COMPARE[op](a, b)
                jobs.append((row["name"], a, b, want, case))
    for (name, a, b, want, _), result in zip(jobs, run(run_tool, [j[-1] for j in jobs])):
        if result.fault or result.scc != want:
            wrong.append(f"{name} {a:x} {b:x}: {result.scc}, not {int(want)} {result.fault}")
    assert not wrong, "\n".join(wrong[:30])


def test_bits(gcn_table, run_tool):
    """S_BITSET and S_BITCMP."""
    for bits in (32, 64):
        for n, number in itertools.product((0, 1, 31, 32, 63, 65), (0x0123456789abcdef, 0xfedcba9876543210)):
            old, at = number & (1 << bits) - 1, n % bits
            jobs = []
            for value in (0, 1):
                op = find(gcn_table, f"s_bitset{value}_b{bits}")["opcode"]
                jobs.append(Case([0xbe800000 | 20 << 16 | op << 8 | 8]).scalar(8, n).scalar(20, old, 2))
                op = find(gcn_table, f"s_bitcmp{value}_b{bits}")["opcode"]
                jobs.append(Case([0xbf000000 | op << 16 | 8 << 8 | 20]).scalar(8, n).scalar(20, old, 2))
            clear, is0, set_, is1 = run(run_tool, jobs)
            assert clear.pair(20) == old & ~(1 << at) and set_.pair(20) == old | 1 << at
            assert is1.scc == old >> at & 1 and is0.scc == 1 - (old >> at & 1)


@pytest.mark.parametrize("exec_mask", [0, 0xffff0000f0f01234, M64])
def test_exec_is_saved_and_changed(gcn_table, run_tool, exec_mask):
    """D = EXEC, EXEC = source op EXEC; of the WREXEC rows both are the result."""
    for name, function in SAVE.items():
        row = find(gcn_table, f"s_{name}_saveexec_b64")
        for a in (0, M64, 0x123456789abcdef0, exec_mask):
            result, = run(run_tool, [Case([0xbe800000 | 20 << 16 | row["opcode"] << 8 | 8]).scalar(8, a, 2).exec(exec_mask)])
            want = function(a, exec_mask) & M64
            assert (result.pair(20), result.pair(EXEC), result.scc) == (exec_mask, want, want != 0), name
    for name in ("andn1", "andn2"):
        row = find(gcn_table, f"s_{name}_wrexec_b64")
        a = 0x123456789abcdef0
        result, = run(run_tool, [Case([0xbe800000 | 20 << 16 | row["opcode"] << 8 | 8]).scalar(8, a, 2).exec(exec_mask)])
        want = (exec_mask & ~a if name == "andn1" else a & ~exec_mask) & M64
        assert (result.pair(20), result.pair(EXEC), result.scc) == (want, want, want != 0), name


def sopk(table, name, register, imm):
    return 0xb0000000 | find(table, name)["opcode"] << 23 | register << 16 | imm & 0xffff


def test_immediates(gcn_table, run_tool):
    for old, imm in ((5, 7), (0x7fffffff, 1), (0x80000000, -1), (3, -2), (0xffffffff, 0x7fff)):
        cases = [Case([sopk(gcn_table, n, 8, imm)]).scalar(8, old).scc(c)
                 for n in ("s_movk_i32", "s_addk_i32", "s_mulk_i32", "s_cmovk_i32") for c in (0, 1)]
        mov0, mov1, add0, add1, mul0, mul1, cmov0, cmov1 = run(run_tool, cases)
        assert mov0.s[8] == mov1.s[8] == imm & M32 and (mov0.scc, mov1.scc) == (0, 1)
        assert add0.s[8] == add1.s[8] == old + imm & M32
        assert add0.scc == add1.scc == (s(old) + imm != s(old + imm))
        assert mul0.s[8] == mul1.s[8] == old * imm & M32 and (mul0.scc, mul1.scc) == (0, 1)
        assert (cmov0.s[8], cmov1.s[8]) == (old, imm & M32)


def test_conditional_moves(gcn_table, run_tool):
    for bits in (32, 64):
        op = find(gcn_table, f"s_cmov_b{bits}")["opcode"]
        no, yes = run(run_tool, [Case([0xbe800000 | 20 << 16 | op << 8 | 8]).scalar(8, 0x1111222233334444, 2)
                                 .scalar(20, 0x5555666677778888, 2).scc(c) for c in (0, 1)])
        assert no.pair(20) == 0x5555666677778888
        assert yes.pair(20) == (0x1111222233334444 if bits == 64 else 0x5555666633334444)


def test_relative_moves(gcn_table, run_tool):
    """S_MOVRELS and S_MOVRELD; what leads beyond the registers is a fault."""
    for name, source, dest in (("s_movrels_b32", 14, 20), ("s_movreld_b32", 8, 26), ("s_movrels_b64", 14, 20),
                               ("s_movreld_b64", 8, 26)):
        op = find(gcn_table, name)["opcode"]
        word = 0xbe800000 | 20 << 16 | op << 8 | 8
        good, bad = run(run_tool, [Case([word]).scalar(M0, m).scalar(8, 0x1234567800000008, 2).scalar(14, 0x8765432100000014, 2)
                                   for m in (6, 200)])
        want = 0x8765432100000014 if "rels" in name else 0x1234567800000008
        assert good.pair(dest) == (want if name.endswith("64") else want & M32), name
        assert bad.fault and "M0 is 200" in bad.fault


def test_constants_are_sources(run_tool):
    """Inline constants, literals and special sources of 32 and 64 bits."""
    for n, want32, want64 in ((128, 0, 0), (192, 64, 64), (193, M32, M64), (208, M32 - 15, M64 - 15), (240, 0x3f000000, 0x3fe0 << 48),
                              (247, 0xc0800000, 0xc010 << 48), (248, 0x3e22f983, 0x3fc45f306dc9c882), (255, 0x89abcdef, 0x89abcdef),
                              (235, 1 << 16, 1 << 48), (236, 1 << 16, (1 << 48) + M32), (237, 2 << 16, 2 << 48),
                              (238, 2 << 16, (2 << 48) + M32), (251, 0, 0), (252, 1, 1), (253, 1, 1)):
        narrow, wide = run(run_tool, [Case([0xbe800000 | 20 << 16 | op << 8 | n, 0x89abcdef]).exec(0).scalar(VCC, 1).scc(1)
                                      for op in (0, 1)])
        assert narrow.s[20] == want32 and wide.pair(20) == want64, n


def test_hardware_registers(gcn_table, run_tool):
    """S_GETREG and S_SETREG: fields of MODE, STATUS, HW_ID, GPR_ALLOC, LDS_ALLOC, SH_MEM_BASES."""
    def field_of(register, first, bits):
        return register | first << 6 | (bits - 1) << 11

    get = lambda f: [sopk(gcn_table, "s_getreg_b32", 20, f)]
    mode, status, gpr, lds, bases, none = run(run_tool, [
        Case(get(field_of(1, 4, 6))).mode(0x3f5), Case(get(field_of(2, 0, 32))).scc(1).exec(0), Case(get(field_of(5, 0, 32))),
        Case(get(field_of(6, 12, 9))), Case(get(field_of(15, 0, 32))), Case(get(field_of(9, 0, 32)))])
    assert mode.s[20] == 0x3f
    assert status.s[20] & 1 and status.s[20] >> 9 & 1 and status.s[20] >> 10 & 1 and status.s[20] >> 16 & 1
    assert gpr.s[20] == 63 << 8 | 6 << 24 and lds.s[20] == 256 and bases.s[20] == 0x10002
    assert none.fault and "hardware register 9" in none.fault
    by_register, by_literal = run(run_tool, [
        Case([sopk(gcn_table, "s_setreg_b32", 8, field_of(1, 2, 2))]).scalar(8, 0xfd).mode(0x3ff),
        Case([sopk(gcn_table, "s_setreg_imm32_b32", 0, field_of(1, 23, 1)), 1]).mode(0x3f0)])
    assert by_register.mode == 0x3f7 and by_literal.mode == 0x3f0 | 1 << 23


def test_calls(gcn_table, run_tool):
    """The PC as a value: relative to the next instruction."""
    def sop1(name, dst, src):
        return 0xbe800000 | dst << 16 | find(gcn_table, name)["opcode"] << 8 | src

    mark = 0xbe800000 | 30 << 16 | 0x81  # s_mov_b32 s30, 1
    nop = 0xbf800000
    target = CODE + 12
    cases = [Case([sop1("s_getpc_b64", 20, 0)]), Case([sop1("s_setpc_b64", 0, 8), nop, nop, mark], 2).scalar(8, target, 2),
             Case([sop1("s_swappc_b64", 20, 8), nop, nop, mark], 2).scalar(8, target, 2),
             Case([sopk(gcn_table, "s_call_b64", 20, 2), nop, nop, mark], 2),
             Case([sop1("s_setpc_b64", 0, 8)], 2).scalar(8, CODE + 2, 2), Case([sop1("s_setpc_b64", 0, 8)], 2).scalar(8, 0x666000, 2)]
    getpc, setpc, swappc, call, odd, nowhere = run(run_tool, cases)
    assert getpc.pair(20) == CODE + 4
    assert setpc.s[30] == swappc.s[30] == call.s[30] == 1
    assert swappc.pair(20) == call.pair(20) == CODE + 4
    assert "multiple of 4" in odd.fault and "no memory is mapped" in nowhere.fault


def test_forks(gcn_table, run_tool):
    """The smaller part goes first; the other one waits on the stack, EXEC then PC; S_CBRANCH_JOIN takes it back."""
    g, join = find(gcn_table, "s_cbranch_g_fork")["opcode"], find(gcn_table, "s_cbranch_join")["opcode"]
    nop = 0xbf800000
    by_register = 0x80000000 | g << 23 | 12 << 8 | 8  # mask in s[8:9], target in s[12:13]
    by_offset = sopk(gcn_table, "s_cbranch_i_fork", 8, 4)
    target = CODE + 20
    for word in (by_register, by_offset):
        for mask, taken_first, waiting, goes_on in ((0xffff, True, CODE + 4, ~0xffff), (~0xffff, False, target, 0xffff)):
            first = mask & M64 if taken_first else ~mask & M64
            after, = run(run_tool, [Case([word] + [nop] * 6, 1).scalar(8, mask & M64, 2).scalar(12, target, 2)])
            assert after.fault is None and after.pair(EXEC) == first and after.mode >> 29 == 1
            assert (after.pair(0), after.pair(2)) == (first ^ M64, waiting)
        for mask in (0, M64):  # all lanes go one way: nothing is pushed
            after, = run(run_tool, [Case([word] + [nop] * 6, 1).scalar(8, mask, 2).scalar(12, target, 2)])
            assert after.fault is None and after.pair(EXEC) == M64 and after.mode >> 29 == 0
    joined, back, empty = run(run_tool, [
        Case([0xbe800000 | join << 8 | 20, nop, nop]).mode(1 << 29).scalar(20, 0).scalar(0, 0xff00, 2).scalar(2, CODE + 8, 2),
        Case([0xbe800000 | join << 8 | 20, nop]).mode(1 << 29).scalar(20, 1),
        Case([0xbe800000 | join << 8 | 20, nop]).scalar(20, 1)])
    assert joined.pair(EXEC) == 0xff00 and joined.mode >> 29 == 0 and joined.fault is None
    assert back.pair(EXEC) == M64 and back.mode >> 29 == 1 and "stack of forks is empty" in empty.fault
    full, = run(run_tool, [Case([by_register, nop]).mode(7 << 29).scalar(8, 1, 2).scalar(12, target, 2)])
    assert "holds 7 entries" in full.fault
