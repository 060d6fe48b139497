/*
 * PTX: functions that the driver provides (docs/ptx.md): vprintf, malloc, free, __assertfail,
 * __cxa_pure_virtual; and a report of those that nobody does.
 *
 * The heap of malloc is device memory of the launch. Its first 16 bytes are the offset of what was
 * never used, and that of the first free block; a block has 16 bytes before it, its size and the
 * next free block's offset. So all of it is a part of the state.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/image.h"

#define BLOCK 16

/* ---- arguments and results: those of the call, in the caller's frame ---- */

static uint64_t argument(const struct sm_warp *w, const struct ptx_call *c, unsigned n,
                         unsigned lane)
{
    if (n >= c->argument_count)
        return 0;
    const struct ptx_move *m = &c->argument[n];
    const uint8_t *from = ptx_in(ptx_frame(w), &m->from);
    if (m->wide)
        return ((const uint64_t *)from)[lane];
    const uint32_t *low = (const uint32_t *)from;
    return low[lane] | (m->dwords > 1 ? (uint64_t)low[SM_LANES + lane] << 32 : 0);
}

static void set_result(struct sm_warp *w, const struct ptx_call *c, unsigned lane, uint64_t value)
{
    for (unsigned k = 0; k < c->result_count && k < 2; k++)
        if (c->result[k] != PTX_NO_SLOT)
            ptx_put(ptx_frame(w) + c->result[k], 4, lane, (uint32_t)(value >> 32 * k));
}

/* ---- the heap ---- */

static uint64_t heap_get(const struct sm_warp *w, uint64_t offset)
{
    uint8_t bytes[8];
    sm_device_read(w->device, w->device->grid.launch.heap + offset, bytes, sizeof bytes);
    return wt_load_le(bytes, 8);
}

static bool heap_set(const struct sm_warp *w, uint64_t offset, uint64_t value)
{
    uint8_t bytes[8];
    wt_met(&w->device->machine);
    wt_store_le(bytes, value, 8);
    return sm_device_write(w->device, w->device->grid.launch.heap + offset, bytes, sizeof bytes);
}

/* Offsets that a program has overwritten lead nowhere. */
static bool in_heap(const struct sm_warp *w, uint64_t offset)
{
    const uint64_t size = w->device->grid.launch.heap_size;
    return offset % BLOCK == 0 && offset >= 2 * BLOCK && offset < size;
}

/* The first free block that is large enough; else what was never used. 0: there is no room. */
static uint64_t allocate(const struct sm_warp *w, uint64_t bytes)
{
    const uint64_t heap = w->device->grid.launch.heap, size = w->device->grid.launch.heap_size;
    uint64_t before = 8, at = size ? heap_get(w, 8) : 0;
    if (!bytes || bytes > size)
        return 0;
    const uint64_t wanted = (bytes + BLOCK - 1) / BLOCK * BLOCK;
    for (uint64_t n = 0; in_heap(w, at) && n < size / BLOCK; n++) {
        const uint64_t next = heap_get(w, at - 8);
        if (heap_get(w, at - 16) >= wanted)
            return heap_set(w, before, next) ? heap + at : 0;
        before = at - 8;
        at = next;
    }
    uint64_t used = heap_get(w, 0);
    if (!used)
        used = BLOCK;
    if (used % BLOCK || used > size || wanted + BLOCK > size - used)
        return 0;
    if (!heap_set(w, used, wanted) || !heap_set(w, 0, used + BLOCK + wanted))
        return 0;
    return heap + used + BLOCK;
}

static bool release(const struct sm_warp *w, uint64_t address)
{
    const uint64_t at = address - w->device->grid.launch.heap;
    if (!address)
        return true;
    return in_heap(w, at) && heap_set(w, at - 8, heap_get(w, 8)) && heap_set(w, 8, at);
}

/* Allocates, and tells a judge. */
static uint64_t take(const struct sm_warp *w, const struct sm_uop *u, unsigned lane, uint64_t bytes)
{
    const uint64_t at = allocate(w, bytes);
    const struct wt_judge *judge = w->device->machine.judge;
    const struct wt_lane_access call = {.pc = sm_pc_of(w, u), .lane = lane};
    if (judge && at)
        judge->taken(judge->context, &w->head, &call, at, bytes);
    return at;
}

/* Whether no judge refuses it. */
static bool may_release(const struct sm_warp *w, const struct sm_uop *u, unsigned lane,
                        uint64_t address)
{
    const struct wt_judge *judge = w->device->machine.judge;
    const struct wt_lane_access call = {.pc = sm_pc_of(w, u), .lane = lane};
    return !judge || !address || judge->given_back(judge->context, &w->head, &call, address);
}

/* ---- vprintf ---- */

