"""--check=hazard: machine code of a gfx900 that does not wait for its results, or leaves out wait states. Each planted hazard is found by both of its
lines, and its corrected twin has no finding. What compilers have made has none; without one of its waits it has one. --check=stale likewise: loads that
may get what a cache held before a store."""
import json
import pathlib
import re
import struct
import subprocess

import pytest

import checks
from checks import command_under_test, run
from amd import MODELS, bitcode, unified

MODEL = checks.AMD


@pytest.fixture(scope="module", autouse=True, params=[MODELS[0], *(pytest.param(model, marks=pytest.mark.full) for model in MODELS[1:])])
def model(request):
    """The GPU for which all is compiled, and on which it runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{__name__}.MODEL", request.param)
        yield


TO_LDS = "s_mov_b64 s[8:9], s[4:5]\ns_mov_b32 s10, -1\ns_mov_b32 s11, 0x27000\ns_mov_b32 m0, 0\ns_nop 0\n"
RESULT, SOURCE, STATES = "unwaited-result", "unwaited-source", "wait-states"
# name: (kind, code with lines "A" and "B", how the mistake reads, how it is right). v1: 4 bytes a work-item; s[4:5]: a buffer; M0: no bound of LDS.
CASES = {
    "load_used": (RESULT, "global_load_dword v2, v1, s[4:5] ; A\n{}\nv_add_u32 v3, v2, v0 ; B", "s_nop 7", "s_waitcnt vmcnt(0)"),
    "load_overwritten": (RESULT, "global_load_dword v2, v1, s[4:5] ; A\n{}\nv_mov_b32 v2, 0 ; B", "", "s_waitcnt vmcnt(0)"),
    "load_of_an_address": (RESULT, "global_load_dword v2, v1, s[4:5] ; A\n{}\nglobal_load_dword v3, v2, s[4:5] ; B", "", "s_waitcnt vmcnt(0)"),
    "another_counter": (RESULT, "global_load_dword v2, v1, s[4:5] ; A\n{}\nv_mov_b32 v3, v2 ; B", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"),
    "newer_of_two": (RESULT, "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v3, v1, s[4:5] ; A\n{}\nv_mov_b32 v4, v3 ; B",
                     "s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(0)"),
    "a_store_counts": (RESULT, "global_load_dword v2, v1, s[4:5] ; A\nglobal_store_dword v1, v0, s[4:5] offset:256\n{}\nv_mov_b32 v4, v2 ; B",
                       "s_waitcnt vmcnt(2)", "s_waitcnt vmcnt(1)"),
    "upper_register": (RESULT, "global_load_dwordx2 v[2:3], v1, s[4:5] ; A\n{}\nv_mov_b32 v4, v3 ; B", "", "s_waitcnt vmcnt(0)"),
    "scalar_load": (RESULT, "s_load_dword s6, s[4:5], 0x0 ; A\n{}\ns_add_u32 s7, s6, 1 ; B", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"),
    "scalar_loads_have_no_order": (RESULT, "s_load_dword s6, s[4:5], 0x0 ; A\ns_load_dword s8, s[4:5], 0x4\n{}\ns_add_u32 s7, s6, 1 ; B",
                                   "s_waitcnt lgkmcnt(1)", "s_waitcnt lgkmcnt(0)"),
    "scalar_in_a_vector": (RESULT, "s_load_dword s6, s[4:5], 0x0 ; A\n{}\nv_add_u32 v2, s6, v0 ; B", "", "s_waitcnt lgkmcnt(0)"),
    "clock": (RESULT, "s_memtime s[6:7] ; A\n{}\ns_mov_b32 s8, s7 ; B", "", "s_waitcnt lgkmcnt(0)"),
    "lds": (RESULT, "ds_write_b32 v1, v0\nds_read_b32 v2, v1 ; A\n{}\nv_mov_b32 v3, v2 ; B", "s_waitcnt lgkmcnt(1)", "s_waitcnt lgkmcnt(0)"),
    "lds_beside_a_scalar_load": (RESULT, "ds_read_b32 v2, v1 ; A\ns_load_dword s6, s[4:5], 0x0\n{}\nv_mov_b32 v3, v2 ; B",
                                 "s_waitcnt lgkmcnt(1)", "s_waitcnt lgkmcnt(0)"),
    "load_to_lds": (RESULT, TO_LDS + "buffer_load_dword v1, s[8:11], 0 offen lds ; A\n{}\nds_read_b32 v2, v1 ; B\ns_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"),
    "load_to_lds_is_overwritten": (RESULT, TO_LDS + "buffer_load_dword v1, s[8:11], 0 offen lds ; A\n{}\nds_write_b32 v1, v0 ; B", "s_nop 7", "s_waitcnt vmcnt(0)"),
    "newer_of_two_loads_to_lds": (RESULT, TO_LDS + "buffer_load_dword v1, s[8:11], 0 offen lds\nbuffer_load_dword v1, s[8:11], 0 offen offset:256 lds ; A\n{}\n"
                                  "ds_read_b32 v2, v1 offset:256 ; B\ns_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(0)"),
    "permutation": (RESULT, "ds_bpermute_b32 v2, v1, v0 ; A\n{}\nv_mov_b32 v3, v2 ; B", "", "s_waitcnt lgkmcnt(0)"),
    "flat_of_memory": (RESULT, "v_mov_b32 v4, s4\nv_mov_b32 v5, s5\nflat_load_dword v2, v[4:5] ; A\n{}\nv_mov_b32 v3, v2 ; B",
                       "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"),      # as the kernels of AMD's runtime do
    "flat_of_lds": (RESULT, "s_mov_b64 s[6:7], src_shared_base\nv_mov_b32 v4, v1\nv_mov_b32 v5, s7\nflat_load_dword v2, v[4:5] ; A\n{}\nv_mov_b32 v3, v2 ; B",
                    "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"),
    "flat_has_no_order": (RESULT, "v_mov_b32 v4, s4\nv_mov_b32 v5, s5\nflat_load_dword v2, v[4:5] ; A\nglobal_load_dword v6, v1, s[4:5]\n{}\nv_mov_b32 v3, v2 ; B",
                          "s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(0)"),
    "flat_is_overwritten": (RESULT, "v_mov_b32 v4, s4\nv_mov_b32 v5, s5\nflat_load_dword v2, v[4:5] ; A\n{}\nglobal_load_dword v2, v1, s[4:5] ; B",
                            "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)"),
    "atomic": (RESULT, "global_atomic_add v2, v1, v0, s[4:5] glc ; A\n{}\nv_mov_b32 v3, v2 ; B", "", "s_waitcnt vmcnt(0)"),
    "gds_has_not_read": (SOURCE, "s_mov_b32 m0, 0x10000\ns_nop 0\nds_write_b32 v1, v3 gds ; A\n{}\nv_mov_b32 v3, 0 ; B", "s_waitcnt vmcnt(0)", "s_waitcnt expcnt(0)"),
    "scalar_vmem": (STATES, "v_mov_b32 v5, s4\ns_mov_b32 s7, s5\nv_readfirstlane_b32 s6, v5 ; A\n{}\nglobal_load_dword v2, v1, s[6:7] ; B", "s_nop 3", "s_nop 4"),
    "vcc_vmem": (STATES, "v_mov_b32 v5, s4\ns_mov_b32 vcc_hi, s5\nv_readfirstlane_b32 vcc_lo, v5 ; A\n{}\nglobal_load_dword v2, v1, vcc ; B", "s_nop 3", "s_nop 4"),
    "lane_select": (STATES, "v_readfirstlane_b32 s6, v0 ; A\n{}\nv_readlane_b32 s7, v0, s6 ; B", "s_nop 2", "s_nop 3"),
    "lane_of_writelane": (STATES, "v_readfirstlane_b32 s6, v0 ; A\n{}\nv_writelane_b32 v2, 1, s6 ; B", "s_mov_b32 s8, 0", "s_nop 3"),
    "div_fmas": (STATES, "v_cmp_eq_u32 vcc, v0, v0 ; A\n{}\nv_div_fmas_f32 v2, v0, v0, v0 ; B", "s_nop 2", "s_nop 3"),
    "vccz": (STATES, "v_cmp_eq_u32 vcc, v0, v0 ; A\n{}\nv_mov_b32 v2, src_vccz ; B", "s_nop 3", "s_nop 4"),
    "execz": (STATES, "v_cmpx_eq_u32 s[6:7], v0, v0 ; A\n{}\nv_mov_b32 v2, src_execz ; B", "s_nop 3", "s_nop 4"),
    "store_data": (STATES, "global_store_dwordx4 v1, v[4:7], s[4:5] ; A\n{}\nv_mov_b32 v6, 0 ; B", "", "s_nop 0"),
    "dpp": (STATES, "v_mov_b32 v2, v0 ; A\n{}\nv_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf ; B", "s_nop 0", "s_nop 1"),
    "dpp_exec": (STATES, "v_cmpx_eq_u32 s[6:7], v0, v0 ; A\n{}\nv_mov_b32_dpp v3, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf ; B", "s_nop 3", "s_nop 4"),
    "setreg_getreg": (STATES, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15 ; A\n{}\ns_getreg_b32 s6, hwreg(HW_REG_MODE) ; B", "s_nop 0", "s_nop 1"),
    "setreg_setreg": (STATES, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15 ; A\n{}\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15 ; B", "", "s_nop 1"),
    "setvskip": (STATES, "s_setvskip 0, 0 ; A\n{}\ns_getreg_b32 s6, hwreg(HW_REG_MODE) ; B", "s_nop 0", "s_nop 1"),
    "mode_vskip": (STATES, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0 ; A\n{}\nv_mov_b32 v2, 0 ; B", "s_nop 0", "s_nop 1"),
    "m0_movrel": (STATES, "s_mov_b32 m0, 0 ; A\n{}\ns_movrels_b32 s6, s8 ; B", "", "s_nop 0"),
    "m0_gds": (STATES, "s_mov_b32 m0, 0x10000 ; A\n{}\nds_write_b32 v1, v3 gds ; B", "", "s_nop 0"),
}
# These have no hazard.
IDIOMS = {
    "in_order": "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v3, v1, s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v2\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v3",
    "same_register": "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v2, v1, s[4:5] offset:4\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v2",
    "lds_in_order": "ds_read_b32 v2, v1\nds_read_b32 v3, v1 offset:4\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v2",
    "loads_to_lds_in_order": TO_LDS + "buffer_load_dword v1, s[8:11], 0 offen lds\nbuffer_load_dword v1, s[8:11], 0 offen offset:256 lds\nbuffer_load_dword v1, s[8:11], 0 offen lds\n"
                             "ds_read_b32 v2, v1 offset:512\ns_waitcnt vmcnt(1)\nds_read_b32 v3, v1 offset:256\ns_waitcnt vmcnt(0)\nds_read_b32 v3, v1",
    "other_lanes": "s_mov_b64 exec, 0xffff\nglobal_load_dword v2, v1, s[4:5]\ns_mov_b64 exec, 0xffff0000\nv_mov_b32 v2, 1\ns_mov_b64 exec, -1\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2",
    "address_is_overwritten": "v_mov_b32 v6, v1\nglobal_load_dword v2, v6, s[4:5]\nv_mov_b32 v6, 0",
    "data_is_overwritten": "v_mov_b32 v6, v0\nglobal_store_dword v1, v6, s[4:5]\nv_mov_b32 v6, 0",
    "stored_by_an_offset": "s_mov_b64 s[8:9], s[4:5]\ns_mov_b32 s10, -1\ns_mov_b32 s11, 0x27000\ns_mov_b32 s12, 0\nbuffer_store_dwordx4 v[4:7], v1, s[8:11], s12 offen\nv_mov_b32 v6, 0",
    "many_stores": "\n".join(["global_store_dword v1, v0, s[4:5]"] * 70 + ["global_load_dword v2, v1, s[4:5]", "s_waitcnt vmcnt(0)", "v_mov_b32 v3, v2"]),
    "limit_of_the_counter": "\n".join(["global_load_dword v2, v1, s[4:5]"] + ["global_store_dword v1, v0, s[4:5] offset:1024"] * 63 + ["v_mov_b32 v3, v2"]),
    "unused": "global_load_dword v2, v1, s[4:5]\ns_load_dword s6, s[4:5], 0x0",
    "loop": "s_mov_b32 s8, 4\nagain_%=:\nglobal_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_u32 v3, v2, v0\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\n"
            "s_cbranch_scc1 again_%=",
}
# --check=stale: (severity, lanes, groups, code, how the mistake reads, how it is right). v4: 0; v5: 1. {first}: group 1 says that it may begin; {then}: and
# group 0 says that it has. A GPU's L1 and scalar cache keep lines of 64 bytes.
SET = "global_store_dword v4, v5, s[4:5] offset:{}"
SPIN = "{0}_%=:\nglobal_load_dword v6, v4, s[4:5] offset:{1} glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s8, v6\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 {0}_%=\n"
ONES = "v_mov_b32 v4, 0\nv_mov_b32 v5, 1\n"
SCALAR = "s_load_dword s6, s[4:5], 0x0{}\ns_waitcnt lgkmcnt(0)\n"
VECTOR = "global_load_dword v7, v1, s[4:5]{}\ns_waitcnt vmcnt(0)\n"


def between(load, groups=2):
    """The last group loads (B) what group 0 has stored (A) since its, or group 1's, first load."""
    first, then = SET.format(1024) + "\n", SPIN.format("then", 1028) + "{}\n" + load.format(" ; B") + "s_endpgm\n"
    if groups == 2:
        last = load.format("") + first + then
    else:
        last = f"s_cmp_eq_u32 s2, 1\ns_cbranch_scc0 last_%=\n{load.format('')}{first}s_endpgm\nlast_%=:\n{then}"
    store = f"global_store_dword v1, v5, s[4:5] ; A\ns_waitcnt vmcnt(0)\n{SET.format(1028)}"
    return f"{ONES}s_cmp_eq_u32 s2, 0\ns_cbranch_scc1 zero_%=\n{last}zero_%=:\n{SPIN.format('first', 1024)}{store}"


