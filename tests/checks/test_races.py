"""--check=race finds each planted race (races.txt) by both places, bytes and lanes, and nothing in corrected twins and idioms. The labels are proved by
ThreadSanitizer, for which each GPU thread is a thread of the host, and by Oclgrind."""
import dataclasses
import functools
import json
import re
import struct
import subprocess

import pytest

import checks
from amd import bitcode
from releases import CC
import test_found as harness
from vortex3 import kernels_of

FAMILIES = {"races": ("gfx900", "sm"), "orders": ("sm", "gfx900"), "races_opencl": ("gen9",), "races_vortex": ("vortex",), "queues": ("vortex", "gen9", "level_zero"),
            "loose_queue": ("gen9", "level_zero"), "command_lists": ("level_zero",),
            "packets": ("gfx900",), "both_sides": ("gen9", "level_zero"), "maps": ("gen9",), "races_openmp": ("gfx900", "sm")}
# Where HIP 5.2's hipStreamDestroy() does not come back from streams that were given memory, unless they are checked.
POOLS = {"freed_too_early", "allocated_in_another_stream", "memory_again"}
ARCHER = "/usr/lib/llvm-19/lib/libarcher.so"    # tells ThreadSanitizer of OpenMP's barriers and locks
# Found, but for the place of what is inlined: clang writes lines alone into PTX.
INLINED = {"races-in_functions-sm", "races-atomic_then_load-sm", "races-cleared_late-sm", "races-bins_cleared_late-sm",
           "races-reset_too_early-sm"}


@dataclasses.dataclass(frozen=True)
class Race:
    program: str
    case: str
    findings: tuple     # (family or None, check, severity, kind), ...; none of an idiom
    accesses: tuple     # two of (access, bytes, lanes or None, function, file, line)
    proof: str

    def expected(self, family):
        """(severity, kind), of which one is reported; none where it is missed."""
        return {(severity, kind) for own, check, severity, kind in self.findings if own in (None, family) and check != "missed"}

    @property
    def lines(self):
        return {line for *_, line in self.accesses}


@functools.cache
def sources():
    return {words[0]: words[1:] for words in map(str.split, re.findall(r"^\[(.*)\]$", (checks.HERE / "races.txt").read_text(), re.M))}


def race_of(program, words):
    case, finding = words[:2]
    if finding == "none":
        return Race(program, case, (), (), None)
    accesses = []
    for access, size, lanes, place in (words[2:6], words[6:10]):
        function, _, mark = place.partition("@")
        file = next((name for name in sources()[program] if mark in checks.marks(name)), None)
        assert file, f"{program}, {case}: no source has the mark {mark}"
        accesses.append((access, None if size == "-" else int(size), None if lanes == "-" else lanes, function, file, checks.marks(file)[mark]))
    return Race(program, case, checks.findings_of(finding), tuple(accesses), words[10])


@functools.cache
def races():
    return checks.lines_of("races.txt", race_of)


PLANTED = [race for race in races() if race.findings]


# ---- building and running ----

def program_of(program, family):
    """The words that start it."""
    clang = ["clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_50", checks.LEVEL, "-g", "-w"]
    if program in ("queues", "loose_queue", "command_lists", "both_sides", "maps", "packets"):
        return queues(program, family)
    if program == "races_openmp":
        return [checks.built(f"races_openmp.{family}", "env", f"PATH={checks.DEBIAN_PATH}", CC, checks.LEVEL, "-g", "-w", "-fopenmp", *checks.offload(family),
                             checks.HERE / "races_openmp.c")]
    if family == "gfx900":
        return [checks.built(f"{program}.gfx900", "hipcc", f"--offload-arch={checks.AMD}", checks.LEVEL, "-g", "-w", "-x", "hip", checks.HERE / f"{program}.cu")]
    if family == "gen9":
        return [checks.built(f"{program}.gen9", "gcc", "-O1", "-g", "-w", checks.HERE / f"{program}.c", "-lOpenCL"), checks.HERE / "races.cl"]
    if family == "vortex":
        return [checks.vortex_program(program)]
    cuda = checks.cuda_path()
    return [checks.built(f"{program}.sm", *clang, f"--cuda-path={cuda}", checks.HERE / f"{program}.cu", f"-L{cuda}/lib64", "-lcudart", "-lstdc++")]


def queues(program, family):
    """Host programs with queues."""
    if family == "gfx900":
        kernels = checks.built("queue_kernels.co", "clang-19", "-x", "cl", "-cl-std=CL2.0", "-O1", "-g", "-target", "amdgcn-amd-amdhsa", f"-mcpu={checks.AMD}", "-nogpulib",
                               "-mcode-object-version=4", checks.HERE / "queue_kernels.c")
        return [checks.built(f"{program}.gfx900", "gcc", "-O0", "-g", "-w", checks.HERE / f"{program}.c", "-lhsa-runtime64"), kernels]
    if family == "level_zero":
        prefix = checks.OUT / "queue_kernels-"
        for name, other in (("put", "GET"), ("get", "PUT")):
            checks.spirv(checks.HERE / "queue_kernels.c", checks.OUT / f"queue_kernels-{name}.spv", f"-g -cl-opt-disable -DWITHOUT_{other}")
        return [checks.built(f"{program}.level_zero", "gcc", "-O0", "-g", "-w", "-DLEVEL_ZERO_QUEUES", checks.HERE / f"{program}.c", "-lze_loader"), prefix]
    if family == "gen9":
        return [checks.built(f"{program}.gen9", "gcc", "-O0", "-g", "-w", "-DOPENCL_QUEUES", checks.HERE / f"{program}.c", "-lOpenCL"),
                checks.HERE / "queue_kernels.c"]
    elf = checks.OUT / "vortex" / "queue_kernels.elf"
    elf.parent.mkdir(parents=True, exist_ok=True)
    if not elf.exists() or elf.stat().st_mtime < checks.newest().stat().st_mtime:
        kernels_of(checks.HERE / "queue_kernels_vortex.c", elf, 32, "-O1")
    folder = checks.BUILD / "src" / "runtime" / "vortex"
    return [checks.built("queues.vortex", "gcc", "-O0", "-g", "-DVORTEX_QUEUES", f"-I{checks.ROOT / 'src'}", checks.HERE / "queues.c", f"-L{folder}", "-lvortex"),
            elf.with_suffix(".vxbin")]


def cases_of(program):
    return [race.case for race in races() if race.program == program]


