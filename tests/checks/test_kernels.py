"""Checks of kernels in files (`run --check`, `debug --check`), of Vortex programs, and of the past: the buffers of the arguments are objects."""
import json
import re
import struct
import subprocess

import pytest

import checks
from amd import bitcode

SOURCE = checks.HERE / "kernels.cl"
BITCODE, LIBCLC = bitcode(), "/usr/lib/clc/nvptx64--nvidiacl.bc"
LINE = checks.marks("kernels.cl")["put"]
KERNEL = ["--kernel=put", "--grid=8", "--block=8", "--arg=zeros:32"]


@pytest.fixture(scope="module", params=["gfx900", "gen9", "sm"])
def kernels(request, tmp_path_factory):
    """The family, and the kernels of the suite compiled for it."""
    out = tmp_path_factory.mktemp(request.param) / "kernels"
    clang = ["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-w"]
    words = {"gfx900": [*clang, "-target", "amdgcn-amd-amdhsa", f"-mcpu={checks.AMD}", f"--rocm-device-lib-path={BITCODE}", SOURCE, "-o", out],
             "gen9": ["ocloc", "compile", "-file", SOURCE, "-device", "skl", "--format", "zebin", "-output", out.name, "-output_no_suffix", "-q", "-options",
                      "-cl-std=CL1.2"],
             "sm": [*clang, "-target", "nvptx64--nvidiacl", "-march=sm_60", "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, "-Xclang",
                    "-finclude-default-header", SOURCE, "-o", out]}[request.param]
    done = subprocess.run(list(map(str, words)), cwd=out.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and out.exists(), done.stdout + done.stderr
    return request.param, out


def records_in(path, kind):
    return [one for line in path.read_text().splitlines() if (one := json.loads(line))["kind"] == kind]


def found_in(path):
    return records_in(path, "finding")


def test_a_buffer_of_an_argument_is_an_object(kernels, tmp_path):
    family, program = kernels
    report = tmp_path / "report"
    done = checks.run(checks.command_under_test(), "run", "-g", checks.gpu(family), "--check=memory", f"--report=json:{report}", *KERNEL, "--arg=i32:1",
                      "--dump-arg=0:dump", program, cwd=tmp_path)
    one, = found_in(report)
    assert done.returncode == 115, done.stderr
    assert (one["finding"], one["access"], one["bytes"], one["lanes"]) == ("out-of-bounds", "store", 4, "7")
    assert one["object"]["size"] == 32 and one["object"]["offset"] == 32
    assert family == "gen9" or (one["function"], one["line"]) == ("put", LINE)
    # The other lanes have gone on.
    assert (tmp_path / "dump").read_bytes() == b"".join((max(3 * (n - 1), 0)).to_bytes(4, "little") for n in range(8))


def test_a_kernel_without_mistakes_has_no_finding(kernels, tmp_path):
    family, program = kernels
    report = tmp_path / "report"
    done = checks.run(checks.command_under_test(), "run", "-g", checks.gpu(family), "--check=memory", f"--report=json:{report}", *KERNEL, "--arg=i32:0", program)
    assert done.returncode == 0 and not found_in(report), done.stderr


UNSEEN = {"gen9": ["hazard is not there", "stale is not there", "advice is not there for the size of waves"], "sm": ["stale is not there", "hazard has nothing to look at in this code: PTX"], "gfx900": []}


@pytest.mark.parametrize("asked", ["all", "hazard,stale,advice,leak"])
def test_a_check_that_has_nothing_to_look_at_says_so(kernels, tmp_path, asked):
    """Where it is asked for by name: on stderr, and in the report."""
    family, program = kernels
    report = tmp_path / "report"
    done = checks.run(checks.command_under_test(), "run", "-g", checks.gpu(family), f"--check={asked}", f"--report=json:{report}", *KERNEL, "--arg=i32:0", program)
    unseen = [one["text"] for end in records_in(report, "checks") for one in end.get("unseen", [])]
    wanted = [] if asked == "all" else [*UNSEEN[family], "api look at the calls of host programs"]
    assert len(unseen) == len(wanted) and all(sum(words in text for text in unseen) == 1 for words in wanted), done.stderr
    assert all(text in done.stderr for text in unseen), done.stderr


@pytest.mark.parametrize("at, where, name, size, offset", [([2, 5, 2, 5, 0, 3], None, None, 0, 0), ([2, 6, 2, 5, 0, 3], "own", "own", 24, 24), ([2, -1, 2, 5, 0, 3], "own", "own", 24, -4),
                                                           ([2, 5, 2, 6, 0, 3], "put_in", "own", 24, 24), ([2, 5, 2, 5, 0, 4], "read_of", "read_of", 16, 16)])
def test_arrays_of_a_kernel(kernels, tmp_path, at, where, name, size, offset):
    """One is left for its neighbour; no array of a Gen9's thread is told apart (docs/check-limits.md)."""
    family, program = kernels
    report = tmp_path / "report"
    (tmp_path / "at").write_bytes(struct.pack("<6i", *at))
    checks.run(checks.command_under_test(), "run", "-g", checks.gpu(family), "--check=memory", f"--report=json:{report}", "--kernel=arrays", "--grid=16", "--block=16",
               "--arg=zeros:64", f"--arg=file:{tmp_path / 'at'}", program)
    told = [(one["line"], one["object"]["name"], one["object"]["size"], one["object"]["offset"]) for one in found_in(report)]
    assert told == ([(checks.marks("kernels.cl")[where], name, size, offset)] if where and family != "gen9" else [])


@pytest.mark.parametrize("kernel, size, arguments, result", [
    ("packed_argument", 1, ["zeros:4", "hex:0102000003"], "03000003"),
    ("copied_by_one", 2, ["zeros:12", "local:12"], "2a......785634127f......")])
def test_a_structure_that_the_compiler_copies_is_no_mistake(kernels, tmp_path, kernel, size, arguments, result):
    """Intel's compiler copies it by more channels than work-items, and without regard to its alignment."""
    family, program = kernels
    done = checks.run(checks.command_under_test(), "run", "-g", checks.gpu(family), "--check=all", f"--kernel={kernel}", f"--grid={size}", f"--block={size}",
                      *(f"--arg={argument}" for argument in arguments), "--dump-arg=0:dump", program, cwd=tmp_path)
    assert done.returncode == 0 and "0 errors, 0 warnings" in done.stderr, done.stderr
    assert re.fullmatch(result, (tmp_path / "dump").read_bytes().hex())


def test_a_misaligned_access_that_leaves_its_buffer_is_misaligned(kernels, tmp_path):
    """A gfx900 asks for no alignment."""
    family, program = kernels
    report = tmp_path / "report"
    checks.run(checks.command_under_test(), "run", "-g", checks.gpu(family), "--check=memory", f"--report=json:{report}", "--kernel=misaligned", "--grid=1", "--block=1",
               "--arg=zeros:4", "--arg=zeros:8", "--arg=i32:6", program)
    one, = found_in(report)
    assert one["finding"] == ("out-of-bounds" if family == "gfx900" else "misaligned") and one["object"]["offset"] == 6


@pytest.mark.parametrize("order", [None, "lockstep", "independent"])
def test_work_items_of_a_wave_race_in_opencl(kernels, tmp_path, order):
    """OpenCL C orders them by barriers alone; PTX does not say from which language it is."""
    family, program = kernels
    report = tmp_path / "report"
    done = checks.run(checks.command_under_test(), "run", "-g", checks.gpu(family), "--check=race", *([f"--check-lanes={order}"] if order else []),
                      f"--report=json:{report}", "--kernel=beside", "--grid=8", "--block=8", "--arg=local:32", "--arg=zeros:32", program)
    races = (order or ("lockstep" if family == "sm" else "independent")) == "independent"
    assert done.returncode == (115 if races else 0), done.stderr
    assert [one.get("line") for one in found_in(report)] == ([family != "gen9" and checks.marks("kernels.cl")["beside"] or None] if races else [])


def debug(*commands):
    """Debugs the suite's program for Vortex, with a null pointer in lane 2 of its first warp."""
    number = checks.cases_of("vortex").index("null_of_lane") + 1
    words = [word for command in commands for word in ("-ex", command)]
    return checks.run(checks.command_under_test(), "debug", "--nx", "--batch", "--check=memory", *checks.VORTEX, f"--arg={number}", *words,
                      *checks.program_of("vortex", "vortex"))


def test_the_debugger_goes_back_to_a_finding():
    line = checks.marks("vortex.c")["null_load"]
    done = debug("run", "info checks", "check goto 1", "output given.lane", "info checks 1")
    assert f"1  error: null load of 4 bytes, null_load at {checks.HERE}/vortex.c:{line}, issue time " in done.stdout, done.stdout + done.stderr
    assert f"warp 0, thread 2; threads 0-3 enabled]\nnull_load (" in done.stdout
    assert f"vortex.c:{line}\n{line}\t" in done.stdout and done.stdout.count("wavetrap: error: null load of 4 bytes") == 1


def test_a_finding_that_is_executed_again_is_counted_once():
    done = debug("run", "check goto 1", "continue", "check 1", "reverse-stepi", "continue", "info checks")
    assert done.stdout.count("error: null load") == 1 and " times" not in done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize("command, said", [("info checks 2", "there is no finding 2"), ("check goto 0", "check [goto] NUMBER"),
                                           ("check", "check [goto] NUMBER"), ("check one", "check [goto] NUMBER"), ("info checks x", "takes the number of a finding")])
def test_what_is_no_finding_is_refused(command, said):
    done = debug("run", command)
    assert said in done.stderr, done.stderr


@pytest.mark.parametrize("kernel, arguments, kind, access, lanes", [("put", ["read-only:iota:32", "i32:0"], "read-only", "store", "0-7"),
                                                                    ("null_load", ["zeros:32", "read-only:iota:32", "null", "i32:4"], "null", "load", "4")])
def test_a_buffer_may_be_null_or_read_only(kernels, tmp_path, kernel, arguments, kind, access, lanes):
    """Refused stores change nothing; refused loads give 0. Intel's compiler makes a load of lane 4 alone one of the thread: the mistake is of the channel that is on."""
    family, program = kernels
    report = tmp_path / "report"
    done = checks.run(checks.command_under_test(), "run", "-g", checks.gpu(family), "--check=memory", f"--report=json:{report}", f"--kernel={kernel}", "--grid=8", "--block=8",
                      *(f"--arg={one}" for one in arguments), "--dump-arg=0:dump", program, cwd=tmp_path)
    one, = found_in(report)
    assert (one["finding"], one["access"], one["bytes"], one["lanes"], done.returncode) == (kind, access, 4, lanes, 115), done.stderr
    expected = range(8) if kind == "read-only" else [n if n != 4 else 0 for n in range(8)]
    assert (tmp_path / "dump").read_bytes() == b"".join(n.to_bytes(4, "little") for n in expected)
