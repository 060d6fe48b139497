"""The console with OpenMP and OpenACC programs: regions are kernels; the values are those that the source says."""
import os
import re
import subprocess
import sys

import pytest

from conftest import BUILD, alone, is_old, wavetrap
from releases import CC, CXX, FC
from sanitizer import ROOT, environment
from test_console import ask
from test_offload import CLANG, GCC

sys.path.append(str(ROOT / "tests" / "console"))
import returned

HERE = ROOT / "tests" / "host"
GCC0 = ["-O0", "-g", *GCC[1:]]


def program(compiler, flags, source, name="debug"):
    """Built where it is older than its source."""
    path = BUILD / "tests" / "host" / f"{name}.{compiler}.{source}"
    with alone(path):
        if is_old(path, HERE / source):
            new = path.with_suffix(".new")
            subprocess.run([compiler, *flags, "-o", new, HERE / source], cwd=path.parent, check=True, capture_output=True)
            os.replace(new, path)
    return path


def line_of(source, text, number=0):
    return [i for i, line in enumerate((HERE / source).read_text().splitlines(), 1) if text in line][number]


@pytest.mark.parametrize("compiler, flags, source, region, at, before, after", [
    (CC, "-fopenmp", "openmp.c", "#pragma omp", "sum += a[i]", None, ("print a[i]", "1001")),
    (CXX, "-fopenmp", "openmp.cc", "#pragma omp target teams", "p[i] = l.at(i)", ("print l", "{slope = 2, offset = 1}"), None),
    (FC, "-fopenmp", "openmp.f90", "!$omp target", "total = total + a(i)", None, ("print a(500)", "999")),
    (CC, "-fopenacc", "openacc.c", "#pragma acc", "sum += a[i]", None, None),
])
def test_regions_of_gcc(compiler, flags, source, region, at, before, after):
    """The first line of a region; a condition on the loop's variable; the calls that led there; the program's end."""
    env = dict(environment(), ACC_DEVICE_TYPE="radeon")
    first, line = line_of(source, region), line_of(source, at)
    more = [c[0] for c in (before, after) if c]
    said = ask(["start", "info locals", f"tbreak {source}:{line} if i == 500", "continue", "print i", "backtrace", *more, "info dispatches", "delete",
                "continue"], program(compiler, [*GCC0, flags], source), env=env)
    assert re.search(rf"^Temporary breakpoint 1, \S+\._omp_fn\.0 \(\) at \S*{source}:{first}\n{first}\t", said[0], re.M), said[0]
    assert re.search(r"^on_device = 0$", said[1], re.M)
    assert re.search(rf"^Temporary breakpoint 2, \S+\._omp_fn\.\d \(\) at \S*{source}:{line}\n{line}\t", said[3], re.M), said[3]
    assert said[4] == "$1 = 500\n"
    if "omp" in flags:
        assert re.search(r"^#0 .*_omp_fn\.1 \(\).*\n#1 .* GOMP_parallel \(fn=0x\w+ <\S+_omp_fn\.1>, .*\n#2 .*_omp_fn\.0 \(\)", said[5]), said[5]
    for i, check in enumerate(c for c in (before, after) if c):
        assert said[6 + i].endswith(f" = {check[1]}\n"), said[6 + i]
    assert said[-1].endswith("sum 1000000, last 1999\n[Program exited normally]\n")


def test_steps_in_gcc_code():
    """Over and out of functions that have saved nothing."""
    said = ask(["tbreak omp_is_initial_device", "run", "backtrace", "finish", "print i", "print a[i]", "next", "print on_device", "info frame"],
               program(CC, [*GCC0, "-fopenmp"], "openmp.c"))
    line = line_of("openmp.c", "on_device = !")
    assert "omp_is_initial_device () at" in said[1] and re.search(rf"^#1  0x\w+ in main\._omp_fn\.1 \(\) at \S*openmp.c:{line}$", said[2], re.M)
    assert re.search(rf"main\._omp_fn\.1 \(\) at \S*openmp.c:{line}\n{line}\t.*\n$", said[3]), said[3]
    assert said[4] == "$1 = 0\n" and said[5] == "$2 = 1\n" and said[7] == "$3 = 1\n"
    assert "called by frame" in said[8]


@pytest.mark.sample(2)
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("function, own, callers", [("add", {"a": "13", "b": "14"}, ["outer (a=3, b=4, ", "main._omp_fn.0 ()"]),
                                                    ("outer", {"a": "3", "b": "4"}, ["main._omp_fn.0 ()"])])
