"""--check=hazard on GPUs with accumulation registers: wait states around v_mfma, v_accvgpr and v_dot (LLVM, checkMAIHazards908, checkMAIHazards90A): each with one state too few
is found by both of its lines, and its twin has no finding; so has what a compiler has made."""
import re
import subprocess

import pytest

import test_hazard as hazard

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
# Of gfx90a: C and D may be VGPRs, and what a product writes is late for every use.
PRODUCTS = {"4": ("v_mfma_f32_4x4x1f32 v[8:11], v0, v1, v[8:11]", 5, 5, 2, 3, 1), "16": ("v_mfma_f32_16x16x4f32 v[8:11], v0, v1, v[8:11]", 11, 11, 8, 9, 7),
            "32": ("v_mfma_f32_32x32x2f32 v[8:23], v0, v1, v[8:23]", 19, 19, 16, 17, 15),
            "double_4": ("v_mfma_f64_4x4x4f64 v[8:9], v[30:31], v[32:33], v[8:9]", 6, 9, None, 4, None),
            "double_16": ("v_mfma_f64_16x16x4f64 v[8:15], v[30:31], v[32:33], v[8:15]", 11, 18, None, 9, None)}
NEXT, DOUBLE, DOT = "v_mfma_f32_4x4x1f32 v[40:43], {}, v1, {}", "v_mfma_f64_4x4x4f64 v[40:41], v[30:31], v[32:33], {}", "v_dot2_f32_f16 v2, v0, v0, v1 ; A\n{}\n"
CASES_90A = {
    "vgpr_mfma": ("v_mov_b32 v1, 0 ; A\n{}\n" + PRODUCTS["4"][0] + " ; B", 2),
    "accumulator_mfma": ("v_accvgpr_write_b32 a4, v1 ; A\n{}\n" + NEXT.format("a4", "v[40:43]") + " ; B", 2),
    "accumulator_c": ("v_accvgpr_write_b32 a3, v1 ; A\n{}\n" + A4.format("0:3", "a[0:3]") + " ; B", 2),
    "accumulator_read": (THIRTY_TWO + " ; A\n{}\nv_accvgpr_read_b32 v2, a31 ; B", 19), "accumulator_store": (THIRTY_TWO + " ; A\n{}\nds_write_b32 v1, a31 ; B", 19),
    "exec_mfma": ("v_cmpx_eq_u32 s[6:7], v0, v0 ; A\n{}\n" + PRODUCTS["4"][0] + " ; B", 4),
    "double_fma": (PRODUCTS["double_4"][0] + " ; A\n{}\nv_fma_f64 v[40:41], v[30:31], v[30:31], v[32:33] ; B", 2),
    "double_fmac": (PRODUCTS["double_16"][0] + " ; A\n{}\nv_fmac_f64 v[40:41], v[30:31], v[30:31] ; B", 2),
    "double_same_c": (PRODUCTS["double_4"][0] + " ; A\n{}\n" + PRODUCTS["double_4"][0] + " ; B", 4),
    "double_between": ("v_mov_b32 v3, 0 ; A\n" + PRODUCTS["double_4"][0] + "\n{}\nglobal_store_dword v1, v3, s[4:5] ; B", 1),
    "dot_read": (DOT + "v_mov_b32 v3, v2 ; B", 3), "dot_stored": (DOT + "global_store_dword v1, v2, s[4:5] ; B", 3),
    "dot_a": (DOT + "v_dot2_f32_f16 v3, v2, v0, v1 ; B", 3), "dot_other_c": (DOT + "v_dot4_i32_i8 v3, v0, v0, v2 ; B", 3), "dot_write": (DOT + "v_mov_b32 v2, v0 ; B", 3),
}
for _name, (_code, _use, _memory, _c, _double, _keep) in PRODUCTS.items():
    CASES_90A |= {f"{_name}_{_of}": (f"{_code} ; A\n{{}}\n{_second} ; B" + _more, _states) for _of, _second, _more, _states in (
        ("a", NEXT.format("v9", "v[40:43]"), "", _use), ("read", "v_mov_b32 v3, v9", "", _use), ("write", "v_mov_b32 v9, v0", "", _use),
        ("store", "global_store_dword v1, v9, s[4:5]", "", _memory), ("load", "ds_read_b32 v9, v1", "\ns_waitcnt lgkmcnt(0)", _use),
        ("c", NEXT.format("v0", "v[6:9]"), "", _c), ("double_c", DOUBLE.format("v[8:9]"), "", _double)) if _states}
    if _keep:
        CASES_90A[f"{_name}_keep"] = (_code.replace("v[8:", "v[40:", 1).replace("v[40:11]", "v[40:43]").replace("v[40:23]", "v[40:55]") + " ; A\n{}\nv_mov_b32 v9, v0 ; B", _keep)
