"""--check=sync finds each planted mistake with barriers, masks of lanes and asynchronous copies (sync.txt) by its places and lanes, and nothing in corrected
twins and idioms. The labels are proved by threads of the host whose barrier knows the lines, and by Oclgrind."""
import dataclasses
import functools
import json
import re
import subprocess

import pytest

import checks
import test_found as harness

FAMILIES = {"sync": ("gfx900", "sm"), "warps": ("gfx900", "sm"), "sync_opencl": ("gen9",), "sync_vortex": ("vortex",)}
VORTEX = ["-g", "vortex:cores=1,warps=4,threads=2"]
OF_GFX900 = {"value_of_inactive", "pairs_of_inactive", "butterfly", "shuffle_of_waves"}    # of warps.cu
# Of warps.cu: found, but for the line of what is inlined: clang writes lines alone into PTX.
INLINED = {"value_of_inactive", "pairs_of_inactive", "mask_of_absent", "absent_at_barrier", "masks_differ", "loop_leaves_some",
           "mistake_in_header"}
# What a mistake has as a consequence, beside the finding of its label.
ALSO = {"different_counts": {"deadlock"}, "absent_at_barrier": {"missed-barrier", "other-barrier"}}


@dataclasses.dataclass(frozen=True)
class Mistake:
    program: str
    case: str
    findings: tuple     # (family or None, check, severity, kind), ...; none of an idiom
    places: tuple       # two of (lanes or None, function, file, line); the second may be None
    proof: str

    def expected(self, family):
        return {(severity, kind) for own, _, severity, kind in self.findings if own in (None, family)}

    @property
    def lines(self):
        return {place[3] for place in self.places if place}


@functools.cache
def sources():
    return {words[0]: words[1:] for words in map(str.split, re.findall(r"^\[(.*)\]$", (checks.HERE / "sync.txt").read_text(), re.M))}


def place_of(program, lanes, word):
    if word == "-":
        return None
    function, _, mark = word.partition("@")
    file = next((name for name in sources()[program] if mark in checks.marks(name)), None)
    assert file, f"{program}: no source has the mark {mark}"
    return None if lanes == "-" else lanes, function, file, checks.marks(file)[mark]


def mistake_of(program, words):
    if words[1] == "none":
        return Mistake(program, words[0], (), (), None)
    case, finding, lanes, place, others, other, proof = words
    return Mistake(program, case, checks.findings_of(finding), (place_of(program, lanes, place), place_of(program, others, other)), proof)


@functools.cache
def mistakes():
    return checks.lines_of("sync.txt", mistake_of)


PLANTED = [mistake for mistake in mistakes() if mistake.findings]


def families_of(mistake):
    return [family for family in FAMILIES[mistake.program]
            if (mistake.program != "warps" or family == "sm" or mistake.case in OF_GFX900) and (mistake.expected(family) or not mistake.findings)]


# ---- building and running ----

def program_of(program, family):
    """The words that start it."""
    source = checks.HERE / f"{program}.cu"
    if family == "gfx900":
        return [checks.built(f"{program}.gfx900", "hipcc", f"--offload-arch={checks.AMD}", checks.LEVEL, "-g", "-w", "-x", "hip", source)]
    if family == "sm":
        cuda = checks.cuda_path()
        return [checks.built(f"{program}.sm", "clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_50", checks.LEVEL, "-g", "-w", f"--cuda-path={cuda}", source,
                             f"-L{cuda}/lib64", "-lcudart", "-lstdc++")]
    if family == "gen9":
        return [checks.built(f"{program}.gen9", "gcc", "-O1", "-g", "-w", checks.HERE / f"{program}.c", "-lOpenCL"), checks.HERE / "sync.cl"]
    return [checks.vortex_program(program)]


def cases_of(program):
    return list(dict.fromkeys(mistake.case for mistake in mistakes() if mistake.program == program))