def test_each_instruction_of_gccs_functions_has_its_frame(level, function, own, callers):
    """GCC's call frame information has no rows for sums of 64 bits in prologues, nor for epilogues. A value is right there, or not shown."""
    path = program(CXX, [level, *GCC0[1:], "-w", "-fopenmp"], "frames_openmp.cc", f"debug{level}")
    seen = ask([f"break *{function}", "run", *120 * ["x/i $pc", "info args", "backtrace", "stepi"]], path)[2:]
    shown = {name: set() for name in own}
    count = 0
    for at, arguments, frames in zip(seen[0::4], seen[1::4], seen[2::4]):
        if f"<{function}(" not in at:
            continue
        count += 1
        lines = [re.sub(r"^#\d+ +(0x\w+ in )?", "", line) for line in frames.splitlines()]
        assert lines[0].startswith(f"{function} (") and len(lines) == 1 + len(callers), at + frames
        for line, caller in zip(lines[1:], callers):
            wanted = re.escape(caller) if level == "-O0" else r"outer \(a=(3|<optimized out>), b=(4|<optimized out>), " if "outer" in caller else re.escape(caller)
            assert re.match(wanted, line), at + frames
        for name, value in re.findall(r"^([ab]) = (.*)$", arguments, re.M):
            shown[name].add(value)
            assert value in (own[name], "<optimized out>", "<not available yet>", "<not available here>"), at + arguments
    assert count > 8 and all(own[name] in values for name, values in shown.items()), shown


def test_functions_are_named_before_the_program_runs():
    """GCC's link-time optimiser describes a function in one unit, and has its code in another."""
    said = ask(["break *add", "break *outer", "print add", "run", "backtrace 1"], program(CXX, [*GCC0, "-w", "-fopenmp"], "frames_openmp.cc", "debug-O0"))
    assert re.match(r"Breakpoint 1 at 0x\w+: file \S*frames_openmp.cc, line 6\.\n$", said[0]), said[0]
    assert re.match(r"Breakpoint 2 at 0x\w+: file \S*frames_openmp.cc, line 13\.\n$", said[1]), said[1]
    assert re.search(r"\{int \(int, int, int \*\)\} 0x\w+ <add\(int, int, int\*\)>$", said[2], re.M), said[2]
    assert "Breakpoint 2, outer (" in said[3] and said[4].startswith("#0  outer ("), said[3:]


def test_finish_has_what_gccs_code_returns(tmp_path):
    """Numbers are in scalar registers; structures and vectors in memory, at an address that the caller gave: they are not known."""
    types = returned.listed(complex_float="1.5f + 2.5fi", complex_double="1.5 + 2.5i", four="{x, 2, 3, 4}")
    prelude = """#pragma omp declare target
        typedef _Complex float complex_float; typedef _Complex double complex_double; typedef int four __attribute__((vector_size(16)));\n"""
    region = "#pragma omp end declare target\nint main(void)\n{\n    char sink = 0;\n    int five = 5;\n#pragma omp target map(tofrom: sink) map(to: five)\n    {\n"
    (tmp_path / "returned.c").write_text(returned.source(types, "__attribute__((noinline))", region, "    }\n    return 0;\n}\n", prelude, item="five"))
    subprocess.run([CC, *GCC0, "-w", "-fopenmp", "-o", "returned", "returned.c"], cwd=tmp_path, check=True, capture_output=True)
    said = ask([*returned.commands(types, "lane 0")], tmp_path / "returned")
    returned.check(types, "".join(said), [name for name, kind, _ in types if kind.startswith(("struct", "union"))] + ["complex_double", "four"])


def test_regions_of_clang():
    """Optimised code: what is not there any more is said to be so."""
    line = line_of("openmp.c", "sum += a[i]")
    said = ask(["start", f"tbreak openmp.c:{line}", "continue", "backtrace", "print i@0", "info lanes", "delete", "continue"],
               program("clang-19", [CLANG[0], "-g", *CLANG[1:]], "openmp.c"))
    assert re.search(r"^Temporary breakpoint 1, main:12 \(", said[0], re.M)
    assert f"openmp.c:{line}\n{line}\t" in said[2] and " main:12 (" in said[3].splitlines()[-1]
    assert said[4] == "$1 = <optimized out>\n" or re.match(r"\$1 = \d+\n", said[4])
    assert said[7].endswith("[Program exited normally]\n")


FORTRAN = """counter|total|z|word|flag|dyn|p|grid|a|i|a(3)|A(0)|grid(1,0)|GRID(2,-1)|p%x|p%weight(2)|P%Weight|dyn(4)|a(2:4)|grid(1:2,0)|total .gt. 3
    flag .and. .true.|.not. flag|flag .or. .false.|i == 8|total /= 3|a(3) * 2 + p%y|total .le. 7 .and. a(1) .eq. 3""".replace("\n", "|").split("|")
FORTRAN_TYPES = ["whatis a", "ptype a", "ptype grid", "whatis p", "ptype p", "whatis p%weight", "ptype flag", "ptype word", "whatis dyn(4)", "ptype z",
                 "whatis a(3)", "info locals"]


# What GDB 13 knows of intrinsic functions, sections and powers.
ARITHMETIC = """2**10|total**2|2.0**0.5|2**3**2|2**-1|abs(-5)|abs(-2.5)|mod(7,3)|mod(-7,3)|modulo(-7,3)|modulo(7,-3)|mod(7.5,2.0)|floor(-2.5)|floor(2.5)
    ceiling(2.1)|ceiling(-2.1)|kind(total)|size(a)|size(grid)|size(grid,1)|size(grid,2)|size(dyn)|lbound(grid)|ubound(grid)|lbound(grid,2)
    ubound(dyn,1)|lbound(dyn)|shape(grid)|rank(grid)|allocated(dyn)|a(1:7:2)|a(::3)|a(7:0:-2)|a(:2)|a(5:)|grid(1,:)|grid(:,0)|grid(2:1:-1,0)
    dyn(3:6:3)|dyn(:)|grid(:,-1:1:2)|grid(:,:)|word(2:4)|p%weight(1:3:2)|a(i-5)|a(i-5:7)|a(mod(i,2)+1::i-4)|size(a(1:7:2))|lbound(a(1:7:2))""".replace("\n", "|").split("|")
