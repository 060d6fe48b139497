/* Registers and memory. */
#include "frontend/rsp/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "frontend/rsp/hex.h"

#define PAGE 0x1000u

/* ---- registers ---- */

/* The thread of an optional ";thread:ID;" (LLDB's thread suffix), else that of Hg. */
static bool thread_argument(struct wt_rsp_session *s, const struct wt_rsp_args *args,
                            unsigned position, wt_thread *thread)
{
    if (args->count > position)
        return wt_rsp_thread_of(s, &args->arg[position].id, thread);
    *thread = wt_rsp_thread(s);
    return true;
}

static size_t register_size(const struct wt_rsp_session *s, unsigned index)
{
    return wt_register_size(&s->topology->registers[index]);
}

void wt_rsp_g(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_thread thread;
    struct wt_error err = {0};
    size_t size = 0;
    if (!thread_argument(s, args, 0, &thread))
        return;
    for (size_t i = 0; i < s->core_register_count; i++)
        size += register_size(s, s->core_registers[i]);
    uint8_t *value = malloc(size + 1), *at = value;
    if (!value) {
        wt_rsp_refuse(s, WT_NO_MEMORY, "out of memory");
        return;
    }
    if (wt_debugger_read_registers(s->debugger, thread, s->core_registers, s->core_register_count,
                                   value, &err)) {
        wt_rsp_error(s, &err);
    } else {
        for (size_t i = 0; i < s->core_register_count; i++) {
            wt_rsp_show_register(s, thread, s->core_registers[i], at);
            at += register_size(s, s->core_registers[i]);
        }
        wt_put_hex(&s->out, value, size);
    }
    free(value);
}

/* Reads the value of register @p index from hex digits. */
static bool parse_value(struct wt_rsp_session *s, unsigned index, const char *text, size_t length,
                        uint8_t *value)
{
    size_t size = register_size(s, index);
    return length == 2 * size && wt_hex_decode(value, text, size) == size;
}

void wt_rsp_G(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_thread thread;
    struct wt_error err = {0};
    const char *at = args->arg[0].text;
    size_t left = args->arg[0].length;
    if (!thread_argument(s, args, 1, &thread))
        return;
    for (size_t i = 0; i < s->core_register_count && left; i++) {
        unsigned index = s->core_registers[i];
        size_t digits = 2 * register_size(s, index);
        uint8_t value[WT_REGISTER_BITS / 8];
        /* "xx": leave this register as it is. */
        bool skip = left >= digits && at[0] == 'x';
        if (left < digits || (!skip && !parse_value(s, index, at, digits, value))) {
            wt_rsp_refuse(s, WT_INVALID, "G: the value of register %s is malformed",
                          s->topology->registers[index].name);
            return;
        }
        if (!skip && !s->topology->registers[index].read_only &&
            wt_debugger_write_register(s->debugger, thread, index, value, &err)) {
            wt_rsp_error(s, &err);
            return;
        }
        at += digits;
        left -= digits;
    }
    wt_rsp_forget_followed(s); /* the pc may be among the registers */
    wt_rsp_ok(s);
}

static bool register_argument(struct wt_rsp_session *s, uint64_t number, unsigned *index)
{
    if (number < s->register_numbers && s->register_by_number[number] >= 0) {
        *index = (unsigned)s->register_by_number[number];
        return true;
    }
    wt_rsp_refuse(s, WT_INVALID, "there is no register 0x%llx", (unsigned long long)number);
    return false;
}

void wt_rsp_p(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_thread thread;
    unsigned index;
    uint8_t value[WT_REGISTER_BITS / 8];
    struct wt_error err = {0};
    if (!register_argument(s, args->arg[0].number, &index) || !thread_argument(s, args, 1, &thread))
        return;
    enum wt_status status = wt_debugger_read_registers(s->debugger, thread, &index, 1, value, &err);
    if (status == WT_UNSUPPORTED) {
        /* The device does not have this register: "xx" shows it, and only it, as <unavailable>. */
        for (size_t i = 0; i < register_size(s, index); i++)
            wt_put_text(&s->out, "xx");
    } else if (status) {
        wt_rsp_error(s, &err);
    } else {
        wt_rsp_show_register(s, thread, index, value);
        wt_put_hex(&s->out, value, register_size(s, index));
    }
}

