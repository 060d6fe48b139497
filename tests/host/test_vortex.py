"""Host programs of Vortex 2.x and 3.0 on libvortex.so: exec, its reports and checks, and the debugger."""
import base64
import re
import shlex
import signal
import struct
import subprocess
import sys
import time
import zlib

import pytest

from conftest import BUILD, ROOT, WAVETRAP, environment
from vortex3 import kernels_of

HERE = ROOT / "tests" / "host"
LIBRARY = ROOT / "examples" / "vortex" / "lib"
PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf"
FOLDER = BUILD / "src" / "runtime" / "vortex"
WIDTHS = {32: ("rv32imaf_zicsr", "ilp32f", "rv32imf", "rv32imf/ilp32f"), 64: ("rv64imafd_zicsr", "lp64d", "rv64ifd", "rv64ifd/lp64d")}
SUM, TWICE = sum(2 * i for i in range(100)), sum(3 * i for i in range(100))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the program, and the kernels k32.vxbin and k64.vxbin beside their ELF files."""
    folder = tmp_path_factory.mktemp("vortex")
    for xlen, (march, abi, base, multilib) in WIDTHS.items():
        gcc = ["riscv64-unknown-elf-gcc", f"-march={base}", f"-mabi={abi}"]
        libgcc = subprocess.run([*gcc, "-print-libgcc-file-name"], check=True, text=True, capture_output=True).stdout.strip()
        elf, raw = folder / f"k{xlen}.elf", folder / "raw"
        subprocess.run([gcc[0], f"-march={march}", f"-mabi={abi}", "-Og", "-g", "-mcmodel=medany", "--param=min-pagesize=0", "-ffp-contract=off",
                        "-isystem", f"{PICOLIBC}/include", f"-I{LIBRARY}", "-nostdlib", "-nostartfiles", "-static", f"-T{LIBRARY}/vortex.ld", "-o", elf,
                        HERE / "vortex_kernel.c", *(LIBRARY / file for file in ("start.S", "diverge.S", "spawn.c", "console.c")),
                        f"{PICOLIBC}/lib/{multilib}/libc.a", libgcc], check=True)
        subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, raw], check=True)
        symbols = subprocess.run(["riscv64-unknown-elf-nm", elf], check=True, text=True, capture_output=True).stdout
        end = int(re.search(r"^(\w+) \w _end$", symbols, re.M).group(1), 16)
        (folder / f"k{xlen}.vxbin").write_bytes(struct.pack("<QQ", 0x80000000, end) + raw.read_bytes())
    for name in ("vortex_program", "vortex_misuse"):
        subprocess.run(["gcc", "-g", f"-I{ROOT / 'src'}", "-o", folder / name, HERE / f"{name}.c", f"-L{FOLDER}", "-lvortex"], check=True)
    return folder


def wavetrap(folder, *words, status=0):
    done = subprocess.run([WAVETRAP, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=120, env=environment(), check=False)
    assert status is None or done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def run(folder, *words, gpu=(), status=0, kernel="k32.vxbin", options=()):
    return wavetrap(folder, "exec", *(f"--gpu=vortex:{g}" for g in gpu), *options, "./vortex_program", kernel, *words, status=status)


def debug(folder, commands, *words, status=0):
    return wavetrap(folder, "debug", "--nx", "--batch", *(f"--ex={c}" for c in commands), *words, status=status)


def in_order(text, *parts):
    at = 0
    for part in parts:
        found = re.compile(part).search(text, at)
        assert found, f"{part!r} is not in\n{text[at:]}"
        at = found.end()


@pytest.mark.parametrize("gpu", ["xlen=32", "threads=8,warps=2", "xlen=64", "xlen=64,threads=32,warps=1"])
def test_an_unmodified_program_runs(built, gpu):
    kernel = "k64.vxbin" if "64" in gpu else "k32.vxbin"
    assert run(built, 0, 2, gpu=[gpu], kernel=kernel) == f"sum {TWICE}\n"


@pytest.mark.parametrize("shape", ["cores=2,clusters=2", "cores=8"])
def test_cores_share_the_work_of_each_launch(built, shape):
    """The program is not uploaded anew for the second and third one."""
    for launches in (1, 3):
        assert run(built, 0, launches, gpu=[shape]) == f"sum {SUM * (launches + 1) // 2}\n"


def test_kernels_print_and_are_counted(built):
    said = run(built, 2, options=["--stats", "--log-calls"])
    in_order(said, r"vx_dev_open\(\*0x", r"vx_upload_kernel_file\(.*k32.vxbin.* = VX_SUCCESS", r"kernel k32.vxbin on device 0: \d+ instructions",
             r"vx_ready_wait\(.* = VX_SUCCESS", "1 kernel was launched on the emulated Vortex")
    assert "#0: count 100\n" in said


def test_translated_code_is_counted(built):
    """As `run --stats` does, over all launches."""
    said = [run(built, 0, 40, gpu=[f"jit={jit}"], options=["--stats", *more]) for jit, more in ((0, []), (1, []), (1, ["--no-jit"]))]
    assert "translated" not in said[0] + said[2] and re.search(r"^wavetrap: \d+ blocks? translated, in which \d{3,} of the instructions were$", said[1], re.M), said


def test_the_wrong_width_is_named(built):
    assert "the kernel is RV64, the device RV32: give -g vortex:xlen=64" in run(built, kernel="k64.vxbin", status=1)


def test_a_fault_is_reported_with_its_line(built):
    core = built / "core"
    said = run(built, 1, status=1, options=[f"--core-on-fault={core}", "--stats"])
    in_order(said, r"wavetrap: divergent branch", r"core 0, warp 1, thread 1, issue time \d+", r"<stray\+\d+> at vortex_kernel.c:\d+", "beq",
             "of the kernel k32.vxbin", "1 kernel on the emulated Vortex ended by a fault")
    assert "vx_ready_wait(device, mode == 3 ? 10 : VX_MAX_TIMEOUT): -1" in said
    in_order(debug(built, ["info waves", "bt"], f"--core={core}"), "divergent branch", "warp 1 .*stray", r"#0  .*stray \(p=0x[0-9a-f]+, i=5\)")


def test_a_wait_ends_after_its_time(built):
    assert "VX_MAX_TIMEOUT): -1" in run(built, 3, status=1)


def test_checks_know_buffers(built):
    in_order(run(built, 4, options=["--check=memory"], status=115), "out-of-bounds store of 4 bytes", "beyond at .*vortex_kernel.c",
             "(the . bytes just|.* bytes) past the end of an allocation of 400 bytes", "allocated by vx_mem_alloc", "main at .*vortex_program.c")
    in_order(run(built, 5, options=["--check=leak"], status=115), "leak: vx_upload_bytes", "an allocation of 32 bytes")
    assert "0 errors" in run(built, options=["--check=memory,leak,init"])


def test_misuse_gives_codes_and_never_ends_the_program(built):
    said = wavetrap(built, "exec", "--log-calls", "./vortex_misuse", "k32.vxbin")
    assert "wrong" not in said, said
    for code in ("INVALID_HANDLE", "INVALID_VALUE", "OUT_OF_DEVICE_MEMORY", "NOT_SUPPORTED"):
        assert f"VX_ERR_{code}: " in said


def test_a_kernel_is_debugged(built):
    core = built / "host"
    said = debug(built, ["break add if i == 50", "run", "print *args", "bt", "info dispatches", "info groups", "watch *(int *)0x120d0", "delete 1", "continue",
                         "who-wrote *(int *)0x120d0", f"generate-core-file {core} all", "reverse-continue", "delete", "continue", "continue", "x/2dw 0x120d0"],
                 "-g", "vortex", "./vortex_program", "k32.vxbin", 0, 2)
    in_order(said, "Breakpoint 1 .add. pending", r"device 0, dispatch 1, group .0,0,0., core 0, warp 0, thread 2", r"add \(p=0x13000, i=50\)",
             r"count = 100, mode = 0, a = 65536", "#1 .*run_range", r"dispatch 1", "dispatch 2", "Old value = 104\nNew value = 156", "dispatch 2.*add", "was 104, is 156",
             "Old value = 156\nNew value = 104", f"sum {TWICE}", "exited normally", "0x120d0:\t156\t159")
    in_order(debug(built, ["break add", "reverse-continue", "print i"], f"--core={core}"), "Breakpoint 1, add", r"\$1 = 52")


def test_the_past_goes_over_launches(later):
    """Back from the second launch into the first one, which nothing changes any more; who wrote what tells of the host, too."""
    said = debug(later, ["break kernel_main if blockIdx.y == 1 && threadIdx.x == 2", "run", "print blockIdx", "print threadIdx", "print blockDim", "print gridDim.y", "break add if threadIdx.x == 1",
                         "reverse-continue", "print blockIdx", "info dispatches", "goto start", "reverse-stepi", "goto end", "who-wrote *(int *)args->c 9", "who-wrote *(int *)args->a", "who-wrote *args 9",
                         "goto 7", "who-wrote *args 9", "goto end", "delete", "continue"], "-g", "vortex", "./vortex3_program", "m32.vxbin", "compute")
    in_order(said, r"group \(0,1,0\), core 0, warp 0, thread 2", r"\{x = 0, y = 1, z = 0\}", r"\{x = 2, y = 0, z = 0\}", r"\{x = 4, y = 2, z = 1\}", "= 3\n", r"dispatch 1, group \(3,2,0\), core 0, warp 2, thread 1",
             r"\{x = 3, y = 2, z = 0\}", r"dispatch 1  add  grid of \(4,3,1\) groups of \(4,2,1\)", "Issue time 0", "the recorded run begins here",
             r"Issue time \d+\n.device 0, dispatch 2, group \(0,1,0\)", r"dispatch 2, group \(0,0,0\), core 0, warp 0, thread 0, work-item \(0,0,0\) at .*kernel_main", r"dispatch 1, group \(0,0,0\), core 0, warp 0, thread 0, work-item \(0,0,0\) at .*add", "was 0, is 0",
             r"time 0: the host, call (\d+): vx_enqueue_write wrote 384 bytes at 0x10000\n", r"time [1-9]\d*: the host, call (\d+): vx_enqueue_launch wrote 16 bytes", r"time 0: the host, call (\d+): vx_enqueue_launch",
             r"Issue time 7\n", r"time 0: the host, call (\d+): vx_enqueue_launch wrote 16 bytes", COMPUTED)
    assert "the program has seen what this kernel did" in debug(later, ["break kernel_main", "run", "goto 7", "set var *(int *)args->c = 1"], "-g", "vortex", "./vortex3_program", "m32.vxbin", "compute", status=None)
    said = debug(later, ["break kernel_main", "run", "who-wrote *(int *)args->a"], "--check=memory", "-g", "vortex", "./vortex3_program", "m32.vxbin", "compute")
    in_order(said, "vx_enqueue_write wrote 384 bytes", "begin at .*vortex3_program.c", "main at .*vortex3_program.c")


TWO = ("-g", "vortex", "-g", "vortex:threads=8", "./vortex3_program", "m32.vxbin", "compute", "o32.vxbin")


def test_one_debugger_follows_two_devices(later):
    """They have programs of their own, which lie at the same addresses."""
    where = {}
    for stem in ("m32", "o32"):
        nm = subprocess.run(["riscv64-unknown-elf-nm", later / f"{stem}.elf"], check=True, text=True, capture_output=True).stdout
        where[stem] = int(re.search(r"^(\w+) T add$", nm, re.M).group(1), 16)
    assert where["m32"] != where["o32"]
    core = later / "second"
    said = debug(later, ["break add if $_lane == 2", "run", "print args->c", "print $pc", "finish", "info breakpoints", "delete", "break kernel_main if $_core == 1", "continue", "backtrace", "print *args", "print threadIdx",
                         "info devices", "info dispatches", "info groups", "next", "stepi", "x/i $pc", "watch *(int *)0x12008", "delete 2", "continue", "print $_core", f"generate-core-file {core}", "delete",
                         "tbreak add", "continue", "delete", "reverse-stepi"], *TWO, status=1)
    in_order(said, r"device 0, dispatch 1, group \(0,0,0\), core 0, warp 0, thread 2", r"add \(args=0x\w+\)", r"= 73728", r"\(void \(\*\)\(\)\) 0x\w+ <\w*add(\+\d+)?>", r"in _start", f"0x1000000{where['m32']:08x} in add",
             r"device 1, dispatch 4, group \(0,0,0\), core 1, warp 0, thread 0; threads 0-7 enabled", r"#0  kernel_main \(args=0x\w+\) at .*:27", r"#1 .* in _start", r"factor = 3, a = 65536", r"\{x = 0, y = 0, z = 0\}",
             r"  0  vortex .*\n\* 1  vortex", r"\* device 1 dispatch 4  kernel_main  grid of \(4,3,1\) groups of \(4,2,1\)", r"device 1 dispatch 4 group \(0,0,0\) on core 1, place 0", r"=> 0x2000000800",
             "Hardware watchpoint 3", "Old value = 4\nNew value = 12\n", r"= 1\n", "Saved corefile", r"device 0, dispatch 5, .*core 0", "add ",
             "nothing is recorded of a program with several GPUs")
    assert "kernel_main" in debug(later, ["backtrace", "info waves"], f"--core={core}")
    said = debug(later, ["run", "backtrace", "continue", "backtrace", "continue", "continue"], *TWO[:-2], "fail", "o32.vxbin")
    in_order(said, "device 0, dispatch 1", "misaligned store", "#0 .*stray .*:45", "device 1, dispatch 4", "misaligned store", r"#0  0x2\w+ in stray .*:45", "device 0, dispatch 7", "exited normally")
    assert "are of two kinds" in debug(later, ["run"], "-g", "vortex", "-g", "vortex:xlen=64", *TWO[4:], status=None)
    assert "each of 2 GPUs has code at 0x80000100: 0x100000080000100 is that of device 0" in debug(later, ["tbreak add", "run", "break *0x80000100"], *TWO, status=None)
    assert "'wavetrap debug' follows them all" in wavetrap(later, "exec", "--gdb=:0", *TWO, status=125)


def test_a_debugger_comes_to_two_devices(later):
    program = subprocess.Popen([WAVETRAP, "exec", *TWO], cwd=later, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**environment(), "WAVETRAP_HELD": "1"})
    try:
        while not re.search(rf"{program.pid} +2 +vortex", wavetrap(later, "ps")):
            assert program.poll() is None
        said = debug(later, ["break kernel_main if $_core == 1", "continue", "detach"], f"--pid={program.pid}")
        in_order(said, r"device 1, dispatch 4, group \(0,0,0\), core 1, warp 0, thread 0", "kernel_main ", "Detached")
        assert program.communicate(timeout=60)[0] == 3 * COMPUTED  # without a breakpoint that was left
    finally:
        program.kill()
        program.wait()


def test_dispatches_are_caught(later):
    """At their first instructions and at their ends, which the lanes as a page are of, too."""
    words = ("-g", "vortex", "./vortex3_program", "m32.vxbin", "compute")
    in_order(debug(later, ["break _start", "run", "info dispatches"], *words), "in _start", r"dispatch 1  add  grid")
    in_order(debug(later, ["catch dispatch begin", "run", "continue", "continue"], *words), r"dispatch 1, group \(0,0,0\)", "dispatch begin.*add ", r"dispatch 2, group \(0,0,0\)", "kernel_main", COMPUTED)
    in_order(debug(later, ["catch dispatch end", "run", "info waves", "x/i $pc", "continue", "continue"], *words), r"dispatch 1, group \(3,2,0\)", r"\n\* device 0, dispatch 1, .* index \d", "tmc",
             r"dispatch 2, group \(3,2,0\)", COMPUTED)
    page = later / "page.html"
    wavetrap(later, "view", f"--export={page}", *words)
    packed = re.search(r'id="recording">(.*?)</script>', page.read_text()).group(1)
    assert b"vortex3_kernel.c" in zlib.decompress(base64.b64decode(packed))


def test_an_editor_debugs_it(later):
    sys.path.insert(0, str(ROOT / "tests" / "dap"))
    from dap import Client  # noqa: PLC0415
    with Client() as client:
        client.start(prepare=lambda own: own.functions("kernel_main"), program=str(later / "vortex3_program"), args=[str(later / "m32.vxbin"), "compute"], gpu="vortex")
        stop = client.stopped()
        frame = client.top(stop)
        assert frame["name"].startswith("kernel_main") and client.value("args->factor", frame) == "3" and client.value("blockIdx.x + gridDim.x", frame) == "4"
        dispatch = client.variables(client.scopes(frame)["Dispatch"])
        assert dispatch["kernel"]["value"] == "kernel_main" and dispatch["work-items of a group"]["value"] == "(4,2,1)"
        client.functions("add")
        stop = client.go("reverseContinue", stop)
        assert client.top(stop)["name"].startswith("add")
        client.functions()
        name, body = "stopped", stop
        while name == "stopped":
            client.ask("continue", threadId=body["threadId"])
            name, body = client.event("stopped", "exited")
        assert client.output("stdout") == COMPUTED


def test_a_fault_stops_in_the_debugger(built):
    said = debug(built, ["run", "bt", "reverse-stepi", "continue", "continue"], "-g", "vortex", "./vortex_program", "k32.vxbin", 1, status=1)
    in_order(said, "Program stopped by a fault: divergent branch", "#0 .*stray", "Program stopped by a fault", "exited with code 01")


def test_a_debugger_comes_and_goes(built):
    program = subprocess.Popen([WAVETRAP, "exec", "./vortex_program", "k32.vxbin", "6"], cwd=built, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment())
    try:
        while not re.search(rf"{program.pid} +1 +vortex", listed := wavetrap(built, "ps")):
            assert program.poll() is None, listed
        said = debug(built, ["info waves", "print forever", "set var forever = 0", "detach"], f"--pid={program.pid}")
        in_order(said, "<main.* at vortex_kernel.c", r"\$1 = 1")
        assert f"sum {SUM}" in program.communicate(timeout=60)[0]
        assert program.returncode == 0
    finally:
        program.kill()
        program.wait()


class Gdb:
    """A program under exec --gdb, and stock GDB on its device."""

    def __init__(self, folder, *program, host=(), options=()):
        self.socket = folder / "gdb.socket"
        self.socket.unlink(missing_ok=True)
        self.program = subprocess.Popen([WAVETRAP, "exec", f"--gdb=unix:{self.socket}", *options, *host, *map(str, program)], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=environment())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.kill()
        self.program.wait()

    def start(self, *commands, file=()):
        while not self.socket.exists():
            assert self.program.poll() is None, self.program.stdout.read()
            time.sleep(0.02)
        return subprocess.Popen(["gdb-multiarch", "-nx", "-batch", "-ex", f"target remote {self.socket}", *(f"-ex={c}" for c in commands), *map(str, file)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment())

    def run(self, *commands, file=()):
        return self.start(*commands, file=file).communicate(timeout=120)[0]

    def end(self, typed=None):
        said = self.program.communicate(typed, timeout=60)[0]
        return self.program.returncode, said


@pytest.mark.parametrize("xlen", [32, 64])
def test_stock_gdb_debugs_kernels_of_2_x(built, xlen):
    """Over two launches, with the ELF file that is beside the kernel, forwards, backwards, to the program's end."""
    with Gdb(built, "./vortex_program", f"k{xlen}.vxbin", 0, 2, options=["--gpu", f"vortex:xlen={xlen}"]) as gdb:
        in_order(gdb.run("break add if i == 50", "continue", "print *args", "backtrace", "info threads", "x/i $pc", "stepi", "reverse-stepi", "print $pc == (void *)add", "set $t3 = 7", "print $t3", "set $dscratch0 = 0x1234", "print $dscratch0", "print $vx_num_warps",
                         "next", "continue", "delete", "continue"),
                 r"Reading symbols from target:.*k\d\d.elf", r"_start \(\)", "dispatch 1, group .0,0,0., core 0, warp 0, thread 2. hit Breakpoint 1, add .p=0x13000, i=50", r"count = 100, mode = 0, a = 65536",
                 r"#1 .* run_range", r"\* \d+ .*warp 0, thread 2", "=> 0x8", "15\t", r"\n\$2 = 1", "= 7", "= 4660", "= 4\n", "16\t", "dispatch 2, .*hit Breakpoint 1", "exited normally")
        assert gdb.end()[1].count(f"sum {TWICE}\n") == 1


