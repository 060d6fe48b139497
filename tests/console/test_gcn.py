"""The console with kernels for gfx900: values are those that the kernel stores, frames are those of the source."""
import pathlib
import re
import struct
import subprocess
import sys

import pytest

from conftest import HERE, MARK, ROOT, TIMEOUT, WAVETRAP, answers, ask_console, debug
from releases import HIPCC_CLANG

sys.path.insert(0, str(ROOT / "tests" / "compilers"))
import amd  # noqa: E402
import clangs  # noqa: E402

COMPILERS = clangs.CLANGS["gfx900", "HIP"]
LEVELS = ["-O0", "-O1", "-O2"]
ITEMS = 128
LANES = [0, 17, 63]


HINT = re.compile(r"^\('@' selects lanes here. Elements: \S+\)\n")


def ask(file, before, commands, how):
    """Without the hint that comes with the first @ on a pointer's target."""
    return [HINT.sub("", text) for text in ask_console(file, before, commands, how)]


def ask_each(file, before, commands, how):
    """The same of commands of which each may fail: then the answer is what stderr says."""
    words = [word for command in commands for word in ("-ex", f"echo {MARK}\\n", "-ex", command)]
    start = [word for command in before for word in ("-ex", command)]
    done = subprocess.run([WAVETRAP, "debug", "--nx", *how, *start, *words, "-ex", f"echo {MARK}\\n", "-ex", "quit", file],
                          capture_output=True, text=True, timeout=TIMEOUT)
    failed = re.findall(r"^wavetrap: -ex '(.*)': (.*)$", done.stderr, re.M)
    said = [HINT.sub("", text) for text in answers(done.stdout)]
    return [text or dict(failed).get(command, "") for command, text in zip(commands, said)]


def line_of(name, mark):
    text = (HERE / "programs" / name).read_text().splitlines()
    return next(i for i, line in enumerate(text, 1) if f"/* {mark} */" in line)


@pytest.fixture(scope="session")
def code(tmp_path_factory):
    """code(file, compiler, level, *flags): a code object of programs/FILE."""
    folder = tmp_path_factory.mktemp("code")

    def build(file, compiler="clang-19", level="-O0", *flags):
        out = folder / f"{pathlib.Path(file).name}.{compiler}{level}{''.join(flags)}.co"
        if out.exists():
            return out
        words = clangs.words("gfx900", "OpenCL C" if str(file).endswith(".cl") else "HIP", compiler)
        subprocess.run([*words, "-g", level, *flags, HERE / "programs" / file, "-o", out], check=True)
        return out
    return build


def options(kernel, *args, items=ITEMS):
    return ["-g", "gfx900", "--kernel", kernel, "--grid", str(items), "--block", "64", *(f"--arg={a}" for a in args)]


VALUES = options("values", f"iota:{4 * ITEMS}", f"zeros:{4 * ITEMS}", f"zeros:{120 * ITEMS}", f"i32:{ITEMS}")
CALLS = options("_Z5callsPiPli", f"zeros:{4 * ITEMS}", f"zeros:{48 * ITEMS}", "i32:3")


# With the emulator's services, and with what a debugger of hardware has.
both_ways = pytest.mark.parametrize("way", [[], ["--hw-only"]], ids=["services", "hw_only"])


def stored(file, how, argument, shape, tmp_path):
    """What the instrumented copy has stored: a tuple for each work-item."""
    out = tmp_path / "stored"
    subprocess.run([WAVETRAP, "run", *how, f"--dump-arg={argument}:{out}", file], check=True, capture_output=True)
    return [struct.unpack_from("<" + shape, out.read_bytes(), i * struct.calcsize("<" + shape)) for i in range(ITEMS)]


NAMES = ["small", "half_word", "positive", "wide", "both.a", "*into", "*from", "l", "real", "precise", "both.b",
         "array[0]", "array[1]", "array[2]", "array[3]"]


def as_printed(name, value):
    if name == "small":
        return str(value)
    if name in ("real", "both.b"):
        return "%.9g" % value
    return "%.17g" % value if name == "precise" else str(value)


