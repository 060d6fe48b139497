/*
 * Fuzz target: sequences of calls of the CUDA driver API, beside a model: what each allocation
 * holds, to which context each object belongs, and whether a kernel has failed in that context.
 * Handles are live ones or NULL: what a program does with others is not defined.
 */
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cuda/context.h"
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

/* NOBODY: an owner that is not a context. */
enum { MOST = 8, LARGEST = 2000, CALLS = 200, NOBODY = MOST };

struct input {
    const uint8_t *at, *end;
};

struct world {
    struct {
        CUdeviceptr at;
        uint8_t bytes[LARGEST];
        size_t size;    /* 0: none */
        unsigned owner; /* a number in `context`, as below; NOBODY: it is of the device's pool */
    } memory[MOST];
    CUmodule module[MOST];
    unsigned module_owner[MOST];
    bool placed[MOST]; /* its variable is the program's */
    bool registered;   /* the program's memory for such variables */
    unsigned registered_owner;
    CUcontext context[MOST];
    bool failed[MOST];
    bool refused;              /* a kernel has failed: there are no new contexts */
    unsigned stack[64], depth; /* of current contexts: numbers in `context` */
    CUstream stream[MOST];
    CUevent event[MOST];
    bool recorded[MOST];
    CUarray array[MOST];
    CUtexObject texture[MOST];
    unsigned stream_owner[MOST], event_owner[MOST], array_owner[MOST], texture_owner[MOST];
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

/* The thread's context. */
static unsigned current(const struct world *w)
{
    return w->depth ? w->stack[w->depth - 1] : NOBODY;
}

/* What a call in a context gives, before it looks at its other arguments. */
static CUresult state_in(const struct world *w, unsigned context)
{
    if (context == NOBODY)
        return CUDA_ERROR_INVALID_CONTEXT;
    return w->failed[context] ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

/* What a call gives that names no object. */
static CUresult state_of(const struct world *w)
{
    return state_in(w, current(w));
}

/* The context of a call that gives work to stream @p i: NULL is the default stream of the thread's.
 */
static unsigned stream_context(const struct world *w, unsigned i)
{
    return w->stream[i] ? w->stream_owner[i] : current(w);
}

/* That of a call that names memory @p i. */
static unsigned memory_context(const struct world *w, unsigned i)
{
    return w->memory[i].size && w->memory[i].owner != NOBODY ? w->memory[i].owner : current(w);
}

static CUresult or_state(const struct world *w, CUresult wanted)
{
    const CUresult state = state_of(w);
    return state ? state : wanted;
}

/* ---- memory ---- */

/* A new context, which there is only once the failure of a kernel is forgotten. */
static void create(struct world *w, CUcontext *context)
{
    if (w->refused)
        expect(cuCtxCreate(context, 0, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
    context_forget_failures();
    w->refused = false;
    expect(cuCtxCreate(context, 0, 0), CUDA_SUCCESS);
}

/* Writes an allocation's bytes, in a context of its own, where the thread's has failed. */
static void fill_anew(struct world *w, unsigned i)
{
    CUcontext fresh;
    create(w, &fresh);
    expect(cuMemcpyHtoD(w->memory[i].at, w->memory[i].bytes, w->memory[i].size), CUDA_SUCCESS);
    expect(cuCtxDestroy(fresh), CUDA_SUCCESS);
}

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
    case 0: {
        if (size)
            return;
        const bool pool = value & 1;
        const CUresult state = pool ? state_in(w, stream_context(w, i)) : state_of(w);
        size = 1 + (offset + length) % (LARGEST - 1);
        expect(pool ? cuMemAllocAsync(&w->memory[i].at, size, w->stream[i])
                    : cuMemAlloc(&w->memory[i].at, size),
               state);
        if (state)
            return;
        w->memory[i].size = size;
        w->memory[i].owner = pool ? NOBODY : current(w);
        memset(w->memory[i].bytes, value, size);
        expect(cuMemsetD8Async(w->memory[i].at, value, size, w->stream[i]),
               state_in(w, stream_context(w, i)));
        if (state_in(w, stream_context(w, i)))
            fill_anew(w, i);
        return;
    }
    case 1: {
        const bool in_stream = size && value & 1;
        const unsigned c = in_stream ? stream_context(w, i) : memory_context(w, i);
        const CUresult state = !size && c == NOBODY ? CUDA_SUCCESS : state_in(w, c);
        expect(in_stream ? cuMemFreeAsync(w->memory[i].at, w->stream[i])
                         : cuMemFree(size ? w->memory[i].at : 0),
               state);
        if (!state)
            w->memory[i].size = 0;
        return;
    }
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
            const CUresult state = state_in(w, stream_context(w, i));
            const size_t rows = length / 5 * 5;
            expect(cuMemsetD2D8(at, 5, value, 5, length / 5), or_state(w, wanted));
            expect(cuMemsetD8Async(at + rows, value, length % 5, w->stream[i]), state);
            memset(w->memory[i].bytes + offset, value, state_of(w) ? 0 : rows);
            memset(w->memory[i].bytes + offset + rows, value, state ? 0 : length % 5);
            return;
        }
        expect(cuMemsetD8(at, value, length), or_state(w, wanted));
        if (!or_state(w, wanted) && length)
            memset(w->memory[i].bytes + offset, value, length);
        return;
    default: {
        CUdeviceptr base = 0;
        size_t range = 0;
        const bool there = offset < size;
        const CUresult state = there ? state_in(w, memory_context(w, i)) : state_of(w);
        expect(cuMemGetAddressRange(&base, &range, at),
               state || there ? state : CUDA_ERROR_NOT_FOUND);
        if (!state && there && (base != w->memory[i].at || range != size))
            abort();
        const bool judged = there || (state && state != CUDA_ERROR_INVALID_CONTEXT);
        expect(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at),
               judged ? state : CUDA_ERROR_INVALID_VALUE);
        if (!state && there && base != w->memory[i].at)
            abort();
    }
    }
}

