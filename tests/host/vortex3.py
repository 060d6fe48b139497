"""Kernels of Vortex 3.0 as its host library loads them."""
import re
import struct
import subprocess

ABI = {32: ("rv32imaf_zicsr", "ilp32f"), 64: ("rv64imafd_zicsr", "lp64d")}


def kernels_of(source, elf, xlen, level):
    """Compiles a source with vortex3_start.h, and writes a .vxbin with a table of its kernels beside the ELF file. Returns the image in it."""
    march, abi = ABI[xlen]
    subprocess.run(["riscv64-unknown-elf-gcc", f"-march={march}", f"-mabi={abi}", level, "-g", "-ffreestanding", "-mcmodel=medany", "-nostdlib", "-nostartfiles",
                    "-Wl,--build-id=none,--section-start=.start=0x80000000,-Ttext=0x80000100,--defsym=__tls_block_size=20", "-o", elf, source], check=True)
    raw = elf.with_suffix(".raw")
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, raw], check=True)
    symbols = subprocess.run(["riscv64-unknown-elf-nm", elf], check=True, text=True, capture_output=True).stdout
    names, entries = b"", []
    for address, name in re.findall(r"^(\w+) \w __vx_kentry_(\w+)$", symbols, re.M):
        name = b"main" if name == "kernel_main" else name.encode()
        entries.append(struct.pack("<IHHQ", len(names), len(name), 0, int(address, 16)))
        names += name
    image = struct.pack("<QQ", 0x80000000, 0x80000040 + len(raw.read_bytes())) + raw.read_bytes()
    elf.with_suffix(".vxbin").write_bytes(image + names + b"".join(entries) + struct.pack("<I", len(entries)) + b"VXSYMTAB")
    return image
