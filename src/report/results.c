/* Writes the results of a run for the user. See results.h. */
#include "report/results.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/called_place.h"
#include "base/file.h"
#include "base/text.h"
#include "debug/source/described.h"
#include "emulator/machine/machine.h"
#include "frontend/common/common.h"
#include "report/device.h"
#include "target/history.h"

/* ---- options ---- */

static enum wt_status no_memory(struct wt_error *err)
{
    return wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static enum wt_status add_dump(struct wt_report_results *r, const struct wt_report_dump *dump,
                               struct wt_error *err)
{
    struct wt_report_dump *grown =
        wt_array_grow(r->dump, &r->dump_capacity, r->dump_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    r->dump = grown;
    r->dump[r->dump_count++] = *dump;
    return WT_OK;
}

enum wt_status wt_report_results_add_dump(struct wt_report_results *r, const char *text,
                                          struct wt_error *err)
{
    struct wt_load_file file;
    if (wt_load_file_parse(text, &file, err) != WT_OK || !strchr(file.place, ':'))
        return wt_fail(err, WT_INVALID, "'%s' is not FILE@ADDRESS:LENGTH", text);
    return add_dump(
        r,
        &(struct wt_report_dump){
            .path = file.path, .path_length = file.path_length, .place = file.place, .fd = -1},
        err);
}

/* "N:FILE". */
static enum wt_status parse_file(const char *text, size_t *argument, const char **path,
                                 struct wt_error *err)
{
    const char *colon = strchr(text, ':');
    char *end;
    errno = 0;
    *argument = strtoul(text, &end, 10);
    if (!colon || end != colon || errno || !isdigit((unsigned char)*text) || !colon[1])
        return wt_fail(err, WT_INVALID, "'%s' is not NUMBER:FILE", text);
    *path = colon + 1;
    return WT_OK;
}

enum wt_status wt_report_results_add_buffer(struct wt_report_results *r, const char *text,
                                            struct wt_error *err)
{
    struct wt_report_dump dump = {.fd = -1};
    enum wt_status status;
    if ((status = parse_file(text, &dump.argument, &dump.path, err)) != WT_OK)
        return status;
    dump.path_length = strlen(dump.path);
    return add_dump(r, &dump, err);
}

enum wt_status wt_report_results_add_compare(struct wt_report_results *r, const char *text,
                                             struct wt_error *err)
{
    struct wt_report_compare compare;
    enum wt_status status;
    if ((status = parse_file(text, &compare.argument, &compare.path, err)) != WT_OK)
        return status;
    struct wt_report_compare *grown =
        wt_array_grow(r->compare, &r->compare_capacity, r->compare_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    r->compare = grown;
    r->compare[r->compare_count++] = compare;
    return WT_OK;
}

/* A number at *text, which then stands behind it. */
static bool take_number(const char **text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *value = strtoull(*text, &end, 0);
    *text = end;
    return !errno;
}

enum wt_status wt_report_results_add_touch(struct wt_report_results *r, bool read, const char *text,
                                           struct wt_error *err)
{
    struct wt_report_touch w = {.read = read, .length = 4};
    const char *at = text;
    uint64_t argument = 0;
    bool good;
    /* A number is an argument's index, unless it is written as an address. */
    if (!strchr(text, ':') && (!isdigit((unsigned char)*text) || strncmp(text, "0x", 2) == 0)) {
        w.place = text;
        w.place_length = strcspn(text, ",");
        good = w.place_length > 0;
        at += w.place_length;
    } else {
        good = take_number(&at, &argument) && *at++ == ':' && take_number(&at, &w.offset);
        w.argument = (size_t)argument;
    }
    if (good && *at == ',' && isdigit((unsigned char)at[1])) {
        at++;
        good = take_number(&at, &w.length);
    }
    w.count = strcmp(at, ",count") == 0;
    if (!good || (*at && !w.count) || !w.length)
        return wt_fail(err, WT_INVALID,
                       "'%.64s' is not ARGUMENT:OFFSET or ARGUMENT:OFFSET,LENGTH in bytes, nor an "
                       "address (0x…) or symbol with or without a LENGTH (and ',count' after it)",
                       text);
    struct wt_report_touch *grown =
        wt_array_grow(r->touch, &r->touch_capacity, r->touch_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    r->touch = grown;
    r->touch[r->touch_count++] = w;
    return WT_OK;
}

enum wt_status wt_report_results_add_slice(struct wt_report_results *r, const char *text,
                                           struct wt_error *err)
{
    enum wt_status status = wt_report_results_add_touch(r, false, text, err);
    if (status)
        return status;
    struct wt_report_touch *w = &r->touch[r->touch_count - 1];
    w->slice = true;
    return w->count ? wt_fail(err, WT_INVALID, "there is nothing to count") : WT_OK;
}

void wt_report_results_free(struct wt_report_results *r)
{
    for (size_t i = 0; i < r->dump_count; i++)
        if (r->dump[i].fd >= 0)
            close(r->dump[i].fd);
    free(r->dump);
    free(r->compare);
    free(r->touch);
    *r = (struct wt_report_results){0};
}

/* ---- before the run ---- */

static enum wt_status buffer_of(const struct wt_emulated *e, size_t argument,
                                struct wt_kernel_buffer *buffer, struct wt_error *err)
{
    return wt_emulated_buffer(e, argument, buffer)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "argument %zu is not a buffer", argument);
}

/* The address of a byte of a buffer; *left: the number of contiguous bytes from it on. */
static uint64_t buffer_address(const struct wt_kernel_buffer *b, uint64_t offset, uint64_t *left)
{
    const uint64_t slice = b->slice ? b->slice : b->length, within = slice ? offset % slice : 0;
    *left = slice - within;
    return b->addr + (slice ? offset / slice * b->stride : 0) + within;
}

/* Reads bytes from @p offset on, up to the end of a slice; 0: they cannot be read. */
static size_t read_buffer(struct wt_emulated *e, const struct wt_kernel_buffer *b, uint64_t offset,
                          uint8_t *bytes, size_t size)
{
    uint64_t left;
    const uint64_t addr = buffer_address(b, offset, &left);
    const size_t part = size < left ? size : (size_t)left;
    return e->machine->ops->read_memory(e->machine, 0, 0, addr, bytes, part) ? part : 0;
}

/* "PLACE:LENGTH". */
static enum wt_status resolve_place(struct wt_emulated *e, struct wt_report_dump *dump,
                                    struct wt_error *err)
{
    char place[300];
    const char *colon = strrchr(dump->place, ':');
    const size_t size = (size_t)(colon - dump->place);
    enum wt_status status;
    if (size >= sizeof place)
        return wt_fail(err, WT_INVALID, "'%.32s…' is too long for an address", dump->place);
    memcpy(place, dump->place, size);
    place[size] = 0;
    if ((status = wt_emulated_address(e, place, &dump->memory.addr, err)) != WT_OK)
        return status;
    return wt_parse_number(colon + 1, &dump->memory.length, err);
}

/* The file is truncated only when there is data to write: the run may be interrupted. */
static enum wt_status open_dump(struct wt_emulated *e, struct wt_report_dump *dump,
                                struct wt_error *err)
{
    enum wt_status status;
    if ((status = dump->place ? resolve_place(e, dump, err)
                              : buffer_of(e, dump->argument, &dump->memory, err)) != WT_OK)
        return status;
    char *path = strndup(dump->path, dump->path_length);
    if (!path)
        return no_memory(err);
    dump->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (dump->fd < 0)
        status = wt_fail(err, WT_IO, "%s: cannot create: %s", path, strerror(errno));
    free(path);
    return status;
}

static enum wt_status check_compare(const struct wt_emulated *e,
                                    const struct wt_report_compare *compare, struct wt_error *err)
{
    struct wt_kernel_buffer buffer;
    enum wt_status status;
    if ((status = buffer_of(e, compare->argument, &buffer, err)) != WT_OK)
        return status;
    if (access(compare->path, R_OK) != 0)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", compare->path, strerror(errno));
    return WT_OK;
}

static enum wt_status resolve_touch(struct wt_emulated *e, struct wt_report_touch *w,
                                    struct wt_error *err)
{
    struct wt_kernel_buffer buffer;
    enum wt_status status;
    if (w->place) {
        char place[300];
        snprintf(place, sizeof place, "%.*s", (int)w->place_length, w->place);
        return wt_emulated_address(e, place, &w->addr, err);
    }
    if ((status = buffer_of(e, w->argument, &buffer, err)) != WT_OK)
        return status;
    if (w->offset >= buffer.length || w->length > buffer.length - w->offset)
        return wt_fail(err, WT_INVALID, "argument %zu has %" PRIu64 " bytes", w->argument,
                       buffer.length);
    uint64_t left;
    w->addr = buffer_address(&buffer, w->offset, &left);
    if (w->length > left)
        return wt_fail(err, WT_INVALID,
                       "argument %zu: bytes %" PRIu64 " to %" PRIu64
                       " lie in more than one slice of the image",
                       w->argument, w->offset, w->offset + w->length - 1);
    return WT_OK;
}

enum wt_status wt_report_results_begin(struct wt_report_results *r, struct wt_emulated *e,
                                       struct wt_error *err)
{
    for (size_t i = 0; i < r->dump_count; i++)
        if (open_dump(e, &r->dump[i], err) != WT_OK)
            return wt_fail_in(err, r->dump[i].place ? "--dump" : "--dump-arg");
    for (size_t i = 0; i < r->compare_count; i++)
        if (check_compare(e, &r->compare[i], err) != WT_OK)
            return wt_fail_in(err, "--compare-arg");
    for (size_t i = 0; i < r->touch_count; i++)
        if (resolve_touch(e, &r->touch[i], err) != WT_OK)
            return wt_fail_in(err, r->touch[i].slice  ? "--of"
                                   : r->touch[i].read ? "--who-read"
                                                      : "--who-wrote");
    return r->compare_count || r->touch_count ? wt_emulated_history_start(e, err) : WT_OK;
}

/* ---- after it ---- */

static enum wt_status cannot_write(const struct wt_report_dump *dump, struct wt_error *err)
{
    return wt_fail(err, WT_IO, "%.*s: cannot write: %s", (int)dump->path_length, dump->path,
                   strerror(errno));
}

static enum wt_status write_dump(struct wt_emulated *e, struct wt_report_dump *dump,
                                 struct wt_error *err)
{
    enum wt_status status = WT_OK;
    uint64_t offset = 0;
    /* A file that cannot be truncated (a pipe, a terminal) has no old contents. */
    (void)!ftruncate(dump->fd, 0);
    while (!status && offset < dump->memory.length) {
        uint8_t bytes[65536];
        const uint64_t left = dump->memory.length - offset;
        const size_t size = read_buffer(e, &dump->memory, offset, bytes,
                                        left < sizeof bytes ? (size_t)left : sizeof bytes);
        size_t done = 0;
        if (!size)
            return wt_fail(err, WT_INVALID, "%.*s: memory at 0x%" PRIx64 " is past the end",
                           (int)dump->path_length, dump->path, dump->memory.addr + offset);
        while (!status && done < size) {
            const ssize_t wrote = write(dump->fd, bytes + done, size - done);
            if (wrote < 0 && errno != EINTR)
                status = cannot_write(dump, err);
            done += wrote > 0 ? (size_t)wrote : 0;
        }
        offset += size;
    }
    const int fd = dump->fd;
    dump->fd = -1;
    if (close(fd) != 0 && !status)
        status = cannot_write(dump, err);
    return status;
}

/* The contents before the access and after it: a number of up to 8 bytes; for a wider access, the
 * dword in which the range begins. */
static void print_values(const struct wt_touch *t, const struct wt_report_touch *w)
{
    const uint64_t first = t->last.addr.offset;
    const uint64_t in = t->last.size > 8 && w->addr > first ? (w->addr - first) & ~(uint64_t)3 : 0;
    const unsigned size = t->last.size > 8 ? 4 : (unsigned)t->last.size;
    const uint64_t before = wt_load_le(t->before + in, size),
                   after = wt_load_le(t->last.after + in, size);
    if (w->read)
        fprintf(stderr, "  value 0x%0*" PRIx64 "\n", (int)size * 2, before);
    else
        fprintf(stderr, "  was 0x%0*" PRIx64 ", is 0x%0*" PRIx64 "\n", (int)size * 2, before,
                (int)size * 2, after);
}

static void name_range(struct wt_emulated *e, const struct wt_report_touch *w)
{
    struct wt_kernel_buffer buffer = {.name = ""};
    const char *s = w->length > 1 ? "s" : "";
    if (w->place) {
        fprintf(stderr, "wavetrap: %.*s (0x%" PRIx64 "), %" PRIu64 " byte%s", (int)w->place_length,
                w->place, w->addr, w->length, s);
        return;
    }
    wt_emulated_buffer(e, w->argument, &buffer);
    fprintf(stderr, "wavetrap: argument %zu%s%s, byte%s %" PRIu64, w->argument,
            *buffer.name ? ", " : "", buffer.name, s, w->offset);
    if (w->length > 1)
        fprintf(stderr, " to %" PRIu64, w->offset + w->length - 1);
}

static enum wt_status report_touch(struct wt_emulated *e, const struct wt_report_touch *w,
                                   struct wt_error *err)
{
    const struct wt_watchpoint range = {.kind = w->read ? WT_WATCHPOINT_READ : WT_WATCHPOINT_WRITE,
                                        .addr = wt_address_of(w->addr),
                                        .size = w->length};
    struct wt_last_touch last;
    const struct wt_touch *t = &last.touch;
    const char *lane = e->family->words.lane, *did = w->read ? "read" : "wrote";
    char where[512];
    uint64_t count;
    enum wt_status status;
    if ((status = wt_emulated_last_touch(e, &range, &last, err)) != WT_OK)
        return status;
    name_range(e, w);
    if (!last.any) {
        fprintf(stderr, ": the %s has not %s there\n", w->place ? "program" : "kernel",
                w->read ? "read" : "written");
        return WT_OK;
    }
    fprintf(stderr, ": %s last ", w->read ? "read" : "written");
    if (last.has_item)
        fprintf(stderr, "by work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64 "), ", last.item[0],
                last.item[1], last.item[2]);
    fprintf(stderr, "%sissue time %" PRIu64 "\n  %s %u of %s", last.has_item ? "" : "at ", t->time,
            lane, t->last.lane, last.place);
    const unsigned lanes = wt_lanes_count(t->lanes);
    if (lanes > 1)
        fprintf(stderr, "; %u %ss %s there, this one last", lanes, lane, did);
    wt_emulated_describe(e, t->pc, where, sizeof where);
    fprintf(stderr, "\n  at %s\n", where);
    wt_report_device_instruction(stderr, e, t->pc);
    print_values(t, w);
    if (!w->count)
        return WT_OK;
    status = wt_emulated_count_touches(e, &range, &count, err);
    if (!status)
        fprintf(stderr, "  (%" PRIu64 " instruction%s %s there)\n", count, count > 1 ? "s" : "",
                did);
    return status;
}

/* ---- what bytes are made of ---- */

static void put_place(void *context, const struct wt_called_place *place, char *text, size_t size)
{
    wt_emulated_describe(context, place->pc, text, size);
}

static void put_instruction(void *context, uint64_t pc, char *text, size_t size)
{
    if (!wt_emulated_instruction(context, pc, text, size))
        *text = 0;
}

/* The argument whose buffer an address is in, and the byte of it. */
static void put_argument(void *context, uint64_t address, char *text, size_t size)
{
    enum { MOST_ARGUMENTS = 256 };
    struct wt_emulated *e = context;
    struct wt_kernel_buffer b;
    *text = 0;
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        if (wt_emulated_buffer(e, i, &b) && !b.slice && address - b.addr < b.length) {
            snprintf(text, size, "(argument %zu%s%s, byte %" PRIu64 ")", i, *b.name ? ", " : "",
                     b.name, address - b.addr);
            return;
        }
}

static bool put_line(void *context, const struct wt_called_place *place, struct wt_slice_line *line)
{
    const struct wt_emulated *e = context;
    line->text = "";
    return wt_described_line(e->modules, place, &line->file, &line->number);
}

static enum wt_status print_slice(struct wt_emulated *e, const struct wt_report_touch *w,
                                  const struct wt_slice_seed *seed, size_t seeds,
                                  uint64_t unwritten, const struct wt_slice_limits *limits,
                                  struct wt_error *err)
{
    const struct wt_slice_report report = {.lane_word = e->family->words.lane,
                                           .place = put_place,
                                           .instruction = put_instruction,
                                           .memory = put_argument,
                                           .line = put_line,
                                           .context = e};
    struct wt_slice_found found = {.more = false};
    enum wt_status status = WT_OK;
    if (seeds)
        status = wt_emulated_slice(e, seed, seeds, limits, &found, err);
    if (!status) {
        name_range(e, w);
        fputs(": made of\n", stderr);
        wt_print_slice(stderr, &report, &found, unwritten);
    }
    wt_slice_found_free(&found);
    return status;
}

static enum wt_status report_slice(struct wt_emulated *e, const struct wt_report_touch *w,
                                   const struct wt_slice_limits *limits, struct wt_error *err)
{
    const struct wt_watchpoint range = {
        .kind = WT_WATCHPOINT_WRITE, .addr = wt_address_of(w->addr), .size = w->length};
    struct wt_slice_seed seed[WT_EMULATED_WRITES];
    size_t seeds;
    uint64_t unwritten;
    enum wt_status status = wt_emulated_writers(e, &range, seed, &seeds, &unwritten, err);
    return status ? status : print_slice(e, w, seed, seeds, unwritten, limits, err);
}

/* Reports the first byte that differs, and who wrote it. */
static enum wt_status report_difference(struct wt_emulated *e, const struct wt_report_compare *c,
                                        const uint8_t *bytes, size_t length,
                                        const uint8_t *expected, size_t size, bool *same,
                                        struct wt_error *err)
{
    size_t at = 0;
    while (at < length && at < size && bytes[at] == expected[at])
        at++;
    if (at == length && at == size)
        return WT_OK;
    *same = false;
    if (at == length || at == size) {
        fprintf(stderr, "wavetrap: argument %zu has %zu bytes, %s has %zu\n", c->argument, length,
                c->path, size);
        return WT_OK;
    }
    fprintf(stderr, "wavetrap: argument %zu is not as %s: byte %zu is 0x%02x, not 0x%02x\n",
            c->argument, c->path, at, bytes[at], expected[at]);
    struct wt_report_touch writer = {.argument = c->argument, .offset = at, .length = 1};
    enum wt_status status;
    if ((status = resolve_touch(e, &writer, err)) != WT_OK)
        return status;
    return report_touch(e, &writer, err);
}

static enum wt_status compare(struct wt_emulated *e, const struct wt_report_compare *c, bool *same,
                              struct wt_error *err)
{
    struct wt_kernel_buffer buffer;
    uint8_t *expected;
    size_t size;
    enum wt_status status;
    if ((status = buffer_of(e, c->argument, &buffer, err)) != WT_OK ||
        (status = wt_file_read(c->path, &expected, &size, err)) != WT_OK)
        return status;
    uint8_t *bytes = malloc(buffer.length ? buffer.length : 1);
    if (!bytes)
        status = no_memory(err);
    else {
        for (uint64_t at = 0, part = 1; at < buffer.length && part; at += part)
            part = read_buffer(e, &buffer, at, bytes + at, (size_t)(buffer.length - at));
        status = report_difference(e, c, bytes, buffer.length, expected, size, same, err);
    }
    free(bytes);
    free(expected);
    return status;
}

/* Keeps the first of several failures. */
static void keep(enum wt_status *first, struct wt_error *kept, enum wt_status status,
                 const struct wt_error *err)
{
    if (status && !*first) {
        *first = status;
        *kept = *err;
    }
}

enum wt_status wt_report_results_report(struct wt_report_results *r, struct wt_emulated *e,
                                        double seconds, struct wt_error *err)
{
    const struct wt_machine *m = e->machine;
    enum wt_status status = WT_OK, one;
    struct wt_error why;
    for (size_t i = 0; i < r->dump_count; i++) {
        if ((one = write_dump(e, &r->dump[i], &why)) == WT_OK)
            continue;
        wt_fail_in(&why, r->dump[i].place ? "--dump" : "--dump-arg");
        keep(&status, err, one, &why);
    }
    if (r->hash)
        fprintf(stderr, "wavetrap: state hash %016" PRIx64 " after %" PRIu64 " issues\n",
                m->ops->hash(e->machine), m->time);
    if (r->stats)
        wt_report_device_stats(e, seconds);
    for (size_t i = 0; i < r->touch_count; i++)
        keep(&status, err,
             r->touch[i].slice ? report_slice(e, &r->touch[i], &r->limits, &why)
                               : report_touch(e, &r->touch[i], &why),
             &why);
    return status;
}

enum wt_status wt_report_results_compare(struct wt_report_results *r, struct wt_emulated *e,
                                         bool *same, struct wt_error *err)
{
    enum wt_status status;
    *same = true;
    for (size_t i = 0; i < r->compare_count; i++)
        if ((status = compare(e, &r->compare[i], same, err)) != WT_OK)
            return status;
    return WT_OK;
}
