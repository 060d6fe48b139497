/* Copies to shared memory that a thread waits for later ("CUDA C++ Programming Guide", "Pipeline
 * Primitives Interface"): each is done at once. */
#ifndef WAVETRAP_CUDA_PIPELINE_H
#define WAVETRAP_CUDA_PIPELINE_H

#include <cuda_runtime.h>

#if defined __cplusplus && defined __CUDA__
/* 4, 8 or 16 bytes; the last `zeros` of them become 0. */
static inline __attribute__((device)) void __pipeline_memcpy_async(void *to, const void *from,
                                                                   size_t size, size_t zeros = 0)
{
    for (size_t i = 0; i < size; i += 4) {
        unsigned word = 0;
        if (i + 4 <= size - zeros)
            word = *(const unsigned *)((const char *)from + i);
        else if (i < size - zeros)
            __builtin_memcpy(&word, (const char *)from + i, size - zeros - i);
        *(unsigned *)((char *)to + i) = word;
    }
}
static inline __attribute__((device)) void __pipeline_commit()
{
}
static inline __attribute__((device)) void __pipeline_wait_prior(size_t)
{
    __asm__ volatile("" ::: "memory");
}
#endif

#endif
