/* Framing: bytes to packets, and replies to bytes. */
#include "frontend/rsp/packet.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/rsp/hex.h"

#define ESCAPE '}'
#define FIRST_ROOM 4096 /* bytes of the first reply */

/* ---- reading ---- */

bool wt_packet_reader_init(struct wt_packet_reader *reader)
{
    *reader = (struct wt_packet_reader){.capacity = WT_PACKET_LIMIT + 0x10000};
    reader->buffer = malloc(reader->capacity);
    return reader->buffer != NULL;
}

void wt_packet_reader_free(struct wt_packet_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
}

void wt_packet_reader_clear(struct wt_packet_reader *reader)
{
    reader->start = reader->end = reader->scanned = 0;
    reader->skipping = false;
}

uint8_t *wt_packet_reader_space(struct wt_packet_reader *reader, size_t *size)
{
    if (reader->start == reader->end) {
        reader->start = reader->end = reader->scanned = 0;
    } else if (reader->start > 0 && reader->capacity - reader->end < 0x8000) {
        size_t length = reader->end - reader->start;
        memmove(reader->buffer, reader->buffer + reader->start, length);
        reader->scanned -= reader->scanned > reader->start ? reader->start : reader->scanned;
        reader->start = 0;
        reader->end = length;
    }
    *size = reader->capacity - reader->end;
    return reader->buffer + reader->end;
}

void wt_packet_reader_added(struct wt_packet_reader *reader, size_t size)
{
    reader->end += size;
}

static uint8_t checksum(const uint8_t *bytes, size_t size)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    return sum;
}

static size_t unescape(uint8_t *bytes, size_t size)
{
    uint8_t *out = memchr(bytes, ESCAPE, size);
    if (!out)
        return size;
    const uint8_t *in = out, *end = bytes + size;
    while (in < end) {
        if (*in == ESCAPE && in + 1 < end) {
            *out++ = in[1] ^ 0x20;
            in += 2;
        } else {
            *out++ = *in++;
        }
    }
    return (size_t)(out - bytes);
}

/*
 * A web page chooses the first word of its browser's requests, the method, whose characters are
 * letters, digits and those below; behind it come a space and " HTTP/". A packet with any other
 * character, such as the first one of each debugger ("qSupported:…"), is so no part of a method.
 */
static bool may_be_a_method(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!data[i] || (!isalnum(data[i]) && !strchr("!#$%&'*+-.^_`|~", data[i])))
            return false;
    return true;
}

/* Whether a packet that a web page could send as a method may be done: it changes nothing. */
static bool changes_nothing(const uint8_t *data, size_t size)
{
    return !size || strchr("qQHgpTj", data[0]) ||
           (size == 15 && memcmp(data, "vMustReplyEmpty", size) == 0);
}

/* Whether a packet from a connection that may be a web page's is one; else *strict tells whether
 * the connection may still be. */
static bool is_of_a_page(const uint8_t *data, size_t size, bool *strict)
{
    const bool method = may_be_a_method(data, size);
    if (method && !changes_nothing(data, size))
        return true;
    *strict = method;
    return false;
}

/* The packet that begins at reader->start ('$'), once its checksum is there. */
static struct wt_packet take_command(struct wt_packet_reader *reader)
{
    uint8_t *begin = reader->buffer + reader->start, *end = reader->buffer + reader->end;
    uint8_t *from = reader->buffer + reader->scanned;
    if (from <= begin)
        from = begin + 1;
    uint8_t *hash = memchr(from, '#', (size_t)(end - from));
    if (!hash || end - hash < 3) {
        reader->scanned = (size_t)((hash ? hash : end) - reader->buffer);
        if (!hash && (size_t)(end - begin) > WT_PACKET_LIMIT) {
            if (reader->strict)
                return (struct wt_packet){.kind = WT_PACKET_FOREIGN};
            reader->skipping = true;
            reader->start = reader->end;
        }
        return (struct wt_packet){.kind = WT_PACKET_NONE};
    }
    reader->scanned = 0;
    reader->start = (size_t)(hash + 3 - reader->buffer);

