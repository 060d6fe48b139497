"""The same kernel by each version of clang that can compile it (tests/compilers/clangs.py), without optimisation and with it: its results, what the
debugger shows of it, and what checks find in it."""
import json
import re
import struct
import subprocess
import sys

import pytest

from conftest import ROOT, TIMEOUT, WAVETRAP, answers, debug, marked

sys.path.insert(0, str(ROOT / "tests" / "compilers"))
import clangs  # noqa: E402

LEVELS = ("-O0", "-O2")
ITEMS = 128
CASES = [(family, language, clang, level) for (family, language), these in clangs.CLANGS.items() if language in clangs.ENDINGS for clang in these for level in LEVELS]
IN = [3 * i + 1 for i in range(ITEMS)]
LAUNCH = ["--kernel", "k", "--grid", str(ITEMS), "--block", str(ITEMS)]
PRELUDES = {
    "OpenCL C": """#define GLOBAL __global
#define LOCAL __local
#define KERNEL __kernel
#define ID (int)get_local_id(0)
#define MEET barrier(CLK_LOCAL_MEM_FENCE)
""",
    "HIP": """#define ID (int)__builtin_amdgcn_workitem_id_x()
#define MEET __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup")
""",
    "CUDA C++": """#define ID (int)__nvvm_read_ptx_sreg_tid_x()
#define MEET __syncthreads()
""",
}
CXX = """#define GLOBAL
#define LOCAL __attribute__((shared))
#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
"""
SOURCE = """#ifndef DEVICE
#define DEVICE
#endif
struct pair { short s; long long l; };
DEVICE __attribute__((noinline)) int scaled(GLOBAL int *from, int by)
{
    int loaded = *from;
    return loaded * by; /* called */
}
KERNEL void k(GLOBAL int *in, GLOBAL int *out, int n)
{
    LOCAL int part[128];
    int id = ID;
    struct pair both = {(short)(id + 1), id * 5LL};
    int product = scaled(&in[id], n);
    part[id] = product; /* store */
#ifndef RACE
    MEET;
#endif
    int other = part[127 - id]; /* load */
    out[id] = other + (int)both.l + both.s; /* place */
    if (n == 7)
        out[id + 128] = other; /* outside */
}
"""


def line_of(text, mark):
    return next(n for n, line in enumerate(text.splitlines(), 1) if f"/* {mark} */" in line)


@pytest.fixture(scope="module", name="code")
def code_(tmp_path_factory):
    """code(case, *flags): the source and what is compiled of it."""
    folder, made = tmp_path_factory.mktemp("code"), {}

    def build(case, *flags):
        family, language, clang, level = case
        source = folder / f"k{clangs.ENDINGS[language]}"
        source.write_text(PRELUDES[language] + (CXX if language in ("HIP", "CUDA C++") else "") + SOURCE)
        out = folder / f"{family}{clang}{level}{language[0]}{''.join(flags)}"
        # Without --cuda-noopt-device-debug optimised PTX has lines alone.
        flags = [*flags, *(["--cuda-noopt-device-debug"] if language == "CUDA C++" else [])]
        # Over DWARF 4 and 5 of optimised OpenCL C with calls clang 19 crashes for an SM.
        flags += ["-gdwarf-2"] if (family, language) == ("sm", "OpenCL C") else []
        if case + tuple(flags) not in made:
            subprocess.run([*clangs.words(family, language, clang), "-g", level, *flags, source.name, "-o", out], check=True, cwd=folder)
            made[case + tuple(flags)] = out
        return source, out
    return build


def arguments(folder, n):
    (folder / "in").write_bytes(struct.pack(f"<{ITEMS}i", *IN))
    return [f"--arg=file:{folder / 'in'}", f"--arg=zeros:{4 * ITEMS}", f"--arg=i32:{n}"]


def ids(case):
    return "-".join(str(word).replace(" ", "").lower() for word in case)


each_case = pytest.mark.parametrize("case", CASES, ids=[ids(case) for case in CASES])


@each_case
def test_results(code, case, tmp_path):
    _, out = code(case)
    subprocess.run([WAVETRAP, "run", "-g", case[0], *LAUNCH, *arguments(tmp_path, 5), f"--dump-arg=1:{tmp_path / 'out'}", out], check=True, capture_output=True,
                   timeout=TIMEOUT)
    wanted = [IN[ITEMS - 1 - i] * 5 + i * 5 + i + 1 for i in range(ITEMS)]
    assert list(struct.unpack(f"<{ITEMS}i", (tmp_path / "out").read_bytes())) == wanted


def shown(out, source, mark, commands, case, folder):
    """The first work-item of the wave that stops at a line first, and the answers there; a command may fail."""
    how = ["-g", case[0], *LAUNCH, *arguments(folder, 5)]
    done = debug(out, f"break {source.name}:{line_of(source.read_text(), mark)}", "run", *marked(commands), options=how, batch=False)
    stop = re.search(r"(?:wave|warp) (\d+), lane", done.stdout)
    assert stop, done.stdout + done.stderr
    return int(stop[1]) * (64 if case[0] == "gfx900" else 32), answers(done.stdout)


@each_case
def test_places_and_values(code, case, tmp_path):
    """What is shown is right; without optimisation all is shown, and what lies in memory or was given at launch always."""
    source, out = code(case)
    first, (back, by) = shown(out, source, "called", ["backtrace", "output by"], case, tmp_path)
    frames = [line for line in back.splitlines() if line.startswith("#")]
    assert "scaled" in frames[0] and f"{source.name}:{line_of(source.read_text(), 'called')}" in frames[0] and re.search(r"\bk \(", frames[1]), back
    assert (by == "5" or case[3] != "-O0") and "in=0x" in frames[1], (by, back)
    first, said = shown(out, source, "place", [f"output {name}" for name in ("n@9", "part[3]", "id@20", "both.l@6", "both.s@2", "other@4", "in[2]")], case, tmp_path)
    wanted = dict(zip(("n", "part[3]", "id", "both.l", "both.s", "other", "in[2]"),
                      (5, IN[3] * 5, first + 20, (first + 6) * 5, first + 3, IN[ITEMS - 1 - first - 4] * 5, IN[2])))
    known = {name: text.partition(" (")[0] for name, text in zip(wanted, said) if text and "optimized out" not in text}
    # clang 22 writes of optimised PTX which registers variables are in.
    must = set(wanted) if case[3] == "-O0" else {"n", "in[2]", "part[3]"} | ({"other"} if case[0] == "sm" and case[2] == "clang-22" else set())
    assert known == {name: str(wanted[name]) for name in known} and set(known) >= must, (wanted, said)


@each_case
def test_checks(code, case, tmp_path):
    """A store outside of all buffers, and a race of two waves, at their lines; and nothing else."""
    for n, flags, check, kind, marks in (5, [], "memory,race", None, ()), (7, [], "memory", "out-of-bounds", ("outside",)), (5, ["-DRACE"], "race", "race", ("store", "load")):
        source, out = code(case, *flags)
        report = tmp_path / "report"
        subprocess.run([WAVETRAP, "run", "-g", case[0], f"--check={check}", f"--report=json:{report}", *LAUNCH, *arguments(tmp_path, n), out], check=False,
                       capture_output=True, timeout=TIMEOUT)
        found = [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]
        lines = {line_of(source.read_text(), mark) for mark in marks}
        assert {one["finding"] for one in found} == ({kind} if kind else set()) and all(one["line"] in lines for one in found), found
