"""The toy family: a command with another registry runs its kernels and host programs, and debugs them. It shows what a
family needs, and that this is enough (docs/architecture.md)."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from assemble import assemble  # noqa: E402

BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", HERE.parents[1] / "build")) / "tests" / "toy"
COMMAND, PROGRAM = str(BUILD / "toy-wavetrap"), str(BUILD / "toy-program")
LAUNCH = ["--grid=64", "--block=16", "--arg=zeros:512", "--arg=3"]
BUFFER, LOCAL = 0x500000010000, 0x600000000000

# Each lane adds 3 to its number, in local memory, and stores the sum to its word of the buffer.
SUMS = """
  arg r0 0
  lane r2
  group r3
  mul r4 r3 16
  add r4 r4 r2
  mul r5 r4 8
  add r5 r5 r0
  mul r6 r2 8
  set r7 0x6000
  mul r7 r7 0x10000
  mul r7 r7 0x10000
  add r6 r6 r7
  store r4 r6 0
  barrier
  arg r8 1
loop:
  load r9 r6 0
  addi r9 r9 1
change:
  store r9 r6 0
  addi r8 r8 -1
  branch r8 loop
  load r9 r6 0
out:
  store r9 r5 0
  end
"""


def address(label):
    before = SUMS.split(f"{label}:\n")[0].split("\n")
    return f"{0x500000000000 + 8 * len([line for line in before if line.strip() and not line.endswith(':')]):#x}"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    stray = SUMS.replace("  barrier\n", "  set r0 64\n  load r9 r0 0\n")
    waits = "  arg r0 0\nwait:\n  load r1 r0 0\n  addi r1 r1 -1\n  branch r1 wait\n  end\n"
    for name, text in (("sums", SUMS), ("stray", stray), ("waits", waits)):
        (folder / name).write_bytes(assemble(text, arguments=2, buffers=1, local=128))
    return folder


def toy(*arguments, status=0, **options):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, **options)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def debug(commands, *arguments, status=0):
    return toy("debug", "--nx", "--batch", *[f"--ex={command}" for command in commands], *arguments, status=status)


def in_order(text, *parts):
    at = 0
    for part in parts:
        found = re.compile(part).search(text, at)
        assert found, f"{part!r} is not in\n{text[at:]}"
        at = found.end()


def test_it_runs(files):
    out = files / "out"
    toy("run", files / "sums", *LAUNCH, f"--dump={out}@{BUFFER:#x}:512")
    words = [int.from_bytes(out.read_bytes()[i:i + 8], "little") for i in range(0, 512, 8)]
    assert words == [i + 3 for i in range(64)]


def test_a_row_more_is_an_instruction_more(files):
    """toy-more has added.def besides: what that row says is executed, listed, and traced; the toy does not know it."""
    kernel, out = files / "min", files / "out"
    kernel.write_bytes(assemble("arg r0 0\nlane r2\nmul r5 r2 8\nadd r5 r5 r0\nset r3 7\nmin r4 r2 r3\nstore r4 r5 0\nend", arguments=1, buffers=1))
    words = ["--grid=16", "--block=16", "--arg=zeros:128", kernel]
    done = subprocess.run([str(BUILD / "toy-more"), "run", *words, f"--dump={out}@{BUFFER:#x}:128"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [int.from_bytes(out.read_bytes()[i:i + 8], "little") for i in range(0, 128, 8)] == [min(i, 7) for i in range(16)]
    assert "min r4, r2, r3" in subprocess.run([str(BUILD / "toy-more"), "trace", *words], capture_output=True, text=True).stdout
    assert "there is no such instruction" in toy("run", *words, status=116)


def test_states_do_not_depend_on_how_it_runs(files):
    hashes = [re.search("state hash (.*?) after 264 issues", toy("run", files / "sums", *LAUNCH, "--hash", f"--schedule={s}")).group(1)
              for s in ("rr:64", "rr:64", "rr:1", "random:7")]
    assert hashes[0] == hashes[1]
    traced = toy("trace", *LAUNCH, files / "sums")
    assert len(re.findall(r"store r9", traced)) == 4 * 2 * 4


def test_a_fault_is_reported(files):
    in_order(toy("run", files / "stray", *LAUNCH, status=120), "no memory is at 0x40", "lane 0", "load r9, r0")


def test_it_is_debugged_backwards(files):
    said = debug([f"break *{address('out')}", "run", "info waves", "print $r9", "stepi", "print $pc", "reverse-stepi", "delete",
                  f"break *{address('loop')}", "reverse-continue", "print $r8", "continue"], *LAUNCH, files / "sums")
    in_order(said, r"Breakpoint 1, 0x0000" + address("out")[2:], r"device 0, dispatch 1, group .3,0,0., core 1, wave 3  index 1", r"\$1 = \d+",
             r"\$2 = \d+", "Breakpoint 2", r"\$3 = 1", "present")


def test_memory_is_watched(files):
    said = debug([f"break *{address('loop')}", "run", "delete", f"watch *(long long *){LOCAL + 80:#x}", "continue", "continue",
                  f"who-wrote *(long long *){LOCAL + 80:#x}", "reverse-continue", "delete",
                  f"watch *(long long *){BUFFER + 8:#x}", "continue", "continue", "reverse-continue"], *LAUNCH, files / "sums")
    in_order(said, "Old value = 10\nNew value = 11", "Old value = 11\nNew value = 12", r"lane 2", "Old value = 12\nNew value = 11",
             "Old value = 0\nNew value = 4", "Old value = 4\nNew value = 0")


def test_local_memory_is_watched_backwards_when_the_wave_has_ended(files):
    """The slot of the wave through which it was set is empty."""
    said = debug([f"break *{address('loop')}", "run", "delete", f"watch *(long long *){LOCAL + 80:#x}", "disable 2",
                  f"break *{address('out')} if $_group_x == 3", "continue", "info waves", "enable 2", "delete 3", "reverse-continue", "reverse-continue"], *LAUNCH, files / "sums")
    assert not re.search(r"group \(0,0,0\), .*  index 1 ", said.split("Breakpoint 3,")[1].split("Continuing")[0]), said
    in_order(said, "Breakpoint 3,", r"group .0,0,0.", "Old value = ", r"group .0,0,0.", "Old value = ")


def test_a_core_file_has_the_run(files):
    core = files / "core"
    debug([f"break *{address('out')}", "run", f"generate-core-file {core} all"], *LAUNCH, files / "sums")
    said = debug(["info waves", "print $r9", f"break *{address('loop')}", "reverse-continue", "print $r9"], f"--core={core}")
    in_order(said, "0x0000" + address("out")[2:], r"\$1 = \d+", "Breakpoint 1", r"\$2 = \d+")


def test_a_host_program_runs(files):
    said = toy("exec", "--stats", PROGRAM, files / "sums")
    assert said == "sum 2208\n" \
        "wavetrap: 2 kernels were launched on the emulated toy, 528 instructions of waves\n"


def test_the_fault_of_a_host_program_leaves_a_core_file(files):
    core = files / "fault"
    said = toy("exec", "--stats", f"--core-on-fault={core}", PROGRAM, files / "stray", status=1)
    in_order(said, "no memory is at 0x40", "1 kernel on the emulated toy ended by a fault")
    in_order(debug(["info waves", "print $r0"], f"--core={core}"), "no memory is at 0x40", r"\$1 = 64")


def test_a_host_program_is_debugged(files):
    core = files / "host"
    said = debug([f"break *{address('out')}", "run", "print $r9", "set var $r9 = 7", "stepi", f"generate-core-file {core} all",
                  f"x/xg $r5", "reverse-stepi", "reverse-continue", "delete", "continue", "continue"], "-g", "toy", PROGRAM, files / "sums")
    in_order(said, "Breakpoint 1", r"\$1 = (\d+)", "0000000000000007", "Breakpoint 1", "recorded run begins here", "present",
             r"sum \d+", "exited normally")
    in_order(debug([f"break *{address('change')}", "reverse-continue", "info waves"], f"--core={core}"), "Breakpoint 1",
             "0x" + address("change")[2:])


def test_a_debugger_comes_and_goes(files):
    program = subprocess.Popen([COMMAND, "exec", "--gpu=toy", PROGRAM, str(files / "waits")], stdout=subprocess.PIPE, text=True)
    try:
        while not re.search(rf"{program.pid} +1 +toy", listed := toy("ps")):
            assert program.poll() is None, listed
        said = debug(["break *0x500000000018", "continue", "info waves", "print $r1", "delete", "detach"], f"--pid={program.pid}")
        in_order(said, "Breakpoint 1, ", "core 1, wave 3", r"\$1 = -1|\$1 = 18446744073709551615")
        assert program.poll() is None
        said = debug([f"set var *(long long *){BUFFER:#x} = 1", "detach"], f"--pid={program.pid}")
        assert program.communicate()[0] == "sum 1\n"
        assert program.returncode == 0
    finally:
        program.kill()
        program.wait()


def test_lists_have_the_family():
    assert "toy: a toy with 2 cores" in toy("info", "--devices")
    assert "toy" in toy("doctor", "--gpu=toy")
    assert "there is no GPU family 'nothing'" in toy("exec", "--gpu=nothing", "true", status=125)