    /* A '$' is always escaped inside a packet, so an unescaped one means that the sender started
     * again after a packet was cut off. */
    uint8_t *data = (uint8_t *)memrchr(begin, '$', (size_t)(hash - begin)) + 1;
    size_t size = (size_t)(hash - data);
    if (reader->strict && memmem(begin, (size_t)(hash - begin), " HTTP/", 6))
        return (struct wt_packet){.kind = WT_PACKET_FOREIGN};
    if (size > WT_PACKET_LIMIT)
        return (struct wt_packet){.kind = WT_PACKET_TOO_LONG};
    int high = wt_hex_value[hash[1]], low = wt_hex_value[hash[2]];
    if (high < 0 || low < 0 || checksum(data, size) != (high << 4 | low))
        return (struct wt_packet){.kind = WT_PACKET_DAMAGED};
    if (reader->strict && is_of_a_page(data, size, &reader->strict))
        return (struct wt_packet){.kind = WT_PACKET_FOREIGN};
    size = unescape(data, size);
    data[size] = 0;
    return (struct wt_packet){WT_PACKET_COMMAND, (char *)data, size};
}

/* Skips the rest of a packet that is too long; true when its end was found. */
static bool skip_packet(struct wt_packet_reader *reader)
{
    uint8_t *begin = reader->buffer + reader->start;
    uint8_t *hash = memchr(begin, '#', reader->end - reader->start);
    if (!hash) {
        reader->start = reader->end;
        return false;
    }
    /* The two digits of its checksum are garbage between packets, which is skipped anyway. */
    reader->start = (size_t)(hash + 1 - reader->buffer);
    reader->skipping = false;
    return true;
}

bool wt_packet_may_begin(uint8_t byte)
{
    return byte == '$' || byte == '+' || byte == '-' || byte == WT_PACKET_INTERRUPT_BYTE;
}

struct wt_packet wt_packet_next(struct wt_packet_reader *reader)
{
    if (reader->skipping) {
        if (!skip_packet(reader))
            return (struct wt_packet){.kind = WT_PACKET_NONE};
        return (struct wt_packet){.kind = WT_PACKET_TOO_LONG};
    }
    while (reader->start < reader->end) {
        switch (reader->buffer[reader->start]) {
        case '$':
            return take_command(reader);
        case '+':
            reader->start++;
            return (struct wt_packet){.kind = WT_PACKET_ACK};
        case '-':
            reader->start++;
            return (struct wt_packet){.kind = WT_PACKET_NAK};
        case WT_PACKET_INTERRUPT_BYTE:
            reader->start++;
            return (struct wt_packet){.kind = WT_PACKET_INTERRUPT};
        default:
            if (reader->strict)
                return (struct wt_packet){.kind = WT_PACKET_FOREIGN};
            reader->start++;
        }
    }
    return (struct wt_packet){.kind = WT_PACKET_NONE};
}

bool wt_packet_take_interrupt(struct wt_packet_reader *reader)
{
    /* Acknowledgements have no meaning in this mode, and must not fill the buffer. */
    while (!reader->skipping && reader->start < reader->end && reader->buffer[reader->start] == '+')
        reader->start++;
    uint8_t *at = reader->buffer + reader->start, *end = reader->buffer + reader->end;
    while (!reader->skipping && at < end) {
        if (*at == '$') {
            uint8_t *hash = memchr(at, '#', (size_t)(end - at));
            if (!hash || end - hash < 3)
                return false;
            at = hash + 3;
        } else if (*at == WT_PACKET_INTERRUPT_BYTE) {
            memmove(at, at + 1, (size_t)(end - at - 1));
            reader->end--;
            return true;
        } else if (reader->strict) {
            return false;
        } else {
            at++;
        }
    }
    return false;
}

/* ---- writing ---- */

void wt_packet_writer_init(struct wt_packet_writer *writer)
{
    *writer = (struct wt_packet_writer){0};
}

void wt_packet_writer_free(struct wt_packet_writer *writer)
{
    free(writer->buffer);
    free(writer->last);
    *writer = (struct wt_packet_writer){0};
}

void wt_packet_writer_clear(struct wt_packet_writer *writer)
{
    writer->start = writer->end = writer->body = 0;
    writer->last_size = 0;
    writer->failed = false;
}

/* Room for @p size more bytes, or NULL. */
static uint8_t *reserve(struct wt_packet_writer *writer, size_t size)
{
    if (writer->capacity - writer->end >= size && writer->buffer)
        return writer->buffer + writer->end;
    const size_t room = size < FIRST_ROOM ? FIRST_ROOM : size;
    uint8_t *buffer = wt_array_grow(writer->buffer, &writer->capacity, writer->end + room, 1);
    if (!buffer) {
        writer->failed = true;
        return NULL;
    }
    writer->buffer = buffer;
    return buffer + writer->end;
}

