"""Findings as the command reports them: text, JSON, SARIF, JUnit, exit statuses, options, suppressions. The mistakes are those of the suite."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import xml.etree.ElementTree

import attr
import jsonschema
import pytest
import sarif_om

import check_pages

import checks

SCHEMA = json.loads((checks.ROOT / "docs" / "report.schema.json").read_text())


def run(folder, *words, case="global_after", check="--check=memory", command=None, gpu="gfx900"):
    """`exec` of a mistake; its output, the objects of findings, and the other files by their kind. An SM's runtime is there at once."""
    files = {kind: folder / f"report.{kind}" for kind in ("json", "sarif", "junit")}
    reports = [f"--report={kind}:{path}" for kind, path in files.items()]
    program = [*checks.program_of("memory", gpu), "bad", case]
    done = subprocess.run([str(word) for word in (checks.command_under_test(), "exec", "-g", gpu, check, *reports, *words, *(command or program))],
                          capture_output=True, text=True, timeout=120, check=False, cwd=folder)
    objects = [json.loads(line) for line in files["json"].read_text().splitlines()] if files["json"].exists() else []
    for one in objects:
        jsonschema.validate(one, SCHEMA)
    return done, [one for one in objects if one["kind"] == "finding"], files


def closing(done):
    return re.search(r"^wavetrap: checks: (.*)$", done.stderr, re.M)[1]


def test_a_finding_for_people(tmp_path):
    """What, where, who, the instruction, the object, where it was allocated, and a closing line."""
    done, (found,), _ = run(tmp_path)
    lines = done.stderr[done.stderr.index("wavetrap: error"):].splitlines()
    assert lines[0] == f"wavetrap: error: {found['text']}" and found["text"] == "out-of-bounds store of 4 bytes"
    assert lines[1].strip() == f"put at {found['file']}:{found['line']}" and lines[2].strip() == "kernel put"
    assert lines[3].strip() == f"{found['wave']}, lane 31, issue time {found['time']} (goto {found['time']})"
    assert lines[4].strip() == f"{found['pc']}: {found['instruction']}" and "store" in found["instruction"]
    assert re.fullmatch(r"the 4 bytes just past the end of an allocation of 128 bytes at 0x[0-9a-f]+", lines[5].strip())
    assert lines[6].strip() == "allocated by hipMalloc"
    made = [one["function"] for one in found["object"]["made"]]
    assert "global_after" in made and made[-1] == "main" and f"    {made[-1]} at " in done.stderr
    assert closing(done) == "1 error, 0 warnings, 0 notes" and done.returncode == 115


def test_a_call_of_the_host_has_its_stack_and_place(tmp_path):
    done, (found,), _ = run(tmp_path, case="freed_twice")
    assert (found["finding"], found["function"]) == ("double-free", "freed_twice") and found["calls"][-1]["function"] == "main"
    assert found["object"]["freed"][0]["line"] < found["line"] and "  freed\n" in done.stderr


def test_sarif(tmp_path):
    """The members that 2.1.0 requires, and those that viewers read."""
    _, (found,), files = run(tmp_path)
    log = json.loads(files["sarif"].read_text())
    one, = log["runs"]
    rules = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in one["tool"]["driver"]["rules"]}
    assert levels == {kind["name"]: kind["severity"].split(",")[0] for kind in check_pages.KINDS} and set(levels.values()) == {"error", "warning", "note"}
    result, = one["results"]
    assert log["version"] == "2.1.0" and one["tool"]["driver"]["name"] == "wavetrap" and "out-of-object" in rules
    assert result["ruleId"] == rules[result["ruleIndex"]] == "out-of-bounds" and result["level"] == "error" and result["message"]["text"] == found["text"]
    place = result["locations"][0]["physicalLocation"]
    assert place["region"]["startLine"] == found["line"] and place["artifactLocation"]["uri"] == f"file://{found['file']}"
    assert result["stacks"][-1]["frames"][-1]["location"]["logicalLocations"][0]["fullyQualifiedName"] == "main" and result["occurrenceCount"] == 1


