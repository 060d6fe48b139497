"""Fork and join of lanes by scalar branches; ends of messages and trap handlers."""
import pytest

from machine import ALL, CODE, EXEC, Case, run
from test_gcn_memory import find

MASK, TARGET = 40, 42
MARK = lambda s: 0xbe800000 | s << 16 | 0x81  # s_mov_b32 sN, 1
NOP = 0xbf800000


def g_fork(table):
    return 0x80000000 | find(table, "s_cbranch_g_fork")["opcode"] << 23 | TARGET << 8 | MASK


def i_fork(table, dwords):
    return 0xb0000000 | find(table, "s_cbranch_i_fork")["opcode"] << 23 | MASK << 16 | dwords & 0xffff


def join(table, depth):
    return 0xbe800000 | find(table, "s_cbranch_join")["opcode"] << 8 | 128 + depth


def forked(mask, exec_mask, fork_pc, to):
    """(PC, EXEC, what is pushed: EXEC and PC, or None) by the rule of the manual."""
    passing, failing = mask & exec_mask, ~mask & exec_mask
    if passing == exec_mask:
        return to, exec_mask, None
    if failing == exec_mask:
        return fork_pc + 4, exec_mask, None
    if bin(failing).count("1") < bin(passing).count("1"):
        return fork_pc + 4, failing, (passing, to)
    return to, passing, (failing, fork_pc + 4)


@pytest.mark.parametrize("kind", ["g", "i"])
@pytest.mark.parametrize("mask,exec_mask", [(ALL, ALL), (0, ALL), (0xff, ALL), (~0xff & ALL, ALL), (0xf, 0xff), (0xff00, 0xff),
                                            (0xf0f0f, 0xffff), (1 << 63, 1 << 63 | 7)])
def test_fork(gcn_table, run_tool, kind, mask, exec_mask):
    """The smaller group goes first; the other one waits in the SGPRs of the stack's top."""
    for depth in (0, 2):
        fork = g_fork(gcn_table) if kind == "g" else i_fork(gcn_table, 2)
        # Behind the fork s30 is set, at the target s31.
        code = [fork, MARK(30), NOP, MARK(31)]
        case = Case(code, 2).scalar(MASK, mask, 2).scalar(TARGET, CODE + 12, 2).exec(exec_mask).mode(0x3c0 | depth << 29)
        for i in range(16):
            case.scalar(i, 0x1000 + i)
        result, = run(run_tool, [case.scalar(30, 0).scalar(31, 0)])
        assert result.fault is None, result.fault
        pc, now, pushed = forked(mask, exec_mask, CODE, CODE + 12)
        want = [0x1000 + i for i in range(16)]
        if pushed:
            want[4 * depth:4 * depth + 4] = [pushed[0] & 0xffffffff, pushed[0] >> 32, pushed[1] & 0xffffffff, pushed[1] >> 32]
        assert (result.s[30], result.s[31]) == ((1, 0) if pc == CODE + 4 else (0, 1))
        assert result.pair(EXEC) == now and result.s[:16] == want
        assert result.mode == 0x3c0 | depth + bool(pushed) << 29


def test_join(gcn_table, run_tool):
    """A join at the saved depth goes on; above it, the group that waits takes over."""
    code = [join(gcn_table, 1), MARK(30), NOP, MARK(31)]
    cases = []
    for depth in (1, 2):
        case = Case(code, 2).exec(0xf).mode(0x3c0 | depth << 29).scalar(30, 0).scalar(31, 0)
        cases.append(case.scalar(4, 0xf0, 2).scalar(6, CODE + 12, 2))
    on, popped = run(run_tool, cases)
    assert on.fault is None and (on.s[30], on.s[31], on.pair(EXEC), on.mode >> 29) == (1, 0, 0xf, 1)
    assert popped.fault is None and (popped.s[30], popped.s[31], popped.pair(EXEC), popped.mode >> 29) == (0, 1, 0xf0, 1)


def test_both_ways_are_gone(gcn_table, run_tool):
    """A whole diamond: each lane goes through its own side once; then the program restores EXEC, and all meet."""
    inc = lambda v: 0x68000000 | v << 17 | v << 9 | 0x81  # v_add_u32 vN, 1, vN
    branch = lambda dwords: 0xbf820000 | dwords & 0xffff
    restore = 0xbe800000 | EXEC << 16 | find(gcn_table, "s_mov_b64")["opcode"] << 8 | 50
    code = [i_fork(gcn_table, 2), inc(1), branch(1), inc(2), join(gcn_table, 0), restore, inc(3)]
    mask = 0x00ff_0f01_8000_0003
    # fork, one side (1 or 2 issues), join, the other side, join, EXEC, the end
    result, = run(run_tool, [Case(code, 8).scalar(MASK, mask, 2).scalar(50, ALL, 2).exec(ALL).mode(0x3c0).vector(1, [0] * 64).vector(2, [0] * 64)
                             .vector(3, [0] * 64).show(1, 2, 3)])
    assert result.fault is None and result.pair(EXEC) == ALL and result.mode >> 29 == 0
    assert result.shown[0] == [int(not mask >> l & 1) for l in range(64)]
    assert result.shown[1] == [mask >> l & 1 for l in range(64)]
    assert result.shown[2] == [1] * 64


def test_stack_ends(gcn_table, run_tool):
    full, empty = run(run_tool, [Case([i_fork(gcn_table, 2)]).scalar(MASK, 1, 2).mode(7 << 29),
                                 Case([join(gcn_table, 3)]).mode(0)])
    assert "holds 7 entries" in full.fault and "stack of forks is empty" in empty.fault


def test_message_and_halt(gcn_table, run_tool):
    """The wave stops behind the message."""
    halting = 0xbf800000 | find(gcn_table, "s_sendmsghalt")["opcode"] << 16
    sent, unknown = run(run_tool, [Case([halting | 1, MARK(30)], 5).scalar(30, 0), Case([halting | 2, MARK(30)], 5).scalar(30, 0)])
    assert sent.fault is None and sent.s[30] == 0
    assert "message 2" in unknown.fault


def test_return_that_restores(gcn_table, run_tool):
    """S_RFE_RESTORE_B64 goes on where the first source says."""
    rfe = 0x80000000 | find(gcn_table, "s_rfe_restore_b64")["opcode"] << 23 | 128 << 8 | TARGET
    result, = run(run_tool, [Case([rfe, MARK(30), NOP, MARK(31)], 2).scalar(TARGET, CODE + 12, 2).scalar(30, 0).scalar(31, 0)])
    assert result.fault is None and (result.s[30], result.s[31]) == (0, 1)