@pytest.mark.parametrize("xlen", [32, 64])
def test_stock_gdb_debugs_kernels_of_3_0(later, xlen):
    with Gdb(later, "./vortex3_program", f"m{xlen}.vxbin", "compute", options=["--gpu", f"vortex:xlen={xlen}"]) as gdb:
        in_order(gdb.run("break kernel_main", "continue", "print *args", "print/d $vx_cta_block_dim_y", "finish", "kill", file=[later / f"m{xlen}.elf"]),
                 r"dispatch 2, group \(0,0,0\), core 0, warp 0, thread 0. hit Breakpoint 1, kernel_main", "factor = 3", r"\$2 = 2", "in _start", "killed")
        assert gdb.end()[0] == -signal.SIGKILL


def test_queues_and_what_waits_are_told(built, later, driver):
    """Of the host's queues what runs, what is behind it, and who waits for whom; of a ring, which another libvortex.so fills, its commands."""
    said = debug(later, ["break add", "run", "info dispatches", "info queues", "delete", "continue"], "-g", "vortex", "./vortex3_program", "m32.vxbin", "line")
    in_order(said, r"\* dispatch 1  add  grid.*\n  not begun, queue (0x\w+): vx_enqueue_launch main \(call \d+\) waits for event (0x\w+) of vx_enqueue_launch to reach 1; it is at 0\n"
             r"queue 0x\w+ of device 0: 2 of 3 commands have ended\n  runs: vx_enqueue_launch add \(call \d+\)\n"
             r"queue \1 of device 0: 0 of 2 commands have ended\n  then: vx_enqueue_launch main \(call \d+\) waits for event \2 of .*\n  then: vx_enqueue_read \(call \d+\)\n"
             r"thread \d+: vx_queue_finish waits for queue \1\n", "sum", "exited normally")
    assert "No queue has a dispatch now" in debug(built, ["break add", "run", "info queues"], "-g", "vortex", "./vortex_program", "k32.vxbin"), "2.x has none"
    nm = subprocess.run(["riscv64-unknown-elf-nm", later / "m32.elf"], check=True, text=True, capture_output=True).stdout
    add = re.search(r"^(\w+) \w add$", nm, re.M).group(1)
    said = debug(later, ["break add", "run", "info queues", "info dispatches", "delete", "continue"], "-g", "vortex", "./vortex_driver", "libvortex-wavetrap.so", "line", "m32.vxbin", add)
    in_order(said, r"queue 0: a ring of 0x\w+ bytes at 0x\w+, \d+ commands carried out\n  runs: command (\d+): LAUNCH\n  then: command \d+: EVENT_SIG 0x20000, 0x7\n"
             r"  then: command \d+: EVENT_WAIT 0x20000, 0x7, 0x0\n  then: command (\d+): LAUNCH\n\* dispatch 1  add.*\n  not begun: LAUNCH of command \2\n", "both have ended")


