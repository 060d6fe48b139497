"""Core files of programs on the CUDA driver API: at a stop (generate-core), and at a fault (exec --core-on-fault). The console must
answer in them as it answers in the program."""
import os
import re
import stat
import subprocess

from conftest import WAVETRAP, wavetrap
from releases import CC
from test_console import ask, debug
from test_console_cuda import SM, line_of, program # pylint: disable=unused-import
from test_core_files import ask as ask_core, console, is_as_before, is_exact, is_nowhere
from test_cuda import compiled as compiled_c
from test_cuda_images import FAULT, program as images # pylint: disable=unused-import
from test_recording import times
from test_recording_cuda import line_of as line_of_recording, recording_fixture # pylint: disable=unused-import

SEEN = ["backtrace", "info locals", "info cuda kernels", "info cuda warps", "info cuda lanes", "info lanes", "info registers pc", "x/4i $pc", "up",
        "info locals", "list"]


def test_a_core_file_shows_what_the_program_shows(program, tmp_path): # pylint: disable=redefined-outer-name
    """PTX is linked again, with its frames and shared memory; breakpoints are out of the code; the program goes on."""
    core = tmp_path / "core"
    before = [f"tbreak session.cu:{line_of('store')}", f"break session.cu:{line_of('weigh')}", "run", "continue", f"generate-core {core}"]
    live = ask([*before, *SEEN, "delete", "continue"], *program, options=SM)
    assert live[4] == f"Saved corefile {core}\n" and live[-1].endswith("[Program exited normally]\n")
    assert stat.S_IMODE(os.stat(core).st_mode) == 0o600
    said = ask_core(SEEN, "--core", core)
    assert "\nProgram stopped.\n" in said[0] and "#1 " in said[1]
    different = [(c, a, b) for c, a, b in zip(SEEN, live[5:], said[1:-1]) if a != b]
    assert not different, different[0]


def test_a_fault_leaves_a_core_file(program, tmp_path): # pylint: disable=redefined-outer-name
    core = tmp_path / "core"
    done = wavetrap("exec", *SM, f"--core-on-fault={core}", *program, "stray")
    assert f"  The state is in {core}: 'wavetrap debug --core {core}' opens it.\n" in done.stderr and "then 700" in done.stdout, done.stderr
    said = ask_core(["backtrace", "info cuda lanes"], "--core", core)
    assert "Program stopped by a fault: " in said[0] and " at " in said[1] and "stray" in said[1], said
    failed = console(["continue"], "--core", core)
    assert failed.returncode == 1 and "the core file ends here" in failed.stderr


def test_a_fault_in_machine_code(images, tmp_path): # pylint: disable=redefined-outer-name
    core = tmp_path / "core"
    (tmp_path / "fault.sass").write_text(FAULT.format("MOV32I R0, 0x40;\n MOV R1, RZ;\n STG.E [R0], R2;"))
    subprocess.run([WAVETRAP, "asm", tmp_path / "fault.sass", "-o", tmp_path / "f.cubin", "-g", "sm"], check=True, capture_output=True)
    done = wavetrap("exec", *SM, f"--core-on-fault={core}", images, "file", tmp_path / "f.cubin")
    assert f"The state is in {core}" in done.stderr, done.stdout + done.stderr
    pc = re.search(r"at (0x[0-9a-f]+) <", done.stderr)[1]
    said = ask_core(["print/x $pc", "x/i $pc"], "--core", core)
    assert "Program stopped by a fault: " in said[0] and said[1] == f"$1 = {pc}\n" and re.search(r"<\w+\+\d+>:\tST", said[2]), said


# The place of each warp, and its registers.
STATE = ["info warps", "info lanes", "print sum@*", "print k@*", "x/4i $pc", "info registers $active", "info time"]


