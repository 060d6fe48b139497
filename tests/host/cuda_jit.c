/* The logs of compiler and linker: `cuda_jit load|link[-own] BYTES verbose|quiet FILE…` loads each
 * file, or links them all and loads the result, with logs of BYTES bytes (0: none), and says what
 * each call returned and wrote back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetrap/cuda.h>

enum { OPTIONS = 6, INFO_USED = 1, ERROR_USED = 3, TIME = 4 };

static int options[OPTIONS] = {CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                               CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                               CU_JIT_WALL_TIME,        CU_JIT_LOG_VERBOSE};

struct logs {
    void *value[OPTIONS];
    char *info, *error;
};

static struct logs *new_logs(size_t bytes, int verbose)
{
    struct logs *l = calloc(1, sizeof *l);
    l->info = malloc(bytes + 1);
    l->error = malloc(bytes + 1);
    memset(l->info, '#', bytes + 1);
    memset(l->error, '#', bytes + 1);
    void *value[OPTIONS] = {l->info,       (void *)bytes, l->error,
                            (void *)bytes, NULL,          (void *)(intptr_t)verbose};
    memcpy(l->value, value, sizeof value);
    return l;
}

/* The byte behind a log is the program's still. */
static void say(const char *what, CUresult result, const struct logs *l, size_t bytes)
{
    float ms;
    memcpy(&ms, &l->value[TIME], sizeof ms);
    printf("%s %d, info %zu, error %zu, time %s, behind %c%c\n", what, result,
           (size_t)l->value[INFO_USED], (size_t)l->value[ERROR_USED], ms > 0 ? "taken" : "none",
           l->info[bytes], l->error[bytes]);
    if (bytes && *l->info)
        printf("%s\n", l->info);
    if (bytes && *l->error)
        printf("%s\n", l->error);
}

static void *text_of(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file) + 1;
    rewind(file);
    char *bytes = calloc(1, *size);
    if (fread(bytes, 1, *size - 1, file) != *size - 1)
        abort();
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule module;
    CUlinkState state;
    const size_t bytes = strtoul(argv[2], NULL, 10);
    const int verbose = strcmp(argv[3], "verbose") == 0, own = strcmp(argv[1], "link-own") == 0;
    struct logs *l = new_logs(bytes, verbose), *mine = new_logs(bytes, verbose);
    size_t size;
    if (cuInit(0) || cuCtxCreate(&context, 0, 0))
        return 1;
    if (strcmp(argv[1], "load") == 0) {
        for (int i = 4; i < argc; i++) {
            void *text = text_of(argv[i], &size);
            const CUresult result = cuModuleLoadDataEx(&module, text, OPTIONS, options, l->value);
            say("load", result, l, bytes);
        }
        return 0;
    }
    if (cuLinkCreate(OPTIONS, options, l->value, &state))
        return 1;
    for (int i = 4; i < argc; i++) {
        void *text = text_of(argv[i], &size), *image;
        const CUresult result = cuLinkAddData(state, 1, text, size, i == 4 ? "first" : NULL,
                                              own ? OPTIONS : 0, options, mine->value);
        free(text);
        say("add", result, l, bytes);
        if (own)
            say("own", result, mine, bytes);
        if (i + 1 < argc)
            continue;
        const CUresult end = cuLinkComplete(state, &image, &size);
        say("complete", end, l, bytes);
        if (!end)
            printf("load %d\n", cuModuleLoadData(&module, image));
    }
    return cuLinkDestroy(state);
}