/* ---- contexts ---- */

/* Context @p c has ended, and all that was its own with it. */
static void forget_context(struct world *w, unsigned c)
{
    w->context[c] = NULL;
    w->failed[c] = false;
    w->registered &= w->registered_owner != c;
    for (unsigned i = 0; i < MOST; i++) {
        if (w->memory[i].owner == c)
            w->memory[i].size = 0;
        if (w->module_owner[i] == c)
            w->module[i] = NULL, w->placed[i] = false;
        if (w->stream_owner[i] == c)
            w->stream[i] = NULL;
        if (w->event_owner[i] == c)
            w->event[i] = NULL, w->recorded[i] = false;
        if (w->array_owner[i] == c)
            w->array[i] = NULL;
        if (w->texture_owner[i] == c)
            w->texture[i] = 0;
    }
}

static void context(struct world *w, struct input *in)
{
    const unsigned i = next(in) % MOST, which = next(in) % 4;
    if (which == 0 && !w->context[i] && w->depth < 60) {
        create(w, &w->context[i]);
        w->stack[w->depth++] = i;
    } else if (which == 1 && w->context[i] && w->depth < 60) {
        expect(cuCtxPushCurrent(w->context[i]), CUDA_SUCCESS);
        w->stack[w->depth++] = i;
    } else if (which == 2) {
        expect(cuCtxPopCurrent(NULL), w->depth ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT);
        w->depth -= w->depth > 0;
    } else if (which == 3 && w->context[i]) {
        unsigned uses = 0;
        for (unsigned k = 0; k < w->depth; k++)
            uses += w->stack[k] == i;
        if (uses > (current(w) == i))
            return; /* what is left of it on the stack is not defined */
        expect(cuCtxDestroy(w->context[i]), CUDA_SUCCESS);
        forget_context(w, i);
        w->depth -= uses;
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
    w->module_owner[i] = current(w);
    CUfunction f;
    if (w->module[i])
        expect(cuModuleGetFunction(&f, w->module[i], "fill"), CUDA_SUCCESS);
}

/* A module whose variable is to be the program's: with its initial value, unless another one has it
 * there. */
static void with_symbols(struct world *w, struct input *in, unsigned i)
{
    static uint32_t here[1024] __attribute__((aligned(4096)));
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
    if (!w->registered) {
        expect(cuMemHostRegister(here, sizeof here, 0), CUDA_SUCCESS);
        w->registered = true;
        w->registered_owner = current(w);
    }
    here[0] = which;
    if (name > 2 || place == 1 || (name < 2 && place == 2)) {
        expect(cuModuleLoadDataEx(&w->module[i], text, 3, options, values),
               CUDA_ERROR_INVALID_VALUE);
        return;
    }
    expect(cuModuleLoadDataEx(&w->module[i], text, 3, options, values), CUDA_SUCCESS);
    w->module_owner[i] = current(w);
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
        w->module_owner[i] = current(w);
    } else if (which == 1) {
        expect(cuModuleLoadData(&none, bad), or_state(w, CUDA_ERROR_INVALID_PTX));
    } else if (which == 2 && w->module[i]) {
        const CUresult state = state_in(w, w->module_owner[i]);
        expect(cuModuleUnload(w->module[i]), state);
        if (!state) {
            w->module[i] = NULL;
            w->placed[i] = false;
        }
    } else if (which == 3 && !w->module[i]) {
        linked(w, in, i);
    }
}

