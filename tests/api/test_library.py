"""libwavetrap: what a kernel computes says what each function must answer. The module of contrib/python calls all of them; three programs
in C call them as examples/api has them; the plug-in for pytest runs tests on emulated GPUs."""
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import textwrap
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAVETRAP = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
BUILD = pathlib.Path(WAVETRAP).parent
LIBRARY = BUILD / "src" / "api"
sys.path[:0] = [str(ROOT / "contrib" / "python"), str(ROOT / "tests" / "dap"), str(ROOT / "tests" / "truth")]
os.environ["LIBWAVETRAP"] = str(LIBRARY / "libwavetrap.so.0")
os.environ["WAVETRAP"] = WAVETRAP

import hosts  # noqa: E402
import wavetrap  # noqa: E402
from wavetrap import AccessKind, Error, Session, Space, StopKind, Watch  # noqa: E402
from work import FAMILIES, ITEMS, LIBRARY as VORTEX_LIBRARY, build, line_of, stored  # noqa: E402

HEADER = (ROOT / "include" / "wavetrap" / "wavetrap.h").read_text()
sanitised = b"__asan_init" in (BUILD / "src" / "cli" / "wavetrap").read_bytes() if (BUILD / "src" / "cli" / "wavetrap").exists() else False
pytestmark = pytest.mark.skipif(sanitised, reason="a library for AddressSanitizer cannot be loaded into Python")


@pytest.fixture(scope="module", params=FAMILIES)
def kernel(request, tmp_path_factory):
    return build(request.param, tmp_path_factory.mktemp("work"))


def words_of(kernel):
    """The command line of a launch."""
    c = kernel.configuration
    words = ["-g", c["gpu"]]
    if "grid" in c:
        words += ["--kernel", c["kernel"], f"--grid={c['grid']}", f"--block={c['block'][0]}", *(f"--arg={a}" for a in c["kernelArgs"])]
    return [*words, c["program"]]


@pytest.fixture
def session(kernel):
    with Session(*words_of(kernel)) as own:
        yield own


def place(mark):
    return f"work.h:{line_of(mark)}"


def to_end(session):
    stop = session.run()
    while stop.kind != StopKind.ENDED:
        stop = session.run()
    return stop