/* Bytes at a generic address. False: *next is to be returned. */
static bool fetch(struct sm_warp *w, const struct sm_uop *u, unsigned lane, uint64_t at,
                  unsigned size, uint8_t *bytes, const struct sm_uop **next)
{
    struct sm_access a;
    sm_access_begin(&a, 1u << lane, size, WT_WATCH_READ);
    if (sm_has_judge(w)) {
        uint64_t addresses[SM_LANES] = {0};
        addresses[lane] = at;
        sm_access_judge(w, u, SM_JUDGED_GENERIC, &a, addresses);
        if (a.refused) {
            memset(bytes, 0, size);
            return true;
        }
    }
    sm_reach_global(w, lane, at, true, &a);
    if (!sm_access_good(w, u, &a, next))
        return false;
    sm_load_bytes(w, u, &a, lane, bytes);
    return true;
}

static bool fetch_text(struct sm_warp *w, const struct sm_uop *u, unsigned lane, uint64_t at,
                       char *text, size_t size, const struct sm_uop **next)
{
    for (size_t i = 0; i + 1 < size; i++) {
        uint8_t byte;
        if (!fetch(w, u, lane, at + i, 1, &byte, next))
            return false;
        text[i] = (char)byte;
        if (!byte)
            return true;
    }
    text[size - 1] = 0;
    return true;
}

static void print(struct sm_warp *w, const char *text)
{
    struct sm_device *d = w->device;
    for (; *text; text++)
        wt_console_put(&d->machine, &d->console, 0, *text);
}

/* The arguments stand one behind the other, each aligned to its size, 4 or 8 bytes. */
struct builtin_arguments {
    struct sm_warp *w;
    const struct sm_uop *u;
    unsigned lane;
    uint64_t at;
};

static bool next_argument(struct builtin_arguments *a, unsigned size, uint64_t *value,
                          const struct sm_uop **next)
{
    uint8_t bytes[8];
    a->at = (a->at + size - 1) / size * size;
    if (!fetch(a->w, a->u, a->lane, a->at, size, bytes, next))
        return false;
    a->at += size;
    *value = wt_load_le(bytes, size);
    return true;
}

/* Length modifiers of a conversion: how many of each. */
struct modifiers {
    unsigned shorts, longs, others; /* h, l, the rest */
};

static uint64_t shortened(uint64_t value, bool is_signed, const struct modifiers *m)
{
    if (m->longs)
        return value;
    if (m->shorts > 1)
        return is_signed ? (uint64_t)(int8_t)value : (uint8_t)value;
    if (m->shorts)
        return is_signed ? (uint64_t)(int16_t)value : (uint16_t)value;
    return is_signed ? (uint64_t)(int32_t)value : value;
}

/* One conversion, whose text "%-5.2" is in spec. */
static bool convert(struct builtin_arguments *a, char *spec, size_t length, char how,
                    const struct modifiers *m, const struct sm_uop **next)
{
    char text[1200], string[1024] = "(null)";
    uint64_t value = 0;
    const bool wide = m->longs > 0;
    const bool real = strchr("aAeEfFgG", how), pointer = how == 'p' || how == 's';
    if (!next_argument(a, wide || real || pointer ? 8 : 4, &value, next))
        return false;
    if (how == 's') {
        if (value && !fetch_text(a->w, a->u, a->lane, value, string, sizeof string, next))
            return false;
        snprintf(spec + length, 8, "s");
        snprintf(text, sizeof text, spec, string);
    } else if (real) {
        double number;
        memcpy(&number, &value, sizeof number);
        snprintf(spec + length, 8, "%c", how);
        snprintf(text, sizeof text, spec, number);
    } else if (how == 'c') {
        snprintf(spec + length, 8, "c");
        snprintf(text, sizeof text, spec, (int)value);
    } else if (how == 'p') {
        snprintf(spec + length, 8, "p");
        snprintf(text, sizeof text, spec, (void *)(uintptr_t)value);
    } else {
        const bool is_signed = how == 'd' || how == 'i';
        snprintf(spec + length, 8, "ll%c", how);
        snprintf(text, sizeof text, spec, (long long)shortened(value, is_signed, m));
    }
    print(a->w, text);
    return true;
}

/* Flags, width and precision; "*" takes an argument. */
static bool specification(struct builtin_arguments *a, const char **at, char *spec, size_t *length,
                          const struct sm_uop **next)
{
    *length = 0;
    spec[(*length)++] = '%';
    for (; **at && strchr("-+ #0123456789.*", **at); ++*at) {
        uint64_t value;
        if (*length > 24)
            continue;
        if (**at != '*') {
            spec[(*length)++] = **at;
            continue;
        }
        if (!next_argument(a, 4, &value, next))
            return false;
        const int width = (int32_t)value > 512    ? 512
                          : (int32_t)value < -512 ? -512
                                                  : (int32_t)value;
        *length += (size_t)snprintf(spec + *length, 8, "%d", width);
    }
    spec[*length] = 0;
    return true;
}