def swapped(load, behind=True, offset=0):
    """A loop around a compare-and-swap, whose guess is loaded before it or in it."""
    return (("" if behind else "guess_%=:\n") + load + f"v_mov_b32 v3, s6\n{'again_%=:' if behind else ''}\nv_add_u32 v2, 1, v3\nglobal_atomic_cmpswap v2, v4, v[2:3], s[4:5] offset:{offset} glc\n"
            f"s_waitcnt vmcnt(0)\nv_cmp_ne_u32 vcc, v2, v3\nv_mov_b32 v3, v2\ns_cbranch_vccnz {'again' if behind else 'guess'}_%=")


def greatest(load, compared="v2"):
    """A loop around a compare-and-swap of v2 that ends early where the guess is not below `compared`, as compilers lay it out."""
    return (load + "v_mov_b32 v3, s6\nv_mov_b32 v2, 9\nv_mov_b32 v7, 0\ns_mov_b32 s7, 1\ns_branch body_%=\nlatch_%=:\ns_cmp_eq_u32 s7, 1\ns_cbranch_scc1 done_%=\nbody_%=:\ns_mov_b32 s7, 1\n"
            f"v_cmp_eq_u32 vcc, v3, {compared}\ns_cbranch_vccnz latch_%=\nglobal_atomic_cmpswap v6, v4, v[2:3], s[4:5] glc\ns_waitcnt vmcnt(0)\ns_mov_b32 s7, 0\n"
            "v_cmp_ne_u32 vcc, v6, v3\nv_mov_b32 v3, v6\ns_cbranch_vccnz latch_%=\ndone_%=:")