def test_a_breakpoint_stops_each_lane_with_its_own_values(session, kernel):
    """Work-item i has `sum` 4 i at the store; its wave is listed, and its frames are those of the source."""
    number = session.set_break(place("store"))
    stop = session.run()
    assert stop.kind == StopKind.BREAKPOINT and stop.point == number and f"Breakpoint {number}" in stop.text
    items, sums = session.evaluate("i@*"), session.evaluate("sum@*")
    known = {lane: i for lane, i in items.items() if i is not None}
    assert known and all(sums[lane] == 4 * i for lane, i in known.items())
    assert len(set(known.values())) == len(known) and session.evaluate("i") == {stop.lane: known[stop.lane]}
    assert session.print("pair") == f"{{low = {known[stop.lane]}, high = {known[stop.lane]}}}"
    wave = next(w for w in session.waves() if w.id == stop.wave)
    assert wave.lanes == kernel.lanes and stop.lane in wave.mask and wave.pc == stop.pc
    if kernel.name != "vortex":
        assert wave.has_work and wave.block[0] == 64 and wave.grid[0] == ITEMS
        assert all(i // 64 == wave.group[0] for i in known.values())
    frame = session.frames()[0]
    assert (frame.function, pathlib.Path(frame.file).name, frame.line) == ("work_on", "work.h", line_of("store"))
    assert session.instruction(stop.pc).length > 0 and session.instruction(stop.pc).text


def test_conditions_choose_lanes(session):
    session.set_break(place("store"), "i == 41")
    stop = session.run()
    assert session.evaluate("i") == {stop.lane: 41}
    session.select(stop.wave, stop.lane)
    assert session.evaluate("sum") == {stop.lane: 4 * 41}
    assert to_end(session).status == 0


def test_steps_go_along_the_lines_and_back(session):
    session.set_break(place("first"))
    stop = session.run()
    session.delete(stop.point)
    here = stop.time
    lines = [session.frames()[0].line - line_of("first")]
    for backwards in (False, False, True, True):
        stop = session.step(over=True, backwards=backwards)
        assert stop.kind in (StopKind.STEPPED, StopKind.BREAKPOINT)
        lines.append(session.frames()[0].line - line_of("first"))
    assert lines == [0, 1, 2, 1, 0]
    assert session.goto(here).time == here
    after = session.step(instructions=True)
    assert after.time > here and session.step(instructions=True, backwards=True).pc != after.pc
    now, first, last = session.time()
    assert first <= now <= last


def test_a_function_is_left(session):
    session.set_break(place("in twice"))
    session.delete(session.run().point)
    assert session.frames()[0].function == "twice"
    session.finish()
    assert session.frames()[0].function == "work_on"


def test_memory_and_registers_are_read_and_written(session, kernel):
    """What the kernel stored lies in memory; a value that is written is the one that the program goes on with."""
    session.set_break(place("store"))
    stop = session.run()
    i = session.evaluate("i")[stop.lane]
    address = session.evaluate("(unsigned long)&to[i]")[stop.lane]
    assert session.read(address, 4) == bytes(4)
    session.command(f"set var sum = {4 * i + 1}")
    session.delete(stop.point)
    session.step(over=True)
    assert struct.unpack("<i", session.read(address, 4))[0] == stored(i) + 1
    session.write(address, struct.pack("<i", -5), wave=stop.wave, lane=stop.lane)
    assert session.evaluate("to[i]")[stop.lane] == -5
    name = {"vortex": "a0", "gfx900": "v9", "gen9": "r70", "sm": "R9"}[kernel.name]
    of = next(r for r in session.registers() if name in (r.name, r.alt_name))
    row = session.row(stop.wave, name)
    assert (of.per_lane, len(row)) == ((False, 1) if kernel.name == "gen9" else (True, kernel.lanes)) and not of.read_only
    session.write_register(stop.wave, stop.lane, name, 0x1234)
    assert session.row(stop.wave, name) == [0x1234 if lane == stop.lane or not of.per_lane else value for lane, value in enumerate(row)]


def test_a_watchpoint_stops_at_the_write_and_before_it(session):
    session.set_break(place("store"))
    stop = session.run()
    i = session.evaluate("i")[stop.lane]
    session.delete(stop.point)
    number = session.set_watch("to[i]", Watch.CHANGES)
    stop = session.run()
    assert (stop.kind, stop.point) == (StopKind.WATCHPOINT, number) and session.evaluate("to[i]")[stop.lane] == stored(i)
    stop = session.run(backwards=True)
    assert (stop.kind, stop.point) == (StopKind.WATCHPOINT, number) and session.evaluate("to[i]")[stop.lane] == 0


def test_the_past_says_who_stored_a_value_and_what_it_was_made_of(session):
    """to[i] is stored by the line "store", from `sum` of the lines "first" and "call"; time goes there."""
    session.set_break(place("store"))
    stop = session.run()
    assert {"from", "to", "i", "n", "pair", "table", "sum"} <= set(session.locals())
    i = session.evaluate("i")[stop.lane]
    session.delete(stop.point)
    session.step(over=True)
    stored_by, = session.who_wrote("to[i]")
    assert stored_by.wave == stop.wave and stop.lane in stored_by.lanes and stored_by.line == line_of("store") and stored_by.file.endswith("work.h")
    made = session.where_from("to[i]")
    assert made[0][:3] == stored_by[:3] and made[0].depth == 0 and {line_of("store"), line_of("first")} <= {event.line for event in made}
    assert [event.time for event in made] == sorted((event.time for event in made), reverse=True)
    assert all(event.line == line_of("store") or event.time < stored_by.time for event in session.who_read("from[i]"))
    session.goto(stored_by.time)
    session.select(stop.wave, stop.lane)
    assert session.evaluate("to[i]") == {stop.lane: 0} != {stop.lane: stored(i)}
    with pytest.raises(Error, match="no checks are on"):
        session.findings()
    with pytest.raises(Error):
        session.who_wrote("4 + 5")


def test_a_grid_of_lanes_is_a_table(session, kernel):
    """Each lane's mark and value stand in a cell of its own, as a notebook shows it."""
    session.set_break(place("store"))
    stop = session.run()
    grid = session.grid("i")
    wave, lanes = next(row for row in grid.rows if row[0].id == stop.wave)
    assert len(lanes) == kernel.lanes and [lane for lane, (enabled, _) in enumerate(lanes) if enabled] == list(wave.mask)
    assert lanes[stop.lane] == (True, session.evaluate("i")[stop.lane])
    shown = grid._repr_html_()
    assert shown.count("<td ") == sum(len(lanes) for _, lanes in grid.rows) and f"issue time {stop.time}, i</caption>" in shown


def test_findings_of_checks_have_their_times(tmp_path):
    """Of CUDA's planted race: two lines, two times, at each of which the access is about to be made."""
    source = (ROOT / "examples" / "checks" / "race.cu").read_text()
    ptx = tmp_path / "race.ptx"
    path = subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["clang-19", "-x", "cuda", "--cuda-device-only", "-S", "--cuda-gpu-arch=sm_60", f"--cuda-path={path}", "-g",
                    ROOT / "examples" / "checks" / "race.cu", "-o", ptx], check=True)
    with Session("--check=race", "--grid=64", "--block=64", "--arg=zeros:256", ptx) as session:
        to_end(session)
        finding, = session.findings()
    lines = [int(line) for line in re.findall(r"race\.cu:(\d+)", finding.text)]
    assert finding.number == 1 and finding.text.startswith("wavetrap: error: race") and len(lines) == 2 and finding.wave and finding.other_wave
    assert finding.time > finding.other_time > 0 and all("s[" in source.splitlines()[line - 1] for line in lines), finding.text