IDIOMS_90A = {"chain": "\n".join([PRODUCTS["16"][0]] * 3), "dots": "\n".join(["v_dot2_f32_f16 v2, v0, v0, v2"] * 3),
              "single_between": "v_mov_b32 v3, 0\n" + PRODUCTS["4"][0] + "\nglobal_store_dword v1, v3, s[4:5]\ns_waitcnt vmcnt(0)",
              "moves": "v_accvgpr_write_b32 a0, v1\nv_accvgpr_read_b32 v2, a0\nglobal_store_dword v1, v2, s[4:5]\ns_waitcnt vmcnt(0)",
              "double_as_c_of_singles": "v_mfma_f64_16x16x4f64 v[8:15], v[30:31], v[32:33], v[8:15]\nv_mfma_f32_4x4x1f32 v[40:43], v0, v1, v[10:13]"}
# The last product that has registers counts, as D or as C (what llc-22 puts between, by post-RA-hazard-rec); on a gfx908 an earlier one does as C beside the last one's.
OVER, AGAIN = A4.format("8:11", "a[32:35]"), A4.format("8:11", "a[8:11]")
HALVES, SMALL_HALVES, MIDDLE_HALVES = (f"v_mfma_f32_{size}f16 a[{{}}], v[0:1], v[2:3], {{}}" for size in ("32x32x8", "4x4x4", "16x16x16"))
WIDE = "v_mfma_f32_32x32x2f32 a[{}], v0, v1, {}"
KEPT, KEEPS = HALVES.format("32:47", "a[0:15]"), SMALL_HALVES.format("48:51", "a[8:11]")


def of_the_last(first, over, kept, part):
    """Cases that first, then OVER have the same registers; the states that KEPT needs yet behind KEEPS, and that a C needs which is a part of OVER's D."""
    return {"last_read": (f"{first}\n{over} ; A\n{{}}\nv_accvgpr_read_b32 v5, a9 ; B", 5), "last_c": (f"{first}\n{over} ; A\n{{}}\n{SMALL_HALVES.format('40:43', 'a[10:13]')} ; B", part),
            "last_keeps": (f"{KEPT}\n{KEEPS} ; A\n{{}}\nv_accvgpr_write_b32 a9, v1 ; B", 1), "first_keeps": (f"{KEPT} ; A\n{KEEPS}\n{{}}\nv_accvgpr_write_b32 a0, v1 ; B", kept)}


CASES |= {"last_read": (f"{THIRTY_TWO}\n{OVER} ; A\n{{}}\nv_accvgpr_read_b32 v2, a9 ; B", 4), "first_c": (f"{THIRTY_TWO} ; A\n{OVER}\n{{}}\n{AGAIN} ; B", 1)}
CASES_90A |= of_the_last(WIDE.format("0:15", "a[0:15]"), OVER, 14, 2)
IDIOMS_90A |= {"last_same_c": f"{WIDE.format('0:15', 'a[0:15]')}\n{OVER}\n{AGAIN}"}
OVER_942 = SMALL_HALVES.format("8:11", "a[32:35]")
CASES_942 = of_the_last(HALVES.format("0:15", "a[0:15]"), OVER_942, 6, 3)
# Of gfx942: by passes; singles (s) wait a state less. name: code, states for a use, of another product that has a part as C, until C may be written, D as part of a C of a product of
# singles and of one of halves. All by llc-22 -run-pass=post-RA-hazard-rec.
PASSES = {"s2": (PRODUCTS["4"][0], 4, 2, 0, None), "s8": (PRODUCTS["16"][0], 10, 8, 0, None), "s16": (PRODUCTS["32"][0], 18, 16, 0, None),
          "h2": ("v_mfma_f32_4x4x4f16 v[8:11], v[30:31], v[32:33], v[8:11]", 5, 3, 1, 3), "h4": ("v_mfma_f32_16x16x16f16 v[8:11], v[30:31], v[32:33], v[8:11]", 7, 5, 3, 5),
          "h8": ("v_mfma_f32_32x32x8f16 v[8:23], v[30:31], v[32:33], v[8:23]", 11, 9, 7, 9), "h16": ("v_mfma_f32_32x32x4f16 a[0:31], v[30:31], v[32:33], a[0:31]", 19, 17, 15, 17),
          "xf32": ("v_mfma_f32_16x16x8_xf32 v[8:11], v[30:31], v[32:33], v[8:11]", 7, 5, 3, 5), "fp8": ("v_mfma_f32_32x32x16_fp8_fp8 v[8:23], v[30:31], v[32:33], v[8:23]", 11, 9, 7, 9),
          "sparse": ("v_smfmac_f32_16x16x32_f16 v[8:11], v[30:31], v[32:35], v0", 7, 5, 3, 5)}