def wavetrap(program, family, how, *cases, options=()):
    if family == "vortex":
        number = cases_of(program).index(cases[0]) + 1 if how == "bad" else 0
        return checks.run(checks.command_under_test(), "run", *VORTEX, *options, f"--arg={number}", *program_of(program, family))
    return checks.run(checks.command_under_test(), "exec", "-g", checks.gpu(family), *options, *program_of(program, family), how, *cases)


@functools.cache
def without_checks(program, family):
    """The results of twins and idioms."""
    return checks.results(wavetrap(program, family, "good"))


def on_host(how, *cases):
    return checks.run(checks.built("sync.host", "g++", "-x", "c++", "-std=c++17", "-O0", "-w", checks.HERE / "sync.cu", "-lpthread"), how, *cases)


def oclgrind(how, *cases):
    """Oclgrind has another compiler, which does not know Intel's option -g."""
    return checks.run("oclgrind", *program_of("sync_opencl", "gen9"), how, *cases, CHECK_OPTIONS="-cl-opt-disable")


def reported(folder, program, family, how, *cases, options=()):
    path = folder / "report.json"
    done = wavetrap(program, family, how, *cases, options=["--check=sync", f"--report=json:{path}", *options])
    assert path.exists(), done.stdout + done.stderr
    found = [one for one in map(json.loads, path.read_text().splitlines()) if one["kind"] == "finding"]
    assert {one["gpu"] for one in found} <= {checks.gpu(family)}, found
    if family == "gen9":    # OpenCL's programs are text for the runtime, which has no name for them
        found = json.loads(re.sub(r'"file": "[^"]*"', '"file": "sync.cl"', json.dumps(found)))
    return found, done


# ---- the oracles ----

@pytest.mark.parametrize("mistake", [mistake for mistake in PLANTED if mistake.proof == "host"], ids=lambda mistake: mistake.case)
def test_threads_of_the_host_see_the_mistake(mistake):
    said = on_host("bad", mistake.case).stderr
    lines = {int(line) for text in re.findall(r"barriers?: ([\d ]+)", said) for line in text.split()}
    assert lines & mistake.lines, said


@pytest.mark.parametrize("mistake", [mistake for mistake in PLANTED if mistake.proof == "oclgrind"], ids=lambda mistake: mistake.case)
def test_oclgrind_sees_the_mistake(mistake):
    said = oclgrind("bad", mistake.case).stderr
    if mistake.case.endswith("copy_forgotten"):
        assert "finished without waiting for events" in said, said
        return
    lines = set(map(int, re.findall(r"At line (\d+)", said.partition("divergence detected (barrier)")[2])))
    assert lines and lines <= mistake.lines, said


def test_twins_and_idioms_are_silent_in_the_oracles():
    """Their results are those of the GPUs."""
    for done, runs in ((on_host("good"), (("sync", "gfx900"), ("sync", "sm"))), (oclgrind("good"), (("sync_opencl", "gen9"),))):
        assert done.returncode == 0 and not re.search("barrier:|barriers:|divergence|without waiting", done.stderr), done.stderr
        for program, family in runs:
            assert without_checks(program, family) == checks.results(done)


# ---- the check ----

def side(one):
    place = harness.innermost(one)
    return one["lanes"], harness.plain(place.get("function")), place.get("file", "").rpartition("/")[2], place.get("line")


def is_like(one, place, count=4):
    return place is None or all(wanted in (None, value) for value, wanted in zip(side(one)[:count], place))


def is_expected(one, mistake, family):
    first, second = mistake.places
    if second and "other" not in one:
        return False
    parts = 3 if family == "sm" and mistake.case in INLINED else 4
    right = is_like(one, first, parts) and is_like(one.get("other"), second)
    return right or (one["finding"] == "other-barrier" and is_like(one, second) and is_like(one["other"], first))


EVERY = [(mistake, family) for mistake in PLANTED for family in families_of(mistake)]


