"""Our disassembler and LLVM's, on the same words, in one spelling."""
import re
import subprocess

BASE = 0x80000000
NOP = 0x00000013
# LLVM goes on two bytes after a word that it does not know; three nops bring it back into step.
STRIDE = 16


def padded(words):
    """Each 32-bit word and three nops."""
    return [each for word in words for each in (word, NOP, NOP, NOP)]


def ours(isa_tool, words, xlen, size=4, form="disassemble"):
    """(length, text) of each word by the instruction table, STRIDE bytes apart if they have 4."""
    stream = padded(words) if size == 4 else words
    out = subprocess.run([isa_tool, form, str(xlen), hex(BASE)], check=True, capture_output=True, text=True,
                         input="\n".join(f"{w:x}" for w in stream)).stdout
    lines = [line.split(" ", 1) for line in out.splitlines()]
    return [(int(length), text) for length, text in lines][::len(stream) // len(words)]


def llvm(directory, words, size, xlen, *options):
    """The text of each word by llvm-objdump, "" where it knows none. All words have one size."""
    raw, elf = directory / "words.bin", directory / "words.elf"
    stream, step = (padded(words), STRIDE) if size == 4 else (words, 2)
    raw.write_bytes(b"".join(w.to_bytes(size, "little") for w in stream))
    subprocess.run(["riscv64-unknown-elf-objcopy", "-I", "binary", "-O", f"elf{xlen}-littleriscv",
                    "--rename-section", ".data=.text,alloc,load,code,contents", str(raw), str(elf)], check=True)
    out = subprocess.run(["llvm-objdump-19", "-d", "-z", *(options or ("-M", "no-aliases")), "--no-show-raw-insn",
                          f"--mattr=+m,+a,+f,+d,+zicsr,+zifencei,+zicond{',+c' if size == 2 else ''}",
                          f"--adjust-vma={BASE:#x}", str(elf)], check=True, capture_output=True, text=True).stdout
    texts = [""] * len(words)
    for line in out.splitlines():
        found = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
        if found:
            place, within = divmod(int(found.group(1), 16) - BASE, step)
            if within == 0:
                texts[place] = "" if "<unknown>" in line else found.group(2)
    return texts


def normal(text):
    """One spelling: single spaces, no symbols, numbers in decimal."""
    text = re.sub(r"<[^>]*>", "", text)
    text = re.sub(r"\b0x([0-9a-f]+)\b", lambda m: str(int(m.group(1), 16)), text)
    return re.sub(r"\s*,\s*", ", ", re.sub(r"\s+", " ", text)).strip()
