"""`wavetrap debug` on NVIDIA's SM: assembled machine code, and PTX of clang."""
import re
import shutil
import subprocess

import pytest
from conftest import OPENCL_TARGETS, ROOT, WAVETRAP, answers, ask_console, debug, marked

VADD = ["--grid=256", "--block=64", "--arg=zeros:1024", "--arg=iota:1024", "--arg=iota:1024", "--arg=256"]


@pytest.fixture(scope="module")
def sass(tmp_path_factory):
    """sass(text or the name of an example): a cubin."""
    folder = tmp_path_factory.mktemp("sass")

    def build(text, name="kernel"):
        source = ROOT / "examples" / "sm" / f"{text}.sass"
        if "\n" in text:
            source = folder / f"{name}.sass"
            source.write_text(text)
        out = folder / (source.stem + ".cubin")
        subprocess.run([WAVETRAP, "asm", source, "-o", out], check=True)
        return out
    return build


def session(file, *commands, options=VADD):
    result = debug(file, *commands, options=options)
    assert result.returncode == 0 and not result.stderr, result.stdout + result.stderr
    return result.stdout


def test_instructions_at_control_words_and_within_instructions(sass):
    """A function is disassembled from its first control word on; an address at which no instruction begins is refused by each command."""
    file = sass("vadd")
    out = session(file, "start", "disassemble")
    listed = [line for line in out.splitlines() if "<+" in line]
    words = [line for line in (ROOT / "examples" / "sm" / "vadd.sass").read_text().splitlines() if line.strip().endswith(";")]
    assert len(listed) >= len(words) and "<+8>" in listed[0] and "S2R R0, SR_CTAID.X" in listed[0]
    assert not any(int(line.split("<+")[1].split(">")[0]) % 32 == 0 for line in listed)
    for command, why in (("x/i $pc + 4", "No instruction begins at 0x1000000c, which is not a multiple of 8"),
                         ("x/i 0x10000020", "No instruction begins at 0x10000020, a control word"),
                         ("disassemble $pc + 3, +8", "not a multiple of 8"), ("set $pc = $pc + 2", "not a multiple of 8"),
                         ("set $pc = 0x10000020", "a control word"), ("x/i 0", "Cannot access memory at address 0x0")):
        done = debug(file, "start", command, options=VADD)
        assert why in done.stderr, (command, done.stderr)


def test_a_kernel_starts_at_the_first_instruction_behind_the_control_word(sass):
    out = session(sass("vadd"), "start", "info warps", "x/4i $pc")
    assert "breakpoint 1 at 0x10000008 <vadd+8>" in out
    assert out.count("lanes 0-31  0x10000008 <vadd+8>\n") == 8
    assert "=> 0x10000008 <vadd+8>:\tS2R R0, SR_CTAID.X\n" in out
    # The control word of the second bundle is not one of the instructions.
    assert "0x10000018 <vadd+24>:" in out and "0x10000028 <vadd+40>:" in out and "0x10000020" not in out


def test_an_address_where_no_instruction_begins_is_refused_at_once(sass):
    """A control word, the middle of a word; in a kernel that runs and in one that has not begun."""
    for start in ([], ["start"]):
        for place, why in (("vadd", "0x10000000, a control word: the next one is at 0x10000008"), ("(long)vadd + 32", "0x10000020, a control word: the next one is at 0x10000028"),
                           ("(long)vadd + 12", "0x1000000c, which is not a multiple of 8")):
            result = debug(sass("vadd"), *start, f"break *{place}", options=VADD)
            assert f"No instruction begins at {why}." in result.stderr, result.stdout + result.stderr
        # Where nothing is each later command would fail.
        result = debug(sass("vadd"), *start, "break *0x10", options=VADD)
        assert "no breakpoint can be set at 0x10: no memory can be read at 0x10" in result.stderr, result.stdout + result.stderr
    assert "Breakpoint 1 at 0x10000028" in session(sass("vadd"), "break *(long)vadd + 40", "run")


def test_breakpoints_steps_and_registers(sass):
    out = session(sass("vadd"), "break *0x10000050", "run", "print $R0", "print $R2", "print/x $P0", "info registers pc",
                  "delete", "stepi", "stepi", "print $R6", "continue")
    assert "Breakpoint 1, 0x0000000010000050 in vadd ()" in out
    group, warp, lane = map(int, re.search(r"group \((\d+),0,0\), core 0, warp (\d+), lane (\d+);", out).groups())
    index = warp * 32 + lane
    assert f"$1 = {index}\n" in out and group == warp // 2
    assert "$3 = 0x0\n" in out
    assert re.search(r"pc +0x10000050 ", out)
    assert f"$4 = {4 * index}\n" in out
    assert out.rstrip().endswith("[Program exited normally]")


def test_conditions_of_watchpoints(sass):
    out = session(sass("vadd"), "start", "watch *(int*)0x200000000 if $R8 == 1", "watch *(int*)0x200000190 if $R8 == 200", "continue", "print $_lane",
                  "reverse-continue", "delete", "continue")
    assert "Hardware watchpoint 3: *(int*)0x200000190\n\nOld value = 0\nNew value = 200\n0x00000000100000d0 in vadd ()" in out and "$1 = 4\n" in out
    assert "Old value = 200\nNew value = 0\n0x00000000100000c8 in vadd ()" in out and "Hardware watchpoint 2: *(int*)0x200000000\n\n" not in out