def name_of(value):
    return f"{value.program}-{value.case}" if isinstance(value, Mistake) else value


def has_mistake(found, done, mistake, family):
    wanted = mistake.expected(family)
    right = [one for one in found if (one["severity"], one["finding"]) in wanted and is_expected(one, mistake, family)]
    assert right, f"none of {wanted} at {mistake.places}: {[(one['severity'], one['finding'], side(one), side(one.get('other', one))) for one in found]}\n{done.stderr}"
    kinds = {one["finding"] for one in found if one["severity"] == "error"}
    assert kinds <= {kind for _, kind in wanted} | ALSO.get(mistake.case, set()), f"{kinds}\n{done.stderr}"


def status_tells(found, done):
    errors, deadlock = (any(one[what] == value for one in found) for what, value in (("severity", "error"), ("finding", "deadlock")))
    assert deadlock or done.returncode == (115 if errors else 0), done


# Where the runtime takes longer to start than a case. A deadlock, which an SM and Vortex find, ends the program.
IN_COMPANY = [(mistake, family) for mistake, family in EVERY if family in ("gfx900", "gen9")]


@pytest.fixture(scope="module", name="company")
def company_(tmp_path_factory):
    """company(program, family): the findings of all of a program's mistakes in one process, and the run."""
    @functools.cache
    def run(program, family):
        return reported(tmp_path_factory.mktemp(program), program, family, "bad", *(mistake.case for mistake, of in IN_COMPANY if (mistake.program, of) == (program, family)))
    return run


def lines_of(one):
    return {side(one)[3], side(one.get("other", one))[3]}


@pytest.mark.parametrize("mistake, family", IN_COMPANY, ids=name_of)
def test_a_planted_mistake_is_found(company, monkeypatch, mistake, family):
    """By its places and lanes, beside others in the same process."""
    monkeypatch.setattr(checks, "sources", sources)
    found, done = company(mistake.program, family)
    has_mistake([one for one in found if lines_of(one) & mistake.lines], done, mistake, family)


@pytest.mark.parametrize("program, family", sorted({(mistake.program, family) for mistake, family in IN_COMPANY}))
def test_nothing_else_is_found_in_company(company, monkeypatch, program, family):
    monkeypatch.setattr(checks, "sources", sources)
    found, done = company(program, family)
    planted = [mistake for mistake, of in IN_COMPANY if (mistake.program, of) == (program, family)]
    assert set(checks.parts_of(done.stderr)) == {mistake.case for mistake in planted} and len(checks.companies(planted, lambda mistake: mistake.lines)) == 1, done.stderr
    others = [one for one in found if one["severity"] == "error" and not any(lines_of(one) & mistake.lines for mistake in planted)]
    assert not others, f"{others}\n{done.stderr}"
    status_tells(found, done)


@pytest.mark.parametrize("mistake, family", [pytest.param(*one, marks=pytest.mark.full if one in IN_COMPANY else []) for one in EVERY], ids=name_of)
def test_a_planted_mistake_is_found_alone(tmp_path, monkeypatch, mistake, family):
    monkeypatch.setattr(checks, "sources", sources)
    found, done = reported(tmp_path, mistake.program, family, "bad", mistake.case)
    has_mistake(found, done, mistake, family)
    status_tells(found, done)


@pytest.mark.parametrize("program, family", [(program, family) for program, families in FAMILIES.items() for family in families])
def test_twins_and_idioms_have_no_finding(tmp_path, program, family):
    found, done = reported(tmp_path, program, family, "good")
    found = [one for one in found if one["severity"] != "note"]
    assert not found and done.returncode == 0, f"{found}\n{done.stderr}"
    assert checks.results(done) == without_checks(program, family)


