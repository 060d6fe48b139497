/* In front of the kernels for gfx900, which have clang's atomics. */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define __atomic_fetch_add(p, v, o) atom_add(p, v)
#define __atomic_fetch_sub(p, v, o) atom_sub(p, v)
#define __atomic_fetch_and(p, v, o) atom_and(p, v)
#define __atomic_fetch_or(p, v, o) atom_or(p, v)
#define __atomic_fetch_xor(p, v, o) atom_xor(p, v)
#define __atomic_fetch_max(p, v, o) atom_max(p, v)
#define __atomic_fetch_min(p, v, o) atom_min(p, v)
#define __atomic_compare_exchange_n(p, e, v, w, s, f)                                              \
    ({                                                                                             \
        uint was = *(e);                                                                           \
        *(e) = atom_cmpxchg(p, was, v);                                                            \
        *(e) == was;                                                                               \
    })
#line 1