# The object of each member, and the values that the specification lists for some.
SARIF_OBJECTS = {"runs": sarif_om.Run, "tool": sarif_om.Tool, "driver": sarif_om.ToolComponent, "rules": sarif_om.ReportingDescriptor, "message": sarif_om.Message,
                 "shortDescription": sarif_om.MultiformatMessageString,
                 "defaultConfiguration": sarif_om.ReportingConfiguration, "results": sarif_om.Result, "locations": sarif_om.Location, "location": sarif_om.Location,
                 "physicalLocation": sarif_om.PhysicalLocation, "artifactLocation": sarif_om.ArtifactLocation, "region": sarif_om.Region,
                 "logicalLocations": sarif_om.LogicalLocation, "stacks": sarif_om.Stack, "frames": sarif_om.StackFrame, "suppressions": sarif_om.Suppression}
SARIF_VALUES = {(sarif_om.ReportingConfiguration, "level"): {"none", "note", "warning", "error"},
                (sarif_om.Result, "level"): {"none", "note", "warning", "error"}, (sarif_om.Suppression, "kind"): {"inSource", "external"},
                (sarif_om.SarifLog, "version"): {"2.1.0"}}


def check_sarif(value, kind=sarif_om.SarifLog):
    """An object has all members that its class of the object model requires, and none that the class does not know."""
    known = {field.metadata["schema_property_name"]: field for field in attr.fields(kind)}
    required = {name for name, field in known.items() if field.default is attr.NOTHING}
    assert required <= set(value) <= set(known), f"{kind.__name__}: {value}"
    for name, part in value.items():
        assert part in SARIF_VALUES.get((kind, name), [part])
        for one in part if isinstance(part, list) else [part]:
            assert isinstance(one, dict) == (name in SARIF_OBJECTS), f"{kind.__name__}: {name}: {one}"
            if isinstance(one, dict):
                check_sarif(one, SARIF_OBJECTS[name])


def test_sarif_fits_the_object_model_of_2_1_0(tmp_path):
    """That of Debian's python3-sarif-python-om, which is made from the public schema: a kernel's error, wrong frees, a leak, a failed call, a suppressed one."""
    (tmp_path / "wavetrap-checks.conf").write_text("suppress leak function=leak_memory\n")
    program = [*checks.program_of("memory", "gfx900"), "bad", "global_after", "freed_twice", "leak_memory", "leak_stream", "api_failed_call"]
    _, found, files = run(tmp_path, check="--check=all", command=program)
    log = json.loads(files["sarif"].read_text())
    check_sarif(log)
    results = log["runs"][0]["results"]
    assert {one["level"] for one in results} >= {"error", "note"} and len(results) == len(found) + 1 == 5
    assert all(one["occurrenceCount"] >= 1 for one in results)
    assert all(place["physicalLocation"]["region"]["startLine"] >= 1 for one in results for place in one["locations"] if "physicalLocation" in place)
    for breaks in (lambda: log["runs"][0].pop("tool"), lambda: results[0].update(line=1), lambda: results[0].update(level="fatal")):
        kept = json.dumps(log)
        breaks()
        with pytest.raises(AssertionError):
            check_sarif(log)
        log = json.loads(kept)
        results = log["runs"][0]["results"]


def test_junit(tmp_path):
    _, (found,), files = run(tmp_path)
    suite, = xml.etree.ElementTree.parse(files["junit"]).getroot()
    case, = suite
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1") and case.get("line") == str(found["line"])
    assert case.find("failure").get("message") == found["text"] and found["instruction"] in case.find("failure").text
    _, none, files = run(tmp_path, command=["true"])
    suite, = xml.etree.ElementTree.parse(files["junit"]).getroot()
    assert not none and suite.get("failures") == "0" and len(suite) == 1