@both_ways
def test_messages_have_the_values_of_each_lane(code, tmp_path, way):
    records = stored(code("values.cl", "clang-19", "-O0", "-DSTORE"), VALUES, 2, "8q3d4q", tmp_path)
    names = ["small", "half_word", "wide", "*into", "real", "precise", "array[3]"]
    text = "values.cl:%d,\"= %%u %%d %%d %%ld %%d %%.9g %%.17g %%d\\n\",(unsigned)get_global_id(0),%s" % (line_of("values.cl", "stop"), ",".join(names))
    done = debug(code("values.cl"), f"dprintf {text}", "run", "info breakpoints", options=[*VALUES, *way])
    assert done.returncode == 0 and "already hit 2 times" in done.stdout, done.stdout + done.stderr
    said = dict(line.split(" ", 1) for line in re.findall("^= (.*)", done.stdout, re.M))
    assert said == {str(i): " ".join(as_printed(name, record[NAMES.index(name)]) for name in names) for i, record in enumerate(records)}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_values_are_those_that_the_kernel_stores(code, compiler, level, tmp_path):
    records = stored(code("values.cl", compiler, level, "-DSTORE"), VALUES, 2, "8q3d4q", tmp_path)
    stop = [f"break values.cl:{line_of('values.cl', 'stop')}", "run"]
    asked = [(name, lane) for name in NAMES for lane in LANES]
    commands = [f"output{'/d' if name == 'small' else ''} {name}@{lane}" for name, lane in asked]
    said = ask_each(code("values.cl", compiler, level), stop, commands, VALUES)
    known = 0
    wrong = []
    for (name, lane), text in zip(asked, said):
        want = as_printed(name, records[lane][NAMES.index(name)])
        if "optimized out" in text or "cannot be computed" in text:
            assert level != "-O0", f"{name}@{lane}: {text}"
        elif text != want:
            wrong.append(f"{name}@{lane}: {text}, not {want}")
        else:
            known += 1
    assert not wrong, "\n".join(wrong)
    assert known >= (len(asked) if level == "-O0" else 6), f"only {known} of {len(asked)} values are known"


@both_ways
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_frames_lead_to_the_kernel(way, code, compiler, level):
    """From the innermost call: functions, and the lines that they were called at; and so the dispatch has the kernel's name."""
    line = line_of("calls.hip", "bottom")
    condition = "if d == 0" if level == "-O0" else ""
    stop = [f"break calls.hip:{line} {condition}", "run"]
    said, work = ask(code("calls.hip", compiler, level), stop, ["backtrace", "info dispatches"], CALLS + way)
    frames = re.findall(r"^#\d+ .*?(\w+) \(.*?\) at .*?:(\d+)$", said, re.M)
    inner = line_of("calls.hip", "back") - 1
    assert frames[0] == ("deep", str(line))
    assert [name for name, _ in frames] == ["deep"] * 4 + ["calls"], said
    assert [int(n) for _, n in frames[1:]] == [inner] * 3 + [line_of("calls.hip", "end") - 1]
    assert re.match(r"\* dispatch \d+  calls\(int\*, long\*, int\)  grid of", work), work


@both_ways
@pytest.mark.parametrize("compiler", COMPILERS)
def test_variables_of_all_frames(way, code, compiler, tmp_path):
    file = code("calls.hip", compiler, "-O0")
    records = stored(code("calls.hip", compiler, "-O0", "-DSTORE"), CALLS, 1, "6q", tmp_path)
    stop = [f"break calls.hip:{line_of('calls.hip', 'bottom')}", "run"]
    commands = [f"output {name}@{lane}" for lane in LANES for name in
                ("local[0]", "local[1]", "local[2]", "s.kind", "(long)s.side[1]", "*last")]
    said = ask(file, stop, commands, CALLS + way)
    assert said == [str(n) for lane in LANES for n in records[lane]]
    up = ["up", "output local@5", "up", "output d", "output local@5", "up 2", "output i@17", "output s@17", "output total@17",
          "output b@17", "output sizeof(b)"]
    said = ask(file, stop, up, CALLS + way)
    assert said[1] == "{1, 2, 45}" and said[3:5] == ["2", "{2, 4, 45}"]
    assert said[6:] == ["17", "{kind = 57, side = {8.5, 34}}", "17", "{value = 17.25}", "4"]


def test_callers_where_the_hardware_adds_the_lanes_place(code):
    """Prologues of a gfx942 save by scratch_store_dword, and its stack pointer counts a lane's bytes."""
    file = code("calls.hip", "clang-19", "-O0", "--no-offload-arch=all", "--offload-arch=gfx942")
    stop = [f"break calls.hip:{line_of('calls.hip', 'bottom')}", "run"]
    said = ask(file, stop, ["backtrace", "up 2", "output d", "output local@5", "up 2", "output i@17"], ["-g", "gfx942", *CALLS[2:]])
    assert re.findall(r"^#\d+ .*?(\w+) \(", said[0], re.M) == ["deep"] * 4 + ["calls"] and said[2:4] + said[5:] == ["2", "{2, 4, 45}", "17"], said


@both_ways
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_out_of_functions_and_what_they_return(way, code, compiler, level):
    file = code("values.cl", compiler, level)
    said = ask(file, ["break leaf if x > 100", "run"], ["print x", "print y", "finish", "print $v0", "finish"], VALUES + way)
    x = int(said[0].split(" = ")[1])
    assert x > 100 and said[1] == "$2 = 2"
    assert said[2].startswith("Run till exit from #0") and said[2].endswith(f"Value returned is $3 = {3 * x + 2}")
    assert "sum_to (" in said[2] and said[3] == f"$4 = {3 * x + 2}"
    assert re.search(r"\n(0x\w+ in )?(sum_to|values) \(", said[4]) and "Value returned is" in said[4]


