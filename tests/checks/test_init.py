"""--check=init finds each planted use of an unwritten value (init.txt) by function and line, with its origin, and nothing in corrected twins and idioms. The
labels are proved by MemorySanitizer, for which each GPU thread is a thread of the host, and by Oclgrind."""
import dataclasses
import functools
import json
import re
import struct

import pytest

import checks
from releases import CC
import test_found as harness

FAMILIES = {"init": ("gfx900", "sm"), "init_images": ("gfx900", "sm"), "init_vortex": ("vortex", "vortex64"), "init_opencl": ("gen9",), "init_texels": ("gen9",), "init_openmp": ("sm",)}
INLINED = {("product_in_a_function", "sm")}     # clang's PTX has the lines of inlined functions, and not their names
ORIGINS = {"allocation": "written the allocation", "group": "written the group's memory", "private": "written the lane's own memory"}


@dataclasses.dataclass(frozen=True)
class Use:
    program: str
    case: str
    kind: str           # None: an idiom
    function: str
    line: int
    origin: str
    proof: str


@functools.cache
def sources():
    return {words[0]: words[1:] for words in map(str.split, re.findall(r"^\[(.*)\]$", (checks.HERE / "init.txt").read_text(), re.M))}


def use_of(program, words):
    case, kind = words[:2]
    if kind == "none":
        return Use(program, case, None, None, 0, None, words[2] if words[2:] else None)
    function, _, mark = words[2].partition("@")
    file = next(name for name in sources()[program] if mark in checks.marks(name))
    return Use(program, case, kind, function, checks.marks(file)[mark], words[3], words[4])


@functools.cache
def uses():
    return checks.lines_of("init.txt", use_of)


def full(*values):
    return pytest.param(*values, marks=pytest.mark.full)


PLANTED = [use for use in uses() if use.kind]
EVERY = [(use, family) for use in PLANTED for family in FAMILIES[use.program]]


def program_of(program, family):
    if program == "init_openmp":
        return [checks.built(f"{program}.{family}", "env", f"PATH={checks.DEBIAN_PATH}", CC, checks.LEVEL, "-g", "-w", "-fopenmp", *checks.offload(family),
                             *(["-foffload-options=nvptx-none=-latomic"] if family == "sm" else []), checks.HERE / "init_openmp.c")]
    if family == "gfx900":
        return [checks.built(f"{program}.gfx900", "hipcc", f"--offload-arch={checks.AMD}", checks.LEVEL, "-g", "-w", "-x", "hip", checks.HERE / f"{program}.cu")]
    if family == "sm":
        cuda = checks.cuda_path()
        return [checks.built(f"{program}.sm", "clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_50", checks.LEVEL, "-g", "-w", f"--cuda-path={cuda}", checks.HERE / f"{program}.cu",
                             f"-L{cuda}/lib64", "-lcudart", "-lstdc++")]
    if family == "gen9":
        return [checks.built(f"{program}.gen9", "gcc", "-O1", "-g", "-w", checks.HERE / f"{program}.c", "-lOpenCL"), checks.HERE / sources()[program][0]]
    return [checks.vortex_program(program, 64 if family == "vortex64" else 32)]


def cases_of(program):
    return [use.case for use in uses() if use.program == program]


def wavetrap(program, family, how, *cases, options=("--check=init",), **variables):
    if family.startswith("vortex"):
        number = cases_of(program).index(cases[0]) + 1 if how == "bad" else 0
        return checks.run(checks.command_under_test(), "run", *checks.VORTEX, *options, f"--arg={number}", *program_of(program, family))
    return checks.run(checks.command_under_test(), "exec", "-g", checks.gpu(family), *options, *program_of(program, family), how, *cases, **variables)


@functools.cache
def without_checks(program, family):
    """The results of twins and idioms."""
    return checks.results(wavetrap(program, family, "good", options=()))


