"""Pairs of operations of two host threads (host_threads.cu): a race where calls of the program order the threads and nothing orders the operations; not judged,
and counted in one line, where nothing orders the threads."""
import json
import re

import jsonschema
import pytest

import checks
import test_races as races

# What a case has where its first thread does not wait for its stream, and where it does, before what orders the threads: found, silent, or counted.
CASES = {"mutex": ("found", "silent"), "condition": ("found", "silent"), "barrier": ("found", "silent"), "semaphore": ("found", "silent"), "create": ("found", "silent"),
         "join": ("found", "silent"), "access": ("found", "silent"), "none": ("counted", "counted"), "late": ("found", None), "round": ("counted", None),
         "access_none": ("counted", None)}

SCHEMA = json.loads((checks.ROOT / "docs" / "report.schema.json").read_text())
QUEUES = ("gen9", "level_zero")


def program(family):
    if family in QUEUES:
        return races.queues("host_threads_queues", family)
    source = checks.HERE / "host_threads.cu"
    if family == "gfx900":
        return [checks.built("host_threads.gfx900", "hipcc", f"--offload-arch={checks.AMD}", checks.LEVEL, "-g", "-w", "-x", "hip", source)]
    cuda = checks.cuda_path()
    return [checks.built("host_threads.sm", "clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_50", checks.LEVEL, "-g", "-w", f"--cuda-path={cuda}", source, f"-L{cuda}/lib64",
                        "-lcudart", "-lstdc++")]


@pytest.mark.sample(3)
@pytest.mark.parametrize("name, waits, family", [(name, waits, family) for family in ("gfx900", "sm", *QUEUES) for name, what in CASES.items() for waits in (0, 1)
                                                 if what[waits] and (family not in QUEUES or name in ("join", "none"))])
def test_two_threads(tmp_path, name, waits, family):
    done = checks.run(checks.command_under_test(), "exec", "-g", {"level_zero": "gen9"}.get(family, family), "--check=race", f"--report=json:{tmp_path / 'report'}",
                      *program(family), name, *["waits"] * waits)
    what, text = CASES[name][waits], done.stderr
    counted = re.search(r"did not judge (\d+) pairs? of operations of two host threads", text)
    kind = "host-race" if name.startswith("access") else "race"
    assert (what == "found") == (f"wavetrap: error: {kind}" in text) == (done.returncode == 115), text
    assert bool(counted) == (what == "counted") and (not counted or counted[1] == "1"), text
    sums, = (one for one in map(json.loads, (tmp_path / "report").read_text().splitlines()) if one["kind"] == "checks")
    jsonschema.validate(sums, SCHEMA)
    assert (sums["unjudged"], sums["errors"]) == (bool(counted), 0) if what != "found" else sums["errors"] and sums["launches"], sums


@pytest.mark.parametrize("turns", [1000, pytest.param(100_000_000, marks=pytest.mark.full)])
def test_a_kernel_that_runs_for_long(turns):
    """However long it computes, the host's access beside it is found."""
    done = checks.run(checks.command_under_test(), "exec", "-g", "gfx900", "--check=race", *program("gfx900"), "long", turns)
    assert "wavetrap: error: host-race" in done.stderr and done.returncode == 115, done.stderr


def test_a_kernel_that_waits_for_the_host():
    """The launch comes back while the kernel loads a flag again and again."""
    done = checks.run(checks.command_under_test(), "exec", "-g", "gfx900", "--check=race", *program("gfx900"), "spin")
    assert done.returncode == 0 and "0 errors" in done.stderr, done.stderr
