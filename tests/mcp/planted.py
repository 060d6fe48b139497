"""The ten planted bugs, compiled for each family; a client that looks for the culprit of one, and knows only the answers before."""
import os
import pathlib
import re
import subprocess
import sys

from mcp import Client, HERE, ROOT

sys.path.insert(0, str(ROOT / "tests" / "dap"))
sys.path.insert(0, str(ROOT / "tests" / "isa" / "gen"))
import iga  # noqa: E402
from work import BITCODE, LIBRARY, PICOLIBC  # noqa: E402

PROGRAMS = HERE / "programs"
COUNT = 10
FAMILIES = ["vortex", "gfx900", "gfx90a", "gen9", "sm"]


def culprit(number):
    """The line that a bug is at."""
    lines = (PROGRAMS / "planted.h").read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if f"/* culprit {number} */" in line)


def build_vortex(out, number):
    flags = ["-march=rv32imaf_zicsr", "-mabi=ilp32f"]
    libgcc = subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imf", "-mabi=ilp32f", "-print-libgcc-file-name"], check=True, text=True,
                            capture_output=True).stdout.strip()
    subprocess.run(["riscv64-unknown-elf-gcc", *flags, "-O0", "-g", "-w", f"-DPLANT=plant_{number}", "-mcmodel=medany", "-isystem", f"{PICOLIBC}/include",
                    f"-I{LIBRARY}", "-nostdlib", "-nostartfiles", "-static", f"-T{LIBRARY}/vortex.ld", "-o", out, PROGRAMS / "planted.c",
                    *(LIBRARY / file for file in ("start.S", "diverge.S", "spawn.c", "console.c")), f"{PICOLIBC}/lib/rv32imf/ilp32f/libc.a", libgcc],
                   check=True)


def build_cl(out, family, number):
    clang = ["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-w", f"-DPLANT=plant_{number}", PROGRAMS / "planted.cl", "-o", out]
    if family == "sm":
        subprocess.run([*clang, "-target", "nvptx64--nvidiacl", "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", "/usr/lib/clc/nvptx64--nvidiacl.bc"], check=True)
    elif family == "gen9":
        iga.compile_cl(PROGRAMS / "planted.cl", out, "-g", "-cl-opt-disable", f"-DPLANT=plant_{number}", f"-I{PROGRAMS}")
    else:
        subprocess.run([*clang, "-target", "amdgcn-amd-amdhsa", f"-mcpu={family}", f"--rocm-device-lib-path={BITCODE}"], check=True)


def words_of(family, number, folder):
    """The words of `wavetrap mcp` for a bug on a family."""
    out = folder / f"planted{number}.{family}{'.ptx' if family == 'sm' else ''}"
    if family == "vortex":
        if not out.exists():
            build_vortex(out, number)
        return ["-g", "vortex:warps=4,threads=1", "--check=memory,init", out]
    if not out.exists():
        build_cl(out, family, number)
    return ["-g", family, "--check=memory,init", "--grid=64", "--block=64", "--arg=iota:256", "--arg=zeros:256", "--arg=7", out]


# ---- the client that looks ----

def made_at(answer, but):
    """The first source line that an answer shows, with a statement, but for line @p but."""
    shown = [(int(n), text) for n, text in re.findall(r"^ *(\d+)\t(.*)$", answer["text"], re.M)]
    return next((n for n, text in shown if n != but and ";" in text), None)


def look(client):
    """The line that made the mistake at which the program of a session stops first."""
    client.call("break", catch="check")
    stop = client.call("run")["program"]
    line, source = stop["line"], stop["source"]
    enabled = [lane for first, last in re.findall(r"(\d+)(?:-(\d+))?", stop["lanes"]) for lane in range(int(first), int(last or first) + 1)]
    if stop["lane"] not in enabled:    # Gen9's compiler stores a constant by channel 0, for whichever channel wanted it
        client.call("lanes", lane=enabled[0])
    if "EXPECT(" in source:    # the program has noticed a wrong value: who stored it?
        wrong = re.search(r"EXPECT\((.+?), ", source)[1]
        wrote = client.call("who-wrote", expression=wrong)
        return wrote["places"][0]["line"]
    access = re.search(r"(\w+)\[(.+?)\]", source)
    if not access or not access[2].isidentifier():    # a value of no origin, or an index that is made here
        return line
    pointer = client.call("evaluate", expression=access[1])["value"]
    suspect = access[1] if re.search(r"\b0x0\b", pointer) else access[2]
    return made_at(client.call("where-from", expression=suspect), line)
