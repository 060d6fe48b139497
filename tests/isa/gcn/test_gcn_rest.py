"""Instructions that no other file has: branches, those that do nothing a kernel could see, modes of indexing."""
import pytest

from machine import ALL, EXEC, M0, VCC, Case, run
from test_gcn_modes import MASK, lanes
from test_gcn_salu import find

CODE = 0x10000
NOTHING = ["s_nop", "s_wakeup", "s_barrier", "s_sethalt", "s_sleep", "s_setprio", "s_sendmsg", "s_icache_inv", "s_incperflevel",
           "s_decperflevel", "s_ttracedata", "s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol",
           "s_atc_probe", "s_atc_probe_buffer", "s_dcache_discard", "s_dcache_discard_x2", "v_nop", "ds_nop", "buffer_wbinvl1",
           "buffer_wbinvl1_vol", "buffer_wbl2", "buffer_invl2", "buffer_inv"]


def sopp(row, imm=0):
    return 0xbf800000 | row["opcode"] << 16 | imm & 0xffff


def move(table, register, value):
    return 0xbe800000 | register << 16 | find(table, "s_mov_b32")["opcode"] << 8 | 128 + value


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_changed(gcn_table, run_tool, name):
    """Nothing but what the next instruction does."""
    row = find(gcn_table, name)
    words = {"SOPP": [sopp(row, 1 if name == "s_sendmsg" else 0)],  # 1: an interrupt
             "SMEM": [0xc0000000 | row["opcode"] << 18 | 1 << 17, 0],
             "VOP1": [0x7e000000 | row["opcode"] << 9], "DS": [0xd8000000 | row["opcode"] << 17, 0],
             "MUBUF": [0xe0000000 | row["opcode"] << 18, 0]}[row["encoding"]]
    next_ = move(gcn_table, 20, 9)
    with_it, without = run(run_tool, [Case([*words, next_], 2, row["model"]).show(0, 1, 2), Case([next_], 1, row["model"]).show(0, 1, 2)])
    assert with_it.fault is None and with_it.s[20] == 9
    assert (with_it.s, with_it.shown, with_it.scc, with_it.mode) == (without.s, without.shown, without.scc, without.mode)


USER, SYSTEM = 1 << 20, 1 << 21  # STATUS: a debugger's conditions
# Lanes of EXEC, VCC, SCC and bits of STATUS that make each branch be taken, and that make it not.
BRANCHES = {"s_branch": ((ALL, 0, 0), None), "s_cbranch_scc0": ((ALL, 0, 0), (ALL, 0, 1)), "s_cbranch_scc1": ((ALL, 0, 1), (ALL, 0, 0)),
            "s_cbranch_vccz": ((ALL, 0, 0), (ALL, 1 << 63, 0)), "s_cbranch_vccnz": ((ALL, 1 << 32, 0), (ALL, 0, 0)),
            "s_cbranch_execz": ((0, 0, 0), (1 << 40, 0, 0)), "s_cbranch_execnz": ((1, 0, 0), (0, ALL, 1)),
            "s_cbranch_cdbgsys": ((ALL, 0, 0, SYSTEM), (ALL, 0, 0, USER)), "s_cbranch_cdbguser": ((ALL, 0, 0, USER), (ALL, 0, 0, SYSTEM)),
            "s_cbranch_cdbgsys_or_user": ((ALL, 0, 0, USER), (ALL, 0, 0)),
            "s_cbranch_cdbgsys_and_user": ((ALL, 0, 0, USER | SYSTEM), (ALL, 0, 0, SYSTEM))}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches(gcn_table, run_tool, name):
    """Over one instruction, or not."""
    for taken, state in zip((True, False), BRANCHES[name]):
        if state is None:
            continue
        case = Case([sopp(find(gcn_table, name), 1), move(gcn_table, 20, 5), move(gcn_table, 21, 6)], 2)
        case.scalar(20, 1).scalar(21, 2).exec(state[0]).scalar(VCC, state[1], 2).scc(state[2])
        after, = run(run_tool, [case.status(state[3] if len(state) > 3 else 0)])
        assert after.fault is None and (after.s[20], after.s[21]) == ((1, 6) if taken else (5, 2)), taken
        assert after.pair(EXEC) == state[0]


def test_backwards(gcn_table, run_tool):
    """An offset of -2 goes to the instruction before the branch."""
    add = find(gcn_table, "s_addk_i32")["opcode"]
    counts = 0xb0000000 | add << 23 | 20 << 16 | 3
    after, = run(run_tool, [Case([counts, sopp(find(gcn_table, "s_branch"), -2)], 9).scalar(20, 0)])
    assert after.fault is None and after.s[20] == 15


