/* Intel HEX: records of all six types, in any order of addresses. */
#include "object/image_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The bytes of one record; they are part of struct hex_reader's `data`. */
struct hex_run {
    uint64_t addr;
    size_t at;
    size_t length;
    size_t line;
};

struct hex_reader {
    const struct wt_image_source *source;
    struct wt_error *err;
    size_t offset; /* offset of the next character */
    size_t line;   /* counted from 1 */
    uint8_t *data; /* bytes of all data records, one after another */
    size_t data_length;
    struct hex_run *run;
    size_t runs, run_capacity;
    uint64_t base;  /* base of the last extended address record */
    bool segmented; /* that record was of type 02: offsets wrap at 64 KiB */
    bool ended;
};

/* One record, checked. */
struct hex_record {
    unsigned length, offset, type;
    uint8_t data[255];
};

static int digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static enum wt_status malformed(struct hex_reader *r, const char *what)
{
    return wt_fail(r->err, WT_INVALID, "%s: line %zu: %s", r->source->name, r->line, what);
}

/* The next two digits as a byte, or -1. */
static int next_byte(struct hex_reader *r)
{
    if (r->source->length - r->offset < 2)
        return -1;
    int high = digit(r->source->bytes[r->offset]), low = digit(r->source->bytes[r->offset + 1]);
    if (high < 0 || low < 0)
        return -1;
    r->offset += 2;
    return high << 4 | low;
}

/* Where there is no next byte: whether the line ends there, behind a digit at most. */
static bool ends_early(const struct hex_reader *r)
{
    size_t at = r->offset;
    const uint8_t *c = r->source->bytes;
    at += at < r->source->length && digit(c[at]) >= 0;
    return at >= r->source->length || memchr("\r\n \t", c[at], 4) != NULL;
}

/* Takes a line end ("\n", "\r\n", or the end of the file), with blanks before it. */
static bool end_of_line(struct hex_reader *r)
{
    const uint8_t *c = r->source->bytes;
    while (r->offset < r->source->length &&
           (c[r->offset] == ' ' || c[r->offset] == '\t' || c[r->offset] == '\r'))
        r->offset++;
    if (r->offset == r->source->length)
        return true;
    if (c[r->offset] != '\n')
        return false;
    r->offset++;
    r->line++;
    return true;
}

static enum wt_status read_record(struct hex_reader *r, struct hex_record *record)
{
    uint8_t sum = 0;
    unsigned head[4];
    r->offset++; /* the ':' */
    for (int i = 0; i < 4; i++) {
        int byte = next_byte(r);
        if (byte < 0)
            return malformed(r, ends_early(r)
                                    ? "the record ends early"
                                    : "the record has a character that is not a hexadecimal digit");
        head[i] = (unsigned)byte;
        sum = (uint8_t)(sum + byte);
    }
    record->length = head[0];
    record->offset = head[1] << 8 | head[2];
    record->type = head[3];
    for (unsigned i = 0; i < record->length; i++) {
        int byte = next_byte(r);
        if (byte < 0)
            return wt_fail(r->err, WT_INVALID,
                           "%s: line %zu: the record says %u bytes of data, but byte %u is not "
                           "there",
                           r->source->name, r->line, record->length, i);
        record->data[i] = (uint8_t)byte;
        sum = (uint8_t)(sum + byte);
    }
    int checksum = next_byte(r);
    if (checksum < 0)
        return malformed(r, "the record has no checksum");
    if ((uint8_t)(sum + checksum))
        return wt_fail(r->err, WT_INVALID,
                       "%s: line %zu: the checksum is 0x%02x, but the bytes of the record want "
                       "0x%02x",
                       r->source->name, r->line, (unsigned)checksum, (unsigned)(uint8_t)-sum);
    return WT_OK;
}

static enum wt_status add_run(struct hex_reader *r, uint64_t addr, const uint8_t *bytes,
                              size_t length)
{
    struct hex_run *grown = wt_array_grow(r->run, &r->run_capacity, r->runs + 1, sizeof *grown);
    if (!grown)
        return wt_fail(r->err, WT_NO_MEMORY, "%s: no host memory for its records", r->source->name);
    r->run = grown;
    r->run[r->runs++] =
        (struct hex_run){.addr = addr, .at = r->data_length, .length = length, .line = r->line};
    /* A record has more than two characters for each byte: `data` cannot overflow. */
    memcpy(r->data + r->data_length, bytes, length);
    r->data_length += length;
    return WT_OK;
}