def test_messages_of_each_lane_change_no_issue_time(sass):
    last = ("break *0x10000068", "run", "print $_time")
    plain = session(sass("vadd"), *last)
    out = session(sass("vadd"), 'dprintf *0x10000050,"= %d %d %u\\n",$R0,$R2,$_lane', *last, "delete 2", "continue")
    lines = sorted(tuple(map(int, line)) for line in re.findall(r"^= (\d+) (\d+) (\d+)$", out, re.M))
    assert lines == [(i, i, i % 32) for i in range(256)]
    assert re.search(r"^\$1 = (.*)", plain, re.M)[1] == re.search(r"^\$1 = (.*)", out, re.M)[1]


def test_a_breakpoint_does_not_change_issue_times(sass):
    one = ["--grid=32", *VADD[2:]]  # of several warps a stop changes whose turn it is
    last = ("watch *(int*)0x200000008", "continue", "print $_time")
    plain = session(sass("vadd"), "start", "delete", *last, options=one)
    stopped = session(sass("vadd"), "start", "break *0x10000050", "break *0x10000068", "continue", "continue", "delete",
                      *last, options=one)
    assert "New value = 4\n" in plain and "New value = 4\n" in stopped
    assert plain.splitlines()[-1] == stopped.splitlines()[-1] and re.match(r"\$1 = \d+$", plain.splitlines()[-1])


def test_registers_and_predicates_can_be_set(sass):
    out = session(sass("vadd"), "break *0x10000048", "run", "delete", "set $P0 = 1", "print/x $P0", "stepi",
                  "info lanes", "info divergence", "set $R0 = 7", "print $R0")
    # @P0 EXIT: lane 0 has ended.
    assert re.search(r"^lanes 1-31 are enabled, at .*\nlane 0 is masked off$", out, re.M), out
    assert "$1 = 0x1\n" in out
    assert re.search(r"\* 0 +masked off +0x10000050 <vadd\+80>\n  1\.\.31 +0x10000050 <vadd\+80>", out), out
    assert "$2 = 7\n" in out


def test_reverse_steps_and_continue(sass):
    out = session(sass("vadd"), "break *0x10000050", "run", "reverse-stepi", "stepi", "delete", "reverse-continue")
    assert "0x0000000010000048 in vadd ()" in out
    assert out.count("0x0000000010000050 in vadd ()") == 2
    assert "No more reverse-execution history" in out


def test_who_wrote_names_the_instruction(sass):
    out = session(sass("vadd"), "start", "break *0x100000d0", "continue", "who-wrote *(int*)0x200000000@1")
    assert "<vadd+" in out


def test_spaces_of_memory(sass):
    kernel = """.kernel spaces
.shared 64
.local 16
.param 8 out
    S2R R0, SR_TID.X;
    SHL R1, R0, 0x2;
    IADD32I R2, R0, 0x64;
    STS [R1], R2;
    MOV32I R3, 0x0;
    STL [R3], R0;
    BAR.SYNC 0x0;
    NOP;
    EXIT;
"""
    out = session(sass(kernel, "spaces"), "break *0x10000050", "run", "print *(int *)0xfe000008", "print *(int *)0xff000000",
                  "x/1dw 0xfe00000c", options=["--grid=16", "--arg=zeros:64"])
    assert "$1 = 102\n" in out and "$2 = 0\n" in out and re.search(r"0xfe00000c.*:\t103\n", out), out


BARRIER = """.kernel barrier
.param 8 out
    S2R R0, SR_TID.X;
    NOP;
    BAR.SYNC 0x0;
    NOP;
    NOP;
    EXIT;
"""


def test_a_step_over_a_barrier_waits_for_the_others(sass):
    out = session(sass(BARRIER, "barrier"), "start", "delete", "stepi", "stepi", "stepi", "info warps",
                  options=["--grid=64", "--block=64", "--arg=zeros:4"])
    assert re.search(r"\* device 0, dispatch \d+, group \(\d,0,0\), core 0, warp 0 .* 0x10000028 <barrier\+40>", out), out


def test_a_stray_access_is_an_error_with_its_warp(sass):
    kernel = """.kernel stray
.param 8 out
    S2R R0, SR_TID.X;
    MOV32I R2, 0x40;
    MOV R3, RZ;
    STG.E [R2], R0;
    EXIT;
"""
    result = debug(sass(kernel, "stray"), "run", "info registers pc", options=["--grid=32", "--arg=zeros:4"])
    assert "L1_ERROR: store of 4 bytes at 0x40" in result.stdout, result.stdout
    assert "in stray ()" in result.stdout
    assert re.search(r"pc +0x10000028 ", result.stdout)


def test_the_error_status_is_told_in_words(sass):
    kernel = """.kernel misaligned
.param 8 out
    MOV32I R2, 0x1;
    MOV R3, RZ;
    LDS R4, [R2];
    EXIT;
"""
    out = debug(sass(kernel, "misaligned"), "start", "info trap", "continue", "info trap",
                options=["--grid=32", "--arg=zeros:4"]).stdout
    assert "HWW_WARP_ESR = 0x00010000: a trap\n  TRAP = 1: BPT.TRAP 0x1\n" in out
    assert "Program stopped by a fault: MISALIGNED_ADDR" in out, out
    assert re.search(r"HWW_WARP_ESR = 0x0000000f: MISALIGNED_ADDR\n  ERROR = 0x0f, made at 0x10000018\n", out), out


def test_errors_are_caught_by_the_names_of_the_error_status(sass):
    kernel = """.kernel misaligned
.param 8 out
    MOV32I R2, 0x1;
    MOV R3, RZ;
    LDS R4, [R2];
    EXIT;
"""
    file = sass(kernel, "misaligned")
    out = debug(file, "catch OOR_ADDR", "catch misaligned_addr", "run", options=["--grid=32", "--arg=zeros:4"]).stdout
    assert "Catchpoint 2: Program stopped by a fault: MISALIGNED_ADDR" in out, out