OF_HALVES = "v_mfma_f32_4x4x4f16 v[40:43], v[30:31], v[32:33], {}"
for _name, (_code, _use, _part, _keep, _halves) in PASSES.items():
    _a, _at = ("a", 1) if "a[" in _code else ("v", 9)
    CASES_942 |= {f"{_name}_{_of}": (f"{_code} ; A\n{{}}\n{_second} ; B" + _more, _states) for _of, _second, _more, _states in (
        ("a", f"v_mfma_f32_4x4x1f32 {_a}[40:43], {_a}{_at}, v1, {_a}[40:43]", "", _use), ("read", f"v_accvgpr_read_b32 v3, a{_at}" if _a == "a" else f"v_mov_b32 v3, v{_at}", "", _use),
        ("store", f"ds_write_b32 v1, {_a}{_at}", "", _use), ("write", f"v_accvgpr_write_b32 a{_at}, v0" if _a == "a" else f"v_mov_b32 v{_at}, v0", "", _use),
        ("c", f"v_mfma_f32_4x4x1f32 {_a}[40:43], v0, v1, {_a}[{_at + 1}:{_at + 4}]", "", _part),
        ("halves_c", OF_HALVES.replace("v[40", f"{_a}[40").format(f"{_a}[{_at + 1}:{_at + 4}]"), "", _halves)) if _states}
    if _keep and _name != "sparse":
        _kept = _code.replace("v[8:11]", "v[40:43]", 1).replace("v[8:23]", "v[40:55]", 1).replace("a[0:31]", "a[32:63]", 1)
        CASES_942[f"{_name}_keep"] = (f"{_kept} ; A\n{{}}\n" + (f"v_accvgpr_write_b32 a{_at}, v0" if _a == "a" else f"v_mov_b32 v{_at}, v0") + " ; B", _keep)
