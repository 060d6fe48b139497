/*
 * Fuzz target: sequences of calls of the CUDA driver API, beside a model: what each allocation
 * holds, whether a context is there and whether a kernel has failed in it. Handles are live ones or
 * NULL: what a program does with others is not defined.
 */
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wavetrap/cuda.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char text[] = ".version 8.0\n.target sm_50\n.address_size 64\n"
                     ".visible .global .align 4 .u32 counter = 5;\n"
                     ".visible .entry fill(.param .u64 p, .param .u32 n, .param .u32 v)\n{\n"
                     "  .reg .b64 %a, %b; .reg .b32 %i, %n, %v; .reg .pred %q;\n"
                     "  ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; ld.param.u32 %v, [v];\n"
                     "  mov.u32 %i, %tid.x; setp.ge.u32 %q, %i, %n; @%q ret;\n"
                     "  cvt.u64.u32 %b, %i; add.u64 %a, %a, %b; st.global.u8 [%a], %v; ret;\n}\n";
static char bad[] = ".version 8.0\n.target sm_50\n.entry k()\n{\n  foo.u32 %r;\n}\n";

enum { MOST = 8, LARGEST = 2000, CALLS = 200 };

struct input {
    const uint8_t *at, *end;
};

struct world {
    struct {
        CUdeviceptr at;
        uint8_t bytes[LARGEST];
        size_t size; /* 0: none */
    } memory[MOST];
    CUmodule module[MOST];
    bool placed[MOST]; /* its variable is the program's */
    CUcontext context[MOST];
    bool failed[MOST];
    unsigned stack[64], depth; /* of current contexts: numbers in `context` */
    CUstream stream[MOST];
    CUevent event[MOST];
    bool recorded[MOST];
    CUarray array[MOST];
    CUtexObject texture[MOST];
    CUlinkState link[MOST];
};

