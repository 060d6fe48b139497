"""Findings come from the program, not from when something happened to run: with each driver's and runtime's thread delayed at random points (host/delays.c)
--check=race reports the same set of (kind, severity, both places, object) in each run."""
import json

import pytest

import checks
import test_races as races

HOST = checks.ROOT / "tests" / "host"
LATE = {"kernels": {("race", "error"), ("race", "warning")}, "fill": {("host-race", "error")}, "copy": {("host-race", "error")}, "ordered": set()}
PROGRAMS = [("orders", "gfx900"), ("races_openmp", "gfx900"), ("packets", "gfx900"), ("orders", "sm"), ("queues", "gen9"), ("queues", "level_zero"),
            ("command_lists", "level_zero"), ("both_sides", "gen9"), ("maps", "gen9")]


def findings(folder, family, words, seed):
    """The set of one run's; a seed of 0: nothing is delayed."""
    library = checks.built("delays.so", "gcc", "-shared", "-fPIC", "-O2", HOST / "delays.c", "-ldl")
    path = folder / "report.json"
    path.unlink(missing_ok=True)
    done = checks.run(checks.command_under_test(), "exec", "-g", {"level_zero": "gen9"}.get(family, family), "--check=race", f"--report=json:{path}", *words,
                      **{"LD_PRELOAD": str(library), "DELAYS": str(seed)} if seed else {})
    assert path.exists(), done.stdout + done.stderr
    found = [one for one in map(json.loads, path.read_text().splitlines()) if one["kind"] == "finding"]
    return {(one["finding"], one["severity"], *sorted(map(place, (one, one.get("other", {})))), repr(lines(one.get("object", {}).get("made", [])))) for one in found}, done


def place(access):
    """Without the names that OpenCL's runtime gives to files: those are another one's in each process."""
    return repr([access.get(name) for name in ("access", "function", "line", "by")])


def lines(calls):
    return [(call.get("function"), call.get("line")) for call in calls]


@pytest.mark.parametrize("seeds", [3, pytest.param(50, marks=pytest.mark.full)])
@pytest.mark.parametrize("what", LATE)
def test_operations_whose_kernel_is_late(tmp_path, what, seeds):
    program = checks.built("delays.gfx900", "hipcc", "--offload-arch=gfx900", "-O0", "-g", "-w", checks.HERE / "delays.hip")
    for seed in range(seeds):
        found, done = findings(tmp_path, "gfx900", [program, "bad", what], seed)
        assert {one[:2] for one in found} == LATE[what], (seed, done.stderr)


@pytest.mark.parametrize("seeds", [1, pytest.param(50, marks=pytest.mark.full)])
@pytest.mark.parametrize("program, family", PROGRAMS)
def test_the_same_findings_however_threads_are_delayed(tmp_path, program, family, seeds):
    words = [*races.program_of(program, family), "bad"]
    first, done = findings(tmp_path, family, words, 0)
    assert first, done.stderr
    for seed in range(1, seeds + 1):
        found, again = findings(tmp_path, family, words, seed)
        assert found == first and again.returncode == done.returncode, (seed, found ^ first)