CASES_942 |= {name: CASES_90A[name] for name in CASES_90A if name.startswith(("double_4_", "double_16_", "dot_", "double_fma", "double_same_c", "vgpr_mfma", "exec_mfma")) and not name.endswith("_keep")}
CASES_942 |= {
    "two_same_c": (PASSES["h2"][0] + " ; A\n{}\n" + PASSES["h2"][0] + " ; B", 2), "two_of_singles_same_c": (PASSES["s2"][0] + " ; A\n{}\n" + PASSES["h2"][0] + " ; B", 2),
    "function": ("v_exp_f32 v2, v0 ; A\n{}\nv_mov_b32 v3, v2 ; B", 1), "half": ("v_add_i16 v2, v0, v1 op_sel:[0,0,1] ; A\n{}\nv_mov_b32 v3, v2 ; B", 1),
    "half_and_half": ("v_add_i16 v2, v0, v1 op_sel:[0,0,1] ; A\n{}\nv_add_i16 v2, v0, v1 op_sel:[0,0,1] ; B", 1),
    "sdwa": ("v_add_u32_sdwa v2, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD ; A\n{}\nv_mov_b32 v3, v2 ; B", 1),
    "fp8_upper": ("v_cvt_pk_fp8_f32 v2, v0, v1 op_sel:[0,0,1] ; A\n{}\nv_mov_b32 v3, v2 ; B", 1),
    "mask": ("v_cmp_eq_u32 s[6:7], v0, v1 ; A\n{}\nv_cndmask_b32 v2, v0, v1, s[6:7] ; B", 2), "vcc": ("v_cmp_eq_u32 vcc, v0, v1 ; A\n{}\nv_cndmask_b32 v2, v0, v1, vcc ; B", 2),
    "carry": ("v_add_co_u32 v2, vcc, v0, v1 ; A\n{}\nv_addc_co_u32 v3, vcc, v0, v1, vcc ; B", 2), "scalar": ("v_readfirstlane_b32 s6, v0 ; A\n{}\nv_mov_b32 v3, s6 ; B", 2),
    "written_lane": ("v_readfirstlane_b32 s6, v0 ; A\n{}\nv_writelane_b32 v2, s6, 0 ; B", 2), "exec_lane": ("v_cmpx_eq_u32 s[6:7], v0, v0 ; A\n{}\nv_readlane_b32 s8, v1, 0 ; B", 4),
    "exec_first": ("v_cmpx_eq_u32 s[6:7], v0, v0 ; A\n{}\nv_readfirstlane_b32 s8, v1 ; B", 4), "exec_writelane": ("v_cmpx_eq_u32 s[6:7], v0, v0 ; A\n{}\nv_writelane_b32 v2, s8, 0 ; B", 4),
    "lane": ("v_mov_b32 v2, v0 ; A\n{}\nv_readlane_b32 s8, v2, 0 ; B", 1), "first_lane": ("v_mov_b32 v2, v0 ; A\n{}\nv_readfirstlane_b32 s8, v2 ; B", 1),
    "lane_select": ("v_cmp_eq_u32 s[6:7], v0, v0 ; A\n{}\nv_readlane_b32 s8, v1, s6 ; B", 4), "store_data": ("global_store_dwordx4 v1, v[4:7], s[4:5] ; A\n{}\nv_mov_b32 v6, 0 ; B", 2),
    "dpp": ("v_mov_b32 v2, v0 ; A\n{}\nv_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf ; B", 2),
    "scalar_vmem": ("v_mov_b32 v5, s4\ns_mov_b32 s7, s5\ns_nop 0\nv_readfirstlane_b32 s6, v5 ; A\n{}\nglobal_load_dword v2, v1, s[6:7] ; B\ns_waitcnt vmcnt(0)", 5),
}
IDIOMS_942 = {"last_same_c": "\n".join((HALVES.format("0:15", "a[0:15]"), MIDDLE_HALVES.format("8:11", "a[32:35]"), MIDDLE_HALVES.format("8:11", "a[8:11]"))),
              "last_of_singles": f"{WIDE.format('0:15', 'a[0:15]')}\n{OVER}\ns_nop 3\nv_accvgpr_read_b32 v2, a9",
              "singles_keep_nothing": f"{WIDE.format('32:47', 'a[0:15]')}\nv_accvgpr_write_b32 a0, v1",
              "singles_as_c_of_halves": f"{PASSES['s8'][0]}\n{OF_HALVES.format('v[10:13]')}", "doubles_as_c_of_halves": f"{PRODUCTS['double_16'][0]}\n{OF_HALVES.format('v[10:13]')}",
              "functions": "v_exp_f32 v2, v0\nv_log_f32 v3, v2", "function_stored": "v_exp_f32 v2, v0\nds_write_b32 v1, v2",
              "mask_of_scalars": "v_cmp_eq_u32 s[6:7], v0, v1\ns_and_b64 s[8:9], s[6:7], exec", "written_lanes": "v_mov_b32 v2, v0\nv_writelane_b32 v2, s5, 0",
              "exec_by_scalars": "s_mov_b64 exec, -1\nv_readlane_b32 s8, v1, 0"}
# The same registers as D and then as C need nothing; nor do others.
IDIOMS = {"chain": "\n".join([FOUR] * 4), "other_registers": THIRTY_TWO + "\nv_accvgpr_read_b32 v2, a40\nv_accvgpr_write_b32 a41, v1"}


def states(count):
    return "\n".join(f"s_nop {min(8, count - at) - 1}" for at in range(0, count, 8))


ALL = [("gfx908", name) for name in CASES] + [("gfx90a", name) for name in CASES_90A] + [("gfx942", name) for name in CASES_942]
ALL_IDIOMS = [("gfx908", name) for name in IDIOMS] + [("gfx90a", name) for name in IDIOMS_90A] + [("gfx942", name) for name in IDIOMS_942]


@pytest.fixture(scope="module", name="planted")
def planted_(tmp_path_factory):
    """By model, the code object and the lines of its source."""
    programs, text = {}, hazard.KERNEL
    for model, cases, idioms, registers in (("gfx908", CASES, IDIOMS, "64"), ("gfx90a", CASES_90A, IDIOMS_90A, "128\n.amdhsa_accum_offset 64"), ("gfx942", CASES_942, IDIOMS_942, "128\n.amdhsa_accum_offset 64")):
        out = tmp_path_factory.mktemp("matrices") / "planted"
        bodies = {f"{how}_{name}": code.format(states(count - (how == "bad"))) for name, (code, count) in cases.items() for how in ("bad", "good")}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hazard, "MODEL", model)
            patch.setattr(hazard, "KERNEL", re.sub(r"(next_free_vgpr) \d+", rf"\1 {registers}", text))
            programs[model] = out, hazard.assembled(out, bodies | {f"idiom_{name}": code for name, code in idioms.items()})
    return programs