def test_there_are_enough_of_them():
    """Of each program on each of its families."""
    assert len(EVERY) >= 50
    assert sum(len(families_of(mistake)) for mistake in mistakes() if not mistake.findings) >= 25
    for program in FAMILIES:
        text = (checks.HERE / sources()[program][0]).read_text()
        assert cases_of(program) == re.findall(r"\bCASE\((\w+)\)", text)[:len(cases_of(program))], program


# ---- what is said elsewhere ----

def test_a_repeated_past_counts_once():
    """`check goto` goes to both places; what is repeated finds nothing that was found before."""
    script = "run\ninfo checks 1\ncheck goto 1\nprint $pc\ncheck goto 1 other\nprint $pc\ncontinue\ninfo checks\nquit\n"
    done = subprocess.run([checks.command_under_test(), "debug", *VORTEX, "--check=sync", "--arg=4", *program_of("sync_vortex", "vortex")], input=script,
                          capture_output=True, text=True, timeout=120, check=False)
    mistake = next(one for one in PLANTED if one.case == "wait_for_each_other" and one.program == "sync_vortex")
    places = {int(line) for line in re.findall(r"at \S*sync_vortex\.c:(\d+)", done.stdout)}
    assert mistake.lines <= places, done.stdout
    assert re.search(r"^1  error: deadlock", done.stdout, re.M) and not re.search(r"^2  ", done.stdout, re.M), done.stdout


def test_a_mistake_is_suppressed_by_either_place(tmp_path):
    config = tmp_path / "config"
    config.write_text("suppress missed-barrier function=exchange\n")
    assert wavetrap("sync", "gfx900", "bad", "in_a_function", options=["--check=sync", f"--check-config={config}"]).returncode == 0
    config.write_text("suppress missed-barrier function=calls\n")
    assert wavetrap("sync", "gfx900", "bad", "in_a_function", options=["--check=sync", f"--check-config={config}"]).returncode == 0
    config.write_text("suppress missed-barrier function=another\n")
    assert wavetrap("sync", "gfx900", "bad", "in_a_function", options=["--check=sync", f"--check-config={config}"]).returncode == 115


def test_shifts_over_lanes_are_notes(tmp_path):
    """A sum over lanes takes values from behind the last one, and does not use them."""
    source = tmp_path / "shift.cu"
    source.write_text("""#include <hip/hip_runtime.h>
__global__ void sum(int *p) { int v = threadIdx.x; for (int by = 16; by; by /= 2) v += __shfl_down(v, by); if (threadIdx.x == 0) *p = v; }
int main() { int *p; (void)hipMalloc(&p, 4); sum<<<1, 32>>>(p); return hipDeviceSynchronize(); }
""")
    program = tmp_path / "shift"
    subprocess.run(["hipcc", f"--offload-arch={checks.AMD}", "-O1", "-g", "-w", "-o", program, source], check=True, capture_output=True)
    path = tmp_path / "report.json"
    done = checks.run(checks.command_under_test(), "exec", "-g", checks.AMD, "--check=sync", f"--report=json:{path}", program)
    found = [one for one in map(json.loads, path.read_text().splitlines()) if one["kind"] == "finding"]
    assert {(one["finding"], one["severity"]) for one in found} == {("inactive-lane", "note")} and done.returncode == 0, done.stderr


# Of masks.cu: what a lane that a mask names does in its place, and the severity from capability 7.0 on; below it each is an error.
MASKS = {"warning": "store store_first goes_on goes_on_first barrier same", "error": "taken other other_mask other_mask_first barrier_of_some of_the_block",
         None: "returned returned_in_loop halves"}


@functools.cache
def masks(arch, level):
    cuda = checks.cuda_path()
    return checks.built(f"masks.{arch}.{level}", "clang-19", "-x", "cuda", f"--cuda-gpu-arch=sm_{arch}", f"-{level}", "-g", "-w", f"--cuda-path={cuda}",
                        checks.HERE / "masks.cu", f"-L{cuda}/lib64", "-lcudart", "-lstdc++")