def msan(program, how, *cases):
    language = ["clang-19", f"-I{checks.HERE / 'host'}"] if program == "init_vortex" else ["clang++-19", "-x", "c++", "-std=c++17"]
    words = [*language, "-O0", "-g", "-w", "-fsanitize=memory", "-fsanitize-memory-track-origins=2", "-fsanitize-recover=memory", "-fno-sanitize-memory-param-retval"]
    return checks.run(checks.built(f"{program}.msan", *words, checks.HERE / sources()[program][0], "-lpthread"), how, *cases, MSAN_OPTIONS="exitcode=0")


def oclgrind(how, *cases):
    """It has another compiler, which does not know Intel's option -g."""
    return checks.run("oclgrind", "--uninitialized", "--max-errors", "10000", *program_of("init_opencl", "gen9"), how, *cases, CHECK_OPTIONS="-cl-opt-disable")


def reported(folder, program, family, how, *cases, options=(), **variables):
    path = folder / "report.json"
    done = wavetrap(program, family, how, *cases, options=["--check=init", f"--report=json:{path}", *options], **variables)
    assert path.exists(), done.stdout + done.stderr
    return [one for one in map(json.loads, path.read_text().splitlines()) if one["kind"] == "finding"], done


def places(one):
    """Of the instruction, and of what it is inlined in."""
    return [(harness.plain(at.get("function")), at.get("line")) for at in (one, *one.get("calls", ()))]


# ---- the oracle: of the labels, which seldom change, and so in full but for a sample ----

@pytest.mark.parametrize("use", [pytest.param(use, marks=pytest.mark.full) if n % 8 else use for n, use in enumerate(use for use in PLANTED if use.proof == "msan")], ids=lambda use: use.case)
def test_the_oracle_sees_the_use(use):
    said = msan(use.program, "bad", use.case).stderr
    lines = {int(line) for line in re.findall(rf"{sources()[use.program][0]}:(\d+)", said)}
    assert "MemorySanitizer: use-of-uninitialized-value" in said and use.line in lines, said


@pytest.mark.parametrize("use", [pytest.param(use, marks=pytest.mark.full) if n % 8 else use for n, use in enumerate(use for use in PLANTED if use.proof == "oclgrind")], ids=lambda use: use.case)
def test_oclgrind_sees_the_use(use):
    said = oclgrind("bad", use.case).stderr
    assert use.line in {int(line) for line in re.findall(r"^\tAt line (\d+)", said, re.M)} and "ninitialized" in said, said


def test_results_of_images_are_those_of_oclgrind():
    """It says of each texel that it is uninitialised, and of none what kernels have drawn."""
    done = checks.run("oclgrind", *program_of("init_texels", "gen9"), "good", CHECK_OPTIONS="-cl-opt-disable")
    assert done.returncode == 0 and len(checks.results(done)) >= 20, done.stderr
    assert checks.results(done) == without_checks("init_texels", "gen9")


def test_twins_and_idioms_are_silent_in_oclgrind():
    """Their results are those of the GPU."""
    done = oclgrind("good", *[use.case for use in uses() if use.program == "init_opencl" and (use.kind or not use.proof) and use.proof not in ("no:svm", "no:fills")])
    assert done.returncode == 0 and "ninitialized" not in done.stderr, done.stderr
    assert checks.results(done).items() <= without_checks("init_opencl", "gen9").items()


@pytest.mark.parametrize("program", ["init", "init_vortex"])
def test_twins_and_idioms_are_silent_in_the_oracle(program):
    """Their results are those of the GPUs."""
    done = msan(program, "good")
    assert done.returncode == 0 and "MemorySanitizer" not in done.stderr, done.stderr
    for family in FAMILIES[program]:
        assert without_checks(program, family) == checks.results(done)


# ---- the check ----

def needs_to_see(done):
    """On a system that does not tell what the host stores (tests/unit/test_untouched.c), the check says so."""
    if "--check=init does not see what process" in done.stderr:
        pytest.skip("this system does not tell which pages the host has stored to")


