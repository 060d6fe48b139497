"""Core files of programs on the CUDA driver API: at a stop (generate-core), and at a fault (exec --core-on-fault). The console must
answer in them as it answers in the program."""
import os
import re
import stat
import subprocess

from conftest import WAVETRAP, wavetrap
from test_console import ask, debug
from test_console_cuda import SM, line_of, program # pylint: disable=unused-import
from test_core_files import ask as ask_core, console
from test_cuda_images import FAULT, program as images # pylint: disable=unused-import

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
    (tmp_path / "fault.sass").write_text(FAULT)
    subprocess.run([WAVETRAP, "asm", tmp_path / "fault.sass", "-o", tmp_path / "f.cubin", "-g", "sm"], check=True, capture_output=True)
    done = wavetrap("exec", *SM, f"--core-on-fault={core}", images, "file", tmp_path / "f.cubin")
    assert f"The state is in {core}" in done.stderr, done.stdout + done.stderr
    pc = re.search(r"at (0x[0-9a-f]+) <", done.stderr)[1]
    said = ask_core(["print/x $pc", "x/i $pc"], "--core", core)
    assert "Program stopped by a fault: " in said[0] and said[1] == f"$1 = {pc}\n" and re.search(r"<\w+\+\d+>:\tST", said[2]), said


def test_what_cannot_be_is_told(program, tmp_path): # pylint: disable=redefined-outer-name
    done = debug(["break fill", "run", f"generate-core {tmp_path}/core all"], *program, options=SM)
    assert done.returncode == 1 and "kernels of CUDA programs are not recorded" in done.stderr
    done = debug(["break fill", "run", f"generate-core {tmp_path}/no/core"], *program, options=SM)
    assert done.returncode == 1 and "no/core: cannot create: No such file or directory" in done.stderr
