"""Divergence, calls, barriers, shared and local memory, atomics, shuffles, votes of sm_50."""
import struct

import pytest

from sm_program import KERNEL, KERNEL2, STORE, THREAD, launch, u32s

GPUS = ["sm", "sm:sms=2"]
SCHEDULES = ["rr:64", "lockstep", "random:7"]


def results(text, grid=32, block=32, arguments=None, more=(), gpu="sm"):
    (out,), _ = launch(text, arguments or [f"zeros:{8 * grid}"], grid, block, gpu, more=more)
    return u32s(out)[::2]


def test_if_and_else_come_together():
    body = """
    ISETP.LT.AND P0, PT, R0, 0xa, PT;
    SSY join;
    @P0 BRA then;
    IADD R10, R0, 0x64;
    SYNC;
then:
    IADD R10, R0, 0x3e8;
    SYNC;
join:
    VOTE.ALL R11, PT, PT;
"""
    text = KERNEL + THREAD + body + STORE
    (out,), _ = launch(text, ["zeros:256"])
    words = u32s(out)
    assert words[::2] == [i + (1000 if i < 10 else 100) for i in range(32)]
    assert set(words[1::2]) == {0xffffffff}, "all lanes run again behind the join"


def test_loops_of_different_lengths():
    body = """
    MOV R10, RZ;
    MOV R4, RZ;
    PBK done;
again:
    ISETP.GE.AND P0, PT, R4, R0, PT;
    @P0 BRK;
    IADD R10, R10, R4;
    IADD R4, R4, 0x1;
    BRA again;
done:
    VOTE.ALL R11, PT, PT;
"""
    (out,), _ = launch(KERNEL + THREAD + body + STORE, ["zeros:256"])
    assert u32s(out)[::2] == [i * (i - 1) // 2 for i in range(32)]
    assert set(u32s(out)[1::2]) == {0xffffffff}


def test_nested_divergence_with_continue():
    # for (k = 0; k < 8; k++) { if (k & tid) continue; if (k > tid) break; sum += k; }
    body = """
    MOV R10, RZ;
    MOV R4, -0x1;
    PBK done;
head:
    PCNT head;
    IADD R4, R4, 0x1;
    ISETP.GE.AND P0, PT, R4, 0x8, PT;
    @P0 BRK;
    LOP.AND.NZ P1, RZ, R4, R0;
    @P1 CONT;
    ISETP.GT.AND P2, PT, R4, R0, PT;
    @P2 BRK;
    IADD R10, R10, R4;
    CONT;
done:
    MOV R11, RZ;
"""
    def model(tid):
        total = 0
        for k in range(8):
            if k & tid:
                continue
            if k > tid:
                break
            total += k
        return total
    assert results(KERNEL + THREAD + body + STORE) == [model(i) for i in range(32)]


def test_calls_return_for_those_who_called():
    body = """
    MOV R10, R0;
    LOP.AND.NZ P0, RZ, R0, 0x1;
    SSY join;
    @P0 BRA odd;
    CAL twice;
    CAL twice;
    SYNC;
odd:
    CAL twice;
    SYNC;
join:
    MOV R11, RZ;
    STG.E.64 [R2], R10;
    EXIT;
twice:
    IADD R10, R10, R10;
    ISETP.GT.AND P1, PT, R10, 0x20, PT;
    @P1 RET;
    IADD R10, R10, 0x1;
    RET;
"""
    def twice(v):
        return 2 * v if 2 * v > 32 else 2 * v + 1
    assert results(KERNEL + THREAD + body) == [twice(i) if i & 1 else twice(twice(i)) for i in range(32)]


def test_indirect_branches_go_apart():
    body = """
    LOP.AND R4, R0, 0x3;
    SHL R4, R4, 0x5;
    SSY join;
    PBK join;
    NOP;
    BRX R4;
    NOP; NOP;
""".replace("NOP; NOP;", "NOP;")
    # Each target is a bundle of its own: three instructions.
    targets = "".join(f"    MOV R10, 0x{100 + i:x};\n    SYNC;\n    NOP;\n" for i in range(4))
    text = KERNEL + THREAD + """
    LOP.AND R4, R0, 0x3;
    SHL R4, R4, 0x5;
    SSY join;
    NOP;
    BRX R4;
""" + targets + "join:\n    MOV R11, RZ;\n" + STORE
    assert results(text) == [100 + i % 4 for i in range(32)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_shared_memory_and_barriers(schedule):
    body = """
    S2R R1, SR_CTAID.X;
    SHL R4, R0, 0x2;
    IADD R5, R0, 0x1;
    STS [R4], R5;
    BAR.SYNC 0x0;
    IADD R6, -R4, 0x1fc;
    LDS R10, [R6];
    XMAD R7, R1, 0x400, RZ;
    IADD R2.CC, R2, R7;
    IADD.X R3, R3, RZ;
    MOV R11, RZ;
"""
    text = KERNEL + ".shared 0x200\n" + THREAD + body + STORE
    assert results(text, 512, 128, more=[f"--schedule={schedule}"]) == [128 - i % 128 for i in range(512)]


@pytest.mark.parametrize("op, want", [("POPC", 43), ("AND", 0), ("OR", 1)])
def test_barrier_reductions(op, want):
    take = "B2R.RESULT R10;" if op == "POPC" else "B2R.RESULT RZ, P1; SEL R10, RZ, 0x1, !P1;".replace("; ", ";\n    ")
    body = f"""
    ISETP.LT.AND P0, PT, R0, 0x2b, PT;
    BAR.RED.{op} 0x0, P0;
    {take}
    MOV R11, RZ;
"""
    assert results(KERNEL + THREAD + body + STORE, 96, 96) == [want] * 96


def test_local_memory_is_of_the_thread():
    body = """
    MOV R4, c[0x0][0x20];
    STL [R4+-0x8], R0;
    LDL R10, [R4+-0x8];
    MOV R11, RZ;
"""
    assert results(KERNEL + ".local 0x10\n" + THREAD + body + STORE, 64, 64) == list(range(64))


def test_generic_addresses_reach_all_memories():
    body = """
    S2R R8, SR_SWINLO;
    S2R R9, SR_LWINLO;
    SHL R4, R0, 0x2;
    IADD R4, R4, R8;
    IADD R5, R0, 0x7;
    ST [R4], R5, PT;
    LDS R6, [R4+-0x1000000];
    ST [R9], R0, PT;
    LDL R7, [RZ];
    SHL R6, R0, 0x2;
    LDS R10, [R6];
    IADD R10, R10, R7;
    MOV R11, RZ;
""".replace("    LDS R6, [R4+-0x1000000];\n", "")
    text = KERNEL + ".shared 0x80\n.local 0x8\n" + THREAD + body + STORE
    assert results(text) == [2 * i + 7 for i in range(32)]


@pytest.mark.parametrize("gpu", GPUS)
def test_atomics(gpu):
    body = """
    MOV R4, c[0x0][inputs];
    MOV R5, c[0x0][0x14c];
    MOV R6, 0x3;
    RED.E.ADD [R4], R6;
    ATOM.E.MAX R7, [R4+0x4], R0;
    RED.E.XOR [R4+0x8], R0;
    MOV R8, RZ;
    MOV R9, R0;
    ATOM.E.CAS R7, [R4+0xc], R8, R9;
    MOV R12, 0x1;
    MOV R13, RZ;
    RED.E.ADD.U64 [R4+0x10], R12;
    MOV32I R14, 0x3f800000;
    RED.E.ADD.F32.FTZ.RN [R4+0x18], R14;
    EXIT;
"""
    text = KERNEL2 + THREAD + body
    (out,), _ = launch(text, ["zeros:1024", "zeros:32"], 128, 64, gpu, outputs=(1,))
    words = u32s(out)
    assert words[0] == 3 * 128 and words[1] == 63 and words[2] == 0 and words[3] in range(1, 64)
    assert words[4:6] == [128, 0] and struct.unpack("<f", out[24:28])[0] == 128.0


def test_shared_atomics():
    body = """
    ATOMS.ADD R10, [RZ], R0;
    BAR.SYNC 0x0;
    LDS R10, [RZ];
    MOV R11, RZ;
"""
    assert results(KERNEL + ".shared 0x10\n" + THREAD + body + STORE, 64, 64) == [sum(range(64))] * 64


@pytest.mark.parametrize("code, model", [
    ("SHFL.IDX P0, R10, R0, 0x5, 0x1f", lambda i: 5),
    ("SHFL.UP P0, R10, R0, 0x2, RZ", lambda i: i - 2 if i >= 2 else i),
    ("SHFL.DOWN P0, R10, R0, 0x3, 0x1f", lambda i: i + 3 if i + 3 < 32 else i),
    ("SHFL.BFLY P0, R10, R0, 0x10, 0x1f", lambda i: i ^ 16),
    ("SHFL.DOWN P0, R10, R0, 0x1, 0x1c03", lambda i: i + 1 if i % 4 < 3 else i),  # segments of 4
])
def test_shuffles(code, model):
    body = f"    {code};\n    SEL R11, RZ, 0x1, !P0;\n"
    (out,), _ = launch(KERNEL + THREAD + body + STORE, ["zeros:256"])
    assert u32s(out)[::2] == [model(i) for i in range(32)]
    assert u32s(out)[1::2] == [int(model(i) != i or "IDX" in code) for i in range(32)]


def test_signs_by_the_place_among_four():
    """b - a in lane 0 of each four, b in lane 1, a + b in lane 2, a - b in lane 3; a is 10, b the lane."""
    body = """
    I2F.F32.U32 R4, R0;
    MOV32I R5, 0x41200000;
    FSWZADD.NDV R10, R5, R4, NPZPPPPN;
    MOV R11, RZ;
"""
    (out,), _ = launch(KERNEL + THREAD + body + STORE, ["zeros:256"])
    want = [(i - 10.0, i, 10.0 + i, 10.0 - i)[i % 4] for i in range(32)]
    assert list(struct.unpack("<64f", out))[::2] == want


def test_targets_in_constant_memory():
    """JCAL and JMP read them; the first run says where the code is. Bundles are of three instructions."""
    text = KERNEL + ".param 8 function\n.param 8 target\n" + """
    LEPC R10;
    MOV R11, RZ;
    NOP;
""" + THREAD.replace("    IADD.X", "    NOP;\n    IADD.X") + """
    ISETP.EQ.AND P0, PT, RZ, c[0x0][0x148], PT;
    @P0 BRA end;
    JCAL c[0x0][0x148];
    @P1 JMP c[0x0][0x150];
    NOP;
    NOP;
    IADD32I R10, R10, 0x10;
end: NOP;
    STG.E.64 [R2], R10;
    EXIT;
    NOP;
    NOP;
    MOV R10, 0x5;
    ISETP.GT.AND P1, PT, R0, 0x3, PT;
    RET;
"""
    (out,), _ = launch(text, ["zeros:256", "0", "0"])
    base = u32s(out)[0] & ~31
    (out,), _ = launch(text, ["zeros:256", f"u64:{base + 6 * 32:#x}", f"u64:{base + 5 * 32:#x}"])
    assert u32s(out)[::2] == [5 if i > 3 else 0x15 for i in range(32)]


def test_votes():
    body = """
    ISETP.GT.AND P0, PT, R0, 0x13, PT;
    VOTE.ANY R10, P1, P0;
    VOTE.ALL R4, P2, P0;
    VOTE.EQ R4, P3, P0;
    P2R R11, PR, RZ, 0xe;
"""
    (out,), _ = launch(KERNEL + THREAD + body + STORE, ["zeros:256"])
    assert set(u32s(out)[::2]) == {0xfff00000} and set(u32s(out)[1::2]) == {2}


def test_special_registers_and_constants():
    body = """
    S2R R4, SR_CTAID.X;
    S2R R5, SR_TID.Y;
    MOV R6, c[0x0][0x8];
    MOV R7, c[0x0][0x14];
    LDC R8, c[0x2][RZ+0x4];
    S2R R1, SR_LANEID;
    XMAD R10, R4, 0x64, R5;
    IADD R10, R10, R7;
    IADD R10, R10, R8;
    XMAD R9, R5, R6, R0;
    XMAD R9, R4, 0x20, R9;
    SHL R9, R9, 0x3;
    IADD R2.CC, R9, c[0x0][out];
    IADD.X R3, RZ, c[0x0][0x144];
    MOV R11, R1;
"""
    text = KERNEL + ".const 2,0 0x1, 0x3e8\n" + THREAD + body + STORE
    (out,), _ = launch(text, ["zeros:1024"], "32,8", "8,4")
    want = [(block % 4) * 100 + i // 8 + 4 + 1000 for block in range(4) for i in range(32)]
    assert u32s(out)[::2] == want
    assert u32s(out)[1::2] == list(range(32)) * 4


@pytest.mark.parametrize("body, kind, words", [
    ("MOV R4, 0x1000;\n LDG R5, [R4];", 120, "L1_ERROR: load of 4 bytes at 0x1000"),
    ("MOV R4, 0x2;\n LDS R5, [R4];", 119, "MISALIGNED_ADDR"),
    ("MOV R4, 0x100;\n STS [R4], R5;", 120, "OOR_ADDR: store of 4 bytes at 0x100 of shared memory"),
    (".quad 0x5fffffffffffffff;", 116, "ILLEGAL_INSTR_ENCODING"),
    ("MOV R4, c[0x5][0x0];", 120, "INVALID_CONST_ADDR"),
    ("DADD R11, R4, R6;", 116, "MISALIGNED_REG"),
    ("MOV32I R4, 0x10000;\n LDC R4, c[0x0][R4];", 120, "INVALID_CONST_ADDR_LDC: there is no constant at c[0x0][0x10000]"),
    ("MOV R4, 0x4;\n JMX R4;", 119, "MISALIGNED_PC: jump to 0x4, no multiple of 8"),
    ("MOV R4, 0x100;\n JMX R4;", 120, "PC_OVERFLOW: instruction fetch at 0x108"),
    ("RET;", 118, "RET_EMPTY_STACK_ERROR"),
    ("SYNC;", 118, "STACK_ERROR"),
    ("again: SSY again;\n BRA again;", 118, "API_STACK_ERROR"),
    ("BAR.SYNC 0x3, 0x40;", 121, "deadlock"),
    ("BPT.TRAP 0x1;", 122, "BPT.TRAP 0x1, and there is no trap handler"),
    ("BPT.TRAP 0x0;", 116, "ILLEGAL_INSTR_PARAM"),
    ("BPT.TRAP 0x8;", 116, "ILLEGAL_INSTR_ENCODING"),
    ("BPT.CAL;", 116, "ILLEGAL_INSTR_ENCODING"),
    ("BPT.PAUSE;", 116, "BPT.PAUSE outside the trap handler"),
    ("BPT.PAUSE_QUIET;", 116, "BPT.PAUSE_QUIET outside the trap handler"),
    ("RTT;", 116, "RTT outside the trap handler"),
    (".quad 0xea60000000000000;", 116, "SUATOM (0xea60000000000000): atomics on surfaces"),
    (".quad 0x5d10000000000000;", 116, "HADD2 (0x5d10000000000000): arithmetic of sm_53 and later GPUs"),
    (".quad 0xe330000000000000;", 116, "KIL (0xe330000000000000): an instruction of graphics"),
])
def test_mistakes_end_the_launch_with_a_report(body, kind, words):
    text = KERNEL + ".shared 0x100\n" + "".join(f"    {line}\n" for line in body.split("\n")) + "    EXIT;\n"
    _, report = launch(text, ["zeros:8"], status=kind, outputs=())
    assert words in report and "group (0,0,0), core 0, warp 0, lanes " in report