def test_a_program_that_dies_is_reported_too(tmp_path):
    program, = checks.program_of("memory", "gfx900")
    done, found, files = run(tmp_path, command=["sh", "-c", f"{program} bad global_after; kill -TERM $$"])
    assert done.returncode == -signal.SIGTERM and len(found) == 1
    assert json.loads(files["sarif"].read_text())["runs"][0]["results"] and b"<failure" in files["junit"].read_bytes()


@pytest.mark.parametrize("words, status", [((), 115), (("--fault-exit=3",), 3), (("--fault-exit=0",), 0), (("--check-stop",), 115), (("--check-kernel=p?t",), 115),
                                           (("--check-kernel=other",), 0), (("--check-launch=1000-",), 0), (("--check-launch=-1000",), 115), (("--check-warnings=error",), 115)])
def test_the_exit_status(tmp_path, words, status):
    done, found, _ = run(tmp_path, *words, gpu="sm")
    assert done.returncode == status, done.stderr
    assert bool(found) == ("other" not in words[-1] and "1000-" not in words[-1] if words else True)


def test_the_limit(tmp_path):
    done, found, _ = run(tmp_path, "--check-limit=0")
    assert not found and closing(done) == "0 errors, 0 warnings, 0 notes; 1 more beyond --check-limit=0"


@pytest.mark.parametrize("words, status, said", [(["true"], 0, "opened no emulated GPU"), (["--require-launches=1", "true"], 122, "opened no emulated GPU"),
                                                 (["./missing"], 127, None), (["/dev/null"], 126, None)])
