"""What the console's tests share: programs, batch sessions, and GDB on the same program.

WAVETRAP names the command (default: build/wavetrap beside the sources).
"""
import os
import pathlib
import subprocess

import pytest

import amd

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"))
LIBRARY = ROOT / "examples" / "vortex" / "lib"
PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf"
CC = "riscv64-unknown-elf-gcc"
WIDTHS = {32: (["-march=rv32imaf_zicsr", "-mabi=ilp32f"], "rv32imf/ilp32f"),
          64: (["-march=rv64imafd_zicsr", "-mabi=lp64d"], "rv64ifd/lp64d")}
TIMEOUT = 120
BITCODE = amd.bitcode()
LIBCLC = "/usr/lib/clc/nvptx64--nvidiacl.bc"
OPENCL_TARGETS = {"gfx900": ["-target", "amdgcn-amd-amdhsa", f"-mcpu={amd.MODEL}", f"--rocm-device-lib-path={BITCODE}"],
                  "sm": ["-target", "nvptx64--nvidiacl", "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC]}


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """program(name, xlen, opt): an ELF file made of programs/NAME.c (or .cpp) with the examples' library."""
    folder = tmp_path_factory.mktemp("programs")

    def build(name, xlen=32, opt="-O0", *flags):
        out = folder / f"{pathlib.Path(name).stem}.rv{xlen}{opt}{''.join(flags)}.elf"
        if out.exists():
            return out
        arch, multilib = WIDTHS[xlen]
        march = ["-march=" + multilib.split("/")[0], "-mabi=" + multilib.split("/")[1]]
        source = next(path for path in (pathlib.Path(name), HERE / "programs" / f"{name}.c", HERE / "programs" / f"{name}.cpp") if path.is_file())
        if source.suffix == ".cpp":
            flags = ("-fno-exceptions", "-fno-rtti", "-w", *flags)
        libgcc = subprocess.run([CC, *march, "-print-libgcc-file-name"], check=True, text=True,
                                capture_output=True).stdout.strip()
        subprocess.run([CC, *arch, opt, "-g", *flags, "-mcmodel=medany", "--param=min-pagesize=0", "-ffp-contract=off",
                        "-isystem", f"{PICOLIBC}/include", f"-I{LIBRARY}", "-nostdlib", "-nostartfiles", "-static",
                        f"-T{LIBRARY}/vortex.ld", "-o", out, source,
                        *(LIBRARY / file for file in ("start.S", "diverge.S", "spawn.c", "console.c")),
                        f"{PICOLIBC}/lib/{multilib}/libc.a", libgcc], check=True, cwd=HERE)
        return out
    return build


@pytest.fixture(scope="session")
def example(tmp_path_factory):
    """example(name, xlen, opt): one of the example kernels."""
    folder = tmp_path_factory.mktemp("examples")

    def build(name, xlen=32, opt="-O0 -g"):
        out = folder / opt.replace(" ", "")
        subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={out}", f"OPT={opt}",
                        f"{out}/{name}.rv{xlen}.elf"], check=True)
        return out / f"{name}.rv{xlen}.elf"
    return build


def debug(file, *commands, options=(), batch=True, **more):
    """A batch session; what it has done, with returncode, stdout and stderr."""
    words = [WAVETRAP, "debug", "--nx", *(["--batch"] if batch else []), *options]
    for command in commands:
        words += ["-ex", command]
    more.setdefault("stdin", subprocess.DEVNULL)
    if "input" in more:
        del more["stdin"]
    return subprocess.run([*words, str(file)], capture_output=True, text=True, timeout=TIMEOUT, **more)


MARK = "=-=-="


def answers(said):
    """The texts between marks that `echo` has printed."""
    return [part.strip("\n") for part in said.split(MARK + "\n")[1:-1]]


def marked(commands):
    return [word for command in commands for word in (f"echo {MARK}\\n", command)] + [f"echo {MARK}\\n"]


def ask_console(file, before, commands, options=()):
    """What the console answers to each command, in the state that the commands before lead to."""
    done = debug(file, *before, *marked(commands), options=options)
    assert done.returncode == 0, done.stderr + done.stdout
    return answers(done.stdout)


def ask_gdb(file, before, commands, options=()):
    """The same of GDB."""
    words = [WAVETRAP, "gdb", "--plain", *options, str(file), "--", "-nx", "-batch", "-iex", "set confirm off",
             "-iex", "set width 0", "-iex", "set style enabled off", "-iex", "set debuginfod enabled off"]
    for command in [*before, *marked(commands)]:
        words += ["-ex", command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr + done.stdout
    return answers(done.stdout)
