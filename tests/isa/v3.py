"""Programs for Vortex 3.0 (profile v3): launches, CTAs, barriers with phases, traps, and what they leave in memory."""
import itertools
import pathlib
import subprocess

OUT = 0x81000000

# The prologue of a kernel: the window to which the launch unit rewinds a warp is its last 20 bytes.
START = """
.option norelax
.option norvc
.globl _start
_start:
    csrr t0, 0xcc1
    la t1, prologues
    slli t0, t0, 2
    add t1, t1, t0
    li t0, 1
    amoadd.w x0, t0, (t1)       # how often each warp came by
    csrr s11, 0xce1
    csrr a0, 0x340
    jalr ra, s11
    .insn r 0x0b, 7, 0, x0, x0, x0
    .insn r 0x0b, 0, 0, x0, x0, x0
.globl kernel
kernel:
{body}
.data
.balign 64
prologues: .zero 2048
"""


class Kernel:
    """An assembled kernel."""

    ran = None  # called with the arguments of each run

    def __init__(self, folder, body, xlen=32, base=0x80000000, name="k"):
        self.folder, self.xlen = pathlib.Path(folder), xlen
        source = self.folder / f"{name}{xlen}.s"
        self.elf = self.folder / f"{name}{xlen}.elf"
        source.write_text(START.replace("{body}", body))
        march, abi = ("rv64imafd_zicsr", "lp64d") if xlen == 64 else ("rv32imaf_zicsr", "ilp32f")
        subprocess.run(["riscv64-unknown-elf-gcc", f"-march={march}", f"-mabi={abi}", "-mcmodel=medany", "-nostdlib", "-nostartfiles",
                        f"-Wl,-Ttext={base:#x},-Tdata={base + 0x100000:#x}", str(source), "-o", str(self.elf)], check=True)
        out = subprocess.run(["riscv64-unknown-elf-nm", self.elf], check=True, capture_output=True, text=True).stdout
        self.symbols = {name: int(value, 16) for value, _, name in (line.split() for line in out.splitlines())}

    def run(self, wavetrap, gpu="", options=(), size=4096, at=OUT):
        """The run, with `memory`: `size` bytes from `at`; and `prologues`."""
        memory, prologues = self.folder / "memory", self.folder / "prologues"
        for file in (memory, prologues):
            file.unlink(missing_ok=True)
        spec = f"--gpu=vortex:profile=v3,kernel={self.symbols['kernel']:#x},arg={OUT:#x}" + (gpu and "," + gpu)
        done = subprocess.run([wavetrap, "run", spec, f"--dump={memory}@{at:#x}:{size}", f"--dump={prologues}@{self.symbols['prologues']:#x}:2048",
                               *options, str(self.elf)], capture_output=True, text=True, timeout=60, check=False)
        if Kernel.ran:
            Kernel.ran([spec, *options, str(self.elf)])
        done.memory = memory.read_bytes() if memory.exists() else b""
        done.prologues = words(prologues.read_bytes()) if prologues.exists() else []
        return done


def words(data):
    """The 32-bit words of bytes."""
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def order(grid, cluster):
    """The CTAs of a grid in the order of the launch unit: x, y, z within a cluster, then the clusters."""
    for origin in itertools.product(*(range(0, g, c) for g, c in zip(reversed(grid), reversed(cluster)))):
        for inner in itertools.product(*(range(c) for c in reversed(cluster))):
            yield tuple(o + i for o, i in zip(reversed(origin), reversed(inner)))


def threads(block):
    """The threads of a CTA, x first."""
    return [(x, y, z) for z in range(block[2]) for y in range(block[1]) for x in range(block[0])]