# What it does not know, with what the source says.
OWN = {"min(3,total)": "3", "max(1.5,2,p%weight(3))": "3.5", "real(total)/2": "3.5", "int(2.9)": "2", "nint(2.5)": "3", "nint(-2.5)": "-3", "sign(3,-1)": "-3",
       "iand(12,10)": "8", "ior(12,10)": "14", "ieor(12,10)": "6", "btest(5,2)": ".TRUE.", "merge(1,2,flag)": "1", "sqrt(2.0)": "1.4142135623730951",
       "dble(total)/3": "2.3333333333333335", "len(word)": "5", "-total**2": "-49", "kind(grid)": "8", "grid(:,i-i:1)": "((10, 4) (5, 6))"}
WRONG = {"a(9)": "no such vector element", "a(1:99)": "outside of the array", "grid(1)": "2 dimensions", "a(1:7:0)": "a stride is not 0", "abs()": "abs() takes 1 value",
         "abs(1,2)": "at most 1", "real(1,3)": "no such kind", "size(grid,3)": "dimensions 1 to 2", "1:2": "syntax error"}
# Strided arguments. GDB 13 takes a descending one for an ascending one where an element is asked for.
SECTIONS = """v|w|size(v)|size(w)|lbound(v)|ubound(w)|w(2,:)|v(4:1:-1)|counter|shapes::counter|other::counter|most|shapes::most|table|shapes::table
    table(:,2)|SHAPES::TABLE(2,1)|k|n|shape(w)""".replace("\n", "|").split("|")
OWN_SECTIONS = {"v(1)": "31", "v(4)": "13", "w(1,1)": "11", "w(2,3)": "4", "w(:,2)": "(7, 8)", "v(2:4)": "(25, 19, 13)", "v(::2)": "(31, 19)"}


def said_of(source, commands):
    """What the console answers in the region, and what GDB does where the host executes it."""
    emulated = program(FC, [*GCC0, "-fopenmp"], source)
    native = emulated.with_name(f"{source}.host")
    subprocess.run([FC, "-O0", "-g", "-fopenmp", "-foffload=disable", "-o", native, HERE / source], cwd=native.parent, check=True, capture_output=True)
    stop, mark = f"break {source}:{line_of(source, '! here')}", "=-=-="
    words = [w for c in commands for w in ("-ex", f"echo {mark}\\n", "-ex", c)]
    told = subprocess.run(["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set width 0", "-ex", stop, "-ex",
                           "run", *words, "-ex", f"echo {mark}\\n", "-ex", "kill", native], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=100).stdout.split(mark + "\n")[1:-1]
    return ask([stop, "run", *commands], emulated)[2:], told


def compare(source, commands):
    said, told = said_of(source, commands)
    wrong = [f"{c}\n    GDB:  {g!r}\n    ours: {o!r}" for c, g, o in zip(commands, told, said) if g.strip("\n") != o.strip("\n")]
    assert len(told) == len(commands) and not wrong, "\n".join(wrong)


def test_fortran_arrays():
    """Bounds, allocatable arrays, members, operators: what GDB prints where the host executes the region."""
    compare("arrays.f90", [f"output {e.strip()}" for e in FORTRAN] + FORTRAN_TYPES)


def test_fortran_powers_functions_and_sections():
    compare("arrays.f90", [f"output {e.strip()}" for e in ARITHMETIC])
    stop = [f"break arrays.f90:{line_of('arrays.f90', '! here')}", "run"]
    said = ask([*stop, *(f"output {e}" for e in OWN)], program(FC, [*GCC0, "-fopenmp"], "arrays.f90"))[2:]
    assert dict(zip(OWN, said)) == OWN
    done = wavetrap("debug", "--nx", program(FC, [*GCC0, "-fopenmp"], "arrays.f90"), env=environment(),
                    input="\n".join([*stop, *(f"output {e}" for e in WRONG), "kill", "quit"]) + "\n")
    complaints = done.stderr.splitlines()
    assert len(complaints) == len(WRONG) and all(want in got for want, got in zip(WRONG.values(), complaints)), done.stderr


def test_fortran_arguments_that_are_sections_and_modules():
    compare("sections.f90", [f"output {e.strip()}" for e in SECTIONS])
    stop = [f"break sections.f90:{line_of('sections.f90', '! here')}", "run"]
    said = ask([*stop, *(f"output {e}" for e in OWN_SECTIONS)], program(FC, [*GCC0, "-fopenmp"], "sections.f90"))[2:]
    assert dict(zip(OWN_SECTIONS, said)) == OWN_SECTIONS