/* The result of all that was launched in a context. */
static CUresult result_in(const struct world *w, unsigned context)
{
    expect(cuCtxPushCurrent(w->context[context]), CUDA_SUCCESS);
    const CUresult result = cuCtxSynchronize();
    expect(cuCtxPopCurrent(NULL), CUDA_SUCCESS);
    return result;
}

/* Launches into the default stream or into a stream, which is to be of the module's context. */
static void launch(struct world *w, struct input *in)
{
    const unsigned m = next(in) % MOST, i = next(in) % MOST, offset = next(in) * 7u;
    unsigned count = next(in), value = next(in), threads = 1 + next(in) * 5u;
    const unsigned owner = w->module_owner[m];
    CUfunction f;
    if (!w->module[m] || !w->memory[i].size)
        return;
    CUdeviceptr at = w->memory[i].at + offset;
    CUstream stream = value & 1 ? w->stream[i] : NULL;
    void *arguments[] = {&at, &count, &value};
    expect(cuModuleGetFunction(&f, w->module[m], "fill"), state_in(w, owner));
    if (state_in(w, owner))
        return;
    CUresult wanted = threads > 1024 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    if (stream && state_in(w, w->stream_owner[i]))
        wanted = state_in(w, w->stream_owner[i]);
    else if (stream && w->stream_owner[i] != owner)
        wanted = CUDA_ERROR_INVALID_HANDLE;
    expect(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, stream, arguments, NULL), wanted);
    if (wanted)
        return;
    const size_t stores = count < threads ? count : threads;
    const CUresult result = result_in(w, owner);
    /* Behind the allocation, up to the end of its page, nothing tells. */
    if (offset + stores <= w->memory[i].size) {
        memset(w->memory[i].bytes + offset, (int)value, stores);
        expect(result, CUDA_SUCCESS);
        return;
    }
    if (result && result != CUDA_ERROR_ILLEGAL_ADDRESS)
        abort();
    w->failed[owner] = w->refused = result != CUDA_SUCCESS;
    /* How far it came is not defined: a context that has not failed tells. */
    CUcontext fresh;
    create(w, &fresh);
    expect(cuMemcpyDtoH(w->memory[i].bytes, w->memory[i].at, w->memory[i].size), CUDA_SUCCESS);
    expect(cuCtxDestroy(fresh), CUDA_SUCCESS);
}

/* ---- streams, events, arrays, textures ---- */

/*
 * What a call about event @p i in stream @p k gives. To be recorded, both are of one context; an
 * event of any context can be waited for. Without a context of the thread's, the default stream is
 * that of the event's.
 */
static CUresult of_event_in_stream(const struct world *w, unsigned i, unsigned k, bool same)
{
    const unsigned owner = w->event_owner[i];
    const unsigned in = stream_context(w, k) == NOBODY ? owner : stream_context(w, k);
    if (w->stream[k] && state_in(w, in))
        return state_in(w, in);
    if (!w->event[i])
        return w->stream[k] ? CUDA_ERROR_INVALID_HANDLE : or_state(w, CUDA_ERROR_INVALID_HANDLE);
    if (same && in != owner)
        return CUDA_ERROR_INVALID_HANDLE;
    return state_in(w, in);
}

