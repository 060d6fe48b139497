#!/usr/bin/env python3
"""`make check-public`: words that NVIDIA's disassembler has labelled, in both directions, and cubins of others.

The records are those of the CuAssembler project (sm_60 and sm_61, whose encoding is Maxwell's); the cubins for sm_50 are
those of openai-gemm. They are fetched and compared, not kept. Needs the network, so that `make check` does not run it;
without it, `public_words.py WAVETRAP PATH...` takes files of records, and folders of cubins in C arrays (`*_sm_50.h`).
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import urllib.request

SOURCE = "https://raw.githubusercontent.com/cloudcores/CuAssembler/master/CuAsm/InsAsmRepos/DefaultInsAsmRepos.sm_{}.txt"
KERNELS = "https://api.github.com/repos/openai/openai-gemm/contents/include/kernels"
# What the emulated GPU does not have: instructions of later GPUs.
OTHERS = re.compile(r"^(@!?\w+ )?(H[A-Z]+2|IDP)[. ]")


def records(text):
    for address, word, label in re.findall(r'\((0x[0-9a-f]+), 0x([0-9a-f]+), "([^"]*)"\)', text):
        label = re.sub(r"\s*[;}]\s*$", "", label).strip().replace("{ ", "")
        if not OTHERS.match(label):
            yield int(address, 16), int(word, 16) & (1 << 64) - 1, label


def plain(label):
    """Numbers and blanks alike in both; `.reuse` is of the control word."""
    label = re.sub(r"\] \[", "][", label.replace(".reuse", ""))
    label = re.sub(r"(?<![\w\[])-?\d+\.?\d*(?:e[+-]\d+)?(?![\w\]])", lambda m: repr(float(m[0])), label)
    return re.sub(r"\s+(?=,|$)", "", label)


def fetch(address):
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read().decode()
    except OSError as mistake:
        sys.exit(f"{address}: {mistake}; check-public needs the network (or PATHs: see its head)")


def check_words(wavetrap, known):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = f"{folder}/words.sass", f"{folder}/words.cubin"
        for (word, label), address in known.items():
            # Each stands where it stood: targets are relative.
            bundle, slot = divmod(address, 32)
            before = bundle * 3 + slot // 8 - 1
            lines = [".quad 0x50b0000000070f00;"] * before
            with open(source, "w") as file:
                file.write("\n".join([".kernel k", *lines, f"{label};"]) + "\n")
            done = subprocess.run([wavetrap, "asm", source, "-o", cubin], capture_output=True, text=True)
            if done.returncode:
                wrong += 1
                print(f"0x{word:016x} '{label}': {done.stderr.strip()}")
                continue
            data = open(cubin, "rb").read()
            if struct.pack("<Q", word) not in data:
                wrong += 1
                print(f"0x{word:016x} '{label}' assembles to another word")
            text = subprocess.run([wavetrap, "asm", "-d", cubin], capture_output=True, text=True).stdout
            ours = [line.split("*/ ", 1)[1].rstrip(";") for line in text.splitlines() if f"/*{address:04x}*/" in line]
            if not ours or plain(ours[0]) != plain(label):
                wrong += 1
                print(f"0x{word:016x} '{label}' reads {ours}")
    print(f"{len(known)} words, {wrong} of them wrong")
    return wrong


def code_of(cubin):
    """The bytes of the sections .text.*, by name."""
    sections, count, names = *struct.unpack_from("<40xQ12xHH", cubin)[:2], struct.unpack_from("<62xH", cubin)[0]
    heads = [struct.unpack_from("<IIQQQQ", cubin, sections + 64 * i) for i in range(count)]
    table = heads[names][4]
    name = lambda head: cubin[table + head[0]:cubin.index(b"\0", table + head[0])].decode()
    return {name(h): cubin[h[4]:h[4] + h[5]] for h in heads if name(h).startswith(".text.")}


def check_cubins(wavetrap, cubins):
    """Each decodes as a whole, and its text assembles to the same bytes of code."""
    wrong, words = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, data in cubins:
            pathlib.Path(folder, "a.cubin").write_bytes(data)
            text = subprocess.run([wavetrap, "asm", "-d", f"{folder}/a.cubin"], capture_output=True, text=True)
            pathlib.Path(folder, "a.sass").write_text(text.stdout)
            done = subprocess.run([wavetrap, "asm", f"{folder}/a.sass", "-o", f"{folder}/b.cubin"], capture_output=True,
                                  text=True)
            # What is not an instruction reads .quad, and would assemble to itself.
            if text.returncode or done.returncode or ".quad" in text.stdout:
                wrong += 1
                print(f"{name}: {text.stderr}{done.stderr}{text.stdout.count('.quad')} words are no instructions")
                continue
            before, after = code_of(data), code_of(pathlib.Path(folder, "b.cubin").read_bytes())
            words += sum(len(code) for code in before.values()) // 32 * 3
            if before != after:
                wrong += 1
                print(f"{name}: the code differs when it is assembled again")
    print(f"{len(cubins)} cubins with {words} instructions, {wrong} cubins wrong")
    return wrong


def main():
    wavetrap, paths = sys.argv[1], [pathlib.Path(path) for path in sys.argv[2:]]
    if paths:
        texts = [path.read_text() for path in paths if path.is_file()]
        arrays = [(file.name, file.read_text()) for path in paths if path.is_dir() for file in sorted(path.glob("*_sm_50.h"))]
    else:
        texts = [fetch(SOURCE.format(version)) for version in ("60", "61")]
        arrays = [(entry["name"], fetch(entry["download_url"])) for entry in json.loads(fetch(KERNELS))
                  if entry["name"].endswith("_sm_50.h")]
    known = {(word, label): address for text in texts for address, word, label in records(text)}
    cubins = [(name, bytes(int(byte, 16) for byte in re.findall(r"\b0x([0-9a-f]{2})\b", text))) for name, text in arrays]
    wrong = check_words(wavetrap, known) + check_cubins(wavetrap, cubins)
    return 1 if wrong or not (known or cubins) else 0


if __name__ == "__main__":
    sys.exit(main())
