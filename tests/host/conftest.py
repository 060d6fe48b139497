"""What the tests of host programs share: building HIP programs, and running them on emulated GPUs."""
import contextlib
import fcntl
import os
import pathlib
import subprocess

import pytest

import amd
from releases import RELEASE, ROCM_CLANG
from sanitizer import BUILD, DEBIAN_PATH, LIBRARY, ROOT, command, environment, races

WAVETRAP = command(os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap")))
MODEL = amd.MODEL
ISA = {model: f"{model}:xnack-" if model == "gfx900" else f"{model}:sramecc+:xnack-" for model in amd.MODELS + amd.LATER} | {"gfx1030": "gfx1030"}    # as the runtime names it
WAVES = 32 if MODEL in ("gfx90a", "gfx942", "gfx1030") else 40    # of a compute unit
EXAMPLES = BUILD / "examples" / ("gcn" if MODEL == "gfx900" else f"gcn-{MODEL}")
ROCM_6 = RELEASE == "trixie"    # HIP 5.7, HSA's runtime of ROCm 6.1


@pytest.fixture(autouse=True)
def no_races():
    """Of a build with ThreadSanitizer."""
    yield
    found = races()
    assert not found, "\n".join(found)


@contextlib.contextmanager
def alone(path):
    """Files of this name are made by one test at a time; others wait, and find them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_name(path.name + ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def is_old(path, source):
    return not path.exists() or path.stat().st_mtime < source.stat().st_mtime


def without_optimisation():
    """The words of the compiler whose code of -O0 is right: hipcc 17's is wrong where lanes part (docs/hip.md), as they do in most programs."""
    if not ROCM_6:
        return ["hipcc"]
    settings = {**os.environ, "XDG_CACHE_HOME": str(BUILD / "tests" / "host" / "cache")}    # its links stay there, as do the programs
    folder = subprocess.run([WAVETRAP, "hip-path"], capture_output=True, text=True, check=True, env=settings).stdout.strip()
    return ["clang-19", f"--config={folder}/hip.cfg", "-mcode-object-version=4", "-w", "-x", "hip", "-lamdhip64", "-lstdc++"]


def compiled(source, *flags, name=None, parts=True):
    """A program of this folder, built by hipcc where it is older than its source, or by clang where lanes part."""
    path = BUILD / "tests" / "host" / ((name or pathlib.Path(source).stem) + ("" if MODEL == "gfx900" else f"-{MODEL}"))
    source = pathlib.Path(__file__).parent / source
    with alone(path):
        if is_old(path, source):
            new = path.with_suffix(".new")
            compiler = without_optimisation() if parts and "-O0" in flags else ["hipcc"]
            subprocess.run([*compiler, "--offload-arch=gfx900", "-O2", "-g", *flags, "-o", new, source], check=True, capture_output=True)
            os.replace(new, path)
    return path


def example(name):
    """An example of examples/gcn; NAME.buffered by the recipe of its Makefile. Not made again while a test runs it: its
    symbols would be those of a file that is gone."""
    path = EXAMPLES / name
    source = ROOT / "examples" / "gcn" / (name.split(".")[0] + (".s" if name.endswith((".co", ".bin")) else ".hip"))
    with alone(EXAMPLES):
        if is_old(path, source):
            own = EXAMPLES / "new"
            subprocess.run(["make", "-s", "-C", source.parent, f"OUT={own}", f"GPU={MODEL}", own / name], check=True,
                           capture_output=True)
            for file in own.iterdir():
                os.replace(file, EXAMPLES / file.name)
            own.rmdir()
    return path


def wavetrap(*args, **options):
    """Runs the command; no test waits longer than three minutes."""
    options.setdefault("timeout", 180)
    options.setdefault("env", environment())
    return subprocess.run([WAVETRAP, *map(str, args)], capture_output=True, text=True, **options)


def hip(program, *args, gpus=()):
    return wavetrap("exec", *(f"--gpu={gpu}" for gpu in gpus), program, *args)


def code_object(program, model=MODEL):
    """The code object in a HIP program."""
    bundle, path = (program.with_name(f"{program.name}.{os.getpid()}.{end}") for end in ("fb", "co"))
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.hip_fatbin", program, bundle], check=True)
    subprocess.run([f"clang-offload-bundler-{ROCM_CLANG}", "--unbundle", "--type=o", f"--input={bundle}",
                    f"--output={path}", f"--targets=hipv4-amdgcn-amd-amdhsa--{model}"], check=True)
    return path


def instructions(path, function):
    """The (offset in the function, text) of each of its instructions."""
    listing = subprocess.run(["llvm-objdump-19", "-d", f"--mcpu={MODEL}", path], capture_output=True,
                             text=True, check=True).stdout
    body = listing.split(f"<{function}>:\n")[1].split("\n\n")[0]
    found = [(int(line.split("//")[1].split(":")[0], 16), line.split("//")[0].strip())
             for line in body.splitlines() if "//" in line]
    return [(at - found[0][0], text) for at, text in found]
