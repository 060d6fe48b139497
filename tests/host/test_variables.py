"""Variables of wavetrap's libraries that users set by hand: what has no sense is named once in a process, and none is ignored silently."""
import os
import re
import subprocess

import pytest

from conftest import ROCM_6, WAVETRAP
from sanitizer import ROOT, environment
from test_long import LIMIT

RUNTIME = os.path.realpath(os.path.join(os.path.dirname(WAVETRAP), "src", "runtime"))
# Each tries three times to have GPUs, as runtimes do.
PROGRAMS = {
    "hsakmt": ("int hsaKmtOpenKFD(void); int main(void) { for (int i = 0; i < 3; i++) hsaKmtOpenKFD(); return 0; }", ["-l:libhsakmt.so.1"],
               {"LD_LIBRARY_PATH": f"{RUNTIME}/kfd"}),
    "cuda": ("int cuInit(unsigned); int main(void) { for (int i = 0; i < 3; i++) cuInit(0); return 0; }", ["-l:libcuda.so.1"],
             {"LD_LIBRARY_PATH": f"{RUNTIME}/cuda"}),
    "drm": ('#include <fcntl.h>\nint main(void) { for (int i = 0; i < 3; i++) open("/dev/dri/renderD128", O_RDWR); return 0; }', [],
            {"LD_PRELOAD": f"{RUNTIME}/i915/libwavetrap-drm.so"}),
}
OF_ALL = {"WAVETRAP_CATCH": ["x", "512", "-1", ""], "WAVETRAP_CORE_HISTORY": ["many", "-1", "1x"], "WAVETRAP_PROGRESS": ["yes", ""],
          "WAVETRAP_SCHEDULE": ["sometimes"], "WAVETRAP_FILL": ["full"], "WAVETRAP_HELD": ["x"]}
OWN = {"hsakmt": {"WAVETRAP_GPUS": ["gfx901", "gfx900:cu=x", " ".join(["gfx900"] * 17)], "WAVETRAP_MEMORY": ["1", "x", ""], "WAVETRAP_EXPLAIN": ["x", "at=k"]},
       "cuda": {"WAVETRAP_SM_GPUS": ["x", "sm:sms=x", "sm x", "smx:sms=1", " ".join(["sm"] * 17)], "WAVETRAP_SM_DEFAULT": ["x"]},
       "drm": {"WAVETRAP_GEN_GPUS": ["x", "gen9:x", "gen9 x", " ".join(["gen9"] * 17)]}}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("variables")
    for name, (source, words, _) in PROGRAMS.items():
        (folder / f"{name}.c").write_text(source)
        subprocess.run(["gcc", "-w", f"{name}.c", "-o", name, f"-L{RUNTIME}/{name}", *words], cwd=folder, check=True)
    return folder


