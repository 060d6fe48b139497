"""The console with unmodified OpenCL host programs on the emulated Gen9 GPU: `wavetrap debug -g gen9 ./program`. What the program
prints, and C's arithmetic on its data (a[i] = i, b[i] = 10 * i), say what variables must be."""
import re
import subprocess

import pytest

from conftest import ROOT, WAVETRAP, environment
from test_console import END, MARK, ask, debug
from test_long import Running
from test_opencl_long import build

SOURCE = ROOT / "tests" / "host" / "opencl_debug.c"
GEN9 = ["-g", "gen9"]
ROUNDS = "round 0: -315 0 -1008\nround 1: -315 -1 -1009\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return build(SOURCE, tmp_path_factory.mktemp("debug"))


def said_by(commands, program, *arguments):
    return ask(commands, program, *arguments, options=GEN9)


def status_of(commands, program, *arguments):
    """The status of the session is the program's."""
    done = debug(commands, program, *arguments, options=GEN9)
    return done.returncode, done.stdout.split(MARK + "\n")[1:-1]


def test_a_kernel_is_stopped_at_its_first_line(program):
    """The kernel's source is text in the program; the breakpoint waits for the kernel, and holds for the next dispatch and run."""
    said = said_by(["break add if round == 1", "tbreak add", "run", "list", "next", "continue", "info breakpoints", "run", "info breakpoints",
                    "kill"], program, 2)
    assert said[0] == "Breakpoint 1 (add) pending.\n" and said[1] == "Temporary breakpoint 2 (add) pending.\n"
    assert said[2].startswith(f"Starting program: {program} 2\n")
    assert "\n[device 0, dispatch 1, group (0,0,0), core 0, thread 0, channel 0; channels 0-7 enabled]\n" in said[2]
    assert re.search(r"^Temporary breakpoint 2, add \(a=0x[0-9a-f]+, b=0x[0-9a-f]+, c=0x[0-9a-f]+, round=0\) at program-1.cl:8\n"
                     r"8\t    int i = get_global_id\(0\) \+ 16 \* get_global_id\(1\);$", said[2], re.M), said[2]
    assert said[3].splitlines()[-1] == "12\t    c[i] = sum;" and "9\t    int sum = a[i] + twice(b[i]);" in said[3]
    assert said[4] == "9\t    int sum = a[i] + twice(b[i]);\n"
    assert said[5].startswith("Continuing.\nround 0: -315 0 -1008\n[device 0, dispatch 2, group (")
    assert "\nBreakpoint 1, add (" in said[5] and "round=1) at program-1.cl:8\n" in said[5] and "hit 1 time" in said[6]
    assert "\nBreakpoint 1, add (" in said[7] and "hit 2 times" in said[8]


def test_values_of_each_channel(program):
    said = said_by(["tbreak program-1.cl:12", "run", "print i", "print i@*", "print sum", "print a[i] + 2 * b[i] == sum", "info registers ce",
                    "info dispatches", "print c[i]", "continue", "x/i add", "list twice"], program, 1)
    assert "Temporary breakpoint 1, add (" in said[1] and "program-1.cl:12\n12\t    c[i] = sum;\n" in said[1]
    i = int(said[2].split("= ")[1])
    group = [int(n) for n in re.search(r"group \((\d),(\d),0\)", said[1]).groups()]
    # Two threads of eight channels: a group is eight wide and two high.
    assert i in (8 * group[0] + 32 * group[1], 8 * group[0] + 32 * group[1] + 16)
    assert said[3] == f"$2 = {i}, {i + 1} .. {i + 7}, step +1, in channels 0..7\n" or str(i + 7) in said[3]
    assert said[4] == f"$3 = {21 * i}\n"
    assert said[5] == "$4 = 1\n" and re.search(r"^ce +0xff ", said[6]) and said[7] == "dispatch 1\n"
    assert said[9].endswith("round 0: -315 0 -1008\n" + END)
    # The kernel can be looked at after the end.
    assert re.match(r"   0x[0-9a-f]+ <add>:\t +mov ", said[10]) and "3\t    return 2 * x;" in said[11]