def test_no_breakpoint_in_the_middle_of_an_instruction(code):
    """An instruction of 8 bytes; the disassembler says where the next one begins."""
    file = code("values.cl")
    text = debug(file, "break values", "run", "x/40i $pc", options=VALUES).stdout
    begins = [int(a, 16) for a in re.findall(r"^(?:=>|  ) (0x[0-9a-f]+) ", text, re.M)]
    wide = next(a for a, b in zip(begins, begins[1:]) if b == a + 8)
    done = debug(file, "break values", "run", f"break *{wide}", f"break *{wide + 4}", options=VALUES)
    assert f"Breakpoint 2 at {wide:#x}" in done.stdout, done.stdout
    refused = f"No instruction begins at {wide + 4:#x}: one of 8 bytes begins at {wide:#x}."
    assert refused in done.stderr, done.stderr
    for command in (f"break *{wide + 4}", f"tbreak *{wide + 4}", f"x/2i {wide + 4}", f"disassemble {wide + 4},+8"): # before the program runs, too
        done = debug(file, command, options=VALUES)
        assert done.returncode == 1 and refused in done.stderr, done.stderr
    assert f"Breakpoint 1 at {wide:#x}" in debug(file, f"break *{wide}", options=VALUES).stdout


def test_steps_forwards_and_back(code):
    """Over calls, into them, and the same way back."""
    call, rising = line_of("values.cl", "call"), line_of("values.cl", "rising")
    said = ask(code("values.cl"), [f"break {call}", "run", "delete"],
               ["step", "next", "next", "next", "next", "print below == mine[0] + 2", "reverse-next", "reverse-next", "step", "reverse-step",
                "reverse-finish", "reverse-continue", "info time"], VALUES)
    assert said[0].startswith("sum_to (depth=2, x=0)")
    assert [text.split("\t")[0] for text in said[1:5]] == [str(rising - n) for n in (4, 3, 1, 0)]
    assert said[6].startswith(str(rising - 1)) and said[7].startswith(str(rising - 3))
    assert said[8].startswith(str(rising - 1)) and said[9].startswith(str(rising - 3))
    assert "Run back to call of #0" in said[10] and "values (in=" in said[10] and f"\n{call}\t" in said[10]
    assert "the recorded run begins here" in said[11] and "in the past; recorded from 0" in said[12]


@both_ways
def test_a_step_over_a_recursive_call_ends_in_its_own_frame(way, code):
    rising = line_of("values.cl", "rising")
    said = ask(code("values.cl"), ["break sum_to if depth == 2", "run", "delete", f"until {rising - 1}"],
                       ["next", "print depth", "up", "print i@*"], VALUES + way)
    assert said[0].startswith(str(rising)) and said[1] == "$1 = 2"
    assert said[2].startswith("#1  0x") and said[3] == "$2 = 0, 1 .. 63, step +1, in lanes 0..63"


@both_ways
def test_coordinates_of_work_items(way, code, tmp_path):
    """As OpenCL and HIP call them; a condition on them; a grid whose last groups are smaller."""
    file = code("values.cl")
    how = ["-g", "gfx900", "--kernel", "values", "--grid", "30,6,3", "--block", "8,4,2", f"--arg=iota:{4 * 540}", f"--arg=zeros:{4 * 540}",
           f"--arg=zeros:{120 * 540}", "--arg=i32:0"]
    names = ["get_global_id", "get_local_id", "get_group_id", "get_local_size", "get_global_size", "get_num_groups"]
    condition = "break kernel values if get_group_id(0) == 3 && get_group_id(1) == 1 && get_group_id(2) == 1 && get_local_id(0) == 5"
    commands = [f"output {name}({axis})" for name in names for axis in range(3)]
    said = ask(file, [condition, "run"], commands + ["output threadIdx.x@0..5", "output blockIdx.z", "output blockDim.y",
                                                             "output gridDim.x", "output $_lane", "output $_dispatch_pos",
                                    "output $_thread_workgroup_pos", "output $_lane_workgroup_pos", 'output $_dispatch_pos != "(3,1,1)/0"'], how + way)
    assert said[:18] == ["29", "4", "2", "5", "0", "0", "3", "1", "1", "8", "4", "2", "30", "6", "3", "4", "2", "2"]
    assert said[18] == "0, 1 .. 5, step +1, in lanes 0..5" and said[19:] == ["1", "4", "4", "5", '"(3,1,1)/0"', "0", '"[5,0,0]"', "0"]


