"""A breakpoint by a function's name, in any form that C++ has, or by a line has the places that GDB gives it; they are read from the file, nothing runs."""
import re
import subprocess

import pytest

from conftest import HERE, TIMEOUT, WAVETRAP
from releases import HIPCC_CLANG

SOURCE = HERE / "programs" / "names.cpp"
LINES = [f"names.cpp:{line}" for line, text in enumerate(SOURCE.read_text().split("\n"), 1) if re.search(r"a \+ a|return|held|sink|int n|\[=\]", text)]
NAMES = """f;::f;ns::f;inner::f;ns::inner::f;f(int);ns::f(int);ns::f(float);f(float);ns::inner::f(int, unsigned int);ns::inner::f(int,unsigned)
    'f';'ns::f';'ns::f(int)';"ns::f(float)";hidden;(anonymous namespace)::hidden;'(anonymous namespace)::hidden(int)';hidden(int)
    twice;twice<int>;twice<float>;twice<int>(int);twice<long>(long);'twice<int>(int)';box<int, 3>;box<int, 3>::box;box<int, 3>::box(int);box::box
    box<int,3>::get;box<int, 3>::get() const;box<int, 3>::get();box::get;get;get();box::operator+;box<int, 3>::operator+;operator+
    box<int, 3>::operator+(box<int, 3> const&) const;box<int, 3>::operator int;operator int;small;names.cpp:f;names.cpp:ns::f;names.cpp:twice
    names.cpp:twice<int>;names.cpp:'ns::f(int)';'names.cpp':f;names.cpp:one;names.cpp:nothing;nothing.cpp:f;names.cpp:box<int, 3>::get
    one(void*, size_t);one(void *, unsigned long);one(void*,unsigned long);one(void*);operator();-qualified f;-q ns::f;-qualified inner::f
    """.replace("\n    ", ";").strip(";").split(";")
SPLIT = re.compile(r"^place \d+$", re.M)


def places(command, wanted, told, arguments=()):
    """{what was asked: the (address, line) pairs of `info breakpoints`}."""
    asked = "".join(f"echo place {n}\\n\nbreak {place}\ninfo breakpoints\ndelete\n" for n, place in enumerate(wanted))
    said = subprocess.run([*command, *arguments], input=told + asked, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False).stdout
    parts = SPLIT.split(said)[1:]
    assert len(parts) == len(wanted), said[-2000:]
    return {place: {(int(a, 16), int(line)) for a, line in re.findall(r"^\d.*? y +(0x[0-9a-f]+) +in .* at .*:(\d+)$", part, re.M)} for place, part in zip(wanted, parts)}


def gdbs(gdb, file, wanted):
    return places([gdb, "-nx", "-q", "-iex", "set debuginfod enabled off"], wanted, "set confirm off\nset prompt\nset width 0\nset breakpoint pending off\necho \\n\n", [file])


def different(ours, theirs):
    return [f"{place}: {sorted(ours[place])}, GDB {sorted(theirs[place])}" for place in theirs if ours[place] != theirs[place]]


@pytest.mark.parametrize("xlen, opt", [(64, "-O0"), (64, "-O2"), (32, "-O1")])
def test_names_and_lines_have_the_addresses_that_gdb_gives_them(program, xlen, opt):
    # Optimised, one() has another parameter list; GDB then knows it by none.
    wanted = [name for name in NAMES if opt == "-O0" or not name.startswith("one(")] + LINES
    file = program("names", xlen, opt)
    ours, theirs = places([WAVETRAP, "debug"], wanted, "set confirm off\n", [file]), gdbs("gdb-multiarch", file, wanted)
    addresses = [{place: sorted(address for address, _ in found) for place, found in said.items()} for said in (ours, theirs)]
    wrong = different(*addresses)
    assert not wrong, "\n".join(wrong)
    # GDB knows no function by its parameters or its file that is inlined only.
    inlined = places([WAVETRAP, "debug"], ["small", "small(int)", "names.cpp:small"], "set confirm off\n", [file])
    assert len(inlined["small"]) == 2 and inlined["small"] == inlined["small(int)"] == inlined["names.cpp:small"]


@pytest.mark.parametrize("compiler, language, family, flags", [
    (HIPCC_CLANG, "hip", "gfx900", ["--offload-arch=gfx900", "-nogpuinc", "-nogpulib", "--no-gpu-bundle-output"]),
    ("clang-19", "hip", "gfx900", ["--offload-arch=gfx900", "-nogpuinc", "-nogpulib", "--no-gpu-bundle-output"]),
    ("clang-19", "cuda", "sm", ["--cuda-gpu-arch=sm_60", "-nocudainc", "-nocudalib", "-S"])])
def test_names_have_the_lines_that_gdb_gives_them_in_the_hosts_program_of_the_same_compiler(tmp_path, compiler, language, family, flags):
    device, host = tmp_path / "device", tmp_path / "host"
    subprocess.run([compiler, "-x", language, "--cuda-device-only", *flags, "-w", "-g", "-O0", "-std=c++17", SOURCE, "-o", device], check=True)
    subprocess.run([compiler, "-x", "c++", "-w", "-g", "-O0", "-std=c++17", SOURCE, "-o", host, "-lstdc++"], check=True)
    options = ["debug", "-g", family, "--kernel", "kernel", "--grid", "1", "--block", "1", "--arg=i32:5"]
    # PTX has a complete object's constructor beside the base object's; clang has an inlined copy begin with an instruction of the call's line.
    wanted = [name for name in NAMES if family != "sm" or (name != "small" and "box::box" not in name.replace("<int, 3>", ""))]
    ours, theirs = places([WAVETRAP], wanted, "set confirm off\n", [*options, device]), gdbs("gdb", host, wanted)
    lines = [{place: sorted(line for _, line in found) for place, found in said.items()} for said in (ours, theirs)]
    wrong = different(*lines)
    assert not wrong, "\n".join(wrong)


EXPLICIT = """-function f;-func ns::f;-line 30;-source names.cpp -line 30;-line 30 -source names.cpp;-source names.cpp -function ns::f;-function box<int, 3>::get
    -function f(int);-source names.cpp;-function nothing;-source nothing.cpp -line 3;-line;-x;-function 'ns::f(int)';-line +1;+1;-1;+7
    """.replace("\n    ", ";").strip(";").split(";")


@pytest.mark.parametrize("listed", ["", "list 20,29\n", "list names.cpp:40\n"])
def test_explicit_and_relative_locations_have_the_addresses_that_gdb_gives_them(program, listed):
    """Nothing runs: lines count from the one behind the last listed, before any from GDB's start of a list around main."""
    file = program("names", 64, "-O0")
    ours = places([WAVETRAP, "debug"], EXPLICIT, "set confirm off\n" + listed, [file])
    theirs = places(["gdb-multiarch", "-nx", "-q", "-iex", "set debuginfod enabled off"], EXPLICIT,
                    "set confirm off\nset prompt\nset width 0\nset breakpoint pending off\n" + listed + "echo \\n\n", [file])
    wrong = different(*[{place: sorted(a for a, _ in found) for place, found in said.items()} for said in (ours, theirs)])
    assert not wrong and sum(map(bool, theirs.values())) > 10, "\n".join(wrong)