static void objects(struct world *w, struct input *in)
{
    const unsigned i = next(in) % MOST, which = next(in) % 6;
    float time;
    switch (which) {
    case 0:
        if (w->stream[i])
            expect(cuStreamDestroy(w->stream[i]), state_in(w, w->stream_owner[i])),
                w->stream[i] = NULL;
        else
            expect(cuStreamCreate(&w->stream[i], 0), state_of(w)), w->stream_owner[i] = current(w);
        return;
    case 1:
        if (w->event[i])
            expect(cuEventDestroy(w->event[i]), state_in(w, w->event_owner[i])), w->event[i] = NULL;
        else
            expect(cuEventCreate(&w->event[i], 0), state_of(w)), w->event_owner[i] = current(w);
        w->recorded[i] = false;
        return;
    case 2: {
        const unsigned k = next(in) % MOST;
        const CUresult wanted = of_event_in_stream(w, i, k, true);
        expect(cuEventRecord(w->event[i], w->stream[k]), wanted);
        w->recorded[i] |= !wanted;
        expect(cuStreamWaitEvent(w->stream[k], w->event[i], 0), of_event_in_stream(w, i, k, false));
        expect(cuEventSynchronize(w->event[i]),
               w->event[i] ? state_in(w, w->event_owner[i]) : CUDA_ERROR_INVALID_HANDLE);
        return;
    }
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
                   or_state(w, what.Width ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE)),
                w->array_owner[i] = current(w);
        return;
    }
    default: {
        const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                             .res.array.hArray = w->array[i]};
        const CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_LINEAR};
        if (!w->texture[i]) {
            expect(cuTexObjectCreate(&w->texture[i], &resource, &how, NULL),
                   or_state(w, w->array[i] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE));
            w->texture_owner[i] = current(w);
        } else {
            expect(cuTexObjectDestroy(w->texture[i]), state_of(w));
            if (!state_of(w))
                w->texture[i] = 0;
        }
    }
    }
}

/* Gives everything back, what is of failed contexts with them, and sees that the device has it. */
static void end(struct world *w)
{
    CUcontext last;
    size_t left, all;
    create(w, &last);
    for (unsigned i = 0; i < MOST; i++) {
        if (w->memory[i].size) {
            uint8_t bytes[LARGEST];
            expect(cuMemcpyDtoH(bytes, w->memory[i].at, w->memory[i].size), CUDA_SUCCESS);
            if (memcmp(bytes, w->memory[i].bytes, w->memory[i].size) != 0)
                abort();
            expect(cuMemFree(w->memory[i].at),
                   w->memory[i].owner == NOBODY ? CUDA_SUCCESS : state_in(w, w->memory[i].owner));
        }
        if (w->module[i])
            expect(cuModuleUnload(w->module[i]), state_in(w, w->module_owner[i]));
        if (w->stream[i])
            expect(cuStreamDestroy(w->stream[i]), state_in(w, w->stream_owner[i]));
        if (w->event[i])
            expect(cuEventDestroy(w->event[i]), state_in(w, w->event_owner[i]));
        if (w->texture[i])
            expect(cuTexObjectDestroy(w->texture[i]), CUDA_SUCCESS);
        if (w->array[i])
            expect(cuArrayDestroy(w->array[i]), CUDA_SUCCESS);
    }
    for (unsigned i = 0; i < MOST; i++)
        if (w->context[i])
            expect(cuCtxDestroy(w->context[i]), CUDA_SUCCESS);
    expect(cuMemGetInfo(&left, &all), CUDA_SUCCESS);
    if (left != all)
        abort();
    expect(cuCtxDestroy(last), CUDA_SUCCESS);
    for (; w->depth; w->depth--)
        expect(cuCtxPopCurrent(NULL), CUDA_SUCCESS);
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
        create(w, &w->context[0]);
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
