/*
 * Code that a program gives to HIP: HIP reads no compressed bundle, so that it gets what that
 * stands for, and it does not say why it refuses code. These functions stand before HIP's in every
 * program that `exec` starts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "object/unpack.h"
#include "runtime/common/next_function.h"
#include "runtime/kfd/modules.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { NO_HIP = 3 /* hipErrorNotInitialized */ };

static void *next(const char *name)
{
    return wt_next_function("libamdhip64.so.5", name);
}

/* Unpacks a compressed bundle; NULL if it is none, or damaged. HIP keeps the address, so
 * that this is never freed. @p room: SIZE_MAX if it is not known. */
static const void *unpacked(const void *code, size_t room)
{
    struct wt_packed_bundle packed;
    struct wt_error err;
    return code && wt_packed_bundle_at(code, room, &packed) ? wt_packed_bundle_unpack(&packed, &err)
                                                            : NULL;
}

/* Registrations of a program (clang's HIPFatBinary). */
struct registered {
    uint32_t magic, version;
    const void *binary, *unused;
};

/* A program registers each of its bundles once. */
__attribute__((visibility("default"))) void **__hipRegisterFatBinary(const struct registered *given)
{
    void **(*registers)(const struct registered *);
    *(void **)&registers = next("__hipRegisterFatBinary");
    if (!registers)
        return NULL;
    const void *code = given ? unpacked(given->binary, SIZE_MAX) : NULL;
    struct registered *copy = code ? malloc(sizeof *copy) : NULL;
    if (!copy)
        return registers(given);
    *copy = *given;
    copy->binary = code;
    return registers(copy);
}

/* ---- modules ---- */

/* See modules.h. */
static int explain(const char *by, const char *path, const void *image, int result)
{
    __typeof__(&wavetrap_module) module;
    *(void **)&module = wt_loaded_function("libhsakmt.so.1", "wavetrap_module");
    if (module)
        module(by, path, image, result);
    return result;
}

#define LOADS(name, parameters, ...)                                                               \
    __attribute__((visibility("default"))) int name parameters                                     \
    {                                                                                              \
        int(*load) parameters;                                                                     \
        *(void **)&load = next(#name);                                                             \
        if (!load)                                                                                 \
            return NO_HIP;                                                                         \
        const void *code = unpacked(image, SIZE_MAX);                                              \
        image = code ? code : image;                                                               \
        explain(#name, NULL, image, 0);                                                            \
        const int result = load(__VA_ARGS__);                                                      \
        return result ? explain(#name, NULL, image, result) : result;                              \
    }
LOADS(hipModuleLoadData, (void **module, const void *image), module, image)
LOADS(hipModuleLoadDataEx,
      (void **module, const void *image, unsigned count, int *options, void **values), module,
      image, count, options, values)

__attribute__((visibility("default"))) int hipModuleLoad(void **module, const char *path)
{
    int (*load)(void **, const char *);
    char first[4];
    uint8_t *file;
    size_t size;
    *(void **)&load = next("hipModuleLoad");
    if (!load)
        return NO_HIP;
    if (path && wt_file_begin(path, first, sizeof first) == sizeof first &&
        memcmp(first, "CCOB", sizeof first) == 0 &&
        wt_file_read(path, &file, &size, WT_IGNORED) == WT_OK) {
        const void *code = unpacked(file, size);
        free(file);
        if (code)
            return hipModuleLoadData(module, code);
    }
    if (path)
        explain("hipModuleLoad", path, NULL, 0);
    const int result = load(module, path);
    return result && path ? explain("hipModuleLoad", path, NULL, result) : result;
}