def wavetrap(program, family, how, *cases, options=()):
    if program == "races_vortex":
        number = cases_of(program).index(cases[0]) + 1 if how == "bad" else 0
        return checks.run(checks.command_under_test(), "run", *checks.VORTEX, *options, f"--arg={number}", *program_of(program, family))
    return checks.run(checks.command_under_test(), "exec", "-g", {"level_zero": "gen9"}.get(family, checks.gpu(family)), *options, *program_of(program, family), how,
                      *cases)


@functools.cache
def without_checks(program, family):
    """The results of a run without checks."""
    cases = [case for case in cases_of(program) if case not in POOLS] if (program, family) == ("orders", "gfx900") else []
    return checks.results(wavetrap(program, family, "good", *cases))


def tsan(program, how, *cases):
    sources = {**{name: ["g++", "-x", "c++", "-std=c++17", checks.HERE / f"{name}.cu"] for name in ("races", "orders")},
               "queues": ["g++", "-x", "c++", "-std=c++17", checks.HERE / "queues.c"],
               "races_openmp": ["clang-19", "-fopenmp", checks.HERE / "races_openmp.c"],
               "races_vortex": ["gcc", f"-I{checks.HERE / 'host'}", checks.HERE / "races_vortex.c"]}[program]
    words = [sources[0], "-O0", "-g", "-w", "-fsanitize=thread", *sources[1:], "-lpthread"]
    kernels = ["-"] if program == "queues" else []
    options = "exitcode=0 history_size=7 suppress_equal_addresses=0"    # of two cases
    openmp = {"TSAN_OPTIONS": f"{options} ignore_noninstrumented_modules=1", "OMP_TOOL_LIBRARIES": ARCHER}
    return checks.run(checks.built(f"{program}.tsan", *words), *kernels, how, *cases,
                      **openmp if program == "races_openmp" else {"TSAN_OPTIONS": options})


def oclgrind(program, how, *cases):
    """Oclgrind has another compiler, which does not know Intel's option -g."""
    return checks.run("oclgrind", "--data-races", "--max-errors", "100000", *program_of(program, "gen9"), how, *cases, CHECK_OPTIONS="-cl-opt-disable")


def reported(folder, program, family, how, *cases, options=()):
    path = folder / "report.json"
    done = wavetrap(program, family, how, *cases, options=["--check=race", f"--report=json:{path}", *options])
    assert path.exists(), done.stdout + done.stderr
    text = path.read_text()
    if family in ("gen9", "level_zero"):    # OpenCL's programs are text for the runtime, which has no name for them
        text = re.sub(r'"file": ?"/opencl/program-\d+\.cl"', f'"file": "{sources()[program][-1]}"', text)
    return [one for one in map(json.loads, text.splitlines()) if one["kind"] == "finding"], done


# ---- the oracle: of the labels, which seldom change, and so in full but for a sample ----

def pairs_of(said):
    """The two places of each report of ThreadSanitizer, as (function, line)."""
    for text in said.split("WARNING: ThreadSanitizer: data race")[1:]:
        stacks = re.findall(r"^  (?:Previous )?(?:atomic )?(?:[Rr]ead|[Ww]rite) of size \d+ at .*\n((?:    #.*\n)+)", text, re.M)
        yield [next(((function, int(line)) for function, file, line in re.findall(r"#\d+ (\w+).* (?:\S*/)?([\w.]+):(\d+) \(", stack) if not file.endswith((".h", ".inc"))), None)
               for stack in stacks]


def companies(races_):
    """Each pair of lines is reported once."""
    return checks.companies(races_, lambda race: {frozenset(race.lines)})


@functools.cache
def seen_by_tsan(program):
    """{case: what is said while it runs}, of few processes."""
    runs = companies([race for race in PLANTED if (race.program, race.proof) == (program, "tsan")])
    said = [checks.parts_of(tsan(program, "bad", *(race.case for race in run)).stderr) for run in runs]
    return {case: text for parts in said for case, text in parts.items()}


