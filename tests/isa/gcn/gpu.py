"""A GPU driven by gcn_device_tool: memory, dispatches, traps, context save and restore; assembled kernels; the driver's handler."""
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests" / "host"))
from sanitizer import environment  # noqa: E402
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve()
PACKET, KERNARG, HANDLER, SECOND, TMA, TMA2, CODE, OUT, AREA = 0x2000, 0x3000, 0x8000, 0xa000, 0xc000, 0xd000, 0x100000, 0x400000, 0x800000
AREA_SIZE = 0x400000
TTMP, M0, EXEC, VCC, FLAT_SCRATCH, XNACK_MASK = 108, 124, 126, 106, 102, 104
SAVECTX, ILLEGAL, MEM_VIOL, ADDR_WATCH, XNACK_ERROR = 1 << 10, 1 << 11, 1 << 8, 1 << 7, 1 << 28
PRIV, HALT = 1 << 5, 1 << 13
MODEL = "gfx900"  # where none is named
LINUX = "6.1"  # likewise
UNIFIED = ("gfx90a", "gfx942")  # accumulation registers are behind the VGPRs


def driver_handler(model=None, linux=None):
    """The model's handler in Debian's linux-source-6.1 (cwsr_trap_gfx9_hex), or of another version, in dwords; kept in the build folder, for unpacking takes seconds."""
    name = {"gfx908": "arcturus", "gfx90a": "aldebaran", "gfx942": "gfx9_4_3"}.get(model or MODEL, "gfx9")
    linux = linux or LINUX
    source = pathlib.Path(f"/usr/src/linux-source-{linux}.tar.xz")
    if not source.exists() and linux != "6.1":
        pytest.skip(f"left out: the trap handler of Linux {linux} (linux-source-{linux} is not installed)")
    if not source.exists():
        pytest.fail(f"{source} is missing: scripts/need.sh check")
    stamp = source.stat()
    kept = BUILD / f"cwsr_trap_{name}-{stamp.st_size}-{int(stamp.st_mtime)}"
    if not kept.exists():
        header = subprocess.run(["tar", "-xOJf", source, "--occurrence=1",
                                 f"linux-source-{linux}/drivers/gpu/drm/amd/amdkfd/cwsr_trap_handler.h"], capture_output=True)
        text = re.search(rf"cwsr_trap_{name}_hex\[\] = \{{(.*?)\}};", header.stdout.decode(), re.S).group(1)
        words = [int(w, 16) for w in re.findall(r"0x[0-9a-f]{8}", text)]
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_bytes(struct.pack(f"<{len(words)}I", *words))
        part.rename(kept)
    data = kept.read_bytes()
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def runtime_code(model=None):
    """What AMD's runtime hands to the GPU of the model: its trap handler, and its kernels that copy and fill memory, in dwords."""
    source = ROOT / "tests" / "host" / "rocr_code.c"
    folder = BUILD / "tests" / f"rocr-{model or MODEL}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists() or folder.stat().st_mtime < source.stat().st_mtime:
            part = folder.with_suffix(".new")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            subprocess.run(["cc", "-rdynamic", "-o", part / "tool", source, "-I/usr/include/rocm", "-lhsa-runtime64", "-ldl"], check=True)
            done = subprocess.run([os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"), "exec", "-g", model or MODEL, part / "tool", part],
                                  capture_output=True, text=True, env=environment())
            assert done.returncode == 0, done.stderr
            shutil.rmtree(folder, ignore_errors=True)
            part.rename(folder)
    words = {path.name: struct.unpack(f"<{path.stat().st_size // 4}I", path.read_bytes()) for path in folder.iterdir() if path.name != "tool"}
    end = lambda w: max((i for i, x in enumerate(w) if x), default=-1) + 1
    handler = words["trap-handler"]
    # A kernel object begins with amd_kernel_code_t, of 256 bytes, which says where the code begins.
    kernels = [w[64:end(w)] for name, w in sorted(words.items()) if name != "trap-handler" and w[4:6] == (256, 0) and w[8:10] == (0, 0)]
    return handler[:end(handler)], kernels


def assemble(text, folder=BUILD / "tests"):
    """A code object of LLVM 19's assembler for the GPU that it names: its loadable bytes by address, and its symbols."""
    path = folder / ("asm-" + hashlib.sha256(text.encode()).hexdigest()[:16])
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}")
        done = subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + re.search(r"hsa--(\w+)", text)[1], "-mcode-object-version=4", "-x", "assembler", "-",
                               "-o", part], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        part.rename(path)
    elf = path.read_bytes()
    phoff, shoff = struct.unpack_from("<QQ", elf, 32)
    phnum, shnum = struct.unpack_from("<H", elf, 56)[0], struct.unpack_from("<H", elf, 60)[0]
    pieces, symbols = [], {}
    for i in range(phnum):
        kind, _, offset, addr, _, size = struct.unpack_from("<IIQQQQ", elf, phoff + 56 * i)
        if kind == 1:
            pieces.append((addr, elf[offset:offset + size]))
    sections = [struct.unpack_from("<IIQQQQII", elf, shoff + 64 * i) for i in range(shnum)]
    for _, kind, _, _, offset, size, link, _ in sections:
        if kind == 2:
            names = sections[link][4]
            for at in range(offset, offset + size, 24):
                name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", elf, at)
                symbols[elf[names + name:elf.index(b"\0", names + name)].decode()] = value
    return pieces, symbols