def test_symbols_come_from_a_file_that_the_user_names(built, tmp_path):
    """It waits for the upload, and is taken for the code that has its bytes."""
    (tmp_path / "k.vxbin").write_bytes((built / "k32.vxbin").read_bytes())
    words = ("-g", "vortex", built / "vortex_program", tmp_path / "k.vxbin")
    in_order(debug(built, ["break *0x80000000", "run", "bt", "info sharedlibrary"], *words), r"#0  0x80000000 in \?\?", "No code is loaded", "k.vxbin: no ELF file was found for it")
    in_order(debug(built, ["symbol-file k32.elf", "break add", "run", "info sharedlibrary"], *words), "Symbols of k32.elf pending", "add .*vortex_kernel.c", "k32.elf")
    assert "no ELF file was found for it" in debug(built, ["symbol-file k64.elf", "run"], *words)
    assert "name the file before 'run'" in debug(built, ["break *0x80000000", "run", "symbol-file k32.elf"], *words, status=None)


def test_dispatches_of_2_x_are_caught(built):
    said = debug(built, ["catch dispatch begin", "run", "continue", "continue"], "-g", "vortex", "./vortex_program", "k32.vxbin", 0, 2)
    in_order(said, r"dispatch 1, group \(0,0,0\), core 0, warp 0", r"Catchpoint 1 \(dispatch begin\), _start", "dispatch 2, ", r"Catchpoint 1 \(dispatch begin\), _start", f"sum {TWICE}", "exited normally")