@pytest.mark.parametrize("way", [[], ["--hw-only"]], ids=["services", "hw_only"])
@pytest.mark.parametrize("count", [256, 229, 10])
def test_a_dispatch_ends_with_the_last_lanes_of_its_last_warp(sass, way, count):
    """Warp 7 is the last: with 229 items 27 of its lanes end first, at the predicated EXIT; with 10 all of them end there. All is stored."""
    how = ["--grid=256", "--block=64", "--arg=zeros:1024", "--arg=iota:1024", "--arg=iota:1024", f"--arg=i32:{count}", *way]
    said = ask_console(sass("vadd"), ["catch dispatch end"], ["run", "info warps", "x/i $pc", f"x/{count}dw 0x200000000", "continue"], options=how)
    assert "Catchpoint 1 (dispatch end), " in said[0] and said[1].count("\n") == 0 and "warp 7 " in said[1], said[:2]
    assert ("@P0 EXIT" in said[2]) == (count == 10) and "EXIT" in said[2], said[2]
    assert [int(n) for line in said[3].splitlines() for n in line.split("\t")[1:]] == [2 * i for i in range(count)], said[3]
    assert said[4].endswith("[Program exited normally]")


def trapping(number):
    return f""".kernel trap{number}
.param 8 out
    S2R R0, SR_TID.X;
    BPT.TRAP 0x{number};
    NOP;
    EXIT;
"""


def test_a_trap_of_the_program_is_told_apart_from_breakpoints(sass):
    out = session(sass(trapping(1), "trap1"), "run", "continue", options=["--grid=32", "--arg=zeros:4"])
    assert "Program stopped at a breakpoint instruction of its own.\n0x0000000010000010 in trap1 ()" in out
    assert out.rstrip().endswith("[Program exited normally]")


def test_trap_and_brkpt_of_ptx_are_the_programs_own_where_no_breakpoint_is(tmp_path):
    """A breakpoint that a debugger has set there is told as its own."""
    (tmp_path / "k.ptx").write_text(""".version 8.0
.target sm_50
.address_size 64
.visible .entry k()
{
    .reg .u32 %r1;
    mov.u32 %r1, 5;
    trap;
    mov.u32 %r1, 6;
    brkpt;
    ret;
}
""")
    out = session(tmp_path / "k.ptx", "run", "print $%r1", "continue", "print $%r1", "continue", options=["--grid=32"])
    assert out.count("Program stopped at a breakpoint instruction of its own.\n") == 2 and "$1 = 5\n" in out and "$2 = 6\n" in out, out
    assert out.rstrip().endswith("[Program exited normally]")
    out = session(tmp_path / "k.ptx", "break k.ptx:8", "run", options=["--grid=32"])
    assert "Breakpoint 1, k ()" in out and "of its own" not in out, out


def test_other_traps_without_a_handler_end_the_program(sass):
    result = debug(sass(trapping(3), "trap3"), "run", "continue", options=["--grid=32", "--arg=zeros:4"])
    assert "Program stopped by a fault: BPT.TRAP 0x3, and there is no trap handler\n" in result.stdout
    assert result.returncode == 122


def test_a_trap_handler_of_ones_own_stops_and_returns(sass):
    handler = sass("debugger")
    out = session(sass("vadd"), "break *0x10000050", "run", "print $trapped", "info trap", "stepi", "delete", "continue",
                  options=[*VADD, f"--trap-handler={handler}"])
    assert "Breakpoint 1, 0x0000000010000050 in vadd ()" in out
    assert "$1 = 1\n" in out and "0x0000000010000058 in vadd ()" in out
    assert "The warp is in the trap handler, at 0x200000" in out
    assert out.rstrip().endswith("[Program exited normally]")


# ---- PTX ----

SOURCE = """int scale(int x, int k)
{
    int y = x * k;
    return y + 1;
}
kernel void work(global int *out, global const int *in, int k)
{
    local int tile[64];
    int i = get_global_id(0);
    int l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = tile[63 - l];
    if (v & 1)
        v = scale(v, k);
    else
        v = -v;
    out[i] = v;
}
"""
WORK = ["--grid=128", "--block=64", "--arg=zeros:512", "--arg=iota:512", "--arg=3"]


@pytest.fixture(scope="module")
def ptx(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ptx")
    if not shutil.which("clang-19"):
        pytest.skip("clang-19 is not installed")
    (folder / "work.cl").write_text(SOURCE)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "nvptx64--nvidiacl", "-S", "-O0", "-g",
                    "-Xclang", "-mlink-builtin-bitcode", "-Xclang", "/usr/lib/clc/nvptx64--nvidiacl.bc",
                    folder / "work.cl", "-o", folder / "work.ptx"], check=True)
    return folder / "work.ptx"