@both_ways
def test_registers_and_spaces(way, code):
    file = code("values.cl")
    stop = [f"break {line_of('values.cl', 'stop')}", "run"]
    said = ask(file, stop, ["print/x $exec", "print $pc", "print &i", "print *&i@9", "print &tile[3]", "print *into@7", "print into@7",
                                    "print *private#0x0", "x/2dw local#0x0", "print $s33", "print $fp", "info spaces", "print $nothing",
                                    "set var $v1@5 = 77", "print $v1@4..5", "set var i@5 = 1234", "print i@5..6", "print i + 1 == i@0 + 1"],
                       VALUES + way)
    assert said[0] == "$1 = 0xffffffffffffffff" and "<values+" in said[1]
    assert re.fullmatch(r"\$3 = \(int \*\) 0x20000000000\w\w <private#0x\w+>", said[2])
    assert said[3] == "$4 = 9" and said[4] == "$5 = (int *) 0x100000000000c <local#0xc>"
    assert said[5] == "$6 = 80" and said[6] == "$7 = (int *) local#0x20"
    assert said[8].startswith("0x1000000000000 <local#0x0>:\t0\t10")
    assert said[9] == "$9 = 0" and said[10] == "$10 = 0"
    assert re.search(r"private +32 bits, of each lane", said[11]) and said[12] == "$11 = void"
    assert said[14].endswith(", 77") or "77" in said[14]
    assert "1234" in said[16] and said[17].endswith("= 1")


def test_watchpoints_both_ways(code):
    """Of LDS, and of one lane's own variables: of two bytes, and of eight, which lie in two places. Who wrote."""
    file = code("values.cl")
    stop = [f"break {line_of('values.cl', 'stop')}", "run", "delete", "lane 5"]
    said = ask(file, stop, ["watch tile[5]", "reverse-continue", "print l", "delete", "watch half_word", "reverse-continue", "continue",
                            "delete", "watch precise", "continue", "who-wrote half_word", "who-wrote out[3]", "who-wrote tile[3]"], VALUES)
    assert "Old value = 50" in said[1] and "New value = 0" in said[1] and "lane 5;" in said[1]
    assert said[2] == "$1 = 5"
    assert "Hardware watchpoint 3: half_word" in said[5] and "Old value = -1500\nNew value = 0" in said[5] and ", lane 5;" in said[5]
    assert "Old value = 0\nNew value = -1500" in said[6]
    assert "Hardware watchpoint 4: precise" in said[9] and "New value = 0.714285" in said[9]
    assert re.match(r"time \d+: device 0, dispatch 1, group \(0,0,0\), core \d+, wave \d+, lane 5, work-item \(5,0,0\) at 0x\w+ <values\+\d+> at ", said[10])
    assert said[11].startswith("No instruction of the recorded run") and "lane 3 at" in said[12] or said[12].startswith("No instruction")


def test_conditions_of_watchpoints(tmp_path):
    """Lanes that write at once, each its own word, and one that they share, where the first lane counts for which it holds."""
    source, out = tmp_path / "k.hip", tmp_path / "k.co"
    source.write_text('''__attribute__((global)) void k(int *out, int n)
{
    int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    for (int r = 0; r < 4; r++) {
        int v = i * 10 + r;
        out[i] = v;
        out[128] = r;
    }
}
''')
    subprocess.run(["clang-19", "-x", "hip", "--cuda-device-only", "--offload-arch=gfx900", "-nogpuinc", "-nogpulib", "--no-gpu-bundle-output",
                    "-w", "-g", "-O0", source, "-o", out], check=True)
    said = ask(out, ["break k.hip:5", "run", "delete"],
               ["watch out[65] if v % 10 == 2", "continue", "print v", "reverse-continue", "print v", "info breakpoints", "delete",
                "goto end", "awatch out[128] if r == 2 && i % 64 >= 17", "continue", "print i % 64", "reverse-continue", "print i % 64"],
               options("k", f"zeros:{4 * 129}", "129"))
    assert "group (1,0,0)" in said[1] and "lane 1;" in said[1] and "Old value = 651\nNew value = 652" in said[1] and said[2] == "$1 = 652"
    assert "Old value = 652\nNew value = 651" in said[3] and said[4] == "$2 = 652" and "hit 2 times" in said[5]
    assert "lane 17;" in said[9] and "out[128]" in said[9] and said[10] == "$3 = 17"
    assert "lane 17;" in said[11] and said[12] == "$4 = 17"


@both_ways
def test_the_first_kernel(way, code):
    said = ask(code("calls.hip"), [], ["start", "info dispatches", "info groups", "info waves", "info lanes", "info devices",
                                               "disassemble"], CALLS + way)
    assert "Temporary breakpoint 1, calls (out=0x" in said[0] and ", group (0,0,0), core 0, wave 0, lane 0; lanes 0-63 enabled]" in said[0]
    assert re.match(r"\* dispatch \d+  calls\(int\*, long\*, int\)  grid of \(2,1,1\) groups of \(64,1,1\)  2 waves of 2 groups active", said[1]), said[1]
    assert "group (0,0,0)" in said[2] and "group (1,0,0)" in said[2] and "lanes 0-63" in said[3]
    assert said[4].startswith("* 0..63") and amd.MODEL in said[5]
    assert "=> 0x" in said[6] and "s_endpgm" in said[6]


