"""Core files of OpenCL programs on the emulated Gen9: at a stop (generate-core), and at a stray access (exec --core-on-fault). The
console must answer in them as it answers in the program."""
import os
import re
import stat

import pytest

from conftest import ROOT, wavetrap
from test_console import ask, debug
from test_core_files import ask as ask_core, console
from test_opencl_debug import GEN9, ROUNDS, SOURCE
from test_opencl_long import build

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
    pc = re.search(r"^  at (0x[0-9a-f]+) <stray\+\d+>$", done.stderr, re.M)[1]
    said = ask_core(["print/x $pc", "info warps", "x/i $pc", "backtrace"], "--core", core)
    assert "Program stopped by a fault: " in said[0] and re.match(rf"\$1 = {pc}\n", said[1])
    assert len(said[2].splitlines()) >= 1 and "<stray+" in said[3]
    assert not re.search("wavetrap: .*core", done.stderr)
    for command, message in [("continue", "the core file ends here"), ("run", "it can be looked at")]:
        failed = console([command], "--core", core)
        assert failed.returncode == 1 and message in failed.stderr


def test_what_cannot_be_is_told(folder, tmp_path):
    done = debug(["break add", "run", f"generate-core {tmp_path}/core all"], build(SOURCE, folder), 1, options=GEN9)
    assert done.returncode == 1 and "kernels of OpenCL programs are not recorded" in done.stderr
    done = debug(["break add", "run", f"generate-core {tmp_path}/no/core"], build(SOURCE, folder), 1, options=GEN9)
    assert done.returncode == 1 and "no/core: cannot create: No such file or directory" in done.stderr
    done = wavetrap("exec", *GEN9, f"--core-on-fault={tmp_path}/core", "--core-history=all", "true")
    assert done.returncode == 125 and "--core-history is for gfx900" in done.stderr
