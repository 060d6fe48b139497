#!/usr/bin/env python3
"""`make check-public`: words that NVIDIA's disassembler has labelled, in both directions.

The records are those of the CuAssembler project (sm_60 and sm_61, whose encoding is Maxwell's). They are fetched
and compared, not kept. Needs the network, so that `make check` does not run it.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import urllib.request

SOURCE = "https://raw.githubusercontent.com/cloudcores/CuAssembler/master/CuAsm/InsAsmRepos/DefaultInsAsmRepos.sm_{}.txt"
# What the emulated GPU does not have: instructions of later GPUs, graphics, textures, surfaces, video.
OTHERS = re.compile(r"^(@!?\w+ )?(H[A-Z]+2|IDP|SUST|SULD|TEXS?|TLD\w*|TXD|TXQ|V(?!OTE)[A-Z]+\d?|FSWZADD)[. ]")


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


def main():
    wavetrap = sys.argv[1]
    known = {}
    for version in sys.argv[2:] or ("60", "61"):
        if pathlib.Path(version).exists():
            text = pathlib.Path(version).read_text()
        else:
            with urllib.request.urlopen(SOURCE.format(version), timeout=60) as answer:
                text = answer.read().decode()
        known.update({(word, label): address for address, word, label in records(text)})
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
    return 1 if wrong or not known else 0


if __name__ == "__main__":
    sys.exit(main())