@pytest.mark.parametrize("way", [[], ["--hw-only"]], ids=["services", "hw_only"])
def test_a_dispatch_of_ptx_ends_with_its_last_warp(tmp_path, way):
    """The lanes leave the loop one after the other, and three of each warp return early: only the last warp is left, whole, behind all stores.
    Backwards and forwards again the same stop is found."""
    (tmp_path / "ends.cl").write_text("__kernel void ends(__global int *out, int n)\n{\n    int id = get_global_id(0);\n    if (id % 32 < 3)\n"
                                      "        return;\n    for (int i = 0; i < id % 7; i++)\n        out[id] += i;\n    out[id] += n;\n}\n")
    file = tmp_path / "ends.ptx"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS["sm"], "-O0", "-g", tmp_path / "ends.cl", "-o", file], check=True)
    how = ["-g", "sm", "--kernel=ends", "--grid=128", "--block=64", "--arg=zeros:512", "--arg=i32:7", *way]
    again = [] if way else ["reverse-continue", "continue", "info warps"]
    said = ask_console(file, ["catch dispatch end"], ["run", "info warps", "x/i $pc", "x/128dw out", *again, "delete", "continue"], options=how)
    assert re.search(r"Catchpoint 1 \(dispatch end\), .*ends \(", said[0]) and said[1].count("\n") == 0 and said[2].endswith("ret"), said
    stored = [int(n) for line in said[3].splitlines() for n in line.split("\t")[1:]]
    assert stored == [0 if i % 32 < 3 else 7 + sum(range(i % 7)) for i in range(128)], stored
    if again:
        assert "(dispatch end)" in said[5] and said[6] == said[1], said
    assert said[-1].endswith("[Program exited normally]")


def test_lines_of_opencl(ptx):
    out = session(ptx, "start", "break work.cl:13", "continue", "next", "next", options=WORK)
    assert "Temporary breakpoint 1, work (out=" in out
    assert re.search(r"Breakpoint 2, work \(.*\) at .*work.cl:13\n13\t    int v = tile\[63 - l\];\n", out), out
    assert "14\t    if (v & 1)\n" in out
    assert ".ptx" not in out.split("Breakpoint 2", 1)[1]


def test_breakpoints_in_functions_that_are_called(ptx):
    out = session(ptx, "break scale", "run", "info lanes", "x/3i $pc", "delete", "continue", options=WORK)
    assert re.search(r"Breakpoint 1, scale \(.*\) at .*work.cl:3\n", out), out
    assert "=> 0x1" in out
    assert out.rstrip().endswith("[Program exited normally]")


def test_calls_of_ptx_and_their_frames(ptx):
    out = session(ptx, "break scale", "run", "backtrace", "delete", "finish", options=WORK)
    assert re.search(r"#0  scale \(x=63, k=3\) at .*work.cl:3\n#1  0x0*10000\w+ in work \(out=0x200000000, .*, k=3\) at .*work.cl:15\n", out), out
    assert re.search(r"Run till exit from #0 .*\n0x0*10000\w+ in work \(.*\) at .*work.cl:15\n15\t        v = scale", out), out


def test_next_goes_over_a_call_and_step_into_it(ptx):
    # Thread 62 of the block has tile[1], which is odd.
    place = ("break work.cl:15", "run", "delete", "cuda thread 62")
    over = session(ptx, *place, "next", options=WORK)
    into = session(ptx, *place, "step", options=WORK)
    assert re.search(r"\n18\t    out\[i\] = v;\n$", over), over
    assert re.search(r"scale \(x=1, k=3\) at .*work.cl:3\n3\t    int y = x \* k;\n$", into), into


def test_the_states_of_threads_as_cuda_gdb_lists_them(ptx):
    out = session(ptx, "break scale", "run", "info cuda kernels", "info cuda blocks", "info cuda warps", "info cuda lanes",
                  "info cuda sms", "info cuda devices", "info cuda threads", options=WORK)
    assert re.search(r"^\* +1 +0 Active 0x00000001 +\(2,1,1\) +\(64,1,1\) work$", out, re.M)
    assert re.search(r"^Kernel 1\n\* +\(0,0,0\) +0 +0 +2 stopped\n +\(1,0,0\) +0 +0 +2 stopped$", out, re.M)
    # The even threads of a warp have the odd values, and are in scale().
    assert re.search(r"^\*  0 +0x55555555 +0xaaaaaaaa 0x\w+ +1 +\(0,0,0\)$", out, re.M)
    assert re.search(r"^\*  0 +active 0x\w+ +\(0,0,0\)\n +1 divergent 0x\w+ +\(1,0,0\)$", out, re.M)
    assert re.search(r"^\*  0 0x000000000000000f$", out, re.M)
    assert re.search(r"^\* +0 +sm +1 +64 +32$", out, re.M)
    assert re.search(r"^\* +\(0,0,0\) +\(0,0,0\) +\(0,0,0\) +1 0x\w+ work.cl 3\n"
                     r" +\(0,0,0\) +\(1,0,0\) +\(1,0,0\) +1 0x\w+ work.cl 17$", out, re.M), out


@pytest.mark.parametrize("words,focus", [
    ("block 1 thread 3", "kernel 1, block (1,0,0), thread (3,0,0), device 0, sm 0, warp 2, lane 3"),
    ("kernel 1 block (1,0,0) thread (35,0,0)", "kernel 1, block (1,0,0), thread (35,0,0), device 0, sm 0, warp 3, lane 3"),
    ("thread 40", "kernel 1, block (0,0,0), thread (40,0,0), device 0, sm 0, warp 1, lane 8"),
    ("warp 3 lane 7", "kernel 1, block (1,0,0), thread (39,0,0), device 0, sm 0, warp 3, lane 7"),
    ("lane 5", "kernel 1, block (0,0,0), thread (5,0,0), device 0, sm 0, warp 0, lane 5"),
])
def test_the_focus_in_the_words_of_cuda_gdb(ptx, words, focus):
    out = session(ptx, "start", f"cuda {words}", "cuda kernel block thread", options=WORK)
    assert f"[Switching focus to CUDA {focus}]\n" in out
    assert out.endswith(f"\n{focus}\n")