@pytest.mark.sample(2)
@pytest.mark.parametrize("model, name", ALL)
def test_a_hazard_is_found_by_both_of_its_lines(planted, tmp_path, monkeypatch, model, name):
    monkeypatch.setattr(hazard, "MODEL", model)
    program, source = planted[model]
    options = ["--grid=64", "--block=64", "--arg=zeros:8192"]
    found, done = hazard.reported(program, f"bad_{name}", tmp_path, *options)
    first, second = (hazard.line_with(source, f"bad_{name}", mark) for mark in "AB")
    assert [(one["finding"], one["line"], one["other"]["line"]) for one in found] == [("wait-states", second, first)], f"{found}\n{done.stderr}"
    found, done = hazard.reported(program, f"good_{name}", tmp_path, *options)
    assert not found and done.returncode == 0, done.stderr


@pytest.mark.parametrize("model, name", ALL_IDIOMS)
def test_what_needs_no_states_has_no_finding(planted, tmp_path, monkeypatch, model, name):
    monkeypatch.setattr(hazard, "MODEL", model)
    found, done = hazard.reported(planted[model][0], f"idiom_{name}", tmp_path, "--grid=64", "--block=64", "--arg=zeros:8192")
    assert not found and done.returncode == 0, done.stderr


@pytest.mark.parametrize("model", ["gfx908", "gfx90a", "gfx942"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_compiled_code_has_no_finding(tmp_path, monkeypatch, level, model):
    """A product of a compiler's, whose wait states it has put in itself."""
    monkeypatch.setattr(hazard, "MODEL", model)
    source, program = tmp_path / "product.cl", tmp_path / "product.co"
    source.write_text("""typedef float many __attribute__((ext_vector_type(32)));
kernel void product(global const float *a, global float *out)
{
    many sum = 0;
    const int i = __builtin_amdgcn_workitem_id_x();
    for (int k = 0; k < 3; k++)
        sum = __builtin_amdgcn_mfma_f32_32x32x1f32(a[i + 64 * k], a[i], sum, 1, 0, 0);
    for (int k = 0; k < 32; k++)
        out[i * 32 + k] = sum[k];
#ifdef __gfx942__
    typedef half few __attribute__((ext_vector_type(4)));
    typedef float four_singles __attribute__((ext_vector_type(4)));
    few halves = {a[i], 1, 2, 3};
    four_singles small = {0, 0, 0, 0};
    for (int k = 0; k < 3; k++)
        small = __builtin_amdgcn_mfma_f32_16x16x16f16(halves, halves, small, 0, 0, 0);
    small += __builtin_amdgcn_mfma_f32_4x4x4f16(halves, halves, small, 0, 0, 0);
    out[i + 64] = small[0] > 1 ? __builtin_amdgcn_exp2f(small[1]) * small[2] : small[3];
    out[i + 128] = __builtin_amdgcn_readfirstlane((int)small[2]) + __builtin_amdgcn_readlane(i, 3);
#endif
#if defined __gfx90a__ || defined __gfx942__
    typedef double four __attribute__((ext_vector_type(4)));
    four doubles = 1;
    for (int k = 0; k < 2; k++)
        doubles = __builtin_amdgcn_mfma_f64_16x16x4f64(out[i + k], a[i], doubles, 0, 0, 0);
    doubles += __builtin_amdgcn_mfma_f64_4x4x4f64(doubles[0], doubles[1], doubles[2], 0, 0, 0);
    for (int k = 0; k < 4; k++)
        out[i * 32 + k] = __builtin_fma(doubles[k], doubles[3], 1.0);
#endif
}
""")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", f"-mcpu={model}", "-x", "cl", "-cl-std=CL2.0", level, "-g", "-mcode-object-version=4",
                    "-nogpulib", source, "-o", program], check=True)
    found, done = hazard.reported(program, "product", tmp_path, "--grid=64", "--block=64", "--arg=iota:768", "--arg=zeros:8192")
    assert not found and done.returncode == 0, done.stderr
