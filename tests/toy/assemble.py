"""Assembles kernels of the toy: one instruction a line, `op a b c immediate`, as far as it has them; `name:` is a label."""
import pathlib
import re
import struct
import sys

# The names of the rows by code, with those that toy-more has besides.
OPS = [name for table in ("isa.def", "added.def") for name in re.findall(r'^ROW\(\w+, "(\w+)"', (pathlib.Path(__file__).parent / table).read_text(), re.M)]


def assemble(text, arguments=0, buffers=0, local=0):
    labels, code = {}, []
    for line in text.split("\n"):
        words = line.replace(",", " ").split()
        if words and words[0].endswith(":"):
            labels[words[0][:-1]] = len(code)
        elif words:
            code.append(words)
    out = struct.pack("<8sIHH", b"TOYCODE\n", local, arguments, buffers)
    for at, (op, *rest) in enumerate(code):
        registers = [int(word[1:]) for word in rest if word[0] == "r" and word[1:].isdigit()]
        value = [word for word in rest if not (word[0] == "r" and word[1:].isdigit())]
        number = 0 if not value else 8 * (labels[value[0]] - at - 1) if value[0] in labels else int(value[0], 0)
        out += struct.pack("<BBBBi", OPS.index(op), *(registers + [0, 0, 0])[:3], number)
    return out