static unsigned next(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static void expect(CUresult got, CUresult wanted)
{
    if (got != wanted)
        abort();
}

/* What a call that needs a context gives, before it looks at its arguments. */
static CUresult state_of(const struct world *w)
{
    if (!w->depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    return w->failed[w->stack[w->depth - 1]] ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

static CUresult or_state(const struct world *w, CUresult wanted)
{
    const CUresult state = state_of(w);
    return state ? state : wanted;
}

/* ---- memory ---- */

static void memory(struct world *w, struct input *in, unsigned which)
{
    const unsigned i = next(in) % MOST;
    uint8_t bytes[LARGEST];
    size_t size = w->memory[i].size, offset = next(in) * 7u, length = next(in) * 7u;
    const bool inside = size && offset < size && length <= size - offset;
    const CUdeviceptr at = w->memory[i].at + offset;
    CUresult wanted = inside || !length ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    const uint8_t value = (uint8_t)next(in);
    if (!size && which > 1)
        return;
    switch (which) {
    case 0:
        if (size)
            return;
        size = 1 + (offset + length) % (LARGEST - 1);
        expect(value & 1 ? cuMemAllocAsync(&w->memory[i].at, size, w->stream[i])
                         : cuMemAlloc(&w->memory[i].at, size),
               or_state(w, CUDA_SUCCESS));
        if (state_of(w))
            return;
        memset(w->memory[i].bytes, value, size);
        expect(cuMemcpyHtoD(w->memory[i].at, w->memory[i].bytes, size), CUDA_SUCCESS);
        w->memory[i].size = size;
        return;
    case 1:
        expect(size && value & 1 ? cuMemFreeAsync(w->memory[i].at, w->stream[i])
                                 : cuMemFree(size ? w->memory[i].at : 0),
               state_of(w));
        if (!state_of(w))
            w->memory[i].size = 0;
        return;
    case 2:
        memset(bytes, value, sizeof bytes);
        expect(cuMemcpyHtoD(at, bytes, length), or_state(w, wanted));
        if (!or_state(w, wanted) && length)
            memset(w->memory[i].bytes + offset, value, length);
        return;
    case 3:
        expect(cuMemcpyDtoH(bytes, at, length), or_state(w, wanted));
        if (!or_state(w, wanted) && length &&
            memcmp(bytes, w->memory[i].bytes + offset, length) != 0)
            abort();
        return;
    case 4:
        /* Rows of 5 bytes without a gap, then the bytes of the last row, which is shorter. */
        if (value & 1 && inside) {
            expect(cuMemsetD2D8(at, 5, value, 5, length / 5), or_state(w, wanted));
            expect(cuMemsetD8Async(at + length / 5 * 5, value, length % 5, w->stream[i]),
                   or_state(w, wanted));
        } else {
            expect(cuMemsetD8(at, value, length), or_state(w, wanted));
        }
        if (!or_state(w, wanted) && length)
            memset(w->memory[i].bytes + offset, value, length);
        return;
    default: {
        CUdeviceptr base = 0;
        size_t range = 0;
        const bool there = offset < size;
        expect(cuMemGetAddressRange(&base, &range, at),
               or_state(w, there ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND));
        if (!state_of(w) && there && (base != w->memory[i].at || range != size))
            abort();
        expect(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at),
               or_state(w, there ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE));
        if (!state_of(w) && there && base != w->memory[i].at)
            abort();
    }
    }
}

/* ---- contexts ---- */

static void forget_context(struct world *w, unsigned i)
{
    w->context[i] = NULL;
    w->failed[i] = false;
}

static void context(struct world *w, struct input *in)
{
    const unsigned i = next(in) % MOST, which = next(in) % 4;
    if (which == 0 && !w->context[i] && w->depth < 60) {
        expect(cuCtxCreate(&w->context[i], 0, 0), CUDA_SUCCESS);
        w->stack[w->depth++] = i;
    } else if (which == 1 && w->context[i] && w->depth < 60) {
        expect(cuCtxPushCurrent(w->context[i]), CUDA_SUCCESS);
        w->stack[w->depth++] = i;
    } else if (which == 2) {
        expect(cuCtxPopCurrent(NULL), w->depth ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT);
        w->depth -= w->depth > 0;
    } else if (which == 3 && w->depth && w->stack[w->depth - 1] == i) {
        unsigned uses = 0;
        for (unsigned k = 0; k < w->depth; k++)
            uses += w->stack[k] == i;
        if (uses > 1)
            return; /* what is left of it on the stack is not defined */
        expect(cuCtxDestroy(w->context[i]), CUDA_SUCCESS);
        forget_context(w, i);
        w->depth--;
    }
}

/* ---- modules and kernels ---- */

static void linked(struct world *w, struct input *in, unsigned i)
{
    void *image;
    CUlinkState state;
    const unsigned count = next(in) % 3;
    const bool wrong = next(in) % 4 == 0 && count;
    expect(cuLinkCreate(0, NULL, NULL, &state), state_of(w));
    if (state_of(w))
        return;
    if (count)
        expect(cuLinkAddData(state, 1, wrong ? bad : text, strlen(wrong ? bad : text) + 1, "t", 0,
                             NULL, NULL),
               wrong ? CUDA_ERROR_INVALID_PTX : CUDA_SUCCESS);
    if (wrong) { /* told again */
        expect(cuLinkComplete(state, &image, NULL), CUDA_ERROR_INVALID_SOURCE);
        expect(cuLinkDestroy(state), CUDA_SUCCESS);
        return;
    }
    expect(cuLinkComplete(state, &image, NULL), CUDA_SUCCESS);
    expect(cuModuleLoadData(&w->module[i], image), count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE);
    expect(cuLinkDestroy(state), CUDA_SUCCESS);
    CUfunction f;
    if (w->module[i])
        expect(cuModuleGetFunction(&f, w->module[i], "fill"), CUDA_SUCCESS);
}

/* A module whose variable is to be the program's: with its initial value, unless another one has it
 * there. */
static void with_symbols(struct world *w, struct input *in, unsigned i)
{
    static uint32_t here[1024] __attribute__((aligned(4096)));
    static bool registered;
    static const char *const names[] = {"counter", "counter", "unknown", "no name", ""};
    const unsigned which = next(in), name = which % 5, place = which / 5 % 3;
    const char *list[] = {names[name], "counter"};
    void *addresses[] = {place == 0 ? here : place == 1 ? NULL : (void *)0x1000, here};
    CUjit_option options[] = {CU_JIT_GLOBAL_SYMBOL_NAMES, CU_JIT_GLOBAL_SYMBOL_ADDRESSES,
                              CU_JIT_GLOBAL_SYMBOL_COUNT};
    void *values[] = {list, addresses, (void *)1};
    bool there = false;
    for (unsigned k = 0; k < MOST; k++)
        there |= w->placed[k];
    if (state_of(w)) {
        expect(cuModuleLoadDataEx(&w->module[i], text, 3, options, values), state_of(w));
        return;
    }
    if (!registered)
        expect(cuMemHostRegister(here, sizeof here, 0), CUDA_SUCCESS);
    registered = true;
    here[0] = which;
    if (name > 2 || place == 1 || (name < 2 && place == 2)) {
        expect(cuModuleLoadDataEx(&w->module[i], text, 3, options, values),
               CUDA_ERROR_INVALID_VALUE);
        return;
    }
    expect(cuModuleLoadDataEx(&w->module[i], text, 3, options, values), CUDA_SUCCESS);
    w->placed[i] = name < 2;
    CUdeviceptr at;
    size_t size;
    expect(cuModuleGetGlobal(&at, &size, w->module[i], "counter"), CUDA_SUCCESS);
    if (size != 4 || (at == (uintptr_t)here) != w->placed[i] ||
        here[0] != (w->placed[i] && !there ? 5 : which))
        abort();
}

static void module(struct world *w, struct input *in)
{
    const unsigned i = next(in) % MOST, choice = next(in), which = choice % 4;
    CUmodule none;
    if (which == 0 && choice >= 128 && !w->module[i]) {
        with_symbols(w, in, i);
    } else if (which == 0 && !w->module[i]) {
        expect(cuModuleLoadData(&w->module[i], text), state_of(w));
    } else if (which == 1) {
        expect(cuModuleLoadData(&none, bad), or_state(w, CUDA_ERROR_INVALID_PTX));
    } else if (which == 2 && w->module[i]) {
        expect(cuModuleUnload(w->module[i]), state_of(w));
        if (!state_of(w)) {
            w->module[i] = NULL;
            w->placed[i] = false;
        }
    } else if (which == 3 && !w->module[i]) {
        linked(w, in, i);
    }
}

static void launch(struct world *w, struct input *in)
{
    const unsigned m = next(in) % MOST, i = next(in) % MOST, offset = next(in) * 7u;
    unsigned count = next(in), value = next(in), threads = 1 + next(in) * 5u;
    CUfunction f;
    if (!w->module[m] || !w->memory[i].size || state_of(w))
        return;
    CUdeviceptr at = w->memory[i].at + offset;
    void *arguments[] = {&at, &count, &value};
    expect(cuModuleGetFunction(&f, w->module[m], "fill"), CUDA_SUCCESS);
    if (threads > 1024) {
        expect(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL),
               CUDA_ERROR_INVALID_VALUE);
        return;
    }
    expect(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
    const size_t stores = count < threads ? count : threads;
    /* Behind the allocation, up to the end of its page, nothing tells. */
    if (offset + stores <= w->memory[i].size) {
        memset(w->memory[i].bytes + offset, (int)value, stores);
        expect(cuCtxSynchronize(), CUDA_SUCCESS);
        return;
    }
    const CUresult result = cuCtxSynchronize();
    if (result && result != CUDA_ERROR_ILLEGAL_ADDRESS)
        abort();
    w->failed[w->stack[w->depth - 1]] = result != CUDA_SUCCESS;
    /* How far it came is not defined: a context that has not failed tells. */
    CUcontext fresh;
    expect(cuCtxCreate(&fresh, 0, 0), CUDA_SUCCESS);
    expect(cuMemcpyDtoH(w->memory[i].bytes, w->memory[i].at, w->memory[i].size), CUDA_SUCCESS);
    expect(cuCtxDestroy(fresh), CUDA_SUCCESS);
}

/* ---- streams, events, arrays, textures ---- */

static void objects(struct world *w, struct input *in)
{
    const unsigned i = next(in) % MOST, which = next(in) % 6;
    float time;
    switch (which) {
    case 0:
        if (w->stream[i])
            expect(cuStreamDestroy(w->stream[i]), CUDA_SUCCESS), w->stream[i] = NULL;
        else
            expect(cuStreamCreate(&w->stream[i], 0), state_of(w));
        return;
    case 1:
        if (w->event[i])
            expect(cuEventDestroy(w->event[i]), CUDA_SUCCESS), w->event[i] = NULL;
        else
            expect(cuEventCreate(&w->event[i], 0), state_of(w));
        w->recorded[i] = false;
        return;
    case 2:
        expect(cuEventRecord(w->event[i], w->stream[i]),
               or_state(w, w->event[i] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE));
        w->recorded[i] |= w->event[i] && !state_of(w);
        return;
    case 3: {
        const unsigned k = next(in) % MOST;
        expect(cuEventElapsedTime(&time, w->event[i], w->event[k]),
               w->event[i] && w->event[k] && w->recorded[i] && w->recorded[k]
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_HANDLE);
        return;
    }
    case 4: {
        const CUDA_ARRAY_DESCRIPTOR what = {next(in), next(in), CU_AD_FORMAT_UNSIGNED_INT8, 1};
        if (w->array[i] && !w->texture[i])
            expect(cuArrayDestroy(w->array[i]), CUDA_SUCCESS), w->array[i] = NULL;
        else if (!w->array[i])
            expect(cuArrayCreate(&w->array[i], &what),
                   or_state(w, what.Width ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE));
        return;
    }
    default: {
        const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                             .res.array.hArray = w->array[i]};
        const CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_LINEAR};
        if (!w->texture[i]) {
            expect(cuTexObjectCreate(&w->texture[i], &resource, &how, NULL),
                   or_state(w, w->array[i] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE));
        } else {
            expect(cuTexObjectDestroy(w->texture[i]), state_of(w));
            if (!state_of(w))
                w->texture[i] = 0;
        }
    }
    }
}