def has_use(found, done, use, family):
    named = [one for one in found if one["finding"] == use.kind and use.line in {line for _, line in places(one)}]
    right = [one for one in named if (use.case, family) in INLINED or (use.function, use.line) in places(one)]
    if not right:
        needs_to_see(done)
    assert right and ORIGINS[use.origin] in right[0]["text"], f"{use}: {[(one['finding'], places(one), one['text']) for one in found]}\n{done.stderr}"
    assert done.returncode == 115, done
    assert use.origin != "allocation" or right[0]["object"]["size"] in (4, 256, 512, 1024, 4096, 4352, 16384), right


# All but those of Vortex, whose programs have one case each time.
IN_COMPANY = [(use, family) for use, family in EVERY if not family.startswith("vortex")]


def name_of(value):
    return f"{value.program}-{value.case}" if isinstance(value, Use) else value


# Tests look at all that is said in the run of these.
ALONE = {"holes_are_copied", "seen_by_a_pointer", "seen_in_managed", "seen_in_pinned", "seen_in_svm", "sum_by_rows"}


@pytest.fixture(scope="module", name="company")
def company_(tmp_path_factory):
    """company(program, family): the runs of a program with many uses, each (uses, findings, run)."""
    @functools.cache
    def runs(program, family):
        planted = [use for use in PLANTED if use.program == program]
        together = checks.companies([use for use in planted if use.case not in ALONE], lambda use: {use.line})
        return [(run, *reported(tmp_path_factory.mktemp(program), program, family, "bad", *(use.case for use in run)))
                for run in together + [[use] for use in planted if use.case in ALONE]]
    return runs


def said_alone(company, program, family, case):
    """What is said in the run of one of ALONE."""
    done, = [done for uses_, _, done in company(program, family) if [use.case for use in uses_] == [case]]
    return done.stderr


@pytest.mark.parametrize("use, family", IN_COMPANY, ids=name_of)
def test_a_planted_use_is_found(company, use, family):
    """Beside others in the same process: the runtimes take longer to start than a case."""
    found, done = next((found, done) for uses_, found, done in company(use.program, family) if use in uses_)
    has_use(found, done, use, family)


@pytest.mark.parametrize("use, family", [pytest.param(*one, marks=pytest.mark.full if one in IN_COMPANY else []) for one in EVERY], ids=name_of)
def test_a_planted_use_is_found_alone(tmp_path, use, family):
    found, done = reported(tmp_path, use.program, family, "bad", use.case)
    has_use(found, done, use, family)


@pytest.mark.parametrize("program, family", [(program, family) for program, families in FAMILIES.items() for family in families])
def test_twins_and_idioms_have_no_finding(tmp_path, program, family):
    found, done = reported(tmp_path, program, family, "good")
    assert not [one for one in found if one["severity"] != "note"] and done.returncode == 0, f"{found}\n{done.stderr}"
    assert checks.results(done) == without_checks(program, family)


@pytest.mark.parametrize("program, family, case", [("init", "gfx900", "unused_tail_is_copied"), ("init", "sm", "unused_tail_is_copied"), ("init_opencl", "gen9", "unused_tail_is_copied"),
                                                   ("init_texels", "gen9", "unwritten_texels_are_copied")])
def test_copies_and_loads_are_found_where_that_is_wanted(tmp_path, program, family, case):
    """Padding that is only copied is found by --check-init=copy and =load alone."""
    kinds = {}
    for level in ("copy", "load"):
        found, done = reported(tmp_path, program, family, "good", case, options=[f"--check-init={level}"])
        kinds[level] = {one["finding"] for one in found}
        assert done.returncode == 115, done.stderr
    assert kinds == {"copy": {"undefined-copy"}, "load": {"undefined-copy", "undefined-load"}}


def test_arrays_of_work_items_in_registers(tmp_path):
    """The other tests' code is not optimised, so that all variables of work-items are in memory. Else small arrays are registers, of which an index chooses one for each channel (smov)."""
    found, done = reported(tmp_path, "init_opencl", "gen9", "good", CHECK_OPTIONS="-g")
    assert not [one for one in found if one["severity"] != "note"] and done.returncode == 0, f"{found}\n{done.stderr}"
    found, done = reported(tmp_path, "init_opencl", "gen9", "bad", *[use.case for use in PLANTED if use.program == "init_opencl"], CHECK_OPTIONS="-g")
    lines = {line for one in found for _, line in places(one)}
    assert {use.line for use in PLANTED if use.program == "init_opencl"} <= lines, found
    index, = [one for one in found if places(one)[0][0] == "own_index"]
    assert "nothing has written the register" in index["text"], index


