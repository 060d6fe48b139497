/* libcuda: the linker ("CUDA Driver API": 6.11). It links PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "runtime/cuda/image.h"
#include "runtime/cuda/jit_log.h"
#include "runtime/cuda/state.h"

struct CUlinkState_st {
    struct gpu_module module; /* its texts, parsed: mistakes are found early, text by text */
    char *blob;
    size_t length, room;
    bool has_failed; /* an input had a mistake */
    struct jit_log log;
    struct CUlinkState_st *next;
};

static struct CUlinkState_st *states; /* all there are; under the lock */

const struct gpu_module *linker_module(const void *image)
{
    const struct CUlinkState_st *s = states;
    while (s && s->blob != image)
        s = s->next;
    return s ? &s->module : NULL;
}

/* Takes the lock for a call that names a state. */
static CUresult enter(CUlinkState s, struct gpu **gpu)
{
    const CUresult result = state_enter(gpu);
    const struct CUlinkState_st *other = states;
    if (result)
        return result;
    while (other && other != s)
        other = other->next;
    return other ? CUDA_SUCCESS : state_leave(CUDA_ERROR_INVALID_HANDLE);
}

static bool append(CUlinkState s, const void *bytes, size_t length)
{
    char *grown = wt_array_grow(s->blob, &s->room, s->length + length + 1, 1);
    if (!grown)
        return false;
    s->blob = grown;
    memcpy(s->blob + s->length, bytes, length);
    s->length += length;
    s->blob[s->length] = 0;
    return true;
}