@pytest.mark.parametrize("command, message", [
    ("print i@64", "there is no lane 64: the wave has lanes 0 to 63"),
    ("break kernel nothing", 'There is no kernel "nothing".'),
    ("print get_global_id(3)", "a dimension is 0, 1 or 2"),
    ("print leaf(1, 2)", "functions of the program cannot be called"),
    ("set var $v3[0] = 1", "$v3 is one number in each lane, and has no elements: $v3@0 is that of lane 0"),
])
def test_failures_are_told(code, command, message):
    done = debug(code("values.cl"), f"break {line_of('values.cl', 'stop')}", "run", command, options=VALUES)
    assert done.returncode == 1 and message in done.stderr


@pytest.mark.parametrize("mode, status, words", [
    (1, 120, "global_store_dword: store of 4 bytes at 0x7000000000"),
    (2, 122, "s_trap 2 at 0x\\w+: the program gave up"),
])
def test_a_fault_that_is_continued_is_the_end(code, tmp_path, mode, status, words):
    """With the exit status of `run`, since the instruction behind it is not where the program would go on."""
    source = tmp_path / "faults.cl"
    source.write_text("__kernel void stray(__global int *out, int mode)\n{\n    const int i = get_global_id(0);\n"
                      "    __global int *where = i == 69 && mode == 1 ? (__global int *)0x7000000000 : out + i;\n"
                      "    if (mode == 2 && i == 69)\n        __builtin_trap();\n    *where = i;\n}\n")
    how = options("stray", f"zeros:{4 * ITEMS}", f"i32:{mode}")
    file = code(source, "clang-19", "-O0")
    run = subprocess.run([WAVETRAP, "run", *how, file], capture_output=True, text=True, timeout=TIMEOUT)
    done = debug(file, "run", "continue", options=how)
    assert run.returncode == done.returncode == status, done.stdout + done.stderr
    assert re.search(f"^Program stopped by a fault: {words}", done.stdout, re.M)
    assert re.search(f"^Program terminated by a fault: {words}", done.stdout, re.M)


DIVIDE = """__kernel void quotients(__global float *out)
{
    const int i = get_global_id(0);
    float top = 1.0f, bottom = i - 5;
    out[i] = top / bottom;
}
"""


def test_exceptions_are_enabled_by_hand(code, tmp_path):
    """MODE.EXCP_EN (Vega ISA: bits 12 to 20) of a wave makes its division by zero an exception; TRAPSTS and TTMP1 tell of it, and keep it."""
    source = tmp_path / "divide.cl"
    source.write_text(DIVIDE)
    said = ask(code(source), ["break divide.cl:5", "run"],
               ["info spaces", "info trap", "print/x $mode & (0x1ff << 12)", "set var $mode = $mode | 1 << 14", "continue", "info trap",
                "print bottom@5", "print ($trapsts >> 2) & 1", "print ($ttmp1 >> 25) & 15", "print/x $mode & (0x1ff << 12)",
                "print $ttmp0 == (unsigned)(unsigned long)$pc"],
               options("quotients", "zeros:512"))
    assert "at 0x1000000000000 of space 0" in said[0] and "at 0x2000000000000 of space 0" in said[0]
    assert "EXCP_EN none" in said[1] and "raised since software cleared them: none" in said[1] and said[2] == "$1 = 0x0"
    assert "division by zero, which EXCP_EN makes an exception\n" in said[4] and "divide.cl:5" in said[4]
    assert "EXCP_EN float_div0" in said[5] and re.search(r"TRAPSTS = 0x\w+: .*float_div0", said[5]) and "PCRewind 2" in said[5]
    assert said[6:10] == ["$2 = 0", "$3 = 1", "$4 = 2", "$5 = 0x4000"] and said[10].endswith("= 1")


def test_exceptions_are_caught_by_name(code, tmp_path):
    source = tmp_path / "divide.cl"
    source.write_text(DIVIDE)
    start = ["break divide.cl:5", "run", "set var $mode = $mode | 1 << 14", "delete"]
    said = ask(code(source), start, ["catch overflow", "catch float_div0", "continue", "info breakpoints"], options("quotients", "zeros:512"))
    assert "Catchpoint 3: Program stopped by a fault: v_" in said[2] and ": division by zero, which" in said[2]
    assert said[3].count("already hit 1 time") == 1
    done = debug(code(source), "catch STACK_ERROR", options=options("quotients", "zeros:512"))
    for name in ("invalid", "denormal", "float_div0", "overflow", "underflow", "inexact", "int_div0", "mem_viol", "illegal"):
        assert f'"{name}"' in done.stderr


