"""--check=hazard on a GPU with accumulation registers: wait states around v_mfma and v_accvgpr (LLVM, checkMAIHazards908): each with one state too few
is found by both of its lines, and its twin has no finding; so has what a compiler has made."""
import re
import subprocess

import pytest

import test_hazard as hazard

MODEL = "gfx908"
A4, A16, A32 = "v_mfma_f32_4x4x1f32 a[{}], v0, v1, {}", "v_mfma_f32_16x16x4f32 a[{}], v0, v1, {}", "v_mfma_f32_32x32x1f32 a[{}], v0, v1, {}"
FOUR, SIXTEEN, THIRTY_TWO = (f.format(at, f"a[{at}]") for f, at in ((A4, "0:3"), (A16, "0:3"), (A32, "0:31")))
# name: code with lines "A" and "B", and the wait states that are needed.
CASES = {
    "vgpr_mfma": ("v_mov_b32 v1, 0 ; A\n{}\n" + FOUR + " ; B", 2),
    "vgpr_write": ("v_mov_b32 v1, 0 ; A\n{}\nv_accvgpr_write_b32 a0, v1 ; B", 2),
    "exec_mfma": ("v_cmpx_eq_u32 s[6:7], v0, v0 ; A\n{}\n" + FOUR + " ; B", 4),
    "exec_write": ("v_cmpx_eq_u32 s[6:7], v0, v0 ; A\n{}\nv_accvgpr_write_b32 a0, v1 ; B", 4),
    "overlapping_c": (FOUR + " ; A\n{}\nv_mfma_f32_4x4x1f32 a[8:11], v0, v1, a[2:5] ; B", 2),
    "result_as_a": (FOUR + " ; A\n{}\nv_mfma_f32_4x4x1f32 a[8:11], a2, v1, a[8:11] ; B", 4),
    "result_as_b": (THIRTY_TWO + " ; A\n{}\nv_mfma_f32_4x4x1f32 a[40:43], v0, a31, a[40:43] ; B", 4),
    "read_4": (FOUR + " ; A\n{}\nv_accvgpr_read_b32 v2, a3 ; B", 4),
    "read_16": (SIXTEEN + " ; A\n{}\nv_accvgpr_read_b32 v2, a3 ; B", 10),
    "read_32": (THIRTY_TWO + " ; A\n{}\nv_accvgpr_read_b32 v2, a31 ; B", 18),
    "write_4": (FOUR + " ; A\n{}\nv_accvgpr_write_b32 a3, v1 ; B", 1),
    "write_16": (SIXTEEN + " ; A\n{}\nv_accvgpr_write_b32 a3, v1 ; B", 7),
    "write_32": (THIRTY_TWO + " ; A\n{}\nv_accvgpr_write_b32 a3, v1 ; B", 15),
    "c_is_written_16": (A16.format("0:3", "a[4:7]") + " ; A\n{}\nv_accvgpr_write_b32 a4, v1 ; B", 5),
    "c_is_written_32": (A32.format("0:31", "a[32:63]") + " ; A\n{}\nv_accvgpr_write_b32 a63, v1 ; B", 13),
    "written_c": ("v_accvgpr_write_b32 a0, v1 ; A\n{}\n" + FOUR + " ; B", 1),
    "written_a": ("v_accvgpr_write_b32 a8, v1 ; A\n{}\nv_mfma_f32_4x4x1f32 a[0:3], a8, v1, a[0:3] ; B", 3),
    "written_read": ("v_accvgpr_write_b32 a0, v1 ; A\n{}\nv_accvgpr_read_b32 v2, a0 ; B", 3),
    "read_stored": ("v_accvgpr_read_b32 v2, a0 ; A\n{}\nglobal_store_dword v1, v2, s[4:5] ; B", 2),
    "read_address": ("v_accvgpr_read_b32 v1, a0 ; A\n{}\nds_read_b32 v2, v1 ; B", 2),
}
# The same registers as D and then as C need nothing; nor do others.
IDIOMS = {"chain": "\n".join([FOUR] * 4), "other_registers": THIRTY_TWO + "\nv_accvgpr_read_b32 v2, a40\nv_accvgpr_write_b32 a41, v1"}


def states(count):
    return "\n".join(f"s_nop {min(8, count - at) - 1}" for at in range(0, count, 8))


@pytest.fixture(scope="module", name="planted")
def planted_(tmp_path_factory):
    hazard.MODEL = MODEL
    text, hazard.KERNEL = hazard.KERNEL, re.sub(r"(next_free_vgpr) \d+", r"\1 64", hazard.KERNEL)
    out = tmp_path_factory.mktemp("matrices") / "planted"
    bodies = {f"{how}_{name}": code.format(states(count - (how == "bad"))) for name, (code, count) in CASES.items() for how in ("bad", "good")}
    lines = hazard.assembled(out, bodies | {f"idiom_{name}": code for name, code in IDIOMS.items()})
    hazard.KERNEL = text
    return out, lines


@pytest.fixture(autouse=True)
def model(monkeypatch):
    monkeypatch.setattr(hazard, "MODEL", MODEL)


@pytest.mark.parametrize("name", CASES)
def test_a_hazard_is_found_by_both_of_its_lines(planted, tmp_path, name):
    program, source = planted
    options = ["--grid=64", "--block=64", "--arg=zeros:8192"]
    found, done = hazard.reported(program, f"bad_{name}", tmp_path, *options)
    first, second = (hazard.line_with(source, f"bad_{name}", mark) for mark in "AB")
    assert [(one["finding"], one["line"], one["other"]["line"]) for one in found] == [("wait-states", second, first)], f"{found}\n{done.stderr}"
    found, done = hazard.reported(program, f"good_{name}", tmp_path, *options)
    assert not found and done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", IDIOMS)
def test_what_needs_no_states_has_no_finding(planted, tmp_path, name):
    found, done = hazard.reported(planted[0], f"idiom_{name}", tmp_path, "--grid=64", "--block=64", "--arg=zeros:8192")
    assert not found and done.returncode == 0, done.stderr


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_compiled_code_has_no_finding(tmp_path, level):
    """A product of a compiler's, whose wait states it has put in itself."""
    source, program = tmp_path / "product.cl", tmp_path / "product.co"
    source.write_text("""typedef float many __attribute__((ext_vector_type(32)));
kernel void product(global const float *a, global float *out)
{
    many sum = 0;
    int i = get_local_id(0);
    for (int k = 0; k < 3; k++)
        sum = __builtin_amdgcn_mfma_f32_32x32x1f32(a[i + 64 * k], a[i], sum, 1, 0, 0);
    for (int k = 0; k < 32; k++)
        out[i * 32 + k] = sum[k];
}
""")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", f"-mcpu={MODEL}", "-x", "cl", "-cl-std=CL2.0", level, "-g", "-mcode-object-version=4",
                    "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", source, "-o", program], check=True)
    found, done = hazard.reported(program, "product", tmp_path, "--grid=64", "--block=64", "--arg=iota:768", "--arg=zeros:8192")
    assert not found and done.returncode == 0, done.stderr