FIRST = ONES + "s_mov_b64 exec, 1\n" + SCALAR.format("") + "global_store_dword v4, v5, s[4:5]{}\ns_waitcnt vmcnt(0)\n"
STALE = {
    "scalar": ("error", "0", 1, ONES + SCALAR.format("") + "global_store_dword v1, v5, s[4:5] ; A\ns_waitcnt vmcnt(0)\n{}\n" + SCALAR.format(" ; B"), "s_dcache_wb",
               "s_dcache_inv"),
    "scalar_neighbour": ("error", "0", 1, ONES + SCALAR.format("") + "global_store_dword v4, v5, s[4:5] offset:60 ; A\ns_waitcnt vmcnt(0)\n{}\n"
                         "s_load_dword s6, s[4:5], 0x3c ; B", "", "s_dcache_inv"),
    "atomic": ("error", "0", 1, ONES + SCALAR.format("") + "global_atomic_add v4, v5, s[4:5] ; A\ns_waitcnt vmcnt(0)\n{}\n" + SCALAR.format(" ; B"), "", "s_dcache_inv"),
    "inverted": ("error", "0", 1, ONES + SCALAR.format("") + "{}\n" + SCALAR.format(" ; B"), "s_dcache_inv\nglobal_load_dword v7, v4, s[4:5]\ns_load_dword s6, s[4:5], 0x0\n"
                 "s_waitcnt vmcnt(0) lgkmcnt(0)\nglobal_store_dword v4, v5, s[4:5] ; A\ns_waitcnt vmcnt(0)",
                 "global_store_dword v4, v5, s[4:5]\ns_waitcnt vmcnt(0)\ns_dcache_inv"),
    "under_way": ("error", "0", 1, ONES + "global_store_dword v1, v5, s[4:5] ; A\n{}\n" + SCALAR.format(" ; B"), "", "s_waitcnt vmcnt(0)"),
    "of_another_group": ("error", "0", 2, between(SCALAR), "", "s_dcache_inv"),
    "by_another_group": ("warning", "0", 3, between(SCALAR, 3), "", "s_dcache_inv"),
    "vector": ("warning", "0-63", 2, between(VECTOR), "", "buffer_wbinvl1_vol"),
    "guess_in_the_loop": ("error", "0", 1, FIRST.format(" ; A") + "{}\n" + swapped(SCALAR.format(" ; B"), behind=False), "", "s_dcache_inv"),
    "guess_of_another": ("error", "0", 1, FIRST.format(" ; A") + "v_mov_b32 v2, 1\nglobal_store_dword v4, v2, s[4:5] offset:128\ns_waitcnt vmcnt(0)\n{}\n" + swapped(SCALAR.format(" ; B"), offset=128), "", "s_dcache_inv"),
    "early_exit": ("error", "0", 1, FIRST.format(" ; A") + "{}\n" + greatest(SCALAR.format(" ; B"), "v7"), "", "s_dcache_inv"),
    "scalar_store": ("error", "0-63", 1, ONES + "s_mov_b32 s6, 1\ns_store_dword s6, s[4:5], 0x0 ; A\ns_waitcnt lgkmcnt(0)\n{}\nglobal_load_dword v7, v4, s[4:5] ; B\n"
                     "s_dcache_wb", "", "s_dcache_wb"),
}
FRESH = {
    "a_guess": FIRST.format("") + swapped(SCALAR.format("")),
    "a_greatest": FIRST.format("") + greatest(SCALAR.format("")),
    "loaded_behind_the_store": ONES + "global_store_dword v1, v5, s[4:5]\ns_waitcnt vmcnt(0)\n" + SCALAR.format(""),
    "the_same_value": ONES + SCALAR.format("") + "global_store_dword v1, v4, s[4:5]\ns_waitcnt vmcnt(0)\n" + SCALAR.format(""),
    "another_line": ONES + SCALAR.format("") + "global_store_dword v4, v5, s[4:5] offset:64\ns_waitcnt vmcnt(0)\ns_load_dword s6, s[4:5], 0x40",
    "another_dword": ONES + SCALAR.format("") + "global_store_dword v4, v5, s[4:5] offset:4\ns_waitcnt vmcnt(0)\n" + SCALAR.format(""),
    "a_byte_beside_it": ONES + SCALAR.format("") + "global_store_byte v4, v5, s[4:5] offset:1\ns_waitcnt vmcnt(0)\n" + SCALAR.format(""),
    "own_vector_store": ONES + VECTOR.format("") + "global_store_dword v1, v5, s[4:5]\ns_waitcnt vmcnt(0)\n" + VECTOR.format(""),
    "scalar_store": "s_mov_b32 s6, 1\ns_load_dword s7, s[4:5], 0x0\ns_store_dword s6, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\n" + SCALAR.format("") + "s_dcache_wb",
}
FRESH_GROUPS = {"past_the_cache": between("global_load_dword v7, v1, s[4:5] glc{}\ns_waitcnt vmcnt(0)\n").format("")}
KERNEL = """.globl {0}
.p2align 8
.type {0},@function
{0}:
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32 v1, 2, v0
s_mov_b32 m0, -1
s_waitcnt lgkmcnt(0)
{1}
s_endpgm
.size {0}, . - {0}
.section .rodata
.p2align 6
.amdhsa_kernel {0}
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 16
.amdhsa_group_segment_fixed_size 1024
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.text
"""
METADATA = """  - .name: {0}
    .symbol: {0}.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
"""