def level_zero(memory, how):
    words = [checks.built("init_level_zero", "gcc", "-O1", "-g", "-w", checks.HERE / "init_level_zero.c", "-lze_loader"), checks.spirv(checks.HERE / "init.cl", checks.OUT / "init.spv")]
    return checks.run(checks.command_under_test(), "exec", "-g", "gen9", "--check=init", *words, memory, how)


@pytest.mark.parametrize("memory", ["host", "shared"])
def test_memory_of_level_zero_that_both_sides_see(memory):
    """It is undefined until the host stores to it, or a command does: by zeros, too, which are there before."""
    done = {how: level_zero(memory, how) for how in ("bad", "stored", "filled")}
    needs_to_see(done["bad"])
    found = re.findall(r"^wavetrap: error: ([\w-]+): .*nothing has written the allocation there$", done["bad"].stderr, re.M)
    assert found == ["undefined-branch"] and f"  allocated by zeMemAlloc{memory.title()}\n" in done["bad"].stderr, done["bad"].stderr
    for how in ("stored", "filled"):
        assert done[how].returncode == 0 and "checks: 0 errors, 0 warnings" in done[how].stderr, done[how].stderr
    assert {one.stdout for one in done.values()} == {"64\n"}, done


@pytest.mark.parametrize("texels", [full("10_10_10_2"), "5_6_5", full("5_5_5_1"), "8_8_8_8"])
def test_components_of_less_than_bytes(texels):
    """Each component of a texel has its own bits: green is written, where red is drawn of a number that nothing has written."""
    words = [checks.built("init_parts_ze", "gcc", "-O1", "-g", "-w", checks.HERE / "init_parts_ze.c", "-lze_loader"), checks.spirv(checks.HERE / "init_texels.cl", checks.OUT / "init_texels.spv"), texels]
    done = {what: checks.run(checks.command_under_test(), "exec", "-g", "gen9", "--check=init", *words, what) for what in ("red", "green")}
    assert done["green"].returncode == 0 and "checks: 0 errors, 0 warnings" in done["green"].stderr, done["green"].stderr
    assert re.findall(r"^wavetrap: error: ([\w-]+): .*\n  branch_on_red at .*init_texels.cl:(\d+)$", done["red"].stderr, re.M) == [("undefined-branch", str(checks.marks("init_texels.cl")["tx_red"]))], done["red"].stderr
    assert {one.stdout for one in done.values()} == {"7\n"}, done


@pytest.mark.parametrize("kernel, kind, mark", [full("sum_line", "1d", "tx_line"), full("sum_lines", "1d_array", "tx_lines"), ("sum_plane", "2d", "tx_plane"), full("sum_planes", "2d_array", "tx_planes"),
                                                full("sum_box", "3d", "tx_box"), ("draw_sum", "2d", "tx_draw")])
def test_images_of_level_zero(kernel, kind, mark):
    words = [checks.built("init_images_ze", "gcc", "-O1", "-g", "-w", checks.HERE / "init_images_ze.c", "-lze_loader"),
             checks.spirv(checks.HERE / "init_texels.cl", checks.OUT / "init_texels.spv"), kernel, kind]
    done = {how: checks.run(checks.command_under_test(), "exec", "-g", "gen9", "--check=init", *words, how) for how in ("bad", "good")}
    text = "the data that a command copies to the host has uninitialised bits: nothing has written the allocation there"
    assert set(re.findall(r"^wavetrap: error: (.*) \(bytes? [0-9a-fx to]+\)$", done["bad"].stderr, re.M)) == {f"undefined-result: {text}"}, done["bad"].stderr
    assert f"  {kernel} at {checks.HERE}/init_texels.cl:{checks.marks('init_texels.cl')[mark]}\n" in done["bad"].stderr, done["bad"].stderr
    assert done["good"].returncode == 0 and "checks: 0 errors, 0 warnings" in done["good"].stderr and done["good"].stdout == "15\n", done["good"].stderr


