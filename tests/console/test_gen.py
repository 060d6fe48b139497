"""The console with OpenCL kernels for Gen9, through the system routine and TD_CTL. Oracles: a trace of the same run, iga64,
and what the kernels store."""
import pathlib
import re
import struct
import subprocess
import sys

import pytest

from conftest import HERE, ROOT, TIMEOUT, WAVETRAP, ask_console, debug

sys.path.insert(0, str(ROOT / "tests" / "isa" / "gen"))
import iga

CODE = 0x100000000
BUFFERS = 0x200000000


def line_of(mark, name="add"):
    text = (HERE / "programs" / f"gen_{name}.cl").read_text().splitlines()
    return next(i for i, line in enumerate(text, 1) if f"/* {mark} */" in line)


@pytest.fixture(scope="session")
def kernels(tmp_path_factory):
    """kernels(*options): a zebin of programs/gen_NAME.cl."""
    folder = tmp_path_factory.mktemp("gen")

    def build(*options, name="add"):
        out = folder / "".join([name, *options])
        return out if out.exists() else iga.compile_cl(HERE / "programs" / f"gen_{name}.cl", out, *options)
    return build


UNOPTIMISED = ("-g", "-cl-opt-disable")


def add(items=40, block=20, *more):
    return ["-g", "gen9", "--kernel", "add", "--grid", str(items), "--block", str(block), f"--arg=iota:{4 * items}",
            f"--arg=iota:{4 * items}", f"--arg=zeros:{4 * items}", f"--arg=i32:{items}", *more]


def trace(file, options):
    """The pcs of a run, in the order of the issues."""
    done = subprocess.run([WAVETRAP, "trace", *options, file], capture_output=True, text=True, timeout=TIMEOUT, check=True)
    return [int(m, 16) for m in re.findall(r"0x[0-9a-f]{8} ([0-9a-f]+):", done.stdout)]


# With the emulator's services, and with what a debugger of hardware has.
both_ways = pytest.mark.parametrize("way", [[], ["--hw-only"]], ids=["services", "hw_only"])


@both_ways
@pytest.mark.parametrize("flags", [(), UNOPTIMISED], ids=["compacted", "native"])
def test_a_breakpoint_on_each_instruction_stops_before_each_of_them(kernels, flags, way):
    """DebugCtrl of native instructions is bit 30, of compacted ones bit 7."""
    file, how = kernels(*flags), [*add(8, 8), *way]
    pcs = trace(file, add(8, 8))
    lengths = {b - a for a, b in zip(pcs, pcs[1:])}
    assert (8 in lengths) == (flags == ())
    breaks = [f"break *{pc:#x}" for pc in sorted(set(pcs))]
    done = debug(file, *breaks, "run", *["continue"] * len(pcs), "info threads", options=how)
    order = [sorted(set(pcs)).index(pc) + 1 for pc in pcs]
    assert [int(m) for m in re.findall(r"^Breakpoint (\d+),", done.stdout, re.M)] == order, done.stdout
    assert "exited normally" in done.stdout


def test_folded_lanes_have_the_familys_word(kernels):
    """A wave is a thread here, a lane a channel."""
    said, = ask_console(kernels(), [f"break *{CODE:#x}", "run"], ["info threads"], add(64, 8))
    assert re.search(r"^  \d[-, \d…]+ \d+ channels of \d threads ", said, re.M), said


@both_ways
def test_steps_go_where_the_program_goes(kernels, way):
    """One instruction each, through branches, until the thread has ended."""
    file = kernels()
    pcs = trace(file, add(8, 8))
    assert pcs[0] == CODE
    steps = [word for _ in pcs[1:] for word in ("stepi", "p/x $pc")]
    done = debug(file, f"break *{CODE:#x}", "run", "delete", *steps, "stepi", options=[*add(8, 8), *way])
    assert [int(m, 16) for m in re.findall(r"^\$\d+ = (0x[0-9a-f]+)$", done.stdout, re.M)] == pcs[1:], done.stdout
    assert "exited normally" in done.stdout


def test_the_channels_at_each_time_are_those_that_execute_next(tmp_path):
    """As the trace has them, behind calls, returns and branches, too."""
    source, file, options = tmp_path / "k.cl", tmp_path / "k", ["-g", "gen9", "--kernel=k", "--grid=8", "--block=8", "--arg=zeros:32"]
    source.write_text("__attribute__((noinline)) int f(int a) { return a & 1 ? a * 3 : a; }\n"
                      "kernel void k(global int *out) { int i = get_global_id(0); if (i < 6) out[i] = f(i); out[i] += f(i + 1); }\n")
    iga.compile_cl(source, file, *UNOPTIMISED)
    done = subprocess.run([WAVETRAP, "trace", *options, file], capture_output=True, text=True, timeout=TIMEOUT, check=True)
    issues = [(int(pc, 16), int(mask, 16)) for mask, pc in re.findall(r" 0x([0-9a-f]{8}) ([0-9a-f]+):", done.stdout)]
    walk = [word for time in range(len(issues)) for word in (f"goto {time}", "info registers ip", "p/x $emask")]
    said = debug(file, f"break *{issues[-1][0]:#x}", "run", *walk, options=options).stdout
    there = [(CODE + int(ip, 16), int(mask, 16)) for ip, mask in re.findall(r"^ip +(0x[0-9a-f]+).*\n\$\d+ = (0x[0-9a-f]+)$", said, re.M)]
    assert there == issues and {0xff, 0x3f, 0x2a, 0x15} <= {mask for _, mask in issues}, said


@both_ways
def test_source_lines_channels_and_the_way_back(kernels, way):
    """At the odd items' line, the odd channels are enabled."""
    file = kernels(*UNOPTIMISED)
    done = debug(file, f"break gen_add.cl:{line_of('odd')}", "run", "info waves", "p/x $ce", "info divergence", "next", options=[*add(), *way])
    assert f"gen_add.cl:{line_of('odd')}" in done.stdout, done.stdout
    assert "channels 1,3,5,7" in done.stdout
    assert "= 0xaa" in done.stdout
    # Where the channels' own places can be read, each that waits has a line.
    assert re.search(r"^channels 1,3,5,7 are enabled, at .*\nchannel(s 0,2,4,6 are masked off$| \d waits, and continues at )", done.stdout, re.M), done.stdout
    assert re.search(rf"^{line_of('store')}\s", done.stdout, re.M), done.stdout


@both_ways
def test_variables_of_each_channel(kernels, way):
    """Unoptimised variables lie in private memory whose address is in registers of the channel: DW_OP_INTEL_*."""
    file = kernels(*UNOPTIMISED)
    item, total, argument, element, args, changed = ask_console(
        file, [f"break gen_add.cl:{line_of('store')}", "run"], ["p i@*", "p sum@*", "p n", "p a[i]@*", "info args", "p sum = 5"], [*add(), *way])
    wanted = [2 * i * (1 + i % 2) for i in range(8)]
    values = {i: int(v) for first, last, v in re.findall(r"^\s+(\d+)(?:\.\.(\d+))?\s+(-?\d+)", total, re.M) for i in range(int(first), int(last or first) + 1)}
    assert values == dict(enumerate(wanted)), total
    assert item.endswith("0, 1 .. 7, step +1, in channels 0..7") and element.endswith("0, 1 .. 7, step +1, in channels 0..7")
    assert argument.endswith("= 40") and changed.endswith("= 5")
    assert f"b = {BUFFERS + 0x2000:#x}" in args and "n = 40" in args