# Two waves: each loads 256 bytes to its half of LDS and reads the other's half. What is wrong, and the one finding with its lines.
EXCHANGE = ("v_readfirstlane_b32 s6, v1\n" + TO_LDS.replace("m0, 0", "m0, s6") + "{base}buffer_load_dword v1, s[8:11], 0 offen lds ; A\n{wait}\n{barrier}\nv_xor_b32 v2, 0x100, v1\n"
            "ds_read_b32 v3, v2{offset} ; B\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v3, s[4:5] offset:1024\nv_and_b32 v4, 4, v3\n"
            "global_load_dword v5, v4, s[4:5] ; C")
EXCHANGES = {
    "right": ({}, []),
    "early": ({"wait": ""}, [(RESULT, "B", "A")]),
    "alone": ({"barrier": ""}, [("undefined-address", "C", None), ("race", "A", "B")]),
    "beside": ({"offset": " offset:512"}, [("undefined-address", "C", None)]),
    "beyond": ({"base": "s_addk_i32 m0, 0x300\ns_nop 0\n"}, [("out-of-bounds", "A", None), ("undefined-address", "C", None)]),
}


def assembled(path, bodies, items=64):
    """A code object with a kernel of each body."""
    lines = ['.amdgcn_target "amdgcn-amd-amdhsa--' + MODEL + '"', ".text"]
    for number, (name, body) in enumerate(bodies.items()):
        lines += unified(KERNEL, MODEL).format(name, body.replace("%=", str(number))).splitlines()
    lines += [".amdgpu_metadata", "---", "amdhsa.version: [1, 1]", "amdhsa.kernels:", *"".join(map(METADATA.replace("size: 64\n    .args", f"size: {items}\n    .args").format, bodies)).splitlines(), "...", ".end_amdgpu_metadata"]
    source = path.with_suffix(".s")
    source.write_text("\n".join(lines) + "\n")
    compile_(source, path, "-g")
    return source.read_text().splitlines()