def test_a_focus_that_is_not_there(ptx):
    result = debug(ptx, "start", "cuda block 7", "cuda", options=WORK)
    assert "Request cannot be satisfied. CUDA focus unchanged" in result.stderr
    result = debug(ptx, "start", "cuda grid 7", options=WORK)
    assert "cuda takes kernel N, block X,Y,Z" in result.stderr


def test_variables_of_opencl_have_their_address_spaces(ptx):
    """As in work.cl: tile is of the group, the rest of the thread; pointers of all spaces are as long as addresses."""
    out = session(ptx, "break work.cl:18", "run", "info locals", "info args", "print v@1", "print tile[2]", "print sizeof(out)", "print *in@5",
                  "delete", "break scale", "continue", options=WORK)
    group, warp = map(int, re.search(r"group \((\d),0,0\), core 0, warp (\d+),", out).groups())
    first = 64 * group + 32 * (warp % 2)
    assert f"\ni = {first}\n" in out and f"\nl = {32 * (warp % 2)}\n" in out and "\nout = 0x200000000\n" in out and "\nk = 3\n" in out, out
    # From the other end of the tile: even ones with the other sign, odd ones times 3 and one more.
    value = 64 * group + 63 - 32 * (warp % 2) - 1
    assert f"$1 = {-value}\n" in out and f"$2 = {64 * group + 2}\n" in out and "$3 = 8\n" in out and "$4 = 0\n" in out, out
    assert re.search(r"Breakpoint 2, scale \(x=\d+, k=3\)", out), out


def test_recursion_in_ptx(tmp_path):
    text = tmp_path / "deep.ptx"
    text.write_text(""".version 7.0
.target sm_60
.address_size 64
.func (.param .b32 r) sum(.param .b32 n)
{
    .reg .b32 %n, %m, %s;
    .reg .pred %p;
    ld.param.u32 %n, [n];
    setp.eq.u32 %p, %n, 0;
    mov.u32 %s, 0;
    @%p bra done;
    sub.u32 %m, %n, 1;
    {
    .param .b32 a;
    .param .b32 v;
    st.param.b32 [a], %m;
    call (v), sum, (a);
    ld.param.b32 %s, [v];
    }
    add.u32 %s, %s, %n;
done:
    st.param.b32 [r], %s;
    ret;
}
.visible .entry deep(.param .u64 out)
{
    .reg .b64 %o;
    .reg .b32 %s;
    .param .b32 a;
    .param .b32 v;
    ld.param.u64 %o, [out];
    st.param.b32 [a], 4;
    call (v), sum, (a);
    ld.param.b32 %s, [v];
    st.global.b32 [%o], %s;
    trap;
    ret;
}
""")
    out = session(text, "break deep.ptx:22", "run", "backtrace", "finish", "delete", "watch *(int *)0x200000000", "continue",
                  "delete", "continue", options=["--grid=1", "--arg=zeros:4"])
    frames = re.findall(r"#(\d+)  (?:0x\w+ in )?(\w+) \((.*?) \(at (?:the call|launch)\)\) at", out.split("Run till exit")[0])
    assert frames == [(str(i), "sum", f"n={i}") for i in range(5)] + [("5", "deep", "out=8589934592")], out
    assert "Run till exit from #0  sum (n=0 (at the call)) at" in out and "New value = 10\n" in out
    assert "Program stopped at a breakpoint instruction of its own.\n" in out


def in_core_file(core, commands):
    """What the console says as it opens a core file, and then to each command."""
    done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "--core", core, *(w for c in commands for w in ("-ex", "echo @@@\\n", "-ex", c))],
                          capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.split("@@@\n")


def is_as_before(core, before, commands, file, options):
    """A core file says what the console said in the run, backwards, too."""
    live = answers(session(file, *before, f"generate-core {core} all", "delete", *marked(commands), options=options))
    said = in_core_file(core, commands)
    different = [(c, a, b) for c, a, b in zip(commands, live, said[1:])
                 if re.sub(r"reakpoint \d+", "", a).strip() != re.sub(r"reakpoint \d+", "", b).strip()]
    assert len(live) == len(commands) and not different, different[0]
    return said


def test_a_core_file_of_machine_code(sass, tmp_path):
    look = ["info warps", "info registers pc", "print/x $R0", "print $R2", "print/x $P0", "x/4i $pc", "x/8xw 0x200000000", "info time"]
    said = is_as_before(tmp_path / "core", ["break *0x10000050", "run", "continue", "stepi"],
                        [*look, "reverse-stepi", *look, "goto start", *look, "break *0x10000068", "continue", *look, "delete", "goto end", *look],
                        sass("vadd"), VADD)
    assert "Program stopped." in said[0] and "in the past" in said[2 * len(look) + 1]


def test_a_core_file_of_ptx(ptx, tmp_path):
    """Two paths of a warp, one in a function that is called; shared memory, barriers; sources."""
    look = ["backtrace", "info lanes", "info cuda warps", "info cuda lanes", "info locals", "info registers pc", "x/3i $pc", "info time"]
    said = is_as_before(tmp_path / "core", ["break scale", "run", "next"],
                        [*look, "up", "print tile[0..7]", "print v", "reverse-step", *look, "goto start", *look, "break work.cl:13", "continue",
                         *look, "delete", "goto end", *look], ptx, WORK)
    assert "scale (x=" in said[0] and "#1  " in said[1] and "work.cl:15" in said[1]