@both_ways
def test_variables_whose_line_has_not_run(kernels, way):
    """The code of a variable's line computes where it lies: before, it has no value and no address, in no channel."""
    file, said, options = kernels(*UNOPTIMISED), "is not available yet: ", [*add(), *way]
    for command in ("p i", "p i + 1", "p a[i]", "p &i", "watch i", *(["who-wrote i"] if not way else [])):
        done = debug(file, "break add", "run", command, options=options)
        assert f"'{command}': The value {said}" in done.stderr, done.stderr
    assert f"the place to write to {said}" in debug(file, "break add", "run", "p i = 3", options=options).stderr
    assert "Division by zero" in debug(file, "break add", "run", "next", "p 1 / (i - i)", options=options).stderr
    all_channels, local, _, there = ask_console(file, ["break add", "run"], ["p i@*", "info locals", "next", "p i"], options)
    assert all_channels.endswith("= <not available yet> in all 8 channels") and "sum = <not available yet>" in local
    assert there.endswith("= 0")
    start, args = ask_console(file, ["break *add", "run"], ["bt", "info args"], options)
    assert "a=0x200" in start and "n = 40 (at launch)" in args and "<not" not in start + args, (start, args)


@both_ways
def test_a_condition_on_a_variable(kernels, way):
    """The channel for which it holds: item 9 has 2 * (9 + 9)."""
    file = kernels(*UNOPTIMISED)
    said, = ask_console(file, [f"break gen_add.cl:{line_of('store')} if sum == 36", "run"], ["p i"], [*add(), *way])
    assert said.endswith("= 9")


@both_ways
@pytest.mark.parametrize("width", [8, 16, 32])
def test_variables_of_optimised_code(kernels, tmp_path, width, way):
    """Their places in registers are in location lists; of SIMD32 code, a branch chooses the register by the channel. The
    values are those that the kernel stores."""
    file, items = kernels("-g", f"-DWIDTH={width}", name="wide"), 2 * width
    options = ["-g", "gen9", "--kernel", "wide", "--grid", str(items), "--block", str(items), "--arg=iota:32", f"--arg=zeros:{4 * items}",
               f"--arg=zeros:{4 * items}", "--arg=i32:4"]
    dumps = [f"--dump-arg={n}:{tmp_path / str(n)}" for n in (1, 2)]
    subprocess.run([WAVETRAP, "run", *options, *dumps, file], capture_output=True, timeout=TIMEOUT, check=True)
    numbers, sums = (struct.unpack(f"<{items}i", (tmp_path / str(n)).read_bytes()) for n in (1, 2))
    assert numbers == tuple(range(items)) and len(set(sums)) > 1
    where = f"gen_wide.cl:{line_of('store', 'wide')}"
    for first in 0, width:
        i, total, argument = ask_console(file, [f"break {where} if i == {first + width - 1}", "run"], ["p i@*", "p sum@*", "p n"], [*options, *way])
        assert i.endswith(f"{first}, {first + 1} .. {first + width - 1}, step +1, in channels 0..{width - 1}"), i
        values = {k: int(v) for a, b, v in re.findall(r"^\s+(\d+)(?:\.\.(\d+))?\s+(-?\d+)", total, re.M) for k in range(int(a), int(b or a) + 1)}
        assert values == dict(enumerate(sums[first:first + width])), total
        assert argument.endswith("= 4")


@both_ways
def test_an_optimised_variable_before_it_is_computed(kernels, way):
    """The debug information names its registers before they are written to: nothing is read there."""
    file, options = kernels("-g"), [*add(), *way]
    steps = ask_console(file, ["break *add", "run"], ["p sum@3", "stepi"] * 30, options)[::2]
    said = [re.sub(r"^.* = ", "", text) for text in steps]
    early = said.index("<not available yet>")
    done = debug(file, "break *add", "run", *["stepi"] * early, "lane 3", "p sum + 3", options=options)
    assert "is not available yet" in done.stderr, done.stderr


def test_the_constant_of_one_member_is_not_the_structure(tmp_path):
    """Intel's compiler gives 7, the constant of member b, as the value of the whole structure."""
    (tmp_path / "pair.cl").write_text("struct pair { int a, b; };\n__kernel void k(__global int *in, __global int *out, int n)\n{\n"
                                      "    int g = get_global_id(0);\n    struct pair s;\n    s.a = in[g] + n;\n    s.b = 7;\n    out[g] = s.a;\n}\n")
    file = iga.compile_cl(tmp_path / "pair.cl", tmp_path / "pair", "-g")
    said = ask_console(file, ["break pair.cl:8", "run"], ["p s", "p s.a"], ["-g", "gen9", "--kernel", "k", "--grid", "16", "--block", "8", "--arg=iota:64",
                                                                          "--arg=zeros:64", "--arg=i32:5"])
    assert [text.split(" = ", 1)[1] for text in said] == ["<optimized out>"] * 2, said


@both_ways
def test_messages_of_each_channel(kernels, way):
    """At the odd items' line the odd channels are enabled."""
    file = kernels(*UNOPTIMISED)
    done = debug(file, f'dprintf gen_add.cl:{line_of("odd")},"= %d %d %d\\n",i,sum,a[i]', "run", options=[*add(), *way])
    assert sorted(map(int, re.findall(r"^= (\d+) ", done.stdout, re.M))) == list(range(1, 40, 2)), done.stdout
    assert all(int(s) == 2 * int(i) == 2 * int(a) for i, s, a in re.findall(r"^= (\d+) (\d+) (\d+)$", done.stdout, re.M))


def test_time_travel(kernels):
    """Backwards to the instruction that has stored an item, by a watchpoint on it."""
    file = kernels()
    out = BUFFERS + 2 * 0x2000
    said = ask_console(file, [f"break *{CODE:#x}", "run", "delete", f"watch *(int *){out + 12:#x}", "continue"],
                       [f"p *(int *){out + 12:#x}", "reverse-continue", f"p *(int *){out + 12:#x}"], add(8, 8))
    assert said[0].endswith("= 12"), said
    assert said[2].endswith("= 0"), said


def test_conditions_of_watchpoints(kernels):
    """The item in channel 6 of the second thread; one that never holds."""
    file = kernels(*UNOPTIMISED)
    said = ask_console(file, [f"break gen_add.cl:{line_of('sum')} if i == 0", "run", "delete", "watch c[3] if sum == 7", "watch c[14] if sum == 28 && i == 14"],
                       ["continue", "p i", "reverse-continue", "p c[14]", "info breakpoints"], add())
    assert "Hardware watchpoint 3: c[14]\n\nOld value = 0\nNew value = 28" in said[0] and "channel 6;" in said[0] and said[1].endswith("= 14")
    assert "Old value = 28\nNew value = 0" in said[2] and said[3].endswith("= 0") and said[4].count("already hit") == 1


