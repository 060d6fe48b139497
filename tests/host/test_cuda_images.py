"""Images that libcuda takes: cubins and fat binaries, by file, by address, through the structure that points to one; and
what it answers to those that it does not take. Containers are written here as NVIDIA's fatbinary lays them out."""
import ctypes
import re
import struct
import subprocess

import pytest

from conftest import ROOT, WAVETRAP, wavetrap
from releases import CC
from test_cuda import LIBRARY, compiled

PTX = """.version 8.0
.target sm_50
.address_size 64
.visible .entry vadd(.param .u64 c, .param .u64 a, .param .u64 b, .param .u32 n)
{
  .reg .b64 %a, %b, %c, %o; .reg .b32 %i, %n, %t, %x; .reg .pred %q;
  ld.param.u64 %c, [c]; ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; mov.u32 %x, %ctaid.x; mov.u32 %i, %ntid.x; mad.lo.u32 %i, %x, %i, %t;
  setp.ge.s32 %q, %i, %n;
  @%q ret;
  mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o; add.u64 %b, %b, %o; add.u64 %c, %c, %o;
  ld.global.u32 %t, [%a]; ld.global.u32 %x, [%b]; add.u32 %t, %t, %x;
  st.global.u32 [%c], %t;
  ret;
}
"""
LZ4, ZSTD = 0x2000, 0x8000


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("images"), CC, "cuda_images.c", f"-I{ROOT}/include")


@pytest.fixture(scope="module")
def cubin(tmp_path_factory):
    path = tmp_path_factory.mktemp("cubin") / "vadd.cubin"
    subprocess.run([WAVETRAP, "asm", ROOT / "examples" / "sm" / "vadd.sass", "-o", path, "-g", "sm"], check=True, capture_output=True)
    return path.read_bytes()


def of_sm(cubin, number):
    """The cubin, said to be for another GPU: e_flags has its number twice."""
    flags = struct.unpack_from("<I", cubin, 48)[0] & ~0xff00ff
    return cubin[:48] + struct.pack("<I", flags | number | number << 16) + cubin[52:]


def entry(kind, capability, payload, flags=0x11, size=0):
    padded = payload + bytes(-len(payload) % 8)
    stored = len(payload) if flags & (LZ4 | ZSTD) else 0
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(padded), stored, 0, 0, 8, capability, 0, 0, flags, 0, size) + padded


def fat(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(body)) + body


def ptx(capability=50, text=PTX):
    return entry(1, capability, text.encode() + b"\0")