@pytest.mark.parametrize("level", ["O0", "O2"])
@pytest.mark.parametrize("case, severity", [(case, severity) for severity, names in MASKS.items() for case in names.split()])
def test_lanes_that_a_mask_names(tmp_path, case, severity, level):
    """CUDA C++ Programming Guide, "Warp Shuffle Functions"; PTX ISA, "shfl.sync". Whatever the optimisation, and whichever branch runs first."""
    for arch, wanted in (("60", severity and "error"), ("70", severity)):
        done = checks.run(checks.command_under_test(), "exec", "-g", f"sm:cc={arch[0]}.0", "--check=sync", f"--report=json:{tmp_path / 'report'}", masks(arch, level), case)
        found = [one for one in map(json.loads, (tmp_path / "report").read_text().splitlines()) if one["kind"] == "finding"]
        said = {one["severity"] for one in found if one["finding"] == "sync-mask"}
        assert ("error" if "error" in said else "warning" if said else None) == wanted, (arch, done.stderr)
        assert (done.returncode == 115) == (wanted == "error"), (arch, done.stderr)


@pytest.mark.parametrize("family", checks.FAMILIES["openmp"])
def test_openmp_is_refused(family):
    done = checks.wavetrap("openmp", family, "good", options=["--check=sync"])
    assert "--check=sync is not there for OpenMP" in done.stderr and done.returncode == 0, done.stderr


# ---- advice ----

ADVICE_HEAD = """.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 data)
{
.shared .align 16 .b8 own[512];
.reg .b64 %data, %at, %own, %offset;
.reg .b32 %v, %lane, %other, %group;
.reg .pred %p, %spin;
ld.param.u64 %data, [data];
mov.u32 %lane, %tid.x;
mov.u32 %group, %ctaid.x;
mov.u64 %own, own;
mul.wide.u32 %offset, %lane, 4;
add.u64 %own, %own, %offset;
xor.b32 %other, %lane, 63;
mul.wide.u32 %offset, %other, 4;
mov.u64 %at, own;
add.u64 %at, %at, %offset;
"""
OWN, OTHER = "ld.shared.u32 %v, [%own];", "ld.shared.u32 %v, [%at];"
PUT = "st.shared.u32 [%own], %lane;"
HAND = """setp.eq.u32 %p, %group, 0;
@!%p bra wait;
st.global.u32 [%data+{}], %lane;
{}
st.volatile.global.u32 [%data+64], %group;
add.u32 %v, %group, 1;
st.volatile.global.u32 [%data+64], %v;
bra done;
wait:
ld.volatile.global.u32 %v, [%data+64];
setp.eq.u32 %spin, %v, 0;
@%spin bra wait;
membar.gl;
ld.global.u32 %v, [%data];
done:"""
# name: (code, the lines of barriers and fences that are noted)
ADVICE = {
    "needed": (f"{PUT}\nbar.sync 0;\n{OTHER}", []),
    "needed_by_a_store": (f"{OTHER}\nbar.sync 0;\n{PUT}", []),
    "own": (f"{PUT}\nbar.sync 0;\n{OWN}", ["bar.sync 0;"]),
    "loads": (f"{OWN}\nbar.sync 0;\n{OTHER}", ["bar.sync 0;"]),
    "second_is_idle": (f"{PUT}\nbar.sync 0;\n{OTHER}\nbar.sync 1;\n{OWN}", ["bar.sync 1;"]),
    "both_are_needed": (f"{PUT}\nbar.sync 0;\n{OTHER}\nbar.sync 1;\n{PUT}", []),
    "either_would_do": (f"{PUT}\nbar.sync 0;\nbar.sync 1;\n{OTHER}", ["bar.sync 0;", "bar.sync 1;"]),
    "atomics": ("atom.shared.add.u32 %v, [own], 1;\nbar.sync 0;\nld.shared.u32 %v, [own];", []),
    "handed_on": (HAND.format("0", "membar.gl;"), []),
    "handed_on_another": (HAND.format("32", "membar.sys;"), ["membar.gl;", "membar.sys;"]),
    "fence_of_one": ("add.u64 %data, %data, %offset;\nst.global.u32 [%data], %lane;\nmembar.gl;", ["membar.gl;"]),
}