def test_accesses_are_observed(session, kernel):
    """Each work-item stores its result once, at its own address, and they are told as what memory holds then."""
    session.set_break(place("store"))
    stop = session.run()
    base = session.evaluate("(unsigned long)&to[0]")[stop.lane]
    session.delete(stop.point)
    count, seen = 64 if kernel.name == "vortex" else ITEMS, []
    session.observe(seen.append)
    to_end(session)
    session.observe(None)
    stores = [a for a in seen if a.kind == AccessKind.WRITE and a.space == Space.GLOBAL]
    items = [(address - base) // 4 for a in stores for address in a.address.values() if 0 <= address - base < 4 * count]
    assert sorted(items) == list(range(count)) or set(range(count)) - set(items) == set()
    assert all(a.size == 4 for a in stores if any(0 <= at - base < 4 * count for at in a.address.values()))
    assert [a.time for a in seen] == sorted(a.time for a in seen)


def test_commands_of_the_console_and_texts(kernel):
    said = []
    with Session(*words_of(kernel), text=said.append) as session:
        session.set_catch("fault")
        assert re.search(r"catchpoint.*fault", session.command("info breakpoints"))
        assert not said
        assert to_end(session).status == 0


def test_what_cannot_be_done_is_told(session, tmp_path):
    for ask, words in ((lambda: session.print("nothing_of_it"), "No symbol"), (lambda: session.delete(77), "no point number 77"),
                       (lambda: session.row(1, "pc"), "no wave 0x1"), (lambda: session.goto(1 << 60), ""),
                       (lambda: session.read(0, 4, space="nowhere"), "no address space 'nowhere'"),
                       (lambda: session.command("frobnicate"), 'Undefined command: "frobnicate"')):
        with pytest.raises(Error, match=words):
            ask()
    wave = session.waves()[0].id
    with pytest.raises(Error, match="no register q77"):
        session.row(wave, "q77")
    with pytest.raises(Error, match="no lane 500"):
        session.write_register(wave, 500, next(r.name for r in session.registers() if not r.read_only), 1)
    for words, text in ((("-g", "nothing", "x"), "nothing"), ((str(tmp_path / "none"),), "none"), ((), "no program"),
                        (("--help",), "help"), (("--ex", "run", "/bin/true"), "--ex")):
        with pytest.raises(Error, match=text):
            Session(*words)
    session.close()
    with pytest.raises(ValueError):
        session.run()


def test_two_sessions_are_two_programs(kernel):
    with Session(*words_of(kernel)) as one, Session(*words_of(kernel)) as two:
        one.set_break(place("store"))
        assert one.run().kind == StopKind.BREAKPOINT
        assert to_end(two).status == 0
        assert to_end(one).kind == StopKind.ENDED


def test_a_run_is_interrupted_from_another_thread(tmp_path):
    """A program that would run for ever stops, and goes on; signals of the process stay its own."""
    source = tmp_path / "forever.s"
    source.write_text("_start: j _start\n")
    subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-nostdlib", "-static", "-Ttext=0x80000000", source, "-o",
                    tmp_path / "forever"], check=True)
    before = signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with Session("-g", "vortex:warps=1,threads=1", tmp_path / "forever") as session:
        for _ in range(2):
            ran = threading.Event()
            session.observe(None)

            def stop():
                ran.wait()
                time.sleep(0.05)   # it runs by then, or is stopped as soon as it does
                session.interrupt()
            other = threading.Thread(target=stop)
            other.start()
            ran.set()
            assert session.run().kind == StopKind.INTERRUPTED
            other.join()
        assert session.evaluate("$pc") == {0: 0x80000000}
    assert (signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, [])) == before