API_IN(state_enter(&g), cuLinkCreate_v2, "%u, %p, %p, *%p", (unsigned, count),
       (CUjit_option *, options), (void **, values), (CUlinkState *, state, HANDLE(state)))
{
    if (!state || jit_log_lacks(count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    struct CUlinkState_st *s = calloc(1, sizeof *s);
    if (!s || !append(s, IMAGE_BLOB, strlen(IMAGE_BLOB))) {
        free(s);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    jit_log_find(count, options, values, &s->log);
    s->next = states;
    *state = states = s;
    return CUDA_SUCCESS;
}

/* An input of the linker. Its texts are called by its name in messages. */
struct input {
    CUlinkState s;
    const char *name; /* the program's; NULL: its number among the inputs */
    bool is_too_new;  /* a text is of a version that the driver does not take */
    bool is_text;     /* at least one text was found in it */
    bool duplicate;   /* a text defines what another input defines */
};

static enum wt_status add_text(void *context, const char *name, const char *text, size_t length,
                               struct wt_error *err)
{
    struct input *input = context;
    CUlinkState s = input->s;
    enum wt_status status;
    char header[24], number[32];
    input->is_text = true;
    if ((input->is_too_new = image_is_too_new(name, text, length, err)))
        return WT_INVALID;
    snprintf(number, sizeof number, "input %zu", s->module.count + 1);
    if ((status = gpu_module_add(&s->module, input->name ? name : number, text, length, err)) !=
            WT_OK ||
        (status = gpu_module_check(&s->module, &input->duplicate, err)) != WT_OK)
        return status;
    snprintf(header, sizeof header, "%zu\n", length);
    return length == 0 || (append(s, header, strlen(header)) && append(s, text, length))
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

/* An input says itself what it is; its type only has to be one. */
static bool is_known(CUjitInputType type)
{
    return type <= CU_JIT_INPUT_NVVM;
}

static CUresult add(const struct gpu *g, CUlinkState s, const void *data, size_t size,
                    const char *name)
{
    struct wt_error err;
    struct input input = {.s = s, .name = name};
    CUresult result = CUDA_ERROR_INVALID_PTX;
    const enum wt_status status =
        image_each_text(g, data, size, name ? name : "", add_text, &input, &err);
    if (!status)
        return CUDA_SUCCESS;
    s->has_failed = true;
    if (status == WT_NO_MEMORY)
        result = CUDA_ERROR_OUT_OF_MEMORY;
    else if (input.is_too_new)
        result = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    else if (input.duplicate)
        result = CUDA_ERROR_INVALID_SOURCE;
    else if (status == WT_UNSUPPORTED && !input.is_text)
        result = CUDA_ERROR_NO_BINARY_FOR_GPU;
    return jit_log_mistake(&s->log, result, &err);
}

/* An input with a log of its own writes there. */
static CUresult add_logged(const struct gpu *g, CUlinkState s, const void *data, size_t size,
                           const char *name, unsigned count, CUjit_option *options, void **values)
{
    struct jit_log own, all = s->log;
    jit_log_find(count, options, values, &own);
    if (own.error.text)
        s->log = own;
    jit_log_begin(&s->log);
    const CUresult result = add(g, s, data, size, name);
    jit_log_end(&s->log);
    if (own.error.text)
        s->log = all;
    return result;
}

API_IN(enter(s, &g), cuLinkAddData_v2, "%p, %d, %p, %zu, \"%s\", %u, %p, %p", (CUlinkState, s),
       (CUjitInputType, type), (void *, data), (size_t, size),
       (const char *, name, name ? name : "(null)"), (unsigned, count), (CUjit_option *, options),
       (void **, values))
{
    if (!data || !is_known(type) || jit_log_lacks(count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    return add_logged(g, s, data, size, name, count, options, values);
}

API_IN(enter(s, &g), cuLinkAddFile_v2, "%p, %d, \"%s\", %u, %p, %p", (CUlinkState, s),
       (CUjitInputType, type), (const char *, path, path ? path : "(null)"), (unsigned, count),
       (CUjit_option *, options), (void **, values))
{
    struct wt_error err;
    uint8_t *bytes;
    size_t length;
    CUresult result = CUDA_SUCCESS;
    if (!path || !is_known(type) || jit_log_lacks(count, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    if (wt_file_read(path, &bytes, &length, &err) != WT_OK)
        return jit_log_mistake(&s->log, CUDA_ERROR_FILE_NOT_FOUND, &err);
    result = add_logged(g, s, bytes, length, path, count, options, values);
    free(bytes);
    return result;
}

static void inform(void *log, const struct sm_ptx *image)
{
    jit_log_kernels(log, image);
}

/* An input that was refused leaves the state without what it defines: linking goes no further. */
static CUresult complete(CUlinkState s)
{
    struct wt_error err;
    enum wt_status status;
    if (s->has_failed)
        status = wt_fail(&err, WT_INVALID, "an input of the linker had a mistake: see above");
    else
        status = gpu_module_check_all(&s->module, inform, &s->log, &err);
    return status == WT_OK ? CUDA_SUCCESS
                           : jit_log_mistake(&s->log,
                                             status == WT_NO_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                                                    : CUDA_ERROR_INVALID_SOURCE,
                                             &err);
}

API_IN(enter(s, &g), cuLinkComplete, "%p, %p, *%llu", (CUlinkState, s), (void **, cubin),
       (size_t *, size, RESULT(size)))
{
    CUresult result = CUDA_SUCCESS;
    if (!cubin)
        return CUDA_ERROR_INVALID_VALUE;
    jit_log_begin(&s->log);
    result = complete(s);
    jit_log_end(&s->log);
    if (result)
        return result;
    *cubin = s->blob;
    if (size)
        *size = s->length + 1;
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuLinkDestroy, "%p", (CUlinkState, s))
{
    struct CUlinkState_st **at = &states;
    while (*at && *at != s)
        at = &(*at)->next;
    if (!s || !*at)
        return CUDA_ERROR_INVALID_HANDLE;
    *at = s->next;
    gpu_module_free(NULL, &s->module); /* it was not loaded */
    free(s->blob);
    free(s);
    return CUDA_SUCCESS;
}