void wt_rsp_P(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_thread thread;
    unsigned index;
    uint8_t value[WT_REGISTER_BITS / 8];
    struct wt_error err = {0};
    if (!register_argument(s, args->arg[0].number, &index) || !thread_argument(s, args, 2, &thread))
        return;
    if (!parse_value(s, index, args->arg[1].text, args->arg[1].length, value))
        wt_rsp_refuse(s, WT_INVALID, "P: the value of register %s is malformed",
                      s->topology->registers[index].name);
    else if (wt_rsp_refuse_call(s, thread))
        return;
    else if (wt_rsp_release_call(s, &err) ||
             wt_debugger_write_register(s->debugger, thread, index, value, &err)) {
        wt_rsp_error(s, &err);
    } else {
        wt_rsp_forget_written(s, thread, index);
        if (index == s->topology->pc_index)
            wt_rsp_forget_followed(s);
        wt_rsp_ok(s);
    }
}

/* ---- memory ---- */

/* Memory is read as a stopped thread sees it; in non-stop the chosen thread may be running. */
static wt_thread memory_thread(struct wt_rsp_session *s)
{
    wt_thread thread = wt_rsp_thread(s);
    if (!s->nonstop || !wt_debugger_running(s->debugger) || !wt_rsp_load_threads(s))
        return thread;
    wt_thread other = 0;
    for (size_t i = 0; i < s->thread_count; i++) {
        if (s->threads[i].running)
            continue;
        if (s->threads[i].id == thread)
            return thread;
        if (!other)
            other = s->threads[i].id;
    }
    return other ? other : thread;
}

enum wt_status wt_rsp_read_memory(struct wt_rsp_session *s, uint64_t number, void *out, size_t size,
                                  size_t *done, struct wt_error *err)
{
    wt_thread thread = memory_thread(s);
    const struct wt_address addr = wt_debugger_address(s->debugger, number);
    uint8_t *to = out;
    *done = 0;
    enum wt_status status = wt_debugger_read_memory(s->debugger, thread, addr, to, size, err);
    if (status == WT_OK) {
        *done = size;
        wt_rsp_show_call(s, addr.offset, out, size);
        return WT_OK;
    }
    /* A read succeeds or fails as a whole, so memory is read page by page to find how far it
     * extends. */
    while (*done < size) {
        const struct wt_address at = wt_address_plus(addr, *done);
        size_t part = PAGE - (size_t)(at.offset % PAGE);
        part = part < size - *done ? part : size - *done;
        if (part == size)
            break;
        status = wt_debugger_read_memory(s->debugger, thread, at, to + *done, part, err);
        if (status)
            break;
        *done += part;
    }
    return *done ? WT_OK : status;
}

void wt_rsp_m(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    struct wt_error err = {0};
    size_t size = WT_PACKET_SIZE / 2 - 8, done;
    if (args->arg[1].number < size)
        size = (size_t)args->arg[1].number;
    wt_rsp_note_read(s, args->arg[0].number, args->arg[1].number);
    if (size && wt_rsp_read_memory(s, args->arg[0].number, s->scratch, size, &done, &err))
        wt_rsp_error(s, &err);
    else if (size)
        wt_put_hex(&s->out, s->scratch, done);
}

/*
 * Binary reads: GDB 16 wants 'b' before the bytes; LLDB 19 asks by "x0,0" whether they come without
 * it, and takes "OK" for yes.
 */
void wt_rsp_x(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    struct wt_error err = {0};
    size_t size = WT_PACKET_SIZE, done = 0;
    if (args->arg[1].number < size)
        size = (size_t)args->arg[1].number;
    if (size == 0 && args->arg[0].number == 0 && s->lldb) {
        s->bare_x = true;
        wt_rsp_ok(s);
        return;
    }
    wt_rsp_note_read(s, args->arg[0].number, args->arg[1].number);
    if (size && wt_rsp_read_memory(s, args->arg[0].number, s->scratch, size, &done, &err)) {
        wt_rsp_error(s, &err);
        return;
    }
    if (!s->bare_x)
        wt_put_char(&s->out, 'b');
    wt_put_binary(&s->out, s->scratch, done);
}

static void write_memory(struct wt_rsp_session *s, uint64_t addr, const void *bytes, size_t size)
{
    struct wt_error err = {0};
    const struct wt_address address = wt_debugger_address(s->debugger, addr);
    if (wt_rsp_hold_call(s, address.offset, bytes, size)) {
        wt_rsp_ok(s);
        return;
    }
    enum wt_status status = wt_rsp_release_call(s, &err);
    if (!status && size)
        status =
            wt_debugger_write_memory(s->debugger, memory_thread(s), address, bytes, size, &err);
    if (status)
        wt_rsp_error(s, &err);
    else
        wt_rsp_ok(s);
}