@pytest.mark.parametrize("family", hosts.FAMILIES)
def test_a_host_program_is_started_and_debugged(family):
    """Its kernels stop where each work-item stores its own value, and its end has its status."""
    settings = {"threads": 1, "launches": 2, "calls": 1, "groups": 2, "block": 64, "factor": 3, "cells": 509, "gpus": 1}
    h = hosts.host_of(family, settings)
    with Session("-g", hosts.GPUS[family][0], *h.file) as session:
        number = session.set_break(h.line)
        stop = session.run()
        assert (stop.kind, stop.point) == (StopKind.BREAKPOINT, number)
        g, i = divmod(session.evaluate("value")[stop.lane] - 1, 16)
        assert i < h.calls and 0 <= g < h.launched * h.launches * h.threads
        # What each work-item stores from here on is its own value, which memory has when the program stops again.
        address, seen = session.evaluate("(unsigned long)&to[key]"), []
        session.observe(seen.append)
        other = session.run()
        assert other.kind == StopKind.BREAKPOINT
        store = next(a for a in seen if a.kind == AccessKind.WRITE and a.address.get(stop.lane) == address[stop.lane])
        assert (store.wave, store.space, store.size) == (stop.wave, Space.GLOBAL, 4) and stop.time <= store.time <= other.time
        session.delete(number)
        count = len(seen)
        session.observe(None)
        assert to_end(session).status == 0 and len(seen) == count


