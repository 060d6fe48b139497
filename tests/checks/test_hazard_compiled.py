"""--check=hazard of what clang-22 makes of kernels with products of matrices, accumulation registers, DPP and doubles: no finding. Each s_nop with one wait state less, and
code without one of its s_waitcnt, has one."""
import pathlib
import re
import sys

import pytest

import checks
import test_hazard as hazard

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "isa" / "gcn"))
from test_gcn_mfma import BY_MODEL, SHAPES_OF  # noqa: E402

pytestmark = pytest.mark.full
MODELS = ("gfx908", "gfx90a")
# Elements of A and B, those of D, and how one element of D becomes an A.
TYPES = {"f32": ("float", "float", "(float)({0})"), "f16": ("half4", "float", "(half4)((half)({0}))"), "bf16": ("short2", "float", "as_short2({0})"),
         "bf16_1k": ("short4", "float", "(short4)(as_short2({0}), as_short2({0}))"), "i8": ("int", "int", "(int)({0})"), "f64": ("double", "double", "(double)({0})")}
PRELUDE = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define LANE __builtin_amdgcn_workitem_id_x()
"""
# Sums in a loop; a D that vector instructions, DPP, LDS, another product and a store have at once; sums of two by turns beside doubles, with many registers;
# four sums that are kept beside each other, of which one becomes another's C; exchanges by DPP of all kinds between two products, then doubles.
KERNELS = {"sums": """kernel void sums_{n}(global {d} *out, global const {a} *in, global const double *x)
{{
    typedef {d} many __attribute__((ext_vector_type({count})));
    many sum = 0;
    for (int k = 0; k < 3; k++)
        sum = {f}(in[LANE + k], in[LANE], sum, {how});
    for (int k = 0; k < {count}; k++)
        out[LANE * {count} + k] = {element};
}}
""", "uses": """kernel void uses_{n}(global {d} *out, global const {a} *in, global const double *x)
{{
    typedef {d} many __attribute__((ext_vector_type({count})));
    many one = {f}(in[LANE], in[LANE + 1], (many)1, {how});
    {d} first = {first}, last = {last};
    many other = {f}({a_of_d}, in[LANE + 2], one, {how});
    int bits = (int)last;
    bits += __builtin_amdgcn_update_dpp(0, (int)first, 0x111, 15, 15, 0) + __builtin_amdgcn_update_dpp(bits, bits, 0x4e, 15, 15, 0);
    bits += __builtin_amdgcn_ds_bpermute((int)LANE * 4, bits) + __builtin_amdgcn_readlane(bits, LANE & 0);
    out[LANE] = first + last * ({d})bits;
    for (int k = 0; k < {count}; k++)
        out[64 + LANE * {count} + k] = {other};
}}
""", "turns": """kernel void turns_{n}(global {d} *out, global const {a} *in, global const double *x)
{{
    typedef {d} many __attribute__((ext_vector_type({count})));
    many one = 0, two = 1;
    double y = x[LANE];
    for (int k = 0; k < 2; k++) {{
        one = {f}(in[LANE + k], in[LANE + 1], one, {how});
        y = __builtin_fma(y, y, x[k]) / (y + 3.0);
        two = {f}(in[LANE + 2], in[LANE + k], two, {how});
        if (y > 7.0)
            one += two;
    }}
    for (int k = 0; k < {count}; k++)
        out[LANE * {count} + k] = {element_of_one} + {element_of_two} * ({d})y;
}}
""", "held": """kernel void held_{n}(global {d} *out, global const {a} *in, global const double *x)
{{
    typedef {d} many __attribute__((ext_vector_type({count})));
    many one = 0, two = 1, three = 2, other = 3;
    for (int k = 0; k < 2; k++) {{
        one = {f}(in[LANE + k], in[LANE], one, {how});
        two = {f}(in[LANE], in[LANE + k], two, {how});
        three = {f}(in[LANE + k + 1], in[LANE + k], one, {how});
        {d} first = {first};
        other = {f}({a_of_d}, in[LANE + k], other, {how});
    }}
    for (int k = 0; k < {count}; k++) {{
        out[LANE * {count} + k] = {element_of_one} - {element_of_two};
        out[64 * {count} + LANE * {count} + k] = {element_of_three} + {other};
    }}
}}
""", "rows": """kernel void rows_{n}(global {d} *out, global const {a} *in, global const double *x)
{{
    typedef {d} many __attribute__((ext_vector_type({count})));
    many one = {f}(in[LANE], in[LANE + 1], (many)1, {how});
    {d} first = {first};
    int bits = (int)first;
    bits += __builtin_amdgcn_update_dpp(0, bits, 0x118, 15, 15, 0) + __builtin_amdgcn_update_dpp(bits, bits * 3, 0x124, 15, 15, 1);
    bits ^= __builtin_amdgcn_update_dpp(0, bits, 0x140, 15, 15, 0) - __builtin_amdgcn_update_dpp(1, bits, 0x141, 5, 15, 0);
    bits += __builtin_amdgcn_update_dpp(0, bits, 0x142, 10, 15, 0) + __builtin_amdgcn_update_dpp(0, bits, 0x143, 12, 15, 0);
    bits &= __builtin_amdgcn_update_dpp(0, bits, 0x138, 15, 15, 0) | __builtin_amdgcn_update_dpp(0, bits, 0x1b, 15, 3, 0);
    bits += __builtin_amdgcn_ds_swizzle(bits, 0x401f) + __builtin_amdgcn_readfirstlane(bits);
    first = ({d})bits;
    many other = {f}({a_of_d}, in[LANE + 2], one, {how});
    double y = __builtin_fma(x[LANE], x[LANE + 1], (double)bits);
    y = __builtin_fmin(y * y, x[2]) + __builtin_fma(y, x[3], (double){last_of_other});
    for (int k = 0; k < {count}; k++)
        out[LANE * {count} + k] = {other} * ({d})y;
}}
"""}
RUN = ["--grid=64", "--block=64", "--arg=zeros:65536", "--arg=pattern:4096=003c004000420044", "--arg=pattern:1024=000000000000f03f"]


def source_of(model):
    """OpenCL C, and the names of its kernels."""
    text, names = [PRELUDE], []
    for shape in (SHAPES_OF[model][name] for gpu, name in BY_MODEL if gpu == model):
        a, d, a_of_d = TYPES["bf16_1k" if shape.name.endswith("_1k") else "i8" if shape.kind == "i8" else shape.kind]
        words = {"n": shape.name[7:], "f": "__builtin_amdgcn_" + shape.name[2:], "a": a, "d": d, "count": shape.results, "how": "0, 0, 0"}

        def element(of, k, many=shape.results > 1):
            return f"{of}[{k}]" if many else of
        if shape.results == 1:
            words["many"] = d
        words |= {"element": element("sum", "k"), "first": element("one", 0), "last": element("one", shape.results - 1), "other": element("other", "k"),
                  "element_of_one": element("one", "k"), "element_of_two": element("two", "k"), "element_of_three": element("three", "k"), "last_of_other": element("other", shape.results - 1), "a_of_d": a_of_d.format("first")}
        for kind, code in KERNELS.items():
            code = code.format(**words)
            text.append(code.replace(f"typedef {d} many __attribute__((ext_vector_type(1)))", f"typedef {d} many"))
            names.append(f"{kind}_{words['n']}")
    return "\n".join(text), names


def compiled(folder, model, source, out, *words):
    done = checks.run("clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={model}", "-nogpulib", "-w", *words, source, "-o", folder / out)
    assert done.returncode == 0, done.stderr
    return folder / out


@pytest.fixture(name="model", params=MODELS)
def model_(request, monkeypatch):
    monkeypatch.setattr(hazard, "MODEL", request.param)
    return request.param


def kinds(program, name, folder):
    found, done = hazard.reported(program, name, folder, *RUN, checks="hazard")
    assert found or done.returncode == 0, done.stderr
    return {one["finding"] for one in found}


def test_there_are_enough_of_them():
    assert sum(len(source_of(model)[1]) for model in MODELS) >= 200


@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3"])
def test_compiled_kernels_have_no_finding(model, tmp_path, level):
    text, names = source_of(model)
    (tmp_path / "all.cl").write_text(text)
    program = compiled(tmp_path, model, tmp_path / "all.cl", "all", "-x", "cl", "-cl-std=CL2.0", level, "-g")
    found = {name: which for name in names for which in [kinds(program, name, tmp_path)] if which}
    assert not found, found


def of_kernels(lines, names):
    """The lines of each kernel's code, by its name."""
    return {name: range(begin := lines.index(next(line for line in lines if line.startswith(f"{name}:"))), begin + next(
        n for n, line in enumerate(lines[begin:]) if ".Lfunc_end" in line)) for name in names}