HOLES = {at: r"\(bytes {} to {}, {} to {} and {} to {} of ".format(*[at + byte for byte in (160, 191, 200, 203, 240, 255)]) for at in (0, 64)}      # of numbers 40 to 47, 50 and 60 to 63


@pytest.mark.parametrize("program, family, case, lanes", [("init", family, case, lanes) for family, lanes in (("gfx900", "lanes 40-47,50,60-63"), ("sm", "lanes 8-15,18,28-31"))
                                                          for case in ("seen_in_managed", "seen_in_pinned")] + [("init_opencl", "gen9", "seen_in_svm", "channels 0-7")])
def test_bytes_of_what_the_host_sees(company, program, family, case, lanes):
    """All pieces of the memory of both sides, which begins 64 bytes before the result."""
    said = said_alone(company, program, family, case)
    assert re.search(rf"memory that the host sees has uninitialised bits: nothing has written the allocation there {HOLES[64]}the allocation at 0x[0-9a-f]+000\)$", said, re.M), said
    assert said.count("undefined-result") == 1 and f", {lanes}, issue time" in said, said


def test_bytes_of_shared_memory_of_level_zero():
    for memory in ("host", "shared"):
        said = level_zero(memory, "seen").stderr
        found = re.findall(r"undefined-result: memory that the host sees has uninitialised bits: nothing has written the allocation there \(bytes (.*) of the allocation at 0x[0-9a-f]+\)$", said, re.M)
        assert found == ["160 to 191, 200 to 203 and 240 to 255"], said


@pytest.mark.parametrize("program, family, case, text", [
    ("init", "gfx900", "holes_are_copied", None), ("init", "sm", "holes_are_copied", None), ("init_opencl", "gen9", "seen_by_a_pointer", HOLES[0] + r"the copy\)"),
    ("init", "gfx900", "sum_by_rows", r"\(bytes 0 to 15 of the copy\)"), ("init", "sm", "sum_by_rows", r"\(bytes 0 to 15 of the copy\)")])
def test_bytes_of_a_copy_in_pieces(company, program, family, case, text):
    """Each second number before the 40th is unwritten: eight pieces are listed, and the others counted. Of rows the bytes count as they are copied."""
    listed = ", ".join(f"{at} to {at + 3}" for at in range(4, 64, 8))
    said = said_alone(company, program, family, case)
    assert re.search(f" has uninitialised bits: nothing has written the allocation there {text or rf'[(]bytes {listed} and 48 more in 12 pieces up to 159 of the copy[)]'}$", said, re.M), said


@pytest.mark.parametrize("case, bytes_", [("sum_of_a_part", "0 to 31"), ("local_of_a_part", "4 to 27")])
def test_bytes_of_a_variable_of_a_bare_program(case, bytes_):
    said = wavetrap("init_vortex", "vortex", "bad", case).stderr
    assert re.search(rf"undefined-result: memory that the host sees has uninitialised bits: nothing has written .* there \(bytes {bytes_} of out\)$", said, re.M) or f" (bytes {bytes_} of out)\n" in said, said


@pytest.mark.parametrize("family", FAMILIES["init"])
def test_two_sums_of_one_copy_are_two_findings(family):
    said = wavetrap("init", family, "bad", "two_sums_of_unwritten").stderr
    line = checks.marks("init.cu")["second_half"]
    assert re.findall(r"undefined-result: .* \(bytes (.*) of the copy\)\n.*:(\d+)$", said, re.M) == [("32 to 127", str(line - 1)), ("128 to 255", str(line))], said
    assert said.count("\n  copied by\n") == (0 if family == "gfx900" else 2) and "\n  launched\n" not in said, said    # a copy engine has no caller