void wt_put_raw(struct wt_packet_writer *writer, char byte)
{
    wt_put_char(writer, byte);
}

void wt_put_begin(struct wt_packet_writer *writer, char lead)
{
    if (writer->start == writer->end)
        writer->start = writer->end = 0;
    wt_put_char(writer, lead);
    writer->body = writer->end;
}

void wt_put_restart(struct wt_packet_writer *writer)
{
    writer->end = writer->body;
}

size_t wt_put_length(const struct wt_packet_writer *writer)
{
    return writer->end - writer->body;
}

void wt_put_end(struct wt_packet_writer *writer)
{
    uint8_t *out = reserve(writer, 3);
    if (!out || writer->failed)
        return;
    uint8_t sum = checksum(writer->buffer + writer->body, writer->end - writer->body);
    out[0] = '#';
    wt_hex_encode((char *)out + 1, &sum, 1);
    writer->end += 3;
    if (!writer->keep_last || writer->buffer[writer->body - 1] != '$')
        return;
    size_t size = writer->end - writer->body + 1;
    uint8_t *last = wt_array_grow(writer->last, &writer->last_capacity, size, 1);
    if (!last) {
        writer->last_size = 0;
        return;
    }
    writer->last = last;
    memcpy(writer->last, writer->buffer + writer->body - 1, size);
    writer->last_size = size;
}

void wt_put_again(struct wt_packet_writer *writer)
{
    if (!writer->last_size)
        return;
    uint8_t *out = reserve(writer, writer->last_size);
    if (!out)
        return;
    memcpy(out, writer->last, writer->last_size);
    writer->end += writer->last_size;
}

void wt_put_char(struct wt_packet_writer *writer, char c)
{
    uint8_t *out = reserve(writer, 1);
    if (!out)
        return;
    *out = (uint8_t)c;
    writer->end++;
}

void wt_put_text(struct wt_packet_writer *writer, const char *text)
{
    size_t size = strlen(text);
    uint8_t *out = reserve(writer, size + 1);
    if (!out)
        return;
    memcpy(out, text, size);
    writer->end += size;
}

void wt_put_format(struct wt_packet_writer *writer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char text[1024];
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(length >= 0 && (size_t)length < sizeof text);
    wt_put_text(writer, text);
}

void wt_put_number(struct wt_packet_writer *writer, uint64_t number)
{
    char text[16];
    unsigned at = sizeof text;
    do {
        text[--at] = "0123456789abcdef"[number & 15];
        number >>= 4;
    } while (number);
    uint8_t *out = reserve(writer, sizeof text);
    if (!out)
        return;
    memcpy(out, text + at, sizeof text - at);
    writer->end += sizeof text - at;
}

void wt_put_padded(struct wt_packet_writer *writer, uint64_t number)
{
    if (number < 16)
        wt_put_char(writer, '0');
    wt_put_number(writer, number);
}

void wt_put_hex(struct wt_packet_writer *writer, const void *bytes, size_t size)
{
    uint8_t *out = reserve(writer, 2 * size + 1);
    if (!out)
        return;
    wt_hex_encode((char *)out, bytes, size);
    writer->end += 2 * size;
}

void wt_put_value(struct wt_packet_writer *writer, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    wt_put_hex(writer, bytes, size > 8 ? 8 : size);
}

static bool needs_escape(uint8_t byte)
{
    /* '*' begins a run in what a client reads (GDB manual, E.1 "Binary Data"). */
    return byte == '#' || byte == '$' || byte == ESCAPE || byte == '*';
}

void wt_put_binary(struct wt_packet_writer *writer, const void *bytes, size_t size)
{
    const uint8_t *in = bytes;
    uint8_t *begin = reserve(writer, 2 * size + 1), *out = begin;
    if (!begin)
        return;
    size_t i = 0;
    while (i < size) {
        /* Most blocks need no escape: look at 32 bytes at once, in a loop that
         * compilers vectorise. */
        if (size - i >= 32) {
            uint8_t any = 0;
            for (unsigned k = 0; k < 32; k++)
                any |= needs_escape(in[i + k]);
            if (!any) {
                memcpy(out, in + i, 32);
                out += 32;
                i += 32;
                continue;
            }
        }
        size_t stop = size - i < 32 ? size : i + 32;
        for (; i < stop; i++) {
            if (needs_escape(in[i])) {
                *out++ = ESCAPE;
                *out++ = in[i] ^ 0x20;
            } else {
                *out++ = in[i];
            }
        }
    }
    writer->end += (size_t)(out - begin);
}