@both_ways
@pytest.mark.parametrize("items, block", [(128, 64), (128, 32), (100, 64), (1000, 64)])
def test_a_dispatch_ends_with_its_last_wave(way, items, block, code, tmp_path):
    """All items but those of the last wave have stored what they store; it stands at its last instruction."""
    source = tmp_path / "late.cl"
    source.write_text("__kernel void late(__global int *out)\n{\n    const int i = get_global_id(0);\n    int sum = 0;\n"
                      "    for (volatile int k = 0; k < (2000 - i) / 50; k++)\n        sum += k;\n    out[i] = sum + 1;\n}\n")
    how = ["-g", "gfx900", "--kernel", "late", "--grid", str(items), "--block", str(block), f"--arg=zeros:{4 * items}", *way]
    done = debug(code(source), "catch dispatch end", "run", "info warps", "x/i $pc", "info breakpoints", "continue", options=how)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Catchpoint 1 (dispatch end), late (") == 1 and "s_endpgm" in done.stdout
    assert len(re.findall(r"^[* ] device 0, dispatch \d, group .*  index \d", done.stdout, re.M)) == 1, done.stdout
    assert "already hit 1 time" in done.stdout and "[Program exited normally]" in done.stdout
    if not way:
        said = ask(code(source), ["catch dispatch end", "run"], ["reverse-continue", "continue", "x/i $pc"], how)
        assert "No more reverse-execution history" in said[0] and "(dispatch end), late (" in said[1] and "s_endpgm" in said[2]


def test_addresses_within_instructions_are_refused(code, tmp_path):
    source = tmp_path / "plain.cl"
    source.write_text("__kernel void plain(__global int *out)\n{\n    out[get_global_id(0)] = 7;\n}\n")
    how = ["-g", "gfx900", "--kernel", "plain", "--grid", "64", "--block", "64", "--arg=zeros:256"]
    for command in ("x/i $pc + 2", "disassemble $pc + 1, +8", "set $pc = $pc + 2", "break *($pc + 2)"):
        done = debug(code(source), "break kernel plain", "run", command, options=how)
        assert "o instruction begins at 0x" in done.stderr and "which is not a multiple of 4" in done.stderr, (command, done.stderr)


def test_a_program_that_ends(code):
    done = debug(code("values.cl"), "run", options=VALUES)
    assert done.returncode == 0 and "[Program exited normally]" in done.stdout


def test_without_the_emulators_services(code):
    """Four watchpoints, of memory that is not LDS; no way back; no issue time. Which group stores first, is the schedule's."""
    stop = [f"break {line_of('values.cl', 'call')}", "run", "delete"]
    four = [f"watch out[{32 * n}]" for n in range(4)]
    said = ask_each(code("values.cl"), stop, ["reverse-stepi", "goto 5", "who-wrote out[0]", *four, *["continue"] * 6],
                    VALUES + ["--hw-only"])
    for text in said[:3]:
        assert "not recorded" in text, said
    changes = re.findall(r"Hardware watchpoint ([2-5]): out\[(\d+)\]\n\nOld value = (\d+)\nNew value = (\d+)\n", "".join(said[7:]))
    assert {int(at): int(new) for _, at, _, new in changes} == {32: 482, 64: 769, 96: 1118}
    assert all(int(at) == 32 * (int(number) - 2) and int(old) in (0, int(new) - 5 * int(at)) for number, at, old, new in changes), changes
    for points, message in [([*four, "watch out[17]"], "gfx9 has 4 address watches; 5 are asked for"),
                            (["watch tile[5]"], "address watch sees vector memory, not LDS")]:
        done = debug(code("values.cl"), *stop, *points, "continue", options=VALUES + ["--hw-only"])
        assert done.returncode == 1 and message in done.stderr, done.stderr


@both_ways
@pytest.mark.parametrize("compiler", COMPILERS)
def test_objects_of_cplusplus(way, code, compiler):
    file, how = code("objects.hip", compiler), options("weigh", f"zeros:{4 * ITEMS}", items=64) + way
    said = ask(file, [f"break objects.hip:{line_of('objects.hip', 'grown')}", "run", "lane 5"],
               ["output which.mass", "print by", "output which@9", "output which.now@5", "output which.now == physics::phase::liquid",
                "whatis which", "output by@0..2", "output sizeof(physics::body<float>)"], how)
    assert said[0] == "2.5"
    assert re.fullmatch(r"\$1 = \(const int &\) @0x[0-9a-f]+( <private#0x[0-9a-f]+>)?: 10", said[1])
    assert said[2].endswith("{mass = 4.5, age = 27, now = physics::phase::liquid, static limit = 40}")
    assert said[3:6] == ["physics::phase::liquid", "true", "type = physics::body<float> &"]
    assert said[6].split() == "0, 2 .. 4, step +2, in lanes 0..2".split() and said[7] == "12"
    said = ask(file, ["break physics::body<float>::heavier", "run", "lane 3", "next"],
               ["output mass", "output sum", "output this->age", "output limit", "output this->limit", "backtrace"], how)
    assert said[:5] == ["1.5", "101.5", "10", "40", "40"]
    assert "physics::body<float>::heavier (this=" in said[5] and "in weigh (" in said[5]


@both_ways
@pytest.mark.parametrize("condition, group", [
    ('$_dispatch_pos == "(1,0,0)/0" && $_lane_workgroup_pos == "[5,0,0]"', 1),       # rocgdb's names
    ("any(blockIdx.x@* == 1) && threadIdx.x == 5", 1), ("sum(threadIdx.x@*) == 63 * 32 && threadIdx.x == min(threadIdx.x@5..9)", 0),
    ("max(positive@*) > 0 && count(threadIdx.x@* >= 5) == 59 && threadIdx.x == min(threadIdx.x@5)", 0)])
def test_conditions_over_64_lanes(way, code, condition, group):
    said = ask(code("values.cl"), [f"break values.cl:{line_of('values.cl', 'stop')} if {condition}", "run"], ["print threadIdx.x", "print blockIdx.x"],
               VALUES + way)
    assert said == ["$1 = 5", f"$2 = {group}"]


@both_ways
def test_groups_are_selected_by_their_coordinates(way, code):
    said = ask(code("values.cl"), [f"break values.cl:{line_of('values.cl', 'stop')}", "run"], ["group 1", "output blockIdx.x", "group 0,0,0", "output blockIdx.x", "group"],
               VALUES + way)
    assert "group (1,0,0)" in said[0] and "#0 " in said[0] and said[1] == "1" and said[3] == "0" and "group (0,0,0)" in said[4]
    for wrong in ("group 7", "group x", "group 1,2,3,4"):
        done = debug(code("values.cl"), f"break values.cl:{line_of('values.cl', 'stop')}", "run", wrong, options=VALUES + way)
        assert done.returncode == 1 and "group" in done.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_frames_variables_from_its_prologue_to_its_return(code, compiler):
    """s33 is the function's own between the prologue and the epilogue, which restores the caller's: before, there is no frame; behind it the
    variables are where they were. Each instruction of the function shows them."""
    file, how = code("epilogue.cl", compiler, "-O0"), options("epilogue", "zeros:512", "i32:2", items=64)
    session = ["set pagination off", "break *scale", "run", "delete"]
    session += [word for _ in range(70) for word in ("echo @@\\n", "info frame", "print x@6", "print by@6", "print y@6", "print n@6", "stepi")]
    done = subprocess.run([WAVETRAP, "debug", "--nx", *how, file], input="\n".join(session), capture_output=True, text=True, timeout=TIMEOUT)
    inside = [part for part in done.stdout.split("@@\n") if re.search(r"^ pc = \w+ in scale ", part, re.M)]
    shown = [re.findall(r"^\$\d+ = (.*)$", part, re.M) for part in inside]
    first = next(i for i, values in enumerate(shown) if values and values[0] != "<not available yet>")
    assert first > 0 and len(shown) > 20, done.stdout[:2000]
    assert shown[-1] == ["3", "2", "6", "8"], done.stdout[-2000:]
    wanted = [{"3"}, {"2"}, {"6"}, {"8"}]
    for value, right in zip(zip(*shown[first:]), wanted):
        come = next(i for i, text in enumerate(value) if {text} == right)
        assert set(value[come:]) == right, value


@pytest.mark.parametrize("compiler", COMPILERS)
def test_finish_has_the_value_that_is_returned(code, compiler):
    """Of lane 0 and, in the registers that each of its lanes has, of lane 5: numbers, vectors and structures."""
    wanted = {"d": "{0:g}", "c": None, "s": "-{1}", "i4": "{{{1}, {2}, {3}, {4}}}", "d2": "{{{1}, -0.25}}", "s2": "{{{1}, -{1}}}", "h": "{0:g}",
              "mixed": "{{a = {1} '\\00{1}', b = -{1}, c = {0:g}}}", "small": "{{a = {1} '\\00{1}', b = -{1}}}",
              "bytes": "{{b = \"\\00{1}\\001\\002\\003\\004\\005\\006\\a\\b\\t\\n\\v\"}}"}
    file, how = code("returned.cl", compiler, "-O0"), options("returned", "zeros:512", items=64)
    said = ask_console(file, [*(f"tbreak get_{name}" for name in wanted), "run"], [w for _ in wanted for w in ("thread 5", "finish", "continue")][:-1], how)
    for name, text, form in zip(wanted, said[1::3], wanted.values()):
        value = re.sub(r".*Value returned is \$\d+ = ", "", text, flags=re.S)
        assert value == (form or "101 'e'").format(2.0, 4, 5, 6, 7), (name, text)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_each_inlined_copy_has_its_location(code, tmp_path, compiler):
    """As many as DW_TAG_inlined_subroutine, which llvm-dwarfdump lists; both are stopped at."""
    source = tmp_path / "copies.cl"
    source.write_text("__attribute__((always_inline)) static inline int twice(int x)\n{\n    int y = x * 2;\n    return y;\n}\n"
                      "__kernel void copies(__global int *out)\n{\n    int g = get_global_id(0);\n    out[g] = twice(g);\n    out[g] += twice(g + 1);\n}\n")
    file = code(source, compiler, "-O0")
    listed = subprocess.run(["llvm-dwarfdump-19", "--debug-info", file], capture_output=True, text=True, check=True).stdout.count("DW_TAG_inlined_subroutine")
    said = ask_console(file, [], ["break copies.cl:3", "run", "print x", "continue", "print x"], options("copies", "zeros:256", items=64))
    assert listed == 2 and "(2 locations)" in said[0], said[0]
    assert said[2].endswith("= 0") and said[4].endswith("= 1"), said


def test_a_backtrace_that_is_cut_says_so(code, tmp_path):
    """A function that has lost its return address: the frames end before the kernel."""
    source = tmp_path / "lost.cl"
    source.write_text("__attribute__((noinline)) int lost(int x)\n{\n    __asm volatile(\"s_mov_b64 s[30:31], 0\");\n    return x + 1;\n}\n"
                      "__kernel void loses(__global int *out)\n{\n    out[get_global_id(0)] = lost(4);\n}\n")
    in_kernel, _, cut = ask_console(code(source, "clang-19", "-O0"), ["break loses", "break lost.cl:4", "run"], ["backtrace", "continue", "backtrace"],
                                    options("loses", "zeros:256", items=64))
    assert in_kernel.startswith("#0") and "stopped" not in in_kernel
    assert re.fullmatch(r"#0 .* lost \(x=4\) at .*\nBacktrace stopped: lost returns to 0x0, where the program has no code", cut), cut


LAUNCHED = """
struct P { int a; float b; long c; short d[3]; };
__kernel void k(__global int *out, struct P p, int n, char small, float4 v, __local int *rest)
{
    int i = get_global_id(0);
    rest[get_local_id(0)] = n;
    n *= 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = p.a + n + small + (int)v.y + rest[0] + p.d[1];
}
"""


@pytest.mark.parametrize("compiler", ["clang-19", HIPCC_CLANG])
@both_ways
def test_arguments_of_optimised_kernels_are_those_of_the_launch(way, code, tmp_path, compiler):
    """Structures, vectors, local memory; told as what they were. What has a register is told as what it is. Nothing is written to them."""
    source = tmp_path / "launched.cl"
    source.write_text(LAUNCHED)
    file = code(source, compiler, "-O2")
    how = [*way, "-g", "gfx900", "--grid=64", "--block=64", "--arg=zeros:256", "--arg=hex:050000000000c040faffffffffffffff01000200fdff0000",
           "--arg=7", "--arg=-3", "--arg=hex:000000000000803f0000004000004040", "--arg=local:256"]
    out = ask_each(file, ["break k", "run"], ["info args", "print v.s1", "print n + 1", "print p.d[2]@5", "set var n = 3"], how)
    assert out[0].splitlines() == [
        "out = 0x200000000 (at launch)", "p = {a = 5, b = 6, c = -6, d = {1, 2, -3}} (at launch)", "n = 7 (at launch)",
        "small = -3 '\\375' (at launch)", "v = {0, 1, 2, 3} (at launch)", "rest = local#0x0 (at launch)"]
    assert out[1:4] == ["$1 = 1 (at launch)", "$2 = 8 (at launch)", "$3 = -3 (at launch)"] and "not an lvalue" in out[4]
    if way:
        return
    core = tmp_path / "launched.core"
    subprocess.run([WAVETRAP, "debug", "--nx", "--batch", *how, "-ex", "break 9", "-ex", "run", "-ex", f"generate-core {core}", file], check=True, capture_output=True)
    after = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "--core", core, "-ex", "print n", "-ex", "print v"], check=True, capture_output=True, text=True)
    assert "$1 = 7 (at launch)\n$2 = {0, 1, 2, 3} (at launch)\n" in after.stdout


def test_names_of_a_file_that_dwarf_5_numbers_0(code, tmp_path):
    """clang's DWARF 5 gives a unit's own source the number 0: 'FILE'::NAME and the completion of its functions find it, and a variable that is declared later is not yet there."""
    source = tmp_path / "own.cl"
    source.write_text("constant int table[2] = {3, 4};\nint twice(int x) { return 2 * x; }\nkernel void k(global int *out)\n{\n    int a = get_global_id(0);\n    {\n"
                      "        out[a] = table[a & 1] + twice(a);\n        int a = 5;\n        out[a] = 7;\n    }\n}\n")
    file = code(source, "clang-19", "-O0", "-gdwarf-5")
    said = ask_each(file, ["break own.cl:7", "run"], ["print 'own.cl'::table", "complete break own.cl:tw", "print 'other.cl'::table", "print a"], options("k", "zeros:256", items=64))
    assert said == ["$1 = {3, 4}", "break own.cl:twice", 'No symbol "other.cl::table" in current context.', "$2 = 0"]