static struct modifiers modifiers_at(const char **at)
{
    struct modifiers m = {0};
    for (; **at && strchr("hlLjzt", **at); ++*at)
        *(**at == 'h' ? &m.shorts : **at == 'l' ? &m.longs : &m.others) += 1;
    return m;
}

/*
 * Prints a specification that kernels do not have, as NVIDIA's driver 580 does: one of C's as it
 * stands, any other as its "%" alone. False: kernels have it. *at is behind its "%"; on true it
 * becomes what follows.
 */
static bool print_unsupported(struct sm_warp *w, const char **at)
{
    const char *end = *at + strspn(*at, "-+ #0123456789.*");
    const char *precision = memchr(*at, '.', (size_t)(end - *at));
    const struct modifiers m = modifiers_at(&end);
    char text[64];
    if (!*end || !strchr("diouxXcspaAeEfFgGn%", *end)) {
        print(w, "%");
        *at = end;
        return true;
    }
    if (*end != 'n' && *end != '%' && !m.others && !(precision && precision[1] == '*'))
        return false;
    snprintf(text, sizeof text, "%%%.*s", (int)(end + 1 - *at), *at);
    print(w, text);
    *at = end + 1;
    return true;
}

static bool vprintf_of(struct sm_warp *w, const struct sm_uop *u, const struct ptx_call *c,
                       unsigned lane, const struct sm_uop **next)
{
    char format[4096], spec[48];
    struct builtin_arguments a = {.w = w, .u = u, .lane = lane, .at = argument(w, c, 1, lane)};
    uint64_t conversions = 0;
    if (!fetch_text(w, u, lane, argument(w, c, 0, lane), format, sizeof format, next))
        return false;
    for (const char *at = format; *at;) {
        size_t length;
        if (*at != '%' || at[1] == '%') {
            print(w, (char[]){*at, 0});
            at += *at == '%' ? 2 : 1;
            continue;
        }
        at++;
        if (print_unsupported(w, &at))
            continue;
        if (!specification(&a, &at, spec, &length, next))
            return false;
        const struct modifiers m = modifiers_at(&at);
        if (!convert(&a, spec, length, *at++, &m, next))
            return false;
        conversions++;
    }
    set_result(w, c, lane, conversions);
    return true;
}

/* ---- the call ---- */

static const struct sm_uop *assertion(struct sm_warp *w, const struct sm_uop *u,
                                      const struct ptx_call *c, uint32_t lanes)
{
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    char message[100], file[100], function[60];
    const struct sm_uop *next;
    if (!fetch_text(w, u, lane, argument(w, c, 0, lane), message, sizeof message, &next) ||
        !fetch_text(w, u, lane, argument(w, c, 1, lane), file, sizeof file, &next) ||
        !fetch_text(w, u, lane, argument(w, c, 3, lane), function, sizeof function, &next))
        return next;
    return sm_error(w, u, SM_ASSERT, lanes, 0, "%s:%u: %s: assertion '%s' failed", file,
                    (unsigned)argument(w, c, 2, lane), function, message);
}

PTX_EXECUTOR(ptx_op_builtin)
{
    const struct ptx_op *o = u->ptx;
    const uint32_t lanes = ptx_lanes(w, o);
    const struct sm_uop *next = NULL;
    uint32_t index;
    if (!lanes)
        return sm_next(u);
    const struct sm_ptx *image = ptx_image_at(w->device, sm_pc_of(w, u), &index);
    assert(image);
    const struct ptx_function_info *f = &image->function[o->offset];
    const struct ptx_call *c = &image->call[o->index];
    if (f->builtin == PTX_ASSERTFAIL)
        return assertion(w, u, c, lanes);
    if (f->builtin == PTX_UNRESOLVED)
        return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, lanes, 0,
                        "a call of %.*s, which is defined nowhere", (int)f->name.length,
                        f->name.at);
    if (f->builtin == PTX_PURE_VIRTUAL)
        return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, lanes, 0,
                        "a call of a virtual function that its class does not define");
    PTX_LEFT(i, lanes)
    {
        if (f->builtin == PTX_VPRINTF && !vprintf_of(w, u, c, i, &next))
            return next;
        if (f->builtin == PTX_MALLOC)
            set_result(w, c, i, take(w, u, i, argument(w, c, 0, i)));
        if (f->builtin == PTX_FREE && may_release(w, u, i, argument(w, c, 0, i)) &&
            !release(w, argument(w, c, 0, i)))
            return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, 1u << i, 0,
                            "free of 0x%llx, which malloc has not returned",
                            (unsigned long long)argument(w, c, 0, i));
    }
    return sm_next(u);
}