@pytest.mark.parametrize("family, wave, lanes", [("sm", "warp 1", "lanes 16-31"), ("gfx900", "wave 0", "lanes 48-63")])
def test_lanes_and_bytes_of_a_result(family, wave, lanes):
    """Of 64 numbers the last 16 are unwritten: the first instruction that computes with them has their lanes, and the copy their bytes."""
    said = wavetrap("init", family, "bad", "sum_of_a_part").stderr
    assert re.search(rf" {wave}, {lanes}, issue time", said), said
    assert re.search(r"nothing has written the allocation there \(bytes 192 to 255 of the copy\)$", said, re.M), said


def test_images_in_optimised_code(tmp_path):
    found, done = reported(tmp_path, "init_texels", "gen9", "good", CHECK_OPTIONS="-g")
    assert not [one for one in found if one["severity"] != "note"] and done.returncode == 0, f"{found}\n{done.stderr}"
    found, done = reported(tmp_path, "init_texels", "gen9", "bad", *[use.case for use in PLANTED if use.program == "init_texels"], CHECK_OPTIONS="-g")
    assert {use.line for use in PLANTED if use.program == "init_texels"} <= {line for one in found for _, line in places(one)}, found


def test_where_the_check_is_not_there_it_says_so():
    """Nothing is silently left out."""
    done = checks.run(checks.command_under_test(), "exec", "-g", checks.AMD, "--check=init", *program_of("init_openmp", "gfx900"), "good")
    assert "--check=init is not there for OpenMP" in done.stderr and done.returncode == 0, done.stderr


WIDER = """.version 6.0
.target sm_50
.address_size 64
.func (.param .b64 sum) f(.param .b32 a, .param .b8 c, .param .b16 d)
{
    .reg .u64 %q<6>;
    ld.param.u32 %q1, [a];
    ld.param.s32 %q2, [a];
    ld.param.u8 %q3, [c];
    ld.param.s16 %q4, [d];
    add.u64 %q1, %q1, %q2;
    add.u64 %q3, %q3, %q4;
    add.u64 %q1, %q1, %q3;
    st.param.b64 [sum], %q1;
    ret;
}
.visible .entry k(.param .u64 to, .param .u64 from)
{
    .reg .u64 %q<8>; .reg .u32 %v, %i; .reg .pred %p;
    .shared .u32 s[32];
    .local .u32 own;
    ld.param.u64 %q0, [to];
    ld.param.u64 %q1, [from];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %q2, %i, 8;
    add.u64 %q0, %q0, %q2;
    shr.u64 %q2, %q2, 1;
    add.u64 %q1, %q1, %q2;
    ld.global.u32 %v, [%q1];
    ld.global.s32 %q3, [%q1];
    mov.u64 %q4, s;
    add.u64 %q4, %q4, %q2;
    st.shared.u32 [%q4], %v;
    ld.shared.u32 %q5, [%q4];
    st.local.u32 [own], %v;
    ld.local.s32 %q6, [own];
    add.u64 %q3, %q3, %q5;
    add.u64 %q3, %q3, %q6;
    { .param .b32 a; .param .b8 c; .param .b16 d; .param .b64 sum;
      st.param.b32 [a], %v; st.param.b8 [c], %v; st.param.b16 [d], %v;
      call (sum), f, (a, c, d);
      ld.param.b64 %q5, [sum]; }
    add.u64 %q3, %q3, %q5;
    setp.lt.s64 %p, %q3, 0;
    @%p add.u64 %q3, %q3, 1;
    st.global.u64 [%q0], %q3;
    ret;
}
"""


@pytest.mark.parametrize("jit", [0, 1])
def test_a_register_that_is_wider_than_what_it_is_loaded_with(tmp_path, jit):
    """PTX fills it with zeros or signs, whatever the number is loaded from."""
    numbers = [(-1) ** n * 40503 * n for n in range(32)]
    (tmp_path / "k").write_text(WIDER)
    (tmp_path / "from").write_bytes(struct.pack("<32i", *numbers))
    done = checks.run(checks.command_under_test(), "run", "-g", f"sm:jit={jit}", "--check=init", "--grid=32", "--block=32", "--arg=zeros:256", f"--arg=file:{tmp_path / 'from'}",
                      "--dump-arg=0:out", "k", cwd=tmp_path)
    assert done.returncode == 0 and "checks: 0 errors, 0 warnings" in done.stderr, done.stderr
    signed = [3 * n + 2 * (n % 2 ** 32) + n % 256 + (n + 2 ** 15) % 2 ** 16 - 2 ** 15 for n in numbers]
    assert struct.unpack("<32q", (tmp_path / "out").read_bytes()) == tuple(n + (n < 0) for n in signed)