@pytest.mark.parametrize("alone", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize("race", [race if race.program == "orders" else pytest.param(race, marks=pytest.mark.full) for race in PLANTED if race.proof == "tsan"], ids=lambda race: race.case)
def test_the_oracle_sees_the_race(race, alone):
    """And nothing else."""
    found = list(pairs_of(tsan(race.program, "bad", race.case).stderr if alone else seen_by_tsan(race.program)[race.case]))
    assert found and all({place[1] for place in pair if place} <= race.lines for pair in found), found


@pytest.mark.full
@pytest.mark.parametrize("race", [race for race in PLANTED if race.proof == "oclgrind"], ids=lambda race: race.case)
def test_oclgrind_sees_the_race(race):
    said = oclgrind(race.program, "bad", race.case).stderr
    found = {frozenset(map(int, re.findall(r"At line (\d+)", text))) for text in said.split("data race at")[1:]}
    assert found and all(lines <= race.lines for lines in found) and any(lines == race.lines for lines in found), said


@pytest.mark.parametrize("program", [name if name in ("orders", "races_opencl") else pytest.param(name, marks=pytest.mark.full) for name in FAMILIES])
def test_twins_and_idioms_are_silent_in_the_oracle(program):
    """Their results are those of the GPUs."""
    if program in ("command_lists", "both_sides", "packets"):
        pytest.skip("no oracle knows Level Zero's lists and packets of HSA, and Oclgrind no shared virtual memory")
    unknown = {race.case for race in PLANTED if race.proof == "no:groups"}
    cases = [case for case in cases_of(program) if case not in unknown] if program == "races_opencl" else ()
    done = oclgrind(program, "good", *cases) if FAMILIES[program][0] == "gen9" else tsan(program, "good")
    assert done.returncode == 0 and not re.search("WARNING|data race", done.stderr), done.stderr
    for family in FAMILIES[program]:
        results = {case: value for case, value in without_checks(program, family).items() if case not in unknown}
        assert results and checks.results(done).items() >= results.items()


# ---- the check ----

def side(one):
    """An access of a finding: what it says of both."""
    place = harness.innermost(one)
    return one["access"], one.get("bytes"), one.get("lanes"), harness.plain(place.get("function")), place.get("file", "").rpartition("/")[2], place.get("line")


def lines_of(one):
    return {side(one)[5], side(one.get("other", one))[5]}


def is_like(found, label):
    return all(wanted in (None, value) for value, wanted in zip(found, label))


def is_expected(one, race, places=True):
    sides = [side(access) if places else side(access)[:3] for access in (one, one["other"])]
    return any(is_like(sides[0], first) and is_like(sides[1], second) for first, second in (race.accesses, race.accesses[::-1]))


EVERY = [(race, family) for race in PLANTED for family in FAMILIES[race.program]]


def name_of(value):
    return f"{value.program}-{value.case}" if isinstance(value, Race) else value


def with_others(program, family):
    """The races of a program that one process has with others; of Vortex, which has one case each time, none."""
    planted = [race for race in PLANTED if race.program == program and family != "vortex" and f"{name_of(race)}-{family}" not in INLINED]
    return [run for run in companies(planted) if len(run) > 1]


IN_COMPANY = [(race, family) for program, families in FAMILIES.items() for family in families for run in with_others(program, family) for race in run]


def has_case(found, done, race, family):
    """The findings of a case are those of its label; what else is reported is between accesses of the same lines."""
    places = f"{name_of(race)}-{family}" not in INLINED
    others = [one for one in found if places and one["severity"] != "note" and not lines_of(one) <= race.lines]
    assert not others, f"{others}\n{done.stderr}"
    wanted = race.expected(family)
    errors = any(one["severity"] == "error" for one in found)
    if not wanted:
        assert not errors, done.stderr
        return
    right = [one for one in found if (one["severity"], one["finding"]) in wanted and is_expected(one, race, places)]
    assert right, f"none of {wanted} as {race.accesses}: {[(one['severity'], side(one), side(one['other'])) for one in found]}\n{done.stderr}"
    assert errors == any(severity == "error" for severity, _ in wanted), done


def status_tells(found, done):
    assert (done.returncode == 115) == any(one["severity"] == "error" for one in found), done


@pytest.fixture(scope="module", name="company")
def company_(tmp_path_factory):
    """company(program, family): the runs of a program with many races, each (races, findings, run)."""
    @functools.cache
    def runs(program, family):
        return [(run, *reported(tmp_path_factory.mktemp(program), program, family, "bad", *(race.case for race in run))) for run in with_others(program, family)]
    return runs


@pytest.mark.parametrize("race, family", IN_COMPANY, ids=name_of)
def test_a_planted_race_is_found(company, monkeypatch, race, family):
    """With both accesses, beside others in the same process."""
    monkeypatch.setattr(checks, "sources", sources)
    found, done = next((found, done) for run, found, done in company(race.program, family) if race in run)
    has_case([one for one in found if lines_of(one) <= race.lines], done, race, family)


@pytest.mark.parametrize("program, family", sorted({(race.program, family) for race, family in IN_COMPANY}))
def test_nothing_else_is_found_in_company(company, monkeypatch, program, family):
    monkeypatch.setattr(checks, "sources", sources)
    for run, found, done in company(program, family):
        assert set(checks.parts_of(done.stderr)) == {race.case for race in run}, done.stderr
        of_none = [one for one in found if one["severity"] != "note" and not any(lines_of(one) <= race.lines for race in run)]
        assert not of_none, f"{of_none}\n{done.stderr}"
        status_tells(found, done)


@pytest.mark.parametrize("race, family", [pytest.param(*one, marks=pytest.mark.full if one in IN_COMPANY else []) for one in EVERY], ids=name_of)
def test_a_planted_race_is_found_alone(tmp_path, monkeypatch, race, family):
    monkeypatch.setattr(checks, "sources", sources)
    found, done = reported(tmp_path, race.program, family, "bad", race.case)
    has_case(found, done, race, family)
    status_tells(found, done)


@pytest.mark.parametrize("program, family", [(program, family) for program, families in FAMILIES.items() for family in families])
def test_twins_and_idioms_have_no_finding(tmp_path, program, family):
    found, done = reported(tmp_path, program, family, "good")
    found = [one for one in found if one["severity"] != "note"]
    assert not found and done.returncode == 0, f"{found}\n{done.stderr}"
    assert checks.results(done).items() >= without_checks(program, family).items() > set()


def test_barriers_that_a_compiler_leaves_out():
    """Intel's does where it knows that a group is one thread (reqd_work_group_size), with optimisation."""
    done = checks.run(checks.command_under_test(), "exec", "-g", "gen9", "--check=race", *program_of("races_opencl", "gen9"), "good", CHECK_OPTIONS="-g")
    assert done.returncode == 0 and "checks: 0 errors, 0 warnings" in done.stderr, done.stderr


@pytest.mark.parametrize("options, severity", [("-g", "error"), ("", "warning")])
def test_barriers_of_sub_groups_have_no_code(options, severity):
    """Optimised code, and code without lines, where it is not known whether a barrier is between."""
    cases = [race.case for race in PLANTED if race.proof == "no:groups"]

    def count(how, *names):
        done = checks.run(checks.command_under_test(), "exec", "-g", "gen9", "--check=race", *program_of("races_opencl", "gen9"), how, *names, CHECK_OPTIONS=options)
        return done, len(re.findall(rf"^wavetrap: {severity}: race .*{'' if severity == 'error' else 'sub_group_barrier'}", done.stderr, re.M))
    done, found = count("good", *cases)
    assert done.returncode == 0 and (found == 0 or severity == "warning"), done.stderr
    for case in cases:
        done, found = count("bad", case)
        assert (found > 0) == (case != "sub_group_missing" or severity == "error"), f"{case}: {done.stderr}"
    assert done.returncode == 115 and "error: race" in done.stderr, done.stderr    # the last one has no barrier at all


@pytest.mark.parametrize("kernel, errors", [("sub_group_waits", False), ("sub_group_loads_early", False), ("sub_group_goes_on", True), ("sub_group_alone", True)])
def test_barriers_of_sub_groups_in_level_zero(kernel, errors):
    """Whose binaries have no SPIR-V: the program gives it to the runtime."""
    program = checks.built("sub_groups_ze", "gcc", "-O1", "-g", "-w", checks.HERE / "sub_groups_ze.c", "-lze_loader")
    module = checks.spirv(checks.HERE / "races.cl", checks.OUT / "races.spv", "-g -cl-opt-disable")
    done = checks.run(checks.command_under_test(), "exec", "-g", "gen9", "--check=race", program, module, kernel)
    assert (done.returncode == 115) == ("error: race" in done.stderr) == errors and "warning" not in done.stderr.replace("0 warnings", ""), done.stderr


def without_spirv(file):
    """A zebin as compilers make it where they keep no SPIR-V beside the code."""
    elf = bytearray(file.read_bytes())
    first, = struct.unpack_from("<Q", elf, 40)
    at, = (at for at in range(first, first + 64 * struct.unpack_from("<H", elf, 60)[0], 64) if struct.unpack_from("<I", elf, at + 4)[0] == 0xff000009)
    begin, size = struct.unpack_from("<QQ", elf, at + 24)
    elf[begin:begin + size], elf[at:at + 64] = bytes(size), bytes(64)
    file.with_name("none").write_bytes(elf)
    return file.with_name("none")


@pytest.mark.parametrize("how", ["exec", "run"])
def test_barriers_of_sub_groups_without_spirv(tmp_path, how):
    """Of machine code alone nobody can say whether a kernel has one: what it may order is a warning, that only --check-lanes=lockstep spares; with SPIR-V a kernel that has none has an error."""
    program = checks.built("sub_groups_ze", "gcc", "-O1", "-g", "-w", checks.HERE / "sub_groups_ze.c", "-lze_loader")
    checks.run("ocloc", "compile", "-file", checks.HERE / "races.cl", "-device", "skl", "-options", "-cl-std=CL3.0", "--format", "zebin", "-output", "zebin", "-output_no_suffix", cwd=tmp_path)
    whole = tmp_path / "zebin"

    def found(file, kernel, *options):
        words = [program, file, kernel] if how == "exec" else [f"--kernel={kernel}", "--grid=32", "--block=32", "--arg=zeros:128", file]
        done = checks.run(checks.command_under_test(), how, "-g", "gen9", "--check=race", *options, *words)
        return {line.split(":")[1].strip() for line in done.stderr.splitlines() if ": race " in line}, done.returncode, done.stderr
    for kernel in ("sub_group_waits", "sub_group_alone"):
        kinds, status, text = found(without_spirv(whole), kernel)
        assert kinds == {"warning"} and status == 0 and "and the program no SPIR-V" in text, text
        assert found(without_spirv(whole), kernel, "--check-lanes=lockstep")[:2] == (set(), 0)
    assert found(whole, "sub_group_waits")[:2] == ({"warning"}, 0) and found(whole, "sub_group_alone")[:2] == ({"error"}, 115)


def test_a_lock_that_a_compiler_makes(tmp_path):
    """Intel's makes one, without fences, of 64-bit atomic functions on local memory: it may be the program's, so that it is a warning."""
    (tmp_path / "k.cl").write_text("""#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
    kernel void k(global long *out)
    {
        local long sum;
        if (get_local_id(0) == 0)
            sum = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atom_add(&sum, (long)get_local_id(0));
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            *out = sum;
    }""")
    checks.run("ocloc", "compile", "-file", tmp_path / "k.cl", "-device", "skl", "--format", "zebin", "-output", "k", "-output_no_suffix", "-out_dir", tmp_path)
    done = checks.run(checks.command_under_test(), "run", "-g", "gen9", "--check=race", "--grid=64", "--block=64", "--arg=zeros:8", f"--dump-arg=0:{tmp_path / 'sum'}", tmp_path / "k")
    assert (tmp_path / "sum").read_bytes() == (64 * 63 // 2).to_bytes(8, "little"), done.stderr
    assert "unless those are a lock that the compiler has made" in done.stderr and ": error: " not in done.stderr and done.returncode == 0, done.stderr


@pytest.mark.parametrize("options", ["-cl-std=CL2.0", "-cl-std=CL2.0 -cl-opt-disable"])
def test_votes_of_a_group(tmp_path, options):
    """Intel's compiler has each thread store the same value to one place for them, which is a warning; different values are an error."""
    (tmp_path / "k.cl").write_text("""kernel void votes(global int *out)
    {
        const int i = get_local_id(0);
        out[i] = work_group_any(i == 5) + 2 * work_group_all(out[i] == 0) + 4 * work_group_all(i != 5);
    }
    kernel void numbers(global int *out)
    {
        local int last;
        last = get_sub_group_id();
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_local_id(0)] = last != 0x7fffffff;
    }""")
    checks.run("ocloc", "compile", "-file", "k.cl", "-device", "skl", "-options", options, "--format", "zebin", "-output", "k", "-output_no_suffix", cwd=tmp_path)
    for kernel, errors, result in (("votes", False, 3), ("numbers", True, 1)):
        for also in ("", ",init"):
            done = checks.run(checks.command_under_test(), "run", "-g", "gen9", f"--check=race{also}", f"--kernel={kernel}", "--grid=128", "--block=128", "--arg=zeros:512",
                              "--dump-arg=0:out", "k", cwd=tmp_path)
            assert (tmp_path / "out").read_bytes() == result.to_bytes(4, "little") * 128, done.stderr
            assert (": error: " in done.stderr) == errors and done.returncode == (115 if errors else 0), done.stderr
            assert errors or "warning: race store of 4 bytes: lanes of one instruction store the same value to one place" in done.stderr


def test_a_guess_without_optimisation(tmp_path):
    """Intel's compiler has loads from the work-items' own memory between a plain load and the compare-and-swap that proves it. One that nothing proves is a race."""
    (tmp_path / "k.cl").write_text("""kernel void k(volatile global uint *sums, int proved)
    {
        const uint at = get_global_id(0) % 4;
        uint old, seen;
        if (!proved && get_group_id(0) == 0) {
            atomic_inc(&sums[at]);
            return;
        }
        seen = sums[at];
        do {
            old = seen;
            seen = atomic_cmpxchg(&sums[at + (proved ? 0 : 4)], old, old + get_local_id(0));
        } while (seen != old && proved);
    }""")
    checks.run("ocloc", "compile", "-file", "k.cl", "-device", "skl", "-options", "-cl-opt-disable", "--format", "zebin", "-output", "k", "-output_no_suffix", cwd=tmp_path)
    for proved in (1, 0):
        done = checks.run(checks.command_under_test(), "run", "-g", "gen9:subslices=2", "--check=race", "--grid=128", "--block=64", "--arg=zeros:32", f"--arg={proved}", "k", cwd=tmp_path)
        assert (": error: race" in done.stderr) == (not proved) and done.returncode == (0 if proved else 115), done.stderr


STORES = """kernel void k(global int *p, int five, int seven)
{
    const int i = get_local_id(0);
    int v = %s;
    __asm__ volatile("%s" : "+v"(v) : "v"(p), "v"(p + 1 + i), "v"(%s) : "memory");
}"""
# How a gfx900 stores a register to one place, and then another value of it to a place of each lane; and PTX.
GCN_STORES = r"global_store_dword %1, %0, off\nv_mov_b32 %0, %3\nglobal_store_dword %2, %0, off"
PTX_STORES = """.version 6.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 a)
{
    .reg .u64 %%p, %%q; .reg .u32 %%v, %%i;
    ld.param.u64 %%p, [a];
    mov.u32 %%i, %%tid.x;
    mad.wide.u32 %%q, %%i, 4, %%p;
    mov.u32 %%v, %s;
    st.global.u32 [%%p], %%v;
    mov.u32 %%v, %s;
    st.global.u32 [%%q+4], %%v;
    ret;
}
"""


@pytest.mark.parametrize("jit", [0, 1])
@pytest.mark.parametrize("family", ["gfx900", "sm"])
def test_what_lanes_have_stored_is_what_it_was(tmp_path, family, jit):
    """A register that gets another value behind a store: the check of races alone is told of a store while it has the old one."""
    for alike in (True, False):
        if family == "sm":
            (tmp_path / "k").write_text(PTX_STORES % (("7", "%i") if alike else ("%i", "7")))
        else:
            (tmp_path / "k.cl").write_text(STORES % ("five", GCN_STORES, "i") if alike else STORES % ("i", GCN_STORES, "five"))
            made = checks.run("clang-19", "-x", "cl", "-cl-std=CL2.0", "-O1", "-w", "-target", "amdgcn-amd-amdhsa", f"-mcpu={checks.AMD}",
                              f"--rocm-device-lib-path={bitcode()}", tmp_path / "k.cl", "-o", tmp_path / "k")
            assert made.returncode == 0, made.stderr
        done = checks.run(checks.command_under_test(), "run", "-g", f"{checks.gpu(family)}:jit={jit}", "--check=race", "--grid=32", "--block=32", "--arg=zeros:512",
                          *(["--arg=5", "--arg=7"] if family == "gfx900" else []), tmp_path / "k")
        said = "lanes of one instruction store the same value to one place" if alike else "lanes of one instruction store different values to one place"
        assert said in done.stderr and done.stderr.count(" race ") == 1, done.stderr


@pytest.mark.parametrize("kernel, cores, level", [("vecadd", 2, "-Og"), ("reduce", 2, "-Og"), ("reduce", 3, "-Og"), ("reduce", 2, "-O0"), ("hello", 3, "-O0")])
def test_cores_of_vortex_that_poll_a_word(tmp_path, kernel, cores, level):
    """The start-up library's workers do, from reset on: no other atomic access is near, and the first load of each is not a repeated one yet. Of three
    cores the last to end leaves the job as it was, which the others have read. Without optimisation accesses to the stack are between the loads."""
    subprocess.run(["make", "-s", "-C", checks.HERE.parents[1] / "examples" / "vortex", f"OUT={tmp_path}", f"OPT={level} -g", tmp_path / f"{kernel}.rv32.elf"],
                   check=True, capture_output=True)
    done = checks.run(checks.command_under_test(), "run", "-g", f"vortex:cores={cores}", "--check=race", tmp_path / f"{kernel}.rv32.elf")
    assert done.returncode == 0 and "checks: 0 errors, 0 warnings" in done.stderr, done.stderr


RAISED = """#include "vortex.h"
static volatile unsigned flag;
static unsigned data[8], sum;
static void kernel(void *arg)
{
    if (vx_core() == 0) {
        for (unsigned i = 0; i < 8; i++)
            data[i] = i;
        BEFORE;
        flag = 1;
    } else {
        LOOK;
        BEHIND;
        for (unsigned i = 0; i < 8; i++)
            sum += data[i];
    }
    (void)arg;
}
int main(void) { vx_launch(kernel, 0); return sum != 28; }
"""


@pytest.mark.parametrize("level", [pytest.param("-O0", marks=pytest.mark.full), "-Og", pytest.param("-O2", marks=pytest.mark.full)])
def test_a_flag_of_vortex_that_is_raised_at_the_first_look(tmp_path, level):
    """No load of it is repeated then: the code says that it is one of a loop that waits. What is no such loop, or lacks a fence, is found."""
    fence, waits = "vx_fence()", "while (!flag) ;"
    wrong = {"no fence before": ("", waits, fence), "no fence behind": (fence, waits, ""), "no wait": (fence, "", fence),
             "a loop over places": (fence, "for (unsigned i = 0; i < 8; i++) sum ^= ((volatile unsigned *)data)[i]", fence)}
    for name, (before, look, behind) in {"": (fence, waits, fence), **wrong}.items():
        found = 0
        folder = tmp_path / (name or "right").replace(" ", "_")
        folder.mkdir()
        (folder / "raised.c").write_text(RAISED.replace("BEFORE", before).replace("LOOK", look).replace("BEHIND", behind))
        subprocess.run(["make", "-s", "-C", checks.HERE.parents[1] / "examples" / "vortex", f"VPATH={folder}", f"OUT={folder}", f"OPT={level} -g", f"{folder}/raised.rv32.elf"],
                       check=True, capture_output=True)
        for seed in range(8):
            done = checks.run(checks.command_under_test(), "run", "-g", "vortex:cores=2,warps=1,threads=1", f"--schedule=random:{seed}", "--check=race", folder / "raised.rv32.elf")
            found += "checks: 0 errors, 0 warnings" not in done.stderr
        assert (found > 0) == (name != ""), (level, name, found, done.stderr)


ONCE = """#include "vortex.h"
static volatile unsigned flag;
static unsigned data[8], sum;
static inline __attribute__((always_inline)) unsigned look(void)
{
    unsigned value;
    __asm__ volatile("lw %0, %1\\n" BESIDE : "=r"(value) : "m"(flag) : "memory");
    return value;
}
static void kernel(void *arg)
{
    if (vx_core() == 0) {
        for (unsigned i = 0; i < 8; i++)
            data[i] = i;
        RAISE;
        LATER
    } else {
        for (unsigned k = 0; k < 200; k++)
            __asm__ volatile("");
        LOOK {
            BEHIND
            for (unsigned i = 0; i < 8; i++)
                sum += data[i];
        }
    }
    (void)arg;
}
int main(void) { vx_launch(kernel, 0); return sum == 0 ? 5 : sum != 28; }
"""
RAISES = {"volatile": "vx_fence(); flag = 1", "C11": "__atomic_store_n(&flag, 1, __ATOMIC_RELEASE)", "in order": "__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST)",
          "mapped": '__asm__ volatile("fence rw,w\\n sw %1, %0" : "=m"(flag) : "r"(1) : "memory")', "stores": '__asm__ volatile("fence w,w" : : : "memory"); flag = 1'}
LOOKS = {"volatile": ("if (flag)", "vx_fence();"), "C11": ("if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE))", ""), "in order": ("if (__atomic_load_n(&flag, __ATOMIC_SEQ_CST))", ""),
         "mapped": ("if (look())", ""), "lanes": ("VX_IF (flag)", "vx_fence();")}


LEVELS = ["-O0", "-Og", "-O2"]
PAIRS = [("volatile", "volatile"), ("volatile", "mapped"), ("C11", "C11"), ("in order", "in order"), ("mapped", "mapped"), ("mapped", "volatile"), ("stores", "mapped"), ("volatile", "lanes")]


# make check has each pair, and each level of the compiler.
@pytest.mark.parametrize("raise_, look, level", [pytest.param(*pair, level, marks=[] if n % 3 == k else pytest.mark.full) for n, pair in enumerate(PAIRS) for k, level in enumerate(LEVELS)])
def test_a_flag_of_vortex_that_is_looked_at_once(tmp_path, raise_, look, level):
    """In no loop: its fences say that it is one, and what it orders. Without them, with those of the wrong kind, and for what is stored behind it, that is a race."""
    right, (looks, behind) = RAISES[raise_], LOOKS[look]
    wrong = {"no fence before": {"RAISE": "flag = 1"}, "stored late": {"LATER": "data[3] = 3;"}} | ({"no fence behind": {"BEHIND": ""}} if behind else {})
    if (raise_, look) == ("mapped", "mapped"):
        wrong |= {"no fence behind": {"BESIDE": '""'}, "no acquire": {"BESIDE": '"fence w,rw"'}, "pause": {"BESIDE": '".word 0x0100000f"'},
                  "no release": {"RAISE": right.replace("rw,w", "r,rw")}, "another store": {"RAISE": right.replace("sw %1", "sw x0, %0\\n sw %1")}}
    for name, other in {"": {}, **wrong}.items():
        folder, text, found, seen = tmp_path / (name or "right").replace(" ", "_"), ONCE, 0, 0
        folder.mkdir()
        for word, by in ({"RAISE": right, "LOOK": looks, "BEHIND": behind, "LATER": "", "BESIDE": '"fence r,rw"'} | other).items():
            text = text.replace(word, by)
        (folder / "once.c").write_text(text.replace("VX_IF (flag) {", "VX_IF (flag)").replace("        }\n    }\n    (void)", "        VX_END\n    }\n    (void)") if look == "lanes" else text)
        subprocess.run(["make", "-s", "-C", checks.HERE.parents[1] / "examples" / "vortex", f"VPATH={folder}", f"OUT={folder}", f"OPT={level} -g", f"{folder}/once.rv32.elf"],
                       check=True, capture_output=True)
        for seed in range(8):
            done = checks.run(checks.command_under_test(), "run", "-g", "vortex:cores=2,warps=1,threads=1", f"--schedule=random:{seed}", "--check=race", folder / "once.rv32.elf")
            found += "checks: 0 errors, 0 warnings" not in done.stderr
            seen += done.returncode == 0
            assert done.returncode in (0, 5, 115), done.stderr
        assert seen or name, (level, name)
        assert (found > 0) == (name != ""), (level, name, found, done.stderr)


STORING = """#include "vortex.h"
static volatile unsigned flag, other[1];
static void kernel(void *arg)
{
    if (vx_core() == 0) {
        for (volatile unsigned i = 0; i < 20; i++)
            ;
        flag = 1;
    } else {
        LOOP
    }
    (void)arg;
}
int main(void) { vx_launch(kernel, 0); return 0; }
"""


@pytest.mark.parametrize("loop", ["for (unsigned i = 0; i < 400; i++) other[0] = flag;", "unsigned own = 0; for (unsigned i = 0; i < 400; i++) own += flag; other[0] = own;"])
@pytest.mark.parametrize("level", ["-O0", "-Og"])
def test_a_loop_of_vortex_that_does_not_wait(tmp_path, level, loop):
    """It loads the flag again and again; but between the loads are stores to memory that is not the wave's alone; or what it loads does not end it."""
    (tmp_path / "stores.c").write_text(STORING.replace("LOOP", loop))
    subprocess.run(["make", "-s", "-C", checks.HERE.parents[1] / "examples" / "vortex", f"VPATH={tmp_path}", f"OUT={tmp_path}", f"OPT={level} -g", f"{tmp_path}/stores.rv32.elf"],
                   check=True, capture_output=True)
    for seed in range(4):
        done = checks.run(checks.command_under_test(), "run", "-g", "vortex:cores=2,warps=1,threads=1", f"--schedule=random:{seed}", "--check=race", tmp_path / "stores.rv32.elf")
        assert re.search(r"error: race .*\n(.*\n)*?.*stores\.c:8", done.stderr), done.stderr


def test_findings_are_equal_from_run_to_run(tmp_path):
    runs = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        found, _ = reported(tmp_path / str(number), "races", "gfx900", "bad", *[race.case for race in PLANTED if race.program == "races"][:12])
        runs.append([{key: value for key, value in one.items() if key not in ("process", "address", "pc", "other")} | {"lanes of the other": one["other"]["lanes"]}
                     for one in found])
    assert runs[0] == runs[1] and len(runs[0]) >= 12


def test_there_are_enough_of_them():
    """Of each program on each of its families."""
    assert sum(len(FAMILIES[race.program]) for race in PLANTED) >= 40
    assert sum(len(FAMILIES[race.program]) for race in races() if not race.findings) >= 15
    for program in FAMILIES:
        assert cases_of(program) == re.findall(r"\bCASE\((\w+)\)", (checks.HERE / sources()[program][0]).read_text()), program


def test_places_of_each_access_count():
    """The harness notices each difference."""
    race = next(race for race in PLANTED if race.case == "sum_of_groups")
    right = [dict(zip(("access", "bytes", "lanes", "function", "file", "line"), access)) for access in race.accesses]
    assert is_expected(right[0] | {"other": right[1]}, race) and is_expected(right[1] | {"other": right[0]}, race)
    for member, other in (("access", "atomic"), ("bytes", 3), ("lanes", "1"), ("function", "main"), ("file", "x.c"), ("line", 1)):
        assert not is_expected(right[0] | {member: other} | {"other": right[1]}, race), member
        assert not is_expected(right[0] | {"other": right[1] | {member: other}}, race), member



# ---- what is said of races elsewhere ----

def test_a_repeated_past_counts_once(tmp_path):
    """`check goto` goes to both accesses; a part of the run that is repeated, or done anew from a changed past, finds nothing that was found before."""
    script = """break vx_release_workers
run
info checks 1
check goto 1
print $pc
check goto 1 other
print $pc
continue
reverse-continue
continue
info checks 1
check goto 1
set variable words[0] = 5
continue
info checks
info races
quit
"""
    done = subprocess.run([checks.command_under_test(), "debug", *checks.VORTEX, "--check=race", "--arg=1", *program_of("races_vortex", "vortex")], input=script,
                          capture_output=True, text=True, timeout=120, check=False)
    race = next(race for race in PLANTED if race.program == "races_vortex")     # the first case
    reports = re.findall(r"^wavetrap: error: race .*?^  \d+ times.*?$", done.stdout, re.M | re.S)
    assert len(reports) == 2 and reports[0] == reports[1], done.stdout
    places = [int(line) for line in re.findall(r"at \S*races_vortex\.c:(\d+)$", done.stdout, re.M)]
    assert race.lines <= set(places), done.stdout
    assert len(re.findall(r"^1  error: race", done.stdout, re.M)) == 2 and not re.search(r"^2  ", done.stdout, re.M), done.stdout


def test_a_race_has_both_places_in_sarif_and_is_suppressed_by_either(tmp_path):
    race = next(race for race in PLANTED if race.case == "in_functions")
    config, sarif = tmp_path / "config", tmp_path / "found.sarif"
    config.write_text("suppress race function=get_inlined\n")
    assert wavetrap("races", "gfx900", "bad", race.case, options=["--check=race", f"--report=sarif:{sarif}"]).returncode == 115
    result, = json.loads(sarif.read_text())["runs"][0]["results"]
    lines = {place["physicalLocation"]["region"]["startLine"] for place in (*result["locations"], *result["relatedLocations"])}
    assert lines == race.lines and result["ruleId"] == "race"
    assert wavetrap("races", "gfx900", "bad", race.case, options=["--check=race", f"--check-config={config}"]).returncode == 0


def test_lanes_of_a_wave_race_where_they_are_independent():
    """They are not on a gfx900, unless they are to be."""
    case = ["good", "warp_synchronous"]
    assert wavetrap("races", "gfx900", *case, options=["--check=race"]).returncode == 0
    done = wavetrap("races", "gfx900", *case, options=["--check=race", "--check-lanes=independent"])
    assert done.returncode == 115 and "nothing orders these lanes" in done.stderr and "warp_reduce" in done.stderr, done.stderr


@pytest.mark.parametrize("gpu, options, races", [("sm", [], False), ("sm:cc=6.1", [], False), ("sm:cc=7.0", [], True), ("sm:cc=7.0", ["--check-lanes=lockstep"], False)])
def test_lanes_of_a_warp_race_from_capability_7_on(gpu, options, races):
    """CUDA C++ Programming Guide, "Independent Thread Scheduling"."""
    done = checks.run(checks.command_under_test(), "exec", "-g", gpu, "--check=race", *options, *program_of("races", "sm"), "good", "warp_synchronous")
    assert ("nothing orders these lanes" in done.stderr) == races and done.returncode == (115 if races else 0), done.stderr


def test_what_lanes_of_one_openmp_thread_repeat_is_no_race():
    """In GCC's code for NVIDIA's GPUs all lanes of a warp store what one thread does."""
    done = checks.wavetrap("openmp", "sm", "good", options=["--check=race"])
    assert "0 errors, 0 warnings" in done.stderr and done.returncode == 0, done.stderr


@pytest.mark.parametrize("case, kind", [("copied", "host-race"), ("read", "host-race"), ("seen", "race"), ("both", "race"), ("rows", None)])
def test_arrays_of_two_streams(tmp_path, case, kind):
    """A copy to an array and a texture, a surface and a copy from it, a surface and a texture, two surfaces that share a row, and two that do not: an event orders each pair, or nothing."""
    cuda = checks.cuda_path()
    program = checks.built("array_orders", "clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_50", "-O1", "-g", "-w", f"--cuda-path={cuda}", checks.HERE / "array_orders.cu",
                           f"-L{cuda}/lib64", "-lcudart", "-lstdc++")
    for words in ([case], [case, "ordered"]):
        report = tmp_path / f"{len(words)}.json"
        done = checks.run(checks.command_under_test(), "exec", "-g", "sm", "--check=race,leak,init", f"--report=json:{report}", program, *words)
        found = [one["finding"] for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]
        assert set(found) == ({kind} if kind and len(words) == 1 else set()) and done.stdout == "no error\n", done.stderr


def full(*values):
    return pytest.param(*values, marks=pytest.mark.full)


def found_in(tmp_path, gpu, program, *words):
    report = tmp_path / "report.json"
    done = checks.run(checks.command_under_test(), "exec", "-g", gpu, "--check=race,leak,init,memory,api", f"--report=json:{report}", program, *words)
    assert done.returncode in (0, 115), done.stderr
    return {one["finding"] for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"}


@pytest.mark.parametrize("family", ["gfx900", "sm"])
@pytest.mark.parametrize("case, kind", [("unwritten", "undefined-copy"), full("few", "undefined-copy"), full("copied", "undefined-copy"), full("rows", "undefined-copy"), ("read_early", "host-race"),
                                        full("stored_early", "host-race"), ("streams", "host-race")])
def test_copies_of_a_program_without_kernels(tmp_path, case, kind, family):
    """What is copied or used too early is found, though no GPU begins anything; the same behind a wait, or written before, is not a finding."""
    program = program_of("copies_alone", family)
    for how, wanted in ([], {kind}), (["wait"], set()):
        report = tmp_path / "report.json"
        done = checks.run(checks.command_under_test(), "exec", "-g", checks.gpu(family), "--check=race,init", "--check-init=copy", f"--report=json:{report}", *program, case, *how)
        assert {one["finding"] for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"} == wanted and done.stdout == "0\n", done.stderr


@pytest.mark.parametrize("case, kind", [("copied", "host-race"), full("read", "host-race"), full("seen", "host-race"), ("rows", None)])
def test_arrays_of_hip(tmp_path, case, kind):
    """Copies to an array and its texture, copies to and from it, in two streams; and two copies that share no row."""
    program = checks.built("array_orders.gfx900", "hipcc", f"--offload-arch={checks.AMD}", "-O1", "-g", "-w", checks.HERE / "array_orders.hip")
    assert found_in(tmp_path, "gfx900", program, case) == ({kind} if kind else set())
    assert not found_in(tmp_path, "gfx900", program, case, "ordered")


OF_KINDS = [(f"{image} {words}", kind) for image in ("1d", "1d_array", "2d_array", "3d", "buffer", "of_buffer", "own_1d", "own_2d", "odd_1d")
            for words, kind in [("draw 0 look 2", "race"), ("write 0 copy_to 0", "host-race"), ("fill 0 read 2", "host-race"), ("unbuffer 0 buffer 2", "host-race"), ("copy_from 0 map 0", "host-race"),
                                ("map 2 look 0", "host-race"), ("map 0 write 4", None), ("draw 0 read 4", None)]] + [(f"{image} under 0 {words}", kind) for image in ("buffer", "of_buffer")
                                                                                                              for words, kind in [("read 2", "host-race"), ("map 2", "host-race"), ("draw 4", None)]]
OFTEN = {"1d write 0 copy_to 0", "3d unbuffer 0 buffer 2", "buffer under 0 map 2", "own_1d copy_from 0 map 0"}


@pytest.mark.parametrize("words, kind", [full("2d draw 0 look 0", "race"), ("2d draw 0 draw 2", "race"), ("2d draw 0 draw 4", None), ("2d write 0 look 0", "host-race"), full("2d draw 0 read 0", "host-race"),
                                         full("2d fill 0 read 2", "host-race"), full("2d copy_to 0 copy_from 0", "host-race"), full("2d unbuffer 0 write 2", "host-race"),
                                         full("2d buffer 0 refill 0", "host-race"), ("2d map 0 look 0", "host-race"), full("2d write 0 map 4", None), full("2d fill 0 copy_to 4", None),
                                         full("2d look 0 read 0", None), *[case if case[0] in OFTEN else full(*case) for case in OF_KINDS]])
def test_images_of_opencl(tmp_path, words, kind):
    """A command of each of two queues, with half of the rows of an image. What Intel's own kernels access counts as the command's accesses: rows that do not overlap are no race."""
    program = checks.built("image_orders", "gcc", "-O1", "-g", "-w", checks.HERE / "image_orders.c", "-lOpenCL")
    assert found_in(tmp_path, "gen9", program, *words.split()) == ({kind} if kind else set())
    assert not found_in(tmp_path, "gen9", program, *words.split(), "ordered")


@pytest.mark.parametrize("kind", ["2d", full("2d_array"), full("3d")])
def test_accesses_of_the_host_to_mapped_images(tmp_path, kind):
    """Before a map has ended, and behind its end. The memory of a map may be another one's later, also where nobody has waited for the map's end."""
    program = checks.built("image_maps", "gcc", "-O1", "-g", "-w", checks.HERE / "image_maps.c", "-lOpenCL")
    for how, mark, by in (("before_it_is_mapped", "map_load", "clEnqueueMapImage"), ("behind_its_end", "map_store", "clEnqueueUnmapMemObject"), *((how, None, None) for how in ("stored", "again", "released"))):
        said = checks.run(checks.command_under_test(), "exec", "-g", "gen9", "--check=race", program, kind, how)
        found = re.findall(r"^wavetrap: error: host-race (\w+): the host has not waited for (\w+)\n  main at .*image_maps.c:(\d+)$", said.stderr, re.M)
        assert found == ([(mark[4:], by, str(checks.marks("image_maps.c")[mark]))] if mark else []) and f"checks: {len(found)} error" in said.stderr, said.stderr
        assert said.stdout.splitlines()[-1] == ("0" if how == "before_it_is_mapped" else str(7 * (5 * 1024 + 7))), said.stdout


@pytest.mark.parametrize("lists", ["list", "immediate"])
@pytest.mark.parametrize("words, kind", [("2d write 0 read 0", "host-race"), full("2d copy_to 0 copy_from 0", "host-race"), full("2d write 0 read 4", None), full("1d copy_to 0 read 2", "host-race"),
                                         full("1d write 0 copy_to 4", None), full("1d_array write 1 read 1", "host-race"), full("1d_array copy_to 0 write 1", None), ("3d write 0 read 2", "host-race"),
                                         full("3d copy_to 0 read 4", None), full("2d_array write 1 copy_to 1", "host-race"), ("2d_array write 0 read 1", None)])
def test_images_of_level_zero(tmp_path, words, kind, lists):
    program = checks.built("image_lists", "gcc", "-O1", "-g", "-w", checks.HERE / "image_lists.c", "-lze_loader")
    assert found_in(tmp_path, "gen9", program, *words.split(), lists) == ({kind} if kind else set())
    assert not found_in(tmp_path, "gen9", program, *words.split(), lists, "ordered")


def test_a_program_that_opens_its_gpus_again(tmp_path):
    """Three times: of the memory of the times before nothing is left, and the mistake is found each time, by all 32 groups: a finding of its own where the code lies elsewhere then."""
    words = program_of("packets", "gfx900")
    for how, errors in (("good", 0), ("bad", 3)):
        report = tmp_path / how
        done = checks.run(checks.command_under_test(), "exec", "-g", checks.AMD, "--check=race,init", f"--report=json:{report}", *words, how, "no_barrier_bit", ROUNDS="3")
        found = [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]
        assert {one["finding"] for one in found} <= {"race"} and done.stdout.count("no_barrier_bit: ") == 3, done.stderr
        assert sum(one["times"] for one in found) == 32 * errors and len({(one["line"], one["other"]["line"]) for one in found}) == bool(errors), done.stderr


def test_a_bare_program_has_variables():
    """A race is one of the variable that the ELF file's symbols name, and not of the segment that it lies in."""
    named = {}
    for number, case in enumerate(cases_of("races_vortex"), 1):
        said = checks.run(checks.command_under_test(), "run", *checks.VORTEX, "--check=race", f"--arg={number}", *program_of("races_vortex", "vortex")).stderr
        named[case] = re.findall(r"^  byte \d+ of (\w+ \w+ of \d+) bytes at 0x8000[0-9a-f]{4}$", said, re.M)
    assert named["global_missing"] == named["shift_in_place"] == ["variable words of 32"], named
    assert named["bytes_missing"] == ["variable bytes of 8"] and set(named["counter"]) == {"variable one of 4"} and not named["local_missing"], named