def test_translated_blocks_change_no_session(kernels):
    """Breakpoints within blocks, steps, the way back, watchpoints: the same words with blocks from the first visit on, and without."""
    file = kernels()
    out = BUFFERS + 2 * 0x2000
    commands = ["set scheduler-locking off", f"break *{trace(file, add(8, 8))[8]:#x}", "run", "info lanes", "stepi", "stepi", "info registers", "delete", f"watch *(int *){out + 12:#x}",
                "continue", "stepi 9", "reverse-stepi 30", "info threads", "info time", "reverse-continue", "delete", "continue"]
    said = []
    for options in (["-g", "gen9:jit=0"], ["-g", "gen9:jit=1"], ["-g", "gen9:jit=1", "--no-jit"]):
        done = debug(file, *commands, options=[*add(400)[2:], *options])
        said.append(re.sub("jit=[01]", "", done.stdout + done.stderr))
    assert said[0] == said[1] == said[2]
    assert said[0].count("Hardware watchpoint 2: ") > 1 and "exited normally" in said[0], said[0]
    told = [subprocess.run([WAVETRAP, "run", "--stats", *add(400)[2:], "-g", "gen9:jit=1", *more, file], capture_output=True, text=True, check=True).stderr
            for more in (["--no-jit"], [])]
    assert "translated" not in told[0] and re.search(r"\d blocks? translated .*, in which \d{3,} of the issues were\n", told[1]), told


def test_a_second_run_begins_with_fresh_memory(kernels):
    """`run` loads the kernel and its arguments again."""
    file = kernels(*UNOPTIMISED)
    first = BUFFERS + 2 * 0x2000
    said = ask_console(file, [f"break gen_add.cl:{line_of('store')}", "run", "next", f"set var *(int *){BUFFERS:#x} = 77", "run"],
                       [f"p *(int *){BUFFERS:#x}", f"p *(int *){first + 4:#x}", "p i"], add())
    assert [text.split("= ")[1] for text in said] == ["0", "0", "0"], said


