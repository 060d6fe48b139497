"""The suite of planted mistakes: its labels (labels.txt), and how its programs are built and run: on the host under sanitizers, under
Oclgrind, and by wavetrap."""
import dataclasses
import functools
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("host", "truth", "compilers")]
from amd import MODEL as AMD, MODELS, gpu, unified  # noqa: E402
from sanitizer import BUILD, DEBIAN_PATH, ROOT, command, environment  # noqa: E402
from truth import compiled  # noqa: E402
from releases import CC  # noqa: E402

OUT = BUILD / "tests" / "checks" / ("" if AMD == MODELS[0] else AMD)
LEVEL = os.environ.get("CHECK_LEVEL", "-O1")    # of the compilers of kernels in C and C++
SANITIZERS = [f"-fsanitize{word}=address,alignment,bounds,null" for word in ("", "-recover")]
# Where each program runs: the family, and the words that choose it.
FAMILIES = {"memory": ("gfx900", "sm"), "driver": ("sm",), "images": ("sm",), "opencl": ("gen9",), "level_zero": ("gen9",), "openmp": ("gfx900", "sm"), "vortex": ("vortex",),
            "lost_atomics": ("gfx900",)}
VORTEX = ["-g", "vortex:cores=1,warps=2,threads=4"]


# ---- labels ----

@dataclasses.dataclass(frozen=True)
class Label:
    """A row of labels.txt. findings: ((family or None, check, severity, kind), ...), none of an idiom."""
    program: str
    case: str
    findings: tuple
    missed: bool
    access: str
    bytes: int
    lanes: str
    function: str
    file: str
    line: int
    object: tuple       # (name, size, offset), each None where it is not known
    proof: str

    def expected(self, family):
        """The (check, severity, kind) of which one is reported."""
        return {finding[1:] for finding in self.findings if finding[0] in (None, family)}

    @property
    def kinds(self):
        return {finding[3] for finding in self.findings}


def companies(labels, lines):
    """The labels in runs, in none of which two have one of lines(label) in common: a place is reported once."""
    runs = []
    for label in labels:
        run = next((run for run in runs if not any(lines(label) & lines(other) for other in run)), None)
        run.append(label) if run is not None else runs.append([label])
    return runs


def findings_of(word):
    made = []
    for one in word.split("|"):
        family, _, rest = one.rpartition("=")
        check, _, rest = rest.rpartition(":")
        severity, _, kind = rest.rpartition("/")
        made.append((family or None, check, severity or "error", kind))
    return tuple(made)


@functools.cache
def marks(source):
    """{mark: line} of a source; a mark stands once. A comment on a line of its own is about the next line."""
    found = {}
    for number, text in enumerate((HERE / source).read_text().splitlines(), 1):
        for mark in re.findall(r"/\* BUG (\w+) \*/", text):
            assert mark not in found, f"{source}: two lines have the mark {mark}"
            found[mark] = number + text.strip().startswith("/*")
    return found


@functools.cache
def sources():
    """{program: its sources}"""
    return {words[0]: words[1:] for words in map(str.split, re.findall(r"^\[(.*)\]$", (HERE / "labels.txt").read_text(), re.M))}


def label_of(program, words):
    case, finding = words[:2]
    if finding == "none":
        return Label(program, case, (), False, None, None, None, None, None, None, (None,) * 3, None)
    access, size, lanes, place, thing, proof = [None if word == "-" else word for word in words[2:]]
    function, _, mark = place.partition("@")
    file = next((name for name in sources()[program] if (mark or function) in marks(name)), None)
    assert file, f"{program}, {case}: no source has the mark {mark or function}"
    name, whole, offset = re.fullmatch(r"(\w*):(\d+)([+-]\d+)?", thing).groups() if thing else (None, None, None)
    return Label(program, case, findings_of(finding.removeprefix("missed:")), finding.startswith("missed:"), access, size and int(size), lanes, function,
                 file, marks(file)[mark or function], (name or None, whole and int(whole), offset and int(offset)), proof)