@pytest.mark.parametrize("cores,place", [(1, "core 0, warp 0"), (4, r"core \d, warp 0")])
def test_ends_of_2_x_are_caught(built, cores, place):
    """The last instruction of the last warp that is left, in each launch; the warps of jobs within it end before."""
    said = debug(built, ["catch dispatch end", "run", "info waves", "x/i $pc", "continue", "info waves", "continue"], "-g", f"vortex:cores={cores}", "./vortex_program", "k32.vxbin", 0, 2)
    stop = rf"dispatch {{}}, group \(\d,0,0\), {place}, thread 0.*\n\nCatchpoint 1 \(dispatch end\), .*\n.*\n\* device 0, dispatch {{}}, .* index 0  threads 0 .*\n"
    in_order(said, stop.format(1, 1) + r"=> 0x\w+ <.*>:\tvx_tmc zero\nContinuing", stop.format(2, 2) + "Continuing", f"sum {TWICE}", "exited normally")


def test_the_program_goes_on_when_gdb_detaches(later):
    with Gdb(later, "./vortex3_program", "m32.vxbin", "compute") as gdb:
        in_order(gdb.run("break add", "continue", "detach"), "hit Breakpoint 1, add", "detached")
        status, said = gdb.end()
        assert status == 0
        in_order(said, "code that was loaded is that of .*m32.elf", "before the first instruction of its first launch", "the client has detached; the program continues", COMPUTED)


