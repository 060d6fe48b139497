/* Memory and the code in it: reading and writing, and disassembly, from before an address, too. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/dap/internal.h"

#define MOST_INSTRUCTIONS 20000 /* most instructions of an answer */
#define MOST_BYTES (4 << 20)    /* the same for memory */

/* The addresses of instructions, ascending. */
struct dap_addresses {
    uint64_t *list;
    size_t count, capacity;
};

static bool add(struct dap_addresses *a, uint64_t address)
{
    uint64_t *grown = wt_array_grow(a->list, &a->capacity, a->count + 1, sizeof *grown);
    if (!grown)
        return false;
    a->list = grown;
    grown[a->count++] = address;
    return true;
}

/* The instructions of [start, end), as they follow each other. */
static void walk(struct wt_dap *d, struct dap_addresses *a, uint64_t start, uint64_t end)
{
    struct wt_code_line line;
    for (uint64_t at = start; at < end; at += line.length)
        if (wt_program_instruction(d->g, at, &line, WT_IGNORED) != WT_OK || !line.length ||
            !add(a, at))
            return;
}

/*
 * The @p wanted instructions before @p address, the nearest last. Instructions have several
 * lengths: the functions before it are gone through from their beginnings. Where there is none,
 * there are fewer.
 */
static void walk_back(struct wt_dap *d, struct dap_addresses *a, uint64_t address, size_t wanted)
{
    struct dap_addresses before = {0};
    const unsigned granule = d->g->topology->code_granule ? d->g->topology->code_granule : 1;
    while (a->count < wanted && address >= granule) {
        struct wt_function f;
        struct dap_addresses here = {0};
        const bool known =
            wt_program_function_at(d->g, address - granule, &f, WT_IGNORED) == WT_OK &&
            f.start < address;
        if (known)
            walk(d, &here, f.start, address);
        if (!here.count)
            break;
        before = (struct dap_addresses){0};
        for (size_t i = 0; i < here.count; i++)
            add(&before, here.list[i]);
        for (size_t i = 0; i < a->count; i++)
            add(&before, a->list[i]);
        free(a->list);
        free(here.list);
        *a = before;
        address = f.start;
    }
}

static void put_invalid(struct json_object *list, uint64_t address)
{
    struct json_object *o = dap_add_object(list);
    dap_put_address(o, "address", address);
    dap_put_text(o, "instruction", "??");
    dap_put_text(o, "presentationHint", "invalid");
}

/* Adds an instruction; returns its length, or that of a granule where there is none. */
static unsigned put_instruction(struct wt_dap *d, struct json_object *list, uint64_t address,
                                const char **last_file, unsigned *last_line)
{
    struct wt_code_line line;
    const struct wt_module *m = wt_modules_at(d->g->modules, 0, address);
    const unsigned granule = d->g->topology->code_granule ? d->g->topology->code_granule : 1;
    const char *name;
    uint64_t offset;
    struct wt_line_row row;
    char bytes[3 * WT_WINDOW_BYTES + 1] = "";
    if (wt_program_instruction(d->g, address, &line, WT_IGNORED) != WT_OK || !line.length) {
        put_invalid(list, address);
        return granule;
    }
    struct json_object *o = dap_add_object(list);
    for (unsigned i = 0; i < line.length; i++)
        snprintf(bytes + 3 * i, 4, "%02x ", line.bytes[i]);
    bytes[3 * line.length - 1] = 0;
    dap_put_address(o, "address", address);
    dap_put_text(o, "instructionBytes", bytes);
    dap_put_text(o, "instruction", *line.text ? line.text : "??");
    if (!*line.text)
        dap_put_text(o, "presentationHint", "invalid");
    if (wt_modules_function(d->g->modules, 0, address, &name, &offset)) {
        char *symbol = offset ? dap_format("%s+%" PRIu64, name, offset) : strdup(name);
        dap_put_text(o, "symbol", symbol);
        free(symbol);
    }
    if (!m || !m->symbols || !wt_symbols_row(m->symbols, address - m->bias, &row) || !row.line)
        return line.length;
    /* The place is said where it is another one than before. */
    if (!*last_file || strcmp(*last_file, row.file) != 0)
        dap_put_source(d, o, row.file);
    if (!*last_file || strcmp(*last_file, row.file) != 0 || *last_line != row.line)
        dap_put_number(o, "line", dap_line_out(d, row.line));
    *last_file = row.file;
    *last_line = row.line;
    return line.length;
}

enum wt_status dap_disassemble(struct wt_dap *d, struct json_object *arguments,
                               struct json_object **body, struct wt_error *err)
{
    struct wt_address at;
    wt_thread thread;
    const char *reference, *file = NULL;
    int64_t offset = 0, first = 0, count;
    unsigned line = 0;
    enum wt_status status = dap_need_text(arguments, "memoryReference", &reference, err);
    if (!status)
        status = dap_need_number(arguments, "instructionCount", &count, err);
    if (!status)
        status = dap_from_reference(d, reference, &at, &thread, err);
    dap_number(arguments, "offset", &offset);
    dap_number(arguments, "instructionOffset", &first);
    if (!status &&
        (count > MOST_INSTRUCTIONS || first > MOST_INSTRUCTIONS || first < -MOST_INSTRUCTIONS))
        status = wt_fail(err, WT_INVALID, "at most %d instructions are disassembled at once",
                         MOST_INSTRUCTIONS);
    if (status)
        return status;
    const unsigned granule = d->g->topology->code_granule ? d->g->topology->code_granule : 1;
    uint64_t address = at.offset + (uint64_t)offset;
    *body = json_object_new_object();
    struct json_object *list = dap_put_list(*body, "instructions");
    if (first < 0) {
        struct dap_addresses before = {0};
        const size_t wanted = (size_t)-first;
        walk_back(d, &before, address, wanted);
        size_t missing = before.count < wanted ? wanted - before.count : 0;
        const uint64_t lowest = before.count ? before.list[0] : address;
        for (; missing && count; missing--, count--)
            put_invalid(list, lowest - missing * granule);
        for (size_t i = before.count > wanted ? before.count - wanted : 0;
             i < before.count && count; i++, count--)
            put_instruction(d, list, before.list[i], &file, &line);
        free(before.list);
    }
    for (; first > 0; first--) {
        struct wt_code_line skipped;
        const bool known = wt_program_instruction(d->g, address, &skipped, WT_IGNORED) == WT_OK;
        address += known && skipped.length ? skipped.length : granule;
    }
    for (; count; count--)
        address += put_instruction(d, list, address, &file, &line);
    return WT_OK;
}

/* ---- memory ---- */

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
