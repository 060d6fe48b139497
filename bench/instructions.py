"""What one instruction of the emulated gfx900 takes on 64 lanes: CPU time of loops of assembly, the loop itself
subtracted. The kernels are made here and assembled by clang-19.

`python3 instructions.py WAVETRAP [NAME…]` measures these alone.
"""

import os
import statistics
import subprocess
import sys
import tempfile

UNROLLED = 32
# Name, instructions, which of the registers' first contents they need. v1 has the lane's number times 4, v2 what is
# usual for the operation, s[4:5] the memory's address.
LINES = [
    ("v_add_u32", "v_add_u32 v3, v2, v4", 20000),
    ("v_fma_f32", "v_fma_f32 v3, v2, v4, v5", 20000),
    ("v_mad_f32", "v_mad_f32 v3, v2, v4, v5", 5000),
    ("v_alignbit_b32", "v_alignbit_b32 v3, v2, v4, 7", 20000),
    ("v_exp_f32", "v_exp_f32 v3, v2", 2000),
    ("v_log_f32", "v_log_f32 v3, v2", 2000),
    ("v_sin_f32", "v_sin_f32 v3, v2", 2000),
    ("v_rcp_f32", "v_rcp_f32 v3, v2", 5000),
    ("v_rsq_f32", "v_rsq_f32 v3, v2", 5000),
    ("v_sqrt_f32", "v_sqrt_f32 v3, v2", 5000),
    ("v_div_scale_f32", "v_div_scale_f32 v3, vcc, v2, v2, v4", 2000),
    ("v_div_fixup_f32", "v_div_fixup_f32 v3, v2, v2, v4", 2000),
    ("v_floor_f32", "v_floor_f32 v3, v2", 5000),
    ("v_fract_f32", "v_fract_f32 v3, v2", 5000),
    ("v_ldexp_f32", "v_ldexp_f32 v3, v2, v6", 2000),
    ("v_fma_f64", "v_fma_f64 v[8:9], v[10:11], v[12:13], v[10:11]", 10000),
    ("v_rcp_f64", "v_rcp_f64 v[8:9], v[10:11]", 1000),
    ("v_sqrt_f64", "v_sqrt_f64 v[8:9], v[10:11]", 1000),
    ("v_rsq_f64", "v_rsq_f64 v[8:9], v[10:11]", 1000),
    ("v_div_scale_f64", "v_div_scale_f64 v[8:9], vcc, v[10:11], v[10:11], v[12:13]", 2000),
    ("v_div_fmas_f64", "v_div_fmas_f64 v[8:9], v[10:11], v[12:13], v[10:11]", 2000),
    ("v_div_fixup_f64", "v_div_fixup_f64 v[8:9], v[10:11], v[10:11], v[12:13]", 2000),
    ("v_add_f16", "v_add_f16 v3, v7, v7", 2000),
    ("v_fma_f16", "v_fma_f16 v3, v7, v7, v7", 2000),
    ("v_pk_fma_f16", "v_pk_fma_f16 v3, v7, v7, v7", 1000),
    ("v_rcp_f16", "v_rcp_f16 v3, v7", 2000),
    ("v_exp_f16", "v_exp_f16 v3, v7", 1000),
    ("v_cvt_f16_f32", "v_cvt_f16_f32 v3, v2", 5000),
    ("ds_read_b32, consecutive", "ds_read_b32 v3, v1", 10000),
    ("ds_write_b32, consecutive", "ds_write_b32 v1, v2", 10000),
    ("ds_read2_b32, consecutive", "ds_read2_b32 v[8:9], v1 offset1:64", 10000),
    ("ds_write_b64, consecutive", "ds_write_b64 v14, v[10:11]", 10000),
    ("ds_read_b32, scattered", "ds_read_b32 v3, v15", 10000),
    ("ds_add_u32, consecutive", "ds_add_u32 v1, v2", 2000),
    ("ds_add_u32, one address", "ds_add_u32 v16, v2", 2000),
    ("global_load_dword, consecutive", "global_load_dword v3, v1, s[4:5]", 20000),
    ("global_atomic_add, consecutive", "global_atomic_add v1, v2, s[4:5]", 2000),
    ("global_atomic_add glc, consecutive", "global_atomic_add v3, v1, v2, s[4:5] glc", 2000),
    ("global_atomic_add, one address", "global_atomic_add v16, v2, s[4:5]", 2000),
    ("global_atomic_cmpswap, consecutive", "global_atomic_cmpswap v1, v[6:7], s[4:5]", 2000),
    ("global_atomic_add_x2, consecutive", "global_atomic_add_x2 v14, v[10:11], s[4:5]", 2000),
    ("global_atomic_cmpswap_x2, consecutive", "global_atomic_cmpswap_x2 v14, v[10:13], s[4:5]", 2000),
]
METADATA = """
  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 20
    .max_flat_workgroup_size: 256
    .args:
      - {{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
      - {{.size: 4, .offset: 8, .value_kind: by_value}}"""


