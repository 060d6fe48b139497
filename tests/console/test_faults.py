"""A memory fault is told by the debugger as `wavetrap run` tells it: what, address, bytes, lanes, instruction, nearest allocation;
the selected frame is that of the instruction that did it. In each family, by the console and by GDB, in the past and in core files."""
import re
import subprocess

import pytest

from conftest import OPENCL_TARGETS, WAVETRAP, ask_console

SOURCE = """__kernel void k(__global int *out, __global int *in, int far)
{
    int id = get_global_id(0), v[2] = {id, 1};
    if (id % 32 >= 3)
        ACCESS;
    out[id] = id;
}
"""
ACCESS = {"store": "out[id + far] = id", "load": "id = in[id + far]", "atomic": "atomic_add(&out[id + far], id)"}
FAR = 1 << 20
HOW = {"gfx900": ["-g", "gfx900"], "sm": ["-g", "sm"], "gen9": ["-g", "gen9"]}
KERNEL = ["--kernel=k", "--grid=128", "--block=64", "--arg=zeros:512", "--arg=zeros:512", f"--arg=i32:{FAR}"]
LANES = {"gfx900": "3-31,35-63", "sm": "3-31", "gen9": "3-7"}
families = pytest.mark.parametrize("gpu", list(HOW))


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """kernel(gpu, access): SOURCE without optimisation."""
    top = tmp_path_factory.mktemp("faults")
    made = {}

    def build(gpu, access="store"):
        if (gpu, access) not in made:
            folder = top / access
            folder.mkdir(exist_ok=True)
            (folder / "stray.cl").write_text(SOURCE.replace("ACCESS", ACCESS[access]))
            out = made[gpu, access] = folder / f"{gpu}.out"
            words = ["clang-19", "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS.get(gpu, []), "-w", "-g", "-O0", "stray.cl", "-o", out]
            if gpu == "gen9":
                words = ["ocloc", "compile", "-file", "stray.cl", "-device", "skl", "-options", "-g -cl-opt-disable",
                         "-output", out, "-output_no_suffix"]
            subprocess.run(words, cwd=folder, check=True, capture_output=True)
        return made[gpu, access]
    return build


def report_of_run(file, options):
    """What `wavetrap run` says, but for the wave's line and the address of the code, which is the file's there: sentence, lanes,
    symbol and line, instruction, allocation."""
    said = subprocess.run([WAVETRAP, "run", *options, file], capture_output=True, text=True, timeout=120).stderr
    found = re.search(r"wavetrap: (.*)\n  .*((?:lane|thread|channel)s? [\d,-]+, issue time \d+)\n  at 0x[0-9a-f]+(.*)\n"
                      r"(?:  +([a-z].*)\n)?(?:  (0x[0-9a-f]+: .* an allocation .*)\n)?", said)
    assert found, said
    return [part for part in found.groups() if part]


@families
def test_the_console_tells_a_fault_as_run_does(kernel, gpu):
    options = [*HOW[gpu], *KERNEL]
    told = report_of_run(kernel(gpu), options)
    addr = int(re.search(r"at 0x([0-9a-f]+)", told[0])[1], 16)
    assert re.search(r"store of 4 bytes at 0x", told[0]) and f"s {LANES[gpu]}, issue" in told[1], told
    nearest = re.fullmatch(r"0x([0-9a-f]+): (\d+) bytes past the end of an allocation of 512 bytes at 0x([0-9a-f]+)", told[-1])
    assert int(nearest[1], 16) == addr == int(nearest[3], 16) + 512 + int(nearest[2]), told
    said = ask_console(kernel(gpu), [], ["run", "print $pc", "where", "x/i $pc", "info fault"], options=options)
    assert "Program stopped by a fault: " + said[4] in said[0], said
    for part in told:
        assert part in said[0], (part, said[0])
    pc = re.search(r"\n  at (0x[0-9a-f]+)", said[0])[1]
    assert pc in said[1] and told[-2][:9] in said[3] and said[3].startswith(f"=> {pc}"), said
    if gpu != "gen9":  # ocloc's file has no line table
        assert re.match(r"#0  k \(.*\) at .*stray.cl:5\n?$", said[2]), said[2]


def reports_of(text):
    """The reports of faults in a text: sentence, wave with lanes, place, instruction, memory. The address of the instruction is left out."""
    found = re.findall(r"((?:load|store|atomic) of \d+ bytes at .*)\n  (.*, issue time \d+)\n  at 0x[0-9a-f]+ ?(.*)\n((?:  +\S.*\n){1,2})", text)
    return {(sentence, wave, place, *(line.strip() for line in rest.splitlines())) for sentence, wave, place, rest in found}


@families
@pytest.mark.parametrize("access", list(ACCESS))
def test_an_access_has_the_same_words_everywhere(kernel, gpu, access, tmp_path):
    """`run`, the console's stop, "info fault", the past, the core files of both."""
    file, options, cores = kernel(gpu, access), [*HOW[gpu], *KERNEL], [tmp_path / "of-run", tmp_path / "of-debug"]
    told = subprocess.run([WAVETRAP, "run", f"--core-on-fault={cores[0]}", *options, file], capture_output=True, text=True, timeout=120).stderr
    report, = reports_of(told)
    assert re.fullmatch(rf"{access} of 4 bytes at 0x[0-9a-f]+: no memory is mapped there( for writing)?", report[0]), report
    assert f"s {LANES[gpu]}, issue time " in report[1], report
    assert any(re.match(r"0x[0-9a-f]+: \d+ bytes past the end of an allocation of 512 bytes at 0x", line) for line in report), report
    said = ask_console(file, [], ["run", "info fault", "reverse-stepi", "continue", f"generate-core {cores[1]}"], options=options)
    for text in (said[0], said[1], said[3]):
        assert reports_of(text + "\n") == {report}, (report, text)
    for core in cores:
        text, = ask_console(file, [], ["info fault"], options=[f"--core={core}"])
        assert reports_of(text + "\n") == {report}, (report, text)


@pytest.mark.parametrize("gpu", ["gfx900", "sm"])  # ocloc's file has no variables
def test_a_look_at_other_memory_changes_no_report(kernel, gpu):
    """The instruction of "info fault" is of the code, whatever memory "x" was at."""
    said = ask_console(kernel(gpu), ["run"], ["info fault", "x/1xw v", "info fault"], options=[*HOW[gpu], *KERNEL])
    assert re.search("#0x[0-9a-f]+.*:\t0x0000000[0-9]", said[1]) and said[0] == said[2], said


@families
def test_a_wave_has_one_name(kernel, gpu, tmp_path):
    """In the report of `run`, at the console's stop, in the names of threads, in errors, in the core file."""
    options, core = [*HOW[gpu], *KERNEL], tmp_path / "core"
    told = subprocess.run([WAVETRAP, "run", f"--core-on-fault={core}", *options, kernel(gpu)], capture_output=True, text=True, timeout=120).stderr
    line = re.search(r"^  (device 0, dispatch 1, group \(\d,0,0\), core \d+, \w+ \d+), \w+ [\d,-]+, issue time \d+$", told, re.M)
    assert line, told
    live = ask_console(kernel(gpu), ["run"], ["info fault", "thread"], options=options)
    left = ask_console(kernel(gpu), [], ["info fault", "thread"], options=[f"--core={core}"])
    for said in (live, left):
        assert line[0] in said[0] and re.fullmatch(rf"\[Current thread is \d+ \({re.escape(line[1])}(, \w+ \d+)?\)\]", said[1]), (line[0], said)


@families
def test_the_past_and_a_core_file_have_the_fault(kernel, gpu, tmp_path):
    """Back at the fault's time, and in a core file, "info fault" says the same; before it there is none."""
    options = [*HOW[gpu], *KERNEL]
    core = tmp_path / "core"
    said = ask_console(kernel(gpu), ["run"], ["info fault", "reverse-stepi", "info fault", "continue", "info fault",
                                              f"generate-core {core} all"], options=options)
    assert said[0] == said[4] and "No fault is recorded" in said[2], said
    # As it was, and after the recorded run has come to its end again.
    for way in ([], ["reverse-stepi", "continue"], ["reverse-stepi", "stepi"], ["goto start", "continue"]):
        commands = [word for command in [*way, "info fault", "backtrace 1"] for word in ("-ex", command)]
        done = subprocess.run([WAVETRAP, "debug", "--batch", f"--core={core}", *commands], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0 and said[0] in done.stdout, (way, said[0], done.stdout, done.stderr)
        assert done.stdout.count(said[0].splitlines()[0]) == 2 + ("continue" in way), (way, done.stdout)


@pytest.mark.parametrize("late", [1, 5, 1000])
def test_a_late_fault_of_gfx900_is_told_as_hardware_tells_it(kernel, late):
    """With imprecise=N the wave goes on for N instructions, at most to its end, and stands there. The oracle is the trace of the run."""
    file, how = kernel("gfx900"), ["-g", f"gfx900:cu=1,imprecise={late}", *KERNEL]
    traced = subprocess.run([WAVETRAP, "trace", *how, file], capture_output=True, text=True, timeout=120).stdout
    issued = [(int(time), pc) for time, pc in re.findall(r"^ +(\d+) core 0 wave 0 \w+ 0*([0-9a-f]+):", traced, re.M)]
    plain = report_of_run(file, ["-g", "gfx900:cu=1", *KERNEL])
    told = report_of_run(file, how)
    found = re.fullmatch(r"(.*) \(imprecise: the wave is at 0x([0-9a-f]+)\)", told[0])
    assert found[1] == plain[0] and told[2:] == plain[2:] and told[1].split(",")[:-1] == plain[1].split(",")[:-1], (told, plain)
    begin, end = int(plain[1].split()[-1]), int(told[1].split()[-1])
    assert begin in dict(issued) and issued[-1][0] == end - 1 and (len(issued) - 1 - [time for time, _ in issued].index(begin) == late) == (late < 1000)
    said = ask_console(file, ["run"], ["print/x $pc", "x/i $pc", "info fault", "reverse-stepi", "info fault", "continue"], options=how)
    assert said[0].endswith(found[2]) and "(imprecise" in said[2], (said, told)
    assert "No fault is recorded" in said[4] and "is stopped at a fault" in said[5], said
    assert ("s_endpgm" in said[1]) == (late == 1000), said


VORTEX = {"store": "*p = 5", "load": "far = *p", "atomic": "__atomic_fetch_add(p, 5, __ATOMIC_RELAXED)"}


@pytest.mark.parametrize("access", list(VORTEX))
def test_vortex(program, tmp_path, access):
    """A program of Vortex, which has no allocations: the sentence, the thread, the line; by the console, in its core file, and by GDB."""
    file, core = program("fault", 64, "-O0", f"-DACCESS={VORTEX[access]}"), tmp_path / "core"
    told = report_of_run(file, [])
    assert re.match(rf"{access} of 4 bytes at 0x7fff800000000000\b", told[0]), told
    said = ask_console(file, ["run"], ["info fault", "where", f"generate-core {core}"])
    left = ask_console(file, [], ["info fault"], options=[f"--core={core}"])
    for part in told:
        assert part in said[0], (part, said[0])
    assert left[0] == said[0]
    assert re.match(r"#0  .*main \(\) at .*fault.c:8$", said[1].splitlines()[0]), said
    gdb = subprocess.run([WAVETRAP, "gdb", "--plain", file, "--", "-nx", "-batch", "-ex", "continue", "-ex", "monitor fault", "-ex", "where"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120).stdout
    assert "signal SIGSEGV" in gdb and re.search(r"^#0  .*main \(\) at .*fault.c:8$", gdb, re.M), gdb
    # GDB prints the report twice: with the stop, and as the answer of `monitor fault`.
    assert all(gdb.count(part) == 2 for part in told[:2]), (told, gdb)