def test_a_faults_core_file(sass, tmp_path):
    """A trap without a handler, with what was recorded before it."""
    core, file = tmp_path / "core", sass(".kernel stop\n    MOV32I R1, 0x12;\n    MOV32I R2, 0x34;\n    BPT.TRAP 0x3;\n    EXIT;\n", "stop")
    done = subprocess.run([WAVETRAP, "run", "-g", "sm", f"--core-on-fault={core}", "--core-history=all", "--grid=32", file],
                          capture_output=True, text=True, timeout=200, check=False)
    assert f"The state is in {core}" in done.stderr, done.stderr
    said = in_core_file(core, ["print/x $R1", "print/x $R2", "reverse-stepi", "print/x $R2", "info time"])
    assert "Program stopped by a fault: " in said[0] and said[1] == "$1 = 0x12\n" and said[2] == "$2 = 0x34\n"
    assert "in the past" in said[5], said


REGISTERS = """.version 8.0
.target sm_50
.address_size 64
.func (.reg .b32 out) add_one(.reg .b32 in)
{
    .reg .b32 %r<2>;
    add.s32 %r1, in, 1;
    mov.b32 out, %r1;
    ret;
}
.visible .entry work(.param .u64 where)
{
    .reg .b32 %r<4>;
    .reg .b64 %wide;
    .reg .f32 %f;
    .reg .f64 %d;
    .reg .pred %p<3>;
    .reg .v2 .u32 %v;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %wide, %r1, 100000000;
    cvt.rn.f32.u32 %f, %r1;
    mul.f32 %f, %f, 0f3F000000;
    cvt.f64.f32 %d, %f;
    setp.lt.u32 %p1, %r1, 5;
    not.pred %p2, %p1;
    mov.u32 %v.x, %r1;
    mov.u32 %v.y, 7;
    mul.lo.u32 %r2, %r1, 10;
    call (%r3), add_one, (%r2);
    ret;
}
"""


@pytest.fixture
def registers(tmp_path):
    (tmp_path / "registers.ptx").write_text(REGISTERS)
    return tmp_path / "registers.ptx"


ONE_WARP = ["--grid=32", "--block=32", "--arg=zeros:4"]


def test_registers_of_ptx_by_their_names(registers):
    """Of all lanes; in each frame those of its function; in expressions, conditions and displays."""
    said = ask_console(registers, [], ["break add_one", "run", "info registers virtual", "print $in@*", "up", "info registers %r1 $%wide",
                   "info registers virtual", "print $%r2 / 2 + $%v.y", "print $%wide@30", "print $%d@*", "info registers %p1 %p2", "print $%r3"],
                       options=ONE_WARP)
    assert re.findall(r"^(\S+) ", said[2], re.M) == ["out", "in", "%r0", "%r1"], said[2]
    assert re.search(r"^in +0, 10 .. 310, step \+10, in lanes 0..31$", said[2], re.M), said[2]
    assert said[5] == "%r1            0, 1 .. 31, step +1, in lanes 0..31\n%wide          0, 100000000 .. 3100000000, step +100000000, in lanes 0..31"
    assert re.search(r"^%v\.x +0, 1 .. 31, step \+1, in lanes 0..31\n%v\.y +7 in all 32 lanes$", said[6], re.M), said[6]
    assert re.search(r"^%f +\n  0 +0\n  1 +0\.5\n  2 +1\n", said[6], re.M), said[6]
    assert said[7].endswith("= 7") and "3000000000" in said[8] and re.search(r"^  31 +15\.5$", said[9], re.M), said[7:10]
    assert said[10] == "%p1            0x1f\n%p2            0xffffffe0"


def test_registers_of_ptx_in_conditions(registers):
    said = ask_console(registers, [], ["break *work+72 if $%r1 == 9", "run", "print $%r1", "print $%f", "delete", "continue"], options=ONE_WARP)
    assert "lane 9;" in said[1] and said[2] == "$1 = 9" and said[3] == "$2 = 4.5", said


@pytest.mark.parametrize("command, message", [("print $%r9", "this function has no register %r9"), ("info registers %r9", "Invalid register `%r9'"),
                                              ("watch $%r1", "registers cannot be watched")])
def test_registers_of_ptx_that_there_are_not(registers, command, message):
    done = debug(registers, "break add_one", "run", "up", command, options=ONE_WARP)
    assert done.returncode == 1 and message in done.stderr, done.stderr


def test_warps_that_pause_quietly_are_told(sass):
    """Nothing lets them go: `run` alone ends with 125."""
    handler = sass(".kernel handler\n    BPT.PAUSE_QUIET;\n    RTT;\n", "handler")
    done = debug(sass(".kernel k\n    BPT.TRAP 3;\n    EXIT;\n", "quiet"), "run", "info warps", options=["--grid=64", "--block=32", f"--trap-handler={handler}"])
    assert "Program stopped: every warp that was resumed has halted, and waits for a debug register to be written." in done.stdout, done.stdout
    assert done.stdout.count("lanes 0-31  0x") == 2


RETURNED = """
#define DEVICE __attribute__((device, noinline))
struct P { int a; float b; short c; };
DEVICE int twice(int x) { return x * 2; }
DEVICE char narrow(int x) { return (char)-x; }
DEVICE double half(double x) { return x / 2; }
DEVICE long wide(int x) { return (long)x << 40; }
DEVICE P make(int x) { P p; p.a = x; p.b = x * 0.5f; p.c = (short)-x; return p; }
DEVICE int again(int n) { return n ? again(n - 1) + n : 100; }
extern "C" __attribute__((global)) void k(int *out, int n)
{
    int i = n + __nvvm_read_ptx_sreg_tid_x();
    P p = make(i);
    out[i] = twice(i) + narrow(i) + (int)half(i) + (int)wide(i) + p.a + again(3);
}
"""