def test_the_register_list_is_that_of_intels_debugger(kernels):
    """Names as `info --registers` lists them; r0 is 0, cr0 144, ip 145. Besides them n0, dbg0, msg0 and fc0 to fc4."""
    listed = subprocess.run([WAVETRAP, "info", "-g", "gen9", "--registers=c"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r'tdesc_create_reg \(feature, "(\w+)", (\d+)', listed)
    assert {("r0", "0"), ("r127", "127"), ("cr0", "144"), ("ip", "145")} <= set(names)
    said, ip, pc = ask_console(kernels(), [f"break *{CODE:#x}", "run"],
                               ["info all-registers", "p/x $ip", "p/x $pc"], add())
    shown = [name for name in re.findall(r"^(\w+)\s", said, re.M) if name[0] != "_"]
    assert set(shown) == {name for name, _ in names} | {"pc", "n0", "dbg0", "msg0", *(f"fc{i}" for i in range(5))}
    assert int(ip.split("= ")[1], 16) == int(pc.split("= ")[1], 16) - CODE


@both_ways
def test_registers_and_memory_are_read_and_written(kernels, way):
    """What a debugger writes into registers and into a buffer is what the kernel computes with."""
    file = kernels()
    out = BUFFERS + 2 * 0x2000
    end = trace(file, add(8, 8))[-1]
    done = debug(file, f"break *{CODE:#x}", "run", f"set var *(int *){BUFFERS + 8:#x} = 1000", "set var $f1 = 0x55", "p/x $f1",
                 f"break *{end:#x}", "continue", f"p *(int *){out + 8:#x}", options=[*add(8, 8), *way])
    assert "= 0x55" in done.stdout and "= 1002" in done.stdout, done.stdout + done.stderr


@both_ways
def test_elements_of_a_register(kernels, tmp_path, way):
    """Each dword of a GRF is read, computed with, written, and named by conditions."""
    code = iga.assemble("mov (8) r100.0<1>:uw 0x76543210:uv\nmov (8) r100.8<1>:uw 0x76543210:uv\n"
                        "mov (8) r101.0<1>:ud r100.0<8;8,1>:ud\nnop\n", tmp_path)
    file = patched(kernels(*UNOPTIMISED), tmp_path / "patched", 0, code)
    said, *values = ask_console(file, [f"break *{CODE + 32:#x}", "run"],
                                [*(f"p/x $r100[{i}]" for i in range(8)), "p/x $r100[7] + 1", "p/x $cr0[2] == $ip", "set var $r100[6] = 99",
                                 "stepi", "p $r101[6]", "p $r101[5] == $r100[5]"], [*add(8, 8), *way])[-15:]
    words = [0x10000, 0x30002, 0x50004, 0x70006] * 2
    assert [int(v.split("= ")[1], 16) for v in [said, *values][:8]] == words, [said, *values]
    assert values[7].endswith("= 0x70007") and values[8].endswith("= 0x1") and values[11].endswith("= 99") and values[12].endswith("= 1"), values
    done = debug(file, f"break *{CODE + 32:#x}", "run", "set var $r100 = 5", options=[*add(8, 8), *way])
    assert "the whole of $r100 has 32: set one element, $r100[0] = …" in done.stderr
    for condition, holds in ("$r101[7] == 0x70006", True), ("$r101[7] == 0x50004", False):
        done = debug(file, f"break *{CODE + 48:#x} if {condition}", "run", options=[*add(8, 8), *way])
        assert ("Breakpoint 1, " in done.stdout) == holds, done.stdout + done.stderr


def test_local_memory_is_the_groups(kernels):
    """Shared local memory lies behind its aperture: what the group's channels have stored there."""
    file = kernels(*UNOPTIMISED, name="turn")
    said, = ask_console(file, [f"break gen_turn.cl:{line_of('turned', 'turn')}", "run"], [f"x/16dw {1 << 48:#x}"],
                        ["-g", "gen9", "--kernel", "turn", "--grid", "16", "--block", "16", "--arg=zeros:64"])
    assert [int(n) for line in said.splitlines() for n in line.split(":")[1].split()] == [100 + i for i in range(16)], said


def test_local_memory_by_name(kernels):
    """Elements, `info locals`, `watch` and `who-wrote` name the kernel's __local array, which Intel's compiler has apart from its other variables."""
    file, options = kernels(*UNOPTIMISED, name="turn"), ["-g", "gen9", "--kernel", "turn", "--grid", "16", "--block", "16", "--arg=zeros:64"]
    whole, element, local, type_, who = ask_console(file, [f"break gen_turn.cl:{line_of('turned', 'turn')}", "run"],
                                                    ["p tile", "p tile[3]", "info locals", "ptype tile", "who-wrote tile[3]"], options)
    assert whole.endswith("{" + ", ".join(str(100 + i) for i in range(16)) + "}"), whole
    assert element.endswith("= 103") and "tile = {100, 101," in local and type_.endswith("type = int [16]"), type_
    assert re.search(r"^time \d+: .* channel 3, work-item .* at .* gen_turn\.cl:6$", who, re.M), who
    watched = debug(file, "break turn", "run", "watch tile[3]", "continue", options=options)
    assert re.search(r"Old value = \S+\nNew value = 103", watched.stdout), watched.stdout + watched.stderr


def test_writes_to_local_memory_are_found_in_the_past(kernels):
    """By a pointer as the compiler's debug information has it, whose highest byte says which memory it is."""
    file = kernels(*UNOPTIMISED, name="turn")
    said, = ask_console(file, [f"break gen_turn.cl:{line_of('turned', 'turn')}", "run"], ["who-wrote *(int *)0x0a0000000000000c"],
                        ["-g", "gen9", "--kernel", "turn", "--grid", "16", "--block", "16", "--arg=zeros:64"])
    assert re.search(r"^time \d+: .* channel 3, work-item .* at .* gen_turn\.cl:6$", said, re.M), said


def with_registers(kernels, tmp_path, *code):
    """The kernel with these instructions at its beginning, stopped behind them."""
    text = iga.assemble("".join(line + "\n" for line in code), tmp_path)
    file = patched(kernels(*UNOPTIMISED), tmp_path / "patched", 0, text)
    return file, [f"break *{CODE + len(text):#x}", "run"]


def test_notification_and_debug_registers(kernels, tmp_path):
    """What the kernel has written there is printed; what is assigned there the thread has after its next instruction."""
    file, begin = with_registers(kernels, tmp_path, "mov (1) n0.2<1>:ud 0x21:ud", "mov (1) dbg0.0<1>:ud 0x1234:ud")
    said = ask_console(file, begin, ["p/x $n0", "p/x $dbg0"], add())
    assert said[0].endswith("= {0x0, 0x0, 0x21, 0x0}") and said[1].endswith("= {0x1234, 0x0, 0x0, 0x0}"), said
    file, begin = with_registers(kernels, tmp_path, "mov (1) fc0.2<1>:ud 0x21:ud", "mov (1) fc3.1<1>:ud 0x31:ud", "mov (1) msg0.0<1>:ud 0x41:ud")
    said = ask_console(file, [*begin, "delete", "set var $fc4 = 9", "stepi"], [f"p/x $fc{i}" for i in range(5)] + ["p/x $msg0"], add())
    assert [text.split(" = ")[1] for text in said] == ["{0x0, 0x0, 0x21, 0x0 <repeats 29 times>}", "0x0", "0x0", "{0x0, 0x31, 0x0, 0x0}", "0x9",
                                                       "{0x41, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0}"], said
    file, begin = with_registers(kernels, tmp_path, "mov (1) n0.2<1>:ud 0x21:ud", "mov (1) dbg0.0<1>:ud 0x1234:ud")
    said = ask_console(file, [*begin, "delete", "set var $dbg0[1] = 7", "stepi"], ["p/x $dbg0"], add())[-1]
    assert said.endswith("= {0x1234, 0x7, 0x0, 0x0}"), said


def test_a_region_of_the_register_file_with_its_drawing(kernels, tmp_path):
    """The manual's r4.1<16;8,2>:w: rows of 8 words, every other one, from word 1 of r4 on; the next row is in r5."""
    file, before = with_registers(kernels, tmp_path, "mov (8) r4.0<1>:ud 0x00010000:ud", "mov (8) r5.0<1>:ud 0xfffe0000:ud",
                                  "mov (1) r4.7<1>:w 99:w")
    words, hexadecimal, destination = ask_console(file, before, ["print r4.1<16;8,2>:w", "print/x r4.1<16;8,2>:uw", "print r4.0<1>:ud"], add(8, 8))
    lines = words.splitlines()
    assert lines[:2] == ["{{1, 1, 1, 99, 1, 1, 1, 1},", " {-2, -2, -2, -2, -2, -2, -2, -2}}"]
    # Byte 31 on the left: word 15 is element 7, word 1 element 0.
    assert lines[3] == "  r4    " + "".join(f"[{n:2}][  ]" for n in range(7, -1, -1))
    assert lines[4] == "  r5    " + "".join(f"[{n:2}][  ]" for n in range(15, 7, -1))
    assert lines[2].split() == ["byte", "31", "byte", "0"] and len(lines[2]) == len(lines[3]) and len(lines) == 5
    assert hexadecimal.splitlines()[1] == " {" + ", ".join(["0xfffe"] * 8) + "}}"
    assert destination.splitlines()[0].count(",") == 15


def test_the_manuals_addition_of_bytes(kernels, tmp_path):
    """add (16) r6.0<1>:w r1.7<16;8,1>:b r2.17<16;8,1>:b with r1.7 = 3 and r2.17 = 9: r6.0 is 0xc."""
    file, before = with_registers(kernels, tmp_path, "mov (1) r1.7<1>:b 3:w", "mov (1) r2.17<1>:b 9:w",
                                  "add (16) r6.0<1>:w r1.7<16;8,1>:b r2.17<16;8,1>:b")
    first, second, total = ask_console(file, before, ["p r1.7<16;8,1>:b", "p r2.17<16;8,1>:b", "p/x r6.0<1>:w"], add(8, 8))
    assert first.startswith("{{3, ") and second.startswith("{{9, ") and total.startswith("{{0xc, ")
    # Elements 0 to 7 are bytes 17 to 24 of r2, elements 8 to 15 bytes 1 to 8 of r3.
    assert second.splitlines()[3] == "  r2    " + "[  ]" * 7 + "".join(f"[{n:2}]" for n in range(7, -1, -1)) + "[  ]" * 17
    assert second.splitlines()[4] == "  r3    " + "[  ]" * 23 + "".join(f"[{n:2}]" for n in range(15, 7, -1)) + "[  ]"


@pytest.mark.parametrize("text, why", [("r4.0<16;8,3>:w", "horizontal stride 3"), ("r4.0<16;3,1>:w", "width 3"),
                                       ("(3) r4.0<1>:w", "execution size 3"), ("r127.8<16;8,1>:w", "element 8 lies beyond r127"),
                                       ("(8) r4.0<16;16,1>:w", "rows of 16"), ("r4.0<0>:w", "horizontal stride 0"),
                                       ("r4.0<5;8,1>:w", "vertical stride 5")])
def test_a_region_that_the_hardware_does_not_have(kernels, text, why):
    done = debug(kernels(), f"break *{CODE:#x}", "run", f"p {text}", options=add(8, 8))
    assert why in done.stderr, done.stdout + done.stderr


REGIONS = ["r4.1<16;8,2>:w", "r4.0<8;8,1>:d", "r4.2<0;1,0>:uw", "r4<4;4,1>:uq", "r5.3<8;4,2>:b", "r5.0<1>:ub", "r4.0<2>:ud", "r4.0<8;8,1>:q"]


def test_a_region_is_part_of_an_expression(kernels, tmp_path):
    """There it is what the instruction sees in a channel: the element that the whole region, by itself, has for it."""
    file, before = with_registers(kernels, tmp_path, "mov (8) r4.0<1>:ud 0x12345678:ud", "mov (8) r5.0<1>:ud 0xfffe8081:ud", "mov (1) r4.7<1>:w 99:w",
                                  "mov (1) r5.3<1>:ud 7:ud", "mov (1) r7.0<1>:f 1.5:f")
    commands = [text for region in REGIONS for text in (f"print {region}", *(f"output ({region} + 0)@{i}" for i in (0, 3, 7)))]
    said = ask_console(file, before, commands, add(8, 8))
    for i, region in enumerate(REGIONS):
        elements = re.findall(r"-?\d+", said[4 * i].split("byte")[0])
        assert said[4 * i + 1:4 * i + 4] == [elements[k] for k in (0, 3, 7)], region
    said = ask_console(file, before, ["output sum(r5.0<8;8,1>:d) - r5.3<0;1,0>:d", "output r7.0<0;1,0>:f * 2", "whatis r4.0<8;8,1>:hf",
                                      "output r4.0<8;8,1>:d == r4.1<8;8,1>:d", f"break *{CODE:#x} if r4.0<8;8,1>:d == 1"], add(8, 8))
    assert said[:4] == [str(7 * (0xfffe8081 - 2**32)), "3", "type = _Float16", "1"] and said[4].startswith("Breakpoint")
    done = debug(file, *before, "print r127.7<8;8,1>:d@1", "print 1 + r4.0<5;8,1>:w", "set var r4.0<1>:d = 1", options=add(8, 8), batch=False)
    assert "vertical stride 5" in done.stderr and "not an lvalue" in done.stderr


def patched(file, out, at, code):
    """The file with other instructions at an offset of its kernel."""
    data = bytearray(pathlib.Path(file).read_bytes())
    text = dict(iga.sections(file))[".text.add"]
    start = data.index(text)
    data[start + at:start + at + len(code)] = code
    out.write_bytes(data)
    return out


EXCEPTIONS = {
    "illegal": ("or (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x1000:ud {Switch}\nillegal\n", 16, "SIGILL|illegal instruction"),
    "software": ("or (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x20002000:ud {Switch}\nnop\n", 16, "software exception"),
    "stack": ("or (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x800:ud {Switch}\nmov (1) sp.0<1>:ud 64:ud\n", 16, "stack"),
    "breakpoint": ("nop\nnop {Breakpoint}\n", 16, "Program stopped at a breakpoint instruction of its own"),
}


@both_ways
@pytest.mark.parametrize("name", EXCEPTIONS)
def test_exceptions_stop_with_their_cause(kernels, tmp_path, name, way):
    """cr0.1's bits in words, at AIP."""
    source, at, words = EXCEPTIONS[name]
    file = patched(kernels(*UNOPTIMISED), tmp_path / "patched", 0, iga.assemble(source, tmp_path))
    done = debug(file, "run", "p/x $ip", options=[*add(8, 8), *way])
    assert re.search(words, done.stdout), done.stdout + done.stderr
    assert f"= {at:#x}" in done.stdout, done.stdout


@both_ways
@pytest.mark.parametrize("name", ["illegal", "software", "stack"])
def test_exceptions_are_caught_by_name(kernels, tmp_path, name, way):
    source, at, words = EXCEPTIONS[name]
    file = patched(kernels(*UNOPTIMISED), tmp_path / "patched", 0, iga.assemble(source, tmp_path))
    others = [other for other in ("illegal", "software", "stack") if other != name]
    done = debug(file, *(f"catch {other}" for other in others), f"catch {name}", "run", options=[*add(8, 8), *way])
    assert "Catchpoint 3: Program stopped by a fault: " in done.stdout, done.stdout + done.stderr


@both_ways
def test_a_software_bit_that_is_not_enabled_is_no_exception(kernels, tmp_path, way):
    """cr0.1 bit 29 is set, bit 13 is not: the illegal instruction behind it is what stops the thread, and ends the run as `run` has it."""
    code = "or (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x20000000:ud {Switch}\nillegal\n"
    file = patched(kernels(*UNOPTIMISED), tmp_path / "patched", 0, iga.assemble(code, tmp_path))
    run = subprocess.run([WAVETRAP, "run", *add(8, 8), file], capture_output=True, text=True, timeout=TIMEOUT)
    done = debug(file, "catch software", "catch illegal", "run", "continue", options=[*add(8, 8), *way])
    assert "illegal instruction: an explicit 'illegal'" in done.stdout and "software exception" not in done.stdout, done.stdout + done.stderr
    assert done.returncode == run.returncode == 116, (done.returncode, run.returncode, done.stdout)


def test_the_users_system_routine_beside_the_debugger(kernels, tmp_path):
    """Intel's debug routine gets the exception that the thread enables: it saves the thread's state in its area and waits for the host, where
    the debugger has it. The second row of 132 has cr0: cr0.1 has bit 28, AIP is the instruction."""
    library = pathlib.Path("/usr/lib/x86_64-linux-gnu/libigc.so.1").read_bytes()
    begin = library.index(bytes.fromhex("06800000040000300010000602000000")) - 16
    end = library.index(bytes.fromhex("058000000400003000100006fdffff7f"), begin) + 16
    (tmp_path / "routine").write_bytes(library[begin:end])
    file = patched(kernels(*UNOPTIMISED), tmp_path / "patched", 0, iga.assemble(EXCEPTIONS["illegal"][0], tmp_path))
    done = debug(file, "run", "x/i $pc", f"x/3xw {0x4C0000000000 + 131 * 32:#x}", options=[*add(8, 8), f"--trap-handler={tmp_path}/routine"])
    assert re.search(r"wait +n0\.1", done.stdout), done.stdout + done.stderr
    words = [int(word, 16) for word in re.search(r":\t(0x\w+)\t(0x\w+)\t(0x\w+)", done.stdout).groups()]
    assert words[0] >> 31 and words[1] & 1 << 28 and words[2] == 16, done.stdout


@both_ways
def test_a_dispatch_ends_with_its_last_thread(kernels, way):
    done = debug(kernels(*UNOPTIMISED), "catch dispatch end", "run", "info warps", "continue", options=[*add(), *way])
    assert done.stdout.count("Catchpoint 1 (dispatch end), ") == 1, done.stdout + done.stderr
    assert done.stdout.count(" group (") == 1 + done.stdout.count("[device 0, dispatch"), done.stdout
    assert "[Program exited normally]" in done.stdout


def test_going_on_from_the_programs_own_breakpoint_executes_the_instruction(kernels, tmp_path):
    """Breakpoint Suppress: the instruction with DebugCtrl is not skipped."""
    code = iga.assemble("mov (1) r100.0<1>:ud 7:ud\nmov (1) r100.0<1>:ud 9:ud {Breakpoint}\nnop\n", tmp_path)
    file = patched(kernels(*UNOPTIMISED), tmp_path / "patched", 0, code)
    said = ask_console(file, ["run"], ["p $r100[0]", "stepi", "p $r100[0]", "p/x $ip"], add(8, 8))
    assert said[0].endswith("= 7") and said[2].endswith("= 9") and said[3].endswith("= 0x20"), said
    done = debug(file, "run", f"break *{CODE + 32:#x}", "continue", "p $r100[0]", options=add(8, 8))
    assert "= 9" in done.stdout, done.stdout


def test_the_tutorial_for_opencl_kernels_is_true(tmp_path):
    page = (ROOT / "docs" / "opencl-debug.md").read_text().split("## A host program")[0]
    shell = [line.removeprefix("$ ").replace("/tmp", str(tmp_path)) for line in page.splitlines() if line.startswith("$ ")]
    build, run, show = (line.replace("wavetrap run", f"{WAVETRAP} run") for line in shell)
    said = subprocess.run(["sh", "-ec", f"{build}\n{run}\n{show}"], cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT)
    assert said.returncode == 0 and said.stdout.splitlines()[-1] in page, said.stdout + said.stderr
    session = "".join(re.findall(r"^```console\n(\(wavetrap\) .*?)^```$", page, re.M | re.S))
    parts = re.split(r"^\(wavetrap\) (.*)\n", session, flags=re.M)
    commands, wanted = parts[1::2], [text.strip("\n") for text in parts[2::2]]
    assert len(commands) > 10
    options = run.split(" run ")[1].split(" --dump-arg")[0].split()
    answers = [text.replace(str(tmp_path), "/tmp") for text in ask_console(tmp_path / "mix", [], commands, options)]
    assert list(zip(commands, answers)) == list(zip(commands, wanted))


def in_core_file(core, commands):
    """What the console says as it opens a core file, and then to each command."""
    done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "--core", core, *(w for c in commands for w in ("-ex", "echo @@@\\n", "-ex", c))],
                          capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.split("@@@\n")


