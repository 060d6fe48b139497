"""Random C programs of csmith, compiled for gfx900, compute what they compute on the CPU.

Each program is a kernel of plain C: with variables of its own in each of 64 lanes, whose results of
multiplications, divisions and shifts differ from lane to lane so that they go different ways; or
with global variables, in one lane. WAVETRAP_PROGRAMS=N tries N programs of each kind instead of
some, from number WAVETRAP_FIRST on. Of numbers 200 to 299 one differed: in number 237 without variables
of its own both compilers, optimising, make a division of 64 bits, unsigned, of a number that was
sign-extended one of 32 bits. `wavetrap trace` shows such things."""
import os
import re
import resource
import struct
import subprocess
from pathlib import Path

import pytest

import amd
from releases import HIPCC_CLANG
from test_gcn_kernels import WAVETRAP

FIRST = int(os.environ.get("WAVETRAP_FIRST", 1))
PROGRAMS = int(os.environ.get("WAVETRAP_PROGRAMS", 5))
COMPILERS = [(c, o) for c in amd.compilers((HIPCC_CLANG, "clang-19")) for o in ("-O0", "-O2")]
CSMITH = ["--concise", "--no-argc", "--no-volatiles", "--max-funcs", "6", "--max-block-depth", "4", "--no-return-structs",
          "--no-return-unions", "--float"]
SAFE_MATH = Path("/usr/include/csmith/safe_math.h")

# What csmith's own header offers, without a C library.
HEAD = """
#include <float.h>
#include <limits.h>
#include <stdint.h>
#define fabs __builtin_fabs
#define fabsf __builtin_fabsf
#define print_hash_value 0
#define STATIC static
#define UNDEFINED(x) (x)
#define LOG_INDEX
#define FUNC_NAME(x) (safe_##x)
#ifdef __AMDGCN__
#define LANE (LANES > 1 ? __builtin_amdgcn_workitem_id_x() : 0)
#define LOG_EXEC
#define printf(...) ((void)0)
#else
#include <stdio.h>
#include <stdlib.h>
static unsigned lane, calls;
#define LANE lane
#define LOG_EXEC if (++calls > 100000) exit(1); /* takes long, maybe for ever */
#endif
static uint32_t mixed(uint32_t crc, uint32_t x) { return (crc ^ x) * 0x9e3779b1u + (crc >> 15); }
static uint32_t crc_of(uint32_t crc, uint64_t x) { return mixed(mixed(crc, (uint32_t)x), (uint32_t)(x >> 32)); }
#define transparent_crc(value, name, flag) (crc = crc_of(crc, (uint64_t)(value)))
#define transparent_crc_bytes(bytes, count, name, flag) \\
    for (int byte = 0; byte < (count); byte++) crc = mixed(crc, ((const unsigned char *)(bytes))[byte])
#include <csmith/safe_math.h>
"""
TAIL = """
#ifdef __AMDGCN__
__attribute__((amdgpu_kernel)) void run(uint32_t *out) { out[__builtin_amdgcn_workitem_id_x()] = checksum(); }
#else
int main(void) { for (lane = 0; lane < LANES; lane++) { printf("%08x\\n", checksum()); calls = 0; fflush(stdout); } }
#endif
"""


def differing():
    """Macros over csmith's functions that mix the lane into what they return."""
    functions = re.findall(r"^STATIC (u?int\d+_t)\nFUNC_NAME\(((?:mul|div|mod|lshift|rshift)_\w+)\)\(([^)]*)LOG_INDEX\)",
                           SAFE_MATH.read_text(), re.M)
    assert len(functions) > 50
    return "".join(f"#define safe_{name}(a, b) (({kind})((safe_{name})(a, b) ^ LANE))\n" for kind, name, _ in functions)


def program(seed, lanes, folder):
    """The source of a kernel and of the same for the CPU; None if csmith gives up on that seed."""
    options = CSMITH + (["--no-global-variables"] if lanes > 1 else [])
    done = subprocess.run(["csmith", "--seed", str(seed), *options], capture_output=True, text=True, timeout=60, cwd=folder)
    if "int main (void)" not in done.stdout:
        return None
    body, main = done.stdout.split('#include "csmith.h"')[1].split("int main (void)")
    main = main.replace("int print_hash_value = 0;", "uint32_t crc = 0;").replace("crc32_gentab();", "")
    main = re.sub(r"platform_main_(begin|end)\([^;]*;", "", main).replace("return 0;", "return crc;")
    main = re.sub(r"^\s*func_1\(\);", "    crc = crc_of(crc, (uint64_t)func_1());", main, flags=re.M)
    return HEAD + differing() + body + "static uint32_t checksum(void)\n" + main + TAIL


def on_cpu(source, lanes, folder):
    """A checksum of each lane; None if the program is not proper C (csmith's floats are not always) or takes long, maybe for ever."""
    subprocess.run(["gcc", "-w", "-O1", "-fwrapv", "-ffp-contract=off", "-fsanitize=undefined,address,float-cast-overflow",
                    "-fno-sanitize-recover", f"-DLANES={lanes}", source, "-o", folder / "host"], check=True, timeout=120)
    done = subprocess.run([folder / "host"], capture_output=True, text=True, timeout=300,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)),
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": ""})
    return None if done.returncode else [int(line, 16) for line in done.stdout.split()]


@pytest.mark.parametrize("lanes", [64, 1])
@pytest.mark.parametrize("number", range(FIRST, FIRST + PROGRAMS))
def test_a_random_program(number, lanes, tmp_path):
    source, want = tmp_path / "program.c", None
    for seed in range(100 * number, 100 * number + 100):
        if text := program(seed, lanes, tmp_path):
            source.write_text(text)
            if want := on_cpu(source, lanes, tmp_path):
                break
    assert want and len(want) == lanes
    for compiler, level in COMPILERS:
        done = subprocess.run([compiler, "-x", "c", "-w", "-target", "amdgcn-amd-amdhsa", *amd.TARGET, "-nogpulib", "-ffreestanding",
                               "-fwrapv", "-ffp-contract=off", "-fno-crash-diagnostics", level, "-I/usr/include", f"-DLANES={lanes}", source,
                               "-o", tmp_path / "k.co"],
                              capture_output=True, text=True, timeout=120)
        if "PLEASE submit a bug report" in done.stderr or "invalid addrspacecast" in done.stderr:
            continue  # the compiler's own mistakes
        assert done.returncode == 0, done.stderr
        subprocess.run([WAVETRAP, "run", f"--grid={lanes}", f"--block={lanes}", f"--arg=zeros:{4 * lanes}", f"--dump-arg=0:{tmp_path}/out",
                        tmp_path / "k.co"], check=True, timeout=300)
        assert list(struct.unpack(f"<{lanes}I", (tmp_path / "out").read_bytes())) == want, (compiler, level)