def test_a_program_that_its_observer_lets_go_computes_on(tmp_path):
    """Nobody reads what it would tell, more than a pipe holds; and no signal ends it, which it has as C programs do, not as Python."""
    old = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    (tmp_path / "adds.cu").write_text("""
        #include <cstdio>
        __global__ void add(int *sum) { atomicAdd(sum, 1); }
        int main(int, char **words) {
            int *sum, result = 0;
            cudaMalloc(&sum, 4), cudaMemset(sum, 0, 4);
            for (int i = 0; i < 1000; i++)
                add<<<64, 64>>>(sum);
            cudaMemcpy(&result, sum, 4, cudaMemcpyDeviceToHost);
            fprintf(fopen(words[1], "w"), "%d\\n", result);
        }""")
    cuda = subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["clang++-19", "-x", "cuda", "--cuda-gpu-arch=sm_50", f"--cuda-path={cuda}", "-g", "-w", tmp_path / "adds.cu", "-o", tmp_path / "adds", f"-L{cuda}/lib64", "-lcudart"], check=True)
    seen, result = [], tmp_path / "sum"
    with Session("-g", "sm", str(tmp_path / "adds"), str(result)) as session:
        session.set_break("adds.cu:3 if blockIdx.x == 7 && threadIdx.x == 9")
        assert session.run().kind == StopKind.BREAKPOINT and session.evaluate("blockIdx.x") == {9: 7}
        session.observe(seen.append)
        session.run()
        assert seen
        session.command("detach")
    signal.signal(signal.SIGPIPE, old)
    until = time.monotonic() + float(os.environ.get("WAVETRAP_TEST_LIMIT", 60))
    while not (result.exists() and result.read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    assert result.read_text() == f"{1000 * 64 * 64}\n"


# ---- the header, and programs in C ----

def test_the_library_has_the_functions_of_the_header_and_no_other():
    names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY / "libwavetrap.so.0"], capture_output=True, text=True, check=True).stdout
    exported = set(re.findall(r" T (\w+)@@WAVETRAP_0", names))
    declared = set(re.findall(r"\b(wavetrap_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S))) - {"wavetrap_text_fn", "wavetrap_access_fn"}
    assert exported == declared
    assert not re.findall(r" T (?!wavetrap_)\w+", names)
    assert not re.findall(r"\b(?:wt|WT)_\w+", HEADER)


def test_the_structures_of_the_module_are_those_of_the_header(tmp_path):
    """Sizes and offsets by the C compiler, and C++ takes the header."""
    lines, wanted = [], []
    for name, made in (("stop", wavetrap.CStop), ("step", wavetrap.CStep), ("wave", wavetrap.CWave), ("register", wavetrap.CRegister),
                       ("number", wavetrap.CNumber), ("event", wavetrap.CEvent),
                       ("finding", wavetrap.CFinding), ("frame", wavetrap.CFrame), ("access", wavetrap.CAccess)):
        for field, _ in made._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof(struct wavetrap_{name}, {field}));')
            wanted.append(f"{name}.{field} {getattr(made, field).offset}")
        lines.append(f'printf("{name} %zu\\n", sizeof(struct wavetrap_{name}));')
        wanted.append(f"{name} {wavetrap.ctypes.sizeof(made)}")
    source = tmp_path / "sizes.c"
    source.write_text('#include <stdio.h>\n#include <wavetrap/wavetrap.h>\nint main(void) {' + "\n".join(lines) + "return 0; }\n")
    subprocess.run(["cc", f"-I{ROOT}/include", source, "-o", tmp_path / "sizes"], check=True)
    assert subprocess.run([tmp_path / "sizes"], capture_output=True, text=True, check=True).stdout.split("\n")[:-1] == wanted
    subprocess.run(["c++", "-x", "c++", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "-c", source, "-o", tmp_path / "cpp.o"], check=True)
    for kinds, prefix in ((StopKind, ""), (Watch, ""), (AccessKind, ""), (Space, "")):
        body = re.search(rf"enum \w+ {{([^}}]*WAVETRAP_{list(kinds)[0].name}\b[^}}]*)}}", HEADER)[1]
        assert re.findall(r"WAVETRAP_(\w+)", re.sub(r"/\*.*?\*/", "", body, flags=re.S)) == [prefix + k.name for k in kinds]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The programs of examples/api, as their Makefile builds them from what is installed."""
    folder = tmp_path_factory.mktemp("api")
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", folder / "root"], check=True, capture_output=True)
    config = next((folder / "root").rglob("wavetrap.pc"))
    environment = {**os.environ, "PKG_CONFIG_PATH": str(config.parent), "PKG_CONFIG_SYSROOT_DIR": str(folder / "root")}
    subprocess.run(["make", "-C", ROOT / "examples" / "api", f"OUT={folder}"], check=True, env=environment, capture_output=True)
    return folder, {**os.environ, "LD_LIBRARY_PATH": str(next((folder / "root").rglob("libwavetrap.so.0")).parent)}


@pytest.fixture(scope="module")
def mandelbrot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vortex")
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={folder}", f"{folder}/mandelbrot.rv32.elf"], check=True)
    return folder


# Without the newcomer's part (checks/newcomers).
PAGE = re.sub(r"^## A bug in 30 lines\n.*?(?=^## )", "", (ROOT / "docs" / "library.md").read_text(), flags=re.M | re.S)


def test_the_sessions_of_the_page(programs, mandelbrot):
    folder, environment = programs
    session = "".join(re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S))
    parts = re.split(r"^\$ (.*)\n", session, flags=re.M)
    assert len(parts) == 7
    for command, wanted in zip(parts[1::2], parts[2::2]):
        command = command.replace("api/", f"{folder}/").replace("build/examples", str(mandelbrot))
        assert subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=True, timeout=100).stdout == wanted


def test_the_python_of_the_page(mandelbrot):
    program = re.search(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)[1].replace("build/examples", str(mandelbrot))
    wanted = re.search(r"^```python.*?^```\n\n```\n(.*?)^```$", PAGE, re.M | re.S)[1]
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT / "contrib" / "python")},
                          capture_output=True, text=True, check=False, timeout=100)
    assert done.stdout == wanted, done.stderr


def test_the_examples_in_c(programs, tmp_path):
    """On a kernel of which the values are known."""
    folder, environment = programs
    kernel = build("vortex", tmp_path)

    def run(name, *words):
        return subprocess.run([folder / name, *words], env=environment, capture_output=True, text=True, check=True, timeout=100).stdout
    rows = run("rows", place("store"), "sum", *words_of(kernel)).splitlines()
    values = [int(v) for row in rows[:-1] for v in re.sub(r".*:", "", row).split()]
    assert set(values) >= {4 * i for i in range(64)} and "exited" in rows[-1]
    at, before = run("writer", place("store"), "sum", *words_of(kernel)).splitlines()
    assert f"line {line_of('store')}" in at and int(before.split("= ")[1]) * 2 == int(at.split("= ")[1]) and "work_on" in before
    table = run("traffic", *words_of(kernel)).splitlines()
    counts = [sum(map(int, line.split()[:2])) for line in table[1:-1]]
    assert counts == sorted(counts, reverse=True) and counts[0] >= 64 * 300 * 4 and "exited" in table[-1]


# ---- the plug-in for pytest ----

TESTS = """
    import ctypes, os, pytest

    @pytest.fixture
    def cuda():
        lib = ctypes.CDLL("libcuda.so.1")
        assert lib.cuInit(0) == 0
        context, device = ctypes.c_void_p(), ctypes.c_int()
        assert lib.cuDeviceGet(ctypes.byref(device), 0) == 0 and lib.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0
        return lib

    def launch(lib, address):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        assert lib.cuModuleLoadData(ctypes.byref(module), PTX.encode()) == 0
        assert lib.cuModuleGetFunction(ctypes.byref(function), module, b"set") == 0
        value = ctypes.c_uint64(address)
        arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(value), ctypes.c_void_p))
        assert lib.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None) == 0
        return lib.cuCtxSynchronize()

    PTX = '''.version 6.0
    .target sm_50
    .address_size 64
    .visible .entry set(.param .u64 out)
    {
     .reg .b64 %d<2>; .reg .b32 %r<2>;
     ld.param.u64 %d1, [out]; mov.u32 %r1, 42; st.global.u32 [%d1], %r1; ret;
    }'''

    def test_right(cuda):
        memory, out = ctypes.c_uint64(), ctypes.c_uint()
        assert cuda.cuMemAlloc_v2(ctypes.byref(memory), 4) == 0
        assert launch(cuda, memory.value) == 0
        assert cuda.cuMemcpyDtoH_v2(ctypes.byref(out), memory, 4) == 0 and out.value == 42

    def test_nobody_looks(cuda):
        launch(cuda, 16)

    def test_wrong():
        assert os.getpid() == 0, "its own reason"

    def test_ends():
        os._exit(3)

    def test_skipped():
        pytest.skip("no reason")
