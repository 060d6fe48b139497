"""`trace --accesses`: what instructions access in memory is what the program says that they do.

Random kernels, whose accesses are volatile, are compiled for gfx900, the SM and Gen9. The list of accesses of each work-item (kind, place,
bytes, in the order of its statements) is computed here from the same plan. On Vortex, whose compiler keeps no such order for lanes, a
model executes the trace: the addresses follow from the registers that it shows."""
import os
import random
import re
import subprocess

import pytest

import amd
from conftest import EXAMPLES, ROOT

COMMAND = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
BITCODE, LIBCLC = amd.bitcode(), "/usr/lib/clc/nvptx64--nvidiacl.bc"
TYPES = {"char": 1, "short": 2, "int": 4, "long": 8, "int2": 8, "int4": 16}
LOCAL = {"gfx900": "local", "sm": "shared", "gen9": "local"}
PRIVATE = 1 << 46      # where the emulated Gen9 has it
ITEMS, GROUP, CELLS = 128, 64, 64     # of the grid, of a group; elements of each array
LINE = re.compile(r" +(load|store|atomic)(?: \([\w ]+, \w+\))? of (\d+) bytes?, (\w+), (?:\w+ ([\d,-]+)|\w+):((?: (?:0x[0-9a-f]+|[+-]\d+))+)$")


# ---- the records of a trace ----

def lanes_of(text):
    return [n for part in text.split(",") for n in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]


def read_record(line):
    """(kind, bytes, space, lanes, addresses) of a line, or None. Of a scalar access the list of lanes is empty."""
    found = LINE.fullmatch(line)
    if not found:
        return None
    lanes, words = lanes_of(found[4]) if found[4] else [], found[5].split()
    at = [int(words[0], 16)]
    if len(words) == 2 and words[1][0] in "+-":
        at += [at[0] + int(words[1]) * n for n in range(1, len(lanes))]
    elif len(words) == 1:
        at *= max(1, len(lanes))
    else:
        at = [int(word, 16) for word in words]
    assert not lanes or len(at) == len(lanes), line
    return found[1], int(found[2]), found[3], lanes, at


