// An exception that the kernel descriptor enables, in assembly:
//   wavetrap run --grid=64 build/examples/gcn/exception.co
// Each lane divides 64 by its number less 37. Without .amdhsa_exception_fp_ieee_div_zero the result
// in lane 37 is infinity, and the kernel ends.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.p2align 8
.globl reciprocals
.type reciprocals,@function
reciprocals:
    v_add_u32 v1, -37, v0
    v_cvt_f32_i32 v1, v1
    v_rcp_f32 v1, v1
    v_mul_f32 v1, 0x42800000, v1
    s_endpgm
.size reciprocals, . - reciprocals

.rodata
.p2align 6
.amdhsa_kernel reciprocals
    .amdhsa_next_free_vgpr 2
    .amdhsa_next_free_sgpr 8
    .amdhsa_exception_fp_ieee_div_zero 1
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: reciprocals
    .symbol: reciprocals.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 4
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 2
    .max_flat_workgroup_size: 1024
    .args: []
...
.end_amdgpu_metadata