def test_priority_and_halt(gcn_table, run_tool):
    """S_SETPRIO is seen in STATUS[4:3]; behind S_SETHALT the wave issues nothing."""
    getreg = 0xb0000000 | find(gcn_table, "s_getreg_b32")["opcode"] << 23 | 30 << 16 | 2 | 31 << 11
    for priority in (3, 1, 2):
        after, = run(run_tool, [Case([sopp(find(gcn_table, "s_setprio"), priority), getreg], 2)])
        assert after.s[30] >> 3 & 3 == priority
    after, = run(run_tool, [Case([sopp(find(gcn_table, "s_sethalt"), 1), move(gcn_table, 20, 5)], 2).scalar(20, 1)])
    assert after.fault is None and after.s[20] == 1


@pytest.mark.parametrize("name", ["s_endpgm", "s_endpgm_saved"])
def test_the_end(gcn_table, run_tool, name):
    after, = run(run_tool, [Case([sopp(find(gcn_table, name)), move(gcn_table, 20, 5)], 2).scalar(20, 1)])
    assert after.fault is None and after.s[20] != 5


def test_kill_bit(gcn_table, run_tool):
    """S_SETKILL 1 ends the wave as the host's kill command does; S_SETKILL 0 has no effect."""
    on, off = (Case([sopp(find(gcn_table, "s_setkill"), bit), move(gcn_table, 20, 5)], 2).scalar(20, 1) for bit in (1, 0))
    killed, lives = run(run_tool, [on, off])
    assert killed.fault is None and killed.s[20] != 5
    assert lives.fault is None and lives.s[20] == 5


@pytest.mark.parametrize("name", ["s_memtime", "s_memrealtime"])
def test_time_goes_on(gcn_table, run_tool, name):
    opcode = find(gcn_table, name)["opcode"]
    read = [[0xc0000000 | opcode << 18 | to << 6, 0] for to in (20, 22)]
    after, = run(run_tool, [Case([*read[0], sopp(find(gcn_table, "s_nop")), *read[1]], 3)])
    assert after.fault is None and after.pair(22) > after.pair(20)


def test_modes_of_indexing(gcn_table, run_tool):
    """What is added to and which operands it is added to are fields of M0."""
    mode, index = find(gcn_table, "s_set_gpr_idx_mode"), find(gcn_table, "s_set_gpr_idx_idx")
    first, second = run(run_tool, [Case([sopp(mode, 0x5)]).scalar(M0, 0xabcdef12),
                                   Case([0xbe800000 | index["opcode"] << 8 | 8]).scalar(M0, 0xabcdef12).scalar(8, 0x77777734)])
    assert first.s[M0] == 0xabcd5f12 and second.s[M0] == 0xabcdef34


def test_exceptions_are_cleared(gcn_table, run_tool):
    """A division of zero by zero is noted in TRAPSTS until V_CLREXCP."""
    add, clear = find(gcn_table, "v_add_f32"), find(gcn_table, "v_clrexcp")
    bad = Case([add["opcode"] << 25 | 30 << 17 | 11 << 9 | 256 + 10, 0x7e000000 | clear["opcode"] << 9], 2)
    kept, cleared = run(run_tool, [Case([add["opcode"] << 25 | 30 << 17 | 11 << 9 | 256 + 10]).vector(10, [0x7f800000]).vector(
        11, [0xff800000]), bad.vector(10, [0x7f800000]).vector(11, [0xff800000])])
    assert kept.trapsts & 1 and cleared.trapsts & 0x7f == 0 and cleared.fault is None


def test_division_of_doubles_is_scaled(gcn_table, run_tool):
    """V_DIV_SCALE_F64: as of 32 bits, by powers of 2 to the 128."""
    row = find(gcn_table, "v_div_scale_f64")
    e = lambda n: (n + 1023) << 52
    up = lambda x: x + (128 << 52)
    for den, num, want_den, want_num, vcc in ((e(0), e(1), e(0), e(1), 0), (e(-20), e(900), up(e(-20)), e(900), 1),
                                              (e(3), e(-1020), e(3), up(e(-1020)), 1)):
        for source, want in ((den, want_den), (num, want_num)):
            got, result = lanes(run_tool, row, [[source, den, num]] * 64)
            assert (got[0], result.pair(MASK)) == (want, ALL * vcc), [hex(x) for x in (source, den, num, got[0])]