@pytest.mark.parametrize("case, family", [("branch_on_unwritten", "gfx900"), full("index_of_unwritten", "gfx900"), full("atomic_of_unwritten", "gfx900"),
                                          *((case, "sm") for case in ("branch_on_unwritten", "index_of_unwritten", "atomic_of_unwritten"))])
def test_the_debugger_stops_before_a_use(case, family):
    """At its instruction, which has not been executed; the way back and forth comes to it again, and the report is that of a run without a debugger."""
    use = next(use for use in PLANTED if (use.program, use.case) == ("init", case))
    commands = ["catch check", "run", "info time", "output/x $pc", "echo \\n", "reverse-continue", "continue", "info time", "output/x $pc", "echo \\n", "delete", "continue", "continue"]
    done = checks.run(checks.command_under_test(), "debug", "--nx", "--batch", "-g", checks.gpu(family), "--check=init", *[word for one in commands for word in ("-ex", one)],
                      *map(str, program_of("init", family)), "bad", case)
    assert re.findall(r"^Catchpoint 1 \(check\): ([\w-]+): ", done.stdout, re.M) == [use.kind] * 2, done.stdout + done.stderr
    # Optimised PTX of clang tells the line of a call that is inlined by the line before.
    assert re.search(rf"^  {use.function}(?:\(.*\))? (?:at (?:\S*/)?init\.cu:|in (?:\S*/)?init\.cu, after line ){use.line}$", done.stderr, re.M), done.stderr
    assert len(set(re.findall(r"[Ii]ssue time (\d+)", done.stdout))) == 1, done.stdout
    pc, = set(re.findall(r"^(0x[0-9a-f]+)$", done.stdout, re.M))
    assert re.search(rf"^  0x0*{pc[2:]}: ", done.stderr, re.M) and " times" not in done.stderr and done.returncode == 115, done.stderr
    assert checks.results(done) == checks.results(wavetrap("init", family, "bad", case)), done.stdout


def test_findings_are_equal_from_run_to_run(tmp_path):
    runs = []
    planted = [use.case for use in PLANTED if use.program == "init"]
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        found, _ = reported(tmp_path / str(number), "init", "gfx900", "bad", *planted)
        runs.append([(one["finding"], places(one), one["time"], one["lanes"], one["times"]) for one in found])
    assert runs[0] == runs[1] and len(runs[0]) >= 12


# ---- what is defined, now and before ----

PAST = [("vortex", "sum_of_a_part", "own_sum", 40, ["own@*", "own[3]", "$a5@*", "$t3@*"], "from a lane's own memory"),
        ("vortex", "local_of_a_part", "local_sum", 60, ["$a5@*", "$a4@*", "*(int *)0xffff0004", "*(int *)0xffff003c"], "from the group's memory"),
        ("gfx900", "branch_on_unwritten", "compare", 7, ["$v1@*", "$v2@*", "$vcc", "in[40]", "in[3]"], "from the allocation"),
        ("gfx900", "branch_on_shared", "shared_branch", 12, ["$v1@*", "$v2@*", "$v3@*", "$vcc", "s[40]", "s[3]"], "from the group's memory"),
        ("sm", "branch_on_shared", "shared_branch", 12, ["*(int *)0xfe00000c", "*(int *)0xfe000000", "*(int *)0xfe0000f0"], "from the group's memory")]


def session(family, case, *commands, options=("--check=init",)):
    program = "init_vortex" if family.startswith("vortex") else "init"
    words = [*checks.VORTEX, f"--arg={cases_of(program).index(case) + 1}"] if program == "init_vortex" else ["-g", checks.gpu(family)]
    return checks.run(checks.command_under_test(), "debug", "--nx", *words, *options, *[word for one in [*commands, "kill", "quit"] for word in ("-ex", one)],
                      *program_of(program, family), *([] if program == "init_vortex" else ["bad", case]))