/* Addresses wrap within the 64 KiB of a segment (type 02), or within 4 GiB (type 04). */
static enum wt_status add_data(struct hex_reader *r, const struct hex_record *record)
{
    uint64_t limit = r->segmented ? (uint64_t)1 << 16 : ((uint64_t)1 << 32) - r->base;
    size_t first = record->length;
    if (record->offset + first > limit)
        first = (size_t)(limit - record->offset);
    enum wt_status status = WT_OK;
    if (first)
        status = add_run(r, r->base + record->offset, record->data, first);
    if (!status && first < record->length)
        status =
            add_run(r, r->segmented ? r->base : 0, record->data + first, record->length - first);
    return status;
}

static enum wt_status take_record(struct hex_reader *r, const struct hex_record *record,
                                  struct wt_image *image)
{
    static const uint8_t lengths[6] = {0, 0, 2, 4, 2, 4};
    if (record->type > 5)
        return wt_fail(r->err, WT_INVALID, "%s: line %zu: there is no record type %u (0..5)",
                       r->source->name, r->line, record->type);
    if (record->type != 0 && record->length != lengths[record->type])
        return wt_fail(
            r->err, WT_INVALID, "%s: line %zu: a record of type %u has %u bytes of data, not %u",
            r->source->name, r->line, record->type, lengths[record->type], record->length);
    uint64_t value = 0;
    if (record->type != 0)
        for (unsigned i = 0; i < record->length; i++)
            value = value << 8 | record->data[i];
    switch (record->type) {
    case 0:
        return add_data(r, record);
    case 1:
        r->ended = true;
        return WT_OK;
    case 2: /* extended segment address */
        r->base = value << 4;
        r->segmented = true;
        return WT_OK;
    case 4: /* extended linear address */
        r->base = value << 16;
        r->segmented = false;
        return WT_OK;
    case 3: /* start segment address, CS:IP */
        value = ((value >> 16) << 4) + (value & 0xffff);
        break;
    default: /* 5: start linear address, EIP */
        break;
    }
    if (image->has_entry && image->entry != value)
        return wt_fail(r->err, WT_INVALID,
                       "%s: line %zu: start address 0x%" PRIx64
                       " contradicts an earlier one, 0x%" PRIx64,
                       r->source->name, r->line, value, image->entry);
    image->has_entry = true;
    image->entry = value;
    return WT_OK;
}

static enum wt_status read_records(struct hex_reader *r, struct wt_image *image)
{
    const struct wt_image_source *source = r->source;
    while (r->offset < source->length) {
        if (source->bytes[r->offset] == ':') {
            struct hex_record record;
            if (r->ended)
                return malformed(r, "a record follows the end record");
            enum wt_status status = read_record(r, &record);
            if (!status)
                status = take_record(r, &record, image);
            if (status)
                return status;
        }
        if (!end_of_line(r))
            return malformed(r, "there is something where a record (beginning with ':') or the end "
                                "of the line belongs");
    }
    if (!r->ended)
        return malformed(r, "the file ends without an end record (type 01): it is truncated");
    return WT_OK;
}

static int by_address(const void *a, const void *b)
{
    const struct hex_run *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Joins runs that touch into segments. */
static enum wt_status add_segments(struct hex_reader *r, struct wt_image *image)
{
    if (!r->runs)
        return wt_fail(r->err, WT_INVALID, "%s: the file has no data records", r->source->name);
    qsort(r->run, r->runs, sizeof *r->run, by_address);
    uint8_t *joined = malloc(r->data_length);
    if (!joined)
        return wt_fail(r->err, WT_NO_MEMORY, "%s: no host memory for its data", r->source->name);
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < r->runs && !status;) {
        size_t length = 0, first = i;
        do {
            memcpy(joined + length, r->data + r->run[i].at, r->run[i].length);
            length += r->run[i].length;
            i++;
        } while (i < r->runs && r->run[i].addr == r->run[first].addr + length);
        if (i < r->runs && r->run[i].addr < r->run[first].addr + length)
            status = wt_fail(r->err, WT_INVALID,
                             "%s: line %zu puts data at 0x%" PRIx64 ", where line %zu has put some",
                             r->source->name, r->run[i].line, r->run[i].addr, r->run[i - 1].line);
        else if (wt_image_add(image, r->run[first].addr, joined, length, length, true, r->err))
            status = wt_fail_in(r->err, "%s", r->source->name);
    }
    free(joined);
    return status;
}

enum wt_status wt_image_parse_hex(const struct wt_image_source *source, struct wt_image *image,
                                  struct wt_error *err)
{
    struct hex_reader r = {.source = source, .err = err, .line = 1};
    image->format = WT_IMAGE_HEX;
    r.data = malloc(source->length);
    if (!r.data)
        return wt_fail(err, WT_NO_MEMORY, "%s: no host memory for its data", source->name);
    enum wt_status status = read_records(&r, image);
    if (!status)
        status = add_segments(&r, image);
    free(r.data);
    free(r.run);
    return status;
}
