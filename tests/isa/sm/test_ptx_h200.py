"""What an NVIDIA H200 computes: forms of PTX's scalar instructions, each on some operands.

ptx_h200.txt was written from runs on that GPU (driver 580.159, PTX 8.7 for sm_90, 2026-11-28). Each form had 16,384 operands, edge values
and random ones; the file has some of each form, of a form that wavetrap computed otherwise those that differed. A head line is "NAME,
types of the results, types of the operands, instruction", with tabs between them; lines of operands and results as bits follow. A "!" before
the name marks a form that wavetrap computes otherwise today. Approximations (.approx, div.full), operations of warps, atomics and matrices
are not in the file.
"""
import pathlib
import struct
import subprocess

import pytest

from test_ptx_rows import WAVETRAP

LANES, FORMS = 16, 250
HEAD = """.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .b64 %x, %y, %w; .reg .b32 %l;
ld.param.u64 %x, [in]; ld.param.u64 %y, [out];
mov.u32 %l, %tid.x; mul.wide.u32 %w, %l, 8; add.u64 %x, %x, %w; add.u64 %y, %y, %w;
"""
REGISTERS = {"b16": "u8 s8 b8 u16 s16 b16 f16 bf16 e4m3x2 e5m2x2".split(), "b32": "u32 s32 b32 f16x2 bf16x2 tf32 u16x2 s16x2 sh small bytes".split(),
             "b64": ["u64", "s64", "b64"], "f32": ["f32"], "f64": ["f64"], "pred": ["pred"]}
REGISTER = {kind: register for register, kinds in REGISTERS.items() for kind in kinds}
BYTES = {"b16": 2, "b32": 4, "f32": 4, "b64": 8, "f64": 8, "pred": 4}


def forms():
    """(name, results, operands, instruction, [(values, wanted)])"""
    found = []
    for line in (pathlib.Path(__file__).parent / "ptx_h200.txt").read_text().splitlines():
        if line.startswith(" "):
            given, wanted = ([int(word, 16) for word in side.split()] for side in line.split(">"))
            found[-1][4].append((given, wanted))
        else:
            name, results, operands, body = line.split("\t")
            found.append((name, results.split(), operands.split(), body, []))
    return found


def text_of(form, inputs, outputs):
    """The form in a scope of its own: each lane takes its operands from its qwords, and stores its results into others."""
    _, results, operands, body, _ = form
    lines = ["{ .reg .b32 %t0, %t1; .reg .pred %pz;"]
    for i, kind in enumerate(results):
        lines.append(f".reg .{REGISTER[kind]} %d{i};")
    for i, kind in enumerate(operands):
        register, at = REGISTER[kind], f"[%x+{inputs + 8 * LANES * i}]"
        lines.append(f".reg .{register} %s{i};")
        load = {"u8": "u8", "b8": "u8", "s8": "s8"}.get(kind, register)
        lines.append(f"ld.global.u32 %t0, {at}; setp.ne.u32 %s{i}, %t0, 0;" if kind == "pred" else f"ld.global.{load} %s{i}, {at};")
    lines.append(body)
    for i, kind in enumerate(results):
        at = f"[%y+{outputs + 8 * LANES * i}]"
        lines.append(f"selp.u32 %t0, 1, 0, %d{i}; st.global.u32 {at}, %t0;" if kind == "pred" else f"st.global.{REGISTER[kind]} {at}, %d{i};")
    return "\n".join(lines) + "\n}\n"


def computed(folder, chosen):
    """Runs some forms; yields (name, what is computed otherwise)."""
    text, data, out, places = HEAD, bytearray(), 0, []
    for form in chosen:
        _, results, operands, _, runs = form
        text += text_of(form, len(data), out)
        places.append(out)
        out += 8 * LANES * len(results)
        for i in range(len(operands)):
            values = [given[i] for given, _ in runs]
            data += struct.pack(f"<{LANES}Q", *(values[lane % len(values)] for lane in range(LANES)))
    (folder / "k.ptx").write_text(text + "ret;\n}\n")
    (folder / "in").write_bytes(data)
    done = subprocess.run([WAVETRAP, "run", "-gsm:cc=9.0", f"--grid={LANES}", f"--block={LANES}", f"--arg=file:{folder}/in", f"--arg=zeros:{out}",
                           f"--dump-arg=1:{folder}/out", folder / "k.ptx"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    got = (folder / "out").read_bytes()
    for (name, results, _, _, runs), place in zip(chosen, places):
        differs = []
        for lane, (given, wanted) in enumerate(runs):
            words = [struct.unpack_from("<Q", got, place + 8 * (LANES * i + lane))[0] for i in range(len(results))]
            if words != wanted:
                differs.append("{} of {}, not {}".format(*(" ".join(f"{v:x}" for v in values) for values in (words, given, wanted))))
        yield name, differs


@pytest.mark.parametrize("part", range(15))
def test_results_are_those_of_the_gpu(tmp_path, part):
    wrong = []
    for name, differs in computed(tmp_path, forms()[part * FORMS:(part + 1) * FORMS]):
        if name[0] != "!":
            wrong += [f"{name}: {text}" for text in differs]
        elif not differs:
            wrong.append(f"{name[1:]} is as the GPU has it: take its mark away")
    assert not wrong, "\n".join(wrong)