def compile_(source, out, *words):
    done = subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", f"-mcpu={MODEL}", *words, source, "-o", out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def reported(program, kernel, folder, *options, checks="hazard,stale"):
    """The findings, each (kind, its line, that of the other instruction), and the run."""
    report = folder / "report.json"
    done = run(command_under_test(), "run", "-g", MODEL, f"--check={checks}", f"--report=json:{report}", f"--kernel={kernel}", *options, program)
    found = [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]
    assert all(one["gpu"] == MODEL.partition(":")[0] for one in found), found
    return found, done


@pytest.fixture(scope="module", name="planted")
def planted_(model, tmp_path_factory):
    """The code object, and the lines of its source."""
    out = tmp_path_factory.mktemp("hazard") / "planted"
    bodies = {f"{how}_{name}": code.format(words) for name, (_, code, *both) in CASES.items() for how, words in zip(("bad", "good"), both)
              if not (MODEL == "gfx90a" and " gds" in code)}
    bodies |= {f"{how}_stale_{name}": code.replace("{}", words) for name, (*_, code, bad, good) in STALE.items() for how, words in (("bad", bad), ("good", good))}
    bodies |= {"bad_unwritten": "s_mov_b32 s6, 1\ns_store_dword s6, s[4:5], 0x0 ; B", "good_unwritten": "s_mov_b32 s6, 1\ns_store_dword s6, s[4:5], 0x0\ns_dcache_wb"}
    return out, assembled(out, bodies | {f"idiom_{name}": code for name, code in (IDIOMS | FRESH | FRESH_GROUPS).items()})