def trace(*words):
    done = subprocess.run([COMMAND, "trace", "--accesses", *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1) and "wavetrap" not in done.stderr, done.stderr
    return done.stdout.splitlines()


# ---- random kernels ----

class Plan:
    """A list of statements. Each is (kind, array, type, a, b, modulus, below): where id % modulus < below, the element (a * id + b) % CELLS
    of the array (`in`, `out`: global; `box`: local) is accessed; id counts in the grid, for `box` in the group."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.statements = []
        for _ in range(rng.randrange(6, 14)):
            kind = rng.choice(["load", "load", "store", "store", "atomic"])
            array = rng.choice(["out", "box"] if kind != "load" else ["in", "out", "box"])
            kind_of = "int" if kind == "atomic" else rng.choice(list(TYPES))
            modulus = rng.randrange(1, 9)
            self.statements.append((kind, array, kind_of, rng.choice([1, 1, 1, 2, 3, 5, 7]), rng.randrange(CELLS), modulus,
                                    rng.randrange(1, modulus + 1)))

    def source(self):
        lines = []
        for n, (kind, array, kind_of, a, b, modulus, below) in enumerate(self.statements):
            space = "local" if array == "box" else "global"
            item = "item" if array == "box" else "id"
            place = f"((volatile {space} {kind_of} *){array})[({a} * {item} + {b}) % {CELLS}]"
            parts = [f"v{n}.{c}" for c in "xyzw"[:int(kind_of[-1])]] if kind_of[-1] in "24" else [f"(int)(v{n} ^ (long)v{n} >> 32)"]
            what = {"load": f"{kind_of} v{n} = {place}; sum += {' + '.join(parts)};",
                    "store": f"{place} = ({kind_of})(sum + {n});", "atomic": f"atomic_add(&{place}, {n + 1});"}[kind]
            lines.append(f"    if ({item} % {modulus} < {below}) {{ {what} }}\n")
        return ("kernel void k(global char *out, global char *in, global int *mark)\n{\n"
                f"    local long box[{2 * CELLS}];\n    int id = get_global_id(0), item = get_local_id(0), sum = 0;\n"
                "    ((volatile global int *)mark)[id] = id;\n    ((volatile local int *)box)[item] = 0;\n"
                "    ((volatile global int *)out)[id] = 0; sum = ((volatile global int *)in)[id];\n"
                + "".join(lines) + "    ((volatile global int *)mark)[id] = sum;\n}\n")

    def accesses(self, id_):
        """What a work-item does: (kind, array, first byte, bytes)."""
        made = [("store", "mark", 4 * id_, 4), ("store", "box", 4 * (id_ % GROUP), 4), ("store", "out", 4 * id_, 4), ("load", "in", 4 * id_, 4)]
        for kind, array, kind_of, a, b, modulus, below in self.statements:
            number = id_ % GROUP if array == "box" else id_
            if number % modulus < below:
                made.append((kind, array, (a * number + b) % CELLS * TYPES[kind_of], TYPES[kind_of]))
        return made + [("store", "mark", 4 * id_, 4)]


def build(gpu, source, folder, for_clang=(), for_intel="", for_ocloc=()):
    (folder / "k.cl").write_text(source)
    out = folder / f"k.{gpu}"
    clang = ["clang-19", "-x", "cl", "-cl-std=CL2.0", "-w", "-O1", *for_clang]
    words = {"gfx900": [*clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", f"--rocm-device-lib-path={BITCODE}", "k.cl", "-o", out],
             "sm": [*clang, "-target", "nvptx64--nvidiacl", "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, "k.cl", "-o", out],
             "gen9": ["ocloc", "compile", "-file", "k.cl", "-device", "skl", "-options", f"-cl-std=CL2.0 {for_intel}", "-output", out, "-output_no_suffix", *for_ocloc]}
    done = subprocess.run(words[gpu], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout
    return out


def streams(lines):
    """{(core, slot): {lane: [(kind, space, address, bytes)]}} of the records that are of lanes."""
    made, place = {}, None
    for line in lines:
        record = read_record(line)
        if not record:
            found = re.match(r" *\d+ \S+ (\d+) \S+ (\d+) ", line)
            place = (int(found[1]), int(found[2]))
            continue
        kind, size, space, lanes, at = record
        for lane, address in zip(lanes, at):
            made.setdefault(place, {}).setdefault(lane, []).append((kind, space, address, size))
    return made


@pytest.mark.parametrize("gpu", ["gfx900", "sm", "gen9"])
@pytest.mark.parametrize("seed", range(3 if not os.environ.get("WAVETRAP_FULL") else 40))
def test_a_kernel_accesses_what_its_source_says(gpu, seed, tmp_path):
    plan = Plan(seed)
    file = build(gpu, plan.source(), tmp_path, for_intel="-cl-opt-disable")
    lines = trace("-g", gpu, "--kernel=k", f"--grid={ITEMS}", f"--block={GROUP}", "--arg=zeros:4096", "--arg=zeros:4096", f"--arg=zeros:{4 * ITEMS}", file)
    of_lanes = [lane for wave in streams(lines).values() for lane in wave.values()]
    of_lanes = [[one for one in lane if one[1] in ("global", LOCAL[gpu])] for lane in of_lanes]
    if gpu == "gen9":   # unoptimised, since Intel's optimiser reorders volatile accesses: without what lies in private memory
        of_lanes = [[one for one in lane if one[1] != "global" or one[2] < PRIVATE] for lane in of_lanes]
    assert len(of_lanes) == ITEMS
    mark = min(lane[0][2] for lane in of_lanes)
    seen = set()
    for lane in of_lanes:
        first = lane[0]
        assert first[:2] == ("store", "global") and first[3] == 4, first
        id_ = (first[2] - mark) // 4
        seen.add(id_)
        wanted_list = plan.accesses(id_)
        base = dict(zip(("mark", "out", "in"), [one[2] - 4 * id_ for one in lane if one[1] == "global"]))
        base["box"] = next(one[2] for one in lane if one[1] == LOCAL[gpu]) - 4 * (id_ % GROUP)
        at = 0
        for kind, array, offset, size in wanted_list:
            wanted = {base[array] + offset + i for i in range(size)}
            got = []
            while sum(one[3] for one in got) < size and at < len(lane):
                got.append(lane[at])
                at += 1
            found = [one[2] + i for one in got for i in range(one[3])]
            space = LOCAL[gpu] if array == "box" else "global"
            assert sorted(found) == sorted(wanted) and {one[:2] for one in got} == {(kind, space)}, (
                f"work-item {id_}: {kind} of {size} bytes in {array} at {offset}, found {got}; the whole:\n{plan.source()}")
        assert at == len(lane), (id_, lane[at:])
    assert seen == set(range(ITEMS))


# ---- Vortex: a model that executes the trace ----

NAMES = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", *(f"s{n}" for n in range(2)), *(f"a{n}" for n in range(8)), *(f"s{n}" for n in range(2, 12)),
         *(f"t{n}" for n in range(3, 7))]
SIZES = {"b": 1, "h": 2, "w": 4, "d": 8}
ISSUE = re.compile(r" *\d+ core (\d+) warp (\d+) 0x([0-9a-f]+) [0-9a-f]+: [0-9a-f]+ +(\S+) ?(.*?)(?:  # (.*))?$")
MEMORY = re.compile(r"(?:c\.)?(f?[ls])([bhwd])u?(?:sp)?")


def written(effect):
    """{register: its value in each thread, None where there is none} of an instruction's effect."""
    made = {}
    for name, value in re.findall(r"(\w+)=(0x[0-9a-f]+|\[[^\]]*\])", effect or ""):
        if name in NAMES:
            made[name] = [None if one == "-" else int(one, 16) for one in value.strip("[]").split()]
    return made


@pytest.mark.parametrize("name", ["histogram", "reduce", "vecadd"])
@pytest.mark.parametrize("xlen", [32, 64])
def test_vortex_accesses_what_its_registers_say(name, xlen, tmp_path):
    done = subprocess.run(["make", "-s", "-C", EXAMPLES, f"OUT={tmp_path}", f"{tmp_path}/{name}.rv{xlen}.elf"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    registers, wanted, checked, unknown = {}, None, 0, 0
    for line in [*trace(tmp_path / f"{name}.rv{xlen}.elf"), "0 core 0 warp 0 0x0 0: 0 end"]:
        record = read_record(line)
        if record:
            assert wanted is not None, line
            kind, size, space, lanes, at = record
            if wanted[2] is None:
                unknown += 1
            else:
                assert (kind, size, dict(zip(lanes, at))) == wanted, (line, wanted)
                checked += 1
            wanted = None
            continue
        assert wanted is None or wanted[2] is None, f"no record of {wanted} before {line}"
        wanted = None
        core, warp, mask, op, operands, effect = ISSUE.fullmatch(line).groups()
        own = registers.setdefault((core, warp), {"zero": [0] * 64})
        mask = int(mask, 16)
        lanes = [n for n in range(64) if mask >> n & 1]
        plain, amo = MEMORY.fullmatch(op), re.fullmatch(r"amo\w+\.([wd])", op)
        if plain or amo:
            offset, base = re.search(r"(-?\d*)\((\w+)\)$", operands).groups()
            values = own.get(base)
            at = {n: (values[n] + int(offset or 0)) % 2**xlen for n in lanes} if values and all(values[n] is not None for n in lanes) else None
            wanted = ("atomic" if amo else "load" if plain[1].endswith("l") else "store", SIZES[amo[1] if amo else plain[2]], at)
        for register, values in written(effect).items():
            row = own.setdefault(register, [None] * 64)
            for n in lanes:
                row[n] = values[0] if len(values) == 1 else values[n] if n < len(values) else None
        if op.startswith("vx_wspawn"):
            for place in [place for place in registers if place[0] == core and place != (core, warp)]:
                del registers[place]
    assert checked > 500 and unknown < checked / 50, (checked, unknown)


# ---- operands of the SM in constant banks ----

CONSTANTS = """.kernel k
.param 8 out
.param 8 number
    MOV R2, c[0x0][0x140];
    MOV R3, c[0x0][0x144];
    MOV R8, 0x0;
    MOV R9, 0x0;
    DADD R4, R8, c[0x0][0x148];
    DFMA R4, R4, R4, c[0x0][0x148];
    I2F.F64.S64 R6, c[0x0][0x148];
    I2I.S32.U8 R6, c[0x0][0x148];
    FFMA R6, R6, R6, c[0x0][0x14c];
    @!PT IADD R6, R6, c[0x0][0x148];
    LDC R7, c[0x0][R8+0x148];
    STG.E [R2], R6;
    EXIT;
"""
WIDE = re.compile(r"DADD|DFMA|S64")


def test_operands_in_constant_banks_of_the_sm(tmp_path):
    """Once for the warp where the text has one and a lane executes it: at the bank's beginning and the offset; 8 bytes of doubles and 64 bits."""
    (tmp_path / "k.sass").write_text(CONSTANTS)
    subprocess.run([COMMAND, "asm", "-g", "sm", "k.sass", "-o", "k.cubin"], cwd=tmp_path, check=True)
    text, seen, beginnings = None, 0, set()
    for line in trace("-g", "sm", "--grid=32", "--block=32", "--arg=zeros:64", "--arg=77", tmp_path / "k.cubin"):
        record = read_record(line)
        if not record:
            assert not wanted_constant(text), text    # nothing came behind it
            text = line
            continue
        kind, size, space, lanes, at = record
        if "LDC" in text:
            assert (kind, size, space, len(lanes)) == ("load", 4, "constant", 32)
        elif space == "constant":
            assert (kind, size, lanes) == ("load", 8 if WIDE.search(text) else 4, []), text
            beginnings.add(at[0] - int(re.search(r"c\[0x0\]\[(0x[0-9a-f]+)\]", text)[1], 16))
            seen += 1
        text = None
    assert seen == 7 and len(beginnings) == 1


def wanted_constant(text):
    return text and "c[0x0]" in text and "@!PT" not in text