"""


def plug_in(folder, *words):
    (folder / "test_gpu.py").write_text(textwrap.dedent(TESTS))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "contrib" / "python")}
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "pytest_wavetrap", "-p", "no:cacheprovider", "-v", *words], cwd=folder,
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300)


def test_tests_run_on_an_emulated_gpu(tmp_path):
    """Each in a process of its own: a mistake of a kernel at which nobody looks fails its test, an end of the process only its own."""
    done = plug_in(tmp_path, "--wavetrap=sm")
    outcome = dict(re.findall(r"::(\w+) (PASSED|FAILED|SKIPPED|ERROR)", done.stdout))
    assert outcome == {"test_right": "PASSED", "test_nobody_looks": "FAILED", "test_wrong": "FAILED", "test_ends": "FAILED",
                       "test_skipped": "SKIPPED"}, done.stdout
    assert done.returncode == 1 and "3 failed, 1 passed, 1 skipped" in done.stdout
    assert "its own reason" in done.stdout and "ended with status 3" in done.stdout
    assert re.search(r"store.*0x10\b", done.stdout), done.stdout


def test_the_debugger_opens_at_the_fault(tmp_path):
    """At its standard input's end it leaves again."""
    done = plug_in(tmp_path, "--wavetrap=sm", "--wavetrap-debug", "-k", "nobody")
    assert "Core file" in done.stdout and re.search(r"Program (stopped|terminated) by a fault|fault", done.stdout), done.stdout