def compressed(text=PTX):
    """A block of LZ4: a blank, then 19 blanks by a match one byte back, then the text as literals."""
    assert len(text) >= 15
    more = bytes([255] * ((len(text) - 15) // 255) + [(len(text) - 15) % 255])
    block = b"\x1f \x01\x00\x00" + b"\xf0" + more + text.encode()
    return entry(1, 50, block, 0x11 | LZ4, 20 + len(text))


def compressed_by_zstandard(text=PTX):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = ctypes.create_string_buffer(len(text) + 1000)
    size = library.ZSTD_compress(room, len(room), text.encode(), len(text), 3)
    return entry(1, 50, room.raw[:size], 0x11 | ZSTD, len(text))


def run(program, tmp_path, how, image, *gpu):
    path = tmp_path / "image"
    path.write_bytes(image)
    return wavetrap("exec", "-g", *(gpu or ["sm"]), program, how, path)


GOOD = "wrong 0, registers {}, no function 200\n"


@pytest.mark.parametrize("how", ["file", "data"])
def test_a_cubin(program, cubin, tmp_path, how):
    done = run(program, tmp_path, how, cubin)
    assert done.stdout == GOOD.format(12), done.stdout + done.stderr


@pytest.mark.parametrize("how", ["file", "data", "fat", "wrapper"])
def test_a_fat_binary_gives_machine_code_before_text(program, cubin, tmp_path, how):
    done = run(program, tmp_path, how, fat(ptx(), entry(2, 50, cubin)))
    assert done.stdout == GOOD.format(12), done.stdout + done.stderr


@pytest.mark.parametrize("gpu", ["sm:cc=7.0", "sm:cc=9.0"])
def test_text_where_the_code_is_for_another_generation(program, cubin, tmp_path, gpu):
    """The text for the newest GPU that is not newer than the device; the other one has a mistake."""
    images = [entry(2, 50, cubin), ptx(52), ptx(80, PTX), ptx(35, "nonsense")]
    if gpu == "sm:cc=7.0":
        images[2] = ptx(80, "nonsense")
    done = run(program, tmp_path, "fat", fat(*images), gpu)
    assert done.stdout == GOOD.format(32), done.stdout + done.stderr


def test_the_highest_minor_number_that_the_device_has(program, cubin, tmp_path):
    images = fat(entry(2, 50, of_sm(cubin, 35)), entry(2, 52, cubin), entry(2, 53, of_sm(cubin, 35)))
    assert run(program, tmp_path, "fat", images, "sm:cc=5.2").stdout == GOOD.format(12)
    assert run(program, tmp_path, "fat", images, "sm:cc=5.3").stdout == "load 209\n"


def test_compressed_text(program, tmp_path):
    for image in (compressed(), compressed_by_zstandard()):
        done = run(program, tmp_path, "fat", fat(image))
        assert done.stdout == GOOD.format(32), done.stdout + done.stderr


@pytest.mark.parametrize("how", ["file", "link"])
def test_the_linker_takes_fat_binaries_of_text(program, cubin, tmp_path, how):
    assert run(program, tmp_path, how, fat(ptx())).stdout == GOOD.format(32)
    if how == "link":
        done = run(program, tmp_path, how, cubin)
        assert done.stdout.startswith("log: error: machine code, which the linker does not link") and done.stdout.endswith("load 209\n")


def damaged_size(image):
    return image[:8] + struct.pack("<Q", 1 << 40) + image[16:]


@pytest.mark.parametrize("name, result, words", [
    ("another cubin", 209, "it is code for sm_75"),
    ("a cubin of a newer format", 209, "it is code for sm_86"),
    ("a cubin that is cut short", 200, "a cubin that is cut short"),
    ("an ELF file of the host", 200, "an ELF file that is not a cubin"),
    ("other generations", 209, "it has sm_70, sm_75"),
    ("nothing", 209, "it has nothing"),
    ("compressed by Zstandard, damaged", 200, "compressed code is damaged"),
    ("compressed, damaged", 200, "compressed code is damaged"),
    ("a container that is cut short", 200, "bytes is cut short after"),
    ("an entry that is damaged", 200, "an entry at offset 0x10"),
    ("a text with a mistake", 218, "PTX:6:2: there is no instruction"),
    ("an empty file", 200, "empty"),
])
def test_images_that_are_refused(program, cubin, tmp_path, name, result, words):
    image = {
        "another cubin": lambda: of_sm(cubin, 75),
        "a cubin of a newer format": lambda: cubin[:8] + b"\x08" + cubin[9:48] + struct.pack("<I", 86 << 8 | 2) + cubin[52:],
        "a cubin that is cut short": lambda: cubin[:200],
        "an ELF file of the host": lambda: open("/bin/true", "rb").read(),
        "other generations": lambda: fat(entry(2, 70, of_sm(cubin, 70)), entry(2, 75, of_sm(cubin, 75))),
        "nothing": fat,
        "compressed by Zstandard, damaged": lambda: fat(entry(1, 50, b"\x28\xb5\x2f\xfd" + bytes(20), 0x11 | ZSTD, 100)),
        "compressed, damaged": lambda: fat(entry(1, 50, b"\x1f \xff\xff", 0x11 | LZ4, 100)),
        "a container that is cut short": lambda: damaged_size(fat(ptx())),
        "an entry that is damaged": lambda: fat(ptx())[:24] + struct.pack("<Q", 1 << 62) + fat(ptx())[32:],
        "a text with a mistake": lambda: fat(ptx(50, PTX.replace("{\n", "{\n foo.u32 %r;", 1))),
        "an empty file": lambda: b"",
    }[name]()
    done = run(program, tmp_path, "file", image)
    assert done.stdout == f"load {result}\n" and words in done.stderr, (done.stdout, done.stderr)


@pytest.mark.parametrize("images, capability", [
    ([(2, 52), (2, 53), (2, 70)], "5.3"), ([(1, 61), (1, 75)], "6.1"), ([(2, 50), (1, 90)], "5.0"), ([(1, 35), (2, 86)], "8.6"), ([(1, 30)], "5.0"), ([], "5.0")])
def test_the_capability_is_that_of_the_program_s_images(tmp_path, images, capability):
    """Fat binaries in the program's file; exec looks for them there. -g sm:cc= says another."""
    (tmp_path / "images").write_bytes(fat(*(entry(kind, number, b"x" * 40) for kind, number in images)))
    (tmp_path / "p.c").write_text("""
#include <stdio.h>
#include <wavetrap/cuda.h>
__asm__(".section .nv_fatbin,\\"a\\"\\n.incbin \\"images\\"\\n.text");
int main(void)
{
    int major, minor, count;
    cuInit(0);
    cuDeviceGetCount(&count);
    cuDeviceComputeCapability(&major, &minor, count - 1);
    printf("%d.%d\\n", major, minor);
}
""")
    path = compiled(tmp_path, CC, tmp_path / "p.c", f"-I{ROOT}/include", "-Wl,--no-as-needed", LIBRARY)
    assert wavetrap("exec", path).stdout == capability + "\n"
    assert wavetrap("exec", "-g", "sm", "-g", "sm", path).stdout == capability + "\n"
    assert wavetrap("exec", "-g", "sm:cc=7.2", path).stdout == "7.2\n"


FAULT = """.kernel vadd
.param 8 c
.param 8 a
.param 8 b
.param 4 n
.shared 16
    {}
    EXIT;
"""


@pytest.mark.parametrize("body, result, words", [
    ("MOV32I R0, 0x40;\n MOV R1, RZ;\n STG.E [R0], R2;", 700, "store of 4 bytes at 0x40: no memory is mapped there"),
    ("MOV R0, 0x100;\n LDS R2, [R0];", 700, "OOR_ADDR"),
    ("MOV32I R0, 0x10000;\n LDC R2, c[0x0][R0];", 700, "INVALID_CONST_ADDR_LDC"),
    ("RET;", 714, "RET_EMPTY_STACK_ERROR"),
    ("again: SSY again;\n BRA again;", 714, "API_STACK_ERROR"),
    (".quad 0x5fffffffffffffff;", 715, "is not an instruction of sm_50"),
    ("BPT.PAUSE;", 715, "BPT.PAUSE outside the trap handler"),
    ("DADD R11, R4, R6;", 715, "MISALIGNED_REG"),
    ("MOV R0, 0x2;\n LDS R2, [R0];", 716, "MISALIGNED_ADDR"),
    ("MOV R0, 0x4;\n JMX R0;", 718, "MISALIGNED_PC"),
    ("MOV R0, 0x100;\n JMX R0;", 718, "PC_OVERFLOW"),
    ("BPT.TRAP 0x1;", 719, "BPT.TRAP 0x1, and there is no trap handler"),
])
def test_a_fault_in_machine_code(program, tmp_path, body, result, words):
    """Each has the number that NVIDIA's documentation gives it; the report names kernel, warp, block, lanes, instruction."""
    (tmp_path / "fault.sass").write_text(FAULT.format(body))
    subprocess.run([WAVETRAP, "asm", tmp_path / "fault.sass", "-o", tmp_path / "f.cubin", "-g", "sm"], check=True, capture_output=True)
    done = wavetrap("exec", "-g", "sm", program, "file", tmp_path / "f.cubin")
    assert done.stdout == f"synchronize {result}\n", done.stdout
    assert words in done.stderr and re.search(r"^  device 0, dispatch \d+, group \(0,0,0\), core 0, warp 0, lanes ", done.stderr, re.M) and "\n  of the kernel vadd\n" in done.stderr, done.stderr
    if result != 718:
        assert "<vadd+0x" in done.stderr, done.stderr


VARIABLES = """
.global counter 4 0x5
.global scratch 0x1000
.global table 16 0x1, 0x2, 0x3, 0x4
.constant scale 8 0x3, 0x7
.global link 8 0x0
.kernel k
.param 8 out
    MOV32I R2, 32@lo(counter);
    MOV32I R3, 32@hi(counter);
    MOV32I R4, 0x1;
    ATOM.E.ADD R5, [R2], R4;
    MOV32I R6, 32@lo(table);
    MOV32I R7, 32@hi(table);
    LDG.E R8, [R6+0x8];
    MOV R9, c[0x3][scale];
    XMAD R10, R8, R9, RZ;
    MOV R11, c[0x3][0x4];
    MOV R0, c[0x0][out];
    MOV R1, c[0x0][0x144];
    STG.E.64 [R0], R10;
    MOV32I R6, 32@lo(scratch);
    MOV32I R7, 32@hi(scratch);
    STG.E [R6+0xffc], R10;
    MOV32I R6, 32@lo(link);
    MOV32I R7, 32@hi(link);
    STG.E.64 [R6], R2;
    EXIT;
"""


def test_variables_of_a_cubin(program, tmp_path):
    (tmp_path / "v.sass").write_text(VARIABLES)
    subprocess.run([WAVETRAP, "asm", tmp_path / "v.sass", "-o", tmp_path / "v.cubin", "-g", "sm"], check=True, capture_output=True)
    done = wavetrap("exec", "-g", "sm", program, "variables", tmp_path / "v.cubin")
    assert done.stdout == ("scale 8: 3 7, table 16: 1 2 3 4\n"
                           "kernel 1000 7, scratch 4096: 0 and 1000, counter 37, of the other module 5, link 1\n"
                           "none 500, gone 1\n"), done.stdout + done.stderr
    # The disassembly has the variables and their addresses, and assembles to the same file.
    text = subprocess.run([WAVETRAP, "asm", "-d", tmp_path / "v.cubin"], check=True, capture_output=True, text=True).stdout
    assert ".global scratch 0x1000\n" in text and "MOV32I R7, 32@hi(link);" in text, text
    (tmp_path / "again.sass").write_text(text)
    subprocess.run([WAVETRAP, "asm", tmp_path / "again.sass", "-o", tmp_path / "again.cubin", "-g", "sm"], check=True, capture_output=True)
    assert (tmp_path / "again.cubin").read_bytes() == (tmp_path / "v.cubin").read_bytes()


@pytest.mark.parametrize("line, words", {
    "MOV32I R0, 32@lo(nobody);": "there is no variable or function of this name",
    "MOV32I R0, 32@mid(counter);": "'32@lo(NAME)' or '32@hi(NAME)' is expected",
    "MOV R0, 32@lo(counter);": "an address has 32 bits",
    ".global counter 8": "there is a variable of this name",
    ".global more 4 0x1, 0x2": "no room for that many",
    ".constant more 0x10004": "constants have 64 KiB",
}.items())
def test_mistakes_in_variables(tmp_path, line, words):
    source = tmp_path / "v.sass"
    source.write_text(f".global counter 4 0x5\n.kernel k\n{line}\nEXIT;\n")
    done = subprocess.run([WAVETRAP, "asm", source, "-o", tmp_path / "v.cubin"], capture_output=True, text=True, check=False)
    assert done.returncode == 125 and ".sass:3:" in done.stderr and words in done.stderr, done.stderr


def test_info_lists_the_images_of_a_host_program(cubin, tmp_path):
    """Each with its kernels; what cannot be read has its reason. Whatever is damaged never ends the command."""
    (tmp_path / "p.c").write_text("""
__asm__(".section .data\\n.incbin \\"images\\"\\n.text");
int main(void) { return 0; }
""")
    named = PTX.replace("vadd", "_Z4vaddPiS_S_i")

    def info(images):
        (tmp_path / "images").write_bytes(images)
        subprocess.run([CC, "p.c", "-o", "p"], cwd=tmp_path, check=True)
        done = wavetrap("info", tmp_path / "p")
        assert done.returncode == 0, done.stderr
        return done.stdout
    library = ".version 6.0\n.target sm_30\n.address_size 64\n.visible .func f { ret; }\n".encode() + b"\0"
    mistake = ".version 6.0\n.target sm_30\n.address_size 64\n.entry k { }\n.entry\n".encode() + b"\0"
    images = (fat(ptx(70, named), entry(2, 50, cubin), entry(2, 75, of_sm(cubin, 75)), entry(2, 86, b"x" * 40, 0x11 | ZSTD, 80), compressed()) +
              PTX.encode() + b"\0" + library * 2 + mistake)
    said = info(images)
    assert ("""  image 1: PTX 8.0 for sm_50, with 1 kernel
    kernel _Z4vaddPiS_S_i: vadd(int*, int*, int*, int)
  image 2: machine code for sm_50, with 1 kernel
    kernel vadd
  image 3: machine code: it is code for sm_75; code for sm_50, sm_52 and sm_53 (Maxwell) runs
  image 4: code for sm_86: """) in said, said
    assert "compressed code is damaged" in said and said.count("PTX 8.0 for sm_50, with 1 kernel\n    kernel vadd\n") == 2, said
    assert "  image 7: PTX:6:1: " in said and "  PTX without kernels: 2 texts\n  runs on: the host; by 'wavetrap exec'" in said, said
    for cut in range(40, len(images), len(images) // 12):
        info(images[:cut])
    # clang puts PTX into a program twice: as such, and in place of machine code.
    said = info(fat(ptx(50), ptx(52), ptx(60, named), ptx(70, named)))
    assert said.count("    kernel ") == 2 and "\n  image 2: the PTX of image 1 again\n" in said and "\n  image 4: the PTX of image 3 again\n" in said, said


def session(program, file, *commands):
    """What each command says, at a program that loads a file."""
    words = [word for command in commands for word in ("-ex", f"echo =-=\\n", "-ex", command)]
    return wavetrap("debug", "--batch", "-g", "sm", *words, program, "file", file).stdout.split("=-=\n")[1:]


def test_machine_code_is_debugged(program, cubin, tmp_path):
    """Breakpoints by name and by address, instructions, and where a value comes from."""
    file = tmp_path / "vadd.cubin"
    file.write_bytes(cubin)
    said = session(program, file, "break vadd", "run", "x/60i $pc", "delete", "continue")
    assert "\nBreakpoint 1, 0x" in said[1] and " in vadd ()" in said[1], said
    assert "wrong 0" in said[4] and "exited normally" in said[4], said
    at, address, value = re.search(r"(0x[0-9a-f]+) <vadd\+\d+>:\tSTG\.E \[(R\d+)\], (R\d+)", said[2]).groups()
    said = session(program, file, "break vadd", "run", f"tbreak *{at}", "delete 1", "continue", f"where-from ${value}")
    assert f"Temporary breakpoint 2, 0x{int(at, 16):016x} in vadd" in said[4], said
    assert address != value and len(re.findall(r"\bLDG", said[5])) == 2 and re.search(r"\bIADD", said[5]), said
