"""Core files of OpenCL programs on the emulated Gen9: at a stop (generate-core), and at a stray access (exec --core-on-fault). The
console must answer in them as it answers in the program."""
import os
import re
import stat

import pytest

from conftest import ROOT, wavetrap
from test_console import ask, debug
from test_core_files import ask as ask_core, console, is_as_before, is_exact, is_nowhere
from test_opencl_debug import GEN9, ROUNDS, SOURCE
from test_opencl_long import build
from test_recording import times
from test_recording_opencl import ANSWERED, SCALED, recording_fixture # pylint: disable=unused-import

SEEN = ["backtrace", "info locals", "print x@*", "up", "print i@*", "print a[0..7]", "print b[i]", "info warps", "info lanes", "info registers pc ce sr0",
        "print r1.0<8;8,1>:ud", "disassemble", "list", "list twice", "info sharedlibrary", "x/8xw a"]


@pytest.fixture(scope="module", name="folder")
def folder_fixture(tmp_path_factory):
    return tmp_path_factory.mktemp("core")


def test_a_core_file_shows_what_the_program_shows(folder, tmp_path):
    """Registers, memory, shared local memory, sources that are text in the program; breakpoints are out of the code; the program
    goes on."""
    core = tmp_path / "core"
    before = ["break twice if x == 370", "tbreak negate", "run", f"generate-core {core}"]
    live = ask([*before, *SEEN, "delete", "continue"], build(SOURCE, folder), 2, options=GEN9)
    assert live[3] == f"Saved corefile {core}\n" and live[-1].endswith(ROUNDS + "[Program exited normally]\n")
    assert stat.S_IMODE(os.stat(core).st_mode) == 0o600
    said = ask_core(SEEN, "--core", core)
    assert "twice (x=370) at program-1.cl:3" in said[0] and "\nProgram stopped.\n" in said[0]
    different = [(c, a, b) for c, a, b in zip(SEEN, live[4:], said[1:-1]) if a != b]
    assert not different, different[0]


def test_shared_local_memory_and_barriers(folder, tmp_path):
    core = tmp_path / "core"
    seen = ["print part[0..7]", "info warps", "info barriers"]
    live = ask(["tbreak program-3.cl:6", "run", f"generate-core {core}", *seen, "delete", "kill"], build(SOURCE, folder), 1, options=GEN9)
    said = ask_core(seen, "--core", core)
    assert live[3:6] == said[1:4] and re.match(r"\$1 = \{(-?\d+, )+", said[1]), said


def test_a_fault_leaves_a_core_file(tmp_path):
    """In the thread and the channels at fault, without the program and its folder."""
    core = tmp_path / "core"
    done = wavetrap("exec", *GEN9, f"--core-on-fault={core}", build(ROOT / "examples" / "opencl" / "stray.c", tmp_path))
    assert f"  The state is in {core}: 'wavetrap debug --core {core}' opens it.\n" in done.stderr, done.stderr
    pc = re.search(r"^  at (0x[0-9a-f]+) <stray\+\d+>(?: at .*)?$", done.stderr, re.M)[1]
    said = ask_core(["print/x $pc", "info warps", "x/i $pc", "backtrace"], "--core", core)
    assert "Program stopped by a fault: " in said[0] and re.match(rf"\$1 = {pc}\n", said[1])
    assert len(said[2].splitlines()) >= 1 and "<stray+" in said[3]
    assert not re.search("wavetrap: .*core", done.stderr)
    for command, message in [("continue", "the core file ends here"), ("run", "it can be looked at")]:
        failed = console([command], "--core", core)
        assert failed.returncode == 1 and message in failed.stderr


# The place of each thread, and its registers.
STATE = ["info warps", "info lanes", "print sum@*", "print k@*", "x/4i $pc", "info registers sr0 cr0", "print/x $r20", "info time"]


def test_the_recorded_run_is_in_the_file(recording, tmp_path):
    """Writes, watchpoints and steps backwards, with two breakpoints in the code of the recorded run, as in the program."""
    before = [f"break program-1.cl:{SCALED} if i == 70 && k == 2", "run", f"tbreak program-1.cl:{SCALED} if i == 70 && k == 6", "delete 1", "continue"]
    commands = ["print out[70]", "watch out[70]", "who-wrote out[70] 5", "reverse-continue", "info time", "print k", "reverse-continue", "backtrace",
                "print tile[0..7]", "reverse-stepi", *STATE, "reverse-next", "info locals", "goto start", "info warps", "goto end", *STATE]
    said = is_as_before(tmp_path / "core", before, commands, *GEN9, recording, "sums", after=["delete", "continue"])
    assert said[2].count("program-1.cl:") == 5 and "Old value" in said[3] and "in the past" in said[4], said
    is_exact(tmp_path / "core")


def test_what_threads_did_meanwhile_is_in_the_file(recording, tmp_path):
    """Atomics on memory of the host that a thread of the program changes, too, and its answer: each point is what it was."""
    state = ["info warps", "info lanes", "x/4i $pc", "info time"]
    answered = f"break program-1.cl:{ANSWERED}"
    commands = ["info time", "print *flag", *state, "goto start", *state, "delete", answered, "continue", *state, *["reverse-stepi"] * 20, *state, "goto end",
                *["reverse-stepi"] * 3, *state, "reverse-continue", *state]
    said = is_as_before(tmp_path / "core", [answered, "run"], commands, *GEN9, recording, "talk", after=["delete", "continue"])
    assert said[1].endswith(" 5\n") and "in the past" in said[-1]
    is_exact(tmp_path / "core")


def test_memory_that_is_not_there_is_not_there_in_the_file(recording, tmp_path):
    is_nowhere(tmp_path / "core", ["break scale", "run", "print in"], *GEN9, recording, "sums")


def test_a_fault_has_its_history(tmp_path):
    """It needs no debugger; a number of issues is so much of the run."""
    core, part, program = tmp_path / "core", tmp_path / "part", build(ROOT / "examples" / "opencl" / "stray.c", tmp_path)
    for file, issues in [(core, "all"), (part, "5")]:
        done = wavetrap("exec", *GEN9, f"--core-on-fault={file}", f"--core-history={issues}", program)
        assert f"  The state is in {file}: " in done.stderr, done.stderr
    said = ask_core(["info time", "reverse-stepi", "reverse-stepi", "x/i $pc", "goto start", "info time"], "--core", core)
    now, first, last = times(said[1])
    assert first < now == last and "<stray+" in said[4] and times(said[6])[0] == first, said
    assert times(ask_core(["info time"], "--core", part)[1]) == (last, last - 5, last)


def test_what_cannot_be_is_told(folder, tmp_path):
    done = debug(["break add", "run", f"generate-core {tmp_path}/core all"], build(SOURCE, folder), 1, options=[*GEN9, "--no-history"])
    assert done.returncode == 1 and "nothing is recorded of this program: give no number of issues" in done.stderr, done.stderr
    done = debug(["break add", "run", f"generate-core {tmp_path}/no/core"], build(SOURCE, folder), 1, options=GEN9)
    assert done.returncode == 1 and "no/core: cannot create: No such file or directory" in done.stderr
    done = wavetrap("exec", *GEN9, *GEN9, f"--core-on-fault={tmp_path}/core", "--core-history=all", "true")
    assert done.returncode == 125 and "several GPUs" in done.stderr