def test_the_recorded_run_is_in_the_file(recording, tmp_path):
    """Writes, watchpoints and steps backwards, with two breakpoints in the code of the recorded run, as in the program."""
    scaled = line_of_recording("scaled")
    before = [f"break recording.cu:{scaled} if i == 70 && k == 2", "run", f"tbreak recording.cu:{scaled} if i == 70 && k == 6", "delete 1", "continue"]
    commands = ["print out[70]", "watch out[70]", "who-wrote out[70] 5", "reverse-continue", "info time", "print k@6", "reverse-continue", "backtrace",
                "print tile[0..7]", "reverse-stepi", *STATE, "reverse-next", "info locals", "goto start", "info warps", "goto end", *STATE]
    said = is_as_before(tmp_path / "core", before, commands, *SM, recording, "sums", after=["delete", "continue"])
    assert said[2].count("recording.cu:") == 5 and "Old value" in said[3] and "in the past" in said[4]


def test_what_threads_did_meanwhile_is_in_the_file(recording, tmp_path):
    """Atomics on managed memory that a thread of the program changes, too, and its answer: each point is what it was."""
    state = ["info warps", "info lanes", "x/4i $pc", "info time"]
    answered = f"break recording.cu:{line_of_recording('answered')}"
    commands = ["info time", "print *flag", *state, "goto start", *state, "delete", answered, "continue", *state, *["reverse-stepi"] * 20, *state,
                "goto end", *["reverse-stepi"] * 3, *state, "reverse-continue", *state]
    said = is_as_before(tmp_path / "core", [answered, "run"], commands, *SM, recording, "talk", after=["delete", "continue"])
    assert said[1].endswith(" 5\n") and "in the past" in said[-1]
    is_exact(tmp_path / "core")


def test_the_recorded_run_of_openmp_is_in_the_file(tmp_path):
    path = compiled_c(tmp_path, CC, "cuda_openmp.c", "-g", "-fopenmp", "-foffload=nvptx-none", "-fno-stack-protector", "-fcf-protection=none")
    state = ["info lanes", "backtrace", "x/2i $pc", "info time"]
    commands = [*state, *["reverse-stepi"] * 12, *state, "reverse-finish", *state, "goto start", "info time", "goto end", *state]
    is_as_before(tmp_path / "core", ["break fibonacci", "run"], commands, *SM, path)


def test_memory_that_is_not_there_is_not_there_in_the_file(recording, tmp_path):
    is_nowhere(tmp_path / "core", ["break kernel scale", "run", "print in"], *SM, recording, "sums")


def test_a_fault_has_its_history(program, tmp_path): # pylint: disable=redefined-outer-name
    """It needs no debugger; a number of issues is so much of the run."""
    core, part = tmp_path / "core", tmp_path / "part"
    for file, issues in [(core, "all"), (part, "5")]:
        done = wavetrap("exec", *SM, f"--core-on-fault={file}", f"--core-history={issues}", *program, "stray")
        assert f"  The state is in {file}: " in done.stderr and "then 700" in done.stdout, done.stderr
    said = ask_core(["info time", "reverse-next", "reverse-next", "backtrace", "goto start", "info time"], "--core", core)
    now, first, last = times(said[1])
    assert first < now == last and "stray (" in said[4] and times(said[6])[0] == first, said
    assert times(ask_core(["info time"], "--core", part)[1]) == (last, last - 5, last)


def test_what_cannot_be_is_told(program, tmp_path): # pylint: disable=redefined-outer-name
    done = debug(["break fill", "run", f"generate-core {tmp_path}/core all"], *program, options=[*SM, "--no-history"])
    assert done.returncode == 1 and "nothing is recorded of this program: give no number of issues" in done.stderr, done.stderr
    done = wavetrap("exec", *SM, *SM, f"--core-on-fault={tmp_path}/core", "--core-history=all", "true")
    assert done.returncode == 125 and "several GPUs" in done.stderr
    done = debug(["break fill", "run", f"generate-core {tmp_path}/no/core"], *program, options=SM)
    assert done.returncode == 1 and "no/core: cannot create: No such file or directory" in done.stderr