def one_less(line):
    """An s_nop of one wait state less."""
    count = int(line.split()[1])
    return f"\ts_nop {count - 1}" if count else ""


def without(line):
    return ""


def is_of_the_own_lane(lines, at):
    """Whether an s_nop is for an operand of DPP that does not come from another lane, or the old value of its result: LLVM waits for it, too, and the check does not ask that."""
    moved, written = re.match(r"\s*v_\w+_dpp v\d+, (v\d+)", lines[at + 1]), re.match(r"\s*v_\w+ (v\d+),", lines[at - 1])
    return moved and written and written[1] != moved[1]


# A wait before a barrier or the end is for memory: it keeps no register.
@pytest.mark.parametrize("what, change", [("s_nop", one_less), ("s_waitcnt", without)])
def test_code_with_less_waiting_has_a_finding(model, tmp_path, what, change):
    text, names = source_of(model)
    (tmp_path / "all.cl").write_text(text)
    lines = compiled(tmp_path, model, tmp_path / "all.cl", "all.s", "-x", "cl", "-cl-std=CL2.0", "-O2", "-S").read_text().splitlines()
    places = {name: [n for n in where if re.match(rf"\s*{what} ", lines[n]) and not re.match(r"\s*(s_barrier|s_endpgm)", lines[n + 1]) and not is_of_the_own_lane(lines, n)] for name, where in of_kernels(lines, names).items()}
    silent, tried = {}, 0
    for turn in range(max(map(len, places.values()))):
        now, these = list(lines), {name: at[turn] for name, at in places.items() if turn < len(at)}
        for at in these.values():
            now[at] = change(lines[at])
        (tmp_path / "now.s").write_text("\n".join(now) + "\n")
        program = compiled(tmp_path, model, tmp_path / "now.s", "now")
        for name, at in these.items():
            tried += 1
            if not kinds(program, name, tmp_path):
                silent[f"{name} {turn}"] = lines[at - 2:at + 3]
    print(f"{model} {what}: {tried - len(silent)} of {tried} are found")
    assert tried >= 40 and not silent, silent
