"""A GPU with XNACK: kernels use all memory of the process, which chooses it (HSA_XNACK), its code objects and OpenMP's unified shared memory."""
import re
import signal
import subprocess

import pytest

from conftest import compiled, environment, wavetrap
from test_gcn_models import ask
from test_offload import CLANG, HERE

FIRST = "gfx90a:sramecc+:xnack{}: pageable {}\n"


def program(*targets, level="-O1"):
    """A HIP program with code for these targets alone."""
    return compiled("xnack.hip", "--no-offload-arch=gfx900", *(f"--offload-arch={target}" for target in targets), level,
                    name="xnack" + "".join(targets).replace("gfx90a", "").replace(":xnack", "") + level)


def run(*words, xnack="1", gpus=("-g", "gfx90a"), **options):
    return wavetrap("exec", *gpus, *words, env={**environment(), "HSA_XNACK": xnack}, **options)


def test_kernels_use_all_memory_of_the_process():
    """Its stack, heap, variables and constants, between what the runtime allocates; no check has a finding."""
    done = run(program("gfx90a"), gpus=("--check=all", "-g", "gfx90a"))
    assert done.stdout == FIRST.format("+", 1) + "stack, heap, global: 1\nconstants, global, stack: 1\ndevice, stack, heap: 1\ncounted: 5120, 1\n", done.stderr
    assert done.returncode == 0 and "0 errors, 0 warnings" in done.stderr, done.stderr


def test_races_in_the_process_s_memory_are_found():
    """No call has made an object of it."""
    done = run(program("gfx90a"), "groups", gpus=("--check=race", "-g", "gfx90a"))
    assert done.stderr.count("wavetrap: warning: race store of 4 bytes: nothing orders two stores") == 1, done.stderr
    assert "0 errors, 1 warning" in done.stderr and "  2 times: 128 lanes of 2 work-groups" in done.stderr, done.stderr


@pytest.mark.parametrize("words, xnack, first, said", [
    ([], "0", ("-", 0), "load of 4 bytes at (0x[0-9a-f]+): no memory is mapped there\n(?:.*\n)*  \\1: the program's own memory: its stack, which GPUs may not use without HSA_XNACK=1\n"),
    (["constant"], "1", ("+", 1), "store of 4 bytes at (0x[0-9a-f]+): no memory is mapped there for writing\n(?:.*\n)*  \\1: the program's own memory: /.*, which it may not write itself\n"),
    (["freed"], "1", ("+", 1), "store of 4 bytes at (0x[0-9a-f]+): no memory is mapped there for writing\n")])
def test_what_a_kernel_may_not_use_is_a_fault(words, xnack, first, said):
    """Without XNACK all of it; with it pages that the program cannot write, and what it has unmapped since."""
    done = run(program("gfx90a"), *words, xnack=xnack)
    assert done.stdout == FIRST.format(*first) + ("mapped: 1\n" if words == ["freed"] else "") and done.returncode == -signal.SIGABRT, done.stderr
    assert re.search("global_(?:load|store)_dword: " + said, done.stderr), done.stderr


def test_the_system_s_library_chooses_it_by_the_ioctl():
    """Debian's libhsakmt in place of ours, on the whole chip."""
    for xnack, first in ("1", ("+", 1)), ("0", ("-", 0)):
        done = (run if xnack == "1" else aborted)("env", "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu", program("gfx90a"), xnack=xnack, gpus=("-g", "gfx90a:cu=104"))
        assert done.stdout.startswith(FIRST.format(*first)) and done.stdout.endswith("counted: 5120, 1\n" if xnack == "1" else ": pageable 0\n"), done.stderr


def aborted(*words, **named):
    done = run(*words, **named)
    assert done.returncode == -signal.SIGABRT, done.stderr
    return done


def test_a_gpu_without_it_keeps_it_off_for_all():
    """As the driver: a process has it on or off for all of its GPUs."""
    done = aborted(compiled("xnack.hip", "--offload-arch=gfx90a", "-O1", name="xnack-both"), gpus=("-g", "gfx90a", "-g", "gfx900"))
    assert done.stdout == FIRST.format("-", 0) + "gfx900:xnack-: pageable 0\n"


def test_code_objects_are_chosen_by_the_mode():
    both, on, off = (program(*(f"gfx90a:xnack{sign}" for sign in signs)) for signs in ("-+", "+", "-"))
    for made in (both, on):
        assert run(made).stdout.endswith("counted: 5120, 1\n")
    for made in (both, off):
        assert "which GPUs may not use without HSA_XNACK=1\n" in aborted(made, xnack="0").stderr
    said = "wavetrap: {}: it holds code for gfx90a:xnack{}, not for gfx90a:xnack{}: compile with --offload-arch=gfx90a, or run it {} HSA_XNACK=1\n"
    assert said.format(on, "+", "-", "with") in aborted(on, xnack="0").stderr
    assert said.format(off, "-", "+", "without") in aborted(off).stderr


def test_a_debugger_reads_and_follows_such_memory(tmp_path, monkeypatch):
    """So does a core file, which has what kernels have used."""
    core = tmp_path / "core"
    monkeypatch.setenv("HSA_XNACK", "1")
    line = next(n + 1 for n, text in enumerate((HERE / "xnack.hip").read_text().splitlines()) if text.endswith("// store"))
    said = ask([f"break xnack.hip:{line}", "run", "print a[3]", "print out[3]", "next", "print out[3]", f"generate-core-file {core}", "where-from out[3]"], "-g", "gfx90a", program("gfx90a", level="-O0"))
    assert [said[n].split(" = ")[1] for n in (2, 3, 5)] == ["9\n", "0\n", "6\n"]
    assert said[7].count("which no instruction of the recorded run wrote before") == 2, said[7]
    assert [one.split(" = ")[1] for one in ask(["print a[3]", "print b[3]", "print out[3]"], "--core", core)] == ["9\n", "-3\n", "6\n"]


def test_openmp_with_unified_shared_memory(tmp_path):
    """A list, a global array and results of malloc, none of which is mapped."""
    made = tmp_path / "program"
    flags = [flag.replace("gfx900", "gfx90a") for flag in CLANG]
    subprocess.run(["clang-19", *flags, "-w", "-o", made, HERE / "unified_memory.c"], check=True, capture_output=True)
    done = run(made, gpus=("--check=memory", "-g", "gfx90a"))
    assert done.stdout == "devices 1, on the host 0, sum 5050, wrong 0\n" and "0 errors, 0 warnings" in done.stderr, done.stderr
    assert re.search("which GPUs may not use without HSA_XNACK=1\n|, or HSA_XNACK=1\\)\n", aborted(made, xnack="0").stderr)
