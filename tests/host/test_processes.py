"""Launches that are dealt out to processes (`-g FAMILY:processes=N`): results are the host's, on each family, and --stats says
which kernels were dealt out, and which were not because their groups need an order."""
import re
import shutil
import signal

import pytest

from conftest import ROOT, compiled, wavetrap
from test_cuda_cpp import compiled as compiled_cuda

ROUNDS = 600000    # of all groups, of each thread
HERE = ROOT / "tests" / "host"
DEALT, ALONE = "1 kernel was dealt out to processes", "1 kernel was executed by one process"
PARTS = [("words", 400, DEALT), ("words", 3, DEALT), ("bytes", 400, DEALT), ("uneven", 100, DEALT), ("turned", 400, DEALT),
         ("tickets", 400, ALONE), ("prints", 400, ALONE), ("waits", 400, ALONE)]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """By family: the words of a command and the configuration."""
    folder = tmp_path_factory.mktemp("processes")
    source = shutil.copy(HERE / "processes.cu", folder / "processes.hip")
    return {"gfx900": ([compiled(source, name="processes")], "gfx900:"),
            "sm": ([compiled_cuda(folder, HERE / "processes.cu", "-O2", "--cuda-gpu-arch=sm_60")], "sm:cc=6.0,"),
            "gen9": (["/usr/bin/python3", HERE / "processes_opencl.py"], "gen9:")}


def run(program, family, part, groups, processes, *options):
    command, gpu = program[family]
    return wavetrap("exec", *options, "-g", f"{gpu}processes={processes}", *command, part, groups, ROUNDS // groups)


def issues(done):
    return int(re.search(r"(\d+) instructions of", done.stderr)[1])


@pytest.mark.sample(3)
@pytest.mark.parametrize(("family", "part", "groups", "how"), [(family, *part) for family in ("gfx900", "sm", "gen9") for part in PARTS
                                                               if family != "gen9" or part[0] in ("words", "turned", "tickets")])
def test_the_results_are_the_hosts(program, family, part, groups, how):
    done = run(program, family, part, groups, 3, "--stats")
    printed = done.stdout.splitlines()
    assert printed[-1] == f"{part} right" and done.returncode == 0, done.stdout + done.stderr
    assert how in done.stderr and (how == ALONE or ALONE not in done.stderr), done.stderr
    assert part != "prints" or printed[:-1] == [f"the last thread has {last_of(groups)}"]


def last_of(groups):
    x = 128 * groups - 1
    for i in range(ROUNDS // groups):
        x = ((x ^ x >> 15) * 0x2c1b3c6d + i) & 0xffffffff
    return x


@pytest.mark.parametrize("family", ["gfx900", "sm", "gen9"])
def test_as_many_instructions_are_executed(program, family):
    assert issues(run(program, family, "turned", 400, 2, "--stats")) == issues(run(program, family, "turned", 400, 1, "--stats"))


@pytest.mark.parametrize("family", ["gfx900", "sm"])
def test_a_fault_is_reported_as_without_processes(program, family):
    """By one process, at the same instruction of the same group."""
    for processes in 1, 3:
        done = run(program, family, "fails", 400, processes)
        assert re.search(r"store of 4 bytes at 0x10.*\n.* group \(399,0,0\),", done.stderr), done.stderr
        assert done.returncode == (-signal.SIGABRT if family == "gfx900" else 0)    # AMD's runtime ends the program


@pytest.mark.parametrize("family", ["gfx900", "sm", "gen9"])
def test_more_processes_than_groups_run_at_once(program, family):
    """A process has a place for each group of its part, also where groups of other parts that run have not ended: nothing is a deadlock."""
    for part, groups in ("turned", 400), ("words", 3):
        done = run(program, family, part, groups, 17, "--stats")
        assert done.stdout.splitlines()[-1] == f"{part} right" and done.returncode == 0, done.stdout + done.stderr
        assert "deadlock" not in done.stderr and (DEALT in done.stderr) == (groups > 3), done.stderr