def test_gdb_interrupts_a_program_between_its_launches(built):
    """GDB cannot show a program without threads: the stop is at the next launch, also of a breakpoint that was set there."""
    with Gdb(built, "./vortex_program", "k32.vxbin", 7, 2) as gdb:
        client = gdb.start("continue", "print $pc == (void *)_start", "break add", "continue", "delete", "continue")
        while "launch 2 waits" not in (line := gdb.program.stdout.readline()):
            assert line
        client.send_signal(signal.SIGINT)
        while "No kernel runs: the stop is before the first instruction of the next launch." not in (line := client.stdout.readline()):
            assert line
        gdb.program.stdin.write("\n")
        gdb.program.stdin.flush()
        in_order(client.communicate(timeout=60)[0], "received signal SIGINT", r"\$1 = 1", "dispatch 2, .*hit Breakpoint 1, add", "exited normally")
        assert gdb.end()[0] == 0


def test_gdb_debugs_both_halves(later):
    """One GDB the host program, which it starts, another one its kernels."""
    host = ["gdb-multiarch", "-nx", "-batch", "-ex=set breakpoint pending on", "-ex=break vx_device_release", "-ex=run", "-ex=backtrace", "-ex=continue", "--args"]
    with Gdb(later, "./vortex3_program", "m32.vxbin", "compute", host=host) as gdb:
        in_order(gdb.run("break kernel_main", "continue", "delete", "continue"), "hit Breakpoint 1, kernel_main", "exited normally")
        in_order(gdb.end()[1], "a client has connected", "hit Breakpoint 1, .*vx_device_release", r"#\d+ .* main \(", "exited normally")


def test_gdb_is_not_for_every_program(built):
    assert "the program has ended, and has opened no GPU that GDB knows" in wavetrap(built, "exec", "--gdb=:0", "-g", "vortex", "true")
    assert "GDB knows the instruction set of no GPU that is given" in wavetrap(built, "exec", "--gdb=:0", "-g", "gen9", "true", status=125)
    assert "the program has standard input" in wavetrap(built, "exec", "--gdb=stdio", "-g", "vortex", "true", status=125)


def test_ctrl_c_says_where_the_warps_are(built):
    program = subprocess.Popen([WAVETRAP, "exec", "./vortex_program", "k32.vxbin", "6"], cwd=built, stderr=subprocess.PIPE, text=True, env=environment())
    try:
        while not re.search(rf"{program.pid} +1 +vortex", wavetrap(built, "ps")):
            assert program.poll() is None
        assert "main" in debug(built, ["info waves", "detach"], f"--pid={program.pid}")  # the kernel has begun
        program.send_signal(signal.SIGINT)
        in_order(program.communicate(timeout=60)[1], "interrupted: vortex, issue time .*: kernel k32.vxbin runs", "main")
        assert program.returncode == -signal.SIGINT
    finally:
        program.kill()
        program.wait()


def test_the_page_is_true(built, later):
    """Its sessions, but for the folders of source files, are what happens."""
    page = (ROOT / "docs" / "vortex-programs.md").read_text()
    for session in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S):
        for command, wanted in re.findall(r"^\$ wavetrap (.*)\n((?:(?!\$ ).*\n)*)", session, re.M):
            words = shlex.split(command.replace("debug ", "debug --nx "))
            done = subprocess.run([WAVETRAP, *words], cwd=later if "./vortex3_" in command else built, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, env=environment(), check=False)
            said = re.sub(r"(at|file) /\S*/(\w+\.\w[:,])", r"\1 \2", done.stdout)
            assert re.sub(r"thread \d+:", "thread 4711:", said) == wanted, command


# What libvortex.so of 3.0 exports.
EXPORTS = {
    "dev": "open close caps", "mem": "alloc reserve free access address info", "copy": "to_dev from_dev dev_to_dev", "dcr": "read write",
    "upload": "kernel_bytes kernel_file bytes file", "": "start ready_wait mpm_query check_occupancy max_occupancy_grid dump_perf result_string",
    "device": "count open retain release query memory_info mpm_query dump_perf max_occupancy_grid",
    "buffer": "create reserve retain release address access map unmap", "module": "load_file load_bytes retain release get_kernel",
    "kernel": "retain release address get_max_block_size", "queue": "create retain release flush finish",
    "enqueue": "launch commands draw copy read write read_rect write_rect copy_rect fill_buffer map unmap barrier dcr_write dcr_read signal wait_value",
    "event": "create signal get_value wait_value wait_values retain release get_profiling",
}


def test_the_library_exports_what_programs_call():
    nm = subprocess.run(["nm", "-D", "--defined-only", FOLDER / "libvortex.so"], check=True, text=True, capture_output=True).stdout
    wanted = {"_".join(filter(None, ("vx", of, name))) for of, names in EXPORTS.items() for name in names.split()}
    assert len(wanted) == 81
    ends = {"_exit", "_Exit"}  # the library stands before libc's: it writes reports and results for explore, then ends the program
    assert {line.split()[2] for line in nm.splitlines()} == wanted | ends
    assert "soname: [libvortex.so]" in subprocess.run(["readelf", "-d", FOLDER / "libvortex.so"], check=True, text=True, capture_output=True).stdout


# ---- 3.0 ----

@pytest.fixture(scope="module")
def later(tmp_path_factory):
    """A folder with programs of 3.0, and kernels m32.vxbin and m64.vxbin with a table of them, p32.vxbin without one, each beside its ELF file. Those of o32.vxbin lie elsewhere."""
    folder = tmp_path_factory.mktemp("vortex3")
    for letter, xlen, level in (("m", 32, "-O1"), ("m", 64, "-O1"), ("o", 32, "-Os")):
        elf = folder / f"{letter}{xlen}.elf"
        image = kernels_of(HERE / "vortex3_kernel.c", elf, xlen, level)
        if letter == "o":
            continue
        (folder / f"p{xlen}.vxbin").write_bytes(image)
        (folder / f"p{xlen}.elf").write_bytes(elf.read_bytes())
    for name in ("vortex3_program", "vortex3_misuse", "vortex3_legacy"):
        subprocess.run(["gcc", "-g", f"-I{ROOT / 'src'}", "-o", folder / name, HERE / f"{name}.c", f"-L{FOLDER}", "-lvortex", "-pthread"], check=True)
    return folder