void wt_rsp_M(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    const struct wt_rsp_arg *data = &args->arg[2];
    size_t size = data->length / 2;
    /* The hex digits of a packet make at most half of WT_PACKET_LIMIT in bytes. */
    _Static_assert(WT_PACKET_LIMIT / 2 <= WT_PACKET_SIZE, "M's bytes fit into scratch");
    if (args->arg[1].number != size || data->length % 2 ||
        wt_hex_decode(s->scratch, data->text, size) != size)
        wt_rsp_refuse(s, WT_INVALID, "M: the data is not what the length says");
    else
        write_memory(s, args->arg[0].number, s->scratch, size);
}

void wt_rsp_X(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    const struct wt_rsp_arg *data = &args->arg[2];
    if (args->arg[1].number != data->length)
        wt_rsp_refuse(s, WT_INVALID, "X: the data is not what the length says");
    else
        write_memory(s, args->arg[0].number, data->text, data->length);
}

/*
 * Clients give up waiting for a reply after some seconds (GDB: `set remotetimeout`, 2), and the
 * device is stopped meanwhile. Through debug registers alone, reading memory may be as slow as
 * that.
 */
#define LONGEST_SECONDS 3

static int64_t seconds(void)
{
    return wt_clock_ms() / 1000;
}

static bool takes_too_long(struct wt_rsp_session *s, int64_t begin)
{
    if (seconds() - begin <= LONGEST_SECONDS)
        return false;
    wt_rsp_refuse(s, WT_TIMEOUT,
                  "given up after %d seconds: the device reads memory slowly, ask for "
                  "less of it",
                  LONGEST_SECONDS);
    return true;
}

/* qSearch:memory:ADDR;LENGTH;PATTERN */
void wt_rsp_search(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    uint64_t addr = args->arg[0].number, left = args->arg[1].number;
    const struct wt_rsp_arg *pattern = &args->arg[2];
    struct wt_error err = {0};
    if (pattern->length == 0 || pattern->length > WT_PACKET_SIZE / 2) {
        wt_rsp_refuse(s, WT_INVALID, "the pattern must have 1 to %u bytes", WT_PACKET_SIZE / 2);
        return;
    }
    /* LENGTH counts the addresses at which the pattern may begin (in GDB's own search, the pattern
     * lies wholly inside). The end of each piece is searched again with the next one. */
    int64_t begin = seconds();
    while (left >= pattern->length) {
        if (takes_too_long(s, begin))
            return;
        size_t size = left < WT_PACKET_SIZE ? (size_t)left : WT_PACKET_SIZE, done;
        if (wt_rsp_read_memory(s, addr, s->scratch, size, &done, &err) || done < size) {
            if (done < pattern->length) {
                wt_rsp_refuse(s, WT_IO, "memory at 0x%llx cannot be read",
                              (unsigned long long)addr);
                return;
            }
            left = done;
        }
        const uint8_t *found = memmem(s->scratch, done, pattern->text, pattern->length);
        if (found) {
            wt_put_text(&s->out, "1,");
            wt_put_number(&s->out, addr + (uint64_t)(found - s->scratch));
            return;
        }
        size_t step = done - pattern->length + 1;
        addr += step;
        left -= step;
    }
    wt_put_char(&s->out, '0');
}

/* The CRC of `compare-sections` (GDB manual, "qCRC"): polynomial 0x04c11db7, bits not reflected. */
static uint32_t crc(uint32_t sum, const uint8_t *bytes, size_t size, const uint32_t *table)
{
    for (size_t i = 0; i < size; i++)
        sum = sum << 8 ^ table[(sum >> 24 ^ bytes[i]) & 255];
    return sum;
}

void wt_rsp_crc(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    uint64_t addr = args->arg[0].number, left = args->arg[1].number;
    uint32_t table[256], sum = 0xffffffff;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i << 24;
        for (unsigned bit = 0; bit < 8; bit++)
            c = c << 1 ^ (c >> 31 ? 0x04c11db7 : 0);
        table[i] = c;
    }
    int64_t begin = seconds();
    while (left) {
        if (takes_too_long(s, begin))
            return;
        struct wt_error err = {0};
        size_t size = left < WT_PACKET_SIZE ? (size_t)left : WT_PACKET_SIZE, done;
        if (wt_rsp_read_memory(s, addr, s->scratch, size, &done, &err) || done < size) {
            wt_rsp_error(s, &err);
            return;
        }
        sum = crc(sum, s->scratch, done, table);
        addr += done;
        left -= done;
    }
    wt_put_char(&s->out, 'C');
    wt_put_number(&s->out, sum);
}
