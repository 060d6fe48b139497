/*
 * HIP 5.2's headers and device libraries use names that clang no longer defines: the size of a
 * wave as a constant, v_rcp_f16, and two symbols of hip.bc and oclc_daz_opt_off.bc, which clang no
 * longer links. hip.cfg, which `wavetrap hip-path` writes, has clang include this header first.
 */
#if defined(__HIP__) && __clang_major__ >= 20
#ifndef __AMDGCN_WAVEFRONT_SIZE
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#endif
extern "C" {
typedef _Float16 __wavetrap_2f16 __attribute__((ext_vector_type(2)));
__attribute__((device, const)) _Float16
__llvm_amdgcn_rcp_f16(_Float16) __asm("llvm.amdgcn.rcp.f16");
static inline __attribute__((device)) __wavetrap_2f16 __llvm_amdgcn_rcp_2f16(__wavetrap_2f16 x)
{
    return __wavetrap_2f16{__llvm_amdgcn_rcp_f16(x.x), __llvm_amdgcn_rcp_f16(x.y)};
}
#ifdef __HIP_DEVICE_COMPILE__
/* Denormals of f32 are kept. */
__attribute__((constant, weak, visibility("protected"))) extern const unsigned char __oclc_daz_opt =
    0;
/* HIP declares it with types of its own, which do not exist yet. */
__attribute__((device, weak, used)) void
__wavetrap_fence(unsigned, int order, int scope) __asm("__atomic_work_item_fence");
__attribute__((device, weak, used)) void __wavetrap_fence(unsigned, int order, int scope)
{
#define __WAVETRAP_FENCES(number, name)                                                            \
    case number:                                                                                   \
        if (order == __ATOMIC_ACQUIRE)                                                             \
            __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, name);                                        \
        else if (order == __ATOMIC_RELEASE)                                                        \
            __builtin_amdgcn_fence(__ATOMIC_RELEASE, name);                                        \
        else if (order == __ATOMIC_ACQ_REL)                                                        \
            __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, name);                                        \
        else if (order == __ATOMIC_SEQ_CST)                                                        \
            __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, name);                                        \
        break;
    switch (scope) {
        __WAVETRAP_FENCES(__OPENCL_MEMORY_SCOPE_WORK_GROUP, "workgroup")
        __WAVETRAP_FENCES(__OPENCL_MEMORY_SCOPE_DEVICE, "agent")
        __WAVETRAP_FENCES(__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES, "")
        __WAVETRAP_FENCES(__OPENCL_MEMORY_SCOPE_SUB_GROUP, "wavefront")
    }
#undef __WAVETRAP_FENCES
}
#endif
}
#endif