def test_finish_has_the_value_that_ptx_returns(tmp_path):
    """Numbers and structures, in a lane; the text's own row for it, behind the call and nowhere else."""
    source, out = tmp_path / "returned.cu", tmp_path / "returned.ptx"
    source.write_text(RETURNED)
    subprocess.run(["clang-19", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_50", "-nocudainc", "-nocudalib", "-w", "-S", "-g", "-O0",
                    source, "-o", out], check=True, capture_output=True)
    x = 5 + 7 # lane 7
    values = {"twice": f"{2 * x}", "narrow": f"{-x} '\\364'", "half": "6", "wide": str(x << 40), "make": f"{{a = {x}, b = 6, c = {-x}}}",
              "again": "106"}
    for name, value in values.items():
        said = debug(out, f"tbreak {name}", "run", "lane 7", "finish", "print $%retval0 * 0", "stepi", "stepi", "stepi", "print $%retval0",
                     options=["-g", "sm", "--kernel=k", "--grid=32", "--block=32", "--arg=zeros:400", "--arg=i32:5"])
        assert re.search(rf"^Value returned is \$1 = {re.escape(value)}$", said.stdout, re.M), (name, said.stdout, said.stderr)
        assert "$2 = 0\n" in said.stdout and "no register %retval0" in said.stderr


PARAMETERS = """
struct P { int a; float b; long c; short d[3]; };
struct Q { double x; };
__attribute__((device, noinline)) int f(P p, int k) { return p.a + k + p.d[2]; }
extern "C" __attribute__((global)) void k(int *out, P p, Q q, int n, char small)
{
    int i = __nvvm_read_ptx_sreg_tid_x();
    n += 2;
    out[i] = p.a + n + f(p, 3) + small + (int)q.x + p.d[1]; // here
}
"""
# {5, 6.0f, -6, {1, 2, -3}}, {2.5}
GIVEN = ["-g", "sm", "--kernel=k", "--grid=32", "--block=32", "--arg=zeros:400", "--arg=hex:050000000000c040faffffffffffffff01000200fdff0000",
         "--arg=hex:0000000000000440", "--arg=7", "--arg=-3"]
STRUCTURE = "{a = 5, b = 6, c = -6, d = {1, 2, -3}}"


@pytest.fixture(scope="module")
def parameters(tmp_path_factory):
    """parameters(flags of clang): the program above in PTX."""
    folder = tmp_path_factory.mktemp("parameters")

    def build(*flags):
        source, out = folder / "parameters.cu", folder / f"parameters{''.join(flags)}.ptx"
        source.write_text(PARAMETERS)
        subprocess.run(["clang-19", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_50", "-nocudainc", "-nocudalib", "-w", "-S", *flags,
                        source, "-o", out], check=True, capture_output=True)
        return out
    return build


def test_structures_by_value_are_parameters(parameters):
    """Of a kernel and of a function, which the debug information gives no place: what the launch and the call have given them."""
    out = session(parameters("-g", "-O0"), "break 9", "run", "print p", "print q", "print n", "print q.x + 1", "break f", "continue", "print p",
                  "print p.d[2]", "print p@3", "up", "print q", options=GIVEN)
    for value in (STRUCTURE, "{x = 2.5} (at launch)", "9", "3.5 (at launch)", f"{STRUCTURE} (at the call)", "-3 (at the call)",
                  f"{STRUCTURE} (at the call)", "{x = 2.5} (at launch)"):
        assert f" = {value}\n" in out, out


REMOVED = """
__attribute__((device, noinline)) static int f(int unused, int depth)
{
    return depth > 0 ? (f(unused, depth - 1) ^ depth) * 3 : 5;
}
extern "C" __attribute__((global)) void k(int *out, int n)
{
    out[0] = f(n, 3);
}
"""


def test_a_parameter_that_the_optimiser_removed_is_not_the_next_one(tmp_path):
    """The PTX function has one parameter of two: its first one is `depth`, not `unused`."""
    source, out = tmp_path / "removed.cu", tmp_path / "removed.ptx"
    source.write_text(REMOVED)
    subprocess.run(["clang-19", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_50", "-nocudainc", "-nocudalib", "-w", "-S", "-g", "-O2",
                    "--cuda-noopt-device-debug", source, "-o", out], check=True, capture_output=True)
    assert re.search(r"\.func .*\(\n[^,]*\n\)", out.read_text()), "the optimiser has left both parameters"
    said = session(out, "break f", "run", "print unused", "print depth@0", options=["-g", "sm", "--kernel=k", "--grid=1", "--block=1", "--arg=zeros:4", "--arg=i32:77"])
    assert re.search(r"^\$1 = (77|<optimized out>)$", said, re.M), said


@pytest.mark.parametrize("flags", [("-g", "-O2", "--cuda-noopt-device-debug"), ("-g", "-O1", "--cuda-noopt-device-debug")])
def test_arguments_of_optimised_kernels_are_those_of_the_launch(parameters, flags):
    """They are told as that, and nothing is computed by them that would not say so: no condition, assignment, watchpoint."""
    file = parameters(*flags)
    out = session(file, "break k", "run", "info args", options=GIVEN)
    assert f"out = 0x200000000 (at launch)\np = {STRUCTURE}\nq = {{x = 2.5}} (at launch)\nn = 7 (at launch)\n" \
        "small = -3 '\\375' (at launch)\n" in out, out
    for command, why in (("break 9 if n == 7", "a parameter is known as it was at launch only"), ("set var n = 3", "not an lvalue"), ("print &n", "not located in memory"),
                         ("watch n", "Cannot watch"), ('printf "%d", n', "known as it was at launch only")):
        assert why in debug(file, "break k", "run", command, options=GIVEN).stderr