@pytest.mark.parametrize("name", EXCHANGES)
def test_bytes_that_a_load_puts_in_lds_are_its_wave_s_until_it_waits(tmp_path, name):
    """For each check: they are stored when the load issues, and there when its wave has waited; others see them after a barrier."""
    changed, expected = EXCHANGES[name]
    program, out = tmp_path / "exchange", tmp_path / "out"
    lines = assembled(program, {name: EXCHANGE.format(**{"base": "", "wait": "s_waitcnt vmcnt(0)", "barrier": "s_barrier", "offset": "", **changed})}, 128)
    found, done = reported(program, name, tmp_path, "--grid=128", "--block=128", "--arg=iota:8192", f"--dump-arg=0:{out}", checks="all")
    line = {mark: next(n + 1 for n, text in enumerate(lines) if text.endswith(f"; {mark}")) for mark in "ABC"}
    assert [(one["finding"], one["line"], (one.get("other") or {}).get("line")) for one in found] == [(kind, line[at], line.get(other)) for kind, at, other in expected], done.stderr
    if name == "right":
        assert struct.unpack("<128I", out.read_bytes()[1024:1536]) == tuple(i ^ 64 for i in range(128))
    if name == "early":
        assert "while a load to it is under way: no s_waitcnt vmcnt waits for it, in the wave that has issued it\n" in done.stderr and found[0]["other"]["wave"] != found[0]["wave"]


@pytest.mark.parametrize("name", CASES)
def test_a_hazard_is_found_by_both_of_its_lines(planted, tmp_path, name):
    program, source = planted
    if f"bad_{name}:" not in source:
        pytest.skip("a gfx90a has no GDS")
    found, done = reported(program, f"bad_{name}", tmp_path, "--grid=64", "--block=64", "--arg=zeros:8192")
    begin = source.index(f"bad_{name}:")
    first, second = (next(n + 1 for n in range(begin, len(source)) if source[n].endswith(f"; {mark}")) for mark in "AB")
    assert [(one["finding"], one["line"], one["other"]["line"]) for one in found] == [(CASES[name][0], second, first)], f"{found}\n{done.stderr}"
    assert done.returncode == 115 and found[0]["lanes"] == "0-63", done.stderr
    found, done = reported(program, f"good_{name}", tmp_path, "--grid=64", "--block=64", "--arg=zeros:8192")
    assert not found and done.returncode == 0, done.stderr


def line_with(source, kernel, mark):
    return next(n + 1 for n in range(source.index(f"{kernel}:"), len(source)) if source[n].endswith(f"; {mark}"))


@pytest.mark.parametrize("name", STALE)
def test_a_stale_load_is_found_with_its_store(planted, tmp_path, name):
    severity, lanes, groups, *_ = STALE[name]
    program, source = planted
    options = [f"--grid={64 * groups}", "--block=64", "--arg=zeros:8192"]
    (one,), done = reported(program, f"bad_stale_{name}", tmp_path, *options)
    bad = f"bad_stale_{name}"
    assert (one["finding"], one["severity"], one["lanes"]) == ("stale", severity, lanes), f"{one}\n{done.stderr}"
    assert (one["line"], one["other"]["line"]) == (line_with(source, bad, "B"), line_with(source, bad, "A")), f"{one}\n{done.stderr}"
    assert done.returncode == (115 if severity == "error" else 0), done.stderr
    found, done = reported(program, f"good_stale_{name}", tmp_path, *options)
    assert not found and done.returncode == 0, done.stderr


def test_a_scalar_store_that_nothing_writes_back_is_found(planted, tmp_path):
    program, source = planted
    (one,), done = reported(program, "bad_unwritten", tmp_path, "--grid=64", "--block=64", "--arg=zeros:8192")
    assert (one["finding"], one["line"]) == ("unwritten", line_with(source, "bad_unwritten", "B")) and done.returncode == 115, done.stderr
    assert not reported(program, "good_unwritten", tmp_path, "--grid=64", "--block=64", "--arg=zeros:8192")[0]


def test_a_load_past_the_cache_is_not_stale(planted, tmp_path):
    for name in FRESH_GROUPS:
        found, done = reported(planted[0], f"idiom_{name}", tmp_path, "--grid=128", "--block=64", "--arg=zeros:8192")
        assert not found and done.returncode == 0, done.stderr


# The experiment of a text about Vega's memory: scalar loads go through the constant cache, which a new kernel begins with empty.
EXPERIMENT = r"""#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
__device__ int scalar(const int *p) { int x; asm volatile("s_load_dword %0, %1, 0x0\n s_waitcnt lgkmcnt(0)" : "=s"(x) : "s"(p) : "memory"); return x; }
__global__ void look(int *p, int *out) { *out = scalar(p); }
__global__ void change(int *p, int value) { *p = value; }
__global__ void both(int *p, int *out)
{
    const int before = scalar(p);
    *(volatile int *)p = before + 1;
    __threadfence();
    out[1] = scalar(p); /* B */
}
int main(int argc, char **argv)
{
    int *p, *out, here[2];
    hipMalloc(&p, 64);
    hipMalloc(&out, 64);
    hipMemset(p, 0, 64);
    look<<<1, 1>>>(p, out);
    change<<<1, 1>>>(p, 5);
    look<<<1, 1>>>(p, out);
    if (argc > 1)
        both<<<1, 1>>>(p, out);
    hipMemcpy(here, out, sizeof here, hipMemcpyDeviceToHost);
    printf("%d %d\n", here[0], argc > 1 ? here[1] : 0);
}
"""