def lines_of(name, made_of):
    """made_of(program, words) of each line of a file of this folder, in their order; "[PROGRAM]" goes before those of a program."""
    made, program = [], None
    for line in (HERE / name).read_text().splitlines():
        words = line.partition("#")[0].split()
        if line.startswith("["):
            program = words[0].strip("[]")
        elif words:
            made.append(made_of(program, words))
    return made


@functools.cache
def labels():
    return lines_of("labels.txt", label_of)


def labels_of(program):
    return [label for label in labels() if label.program == program]


def cases_of(program):
    """Of the program's table, in its order."""
    own = [source for n, source in enumerate(sources()[program]) if n == 0 or source.endswith(".h")]
    return [case for source in own for case in re.findall(r"\bCASE\((\w+)\)", (HERE / source).read_text())]


def ranges(lanes):
    """{5, 0, 1} is "0-1,5", as reports have it."""
    made = []
    for lane in sorted(lanes):
        if made and made[-1][1] == lane - 1:
            made[-1][1] = lane
        else:
            made.append([lane, lane])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in made)


def members(text):
    """The other way."""
    return {lane for part in text.split(",") for first, _, last in [part.partition("-")] for lane in range(int(first), int(last or first) + 1)}


# ---- building ----

def newest(folder=HERE):
    """Of the files that any program is made of."""
    return max((f for f in folder.rglob("*") if f.suffix in (".c", ".cc", ".h", ".cu", ".cl", ".hip")), key=lambda f: f.stat().st_mtime)


def built(name, *words):
    return compiled(OUT / LEVEL.strip("-") / name, newest(), words)


def on_host(program):
    """Compiled for the host with its sanitizers: memory, openmp, vortex."""
    words = {"memory": ["g++", "-x", "c++", "-std=c++17", HERE / "memory.cu", "-lpthread"],
             "openmp": [CC, "-fopenmp", "-foffload=disable", HERE / "openmp.c"],
             # Its threads make mistakes at once: reports of two sanitizers would be mixed up.
             "vortex": ["gcc", "-fno-sanitize=bounds,null", f"-I{HERE / 'host'}", HERE / "vortex.c", "-lpthread"]}[program]
    return built(f"{program}.host", words[0], "-O0", "-g", "-w", *SANITIZERS, *words[1:])


def command_under_test():
    return command(os.path.abspath(os.environ.get("WAVETRAP", BUILD / "wavetrap")))


def cuda_path():
    return subprocess.run([command_under_test(), "cuda-path"], capture_output=True, text=True, check=True, env=environment()).stdout.strip()


def offload(family):
    return ["-foffload=amdgcn-amdhsa", f"-foffload-options=-march={AMD}"] if family == "gfx900" else ["-foffload=nvptx-none"]


