"""--check=init of products of matrices: an undefined lane of A or B, or an undefined element of C, makes those elements of D undefined that depend on it,
and no other ones. Which these are says the model of test_gcn_mfma.py, whose layouts are those of AMD's calculator."""
import json
import pathlib
import random
import sys

import pytest

import checks
from test_hazard import METADATA, KERNEL, compile_

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "isa" / "gcn"))
from test_gcn_mfma import BY_MODEL, SHAPES, Model  # noqa: E402

REGISTERS = {"gfx908": "64", "gfx90a": "128\n.amdhsa_accum_offset 64"}
A, B, SEEN, ALL = 20, 24, 40, 64    # registers; lanes


def dependent(shape, lane_a, lane_b, place_c, cbsz, abid, blgp):
    """The lanes of each register of D that depend on them."""
    model = Model()
    found = {place_c[0]: {place_c[1]}} if place_c else {}
    for block in range(shape.blocks):
        source = model.a_block(shape, block, cbsz, abid) % shape.blocks
        for i in range(shape.side):
            row = lane_a in {shape.a_place(i, k, source)[0] for k in range(shape.k)}
            for j in range(shape.side):
                column = lane_b in {model.b_lane(shape.a_place(j, k, block)[0], blgp) for k in range(shape.k)}
                if row or column:
                    r, lane = shape.d_place(i, j, block)
                    found.setdefault(r, set()).add(lane)
    return found


def code_of(rng, shape, added):
    """Code that asks each register of D as an address, and by register the lanes that are undefined; C is registers, or a constant."""
    lane_a, lane_b, place_c = rng.randrange(ALL), rng.randrange(ALL), (rng.randrange(shape.results), rng.randrange(ALL))
    cbsz = rng.choice([0, *range(1, shape.blocks.bit_length())]) if shape.blocks > 1 and shape.kind != "f64" else 0
    abid, blgp, count = rng.randrange(1 << cbsz), rng.randrange(8) if shape.kind != "f64" else 0, shape.results * shape.words
    spans = [f"v[{at}:{at + shape.registers - 1}]" if shape.registers > 1 else f"v{at}" for at in (A, B)]
    lines = [f"v_accvgpr_write_b32 a{r}, 0" for r in range(count)]
    lines += [f"v_mov_b32 v{at + n}, 0" for at in (A, B) for n in range(shape.registers)]

    def undefine(target, lane, how):    # v3 has no value
        mask = 1 << lane
        return [f"s_mov_b32 exec_lo, {mask & 0xffffffff}", f"s_mov_b32 exec_hi, {mask >> 32}", "s_nop 7", how.format(target), "s_mov_b64 exec, -1", "s_nop 7"]
    lines += undefine(f"v{A + rng.randrange(shape.registers)}", lane_a, "v_mov_b32 {}, v3")
    lines += undefine(f"v{B + rng.randrange(shape.registers)}", lane_b, "v_mov_b32 {}, v3")
    if added == "registers":
        lines += undefine(f"a{place_c[0] * shape.words + rng.randrange(shape.words)}", place_c[1], "v_accvgpr_write_b32 {}, v3")
    c, place_c = (f"a[0:{count - 1}]", place_c) if added == "registers" else (added, None)
    exchanged = f" cbsz:{cbsz} abid:{abid} blgp:{blgp}" if shape.kind != "f64" else ""
    lines += [f"{shape.name} a[0:{count - 1}], {spans[0]}, {spans[1]}, {c}{exchanged}", "s_nop 7", "s_nop 7"]
    for r in range(count):
        lines += [f"v_accvgpr_read_b32 v{SEEN}, a{r}", f"ds_read_b32 v{SEEN}, v{SEEN} ; {shape.name} {r}", "s_waitcnt lgkmcnt(0)"]
    return lines, dependent(shape, lane_a, lane_b, place_c, cbsz, abid, blgp)


@pytest.mark.parametrize("model, added", [("gfx908", "registers"), ("gfx90a", "registers"), ("gfx90a", "0")])
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 8))])
def test_undefined_lanes_reach_what_depends_on_them(tmp_path, monkeypatch, seed, model, added):
    monkeypatch.setattr("test_hazard.MODEL", model)
    rng, body, expected = random.Random(seed), [], {}
    for shape in (SHAPES[name] for gpu, name in BY_MODEL if gpu == model):
        lines, lanes = code_of(rng, shape, added)
        body += lines
        expected |= {f"{shape.name} {shape.words * r + word}": checks.ranges(which) for r, which in lanes.items() for word in range(shape.words)}
    source, program, report = (tmp_path / name for name in ("matrices.s", "matrices", "report"))
    source.write_text("\n".join(['.amdgcn_target "amdgcn-amd-amdhsa--' + model + '"', ".text",
                                 KERNEL.format("matrices", "\n".join(body)).replace("next_free_vgpr 8", "next_free_vgpr " + REGISTERS[model]),
                                 ".amdgpu_metadata", "---", "amdhsa.version: [1, 1]", "amdhsa.kernels:", METADATA.format("matrices"), "...", ".end_amdgpu_metadata"]) + "\n")
    compile_(source, program, "-g")
    done = checks.run(checks.command_under_test(), "run", "-g", model, "--check=init", "--check-limit=10000", f"--report=json:{report}", "--kernel=matrices", "--grid=64", "--block=64",
                      "--arg=zeros:8192", program)
    text = source.read_text().splitlines()
    found = [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]
    assert {text[one["line"] - 1].partition("; ")[2]: one["lanes"] for one in found} == expected, done.stderr