def test_a_program_without_a_gpu_has_no_errors_to_count(tmp_path, words, status, said):
    done = subprocess.run([checks.command_under_test(), "exec", "--check=all", *words], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == status and "0 errors" not in done.stderr and (said or "") in done.stderr and bool(said) == ("checks:" in done.stderr), done.stderr


CUDA = """
#include <cassert>
#include <cstdlib>
static float *cache() { float *p; cudaMalloc(&p, 400); return p; }
static float *forgotten() { float *p; cudaMalloc(&p, 800); return p; }
__global__ void fails(const int *p) { assert(p[threadIdx.x]); }
__global__ void unrolled(int *out)
{
    __shared__ int s[64];
    int sum = 0;
    s[threadIdx.x] = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 24; k++)
        sum += s[threadIdx.x ^ 32 ^ k];
#pragma unroll
    for (int k = 0; k < 24; k++)
        sum += out[threadIdx.x + 64 + k];
    out[threadIdx.x] = sum;
    out[threadIdx.x + 128] = sum;
}
int main(int, char **argv)
{
    int *p;
    if (*argv[1] == 'l') {
        cache();
        forgotten();
        return 0;
    }
    cudaMalloc(&p, 256);
    cudaMemset(p, 0, 256);
    if (*argv[1] == 'f')
        fails<<<1, 32>>>(p);
    else
        unrolled<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    cudaFree(p);
}
"""


@pytest.fixture(scope="module", name="cuda")
def cuda_(tmp_path_factory):
    source, cuda = tmp_path_factory.mktemp("cuda") / "mistakes.cu", checks.cuda_path()
    source.write_text(CUDA)
    subprocess.run([str(word) for word in ("clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_60", "-O2", "-g", "-w", f"--cuda-path={cuda}", source, "-o", source.with_suffix(""),
                                           f"-L{cuda}/lib64", "-lcudart", "-lstdc++")], check=True)
    return source.with_suffix("")


def test_what_is_freed_after_an_error_is_no_leak(tmp_path, cuda):
    """And the error is named where the findings are counted."""
    done, found, _ = run(tmp_path, command=[cuda, "fails"], check="--check=leak,memory", gpu="sm")
    assert not found and "0 errors, 0 warnings, 0 notes; a fault has ended 1 kernel" in done.stderr, done.stderr


def test_a_loop_uses_up_no_limit(tmp_path, cuda):
    """A race of the same two lines is one finding; of a kind at one line there are ten, and a count."""
    done, found, _ = run(tmp_path, command=[cuda, "unrolled"], check="--check=race", gpu="sm")
    races, loads = ([one for one in found if one["finding"] == kind] for kind in ("race", "out-of-bounds"))
    stores = [one for one in loads if one["access"] == "store"]
    assert len(races) == 1 and races[0]["times"] >= 24, done.stderr
    assert len(loads) - len(stores) == 10 and sum(one.get("more", 0) for one in loads) == 14 and len(stores) == 1, done.stderr
    assert "and 14 more of this kind at this line" in done.stderr


HIP = """
#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) int four(int x) { int a[4] = {x, x + 1, x * 2, 5}; int *volatile p = a; return p[x & 3]; }
__global__ void odd(int *p, int by) { atomicAdd((int *)((char *)p + by + 8 * threadIdx.x), 1); }
__global__ void part(float *out, int n)
{
    const int i = threadIdx.x;
    float value = i;
    if (i < 24) {
        for (int by = 16; by; by /= 2)
            value += __shfl_down(value, by, 32);
        if (i == 0)
            out[1] = n ? value : 0.0f;
    }
}
__global__ void branches(int *p)
{
    if (threadIdx.x < 64) {
        p[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
    }
}
__global__ void bins(int *p)
{
    __shared__ int cleared[16], mine[16];
    if (threadIdx.x < 16)
        cleared[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&cleared[p[threadIdx.x] & 15], 1);
    atomicAdd(&mine[5], 1);
    __syncthreads();
    p[threadIdx.x] = cleared[threadIdx.x & 15] + mine[threadIdx.x & 15];
}
__global__ void saved(int *p) { p[threadIdx.x] = four(p[threadIdx.x]); }
int main(int, char **argv)
{
    static int here[64];
    int *p;
    hipMalloc((void **)&p, sizeof here);
    hipMemset(p, 0, sizeof here);
    if (*argv[1] == 'o')
        odd<<<1, 16>>>(p, 2);
    else if (*argv[1] == 'b')
        branches<<<1, 128>>>(p);
    else if (*argv[1] == 'l')
        bins<<<1, 64>>>(p);
    else if (*argv[1] == 's')
        saved<<<1, 64>>>(p);
    else
        part<<<1, 32>>>((float *)p, *argv[1] == 'p');
    hipMemcpy(here, p, sizeof here, hipMemcpyDeviceToHost);
    hipFree(p);
}
"""


@pytest.fixture(scope="module", name="hip")
def hip_(tmp_path_factory):
    source = tmp_path_factory.mktemp("hip") / "mistakes.hip"
    source.write_text(HIP)
    subprocess.run(["hipcc", "--offload-arch=gfx900", "-O0", "-g", "-w", "-o", source.with_suffix(""), source], check=True)
    return source.with_suffix("")


@pytest.mark.parametrize("how, check, words, kinds", [("odd", "memory", (), {"misaligned"}), ("part", "init", (), {"undefined-result"}), ("not used", "init", (), set()),
                                                      ("saved", "init", ("--check-init=load",), set()), ("branches", "sync", (), {"other-barrier"})])
def test_hip_without_optimisation(tmp_path, hip, how, check, words, kinds):
    """A misaligned atomic operation is a finding, and the program goes on. The value of a lane that takes no part is undefined, where it is used. Registers that
    functions save and bring back are no loads of the program. __syncthreads() is one function, and another barrier at each call."""
    done, found, _ = run(tmp_path, *words, command=[hip, how], check=f"--check={check}")
    assert {one["finding"] for one in found} == kinds and done.returncode == (115 if kinds else 0) and "a fault" not in done.stderr, done.stderr


@pytest.mark.parametrize("kernels, name", [(1, "s"), (2, None)])
def test_ptx_with_lines_alone_tells_a_shared_variable(tmp_path, kernels, name):
    """By PTX's own declaration, where only one kernel has a variable at that place."""
    source, cuda = tmp_path / "race.cu", checks.cuda_path()
    source.write_text("#include <cuda_runtime.h>\n" + "".join(f"__global__ void k{i}(int *out) {{ __shared__ int s[64]; s[threadIdx.x] = 1; out[threadIdx.x] = s[63 - threadIdx.x]; }}\n"
                                                              for i in range(kernels)) + "int main() { int *p; cudaMalloc(&p, 256); k0<<<1, 64>>>(p); cudaDeviceSynchronize(); cudaFree(p); }\n")
    subprocess.run(["clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_60", f"--cuda-path={cuda}", "-O1", "-g", "-w", source, "-o", source.with_suffix(""), f"-L{cuda}/lib64", "-lcudart", "-lstdc++"], check=True)
    _, (found,), _ = run(tmp_path, command=[source.with_suffix("")], check="--check=race", gpu="sm")
    assert found["object"].get("name") == name and found["object"]["size"] == 256, found


def test_a_function_that_is_given_group_memory_tells_the_kernels_variable(tmp_path, hip):
    """Without optimisation atomicAdd() is a function; its debug information knows nothing of the array."""
    _, found, _ = run(tmp_path, command=[hip, "local"], check="--check=init")
    one = next(one for one in found if one["finding"] == "undefined-atomic")
    assert one["object"]["name"] == "mine" and one["object"]["size"] == 64 and one["object"]["offset"] == 20, one


# `bad`: sizes are 0 to 6, else 1 to 6 (`put` and `past`: 0 to 5). `end` has a pointer behind its array, to which another variable may be next.
OWN = """
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define cudaMalloc hipMalloc
#define cudaMemcpy hipMemcpy
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#endif
#define CALLED __device__ __attribute__((noinline))
struct pair { int first, second[3]; };
CALLED int direct(int n) { int a[4], own[6], b[4]; a[3] = b[0] = n; for (int i = 0; i < 6; i++) own[i] = n; return own[n - 1] + a[3] + b[0]; }
CALLED int place(const int *a, int n) { return a[n - 1]; }
CALLED int deeper(const int *a, int n) { int other = n; return place(a, other); }
CALLED void put(int *a, int n) { a[n] = n; }
CALLED int backwards(const int *end, int n) { int sum = 0; for (int i = 1; i <= n; i++) sum += end[-i]; return sum; }
CALLED char letter(const char *text, int n) { return text[n - 1]; }
__device__ __attribute__((always_inline)) inline int within(int n) { int b[3], own[6]; b[0] = n; for (int i = 0; i < 6; i++) own[i] = n; return own[n - 1] + b[0]; }
CALLED int of(const pair *p, int n) { return p[n - 1].first; }
__global__ void k(const int *sizes, int *out, char what)
{
    int own[6], next[2];
    char text[6];
    pair pairs[6];
    const int n = sizes[threadIdx.x];
    next[0] = next[1] = 0;
    for (int i = 0; i < 6; i++)
        own[i] = text[i] = pairs[i].first = n + i;
    int *p = own, got = 0;
    if (what == 'k') got = own[n - 1];
    if (what == 'd') got = direct(n);
    if (what == 'c') got = place(own, n);
    if (what == 'D') got = deeper(own, n);
    if (what == 's') put(own, n);
    if (what == 'p') got = p[n - 1];
    if (what == 'e') got = backwards(own + 6, n) + next[0];
    if (what == 't') got = letter(text, n);
    if (what == 'f') got = of(pairs, n);
    if (what == 'w') got = within(n);
    out[threadIdx.x] = got;
}
int main(int, char **argv)
{
    int h[32], *sizes, *out;
    const bool bad = argv[1][1] == 'b', is_put = *argv[1] == 's';
    for (int i = 0; i < 32; i++)
        h[i] = bad ? i % 7 : i % 6 + !is_put;
    cudaMalloc(&sizes, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(sizes, h, sizeof h, cudaMemcpyHostToDevice);
    k<<<1, 32>>>(sizes, out, *argv[1]);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
}
"""


@pytest.fixture(scope="module", name="own")
def own_(tmp_path_factory):
    source, cuda = tmp_path_factory.mktemp("own") / "own.cu", checks.cuda_path()
    source.write_text(OWN)
    for gpu, words, libraries in (("sm", ("clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_60", f"--cuda-path={cuda}"), (f"-L{cuda}/lib64", "-lcudart", "-lstdc++")),
                                  ("gfx900", ("hipcc", "-x", "hip", "--offload-arch=gfx900"), ())):
        subprocess.run([str(word) for word in (*words, "-O0", "-g", "-w", source, "-o", source.with_suffix(f".{gpu}"), *libraries)], check=True)
    return source


@pytest.mark.parametrize("gpu", ["sm", "gfx900"])
@pytest.mark.parametrize("how, function, name, size, offset", [("k", "k", "own", 24, -4), ("d", "direct", "own", 24, -4), ("c", "place", "own", 24, -4), ("D", "place", "own", 24, -4),
                                                               ("s", "put", "own", 24, 24), ("p", "k", "own", 24, -4), ("e", None, None, None, None),
                                                               ("t", "letter", "text", 6, -1), ("f", "of", "pairs", 96, -16), ("w", "within", "own", 24, -4)])
def test_arrays_of_a_thread_without_optimisation(tmp_path, own, gpu, how, function, name, size, offset):
    """Elements before and after an array of a thread: of the function itself, of its caller, of that one's. A pointer behind an array is no mistake."""
    for bad in (True, False)[:1 + (how in "cse")]:
        done, found, _ = run(tmp_path, command=[own.with_suffix(f".{gpu}"), how + "gb"[bad]], check="--check=memory", gpu=gpu)
        told = [(one["finding"], one["function"].partition("(")[0], one["object"]["name"], one["object"]["size"], one["object"]["offset"]) for one in found]
        assert told == ([("out-of-object", function, name, size, offset)] if bad and function else []), done.stderr


def test_the_suppression_of_a_leak_hides_no_other_one(tmp_path, cuda):
    done, found, _ = run(tmp_path, "--check-print-suppressions", command=[cuda, "leaks"], check="--check=leak", gpu="sm")
    lines = re.findall(r"^suppress .*$", done.stderr, re.M)
    assert len(found) == len(lines) == 2 and [name in line for name, line in zip(("cache", "forgotten"), lines)] == [True, True], done.stderr
    (tmp_path / "own").write_text(f"{lines[0]}\n")
    _, found, _ = run(tmp_path, "--check-config=own", command=[cuda, "leaks"], check="--check=leak", gpu="sm")
    assert len(found) == 1


def test_suppressions(tmp_path):
    """A printed line suppresses what it was printed for; used and unused ones are counted."""
    done, _, _ = run(tmp_path, "--check-print-suppressions")
    line, = re.findall(r"^suppress .*$", done.stderr, re.M)
    (tmp_path / "own").write_text(f"# ours\n{line}\nsuppress leak function=never  # unused\n")
    done, found, files = run(tmp_path, "--check-config=own")
    assert not found and done.returncode == 0 and closing(done) == "0 errors, 0 warnings, 0 notes; 1 suppressed, by 1 of 2 suppressions"
    assert "wavetrap: own:3: this suppression was not used" in done.stderr
    assert json.loads(files["sarif"].read_text())["runs"][0]["results"][0]["suppressions"] == [{"kind": "external"}]
    assert xml.etree.ElementTree.parse(files["junit"]).getroot()[0].get("skipped") == "1"


@pytest.mark.parametrize("words, holds", [("out-of-bounds", True), ("*", True), ("leak", False), ("* kernel=put", True), ("* kernel=get", False), ("* function=p*", True),
                                          ("* file=memory.cu", True), ("* file=checks/*.cu", True), ("* file=emory.cu", False), ("* file=memory.cu:1", False), ("* object=x", False)])
def test_what_a_suppression_is_for(tmp_path, words, holds):
    (tmp_path / "wavetrap-checks.conf").write_text(f"suppress {words}\n")
    done, found, _ = run(tmp_path, gpu="sm")
    assert (not found) == holds and done.returncode == (0 if holds else 115)


def test_a_file_that_others_can_write_is_not_read(tmp_path):
    (tmp_path / "wavetrap-checks.conf").write_text("suppress *\n")
    os.chmod(tmp_path / "wavetrap-checks.conf", 0o666)
    done, found, _ = run(tmp_path)
    assert len(found) == 1 and "others may write to it" in done.stderr


@pytest.mark.parametrize("words, message", [(["--check=memory,none"], "'none' is not a check"), (["--check=all", "--check-warnings=all"], "takes error"),
                                            (["--check=all", "--check-launch=0"], "takes FIRST-LAST"), (["--check=all", "--check-launch=3-2"], "takes FIRST-LAST"),
                                            (["--check-limit=1"], "--check=LIST, which is missing"), (["--report=sarif:s"], "--check=LIST, which is missing"),
                                            (["--check=all", "--check-config=none"], "none"), (["--check=all", "--check-config=wrong"], "wrong:2: 'nothing' is not a kind")])
def test_wrong_options(tmp_path, words, message):
    (tmp_path / "wrong").write_text("\nsuppress nothing\n")
    done = subprocess.run([checks.command_under_test(), "exec", *words, "true"],
                          capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 125 and message in done.stderr, done.stderr


@pytest.mark.parametrize("check, stop", [("memory", "Catchpoint 1 (check): out-of-bounds"), ("race", "Breakpoint 1, ")])
def test_the_report_ends_with_a_command_that_stops_there(tmp_path, check, stop, cuda):
    program = shutil.copy(cuda, tmp_path / "two words")
    said = checks.run(checks.command_under_test(), "exec", "-g", "sm:cc=7.0", f"--check={check}", "--stats", program, "unrolled", "a'b").stderr
    words = shlex.split(re.search(r"^wavetrap: to stop there: (.*)$", said, re.M)[1])
    assert words[:2] == ["wavetrap", "debug"] and words[-3:] == [str(program), "unrolled", "a'b"] and "--stats" not in words, said
    again = checks.run(checks.command_under_test(), "debug", "--batch", *words[2:])
    assert stop in again.stdout, again.stdout + again.stderr


def test_a_call_that_the_compiler_has_merged_has_its_function(tmp_path):
    """clang makes one call of the two, which its line table has at line 0: the report says the function and the line that the call comes after."""
    source = tmp_path / "merged.c"
    source.write_text("int cudaFree(void *);\n__attribute__((noinline)) static int give_back(int which, char *a)\n{\n    int failed;\n    if (which)\n        failed = cudaFree(a + 1);\n"
                      "    else\n        failed = cudaFree(a + 2);\n    return failed + 1;\n}\nint main(int argc, char **argv)\n{\n    return give_back(argc, argv[0]) < 0;\n}\n")
    subprocess.run(["clang-19", "-O2", "-g", "-w", source, "-o", tmp_path / "merged", f"-L{checks.cuda_path()}/lib64", "-lcudart"], check=True)
    done, (found,), _ = run(tmp_path, check="--check=api", gpu="sm", command=[tmp_path / "merged"])
    assert (found["finding"], found["function"], found["line"], found["after"]) == ("failed-call", "give_back", 2, True)
    assert f"  give_back in {source}, after line 2\n  main at {source}:13\n" in done.stderr
