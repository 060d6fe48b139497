/* Memory: references to it, reading and writing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/dap/internal.h"

#define MOST_BYTES (4 << 20) /* bytes of an answer */

/* Where a request's reference and offset lead. */
static enum wt_status take_place(struct wt_dap *d, struct json_object *arguments,
                                 struct wt_address *at, wt_thread *thread, struct wt_error *err)
{
    const char *reference;
    int64_t offset = 0;
    enum wt_status status = dap_need_text(arguments, "memoryReference", &reference, err);
    if (!status)
        status = dap_from_reference(d, reference, at, thread, err);
    if (status)
        return status;
    if (!d->g->was_run || (!d->g->started && !d->g->ended))
        wt_program_need_thread(d->g, WT_IGNORED);
    dap_number(arguments, "offset", &offset);
    at->offset += (uint64_t)offset;
    return WT_OK;
}

/* Reads as much as there is, from the beginning on. */
static size_t read_some(struct wt_dap *d, wt_thread thread, struct wt_address at, uint8_t *bytes,
                        size_t size)
{
    size_t done = 0, step = size;
    while (done < size && step) {
        step = step < size - done ? step : size - done;
        if (wt_debugger_read_memory(d->g->debugger, thread, wt_address_plus(at, done), bytes + done,
                                    step, WT_IGNORED) == WT_OK)
            done += step;
        else
            step /= 2;
    }
    return done;
}

enum wt_status dap_read_memory(struct wt_dap *d, struct json_object *arguments,
                               struct json_object **body, struct wt_error *err)
{
    struct wt_address at;
    wt_thread thread;
    int64_t count;
    char text[100];
    enum wt_status status = dap_need_number(arguments, "count", &count, err);
    if (!status)
        status = take_place(d, arguments, &at, &thread, err);
    if (!status && count > MOST_BYTES)
        status = wt_fail(err, WT_INVALID, "at most %d bytes are read at once", MOST_BYTES);
    if (status)
        return status;
    uint8_t *bytes = malloc(count ? (size_t)count : 1);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for %" PRId64 " bytes", count);
    const size_t done = read_some(d, thread, at, bytes, (size_t)count);
    *body = json_object_new_object();
    if (at.space)
        dap_reference(d, at, text, sizeof text);
    else
        snprintf(text, sizeof text, "0x%" PRIx64, at.offset);
    dap_put_text(*body, "address", text);
    if (done < (size_t)count)
        dap_put_number(*body, "unreadableBytes", count - (int64_t)done);
    char *data = done ? dap_base64(bytes, done) : NULL;
    dap_put_text(*body, "data", data);
    free(data);
    free(bytes);
    return WT_OK;
}

enum wt_status dap_write_memory(struct wt_dap *d, struct json_object *arguments,
                                struct json_object **body, struct wt_error *err)
{
    struct wt_address at;
    wt_thread thread;
    const char *data;
    uint8_t *bytes;
    size_t size;
    enum wt_status status = dap_need_text(arguments, "data", &data, err);
    if (!status)
        status = take_place(d, arguments, &at, &thread, err);
    if (!status)
        status = dap_from_base64(data, &bytes, &size, err);
    if (status)
        return status;
    if (size)
        status = wt_debugger_write_memory(d->g->debugger, thread, at, bytes, size, err);
    free(bytes);
    if (status)
        return status;
    *body = json_object_new_object();
    dap_put_number(*body, "bytesWritten", (int64_t)size);
    dap_changed(d);
    return WT_OK;
}