def said(programs, name, **more):
    """What a program prints on stderr that is loaded with wavetrap's library and these variables."""
    added = {k: f"{v}:{environment()[k]}" if environment().get(k) else v for k, v in PROGRAMS[name][2].items()}
    done = subprocess.run([programs / name], env={**environment(), **added, **more}, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_nonsense_is_named_once(programs, name):
    for variable, values in {**OF_ALL, **OWN[name]}.items():
        for value in values:
            lines = said(programs, name, **{variable: value}).splitlines()
            assert len(lines) == 1 and lines[0].startswith("wavetrap: ") and (variable in lines[0] or "at most 8 gen9 GPUs" in lines[0]), (variable, value, lines)


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_said_of_what_has_sense(programs, name):
    sense = {"WAVETRAP_CATCH": "256", "WAVETRAP_CORE_HISTORY": "0x100", "WAVETRAP_PROGRESS": "auto", "WAVETRAP_HELD": "1", "WAVETRAP_SCHEDULE": "rr:2", "WAVETRAP_FILL": "random:1"}
    assert said(programs, name, **sense) == ""
    assert said(programs, name, WAVETRAP_GPUS="", WAVETRAP_SM_GPUS=" ", WAVETRAP_GEN_GPUS="gen9 gen9", WAVETRAP_EXPLAIN="") == ""


# ---- names ----

LIST = re.compile(r'^ *\{(?:CHECKED|"(WAVETRAP_\w+)"), (NULL|"[^"]*"), (NULL|"[^"]*")\},$', re.M)


def table():
    """The variables that environment.c lists, with the option of exec that sets each, or None."""
    rows = LIST.findall((ROOT / "src" / "runtime" / "common" / "environment.c").read_text())
    return {name or "WAVETRAP_CHECKED": None if option == "NULL" else option.strip('"') for name, option, _ in rows}


def test_the_manual_and_the_table_list_the_variables_that_the_source_has():
    used = set()
    for file in (ROOT / "src").rglob("*.[ch]"):
        used |= set(re.findall(r'"(WAVETRAP_[A-Z_]+)"', file.read_text())) if file.name != "environment.c" else set()
    described = set()
    for line in re.findall(r"^\.It Ev (WAVETRAP_.*)$", (ROOT / "docs" / "man" / "wavetrap-exec.1").read_text(), re.M):
        described |= set(line.split(" , "))
    assert set(table()) == used | {"WAVETRAP_CHECKED"} == described


@pytest.mark.parametrize("command", ["exec", "debug"])
def test_what_does_nothing_is_named(command):
    """Once: an exec within says nothing."""
    def run(**variables):
        words = [command, "/bin/sh", "-c", f"{WAVETRAP} exec /bin/true"] if command == "exec" else [command, "--nx", "--batch", "-ex", "run", "/bin/true"]
        return subprocess.run([WAVETRAP, *words], env={**environment(), **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT).stderr
    options = {name: option for name, option in table().items() if option}
    assert len(options) == 13
    for name, option in options.items():
        said = run(**{name: "nonsense"})
        assert said.startswith(f"wavetrap: {name}=nonsense in the environment is not used: {option} sets it (") and said.count("\n") == 1, said
    assert run(WAVETRAP_SHEDULE="rr:1") == "wavetrap: WAVETRAP_SHEDULE is not a variable of wavetrap and does nothing: 'man wavetrap-exec' lists them\n"
    assert run(WAVETRAP_SCHEDULE="", WAVETRAP_CODE_CACHE="off", WAVETRAP_SOCKETS=os.environ.get("WAVETRAP_SOCKETS", "")) == ""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_library_names_what_is_no_variable(programs, name):
    assert said(programs, name, WAVETRAP_SHEDULE="rr:1") == "wavetrap: WAVETRAP_SHEDULE is not a variable of wavetrap and does nothing: 'man wavetrap-exec' lists them\n"

# The places of the GPUs that a program sees, by what the vendors' interfaces say.
SEEN = {
    "sm": """
c = ctypes.CDLL("libcuda.so.1")
if c.cuInit(0):
    sys.exit(print("none"))
def place(i):
    c.cuDeviceGetPCIBusId(text, 64, i)
    return int(text.value.split(b":")[2].split(b".")[0], 16)
c.cuDeviceGetCount(ctypes.byref(count))
""",
    "gfx900": """
h = ctypes.CDLL("libamdhip64.so.5")
h.hipGetDeviceCount(ctypes.byref(count))
def place(i):
    h.hipDeviceGetPCIBusId(text, 64, i)
    return int(text.value.split(b":")[1], 16) - 1
""",
    "gen9": """
z = ctypes.CDLL("libze_loader.so.1")
driver, devices, one = ctypes.c_void_p(), (ctypes.c_void_p * 9)(), ctypes.c_uint(1)
if z.zeInit(0) or z.zeDriverGet(ctypes.byref(one), ctypes.byref(driver)):
    sys.exit(print("none"))
z.zeDeviceGet(driver, ctypes.byref(count), None)
z.zeDeviceGet(driver, ctypes.byref(count), devices)
def place(i):
    said = ctypes.create_string_buffer(struct.pack("<i", 3), 1024) # ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES
    z.zeDeviceGetProperties(ctypes.c_void_p(devices[i]), said)
    return struct.unpack_from("<I", said, 68)[0] # numSubslicesPerSlice
""",
}


@pytest.mark.parametrize("family, variables, seen", [
    ("sm", {}, "0 1 2"), ("sm", {"CUDA_VISIBLE_DEVICES": "1"}, "1"), ("sm", {"CUDA_VISIBLE_DEVICES": "2,0"}, "2 0"),
    ("sm", {"CUDA_VISIBLE_DEVICES": "0,7,1"}, "0"), ("sm", {"CUDA_VISIBLE_DEVICES": "1,1,0"}, "1"), ("sm", {"CUDA_VISIBLE_DEVICES": ""}, "none"),
    ("sm", {"CUDA_VISIBLE_DEVICES": "-1"}, "none"), ("sm", {"CUDA_VISIBLE_DEVICES": "GPU-77617665-7472-6170-2053-4d2043000000, 0"}, "2 0"),
    ("sm", {"CUDA_VISIBLE_DEVICES": "GPU-78"}, "none"),
    ("gfx900", {}, "0 1 2"), ("gfx900", {"HIP_VISIBLE_DEVICES": "2,0"}, "2 0"), ("gfx900", {"ROCR_VISIBLE_DEVICES": "1"}, "1"),
    ("gfx900", {"CUDA_VISIBLE_DEVICES": "1"}, "1"), ("gfx900", {"ROCR_VISIBLE_DEVICES": "2,1", "HIP_VISIBLE_DEVICES": "1"}, "1"), ("gfx900", {"HIP_VISIBLE_DEVICES": "-1"}, ""),
    ("gen9", {}, "1 2 3"), ("gen9", {"ZE_AFFINITY_MASK": "1"}, "2"), ("gen9", {"ZE_AFFINITY_MASK": "0,2"}, "1 3")])
def test_the_vendors_variables_that_choose_gpus(family, variables, seen):
    """NVIDIA's is read by our driver; AMD's and Intel's by their runtimes, to which ours has to look like several GPUs. A GPU keeps its place and its UUID."""
    if family == "gen9" and ROCM_6:
        pytest.skip("Debian 13 has no Level Zero")
    gpus = [f"{family}:subslices={n}" for n in (1, 2, 3)] if family == "gen9" else [family] * 3
    code = f"import ctypes, struct, sys\ncount, text = ctypes.c_int(0), ctypes.create_string_buffer(64)\n{SEEN[family]}print(*(place(i) for i in range(count.value)))"
    done = subprocess.run([WAVETRAP, "exec", *(word for gpu in gpus for word in ("-g", gpu)), "/usr/bin/python3", "-c", code], capture_output=True, text=True,
                          env={**environment(), **variables}, timeout=LIMIT)
    assert done.stdout.strip() == seen, done.stdout + done.stderr
    assert ("leaves none of the 3 emulated GPUs" in done.stderr) == (seen == "none")