def spirv(source=HERE / "kernels.cl", path=OUT / "kernels.spv", options="-g -cl-opt-disable"):
    """Kernels for Level Zero, with source lines; a zebin of several kernels has none. The compiler's name for it ends with .spv."""
    if not path.exists() or path.stat().st_mtime < source.stat().st_mtime:
        done = subprocess.run(["ocloc", "compile", "-file", source, "-device", "skl", "-spv_only", "-output", path.stem, "-output_no_suffix", "-q", "-options", options],
                              cwd=OUT, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and path.exists(), done.stdout + done.stderr
    return path


# What compiles programs besides the usual clang, which is hipcc's 15 for a gfx900 and 19 for an SM (whose library of mathematics 15 does not read).
OTHER_CLANGS = {("memory", "gfx900"): ("clang-22",), ("memory", "sm"): ("clang-22",)}


@functools.cache
def hip_config():
    """What clang itself needs to compile HIP."""
    done = subprocess.run([command_under_test(), "hip-path"], capture_output=True, text=True, check=True, env={**os.environ, "XDG_CACHE_HOME": str(OUT)})
    return f"--config={done.stdout.strip()}/hip.cfg"


def program_of(program, family, compiler="usual"):
    """The words that start it on a family."""
    usual = compiler == "usual"
    suffix = "" if usual else f".{compiler}"
    clang = ["clang-19" if usual else compiler, "-x", "cuda", "--cuda-gpu-arch=sm_50", LEVEL, "-g", "-w"]
    if program == "memory" and family == "gfx900":
        hip = ["hipcc"] if usual else [compiler.replace("clang", "clang++"), hip_config()]
        return [built(f"memory.gfx900{suffix}", *hip, f"--offload-arch={AMD}", LEVEL, "-g", "-w", "-x", "hip", HERE / "memory.cu", *([] if usual else ["-x", "none", "-lamdhip64"]))]
    if program == "lost_atomics":
        return [built("lost_atomics.gfx900", "hipcc", f"--offload-arch={AMD}", LEVEL, "-g", "-w", HERE / "lost_atomics.hip")]
    if program in ("memory", "images"):
        cuda = cuda_path()
        return [built(f"{program}.sm{suffix}", *clang, f"--cuda-path={cuda}", HERE / f"{program}.cu", f"-L{cuda}/lib64", "-lcudart", "-lstdc++")]
    if program == "driver":
        return [built("driver.sm", CC, "-O1", "-g", f"-I{ROOT}/include", HERE / "driver.c", BUILD / "src" / "runtime" / "cuda" / "libcuda.so.1"),
                built("memory.ptx", *clang, f"--cuda-path={cuda_path()}", "--cuda-device-only", "-S", HERE / "memory.cu")]
    if program == "opencl":
        return [built("opencl.gen9", "gcc", "-O1", "-g", HERE / "opencl.c", "-lOpenCL"), HERE / "kernels.cl"]
    if program == "level_zero":
        return [built("level_zero.gen9", "gcc", "-O1", "-g", HERE / "level_zero.c", "-lze_loader"), spirv()]
    if program == "openmp":
        return [built(f"openmp.{family}", "env", f"PATH={DEBIAN_PATH}", CC, LEVEL, "-g", "-w", "-fopenmp", *offload(family), HERE / "openmp.c")]
    return [vortex_program("vortex")]


def vortex_program(name, bits=32):
    path = OUT / "vortex" / f"{name}.rv{bits}.elf"
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"VPATH={HERE}", f"OUT={path.parent}", "OPT=-Og -g", path], check=True, capture_output=True)
    return path


# ---- running ----

def run(*words, cwd=None, **variables):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=120, check=False, cwd=cwd,
                          env={**os.environ, "CHECK_OPTIONS": "-g -cl-opt-disable", **variables})


def wavetrap(program, family, how, *cases, options=(), compiler="usual"):
    """`how`: bad or good. Of Vortex, one case that is bad, or all that are good."""
    words = program_of(program, family, compiler)
    if program == "vortex":
        number = cases_of("vortex").index(cases[0]) + 1 if how == "bad" else 0
        return run(command_under_test(), "run", *VORTEX, *options, f"--arg={number}", *words)
    return run(command_under_test(), "exec", "-g", gpu(family), *options, *words, how, *cases)


def sanitized(program, how, *cases):
    return run(on_host(program), how, *cases, OMP_TARGET_OFFLOAD="disabled",
               ASAN_OPTIONS="halt_on_error=0:suppress_equal_pcs=0:detect_leaks=1:exitcode=0", UBSAN_OPTIONS="print_stacktrace=1")


def oclgrind(how, *cases):
    """Oclgrind has another compiler, which does not know Intel's option -g."""
    return run("oclgrind", "--check-api", "--max-errors", "100000", *program_of("opencl", "gen9"), how, *cases, CHECK_OPTIONS="-cl-opt-disable")


def results(done):
    """{case: checksum} that a program has printed."""
    return dict(re.findall(r"^(\w+): ([0-9a-f]{8})$", done.stdout, re.M))


def parts_of(said):
    """{case: what is said while it runs}"""
    parts = re.split(r"^case (\w+)$", said, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))