@pytest.mark.parametrize("flags", [("-g",), UNOPTIMISED], ids=["optimised", "unoptimised"])
def test_a_core_file_is_as_the_run_was(kernels, tmp_path, flags):
    """State, history, breakpoints of the recorded run: each command says what it said before."""
    core, line = tmp_path / "core", line_of("sum")
    look = ["info warps", "info registers r1 r127 f0 ce sr0 cr0", "backtrace", "info locals", "x/10xw 0x200000000", "info time"]
    back = [*look, "reverse-stepi", *look, "goto start", "info warps", "info registers r1", f"break gen_add.cl:{line}", "continue", *look, "delete",
            "goto end", *look]
    where = f"gen_add.cl:{line} if i == 28" if flags == UNOPTIMISED else f"gen_add.cl:{line}"
    before = [f"tbreak gen_add.cl:{line}", f"break {where}", "run", "continue", "stepi"]
    live = ask_console(kernels(*flags), [*before, f"generate-core {core} all", "delete"], back, add())
    said = in_core_file(core, back)
    assert "Program stopped." in said[0] and "in the past" in said[2 * len(look) + 1]

    def plain(text):
        text = re.sub("This code is optimised: .*\n", "", text)     # once a session
        return re.sub(r"reakpoint \d+", "reakpoint N", text)
    different = [(c, a, b) for c, a, b in zip(back, live, said[1:]) if plain(a).strip() != plain(b).strip()]
    assert len(live) == len(back) and not different, different[0]