@pytest.mark.parametrize("flags", [("-gline-tables-only", "-O0"), ("-gline-tables-only", "-O2"), ("-O0",)])
def test_parameters_without_a_description_have_ptx_names(parameters, flags):
    out = session(parameters(*flags), "break k", "run", "info args", "print k_param_3 + 1", "print/x k_param_1[8..9]", "ptype k_param_3", options=GIVEN)
    assert "k_param_0 = 8589934592 (at launch)\n" in out and "k_param_3 = 7 (at launch)\n" in out, out
    assert "$1 = 8 (at launch)\n$2 = {0xfa, 0xff} (at launch)\ntype = " in out


PTX_REGISTERS = """.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    st.global.u64 [%rd1], %rd1;
    ret;
}
"""


def test_a_name_that_looks_like_a_register_is_no_convenience_variable(tmp_path):
    """Before and during the run, in letters of either case, of the device and of PTX; nothing can be assigned to it. Others are void, as in GDB."""
    file = tmp_path / "k.ptx"
    file.write_text(PTX_REGISTERS)
    how = ["-g", "sm", "--kernel=k", "--grid=32", "--block=32", "--arg=zeros:128"]
    for before, names in (([], ("r999", "R999", "grf", "vgpr3")), (["break k", "run"], ("r999", "rd1", "rd99", "p9", "grf"))):
        for name in names:
            for command in (f"print ${name}", f"set var ${name} = 1"):
                done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", *how, *(w for c in (*before, command) for w in ("-ex", c)), file],
                                      capture_output=True, text=True, timeout=120)
                assert done.returncode == 1 and f"there is no register {name}: " in done.stderr and "void" not in done.stdout, (command, done)
    done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", *how, *(w for c in ("break k", "run", "print $%rd9") for w in ("-ex", c)), file],
                          capture_output=True, text=True, timeout=120)
    assert "this function has no register %rd9" in done.stderr, done.stderr
    done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", *how, *(w for c in ("print $mine", "set var $mine1 = 3", "print $mine1") for w in ("-ex", c)), file],
                          capture_output=True, text=True, timeout=120)
    assert done.stdout == "$1 = void\n$2 = 3\n", done


@pytest.mark.parametrize("text, why", [("FADD.RQ R1, R2, R3;", "there is no modifier '.RQ'"), ("FADD.FTZ.FTZ R1, R2, R3;", "'.FTZ' does not belong here")])
def test_the_assembler_names_one_cause_for_a_modifier(tmp_path, text, why):
    """A modifier that no instruction has, and one that stands elsewhere, are different errors."""
    source = tmp_path / "one.sass"
    source.write_text(f".kernel k\n{text}\nEXIT;\n")
    done = subprocess.run([WAVETRAP, "asm", source, "-o", tmp_path / "one.cubin"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 125 and why in done.stderr and ", or " not in done.stderr, done.stderr


HOT = """.version 7.0
.target sm_50
.address_size 64
.visible .entry hot(.param .u64 out)
{
    .reg .u32 %x, %y, %i;
    .reg .u64 %at, %d;
    .reg .pred %p, %q;
    ld.param.u64 %at, [out];
    mov.u32 %x, %tid.x;
    mul.wide.u32 %d, %x, 4;
    add.u64 %at, %at, %d;
    mov.u32 %i, 0;
AGAIN:
    mad.lo.u32 %x, %x, 1664525, 1013904223;
    shr.u32 %y, %x, 30;
    setp.eq.u32 %q, %y, 0;
    @%q bra SKIP;
    xor.b32 %x, %x, %i;
SKIP:
    st.global.u32 [%at], %x;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 200;
    @%p bra AGAIN;
    ret;
}
"""


def test_translated_blocks_change_no_session(tmp_path):
    """Breakpoints within blocks, conditions, steps, watches, the way back: the same words with blocks from the first visit on, late, and without."""
    file = tmp_path / "hot.ptx"
    file.write_text(HOT)
    commands = ["set scheduler-locking off", "break hot.ptx:16 if $%i == 70", "run", "info lanes", "print $%x", "stepi", "stepi", "info registers", "delete", "stepi 1000",
                "print $%i", "reverse-stepi 777", "print $%i", "info lanes", "break hot.ptx:21", "continue", "continue", "print $%x", "delete",
                "stepi 90", "backtrace", "watch *(unsigned *)$%at", "continue", "continue", "reverse-continue", "info time", "delete", "continue"]
    said = []
    for jit in (0, 1, 20):
        done = debug(file, *commands, options=[f"--gpu=sm:jit={jit}", "--grid=96", "--block=48", "--arg=zeros:384"])
        said.append((done.stdout + done.stderr).replace(f"jit={jit}", ""))
    assert said[0] == said[1] == said[2]
    assert said[0].count("Breakpoint 1, ") == said[0].count("Breakpoint 2, ") == 2 and "Hardware watchpoint" in said[0], said[0]
    run = [WAVETRAP, "run", "--stats", "--grid=96", "--block=48", "--arg=zeros:384", file]
    told = [subprocess.run([*run, f"--gpu=sm:jit={jit}"], capture_output=True, text=True, check=True).stderr for jit in (0, 1)]
    assert "translated" not in told[0] and re.search(r"\d blocks translated .*, in which \d{4,} of the issues were\n", told[1]), told
