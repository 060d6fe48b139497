"""OpenCL's vectors by OpenCL's names (OpenCL C, "Vector Components"), on each family: what is printed is what the names mean, computed here."""
import re
import subprocess
import sys

import pytest

from conftest import OPENCL_TARGETS, ROOT, WAVETRAP, ask_console, debug
from releases import HIPCC_CLANG

sys.path.append(str(ROOT / "tests" / "isa" / "gen"))
import iga

TYPES = [f"{kind}{n}" for kind in ("float", "int") for n in (2, 3, 4, 8, 16)] + "char2 char4 uchar3 char16 short4 ushort8 long2 ulong4 half2 half4 half3 half16".split()
FAMILIES = {"gfx900-15": "gfx900", "gfx900-19": "gfx900", "gen9": "gen9", "sm": "sm"}
LANE = 5


def parts(n):
    """{name: the elements that it selects} of a vector of n elements."""
    half = n // 2 if n != 3 else 2
    made = {"lo": range(half), "hi": range(half, 2 * half), "even": range(0, 2 * half, 2), "odd": range(1, 2 * half, 2), f"s{n - 1:x}": [n - 1], f"S{n - 1:X}": [n - 1],
            "s10": [1, 0], "s1": [1], "x": [0], "xy": [0, 1], "yx": [1, 0], "y": [1], "s0011": [0, 0, 1, 1]}
    if n > 2:
        made |= {"zx": [2, 0], "z": [2]}
    if n > 3:
        made |= {"w": [3], "wzyx": [3, 2, 1, 0], "xyzw": [0, 1, 2, 3], "s0123": [0, 1, 2, 3], "s3120.yw": [1, 0], "hi.lo" if n > 4 else "hi.x": list(range(n // 2, n // 2 + n // 4)) if n > 4 else [2]}
    if n > 8:
        made |= {"sA": [10], "sfEdC": [15, 14, 13, 12], "s01234567": range(8), "hi.hi.hi.s1": [15]}
    # There is no fourth element of three.
    return {name: list(which) for name, which in made.items() if max(which) < n}


def kinds(family):
    return [t for t in TYPES if not (family == "sm" and t.startswith("half"))]


def source(family):
    text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" if family != "sm" else ""
    names = [f"v_{t}" for t in kinds(family)]
    text += "__kernel void k(__global float *out, int n)\n{\n    int g = get_local_id(0);\n    float4 w = (float4)(g, 1, 2, 3);\n"
    for t in kinds(family):
        kind, count = re.match(r"(\D+)(\d+)", t).groups()
        text += f"    {t} v_{t} = ({t})({', '.join(f'({kind})({7 * i} + g)' for i in range(int(count)))});\n"
    return text + f"    w.s1 = n + g; /* stored */\n    w.s2 = 9; /* other */\n    out[g] = w.y; /* last */\n    out[g] += {' + '.join(f'(float){n}.s1 + (float){n}.s0' for n in names)} + w.z;\n}}\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """built(family): the file, its options, {mark: line}."""
    made = {}

    def build(family):
        if family not in made:
            folder, target = tmp_path_factory.mktemp(family), FAMILIES[family]
            path, out = folder / "t.cl", folder / "t.out"
            path.write_text(source(family))
            if target == "gen9":
                out = iga.compile_cl(path, out, "-g", "-cl-opt-disable")
            else:
                compiler = HIPCC_CLANG if family.endswith("15") else "clang-19"
                subprocess.run([compiler, "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS[target], "-w", "-g", "-O0", path, "-o", out], check=True, capture_output=True)
            lines = {mark: i for i, line in enumerate(path.read_text().splitlines(), 1) for mark in ("stored", "other", "last") if f"/* {mark} */" in line}
            made[family] = out, ["-g", target, "--kernel=k", "--grid=8", "--block=8", "--arg=zeros:64", "--arg=i32:7"], lines
        return made[family]
    return build


def shown(kind, values):
    """As the console prints elements: a number beside a character."""
    def one(v):
        text = f"'\\{v:03o}'" if v not in (7, 8, 9, 10, 11, 12, 13, 27) and not 32 <= v < 127 else "'" + {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 27: "\\033", 39: "\\'", 92: "\\\\"}.get(v, chr(v)) + "'"
        return f"{v} {text}" if "char" in kind else str(v)
    return one(values[0]) if len(values) == 1 else "{" + ", ".join(map(one, values)) + "}"


@pytest.mark.parametrize("family", FAMILIES)
def test_each_name_selects_its_elements(built, family):
    file, how, lines = built(family)
    wanted = {}
    for t in kinds(family):
        kind, n = re.match(r"(\D+)(\d+)", t).groups()
        for name, which in parts(int(n)).items():
            wanted[f"output v_{t}.{name}"] = shown(kind, [7 * i + LANE for i in which])
            if len(which) != 1:
                wanted[f"whatis v_{t}.{name}"] = f"type = {kind}{len(which)}"
        wanted |= {f"ptype &v_{t}": f"type = {t} *", f"ptype {t}*": f"type = {t} *"} if re.search(r"\D4$", t) else {}
        wanted |= {f"ptype v_{t}": f"type = {t}", f"whatis v_{t}": f"type = {t}", f"output sizeof(v_{t}.xy)": str(2 * {"char": 1, "short": 2, "half": 2, "long": 8}.get(kind.lstrip("u"), 4))}
    said = ask_console(file, ["set print elements 0", f"break t.cl:{lines['stored']}", "run", f"lane {LANE}"], list(wanted), how)
    wrong = [f"{c}: {text!r}, not {value!r}" for (c, value), text in zip(wanted.items(), said) if text != value]
    assert not wrong and len(said) == len(wanted), f"{len(wrong)} of {len(wanted)}\n" + "\n".join(wrong)


@pytest.mark.parametrize("family", FAMILIES)
def test_names_in_conditions_displays_assignments_and_watchpoints(built, family):
    file, how, lines = built(family)
    said = ask_console(file, [f"break t.cl:{lines['other']} if w.s1 == {7 + LANE} && v_float16.sA == {70 + LANE} && v_char4.odd.y == {21 + LANE}", "run"],
                       ["output g", "display w.xy", "undisplay 1", "set var w.s1 = 50", "set var v_int8.hi.s0 = -3", "set var v_char16.sF = 7", "output w", "output v_int8", "output v_char16.sf",
                        "output v_int8.s34", "print w.s3 = w.s1 * 2", "output w.hi"], how)
    assert said[0] == str(LANE) and said[1] == f"1: w.xy = {{{LANE}, {7 + LANE}}}", said
    assert said[6] == f"{{{LANE}, 50, 2, 3}}" and said[7] == "{" + ", ".join(str(-3 if i == 4 else 7 * i + LANE) for i in range(8)) + "}", said
    assert said[8] == "7 '\\a'" and said[9] == f"{{{21 + LANE}, -3}}" and said[10].endswith("= 100") and said[11] == "{2, 100}", said
    refused = ["set var w.xy = 1", "set var w.lo = v_float2", "set var w.s00 = 3", "print w.s4", "print w.q", "print w.xq", "print v_float3.w"]
    errors = debug(file, f"break t.cl:{lines['other']}", "run", *refused, options=how, batch=False, input="quit\n").stderr
    told = dict(re.findall(r"^wavetrap: -ex '(.*)': (.*)$", errors, re.M))
    assert list(told) == refused, errors
    assert all(re.search("component|member|needed|assign|memory", text) for text in told.values()), told


@pytest.mark.parametrize("family", FAMILIES)
def test_a_component_is_watched_alone(built, family):
    """Of four elements in memory, only stores to this one stop."""
    file, how, lines = built(family)
    said = ask_console(file, [f"break t.cl:{lines['stored']}", "run", "delete", f"lane {LANE}"], ["watch w.s1", "continue", "output w.s1", "output g"], how)
    assert f"Old value = 1\nNew value = {7 + LANE}" in said[1], said
    assert said[2:] == [str(7 + LANE), str(LANE)], said


@pytest.mark.parametrize("family", FAMILIES)
def test_components_are_watched_and_found_together(built, family):
    """In another order than they lie; a store to one between them is not a change, and none of them."""
    file, how, lines = built(family)
    said = ask_console(file, [f"break t.cl:{lines['stored']}", "run", "delete", f"lane {LANE}"],
                       ["watch w.zx", "continue", "output g", "set $q = w.zx", "output $q", f"tbreak t.cl:{lines['last']}", "continue", "who-wrote w.z", "who-wrote w.zx"], how)
    assert f"Old value = {{2, {LANE}}}\nNew value = {{9, {LANE}}}" in said[1], said
    assert said[2] == str(LANE) and said[4] == f"{{9, {LANE}}}", said
    assert re.search("was 2, is 9$", said[7], re.M) and f" at t.cl:{lines['other']}" in said[8], said
