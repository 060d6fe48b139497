/* Logs of compiler and linker. See jit_log.h. */
#include "runtime/cuda/jit_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

static void set_count(const struct jit_buffer *b)
{
    if (b->count)
        *b->count = (void *)(uintptr_t)b->used;
}

/* A buffer counts with its size only; it is empty so far. */
static void open_buffer(struct jit_buffer *b)
{
    if (!b->text || !b->size)
        b->text = NULL;
    else
        b->text[0] = 0;
    set_count(b);
}

bool jit_log_lacks(unsigned count, const CUjit_option *options, void **values)
{
    return count && (!options || !values);
}

void jit_log_find(unsigned count, const CUjit_option *options, void **values, struct jit_log *log)
{
    *log = (struct jit_log){0};
    for (unsigned i = 0; i < count; i++) {
        struct jit_buffer *b = options[i] < CU_JIT_ERROR_LOG_BUFFER ? &log->info : &log->error;
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
        case CU_JIT_ERROR_LOG_BUFFER:
            b->text = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            b->size = (unsigned)(uintptr_t)values[i];
            b->count = &values[i];
            break;
        case CU_JIT_LOG_VERBOSE:
            log->verbose = (int)(uintptr_t)values[i] != 0;
            break;
        case CU_JIT_WALL_TIME:
            log->wall_time = &values[i];
            break;
        default: /* about how to compile */
            break;
        }
    }
    open_buffer(&log->error);
    open_buffer(&log->info);
    jit_log_end(log);
}

void jit_log_begin(struct jit_log *log)
{
    log->began_ns = wt_clock_ns();
}

void jit_log_end(struct jit_log *log)
{
    if (log->began_ns)
        log->earlier_ns += wt_clock_ns() - log->began_ns;
    log->began_ns = 0;
    const float ms = (float)((double)log->earlier_ns / 1e6);
    if (log->wall_time)
        memcpy(log->wall_time, &ms, sizeof ms);
}

/* Adds a line, with a line feed between two; what has no room is cut off. */
static void add_line(struct jit_buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_line(struct jit_buffer *b, const char *format, ...)
{
    va_list arguments;
    if (!b->text)
        return;
    if (b->used && b->used + 1 < b->size)
        b->text[b->used++] = '\n';
    const size_t room = b->size - b->used;
    va_start(arguments, format);
    const int length = vsnprintf(b->text + b->used, room, format, arguments);
    va_end(arguments);
    b->used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
    set_count(b);
}

CUresult jit_log_mistake(struct jit_log *log, CUresult result, const struct wt_error *err)
{
    if (log->error.text)
        add_line(&log->error, "error: %s", err->text);
    else
        fprintf(stderr, "wavetrap: libcuda: %s\n", err->text);
    return result;
}

void jit_log_kernels(struct jit_log *log, const struct sm_ptx *image)
{
    size_t count;
    const struct sm_ptx_kernel *k = sm_ptx_kernels(image, &count);
    for (size_t i = 0; log->verbose && i < count; i++)
        if (k[i].is_kernel)
            add_line(&log->info,
                     "info: kernel '%.200s': %u bytes of parameters, %u of shared memory, %u of "
                     "local memory",
                     k[i].name, k[i].parameter_bytes, k[i].shared, k[i].local);
}
