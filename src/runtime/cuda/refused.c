/*
 * libcuda: functions that some programs look up at their start and that need features missing here:
 * graphics, other processes, memory of other drivers, graphs of work. Each reports its name and
 * returns an error.
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/refused.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/state.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* By its symbol: the header has macros of some names, which lead to their later forms. */
#define R(name, why)                                                                               \
    EXPORT CUresult refused_##name(void) __asm__(#name);                                           \
    EXPORT CUresult refused_##name(void)                                                           \
    {                                                                                              \
        return refuse(#name, why);                                                                 \
    }

static CUresult refuse(const char *name, const char *why)
{
    char what[300];
    snprintf(what, sizeof what, "%s is refused: %s", name, why);
    call_refused(what);
    if (call_logged())
        call_log(name, CUDA_ERROR_NOT_SUPPORTED, "%s", "");
    return CUDA_ERROR_NOT_SUPPORTED;
}

void wavetrap_cudart_refused(const char *name, const char *why)
{
    fprintf(stderr, "wavetrap: libcudart: %s is refused: %s\n", name, why);
}

#include "runtime/cuda/refused.def"
#undef R

WT_REFUSED_FUNCTIONS static const char refused[] =
#define R(name, why) #name "\0" why "\0"
#include "runtime/cuda/refused.def"
    R(cuGetExportTable, "the tables of NVIDIA's own CUDA runtime are not documented");

/* ---- undocumented tables ---- */

/* Takes the name of a loaded libcudart that does not lie beside this library, NVIDIA's. */
static int is_other_runtime(struct dl_phdr_info *info, size_t size, void *path)
{
    const char *const name = info->dlpi_name, *const base = strrchr(name, '/');
    char own[PATH_MAX], its[PATH_MAX];
    Dl_info self;
    (void)size;
    if (!base || strncmp(base, "/libcudart.so", 13) != 0 ||
        !dladdr((void *)(uintptr_t)is_other_runtime, &self) || !realpath(self.dli_fname, own) ||
        !realpath(name, its))
        return 0;
    const size_t folder = (size_t)(strrchr(own, '/') - own) + 1;
    if (strncmp(own, its, folder) == 0 && !strchr(its + folder, '/'))
        return 0;
    *(const char **)path = name;
    return 1;
}

static void tell_of_tables(void)
{
    const char *other = NULL;
    char text[PATH_MAX + 400];
    if (dl_iterate_phdr(is_other_runtime, &other))
        snprintf(text, sizeof text,
                 "cuGetExportTable is refused: the program loads NVIDIA's own CUDA runtime, %s, "
                 "which needs undocumented tables of the driver. It finds that file before "
                 "wavetrap's, by an RPATH or LD_PRELOAD: with "
                 "LD_PRELOAD=$(wavetrap cuda-path)/lib64%s it uses wavetrap's",
                 other, strrchr(other, '/'));
    else
        snprintf(text, sizeof text,
                 "cuGetExportTable is refused: the program has NVIDIA's own CUDA runtime in it, "
                 "which needs undocumented tables of the driver; build it by nvcc -cudart shared, "
                 "or with clang and wavetrap's runtime");
    call_refused(text);
}

/* A program that has asked for a table that we do not know, and has not used the GPU afterwards,
 * could not go on. */
static void tell_at_the_end(void)
{
    if (!state_was_entered(false))
        tell_of_tables();
}

/*
 * Who asks, by the table's id as the program has it: NVIDIA's CUDA runtime (the ids that versions
 * up to 12, and 13, ask for first), which gives up then; NVIDIA's run-time compiler (13), which
 * goes on without.
 */
API(cuGetExportTable, "*%p, %p", (const void **, table, HANDLE(table)), (const CUuuid *, id))
{
    static const char runtime[][16] = {
        "\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9",
        "\xf8\xcf\xf9\x51\x21\x46\x8b\x4e\xb9\xe2\xfb\x46\x9e\x7c\x0d\xd9"};
    static const char compiler[16] =
        "\xda\x91\x51\xd3\x3a\xe6\xcc\x41\xa5\xc0\x4f\x26\xd5\x33\xe3\x28";
    static bool waits;
    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < sizeof runtime / sizeof runtime[0]; i++)
        if (memcmp(id->bytes, runtime[i], sizeof runtime[i]) == 0) {
            tell_of_tables();
            return CUDA_ERROR_NOT_SUPPORTED;
        }
    if (memcmp(id->bytes, compiler, sizeof compiler) == 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    const CUresult result = state_lock();
    if (!waits)
        waits = atexit(tell_at_the_end) == 0;
    state_was_entered(true);
    if (!result)
        state_leave(result);
    return CUDA_ERROR_NOT_SUPPORTED;
}
