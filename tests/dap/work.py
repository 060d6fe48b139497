"""A kernel for all families, with what is known of it: of the tests of `wavetrap dap` and of the library."""
import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("isa/gen", "compilers")]
import iga  # noqa: E402
from releases import BITCODE  # noqa: E402, F401

PROGRAMS = ROOT / "tests" / "dap" / "programs"
HEADER = PROGRAMS / "work.h"
LIBRARY = ROOT / "examples" / "vortex" / "lib"
PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf"
ITEMS = 128
LAUNCH = {"kernel": "work", "grid": ITEMS, "block": [64], "kernelArgs": [f"iota:{4 * ITEMS}", f"zeros:{4 * ITEMS}", 7]}
FAMILIES = ["vortex", "gfx900", "gen9", "sm"]

# name: the family; configuration: what a launch request says; word, lanes: a lane's word, and how many a wave has
Kernel = collections.namedtuple("Kernel", "name configuration word lanes")


def line_of(mark, file=HEADER):
    """The line of a source with the comment `mark`."""
    return next(n for n, line in enumerate(file.read_text().splitlines(), 1) if f"/* {mark} */" in line)


def stored(i):
    """What work-item i stores."""
    return 4 * i + i + 2 + 7


def build_vortex(out):
    libgcc = subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imf", "-mabi=ilp32f", "-print-libgcc-file-name"], check=True, text=True,
                            capture_output=True).stdout.strip()
    subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imaf_zicsr", "-mabi=ilp32f", "-O0", "-g", "-mcmodel=medany", "-isystem",
                    f"{PICOLIBC}/include", f"-I{LIBRARY}", "-nostdlib", "-nostartfiles", "-static", f"-T{LIBRARY}/vortex.ld", "-o", out,
                    PROGRAMS / "work.c", *(LIBRARY / file for file in ("start.S", "diverge.S", "spawn.c", "console.c")),
                    f"{PICOLIBC}/lib/rv32imf/ilp32f/libc.a", libgcc], check=True)


def build_cl(out, *words):
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-w", *words, PROGRAMS / "work.cl", "-o", out], check=True)


def build(family, folder):
    """Compiles the kernel for a family into a folder."""
    out = folder / f"work.{family}"
    if family == "vortex":
        build_vortex(out)
        return Kernel(family, {"program": str(out), "gpu": "vortex:warps=4,threads=4"}, "thread", 4)
    if family == "gfx900":
        build_cl(out, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", f"--rocm-device-lib-path={BITCODE}")
    elif family == "sm":
        out = out.with_suffix(".ptx")
        build_cl(out, "-target", "nvptx64--nvidiacl", "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang",
                 "/usr/lib/clc/nvptx64--nvidiacl.bc")
    else:
        iga.compile_cl(PROGRAMS / "work.cl", out, "-g", "-cl-opt-disable", f"-I{PROGRAMS}")
    word = "channel" if family == "gen9" else "lane"
    lanes = {"gfx900": 64, "gen9": 8, "sm": 32}[family]
    return Kernel(family, {"program": str(out), "gpu": family, **LAUNCH}, word, lanes)