def assembly(instructions):
    """Kernels k0, k1, …: each a loop of one instruction, which runs as often as its second argument says."""
    text, metadata = ['.amdgcn_target "amdgcn-amd-amdhsa--gfx900"'], ""
    for number, instruction in enumerate(instructions):
        body = "\n".join([instruction] * UNROLLED)
        text.append(f"""
.text
.p2align 8
.globl k{number}
.type k{number},@function
k{number}:
 s_load_dwordx2 s[4:5], s[0:1], 0
 s_load_dword s6, s[0:1], 8
 s_waitcnt lgkmcnt(0)
 v_lshlrev_b32 v1, 2, v0
 v_lshlrev_b32 v14, 3, v0
 v_mul_u32_u24 v15, 0x4c, v0
 v_and_b32 v15, 0xfc, v15
 v_mov_b32 v16, 0
 v_cvt_f32_u32 v2, v0
 v_add_f32 v2, 0x3fa00000, v2
 v_mov_b32 v4, 0x40490fdb
 v_mov_b32 v5, 2.0
 v_mov_b32 v6, 3
 v_cvt_pkrtz_f16_f32 v7, v2, v4
 v_cvt_f64_f32 v[10:11], v2
 v_cvt_f64_f32 v[12:13], v4
 v_cmp_eq_u32 vcc, 65, v0
 s_mov_b32 m0, -1
again{number}:
{body}
 s_sub_u32 s6, s6, 1
 s_cmp_lg_u32 s6, 0
 s_cbranch_scc1 again{number}
 s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k{number}
 .amdhsa_group_segment_fixed_size 4096
 .amdhsa_next_free_vgpr 20
 .amdhsa_next_free_sgpr 16
 .amdhsa_user_sgpr_kernarg_segment_ptr 1
 .amdhsa_float_denorm_mode_32 3
 .amdhsa_float_denorm_mode_16_64 3
.end_amdhsa_kernel""")
        metadata += METADATA.format(name=f"k{number}")
    text.append(f".amdgpu_metadata\n---\namdhsa.version: [1, 1]\namdhsa.kernels:{metadata}\n...\n.end_amdgpu_metadata\n")
    return "\n".join(text)


def compiled(folder, lines):
    program = os.path.join(folder, "instructions.co")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-mcode-object-version=4", "-x",
                    "assembler", "-", "-o", program], input=assembly(lines), text=True, check=True)
    return program


def measured(wavetrap, program, kernel, repeats):
    """CPU seconds of one loop."""
    command = [wavetrap, "run", "--gpu=gfx900:cu=1", f"--kernel=k{kernel}", "--grid=64", "--block=64", "--arg=zeros:4096",
               f"--arg=u32:{repeats}", program]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, ended, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(ended)
    if process.returncode:
        sys.exit(f"bench: {' '.join(command)} failed ({process.returncode})")
    return usage.ru_utime + usage.ru_stime


def instructions(report, folder, wavetrap, count, only=()):
    lines = [line for line in LINES if not only or line[0].split(",")[0] in only]
    program = compiled(folder, [line[1] for line in lines])
    report.title("GCN: one instruction on 64 lanes (CPU time)")
    for number, (name, _, repeats) in enumerate(lines):
        times = [measured(wavetrap, program, number, repeats) - measured(wavetrap, program, number, 1) for _ in range(count)]
        report.figure(name, statistics.median(times) / repeats / UNROLLED * 1e9, "ns")


if __name__ == "__main__":
    class Printed:
        def title(self, text):
            print(text)

        def figure(self, name, value, unit):
            print(f"  {name:40} {value:10.1f} {unit}")
    with tempfile.TemporaryDirectory() as made:
        instructions(Printed(), made, sys.argv[1], 3, sys.argv[2:])