def kernel(body, directives=(), vgprs=8, sgprs=16, model=None):
    """Text of a kernel `k` with these instructions: s[0:1] the arguments, s2 the work-group, v0 the work-item."""
    if (model or MODEL) in UNIFIED:  # as many accumulation registers behind the VGPRs
        own = (vgprs + 3) // 4 * 4
        vgprs, directives = 2 * own, [*directives, f"amdhsa_accum_offset {own}"]
    lines = "\n".join(" ." + d for d in directives)
    return f"""
.amdgcn_target "amdgcn-amd-amdhsa--{model or MODEL}"
.text
.p2align 8
.globl k
.type k,@function
k:
{body}
.rodata
.p2align 6
.amdhsa_kernel k
 .amdhsa_next_free_vgpr {vgprs}
 .amdhsa_next_free_sgpr {sgprs}
 .amdhsa_user_sgpr_kernarg_segment_ptr 1
 .amdhsa_float_denorm_mode_32 3
 .amdhsa_float_denorm_mode_16_64 3
{lines}
.end_amdhsa_kernel
"""


class Wave:
    """The state of a wave."""

    def __init__(self, text):
        number, pc, scc, scalars, hwregs, vgprs = text.split(":")
        self.number, self.pc, self.scc = int(number, 16), int(pc, 16), int(scc)
        self.s = [int(x, 16) for x in scalars.split(",")]
        self.mode, self.status, self.trapsts, self.hw_id, self.gpr_alloc, self.lds_alloc, self.ib_sts = \
            [int(x, 16) for x in hwregs.split(",")]
        flat = [int(x, 16) for x in vgprs.split(",")]
        self.v = [flat[i:i + 64] for i in range(0, len(flat), 64)]

    def pair(self, n):
        return self.s[n] | self.s[n + 1] << 32


class Gpu:
    """The emulated device. `seen`: which dwords of handlers the devices of this process have issued, by their contents."""
    seen = {}

    def __init__(self, model=None, *sizes):
        self.loaded, self.unified = [], (model or MODEL) in UNIFIED
        self.tool = subprocess.Popen([BUILD / "tests" / "isa" / "gcn" / "gcn_device_tool", model or MODEL, *map(str, sizes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     text=True)
        for addr, size in ((PACKET, 0x2000), (HANDLER, 0x6000), (OUT, 0x10000), (AREA, AREA_SIZE)):
            self.map(addr, size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for base, handler in self.loaded:
            self.seen.setdefault(handler, set()).update((at - base) // 4 for at in self.reached(base, len(handler)))
        self.tool.stdin.close()
        assert self.tool.wait() == 0
        self.tool.stdout.close()

    def ask(self, *words):
        self.tool.stdin.write(" ".join(f"{w:x}" if isinstance(w, int) else w for w in words) + "\n")
        self.tool.stdin.flush()
        return self.tool.stdout.readline().rstrip("\n")

    def map(self, addr, size):
        assert self.ask("map", addr, size) == "ok"

    def write(self, addr, data):
        assert self.ask("write", addr, bytes(data).hex()) == "ok"

    def words(self, addr, *values):
        self.write(addr, struct.pack(f"<{len(values)}I", *values))

    def read(self, addr, count):
        return list(struct.unpack(f"<{count}I", bytes.fromhex(self.ask("read", addr, 4 * count))))

    def handlers(self, first, second=None, debugger=0):
        """The driver's handler and, by its TMA, a second one, which gets TMA2, and whether a debugger is attached."""
        self.words(HANDLER, *first)
        assert len(first) * 4 <= SECOND - HANDLER
        self.loaded = [(HANDLER, tuple(first))] + ([(SECOND, tuple(second))] if second else [])
        if second:
            self.words(SECOND, *second)
        self.words(TMA, SECOND if second else 0, 0, TMA2, 0, debugger)
        assert self.ask("handler", HANDLER, TMA) == "ok"

    def start(self, text, groups=1, items=64, lds=0, packet=0):
        """Dispatches the kernel of an assembly text."""
        pieces, symbols = assemble(text)
        last = max(addr + len(data) for addr, data in pieces)
        self.map(CODE, last)
        for addr, data in pieces:
            for at in range(0, len(data), 0x10000):
                self.write(CODE + addr + at, data[at:at + 0x10000])
        self.words(KERNARG, OUT, 0)
        self.write(PACKET, struct.pack("<HHHHHHIIIIIQQQQ", 2, 1, items, 1, 1, 0, items * groups, 1, 1, 0, lds, CODE + symbols["k.kd"],
                                       KERNARG, 0, 0))
        assert self.ask("dispatch", PACKET, packet) == "ok"
        return {name: CODE + value for name, value in symbols.items()}

    def run(self, issues=1 << 20):
        return self.ask("run", issues).strip()

    def waves(self, command="waves"):
        return {w.number: w for w in map(Wave, self.ask(command).split())}

    def reached(self, base, count):
        return {int(x, 16) for x in self.ask("reached", base, base + 4 * count).split()}
