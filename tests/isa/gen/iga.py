"""Intel's assembler and disassembler, iga64, and the compiler ocloc, as oracles for the Gen9 emulator."""
import re
import shutil
import struct
import subprocess
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[2] / "kernels" / "gcn"
LINE = re.compile(r"/\* \[([0-9A-F]+)\]\s*\*/(.*)")


def normal(text):
    """Without the comment and the columns."""
    return re.sub(r"\s+", " ", text.split("//")[0]).strip()


def present():
    return shutil.which("iga64") and shutil.which("ocloc")


def disassemble(path):
    """{offset: text} of what iga64 decodes, and the offsets at which it sees a mistake."""
    done = subprocess.run(["iga64", "-d", "-p=9", "-n", "-Xprint-pc", "--output-on-fail", path], capture_output=True, text=True)
    wrong = {int(m, 16) for m in re.findall(r"offset 0x([0-9a-fA-F]+): error", done.stderr)}
    return {int(m[1], 16): normal(m[2]) for m in LINE.finditer(done.stdout)}, wrong


def assemble(source, folder):
    """The machine code of a text."""
    text, code = folder / "code.asm", folder / "code.krn"
    text.write_text(source)
    done = subprocess.run(["iga64", "-a", "-p=9", text, "-o", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + source
    return code.read_bytes()


def compile_cl(source, out, *options, device="skl"):
    """A zebin of an OpenCL C file."""
    command = ["ocloc", "compile", "-file", source, "-device", device, "--format", "zebin", "-output", out.name, "-output_no_suffix",
               "-out_dir", out.parent, "-options", " ".join(["-cl-std=CL2.0", *options]), "-q"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and out.exists(), done.stdout + done.stderr
    return out


def sections(path):
    """(name, bytes) of an ELF file's sections."""
    data = Path(path).read_bytes()
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    header = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    for h in header:
        start = header[names][4] + h[0]
        yield data[start:data.index(b"\0", start)].decode(), data[h[4]:h[4] + h[5]] if h[1] != 8 else b""
