/*
 * Fuzz target: the line protocol, both halves. The first byte chooses. As requests, the input goes
 * to a server in one piece and byte by byte: the answers must be the same, one line of a known
 * shape for each line. As a reply, it goes to a client that asked for registers.
 */
#include <stdlib.h>
#include <string.h>

#include "bus/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REGISTERS 16

static uint32_t read_register(void *context, uint32_t addr)
{
    const uint32_t *reg = context;
    if (addr > UINT16_MAX)
        abort();
    return addr < REGISTERS ? reg[addr] : addr;
}

static void write_register(void *context, uint32_t addr, uint32_t value)
{
    uint32_t *reg = context;
    if (addr > UINT16_MAX)
        abort();
    if (addr < REGISTERS)
        reg[addr] = value;
}

/* All answers to the input, given in pieces of @p piece bytes; the caller frees them. */
static char *answers(const char *bytes, size_t size, size_t piece, uint32_t *reg, size_t *length)
{
    struct wt_line_server server = {.device = {reg, read_register, write_register}};
    size_t room = (size + 1) * 128 + WT_LINE_MAX;
    char *all = malloc(room);
    *length = 0;
    wt_line_server_begin(&server);
    for (size_t at = 0; at < size;) {
        size_t part = size - at < piece ? size - at : piece, sent;
        size_t taken =
            wt_line_server_feed(&server, bytes + at, part, all + *length, room - *length, &sent);
        if (taken != part)
            abort(); /* there is room for everything */
        at += taken;
        *length += sent;
    }
    return all;
}

static void check_answers(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *line = text + at, *newline = memchr(line, '\n', length - at);
        if (!newline || newline == line || (*line != '+' && *line != '-'))
            abort();
        size_t size = (size_t)(newline - line);
        bool hello = size == 2 && line[1] == 'P';
        if (size > 1 && !hello && (size % 9 != 0 || size / 9 > WT_LINE_BATCH))
            abort();
        at += size + 1;
    }
}

static void as_requests(const uint8_t *data, size_t size)
{
    uint32_t one[REGISTERS] = {0}, two[REGISTERS] = {0};
    size_t whole_length, pieces_length;
    char *whole = answers((const char *)data, size, size ? size : 1, one, &whole_length);
    char *pieces = answers((const char *)data, size, 1, two, &pieces_length);
    if (whole_length != pieces_length || memcmp(whole, pieces, whole_length) != 0 ||
        memcmp(one, two, sizeof one) != 0)
        abort();
    check_answers(whole, whole_length);
    free(whole);
    free(pieces);
}

static void as_reply(const uint8_t *data, size_t size, unsigned how)
{
    struct wt_bus_op ops[WT_LINE_BATCH];
    size_t span = 1 + how % WT_LINE_BATCH;
    bool write = how & 8;
    for (size_t i = 0; i < WT_LINE_BATCH; i++)
        ops[i] = (struct wt_bus_op){.write = write, .addr = (uint16_t)i, .value = 0xdeadbeef};
    struct wt_error err;
    char quoted[64];
    enum wt_status status = wt_line_reply(ops, span, (const char *)data, size, &err);
    if (status && !memchr(err.text, 0, sizeof err.text))
        abort();
    for (size_t i = write ? 0 : span; i < WT_LINE_BATCH; i++)
        if (ops[i].value != 0xdeadbeef)
            abort(); /* not asked for */
    wt_line_quote((const char *)data, size, quoted);
    if (strlen(quoted) >= sizeof quoted)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] & 0x80)
        as_reply(data + 1, size - 1, data[0]);
    else
        as_requests(data + 1, size - 1);
    return 0;
}