def test_a_new_kernel_begins_with_an_empty_scalar_cache(tmp_path):
    source, program = tmp_path / "experiment.hip", tmp_path / "experiment"
    source.write_text(EXPERIMENT)
    done = subprocess.run(["hipcc", f"--offload-arch={MODEL}", "-O1", "-g", "-w", "-o", program, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    run = [checks.command_under_test(), "exec", "-g", MODEL, "--check=stale", program]
    done = checks.run(*run)
    assert done.stdout == "5 0\n" and done.returncode == 0 and "0 errors, 0 warnings" in done.stderr, done.stderr
    done = checks.run(*run, "both")
    line = 1 + next(n for n, text in enumerate(EXPERIMENT.splitlines()) if "/* B */" in text)
    assert done.stdout == "5 6\n" and done.returncode == 115, done.stderr      # the emulator has no caches
    assert done.stderr.count("error: stale load of 4 bytes") == 1 and re.search(rf"both at \S*experiment\.hip:{line}\b", done.stderr), done.stderr


@pytest.mark.parametrize("name", [*IDIOMS, *FRESH])
def test_what_is_ordered_has_no_finding(planted, tmp_path, name):
    found, done = reported(planted[0], f"idiom_{name}", tmp_path, "--grid=64", "--block=64", "--arg=zeros:8192")
    assert not found and done.returncode == 0, done.stderr


# ---- control words of an SM ----

# name: (kind, the register, code, the control word of a line {} that is wrong, and right, the two instructions). R2, R3: the address of the lane's 4 bytes.
CONTROLS = {
    "no_wait": (RESULT, "R4", "[B------:R-:W1:-:S02] LDG.E R4, [R2];\n{} IADD R5, R4, 0x1;", "[B0-2345:R-:W-:-:S15]", "[B-1----:R-:W-:-:S15]", "IADD R5", "LDG.E R4"),
    "no_barrier": (RESULT, "R6", "{} S2R R6, SR_TID.X;\n[B012345:R-:W-:-:S15] IADD R7, R6, 0x1;", "[B------:R-:W-:-:S02]", "[B------:R-:W3:-:S02]", "IADD R7", "S2R R6"),
    "overwritten": (RESULT, "R4", "[B------:R-:W1:-:S02] LDG.E R4, [R2];\n{} MOV R4, RZ;", "[B------:R-:W-:-:S15]", "[B-1----:R-:W-:-:S15]", "MOV R4", "LDG.E R4"),
    "second_register": (RESULT, "R5", "[B------:R-:W1:-:S02] LDS.64 R4, [RZ];\n{} MOV R6, R5;", "[B------:R-:W-:-:S15]", "[B-1----:R-:W-:-:S15]", "MOV R6", "LDS.64 R4"),
    "address": (RESULT, "R4", "[B------:R-:W1:-:S02] LDG.E R4, [R2];\n{} STS [R4], R4;", "[B------:R2:W-:-:S02]", "[B-1----:R2:W-:-:S02]", "STS", "LDG.E R4"),
    "shared": (RESULT, "R4", "[B------:R-:W1:-:S02] LDS R4, [RZ];\n{} IADD R5, R4, 0x1;", "[B------:R-:W-:-:S15]", "[B-1----:R-:W-:-:S15]", "IADD R5", "LDS R4"),
    "function_unit": (RESULT, "R4", "[B------:R-:W1:-:S02] MUFU.RCP R4, R0;\n{} FADD R5, R4, R4;", "[B------:R-:W-:-:S15]", "[B-1----:R-:W-:-:S15]", "FADD R5", "MUFU.RCP R4"),
    "source": (SOURCE, "R5", "[B------:R2:W-:-:S02] STG.E [R2], R5;\n{} MOV R5, RZ;", "[B------:R-:W-:-:S15]", "[B--2---:R-:W-:-:S15]", "MOV R5", "STG.E [R2]"),
}
COVERED = {
    "depbar": "[B------:R-:W1:-:S02] LDG.E R4, [R2];\n[B------:R-:W-:-:S15] DEPBAR.LE SB1, 0x0;\n[B------:R-:W-:-:S15] IADD R5, R4, 0x1;",
    "the_result_covers_the_address": "[B------:R2:W1:-:S02] LDG.E R4, [R2];\n[B-1----:R-:W-:-:S15] MOV R2, RZ;",
    "other_register": "[B------:R-:W1:-:S02] LDG.E R4, [R2];\n[B------:R-:W-:-:S15] IADD R5, R6, 0x1;",
    "fixed_latency": "[B------:R-:W-:-:S06] IADD R5, R0, 0x1;\n[B------:R-:W-:-:S06] IADD R5, R5, 0x1;",
    "without_control_words": "LDG.E R4, [R2];\nIADD R5, R4, 0x1;\nSTG.E [R2], R5;\nMOV R5, RZ;",
}
SASS = """.kernel k
.param 8 out
.shared 4096
S2R R0, SR_TID.X;
SHL R2, R0, 0x2;
IADD R2.CC, R2, c[0x0][0x140];
IADD.X R3, RZ, c[0x0][0x144];
NOP;
{}
EXIT;
"""


def controlled(folder, code):
    source, cubin = folder / "k.sass", folder / "k.cubin"
    source.write_text(SASS.format(code))
    done = checks.run(checks.command_under_test(), "asm", "-g", "sm", source, "-o", cubin)
    assert done.returncode == 0, done.stderr
    return checks.run(checks.command_under_test(), "run", "-g", "sm", "--check=hazard", "--grid=32", "--block=32", "--arg=zeros:512", cubin)


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_word_that_does_not_cover_a_result_is_found(tmp_path, name):
    kind, register, code, bad, good, second, first = CONTROLS[name]
    done = controlled(tmp_path, code.replace("{}", bad))
    assert re.findall(r"error: ([a-z-]+): (\w+) is", done.stderr) == [(kind, register)] and done.returncode == 115, done.stderr
    assert [one.startswith(what) for one, what in zip(re.findall(r"0x\w+: (.*)", done.stderr), (second, first))] == [True, True], done.stderr
    done = controlled(tmp_path, code.replace("{}", good))
    assert "0 errors, 0 warnings" in done.stderr and done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", COVERED)
def test_covered_results_have_no_finding(tmp_path, name):
    done = controlled(tmp_path, COVERED[name])
    assert "0 errors, 0 warnings" in done.stderr and done.returncode == 0, done.stderr


# ---- code of a compiler ----

SOURCE_CL = """
__kernel void mixed(__global float *out, __global const float *in, __global const int *index, int n)
{
    __local float part[64];
    const int i = get_global_id(0), l = get_local_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[index[(i + k) % 64]] / (in[(i + 2 * k) % 64] + 1.5f);
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = part[l ^ 1] + part[63 - l] * in[n] + sub_group_reduce_add(sum);
}
"""
RUN = ["--grid=64", "--block=64", "--arg=zeros:256", "--arg=zeros:256", "--arg=zeros:256", "--arg=i32:3"]
BITCODE = bitcode()


@pytest.fixture(scope="module", name="compiled", params=[pytest.param("-O0", marks=pytest.mark.full), "-O2"])
def compiled_(model, request, tmp_path_factory):
    """The compiler's assembly, and the folder it is in."""
    folder = tmp_path_factory.mktemp("compiled")
    (folder / "mixed.cl").write_text(SOURCE_CL)
    compile_(folder / "mixed.cl", folder / "mixed.s", "-x", "cl", "-cl-std=CL2.0", f"--rocm-device-lib-path={BITCODE}", request.param, "-S", "-w")
    return (folder / "mixed.s").read_text().splitlines(), folder


def found_with(lines, folder, changed):
    """Where lines are other ones, by their numbers."""
    source, out = folder / "now.s", folder / "now"
    source.write_text("\n".join(changed.get(number, line) for number, line in enumerate(lines)) + "\n")
    compile_(source, out)
    return reported(out, "mixed", folder, *RUN)


def test_a_compilers_code_has_no_hazard(compiled):
    found, done = found_with(*compiled, {})
    assert not found and done.returncode == 0, done.stderr


def test_a_compilers_code_that_waits_less_has_one(compiled, request):
    """LLVM puts in the waits that are needed. Those that order memory only, before barriers and at the kernel's end, keep no register. At -O2 each of a sum's steps
    between lanes waits for the one before."""
    lines, folder = compiled
    waits = [number for number, line in enumerate(lines) if re.match(r"\s*s_waitcnt ", line)]
    begin, end = (next(n for n, line in enumerate(lines) if re.match(what, line)) for what in ("mixed:", r"\s*s_endpgm"))
    waits = [number for number in waits if begin < number < end and "s_barrier" not in lines[number + 1]]
    less = {number: f"s_nop {int(line.split()[1]) - 1}" for number, line in enumerate(lines[:end]) if number > begin and re.match(r"\s*s_nop [1-7]", line)}
    silent = [lines[number - 1:number + 2] for number, line in {**dict.fromkeys(waits, ""), **less}.items() if not found_with(lines, folder, {number: line})[0]]
    assert len(waits) >= 4 and len(less) >= 5 * (request.node.callspec.params["compiled"] == "-O2") and not silent, silent


# ---- the debugger ----

def test_the_debugger_stops_at_a_hazard(planted):
    program, source = planted
    line = next(n + 1 for n in range(source.index("bad_load_used:"), len(source)) if source[n].endswith("; B"))
    commands = ["catch check", "run", "info checks 1", "output $_siginfo", "delete", "continue"]
    done = checks.run(checks.command_under_test(), "debug", "--nx", "--batch", "-g", MODEL, "--check=hazard", "--kernel=bad_load_used", "--grid=64", "--block=64",
                      "--arg=zeros:8192", *[word for one in commands for word in ("-ex", one)], str(program))
    assert re.search(r"^Catchpoint 1 \(check\): unwaited-result: v2 is read while a result is under way to it: no s_waitcnt vmcnt waits for it", done.stdout, re.M), done.stdout
    assert re.search(rf"planted\.s:{line}\b", done.stdout), done.stdout


def test_other_families_wait_by_themselves():
    done = checks.run(checks.command_under_test(), "run", "--check=hazard", *checks.VORTEX, checks.vortex_program("vortex"), "--arg=0")
    assert done.returncode == 0 and "0 errors" in done.stderr, done.stderr