def test_a_faults_core_file_has_what_was_recorded(kernels, tmp_path):
    """`run --core-on-fault` records without a debugger, whose system routine is not there in the past."""
    core = tmp_path / "core"
    done = subprocess.run([WAVETRAP, "run", f"--core-on-fault={core}", "--core-history=50", *add(2048, 32, "--arg=i32:2048")[:-5],
                           "--arg=iota:160", "--arg=iota:8192", "--arg=zeros:8192", "--arg=i32:2048", kernels(*UNOPTIMISED)], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 120 and f"The state is in {core}" in done.stderr, done.stderr
    pc = int(re.search(r"at 0x([0-9a-f]+) <add", done.stderr)[1], 16)
    words = ["info time", "print/x $pc", "reverse-stepi", "print/x $pc", "stepi", "print/x $pc"]
    said = in_core_file(core, words)
    now, first, last = map(int, re.match(r"Issue time (\d+); recorded from (\d+) to (\d+)\.", said[1]).groups())
    assert "Program stopped by a fault: " in said[0] and now == last == first + 50
    assert said[2] == f"$1 = {pc:#x}\n" and said[4] == f"$2 = {pc - 16:#x}\n" and said[6] == f"$3 = {pc:#x}\n"


@both_ways
def test_a_breakpoint_within_an_instruction_is_refused_when_it_is_set(kernels, way):
    done = debug(kernels(*UNOPTIMISED), "start", "break *$pc + 8", options=[*add(8, 8), *way])
    assert done.returncode == 1 and "No instruction begins at" in done.stderr, done.stderr
# ---- registers with addresses, which the code re-uses ----

def stale_item(g, n=5):
    """What the variables of gen_stale.cl are in a work-item that has in[g] = g, in the order of their declaration."""
    first, v, d, m = 2 * g, [g, g + 1, g + 2, g + 3], g * 0.5, n + 1
    later = first + m + v[1] + int(d) - 1
    return {"g": g, "n": n, "first": first, "v": "{" + ", ".join(map(str, v)) + "}", "d": f"{d:g}", "m": m, "later": later}


def stale(width, *more):
    return ["-g", "gen9", "--kernel", "stale", "--grid", str(width), "--block", str(width), f"--arg=zeros:{4 * width}",
            f"--arg=iota:{4 * width}", "--arg=i32:5", *more]


@pytest.mark.parametrize("width", [8, 32])
def test_a_variable_is_right_at_each_instruction(kernels, width):
    """The code re-uses the register of a variable's address after its last use. From the variable's line to the kernel's end each
    instruction shows the value of the host's computation; before it there is none, or the launch's argument, then memory that nothing has stored to."""
    file, item, wanted = kernels(*UNOPTIMISED, f"-DWIDTH={width}", name="stale"), width - 3, stale_item(width - 3)
    steps = len(trace(file, stale(width)))
    session = ["set pagination off", f"break *{CODE:#x}", "run", "delete"]
    for _ in range(steps):
        session += [word for name in wanted if name != "later" for word in (f"echo {name}=", f"output {name}@{item}", "echo \\n")] + ["stepi"]
    done = subprocess.run([WAVETRAP, "debug", "--nx", *stale(width), file], input="\n".join(session), capture_output=True, text=True,
                          timeout=TIMEOUT, check=False)
    assert "exited normally" in done.stdout, done.stdout[-500:] + done.stderr[-500:]
    for name, value in wanted.items():
        if name == "later":
            continue
        seen = [text for text in re.findall(rf"^{name}=(.+)$", done.stdout, re.M) if not text.startswith("(")]
        changes = [text for text, before in zip(seen, [None, *seen]) if text != before]
        assert changes[0] == ("<not available yet>" if name not in ("n", "in") else f"{value} (at launch)") and changes[-1] == str(value), (name, changes)
        assert set(changes[1:-1]) <= {"0", "{0, 0, 0, 0}", "(const int *) 0x0"}, (name, changes)


CALLED = ["-g", "gen9", "--kernel", "called", "--grid", "8", "--block", "8", "--arg=zeros:32", "--arg=i32:7"]


def places(file, function):
    return re.findall(r"^ +(0x[0-9a-f]+) <", debug(file, f"disassemble {function}", options=CALLED).stdout, re.M)


@both_ways
@pytest.mark.parametrize("function, wanted, callers", [("inner", {"x": "104", "k": "2", "r": "210"}, {"x": "103", "y": "2.5"}),
                                                       ("outer", {"x": "103", "y": "2.5", "r": "210"}, {"g": "3", "mine": "43"})])
def test_a_called_functions_variables_are_right_up_to_its_return(kernels, way, function, wanted, callers):
    """An epilogue restores the base of the caller's frame some instructions before `ret`. A variable is never one of the caller's
    memory; before its value is stored it is none, or what the memory had."""
    file = kernels(*UNOPTIMISED, name="called")
    pcs, session = places(file, function), ["set pagination off"]
    session += [*(f"break *{pc}" for pc in pcs), "run"]
    for _ in pcs:
        session += [word for name in wanted for word in (f"echo {name}=", f"output {name}@3", "echo \\n")] + ["up"]
        session += [word for name in callers for word in (f"echo up-{name}=", f"output {name}@3", "echo \\n")] + ["continue"]
    done = subprocess.run([WAVETRAP, "debug", "--nx", *CALLED, *way, file], input="\n".join(session), capture_output=True, text=True,
                          timeout=TIMEOUT, check=False)
    for name, value in wanted.items():
        seen = re.findall(rf"^{name}=(.+)$", done.stdout, re.M)
        changes = [text for text, before in zip(seen, [None, *seen]) if text != before]
        assert len(seen) == len(pcs) and changes in (["<not available yet>", value], ["<not available yet>", "0", value]), (name, seen, done.stderr[-500:])
    for name, value in callers.items():
        assert re.findall(rf"^up-{name}=(.+)$", done.stdout, re.M) == [value] * len(pcs), (name, done.stdout[-2000:])


@both_ways
def test_assignments_before_a_return_leave_the_callers_memory_alone(kernels, way):
    file = kernels(*UNOPTIMISED, name="called")
    said = ask_console(file, [f"tbreak *{places(file, 'outer')[-1]}", "run"],
                       ["set var x = 71", "set var r = 72", "p x", "p r", "up", "p g", "p mine", "p a"], [*CALLED, *way])
    assert [text.split("= ")[-1] for text in said[2:4] + said[5:]] == ["71", "72", "0", "40", "0"], said
    done = debug(file, f"tbreak *{places(file, 'outer')[0]}", "run", "set var r = 72", options=[*CALLED, *way])
    assert "the place to write to is not available yet" in done.stderr, done.stderr


@both_ways
def test_stale_addresses_are_used_by_nothing(kernels, way):
    """At the last line: conditions, assignments and watchpoints have the variable's own memory, not what its register points to."""
    file, last = kernels(*UNOPTIMISED, "-DWIDTH=8", name="stale"), f"break gen_stale.cl:{line_of('last', 'stale')}"
    said = ask_console(file, [f"{last} if n == 5 && first == 6", "run"], ["p g", "p first", "p v", "p d", "set var first = 77", "p first", "p n", "p in"], [*stale(8), *way])
    assert [text.split("= ")[-1] for text in said[:4]] == ["3", "6", "{3, 4, 5, 6}", "1.5"], said
    assert said[5].endswith("= 77") and said[6].endswith("= 5") and said[7].endswith(f"{BUFFERS + 0x2000:#x}"), said
    memory = f"x/24dw {BUFFERS:#x}"
    plain, = ask_console(file, [last, "run", "delete", "continue"], [memory], [*stale(8), *way])
    changed, = ask_console(file, [last, "run", "set var n = 1", "set var first = 2", "set var m = 4", "set var g = g", "delete", "continue"], [memory], [*stale(8), *way])
    assert changed == plain and len(plain.splitlines()) == 6


def test_a_watchpoint_has_a_variables_own_memory(kernels):
    """Set at the last line, and met backwards where the variable was stored."""
    file = kernels(*UNOPTIMISED, "-DWIDTH=8", name="stale")
    said = ask_console(file, [f"break gen_stale.cl:{line_of('last', 'stale')} if g == 3", "run", "watch m"], ["reverse-continue", "who-wrote m"], stale(8))
    assert "Old value = 6\nNew value = 0" in said[0], said
    assert f":{line_of('later', 'stale') - 2}" in said[0] + said[1], said


def test_components_of_vectors_as_opencl_names_them(kernels):
    """OpenCL C, "Vector Components": xyzw, sN, lo, hi, odd, even; a type has OpenCL's name. A component can be assigned."""
    file, wanted = kernels(*UNOPTIMISED, "-DWIDTH=8", name="stale"), {
        "p v.s1": "4", "p v.S3": "6", "p v.w": "6", "p v.xy": "{3, 4}", "p v.wzyx": "{6, 5, 4, 3}", "p v.lo": "{3, 4}", "p v.hi": "{5, 6}",
        "p v.odd": "{4, 6}", "p v.even.y": "5", "p v.s0 + v.s33.x": "9", "ptype v": "type = int4", "whatis v.lo": "type = int2", "p v.y = 9": "9", "p v": "{3, 9, 5, 6}"}
    said = ask_console(file, [f"break gen_stale.cl:{line_of('last', 'stale')} if g == 3", "run"], list(wanted), stale(8))
    assert [text if text.startswith("type") else text.split("= ", 1)[1] for text in said] == list(wanted.values())
    done = debug(file, f"break gen_stale.cl:{line_of('last', 'stale')}", "run", "p v.s4", "p v.q", options=stale(8))
    assert "The vector has no component 4: it has 4." in done.stderr, done.stderr


@pytest.mark.parametrize("flags", [("-g",), UNOPTIMISED], ids=["compacted", "native"])
def test_nothing_begins_in_the_middle_of_an_instruction(kernels, flags):
    """Instructions of 16 bytes, beside compacted ones of 8."""
    file = kernels(*flags)
    begins = [int(a, 16) for a in re.findall(r"^ +(0x[0-9a-f]+) <", debug(file, "disassemble add", options=add()).stdout, re.M)]
    wide = next(a for a, b in zip(begins, begins[1:]) if b == a + 16)
    for before in ([], ["break add", "run"]):
        for command in (f"break *{wide + 8}", f"x/2i {wide + 8}", f"disassemble {wide + 8},+32"):
            done = debug(file, *before, command, options=add())
            assert done.returncode == 1 and f"No instruction begins at {wide + 8:#x}: one of 16 bytes" in done.stderr, (command, done.stdout + done.stderr)
        assert f" at {wide:#x}" in debug(file, *before, f"break *{wide}", options=add()).stdout


def test_arguments_of_optimised_kernels_are_those_of_the_launch(kernels):
    """Pointers and structures that no register has any more, from the payload: told as what they were. What has a place is told as what it is."""
    how = ["-g", "gen9", "--grid=64", "--block=64", "--arg=zeros:256", "--arg=hex:050000000000c040faffffffffffffff01000200fdff0000", "--arg=7", "--arg=-3",
           "--arg=hex:000000000000803f0000004000004040"]
    file = kernels("-g", name="launched")
    done = debug(file, "break launched", "run", "info args", "print p.d[2]", "print p@3", "watch p", options=how)
    assert "out = 0x200000000 (at launch)\np = {a = 5, b = 6, c = -6, d = {1, 2, -3}} (at launch)\nn = 7\nsmall = -3 '\\375'\nv = {0, 1, 2, 3}\n" in done.stdout
    assert "$1 = -3 (at launch)\n" in done.stdout and "d = {1, 2, -3}} (at launch)\n" in done.stdout and "Cannot watch p: here it is known only as it was at launch." in done.stderr


def test_a_faults_address_is_the_one_that_the_programs_pointer_prints(tmp_path):
    """In the upper half of the addresses it is in canonical form, in `run` and here."""
    (tmp_path / "far.cl").write_text("""kernel void far(global int *out)
{
    global int *p = (global int *)((ulong)out | 0xffff800000000000UL);
    *p = 1;
}
""")
    subprocess.run(["ocloc", "compile", "-file", "far.cl", "-device", "skl", "--format", "zebin", "-options", "-g -cl-opt-disable", "-output", "far",
                    "-output_no_suffix", "-q"], cwd=tmp_path, check=True, capture_output=True)
    how = ["-g", "gen9", "--kernel=far", "--grid=8", "--block=8", "--arg=zeros:32"]
    done = subprocess.run([WAVETRAP, "run", *how, tmp_path / "far"], capture_output=True, text=True, timeout=60)
    address = "0xffff800200000000"
    assert f"store of 4 bytes at {address}: no memory is mapped there" in done.stderr, done.stderr
    said = debug(tmp_path / "far", "run", "print p", options=how).stdout
    assert f"store of 4 bytes at {address}: no memory is mapped there" in said and f"$1 = (int *) {address}\n" in said, said


def test_a_variable_of_a_block_that_the_compiler_gives_no_addresses(tmp_path):
    """Intel's compiler does so where the condition around it is always true. Its name is found, as GDB finds it, behind all others of the function."""
    (tmp_path / "b.cl").write_text("""kernel void k(global int *out)
{
    int id = get_global_id(0), both = 2;
    if ((((10u ^ 13u) >> 2u) & 1u) != 0) {
        double inner = 5.5;
    }
    if ((((10u ^ 13u) >> 2u) & 1u) != 0) {
        int both = 7;
    }
    out[id] = both;
}
""")
    subprocess.run(["ocloc", "compile", "-file", "b.cl", "-device", "skl", "--format", "zebin", "-options", "-g -cl-opt-disable", "-output", "b",
                    "-output_no_suffix", "-q"], cwd=tmp_path, check=True, capture_output=True)
    said = debug(tmp_path / "b", "break b.cl:10", "run", "print inner", "print both", "print none",
                 options=["-g", "gen9", "--kernel=k", "--grid=8", "--block=8", "--arg=zeros:32"])
    assert "$1 = 5.5\n$2 = 2\n" in said.stdout and 'No symbol "none" in current context.' in said.stderr, said.stdout + said.stderr


def test_a_lanes_work_item_is_the_same_in_all_frames(tmp_path):
    """Also that of a lane that has not called the selected frame's function."""
    (tmp_path / "c.cl").write_text("""__attribute__((noinline)) int f(int id)
{
    return 3 * id;
}
__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int *out)
{
    int id = get_global_id(0);
    out[id] = id;
    if (id & 4)
        out[id] = f(id);
}
""")
    file = iga.compile_cl(tmp_path / "c.cl", tmp_path / "c", *UNOPTIMISED)
    said = ask_console(file, ["break f", "run"], ["print $_item_x@0", "print $_lane@*", "print $_item_x", "up", "print $_item_x", "print $_item_x@5", "lane 6", "print $_item_x"],
                       ["-g", "gen9", "--kernel=k", "--grid=32", "--block=32", "--arg=zeros:128"])
    first = int(said[0].split("= ")[1])
    assert first in (0, 16) and "only in" not in said[1], said
    assert [text.split("= ")[-1] for text in (said[2], said[4], said[5], said[7])] == [str(first + n) for n in (4, 4, 5, 6)], said


def test_an_array_that_the_compiler_keeps_in_registers(tmp_path):
    """Intel's compiler describes it by parts of no bits: which registers have its elements it does not say."""
    (tmp_path / "a.cl").write_text("""kernel void k(global int *out, int n)
{
    int id = get_global_id(0);
    int a[16];
    for (int i = 0; i < 16; i++)
        a[i] = id * i + n;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[(i * id) & 15];
    out[id] = sum;
}
""")
    file = iga.compile_cl(tmp_path / "a.cl", tmp_path / "a", "-g")
    done = debug(file, "break a.cl:9", "run", "print a@*", options=["-g", "gen9", "--kernel=k", "--grid=8", "--block=8", "--arg=zeros:32", "--arg=5"])
    assert "does not say which registers hold the elements: it names parts of 0 bits" in done.stderr, done.stderr + done.stdout


def test_a_structure_whose_padding_the_launch_does_not_give(tmp_path):
    """Intel's compiler gives the members that the kernel uses, not the bytes between them."""
    (tmp_path / "p.cl").write_text("""struct inner { char c; int i; };
struct outer { int a; long b; struct inner n; short s; };
kernel void k(global int *out, struct outer p)
{
    out[get_global_id(0)] = p.a + p.b + p.n.c + p.n.i + p.s;
}
""")
    file = iga.compile_cl(tmp_path / "p.cl", tmp_path / "p", "-g")
    block = struct.pack("<i4xqb3xih6x", 5, -6, 7, 8, -9).hex()
    done = debug(file, "break k", "run", "print p", "print p.n", options=["-g", "gen9", "--kernel=k", "--grid=8", "--block=8", "--arg=zeros:32", f"--arg=hex:{block}"])
    assert "= {a = 5, b = -6, n = {c = 7 '\\a', i = 8}, s = -9} (at launch)\n" in done.stdout and "= {c = 7 '\\a', i = 8} (at launch)\n" in done.stdout, done.stdout


def test_a_backtrace_through_a_damaged_frame_ends_and_says_why(tmp_path):
    """Dword 3 of r127 is the function's frame, in owords of scratch memory: it is told what is there instead of a return address."""
    (tmp_path / "c.cl").write_text("""__attribute__((noinline)) int f(int id)
{
    return 3 * id;
}
kernel void k(global int *out)
{
    int id = get_global_id(0);
    out[id] = f(id);
}
""")
    file, how = iga.compile_cl(tmp_path / "c.cl", tmp_path / "c", *UNOPTIMISED), ["-g", "gen9", "--kernel=k", "--grid=8", "--block=8", "--arg=zeros:32"]
    whole, _, zeros, up = ask_console(file, ["break f", "run"], ["backtrace", "set var $r127[3] = 0x20", "backtrace", "print id"], how)
    assert re.fullmatch(r"#0 +f \(id=0\) at .*\n#1 .* in k \(.*", whole), whole
    assert re.fullmatch(rf"#0 +f \(id=0\) at .*\nBacktrace stopped: f returns to {CODE:#x}, where the program's code begins", zeros) and up.endswith("= 0"), zeros
    _, lost = ask_console(file, ["break f", "run"], ["set var $r127[3] = 0x7ffffff", "backtrace"], how)
    assert re.fullmatch(r"#0 +f \(id=0\) at .*\nBacktrace stopped: no memory can be read at 0x\w+", lost), lost


def test_a_line_of_a_program_without_lines_is_refused_with_the_reason(tmp_path):
    """Intel's compiler writes no debug information for a file with several kernels."""
    (tmp_path / "two.cl").write_text("".join(f"kernel void {name}(global int *out)\n{{\n    out[0] = 1;\n}}\n" for name in ("first", "second")))
    iga.compile_cl(tmp_path / "two.cl", tmp_path / "two", *UNOPTIMISED)
    words = ["-g", "gen9", "--kernel=second", "--grid=8", "--block=8", "--arg=zeros:64"]
    reason = " The program has no source lines: compile it with -g (with ocloc, one kernel a file).\n"
    for command, said in (("break two.cl:7", 'No line 7 in file "two.cl".'), ("break 7", "No default source file: name one, as in FILE:7.")):
        done = debug(tmp_path / "two", command, options=words)
        assert done.returncode == 1 and said + reason in done.stderr, (done.returncode, done.stderr)