@pytest.fixture(scope="module")
def driver(later):
    """vortex_driver.c: what upstream's libvortex.so does with a driver's library."""
    subprocess.run(["gcc", "-g", "-o", later / "vortex_driver", HERE / "vortex_driver.c", "-ldl"], check=True)

    def drive(work, *options, xlen=32, status=0):
        nm = subprocess.run(["riscv64-unknown-elf-nm", later / f"m{xlen}.elf"], check=True, text=True, capture_output=True).stdout
        places = [re.search(rf"^(\w+) \w {name}$", nm, re.M).group(1) for name in ("add", "kernel_main", "stray")]
        said = wavetrap(later, "exec", *options, "./vortex_driver", "libvortex-wavetrap.so", work, f"m{xlen}.vxbin", *places, status=status)
        assert "wrong" not in said, said
        return said
    return drive


def run3(folder, work, *options, kernel="m32.vxbin", status=0):
    said = wavetrap(folder, "exec", *options, "./vortex3_program", kernel, work, status=status)
    assert "wrong" not in said, said
    return said


# What is in c: add makes it twice the place, main multiplies by 3 and adds the number of the block.
C = [3 * 2 * i + (i // 16 // 2) * 4 + i % 16 // 4 for i in range(96)]
COMPUTED = f"sum {sum((i + 1) * c for i, c in enumerate(C))}\n"


@pytest.mark.parametrize("kernel", ["m32.vxbin", "p32.vxbin", "m64.vxbin"])
@pytest.mark.parametrize("shape", ["threads=4", "cores=2,threads=2", "clusters=2,warps=1,threads=8", "threads=1"])
def test_launches_of_3_0_run(later, shape, kernel):
    """Kernels by name, with a table of them or the ELF file's symbols; grid, block, cluster and local memory."""
    assert run3(later, "compute", f"--gpu=vortex:{shape},xlen={kernel[1:3]}", kernel=kernel) == COMPUTED


@pytest.mark.parametrize("schedule", ["rr:64", "rr:1", "lockstep", "random:7"])
def test_queues_and_threads_have_one_result(later, schedule):
    assert run3(later, "order", f"--schedule={schedule}", "--gpu=vortex:cores=2") == COMPUTED


@pytest.mark.parametrize("work,numbers", [("signals", [1] * 96), ("move", [2 * i for i in range(96)]), ("lives", range(96))])
def test_functions_of_3_0(later, work, numbers):
    assert f"sum {sum((i + 1) * n for i, n in enumerate(numbers))}\n" in run3(later, work, "--check=memory,leak")


def test_info_says_which_version_code_needs(built, later):
    """By the instructions, not by the data behind them: k32's table of powers of ten has a word that would be one of 3.0."""
    for file in (built / "k32.vxbin", built / "k64.vxbin"):
        assert "needs: no instruction and no CSR of profile v3" in wavetrap(built, "info", file)
    assert "needs: profile v3, since it names its kernels" in wavetrap(later, "info", "m32.vxbin")
    for file in ("p32.vxbin", "p64.vxbin"):
        assert re.search(r"needs: profile v3: 0x800000\w+ has an instruction or a CSR of it", wavetrap(later, "info", file))


@pytest.mark.parametrize("gpu", ["threads=4", "threads=8,cores=2,xlen=64", "threads=1"])
def test_every_register_of_the_device_is_used(built, later, gpu):
    """Each that `info --profile` lists: 3.0's are read back and say what a launch does; 2.x has some that can only be written."""
    def listed(profile):
        said = wavetrap(built, "info", "--profile", "-g", f"vortex:profile={profile}")
        rows = re.findall(r"^ +DCR (0x\w+)(?:-(0x\w+))? ", said[said.index(f"profile {profile}:"):].split("\nprofile ")[0], re.M)
        return [number for first, last in rows for number in range(int(first, 16), int(last or first, 16) + 1)]
    said = run3(later, "registers", f"--gpu=vortex:{gpu}", kernel="m64.vxbin" if "64" in gpu else "m32.vxbin")
    assert COMPUTED in said and sorted(int(n, 16) for n in re.findall(r"^register (\w+)$", said, re.M)) == listed("v3")
    said = run(built, 8)
    assert f"sum {SUM}\n" in said and [int(n, 16) for n in re.findall(r"^register (\w+)$", said, re.M)] == listed("v2")


def steps(n):
    count = 0
    while n != 1:
        n, count = 3 * n + 1 if n & 1 else n // 2, count + 1
    return count


def parted(i):
    """What kernel `part` computes."""
    n = i + 1
    value = [2 * n if n < 50 else n + steps(3), steps(n), n][i % 3]
    return value + sum(i if k & 1 else steps(k + 2) for k in range(i % 5))


@pytest.mark.parametrize("kernel", ["m32.vxbin", "m64.vxbin"])
@pytest.mark.parametrize("schedule", ["rr:64", "rr:1", "lockstep", "random:3"])
@pytest.mark.parametrize("threads", [4, 8])
def test_lanes_part_where_that_is_wanted(later, threads, schedule, kernel):
    gpu = f"--gpu=vortex:threads={threads},xlen={kernel[1:3]}"
    assert f"sum {sum((i + 1) * parted(i) for i in range(96))}\n" in run3(later, "part", gpu + ",divergence=auto", f"--schedule={schedule}", kernel=kernel)


def test_parted_lanes_are_told_of(later):
    assert "divergent branch: the lanes named take it" in wavetrap(later, "exec", "./vortex3_program", "m32.vxbin", "part", status=None)
    gpu = "--gpu=vortex:divergence=auto"
    assert "misaligned store of 4 bytes" in (said := run3(later, "fail", gpu)) and "(divergence=auto)" in said
    in_order(wavetrap(later, "exec", gpu, "./vortex3_program", "m32.vxbin", "apart", status=None), r"an instruction of the whole warp, which its other lanes cannot reach: they wait at others \(divergence=auto\)", "apart", "tmc")
    core = later / "parted"
    said = debug(later, ["break steps if $_mask != 15 && n == 2", "run", "info divergence", "print $_mask", "info lanes", f"generate-core-file {core} all", "reverse-stepi", "stepi", "info divergence", "delete", "continue"],
                 gpu, "./vortex3_program", "m32.vxbin", "part")
    in_order(said, r"threads? [\d,-]+ (is|are) enabled, at .*steps", "divergence=auto: lanes part at any branch", r"threads? [\d,-]+ waits?, and continues? at 0x", f"sum {sum((i + 1) * parted(i) for i in range(96))}\n")
    again = debug(later, ["info divergence", "reverse-stepi", "info divergence"], f"--core={core}")
    in_order(again, r"threads? [\d,-]+ (is|are) enabled, at .*steps", "divergence=auto", "waits?, and continues? at")
    assert re.search(r"threads? .*?enabled.*\n.*\n(.*wait.*\n)+", said).group(0) == re.search(r"threads? .*?enabled.*\n.*\n(.*wait.*\n)+", again).group(0)


@pytest.mark.parametrize("kernel", ["m32.vxbin", "m64.vxbin"])
def test_thread_local_variables_lie_behind_the_image(later, kernel):
    """They are no error of the check; what is behind the last one is, and is disassembled by the kernel's width."""
    gpu = f"--gpu=vortex:xlen={kernel[1:3]}"
    assert "0 errors" in run3(later, "own", "--check=memory", gpu, kernel=kernel)
    said = run3(later, "beyond", "--check=memory", gpu, kernel=kernel, status=115)
    in_order(said, "out-of-bounds store of 4 bytes", "beyond at .*vortex3_kernel.c")
    assert "0 errors" in run3(later, "own", "--check=memory", "--gpu=vortex:profile=v3", kernel="p32.vxbin")


def test_what_cannot_be_is_said_at_the_start(built):
    for key in ("cores=3", "clusters=6", "cores=256"):
        assert f"{key}: host programs see powers of two, up to 128" in run(built, gpu=[key], status=1)
    (built / "cuda.c").write_text("int cuInit(unsigned); int main(void) { return cuInit(0); }")
    subprocess.run(["gcc", "-o", "cuda", "cuda.c", BUILD / "src" / "runtime" / "cuda" / "libcuda.so.1"], cwd=built, check=True)
    assert "is linked with libcuda.so.1, the library of an sm: give --gpu=sm" in wavetrap(built, "exec", "-g", "vortex", "./cuda", status=126)


def test_a_fault_fails_its_event_and_what_waits_for_it(later):
    said = run3(later, "fail", "--log-calls")
    in_order(said, "misaligned store of 4 bytes", r"<.*stray\+\d+> at vortex3_kernel.c:\d+", "of the kernel stray", "kernel main on device 0")
    in_order(said, "vx_enqueue_launch.*\"stray\"", "vx_enqueue_barrier.* = VX_ERR_DEVICE_LOST: not done: an event that it waited for has failed")
    assert COMPUTED in said


def test_a_kernel_of_3_0_is_debugged(later):
    said = debug(later, ["break kernel_main", "run", "bt", "print *args", "info dispatches", "info groups", "delete", "reverse-stepi", "continue", "continue"], "-g", "vortex", "./vortex3_program", "m32.vxbin", "compute")
    in_order(said, "Breakpoint 1 .kernel_main. pending", r"device 0, dispatch 2,.*core 0, warp 0, thread 0", r"#0  kernel_main .args=0x", "#1 .*_start",
             r"factor = 3, a = 65536, b = 69632", r"dispatch 2  kernel_main  grid of \(4,3,1\) groups of \(4,2,1\)  4 warps of 2 groups active",
             r"dispatch 2 group \(0,0,0\) on core 0, place 0, local memory 0xffff0000..0xffff001f", r"group \(1,0,0\) on core 0, place 1, local memory 0xffff0040..0xffff005f", COMPUTED, "exited normally")


@pytest.mark.parametrize("work,waits", [("nobody", [r"thread \d+: vx_queue_finish waits for queue (\w+)\n  queue \1 of device 0: 2 of 4 commands have ended\n    then: vx_enqueue_barrier \(call \d+\) waits for "
                                                    r"event 0x[0-9a-f]+ of vx_event_create to reach 1; it is at 0\n    then: vx_enqueue_read \(call \d+\)\n"]),
                                        ("join", [r"thread \d+: vx_event_wait_value waits for event \w+ of vx_event_create to reach 1", "1 other thread of the program sleeps"])])
def test_a_wait_for_nobody_ends_with_a_report(later, work, waits):
    in_order(run3(later, work, status=121), "nobody will signal what the program waits for", *waits)


def test_misuse_of_3_0_gives_codes(later):
    said = wavetrap(later, "exec", "-g", "vortex", "-g", "vortex", "--log-calls", "./vortex3_misuse", "m32.vxbin")
    assert "wrong" not in said and "done\n" in said, said
    calls = set(re.findall(r"^(vx_\w+)\(", said, re.M))
    assert calls >= {f"vx_{of}_{name}" for of, names in EXPORTS.items() if of in ("device", "buffer", "module", "kernel", "queue", "enqueue", "event") for name in names.split()} \
        - {"vx_enqueue_unmap", "vx_event_retain"}, calls


def test_counters_are_printed_as_upstream_prints_them(later):
    """Its class 1 has lines for what only a pipeline has."""
    def perf(cores, profiling):
        done = subprocess.run([WAVETRAP, "exec", "-g", f"vortex:cores={cores}", "./vortex3_program", "m32.vxbin", "lives"], cwd=later, capture_output=True, text=True, timeout=60, check=True,
                              env={**environment(), "VORTEX_PROFILING": profiling})
        return [line for line in done.stdout.splitlines() if line.startswith("PERF: ")]
    instructions, of = r"instrs=\d+, cycles=\d+, IPC=\d\.\d{3}", r"(core0: |core1: |)"
    assert re.fullmatch("PERF: " + instructions, "|".join(perf(1, "")))
    several = perf(2, "1")
    assert len(several) == 18 and sum(line.endswith(" (not modelled)") for line in several) == 15
    assert all(re.fullmatch(rf"PERF: {of}(scheduler: idle|stalls: fetch|inst_mix: alu|branches: total|memory: ifetch_lat)=0.*|PERF: {of}{instructions}", line) for line in several), several
    assert perf(1, "3")[0] == "PERF: counters of class 3: not modelled"


def test_which_signatures_hold(later):
    """A program with the legacy half only is one of 2.x, unless --gpu says otherwise; its kernel's table chooses the profile of the device."""
    legacy = lambda *words, status=0: wavetrap(later, "exec", *words, "./vortex3_legacy", "m32.vxbin", status=status)  # noqa: E731
    in_order(legacy("-g", "vortex:profile=v3"), "occupancy 0", "counter 0", "register 0 0x0", "caps 1")
    in_order(legacy(), "occupancy -1", "counter -1", "register -1", "caps -1", "profile 0 0x80000000",
             "vx_check_occupancy is taken for that of Vortex 2, and its arguments are those of 3: give -g vortex:profile=v3")
    in_order(legacy("-g", "vortex:profile=v2"), "occupancy -1", "profile -1")
    assert "profile v2 has no launch unit: give -g vortex:profile=v3" in wavetrap(
        later, "exec", "-g", "vortex:profile=v2", "--log-calls", "./vortex3_program", "m32.vxbin", "compute", status=1)


# ---- the driver of upstream's libvortex.so ----

@pytest.mark.parametrize("gpu", ["threads=4", "cores=2,threads=2,xlen=64", "threads=1"])
def test_a_ring_of_commands_launches_kernels(driver, gpu):
    """By registers and by a descriptor; the ring wraps; counters."""
    said = driver("compute", f"--gpu=vortex:{gpu}", "--stats", "--log-calls", xlen=64 if "64" in gpu else 32)
    in_order(said, r"command 1: MEM_WRITE 0x80000000, 0x", "DCR_WRITE 0x12, 0x80000", "LAUNCH\n", r"kernel 0x80000\w+ on device 0: \d+ instructions", "LAUNCH_QMD 0x40000")
    in_order(said, "96 of 96 right, some instructions counted, 3[0-9] commands", "2 kernels were launched on the emulated Vortex")


def test_the_driver_has_events_and_capabilities(driver):
    assert driver("events") == "waits: 0, busy: 1\ngoes on: 1, busy: 0\nsignalled: 42\n"
    assert driver("capabilities", "--gpu=vortex:clusters=2,cores=4,warps=8,threads=16,xlen=64") == "threads 16 warps 8 cores 4 clusters 2 local 16384 bank 33 xlen 64\n"


def test_mistakes_of_a_ring_stop_its_queue_with_a_sentence(driver):
    said = driver("mistakes")
    for part in ("there is no command 0x0d .at byte 0 of the line.; the queue stops", "there is no command 0xff", "a draw needs the RASTER, TEX and OM units", "there is no device configuration register 0x7ff",
                 "there is no device configuration register 0x1010", "register 0x104 is one of the DXA unit, which this Vortex has not", "0x40 is one of the TEX unit", "9 cores: there are 1",
                 "0x10 bytes at 0xfffffffffffffff8: neither memory of host_mem_alloc, nor of the device, which ends at 0x100000000", "MEM_COPY at byte 56 of the line: its 28 bytes reach beyond the line's 64",
                 "the host's memory there has 0x40", "register 0x134 of the command processor: there is none", "register 0x128 of the command processor: it can only be read", "RING_SIZE_LOG2 40: it is 6 to 16",
                 "this Vortex has no MMU", "TAIL 0x20: it is a multiple of 64", "TAIL 0xc0: it is", "0x1234 is not memory of host_mem_alloc", "is not a device that is open", "all 1 devices are open: give -g vortex once more"):
        assert re.search(part, said), f"{part!r} is not in\n{said}"
    assert "stale: -1 -1\n" in said


def test_a_fault_stops_the_queue_until_it_is_reset(driver):
    said = driver("stray", "--stats")
    in_order(said, "launch 1, status 2, error 3, sequence fails", "after a reset: 0", "wavetrap: misaligned store of 4 bytes", r"stray\+\d+> at .*vortex3_kernel.c:\d+", "of the kernel 0x80000", "1 kernel on the emulated Vortex ended by a fault")
    assert "libvortex-wavetrap" not in said, "the report is enough"


def test_kernels_of_the_driver_are_debugged(later, driver):
    """The ELF file is known by its bytes; who wrote an argument is a command."""
    nm = subprocess.run(["riscv64-unknown-elf-nm", later / "m32.elf"], check=True, text=True, capture_output=True).stdout
    places = [re.search(rf"^(\w+) \w {name}$", nm, re.M).group(1) for name in ("add", "kernel_main", "stray")]
    said = debug(later, ["break kernel_main if blockIdx.y == 1 && threadIdx.x == 2", "run", "print blockIdx", "bt", "info dispatches", "who-wrote *(int *)args->a", "break add if blockIdx.x == 3", "reverse-continue",
                         "print blockIdx.x", "delete", "continue", "continue"], "-g", "vortex", "./vortex_driver", "libvortex-wavetrap.so", "compute", "m32.vxbin", *places)
    in_order(said, "Breakpoint 1 .kernel_main. pending", r"device 0, dispatch 2, group \(0,1,0\)", "x = 0, y = 1, z = 0", r"#0  kernel_main \(args=0x13000\) at .*vortex3_kernel.c:\d+", r"dispatch 2  kernel_main  grid of \(4,3,1\)",
             r"the host, call 2: MEM_WRITE wrote 384 bytes at 0x10000", "dispatch 1, group .3,", r"\$2 = 3", "96 of 96 right", "exited normally")


def test_the_driver_is_for_3_0_only(driver, later):
    said = wavetrap(later, "exec", "--gpu=vortex:profile=v2", "./vortex_driver", "libvortex-wavetrap.so", "events", status=1)
    assert "profile=v2: VORTEX_DRIVER is for a libvortex.so of Vortex 3.0: give profile=v3" in said


def test_exec_sets_the_driver_and_a_user_who_names_it_comes_first(later):
    """For programs that start others, too; a folder of the user's goes before ours only where the user names the driver."""
    def order(**set_by_user):
        done = subprocess.run([WAVETRAP, "exec", "sh", "-c", "sh -c 'echo $VORTEX_DRIVER $LD_LIBRARY_PATH'"], cwd=later, capture_output=True, text=True, timeout=60, check=True,
                              env={**environment(), "LD_LIBRARY_PATH": "/users", **set_by_user})
        driver, folders = done.stdout.split()
        ours = str(FOLDER.resolve())
        folders = [at for at in folders.split(":") if at in ("/users", ours, f"{ours}/driver")]
        return driver, [at.replace(ours, "ours") for at in folders]
    assert order() == order(VORTEX_DRIVER="simx") == ("wavetrap", ["ours", "/users", "ours/driver"])
    assert order(VORTEX_DRIVER="wavetrap") == ("wavetrap", ["/users", "ours/driver"])
