"""What the tests of the command share: running it, and building small programs for it.

WAVETRAP names the command (default: build/wavetrap beside the sources).
"""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"))
CC = "riscv64-unknown-elf-gcc"
WIDTHS = {32: ["-march=rv32imaf_zicsr", "-mabi=ilp32f"], 64: ["-march=rv64imafd_zicsr", "-mabi=lp64d"]}

# Vortex's instructions for the assembler, and how a program ends and prints.
PRELUDE = """
        .macro tmc mask
        .insn r 0x0b, 0, 0, x0, \\mask, x0
        .endm
        .macro wspawn count, pc
        .insn r 0x0b, 1, 0, x0, \\count, \\pc
        .endm
        .macro split result, predicate
        .insn r 0x0b, 2, 0, \\result, \\predicate, x0
        .endm
        .macro join depth
        .insn r 0x0b, 3, 0, x0, \\depth, x0
        .endm
        .macro bar id, count
        .insn r 0x0b, 4, 0, x0, \\id, \\count
        .endm
        .macro exit word
        li a0, \\word
        sw a0, 0x88(x0)
        tmc x0
        .endm
        .macro put slot, char
        li t6, \\char
        sb t6, 0x40+\\slot(x0)
        .endm
        .globl _start
"""


def run(*args, **options):
    """Runs the command; text in and out, and no test waits longer than two minutes."""
    options.setdefault("timeout", 120)
    return subprocess.run([WAVETRAP, *map(str, args)], capture_output=True, text=True, **options)


class Builder:
    def __init__(self, folder):
        self.folder = folder

    def path(self, name, data=None):
        path = self.folder / name
        if data is not None:
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def link(self, source, xlen, options=()):
        out = source.with_suffix(f".rv{xlen}.elf")
        subprocess.run(
            [CC, *WIDTHS[xlen], "-mcmodel=medany", "-nostdlib", "-nostartfiles", "-static", "-g",
             "-Wl,-Ttext=0x80000000", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments",
             *options, "-o", out, source],
            check=True, cwd=self.folder)
        return out

    def asm(self, text, xlen=32, name="program.S", options=()):
        """Builds assembly text; the line numbers are those of `text`, counted from 1."""
        prelude = self.path("prelude.inc", PRELUDE)
        source = self.path(name, f'#include "{prelude}"\n#line 1 "{name}"\n{text.lstrip()}')
        return self.link(source, xlen, options)


@pytest.fixture
def build(tmp_path):
    return Builder(tmp_path)