def asked(done):
    """{issue time: what was said of each expression}; the lines of calls have addresses of their process."""
    parts = [part.partition("===\n")[0] for part in done.stdout.split("@@@\n")[1:]]
    return {int(re.search(r"[Ii]ssue time (\d+)", part)[1]): re.findall(r"^(?:(?:lane|thread)s? \d.*: .*|computed first.*time \d+)$", re.sub(r"0x\w+|wave \d+", "", part), re.M) for part in parts}


@pytest.mark.parametrize("family, case, function, steps, expressions, origin", PAST)
def test_what_is_defined_is_told_of_the_past_as_it_was_then(family, case, function, steps, expressions, origin):
    ask = [*[word for one in expressions for word in ("info time", f"info defined {one}")], "echo ===\\n"]
    begin = [f"break {function}", "run", "delete"]
    there = asked(session(family, case, *begin, *[word for _ in range(steps) for word in ("echo @@@\\n", *ask, "stepi")]))
    assert len(there) == steps and all(len(said) >= 2 for said in there.values()), there
    assert len(set(map(tuple, there.values()))) >= 2, there         # something becomes defined, and undefined
    assert any(origin in line for said in there.values() for line in said), there
    back = asked(session(family, case, *begin, *["stepi"] * (steps - 1), *[word for time in reversed(there) for word in (f"goto {time}", "echo @@@\\n", *ask)]))
    assert back == there


def test_the_origin_has_its_allocation_and_who_computed_first():
    done = session("gfx900", "branch_on_unwritten", "catch check", "run", "info defined $vcc", "info defined in[40]", "info defined 1 + 2")
    flag, element = re.findall(r"^lane \d+: (.*), from the allocation, where nothing has written$", done.stdout, re.M)
    assert (flag, element) == ("bits 32-63 of 64 are undefined", "all 32 bits are undefined"), done.stdout
    assert re.search(r"^computed first by 0x\w+ <compare\(.*\)\+\d+> at init\.cu:\d+, device 0, dispatch \d+, group \(0,0,0\), core 0, wave 0, issue time \d+$", done.stdout, re.M), done.stdout
    assert done.stdout.count("an allocation of 256 bytes at 0x") == done.stdout.count("allocated by hipMalloc\n") == 2, done.stdout
    assert "'info defined 1 + 2': 1 + 2 lies neither in memory nor in a register" in done.stderr, done.stderr


@pytest.mark.parametrize("options, said", [([], "no checks are on: start with --check=all, or a list of checks"), (["--check=memory"], "uninitialised values are not followed: 'wavetrap debug --check=init' does"),
                                           (["--check=init", "--no-history"], "thread 0: all 32 bits are defined")])
def test_what_is_defined_is_told_where_that_is_checked(options, said):
    done = session("vortex", "sum_of_a_part", "break own_sum", "run", "info defined a", options=options)
    assert said in done.stdout + done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize("program, family", [("init", "gfx900"), ("init", "sm"), ("init_vortex", "vortex"), ("init_opencl", "gen9"), full("init_texels", "gen9")])
def test_what_is_passed_by_changes_no_finding(tmp_path, program, family):
    """Runs of instructions that change nothing are passed by in one turn of a wave. With turns of one issue none are, and the findings are the same."""
    found = {}
    planted = [use.case for use in PLANTED if use.program == program]
    for turns in ("rr:1", "rr:64"):
        (tmp_path / turns).mkdir()
        for cases in [[case] for case in planted] if program == "init_vortex" else [planted]:
            each, _ = reported(tmp_path / turns, program, family, "bad", *cases, options=[f"--schedule={turns}"])
            found.setdefault(turns, []).extend(sorted((one["finding"], places(one)) for one in each))
    assert found["rr:1"] == found["rr:64"] and len(found["rr:1"]) >= 8