@pytest.mark.parametrize("name", ADVICE)
def test_advice(tmp_path, name):
    code, wanted = ADVICE[name]
    groups, block = (2, 32) if name.startswith("handed") else (1, 64)
    source, report = tmp_path / "k.ptx", tmp_path / "report.json"
    source.write_text(ADVICE_HEAD + code + "\nret;\n}\n")
    done = checks.run(checks.command_under_test(), "run", "-g", "sm", "--kernel=k", f"--grid={block * groups}", f"--block={block}", "--arg=zeros:4096", "--check=advice",
                      f"--report=json:{report}", source)
    lines = source.read_text().splitlines()
    found = [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]
    assert sorted(lines[one["line"] - 1] for one in found) == sorted(wanted), done.stderr
    assert all(one["severity"] == "note" and one["finding"] == ("idle-fence" if "membar" in lines[one["line"] - 1] else "idle-barrier") for one in found)
    assert done.returncode == 0, done.stderr


WRONG = {"rotate": "the number of a lane", "leader": "the choice of a leader", "sum": "the choice of a leader"}


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("gpu", ["gfx900", "gfx1030"])
def test_code_for_waves_of_another_size(tmp_path, gpu, level):
    """Kernels for 32 lanes on waves of 64, and for 64 on those of 32; their twins use warpSize, or exchange among 32."""
    code, report = tmp_path / "k.co", tmp_path / "report.json"
    other, lanes = (32, 64) if gpu == "gfx900" else (64, 32)
    subprocess.run(["hipcc", level, "-g", "-w", f"--offload-arch={gpu}", "--genco", f"-DOTHER={other}", checks.HERE / "wave_size.hip", "-o", code], check=True)
    wanted = {**WRONG, **({"below": "the number of a bit in a mask of lanes"} if gpu == "gfx900" else {})}
    for name in [*wanted, "rotate_right", "rotate_within", "leader_right", "sum_right", "sum_within", "tile"]:
        done = checks.run(checks.command_under_test(), "run", "-g", gpu, f"--kernel=_Z{len(name)}{name}PiPKi", "--grid=128", "--block=128", "--arg=zeros:512",
                          "--arg=zeros:512", "--check=advice", f"--report=json:{report}", code)
        assert done.returncode == 0, done.stderr
        said = [one["text"] for one in map(json.loads, report.read_text().splitlines()) if one.get("finding") == "wave-size"]
        assert any(wanted[name] in one for one in said) if name in wanted else not said, (name, done.stderr)
        assert all(f"counts on {other} lanes; the wave has {lanes}" in one for one in said), said


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_code_for_warps_of_another_size(tmp_path, level):
    """On the SM: 64 lanes where a warp has 32."""
    cuda, report = checks.cuda_path(), tmp_path / "report.json"
    program = checks.built(f"wave_size{level}", "clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_70", level, "-g", "-w", f"--cuda-path={cuda}", checks.HERE / "wave_size.cu",
                           f"-L{cuda}/lib64", "-lcudart", "-lstdc++")
    done = checks.run(checks.command_under_test(), "exec", "-g", "sm:cc=7.0", "--check=advice", f"--report=json:{report}", program)
    found = [one for one in map(json.loads, report.read_text().splitlines()) if one.get("finding") == "wave-size"]
    assert done.returncode == 0 and [one["line"] for one in found] == [2, 3], done.stderr
    assert [one["text"].split(" counts on ")[0] for one in found] == [f"wave-size: {WRONG[name]}" for name in ("rotate", "leader")] and all("counts on 64 lanes; the wave has 32" in one["text"] for one in found), found