def test_several_programs_kernels_and_queues(program):
    """Each kernel is a module of its own, and comes when it is first launched; the program's status is told."""
    status, said = status_of(["break turn", "break negate", "info breakpoints", "run", "info sharedlibrary", "delete 1", "continue", "delete", "info breakpoints",
                    "continue"], program, 2, 3)
    assert status == 3
    assert re.search(r"^1 .*<PENDING> +turn\n2 .*<PENDING> +negate$", said[2], re.M), said[2]
    assert re.search(r"^\[device 0, dispatch 1, ", said[3], re.M) and "Breakpoint 1, turn (" in said[3]
    assert "at program-3.cl:3\n3\t    int i = get_global_id(0), here = get_local_id(0);\n" in said[3]
    assert re.findall(r"^0x\w+ +0x\w+ +(\w+)$", said[4], re.M) == ["add", "turn"]
    assert re.search(r"^\[device 0, dispatch 2, ", said[6], re.M) and "Breakpoint 2, negate (" in said[6] and "program-2.cl:17\n" in said[6]
    assert said[9] == "Continuing.\n" + ROUNDS + "[Program exited with code 03]\n"


def test_values_that_the_user_writes(program):
    said = said_by(["tbreak program-1.cl:12 if i == 0", "run", "print sum = 1000", "print sum", "set var c[63] = 5", "print c[63]", "delete",
                    "continue"], program, 1)
    assert said[2] == "$1 = 1000\n" and said[3] == "$2 = 1000\n" and said[5] == "$3 = 5\n"
    # turn brings c[0] of its group to c[15].
    assert said[7].endswith("round 0: -315 -1000 -1008\n" + END)


def test_instructions(program):
    said = said_by(["tbreak add", "run", "print/x $pc", "stepi", "print/x $pc", "x/i $pc", "print/x $cr0", "kill"], program, 1)
    before, after = (int(said[i].split("= ")[1], 16) for i in (2, 4))
    assert after == before + 16
    assert re.match(rf"=> 0x{after:x} <add\+\d+>:\t", said[5])
    aip = re.match(r"\$3 = \{0x8[0-9a-f]+, 0x[0-9a-f]+, 0x([0-9a-f]+), 0x0\}", said[6])
    assert int(aip[1], 16) & 0xffff == after & 0xffff


def test_a_program_that_ends_before_its_kernels(program, tmp_path):
    source = tmp_path / "none.c"
    source.write_text("int main(void) { return 7; }\n")
    subprocess.run(["gcc", "-o", tmp_path / "none", source], check=True)
    assert status_of(["run"], tmp_path / "none") == (7, [f"Starting program: {tmp_path / 'none'}\n[Program exited with code 07]\n"])


def test_a_program_that_runs_is_attached_to(tmp_path):
    """Its kernels were compiled without a debugger: they have names and instructions. It goes on when the debugger goes."""
    long = build(ROOT / "tests" / "host" / "opencl_long.c", tmp_path)
    with Running(program=long, options=GEN9) as run:
        pid = run.process.pid
        listed = subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True, check=True, env=environment()).stdout
        assert re.search(rf"^ *{pid} +1  .*opencl_long$", listed, re.M), listed
        said = ask(["info sharedlibrary", "x/i $pc", "stepi", "info threads", "detach"], options=[f"--pid={pid}", *GEN9])
        other = debug(["info threads"], options=[f"--pid={pid}", *GEN9])
        assert other.returncode == 0, other.stderr
        run.end()
    name = re.search(r"^0x\w+ +0x\w+ +(\w+)$", said[0], re.M)[1]
    assert re.match(rf"=> 0x[0-9a-f]+ <{name}(\+\d+)?>:\t", said[1]), said[1]
