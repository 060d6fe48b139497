/* Halves in the lanes of a vector instruction, eight at once, by the host's own conversions (x86-64
 * with F16C). They lie in the low halves of 32-bit values; what is above is 0. */
#ifndef WT_EMULATOR_GCN_EXEC_HALF_LANES_H
#define WT_EMULATOR_GCN_EXEC_HALF_LANES_H

#ifdef GCN_CLONES
#include <immintrin.h>

#define WITH_HALVES __attribute__((target("avx2,fma,f16c")))

/* Converts eight halves to singles. */
static inline WITH_HALVES __m256 load_halves(const uint32_t *from)
{
    const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)from);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(x, x), 0xd8);
    return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
}

/*
 * Rounds x to halves and stores them. Returns all ones in the lanes where gfx900 may give another
 * half: it is a NaN, denormal or the least normal number, or it is 0 and x was not.
 */
static inline WITH_HALVES __m256i store_halves(uint32_t *to, __m256 x)
{
    const __m256i r = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(x, _MM_FROUND_CUR_DIRECTION));
    const __m256i size = _mm256_and_si256(r, _mm256_set1_epi32(0x7fff));
    const __m256i small = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x401), size);
    const __m256i zero = _mm256_castps_si256(_mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_EQ_OQ));
    const __m256i nan = _mm256_cmpgt_epi32(size, _mm256_set1_epi32(0x7c00));
    _mm256_storeu_si256((__m256i *)(void *)to, r);
    return _mm256_or_si256(nan, _mm256_andnot_si256(zero, small));
}
#endif

#endif