/* Gives everything back, and sees that the device has it. */
static void end(struct world *w)
{
    CUcontext last;
    size_t left, all;
    expect(cuCtxCreate(&last, 0, 0), CUDA_SUCCESS);
    for (unsigned i = 0; i < MOST; i++) {
        if (w->memory[i].size) {
            uint8_t bytes[LARGEST];
            expect(cuMemcpyDtoH(bytes, w->memory[i].at, w->memory[i].size), CUDA_SUCCESS);
            if (memcmp(bytes, w->memory[i].bytes, w->memory[i].size) != 0)
                abort();
            expect(cuMemFree(w->memory[i].at), CUDA_SUCCESS);
        }
        if (w->module[i])
            expect(cuModuleUnload(w->module[i]), CUDA_SUCCESS);
        if (w->stream[i])
            expect(cuStreamDestroy(w->stream[i]), CUDA_SUCCESS);
        if (w->event[i])
            expect(cuEventDestroy(w->event[i]), CUDA_SUCCESS);
        if (w->texture[i])
            expect(cuTexObjectDestroy(w->texture[i]), CUDA_SUCCESS);
        if (w->array[i])
            expect(cuArrayDestroy(w->array[i]), CUDA_SUCCESS);
    }
    expect(cuMemGetInfo(&left, &all), CUDA_SUCCESS);
    if (left != all)
        abort();
    expect(cuCtxDestroy(last), CUDA_SUCCESS);
    for (; w->depth; w->depth--)
        expect(cuCtxPopCurrent(NULL), CUDA_SUCCESS);
    for (unsigned i = 0; i < MOST; i++)
        if (w->context[i])
            expect(cuCtxDestroy(w->context[i]), CUDA_SUCCESS);
}

/* The library's reports go nowhere; a sanitizer's go where they should. */
static void quiet(void)
{
    const int own = dup(2), none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (own < 0 || none < 0)
        abort();
    __sanitizer_set_report_fd((void *)(intptr_t)own);
    stderr = fdopen(none, "w");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool begun;
    struct input in = {data, data + size};
    struct world *w = calloc(1, sizeof *w);
    if (!w)
        return 0;
    if (!begun) {
        quiet();
        expect(cuInit(0), CUDA_SUCCESS);
        begun = true;
    }
    if (size && *data != 0xff) { /* most inputs begin with a context */
        expect(cuCtxCreate(&w->context[0], 0, 0), CUDA_SUCCESS);
        w->stack[w->depth++] = 0;
    }
    for (unsigned n = 0; in.at < in.end && n < CALLS; n++) {
        const unsigned which = next(&in) % 12;
        if (which < 6)
            memory(w, &in, which);
        else if (which == 6)
            context(w, &in);
        else if (which == 7)
            module(w, &in);
        else if (which < 10)
            launch(w, &in);
        else
            objects(w, &in);
    }
    end(w);
    free(w);
    return 0;
}
